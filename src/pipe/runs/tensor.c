/* SPDX-License-Identifier: Apache-2.0 */
/* Runs products and tensor memory: wgmma into registers, tcgen05.mma into tensor memory, and
 * tcgen05 loads, stores and copies. Operands become accesses of shadow state that complete with
 * their group. */
#include "pipe/runs/run.h"

/* ---- products ---- */

/* Adds a wgmma product into registers: they are fenced, and the sum is begun or continued. */
static void add_product(zl_run *r, zl_instance *i, const zl_event *e)
{
    uint32_t event = zl_event_index(r, e);
    zl_acc_state *s = zl_run_acc(r, i, e->acc);
    if (s->unfenced) zl_run_fault(r, ZLAY_PIPE_FENCE, event, s->event, 0, 0);
    if (e->fresh ? s->unread : s->state != ZL_ACC_SUM)
        zl_run_fault(r, ZLAY_PIPE_STAGE, event, s->event, e->fresh, !e->fresh);
    if ((s->kind != ZL_OF_WGMMA && zl_acc_in_flight(i, s)) || zl_acc_being_read(i, s))
        zl_run_fault(r, ZLAY_PIPE_FENCE, event, s->event, 1, 0);
    s->state = ZL_ACC_SUM;
    zl_acc_factors(r, i, e, &s->factors);
    s->unread = true;
    s->kind = ZL_OF_WGMMA;
    s->group = i->issued[ZL_OF_WGMMA] + 1;
    s->version = i->epoch;
    s->event = event;
}

/* Registers as a factor of wgmma: complete, fenced, and not written until the product is
 * complete. */
static void read_factor(zl_run *r, zl_instance *i, const zl_event *e)
{
    uint32_t event = zl_event_index(r, e);
    zl_acc_state *s = zl_run_acc(r, i, e->acc_a);
    if (s->state == ZL_ACC_EMPTY) zl_run_fault(r, ZLAY_PIPE_STAGE, event, UINT32_MAX, 0, 1);
    if (zl_acc_in_flight(i, s) || s->unfenced) zl_run_fault(r, ZLAY_PIPE_FENCE, event, s->event, 1, 0);
    s->state = ZL_ACC_TAKEN;
    s->unread = false;
    s->reader = i->issued[ZL_OF_WGMMA] + 1;
    s->reader_kind = ZL_OF_WGMMA;
}

/* A product or copy reads an operand in shared memory. */
static void read_operand(zl_run *r, zl_instance *i, const zl_event *e, int k, uint32_t block,
                         int group)
{
    zl_mem_access access = {.event = zl_event_index(r, e), .part = -1, .proxy = ZL_ASYNC};
    uint32_t slot = zl_run_slot(r, i, &e->at[k], r->pipe->smems[e->smem[k]].stages);
    zl_access_group(r, &access, i, group);
    zl_shadow_read(r, zl_smem_place(r, i, block, e->smem[k], slot), i, group == ZL_OF_WGMMA,
                  zl_run_value(r, i, &e->at[k]), &access);
}

static void open_group(zl_run *r, zl_instance *i, int group, const zl_event *e)
{
    i->open[group] = true;
    i->opened[group] = zl_event_index(r, e);
}

static void warpgroup_product(zl_run *r, zl_instance *i, const zl_event *e)
{
    for (int k = 0; k < 2; k++)
        if (e->smem[k] >= 0) read_operand(r, i, e, k, (uint32_t)i->cta, ZL_OF_WGMMA);
    if (e->acc_a >= 0) read_factor(r, i, e);
    add_product(r, i, e);
    open_group(r, i, ZL_OF_WGMMA, e);
}

/* ---- tensor memory ---- */

/* The blocks whose tensor memory an event of this tmem uses: both of a pair, else the own. */
static uint32_t blocks_of(const zl_run *r, const zl_instance *i, int32_t tmem, uint32_t *first)
{
    bool pair = r->pipe->tmems[tmem].pair;
    *first = pair ? (uint32_t)i->cta & ~1u : (uint32_t)i->cta;
    return pair && *first + 1 < r->pipe->blocks ? 2 : 1;
}

/* Accesses a stage of tensor memory, which must be allocated and hold what is read. */
static void use_columns(zl_run *r, zl_instance *i, const zl_event *e, int k, bool write, int group,
                        uint32_t block)
{
    zl_mem_access access = {.event = zl_event_index(r, e), .proxy = ZL_TENSOR};
    int32_t tmem = e->tmem[k];
    uint32_t slot = zl_run_slot(r, i, &e->tmem_at[k], r->pipe->tmems[tmem].stages);
    int64_t tag = zl_run_value(r, i, &e->tmem_at[k]);
    zl_shadow *p = zl_tmem_place(r, block, tmem, slot);
    bool warps = group != ZL_OF_TCGEN05;
    zl_columns_live(r, i, tmem, block, access.event);
    zl_access_group(r, &access, i, group);
    if (!write && (!p->any || p->tag != tag))
        zl_run_fault(r, ZLAY_PIPE_STAGE, access.event, p->any ? p->writer : UINT32_MAX, p->tag, tag);
    if (write) zl_shadow_write(r, p, i, warps, tag, &access);
    else zl_shadow_read(r, p, i, warps, tag, &access);
}

/* Writes a sum into tensor memory; a new sum may begin only where the last was read. */
static void write_sum(zl_run *r, zl_instance *i, const zl_event *e, uint32_t block, zl_shadow *p)
{
    bool unread = p->unread;
    p->unread = false;
    use_columns(r, i, e, 0, true, ZL_OF_TCGEN05, block);
    if (unread && e->fresh)
        zl_run_fault(r, ZLAY_PIPE_STAGE, zl_event_index(r, e), p->writer, 2, 1);
    p->unread = true;
}

/* tcgen05.mma: continues the sum only if the stage holds one begun at the same index. */
static void tensor_product(zl_run *r, zl_instance *i, const zl_event *e)
{
    uint32_t first, blocks = blocks_of(r, i, e->tmem[0], &first);
    uint32_t slot = zl_run_slot(r, i, &e->tmem_at[0], r->pipe->tmems[e->tmem[0]].stages);
    int64_t tag = zl_run_value(r, i, &e->tmem_at[0]);
    for (uint32_t b = first; b < first + blocks; b++) {
        zl_shadow *p = zl_tmem_place(r, b, e->tmem[0], slot);
        if (b == first) zl_acc_factors(r, i, e, &p->factors);
        if (!e->fresh && (!p->any || p->tag != tag))
            zl_run_fault(r, ZLAY_PIPE_STAGE, zl_event_index(r, e), p->any ? p->writer : UINT32_MAX,
                         p->tag, tag);
        for (int k = 0; k < 2; k++)
            if (e->smem[k] >= 0) read_operand(r, i, e, k, b, ZL_OF_TCGEN05);
        if (e->tmem[1] >= 0) use_columns(r, i, e, 1, false, ZL_OF_TCGEN05, b);
        write_sum(r, i, e, b, p);
    }
    open_group(r, i, ZL_OF_TCGEN05, e);
}

void zl_run_products(zl_run *r, zl_instance *i, const zl_event *e)
{
    if (e->acc_b >= 0) zl_run_multiply(r, i, e);
    else if (e->tmem[0] >= 0) tensor_product(r, i, e);
    else warpgroup_product(r, i, e);
}

/* ---- loads, stores, copies ---- */

/* tcgen05.ld into registers. */
static void load(zl_run *r, zl_instance *i, const zl_event *e)
{
    zl_acc_state *s = zl_run_acc(r, i, e->acc);
    if (zl_acc_in_flight(i, s) || zl_acc_being_read(i, s))
        zl_run_fault(r, zl_acc_rule(zl_acc_in_flight(i, s) ? s->kind : s->reader_kind),
                     zl_event_index(r, e), s->event, 1, 0);
    use_columns(r, i, e, 0, false, ZL_OF_TLD, (uint32_t)i->cta);
    s->state = ZL_ACC_SUM;
    s->kind = ZL_OF_TLD;
    s->group = i->last[ZL_OF_TLD] = ++i->issued[ZL_OF_TLD];
    s->version = i->epoch;
    s->unfenced = true;
    s->event = zl_event_index(r, e);
}

/* tcgen05.st from registers. */
static void store(zl_run *r, zl_instance *i, const zl_event *e)
{
    uint32_t event = zl_event_index(r, e);
    zl_acc_state *s = zl_run_acc(r, i, e->acc);
    zl_acc_use(r, i, e->acc, true, event);
    use_columns(r, i, e, 0, true, ZL_OF_TST, (uint32_t)i->cta);
    s->reader = i->last[ZL_OF_TST] = ++i->issued[ZL_OF_TST];
    s->reader_kind = ZL_OF_TST;
}

/* tcgen05.cp from shared memory. */
static void copy(zl_run *r, zl_instance *i, const zl_event *e)
{
    uint32_t first, blocks = blocks_of(r, i, e->tmem[0], &first);
    for (uint32_t b = first; b < first + blocks; b++) {
        read_operand(r, i, e, 0, b, ZL_OF_TCGEN05);
        use_columns(r, i, e, 0, true, ZL_OF_TCGEN05, b);
    }
    open_group(r, i, ZL_OF_TCGEN05, e);
}

bool zl_run_tensor(zl_run *r, zl_instance *i, const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_ALLOC: return zl_columns_alloc(r, i, e);
    case ZL_EV_DEALLOC: zl_columns_free(r, i, e); break;
    case ZL_EV_RELINQUISH: zl_columns_relinquish(r, i, e); break;
    case ZL_EV_TLD: load(r, i, e); break;
    case ZL_EV_TST: store(r, i, e); break;
    default: copy(r, i, e);
    }
    return true;
}
