/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of a model: agents, what lands, the setup.
 *
 * A step is one transition: as much of its agent's program as makes no difference to anybody.  It
 * waits first, if at all (a wait, the other half of a meeting), and goes on to the next wait, but
 * another begins
 *   - before an access that may have begun when what is before it ended, for that has to be seen;
 *   - before the end of an access that began in it;
 *   - behind what tells others something (an arrival, a copy, a commit), unless what follows only
 *     begins something.
 * So wherever an agent could stand inside a step and a fault follow, one follows where it stands
 * before it: what it would have read is overwritten, or the phase that it would have seen is over,
 * for a wait knows the number of its phase.
 *
 * In a model of each event for itself a step ends behind every event that others may notice.
 *
 * A model of one late thing has more: processes have priorities, so there is one run, what lands lands
 * at once, and one step or landing, any, is held until nothing else can happen.  Each of its runs is a
 * run of the whole model; what two events in no order can do shows where one of them is held. */
#ifndef TEST_PROMELA_PROCESS_H
#define TEST_PROMELA_PROCESS_H

#include "pipes/promela-steps.h"

enum { PML_FIRST_PRIORITY = 10, PML_LANDS_PRIORITY = 100 };

/* ---- steps ---- */

/* The step that is being printed. */
typedef struct pml_chain {
    char guard[PML_GUARD]; /* what it waits for; "" nothing */
    bool lasts;            /* which stays so */
    bool printed;
    int first;             /* the op with which it began */
} pml_chain;

/* The number of something that can be held. */
static void pml_hold(pml_print *p, char guard[PML_GUARD])
{
    char text[32];
    if (p->how != PML_ONE_LATE) return;
    snprintf(text, sizeof text, "hold != %d", ++p->holds);
    pml_and(guard, text);
}

static void pml_print_guard(pml_print *p, pml_chain *c)
{
    if (c->printed) return;
    pml_hold(p, c->guard);
    fprintf(p->to, "  d_step {\n    %s;\n", *c->guard ? c->guard : "true");
    c->printed = true;
}

static void pml_chain_ends(pml_print *p, pml_chain *c)
{
    pml_print_guard(p, c);
    fprintf(p->to, "  }\n");
}

static bool pml_is_step(const pml_print *p, const pml_agent *a, const zl_event *e)
{
    return !pml_is_early(e) && !(pml_is_late(e) && !pml_is_joint(p->m, a, e)) &&
           !pml_is_ordinary(p->m, a, e);
}

/* Between a step and the next: early ops happen, and accesses may have begun. */
static void pml_turn(pml_print *p, const pml_agent *a, int k, pml_chain *c)
{
    for (; k < a->count; k++) {
        const zl_event *e = a->ops[k].event;
        if (pml_is_early(e) || pml_opens(e)) pml_print_guard(p, c);
        if (pml_is_early(e)) pml_effect(p, a, k);
        else if (pml_opens(e))
            for (int i = 0; i < a->ops[k].bits; i++)
                fprintf(p->to, "    o%d=1;\n", a->ops[k].bit + i);
        if (pml_is_step(p, a, e)) return;
    }
}

/* How many ops from k on make the next piece of a step: accesses, or one event that others notice. */
static int pml_piece_end(const pml_print *p, const pml_agent *a, int k)
{
    bool ordinary = false;
    for (; k < a->count; k++) {
        const zl_event *e = a->ops[k].event;
        bool mine = pml_is_ordinary(p->m, a, e), step = pml_is_step(p, a, e);
        if (ordinary && step) return k;
        ordinary |= mine;
        if (step) return k + 1;
    }
    return k;
}

static bool pml_is_ended_by(const pml_agent *a, int j, int i)
{
    const pml_op *op = &a->ops[j];
    return op->bits > 0 && !pml_is_tcgen05(op->event) && (op->done == i || op->written == i);
}

/* Whether others may do something because of it; a copy in flight is one that may have landed. */
static bool pml_tells(const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_ARRIVE:
    case ZL_EV_COPY:
    case ZL_EV_JOIN:
    case ZL_EV_RAISE:
    case ZL_EV_ALLOC:
    case ZL_EV_DEALLOC:
    case ZL_EV_RELINQUISH:
    case ZL_EV_SETMAXNREG:
    case ZL_EV_GRIDDEP: return true;
    case ZL_EV_COMMIT: return e->scope == ZL_GROUP_TCGEN05;
    default: return false;
    }
}

/* Whether it makes no difference that it comes at once behind what told others: it begins, and they
 * will see it under way, or it comes to a meeting that nobody can leave before. */
static bool pml_follows_telling(const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_COPY:
    case ZL_EV_MMA:
    case ZL_EV_TCP:
    case ZL_EV_STORE:
    case ZL_EV_REDUCE:
    case ZL_EV_CPASYNC:
    case ZL_EV_LOAD:
    case ZL_EV_SEND:
    case ZL_EV_FETCH:
    case ZL_EV_PUT:
    case ZL_EV_COMMIT:
    case ZL_EV_USE: return true;
    case ZL_EV_SYNC: return e->scope != ZL_SYNC_NAMED;
    default: return pml_is_early(e);
    }
}

/* Whether ops [k, end) go on with a step that began with op `first`: none of their accesses may have
 * begun before, and they end none that began in it. */
static bool pml_goes_on(const pml_agent *a, int k, int end, int first)
{
    bool told = false;
    for (int j = first; j < k; j++) told |= pml_tells(a->ops[j].event);
    for (int i = k; i < end; i++) {
        const zl_event *e = a->ops[i].event;
        if (pml_opens(e) || (told && !pml_follows_telling(e))) return false;
        told |= pml_tells(e);
        for (int j = first; j < i; j++)
            if (pml_is_ended_by(a, j, i)) return false;
    }
    return true;
}

static pml_chain pml_next_chain(const char *guard, bool lasts, int first)
{
    pml_chain c = {.lasts = lasts, .first = first};
    pml_and(c.guard, guard);
    return c;
}

/* Begins another step, unless ops [k, end) go on with this one. */
static void pml_chain_at(pml_print *p, const pml_agent *a, pml_chain *c, int k, int end)
{
    char guard[PML_GUARD] = "";
    pml_guard(p, a, &a->ops[end - 1], guard);
    bool apart = p->how == PML_EACH_EVENT;
    if (*guard && c->lasts && !c->printed && !apart) {
        pml_and(c->guard, guard);
        c->lasts = false;
    } else if (*guard || apart || !pml_goes_on(a, k, end, c->first)) {
        pml_chain_ends(p, c);
        *c = pml_next_chain(guard, false, k);
    }
}

/* The second half of a meeting.  Where all threads of an instance or a block have to come, the next
 * cannot be over before. */
static void pml_meets(pml_print *p, const pml_agent *a, pml_chain *c, int end, bool joint)
{
    char text[32];
    const zl_event *e = a->ops[end - 1].event;
    int w = joint ? pml_meeting_of(p, PML_MEET_JOINT, a->block, a->role_index, a->instance)
                  : pml_meeting_for(p, a, e);
    if (joint) {
        fprintf(p->to, "    my = sg%d;\n", w);
        pml_come(p, w, 1, 2, e->line);
    }
    pml_chain_ends(p, c);
    snprintf(text, sizeof text, "sg%d != %s", w,
             !joint && e->scope == ZL_SYNC_CLUSTER ? "mc" : "my");
    *c = pml_next_chain(text, joint || e->scope != ZL_SYNC_NAMED, end);
}

static void pml_step(pml_print *p, const pml_agent *a, pml_chain *c, int k, int end)
{
    const zl_event *e = a->ops[end - 1].event;
    bool joint = pml_is_joint(p->m, a, e);
    pml_chain_at(p, a, c, k, end);
    pml_print_guard(p, c);
    fprintf(p->to, "    /* line %u */\n", e->line);
    for (; k < end; k++)
        if (!pml_is_early(a->ops[k].event)) pml_effect(p, a, k);
    if (joint || (e->kind == ZL_EV_SYNC && !pml_is_warp_sync(e))) pml_meets(p, a, c, end, joint);
    pml_turn(p, a, end, c);
}

/* Sums of tensor memory are read; factors that were copied there are named by no product. */
static bool pml_is_read(const pml *m, int piece)
{
    int space = m->places[m->pieces[piece].place].space;
    bool sum = false;
    for (int i = 0; space == PML_TMEM && i < m->accesses_count; i++)
        sum |= m->accesses[i].piece == piece && pml_event(m, &m->accesses[i])->kind == ZL_EV_MMA;
    return space == PML_SMEM || sum;
}

/* No arrivals are left over in a phase that is not complete. */
static void pml_phases_end(pml_print *p, int block, uint32_t line)
{
    char text[48];
    const zlay_pipe *pipe = p->m->pipe;
    for (uint32_t i = 0; i < pipe->bars_count; i++)
        for (uint32_t s = 0; s < pipe->bars[i].stages; s++) {
            snprintf(text, sizeof text, "pe[%d] == %lld", pml_bar(p, block, (int32_t)i, s),
                     (long long)pipe->bars[i].count);
            pml_need(p, text, ZLAY_PIPE_COUNT, line);
        }
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
        if (at->block == block && pml_is_read(m, i)) pml_need(p, text, ZLAY_PIPE_EXIT, line);
    }
    for (int i = 0; i < (int)m->pipe->tmems_count; i++) {
        snprintf(text, sizeof text, "!al%d", block * (int)m->pipe->tmems_count + i);
        pml_need(p, text, ZLAY_PIPE_TMEM_LEAK, line);
    }
    for (int i = 0; i < p->bars; i++) {
        snprintf(text, sizeof text, "tx[%d] == 0", block * p->bars + i);
        pml_need(p, text, ZLAY_PIPE_BYTES, line);
    }
    pml_phases_end(p, block, line);
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

/* Whether its last word at the cluster's barrier is that it has come. */
static bool pml_has_joined(const pml_agent *a)
{
    for (int k = a->count; k-- > 0;) {
        const zl_event *e = a->ops[k].event;
        if (e->kind == ZL_EV_JOIN && e->scope == ZL_SYNC_CLUSTER) return true;
        if (e->kind == ZL_EV_MEET || (e->kind == ZL_EV_SYNC && e->scope == ZL_SYNC_CLUSTER))
            return false;
    }
    return false;
}

/* Who has come already and ends is counted once. */
static void pml_leaves_cluster(pml_print *p, const pml_agent *a)
{
    int w = pml_meeting_of(p, PML_MEET_CLUSTER, 0, 0, 0);
    fprintf(p->to, "    here = here - %lld;\n", (long long)a->threads);
    if (pml_has_joined(a))
        fprintf(p->to, "    if :: sg%d == mc -> sc[%d] = sc[%d] - %lld :: else fi;\n", w, w, w,
                (long long)a->threads);
    pml_come_to_cluster(p, 0);
}

static void pml_exits(pml_print *p, const pml_agent *a)
{
    fprintf(p->to, "    alive[%d] = alive[%d] - 1;\n", a->block, a->block);
    pml_alone_ends(p, a);
    pml_leaves_cluster(p, a);
    fprintf(p->to, "    if :: alive[%d] == 0 ->\n", a->block);
    pml_block_ends(p, a->block, a->role->line);
    pml_commits_end(p, a->block, a->role->line);
    fprintf(p->to, "    skip :: else fi;\n");
}

static void pml_process(pml_print *p, int agent)
{
    const pml_agent *a = &p->m->agents[agent];
    char up[16];
    snprintf(up, sizeof up, "up%d", a->block);
    pml_chain c = pml_next_chain(up, true, 0);
    fprintf(p->to, "active proctype a%d()", agent);
    if (p->how == PML_ONE_LATE) fprintf(p->to, " priority %d", PML_FIRST_PRIORITY + agent);
    fprintf(p->to, "\n{ bit my, mc; short mine = %u;\n", p->m->pipe->registers);
    pml_turn(p, a, 0, &c);
    for (int k = 0, end; k < a->count && (end = pml_piece_end(p, a, k)) > k; k = end)
        pml_step(p, a, &c, k, end);
    if (p->how == PML_EACH_EVENT) {
        pml_chain_ends(p, &c);
        c = pml_next_chain("", false, a->count);
    }
    pml_print_guard(p, &c);
    pml_exits(p, a);
    pml_chain_ends(p, &c);
    fprintf(p->to, "}\n");
}

/* ---- what lands ---- */

static void pml_lands(pml_print *p, int bit, const char *behind)
{
    char guard[PML_GUARD] = "", text[16];
    snprintf(text, sizeof text, "o%d", bit);
    pml_and(guard, text);
    pml_and(guard, behind);
    pml_hold(p, guard);
    fprintf(p->to, "  :: d_step { %s -> o%d=0;\n", guard, bit);
}

/* In another block a copy tells what its thread had waited for. */
static void pml_land_copy(pml_print *p, const pml_agent *a, int agent, int k)
{
    const pml_op *op = &a->ops[k];
    const zl_event *e = op->event;
    for (int i = 0; i < p->m->accesses_count; i++) {
        const pml_access *x = &p->m->accesses[i];
        char behind[PML_GUARD] = "";
        if (x->agent != agent || x->op != k || x->piece < 0) continue;
        int block = p->m->places[x->place].block;
        if (e->bar_cta >= 0) block = e->bar_cta;
        if (block != a->block) pml_told(p->m, a->block, agent, behind);
        pml_lands(p, x->bit, behind);
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
        pml_lands(p, bit, "");
        for (int j = 0; j < k; j++)
            if (pml_is_tcgen05(a->ops[j].event)) fprintf(p->to, "    o%d=0;\n", a->ops[j].bit);
        pml_alive(p, block, e->line);
        pml_arrive_at(p, pml_bar(p, block, e->bar, op->bar_q), 1, p->m->pipe->bars[e->bar].count,
                      e->line);
        fprintf(p->to, "  }\n");
        bit++;
    }
}

/* Late arrivals and stores in other blocks. */
static void pml_land_late(pml_print *p, const pml_agent *a, int k)
{
    const pml_op *op = &a->ops[k];
    const zl_event *e = op->event;
    uint32_t mask = pml_others_mask(p->m, a, e);
    for (int block = 0, bit = op->bit; block < (int)p->m->pipe->blocks; block++) {
        if (!(mask >> block & 1)) continue;
        pml_lands(p, bit++, "");
        pml_alive(p, block, e->line);
        if (e->kind == ZL_EV_ARRIVE)
            pml_arrive_at(p, pml_bar(p, block, e->bar, op->bar_q), a->weight[e->scope] * e->times,
                          p->m->pipe->bars[e->bar].count, e->line);
        fprintf(p->to, "  }\n");
    }
}

static void pml_lander(pml_print *p)
{
    const pml *m = p->m;
    fprintf(p->to, "active proctype lands()");
    if (p->how == PML_ONE_LATE) fprintf(p->to, " priority %d", PML_LANDS_PRIORITY);
    fprintf(p->to, "\n{\nend: do\n  :: d_step { zero -> skip }\n");
    for (int i = 0; i < m->agents_count; i++)
        for (int k = 0; k < m->agents[i].count; k++) {
            const zl_event *e = m->agents[i].ops[k].event;
            if (e->kind == ZL_EV_COPY) pml_land_copy(p, &m->agents[i], i, k);
            if (e->kind == ZL_EV_COMMIT && e->scope == ZL_GROUP_TCGEN05)
                pml_land_commit(p, &m->agents[i], k);
            if (m->agents[i].ops[k].late) pml_land_late(p, &m->agents[i], k);
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

static bool pml_is_cluster_sync(const zl_event *e)
{
    return e->kind == ZL_EV_SYNC && e->scope == ZL_SYNC_CLUSTER;
}

/* Allocations of a block's setup.  Both blocks of a pair allocate, so both have to run. */
static void pml_setup_allocs(pml_print *p, int block)
{
    const zlay_pipe *pipe = p->m->pipe;
    bool met = false;
    for (uint32_t i = 0; i < pipe->setup; i++) {
        const zl_event *e = &pipe->events[i];
        met |= pml_is_cluster_sync(e);
        if (e->kind == ZL_EV_ALLOC && pipe->tmems[e->tmem[0]].pair && !met)
            pml_fault(p, ZLAY_PIPE_PEER, e->line);
        if (e->kind == ZL_EV_ALLOC) pml_alloc(p, block, e, false);
        if (e->kind == ZL_EV_RELINQUISH) fprintf(p->to, "    re%d=1;\n", block);
    }
}

/* A block's setup; with a sync of the cluster all blocks are set up at once. */
static void pml_setup(pml_print *p)
{
    const zlay_pipe *pipe = p->m->pipe;
    bool together = pipe->blocks == 1, waits = false;
    for (uint32_t i = 0; i < pipe->setup; i++)
        together |= pml_is_cluster_sync(&pipe->events[i]);
    for (uint32_t i = 0; i < pipe->events_count; i++)
        waits |= pipe->events[i].kind == ZL_EV_GRIDDEP && pipe->events[i].scope == ZL_GRIDDEP_WAIT;
    for (int block = 0; block < (int)pipe->blocks; block++) {
        if (block == 0 || !together)
            fprintf(p->to, "active proctype setup%d()%s\n{ d_step {\n    (ready);\n", block,
                    p->how == PML_ONE_LATE ? " priority 150" : "");
        if (block == 0) pml_setup_inits(p);
        if (!waits) fprintf(p->to, "    gd=1;\n");
        pml_setup_allocs(p, block);
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
    for (int i = 0; i < count; i++) fprintf(to, "byte ph%d;\n", i);
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
    fprintf(to, "short sc[%d], sz[%d];\nbyte sn[%d];\nint here = %lld;\n", p->meetings_count + 1, p->meetings_count + 1,
            m->agents_count, (long long)threads);
    pml_bits(to, "sg", p->meetings_count);
    pml_bits(to, "al", blocks * (int)pipe->tmems_count);
    pml_bits(to, "re", blocks);
    fprintf(to, "bit gd;\n");
    pml_bits(to, "up", blocks);
    fprintf(to, "short co[%d];\nbyte fl[%d];\n", blocks, 16 * (int)pipe->others_count + 1);
    fprintf(to, "short alive[%d];\nint rg[%d];\n", blocks, blocks);
    if (p->how == PML_ONE_LATE) fprintf(to, "short hold;\n");
    fprintf(to, "init %s{ d_step {\n", p->how == PML_ONE_LATE ? "priority 200 " : "");
    for (int b = 0; b < blocks; b++)
        for (uint32_t i = 0; i < pipe->bars_count; i++)
            for (uint32_t s = 0; s < pipe->bars[i].stages; s++)
                fprintf(to, "  pe[%d] = %lld;\n", pml_bar(p, b, (int32_t)i, s),
                        (long long)pipe->bars[i].count);
    for (int i = 0; i < m->agents_count; i++)
        fprintf(to, "  alive[%d] = alive[%d] + 1;\n", m->agents[i].block, m->agents[i].block);
    fprintf(to, "  skip }\n");
    if (p->how == PML_ONE_LATE)
        fprintf(to, "  do :: break :: d_step { (hold < %d) -> hold++ } od;\n", p->holds);
    fprintf(to, "  ready = 1 }\n");
}

/* What is held goes on when nothing else can. */
static void pml_let_go(pml_print *p)
{
    if (p->how == PML_ONE_LATE)
        fprintf(p->to, "active proctype lets_go() priority 1\n"
                       "{\nend: do :: d_step { (ready && hold != 0) -> hold = 0 } od\n}\n");
}

/* The model of m, which pml_open has filled. */
static void pml_write(FILE *to, pml *m, int how)
{
    static pml_print p;
    memset(&p, 0, sizeof p);
    p.m = m;
    p.how = how;
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
    pml_let_go(&p);
    fclose(p.to);
    pml_variables(&p, to);
    fwrite(body, 1, size, to);
    free(body);
}

#endif
