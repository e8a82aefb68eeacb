/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/weights.h - products of few vectors with weights of 4 or 8 bits: a proved
 *  pipe that dequantises them on their way from shared memory to registers.
 *
 *  D = A B, where A has m rows of k elements, and B is n rows of k weights: D has
 *  m rows of n.  A weight is (q - zero) * scale: q has 4 or 8 bits, and `group`
 *  weights of a row, one after the other along k, share a zero and a scale.
 *
 *    weights      group  scales          zeros  A and D
 *    u4, s4, s8   128    of A's type     may    bf16, f16
 *    e2m1         32     ue8m0 (mxfp4)   none   bf16
 *    e2m1         16     e4m3 (nvfp4)    none   bf16, f16; D is multiplied by x_factor
 *    e4m3, e5m2   32     ue8m0 (mxfp8)   none   bf16
 *
 *  sm_90a has all of them; sm_100a and its like have groups of 128; gfx90a, gfx942 and
 *  gfx950 have u4 and s4 with bf16.
 *
 *  One plan by hand.  m = 16, n = k = 8192 on sm_90a: a block computes 64 columns
 *  of D, so the grid has 128 blocks.  A step is 64 x 128 weights, 4096 bytes, with
 *  16 x 128 elements of A, 4096 bytes, and 64 scales and zeros of 128 bytes each,
 *  which take 1024 each in their stages.  Four warpgroups take the 64 steps in
 *  turn, 16 each, and three hand their 64 x 16 sums, 4096 bytes, to the first.  16
 *  stages of 10240 bytes, 12288 for sums and 2048 for D are 178176 bytes.
 */
#ifndef ZLAY_WEIGHTS_H
#define ZLAY_WEIGHTS_H

#include <zlay/layout.h>
#include <zlay/move.h>
#include <zlay/pipe.h>

#ifdef __cplusplus
extern "C" {
#endif

/** D = A B, B of 4 or 8 bits.  0 means the default. */
typedef struct zlay_weights {
    uint32_t size;         /* sizeof(zlay_weights) */
    int32_t type;          /* of A, D, zeros and scales of 128: ZLAY_TYPE_BF16 (0: that) or _F16 */
    int32_t weights;       /* ZLAY_TYPE_U4 (0: that), 0 to 15, _S4, -8 to 7, _S8, _E2M1, .. */
    uint32_t group;        /* weights along k that share a scale; default: the type's first above */
    uint64_t m, n, k;      /* at least 1; n and k multiples of 8 */
    uint64_t lda, ldd;     /* elements from row to row of A and D; default: k, n */
    uint64_t lds;          /* scales or zeros from one 128 of k to the next; default: all */
    uint32_t zeros;        /* 1: there are zeros, whole numbers from 0 to 15; 0: they are 0 */
    uint32_t warpgroups;   /* that share the steps of k, 1 to 4; default: by m and k */
    uint32_t cluster;      /* blocks that share rows of A by multicast, 1 or 2; default 1 */
    uint32_t reserved0;    /* 0 */
    uint64_t reserved[3];  /* 0 */
} zlay_weights;

/** An immutable plan; read by any thread. */
typedef struct zlay_weights_plan zlay_weights_plan;

/** What a plan holds. */
typedef struct zlay_weights_summary {
    uint32_t tile_m, tile_n, tile_k; /* rows of A, of B, elements of k of a step */
    uint32_t stages;      /* of the ring */
    uint32_t warpgroups;  /* that share the steps */
    uint32_t threads;     /* of a block */
    uint64_t grid[3];     /* tiles of n, a multiple of the cluster's blocks; of m; 1 */
    uint64_t steps;       /* of k: the argument n_N */
    uint64_t packed;      /* bytes of B as zlay_weights_pack writes it */
    uint32_t moves;       /* of the pipe */
    uint32_t cluster;     /* blocks of a cluster */
} zlay_weights_summary;

/** Plan the product.
 *
 *  A plan for gfx targets has no moves, one stage of registers, one warpgroup.
 *
 *  The kernel (zlay_emit_weights) reads A, B in the order of zlay_weights_pack,
 *  scales and zeros as [ceil(k / 128)][n][128 / group], and stores D.  Its arguments
 *  are tensor maps in the order of the moves, n_N and, for groups of 16, x_factor.
 *
 *  Groups of 128: the sum of a group is a sum of exact products (q - zero) * a in
 *  f32; it is multiplied by the scale in f32, and groups are added in f32.
 *
 *  Groups of 32 and 16: q * scale is a number of A's type, products with a are exact,
 *  and their sum is in f32.  q * scale is exact for e4m3 scales, for e2m1 with ue8m0
 *  scales from 2^-68 to 2^65, and for e4m3 and e5m2 where the product is a bf16.
 *  Less is rounded to a subnormal number or 0, more is infinite, and with e2m1 a
 *  weight of 0 is NaN there.  A scale of 255 is NaN, and makes its column of D NaN.
 *  Scales of groups past k are read with the last 128 of k and multiplied by 0: they
 *  may be any but NaN and infinite, with e2m1 up to 2^65.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no tensor map brings a tensor, the message has
 *           the rule; ZLAY_EINVAL the message names the field; ZLAY_ENOTSUP a
 *           target without wgmma, tcgen05 and mfma, a type, a group or extents that no plan has;
 *           ZLAY_EOVERFLOW; ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_weights_free.
 */
ZLAY_API zlay_status zlay_weights_synth(zlay_ctx *ctx, zlay_weights_plan **out,
                                        const zlay_target *target, const zlay_weights *weights);

/** Free a plan; NULL is allowed. */
ZLAY_API void zlay_weights_free(zlay_weights_plan *plan);

/** Read what a plan holds.  Returns ZLAY_OK; ZLAY_EINVAL a NULL.  Pure. */
ZLAY_API zlay_status zlay_weights_info(zlay_weights_summary *out, const zlay_weights_plan *plan);

/** The proved pipe of a plan; lives as long as the plan. */
ZLAY_API const zlay_pipe *zlay_weights_pipe(const zlay_weights_plan *plan);

/** The i-th move of a plan's pipe, and the tensor that it moves: its maps take
 *  the tensor's address.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE past the last; ZLAY_EINVAL a NULL.
 *  Out:     move    lives as long as the plan.
 *           tensor  'a', 'b', 'd'; 's': the scales; 'z': the zeros.
 *  Pure.
 */
ZLAY_API zlay_status zlay_weights_move_nth(const zlay_move **move, char *tensor,
                                           const zlay_weights_plan *plan, uint32_t i);

/** The order of packed weights, (row, k) -> which of the elements of `type`: tiles of
 *  64 rows and 128 of k one after the other, those of k first, the extents rounded up
 *  to whole tiles.  In a tile the 64 weights of a thread of the product are two pieces
 *  of 16 bytes, of 8 bits four.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, an extent of 0, a type that no plan has;
 *           ZLAY_EOVERFLOW; ZLAY_ENOMEM.
 *  Out:     out  is yours.
 *  In:      type  ZLAY_TYPE_U4, _S4, _S8, _E2M1, _E4M3 or _E5M2.
 */
ZLAY_API zlay_status zlay_weights_layout(zlay_ctx *ctx, zlay_layout **out, int32_t type, uint64_t n,
                                         uint64_t k);

/** Pack weights in the order of zlay_weights_layout, with 0 where there are none.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, an extent of 0, a type that no plan has, a
 *           pitch below a row's bytes;
 *           ZLAY_EROOM `room` is below the packed bytes of a plan; ZLAY_EOVERFLOW.
 *  Out:     out  `room` bytes of yours, of which `packed` are written.
 *  In:      weights  n rows of k weights of `type`, `pitch` bytes from row to row; of
 *                    4 bits two in a byte, that of even k in the lower 4 bits.
 *  Pure: allocates nothing.
 */
ZLAY_API zlay_status zlay_weights_pack(void *out, size_t room, const void *weights, uint64_t pitch,
                                       int32_t type, uint64_t n, uint64_t k);

#ifdef __cplusplus
}
#endif
#endif
