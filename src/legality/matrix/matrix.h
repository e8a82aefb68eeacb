/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix instructions as subjects of rules: a zlay_mma of each family. */
#ifndef ZL_MATRIX_H
#define ZL_MATRIX_H

#include "rules/rule.h"

#include <zlay/mma.h>

extern const zl_subject_form zl_wgmma_form, zl_mfma_form;

/* How many rules of wgmma an instruction breaks; none of them is noted. */
uint32_t zl_wgmma_broken(const zlay_target *target, const zlay_mma *mma);

/* zlay_mma_fragment as a part of a call. */
zlay_status zl_mma_fragment(zlay_ctx *ctx, zlay_layout **out, const zlay_target *target,
                            const zlay_mma *mma, int32_t fragment);

/* zlay_warp_fragment as a part of a call. */
zlay_status zl_warp_fragment(zlay_ctx *ctx, zlay_layout **out, int32_t fragment, uint32_t bits,
                             uint32_t registers);

#endif
