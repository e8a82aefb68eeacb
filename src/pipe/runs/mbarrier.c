/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates an mbarrier slot (PTX ISA, "mbarrier"): arrivals, expected bytes, completion of
 * phases, waits by parity. One interleaving is run, so vector clocks say what could go wrong
 * in another: an arrival or a wait is a fault if its thread cannot know which phase it falls
 * into, and completing a phase is a fault if a thread may still wait for the one before. */
#include "pipe/runs/state/clock.h"

#include <string.h>

/* A phase of arrivals alone is complete when all of them have come: a class that knows of each
 * of them knows that the phase is complete, without a wait. */
static void conclude(zl_run *r, const zl_mbar *g, const zl_class *c)
{
    for (int k = 1; k < ZL_CAME; k++)
        if (c->clock[g->comp] <= g->phase - k && zl_clock_knows(r, c, g->came[k]))
            c->clock[g->comp] = (zl_tick)(g->phase + 1 - k);
}

/* Whether the event is a copy that was meant for the phase which has just completed: too few
 * bytes were expected there. */
static bool lacks_bytes(const zl_run *r, const zl_mbar *g, const zl_class *c, uint32_t event)
{
    const zl_event *e = &r->pipe->events[event];
    int64_t at = zl_run_value(r, &r->instances[c->instance], &e->bar_at);
    return e->kind == ZL_EV_COPY && at / r->pipe->bars[g->bar].stages == c->clock[g->comp];
}

/* Whether the class knows that the phase before the current one is complete; if not, its
 * arrival could fall into that phase, which is a fault (OVERRUN, or BYTES for a copy). */
static bool is_here(zl_run *r, const zl_mbar *g, const zl_class *c, uint32_t event)
{
    conclude(r, g, c);
    if (c->clock[g->comp] == g->phase) return true;
    if (lacks_bytes(r, g, c, event))
        zl_run_fault(r, ZLAY_PIPE_BYTES, event, g->event, r->pipe->events[event].count, 0);
    zl_run_fault(r, ZLAY_PIPE_OVERRUN, event, g->event, c->clock[g->comp], g->phase);
    return false;
}

/* Checks at completion that each expectation happened before an arrival of the phase
 * (otherwise the phase could complete without its bytes), and that each earlier waiter has
 * left its wait (otherwise it could miss a phase). */
static void check_phase(zl_run *r, const zl_mbar *g)
{
    for (uint32_t c = 0; c < r->classes_count; c++) {
        if (g->expected[c] >= 0 && g->arrived[c] < g->expected[c])
            zl_run_fault(r, ZLAY_PIPE_BYTES, g->event, UINT32_MAX, 0, g->tx);
        if (g->passed[c] >= 0 && g->sum[zl_comp_control(r, c)] < g->passed[c])
            zl_run_fault(r, ZLAY_PIPE_LOST_PHASE, g->event, UINT32_MAX, g->phase, g->phase - 1);
    }
}

/* Completes the phase: its clock is the join of all that came to it. */
static void next_phase(zl_run *r, zl_mbar *g)
{
    check_phase(r, g);
    memcpy(g->done, g->sum, r->comps * sizeof *g->done);
    g->done[g->comp] = (zl_tick)++g->phase;
    memset(g->sum, 0, r->comps * sizeof *g->sum);
    memset(g->arrived, 0, r->epochs * sizeof *g->arrived);
    for (int k = ZL_CAME; --k > 0;)
        memcpy(g->came[k], g->came[k - 1], r->classes_count * sizeof *g->came[k]);
    for (uint32_t c = 0; c < r->classes_count; c++) g->passed[c] = g->expected[c] = g->came[0][c] = -1;
    g->pending = r->pipe->bars[g->bar].count;
}

/* Completes the phase when no arrival and no byte is pending. */
static void complete(zl_run *r, zl_mbar *g)
{
    if (g->pending == 0 && g->tx < 0)
        zl_run_fault(r, ZLAY_PIPE_BYTES, g->event, UINT32_MAX, -g->tx, 0);
    if (g->pending == 0 && g->tx == 0) next_phase(r, g);
}

/* A thread of the block must know of this phase's completion before the block ends. */
static void owe_phase(zl_run *r, const zl_mbar *g, uint32_t event)
{
    zl_run_owe(r, g->cta, (zl_cond){g->comp, g->phase + 1}, event);
}

/* Notes the epoch of this class's arrival: who knows of the epoch knows of the arrival. */
static void come(const zl_run *r, zl_mbar *g, const zl_class *c, zl_tick epoch)
{
    zl_tick *came = &g->came[0][c - r->classes];
    if (*came < epoch) *came = epoch;
}

/* The epoch at which the arrival is known. A commit arrives when its products complete, which
 * no epoch of its thread tells: ZL_NEVER. An arrival in all blocks is known one event later. */
static zl_tick epoch_of(const zl_run *r, const zl_class *c, uint32_t event)
{
    const zl_event *e = &r->pipe->events[event];
    if (e->kind == ZL_EV_COMMIT) return ZL_NEVER;
    return (zl_tick)(c->own[c - r->classes] + (e->cta == ZL_CTA_ALL));
}

void zl_mbar_arrive(zl_run *r, zl_mbar *g, const zl_class *c, int64_t count, uint32_t event)
{
    if (!is_here(r, g, c, event)) return;
    g->event = event;
    if (count > g->pending) {
        zl_run_fault(r, ZLAY_PIPE_COUNT, event, UINT32_MAX, count, g->pending);
        return;
    }
    zl_cond epoch = {(int32_t)(c - r->classes), c->own[c - r->classes]};
    if (r->instances[c->instance].cta != g->cta) zl_run_owe(r, g->cta, epoch, event);
    come(r, g, c, epoch_of(r, c, event));
    g->pending -= count;
    zl_clock_give(r, g->sum, c);
    zl_clock_arrive(r, g->arrived, c);
    complete(r, g);
}

/* A copy lands. A thread that sees it landed knows that it was issued and what its thread had waited
 * for before; the thread's own ordinary loads and stores are not ordered by the copy. */
void zl_mbar_signal(zl_run *r, zl_mbar *g, const zl_class *c, int64_t bytes, uint32_t event)
{
    if (!is_here(r, g, c, event)) return;
    g->event = event;
    owe_phase(r, g, event);
    g->tx -= bytes;
    come(r, g, c, ZL_NEVER);
    memset(r->scratch, 0, r->comps * sizeof *r->scratch);
    zl_clock_give(r, r->scratch, c);
    memset(r->scratch, 0, (size_t)zl_comp_control(r, 0) * sizeof *r->scratch);
    zl_clock_join(r, g->sum, r->scratch);
    complete(r, g);
}

void zl_mbar_expect(zl_run *r, zl_mbar *g, const zl_class *c, int64_t bytes, uint32_t event)
{
    if (!is_here(r, g, c, event)) return;
    g->event = event;
    g->tx += bytes;
    g->expected[c - r->classes] = c->own[c - r->classes];
    come(r, g, c, ZL_NEVER);
    if (g->tx >= 1 << 20) zl_run_fault(r, ZLAY_PIPE_BYTES, event, UINT32_MAX, g->tx, (1 << 20) - 1);
}

/* The phase that a wait with this parity means: the last one the class knows to be complete,
 * or the next. */
static int32_t phase_meant(const zl_mbar *g, const zl_class *c, int32_t parity)
{
    int32_t last = c->clock[g->comp] - 1;
    return (last & 1) == parity ? last : last + 1;
}

/* The wait is over: the classes take the phase's clock, and the slot notes that they are past
 * it. */
static void pass(zl_run *r, zl_instance *i, zl_mbar *g, int32_t phase)
{
    for (uint32_t k = 0; k < i->classes; k++) {
        zl_class *c = &r->classes[i->first + k];
        if (phase >= 0) zl_clock_join(r, c->clock, g->done);
        g->passed[i->first + k] = (zl_tick)i->epoch;
    }
}

bool zl_mbar_wait(zl_run *r, zl_instance *i, zl_mbar *g, int32_t parity, uint32_t event)
{
    for (uint32_t k = 0; k < i->classes; k++) conclude(r, g, &r->classes[i->first + k]);
    int32_t phase = phase_meant(g, &r->classes[i->first], parity);
    for (uint32_t k = 1; k < i->classes; k++)
        if (phase_meant(g, &r->classes[i->first + k], parity) != phase)
            zl_run_fault(r, ZLAY_PIPE_PARITY, event, g->event, phase, g->phase);
    i->stands = g->phase <= phase ? g : NULL;
    if (i->stands) return false;
    if (g->phase > phase + 1)
        zl_run_fault(r, ZLAY_PIPE_LOST_PHASE, event, g->event, g->phase - 1, phase);
    else pass(r, i, g, phase);
    return true;
}
