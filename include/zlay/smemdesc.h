/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/smemdesc.h - shared-memory matrix descriptors.
 *
 *  By hand: a K-major bf16 tile with rows of 128 swizzled bytes at shared
 *  address 1024 has start 1024, sbo 1024 (eight rows), lbo 16 (ignored) and
 *  swizzle 128B.  On sm_90a that is 1024/16 | 16/16 << 16 | 1024/16 << 32 |
 *  1 << 62 = 0x4000004000010040.  The next 16 of K begin 32 bytes on: start
 *  1056, 0x4000004000010042.
 */
#ifndef ZLAY_SMEMDESC_H
#define ZLAY_SMEMDESC_H

#include <zlay/layout.h>
#include <zlay/mma.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A swizzle that is ZLAY_SWIZZLE_CODE + c stands for the code c of sm_100's
 *  descriptors, to which there is no swizzle. */
enum { ZLAY_SWIZZLE_CODE = 256 };

/** How the leading offset is meant, on sm_100 and later. */
enum { ZLAY_LBO_RELATIVE = 0, ZLAY_LBO_ABSOLUTE };

/** Fields of a 64-bit shared-memory matrix descriptor. 40 bytes. */
typedef struct zlay_smemdesc {
    uint32_t start;       /* shared address, bytes, a multiple of 16 below 2^18 */
    uint32_t lbo, sbo;    /* leading and stride byte offset, as `start` */
    uint32_t base_offset; /* 0 to 7: row of the swizzle pattern */
    int32_t swizzle;      /* ZLAY_SWIZZLE_* */
    int32_t lbo_mode;     /* ZLAY_LBO_*; 0 on sm_90a */
    uint64_t other;       /* bits of the word that no field has, where they
                             differ from what the target asks there; 0 */
    uint32_t reserved[2]; /* 0 */
} zlay_smemdesc;

/** Check the fields of a matrix descriptor.  Returns, Out as mma_check. */
ZLAY_API zlay_status zlay_smemdesc_check(zlay_verdict *out, zlay_reason *reasons,
                                         size_t room, const zlay_target *target,
                                         const zlay_smemdesc *fields);

/** Pack a matrix descriptor.  Bits in `other` come back, although a check says
 *  NO to them; a field that does not fit is refused, never cut.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, a reserved word that is not 0, or a
 *           field that does not fit; ZLAY_ENOTSUP a target without descriptors.
 *  Out:     out  the 64 bits.
 */
ZLAY_API zlay_status zlay_smemdesc_pack(uint64_t *out, const zlay_target *target,
                                        const zlay_smemdesc *fields);

/** Unpack a matrix descriptor: any 64 bits have fields, and packed again they
 *  are the same bits.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL; ZLAY_ENOTSUP.
 *  Out:     out   the fields.
 */
ZLAY_API zlay_status zlay_smemdesc_unpack(zlay_smemdesc *out, const zlay_target *target,
                                          uint64_t desc);

/** One operand of one instruction as its descriptor reads it. 64 bytes. */
typedef struct zlay_smemdesc_operand {
    zlay_smemdesc desc;
    int32_t type;         /* ZLAY_TYPE_*, of the operands of wgmma or tcgen05.mma */
    int32_t major;        /* ZLAY_MAJOR_* */
    uint32_t mn, k;       /* elements; k of a sparse A as it is stored */
    uint32_t reserved[2]; /* 0 */
} zlay_smemdesc_operand;

/** The layout (mn, k) -> shared address that a descriptor reads, in bytes: the
 *  canonical layout of its type, major-ness and swizzle, with lbo and sbo as
 *  strides.  By hand, for the descriptor above and 64 x 16:
 *  Sw<3,4,3> o 1024 o ((8,8),16):((128,1024),2).  Elements of b1 and
 *  of packed e2m1 have the address of their byte.  4- and 6-bit elements that lie
 *  16 in 16 bytes count a byte each: b4x16_p64, b6x16_p32, e2m3, e3m2, and e2m1
 *  where k is 32; e2m1 is else packed, two a byte, as b4x16 always is.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no instruction reads so: the message has the
 *           rule; ZLAY_EINVAL a NULL, an extent that no instruction has, a reserved
 *           word that is not 0; ZLAY_ENOTSUP a target without descriptors, a
 *           base offset with atoms of 32 bytes, absolute leading addresses and k = 96;
 *           ZLAY_ENOMEM.
 *  Out:     out  is yours.
 */
ZLAY_API zlay_status zlay_smemdesc_layout(zlay_ctx *ctx, zlay_layout **out,
                                          const zlay_target *target,
                                          const zlay_smemdesc_operand *operand);

/** By how much `start` grows so that the same instruction reads from (mn, k) on,
 *  in a tile that goes on in the same canonical layout.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no start does: mn or k lies inside a group of
 *           eight or a chunk of 16 bytes, or the instruction would begin inside
 *           a swizzled row and end in the next, to which no start leads; else as
 *           smemdesc_layout.
 *  Out:     out  bytes.
 */
ZLAY_API zlay_status zlay_smemdesc_advance(uint64_t *out, const zlay_target *target,
                                           const zlay_smemdesc_operand *operand,
                                           uint32_t mn, uint32_t k);

#ifdef __cplusplus
}
#endif
#endif
