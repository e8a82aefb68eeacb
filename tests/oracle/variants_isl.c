/* SPDX-License-Identifier: Apache-2.0 */
/* isl as the oracle: whether guards of congruences, ranges and sums take every value of facts whose ranges are too large to
 * enumerate. isl is given the facts without the guards as a text of its own, and says whether that is empty. */
#include "ctx.h"
#include "random.h"

#include <isl/ctx.h>
#include <isl/set.h>
#include <stdbool.h>

enum { CASES = 400, GUARDS = 4, TESTS = 2, UNKNOWNS = 2, TEXT = 200 };

typedef struct world {
    char fact[5][TEXT], guard[GUARDS][TESTS][TEXT], isl[GUARDS][TEXT * TESTS];
    const char *facts[5], *guards[GUARDS][TESTS];
    uint32_t tests[GUARDS];
    int64_t low[UNKNOWNS], high[UNKNOWNS];
    bool related;
} world;

static const char *const names[] = {"m", "n"};
static const int scales[] = {1, 2, 3, 4, 8, 64};

/* A test as a fact, and as isl reads it; of a guard before it the opposite, where it is asked. */
static void draw_test(char *fact, char *isl, uint64_t *seed)
{
    int a = (int)test_range(seed, -3, 3), b = (int)test_range(seed, -3, 3), mod = scales[test_range(seed, 1, 5)];
    long long c = test_range(seed, -1000000, 1000000);
    if (!a && !b) a = 1;
    if (test_range(seed, 0, 1)) {
        long long rem = test_range(seed, 0, mod - 1);
        sprintf(fact, "(%d*m + %d*n) %% %d = %lld", a, b, mod, rem);
        sprintf(isl, "(%d m + %d n) mod %d = %lld", a, b, mod, rem);
    } else {
        sprintf(fact, "%d*m + %d*n <= %lld", a, b, c);
        sprintf(isl, "%d m + %d n <= %lld", a, b, c);
    }
}

/* All residues of one sum, so that guards are whole unless one is missing. */
static uint32_t draw_residues(world *w, uint64_t *seed)
{
    int a = (int)test_range(seed, 1, 3), b = (int)test_range(seed, 0, 3), mod = (int)test_range(seed, 2, GUARDS);
    uint32_t count = (uint32_t)(mod - !test_range(seed, 0, 2));
    for (uint32_t g = 0; g < count; g++) {
        sprintf(w->guard[g][0], "(%d*m + %d*n) %% %d = %u", a, b, mod, g);
        sprintf(w->isl[g], "(%d m + %d n) mod %d = %u", a, b, mod, g);
        w->tests[g] = 1;
    }
    return count;
}

static uint32_t draw_guards(world *w, uint64_t *seed)
{
    if (test_range(seed, 0, 1)) return draw_residues(w, seed);
    uint32_t count = (uint32_t)test_range(seed, 1, GUARDS);
    for (uint32_t g = 0; g < count; g++) {
        char isl[TESTS][TEXT];
        w->tests[g] = (uint32_t)test_range(seed, 1, TESTS);
        for (uint32_t t = 0; t < w->tests[g]; t++) draw_test(w->guard[g][t], isl[t], seed);
        sprintf(w->isl[g], w->tests[g] > 1 ? "%s and %s" : "%s", isl[0], isl[1]);
    }
    if (count < 2 || test_range(seed, 0, 2) == 0) return count;
    long long c = test_range(seed, -1000, 1000000); /* two halves */
    sprintf(w->guard[0][0], "m - 2*n <= %lld", c), sprintf(w->isl[0], "m - 2 n <= %lld", c);
    sprintf(w->guard[1][0], "m - 2*n >= %lld", c + 1 + test_range(seed, 0, 1)), sprintf(w->isl[1], "m - 2 n >= %s", w->guard[1][0] + 11);
    w->tests[0] = w->tests[1] = 1;
    return count;
}

static uint32_t draw_facts(world *w, uint64_t *seed)
{
    uint32_t count = 0;
    for (int i = 0; i < UNKNOWNS; i++) {
        w->low[i] = test_range(seed, -100, 100);
        w->high[i] = w->low[i] + ((int64_t)1 << test_range(seed, 12, 30));
        sprintf(w->fact[count++], "%lld <= %s <= %lld", (long long)w->low[i], names[i], (long long)w->high[i]);
    }
    w->related = test_range(seed, 0, 1);
    if (w->related) sprintf(w->fact[count++], "m <= n");
    for (uint32_t i = 0; i < count; i++) w->facts[i] = w->fact[i];
    return count;
}

static bool is_whole(isl_ctx *isl, const world *w, uint32_t count)
{
    char text[TEXT * (GUARDS * TESTS + 2)], *at = text;
    at += sprintf(at, "{ [m, n] : %lld <= m <= %lld and %lld <= n <= %lld", (long long)w->low[0], (long long)w->high[0], (long long)w->low[1], (long long)w->high[1]);
    if (w->related) at += sprintf(at, " and m <= n");
    for (uint32_t g = 0; g < count; g++) at += sprintf(at, " and not (%s)", w->isl[g]);
    strcpy(at, " }");
    isl_set *set = isl_set_read_from_str(isl, text);
    assert_non_null(set);
    isl_bool empty = isl_set_is_empty(set);
    isl_set_free(set);
    assert_true(empty != isl_bool_error);
    return empty == isl_bool_true;
}

/* A shape that a guard takes, if one is found soon. */
static zlay_status ask(zlay_ctx *ctx, world *w, uint32_t facts, uint32_t count, uint64_t *seed)
{
    zlay_variant v[GUARDS];
    int64_t value[UNKNOWNS];
    zlay_variants *out = NULL;
    zlay_variants_request r = {.size = sizeof r, .unknowns = UNKNOWNS, .unknown = names, .fact = w->facts, .facts = facts, .shapes = 1, .value = value, .variant = v, .variants = count};
    for (uint32_t g = 0; g < count; g++) {
        for (uint32_t t = 0; t < w->tests[g]; t++) w->guards[g][t] = w->guard[g][t];
        v[g] = (zlay_variant){.guard = w->guards[g], .guards = w->tests[g], .cost = "1"};
    }
    zlay_status status = ZLAY_EINVAL;
    for (int tries = 0; tries < 20; tries++) {
        for (int i = 0; i < UNKNOWNS; i++) value[i] = test_range(seed, w->low[i], w->high[i]);
        status = zlay_variants_choose(ctx, &out, &r);
        zlay_variants_free(out);
        bool again = status && strstr(zlay_ctx_message(ctx), "shapes[0]");
        if (!again) return status;
    }
    return ZLAY_EINVAL;
}

static void test_whole(void **state)
{
    uint64_t seed = test_seed("oracle/variants_isl"), cases = test_cases(CASES), whole = 0, open = 0, undecided = 0;
    isl_ctx *isl = isl_ctx_alloc();
    static world w;
    for (uint64_t n = 0; n < cases; n++) {
        uint32_t facts = draw_facts(&w, &seed), count = draw_guards(&w, &seed);
        zlay_status status = ask(*state, &w, facts, count, &seed);
        if (status == ZLAY_EINVAL) continue; /* no shape was found, or a fact that never holds */
        undecided += status == ZLAY_ELIMIT;
        if (status == ZLAY_ELIMIT) continue;
        if (status && status != ZLAY_NONE) fail_msg("%s", zlay_ctx_message(*state));
        if (is_whole(isl, &w, count) != !status) fail_msg("case %llu: %s; isl says otherwise", (unsigned long long)n, status ? zlay_ctx_message(*state) : "every value has a variant");
        whole += !status;
        open += status != ZLAY_OK;
    }
    isl_ctx_free(isl);
    printf("%llu take every value, %llu do not, %llu undecided\n", (unsigned long long)whole, (unsigned long long)open, (unsigned long long)undecided);
    assert_true(whole * 8 > cases && open * 8 > cases && undecided * 20 < cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole)};
    return cmocka_run_group_tests(tests, begin, end);
}
