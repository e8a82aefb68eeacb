/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/bank.h - wavefronts of accesses to shared memory.
 */
#ifndef ZLAY_BANK_H
#define ZLAY_BANK_H

#include <zlay/legality.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Count the wavefronts of one warp-wide shared-memory access.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no measured phases for this width and target;
 *           ZLAY_EINVAL a NULL, a width that is none, an address not aligned to
 *           it.
 *  Out:     wavefronts  summed over the phases.
 *           ideal       the least that the same active lanes can give.
 *           phase       lane -> number of its phase, -1 inactive; NULL: not
 *                       asked.
 *  In:      width      bytes of one lane: 4, 8 or 16; ldmatrix and stmatrix
 *                      rows are 16.
 *           addresses  32 shared byte addresses; UINT32_MAX for an inactive
 *                      lane.
 *  Pure.
 */
ZLAY_API zlay_status zlay_bank_count(uint32_t *wavefronts, uint32_t *ideal, int32_t *phase,
                                     const zlay_target *target, uint32_t width,
                                     const uint32_t *addresses);

#ifdef __cplusplus
}
#endif
#endif
