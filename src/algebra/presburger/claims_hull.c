/* SPDX-License-Identifier: Apache-2.0 */
/* The rectangular hull of a domain: the ends that ranges give, where each is reached. */
#include "algebra/presburger/claims.h"
#include "algebra/facts/facts.h"
#include "algebra/presburger/isl/isl.h"

#include <string.h>

typedef struct hull {
    zl_claims *c;
    zlay_range *range; /* dims a claim */
    int64_t *least, *greatest;
    size_t dims, points_of; /* points_of: claims times points that are worth trying */
} hull;

enum { WORK = 1 << 16 };

bool zl_guard_is_box(const zl_world *w, const zl_guard *guard)
{
    for (size_t r = 0; r < guard->count; r++) {
        const zl_row *row = guard->row[r];
        if (row->used > w->params + w->dims) return false;
        for (size_t v = 0; v + 1 < row->used; v++)
            if (row->at[v]) return false;
    }
    return true;
}

static zlay_status ranges(hull *h)
{
    zl_claims *c = h->c;
    zlay_range *all = zl_world_ranges(c->w);
    h->range = zl_scratch(c->w->ctx, c->count * h->dims, sizeof *h->range);
    if (!all || !h->range) return ZLAY_ENOMEM;
    for (size_t d = 0; d < h->dims; d++) h->least[d] = INT64_MAX, h->greatest[d] = INT64_MIN;
    for (size_t i = 0; i < c->count; i++) {
        for (size_t v = 0; v < c->w->count; v++) all[v] = zl_range_all();
        if (!zl_guard_ranges(c->w, &c->at[i].guard, all))
            for (size_t v = 0; v < c->w->count; v++) all[v] = zl_range_empty();
        for (size_t d = 0; d < h->dims; d++) {
            zlay_range r = all[c->w->params + d];
            h->range[i * h->dims + d] = r;
            if (zl_range_is_empty(r)) continue;
            if (r.lo < h->least[d]) h->least[d] = r.lo;
            if (r.hi > h->greatest[d]) h->greatest[d] = r.hi;
        }
    }
    return ZLAY_OK;
}

/* ---- by points ----------------------------------------------------------------------------- */

static zlay_status by_points(hull *h, const zl_pieces *p, uint64_t points)
{
    int64_t least[ZL_PIECE_VARIABLES], greatest[ZL_PIECE_VARIABLES], at[ZL_PIECE_VARIABLES];
    memcpy(at, h->least, h->dims * sizeof *at);
    for (size_t d = 0; d < h->dims; d++) least[d] = INT64_MAX, greatest[d] = INT64_MIN;
    bool any = false;
    if (zl_charge(h->c->w->ctx, zl_umul_sat(points, zl_pieces_steps(p)))) return ZLAY_ENOMEM;
    do {
        if (zl_pieces_at(p, NULL, at, NULL)) continue;
        any = true;
        for (size_t d = 0; d < h->dims; d++) {
            if (at[d] < least[d]) least[d] = at[d];
            if (at[d] > greatest[d]) greatest[d] = at[d];
        }
    } while (zl_points_next(at, h->least, h->greatest, h->dims));
    memcpy(h->least, least, h->dims * sizeof *least);
    memcpy(h->greatest, greatest, h->dims * sizeof *greatest);
    return any ? ZLAY_OK : ZLAY_NONE;
}

static zlay_status by_points_or_isl(hull *h)
{
    zl_claims domain = *h->c;
    zl_pieces p;
    uint64_t points = zl_points_between(h->least, h->greatest, h->dims);
    uint64_t *extent = zl_scratch(h->c->w->ctx, h->dims, sizeof *extent);
    domain.outs = 0;
    zlay_status status = extent ? zl_claims_dense(&domain, &p, extent, NULL) : ZLAY_ENOMEM;
    if (status) return status;
    if (!h->c->w->params && zl_umul_sat(points, p.count) <= WORK) return by_points(h, &p, points);
    status = zl_isl_hull(h->c->w->ctx, h->least, h->greatest, &p);
    if (status != ZLAY_ELIMIT || h->c->w->params || points > zl_limits(h->c->w->ctx)->points)
        return status;
    return by_points(h, &p, points);
}

/* ---- by faces ------------------------------------------------------------------------------ */

/* The claims cut at one end of one coordinate. */
static zlay_status face(hull *h, size_t d, int64_t end, zl_cases *out, bool *reached)
{
    zl_world *w = h->c->w;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < h->c->count && !status && !*reached; i++) {
        zlay_range r = h->range[i * h->dims + d];
        zl_guard guard = {0};
        bool possible = true;
        if (zl_range_is_empty(r) || (r.lo != end && r.hi != end)) continue;
        if (zl_guard_is_box(w, &h->c->at[i].guard)) *reached = true;
        zl_quasi *a = zl_quasi_new(w);
        if (!a) return ZLAY_ENOMEM;
        zl_quasi_put(a, w->params + d, -1);
        a->constant = end;
        status = zl_guard_put_all(w, &guard, &h->c->at[i].guard);
        if (!status) status = zl_guard_put(w, &guard, a, true, &possible);
        if (!status && possible) status = zl_cases_put(w, out, guard);
        zl_quasi_drop(w, a);
    }
    return status;
}

static zlay_status is_reached(hull *h, size_t d, int64_t end, bool *reached)
{
    zl_cases cases = {0};
    zlay_answer answer;
    int64_t at[ZL_PIECE_VARIABLES];
    *reached = false;
    if (end == INT64_MIN || end == INT64_MAX) return ZLAY_OK;
    zlay_status status = face(h, d, end, &cases, reached);
    if (status || *reached) return status;
    status = zl_cases_empty(h->c->w, &cases, &answer, at);
    *reached = !status && answer == ZLAY_NO;
    return status;
}

static bool all_boxes(const zl_claims *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (!zl_guard_is_box(c->w, &c->at[i].guard)) return false;
    return true;
}

static zlay_status all_reached(hull *h, bool *reached)
{
    zlay_status status = ZLAY_OK;
    *reached = true;
    for (size_t d = 0; d < h->dims && !status && *reached; d++) {
        status = is_reached(h, d, h->least[d], reached);
        if (!status && *reached) status = is_reached(h, d, h->greatest[d], reached);
    }
    return status;
}

static zlay_status ends(hull *h)
{
    bool reached = false;
    zlay_status status = ranges(h);
    if (status) return status;
    uint64_t points = zl_points_between(h->least, h->greatest, h->dims);
    if (all_boxes(h->c)) return ZLAY_OK;
    if (zl_umul_sat(points, h->c->count) > WORK) status = all_reached(h, &reached);
    return status || reached ? status : by_points_or_isl(h);
}

zlay_status zl_claims_hull(zl_claims *c, int64_t *least, int64_t *greatest)
{
    hull h = {c, NULL, least, greatest, c->w->dims, 0};
    zlay_status status = c->count ? ends(&h) : ZLAY_NONE;
    if (status == ZLAY_NONE) return zl_fail(c->w->ctx, ZLAY_NONE, "the domain is empty");
    for (size_t d = 0; d < h.dims && !status; d++)
        if (least[d] == INT64_MIN || greatest[d] == INT64_MAX)
            return zl_fail(c->w->ctx, ZLAY_EINVAL, "the domain is unbounded in dimension %zu", d);
    return status;
}
