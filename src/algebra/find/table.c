/* SPDX-License-Identifier: Apache-2.0 */
/* All values of a layout as a table, by the fastest way that its kind has, and values that are
 * asked one by one. Many pieces are written out first: each point would otherwise look through
 * them. */
#include "algebra/find/table.h"
#include "algebra/find/finish.h"

/* All values at once, of one output. */
static zlay_status fill(zl_table *out, const zlay_layout *a)
{
    zlay_status status = zlay_layout_eval_many(out->value, out->there, a, NULL, 0, out->size);
    out->undefined = 0;
    for (uint64_t i = 0; !status && i < out->size; i++) out->undefined += !out->there[i];
    return status;
}

zlay_status zl_table_of(zlay_ctx *ctx, zl_table *out, const zlay_layout *a)
{
    int64_t value;
    zlay_status status = zl_without_parameters(ctx, a);
    *out = (zl_table){.ctx = ctx};
    if (!status) status = zl_table_new(ctx, out, a->size);
    if (!status && zl_is_pieces(a) && zl_is_flat(a)) return zl_pieces_table(out, a);
    if (!status && zlay_layout_out_count(a) == 1) return fill(out, a);
    if (!status) status = zl_charge_values(ctx, a, a->size);
    for (uint64_t i = 0; !status && i < a->size; i++)
        if (zl_value(a, i, &value)) zl_table_set(out, i, value);
    return status;
}

enum { FEW_PIECES = 4 };

zlay_status zl_reader_begin(zlay_ctx *ctx, zl_value_reader *out, const zlay_layout *a)
{
    *out = (zl_value_reader){a, {0}};
    bool many = zl_is_pieces(a) && a->pieces.count > FEW_PIECES && !a->pieces.params;
    if (!many || a->size > zl_limits(ctx)->points || !zl_is_flat(a)) return ZLAY_OK;
    return zl_table_of(ctx, &out->t, a);
}

void zl_reader_end(zl_value_reader *r)
{
    zl_table_free(&r->t);
}
