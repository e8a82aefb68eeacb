/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the layouts of a tile in shared memory that stage.synth chooses from: rows with padding,
 * spans of the swizzles of tensor copies (CUDA driver API, CUtensorMapSwizzle), and rows whose
 * chunks are XORed with higher bits of their offset.  A layout of the request is compared with
 * all of them, value by value. */
#include "algebra/layout/layout.h"
#include "synth/stage/ask.h"

#include <zlay/tensormap.h>

enum {
    CHUNK = 16,
    CHUNK_BITS = 4,
    LINE_BITS = 7,
    BITS_MOST = 3,
    SHIFT_MOST = 4,
    ALIGN_LEAST = 128,
    ALIGN_MOST = 1024
};

static zl_stage_place *put(zl_stage_lines *t, zl_stage_place place)
{
    t->place[t->places] = place;
    return &t->place[t->places++];
}

static void put_rows(zl_stage_lines *t, uint32_t pad)
{
    uint32_t row = (uint32_t)zl_round_up(t->line, CHUNK) + pad;
    put(t, (zl_stage_place){.layout = ZLAY_STAGE_ROWS,
                            .pad = pad,
                            .pitch = row,
                            .size = row * t->lines,
                            .align = ALIGN_LEAST,
                            .grain = pad % CHUNK ? pad & (~pad + 1) : CHUNK});
}

static void put_spans(zl_stage_lines *t, int32_t swizzle)
{
    uint32_t span = (uint32_t)CHUNK << swizzle, cuts = (t->line + span - 1) / span;
    put(t, (zl_stage_place){.layout = ZLAY_STAGE_SPANS,
                            .swizzle = swizzle,
                            .span = span,
                            .cuts = cuts,
                            .size = span * cuts * t->lines,
                            .align = (uint32_t)ALIGN_LEAST << swizzle,
                            .grain = CHUNK});
}

static void put_xor(zl_stage_lines *t, uint32_t bits, uint32_t shift)
{
    uint32_t row = (uint32_t)zl_round_up(t->line, CHUNK),
             period = (uint32_t)CHUNK << (bits + shift);
    put(t, (zl_stage_place){
               .layout = ZLAY_STAGE_XOR,
               .bits = bits,
               .shift = shift,
               .pitch = row,
               .grain = CHUNK,
               .size = (uint32_t)zl_round_up((uint64_t)row * t->lines, (uint64_t)CHUNK << bits),
               .align = period > ALIGN_LEAST ? period : ALIGN_LEAST});
}

static uint32_t swizzled(uint32_t offset, uint32_t bits, uint32_t from)
{
    return offset ^ (offset >> from & ((1u << bits) - 1)) << CHUNK_BITS;
}

uint32_t zl_stage_offset(const zl_stage_lines *t, const zl_stage_place *p, uint32_t line,
                         uint32_t at)
{
    uint64_t index = (uint64_t)(at / t->elem) * (t->mode ? t->lines : 1) +
                     (uint64_t)line * (t->mode ? 1 : t->line / t->elem);
    switch (p->layout) {
    case ZLAY_STAGE_ROWS: return line * p->pitch + at;
    case ZLAY_STAGE_XOR: return swizzled(line * p->pitch + at, p->bits, CHUNK_BITS + p->shift);
    case ZLAY_STAGE_SPANS:
        return swizzled(at / p->span * p->span * t->lines + line * p->span + at % p->span,
                        (uint32_t)p->swizzle, LINE_BITS);
    default: return (uint32_t)zl_at(t->tensor->smem, index) * t->elem + at % t->elem;
    }
}

/* ---- a layout of the request ------------------------------------------------------------ */

/* Whether a member has every element where the own layout has it. */
static bool is_same(const zl_stage_lines *t, const zl_stage_place *p, const zl_stage_place *own)
{
    for (uint32_t l = 0; l < t->lines; l++)
        for (uint32_t at = 0; at < t->line; at += t->elem)
            if (zl_stage_offset(t, p, l, at) != zl_stage_offset(t, own, l, at)) return false;
    return true;
}

/* Whether chunks of so many bytes of each line stay whole and aligned. */
static bool keeps(const zl_stage_lines *t, const zl_stage_place *p, uint32_t grain)
{
    for (uint32_t l = 0; l < t->lines; l++)
        for (uint32_t at = 0; at < t->line; at += t->elem) {
            uint32_t start = zl_stage_offset(t, p, l, at / grain * grain);
            if (start % grain || zl_stage_offset(t, p, l, at) != start + at % grain) return false;
        }
    return true;
}

/* No two elements may share a place. */
static zlay_status is_injective(const zl_stage_asked *a, const zl_stage_lines *t,
                                const zl_stage_place *p)
{
    uint8_t *taken = zl_scratch(a->ctx, p->size / t->elem, 1);
    for (uint32_t l = 0; taken && l < t->lines; l++)
        for (uint32_t at = 0; at < t->line; at += t->elem)
            if (taken[zl_stage_offset(t, p, l, at) / t->elem]++)
                return zl_fail(a->ctx, ZLAY_EINVAL, "%s: smem: two elements have one place",
                               t->tensor->name);
    return taken ? ZLAY_OK : ZLAY_ENOMEM;
}

static zlay_status own_check(const zl_stage_asked *a, const zl_stage_lines *t, uint64_t *size)
{
    enum { SIZE_MOST = 1 << 20 };
    const zlay_layout *s = t->tensor->smem;
    zlay_status status = zl_without_parameters(a->ctx, s);
    if (!status) status = zl_charge_values(a->ctx, s, zl_umul_sat(s->size, 1 << BITS_MOST));
    if (status) return status;
    if (s->size != (uint64_t)t->lines * (t->line / t->elem))
        return zl_fail(a->ctx, ZLAY_EINVAL, "%s: smem: %llu elements, and the tile has others",
                       t->tensor->name, (unsigned long long)s->size);
    for (uint64_t i = 0; i < s->size; i++) {
        int64_t value;
        if (!zl_value(s, i, &value) || value < 0 || value >= SIZE_MOST / t->elem)
            return zl_fail(a->ctx, ZLAY_EINVAL, "%s: smem: offsets are below 2^20 bytes",
                           t->tensor->name);
        if ((uint64_t)value >= *size) *size = (uint64_t)value + 1;
    }
    return ZLAY_OK;
}

/* The member that the request's layout is, or a place of its own. */
static zlay_status keep_own(const zl_stage_asked *a, zl_stage_lines *t)
{
    uint64_t size = 0;
    zlay_status status = own_check(a, t, &size);
    if (status) return status;
    zl_stage_place own = {.layout = ZLAY_STAGE_OWN,
                          .size = (uint32_t)size * t->elem,
                          .align = ALIGN_MOST,
                          .grain = CHUNK};
    status = is_injective(a, t, &own);
    if (status) return status;
    for (uint32_t i = 0; i < t->places; i++)
        if (is_same(t, &t->place[i], &own)) {
            t->place[0] = t->place[i];
            t->places = 1;
            return ZLAY_OK;
        }
    if (t->tensor->swizzle_fixed)
        return zl_fail(a->ctx, ZLAY_EINVAL, "%s: smem: not the layout of the request's swizzle",
                       t->tensor->name);
    while (own.grain > 1 && !keeps(t, &own, own.grain)) own.grain /= 2;
    t->place[0] = own;
    t->places = 1;
    return ZLAY_OK;
}

/* Members of the swizzle that the request wants; without swizzle, rows without padding. */
static void keep_swizzle(zl_stage_lines *t)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->places; i++) {
        const zl_stage_place *p = &t->place[i];
        bool wanted = t->tensor->swizzle
                          ? p->layout == ZLAY_STAGE_SPANS && p->swizzle == t->tensor->swizzle
                          : p->layout == ZLAY_STAGE_ROWS && !p->pad;
        if (wanted) t->place[count++] = *p;
    }
    t->places = count;
}

zlay_status zl_stage_places(const zl_stage_asked *a, zl_stage_lines *t)
{
    static const uint32_t pads[] = {0, 4, 8, 16, 32, 48, 64, 80, 96, 112};
    for (int32_t s = ZLAY_SWIZZLE_128B; s >= ZLAY_SWIZZLE_32B; s--) put_spans(t, s);
    for (size_t i = 0; i < ZL_COUNT(pads); i++) put_rows(t, pads[i]);
    for (uint32_t bits = 1; bits <= BITS_MOST; bits++)
        for (uint32_t shift = bits; shift <= SHIFT_MOST; shift++) put_xor(t, bits, shift);
    if (t->tensor->swizzle_fixed) keep_swizzle(t);
    return t->tensor->smem ? keep_own(a, t) : ZLAY_OK;
}

/* ---- as a layout ---------------------------------------------------------------------------- */

/* Modes of lines and of elements in a line, in the order of the tile. */
static zlay_status strided(zlay_ctx *ctx, zlay_layout **out, const zl_stage_lines *t,
                           const zl_stage_place *p)
{
    zl_modes m;
    uint32_t e = t->elem;
    zlay_status status = ZLAY_OK;
    zl_modes_begin(&m, ctx);
    for (uint32_t mode = 0; mode < 2 && !status; mode++) {
        bool spans = p->layout == ZLAY_STAGE_SPANS;
        if (mode != t->mode) {
            status = zl_modes_leaf(&m, t->lines, (spans ? p->span : p->pitch) / e);
        } else if (!spans || p->cuts == 1) {
            status = zl_modes_leaf(&m, (spans ? p->span : t->line) / e, 1);
        } else {
            size_t first = m.count;
            status = zl_modes_leaf(&m, p->span / e, 1);
            if (!status) status = zl_modes_leaf(&m, p->cuts, (int64_t)p->span * t->lines / e);
            if (!status) zl_modes_wrap(&m, first);
        }
    }
    if (!status) zl_modes_wrap(&m, 0);
    uint32_t base = CHUNK_BITS - (uint32_t)__builtin_ctz(e);
    zl_swizzle s = {0, 0, 0};
    if (p->layout == ZLAY_STAGE_SPANS)
        s = (zl_swizzle){p->swizzle, (int32_t)base, LINE_BITS - CHUNK_BITS};
    if (p->layout == ZLAY_STAGE_XOR)
        s = (zl_swizzle){(int32_t)p->bits, (int32_t)base, (int32_t)p->shift};
    if (!status) status = zl_layout_strided(ctx, out, &m, s);
    zl_modes_end(&m);
    return status;
}

zlay_status zl_stage_layout(zlay_ctx *ctx, zlay_layout **out, const zl_stage_lines *t,
                            const zl_stage_place *p)
{
    if (p->layout == ZLAY_STAGE_OWN) return zl_layout_copy(ctx, out, t->tensor->smem);
    return strided(ctx, out, t, p);
}
