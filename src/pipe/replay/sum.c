/* SPDX-License-Identifier: Apache-2.0 */
/* Runs products, accumulators and tensor memory for the checker: wgmma, tcgen05.mma, loads, stores
 * and copies of tensor memory, and the allocation of its columns. An accumulator is a state
 * machine: empty, accumulated, taken. Operands become accesses that complete with their group. */
#include "pipe/replay/acc.h"

enum { COLUMNS = 512 };

/* ---- products ---- */

static void sum_up(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    zl_rp_acc_state *s = zl_rp_acc_of(c, i, e->acc);
    if (s->unfenced) zl_rp_break(c, ZLAY_PIPE_FENCE, i->pc, s->event);
    if (e->fresh ? s->unread : s->state != ZL_RP_ACCUMULATED)
        zl_rp_break(c, ZLAY_PIPE_STAGE, i->pc, s->event);
    if ((s->kind != ZL_RP_WGMMA && zl_rp_acc_is_written(i, s)) || zl_rp_acc_is_read(i, s))
        zl_rp_break(c, ZLAY_PIPE_FENCE, i->pc, s->event);
    zl_rp_check_factors(c, i, e, &s->factors);
    s->state = ZL_RP_ACCUMULATED;
    s->unread = true;
    s->kind = ZL_RP_WGMMA;
    s->group = i->issued[ZL_RP_WGMMA] + 1;
    s->event = i->pc;
    zl_rp_change_acc(c, i, e->acc);
}

static void take_factor(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    zl_rp_acc_state *s = zl_rp_acc_of(c, i, e->acc_a);
    if (s->state == ZL_RP_EMPTY) zl_rp_break(c, ZLAY_PIPE_STAGE, i->pc, UINT32_MAX);
    if (zl_rp_acc_is_written(i, s) || s->unfenced) zl_rp_break(c, ZLAY_PIPE_FENCE, i->pc, s->event);
    s->state = ZL_RP_TAKEN;
    s->unread = false;
    s->reader = i->issued[ZL_RP_WGMMA] + 1;
    s->reader_kind = ZL_RP_WGMMA;
}

static void read_operand(zl_replay *c, zl_rp_instance *i, const zl_event *e, int k, uint32_t block,
                         int kind)
{
    zl_rp_access access = {.event = i->pc, .part = -1, .proxy = ZL_RP_ASYNC};
    uint32_t ring = zl_rp_ring_smem(c, e->smem[k]);
    uint32_t slot = zl_rp_slot(c, i, &e->at[k], ring, block, c->pipe->smems[e->smem[k]].stages);
    zl_rp_name_group(c, i, kind, &access);
    zl_rp_read(c, zl_rp_smem(c, i, block, e->smem[k], slot), i, kind == ZL_RP_WGMMA,
               zl_rp_value(c, i, &e->at[k]), &access);
}

static void open_group(zl_rp_instance *i, int kind)
{
    i->open[kind] = true;
    i->opened[kind] = i->pc;
}

/* ---- tensor memory ---- */

static uint32_t blocks_of(const zl_replay *c, const zl_rp_instance *i, int32_t tmem)
{
    uint32_t own = 1u << i->block, first = i->block & ~1u;
    return c->pipe->tmems[tmem].pair ? 3u << first : own;
}

static void use_columns(zl_replay *c, zl_rp_instance *i, const zl_event *e, int k, bool write,
                        int kind, uint32_t block)
{
    zl_rp_access access = {.event = i->pc, .proxy = ZL_RP_TENSOR};
    uint32_t ring = zl_rp_ring_tmem(c, e->tmem[k]);
    int64_t index = zl_rp_value(c, i, &e->tmem_at[k]);
    zl_rp_shadow *p =
        zl_rp_tmem(c, block, e->tmem[k],
                   zl_rp_slot(c, i, &e->tmem_at[k], ring, block,
                              c->pipe->tmems[e->tmem[k]].stages));
    zl_rp_check_live(c, i, e->tmem[k], block, i->pc);
    zl_rp_name_group(c, i, kind, &access);
    if (!write && (!p->any || p->index != index))
        zl_rp_break(c, ZLAY_PIPE_STAGE, i->pc, UINT32_MAX);
    if (write) zl_rp_write(c, p, i, kind != ZL_RP_TCGEN05, index, &access);
    else zl_rp_read(c, p, i, kind != ZL_RP_TCGEN05, index, &access);
}

/* A sum continues only where it was begun at this index; one that begins must not discard a
 * sum before it is read. */
static zl_rp_shadow *check_acc(zl_replay *c, zl_rp_instance *i, const zl_event *e, uint32_t block,
                              bool first)
{
    uint32_t ring = zl_rp_ring_tmem(c, e->tmem[0]);
    zl_rp_shadow *p =
        zl_rp_tmem(c, block, e->tmem[0],
                   zl_rp_slot(c, i, &e->tmem_at[0], ring, block,
                              c->pipe->tmems[e->tmem[0]].stages));
    if (first) zl_rp_check_factors(c, i, e, &p->factors);
    if (e->fresh ? p->unread : !p->any || p->index != zl_rp_value(c, i, &e->tmem_at[0]))
        zl_rp_break(c, ZLAY_PIPE_STAGE, i->pc, UINT32_MAX);
    p->unread = false;
    return p;
}

static void tensor_product(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    uint32_t mask = blocks_of(c, i, e->tmem[0]);
    for (uint32_t b = 0; b < c->blocks; b++) {
        if (!(mask >> b & 1)) continue;
        zl_rp_shadow *sum = check_acc(c, i, e, b, !(mask & ((1u << b) - 1)));
        for (int k = 0; k < 2; k++)
            if (e->smem[k] >= 0) read_operand(c, i, e, k, b, ZL_RP_TCGEN05);
        if (e->tmem[1] >= 0) use_columns(c, i, e, 1, false, ZL_RP_TCGEN05, b);
        use_columns(c, i, e, 0, true, ZL_RP_TCGEN05, b);
        sum->unread = true;
    }
    open_group(i, ZL_RP_TCGEN05);
}

void zl_rp_product(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    if (e->acc_b >= 0) {
        zl_rp_multiply(c, i, e);
        return;
    }
    if (e->tmem[0] >= 0) {
        tensor_product(c, i, e);
        return;
    }
    for (int k = 0; k < 2; k++)
        if (e->smem[k] >= 0) read_operand(c, i, e, k, i->block, ZL_RP_WGMMA);
    if (e->acc_a >= 0) take_factor(c, i, e);
    sum_up(c, i, e);
    open_group(i, ZL_RP_WGMMA);
}

void zl_rp_copy_in(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    uint32_t mask = blocks_of(c, i, e->tmem[0]);
    for (uint32_t b = 0; b < c->blocks; b++) {
        if (!(mask >> b & 1)) continue;
        read_operand(c, i, e, 0, b, ZL_RP_TCGEN05);
        use_columns(c, i, e, 0, true, ZL_RP_TCGEN05, b);
    }
    open_group(i, ZL_RP_TCGEN05);
}

void zl_rp_load(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    zl_rp_acc_state *s = zl_rp_acc_of(c, i, e->acc);
    if (zl_rp_acc_is_written(i, s)) zl_rp_break_flight(c, s, s->kind, i->pc);
    if (zl_rp_acc_is_read(i, s)) zl_rp_break_flight(c, s, s->reader_kind, i->pc);
    use_columns(c, i, e, 0, false, ZL_RP_TLD, i->block);
    s->state = ZL_RP_ACCUMULATED;
    s->kind = ZL_RP_TLD;
    s->group = zl_rp_close_alone(i, ZL_RP_TLD);
    zl_rp_change_acc(c, i, e->acc);
    s->unfenced = true;
    s->event = i->pc;
}

void zl_rp_put(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    zl_rp_acc_state *s = zl_rp_acc_of(c, i, e->acc);
    zl_rp_use_acc(c, i, e->acc, true, i->pc);
    use_columns(c, i, e, 0, true, ZL_RP_TST, i->block);
    s->reader = zl_rp_close_alone(i, ZL_RP_TST);
    s->reader_kind = ZL_RP_TST;
}

/* ---- columns ---- */

static zl_rp_columns *columns_of(zl_replay *c, uint32_t tmem, uint32_t block)
{
    return &c->columns[tmem * c->blocks + block];
}

static int64_t size_of(const zl_replay *c, uint32_t tmem)
{
    return (int64_t)c->pipe->tmems[tmem].columns * c->pipe->tmems[tmem].stages;
}

/* Whether the thread knows the operation; without an instance (setup) everything is known. */
static bool is_known(const zl_replay *c, const zl_rp_instance *i, int32_t op)
{
    return !i || zl_rp_has(c, zl_rp_set(i->first, ZL_RP_KNOWS), op);
}

void zl_rp_check_live(zl_replay *c, const zl_rp_instance *i, int32_t tmem, uint32_t block,
                      uint32_t event)
{
    const zl_rp_columns *s = columns_of(c, (uint32_t)tmem, block);
    if (!s->allocated || s->freed || !is_known(c, i, s->by))
        zl_rp_break(c, ZLAY_PIPE_TMEM_USE, event, s->event);
}

/* Sums the columns that may be allocated now, and checks that no larger allocation may come
 * later. */
static int64_t check_others(zl_replay *c, const zl_rp_instance *i, uint32_t block, uint32_t tmem,
                            uint32_t event)
{
    int64_t alive = 0;
    for (uint32_t t = 0; t < c->pipe->tmems_count; t++) {
        const zl_rp_columns *s = columns_of(c, t, block);
        if (!s->allocated) continue;
        bool before = is_known(c, i, s->by);
        if (before ? size_of(c, tmem) > size_of(c, t) : size_of(c, tmem) != size_of(c, t))
            zl_rp_break(c, ZLAY_PIPE_TMEM_COLUMNS, event, s->event);
        if (!s->freed || !is_known(c, i, s->freed_by)) alive += size_of(c, t);
    }
    return alive;
}

static void forget_content(zl_replay *c, uint32_t tmem, uint32_t block)
{
    for (uint32_t slot = 0; slot < c->pipe->tmems[tmem].stages; slot++) {
        zl_rp_shadow *p = zl_rp_tmem(c, block, (int32_t)tmem, slot);
        p->any = false;
        p->count = 0;
    }
}

static bool allocate(zl_replay *c, const zl_rp_instance *i, uint32_t block, const zl_event *e)
{
    uint32_t tmem = (uint32_t)e->tmem[0], event = zl_rp_line(c, e);
    zl_rp_columns *s = columns_of(c, tmem, block);
    bool again = s->allocated && !(s->freed && is_known(c, i, s->freed_by));
    if (again || c->relinquished[block]) zl_rp_break(c, ZLAY_PIPE_TMEM_ALLOC, event, s->event);
    int64_t alive = check_others(c, i, block, tmem, event);
    if (c->live_columns[block] + size_of(c, tmem) > COLUMNS) return false;
    if (!c->rule && alive + size_of(c, tmem) > COLUMNS)
        c->status = zl_fail(c->ctx, ZLAY_ELIMIT,
                            "line %u waits for columns in one order of the roles", e->line);
    c->live_columns[block] += size_of(c, tmem);
    if (s->freed) forget_content(c, tmem, block);
    *s = (zl_rp_columns){.allocated = true, .by = -1, .freed_by = -1, .event = event};
    return true;
}

bool zl_rp_alloc(zl_replay *c, const zl_rp_instance *i, const zl_event *e)
{
    if (!allocate(c, i, i->block, e)) return false;
    columns_of(c, (uint32_t)e->tmem[0], i->block)->by = zl_rp_did(c, i->first, false);
    return true;
}

void zl_rp_setup_columns(zl_replay *c)
{
    for (uint32_t k = 0; k < c->pipe->setup; k++)
        for (uint32_t b = 0; b < c->blocks; b++) {
            const zl_event *e = &c->pipe->events[k];
            if (e->kind == ZL_EV_RELINQUISH) c->relinquished[b] = true;
            if (e->kind == ZL_EV_ALLOC && !allocate(c, NULL, b, e))
                zl_rp_break(c, ZLAY_PIPE_TMEM_COLUMNS, k, UINT32_MAX);
        }
}

void zl_rp_relinquish(zl_replay *c, const zl_rp_instance *i)
{
    for (uint32_t t = 0; t < c->pipe->tmems_count; t++) {
        const zl_rp_columns *s = columns_of(c, t, i->block);
        if (s->allocated && !is_known(c, i, s->by))
            zl_rp_break(c, ZLAY_PIPE_TMEM_ALLOC, s->event, i->pc);
    }
    c->relinquished[i->block] = true;
}

/* Frees columns; every access of them must be known to be complete. */
void zl_rp_dealloc(zl_replay *c, const zl_rp_instance *i, const zl_event *e)
{
    zl_rp_columns *s = columns_of(c, (uint32_t)e->tmem[0], i->block);
    if (!s->allocated || s->freed) {
        zl_rp_break(c, ZLAY_PIPE_TMEM_ALLOC, i->pc, s->event);
        return;
    }
    zl_rp_check_live(c, i, e->tmem[0], i->block, i->pc);
    for (uint32_t slot = 0; slot < c->pipe->tmems[e->tmem[0]].stages; slot++) {
        const zl_rp_shadow *p = zl_rp_tmem(c, i->block, e->tmem[0], slot);
        for (uint32_t k = 0; k < p->count; k++)
            for (uint32_t n = 0; n < p->accesses[k].count; n++)
                if (!is_known(c, i, p->accesses[k].over[n]))
                    zl_rp_break(c, ZLAY_PIPE_TMEM_USE, i->pc, p->accesses[k].event);
    }
    s->freed = true;
    s->freed_by = zl_rp_did(c, i->first, false);
    s->event = i->pc;
    c->live_columns[i->block] -= size_of(c, (uint32_t)e->tmem[0]);
}
