/* SPDX-License-Identifier: Apache-2.0 */
/* Runs copies by the async proxy, cp.async, ordinary loads and stores, and updates of tensor maps
 * for the checker. Each becomes an access (zl_rp_access): who makes it, through which proxy, and
 * the operations whose completion completes it. use.c checks it against the earlier accesses of the
 * same stage. */
#include "pipe/replay/acc.h"

/* The shadow state of the stage that operand k of an event names. */
static zl_rp_shadow *smem_at(zl_replay *c, const zl_rp_instance *i, const zl_event *e, int k,
                            uint32_t block)
{
    uint32_t slot = zl_rp_slot(c, i, &e->at[k], zl_rp_ring_smem(c, e->smem[k]), block,
                               c->pipe->smems[e->smem[k]].stages);
    return zl_rp_smem(c, i, block, e->smem[k], slot);
}

/* The shadow state of a map or of global memory that an event names. */
static zl_rp_shadow *other_at(zl_replay *c, const zl_rp_instance *i, int32_t other,
                             const zl_pos *pos)
{
    return &c->places[c->other_at[other] + zl_rp_slot(c, i, pos, zl_rp_ring_other(c, other), 0,
                                                      c->pipe->others[other].stages)];
}

/* ---- uses ---- */

/* An access by the async proxy, complete with one operation. */
static zl_rp_access async_access(const zl_replay *c, const zl_event *e, int32_t op)
{
    return (zl_rp_access){.over = {op}, .count = 1, .event = zl_rp_line(c, e), .part = e->part,
                       .proxy = ZL_RP_ASYNC};
}

/* An ordinary access by all threads of the instance, each with its own operation. */
static zl_rp_access ordinary_access(zl_replay *c, const zl_rp_instance *i, const zl_event *e, bool write)
{
    zl_rp_access access = {.count = i->threads, .event = zl_rp_line(c, e), .part = e->part,
                     .proxy = ZL_RP_GENERIC, .bytes = write ? e->count : 0};
    for (uint32_t k = 0; k < i->threads; k++) access.over[k] = zl_rp_did(c, i->first + k, write);
    return access;
}

/* ---- copies ---- */

/* A copy reads its tensor map; its thread must have fenced since it knows of the writes to the
 * map. */
static void access_map(zl_replay *c, zl_rp_instance *i, const zl_event *e, int32_t op)
{
    zl_rp_shadow *p = other_at(c, i, e->map, &e->map_at);
    zl_rp_access access = async_access(c, e, op);
    access.part = 0;
    access.instance = (uint32_t)(i - c->instances);
    for (uint32_t k = 0; k < p->count; k++)
        for (uint32_t n = 0; p->accesses[k].write && n < p->accesses[k].count; n++)
            if (!zl_rp_has(c, zl_rp_set(i->first, ZL_RP_MAPPED), p->accesses[k].over[n]))
                zl_rp_break(c, ZLAY_PIPE_MAP, access.event, p->accesses[k].event);
    zl_rp_keep(c, p, &access);
}

/* One block's part of a copy. */
static void land(zl_replay *c, zl_rp_instance *i, const zl_event *e, uint32_t block)
{
    zl_rp_mbar *g = zl_rp_mbar_of(c, i, e, e->bar_cta == ZL_CTA_OWN ? block : (uint32_t)e->bar_cta);
    zl_rp_access to = async_access(c, e, g->next), from = to;
    int32_t over = g->next;
    to.bytes = e->count;
    zl_rp_write(c, smem_at(c, i, e, 0, block), i, false, zl_rp_value(c, i, &e->at[0]), &to);
    if (e->map >= 0) access_map(c, i, e, over);
    if (e->scope == ZL_COPY_SHARED) {
        from.part = 0;
        zl_rp_read(c, smem_at(c, i, e, 1, i->block), i, false, zl_rp_value(c, i, &e->at[1]), &from);
        zl_rp_owe(c, i->block, g, 0, over, to.event);
    }
    zl_rp_owe(c, block, g, 0, over, to.event);
    if (!c->rule) zl_rp_land(c, g, i->first, e->count, to.event);
}

void zl_rp_copy(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    uint32_t mask = zl_rp_blocks(c, i, e);
    if (e->scope != ZL_COPY_SHARED) zl_rp_check_grid(c, i);
    for (uint32_t b = 0; b < c->blocks; b++)
        if (mask >> b & 1) land(c, i, e, b);
}

void zl_rp_store(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    zl_rp_shadow *p = smem_at(c, i, e, 0, i->block);
    int32_t over = zl_rp_group(c, i, ZL_RP_BULK, i->first);
    zl_rp_access access = async_access(c, e, zl_rp_group(c, i, ZL_RP_BULK_READ, i->first));
    zl_rp_check_grid(c, i);
    zl_rp_read(c, p, i, false, zl_rp_value(c, i, &e->at[0]), &access);
    if (e->count != p->size) zl_rp_break(c, ZLAY_PIPE_BYTES, access.event, UINT32_MAX);
    if (e->other >= 0) {
        zl_rp_access to = async_access(c, e, over);
        zl_rp_write(c, other_at(c, i, e->other, &e->other_at), i, false,
                    zl_rp_value(c, i, &e->other_at), &to);
    }
    if (e->map >= 0) access_map(c, i, e, over);
    i->open[ZL_RP_BULK] = true;
    i->opened[ZL_RP_BULK] = i->opened[ZL_RP_BULK_READ] = access.event;
}

void zl_rp_cpasync(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    zl_rp_access access = {.count = i->threads, .event = zl_rp_line(c, e), .part = e->part,
                     .bytes = e->count, .proxy = ZL_RP_GENERIC};
    zl_rp_check_grid(c, i);
    for (uint32_t k = 0; k < i->threads; k++) {
        int32_t op = zl_rp_group(c, i, ZL_RP_CPASYNC, i->first + k);
        if (op >= 0 && c->ops[op].fenced < 0)
            c->ops[op].fenced = zl_rp_op_new(c, ZL_RP_FENCED, (int32_t)(i->first + k), 0);
        access.over[k] = op;
    }
    zl_rp_write(c, smem_at(c, i, e, 0, i->block), i, true, zl_rp_value(c, i, &e->at[0]), &access);
    i->open[ZL_RP_CPASYNC] = true;
    i->opened[ZL_RP_CPASYNC] = access.event;
}

/* ---- ordinary loads and stores ---- */

/* An ordinary access of a stage in one block; another block must not end before it is complete. */
static void access_shared(zl_replay *c, zl_rp_instance *i, const zl_event *e, bool write,
                         uint32_t block)
{
    zl_rp_shadow *p = smem_at(c, i, e, 0, block);
    zl_rp_access access = ordinary_access(c, i, e, write);
    int64_t index = zl_rp_value(c, i, &e->at[0]);
    if (write) zl_rp_write(c, p, i, true, index, &access);
    else zl_rp_read(c, p, i, true, index, &access);
    for (uint32_t k = 0; block != i->block && k < i->threads; k++)
        zl_rp_owe(c, block, NULL, i->first + k, access.over[k], access.event);
}

/* An ordinary load or store; of shared memory in each block that it names. */
void zl_rp_load_store(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    bool write = e->kind == ZL_EV_WRITE || e->kind == ZL_EV_STMATRIX;
    uint32_t mask = zl_rp_blocks(c, i, e);
    if (e->acc >= 0) zl_rp_use_acc(c, i, e->acc, true, i->pc);
    if (e->other < 0) {
        for (uint32_t b = 0; b < c->blocks; b++)
            if (mask >> b & 1) access_shared(c, i, e, write, b);
        return;
    }
    zl_rp_access access = ordinary_access(c, i, e, write);
    zl_rp_shadow *p = other_at(c, i, e->other, &e->other_at);
    int64_t index = zl_rp_value(c, i, &e->other_at);
    access.bytes = 0;
    zl_rp_check_grid(c, i);
    if (write) zl_rp_write(c, p, i, true, index, &access);
    else zl_rp_read(c, p, i, true, index, &access);
}

void zl_rp_update(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    zl_rp_access access = ordinary_access(c, i, e, true);
    zl_rp_check_grid(c, i);
    bool broke = c->rule != 0;
    access.part = 0;
    access.bytes = 0;
    zl_rp_write(c, other_at(c, i, e->map, &e->map_at), i, true, 0, &access);
    if (!broke && c->rule == ZLAY_PIPE_OVERWRITE) c->rule = ZLAY_PIPE_MAP;
}
