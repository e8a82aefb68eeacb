/* SPDX-License-Identifier: Apache-2.0 */
/* The cheapest form that equals what an operation made of pieces. */
#include "algebra/find/find.h"
#include "algebra/find/finish.h"
#include "algebra/presburger/isl/isl.h"
#include "algebra/find/table.h"

enum { SMALL = 1024 }; /* points that are compared sooner than rows are read */

typedef struct finish {
    zlay_ctx *ctx;
    const zl_result_shape *shape;
    zlay_layout *made;
} finish;

/* ---- by values, and by rows above limits.points ------------------------------------------- */

/* One piece with a point that it leaves out, among the corners of the box: nothing is cheaper. */
static bool has_hole(const zlay_layout *made)
{
    int64_t value;
    if (!made->partial || made->pieces.count != 1) return false;
    return !zl_value(made, 0, &value) || !zl_value(made, made->size - 1, &value);
}

static zlay_status by_table(finish *f, zlay_layout **out)
{
    zl_outputs own;
    zl_table t;
    const zlay_layout *names = f->shape->names && f->shape->names->f2.outs ? f->shape->names : NULL;
    bool named = f->shape->outs && f->shape->outs->f2.outs;
    if (has_hole(f->made)) return ZLAY_NONE;
    zlay_status status = zl_table_of(f->ctx, &t, f->made);
    if (!status) f->made->partial = t.undefined > 0;
    const zl_f2 *outs = zl_outputs_of(&own, named ? f->shape->outs : f->made);
    if (!status) status = zl_cheaper(f->ctx, out, &t, f->shape->box, names, outs);
    if (status == ZLAY_NONE) status = zl_fewer_pieces(&f->made, &t, f->shape->box, outs);
    zl_table_free(&t);
    return status;
}

zlay_status zl_fewer_pieces(zlay_layout **made, const zl_table *t, const zl_modes *box,
                            const zl_f2 *outs)
{
    zlay_layout *found = NULL;
    if ((*made)->pieces.count < 2) return ZLAY_NONE;
    zlay_status status = zl_find_pieces(t->ctx, &found, t, box, outs);
    if (status < 0) return status;
    bool fewer = !status && found->pieces.count < (*made)->pieces.count;
    zlay_layout_free(fewer ? *made : found);
    if (fewer) *made = found;
    return ZLAY_NONE;
}

static zlay_status by_form(finish *f, zlay_layout **out)
{
    zl_outputs own;
    zl_affine map;
    const zlay_layout *named = f->shape->outs && f->shape->outs->f2.outs ? f->shape->outs : f->made;
    zlay_status status = zl_find_strided_pieces(f->ctx, out, f->made, f->shape->box);
    if (status != ZLAY_NONE || !zl_affine_of(&map, f->made)) return status;
    const zl_f2 *outs = zl_outputs_of(&own, named);
    if (outs && outs->outs == 1 && outs->out[0].size) outs = NULL;
    return zl_find_affine(f->ctx, out, &map, f->shape->box, f->shape->names, outs);
}

/* A guard that every point of the box passes is only known to by a decision. */
static zlay_status by_rows(finish *f, zlay_layout **out)
{
    zlay_answer answer = ZLAY_YES;
    zl_isl_point *where;
    if (!f->made->partial) return by_form(f, out);
    if (!(where = zl_scratch(f->ctx, 1, sizeof *where))) return ZLAY_ENOMEM;
    zlay_status status = zl_isl_total(f->ctx, &answer, where, &f->made->pieces);
    if (!status && answer == ZLAY_YES) f->made->partial = false;
    return status == ZLAY_ENOMEM ? status : zl_fail(f->ctx, ZLAY_NONE, "%s", "");
}

/* What is affine by its rows is strided, swizzled or f2 by its bases, or it is none of them; only
 * modular, by values, where outputs add modulo a size that no value reaches. */
static zlay_status cheaper(finish *f, zlay_layout **out)
{
    zl_affine map;
    if (f->made->pieces.params || !f->made->size) return ZLAY_NONE;
    if (f->made->size > zl_limits(f->ctx)->points) return by_rows(f, out);
    if (!zl_is_flat(f->made)) return ZLAY_NONE;
    return f->made->size > SMALL && zl_affine_of(&map, f->made) ? by_form(f, out)
                                                                : by_table(f, out);
}

static zlay_status keep_one_mode(const finish *f, zlay_layout **out)
{
    zl_modes m;
    zlay_layout *a = *out, *whole = NULL;
    if (!f->shape->one_mode || f->made->pieces.dims != 1) return ZLAY_OK;
    if (a->table->extents(NULL, 0, a) == 1) return ZLAY_OK;
    zl_modes_begin(&m, f->ctx);
    m.offset = a->offset;
    zlay_status status = zl_modes_append(&m, a->mode, a->modes);
    zl_modes_wrap(&m, 0);
    if (!status) status = zl_layout_strided(f->ctx, &whole, &m, a->swizzle);
    zl_modes_end(&m);
    zlay_layout_free(a);
    *out = whole;
    return status;
}

zlay_status zl_settle(zlay_ctx *ctx, zlay_layout **out, zlay_layout *made,
                      const zl_result_shape *shape)
{
    finish f = {ctx, shape, made};
    zlay_status status = cheaper(&f, out);
    if (!status && (*out)->modes) status = keep_one_mode(&f, out);
    if (status != ZLAY_NONE) {
        zlay_layout_free(f.made);
        return status;
    }
    *out = f.made;
    return zl_fail(ctx, ZLAY_OK, "%s", "");
}

zlay_status zl_draft_finish(zl_draft *d, zlay_layout **out, const zl_result_shape *shape,
                            bool partial)
{
    zlay_layout *made;
    zlay_status status = zl_draft_layout(d, &made, partial);
    return status ? status : zl_settle(d->w.ctx, out, made, shape);
}
