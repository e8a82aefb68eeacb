/* SPDX-License-Identifier: Apache-2.0 */
/* A move by threads while it is printed as a PTX function. Its parts are copies of one kind; a
 * thread's accesses of a part are numbered by digits (value, thread, access). tile.c prints the
 * frame, tile_digits.c coordinates and bounds, tile_address.c and tile_points.c addresses,
 * tile_block.c, tile_realign.c, tile_vector.c and tile_fragment.c the accesses themselves. */
#ifndef ZL_EMIT_TILE_H
#define ZL_EMIT_TILE_H

#include "emit/move/copy.h"
#include "emit/move/tile_plan.h"

typedef struct zl_tile_text {
    zl_emit e;
    const zlay_move *move;
    const zl_move_part *part;
    uint32_t index; /* of the part, in labels */
} zl_tile_text;

static inline int32_t zl_tile_space(const zl_tile_text *t, int side)
{
    return t->move->info.space[side];
}

static inline bool zl_tile_is_held(const zl_tile_text *t, int side)
{
    return zl_tile_space(t, side) == ZLAY_MOVE_REGISTER;
}

/* Addresses of 32 bits. */
static inline bool zl_tile_shared(const zl_tile_text *t, int side)
{
    return zl_tile_space(t, side) != ZLAY_MOVE_GLOBAL;
}

/* Whether an offset is a base plus a constant; else it is computed for each address. */
static inline bool zl_tile_plain(const zl_tile_text *t, int side)
{
    return !t->move->swizzle[side].bits && !t->part->part.combine &&
           t->move->info.elem_bits >= 8 && !zl_tile_named(t->move, side);
}

/* Digits of a level of `rest`: what they add to the sides' `bases`, and, where they may be beyond
 * an extent, to the coordinates. */
void zl_tile_digits(zl_tile_text *t, int32_t level, const char *const *bases,
                    const char *coordinate);

/* All accesses of a part, the thread's coordinates given. */
void zl_tile_accesses(zl_tile_text *t);

/* Cells to the ends of the tensor as registers. */
void zl_tile_edges(zl_tile_text *t);

/* One access of a thread, `more` elements further than the registers from and to say. */
void zl_tile_access(zl_tile_text *t, const int64_t more[ZL_TILE_SIDES]);

/* ---- addresses ---------------------------------------------------------------------- */

/* The text of an address that lies `more` elements further, at a value of the block; `room` holds
 * it. */
const char *zl_tile_address(zl_tile_text *t, char room[40], int side, int64_t more,
                            uint64_t value);

/* Addresses of what from and to say, of plain sides. */
void zl_tile_bases(zl_tile_text *t);

/* Steps and names as registers; tables of the points, which stand before the function. */
void zl_tile_steps(zl_tile_text *t);
void zl_tile_tables(zl_tile_text *t);

/* far = the byte of a side at which the vector of the point number `place` begins. */
void zl_tile_look_up(zl_tile_text *t, int side);

/* offset += count * times * step of a mode, of a named side; of mode number `modes` the offset of
 * the part. */
void zl_tile_add_named(zl_tile_text *t, const char *offset, int side, uint32_t mode,
                       const char *count, uint64_t times);

/* ---- accesses ----------------------------------------------------------------------- */

/* Loads, permutations and stores of one access. */
void zl_tile_words(zl_tile_text *t, const zl_tile_block *b, const int64_t more[ZL_TILE_SIDES]);
void zl_tile_realign(zl_tile_text *t, const zl_tile_block *b, const int64_t more[ZL_TILE_SIDES]);

/* ldmatrix and stmatrix of all words of the fragments. */
void zl_tile_matrices(zl_tile_text *t);

/* Load or store `bytes` of a side with registers named `prefix` and numbered; without a prefix w,
 * or v where ZL_TILE_PERMUTED is beside the number. */
enum { ZL_TILE_PERMUTED = 1 << 16 };

void zl_tile_vector(zl_tile_text *t, const char *guard, int side, uint32_t bytes,
                    const char *address, const char *prefix, const uint32_t *registers);

/* Registers of fragments from the function's argument, or to its result. */
void zl_tile_held(zl_tile_text *t, int side, uint32_t words, const uint32_t *registers);

#endif
