/* SPDX-License-Identifier: Apache-2.0 */
/* Queues and the registers that they fill: docs/pipe.md, "Queues", for models.  What a warp issues may
 * happen from its issue until a wait of the agent ends it; which wait, and what registers hold, is
 * read off the straight program. */
#ifndef TEST_PROMELA_QUEUES_H
#define TEST_PROMELA_QUEUES_H

#include "pipes/promela-program.h"

/* ZL_QUEUE_ of an event; -1: of none. */
static int pml_queue(const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_LOAD:
    case ZL_EV_SEND: return ZL_QUEUE_MEMORY;
    case ZL_EV_FETCH:
    case ZL_EV_PUT: return ZL_QUEUE_SHARED;
    default: return -1;
    }
}

static bool pml_is_registers_product(const zl_event *e)
{
    return e->kind == ZL_EV_MMA && e->acc_b >= 0;
}

/* What stays in the agent's own registers. */
static bool pml_is_of_registers(const zl_event *e)
{
    bool memory = e->smem[0] >= 0 || e->other >= 0;
    return pml_is_registers_product(e) || (pml_queue(e) >= 0 && !memory);
}

/* The instructions of a queue are over in order: an event's last one when at most those behind it are
 * under way. */
static void pml_queue_ends(pml_agent *a, int queue)
{
    int64_t last[PML_OPS], issued = 0;
    for (int k = 0; k < a->count; k++) {
        const zl_event *e = a->ops[k].event;
        if (pml_queue(e) == queue) issued += e->times;
        last[k] = pml_queue(e) == queue ? issued : PML_NEVER;
        if (e->kind != ZL_EV_WAITCOUNT || e->scope != queue) continue;
        for (int j = 0; j < k; j++)
            if (last[j] != PML_NEVER && a->ops[j].done == PML_NEVER && issued - last[j] >= e->count)
                a->ops[j].done = k;
    }
}

/* One warp's queue takes its instructions in order; so do those of an agent, and where its warps might
 * stand apart, another agent shows it. */
static bool pml_in_queue(const pml *m, int a, const zl_event *x, int b, const zl_event *y)
{
    const pml_agent *p = &m->agents[a], *q = &m->agents[b];
    bool instance = p->block == q->block && p->role_index == q->role_index && p->instance == q->instance;
    return pml_queue(x) >= 0 && pml_queue(x) == pml_queue(y) &&
           (a == b || (instance && p->role->each == 1));
}

static void pml_queue_access(pml *m, int agent, int k)
{
    pml_agent *a = &m->agents[agent];
    pml_op *op = &a->ops[k];
    const zl_event *e = op->event;
    int bit = pml_new_bit(m, op), place;
    if (pml_is_of_registers(e)) return;
    if (e->smem[0] >= 0) place = pml_smem_place(m, a, op, 0, a->block);
    else place = pml_other_place(m, PML_GLOBAL, 0, e->other, op->other_q);
    int piece = e->kind == ZL_EV_FETCH ? -1 : pml_piece_of(m, place, e->part, agent);
    pml_touch(m, agent, k, place, piece, bit, true,
              e->smem[0] >= 0 ? pml_content(m, op, 0) : op->other_q + 1);
}

/* ---- registers ---- */

/* Registers before an op: hold something, which was stored, which nobody has used, which is under way;
 * since which op; how many bytes were loaded. */
typedef struct pml_registers {
    bool full, stored, unused, flying;
    int since;
    int64_t bytes;
} pml_registers;

static pml_registers pml_registers_before(const pml_agent *a, int32_t acc, int k)
{
    pml_registers r = {.since = -1};
    for (int j = 0; j < k; j++) {
        const zl_event *e = a->ops[j].event;
        bool loads = e->kind == ZL_EV_LOAD || e->kind == ZL_EV_FETCH, product = pml_is_registers_product(e);
        if (product && (e->acc_a == acc || e->acc_b == acc)) r.unused = false;
        if (e->acc != acc) continue;
        if (loads || product || e->kind == ZL_EV_USE)
            r = (pml_registers){.full = true, .unused = e->kind != ZL_EV_USE, .since = j,
                                .flying = loads && a->ops[j].done >= k,
                                .bytes = e->kind == ZL_EV_LOAD ? e->count : 0};
        else if (pml_queue(e) >= 0) r.stored = true, r.unused = false;
    }
    return r;
}

/* The last product into these registers before op k had the same factors, as they are now. */
static bool pml_is_same_product(const pml_agent *a, int k)
{
    const zl_event *e = a->ops[k].event;
    for (int j = k - 1; j >= 0; j--) {
        const zl_event *last = a->ops[j].event;
        if (!pml_is_registers_product(last) || last->acc != e->acc) continue;
        return last->acc_a == e->acc_a && last->acc_b == e->acc_b &&
               pml_registers_before(a, e->acc_a, k).since < j && pml_registers_before(a, e->acc_b, k).since < j;
    }
    return false;
}

/* The rule that op k breaks by the registers that it reads; 0: none. */
static int pml_reads_registers(const pml_agent *a, int32_t acc, int k)
{
    pml_registers r = pml_registers_before(a, acc, k);
    return !r.full ? ZLAY_PIPE_STAGE : r.flying ? ZLAY_PIPE_GROUP : 0;
}

static int pml_breaks_store(const pml *m, const pml_agent *a, int k)
{
    const zl_event *e = a->ops[k].event;
    pml_registers r = pml_registers_before(a, e->acc, k);
    int64_t bytes = e->smem[0] < 0 ? r.bytes : e->count ? e->count : m->pipe->smems[e->smem[0]].bytes;
    int rule = pml_reads_registers(a, e->acc, k);
    return rule ? rule : r.stored ? ZLAY_PIPE_STAGE : r.bytes && r.bytes != bytes ? ZLAY_PIPE_BYTES : 0;
}

static int pml_breaks_product(const pml_agent *a, int k)
{
    const zl_event *e = a->ops[k].event;
    pml_registers r = pml_registers_before(a, e->acc, k);
    int rule = pml_reads_registers(a, e->acc_a, k);
    if (!rule) rule = pml_reads_registers(a, e->acc_b, k);
    if (rule || r.flying) return rule ? rule : ZLAY_PIPE_GROUP;
    bool begun = e->fresh ? !r.unused : r.full && !r.stored && !pml_is_same_product(a, k);
    return begun ? 0 : ZLAY_PIPE_STAGE;
}

/* The rule of registers that op k of a straight program breaks; 0: none. */
static int pml_breaks_registers(const pml *m, const pml_agent *a, int k)
{
    const zl_event *e = a->ops[k].event;
    pml_registers r = {.since = -1};
    if (pml_is_registers_product(e)) return pml_breaks_product(a, k);
    if (e->acc < 0 || (pml_queue(e) < 0 && e->kind != ZL_EV_USE)) return 0;
    if (e->kind == ZL_EV_SEND || e->kind == ZL_EV_PUT) return pml_breaks_store(m, a, k);
    r = pml_registers_before(a, e->acc, k);
    if (r.flying) return ZLAY_PIPE_GROUP;
    return r.unused && e->kind != ZL_EV_USE ? ZLAY_PIPE_STAGE : 0;
}

/* What was loaded or summed and never used. */
static bool pml_leaves_registers(const pml_agent *a, int32_t acc)
{
    return pml_registers_before(a, acc, a->count).unused;
}

#endif
