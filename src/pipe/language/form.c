/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what the text of a pipe breaks whatever the order of its roles: each barrier is
 * initialised once, fenced and published with a possible count, and each event is run by a
 * role that has the threads for it. Both verifiers share this file. */
#include "pipe/language/form.h"

enum { COUNT_MOST = (1 << 20) - 1 };

static void fault(const zl_form_ask *ask, int32_t rule, uint32_t event, int64_t found,
                  int64_t wanted)
{
    ask->report(ask->to, rule, event, found, wanted);
}

/* ---- barriers ---- */

static bool is_remote(const zl_event *e)
{
    return e->cta != ZL_CTA_OWN || e->bar_cta != ZL_CTA_OWN || e->multicast;
}

/* Whether a barrier is used from other blocks, so that the whole cluster must see it
 * initialised. */
static bool needs_cluster(const zlay_pipe *p, int32_t bar)
{
    for (uint32_t k = p->setup; k < p->events_count; k++)
        if (p->events[k].bar == bar && is_remote(&p->events[k])) return true;
    return false;
}

/* Checks the setup of one barrier. */
static void check_bar(const zl_form_ask *ask, int32_t bar)
{
    const zlay_pipe *p = ask->pipe;
    uint32_t inits = 0, event = 0;
    bool fenced = false, synced = false, cluster = false;
    for (uint32_t k = 0; k < p->setup; k++) {
        const zl_event *e = &p->events[k];
        if (e->kind == ZL_EV_INIT && e->bar == bar) {
            inits++;
            event = k;
            fenced = synced = cluster = false;
        }
        if (e->kind == ZL_EV_FENCE && (e->scope == ZL_FENCE_MBARRIER || e->scope == ZL_FENCE_PROXY))
            fenced = true;
        if (e->kind != ZL_EV_SYNC) continue;
        synced |= fenced;
        cluster |= fenced && e->scope == ZL_SYNC_CLUSTER;
    }
    if (inits != 1 || !synced) fault(ask, ZLAY_PIPE_INIT, event, inits, 1);
    if (!cluster && needs_cluster(p, bar)) fault(ask, ZLAY_PIPE_PEER, event, 0, 1);
    if (p->bars[bar].count < 1 || p->bars[bar].count > COUNT_MOST)
        fault(ask, ZLAY_PIPE_COUNT, event, p->bars[bar].count, COUNT_MOST);
}

void zl_form_bars(const zl_form_ask *ask)
{
    for (uint32_t b = 0; b < ask->pipe->bars_count; b++) check_bar(ask, (int32_t)b);
}

/* ---- who runs what ---- */

/* Whether one thread may access a stage: what it accesses then names no registers. */
static bool is_plain_access(const zl_event *e) { return (e->kind == ZL_EV_READ || e->kind == ZL_EV_WRITE) && e->smem[0] >= 0 && e->acc < 0; }

/* Whether a role has the threads that an event needs; setmaxnreg has a rule of its own. */
static bool has_threads(const zl_role *role, const zl_event *e)
{
    int32_t by = e->kind == ZL_EV_SETMAXNREG ? ZL_RUN_ALL : zl_event_by(e);
    if (by >= ZL_RUN_THREADS && role->elect) return is_plain_access(e);
    if (by == ZL_RUN_GROUP) return role->each == 4 && role->first_warp % 4 == 0;
    return by != ZL_RUN_WARP || (role->each == 1 && zl_role_instances(role) == 1);
}

void zl_form_event(const zl_form_ask *ask, const zl_role *role, uint32_t event)
{
    const zl_event *e = &ask->pipe->events[event];
    if (!has_threads(role, e)) fault(ask, ZLAY_PIPE_COLLECTIVE, event, role->each, 0);
    if (e->kind == ZL_EV_FENCE && e->scope == ZL_FENCE_MBARRIER)
        fault(ask, ZLAY_PIPE_INIT, event, 0, 0);
    if (e->multicast >> ask->pipe->blocks)
        fault(ask, ZLAY_PIPE_PEER, event, e->multicast, ask->pipe->blocks);
}
