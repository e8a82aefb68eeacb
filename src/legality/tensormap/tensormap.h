/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps as a subject of rules. */
#ifndef ZL_TENSORMAP_H
#define ZL_TENSORMAP_H

#include "legality/tensormap/size.h"
#include "rules/rule.h"

extern const zl_subject_form zl_tensormap_form; /* its value: a zlay_tensormap */

/* zl_range_of of a stride, which repairs ask again and again: from rows as code. */
zl_field_range zl_stride_range(const zl_subject *subject, uint32_t i);

void zl_tensormap_fix(zlay_reason *reason, const zl_rule *rule, const zl_subject *subject);

/* Reads a question and refuses what is NULL or not 0 there. */
zlay_status zl_tensormap_question_read(zlay_tensormap_question *out,
                                       const zlay_tensormap_question *question);

/* zlay_tensormap_check_given as a part of a call (zl_enter_part). */
zlay_status zl_tensormap_check_symbolic(zlay_ctx *ctx, zlay_verdict *out, zlay_reason *reasons,
                                        size_t room, zlay_buf *guard,
                                        const zlay_tensormap_question *question);

#endif
