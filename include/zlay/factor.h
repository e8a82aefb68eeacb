/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/factor.h - what is left over: words of byte permutes and shuffles,
 *  L = R o L_desc, and the swizzles in a layout.
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
#ifndef ZLAY_FACTOR_H
#define ZLAY_FACTOR_H

#include <zlay/algebra.h>
#include <zlay/legality.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- words --------------------------------------------------------------- */

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
typedef struct zlay_word_info {
    uint32_t steps;
    uint32_t rounds;       /* of shuffles */
    uint32_t instructions; /* that move values; selectors are not counted */
    uint32_t lower_rounds, lower_instructions;
    uint32_t optimal;      /* 1: both bounds are met */
} zlay_word_info;

/** A step: the value in slot s goes to slot constant ^ XOR of basis[k] over the
 *  bits k of s. */
typedef struct zlay_word_step {
    int32_t generator;     /* ZLAY_STEP_* */
    uint32_t rounds, instructions;
    uint32_t bits;         /* entries of basis */
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
ZLAY_API zlay_status zlay_word_get(zlay_word_info *out, const zlay_word *word);

/** Read its slots.  Returns ZLAY_OK, ZLAY_EINVAL.  Pure. */
ZLAY_API zlay_status zlay_word_slots(zlay_slots *out, const zlay_word *word);

/** Read its i-th step.  Returns ZLAY_OK; ZLAY_NONE past the last; ZLAY_EINVAL.
 *  Pure. */
ZLAY_API zlay_status zlay_word_step_get(zlay_word_step *out, const zlay_word *word, uint32_t i);

/** What a generator does and which form of it: "shfl" and "bfly"; NULL for no
 *  generator. */
ZLAY_API const char *zlay_word_op(int32_t generator);
ZLAY_API const char *zlay_word_form(int32_t generator);

/** Free a word; NULL is allowed. */
ZLAY_API void zlay_word_free(zlay_word *word);

/* ---- L = R o L_desc ------------------------------------------------------ */

/** What zlay_factor_synth reads; 0 means the default. */
typedef struct zlay_factor_request {
    uint32_t size;      /* sizeof(zlay_factor_request); a shorter one reads as zeros */
    uint32_t elem_bits; /* 8, 16, 32 or 64; default 16 */
    const zlay_layout *layout; /* L: tile coordinate -> element offset in shared memory, or, an
                                  F2 layout with an output called lane, -> (register, lane,
                                  warp, block), a register an element */
    const char *desc;   /* the one of the family; default: the one of the least word */
    uint64_t reserved[4]; /* 0 */
} zlay_factor_request;

/** What L_desc is. */
typedef struct zlay_factor_info {
    const char *desc;  /* "tma.128B", "ldmatrix", ..; static */
    uint32_t first;    /* the tile's mode that is contiguous in shared memory, or rows */
    uint32_t reserved; /* 0 */
} zlay_factor_info;

/** Layouts of a factorisation, L = RESIDUAL o DESC = DESC o DUAL. */
enum {
    ZLAY_FACTOR_DESC = 0, /* tile -> slot */
    ZLAY_FACTOR_RESIDUAL, /* slot -> slot: what threads do after the data has landed */
    ZLAY_FACTOR_DUAL,     /* tile -> tile: the same before */
    ZLAY_FACTOR_PARTS
};

/** A factorisation; immutable, read by any thread. */
typedef struct zlay_factor zlay_factor;

/** Split a layout into what a descriptor does and what is left to threads: the
 *  member of the family whose residual has the least word.  A residual that
 *  stays in its warp comes before one through shared memory, then fewer rounds,
 *  then fewer instructions, then the first of the family.  What lands in shared
 *  memory and stays there goes through registers: load, sync, store.
 *  Both products are decided equal to L before it is returned.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE L is no bijection of its tile onto slots, or not
 *           affine over F2, or no member of the family gives the tile a layout
 *           on this target; ZLAY_EINVAL; ZLAY_ELIMIT more slots than words
 *           take, or than limits.points where a constant is added by XOR;
 *           ZLAY_ENOTSUP; ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_factor_free.
 */
ZLAY_API zlay_status zlay_factor_synth(zlay_ctx *ctx, zlay_factor **out,
                                       const zlay_target *target,
                                       const zlay_factor_request *request);

/** Read what L_desc is.  Returns ZLAY_OK, ZLAY_EINVAL.  Pure. */
ZLAY_API zlay_status zlay_factor_get(zlay_factor_info *out, const zlay_factor *factor);

/** A layout of it, ZLAY_FACTOR_*, which lives as long; NULL: no such part. */
ZLAY_API const zlay_layout *zlay_factor_part(const zlay_factor *factor, int32_t part);

/** The word of the residual, which lives as long.  Its slots split a register
 *  into parts where elements have less than 32 bits. */
ZLAY_API const zlay_word *zlay_factor_word(const zlay_factor *factor);

/** The names of the family; NULL past the last. */
ZLAY_API const char *zlay_factor_desc_at(size_t i);

/** Free a factorisation; NULL is allowed. */
ZLAY_API void zlay_factor_free(zlay_factor *factor);

/* ---- swizzles in a layout ------------------------------------------------ */

/** A swizzle as CuTe writes it: Sw<bits,base,shift>, shift at least bits. */
typedef struct zlay_atom {
    int32_t bits, base, shift;
    int32_t reserved; /* 0 */
} zlay_atom;

/** A normal form; immutable, read by any thread. */
typedef struct zlay_normal zlay_normal;

/** The sides of a normal form: swizzles of offsets, and of indices. */
enum { ZLAY_NORMAL_OFFSET = 0, ZLAY_NORMAL_INDEX = 1 };

/** The swizzles that a layout contains and the permutation of bits that is
 *  left:
 *
 *      layout = Sw o .. o Sw o STRIDED o Sw o .. o Sw
 *               (offset side)           (index side)
 *
 *  STRIDED takes each bit of its index to a bit of the offset, to the
 *  complement of one, or to nothing; it is a strided layout.  All shifts are
 *  above 0.  Every layout that is affine over F2 has exactly one such form in
 *  which swizzles of offsets have no part that no value reaches, an index
 *  swizzle adds bit k to bit i < k only where STRIDED takes i above k, swizzles
 *  stand in the order of their shifts, those of one shift from high bits to
 *  low, each as long as it can be.  Sw<3,4,3> o 1024:1 has one swizzle, of
 *  offsets, and 1024:1.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the layout is not affine over F2, the message
 *           has where; ZLAY_EINVAL; ZLAY_ENOTSUP parameters, symbols, negative
 *           values; ZLAY_ELIMIT pieces of more than limits.points points;
 *           ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_normal_free.
 */
ZLAY_API zlay_status zlay_swizzle_normal(zlay_ctx *ctx, zlay_normal **out,
                                         const zlay_layout *layout);

/** The swizzles of a side in the order in which they are written, the outermost
 *  first.
 *
 *  Returns: how many there are; 0 for NULL.
 *  Out:     out  the first `room` of them.
 */
ZLAY_API size_t zlay_normal_atoms(zlay_atom *out, size_t room, const zlay_normal *normal,
                                  int32_t side);

/** STRIDED; lives as long as the form. */
ZLAY_API const zlay_layout *zlay_normal_strided(const zlay_normal *normal);

/** Which swizzle of tensor copies the offset side is, for elements of so many
 *  bytes: 0 none, else as cuda.h numbers them.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE it is none of theirs; ZLAY_EINVAL a NULL, bytes
 *           that are no power of two.
 *  Out:     name  static text; NULL: not asked.
 *  Pure.
 */
ZLAY_API zlay_status zlay_normal_hardware(int32_t *number, const char **name,
                                          const zlay_normal *normal, uint32_t elem_bytes);

/** Free a normal form; NULL is allowed. */
ZLAY_API void zlay_normal_free(zlay_normal *normal);

#ifdef __cplusplus
}
#endif
#endif
