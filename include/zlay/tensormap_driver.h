/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/tensormap_driver.h - tensor maps from the arguments of the driver's calls.
 *
 *  Each function has the arguments of one call of cuda.h in its order, so that a
 *  host writes it beside the call and changes the name alone.
 */
#ifndef ZLAY_TENSORMAP_DRIVER_H
#define ZLAY_TENSORMAP_DRIVER_H

#include <zlay/tensormap.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Read the arguments of cuTensorMapEncodeTiled, in its order and units.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL where entries are read.
 *  Out:     out  the map; any value of any argument has a verdict.
 *  In:      rank    entries of extent, box and step, one less of stride; of more
 *                   than 5 the first 5 are read.
 *           step    cuda.h's elementStrides; extent its globalDim, stride its
 *                   globalStrides, box its boxDim.
 */
ZLAY_API zlay_status zlay_tensormap_from_tiled(zlay_tensormap *out, int32_t type, uint32_t rank,
                                               const void *address, const uint64_t *extent,
                                               const uint64_t *stride, const uint32_t *box,
                                               const uint32_t *step, int32_t interleave,
                                               int32_t swizzle, int32_t l2, int32_t oob);

/** Read the arguments of cuTensorMapEncodeIm2col, in its order and units.
 *  Returns, Out as tensormap_from_tiled.
 *
 *  In:      lower, upper  rank - 2 entries each, those of W first.
 */
ZLAY_API zlay_status zlay_tensormap_from_im2col(zlay_tensormap *out, int32_t type, uint32_t rank,
                                                const void *address, const uint64_t *extent,
                                                const uint64_t *stride, const int32_t *lower,
                                                const int32_t *upper, uint32_t channels,
                                                uint32_t pixels, const uint32_t *step,
                                                int32_t interleave, int32_t swizzle, int32_t l2,
                                                int32_t oob);

/** Read the arguments of cuTensorMapEncodeIm2colWide, in its order and units.
 *  Returns, Out as tensormap_from_tiled.
 *
 *  In:      mode  0 W, 1 W128.
 */
ZLAY_API zlay_status zlay_tensormap_from_im2col_wide(
    zlay_tensormap *out, int32_t type, uint32_t rank, const void *address, const uint64_t *extent,
    const uint64_t *stride, int32_t lower, int32_t upper, uint32_t channels, uint32_t pixels,
    const uint32_t *step, int32_t interleave, int32_t mode, int32_t swizzle, int32_t l2,
    int32_t oob);

#ifdef __cplusplus
}
#endif
#endif
