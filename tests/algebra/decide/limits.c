/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions that a limit ends, that are refused, and whose k-th allocation fails. */
#include "layouts/decide.h"
#include "heap_layouts.h"

enum { INJECTIVE, SURJECTIVE, BIJECTIVE, CONTAINED, EQUAL, EQUAL_GIVEN, DECISIONS };

static zlay_status equal_given(zlay_ctx *ctx, zlay_answer *answer, const zlay_layout *a,
                               const zlay_layout *b)
{
    static const char text[] = "N = 5 mod 8 and 0 <= N < 60";
    const char *fact = text;
    const size_t length = sizeof text - 1;
    zlay_facts *facts;
    zlay_status status = zlay_facts_parse(ctx, &facts, 1, &fact, &length);
    if (!status) status = zlay_layout_equal_for_all(ctx, answer, NULL, a, b, facts);
    zlay_facts_free(facts);
    return status;
}

/* One decision; outputs are untouched unless it is answered, and a witness unless the answer is NO. */
static zlay_status decide(zlay_ctx *ctx, int which, zlay_answer *answer, const zlay_layout *a,
                          const zlay_layout *b)
{
    uint64_t pair[2] = {77, 77}, onto = a ? zlay_layout_size(a) : 1;
    zlay_fault f = {.fault = 77};
    zlay_witness w = {.index = 77};
    *answer = 77;
    zlay_status status = which == INJECTIVE ? zlay_layout_is_injective(ctx, answer, pair, a)
        : which == SURJECTIVE ? zlay_layout_is_surjective(ctx, answer, pair, a, &onto, 1)
        : which == BIJECTIVE  ? zlay_layout_is_bijective(ctx, answer, &f, a)
        : which == CONTAINED  ? zlay_layout_contained(ctx, answer, pair, a, b)
        : which == EQUAL      ? zlay_layout_equal(ctx, answer, &w, a, b)
                              : equal_given(ctx, answer, a, b);
    if (status) assert_int_equal(*answer, 77);
    if (status || *answer != ZLAY_NO)
        assert_true(pair[0] == 77 && pair[1] == 77 && f.fault == 77 && w.index == 77);
    return status;
}

/* Four progressions that overlap far out, on 2^40 points: the search of a carry passes any small
 * limit, and so does isl. */
static void limits_are_named(void **state)
{
    static const struct { int which; const char *a, *b; } asked[] = {
        {INJECTIVE, "(1021,1023,1024,1025):(1048573,1048583,1048589,1048601)", "8"},
        {BIJECTIVE, "(1021,1023,1024,1025):(1048573,1048583,1048589,1048601)", "8"},
        {CONTAINED, "(1021,1023,1024,1025):(1048573,1048583,1048589,1048601)",
         "(1022,1023,1024,1025):(1048573,1048583,1048589,1048601)"},
        {EQUAL, "Sw<3,4,3> o 0 o (1021,1023):(1048573,1048583)",
         "Sw<3,4,-3> o 0 o (1023,1021):(1048573,1048583)"},
    };
    zlay_limits small = {.size = sizeof small, .points = 1, .isl_ops = 1};
    (void)state;
    for (size_t r = 0; r < sizeof asked / sizeof asked[0]; r++) {
        zlay_ctx *ctx;
        zlay_answer answer;
        assert_int_equal(zlay_ctx_new(&ctx, NULL, &small), ZLAY_OK);
        zlay_layout *a = read_layout(ctx, asked[r].a), *b = read_layout(ctx, asked[r].b);
        assert_int_equal(decide(ctx, asked[r].which, &answer, a, b), ZLAY_OK);
        if (asked[r].which != BIJECTIVE) assert_int_equal(answer, ZLAY_UNDECIDED);
        if (answer == ZLAY_UNDECIDED) assert_non_null(strstr(zlay_ctx_message(ctx), "limits."));
        zlay_layout_free(b);
        zlay_layout_free(a);
        zlay_ctx_free(ctx);
    }
}

/* 2,099,200 values are looked up in the span of 20 bits. */
static void lookups_in_a_span_are_counted(void **state)
{
    zlay_limits small = {.size = sizeof small, .work = 262144};
    zlay_ctx *ctx;
    zlay_answer answer;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, &small), ZLAY_OK);
    zlay_layout *a = read_layout(ctx, "(2,1024,1025):(1024,128,63)");
    zlay_layout *b = read_layout(
        ctx, "f2{r: (560078) (986522) (510565) (531925) (380365) (206746) (275452) (595701) "
             "(684525) (746098) (900264) (915729); l: (142271) (825569) (241792) (73682) (381494) "
             "(380932) (956663) (226160) (309019) (1017387) (122918) (344749) -> o: 1048576}");
    assert_int_equal(decide(ctx, CONTAINED, &answer, a, b), ZLAY_OK);
    assert_int_equal(answer, ZLAY_UNDECIDED);
    assert_int_equal(zlay_ctx_set_limits(ctx, NULL), ZLAY_OK);
    assert_int_equal(decide(ctx, CONTAINED, &answer, a, b), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    zlay_layout_free(a);
    zlay_layout_free(b);
    zlay_ctx_free(ctx);
}

static void refusals(void **state)
{
    zlay_layout *a = read_layout(*state, "f2{a: (1,0) (0,1) -> x: 2, y: 2}");
    zlay_layout *n = read_layout(*state, "[N] -> { [i] -> [i] : 0 <= i < N }");
    zlay_answer answer = 77;
    const uint64_t zero = 0, huge[2] = {(uint64_t)1 << 40, (uint64_t)1 << 40}, sizes[3] = {2, 2, 2};
    uint64_t missed = 77;
    for (int which = 0; which < DECISIONS; which++) {
        assert_int_equal(decide(*state, which, &answer, NULL, a), ZLAY_EINVAL);
        if (which >= CONTAINED) assert_int_equal(decide(*state, which, &answer, a, NULL), ZLAY_EINVAL);
        if (which >= EQUAL) continue;
        if (which == SURJECTIVE) {
            assert_int_equal(zlay_layout_is_surjective(*state, &answer, &missed, n, sizes, 1),
                             ZLAY_ENOTSUP);
        } else assert_int_equal(decide(*state, which, &answer, n, a), ZLAY_ENOTSUP);
        assert_non_null(strstr(zlay_ctx_message(*state), "parameter N"));
    }
    assert_int_equal(zlay_layout_is_surjective(*state, &answer, &missed, a, &zero, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_is_surjective(*state, &answer, &missed, a, huge, 2), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_is_surjective(*state, &answer, &missed, a, sizes, 3), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_is_surjective(*state, &answer, &missed, a, sizes, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_is_surjective(*state, &answer, &missed, a, NULL, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_is_injective(*state, NULL, NULL, a), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_is_injective(NULL, &answer, NULL, a), ZLAY_EINVAL);
    assert_true(answer == 77 && missed == 77);
    zlay_layout_free(n);
    zlay_layout_free(a);
}

#define PARTIAL "{ [i] -> [3i mod 50] : 0 <= i < 20 and i != 7 }"

static zlay_status decided(zlay_ctx *ctx, void *given)
{
    const operands *q = given;
    zlay_answer answer;
    return decide(ctx, (int)(q->row % DECISIONS), &answer, q->a, q->b);
}

/* By closed forms, by points, by the engine. */
static void every_allocation(void **state)
{
    static const char *const pairs[][2] = {
        {"(8,4):(1,9)", "Sw<2,0,2> o 0 o 32"},
        {"(3,5,7):(1,5,9)", PARTIAL},
        {PARTIAL, "f2{a: (1) (2) (4) (8) (16) -> x: 32}"},
        {"f2{a: (1,0) (0,1) -> x: 2, y: 2}", "f2{a: (1,0) (0,1) -> x: 2, y: 4}"},
        {"{ [i] -> [i] : 0 <= i < 1099511627776 and i != 77 }", "Sw<1,0,1> o 0 o (3,1000000001):(7,5)"},
        {"[N] -> { [i] -> [i] : 0 <= i < 8 and i < N }", "8"},
    };
    (void)state;
    for (size_t r = 0; r < sizeof pairs / sizeof pairs[0] * DECISIONS; r++) {
        const char *const *pair = pairs[r / DECISIONS];
        heap h;
        zlay_status status = layouts_fail_each(&h, NULL, decided, r, pair[0], pair[1]);
        if (status && status != ZLAY_ENOTSUP) fail_msg("row %zu: %s", r, zlay_status_name(status));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_named),
        cmocka_unit_test(lookups_in_a_span_are_counted), cmocka_unit_test(refusals),
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
