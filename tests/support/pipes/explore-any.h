/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a small pipe of one block in every interleaving, for given values of its params, on a machine of its
 * own: barriers, meetings by number, the block's registers, copies that land when they like, shared memory,
 * the grid before.  It knows the parsed text and no clocks.
 *
 * Two agents stand for the threads of an instance, for a fault needs one that is late and one that is early:
 * the first warp and the others, or lane 0 of each warp and its other lanes; or one agent for all.  A whole
 * warpgroup runs setmaxnreg, so the warps beside the elected thread's are an agent that does nothing else.  An agent
 * that stands before an access may do it from then on, so two that conflict and stand before theirs at once
 * race.  What an event meets (which phase, which meeting) is the same in every interleaving, or it is a fault. */
#ifndef TEST_EXPLORE_ANY_H
#define TEST_EXPLORE_ANY_H

#include "pipe/language/pipe.h"
#include "test.h"

#include <stdbool.h>
#include <string.h>

enum { ANY_WHOLE, ANY_WARPS, ANY_LANES, ANY_SPLITS };
enum { ANY_AGENTS = 8, ANY_OPS = 64, ANY_GATES = 16, ANY_PLACES = 8, ANY_MEETINGS = 16 + ANY_AGENTS };
enum { ANY_STATES = 1 << 12, ANY_FREE = -1 };

typedef struct any_op {
    const zl_event *e;
    int gate, place, meeting, turn; /* turn: which write of its agent it is, or which copy of all */
    int64_t index, round, registers; /* registers: before it */
    int set;                         /* setmaxnregs before it */
} any_op;

typedef struct any_agent {
    const zl_role *role;
    int instance, part, parts, count;
    uint32_t number; /* of the instance in its role */
    int64_t threads, warps; /* that it stands for */
    bool beside;            /* the warps of an elected thread's role that it is not in */
    any_op ops[ANY_OPS];
} any_agent;

/* The content of a stage: who wrote it, its how manyth write, and which parts stand there. */
typedef struct any_state {
    uint8_t at[ANY_AGENTS], inside[ANY_AGENTS]; /* inside: 1 + the generation that it waits for */
    int16_t pending[ANY_GATES], come[ANY_MEETINGS];
    int32_t tx[ANY_GATES], size[ANY_MEETINGS];
    uint8_t phase[ANY_GATES], generation[ANY_MEETINGS];
    int8_t writer[ANY_PLACES];
    uint8_t turn[ANY_PLACES], parts[ANY_PLACES], unread[ANY_PLACES];
    uint32_t flying;
} any_state;

typedef struct any_world {
    const zlay_pipe *pipe;
    const int64_t *params;
    any_agent agents[ANY_AGENTS];
    int agents_count, gates, places, copies, split, gate_at[16], place_at[16];
    const any_op *copy[32];
    int copy_by[32];
    int16_t met[ANY_AGENTS][ANY_OPS]; /* 1 + the phase or generation that an op meets */
    int16_t landed[32];
    int64_t threads, free_at_launch;
    bool large;
    const char *fault;
    uint32_t line, states_count, table[2 * ANY_STATES];
    any_state states[ANY_STATES];
} any_world;

static bool any_fail(any_world *w, const char *fault, uint32_t line)
{
    if (!w->fault) w->fault = fault, w->line = line;
    return false;
}

/* ---- programs ---- */

static int64_t any_value(const any_world *w, const zl_pos *pos, const int64_t *counter)
{
    int64_t sum = pos->add;
    if (pos->loop >= 0)
        sum += counter[pos->loop] * (pos->times >= 0 ? w->params[pos->times] : pos->scale ? pos->scale : 1);
    return pos->plus >= 0 ? sum + w->params[pos->plus] : sum;
}

/* One thread of the instance does it, or with `warps` one of each warp. */
static bool any_is_one(const zl_event *e, bool *warps)
{
    *warps = e->kind == ZL_EV_ARRIVE && e->scope == ZL_BY_WARPS;
    return e->kind == ZL_EV_EXPECT || e->kind == ZL_EV_COPY || e->kind == ZL_EV_RAISE ||
           (e->kind == ZL_EV_ARRIVE && e->scope == ZL_BY_ONE);
}

static bool any_runs(const any_world *w, const any_agent *a, const zl_event *e)
{
    bool warps;
    if (a->beside) return e->kind == ZL_EV_SETMAXNREG;
    if (any_is_one(e, &warps)) return a->part == 0;
    if (warps) return w->split != ANY_LANES || a->part == 0;
    return e->kind != ZL_EV_SETMAXNREG || w->split != ANY_LANES || a->part == 0;
}

static int any_meeting(const any_agent *a, const zl_event *e)
{
    if (e->scope == ZL_SYNC_ROLE || e->scope == ZL_SYNC_WARP) return 16 + a->instance;
    return e->scope == ZL_SYNC_NAMED ? (int)zl_event_named(e, a->number) : 0;
}

static void any_add(any_world *w, any_agent *a, const zl_event *e, const int64_t *counter)
{
    if (!any_runs(w, a, e)) return;
    if (a->count == ANY_OPS) {
        w->large = true;
        return;
    }
    any_op *op = &a->ops[a->count++];
    const any_op *last = a->count > 1 ? op - 1 : NULL;
    *op = (any_op){.e = e, .gate = -1, .place = -1, .meeting = -1};
    op->registers = last ? last->registers : w->pipe->registers;
    op->set = last ? last->set : 0;
    op->turn = last ? last->turn : 0;
    if (last && last->e->kind == ZL_EV_SETMAXNREG) op->registers = last->e->count, op->set++;
    if (e->bar >= 0 && e->kind != ZL_EV_FOR) {
        int64_t at = any_value(w, &e->bar_at, counter), s = w->pipe->bars[e->bar].stages;
        op->gate = w->gate_at[e->bar] + (int)(at % s);
        if (e->kind == ZL_EV_WAIT) op->round = any_value(w, &e->parity, counter) / s;
    }
    if (e->smem[0] >= 0) {
        op->index = any_value(w, &e->at[0], counter);
        op->place = w->place_at[e->smem[0]] + (int)(op->index % w->pipe->smems[e->smem[0]].stages);
    }
    if (e->kind == ZL_EV_WRITE) op->turn++;
    if (e->kind == ZL_EV_SYNC || e->kind == ZL_EV_JOIN) op->meeting = any_meeting(a, e);
}

static void any_program(any_world *w, any_agent *a)
{
    int64_t counter[ZL_PIPE_LOOPS] = {0};
    uint32_t loops[ZL_PIPE_LOOPS], depth = 0;
    for (uint32_t k = a->role->begin; k < a->role->end && !w->large;) {
        const zl_event *e = &w->pipe->events[k];
        if (e->kind == ZL_EV_FOR) {
            counter[depth] = any_value(w, &e->at[0], counter);
            bool goes = counter[depth] < any_value(w, &e->bar_at, counter);
            if (goes) loops[depth++] = k;
            k = goes ? k + 1 : (uint32_t)e->match + 1;
        } else if (e->kind == ZL_EV_END) {
            const zl_event *loop = &w->pipe->events[loops[depth - 1]];
            counter[depth - 1] += loop->step;
            bool again = counter[depth - 1] < any_value(w, &loop->bar_at, counter);
            k = again ? loops[depth - 1] + 1 : k + 1;
            depth -= !again;
        } else {
            any_add(w, a, e, counter);
            k++;
        }
    }
}

/* Whether an instance that has agents is one of the role. */
static bool any_of_role(const any_world *w, const zl_role *role, int instance)
{
    for (int a = 0; a < w->agents_count; a++)
        if (w->agents[a].instance == instance) return w->agents[a].role == role;
    return false;
}

static void any_agent_new(any_world *w, const zl_role *role, int instance, int part, int parts, bool beside)
{
    if (w->agents_count == ANY_AGENTS) {
        w->large = true;
        return;
    }
    any_agent *a = &w->agents[w->agents_count++];
    int64_t lanes = 32;
    *a = (any_agent){.role = role, .instance = instance, .part = part, .parts = parts, .warps = role->each, .beside = beside};
    for (int k = 0; k < instance; k++) a->number += any_of_role(w, role, k);
    if (parts == 2 && w->split == ANY_WARPS) a->warps = part ? role->each - 1 : 1;
    if (role->elect && w->split == ANY_WARPS) a->warps = beside ? role->each - 1 : 1;
    if (parts == 2 && w->split == ANY_LANES) lanes = part ? 31 : 1;
    a->threads = role->elect ? 1 : lanes * a->warps;
    any_program(w, a);
}

static bool any_sets(const any_world *w, const zl_role *role)
{
    bool sets = false;
    for (uint32_t k = role->begin; k < role->end; k++) sets |= w->pipe->events[k].kind == ZL_EV_SETMAXNREG;
    return sets;
}

static void any_agents(any_world *w)
{
    int instance = 0;
    for (uint32_t r = 0; r < w->pipe->roles_count; r++) {
        const zl_role *role = &w->pipe->roles[r];
        int parts = role->elect || w->split == ANY_WHOLE || (w->split == ANY_WARPS && role->each == 1) ? 1 : 2;
        for (uint32_t n = 0; n < zl_role_instances(role); n++, instance++) {
            for (int part = 0; part < parts; part++) any_agent_new(w, role, instance, part, parts, false);
            if (role->elect && w->split == ANY_WARPS && role->each > 1 && any_sets(w, role))
                any_agent_new(w, role, instance, 0, 1, true);
        }
    }
    for (int a = 0; a < w->agents_count; a++)
        for (int k = 0; k < w->agents[a].count; k++) {
            any_op *op = &w->agents[a].ops[k];
            if (op->e->kind != ZL_EV_COPY) continue;
            if (w->copies == 32) {
                w->large = true;
                return;
            }
            w->copy_by[w->copies] = a;
            w->copy[w->copies] = op;
            op->turn = w->copies++;
        }
}

/* ---- what the text alone breaks ---- */

static int64_t any_launched(const zlay_pipe *pipe)
{
    int64_t warps = 0;
    for (uint32_t r = 0; r < pipe->roles_count; r++)
        if (pipe->roles[r].last_warp >= warps) warps = (int64_t)pipe->roles[r].last_warp + 1;
    return 32 * warps * pipe->registers;
}

static bool any_text(any_world *w)
{
    for (uint32_t r = 0; r < w->pipe->roles_count; r++) {
        const zl_role *role = &w->pipe->roles[r];
        for (uint32_t k = role->begin; k < role->end; k++) {
            const zl_event *e = &w->pipe->events[k];
            if (e->kind != ZL_EV_SETMAXNREG) continue;
            if (role->each % 4 || role->first_warp % 4) return any_fail(w, "no whole warpgroup", e->line);
            if (e->count < 24 || e->count > 256 || e->count % 8) return any_fail(w, "no such registers", e->line);
            if (!w->pipe->registers || w->pipe->registers % 8 || any_launched(w->pipe) > 65536)
                return any_fail(w, "no such launch", e->line);
        }
    }
    return true;
}

/* ---- steps ---- */

/* An op meets the same in every interleaving. */
static bool any_same(any_world *w, int16_t *met, int value, uint32_t line)
{
    if (!*met) *met = (int16_t)(value + 1);
    return *met == value + 1 || any_fail(w, "it is of two phases", line);
}

static bool any_complete(any_world *w, any_state *s, int gate, uint32_t line)
{
    uint32_t b = 0;
    while (b + 1 < w->pipe->bars_count && w->gate_at[b + 1] <= gate) b++;
    if (s->pending[gate] < 0) return any_fail(w, "too many arrivals", line);
    if (s->tx[gate] >= 1 << 20) return any_fail(w, "too many bytes", line);
    if (!s->pending[gate] && s->tx[gate] < 0) return any_fail(w, "fewer bytes are expected than copied", line);
    if (s->pending[gate] || s->tx[gate]) return true;
    s->pending[gate] = (int16_t)w->pipe->bars[b].count;
    s->phase[gate]++;
    return true;
}

static bool any_arrive(any_world *w, any_state *s, int a, int k)
{
    const any_agent *by = &w->agents[a];
    const any_op *op = &by->ops[k];
    bool one = op->e->scope == ZL_BY_ONE || by->role->elect;
    int64_t count = one ? 1 : op->e->scope == ZL_BY_WARPS ? by->warps : by->threads;
    if (!any_same(w, &w->met[a][k], s->phase[op->gate], op->e->line)) return false;
    s->pending[op->gate] = (int16_t)(s->pending[op->gate] - count * op->e->times);
    return any_complete(w, s, op->gate, op->e->line);
}

static int any_meet_all(const any_world *w)
{
    int count = 0;
    for (int a = 0; a < w->agents_count; a++) count += !w->agents[a].beside;
    return count;
}

/* Numbers count threads; `sync cta` counts all that the block has, and is another way than any number. */
static bool any_come(any_world *w, any_state *s, int a, int k)
{
    const any_op *op = &w->agents[a].ops[k];
    int m = op->meeting;
    bool named = op->e->scope == ZL_SYNC_NAMED, block = op->e->scope == ZL_SYNC_CTA;
    int32_t size = named ? (int32_t)op->e->count : block ? -1 : w->agents[a].parts;
    int64_t of = named ? op->e->count : block ? any_meet_all(w) : w->agents[a].parts;
    if (!any_same(w, &w->met[a][k], s->generation[m], op->e->line)) return false;
    if (s->come[m] && s->size[m] != size) return any_fail(w, "a meeting of two sizes", op->e->line);
    s->size[m] = size;
    s->come[m] = (int16_t)(s->come[m] + (named ? w->agents[a].threads : 1));
    if (s->come[m] > of) return any_fail(w, "more come than meet", op->e->line);
    if (s->come[m] < of) return true;
    s->come[m] = 0;
    s->size[m] = 0;
    s->generation[m]++;
    return true;
}

/* 1 done, 0 it waits, -1 a fault. A meeting takes two steps. */
static int any_meet(any_world *w, any_state *s, int a, int k)
{
    const any_op *op = &w->agents[a].ops[k];
    if (w->split != ANY_LANES && op->e->scope == ZL_SYNC_WARP) return 1;
    if (!s->inside[a]) {
        uint8_t generation = s->generation[op->meeting];
        if (!any_come(w, s, a, k)) return -1;
        if (op->e->kind == ZL_EV_JOIN) return 1;
        s->inside[a] = (uint8_t)(generation + 1);
        return 2;
    }
    if (s->generation[op->meeting] < s->inside[a]) return 0;
    s->inside[a] = 0;
    return 1;
}

static int64_t any_left(const any_world *w, const any_state *s)
{
    int64_t left = 0;
    for (int a = 0; a < w->agents_count; a++) {
        const any_agent *by = &w->agents[a];
        if (w->split == ANY_LANES && by->part) continue;
        int64_t has = w->pipe->registers;
        if (s->at[a]) {
            const any_op *last = &by->ops[s->at[a] - 1];
            has = last->e->kind == ZL_EV_SETMAXNREG ? last->e->count : last->registers;
        }
        left += 32 * by->warps * ((int64_t)w->pipe->registers - has);
    }
    return left;
}

static int any_set(any_world *w, any_state *s, int a, int k)
{
    const any_agent *by = &w->agents[a];
    const any_op *op = &by->ops[k];
    const zl_event *e = op->e;
    if (e->scope == ZL_REGS_INC ? e->count < op->registers : e->count > op->registers)
        return any_fail(w, "registers the other way", e->line) - 1;
    if (by->role->elect && op->set) return any_fail(w, "an elected thread meets nobody", e->line) - 1;
    for (int b = 0; b < w->agents_count; b++) {
        const any_agent *o = &w->agents[b];
        if (b == a || o->instance != by->instance || w->split != ANY_WARPS) continue;
        int done = s->at[b] < o->count ? o->ops[s->at[b]].set
                                       : o->ops[o->count - 1].set + (o->ops[o->count - 1].e->kind == ZL_EV_SETMAXNREG);
        if (done < op->set) return any_fail(w, "a warp is behind", e->line) - 1;
    }
    return 32 * by->warps * (e->count - op->registers) <= any_left(w, s);
}

/* ---- memory ---- */

static bool any_write(any_world *w, any_state *s, int a, const any_op *op)
{
    const any_agent *by = &w->agents[a];
    int p = op->place;
    bool copy = op->e->kind == ZL_EV_COPY;
    int8_t who = (int8_t)(copy ? 32 + op->turn : by->instance);
    uint8_t turn = (uint8_t)(copy ? 0 : op->turn);
    if (s->writer[p] == who && s->turn[p] == turn && !copy) {
        s->parts[p] |= (uint8_t)(1 << by->part);
        return true;
    }
    if (s->unread[p]) return any_fail(w, "written over unread", op->e->line);
    s->writer[p] = who;
    s->turn[p] = turn;
    s->parts[p] = (uint8_t)(copy ? 1 : 1 << by->part);
    s->unread[p] = 1;
    if (copy) s->flying |= 1u << op->turn;
    return true;
}

/* The index that stands in a place; -1: not all of it does. */
static int64_t any_content(const any_world *w, const any_state *s, int p)
{
    if (s->writer[p] == ANY_FREE) return -1;
    if (s->writer[p] >= 32) return s->flying >> (s->writer[p] - 32) & 1 ? -1 : w->copy[s->writer[p] - 32]->index;
    for (int a = 0; a < w->agents_count; a++) {
        const any_agent *by = &w->agents[a];
        if (by->instance != s->writer[p] || s->parts[p] != (1 << by->parts) - 1) continue;
        for (int k = 0; k < by->count; k++)
            if (by->ops[k].e->kind == ZL_EV_WRITE && by->ops[k].turn == s->turn[p]) return by->ops[k].index;
    }
    return -1;
}

static bool any_read(any_world *w, any_state *s, const any_op *op)
{
    if (any_content(w, s, op->place) != op->index) return any_fail(w, "not what is read stands there", op->e->line);
    s->unread[op->place] = 0;
    return true;
}

static bool any_is_access(const any_op *op)
{
    return op->place >= 0 && (op->e->kind == ZL_EV_READ || op->e->kind == ZL_EV_WRITE || op->e->kind == ZL_EV_COPY);
}

static const any_op *any_before(const any_world *w, const any_state *s, int a)
{
    const any_agent *by = &w->agents[a];
    const any_op *op = s->at[a] < by->count ? &by->ops[s->at[a]] : NULL;
    return op && any_is_access(op) ? op : NULL;
}

/* Two may happen at once, and one of them writes; threads of one instance write each their part. */
static bool any_race(any_world *w, const any_state *s)
{
    for (int a = 0; a < w->agents_count; a++) {
        const any_op *x = any_before(w, s, a);
        if (!x) continue;
        for (int c = 0; c < w->copies; c++)
            if (s->flying >> c & 1 && w->copy[c]->place == x->place) return any_fail(w, "a copy is under way there", x->e->line);
        for (int b = a + 1; b < w->agents_count; b++) {
            const any_op *y = any_before(w, s, b);
            if (!y || y->place != x->place || (x->e->kind == ZL_EV_READ && y->e->kind == ZL_EV_READ)) continue;
            bool parts = w->agents[a].instance == w->agents[b].instance && x->e->kind == ZL_EV_WRITE &&
                         y->e->kind == ZL_EV_WRITE && x->turn == y->turn;
            if (!parts) return any_fail(w, "a race", x->e->line);
        }
    }
    return true;
}

/* ---- the grid before ---- */

static bool any_is_global(const zl_event *e)
{
    return e->kind == ZL_EV_COPY || e->kind == ZL_EV_RAISE || e->kind == ZL_EV_UPDATE || e->other >= 0;
}

static bool any_waited(const any_world *w, const any_state *s)
{
    bool any = false, asked = false;
    for (uint32_t k = 0; k < w->pipe->events_count; k++)
        any |= w->pipe->events[k].kind == ZL_EV_GRIDDEP && w->pipe->events[k].scope == ZL_GRIDDEP_WAIT;
    for (int a = 0; a < w->agents_count; a++)
        for (int k = 0; k < s->at[a]; k++) {
            const zl_event *e = w->agents[a].ops[k].e;
            asked |= e->kind == ZL_EV_GRIDDEP && e->scope == ZL_GRIDDEP_WAIT;
        }
    return asked || !any;
}

/* ---- all states ---- */

static int any_do(any_world *w, any_state *s, int a, int k)
{
    const any_op *op = &w->agents[a].ops[k];
    const zl_event *e = op->e;
    bool good = true;
    if (any_is_global(e) && !any_waited(w, s)) return any_fail(w, "beside the grid before", e->line) - 1;
    switch (e->kind) {
    case ZL_EV_ARRIVE: good = any_arrive(w, s, a, k); break;
    case ZL_EV_EXPECT:
        good = any_same(w, &w->met[a][k], s->phase[op->gate], e->line);
        s->tx[op->gate] += (int32_t)e->count;
        good = good && any_complete(w, s, op->gate, e->line);
        break;
    case ZL_EV_WAIT:
        if ((s->phase[op->gate] & 1) == ((op->round + e->flip) & 1)) return 0;
        good = any_same(w, &w->met[a][k], s->phase[op->gate], e->line);
        break;
    case ZL_EV_COPY:
    case ZL_EV_WRITE: good = op->place < 0 || any_write(w, s, a, op); break;
    case ZL_EV_READ: good = op->place < 0 || any_read(w, s, op); break;
    case ZL_EV_SYNC:
    case ZL_EV_JOIN: return any_meet(w, s, a, k);
    case ZL_EV_SETMAXNREG: return any_set(w, s, a, k);
    default: break;
    }
    return good ? 1 : -1;
}

static int any_land(any_world *w, any_state *s, int c)
{
    const any_op *op = w->copy[c];
    if (!(s->flying >> c & 1)) return 0;
    s->flying &= ~(1u << c);
    if (!any_same(w, &w->landed[c], s->phase[op->gate], op->e->line)) return -1;
    s->tx[op->gate] -= (int32_t)op->e->count;
    return any_complete(w, s, op->gate, op->e->line) ? 1 : -1;
}

static void any_keep(any_world *w, const any_state *s)
{
    uint64_t h = 1469598103934665603u;
    const unsigned char *bytes = (const unsigned char *)s;
    for (size_t i = 0; i < sizeof *s; i += 8) {
        uint64_t v = 0;
        memcpy(&v, bytes + i, sizeof *s - i < 8 ? sizeof *s - i : 8);
        h = (h ^ v) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    uint32_t mask = 2 * ANY_STATES - 1, i = (uint32_t)h & mask;
    for (; w->table[i]; i = (i + 1) & mask)
        if (!memcmp(&w->states[w->table[i] - 1], s, sizeof *s)) return;
    if (w->states_count == ANY_STATES) {
        w->large = true;
        return;
    }
    w->states[w->states_count++] = *s;
    w->table[i] = w->states_count;
}

static bool any_ended(any_world *w, const any_state *s)
{
    for (int a = 0; a < w->agents_count; a++)
        if (s->at[a] < w->agents[a].count) return any_fail(w, "deadlock", w->agents[a].ops[s->at[a]].e->line);
    for (uint32_t b = 0; b < w->pipe->bars_count; b++)
        for (uint32_t k = 0; k < w->pipe->bars[b].stages; k++) {
            int g = w->gate_at[b] + (int)k;
            if (s->pending[g] != w->pipe->bars[b].count || s->tx[g]) return any_fail(w, "left over", 0);
        }
    for (int p = 0; p < w->places; p++)
        if (s->unread[p]) return any_fail(w, "nobody reads it", 0);
    return true;
}

static void any_from(any_world *w, any_state s)
{
    bool moved = false, ended = true;
    if (!any_race(w, &s)) return;
    for (int a = 0; a < w->agents_count; a++) {
        any_state next = s;
        if (s.at[a] == w->agents[a].count) continue;
        ended = false;
        int done = any_do(w, &next, a, s.at[a]);
        if (done < 0) return;
        if (!done) continue;
        if (done == 1) next.at[a]++;
        moved = true;
        any_keep(w, &next);
    }
    if (ended && s.flying) {
        any_fail(w, "a copy lands behind the end", 0);
        return;
    }
    for (int c = 0; c < w->copies; c++) {
        any_state next = s;
        int done = any_land(w, &next, c);
        if (done < 0) return;
        if (done) moved = true, any_keep(w, &next);
    }
    if (!moved) any_ended(w, &s);
}

/* Whether some interleaving has a fault, in w->fault; w->large: they are too many, or the pipe is. */
static bool any_explore(any_world *w, const zlay_pipe *pipe, const int64_t *params, int split)
{
    any_state s;
    memset(w, 0, offsetof(any_world, states));
    memset(&s, 0, sizeof s);
    w->pipe = pipe;
    w->params = params;
    w->split = split;
    for (uint32_t b = 0; b < pipe->bars_count; b++) {
        w->gate_at[b] = w->gates;
        for (uint32_t k = 0; k < pipe->bars[b].stages; k++) s.pending[w->gates++] = (int16_t)pipe->bars[b].count;
    }
    for (uint32_t m = 0; m < pipe->smems_count; m++) {
        w->place_at[m] = w->places;
        w->places += (int)pipe->smems[m].stages;
    }
    memset(s.writer, ANY_FREE, sizeof s.writer);
    any_agents(w);
    if (w->large || !any_text(w)) return w->fault != NULL;
    any_keep(w, &s);
    for (uint32_t k = 0; k < w->states_count && !w->fault && !w->large; k++) any_from(w, w->states[k]);
    return w->fault != NULL;
}

#endif
