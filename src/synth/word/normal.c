/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the swizzle normal form, which is Bruhat's decomposition: F = U P V with U and V
 * unitriangular.
 *
 * Column k of F is reduced by earlier reduced columns until its highest bit is that of none of
 * them; V records which ones were used. The result is column p(k) of U, where p(k) is its highest
 * bit and the place to which P takes k. A unitriangular matrix is a product, in one way, of its
 * diagonals x -> x ^ (x >> s & mask) for s = 1, 2, ..; each of them changes no diagonal before
 * its own. */
#include "algebra/find/find.h"
#include "synth/word/bits.h"
#include "synth/word/word.h"
#include <zlay/normal.h>

#include <string.h>

enum { BITS = 63 };

typedef struct atoms {
    size_t count;
    zlay_atom at[BITS * (BITS - 1) / 2];
} atoms;

struct zlay_normal {
    zlay_allocator alloc;
    atoms side[2];
    zlay_layout *strided;
};

/* ---- diagonals ----------------------------------------------------------------------------- */

static void put_atom(atoms *a, int32_t bits, int32_t base, int32_t shift)
{
    a->at[a->count++] = (zlay_atom){bits, base, shift, 0};
}

/* Puts a run of the mask from `base` on, in pieces no longer than the shift. The highest piece is
 * written first, because a lower piece reads bits that must not have changed yet. */
static void put_run(atoms *a, int32_t base, int32_t bits, int32_t shift)
{
    int32_t whole = bits / shift * shift;
    if (bits > whole) put_atom(a, bits - whole, base + whole, shift);
    for (int32_t at = whole - shift; at >= 0; at -= shift) put_atom(a, shift, base + at, shift);
}

static void put_mask(atoms *a, uint64_t mask, int32_t shift)
{
    while (mask) {
        int32_t top = 63 - __builtin_clzll(mask), base = top;
        while (base > 0 && mask >> (base - 1) & 1) base--;
        put_run(a, base, top - base + 1, shift);
        mask &= ((uint64_t)1 << base) - 1;
    }
}

static uint64_t diagonal(const zl_affine *u, unsigned shift)
{
    uint64_t mask = 0;
    for (unsigned k = shift; k < u->bits; k++)
        if (u->basis[k] >> (k - shift) & 1) mask |= (uint64_t)1 << (k - shift);
    return mask;
}

/* The inverse of x -> x ^ (x >> shift & mask), from the high bits down. */
static uint64_t undone(uint64_t y, uint64_t mask, unsigned shift)
{
    uint64_t x = y;
    for (uint64_t left = mask; left;) {
        unsigned bit = zl_log2(left);
        x ^= (x >> (bit + shift) & 1) << bit;
        left ^= (uint64_t)1 << bit;
    }
    return x;
}

static void atoms_of(atoms *out, const zl_affine *unitriangular)
{
    zl_affine u = *unitriangular;
    out->count = 0;
    for (unsigned shift = 1; shift < u.bits; shift++) {
        uint64_t mask = diagonal(&u, shift);
        put_mask(out, mask, (int32_t)shift);
        for (unsigned k = 0; k < u.bits; k++) u.basis[k] = undone(u.basis[k], mask, shift);
    }
}

/* ---- the three factors ----------------------------------------------------------------------- */

typedef struct factors {
    zl_affine offset, strided, index;
} factors;

/* Adds to column k the earlier column with the same highest bit, until there is none. */
static uint64_t reduce(factors *f, const int *owner, unsigned k, uint64_t column)
{
    while (column) {
        int high = 63 - __builtin_clzll(column);
        if (owner[high] < 0) break;
        column ^= f->offset.basis[high];
        f->index.basis[k] ^= (uint64_t)1 << owner[high];
    }
    return column;
}

/* Factors the map. The constant stands before the offset's swizzles, as bits that P inverts. */
static void factor(factors *f, const zl_affine *map, unsigned reach)
{
    int owner[64];
    zl_affine back;
    memset(owner, -1, sizeof owner);
    zl_map_same(&f->offset, reach);
    zl_map_same(&f->index, map->bits);
    f->strided.bits = map->bits;
    for (unsigned k = 0; k < map->bits; k++) {
        uint64_t column = reduce(f, owner, k, map->basis[k]);
        f->strided.basis[k] = 0;
        if (!column) continue;
        int high = 63 - __builtin_clzll(column);
        owner[high] = (int)k;
        f->offset.basis[high] = column;
        f->strided.basis[k] = (uint64_t)1 << high;
    }
    zl_map_invert(&back, &f->offset);
    f->strided.constant = zl_xor_of(back.basis, map->constant);
}

/* ---- the form
 * ----------------------------------------------------------------------------------- */

static void swizzle_bits(zl_affine *map, const zlay_atom *a, size_t count)
{
    while (count--) {
        const zl_swizzle s = {a[count].bits, a[count].base, a[count].shift};
        map->constant = (uint64_t)zl_swizzle_at(s, (int64_t)map->constant);
        for (unsigned k = 0; k < map->bits; k++)
            map->basis[k] = (uint64_t)zl_swizzle_at(s, (int64_t)map->basis[k]);
    }
}

/* Checks the form: multiplies it out and compares it with the map. */
static bool is_form_of(const zlay_normal *n, const zl_affine *strided, const zl_affine *map)
{
    const atoms *offset = &n->side[ZLAY_NORMAL_OFFSET], *index = &n->side[ZLAY_NORMAL_INDEX];
    zl_affine whole;
    zl_map_same(&whole, map->bits);
    swizzle_bits(&whole, index->at, index->count);
    zl_map_product(&whole, strided, &whole);
    swizzle_bits(&whole, offset->at, offset->count);
    return whole.constant == map->constant &&
           !memcmp(whole.basis, map->basis, map->bits * sizeof *map->basis);
}

static zlay_status fill(zlay_ctx *ctx, zlay_normal *n, const zlay_layout *layout)
{
    zl_affine map;
    factors f;
    zl_modes box;
    zlay_status status = zl_bits_of(ctx, &map, layout, "the layout");
    if (status) return status;
    uint64_t support = zl_affine_support(&map);
    if (support >> BITS || map.bits > BITS)
        return zl_fail(ctx, ZLAY_ENOTSUP, "the layout has a negative value, or more than 63 bits");
    unsigned reach = zl_bit_length(support);
    factor(&f, &map, reach);
    atoms_of(&n->side[ZLAY_NORMAL_OFFSET], &f.offset);
    atoms_of(&n->side[ZLAY_NORMAL_INDEX], &f.index);
    zl_modes_begin(&box, ctx);
    status = zl_layout_box(&box, layout);
    if (!status) status = zl_find_strided_affine(ctx, &n->strided, &f.strided, &box);
    if (status == ZLAY_NONE)
        status = zl_fail(ctx, ZLAY_EINTERNAL, "a permutation of bits is no strided layout");
    if (!status && !is_form_of(n, &f.strided, &map))
        status = zl_fail(ctx, ZLAY_EINTERNAL, "the normal form gives another layout");
    zl_modes_end(&box);
    return status;
}

zlay_status zlay_swizzle_normal(zlay_ctx *ctx, zlay_normal **out, const zlay_layout *layout)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!ctx || !layout) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_normal *n = zl_alloc(ctx, 1, sizeof *n);
    if (!n) return zl_leave(ctx, ZLAY_ENOMEM);
    n->alloc = zl_allocator(ctx);
    status = fill(ctx, n, layout);
    if (status) zlay_normal_free(n);
    else *out = n;
    return zl_leave(ctx, status);
}

void zlay_normal_free(zlay_normal *normal)
{
    if (!normal) return;
    zlay_allocator alloc = normal->alloc;
    zlay_layout_free(normal->strided);
    zl_free(&alloc, normal, sizeof *normal);
}

size_t zlay_normal_swizzles(zlay_atom *out, size_t room, const zlay_normal *normal, int32_t side)
{
    if (!normal || side < 0 || side > ZLAY_NORMAL_INDEX) return 0;
    const atoms *a = &normal->side[side];
    for (size_t i = 0; i < a->count && i < room; i++) out[i] = a->at[i];
    return a->count;
}

const zlay_layout *zlay_normal_strided(const zlay_normal *normal)
{
    return normal ? normal->strided : NULL;
}

/* ---- the hardware's
 * ------------------------------------------------------------------------------- */

typedef struct hardware {
    int32_t number;
    const char *name;
    int32_t bits, base, shift;
    const char *source;
} hardware;

static const hardware known[] = {
#define ATOM(number, name, bits, base, shift, source) {number, name, bits, base, shift, source},
#include "synth/word/normal.def"
};

static bool is_atom(const zlay_atom *a, const hardware *h, int32_t unit)
{
    return a->bits == h->bits && a->base + unit == h->base && a->shift == h->shift;
}

zlay_status zlay_normal_hardware(int32_t *number, const char **name, const zlay_normal *normal,
                                 uint32_t elem_bytes)
{
    if (!number || !normal || !elem_bytes || elem_bytes & (elem_bytes - 1)) return ZLAY_EINVAL;
    const atoms *a = &normal->side[ZLAY_NORMAL_OFFSET];
    const hardware none = {0, "none", 0, 0, 0, ""}, *found = a->count ? NULL : &none;
    for (size_t i = 0; i < ZL_COUNT(known) && a->count == 1; i++)
        if (is_atom(&a->at[0], &known[i], __builtin_ctz(elem_bytes))) found = &known[i];
    if (!found) return ZLAY_NONE;
    *number = found->number;
    if (name) *name = found->name;
    return ZLAY_OK;
}
