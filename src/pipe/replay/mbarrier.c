/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates mbarrier slots for the checker: arrivals, expected bytes, completion of phases, waits
 * by parity. A slot holds sets of operations: what the last complete phase makes known (DONE), and
 * what has come to the current one (SUM, ARRIVED). An arrival or a wait is accepted only if its
 * thread's own set shows which phase it falls into, because only then does it fall into that phase
 * in every interleaving. */
#include "pipe/replay/replay.h"

enum { TX_MOST = 1 << 20 };

/* The operation of a thread's last wait since the last phase. */
static int32_t *passed(zl_replay *c, const zl_rp_mbar *g, uint32_t thread)
{
    return &c->passed[(size_t)(g - c->mbars) * c->threads_count + thread];
}

/* A thread's last arrival in the current phase. */
static int32_t *came(zl_replay *c, const zl_rp_mbar *g, uint32_t thread)
{
    return &c->came[(size_t)(g - c->mbars) * c->threads_count + thread];
}

/* A thread's arrival in the last complete phase (which = 0) or the one before. */
static int32_t *were(zl_replay *c, const zl_rp_mbar *g, int which, uint32_t thread)
{
    size_t mbar = (size_t)which * c->mbars_count + (size_t)(g - c->mbars);
    return &c->were[mbar * c->threads_count + thread];
}

/* An instance's last expectation in the current phase. */
static int32_t *expected(zl_replay *c, const zl_rp_mbar *g, uint32_t instance)
{
    return &c->expected[(size_t)(g - c->mbars) * c->instances_count + instance];
}

zl_rp_mbar *zl_rp_mbar_of(zl_replay *c, const zl_rp_instance *i, const zl_event *e, uint32_t block)
{
    uint32_t stages = c->pipe->bars[e->bar].stages;
    uint32_t slot = zl_rp_slot(c, i, &e->bar_at, (uint32_t)e->bar, block, stages);
    return &c->mbars[c->mbar_at[e->bar] + block * stages + slot];
}

/* Notes that the block must know of an operation before it ends. */
void zl_rp_owe(zl_replay *c, uint32_t block, const zl_rp_mbar *g, uint32_t thread, int32_t op,
               uint32_t event)
{
    uint32_t at = g ? c->threads_count + (uint32_t)(g - c->mbars) : thread;
    c->debts[block * (c->threads_count + c->mbars_count) + at] = (zl_rp_debt){op, true, event};
}

/* ---- phases ---- */

/* Checks that each expectation happens before an arrival of the phase, and that each waiter is
 * known to have left its wait. */
static void check_phase(zl_replay *c, const zl_rp_mbar *g)
{
    for (uint32_t n = 0; n < c->instances_count; n++)
        if (*expected(c, g, n) >= 0 &&
            !zl_rp_has(c, zl_rp_mbar_set(c, g, ZL_RP_ARRIVED), *expected(c, g, n)))
            zl_rp_break(c, ZLAY_PIPE_BYTES, g->event, UINT32_MAX);
    for (uint32_t t = 0; t < c->threads_count; t++)
        if (*passed(c, g, t) >= 0 &&
            !zl_rp_has(c, zl_rp_mbar_set(c, g, ZL_RP_SUM), *passed(c, g, t)))
            zl_rp_break(c, ZLAY_PIPE_LOST_PHASE, g->event, UINT32_MAX);
}

/* Completes the phase: its set becomes what later waiters learn. */
static void next_phase(zl_replay *c, zl_rp_mbar *g)
{
    uint32_t done = zl_rp_mbar_set(c, g, ZL_RP_DONE), sum = zl_rp_mbar_set(c, g, ZL_RP_SUM);
    check_phase(c, g);
    zl_rp_clear(c, done);
    zl_rp_join(c, done, sum);
    zl_rp_learn(c, done, g->next);
    zl_rp_clear(c, sum);
    zl_rp_clear(c, zl_rp_mbar_set(c, g, ZL_RP_ARRIVED));
    for (uint32_t n = 0; n < c->instances_count; n++) *expected(c, g, n) = -2;
    for (uint32_t t = 0; t < c->threads_count; t++) {
        *were(c, g, 1, t) = *were(c, g, 0, t);
        *were(c, g, 0, t) = *came(c, g, t);
        *passed(c, g, t) = *came(c, g, t) = -2;
    }
    g->shown[1] = g->shown[0];
    g->shown[0] = !g->hidden;
    g->hidden = false;
    g->last[1] = g->last[0];
    g->last[0] = g->next;
    g->next = zl_rp_op_new(c, ZL_RP_POINT, -1, (int32_t)(g - c->mbars));
    g->pending = c->pipe->bars[g->bar].count;
    g->phase++;
}

/* Completes the phase if no arrival and no byte is pending. */
static void try_complete(zl_replay *c, zl_rp_mbar *g)
{
    if (g->pending) return;
    if (g->tx < 0) zl_rp_break(c, ZLAY_PIPE_BYTES, g->event, UINT32_MAX);
    if (g->tx == 0) next_phase(c, g);
}

/* A phase of arrivals alone is complete when all have come: a thread that knows each of them
 * knows that. */
static void conclude(zl_replay *c, const zl_rp_mbar *g, uint32_t thread)
{
    uint32_t knows = zl_rp_set(thread, ZL_RP_KNOWS);
    for (int k = 0; k < 2 && !zl_rp_has(c, knows, g->last[k]); k++) {
        bool all = g->shown[k];
        for (uint32_t t = 0; all && t < c->threads_count; t++)
            all = zl_rp_has(c, knows, *were(c, g, k, t));
        if (all) zl_rp_learn(c, knows, g->last[k]);
    }
}

/* Whether the phase has completed without a copy that its thread meant for it. */
static bool lacks_bytes(zl_replay *c, const zl_rp_mbar *g, uint32_t thread, uint32_t event)
{
    const zl_event *e = &c->pipe->events[event];
    const zl_rp_instance *i = &c->instances[c->threads[thread].instance];
    int64_t stages = c->pipe->bars[g->bar].stages, at = zl_rp_value(c, i, &e->bar_at);
    return e->kind == ZL_EV_COPY && at / stages == g->phase - 1 &&
           zl_rp_has(c, zl_rp_set(thread, ZL_RP_KNOWS), g->last[1]);
}

/* Checks that the thread knows the phase before to be complete; otherwise its arrival could
 * fall into that one. */
static bool is_in_phase(zl_replay *c, zl_rp_mbar *g, uint32_t thread, uint32_t event)
{
    conclude(c, g, thread);
    if (!zl_rp_has(c, zl_rp_set(thread, ZL_RP_KNOWS), g->last[0])) {
        bool few = lacks_bytes(c, g, thread, event);
        zl_rp_break(c, few ? ZLAY_PIPE_BYTES : ZLAY_PIPE_OVERRUN, event, g->event);
        return false;
    }
    g->event = event;
    return true;
}

/* ---- arrivals ---- */

void zl_rp_come(zl_replay *c, zl_rp_mbar *g, uint32_t thread, uint32_t event)
{
    if (!is_in_phase(c, g, thread, event)) return;
    int32_t op = *came(c, g, thread) = zl_rp_did(c, thread, false);
    if (c->instances[c->threads[thread].instance].block != g->block)
        zl_rp_owe(c, g->block, NULL, thread, op, event);
    zl_rp_join(c, zl_rp_mbar_set(c, g, ZL_RP_SUM), zl_rp_set(thread, ZL_RP_KNOWS));
    zl_rp_join(c, zl_rp_mbar_set(c, g, ZL_RP_ARRIVED), zl_rp_set(thread, ZL_RP_KNOWS));
}

void zl_rp_take(zl_replay *c, zl_rp_mbar *g, int64_t count, uint32_t event)
{
    if (c->rule) return;
    if (count > g->pending) {
        zl_rp_break(c, ZLAY_PIPE_COUNT, event, UINT32_MAX);
        return;
    }
    g->pending -= count;
    try_complete(c, g);
}

/* How many arrivals an event makes. */
static int64_t arrivals(const zl_rp_instance *i, const zl_event *e)
{
    int64_t warps = i->role->elect ? 1 : i->role->each;
    int64_t one = e->scope == ZL_BY_ONE ? 1 : e->scope == ZL_BY_WARPS ? warps : 32 * warps;
    return one * (int64_t)e->times;
}

void zl_rp_arrive(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    uint32_t mask = zl_rp_blocks(c, i, e), event = zl_rp_line(c, e);
    for (uint32_t b = 0; b < c->blocks; b++) {
        if (!(mask >> b & 1)) continue;
        zl_rp_mbar *g = zl_rp_mbar_of(c, i, e, b);
        for (uint32_t k = 0; k < i->threads; k++)
            if (k == 0 || e->scope == ZL_BY_THREADS ||
                (e->scope == ZL_BY_WARPS && c->threads[i->first + k].lane0))
                zl_rp_come(c, g, i->first + k, event);
        zl_rp_take(c, g, arrivals(i, e), event);
    }
}

void zl_rp_expect(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    zl_rp_mbar *g = zl_rp_mbar_of(c, i, e, i->block);
    if (!is_in_phase(c, g, i->first, zl_rp_line(c, e))) return;
    *expected(c, g, (uint32_t)(i - c->instances)) = zl_rp_did(c, i->first, false);
    g->tx += e->count;
    if (g->tx >= TX_MOST) zl_rp_break(c, ZLAY_PIPE_BYTES, zl_rp_line(c, e), UINT32_MAX);
}

void zl_rp_land(zl_replay *c, zl_rp_mbar *g, uint32_t thread, int64_t bytes, uint32_t event)
{
    if (!is_in_phase(c, g, thread, event)) return;
    zl_rp_owe(c, g->block, g, 0, g->next, event);
    g->tx -= bytes;
    g->hidden = true;
    zl_rp_join_landing(c, zl_rp_mbar_set(c, g, ZL_RP_SUM), zl_rp_set(thread, ZL_RP_KNOWS));
    try_complete(c, g);
}

/* ---- waits ---- */

/* The phase that a wait means: the last that its thread knows to be complete, or the next.
 * Only the last two phases are asked about. */
static int64_t meant(const zl_replay *c, const zl_rp_mbar *g, uint32_t thread, int64_t parity)
{
    int64_t known = g->phase - 1;
    for (int k = 0; k < 2 && !zl_rp_has(c, zl_rp_set(thread, ZL_RP_KNOWS), g->last[k]); k++)
        known--;
    return (known & 1) == parity ? known : known + 1;
}

/* The wait is over: its threads learn what the phase makes known. */
static void pass(zl_replay *c, zl_rp_instance *i, zl_rp_mbar *g, int64_t phase)
{
    for (uint32_t t = i->first; t < i->first + i->threads; t++) {
        if (phase >= 0) zl_rp_join(c, zl_rp_set(t, ZL_RP_KNOWS), zl_rp_mbar_set(c, g, ZL_RP_DONE));
        int32_t op = zl_rp_op_new(c, ZL_RP_PASSED, (int32_t)t, 0);
        zl_rp_learn(c, zl_rp_set(t, ZL_RP_KNOWS), op);
        *passed(c, g, t) = op;
    }
}

bool zl_rp_wait(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    int64_t at = zl_rp_index(c, i, &e->parity, (uint32_t)e->bar, i->block);
    zl_rp_mbar *g = zl_rp_mbar_of(c, i, e, i->block);
    int64_t parity = (at / c->pipe->bars[e->bar].stages + e->flip) & 1;
    for (uint32_t k = 0; k < i->threads; k++) conclude(c, g, i->first + k);
    int64_t phase = meant(c, g, i->first, parity);
    if (at < 0) zl_rp_break(c, ZLAY_PIPE_PARITY, i->pc, UINT32_MAX);
    for (uint32_t k = 1; k < i->threads; k++)
        if (meant(c, g, i->first + k, parity) != phase)
            zl_rp_break(c, ZLAY_PIPE_PARITY, i->pc, g->event);
    if (c->rule) return true;
    i->stands = g->phase <= phase ? g : NULL;
    if (i->stands) return false;
    if (g->phase > phase + 1) zl_rp_break(c, ZLAY_PIPE_LOST_PHASE, i->pc, g->event);
    else pass(c, i, g, phase);
    return true;
}
