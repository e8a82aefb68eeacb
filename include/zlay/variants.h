/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/variants.h - which specialised variants of a kernel are worth having, and
 *  the function that selects one of them by sizes that only the run knows.
 *
 *  By hand.  A copy of n elements is specialised for 8 and for 4 elements at a
 *  time; a third variant takes any n.  An access costs 1, so a shape costs n / 8,
 *  n / 4 or n.  Shapes 64, 96 and 100 are usual, 7 is seldom:
 *
 *      n    weight  n % 8 == 0  n % 4 == 0  any
 *      64     10         8          16       64
 *      96     10        12          24       96
 *     100     10         -          25      100
 *       7      1         -           -        7
 *
 *  All three cost 10 * (8 + 12 + 25) + 7 = 457, and nothing costs less.  Of two,
 *  one takes any n, or n = 7 has none: with n % 4 it is 10 * (16 + 24 + 25) + 7 =
 *  657, with n % 8 10 * (8 + 12 + 100) + 7 = 1207.  So a bound of 700 needs two,
 *  and a bound of 500 needs three.  The selector tests guards in their order, and
 *  the first one that holds wins: n % 8 stands before n % 4, as 64 has both.
 *
 *      if (n % 8 == 0) return 0;
 *      if (n % 4 == 0) return 1;
 *      return 2;
 */
#ifndef ZLAY_VARIANTS_H
#define ZLAY_VARIANTS_H

#include <zlay/copy_synth.h>
#include <zlay/plan.h>
#include <zlay/tensormap_synth.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    ZLAY_VARIANTS_UNKNOWNS = 16,
    ZLAY_VARIANTS_SHAPES = 64,
    ZLAY_VARIANTS_CANDIDATES = 1024,
    ZLAY_VARIANTS_MOST = 8 /* in an answer */
};

/** A candidate.  40 bytes. */
typedef struct zlay_variant {
    const char *const *guard; /* facts (zlay/facts.h) about the unknowns, all of which have
                                 to hold where the variant is used */
    const uint64_t *costs;    /* of each shape; read where the guard holds */
    const char *cost;         /* where costs is NULL: an expression of zlay/facts.h in the
                                 unknowns, as "ceil(m / 128) * n" */
    uint32_t guards;          /* facts; 0: the variant takes every shape */
    uint32_t reserved;        /* 0 */
    uint64_t reserved1;       /* 0 */
} zlay_variant;

/** What the bound bounds. */
enum {
    ZLAY_VARIANTS_LEAST = 0, /* nothing: the least cost by at most `most` variants */
    ZLAY_VARIANTS_COST,      /* the cost of all shapes, each times its weight */
    ZLAY_VARIANTS_PERCENT    /* by how many percent that cost passes the one of all candidates
                                together, in which each shape takes its cheapest */
};

/** Unknowns, facts about them, shapes, and candidates.  Texts end with a 0. */
typedef struct zlay_variants_request {
    uint32_t size;             /* sizeof(zlay_variants_request) */
    uint32_t unknowns;         /* 1 to ZLAY_VARIANTS_UNKNOWNS */
    const char *const *unknown; /* names that are no words of C or C++ */
    const char *const *fact;   /* what holds of every shape that the selector may get:
                                  ranges of unknowns, how they compare */
    uint32_t facts;            /* may be 0 */
    uint32_t shapes;           /* 1 to ZLAY_VARIANTS_SHAPES */
    const int64_t *value;      /* of each unknown of the first shape, then of the next */
    const uint64_t *weight;    /* of each shape, at least 1; NULL: 1 */
    const zlay_variant *variant;
    uint32_t variants;         /* 1 to ZLAY_VARIANTS_CANDIDATES */
    uint32_t most;             /* variants in the answer; 0: ZLAY_VARIANTS_MOST */
    int32_t by;                /* ZLAY_VARIANTS_* */
    uint32_t reserved;         /* 0 */
    uint64_t bound;            /* as `by` says */
    uint64_t reserved1[4];     /* 0 */
} zlay_variants_request;

/** What costs count. */
enum {
    ZLAY_VARIANTS_OWN = 0,      /* what those of the request do */
    ZLAY_VARIANTS_NS,           /* nanoseconds, by a model of measured times */
    ZLAY_VARIANTS_CLOCKS,       /* clocks of a processor, by a model of published widths */
    ZLAY_VARIANTS_MADDS,        /* products and sums of elements that no element of D has */
    ZLAY_VARIANTS_INSTRUCTIONS  /* tensor copies, and instructions of warps */
};

/** What a choice takes. */
typedef struct zlay_variants_summary {
    uint32_t count;    /* of variants */
    uint32_t shapes;
    uint64_t cost;     /* of all shapes by the selector, each times its weight */
    uint64_t cheapest; /* the same where each shape takes its cheapest candidate */
    uint64_t fewer;    /* with one variant less the cost is at least this, which is more than
                          the bound; UINT64_MAX: so few take not every shape; 0: count is 1 */
    int32_t unit;      /* ZLAY_VARIANTS_OWN..: of costs */
    uint32_t reserved; /* 0 */
} zlay_variants_summary;

/** A chosen variant. */
typedef struct zlay_variants_item {
    uint32_t variant;  /* number of a candidate */
    uint32_t shapes;   /* that it takes */
    uint64_t cost;     /* of these, each times its weight */
} zlay_variants_item;

/** Chosen variants in the order in which a selector tests their guards; immutable,
 *  read by any thread. */
typedef struct zlay_variants zlay_variants;

/** Choose the fewest variants whose cost is within the bound, and of so many those
 *  of the least cost.  A shape costs what the variant costs that the selector
 *  takes: the first one in the order whose guard holds; the order is chosen too.
 *  Every shape of which the facts hold has a variant, by a decision over all
 *  integers and not the given shapes alone.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no `most` variants are within the bound, or take
 *           every shape, the message says which; ZLAY_EINVAL the message names the
 *           field and the entry; ZLAY_EOVERFLOW a sum of a guard or of costs may
 *           pass 64 bits; ZLAY_ELIMIT the search or the decision was ended, the
 *           message names the limit; ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_variants_free.
 *  In:      request  borrowed, not kept.
 */
ZLAY_API zlay_status zlay_variants_choose(zlay_ctx *ctx, zlay_variants **out,
                                          const zlay_variants_request *request);

/** Read what a choice takes.  Returns: ZLAY_OK; ZLAY_EINVAL a NULL.  Pure. */
ZLAY_API zlay_status zlay_variants_info(zlay_variants_summary *out, const zlay_variants *variants);

/** Read the i-th variant in the selector's order.
 *  Returns: ZLAY_OK; ZLAY_NONE past the last; ZLAY_EINVAL a NULL.  Pure. */
ZLAY_API zlay_status zlay_variants_nth(zlay_variants_item *out, const zlay_variants *variants,
                                       uint32_t i);

/** Which variant the selector takes.
 *
 *  Returns: its place in the selector's order; -1: the request's facts do not hold
 *           of the values, or a pointer is NULL.  Pure.
 *  In:      value  of each unknown; any integers.
 */
ZLAY_API int32_t zlay_variants_select(const zlay_variants *variants, const int64_t *value);

/** Print the selector, a function of C that is one of CUDA C and HIP too: it takes
 *  the unknowns, each a long long, in the request's order, and returns an int as
 *  zlay_variants_select does.  No value makes its arithmetic pass 64 bits.
 *
 *  Returns: ZLAY_OK; ZLAY_EROOM; ZLAY_EINVAL a NULL, or the name is no identifier,
 *           or one of the unknowns.
 *  In:      name  `length` bytes.
 */
ZLAY_API zlay_status zlay_variants_print(zlay_buf *out, const zlay_variants *variants,
                                         const char *name, size_t length);

/** Print a test of a guard as a fact (zlay/facts.h).
 *
 *  Returns: ZLAY_OK; ZLAY_NONE past the last test; ZLAY_EROOM; ZLAY_EINVAL a NULL, or there
 *           is no i-th variant.
 *  In:      i     place of the variant; the count of variants: the request's facts.
 *           test  number of the test; all of them hold where the variant is taken.
 */
ZLAY_API zlay_status zlay_variants_fact(zlay_buf *out, const zlay_variants *variants, uint32_t i,
                                        uint32_t test);

/* ---- products of matrices ------------------------------------------------- */

/** Sizes of a GEMM that may be unknown. */
enum { ZLAY_VARIANTS_M = 0, ZLAY_VARIANTS_N, ZLAY_VARIANTS_K, ZLAY_VARIANTS_LDA,
       ZLAY_VARIANTS_LDB, ZLAY_VARIANTS_LDD, ZLAY_VARIANTS_SIZES };

/** What a variant of a GEMM costs. */
enum {
    ZLAY_VARIANTS_TIME = 0, /* modelled nanoseconds (docs/gemm.md), of wgmma alone, whose times were
                               measured; no less than memory takes to read A and B and write D */
    ZLAY_VARIANTS_WASTE     /* of every target: products and sums that its tiles compute beside
                               those of D; it knows no paths: candidates have the least alignment */
};

/** A GEMM with unknown sizes, and the shapes that it is run with. */
typedef struct zlay_variants_gemm {
    uint32_t size;     /* sizeof(zlay_variants_gemm) */
    uint32_t of[ZLAY_VARIANTS_SIZES]; /* by ZLAY_VARIANTS_M.. the unknown that the size is,
                                         counted from 1; 0: the gemm's own field */
    int32_t cost;      /* ZLAY_VARIANTS_TIME, _WASTE */
    const zlay_gemm *gemm;  /* swap and stream_k may be AUTO; scales, groups, repack and
                               multicast are none */
    zlay_variants_request shapes; /* without candidates */
} zlay_variants_gemm;

/** Choose variants of a GEMM; the candidates come from the planner.  By TIME each is a
 *  tile, split_k, swap and stream_k, which the planner chooses for a shape, with the
 *  alignment of rows that its copies need; by WASTE each tile that the planner takes, swapped
 *  or not.  Its guard has every condition under which zlay_gemm_synth takes the choices.
 *  The same with m, n or k up to that of a shape, for which it is chosen or wastes least,
 *  is a candidate too.  Facts that every plan needs are added to those of the request.
 *
 *  Returns: as zlay_variants_choose; ZLAY_ENOTSUP a target or a field of the gemm, the message
 *           says why; ZLAY_EOVERFLOW also where the facts' ranges of sizes let a matrix pass
 *           2^64 bytes.
 *  Out:     choice  ZLAY_VARIANTS_MOST requests, of which the first are those of the
 *                   variants in their order: the gemm, its choices fixed, and 0 where a size
 *                   is unknown.
 *  In:      request  borrowed, not kept.
 */
ZLAY_API zlay_status zlay_variants_gemm_choose(zlay_ctx *ctx, zlay_variants **out,
                                               zlay_gemm *choice, const zlay_target *target,
                                               const zlay_variants_gemm *request);

/* ---- tiles of a tensor ----------------------------------------------------- */

/** Loads of a tile of a tensor with unknowns, and the shapes that it has.
 *
 *  By hand.  Of (M,K):(ld,1) in bf16 tiles of 64 x 64 go to shared memory with the
 *  128-byte swizzle, edges weak.  A tensor copy brings a tile where ld % 8 == 0.
 *  cp.async of 16, 8 and 4 bytes take 16, 32 and 64 instructions of warps where
 *  8, 4 and 2 divide ld and K; loads and stores of 2 bytes take 256, always. */
typedef struct zlay_variants_tile {
    uint32_t size;     /* sizeof(zlay_variants_tile) */
    uint32_t threads;  /* of the block that take part at most; 0: 128 */
    const zlay_tensormap_request *tile; /* a load of a tile by its shape, without facts, index
                                           and residual; its source's names are unknowns */
    zlay_variants_request shapes; /* without candidates */
} zlay_variants_tile;

/** Choose variants of loads of a tile; the candidates come from the planners: the
 *  tensor copies of zlay_tensormap_synth under their guard, the copy by threads of
 *  zlay_copy_synth, and its wider ones under theirs.  Where edges are strong, threads
 *  load of tensors of whole tiles alone, for they fill in nothing.  Costs are
 *  tensor copies, and instructions of warps, of all tiles of a shape.  That extents are
 *  at least 1 is added to the facts.
 *
 *  Returns: as zlay_variants_choose; ZLAY_NONE also that no copies bring the tile;
 *           ZLAY_ENOTSUP also a guard that is no fact, the message has it; else as the
 *           planners.
 *  Out:     move  ZLAY_VARIANTS_MOST moves, of which the first are those of the variants in
 *                 their order: free each with zlay_move_free; the others are NULL, and all
 *                 are unless ZLAY_OK.
 *  In:      request  borrowed, not kept.
 */
ZLAY_API zlay_status zlay_variants_tile_choose(zlay_ctx *ctx, zlay_variants **out,
                                               zlay_move **move, const zlay_target *target,
                                               const zlay_variants_tile *request);

/** Free a choice; NULL is allowed. */
ZLAY_API void zlay_variants_free(zlay_variants *variants);

#ifdef __cplusplus
}
#endif
#endif
