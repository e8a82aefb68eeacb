/* SPDX-License-Identifier: Apache-2.0 */
/* Claims as a layout: its box, its least corner at 0, no row that the box implies. */
#include "algebra/presburger/claims.h"
#include "algebra/facts/facts.h"
#include "algebra/presburger/isl/isl.h"

#include <string.h>

typedef struct maker {
    zl_claims *from;  /* disjoint */
    zl_claims claims; /* moved, in a world of their own */
    zl_world w;
    const zl_claims_frame *frame;
    uint64_t *extent, *out_size;
    int64_t *least, *greatest;
    bool partial;
} maker;

enum { WORK = 1 << 20 }; /* evaluations that are spent before isl is asked */

/* ---- the box ------------------------------------------------------------------------------- */

static void mark(const zl_world *w, const zl_row *row, bool *in)
{
    for (size_t v = 0; v < w->params + w->dims; v++) in[v] = zl_row_has(w, row, v);
}

static bool has_params(const zl_claims *c)
{
    for (size_t i = 0; i < c->count; i++)
        for (size_t r = 0; r < c->at[i].guard.count; r++)
            for (size_t v = 0; v < c->w->params; v++)
                if (zl_row_has(c->w, c->at[i].guard.row[r], v)) return true;
    return false;
}

/* A coordinate that no row ties to anything else keeps its ends whatever the parameters are. */
static bool is_untied(const zl_claims *c, size_t d)
{
    bool in[ZL_PIECE_VARIABLES];
    for (size_t i = 0; i < c->count; i++)
        for (size_t r = 0; r < c->at[i].guard.count; r++) {
            const zl_row *row = c->at[i].guard.row[r];
            mark(c->w, row, in);
            if (!in[c->w->params + d]) continue;
            if (row->used != c->w->params + d + 1) return false;
            for (size_t v = 0; v < c->w->params + d; v++)
                if (in[v]) return false;
        }
    return true;
}

static bool same_ends(const zl_claims *c, zlay_range *range, size_t d, zlay_range *ends)
{
    for (size_t i = 0; i < c->count; i++) {
        for (size_t v = 0; v < c->w->count; v++) range[v] = zl_range_all();
        zl_guard_ranges(c->w, &c->at[i].guard, range);
        zlay_range r = range[c->w->params + d];
        if (i && (r.lo != ends->lo || r.hi != ends->hi)) return false;
        *ends = r;
    }
    return true;
}

/* With parameters in guards: an extent that is known for all of them, or 0. */
static zlay_status box_with_params(maker *m)
{
    zlay_range *range = zl_world_ranges(m->from->w), ends = {0, 0, 0, 0};
    if (!range) return ZLAY_ENOMEM;
    for (size_t d = 0; d < m->from->w->dims; d++) {
        m->least[d] = 0;
        m->extent[d] = 0;
        if (!is_untied(m->from, d) || !same_ends(m->from, range, d, &ends)) continue;
        if (ends.lo == INT64_MIN || ends.hi == INT64_MAX || ends.lo > ends.hi) continue;
        m->least[d] = ends.lo;
        m->extent[d] = (uint64_t)ends.hi - (uint64_t)ends.lo + 1;
    }
    return ZLAY_OK;
}

static zlay_status box_of_domain(maker *m)
{
    zlay_status status = zl_claims_hull(m->from, m->least, m->greatest);
    for (size_t d = 0; d < m->from->w->dims && !status; d++) {
        m->extent[d] = (uint64_t)m->greatest[d] - (uint64_t)m->least[d] + 1;
        if (m->extent[d] > INT64_MAX)
            return zl_fail(m->from->w->ctx, ZLAY_EOVERFLOW,
                           "the extent of dimension %zu does not fit 64 bits", d);
    }
    return status;
}

/* The box that the frame states, where it does: no point is outside. */
static zlay_status box_of_frame(maker *m)
{
    for (size_t d = 0; d < m->from->w->dims; d++) {
        uint64_t end = (uint64_t)m->least[d] + m->extent[d], stated = m->frame->extent[d];
        if (!stated) continue;
        if (m->least[d] < 0 || end > stated)
            return zl_fail(m->from->w->ctx, ZLAY_EINVAL,
                           "a point is outside the box in dimension %zu", d);
        m->extent[d] = stated;
        m->least[d] = 0;
    }
    return ZLAY_OK;
}

static bool is_stated(const maker *m)
{
    for (size_t d = 0; d < m->from->w->dims; d++)
        if (!m->frame->extent || !m->frame->extent[d]) return false;
    return true;
}

static zlay_status box(maker *m)
{
    zlay_status status = ZLAY_OK;
    bool stated = is_stated(m);
    if (has_params(m->from)) status = box_with_params(m);
    else if (m->from->count || !stated) status = box_of_domain(m);
    if (status == ZLAY_NONE) {
        if (!stated) return zl_fail(m->from->w->ctx, ZLAY_EINVAL, "the domain is empty");
        m->from->count = 0;
        memset(m->least, 0, m->from->w->dims * sizeof *m->least);
        status = zl_fail(m->from->w->ctx, ZLAY_OK, "%s", "");
    }
    return status || !m->frame->extent ? status : box_of_frame(m);
}

/* ---- the move of the least corner to 0 ----------------------------------------------------- */

static zlay_status shift(maker *m)
{
    const zl_quasi *known[ZL_PIECE_VARIABLES];
    zl_pieces p;
    zlay_status status = zl_claims_dense(m->from, &p, m->extent, m->out_size);
    for (size_t v = 0; v < m->w.params + m->w.dims && !status; v++) {
        zl_quasi *a = zl_quasi_new(&m->w);
        if (!a) return ZLAY_ENOMEM;
        zl_quasi_put(a, v, 1);
        if (v >= m->w.params) a->constant = m->least[v - m->w.params];
        known[v] = a;
    }
    return status ? status : zl_claims_import(&m->claims, &p, known);
}

static void box_ranges(const maker *m, zlay_range *range)
{
    for (size_t v = 0; v < m->w.count; v++) range[v] = zl_range_all();
    for (size_t d = 0; d < m->w.dims; d++)
        if (m->extent[d])
            range[m->w.params + d] = zl_range_between(0, (int64_t)(m->extent[d] - 1));
    for (size_t q = m->w.params + m->w.dims; q < m->w.count; q++)
        range[q] = zl_range_floor_div(zl_row_range(m->w.variable[q].num, range),
                                      zl_range_constant(m->w.variable[q].den));
}

/* A row of the same form stands there before; of two that are >= the lesser constant is kept. */
static bool is_there(zl_guard *guard, size_t count, const zl_row *row)
{
    for (size_t r = 0; r < count && count <= 64; r++) {
        const zl_row *old = guard->row[r];
        if (old->equal != row->equal || old->used != row->used) continue;
        if (memcmp(old->at, row->at, row->used * sizeof *row->at)) continue;
        if (old->equal && old->constant != row->constant) continue;
        if (row->constant < old->constant) guard->row[r] = row;
        return true;
    }
    return false;
}

/* False: a row that no point of the box meets. */
static bool keep_rows(const maker *m, zl_guard *guard, const zlay_range *range)
{
    size_t kept = 0;
    for (size_t r = 0; r < guard->count; r++) {
        const zl_row *row = guard->row[r];
        zlay_range reach = zl_row_reach(&m->w, row, range);
        bool implied = reach.lo >= 0 && (!row->equal || !reach.hi);
        if (reach.hi < 0 || (row->equal && reach.lo > 0)) return false;
        if (!implied && !is_there(guard, kept, row)) guard->row[kept++] = row;
    }
    guard->count = kept;
    return true;
}

/* Rows that the box implies, or that stand there before, are not kept, nor claims without points.
 */
static zlay_status drop_implied(maker *m)
{
    size_t kept = 0;
    zlay_range *range = zl_world_ranges(&m->w), *own = range ? zl_world_ranges(&m->w) : NULL;
    if (!own) return ZLAY_ENOMEM;
    box_ranges(m, range);
    for (size_t i = 0; i < m->claims.count; i++) {
        zl_guard *guard = &m->claims.at[i].guard;
        memcpy(own, range, m->w.count * sizeof *own);
        if (zl_guard_ranges(&m->w, guard, own) && keep_rows(m, guard, range))
            m->claims.at[kept++] = m->claims.at[i];
    }
    m->claims.count = kept;
    return ZLAY_OK;
}

/* ---- which points, which values ------------------------------------------------------------ */

static zlay_status by_points(maker *m, const zl_pieces *p, uint64_t points)
{
    int64_t at[ZL_PIECE_VARIABLES], zero[ZL_PIECE_VARIABLES] = {0}, last[ZL_PIECE_VARIABLES];
    int64_t *value = zl_scratch(m->w.ctx, 3 * p->outs + 1, sizeof *value);
    if (!value) return ZLAY_ENOMEM;
    int64_t *least = value + p->outs, *greatest = least + p->outs;
    memset(at, 0, p->dims * sizeof *at);
    if (zl_charge(m->w.ctx, zl_umul_sat(points, zl_pieces_steps(p)))) return ZLAY_ENOMEM;
    for (size_t d = 0; d < p->dims; d++) last[d] = (int64_t)(p->extent[d] - 1);
    m->partial = false;
    do {
        zlay_status status = zl_pieces_at(p, NULL, at, value);
        if (status == ZLAY_NONE) m->partial = true;
        else if (status) return zl_fail(m->w.ctx, status, "a value does not fit 64 bits");
        for (size_t r = 0; r < p->outs && !status; r++) {
            if (value[r] < least[r]) least[r] = value[r];
            if (value[r] > greatest[r]) greatest[r] = value[r];
        }
    } while (zl_points_next(at, zero, last, p->dims));
    for (size_t r = 0; r < p->outs && p->outs > 1; r++)
        m->out_size[r] = least[r] < 0 ? 0 : (uint64_t)greatest[r] + 1;
    return ZLAY_OK;
}

/* Sizes that ranges give are exact enough only when isl says so. */
static zlay_status sizes_by_isl(maker *m, const zl_pieces *p)
{
    int64_t *least = zl_scratch(m->w.ctx, 2 * p->outs, sizeof *least);
    if (!least) return ZLAY_ENOMEM;
    zlay_status status = zl_isl_range(m->w.ctx, least, least + p->outs, p);
    if (status == ZLAY_ELIMIT) return zl_unless_limit(m->w.ctx, status);
    for (size_t r = 0; r < p->outs && !status; r++)
        m->out_size[r] = least[r] < 0 ? 0 : (uint64_t)least[p->outs + r] + 1;
    return status == ZLAY_NONE ? ZLAY_OK : status;
}

static zlay_status total_by_isl(maker *m, const zl_pieces *p)
{
    zl_isl_point where;
    zlay_answer answer;
    if (!m->partial || p->count > 8) return ZLAY_OK;
    zlay_status status = zl_isl_total(m->w.ctx, &answer, &where, p);
    m->partial = answer != ZLAY_YES;
    return status;
}

static zlay_status measure(maker *m)
{
    zl_pieces p;
    int64_t zero[ZL_PIECE_VARIABLES] = {0}, last[ZL_PIECE_VARIABLES];
    bool known = !m->w.params;
    for (size_t d = 0; d < m->w.dims; d++) {
        last[d] = (int64_t)(m->extent[d] - 1);
        known = known && m->extent[d];
    }
    bool whole = m->claims.count == 1 && !m->claims.at[0].guard.count;
    m->partial = !whole;
    if (!known || (whole && m->claims.outs == 1)) return ZLAY_OK;
    zlay_status status = zl_claims_dense(&m->claims, &p, m->extent, m->out_size);
    if (status) return status;
    uint64_t points = zl_points_between(zero, last, m->w.dims);
    if (zl_umul_sat(points, p.count + 1) <= WORK) return by_points(m, &p, points);
    if (p.outs > 1 && !m->frame->out_size) status = sizes_by_isl(m, &p);
    return status ? status : total_by_isl(m, &p);
}

static zlay_status make(maker *m, zlay_layout **out)
{
    zl_pieces p;
    zlay_status status = box(m);
    if (!status) status = shift(m);
    if (!status) status = drop_implied(m);
    if (!status) status = measure(m);
    if (!status && m->frame->out_size)
        memcpy(m->out_size, m->frame->out_size, m->claims.outs * sizeof *m->out_size);
    if (!status) status = zl_claims_dense(&m->claims, &p, m->extent, m->out_size);
    return status ? status : zl_layout_pieces(m->w.ctx, out, &p, m->partial);
}

zlay_status zl_claims_layout(zl_claims *c, zlay_layout **out, const zl_claims_frame *frame)
{
    static const zl_claims_frame none = {NULL, NULL};
    size_t dims = c->w->dims;
    maker m = {.from = c, .frame = frame ? frame : &none};
    zl_world_begin(&m.w, c->w->ctx, c->w->params, dims, c->w->param);
    m.claims = (zl_claims){&m.w, c->outs, 0, 0, NULL};
    m.extent = zl_scratch(m.w.ctx, dims, sizeof *m.extent);
    m.out_size = zl_scratch(m.w.ctx, c->outs, sizeof *m.out_size);
    m.least = zl_scratch(m.w.ctx, dims, sizeof *m.least);
    m.greatest = zl_scratch(m.w.ctx, dims, sizeof *m.greatest);
    bool room = m.extent && m.out_size && m.least && m.greatest;
    zlay_status status = room ? zl_claims_disjoint(c) : ZLAY_ENOMEM;
    return status ? status : make(&m, out);
}
