/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the cheapest layout that has the values of a table, and the cheapest expression of it. The
 * layout is taken as one mode, whatever modes it was found in. */
#include "emit/function/line.h"

#include "algebra/find/table.h"

zlay_status zl_line_function_of(zlay_ctx *ctx, zl_line_function *out, const zl_table *table)
{
    *out = (zl_line_function){.layout = NULL};
    zlay_status status = zl_cheapest_line(ctx, &out->layout, table);
    if (!status) status = zl_address_of(ctx, &out->address, out->layout);
    out->address.dims = 1;
    out->address.extent[0] = table->size;
    return status ? status : zl_address_best(ctx, &out->form, &out->address);
}

void zl_line_function_free(zl_line_function *line) { zlay_layout_free(line->layout); }
