/* SPDX-License-Identifier: Apache-2.0 */
/* The window of a table in which pieces are searched: its points in the order of their indices, the
 * values there, and the window as guards of a draft. */
#include "algebra/find/pieces.h"

int64_t zl_search_value(const zl_window *s, uint64_t index, size_t out)
{
    uint64_t flat = (uint64_t)s->t->value[index];
    if (s->outs == 1) return (int64_t)flat;
    for (size_t i = 0; i < out; i++) flat /= s->out_size[i];
    return (int64_t)(out + 1 < s->outs ? flat % s->out_size[out] : flat);
}

bool zl_search_next(const zl_window *s, uint64_t *coordinate, uint64_t *index)
{
    for (size_t i = 0; i < s->dims; i++) {
        *index += s->step[i];
        if (++coordinate[i] < s->count[i]) return true;
        *index -= s->count[i] * s->step[i];
        coordinate[i] = 0;
    }
    return false;
}

zlay_status zl_search_window(const zl_window *s, zl_draft *d, zl_quasi *at)
{
    bool dead = false;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < s->dims && !status; i++) {
        zl_draft_coordinate(d, &at[i], i);
        at[i].constant = -(int64_t)s->from[i];
        status = zl_draft_inside(d, &at[i], s->count[i], &dead);
    }
    return status;
}
