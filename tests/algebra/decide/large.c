/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions by closed forms and searches: limits.points is far below the points of the layouts, whose
 * values this test marks one by one; and isl, which reads them as texts written here. */
#include "layouts/layout.h"

#include <isl/ctx.h>
#include <isl/map.h>
#include <zlay/decide.h>

enum { RANK_MOST = 3 };

typedef struct strided {
    int rank;
    int64_t shape[RANK_MOST], stride[RANK_MOST], offset;
} strided;

/* Strides near products of extents, so that modes nest, overlap or interleave by little. */
static strided random_strided(uint64_t *seed)
{
    strided s = {.rank = (int)test_range(seed, 1, RANK_MOST)};
    int64_t next = test_range(seed, 1, 4);
    for (int i = 0; i < s.rank; i++) {
        s.shape[i] = test_range(seed, 2, test_range(seed, 0, 1) ? 12 : 3000);
        s.stride[i] = next + test_range(seed, 0, 2) * test_range(seed, -2, 2);
        if (!test_range(seed, 0, 3)) s.stride[i] = test_range(seed, 1, 5000);
        if (!test_range(seed, 0, 5)) s.stride[i] = -s.stride[i];
        next = next * s.shape[i];
    }
    s.offset = test_range(seed, 0, 3) ? 0 : test_range(seed, -20, 20);
    return s;
}

static zlay_layout *as_layout(zlay_ctx *ctx, const strided *s)
{
    zlay_layout *a;
    assert_int_equal(zlay_layout_new_strided(ctx, &a, (size_t)s->rank, s->shape, s->stride, s->offset),
                     ZLAY_OK);
    return a;
}

/* { [x0, ..] -> [o + sum] : in the box } */
static isl_map *as_map(isl_ctx *isl, const strided *s)
{
    char text[1024], *p = text + sprintf(text, "{ [x0");
    for (int i = 1; i < s->rank; i++) p += sprintf(p, ", x%d", i);
    p += sprintf(p, "] -> [%lld", (long long)s->offset);
    for (int i = 0; i < s->rank; i++) p += sprintf(p, " + %lld x%d", (long long)s->stride[i], i);
    p += sprintf(p, "] : 0 <= x0 < %lld", (long long)s->shape[0]);
    for (int i = 1; i < s->rank; i++)
        p += sprintf(p, " and 0 <= x%d < %lld", i, (long long)s->shape[i]);
    sprintf(p, " }");
    return isl_map_read_from_str(isl, text);
}

static void injective(void **state)
{
    uint64_t seed = test_seed("injective"), rounds = test_iterations(400), no = 0;
    isl_ctx *isl = isl_ctx_alloc();
    for (uint64_t n = 0; n < rounds; n++) {
        strided s = random_strided(&seed);
        zlay_layout *a = as_layout(*state, &s);
        isl_map *map = as_map(isl, &s);
        zlay_answer answer;
        uint64_t w[2];
        assert_int_equal(zlay_layout_is_injective(*state, &answer, w, a), ZLAY_OK);
        assert_int_equal(answer, isl_map_is_injective(map) == isl_bool_true ? ZLAY_YES : ZLAY_NO);
        if (answer == ZLAY_NO) assert_int_equal(layout_at(a, w[0]), layout_at(a, w[1]));
        if (answer == ZLAY_NO) assert_true(w[0] < w[1]);
        no += answer == ZLAY_NO;
        isl_map_free(map);
        zlay_layout_free(a);
    }
    assert_true(no > rounds / 10 && no < rounds - rounds / 10);
    isl_ctx_free(isl);
}

/* ---- against every point ------------------------------------------------------------------ */

enum { SPAN = 1 << 21, POINTS = 3000 };

/* Bit v + SPAN / 2: v is a value. */
static uint8_t *mark(const strided *s)
{
    static uint8_t marks[2][SPAN];
    static int turn;
    uint8_t *seen = marks[turn ^= 1];
    int64_t x[RANK_MOST] = {0}, value = s->offset;
    memset(seen, 0, SPAN);
    for (int i = 0; i < s->rank;) {
        assert_true(value >= -SPAN / 2 && value < SPAN / 2);
        seen[value + SPAN / 2] = 1;
        for (i = 0; i < s->rank; x[i++] = 0) {
            value += s->stride[i];
            if (++x[i] < s->shape[i]) break;
            value -= s->stride[i] * s->shape[i];
        }
    }
    return seen;
}

/* Up to a million points whose values stay within the marks. */
static strided medium_strided(uint64_t *seed)
{
    for (;;) {
        strided s = {.rank = (int)test_range(seed, 2, RANK_MOST)};
        int64_t next = test_range(seed, 1, 2), reach = 0, size = 1;
        for (int i = 0; i < s.rank; i++) {
            s.shape[i] = test_range(seed, 2, test_range(seed, 0, 1) ? 8 : 120);
            s.stride[i] = next + !test_range(seed, 0, 2) * test_range(seed, -2, 2);
            if (!test_range(seed, 0, 3)) s.stride[i] = test_range(seed, 1, 300);
            reach += (s.shape[i] - 1) * llabs(s.stride[i]);
            if (!test_range(seed, 0, 5)) s.stride[i] = -s.stride[i];
            next *= s.shape[i];
            size *= s.shape[i];
        }
        s.offset = test_range(seed, 0, 2) ? 0 : test_range(seed, -2000, 20);
        if (reach < SPAN / 2 - 3000 && size > POINTS && size < 1 << 20) return s;
    }
}

static int begin_small(void **state)
{
    zlay_limits small = {.size = sizeof small, .points = POINTS, .isl_ops = 1};
    return zlay_ctx_new((zlay_ctx **)state, NULL, &small);
}

/* Onto an interval that ends about where the first gap is. */
static void surjective(void **state)
{
    uint64_t seed = test_seed("surjective"), rounds = test_iterations(600), yes = 0, open = 0;
    for (uint64_t n = 0; n < rounds; n++) {
        strided s = medium_strided(&seed);
        const uint8_t *seen = mark(&s);
        zlay_layout *a = as_layout(*state, &s);
        uint64_t gap = 0, missed = 0;
        zlay_answer answer;
        while (gap < SPAN / 2 && seen[gap + SPAN / 2]) gap++;
        uint64_t onto = gap + (uint64_t)test_range(&seed, 0, 2);
        onto += !onto;
        assert_int_equal(zlay_layout_is_surjective(*state, &answer, &missed, a, &onto, 1), ZLAY_OK);
        open += answer == ZLAY_UNDECIDED;
        if (answer != ZLAY_UNDECIDED)
            assert_int_equal(answer, onto <= gap ? ZLAY_YES : ZLAY_NO);
        if (answer == ZLAY_NO) assert_int_equal(missed, gap);
        yes += answer == ZLAY_YES;
        zlay_layout_free(a);
    }
    assert_true(yes > rounds / 10 && open < rounds / 20);
}

/* A layout that holds s or nearly does: a longer mode, a finer one, another offset. */
static strided holder(const strided *s, uint64_t *seed)
{
    strided t = *s;
    int i = (int)test_range(seed, 0, s->rank - 1);
    t.shape[i] += test_range(seed, -1, 3);
    if (test_range(seed, 0, 1) && t.rank < RANK_MOST) {
        t.shape[t.rank] = 2;
        t.stride[t.rank++] = test_range(seed, 1, 4);
    }
    t.offset -= test_range(seed, 0, 2) ? 0 : s->stride[i];
    return t;
}

/* What stays undecided has points to look up one by one, which the limit forbids. */
static void contained(void **state)
{
    uint64_t seed = test_seed("contained"), rounds = test_iterations(600), yes = 0, no = 0, least = 0;
    for (uint64_t n = 0; n < rounds; n++) {
        strided s = medium_strided(&seed), t = holder(&s, &seed);
        zlay_layout *a = as_layout(*state, &s), *b = as_layout(*state, &t);
        zlay_answer answer;
        uint64_t w = 0;
        const uint8_t *x = mark(&s), *y = mark(&t);
        bool right = true;
        for (int v = 0; v < SPAN; v++) right = right && x[v] <= y[v];
        assert_int_equal(zlay_layout_contained(*state, &answer, &w, a, b), ZLAY_OK);
        if (answer != ZLAY_UNDECIDED) assert_int_equal(answer, right ? ZLAY_YES : ZLAY_NO);
        if (answer == ZLAY_NO) assert_false(y[layout_at(a, w) + SPAN / 2]);
        if (answer == ZLAY_NO && !*zlay_ctx_message(*state)) {
            for (uint64_t i = 0; i < w; i++) assert_true(y[layout_at(a, i) + SPAN / 2]);
            least++;
        }
        yes += answer == ZLAY_YES;
        no += answer == ZLAY_NO;
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
    printf("contained: %d yes, %d no of %d, %d with the least index\n", (int)yes, (int)no,
           (int)rounds, (int)least);
    assert_true(least > no * 9 / 10);
    assert_true(yes > rounds / 10 && no > rounds / 10 && yes + no > rounds / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(injective, begin, end),
        cmocka_unit_test_setup_teardown(surjective, begin_small, end),
        cmocka_unit_test_setup_teardown(contained, begin_small, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
