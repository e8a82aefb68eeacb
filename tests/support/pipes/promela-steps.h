/* SPDX-License-Identifier: Apache-2.0 */
/* What events do: promela.h says what the variables mean. */
#ifndef TEST_PROMELA_STEPS_H
#define TEST_PROMELA_STEPS_H

#include "pipes/promela-alone.h"

/* ---- sorts of events ---- */

static bool pml_is_warp_sync(const zl_event *e)
{
    return e->kind == ZL_EV_SYNC && e->scope == ZL_SYNC_WARP;
}

static bool pml_is_late(const zl_event *e)
{
    if (pml_is_warp_sync(e)) return true;
    if (e->kind == ZL_EV_FENCE)
        return e->scope != ZL_FENCE_AFTER && e->scope != ZL_FENCE_TENSORMAP;
    return (e->kind == ZL_EV_COMMIT && e->scope != ZL_GROUP_TCGEN05) ||
           e->kind == ZL_EV_WAITGROUP || e->kind == ZL_EV_TWAIT || e->kind == ZL_EV_USE ||
           e->kind == ZL_EV_WAITCOUNT || pml_is_of_registers(e) ||
           e->kind == ZL_EV_RELINQUISH;
}

static bool pml_is_early(const zl_event *e) { return e->kind == ZL_EV_FENCE && !pml_is_late(e); }

/* Lanes of a warp go on together. */
static bool pml_is_joint(const pml *m, const pml_agent *a, const zl_event *e)
{
    if (a->parts == 1 || m->split != PML_LANES || pml_is_one(e) || pml_is_of_leader(e))
        return false;
    if (e->kind == ZL_EV_WAITGROUP) return e->scope == ZL_GROUP_WGMMA;
    return pml_is_warp_sync(e) || e->kind == ZL_EV_TWAIT ||
           (e->kind == ZL_EV_MMA && e->tmem[0] < 0) || zl_forms[e->kind].by == ZL_RUN_WARPS;
}

/* Ordinary accesses, of which several make one step. */
static bool pml_is_ordinary(const pml *m, const pml_agent *a, const zl_event *e)
{
    bool access = e->kind == ZL_EV_READ || e->kind == ZL_EV_WRITE || e->kind == ZL_EV_LDMATRIX ||
                  e->kind == ZL_EV_STMATRIX;
    return access && !pml_is_joint(m, a, e);
}

static bool pml_opens(const zl_event *e)
{
    return e->kind == ZL_EV_READ || e->kind == ZL_EV_WRITE || e->kind == ZL_EV_LDMATRIX ||
           e->kind == ZL_EV_STMATRIX || e->kind == ZL_EV_TLD || e->kind == ZL_EV_TST ||
           e->kind == ZL_EV_UPDATE;
}

/* ---- barriers ---- */

static void pml_complete(pml_print *p, int bar, int64_t count)
{
    fprintf(p->to,
            "    if :: (pe[%d] == 0 && tx[%d] == 0) -> ph%d = ph%d + 1; pe[%d] = %lld "
            ":: else fi;\n",
            bar, bar, bar, bar, bar, (long long)count);
}

static void pml_alive(pml_print *p, int block, uint32_t line)
{
    char text[48];
    snprintf(text, sizeof text, "up%d && alive[%d] > 0", block, block);
    pml_need(p, text, ZLAY_PIPE_PEER, line);
}

static void pml_arrive_at(pml_print *p, int bar, int64_t n, int64_t count, uint32_t line)
{
    char text[32];
    fprintf(p->to, "    pe[%d] = pe[%d] - %lld;\n", bar, bar, (long long)n);
    snprintf(text, sizeof text, "pe[%d] >= 0", bar);
    pml_need(p, text, ZLAY_PIPE_COUNT, line);
    pml_complete(p, bar, count);
}

static void pml_bytes_at(pml_print *p, int bar, int64_t bytes, int64_t count, uint32_t line)
{
    char text[80];
    fprintf(p->to, "    tx[%d] = tx[%d] + %lld;\n", bar, bar, (long long)bytes);
    snprintf(text, sizeof text, "tx[%d] < 1048576 && tx[%d] > -1048576", bar, bar);
    pml_need(p, text, ZLAY_PIPE_BYTES, line);
    pml_complete(p, bar, count);
}

static void pml_arrive(pml_print *p, const pml_agent *a, const pml_op *op)
{
    const zl_event *e = op->event;
    int64_t n = a->weight[e->scope] * e->times, count = p->m->pipe->bars[e->bar].count;
    uint32_t mask = pml_mask(p->m, a, e);
    int late = op->bit;
    for (int block = 0; block < (int)p->m->pipe->blocks; block++) {
        if (!(mask >> block & 1)) continue;
        if (block != a->block) pml_alive(p, block, e->line);
        if (op->late && block != a->block) fprintf(p->to, "    o%d=1;\n", late++);
        else pml_arrive_at(p, pml_bar(p, block, e->bar, op->bar_q), n, count, e->line);
    }
}

/* ---- meetings ---- */

static int64_t pml_threads(const pml *m, int sort, const pml_agent *a)
{
    int64_t sum = 0;
    for (int i = 0; i < m->agents_count; i++) {
        const pml_agent *b = &m->agents[i];
        bool counts = sort == PML_MEET_CLUSTER || (sort == PML_MEET_CTA && b->block == a->block) ||
                      pml_same_instance(m, i, (int)(a - m->agents));
        if (counts) sum += b->threads;
    }
    return sum;
}

static int pml_meeting_for(pml_print *p, const pml_agent *a, const zl_event *e)
{
    switch (e->scope) {
    case ZL_SYNC_ROLE:
        return pml_meeting_of(p, PML_MEET_ROLE, a->block, a->role_index, a->instance);
    case ZL_SYNC_CTA: return pml_meeting_of(p, PML_MEET_CTA, a->block, 0, 0);
    case ZL_SYNC_CLUSTER: return pml_meeting_of(p, PML_MEET_CLUSTER, 0, 0, 0);
    default:
        if (!zl_event_named(e, (uint32_t)a->instance)) return pml_meeting_of(p, PML_MEET_CTA, a->block, 0, 0);
        return pml_meeting_of(p, PML_MEET_NAMED, a->block, (int)zl_event_named(e, (uint32_t)a->instance), 0);
    }
}

/* All who come to a numbered barrier before it is over say the same number of threads; `sync cta` says
 * none, so it is another way than any number. */
static void pml_come_alike(pml_print *p, int meeting, int64_t size, uint32_t line)
{
    char text[64];
    snprintf(text, sizeof text, "sc[%d] == 0 || sz[%d] == %lld", meeting, meeting, (long long)size);
    pml_need(p, text, ZLAY_PIPE_COUNT, line);
    fprintf(p->to, "    sz[%d] = %lld;\n", meeting, (long long)size);
}

static void pml_come(pml_print *p, int meeting, int64_t threads, int64_t of, uint32_t line)
{
    char text[48];
    fprintf(p->to, "    sc[%d] = sc[%d] + %lld;\n", meeting, meeting, (long long)threads);
    snprintf(text, sizeof text, "sc[%d] <= %lld", meeting, (long long)of);
    pml_need(p, text, ZLAY_PIPE_DEADLOCK, line);
    fprintf(p->to, "    if :: sc[%d] == %lld -> sc[%d] = 0; sg%d = 1 - sg%d :: else fi;\n",
            meeting, (long long)of, meeting, meeting, meeting);
}

/* Threads that have exited count as having come to the cluster's barrier. */
static void pml_come_to_cluster(pml_print *p, int64_t threads)
{
    int w = pml_meeting_of(p, PML_MEET_CLUSTER, 0, 0, 0);
    fprintf(p->to,
            "    sc[%d] = sc[%d] + %lld;\n    if :: sc[%d] >= here -> sc[%d] = 0; "
            "sg%d = 1 - sg%d :: else fi;\n",
            w, w, (long long)threads, w, w, w, w);
}

/* The first half of a sync, and all of a join. */
static void pml_meet(pml_print *p, const pml_agent *a, const zl_event *e)
{
    bool numbered = e->scope == ZL_SYNC_NAMED, cluster = e->scope == ZL_SYNC_CLUSTER;
    int w = pml_meeting_for(p, a, e);
    int sort = e->scope == ZL_SYNC_CTA ? PML_MEET_CTA : PML_MEET_ROLE;
    fprintf(p->to, "    %s = sg%d;\n", cluster ? "mc" : "my", w);
    if (cluster) pml_come_to_cluster(p, a->threads);
    else {
        int64_t of = numbered ? e->count : pml_threads(p->m, sort, a);
        if (numbered || sort == PML_MEET_CTA) pml_come_alike(p, w, numbered ? of : 0, e->line);
        pml_come(p, w, a->threads, of, e->line);
    }
}

/* ---- one event ---- */

static void pml_and(char guard[PML_GUARD], const char *what)
{
    size_t at = strlen(guard), need = strlen(what);
    assert_true(at + need + 8 < PML_GUARD);
    if (need) snprintf(guard + at, PML_GUARD - at, "%s(%s)", at ? " && " : "", what);
}

/* Late arrivals and stores of a block's other agents are over before others are told. */
static void pml_told(const pml *m, int block, int but, char guard[PML_GUARD])
{
    char text[16];
    for (int i = 0; i < m->agents_count; i++)
        for (int k = 0; i != but && m->agents[i].block == block && k < m->agents[i].count; k++)
            for (int b = 0; m->agents[i].ops[k].late && b < m->agents[i].ops[k].bits; b++) {
                snprintf(text, sizeof text, "!o%d", m->agents[i].ops[k].bit + b);
                pml_and(guard, text);
            }
}

/* The phase for which a wait looks, from 0. */
static int64_t pml_round(const pml_print *p, const pml_op *op)
{
    int64_t s = p->m->pipe->bars[op->event->bar].stages, q = op->parity_q;
    return (q - pml_slot(q, (uint32_t)s)) / s;
}

/* What an event waits for; "" nothing. */
static void pml_guard(pml_print *p, const pml_agent *a, const pml_op *op, char guard[PML_GUARD])
{
    const zl_event *e = op->event;
    char text[64] = "";
    if (e->kind == ZL_EV_WAIT)
        snprintf(text, sizeof text, "ph%d %% 2 != %d", pml_bar(p, a->block, e->bar, op->bar_q),
                 (int)((pml_round(p, op) + e->flip) & 1));
    if (e->kind == ZL_EV_AWAIT)
        snprintf(text, sizeof text, "fl[%d] >= %lld",
                 16 * e->other + pml_slot(op->other_q, p->m->pipe->others[e->other].stages),
                 (long long)e->count);
    if (e->kind == ZL_EV_MEET)
        snprintf(text, sizeof text, "sg%d != mc", pml_meeting_of(p, PML_MEET_CLUSTER, 0, 0, 0));
    if (e->kind == ZL_EV_ALLOC) {
        const zl_tmem *t = &p->m->pipe->tmems[e->tmem[0]];
        snprintf(text, sizeof text, "co[%d] + %d <= 512", a->block, (int)(t->stages * t->columns));
    }
    if (e->kind == ZL_EV_SETMAXNREG && e->scope == ZL_REGS_INC && a->part == 0)
        snprintf(text, sizeof text, "rg[%d] >= 128*(%lld - mine)", a->block, (long long)e->count);
    pml_and(guard, text);
    if (pml_tells_others(p->m, a, e)) pml_told(p->m, a->block, (int)(a - p->m->agents), guard);
}

/* Parity tells of the current and the last phase alone. */
static void pml_waited(pml_print *p, const pml_agent *a, const pml_op *op)
{
    char text[48];
    const zl_event *e = op->event;
    snprintf(text, sizeof text, "ph%d == %lld", pml_bar(p, a->block, e->bar, op->bar_q),
             (long long)(pml_round(p, op) + 1 - e->flip));
    pml_need(p, text, ZLAY_PIPE_LOST_PHASE, e->line);
}

static void pml_alloc(pml_print *p, int block, const zl_event *e, bool frees)
{
    char text[32];
    int at = block * (int)p->m->pipe->tmems_count + e->tmem[0];
    const zl_tmem *t = &p->m->pipe->tmems[e->tmem[0]];
    int64_t columns = t->stages * t->columns;
    if (!frees && (columns < 32 || columns > 512 || (columns & (columns - 1))))
        pml_fault(p, ZLAY_PIPE_TMEM_COLUMNS, e->line);
    snprintf(text, sizeof text, frees ? "al%d" : "!al%d", at);
    pml_need(p, text, ZLAY_PIPE_TMEM_ALLOC, e->line);
    snprintf(text, sizeof text, "!re%d", block);
    if (!frees) pml_need(p, text, ZLAY_PIPE_TMEM_ALLOC, e->line);
    fprintf(p->to, "    al%d=%d; co[%d] = co[%d] %c %lld;\n", at, !frees, block, block,
            frees ? '-' : '+', (long long)columns);
    for (int i = 0; frees && i < p->m->accesses_count; i++) {
        const pml_place *place = &p->m->places[p->m->accesses[i].place];
        if (place->space != PML_TMEM || place->block != block || place->index != e->tmem[0])
            continue;
        snprintf(text, sizeof text, "!o%d", p->m->accesses[i].bit);
        pml_need(p, text, ZLAY_PIPE_TMEM_USE, e->line);
    }
}

static void pml_commit_begins(pml_print *p, const pml_agent *a, int k)
{
    for (int i = 0; i < a->ops[k].bits; i++) fprintf(p->to, "    o%d=1;\n", a->ops[k].bit + i);
}

/* Whether it reads or writes global memory, which the grid before may do, too. */
static bool pml_is_global(const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_COPY: return e->scope != ZL_COPY_SHARED;
    case ZL_EV_CPASYNC:
    case ZL_EV_LOAD:
    case ZL_EV_SEND:
    case ZL_EV_STORE:
    case ZL_EV_REDUCE:
    case ZL_EV_UPDATE:
    case ZL_EV_RAISE:
    case ZL_EV_AWAIT: return true;
    default: return e->other >= 0;
    }
}

/* All of an instance are past the setmaxnreg before; of an elected thread's the others never meet it. */
static void pml_set_registers(pml_print *p, const pml_agent *a, int k)
{
    char text[32];
    const zl_event *e = a->ops[k].event;
    int agent = (int)(a - p->m->agents);
    for (int j = 0; j < k && a->role->elect; j++)
        if (a->ops[j].event->kind == ZL_EV_SETMAXNREG) pml_fault(p, ZLAY_PIPE_REGISTERS, e->line);
    for (int i = 0; i < p->m->agents_count; i++)
        if (i != agent && p->m->agents[i].parts > 1 && p->m->split == PML_WARPS && pml_same_instance(p->m, i, agent)) {
            snprintf(text, sizeof text, "sn[%d] >= sn[%d]", i, agent);
            pml_need(p, text, ZLAY_PIPE_REGISTERS, e->line);
        }
    fprintf(p->to, "    sn[%d] = sn[%d] + 1;\n", agent, agent);
    if (a->part) return;
    fprintf(p->to, "    rg[%d] = rg[%d] - 128*(%lld - mine); mine = %lld;\n", a->block, a->block,
            (long long)e->count, (long long)e->count);
}

/* What the peers' barriers and memory need. */
static void pml_copy_issued(pml_print *p, const pml_agent *a, const pml_op *op)
{
    uint32_t mask = pml_mask(p->m, a, op->event);
    for (int block = 0; block < (int)p->m->pipe->blocks; block++)
        if ((mask >> block & 1) && block != a->block) pml_alive(p, block, op->event->line);
    if (op->event->bar_cta >= 0) pml_alive(p, op->event->bar_cta, op->event->line);
}

static void pml_effect(pml_print *p, const pml_agent *a, int k)
{
    const pml_op *op = &a->ops[k];
    const zl_event *e = op->event;
    int agent = (int)(a - p->m->agents);
    if (e->kind == ZL_EV_COPY) pml_copy_issued(p, a, op);
    if (pml_is_global(e)) pml_need(p, "gd", ZLAY_PIPE_GRID, e->line);
    if ((e->kind == ZL_EV_READ || e->kind == ZL_EV_WRITE) && e->cta >= 0)
        pml_alive(p, pml_block(p->m, a, e), e->line);
    pml_accesses_now(p, agent, k);
    switch (e->kind) {
    case ZL_EV_ARRIVE: pml_arrive(p, a, op); break;
    case ZL_EV_WAIT: pml_waited(p, a, op); break;
    case ZL_EV_EXPECT:
        pml_bytes_at(p, pml_bar(p, a->block, e->bar, op->bar_q), e->count,
                     p->m->pipe->bars[e->bar].count, e->line);
        break;
    case ZL_EV_COMMIT: if (e->scope == ZL_GROUP_TCGEN05) pml_commit_begins(p, a, k); break;
    case ZL_EV_SYNC:
    case ZL_EV_JOIN: if (!pml_is_warp_sync(e)) pml_meet(p, a, e); break;
    case ZL_EV_RAISE:
        fprintf(p->to, "    fl[%d] = fl[%d] + %u;\n",
                16 * e->other + pml_slot(op->other_q, p->m->pipe->others[e->other].stages),
                16 * e->other + pml_slot(op->other_q, p->m->pipe->others[e->other].stages),
                e->times);
        break;
    case ZL_EV_ALLOC:
        if (p->m->pipe->tmems[e->tmem[0]].pair) pml_alive(p, a->block ^ 1, e->line);
        /* fallthrough */
    case ZL_EV_DEALLOC: pml_alloc(p, a->block, e, e->kind == ZL_EV_DEALLOC); break;
    case ZL_EV_RELINQUISH: fprintf(p->to, "    re%d=1;\n", a->block); break;
    case ZL_EV_SETMAXNREG: pml_set_registers(p, a, k); break;
    case ZL_EV_GRIDDEP:
        if (e->scope == ZL_GRIDDEP_WAIT) fprintf(p->to, "    gd=1;\n");
        break;
    case ZL_EV_FENCE:
        if (e->scope == ZL_FENCE_PROXY) pml_fence_proxy(p, agent, k);
        if (e->scope == ZL_FENCE_BEFORE) pml_fence_before(p, agent, k);
        if (e->scope == ZL_FENCE_AFTER) pml_fence_after(p, agent);
        if (e->scope == ZL_FENCE_TENSORMAP) pml_fence_tensormap(p, agent);
        break;
    default: break;
    }
    if (e->kind == ZL_EV_WAITGROUP || e->kind == ZL_EV_TWAIT || e->kind == ZL_EV_WAITCOUNT)
        pml_end_by(p, agent, k);
    pml_alone_at(p, a, k);
}

#endif
