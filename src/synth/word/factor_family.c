/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerates the layouts that matrix descriptors, tensor maps and ldmatrix can give a tile. Each
 * is a map over F2, one basis vector for each bit of the tile's index. */
#include "legality/matrix/matrix.h"
#include "synth/word/factor.h"

#include <string.h>
#include <zlay/instruction.h>

enum { CHUNK = 16, ROW_BITS = 3, BOX_MOST = 256, EXTENT_BITS = 31, LANE_BITS = 5, QUAD = 2 };

static const zl_desc_row rows[] = {
#define DESC(name, kind, number, registers, bits, instruction)                                     \
    {name, ZL_DESC_##kind, number, registers, bits, instruction},
#include "synth/smemdesc/desc.def"
};

_Static_assert(ZL_COUNT(rows) <= ZL_DESC_MOST, "a request has a fragment a row");

const zl_desc_row *zl_desc_row_at(size_t i) { return i < ZL_COUNT(rows) ? &rows[i] : NULL; }

static uint32_t log2_of(uint32_t n) { return (uint32_t)__builtin_ctz(n); }

/* ---- tiles -------------------------------------------------------------------------------- */

/* The lowest bit of a mode in the index. */
static uint32_t mode_low(const zl_factoring *f, uint32_t mode)
{
    uint32_t low = 0;
    for (uint32_t i = 0; i < mode; i++) low += f->mode_bits[i];
    return low;
}

typedef struct filling {
    zl_affine *out;
    uint32_t next; /* bit of the slot */
} filling;

/* Bits [from, to) of a mode take the next bits of the slot. */
static void put_bits(filling *fill, const zl_factoring *f, uint32_t mode, uint32_t from,
                     uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        fill->out->basis[mode_low(f, mode) + i] = (uint64_t)1 << fill->next++;
}

static void put_others(filling *fill, const zl_factoring *f, uint32_t mode, uint32_t skipped)
{
    for (uint32_t i = 0; i < f->modes; i++) {
        if (i == mode) continue;
        uint32_t from = skipped < f->mode_bits[i] ? skipped : f->mode_bits[i];
        put_bits(fill, f, i, from, f->mode_bits[i]);
        skipped -= from;
    }
}

/* ---- landings -------------------------------------------------------------------------------- */

static int32_t map_type(uint32_t elem_bits)
{
    return elem_bits == 8    ? ZLAY_TYPE_U8
           : elem_bits == 16 ? ZLAY_TYPE_U16
           : elem_bits == 32 ? ZLAY_TYPE_U32
                             : ZLAY_TYPE_U64;
}

/* Whether the target has the swizzle, by the rules of tensor maps: they check a map of the tile
 * with the largest box. */
static bool landing_legal(const zl_factoring *f, int32_t swizzle, uint32_t inner, uint32_t span)
{
    zlay_verdict verdict;
    zlay_reason reason;
    zlay_tensormap map = {.address = 1024, .rank = 2, .type = map_type(f->elem_bits),
                          .swizzle = swizzle};
    uint32_t bytes = f->elem_bits / 8, row = 1u << (inner < EXTENT_BITS ? inner : EXTENT_BITS);
    map.extent[0] = row > CHUNK ? row : CHUNK;
    map.extent[1] = 1;
    map.stride[0] = map.extent[0] * bytes;
    map.box[0] = swizzle ? span / bytes : row < BOX_MOST ? row : BOX_MOST;
    map.box[1] = map.step[0] = map.step[1] = 1;
    return !zlay_tensormap_check(&verdict, &reason, 1, f->target, &map) &&
           verdict.answer == ZLAY_YES;
}

static bool landing(zl_affine *out, const zl_factoring *f, int32_t number, uint32_t mode)
{
    static const struct {
        int32_t number;
        zl_swizzle atom;
        uint32_t span;
    } shapes[] = {
#define ATOM(number, name, bits, base, shift, source)                                              \
    {number, {bits, base, shift}, 1u << (base + bits)},
#include "synth/word/normal.def"
    };
    uint32_t element = log2_of(f->elem_bits / 8), inner = f->mode_bits[mode], span = 0;
    zl_swizzle s = {0, 0, 0};
    for (size_t i = 0; i < ZL_COUNT(shapes); i++)
        if (shapes[i].number == number) s = shapes[i].atom, span = shapes[i].span;
    uint32_t panel = span ? log2_of(span) - element : inner;
    if (inner < panel || (uint64_t)1 << inner << element < CHUNK) return false;
    if (!landing_legal(f, number, inner, span)) return false;
    filling fill = {out, 0};
    put_bits(&fill, f, mode, 0, panel);
    put_others(&fill, f, mode, 0);
    put_bits(&fill, f, mode, panel, inner);
    s.base -= (int32_t)element;
    for (unsigned k = 0; k < out->bits && s.bits; k++)
        out->basis[k] = (uint64_t)zl_swizzle_at(s, (int64_t)out->basis[k]);
    return true;
}

/* ---- core matrices -----------------------------------------------------------------------------
 */

static bool core(zl_affine *out, const zl_factoring *f, int32_t number, uint32_t mode)
{
    zlay_smemdesc fields;
    uint32_t inner = f->mode_bits[mode], chunk = log2_of(CHUNK * 8 / f->elem_bits), across = 0;
    for (uint32_t i = 0; i < f->modes; i++)
        if (i != mode) across += f->mode_bits[i];
    if (inner < chunk || across < ROW_BITS) return false;
    if (zlay_smemdesc_unpack(&fields, f->target, 0)) return false;
    filling fill = {out, 0};
    put_bits(&fill, f, mode, 0, chunk);
    uint32_t left = ROW_BITS;
    for (uint32_t i = 0; i < f->modes; i++) {
        if (i == mode) continue;
        uint32_t take = left < f->mode_bits[i] ? left : f->mode_bits[i];
        put_bits(&fill, f, i, 0, take);
        left -= take;
    }
    if (!number) put_bits(&fill, f, mode, chunk, inner);
    put_others(&fill, f, mode, ROW_BITS);
    if (number) put_bits(&fill, f, mode, chunk, inner);
    return true;
}

/* ---- fragments
 * ----------------------------------------------------------------------------------- */

static bool has_form(const zlay_target *target, const char *name)
{
    zlay_instruction asked = {0};
    zlay_verdict verdict;
    zlay_reason reason;
    return !zlay_instruction_find(&asked.form, name, strlen(name)) &&
           !zlay_instruction_check(&verdict, &reason, 1, target, &asked) &&
           verdict.answer == ZLAY_YES;
}

static zlay_mma wgmma_of(uint32_t elem_bits, bool d)
{
    zlay_mma mma = {.instruction = ZLAY_MMA_WGMMA, .m = 64, .n = 8, .k = 256 / elem_bits};
    mma.a = elem_bits == 8 ? ZLAY_TYPE_E4M3 : elem_bits == 16 || d ? ZLAY_TYPE_F16 : ZLAY_TYPE_TF32;
    if (d) mma.k = 16;
    mma.b = mma.a;
    mma.d = ZLAY_TYPE_F32;
    return mma;
}

static zlay_status fragment_layout(zl_factoring *f, const zl_desc_row *row, zlay_layout **out)
{
    zlay_mma mma = wgmma_of(f->elem_bits, row->number == ZLAY_FRAGMENT_D);
    if (row->kind == ZL_DESC_WGMMA)
        return zl_mma_fragment(f->ctx, out, f->target, &mma, row->number);
    if (!has_form(f->target, row->instruction)) return ZLAY_NONE;
    return zl_warp_fragment(f->ctx, out, row->number, f->elem_bits, row->registers);
}

static uint32_t fragment_rows(const zl_desc_row *row)
{
    if (row->kind == ZL_DESC_WGMMA) return 6;
    return row->number == ZLAY_WARP_A || row->number == ZLAY_WARP_D ? 4 : 3;
}

zlay_status zl_fragment_of(zl_factoring *f, size_t i)
{
    const zl_desc_row *row = &rows[i];
    zl_fragment *out = &f->fragment[i];
    zlay_layout *made = NULL;
    bool fits = !row->bits || row->bits == f->elem_bits;
    out->there = false;
    if (row->kind < ZL_DESC_WARP || !f->threads || !fits || f->elem_bits > 32) return ZLAY_OK;
    zlay_status status = fragment_layout(f, row, &made);
    if (status == ZLAY_NONE || status == ZLAY_ENOTSUP) return ZLAY_OK;
    if (status) return status;
    out->there = zl_affine_of(&out->map, made);
    zlay_layout_free(made);
    out->thread = LANE_BITS + (row->kind == ZL_DESC_WGMMA ? QUAD : 0);
    out->value = out->map.bits - out->thread;
    out->rows = fragment_rows(row);
    out->columns = out->map.bits - out->rows;
    return ZLAY_OK;
}

/* The slot bit of a bit of a fragment's index. */
static uint32_t fragment_slot(const zl_factoring *f, const zl_fragment *g, uint32_t bit)
{
    return bit < g->thread ? f->slots.reg + bit : bit - g->thread;
}

/* The remaining bits of a tile that is larger than the fragment: they go where L has them, if
 * that is a bit of warps or blocks, and otherwise to the next free bits of the slot. */
static void put_rest(zl_affine *out, const zl_factoring *f, uint64_t tile, uint64_t slot)
{
    uint64_t high = ~(((uint64_t)1 << (f->slots.reg + LANE_BITS)) - 1);
    for (uint64_t left = tile; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        uint64_t to = f->layout.basis[k];
        if (to & (to - 1) || !(to & slot & high)) continue;
        out->basis[k] = to;
        slot &= ~to;
        tile &= ~((uint64_t)1 << k);
    }
    for (; tile; tile &= tile - 1, slot &= slot - 1)
        out->basis[__builtin_ctzll(tile)] = slot & (0 - slot);
}

static bool fragment(zl_affine *out, const zl_factoring *f, const zl_fragment *g, uint32_t first)
{
    uint32_t second = 1 - first;
    uint64_t tile = ((uint64_t)1 << out->bits) - 1, slot = tile;
    bool fits = g->there && f->modes == 2 && f->slots.lane == LANE_BITS &&
                f->mode_bits[first] >= g->rows && f->mode_bits[second] >= g->columns &&
                f->slots.reg >= g->value && f->slots.lane + f->slots.warp >= g->thread;
    if (!fits) return false;
    for (uint32_t bit = 0; bit < g->map.bits; bit++) {
        uint32_t at = (uint32_t)__builtin_ctzll(g->map.basis[bit]);
        uint32_t k = at < g->rows ? mode_low(f, first) + at
                                  : mode_low(f, second) + at - g->rows;
        out->basis[k] = (uint64_t)1 << fragment_slot(f, g, bit);
        tile &= ~((uint64_t)1 << k);
        slot &= ~out->basis[k];
    }
    put_rest(out, f, tile, slot);
    return true;
}

bool zl_desc_map(zl_affine *out, const zl_factoring *f, size_t i, uint32_t first)
{
    const zl_desc_row *row = &rows[i];
    out->bits = f->layout.bits;
    out->constant = 0;
    if (f->threads != (row->kind >= ZL_DESC_WARP)) return false;
    switch (row->kind) {
    case ZL_DESC_LANDING: return landing(out, f, row->number, first);
    case ZL_DESC_CORE: return core(out, f, row->number, first);
    default: return fragment(out, f, &f->fragment[i], first);
    }
}
