/* SPDX-License-Identifier: Apache-2.0 */
/* The function that moves a tile by threads, while it is printed. */
#ifndef ZL_EMIT_TILE_H
#define ZL_EMIT_TILE_H

#include "emit/copy.h"
#include "synth/move.h"

enum {
    ZL_TILE_VALUES = 512,  /* elements that a thread holds at once */
    ZL_TILE_WORDS = 128,   /* registers of them */
    ZL_TILE_UNROLLED = 64, /* stores; more are a loop over accesses */
    ZL_TILE_SIDES = 2
};

typedef struct zl_tile_text {
    zl_emit e;
    const zlay_move *move;
    const zl_part *part;
    uint32_t index; /* of the part, in labels */
} zl_tile_text;

/* What a thread holds at once: where each value lies beside the first, elements; in the order of
 * the values. */
typedef struct zl_tile_block {
    uint32_t count;
    int64_t at[ZL_TILE_SIDES][ZL_TILE_VALUES];
} zl_tile_block;

static inline bool zl_tile_shared(const zl_tile_text *t, int side)
{
    return t->move->info.space[side] != ZLAY_MOVE_GLOBAL;
}

/* Whether an offset is a base plus a constant; else it is computed for each address. */
static inline bool zl_tile_plain(const zl_tile_text *t, int side)
{
    return !t->move->swizzle[side].bits && !t->part->part.combine && t->move->info.elem_bits >= 8;
}

/* false: more values, or registers, than are printed, or bytes that no instruction puts into order.
 */
bool zl_tile_block_of(zl_tile_block *out, const zl_part *part);
bool zl_tile_fits(const zlay_move *move, const zl_part *part);

/* One access of a thread, `more` elements further than the registers from and to say. */
void zl_tile_access(zl_tile_text *t, const int64_t more[ZL_TILE_SIDES]);

/* The text of an address that lies `more` elements further; `room` holds it. */
const char *zl_tile_address(zl_tile_text *t, char room[40], int side, int64_t more);

/* Loads, permutations and stores of one access. */
void zl_tile_words(zl_tile_text *t, const zl_tile_block *b, const int64_t more[ZL_TILE_SIDES]);
void zl_tile_realign(zl_tile_text *t, const zl_tile_block *b, const int64_t more[ZL_TILE_SIDES]);

/* Vectors of a side: the first element of each beside the block's first, rising, and the vector and
 * the place in it of each value. */
typedef struct zl_tile_vectors {
    uint32_t count, elements;
    int64_t first[ZL_TILE_VALUES];
    uint16_t vector[ZL_TILE_VALUES], place[ZL_TILE_VALUES];
} zl_tile_vectors;

/* false: they are no whole vectors. */
bool zl_tile_vectors_of(zl_tile_vectors *out, const zl_tile_block *b, int side, uint32_t elements);

static inline uint32_t zl_tile_width(const zl_tile_text *t, int side)
{
    return side ? t->part->part.width : t->part->part.source_width;
}

static inline uint32_t zl_words_of(uint32_t bytes) { return bytes < 4 ? 1 : bytes / 4; }

/* Load or store a vector of a side with registers named `prefix` and numbered. */
void zl_tile_vector(zl_tile_text *t, const char *guard, int side, const char *address,
                    const char *prefix, const uint32_t *registers);

#endif
