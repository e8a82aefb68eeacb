/* SPDX-License-Identifier: Apache-2.0 */
/* Smith and Hermite forms of random matrices against FLINT's, which have no transforms: zlay's without transforms, which is like with
 * like, and Smith's with both.  FLINT's Smith form is fmpz_mat_snf; its Hermite form is by the one of its methods that is fastest for the
 * matrices of the row: fmpz_mat_hnf, which chooses by itself, classical, xgcd, minors (which needs full rank) or Pernet and Stein's.
 * Entries up to 16 and up to 2^31, square, singular (the last row is the difference of the first two, or three times the first of two)
 * and with two columns more than rows; one call is the next of 2048 matrices, 64 above 8 rows. */
#include "bench.h"

#include <stdio.h>

#if ZL_ENGINES

#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mat.h>
#include <stdlib.h>
#include <time.h>

enum { MATRICES = 2048, MANY = 64, FEW = 8, SIDES = 9 };

typedef enum task { SNF, SNF_ALL, HNF } task;
typedef enum kind { SQUARE, SINGULAR, WIDE } kind;

typedef enum method { BY_ITSELF, CLASSICAL, XGCD, MINORS, PERNET_STEIN, METHODS } method;

static const char *const method_names[METHODS] = {"FLINT fmpz_mat_hnf", "FLINT fmpz_mat_hnf_classical", "FLINT fmpz_mat_hnf_xgcd",
                                                  "FLINT fmpz_mat_hnf_minors", "FLINT fmpz_mat_hnf_pernet_stein"};

typedef struct state {
    zlay_ctx *ctx;
    size_t rows, cols, count, ours, theirs;
    task task;
    int64_t *entries[MATRICES]; /* up to 8 x 8, for the call in the caller's memory */
    zlay_zmat *matrix[MATRICES];
    bool regular[MATRICES];
    fmpz_mat_t flint[MATRICES], out;
    flint_rand_t random;
    method method; /* FLINT's for Hermite forms */
} state;

static bool small(const state *s, size_t i)
{
    int64_t d[8], u[64], v[64];
    return s->rows == s->cols && s->rows <= 8 && !zlay_zmat_snf_small(d, u, v, s->entries[i], s->rows);
}

static bool ours(void *value)
{
    state *s = value;
    zlay_zmat *d, *u = NULL, *v = NULL;
    size_t i = s->ours++ % s->count;
    if (s->task == SNF_ALL && small(s, i)) return true;
    zlay_status status = s->task == HNF ? zlay_zmat_hnf(s->ctx, &d, NULL, s->matrix[i])
        : s->task == SNF ? zlay_zmat_snf(s->ctx, &d, NULL, NULL, s->matrix[i])
                         : zlay_zmat_snf(s->ctx, &d, &u, &v, s->matrix[i]);
    zlay_zmat_free(d);
    zlay_zmat_free(u);
    zlay_zmat_free(v);
    return !status;
}

static void hermite_by_flint(state *s, size_t i)
{
    method m = s->method == MINORS && !s->regular[i] ? BY_ITSELF : s->method;
    if (m == CLASSICAL) fmpz_mat_hnf_classical(s->out, s->flint[i]);
    else if (m == XGCD) fmpz_mat_hnf_xgcd(s->out, s->flint[i]);
    else if (m == MINORS) fmpz_mat_hnf_minors(s->out, s->flint[i]);
    else if (m == PERNET_STEIN) fmpz_mat_hnf_pernet_stein(s->out, s->flint[i], s->random);
    else fmpz_mat_hnf(s->out, s->flint[i]);
}

static void by_flint(state *s, size_t i)
{
    if (s->task == HNF) hermite_by_flint(s, i);
    else fmpz_mat_snf(s->out, s->flint[i]);
}

/* FLINT's fastest: each twice on some of the matrices.  Two of them would take minutes on many rows. */
static void choose_method(state *s, kind of)
{
    clock_t least = 0;
    size_t some = s->count / (s->rows * s->rows) + 4;
    method best = BY_ITSELF;
    for (int k = 0; k < 2 * METHODS; k++) {
        s->method = (method)(k % METHODS);
        if ((s->method == MINORS && of == SINGULAR) || (s->method == XGCD && s->rows > 8) || (s->method == CLASSICAL && s->rows > 16))
            continue;
        clock_t start = clock();
        for (size_t i = 0; i < some; i++) hermite_by_flint(s, i);
        clock_t spent = clock() - start;
        if (!k || spent < least) least = spent, best = s->method;
    }
    s->method = best;
}

static bool theirs(void *value)
{
    state *s = value;
    by_flint(s, s->theirs++ % s->count);
    return true;
}

static uint64_t next(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void fill(int64_t *at, const state *s, kind of, int64_t most, uint64_t *seed)
{
    int64_t *last = at + (s->rows - 1) * s->cols;
    for (size_t j = 0; j < s->rows * s->cols; j++) at[j] = (int64_t)(next(seed) % (uint64_t)(2 * most + 1)) - most;
    for (size_t j = 0; j < s->cols && of == SINGULAR; j++)
        last[j] = s->rows == 2 ? 3 * at[j] : at[j] - at[s->cols + j];
}

static bool make(state *s, size_t n, kind of, int64_t most)
{
    uint64_t random = n;
    s->rows = n, s->cols = of == WIDE ? n + 2 : n, s->count = n > 16 && bench_quick() ? FEW : n > 8 || bench_quick() ? MANY : MATRICES;
    fmpz_mat_init(s->out, (slong)s->rows, (slong)s->cols);
    flint_randinit(s->random);
    for (size_t i = 0; i < s->count; i++) {
        fmpz_mat_init(s->flint[i], (slong)s->rows, (slong)s->cols);
        s->entries[i] = malloc(s->rows * s->cols * sizeof(int64_t));
        if (!s->entries[i]) return false;
        fill(s->entries[i], s, of, most, &random);
        for (size_t j = 0; j < s->rows * s->cols; j++)
            fmpz_set_si(fmpz_mat_entry(s->flint[i], (slong)(j / s->cols), (slong)(j % s->cols)), s->entries[i][j]);
        s->regular[i] = fmpz_mat_rank(s->flint[i]) == (slong)s->rows;
        if (zlay_zmat_new(s->ctx, &s->matrix[i], s->rows, s->cols, s->entries[i])) return false;
    }
    return true;
}

static void forget(state *s)
{
    fmpz_mat_clear(s->out);
    flint_randclear(s->random);
    for (size_t i = 0; i < s->count; i++) {
        free(s->entries[i]);
        zlay_zmat_free(s->matrix[i]);
        fmpz_mat_clear(s->flint[i]);
    }
}

static bool same_entry(const zlay_zmat *a, size_t i, size_t j, const fmpz_t wanted)
{
    char text[1200];
    zlay_buf buf = {text, sizeof text, 0};
    fmpz_t value;
    fmpz_init(value);
    bool same = !zlay_zmat_print(&buf, a, i, j) && !fmpz_set_str(value, text, 10) && fmpz_equal(value, wanted);
    fmpz_clear(value);
    return same;
}

/* Every entry of every form is FLINT's. */
static bool agrees(state *s)
{
    bool right = true;
    for (size_t i = 0; i < s->count && right; i++) {
        zlay_zmat *d;
        by_flint(s, i);
        if (s->task == HNF ? zlay_zmat_hnf(s->ctx, &d, NULL, s->matrix[i])
                           : zlay_zmat_snf(s->ctx, &d, NULL, NULL, s->matrix[i]))
            return false;
        for (size_t r = 0; r < zlay_zmat_rows(d); r++)
            for (size_t c = 0; c < zlay_zmat_cols(d); c++)
                right &= same_entry(d, r, c, fmpz_mat_entry(s->out, (slong)(s->task == HNF ? r : c), (slong)c));
        zlay_zmat_free(d);
    }
    return right;
}

typedef struct world {
    const char *name;
    task task;
    kind kind;
    int64_t most;
    size_t sides[SIDES + 1];
} world;

static const world worlds[] = {
    {"snf, entries to 16", SNF, SQUARE, 16, {2, 3, 4, 5, 6, 8}},
    {"snf, entries to 2^31", SNF, SQUARE, (int64_t)1 << 31, {2, 3, 4, 5, 6, 7, 8}},
    {"snf, singular, to 2^31", SNF, SINGULAR, (int64_t)1 << 31, {2, 3, 4, 5, 6, 7, 8}},
    {"snf, wide, to 2^31", SNF, WIDE, (int64_t)1 << 31, {2, 4, 8}},
    {"snf with transforms, to 16", SNF_ALL, SQUARE, 16, {2, 3, 4, 6, 7, 8, 16, 32}},
    {"snf with transforms, to 2^31", SNF_ALL, SQUARE, (int64_t)1 << 31, {2, 4, 8}},
    {"hnf, entries to 16", HNF, SQUARE, 16, {2, 3, 4, 5, 6, 7, 8, 16, 32}},
    {"hnf, entries to 2^31", HNF, SQUARE, (int64_t)1 << 31, {2, 3, 4, 5, 6, 7, 8, 16, 32}},
    {"hnf, singular, to 16", HNF, SINGULAR, 16, {2, 3, 4, 5, 6, 7, 8, 16, 32}},
    {"hnf, singular, to 2^31", HNF, SINGULAR, (int64_t)1 << 31, {2, 3, 4, 5, 6, 7, 8, 16, 32}},
};

static bool row(zlay_ctx *ctx, const world *w, size_t n, bool json)
{
    static state s;
    char name[96];
    s = (state){.ctx = ctx, .task = w->task};
    bool right = make(&s, n, w->kind, w->most) && agrees(&s);
    if (right && w->task == HNF) choose_method(&s, w->kind);
    snprintf(name, sizeof name, "%s, n = %zu", w->name, n);
    bench_row r = {name, w->task == HNF ? method_names[s.method] : "FLINT fmpz_mat_snf, no transforms", ours, theirs, &s};
    if (!right) fprintf(stderr, "zlay-bench: %s: a wrong result\n", name);
    right = right && bench_print(&r, json);
    forget(&s);
    return right;
}

bool bench_zmat(zlay_ctx *ctx, bool json)
{
    bool right = true;
    for (size_t i = 0; i < sizeof worlds / sizeof worlds[0]; i++)
        for (size_t k = 0; k < SIDES && worlds[i].sides[k]; k++) right = row(ctx, &worlds[i], worlds[i].sides[k], json) && right;
    return right;
}

#else

bool bench_zmat(zlay_ctx *ctx, bool json)
{
    (void)ctx;
    if (!json) puts("Smith and Hermite forms against FLINT: left out, FLINT was not here at build time");
    return true;
}

#endif
