/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the layouts of a copy that was found point by point, which thread moves which point, and
 * its certificates. */
#include "synth/copy/copy.h"

/* Makes the layout of the digits -> the points in their order. */
static zlay_status threads_layout(zl_copy *c, const zl_copy_points *points, const zl_move_part *p,
                                  zlay_layout **out)
{
    zl_table t;
    zl_modes box;
    uint64_t size = 1;
    zlay_status status = ZLAY_OK;
    zl_modes_begin(&box, c->ctx);
    for (uint32_t i = 0; i < p->part.digits; i++) size *= p->digit[i].extent;
    for (uint32_t i = 0; !status && i < p->part.digits; i++)
        status = zl_modes_leaf(&box, (int64_t)p->digit[i].extent, 0);
    if (!status && !p->part.digits) status = zl_modes_leaf(&box, 1, 0);
    if (!status) status = zl_table_new(c->ctx, &t, size);
    if (!status) {
        for (uint64_t i = 0; i < points->count; i++)
            zl_table_set(&t, i, (int64_t)points->at[i].index);
        status = zl_cheapest(c->ctx, out, &t, &box, NULL, NULL);
        zl_table_free(&t);
    }
    zl_modes_end(&box);
    return status;
}

/* Makes a layout over the destination's box from a table over the tile. */
static zlay_status as_layout(zl_copy *c, const zl_table *t, zlay_layout **out)
{
    zl_modes box;
    zl_modes_begin(&box, c->ctx);
    zlay_status status = zl_layout_box(&box, c->request.dest.layout);
    if (!status) status = zl_cheapest(c->ctx, out, t, &box, NULL, NULL);
    zl_modes_end(&box);
    return status;
}

/* Checks that the parts name each point that both sides have exactly once. */
static zlay_status each_once(zl_copy *c, const zlay_move *move, const zl_table value[ZL_SIDES],
                             bool *out)
{
    zl_table seen, point = {0};
    uint64_t named = 0, both = 0;
    zlay_status status = zl_table_new(c->ctx, &seen, value->size);
    *out = true;
    for (uint32_t p = 0; !status && p < move->info.parts; p++) {
        status = zl_table_of(c->ctx, &point, move->parts[p].threads);
        for (uint64_t i = 0; !status && i < point.size; i++) {
            if (!point.there[i]) continue;
            zl_table_set(&seen, (uint64_t)point.value[i], 0);
            named++;
        }
        zl_table_free(&point);
    }
    for (uint64_t i = 0; !status && i < seen.size; i++) {
        bool there = value[0].there[i] && value[1].there[i];
        *out = *out && there == seen.there[i];
        both += there;
    }
    *out = *out && named == both;
    zl_table_free(&seen);
    return status;
}

/* A side restricted to the points where both have a value. */
static zlay_status as_asked(zl_copy *c, int side, const zl_table value[ZL_SIDES], uint64_t both,
                            zlay_layout **out)
{
    zl_table t;
    if (value[side].size - value[side].undefined == both)
        return zl_layout_copy(c->ctx, out,
                              side ? c->request.dest.layout : c->request.source.layout);
    zlay_status status = zl_table_new(c->ctx, &t, value->size);
    for (uint64_t i = 0; !status && i < t.size; i++)
        if (value[0].there[i] && value[1].there[i]) zl_table_set(&t, i, value[side].value[i]);
    if (!status) status = as_layout(c, &t, out);
    zl_table_free(&t);
    return status;
}

/* A thread moves the point that its value names from its place in one layout to its place in the
 * other. So it remains to decide that each point is named exactly once. */
zlay_status zl_copy_points_prove(zl_copy *c, const zl_table value[ZL_SIDES],
                                 const zl_copy_points *taken, zlay_move *move)
{
    zl_copy_points now = {0, taken->at};
    zlay_layout **const pair[ZL_SIDES] = {move->source, move->certificate};
    zlay_status status = ZLAY_OK;
    bool all = false;
    for (uint32_t i = 0; !status && i < move->info.parts; i++) {
        now.count = move->parts[i].part.elements;
        status = threads_layout(c, &now, &move->parts[i], &move->parts[i].threads);
        now.at += now.count;
    }
    if (!status) status = each_once(c, move, value, &all);
    if (!status && !all)
        status = zl_fail(c->ctx, ZLAY_EINTERNAL,
                         "a point is not moved once; please report this request");
    for (int s = 0; !status && s < ZL_SIDES; s++) {
        status = as_asked(c, s, value, taken->count, &pair[s][1]);
        if (!status) status = zl_layout_copy(c->ctx, &pair[s][0], pair[s][1]);
    }
    if (!status) status = zl_layout_copy(c->ctx, &move->smem, c->request.dest.layout);
    return status ? status : zl_move_certify(c->ctx, move);
}
