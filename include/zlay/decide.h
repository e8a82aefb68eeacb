/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/decide.h - decisions about layouts: exact, each NO with a witness.
 *
 *  A worked example.  (3,2):(2,3) has the values 0 2 4 3 5 7, all different:
 *  it is injective, for 2 d0 + 3 d1 = 0 needs d0 to be a multiple of 3, and d0
 *  is in -2 .. 2.  It is not onto [0, 6), as 1 is no value, so it is not
 *  bijective.  (3,2):(1,2) has the values 0 1 2 2 3 4: onto [0, 5), and not
 *  injective, as indices 2 and 3 both have 2.  Every value of (3,2):(2,3) is one
 *  of 8:1, but not one of 7:1, and the index 5 shows it, where the value is 7.
 *
 *  Decisions are about the points where a layout is defined; the others count
 *  as if they were not there.  Several outputs are a tuple; where one integer is
 *  asked for it is the tuple's colexicographic index in the output sizes.
 *
 *  Every decider returns ZLAY_OK when the question is answered, ZLAY_UNDECIDED
 *  included, and then the message names the limit; ZLAY_EINVAL for a NULL;
 *  ZLAY_ENOTSUP for a layout with parameters, which the message names (equal
 *  takes them); ZLAY_ENOMEM.  No output is written unless the status is 0, and
 *  a witness only by ZLAY_NO.  zlay_layout_equal is in zlay/layout.h.
 */
#ifndef ZLAY_DECIDE_H
#define ZLAY_DECIDE_H

#include <zlay/layout.h>
#include <zlay/facts.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The sizes of the outputs.
 *
 *  Returns: how many outputs there are; 0 for NULL.
 *  Out:     sizes  the first `room` of them; 0: no size is known, as of every
 *                  strided layout.
 */
ZLAY_API size_t zlay_layout_out_sizes(uint64_t *sizes, size_t room, const zlay_layout *layout);

/** Where two layouts with parameters differ. */
typedef struct zlay_difference {
    zlay_witness witness; /* of the layouts with these values */
    int64_t *values;      /* the caller's; receives the first `room` values: of the
                             parameters of a in their order, then of those that b
                             has and a has not */
    size_t room;
} zlay_difference;

/** zlay_layout_equal for layouts with parameters: equal for all values of which
 *  the facts hold.
 *
 *  Returns: as zlay_layout_equal.
 *  Out:     difference  written with ZLAY_NO; NULL: not asked.
 *  In:      facts       NULL: none.
 */
ZLAY_API zlay_status zlay_layout_equal_for_all(zlay_ctx *ctx, zlay_answer *answer,
                                               zlay_difference *difference, const zlay_layout *a,
                                               const zlay_layout *b, const zlay_facts *facts);

/** Decide whether no two points have one value.
 *
 *  Returns: as above.
 *  Out:     answer   ZLAY_YES, ZLAY_NO, ZLAY_UNDECIDED; of a symbolic layout for
 *                    all values of its names, or ZLAY_DEPENDS with the guard in
 *                    the message (symbol.h).
 *           witness  two indices of one value, the lesser first; NULL: not
 *                    asked.
 */
ZLAY_API zlay_status zlay_layout_is_injective(zlay_ctx *ctx, zlay_answer *answer,
                                              uint64_t witness[2], const zlay_layout *layout);

/** Decide whether every value of a box is reached.
 *
 *  Returns: as above; ZLAY_EINVAL also for a size of 0, for a box of more than
 *           2^64 - 1 points, and for `count` that is neither 1 nor the number of
 *           outputs of a layout of several.
 *  Out:     answer  as zlay_layout_is_injective.
 *           missed  the least value not reached, as an index into the box, or
 *                   some such value where finding the least would pass a limit,
 *                   and then the message says so; NULL: not asked.
 *  In:      onto    `count` sizes.  One: the integers [0, onto[0]); more: the
 *                   tuples below them, or of a layout of one output their
 *                   colexicographic indices.
 */
ZLAY_API zlay_status zlay_layout_is_surjective(zlay_ctx *ctx, zlay_answer *answer,
                                               uint64_t *missed, const zlay_layout *layout,
                                               const uint64_t *onto, size_t count);

/** Why a layout is no bijection. */
enum {
    ZLAY_FAULT_COLLISION = 1, /* indices i and j have one value */
    ZLAY_FAULT_MISSED,        /* `missed` is not reached */
    ZLAY_FAULT_OUTSIDE        /* index i has a negative value, and the outputs no sizes */
};

/** What is wrong with a layout that is not bijective.  32 bytes. */
typedef struct zlay_fault {
    int32_t fault;     /* ZLAY_FAULT_* */
    uint32_t reserved; /* 0 */
    uint64_t i, j;     /* i < j; else 0 */
    uint64_t missed;   /* a value; of several outputs its colexicographic index */
} zlay_fault;

/** Decide whether a layout is injective and onto: of one output without a size
 *  onto [0, points where it is defined), else onto the box of its outputs.
 *
 *  Returns: as above.
 *  Out:     answer   as zlay_layout_is_injective.
 *           witness  what is wrong; NULL: not asked.
 */
ZLAY_API zlay_status zlay_layout_is_bijective(zlay_ctx *ctx, zlay_answer *answer,
                                              zlay_fault *witness, const zlay_layout *layout);

/** Decide whether every value of a is a value of b.  Several outputs of both
 *  compare as tuples, else both sides as integers.
 *
 *  Returns: as above.
 *  Out:     answer   as zlay_layout_is_injective.
 *           witness  the least index of a whose value b has not, or some such
 *                    index where finding the least would pass a limit, and
 *                    then the message says so; NULL: not asked.
 */
ZLAY_API zlay_status zlay_layout_contained(zlay_ctx *ctx, zlay_answer *answer, uint64_t *witness,
                                           const zlay_layout *a, const zlay_layout *b);

#ifdef __cplusplus
}
#endif
#endif
