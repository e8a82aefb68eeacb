/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a replay from a pipe and resets it before each run: threads, mbarrier slots, stages, flags,
 * and the arrays of the state. First everything is counted, then each array is allocated once. Of
 * an instance's warps three are kept and three lanes of each, because all others behave as one of
 * these. */
#include "pipe/replay/acc.h"
#include "base/arith.h"

#include <string.h>

/* ---- how many ---- */

/* How many threads stand for an instance. */
static uint32_t threads_of(const zl_role *role)
{
    return role->elect ? 1 : ZL_RP_LANES * zl_min32(role->each, ZL_RP_WARPS);
}

/* Whether a block runs the role. */
static bool runs_in(const zl_role *role, uint32_t block)
{
    return role->cta == ZL_CTA_ALL || role->cta == (int32_t)block;
}

static void count_threads(zl_replay *c)
{
    for (uint32_t k = 0; k < c->pipe->roles_count; k++)
        for (uint32_t b = 0; b < c->blocks; b++) {
            const zl_role *role = &c->pipe->roles[k];
            if (!runs_in(role, b)) continue;
            c->instances_count += zl_role_instances(role);
            c->threads_count += zl_role_instances(role) * threads_of(role);
        }
}

/* How many copies of a shared buffer a block has: one for each instance where it is declared
 * `each`. */
static uint32_t copies_of(const zlay_pipe *p, const zl_smem *s)
{
    uint32_t each = 1;
    for (uint32_t k = 0; s->each && k < p->roles_count; k++)
        if (zl_role_instances(&p->roles[k]) > each) each = zl_role_instances(&p->roles[k]);
    return each;
}

/* Counts slots, stages, flags and sets, and says where those of each name begin. */
static void count_things(zl_replay *c)
{
    const zlay_pipe *p = c->pipe;
    for (uint32_t b = 0; b < p->bars_count; b++) {
        c->mbar_at[b] = c->mbars_count;
        c->mbars_count += c->blocks * p->bars[b].stages;
    }
    for (uint32_t s = 0; s < p->smems_count; s++) {
        c->smem_at[s] = c->places_count;
        c->smem_each[s] = copies_of(p, &p->smems[s]);
        c->places_count += c->blocks * c->smem_each[s] * p->smems[s].stages;
    }
    for (uint32_t t = 0; t < p->tmems_count; t++) {
        c->tmem_at[t] = c->places_count;
        c->places_count += c->blocks * p->tmems[t].stages;
    }
    for (uint32_t o = 0; o < p->others_count; o++) {
        c->other_at[o] = c->places_count;
        c->places_count += p->others[o].stages;
        c->flags_count += p->others[o].stages;
    }
    c->meetings_count = 1 + c->blocks * ZL_RP_NAMED;
    c->rings_count = p->bars_count + p->smems_count + p->tmems_count + p->others_count;
    c->sets_count = ZL_RP_OF_THREAD * c->threads_count + ZL_RP_OF_MBAR * c->mbars_count +
                    ZL_RP_OF_MEETING * c->meetings_count + ZL_RP_OF_FLAG * c->flags_count;
}

/* ---- memory ---- */

/* An array with room for one more than `count`.  After one allocation fails, all later ones of the
 * call fail, so the last array stands for all. */
#define TAKE(field, count) c->field = zl_scratch(c->ctx, (uint64_t)(count) + 1, sizeof *c->field)

/* The arrays that counting fills. */
static bool make_tables(zl_replay *c)
{
    const zlay_pipe *p = c->pipe;
    TAKE(values, p->params_count);
    TAKE(mbar_at, p->bars_count);
    TAKE(smem_at, p->smems_count);
    TAKE(smem_each, p->smems_count);
    TAKE(tmem_at, p->tmems_count);
    TAKE(other_at, p->others_count);
    return c->other_at;
}

/* The arrays whose sizes are counted. */
static bool make_state(zl_replay *c)
{
    TAKE(threads, c->threads_count);
    TAKE(instances, c->instances_count);
    TAKE(mbars, c->mbars_count);
    TAKE(passed, (uint64_t)c->mbars_count * c->threads_count);
    TAKE(came, (uint64_t)c->mbars_count * c->threads_count);
    TAKE(were, (uint64_t)2 * c->mbars_count * c->threads_count);
    TAKE(near, (uint64_t)c->mbars_count * c->instances_count);
    TAKE(expected, (uint64_t)c->mbars_count * c->instances_count);
    TAKE(places, c->places_count);
    TAKE(accesses, (uint64_t)c->places_count * ZL_RP_ACCESSES);
    TAKE(meetings, c->meetings_count);
    TAKE(flags, c->flags_count);
    TAKE(raised, (uint64_t)c->flags_count * c->instances_count);
    TAKE(open, (uint64_t)c->flags_count * c->instances_count);
    TAKE(made, (uint64_t)c->flags_count * ZL_RP_VALUES * c->instances_count);
    TAKE(accs, (uint64_t)c->instances_count * c->pipe->accs_count);
    TAKE(columns, c->pipe->tmems_count * c->blocks);
    TAKE(live_columns, c->blocks);
    TAKE(relinquished, c->blocks);
    TAKE(debts, (uint64_t)c->blocks * (c->threads_count + c->mbars_count));
    TAKE(ring_growth, (uint64_t)ZL_RP_PARAMS * c->rings_count);
    TAKE(loop_growth, (uint64_t)ZL_RP_PARAMS * c->pipe->events_count);
    TAKE(bearings, (uint64_t)ZL_RP_PARAMS * ZL_RP_PARAMS *
                       (c->instances_count * ZL_PIPE_LOOPS + c->rings_count * c->blocks));
    TAKE(first, c->instances_count);
    TAKE(ring_first, (uint64_t)c->rings_count * c->blocks);
    TAKE(ops, ZL_RP_OPS);
    TAKE(free_ops, ZL_RP_OPS);
    TAKE(names, ZL_RP_OPS);
    TAKE(met, ZL_RP_OPS);
    TAKE(sets, (uint64_t)c->sets_count * ZL_RP_WORDS);
    TAKE(copied, ZL_RP_WORDS);
    TAKE(turned, (uint64_t)ZL_RP_PARAMS * c->rings_count * c->blocks);
    return c->turned;
}

/* ---- threads ---- */

static void make_instance(zl_replay *c, const zl_role *role, uint32_t block, uint32_t number,
                          uint32_t at)
{
    zl_rp_instance *i = &c->instances[at];
    i->role = role;
    i->block = block;
    i->number = number;
    i->first = at ? i[-1].first + i[-1].threads : 0;
    i->threads = threads_of(role);
    for (uint32_t k = 0; k < i->threads; k++)
        c->threads[i->first + k] =
            (zl_rp_thread){at, i->first + k - k % ZL_RP_LANES, k % ZL_RP_LANES == 0};
}

static void make_threads(zl_replay *c)
{
    uint32_t at = 0;
    for (uint32_t b = 0; b < c->blocks; b++)
        for (uint32_t k = 0; k < c->pipe->roles_count; k++) {
            const zl_role *role = &c->pipe->roles[k];
            for (uint32_t n = 0; runs_in(role, b) && n < zl_role_instances(role); n++)
                make_instance(c, role, b, n, at++);
        }
}

/* ---- things ---- */

static bool is_of(const zl_replay *c, const zl_rp_instance *i, int32_t bar, uint32_t block)
{
    for (uint32_t k = i->role->begin; k < i->role->end; k++)
        if (c->pipe->events[k].bar == bar &&
            zl_rp_mbar_blocks(c, i, &c->pipe->events[k]) >> block & 1)
            return true;
    return false;
}

static bool waits_at(const zl_replay *c, const zl_rp_instance *i, const zl_rp_mbar *g)
{
    for (uint32_t k = i->role->begin; k < i->role->end && i->block == g->block; k++)
        if (c->pipe->events[k].kind == ZL_EV_WAIT && c->pipe->events[k].bar == (int32_t)g->bar)
            return true;
    return false;
}

/* Makes one slot, with which instances may name it and wait there. */
static void make_mbar(zl_replay *c, uint32_t bar, uint32_t k)
{
    zl_rp_mbar *g = &c->mbars[c->mbar_at[bar] + k];
    g->bar = bar;
    g->block = k / c->pipe->bars[bar].stages;
    g->idle = true;
    uint8_t *near = c->near + (size_t)(g - c->mbars) * c->instances_count;
    for (uint32_t n = 0; n < c->instances_count; n++) {
        if (is_of(c, &c->instances[n], (int32_t)bar, g->block)) near[n] |= ZL_RP_NAMES;
        if (waits_at(c, &c->instances[n], g)) near[n] |= ZL_RP_WAITS;
        g->idle &= !near[n];
    }
}

/* Whether an event fills a stage in this block. */
static bool fills(const zl_replay *c, const zl_rp_instance *i, const zl_event *e, int32_t smem,
                  uint32_t block)
{
    bool fill = e->kind == ZL_EV_COPY || e->kind == ZL_EV_CPASYNC || e->kind == ZL_EV_WRITE ||
                e->kind == ZL_EV_STMATRIX || e->kind == ZL_EV_LOAD || e->kind == ZL_EV_PUT;
    return fill && e->smem[0] == smem && zl_rp_blocks(c, i, e) >> block & 1;
}

/* The different parts that events of the text fill a stage by; 0 where one fills all of it. */
static uint32_t pieces_of(const zl_replay *c, int32_t smem, uint32_t block)
{
    uint32_t count = 0;
    int32_t parts[256];
    for (uint32_t n = 0; n < c->instances_count; n++)
        for (uint32_t k = c->instances[n].role->begin; k < c->instances[n].role->end; k++) {
            const zl_event *e = &c->pipe->events[k];
            if (!fills(c, &c->instances[n], e, smem, block)) continue;
            if (!e->count) return 0;
            uint32_t at = 0;
            while (at < count && parts[at] != e->part) at++;
            if (at == count && count < ZL_COUNT(parts)) parts[count++] = e->part;
        }
    return count;
}

static void make_smem(zl_replay *c, uint32_t smem)
{
    uint32_t each = c->smem_each[smem] * c->pipe->smems[smem].stages;
    for (uint32_t k = 0; k < c->blocks * each; k++) {
        zl_rp_shadow *p = &c->places[c->smem_at[smem] + k];
        p->size = c->pipe->smems[smem].bytes;
        p->pieces = k % each ? p[-1].pieces : pieces_of(c, (int32_t)smem, k / each);
    }
}

/* Adds a value at which a flag is awaited. */
static void add_value(zl_replay *c, zl_rp_flag *f, int64_t value)
{
    for (uint32_t k = 0; k < f->count; k++)
        if (f->value[k] == value) return;
    if (f->count == ZL_RP_VALUES)
        c->status =
            zl_fail(c->ctx, ZLAY_ELIMIT, "a flag is awaited at more than %d values", ZL_RP_VALUES);
    else f->value[f->count++] = value;
}

/* Whether a wait leaves some groups of a kind open; one for bulk is for its reads, too. */
static bool is_left_by(const zl_event *e, int kind)
{
    if (e->kind == ZL_EV_WAITCOUNT)
        return kind == (e->scope == ZL_QUEUE_MEMORY ? ZL_RP_MEMORY : ZL_RP_SHARED);
    if (e->kind != ZL_EV_WAITGROUP) return false;
    switch (e->scope) {
    case ZL_GROUP_WGMMA: return kind == ZL_RP_WGMMA;
    case ZL_GROUP_CPASYNC: return kind == ZL_RP_CPASYNC;
    case ZL_GROUP_BULK: return kind == ZL_RP_BULK || kind == ZL_RP_BULK_READ;
    default: return kind == ZL_RP_BULK_READ;
    }
}

/* Reads from the text what flags are awaited at, how many groups waits leave open, and whether
 * roles wait for the grid before. */
static void make_flags(zl_replay *c)
{
    uint32_t first = c->places_count - c->flags_count;
    for (uint32_t k = c->pipe->setup; k < c->pipe->events_count; k++) {
        const zl_event *e = &c->pipe->events[k];
        for (int kind = 0; kind < ZL_RP_GROUPS; kind++)
            if (is_left_by(e, kind) && e->count > c->most_left[kind]) c->most_left[kind] = e->count;
        c->has_grid |= e->kind == ZL_EV_GRIDDEP && e->scope == ZL_GRIDDEP_WAIT;
        for (uint32_t s = 0; e->kind == ZL_EV_AWAIT && s < c->pipe->others[e->other].stages; s++)
            add_value(c, &c->flags[c->other_at[e->other] - first + s], e->count);
    }
}

static void make_things(zl_replay *c)
{
    for (uint32_t b = 0; b < c->pipe->bars_count; b++)
        for (uint32_t k = 0; k < c->blocks * c->pipe->bars[b].stages; k++) make_mbar(c, b, k);
    for (uint32_t s = 0; s < c->pipe->smems_count; s++) make_smem(c, s);
    for (uint32_t k = 0; k < c->places_count; k++)
        c->places[k].accesses = c->accesses + (size_t)k * ZL_RP_ACCESSES;
    make_flags(c);
}

/* The size of the large arrays, which the limit `points` bounds. */
static uint64_t state_bytes(const zl_replay *c)
{
    return (uint64_t)c->places_count * ZL_RP_ACCESSES * sizeof *c->accesses +
           (uint64_t)c->mbars_count * c->threads_count * sizeof *c->passed +
           (uint64_t)c->sets_count * ZL_RP_WORDS * sizeof *c->sets;
}

static zlay_status make(zl_replay *c)
{
    count_threads(c);
    if (!make_tables(c)) return ZLAY_ENOMEM;
    count_things(c);
    if (state_bytes(c) > zl_limits(c->ctx)->points)
        return zl_fail(c->ctx, ZLAY_ELIMIT, "limit points: %llu bytes of state",
                       (unsigned long long)state_bytes(c));
    if (!make_state(c)) return ZLAY_ENOMEM;
    make_threads(c);
    make_things(c);
    return c->status;
}

zlay_status zl_rp_new(zlay_ctx *ctx, zl_replay **out, const zlay_pipe *pipe)
{
    zl_replay *c = zl_scratch(ctx, 1, sizeof *c);
    *out = NULL;
    if (!c) return ZLAY_ENOMEM;
    c->ctx = ctx;
    c->pipe = pipe;
    c->blocks = pipe->blocks;
    zlay_status status = make(c);
    if (!status) *out = c;
    return status;
}

/* ---- the beginning ---- */

static void begin_instance(zl_replay *c, zl_rp_instance *i)
{
    zl_rp_instance fresh = {.role = i->role, .block = i->block, .number = i->number,
                            .first = i->first, .threads = i->threads, .pc = i->role->begin,
                            .registers = c->pipe->registers, .meets = -1, .joined = -1};
    memset(fresh.opening, -1, sizeof fresh.opening);
    memset(fresh.set, -1, sizeof fresh.set);
    memset(fresh.grids, -1, sizeof fresh.grids);
    *i = fresh;
    for (uint32_t a = 0; a < c->pipe->accs_count; a++)
        *zl_rp_acc_of(c, i, (int32_t)a) =
            (zl_rp_acc_state){.unfenced = true, .factors = {{-1, -1}, {-1, -1}}};
}

static void begin_place(zl_rp_shadow *p)
{
    *p = (zl_rp_shadow){.size = p->size, .pieces = p->pieces, .accesses = p->accesses,
                       .factors = {{-1, -1}, {-1, -1}}};
}

static void begin_mbar(zl_replay *c, zl_rp_mbar *g)
{
    *g = (zl_rp_mbar){.bar = g->bar, .block = g->block, .idle = g->idle,
                      .pending = c->pipe->bars[g->bar].count, .last = {-1, -1}};
    g->next = zl_rp_op_new(c, ZL_RP_POINT, -1, (int32_t)(g - c->mbars));
}

static void begin_flags(zl_replay *c)
{
    size_t raises = (size_t)c->flags_count * c->instances_count;
    for (uint32_t k = 0; k < c->flags_count; k++) {
        c->flags[k].total = 0;
        for (int v = 0; v < ZL_RP_VALUES; v++) c->flags[k].reached[v] = -1;
    }
    for (size_t k = 0; k < raises; k++) c->raised[k] = -2;
    for (size_t k = 0; k < ZL_RP_VALUES * raises; k++) c->made[k] = -2;
    memset(c->open, 0, raises * sizeof *c->open);
}

void zl_rp_begin(zl_replay *c)
{
    c->step = c->round = 0;
    for (size_t k = 0; k < (size_t)c->mbars_count * c->threads_count; k++)
        c->passed[k] = c->came[k] = -2;
    for (size_t k = 0; k < (size_t)c->mbars_count * c->instances_count; k++) c->expected[k] = -2;
    for (uint32_t k = 0; k < c->mbars_count; k++) c->mbars[k].next = -1;
    for (uint32_t k = 0; k < c->instances_count; k++) begin_instance(c, &c->instances[k]);
    for (uint32_t k = 0; k < c->places_count; k++) begin_place(&c->places[k]);
    for (uint32_t k = 0; k < c->meetings_count; k++) c->meetings[k] = (zl_rp_meeting){.last = -1};
    begin_flags(c);
    memset(c->columns, 0, c->pipe->tmems_count * c->blocks * sizeof *c->columns);
    memset(c->live_columns, 0, c->blocks * sizeof *c->live_columns);
    memset(c->relinquished, 0, c->blocks * sizeof *c->relinquished);
    memset(c->debts, 0, (size_t)c->blocks * (c->threads_count + c->mbars_count) * sizeof *c->debts);
    memset(c->turned, 0, (size_t)ZL_RP_PARAMS * c->rings_count * c->blocks * sizeof *c->turned);
    for (uint32_t k = 0; k < c->words * 64; k++) c->ops[k].live = false;
    if (c->words) memset(c->sets, 0, (size_t)c->sets_count * c->words * sizeof *c->sets);
    c->free_count = 0;
    zl_rp_reserve(c);
    for (uint32_t k = 0; k < c->mbars_count && !c->status; k++) begin_mbar(c, &c->mbars[k]);
    if (!c->status) zl_rp_setup_columns(c);
}
