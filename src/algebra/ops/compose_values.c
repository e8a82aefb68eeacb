/* SPDX-License-Identifier: Apache-2.0 */
/* Composition point by point. */
#include "algebra/ops/compose.h"
#include "algebra/find/finish.h"
#include "algebra/find/table.h"

/* Outputs with sizes of their own are digits of an index; those of isl's text, whose sizes are only
 * what is reached, are a coordinate. */
bool zl_by_coordinate(const zlay_layout *a, const zlay_layout *b)
{
    uint64_t extent[ZL_PIECE_VARIABLES], size = 1;
    size_t outs = zlay_layout_out_count(b);
    if (outs < 2 || b->f2.outs || zlay_layout_box(extent, ZL_PIECE_VARIABLES, a) != outs)
        return false;
    for (size_t i = 0; i < outs; i++) {
        size = zl_out_size(b, i);
        if (!size || (i + 1 < outs && size != extent[i])) return true;
    }
    return false;
}

/* ---- one point ------------------------------------------------------------------------- */

enum { HERE, NOWHERE, OUTSIDE, OVERFLOWS };

static int at_index(const zlay_layout *a, int64_t index, int64_t *out)
{
    if (zl_at_integer(a, index, out)) return HERE;
    if (a->modes) return OVERFLOWS;
    return index < 0 || (uint64_t)index >= a->size ? OUTSIDE : NOWHERE;
}

/* Each mode of a strided layout goes on past its extent by its last leaf. */
static bool add_mode(const zlay_layout *a, size_t first, size_t end, int64_t c, int64_t *value)
{
    int64_t reach;
    for (size_t i = first; i < end; i++) {
        int64_t digit = i + 1 < end ? c % a->mode[i].shape : c;
        if (!zl_mul(digit, a->mode[i].stride, &reach) || !zl_add(*value, reach, value))
            return false;
        c /= a->mode[i].shape;
    }
    return true;
}

static int at_strided(const zlay_layout *a, const int64_t *coordinate, int64_t *out)
{
    uint32_t outer = a->mode[0].open ? 1 : 0;
    int64_t value = a->offset;
    size_t end;
    for (size_t i = 0; i < a->modes; i = end, outer = 0) {
        end = zl_part_end(a->mode, i, a->mode[i].open - outer);
        if (!add_mode(a, i, end, *coordinate++, &value)) return OVERFLOWS;
    }
    *out = zl_swizzle_at(a->swizzle, value);
    return HERE;
}

static int at_coordinate(const zlay_layout *a, const int64_t *coordinate, int64_t *out)
{
    uint64_t extent[ZL_PIECE_VARIABLES], index = 0;
    if (a->modes) return at_strided(a, coordinate, out);
    for (size_t i = zlay_layout_box(extent, ZL_PIECE_VARIABLES, a); i-- > 0;) {
        if (coordinate[i] < 0 || (uint64_t)coordinate[i] >= extent[i]) return OUTSIDE;
        index = index * extent[i] + (uint64_t)coordinate[i];
    }
    return zl_value(a, index, out) ? HERE : NOWHERE;
}

static int value_at(const zl_work *w, bool by_coordinate, uint64_t index, int64_t *out)
{
    int64_t value[ZL_PIECE_VARIABLES];
    if (!by_coordinate) return zl_value(w->b, index, value) ? at_index(w->a, *value, out) : NOWHERE;
    if (w->b->table->tuple(w->b, index, value)) return NOWHERE;
    return at_coordinate(w->a, value, out);
}

/* ---- all points ------------------------------------------------------------------------- */

static zlay_status leaves(zl_work *w, uint64_t index)
{
    int64_t value = 0;
    w->left = true;
    if (zlay_layout_out_count(w->b) > 1 || !zl_value(w->b, index, &value))
        return zl_fail(w->ctx, ZLAY_NONE, "index %llu: b is outside the box of a",
                       (unsigned long long)index);
    return zl_fail(w->ctx, ZLAY_NONE, "index %llu: b has %lld, outside the %llu points of a",
                   (unsigned long long)index, (long long)value, (unsigned long long)w->a->size);
}

static zlay_status fill(zl_work *w, zl_table *t)
{
    bool by_coordinate = zl_by_coordinate(w->a, w->b);
    int64_t value;
    for (uint64_t i = 0; i < t->size; i++) {
        zlay_status status = zl_charge_block(w->ctx, w->b, i);
        if (!status) status = zl_charge_block(w->ctx, w->a, i);
        if (status) return status;
        switch (value_at(w, by_coordinate, i, &value)) {
        case HERE: zl_table_set(t, i, value); break;
        case NOWHERE: break;
        case OUTSIDE:
            if (!w->partial) return leaves(w, i);
            break;
        default:
            return zl_fail(w->ctx, ZLAY_EOVERFLOW, "index %llu: the value does not fit 64 bits",
                           (unsigned long long)i);
        }
    }
    return ZLAY_OK;
}

static zlay_status outputs_check(const zl_work *w)
{
    if (zl_is_flat(w->b) || zl_by_coordinate(w->a, w->b)) return ZLAY_OK;
    return zl_fail(w->ctx, ZLAY_EINVAL,
                   "b has %zu outputs without sizes, and a no coordinate of as many",
                   zlay_layout_out_count(w->b));
}

static zlay_status find(const zl_work *w, const zl_table *t, zlay_layout **out)
{
    zl_outputs own;
    const zl_f2 *outs = zl_outputs_of(&own, w->a);
    if (w->search) return zl_find_pieces(w->ctx, out, t, &w->box, outs);
    return zl_cheaper(w->ctx, out, t, &w->box, w->b->f2.outs ? w->b : NULL, outs);
}

zlay_status zl_compose_values(zl_work *w, zlay_layout **out)
{
    zl_table t;
    zlay_status status = outputs_check(w);
    if (status) return status;
    if (w->a->pieces.params || w->b->pieces.params || !zl_is_flat(w->a)) return ZLAY_NONE;
    if (w->b->size > zl_limits(w->ctx)->points) return ZLAY_NONE;
    status = zl_table_new(w->ctx, &t, w->b->size);
    if (!status) status = fill(w, &t);
    w->total = !status && !t.undefined;
    if (!status) status = find(w, &t, out);
    if (status == ZLAY_NONE && !w->left) w->compared = true;
    zl_table_free(&t);
    return status;
}
