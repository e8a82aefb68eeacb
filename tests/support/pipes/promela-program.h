/* SPDX-License-Identifier: Apache-2.0 */
/* What promela.h prints a model from: a pipe for given trip counts, written out.
 *
 * An agent is a set of threads of one instance of a role in one block that go together.  A fault
 * needs one thread that is late and one that is early, so the first instance of each role is split
 * in two, in one model its first warp from the others, in another lane 0 of its warps from the
 * other lanes; every other instance is one agent.  Since no event chooses, an agent's program is
 * straight, and which wait ends a group is known from it.
 *
 * An access is what an op does to one place: a stage of memory, of tensor memory, of a tensor map.
 * It has a bit that is 1 while the access may happen: for an ordinary one from the moment at which
 * all before it is over, for an asynchronous one until something that was waited for ends it. */
#ifndef TEST_PROMELA_PROGRAM_H
#define TEST_PROMELA_PROGRAM_H

#include "pipe/language/pipe.h"
#include "test.h"

#include <stdbool.h>
#include <string.h>

enum { PML_WHOLE, PML_WARPS, PML_LANES, PML_SPLITS };
enum { PML_AGENTS = 40, PML_OPS = 256, PML_PLACES = 160, PML_PIECES = 320, PML_ACCESSES = 4096 };
enum { PML_BITS = 2048, PML_NEVER = 1 << 20, PML_BLOCKS = 4, PML_PARAMS = 4 };
enum { PML_SMEM, PML_TMEM, PML_GLOBAL, PML_MAP };

typedef struct pml_op {
    const zl_event *event;
    int64_t bar_q, parity_q, q[2], tq[2], map_q, other_q;
    int done;    /* the op of the agent that ends it, itself where it is over at once */
    int written; /* store, reduce: the op that ends its writes */
    int bit;     /* the first of its bits; -1: none */
    int bits;
    bool late;   /* what it does in other blocks may happen when its thread has ended */
} pml_op;

typedef struct pml_agent {
    const zl_role *role;
    int role_index, block, instance, part, parts; /* part 0 holds the elected thread */
    int64_t weight[3], threads;
    pml_op *ops;
    int count;
} pml_agent;

/* instance: of memory that each instance has of its own, else 0 */
typedef struct pml_place { int space, block, index, slot, instance; } pml_place;
/* agent: whose threads write it, -1: copies and products do; bytes: of a stage, together with those
 * of the other agents of its instance */
typedef struct pml_piece { int place, part, agent; int64_t bytes; } pml_piece;
typedef struct pml_access {
    int agent, op, place, piece, bit; /* piece -1: a read */
    bool async;
    int64_t value;
} pml_access;

typedef struct pml {
    const zlay_pipe *pipe;
    int64_t params[PML_PARAMS];
    int split;
    pml_agent agents[PML_AGENTS];
    pml_place places[PML_PLACES];
    pml_piece pieces[PML_PIECES];
    pml_access accesses[PML_ACCESSES];
    int agents_count, places_count, pieces_count, accesses_count, bits;
    bool own[64]; /* memory in which threads only hand something to themselves or a store */
    const char *large;
} pml;

static bool pml_large(pml *m, const char *what)
{
    m->large = what;
    return false;
}

/* ---- programs ---- */

static int64_t pml_value(const pml *m, const zl_pos *pos, const int64_t *counter)
{
    int64_t sum = pos->add;
    if (pos->loop >= 0) sum += counter[pos->loop] * (pos->times >= 0 ? m->params[pos->times] : pos->scale ? pos->scale : 1);
    return pos->plus >= 0 ? sum + m->params[pos->plus] : sum;
}

static int pml_slot(int64_t q, uint32_t stages)
{
    int64_t r = q % (int64_t)stages;
    return (int)(r < 0 ? r + (int64_t)stages : r);
}

static bool pml_is_tcgen05(const zl_event *e)
{
    return (e->kind == ZL_EV_MMA && e->tmem[0] >= 0) || e->kind == ZL_EV_TCP;
}

/* Whether one thread of the instance runs it. */
static bool pml_is_one(const zl_event *e)
{
    int by = zl_forms[e->kind].by;
    if (e->kind == ZL_EV_COMMIT) return e->scope == ZL_GROUP_TCGEN05 || e->scope == ZL_GROUP_BULK;
    if (e->kind == ZL_EV_WAITGROUP)
        return e->scope == ZL_GROUP_BULK || e->scope == ZL_GROUP_BULK_READ;
    return by == ZL_RUN_ONE || pml_is_tcgen05(e);
}

/* What a whole warp, or one warp, or a warpgroup does as one: part 0 stands for it. */
static bool pml_is_of_leader(const zl_event *e)
{
    return e->kind == ZL_EV_ALLOC || e->kind == ZL_EV_DEALLOC || e->kind == ZL_EV_RELINQUISH ||
           e->kind == ZL_EV_SETMAXNREG;
}

/* Of two groups of warps each changes its own registers, the first in the name of both. */
static bool pml_runs(const pml *m, const pml_agent *a, const zl_event *e)
{
    if (e->kind == ZL_EV_SETMAXNREG && m->split == PML_WARPS) return true;
    if (e->kind == ZL_EV_ARRIVE) return a->weight[e->scope] > 0;
    return a->part == 0 || !(pml_is_one(e) || pml_is_of_leader(e));
}

static bool pml_add_op(pml *m, pml_agent *a, const zl_event *e, const int64_t *counter)
{
    if (!pml_runs(m, a, e)) return true;
    if (a->count == PML_OPS) return pml_large(m, "ops");
    a->ops[a->count] = (pml_op){
        .event = e,
        .bar_q = pml_value(m, &e->bar_at, counter),
        .parity_q = pml_value(m, &e->parity, counter),
        .q = {pml_value(m, &e->at[0], counter), pml_value(m, &e->at[1], counter)},
        .tq = {pml_value(m, &e->tmem_at[0], counter), pml_value(m, &e->tmem_at[1], counter)},
        .map_q = pml_value(m, &e->map_at, counter),
        .other_q = pml_value(m, &e->other_at, counter),
        .done = PML_NEVER,
        .written = PML_NEVER,
        .bit = -1};
    a->count++;
    return true;
}

static bool pml_program(pml *m, pml_agent *a)
{
    int64_t counter[ZL_PIPE_LOOPS] = {0}, last[ZL_PIPE_LOOPS] = {0};
    uint32_t depth = 0;
    for (uint32_t i = a->role->begin; i < a->role->end; i++) {
        const zl_event *e = &m->pipe->events[i];
        if (e->kind == ZL_EV_FOR) {
            counter[depth] = pml_value(m, &e->at[0], counter);
            last[depth] = pml_value(m, &e->bar_at, counter);
            if (counter[depth] < last[depth]) depth++;
            else i = (uint32_t)e->match;
        } else if (e->kind == ZL_EV_END) {
            counter[depth - 1] += m->pipe->events[e->match].step;
            if (counter[depth - 1] < last[depth - 1]) i = (uint32_t)e->match;
            else depth--;
        } else if (!pml_add_op(m, a, e, counter)) {
            return false;
        }
    }
    return true;
}

/* ---- agents ---- */

static bool pml_add_agent(pml *m, int role_index, int block, int instance, int part, int parts)
{
    const zl_role *r = &m->pipe->roles[role_index];
    if (m->agents_count == PML_AGENTS) return pml_large(m, "agents");
    pml_agent *a = &m->agents[m->agents_count++];
    int64_t warps = r->elect ? 1 : r->each, lanes = r->elect ? 1 : 32;
    *a = (pml_agent){.role = r, .role_index = role_index, .block = block, .instance = instance,
                     .part = part, .parts = parts};
    if (parts == 2 && m->split == PML_WARPS) warps = part ? warps - 1 : 1;
    if (parts == 2 && m->split == PML_LANES) lanes = part ? 31 : 1;
    a->weight[ZL_BY_ONE] = part == 0;
    a->weight[ZL_BY_WARPS] = parts == 2 && m->split == PML_LANES && part ? 0 : warps;
    a->weight[ZL_BY_THREADS] = a->threads = warps * lanes;
    a->ops = calloc(PML_OPS, sizeof *a->ops);
    assert_non_null(a->ops);
    return pml_program(m, a);
}

static bool pml_agents(pml *m)
{
    for (int block = 0; block < (int)m->pipe->blocks; block++)
        for (int r = 0; r < (int)m->pipe->roles_count; r++) {
            const zl_role *role = &m->pipe->roles[r];
            if (role->cta != ZL_CTA_ALL && role->cta != block) continue;
            for (int i = 0; i < (int)zl_role_instances(role); i++) {
                bool first = i == 0 && (block == 0 || role->cta == block) && !role->elect;
                int parts = first && (m->split == PML_LANES ||
                                      (m->split == PML_WARPS && role->each > 1)) ? 2 : 1;
                for (int part = 0; part < parts; part++)
                    if (!pml_add_agent(m, r, block, i, part, parts)) return false;
            }
        }
    return true;
}

/* ---- what ends what ---- */

static int pml_queue(const zl_event *e);
static bool pml_is_registers_product(const zl_event *e);
static void pml_queue_ends(pml_agent *a, int queue);
static void pml_queue_access(pml *m, int agent, int k);

static bool pml_ends(const zl_event *e, int group, bool writes)
{
    if (e->kind != ZL_EV_WAITGROUP) return false;
    return e->scope == group ||
           (group == ZL_GROUP_BULK && e->scope == ZL_GROUP_BULK_READ && !writes);
}

static int pml_group(const zl_event *e)
{
    if (e->kind == ZL_EV_MMA && e->tmem[0] < 0 && e->acc_b < 0) return ZL_GROUP_WGMMA;
    if (e->kind == ZL_EV_CPASYNC) return ZL_GROUP_CPASYNC;
    return e->kind == ZL_EV_STORE || e->kind == ZL_EV_REDUCE ? ZL_GROUP_BULK : -1;
}

/* A group's number is how many commits came before; a wait for all but n ends those below. */
static void pml_groups(pml_agent *a, int group)
{
    int64_t number[PML_OPS], commits = 0;
    for (int k = 0; k < a->count; k++) {
        const zl_event *e = a->ops[k].event;
        number[k] = pml_group(e) == group ? commits : PML_NEVER;
        if (e->kind == ZL_EV_COMMIT && e->scope == group) commits++;
        for (int j = 0; j < k; j++) {
            if (number[j] + e->count >= commits) continue;
            if (pml_ends(e, group, false) && a->ops[j].done == PML_NEVER) a->ops[j].done = k;
            if (pml_ends(e, group, true) && a->ops[j].written == PML_NEVER) a->ops[j].written = k;
        }
    }
}

/* Products by the next commit; loads and stores of tensor memory by the next wait for them. */
static bool pml_closes(const zl_event *by, const zl_event *e)
{
    if (pml_is_tcgen05(e)) return by->kind == ZL_EV_COMMIT && by->scope == ZL_GROUP_TCGEN05;
    if (by->kind != ZL_EV_TWAIT) return false;
    return e->kind == (by->scope == ZL_TWAIT_LD ? ZL_EV_TLD : ZL_EV_TST);
}

static void pml_ends_of(pml_agent *a)
{
    for (int g = ZL_GROUP_WGMMA; g <= ZL_GROUP_CPASYNC; g++) pml_groups(a, g);
    for (int q = ZL_QUEUE_MEMORY; q <= ZL_QUEUE_SHARED; q++) pml_queue_ends(a, q);
    for (int k = 0; k < a->count; k++) {
        const zl_event *e = a->ops[k].event;
        if (pml_group(e) >= 0 || pml_queue(e) >= 0) continue;
        bool later = pml_is_tcgen05(e) || e->kind == ZL_EV_TLD || e->kind == ZL_EV_TST;
        if (!later) a->ops[k].done = k;
        for (int j = k + 1; later && j < a->count && a->ops[k].done == PML_NEVER; j++)
            if (pml_closes(a->ops[j].event, e)) a->ops[k].done = j;
    }
}

/* ---- places and accesses ---- */

static int pml_place_of(pml *m, int space, int block, int index, int slot, int instance)
{
    pml_place p = {space, block, index, slot, instance};
    for (int i = 0; i < m->places_count; i++)
        if (!memcmp(&m->places[i], &p, sizeof p)) return i;
    assert_true(m->places_count < PML_PLACES);
    m->places[m->places_count] = p;
    return m->places_count++;
}

static int pml_piece_of(pml *m, int place, int part, int agent)
{
    for (int i = 0; i < m->pieces_count; i++)
        if (m->pieces[i].place == place && m->pieces[i].part == part && m->pieces[i].agent == agent)
            return i;
    assert_true(m->pieces_count < PML_PIECES);
    m->pieces[m->pieces_count] = (pml_piece){place, part, agent, 0};
    return m->pieces_count++;
}

static int pml_new_bit(pml *m, pml_op *op)
{
    assert_true(m->bits < PML_BITS);
    if (op->bit < 0) op->bit = m->bits;
    op->bits++;
    return m->bits++;
}

/* Ordinary stores that name no bytes write all of a stage. */
static int64_t pml_bytes(const pml *m, const pml_op *op, int place)
{
    return op->event->count ? op->event->count : m->pipe->smems[m->places[place].index].bytes;
}

static void pml_touch(pml *m, int agent, int op, int place, int piece, int bit, bool async,
                      int64_t value)
{
    assert_true(m->accesses_count < PML_ACCESSES);
    m->accesses[m->accesses_count++] =
        (pml_access){agent, op, place, piece, bit, async, value};
    if (piece >= 0 && m->places[place].space == PML_SMEM)
        m->pieces[piece].bytes = pml_bytes(m, &m->agents[agent].ops[op], place);
}

static int pml_smem_place(pml *m, const pml_agent *a, const pml_op *op, int i, int block)
{
    int index = op->event->smem[i];
    const zl_smem *s = &m->pipe->smems[index];
    return pml_place_of(m, PML_SMEM, block, index, pml_slot(op->q[i], s->stages),
                        s->each ? 1 + 64 * a->role_index + a->instance : 0);
}

static int pml_tmem_place(pml *m, const pml_op *op, int i, int block)
{
    int index = op->event->tmem[i];
    return pml_place_of(m, PML_TMEM, block, index,
                        pml_slot(op->tq[i], m->pipe->tmems[index].stages), 0);
}

static int pml_other_place(pml *m, int space, int block, int32_t index, int64_t q)
{
    return pml_place_of(m, space, block, index, pml_slot(q, m->pipe->others[index].stages), 0);
}

/* What a stage holds: the index that filled it; of own memory also which part. */
static int64_t pml_content(const pml *m, const pml_op *op, int i)
{
    bool own = m->own[op->event->smem[i]];
    return own ? (op->q[i] % 16) * 8 + op->event->part % 8 + 1 : op->q[i] % 250 + 1;
}

/* The block of an event's barrier or memory. */
static int pml_block(const pml *m, const pml_agent *a, const zl_event *e)
{
    if (e->cta < 0) return a->block;
    return e->relative ? (a->block + e->cta) % (int)m->pipe->blocks : e->cta;
}

static uint32_t pml_mask(const pml *m, const pml_agent *a, const zl_event *e)
{
    if (e->multicast) return e->multicast & ((1u << m->pipe->blocks) - 1);
    if (e->cta == ZL_CTA_ALL) return (1u << m->pipe->blocks) - 1;
    return 1u << pml_block(m, a, e);
}

static uint32_t pml_others_mask(const pml *m, const pml_agent *a, const zl_event *e)
{
    return pml_mask(m, a, e) & ~(1u << a->block);
}

/* Whether threads of other blocks may learn by it what its thread has done: an arrival there, the
 * cluster's barrier, a flag.  Barriers of the own block tell that block alone, whose threads may tell
 * others; an exit counts at the cluster's barrier and releases nothing. */
static bool pml_tells_others(const pml *m, const pml_agent *a, const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_ARRIVE: return pml_others_mask(m, a, e) != 0;
    case ZL_EV_SYNC:
    case ZL_EV_JOIN: return e->scope == ZL_SYNC_CLUSTER;
    case ZL_EV_RAISE: return true;
    default: return false;
    }
}

/* Arrivals and stores in other blocks that nothing behind them in their thread tells of. */
static void pml_find_late(pml *m)
{
    for (int i = 0; i < m->agents_count; i++) {
        pml_agent *a = &m->agents[i];
        bool told = false;
        for (int k = a->count; k-- > 0;) {
            const zl_event *e = a->ops[k].event;
            bool acts = e->kind == ZL_EV_ARRIVE || e->kind == ZL_EV_WRITE;
            a->ops[k].late = acts && pml_others_mask(m, a, e) && !told;
            told |= pml_tells_others(m, a, e);
        }
    }
}

static void pml_copy(pml *m, int agent, int k)
{
    pml_agent *a = &m->agents[agent];
    pml_op *op = &a->ops[k];
    uint32_t mask = pml_mask(m, a, op->event);
    for (int block = 0; block < (int)m->pipe->blocks; block++) {
        if (!(mask >> block & 1)) continue;
        int place = pml_smem_place(m, a, op, 0, block), bit = pml_new_bit(m, op);
        pml_touch(m, agent, k, place, pml_piece_of(m, place, op->event->part, -1), bit, true,
                  pml_content(m, op, 0));
        if (op->event->scope == ZL_COPY_SHARED)
            pml_touch(m, agent, k, pml_smem_place(m, a, op, 1, a->block), -1, bit, true,
                      pml_content(m, op, 1));
        if (op->event->map >= 0)
            pml_touch(m, agent, k, pml_other_place(m, PML_MAP, a->block, op->event->map, op->map_q),
                      -1, bit, true, op->map_q + 1);
    }
}

static void pml_store(pml *m, int agent, int k)
{
    pml_agent *a = &m->agents[agent];
    pml_op *op = &a->ops[k];
    pml_touch(m, agent, k, pml_smem_place(m, a, op, 0, a->block), -1, pml_new_bit(m, op), true,
              pml_content(m, op, 0));
    int bit = pml_new_bit(m, op);
    if (op->event->map >= 0)
        pml_touch(m, agent, k, pml_other_place(m, PML_MAP, a->block, op->event->map, op->map_q), -1,
                  bit, true, op->map_q + 1);
    if (op->event->other < 0) return;
    int place = pml_other_place(m, PML_GLOBAL, 0, op->event->other, op->other_q);
    int from = op->event->kind == ZL_EV_REDUCE ? agent : -1;
    pml_touch(m, agent, k, place, pml_piece_of(m, place, op->event->part, from), bit, true,
              op->other_q + 1);
}

static void pml_product(pml *m, int agent, int k)
{
    pml_agent *a = &m->agents[agent];
    pml_op *op = &a->ops[k];
    const zl_event *e = op->event;
    int bit = pml_new_bit(m, op), blocks = 1, first = a->block;
    if (e->tmem[0] >= 0 && m->pipe->tmems[e->tmem[0]].pair) {
        blocks = 2;
        first = a->block & ~1;
    }
    for (int block = first; block < first + blocks; block++) {
        for (int i = 0; i < 2; i++)
            if (e->smem[i] >= 0)
                pml_touch(m, agent, k, pml_smem_place(m, a, op, i, block), -1, bit, true,
                          pml_content(m, op, i));
        if (e->tmem[1] >= 0)
            pml_touch(m, agent, k, pml_tmem_place(m, op, 1, block), -1, bit, true, op->tq[1] + 1);
        if (e->tmem[0] < 0) continue;
        int place = pml_tmem_place(m, op, 0, block);
        pml_touch(m, agent, k, place, pml_piece_of(m, place, 0, -1), bit, true, op->tq[0] + 1);
    }
}

/* One lane speaks for what its warp did to tensor memory. */
static void pml_columns(pml *m, int agent, int k)
{
    pml_agent *a = &m->agents[agent];
    pml_op *op = &a->ops[k];
    int bit = pml_new_bit(m, op);
    if (m->split == PML_LANES && a->part) return;
    int place = pml_tmem_place(m, op, 0, a->block);
    int piece = op->event->kind == ZL_EV_TST ? pml_piece_of(m, place, 0, -1) : -1;
    pml_touch(m, agent, k, place, piece, bit, false, op->tq[0] + 1);
}

static void pml_ordinary(pml *m, int agent, int k, bool writes)
{
    pml_agent *a = &m->agents[agent];
    pml_op *op = &a->ops[k];
    const zl_event *e = op->event;
    int place, part = e->part, bit = pml_new_bit(m, op);
    int64_t value = op->other_q + 1;
    if (e->smem[0] >= 0) {
        place = pml_smem_place(m, a, op, 0, pml_block(m, a, e));
        value = pml_content(m, op, 0);
        if (m->own[e->smem[0]]) part = 0;
    } else {
        place = pml_other_place(m, PML_GLOBAL, 0, e->other, op->other_q);
    }
    pml_touch(m, agent, k, place, writes ? pml_piece_of(m, place, part, agent) : -1, bit, false,
              value);
}

static void pml_update(pml *m, int agent, int k)
{
    pml_agent *a = &m->agents[agent];
    pml_op *op = &a->ops[k];
    int place = pml_other_place(m, PML_MAP, a->block, op->event->map, op->map_q);
    pml_touch(m, agent, k, place, pml_piece_of(m, place, 0, agent), pml_new_bit(m, op), false,
              op->map_q + 1);
}

/* A bit for each block whose barrier the commit arrives at. */
static void pml_commit(pml *m, int agent, int k)
{
    pml_agent *a = &m->agents[agent];
    if (a->ops[k].event->scope != ZL_GROUP_TCGEN05) return;
    for (uint32_t mask = pml_mask(m, a, a->ops[k].event); mask; mask &= mask - 1)
        pml_new_bit(m, &a->ops[k]);
}

/* A bit for each other block where the arrival may still be under way. */
static void pml_late_arrival(pml *m, int agent, int k)
{
    pml_agent *a = &m->agents[agent];
    if (!a->ops[k].late) return;
    for (uint32_t mask = pml_others_mask(m, a, a->ops[k].event); mask; mask &= mask - 1)
        pml_new_bit(m, &a->ops[k]);
}

static void pml_accesses_of(pml *m, int agent, int k)
{
    switch (m->agents[agent].ops[k].event->kind) {
    case ZL_EV_COPY: pml_copy(m, agent, k); break;
    case ZL_EV_STORE:
    case ZL_EV_REDUCE: pml_store(m, agent, k); break;
    case ZL_EV_MMA:
        if (pml_is_registers_product(m->agents[agent].ops[k].event)) break;
        /* fallthrough */
    case ZL_EV_TCP: pml_product(m, agent, k); break;
    case ZL_EV_LOAD:
    case ZL_EV_SEND:
    case ZL_EV_FETCH:
    case ZL_EV_PUT: pml_queue_access(m, agent, k); break;
    case ZL_EV_TLD:
    case ZL_EV_TST: pml_columns(m, agent, k); break;
    case ZL_EV_READ:
    case ZL_EV_LDMATRIX: pml_ordinary(m, agent, k, false); break;
    case ZL_EV_WRITE:
    case ZL_EV_STMATRIX:
    case ZL_EV_CPASYNC: pml_ordinary(m, agent, k, true); break;
    case ZL_EV_COMMIT: pml_commit(m, agent, k); break;
    case ZL_EV_ARRIVE: pml_late_arrival(m, agent, k); break;
    case ZL_EV_UPDATE: pml_update(m, agent, k); break;
    default: break;
    }
}

/* Threads alone write it, and each role that touches it both writes and reads it. */
static bool pml_is_own(const zlay_pipe *pipe, int32_t smem)
{
    bool any = false;
    for (uint32_t r = 0; r < pipe->roles_count; r++) {
        bool writes = false, reads = false;
        for (uint32_t i = pipe->roles[r].begin; i < pipe->roles[r].end; i++) {
            const zl_event *e = &pipe->events[i];
            bool fills = e->kind == ZL_EV_COPY || e->kind == ZL_EV_CPASYNC || pml_queue(e) >= 0;
            bool stores = e->kind == ZL_EV_WRITE || e->kind == ZL_EV_STMATRIX;
            if (e->smem[0] == smem && fills) return false;
            if (e->smem[0] == smem && stores) writes = true;
            else if (e->smem[0] == smem || e->smem[1] == smem) reads = true;
        }
        if (writes != reads) return false;
        any |= writes;
    }
    return any;
}

static void pml_close(pml *m)
{
    for (int i = 0; i < m->agents_count; i++) free(m->agents[i].ops);
    m->agents_count = 0;
}

/* False where the pipe is too large for the tables above; m->large says in what. */
static bool pml_open(pml *m, const zlay_pipe *pipe, const int64_t *params, int split)
{
    memset(m, 0, sizeof *m);
    m->pipe = pipe;
    m->split = split;
    if (pipe->blocks > PML_BLOCKS || pipe->params_count > PML_PARAMS) return pml_large(m, "blocks");
    memcpy(m->params, params, pipe->params_count * sizeof *params);
    for (uint32_t i = 0; i < pipe->smems_count; i++) m->own[i] = pml_is_own(pipe, (int32_t)i);
    if (!pml_agents(m)) return false;
    pml_find_late(m);
    for (int i = 0; i < m->agents_count; i++) {
        pml_ends_of(&m->agents[i]);
        for (int k = 0; k < m->agents[i].count; k++) pml_accesses_of(m, i, k);
    }
    return true;
}

#include "pipes/promela-queues.h"

#endif
