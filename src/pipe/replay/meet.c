/* SPDX-License-Identifier: Apache-2.0 */
/* Runs barriers of threads, setmaxnreg, flags, groups with their waits, and fences for the checker,
 * each as a change of the sets of known operations. A barrier gives all its threads the union of
 * their sets. A wait for a group adds the group's operations. A fence adds, for each operation that
 * it covers, the operation that stands for it behind the fence. */
#include "pipe/replay/acc.h"
#include "pipe/replay/same.h"

#include <string.h>

static uint32_t knows(uint32_t thread) { return zl_rp_set(thread, ZL_RP_KNOWS); }

/* ---- inside an instance ---- */

/* A barrier among consecutive threads: each learns what all know. */
static void meet_threads(zl_replay *c, uint32_t first, uint32_t count)
{
    for (uint32_t t = first + 1; t < first + count; t++) zl_rp_join(c, knows(first), knows(t));
    for (uint32_t t = first + 1; t < first + count; t++) zl_rp_join(c, knows(t), knows(first));
}

/* ---- meetings ---- */

zl_rp_meeting *zl_rp_meeting_of(zl_replay *c, const zl_rp_instance *i, const zl_event *e)
{
    if (e->kind == ZL_EV_MEET || e->scope == ZL_SYNC_CLUSTER) return c->meetings;
    return &c->meetings[1 + i->block * ZL_RP_NAMED +
                        (e->scope == ZL_SYNC_NAMED ? zl_event_named(e, i->number) : 0)];
}

static bool has_ended(const zl_rp_instance *i) { return i->pc == i->role->end; }

/* How many must come: threads of a named barrier, else instances of the block or cluster. */
static int64_t awaited(const zl_replay *c, const zl_rp_instance *i, const zl_event *e)
{
    int64_t count = 0;
    if (e->scope == ZL_SYNC_NAMED) return e->count;
    for (const zl_rp_instance *k = c->instances; k < c->instances + c->instances_count; k++)
        count += e->scope == ZL_SYNC_CLUSTER ? !has_ended(k) : k->block == i->block;
    return count;
}

/* The instance learns what the barrier makes known. */
static void learn(zl_replay *c, const zl_rp_instance *i, const zl_rp_meeting *m)
{
    for (uint32_t t = i->first; t < i->first + i->threads; t++)
        zl_rp_join(c, knows(t), zl_rp_meeting_set(c, m, ZL_RP_DONE));
}

/* Whether an instance waits for this generation of the barrier. */
static bool waits_in(zl_replay *c, const zl_rp_instance *i, const zl_rp_meeting *m, int32_t generation)
{
    const zl_event *e = &c->pipe->events[i->pc];
    return i->meets == generation && e->kind == ZL_EV_SYNC && zl_rp_meeting_of(c, i, e) == m;
}

/* Ends the barrier. Waiting threads of a block learn of this generation, not of later ones
 * that may end before they go on. */
static void close_meeting(zl_replay *c, zl_rp_meeting *m)
{
    int32_t generation = m->generation;
    uint32_t done = zl_rp_meeting_set(c, m, ZL_RP_DONE), sum = zl_rp_meeting_set(c, m, ZL_RP_SUM);
    m->generation++;
    m->last = zl_rp_op_new(c, ZL_RP_POINT, -1, -1);
    zl_rp_clear(c, done);
    zl_rp_join(c, done, sum);
    zl_rp_learn(c, done, m->last);
    zl_rp_clear(c, sum);
    for (const zl_rp_instance *k = c->instances; m != c->meetings && k < c->instances + c->instances_count; k++)
        if (waits_in(c, k, m, generation)) learn(c, k, m);
}

/* Counts an instance in. */
static void come(zl_replay *c, zl_rp_instance *i, const zl_event *e, zl_rp_meeting *m)
{
    bool named = e->scope == ZL_SYNC_NAMED;
    int64_t count = awaited(c, i, e), weight = named ? 32 * (int64_t)i->role->each : 1;
    for (uint32_t t = i->first; t < i->first + i->threads; t++)
        if (!zl_rp_has(c, knows(t), m->last)) zl_rp_break(c, ZLAY_PIPE_OVERRUN, i->pc, m->event);
    bool begins = !m->pending, other = m->block != (e->scope == ZL_SYNC_CTA);
    if (begins) {
        m->pending = m->count = count;
        m->block = e->scope == ZL_SYNC_CTA;
    }
    if (weight > m->pending || (!begins && (other || (named && count != m->count))))
        zl_rp_break(c, ZLAY_PIPE_COUNT, i->pc, m->event);
    m->event = i->pc;
    m->pending -= weight;
    for (uint32_t t = i->first; t < i->first + i->threads; t++)
        zl_rp_join(c, zl_rp_meeting_set(c, m, ZL_RP_SUM), knows(t));
}

/* Whether the instance may go on. */
static bool leave(zl_replay *c, zl_rp_instance *i, const zl_rp_meeting *m, int32_t *generation)
{
    if (m->generation <= *generation) return false;
    *generation = -1;
    if (m == c->meetings) learn(c, i, m);
    return true;
}

/* Arrives unless it has, and waits unless it only arrives (`join`). */
static bool meet(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    zl_rp_meeting *m = zl_rp_meeting_of(c, i, e);
    bool cluster = m == c->meetings;
    int32_t *generation = cluster ? &i->joined : &i->meets;
    if (e->kind == ZL_EV_MEET && *generation < 0)
        zl_rp_break(c, ZLAY_PIPE_COLLECTIVE, i->pc, UINT32_MAX);
    if (e->kind == ZL_EV_JOIN && *generation >= 0)
        zl_rp_break(c, ZLAY_PIPE_OVERRUN, i->pc, m->event);
    if (c->rule) return true;
    if (*generation < 0) {
        come(c, i, e, m);
        if (c->rule) return true;
        *generation = m->generation;
        if (!m->pending) close_meeting(c, m);
    }
    if (e->kind != ZL_EV_JOIN) return leave(c, i, m, generation);
    if (!cluster) *generation = -1;
    return true;
}

bool zl_rp_meet(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    if (e->kind != ZL_EV_SYNC || (e->scope != ZL_SYNC_ROLE && e->scope != ZL_SYNC_WARP))
        return meet(c, i, e);
    uint32_t together = e->scope == ZL_SYNC_ROLE || i->threads == 1 ? i->threads : ZL_RP_LANES;
    for (uint32_t k = 0; k < i->threads; k += together) meet_threads(c, i->first + k, together);
    return true;
}

/* Threads that have ended count as arrived at the cluster's barrier. */
void zl_rp_leave(zl_replay *c, const zl_rp_instance *i)
{
    zl_rp_meeting *m = c->meetings;
    if (m->pending && i->joined != m->generation && !--m->pending) close_meeting(c, m);
}

/* ---- registers ---- */

/* Registers held in a block beyond those of its launch; with `all`, counting the most that
 * each thread may still ask for. */
static int64_t taken(const zl_replay *c, uint32_t block, bool all)
{
    int64_t sum = 0;
    for (const zl_rp_instance *i = c->instances; i < c->instances + c->instances_count; i++) {
        int64_t most = i->registers;
        for (uint32_t k = i->role->begin; all && !has_ended(i) && k < i->role->end; k++)
            if (c->pipe->events[k].kind == ZL_EV_SETMAXNREG && c->pipe->events[k].count > most)
                most = c->pipe->events[k].count;
        if (i->block == block) sum += 32 * (int64_t)i->role->each * (most - c->pipe->registers);
    }
    return sum;
}

/* Each thread of the instance must know that each other is past the last setmaxnreg; the
 * elected thread of a role knows of no other. */
static void check_met(zl_replay *c, const zl_rp_instance *i)
{
    bool met = !i->role->elect || i->set[0] < 0;
    for (uint32_t t = 0; t < i->threads; t++)
        for (uint32_t k = 0; k < i->threads; k++) met &= zl_rp_has(c, knows(i->first + t), i->set[k]);
    if (!met) zl_rp_break(c, ZLAY_PIPE_REGISTERS, i->pc, UINT32_MAX);
}

/* Runs a setmaxnreg; an `inc` goes on when there are enough registers for all that may ask. */
bool zl_rp_registers(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    check_met(c, i);
    if (e->scope == ZL_REGS_INC ? e->count < i->registers : e->count > i->registers)
        zl_rp_break(c, ZLAY_PIPE_REGISTERS, i->pc, UINT32_MAX);
    if (e->scope == ZL_REGS_INC && e->count > i->registers && taken(c, i->block, true) > 0)
        return false;
    i->registers = e->count;
    for (uint32_t t = 0; t < i->threads; t++) {
        i->set[t] = zl_rp_op_new(c, ZL_RP_PASSED, (int32_t)(i->first + t), 0);
        zl_rp_learn(c, knows(i->first + t), i->set[t]);
    }
    return true;
}

bool zl_rp_registers_late(const zl_replay *c, const zl_rp_instance *i)
{
    const zl_event *e = &c->pipe->events[i->pc];
    if (has_ended(i) || e->kind != ZL_EV_SETMAXNREG) return false;
    return taken(c, i->block, false) + 32 * (int64_t)i->role->each * (e->count - i->registers) <= 0;
}

/* ---- flags ---- */

/* Where the entries of a flag begin in the arrays by flag and instance. */
static size_t raises_of(const zl_replay *c, const zl_rp_flag *f)
{
    return (size_t)(f - c->flags) * c->instances_count;
}

/* The last raise of each instance when this value was reached. */
static int32_t *made_of(const zl_replay *c, const zl_rp_flag *f, uint32_t value)
{
    return c->made + raises_of(c, f) * ZL_RP_VALUES + (size_t)value * c->instances_count;
}

/* Adds a raise to a flag. */
static void add_raise(zl_replay *c, const zl_rp_instance *i, const zl_event *e, zl_rp_flag *f)
{
    size_t all = raises_of(c, f), own = all + (size_t)(i - c->instances);
    for (size_t k = all; k < all + c->instances_count; k++)
        if (zl_rp_has(c, knows(i->first), c->raised[k])) c->open[k] = 0;
    c->raised[own] = zl_rp_did(c, i->first, false);
    c->open[own] = e->times;
    f->total += e->times;
    zl_rp_join(c, zl_rp_flag_set(c, f, 0), knows(i->first));
}

/* Whether the value is unreachable without any one of the raises that no other knows of. */
static bool needs_all(const zl_replay *c, const zl_rp_flag *f, int64_t value)
{
    const int64_t *open = c->open + raises_of(c, f);
    bool all = true;
    for (uint32_t n = 0; n < c->instances_count; n++) all &= !open[n] || f->total - open[n] < value;
    return all;
}

/* Whether the thread knows all raises that made a value, so that its own is not one of them. */
static bool comes_later(const zl_replay *c, const zl_rp_instance *i, const zl_rp_flag *f,
                        uint32_t value)
{
    const int32_t *made = made_of(c, f, value);
    bool all = true;
    for (uint32_t n = 0; n < c->instances_count; n++) all &= zl_rp_has(c, knows(i->first), made[n]);
    return all || zl_rp_has(c, knows(i->first), f->reached[value]);
}

/* Raises a flag; the raises that make an awaited value must be the same in every interleaving. */
static void raise_flag(zl_replay *c, const zl_rp_instance *i, const zl_event *e, zl_rp_flag *f)
{
    int64_t before = f->total;
    add_raise(c, i, e, f);
    for (uint32_t k = 0; k < f->count; k++) {
        if (f->value[k] > f->total) continue;
        if (f->value[k] <= before ? !comes_later(c, i, f, k) : !needs_all(c, f, f->value[k]))
            zl_rp_break(c, ZLAY_PIPE_OVERRUN, i->pc, UINT32_MAX);
        if (f->value[k] <= before) continue;
        f->reached[k] = zl_rp_op_new(c, ZL_RP_POINT, -1, -1);
        zl_rp_join(c, zl_rp_flag_set(c, f, 1 + k), zl_rp_flag_set(c, f, 0));
        memcpy(made_of(c, f, k), c->raised + raises_of(c, f),
               c->instances_count * sizeof *c->made);
    }
}

/* Whether the flag has the awaited value; then the threads learn what the raises made known. */
static bool await_flag(zl_replay *c, const zl_rp_instance *i, const zl_event *e, zl_rp_flag *f)
{
    if (f->total < e->count) return false;
    for (uint32_t t = i->first; t < i->first + i->threads; t++)
        for (uint32_t k = 0; k < f->count; k++) {
            if (f->value[k] == e->count) zl_rp_join(c, knows(t), zl_rp_flag_set(c, f, 1 + k));
            if (f->value[k] <= e->count) zl_rp_learn(c, knows(t), f->reached[k]);
        }
    return true;
}

bool zl_rp_flags(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    uint32_t slot = zl_rp_slot(c, i, &e->other_at, zl_rp_ring_other(c, e->other), 0,
                               c->pipe->others[e->other].stages);
    zl_rp_flag *f = &c->flags[c->other_at[e->other] + slot - (c->places_count - c->flags_count)];
    zl_rp_check_grid(c, i);
    if (e->kind == ZL_EV_AWAIT) return await_flag(c, i, e, f);
    raise_flag(c, i, e, f);
    return true;
}

/* ---- fences ---- */

/* A fence covers what its thread (of tensor memory: its warp) has done and knows to be
 * complete. */
static void fence(zl_replay *c, uint32_t thread, zl_rp_kind kind)
{
    for (uint32_t k = 0; k < c->top; k++) {
        const zl_rp_op *op = &c->ops[k];
        if (!op->live || op->fenced < 0 || c->ops[op->fenced].kind != kind) continue;
        uint32_t by = kind == ZL_RP_ORDERED ? c->threads[thread].warp : thread;
        if ((uint32_t)op->thread == by && zl_rp_has(c, knows(thread), (int32_t)k))
            zl_rp_learn(c, knows(thread), op->fenced);
    }
}

void zl_rp_fence(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    for (uint32_t t = i->first; t < i->first + i->threads; t++) {
        uint32_t to = zl_rp_set(t, e->scope == ZL_FENCE_AFTER ? ZL_RP_AFTER : ZL_RP_MAPPED);
        if (e->scope == ZL_FENCE_PROXY) fence(c, t, ZL_RP_FENCED);
        if (e->scope == ZL_FENCE_BEFORE) fence(c, t, ZL_RP_ORDERED);
        if (e->scope == ZL_FENCE_AFTER || e->scope == ZL_FENCE_TENSORMAP)
            zl_rp_join(c, to, knows(t));
    }
    for (uint32_t a = 0; e->scope == ZL_FENCE_WGMMA && a < c->pipe->accs_count; a++)
        zl_rp_acc_of(c, i, (int32_t)a)->unfenced = false;
}
