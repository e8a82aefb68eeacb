/* SPDX-License-Identifier: Apache-2.0 */
/* One event of an instance. */
#include "pipe/run.h"

#include <string.h>

/* ---- positions ---- */

int64_t zl_run_value(const zl_run *r, const zl_instance *i, const zl_pos *pos)
{
    int64_t sum = pos->add;
    if (pos->loop >= 0)
        sum += i->counter[pos->loop] * (pos->times >= 0 ? r->params[pos->times] : 1);
    return pos->plus >= 0 ? sum + r->params[pos->plus] : sum;
}

uint32_t zl_run_slot(zl_run *r, const zl_instance *i, const zl_pos *pos, uint32_t stages)
{
    int64_t at = zl_run_value(r, i, pos);
    if (at >= 0) return (uint32_t)(at % stages);
    zl_run_fault(r, ZLAY_PIPE_STAGE, i->pc, UINT32_MAX, at, 0);
    return 0;
}

void zl_run_fault(zl_run *r, int32_t rule, uint32_t event, uint32_t other, int64_t found,
                  int64_t wanted)
{
    if (!r->fault.rule) r->fault = (zl_fault){rule, event, other, found, wanted};
}

void zl_run_owe(zl_run *r, int32_t block, zl_cond cond, uint32_t event)
{
    size_t at = (size_t)block * r->comps + (size_t)cond.comp;
    if (r->debt[at] >= cond.value) return;
    r->debt[at] = (zl_tick)cond.value;
    r->debt_event[at] = event;
}

/* The block that an event speaks of, and the next one of `all`; false behind the last. */
static bool next_block(const zl_run *r, const zl_instance *i, const zl_event *e, uint32_t *block)
{
    uint32_t blocks = r->pipe->blocks, first = *block == UINT32_MAX ? 0 : *block + 1;
    if (e->cta == ZL_CTA_ALL) return (*block = first) < blocks;
    if (first) return false;
    *block = e->cta == ZL_CTA_OWN ? (uint32_t)i->cta : (uint32_t)e->cta;
    if (e->cta != ZL_CTA_OWN && e->relative) *block = (*block + (uint32_t)i->cta) % blocks;
    return true;
}

static bool next_of_mask(const zl_run *r, const zl_instance *i, uint32_t mask, uint32_t *block)
{
    uint32_t first = *block == UINT32_MAX ? 0 : *block + 1;
    if (!mask) mask = 1u << i->cta;
    for (*block = first; *block < r->pipe->blocks; ++*block)
        if (mask >> *block & 1) return true;
    return false;
}

bool zl_run_reaches(const zl_run *r, const zl_instance *i, const zl_event *e, uint32_t block)
{
    uint32_t b = UINT32_MAX;
    if (e->kind == ZL_EV_COPY && e->bar_cta != ZL_CTA_OWN) return block == (uint32_t)e->bar_cta;
    if (e->multicast) return e->multicast >> block & 1;
    if (e->kind != ZL_EV_ARRIVE && e->kind != ZL_EV_COPY) return block == (uint32_t)i->cta;
    while (next_block(r, i, e, &b))
        if (b == block) return true;
    return false;
}

bool zl_run_fills(const zl_run *r, const zl_instance *i, const zl_event *e, uint32_t block)
{
    uint32_t b = UINT32_MAX;
    if (e->kind == ZL_EV_COPY && e->multicast) return e->multicast >> block & 1;
    while (next_block(r, i, e, &b))
        if (b == block) return true;
    return false;
}

static zl_gate *gate_at(zl_run *r, const zl_instance *i, const zl_event *e, uint32_t block)
{
    return zl_gate_of(r, e->bar, block,
                      zl_run_slot(r, i, &e->bar_at, r->pipe->bars[e->bar].stages));
}

static zl_class *one(zl_run *r, const zl_instance *i) { return &r->classes[i->first]; }

/* ---- barriers ---- */

static void step_arrive(zl_run *r, zl_instance *i, const zl_event *e)
{
    for (uint32_t b = UINT32_MAX; next_block(r, i, e, &b);)
        for (uint32_t k = 0; k < i->classes; k++) {
            const zl_class *c = &r->classes[i->first + k];
            bool comes = e->scope == ZL_BY_THREADS || k == 0 ||
                         (e->scope == ZL_BY_WARPS && c->first_lane);
            if (comes)
                zl_gate_arrive(r, gate_at(r, i, e, b), c, c->threads * (int64_t)e->times,
                               zl_event_index(r, e));
        }
}

static bool step_wait(zl_run *r, zl_instance *i, const zl_event *e)
{
    int64_t at = zl_run_value(r, i, &e->parity);
    if (at < 0) {
        zl_run_fault(r, ZLAY_PIPE_PARITY, i->pc, UINT32_MAX, at, 0);
        return true;
    }
    int32_t parity = (int32_t)((at / r->pipe->bars[e->bar].stages + e->flip) & 1);
    return zl_gate_wait(r, i, gate_at(r, i, e, (uint32_t)i->cta), parity, i->pc);
}

/* ---- copies ---- */

static void check_grid(zl_run *r, const zl_instance *i, const zl_event *e)
{
    for (uint32_t k = 0; k < r->pipe->events_count; k++) {
        const zl_event *g = &r->pipe->events[k];
        if (g->kind == ZL_EV_GRIDDEP && g->scope == ZL_GRIDDEP_WAIT && !i->grid)
            zl_run_fault(r, ZLAY_PIPE_GRID, zl_event_index(r, e), k, 0, 1);
    }
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
    zl_spot_keep(r, p, &touch);
}

static void land(zl_run *r, zl_instance *i, const zl_event *e, uint32_t block)
{
    uint32_t slot = zl_run_slot(r, i, &e->at[0], r->pipe->smems[e->smem[0]].stages);
    zl_gate *g = gate_at(r, i, e, e->bar_cta == ZL_CTA_OWN ? block : (uint32_t)e->bar_cta);
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

static void step_copy(zl_run *r, zl_instance *i, const zl_event *e)
{
    if (e->scope != ZL_COPY_SHARED) check_grid(r, i, e);
    if (e->multicast) {
        for (uint32_t b = UINT32_MAX; next_of_mask(r, i, e->multicast, &b);) land(r, i, e, b);
        return;
    }
    for (uint32_t b = UINT32_MAX; next_block(r, i, e, &b);) land(r, i, e, b);
}

static void step_store(zl_run *r, zl_instance *i, const zl_event *e)
{
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

static void step_cpasync(zl_run *r, zl_instance *i, const zl_event *e)
{
    zl_touch touch = {.event = zl_event_index(r, e), .part = e->part, .bytes = e->count,
                      .proxy = ZL_GENERIC};
    uint32_t slot = zl_run_slot(r, i, &e->at[0], r->pipe->smems[e->smem[0]].stages);
    check_grid(r, i, e);
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

static void step_touch(zl_run *r, zl_instance *i, const zl_event *e)
{
    bool write = e->kind == ZL_EV_WRITE || e->kind == ZL_EV_STMATRIX;
    if (e->acc >= 0) zl_sum_use(r, i, e->acc, true, zl_event_index(r, e));
    if (e->other >= 0) {
        touch_other(r, i, e, write);
        return;
    }
    for (uint32_t b = UINT32_MAX; next_block(r, i, e, &b);) touch_shared(r, i, e, write, b);
}

static void step_update(zl_run *r, zl_instance *i, const zl_event *e)
{
    uint32_t slot = zl_run_slot(r, i, &e->map_at, r->pipe->others[e->map].stages);
    zl_spot *p = zl_other_place(r, e->map, slot);
    zl_touch touch = {.event = zl_event_index(r, e), .proxy = ZL_GENERIC};
    zl_touch_now(r, &touch, i, true);
    zl_spot_write(r, p, i, true, (int64_t)i->epoch, &touch);
    if (r->fault.event == touch.event && r->fault.rule == ZLAY_PIPE_OVERWRITE)
        r->fault.rule = ZLAY_PIPE_MAP;
}

/* ---- groups ---- */

static void commit_tensor(zl_run *r, zl_instance *i, const zl_event *e)
{
    zl_class *c = one(r, i);
    c->own[zl_comp_group(r, i, ZL_OF_TCGEN05, false)] = (zl_tick)i->issued[ZL_OF_TCGEN05];
    for (uint32_t b = UINT32_MAX; next_of_mask(r, i, e->multicast, &b);) {
        zl_gate *g = gate_at(r, i, e, b);
        zl_run_owe(r, g->cta, (zl_cond){g->comp, g->phase + 1}, zl_event_index(r, e));
        zl_gate_arrive(r, g, c, 1, zl_event_index(r, e));
    }
    c->own[zl_comp_group(r, i, ZL_OF_TCGEN05, false)] = 0;
}

static void step_commit(zl_run *r, zl_instance *i, const zl_event *e)
{
    static const int8_t groups[] = {
        [ZL_GROUP_WGMMA] = ZL_OF_WGMMA,     [ZL_GROUP_BULK] = ZL_OF_BULK,
        [ZL_GROUP_BULK_READ] = ZL_OF_BULK,  [ZL_GROUP_CPASYNC] = ZL_OF_CPASYNC,
        [ZL_GROUP_TCGEN05] = ZL_OF_TCGEN05,
    };
    int group = groups[e->scope];
    i->issued[group]++;
    i->open[group] = false;
    if (group == ZL_OF_BULK) i->issued[ZL_OF_BULK_READ]++;
    if (group == ZL_OF_TCGEN05) commit_tensor(r, i, e);
}

static void end_group(zl_run *r, zl_instance *i, int group, int64_t left)
{
    int32_t done = i->issued[group] - (int32_t)left;
    if (done <= i->done[group]) return;
    i->done[group] = done;
    for (uint32_t k = 0; k < i->classes; k++) {
        zl_class *c = &r->classes[i->first + k];
        if (group == ZL_OF_CPASYNC) zl_clock_set(c, zl_comp_cpasync(r, i->first + k), done, true);
        else if (group == ZL_OF_WGMMA)
            zl_clock_set(c, zl_comp_group(r, i, group, !c->first_warp), done, false);
        else if (k == 0) zl_clock_set(c, zl_comp_group(r, i, group, false), done, true);
    }
}

static void step_waitgroup(zl_run *r, zl_instance *i, const zl_event *e)
{
    switch (e->scope) {
    case ZL_GROUP_WGMMA: end_group(r, i, ZL_OF_WGMMA, e->count); break;
    case ZL_GROUP_CPASYNC: end_group(r, i, ZL_OF_CPASYNC, e->count); break;
    case ZL_GROUP_BULK: end_group(r, i, ZL_OF_BULK, e->count); /* and their reads */
    /* fallthrough */
    default: end_group(r, i, ZL_OF_BULK_READ, e->count);
    }
}

static void step_twait(zl_run *r, zl_instance *i, const zl_event *e)
{
    int group = e->scope == ZL_TWAIT_LD ? ZL_OF_TLD : ZL_OF_TST;
    i->done[group] = i->issued[group];
    for (uint32_t k = 0; k < i->classes; k++) {
        zl_class *c = &r->classes[i->first + k];
        zl_clock_set(c, zl_comp_group(r, i, group, !c->first_warp), i->done[group], false);
    }
}

/* ---- fences ---- */

static void fence_before(zl_run *r, zl_instance *i, zl_class *c)
{
    for (int group = ZL_OF_TLD; group <= ZL_OF_TST; group++)
        zl_clock_set(c, zl_comp_tensor(r, zl_comp_group(r, i, group, !c->first_warp)),
                     i->done[group], false);
}

static void fence_async(zl_run *r, zl_instance *i, zl_class *c, uint32_t class)
{
    int32_t copies = zl_comp_cpasync(r, class);
    zl_clock_set(c, zl_comp_fenced(r, (int32_t)class), i->epoch, true);
    zl_clock_set(c, zl_comp_fenced(r, copies), c->own[copies], true);
}

static void step_fence(zl_run *r, zl_instance *i, const zl_event *e)
{
    for (uint32_t k = 0; k < i->classes; k++) {
        zl_class *c = &r->classes[i->first + k];
        switch (e->scope) {
        case ZL_FENCE_PROXY: fence_async(r, i, c, i->first + k); break;
        case ZL_FENCE_TENSORMAP: memcpy(c->mapped, c->clock, r->comps * sizeof *c->mapped); break;
        case ZL_FENCE_BEFORE: fence_before(r, i, c); break;
        case ZL_FENCE_AFTER: memcpy(c->after, c->clock, r->comps * sizeof *c->after); break;
        default: break;
        }
    }
    for (uint32_t a = 0; e->scope == ZL_FENCE_WGMMA && a < r->pipe->accs_count; a++)
        zl_run_sum(r, i, (int32_t)a)->touched = false;
}

/* ---- all of them ---- */

static bool step_other(zl_run *r, zl_instance *i, const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_CPASYNC: step_cpasync(r, i, e); break;
    case ZL_EV_STORE:
    case ZL_EV_REDUCE: step_store(r, i, e); break;
    case ZL_EV_READ:
    case ZL_EV_LDMATRIX:
    case ZL_EV_WRITE:
    case ZL_EV_STMATRIX: step_touch(r, i, e); break;
    case ZL_EV_USE: zl_sum_use(r, i, e->acc, false, zl_event_index(r, e)); break;
    case ZL_EV_MMA: zl_run_products(r, i, e); break;
    case ZL_EV_UPDATE: step_update(r, i, e); break;
    case ZL_EV_TWAIT: step_twait(r, i, e); break;
    case ZL_EV_ALLOC:
    case ZL_EV_DEALLOC:
    case ZL_EV_RELINQUISH:
    case ZL_EV_TLD:
    case ZL_EV_TST:
    case ZL_EV_TCP: return zl_run_tensor(r, i, e);
    case ZL_EV_GRIDDEP: i->grid |= e->scope == ZL_GRIDDEP_WAIT; break;
    default: break;
    }
    return true;
}

/* What a warp runs as one. */
static bool is_converged(const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_LDMATRIX:
    case ZL_EV_STMATRIX:
    case ZL_EV_TLD:
    case ZL_EV_TST:
    case ZL_EV_TWAIT:
    case ZL_EV_SETMAXNREG: return true;
    case ZL_EV_MMA: return e->tmem[0] < 0;
    case ZL_EV_FENCE: return e->scope == ZL_FENCE_WGMMA;
    case ZL_EV_COMMIT:
    case ZL_EV_WAITGROUP: return e->scope == ZL_GROUP_WGMMA;
    default: return false;
    }
}

bool zl_run_step(zl_run *r, zl_instance *i)
{
    const zl_event *e = &r->pipe->events[i->pc];
    for (uint32_t k = 0; k < i->classes; k++) {
        zl_clock_set(&r->classes[i->first + k], (int32_t)(i->first + k), i->epoch, true);
        zl_clock_set(&r->classes[i->first + k], zl_comp_control(r, i->first + k), i->epoch, true);
    }
    if (is_converged(e)) zl_clock_converge(r, i);
    switch (e->kind) {
    case ZL_EV_EXPECT:
        zl_gate_expect(r, gate_at(r, i, e, (uint32_t)i->cta), one(r, i), e->count, i->pc);
        return true;
    case ZL_EV_ARRIVE: step_arrive(r, i, e); return true;
    case ZL_EV_WAIT: return step_wait(r, i, e);
    case ZL_EV_COPY: step_copy(r, i, e); return true;
    case ZL_EV_COMMIT: step_commit(r, i, e); return true;
    case ZL_EV_WAITGROUP: step_waitgroup(r, i, e); return true;
    case ZL_EV_FENCE: step_fence(r, i, e); return true;
    case ZL_EV_SYNC:
    case ZL_EV_JOIN:
    case ZL_EV_MEET: return zl_run_meet(r, i, e);
    case ZL_EV_RAISE: return zl_run_raise(r, i, e);
    case ZL_EV_AWAIT: return zl_run_await(r, i, e);
    default: return step_other(r, i, e);
    }
}
