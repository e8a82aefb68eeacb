/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's three calls that encode tensor maps, as a program reaches them: each calls the
 * driver's first, with the same arguments, then has them explained, and returns what the driver
 * returned. */
#include "preload/preload.h"

/* `read` is the status of reading the arguments: not OK where an array is NULL. */
static zl_cu_result told(const char *call, zl_cu_result result, zlay_status read,
                         const zlay_tensormap *map)
{
    zl_tell(call, result, read ? NULL : map);
    return result;
}

zl_cu_result cuTensorMapEncodeTiled(struct CUtensorMap_st *out, zl_cu_enum type, uint32_t rank,
                                    void *address, const uint64_t *extent, const uint64_t *stride,
                                    const uint32_t *box, const uint32_t *step,
                                    zl_cu_enum interleave, zl_cu_enum swizzle, zl_cu_enum l2,
                                    zl_cu_enum oob)
{
    zlay_tensormap map = {0};
    const __typeof__(&cuTensorMapEncodeTiled) call = ZL_REAL(cuTensorMapEncodeTiled);
    if (!call) return ZL_ABSENT;
    const zlay_status read = zlay_tensormap_from_tiled(
        &map, (int32_t)type, rank, address, extent, stride, box, step, (int32_t)interleave,
        (int32_t)swizzle, (int32_t)l2, (int32_t)oob);
    return told(__func__,
                call(out, type, rank, address, extent, stride, box, step, interleave, swizzle, l2,
                     oob),
                read, &map);
}

zl_cu_result cuTensorMapEncodeIm2col(struct CUtensorMap_st *out, zl_cu_enum type, uint32_t rank,
                                     void *address, const uint64_t *extent, const uint64_t *stride,
                                     const int *lower, const int *upper, uint32_t channels,
                                     uint32_t pixels, const uint32_t *step, zl_cu_enum interleave,
                                     zl_cu_enum swizzle, zl_cu_enum l2, zl_cu_enum oob)
{
    zlay_tensormap map = {0};
    const __typeof__(&cuTensorMapEncodeIm2col) call = ZL_REAL(cuTensorMapEncodeIm2col);
    if (!call) return ZL_ABSENT;
    const zlay_status read = zlay_tensormap_from_im2col(
        &map, (int32_t)type, rank, address, extent, stride, lower, upper, channels, pixels, step,
        (int32_t)interleave, (int32_t)swizzle, (int32_t)l2, (int32_t)oob);
    return told(__func__,
                call(out, type, rank, address, extent, stride, lower, upper, channels, pixels, step,
                     interleave, swizzle, l2, oob),
                read, &map);
}

zl_cu_result cuTensorMapEncodeIm2colWide(struct CUtensorMap_st *out, zl_cu_enum type, uint32_t rank,
                                         void *address, const uint64_t *extent,
                                         const uint64_t *stride, int lower, int upper,
                                         uint32_t channels, uint32_t pixels, const uint32_t *step,
                                         zl_cu_enum interleave, zl_cu_enum mode,
                                         zl_cu_enum swizzle, zl_cu_enum l2, zl_cu_enum oob)
{
    zlay_tensormap map = {0};
    const __typeof__(&cuTensorMapEncodeIm2colWide) call = ZL_REAL(cuTensorMapEncodeIm2colWide);
    if (!call) return ZL_ABSENT;
    const zlay_status read = zlay_tensormap_from_im2col_wide(
        &map, (int32_t)type, rank, address, extent, stride, lower, upper, channels, pixels, step,
        (int32_t)interleave, (int32_t)mode, (int32_t)swizzle, (int32_t)l2, (int32_t)oob);
    return told(__func__,
                call(out, type, rank, address, extent, stride, lower, upper, channels, pixels, step,
                     interleave, mode, swizzle, l2, oob),
                read, &map);
}
