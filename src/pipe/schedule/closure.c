/* SPDX-License-Identifier: Apache-2.0 */
/* Longest paths between all pairs: Floyd's and Warshall's algorithm once, then the pairs that an
 * edge more makes longer, which takes at most n^2 steps. */
#include "pipe/schedule/closure.h"

#include <string.h>

zlay_status zl_closure_new(zl_closure *out, zlay_ctx *ctx, uint32_t n, uint32_t more)
{
    *out = (zl_closure){.ctx = ctx, .n = n, .more = more};
    size_t cells = (size_t)n * n;
    out->at = zl_scratch(ctx, cells + more + 1, sizeof *out->at);
    if (!out->at) return ZLAY_ENOMEM;
    for (size_t i = 0; i < cells; i++) out->at[i] = ZL_UNRELATED;
    for (uint32_t i = 0; i < n; i++) out->at[(size_t)i * n + i] = 0;
    return ZLAY_OK;
}

void zl_closure_give(zl_closure *r, uint32_t a, uint32_t b, int64_t w)
{
    int64_t *at = &r->at[(size_t)a * r->n + b];
    *at = zl_max(*at, w);
}

bool zl_closure_close(zl_closure *r)
{
    for (uint32_t k = 0; k < r->n; k++)
        for (uint32_t a = 0; a < r->n; a++) {
            int64_t first = zl_related(r, a, k);
            if (first == ZL_UNRELATED) continue;
            for (uint32_t b = 0; b < r->n; b++)
                if (zl_related(r, k, b) != ZL_UNRELATED)
                    zl_closure_give(r, a, b, first + zl_related(r, k, b));
        }
    for (uint32_t i = 0; i < r->n; i++)
        if (zl_related(r, i, i) > 0) return false;
    return true;
}

static bool make_room(zl_closure *r)
{
    if (r->steps < r->room) return true;
    size_t room = r->room ? 2 * r->room : 1024;
    zl_closure_step *step = zl_scratch_plain(r->ctx, room, sizeof *step);
    if (!step) r->no_memory = true;
    if (!step) return false;
    if (r->steps) memcpy(step, r->step, r->steps * sizeof *step);
    r->step = step;
    r->room = room;
    return true;
}

static bool write(zl_closure *r, size_t i, int64_t number)
{
    if (!make_room(r)) return false;
    r->step[r->steps++] = (zl_closure_step){(uint32_t)i, r->at[i]};
    r->at[i] = number;
    return true;
}

bool zl_relate(zl_closure *r, uint32_t a, uint32_t b, int64_t w)
{
    if (zl_related(r, a, b) >= w) return true;
    if (a == b || (zl_related(r, b, a) != ZL_UNRELATED && zl_related(r, b, a) + w > 0))
        return false;
    for (uint32_t i = 0; i < r->n; i++) {
        int64_t to = zl_related(r, i, a);
        if (to == ZL_UNRELATED || zl_related(r, i, b) >= to + w) continue;
        for (uint32_t j = 0; j < r->n; j++) {
            int64_t from = zl_related(r, b, j);
            if (from != ZL_UNRELATED && to + w + from > zl_related(r, i, j) &&
                !write(r, (size_t)i * r->n + j, to + w + from))
                return false;
        }
    }
    return true;
}

bool zl_closure_set(zl_closure *r, uint32_t i, int64_t number)
{
    return write(r, (size_t)r->n * r->n + i, number);
}

void zl_closure_undo(zl_closure *r, size_t steps)
{
    while (r->steps > steps) {
        zl_closure_step last = r->step[--r->steps];
        r->at[last.at] = last.before;
    }
}
