/* SPDX-License-Identifier: Apache-2.0 */
/* Prints meetings of threads: of a warp, of a role's instance, of the block, of the cluster, and at named barriers. The numbers of
 * barriers that an instance has for itself, where the role meets there in a loop, are registers of the role: computed in the loop they
 * are a sum and a move from a uniform register each time. */
#include "emit/pipe/pipe.h"

#include <stdio.h>

enum { WARP = 32 };

/* Whether nothing but barriers was written before an event: their fence is a release then. */
static bool follows_barriers(const zl_pipe_text *k, const zl_event *event)
{
    if (k->role) return false;
    for (const zl_event *e = k->pipe->events; e < event; e++)
        if (e->kind != ZL_EV_INIT && !(e->kind == ZL_EV_FENCE && e->scope == ZL_FENCE_MBARRIER)) return false;
    return true;
}

/* Prints a part of a meeting of the cluster: an arrival or the wait. */
static void say_cluster(zl_pipe_text *k, const char *part)
{
    char id[64];
    snprintf(id, sizeof id, "cluster.%s%s", part, zl_pt_lone(k) ? "" : ".aligned");
    zl_say_plain(k, NULL, id);
}

/* Prints a named barrier; one thread of a warp may not use the aligned form. */
static void meet_named(zl_pipe_text *k, const char *number, uint64_t threads, bool wait)
{
    char room[24];
    const char *id = zl_pt_lone(k) ? (wait ? "barrier.sync" : "barrier.arrive")
                                   : (wait ? "bar.sync" : "bar.arrive");
    zl_say(k, NULL, id, 0, number, zl_pt_number(room, threads));
}

/* Prints the meeting of a role's instance: its warp, or its own named barrier. */
static void meet_role(zl_pipe_text *k)
{
    char room[24];
    uint32_t width = zl_pt_width(k);
    if (zl_pt_lone(k)) return;
    if (width == WARP) {
        zl_say(k, NULL, "bar.warp", 0, "-1");
        return;
    }
    zl_op(k, ADD, "near", "instance", zl_pt_number(room, k->role_bar[k->role - k->pipe->roles]));
    meet_named(k, "near", width, true);
}

/* ---- barriers of each instance --------------------------------------------------------------- */

/* Whether each instance of the role meets at a barrier of its own number. */
static bool is_own(const zl_pipe_text *k, const zl_event *e)
{
    bool meets = e->kind == ZL_EV_SYNC || e->kind == ZL_EV_JOIN;
    return meets && e->scope == ZL_SYNC_NAMED && e->named_step && zl_role_instances(k->role) > 1;
}

/* to = the number of the instance's barrier. */
static void compute(zl_pipe_text *k, const char *to, const zl_event *e)
{
    char number[24];
    zl_pt_number(number, e->named);
    if (e->named_step > 0) zl_op(k, ADD, to, "instance", number);
    else zl_op(k, SUB, to, number, "instance");
}

/* The register of the role that holds it; -1: none. */
static int32_t kept(const zl_pipe_text *k, const zl_event *e)
{
    for (uint32_t i = 0; i < k->own_bars; i++)
        if (k->own_bar[i]->named == e->named && k->own_bar[i]->named_step == e->named_step) return (int32_t)i;
    return -1;
}

void zl_pt_own_bars(zl_pipe_text *k)
{
    char name[24];
    int depth = 0;
    k->own_bars = 0;
    for (uint32_t i = k->role->begin; i < k->role->end; i++) {
        const zl_event *e = &k->pipe->events[i];
        depth += (e->kind == ZL_EV_FOR) - (e->kind == ZL_EV_END);
        if (!depth || !is_own(k, e) || kept(k, e) >= 0 || k->own_bars == ZL_PT_OWN_BARS) continue;
        snprintf(name, sizeof name, "own%u", k->own_bars);
        k->own_bar[k->own_bars++] = e;
        compute(k, name, e);
        zl_pt_keep(k, name);
    }
    if (k->own_bars > k->own_bars_most) k->own_bars_most = k->own_bars;
}

/* Prints a meeting at a barrier of the pipe's own number, or of the instance's. */
static void meet_numbered(zl_pipe_text *k, const zl_event *event, bool wait)
{
    char number[24] = "near";
    bool own = is_own(k, event);
    int32_t i = own ? kept(k, event) : -1;
    if (i >= 0) snprintf(number, sizeof number, "own%d", i);
    else if (own) compute(k, number, event);
    else zl_pt_number(number, event->named);
    meet_named(k, number, (uint64_t)event->count, wait);
}

/* ---- the event -------------------------------------------------------------------------------- */

static void sync(zl_pipe_text *k, const zl_event *event, bool wait)
{
    switch (event->scope) {
    case ZL_SYNC_ROLE: meet_role(k); break;
    case ZL_SYNC_WARP:
        if (!zl_pt_lone(k)) zl_say(k, NULL, "bar.warp", 0, "-1");
        break;
    case ZL_SYNC_CTA: zl_say(k, NULL, "bar.sync.all", 0, "0"); break;
    case ZL_SYNC_CLUSTER:
        say_cluster(k, follows_barriers(k, event) ? "arrive.relaxed" : "arrive.release");
        if (wait) say_cluster(k, "wait.acquire");
        break;
    default: meet_numbered(k, event, wait); break;
    }
}

void zl_pt_meet(zl_pipe_text *k, const zl_event *event)
{
    if (event->kind == ZL_EV_MEET) say_cluster(k, "wait.acquire");
    else sync(k, event, event->kind == ZL_EV_SYNC);
}
