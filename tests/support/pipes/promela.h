/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a pipe as a model in Promela, for given trip counts: a process an agent, and one that lets
 * copies land and commits arrive in any order.  It is written from the words of docs/pipe.md and
 * shares with src/pipe what the parser gives.
 *
 * What only ends the agent's own work (commits, waits for groups, fence proxy.async, fence
 * tcgen05.before) happens as late as it can, what takes notice of others (fence tcgen05.after, fence
 * proxy.tensormap) as early as it can.  An arrival in another block that nothing behind it in its
 * thread tells of may happen when the thread has ended.
 *
 *   oB   the access of bit B may happen            v[P]  what a piece of a stage holds, 0 nothing
 *   gP   threads wrote it, without a fence         tkP   it has been read
 *   pe tx ph   pending arrivals, bytes, which phase
 *   sc sg      threads that met, and how often, modulo 2
 *   stL  somebody used tensor memory since this agent's last fence tcgen05.after
 *   uL   this agent used it since its last fence tcgen05.before
 *
 * A broken rule is an assertion with a number, rule * 8192 + line; a deadlock an invalid end. */
#ifndef TEST_PROMELA_H
#define TEST_PROMELA_H

#include "pipes/promela-program.h"

#include <stdio.h>

enum { PML_CODE = 8192, PML_MEETINGS = 96, PML_GUARD = 1024 };

/* All runs; those with one late thing; all, in as many steps as there are events. */
enum { PML_ALL, PML_ONE_LATE, PML_EACH_EVENT };

typedef struct pml_meeting { int sort, block, a, b; } pml_meeting;

typedef struct pml_print {
    pml *m;
    FILE *to;
    int bars, bar_base[64];
    pml_meeting meetings[PML_MEETINGS];
    int meetings_count;
    int how;   /* PML_ALL ..: promela-process.h */
    int holds; /* of PML_ONE_LATE: so many may be late */
} pml_print;

enum { PML_MEET_ROLE, PML_MEET_JOINT, PML_MEET_CTA, PML_MEET_NAMED, PML_MEET_CLUSTER };

static void pml_need(pml_print *p, const char *what, int rule, uint32_t line)
{
    fprintf(p->to, "    assert((%s) || zero == %d);\n", what, rule * PML_CODE + (int)line);
}

static void pml_fault(pml_print *p, int rule, uint32_t line) { pml_need(p, "false", rule, line); }

static int pml_bar(const pml_print *p, int block, int32_t bar, int64_t q)
{
    return block * p->bars + p->bar_base[bar] + pml_slot(q, p->m->pipe->bars[bar].stages);
}

static int pml_meeting_of(pml_print *p, int sort, int block, int a, int b)
{
    pml_meeting w = {sort, block, a, b};
    for (int i = 0; i < p->meetings_count; i++)
        if (!memcmp(&p->meetings[i], &w, sizeof w)) return i;
    assert_true(p->meetings_count < PML_MEETINGS);
    p->meetings[p->meetings_count] = w;
    return p->meetings_count++;
}

/* ---- conflicts and contents ---- */

static bool pml_same_instance(const pml *m, int a, int b)
{
    const pml_agent *x = &m->agents[a], *y = &m->agents[b];
    return x->block == y->block && x->role_index == y->role_index && x->instance == y->instance;
}

static const zl_event *pml_event(const pml *m, const pml_access *x)
{
    return m->agents[x->agent].ops[x->op].event;
}

static bool pml_is_columns(const zl_event *e)
{
    return e->kind == ZL_EV_TLD || e->kind == ZL_EV_TST;
}

static bool pml_conflicts(const pml *m, const pml_access *x, const pml_access *y)
{
    const zl_event *ex = pml_event(m, x), *ey = pml_event(m, y);
    if (x->place != y->place || (x->piece < 0 && y->piece < 0)) return false;
    if (x->agent == y->agent && x->op == y->op) return false;
    if (x->piece >= 0 && y->piece >= 0 && x->piece != y->piece) return false;
    if (pml_is_columns(ex) && pml_is_columns(ey) && pml_same_instance(m, x->agent, y->agent))
        return false;
    if (pml_in_queue(m, x->agent, ex, y->agent, ey)) return false;
    if (x->agent != y->agent) return true;
    if (pml_is_tcgen05(ex) && pml_is_tcgen05(ey)) return false;
    if (ex->kind == ZL_EV_CPASYNC && ey->kind == ZL_EV_CPASYNC) return x->value != y->value;
    return y->async || ey->kind == ZL_EV_CPASYNC;
}

static int pml_conflict_rule(const pml *m, const pml_access *x)
{
    int space = m->places[x->place].space;
    if (space == PML_TMEM) return ZLAY_PIPE_TMEM_USE;
    if (space == PML_MAP) return ZLAY_PIPE_MAP;
    return x->piece >= 0 ? ZLAY_PIPE_OVERWRITE : ZLAY_PIPE_READ_BEFORE_FULL;
}

static void pml_check_conflicts(pml_print *p, const pml_access *x)
{
    const pml *m = p->m;
    bool any = false;
    for (int i = 0; i < m->accesses_count; i++) {
        if (!pml_conflicts(m, x, &m->accesses[i])) continue;
        fprintf(p->to, any ? "||o%d" : "    assert(!(o%d", m->accesses[i].bit);
        any = true;
    }
    if (any)
        fprintf(p->to, ") || zero == %d);\n",
                pml_conflict_rule(m, x) * PML_CODE + (int)pml_event(m, x)->line);
}

/* A part that no text fills, or the only one and another. */
static void pml_check_part(pml_print *p, const pml_access *x)
{
    const pml *m = p->m;
    const zl_event *e = pml_event(m, x);
    int parts[2] = {-1, -1};
    bool found = false;
    bool whole = e->kind == ZL_EV_MMA || e->kind == ZL_EV_TCP;
    if (whole || m->places[x->place].space != PML_SMEM || m->own[m->places[x->place].index]) return;
    for (int i = 0; i < m->pieces_count; i++) {
        if (m->pieces[i].place != x->place) continue;
        found |= m->pieces[i].part == e->part;
        if (parts[0] >= 0 && parts[0] != m->pieces[i].part) parts[1] = m->pieces[i].part;
        else parts[0] = m->pieces[i].part;
    }
    if (!found && (e->part || parts[1] < 0)) pml_fault(p, ZLAY_PIPE_STAGE, e->line);
}

/* The bytes that fill a piece with what is to be read. */
static int64_t pml_filled(const pml *m, int piece, int64_t value)
{
    int64_t bytes = m->pieces[piece].bytes;
    for (int i = 0; i < m->accesses_count; i++) {
        const pml_access *x = &m->accesses[i];
        if (x->piece == piece && x->value == value)
            bytes = pml_bytes(m, &m->agents[x->agent].ops[x->op], x->place);
    }
    return bytes;
}

/* The pieces of a stage are all of it. */
static void pml_check_whole(pml_print *p, const pml_access *x)
{
    const pml *m = p->m;
    int64_t sum = 0;
    if (m->places[x->place].space != PML_SMEM || m->own[m->places[x->place].index]) return;
    for (int i = 0; i < m->pieces_count; i++) {
        const pml_piece *piece = &m->pieces[i];
        if (piece->place == x->place && (piece->agent < 0 || m->agents[piece->agent].part == 0))
            sum += pml_filled(m, i, x->value);
    }
    if (sum != m->pipe->smems[m->places[x->place].index].bytes)
        pml_fault(p, ZLAY_PIPE_STAGE, pml_event(m, x)->line);
}

static void pml_check_content(pml_print *p, const pml_access *x)
{
    const pml *m = p->m;
    const zl_event *e = pml_event(m, x);
    int space = m->places[x->place].space, found = 0;
    int rule = space == PML_SMEM ? ZLAY_PIPE_READ_BEFORE_FULL : space == PML_MAP ? ZLAY_PIPE_MAP
             : space == PML_TMEM ? ZLAY_PIPE_TMEM_USE : ZLAY_PIPE_READ_BEFORE_FULL;
    char text[64];
    pml_check_part(p, x);
    pml_check_whole(p, x);
    for (int i = 0; i < m->pieces_count; i++) {
        if (m->pieces[i].place != x->place) continue;
        found++;
        snprintf(text, sizeof text, "v[%d]==%d", i, (int)x->value);
        pml_need(p, text, rule, e->line);
        if (space == PML_SMEM || space == PML_TMEM) fprintf(p->to, "    tk%d=1;\n", i);
        if (m->pieces[i].agent < 0 || !x->async || space != PML_SMEM) continue;
        snprintf(text, sizeof text, "!g%d", i);
        pml_need(p, text, ZLAY_PIPE_PROXY, e->line);
    }
    if (!found && (space == PML_SMEM || space == PML_TMEM)) pml_fault(p, rule, e->line);
}

static void pml_check_overwritten(pml_print *p, const pml_access *x)
{
    const pml *m = p->m;
    char text[32];
    for (int i = 0; x->async && i < m->pieces_count; i++) {
        if (m->pieces[i].place != x->place || m->pieces[i].agent < 0) continue;
        if (m->places[x->place].space != PML_SMEM) continue;
        snprintf(text, sizeof text, "!g%d", i);
        pml_need(p, text, ZLAY_PIPE_PROXY, pml_event(m, x)->line);
    }
}

/* ---- tensor memory and maps, as agents see them ---- */

static bool pml_uses(const pml *m, int agent, int place, bool *writes)
{
    bool any = false;
    *writes = false;
    for (int i = 0; i < m->accesses_count; i++) {
        const pml_access *x = &m->accesses[i];
        if (x->agent != agent || x->place != place) continue;
        any = true;
        *writes |= x->piece >= 0;
    }
    return any;
}

/* Of agents that use the place another way: what x did they have not fenced against. */
static void pml_unseen(pml_print *p, const pml_access *x)
{
    const pml *m = p->m;
    bool columns = pml_is_columns(pml_event(m, x)), map = m->places[x->place].space == PML_MAP;
    for (int b = 0; b < m->agents_count; b++) {
        bool writes;
        if (!pml_uses(m, b, x->place, &writes)) continue;
        if (b == x->agent && !map) continue;
        if (columns && pml_same_instance(m, x->agent, b)) continue;
        if (x->piece >= 0 || writes)
            fprintf(p->to, "    st%d=1;\n", x->place * m->agents_count + b);
    }
    if (columns) fprintf(p->to, "    u%d=1;\n", x->place * m->agents_count + x->agent);
}

static void pml_check_seen(pml_print *p, const pml_access *x)
{
    char text[32];
    bool map = p->m->places[x->place].space == PML_MAP;
    snprintf(text, sizeof text, "!st%d", x->place * p->m->agents_count + x->agent);
    pml_need(p, text, map ? ZLAY_PIPE_MAP : ZLAY_PIPE_TCGEN05, pml_event(p->m, x)->line);
}

static void pml_fence_after(pml_print *p, int agent)
{
    const pml *m = p->m;
    for (int place = 0; place < m->places_count; place++) {
        bool writes;
        if (m->places[place].space != PML_TMEM || !pml_uses(m, agent, place, &writes)) continue;
        fprintf(p->to, "    if :: (true");
        for (int i = 0; i < m->accesses_count; i++)
            if (m->accesses[i].place == place && m->accesses[i].agent != agent &&
                pml_is_tcgen05(pml_event(m, &m->accesses[i])))
                fprintf(p->to, "&&!o%d", m->accesses[i].bit);
        for (int a = 0; a < m->agents_count; a++)
            if (!pml_same_instance(m, a, agent) && pml_uses(m, a, place, &writes))
                fprintf(p->to, "&&!u%d", place * m->agents_count + a);
        fprintf(p->to, ") -> st%d=0 :: else fi;\n", place * m->agents_count + agent);
    }
}

static void pml_fence_before(pml_print *p, int agent, int k)
{
    const pml *m = p->m;
    for (int place = 0; place < m->places_count; place++) {
        bool any = false, open = false;
        for (int i = 0; i < m->accesses_count; i++) {
            const pml_access *x = &m->accesses[i];
            if (x->agent != agent || x->place != place || !pml_is_columns(pml_event(m, x)))
                continue;
            if (x->op < k) any = true;
            if (x->op < k && m->agents[agent].ops[x->op].done > k) open = true;
        }
        if (any && !open) fprintf(p->to, "    u%d=0;\n", place * m->agents_count + agent);
    }
}

static void pml_fence_tensormap(pml_print *p, int agent)
{
    for (int place = 0; place < p->m->places_count; place++)
        if (p->m->places[place].space == PML_MAP)
            fprintf(p->to, "    st%d=0;\n", place * p->m->agents_count + agent);
}

/* ---- accesses begin and end ---- */

static void pml_fill(pml_print *p, const pml_access *x, bool threads)
{
    if (x->piece < 0) return;
    fprintf(p->to, "    v[%d]=%d; tk%d=0;", x->piece, (int)x->value, x->piece);
    if (threads && p->m->places[x->place].space == PML_SMEM) fprintf(p->to, " g%d=1;", x->piece);
    fprintf(p->to, "\n");
}

/* An access at its event: asynchronous ones begin, others happen.  Threads may write again what they
 * wrote, where they say how much; what is written whole is new each time. */
static void pml_access_now(pml_print *p, const pml_access *x)
{
    const pml *m = p->m;
    const zl_event *e = pml_event(m, x);
    int space = m->places[x->place].space;
    bool sums = e->kind == ZL_EV_MMA && x->piece >= 0;
    pml_check_conflicts(p, x);
    if (x->value < 1) pml_fault(p, ZLAY_PIPE_STAGE, e->line);
    if (x->piece < 0 || (sums && !e->fresh)) pml_check_content(p, x);
    else pml_check_overwritten(p, x);
    if (space == PML_TMEM || (space == PML_MAP && x->piece < 0)) pml_check_seen(p, x);
    if (space == PML_TMEM || (space == PML_MAP && x->piece >= 0)) pml_unseen(p, x);
    if (space == PML_TMEM) {
        char text[32];
        snprintf(text, sizeof text, "al%d",
                 m->places[x->place].block * (int)m->pipe->tmems_count + m->places[x->place].index);
        pml_need(p, text, ZLAY_PIPE_TMEM_USE, e->line);
    }
    if (space == PML_TMEM && sums && e->fresh) {
        char text[32];
        snprintf(text, sizeof text, "v[%d]==0||tk%d", x->piece, x->piece);
        pml_need(p, text, ZLAY_PIPE_STAGE, e->line);
    }
    if (x->piece >= 0 && space == PML_SMEM) {
        char text[64];
        bool again = e->kind != ZL_EV_COPY && e->count;
        snprintf(text, sizeof text, "v[%d]==0||tk%d||v[%d]==%d", x->piece, x->piece, x->piece,
                 again ? (int)x->value : 0);
        pml_need(p, text, ZLAY_PIPE_STAGE, e->line);
    }
    bool flies = e->kind == ZL_EV_COPY || e->kind == ZL_EV_CPASYNC || e->kind == ZL_EV_STORE ||
                 e->kind == ZL_EV_REDUCE;
    if (flies && x->piece >= 0) fprintf(p->to, "    v[%d]=0;\n", x->piece);
    else pml_fill(p, x, !x->async);
    if (x->async || flies) fprintf(p->to, "    o%d=1;\n", x->bit);
    else if (!pml_is_columns(e) && !m->agents[x->agent].ops[x->op].late) fprintf(p->to, "    o%d=0;\n", x->bit);
}

static void pml_accesses_now(pml_print *p, int agent, int k)
{
    for (int i = 0; i < p->m->accesses_count; i++)
        if (p->m->accesses[i].agent == agent && p->m->accesses[i].op == k)
            pml_access_now(p, &p->m->accesses[i]);
}

/* What op k, a wait, ends. */
static void pml_end_by(pml_print *p, int agent, int k)
{
    const pml *m = p->m;
    for (int i = 0; i < m->accesses_count; i++) {
        const pml_access *x = &m->accesses[i];
        if (x->agent != agent || x->op >= k) continue;
        const pml_op *op = &m->agents[agent].ops[x->op];
        bool bulk = pml_group(op->event) == ZL_GROUP_BULK;
        bool second = bulk && x->bit != op->bit;
        if ((second ? op->written : op->done) != k || pml_is_tcgen05(op->event)) continue;
        fprintf(p->to, "    o%d=0;\n", x->bit);
        if (bulk || op->event->kind == ZL_EV_CPASYNC)
            pml_fill(p, x, op->event->kind == ZL_EV_CPASYNC);
    }
}

/* What threads of the agent wrote before op k is seen by the async proxy. */
static void pml_fence_proxy(pml_print *p, int agent, int k)
{
    const pml *m = p->m;
    for (int i = 0; i < m->pieces_count; i++) {
        bool wrote = false;
        for (int j = 0; j < m->accesses_count; j++) {
            const pml_access *x = &m->accesses[j];
            wrote |= x->piece == i && x->agent == agent && m->agents[agent].ops[x->op].done < k;
        }
        if (wrote && m->pieces[i].agent == agent && m->places[m->pieces[i].place].space == PML_SMEM)
            fprintf(p->to, "    g%d=0;\n", i);
    }
}

#include "pipes/promela-process.h"

#endif
