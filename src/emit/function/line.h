/* SPDX-License-Identifier: Apache-2.0 */
/* A function of one argument whose values stand in a table. */
#ifndef ZL_EMIT_FUNCTION_LINE_H
#define ZL_EMIT_FUNCTION_LINE_H

#include "algebra/layout/table.h"
#include "emit/function/address.h"

typedef struct zl_line_function {
    zlay_layout *layout; /* the cheapest that has the table's values */
    zl_address address;
    zl_address_form form;
} zl_line_function;

zlay_status zl_line_function_of(zlay_ctx *ctx, zl_line_function *out, const zl_table *table);
void zl_line_function_free(zl_line_function *line); /* one that is all zeros, too */

#endif
