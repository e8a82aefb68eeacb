/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/mma.h - matrix instructions.
 */
#ifndef ZLAY_MMA_H
#define ZLAY_MMA_H

#include <zlay/legality.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One wgmma.mma_async. bf16 operands, f32 accumulator by now. */
typedef struct zlay_mma {
    uint32_t m, n, k;         /* elements */
    int32_t a, b, d;          /* ZLAY_TYPE_BF16, ZLAY_TYPE_F32 */
    int32_t a_major, b_major; /* ZLAY_MAJOR_* */
    uint32_t reserved[4];     /* 0 */
} zlay_mma;

/** Check the shape, types and major-ness of a matrix instruction.  Returns,
 *  Out as tensormap_check; ZLAY_ENOTSUP for operands of wgmma's other types. */
ZLAY_API zlay_status zlay_mma_check(zlay_verdict *out, zlay_reason *reasons,
                                    size_t room, const zlay_target *target,
                                    const zlay_mma *mma);

#ifdef __cplusplus
}
#endif
#endif
