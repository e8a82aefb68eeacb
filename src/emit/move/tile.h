/* SPDX-License-Identifier: Apache-2.0 */
/* A move by threads while it is printed as a PTX function. Its parts are copies of one kind; a
 * thread's accesses of a part are numbered by digits (value, thread, access). tile.c prints the
 * frame, tile_digits.c coordinates and bounds, tile_address.c and tile_points.c addresses,
 * tile_block.c, tile_realign.c and tile_fragment.c the accesses themselves. */
#ifndef ZL_EMIT_TILE_H
#define ZL_EMIT_TILE_H

#include "emit/move/copy.h"
#include "synth/move/move.h"

enum {
    ZL_TILE_VALUES = 1024, /* that a thread holds at once, of a byte at least */
    ZL_TILE_WORDS = 256,   /* registers of them: no thread has more */
    ZL_TILE_UNROLLED = 64, /* stores; more are a loop over accesses */
    ZL_TILE_SIDES = 2,
    ZL_TILE_TEXT = 256 /* of a step in names */
};

typedef struct zl_tile_text {
    zl_emit e;
    const zlay_move *move;
    const zl_move_part *part;
    uint32_t index; /* of the part, in labels */
} zl_tile_text;

/* What a thread holds at once: where each value lies beside the first, elements; in the order of
 * the values.  Elements of less than a byte go by bytes. */
typedef struct zl_tile_block {
    uint32_t count, bytes; /* values; bytes of each */
    uint32_t unit;         /* elements of each */
    int64_t at[ZL_TILE_SIDES][ZL_TILE_VALUES];
} zl_tile_block;

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

/* Steps that are texts over names, known when the function runs. */
bool zl_tile_named(const zlay_move *move, int side);

/* Whether the offsets are those of two layouts at the points that threads take. */
static inline bool zl_tile_listed(const zl_move_part *p) { return p->part.combine > 1; }

/* How much the next coordinate of a mode adds to a side's offset, or to the number of a listed
 * point. */
static inline int64_t zl_tile_step(const zl_move_part *p, int side, uint32_t mode)
{
    if (zl_tile_listed(p)) return 1;
    return side ? p->mode[mode].dest : p->mode[mode].source;
}

static inline int64_t zl_tile_add(const zl_move_part *p, int64_t a, int64_t b)
{
    return p->part.combine == 1 ? a ^ b : a + b;
}

/* Whether an offset is a base plus a constant; else it is computed for each address. */
static inline bool zl_tile_plain(const zl_tile_text *t, int side)
{
    return !t->move->swizzle[side].bits && !t->part->part.combine &&
           t->move->info.elem_bits >= 8 && !zl_tile_named(t->move, side);
}

/* What a thread holds at once, and whether that can be printed: not too many values or registers,
 * and only whole bytes. */
bool zl_tile_block_of(zl_tile_block *out, const zlay_move *move, const zl_move_part *part);
bool zl_tile_fits(const zlay_move *move, const zl_move_part *part);

/* The coordinate in a mode of a value of a block. */
uint64_t zl_tile_coordinate(const zl_move_part *p, uint32_t mode, uint64_t value, uint32_t unit);

/* Digits of a level of `rest`: what they add to the sides' `bases`, and, where they may be beyond
 * an extent, to the coordinates. */
void zl_tile_digits(zl_tile_text *t, int32_t level, const char *const *bases,
                    const char *coordinate);

/* All accesses of a part, the thread's coordinates given. */
void zl_tile_accesses(zl_tile_text *t);
bool zl_tile_is_checked(const zl_move_part *p, uint32_t mode);

/* Whether a register holds the coordinate of a mode, because it is compared with an extent or
 * edge. */
bool zl_tile_is_kept(const zl_tile_text *t, uint32_t mode);

/* The i-th axis along which tiles leave their tensor; cells to its end as registers. */
bool zl_tile_edge(const zlay_move *move, uint32_t i, uint32_t *axis);
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

/* Names of the layouts, those of the source first, each once; NULL past the last. */
const char *zl_tile_name(const zlay_move *move, size_t i);

/* ---- accesses ----------------------------------------------------------------------- */

/* Loads, permutations and stores of one access. */
void zl_tile_words(zl_tile_text *t, const zl_tile_block *b, const int64_t more[ZL_TILE_SIDES]);
void zl_tile_realign(zl_tile_text *t, const zl_tile_block *b, const int64_t more[ZL_TILE_SIDES]);

/* ldmatrix and stmatrix of all words of the fragments. */
void zl_tile_matrices(zl_tile_text *t);

/* Vectors of a side: the first value of each, rising, and the vector and the place in it of each
 * value. */
typedef struct zl_tile_vectors {
    uint32_t count, values;
    uint16_t first[ZL_TILE_VALUES];
    uint16_t vector[ZL_TILE_VALUES], place[ZL_TILE_VALUES];
} zl_tile_vectors;

/* false: they are no whole vectors. */
bool zl_tile_vectors_of(zl_tile_vectors *out, const zl_tile_block *b, int side, uint32_t bytes);

/* Bytes of one access of a side; of fragments all that a thread holds. */
uint32_t zl_tile_width(const zlay_move *move, const zl_move_part *p, const zl_tile_block *b,
                       int side);

static inline uint32_t zl_words_of(uint32_t bytes) { return (bytes + 3) / 4; }

/* Load or store `bytes` of a side with registers named `prefix` and numbered; without a prefix w,
 * or v where ZL_TILE_PERMUTED is beside the number. */
enum { ZL_TILE_PERMUTED = 1 << 16 };

void zl_tile_vector(zl_tile_text *t, const char *guard, int side, uint32_t bytes,
                    const char *address, const char *prefix, const uint32_t *registers);

/* Registers of fragments from the function's argument, or to its result. */
void zl_tile_held(zl_tile_text *t, int side, uint32_t words, const uint32_t *registers);

#endif
