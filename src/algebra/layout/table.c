/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of values: room for them, counted in limits.points and limits.work, and a table read as a
 * function. */
#include "algebra/layout/function.h"
#include "algebra/layout/table.h"

enum { STEPS_POINT = 8 }; /* that a point is set in, wherever it lies, and read once */

zlay_status zl_table_new(zlay_ctx *ctx, zl_table *out, uint64_t size)
{
    uint64_t limit = zl_limits(ctx)->points;
    *out = (zl_table){.ctx = ctx, .mark = zl_scratch_mark(ctx), .size = size, .undefined = size};
    if (size > limit)
        return zl_fail(ctx, ZLAY_ELIMIT, "limits.points is %llu and the layout has %llu",
                       (unsigned long long)limit, (unsigned long long)size);
    if (zl_charge(ctx, size * STEPS_POINT)) return ZLAY_ENOMEM;
    out->value = zl_scratch(ctx, size, sizeof *out->value);
    out->there = zl_scratch(ctx, size, 1);
    return out->there ? ZLAY_OK : ZLAY_ENOMEM;
}

void zl_table_free(zl_table *t)
{
    if (t->value) zl_scratch_release(t->ctx, t->mark);
    t->value = NULL;
    t->there = NULL;
}

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
