/* SPDX-License-Identifier: Apache-2.0 */
/* FLINT's property list for Smith and Hermite forms, and FLINT's own results; every matrix goes
 * through the public calls, small or large, square or not, of full rank or not. */
#include "ctx.h"
#include "layouts/zmat.h"

static int teardown(void **state)
{
    zlay_ctx_free(*state);
    zlay_engines_release();
    return 0;
}

static int64_t at(const zlay_zmat *a, size_t i, size_t j)
{
    int64_t value = 0;
    assert_int_equal(zlay_zmat_entry(&value, a, i, j), ZLAY_OK);
    return value;
}

/* ---- what holds of every matrix ---------------------------------------------------------- */

static void check_snf(zlay_ctx *ctx, const fmpz_mat_t a, size_t *bits)
{
    fmpz_mat_t u, v, s, wanted, left, line;
    zlay_zmat *from = zmat_of_flint(ctx, a), *zs, *zu, *zv;
    assert_int_equal(zlay_zmat_snf(ctx, &zs, &zu, &zv, from), ZLAY_OK);
    zmat_to_flint(line, zs), zmat_to_flint(u, zu), zmat_to_flint(v, zv);
    fmpz_mat_init(wanted, a->r, a->c), fmpz_mat_init(s, a->r, a->c), fmpz_mat_init(left, a->r, a->c);
    fmpz_mat_snf(wanted, a);
    fmpz_mat_mul(left, u, a);
    fmpz_mat_mul(s, left, v);
    assert_true(fmpz_mat_equal(s, wanted));
    for (slong i = 0; i < line->c; i++)
        assert_true(fmpz_equal(fmpz_mat_entry(line, 0, i), fmpz_mat_entry(wanted, i, i)));
    assert_int_equal(line->c, a->r < a->c ? a->r : a->c);
    assert_unimodular(u), assert_unimodular(v);
    if (bits) *bits = longest_entry(u) > longest_entry(v) ? longest_entry(u) : longest_entry(v);
    fmpz_mat_clear(u), fmpz_mat_clear(v), fmpz_mat_clear(s), fmpz_mat_clear(wanted);
    fmpz_mat_clear(left), fmpz_mat_clear(line);
    zlay_zmat_free(from), zlay_zmat_free(zs), zlay_zmat_free(zu), zlay_zmat_free(zv);
}

static void check_hnf(zlay_ctx *ctx, const fmpz_mat_t a)
{
    fmpz_mat_t h, u, wanted;
    zlay_zmat *from = zmat_of_flint(ctx, a), *zh, *zu, *again;
    size_t rank = 0;
    assert_int_equal(zlay_zmat_hnf(ctx, &zh, &zu, from), ZLAY_OK);
    assert_int_equal(zlay_zmat_rank(ctx, &rank, from), ZLAY_OK);
    assert_int_equal(rank, fmpz_mat_rank(a));
    zmat_to_flint(h, zh), zmat_to_flint(u, zu);
    fmpz_mat_init(wanted, a->r, a->c);
    fmpz_mat_hnf(wanted, a);
    assert_true(fmpz_mat_equal(h, wanted));
    fmpz_mat_mul(wanted, u, a);
    assert_true(fmpz_mat_equal(h, wanted));
    assert_unimodular(u);
    assert_int_equal(zlay_zmat_hnf(ctx, &again, NULL, zh), ZLAY_OK);
    fmpz_mat_clear(wanted);
    zmat_to_flint(wanted, again);
    assert_true(fmpz_mat_equal(h, wanted));
    fmpz_mat_clear(h), fmpz_mat_clear(u), fmpz_mat_clear(wanted);
    zlay_zmat_free(from), zlay_zmat_free(zh), zlay_zmat_free(zu), zlay_zmat_free(again);
}

static void check_det(zlay_ctx *ctx, const fmpz_mat_t a)
{
    fmpz_t d;
    fmpz_mat_t got;
    zlay_zmat *from = zmat_of_flint(ctx, a), *z, *inverse;
    fmpz_init(d);
    fmpz_mat_det(d, a);
    assert_int_equal(zlay_zmat_det(ctx, &z, from), ZLAY_OK);
    zmat_to_flint(got, z);
    assert_true(fmpz_equal(fmpz_mat_entry(got, 0, 0), d));
    assert_int_equal(zlay_zmat_inverse(ctx, &inverse, from), fmpz_is_pm1(d) ? ZLAY_OK : ZLAY_NONE);
    assert_true(fmpz_is_pm1(d) || strstr(zlay_ctx_message(ctx), "determinant"));
    if (inverse) {
        fmpz_mat_t other, one;
        zmat_to_flint(other, inverse);
        fmpz_mat_init(one, a->r, a->r);
        fmpz_mat_mul(one, other, a);
        assert_true(fmpz_mat_is_one(one));
        fmpz_mat_clear(other), fmpz_mat_clear(one);
    }
    fmpz_clear(d), fmpz_mat_clear(got);
    zlay_zmat_free(from), zlay_zmat_free(z), zlay_zmat_free(inverse);
}

/* ---- random matrices ------------------------------------------------------------------------ */

static void fill(fmpz_mat_t a, uint64_t *random, int64_t most)
{
    for (slong i = 0; i < a->r; i++)
        for (slong j = 0; j < a->c; j++)
            fmpz_set_si(fmpz_mat_entry(a, i, j), test_range(random, -most, most));
}

/* A product of two thin matrices: of rank at most `rank`. */
static void fill_rank(fmpz_mat_t a, uint64_t *random, int64_t most, slong rank)
{
    fmpz_mat_t x, y;
    fmpz_mat_init(x, a->r, rank), fmpz_mat_init(y, rank, a->c);
    fill(x, random, most), fill(y, random, most);
    fmpz_mat_mul(a, x, y);
    fmpz_mat_clear(x), fmpz_mat_clear(y);
}

static void check_all(zlay_ctx *ctx, const fmpz_mat_t a)
{
    check_snf(ctx, a, NULL);
    check_hnf(ctx, a);
    if (a->r == a->c) check_det(ctx, a);
}

static void forms_of_random_matrices(void **state)
{
    static const int64_t most[] = {1, 2, 16, 1000, 1 << 20, INT64_MAX / 2 - 1};
    uint64_t random = test_seed("forms_of_random_matrices");
    for (uint64_t i = 0; i < test_iterations(3000); i++) {
        fmpz_mat_t a;
        slong rows = test_range(&random, 0, 7), cols = test_range(&random, 0, 7);
        int64_t size = most[test_range(&random, 0, 5)];
        slong least = rows < cols ? rows : cols, kind = test_range(&random, 0, 3);
        if (kind == 0) cols = rows;
        fmpz_mat_init(a, rows, cols);
        if (kind == 1 && least) fill_rank(a, &random, size > 1000 ? 1000 : size, test_range(&random, 0, least));
        else fill(a, &random, size);
        check_all(*state, a);
        fmpz_mat_clear(a);
    }
}

/* u diag(chosen) v of random unimodular u, v: invariants of every shape. */
static void forms_of_chosen_invariants(void **state)
{
    uint64_t random = test_seed("forms_of_chosen_invariants");
    for (uint64_t i = 0; i < test_iterations(1500); i++) {
        fmpz_mat_t a;
        slong n = test_range(&random, 1, 6);
        int64_t s = 1;
        fmpz_mat_init(a, n, n);
        for (slong j = 0; j < n; j++)
            fmpz_set_si(fmpz_mat_entry(a, j, j), s *= test_range(&random, 1, j + 2 < n ? 6 : 60));
        for (int k = 0; k < 20 && n > 1; k++) {
            slong x = test_range(&random, 0, n - 1), y = (x + test_range(&random, 1, n - 1)) % n;
            int64_t t = test_range(&random, -2, 2);
            bool rows = test_random(&random) & 1;
            for (slong j = 0; j < n; j++) {
                fmpz *to = rows ? fmpz_mat_entry(a, x, j) : fmpz_mat_entry(a, j, x);
                const fmpz *from = rows ? fmpz_mat_entry(a, y, j) : fmpz_mat_entry(a, j, y);
                if (t < 0) fmpz_submul_ui(to, from, (ulong)-t);
                else fmpz_addmul_ui(to, from, (ulong)t);
            }
        }
        check_all(*state, a);
        fmpz_mat_clear(a);
    }
}

/* Beyond 64 bits throughout; the 64-bit method and FLINT's have the same results where both have one. */
static void large_matrices(void **state)
{
    static const slong sides[] = {9, 12, 16, 20, 32};
    uint64_t random = test_seed("large_matrices");
    for (size_t i = 0; i < 5; i++)
        for (int kind = 0; kind < 3; kind++) {
            fmpz_mat_t a;
            fmpz_mat_init(a, sides[i], sides[i] - (kind == 1 ? 3 : 0));
            if (kind == 2) fill_rank(a, &random, 4, sides[i] - 2);
            else fill(a, &random, 16);
            if (i < 3 || kind == 0) check_all(*state, a);
            fmpz_mat_clear(a);
        }
}

/* No entry of a transform is longer than the determinant and 8 bits. */
static void transforms_are_short(void **state)
{
    uint64_t random = test_seed("transforms_are_short");
    size_t longer = 0, whole = test_iterations(4000), worst = 0;
    fmpz_t d;
    fmpz_init(d);
    for (uint64_t i = 0; i < whole; i++) {
        fmpz_mat_t a;
        slong n = test_range(&random, 2, 8);
        size_t bits;
        fmpz_mat_init(a, n, n);
        fill(a, &random, 16);
        fmpz_mat_det(d, a);
        if (!fmpz_is_zero(d)) {
            check_snf(*state, a, &bits);
            if (bits > fmpz_bits(d) + 8) longer++;
            if (bits > fmpz_bits(d) && bits - fmpz_bits(d) > worst) worst = bits - fmpz_bits(d);
        }
        fmpz_mat_clear(a);
    }
    fmpz_clear(d);
    printf("transforms longer than the determinant and 8 bits: %zu of %zu; the worst by %zu bits\n",
           longer, whole, worst);
    assert_true(longer * 100 <= whole);
}

/* Rows and columns of two masks. */
static void minor_of(fmpz_t d, const fmpz_mat_t a, unsigned rows, unsigned cols, slong rank)
{
    fmpz_mat_t m;
    slong i = 0;
    fmpz_mat_init(m, rank, rank);
    for (slong r = 0; r < a->r; r++) {
        if (!(rows >> r & 1)) continue;
        slong j = 0;
        for (slong c = 0; c < a->c; c++)
            if (cols >> c & 1) fmpz_set(fmpz_mat_entry(m, i, j++), fmpz_mat_entry(a, r, c));
        i++;
    }
    fmpz_mat_det(d, m);
    fmpz_mat_clear(m);
}

/* Bits of the longest minor of as many rows as the rank: the determinant of a square matrix of full
 * rank, and what stands for it in any other. */
static size_t longest_minor(const fmpz_mat_t a, slong rank)
{
    size_t longest = 0;
    fmpz_t d;
    fmpz_init(d);
    for (unsigned rows = 0; rows < 1u << a->r; rows++)
        for (unsigned cols = 0; cols < 1u << a->c; cols++) {
            if (__builtin_popcount(rows) != rank || __builtin_popcount(cols) != rank) continue;
            minor_of(d, a, rows, cols, rank);
            longest = fmpz_bits(d) > longest ? fmpz_bits(d) : longest;
        }
    fmpz_clear(d);
    return longest;
}

/* The same of rectangular matrices and of those that lack rank. */
static void all_transforms_are_short(void **state)
{
    uint64_t random = test_seed("all_transforms_are_short");
    size_t longer = 0, whole = test_iterations(600), worst = 0;
    for (uint64_t i = 0; i < whole; i++) {
        fmpz_mat_t a;
        slong rows = test_range(&random, 1, 6), cols = test_range(&random, 1, 6);
        slong least = rows < cols ? rows : cols;
        size_t bits;
        fmpz_mat_init(a, rows, cols);
        if (i % 2) fill_rank(a, &random, 4, test_range(&random, 1, least));
        else fill(a, &random, 16);
        size_t most = longest_minor(a, (slong)fmpz_mat_rank(a));
        check_snf(*state, a, &bits);
        if (bits > most + 8) longer++;
        if (bits > most && bits - most > worst) worst = bits - most;
        fmpz_mat_clear(a);
    }
    printf("rectangular or of less rank: longer than the longest minor and 8 bits: %zu of %zu; the "
           "worst by %zu bits\n", longer, whole, worst);
    assert_true(longer * 100 <= whole);
}

/* ---- by hand ------------------------------------------------------------------------------------ */

static void the_example_of_the_header(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_zmat *a = zmat_of(ctx, 2, 2, (int64_t[]){2, 4, 6, 8}), *b = zmat_of(ctx, 2, 1, (int64_t[]){2, 2});
    zlay_zmat *s, *h, *d, *x, *kernel, *w, *den;
    assert_int_equal(zlay_zmat_snf(ctx, &s, NULL, NULL, a), ZLAY_OK);
    assert_int_equal(at(s, 0, 0), 2), assert_int_equal(at(s, 0, 1), 4);
    assert_int_equal(zlay_zmat_hnf(ctx, &h, NULL, a), ZLAY_OK);
    assert_int_equal(at(h, 0, 0), 2), assert_int_equal(at(h, 0, 1), 0), assert_int_equal(at(h, 1, 1), 4);
    assert_int_equal(zlay_zmat_det(ctx, &d, a), ZLAY_OK);
    assert_int_equal(at(d, 0, 0), -8);
    assert_int_equal(zlay_zmat_solve(ctx, &x, &kernel, a, b, NULL), ZLAY_OK);
    assert_int_equal(at(x, 0, 0), -1), assert_int_equal(at(x, 1, 0), 1);
    assert_int_equal(zlay_zmat_cols(kernel), 0);
    zlay_zmat_free(a), zlay_zmat_free(b), zlay_zmat_free(s), zlay_zmat_free(h), zlay_zmat_free(d);
    zlay_zmat_free(x), zlay_zmat_free(kernel);

    zlay_zmat *two = zmat_of(ctx, 1, 1, (int64_t[]){2}), *four = zmat_of(ctx, 1, 1, (int64_t[]){4});
    zlay_zmat *eight = zmat_of(ctx, 1, 1, (int64_t[]){8});
    assert_int_equal(zlay_zmat_solve(ctx, &x, &kernel, two, two, four), ZLAY_OK);
    assert_int_equal(at(x, 0, 0), 1), assert_int_equal(at(kernel, 0, 0), 2);
    zlay_zmat_free(x), zlay_zmat_free(kernel);
    assert_int_equal(zlay_zmat_solve(ctx, &x, &kernel, four, two, eight), ZLAY_NONE);
    assert_null(x), assert_null(kernel);
    assert_int_equal(zlay_zmat_refute(ctx, &w, &den, four, two, eight), ZLAY_OK);
    assert_int_equal(at(w, 0, 0), 1), assert_int_equal(at(den, 0, 0), 4);
    zlay_zmat_free(two), zlay_zmat_free(four), zlay_zmat_free(eight), zlay_zmat_free(w), zlay_zmat_free(den);
}

static void small_and_whole_agree(void **state)
{
    uint64_t random = test_seed("small_and_whole_agree");
    for (uint64_t i = 0; i < test_iterations(3000); i++) {
        int64_t a[64], s[8], u[64], v[64];
        size_t n = (size_t)test_range(&random, 0, 8);
        for (size_t j = 0; j < n * n; j++) a[j] = test_range(&random, -16, 16);
        if (zlay_zmat_snf_small(s, u, v, a, n)) continue;
        zlay_zmat *from = zmat_of(*state, n, n, a), *zs, *zu, *zv;
        assert_int_equal(zlay_zmat_snf(*state, &zs, &zu, &zv, from), ZLAY_OK);
        for (size_t j = 0; j < n; j++) assert_int_equal(at(zs, 0, j), s[j]);
        for (size_t j = 0; j < n * n; j++) {
            assert_int_equal(at(zu, j / n, j % n), u[j]);
            assert_int_equal(at(zv, j / n, j % n), v[j]);
        }
        zlay_zmat_free(from), zlay_zmat_free(zs), zlay_zmat_free(zu), zlay_zmat_free(zv);
    }
}

/* ---- refusals -------------------------------------------------------------------------------------- */

static void refusals(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_limits limits = {.size = sizeof limits, .big_bytes = 100};
    const char *texts[] = {"12", "1x", "", "-", "99999999999999999999"};
    static char digits[1400];
    zlay_zmat *a, *b;
    zlay_zmat *const kept = (zlay_zmat *)(uintptr_t)16;
    assert_int_equal(zlay_zmat_new(ctx, &a, 65, 1, (int64_t[65]){0}), ZLAY_ELIMIT);
    for (size_t i = 1; i < 4; i++) assert_int_equal(zlay_zmat_new_text(ctx, &a, 1, 1, texts + i), ZLAY_EINVAL);
    memset(digits, '9', 1399);
    assert_int_equal(zlay_zmat_new_text(ctx, &a, 1, 1, (const char *[]){digits}), ZLAY_ELIMIT);
    assert_int_equal(zlay_zmat_new_text(ctx, &a, 1, 1, texts + 4), ZLAY_OK);
    int64_t value = 77;
    assert_int_equal(zlay_zmat_entry(&value, a, 0, 0), ZLAY_EOVERFLOW), assert_int_equal(value, 77);
    assert_int_equal(zlay_zmat_entry(&value, a, 1, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_ctx_set_limits(ctx, &limits), ZLAY_OK);
    zlay_zmat *big;
    static int64_t wide[64];
    for (size_t i = 0; i < 64; i++) wide[i] = INT64_MAX - (int64_t)(i * i * i);
    big = zmat_of(ctx, 8, 8, wide);
    b = kept;
    zlay_zmat *u = kept;
    assert_int_equal(zlay_zmat_snf(ctx, &b, &u, NULL, big), ZLAY_ELIMIT);
    assert_null(b);
    assert_null(u);
    assert_non_null(strstr(zlay_ctx_message(ctx), "limits.big_bytes is 100"));
    zlay_zmat_free(a), zlay_zmat_free(big);
    a = zmat_of(ctx, 1, 2, (int64_t[]){1, 2});
    assert_int_equal(zlay_zmat_det(ctx, &b, a), ZLAY_EINVAL);
    assert_int_equal(zlay_zmat_inverse(ctx, &b, a), ZLAY_NONE);
    assert_int_equal(zlay_zmat_snf(ctx, NULL, NULL, NULL, a), ZLAY_EINVAL);
    zlay_zmat_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_header), cmocka_unit_test(forms_of_random_matrices),
        cmocka_unit_test(forms_of_chosen_invariants), cmocka_unit_test(large_matrices),
        cmocka_unit_test(all_transforms_are_short), cmocka_unit_test(transforms_are_short),
        cmocka_unit_test(small_and_whole_agree),
        cmocka_unit_test_setup_teardown(refusals, begin, teardown),
    };
    return cmocka_run_group_tests(tests, begin, teardown);
}
