/* SPDX-License-Identifier: Apache-2.0 */
/* Each method on the same matrix, called by itself: 64 bits, and FLINT's integers on input that never
 * needs them.  Results are equal entry by entry, or 64 bits are left and say so.  Forms without
 * transforms, which have methods of their own, are those with transforms. */
#include "layouts/zmat.h"

#include "algebra/integer/alone.h"

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

static zlay_status run(const zl_zmat_method *method, zlay_ctx *ctx, int op, zlay_zmat *out[3], size_t *rank,
                       const zlay_zmat *a, const zlay_zmat *b)
{
    switch (op) {
    case 0: return method->snf(ctx, out, a);
    case 1: return method->hnf(ctx, out, a);
    case 2: return method->rank(ctx, rank, a);
    case 3: return method->solve(ctx, out, a, b, zlay_zmat_cols(a));
    case 4: return method->refute(ctx, out, a, b);
    case 5: return method->det(ctx, out, a);
    default: return method->inverse(ctx, out, a);
    }
}

enum { OPS = 7, SQUARE = 5 };

static void compare(zlay_ctx *ctx, int op, const zlay_zmat *a, const zlay_zmat *b, tally *t)
{
    zlay_zmat *x[3] = {NULL, NULL, NULL}, *y[3] = {NULL, NULL, NULL};
    size_t p = 77, q = 77;
    zlay_status narrow = run(&zl_zmat_method_64, ctx, op, x, &p, a, b);
    zlay_status wide = run(&zl_zmat_method_flint, ctx, op, y, &q, a, b);
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

static void every_method(void **state)
{
    static const int64_t most[] = {1, 2, 16, 100, 100000};
    uint64_t seed = test_seed("every method"), rounds = test_iterations(4000);
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
    printf("every method: %llu equal, %llu past 64 bits\n", (unsigned long long)t.equal,
           (unsigned long long)t.left);
    assert_true(t.equal > rounds * 3 && t.left > 0);
}

/* ---- forms without transforms --------------------------------------------------------------- */

/* A matrix of every shape and rank; its entries in 1 to 62 bits, and now and then multiples of one
 * number or powers of two, so that invariant factors are large. */
static void fill_any(int64_t *at, size_t rows, size_t cols, uint64_t *seed)
{
    int64_t most = (int64_t)1 << test_range(seed, 0, test_range(seed, 0, 3) ? 31 : 61);
    int64_t scale = most < (int64_t)1 << 31 && test_range(seed, 0, 5) == 0 ? test_range(seed, 1, 1 << 20) : 1;
    bool powers = test_range(seed, 0, 7) == 0;
    fill(at, rows, cols, test_range(seed, 0, 1) ? cols : (size_t)test_range(seed, 0, (int64_t)cols), most,
         seed);
    for (size_t i = 0; i < rows * cols; i++) {
        if (powers) at[i] = (int64_t)(at[i] % 2) * ((int64_t)1 << test_range(seed, 0, 20));
        if (most < (int64_t)1 << 31) at[i] *= scale;
    }
}

static void compare_alone(zlay_ctx *ctx, const zlay_zmat *a)
{
    zlay_zmat *x[3] = {NULL, NULL, NULL}, *s, *h;
    assert_int_equal(zl_zmat_method_flint.snf(ctx, x, a), ZLAY_OK);
    assert_int_equal(zlay_zmat_snf(ctx, &s, NULL, NULL, a), ZLAY_OK);
    assert_same(s, x[0]);
    for (int i = 0; i < 3; i++) zlay_zmat_free(x[i]), x[i] = NULL;
    assert_int_equal(zl_zmat_method_flint.hnf(ctx, x, a), ZLAY_OK);
    assert_int_equal(zlay_zmat_hnf(ctx, &h, NULL, a), ZLAY_OK);
    assert_same(h, x[0]);
    for (int i = 0; i < 2; i++) zlay_zmat_free(x[i]);
    zlay_zmat_free(s);
    zlay_zmat_free(h);
}

/* How often the methods without transforms answered themselves. */
static void tell_alone(zlay_ctx *ctx, const zlay_zmat *a, tally *t)
{
    zlay_zmat *made = NULL;
    zlay_status status = zl_smith_alone(ctx, &made, a);
    zlay_zmat_free(made);
    made = NULL;
    zlay_status other = zl_hermite_alone(ctx, &made, a);
    zlay_zmat_free(made);
    t->equal += (uint64_t)!status + !other;
    t->left += (uint64_t)(status == ZLAY_EOVERFLOW) + (other == ZLAY_EOVERFLOW);
}

static void alone(void **state)
{
    uint64_t seed = test_seed("alone"), rounds = test_iterations(3000);
    tally t = {0, 0};
    for (uint64_t n = 0; n < rounds; n++) {
        int64_t at[16 * 16], side = n % 50 ? 8 : 16;
        size_t rows = (size_t)test_range(&seed, 0, side), cols = (size_t)test_range(&seed, 0, side);
        if (n % 2) cols = rows;
        fill_any(at, rows, cols, &seed);
        zlay_zmat *a = zmat_of(*state, rows, cols, at);
        compare_alone(*state, a);
        tell_alone(*state, a, &t);
        zlay_zmat_free(a);
    }
    printf("alone: %llu answers, %llu left to FLINT\n", (unsigned long long)t.equal,
           (unsigned long long)t.left);
    assert_true(t.equal > rounds && t.left < rounds / 10);
}

/* ---- Hermite forms by FLINT ------------------------------------------------------------------ */

/* FLINT's form of the same matrix, entry by entry. */
static void assert_hermite(const zlay_zmat *h, const zlay_zmat *a)
{
    fmpz_mat_t x, wanted;
    zmat_to_flint(wanted, a);
    fmpz_mat_hnf(wanted, wanted);
    zmat_to_flint(x, h);
    assert_true(fmpz_mat_equal(x, wanted));
    fmpz_mat_clear(x);
    fmpz_mat_clear(wanted);
}

/* Row or column `to` plus t times another. */
static void add_line(int64_t *at, size_t n, size_t to, size_t from, size_t line, size_t step, int64_t t)
{
    for (size_t k = 0; k < n; k++) at[to * line + k * step] += t * at[from * line + k * step];
}

/* A matrix whose elementary divisors are those of a random diagonal: primes that are divided out by
 * their kernels, powers and primes that are not, and now and then 0. */
static void fill_divisors(int64_t *at, size_t n, uint64_t *seed)
{
    static const int64_t divisors[] = {1, 1, 1, 2, 2, 3, 4, 5, 6, 7, 9, 11, 16, 49, 53, 59, 1009, 65537, 30030, 0};
    memset(at, 0, n * n * sizeof *at);
    for (size_t i = 0; i < n; i++)
        at[i * n + i] = divisors[test_range(seed, 0, (int64_t)(sizeof divisors / sizeof divisors[0]) - 1 - (*seed % 2 != 0))];
    for (size_t k = 0; k < 3 * n && n > 1; k++) {
        size_t to = (size_t)test_range(seed, 0, (int64_t)n - 1), from = (to + (size_t)test_range(seed, 1, (int64_t)n - 1)) % n;
        int64_t t = test_range(seed, -3, 3);
        if (k % 2) add_line(at, n, to, from, n, 1, t);
        else add_line(at, n, to, from, 1, n, t);
    }
}

/* Entries to 2^31; every other matrix has a last row that the others make. */
static void fill_wide(int64_t *at, size_t n, bool singular, uint64_t *seed)
{
    int64_t most = (int64_t)1 << 31;
    for (size_t i = 0; i < n * n; i++) at[i] = test_range(seed, -most, most);
    for (size_t j = 0; j < n && singular; j++)
        at[(n - 1) * n + j] = n == 2 ? 3 * at[j] : at[j] - at[n + j];
}

static void hermite_by_flint(void **state)
{
    uint64_t seed = test_seed("hermite by FLINT"), rounds = test_iterations(3000);
    for (uint64_t k = 0; k < rounds; k++) {
        int64_t at[144];
        zlay_zmat *h = NULL;
        size_t n = (size_t)test_range(&seed, 1, k % 10 ? 6 : 12);
        if (k % 2) fill_divisors(at, n, &seed);
        else fill_wide(at, n, k % 4 == 0 && n > 1, &seed);
        zlay_zmat *a = zmat_of(*state, n, n, at);
        assert_int_equal(zl_hermite_alone(*state, &h, a), ZLAY_OK);
        assert_hermite(h, a);
        zlay_zmat_free(h);
        h = NULL;
        if (n < 4 && k % 2 == 0) assert_int_equal(zl_hermite_small(*state, &h, a), ZLAY_OK);
        zlay_zmat_free(h);
        zlay_zmat_free(a);
    }
}

/* Determinants past 64 bits, of both signs, with zeros where the first pivots would be. */
static void determinant_by_flint(void **state)
{
    uint64_t seed = test_seed("determinant by FLINT"), rounds = test_iterations(600);
    for (uint64_t k = 0; k < rounds; k++) {
        int64_t at[18 * 18];
        size_t n = (size_t)test_range(&seed, 2, k % 10 ? 8 : 18);
        fmpz_mat_t x, y;
        fmpz_t wanted;
        zlay_zmat *d;
        fill_wide(at, n, k % 16 == 0, &seed);
        for (size_t i = 0; i < n * n; i++) at[i] = test_range(&seed, 0, 2) ? at[i] : 0;
        zlay_zmat *a = zmat_of(*state, n, n, at);
        assert_int_equal(zl_zmat_method_flint.det(*state, &d, a), ZLAY_OK);
        zmat_to_flint(x, a);
        zmat_to_flint(y, d);
        fmpz_init(wanted);
        fmpz_mat_det(wanted, x);
        assert_true(fmpz_equal(wanted, fmpz_mat_entry(y, 0, 0)));
        fmpz_clear(wanted);
        fmpz_mat_clear(x);
        fmpz_mat_clear(y);
        zlay_zmat_free(a);
        zlay_zmat_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method),
        cmocka_unit_test(alone),
        cmocka_unit_test(hermite_by_flint),
        cmocka_unit_test(determinant_by_flint),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
