/* SPDX-License-Identifier: Apache-2.0 */
/* Drafts: how they begin, their parameters and outputs, and the coordinates of their box. */
#include "algebra/presburger/draft.h"
#include "algebra/f2/f2.h"

#include <string.h>

/* ---- making ------------------------------------------------------------------------ */

static zl_value_range range_of_extent(uint64_t extent)
{
    if (!extent) return (zl_value_range){INT64_MIN, INT64_MAX};
    if (extent > INT64_MAX) return (zl_value_range){0, INT64_MAX};
    return (zl_value_range){0, (int64_t)(extent - 1)};
}

zlay_status zl_draft_new(zlay_ctx *ctx, zl_draft **out, size_t dims, const uint64_t *extent)
{
    *out = NULL;
    if (dims > ZL_PIECE_VARIABLES)
        return zl_fail(ctx, ZLAY_ELIMIT, "%zu dimensions; %d at most", dims,
                       (int)ZL_PIECE_VARIABLES);
    zl_draft *d = zl_scratch_plain(ctx, 1, sizeof *d);
    if (!d) return ZLAY_ENOMEM;
    memset(d, 0, offsetof(zl_draft, known));
    zl_quasi_set(&d->known, 0);
    zl_world_begin(&d->w, ctx, 0, dims, NULL);
    d->claims.w = &d->w;
    for (size_t i = 0; i < dims; i++) {
        d->extent[i] = extent[i];
        d->range[i] = range_of_extent(extent[i]);
    }
    d->known_range = (zl_value_range){INT64_MIN, INT64_MAX};
    *out = d;
    return ZLAY_OK;
}

zlay_status zl_draft_of(zlay_ctx *ctx, zl_draft **out, const zlay_layout *box)
{
    uint64_t extent[ZL_PIECE_VARIABLES];
    size_t dims = box->table->extents(extent, ZL_PIECE_VARIABLES, box);
    zlay_status status = zl_draft_new(ctx, out, dims, extent);
    return status ? status : zl_draft_params(*out, box);
}

/* A dimension a top-level mode; an extent of 0 depends on parameters. */
zlay_status zl_draft_of_box(zlay_ctx *ctx, zl_draft **out, const zl_modes *box)
{
    uint64_t extent[ZL_PIECE_VARIABLES], size = 1;
    size_t dims = 0, end;
    uint32_t outer = box->count && box->at[0].open ? 1 : 0;
    *out = NULL;
    for (size_t i = 0; i < box->count && dims < ZL_PIECE_VARIABLES; i = end, dims++, outer = 0) {
        extent[dims] = 1;
        end = zl_part_end(box->at, i, box->at[i].open - outer);
        for (size_t leaf = i; leaf < end; leaf++)
            if (!zl_umul(extent[dims], (uint64_t)box->at[leaf].shape, &extent[dims]))
                return zl_fail(ctx, ZLAY_EOVERFLOW, "the size does not fit 64 bits");
        if (extent[dims] && !zl_umul(size, extent[dims], &size))
            return zl_fail(ctx, ZLAY_EOVERFLOW, "the size does not fit 64 bits");
    }
    return zl_draft_new(ctx, out, dims, extent);
}

/* ---- parameters and outputs ------------------------------------------------------- */

static bool has_param(const zl_draft *d, const zl_name *name)
{
    return zl_param_find(d->w.param, d->w.params, name->text) < d->w.params;
}

static size_t count_new(const zl_draft *d, const zl_pieces *p)
{
    size_t count = 0;
    for (size_t i = 0; i < p->params; i++) count += !has_param(d, &p->param[i]);
    return count;
}

/* Parameters are numbered before dimensions, whose ranges move up. */
static void make_room(zl_draft *d, size_t more)
{
    size_t params = d->w.params, dims = d->w.dims;
    for (size_t i = dims; i-- > 0;) d->range[params + more + i] = d->range[params + i];
    for (size_t i = 0; i < more; i++)
        d->range[params + i] = (zl_value_range){INT64_MIN, INT64_MAX};
    zl_world_known(&d->w, params + more, dims);
}

zlay_status zl_draft_params(zl_draft *d, const zlay_layout *a)
{
    const zl_pieces *p = &a->pieces;
    size_t more = count_new(d, p), at = d->w.params, known = at + d->w.dims;
    if (!more) return ZLAY_OK;
    if (known + more > ZL_PIECE_VARIABLES)
        return zl_fail(d->w.ctx, ZLAY_ELIMIT, "%zu parameters and dimensions; %d at most",
                       known + more, (int)ZL_PIECE_VARIABLES);
    zl_name *name = zl_scratch(d->w.ctx, at + more, sizeof *name);
    if (!name) return ZLAY_ENOMEM;
    if (at) memcpy(name, d->w.param, at * sizeof *name);
    for (size_t i = 0; i < p->params; i++)
        if (!has_param(d, &p->param[i])) name[at++] = p->param[i];
    make_room(d, more);
    d->w.param = name;
    d->known_range = (zl_value_range){INT64_MIN, INT64_MAX};
    return ZLAY_OK;
}

uint64_t zl_out_size(const zlay_layout *a, size_t i)
{
    if (zl_is_pieces(a)) return a->pieces.out_size[i];
    if (!a->f2.outs) return 0;
    return zl_dim_size(&a->f2.out[i]);
}

zlay_status zl_draft_outs(zl_draft *d, const zlay_layout *a)
{
    size_t outs = zlay_layout_out_count(a);
    if (outs > ZL_PIECE_VARIABLES)
        return zl_fail(d->w.ctx, ZLAY_ELIMIT, "%zu outputs; %d at most", outs,
                       (int)ZL_PIECE_VARIABLES);
    d->claims.outs = outs;
    for (size_t i = 0; i < outs; i++) d->out_size[i] = zl_out_size(a, i);
    return ZLAY_OK;
}

/* ---- forms -------------------------------------------------------------------------- */

void zl_draft_coordinate(const zl_draft *d, zl_quasi *out, size_t dim)
{
    zl_quasi_set(out, 0);
    zl_quasi_put(out, d->w.params + dim, 1);
}

/* ---- the coordinates of the box ---------------------------------------------------- */

zlay_status zl_draft_coordinates(zl_draft *d, zl_quasi **out, size_t *count)
{
    *count = d->w.dims ? d->w.dims : 1;
    *out = zl_scratch_plain(d->w.ctx, *count, sizeof **out);
    if (!*out) return ZLAY_ENOMEM;
    for (size_t i = 0; i < *count; i++) {
        if (i < d->w.dims && d->extent[i] != 1) zl_draft_coordinate(d, &(*out)[i], i);
        else zl_quasi_set(&(*out)[i], 0);
    }
    return ZLAY_OK;
}

zlay_status zl_draft_index(zl_draft *d, zl_quasi *out, const zl_quasi *coordinate)
{
    uint64_t step = 1;
    zl_quasi sum;
    zlay_status status = ZLAY_OK;
    zl_quasi_set(&sum, 0);
    for (size_t i = 0; i < d->w.dims && !status; i++) {
        status = zl_quasi_add(&d->w, &sum, &coordinate[i], (int64_t)step);
        step *= d->extent[i];
    }
    if (!status) *out = sum;
    return status;
}
