/* SPDX-License-Identifier: Apache-2.0 */
/* The search for pieces of a table: the result is the table, undefined cells too, and families that
 * are one quasi-affine form are found as one piece. */
#include "algebra/find/table.h"
#include "layouts/layout.h"

#include <zlay/cute.h>

#include <math.h>

typedef struct shape {
    int dims, undefined;
    int64_t extent[3], value[4096];
    bool there[4096];
} shape;

static int64_t points(const shape *s)
{
    int64_t n = 1;
    for (int i = 0; i < s->dims; i++) n *= s->extent[i];
    return n;
}

static zlay_status find(zlay_ctx *ctx, zlay_layout **out, const shape *s)
{
    zl_modes box;
    zl_table t;
    zl_modes_begin(&box, ctx);
    for (int i = 0; i < s->dims; i++) assert_int_equal(zl_modes_leaf(&box, s->extent[i], 0), 0);
    if (s->dims > 1) zl_modes_wrap(&box, 0);
    assert_int_equal(zl_table_new(ctx, &t, (uint64_t)points(s)), 0);
    for (int64_t i = 0; i < points(s); i++)
        if (s->there[i]) zl_table_set(&t, (uint64_t)i, s->value[i]);
    zlay_status status = zl_find_pieces(ctx, out, &t, &box, NULL);
    zl_table_free(&t);
    zl_modes_end(&box);
    return status;
}

/* `most` pieces at most. */
static void check(zlay_ctx *ctx, const shape *s, size_t most, const char *what)
{
    zlay_layout *a = NULL;
    int64_t v = 0;
    zlay_status status = find(ctx, &a, s);
    if (status) fail_msg("%s: %s", what, zlay_status_name(status));
    if (a->pieces.count > most)
        fail_msg("%s: %d pieces, not %d", what, (int)a->pieces.count, (int)most);
    assert_int_equal(zlay_layout_size(a), points(s));
    for (int64_t i = 0; i < points(s); i++) {
        status = zlay_layout_eval(&v, 1, a, (uint64_t)i);
        assert_int_equal(status, s->there[i] ? ZLAY_OK : ZLAY_NONE);
        if (s->there[i] && v != s->value[i]) fail_msg("%s: wrong at %d", what, (int)i);
    }
    zlay_layout_free(a);
}

/* ---- families, as functions of a coordinate ------------------------------------------------ */

typedef int64_t family(const int64_t *x, const int64_t *k);

static int64_t floors(int64_t a, int64_t n) { return (int64_t)floor((double)a / (double)n); }
static int64_t mods(int64_t a, int64_t n) { return a - n * floors(a, n); }

static int64_t linear(const int64_t *x, const int64_t *k)
{
    return k[0] + k[1] * x[0] + k[2] * x[1] + k[3] * x[2];
}

static int64_t raster(const int64_t *x, const int64_t *k)
{
    return k[0] * x[0] + k[1] * floors(k[2] * x[0] + k[3], 7) + k[3] * x[1];
}

static int64_t modulo(const int64_t *x, const int64_t *k)
{
    return k[0] + mods(k[1] * x[0] + k[2] * x[1] + k[3] * x[2], 11);
}

static int64_t radix(const int64_t *x, const int64_t *k)
{
    return k[1] * mods(x[0], 3) + k[2] * mods(floors(x[0], 3), 2) + k[3] * floors(x[0], 6) - x[1];
}

static const struct { const char *name; family *at; } families[] = {
    {"linear", linear}, {"raster", raster}, {"modulo", modulo}, {"radix", radix},
};

static void fill(shape *s, family *at, const int64_t *k)
{
    for (int64_t i = 0; i < points(s); i++) {
        int64_t x[3] = {0}, rest = i;
        for (int d = 0; d < s->dims; d++) {
            x[d] = rest % s->extent[d];
            rest /= s->extent[d];
        }
        s->value[i] = at(x, k);
        s->there[i] = true;
    }
}

static void draw_box(uint64_t *seed, shape *s)
{
    s->dims = (int)test_range(seed, 1, 3);
    for (int i = 0; i < s->dims; i++) s->extent[i] = test_range(seed, 1, i ? 7 : 40);
}

static void one_piece(void **state)
{
    uint64_t seed = test_seed("families");
    for (uint64_t n = 0; n < test_iterations(2000); n++) {
        static shape s;
        int64_t k[4];
        size_t f = (size_t)test_range(&seed, 0, 3);
        draw_box(&seed, &s);
        for (int i = 0; i < 4; i++) k[i] = test_range(&seed, 0, 6);
        fill(&s, families[f].at, k);
        check(*state, &s, 1, families[f].name);
    }
}

/* A window of a family, the rest undefined, stays one piece. */
static void windows(void **state)
{
    uint64_t seed = test_seed("windows");
    for (uint64_t n = 0; n < test_iterations(2000); n++) {
        static shape s;
        int64_t k[4], low[3], high[3];
        draw_box(&seed, &s);
        for (int i = 0; i < 4; i++) k[i] = test_range(&seed, 0, 6);
        fill(&s, n % 2 ? linear : modulo, k);
        for (int d = 0; d < s.dims; d++) {
            low[d] = test_range(&seed, 0, s.extent[d] - 1);
            high[d] = test_range(&seed, low[d], s.extent[d] - 1);
        }
        for (int64_t i = 0; i < points(&s); i++)
            for (int64_t d = 0, rest = i; d < s.dims; rest /= s.extent[d++]) {
                int64_t x = rest % s.extent[d];
                if (x < low[d] || x > high[d]) s.there[i] = false;
            }
        check(*state, &s, 1, "window");
    }
}

/* Anything at all: never more pieces than points, and ELIMIT past limits.pieces. */
static void noise(void **state)
{
    uint64_t seed = test_seed("noise");
    for (uint64_t n = 0; n < test_iterations(2000); n++) {
        static shape s;
        draw_box(&seed, &s);
        size_t there = 0;
        for (int64_t i = 0; i < points(&s); i++) {
            s.value[i] = test_range(&seed, 0, 1) * test_range(&seed, -3, 9);
            there += s.there[i] = test_range(&seed, 0, 9) > 0;
        }
        if (there) check(*state, &s, there, "noise");
    }
}

static void too_many(void **state)
{
    zlay_limits few = {.size = sizeof few, .pieces = 5};
    static const int64_t values[12] = {5, 1, 9, 2, 7, 7, 0, 3, 8, 8, 1, 4};
    static shape s;
    zlay_layout *a = NULL;
    s.dims = 1;
    s.extent[0] = 12;
    for (int i = 0; i < 12; i++) {
        s.value[i] = values[i];
        s.there[i] = true;
    }
    check(*state, &s, 6, "a table");
    assert_int_equal(zlay_ctx_set_limits(*state, &few), ZLAY_OK);
    assert_int_equal(find(*state, &a, &s), ZLAY_NONE);
    assert_null(a);
}

/* What a mode with its tile is stays one form in the sum of the modes: 210, 24 and 154 pieces by
 * values alone.  The value is that of the coordinates, digit by digit. */
static int64_t nested(const int64_t *extent, const int64_t *stride, int64_t v)
{
    return v % extent[0] * stride[0] + v / extent[0] * stride[1];
}

static void tiles_of_nested_modes(void **state)
{
    static const struct {
        const char *a, *tiler;
        int64_t shape[2][2], stride[2][2], tile[2][2]; /* of two modes; a tile is n:s */
    } rows[] = {
        {"((5,5),(5,6)):((3,5),(3,3))", "<5:3;4:2>", {{5, 5}, {5, 6}}, {{3, 5}, {3, 3}},
         {{5, 3}, {4, 2}}},
        {"((4,6),(3,4)):((1,100),(7,2))", "<3:1;2:2>", {{4, 6}, {3, 4}}, {{1, 100}, {7, 2}},
         {{3, 1}, {2, 2}}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        zlay_layout *a = read_layout(*state, rows[r].a), *made;
        uint64_t box[2];
        int64_t value;
        assert_int_equal(zlay_layout_divide_tiler(*state, &made, a, rows[r].tiler,
                                                  strlen(rows[r].tiler), ZLAY_LOGICAL), ZLAY_OK);
        assert_true(made->pieces.count <= 1);
        assert_int_equal(zlay_layout_box(box, 2, made), 2);
        for (uint64_t j = 0; j < (uint64_t)rows[r].tile[1][0]; j++)
            for (uint64_t i = 0; i < (uint64_t)rows[r].tile[0][0]; i++) {
                int64_t x = (int64_t)i * rows[r].tile[0][1], y = (int64_t)j * rows[r].tile[1][1];
                assert_int_equal(zlay_layout_eval(&value, 1, made, i + j * box[0]), ZLAY_OK);
                assert_int_equal(value, nested(rows[r].shape[0], rows[r].stride[0], x) +
                                            nested(rows[r].shape[1], rows[r].stride[1], y));
            }
        zlay_layout_free(made);
        zlay_layout_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_piece), cmocka_unit_test(windows), cmocka_unit_test(noise),
       
        cmocka_unit_test_setup_teardown(too_many, begin, end), cmocka_unit_test(tiles_of_nested_modes),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
