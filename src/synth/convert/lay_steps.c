/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the best round trip that lay.c found into steps of the plan: permute, store, barrier, load,
 * permute.  The maps of the steps are layouts that are found from tables of offsets.  The
 * certificate is made by running the steps on the tables. */
#include "synth/convert/lay.h"

#include <string.h>

/* ---- steps ------------------------------------------------------------------------------- */

/* Adds the permutes of elements narrower than a word; their map is the identity. */
static zlay_status extract_add(zl_lay *l, int side)
{
    const zl_conversion *c = l->p->c;
    uint64_t permutes = zl_lay_permutes(l, side);
    zl_table same;
    if (!permutes) return ZLAY_OK;
    zlay_status status = zl_table_new(c->ctx, &same, l->p->slots[side]);
    for (uint64_t i = 0; !status && i < l->p->slots[side]; i++) zl_table_set(&same, i, (int64_t)i);
    zl_convert_step *step = &l->p->plan->step[l->p->plan->info.steps];
    if (!status) status = zl_points_step(l->p, ZLAY_CONVERT_PRMT, ZLAY_CONVERT_BACK, side, &same);
    step->info.width = 4;
    step->info.instructions = (uint32_t)permutes;
    step->info.name = zl_convert_name(c, ZL_NAME_PERMUTE);
    step->cost = (uint32_t)permutes * ZL_COST_PRMT;
    zl_table_free(&same);
    return status;
}

static zlay_status access_add(zl_lay *l, int side)
{
    const zl_conversion *c = l->p->c;
    const zl_lane_side *s = &l->side[side];
    zlay_bank_access access;
    zl_table map;
    zlay_status status = zl_table_new(c->ctx, &map, l->p->slots[side]);
    for (uint64_t i = 0; !status && i < l->p->slots[side]; i++) {
        uint64_t slot = zl_slot_of(c, side, i);
        if (l->p->held[side].there[slot])
            zl_table_set(&map, i, l->best.value[l->p->held[side].value[slot]]);
    }
    zl_convert_step *step = &l->p->plan->step[l->p->plan->info.steps];
    int32_t op = side == ZL_SRC ? ZLAY_CONVERT_STORE : ZLAY_CONVERT_LOAD;
    int32_t way = side == ZL_SRC ? ZLAY_CONVERT_FORWARD : ZLAY_CONVERT_BACK;
    if (!status) status = zl_points_step(l->p, op, way, side, &map);
    if (!status) status = zlay_bank_info(&access, c->target, s->form->access);
    zl_table_free(&map);
    if (status) return status;
    uint64_t warps = c->extent[side][ZL_WARP], taken = s->counted ? s->wavefronts : 0;
    step->info.access = s->form->access;
    step->info.name = access.name;
    step->info.width = s->form->bytes;
    step->info.instructions = (uint32_t)s->accesses;
    step->info.counted = s->counted;
    step->info.wavefronts = taken;
    taken = s->counted ? (taken + warps - 1) / warps : s->accesses;
    step->cost = (uint32_t)(s->accesses * ZL_COST_ACCESS + taken * ZL_COST_WAVEFRONT);
    return ZLAY_OK;
}

static void sync_add(zl_lay *l)
{
    const zl_conversion *c = l->p->c;
    bool warps = c->level > ZLAY_CONVERT_LANE;
    zl_convert_step *step = zl_step_add(l->p->plan, ZLAY_CONVERT_SYNC, NULL, 0);
    step->cost = warps ? ZL_COST_SYNC_BLOCK : ZL_COST_SYNC_WARP;
    step->info.instructions = 1;
    step->info.name = zl_convert_name(c, warps ? ZL_NAME_SYNC_BLOCK : ZL_NAME_SYNC_WARP);
}

static void info_fill(const zl_lay *l)
{
    zlay_convert_summary *info = &l->p->plan->info;
    const zl_lane_side *s = l->side;
    info->counted = s[ZL_SRC].counted && s[ZL_DST].counted;
    info->conflict_free = info->counted && s[ZL_SRC].wavefronts <= s[ZL_SRC].least &&
                          s[ZL_DST].wavefronts <= s[ZL_DST].least;
    info->store = s[ZL_SRC].counted ? s[ZL_SRC].wavefronts : 0;
    info->load = s[ZL_DST].counted ? s[ZL_DST].wavefronts : 0;
    info->smem = l->spans * (l->p->c->bits / 8);
    info->trips = 1;
}

/* Makes the certificate: the element that each slot of dst loads after all slots of src have
 * stored. */
static zlay_status certify(const zl_lay *l, zlay_layout **out)
{
    const zl_conversion *c = l->p->c;
    const zl_table *held = l->p->held;
    zl_table memory, brought = {0};
    zl_modes box;
    zlay_status status = zl_table_new(c->ctx, &memory, l->spans);
    if (!status) status = zl_table_new(c->ctx, &brought, l->p->slots[ZL_DST]);
    for (uint64_t x = 0; !status && x < l->p->slots[ZL_SRC]; x++)
        if (held[ZL_SRC].there[x])
            zl_table_set(&memory, (uint64_t)l->best.value[held[ZL_SRC].value[x]],
                         held[ZL_SRC].value[x]);
    for (uint64_t i = 0; !status && i < l->p->slots[ZL_DST]; i++) {
        uint64_t slot = zl_slot_of(c, ZL_DST, i);
        if (held[ZL_DST].there[slot])
            zl_table_set(&brought, i, memory.value[l->best.value[held[ZL_DST].value[slot]]]);
    }
    zl_modes_begin(&box, c->ctx);
    if (!status) status = zl_layout_box(&box, c->request->dst);
    if (!status) status = zl_cheapest(c->ctx, out, &brought, &box, NULL, NULL);
    zl_modes_end(&box);
    zl_table_free(&brought);
    zl_table_free(&memory);
    return status;
}

/* Makes the layout of shared memory: tensor index -> offset. */
static zlay_status shared_make(const zl_lay *l, zlay_layout **out)
{
    zl_modes box;
    zl_modes_begin(&box, l->p->c->ctx);
    zlay_status status = zl_modes_leaf(&box, (int64_t)l->size, 1);
    if (!status) status = zl_cheapest(l->p->c->ctx, out, &l->best, &box, NULL, NULL);
    zl_modes_end(&box);
    return status;
}

zlay_status zl_lay_steps(zl_lay *l)
{
    zlay_convert *plan = l->p->plan;
    memcpy(l->side, l->kept, sizeof l->side);
    zlay_status status = extract_add(l, ZL_SRC);
    if (!status) status = access_add(l, ZL_SRC);
    if (status) return status;
    sync_add(l);
    status = access_add(l, ZL_DST);
    if (!status) status = extract_add(l, ZL_DST);
    info_fill(l);
    if (!status) status = shared_make(l, &plan->shared);
    return status ? status : certify(l, &plan->certificate[0]);
}
