/* SPDX-License-Identifier: Apache-2.0 */
/* Runs copies by the async proxy (TMA tensor and bulk copies, bulk stores, cp.async), ordinary
 * loads and stores, and updates of tensor maps. Each turns into accesses of shadow state
 * (zl_mem_access) with the clock condition under which the access is complete: the phase of an
 * mbarrier slot, a bulk or cp.async group, or the thread's own epoch. */
#include "pipe/runs/state/clock.h"

/* The class that issues: the first of the instance. */
static zl_class *one(zl_run *r, const zl_instance *i) { return &r->classes[i->first]; }

/* ---- copies ---- */

/* Whether the class knows that some thread of this grid has passed `griddep wait`. */
static bool knows_grid(const zl_run *r, const zl_class *c)
{
    for (const zl_instance *i = r->instances; i < r->instances + r->instances_count; i++)
        for (uint32_t k = i->first; i->grid && k < i->first + i->classes; k++)
            if (c->clock[zl_comp_control(r, k)] >= i->grid) return true;
    return false;
}

void zl_run_check_grid(zl_run *r, const zl_instance *i, const zl_event *e)
{
    bool known = true;
    uint32_t classes = zl_event_by(e) == ZL_RUN_ONE ? 1 : i->classes;
    if (r->grid == UINT32_MAX || i->grid) return;
    for (uint32_t k = 0; k < classes; k++) known &= knows_grid(r, &r->classes[i->first + k]);
    if (!known) zl_run_fault(r, ZLAY_PIPE_GRID, zl_event_index(r, e), r->grid, 0, 1);
}

/* A copy reads its tensor map: each write to the map must be covered by a
 * fence.proxy.tensormap of the thread. */
static void use_map(zl_run *r, zl_instance *i, const zl_event *e, zl_cond over)
{
    zl_shadow *p = zl_other_place(r, e->map,
                                 zl_run_slot(r, i, &e->map_at, r->pipe->others[e->map].stages));
    zl_mem_access access = {.cond = {over}, .conds = 1, .event = zl_event_index(r, e), .proxy = ZL_ASYNC};
    const zl_class *c = one(r, i);
    for (uint32_t k = 0; k < p->count; k++) {
        const zl_mem_access *t = &p->accesses[k];
        if (!t->write) continue;
        for (uint32_t n = 0; n < t->conds; n++)
            if (c->mapped[t->cond[n].comp] < t->cond[n].value)
                zl_run_fault(r, ZLAY_PIPE_MAP, access.event, t->event, 0, 0);
    }
    access.instance = (int32_t)(i - r->instances);
    zl_shadow_keep(p, &access);
}

/* One block's part of a copy: a write there, reads of its source and map, and bytes for the
 * mbarrier slot. */
static void land(zl_run *r, zl_instance *i, const zl_event *e, uint32_t block)
{
    uint32_t slot = zl_run_slot(r, i, &e->at[0], r->pipe->smems[e->smem[0]].stages);
    zl_mbar *g = zl_run_mbar(r, i, e, e->bar_cta == ZL_CTA_OWN ? block : (uint32_t)e->bar_cta);
    zl_mem_access access = {.cond = {{g->comp, g->phase + 1}}, .conds = 1, .event = zl_event_index(r, e),
                      .part = e->part, .bytes = e->count, .proxy = ZL_ASYNC};
    zl_shadow_write(r, zl_smem_place(r, i, block, e->smem[0], slot), i, false,
                   zl_run_value(r, i, &e->at[0]), &access);
    if (e->map >= 0) use_map(r, i, e, access.cond[0]);
    if (e->scope == ZL_COPY_SHARED) {
        zl_mem_access from = {.cond = {access.cond[0]}, .conds = 1, .event = access.event,
                         .proxy = ZL_ASYNC};
        uint32_t at = zl_run_slot(r, i, &e->at[1], r->pipe->smems[e->smem[1]].stages);
        zl_shadow_read(r, zl_smem_place(r, i, (uint32_t)i->cta, e->smem[1], at), i, false,
                      zl_run_value(r, i, &e->at[1]), &from);
        zl_run_owe(r, i->cta, access.cond[0], access.event);
    }
    zl_run_owe(r, (int32_t)block, access.cond[0], access.event);
    zl_mbar_signal(r, g, one(r, i), e->count, access.event);
}

void zl_run_copy(zl_run *r, zl_instance *i, const zl_event *e)
{
    if (e->scope != ZL_COPY_SHARED) zl_run_check_grid(r, i, e);
    if (e->multicast) {
        for (uint32_t b = UINT32_MAX; zl_run_next_of_mask(r, i, e->multicast, &b);) land(r, i, e, b);
        return;
    }
    for (uint32_t b = UINT32_MAX; zl_run_next_block(r, i, e, &b);) land(r, i, e, b);
}

void zl_run_store(zl_run *r, zl_instance *i, const zl_event *e)
{
    zl_run_check_grid(r, i, e);
    zl_mem_access access = {.event = zl_event_index(r, e), .part = e->part, .proxy = ZL_ASYNC};
    uint32_t slot = zl_run_slot(r, i, &e->at[0], r->pipe->smems[e->smem[0]].stages);
    zl_shadow *p = zl_smem_place(r, i, (uint32_t)i->cta, e->smem[0], slot);
    zl_access_group(r, &access, i, ZL_OF_BULK_READ);
    zl_shadow_read(r, p, i, false, zl_run_value(r, i, &e->at[0]), &access);
    if (e->count != p->size) zl_run_fault(r, ZLAY_PIPE_BYTES, access.event, UINT32_MAX, e->count, p->size);
    if (e->other >= 0) {
        zl_mem_access to = {.event = access.event, .part = e->part, .proxy = ZL_ASYNC};
        uint32_t at = zl_run_other_slot(r, i, e);
        zl_access_group(r, &to, i, ZL_OF_BULK);
        zl_shadow_write(r, zl_other_place(r, e->other, at), i, false,
                       zl_run_value(r, i, &e->other_at), &to);
    }
    if (e->map >= 0) {
        zl_access_group(r, &access, i, ZL_OF_BULK);
        use_map(r, i, e, access.cond[0]);
    }
    i->open[ZL_OF_BULK] = true;
    i->opened[ZL_OF_BULK] = access.event;
}

void zl_run_cpasync(zl_run *r, zl_instance *i, const zl_event *e)
{
    zl_mem_access access = {.event = zl_event_index(r, e), .part = e->part, .bytes = e->count,
                      .proxy = ZL_GENERIC};
    uint32_t slot = zl_run_slot(r, i, &e->at[0], r->pipe->smems[e->smem[0]].stages);
    zl_run_check_grid(r, i, e);
    zl_access_group(r, &access, i, ZL_OF_CPASYNC);
    zl_shadow_write(r, zl_smem_place(r, i, (uint32_t)i->cta, e->smem[0], slot), i, true,
                   zl_run_value(r, i, &e->at[0]), &access);
    i->open[ZL_OF_CPASYNC] = true;
    i->opened[ZL_OF_CPASYNC] = access.event;
}

/* ---- ordinary loads and stores ---- */

/* An ordinary load or store of global memory. */
static void access_other(zl_run *r, zl_instance *i, const zl_event *e, bool write)
{
    zl_mem_access access = {.event = zl_event_index(r, e), .part = e->part, .proxy = ZL_GENERIC};
    uint32_t slot = zl_run_other_slot(r, i, e);
    zl_shadow *p = zl_other_place(r, e->other, slot);
    int64_t tag = zl_run_value(r, i, &e->other_at);
    zl_run_check_grid(r, i, e);
    zl_access_now(r, &access, i, true);
    if (write) zl_shadow_write(r, p, i, true, tag, &access);
    else zl_shadow_read(r, p, i, true, tag, &access);
}

/* An ordinary load or store of shared memory of a block, which may be a peer's. */
static void access_shared(zl_run *r, zl_instance *i, const zl_event *e, bool write, uint32_t block)
{
    zl_mem_access access = {.event = zl_event_index(r, e), .part = e->part, .proxy = ZL_GENERIC,
                      .bytes = write ? e->count : 0};
    uint32_t slot = zl_run_slot(r, i, &e->at[0], r->pipe->smems[e->smem[0]].stages);
    zl_shadow *p = zl_smem_place(r, i, block, e->smem[0], slot);
    int64_t tag = zl_run_value(r, i, &e->at[0]);
    zl_access_now(r, &access, i, true);
    if (write) zl_shadow_write(r, p, i, true, tag, &access);
    else zl_shadow_read(r, p, i, true, tag, &access);
    for (uint32_t k = 0; (int32_t)block != i->cta && k < access.conds; k++)
        zl_run_owe(r, (int32_t)block, access.cond[k], access.event);
}

void zl_run_access(zl_run *r, zl_instance *i, const zl_event *e)
{
    bool write = e->kind == ZL_EV_WRITE || e->kind == ZL_EV_STMATRIX;
    if (e->acc >= 0) zl_acc_use(r, i, e->acc, true, zl_event_index(r, e));
    if (e->other >= 0) {
        access_other(r, i, e, write);
        return;
    }
    for (uint32_t b = UINT32_MAX; zl_run_next_block(r, i, e, &b);) access_shared(r, i, e, write, b);
}

void zl_run_update(zl_run *r, zl_instance *i, const zl_event *e)
{
    uint32_t slot = zl_run_slot(r, i, &e->map_at, r->pipe->others[e->map].stages);
    zl_shadow *p = zl_other_place(r, e->map, slot);
    zl_mem_access access = {.event = zl_event_index(r, e), .proxy = ZL_GENERIC};
    zl_run_check_grid(r, i, e);
    zl_access_now(r, &access, i, true);
    zl_shadow_write(r, p, i, true, 0, &access);
    if (r->fault.event == access.event && r->fault.rule == ZLAY_PIPE_OVERWRITE)
        r->fault.rule = ZLAY_PIPE_MAP;
}
