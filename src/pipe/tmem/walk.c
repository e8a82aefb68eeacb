/* SPDX-License-Identifier: Apache-2.0 */
/* Checks each role's use of tensor memory alone, for a few small trip counts: what it
 * allocates, frees, uses and waits for in its own program order, and then whether allocations
 * and frees of a block balance. What other roles do in between is left open, so a fault found
 * here is a fault in every interleaving. */
#include "pipe/tmem/tmem.h"

#include <string.h>
#include <zlay/tmem.h>

enum { NAMES = 64, STEPS_MOST = 1 << 16, PARAMS_VARIED = 4, CHOICES = 3, RANKS = 16 };

/* What one role has done to one tmem. */
typedef struct owned {
    int64_t allocs, frees;
    bool live, freed;        /* as it knows itself */
    const zl_event *alloc, *free;
    const zl_event *open[2]; /* a load, a store that is not waited for */
} owned;

typedef struct walk {
    const zl_tmem_ask *ask;
    const zl_role *role; /* NULL: the setup */
    int64_t *params, counter[ZL_PIPE_LOOPS];
    bool others_alloc[NAMES], others_free[NAMES]; /* another role does */
    owned of[NAMES];
    const zl_event *loading[NAMES]; /* per accumulator: a load that is not waited for */
    const zl_event *product;        /* that is not committed */
    const zl_event *relinquish;
    int64_t smallest;               /* allocation so far */
    const zl_event *smallest_at;
} walk;

static void fault(const walk *w, uint32_t row, const zl_event *e, const zl_event *other,
                  int64_t found, int64_t wanted)
{
    zl_tmem_fault(w->ask, row, e, other ? other->line : 0, found, wanted);
}

static const zl_tmem *tmem_of(const walk *w, int32_t tmem) { return &w->ask->pipe->tmems[tmem]; }

/* ---- alloc, dealloc ------------------------------------------------------------------------ */

/* Columns that are allocated whatever the other roles do. */
static int64_t alive(const walk *w)
{
    int64_t sum = 0;
    for (uint32_t t = 0; t < w->ask->pipe->tmems_count; t++)
        if (w->of[t].live && !w->others_free[t]) sum += zl_tmem_columns(tmem_of(w, (int32_t)t));
    return sum;
}

static void allocate(walk *w, const zl_event *e)
{
    owned *o = &w->of[e->tmem[0]];
    int64_t columns = zl_tmem_columns(tmem_of(w, e->tmem[0]));
    if (o->live && !w->others_free[e->tmem[0]])
        fault(w, ZL_ROW_TMEM_ALLOC_TWICE, e, o->alloc, 2, 1);
    if (w->relinquish) fault(w, ZL_ROW_TMEM_ALLOC_AFTER, e, w->relinquish, 0, 0);
    if (w->smallest_at && columns > w->smallest)
        fault(w, ZL_ROW_TMEM_ALLOC_LARGER, e, w->smallest_at, columns, w->smallest);
    *o = (owned){.allocs = o->allocs + 1, .frees = o->frees, .live = true, .alloc = e,
                 .free = o->free};
    if (alive(w) > ZLAY_TMEM_COLUMNS)
        fault(w, ZL_ROW_TMEM_ALLOC_SUM, e, NULL, alive(w), ZLAY_TMEM_COLUMNS);
    if (!w->smallest_at || columns < w->smallest) {
        w->smallest = columns;
        w->smallest_at = e;
    }
}

static void release(walk *w, const zl_event *e)
{
    owned *o = &w->of[e->tmem[0]];
    if (!o->live && !w->others_alloc[e->tmem[0]])
        fault(w, ZL_ROW_TMEM_FREE_ONCE, e, o->free, o->frees + 1, o->allocs);
    for (int k = 0; k < 2; k++)
        if (o->open[k]) fault(w, ZL_ROW_TMEM_NEVER_WAITED, o->open[k], e, 0, 1);
    *o = (owned){.allocs = o->allocs, .frees = o->frees + 1, .freed = true, .alloc = o->alloc,
                 .free = e};
}

/* An event uses columns: they must be allocated by this role or possibly by another. */
static void use(walk *w, const zl_event *e, int32_t tmem)
{
    owned *o = &w->of[tmem];
    if (o->live || w->others_alloc[tmem]) return;
    if (o->freed) fault(w, ZL_ROW_TMEM_USE_FREED, e, o->free, 0, 1);
    else fault(w, ZL_ROW_TMEM_USE_UNALLOCATED, e, NULL, 0, 1);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Registers of an outstanding tcgen05.ld are read. */
static void read_registers(walk *w, const zl_event *e, int32_t acc)
{
    if (acc >= 0 && w->loading[acc])
        fault(w, ZL_ROW_TMEM_USE_UNWAITED, e, w->loading[acc], 0, 1);
}

/* tcgen05.wait completes this role's loads or stores. */
static void wait_for(walk *w, int32_t which)
{
    for (uint32_t t = 0; t < w->ask->pipe->tmems_count; t++) w->of[t].open[which] = NULL;
    if (which == ZL_TWAIT_LD) memset(w->loading, 0, sizeof w->loading);
}

/* Notes an outstanding load or store. */
static void access_registers(walk *w, const zl_event *e)
{
    bool load = e->kind == ZL_EV_TLD;
    if (!load) read_registers(w, e, e->acc);
    else w->loading[e->acc] = e;
    w->of[e->tmem[0]].open[load ? ZL_TWAIT_LD : ZL_TWAIT_ST] = e;
}

/* ---- one role --------------------------------------------------------------------------------- */

static void step(walk *w, const zl_event *e)
{
    bool owns = e->kind == ZL_EV_ALLOC || e->kind == ZL_EV_DEALLOC;
    for (int k = 0; k < 2 && !owns; k++)
        if (e->tmem[k] >= 0) use(w, e, e->tmem[k]);
    switch (e->kind) {
    case ZL_EV_ALLOC: allocate(w, e); break;
    case ZL_EV_DEALLOC: release(w, e); break;
    case ZL_EV_RELINQUISH: w->relinquish = e; break;
    case ZL_EV_TLD:
    case ZL_EV_TST: access_registers(w, e); break;
    case ZL_EV_TWAIT: wait_for(w, e->scope); break;
    case ZL_EV_TCP: w->product = e; break;
    case ZL_EV_MMA:
        read_registers(w, e, e->acc_a);
        read_registers(w, e, e->acc_b);
        if (e->tmem[0] >= 0) w->product = e;
        break;
    case ZL_EV_COMMIT:
        if (e->scope == ZL_GROUP_TCGEN05) w->product = NULL;
        break;
    default: read_registers(w, e, e->acc);
    }
}

static int64_t value(const walk *w, const zl_pos *pos)
{
    return zl_pos_value(pos, w->counter, w->params);
}

/* An END goes back to its FOR while the counter has not reached its end; false: too many steps. */
static bool run(walk *w, uint32_t begin, uint32_t end)
{
    const zl_event *events = w->ask->pipe->events;
    uint32_t depth = 0, steps = 0;
    for (uint32_t i = begin; i < end; i++) {
        const zl_event *e = &events[i];
        if (steps++ == STEPS_MOST) return false;
        if (e->kind == ZL_EV_FOR) {
            w->counter[depth] = value(w, &e->at[0]);
            if (w->counter[depth] < value(w, &e->bar_at)) depth++;
            else i = (uint32_t)e->match;
        } else if (e->kind == ZL_EV_END) {
            const zl_event *loop = &events[e->match];
            w->counter[depth - 1] += loop->step;
            if (w->counter[depth - 1] < value(w, &loop->bar_at)) i = (uint32_t)e->match;
            else depth--;
        } else step(w, e);
    }
    return true;
}

static void finish(const walk *w)
{
    for (uint32_t t = 0; t < w->ask->pipe->tmems_count; t++)
        for (int k = 0; k < 2; k++)
            if (w->of[t].open[k]) fault(w, ZL_ROW_TMEM_NEVER_WAITED, w->of[t].open[k], NULL, 0, 1);
    if (w->product) fault(w, ZL_ROW_TMEM_NEVER_COMMITTED, w->product, NULL, 0, 1);
}

/* ---- all roles --------------------------------------------------------------------------------- */

typedef struct block {
    int64_t allocs, frees;
    const zl_event *alloc, *free; /* the last ones */
} block;

typedef struct tally {
    block of[RANKS][NAMES];
    bool whole; /* every role was run to its end */
} tally;

/* Notes which tmems other roles, or other instances of this one, allocate and free. */
static void find_others(walk *w)
{
    const zlay_pipe *pipe = w->ask->pipe;
    memset(w->others_alloc, 0, sizeof w->others_alloc);
    memset(w->others_free, 0, sizeof w->others_free);
    for (uint32_t r = 0; r < pipe->roles_count; r++) {
        const zl_role *role = &pipe->roles[r];
        if (role == w->role && zl_role_instances(role) == 1) continue;
        for (uint32_t i = role->begin; i < role->end; i++) {
            if (pipe->events[i].kind == ZL_EV_ALLOC) w->others_alloc[pipe->events[i].tmem[0]] = true;
            if (pipe->events[i].kind == ZL_EV_DEALLOC) w->others_free[pipe->events[i].tmem[0]] = true;
        }
    }
}

static bool runs_in(const zl_role *role, uint32_t rank)
{
    return !role || role->cta == ZL_CTA_ALL || role->cta == (int32_t)rank;
}

/* Adds a role's allocations and frees to each block's tally. */
static void add(tally *all, const walk *w, const owned *before)
{
    int64_t instances = w->role ? zl_role_instances(w->role) : 1;
    for (uint32_t rank = 0; rank < w->ask->pipe->blocks; rank++)
        for (uint32_t t = 0; runs_in(w->role, rank) && t < w->ask->pipe->tmems_count; t++) {
            block *b = &all->of[rank][t];
            const owned *o = &w->of[t];
            b->allocs += instances * (o->allocs - before[t].allocs);
            b->frees += instances * (o->frees - before[t].frees);
            if (o->alloc) b->alloc = o->alloc;
            if (o->free) b->free = o->free;
        }
}

/* In every interleaving a block frees as often as it allocates, and both blocks of a pair do
 * the same. */
static void balance(const zl_tmem_ask *ask, const tally *all)
{
    for (uint32_t rank = 0; rank < ask->pipe->blocks; rank++)
        for (uint32_t t = 0; t < ask->pipe->tmems_count; t++) {
            const block *b = &all->of[rank][t], *peer = &all->of[(rank ^ 1) % RANKS][t];
            if (b->allocs > b->frees)
                zl_tmem_fault(ask, ZL_ROW_TMEM_LEAK, b->alloc, 0, b->frees, b->allocs);
            if (b->allocs < b->frees)
                zl_tmem_fault(ask, ZL_ROW_TMEM_FREE_ONCE, b->free, b->alloc ? b->alloc->line : 0,
                              b->frees, b->allocs);
            if (ask->pipe->tmems[t].pair && b->alloc && (rank ^ 1) < ask->pipe->blocks &&
                (b->allocs != peer->allocs || b->frees != peer->frees))
                zl_tmem_fault(ask, ZL_ROW_TMEM_PAIR_ALIKE, b->alloc, 0, peer->allocs, b->allocs);
        }
}

/* The setup, then each role as if it were alone behind it. */
static void run_all(const zl_tmem_ask *ask, int64_t *params)
{
    const zlay_pipe *pipe = ask->pipe;
    static const owned none[NAMES];
    tally all = {.whole = true};
    walk setup = {.ask = ask, .params = params};
    run(&setup, 0, pipe->setup);
    add(&all, &setup, none);
    for (uint32_t r = 0; r < pipe->roles_count; r++) {
        walk w = setup;
        w.role = &pipe->roles[r];
        find_others(&w);
        all.whole = run(&w, w.role->begin, w.role->end) && all.whole;
        if (all.whole) finish(&w);
        add(&all, &w, setup.of);
    }
    if (all.whole) balance(ask, &all);
}

/* Each param takes its least values, the first PARAMS_VARIED of them in every combination. */
void zl_tmem_walks(const zl_tmem_ask *ask)
{
    const zlay_pipe *pipe = ask->pipe;
    uint32_t varied = pipe->params_count < PARAMS_VARIED ? pipe->params_count : PARAMS_VARIED;
    uint32_t choices = 1;
    for (uint32_t p = 0; p < varied; p++) choices *= CHOICES;
    for (uint32_t choice = 0; choice < choices; choice++) {
        bool allowed = true;
        for (uint32_t p = 0, left = choice; p < pipe->params_count; p++, left /= CHOICES) {
            ask->params[p] = pipe->params[p].least + (p < varied ? left % CHOICES : 0);
            allowed = allowed && ask->params[p] <= pipe->params[p].most;
        }
        if (allowed) run_all(ask, ask->params);
    }
}
