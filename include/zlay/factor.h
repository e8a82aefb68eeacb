/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/factor.h - what a descriptor moves, and what is left to threads: L = R o L_desc.
 *
 *  By hand: 8 x 64 elements of 16 bits under the 128-byte swizzle are what a
 *  tensor copy lands: L_desc = L and R is the identity, whose word is empty.
 */
#ifndef ZLAY_FACTOR_H
#define ZLAY_FACTOR_H

#include <zlay/layout.h>
#include <zlay/rule.h>
#include <zlay/word.h>

#ifdef __cplusplus
extern "C" {
#endif

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
typedef struct zlay_factor_summary {
    const char *desc;  /* "tma.128B", "ldmatrix", ..; static */
    uint32_t first;    /* the tile's mode that is contiguous in shared memory, or rows */
    uint32_t reserved; /* 0 */
} zlay_factor_summary;

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
ZLAY_API zlay_status zlay_factor_info(zlay_factor_summary *out, const zlay_factor *factor);

/** A layout of it, ZLAY_FACTOR_*, which lives as long; NULL: no such part. */
ZLAY_API const zlay_layout *zlay_factor_part(const zlay_factor *factor, int32_t part);

/** The word of the residual, which lives as long.  Its slots split a register
 *  into parts where elements have less than 32 bits. */
ZLAY_API const zlay_word *zlay_factor_word(const zlay_factor *factor);

/** How many members the family has. */
ZLAY_API size_t zlay_factor_desc_count(void);

/** The names of the family; NULL past the last. */
ZLAY_API const char *zlay_factor_desc_nth(size_t i);

/** Free a factorisation; NULL is allowed. */
ZLAY_API void zlay_factor_free(zlay_factor *factor);

#ifdef __cplusplus
}
#endif
#endif
