/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler of a run: instances take turns in a fixed order, each to the end of a loop
 * iteration or until it must wait. One interleaving is enough, because vector clocks say what
 * other interleavings allow. If no instance can move, it is a deadlock; if all have ended, the
 * end is checked. */
#include "pipe/runs/state/watch.h"
#include "pipe/runs/timed.h"

/* Tells of an event that has run, and of a round's end. */
static void tell(zl_run *r, const zl_instance *i)
{
    if (r->told && (!i || i->epoch <= r->known[i - r->instances])) r->told(r, i);
}

/* Whether an instance may run no event more. */
static bool is_held(const zl_run *r, const zl_instance *i)
{
    return r->alone && i->epoch > r->known[i - r->instances];
}

static const zl_event *at(const zl_run *r, const zl_instance *i) { return &r->pipe->events[i->pc]; }

static bool has_ended(const zl_run *r, const zl_instance *i)
{
    return i->pc == r->pipe->roles[i->role].end;
}

/* ---- loops ---- */

/* Whether the end of this loop depends on a trip count of the endless param that no loop has
 * reached yet; then the run stops here and the search branches. */
static bool is_open(zl_run *r, const zl_event *loop, int64_t value)
{
    if (r->endless < 0 || zl_loop_param(loop) != r->endless) return false;
    if (value - loop->bar_at.add > r->reached) r->reached = value - loop->bar_at.add;
    return r->reached > r->seen;
}

/* Whether the next iteration of a loop stands behind the frontier. */
static bool is_shut(const zl_run *r, const zl_instance *i)
{
    const zl_tiles *t = r->tiles;
    const zl_event *e = at(r, i);
    if (!t || t->last || (e->kind != ZL_EV_FOR && e->kind != ZL_EV_END)) return false;
    bool begins = e->kind == ZL_EV_FOR;
    const zl_event *loop = begins ? e : &r->pipe->events[e->match];
    if (loop->over != t->over) return false;
    int64_t next = begins ? zl_run_value(r, i, &loop->at[0]) : i->counter[i->depth - 1] + 1;
    return next >= t->open && next < zl_run_value(r, i, &loop->bar_at);
}

/* Whether instances stand at the frontier, where no other can move. */
static bool stops_at_frontier(zl_run *r)
{
    bool some = false;
    for (uint32_t k = 0; k < r->instances_count; k++)
        some |= !has_ended(r, &r->instances[k]) && is_shut(r, &r->instances[k]);
    if (some) r->tiles->shut = true;
    return some;
}

/* Enters a loop, or skips it if it runs zero times. */
static void begin_loop(zl_run *r, zl_instance *i, const zl_event *e)
{
    int64_t first = zl_run_value(r, i, &e->at[0]);
    if (is_open(r, e, first)) return;
    if (first >= zl_run_value(r, i, &e->bar_at)) {
        if (r->watch) zl_watch_empty(r, e);
        i->pc = (uint32_t)e->match + 1;
        return;
    }
    i->counter[i->depth] = first;
    i->loop[i->depth] = i->pc;
    i->found[i->depth++] = false;
    i->pc++;
    if (r->watch) zl_watch_begin(r, i);
}

/* Ends an iteration: back to the head, or out of the loop. */
static void next_turn(zl_run *r, zl_instance *i, const zl_event *e)
{
    const zl_event *loop = &r->pipe->events[e->match];
    int64_t *counter = &i->counter[i->depth - 1];
    if (is_open(r, loop, *counter + loop->step)) return;
    *counter += loop->step;
    i->laps += i->depth == 1;
    if (*counter < zl_run_value(r, i, &loop->bar_at)) {
        i->pc = (uint32_t)e->match + 1;
        if (r->watch) zl_watch_head(r, i);
        return;
    }
    i->depth--;
    i->pc++;
    if (r->watch) zl_watch_end(r, i, i->depth);
}

/* ---- turns ---- */

/* Whether the run must hand control back: a fault, a limit, a new trip count, or a repetition. */
static bool is_stopped(const zl_run *r)
{
    return r->fault.rule || r->status || r->reached > r->seen || r->repeats || r->stuck || (r->tiles && r->tiles->shut);
}

/* Runs an instance to the end of an iteration or to a wait, or by one event; false where it did not
 * move. */
static bool take_turn(zl_run *r, zl_instance *i)
{
    bool moved = false, again = true;
    while (again && !has_ended(r, i) && !is_stopped(r)) {
        const zl_event *e = at(r, i);
        if (is_shut(r, i)) return moved;
        r->steps++;
        r->stepping = (uint32_t)(i - r->instances);
        if (e->kind == ZL_EV_FOR) begin_loop(r, i, e);
        else if (e->kind == ZL_EV_END) {
            next_turn(r, i, e);
            again = r->single && r->steps <= r->most;
        } else if (!is_held(r, i) && zl_run_step(r, i)) {
            tell(r, i);
            again = !r->single;
            if (++i->epoch > ZL_TICKS) zl_run_halt(r, i->pc, "comes behind more than 32000 events of its role in one run");
            i->pc++;
        } else {
            return moved;
        }
        moved = true;
    }
    if (has_ended(r, i) && moved && !is_stopped(r)) {
        zl_run_check_exit(r, i);
        zl_run_leave(r, i);
    }
    return moved;
}

/* No instance can move: reports bytes that never come, a wait for registers that another order
 * could grant, or a deadlock of two waits. */
static void find_stuck(zl_run *r)
{
    uint32_t events[2] = {UINT32_MAX, UINT32_MAX};
    for (uint32_t k = 0; k < r->mbars_count; k++) {
        const zl_mbar *g = &r->mbars[k];
        if (g->pending == 0 && g->tx > 0)
            zl_run_fault(r, ZLAY_PIPE_BYTES, g->event, UINT32_MAX, 0, g->tx);
    }
    for (uint32_t k = 0; k < r->instances_count; k++) {
        const zl_instance *i = &r->instances[k];
        if (!has_ended(r, i) && i->pc != events[0]) events[events[0] != UINT32_MAX] = i->pc;
        if (zl_run_registers_some(r, i) && !r->fault.rule)
            zl_run_halt(r, i->pc, "waits for registers in one order of the roles");
    }
    if (r->status) return;
    zl_run_fault(r, ZLAY_PIPE_DEADLOCK, events[0], events[1], 0, 0);
}

/* With `paced`, whether the instance is not ahead of the current lap. */
static bool may_turn(const zl_run *r, const zl_instance *i)
{
    return !r->paced || i->laps <= *r->lap;
}

/* Lets the least advanced instances go on; false where none is ahead. */
static bool begin_lap(zl_run *r)
{
    int64_t next = INT64_MAX;
    for (uint32_t k = 0; k < r->instances_count; k++) {
        const zl_instance *i = &r->instances[k];
        if (!has_ended(r, i) && !may_turn(r, i) && i->laps < next) next = i->laps;
    }
    if (next < INT64_MAX) *r->lap = next;
    return next < INT64_MAX;
}

/* The last event run by the instance that moved last. */
static uint32_t last_event(const zl_run *r)
{
    const zl_instance *i = &r->instances[r->stepping];
    return i->pc > r->pipe->roles[i->role].begin ? i->pc - 1 : i->pc;
}

/* ---- in time --------------------------------------------------------- */

/* The earliest instance that may be able to run its event; NULL: there is none. */
static zl_instance *earliest(zl_run *r, bool *open)
{
    zl_instance *first = NULL;
    *open = false;
    for (uint32_t k = 0; k < r->instances_count; k++) {
        zl_instance *i = &r->instances[k];
        if (has_ended(r, i)) continue;
        *open = true;
        if (r->timed->waits[k]) continue;
        if (!first || r->timed->at[k] < r->timed->at[first - r->instances]) first = i;
    }
    return first;
}

/* Runs event by event, the earliest instance first; one that has to wait is asked again when
 * another has moved. */
static void run_in_time(zl_run *r)
{
    bool open = true;
    while (open && !is_stopped(r)) {
        zl_instance *i = earliest(r, &open);
        if (!open) return;
        if (!i && !stops_at_frontier(r)) find_stuck(r);
        if (!i) return;
        if (take_turn(r, i)) {
            for (uint32_t k = 0; k < r->instances_count; k++) r->timed->waits[k] = false;
        } else {
            r->timed->waits[i - r->instances] = true;
            r->timed->tried(r, i);
        }
        if (r->steps > r->most)
            zl_run_halt(r, last_event(r), "is reached after more steps than the limit points");
    }
}

void zl_run_on(zl_run *r)
{
    bool moved = true, open = true;
    if (r->timed) {
        run_in_time(r);
        open = false;
    }
    while (open && !is_stopped(r)) {
        moved = open = false;
        for (uint32_t k = 0; k < r->instances_count && !is_stopped(r); k++) {
            zl_instance *i = &r->instances[k];
            moved |= may_turn(r, i) && take_turn(r, i);
            open |= !has_ended(r, i);
        }
        tell(r, NULL);
        if (r->steps > r->most)
            zl_run_halt(r, last_event(r), "is reached after more steps than the limit points");
        if (open && !moved && !is_stopped(r) && !stops_at_frontier(r) && !begin_lap(r)) find_stuck(r);
    }
    if (!is_stopped(r)) zl_run_check_end(r);
}
