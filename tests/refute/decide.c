/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute equal, injective, surjective, bijective and contained: random layouts of every kind whose values the
 * test computes from the drawn numbers (known.h), so that only the parser is shared; each decision is made here by
 * sorting or marking those values.  A YES or NO that differs, and a witness that shows nothing or is not the least,
 * refute.  A third of the cases each runs under limits.points of 2^22, 64 and 8, where the closed forms and isl must decide
 * and UNDECIDED is allowed.  10^4 cases, 10^6 with ZLAY_EXHAUSTIVE=1. */
#include "layouts/known.h"

#include <zlay/decide.h>

/* isl itself loses a few objects where its count of operations ends it inside isl_map_subtract (isl 0.25; the full stack
 * lies in isl_basic_map_compute_divs). This program makes that happen often, so here, and here alone, the
 * leak sanitizer passes over what isl allocates. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:isl_malloc_or_die\n"; }

enum { CASES = 10000, CTXS = 3, ANSWERS = 3 };

static known one, two;
static uint64_t count_of[5][ANSWERS];
static const char *const names[] = {"equal", "injective", "surjective", "bijective", "contained"};
enum { EQUAL, INJECTIVE, SURJECTIVE, BIJECTIVE, CONTAINED };

/* ---- a layout related to another, so that YES is common ------------------------------------------------------- */

static void swap_modes(uint64_t *seed, known *k)
{
    int i = (int)test_range(seed, 0, k->modes - 1), j = (int)test_range(seed, 0, k->modes - 1);
    int64_t shape = k->shape[i], stride = k->stride[i];
    k->shape[i] = k->shape[j], k->stride[i] = k->stride[j];
    k->shape[j] = shape, k->stride[j] = stride;
}

/* (n):(d) as (p,n/p):(d,pd), where there is room for a mode; p d may pass 64 bits only where n/p is 1. */
static void split_mode(uint64_t *seed, known *k)
{
    int i = (int)test_range(seed, 0, k->modes - 1);
    int64_t p = test_range(seed, 2, 4), more;
    if (k->modes == KNOWN_MODES || k->shape[i] % p || __builtin_mul_overflow(p, k->stride[i], &more)) return;
    for (int j = k->modes++; j > i + 1; j--) k->shape[j] = k->shape[j - 1], k->stride[j] = k->stride[j - 1];
    k->shape[i + 1] = k->shape[i] / p, k->stride[i + 1] = more;
    k->shape[i] = p;
}

static void change_strided(uint64_t *seed, known *k)
{
    int i = (int)test_range(seed, 0, k->modes - 1);
    known before = *k;
    switch (test_range(seed, 0, 4)) {
    case 0: swap_modes(seed, k); break;
    case 1: split_mode(seed, k); break;
    case 2: k->stride[i] += k->stride[i] < INT64_MAX; break;
    case 3: k->offset += k->offset < INT64_MAX; break;
    default: k->shape[k->modes - 1] = test_range(seed, 1, k->shape[k->modes - 1]);
    }
    if (!known_in_range(k)) *k = before;
    known_values_strided(k);
    known_strided_text(k, (int)test_range(seed, 0, 3));
}

/* Pieces hold what is above -2^63, and each term of a row has to fit over the box. */
static bool fits_pieces(const known *k)
{
    bool fits = k->offset > INT64_MIN / 4 && k->offset < INT64_MAX / 4;
    for (int i = 0; i < k->modes; i++) fits = fits && llabs(k->stride[i] / 2) < INT64_MAX / 8 / k->size;
    return fits;
}

/* The same function in isl's text: each mode's coordinate by a floor division and a remainder. */
static void as_pieces(known *k)
{
    int64_t weight = 1;
    char *p = k->text + sprintf(k->text, "{ [i] -> [%lld", (long long)k->offset);
    for (int m = 0; m < k->modes; m++) {
        p += sprintf(p, " + %lld*(floor(i/%lld) mod %lld)", (long long)k->stride[m], (long long)weight,
                     (long long)k->shape[m]);
        weight *= k->shape[m];
    }
    sprintf(p, "] : 0 <= i < %d }", k->size);
    k->kind = KNOWN_PIECEWISE;
}

/* The f2 layout of the values at powers of two: where sums carry it is another function. */
static void as_bits(known *k)
{
    k->kind = KNOWN_F2;
    k->bits = __builtin_ctz((unsigned)k->size);
    for (int b = 0; b < k->bits; b++) k->basis[b][0] = (uint64_t)k->at[1 << b];
    k->modes = 1, k->shape[0] = k->size;
    k->out_size[0] = 0;
    known_values_bits(k);
    known_bits_text(k);
}

static void change_bits(uint64_t *seed, known *k)
{
    int i = (int)test_range(seed, 0, k->bits - 1), j = (int)test_range(seed, 0, k->bits - 1);
    for (int d = 0; d < k->outs && i != j; d++) {
        uint64_t held = k->basis[j][d];
        if (test_range(seed, 0, 2)) k->basis[j][d] = known_add(held, k->basis[i][d], k->out_size[d]);
        else k->basis[j][d] = k->basis[i][d], k->basis[i][d] = held;
    }
    if (!test_range(seed, 0, 3) && k->out_size[0]) k->out_size[0] = 0, k->outs = 1;
    known_values_bits(k);
    known_bits_text(k);
}

static void change_pieces(uint64_t *seed, known *k)
{
    known_piece *p = &k->piece[test_range(seed, 0, k->pieces - 1)];
    int64_t first = k->piece[0].low;
    known before = *k;
    p->c[test_range(seed, 0, 6)] += test_range(seed, 0, 1);
    if (test_range(seed, 0, 1)) p->triangle = false;
    if (k->modes == 1) p->c[2] = p->c[5] = 0;
    if (!known_values_pieces(k, first)) *k = before;
    known_pieces_text(k);
}

static void relative(uint64_t *seed, known *b, const known *a)
{
    *b = *a;
    bool strided = a->kind == KNOWN_STRIDED || a->kind == KNOWN_SWIZZLED;
    bool sums = strided && a->kind == KNOWN_STRIDED;
    if (sums && fits_pieces(a) && !test_range(seed, 0, 3)) as_pieces(b);
    else if (strided && !(a->size & (a->size - 1)) && !a->at[0] && test_range(seed, 0, 1)) as_bits(b);
    else if (strided) change_strided(seed, b);
    else if (a->kind == KNOWN_PIECEWISE) change_pieces(seed, b);
    else if (a->bits) change_bits(seed, b);
}

/* ---- by brute force ------------------------------------------------------------------------------------------------ */

static bool same(const known *a, int i, const known *b, int j)
{
    if (!a->there[i] || !b->there[j]) return a->there[i] == b->there[j];
    if (a->outs != 2 || b->outs != 2) return a->at[i] == b->at[j];
    return a->out[i][0] == b->out[j][0] && a->out[i][1] == b->out[j][1];
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The defined values in order; the flat value of several outputs. */
static int sorted(int64_t *out, const known *k)
{
    int count = 0;
    for (int i = 0; i < k->size; i++)
        if (k->there[i]) out[count++] = k->at[i];
    qsort(out, (size_t)count, sizeof *out, by_value);
    return count;
}

/* The least of [0, n) that is no value, as numbers without sign where they are words of f2. */
static uint64_t least_missed(const int64_t *value, int count, uint64_t n)
{
    uint64_t v = 0;
    while (v < n && bsearch(&(int64_t){(int64_t)v}, value, (size_t)count, sizeof *value, by_value)) v++;
    return v;
}

static _Noreturn void refuted(uint64_t number, int what, const char *why)
{
    fail_msg("case %llu, %s: %s: %s and %s", (unsigned long long)number, names[what], why, one.text, two.text);
    abort();
}

static void asked(zlay_ctx *ctx, uint64_t number, int what, zlay_status status)
{
    if (status) refuted(number, what, zlay_ctx_message(ctx));
}

/* Whether the answer was given; counted. */
static bool judge(uint64_t number, int what, zlay_answer answer, bool right, bool must)
{
    if (answer == ZLAY_UNDECIDED) {
        if (must) refuted(number, what, "undecided below limits.points");
        count_of[what][2]++;
        return false;
    }
    if (answer != (right ? ZLAY_YES : ZLAY_NO)) refuted(number, what, right ? "not YES" : "not NO");
    count_of[what][right]++;
    return true;
}

static bool says_not_least(zlay_ctx *ctx) { return strstr(zlay_ctx_message(ctx), "not known to be the least"); }

/* ---- each decision --------------------------------------------------------------------------------------------------- */

static void check_equal(zlay_ctx *ctx, uint64_t n, const zlay_layout *a, const zlay_layout *b, bool must)
{
    zlay_witness w = {0};
    zlay_answer answer = 9;
    int first = 0;
    if (one.size == two.size)
        while (first < one.size && same(&one, first, &two, first)) first++;
    bool right = one.size == two.size && first == one.size;
    asked(ctx, n, EQUAL, zlay_layout_equal(ctx, &answer, &w, a, b));
    if (!judge(n, EQUAL, answer, right, must) || right) return;
    if (w.size_a != (uint64_t)one.size || w.size_b != (uint64_t)two.size) refuted(n, EQUAL, "sizes");
    if (one.size != two.size) return;
    if (w.index >= (uint64_t)one.size || same(&one, (int)w.index, &two, (int)w.index)) refuted(n, EQUAL, "witness");
    if (must && w.index != (uint64_t)first) refuted(n, EQUAL, "not the first difference");
}

static void check_injective(zlay_ctx *ctx, uint64_t n, const zlay_layout *a, bool right, bool must)
{
    uint64_t w[2] = {0, 0};
    zlay_answer answer = 9;
    asked(ctx, n, INJECTIVE, zlay_layout_is_injective(ctx, &answer, w, a));
    if (!judge(n, INJECTIVE, answer, right, must) || right) return;
    bool shows = w[0] < w[1] && w[1] < (uint64_t)one.size && one.there[w[0]] && one.there[w[1]] &&
                 one.at[w[0]] == one.at[w[1]];
    if (!shows) refuted(n, INJECTIVE, "witness");
}

static void check_surjective(zlay_ctx *ctx, uint64_t n, const zlay_layout *a, const int64_t *value, int count,
                             uint64_t onto, bool must)
{
    uint64_t missed = 0;
    zlay_answer answer = 9;
    uint64_t least = least_missed(value, count, onto);
    asked(ctx, n, SURJECTIVE, zlay_layout_is_surjective(ctx, &answer, &missed, a, &onto, 1));
    if (!judge(n, SURJECTIVE, answer, least == onto, must) || least == onto) return;
    if (missed == least) return;
    bool is_value = bsearch(&(int64_t){(int64_t)missed}, value, (size_t)count, sizeof *value, by_value);
    if (missed >= onto || is_value) refuted(n, SURJECTIVE, "witness");
    if (must || !says_not_least(ctx)) refuted(n, SURJECTIVE, "not the least value that is missed");
}

/* Onto the box of its outputs where they have sizes, else onto as many values as it has points. */
static void check_bijective(zlay_ctx *ctx, uint64_t n, const zlay_layout *a, const int64_t *value, int count,
                            bool injective, bool must)
{
    bool boxed = one.kind == KNOWN_F2 || one.kind == KNOWN_MODULAR;
    uint64_t onto = (uint64_t)count;
    zlay_fault f = {0};
    zlay_answer answer = 9;
    if (boxed && (one.outs == 2 || one.out_size[0])) onto = one.out_size[0] * (one.outs == 2 ? one.out_size[1] : 1);
    bool right = injective && (!boxed || onto == (uint64_t)count) && least_missed(value, count, onto) == onto;
    asked(ctx, n, BIJECTIVE, zlay_layout_is_bijective(ctx, &answer, &f, a));
    if (boxed && one.outs == 1 && !one.out_size[0]) right = false;
    if (!judge(n, BIJECTIVE, answer, right, must) || right) return;
    if (f.fault == ZLAY_FAULT_MISSED) {
        if (bsearch(&(int64_t){(int64_t)f.missed}, value, (size_t)count, sizeof *value, by_value))
            refuted(n, BIJECTIVE, "a value that is met");
    } else if (f.fault != ZLAY_FAULT_COLLISION || f.i >= f.j || f.j >= (uint64_t)one.size || !one.there[f.i] ||
               !one.there[f.j] || one.at[f.i] != one.at[f.j])
        refuted(n, BIJECTIVE, "fault");
}

/* The values of `two` in order; of two outputs on each side the sizes may differ, so that tuples are compared. */
static bool holds(const int64_t *value, int count, int i)
{
    if (one.outs != 2 || two.outs != 2)
        return bsearch(&one.at[i], value, (size_t)count, sizeof *value, by_value) != NULL;
    for (int j = 0; j < two.size; j++)
        if (same(&one, i, &two, j)) return true;
    return false;
}

static void check_contained(zlay_ctx *ctx, uint64_t n, const zlay_layout *a, const zlay_layout *b, bool must)
{
    static int64_t value[KNOWN_MOST];
    int count = sorted(value, &two), first = 0;
    uint64_t w = 0;
    zlay_answer answer = 9;
    while (first < one.size && (!one.there[first] || holds(value, count, first))) first++;
    bool right = first == one.size;
    asked(ctx, n, CONTAINED, zlay_layout_contained(ctx, &answer, &w, a, b));
    if (!judge(n, CONTAINED, answer, right, must) || right) return;
    bool shows = w < (uint64_t)one.size && one.there[w] && !holds(value, count, (int)w);
    if (!shows) refuted(n, CONTAINED, "witness");
    bool least = w == (uint64_t)first || (!must && says_not_least(ctx));
    if (!least) refuted(n, CONTAINED, "not the least witness");
}

/* ---- the cases --------------------------------------------------------------------------------------------------------- */

static void check_case(zlay_ctx *ctx, uint64_t *seed, uint64_t n, bool must)
{
    static int64_t value[KNOWN_MOST];
    int most = n % 8 ? 60 : KNOWN_MOST;
    known_draw(seed, &one, most);
    if (test_range(seed, 0, 2)) relative(seed, &two, &one);
    else known_draw(seed, &two, most);
    zlay_layout *a = read_layout(ctx, one.text), *b = read_layout(ctx, two.text);
    if (zlay_layout_size(a) != (uint64_t)one.size || zlay_layout_size(b) != (uint64_t)two.size)
        refuted(n, EQUAL, "another size");
    int count = sorted(value, &one);
    bool injective = true;
    for (int i = 1; i < count; i++) injective = injective && value[i] != value[i - 1];
    check_injective(ctx, n, a, injective, must);
    check_surjective(ctx, n, a, value, count, (uint64_t)test_range(seed, 1, 20), must);
    check_surjective(ctx, n, a, value, count, (uint64_t)(count ? count : 1), must);
    check_surjective(ctx, n, a, value, count, test_random(seed) >> test_range(seed, 0, 63) | 1, must);
    check_bijective(ctx, n, a, value, count, injective, must);
    check_equal(ctx, n, a, b, must);
    check_contained(ctx, n, a, b, must);
    zlay_layout_free(a);
    zlay_layout_free(b);
}

static void decisions(void **state)
{
    static const zlay_limits limits[CTXS] = {
        {.size = sizeof(zlay_limits)},
        {.size = sizeof(zlay_limits), .points = 64, .isl_ops = 1000},
        {.size = sizeof(zlay_limits), .points = 8, .isl_ops = 1}};
    uint64_t seed = test_seed("refute/decide"), count = test_cases(CASES);
    zlay_ctx *ctx[CTXS];
    (void)state;
    for (int c = 0; c < CTXS; c++) assert_int_equal(zlay_ctx_new(&ctx[c], NULL, &limits[c]), ZLAY_OK);
    for (uint64_t n = 0; n < count; n++) check_case(ctx[n % CTXS], &seed, n, n % CTXS == 0);
    for (int c = 0; c < CTXS; c++) zlay_ctx_free(ctx[c]);
    for (int d = 0; d < 5; d++) {
        print_message("%s: %llu NO, %llu YES, %llu undecided\n", names[d], (unsigned long long)count_of[d][0],
                      (unsigned long long)count_of[d][1], (unsigned long long)count_of[d][2]);
        assert_true(count_of[d][0] > count / 20 && count_of[d][1] > count / 20);
        assert_true(count_of[d][2] < count / 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(decisions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
