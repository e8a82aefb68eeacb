/* SPDX-License-Identifier: Apache-2.0 */
/* What every function that is printed shares. */
#ifndef ZL_EMIT_FUNCTION_H
#define ZL_EMIT_FUNCTION_H

#include "base/base.h"

/* EINVAL: a language that is none, a name that is none. */
zlay_status zl_function_check(zlay_ctx *ctx, int32_t language, const char *name, size_t length);

#endif
