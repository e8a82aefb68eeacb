/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/smemdesc_synth.h - matrix descriptors that read a shared layout.
 *
 *  By hand.  B of wgmma m64n256k16 is 256 x 64 bf16, K-major, at shared address
 *  2048: layout (256,64):(64,1) under the swizzle of 128 bytes.  A row has 128
 *  bytes, so eight rows, one pattern, are sbo = 1024 bytes; a swizzled K-major
 *  operand never uses lbo, which is 16.  One instruction takes 16 of K, 32
 *  bytes: four steps, whose descriptors start at 2048, 2080, 2112 and 2144.
 */
#ifndef ZLAY_SMEMDESC_SYNTH_H
#define ZLAY_SMEMDESC_SYNTH_H

#include <zlay/layout.h>
#include <zlay/smemdesc.h>
#include <zlay/tensormap.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The swizzle is to be found. */
enum { ZLAY_SWIZZLE_FIND = -1 };

/** What zlay_smemdesc_synth reads. */
typedef struct zlay_smemdesc_request {
    uint32_t size;            /* sizeof(zlay_smemdesc_request) */
    int32_t type;             /* ZLAY_TYPE_*, of wgmma's operands */
    int32_t major;            /* ZLAY_MAJOR_* */
    int32_t swizzle;          /* ZLAY_SWIZZLE_*, 4 or ZLAY_SWIZZLE_FIND */
    uint32_t mma_mn, mma_k;   /* elements: 32 bytes of K, 64 of B beside a sparse A */
    uint32_t address;         /* shared address of offset 0, bytes */
    uint32_t pattern_at_start; /* 1: the swizzle pattern begins at `address`; 2: at
                                  any line */
    const zlay_layout *layout;
    uint64_t reserved[4];     /* 0 */
} zlay_smemdesc_request;

/** The descriptors of an operand's instructions in one stage, from a shared
 *  layout.  Every coordinate of the tile is compared with what the fields read.
 *  An offset that the instructions never use is 16.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no descriptor reads this layout: the message has
 *           the rule and the first coordinate, in colexicographic order, that
 *           no field can reach; ZLAY_EINVAL; ZLAY_ENOTSUP; ZLAY_EROOM;
 *           ZLAY_ELIMIT more than limits.points coordinates; ZLAY_ENOMEM.
 *  Out:     fields  of step 0, without `start` of the step.
 *           start   shared address of each step, MN steps fastest, then K
 *                   steps; `room` entries.
 *           count   steps; written with ZLAY_EROOM too.
 *  In:      layout   (MN, K) coordinate -> element offset before swizzling,
 *                    from `address`; of 4- and 6-bit types elements as
 *                    zlay_smemdesc_layout counts them.
 *           swizzle  ZLAY_SWIZZLE_*, or ZLAY_SWIZZLE_FIND: the layout has the
 *                    places behind the swizzle, and which one that is, the
 *                    first of NONE, 32B, 64B, 128B and 4 that reads them, is in
 *                    `fields`.  4 is 128B in atoms of 32 bytes, of tf32 and
 *                    MN-major on sm_100.  mma_mn, mma_k: elements of one
 *                    instruction.
 *           pattern_at_start  with ZLAY_SWIZZLE_FIND also 2: the pattern may
 *                    begin at any line, and `fields` has the base offset.
 */
ZLAY_API zlay_status zlay_smemdesc_synth(zlay_ctx *ctx, zlay_smemdesc *fields, uint32_t *start,
                                         size_t room, size_t *count, const zlay_target *target,
                                         const zlay_smemdesc_request *request);

#ifdef __cplusplus
}
#endif
#endif
