/* SPDX-License-Identifier: Apache-2.0 */
/* Where the positions of each group are counted from in a state. */
#include "pipe/run_state.h"

#include <string.h>

/* The loop of the param that an instance is in; without `only`, its outermost one where it is in none;
 * -1. */
static int depth_of(const zl_run *r, int32_t param, const zl_instance *i, bool only)
{
    for (uint32_t d = 0; d < i->depth; d++)
        if (zl_loop_param(&r->pipe->events[i->loop[d]]) == param) return (int)d;
    return i->depth && !only ? 0 : -1;
}

static const zl_instance *find_leader(const zl_run *r, int32_t param, uint32_t group, bool only)
{
    for (uint32_t k = 0; k < r->instances_count; k++)
        if (depth_of(r, param, &r->instances[k], only) >= 0 &&
            zl_watch_group(r, &r->instances[k]) == group)
            return &r->instances[k];
    return NULL;
}

static void find_base(const zl_run *r, int32_t param, int64_t *base, const zl_instance *leader,
                      uint32_t depth)
{
    for (uint32_t d = 0; d < leader->depth; d++) {
        int32_t p = zl_loop_param(&r->pipe->events[leader->loop[d]]);
        if (p >= 0) base[p] = leader->counter[d];
    }
    for (uint32_t k = 0; k < r->pipe->events_count; k++) {
        const zl_event *e = &r->pipe->events[k];
        int32_t times = e->kind == ZL_EV_FOR ? e->at[0].times : -1;
        if (times >= 0 && times != param && !base[times])
            base[times] = leader->counter[depth] * r->params[times];
    }
}

void zl_state_bases(zl_run *r, int32_t param)
{
    const uint32_t params = r->pipe->params_count;
    memset(r->watch->bases, 0, (size_t)r->watch->groups * params * sizeof *r->watch->bases);
    for (uint32_t g = 0; g < r->watch->groups; g++) {
        const zl_instance *leader = find_leader(r, param, g, true);
        if (!leader) leader = find_leader(r, param, g, false);
        if (leader)
            find_base(r, param, r->watch->bases + (size_t)g * params, leader,
                      (uint32_t)depth_of(r, param, leader, false));
    }
}
