/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the addresses of layouts that have no common strides, by the number n of the vector. Where
 * the address is an XOR of masks selected by the bits of n (affine over F2) it is computed; that is
 * found by trying every n. Otherwise it is read from a table that stands before the function. */
#include "emit/move/tile.h"

typedef unsigned long long ull;
typedef long long ll;

enum { BITS = 64 };

static const char *const side_names[] = {"source", "dest"};

/* Elements of a vector. */
static uint64_t vector_points(const zl_tile_text *t)
{
    return (uint64_t)t->part->part.width * 8 / t->move->info.elem_bits;
}

/* Vectors of a part, over all threads. */
static uint64_t vectors_of(const zl_tile_text *t)
{
    return t->part->part.elements / vector_points(t);
}

/* The byte at which the n-th vector begins. */
static int64_t byte_at(const zl_tile_text *t, int side, uint64_t n)
{
    const zlay_layout *layout = side ? t->move->certificate[0] : t->move->source[0];
    int64_t index = 0, offset = 0;
    zl_value(t->part->threads, n * vector_points(t), &index);
    zl_value(layout, (uint64_t)index, &offset);
    return offset * (int64_t)t->move->info.elem_bits / 8;
}

/* The XOR of the masks of n's bits. */
static int64_t mix(const int64_t mask[BITS], uint64_t n)
{
    int64_t value = 0;
    for (; n; n &= n - 1) value ^= mask[__builtin_ctzll(n)];
    return value;
}

/* Finds the masks; false: the addresses are not linear over F2. */
static bool masks_of(const zl_tile_text *t, int side, int64_t *first, int64_t mask[BITS])
{
    uint64_t count = vectors_of(t);
    *first = byte_at(t, side, 0);
    if (count & (count - 1)) return false;
    for (uint32_t i = 0; (uint64_t)1 << i < count; i++)
        mask[i] = byte_at(t, side, (uint64_t)1 << i) ^ *first;
    for (uint64_t n = 1; n < count; n++)
        if (byte_at(t, side, n) != (*first ^ mix(mask, n))) return false;
    return true;
}

/* The side whose bytes are listed. */
typedef struct listed {
    const zl_tile_text *t;
    int side;
} listed;

static int64_t entry(const void *env, uint64_t n)
{
    const listed *l = env;
    return byte_at(l->t, l->side, n);
}

/* Prints the table of a side whose addresses are not computed. */
static void table(zl_tile_text *t, int side)
{
    int64_t first, mask[BITS];
    const listed l = {t, side};
    if (!masks_of(t, side, &first, mask))
        zl_emit_table(&t->e, side_names[side], t->index, vectors_of(t), entry, &l);
}

void zl_tile_tables(zl_tile_text *t)
{
    for (t->index = 0; t->index < t->move->info.parts; t->index++) {
        t->part = &t->move->parts[t->index];
        for (int side = 0; side < ZL_TILE_SIDES && zl_tile_listed(t->part); side++) table(t, side);
    }
}

/* far = the XOR of the masks of the bits of `place`. */
static void from_masks(zl_tile_text *t, int64_t first, const int64_t mask[BITS])
{
    zl_emit_line(&t->e, "mov.b64 far, %lld;", (ll)first);
    for (uint32_t i = 0; (uint64_t)1 << i < vectors_of(t); i++) {
        zl_emit_line(&t->e, "shr.u64 wide, place, %u;", i);
        zl_emit_line(&t->e, "and.b64 wide, wide, 1;");
        zl_emit_line(&t->e, "mul.lo.s64 wide, wide, %lld;", (ll)mask[i]);
        zl_emit_line(&t->e, "xor.b64 far, far, wide;");
    }
}

void zl_tile_look_up(zl_tile_text *t, int side)
{
    int64_t first, mask[BITS];
    zl_emit_line(&t->e, "shr.u64 place, place, %d;", __builtin_ctzll(vector_points(t)));
    if (masks_of(t, side, &first, mask)) from_masks(t, first, mask);
    else zl_emit_entry(&t->e, "far", side_names[side], t->index, "place");
}
