/* SPDX-License-Identifier: Apache-2.0 */
/* With one stage an iteration runs on a unit in a row, and the next one begins ii after it. So all
 * operations of a unit with room for one end within ii after the first of them starts. Jackson's
 * preemptive schedule (1955) decides whether they could if they may be interrupted: at each cycle
 * the one runs that may, and whose end is the most urgent. Where that is too late, so is all else.
 * On every unit some operation is the first. What edges keep behind it leaves the unit idle, and an
 * interval has no more idle cycles than the sum of all operations leaves. */
#include "pipe/schedule/search.h"

static int64_t latest(const zl_search_state *s, uint32_t node)
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
static uint32_t urgent(const zl_search_state *s, const line *l, int64_t at, int64_t *until)
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

static bool in_time(const zl_search_state *s, line *l)
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

static void line_of(const zl_search_state *s, uint32_t unit, line *l)
{
    l->count = 0;
    for (uint32_t i = 0; i < s->l->nodes; i++)
        if (zl_loop_op(s->l, i)->unit == unit && s->arc[i]) l->node[l->count++] = i;
}

static bool unit_in_time(const zl_search_state *s, line *l)
{
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < l->count; i++) first = zl_min(first, latest(s, l->node[i]));
    for (uint32_t i = 0; i < l->count; i++) {
        l->left[i] = s->arc[l->node[i]];
        l->due[i] = zl_min(latest(s, l->node[i]) + l->left[i], first + s->ii);
    }
    return in_time(s, l);
}

/* ---- the first operation --------------------------------------------------------------- */

/* Cycles of the unit that others can fill within `span` of the start of the first, and those of the
 * iteration before that still run then, at most one on each instance that the first leaves. */
static int64_t filled(const line *l, const int64_t *head, const int64_t *over, uint32_t over_count,
                      int64_t span)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        int64_t room = span - head[i];
        if (room > 0) sum += zl_min(room, l->left[i]);
    }
    for (uint32_t i = 0; i < over_count; i++) sum += zl_min(over[i], span);
    return sum;
}

/* The longest cycles that may reach into the next iteration, the longest first. */
static uint32_t overhang(const line *l, uint64_t most, int64_t *over)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t at = count;
        int64_t cycles = l->left[i] - 1;
        for (; at > 0 && over[at - 1] < cycles; at--)
            if (at < most) over[at] = over[at - 1];
        if (at < most) over[at] = cycles;
        if (count < most) count++;
    }
    return count;
}

/* Whether an operation of the unit can be the one that starts first. */
static bool can_begin(const zl_search_state *s, line *l, uint32_t first, int64_t count,
                      int64_t idle)
{
    int64_t head[ZLAY_SCHEDULE_OPS], over[ZLAY_SCHEDULE_OPS];
    uint32_t x = l->node[first], hanging = overhang(l, (uint64_t)count - 1, over);
    for (uint32_t i = 0; i < l->count; i++)
        head[i] = i == first ? 0
                             : zl_max(zl_max(0, zl_related(&s->r, x, l->node[i])),
                                      zl_earliest(s, l->node[i]) - latest(s, x));
    l->steps += (uint64_t)l->count * l->count / 4;
    for (uint32_t i = 0; i < l->count; i++)
        if (i != first && zl_related(&s->r, l->node[i], x) > 0) return false;
    for (uint32_t i = 0; i < l->count; i++)
        if (count * head[i] - filled(l, head, over, hanging, head[i]) > idle) return false;
    return true;
}

/* False: none can. Where all run at once, or one fills an instance, nothing is decided. */
static bool some_begins(const zl_search_state *s, line *l, uint32_t unit)
{
    uint64_t count = s->l->request->unit[unit].count;
    int64_t sum = 0, end = INT64_MAX;
    for (uint32_t i = 0; i < l->count; i++) {
        l->left[i] = s->arc[l->node[i]];
        sum += l->left[i];
        end = zl_min(end, latest(s, l->node[i]));
    }
    if (count != s->room[unit] || count >= l->count) return true;
    int64_t idle = (int64_t)count * s->ii - sum;
    for (uint32_t i = 0; i < l->count; i++)
        if (zl_earliest(s, l->node[i]) <= end && can_begin(s, l, i, (int64_t)count, idle))
            return true;
    return false;
}

bool zl_one_stage(zl_search_state *s)
{
    line l = {.steps = 0};
    bool fits = true;
    for (uint32_t u = 0; u < s->l->request->units && fits; u++) {
        line_of(s, u, &l);
        if (s->l->request->unit[u].count == 1 && s->room[u] == 1) fits = unit_in_time(s, &l);
        if (fits && l.count) fits = some_begins(s, &l, u);
    }
    s->l->pairs += l.steps;
    return fits;
}
