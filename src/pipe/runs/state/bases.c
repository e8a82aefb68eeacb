/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses, for each group of loops and each param, the loop counter that positions are counted
 * from when a state is written (zl_state_write). Subtracting these bases makes two states
 * equal that differ only by whole iterations; the counter of the group's first instance inside
 * a loop of the param is the base. */
#include "pipe/runs/state/state.h"

#include <string.h>

/* The depth of the param's loop that an instance is in, else of its outermost loop unless
 * `only`; -1: none. */
static int depth_of(const zl_run *r, int32_t param, const zl_instance *i, bool only)
{
    for (uint32_t d = 0; d < i->depth; d++)
        if (zl_loop_param(&r->pipe->events[i->loop[d]]) == param) return (int)d;
    return i->depth && !only ? 0 : -1;
}

/* The first instance of a group that is in a loop of the param. */
static const zl_instance *find_leader(const zl_run *r, int32_t param, uint32_t group, bool only)
{
    for (uint32_t k = 0; k < r->instances_count; k++)
        if (depth_of(r, param, &r->instances[k], only) >= 0 &&
            zl_watch_group(r, &r->instances[k]) == group)
            return &r->instances[k];
    return NULL;
}

/* Where the positions of the iteration begin that an instance is in. */
static int64_t begun(const zl_run *r, const zl_instance *i)
{
    int64_t at = zl_run_iteration(r, i);
    return at < 0 ? 0 : r->tiles->begun[at];
}

/* The base of a param as one instance stands: the counter of its loop, or that of an enclosing
 * loop times the params in between. */
int64_t zl_state_own_base(const zl_run *r, const zl_instance *i, int32_t param)
{
    int64_t times = 1;
    int32_t parent = param;
    bool multiplies = false;
    for (uint32_t n = 0; n <= r->pipe->params_count && parent >= 0; n++) {
        param = parent;
        for (uint32_t d = 0; d < i->depth; d++)
            if (zl_loop_param(&r->pipe->events[i->loop[d]]) == param) return i->counter[d] * times;
        parent = r->watch->parents[param];
        if (parent < 0 && parent > ZL_PARENT_LOOP) continue;
        multiplies = true;
        if (r->tiles && param == r->tiles->count) return begun(r, i);
        times *= r->params[param];
    }
    uint32_t depth = parent <= ZL_PARENT_LOOP ? (uint32_t)(ZL_PARENT_LOOP - parent) : 0;
    return multiplies && depth < i->depth ? i->counter[depth] * times : 0;
}

void zl_state_bases(zl_run *r, int32_t param)
{
    const uint32_t params = r->pipe->params_count;
    memset(r->watch->bases, 0, (size_t)r->watch->groups * params * sizeof *r->watch->bases);
    for (uint32_t g = 0; g < r->watch->groups; g++) {
        const zl_instance *leader = find_leader(r, param, g, true);
        if (!leader) leader = find_leader(r, param, g, false);
        for (uint32_t k = 0; leader && k < params; k++)
            r->watch->bases[(size_t)g * params + k] = zl_state_own_base(r, leader, (int32_t)k);
    }
}
