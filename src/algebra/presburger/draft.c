/* SPDX-License-Identifier: Apache-2.0 */
/* Drafts: their memory, their variables, their forms. */
#include "algebra/presburger/draft.h"

#include <string.h>

/* ---- what grows ------------------------------------------------------------------- */

enum { FIRST_ROOM = 768 }; /* bytes */

static zlay_status grow(zlay_ctx *ctx, zl_vector *v, size_t count)
{
    size_t room = v->room ? v->room : FIRST_ROOM / v->size;
    while (room < v->count + count) room *= 2;
    void *more = zl_scratch_plain(ctx, room, v->size);
    if (!more) return ZLAY_ENOMEM;
    if (v->count) memcpy(more, v->at, v->count * v->size);
    v->at = more;
    v->room = room;
    return ZLAY_OK;
}

zlay_status zl_vector_put(zlay_ctx *ctx, zl_vector *v, const void *entries, size_t count)
{
    zlay_status status = v->count + count > v->room ? grow(ctx, v, count) : ZLAY_OK;
    if (status || !count) return status;
    memcpy((char *)v->at + v->count * v->size, entries, count * v->size);
    v->count += count;
    return ZLAY_OK;
}

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
    zl_form_constant(&d->known, 0);
    d->ctx = ctx;
    d->dims = dims;
    for (size_t i = 0; i < dims; i++) {
        d->extent[i] = extent[i];
        d->range[i] = range_of_extent(extent[i]);
    }
    d->cells.size = sizeof(int64_t);
    d->rows.size = sizeof(zl_draft_row);
    d->guards.size = d->piece_rows.size = sizeof(size_t);
    d->pieces.size = sizeof(zl_part);
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
    for (size_t i = 0; i < d->params; i++)
        if (!strcmp(d->param[i].text, name->text)) return true;
    return false;
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
    for (size_t i = d->dims; i-- > 0;) d->range[d->params + more + i] = d->range[d->params + i];
    for (size_t i = 0; i < more; i++)
        d->range[d->params + i] = (zl_value_range){INT64_MIN, INT64_MAX};
}

zlay_status zl_draft_params(zl_draft *d, const zlay_layout *a)
{
    const zl_pieces *p = &a->pieces;
    size_t more = count_new(d, p), at = d->params;
    if (!more) return ZLAY_OK;
    if (d->params + d->dims + more > ZL_PIECE_VARIABLES)
        return zl_fail(d->ctx, ZLAY_ELIMIT, "%zu parameters and dimensions; %d at most",
                       d->params + d->dims + more, (int)ZL_PIECE_VARIABLES);
    zl_name *name = zl_scratch(d->ctx, at + more, sizeof *name);
    if (!name) return ZLAY_ENOMEM;
    if (at) memcpy(name, d->param, at * sizeof *name);
    for (size_t i = 0; i < p->params; i++)
        if (!has_param(d, &p->param[i])) name[at++] = p->param[i];
    make_room(d, more);
    d->param = name;
    d->params = at;
    d->known_range = (zl_value_range){INT64_MIN, INT64_MAX};
    return ZLAY_OK;
}

uint64_t zl_out_size(const zlay_layout *a, size_t i)
{
    if (zl_is_pieces(a)) return a->pieces.out_size[i];
    if (!a->f2.outs) return 0;
    if (a->f2.out[i].size) return a->f2.out[i].size;
    return a->f2.out[i].bits < 64 ? (uint64_t)1 << a->f2.out[i].bits : 0;
}

zlay_status zl_draft_outs(zl_draft *d, const zlay_layout *a)
{
    size_t outs = zlay_layout_out_count(a);
    if (outs > ZL_PIECE_VARIABLES)
        return zl_fail(d->ctx, ZLAY_ELIMIT, "%zu outputs; %d at most", outs,
                       (int)ZL_PIECE_VARIABLES);
    d->outs = outs;
    for (size_t i = 0; i < outs; i++) d->out_size[i] = zl_out_size(a, i);
    return ZLAY_OK;
}

/* ---- forms -------------------------------------------------------------------------- */

void zl_form_coordinate(const zl_draft *d, zl_form *out, size_t dim)
{
    zl_form_constant(out, 0);
    zl_form_put(out, d->params + dim, 1);
}

zlay_status zl_form_add(zl_draft *d, zl_form *to, int64_t factor, const zl_form *from)
{
    int64_t term;
    zl_form_widen(to, from->used);
    for (size_t v = 0; v <= from->used; v++)
        if (from->at[v] &&
            (!zl_mul(factor, from->at[v], &term) || !zl_add(to->at[v], term, &to->at[v])))
            return zl_fail(d->ctx, ZLAY_EOVERFLOW, "a coefficient does not fit 64 bits");
    return ZLAY_OK;
}

void zl_draft_load(const zl_draft *d, zl_form *out, size_t row)
{
    const zl_draft_row *r = (const zl_draft_row *)d->rows.at + row;
    out->used = r->length - 1;
    memcpy(out->at, (const int64_t *)d->cells.at + r->first, r->length * sizeof *out->at);
}

zlay_status zl_draft_store(zl_draft *d, size_t *row, const zl_form *form, int rule)
{
    zl_draft_row r = {d->cells.count, 1 + form->used, rule};
    while (r.length > 1 && !form->at[r.length - 1]) r.length--;
    *row = d->rows.count;
    zlay_status status = zl_vector_put(d->ctx, &d->cells, form->at, r.length);
    return status ? status : zl_vector_put(d->ctx, &d->rows, &r, 1);
}

/* ---- the coordinates of the box ---------------------------------------------------- */

zlay_status zl_draft_coordinates(zl_draft *d, zl_form **out, size_t *count)
{
    *count = d->dims ? d->dims : 1;
    *out = zl_scratch_plain(d->ctx, *count, sizeof **out);
    if (!*out) return ZLAY_ENOMEM;
    for (size_t i = 0; i < *count; i++) {
        if (i < d->dims && d->extent[i] != 1) zl_form_coordinate(d, &(*out)[i], i);
        else zl_form_constant(&(*out)[i], 0);
    }
    return ZLAY_OK;
}

zlay_status zl_draft_index(zl_draft *d, zl_form *out, const zl_form *coordinate)
{
    uint64_t step = 1;
    zl_form sum;
    zlay_status status = ZLAY_OK;
    zl_form_constant(&sum, 0);
    for (size_t i = 0; i < d->dims && !status; i++) {
        status = zl_form_add(d, &sum, (int64_t)step, &coordinate[i]);
        step *= d->extent[i];
    }
    if (!status) *out = sum;
    return status;
}
