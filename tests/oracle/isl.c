/* SPDX-License-Identifier: Apache-2.0 */
/* What the engine answers about pieces, against plain enumeration, and where its limits end it. */
#include "layouts/layout.h"

#include "algebra/presburger/isl/isl.h"
#include "algebra/layout/layout.h"

enum { MOST = 64, NONE = INT32_MIN };

/* All values of a layout of one output. */
typedef struct table {
    uint64_t size;
    int64_t value[MOST];
} table;

static zlay_layout *random_layout(zlay_ctx *ctx, uint64_t *seed, table *t)
{
    static const char *const values[] = {
        "i + 4j", "2i + j", "(i + j) mod 3", "floor((i + 2j)/2)", "i*4 + j", "min(i, j)", "i - j",
        "(3i + 5j) mod 16", "i", "4j + (i mod 4)"};
    static const char *const guards[] = {
        "true", "i <= j", "i mod 2 = 0", "not (i = 1 and j = 1)", "i + j < 4", "j != 2 or i > 1"};
    char text[512];
    zlay_layout *a;
    do {
        const char *value = values[test_random(seed) % 10], *guard = guards[test_random(seed) % 6];
        sprintf(text,
                "{ [i, j] -> [%s] : 0 <= i < 4 and 0 <= j < 4 and (%s); [i, j] -> [%s] : 0 <= i < 4"
                " and 0 <= j < 4 and not (%s) and (%s) } # box 4,4",
                value, guard, values[test_random(seed) % 10], guard, guards[test_random(seed) % 6]);
        a = read_layout(ctx, text);
    } while (!a);
    t->size = zlay_layout_size(a);
    for (uint64_t i = 0; i < t->size; i++)
        if (zlay_layout_eval(&t->value[i], 1, a, i)) t->value[i] = NONE;
    return a;
}

static uint64_t first_difference(const table *a, const table *b)
{
    uint64_t i = 0;
    while (i < a->size && a->value[i] == b->value[i]) i++;
    return i;
}

static bool has_value(const table *t, int64_t value)
{
    for (uint64_t i = 0; i < t->size; i++)
        if (t->value[i] == value) return true;
    return false;
}

static void check_equal(zlay_ctx *ctx, const zlay_layout *a, const table *x, const zlay_layout *b,
                        const table *y)
{
    zlay_answer answer = 7;
    zl_isl_point at;
    uint64_t first = first_difference(x, y);
    assert_int_equal(zl_isl_equal(ctx, &answer, &at, &a->pieces, &b->pieces), ZLAY_OK);
    assert_int_equal(answer, first == x->size ? ZLAY_YES : ZLAY_NO);
    if (answer == ZLAY_YES) return;
    assert_true(at.least);
    assert_int_equal(at.index, first);
    assert_int_equal(at.at[0], first % 4);
    assert_int_equal(at.at[1], first / 4);
}

static void check_injective(zlay_ctx *ctx, const zlay_layout *a, const table *t)
{
    zlay_answer answer = 7;
    zl_isl_point at[2];
    uint64_t i = 0, j = 0;
    for (bool found = false; i < t->size && !found; i += !found)
        for (j = i + 1; j < t->size && !found; j += !found)
            found = t->value[i] != NONE && t->value[i] == t->value[j];
    assert_int_equal(zl_isl_injective(ctx, &answer, at, &a->pieces), ZLAY_OK);
    assert_int_equal(answer, i == t->size ? ZLAY_YES : ZLAY_NO);
    if (answer == ZLAY_YES) return;
    assert_int_equal(at[0].index, i);
    assert_int_equal(at[1].index, j);
}

static void check_surjective(zlay_ctx *ctx, const zlay_layout *a, const table *t, uint64_t onto)
{
    zlay_answer answer = 7;
    zl_isl_point missed;
    int64_t least = 0;
    while (least < (int64_t)onto && has_value(t, least)) least++;
    assert_int_equal(zl_isl_surjective(ctx, &answer, &missed, &a->pieces, &onto), ZLAY_OK);
    assert_int_equal(answer, least == (int64_t)onto ? ZLAY_YES : ZLAY_NO);
    if (answer == ZLAY_NO) assert_int_equal(missed.index, least);
}

static void check_contained(zlay_ctx *ctx, const zlay_layout *a, const table *x,
                            const zlay_layout *b, const table *y)
{
    zlay_answer answer = 7;
    zl_isl_point at;
    uint64_t i = 0;
    while (i < x->size && (x->value[i] == NONE || has_value(y, x->value[i]))) i++;
    assert_int_equal(zl_isl_contained(ctx, &answer, &at, &a->pieces, &b->pieces), ZLAY_OK);
    assert_int_equal(answer, i == x->size ? ZLAY_YES : ZLAY_NO);
    if (answer == ZLAY_NO) assert_int_equal(at.index, i);
}

static void check_domain(zlay_ctx *ctx, const zlay_layout *a, const table *t)
{
    zlay_answer answer = 7;
    zl_isl_point at;
    uint64_t defined = 0, hole = 0;
    while (defined < t->size && t->value[defined] == NONE) defined++;
    while (hole < t->size && t->value[hole] != NONE) hole++;
    assert_int_equal(zl_isl_empty(ctx, &answer, &at, &a->pieces), ZLAY_OK);
    assert_int_equal(answer, defined == t->size ? ZLAY_YES : ZLAY_NO);
    if (answer == ZLAY_NO) assert_int_equal(at.index, defined);
    assert_int_equal(zl_isl_total(ctx, &answer, &at, &a->pieces), ZLAY_OK);
    assert_int_equal(answer, hole == t->size ? ZLAY_YES : ZLAY_NO);
    if (answer == ZLAY_NO) assert_int_equal(at.index, hole);
}

static void check_ends(zlay_ctx *ctx, const zlay_layout *a, const table *t)
{
    int64_t least[2], greatest[2], low[3] = {99, 99, 99}, high[3] = {-99, -99, -99};
    bool any = false;
    for (uint64_t i = 0; i < t->size; i++) {
        const int64_t at[3] = {(int64_t)i % 4, (int64_t)i / 4, t->value[i]};
        if (t->value[i] == NONE) continue;
        any = true;
        for (int k = 0; k < 3; k++) {
            if (at[k] < low[k]) low[k] = at[k];
            if (at[k] > high[k]) high[k] = at[k];
        }
    }
    assert_int_equal(zl_isl_hull(ctx, least, greatest, &a->pieces), any ? ZLAY_OK : ZLAY_NONE);
    for (int d = 0; d < 2 && any; d++) {
        assert_int_equal(least[d], low[d]);
        assert_int_equal(greatest[d], high[d]);
    }
    assert_int_equal(zl_isl_range(ctx, least, greatest, &a->pieces), any ? ZLAY_OK : ZLAY_NONE);
    if (!any) return;
    assert_int_equal(least[0], low[2]);
    assert_int_equal(greatest[0], high[2]);
}

static void against_points(void **state)
{
    static const zlay_limits much = {.size = sizeof much, .work = (uint64_t)1 << 34}; /* isl alone decides here */
    uint64_t seed = test_seed("against_points"), count = test_iterations(60);
    assert_int_equal(zlay_ctx_set_limits(*state, &much), ZLAY_OK);
    for (uint64_t n = 0; n < count; n++) {
        table x, y;
        zlay_layout *a = random_layout(*state, &seed, &x), *b = random_layout(*state, &seed, &y);
        check_equal(*state, a, &x, b, &y);
        check_equal(*state, a, &x, a, &x);
        check_injective(*state, a, &x);
        check_surjective(*state, a, &x, (uint64_t)test_range(&seed, 1, 17));
        check_contained(*state, a, &x, b, &y);
        check_domain(*state, a, &x);
        check_ends(*state, a, &x);
        zlay_layout_free(a);
        zlay_layout_free(b);
    }
}

/* Boxes that differ compare by index, outputs that differ in number by their flat value. */
static void by_index(void **state)
{
    static const struct { const char *a, *b; zlay_answer answer; uint64_t index; } row[] = {
        {"{ [i, j] -> [i + 4j] : 0 <= i < 4 and 0 <= j < 6 }", "{ [i] -> [i] : 0 <= i < 24 }",
         ZLAY_YES, 0},
        {"{ [i, j] -> [i + 4j] : 0 <= i < 4 and 0 <= j < 6 }",
         "{ [i] -> [i + floor(i/17)] : 0 <= i < 24 }", ZLAY_NO, 17},
        {"{ [i, j] -> [i, j] : 0 <= i < 4 and 0 <= j < 6 }", "{ [i] -> [i] : 0 <= i < 24 }",
         ZLAY_YES, 0},
        {"{ [i, j] -> [j, i] : 0 <= i < 4 and 0 <= j < 6 }", "{ [i] -> [i] : 0 <= i < 24 }",
         ZLAY_NO, 1},
    };
    for (size_t r = 0; r < sizeof row / sizeof row[0]; r++) {
        zlay_layout *a = read_layout(*state, row[r].a), *b = read_layout(*state, row[r].b);
        zlay_answer answer = 7;
        zl_isl_point at;
        assert_int_equal(zl_isl_equal(*state, &answer, &at, &a->pieces, &b->pieces), ZLAY_OK);
        assert_int_equal(answer, row[r].answer);
        if (answer == ZLAY_NO) assert_int_equal(at.index, row[r].index);
        zlay_layout_free(a);
        zlay_layout_free(b);
    }
}

/* With parameters an answer is about all their values, and a NO has some. */
static void parameters(void **state)
{
    zlay_layout *a = read_layout(*state, "[N] -> { [i] -> [i + N] : 0 <= i < 8 }");
    zlay_layout *b = read_layout(*state, "[N] -> { [i] -> [i + N] : 0 <= i < 8 and i <= N + 20 or "
                                         "0 <= i < 8 and i > N + 20 }");
    zlay_layout *c = read_layout(*state, "[N, M] -> { [i] -> [max(i + N, M)] : 0 <= i < 8 }");
    zlay_answer answer = 7;
    zl_isl_point at;
    assert_int_equal(zl_isl_equal(*state, &answer, &at, &a->pieces, &b->pieces), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zl_isl_equal(*state, &answer, &at, &a->pieces, &c->pieces), ZLAY_OK);
    assert_int_equal(answer, ZLAY_NO);
    assert_int_equal(at.params, 2);
    assert_true(at.at[0] + at.param[0] < at.param[1]);
    assert_false(at.least);
    zlay_layout_free(c);
    c = read_layout(*state, "[N] -> { [i, j] -> [i + N] : 0 <= i < 4 and 0 <= j < N }");
    assert_int_equal(zl_isl_equal(*state, &answer, &at, &a->pieces, &c->pieces), ZLAY_OK);
    assert_int_equal(answer, ZLAY_UNDECIDED);
    assert_non_null(strstr(zlay_ctx_message(*state), "depend on parameters"));
    zlay_layout_free(a);
    zlay_layout_free(b);
    zlay_layout_free(c);
}

/* The same function after isl merged its pieces, and never more of them where one is enough. */
static void merged(void **state)
{
    static const char *const one[] = {
        "{ [i] -> [i] : 0 <= i < 5; [i] -> [i] : 5 <= i < 9 }",
        "{ [i, j] -> [i + j] : 0 <= i < 4 and 0 <= j < 9 and (i < 2 or i >= 2) }",
        "[N] -> { [i] -> [i + N] : 0 <= i < 4 and i < N; [i] -> [i + N] : 0 <= i < 4 and i >= N }"};
    uint64_t seed = test_seed("merged"), count = test_iterations(60);
    zlay_layout *m;
    for (size_t t = 0; t < sizeof one / sizeof one[0]; t++) {
        zlay_layout *a = read_layout(*state, one[t]);
        assert_int_equal(zl_isl_coalesce(*state, &m, a), ZLAY_OK);
        assert_int_equal(m->pieces.count, 1);
        zlay_layout_free(a);
        zlay_layout_free(m);
    }
    for (uint64_t n = 0; n < count; n++) {
        table t;
        zlay_layout *a = random_layout(*state, &seed, &t);
        assert_int_equal(zl_isl_coalesce(*state, &m, a), ZLAY_OK);
        assert_int_equal(zlay_layout_size(m), t.size);
        for (uint64_t i = 0; i < t.size; i++) {
            int64_t value = NONE;
            zlay_layout_eval(&value, 1, m, i);
            assert_int_equal(value, t.value[i]);
        }
        zlay_layout_free(a);
        zlay_layout_free(m);
    }
}

static const char swizzle[] =
    "{ [i] -> [i + 16*((floor(i/16) + floor(i/128)) mod 2) - 16*(floor(i/16) mod 2)"
    " + 32*((floor(i/32) + floor(i/256)) mod 2) - 32*(floor(i/32) mod 2)] : 0 <= i < 1024 }";

static void limits(void **state)
{
    static const zlay_limits few = {.size = sizeof few, .isl_ops = 50};
    static const zlay_limits small = {.size = sizeof small, .big_bytes = 100};
    static const zlay_limits much = {.size = sizeof much, .work = (uint64_t)1 << 31}; /* pays for 10^5 operations */
    zlay_layout *a = read_layout(*state, swizzle);
    zl_isl_point at[2];
    zlay_answer answer = 7;
    int64_t least, greatest;
    assert_int_equal(zl_isl_injective(*state, &answer, at, &a->pieces), ZLAY_ENOMEM);
    assert_int_equal(zl_ended(*state, ZLAY_ENOMEM), ZLAY_ELIMIT);
    assert_non_null(strstr(zlay_ctx_message(*state), "limits.work is "));
    assert_int_equal(zlay_ctx_set_limits(*state, &much), ZLAY_OK);
    assert_int_equal(zl_isl_injective(*state, &answer, at, &a->pieces), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zlay_ctx_set_limits(*state, &few), ZLAY_OK);
    assert_int_equal(zl_isl_injective(*state, &answer, at, &a->pieces), ZLAY_OK);
    assert_int_equal(answer, ZLAY_UNDECIDED);
    assert_non_null(strstr(zlay_ctx_message(*state), "limits.isl_ops is 50"));
    assert_int_equal(zl_isl_range(*state, &least, &greatest, &a->pieces), ZLAY_ELIMIT);
    assert_int_equal(zlay_ctx_set_limits(*state, &small), ZLAY_OK);
    assert_int_equal(zl_isl_equal(*state, &answer, at, &a->pieces, &a->pieces), ZLAY_OK);
    assert_int_equal(answer, ZLAY_UNDECIDED);
    assert_non_null(strstr(zlay_ctx_message(*state), "limits.big_bytes is 100"));
    zlay_layout_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_points), cmocka_unit_test(by_index), cmocka_unit_test(parameters),
        cmocka_unit_test(merged), cmocka_unit_test_setup_teardown(limits, begin, end),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
