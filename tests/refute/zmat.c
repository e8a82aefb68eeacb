/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute the answers on integer matrices.  Invariant factors, rank and determinant are compared with gcds and ranks of all
 * minors, each by Laplace's rule in FLINT's integers; forms by their shape and by multiplying their transforms out; a kernel by its
 * own minors, whose gcd is 1 where it is the whole kernel; systems by every point of a box modulo what all moduli divide; NONE by its
 * witness.  Matrices of 0 to 4 rows and columns, of any rank, entries from -2 to the ends of 64 bits.  10^4 cases of each, 10^6 with
 * ZLAY_EXHAUSTIVE=1. */
#include "layouts/zmat.h"

enum { SIDE = 4, CASES = 10000 };

static int teardown(void **state)
{
    zlay_ctx_free(*state);
    zlay_engines_release();
    flint_cleanup();
    return 0;
}

typedef struct matrix {
    size_t rows, cols;
    int64_t at[SIDE * SIDE];
} matrix;

static void refuted(const matrix *m, const char *what)
{
    print_message("%zu x %zu:", m->rows, m->cols);
    for (size_t i = 0; i < m->rows * m->cols; i++) print_message(" %lld", (long long)m->at[i]);
    fail_msg(": refuted: %s", what);
}

static void must(const matrix *m, int holds, const char *what)
{
    if (!holds) refuted(m, what);
}

/* ---- random matrices ------------------------------------------------------------------- */

static int64_t entry(uint64_t *seed, int way)
{
    static const int64_t end[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX - 1, INT64_MAX, 0, 1, -1, (int64_t)1 << 32};
    int64_t power = (int64_t)1 << test_range(seed, 0, 61);
    switch (way) {
    case 0: return test_range(seed, -2, 2);
    case 1: return test_range(seed, -12, 12);
    case 2: return test_range(seed, 0, 1) ? test_range(seed, -1000, 1000) : 96 * test_range(seed, -2, 2);
    case 3: return (power + test_range(seed, -1, 1)) * (test_range(seed, 0, 1) ? 1 : -1);
    case 4: return end[test_range(seed, 0, 7)];
    case 5: return test_range(seed, -((int64_t)1 << 31), (int64_t)1 << 31);
    default: return 6 * test_range(seed, -3, 3) + (test_range(seed, 0, 9) == 0);
    }
}

/* Below full rank, the last rows repeat, or add up, rows before them. */
static void draw(matrix *m, uint64_t *seed)
{
    int way = (int)test_range(seed, 0, 6);
    m->rows = (size_t)test_range(seed, 0, SIDE), m->cols = (size_t)test_range(seed, 0, SIDE);
    if (test_range(seed, 0, 2) == 0) m->cols = m->rows;
    size_t rank = test_range(seed, 0, 1) ? m->rows : (size_t)test_range(seed, 0, (int64_t)m->rows);
    for (size_t i = 0; i < m->rows; i++) {
        size_t p = i ? (size_t)test_range(seed, 0, (int64_t)i - 1) : 0, q = i ? i - 1 : 0;
        int64_t by = way == 4 || way == 3 ? 0 : test_range(seed, -1, 1);
        for (size_t j = 0; j < m->cols; j++) {
            int64_t *at = m->at + i * m->cols + j;
            *at = i < rank || !i ? entry(seed, way) : m->at[p * m->cols + j];
            if (i >= rank && i) *at += by * (m->at[q * m->cols + j] % ((int64_t)1 << 40));
        }
    }
}

/* ---- minors ------------------------------------------------------------------------------ */

/* The determinant of the rows and columns in two sets of bits, along the first row. */
static void minor(fmpz_t out, const fmpz_mat_t a, unsigned rows, unsigned cols)
{
    fmpz_t part;
    fmpz_one(out);
    if (!rows) return;
    slong i = __builtin_ctz(rows);
    int sign = 0;
    fmpz_zero(out);
    fmpz_init(part);
    for (unsigned rest = cols; rest; rest &= rest - 1, sign = !sign) {
        slong j = __builtin_ctz(rest);
        if (fmpz_is_zero(fmpz_mat_entry(a, i, j))) continue;
        minor(part, a, rows & (rows - 1), cols & ~(1u << j));
        if (sign) fmpz_submul(out, part, fmpz_mat_entry(a, i, j));
        else fmpz_addmul(out, part, fmpz_mat_entry(a, i, j));
    }
    fmpz_clear(part);
}

/* The gcd of all minors of k rows. */
static void divisor(fmpz_t out, const fmpz_mat_t a, int k)
{
    fmpz_t one;
    fmpz_init(one);
    fmpz_zero(out);
    for (unsigned r = 0; r < 1u << fmpz_mat_nrows(a); r++)
        for (unsigned c = 0; c < 1u << fmpz_mat_ncols(a); c++)
            if (__builtin_popcount(r) == k && __builtin_popcount(c) == k && !fmpz_is_one(out)) {
                minor(one, a, r, c);
                fmpz_gcd(out, out, one);
            }
    fmpz_clear(one);
}

static int is_unimodular(const fmpz_mat_t u)
{
    fmpz_t d;
    fmpz_init(d);
    minor(d, u, (1u << fmpz_mat_nrows(u)) - 1, (1u << fmpz_mat_ncols(u)) - 1);
    int is = fmpz_is_pm1(d);
    fmpz_clear(d);
    return is;
}

/* ---- forms ------------------------------------------------------------------------------- */

static int same(const zlay_zmat *a, const zlay_zmat *b)
{
    fmpz_mat_t x, y;
    zmat_to_flint(x, a), zmat_to_flint(y, b);
    int is = fmpz_mat_equal(x, y);
    fmpz_mat_clear(x), fmpz_mat_clear(y);
    return is;
}

/* d_k is the product of the first k factors; the transforms lead to them. */
static size_t check_smith(zlay_ctx *ctx, const matrix *m, const zlay_zmat *a, const fmpz_mat_t x)
{
    zlay_zmat *s, *u, *v, *alone = NULL;
    fmpz_mat_t f, left, right, made;
    fmpz_t wanted, product;
    size_t least = m->rows < m->cols ? m->rows : m->cols, rank = 0;
    fmpz_init(wanted), fmpz_init_set_ui(product, 1);
    must(m, !zlay_zmat_snf(ctx, &s, &u, &v, a) && !zlay_zmat_snf(ctx, &alone, NULL, NULL, a), "snf");
    zmat_to_flint(f, s), zmat_to_flint(left, u), zmat_to_flint(right, v);
    must(m, same(s, alone), "snf without transforms");
    must(m, is_unimodular(left) && is_unimodular(right), "snf: a transform has no inverse");
    fmpz_mat_init(made, (slong)m->rows, (slong)m->cols);
    fmpz_mat_mul(made, left, x), fmpz_mat_mul(made, made, right);
    for (size_t k = 0; k < least; k++) {
        fmpz *factor = fmpz_mat_entry(f, 0, (slong)k);
        divisor(wanted, x, (int)k + 1);
        rank += !fmpz_is_zero(wanted);
        fmpz_mul(product, product, factor);
        must(m, fmpz_equal(wanted, product) && fmpz_sgn(factor) >= 0, "snf: a factor");
        fmpz_sub(fmpz_mat_entry(made, (slong)k, (slong)k), fmpz_mat_entry(made, (slong)k, (slong)k), factor);
    }
    must(m, fmpz_mat_is_zero(made), "snf: u a v");
    fmpz_clear(wanted), fmpz_clear(product);
    fmpz_mat_clear(f), fmpz_mat_clear(left), fmpz_mat_clear(right), fmpz_mat_clear(made);
    zlay_zmat_free(s), zlay_zmat_free(u), zlay_zmat_free(v), zlay_zmat_free(alone);
    return rank;
}

/* Row echelon form, pivots positive, entries above them in [0, pivot): one matrix of a lattice. */
static int is_hermite(const fmpz_mat_t h, size_t rank)
{
    slong last = -1;
    for (slong i = 0; i < fmpz_mat_nrows(h); i++) {
        slong j = 0;
        while (j < fmpz_mat_ncols(h) && fmpz_is_zero(fmpz_mat_entry(h, i, j))) j++;
        if ((size_t)i >= rank) {
            if (j < fmpz_mat_ncols(h)) return 0;
            continue;
        }
        if (j <= last || j == fmpz_mat_ncols(h) || fmpz_sgn(fmpz_mat_entry(h, i, j)) < 0) return 0;
        for (slong k = 0; k < i; k++)
            if (fmpz_sgn(fmpz_mat_entry(h, k, j)) < 0 ||
                fmpz_cmp(fmpz_mat_entry(h, k, j), fmpz_mat_entry(h, i, j)) >= 0)
                return 0;
        last = j;
    }
    return 1;
}

static void check_hermite(zlay_ctx *ctx, const matrix *m, const zlay_zmat *a, const fmpz_mat_t x, size_t rank)
{
    zlay_zmat *h, *u, *alone = NULL;
    fmpz_mat_t form, left, made;
    must(m, !zlay_zmat_hnf(ctx, &h, &u, a) && !zlay_zmat_hnf(ctx, &alone, NULL, a), "hnf");
    zmat_to_flint(form, h), zmat_to_flint(left, u);
    fmpz_mat_init(made, (slong)m->rows, (slong)m->cols);
    fmpz_mat_mul(made, left, x);
    must(m, fmpz_mat_equal(made, form), "hnf: u a");
    must(m, is_unimodular(left), "hnf: u has no inverse");
    must(m, is_hermite(form, rank), "hnf: its shape");
    must(m, same(h, alone), "hnf without u");
    fmpz_mat_clear(form), fmpz_mat_clear(left), fmpz_mat_clear(made);
    zlay_zmat_free(h), zlay_zmat_free(u), zlay_zmat_free(alone);
}

/* All of the kernel and nothing else: a k = 0, as many columns as it has dimensions, and their minors have no common factor. */
static void check_kernel(const matrix *m, const zlay_zmat *kernel, const fmpz_mat_t x, size_t rank)
{
    fmpz_mat_t k, turned, made;
    fmpz_t g;
    fmpz_init(g);
    zmat_to_flint(k, kernel);
    size_t count = zlay_zmat_cols(kernel);
    must(m, zlay_zmat_rows(kernel) == m->cols && count == m->cols - rank, "kernel: its size");
    fmpz_mat_init(made, (slong)m->rows, (slong)count), fmpz_mat_init(turned, (slong)count, (slong)m->cols);
    fmpz_mat_mul(made, x, k);
    must(m, fmpz_mat_is_zero(made), "kernel: a k");
    divisor(g, k, (int)count);
    must(m, fmpz_is_one(g), "kernel: not the whole");
    fmpz_mat_transpose(turned, k);
    must(m, is_hermite(turned, count), "kernel: its shape");
    fmpz_mat_clear(k), fmpz_mat_clear(turned), fmpz_mat_clear(made);
    fmpz_clear(g);
}

static void check_square(zlay_ctx *ctx, const matrix *m, const zlay_zmat *a, const fmpz_mat_t x)
{
    zlay_zmat *d, *inverse = NULL;
    fmpz_mat_t value, made, one;
    fmpz_t wanted;
    fmpz_init(wanted);
    minor(wanted, x, (1u << m->rows) - 1, (1u << m->cols) - 1);
    must(m, !zlay_zmat_det(ctx, &d, a), "det");
    zmat_to_flint(value, d);
    must(m, fmpz_equal(wanted, fmpz_mat_entry(value, 0, 0)), "det");
    zlay_status status = zlay_zmat_inverse(ctx, &inverse, a);
    must(m, status == (fmpz_is_pm1(wanted) ? ZLAY_OK : ZLAY_NONE), "inverse");
    fmpz_mat_clear(value);
    zlay_zmat_free(d);
    fmpz_clear(wanted);
    if (status) return;
    zmat_to_flint(value, inverse);
    fmpz_mat_init(made, (slong)m->rows, (slong)m->rows), fmpz_mat_init(one, (slong)m->rows, (slong)m->rows);
    fmpz_mat_mul(made, x, value), fmpz_mat_one(one);
    must(m, fmpz_mat_equal(made, one), "inverse: a times it");
    fmpz_mat_clear(value), fmpz_mat_clear(made), fmpz_mat_clear(one);
    zlay_zmat_free(inverse);
}

static void forms(void **state)
{
    uint64_t seed = test_seed("refute/zmat forms"), count = test_cases(CASES);
    uint64_t full = 0, less = 0;
    for (uint64_t n = 0; n < count; n++) {
        matrix m;
        zlay_zmat *kernel;
        fmpz_mat_t x;
        size_t rank;
        draw(&m, &seed);
        zlay_zmat *a = zmat_of(*state, m.rows, m.cols, m.at);
        zmat_to_flint(x, a);
        size_t wanted = check_smith(*state, &m, a, x);
        must(&m, !zlay_zmat_rank(*state, &rank, a) && rank == wanted, "rank");
        check_hermite(*state, &m, a, x, rank);
        must(&m, !zlay_zmat_kernel(*state, &kernel, a), "kernel");
        check_kernel(&m, kernel, x, rank);
        if (m.rows == m.cols) check_square(*state, &m, a, x);
        full += rank == (m.rows < m.cols ? m.rows : m.cols), less += rank < m.rows && rank < m.cols;
        fmpz_mat_clear(x);
        zlay_zmat_free(a), zlay_zmat_free(kernel);
    }
    printf("%llu matrices: %llu of full rank, %llu of less than both sides; none refuted\n", (unsigned long long)count,
           (unsigned long long)full, (unsigned long long)less);
    assert_true(full * 4 > count && less * 10 > count);
}

/* ---- systems over the integers -------------------------------------------------------------- */

/* w a, and w_i mod_i, are integral and w b is not. */
static void check_witness(zlay_ctx *ctx, const matrix *m, const zlay_zmat *a, const zlay_zmat *b, const zlay_zmat *mod)
{
    zlay_zmat *up, *down;
    fmpz_mat_t w, den, x, y, made;
    must(m, !zlay_zmat_refute(ctx, &up, &down, a, b, mod), "refute");
    zmat_to_flint(w, up), zmat_to_flint(den, down), zmat_to_flint(x, a), zmat_to_flint(y, b);
    fmpz *d = fmpz_mat_entry(den, 0, 0);
    must(m, fmpz_sgn(d) > 0, "refute: its denominator");
    fmpz_mat_init(made, 1, (slong)m->cols);
    fmpz_mat_mul(made, w, x);
    for (slong j = 0; j < fmpz_mat_ncols(made); j++)
        must(m, fmpz_divisible(fmpz_mat_entry(made, 0, j), d), "refute: w a");
    fmpz_mat_clear(made);
    for (size_t i = 0; mod && i < m->rows; i++) {
        int64_t by;
        must(m, !zlay_zmat_entry(&by, mod, i, 0), "at");
        fmpz_t t;
        fmpz_init(t);
        fmpz_mul_si(t, fmpz_mat_entry(w, 0, (slong)i), by);
        must(m, fmpz_divisible(t, d), "refute: w mod");
        fmpz_clear(t);
    }
    fmpz_mat_init(made, 1, 1);
    fmpz_mat_mul(made, w, y);
    must(m, !fmpz_divisible(fmpz_mat_entry(made, 0, 0), d), "refute: w b");
    fmpz_mat_clear(made), fmpz_mat_clear(w), fmpz_mat_clear(den), fmpz_mat_clear(x), fmpz_mat_clear(y);
    zlay_zmat_free(up), zlay_zmat_free(down);
}

/* At the first entry of each kernel column, x is in [0, entry). */
static int is_reduced(const fmpz_mat_t x, const fmpz_mat_t kernel)
{
    for (slong c = 0; c < fmpz_mat_ncols(kernel); c++) {
        slong i = 0;
        while (fmpz_is_zero(fmpz_mat_entry(kernel, i, c))) i++;
        if (fmpz_sgn(fmpz_mat_entry(x, i, 0)) < 0 ||
            fmpz_cmp(fmpz_mat_entry(x, i, 0), fmpz_mat_entry(kernel, i, c)) >= 0)
            return 0;
    }
    return 1;
}

/* Half of the right sides are a times a point, so that they have a solution. */
static void draw_right(const matrix *m, int64_t *b, uint64_t *seed)
{
    int64_t point[SIDE];
    int made = test_range(seed, 0, 1) == 0;
    for (size_t j = 0; j < m->cols; j++) point[j] = test_range(seed, -9, 9);
    for (size_t i = 0; i < m->rows; i++) {
        b[i] = entry(seed, (int)test_range(seed, 0, 5));
        if (!made) continue;
        b[i] = 0;
        for (size_t j = 0; j < m->cols; j++) b[i] += m->at[i * m->cols + j] % ((int64_t)1 << 50) * point[j];
    }
}

static void systems(void **state)
{
    uint64_t seed = test_seed("refute/zmat systems"), count = test_cases(CASES), none = 0;
    for (uint64_t n = 0; n < count; n++) {
        matrix m;
        int64_t right[SIDE];
        zlay_zmat *x = NULL, *kernel = NULL;
        size_t rank = 0;
        draw(&m, &seed);
        draw_right(&m, right, &seed);
        zlay_zmat *a = zmat_of(*state, m.rows, m.cols, m.at), *b = zmat_of(*state, m.rows, 1, right);
        zlay_status status = zlay_zmat_solve(*state, &x, &kernel, a, b, NULL);
        none += status == ZLAY_NONE;
        if (status == ZLAY_NONE) check_witness(*state, &m, a, b, NULL);
        else {
            fmpz_mat_t f, g, y, k, made;
            must(&m, !status && !zlay_zmat_rank(*state, &rank, a), "solve");
            zmat_to_flint(f, a), zmat_to_flint(g, b), zmat_to_flint(y, x), zmat_to_flint(k, kernel);
            fmpz_mat_init(made, (slong)m.rows, 1);
            fmpz_mat_mul(made, f, y);
            must(&m, fmpz_mat_equal(made, g), "solve: a x");
            check_kernel(&m, kernel, f, rank);
            must(&m, is_reduced(y, k), "solve: x is not the one");
            fmpz_mat_clear(f), fmpz_mat_clear(g), fmpz_mat_clear(y), fmpz_mat_clear(k), fmpz_mat_clear(made);
        }
        zlay_zmat_free(a), zlay_zmat_free(b), zlay_zmat_free(x), zlay_zmat_free(kernel);
    }
    printf("%llu systems: %llu have no solution; none refuted\n", (unsigned long long)count, (unsigned long long)none);
    assert_true(none * 10 > count && none * 10 < count * 9);
}

/* ---- systems modulo numbers, by every point of a box ------------------------------------------ */

enum { BOX = 12 };

static int solves(const matrix *m, const int64_t *b, const int64_t *mod, const int64_t *x)
{
    for (size_t i = 0; i < m->rows; i++) {
        int64_t sum = -(b[i] % mod[i]);
        for (size_t j = 0; j < m->cols; j++) sum += m->at[i * m->cols + j] % mod[i] * x[j];
        if (sum % mod[i]) return 0;
    }
    return 1;
}

/* The point is x and whole multiples of the kernel's columns, which are lower triangular. */
static int is_reached(const zlay_zmat *x, const zlay_zmat *kernel, const int64_t *point, size_t cols)
{
    int64_t rest[SIDE], at;
    for (size_t j = 0; j < cols; j++) {
        if (zlay_zmat_entry(&at, x, j, 0)) return 0;
        rest[j] = point[j] - at;
    }
    for (size_t c = 0; c < cols; c++) {
        int64_t pivot;
        if (zlay_zmat_entry(&pivot, kernel, c, c) || pivot < 1 || rest[c] % pivot) return 0;
        int64_t times = rest[c] / pivot;
        for (size_t j = c; j < cols; j++) {
            if (zlay_zmat_entry(&at, kernel, j, c)) return 0;
            rest[j] -= times * at;
        }
    }
    return 1;
}

/* What the answer reaches is exactly what solves. */
static uint64_t check_box(const matrix *m, const int64_t *b, const int64_t *mod, const zlay_zmat *x, const zlay_zmat *kernel)
{
    int64_t point[SIDE] = {0};
    uint64_t found = 0;
    for (;;) {
        size_t j = 0;
        int is = solves(m, b, mod, point);
        found += (uint64_t)is;
        must(m, is == (x && is_reached(x, kernel, point, m->cols)), "solve modulo: a point");
        while (j < m->cols && ++point[j] == BOX) point[j++] = 0;
        if (j == m->cols) return found;
    }
}

static void systems_modulo(void **state)
{
    static const int64_t divisors[] = {1, 2, 3, 4, 6, 12};
    uint64_t seed = test_seed("refute/zmat modulo"), count = test_cases(CASES), none = 0;
    for (uint64_t n = 0; n < count; n++) {
        matrix m;
        int64_t right[SIDE], mod[SIDE];
        zlay_zmat *x = NULL, *kernel = NULL;
        do draw(&m, &seed);
        while (m.cols > 2 + (n % 16 == 0));
        draw_right(&m, right, &seed);
        for (size_t i = 0; i < m.rows; i++) mod[i] = divisors[test_range(&seed, 0, 5)];
        zlay_zmat *a = zmat_of(*state, m.rows, m.cols, m.at), *b = zmat_of(*state, m.rows, 1, right);
        zlay_zmat *c = zmat_of(*state, m.rows, 1, mod);
        zlay_status status = zlay_zmat_solve(*state, &x, &kernel, a, b, c);
        must(&m, !status || status == ZLAY_NONE, "solve modulo");
        if (status == ZLAY_NONE) check_witness(*state, &m, a, b, c);
        must(&m, (check_box(&m, right, mod, x, kernel) == 0) == (status == ZLAY_NONE), "solve modulo: none");
        none += status == ZLAY_NONE;
        zlay_zmat_free(a), zlay_zmat_free(b), zlay_zmat_free(c), zlay_zmat_free(x), zlay_zmat_free(kernel);
    }
    printf("%llu systems modulo numbers: %llu have no solution; none refuted\n", (unsigned long long)count, (unsigned long long)none);
    assert_true(none * 10 > count && none * 10 < count * 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms), cmocka_unit_test(systems), cmocka_unit_test(systems_modulo),
    };
    return cmocka_run_group_tests(tests, begin, teardown);
}
