/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute variants.choose: one to three unknowns of a few values each, related or not, one to
 * seven shapes with weights, one to six candidates with guards of congruences, ranges and sums, costs
 * from tables. Guards are drawn as numbers, evaluated here and printed as facts for the library. Every
 * ordered list of candidates is tried: whether it takes every values of the domain, and what it costs.
 * The answer has to be the fewest, of these the least cost; `fewer` at most what one less costs; NONE
 * where no list is. Then the selector is asked about every value in and beside the domain. */
#include "ctx.h"
#include "random.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { CASES = 10000, UNKNOWNS = 3, VALUES = 9, SHAPES = 7, CANDIDATES = 6, TESTS = 2, LOW = -3 };
enum { ZERO, AT_MOST, MODULO };

typedef struct test {
    int how;
    int64_t factor[UNKNOWNS], rest, mod;
} test;

typedef struct condition {
    test at[TESTS];
    uint32_t count;
} condition;

typedef struct world {
    uint32_t unknowns, candidates, shapes;
    condition domain, guard[CANDIDATES];
    int64_t low[UNKNOWNS], high[UNKNOWNS], value[SHAPES * UNKNOWNS];
    uint64_t weight[SHAPES], costs[CANDIDATES][SHAPES];
    char text[CANDIDATES + 1][TESTS][200], range[UNKNOWNS][64];
    const char *guard_text[CANDIDATES][TESTS], *fact[UNKNOWNS + TESTS];
    zlay_variant variant[CANDIDATES];
    zlay_variants_request r;
} world;

static const char *const names[UNKNOWNS] = {"m", "n", "ld"};

/* ---- conditions ------------------------------------------------------------------------------ */

static bool holds(const condition *c, const int64_t *x, uint32_t unknowns)
{
    for (uint32_t t = 0; t < c->count; t++) {
        int64_t sum = c->at[t].rest;
        for (uint32_t i = 0; i < unknowns; i++) sum += c->at[t].factor[i] * x[i];
        if (c->at[t].how == ZERO ? sum != 0 : c->at[t].how == AT_MOST ? sum > 0 : sum % c->at[t].mod != 0) return false;
    }
    return true;
}

static bool in_domain(const world *w, const int64_t *x)
{
    for (uint32_t i = 0; i < w->unknowns; i++)
        if (x[i] < w->low[i] || x[i] > w->high[i]) return false;
    return holds(&w->domain, x, w->unknowns);
}

static void draw_test(test *t, const world *w, uint64_t *seed)
{
    *t = (test){.how = test_range(seed, 0, 5) ? (int)test_range(seed, AT_MOST, MODULO) : ZERO, .mod = test_range(seed, 2, 5)};
    for (uint32_t i = 0; i < w->unknowns; i++) t->factor[i] = test_range(seed, 0, 1) ? test_range(seed, -3, 3) : 0;
    bool any = false;
    for (uint32_t i = 0; i < w->unknowns; i++) any = any || t->factor[i];
    if (!any) t->factor[0] = 1;
    t->rest = test_range(seed, -9, 9);
}

/* The test as a fact, in one of several ways. */
static const char *print_test(char *out, const test *t, uint32_t unknowns, uint64_t *seed)
{
    char sum[120];
    int at = 0;
    for (uint32_t i = 0; i < unknowns; i++)
        if (t->factor[i]) at += sprintf(sum + at, "%s%lld*%s", at ? " + " : "", (long long)t->factor[i], names[i]);
    int64_t right = -t->rest, rem = ((right % t->mod) + t->mod) % t->mod;
    bool other = test_range(seed, 0, 1);
    if (t->how == ZERO) sprintf(out, other ? "%s = %lld" : "%s == %lld", sum, (long long)right);
    else if (t->how == AT_MOST) sprintf(out, other ? "%s <= %lld" : "%s < %lld", sum, (long long)(right + !other));
    else sprintf(out, other ? "(%s) %% %lld = %lld" : "%s - (%lld) = %lld mod %lld", sum, (long long)(other ? t->mod : 0),
                 (long long)(other ? rem : right), (long long)t->mod);
    return out;
}

/* What an AT_MOST before it leaves, so that lists without a variant of all values take all. */
static void draw_opposite(test *t, const test *of, const world *w)
{
    *t = *of;
    t->rest = 1 - of->rest;
    for (uint32_t i = 0; i < w->unknowns; i++) t->factor[i] = -of->factor[i];
}

static void draw_condition(world *w, condition *c, char text[TESTS][200], const char **list, uint32_t most, uint64_t *seed)
{
    const condition *before = c > w->guard && most ? c - 1 : NULL;
    bool opposite = before && before->count && before->at[0].how == AT_MOST && test_range(seed, 0, 1);
    c->count = opposite ? 1 : (uint32_t)test_range(seed, 0, most);
    for (uint32_t t = 0; t < c->count; t++) {
        if (opposite) draw_opposite(&c->at[t], &before->at[0], w);
        else draw_test(&c->at[t], w, seed);
        list[t] = print_test(text[t], &c->at[t], w->unknowns, seed);
    }
}

/* ---- worlds ---------------------------------------------------------------------------------- */

static bool draw_shapes(world *w, uint64_t *seed)
{
    w->shapes = (uint32_t)test_range(seed, 1, SHAPES);
    for (uint32_t s = 0; s < w->shapes; s++) {
        int64_t *x = w->value + s * w->unknowns;
        int tries = 50;
        do
            for (uint32_t i = 0; i < w->unknowns; i++) x[i] = test_range(seed, w->low[i], w->high[i]);
        while (!in_domain(w, x) && --tries);
        if (!tries) return false;
        w->weight[s] = (uint64_t)test_range(seed, 1, 9);
        for (uint32_t j = 0; j < w->candidates; j++) w->costs[j][s] = (uint64_t)test_range(seed, 0, 20);
    }
    return true;
}

static bool draw(world *w, uint64_t *seed)
{
    memset(w, 0, sizeof *w);
    w->unknowns = (uint32_t)test_range(seed, 1, UNKNOWNS);
    w->candidates = (uint32_t)test_range(seed, 1, CANDIDATES);
    for (uint32_t i = 0; i < w->unknowns; i++) {
        w->low[i] = test_range(seed, LOW, 2);
        w->high[i] = w->low[i] + test_range(seed, 0, VALUES - 1);
        sprintf(w->range[i], "%lld <= %s <= %lld", (long long)w->low[i], names[i], (long long)w->high[i]);
        w->fact[i] = w->range[i];
    }
    draw_condition(w, &w->domain, w->text[CANDIDATES], w->fact + w->unknowns, 1, seed);
    for (uint32_t j = 0; j < w->candidates; j++) {
        draw_condition(w, &w->guard[j], w->text[j], w->guard_text[j], test_range(seed, 0, 3) ? TESTS : 0, seed);
        w->variant[j] = (zlay_variant){.guard = w->guard_text[j], .guards = w->guard[j].count, .costs = w->costs[j]};
    }
    bool some = draw_shapes(w, seed);
    w->r = (zlay_variants_request){.size = sizeof w->r, .unknowns = w->unknowns, .unknown = names, .fact = w->fact,
                                   .facts = w->unknowns + w->domain.count, .shapes = w->shapes, .value = w->value,
                                   .weight = w->weight, .variant = w->variant, .variants = w->candidates,
                                   .most = (uint32_t)(test_range(seed, 0, 3) ? CANDIDATES : test_range(seed, 1, CANDIDATES)),
                                   .by = (int32_t)test_range(seed, ZLAY_VARIANTS_LEAST, ZLAY_VARIANTS_PERCENT)};
    w->r.bound = (uint64_t)test_range(seed, 0, w->r.by == ZLAY_VARIANTS_COST ? 400 : 40);
    return some;
}

/* ---- every list ------------------------------------------------------------------------------ */

static uint32_t taker(const world *w, const uint32_t *pick, uint32_t count, const int64_t *x)
{
    uint32_t i = 0;
    while (i < count && !holds(&w->guard[pick[i]], x, w->unknowns)) i++;
    return i;
}

/* The next values, beside the ranges too; false behind the last. */
static bool next(const world *w, int64_t *x, int64_t beside)
{
    for (uint32_t i = 0; i < w->unknowns; i++) {
        if (x[i]++ < w->high[i] + beside) return true;
        x[i] = w->low[i] - beside;
    }
    return false;
}

/* Which candidates hold, bit by bit, for all values of the domain: each set once. */
static uint64_t patterns_of(const world *w)
{
    uint64_t seen = 0;
    int64_t x[UNKNOWNS];
    memcpy(x, w->low, sizeof x);
    do {
        uint32_t bits = 0;
        if (!in_domain(w, x)) continue;
        for (uint32_t j = 0; j < w->candidates; j++) bits |= (uint32_t)holds(&w->guard[j], x, w->unknowns) << j;
        seen |= (uint64_t)1 << bits;
    } while (next(w, x, 0));
    return seen;
}

static bool takes_all(uint64_t patterns, uint32_t set)
{
    for (uint32_t bits = 0; bits < 64; bits++)
        if (patterns >> bits & 1 && !(bits & set)) return false;
    return true;
}

typedef struct least {
    uint64_t cost[CANDIDATES + 1]; /* of lists of at most so many that take all; UINT64_MAX: none */
    uint64_t patterns;
} least;

static uint64_t cost_of(const world *w, const uint32_t *pick, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t s = 0; s < w->shapes; s++) {
        uint32_t i = taker(w, pick, count, w->value + s * w->unknowns);
        if (i == count) return UINT64_MAX;
        sum += w->weight[s] * w->costs[pick[i]][s];
    }
    return sum;
}

static void try_lists(const world *w, least *out, uint32_t *pick, uint32_t count, uint32_t set)
{
    uint64_t cost = count && takes_all(out->patterns, set) ? cost_of(w, pick, count) : UINT64_MAX;
    for (uint32_t n = count; n <= CANDIDATES; n++)
        if (cost < out->cost[n]) out->cost[n] = cost;
    for (uint32_t j = 0; j < w->candidates; j++) {
        if (set >> j & 1) continue;
        pick[count] = j;
        try_lists(w, out, pick, count + 1, set | 1u << j);
    }
}

/* ---- the comparison -------------------------------------------------------------------------- */

static uint64_t cheapest_of(const world *w)
{
    uint64_t sum = 0;
    for (uint32_t s = 0; s < w->shapes; s++) {
        uint64_t best = UINT64_MAX;
        for (uint32_t j = 0; j < w->candidates; j++)
            if (holds(&w->guard[j], w->value + s * w->unknowns, w->unknowns) && w->costs[j][s] < best) best = w->costs[j][s];
        if (best == UINT64_MAX) return UINT64_MAX;
        sum += best * w->weight[s];
    }
    return sum;
}

static void check_selector(const world *w, const zlay_variants *v, uint32_t count)
{
    uint32_t pick[CANDIDATES];
    int64_t x[UNKNOWNS];
    zlay_variants_item item;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(zlay_variants_nth(&item, v, i), ZLAY_OK);
        pick[i] = item.variant;
    }
    assert_int_equal(zlay_variants_nth(&item, v, count), ZLAY_NONE);
    for (uint32_t i = 0; i < w->unknowns; i++) x[i] = w->low[i] - 1;
    do {
        int32_t want = in_domain(w, x) ? (int32_t)taker(w, pick, count, x) : -1;
        assert_true(want < (int32_t)count);
        assert_int_equal(zlay_variants_select(v, x), want);
    } while (next(w, x, 1));
}

static void check_found(const world *w, const least *best, uint64_t bound, const zlay_variants *v)
{
    zlay_variants_summary s;
    assert_int_equal(zlay_variants_info(&s, v), ZLAY_OK);
    uint32_t fewest = 1;
    while (best->cost[fewest] > bound) fewest++;
    assert_int_equal(s.count, fewest);
    assert_int_equal(s.cost, best->cost[fewest]);
    assert_int_equal(s.cheapest, cheapest_of(w));
    if (fewest == 1) assert_int_equal(s.fewer, 0);
    else assert_true(s.fewer > bound && s.fewer <= best->cost[fewest - 1]);
    check_selector(w, v, s.count);
}

typedef struct counted {
    uint64_t found, none, several;
} counted;

static void check(zlay_ctx *ctx, const world *w, counted *seen)
{
    least best = {.patterns = patterns_of(w)};
    uint32_t pick[CANDIDATES];
    zlay_variants *v = (zlay_variants *)1;
    memset(best.cost, 0xff, sizeof best.cost);
    try_lists(w, &best, pick, 0, 0);
    uint64_t most = best.cost[w->r.most], cheapest = cheapest_of(w), bound = w->r.bound;
    if (w->r.by == ZLAY_VARIANTS_LEAST) bound = most;
    if (w->r.by == ZLAY_VARIANTS_PERCENT && cheapest != UINT64_MAX) bound = cheapest + cheapest * bound / 100;
    zlay_status status = zlay_variants_choose(ctx, &v, &w->r), want = most == UINT64_MAX || most > bound ? ZLAY_NONE : ZLAY_OK;
    if (status != want) fail_msg("%d, not %d: %s", status, want, zlay_ctx_message(ctx));
    assert_int_equal(!v, status != ZLAY_OK);
    seen->none += status == ZLAY_NONE;
    seen->found += !status;
    if (status) return;
    zlay_variants_summary s;
    zlay_variants_info(&s, v);
    seen->several += s.count > 1;
    check_found(w, &best, bound, v);
    zlay_variants_free(v);
}

/* A guard that no values have is refused where one of its facts says so alone. */
static bool is_refused(zlay_ctx *ctx, const world *w)
{
    zlay_variants *v;
    zlay_status status = zlay_variants_choose(ctx, &v, &w->r);
    zlay_variants_free(v);
    return status == ZLAY_EINVAL && (strstr(zlay_ctx_message(ctx), "no integer") || strstr(zlay_ctx_message(ctx), "is false"));
}

static void test_choices(void **state)
{
    uint64_t seed = test_seed("refute/variants"), cases = test_cases(CASES);
    counted seen = {0};
    static world w;
    for (uint64_t n = 0; n < cases; n++) {
        if (!draw(&w, &seed) || is_refused(*state, &w)) continue;
        check(*state, &w, &seen);
    }
    printf("%llu choices, %llu of several variants; %llu have none\n", (unsigned long long)seen.found,
           (unsigned long long)seen.several, (unsigned long long)seen.none);
    assert_true(seen.found * 5 > cases && seen.several * 30 > cases && seen.none * 20 > cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_choices)};
    return cmocka_run_group_tests(tests, begin, end);
}
