/* SPDX-License-Identifier: Apache-2.0 */
/* Composition by substitution: where a guard of b holds, a is applied to what b is there. */
#include "algebra/ops/compose.h"
#include "algebra/find/finish.h"
#include "algebra/presburger/isl/isl.h"
#include "algebra/ops/reshape.h"

typedef struct inner {
    const zl_work *w;
    bool by_coordinate;
} inner;

static zlay_status flatten(zl_draft *d, zl_quasi *out, const zlay_layout *b, const zl_quasi *values)
{
    size_t outs = zlay_layout_out_count(b);
    zlay_status status = ZLAY_OK;
    zl_quasi_copy(out, &values[outs - 1]);
    for (size_t i = outs - 1; i-- > 0 && !status;) {
        zl_quasi next;
        zl_quasi_copy(&next, &values[i]);
        status = zl_quasi_add(&d->w, &next, out, (int64_t)zl_out_size(b, i));
        zl_quasi_copy(out, &next);
    }
    return status;
}

static zlay_status visit(zl_draft *d, const zl_quasi *values, void *env)
{
    const inner *n = env;
    zl_quasi flat;
    if (n->by_coordinate) return zl_draft_apply(d, n->w->a, values, zlay_layout_out_count(n->w->b));
    zlay_status status = flatten(d, &flat, n->w->b, values);
    return status ? status : zl_draft_apply(d, n->w->a, &flat, 1);
}

static zlay_status substitute(const zl_work *w, zl_draft *d)
{
    inner n = {w, zl_by_coordinate(w->a, w->b)};
    zl_quasi *at;
    size_t count;
    zlay_status status = zl_draft_params(d, w->a);
    if (!status) status = zl_draft_outs(d, w->a);
    if (!status) status = zl_draft_coordinates(d, &at, &count);
    return status ? status : zl_draft_walk(d, w->b, at, count, visit, &n);
}

/* ---- above limits.points: does b leave the box of a? --------------------------------------- */

static zlay_status outside(zl_work *w, const zl_isl_point *where)
{
    w->left = true;
    if (where->params)
        return zl_fail(
            w->ctx, ZLAY_NONE, "b is outside the box of a for some parameters, as %s %lld",
            w->b->pieces.params ? w->b->pieces.param[0].text : w->a->pieces.param[0].text,
            (long long)where->param[0]);
    if (where->least)
        return zl_fail(w->ctx, ZLAY_NONE, "index %llu: b is outside the box of a",
                       (unsigned long long)where->index);
    return zl_fail(w->ctx, ZLAY_NONE, "b is outside the box of a, as at index %llu",
                   (unsigned long long)where->index);
}

/* Points where a row holds; what value is put there does not matter. */
static zlay_status put_where(zl_draft *d, const zl_quasi *row)
{
    zl_quasi zero;
    size_t before = d->guards.count;
    bool dead = false;
    zl_quasi_set(&zero, 0);
    zlay_status status = zl_draft_guard(d, row, false, &dead);
    if (!status && !dead) status = zl_draft_piece(d, &zero);
    d->guards.count = before;
    return status;
}

/* Points below 0 or above `last`. */
static zlay_status put_beyond(zl_draft *d, const zl_quasi *form, const zl_quasi *last)
{
    zl_quasi below, above;
    zl_quasi_set(&below, -1);
    zl_quasi_set(&above, -1);
    zlay_status status = zl_quasi_add(&d->w, &below, form, -1);
    if (!status) status = zl_quasi_add(&d->w, &above, form, 1);
    if (!status) status = zl_quasi_add(&d->w, &above, last, -1);
    if (!status) status = put_where(d, &below);
    return status ? status : put_where(d, &above);
}

static zlay_status put_outside(zl_draft *d, const zl_quasi *form, const zlay_layout *a, size_t mode)
{
    zl_quasi last;
    zlay_status status = zl_draft_last(d, &last, a, mode);
    return status ? status : put_beyond(d, form, &last);
}

/* All digits of an index but the last are inside, whatever the index. */
static zlay_status put_outside_index(zl_draft *d, const zl_quasi *flat, const zlay_layout *a)
{
    uint64_t extent[ZL_PIECE_VARIABLES];
    size_t count = zlay_layout_box(extent, ZL_PIECE_VARIABLES, a);
    zl_quasi top = *flat, zero;
    zlay_status status = ZLAY_OK;
    zl_quasi_set(&zero, 0);
    if (!count) return put_beyond(d, flat, &zero);
    for (size_t i = 0; i + 1 < count && !status; i++)
        status = extent[i] ? zl_draft_div(d, &top, &top, (int64_t)extent[i])
                           : zl_fail(d->w.ctx, ZLAY_ENOTSUP, "extent %zu depends on parameters", i);
    return status ? status : put_outside(d, &top, a, count - 1);
}

static zlay_status visit_outside(zl_draft *d, const zl_quasi *values, void *env)
{
    const inner *n = env;
    zl_quasi flat;
    zlay_status status = ZLAY_OK;
    if (!n->by_coordinate) {
        status = flatten(d, &flat, n->w->b, values);
        return status ? status : put_outside_index(d, &flat, n->w->a);
    }
    for (size_t i = 0; i < zlay_layout_out_count(n->w->b) && !status; i++)
        status = put_outside(d, &values[i], n->w->a, i);
    return status;
}

/* The points of b whose values a does not have. */
static zlay_status leaving(const zl_work *w, zlay_layout **out)
{
    inner n = {w, zl_by_coordinate(w->a, w->b)};
    zl_draft *d;
    zl_quasi *at;
    size_t count;
    zlay_status status = zl_draft_of(w->ctx, &d, w->b);
    if (status) return status;
    d->claims.outs = 1;
    status = zl_draft_params(d, w->a);
    if (!status) status = zl_draft_coordinates(d, &at, &count);
    if (!status) status = zl_draft_walk(d, w->b, at, count, visit_outside, &n);
    return status ? status : zl_draft_layout(d, out, true);
}

static zlay_status decide_inside(zl_work *w, zl_isl_point *where)
{
    zlay_answer answer = ZLAY_UNDECIDED;
    zlay_layout *left = NULL;
    zlay_status status = leaving(w, &left);
    if (!status) status = zl_isl_empty(w->ctx, &answer, where, &left->pieces);
    zlay_layout_free(left);
    if (status || answer == ZLAY_YES) return status;
    if (answer == ZLAY_NO) return outside(w, where);
    return zl_fail(w->ctx, ZLAY_ELIMIT,
                   "limits.points is %llu and b has more, and whether it leaves the box of a is "
                   "not decided within limits.isl_ops",
                   (unsigned long long)zl_limits(w->ctx)->points);
}

static zlay_status check_inside(zl_work *w, const zl_draft *d)
{
    if (w->compared || w->partial || w->a->modes || !d->leaves) return ZLAY_OK;
    zl_isl_point *where = zl_scratch(w->ctx, 1, sizeof *where);
    return where ? decide_inside(w, where) : ZLAY_ENOMEM;
}

static zlay_status finish(zl_work *w, zl_draft *d, zlay_layout **out)
{
    bool partial = w->a->partial || w->b->partial || (w->partial && d->leaves);
    zl_result_shape shape = {&w->box, w->b, w->a, false};
    if (w->compared) return zl_draft_layout(d, out, !w->total);
    return zl_draft_finish(d, out, &shape, partial);
}

zlay_status zl_compose_pieces(zl_work *w, zlay_layout **out)
{
    zl_draft *d;
    zl_mark mark = zl_scratch_mark(w->ctx);
    zlay_status status = zl_draft_of(w->ctx, &d, w->b);
    if (!status) status = substitute(w, d);
    if (!status) status = check_inside(w, d);
    if (!status) status = finish(w, d, out);
    zl_scratch_release(w->ctx, mark);
    return status;
}
