/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute zlay_facts_eval: random expressions whose values are computed at every point of a small set, from the tree that
 * also gives the text, in 128 bits.  Every value lies in the answer; of one name, and of sums whose parts share none, the answer
 * is the least interval and congruence of all values.  10^4 expressions, 10^6 with ZLAY_EXHAUSTIVE=1. */
#include "layouts/layout.h"

#include <zlay/facts.h>

__extension__ typedef __int128 big;
__extension__ typedef unsigned __int128 wrapped;

enum { POINTS = 1000, TEXT = 4096, CASES = 10000 };

/* The values that a name has. */
typedef struct world {
    int64_t first, step;
    int count;
} world;

typedef struct tree {
    char text[TEXT];
    big value[POINTS];
    bool there[POINTS];
    int degree, divisor; /* of the polynomials; of all quotients, as a product */
} tree;

static big floor_div(big a, big b) { return a / b - (a % b && (a < 0) != (b < 0)); }

static big op_value(int op, big a, big b)
{
    switch (op) {
    case 0: return (big)((wrapped)a + (wrapped)b);
    case 1: return (big)((wrapped)a - (wrapped)b);
    case 2: return (big)((wrapped)a * (wrapped)b);
    case 3: return floor_div(a, b);
    case 4: return a - b * floor_div(a, b);
    case 5: return -floor_div(-a, b);
    case 6: return a < b ? a : b;
    default: return a > b ? a : b;
    }
}

static const char *const forms[] = {"(%s + %s)", "(%s - %s)", "(%s * %s)", "(%s / %s)", "(%s mod %s)", "ceil((%s) / %s)", "min(%s, %s)", "max(%s, %s)"};

static int64_t constant(uint64_t *seed)
{
    static const int64_t some[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 17, 96, 100, 1000};
    return some[test_range(seed, 0, 17)] * (test_range(seed, 0, 5) ? 1 : -1);
}

static void leaf(uint64_t *seed, tree *out, char name, const world *x, bool number)
{
    int64_t c = constant(seed);
    *out->text = 0;
    if (number) sprintf(out->text, "(%lld)", (long long)c);
    else sprintf(out->text, "%c", name);
    for (int p = 0; p < x->count; p++) {
        out->there[p] = true;
        out->value[p] = number ? c : (big)x->first + (big)p * x->step;
    }
    out->degree = !number;
    out->divisor = 1;
}

/* Numbers whose products may not fit: such an expression is not asked. */
static bool is_long(const tree *t, int count)
{
    const big most = (big)1 << 62;
    for (int p = 0; p < count; p++)
        if (t->value[p] > 2 * most || t->value[p] < -2 * most) return true;
    return t->degree >= 100;
}

static void grow(uint64_t *seed, tree *out, char name, const world *x, int depth)
{
    if (!depth) {
        leaf(seed, out, name, x, !test_range(seed, 0, 2));
        return;
    }
    tree *a = malloc(2 * sizeof *a), *b = a + 1;
    char *text = malloc(3 * TEXT);
    assert_non_null(a);
    assert_non_null(text);
    int op = (int)test_range(seed, 0, 7);
    grow(seed, a, name, x, depth - 1);
    if (op >= 3 && op <= 5) leaf(seed, b, name, x, true);
    else grow(seed, b, name, x, (int)test_range(seed, 0, depth - 1));
    sprintf(text, forms[op], a->text, b->text);
    if (strlen(text) >= TEXT) text[0] = 0;
    strcpy(out->text, text);
    for (int p = 0; p < x->count; p++) {
        out->there[p] = a->there[p] && b->there[p] && (b->value[p] || op < 3 || op > 5);
        out->value[p] = out->there[p] ? op_value(op, a->value[p], b->value[p]) : 0;
    }
    out->degree = op == 2 ? a->degree + b->degree : a->degree > b->degree ? a->degree : b->degree;
    if (is_long(a, x->count) || is_long(b, x->count)) out->degree = 100;
    out->divisor = a->divisor * b->divisor;
    if (op >= 3 && op <= 5) out->divisor *= abs((int)b->value[0]);
    if (out->divisor > 5000) out->divisor = 5000;
    free(text);
    free(a);
}

/* ---- the least range of a set --------------------------------------------------------- */

typedef struct hull {
    int count;
    big lo, hi, mod;
} hull;

static big gcd(big a, big b) { return b ? gcd(b, a % b) : a < 0 ? -a : a; }

static void hull_add(hull *h, big v)
{
    h->mod = h->count ? gcd(h->mod, v - h->lo) : 0;
    h->lo = !h->count || v < h->lo ? v : h->lo;
    h->hi = !h->count || v > h->hi ? v : h->hi;
    h->count++;
}

static bool inside(zlay_range r, big v)
{
    if ((r.lo != INT64_MIN || !r.mod) && v < r.lo) return false;
    if ((r.hi != INT64_MAX || !r.mod) && v > r.hi) return false;
    return r.mod ? (v - r.rem) % r.mod == 0 : v == r.rem;
}

static bool is_least(const hull *h, zlay_range r)
{
    return r.lo == h->lo && r.hi == h->hi && r.mod == h->mod;
}

/* ---- cases ------------------------------------------------------------------------------- */

static world random_world(uint64_t *seed, bool ends)
{
    static const int sizes[] = {1, 2, 3, 5, 7, 8, 9, 12, 31, 33, 96, 100, 1000};
    world w = {test_range(seed, -40, 40), test_range(seed, 1, 12), sizes[test_range(seed, 0, 12)]};
    if (!ends) return w;
    w.first = test_range(seed, 0, 1) ? INT64_MIN : INT64_MAX - w.step * (w.count - 1);
    return w;
}

static size_t put_facts(char text[2][96], char name, const world *x)
{
    sprintf(text[0], "%lld <= %c <= %lld", (long long)x->first, name, (long long)(x->first + (x->count - 1) * x->step));
    long long rem = (long long)(x->first % x->step);
    sprintf(text[1], "%c mod %lld = %lld", name, (long long)x->step, rem < 0 ? rem + (long long)x->step : rem);
    return 2;
}

static zlay_status ask(zlay_ctx *ctx, zlay_range *got, char text[4][96], size_t count, const char *expression)
{
    const char *facts[4] = {text[0], text[1], text[2], text[3]};
    size_t length[4] = {0};
    zlay_facts *known;
    for (size_t i = 0; i < count; i++) length[i] = strlen(facts[i]);
    if (zlay_facts_parse(ctx, &known, count, facts, length)) fail_msg("%s; %s: %s", text[0], text[1], zlay_ctx_message(ctx));
    zlay_status status = zlay_facts_eval(ctx, got, known, expression, strlen(expression));
    zlay_facts_free(known);
    return status;
}

static void check(const hull *h, zlay_status status, zlay_range got, const char *expression, const char *facts, bool least)
{
    if (status == ZLAY_EINVAL && !h->count) return;
    if (status) fail_msg("%s where %s: %s, but it has %d values", expression, facts, zlay_status_name(status), h->count);
    if (least && h->count && !is_least(h, got))
        fail_msg("%s where %s: [%lld, %lld] mod %lld is not least: [%lld, %lld] mod %lld", expression, facts, (long long)got.lo,
                 (long long)got.hi, (long long)got.mod, (long long)h->lo, (long long)h->hi, (long long)h->mod);
}

static uint64_t cases(void) { return test_cases(CASES); }

static void one_name(void **state)
{
    uint64_t seed = test_seed("refute/facts, one name"), least = 0, count = cases();
    tree *t = malloc(sizeof *t);
    assert_non_null(t);
    for (uint64_t i = 0; i < count; i++) {
        char text[4][96];
        bool ends = !test_range(&seed, 0, 7);
        world x = random_world(&seed, ends);
        zlay_range got = {0};
        hull h = {0, 0, 0, 0};
        grow(&seed, t, 'x', &x, (int)test_range(&seed, 0, ends ? 2 : 4));
        if (!*t->text || t->degree > (ends ? 1 : 6)) continue;
        zlay_status status = ask(*state, &got, text, put_facts(text, 'x', &x), t->text);
        for (int p = 0; p < x.count; p++) {
            if (!t->there[p]) continue;
            hull_add(&h, t->value[p]);
            if (!status && !inside(got, t->value[p])) fail_msg("%s where %s, %s: a value is left out", t->text, text[0], text[1]);
        }
        bool fits = h.lo > INT64_MIN && h.hi < INT64_MAX && h.mod < INT64_MAX;
        bool claimed = !ends && t->degree <= 6 && t->divisor <= 4096 && fits;
        least += claimed && h.count;
        check(&h, status, got, t->text, text[0], claimed);
    }
    free(t);
    print_message("%llu expressions of one name, %llu of them least\n", (unsigned long long)count, (unsigned long long)least);
    assert_true(least > count / 2);
}

/* f(x) - g(y) + f'(x): the parts of a sum that share no name, in any order. */
static void sums(void **state)
{
    uint64_t seed = test_seed("refute/facts, sums"), least = 0, count = cases();
    tree *t = malloc(3 * sizeof *t);
    char *text = malloc(3 * TEXT + 16);
    assert_non_null(t);
    assert_non_null(text);
    for (uint64_t i = 0; i < count; i++) {
        char facts[4][96];
        world x = random_world(&seed, false), y = random_world(&seed, false);
        zlay_range got = {0};
        hull h = {0, 0, 0, 0}, f = h, g = h;
        grow(&seed, &t[0], 'x', &x, (int)test_range(&seed, 0, 3));
        grow(&seed, &t[1], 'y', &y, (int)test_range(&seed, 0, 3));
        grow(&seed, &t[2], 'x', &x, (int)test_range(&seed, 0, 2));
        put_facts(facts + 2, 'y', &y);
        sprintf(text, "%s - %s + %s", t[0].text, t[1].text, t[2].text);
        if (t[0].degree > 6 || t[1].degree > 6 || t[2].degree > 6) continue;
        zlay_status status = ask(*state, &got, facts, put_facts(facts, 'x', &x) + 2, text);
        for (int p = 0; p < x.count; p++)
            if (t[0].there[p] && t[2].there[p]) hull_add(&f, t[0].value[p] + t[2].value[p]);
        for (int p = 0; p < y.count; p++)
            if (t[1].there[p]) hull_add(&g, -t[1].value[p]);
        if (f.count && g.count) h = (hull){1, f.lo + g.lo, f.hi + g.hi, gcd(f.mod, g.mod)};
        bool fits = h.lo > INT64_MIN && h.hi < INT64_MAX;
        bool claimed = t[0].divisor * t[2].divisor <= 4096 && t[1].divisor <= 4096 && fits;
        least += claimed && h.count;
        check(&h, status, got, text, facts[0], claimed);
        for (int p = 0; p < x.count && !status && h.count; p++)
            if (t[0].there[p] && t[2].there[p]) assert_true(inside(got, t[0].value[p] + t[2].value[p] + g.lo));
    }
    free(text);
    free(t);
    print_message("%llu sums of two names, %llu of them least\n", (unsigned long long)count, (unsigned long long)least);
    assert_true(least > count / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_name), cmocka_unit_test(sums)};
    return cmocka_run_group_tests(tests, begin, end);
}
