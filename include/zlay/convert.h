/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/convert.h - from one distribution of a tensor over registers to another.
 *
 *  A worked example.  Two registers in each of two lanes hold a 2 x 2 tile;
 *  the source gives lane l row l, the destination gives it column l:
 *
 *      src  f2{register: (0,1); lane: (1,0) -> dim0: 2, dim1: 2}
 *      dst  f2{register: (1,0); lane: (0,1) -> dim0: 2, dim1: 2}
 *
 *  Register r of lane l is to have what register l of lane r has.  Of the four
 *  slots two move to the other lane, one from each, so one shuffle does it.
 *  A lane sends one register and receives one: before the shuffle lane l puts
 *  what it sends in register 1, that is register 1 - l, and after it exchanges
 *  them back.  So the plan is prmt, shfl, prmt.
 *
 *  A distributed layout has the input dimensions register, lane, warp and block,
 *  by these names or, where it has others or none, as its modes in this order.
 *  Values are indices into the tensor.  What several slots of the source hold is
 *  taken from the nearest of them; what several slots of the destination want
 *  is sent once where one access can serve them.
 *
 *  The least level that a conversion needs is decided exactly: no move, moves in
 *  a lane, in a warp, in a block, in a cluster.  Of the plans that serve it the
 *  one of least cost is returned: docs/synthesis.md has the costs, and what is
 *  compared.
 */
#ifndef ZLAY_CONVERT_H
#define ZLAY_CONVERT_H

#include <zlay/layout.h>
#include <zlay/target.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a step does.  Numbers are never reused. */
enum {
    ZLAY_CONVERT_NOP = 1,  /* values are where they are wanted */
    ZLAY_CONVERT_REG,      /* registers renamed in a lane: no instruction */
    ZLAY_CONVERT_PRMT,     /* bytes moved, or selected by the lane's number, in a lane */
    ZLAY_CONVERT_SHFL,     /* values exchanged between lanes of a warp */
    ZLAY_CONVERT_LDMATRIX, /* shared memory read by 8 x 8 matrices */
    ZLAY_CONVERT_STMATRIX, /* shared memory written by 8 x 8 matrices */
    ZLAY_CONVERT_STORE,    /* shared memory of the own block written */
    ZLAY_CONVERT_SYNC,     /* what was stored is there for who loads it */
    ZLAY_CONVERT_LOAD,     /* shared memory of the own block read */
    ZLAY_CONVERT_DSMEM     /* shared memory of a block of the cluster read */
};

/** Levels, and which blocks moves stay in: those of the level. */
enum {
    ZLAY_CONVERT_NOWHERE = -1,
    ZLAY_CONVERT_REGISTER,
    ZLAY_CONVERT_LANE,
    ZLAY_CONVERT_WARP,
    ZLAY_CONVERT_BLOCK
};

/** What to convert. */
typedef struct zlay_convert_request {
    uint32_t size;          /* sizeof(zlay_convert_request) */
    uint32_t elem_bits;     /* 8, 16, 32 or 64 */
    const zlay_layout *src; /* slot -> index into the tensor */
    const zlay_layout *dst;
    uint64_t smem;          /* shared bytes of a block that may be used; 0: the target's */
    uint64_t reserved[4];   /* 0 */
} zlay_convert_request;

/** An immutable plan; read by any thread. */
typedef struct zlay_convert zlay_convert;

/** What a plan is. */
typedef struct zlay_convert_summary {
    const zlay_target *target;
    int32_t level;          /* ZLAY_CONVERT_*: the least that any plan needs */
    uint32_t elem_bits;
    uint32_t steps;
    uint32_t cost;          /* of a warp, in the units of docs/synthesis.md */
    uint32_t rounds;        /* shuffles of a warp, 32 bits each */
    uint32_t rounds_least;  /* that any plan by shuffles needs; 0 where none was asked */
    uint32_t optimal;       /* 1: rounds are rounds_least, or no value leaves its lane */
    uint32_t bijective;     /* 1: every value has one place before and one behind */
    uint32_t counted;       /* 1: wavefronts are known, from zlay_bank_conflicts */
    uint32_t conflict_free; /* 1: counted, and no access takes more than its least */
    uint64_t store, load;   /* wavefronts of a block, summed over its warps; 0: none or not known */
    uint64_t smem;          /* shared bytes of a block */
    uint64_t remote;        /* bytes that slots of a cluster's blocks read from other blocks */
    uint64_t trips;         /* through shared memory; 0: none, 1: all at once. Else store, sync and
                               load are run for one register after the other: trip i takes those
                               whose offset is in [i, i + 1) times the elements that smem holds */
    uint64_t reserved[3];   /* 0 */
} zlay_convert_summary;

/** A step of a plan. */
typedef struct zlay_convert_step {
    int32_t op;             /* ZLAY_CONVERT_* */
    uint32_t width;         /* bytes of one lane that an instruction moves; 0: none */
    uint32_t instructions;  /* of a warp */
    uint32_t counted;       /* 1: wavefronts are known */
    uint64_t wavefronts;    /* of a block */
    int32_t access;         /* the access's number in zlay/bank.h; -1: none */
    int32_t generator;      /* ZLAY_STEP_* of zlay/factor.h that the step is; -1: no one */
    const char *name;       /* as "shfl.sync.idx.b32"; "" where there is none */
    uint64_t idle[4];       /* bits of register, lane, warp, block that are 0 in slots that store */
    uint64_t reserved[2];   /* 0 */
} zlay_convert_step;

/** Plan a conversion.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE dst wants an element that no slot of src holds,
 *           the message has it; ZLAY_EINVAL the message names the field;
 *           ZLAY_ENOTSUP a layout has parameters, or blocks exchange values of
 *           layouts that are not linear over F2; ZLAY_ELIMIT more shared memory
 *           is needed than there is, in however many trips, or layouts that are
 *           not linear over F2 have
 *           more points than limits.points; ZLAY_ENOMEM.
 *  Out:     out  the plan; free it with zlay_convert_free.
 */
ZLAY_API zlay_status zlay_convert_synth(zlay_ctx *ctx, zlay_convert **out,
                                        const zlay_target *target,
                                        const zlay_convert_request *request);

/** Free a plan; NULL is allowed. */
ZLAY_API void zlay_convert_free(zlay_convert *plan);

/** Read what a plan is.  Returns ZLAY_OK, ZLAY_EINVAL. */
ZLAY_API zlay_status zlay_convert_info(zlay_convert_summary *out, const zlay_convert *plan);

/** Read the i-th step.  Returns ZLAY_OK; ZLAY_NONE past the last; ZLAY_EINVAL a
 *  NULL. */
ZLAY_API zlay_status zlay_convert_step_nth(zlay_convert_step *out, const zlay_convert *plan,
                                           uint32_t i);

/** Which way a map goes. */
enum {
    ZLAY_CONVERT_FORWARD, /* from where a value is before the step to where it is behind it */
    ZLAY_CONVERT_BACK     /* from a place behind the step to where its value comes from */
};

/** The map of a step between slots (register, lane, warp, block), or slots and
 *  the offset of an element in shared memory.  Forward maps of a bijective plan
 *  compose to dst^-1 o src.  Of layouts that are not linear over F2 the maps go
 *  from indices of src or dst, and a slot is its colexicographic index in src.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE a step moves nothing (sync), or sends one value to
 *           several places (forward), or takes it from any of several (back);
 *           ZLAY_EINVAL; ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_layout_free.
 */
ZLAY_API zlay_status zlay_convert_map(zlay_ctx *ctx, zlay_layout **out, const zlay_convert *plan,
                                      uint32_t i, int32_t way);

/** Tensor index -> offset of the element in shared memory; NULL: none is used.
 *  It lives as long as the plan. */
ZLAY_API const zlay_layout *zlay_convert_shared(const zlay_convert *plan);

/** What the steps bring to each slot of dst, composed from their maps, and dst:
 *  zlay_layout_equal decides again that they are equal.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL.
 *  Out:     a, b  live as long as the plan.
 */
ZLAY_API zlay_status zlay_convert_certificate(const zlay_layout **a, const zlay_layout **b,
                                              const zlay_convert *plan);

#ifdef __cplusplus
}
#endif
#endif
