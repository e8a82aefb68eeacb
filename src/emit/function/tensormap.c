/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_emit_tensormap: a tensor map as one call of the driver in a host function, and as the 128 bytes
 * that the driver writes, for targets whose bytes are known (zlay/tensormap_bits.h). */
#include "emit/function/function.h"

#include <zlay/emit_function.h>
#include <zlay/tensormap_bits.h>

typedef unsigned long long ull;

enum { WORDS = 16, DIMS = 5, WORDS_A_LINE = 4 };

typedef enum map_field { TYPE, INTERLEAVE, SWIZZLE, L2, OOB } map_field;

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

static void call_put(zl_text *out, const map_text *t)
{
    const zlay_tensormap *m = t->map;
    zl_puts(out, "static inline __attribute__((unused)) CUresult ");
    zl_put(out, t->name, t->length);
    zl_puts(out, "_encode(CUtensorMap *map, void *address)\n{\n");
    list64(out, "extent", m->extent, m->rank);
    list64(out, "stride", m->stride, m->rank - 1);
    list32(out, "box", m->box, m->rank);
    list32(out, "step", m->step, m->rank);
    zl_putf(out, "    return cuTensorMapEncodeTiled(map, %s, %u, address, extent, stride, box, step,\n"
            "                                  %s,\n                                  %s,\n"
            "                                  %s,\n                                  %s);\n}\n",
            name_of(TYPE, m->type), (unsigned)m->rank, name_of(INTERLEAVE, m->interleave),
            name_of(SWIZZLE, m->swizzle), name_of(L2, m->l2), name_of(OOB, m->oob));
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
    call_put(out, t);
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
        return zl_fail(ctx, ZLAY_EINVAL, "map: %s says no to it", rule.id ? rule.id : "a rule");
    }
    t->known = !zlay_tensormap_pack(t->words, t->target, t->map);
    if (t->map->mode || t->language == ZLAY_TEXT_HIP)
        return zl_fail(ctx, ZLAY_ENOTSUP, "map: only tiled maps of CUtensorMap are printed");
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
