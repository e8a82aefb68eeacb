/* SPDX-License-Identifier: Apache-2.0 */
/* Lifts: their text, read by isl, is the function, and zlay reads it back. */
#include "algebra/layout/layout.h"
#include "layouts/drawn.h"

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include <zlay/pieces.h>

/* ---- the example of zlay/pieces.h ------------------------------------------------------- */

static void header_example(void **state)
{
    static const int64_t values[] = {0, 4, 22, 40};
    zlay_layout *a = read_layout(*state, "(6,3):(1,20)"), *b = read_layout(*state, "4:4");
    zlay_layout *c = NULL, *padded = NULL, *sliced = NULL;
    zlay_pad pad = {0, 1, 1, ZLAY_PAD_UNDEFINED, 0};
    zlay_slice slice = {0, 1, 4, 2};
    int64_t v;
    assert_int_equal(zlay_layout_compose(*state, &c, a, b), ZLAY_OK);
    assert_text(c, "{ [i0] -> [4i0 + 14*floor((2i0)/3)] : 0 <= i0 < 4 }");
    assert_int_equal(zlay_layout_pad(*state, &padded, c, &pad), ZLAY_OK);
    for (uint64_t i = 0; i < 6; i++) {
        zlay_status status = zlay_layout_eval(&v, 1, padded, i);
        assert_int_equal(status, i % 5 ? ZLAY_OK : ZLAY_NONE);
        if (!status) assert_int_equal(v, values[i - 1]);
    }
    assert_int_equal(zlay_layout_slice(*state, &sliced, padded, &slice), ZLAY_OK);
    assert_text(sliced, "2:22");
    zlay_layout_free(sliced);
    zlay_layout_free(padded);
    zlay_layout_free(c);
    zlay_layout_free(b);
    zlay_layout_free(a);
}

/* ---- texts --------------------------------------------------------------------------------- */

static void texts(void **state)
{
    static const char *const rows[][2] = {
        {"8:3", "{ [i0] -> [3i0] : 0 <= i0 < 8 }"},
        {"7 o (4,2):(-1,8)", "{ [i0, i1] -> [-i0 + 8i1 + 7] : 0 <= i0 < 4 and 0 <= i1 < 2 }"},
        {"(4,(2,2)):(2,(1,8))",
         "{ [i0, i1] -> [2i0 + i1 + 6*floor((i1)/2)] : 0 <= i0 < 4 and 0 <= i1 < 4 }"},
        {"Sw<1,0,1> o 0 o 4",
         "{ [i0] -> [i0 + floor((i0)/2) - 2*floor((i0 - floor((i0)/2))/2)] : 0 <= i0 < 4 }"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        zlay_layout *a = read_layout(*state, rows[r][0]), *up = NULL;
        assert_int_equal(zlay_layout_lift(*state, &up, a), ZLAY_OK);
        assert_text(up, rows[r][1]);
        zlay_layout_free(up);
        zlay_layout_free(a);
    }
}

/* ---- isl reads the text ------------------------------------------------------------------------ */

typedef struct points {
    const zlay_layout *lifted;
    size_t dims;
    uint64_t extent[MODES], seen;
} points;

static isl_stat check_pair(isl_point *at, points *p, const int64_t *x)
{
    int64_t want[OUTS], index = 0;
    for (size_t i = p->dims; i-- > 0;) index = index * (int64_t)p->extent[i] + x[i];
    assert_int_equal(zlay_layout_eval(want, OUTS, p->lifted, (uint64_t)index), ZLAY_OK);
    for (size_t o = 0; o < zlay_layout_out_count(p->lifted); o++) {
        isl_val *v = isl_point_get_coordinate_val(at, isl_dim_set, (int)(p->dims + o));
        assert_int_equal(isl_val_get_num_si(v), want[o]);
        isl_val_free(v);
    }
    p->seen++;
    return isl_stat_ok;
}

static isl_stat on_point(isl_point *at, void *user)
{
    points *p = user;
    int64_t x[MODES];
    for (size_t i = 0; i < p->dims; i++) {
        isl_val *v = isl_point_get_coordinate_val(at, isl_dim_set, (int)i);
        x[i] = isl_val_get_num_si(v);
        isl_val_free(v);
    }
    isl_stat stat = check_pair(at, p, x);
    isl_point_free(at);
    return stat;
}

static isl_map *read_by_isl(isl_ctx *isl, const zlay_layout *a)
{
    char text[16384];
    zlay_buf buf = {text, sizeof text, 0};
    assert_int_equal(zlay_layout_print(&buf, a), ZLAY_OK);
    isl_map *map = isl_map_read_from_str(isl, text);
    if (!map) fail_msg("isl does not read %s", text);
    return map;
}

/* Every pair of isl's map is the value that the layout was drawn with, and none is missing. */
static void isl_agrees(void **state)
{
    uint64_t seed = test_seed("isl reads lifts");
    isl_ctx *isl = isl_ctx_alloc();
    for (uint64_t n = 0; n < test_iterations(300); n++) {
        drawn a;
        zlay_layout *p = draw(*state, &seed, &a, 5), *up = NULL;
        assert_int_equal(zlay_layout_lift(*state, &up, p), ZLAY_OK);
        points all = {.lifted = p, .dims = (size_t)a.modes};
        zlay_layout_box(all.extent, MODES, p);
        isl_map *map = read_by_isl(isl, up);
        isl_set *pairs = isl_set_flatten(isl_map_wrap(isl_map_flatten(map)));
        assert_int_equal(isl_set_foreach_point(pairs, on_point, &all), isl_stat_ok);
        assert_int_equal(all.seen, size_of(&a));
        isl_set_free(pairs);
        zlay_layout_free(up);
        zlay_layout_free(p);
    }
    isl_ctx_free(isl);
}

/* isl composes the texts of both arguments; the result is the same map. */
static void isl_composes(void **state)
{
    uint64_t seed = test_seed("isl composes pieces"), done = 0;
    isl_ctx *isl = isl_ctx_alloc();
    for (uint64_t n = 0; n < test_iterations(300); n++) {
        drawn a, b;
        zlay_layout *p = draw(*state, &seed, &a, 6), *q = draw(*state, &seed, &b, 5);
        zlay_layout *x = NULL, *y = NULL, *c = NULL, *z = NULL;
        assert_int_equal(zlay_layout_lift(*state, &x, p), ZLAY_OK);
        assert_int_equal(zlay_layout_lift(*state, &y, q), ZLAY_OK);
        if (a.modes == b.outs && !zlay_layout_compose_partial(*state, &c, x, y)) {
            assert_int_equal(zlay_layout_lift(*state, &z, c), ZLAY_OK);
            isl_map *want = isl_map_apply_range(read_by_isl(isl, y), read_by_isl(isl, x));
            isl_map *got = read_by_isl(isl, z);
            if (isl_map_is_equal(want, got) != isl_bool_true)
                fail_msg("%s o %s: %s", a.text, b.text, isl_map_to_str(got));
            isl_map_free(got);
            isl_map_free(want);
            done++;
        }
        zlay_layout_free(z);
        zlay_layout_free(c);
        zlay_layout_free(y);
        zlay_layout_free(x);
        zlay_layout_free(q);
        zlay_layout_free(p);
    }
    assert_true(done > test_iterations(50));
    isl_ctx_free(isl);
}

/* ---- and back: without looking at points ------------------------------------------------------ */

static bool is_affine(const drawn *a)
{
    int64_t zero = 0, v = 0, w = 0, both = 0;
    uint64_t size = size_of(a);
    if (size & (size - 1)) return false;
    value_at(a, 0, &zero);
    for (uint64_t i = 0; i < size; i++)
        for (uint64_t k = 1; k < size; k *= 2) {
            value_at(a, (int64_t)i, &v);
            value_at(a, (int64_t)k, &w);
            value_at(a, (int64_t)(i ^ k), &both);
            if (both != (v ^ w ^ zero)) return false;
        }
    return true;
}

static int64_t affine_at(const zl_affine *map, uint64_t index)
{
    uint64_t value = map->constant;
    for (unsigned k = 0; k < map->bits; k++)
        if (index >> k & 1) value ^= map->basis[k];
    return (int64_t)value;
}

/* A lift is known as affine over F2 from its rows exactly when its values are; where sums are taken
 * modulo a size, or begin at an offset, only if. */
static void recognised(void **state)
{
    uint64_t seed = test_seed("affine pieces"), yes = 0, no = 0;
    for (uint64_t n = 0; n < test_iterations(5000); n++) {
        drawn a;
        zl_affine map;
        int64_t want = 0;
        zlay_layout *p = draw(*state, &seed, &a, n % 2 ? 4 : 2), *up = NULL;
        assert_int_equal(zlay_layout_lift(*state, &up, p), ZLAY_OK);
        bool least = true, power = true, affine = is_affine(&a);
        for (uint64_t x = 0; x < size_of(&a); x++) {
            value_at(&a, (int64_t)x, &want);
            least = least && want >= 0;
        }
        for (int o = 0; o < a.outs && a.f2; o++)
            power = power && !(a.out_size[o] & (a.out_size[o] - 1));
        bool known = zl_affine_of(&map, up);
        if (least && power && !a.offset && known != affine) differ("affine", a.text, "", up, 0);
        for (uint64_t x = 0; known && x < size_of(&a); x++) {
            value_at(&a, (int64_t)x, &want);
            if (affine_at(&map, x) != want) differ("affine", a.text, "", up, x);
        }
        yes += known;
        no += !known;
        zlay_layout_free(up);
        zlay_layout_free(p);
    }
    assert_true(yes > test_iterations(500) && no > test_iterations(500));
}

/* Boxes past limits.points go back to f2, and to strides, by their rows. */
static void lowered(void **state)
{
    static const char *const rows[][2] = {
        {"Sw<3,4,3> o 0 o 1073741824", "Sw<3,4,3> o 0 o 1073741824:1"},
        {"Sw<3,3,-3> o 0 o (8192,(8192,4)):(8192,(1,67108864))", NULL},
        {"f2{i: (1) (3) (6) (12) (24) (48) (96) (192) (384) (768) (1536) (3072) (6144) (12288) "
         "(24576) (49152) (98304) (196608) (393216) (786432) (1572864) (3145728) (6291456) "
         "(12582912) (25165824) -> o: 33554432}", NULL},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        zlay_layout *a = read_layout(*state, rows[r][0]), *up = NULL, *f2 = NULL, *want = NULL;
        zlay_layout *one = NULL, *back = NULL;
        zlay_answer answer;
        char text[64];
        assert_int_equal(zlay_layout_lift(*state, &up, a), ZLAY_OK);
        assert_int_equal(zlay_layout_lower(*state, &f2, up), ZLAY_OK);
        assert_int_equal(zlay_layout_lower(*state, &want, a), ZLAY_OK);
        assert_int_equal(zlay_layout_equal(*state, &answer, NULL, f2, want), ZLAY_OK);
        assert_int_equal(answer, ZLAY_YES);
        sprintf(text, "%llu:1", (unsigned long long)zlay_layout_size(a));
        one = read_layout(*state, text);
        assert_int_equal(zlay_layout_compose(*state, &back, up, one), ZLAY_OK);
        assert_true(zlay_layout_kind(back) < ZLAY_LAYOUT_PIECES);
        if (rows[r][1]) assert_text(back, rows[r][1]);
        zlay_layout_free(back);
        zlay_layout_free(one);
        zlay_layout_free(want);
        zlay_layout_free(f2);
        zlay_layout_free(up);
        zlay_layout_free(a);
    }
}

/* zlay reads back what it printed. */
static void read_back(void **state)
{
    uint64_t seed = test_seed("read back");
    for (uint64_t n = 0; n < test_iterations(1000); n++) {
        drawn a;
        char text[16384];
        int64_t want = 0, got = 0;
        zlay_buf buf = {text, sizeof text, 0};
        zlay_layout *p = draw(*state, &seed, &a, 6), *up = NULL, *again = NULL;
        assert_int_equal(zlay_layout_lift(*state, &up, p), ZLAY_OK);
        assert_int_equal(zlay_layout_print(&buf, up), ZLAY_OK);
        zlay_status status = zlay_layout_parse(*state, &again, text, buf.need);
        if (status) fail_msg("%s: %s", text, zlay_ctx_message(*state));
        for (uint64_t x = 0; x < size_of(&a); x++) {
            value_at(&a, (int64_t)x, &want);
            if (!result_at(again, &a, x, &got) || got != want) differ("read back", text, "", up, x);
        }
        zlay_layout_free(again);
        zlay_layout_free(up);
        zlay_layout_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_example), cmocka_unit_test(texts), cmocka_unit_test(isl_agrees),
        cmocka_unit_test(isl_composes), cmocka_unit_test(recognised), cmocka_unit_test(lowered),
        cmocka_unit_test(read_back),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
