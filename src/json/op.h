/* SPDX-License-Identifier: Apache-2.0 */
/* A row of ops.def: the name of an operation, its function and its fields. This header knows neither
 * jansson nor a request, so that the program's help can read the rows without them. */
#ifndef ZL_JSON_OP_H
#define ZL_JSON_OP_H

#include "base/base.h"

typedef struct zl_call zl_call;
typedef zlay_status zl_op_call(zl_call *call);

typedef struct zl_op {
    const char *name, *required, *optional, *ok, *text;
    zl_op_call *call;
} zl_op;

#endif
