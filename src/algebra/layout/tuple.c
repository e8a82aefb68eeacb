/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/layout/tuple.h"

zlay_status zl_tuple_incongruent(const zl_tuple *t)
{
    return zl_cursor_refuse(t->c, ZLAY_EINVAL, t->c->at,
                            "the strides are nested or counted unlike the extents");
}

zlay_status zl_tuple_open(zl_tuple *t)
{
    uint32_t limit = zl_limits(t->c->ctx)->nesting;
    for (t->open = 0; zl_cursor_take(t->c, '('); t->open++)
        if (++t->depth > limit)
            return zl_cursor_refuse(t->c, ZLAY_ELIMIT, t->c->at - 1, "limits.nesting is %u",
                                    (unsigned)limit);
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
