/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/word.h - words of byte permutes, selects and shuffles that move values between slots.
 *
 *  A worked example.  Two registers a lane and two lanes hold a 2 x 2 matrix,
 *  its rows in lanes: slot (register, lane) is the bits (r, l).  Transposed,
 *  slot (r, l) goes to slot (l, r): a bijection of the four slots, 0 2 1 3,
 *  which is the layout (2,2):(2,1).  No move within a lane does it, since the
 *  value in register 1 of lane 0 must leave that lane.  One round of shuffles
 *  does, in four instructions: each lane brings, with the mask 1, the other
 *  register of the other lane, and keeps for register l what it has and for
 *  the other register what came: two shfl.bfly and two selp.  As bits, (r, l)
 *  -> (l, r) is one transvection v -> v + (1,1) (r + l).  Without it the least
 *  word of one round is select, shuffle, select: r += l, then l += r, then
 *  r += l, five instructions, for register 0 is not shuffled.
 *
 *  A slot is (byte, register, lane, warp, block), the first the lowest bits of
 *  its number; 2^byte_bits parts share a 32-bit register.  A map takes the
 *  value in slot s to slot map(s).  docs/synthesis.md has the generators, the
 *  proofs, and what `optimal` covers.
 */
#ifndef ZLAY_WORD_H
#define ZLAY_WORD_H

#include <zlay/layout.h>
#include <zlay/rule.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bits of each coordinate of a slot: parts of a register 0 to 2, registers 0
 *  to 8, lanes 0 to 6, 32 in all. */
typedef struct zlay_slots {
    uint32_t byte_bits, register_bits, lane_bits, warp_bits, block_bits;
    uint32_t reserved[3]; /* 0 */
} zlay_slots;

/** Generators. */
enum {
    ZLAY_STEP_REGISTER = 0, /* registers of a lane change names */
    ZLAY_STEP_SELECT,       /* selp: one of two registers, by the lane */
    ZLAY_STEP_PERMUTE,      /* prmt: bytes of two registers, by byte and lane */
    ZLAY_STEP_BUTTERFLY,    /* shfl.bfly, a mask a register */
    ZLAY_STEP_INDEX,        /* shfl.idx */
    ZLAY_STEP_EXCHANGE,     /* shfl.bfly, and a choice between it and the own lane */
    ZLAY_STEP_MATRIX,       /* movmatrix */
    ZLAY_STEP_STORE,        /* to shared memory */
    ZLAY_STEP_DSMEM,        /* to the shared memory of another block */
    ZLAY_STEP_SYNC,
    ZLAY_STEP_LOAD
};

/** A word; immutable, read by any thread. */
typedef struct zlay_word zlay_word;

/** What a word costs a thread, and what no word goes below. */
typedef struct zlay_word_summary {
    uint32_t steps;
    uint32_t rounds;       /* of shuffles */
    uint32_t instructions; /* that move values; selectors are not counted */
    uint32_t lower_rounds, lower_instructions;
    uint32_t optimal; /* 1: both bounds are met */
} zlay_word_summary;

/** A step: the value in slot s goes to slot constant ^ XOR of basis[k] over the
 *  bits k of s. */
typedef struct zlay_word_step {
    int32_t generator; /* ZLAY_STEP_* */
    uint32_t rounds, instructions;
    uint32_t bits; /* entries of basis */
    uint64_t constant, basis[32];
} zlay_word_step;

/** The least word of a map: fewest shuffle rounds, then fewest instructions.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the map is no bijection of the slots that is
 *           affine over F2, the message shows it; ZLAY_EINVAL; ZLAY_ELIMIT more
 *           bits than zlay_slots takes; ZLAY_ENOTSUP parameters; ZLAY_ENOMEM.
 *  Out:     out  the word; free it with zlay_word_free.
 *  In:      map  slot -> slot, of any kind.
 */
ZLAY_API zlay_status zlay_word_synth(zlay_ctx *ctx, zlay_word **out, const zlay_slots *slots,
                                     const zlay_layout *map);

/** Read a word.  Returns ZLAY_OK, ZLAY_EINVAL.  Pure. */
ZLAY_API zlay_status zlay_word_info(zlay_word_summary *out, const zlay_word *word);

/** Read its slots.  Returns ZLAY_OK, ZLAY_EINVAL.  Pure. */
ZLAY_API zlay_status zlay_word_slots(zlay_slots *out, const zlay_word *word);

/** Read its i-th step.  Returns ZLAY_OK; ZLAY_NONE past the last; ZLAY_EINVAL.
 *  Pure. */
ZLAY_API zlay_status zlay_word_step_nth(zlay_word_step *out, const zlay_word *word, uint32_t i);

/** What a generator does and which form of it: "shfl" and "bfly"; NULL for no
 *  generator. */
ZLAY_API const char *zlay_word_op(int32_t generator);
ZLAY_API const char *zlay_word_form(int32_t generator);

/** Free a word; NULL is allowed. */
ZLAY_API void zlay_word_free(zlay_word *word);

#ifdef __cplusplus
}
#endif
#endif
