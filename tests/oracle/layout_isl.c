/* SPDX-License-Identifier: Apache-2.0 */
/* isl as the oracle: layouts are written as isl texts here, and isl composes and compares them. */
#include "layouts/layout.h"

#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>

typedef struct strided {
    int rank, shape[3], stride[3], offset;
} strided;

static strided random_strided(uint64_t *seed, int most)
{
    strided s = {.rank = (int)test_range(seed, 1, 3), .offset = (int)test_range(seed, 0, 3) * 5};
    for (int i = 0, size = 1; i < s.rank; i++, size *= s.shape[i - 1]) {
        s.shape[i] = (int)test_range(seed, 1, most / size < 6 ? most / size : 6);
        s.stride[i] = (int)test_range(seed, 0, 12);
        if (test_range(seed, 0, 1)) s.stride[i] = size;
    }
    return s;
}

static zlay_layout *as_layout(zlay_ctx *ctx, const strided *s)
{
    int64_t shape[3], stride[3];
    zlay_layout *a;
    for (int i = 0; i < s->rank; i++) shape[i] = s->shape[i], stride[i] = s->stride[i];
    assert_int_equal(
        zlay_layout_new_strided(ctx, &a, (size_t)s->rank, shape, stride, s->offset), ZLAY_OK);
    return a;
}

/* { [i] -> [o + d0 x0 + ..] : i is the colexicographic index of x, in its box } ; the last
 * coordinate of an outer layout has no bound. */
static isl_map *as_map(isl_ctx *isl, const strided *s, bool bounded)
{
    char text[1024], *at = text;
    int step = 1;
    at += sprintf(at, "{ [i] -> [v] : exists x0, x1, x2 : v = %d", s->offset);
    for (int i = 0; i < s->rank; i++) at += sprintf(at, " + %d x%d", s->stride[i], i);
    at += sprintf(at, " and i = 0");
    for (int i = 0; i < s->rank; step *= s->shape[i++]) at += sprintf(at, " + %d x%d", step, i);
    for (int i = 0; i < s->rank; i++) {
        at += sprintf(at, " and 0 <= x%d", i);
        if (bounded || i + 1 < s->rank) at += sprintf(at, " < %d", s->shape[i]);
    }
    sprintf(at, " }");
    return isl_map_read_from_str(isl, text);
}

/* The map of a result, whose text is OFFSET o SHAPE:STRIDE with any nesting. */
static isl_map *result_map(isl_ctx *isl, const zlay_layout *a)
{
    char text[1024], map[4096], *at = map;
    const char *p = layout_text(text, a);
    long shape[64], stride[64], offset = 0, step = 1;
    int rank = 0, strides = 0;
    if (strstr(p, " o ")) {
        offset = strtol(p, NULL, 10);
        p = strstr(p, " o ") + 3;
    }
    for (char *end; *p != ':'; p = end) {
        end = (char *)(uintptr_t)(p + 1);
        if (*p >= '0' && *p <= '9') shape[rank++] = strtol(p, &end, 10);
    }
    for (char *end; *p; p = end) {
        end = (char *)(uintptr_t)(p + 1);
        if ((*p >= '0' && *p <= '9') || *p == '-') stride[strides++] = strtol(p, &end, 10);
    }
    assert_int_equal(rank, strides);
    at += sprintf(at, "{ [i] -> [v] : exists x0");
    for (int i = 1; i < rank; i++) at += sprintf(at, ", x%d", i);
    at += sprintf(at, " : v = %ld", offset);
    for (int i = 0; i < rank; i++) at += sprintf(at, " + %ld x%d", stride[i], i);
    at += sprintf(at, " and i = 0");
    for (int i = 0; i < rank; step *= shape[i++]) at += sprintf(at, " + %ld x%d", step, i);
    for (int i = 0; i < rank; i++) at += sprintf(at, " and 0 <= x%d < %ld", i, shape[i]);
    sprintf(at, " }");
    return isl_map_read_from_str(isl, map);
}

/* isl decides equality; zlay must answer the same. */
static void equality(void **state)
{
    uint64_t seed = test_seed("isl equal");
    isl_ctx *isl = isl_ctx_alloc();
    int yes = 0;
    for (uint64_t n = 0; n < test_iterations(500); n++) {
        strided s = random_strided(&seed, 24), t = s;
        if (test_range(&seed, 0, 2)) t = random_strided(&seed, 24);
        if (n % 2 && s.rank > 1) {
            t = s;
            t.rank = s.rank - 1;
            t.shape[0] = s.shape[0] * s.shape[1];
            for (int i = 1; i < t.rank; i++) {
                t.shape[i] = s.shape[i + 1];
                t.stride[i] = s.stride[i + 1];
            }
        }
        zlay_layout *a = as_layout(*state, &s), *b = as_layout(*state, &t);
        isl_map *x = as_map(isl, &s, true), *y = as_map(isl, &t, true);
        zlay_answer answer;
        assert_int_equal(zlay_layout_equal(*state, &answer, NULL, a, b), ZLAY_OK);
        assert_int_equal(answer, isl_map_is_equal(x, y) == isl_bool_true ? ZLAY_YES : ZLAY_NO);
        yes += answer;
        isl_map_free(x);
        isl_map_free(y);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
    assert_true(yes > 20);
    isl_ctx_free(isl);
}

/* isl composes; what zlay returns is the same map, and coalescing keeps it. */
static void composition(void **state)
{
    uint64_t seed = test_seed("isl compose"), rounds = test_iterations(500), done = 0;
    isl_ctx *isl = isl_ctx_alloc();
    for (uint64_t n = 0; n < rounds; n++) {
        strided s = random_strided(&seed, 48), t = random_strided(&seed, 24);
        zlay_layout *a = as_layout(*state, &s), *b = as_layout(*state, &t), *c, *flat;
        isl_map *both = isl_map_apply_range(as_map(isl, &t, true), as_map(isl, &s, false));
        zlay_status status = zlay_layout_compose(*state, &c, a, b);
        assert_int_equal(status, ZLAY_OK);
        if (zlay_layout_kind(c) == ZLAY_LAYOUT_STRIDED) {
            isl_map *map = result_map(isl, c), *again;
            assert_int_equal(isl_map_is_equal(map, both), isl_bool_true);
            assert_int_equal(zlay_layout_coalesce(*state, &flat, c), ZLAY_OK);
            again = result_map(isl, flat);
            assert_int_equal(isl_map_is_equal(map, again), isl_bool_true);
            isl_map_free(again);
            isl_map_free(map);
            zlay_layout_free(flat);
            done++;
        }
        isl_map_free(both);
        zlay_layout_free(c);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
    assert_true(done > rounds / 4);
    isl_ctx_free(isl);
}

/* NONE exactly where isl finds two points of one value; else the sums of both are all different. */
static void complement(void **state)
{
    uint64_t seed = test_seed("isl complement");
    isl_ctx *isl = isl_ctx_alloc();
    for (uint64_t n = 0; n < test_iterations(300); n++) {
        strided s = random_strided(&seed, 24);
        s.offset = 0;
        for (int i = 0; i < s.rank; i++) s.stride[i] += !s.stride[i];
        zlay_layout *b = as_layout(*state, &s), *c;
        isl_map *map = as_map(isl, &s, true);
        zlay_status status = zlay_layout_complement(*state, &c, b, 60);
        bool injective = isl_map_is_injective(map) == isl_bool_true;
        assert_true(injective ? status == ZLAY_OK || status == ZLAY_NONE : status == ZLAY_NONE);
        if (!status) {
            isl_map *rest = result_map(isl, c);
            isl_map *left = isl_map_product(isl_map_copy(map), rest);
            isl_map *add = isl_map_read_from_str(isl, "{ [[u] -> [v]] -> [u + v] }");
            left = isl_map_apply_range(left, add);
            assert_int_equal(isl_map_is_injective(left), isl_bool_true);
            isl_map_free(left);
        }
        isl_map_free(map);
        zlay_layout_free(c);
        zlay_layout_free(b);
    }
    isl_ctx_free(isl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equality), cmocka_unit_test(composition), cmocka_unit_test(complement),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
