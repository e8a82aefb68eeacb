/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, and ordinary loads and stores. */
#include "pipe/runs/state/clock.h"

static zl_class *one(zl_run *r, const zl_instance *i) { return &r->classes[i->first]; }

/* ---- copies ---- */

/* A thread knows that one of the grid has waited for the grid before. */
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

static void use_map(zl_run *r, zl_instance *i, const zl_event *e, zl_cond over)
{
    zl_spot *p = zl_other_place(r, e->map,
                                 zl_run_slot(r, i, &e->map_at, r->pipe->others[e->map].stages));
    zl_touch touch = {.cond = {over}, .conds = 1, .event = zl_event_index(r, e), .proxy = ZL_ASYNC};
    const zl_class *c = one(r, i);
    for (uint32_t k = 0; k < p->count; k++) {
        const zl_touch *t = &p->touches[k];
        if (!t->write) continue;
        for (uint32_t n = 0; n < t->conds; n++)
            if (c->mapped[t->cond[n].comp] < t->cond[n].value)
                zl_run_fault(r, ZLAY_PIPE_MAP, touch.event, t->event, 0, 0);
    }
    touch.instance = (int32_t)(i - r->instances);
    zl_spot_keep(p, &touch);
}

static void land(zl_run *r, zl_instance *i, const zl_event *e, uint32_t block)
{
    uint32_t slot = zl_run_slot(r, i, &e->at[0], r->pipe->smems[e->smem[0]].stages);
    zl_gate *g = zl_run_gate(r, i, e, e->bar_cta == ZL_CTA_OWN ? block : (uint32_t)e->bar_cta);
    zl_touch touch = {.cond = {{g->comp, g->phase + 1}}, .conds = 1, .event = zl_event_index(r, e),
                      .part = e->part, .bytes = e->count, .proxy = ZL_ASYNC};
    zl_spot_write(r, zl_smem_place(r, i, block, e->smem[0], slot), i, false,
                   zl_run_value(r, i, &e->at[0]), &touch);
    if (e->map >= 0) use_map(r, i, e, touch.cond[0]);
    if (e->scope == ZL_COPY_SHARED) {
        zl_touch from = {.cond = {touch.cond[0]}, .conds = 1, .event = touch.event,
                         .proxy = ZL_ASYNC};
        uint32_t at = zl_run_slot(r, i, &e->at[1], r->pipe->smems[e->smem[1]].stages);
        zl_spot_read(r, zl_smem_place(r, i, (uint32_t)i->cta, e->smem[1], at), i, false,
                      zl_run_value(r, i, &e->at[1]), &from);
        zl_run_owe(r, i->cta, touch.cond[0], touch.event);
    }
    zl_run_owe(r, (int32_t)block, touch.cond[0], touch.event);
    zl_gate_signal(r, g, one(r, i), e->count, touch.event);
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
    zl_touch touch = {.event = zl_event_index(r, e), .part = e->part, .proxy = ZL_ASYNC};
    uint32_t slot = zl_run_slot(r, i, &e->at[0], r->pipe->smems[e->smem[0]].stages);
    zl_spot *p = zl_smem_place(r, i, (uint32_t)i->cta, e->smem[0], slot);
    zl_touch_group(r, &touch, i, ZL_OF_BULK_READ);
    zl_spot_read(r, p, i, false, zl_run_value(r, i, &e->at[0]), &touch);
    if (e->count != p->size) zl_run_fault(r, ZLAY_PIPE_BYTES, touch.event, UINT32_MAX, e->count, p->size);
    if (e->other >= 0) {
        zl_touch to = {.event = touch.event, .part = e->part, .proxy = ZL_ASYNC};
        uint32_t at = zl_run_slot(r, i, &e->other_at, r->pipe->others[e->other].stages);
        zl_touch_group(r, &to, i, ZL_OF_BULK);
        zl_spot_write(r, zl_other_place(r, e->other, at), i, false,
                       zl_run_value(r, i, &e->other_at), &to);
    }
    if (e->map >= 0) {
        zl_touch_group(r, &touch, i, ZL_OF_BULK);
        use_map(r, i, e, touch.cond[0]);
    }
    i->open[ZL_OF_BULK] = true;
    i->opened[ZL_OF_BULK] = touch.event;
}

void zl_run_cpasync(zl_run *r, zl_instance *i, const zl_event *e)
{
    zl_touch touch = {.event = zl_event_index(r, e), .part = e->part, .bytes = e->count,
                      .proxy = ZL_GENERIC};
    uint32_t slot = zl_run_slot(r, i, &e->at[0], r->pipe->smems[e->smem[0]].stages);
    zl_run_check_grid(r, i, e);
    zl_touch_group(r, &touch, i, ZL_OF_CPASYNC);
    zl_spot_write(r, zl_smem_place(r, i, (uint32_t)i->cta, e->smem[0], slot), i, true,
                   zl_run_value(r, i, &e->at[0]), &touch);
    i->open[ZL_OF_CPASYNC] = true;
    i->opened[ZL_OF_CPASYNC] = touch.event;
}

/* ---- ordinary loads and stores ---- */

static void touch_other(zl_run *r, zl_instance *i, const zl_event *e, bool write)
{
    zl_touch touch = {.event = zl_event_index(r, e), .part = e->part, .proxy = ZL_GENERIC};
    uint32_t slot = zl_run_slot(r, i, &e->other_at, r->pipe->others[e->other].stages);
    zl_spot *p = zl_other_place(r, e->other, slot);
    int64_t tag = zl_run_value(r, i, &e->other_at);
    zl_run_check_grid(r, i, e);
    zl_touch_now(r, &touch, i, true);
    if (write) zl_spot_write(r, p, i, true, tag, &touch);
    else zl_spot_read(r, p, i, true, tag, &touch);
}

static void touch_shared(zl_run *r, zl_instance *i, const zl_event *e, bool write, uint32_t block)
{
    zl_touch touch = {.event = zl_event_index(r, e), .part = e->part, .proxy = ZL_GENERIC,
                      .bytes = write ? e->count : 0};
    uint32_t slot = zl_run_slot(r, i, &e->at[0], r->pipe->smems[e->smem[0]].stages);
    zl_spot *p = zl_smem_place(r, i, block, e->smem[0], slot);
    int64_t tag = zl_run_value(r, i, &e->at[0]);
    zl_touch_now(r, &touch, i, true);
    if (write) zl_spot_write(r, p, i, true, tag, &touch);
    else zl_spot_read(r, p, i, true, tag, &touch);
    for (uint32_t k = 0; (int32_t)block != i->cta && k < touch.conds; k++)
        zl_run_owe(r, (int32_t)block, touch.cond[k], touch.event);
}

void zl_run_touch(zl_run *r, zl_instance *i, const zl_event *e)
{
    bool write = e->kind == ZL_EV_WRITE || e->kind == ZL_EV_STMATRIX;
    if (e->acc >= 0) zl_sum_use(r, i, e->acc, true, zl_event_index(r, e));
    if (e->other >= 0) {
        touch_other(r, i, e, write);
        return;
    }
    for (uint32_t b = UINT32_MAX; zl_run_next_block(r, i, e, &b);) touch_shared(r, i, e, write, b);
}

void zl_run_update(zl_run *r, zl_instance *i, const zl_event *e)
{
    uint32_t slot = zl_run_slot(r, i, &e->map_at, r->pipe->others[e->map].stages);
    zl_spot *p = zl_other_place(r, e->map, slot);
    zl_touch touch = {.event = zl_event_index(r, e), .proxy = ZL_GENERIC};
    zl_run_check_grid(r, i, e);
    zl_touch_now(r, &touch, i, true);
    zl_spot_write(r, p, i, true, 0, &touch);
    if (r->fault.event == touch.event && r->fault.rule == ZLAY_PIPE_OVERWRITE)
        r->fault.rule = ZLAY_PIPE_MAP;
}
