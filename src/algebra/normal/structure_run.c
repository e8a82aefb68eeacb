/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/normal/structure_run.h"
#include "base/arith.h"

/* What output r reaches, up or down, over the box of d. */
static bool reach_of(uint64_t *out, const zl_run_question *q, size_t r, uint64_t length)
{
    *out = 1;
    for (size_t j = 0; j < q->n; j++) {
        uint64_t term, step = zl_magnitude(q->a[r * q->n + j]);
        if (!zl_umul(step, q->last[j] / (length - 1), &term) || !zl_uadd(*out, term, out))
            return false;
    }
    return *out <= INT64_MAX;
}

/* One column for all outputs: each counts in units beyond what those before can reach. */
static bool join(int64_t *key, const zl_run_question *q, uint64_t length)
{
    int64_t unit = 1, term;
    for (size_t j = 0; j < q->n; j++) key[j] = 0;
    for (size_t r = 0; r < q->m; r++) {
        uint64_t reach;
        for (size_t j = 0; j < q->n; j++)
            if (!zl_mul(unit, q->a[r * q->n + j], &term) || !zl_add(key[j], term, &key[j]) ||
                key[j] == INT64_MIN)
                return false;
        if (r + 1 == q->m) break;
        if (!reach_of(&reach, q, r, length) || reach > INT64_MAX / 2 ||
            !zl_mul(unit, (int64_t)(2 * reach + 1), &unit))
            return false;
    }
    return true;
}

/* The terms of d_j in [-b, b], steps rising, b of each added to make them start at 0. */
static size_t terms_of(zl_term *term, size_t *of, zl_i128 *target, const int64_t *key,
                       const zl_run_question *q, uint64_t length)
{
    size_t count = 0;
    for (size_t j = 0; j < q->n; j++) {
        uint64_t step = zl_magnitude(key[j]), most = q->last[j] / (length - 1);
        size_t at = count;
        if (!step || !most) continue;
        for (; at && term[at - 1].step > step; at--) term[at] = term[at - 1], of[at] = of[at - 1];
        term[at] = (zl_term){step, 2 * most, 0, key[j] < 0};
        of[at] = j;
        *target += (zl_i128)step * (zl_i128)most;
        count++;
    }
    return count;
}

zl_found zl_run_of_length(int64_t *d, const zl_run_question *q, uint64_t length, zl_budget *budget)
{
    zl_term term[ZL_TERMS_MOST] = {{0}};
    uint64_t x[ZL_TERMS_MOST];
    size_t of[ZL_TERMS_MOST];
    int64_t key[ZL_TERMS_MOST];
    zl_i128 target = 1;
    if (q->n > ZL_TERMS_MOST || !join(key, q, length)) return ZL_TOO_MANY;
    size_t count = terms_of(term, of, &target, key, q, length);
    zl_found found = zl_sum_solve(x, term, count, target, budget);
    for (size_t j = 0; j < q->n; j++) d[j] = 0;
    for (size_t k = 0; k < count && found == ZL_FOUND; k++) {
        int64_t step = (int64_t)(x[k] - term[k].most / 2);
        d[of[k]] = term[k].down ? -step : step;
    }
    return found;
}
