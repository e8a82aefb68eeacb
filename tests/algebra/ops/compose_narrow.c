/* SPDX-License-Identifier: Apache-2.0 */
/* Composition of plain layouts of small numbers has a function of its own.  It is left out where
 * limits.dims is below the leaves that it may make: both ways give the same layouts, printed alike,
 * or both refuse.  Some numbers are beside 2^30, where numbers stop being small. */
#include "layouts/layout.h"

enum { MODES = 8, FEWER_DIMS = 23 };

typedef struct drawn {
    size_t rank;
    int64_t shape[MODES], stride[MODES];
} drawn;

static int64_t near(uint64_t *seed) { return ((int64_t)1 << 30) + test_range(seed, -2, 2); }

/* Compact in any order of modes, with gaps; or any strides. */
static void draw_strides(drawn *d, uint64_t *seed)
{
    int order[MODES] = {0, 1, 2, 3, 4, 5, 6, 7};
    int64_t at = 1;
    bool compact = test_range(seed, 0, 3), sorted = test_range(seed, 0, 1);
    if (!sorted) test_shuffle(seed, order, (int)d->rank);
    for (size_t i = 0; i < d->rank; i++) {
        size_t k = (size_t)order[i];
        d->stride[k] = compact ? at : test_range(seed, -4, 24);
        at *= d->shape[k] * (test_range(seed, 0, 3) ? 1 : 2);
        if (!test_range(seed, 0, 15)) d->stride[k] = test_range(seed, 0, 1) ? 0 : -at;
        if (!test_range(seed, 0, 63)) d->stride[k] = near(seed);
    }
}

static void draw(drawn *d, uint64_t *seed)
{
    d->rank = (size_t)test_range(seed, 1, test_range(seed, 0, 3) ? 4 : MODES);
    for (size_t i = 0; i < d->rank; i++)
        d->shape[i] = test_range(seed, 0, 1) ? test_range(seed, 1, 5)
                                              : (int64_t)1 << test_range(seed, 0, 3);
    if (!test_range(seed, 0, 63)) d->shape[test_range(seed, 0, (int64_t)d->rank - 1)] = near(seed);
    draw_strides(d, seed);
}

/* Modes of b that mean parts of a: from the weights of a's modes, some of them times a factor. */
static void draw_parts(drawn *b, const drawn *a, uint64_t *seed)
{
    int64_t weight[MODES], at = 1;
    for (size_t i = 0; i < a->rank; i++) weight[i] = at, at *= a->shape[i];
    b->rank = (size_t)test_range(seed, 1, 5);
    for (size_t i = 0; i < b->rank; i++) {
        size_t of = (size_t)test_range(seed, 0, (int64_t)a->rank - 1);
        int64_t by = test_range(seed, 0, 2) ? 1 : test_range(seed, 1, 4);
        b->stride[i] = weight[of] * by;
        b->shape[i] = test_range(seed, 0, 1) ? a->shape[of] : test_range(seed, 1, 16);
    }
}

static zlay_layout *layout_of(zlay_ctx *ctx, const drawn *d)
{
    zlay_layout *a = NULL;
    zlay_layout_new_strided(ctx, &a, d->rank, d->shape, d->stride, 0);
    return a;
}

static const char *composed(char text[1024], zlay_ctx *ctx, const zlay_layout *a,
                            const zlay_layout *b)
{
    zlay_layout *made;
    zlay_status status = zlay_layout_compose(ctx, &made, a, b);
    if (status) return zlay_status_name(status);
    zlay_buf buf = {text, 1024, 0};
    bool fits = !zlay_layout_print(&buf, made); /* pieces may be long: they are not made here */
    zlay_layout_free(made);
    return fits ? text : "long";
}

static void both_ways(void **state)
{
    (void)state;
    uint64_t seed = test_seed("both_ways");
    zlay_limits few = {.size = sizeof few, .dims = FEWER_DIMS};
    zlay_ctx *ctx, *other;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    assert_int_equal(zlay_ctx_new(&other, NULL, &few), ZLAY_OK);
    for (uint64_t i = 0, end = test_iterations(20000); i < end; i++) {
        char text[1024], expected[1024];
        drawn a, b;
        draw(&a, &seed);
        if (test_range(&seed, 0, 3)) draw_parts(&b, &a, &seed);
        else draw(&b, &seed);
        zlay_layout *left = layout_of(ctx, &a), *right = layout_of(ctx, &b);
        if (left && right && zlay_layout_size(right) <= 2000)
            assert_string_equal(composed(text, ctx, left, right),
                                composed(expected, other, left, right));
        zlay_layout_free(left);
        zlay_layout_free(right);
    }
    zlay_ctx_free(ctx);
    zlay_ctx_free(other);
}

/* The ends of what is small: the greatest index that b takes on a, and the greatest strides. */
static void ends(void **state)
{
    static const char *const rows[][3] = {
        {"8:1073741823", "4:2", "4:2147483646"},
        {"8:1073741824", "4:2", "4:2147483648"},
        {"8:-1073741824", "4:2", "4:-2147483648"},
        {"8:-1073741825", "4:2", "4:-2147483650"},
        {"1:1", "2:1073741823", "2:1073741823"},
        {"1:1", "2:1073741824", "2:1073741824"},
        {"(4,2):(2,1)", "(4,1073741823):(1,4)", "(4,1073741823):(2,1)"},
        {"(2,1,3):(1,7,5)", "(3,2):(2,1)", "(3,2):(5,1)"},
        {"(1,4):(9,2)", "(1,2):(3,2)", "(1,2):(6,4)"},
        {"(2,3):(1,2)", "2:3", "2:3"},
        {"(4,6):(6,1)", "12:2", "(2,6):(12,1)"},
    };
    zlay_ctx *ctx;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[1024];
        zlay_layout *a = read_layout(ctx, rows[i][0]), *b = read_layout(ctx, rows[i][1]);
        assert_string_equal(composed(text, ctx, a, b), rows[i][2]);
        zlay_layout_free(a);
        zlay_layout_free(b);
    }
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways),
        cmocka_unit_test(ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
