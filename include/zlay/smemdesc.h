/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/smemdesc.h - shared-memory matrix descriptors.
 */
#ifndef ZLAY_SMEMDESC_H
#define ZLAY_SMEMDESC_H

#include <zlay/legality.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which dimension of an operand is contiguous in shared memory. */
enum { ZLAY_MAJOR_K = 0, ZLAY_MAJOR_MN = 1 };

/** Fields of a 64-bit shared-memory matrix descriptor of sm_90a. 32 bytes. */
typedef struct zlay_smemdesc {
    uint32_t start;       /* shared address, bytes, a multiple of 16 below 2^18 */
    uint32_t lbo, sbo;    /* leading and stride byte offset, as `start` */
    uint32_t base_offset; /* 0 to 7: row of the swizzle pattern */
    int32_t swizzle;      /* ZLAY_SWIZZLE_* */
    uint32_t reserved[3]; /* 0 */
} zlay_smemdesc;

/** Check the fields of a matrix descriptor.  Returns, Out as tensormap_check. */
ZLAY_API zlay_status zlay_smemdesc_check(zlay_verdict *out, zlay_reason *reasons,
                                         size_t room, const zlay_target *target,
                                         const zlay_smemdesc *fields);

/** Pack a matrix descriptor.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL when zlay_smemdesc_check says NO;
 *           ZLAY_ENOTSUP a target without wgmma.
 *  Out:     out  the 64 bits.
 */
ZLAY_API zlay_status zlay_smemdesc_pack(uint64_t *out, const zlay_target *target,
                                        const zlay_smemdesc *fields);

/** Unpack a matrix descriptor: any 64 bits have fields.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL; ZLAY_ENOTSUP.
 *  Out:     out   the fields.
 *           must_be_zero  the bits that are set and must not be.
 */
ZLAY_API zlay_status zlay_smemdesc_unpack(zlay_smemdesc *out, uint64_t *must_be_zero,
                                          const zlay_target *target, uint64_t desc);

#ifdef __cplusplus
}
#endif
#endif
