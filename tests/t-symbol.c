/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic layouts: every operation followed by numbers is numbers followed by the operation, value by
 * value; guards are read and evaluated here, and say what enumeration says. */
#include "heap.h"
#include "symbol.h"

#include <ctype.h>
#include <zlay/cute.h>
#include <zlay/decide.h>
#include <zlay/pieces.h>

enum { ROOM = 4096 };

/* ---- random layouts ------------------------------------------------------------------- */

static size_t put_product(uint64_t *seed, char *text, int first, int last)
{
    size_t at = 0;
    for (int64_t k = test_range(seed, 1, 2); k-- > 0;)
        at += (size_t)sprintf(text + at, "%s%s", at ? "*" : "", names[test_range(seed, first, last)]);
    return at;
}

static size_t put_extent(uint64_t *seed, char *text, bool constant)
{
    if (constant || test_range(seed, 0, 1))
        return (size_t)sprintf(text, "%d", (int)test_range(seed, 1, 4));
    if (!test_range(seed, 0, 3)) return (size_t)sprintf(text, "2*%s", names[test_range(seed, 0, 2)]);
    return test_range(seed, 0, 3) ? (size_t)sprintf(text, "%s", names[test_range(seed, 0, 2)])
                                  : put_product(seed, text, 0, 2);
}

static size_t put_stride(uint64_t *seed, char *text)
{
    size_t at = 0;
    if (!test_range(seed, 0, 2)) return (size_t)sprintf(text, "%d", (int)test_range(seed, -2, 8));
    if (test_range(seed, 0, 1)) at = (size_t)sprintf(text, "%d*", (int)test_range(seed, -2, 4));
    return at + put_product(seed, text + at, 0, NAMES - 1);
}

/* Of three shapes: one mode, flat modes, a nested one. */
static void random_text(uint64_t *seed, char text[ROOM], bool constant)
{
    static const char *const profiles[] = {"x:x", "(x,x):(x,x)", "(x,x,x):(x,x,x)", "(x,(x,x)):(x,(x,x))"};
    const char *profile = profiles[test_range(seed, 0, 3)];
    bool stride = false;
    size_t at = 0;
    if (!test_range(seed, 0, 2)) {
        at = put_stride(seed, text);
        at += (size_t)sprintf(text + at, " + ");
        at += put_product(seed, text + at, 0, NAMES - 1);
        at += (size_t)sprintf(text + at, " o ");
    }
    for (; *profile; profile++) {
        if (*profile == 'x') at += stride ? put_stride(seed, text + at) : put_extent(seed, text + at, constant);
        else text[at++] = *profile;
        stride = stride || *profile == ':';
    }
    text[at] = 0;
}

static zlay_layout *random_layout(uint64_t *seed, zlay_ctx *ctx, bool constant)
{
    char text[ROOM];
    random_text(seed, text, constant);
    return read_layout(ctx, text);
}

static void assert_same(const zlay_layout *a, const zlay_layout *b, const char *what, const zlay_layout *of)
{
    char text[1024], x[1024], y[1024];
    bool same = zlay_layout_size(a) == zlay_layout_size(b);
    for (uint64_t i = 0; same && i < zlay_layout_size(a); i++) same = layout_at(a, i) == layout_at(b, i);
    if (!same)
        fail_msg("%s of %s: %s is not %s", what, layout_text(text, of), layout_text(x, a), layout_text(y, b));
}

/* ---- operations ---------------------------------------------------------------------------- */

typedef struct asked {
    const zlay_layout *b;
    size_t mode;
    zlay_slice slice;
    const char *tiler;
} asked;

typedef zlay_status operation(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const asked *q);

static zlay_status coalesce(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const asked *q)
{
    (void)q;
    return zlay_layout_coalesce(ctx, out, a);
}

static zlay_status flip(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const asked *q)
{
    return zlay_layout_flip(ctx, out, a, q->mode);
}

static zlay_status slice(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const asked *q)
{
    return zlay_layout_slice(ctx, out, a, &q->slice);
}

static zlay_status compose(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const asked *q)
{
    return zlay_layout_compose(ctx, out, a, q->b);
}

static zlay_status after(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const asked *q)
{
    return zlay_layout_compose(ctx, out, q->b, a);
}

static zlay_status divide(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const asked *q)
{
    return zlay_layout_divide(ctx, out, a, q->b, ZLAY_LOGICAL);
}

static zlay_status tile(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const asked *q)
{
    return zlay_layout_divide_tiler(ctx, out, a, q->tiler, strlen(q->tiler), ZLAY_LOGICAL);
}

static zlay_status take_tiles(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const asked *q)
{
    return zlay_layout_compose_tiler(ctx, out, a, q->tiler, strlen(q->tiler));
}

static const struct {
    operation *make;
    const char *name;
    bool constant;
    int least; /* in 100, that are answered */
} operations[] = {
    {coalesce, "coalesce", false, 100}, {flip, "flip", false, 100}, {slice, "slice", true, 30},
    {compose, "compose", true, 20},     {after, "after", false, 20}, {divide, "divide", true, 20},
    {divide, "divide, with names in the extents", false, 1},
    {tile, "tile", true, 20},           {take_tiles, "take_tiles", true, 20},
};

static asked random_asked(uint64_t *seed, const zlay_layout *b)
{
    static const char *const tilers[] = {"<2:1>", "<1:0>", "<2:1;2:1>", "<4:1;1:0>"};
    asked q = {b, (size_t)test_range(seed, 0, 2), {0, 0, 0, 1}, tilers[test_range(seed, 0, 3)]};
    q.slice.mode = q.mode;
    q.slice.begin = test_range(seed, 0, 3);
    q.slice.end = q.slice.begin + test_range(seed, 1, 2);
    q.slice.step = test_range(seed, 1, 2);
    return q;
}

static void operations_commute(void **state)
{
    uint64_t seed = test_seed("operations_commute");
    for (size_t op = 0; op < sizeof operations / sizeof operations[0]; op++) {
        uint64_t done = 0, count = test_iterations(1500);
        for (uint64_t i = 0; i < count; i++) {
            zlay_layout *a = random_layout(&seed, *state, operations[op].constant), *made = NULL;
            zlay_layout *b, *numbered, *first;
            int64_t shape[2] = {test_range(&seed, 1, 4), test_range(&seed, 1, 4)};
            int64_t stride[2] = {test_range(&seed, 0, 8), test_range(&seed, 0, 8)};
            assert_int_equal(zlay_layout_new_strided(*state, &b, (size_t)test_range(&seed, 1, 2), shape, stride,
                                                     test_range(&seed, 0, 3) ? 0 : test_range(&seed, 0, 5)), ZLAY_OK);
            asked q = random_asked(&seed, b);
            if (operations[op].make != slice && operations[op].make != tile)
                q.mode %= zlay_layout_box(NULL, 0, a);
            zlay_status status = operations[op].make(*state, &made, a, &q);
            bool symbolic = zlay_layout_kind(a) == ZLAY_LAYOUT_SYMBOLIC;
            done += !status || !symbolic;
            for (int k = 0; k < 3 && !status && symbolic; k++) {
                numbers n = random_numbers(&seed, -3);
                numbered = bound(*state, a, &n);
                zlay_layout *second = bound(*state, made, &n);
                zlay_status other = operations[op].make(*state, &first, numbered, &q);
                if (other) fail_msg("%s: %s", operations[op].name, zlay_ctx_message(*state));
                assert_same(second, first, operations[op].name, a);
                zlay_layout_free(first);
                zlay_layout_free(second);
                zlay_layout_free(numbered);
            }
            zlay_layout_free(a);
            zlay_layout_free(b);
            zlay_layout_free(made);
        }
        if (done * 100 < count * (uint64_t)operations[op].least)
            fail_msg("%s: %d of %d answered", operations[op].name, (int)done, (int)count);
    }
}

/* ---- guards ----------------------------------------------------------------------------------- */

static int64_t guard_factor(reader *r)
{
    take(r, "(__int128)");
    if (take(r, "-")) return -guard_factor(r);
    if (isdigit((unsigned char)*r->at)) return strtoll(r->at, (char **)(uintptr_t)&r->at, 10);
    for (int i = NAMES - 1; i >= 0; i--)
        if (take(r, names[i])) return r->n->at[i];
    fail_msg("a guard has '%s'", r->at);
    return 0;
}

static int64_t guard_sum(reader *r)
{
    int64_t sum = 0;
    do {
        int64_t product = guard_factor(r);
        while (take(r, "*")) product *= guard_factor(r);
        sum += product;
    } while (take(r, "+"));
    return sum;
}

static bool guard_or(reader *r);

static bool guard_equation(reader *r)
{
    const char *at = r->at;
    if (!take(r, "(__int128)") && take(r, "(")) {
        bool holds = guard_or(r);
        assert_true(take(r, ")"));
        return holds;
    }
    r->at = at;
    int64_t left = guard_sum(r);
    assert_true(take(r, "=="));
    return left == guard_sum(r);
}

static bool guard_and(reader *r)
{
    bool holds = guard_equation(r);
    while (take(r, "&&")) holds = guard_equation(r) && holds;
    return holds;
}

static bool guard_or(reader *r)
{
    bool holds = guard_and(r);
    while (take(r, "||")) holds = guard_and(r) || holds;
    return holds;
}

static bool plain_equal(const zlay_layout *a, const zlay_layout *b)
{
    if (zlay_layout_size(a) != zlay_layout_size(b)) return false;
    for (uint64_t i = 0; i < zlay_layout_size(a); i++)
        if (layout_at(a, i) != layout_at(b, i)) return false;
    return true;
}

static void check_at(zlay_ctx *ctx, const zlay_layout *a, const zlay_layout *b, zlay_answer answer,
                     const char *guard, const numbers *n)
{
    char x[1024], y[1024];
    reader r = {guard, n};
    zlay_layout *p = bound(ctx, a, n), *q = bound(ctx, b, n);
    bool said = answer == ZLAY_DEPENDS ? guard_or(&r) : answer == ZLAY_YES;
    if (answer == ZLAY_DEPENDS) assert_int_equal(*r.at, 0);
    if (said != plain_equal(p, q))
        fail_msg("%s and %s: %d, '%s', and not where M %d K %d N %d ld %d h %d", layout_text(x, a), layout_text(y, b),
                 answer, guard, (int)n->at[0], (int)n->at[1], (int)n->at[2], (int)n->at[3], (int)n->at[4]);
    zlay_layout_free(p);
    zlay_layout_free(q);
}

/* The same extents in other words, other strides, or any layout. */
static zlay_layout *other_layout(uint64_t *seed, zlay_ctx *ctx, const zlay_layout *a)
{
    char text[1024], changed[2048];
    zlay_layout *b = NULL;
    int64_t way = test_range(seed, 0, 3);
    if (way == 0) assert_int_equal(zlay_layout_coalesce(ctx, &b, a), ZLAY_OK);
    if (way == 1) return random_layout(seed, ctx, test_range(seed, 0, 1));
    if (b) return b;
    layout_text(text, a);
    const char *word = names[test_range(seed, 0, NAMES - 1)], *at = strstr(text, word);
    const char *into[] = {"K", "M", "ld", "h"};
    if (!at) return read_layout(ctx, text);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, into[test_range(seed, 0, 3)], at + strlen(word));
    return read_layout(ctx, changed);
}

static zlay_facts *facts_of(zlay_ctx *ctx, size_t count, const char *const *text)
{
    size_t length[8];
    zlay_facts *facts;
    for (size_t i = 0; i < count; i++) length[i] = strlen(text[i]);
    assert_int_equal(zlay_facts_parse(ctx, &facts, count, text, length), ZLAY_OK);
    return facts;
}

/* Facts that the numbers below keep, so that products are small enough for a guard. */
static const char *const small[] = {"M <= 64", "K <= 64", "N <= 64", "-64 <= ld <= 64", "-64 <= h <= 64"};

static void guards(void **state)
{
    uint64_t seed = test_seed("guards"), seen[4] = {0, 0, 0, 0};
    zlay_facts *facts = facts_of(*state, 5, small);
    for (uint64_t i = 0; i < test_iterations(6000); i++) {
        char guard[ROOM];
        zlay_buf buf = {guard, sizeof guard, 0};
        zlay_answer answer;
        zlay_layout *wild = random_layout(&seed, *state, test_range(&seed, 0, 2) == 0), *a;
        assert_int_equal(zlay_layout_assume(*state, &a, wild, facts), ZLAY_OK);
        zlay_layout *b = other_layout(&seed, *state, a);
        zlay_status status = zlay_layout_equal_guard(*state, &answer, &buf, a, b);
        if (status) fail_msg("equal: %s", zlay_ctx_message(*state));
        assert_true(answer >= ZLAY_DEPENDS && answer <= ZLAY_YES);
        assert_int_equal(strlen(guard) > 0, answer == ZLAY_DEPENDS);
        seen[answer + 2]++;
        for (int k = 0; k < 20 && answer != ZLAY_UNDECIDED; k++) {
            numbers n = random_numbers(&seed, -3);
            check_at(*state, a, b, answer, guard, &n);
        }
        zlay_layout_free(wild);
        zlay_layout_free(a);
        zlay_layout_free(b);
    }
    zlay_facts_free(facts);
    for (int k = 0; k < 4; k++) assert_true(seen[k] > 100);
}

/* ---- facts ------------------------------------------------------------------------------------- */

static void facts_decide(void **state)
{
    static const struct {
        const char *a, *b, *fact[3];
        zlay_answer answer;
        const char *guard;
    } rows[] = {
        {"(8,4):(1,ld)", "32", {NULL}, ZLAY_DEPENDS, "ld == 8"},
        {"(8,4):(1,ld)", "32", {"ld = 8"}, ZLAY_YES, ""},
        {"(8,4):(1,ld)", "32", {"ld mod 16 = 0"}, ZLAY_NO, ""},
        {"(8,1):(1,ld)", "8", {NULL}, ZLAY_YES, ""},
        {"(8,M):(1,8)", "8*M", {NULL}, ZLAY_YES, ""},
        {"(K,M):(1,ld)", "(K,M)", {NULL}, ZLAY_DEPENDS, "M == 1 || K == ld"},
        {"(K,M):(1,ld)", "(K,M)", {"M >= 2"}, ZLAY_DEPENDS, "K == ld"},
        {"(K,M):(1,ld)", "(K,M)", {"K <= 7", "ld >= 8"}, ZLAY_DEPENDS, "M == 1"},
        {"(K,M):(1,ld)", "(K,M)", {"K <= 7", "ld >= 8", "M >= 2"}, ZLAY_NO, ""},
        {"2:2*ld", "2:3*h", {NULL}, ZLAY_DEPENDS, "(__int128)3*h == (__int128)2*ld"},
        {"2:2*ld", "2:4*h", {"0 <= h < 1000", "0 <= ld < 1000"}, ZLAY_DEPENDS, "2*h == ld"},
        {"2:2*ld", "2:3", {NULL}, ZLAY_NO, ""},
        {"2:ld*ld*ld", "2:h", {NULL}, ZLAY_UNDECIDED, ""},
        {"ld o 2:h", "3 o 2:h", {NULL}, ZLAY_DEPENDS, "ld == 3"},
        {"M:ld", "K:ld", {NULL}, ZLAY_UNDECIDED, ""},
        {"(8,M):(ld,8*ld)", "8:ld", {NULL}, ZLAY_DEPENDS, "M == 1"},
        {"(8,M):(ld,8*ld)", "8:ld", {"M > 3"}, ZLAY_NO, ""},
        {"(2,3):(M,K)", "(3,2):(N,h)", {NULL}, ZLAY_DEPENDS,
         "M == N && (__int128)K == (__int128)2*M && (__int128)3*M == (__int128)h"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t count = 0;
        char guard[ROOM];
        zlay_buf buf = {guard, sizeof guard, 0};
        zlay_answer answer;
        while (count < 3 && rows[i].fact[count]) count++;
        zlay_facts *facts = facts_of(*state, count, rows[i].fact);
        zlay_layout *wild[2] = {read_layout(*state, rows[i].a), read_layout(*state, rows[i].b)}, *a, *b;
        assert_int_equal(zlay_layout_assume(*state, &a, wild[0], facts), ZLAY_OK);
        assert_int_equal(zlay_layout_assume(*state, &b, wild[1], facts), ZLAY_OK);
        assert_int_equal(zlay_layout_equal_guard(*state, &answer, &buf, a, b), ZLAY_OK);
        zlay_answer given;
        assert_int_equal(zlay_layout_equal_for_all(*state, &given, NULL, wild[0], wild[1], facts), ZLAY_OK);
        assert_int_equal(given, answer);
        if (answer == ZLAY_DEPENDS) assert_non_null(strstr(zlay_ctx_message(*state), guard));
        if (answer != rows[i].answer || strcmp(guard, rows[i].guard))
            fail_msg("row %d, %s and %s: %d '%s'", (int)i, rows[i].a, rows[i].b, answer, guard);
        zlay_facts_free(facts);
        zlay_layout_free(wild[0]);
        zlay_layout_free(wild[1]);
        zlay_layout_free(a);
        zlay_layout_free(b);
    }
}

/* ---- text --------------------------------------------------------------------------------------------- */

static void texts(void **state)
{
    static const char *const rows[][2] = {
        {"(M,K):(ld,1)", "(M,K):(ld,1)"},
        {"( M , K )", "(M,K):(1,M)"},
        {"(8,(4,N)):(2*ld,(1,4*ld*h))", "(8,(4,N)):(2*ld,(1,4*h*ld))"},
        {"_8:ld*_2", "8:2*ld"},
        {"3 + ld*2 - ld o 4:-ld", "ld + 3 o 4:-ld"},
        {"ld - ld o 4:ld", "4:ld"},
        {"4:0*ld", "4:0"},
        {"(2,2):(ld*ld,-1*ld)", "(2,2):(ld*ld,-ld)"},
        {"o1 o 4:_x", "o1 o 4:_x"},
    };
    static const struct {
        const char *text, *word;
        zlay_status status;
    } wrong[] = {
        {"(M,K):(ld)", "byte", ZLAY_EINVAL},
        {"(M,K):(ld,", "byte 10", ZLAY_EINVAL},
        {"M:o", "byte 2", ZLAY_EINVAL},
        {"0*M:ld", "below 1", ZLAY_EINVAL},
        {"-M:ld", "below 1", ZLAY_EINVAL},
        {"M:ld/2", "byte 4", ZLAY_EINVAL},
        {"M:2ld", "byte 3", ZLAY_EINVAL},
        {"M:mod", "byte 2", ZLAY_EINVAL},
        {"Sw<1,0,3> o 0 o M:ld", "byte", ZLAY_EINVAL},
        {"M:9223372036854775807*2*ld", "byte", ZLAY_EOVERFLOW},
        {"(M,4294967296,4294967296):(1,ld,h)", "size", ZLAY_EOVERFLOW},
        {"17:a*b*c*d*e*f*g*h*i*j*k*l*m*n*p*q*r", "16 names", ZLAY_ELIMIT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zlay_layout *a = read_layout(*state, rows[i][0]), *again = read_layout(*state, rows[i][1]);
        assert_text(a, rows[i][1]);
        assert_text(again, rows[i][1]);
        zlay_layout_free(a);
        zlay_layout_free(again);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        zlay_layout *a;
        zlay_status status = zlay_layout_parse(*state, &a, wrong[i].text, strlen(wrong[i].text));
        if (status != wrong[i].status || !strstr(zlay_ctx_message(*state), wrong[i].word))
            fail_msg("%s: %s, %s", wrong[i].text, zlay_status_name(status), zlay_ctx_message(*state));
        assert_null(a);
    }
}

static void random_texts(void **state)
{
    uint64_t seed = test_seed("random_texts");
    for (uint64_t i = 0; i < test_iterations(3000); i++) {
        char text[ROOM], once[1024], twice[1024];
        random_text(&seed, text, false);
        zlay_layout *a = read_layout(*state, text), *b = read_layout(*state, layout_text(once, a));
        assert_string_equal(layout_text(twice, b), once);
        zlay_layout_free(a);
        zlay_layout_free(b);
    }
}

/* ---- the example of zlay/symbol.h ------------------------------------------------------------------------ */

static void example(void **state)
{
    zlay_layout *a = read_layout(*state, "(M,K):(ld,1)"), *b = read_layout(*state, "(8,M):(ld,1)");
    zlay_layout *c = read_layout(*state, "(K,M):(1,K)"), *four = read_layout(*state, "4:2"), *made;
    const char *const name[] = {"M", "K", "ld"};
    const int64_t value[] = {3, 2, 4};
    assert_int_equal(zlay_layout_bind(*state, &made, a, 3, name, value), ZLAY_OK);
    assert_text(made, "(3,2):(4,1)");
    zlay_layout_free(made);
    assert_int_equal(zlay_layout_coalesce(*state, &made, c), ZLAY_OK);
    assert_text(made, "K*M:1");
    zlay_layout_free(made);
    assert_int_equal(zlay_layout_compose(*state, &made, b, four), ZLAY_OK);
    assert_text(made, "4:2*ld");
    zlay_layout_free(made);
    assert_int_equal(zlay_layout_flip(*state, &made, b, 0), ZLAY_OK);
    assert_text(made, "7*ld o (8,M):(-ld,1)");
    zlay_layout_free(made);
    zlay_layout_free(a);
    zlay_layout_free(b);
    zlay_layout_free(c);
    zlay_layout_free(four);
}

/* ---- what is refused ---------------------------------------------------------------------------------------- */

static zlay_status refused_call(zlay_ctx *ctx, int call, zlay_layout **out, const zlay_layout *a, const zlay_layout *b)
{
    uint64_t number = 0;
    int64_t value;
    const zlay_pad pad = {0, 1, 1, 0, 0};
    *out = NULL;
    switch (call) {
    case 0: return zlay_layout_complement(ctx, out, a, 64);
    case 1: return zlay_layout_right_inverse(ctx, out, a);
    case 2: return zlay_layout_left_inverse(ctx, out, a);
    case 3: return zlay_layout_product(ctx, out, a, b, ZLAY_LOGICAL);
    case 4: return zlay_layout_product(ctx, out, b, a, ZLAY_LOGICAL);
    case 5: return zlay_layout_blocked_product(ctx, out, a, b);
    case 6: return zlay_layout_raked_product(ctx, out, b, a);
    case 7: return zlay_layout_upcast(ctx, out, a, 2);
    case 8: return zlay_layout_downcast(ctx, out, a, 2);
    case 9: return zlay_layout_max_common_layout(ctx, out, a, b);
    case 10: return zlay_layout_max_common_vector(ctx, &number, b, a);
    case 11: return zlay_layout_lower(ctx, out, a);
    case 12: return zlay_layout_lift(ctx, out, a);
    case 13: return zlay_layout_pad(ctx, out, a, &pad);
    case 14: return zlay_layout_concat(ctx, out, a, a, 0);
    case 15: return zlay_layout_restrict(ctx, out, a, "x0 < 1", 6);
    case 16: return zlay_layout_union(ctx, out, a, a);
    case 17: return zlay_layout_product_tiler(ctx, out, a, "<2:1>", 5, ZLAY_LOGICAL);
    case 18: return zlay_layout_divide(ctx, out, b, a, ZLAY_LOGICAL);
    case 19: return zlay_layout_cosize(ctx, &number, a) == ZLAY_EINVAL ? ZLAY_ENOTSUP : ZLAY_OK;
    case 20: return zlay_layout_eval(&value, 1, a, 0) == ZLAY_EINVAL ? ZLAY_ENOTSUP : ZLAY_OK;
    case 21: return zlay_layout_eval_many(&value, NULL, a, NULL, 0, 1) == ZLAY_EINVAL ? ZLAY_ENOTSUP : ZLAY_OK;
    case 22: return zlay_layout_new_swizzled(ctx, out, 1, 0, 3, a) ? ZLAY_ENOTSUP : ZLAY_OK;
    case 23: return zlay_layout_coalesce_profile(ctx, out, a, "(1,1)", 5);
    default: return ZLAY_EINTERNAL;
    }
}

static void refused(void **state)
{
    zlay_layout *a = read_layout(*state, "(8,4):(ld,1)"), *b = read_layout(*state, "8:1"), *made;
    zlay_layout *m = read_layout(*state, "(M,4):(1,M)");
    for (int call = 0; call < 24; call++)
        for (int k = 0; k < 2; k++) {
            zlay_status status = refused_call(*state, call, &made, k ? m : a, b);
            bool pieces = call >= 13 && call <= 16;
            if (status != (pieces ? ZLAY_ELIMIT : ZLAY_ENOTSUP)) fail_msg("call %d of %s: %s", call, k ? "m" : "a", zlay_status_name(status));
            assert_null(made);
        }
    zlay_layout_free(a);
    zlay_layout_free(b);
    zlay_layout_free(m);
}

static void limits(void **state)
{
    zlay_layout *a = read_layout(*state, "(M,K):(ld,1)"), *b = read_layout(*state, "4:1"), *out;
    const char *const at_least[] = {"M >= 4"}, *const none[] = {"M <= 0"};
    zlay_facts *facts = facts_of(*state, 1, at_least), *empty = facts_of(*state, 1, none);
    const char *name[] = {"M"};
    int64_t value = 0;
    assert_int_equal(zlay_layout_compose(*state, &out, a, b), ZLAY_ELIMIT);
    assert_non_null(strstr(zlay_ctx_message(*state), "symbolic-stride"));
    zlay_layout *under;
    assert_int_equal(zlay_layout_assume(*state, &under, a, facts), ZLAY_OK);
    assert_int_equal(zlay_layout_compose(*state, &out, under, b), ZLAY_OK);
    assert_text(out, "4:ld");
    zlay_layout_free(out);
    assert_int_equal(zlay_layout_assume(*state, &out, a, empty), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_bind(*state, &out, a, 1, name, &value), ZLAY_EINVAL);
    value = 3;
    assert_int_equal(zlay_layout_bind(*state, &out, under, 1, name, &value), ZLAY_EINVAL);
    name[0] = "none";
    assert_int_equal(zlay_layout_bind(*state, &out, a, 1, name, &value), ZLAY_EINVAL);
    zlay_facts_free(facts);
    zlay_facts_free(empty);
    zlay_layout_free(under);
    zlay_layout_free(a);
    zlay_layout_free(b);
}

/* ---- memory ---------------------------------------------------------------------------------------------- */

static zlay_status all_calls(zlay_ctx *ctx, void *unused)
{
    (void)unused;
    zlay_layout *made[9] = {NULL};
    zlay_answer answer = ZLAY_YES;
    const zlay_slice by = {0, 1, 3, 1};
    zlay_status status = zlay_layout_parse(ctx, &made[0], "ld o (8,M):(ld,1)", 17);
    if (!status) status = zlay_layout_coalesce(ctx, &made[1], made[0]);
    if (!status) status = zlay_layout_flip(ctx, &made[2], made[0], 0);
    if (!status) status = zlay_layout_slice(ctx, &made[3], made[0], &by);
    if (!status) status = zlay_layout_compose(ctx, &made[4], made[0], made[3] ? made[3] : made[0]) == ZLAY_ENOMEM
        ? ZLAY_ENOMEM : ZLAY_OK;
    if (!status) status = zlay_layout_assume(ctx, &made[5], made[0], NULL);
    if (!status) status = zlay_layout_equal_guard(ctx, &answer, NULL, made[0], made[2]);
    if (!status) assert_int_equal(answer, ZLAY_DEPENDS);
    if (!status) status = zlay_layout_injective_guard(ctx, &answer, NULL, made[0]);
    if (!status) status = zlay_layout_bijective_guard(ctx, &answer, NULL, made[0]);
    if (!status) status = zlay_layout_surjective_guard(ctx, &answer, NULL, made[0], 4);
    if (!status) status = zlay_layout_contained_guard(ctx, &answer, NULL, made[0], made[2]);
    if (!status) status = zlay_layout_is_injective(ctx, &answer, NULL, made[0]);
    if (!status) status = zlay_layout_parse(ctx, &made[6], "(8,M):(ld,1)", 12);
    if (!status) status = zlay_layout_parse(ctx, &made[7], "4:1", 3);
    if (!status) status = zlay_layout_divide(ctx, &made[8], made[6], made[7], ZLAY_LOGICAL);
    for (int i = 0; i < 9; i++) zlay_layout_free(made[i]);
    return status;
}

static void memory(void **state)
{
    (void)state;
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(heap_fails_each(&h, ctx, all_calls, NULL), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example), cmocka_unit_test(texts), cmocka_unit_test(random_texts),
        cmocka_unit_test(operations_commute), cmocka_unit_test(guards),
        cmocka_unit_test(facts_decide), cmocka_unit_test(refused), cmocka_unit_test(limits),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
