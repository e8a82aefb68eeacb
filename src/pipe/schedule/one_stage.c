/* SPDX-License-Identifier: Apache-2.0 */
/* With one stage an iteration runs on a unit in a row, and the next one begins ii after it. So all
 * operations of a unit with room for one end within ii after the first of them starts. Jackson's
 * preemptive schedule (1955) decides whether they could if they may be interrupted: at each cycle the
 * one runs that may, and whose end is the most urgent. Where that is too late, so is all else. */
#include "pipe/schedule/search.h"

static int64_t latest(const zl_state *s, uint32_t node)
{
    return -zl_related(&s->r, node, s->origin);
}

typedef struct line {
    uint32_t node[ZLAY_SCHEDULE_OPS];
    int64_t left[ZLAY_SCHEDULE_OPS], due[ZLAY_SCHEDULE_OPS];
    uint32_t count;
    uint64_t steps;
} line;

/* Who runs at a cycle; `until` falls to where the next one may begin. */
static uint32_t urgent(const zl_state *s, const line *l, int64_t at, int64_t *until)
{
    uint32_t found = l->count;
    for (uint32_t i = 0; i < l->count; i++) {
        int64_t from = zl_earliest(s, l->node[i]);
        if (!l->left[i]) continue;
        if (from > at) *until = zl_min(*until, from);
        else if (found == l->count || l->due[i] < l->due[found]) found = i;
    }
    return found;
}

static bool in_time(const zl_state *s, line *l)
{
    int64_t at = 0;
    for (;;) {
        int64_t until = INT64_MAX;
        uint32_t i = urgent(s, l, at, &until);
        l->steps += l->count;
        if (i == l->count && until == INT64_MAX) return true;
        if (i < l->count) {
            until = zl_min(until, at + l->left[i]);
            l->left[i] -= until - at;
            if (until > l->due[i]) return false;
        }
        at = until;
    }
}

static bool unit_in_time(zl_state *s, uint32_t unit, line *l)
{
    int64_t first = INT64_MAX;
    l->count = 0;
    for (uint32_t i = 0; i < s->l->nodes; i++)
        if (zl_loop_op(s->l, i)->unit == unit && s->arc[i]) {
            l->node[l->count++] = i;
            first = zl_min(first, latest(s, i));
        }
    for (uint32_t i = 0; i < l->count; i++) {
        l->left[i] = s->arc[l->node[i]];
        l->due[i] = zl_min(latest(s, l->node[i]) + l->left[i], first + s->ii);
    }
    return in_time(s, l);
}

bool zl_one_stage(zl_state *s)
{
    line l = {.steps = 0};
    bool fits = true;
    for (uint32_t u = 0; u < s->l->request->units && fits; u++)
        if (s->l->request->unit[u].count == 1 && s->room[u] == 1) fits = unit_in_time(s, u, &l);
    s->l->points += l.steps;
    return fits;
}
