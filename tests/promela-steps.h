/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of a model: promela.h says what the variables mean. */
#ifndef TEST_PROMELA_STEPS_H
#define TEST_PROMELA_STEPS_H

#include "promela-alone.h"

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
            "    if :: (pe[%d] == 0 && tx[%d] == 0) -> ph%d = 1 - ph%d; pe[%d] = %lld "
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
    for (int block = 0; block < (int)p->m->pipe->blocks; block++) {
        if (!(mask >> block & 1)) continue;
        if (block != a->block) pml_alive(p, block, e->line);
        pml_arrive_at(p, pml_bar(p, block, e->bar, op->bar_q), n, count, e->line);
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
    default: return pml_meeting_of(p, PML_MEET_NAMED, a->block, (int)e->named, 0);
    }
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
    else pml_come(p, w, a->threads, numbered ? e->count : pml_threads(p->m, sort, a), e->line);
}

/* ---- one event ---- */

static void pml_guard(pml_print *p, const pml_agent *a, const pml_op *op)
{
    const zl_event *e = op->event;
    if (e->kind == ZL_EV_WAIT) {
        int64_t s = p->m->pipe->bars[e->bar].stages, q = op->parity_q;
        int64_t round = (q - pml_slot(q, (uint32_t)s)) / s + e->flip;
        fprintf(p->to, "    (ph%d != %d);\n", pml_bar(p, a->block, e->bar, op->bar_q),
                (int)(round & 1));
    } else if (e->kind == ZL_EV_AWAIT) {
        fprintf(p->to, "    (fl[%d] >= %lld);\n",
                16 * e->other + pml_slot(op->other_q, p->m->pipe->others[e->other].stages),
                (long long)e->count);
    } else if (e->kind == ZL_EV_MEET) {
        fprintf(p->to, "    (sg%d != mc);\n", pml_meeting_of(p, PML_MEET_CLUSTER, 0, 0, 0));
    } else if (e->kind == ZL_EV_ALLOC) {
        const zl_tmem *t = &p->m->pipe->tmems[e->tmem[0]];
        fprintf(p->to, "    (co[%d] + %d <= 512);\n", a->block, (int)(t->stages * t->columns));
    } else if (e->kind == ZL_EV_SETMAXNREG && e->scope == ZL_REGS_INC) {
        fprintf(p->to, "    (rg[%d] >= 128*(%lld - mine));\n", a->block, (long long)e->count);
    } else {
        fprintf(p->to, "    true;\n");
    }
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

/* What the peers' barriers and memory need, and the grid before. */
static void pml_copy_issued(pml_print *p, const pml_agent *a, const pml_op *op)
{
    uint32_t mask = pml_mask(p->m, a, op->event);
    char text[32];
    for (int block = 0; block < (int)p->m->pipe->blocks; block++)
        if ((mask >> block & 1) && block != a->block) pml_alive(p, block, op->event->line);
    if (op->event->bar_cta >= 0) pml_alive(p, op->event->bar_cta, op->event->line);
    snprintf(text, sizeof text, "gd%d", a->block);
    if (op->event->scope != ZL_COPY_SHARED) pml_need(p, text, ZLAY_PIPE_GRID, op->event->line);
}

static void pml_effect(pml_print *p, const pml_agent *a, int k)
{
    const pml_op *op = &a->ops[k];
    const zl_event *e = op->event;
    int agent = (int)(a - p->m->agents);
    if (e->kind == ZL_EV_COPY) pml_copy_issued(p, a, op);
    if ((e->kind == ZL_EV_READ || e->kind == ZL_EV_WRITE) && e->cta >= 0)
        pml_alive(p, pml_block(p->m, a, e), e->line);
    pml_accesses_now(p, agent, k);
    switch (e->kind) {
    case ZL_EV_ARRIVE: pml_arrive(p, a, op); break;
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
    case ZL_EV_DEALLOC: pml_alloc(p, a->block, e, e->kind == ZL_EV_DEALLOC); break;
    case ZL_EV_RELINQUISH: fprintf(p->to, "    re%d=1;\n", a->block); break;
    case ZL_EV_SETMAXNREG:
        fprintf(p->to, "    rg[%d] = rg[%d] - 128*(%lld - mine); mine = %lld;\n", a->block,
                a->block, (long long)e->count, (long long)e->count);
        break;
    case ZL_EV_GRIDDEP:
        if (e->scope == ZL_GRIDDEP_WAIT) fprintf(p->to, "    gd%d=1;\n", a->block);
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

/* ---- programs ---- */

/* The next op that is a step, or the end; opens what it accesses and lets early ops happen. */
static void pml_turn(pml_print *p, const pml_agent *a, int k)
{
    while (k < a->count) {
        const zl_event *e = a->ops[k].event;
        bool joint = pml_is_joint(p->m, a, e);
        if (pml_is_early(e)) pml_effect(p, a, k);
        else if (pml_opens(e))
            for (int i = 0; i < a->ops[k].bits; i++)
                fprintf(p->to, "    o%d=1;\n", a->ops[k].bit + i);
        if (!pml_is_early(e) && !(pml_is_late(e) && !joint) && !pml_is_ordinary(p->m, a, e)) return;
        k++;
    }
}

/* How many ops from k on make the next step. */
static int pml_step_end(const pml_print *p, const pml_agent *a, int k)
{
    bool ordinary = false;
    for (; k < a->count; k++) {
        const zl_event *e = a->ops[k].event;
        bool mine = pml_is_ordinary(p->m, a, e);
        bool quiet = pml_is_early(e) || (pml_is_late(e) && !pml_is_joint(p->m, a, e));
        if (ordinary && !mine && !quiet) return k;
        ordinary |= mine;
        if (!mine && !quiet) return k + 1;
    }
    return k;
}

static void pml_step(pml_print *p, const pml_agent *a, int k, int end)
{
    const pml_op *last = &a->ops[end - 1];
    const zl_event *e = last->event;
    bool joint = pml_is_joint(p->m, a, e),
         sync = e->kind == ZL_EV_SYNC && !joint && !pml_is_warp_sync(e);
    fprintf(p->to, "  d_step { /* line %u */\n", e->line);
    pml_guard(p, a, last);
    for (; k < end; k++)
        if (!pml_is_early(a->ops[k].event)) pml_effect(p, a, k);
    if (joint) {
        int w = pml_meeting_of(p, PML_MEET_JOINT, a->block, a->role_index, a->instance);
        fprintf(p->to, "    my = sg%d;\n", w);
        pml_come(p, w, 1, 2, e->line);
    }
    if (joint || sync) {
        int w = joint ? pml_meeting_of(p, PML_MEET_JOINT, a->block, a->role_index, a->instance)
                      : pml_meeting_for(p, a, e);
        fprintf(p->to, "  }\n  d_step {\n    (sg%d != %s);\n", w,
                !joint && e->scope == ZL_SYNC_CLUSTER ? "mc" : "my");
    }
    pml_turn(p, a, end);
    fprintf(p->to, "  }\n");
}

/* The last thread of a block: nothing may touch it any more, and all of it has been used. */
static void pml_block_ends(pml_print *p, int block, uint32_t line)
{
    const pml *m = p->m;
    char text[48];
    for (int i = 0; i < m->accesses_count; i++) {
        const pml_place *at = &m->places[m->accesses[i].place];
        if (at->block != block || (at->space != PML_SMEM && at->space != PML_TMEM)) continue;
        snprintf(text, sizeof text, "!o%d", m->accesses[i].bit);
        pml_need(p, text, ZLAY_PIPE_EXIT, line);
    }
    for (int i = 0; i < m->pieces_count; i++) {
        const pml_place *at = &m->places[m->pieces[i].place];
        snprintf(text, sizeof text, "v[%d]==0 || tk%d", i, i);
        if (at->block == block && at->space == PML_SMEM) pml_need(p, text, ZLAY_PIPE_EXIT, line);
    }
    for (int i = 0; i < (int)m->pipe->tmems_count; i++) {
        snprintf(text, sizeof text, "!al%d", block * (int)m->pipe->tmems_count + i);
        pml_need(p, text, ZLAY_PIPE_TMEM_LEAK, line);
    }
    for (int i = 0; i < p->bars; i++) {
        snprintf(text, sizeof text, "tx[%d] == 0", block * p->bars + i);
        pml_need(p, text, ZLAY_PIPE_BYTES, line);
    }
}

/* Commits that signal this block: their bits, over all agents. */
static void pml_commits_end(pml_print *p, int block, uint32_t line)
{
    const pml *m = p->m;
    char text[32];
    for (int i = 0; i < m->agents_count; i++)
        for (int k = 0; k < m->agents[i].count; k++) {
            const pml_op *op = &m->agents[i].ops[k];
            if (op->event->kind != ZL_EV_COMMIT || op->bit < 0) continue;
            uint32_t mask = pml_mask(m, &m->agents[i], op->event);
            for (int b = 0, bit = op->bit; b < PML_BLOCKS; b++) {
                snprintf(text, sizeof text, "!o%d", bit);
                if ((mask >> b & 1) && b == block) pml_need(p, text, ZLAY_PIPE_EXIT, line);
                bit += (int)(mask >> b & 1);
            }
        }
}

static void pml_process(pml_print *p, int agent)
{
    const pml_agent *a = &p->m->agents[agent];
    uint32_t line = a->role->line;
    fprintf(p->to,
            "active proctype a%d()\n{ bit my, mc; short mine = %u;\n  d_step {\n    (up%d);\n",
            agent, p->m->pipe->registers, a->block);
    pml_turn(p, a, 0);
    fprintf(p->to, "  }\n");
    for (int k = 0; k < a->count;) {
        int end = pml_step_end(p, a, k);
        if (end == k) break;
        pml_step(p, a, k, end);
        k = end;
    }
    fprintf(p->to, "  d_step {\n    alive[%d] = alive[%d] - 1; here = here - %lld;\n", a->block,
            a->block, (long long)a->threads);
    pml_alone_ends(p, a);
    pml_come_to_cluster(p, 0);
    fprintf(p->to, "    if :: alive[%d] == 0 ->\n", a->block);
    pml_block_ends(p, a->block, line);
    pml_commits_end(p, a->block, line);
    fprintf(p->to, "    skip :: else fi;\n  }\n}\n");
}

/* ---- what lands ---- */

static void pml_land_copy(pml_print *p, const pml_agent *a, int agent, int k)
{
    const pml_op *op = &a->ops[k];
    const zl_event *e = op->event;
    for (int i = 0; i < p->m->accesses_count; i++) {
        const pml_access *x = &p->m->accesses[i];
        if (x->agent != agent || x->op != k || x->piece < 0) continue;
        int block = p->m->places[x->place].block;
        if (e->bar_cta >= 0) block = e->bar_cta;
        fprintf(p->to, "  :: d_step { o%d -> o%d=0;\n", x->bit, x->bit);
        pml_fill(p, x, false);
        pml_alive(p, block, e->line);
        pml_bytes_at(p, pml_bar(p, block, e->bar, op->bar_q), -e->count,
                     p->m->pipe->bars[e->bar].count, e->line);
        fprintf(p->to, "  }\n");
    }
}

static void pml_land_commit(pml_print *p, const pml_agent *a, int k)
{
    const pml_op *op = &a->ops[k];
    const zl_event *e = op->event;
    uint32_t mask = pml_mask(p->m, a, e);
    for (int block = 0, bit = op->bit; block < (int)p->m->pipe->blocks; block++) {
        if (!(mask >> block & 1)) continue;
        fprintf(p->to, "  :: d_step { o%d -> o%d=0;\n", bit, bit);
        for (int j = 0; j < k; j++)
            if (pml_is_tcgen05(a->ops[j].event)) fprintf(p->to, "    o%d=0;\n", a->ops[j].bit);
        pml_alive(p, block, e->line);
        pml_arrive_at(p, pml_bar(p, block, e->bar, op->bar_q), 1, p->m->pipe->bars[e->bar].count,
                      e->line);
        fprintf(p->to, "  }\n");
        bit++;
    }
}

static void pml_lander(pml_print *p)
{
    const pml *m = p->m;
    fprintf(p->to, "active proctype lands()\n{\nend: do\n  :: d_step { zero -> skip }\n");
    for (int i = 0; i < m->agents_count; i++)
        for (int k = 0; k < m->agents[i].count; k++) {
            const zl_event *e = m->agents[i].ops[k].event;
            if (e->kind == ZL_EV_COPY) pml_land_copy(p, &m->agents[i], i, k);
            if (e->kind == ZL_EV_COMMIT && e->scope == ZL_GROUP_TCGEN05)
                pml_land_commit(p, &m->agents[i], k);
        }
    fprintf(p->to, "  od\n}\n");
}

/* ---- before the roles ---- */

static void pml_setup_inits(pml_print *p)
{
    const zlay_pipe *pipe = p->m->pipe;
    for (uint32_t b = 0; b < pipe->bars_count; b++) {
        int inits = 0, state = 0;
        for (uint32_t i = 0; i < pipe->setup; i++) {
            const zl_event *e = &pipe->events[i];
            bool sync = e->kind == ZL_EV_SYNC && e->scope != ZL_SYNC_WARP;
            if (e->kind == ZL_EV_INIT && e->bar == (int32_t)b) inits++, state = 1;
            if (e->kind == ZL_EV_FENCE && e->scope == ZL_FENCE_MBARRIER && state == 1) state = 2;
            if (sync && state == 2) state = 3;
        }
        if (inits != 1 || state != 3) pml_fault(p, ZLAY_PIPE_INIT, 1);
        if (pipe->bars[b].count < 1 || pipe->bars[b].count >= 1 << 20)
            pml_fault(p, ZLAY_PIPE_COUNT, 1);
    }
}

/* A block's setup; with a sync of the cluster all blocks are set up at once. */
static void pml_setup(pml_print *p)
{
    const zlay_pipe *pipe = p->m->pipe;
    bool together = pipe->blocks == 1, waits = false;
    for (uint32_t i = 0; i < pipe->setup; i++)
        together |= pipe->events[i].kind == ZL_EV_SYNC && pipe->events[i].scope == ZL_SYNC_CLUSTER;
    for (uint32_t i = 0; i < pipe->events_count; i++)
        waits |= pipe->events[i].kind == ZL_EV_GRIDDEP && pipe->events[i].scope == ZL_GRIDDEP_WAIT;
    for (int block = 0; block < (int)pipe->blocks; block++) {
        if (block == 0 || !together)
            fprintf(p->to, "active proctype setup%d()\n{ d_step {\n    (ready);\n", block);
        if (block == 0) pml_setup_inits(p);
        if (!waits) fprintf(p->to, "    gd%d=1;\n", block);
        for (uint32_t i = 0; i < pipe->setup; i++) {
            if (pipe->events[i].kind == ZL_EV_ALLOC) pml_alloc(p, block, &pipe->events[i], false);
            if (pipe->events[i].kind == ZL_EV_RELINQUISH) fprintf(p->to, "    re%d=1;\n", block);
        }
        fprintf(p->to, "    up%d=1;\n", block);
        if (block + 1 == (int)pipe->blocks || !together) fprintf(p->to, "} }\n");
    }
}

/* ---- all ---- */

/* Bits are variables of their own, which SPIN packs, arrays it does not. */
static void pml_bits(FILE *to, const char *name, int count)
{
    for (int i = 0; i < count; i++) fprintf(to, "bit %s%d;\n", name, i);
}

/* Only of tensor memory and maps. */
static void pml_seen(const pml *m, FILE *to)
{
    for (int i = 0; i < m->places_count; i++)
        for (int a = 0; a < m->agents_count; a++)
            if (m->places[i].space == PML_TMEM || m->places[i].space == PML_MAP)
                fprintf(to, "bit st%d, u%d;\n", i * m->agents_count + a, i * m->agents_count + a);
}

static void pml_barriers(pml_print *p, FILE *to)
{
    const zlay_pipe *pipe = p->m->pipe;
    int count = (int)pipe->blocks * p->bars;
    bool large = false;
    for (uint32_t i = 0; i < pipe->bars_count; i++) large |= pipe->bars[i].count >= 1 << 14;
    for (uint32_t i = 0; i < pipe->events_count; i++) large |= pipe->events[i].times >= 16;
    fprintf(to, "%s pe[%d];\nint tx[%d];\n", large ? "int" : "short", count + 1, count + 1);
    pml_bits(to, "ph", count);
}

/* What a launch leaves of a block's registers. */
static int64_t pml_registers_left(const zlay_pipe *pipe, int block)
{
    int64_t left = 65536;
    for (uint32_t i = 0; i < pipe->roles_count; i++) {
        const zl_role *r = &pipe->roles[i];
        if (r->cta == ZL_CTA_ALL || r->cta == block)
            left -= 32 * (int64_t)(r->last_warp - r->first_warp + 1) * pipe->registers;
    }
    return left;
}

static void pml_variables(pml_print *p, FILE *to)
{
    const pml *m = p->m;
    const zlay_pipe *pipe = m->pipe;
    int blocks = (int)pipe->blocks;
    int64_t threads = 0;
    for (int i = 0; i < m->agents_count; i++) threads += m->agents[i].threads;
    fprintf(to, "bit zero, ready;\nbyte v[%d];\n", m->pieces_count + 1);
    pml_bits(to, "o", m->bits);
    pml_bits(to, "g", m->pieces_count);
    pml_bits(to, "tk", m->pieces_count);
    pml_seen(m, to);
    pml_barriers(p, to);
    fprintf(to, "short sc[%d];\nint here = %lld;\n", p->meetings_count + 1, (long long)threads);
    pml_bits(to, "sg", p->meetings_count);
    pml_bits(to, "al", blocks * (int)pipe->tmems_count);
    pml_bits(to, "re", blocks);
    pml_bits(to, "gd", blocks);
    pml_bits(to, "up", blocks);
    fprintf(to, "short co[%d];\nbyte fl[%d];\n", blocks, 16 * (int)pipe->others_count + 1);
    fprintf(to, "short alive[%d];\nint rg[%d];\n", blocks, blocks);
    fprintf(to, "init { d_step {\n");
    for (int b = 0; b < blocks; b++)
        for (uint32_t i = 0; i < pipe->bars_count; i++)
            for (uint32_t s = 0; s < pipe->bars[i].stages; s++)
                fprintf(to, "  pe[%d] = %lld;\n", pml_bar(p, b, (int32_t)i, s),
                        (long long)pipe->bars[i].count);
    for (int b = 0; b < blocks; b++)
        fprintf(to, "  rg[%d] = %lld;\n", b, (long long)pml_registers_left(pipe, b));
    for (int i = 0; i < m->agents_count; i++)
        fprintf(to, "  alive[%d] = alive[%d] + 1;\n", m->agents[i].block, m->agents[i].block);
    fprintf(to, "  ready = 1 } }\n");
}

/* The model of m, which pml_open has filled. */
static void pml_write(FILE *to, pml *m)
{
    static pml_print p;
    memset(&p, 0, sizeof p);
    p.m = m;
    for (uint32_t b = 0; b < m->pipe->bars_count; b++) {
        p.bar_base[b] = p.bars;
        p.bars += (int)m->pipe->bars[b].stages;
    }
    char *body;
    size_t size;
    p.to = open_memstream(&body, &size);
    assert_non_null(p.to);
    pml_setup(&p);
    for (int i = 0; i < m->agents_count; i++) pml_process(&p, i);
    pml_lander(&p);
    fclose(p.to);
    pml_variables(&p, to);
    fwrite(body, 1, size, to);
    free(body);
}

#endif
