/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions of random layouts of every kind, and of every kind beside every kind, against their
 * images point by point. */
#include "algebra/presburger/pieces.h"
#include "algebra/layout/layout.h"
#include "layouts/decide.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_kind), cmocka_unit_test(each_pair)};
    return cmocka_run_group_tests(tests, begin, end);
}
