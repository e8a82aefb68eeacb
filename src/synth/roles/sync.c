/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what orders an operation among roles and among the threads of its own: the wait where its role begins an epoch, the
 * arrival where it ends one, the bytes that copies bring, and meetings of the role's threads. */
#include "synth/roles/put.h"

/* ---- waits --------------------------------------------------------------------------------------- */

static bool in_tmem(const zl_tp *p, int32_t group) { return p->value[group].space == ZL_TP_TMEM; }

/* The barrier of the epoch before one: of the first of a loop that of the last, an iteration before it is filled again. Answers
 * whether there is a wait. */
static bool wait_put(const zl_tp_writer *w, int32_t group, uint32_t e, zl_tp_at at)
{
    const zl_tp_group *g = &w->p->group[group];
    const zl_tp_epoch *epoch = &g->epoch[e];
    char bar[96];
    bool again = epoch->section == ZL_TP_LOOP && e == g->first[ZL_TP_LOOP];
    if (!again && !e) return false;
    uint32_t from = again ? g->first[ZL_TP_AFTER] - 1 : e - 1;
    const zl_tp_epoch *before = &g->epoch[from];
    if (!before->stages || (again && from == e)) return false;
    bool once = before->section != ZL_TP_LOOP;
    zl_tp_at index = once ? zl_tp_number(0) : zl_tp_back(at, before->from);
    if (index.known && index.number < 0) return false;
    zl_tp_put_wait(w, zl_tp_bar(bar, w->p, group, from, false), index, before->stages, again);
    return true;
}

/* Behind the loop: for its last iteration. */
static bool last_put(const zl_tp_writer *w, int32_t group)
{
    const zl_tp_group *g = &w->p->group[group];
    const zl_tp_epoch *last = &g->epoch[g->first[ZL_TP_AFTER] - 1];
    char bar[96];
    if (!last->over && !last->stages) return false;
    if (last->over) zl_tp_put_wait(w, zl_tp_bar(bar, w->p, group, g->first[ZL_TP_AFTER] - 1, true), zl_tp_number(0), 1, false);
    else zl_tp_put_wait(w, zl_tp_bar(bar, w->p, group, g->first[ZL_TP_AFTER] - 1, false), (zl_tp_at){.base = ZL_AT_END, .add = -1 - (int64_t)last->from}, last->stages, false);
    return true;
}

/* The epoch of an operation's group; each epoch once, though several operands are of the group. */
static uint32_t epoch_of(const zl_tp *p, uint32_t op, uint32_t operand, int32_t *group)
{
    const zl_tp_op *o = &p->op[op];
    *group = p->value[o->operand[operand].value].group;
    const zl_tp_group *g = &p->group[*group];
    for (uint32_t i = 0; i < operand; i++)
        if (p->value[o->operand[i].value].group == *group) return ZL_TP_EPOCHS;
    for (uint32_t e = 0; e < g->epochs; e++)
        if (zl_tp_has(&g->epoch[e].ops, op)) return e;
    return ZL_TP_EPOCHS;
}

/* The bytes of all copies of the epoch are expected before the first of them. */
static void expect_put(const zl_tp_writer *w, int32_t group, uint32_t e, zl_tp_at at)
{
    const zl_tp *p = w->p;
    const zl_tp_epoch *epoch = &p->group[group].epoch[e];
    zl_tp_at index = epoch->section == ZL_TP_LOOP ? zl_tp_back(at, epoch->from) : zl_tp_number(0);
    char bar[96];
    bool more = false;
    zl_tp_bar(bar, p, group, e, false);
    zl_putf(w->out, "%sexpect %s", w->indent, bar);
    zl_tp_put_slot(w, index, epoch->stages);
    for (uint32_t o = 0; o < p->ops; o++) {
        if (!zl_tp_has(&epoch->ops, o)) continue;
        zl_putf(w->out, "%s%.*s", more ? " + " : " ", (int)p->op[o].tail.length, p->op[o].tail.text);
        more = true;
    }
    zl_putf(w->out, "\n%sarrive %s", w->indent, bar);
    zl_tp_put_slot(w, index, epoch->stages);
    zl_puts(w->out, "\n");
}

static void waits_put(const zl_tp_writer *w, uint32_t op, zl_tp_at at)
{
    const zl_tp *p = w->p;
    bool tmem = false;
    int32_t group;
    for (uint32_t i = 0; i < p->op[op].operands; i++) {
        uint32_t e = epoch_of(p, op, i, &group);
        if (e == ZL_TP_EPOCHS || zl_tp_edge(p, &p->group[group].epoch[e], w->role, false) != (int32_t)op) continue;
        const zl_tp_group *g = &p->group[group];
        bool behind = g->epoch[e].section == ZL_TP_AFTER && e == g->first[ZL_TP_AFTER] && g->first[ZL_TP_AFTER] > g->first[ZL_TP_LOOP];
        bool waited = behind ? last_put(w, group) : wait_put(w, group, e, at);
        tmem |= waited && in_tmem(p, group);
        if (p->op[op].kind == ZL_TP_COPY) expect_put(w, group, e, at);
    }
    if (tmem) zl_putf(w->out, "%sfence tcgen05.after\n", w->indent);
}

/* ---- arrivals ------------------------------------------------------------------------------------ */

/* Whether the next roles read by the async proxy. */
static bool async_reads(const zl_tp *p, const zl_tp_group *g, uint32_t e)
{
    if (e + 1 == g->epochs) return false;
    for (uint32_t o = 0; o < p->ops; o++)
        if (zl_tp_has(&g->epoch[e + 1].ops, o) && (p->op[o].kind == ZL_TP_MMA || p->op[o].kind == ZL_TP_STORE)) return true;
    return false;
}

static bool stores(const zl_tp *p, const zl_tp_epoch *e, uint32_t role)
{
    for (uint32_t o = 0; o < p->ops; o++)
        if (zl_tp_has(&e->ops, o) && p->op[o].kind == ZL_TP_STORE && p->op[o].role == (int32_t)role) return true;
    return false;
}

/* The thread that stored waits until the stage is read. Where it does not arrive itself, the threads meet before one of them lets the
 * next round begin; in a loop all of them have then looked at this round's barrier, too. */
static void stored_put(const zl_tp_writer *w, const zl_tp_epoch *epoch, bool threads)
{
    bool computes = w->p->role[w->role].kind == ZL_TP_COMPUTES;
    if (!stores(w->p, epoch, w->role)) return;
    zl_putf(w->out, "%swaitgroup bulk.read 0\n", w->indent);
    if (!threads && (computes || epoch->section == ZL_TP_LOOP)) zl_putf(w->out, "%ssync role\n", w->indent);
}

static void arrival_put(zl_tp_writer *w, int32_t group, uint32_t e, bool over, zl_tp_at index)
{
    const zl_tp *p = w->p;
    const zl_tp_group *g = &p->group[group];
    const zl_tp_epoch *epoch = &g->epoch[e];
    char bar[96];
    bool threads = zl_tp_by_threads(p, epoch, w->role), computes = p->role[w->role].kind == ZL_TP_COMPUTES;
    if (in_tmem(p, group) && computes) zl_putf(w->out, "%sfence tcgen05.before\n", w->indent);
    if (threads && async_reads(p, g, e)) zl_putf(w->out, "%sfence proxy.async\n", w->indent);
    stored_put(w, epoch, threads);
    zl_putf(w->out, p->role[w->role].kind == ZL_TP_PRODUCTS ? "%scommit tcgen05 signal %s" : "%sarrive %s", w->indent, zl_tp_bar(bar, p, group, e, over));
    zl_tp_put_slot(w, index, over ? 1 : epoch->stages);
    zl_puts(w->out, !computes ? "\n" : threads ? " threads\n" : " warps\n");
}

static void arrivals_put(zl_tp_writer *w, uint32_t op, zl_tp_at at)
{
    const zl_tp *p = w->p;
    int32_t group;
    if (p->op[op].kind == ZL_TP_COPY) return;
    for (uint32_t i = 0; i < p->op[op].operands; i++) {
        uint32_t e = epoch_of(p, op, i, &group);
        const zl_tp_epoch *epoch = e == ZL_TP_EPOCHS ? NULL : &p->group[group].epoch[e];
        if (!epoch || !epoch->stages || zl_tp_edge(p, epoch, w->role, true) != (int32_t)op) continue;
        arrival_put(w, group, e, false, epoch->section == ZL_TP_LOOP ? zl_tp_back(at, epoch->from) : zl_tp_number(0));
    }
}

/* ---- the role's own threads ------------------------------------------------------------------------ */

/* Stores that may still read when an iteration writes its stage of a ring: those of the other stages, where the role stores nothing else. */
static uint32_t stores_open(const zl_tp_writer *w, const zl_tp_op *op, int32_t value)
{
    const zl_tp *p = w->p;
    const zl_tp_group *g = &p->group[p->value[value].group];
    uint32_t stores = 0;
    for (uint32_t o = 0; o < p->ops; o++)
        stores += p->op[o].kind == ZL_TP_STORE && p->op[o].role == (int32_t)w->role && p->op[o].section != ZL_TP_AFTER;
    return op->section == ZL_TP_LOOP && g->ring && stores == 1 ? g->depth - 1 : 0;
}

static void hold(zl_tp_writer *w, const zl_tp_op *op, int32_t value)
{
    const uint32_t was = w->held[value];
    bool async = op->kind == ZL_TP_STORE || op->kind == ZL_TP_MMA, writes = op->kind == ZL_TP_WRITE;
    if (w->p->role[w->role].kind != ZL_TP_COMPUTES) return;
    if (was & ZL_HELD_STORED && writes) zl_putf(w->out, "%swaitgroup bulk.read %u\n", w->indent, stores_open(w, op, value));
    if (was & ZL_HELD_WRITTEN && async) zl_putf(w->out, "%sfence proxy.async\n", w->indent);
    if (writes ? was & (ZL_HELD_READ | ZL_HELD_STORED) : was & ZL_HELD_WRITTEN) zl_putf(w->out, "%ssync role\n", w->indent);
    if (writes) w->held[value] = ZL_HELD_WRITTEN;
    else if (op->kind == ZL_TP_STORE) w->held[value] = ZL_HELD_STORED;
    else if (op->kind == ZL_TP_USE) w->held[value] = ZL_HELD_READ;
}

void zl_tp_put_op(zl_tp_writer *w, int32_t op, zl_tp_at at)
{
    const zl_tp_op *o = &w->p->op[op];
    bool ends = o->kind == ZL_TP_MMA && !w->p->tmem;
    const size_t begin = w->out->need;
    waits_put(w, (uint32_t)op, at);
    for (uint32_t i = 0; i < o->operands; i++)
        if (w->p->value[o->operand[i].value].space == ZL_TP_SHARED) hold(w, o, o->operand[i].value);
    zl_tp_put_event(w, o, at);
    if (ends && o->section != ZL_TP_LOOP) zl_putf(w->out, "%swaitgroup wgmma 0\n", w->indent);
    if (!ends || o->section != ZL_TP_LOOP) arrivals_put(w, (uint32_t)op, at);
    zl_tp_wrote(w->found, w->out, begin, o->line);
}

void zl_tp_put_done(zl_tp_writer *w, const zl_tp_item *item, uint32_t segment, zl_tp_at at)
{
    const size_t begin = w->out->need;
    zl_putf(w->out, "%swaitgroup wgmma %u\n", w->indent, item->open[segment]);
    arrivals_put(w, (uint32_t)item->op, at);
    zl_tp_wrote(w->found, w->out, begin, w->p->op[item->op].line);
}

/* When its loop is over a role arrives where another one waits for all iterations. */
void zl_tp_put_over(zl_tp_writer *w)
{
    const zl_tp *p = w->p;
    for (uint32_t v = 0; v < p->values; v++) {
        const zl_tp_group *g = &p->group[v];
        uint32_t e = g->first[ZL_TP_AFTER];
        if (e > g->first[ZL_TP_LOOP] && g->epoch[e - 1].over && g->epoch[e - 1].roles >> w->role & 1)
            arrival_put(w, (int32_t)v, e - 1, true, zl_tp_number(0));
    }
}

/* Before the loop a role waits once for what it reads there and another role gave a value. */
void zl_tp_put_begin(zl_tp_writer *w)
{
    const zl_tp *p = w->p;
    bool tmem = false;
    for (uint32_t v = 0; v < p->values; v++) {
        const zl_tp_group *g = &p->group[v];
        char bar[96];
        uint32_t e = g->first[ZL_TP_LOOP];
        if (!e || e == g->first[ZL_TP_AFTER] || !(g->epoch[e].roles >> w->role & 1) || !g->epoch[e - 1].stages) continue;
        zl_tp_put_wait(w, zl_tp_bar(bar, p, (int32_t)v, e - 1, false), zl_tp_number(0), 1, false);
        tmem |= in_tmem(p, (int32_t)v);
    }
    if (tmem) zl_putf(w->out, "%sfence tcgen05.after\n", w->indent);
}

/* Commits of products may arrive when no wait is left: before the block ends a role waits for the last ones. */
void zl_tp_put_drain(const zl_tp_writer *w)
{
    const zl_tp *p = w->p;
    for (uint32_t v = 0; v < p->values; v++) {
        const zl_tp_group *g = &p->group[v];
        uint32_t first = g->first[ZL_TP_LOOP], after = g->first[ZL_TP_AFTER];
        char bar[96];
        if (after == first) continue;
        const zl_tp_epoch *last = &g->epoch[after - 1];
        bool commits = false, waited = g->epochs > after && !last->over;
        for (uint32_t r = 0; r < p->roles; r++) commits |= (last->roles >> r & 1) && p->role[r].kind == ZL_TP_PRODUCTS;
        if (!commits || waited || !last->stages || !(g->epoch[first].roles >> w->role & 1)) continue;
        zl_tp_at from = {.base = ZL_AT_END, .add = -(int64_t)last->from}, to = {.base = ZL_AT_END, .add = (int64_t)last->stages - last->from};
        zl_putf(w->out, "  for j in %s", p->param);
        if (from.add) zl_putf(w->out, "%+lld", (long long)from.add);
        zl_putf(w->out, "..%s", p->param);
        if (to.add) zl_putf(w->out, "%+lld", (long long)to.add);
        zl_putf(w->out, "\n    wait %s[j %% %u] parity (j / %u + 1) %% 2\n  end\n", zl_tp_bar(bar, p, (int32_t)v, after - 1, false), last->stages, last->stages);
    }
}
