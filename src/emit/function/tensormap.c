/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_emit_tensormap: a tensor map as one call of the driver in a host function, and as the 128 bytes
 * that the driver writes, for targets whose bytes are known (zlay/tensormap_bits.h). */
#include "emit/function/function.h"
#include "emit/function/tensormap.h"

#include <zlay/emit_function.h>
#include <zlay/tensormap_bits.h>

typedef unsigned long long ull;

enum { WORDS = 16, DIMS = 5, CORNERS = 3, WORDS_A_LINE = 4 };

typedef enum map_field { TYPE, INTERLEAVE, SWIZZLE, L2, OOB, WIDE_MODE } map_field;
enum { TILED, IM2COL, IM2COL_WIDE }; /* zlay_tensormap.mode */

static const struct {
    map_field field;
    int32_t value;
    const char *name;
} names[] = {
#define NAME(field, value, name) {field, value, name},
#include "emit/function/tensormap_names.def"
};

static const char *name_of(map_field field, int32_t value)
{
    for (size_t i = 0; i < ZL_COUNT(names); i++)
        if (names[i].field == field && names[i].value == value) return names[i].name;
    return "0";
}

typedef struct map_text {
    const zlay_tensormap *map;
    const zlay_target *target;
    int32_t language;
    const char *name;
    size_t length;
    uint64_t words[WORDS];
    bool known; /* the words are those that the driver writes */
} map_text;

/* ---- bytes ---------------------------------------------------------------------------------- */

static void words_put(zl_text *out, const map_text *t)
{
    bool ptx = t->language == ZLAY_TEXT_PTX;
    zl_puts(out, ptx ? ".global .align 64 .b64 " :
                       "static __device__ __attribute__((unused, aligned(64))) const unsigned long "
                       "long ");
    zl_put(out, t->name, t->length);
    zl_puts(out, "[16] = {");
    for (int i = 0; i < WORDS; i++)
        zl_putf(out, "%s0x%llx%s", !i ? "\n    " : i % WORDS_A_LINE ? ", " : ",\n    ",
                (ull)t->words[i], ptx ? "" : "ull");
    zl_puts(out, "\n};\n");
}

/* ---- the driver's call ---------------------------------------------------------------------- */

static void list64(zl_text *out, const char *name, const uint64_t *list, uint32_t count)
{
    zl_putf(out, "    const cuuint64_t %s[%d] = {", name, DIMS);
    for (uint32_t i = 0; i < count; i++) zl_putf(out, "%s%llu", i ? ", " : "", (ull)list[i]);
    zl_puts(out, count ? "};\n" : "0};\n");
}

static void list32(zl_text *out, const char *name, const uint32_t *list, uint32_t count)
{
    zl_putf(out, "    const cuuint32_t %s[%d] = {", name, DIMS);
    for (uint32_t i = 0; i < count; i++) zl_putf(out, "%s%u", i ? ", " : "", (unsigned)list[i]);
    zl_puts(out, "};\n");
}

/* Corners of the bounding box: of a wide map one of each, of another as many as it has spatial dimensions. */
static void corners(zl_text *out, const zlay_tensormap *m, const char *name, const int32_t *corner)
{
    uint32_t count = m->mode == IM2COL_WIDE ? 1 : m->rank - 2;
    zl_putf(out, "    const int %s[%d] = {", name, CORNERS);
    for (uint32_t i = 0; i < count; i++) zl_putf(out, "%s%d", i ? ", " : "", (int)corner[i]);
    zl_puts(out, "};\n");
}

/* Prints the arguments between the strides and the steps: the box, or the corners and counts of pixels. */
static void box_put(zl_text *out, const zlay_tensormap *m)
{
    const char *of = m->mode == IM2COL_WIDE ? "[0]" : "";
    if (!m->mode) zl_puts(out, "box");
    else zl_putf(out, "lower%s, upper%s, %u, %u", of, of, (unsigned)m->channels, (unsigned)m->pixels);
}

static void lists_put(zl_text *out, const zlay_tensormap *m)
{
    list64(out, "extent", m->extent, m->rank);
    list64(out, "stride", m->stride, m->rank - 1);
    if (!m->mode) list32(out, "box", m->box, m->rank);
    if (m->mode) corners(out, m, "lower", m->lower), corners(out, m, "upper", m->upper);
    list32(out, "step", m->step, m->rank);
}

void zl_tensormap_call_put(zl_text *out, const zlay_tensormap *m, const char *name, size_t length)
{
    static const char *const calls[] = {[TILED] = "cuTensorMapEncodeTiled",
                                        [IM2COL] = "cuTensorMapEncodeIm2col",
                                        [IM2COL_WIDE] = "cuTensorMapEncodeIm2colWide"};
    static const char indent[] = ",\n                                  ";
    zl_puts(out, "static inline __attribute__((unused)) CUresult ");
    zl_put(out, name, length);
    zl_puts(out, "_encode(CUtensorMap *map, void *address)\n{\n");
    lists_put(out, m);
    zl_putf(out, "    return %s(map, %s, %u, address, extent, stride, ", calls[m->mode],
            name_of(TYPE, m->type), (unsigned)m->rank);
    box_put(out, m);
    zl_putf(out, ", step%s%s", indent, name_of(INTERLEAVE, m->interleave));
    if (m->mode == IM2COL_WIDE) zl_putf(out, "%s%s", indent, name_of(WIDE_MODE, m->wide_mode));
    zl_putf(out, "%s%s%s%s%s%s);\n}\n", indent, name_of(SWIZZLE, m->swizzle), indent,
            name_of(L2, m->l2), indent, name_of(OOB, m->oob));
}

static void map_write(zl_text *out, const void *value)
{
    const map_text *t = value;
    zl_putf(out, "/* zlay %s: a tensor map of %s, checked against every rule of the target",
            zlay_version(), zlay_target_name(t->target));
    if (t->known)
        zl_putf(out, ". The words\n   are those of the tensor at 0x%llx", (ull)t->map->address);
    zl_puts(out, ". */\n");
    if (t->known) words_put(out, t);
    if (t->language != ZLAY_TEXT_CUDA) return;
    zl_puts(out, "#include <cuda.h>\n");
    zl_tensormap_call_put(out, t->map, t->name, t->length);
}

/* ---- the request ---------------------------------------------------------------------------- */

static zlay_status map_check(zlay_ctx *ctx, map_text *t)
{
    zlay_verdict verdict;
    zlay_reason reason = {0};
    zlay_rule rule = {0};
    zlay_status status = zlay_tensormap_check(&verdict, &reason, 1, t->target, t->map);
    if (status) return zl_fail(ctx, status, "map: a reserved word is not 0");
    if (verdict.answer != ZLAY_YES) {
        zlay_rule_info(&rule, reason.rule);
        return zl_fail(ctx, ZLAY_EINVAL, "map: %s: %s[%d] is %lld; %s; tensormap.check has its repair",
                       rule.id ? rule.id : "a rule", zlay_field_name(reason.field), reason.index,
                       (long long)reason.value, rule.text ? rule.text : "it is broken");
    }
    t->known = !zlay_tensormap_pack(t->words, t->target, t->map);
    if (t->language == ZLAY_TEXT_HIP)
        return zl_fail(ctx, ZLAY_ENOTSUP, "a tensor map is printed as CUDA C or PTX");
    if (!t->known && t->language == ZLAY_TEXT_PTX)
        return zl_fail(ctx, ZLAY_ENOTSUP, "map: the bytes of %s are not known, the driver's call in "
                       "CUDA C writes them", zlay_target_name(t->target));
    return ZLAY_OK;
}

zlay_status zlay_emit_tensormap(zlay_ctx *ctx, zlay_buf *out, const zlay_target *target,
                                const zlay_tensormap *map, int32_t language, const char *name,
                                size_t length)
{
    if (!out || !target || !map || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    map_text text = {map, target, language, name, length, {0}, false};
    status = zl_function_check(ctx, language, name, length);
    if (!status) status = map_check(ctx, &text);
    return zl_leave(ctx, status ? status : zl_print(out, map_write, &text));
}
