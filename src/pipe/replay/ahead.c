/* SPDX-License-Identifier: Apache-2.0 */
/* Decides what instances may still do: which of them may still wait at, arrive at, or name an
 * mbarrier slot, and whether all of those know that a phase is complete. The answer is by
 * reachability in the text: an instance may still run every event from its outermost loop on. From
 * this follows what an encoded state may leave out, and what a waiting thread may learn before its
 * wait ends. */
#include "pipe/replay/same.h"

/* ---- events to come ---- */

/* Whether an event names the barrier, waits at it, or arrives at it, as `near` says. */
static bool is_near(const zl_event *e, uint32_t bar, uint8_t near)
{
    if (e->kind == ZL_EV_FOR || e->bar != (int32_t)bar) return false;
    if (near == ZL_RP_WAITS) return e->kind == ZL_EV_WAIT;
    return near == ZL_RP_NAMES || e->kind == ZL_EV_ARRIVE || e->kind == ZL_EV_COMMIT;
}

/* The first event that an instance may still run: inside loops that is the head of the outermost
 * one, which may begin another iteration. */
static uint32_t first_to_come(const zl_rp_instance *i) { return i->depth ? i->loop[0] : i->pc; }

/* Whether an instance may still name the slot, wait there, or arrive there, as `near` says. */
static bool may_yet(const zl_replay *c, uint32_t instance, const zl_rp_mbar *g, uint8_t near)
{
    const zl_rp_instance *i = &c->instances[instance];
    size_t at = (size_t)(g - c->mbars) * c->instances_count + instance;
    uint8_t needs = near == ZL_RP_COMES ? ZL_RP_NAMES : near;
    for (uint32_t k = first_to_come(i); c->near[at] & needs && k < i->role->end; k++)
        if (is_near(&c->pipe->events[k], g->bar, near)) return true;
    return false;
}

bool zl_rp_asks(const zl_replay *c, uint32_t instance)
{
    const zl_rp_instance *i = &c->instances[instance];
    for (uint32_t k = first_to_come(i); k < i->role->end; k++)
        switch (c->pipe->events[k].kind) {
        case ZL_EV_SYNC:
        case ZL_EV_JOIN:
        case ZL_EV_MEET:
        case ZL_EV_WAITGROUP:
        case ZL_EV_FOR:
        case ZL_EV_END: break;
        default: return true;
        }
    return false;
}

/* ---- phases ---- */

bool zl_rp_all_know(const zl_replay *c, const zl_rp_mbar *g, uint8_t near, bool before)
{
    for (uint32_t t = 0; t < c->threads_count; t++) {
        uint32_t knows = zl_rp_set(t, ZL_RP_KNOWS);
        if (zl_rp_has(c, knows, g->last[0]) || (before && zl_rp_has(c, knows, g->last[1])))
            continue;
        if (may_yet(c, c->threads[t].instance, g, near)) return false;
    }
    return true;
}

bool zl_rp_is_heard(const zl_replay *c, const zl_rp_mbar *g)
{
    uint32_t done = zl_rp_mbar_set(c, g, ZL_RP_DONE);
    for (uint32_t t = 0; t < c->threads_count; t++)
        if (!zl_rp_covers(c, zl_rp_set(t, ZL_RP_KNOWS), done) &&
            may_yet(c, c->threads[t].instance, g, ZL_RP_WAITS))
            return false;
    return true;
}

/* ---- who waits ---- */

/* The thread learns every operation that all threads know which may still arrive at the slot. */
static void learn_of_all(zl_replay *c, uint32_t thread, const zl_rp_mbar *g)
{
    uint64_t all[ZL_RP_WORDS];
    bool any = false;
    for (uint32_t k = 0; k < c->words; k++) all[k] = UINT64_MAX;
    for (uint32_t t = 0; t < c->threads_count; t++) {
        uint32_t instance = c->threads[t].instance;
        if (instance == c->threads[thread].instance || !may_yet(c, instance, g, ZL_RP_COMES))
            continue;
        zl_rp_common(c, all, zl_rp_set(t, ZL_RP_KNOWS));
        any = true;
    }
    if (any) zl_rp_learn_all(c, zl_rp_set(thread, ZL_RP_KNOWS), all);
}

/* Lets waiting threads learn early. A phase completes with at least one more arrival, and a waiting
 * thread does nothing before that; so it may learn now what every thread knows that may arrive. */
void zl_rp_hear(zl_replay *c)
{
    for (uint32_t t = 0; t < c->threads_count; t++) {
        const zl_rp_mbar *g = c->instances[c->threads[t].instance].stands;
        if (g && g->pending && zl_rp_has(c, zl_rp_set(t, ZL_RP_KNOWS), g->last[0]))
            learn_of_all(c, t, g);
    }
}
