/* SPDX-License-Identifier: Apache-2.0 */
/* Whether guards ever hold: ranges, then points of a small box, then isl, then all points. */
#include "algebra/presburger/claims.h"
#include "algebra/facts/facts.h"
#include "algebra/presburger/isl/isl.h"

#include <string.h>

enum { FEW = 1 << 12 }; /* points that are tried before isl is asked */

uint64_t zl_points_between(const int64_t *least, const int64_t *greatest, size_t dims)
{
    uint64_t count = 1;
    for (size_t i = 0; i < dims; i++) {
        uint64_t span = (uint64_t)greatest[i] - (uint64_t)least[i];
        bool bounded = least[i] != INT64_MIN && greatest[i] != INT64_MAX;
        if (greatest[i] < least[i]) return 0;
        count = bounded ? zl_umul_sat(count, span + 1) : UINT64_MAX;
    }
    return count;
}

bool zl_points_next(int64_t *at, const int64_t *least, const int64_t *greatest, size_t dims)
{
    for (size_t i = 0; i < dims; i++) {
        if (at[i]++ < greatest[i]) return true;
        at[i] = least[i];
    }
    return false;
}

typedef struct search {
    zl_world *w;
    zl_claims claims; /* without values: those guards that may hold */
    int64_t least[ZL_PIECE_VARIABLES], greatest[ZL_PIECE_VARIABLES];
} search;

static void widen_box(search *s, const zlay_range *range)
{
    for (size_t i = 0; i < s->w->dims; i++) {
        zlay_range r = range[s->w->params + i];
        if (r.lo < s->least[i]) s->least[i] = r.lo;
        if (r.hi > s->greatest[i]) s->greatest[i] = r.hi;
    }
}

static zlay_status collect(search *s, const zl_cases *cases)
{
    zlay_status status = ZLAY_OK;
    zlay_range *range = zl_world_ranges(s->w);
    if (!range) return ZLAY_ENOMEM;
    for (size_t i = 0; i < s->w->dims; i++) s->least[i] = INT64_MAX, s->greatest[i] = INT64_MIN;
    for (size_t i = 0; i < cases->count && !status; i++) {
        for (size_t v = 0; v < s->w->count; v++) range[v] = zl_range_all();
        if (!zl_guard_ranges(s->w, &cases->at[i], range)) continue;
        widen_box(s, range);
        status = zl_claims_put(&s->claims, (zl_claim){cases->at[i], NULL});
    }
    return status;
}

static zlay_status by_points(search *s, const zl_pieces *p, zlay_answer *answer, int64_t *at)
{
    int64_t here[ZL_PIECE_VARIABLES];
    memcpy(here, s->least, p->dims * sizeof *here);
    *answer = ZLAY_YES;
    do {
        zlay_status status = zl_pieces_at(p, NULL, here, NULL);
        if (status == ZLAY_EOVERFLOW)
            return zl_fail(s->w->ctx, status, "a condition does not fit 64 bits");
        if (status) continue;
        *answer = ZLAY_NO;
        memcpy(at, here, p->dims * sizeof *at);
        return ZLAY_OK;
    } while (zl_points_next(here, s->least, s->greatest, p->dims));
    return ZLAY_OK;
}

/* The corners where all coordinates are least or greatest, and the middle: most guards that hold
 * anywhere hold at one of them. */
static bool at_corners(const search *s, const zl_pieces *p, int64_t *at)
{
    for (int corner = 0; corner < 3; corner++) {
        for (size_t i = 0; i < p->dims; i++) {
            uint64_t span = (uint64_t)s->greatest[i] - (uint64_t)s->least[i];
            uint64_t step = corner == 0 ? 0 : corner == 1 ? span : span / 2;
            at[i] = (int64_t)((uint64_t)s->least[i] + step);
        }
        if (zl_pieces_at(p, NULL, at, NULL) == ZLAY_OK) return true;
    }
    return false;
}

static zlay_status by_isl(search *s, const zl_pieces *p, zlay_answer *answer, int64_t *at)
{
    zl_isl_point where;
    zlay_status status = zl_isl_empty(s->w->ctx, answer, &where, p);
    if (!status && *answer == ZLAY_NO) memcpy(at, where.at, p->dims * sizeof *at);
    return status;
}

zlay_status zl_cases_empty(zl_world *w, const zl_cases *cases, zlay_answer *answer, int64_t *at)
{
    search s = {.w = w, .claims = {.w = w}};
    zl_pieces p;
    uint64_t *extent = zl_scratch(w->ctx, w->dims, sizeof *extent);
    zlay_status status = extent ? collect(&s, cases) : ZLAY_ENOMEM;
    *answer = ZLAY_YES;
    if (status || !s.claims.count) return status;
    uint64_t points = w->params ? UINT64_MAX : zl_points_between(s.least, s.greatest, w->dims);
    status = zl_claims_dense(&s.claims, &p, extent, NULL);
    if (status) return status;
    if (points <= FEW) return by_points(&s, &p, answer, at);
    if (!w->params && at_corners(&s, &p, at)) {
        *answer = ZLAY_NO;
        return ZLAY_OK;
    }
    status = by_isl(&s, &p, answer, at);
    if (status || *answer != ZLAY_UNDECIDED || points > zl_limits(w->ctx)->points) return status;
    return by_points(&s, &p, answer, at);
}
