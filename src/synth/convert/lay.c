/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses a round trip through shared memory between layouts that are not linear over F2.  For each
 * pair of a storing and a loading access it tries offset = tensor index, and the layouts that
 * swizzle.synth finds; where all of these have conflicts, it also tries a graph colouring
 * (colour.c).  Each candidate is counted by its addresses (lay_cost.c), and the cheapest is kept. */
#include "synth/swizzle/ask.h"
#include "synth/convert/lay.h"

#include <stdlib.h>
#include <string.h>

#include <zlay/swizzle.h>

enum { PAIRS_MOST = 64 };

/* ---- shapes that the tensor may have ----------------------------------------------------- */

static void put_shape(zl_lay *l, const uint64_t *extent, uint64_t rank)
{
    if (l->count == ZL_SHAPES || rank > ZL_SHAPE_RANK) return;
    memcpy(l->shapes[l->count].extent, extent, rank * sizeof *extent);
    l->shapes[l->count++].rank = rank;
}

/* Adds a shape for each stride of at least 8: in a strided layout of a matrix, the length of the
 * rows is a stride. */
static void put_rows(zl_lay *l, const zlay_layout *a)
{
    for (size_t i = 0; i < a->modes; i++) {
        uint64_t stride = (uint64_t)a->mode[i].stride, rows[2] = {stride, 0};
        if (a->mode[i].stride < 8 || stride >= l->size) continue;
        rows[1] = (l->size + stride - 1) / stride;
        put_shape(l, rows, 2);
    }
}

static void shapes_read(zl_lay *l)
{
    const zlay_layout *src = l->p->c->request->src, *dst = l->p->c->request->dst;
    uint64_t extent[ZL_SHAPE_RANK];
    if (zl_is_bits(src) && src->f2.outs <= ZL_SHAPE_RANK) {
        for (size_t i = 0; i < src->f2.outs; i++) {
            const zl_dim *dim = &src->f2.out[i];
            extent[i] = dim->size ? dim->size : (uint64_t)1 << dim->bits;
        }
        put_shape(l, extent, src->f2.outs);
    }
    put_rows(l, src);
    put_rows(l, dst);
    if (!l->count) put_shape(l, &l->size, 1);
}

/* ---- accesses ---------------------------------------------------------------------------- */

/* The access as swizzle.synth takes it: (lane, element, instance) -> tensor index. */
static zlay_status access_layout(const zl_lay *l, int side, zlay_layout **out)
{
    zlay_ctx *ctx = l->p->c->ctx;
    uint64_t lanes = l->p->c->machine.lanes, each = l->side[side].each, i = 0;
    uint64_t instances = zl_lay_instances(l, side);
    zl_table t;
    zl_modes box;
    zlay_status status = zl_table_new(ctx, &t, lanes * each * instances);
    for (uint64_t n = 0; !status && n < instances; n++)
        for (uint64_t e = 0; e < each; e++)
            for (uint64_t lane = 0; lane < lanes; lane++, i++) {
                uint64_t slot = zl_lay_slot_at(l, side, lane, e, n);
                if (slot != ZL_NOBODY) zl_table_set(&t, i, l->p->held[side].value[slot]);
            }
    zl_modes_begin(&box, ctx);
    if (!status) status = zl_modes_leaf(&box, (int64_t)lanes, 1);
    if (!status) status = zl_modes_leaf(&box, (int64_t)each, (int64_t)lanes);
    if (!status) status = zl_modes_leaf(&box, (int64_t)instances, (int64_t)(lanes * each));
    if (!status) status = zl_cheapest(ctx, out, &t, &box, NULL, NULL);
    zl_modes_end(&box);
    zl_table_free(&t);
    return status;
}

/* ---- candidates -------------------------------------------------------------------------- */

/* Offers offset = tensor index.  Returns whether it has no conflict: then no other layout is better
 * for these accesses. */
static bool offer_numbered(zl_lay *l)
{
    for (uint64_t i = 0; i < l->size; i++) zl_table_set(&l->offset, i, (int64_t)i);
    return zl_lay_offer(l, l->size) && zl_lay_is_free(l->side);
}

static zlay_status offer_swizzle(zl_lay *l, const zlay_swizzle_request *r)
{
    zlay_swizzle *found;
    zlay_swizzle_summary info;
    zlay_ctx *ctx = l->p->c->ctx;
    zlay_status status = zl_swizzle_plan(ctx, &found, l->p->c->target, r);
    if (status) return status == ZLAY_ENOMEM ? status : ZLAY_OK;
    const zlay_layout *layout = zlay_swizzle_layout(found);
    status = zlay_swizzle_info(&info, found);
    for (uint64_t i = 0; i < l->size && !status; i++) {
        int64_t at;
        status = zlay_layout_eval(&at, 1, layout, i);
        if (!status) zl_table_set(&l->offset, i, at);
    }
    if (!status) zl_lay_offer(l, info.size);
    zlay_swizzle_free(found);
    return status;
}

/* Offers offset = tensor index and, where that has conflicts, the layout that swizzle.synth finds
 * for each shape. */
static zlay_status offer_pair(zl_lay *l)
{
    zlay_layout *layout[2] = {NULL, NULL};
    zlay_swizzle_access access[2];
    zlay_status status = ZLAY_OK;
    if (l->size * (l->p->c->bits / 8) > zl_lay_smem(l->p->c) || offer_numbered(l)) return ZLAY_OK;
    for (int side = ZL_SRC; side <= ZL_DST && !status; side++) {
        status = access_layout(l, side, &layout[side]);
        access[side] = (zlay_swizzle_access){l->side[side].form->access, 0, layout[side]};
    }
    for (size_t i = 0; i < l->count && !status; i++) {
        zlay_swizzle_request r = {.size = sizeof r,
                                  .elem_bits = l->p->c->bits,
                                  .count = 2,
                                  .shape = l->shapes[i].extent,
                                  .rank = l->shapes[i].rank,
                                  .accesses = access};
        status = offer_swizzle(l, &r);
    }
    for (int side = ZL_SRC; side <= ZL_DST; side++) zlay_layout_free(layout[side]);
    return status;
}

/* Gives a side a form; false: the form does not fit the side or the target. */
static bool side_set(zl_lay *l, int side, const zl_form_row *form)
{
    zl_banked banked;
    const zl_conversion *c = l->p->c;
    zl_lane_side *s = &l->side[side];
    s->form = form;
    s->each = form->bytes * 8 / c->bits;
    if (form->holds != ZL_HOLDS_LANE || form->stores != (side == ZL_SRC) || !s->each) return false;
    s->accesses = c->extent[side][ZL_REGISTER] / s->each;
    if (c->extent[side][ZL_REGISTER] % s->each) return false;
    return zl_banked_of(&banked, c->target, form->access) == ZLAY_OK;
}

/* A store and a load, and a lower bound of their cost under any layout. */
typedef struct pair {
    const zl_form_row *form[2];
    uint64_t least;
    size_t order;
} pair;

static int by_least(const void *left, const void *right)
{
    const pair *a = left, *b = right;
    if (a->least != b->least) return a->least < b->least ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Lists the pairs of forms that serve, by ascending lower bound.  So once a bound is not below the
 * cost of a layout without conflicts, no later pair can cost less. */
static size_t pairs_read(zl_lay *l, pair *out)
{
    const zl_form_row *store, *load;
    size_t count = 0;
    for (size_t i = 0; (store = zl_form_at(i)); i++) {
        if (!side_set(l, ZL_SRC, store)) continue;
        for (size_t j = 0; (load = zl_form_at(j)) && count < PAIRS_MOST; j++) {
            if (!side_set(l, ZL_DST, load)) continue;
            out[count].form[ZL_SRC] = store;
            out[count].form[ZL_DST] = load;
            out[count].least = zl_lay_least_cost(l, ZL_SRC) + zl_lay_least_cost(l, ZL_DST);
            out[count].order = count;
            count++;
        }
    }
    qsort(out, count, sizeof *out, by_least);
    return count;
}

typedef zlay_status pair_offer(zl_lay *l);

/* Tries the pairs in order.  A layout with conflicts is replaced by any layout without.  A layout
 * without conflicts is replaced by a cheaper one only, and so is any layout while colouring. */
static zlay_status pairs_offer(zl_lay *l, pair_offer *offer)
{
    pair all[PAIRS_MOST];
    size_t count = pairs_read(l, all);
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < count && !status; i++) {
        if ((l->free || l->coloured) && all[i].least >= l->cost) break;
        side_set(l, ZL_SRC, all[i].form[ZL_SRC]);
        side_set(l, ZL_DST, all[i].form[ZL_DST]);
        status = offer(l);
    }
    return status;
}

/* ---- the round trip ---------------------------------------------------------------------- */

/* Reads the size of the tensor; fails for negative indices and for exchanges between blocks. */
static zlay_status size_read(zl_lay *l)
{
    const zl_conversion *c = l->p->c;
    for (int side = ZL_SRC; side <= ZL_DST; side++)
        for (uint64_t i = 0; i < l->p->slots[side]; i++) {
            if (!l->p->held[side].there[i]) continue;
            int64_t value = l->p->held[side].value[i];
            if (value < 0)
                return zl_fail(c->ctx, ZLAY_ENOTSUP, "src: a tensor index is %lld, below 0",
                               (long long)value);
            if ((uint64_t)value >= l->size) l->size = (uint64_t)value + 1;
        }
    if (c->level < ZLAY_CONVERT_BLOCK) return ZLAY_OK;
    return zl_fail(c->ctx, ZLAY_ENOTSUP,
                   "src and dst: blocks exchange values of layouts that are not linear over F2");
}

static zlay_status room_fail(const zl_lay *l)
{
    return zl_fail(l->p->c->ctx, ZLAY_ELIMIT,
                   "smem: a round trip takes %llu elements of shared memory or more",
                   (unsigned long long)l->held);
}

/* Checks that shared memory has room for one copy of each element that src holds. */
static zlay_status room_check(zl_lay *l)
{
    const zl_conversion *c = l->p->c;
    for (uint64_t i = 0; i < l->p->slots[ZL_SRC]; i++)
        if (l->p->held[ZL_SRC].there[i])
            zl_table_set(&l->best, (uint64_t)l->p->held[ZL_SRC].value[i], 0);
    l->held = l->size - l->best.undefined;
    return l->held * (c->bits / 8) > zl_lay_smem(c) ? room_fail(l) : ZLAY_OK;
}

static zlay_status lay_begin(zl_lay *l)
{
    zlay_status status = size_read(l);
    if (!status) status = zl_table_new(l->p->c->ctx, &l->offset, l->size);
    if (!status) status = zl_table_new(l->p->c->ctx, &l->best, l->size);
    if (!status) status = room_check(l);
    for (uint64_t i = 0; !status && i < l->size; i++) zl_table_set(&l->best, i, 0);
    if (!status) shapes_read(l);
    return status;
}

zlay_status zl_points_shared(zl_points *p)
{
    zl_lay l = {.p = p, .size = 1, .cost = UINT64_MAX};
    zlay_status status = lay_begin(&l);
    if (!status) status = pairs_offer(&l, offer_pair);
    l.coloured = !status && !l.free;
    if (l.coloured) status = pairs_offer(&l, zl_lay_colour);
    if (!status && l.cost == UINT64_MAX) status = room_fail(&l);
    if (!status) status = zl_lay_steps(&l);
    zl_table_free(&l.best);
    zl_table_free(&l.offset);
    return status;
}
