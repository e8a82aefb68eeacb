/* SPDX-License-Identifier: Apache-2.0 */
/* Part of flint.c: d A^-1 of a square matrix of determinant d.  Up to 16 rows of 64-bit entries go
 * by Cramer's rule (cramer.h) with all unit columns at once; others modulo primes, put together by
 * FLINT's Chinese remainder theorem. */

/* ---- entries of 64 bits --------------------------------------------------------------------- */

static bool is_odd(const size_t *row, size_t n)
{
    bool odd = false;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) odd ^= row[i] > row[j];
    return odd;
}

static void take_number(num *out, zl_number x, size_t limbs, bool minus)
{
    fmpz_set_ui_array(out, (const ulong *)(const void *)x.at, (slong)limbs);
    if (x.negative != minus) fmpz_neg(out, out);
}

/* Cramer's rule takes the rows in an order of its own, which may turn the sign of d. */
static void take_adjugate(num *b, num *d, const zl_cramer *z)
{
    size_t n = z->rows;
    bool minus = is_odd(z->row, n);
    fmpz_zero(d);
    if (z->rank < n) return;
    take_number(d, zl_cramer_det(z), z->limbs, minus);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            take_number(&b[i * n + j], zl_cramer_at(z, i, j), z->limbs, minus);
}

/* Of more rows FLINT's elimination modulo a prime, by blocks, takes less time. */
enum { CRAMER_ROWS = 16 };

/* False: by another method. */
static bool by_cramer(work *k, num *b, num *d, const num *a, size_t n)
{
    if (n > CRAMER_ROWS) return false;
    for (size_t i = 0; i < n * n; i++)
        if (!fmpz_fits_si(&a[i])) return false;
    int64_t *entries = zl_scratch(k->ctx, 2 * n * n, sizeof *entries);
    if (!entries) return false;
    int64_t *unit = entries + n * n;
    for (size_t i = 0; i < n * n; i++) {
        entries[i] = fmpz_get_si(&a[i]);
        unit[i] = i % (n + 1) == 0;
    }
    zl_cramer z = {.ctx = k->ctx, .a = entries, .rows = n, .cols = n, .b = unit, .more = n,
                   .wanted = n};
    bool done = !zl_cramer_solve(&z);
    if (done) take_adjugate(b, d, &z);
    return done;
}

/* ---- modulo primes -------------------------------------------------------------------------- */

/* Hadamard: the square of no minor passes the product of the rows' squared lengths (a row of zeros
 * counts as 1); one bit more for the sign. */
static flint_bitcnt_t minor_bits(const num *a, size_t n)
{
    num product, length;
    fmpz_init_set_ui(&product, 1);
    fmpz_init(&length);
    for (size_t i = 0; i < n; i++) {
        fmpz_one(&length);
        for (size_t j = 0; j < n; j++)
            fmpz_addmul(&length, &a[i * n + j], &a[i * n + j]);
        fmpz_mul(&product, &product, &length);
    }
    flint_bitcnt_t bits = fmpz_bits(&product) / 2 + 2;
    fmpz_clear(&product);
    fmpz_clear(&length);
    return bits;
}

typedef struct remainders {
    fmpz_mat_t sum; /* of what the primes so far say */
    num modulus, det;
} remainders;

/* One prime; false where the matrix has no inverse modulo it. */
static bool add_prime(remainders *r, const fmpz_mat_t a, ulong prime)
{
    nmod_mat_t m, inverse;
    nmod_mat_init(m, fmpz_mat_nrows(a), fmpz_mat_ncols(a), prime);
    nmod_mat_init(inverse, fmpz_mat_nrows(a), fmpz_mat_ncols(a), prime);
    fmpz_mat_get_nmod_mat(m, a);
    bool there = nmod_mat_inv(inverse, m);
    if (there) {
        ulong det = nmod_mat_det(m);
        nmod_mat_scalar_mul(inverse, inverse, det);
        fmpz_CRT_ui(&r->det, &r->det, &r->modulus, det, prime, 1);
        fmpz_mat_CRT_ui(r->sum, r->sum, &r->modulus, inverse, 1);
        fmpz_mul_ui(&r->modulus, &r->modulus, prime);
    }
    nmod_mat_clear(inverse);
    nmod_mat_clear(m);
    return there;
}

enum { PRIMES_REFUSED = 64 };

/* 64 primes of 60 bits divide no determinant below 3,800 bits but 0, and longer ones are left to
 * the rank. */
static bool by_primes(remainders *r, const fmpz_mat_t a, flint_bitcnt_t bits)
{
    ulong prime = (ulong)1 << 60;
    for (int refused = 0; fmpz_bits(&r->modulus) <= bits;) {
        prime = n_nextprime(prime, 0);
        if (add_prime(r, a, prime)) continue;
        if (++refused == PRIMES_REFUSED || fmpz_mat_rank(a) < fmpz_mat_nrows(a)) return false;
    }
    return true;
}

static void adjugate(work *k, num *b, num *d, const num *a, size_t n)
{
    fmpz_mat_t x;
    remainders r = {.modulus = 1, .det = 0};
    fmpz_one(d);
    if (!n || by_cramer(k, b, d, a, n)) return;
    in_mat(x, a, n, n);
    fmpz_mat_init(r.sum, (slong)n, (slong)n);
    bool whole = by_primes(&r, x, minor_bits(a, n));
    out_mat(b, r.sum, n, n);
    if (whole) fmpz_swap(d, &r.det);
    else fmpz_zero(d);
    fmpz_clear(&r.modulus);
    fmpz_clear(&r.det);
    fmpz_mat_clear(x);
}
