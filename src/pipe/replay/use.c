/* SPDX-License-Identifier: Apache-2.0 */
/* Checks accesses of memory. Each earlier access that conflicts must be known to be complete by
 * every thread that makes the new one, through the fences that a change of proxy needs. A read must
 * find the content of its index, whole. */
#include "pipe/replay/replay.h"

zl_rp_shadow *zl_rp_smem(zl_replay *c, const zl_rp_instance *i, uint32_t block, int32_t smem,
                        uint32_t slot)
{
    const zl_smem *s = &c->pipe->smems[smem];
    uint32_t copy = s->each ? i->number : 0;
    return &c->places[c->smem_at[smem] + (block * c->smem_each[smem] + copy) * s->stages + slot];
}

zl_rp_shadow *zl_rp_tmem(zl_replay *c, uint32_t block, int32_t tmem, uint32_t slot)
{
    return &c->places[c->tmem_at[tmem] + block * c->pipe->tmems[tmem].stages + slot];
}

/* ---- order ---- */

/* Whether a set shows the access complete; `fence`: through the operations behind this kind of
 * fence. */
static bool is_complete(const zl_replay *c, uint32_t set, const zl_rp_access *access, zl_rp_kind fence)
{
    for (uint32_t k = 0; k < access->count; k++) {
        int32_t op = access->over[k], behind = op < 0 ? -1 : c->ops[op].fenced;
        bool asks = behind >= 0 && c->ops[behind].kind == fence;
        if (fence == ZL_RP_FENCED && !asks) return false;
        if (!zl_rp_has(c, set, asks ? behind : op)) return false;
    }
    return true;
}

/* Whether hardware orders both accesses of tensor memory: products and copies of one thread in
 * its order (docs/pipe.md says on whose word), loads and stores of a warp once it has waited. */
static bool is_in_order(const zl_replay *c, const zl_rp_access *before, const zl_rp_access *now)
{
    const zl_rp_instance *i = &c->instances[now->instance];
    const zl_event *first = &c->pipe->events[before->event], *next = &c->pipe->events[now->event];
    if (before->instance != now->instance || before->over[0] < 0) return false;
    if (first->kind == ZL_EV_TLD || first->kind == ZL_EV_TST)
        return !zl_rp_behind(c, i, first->kind == ZL_EV_TLD ? ZL_RP_TLD : ZL_RP_TST,
                             c->ops[before->over[0]].number);
    return next->kind == ZL_EV_MMA || next->kind == ZL_EV_TCP;
}

/* The kind of the operations that complete an access. */
static zl_rp_kind kind_of(const zl_replay *c, const zl_rp_access *access)
{
    return access->over[0] < 0 ? ZL_RP_POINT : c->ops[access->over[0]].kind;
}

/* A queue of one warp takes its instructions in order. */
static bool is_in_queue(const zl_replay *c, const zl_rp_access *before, const zl_rp_access *now)
{
    zl_rp_kind kind = kind_of(c, now);
    return (kind == ZL_RP_MEMORY || kind == ZL_RP_SHARED) && kind_of(c, before) == kind &&
           before->instance == now->instance && before->count == 1;
}

/* The rule that is broken where `now`, by this thread, follows `before`; 0: none. */
static int32_t broken(const zl_replay *c, uint32_t thread, const zl_rp_access *before,
                      const zl_rp_access *now)
{
    uint32_t knows = zl_rp_set(thread, ZL_RP_KNOWS);
    bool known = is_complete(c, knows, before, ZL_RP_POINT);
    if (now->proxy == ZL_RP_TENSOR) {
        if (is_in_order(c, before, now) ||
            is_complete(c, zl_rp_set(thread, ZL_RP_AFTER), before, ZL_RP_ORDERED))
            return 0;
        return known ? ZLAY_PIPE_TCGEN05 : ZLAY_PIPE_TMEM_USE;
    }
    if (is_in_queue(c, before, now)) return 0;
    if (!known) return now->write ? ZLAY_PIPE_OVERWRITE : ZLAY_PIPE_READ_BEFORE_FULL;
    bool crosses = before->write && before->proxy == ZL_RP_GENERIC && now->proxy == ZL_RP_ASYNC;
    return crosses && !is_complete(c, knows, before, ZL_RP_FENCED) ? ZLAY_PIPE_PROXY : 0;
}

/* Checks the order of two accesses for each thread that makes the second. */
static void check_order(zl_replay *c, const zl_rp_instance *i, bool all, const zl_rp_access *before,
                        const zl_rp_access *now)
{
    for (uint32_t k = 0; k < (all ? i->threads : 1); k++) {
        int32_t rule = broken(c, i->first + k, before, now);
        if (rule) zl_rp_break(c, rule, now->event, before->event);
    }
}

/* ---- what stands there ---- */

/* The mbarrier slot whose phases complete the access; -1: none. */
static int32_t barrier_of(const zl_replay *c, const zl_rp_access *access)
{
    int32_t op = access->over[0];
    return op >= 0 && c->ops[op].kind == ZL_RP_POINT ? c->ops[op].number : -1;
}

/* Whether the new access of the same event implies the earlier one. */
static bool is_same(const zl_replay *c, const zl_rp_access *a, const zl_rp_access *b)
{
    return a->instance == b->instance && a->event == b->event && a->part == b->part && !a->old &&
           barrier_of(c, a) == barrier_of(c, b);
}

void zl_rp_keep(zl_replay *c, zl_rp_shadow *p, const zl_rp_access *access)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < p->count; k++)
        if (!is_same(c, &p->accesses[k], access)) p->accesses[kept++] = p->accesses[k];
    if (kept < ZL_RP_ACCESSES) p->accesses[kept++] = *access;
    else if (!c->status)
        c->status = zl_fail(c->ctx, ZLAY_ELIMIT, "a stage is used more than %d times", ZL_RP_ACCESSES);
    p->count = kept;
}

/* Forgets that a product was added last, where one of its factors now holds another content. */
void zl_rp_forget_factors(zl_rp_factors *f, int64_t place, int64_t but)
{
    for (int k = 0; k < 2; k++)
        if (f->place[k] == place && f->index[k] != but) f->place[0] = f->place[1] = -1;
}

/* A stage holds a new content, so products with the old one are no longer the same. */
static void replace_factors(zl_replay *c, const zl_rp_shadow *p, int64_t index)
{
    for (uint32_t k = 0; k < c->instances_count * c->pipe->accs_count; k++)
        zl_rp_forget_factors(&c->accs[k].factors, p - c->places, index);
    for (uint32_t t = 0; t < c->pipe->tmems_count; t++)
        for (uint32_t k = 0; k < c->blocks * c->pipe->tmems[t].stages; k++)
            zl_rp_forget_factors(&c->places[c->tmem_at[t] + k].factors, p - c->places, index);
}

/* A new content begins; accesses of the one before are kept, because its readers may conflict
 * with more parts. */
static void begin_content(zl_replay *c, zl_rp_shadow *p, int64_t index, uint32_t event)
{
    uint32_t kept = 0;
    if (p->unread) zl_rp_break(c, ZLAY_PIPE_STAGE, event, p->writer);
    for (uint32_t k = 0; k < p->count; k++)
        if (!p->accesses[k].old) p->accesses[kept++] = p->accesses[k];
    for (uint32_t k = 0; k < kept; k++) p->accesses[k].old = true;
    replace_factors(c, p, index);
    p->count = kept;
    p->filled = 0;
    p->index = index;
    p->any = true;
}

/* The write that filled this part of the current content. */
static const zl_rp_access *filled_by(const zl_rp_shadow *p, int32_t part)
{
    for (uint32_t k = 0; k < p->count; k++)
        if (p->accesses[k].write && !p->accesses[k].old && p->accesses[k].part == part) return &p->accesses[k];
    return NULL;
}

/* How many parts of the current content have been written. */
static uint32_t count_parts(const zl_rp_shadow *p)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < p->count; k++)
        count +=
            p->accesses[k].write && !p->accesses[k].old && filled_by(p, p->accesses[k].part) == &p->accesses[k];
    return count;
}

/* ---- reads ---- */

/* Whether the stage holds the whole content of this index, and this part. */
static bool is_content(const zl_rp_shadow *p, int64_t index, int32_t part)
{
    if (p->index != index || p->filled != p->size) return false;
    if (p->pieces && count_parts(p) != p->pieces) return false;
    if (part > 0) return filled_by(p, part) != NULL;
    return part < 0 || count_parts(p) != 1 || filled_by(p, 0);
}

void zl_rp_read(zl_replay *c, zl_rp_shadow *p, const zl_rp_instance *i, bool all, int64_t index,
                zl_rp_access *access)
{
    access->write = false;
    access->instance = (uint32_t)(i - c->instances);
    for (uint32_t k = 0; k < p->count; k++) {
        const zl_rp_access *before = &p->accesses[k];
        if (before->write && !before->old && (access->part <= 0 || before->part == access->part))
            check_order(c, i, all, before, access);
    }
    if (p->size && !p->any) zl_rp_break(c, ZLAY_PIPE_READ_BEFORE_FULL, access->event, UINT32_MAX);
    else if (p->size && !is_content(p, index, access->part))
        zl_rp_break(c, ZLAY_PIPE_STAGE, access->event, p->writer);
    p->unread = false;
    zl_rp_keep(c, p, access);
}

/* ---- writes ---- */

/* Whether the threads of an instance write a part that they have written before. */
static bool is_again(const zl_replay *c, const zl_rp_access *before, const zl_rp_access *now)
{
    return before->write && !before->old && before->instance == now->instance &&
           before->part == now->part && before->proxy == ZL_RP_GENERIC &&
           now->proxy == ZL_RP_GENERIC && kind_of(c, before) == kind_of(c, now);
}

/* A write begins a new content, fills one more part of the current one, or repeats a part by
 * the same threads. */
void zl_rp_write(zl_replay *c, zl_rp_shadow *p, const zl_rp_instance *i, bool all, int64_t index,
                 zl_rp_access *access)
{
    access->write = true;
    access->instance = (uint32_t)(i - c->instances);
    if (p->size && !access->bytes) access->bytes = p->size;
    const zl_rp_access *mine = p->any && p->index == index ? filled_by(p, access->part) : NULL;
    bool again = mine && (p->pieces || !p->size) && is_again(c, mine, access);
    bool more = p->any && p->index == index && !mine && p->filled + access->bytes <= p->size;
    for (uint32_t k = 0; k < p->count; k++) {
        const zl_rp_access *before = &p->accesses[k];
        bool apart = (more || again) && before->write && !before->old && before->part != access->part;
        apart |= again && is_again(c, before, access);
        if (!apart) check_order(c, i, all, before, access);
    }
    if (!again && !more) begin_content(c, p, index, access->event);
    if (!again) p->filled += access->bytes;
    p->unread = p->size != 0;
    p->writer = access->event;
    zl_rp_keep(c, p, access);
}

/* ---- the grid before ---- */

/* griddep wait: notes an operation for each thread. */
void zl_rp_wait_grid(zl_replay *c, zl_rp_instance *i)
{
    for (uint32_t t = 0; !i->grid && t < i->threads; t++) {
        i->grids[t] = zl_rp_op_new(c, ZL_RP_PASSED, (int32_t)(i->first + t), 0);
        zl_rp_learn(c, zl_rp_set(i->first + t, ZL_RP_KNOWS), i->grids[t]);
    }
    i->grid = true;
}

/* Whether the thread knows of a thread that has waited for the grid before. */
static bool is_behind_grid(const zl_replay *c, uint32_t thread)
{
    bool behind = !c->has_grid;
    for (const zl_rp_instance *i = c->instances; i < c->instances + c->instances_count; i++)
        for (uint32_t t = 0; i->grid && t < i->threads; t++)
            behind |= zl_rp_has(c, zl_rp_set(thread, ZL_RP_KNOWS), i->grids[t]);
    return behind;
}

/* Global memory may be accessed only after the grid before, which may access it too. */
void zl_rp_check_grid(zl_replay *c, const zl_rp_instance *i)
{
    bool one = zl_event_by(&c->pipe->events[i->pc]) == ZL_RUN_ONE;
    for (uint32_t t = 0; t < (one ? 1 : i->threads); t++)
        if (!is_behind_grid(c, i->first + t)) zl_rp_break(c, ZLAY_PIPE_GRID, i->pc, UINT32_MAX);
}
