/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_emit_fill: a prepared tensor map as a function of C and CUDA C that checks the values of its names and
 * writes the 128 bytes, and as one that edits a map on the device by tensormap.replace. An entry of one name becomes bounds of that name, so that nothing overflows; one of
 * several is summed in 128 bits. A parameter is in_ and its name, which is then no keyword of any language. */
#include "emit/emit.h"
#include "emit/function/function.h"
#include "legality/tensormap/fill.h"

#include <string.h>
#include <zlay/emit_function.h>

typedef unsigned long long ull;

enum { TILED = 0 }; /* zlay_tensormap.mode: others have no tensormap.replace */

typedef struct fill_text {
    const zlay_fill *fill;
    const char *name;
    size_t length;
} fill_text;

/* ---- the check --------------------------------------------------------------------------------- */

static zl_i128 floor_over(zl_i128 a, zl_i128 by) { return a / by - (a % by < 0); }

/* The values of an entry's only name at which it is in its range. */
static void name_bounds(zl_i128 *lo, zl_i128 *hi, const zl_fill_entry *e)
{
    zl_i128 times = e->term[0].times, sign = times < 0 ? -1 : 1;
    zl_i128 first = (zl_i128)e->range.lo - e->constant, last = (zl_i128)e->range.hi - e->constant;
    *lo = -floor_over(-(times < 0 ? -last : first), times * sign);
    *hi = floor_over(times < 0 ? -first : last, times * sign);
    if (*lo < INT64_MIN) *lo = INT64_MIN;
    if (*hi > INT64_MAX) *hi = INT64_MAX;
}

static void one_name(zl_text *out, const zlay_fill *f, const zl_fill_entry *e)
{
    const char *name = f->name[e->term[0].name].text;
    zl_i128 lo, hi;
    name_bounds(&lo, &hi, e);
    if (lo > hi) {
        zl_puts(out, "1");
        return;
    }
    if (lo > INT64_MIN) zl_putf(out, "in_%s < %lldll", name, (long long)lo);
    if (lo > INT64_MIN && hi < INT64_MAX) zl_puts(out, " || ");
    if (hi < INT64_MAX) zl_putf(out, "in_%s > %lldll", name, (long long)hi);
}

static void sum(zl_text *out, const zlay_fill *f, const zl_fill_entry *e, const char *type)
{
    for (uint32_t i = 0; i < e->terms; i++) {
        const zl_fill_term *t = &e->term[i];
        zl_putf(out, "%s(%s)in_%s", i ? " + " : "", type, f->name[t->name].text);
        if (t->times != 1) zl_putf(out, " * (%s)%lldll", type, (long long)t->times);
    }
    if (e->constant || !e->terms)
        zl_putf(out, "%s(%s)%lldll", e->terms ? " + " : "", type, (long long)e->constant);
}

static void entry_check(zl_text *out, const zlay_fill *f, uint32_t i)
{
    const zl_fill_entry *e = &f->entry[i];
    bool wide = e->terms > 1;
    if (wide) {
        zl_putf(out, "    const wide w%u = ", (unsigned)i);
        sum(out, f, e, "wide");
        zl_puts(out, ";\n");
    }
    zl_puts(out, "    if (");
    if (wide)
        zl_putf(out, "w%u < %lluull || w%u > %lluull", (unsigned)i, (ull)e->range.lo, (unsigned)i,
                (ull)e->range.hi);
    else one_name(out, f, e);
    zl_puts(out, ") return 0;\n");
}

static void entry_value(zl_text *out, const zlay_fill *f, uint32_t i)
{
    const zl_fill_entry *e = &f->entry[i];
    zl_putf(out, "    const unsigned long long v%u = ", (unsigned)i);
    if (e->terms > 1) zl_putf(out, "(unsigned long long)w%u", (unsigned)i);
    else sum(out, f, e, "unsigned long long");
    zl_puts(out, ";\n");
    if (e->range.unit > 1)
        zl_putf(out, "    if (v%u & %llu) return 0;\n", (unsigned)i, (ull)e->range.unit - 1);
}

/* ---- the words --------------------------------------------------------------------------------- */

static void place_put(zl_text *out, uint32_t i, const zl_bits_place *p)
{
    zl_putf(out, " | ((v%u - %u) >> %u & 0x%llxull) << %u", (unsigned)i, (unsigned)p->less,
            (unsigned)p->shift, (ull)zl_bits_mask(p->width), (unsigned)(p->at % 64));
}

static void words_put(zl_text *out, const zlay_fill *f)
{
    for (uint32_t w = 0; w < ZL_MAP_WORDS; w++) {
        zl_putf(out, "    map[%u] = 0x%llxull", (unsigned)w, (ull)f->words[w]);
        for (uint32_t i = 0; i < f->entries; i++)
            for (uint32_t p = 0; p < f->entry[i].places; p++)
                if (f->entry[i].place[p].at / 64 == w) place_put(out, i, &f->entry[i].place[p]);
        zl_puts(out, ";\n");
    }
}

/* ---- the function ------------------------------------------------------------------------------ */

static bool any_wide(const zlay_fill *f)
{
    bool any = false;
    for (uint32_t i = 0; i < f->entries; i++) any |= f->entry[i].terms > 1;
    return any;
}

/* A name may count nowhere, as K in "0*K". */
static void unused_put(zl_text *out, const zlay_fill *f)
{
    for (size_t n = 0; n < f->names; n++) {
        bool used = false;
        for (uint32_t i = 0; i < f->entries; i++)
            for (uint32_t k = 0; k < f->entry[i].terms; k++) used |= f->entry[i].term[k].name == n;
        if (!used) zl_putf(out, "    (void)in_%s;\n", f->name[n].text);
    }
}

/* A parameter for each name, and the check of what they make: the values of the entries. */
static void checked_put(zl_text *out, const zlay_fill *f)
{
    for (size_t i = 0; i < f->names; i++) zl_putf(out, ", long long in_%s", f->name[i].text);
    zl_puts(out, ")\n{\n");
    if (any_wide(f)) zl_puts(out, "    __extension__ typedef __int128 wide;\n");
    unused_put(out, f);
    for (uint32_t i = 0; i < f->entries; i++)
        if (f->entry[i].terms) entry_check(out, f, i);
    for (uint32_t i = 0; i < f->entries; i++) entry_value(out, f, i);
}

static void head_put(zl_text *out, const fill_text *t)
{
    const zlay_fill *f = t->fill;
    zl_putf(out, "/* zlay %s: a tensor map of %s at values of its names: its 128 bytes, as the driver writes\n"
            "   them, into map[16]. Returns 0, and writes nothing, where a rule of version %u refuses the\n"
            "   values, else 1. */\n", zlay_version(), zlay_target_name(f->target),
            (unsigned)zlay_rules_version());
    zl_puts(out, "#if defined __CUDACC__ || defined __HIPCC__\n__host__ __device__\n#endif\n");
    zl_puts(out, "static inline int ");
    zl_put(out, t->name, t->length);
    zl_puts(out, "(unsigned long long *map");
    checked_put(out, f);
}

/* ---- the edit on a device ---------------------------------------------------------------------- */

static void replace_put(zl_text *out, const zl_fill_entry *e, uint32_t i)
{
    static const char end[] = "\" :: \"r\"(at), \"";
    zl_puts(out, "        asm volatile(\"tensormap.replace.tile.");
    if (e->field == ZLAY_FIELD_ADDRESS)
        zl_putf(out, "global_address.shared::cta.b1024.b64 [%%0], %%1;%sl\"(v%u)", end, (unsigned)i);
    else if (e->field == ZLAY_FIELD_EXTENT)
        zl_putf(out, "global_dim.shared::cta.b1024.b32 [%%0], %u, %%1;%sr\"((unsigned)v%u)", (unsigned)e->index, end,
                (unsigned)i);
    else
        zl_putf(out, "global_stride.shared::cta.b1024.b64 [%%0], %u, %%1;%sl\"(v%u)", (unsigned)e->index, end,
                (unsigned)i);
    zl_puts(out, " : \"memory\");\n");
}

static void device_put(zl_text *out, const fill_text *t, const char *type, const char *behind, const char *parameters)
{
    zl_putf(out, "static __device__ __forceinline__ __attribute__((unused)) %s ", type);
    zl_put(out, t->name, t->length);
    zl_putf(out, "_%s(%s", behind, parameters);
}

/* All threads of a warp take part: the lanes copy a word each, one replaces, and the copy back is of the warp. */
static void edit_put(zl_text *out, const fill_text *t)
{
    const zlay_fill *f = t->fill;
    zl_puts(out, "#if defined __CUDACC__\n"
            "/* The same by tensormap.replace (sm_90a), by all threads of one warp: the map at `from` is copied to 128 bytes of\n"
            "   shared memory at a multiple of 128, changed there, and written to `to` in global memory, released to the device.\n"
            "   A thread that copies by `to` acquires it first. No copy by `to` may be under way. */\n");
    device_put(out, t, "int", "edit", "void *to, void *shared, const void *from");
    checked_put(out, f);
    zl_puts(out, "    const unsigned at = (unsigned)__cvta_generic_to_shared(shared);\n"
            "    unsigned lane;\n"
            "    asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));\n"
            "    ((unsigned *)shared)[lane] = ((const unsigned *)from)[lane];\n"
            "    __syncwarp();\n"
            "    if (lane == 0) {\n");
    for (uint32_t i = 0; i < f->entries; i++) replace_put(out, &f->entry[i], i);
    zl_puts(out, "    }\n"
            "    __syncwarp();\n"
            "    asm volatile(\"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned \"\n"
            "                 \"[%0], [%1], 128;\" :: \"l\"(to), \"r\"(at) : \"memory\");\n"
            "    return 1;\n}\n");
    device_put(out, t, "void", "acquire", "const void *map)\n{\n");
    zl_puts(out, "    asm volatile(\"fence.proxy.tensormap::generic.acquire.gpu [%0], 128;\" :: \"l\"(map) : \"memory\");\n"
            "}\n#endif\n");
}

static void fill_write(zl_text *out, const void *value)
{
    const fill_text *t = value;
    head_put(out, t);
    words_put(out, t->fill);
    zl_puts(out, "    return 1;\n}\n");
    if (t->fill->map.mode == TILED) edit_put(out, t);
}

zlay_status zlay_emit_fill(zlay_ctx *ctx, zlay_buf *out, const zlay_fill *fill, int32_t language,
                           const char *name, size_t length)
{
    if (!out || !fill || !name) return ZLAY_EINVAL;
    const fill_text text = {fill, name, length};
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_function_check(ctx, language, name, length);
    if (!status && language != ZLAY_TEXT_CUDA)
        status = zl_fail(ctx, ZLAY_ENOTSUP, "a map that is filled in is printed as CUDA C, which is C too");
    return zl_leave(ctx, status ? status : zl_print(out, fill_write, &text));
}
