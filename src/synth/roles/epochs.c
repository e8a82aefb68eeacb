/* SPDX-License-Identifier: Apache-2.0 */
/* Where roles wait for each other. The accesses of a value in the program's order are parted into epochs: accesses of one role, or
 * reads of several. Between two epochs of different roles stands an mbarrier, at which the roles of the first arrive; behind the
 * last epoch of an iteration the first one waits that fills the same stage again. A value that an iteration fills anew is a ring of
 * as many stages as intervals pass from its first access to the end of its last. Values that copies fill and the same operations
 * read share barriers. */
#include "synth/roles/roles.h"

#include <string.h>
#include "target/target.h"

/* ---- groups -------------------------------------------------------------------------------------- */

/* What accesses a value besides copies; answers false where something else writes it, or copies of several sections. */
static bool readers(const zl_tp *p, uint32_t value, zl_tp_set *set, int32_t *section)
{
    *section = -1;
    for (uint32_t o = 0; o < p->ops; o++) {
        uint32_t access = zl_tp_access(&p->op[o], (int32_t)value);
        if (!access) continue;
        if (p->op[o].kind != ZL_TP_COPY) {
            if (access & ZL_TP_WRITES) return false;
            zl_tp_add(set, o);
            continue;
        }
        if (*section >= 0 && *section != p->op[o].section) return false;
        *section = p->op[o].section;
    }
    return *section >= 0;
}

static void groups_find(zl_tp *p)
{
    for (uint32_t v = 0; v < p->values; v++)
        for (uint32_t w = 0; w < v && p->value[v].group == (int32_t)v; w++) {
            const zl_tp_value *a = &p->value[v], *b = &p->value[w];
            zl_tp_set of_a = {{0}}, of_b = {{0}};
            int32_t one, other;
            if (a->space != ZL_TP_SHARED || b->space != ZL_TP_SHARED || a->each != b->each || a->most != b->most || b->group != (int32_t)w) continue;
            if (readers(p, v, &of_a, &one) && readers(p, w, &of_b, &other) && one == other && zl_tp_same(&of_a, &of_b)) p->value[v].group = (int32_t)w;
        }
}

static uint32_t access_of(const zl_tp *p, const zl_tp_op *op, int32_t group)
{
    uint32_t access = 0;
    for (uint32_t i = 0; i < op->operands; i++)
        if (p->value[op->operand[i].value].group == group) access |= op->operand[i].access;
    return access;
}

/* ---- epochs -------------------------------------------------------------------------------------- */

static const char *name_of(const zl_tp *p, int32_t group) { return p->value[group].name; }

static bool joins(const zl_tp_epoch *e, const zl_tp_op *op, uint32_t access)
{
    return e->roles == 1u << op->role || (!e->writes && !(access & ZL_TP_WRITES));
}

static zlay_status access_add(zl_tp *p, int32_t group, uint32_t o, uint32_t access)
{
    zl_tp_group *g = &p->group[group];
    const zl_tp_op *op = &p->op[o];
    zl_tp_epoch *e = g->epochs > g->first[op->section] ? &g->epoch[g->epochs - 1] : NULL;
    if (!e || !joins(e, op, access)) {
        if (g->epochs == ZL_TP_EPOCHS) return zl_fail(p->ctx, ZLAY_ELIMIT, "line %u: the role of '%s' changes more than %d times", op->line, name_of(p, group), ZL_TP_EPOCHS);
        e = &g->epoch[g->epochs++];
        *e = (zl_tp_epoch){.section = op->section, .from = op->from};
    }
    if (e->from != op->from) return zl_fail(p->ctx, ZLAY_ENOTSUP, "line %u: it accesses '%s' from another iteration on than what stands before", op->line, name_of(p, group));
    zl_tp_add(&e->ops, o);
    e->roles |= 1u << op->role;
    e->writes |= (access & ZL_TP_WRITES) != 0;
    return ZLAY_OK;
}

static zlay_status accesses_add(zl_tp *p, int32_t group)
{
    zl_tp_group *g = &p->group[group];
    zlay_status status = ZLAY_OK;
    for (int32_t section = 0; section < ZL_TP_SECTIONS; section++) {
        g->first[section] = g->epochs;
        for (uint32_t o = 0; !status && o < p->ops; o++) {
            uint32_t access = p->op[o].section == section ? access_of(p, &p->op[o], group) : 0;
            if (access) status = access_add(p, group, o, access);
        }
    }
    g->first[ZL_TP_SECTIONS] = g->epochs;
    return status;
}

/* ---- barriers ---------------------------------------------------------------------------------- */

static bool apart(const zl_tp_epoch *a, const zl_tp_epoch *b)
{
    return a->roles != b->roles || (a->roles & (a->roles - 1));
}

/* When a role does what ends an access: of a product by wgmma it waits for the end, which stands before what starts then; behind
 * others it goes on at once. */
static int64_t ends(const zl_tp *p, const zl_tp_op *op)
{
    bool waits = op->kind == ZL_TP_MMA && !p->tmem;
    return waits ? 2 * (op->at + op->latency) : 2 * op->at + 1;
}

/* Whether a role issues one of its operations before another of the same section: of two of one time the product that begins first. */
static bool issued_before(const zl_tp *p, uint32_t x, uint32_t y)
{
    const zl_tp_op *a = &p->op[x], *b = &p->op[y];
    const int64_t one = zl_tp_issue(a), other = zl_tp_issue(b);
    if (a->section != ZL_TP_LOOP || (one == other && a->at == b->at)) return x < y;
    return one != other ? one < other : a->at < b->at;
}

/* Whether an operation ends before another, or both at once and it is the earlier one. */
static bool ended_before(const zl_tp *p, uint32_t x, uint32_t y)
{
    int64_t one = ends(p, &p->op[x]), other = ends(p, &p->op[y]);
    return p->op[x].section != ZL_TP_LOOP || one == other ? x < y : one < other;
}

int32_t zl_tp_edge(const zl_tp *p, const zl_tp_epoch *e, uint32_t role, bool last)
{
    int32_t found = -1;
    for (uint32_t o = 0; o < p->ops; o++) {
        if (!zl_tp_has(&e->ops, o) || p->op[o].role != (int32_t)role) continue;
        if (found < 0 || (last ? ended_before(p, (uint32_t)found, o) : issued_before(p, o, (uint32_t)found))) found = (int32_t)o;
    }
    return found;
}

/* Arrivals of a role in an epoch: of one thread, of each warp, or of each thread where threads access shared memory. */
static uint32_t arrivals(const zl_tp *p, const zl_tp_epoch *e, uint32_t role)
{
    uint32_t warps = p->role[role].warps;
    if (p->role[role].kind != ZL_TP_COMPUTES) return 1;
    return zl_tp_by_threads(p, e, role) ? 32 * warps : warps;
}

bool zl_tp_by_threads(const zl_tp *p, const zl_tp_epoch *e, uint32_t role)
{
    for (uint32_t o = 0; o < p->ops; o++)
        if (zl_tp_has(&e->ops, o) && p->op[o].role == (int32_t)role && (p->op[o].kind == ZL_TP_USE || p->op[o].kind == ZL_TP_WRITE)) return true;
    return false;
}

static void counts_find(const zl_tp *p, zl_tp_epoch *e)
{
    e->count = 0;
    for (uint32_t r = 0; r < p->roles; r++)
        if (e->roles >> r & 1) e->count += arrivals(p, e, r);
}

static uint32_t in(const zl_tp_group *g, int32_t section) { return g->first[section + 1] - g->first[section]; }

/* Behind the loop waits who waits in it for the same barrier; another role has a barrier of one phase. */
static void loop_ends(zl_tp_group *g)
{
    zl_tp_epoch *first = &g->epoch[g->first[ZL_TP_LOOP]], *last = &g->epoch[g->first[ZL_TP_AFTER] - 1], *next = &g->epoch[g->first[ZL_TP_AFTER]];
    bool writes = false;
    for (zl_tp_epoch *e = first; e <= last; e++) writes |= e->writes;
    if (writes && apart(last, first)) last->stages = g->depth;
    if (!in(g, ZL_TP_AFTER) || !apart(last, next)) return;
    last->over = !last->stages || (next->roles & ~first->roles) || (next->roles & (next->roles - 1));
}

/* A copy signals the barrier at which another role waits for it. */
static zlay_status copies_check(const zl_tp *p, int32_t group)
{
    const zl_tp_group *g = &p->group[group];
    for (uint32_t o = 0; o < p->ops; o++)
        for (uint32_t e = 0; p->op[o].kind == ZL_TP_COPY && e < g->epochs; e++)
            if (zl_tp_has(&g->epoch[e].ops, o) && !g->epoch[e].stages) return zl_fail(p->ctx, ZLAY_EINVAL, "line %u: nothing reads what it copies into '%s'", p->op[o].line, name_of(p, group));
    return ZLAY_OK;
}

static zlay_status barriers_find(zl_tp *p, int32_t group)
{
    zl_tp_group *g = &p->group[group];
    for (uint32_t i = 0; i < g->epochs; i++) {
        zl_tp_epoch *e = &g->epoch[i];
        counts_find(p, e);
        if (i + 1 == g->epochs || !apart(e, e + 1)) continue;
        if (e->section != ZL_TP_LOOP) e->stages = 1;
        else if (e[1].section == ZL_TP_LOOP) e->stages = g->depth;
    }
    if (in(g, ZL_TP_LOOP)) loop_ends(g);
    return copies_check(p, group);
}

/* ---- what a value needs ---------------------------------------------------------------------------- */

static zlay_status uses_check(const zl_tp *p, uint32_t value)
{
    const zl_tp_value *v = &p->value[value];
    uint32_t reads = 0, writes = 0;
    for (uint32_t o = 0; o < p->ops; o++) {
        uint32_t access = zl_tp_access(&p->op[o], (int32_t)value);
        reads += access == ZL_TP_READS || (access && p->op[o].kind != ZL_TP_MMA && access & ZL_TP_READS);
        writes += (access & ZL_TP_WRITES) != 0;
    }
    if (!writes) return zl_fail(p->ctx, ZLAY_EINVAL, "line %u: nothing writes '%s'", v->line, v->name);
    return reads ? ZLAY_OK : zl_fail(p->ctx, ZLAY_EINVAL, "line %u: nothing reads '%s'", v->line, v->name);
}

/* Stages of a ring; instances that take turns begin an interval's part after each other and read the same stage. Of tensor memory they
 * have a power of two of columns in all. */
static zlay_status depth_find(zl_tp *p, int32_t group)
{
    zl_tp_group *g = &p->group[group];
    const zl_tp_value *v = &p->value[group];
    int64_t start = INT64_MAX, end = 0, depth = 1;
    for (uint32_t o = 0; o < p->ops; o++) {
        const zl_tp_op *op = &p->op[o];
        if (op->section != ZL_TP_LOOP || !access_of(p, op, group)) continue;
        if (zl_tp_issue(op) < start) start = zl_tp_issue(op);
        if (op->at + op->latency > end) end = op->at + op->latency;
    }
    if (!p->tmem && v->space == ZL_TP_SHARED && !v->each) end += p->ii * (p->instances - 1) / p->instances;
    if (g->ring) depth = v->most ? v->most : (end - start + p->ii - 1) / p->ii;
    if (v->space == ZL_TP_TMEM)
        while (depth <= 512 && ((depth * v->columns & (depth * v->columns - 1)) || depth * v->columns < 32)) depth++;
    if (depth > ZL_TP_DEPTH && g->ring && !v->most) p->deep = (uint32_t)group + 1;
    if (depth > ZL_TP_DEPTH) return zl_fail(p->ctx, ZLAY_NONE, "line %u: '%s' would have %lld stages, and a ring has %d", v->line, v->name, (long long)depth, ZL_TP_DEPTH);
    g->depth = (uint32_t)depth;
    return ZLAY_OK;
}

static zlay_status ring_find(zl_tp *p, int32_t group)
{
    zl_tp_group *g = &p->group[group];
    const zl_tp_value *v = &p->value[group];
    bool writes = false;
    for (uint32_t i = g->first[ZL_TP_LOOP]; i < g->first[ZL_TP_AFTER]; i++) writes |= g->epoch[i].writes;
    g->ring = writes && !v->carried;
    if (g->ring && (in(g, ZL_TP_BEFORE) || in(g, ZL_TP_AFTER)))
        return zl_fail(p->ctx, ZLAY_ENOTSUP, "line %u: '%s' is filled in each iteration, and accessed outside of the loop", v->line, v->name);
    if (writes && in(g, ZL_TP_BEFORE) && apart(&g->epoch[g->first[ZL_TP_LOOP] - 1], &g->epoch[g->first[ZL_TP_LOOP]]))
        return zl_fail(p->ctx, ZLAY_ENOTSUP, "line %u: another role gives '%s' a value before the loop than the one that writes it first there", v->line, v->name);
    g->from = g->ring ? g->epoch[g->first[ZL_TP_LOOP]].from : 0;
    for (uint32_t i = g->first[ZL_TP_LOOP]; g->ring && i < g->first[ZL_TP_AFTER]; i++)
        if (g->epoch[i].from != g->from) return zl_fail(p->ctx, ZLAY_ENOTSUP, "line %u: accesses of '%s' begin in different iterations", v->line, v->name);
    return depth_find(p, group);
}

static zlay_status capacity_check(zl_tp *p)
{
    uint64_t columns = 0;
    for (uint32_t v = 0; v < p->values; v++) {
        const zl_tp_value *x = &p->value[v];
        uint64_t depth = p->group[x->group].depth;
        p->smem += x->bytes * depth * (x->each && !p->tmem ? p->instances : 1);
        columns += x->columns * depth;
    }
    p->columns = (uint32_t)columns;
    uint64_t smem = p->target->smem;
    if (p->smem > smem) return zl_fail(p->ctx, ZLAY_NONE, "shared memory: the stages take %llu bytes, and a block has %llu", (unsigned long long)p->smem, (unsigned long long)smem);
    if (columns > ZLAY_TMEM_COLUMNS) return zl_fail(p->ctx, ZLAY_NONE, "tensor memory: the stages take %llu columns, and there are %d", (unsigned long long)columns, ZLAY_TMEM_COLUMNS);
    return ZLAY_OK;
}

zlay_status zl_tp_epochs(zl_tp *p)
{
    zlay_status status = ZLAY_OK;
    groups_find(p);
    for (uint32_t v = 0; !status && v < p->values; v++) {
        if (p->value[v].space == ZL_TP_REGISTERS) continue;
        status = uses_check(p, v);
        if (status || p->value[v].group != (int32_t)v) continue;
        status = accesses_add(p, (int32_t)v);
        if (!status) status = ring_find(p, (int32_t)v);
        if (!status) status = barriers_find(p, (int32_t)v);
    }
    return status ? status : capacity_check(p);
}
