/* SPDX-License-Identifier: Apache-2.0 */
/* Injective, onto, bijective and contained of symbolic layouts: every answer and every guard, read
 * and evaluated here, says what counting the values says at numbers in the place of names. */
#include "layouts/symbol.h"

#include <ctype.h>
#include <zlay/cute.h>
#include <zlay/decide.h>
#include <zlay/pieces.h>

enum { ROOM = 16384, MOST = 4096, KINDS = 4 };

static const char *const kinds[KINDS] = {"injective", "onto", "bijective", "contained"};

/* ---- guards ---------------------------------------------------------------------------- */

static int64_t factor(reader *r)
{
    while (take(r, "(__int128)")) {}
    if (take(r, "-")) return -factor(r);
    if (isdigit((unsigned char)*r->at)) return strtoll(r->at, (char **)&r->at, 10);
    for (int k = 0; k < NAMES; k++)
        if (take(r, names[k])) return r->n->at[k];
    fail_msg("no factor at '%s'", r->at);
    return 0;
}

static int64_t product(reader *r)
{
    int64_t value = factor(r);
    while (take(r, "*")) value *= factor(r);
    return value;
}

static int64_t sum(reader *r)
{
    int64_t value = product(r);
    while (take(r, "+")) value += product(r);
    return value;
}

static bool any(reader *r);

static bool atom(reader *r)
{
    while (*r->at == ' ') r->at++;
    if (*r->at == '(' && strncmp(r->at, "(__int128)", 10)) {
        r->at++;
        bool holds = any(r);
        assert_true(take(r, ")"));
        return holds;
    }
    int64_t left = sum(r);
    if (take(r, "==")) return left == sum(r);
    if (take(r, "!=")) return left != sum(r);
    assert_true(take(r, ">="));
    return left >= sum(r);
}

static bool all(reader *r)
{
    bool holds = atom(r);
    while (take(r, "&&")) holds = atom(r) && holds;
    return holds;
}

static bool any(reader *r)
{
    bool holds = all(r);
    while (take(r, "||")) holds = all(r) || holds;
    return holds;
}

/* ---- what the values say ------------------------------------------------------------------- */

typedef struct values {
    size_t count;
    int64_t at[MOST];
} values;

static int order(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Sorted, each once. */
static void values_of(values *v, const zlay_layout *a)
{
    size_t count = 0;
    v->count = (size_t)zlay_layout_size(a);
    assert_true(v->count <= MOST);
    for (size_t i = 0; i < v->count; i++) v->at[i] = layout_at(a, i);
    qsort(v->at, v->count, sizeof v->at[0], order);
    for (size_t i = 0; i < v->count; i++)
        if (!count || v->at[count - 1] != v->at[i]) v->at[count++] = v->at[i];
    v->count = count;
}

static bool has(const values *v, int64_t x)
{
    return bsearch(&x, v->at, v->count, sizeof x, order);
}

static bool is_onto(const values *v, uint64_t n)
{
    for (int64_t x = 0; x < (int64_t)n; x++)
        if (!has(v, x)) return false;
    return true;
}

static bool counted(int kind, const zlay_layout *a, const zlay_layout *b, int64_t onto)
{
    static values v, w;
    values_of(&v, a);
    uint64_t size = zlay_layout_size(a);
    if (kind == 0) return v.count == size;
    if (kind == 1) return is_onto(&v, (uint64_t)onto);
    if (kind == 2) return v.count == size && is_onto(&v, size);
    values_of(&w, b);
    for (size_t i = 0; i < v.count; i++)
        if (!has(&w, v.at[i])) return false;
    return true;
}

static zlay_status asked(zlay_ctx *ctx, int kind, zlay_answer *answer, zlay_buf *guard,
                         const zlay_layout *a, const zlay_layout *b, int64_t onto)
{
    return kind == 0   ? zlay_layout_injective_guard(ctx, answer, guard, a)
           : kind == 1 ? zlay_layout_surjective_guard(ctx, answer, guard, a, onto)
           : kind == 2 ? zlay_layout_bijective_guard(ctx, answer, guard, a)
                       : zlay_layout_contained_guard(ctx, answer, guard, a, b);
}

/* ---- random layouts -------------------------------------------------------------------------- */

static size_t put_extent(uint64_t *seed, char *text)
{
    static const char *const rows[] = {"M", "K", "N", "2", "3", "4", "1", "2*M", "M*K"};
    return (size_t)sprintf(text, "%s", rows[test_range(seed, 0, 8)]);
}

static size_t put_stride(uint64_t *seed, char *text)
{
    static const char *const rows[] = {"1",  "1",    "ld",   "ld",   "K",   "M",  "2",  "3",
                                       "-1", "2*ld", "ld*h", "-K*M", "K*M", "0",  "h",  "4",
                                       "6",  "-ld",  "4*ld", "12",   "K*N", "-2", "2*K", "N"};
    return (size_t)sprintf(text, "%s", rows[test_range(seed, 0, 23)]);
}

static zlay_layout *random_layout(uint64_t *seed, zlay_ctx *ctx)
{
    static const char *const offsets[] = {"ld", "M*ld - ld", "h", "-2", "K - 1", "4"};
    char text[512];
    size_t at = 0, rank = (size_t)test_range(seed, 1, 3);
    if (!test_range(seed, 0, 4))
        at = (size_t)sprintf(text, "%s o ", offsets[test_range(seed, 0, 5)]);
    for (int part = 0; part < 2; part++) {
        text[at++] = '(';
        for (size_t i = 0; i < rank; i++) {
            at += part ? put_stride(seed, text + at) : put_extent(seed, text + at);
            text[at++] = ',';
        }
        text[at - 1] = ')';
        if (!part) text[at++] = ':';
    }
    text[at] = 0;
    return read_layout(ctx, text);
}

static zlay_layout *assumed(zlay_ctx *ctx, zlay_layout *wild, size_t count, const char *const *text)
{
    size_t length[8];
    zlay_facts *facts;
    zlay_layout *a;
    for (size_t i = 0; i < count; i++) length[i] = strlen(text[i]);
    assert_int_equal(zlay_facts_parse(ctx, &facts, count, text, length), ZLAY_OK);
    if (zlay_layout_assume(ctx, &a, wild, facts)) fail_msg("%s", zlay_ctx_message(ctx));
    zlay_facts_free(facts);
    zlay_layout_free(wild);
    return a;
}

/* Facts of which the numbers below keep all, or those that the set asks for. */
static const char *const sets[][NAMES] = {
    {"M <= 64", "K <= 64", "N <= 64", "-64 <= ld <= 64", "-64 <= h <= 64"},
    {"M <= 64", "K <= 64", "N <= 64", "4 <= ld <= 64", "4 <= h <= 64"},
    {"2 <= M <= 64", "2 <= K <= 64", "N <= 64", "1 <= ld <= 3", "0 <= h <= 64"},
    {"M <= h and M <= 64", "K <= ld", "N <= 64 and h <= 64", "-64 <= ld <= 64", "ld >= h - 2"},
    {"N = K + 1", "K <= 3", "N <= M", "-64 <= ld <= 64 and M <= 4", "h = 2*ld + 1"},
};

static bool keeps(size_t set, const numbers *n)
{
    if (set == 1) return n->at[3] >= 4 && n->at[4] >= 4;
    if (set == 2)
        return n->at[0] >= 2 && n->at[1] >= 2 && n->at[3] >= 1 && n->at[3] <= 3 && n->at[4] >= 0;
    if (set == 3)
        return n->at[0] <= n->at[4] && n->at[1] <= n->at[3] && n->at[3] >= n->at[4] - 2;
    if (set == 4)
        return n->at[2] == n->at[1] + 1 && n->at[2] <= n->at[0] && n->at[4] == 2 * n->at[3] + 1;
    return true;
}

/* Numbers that keep a set of facts, found by trying. */
static numbers kept_numbers(uint64_t *seed, size_t set)
{
    numbers n = random_numbers(seed, -4);
    for (int k = 0; k < 1000 && !keeps(set, &n); k++) {
        n = random_numbers(seed, -4);
        if (set == 4) n.at[4] = 2 * n.at[3] + 1;
        if (set == 4) n.at[2] = n.at[1] + 1;
    }
    return n;
}

static void check_at(zlay_ctx *ctx, int kind, zlay_answer answer, const char *guard,
                     const zlay_layout *a, const zlay_layout *b, int64_t onto, const numbers *n)
{
    char x[1024], y[1024];
    reader r = {guard, n};
    zlay_layout *p = bound(ctx, a, n), *q = bound(ctx, b, n);
    bool said = answer == ZLAY_DEPENDS ? any(&r) : answer == ZLAY_YES;
    if (answer == ZLAY_DEPENDS) assert_int_equal(*r.at, 0);
    if (said != counted(kind, p, q, onto))
        fail_msg("%s %s, %s, %d: %d, '%s', and not where M %d K %d N %d ld %d h %d", kinds[kind],
                 layout_text(x, a), layout_text(y, b), (int)onto, answer, guard, (int)n->at[0],
                 (int)n->at[1], (int)n->at[2], (int)n->at[3], (int)n->at[4]);
    zlay_layout_free(p);
    zlay_layout_free(q);
}

static bool is_symbolic(const zlay_layout *a)
{
    return zlay_layout_kind(a) == ZLAY_LAYOUT_SYMBOLIC;
}

static void answers(void **state)
{
    uint64_t seed = test_seed("answers"), seen[KINDS][4] = {{0}};
    for (uint64_t i = 0; i < test_iterations(12000); i++) {
        char guard[ROOM];
        zlay_buf buf = {guard, sizeof guard, 0};
        zlay_answer answer;
        int kind = (int)(i % KINDS);
        int64_t onto = test_range(&seed, 1, 9);
        size_t set = (size_t)test_range(&seed, 0, 4);
        zlay_layout *a = assumed(*state, random_layout(&seed, *state), NAMES, sets[set]);
        zlay_layout *b = assumed(*state, random_layout(&seed, *state), NAMES, sets[set]);
        bool asks = is_symbolic(a);
        zlay_status status = asks ? asked(*state, kind, &answer, &buf, a, b, onto) : ZLAY_OK;
        if (status) fail_msg("%s: %s", kinds[kind], zlay_ctx_message(*state));
        if (asks) seen[kind][answer + 2]++;
        for (int k = 0; asks && k < 30 && answer != ZLAY_UNDECIDED; k++) {
            numbers n = kept_numbers(&seed, set);
            if (keeps(set, &n)) check_at(*state, kind, answer, guard, a, b, onto, &n);
        }
        zlay_layout_free(a);
        zlay_layout_free(b);
    }
    for (int kind = 0; kind < KINDS; kind++) {
        print_message("%s: depends %d, undecided %d, no %d, yes %d\n", kinds[kind],
                      (int)seen[kind][0], (int)seen[kind][1], (int)seen[kind][2],
                      (int)seen[kind][3]);
        for (int k = 0; k < 4; k++) assert_true(k == 1 || seen[kind][k] > 5);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void rows(void **state)
{
    static const struct {
        int kind;
        const char *a, *b;
        int64_t onto;
        const char *fact[3];
        zlay_answer answer;
        const char *guard;
    } row[] = {
        {0, "(M,K):(ld,1)", NULL, 0, {NULL}, ZLAY_DEPENDS,
         "(M == 1 || ld != 0) && (K == 1 || M == 1 || ld >= K || 0 >= (__int128)K + (__int128)ld)"},
        {0, "(M,K):(ld,1)", NULL, 0, {"ld >= 64", "K <= 64"}, ZLAY_YES, ""},
        {0, "(M,K):(ld,1)", NULL, 0, {"K <= ld"}, ZLAY_YES, ""},
        {0, "(M,K,N):(ld,1,ld*h)", NULL, 0, {"K <= ld", "M <= h"}, ZLAY_YES, ""},
        {0, "(M,K):(ld,1)", NULL, 0, {"K <= N", "N + 8 = ld"}, ZLAY_DEPENDS,
         "(M == 1 || ld != 0) && (K == 1 || M == 1 || ld >= K || 0 >= (__int128)K + (__int128)ld)"},
        {0, "(M,K):(ld,1)", NULL, 0, {"K > ld", "ld >= 1", "M >= 2"}, ZLAY_NO, ""},
        {3, "K:1", "(N,K):(1,N)", 0, {"K <= N"}, ZLAY_YES, ""},
        {2, "(K,M):(1,ld)", NULL, 0, {"ld = K"}, ZLAY_YES, ""},
        {2, "(K,M):(1,ld)", NULL, 0, {"ld = K + 1", "M >= 2"}, ZLAY_NO, ""},
        {0, "(M,K):(ld,1)", NULL, 0, {"ld <= 63", "ld >= 1", "K >= 64"}, ZLAY_DEPENDS, "M == 1"},
        {0, "(8,8):(ld,1)", NULL, 0, {"0 <= ld <= 7"}, ZLAY_NO, ""},
        {0, "(2,M):(0,ld)", NULL, 0, {NULL}, ZLAY_NO, ""},
        {0, "ld o (4,8):(8,1)", NULL, 0, {NULL}, ZLAY_YES, ""},
        {0, "ld o (3,4):(3,2)", NULL, 0, {NULL}, ZLAY_NO, ""},
        {0, "(M,N):(3,2)", NULL, 0, {NULL}, ZLAY_DEPENDS, "M == 1 || N == 1 || 2 >= M || 3 >= N"},
        {0, "(M,N,K):(ld,h,1)", NULL, 0, {NULL}, ZLAY_UNDECIDED, ""},
        {2, "(K,M):(1,ld)", NULL, 0, {NULL}, ZLAY_DEPENDS, "M == 1 || K == ld"},
        {2, "(K,M):(1,K)", NULL, 0, {NULL}, ZLAY_YES, ""},
        {2, "K - 1 o K:-1", NULL, 0, {NULL}, ZLAY_YES, ""},
        {2, "ld o 4:1", NULL, 0, {NULL}, ZLAY_DEPENDS, "ld == 0"},
        {1, "K:1", NULL, 8, {NULL}, ZLAY_DEPENDS, "K >= 8"},
        {1, "(K,M):(1,ld)", NULL, 8, {"K >= 8", "ld >= 0"}, ZLAY_YES, ""},
        {1, "K:2", NULL, 8, {"K >= 2"}, ZLAY_NO, ""},
        {3, "K:ld", "(K,M):(ld,1)", 0, {NULL}, ZLAY_YES, ""},
        {3, "4:2", "K:1", 0, {NULL}, ZLAY_DEPENDS, "K >= 7"},
        {3, "K:1", "8:1", 0, {NULL}, ZLAY_DEPENDS, "8 >= K"},
        {3, "K:1", "8:1", 0, {"K >= 9"}, ZLAY_NO, ""},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        size_t count = 0;
        char guard[ROOM];
        zlay_buf buf = {guard, sizeof guard, 0};
        zlay_answer answer;
        while (count < 3 && row[i].fact[count]) count++;
        zlay_layout *a = assumed(*state, read_layout(*state, row[i].a), count, row[i].fact);
        zlay_layout *b = row[i].b
            ? assumed(*state, read_layout(*state, row[i].b), count, row[i].fact) : NULL;
        if (asked(*state, row[i].kind, &answer, &buf, a, b, row[i].onto))
            fail_msg("row %d: %s", (int)i, zlay_ctx_message(*state));
        if (answer != row[i].answer || strcmp(guard, row[i].guard))
            fail_msg("row %d, %s: %d '%s'", (int)i, row[i].a, answer, guard);
        zlay_layout_free(a);
        zlay_layout_free(b);
    }
}

/* A NO shows at the sample, by the deciders that have no guard. */
static void witnesses(void **state)
{
    uint64_t seed = test_seed("witnesses"), pairs = 0, missing = 0, absent = 0;
    for (uint64_t i = 0; i < test_iterations(6000); i++) {
        int64_t value[2 * NAMES];
        uint64_t w[2] = {0, 0}, onto = (uint64_t)test_range(&seed, 1, 9);
        zlay_answer injective, surjective, contained;
        const char *name[NAMES];
        zlay_layout *a = assumed(*state, random_layout(&seed, *state), NAMES, sets[2]), *s;
        zlay_layout *b = read_layout(*state, "8:2");
        size_t count = 0;
        if (is_symbolic(a)) {
            while (count < NAMES && (name[count] = zlay_layout_param_nth(a, count))) count++;
            assert_int_equal(zlay_layout_sample(*state, value, count, a, NULL), ZLAY_OK);
            assert_int_equal(zlay_layout_bind(*state, &s, a, count, name, value), ZLAY_OK);
            assert_int_equal(zlay_layout_is_injective(*state, &injective, w, a), ZLAY_OK);
            if (injective == ZLAY_NO && w[0] != UINT64_MAX) {
                assert_true(w[0] < w[1]);
                assert_int_equal(layout_at(s, w[0]), layout_at(s, w[1]));
                pairs++;
            }
            assert_int_equal(zlay_layout_is_surjective(*state, &surjective, w, a, &onto, 1), ZLAY_OK);
            if (surjective == ZLAY_NO) {
                static values v;
                values_of(&v, s);
                assert_true(w[0] < onto && !has(&v, (int64_t)w[0]));
                missing++;
            }
            assert_int_equal(zlay_layout_contained(*state, &contained, w, a, b), ZLAY_OK);
            if (contained == ZLAY_NO) {
                int64_t v = layout_at(s, w[0]);
                assert_true(v < 0 || v > 14 || v % 2);
                absent++;
            }
            zlay_layout_free(s);
        }
        zlay_layout_free(a);
        zlay_layout_free(b);
    }
    assert_true(pairs > 10 && missing > 10 && absent > 10);
}

/* Extents that are names, divided by numbers. */
static void divides(void **state)
{
    static const char *const row[][3] = {
        {"64*K:1", "64", "(64,K):(1,64)"},
        {"(64*K,M):(1,ld)", "64", "(64,(K,M)):(1,(64,ld))"},
        {"(64*K,M):(1,ld)", "(8,2):(1,16)", "((8,2),(2,(2*K,M))):((1,16),(8,(32,ld)))"},
        {"(16,M):(ld,1)", "(2,4):(4,1)", "((2,4),(2,M)):((4*ld,ld),(8*ld,1))"},
        {"K:ld", "64", "(64,ceil(K/64)):(ld,64*ld) if i0 + 64*i1 < K"},
        {"K/4:ld", "(4,2):(4,1)", "((4,2),(2,ceil(K/64))):((4*ld,ld),(2*ld,16*ld)) if 4*i0 + i1 + 2*i2 + 16*i3 < K/4"},
        {"(K,M):(1,ld)", "64", NULL},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        zlay_layout *a = read_layout(*state, row[i][0]), *b = read_layout(*state, row[i][1]), *made;
        zlay_status status = zlay_layout_divide(*state, &made, a, b, ZLAY_LOGICAL);
        assert_int_equal(status, row[i][2] ? ZLAY_OK : ZLAY_ELIMIT);
        if (made) assert_text(made, row[i][2]);
        if (!made) assert_non_null(strstr(zlay_ctx_message(*state), "tiler"));
        zlay_layout_free(made);
        zlay_layout_free(a);
        zlay_layout_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows), cmocka_unit_test(answers), cmocka_unit_test(witnesses),
        cmocka_unit_test(divides),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
