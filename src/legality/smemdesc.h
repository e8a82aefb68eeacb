/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of shared-memory matrix descriptors: one an architecture. */
#ifndef ZL_SMEMDESC_H
#define ZL_SMEMDESC_H

#include "legality/rule.h"

/* `pack` answers false where a field does not fit. */
typedef struct zl_desc_format {
    bool (*pack)(uint64_t *out, const zlay_smemdesc *fields);
    void (*unpack)(zlay_smemdesc *out, uint64_t desc);
} zl_desc_format;

extern const zl_desc_format zl_desc_sm90, zl_desc_sm100;

/* Whether wgmma reads operands of a type and major-ness through descriptors: ZLAY_OK, or ZLAY_NONE
 * with the rule of an instruction that has it as A; ctx may be NULL. */
zlay_status zl_desc_type_check(zlay_ctx *ctx, const zlay_target *target, int32_t type,
                               int32_t major);

#endif
