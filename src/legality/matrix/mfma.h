/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix instructions that read both operands from registers: what follows from a form that exists. */
#ifndef ZL_MFMA_H
#define ZL_MFMA_H

#include "legality/matrix/matrix.h"

/* Targets, as rows of mfma*.def name them. */
enum { ZL_GFX90A = 1, ZL_GFX942 = 2, ZL_GFX950 = 4, ZL_GFX1250 = 8 };

uint32_t zl_mfma_target(const zlay_target *target);

/* Independent products of a legal instruction. */
uint32_t zl_mfma_blocks(const zlay_target *target, const zlay_mma *mma);

/* Whether it is told the formats of A and B: f8f6f4. */
bool zl_mfma_told(const zlay_target *target, const zlay_mma *mma);

/* zlay_mma_fragment; the instruction exists. */
zlay_status zl_mfma_fragment(zlay_ctx *ctx, zlay_layout **out, const zlay_target *target,
                             const zlay_mma *mma, int32_t fragment);

#endif
