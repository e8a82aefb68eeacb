/* SPDX-License-Identifier: Apache-2.0 */
/* Runs barriers of threads (bar.sync, bar.arrive, barrier.cluster, __syncwarp) and flags,
 * which are counters in global memory. A meeting is one barrier: it joins the clocks of all
 * who come and gives the join to all who leave. A flag gives the clock of the raises that made
 * its value, and these must be the same raises in every interleaving. */
#include "pipe/runs/state/clock.h"

#include <string.h>

/* ---- inside an instance ---- */

/* A barrier of the instance's own threads: each class takes the join of all. */
static void meet_role(zl_run *r, zl_instance *i)
{
    memset(r->scratch, 0, r->comps * sizeof *r->scratch);
    for (uint32_t k = 0; k < i->classes; k++)
        zl_clock_give(r, r->scratch, &r->classes[i->first + k]);
    for (uint32_t k = 0; k < i->classes; k++)
        zl_clock_join(r, r->classes[i->first + k].clock, r->scratch);
}

/* __syncwarp: lane 0 and the other lanes of each warp join. In a lone warp both then know
 * everything; of several warps each knows only its own. */
static void meet_warp(zl_run *r, zl_class *a, zl_class *b)
{
    zl_clock_join(r, a->clock, b->clock);
    zl_clock_join(r, a->own, b->own);
    if (a->lone_warp) zl_clock_join(r, a->clock, a->own);
    memcpy(b->clock, a->clock, r->comps * sizeof *b->clock);
    memcpy(b->own, a->own, r->comps * sizeof *b->own);
}

/* ---- between instances ---- */

zl_meeting *zl_run_meeting(const zl_run *r, const zl_instance *i, const zl_event *e)
{
    if (e->kind == ZL_EV_MEET || e->scope == ZL_SYNC_CLUSTER) return &r->meetings[0];
    int8_t at = r->meeting_at[e->scope == ZL_SYNC_CTA ? 0 : zl_event_named(e, (uint32_t)i->number)];
    return &r->meetings[1 + (uint32_t)i->cta * r->meetings_each + (uint32_t)at];
}

static bool has_ended(const zl_run *r, const zl_instance *i)
{
    return i->pc == r->pipe->roles[i->role].end;
}

/* How many must come: the threads of a named barrier, else the instances of the block or those
 * of the cluster that have not ended. */
static int64_t comers(const zl_run *r, const zl_instance *i, const zl_event *e)
{
    int64_t count = 0;
    if (e->scope == ZL_SYNC_NAMED) return e->count;
    for (uint32_t k = 0; k < r->instances_count; k++)
        count += e->scope == ZL_SYNC_CLUSTER ? !has_ended(r, &r->instances[k])
                                             : r->instances[k].cta == i->cta;
    return count;
}

/* Tells `sync cta` from barrier 0 used by its number: they may not meet each other. */
static int64_t meeting_size(const zl_event *e, int64_t comers)
{
    return e->scope == ZL_SYNC_CTA ? -comers : comers;
}

/* The instance takes the clock of the meeting that has ended. */
static void learn(zl_run *r, const zl_instance *i, const zl_meeting *m)
{
    for (uint32_t k = 0; k < i->classes; k++)
        zl_clock_join(r, r->classes[i->first + k].clock, m->done);
}

/* Whether an instance waits for the meeting that is about to end. */
static bool waits_in(const zl_run *r, const zl_instance *i, const zl_meeting *m)
{
    const zl_event *e = &r->pipe->events[i->pc];
    if (i->meets != m->generation || e->kind != ZL_EV_SYNC) return false;
    return zl_run_meeting(r, i, e) == m;
}

/* Ends the meeting. Waiting instances of a block learn its clock now, because others may meet
 * again before they go on; a cluster barrier cannot be met again before all have left. */
static void close_meeting(zl_run *r, zl_meeting *m)
{
    memcpy(m->done, m->sum, r->comps * sizeof *m->done);
    m->done[m->comp] = (zl_tick)(m->generation + 1);
    for (uint32_t k = 0; m != r->meetings && k < r->instances_count; k++)
        if (waits_in(r, &r->instances[k], m)) learn(r, &r->instances[k], m);
    m->generation++;
    memset(m->sum, 0, r->comps * sizeof *m->sum);
}

/* Counts an instance in; false on a fault. */
static bool comes(zl_run *r, zl_instance *i, const zl_event *e, zl_meeting *m)
{
    uint32_t event = zl_event_index(r, e);
    int64_t count = comers(r, i, e);
    int64_t weight = e->scope == ZL_SYNC_NAMED ? 32 * (int64_t)r->pipe->roles[i->role].each : 1;
    for (uint32_t k = 0; k < i->classes; k++)
        if (r->classes[i->first + k].clock[m->comp] != m->generation)
            zl_run_fault(r, ZLAY_PIPE_OVERRUN, event, m->event, 0, m->generation);
    int64_t size = meeting_size(e, count);
    if (m->pending == 0) {
        m->pending = count;
        m->count = size;
    }
    if (weight > m->pending || (e->scope != ZL_SYNC_CLUSTER && size != m->count))
        zl_run_fault(r, ZLAY_PIPE_COUNT, event, m->event, count, m->count);
    if (r->fault.rule) return false;
    m->event = event;
    m->pending -= weight;
    for (uint32_t k = 0; k < i->classes; k++)
        zl_clock_give(r, m->sum, &r->classes[i->first + k]);
    return true;
}

/* Whether the instance may go on, as its meeting has ended. */
static bool leaves(zl_run *r, zl_instance *i, const zl_meeting *m, int32_t *generation)
{
    if (m->generation <= *generation) return false;
    *generation = -1;
    if (m == r->meetings) learn(r, i, m);
    return true;
}

bool zl_run_meet(zl_run *r, zl_instance *i, const zl_event *e)
{
    zl_meeting *m = zl_run_meeting(r, i, e);
    bool cluster = m == r->meetings;
    int32_t *generation = cluster ? &i->joined : &i->meets;
    if (e->kind == ZL_EV_MEET && i->joined < 0) {
        zl_run_fault(r, ZLAY_PIPE_COLLECTIVE, zl_event_index(r, e), UINT32_MAX, 0, 1);
        return true;
    }
    if (e->kind == ZL_EV_SYNC && e->scope == ZL_SYNC_ROLE) return meet_role(r, i), true;
    if (e->kind == ZL_EV_SYNC && e->scope == ZL_SYNC_WARP) {
        for (uint32_t k = 0; k + 1 < i->classes; k += 2)
            meet_warp(r, &r->classes[i->first + k], &r->classes[i->first + k + 1]);
        return true;
    }
    if (*generation < 0) {
        if (!comes(r, i, e, m)) return true;
        *generation = m->generation;
        if (m->pending == 0) close_meeting(r, m);
    } else if (e->kind == ZL_EV_JOIN) {
        zl_run_fault(r, ZLAY_PIPE_OVERRUN, zl_event_index(r, e), m->event, 2, 1);
    }
    if (e->kind == ZL_EV_JOIN) {
        if (!cluster) *generation = -1;
        return true;
    }
    return leaves(r, i, m, generation);
}

void zl_run_leave(zl_run *r, const zl_instance *i)
{
    zl_meeting *m = &r->meetings[0];
    if (m->pending == 0 || i->joined == m->generation) return;
    if (--m->pending == 0) close_meeting(r, m);
}

/* ---- flags ---- */

/* The flag of a raise or an await. */
static zl_flag *flag_of(zl_run *r, const zl_instance *i, const zl_event *e)
{
    uint32_t slot = zl_run_other_slot(r, i, e);
    return &r->flags[r->other_at[e->other] + slot - (r->places_count - r->flags_count)];
}

/* Adds a raise to a flag; raises that this thread knows of need no longer be asked about. */
static void add_raise(zl_run *r, zl_flag *f, const zl_class *c, int64_t times)
{
    uint32_t own = (uint32_t)(c - r->classes);
    for (uint32_t k = 0; k < r->classes_count; k++)
        if (f->open[k] && c->clock[k] >= f->raised[k]) f->open[k] = 0;
    f->total += times;
    f->raised[own] = c->own[own];
    f->open[own] = times;
    zl_clock_give(r, f->sum, c);
}

/* Whether value n is unreachable without any one of the raises that no other raise knows of. */
static bool needs_all(const zl_run *r, const zl_flag *f, int64_t n)
{
    bool all = true;
    for (uint32_t k = 0; k < r->classes_count; k++) all &= !f->open[k] || f->total - f->open[k] < n;
    return all;
}

/* Raises a flag. The raises behind an awaited value must not depend on the interleaving: the
 * value needs all of them, and a later raise must know of them all. */
bool zl_run_raise(zl_run *r, zl_instance *i, const zl_event *e)
{
    zl_flag *f = flag_of(r, i, e);
    const zl_class *c = &r->classes[i->first];
    int64_t before = f->total;
    zl_run_check_grid(r, i, e);
    add_raise(r, f, c, e->times);
    for (uint32_t k = 0; k < f->count; k++) {
        int64_t n = f->threshold[k];
        zl_tick *made = f->made + (size_t)k * r->classes_count;
        if (n > f->total) continue;
        if (n <= before ? !zl_clock_knows(r, c, made) : !needs_all(r, f, n))
            zl_run_fault(r, ZLAY_PIPE_OVERRUN, zl_event_index(r, e), UINT32_MAX, before, n);
        if (n <= before) continue;
        memcpy(f->at + (size_t)k * r->comps, f->sum, r->comps * sizeof *f->sum);
        memcpy(made, f->raised, r->classes_count * sizeof *made);
    }
    return true;
}

bool zl_run_await(zl_run *r, zl_instance *i, const zl_event *e)
{
    zl_flag *f = flag_of(r, i, e);
    uint32_t k = 0;
    zl_run_check_grid(r, i, e);
    if (e->count <= 0) return true;
    if (f->total < e->count) return false;
    while (f->threshold[k] != e->count) k++;
    for (uint32_t n = 0; n < i->classes; n++)
        zl_clock_join(r, r->classes[i->first + n].clock, f->at + (size_t)k * r->comps);
    return true;
}
