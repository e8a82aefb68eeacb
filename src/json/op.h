/* SPDX-License-Identifier: Apache-2.0 */
/* A row of ops.def: the name of an operation, its function and its fields. This header knows
 * neither jansson nor a request, so that the program's help can read the rows without them. */
#ifndef ZL_JSON_OP_H
#define ZL_JSON_OP_H

#include "base/base.h"

typedef struct zl_call zl_call;
typedef zlay_status zl_op_call(zl_call *call);
typedef struct zl_fields zl_fields;

/* The fields are a table, or else two lists of words. */
typedef struct zl_op {
    const char *name, *ok, *text;
    zl_op_call *call;
    const zl_fields *fields;
    const char *required, *optional;
} zl_op;

/* The names of a table's fields that are needed, or of those that may be there. */
void zl_names_list(zl_text *out, const zl_fields *fields, bool needed);

#endif
