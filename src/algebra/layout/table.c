/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of values: room for them, counted in limits.points and limits.work, and a table read as a
 * function. */
#include "algebra/layout/function.h"
#include "algebra/layout/table.h"

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
