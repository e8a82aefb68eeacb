/* SPDX-License-Identifier: Apache-2.0 */
/* How the kernel of a plan of groups is called, as a C header. */
#ifndef ZL_EMIT_PLAN_CALL_H
#define ZL_EMIT_PLAN_CALL_H

#include "base/base.h"
#include <zlay/plan.h>

typedef struct zl_call_text {
    const zlay_plan *plan;
    const char *name;
    size_t length;
} zl_call_text;

/* Print the header of the zl_call_text `value`. */
void zl_call_write(zl_text *out, const void *value);

#endif
