/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic layouts at random: every operation followed by numbers is numbers followed by the operation, value by
 * value; guards are read and evaluated here, and say what enumeration says. */
#include "layouts/symbol_draw.h"

#include <ctype.h>
#include <zlay/cute.h>
#include <zlay/decide.h>

static void assert_same(const zlay_layout *a, const zlay_layout *b, const char *what, const zlay_layout *of)
{
    char text[1024], x[1024], y[1024];
    bool same = zlay_layout_size(a) == zlay_layout_size(b);
    for (uint64_t i = 0; same && i < zlay_layout_size(a); i++) same = layout_at(a, i) == layout_at(b, i);
    if (!same)
        fail_msg("%s of %s: %s is not %s", what, layout_text(text, of), layout_text(x, a), layout_text(y, b));
}

/* Where the first ends at a ragged edge: it has as many points as the layout that was divided, each as the second has it. */
static void assert_whole(const zlay_layout *a, const zlay_layout *b, const zlay_layout *divided, const char *what, const zlay_layout *of)
{
    char text[1024], x[1024], y[1024];
    uint64_t points = 0;
    int64_t value;
    bool same = zlay_layout_size(a) == zlay_layout_size(b);
    for (uint64_t i = 0; same && i < zlay_layout_size(a); i++) {
        if (zlay_layout_eval(&value, 1, a, i)) continue;
        same = value == layout_at(b, i);
        points++;
    }
    if (!same || points != zlay_layout_size(divided))
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
                if (operations[op].make == divide && zlay_layout_kind(second) == ZLAY_LAYOUT_PIECES)
                    assert_whole(second, first, numbered, operations[op].name, a);
                else assert_same(second, first, operations[op].name, a);
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
        zlay_status status = zlay_layout_equal_guard(*state, &answer, &buf, a, b, NULL);
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

/* ---- facts about several names --------------------------------------------------------------- */

static const char *const relations[] = {"ld = K", "ld = 2*K", "ld = K + 3", "h = -ld", "ld < K", "K <= ld", "M = N", "2*M = 2*K"};

/* Numbers for which the relation holds. */
static numbers related_numbers(uint64_t *seed, int relation)
{
    numbers n = random_numbers(seed, -3);
    int64_t more = test_range(seed, 0, 3), *m = &n.at[0], *k = &n.at[1], *ld = &n.at[3];
    switch (relation) {
    case 0: *ld = *k; break;
    case 1: *ld = 2 * *k; break;
    case 2: *ld = *k + 3; break;
    case 3: n.at[4] = -*ld; break;
    case 4: *ld = *k - 1 - more; break;
    case 5: *ld = *k + more; break;
    case 6: *m = n.at[2]; break;
    default: *m = *k; break;
    }
    return n;
}

static void guards_under_relations(void **state)
{
    uint64_t seed = test_seed("relations"), seen[4] = {0, 0, 0, 0};
    uint64_t count = test_cases(10000);
    for (uint64_t i = 0; i < count; i++) {
        char guard[ROOM];
        zlay_buf buf = {guard, sizeof guard, 0};
        zlay_answer answer;
        int relation = (int)test_range(&seed, 0, 7);
        const char *text[6] = {small[0], small[1], small[2], small[3], small[4], relations[relation]};
        zlay_facts *facts = facts_of(*state, 6, text);
        zlay_layout *a = random_layout(&seed, *state, test_range(&seed, 0, 2) == 0), *b = other_layout(&seed, *state, a);
        zlay_status status = zlay_layout_equal_guard(*state, &answer, &buf, a, b, facts);
        if (status) fail_msg("equal: %s", zlay_ctx_message(*state));
        seen[answer + 2]++;
        for (int k = 0; k < 6 && answer != ZLAY_UNDECIDED; k++) {
            numbers n = related_numbers(&seed, relation);
            check_at(*state, a, b, answer, guard, &n);
        }
        zlay_layout_free(a);
        zlay_layout_free(b);
        zlay_facts_free(facts);
    }
    for (int k = 0; k < 4; k++) assert_true(seen[k] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_commute), cmocka_unit_test(guards), cmocka_unit_test(guards_under_relations),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
