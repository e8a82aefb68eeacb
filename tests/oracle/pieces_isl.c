/* SPDX-License-Identifier: Apache-2.0 */
/* isl as the oracle of isl text: what both read is one map, what zlay prints isl reads, and what isl
 * prints zlay reads. */
#include "layouts/layout.h"

#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/ilp.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#include <zlay/pieces.h>

typedef struct words {
    char text[2048];
    size_t length;
    uint64_t *seed;
    int dims;
} words;

static void put(words *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    w->length += (size_t)vsnprintf(w->text + w->length, sizeof w->text - w->length, format, args);
    va_end(args);
    assert_true(w->length < sizeof w->text);
}

static int pick(words *w, int low, int high) { return (int)test_range(w->seed, low, high); }

static const char *name(words *w)
{
    static const char *const names[] = {"i", "j", "k"};
    return names[pick(w, 0, w->dims - 1)];
}

static void put_form(words *w, int depth);

static void put_term(words *w, int depth)
{
    switch (depth ? pick(w, 0, 5) : pick(w, 0, 2)) {
    case 0: put(w, "%d", pick(w, 0, 9)); break;
    case 1: put(w, "%s", name(w)); break;
    case 2: put(w, "%d%s", pick(w, 1, 7), name(w)); break;
    case 3:
        put(w, "%d*floor((", pick(w, 1, 3));
        put_form(w, depth - 1);
        put(w, ")/%d)", pick(w, 2, 6));
        break;
    case 4:
        put(w, "((");
        put_form(w, depth - 1);
        put(w, ") mod %d)", pick(w, 2, 6));
        break;
    default: put(w, "%s mod %d", name(w), pick(w, 2, 5)); break;
    }
}

static void put_form(words *w, int depth)
{
    int terms = pick(w, 1, 3);
    for (int i = 0; i < terms; i++) {
        if (i) put(w, pick(w, 0, 2) ? " + " : " - ");
        put_term(w, depth);
    }
}

static void put_comparison(words *w)
{
    static const char *const relations[] = {"<=", "<", ">=", ">", "=", "!="};
    put_form(w, 1);
    put(w, " %s ", relations[pick(w, 0, 5)]);
    put_form(w, 1);
}

static void put_condition(words *w, int depth)
{
    switch (depth ? pick(w, 0, 7) : 0) {
    case 1:
    case 2:
        put(w, "(");
        put_condition(w, depth - 1);
        put(w, pick(w, 0, 1) ? " and " : " or ");
        put_condition(w, depth - 1);
        put(w, ")");
        break;
    case 3:
        put(w, "not (");
        put_condition(w, depth - 1);
        put(w, ")");
        break;
    case 4:
        put(w, "exists (e: %s = %de + %d)", name(w), pick(w, 1, 4), pick(w, 0, 5));
        break;
    case 5:
        put(w, "exists (e = floor((%s)/%d), f: f = e + %d and f <= %s)", name(w), pick(w, 2, 4),
            pick(w, 0, 3), name(w));
        break;
    case 7:
        put(w, "exists (e, f: %s = %de + %df + %d and 0 <= e <= %d and e <= f < %d)", name(w),
            pick(w, 1, 4), pick(w, 2, 5), pick(w, -3, 1), pick(w, 0, 4), pick(w, 1, 6));
        break;
    case 6: put(w, "%d <= %s <= %d", pick(w, -3, 3), name(w), pick(w, 0, 6)); break;
    default: put_comparison(w);
    }
}

static void put_map(words *w, const int *low, const int *extent)
{
    static const char *const tuples[] = {"", "[i]", "[i, j]", "[i, j, k]"};
    static const char *const names[] = {"i", "j", "k"};
    put(w, "%s -> [", tuples[w->dims]);
    put_form(w, 2);
    put(w, "] : ");
    for (int d = 0; d < w->dims; d++)
        put(w, "%d <= %s < %d and ", low[d], names[d], low[d] + extent[d]);
    put_condition(w, 2);
}

/* A text of one or two maps over one small box. */
static void put_text(words *w)
{
    int low[3], extent[3];
    w->dims = pick(w, 1, 3);
    for (int d = 0; d < w->dims; d++) {
        low[d] = pick(w, -4, 4);
        extent[d] = pick(w, 1, w->dims == 1 ? 20 : 6);
    }
    put(w, "{ ");
    put_map(w, low, extent);
    if (!pick(w, 0, 2)) {
        put(w, "; ");
        put_map(w, low, extent);
    }
    put(w, " }");
}

/* The map of a layout's text, its coordinates moved back to the least corner of `of`. */
static isl_map *moved_back(isl_ctx *isl, const zlay_layout *a, isl_map *of)
{
    char text[65536];
    zlay_buf buf = {text, sizeof text, 0};
    assert_int_equal(zlay_layout_print(&buf, a), ZLAY_OK);
    isl_map *map = isl_map_read_from_str(isl, text);
    if (!map) fail_msg("isl does not read %s", text);
    isl_set *domain = isl_map_domain(isl_map_copy(of));
    isl_multi_val *low = isl_multi_val_zero(isl_set_get_space(domain));
    for (int d = 0; d < isl_map_dim(of, isl_dim_in); d++)
        low = isl_multi_val_set_val(low, d, isl_set_dim_min_val(isl_set_copy(domain), d));
    isl_space *space = isl_set_get_space(domain);
    isl_multi_aff *move = isl_multi_aff_identity(isl_space_map_from_set(space));
    move = isl_multi_aff_add_constant_multi_val(move, low);
    isl_set_free(domain);
    return isl_map_apply_domain(map, isl_map_from_multi_aff(move));
}

static void assert_same_map(isl_ctx *isl, const char *text, const zlay_layout *a, isl_map *map)
{
    isl_map *ours = moved_back(isl, a, map);
    isl_bool same = isl_map_is_equal(ours, map);
    if (same != isl_bool_true) fail_msg("%s: zlay has %s", text, isl_map_to_str(ours));
    isl_map_free(ours);
}

static zlay_layout *parse(zlay_ctx *ctx, zlay_status *status, const char *text)
{
    zlay_layout *a = NULL;
    *status = zlay_layout_parse(ctx, &a, text, strlen(text));
    return a;
}

/* parse(print(x)) is x: the same text, box and values, undefined where x is. */
static void assert_parses_back(zlay_ctx *ctx, const zlay_layout *a)
{
    char text[65536], twice[65536];
    zlay_buf buf = {text, sizeof text, 0}, again = {twice, sizeof twice, 0};
    zlay_status status;
    assert_int_equal(zlay_layout_print(&buf, a), ZLAY_OK);
    zlay_layout *b = parse(ctx, &status, text);
    if (!b) fail_msg("%s: %s", text, zlay_ctx_message(ctx));
    assert_int_equal(zlay_layout_print(&again, b), ZLAY_OK);
    assert_string_equal(text, twice);
    assert_int_equal(zlay_layout_size(a), zlay_layout_size(b));
    for (uint64_t i = 0; i < zlay_layout_size(a); i++) {
        int64_t x[4] = {0}, y[4] = {0};
        zlay_status one = zlay_layout_eval(x, 4, a, i), two = zlay_layout_eval(y, 4, b, i);
        if (one != two || memcmp(x, y, sizeof x)) fail_msg("%s at %d", text, (int)i);
    }
    zlay_layout_free(b);
}

/* What became of the texts: read, refused as ambiguous, as empty. */
typedef struct counts {
    int read, different, empty;
} counts;

static void check_printed(zlay_ctx *ctx, isl_ctx *isl, isl_map *map)
{
    zlay_status status;
    char *text = isl_map_to_str(map);
    zlay_layout *a = parse(ctx, &status, text);
    if (!a) fail_msg("%s: %s", text, zlay_ctx_message(ctx));
    assert_same_map(isl, text, a, map);
    zlay_layout_free(a);
    free(text);
}

static void check_text(zlay_ctx *ctx, isl_ctx *isl, const char *text, counts *n)
{
    zlay_status status;
    isl_map *map = isl_map_read_from_str(isl, text);
    if (!map) fail_msg("isl does not read the test's own %s", text);
    zlay_layout *a = parse(ctx, &status, text);
    const char *message = zlay_ctx_message(ctx);
    if (isl_map_is_empty(map)) {
        if (status != ZLAY_EINVAL || !strstr(message, "empty")) fail_msg("%s: %s", text, message);
        n->empty++;
    } else if (!isl_map_is_single_valued(map)) {
        if (status != ZLAY_EINVAL || !strstr(message, "different")) fail_msg("%s: %s", text, message);
        n->different++;
    } else {
        if (!a) fail_msg("%s: %s", text, message);
        assert_same_map(isl, text, a, map);
        assert_parses_back(ctx, a);
        check_printed(ctx, isl, map);
        n->read++;
    }
    zlay_layout_free(a);
    isl_map_free(map);
}

static void random_texts(void **state)
{
    uint64_t seed = test_seed("random_texts"), count = test_iterations(600);
    isl_ctx *isl = isl_ctx_alloc();
    counts n = {0};
    isl_options_set_on_error(isl, ISL_ON_ERROR_CONTINUE);
    for (uint64_t i = 0; i < count; i++) {
        words w = {.seed = &seed};
        put_text(&w);
        check_text(*state, isl, w.text, &n);
    }
    printf("read %d, of different values %d, empty %d\n", n.read, n.different, n.empty);
    assert_true(n.read > (int)count / 4 && n.different > 0 && n.empty > 0);
    isl_ctx_free(isl);
}

/* ---- texts of isl's notation, one by one ---------------------------------------------------- */

static void notation(void **state)
{
    static const char *const text[] = {
        "{ [i, j] -> [64i + j] : 0 <= i < 8 and 0 <= j < 64 }",
        "{ S[i] -> T[2i + 1] : 3 <= i <= 9 }",
        "{ [i] -> [2i mod 3] : 0 <= i < 9 }",
        "{ [i] -> [2*i mod 3] : 0 <= i < 9 }",
        "{ [i] -> [-i mod 3] : 0 <= i < 9 }",
        "{ [i] -> [i % 4 + 3 * (i mod 2) * 3] : 0 <= i < 9 }",
        "{ [i] -> [floord(i,3) + ceild(i,3)] : -9 <= i < 9 }",
        "{ [i] -> [floor((floor(i/2) + 1)/3)] : -9 <= i < 20 }",
        "{ [i] -> [(i + 1)/2] : -5 <= i < 6 and i mod 2 = 1 }",
        "{ [i] -> [i/2] : -5 <= i < 6 }",
        "{ [i] -> [min(i, 3) + max(i, 5, 7)] : 0 <= i < 12 }",
        "{ [i] -> [i] : 0 <= i, i <= 3 }",
        "{ [i, j] -> [i] : 0 <= i, j < 4 }",
        "{ [i] -> [i] : 8 > i >= 0 and i != 3 }",
        "{ [i] -> [i] : 0 <= i <= 3 or i = 5; [i] -> [1] : i = 7; }",
        "{ [i] -> [i] : 0 < i <= 3 || i = 5 && i > 2 }",
        "{ [i] -> [i] : not i = 3 and 0 <= i < 8 }",
        "{ [i] -> [i] : 0 <= i < 8 and !(i >= 2 and i < 5) }",
        "{ [i] -> [o] : 2o <= i <= 2o + 1 and 0 <= i < 9 }",
        "{ [i] -> [o] : exists e0, e1 = floor(i/2) : e0 = e1 and o = e0 and 0 <= i < 7 }",
        "{ [i] -> [o0] : (-2i + o0) mod 6 = 0 and 0 <= o0 <= 4 and 0 <= i < 10 }",
        "{ [i] -> [o] : 0 <= i < 10 and o mod 4 = i mod 4 and 0 <= o < 4 }",
        "{ [i, i + 1] -> [i] : 0 <= i < 4 }",
        "{ [i, j = 2] -> [i] : 0 <= i < 4 }",
        "{ [i, j = 2i] -> [j] : 0 <= i < 4 }",
        "{ [0] -> [5]; [1] -> [7] }",
        "{ [i] -> [i] : exists (a, b: i = 2a + 4b) and 0 <= i < 8 }",
        "{ [i] -> [i] : exists (e: 0 <= e < 3 and i = 5e + 1) }",
        "{ [i] -> [i] : exists e: 0 <= e < 3 and e <= i <= 2e }",
        "{ [i] -> [i - 1 - 1 + 2] : 0 <= i < 4 and true }",
        "{ [i] -> [i] : 0 <= i < 4 # a comment\n }",
        "{ [i, j] -> [i + j] : 0 <= i and 0 <= j and i + j < 5 }",
        "{ [i] -> [i - -1] : 0 <= i < 4 }",
        "{ [i, j] -> [j, i, i + j] : 0 <= i < 3 and 1 <= j < 3 }",
    };
    isl_ctx *isl = isl_ctx_alloc();
    for (size_t t = 0; t < sizeof text / sizeof text[0]; t++) {
        zlay_status status;
        isl_map *map = isl_map_read_from_str(isl, text[t]);
        if (!map) fail_msg("isl does not read %s", text[t]);
        for (int side = 0; side < 2; side++)
            map = isl_map_set_tuple_name(map, side ? isl_dim_in : isl_dim_out, NULL);
        zlay_layout *a = parse(*state, &status, text[t]);
        if (!a) fail_msg("%s: %s", text[t], zlay_ctx_message(*state));
        assert_same_map(isl, text[t], a, map);
        assert_parses_back(*state, a);
        zlay_layout_free(a);
        isl_map_free(map);
    }
    isl_ctx_free(isl);
}

/* What zlay prints with parameters isl reads as the map it was. */
static void parameters(void **state)
{
    static const char *const text[] = {
        "[N] -> { [i] -> [i + N] : 0 <= i < N }",
        "[N, M] -> { [i, j] -> [floor((i + N)/4) + 3M] : 0 <= i < N and 0 <= j < M and i <= j }",
        ("[N] -> { [i] -> [i] : 0 <= i < 8 and (i + N) mod 2 = 0; [i] -> [0] : 0 <= i < 8 and "
         "(i + N) mod 2 = 1 }"),
        "[N] -> { [i] -> [min(i, N)] : 0 <= i < 8 }",
    };
    isl_ctx *isl = isl_ctx_alloc();
    for (size_t t = 0; t < sizeof text / sizeof text[0]; t++) {
        char printed[8192];
        zlay_buf buf = {printed, sizeof printed, 0};
        zlay_layout *a = read_layout(*state, text[t]);
        assert_int_equal(zlay_layout_print(&buf, a), ZLAY_OK);
        isl_map *one = isl_map_read_from_str(isl, text[t]);
        isl_map *two = isl_map_read_from_str(isl, printed);
        if (isl_map_is_equal(one, two) != isl_bool_true) fail_msg("%s: %s", text[t], printed);
        isl_map_free(one);
        isl_map_free(two);
        zlay_layout_free(a);
    }
    isl_ctx_free(isl);
}

/* The map of a layout written out point by point, from its coordinates: for isl to compare with. */
static isl_map *map_of_points(isl_ctx *isl, const zlay_layout *a)
{
    static char text[1 << 16];
    uint64_t extent[8];
    size_t dims = zlay_layout_box(extent, 8, a), outs = zlay_layout_out_count(a);
    char *at = text + sprintf(text, "{ ");
    for (uint64_t i = 0; i < zlay_layout_size(a); i++) {
        int64_t value[4];
        uint64_t index = i;
        zlay_status status = zlay_layout_eval(value, 4, a, i);
        if (status == ZLAY_NONE) continue;
        assert_int_equal(status, ZLAY_OK);
        at += sprintf(at, at == text + 2 ? "[" : "; [");
        for (size_t d = 0; d < dims; index /= extent[d++])
            at += sprintf(at, d ? ", %d" : "%d", (int)(index % extent[d]));
        at += sprintf(at, "] -> [");
        for (size_t r = 0; r < outs; r++) at += sprintf(at, r ? ", %d" : "%d", (int)value[r]);
        at += sprintf(at, "]");
    }
    sprintf(at, " }");
    return isl_map_read_from_str(isl, text);
}

/* Every kind lifted to pieces: what isl reads of the text is the layout, point by point. */
static void lifted(void **state)
{
    static const char *const text[] = {
        "8:3", "7 o 8:-1", "(4,6):(6,1)", "(4,(2,3)):(2,(1,8))", "((2,3),4):((1,7),0)",
        "Sw<2,0,3> o 0 o 64:1", "Sw<2,1,3> o 0 o (8,8):(8,1)", "Sw<1,0,2> o 5 o (3,5):(1,3)",
        "f2{a: (1) (2); b: (4) (9) -> x: 16}", "f2{a: (1,0) (0,1); b: (1,1) -> x: 2, y: 4}",
        "f2{a: (3) (5) (6) -> x: 8}", "f2{x: (1) (2) (4) -> y: 6}",
        "f2{x: (1,1) (2,5) (4,3) -> y: 6, z: 7}",
        "{ [i, j] -> [i mod 3, j] : 0 <= i < 7 and 0 <= j < 3 and i != j }",
    };
    isl_ctx *isl = isl_ctx_alloc();
    for (size_t t = 0; t < sizeof text / sizeof text[0]; t++) {
        char printed[65536];
        zlay_buf buf = {printed, sizeof printed, 0};
        zlay_layout *lift, *a = read_layout(*state, text[t]);
        assert_int_equal(zlay_layout_lift(*state, &lift, a), ZLAY_OK);
        assert_int_equal(zlay_layout_print(&buf, lift), ZLAY_OK);
        isl_map *points = map_of_points(isl, a), *map = isl_map_read_from_str(isl, printed);
        if (isl_map_is_equal(points, map) != isl_bool_true) fail_msg("%s: %s", text[t], printed);
        zlay_layout *again = read_layout(*state, printed);
        assert_int_equal(zlay_layout_size(again), zlay_layout_size(a));
        isl_map *twice = map_of_points(isl, again);
        if (isl_map_is_equal(points, twice) != isl_bool_true) fail_msg("%s: %s", text[t], printed);
        isl_map_free(points);
        isl_map_free(map);
        isl_map_free(twice);
        zlay_layout_free(again);
        zlay_layout_free(lift);
        zlay_layout_free(a);
    }
    isl_ctx_free(isl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notation), cmocka_unit_test(parameters), cmocka_unit_test(lifted),
        cmocka_unit_test(random_texts),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
