/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions: the worked example, every kind beside every kind, large layouts whose answers follow
 * from how they are made, limits, and the k-th allocation. */
#include "algebra/layout.h"
#include "decide.h"
#include "heap.h"

/* ---- random layouts of every kind -------------------------------------------------------- */

typedef struct made {
    zlay_layout *layout;
    int outs;
    int64_t sizes[OUTS_MOST]; /* as the layout says them; 0: none */
} made;

static image one, two;

static int64_t pick(uint64_t *seed, const int64_t *of, int64_t count)
{
    return of[test_range(seed, 0, count - 1)];
}

static const int64_t strides[] = {0, 1, 1, 2, 2, 3, 4, 4, 5, 6, 8, 8, 12, 16, 32, 64, -1, -2, -4, -8};

/* OFFSET o SHAPE:STRIDE, extents of two or any. */
static void strided_text(char *text, uint64_t *seed)
{
    static const int64_t powers[] = {1, 2, 2, 4, 4, 8}, any[] = {1, 2, 3, 4, 5, 6, 7};
    int rank = (int)test_range(seed, 1, 3);
    bool two_only = test_range(seed, 0, 1);
    char shape[64], stride[64], *s = shape, *d = stride;
    for (int i = 0; i < rank; i++) {
        s += sprintf(s, "%s%d", i ? "," : "(", (int)(two_only ? pick(seed, powers, 6) : pick(seed, any, 7)));
        d += sprintf(d, "%s%d", i ? "," : "(", (int)pick(seed, strides, 20));
    }
    sprintf(text, "%d o %s):%s)", test_range(seed, 0, 2) ? 0 : (int)test_range(seed, -9, 9), shape,
            stride);
}

static void strided(zlay_ctx *ctx, made *out, uint64_t *seed)
{
    char text[256];
    strided_text(text, seed);
    *out = (made){read_layout(ctx, text), 1, {0}};
}

static void swizzled(zlay_ctx *ctx, made *out, uint64_t *seed)
{
    char text[256];
    int bits = (int)test_range(seed, 1, 2), shift = (int)test_range(seed, bits, 3);
    int length = sprintf(text, "Sw<%d,%d,%d> o ", bits, (int)test_range(seed, 0, 2),
                         test_range(seed, 0, 3) ? shift : -shift);
    strided_text(text + length, seed);
    *out = (made){read_layout(ctx, text), 1, {0}};
}

static void bits_text(zlay_ctx *ctx, made *out, uint64_t *seed)
{
    char text[512], *p = text;
    int bits = (int)test_range(seed, 0, 5);
    p += sprintf(p, "f2{a:");
    for (int k = 0; k < bits; k++) {
        if (k == 2) p += sprintf(p, "; b:");
        for (int d = 0; d < out->outs; d++)
            p += sprintf(p, "%s%d", d ? "," : " (", (int)test_range(seed, 0, out->sizes[d] - 1));
        p += sprintf(p, ")");
    }
    p += sprintf(p, " ->");
    for (int d = 0; d < out->outs; d++)
        p += sprintf(p, "%s o%d: %d", d ? "," : "", d, (int)out->sizes[d]);
    sprintf(p, "}");
    out->layout = read_layout(ctx, text);
}

static void f2(zlay_ctx *ctx, made *out, uint64_t *seed)
{
    *out = (made){NULL, (int)test_range(seed, 1, 3), {0}};
    for (int d = 0; d < out->outs; d++) out->sizes[d] = 1 << test_range(seed, 0, 3);
    bits_text(ctx, out, seed);
}

static void modular(zlay_ctx *ctx, made *out, uint64_t *seed)
{
    *out = (made){NULL, (int)test_range(seed, 1, 3), {0}};
    for (int d = 0; d < out->outs; d++) out->sizes[d] = test_range(seed, 1, 9);
    bits_text(ctx, out, seed);
}

/* Up to three pieces of a box of one or two dims, cut by thresholds of the first coordinate, some
 * with a congruence, some missing: partial. */
enum { WIDTH = 1 + 2 + 2 };

typedef struct forms {
    int64_t guard[3][3][WIDTH], value[3][2][WIDTH], div[2][WIDTH], den[2];
    zl_piece piece[3];
} forms;

static void random_rows(forms *r, const zl_pieces *p, uint64_t *seed)
{
    int64_t from = 0, extent = (int64_t)p->extent[0];
    for (size_t q = 0; q < p->divs; q++) {
        r->div[q][0] = test_range(seed, 0, 3);
        r->div[q][1 + test_range(seed, 0, (int64_t)p->dims - 1)] = 1;
        r->den[q] = test_range(seed, 2, 4);
    }
    for (size_t i = 0; i < p->count; i++) {
        from = from < extent ? from : extent;
        int64_t to = test_range(seed, from, extent), more = test_range(seed, 0, 1);
        bool odd = p->divs && !test_range(seed, 0, 2);
        int64_t *row = r->guard[i][odd];
        if (odd) {
            memcpy(r->guard[i][0], r->div[0], sizeof r->div[0]);
            r->guard[i][0][1 + p->dims] = -r->den[0];
        }
        row[0] = -from;
        row[1] = 1;
        row[WIDTH] = to - 1;
        row[WIDTH + 1] = -1;
        for (size_t d = 0; d < p->outs; d++)
            for (size_t v = 0; v <= p->dims + p->divs; v++)
                r->value[i][d][v] = test_range(seed, 0, 1) ? test_range(seed, 0, 4) : 0;
        r->piece[i] = (zl_piece){odd, 2, r->guard[i][0], r->value[i][0]};
        from = to + more;
    }
}

static void pieces(zlay_ctx *ctx, made *out, uint64_t *seed)
{
    static const uint64_t sizes[2] = {64, 64};
    uint64_t extent[2] = {(uint64_t)test_range(seed, 1, 8), (uint64_t)test_range(seed, 1, 5)};
    forms r = {0};
    zl_pieces p = {.extent = extent, .out_size = sizes, .div = r.div[0], .den = r.den,
                   .piece = r.piece};
    p.dims = 2;
    p.divs = 2;
    p.outs = (size_t)test_range(seed, 1, 2);
    p.count = (size_t)test_range(seed, 1, 3);
    random_rows(&r, &p, seed);
    *out = (made){NULL, (int)p.outs, {0}};
    if (p.outs == 2) out->sizes[0] = out->sizes[1] = 64;
    assert_int_equal(zl_layout_pieces(ctx, &out->layout, &p, true), ZLAY_OK);
}

typedef void maker(zlay_ctx *ctx, made *out, uint64_t *seed);
static maker *const makers[] = {strided, swizzled, f2, modular, pieces};
enum { MAKERS = sizeof makers / sizeof makers[0] };

/* ---- the same function as another kind ---------------------------------------------------------- */

/* The f2 layout of the values at 0 and at the powers of two, which need not be the same function. */
static bool as_f2(zlay_ctx *ctx, made *out, const image *im)
{
    char text[512], *p = text;
    if (im->outs > 1 || (im->size & (im->size - 1)) || im->at[0][0]) return false;
    p += sprintf(p, "f2{a:");
    for (int i = 1; i < im->size; i *= 2) {
        if (im->at[i][0] < 0 || im->at[i][0] > 1023) return false;
        p += sprintf(p, " (%d)", (int)im->at[i][0]);
    }
    sprintf(p, " -> x: 1024}");
    *out = (made){read_layout(ctx, text), 1, {1024}};
    return true;
}

/* A piece a point: { i : i = k } -> value. */
static void as_pieces(zlay_ctx *ctx, made *out, const image *im)
{
    static zl_piece piece[POINTS_MOST];
    static int64_t guard[POINTS_MOST][2], value[POINTS_MOST][2 * OUTS_MOST];
    uint64_t extent[1] = {(uint64_t)im->size}, sizes[OUTS_MOST];
    zl_pieces p = {.dims = 1, .outs = (size_t)im->outs, .extent = extent, .out_size = sizes,
                   .piece = piece};
    memset(value, 0, sizeof value);
    for (int i = 0; i < im->size; i++) {
        if (!is_there(im, i)) continue;
        guard[i][0] = -i;
        guard[i][1] = 1;
        for (int d = 0; d < im->outs; d++) value[i][2 * d] = im->at[i][d];
        piece[p.count++] = (zl_piece){1, 0, guard[i], value[i]};
    }
    *out = (made){NULL, im->outs, {0}};
    for (int d = 0; d < im->outs; d++) {
        sizes[d] = (uint64_t)im->out_size[d];
        if (im->outs > 1) out->sizes[d] = im->out_size[d];
    }
    assert_int_equal(zl_layout_pieces(ctx, &out->layout, &p, true), ZLAY_OK);
}

/* ---- every kind, and every kind beside every kind ------------------------------------------------ */

static void each_kind(void **state)
{
    uint64_t seed = test_seed("each kind");
    for (uint64_t n = 0; n < test_iterations(20000); n++) {
        made m;
        int64_t onto[2] = {test_range(&seed, 1, 20), test_range(&seed, 1, 6)};
        makers[n % MAKERS](*state, &m, &seed);
        image_of(&one, m.layout, m.outs, m.sizes);
        check_injective(*state, m.layout, &one);
        check_bijective(*state, m.layout, &one);
        check_surjective(*state, m.layout, &one, onto, 1);
        if (m.outs <= 2) check_surjective(*state, m.layout, &one, onto, 2);
        zlay_layout_free(m.layout);
    }
}

static void compare(zlay_ctx *ctx, const made *a, const made *b)
{
    image_of(&two, b->layout, b->outs, b->sizes);
    check_equal(ctx, a->layout, &one, b->layout, &two);
    check_equal(ctx, b->layout, &two, a->layout, &one);
    check_contained(ctx, a->layout, &one, b->layout, &two);
    check_contained(ctx, b->layout, &two, a->layout, &one);
}

/* The same bases under other sizes. */
static void as_other_sizes(zlay_ctx *ctx, made *out, const made *a, uint64_t *seed)
{
    char text[1024], *end;
    layout_text(text, a->layout);
    *out = *a;
    end = strstr(text, "->") + 2;
    for (int d = 0; d < a->outs; d++) {
        out->sizes[d] = a->sizes[d] + test_range(seed, 0, 2) * test_range(seed, 0, 3);
        end += sprintf(end, "%s o%d: %d", d ? "," : "", d, (int)out->sizes[d]);
    }
    sprintf(end, "}");
    out->layout = read_layout(ctx, text);
}

static void each_pair(void **state)
{
    uint64_t seed = test_seed("each pair"), rounds = test_iterations(20000);
    for (uint64_t n = 0; n < rounds; n++) {
        made a, b;
        char text[1024];
        makers[n % MAKERS](*state, &a, &seed);
        image_of(&one, a.layout, a.outs, a.sizes);
        makers[n / MAKERS % MAKERS](*state, &b, &seed);
        compare(*state, &a, &b);
        zlay_layout_free(b.layout);
        as_pieces(*state, &b, &one);
        compare(*state, &a, &b);
        zlay_layout_free(b.layout);
        if (as_f2(*state, &b, &one)) {
            compare(*state, &a, &b);
            zlay_layout_free(b.layout);
        }
        if (strstr(layout_text(text, a.layout), "f2{")) {
            as_other_sizes(*state, &b, &a, &seed);
            compare(*state, &a, &b);
            zlay_layout_free(b.layout);
        }
        zlay_layout_free(a.layout);
    }
}

/* ---- the header's example, and large layouts with answers by construction ------------------------- */

static zlay_answer injective(zlay_ctx *ctx, const char *text, uint64_t w[2])
{
    zlay_answer answer = 7;
    zlay_layout *a = read_layout(ctx, text);
    assert_int_equal(zlay_layout_is_injective(ctx, &answer, w, a), ZLAY_OK);
    if (answer == ZLAY_NO) {
        assert_true(w[0] < w[1]);
        assert_int_equal(layout_at(a, w[0]), layout_at(a, w[1]));
    }
    zlay_layout_free(a);
    return answer;
}

static zlay_answer bijective(zlay_ctx *ctx, const char *text, zlay_fault *f)
{
    zlay_answer answer = 7;
    zlay_layout *a = read_layout(ctx, text);
    assert_int_equal(zlay_layout_is_bijective(ctx, &answer, f, a), ZLAY_OK);
    zlay_layout_free(a);
    return answer;
}

static zlay_answer surjective(zlay_ctx *ctx, const char *text, uint64_t onto, uint64_t *missed)
{
    zlay_answer answer = 7;
    zlay_layout *a = read_layout(ctx, text);
    assert_int_equal(zlay_layout_is_surjective(ctx, &answer, missed, a, &onto, 1), ZLAY_OK);
    zlay_layout_free(a);
    return answer;
}

static zlay_answer contained(zlay_ctx *ctx, const char *x, const char *y, int64_t *value)
{
    uint64_t w = 0;
    zlay_answer answer = 7;
    zlay_layout *a = read_layout(ctx, x), *b = read_layout(ctx, y);
    assert_int_equal(zlay_layout_contained(ctx, &answer, &w, a, b), ZLAY_OK);
    *value = layout_at(a, w);
    zlay_layout_free(b);
    zlay_layout_free(a);
    return answer;
}

static void worked_example(void **state)
{
    uint64_t w[2], missed;
    int64_t value;
    zlay_fault f;
    assert_int_equal(injective(*state, "(3,2):(2,3)", w), ZLAY_YES);
    assert_int_equal(bijective(*state, "(3,2):(2,3)", &f), ZLAY_NO);
    assert_int_equal(f.fault, ZLAY_FAULT_MISSED);
    assert_int_equal(f.missed, 1);
    assert_int_equal(surjective(*state, "(3,2):(1,2)", 5, &missed), ZLAY_YES);
    assert_int_equal(injective(*state, "(3,2):(1,2)", w), ZLAY_NO);
    assert_int_equal(w[0], 2);
    assert_int_equal(w[1], 3);
    assert_int_equal(contained(*state, "(3,2):(2,3)", "8", &value), ZLAY_YES);
    assert_int_equal(contained(*state, "(3,2):(2,3)", "7", &value), ZLAY_NO);
    assert_int_equal(value, 7);
}

static void large_injective(void **state)
{
    static const struct { const char *text; zlay_answer answer; } rows[] = {
        {"4611686018427387904:1", ZLAY_YES},
        {"(2147483648,2147483648):(2147483648,1)", ZLAY_YES},
        {"(2147483648,2147483648):(2147483647,1)", ZLAY_NO},
        {"(2147483648,2147483647):(2147483647,1)", ZLAY_YES},
        {"(1048576,1048576,1048576):(1,1048576,-1099511627776)", ZLAY_YES},
        {"(1048576,1048576,1048576):(1,1048575,-1099511627776)", ZLAY_NO},
        {"(1048576,1,1048576):(3,0,5)", ZLAY_NO},
        {"(1048576,2,1048576):(3,0,3145728)", ZLAY_NO},
        {"(1000003,1000033):(1000033,1000003)", ZLAY_YES},
        {"(1000004,1000034):(1000033,1000003)", ZLAY_NO},
        {"(1000003,1000033,1000037):(1000033,1000003,1000036000099)", ZLAY_YES},
        {"(1000004,1000033,1000037):(1000033,1000003,1000036000099)", ZLAY_NO},
        {"(1000003,1000033,9):(1000033,1000003,1000036000099000000)", ZLAY_YES},
        {"(1000,1000,1000,1000):(1007,5003,70011,900001)", ZLAY_NO},
        {"(3,5,7,9,11):(3465,2079,1485,1155,945)", ZLAY_NO},
        {"(3,5,7,2,11):(770,462,330,1155,210)", ZLAY_YES},
        {"(1009,1013,1019,1021,1031):(1086595836797,1082305231321,1075932482167,1073824876913,1063409504683)", ZLAY_YES},
        {"(1010,1014,1020,1022,1032):(1086595836797,1082305231321,1075932482167,1073824876913,1063409504683)", ZLAY_NO},
        {"Sw<3,4,3> o 0 o 1099511627776", ZLAY_YES},
        {"Sw<3,4,3> o 5 o (3,1099511627776):(1099511627776,1)", ZLAY_YES},
        {"Sw<3,4,3> o 5 o (4,1099511627776):(1099511627775,1)", ZLAY_NO},
        {"f2{a: (1) (2) (4) (8) (16) (32) (64) (128) (256) (512) (1024) (2048) (4096) (8192) (16384)"
         " (32768) (65536) (131072) (262144) (524288) (1048576) (2097152) (4194304) (8388608) (5)"
         " -> x: 16777216}", ZLAY_NO},
        {"{ [i] -> [i] : 0 <= i < 1099511627776 and i != 77 }", ZLAY_YES},
        {"{ [i] -> [i mod 1099511627775] : 0 <= i < 1099511627776 }", ZLAY_NO},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        uint64_t w[2];
        if (injective(*state, rows[r].text, w) != rows[r].answer) fail_msg("%s", rows[r].text);
    }
}

static void large_surjective(void **state)
{
    static const struct { const char *text; uint64_t onto; zlay_answer answer; uint64_t missed; } rows[] = {
        {"4611686018427387904:1", 4611686018427387904u, ZLAY_YES, 0},
        {"4611686018427387904:1", 4611686018427387905u, ZLAY_NO, 4611686018427387904u},
        {"4611686018427387904:-1", 2, ZLAY_NO, 1},
        {"4611686018427387903 o 4611686018427387904:-1", 4611686018427387904u, ZLAY_YES, 0},
        {"(1048576,1048576):(1048576,1)", 1099511627776u, ZLAY_YES, 0},
        {"(1048576,1048576):(1048577,1)", 1099511627776u, ZLAY_NO, 1048576},
        {"(1048576,1048576):(1048575,1)", 1099510579201u, ZLAY_YES, 0},
        {"(1048576,1048576):(1048575,1)", 1099510579202u, ZLAY_NO, 1099510579201u},
        {"-3 o (4,1099511627776):(1,4)", 4398046511101u, ZLAY_YES, 0},
        {"-3 o (4,1099511627776):(1,5)", 4398046511101u, ZLAY_NO, 1},
        {"1 o 1099511627776:1", 1, ZLAY_NO, 0},
        {"Sw<3,4,3> o 0 o 1099511627776", 1099511627776u, ZLAY_YES, 0},
        {"Sw<3,4,3> o 0 o 1099511627775", 1099511627775u, ZLAY_NO, 1099511627663u},
        {"Sw<3,4,3> o 0 o (3,366503875925):(366503875925,1)", 1099511627775u, ZLAY_NO, 1099511627663u},
        {"{ [i] -> [i] : 0 <= i < 1099511627776 and i != 77 }", 1099511627776u, ZLAY_NO, 77},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        uint64_t missed = 0;
        zlay_answer answer = surjective(*state, rows[r].text, rows[r].onto, &missed);
        if (answer != rows[r].answer || missed != rows[r].missed)
            fail_msg("%s: %d, %llu", rows[r].text, (int)answer, (unsigned long long)missed);
    }
}

static void large_bijective(void **state)
{
    static const struct { const char *text; zlay_answer answer; int32_t fault; uint64_t missed; } rows[] = {
        {"(1048576,1048576):(1048576,1)", ZLAY_YES, 0, 0},
        {"(1048576,1048576):(1048577,1)", ZLAY_NO, ZLAY_FAULT_MISSED, 1048576},
        {"(1048576,1048576):(1048575,1)", ZLAY_NO, ZLAY_FAULT_COLLISION, 0},
        {"7 o 1099511627776", ZLAY_NO, ZLAY_FAULT_MISSED, 0},
        {"1099511627775 o (1048576,1048576):(-1048576,-1)", ZLAY_YES, 0, 0},
        {"Sw<5,10,5> o 0 o (1048576,1048576):(1048576,1)", ZLAY_YES, 0, 0},
        {"f2{a: (1,0) (0,1); b: (0,2) (2,3) -> x: 4, y: 4}", ZLAY_YES, 0, 0},
        {"f2{a: (1,0) (0,1); b: (0,2) (2,3) -> x: 4, y: 8}", ZLAY_NO, ZLAY_FAULT_MISSED, 16},
        {"f2{a: (1) -> x: 4}", ZLAY_NO, ZLAY_FAULT_MISSED, 2},
        {"2:1", ZLAY_YES, 0, 0},
        {"{ [i] -> [i - 1] : 0 < i < 1099511627776 and i != 77 }", ZLAY_NO, ZLAY_FAULT_MISSED, 76},
        {"{ [i] -> [i] : 0 <= i < 77; [i] -> [i - 1] : 77 < i < 1099511627776 }", ZLAY_YES, 0, 0},
        {"{ [i] -> [i] : 0 <= i < 77; [i] -> [77 - i] : 77 < i < 1099511627776 }", ZLAY_NO,
         ZLAY_FAULT_MISSED, 77},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        zlay_fault f = {0};
        zlay_answer answer = bijective(*state, rows[r].text, &f);
        if (answer != rows[r].answer || f.fault != rows[r].fault || f.missed != rows[r].missed)
            fail_msg("%s: %d, fault %d, %llu", rows[r].text, (int)answer, (int)f.fault,
                     (unsigned long long)f.missed);
    }
}

static void large_contained(void **state)
{
    static const struct { const char *a, *b; zlay_answer answer; int64_t value; } rows[] = {
        {"1099511627776:2", "2199023255552", ZLAY_YES, 0},
        {"1099511627776:2", "2199023255551", ZLAY_YES, 0},
        {"1099511627776:2", "2199023255550", ZLAY_NO, 2199023255550},
        {"1099511627776:2", "(2,1099511627776):(1,4)", ZLAY_NO, 2},
        {"(1048576,1048576):(4,8388608)", "(4,1048576,1048576):(1,4,8388608)", ZLAY_YES, 0},
        {"(1048576,1048576):(4,8388608)", "(4,1048575,1048576):(1,4,8388608)", ZLAY_NO, 4194300},
        {"3 o (1048576,1048576):(4,8388608)", "(3,1048576,1048576):(1,4,8388608)", ZLAY_NO, 3},
        {"(4,1048576,1048576):(1,8,33554432)", "(2,2,1048576,2097152):(1,2,8,16777216)", ZLAY_YES, 0},
        {"(4,1048576,1048577):(1,8,33554432)", "(2,2,1048576,2097152):(1,2,8,16777216)", ZLAY_NO,
         35184372088832},
        {"Sw<3,4,3> o 0 o (1048576,1048576):(4,8388608)",
         "Sw<3,4,3> o 0 o (4,1048576,1048576):(1,4,8388608)", ZLAY_YES, 0},
        {"Sw<3,4,3> o 0 o 1099511627776", "Sw<2,2,9> o 0 o (2,549755813888):(549755813888,1)", ZLAY_YES, 0},
        {"Sw<3,4,3> o 0 o 1099511627776:2", "1099511627776:2", ZLAY_YES, 0},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        int64_t value;
        zlay_answer answer = contained(*state, rows[r].a, rows[r].b, &value);
        if (answer != rows[r].answer || (answer == ZLAY_NO && value != rows[r].value))
            fail_msg("%s, %s: %d, %lld", rows[r].a, rows[r].b, (int)answer, (long long)value);
    }
}

/* 40 bits, of which every second one adds 1, 2, 3. */
#define WIDE_BITS                                                                                      \
    "f2{a: (1) (0) (2) (0) (3) (0) (1) (0) (2) (0) (3) (0) (1) (0) (2) (0) (3) (0) (1) (0) "            \
    "(2) (0) (3) (0) (1) (0) (2) (0) (3) (0) (1) (0) (2) (0) (3) (0) (1) (0) (2) (0) -> x: "

static void large_equal(void **state)
{
    static const struct { const char *a, *b; zlay_answer answer; uint64_t index; } rows[] = {
        {"(1048576,1048576):(1,1048576)", "1099511627776", ZLAY_YES, 0},
        {"Sw<3,4,3> o 0 o 1099511627776", "Sw<3,4,-3> o 0 o 1099511627776", ZLAY_NO, 16},
        {"Sw<3,4,3> o 0 o 1099511627776:1024", "1099511627776:1024", ZLAY_YES, 0},
        {"Sw<3,4,3> o 0 o 1099511627776:512", "1099511627776:512", ZLAY_NO, 1},
        {"Sw<3,4,3> o 5 o (3,1099511627777):(1,1024)", "5 o (3,1099511627777):(1,1024)", ZLAY_YES, 0},
        {"Sw<3,4,3> o 5 o (3,1099511627777):(1,1024)", "5 o (3,1099511627777):(1,2048)", ZLAY_NO, 3},
        {"Sw<1,0,3> o 0 o (3,5,1099511627776):(24,5,128)", "(3,5,1099511627776):(24,5,128)", ZLAY_NO, 1},
        {"Sw<1,0,8> o 0 o (3,1099511627776):(0,384)", "(3,1099511627776):(0,384)", ZLAY_NO, 3},
        {"Sw<1,0,8> o 0 o (3,1099511627776):(7,512)", "Sw<1,1,8> o 0 o (3,1099511627776):(7,512)",
         ZLAY_NO, 3},
        {WIDE_BITS "7}", WIDE_BITS "7}", ZLAY_YES, 0},
        {WIDE_BITS "7}", WIDE_BITS "9}", ZLAY_NO, 0x55},
        {WIDE_BITS "7}", WIDE_BITS "8}", ZLAY_NO, 0x11},
        {"f2{a: (1) (2) (4) (8) (16) -> x: 33}", "32", ZLAY_YES, 0},
        {"f2{a: (1) (2) (4) (8) (16) -> x: 31}", "32", ZLAY_NO, 31},
        {"(8,4):(1,9)", "f2{a: (1) (2) (4) (9) (18) -> x: 64}", ZLAY_NO, 9},
        {"{ [i] -> [i mod 8] : 0 <= i < 1000000000000 }", "(8,125000000000):(1,0)", ZLAY_YES, 0},
        {"{ [i] -> [i mod 9] : 0 <= i < 1000000000000 }", "(8,125000000000):(1,0)", ZLAY_NO, 8},
        {"{ [i] -> [i] : 0 <= i < 1000000000000 and i != 4 }", "1000000000000", ZLAY_NO, 4},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        zlay_witness w = {0};
        zlay_answer answer = 7;
        zlay_layout *a = read_layout(*state, rows[r].a), *b = read_layout(*state, rows[r].b);
        assert_int_equal(zlay_layout_equal(*state, &answer, &w, a, b), ZLAY_OK);
        if (answer != rows[r].answer || w.index != rows[r].index)
            fail_msg("%s, %s: %d, %llu", rows[r].a, rows[r].b, (int)answer,
                     (unsigned long long)w.index);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
}

/* ---- parameters ------------------------------------------------------------------------------------ */

static zlay_layout *bound(zlay_ctx *ctx, const zlay_layout *a, const char *name, int64_t value)
{
    zlay_layout *out;
    bool has = zlay_layout_param(a, 0) && !strcmp(zlay_layout_param(a, 0), name);
    zlay_status status = zlay_layout_bind(ctx, &out, a, has, &name, &value);
    return status ? NULL : out;
}

/* The layouts with the parameter that was found differ as the witness says, and no lesser index does. */
static void check_difference(zlay_ctx *ctx, const zlay_layout *a, const zlay_layout *b,
                             const char *name, const zlay_difference *d)
{
    zlay_layout *x = bound(ctx, a, name, d->values[0]), *y = bound(ctx, b, name, d->values[0]);
    const zlay_witness *w = &d->witness;
    assert_int_equal(w->size_a, x ? zlay_layout_size(x) : 0);
    assert_int_equal(w->size_b, y ? zlay_layout_size(y) : 0);
    for (uint64_t i = 0; w->size_a == w->size_b && i <= w->index; i++) {
        int64_t u = 0, v = 0;
        zlay_status s = zlay_layout_eval(&u, 1, x, i), t = zlay_layout_eval(&v, 1, y, i);
        assert_int_equal(s != t || u != v, i == w->index);
        if (i == w->index) assert_true(u == w->a && v == w->b && w->has_a == !s && w->has_b == !t);
    }
    zlay_layout_free(y);
    zlay_layout_free(x);
}

static void parameters(void **state)
{
    static const struct { const char *a, *b, *facts; zlay_answer answer; } asked[] = {
        {"[N] -> { [i] -> [i] : 0 <= i < N }", "[N] -> { [i] -> [i] : 0 <= i < N }", "", ZLAY_YES},
        {"[N] -> { [i] -> [i] : 0 <= i < N }", "[N] -> { [i] -> [i mod 8] : 0 <= i < N }", "", ZLAY_NO},
        {"[N] -> { [i] -> [i] : 0 <= i < N }", "[N] -> { [i] -> [i mod 8] : 0 <= i < N }", "N <= 8",
         ZLAY_YES},
        {"[N] -> { [i] -> [i] : 0 <= i < N }", "[N] -> { [i] -> [i mod 8] : 0 <= i < N }", "N <= 9",
         ZLAY_NO},
        {"[N] -> { [i] -> [(i + N) mod 8] : 0 <= i < 8 }", "8", "N = 0 mod 8", ZLAY_YES},
        {"[N] -> { [i] -> [(i + N) mod 8] : 0 <= i < 8 }", "8", "N = 4 mod 8", ZLAY_NO},
        {"8", "[N] -> { [i] -> [i + N] : 0 <= i < 8 }", "N = 0", ZLAY_YES},
        {"8", "[N] -> { [i] -> [i + N] : 0 <= i < 8 }", "0 <= N <= 1", ZLAY_NO},
        {"8", "[N] -> { [i] -> [i] : 0 <= i < 8 and i != N }", "", ZLAY_NO},
        {"8", "[N] -> { [i] -> [i] : 0 <= i < 8 and i != N }", "N >= 8", ZLAY_YES},
        {"[N] -> { [i] -> [0] : 0 <= i < N }", "[N] -> { [i] -> [0] : 0 <= i <= N }", "", ZLAY_NO},
    };
    for (size_t r = 0; r < sizeof asked / sizeof asked[0]; r++) {
        int64_t value = 77;
        zlay_difference d = {.values = &value, .room = 1};
        zlay_answer answer;
        zlay_layout *a = read_layout(*state, asked[r].a), *b = read_layout(*state, asked[r].b);
        zlay_facts *facts = *asked[r].facts ? read_facts(*state, asked[r].facts) : NULL;
        assert_int_equal(zlay_layout_equal_for_all(*state, &answer, &d, a, b, facts), ZLAY_OK);
        if (answer != asked[r].answer)
            fail_msg("%s, %s, %s: %d", asked[r].a, asked[r].b, asked[r].facts, (int)answer);
        if (answer == ZLAY_NO) check_difference(*state, a, b, "N", &d);
        else assert_int_equal(value, 77);
        zlay_facts_free(facts);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
}

/* Two parameters: those of a first, then the one that b alone has. */
static void two_parameters(void **state)
{
    int64_t value[2] = {77, 77};
    zlay_difference d = {.values = value, .room = 2};
    zlay_answer answer;
    zlay_layout *a = read_layout(*state, "[M] -> { [i] -> [i + M] : 0 <= i < 8 }");
    zlay_layout *b = read_layout(*state, "[N, M] -> { [i] -> [i + N] : 0 <= i < 8 }");
    zlay_facts *facts = read_facts(*state, "M = 5");
    assert_int_equal(zlay_layout_equal_for_all(*state, &answer, &d, a, b, facts), ZLAY_OK);
    assert_int_equal(answer, ZLAY_NO);
    assert_int_equal(value[0], 5);
    assert_int_equal(d.witness.a, 5 + (int64_t)d.witness.index);
    assert_int_equal(d.witness.b, value[1] + (int64_t)d.witness.index);
    assert_true(value[1] != 5);
    zlay_facts_free(facts);
    zlay_layout_free(b);
    zlay_layout_free(a);
}

/* ---- outputs without sizes: a value is negative -------------------------------------------------------- */

static void outputs_without_sizes(void **state)
{
    static const char text[] = "{ [i, j] -> [i, j - 1] : 0 <= i < 4 and 0 <= j < 3 }";
    zlay_layout *a = read_layout(*state, text), *b = read_layout(*state, "12");
    zlay_layout *c = read_layout(*state, "{ [i, j] -> [i, j] : 0 <= i < 4 and 0 <= j < 2 }");
    const uint64_t onto[2] = {4, 2}, all = 12;
    uint64_t w = 77, sizes[3] = {77, 77, 77};
    zlay_answer answer;
    zlay_fault f;
    assert_int_equal(zlay_layout_out_sizes(sizes, 3, a), 2);
    assert_true(sizes[0] == 4 && sizes[1] == 0 && sizes[2] == 77);
    assert_int_equal(zlay_layout_is_bijective(*state, &answer, &f, a), ZLAY_OK);
    assert_true(answer == ZLAY_NO && f.fault == ZLAY_FAULT_OUTSIDE && f.i == 0);
    assert_int_equal(zlay_layout_is_surjective(*state, &answer, &w, a, onto, 2), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zlay_layout_is_surjective(*state, &answer, &w, a, &all, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_contained(*state, &answer, &w, c, a), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zlay_layout_contained(*state, &answer, &w, a, c), ZLAY_OK);
    assert_true(answer == ZLAY_NO && w == 0);
    assert_int_equal(zlay_layout_equal(*state, &answer, NULL, a, b), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_contained(*state, &answer, &w, b, a), ZLAY_EINVAL);
    zlay_layout_free(c);
    zlay_layout_free(b);
    zlay_layout_free(a);
}

/* Flat values of 64 bits have no sign, those of a strided layout have. */
static void values_of_64_bits(void **state)
{
    zlay_layout *a = read_layout(*state, "f2{x: (0,2147483648) -> a: 4294967296, b: 4294967296}");
    zlay_layout *b = read_layout(*state, "2:-9223372036854775808");
    zlay_layout *c = read_layout(*state, "f2{x: (0,2147483648) (1,0) -> a: 4294967296, b: 4294967296}");
    zlay_answer answer;
    zlay_witness w;
    uint64_t index;
    zlay_fault f;
    assert_int_equal(zlay_layout_equal(*state, &answer, &w, a, b), ZLAY_OK);
    assert_true(answer == ZLAY_NO && w.index == 1);
    assert_int_equal(zlay_layout_contained(*state, &answer, &index, a, b), ZLAY_OK);
    assert_true(answer == ZLAY_NO && index == 1);
    assert_int_equal(zlay_layout_contained(*state, &answer, &index, b, c), ZLAY_OK);
    assert_true(answer == ZLAY_NO && index == 1);
    assert_int_equal(zlay_layout_contained(*state, &answer, &index, a, c), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zlay_layout_is_bijective(*state, &answer, &f, c), ZLAY_OK);
    assert_true(answer == ZLAY_NO && f.fault == ZLAY_FAULT_MISSED && f.missed == 2);
    zlay_layout_free(c);
    zlay_layout_free(b);
    zlay_layout_free(a);
}

/* ---- limits, refusals, memory --------------------------------------------------------------------- */

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

typedef struct asked_of {
    int which;
    zlay_layout *a, *b;
} asked_of;

static zlay_status decided(zlay_ctx *ctx, void *given)
{
    const asked_of *q = given;
    zlay_answer answer;
    return decide(ctx, q->which, &answer, q->a, q->b);
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
        heap h;
        zlay_ctx *ctx = heap_open(&h, NULL);
        asked_of q = {(int)(r % DECISIONS), read_layout(ctx, pairs[r / DECISIONS][0]),
                      read_layout(ctx, pairs[r / DECISIONS][1])};
        zlay_status status = heap_fails_each(&h, ctx, decided, &q);
        if (status && status != ZLAY_ENOTSUP) fail_msg("%s", zlay_ctx_message(ctx));
        zlay_layout_free(q.b);
        zlay_layout_free(q.a);
        heap_close(&h, ctx);
    }
}

/* Extents whose product passes 2^63 are not merged, and are no difference. */
static void extents_past_63_bits(void **state)
{
    static const char *const rows[][2] = {
        {"(9223372036854775807,2):(0,0)", "(2,9223372036854775807):(0,0)"},
        {"(4611686018427387904,3):(0,0)", "(3,4611686018427387904):(0,0)"},
    };
    for (size_t i = 0; i < 2; i++) {
        zlay_layout *a = read_layout(*state, rows[i][0]), *b = read_layout(*state, rows[i][1]);
        zlay_answer answer;
        assert_int_equal(zlay_layout_equal(*state, &answer, NULL, a, b), ZLAY_OK);
        assert_int_not_equal(answer, ZLAY_NO);
        zlay_layout_free(a);
        zlay_layout_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extents_past_63_bits), cmocka_unit_test(each_kind),
        cmocka_unit_test(each_pair), cmocka_unit_test(worked_example),
        cmocka_unit_test(large_injective), cmocka_unit_test(large_surjective),
        cmocka_unit_test(large_bijective), cmocka_unit_test(large_contained),
        cmocka_unit_test(large_equal), cmocka_unit_test(parameters),
        cmocka_unit_test(two_parameters), cmocka_unit_test(outputs_without_sizes),
        cmocka_unit_test(values_of_64_bits), cmocka_unit_test(limits_are_named),
        cmocka_unit_test(refusals), cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
