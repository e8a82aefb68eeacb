/* SPDX-License-Identifier: Apache-2.0 */
/* Which layouts have an address function, and the arguments of one: a word for each top-level mode. */
#include "emit/function/layout.h"

zlay_status zl_address_of(zlay_ctx *ctx, zl_address *out, const zlay_layout *a)
{
    zlay_status status = zl_without_parameters(ctx, a);
    if (status) return status;
    *out = (zl_address){.layout = a};
    out->dims = a->table->extents(out->extent, ZL_GRAPH_ARGUMENTS, a);
    if (out->dims > ZL_GRAPH_ARGUMENTS)
        return zl_fail(ctx, ZLAY_ENOTSUP, "layout: it has %zu dimensions, a function takes %d",
                       out->dims, ZL_GRAPH_ARGUMENTS);
    for (size_t i = 0; i < out->dims; i++)
        if (!out->extent[i] || out->extent[i] > INT64_MAX)
            return zl_fail(ctx, ZLAY_ENOTSUP, "layout: dimension %zu has no size below 2^63", i);
    return ZLAY_OK;
}

zl_vertex zl_address_argument(zl_graph *g, const zl_address *a, size_t i)
{
    return zl_graph_argument(g, a->first + (uint32_t)i, a->extent[i]);
}
