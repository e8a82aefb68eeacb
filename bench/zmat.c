/* SPDX-License-Identifier: Apache-2.0 */
/* Smith forms of random square matrices, entries in -16..16: zlay's with both transforms, FLINT's
 * fmpz_mat_snf without.  Up to 8 x 8 zlay's call is the one in the caller's memory, the whole one
 * where that has no answer; one call is the next of 64 matrices. */
#include "bench.h"

#include <stdio.h>

#if ZL_ENGINES

#include <flint/flint.h>
#include <flint/fmpz_mat.h>
#include <stdlib.h>

enum { MATRICES = 64 };

typedef struct state {
    zlay_ctx *ctx;
    size_t n, ours, theirs;
    int64_t *entries[MATRICES];
    zlay_zmat *matrix[MATRICES];
    fmpz_mat_t flint[MATRICES], out;
} state;

static bool small(const state *s, size_t i)
{
    int64_t d[8], u[64], v[64];
    return s->n <= 8 && !zlay_zmat_snf_small(d, u, v, s->entries[i], s->n);
}

static bool ours(void *value)
{
    state *s = value;
    zlay_zmat *d, *u, *v;
    size_t i = s->ours++ % MATRICES;
    if (small(s, i)) return true;
    if (zlay_zmat_snf(s->ctx, &d, &u, &v, s->matrix[i])) return false;
    zlay_zmat_free(d);
    zlay_zmat_free(u);
    zlay_zmat_free(v);
    return true;
}

static bool theirs(void *value)
{
    state *s = value;
    fmpz_mat_snf(s->out, s->flint[s->theirs++ % MATRICES]);
    return true;
}

static uint64_t next(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static bool begin(state *s, size_t n)
{
    uint64_t random = n;
    fmpz_mat_init(s->out, (slong)n, (slong)n);
    for (size_t i = 0; i < MATRICES; i++) {
        s->entries[i] = malloc(n * n * sizeof(int64_t));
        if (!s->entries[i]) return false;
        fmpz_mat_init(s->flint[i], (slong)n, (slong)n);
        for (size_t j = 0; j < n * n; j++) {
            s->entries[i][j] = (int64_t)(next(&random) % 33) - 16;
            fmpz_set_si(fmpz_mat_entry(s->flint[i], (slong)(j / n), (slong)(j % n)),
                        s->entries[i][j]);
        }
        if (zlay_zmat_new(s->ctx, &s->matrix[i], n, n, s->entries[i])) return false;
    }
    return true;
}

static void end(state *s)
{
    fmpz_mat_clear(s->out);
    for (size_t i = 0; i < MATRICES; i++) {
        free(s->entries[i]);
        zlay_zmat_free(s->matrix[i]);
        fmpz_mat_clear(s->flint[i]);
    }
}

/* Every invariant of every matrix is FLINT's. */
static bool agrees(state *s)
{
    bool right = true;
    for (size_t i = 0; i < MATRICES; i++) {
        zlay_zmat *d;
        fmpz_mat_snf(s->out, s->flint[i]);
        if (zlay_zmat_snf(s->ctx, &d, NULL, NULL, s->matrix[i])) return false;
        for (size_t j = 0; j < s->n; j++) {
            char text[400];
            zlay_buf buf = {text, sizeof text, 0};
            fmpz_t wanted;
            fmpz_init(wanted);
            right &= !zlay_zmat_print(&buf, d, 0, j) && !fmpz_set_str(wanted, text, 10) &&
                     fmpz_equal(wanted, fmpz_mat_entry(s->out, (slong)j, (slong)j));
            fmpz_clear(wanted);
        }
        zlay_zmat_free(d);
    }
    return right;
}

bool bench_zmat(zlay_ctx *ctx, bool json)
{
    static const size_t sides[] = {2, 3, 4, 6, 7, 8, 16, 32};
    bool right = true;
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        state s = {.ctx = ctx, .n = sides[i]};
        char name[96];
        right = begin(&s, sides[i]) && agrees(&s) && right;
        sprintf(name, "snf with transforms, %zu x %zu", sides[i], sides[i]);
        bench_row row = {name, "FLINT fmpz_mat_snf, no transforms", ours, theirs, &s};
        right = right && bench_print(&row, json);
        end(&s);
    }
    return right;
}

#else

bool bench_zmat(zlay_ctx *ctx, bool json)
{
    (void)ctx;
    if (!json) puts("Smith forms against FLINT: left out, FLINT was not here at build time");
    return true;
}

#endif
