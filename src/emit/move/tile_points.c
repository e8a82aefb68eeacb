/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the addresses of layouts that have no common strides, by the number n of the vector. Where
 * the address is an XOR of masks selected by the bits of n (affine over F2) it is computed; that is
 * found by trying every n. Otherwise it is read from a table that stands before the function. */
#include "emit/move/tile.h"

typedef unsigned long long ull;
typedef long long ll;

static const char *const side_names[] = {"source", "dest"};

/* The side whose bytes are listed. */
typedef struct listed {
    const zl_tile_text *t;
    int side;
} listed;

static int64_t entry(const void *env, uint64_t n)
{
    const listed *l = env;
    return zl_vector_byte(l->t->move, l->t->part, l->side, n);
}

/* Prints the table of a side whose addresses are not computed. */
static void table(zl_tile_text *t, int side)
{
    int64_t first, mask[ZL_VECTOR_BITS];
    const listed l = {t, side};
    if (!zl_vector_masks(t->move, t->part, side, &first, mask))
        zl_emit_table(&t->e, side_names[side], t->index, zl_vectors_of(t->move, t->part), entry, &l);
}

void zl_tile_tables(zl_tile_text *t)
{
    for (t->index = 0; t->index < t->move->info.parts; t->index++) {
        t->part = &t->move->parts[t->index];
        for (int side = 0; side < ZL_TILE_SIDES && zl_tile_listed(t->part); side++) table(t, side);
    }
}

/* far = the XOR of the masks of the bits of `place`. */
static void from_masks(zl_tile_text *t, int64_t first, const int64_t mask[ZL_VECTOR_BITS])
{
    zl_emit_line(&t->e, "mov.b64 far, %lld;", (ll)first);
    for (uint32_t i = 0; (uint64_t)1 << i < zl_vectors_of(t->move, t->part); i++) {
        zl_emit_line(&t->e, "shr.u64 wide, place, %u;", i);
        zl_emit_line(&t->e, "and.b64 wide, wide, 1;");
        zl_emit_line(&t->e, "mul.lo.s64 wide, wide, %lld;", (ll)mask[i]);
        zl_emit_line(&t->e, "xor.b64 far, far, wide;");
    }
}

void zl_tile_look_up(zl_tile_text *t, int side)
{
    int64_t first, mask[ZL_VECTOR_BITS];
    zl_emit_line(&t->e, "shr.u64 place, place, %d;", __builtin_ctzll(zl_vector_points(t->move, t->part)));
    if (zl_vector_masks(t->move, t->part, side, &first, mask)) from_masks(t, first, mask);
    else zl_emit_entry(&t->e, "far", side_names[side], t->index, "place");
}
