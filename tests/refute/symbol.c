/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute divides, products and composition of layouts with unknown extents and strides: random layouts, tilers and facts;
 * the answer at random numbers that the facts allow is compared, point by point, with the same operation on the layout of numbers.
 * Past a ragged edge, which is found from the coordinates that the same divide of the modes' own indices gives, it is undefined,
 * and nowhere else.  Every answer is printed and read again before.  10^4 cases, 10^6 with ZLAY_EXHAUSTIVE=1. */
#include "layouts/layout.h"

#include <stdbool.h>
#include <string.h>
#include <zlay/cute.h>
#include <zlay/symbol.h>

enum { CASES = 10000, NAMES = 5, MODES = 3, POINTS = 4096, TEXT = 1024 };

static const char *const names[NAMES] = {"M", "K", "N", "ld", "h"};

typedef struct numbers {
    int64_t at[NAMES];
} numbers;

/* A mode: an extent and a stride as text, the name of the extent; a second leaf of numbers before it. */
typedef struct mode {
    char extent[32], stride[32];
    bool named, nested;
    int64_t inner, inner_stride;
} mode;

typedef struct drawn {
    int modes;
    mode at[MODES];
    int64_t multiple[3]; /* M, K and N are multiples of these */
    bool said[3];        /* and a fact says so */
    char b[64], tiler[96];
    bool whole;          /* b is a layout along the index */
    zlay_arrangement arrangement;
} drawn;

static int64_t pick(uint64_t *seed, const int64_t *from, int64_t count) { return from[test_range(seed, 0, count - 1)]; }

static void draw_mode(uint64_t *seed, mode *m, const int64_t *multiple)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 96, 100};
    static const char *const strides[] = {"ld", "h", "1", "0", "2*ld", "K", "M", "-1", "12", "100", "-ld", "3*h*ld"};
    int name = (int)test_range(seed, 0, 2), how = (int)test_range(seed, 0, 9);
    m->named = how > 1;
    if (!m->named) sprintf(m->extent, "%d", (int)pick(seed, sizes, 15));
    else if (how == 2) sprintf(m->extent, "%d*%s", (int)test_range(seed, 2, 6), names[name]);
    else if (how == 3 && multiple[name] > 1) sprintf(m->extent, "%s/%d", names[name], (int)multiple[name]);
    else if (how == 4) sprintf(m->extent, "%s*%s", names[name], names[test_range(seed, 0, 2)]);
    else if (how == 5) sprintf(m->extent, "ceil(%s/%d)", names[name], (int)test_range(seed, 2, 5));
    else strcpy(m->extent, names[name]);
    strcpy(m->stride, strides[test_range(seed, 0, 11)]);
    m->nested = !test_range(seed, 0, 7);
    m->inner = test_range(seed, 1, 4);
    m->inner_stride = test_range(seed, -3, 9);
}

static size_t put_mode(char *text, const mode *m, bool stride)
{
    const char *own = stride ? m->stride : m->extent;
    if (!m->nested) return (size_t)sprintf(text, "%s", own);
    return (size_t)sprintf(text, "(%d,%s)", (int)(stride ? m->inner_stride : m->inner), own);
}

/* (e0,e1):(s0,s1); with `probe` the coordinate along that mode alone. */
static void put_layout(char *text, const drawn *d)
{
    size_t at = 0;
    for (int stride = 0; stride < 2; stride++) {
        at += (size_t)sprintf(text + at, stride ? ":(" : "(");
        for (int k = 0; k < d->modes; k++) {
            if (k) text[at++] = ',';
            at += put_mode(text + at, &d->at[k], stride);
        }
        at += (size_t)sprintf(text + at, ")");
    }
}

static void draw(uint64_t *seed, drawn *d)
{
    static const int64_t multiples[] = {1, 1, 2, 3, 4, 6, 8, 12, 64};
    static const char *const tiles[] = {"1", "2", "3", "4", "5", "8", "12", "64", "4:2", "2:3", "(2,2):(4,1)", "(2,3):(1,4)", "4:1"};
    memset(d, 0, sizeof *d);
    for (int i = 0; i < 3; i++) {
        d->multiple[i] = pick(seed, multiples, 9);
        d->said[i] = test_range(seed, 0, 1);
    }
    d->modes = (int)test_range(seed, 1, MODES);
    for (int k = 0; k < d->modes; k++) draw_mode(seed, &d->at[k], d->multiple);
    d->arrangement = (zlay_arrangement)test_range(seed, 0, 3);
    strcpy(d->b, tiles[test_range(seed, 0, 12)]);
    d->whole = d->modes == 1 ? test_range(seed, 0, 1) : !test_range(seed, 0, 4);
    int entries = (int)test_range(seed, 1, d->modes);
    strcpy(d->tiler, "<");
    for (int k = 0; k < entries; k++) {
        strcat(d->tiler, k ? ";" : "");
        strcat(d->tiler, tiles[test_range(seed, 0, 12)]);
    }
    strcat(d->tiler, ">");
}

static numbers draw_numbers(uint64_t *seed, const drawn *d)
{
    static const int64_t pitches[] = {1, 2, 3, 5, 8, 12, 96, 100, 1000, -4, 0, 1099511627776};
    numbers n;
    for (int i = 0; i < 3; i++) n.at[i] = d->multiple[i] * test_range(seed, 1, d->multiple[i] > 12 ? 2 : 12);
    for (int i = 3; i < NAMES; i++) n.at[i] = pick(seed, pitches, 12);
    return n;
}

static zlay_layout *assumed(zlay_ctx *ctx, const zlay_layout *a, const drawn *d)
{
    char text[3][64];
    const char *fact[3];
    size_t length[3], count = 0;
    zlay_facts *facts;
    zlay_layout *made;
    for (int i = 0; i < 3; i++) {
        if (!d->said[i]) continue;
        length[count] = (size_t)sprintf(text[i], "%s mod %d = 0", names[i], (int)d->multiple[i]);
        fact[count++] = text[i];
    }
    assert_int_equal(zlay_facts_parse(ctx, &facts, count, fact, length), ZLAY_OK);
    if (zlay_layout_assume(ctx, &made, a, facts)) fail_msg("assume: %s", zlay_ctx_message(ctx));
    zlay_facts_free(facts);
    return made;
}

static zlay_layout *bound(zlay_ctx *ctx, const zlay_layout *a, const numbers *n)
{
    const char *name[NAMES], *param;
    int64_t value[NAMES];
    size_t count = 0;
    zlay_layout *made;
    for (size_t i = 0; (param = zlay_layout_param_nth(a, i)); i++)
        for (int k = 0; k < NAMES; k++)
            if (!strcmp(param, names[k])) name[count] = names[k], value[count++] = n->at[k];
    if (zlay_layout_bind(ctx, &made, a, count, name, value)) return NULL;
    assert_null(zlay_layout_param_nth(made, 0));
    return made;
}

/* ---- operations --------------------------------------------------------------------------- */

typedef enum op { DIVIDE, COMPOSE, PRODUCT, BLOCKED, RAKED, OPS } op;

static const char *const op_names[OPS] = {"divide", "compose", "product", "blocked", "raked"};

static zlay_status make(zlay_ctx *ctx, zlay_layout **out, op what, const zlay_layout *a, const drawn *d, const zlay_layout *b)
{
    size_t length = strlen(d->tiler);
    switch (what) {
    case DIVIDE:
        return d->whole ? zlay_layout_divide(ctx, out, a, b, d->arrangement)
                        : zlay_layout_divide_tiler(ctx, out, a, d->tiler, length, d->arrangement);
    case COMPOSE: return d->whole ? zlay_layout_compose(ctx, out, a, b) : zlay_layout_compose_tiler(ctx, out, a, d->tiler, length);
    case PRODUCT:
        return d->whole ? zlay_layout_product(ctx, out, a, b, d->arrangement)
                        : zlay_layout_product_tiler(ctx, out, a, d->tiler, length, d->arrangement);
    case BLOCKED: return zlay_layout_blocked_product(ctx, out, a, b);
    default: return zlay_layout_raked_product(ctx, out, a, b);
    }
}

static zlay_layout *printed(zlay_ctx *ctx, const zlay_layout *a)
{
    char text[4 * TEXT];
    layout_text(text, a);
    return read_layout(ctx, text);
}

/* The layout whose value is the index within mode k, 0 along the others. */
static zlay_layout *probe(zlay_ctx *ctx, const drawn *d, int k, const zlay_layout *numbered)
{
    char text[TEXT];
    uint64_t extent[MODES];
    size_t at = 0;
    zlay_layout_box(extent, MODES, numbered);
    for (int stride = 0; stride < 2; stride++) {
        at += (size_t)sprintf(text + at, stride ? ":(" : "(");
        for (int i = 0; i < d->modes; i++) {
            long long inner = d->at[i].nested ? (long long)d->at[i].inner : 1, outer = (long long)extent[i] / inner;
            if (i) text[at++] = ',';
            if (!d->at[i].nested) at += (size_t)sprintf(text + at, "%lld", stride ? (long long)(i == k) : outer);
            else if (stride) at += (size_t)sprintf(text + at, "(%d,%lld)", i == k, i == k ? inner : 0);
            else at += (size_t)sprintf(text + at, "(%lld,%lld)", inner, outer);
        }
        at += (size_t)sprintf(text + at, ")");
    }
    return read_layout(ctx, text);
}

/* Where the divide of a mode's own index, or of the whole index, stays inside of its points. */
static bool inside(zlay_layout *const *probes, int count, const uint64_t *extent, uint64_t i)
{
    for (int k = 0; k < count; k++)
        if (probes[k] && layout_at(probes[k], i) >= (int64_t)extent[k]) return false;
    return true;
}

static void make_probes(zlay_ctx *ctx, zlay_layout **probes, const drawn *d, const zlay_layout *numbered, const zlay_layout *b)
{
    for (int k = 0; k < d->modes; k++) {
        probes[k] = NULL;
        if (!d->at[k].named) continue;
        zlay_layout *index = probe(ctx, d, k, numbered);
        if (make(ctx, &probes[k], DIVIDE, index, d, b)) fail_msg("probe: %s", zlay_ctx_message(ctx));
        zlay_layout_free(index);
    }
}

static void compare(const zlay_layout *made, const zlay_layout *want, op what, zlay_layout *const *probes, int count, const uint64_t *extent,
                    const char *case_text)
{
    if (zlay_layout_size(made) != zlay_layout_size(want)) fail_msg("%s: %s: sizes differ", op_names[what], case_text);
    for (uint64_t i = 0; i < zlay_layout_size(want); i++) {
        int64_t value;
        bool there = !zlay_layout_eval(&value, 1, made, i), should = what != DIVIDE || inside(probes, count, extent, i);
        if (there != should || (there && value != layout_at(want, i)))
            fail_msg("%s: %s: at %d: %s, %lld and %lld", op_names[what], case_text, (int)i, there == should ? "value" : "edge",
                     there ? (long long)value : 0, (long long)layout_at(want, i));
    }
}

static void check_at(zlay_ctx *ctx, const zlay_layout *a, const zlay_layout *made, op what, const drawn *d, const zlay_layout *b,
                     const numbers *n, uint64_t *compared, uint64_t *ragged)
{
    char x[TEXT], y[4 * TEXT], text[8 * TEXT];
    zlay_layout *numbered = bound(ctx, a, n), *want = NULL, *second, *probes[MODES] = {NULL};
    uint64_t extent[MODES] = {0};
    if (!numbered || zlay_layout_size(numbered) > POINTS) {
        zlay_layout_free(numbered);
        return;
    }
    sprintf(text, "%s by %s %s is %s (M %d, K %d, N %d, ld %lld, h %lld)", layout_text(x, a), d->whole || what >= BLOCKED ? d->b : d->tiler, "", layout_text(y, made),
            (int)n->at[0], (int)n->at[1], (int)n->at[2], (long long)n->at[3], (long long)n->at[4]);
    zlay_layout_box(extent, MODES, numbered);
    zlay_status status = make(ctx, &want, what, numbered, d, b);
    if (status == ZLAY_ELIMIT || status == ZLAY_EOVERFLOW) {
        zlay_layout_free(numbered);
        return;
    }
    if (status) fail_msg("%s: %s: numbers: %s, %s", op_names[what], text, zlay_status_name(status), zlay_ctx_message(ctx));
    second = bound(ctx, made, n);
    if (!second) fail_msg("%s: %s: bind: %s", op_names[what], text, zlay_ctx_message(ctx));
    if (what == DIVIDE && !d->whole) make_probes(ctx, probes, d, numbered, b);
    if (zlay_layout_size(want) <= 8 * POINTS) {
        bool edge = zlay_layout_kind(second) == ZLAY_LAYOUT_PIECES;
        if (what == DIVIDE && d->whole && edge) { /* along the index: of one progression */
            zlay_layout *index = NULL, *flat;
            char line[64];
            sprintf(line, "%llu:1", (unsigned long long)zlay_layout_size(numbered));
            flat = read_layout(ctx, line);
            if (zlay_layout_divide(ctx, &index, flat, b, d->arrangement)) fail_msg("index: %s", zlay_ctx_message(ctx));
            uint64_t size = zlay_layout_size(numbered);
            compare(second, want, what, &index, 1, &size, text);
            zlay_layout_free(index);
            zlay_layout_free(flat);
        } else compare(second, want, what, probes, d->whole ? 0 : d->modes, extent, text);
        *ragged += edge;
        ++*compared;
    }
    for (int k = 0; k < MODES; k++) zlay_layout_free(probes[k]);
    zlay_layout_free(second);
    zlay_layout_free(want);
    zlay_layout_free(numbered);
}

static void operations(void **state)
{
    uint64_t seed = test_seed("refute/symbol"), count = test_cases(CASES);
    uint64_t answered[OPS] = {0}, compared = 0, ragged = 0;
    for (uint64_t i = 0; i < count; i++) {
        drawn d;
        char text[TEXT];
        zlay_layout *made = NULL;
        op what = (op)(i % OPS);
        draw(&seed, &d);
        put_layout(text, &d);
        zlay_layout *wild = read_layout(*state, text), *a = assumed(*state, wild, &d), *b = read_layout(*state, d.b);
        bool symbolic = zlay_layout_kind(a) == ZLAY_LAYOUT_SYMBOLIC;
        zlay_status status = symbolic ? make(*state, &made, what, a, &d, b) : ZLAY_ELIMIT;
        if (status && status != ZLAY_ELIMIT && status != ZLAY_NONE) fail_msg("%s of %s: %s, %s", op_names[what], text, zlay_status_name(status), zlay_ctx_message(*state));
        answered[what] += !status;
        for (int k = 0; k < 2 && !status; k++) {
            numbers n = draw_numbers(&seed, &d);
            zlay_layout *again = printed(*state, made);
            check_at(*state, a, again, what, &d, b, &n, &compared, &ragged);
            zlay_layout_free(again);
        }
        zlay_layout_free(made);
        zlay_layout_free(a);
        zlay_layout_free(b);
        zlay_layout_free(wild);
    }
    print_message("%llu cases, %llu compared, %llu with an edge; answered:", (unsigned long long)count, (unsigned long long)compared, (unsigned long long)ragged);
    for (int k = 0; k < OPS; k++) print_message(" %s %llu", op_names[k], (unsigned long long)answered[k]);
    print_message("\n");
    assert_true(compared > count / 4 && ragged > count / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(operations)};
    return cmocka_run_group_tests(tests, begin, end);
}
