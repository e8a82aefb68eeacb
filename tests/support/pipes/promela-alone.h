/* SPDX-License-Identifier: Apache-2.0 */
/* What one agent's program breaks by itself: it is straight, so it is read, not run. */
#ifndef TEST_PROMELA_ALONE_H
#define TEST_PROMELA_ALONE_H

#include "pipes/promela.h"

/* Accumulators before an op: fenced since ordinary instructions touched them, begun and taken as a
 * sum, loads from tensor memory not waited for. */
typedef struct pml_sum { bool fenced, begun, taken, flying, loading; } pml_sum;

static pml_sum pml_sum_before(const pml_agent *a, int32_t acc, int k)
{
    pml_sum s = {.taken = true};
    for (int j = 0; j < k; j++) {
        const zl_event *e = a->ops[j].event;
        if (e->kind == ZL_EV_FENCE && e->scope == ZL_FENCE_WGMMA) s.fenced = true;
        bool product = e->kind == ZL_EV_MMA && e->tmem[0] < 0 && (e->acc == acc || e->acc_a == acc);
        if (product) s.flying |= a->ops[j].done >= k;
        if (e->kind == ZL_EV_TLD && e->acc == acc) s.loading |= a->ops[j].done >= k;
        if (e->kind == ZL_EV_MMA && e->acc == acc) {
            s.begun = true;
            s.taken = false;
        } else if (e->acc == acc || e->acc_a == acc) {
            s.taken = true;
            if (e->acc == acc) {
                s.begun = true;
                s.fenced = false;
            }
        }
    }
    return s;
}

/* Whether ops j and k, in this order, multiply the same: registers stay so until an op changes
 * them. */
static bool pml_same_factors(const pml_agent *a, int j, int k)
{
    const pml_op *x = &a->ops[j], *y = &a->ops[k];
    for (int i = 0; i < 2; i++)
        if (x->event->smem[i] != y->event->smem[i] ||
            (x->event->smem[i] >= 0 && x->q[i] != y->q[i]))
            return false;
    if (x->event->tmem[1] != y->event->tmem[1] || x->event->acc_a != y->event->acc_a) return false;
    if (x->event->tmem[1] >= 0 && x->tq[1] != y->tq[1]) return false;
    for (int i = j + 1; i < k; i++)
        if (x->event->acc_a >= 0 && a->ops[i].event->acc == x->event->acc_a) return false;
    return true;
}

/* Whether op k adds to its sum what the sum has already, since it was begun. */
static bool pml_is_summed(const pml_agent *a, int k)
{
    const pml_op *y = &a->ops[k];
    bool begun = y->event->fresh;
    for (int j = k - 1; j >= 0 && !begun; j--) {
        const pml_op *x = &a->ops[j];
        bool same = x->event->kind == ZL_EV_MMA && x->event->acc == y->event->acc &&
                    x->event->tmem[0] == y->event->tmem[0] &&
                    (x->event->tmem[0] < 0 || x->tq[0] == y->tq[0]);
        if (same && pml_same_factors(a, j, k)) return true;
        begun = same && x->event->fresh;
    }
    return false;
}

static void pml_alone_product(pml_print *p, const pml_agent *a, int k)
{
    const zl_event *e = a->ops[k].event;
    pml_sum d = pml_sum_before(a, e->acc, k);
    if (a->role->elect || a->role->each != 4 || a->role->first_warp % 4)
        pml_fault(p, ZLAY_PIPE_COLLECTIVE, e->line);
    if (!d.fenced) pml_fault(p, ZLAY_PIPE_FENCE, e->line);
    if (e->fresh && !d.taken) pml_fault(p, ZLAY_PIPE_STAGE, e->line);
    if (!e->fresh && !d.begun) pml_fault(p, ZLAY_PIPE_STAGE, e->line);
    if (e->acc_a < 0) return;
    pml_sum f = pml_sum_before(a, e->acc_a, k);
    if (!f.fenced || f.flying) pml_fault(p, ZLAY_PIPE_FENCE, e->line);
    if (!f.begun) pml_fault(p, ZLAY_PIPE_STAGE, e->line);
}

static void pml_alone_registers(pml_print *p, const pml_agent *a, int k)
{
    int64_t mine = p->m->pipe->registers;
    const zl_event *e = a->ops[k].event;
    for (int j = 0; j < k; j++)
        if (a->ops[j].event->kind == ZL_EV_SETMAXNREG) mine = a->ops[j].event->count;
    uint32_t warps = a->role->elect ? a->role->last_warp - a->role->first_warp + 1 : a->role->each;
    if (warps != 4 || a->role->first_warp % 4 || e->count < 24 || e->count > 256 || e->count % 8)
        pml_fault(p, ZLAY_PIPE_REGISTERS, e->line);
    if (mine && (e->scope == ZL_REGS_DEC ? e->count > mine : e->count < mine))
        pml_fault(p, ZLAY_PIPE_REGISTERS, e->line);
}

/* A warp reaches 32 lanes, by its number modulo 4. */
static void pml_alone_columns(pml_print *p, const pml_agent *a, const zl_event *e)
{
    uint32_t first = a->role->first_warp + (uint32_t)a->instance * a->role->each, reached = 0;
    for (uint32_t w = first; w < first + a->role->each; w++) reached |= 1u << w % 4;
    for (uint32_t q = e->lanes[0] / 32; q <= e->lanes[1] / 32; q++)
        if (q > 3 || !(reached >> q & 1)) {
            pml_fault(p, ZLAY_PIPE_TMEM_LANES, e->line);
            break;
        }
    if (e->columns[1] >= p->m->pipe->tmems[e->tmem[0]].columns)
        pml_fault(p, ZLAY_PIPE_TMEM_COLUMNS, e->line);
}

static void pml_alone_taken(pml_print *p, const pml_agent *a, int k)
{
    const zl_event *e = a->ops[k].event;
    pml_sum s = pml_sum_before(a, e->acc, k);
    bool takes = e->kind == ZL_EV_WRITE || e->kind == ZL_EV_STMATRIX || e->kind == ZL_EV_TST;
    if (takes && !s.begun) pml_fault(p, ZLAY_PIPE_STAGE, e->line);
    if (s.flying) pml_fault(p, ZLAY_PIPE_FENCE, e->line);
    if (s.loading) pml_fault(p, ZLAY_PIPE_TMEM_USE, e->line);
}

/* What one thread cannot do in the place of many: it moves data, makes groups, or meets. */
static bool pml_is_of_many(const zl_event *e)
{
    int by = zl_forms[e->kind].by;
    switch (e->kind) {
    case ZL_EV_CPASYNC:
    case ZL_EV_READ:
    case ZL_EV_WRITE:
    case ZL_EV_USE: return true;
    case ZL_EV_COMMIT:
    case ZL_EV_WAITGROUP: return e->scope == ZL_GROUP_WGMMA || e->scope == ZL_GROUP_CPASYNC;
    case ZL_EV_FENCE: return e->scope == ZL_FENCE_WGMMA;
    case ZL_EV_SYNC: return e->scope != ZL_SYNC_CTA && e->scope != ZL_SYNC_CLUSTER;
    case ZL_EV_JOIN: return e->scope == ZL_SYNC_NAMED;
    default: return by == ZL_RUN_WARPS || by == ZL_RUN_WARP;
    }
}

/* No position is before the first. */
static bool pml_is_before_first(const pml_op *op)
{
    const zl_event *e = op->event;
    bool below = (e->bar >= 0 && op->bar_q < 0) || (e->kind == ZL_EV_WAIT && op->parity_q < 0) ||
                 (e->map >= 0 && op->map_q < 0) || (e->other >= 0 && op->other_q < 0);
    for (int i = 0; i < 2; i++)
        below |= (e->smem[i] >= 0 && op->q[i] < 0) || (e->tmem[i] >= 0 && op->tq[i] < 0);
    return below;
}

static void pml_alone_at(pml_print *p, const pml_agent *a, int k)
{
    const zl_event *e = a->ops[k].event;
    if (pml_is_before_first(&a->ops[k])) pml_fault(p, ZLAY_PIPE_STAGE, e->line);
    if (e->kind == ZL_EV_FENCE && e->scope == ZL_FENCE_MBARRIER)
        pml_fault(p, ZLAY_PIPE_INIT, e->line);
    int by = zl_forms[e->kind].by;
    if (pml_is_of_many(e) && a->role->elect) pml_fault(p, ZLAY_PIPE_COLLECTIVE, e->line);
    if (by == ZL_RUN_WARP && a->role->each != 1) pml_fault(p, ZLAY_PIPE_COLLECTIVE, e->line);
    if (e->kind == ZL_EV_ARRIVE && e->scope != ZL_BY_ONE && a->role->elect)
        pml_fault(p, ZLAY_PIPE_COLLECTIVE, e->line);
    if (e->kind == ZL_EV_STORE || e->kind == ZL_EV_REDUCE)
        if (e->count != p->m->pipe->smems[e->smem[0]].bytes) pml_fault(p, ZLAY_PIPE_BYTES, e->line);
    if (e->kind == ZL_EV_SETMAXNREG) pml_alone_registers(p, a, k);
    if (e->kind == ZL_EV_TLD || e->kind == ZL_EV_TST) pml_alone_columns(p, a, e);
    if (pml_breaks_registers(p->m, a, k)) pml_fault(p, pml_breaks_registers(p->m, a, k), e->line);
    if (pml_is_registers_product(e)) return;
    if (e->kind == ZL_EV_MMA && pml_is_summed(a, k)) pml_fault(p, ZLAY_PIPE_STAGE, e->line);
    if (e->kind == ZL_EV_MMA && e->tmem[0] < 0) pml_alone_product(p, a, k);
    else if (e->acc >= 0) pml_alone_taken(p, a, k);
}

/* What nothing ends. */
static void pml_alone_ends(pml_print *p, const pml_agent *a)
{
    for (int k = 0; k < a->count; k++) {
        const zl_event *e = a->ops[k].event;
        if (a->ops[k].done != PML_NEVER || pml_queue(e) >= 0) continue;
        pml_fault(p, pml_is_tcgen05(e) ? ZLAY_PIPE_TCGEN05 : ZLAY_PIPE_EXIT, e->line);
    }
    for (int32_t acc = 0; acc < (int32_t)p->m->pipe->accs_count; acc++) {
        pml_sum s = pml_sum_before(a, acc, a->count);
        if (s.begun && !s.taken) pml_fault(p, ZLAY_PIPE_STAGE, a->role->line);
        if (pml_leaves_registers(a, acc)) pml_fault(p, ZLAY_PIPE_EXIT, a->role->line);
    }
}

#endif
