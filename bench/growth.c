/* SPDX-License-Identifier: Apache-2.0 */
/* How the cost of an operation grows: each row against the same operation at its smallest size. */
#include "bench.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SIZES = 6, RANK_MOST = 32 };

typedef struct state {
    zlay_ctx *ctx;
    zlay_layout *a, *b;
    uint64_t seed;
} state;

typedef struct growth {
    const char *name, *of;
    int size[SIZES]; /* 0 ends them */
    bool (*prepare)(state *s, int size);
    bench_work *work;
} growth;

static uint64_t draw(state *s, uint64_t count)
{
    s->seed ^= s->seed << 13;
    s->seed ^= s->seed >> 7;
    s->seed ^= s->seed << 17;
    return s->seed % count;
}

/* ---- strided layouts by rank: extents 2 and 3, compact in a random order ------------------- */

static void random_strides(state *s, int rank, const int64_t *shape, int64_t *stride)
{
    int order[RANK_MOST];
    int64_t step = 1;
    for (int i = 0; i < rank; i++) order[i] = i;
    for (int i = rank - 1; i > 0; i--) {
        int j = (int)draw(s, (uint64_t)i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (int i = 0; i < rank; i++) {
        stride[order[i]] = step;
        step *= shape[order[i]];
    }
}

static zlay_layout *random_strided(state *s, int rank)
{
    int64_t shape[RANK_MOST], stride[RANK_MOST];
    zlay_layout *made;
    for (int i = 0; i < rank; i++) shape[i] = 2 + (i % 4 == 3);
    random_strides(s, rank, shape, stride);
    zlay_layout_new_strided(s->ctx, &made, (size_t)rank, shape, stride, 0);
    return made;
}

static bool prepare_strided(state *s, int rank)
{
    int64_t all = 1, one = 1;
    s->a = random_strided(s, rank);
    for (int i = 0; i < rank; i++) all *= 2 + (i % 4 == 3);
    return s->a && !zlay_layout_new_strided(s->ctx, &s->b, 1, &all, &one, 0);
}

static bool prepare_tile(state *s, int rank)
{
    int64_t extent = 2, stride = 1;
    s->a = random_strided(s, rank);
    return s->a && !zlay_layout_new_strided(s->ctx, &s->b, 1, &extent, &stride, 0);
}

static bool prepare_equal(state *s, int rank)
{
    s->a = random_strided(s, rank);
    return s->a && !zlay_layout_coalesce(s->ctx, &s->b, s->a);
}

static bool compose(void *value)
{
    state *s = value;
    zlay_layout *made;
    bool right = !zlay_layout_compose(s->ctx, &made, s->a, s->b);
    zlay_layout_free(made);
    return right;
}

static bool coalesce(void *value)
{
    state *s = value;
    zlay_layout *made;
    bool right = !zlay_layout_coalesce(s->ctx, &made, s->a);
    zlay_layout_free(made);
    return right;
}

static bool complement(void *value)
{
    state *s = value;
    zlay_layout *made;
    bool right = !zlay_layout_complement(s->ctx, &made, s->a, zlay_layout_size(s->a));
    zlay_layout_free(made);
    return right;
}

static bool divide(void *value)
{
    state *s = value;
    zlay_layout *made;
    bool right = !zlay_layout_divide(s->ctx, &made, s->a, s->b, ZLAY_LOGICAL);
    zlay_layout_free(made);
    return right;
}

static bool equal(void *value)
{
    state *s = value;
    zlay_answer answer;
    return !zlay_layout_equal(s->ctx, &answer, NULL, s->a, s->b) && answer == ZLAY_YES;
}

static bool eval(void *value)
{
    state *s = value;
    int64_t out;
    return !zlay_layout_eval(&out, 1, s->a, zlay_layout_size(s->a) / 2);
}

/* ---- F2 layouts by bits: invertible, upper triangular with random bits above the diagonal ---- */

static bool prepare_f2(state *s, int bits)
{
    zlay_dim in = {.name = "x", .size = (uint64_t)1 << bits}, out = {.name = "y", .size = in.size};
    uint64_t basis[64];
    zlay_f2_bases f2 = {sizeof f2, 0, 1, 1, &in, &out, basis};
    for (int k = 0; k < bits; k++)
        basis[k] = (uint64_t)1 << k | (draw(s, UINT64_MAX) & (((uint64_t)1 << k) - 1));
    if (zlay_f2_new(s->ctx, &s->a, &f2)) return false;
    in.name[0] = 'z'; /* an input of one name and the same bases in both is not solved for */
    return !zlay_f2_new(s->ctx, &s->b, &f2);
}

static bool invert(void *value)
{
    state *s = value;
    zlay_layout *made;
    bool right = !zlay_f2_invert(s->ctx, &made, s->a);
    zlay_layout_free(made);
    return right;
}

static bool solve(void *value)
{
    state *s = value;
    zlay_layout *made;
    bool right = !zlay_f2_inverse_composition(s->ctx, &made, s->b, s->a);
    zlay_layout_free(made);
    return right;
}

static bool injective(void *value)
{
    state *s = value;
    zlay_answer answer;
    return !zlay_layout_is_injective(s->ctx, &answer, NULL, s->a) && answer == ZLAY_YES;
}

static bool contained(void *value)
{
    state *s = value;
    zlay_answer answer;
    return !zlay_layout_contained(s->ctx, &answer, NULL, s->a, s->b) && answer == ZLAY_YES;
}

static bool bijective(void *value)
{
    state *s = value;
    zlay_answer answer;
    return !zlay_layout_is_bijective(s->ctx, &answer, NULL, s->a) && answer == ZLAY_YES;
}

static bool lift(void *value)
{
    state *s = value;
    zlay_layout *made;
    bool right = !zlay_layout_lift(s->ctx, &made, s->a);
    zlay_layout_free(made);
    return right;
}

/* ---- pieces by their number: runs of 16 with a stride of their own each ----------------------- */

static bool prepare_pieces(state *s, int count)
{
    char text[16384], *at = text + sprintf(text, "{ ");
    for (int i = 0; i < count; i++)
        at += sprintf(at, "%s[i] -> [%di + %d] : %d <= i < %d", i ? "; " : "", i + 2, 1000 * i,
                      16 * i, 16 * i + 16);
    at += sprintf(at, " }");
    int64_t extent = 8 * count, stride = 2;
    return !zlay_layout_parse(s->ctx, &s->a, text, (size_t)(at - text)) &&
           !zlay_layout_new_strided(s->ctx, &s->b, 1, &extent, &stride, 0);
}

static bool prepare_same_pieces(state *s, int count)
{
    if (!prepare_pieces(s, count)) return false;
    zlay_layout_free(s->b);
    s->b = NULL;
    return !zlay_layout_flip(s->ctx, &s->b, s->a, 0);
}

static bool differ(void *value)
{
    state *s = value;
    zlay_answer answer;
    return !zlay_layout_equal(s->ctx, &answer, NULL, s->a, s->b) && answer == ZLAY_NO;
}

static bool flip(void *value)
{
    state *s = value;
    zlay_layout *made;
    bool right = !zlay_layout_flip(s->ctx, &made, s->a, 0);
    zlay_layout_free(made);
    return right;
}

/* ---- many pieces: blocks of 8 in a random order, a bijection ------------------------------------ */

enum { PIECES_MOST = 4096 };

static bool prepare_blocks(state *s, int count)
{
    static char text[PIECES_MOST * 64];
    static int order[PIECES_MOST];
    char *at = text + sprintf(text, "{ ");
    for (int i = 0; i < count; i++) {
        int j = (int)draw(s, (uint64_t)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < count; i++)
        at += sprintf(at, "%s[i] -> [i + %d] : %d <= i < %d", i ? "; " : "", 8 * (order[i] - i), 8 * i, 8 * i + 8);
    at += sprintf(at, " }");
    return !zlay_layout_parse(s->ctx, &s->a, text, (size_t)(at - text)) &&
           !zlay_layout_parse(s->ctx, &s->b, text, (size_t)(at - text));
}

static bool left_inverse(void *value)
{
    state *s = value;
    zlay_layout *made;
    bool right = !zlay_layout_left_inverse(s->ctx, &made, s->a);
    zlay_layout_free(made);
    return right;
}

/* The same blocks of 2^20 points each, in two orders. */
static bool read_blocks(state *s, zlay_layout **out, int count)
{
    static char text[PIECES_MOST * 96];
    static int order[PIECES_MOST];
    const long long width = 1LL << 20;
    char *at = text + sprintf(text, "{ ");
    for (int i = 0; i < count; i++) {
        int j = (int)draw(s, (uint64_t)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < count; i++)
        at += sprintf(at, "%s[i] -> [i + %lld] : %lld <= i < %lld", i ? "; " : "", width * (order[i] - i), width * i,
                      width * (i + 1));
    at += sprintf(at, " }");
    return !zlay_layout_parse(s->ctx, out, text, (size_t)(at - text));
}

static bool prepare_large_blocks(state *s, int count)
{
    return read_blocks(s, &s->a, count) && read_blocks(s, &s->b, count);
}

/* ---- an n x n tile under a 128-byte swizzle, n a power of two and beside it ----------------------- */

static bool prepare_square(state *s, int n)
{
    char text[96];
    int length = snprintf(text, sizeof text, "Sw<3,4,3> o 0 o (%d,%d):(%d,1)", n, n, n);
    int64_t points = (int64_t)n * n, stride = 1;
    points = (points + 1023) / 1024 * 1024;
    return !zlay_layout_parse(s->ctx, &s->a, text, (size_t)length) &&
           !zlay_layout_new_strided(s->ctx, &s->b, 1, &points, &stride, 0);
}

/* The same with its columns side by side, and one layout to repeat it by. */
static bool prepare_columns(state *s, int n)
{
    char text[96];
    int length = snprintf(text, sizeof text, "Sw<3,4,3> o 0 o (%d,%d):(1,%d)", n, n, n);
    return !zlay_layout_parse(s->ctx, &s->a, text, (size_t)length) &&
           !zlay_layout_parse(s->ctx, &s->b, "4:1", 3);
}

/* Rows side by side, and a tile of its index that powers of two alone divide. */
static bool prepare_rows(state *s, int n)
{
    if (!prepare_square(s, n)) return false;
    zlay_layout_free(s->b);
    return !zlay_layout_parse(s->ctx, &s->b, "64:1", 4);
}

static bool prepare_rows_and_tile(state *s, int n)
{
    if (!prepare_square(s, n)) return false;
    zlay_layout_free(s->b);
    return !zlay_layout_parse(s->ctx, &s->b, "(64,64):(1,64)", 14);
}

/* An n x n tile without a swizzle, of the same by columns with one. */
static bool prepare_swizzled_index(state *s, int n)
{
    char text[96];
    int length = snprintf(text, sizeof text, "(%d,%d):(%d,1)", n, n, n);
    if (zlay_layout_parse(s->ctx, &s->a, text, (size_t)length)) return false;
    length = snprintf(text, sizeof text, "Sw<3,4,3> o 0 o (%d,%d):(1,%d)", n, n, n);
    return !zlay_layout_parse(s->ctx, &s->b, text, (size_t)length);
}

static bool cosize(void *value)
{
    state *s = value;
    uint64_t size;
    return !zlay_layout_cosize(s->ctx, &size, s->a) && size >= zlay_layout_size(s->a);
}

static bool bijective_or_not(void *value)
{
    state *s = value;
    zlay_answer answer;
    return !zlay_layout_is_bijective(s->ctx, &answer, NULL, s->a) && answer != ZLAY_UNDECIDED;
}

static bool right_inverse(void *value)
{
    state *s = value;
    zlay_layout *made;
    bool right = !zlay_layout_right_inverse(s->ctx, &made, s->a);
    zlay_layout_free(made);
    return right;
}

static bool product(void *value)
{
    state *s = value;
    zlay_layout *made;
    bool right = !zlay_layout_product(s->ctx, &made, s->b, s->a, ZLAY_LOGICAL);
    zlay_layout_free(made);
    return right;
}

#define BESIDE_POWERS {1024, 1025, 1000, 2048, 2049, 4097}
#define MANY_PIECES {64, 128, 256, 512, 1024, 4096}

static const growth rows[] = {
    {"eval", "rank", {1, 2, 4, 8, 16, 32}, prepare_tile, eval},
    {"coalesce", "rank", {1, 2, 4, 8, 16, 32}, prepare_tile, coalesce},
    {"compose with a compact layout", "rank", {1, 2, 4, 8, 16, 32}, prepare_strided, compose},
    {"complement", "rank", {1, 2, 4, 8, 16, 32}, prepare_tile, complement},
    {"logical_divide by 2:1", "rank", {1, 2, 4, 8, 16, 32}, prepare_tile, divide},
    {"equal, strided", "rank", {1, 2, 4, 8, 16, 32}, prepare_equal, equal},
    {"injective, strided", "rank", {1, 2, 4, 8, 16, 32}, prepare_strided, injective},
    {"contained, strided", "rank", {1, 2, 4, 8, 16, 32}, prepare_equal, contained},
    {"f2.invert", "bits", {2, 4, 8, 16, 32, 60}, prepare_f2, invert},
    {"f2.invert_and_compose", "bits", {2, 4, 8, 16, 32, 60}, prepare_f2, solve},
    {"bijective, f2", "bits", {2, 4, 8, 16, 32, 60}, prepare_f2, bijective},
    {"equal, f2", "bits", {2, 4, 8, 16, 32, 60}, prepare_f2, equal},
    {"lift of f2", "bits", {2, 4, 8, 16}, prepare_f2, lift},
    {"compose pieces with 2:1", "pieces", {2, 4, 8, 16, 32, 64}, prepare_pieces, compose},
    {"flip pieces", "pieces", {2, 4, 8, 16, 32, 64}, prepare_pieces, flip},
    {"equal, pieces that differ", "pieces", {2, 4, 8, 16, 32, 64}, prepare_same_pieces, differ},
    {"injective, pieces", "pieces", MANY_PIECES, prepare_blocks, injective},
    {"equal, pieces", "pieces", MANY_PIECES, prepare_blocks, equal},
    {"contained, pieces of 2^20 points", "pieces", MANY_PIECES, prepare_large_blocks, contained},
    {"left inverse of pieces", "pieces", MANY_PIECES, prepare_blocks, left_inverse},
    {"contained, swizzled n x n in 0, 1, 2, ...", "n", BESIDE_POWERS, prepare_square, contained},
    {"cosize, swizzled n x n", "n", BESIDE_POWERS, prepare_square, cosize},
    {"bijective, swizzled n x n", "n", BESIDE_POWERS, prepare_square, bijective_or_not},
    {"right inverse, swizzled n x n by columns", "n", BESIDE_POWERS, prepare_columns, right_inverse},
    {"right inverse, swizzled n x n by rows", "n", BESIDE_POWERS, prepare_rows, right_inverse},
    {"logical_divide swizzled n x n by 64:1", "n", BESIDE_POWERS, prepare_rows, divide},
    {"compose swizzled n x n with (64,64):(1,64)", "n", BESIDE_POWERS, prepare_rows_and_tile, compose},
    {"compose n x n with swizzled n x n", "n", BESIDE_POWERS, prepare_swizzled_index, compose},
    {"product of 4:1 by swizzled n x n", "n", BESIDE_POWERS, prepare_columns, product},
};

static void forget(state *s)
{
    zlay_layout_free(s->a);
    zlay_layout_free(s->b);
    s->a = s->b = NULL;
}

static bool run(state *s, const growth *g, bool json)
{
    double first = -1;
    for (int i = 0; i < SIZES && g->size[i]; i++) {
        char name[96], against[64];
        double time = g->prepare(s, g->size[i]) ? bench_time(g->work, s) : -1;
        forget(s);
        if (time < 0) {
            fprintf(stderr, "zlay-bench: %s: a wrong result\n", g->name);
            return false;
        }
        if (first < 0) first = time;
        snprintf(name, sizeof name, "%s, %s %d", g->name, g->of, g->size[i]);
        snprintf(against, sizeof against, "the same at %s %d", g->of, g->size[0]);
        bench_line(name, time, "us", against, first / time, json);
    }
    return true;
}

bool bench_growth(zlay_ctx *ctx, bool json)
{
    state s = {.ctx = ctx, .seed = 88172645463325252u};
    bool right = true;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        right = run(&s, &rows[i], json) && right;
    return right;
}
