/* SPDX-License-Identifier: Apache-2.0 */
/* Each rung on the same matrix, called by itself: 64 bits, and FLINT's integers on input that never
 * needs them.  Results are equal entry by entry, or 64 bits are left and say so. */
#include "zmat.h"

#include "algebra/zmat.h"

typedef struct tally {
    uint64_t equal, left;
} tally;

static void assert_same(const zlay_zmat *a, const zlay_zmat *b)
{
    assert_int_equal(a != NULL, b != NULL);
    if (!a) return;
    assert_true(zlay_zmat_rows(a) == zlay_zmat_rows(b) && zlay_zmat_cols(a) == zlay_zmat_cols(b));
    for (size_t i = 0; i < zlay_zmat_rows(a); i++)
        for (size_t j = 0; j < zlay_zmat_cols(a); j++) {
            char x[2048], y[2048];
            zlay_buf p = {x, sizeof x, 0}, q = {y, sizeof y, 0};
            assert_int_equal(zlay_zmat_print(&p, a, i, j), ZLAY_OK);
            assert_int_equal(zlay_zmat_print(&q, b, i, j), ZLAY_OK);
            assert_string_equal(x, y);
        }
}

static zlay_status run(const zl_rung *rung, zlay_ctx *ctx, int op, zlay_zmat *out[3], size_t *rank,
                       const zlay_zmat *a, const zlay_zmat *b)
{
    switch (op) {
    case 0: return rung->snf(ctx, out, a);
    case 1: return rung->hnf(ctx, out, a);
    case 2: return rung->rank(ctx, rank, a);
    case 3: return rung->solve(ctx, out, a, b, zlay_zmat_cols(a));
    case 4: return rung->refute(ctx, out, a, b);
    case 5: return rung->det(ctx, out, a);
    default: return rung->inverse(ctx, out, a);
    }
}

enum { OPS = 7, SQUARE = 5 };

static void compare(zlay_ctx *ctx, int op, const zlay_zmat *a, const zlay_zmat *b, tally *t)
{
    zlay_zmat *x[3] = {NULL, NULL, NULL}, *y[3] = {NULL, NULL, NULL};
    size_t p = 77, q = 77;
    zlay_status narrow = run(&zl_rung_64, ctx, op, x, &p, a, b);
    zlay_status wide = run(&zl_rung_flint, ctx, op, y, &q, a, b);
    if (narrow == ZLAY_EOVERFLOW) t->left++;
    else {
        assert_int_equal(narrow, wide);
        assert_true(p == q);
        for (int i = 0; i < 3 && !narrow; i++) assert_same(x[i], y[i]);
        t->equal++;
    }
    for (int i = 0; i < 3; i++) {
        zlay_zmat_free(x[i]);
        zlay_zmat_free(y[i]);
    }
}

/* Columns beyond `rank` are sums of two before. */
static void fill(int64_t *at, size_t rows, size_t cols, size_t rank, int64_t most, uint64_t *seed)
{
    for (size_t j = 0; j < cols; j++) {
        size_t p = j ? (size_t)test_range(seed, 0, (int64_t)j - 1) : 0, q = j ? j - 1 : 0;
        for (size_t i = 0; i < rows; i++)
            at[i * cols + j] = j < rank ? test_range(seed, -most, most)
                                        : (j ? at[i * cols + p] - at[i * cols + q] : 0);
    }
}

static void every_rung(void **state)
{
    static const int64_t most[] = {1, 2, 16, 100, 100000};
    uint64_t seed = test_seed("every rung"), rounds = test_iterations(4000);
    tally t = {0, 0};
    zlay_ctx *ctx = *state;
    for (uint64_t n = 0; n < rounds; n++) {
        int64_t at[64], right[8];
        size_t rows = (size_t)test_range(&seed, 1, 8), cols = (size_t)test_range(&seed, 1, 8);
        if (n % 2) cols = rows;
        fill(at, rows, cols, n % 3 ? cols : (size_t)test_range(&seed, 0, (int64_t)cols),
             most[test_range(&seed, 0, 4)], &seed);
        for (size_t i = 0; i < rows; i++) right[i] = test_range(&seed, -9, 9);
        zlay_zmat *a = zmat_of(ctx, rows, cols, at), *b = zmat_of(ctx, rows, 1, right);
        for (int op = 0; op < (rows == cols ? OPS : SQUARE); op++) compare(ctx, op, a, b, &t);
        zlay_zmat_free(a);
        zlay_zmat_free(b);
    }
    printf("every rung: %llu equal, %llu past 64 bits\n", (unsigned long long)t.equal,
           (unsigned long long)t.left);
    assert_true(t.equal > rounds * 3 && t.left > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rung),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
