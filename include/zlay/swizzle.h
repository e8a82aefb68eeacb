/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/swizzle.h - where the elements of a tile lie in shared memory so that
 *  given accesses take the fewest wavefronts.
 *
 *  By hand: a tile of 32 x 32 fp32 on sm_90 is stored by rows, lane l at (i, l),
 *  and loaded by columns, lane l at (l, j).  As (32,32):(32,1) the loads meet
 *  32 times in one bank: 1 wavefront and 32.  A row of 33 elements gives 1 and
 *  1, for 1055 elements.  Over F2 the lanes of the store span the 5 bits of the
 *  column and those of the load the 5 bits of the row, and a layout has no
 *  conflict exactly when the elements whose offsets agree below 32, a subspace K
 *  of 5 bits, meet both in 0 alone.  K = {(x, x)} does; then (i, j) lies at
 *  32 i + (i ^ j), which is Sw<5,0,5> o 0 o (32,32):(32,1): 1 and 1 in 1024
 *  elements.
 *
 *  The least sum of wavefronts counts first, then the least size, then that a
 *  tensor copy writes the layout and wgmma or tcgen05 reads it, then the fewest
 *  XORs.  docs/synthesis.md says what is searched and what is proved.
 */
#ifndef ZLAY_SWIZZLE_H
#define ZLAY_SWIZZLE_H

#include <zlay/layout.h>
#include <zlay/bank.h>
#include <zlay/target.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An access to the tile.  `layout` gives the colexicographic index into the
 *  tile's shape of each element: the lane that gives an address is fastest,
 *  then the element of its vector, then whatever tells instances of the access
 *  apart (registers, warps, iterations), whose wavefronts are summed.  A lane
 *  without a value in any element is inactive.  Several outputs are coordinates
 *  of the shape, or of an F2 layout one index by their sizes. */
typedef struct zlay_swizzle_access {
    int32_t access;    /* number of zlay_bank_find */
    uint32_t reserved; /* 0 */
    const zlay_layout *layout;
} zlay_swizzle_access;

/** What zlay_swizzle_synth reads. */
typedef struct zlay_swizzle_request {
    uint32_t size;      /* sizeof(zlay_swizzle_request) */
    uint32_t elem_bits; /* of an element: 1 to 128, a power of two */
    const uint64_t *shape; /* of the tile, the first mode fastest */
    uint64_t rank;      /* 1 to 8 */
    const zlay_swizzle_access *accesses;
    uint64_t count;     /* 1 to 16 */
    uint64_t reserved[4]; /* 0 */
} zlay_swizzle_request;

/** A layout with what its accesses take; immutable, read by any thread. */
typedef struct zlay_swizzle zlay_swizzle;

/** How a layout was found. */
enum {
    ZLAY_SWIZZLE_FORM = 1,   /* a form that tensor copies write */
    ZLAY_SWIZZLE_COMPLEMENT, /* over F2, in closed form */
    ZLAY_SWIZZLE_SEARCH,     /* over F2, by search */
    ZLAY_SWIZZLE_FAMILY      /* padding, skews and XORs of rows, all of them tried */
};

/** What is proved: of which layouts none takes fewer wavefronts. */
enum {
    ZLAY_SWIZZLE_LEAST_UNKNOWN = 0, /* a search met its limit */
    ZLAY_SWIZZLE_LEAST_FAMILY, /* of the families of docs/synthesis.md */
    ZLAY_SWIZZLE_LEAST_F2,     /* of those that are linear over F2 */
    ZLAY_SWIZZLE_LEAST_ANY     /* of all: the sum meets the lower bound */
};

/** What a layout is. */
typedef struct zlay_swizzle_summary {
    const zlay_target *target;
    uint64_t size;         /* elements that it spans */
    uint64_t wavefronts;   /* of all accesses */
    uint64_t lower_bound;  /* under any layout */
    int32_t method;        /* ZLAY_SWIZZLE_FORM .. ZLAY_SWIZZLE_FAMILY */
    int32_t least;         /* ZLAY_SWIZZLE_LEAST_* */
    uint32_t accesses;
    uint32_t optimal;      /* 1: least is ZLAY_SWIZZLE_LEAST_ANY */
    int32_t tensor;        /* ZLAY_SWIZZLE_* of the tensor copies that write it; -1: none do */
    int32_t tensor_mode;   /* the mode that must be contiguous in global memory; -1 */
    int32_t matrix;        /* ZLAY_SWIZZLE_* of the matrix descriptors that read it; -1 */
    uint32_t xors;         /* terms of its bits past one each */
    uint64_t reserved[4];  /* 0 */
} zlay_swizzle_summary;

/** What an access takes, all instances. */
typedef struct zlay_swizzle_cost {
    uint64_t wavefronts;
    uint64_t ideal;       /* the least that the same active lanes can take */
    uint64_t lower_bound; /* the least for the elements that they take */
    uint64_t instances;
} zlay_swizzle_cost;

/** Find a layout of the tile for its accesses.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE proved that there is none: no layout has every
 *           vector at consecutive, aligned elements, the message has an element
 *           that shows it, or the tile is larger than a block's shared memory;
 *           ZLAY_EINVAL the message names the field; ZLAY_ENOTSUP no layout of
 *           the families has them, or an access is not measured on the target;
 *           ZLAY_ELIMIT more than limits.points elements; ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_swizzle_free.
 */
ZLAY_API zlay_status zlay_swizzle_synth(zlay_ctx *ctx, zlay_swizzle **out,
                                        const zlay_target *target,
                                        const zlay_swizzle_request *request);

/** Free a swizzle; NULL is allowed. */
ZLAY_API void zlay_swizzle_free(zlay_swizzle *swizzle);

/** Read what a layout is.  Returns: ZLAY_OK; ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_swizzle_info(zlay_swizzle_summary *out, const zlay_swizzle *swizzle);

/** The i-th access's cost.  Returns: ZLAY_OK; ZLAY_NONE past the last;
 *  ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_swizzle_cost_nth(zlay_swizzle_cost *out, const zlay_swizzle *swizzle,
                                           uint32_t i);

/** The layout: index into the tile's shape -> element offset from a multiple of
 *  256 bytes, or of 1024 where tensor copies write it; lives as long as the
 *  swizzle; NULL for NULL. */
ZLAY_API const zlay_layout *zlay_swizzle_layout(const zlay_swizzle *swizzle);

/** Decide whether some layout that is linear over F2 has no conflict, by the
 *  subspaces of the accesses alone, whatever layout zlay_swizzle_synth finds.
 *
 *  Returns: ZLAY_OK, UNDECIDED included; ZLAY_EINVAL as zlay_swizzle_synth;
 *           ZLAY_ENOTSUP the request is not linear over F2.
 */
ZLAY_API zlay_status zlay_swizzle_decide(zlay_ctx *ctx, zlay_answer *answer,
                                         const zlay_target *target,
                                         const zlay_swizzle_request *request);

#ifdef __cplusplus
}
#endif
#endif
