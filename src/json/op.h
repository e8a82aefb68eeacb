/* SPDX-License-Identifier: Apache-2.0 */
/* A row of ops.def: the name of an operation, the table of its fields and its runner. This header
 * has neither jansson nor a request, so that the program's help can read the rows without them. */
#ifndef ZL_JSON_OP_H
#define ZL_JSON_OP_H

#include "base/base.h"

#include <zlay/zlay.h>

typedef struct zl_call zl_call;
typedef struct zl_op zl_op;
typedef struct zl_fields zl_fields;
typedef struct zl_checked zl_checked;

/* Answers a request whose fields were read into *asked. */
typedef zlay_status zl_op_run(zl_call *call, const void *asked);

/* Makes a layout of them. */
typedef zlay_status zl_maker(zl_call *call, zlay_layout **out, const void *asked);

/* What of an operation its shape leaves open; the row's shape names the member, so that a function
 * of another type does not compile. */
typedef zlay_status zl_checker(zl_checked *checked, const void *asked);
typedef union zl_make {
    zl_checker *check;
    zl_maker *made;
    zlay_status (*one)(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);
    zlay_status (*two)(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                       const zlay_layout *b);
    zlay_status (*number)(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, uint64_t n);
    zlay_status (*text)(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const char *text,
                        size_t length);
    zlay_status (*names)(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                         const char *const *names, size_t count);
    zlay_status (*dims)(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                        const zlay_dim *dims, size_t count);
    zlay_arrangement divide, product;
} zl_make;


struct zl_op {
    const char *name, *ok, *text;
    const zl_fields *fields;
    zl_op_run *run;
    zl_make make;
    zl_maker *by;
    struct json_t *(*show)(zl_call *call, const zlay_layout *made);
};

/* The names of a table's fields that are needed, or of those that may be there, each once. */
void zl_names_list(zl_text *out, const zl_fields *fields, bool needed);

/* What the field of a name is, as "integer"; "value" where no word says it, "" for no field. */
const char *zl_name_type(const zl_fields *fields, const char *name, size_t length);

#endif
