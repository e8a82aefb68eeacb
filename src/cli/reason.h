/* SPDX-License-Identifier: Apache-2.0 */
/* Why one candidate takes more than another by the terms of the model. */
#ifndef ZL_CLI_REASON_H
#define ZL_CLI_REASON_H

#include <zlay/attention.h>

enum { ZL_REASON = 96 };

/* A few words, 0-terminated, on why `c` takes more than `other`, or that it does not; of two that
 * have no modelled time "". */
void zl_gemm_reason(char out[ZL_REASON], const zlay_gemm_candidate *c,
                    const zlay_gemm_candidate *other, int64_t processors);
void zl_attention_reason(char out[ZL_REASON], const zlay_attention_candidate *c,
                         const zlay_attention_candidate *other, int64_t processors);

#endif
