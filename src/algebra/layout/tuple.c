/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/layout/tuple.h"

zlay_status zl_tuple_incongruent(const zl_tuple *t)
{
    return zl_fail(t->c->ctx, ZLAY_EINVAL,
                   "byte %zu: the strides are nested or counted unlike the extents",
                   t->c->first + t->c->at);
}

zlay_status zl_tuple_open(zl_tuple *t)
{
    uint32_t limit = zl_limits(t->c->ctx)->nesting;
    for (t->open = 0; zl_cursor_take(t->c, '('); t->open++)
        if (++t->depth > limit)
            return zl_fail(t->c->ctx, ZLAY_ELIMIT, "byte %zu: limits.nesting is %u",
                           t->c->first + t->c->at - 1, (unsigned)limit);
    return ZLAY_OK;
}

zlay_status zl_tuple_close(zl_tuple *t, uint32_t *close)
{
    uint32_t count = 0;
    for (; t->depth && zl_cursor_take(t->c, ')'); t->depth--) count++;
    if (!t->strides) *close = count;
    else if (*close != count) return zl_tuple_incongruent(t);
    t->leaf++;
    return t->depth ? zl_cursor_want(t->c, ',') : ZLAY_OK;
}
