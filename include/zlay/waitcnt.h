/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/waitcnt.h - the operand of s_waitcnt.
 *
 *  By hand: to wait until no LDS access is under way, and for nothing else, is
 *  lgkmcnt 0, vmcnt 63 and expcnt 7, the most of each: vmcnt's low four bits at
 *  bit 0, expcnt at bit 4, lgkmcnt at bit 8, vmcnt's high two at bit 14, so
 *  0xc07f.
 *
 *  vmcnt counts loads and stores of memory, loads to LDS too, in their order;
 *  lgkmcnt LDS accesses in their order, and scalar loads in none, so that behind
 *  one only 0 says that it is over.  s_barrier waits for no counter.
 */
#ifndef ZLAY_WAITCNT_H
#define ZLAY_WAITCNT_H

#include <zlay/target.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How many may still be under way; the most of each: it is not waited for. */
typedef struct zlay_waitcnt {
    uint32_t vmcnt;    /* 0 to 63 */
    uint32_t expcnt;   /* 0 to 7 */
    uint32_t lgkmcnt;  /* 0 to 15 */
    uint32_t reserved; /* 0 */
} zlay_waitcnt;

/** The counts that wait for nothing.  Returns: ZLAY_OK; ZLAY_EINVAL; ZLAY_ENOTSUP. */
ZLAY_API zlay_status zlay_waitcnt_most(zlay_waitcnt *out, const zlay_target *target);

/** Pack the operand of s_waitcnt; a count that does not fit is refused.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, a reserved word that is not 0, or a
 *           count that does not fit; ZLAY_ENOTSUP a target without s_waitcnt.
 */
ZLAY_API zlay_status zlay_waitcnt_pack(uint32_t *out, const zlay_target *target,
                                       const zlay_waitcnt *counts);

/** Unpack the operand of s_waitcnt.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, or bits that no count has;
 *           ZLAY_ENOTSUP.
 */
ZLAY_API zlay_status zlay_waitcnt_unpack(zlay_waitcnt *out, const zlay_target *target,
                                         uint32_t operand);

#ifdef __cplusplus
}
#endif
#endif
