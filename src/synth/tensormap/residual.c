/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the residual of a move. Where no copies bring the tile to the requested places, they bring
 * it to other places; the residual is the permutation that is left: residual(place where a cell
 * is) = place where it is wanted. It is tabulated, and returned as the cheapest layout with these
 * values. */
#include "algebra/ops/cute.h"
#include "synth/tensormap/tensormap.h"

#include "algebra/find/table.h"

static zlay_status table_fill(zl_table *out, zlay_ctx *ctx, const zlay_layout *landed,
                              const zlay_layout *wanted)
{
    uint64_t size;
    zlay_status status = zl_cosize(ctx, &size, landed);
    if (!status) status = zl_table_new(ctx, out, size);
    for (uint64_t i = 0; !status && i < zlay_layout_size(landed); i++) {
        int64_t from, to;
        status = zlay_layout_eval(&from, 1, landed, i);
        if (!status) status = zlay_layout_eval(&to, 1, wanted, i);
        if (!status) zl_table_set(out, (uint64_t)from, to);
    }
    return status;
}

zlay_status zl_tm_residual(zlay_ctx *ctx, zlay_move *move, const zlay_layout *wanted)
{
    zl_table table = {0};
    zl_modes box;
    zlay_status status = table_fill(&table, ctx, move->smem, wanted);
    zl_modes_begin(&box, ctx);
    if (!status) status = zl_modes_leaf(&box, (int64_t)table.size, 0);
    if (!status) status = zl_cheapest(ctx, &move->residual, &table, &box, NULL, NULL);
    zl_modes_end(&box);
    zl_table_free(&table);
    return status;
}
