/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/find/table.h"
#include "algebra/presburger/draft.h"

enum { STEPS_POINT = 8 }; /* that a point is set in, wherever it lies, and read once */

zlay_status zl_table_new(zlay_ctx *ctx, zl_table *out, uint64_t size)
{
    uint64_t limit = zl_limits(ctx)->points;
    *out = (zl_table){.ctx = ctx, .size = size, .undefined = size};
    if (size > limit)
        return zl_fail(ctx, ZLAY_ELIMIT, "limits.points is %llu and the layout has %llu",
                       (unsigned long long)limit, (unsigned long long)size);
    if (zl_charge(ctx, size * STEPS_POINT)) return ZLAY_ENOMEM;
    out->value = zl_alloc(ctx, size, sizeof *out->value);
    out->there = out->value ? zl_alloc(ctx, size, 1) : NULL;
    if (out->there) return ZLAY_OK;
    zl_table_free(out);
    return ZLAY_ENOMEM;
}

void zl_table_free(zl_table *t)
{
    zlay_allocator alloc = zl_allocator(t->ctx);
    zl_free(&alloc, t->value, t->size * sizeof *t->value);
    zl_free(&alloc, t->there, t->size);
    t->value = NULL;
    t->there = NULL;
}

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
    if (!status && zlay_layout_outs(a) == 1) return fill(out, a);
    if (!status) status = zl_charge_values(ctx, a, a->size);
    for (uint64_t i = 0; !status && i < a->size; i++)
        if (zl_value(a, i, &value)) zl_table_set(out, i, value);
    return status;
}

enum { FEW_PIECES = 4 };

zlay_status zl_reader_begin(zlay_ctx *ctx, zl_reader *out, const zlay_layout *a)
{
    *out = (zl_reader){a, {.ctx = ctx}};
    bool many = zl_is_pieces(a) && a->pieces.count > FEW_PIECES && !a->pieces.params;
    if (!many || a->size > zl_limits(ctx)->points || !zl_is_flat(a)) return ZLAY_OK;
    return zl_table_of(ctx, &out->t, a);
}

void zl_reader_end(zl_reader *r) { zl_table_free(&r->t); }

static bool table_at(const void *env, uint64_t index, int64_t *value)
{
    const zl_table *t = env;
    *value = t->value[index];
    return t->there[index];
}

zl_function zl_table_function(const zl_table *t)
{
    return (zl_function){table_at, t, t->size};
}
