/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether some guard holds for all values of the unknowns that a domain has: whether the
 * domain without the guards, a union of polyhedra with congruences, has no integer point. Values beside
 * the numbers of guards are tried first. */
#include "algebra/presburger/claims.h"
#include "synth/variants/variants.h"

#include <string.h>

/* sum + rest, as a form over the unknowns, with its sign changed where it has to be at most 0. */
static zlay_status form_of(zl_world *w, zl_quasi *a, const zl_relation_fact *test)
{
    bool fits = true;
    zl_quasi_set(a, test->rest);
    for (size_t i = 0; i < test->count; i++) zl_quasi_put(a, test->place[i], test->coefficient[i]);
    if (test->how != ZL_FACT_AT_MOST) return ZLAY_OK;
    fits = zl_sub(0, test->rest, &a->constant);
    for (size_t v = 0; v < a->used; v++) a->at[v] = -a->at[v]; /* no coefficient is -2^63 */
    return fits ? ZLAY_OK : zl_fail(w->ctx, ZLAY_EOVERFLOW, "the number -2^63 in a sum");
}

/* The condition as rows; *possible turns false where it never holds. */
static zlay_status rows_of(zl_world *w, zl_guard *out, const zl_variant_guard *c, bool *possible)
{
    zlay_status status = ZLAY_OK;
    zl_quasi *a = zl_quasi_new(w);
    *out = (zl_guard){0};
    if (!a) return ZLAY_ENOMEM;
    for (size_t i = 0; i < c->count && !status; i++) {
        const zl_relation_fact *test = &c->test[i];
        status = form_of(w, a, test);
        if (!status && test->how == ZL_FACT_MOD) status = zl_quasi_mod(w, a, test->mod);
        if (!status) status = zl_guard_put(w, out, a, test->how != ZL_FACT_AT_MOST, possible);
    }
    zl_quasi_drop(w, a);
    return status;
}

static zlay_status cut_guards(zl_world *w, zl_cases *rest, const zl_variant_guard *guard, size_t count)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < count && !status; i++) {
        zl_guard rows;
        bool possible = true;
        status = rows_of(w, &rows, &guard[i], &possible);
        if (!status && possible) status = zl_cases_without(w, rest, &rows);
    }
    return status;
}

static zlay_status decide(zl_world *w, zlay_answer *answer, int64_t *at, const zl_variant_guard *domain,
                          const zl_variant_guard *guard, size_t count)
{
    zl_cases rest = {0};
    zl_guard all;
    bool possible = true;
    zlay_status status = rows_of(w, &all, domain, &possible);
    if (!status && possible) status = zl_cases_put(w, &rest, all);
    if (!status) status = cut_guards(w, &rest, guard, count);
    return status ? status : zl_cases_empty(w, &rest, answer, at);
}

/* ---- values that no guard takes, found by trying ----------------------------------------------- */

enum { TRIES = 4096, POOL = 64, BESIDE = 17 };

/* Numbers where a guard or the domain changes for one unknown. */
typedef struct pool {
    int64_t at[POOL];
    size_t count;
} pool;

static void pool_put(pool *p, int64_t value)
{
    if (p->count < POOL) p->at[p->count++] = value;
}

static void pool_fill(pool *p, const zl_variant_guard *c, size_t place)
{
    for (size_t i = 0; i < c->count; i++) {
        const zl_relation_fact *t = &c->test[i];
        if (t->count > 1 || t->place[0] != place || t->how == ZL_FACT_MOD) continue;
        int64_t end = t->coefficient[0] < 0 ? t->rest : -t->rest;
        pool_put(p, end);
        pool_put(p, end < INT64_MAX ? end + 1 : end);
        pool_put(p, end - 1);
    }
}

static uint64_t drawn(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    return z ^ z >> 27;
}

static int64_t draw(const pool *p, uint64_t *state)
{
    int64_t value = p->count ? p->at[drawn(state) % p->count] : 0, sum;
    int64_t by = (int64_t)(drawn(state) % BESIDE) - BESIDE / 2;
    return drawn(state) % 2 && zl_add(value, by, &sum) ? sum : value;
}

/* Most lists that do not take all values are seen so at once, which spares the decision, and never decides YES. */
static zlay_status try_values(zlay_ctx *ctx, bool *found, int64_t *at, const zl_unknowns *u, const zl_variant_guard *domain,
                              const zl_variant_guard *guard, size_t count)
{
    pool pools[ZLAY_VARIANTS_UNKNOWNS] = {{{0}, 0}};
    uint64_t state = 0;
    *found = false;
    for (size_t i = 0; i < u->count; i++) {
        pool_fill(&pools[i], domain, i);
        for (size_t g = 0; g < count; g++) pool_fill(&pools[i], &guard[g], i);
    }
    for (int n = 0; n < TRIES && !*found; n++) {
        for (size_t i = 0; i < u->count; i++) at[i] = draw(&pools[i], &state);
        *found = zl_variant_guard_holds(domain, at);
        for (size_t g = 0; g < count && *found; g++) *found = !zl_variant_guard_holds(&guard[g], at);
    }
    return zl_charge(ctx, TRIES * (count + 1));
}

zlay_status zl_variants_total(zlay_ctx *ctx, zlay_answer *answer, int64_t *at, const zl_unknowns *u,
                              const zl_variant_guard *domain, const zl_variant_guard *guard, size_t count)
{
    int64_t where[ZL_PIECE_VARIABLES];
    bool found;
    *answer = ZLAY_YES;
    for (size_t i = 0; i < count; i++)
        if (!guard[i].count) return ZLAY_OK;
    zlay_status status = try_values(ctx, &found, at, u, domain, guard, count);
    if (found) *answer = ZLAY_NO;
    if (found || status) return status;
    status = ZLAY_ENOMEM;
    zl_mark mark = zl_scratch_mark(ctx);
    zl_world *w = zl_scratch(ctx, 1, sizeof *w);
    if (w) {
        zl_world_begin(w, ctx, 0, u->count, NULL);
        status = decide(w, answer, where, domain, guard, count);
    }
    if (!status && *answer == ZLAY_NO) memcpy(at, where, u->count * sizeof *at);
    zl_scratch_release(ctx, mark);
    return status;
}
