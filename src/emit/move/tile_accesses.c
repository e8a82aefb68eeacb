/* SPDX-License-Identifier: Apache-2.0 */
/* Which accesses a move by threads makes, whatever language says it: coordinates and the extents and
 * edges that they are compared with, the names of sizes, and where vectors lie that have no common
 * strides. */
#include "emit/move/tile_plan.h"

#include <string.h>

/* ---- coordinates ----------------------------------------------------------------------- */

bool zl_tile_is_checked(const zl_move_part *p, uint32_t mode)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < p->part.digits; i++)
        if (p->digit[i].mode == mode) most += (p->digit[i].extent - 1) * p->digit[i].step;
    return most >= p->mode[mode].extent;
}

bool zl_tile_has_edge(const zlay_move *move, uint32_t axis)
{
    return move->tiles && axis < move->tiles->axes && move->tiles->axis[axis].clipped;
}

bool zl_tile_edge(const zlay_move *move, uint32_t i, uint32_t *axis)
{
    for (*axis = 0; *axis < ZLAY_TILE_AXES; ++*axis)
        if (zl_tile_has_edge(move, *axis) && !i--) return true;
    return false;
}

bool zl_tile_is_kept(const zlay_move *move, const zl_move_part *p, uint32_t mode)
{
    if (zl_tile_is_checked(p, mode)) return true;
    return move->tiles && zl_tile_has_edge(move, move->tiles->mode[mode].axis);
}

bool zl_tile_access_at(const zl_move_part *p, uint64_t access, uint64_t *at, int64_t *more)
{
    memset(at, 0, p->part.modes * sizeof *at);
    for (uint32_t i = 0; i < p->part.digits; i++) {
        const zlay_move_digit *d = &p->digit[i];
        if (d->level != ZLAY_DIGIT_ACCESS) continue;
        at[d->mode] += access % d->extent * d->step;
        access /= d->extent;
    }
    for (int side = 0; side < ZL_TILE_SIDES; side++) {
        more[side] = 0;
        for (uint32_t k = 0; k < p->part.modes; k++)
            more[side] = zl_tile_add(p, more[side], (int64_t)at[k] * zl_tile_step(p, side, k));
    }
    for (uint32_t k = 0; k < p->part.modes; k++)
        if (at[k] >= p->mode[k].extent) return false;
    return true;
}

uint64_t zl_tile_stores_of(const zlay_move *move, const zl_move_part *p)
{
    uint64_t bits = move->info.elem_bits;
    for (uint32_t i = 0; i < p->part.digits; i++)
        if (p->digit[i].level == ZLAY_DIGIT_VALUE) bits *= p->digit[i].extent;
    return p->part.accesses * bits / 8 / p->part.width;
}

/* Where strides are symbolic or points stand in tables, no offset is a constant. */
bool zl_tile_is_looped(const zlay_move *move, const zl_move_part *p)
{
    bool open = zl_tile_named(move, 0) || zl_tile_named(move, 1) || zl_tile_listed(p);
    return p->part.accesses > 1 && (open || zl_tile_stores_of(move, p) > ZL_TILE_UNROLLED);
}

/* ---- parameters ------------------------------------------------------------------------ */

/* The layout of a side, whose parameters are the names. */
static const zlay_layout *asked(const zlay_move *move, int side)
{
    return side ? move->certificate[1] : move->source[1];
}

bool zl_tile_named(const zlay_move *move, int side)
{
    return move->names && zlay_layout_param_nth(asked(move, side), 0);
}

static bool has_name(const zlay_layout *a, const char *name)
{
    const char *other;
    for (size_t i = 0; (other = zlay_layout_param_nth(a, i)); i++)
        if (!strcmp(other, name)) return true;
    return false;
}

const char *zl_tile_name(const zlay_move *move, size_t i)
{
    const char *name;
    for (size_t k = 0; move->names && (name = zlay_layout_param_nth(asked(move, 0), k)); k++)
        if (!i--) return name;
    for (size_t k = 0; move->names && (name = zlay_layout_param_nth(asked(move, 1), k)); k++)
        if (!has_name(asked(move, 0), name) && !i--) return name;
    return NULL;
}

bool zl_tile_has_barrier(const zlay_move *move)
{
    for (uint32_t i = 0; i < move->info.parts; i++) {
        int32_t kind = move->parts[i].part.kind;
        if (kind == ZLAY_COPY_BULK_LOAD || kind == ZLAY_COPY_BULK_PEER ||
            kind == ZLAY_COPY_STORE_ASYNC)
            return true;
    }
    return false;
}

uint32_t zl_tile_held_bytes(const zlay_move *move)
{
    zl_tile_block b;
    zl_tile_block_of(&b, move, &move->parts[0]);
    return 4 * zl_words_of(b.count * b.bytes);
}

/* ---- vectors without common strides ------------------------------------------------------ */

uint64_t zl_vector_points(const zlay_move *move, const zl_move_part *p)
{
    return (uint64_t)p->part.width * 8 / move->info.elem_bits;
}

uint64_t zl_vectors_of(const zlay_move *move, const zl_move_part *p)
{
    return p->part.elements / zl_vector_points(move, p);
}

int64_t zl_vector_byte(const zlay_move *move, const zl_move_part *p, int side, uint64_t n)
{
    const zlay_layout *layout = side ? move->certificate[0] : move->source[0];
    int64_t index = 0, offset = 0;
    zl_value(p->threads, n * zl_vector_points(move, p), &index);
    zl_value(layout, (uint64_t)index, &offset);
    return offset * (int64_t)move->info.elem_bits / 8;
}

/* The XOR of the masks of n's bits. */
static int64_t mix(const int64_t mask[ZL_VECTOR_BITS], uint64_t n)
{
    int64_t value = 0;
    for (; n; n &= n - 1) value ^= mask[__builtin_ctzll(n)];
    return value;
}

bool zl_vector_masks(const zlay_move *move, const zl_move_part *p, int side, int64_t *first,
                     int64_t mask[ZL_VECTOR_BITS])
{
    uint64_t count = zl_vectors_of(move, p);
    *first = zl_vector_byte(move, p, side, 0);
    if (count & (count - 1)) return false;
    for (uint32_t i = 0; (uint64_t)1 << i < count; i++)
        mask[i] = zl_vector_byte(move, p, side, (uint64_t)1 << i) ^ *first;
    for (uint64_t n = 1; n < count; n++)
        if (zl_vector_byte(move, p, side, n) != (*first ^ mix(mask, n))) return false;
    return true;
}
