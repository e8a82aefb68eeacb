/* SPDX-License-Identifier: Apache-2.0 */
/* Words: a bijection of the slots of a warp (or block, or cluster) as a product of what threads can
 * do, with the fewest shuffle rounds and then the fewest instructions.
 *
 * A slot is (byte, register, lane, warp, block), the byte lowest: 2^byte parts share a 32-bit
 * register.  A map takes the value in slot s to slot map(s); it is affine over F2.  Write x for
 * (byte, register) and l for the rest.  Steps inside a lane are x -> A x + B l + c; a shuffle is
 * l -> C l + D r + c.  docs/synthesis.md proves what the search relies on:
 *
 *   - without parts of a register, one round of shuffles does every map, and with P: x <- x,
 *     Q: x <- l, T: l <- l of the map, the least number of selects a register is
 *     max(null P + null T, rank Q), which is reached;
 *   - with parts, a round takes away at most max(1, registers' bits) of the rank of l <- x. */
#ifndef ZL_SYNTH_WORD_H
#define ZL_SYNTH_WORD_H

#include "algebra/layout/layout.h"

#include <zlay/word.h>

typedef enum zl_step_id {
#define STEP(id, op, form, rounds, each, instruction, takes, source) ZL_STEP_##id,
#include "synth/word/words.def"
    ZL_STEPS
} zl_step_id;

typedef struct zl_step_row {
    const char *op, *form;
    uint32_t rounds, each;
    const char *instruction, *takes, *source;
} zl_step_row;

const zl_step_row *zl_step_row_of(zl_step_id id);

enum { ZL_SLOT_BITS = 32, ZL_WORD_STEPS = 32 };

/* Bits of each coordinate of a slot: 0..2, 0..8, 0..6, the last two any, 32 in all. */
typedef struct zl_slots {
    uint32_t byte, reg, lane, warp, block;
} zl_slots;

uint32_t zl_slots_bits(const zl_slots *slots);

typedef struct zl_word_step {
    zl_step_id id;
    uint32_t instructions; /* of a thread */
    zl_affine map;
} zl_word_step;

/* Steps in the order in which they run; the product of their maps is the requested map. */
typedef struct zl_word {
    zl_slots slots;
    uint32_t count, rounds, instructions;
    uint32_t shuffles; /* of the instructions */
    uint32_t lower_rounds, lower_instructions; /* no word has fewer; of as many rounds, fewer */
    bool optimal;                              /* both are met */
    zl_word_step step[ZL_WORD_STEPS];
} zl_word;

struct zlay_word {
    zlay_allocator alloc;
    zl_word word;
};

/* Begins a word without steps. */
void zl_word_begin(zl_word *out, const zl_slots *slots);

/* Copies a word; of the steps only those that it has. */
void zl_word_copy(zl_word *out, const zl_word *word);

zlay_status zl_word_new(zlay_ctx *ctx, zlay_word **out);

/* ELIMIT: more bits than words take. */
zlay_status zl_slots_check(zlay_ctx *ctx, const zl_slots *slots);

/* The order of words, and how long the search is. */
typedef struct zl_word_aim {
    uint32_t shuffle; /* 0: fewest rounds, then fewest instructions; else the least sum in which a
                         shuffle counts as so many other instructions */
    uint32_t draws, peels; /* ways to keep a word's parts together, and to take rounds off */
    uint32_t pairs;        /* first rounds that are tried one by one: 1, of the map alone; more, of
                              its inverse too; from 16 on all that two inner bits have */
    bool matrix;      /* the target has movmatrix */
} zl_word_aim;

/* The aim of word.synth. */
extern const zl_word_aim zl_word_least;

/* The same with a shorter search: of words of several rounds fewer beginnings are tried. */
extern const zl_word_aim zl_word_soon;

/* Finds the word of a map: EINVAL it is no bijection of the slots, ELIMIT too many bits.
 * `optimal` is set for the aim of word.synth only. */
zlay_status zl_word_find(zlay_ctx *ctx, zl_word *out, const zl_slots *slots, const zl_affine *map,
                         const zl_word_aim *aim);

/* A lower bound for all words of a map: instructions, where a shuffle counts as the aim says. */
uint32_t zl_word_least_cost(const zl_slots *slots, const zl_affine *map, const zl_word_aim *aim);

/* The number of registers of a lane that a map changes. */
uint32_t zl_slots_touched(const zl_slots *slots, const zl_affine *map);

/* The number of registers of a lane whose word is another one afterwards, renamed ones too. */
uint32_t zl_slots_moved(const zl_slots *slots, const zl_affine *map);

/* Into how many parts the map divides a register's word; 1: it stays whole. */
uint32_t zl_map_parts(const zl_slots *slots, const zl_affine *map);

/* The word for a tile that has landed in shared memory and stays there: load, sync, store. */
void zl_word_landed(zl_word *out, const zl_slots *slots, const zl_affine *map);

/* The inverse of a map: slot -> the slot where its value was. */
bool zl_map_invert(zl_affine *out, const zl_affine *map);
bool zl_map_equal(const zl_affine *a, const zl_affine *b);
void zl_map_same(zl_affine *out, unsigned bits);
void zl_map_copy(zl_affine *out, const zl_affine *map); /* no more than its bits */

/* x -> second(first(x)); `out` may be either. */
void zl_map_product(zl_affine *out, const zl_affine *second, const zl_affine *first);

static inline uint64_t zl_map_at(const zl_affine *map, uint64_t x)
{
    return zl_xor_of(map->basis, x) ^ map->constant;
}

#endif
