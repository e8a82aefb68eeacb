/* SPDX-License-Identifier: Apache-2.0 */
/* What other rooms need of the synthesis of matrix descriptors: the check of a request. */
#ifndef ZL_SYNTH_SMEMDESC_H
#define ZL_SYNTH_SMEMDESC_H

#include <zlay/smemdesc_synth.h>

/* What can be said of a request without its layout: numbers, type, major-ness and swizzle. */
zlay_status zl_desc_request_check(zlay_ctx *ctx, const zlay_target *target,
                                  const zlay_smemdesc_request *r);

/* zlay_smemdesc_synth as a part of a call (zl_enter_part). */
zlay_status zl_smemdesc_find(zlay_ctx *ctx, zlay_smemdesc *fields, uint32_t *start, size_t room,
                             size_t *count, const zlay_target *target,
                             const zlay_smemdesc_request *request);

#endif
