/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces beyond limits.points that never reach isl: limits.isl_ops is 1, so that whatever is decided
 * is decided by closed forms, and it is compared with all points, written out here. */
#include "layouts/decide.h"

enum { POINTS = 100 };

static int begin_closed(void **state)
{
    zlay_limits small = {.size = sizeof small, .points = POINTS, .isl_ops = 1};
    return zlay_ctx_new((zlay_ctx **)state, NULL, &small);
}

static char *put(char *at, const char *form, int a, int b, int c)
{
    return at + sprintf(at, form, a, b, c);
}

/* Residue classes of one coordinate, each with a line of its own; a class may be left out. */
static void classes(char *text, uint64_t *seed)
{
    int m = (int)test_range(seed, 2, 4), n = (int)test_range(seed, 120, 300);
    char *at = text;
    at += sprintf(at, "{ ");
    for (int r = 0, any = 0; r < m; r++) {
        if (any && !test_range(seed, 0, 5)) continue;
        int factor = test_range(seed, 0, 2) ? m : (int)test_range(seed, -3, 5);
        int plus = test_range(seed, 0, 1) ? (r + 1) % m : (int)test_range(seed, -n, n);
        at += sprintf(at, "%s[i] -> [%d floor(i/%d) + %d]", any ? "; " : "", factor, m, plus);
        at = put(at, " : i mod %d = %d and 0 <= i < %d", m, r, n);
        any = 1;
    }
    sprintf(at, " }");
}

/* A body and a tail: strided with a guard, as what does not divide leaves it. */
static void tails(char *text, uint64_t *seed)
{
    int n = (int)test_range(seed, 6, 20), m = (int)test_range(seed, 8, 16);
    int cut = (int)test_range(seed, 1, n - 1), s = (int)test_range(seed, 1, 3);
    int t = test_range(seed, 0, 1) ? s * n : (int)test_range(seed, -2, 40);
    char *at = text;
    at += sprintf(at, "{ [i, j] -> [%d i + %d j] : 0 <= i < %d and 0 <= j < %d; ", s, t, cut, m);
    at += sprintf(at, "[i, j] -> [%d i + %d j + %d] : %d <= i < %d and 0 <= j < %d }",
                  (int)test_range(seed, 0, 2) ? s : s + 1, t, (int)test_range(seed, 0, 3) ? 0 : 7,
                  cut, n, (int)test_range(seed, 0, 1) ? m : m - 1);
}

/* One affine piece, with a hole or without, rising or falling. */
static void singles(char *text, uint64_t *seed)
{
    int n = (int)test_range(seed, 10, 20), m = (int)test_range(seed, 10, 20);
    int s = (int)test_range(seed, -3, 4), t = test_range(seed, 0, 1) ? n : (int)test_range(seed, -9, 60);
    int k = (int)test_range(seed, 2, 4);
    char *at = text;
    at += sprintf(at, "{ [i, j] -> [%d + %d i + %d j]", (int)test_range(seed, -5, 50), s, t);
    at += sprintf(at, " : 0 <= i < %d and 0 <= j < %d", n, m);
    if (test_range(seed, 0, 1)) at = put(at, " and i mod %d = %d", k, (int)test_range(seed, 0, k - 1), 0);
    sprintf(at, " }");
}

static void strides(char *text, uint64_t *seed)
{
    int n = (int)test_range(seed, 10, 20), m = (int)test_range(seed, 11, 20);
    sprintf(text, "(%d,%d):(%d,%d)", n, m, (int)test_range(seed, 1, 3),
            test_range(seed, 0, 1) ? n : (int)test_range(seed, 1, 60));
}

typedef void maker(char *text, uint64_t *seed);
static maker *const makers[] = {classes, tails, singles, strides};
static const char *const names[] = {"residue classes", "bodies and tails", "single pieces"};
enum { MAKERS = sizeof makers / sizeof makers[0], ASKED = 3 };

static image one, two;

static void check(bool right, const char *what, const char *a, const char *b)
{
    if (!right) fail_msg("%s: %s%s%s", what, a, b ? " and " : "", b ? b : "");
}

static int injective(zlay_ctx *ctx, const zlay_layout *a, const char *text)
{
    uint64_t w[2];
    zlay_answer answer;
    assert_int_equal(zlay_layout_is_injective(ctx, &answer, w, a), ZLAY_OK);
    if (answer == ZLAY_UNDECIDED) return 0;
    check(answer == (plain_injective(&one) ? ZLAY_YES : ZLAY_NO), "is_injective", text, NULL);
    if (answer == ZLAY_NO)
        check(w[0] < w[1] && w[1] < (uint64_t)one.size && is_there(&one, (int)w[0]) &&
                  same(&one, (int)w[0], &one, (int)w[1]), "is_injective: witness", text, NULL);
    return 1;
}

static int bijective(zlay_ctx *ctx, const zlay_layout *a, const char *text)
{
    zlay_fault f;
    zlay_answer answer;
    int64_t onto = defined(&one);
    assert_int_equal(zlay_layout_is_bijective(ctx, &answer, &f, a), ZLAY_OK);
    if (answer == ZLAY_UNDECIDED) return 0;
    bool right = plain_injective(&one) && plain_missed(&one, &onto, 1) < 0;
    check(answer == (right ? ZLAY_YES : ZLAY_NO), "is_bijective", text, NULL);
    if (answer == ZLAY_NO && f.fault == ZLAY_FAULT_MISSED)
        check((int64_t)f.missed == plain_missed(&one, &onto, 1), "is_bijective: missed", text, NULL);
    return 1;
}

static int surjective(zlay_ctx *ctx, const zlay_layout *a, const char *text, int64_t onto)
{
    uint64_t missed = 0, size = (uint64_t)onto;
    zlay_answer answer;
    assert_int_equal(zlay_layout_is_surjective(ctx, &answer, &missed, a, &size, 1), ZLAY_OK);
    if (answer == ZLAY_UNDECIDED) return 0;
    int64_t expected = plain_missed(&one, &onto, 1);
    check(answer == (expected < 0 ? ZLAY_YES : ZLAY_NO), "is_surjective", text, NULL);
    check(answer == ZLAY_YES || (int64_t)missed == expected, "is_surjective: missed", text, NULL);
    return 1;
}

static int contained(zlay_ctx *ctx, const zlay_layout *a, const char *x, const zlay_layout *b,
                     const char *y)
{
    uint64_t w = 0;
    int first = 0;
    zlay_answer answer;
    assert_int_equal(zlay_layout_contained(ctx, &answer, &w, a, b), ZLAY_OK);
    if (answer == ZLAY_UNDECIDED) return 0;
    while (first < one.size && (!is_there(&one, first) || plain_holds(&two, &one, first))) first++;
    check(answer == (first == one.size ? ZLAY_YES : ZLAY_NO), "contained", x, y);
    if (answer == ZLAY_NO && !*zlay_ctx_message(ctx))
        check(w == (uint64_t)first, "contained: the least witness", x, y);
    return 1;
}

/* A text against itself cut in two, with one value changed or none. */
static int equal(zlay_ctx *ctx, const zlay_layout *a, const char *x, const zlay_layout *b,
                 const char *y)
{
    zlay_witness w;
    zlay_answer answer;
    int first = 0;
    if (one.size != two.size) return 0;
    while (first < one.size && same(&one, first, &two, first)) first++;
    assert_int_equal(zlay_layout_equal(ctx, &answer, &w, a, b), ZLAY_OK);
    if (answer == ZLAY_UNDECIDED) return 0;
    check(answer == (first == one.size ? ZLAY_YES : ZLAY_NO), "equal", x, y);
    check(answer == ZLAY_YES || w.index == (uint64_t)first, "equal: the first difference", x, y);
    return 1;
}

/* 0 <= i < n by two rules: classes modulo m, and classes modulo k of two halves; n divides by both.
 * `wrong` puts one class or half off by one. */
static void two_ways(char *x, char *y, uint64_t *seed)
{
    int m = (int)test_range(seed, 1, 5), k = (int)test_range(seed, 1, 4);
    int n = (int)test_range(seed, 120, 300), cut = (int)test_range(seed, 1, n - 1);
    int s = (int)test_range(seed, -4, 4), wrong = (int)test_range(seed, -2, 2 * k - 1);
    bool hole = !test_range(seed, 0, 3);
    x += sprintf(x, "{ ");
    y += sprintf(y, "{ ");
    for (int r = 0; r < m; r++)
        x += sprintf(x, "%s[i] -> [%d i] : i mod %d = %d and 0 <= i < %d", r ? "; " : "", s, m, r, n);
    for (int r = 0; r < 2 * k; r++) {
        if (hole && r == wrong) continue;
        y += sprintf(y, "%s[i] -> [%d i + %d] : i mod %d = %d and %d <= i < %d",
                     y[-1] == ' ' && y[-2] == '{' ? "" : "; ", s, r == wrong, k, r % k,
                     r < k ? 0 : cut, r < k ? cut : n);
    }
    sprintf(x, " }");
    sprintf(y, " }");
}

static void equal_ways(void **state)
{
    uint64_t seed = test_seed("equal ways"), rounds = test_iterations(1500);
    int decided = 0, yes = 0;
    for (uint64_t n = 0; n < rounds; n++) {
        char x[2048], y[2048];
        two_ways(x, y, &seed);
        zlay_layout *a = read_layout(*state, x), *b = read_layout(*state, y);
        image_of(&one, a, 1, NULL);
        image_of(&two, b, 1, NULL);
        decided += equal(*state, a, x, b, y);
        int first = 0;
        while (first < one.size && one.size == two.size && same(&one, first, &two, first)) first++;
        yes += first == one.size;
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
    printf("%d pairs, %d equal: %d decided without isl\n", (int)rounds, yes, decided);
    assert_true((uint64_t)decided > rounds / 2 && yes > 0 && yes < decided);
}

/* As written, under an offset so that the values may begin at 0: what permutations look like. */
static void closed_forms(void **state)
{
    uint64_t seed = test_seed("closed forms"), rounds = test_iterations(1500);
    for (size_t kind = 0; kind < ASKED; kind++) {
        int counts[4] = {0, 0, 0, 0};
        for (uint64_t n = 0; n < rounds; n++) {
            char x[1024], y[1024];
            makers[kind](x, &seed);
            makers[test_range(&seed, 0, 3) ? (int)test_range(&seed, 2, 3) : (int)kind](y, &seed);
            zlay_layout *a = read_layout(*state, x), *b = read_layout(*state, y);
            image_of(&one, a, 1, NULL);
            image_of(&two, b, 1, NULL);
            counts[0] += injective(*state, a, x);
            counts[1] += bijective(*state, a, x);
            counts[2] += surjective(*state, a, x, defined(&one));
            counts[3] += contained(*state, a, x, b, y);
            zlay_layout_free(b);
            zlay_layout_free(a);
        }
        printf("%s, %d layouts: injective %d, bijective %d, surjective %d, contained %d decided "
               "without isl\n", names[kind], (int)rounds, counts[0], counts[1], counts[2], counts[3]);
        assert_true((uint64_t)counts[0] > rounds / 2);
    }
}

/* 4096 blocks of 2^30 points in another order: a bijection that no road by points decides. */
static void many_large_pieces(void **state)
{
    enum { COUNT = 4096 };
    static char text[COUNT * 96];
    char *p = text + sprintf(text, "{ ");
    const long long width = 1LL << 30;
    zlay_answer answer = ZLAY_UNDECIDED;
    for (int i = 0; i < COUNT; i++) {
        int to = (int)((i * 2731LL + 17) % COUNT);
        p += sprintf(p, "%s[i] -> [i + %lld] : %lld <= i < %lld", i ? "; " : "", (to - i) * width, i * width,
                     (i + 1) * width);
    }
    sprintf(p, " }");
    zlay_layout *a = read_layout(*state, text), *b = NULL;
    assert_int_equal(zlay_layout_is_injective(*state, &answer, NULL, a), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zlay_layout_is_bijective(*state, &answer, NULL, a), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    p = strstr(text, "i + 18253611008");
    assert_non_null(p);
    p[13]++;
    b = read_layout(*state, text);
    zlay_witness w;
    assert_int_equal(zlay_layout_equal(*state, &answer, &w, a, b), ZLAY_OK);
    assert_int_equal(answer, ZLAY_NO);
    assert_int_equal(w.index, 0);
    zlay_layout_free(b);
    zlay_layout_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(many_large_pieces, begin, end),
        cmocka_unit_test_setup_teardown(closed_forms, begin_closed, end),
        cmocka_unit_test_setup_teardown(equal_ways, begin_closed, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
