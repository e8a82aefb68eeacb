/* SPDX-License-Identifier: Apache-2.0 */
/* What printers ask of mbarriers: which instructions their events are, and whose threads use them, by which their scope is chosen. */
#include "pipe/language/pipe.h"

bool zl_events_join(const zl_event *expect, const zl_event *next)
{
    bool kinds = expect->kind == ZL_EV_EXPECT && next->kind == ZL_EV_ARRIVE;
    bool one = next->scope == ZL_BY_ONE && next->times == 1;
    bool own = expect->cta == ZL_CTA_OWN && next->cta == ZL_CTA_OWN;
    return kinds && one && own && next->bar == expect->bar && zl_pos_equal(&expect->bar_at, &next->bar_at);
}

/* Whether threads access the shared memory of another block, or global memory, by ordinary loads and stores. */
static bool accesses_afar(const zl_event *e)
{
    bool ordinary = e->kind == ZL_EV_READ || e->kind == ZL_EV_WRITE || e->kind == ZL_EV_UPDATE;
    return ordinary && (e->cta != ZL_CTA_OWN || e->other >= 0);
}

bool zl_bar_is_remote(const zlay_pipe *pipe, int32_t bar)
{
    for (uint32_t i = 0; i < pipe->events_count; i++) {
        const zl_event *e = &pipe->events[i];
        if (e->kind == ZL_EV_ARRIVE && e->bar == bar && e->cta != ZL_CTA_OWN) return true;
    }
    return false;
}

/* Only then do its release and acquire need the cluster's scope, for which each arrival waits until all its stores are seen by the
 * whole device. Threads of one block need their block's alone, and asynchronous copies and products are complete when a phase is. */
bool zl_bar_is_clustered(const zlay_pipe *pipe, int32_t bar)
{
    if (pipe->blocks <= 1 || !zl_bar_is_remote(pipe, bar)) return false;
    for (uint32_t i = 0; i < pipe->events_count; i++)
        if (accesses_afar(&pipe->events[i])) return true;
    return false;
}
