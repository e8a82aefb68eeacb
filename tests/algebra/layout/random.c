/* SPDX-License-Identifier: Apache-2.0 */
/* Random layouts of every kind against plain enumeration. */
#include "layouts/layout.h"

#include <ctype.h>

/* ---- properties against enumeration -------------------------------------------------------- */

static int64_t pick(uint64_t *seed, const int64_t *of, int64_t count)
{
    return of[test_range(seed, 0, count - 1)];
}

/* A random layout's text: strided of extents `of`, sometimes with an offset or a swizzle. */
static void random_text(char *text, uint64_t *seed, const int64_t *of, int64_t count, bool swizzle)
{
    static const int64_t strides[] = {0, 1, 2, 3, 4, 5, 8, 12, 16, 64, -1, -4};
    int rank = (int)test_range(seed, 1, 3);
    char shape[64], stride[64];
    char *s = shape, *d = stride;
    bool nested = rank == 3 && test_range(seed, 0, 1);
    for (int i = 0; i < rank; i++) {
        const char *before = i == 0 ? "(" : nested && i == 1 ? ",(" : ",";
        s += sprintf(s, "%s%d", before, (int)pick(seed, of, count));
        d += sprintf(d, "%s%d", before, (int)pick(seed, strides, 12));
    }
    sprintf(s, nested ? "))" : ")");
    sprintf(d, nested ? "))" : ")");
    int bits = swizzle ? (int)test_range(seed, 0, 2) : 0;
    int shift = (int)test_range(seed, bits, 3) * (test_range(seed, 0, 3) ? 1 : -1);
    int offset = test_range(seed, 0, 2) ? 0 : (int)test_range(seed, 0, 40);
    if (bits) text += sprintf(text, "Sw<%d,%d,%d> o ", bits, (int)test_range(seed, 0, 2), shift);
    sprintf(text, "%d o %s:%s", offset, shape, stride);
}

static zlay_layout *random_layout(zlay_ctx *ctx, uint64_t *seed, int64_t most)
{
    static const int64_t powers[] = {1, 2, 4, 8}, any[] = {1, 2, 3, 4, 5, 6, 8};
    char text[256];
    bool two = test_range(seed, 0, 1);
    zlay_layout *a;
    for (;; zlay_layout_free(a)) {
        random_text(text, seed, two ? powers : any, two ? 4 : 7, test_range(seed, 0, 1));
        a = read_layout(ctx, text);
        if ((int64_t)zlay_layout_size(a) <= most) return a;
    }
}

/* What CuTe does at any integer, from the definition: the last mode without bound. */
static int64_t extended(const char *text, int64_t index)
{
    int64_t shape[8], stride[8], value;
    int bits = 0, base = 0, shift = 0, rank = 0;
    if (sscanf(text, "Sw<%d,%d,%d>", &bits, &base, &shift) == 3) text = strstr(text, "o ") + 2;
    value = strstr(text, " o ") ? strtoll(text, NULL, 10) : 0;
    if (strstr(text, " o ")) text = strstr(text, " o ") + 3;
    for (const char *p = text; *p != ':'; p++)
        if (isdigit(*p)) shape[rank++] = strtoll(p, (char **)&p, 10), p--;
    rank = 0;
    for (const char *p = strchr(text, ':'); *p; p++)
        if (isdigit(*p) || *p == '-') stride[rank++] = strtoll(p, (char **)&p, 10), p--;
    for (int i = 0; i < rank; i++, index /= shape[i - 1])
        value += (i + 1 < rank ? index % shape[i] : index) * stride[i];
    int64_t from = shift > 0 ? base + shift : base, to = shift > 0 ? base : base - shift;
    for (int k = 0; k < bits; k++) value ^= (value >> (from + k) & 1) << (to + k);
    return value;
}

static void composition_is_composition(void **state)
{
    uint64_t seed = test_seed("compose"), rounds = test_iterations(20000), done = 0;
    for (uint64_t n = 0; n < rounds; n++) {
        char text[1024], other[1024];
        zlay_layout *a = random_layout(*state, &seed, 512), *b = random_layout(*state, &seed, 128);
        zlay_layout *c;
        zlay_status status = zlay_layout_compose(*state, &c, a, b);
        layout_text(text, a);
        if (status) fail_msg("%s", zlay_ctx_message(*state));
        assert_int_equal(zlay_layout_size(c), zlay_layout_size(b));
        for (uint64_t i = 0; i < zlay_layout_size(b); i++)
            if (layout_at(c, i) != extended(text, layout_at(b, i)))
                fail_msg("%s o %s at %d", text, layout_text(other, b), (int)i);
        done += zlay_layout_kind(c) != ZLAY_LAYOUT_PIECES;
        zlay_layout_free(c);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
    assert_true(done > rounds / 4);
}

static void f2_composition(void **state)
{
    uint64_t seed = test_seed("f2 compose");
    for (uint64_t n = 0; n < test_iterations(5000); n++) {
        char text[1024], *at = text;
        int bits = (int)test_range(&seed, 0, 4);
        at += sprintf(at, "f2{a:");
        for (int i = 0; i < bits; i++) at += sprintf(at, " (%d)", (int)test_range(&seed, 0, 15));
        sprintf(at, " -> x: 16}");
        zlay_layout *a = read_layout(*state, text), *b = random_layout(*state, &seed, 32), *c, *d;
        zlay_status status = zlay_layout_compose(*state, &c, b, a);
        assert_int_equal(status, ZLAY_OK);
        layout_text(text, b);
        for (uint64_t i = 0; i < zlay_layout_size(a); i++)
            assert_int_equal(layout_at(c, i), extended(text, layout_at(a, i)));
        int64_t outside = -1;
        for (uint64_t i = zlay_layout_size(b); i-- > 0;)
            if (layout_at(b, i) < 0 || layout_at(b, i) >= 1 << bits) outside = (int64_t)i;
        status = zlay_layout_compose(*state, &d, a, b);
        assert_int_equal(status == ZLAY_NONE, outside >= 0);
        if (outside >= 0) {
            sprintf(text, "index %d:", (int)outside);
            assert_non_null(strstr(zlay_ctx_message(*state), text));
        }
        for (uint64_t i = 0; !status && i < zlay_layout_size(b); i++)
            assert_int_equal(layout_at(d, i), layout_at(a, (uint64_t)layout_at(b, i)));
        zlay_layout_free(d);
        zlay_layout_free(c);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
}

static void unary_properties(void **state)
{
    uint64_t seed = test_seed("coalesce, lower, cosize");
    for (uint64_t n = 0; n < test_iterations(20000); n++) {
        zlay_layout *a = random_layout(*state, &seed, 256), *flat, *f2;
        uint64_t size = zlay_layout_size(a), cosize;
        int64_t least = 0, greatest = layout_at(a, 0);
        assert_int_equal(zlay_layout_coalesce(*state, &flat, a), ZLAY_OK);
        assert_int_equal(zlay_layout_size(flat), size);
        zlay_status status = zlay_layout_lower(*state, &f2, a);
        for (uint64_t i = 0; i < size; i++) {
            int64_t value = layout_at(a, i);
            assert_int_equal(layout_at(flat, i), value);
            if (!status) assert_int_equal(layout_at(f2, i), value);
            least = value < least ? value : least;
            greatest = value > greatest ? value : greatest;
        }
        bool linear = (size & (size - 1)) == 0 && least >= 0;
        for (uint64_t i = 0; i < size && linear; i++)
            for (uint64_t j = 0; j < size && linear; j += j + 1)
                linear = layout_at(a, i ^ j) == (layout_at(a, i) ^ layout_at(a, j));
        assert_int_equal(status, linear ? ZLAY_OK : ZLAY_NONE);
        assert_int_equal(zlay_layout_cosize(*state, &cosize, a), ZLAY_OK);
        assert_int_equal(cosize, 1 + greatest - least);
        zlay_layout_free(f2);
        zlay_layout_free(flat);
        zlay_layout_free(a);
    }
}

static void check_equal(zlay_ctx *ctx, const zlay_layout *a, const zlay_layout *b)
{
    zlay_witness w = {0};
    zlay_answer answer;
    uint64_t m = zlay_layout_size(a), n = zlay_layout_size(b), first = 0;
    assert_int_equal(zlay_layout_equal(ctx, &answer, &w, a, b), ZLAY_OK);
    while (m == n && first < m && layout_at(a, first) == layout_at(b, first)) first++;
    assert_int_equal(answer, m == n && first == m ? ZLAY_YES : ZLAY_NO);
    if (answer == ZLAY_YES) return;
    assert_true(w.size_a == m && w.size_b == n);
    if (m != n) return;
    assert_int_equal(w.index, first);
    assert_int_equal(w.a, layout_at(a, first));
    assert_int_equal(w.b, layout_at(b, first));
}

static void equality(void **state)
{
    uint64_t seed = test_seed("equal");
    for (uint64_t n = 0; n < test_iterations(30000); n++) {
        zlay_layout *a = random_layout(*state, &seed, 64), *b = random_layout(*state, &seed, 64);
        zlay_layout *other = NULL;
        check_equal(*state, a, b);
        if (!zlay_layout_coalesce(*state, &other, a)) check_equal(*state, a, other);
        zlay_layout_free(other);
        if (!zlay_layout_lower(*state, &other, a)) check_equal(*state, other, b);
        if (other) check_equal(*state, other, a);
        zlay_layout_free(other);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
}

static void large_equality(void **state)
{
    static const struct { const char *a, *b; zlay_answer answer; uint64_t at; } rows[] = {
        {"Sw<3,4,3> o 0 o 4611686018427387904", "4611686018427387904", ZLAY_NO, 128},
        {"Sw<3,4,3> o 0 o (1048576,1048576)", "Sw<3,4,3> o 0 o 1099511627776", ZLAY_YES, 0},
        {"(3,1000000000000)", "3000000000000", ZLAY_YES, 0},
        {"(3,1000000000000):(1,4)", "3000000000000", ZLAY_NO, 3},
        {"Sw<1,0,3> o 0 o (3,16)", "Sw<1,1,3> o 0 o (3,16)", ZLAY_NO, 8},
        {"Sw<1,0,3> o 0 o (3,16)", "Sw<1,0,4> o 0 o (3,16)", ZLAY_NO, 8},
        {"Sw<1,0,3> o 0 o (3,16)", "Sw<2,0,3> o 0 o (3,16)", ZLAY_NO, 16},
        {"Sw<1,0,3> o 0 o (3,16)", "Sw<1,0,3> o 0 o (6,8)", ZLAY_YES, 0},
        {"Sw<1,0,40> o 0 o (3,1000000000)", "3000000000", ZLAY_YES, 0},
        {"Sw<1,0,2> o 0 o (3,1000000000)", "3000000000", ZLAY_NO, 4},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        zlay_layout *a = read_layout(*state, rows[r].a), *b = read_layout(*state, rows[r].b);
        zlay_witness w = {0};
        zlay_answer answer;
        assert_int_equal(zlay_layout_equal(*state, &answer, &w, a, b), ZLAY_OK);
        assert_int_equal(answer, rows[r].answer);
        assert_int_equal(w.index, rows[r].at);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
}

/* More modes than the ctx allows send a decider to the next method, and a maker to ELIMIT. */
static void few_modes(void **state)
{
    zlay_limits few = {.size = sizeof few, .dims = 2};
    zlay_layout *a = read_layout(*state, "(2,3,4):(1,5,20)"), *c;
    zlay_layout *b = read_layout(*state, "(2,(3,2),2):(1,(5,20),40)");
    zlay_layout *s = read_layout(*state, "Sw<1,0,2> o 0 o (8,8):(64,8)");
    zlay_answer answer;
    assert_int_equal(zlay_ctx_set_limits(*state, &few), ZLAY_OK);
    assert_int_equal(zlay_layout_equal(*state, &answer, NULL, a, b), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_string_equal(zlay_ctx_message(*state), "");
    assert_int_equal(zlay_layout_compose(*state, &c, a, a), ZLAY_ELIMIT);
    assert_non_null(strstr(zlay_ctx_message(*state), "limits.dims is 2"));
    assert_int_equal(zlay_layout_coalesce(*state, &c, s), ZLAY_OK);
    assert_string_equal(zlay_ctx_message(*state), "");
    zlay_layout_free(c);
    zlay_layout_free(s);
    zlay_layout_free(b);
    zlay_layout_free(a);
}

/* The tile keeps b's values under a, and tile and rest together reach what a has, each once. */
static void division(void **state)
{
    uint64_t seed = test_seed("logical_divide"), done = 0;
    for (uint64_t n = 0; n < test_iterations(20000); n++) {
        zlay_layout *a = random_layout(*state, &seed, 128), *b = random_layout(*state, &seed, 16);
        zlay_layout *c, *rest;
        char text[1024];
        zlay_status status = zlay_layout_divide(*state, &c, a, b, ZLAY_LOGICAL);
        if (!status && !zlay_layout_complement(*state, &rest, b, zlay_layout_size(a))) {
            uint64_t tile = zlay_layout_size(b);
            layout_text(text, a);
            assert_int_equal(zlay_layout_size(c), tile * zlay_layout_size(rest));
            for (uint64_t i = 0; i < zlay_layout_size(c); i++)
                assert_int_equal(layout_at(c, i), extended(text, layout_at(b, i % tile) +
                                                                     layout_at(rest, i / tile)));
            zlay_layout_free(rest);
            done++;
        }
        zlay_layout_free(c);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
    assert_true(done > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(composition_is_composition), cmocka_unit_test(f2_composition),
        cmocka_unit_test(unary_properties), cmocka_unit_test(equality),
        cmocka_unit_test(large_equality), cmocka_unit_test_setup_teardown(few_modes, begin, end),
        cmocka_unit_test(division),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
