/* SPDX-License-Identifier: Apache-2.0 */
/* The Hermite form of a matrix, without transforms, by the lattice that its rows span.
 *
 * Let A be r rows of rank r on the pivots' columns, d = |det A|, and v any column.  Every y in the
 * lattice has y w = 0 modulo d for w = d A^-1 v, and these y have a Hermite form that can be
 * written down: with g_i = gcd(d, w_i, .., w_r), entry (i, i) is g_(i + 1) / g_i.  For most A
 * and v it is that of A: its index is d.  v is picked by A's left kernels modulo 2 and 3, which
 * say what would make it less.  Where it is less all the same, conditions by A's right kernels
 * modulo small primes and by further columns v are added; all columns together always suffice.
 * Rows beyond r are put in one by one by gcds, modulo d, and the columns beyond the pivots follow
 * from Cramer's rule. */
#include "algebra/integer/alone.h"

enum { SIDE = ZL_CRAMER_SIDE, GENERATORS = 4, KERNEL = 3 };

#include "algebra/integer/lattice.h"

/* ---- the first column v ---------------------------------------------------------------------- */

static const uint8_t tried[][GENERATORS] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1},
                                            {1, 1, 0, 0}, {1, 0, 1, 0}, {0, 1, 1, 0}, {1, 1, 1, 0},
                                            {1, 2, 0, 0}, {1, 0, 2, 0}, {1, 1, 1, 1}, {1, 2, 3, 1}};

/* x modulo 30, by 2^64 = 1 modulo 15. */
static uint8_t modulo_30(zl_number x, size_t n)
{
    unsigned sum = 0;
    for (size_t i = 0; i < n; i++) sum += (unsigned)(x.at[i] % 15);
    sum %= 15;
    if ((sum ^ (unsigned)x.at[0]) & 1) sum += 15;
    return (uint8_t)(x.negative && sum ? 30 - sum : sum);
}

typedef struct rests {
    uint8_t at[GENERATORS][SIDE], det;
    size_t made; /* columns */
} rests;

/* No prime below 7 divides d and all numbers of this sum of columns: most often no prime at
 * all. */
static bool is_primitive(const lattice *f, const rests *s, const uint8_t *times)
{
    static const unsigned primes[] = {2, 3, 5};
    for (size_t k = 0; k < ZL_COUNT(primes); k++) {
        bool any = s->det % primes[k] != 0;
        for (size_t i = 0; i < f->r && !any; i++) {
            unsigned sum = 0;
            for (size_t j = 0; j < s->made; j++) sum += (unsigned)times[j] * s->at[j][i];
            any = sum % primes[k] != 0;
        }
        if (!any) return false;
    }
    return true;
}

/* The columns that the sum takes; false where there are not so many. */
static bool take_rests(const lattice *f, rests *s, const uint8_t *times)
{
    for (size_t j = s->made; j < GENERATORS; j++) {
        if (!times[j]) continue;
        if (j >= f->z->more) return false;
        for (; s->made <= j; s->made++)
            for (size_t i = 0; i < f->r; i++)
                s->at[s->made][i] = modulo_30(zl_cramer_at(f->z, i, s->made), f->z->limbs);
    }
    return true;
}

/* w: a sum of the first columns of z that is likely to be all that is needed. */
static void choose(const lattice *f, uint64_t *w)
{
    uint64_t x[ZL_BIG];
    rests s;
    size_t k = 0;
    s.det = modulo_30(zl_cramer_det(f->z), f->z->limbs), s.made = 0;
    while (k < ZL_COUNT(tried)
           && !(take_rests(f, &s, tried[k]) && is_primitive(f, &s, tried[k])))
        k++;
    const uint8_t *times = tried[k < ZL_COUNT(tried) ? k : 0];
    for (size_t i = 0; i < f->r; i++) {
        memset(w + i * f->n, 0, f->n * sizeof *w);
        for (size_t j = 0; j < GENERATORS; j++) {
            if (times[j]) take(f, x, zl_cramer_at(f->z, i, j));
            for (unsigned l = 0; l < times[j]; l++) add(f, w + i * f->n, x);
        }
    }
}

/* ---- rows beyond r --------------------------------------------------------------------------- */

/* y -= q row j, from column j on. */
static void take_off(const lattice *f, uint64_t *y, uint64_t *q, size_t j)
{
    negate(f, q);
    for (size_t l = j + 1; l < f->r; l++) add_product(f, y + l * f->n, q, at(f, j, l));
}

/* Row j and y become two combinations of determinant 1, of which y has 0 in column j. */
static void combine(const lattice *f, uint64_t *y, size_t j)
{
    size_t n = f->n;
    uint64_t g[ZL_BIG], x[ZL_BIG], k[2 * ZL_BIG + 1], p[ZL_BIG], q[ZL_BIG], rest[ZL_BIG];
    uint64_t *h = at(f, j, j), *a = y + j * n;
    zl_big_gcd(g, x, a, h, n);
    zl_big_mul(k, x, n, a, n);
    zl_big_sub(k, k, g, n) ? (void)zl_big_sub(k + n, k + n, (uint64_t[ZL_BIG]){1}, n) : (void)0;
    zl_big_divisor by;
    uint64_t quotient[2 * ZL_BIG + 1] = {0};
    zl_big_divisor_make(&by, h, zl_big_used(h, n));
    zl_big_rem(quotient, k, 2 * n, &by);
    set(k, quotient, n);
    negate(f, k);
    set(rest, h, n), divide(p, rest, g, n);
    set(rest, a, n), divide(q, rest, g, n);
    negate(f, q);
    for (size_t l = j + 1; l < f->r; l++) {
        uint64_t first[ZL_BIG] = {0}, second[ZL_BIG] = {0};
        add_product(f, first, x, y + l * n), add_product(f, first, k, at(f, j, l));
        add_product(f, second, p, y + l * n), add_product(f, second, q, at(f, j, l));
        set(at(f, j, l), first, n);
        set(y + l * n, second, n);
    }
    set(h, g, n);
}

/* The pivots' columns of a row, modulo d. */
static void load_row(const lattice *f, const int64_t *row, uint64_t *y)
{
    uint64_t q[ZL_BIG];
    for (size_t j = 0; j < f->r; j++) {
        int64_t x = row[f->z->col[j]];
        uint64_t size[ZL_BIG] = {zl_magnitude(x)};
        divide(q, size, f->det, f->n);
        set(y + j * f->n, size, f->n);
        if (x < 0) negate(f, y + j * f->n);
    }
}

static void insert(const lattice *f, const int64_t *row)
{
    size_t n = f->n;
    uint64_t *y = f->spare, q[ZL_BIG];
    load_row(f, row, y);
    for (size_t j = 0; j < f->r; j++) {
        if (is_zero(y + j * n, n)) continue;
        divide(q, y + j * n, at(f, j, j), n);
        take_off(f, y, q, j);
        if (!is_zero(y + j * n, n)) combine(f, y, j);
    }
}

/* Where y w = 0 modulo d is all that the first r rows ask, the row y makes of it the same modulo
 * gcd(d, y w). */
static void lower_modulus(lattice *f)
{
    const zl_cramer *z = f->z;
    size_t n = f->n;
    uint64_t *w = f->spare, *y = w + f->r * n, g[ZL_BIG], sum[ZL_BIG];
    set(g, f->det, n);
    choose(f, w);
    for (size_t i = f->r; i-- && !is_one(g, n);) zl_big_gcd_with(g, w + i * n, n);
    if (!is_one(g, n)) return;
    set(g, f->det, n);
    for (size_t i = f->r; i < z->rows && !is_one(g, n); i++) {
        load_row(f, z->a + z->row[i] * z->cols, y);
        memset(sum, 0, n * sizeof *sum);
        for (size_t j = 0; j < f->r; j++) add_product(f, sum, y + j * n, w + j * n);
        zl_big_gcd_with(g, sum, n);
    }
    set(f->common, g, n);
    f->det = f->common;
    f->n = zl_big_used(g, n);
    zl_big_divisor_make(&f->d, f->det, f->n);
    for (size_t i = 0; i < f->r; i++) {
        uint64_t rest[ZL_BIG + 1];
        set(rest, w + i * n, n);
        zl_big_rem(NULL, rest, n, &f->d);
        set(y + i * f->n, rest, f->n);
    }
    memmove(f->spare + f->r * f->r * f->n, y, f->r * f->n * sizeof *y);
    f->all = true;
}

/* ---- all columns, and the result ------------------------------------------------------------- */

/* Entry (i, j) behind the pivots: sum of h z over d, of limbs + 1. */
static bool behind(const lattice *f, size_t i, size_t column, const zl_big_divisor *by,
                   uint64_t *out)
{
    const zl_cramer *z = f->z;
    size_t n = f->n, m = z->limbs, wide = n + m + 1;
    uint64_t sum[2][2 * ZL_BIG + 2] = {{0}}, product[2 * ZL_BIG + 1];
    uint64_t quotient[2 * ZL_BIG + 2] = {0};
    for (size_t l = i; l < f->r; l++) {
        zl_number x = zl_cramer_at(z, l, column);
        if (is_zero(at(f, i, l), n)) continue;
        zl_big_mul(product, at(f, i, l), n, x.at, m);
        product[n + m] = 0;
        zl_big_add(sum[x.negative], sum[x.negative], product, wide);
    }
    bool negative = zl_big_cmp(sum[0], sum[1], wide) < 0;
    zl_big_sub(sum[negative], sum[negative], sum[!negative], wide);
    zl_big_rem(quotient, sum[negative], wide, by);
    set(out, quotient, m + 1);
    return negative != zl_cramer_det(z).negative && !is_zero(out, m + 1);
}

static zlay_status put(const lattice *f, zlay_zmat **out)
{
    const zl_cramer *z = f->z;
    size_t n = z->limbs + 1, count = z->rows * z->cols, words = count * n;
    size_t bytes = words * sizeof(uint64_t) + count;
    uint64_t *made = zl_scratch(z->ctx, bytes, 1);
    zl_big_divisor det;
    bool *negative = (bool *)(made + words);
    if (!made) return ZLAY_ENOMEM;
    zl_big_divisor_make(&det, z->value, zl_big_used(z->value, z->limbs));
    for (size_t i = 0; i < f->r; i++) {
        for (size_t j = i; j < f->r; j++)
            set(made + (i * z->cols + z->col[j]) * n, at(f, i, j), f->n);
        for (size_t j = f->r; j < z->cols; j++) {
            size_t k = i * z->cols + z->col[j];
            negative[k] = behind(f, i, z->more + j - f->r, &det, made + k * n);
        }
    }
    return zl_zmat_of_numbers(z->ctx, out, z->rows, z->cols, made, negative, n);
}

/* ---- conditions modulo small primes ---------------------------------------------------------- */

/* Each vector x of M's kernel modulo p says of every row y of M: y x = 0 modulo p, which is
 * y (d / p) x = 0 modulo d. */
static void refine_modulo(lattice *f, unsigned p)
{
    uint8_t x[KERNEL * SIDE];
    size_t count = zl_cramer_kernel(x, f->z, p, false, KERNEL);
    uint64_t part[ZL_BIG];
    set(part, f->det, f->n);
    zl_big_div_1(part, f->n, p);
    for (size_t k = 0; k < count && zl_big_cmp(f->index, f->det, f->n); k++) {
        uint64_t *w = f->spare + f->r * f->r * f->n;
        for (size_t i = 0; i < f->r; i++)
            zl_big_mul_1(w + i * f->n, part, f->n, x[k * f->r + i], 0);
        refine(f, w);
    }
}

/* What the index lacks is most often a small prime that divides more than one invariant factor. */
static void refine_by_primes(lattice *f)
{
    static const uint8_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
    uint64_t lack[ZL_BIG], rest[ZL_BIG];
    set(rest, f->det, f->n);
    divide(lack, rest, f->index, f->n);
    if (zl_big_used(lack, f->n) > 1) return;
    for (size_t k = 0; k < ZL_COUNT(primes); k++)
        if (lack[0] % primes[k] == 0) refine_modulo(f, primes[k]);
}

/* A column v of small numbers, whose w = d A^-1 v is 0 modulo 2 or 3 only where all others' are: no
 * sum of M's columns modulo p, as a row of M's left kernel tells. */
static void pick(const zl_cramer *z, int64_t *b)
{
    uint64_t random = 88172645463325252u;
    uint8_t x[SIDE];
    for (size_t i = 0; i < z->rows; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        b[i] = (int64_t)((random >> 32) * 6 >> 32);
    }
    for (unsigned p = 2; p <= 3; p++) {
        if (!zl_cramer_kernel(x, z, p, true, 1)) continue;
        unsigned sum = 0;
        size_t one = 0;
        for (size_t i = 0; i < z->rank; i++) {
            sum += x[i] * (unsigned)b[z->row[i]];
            if (x[i]) one = i;
        }
        if (sum % p == 0) b[z->row[one]] += 5 - (int64_t)p;
    }
}

/* ---- the form -------------------------------------------------------------------------------- */

static void form_of_rows(lattice *f)
{
    size_t n = f->n;
    uint64_t *w = f->spare + f->r * f->r * n;
    for (size_t i = 0; i < f->r; i++) at(f, i, i)[0] = 1;
    f->index[0] = 1;
    f->whole = true;
    if (!f->all && f->r) choose(f, w);
    if (zl_big_cmp(f->index, f->det, n)) refine(f, w);
    if (!f->all && zl_big_cmp(f->index, f->det, n)) refine_by_primes(f);
    for (size_t j = 0; j < f->z->more && zl_big_cmp(f->index, f->det, n); j++) {
        for (size_t i = 0; i < f->r; i++) take(f, w + i * n, zl_cramer_at(f->z, i, j));
        refine(f, w);
    }
}

static void form_of_all(lattice *f)
{
    const zl_cramer *z = f->z;
    for (size_t i = f->r; i < z->rows; i++) insert(f, z->a + z->row[i] * z->cols);
    reduce_above(f);
}

/* ZLAY_NONE: the columns v did not suffice. */
static zlay_status form(const zl_cramer *z, zlay_zmat **out)
{
    lattice f = {.z = z, .r = z->rank, .n = zl_big_used(z->value, z->limbs), .det = z->value};
    size_t r = f.r;
    zl_big_divisor_make(&f.d, f.det, f.n);
    f.h = zl_scratch(z->ctx, (2 * r * r + 6 * r + 1) * f.n, sizeof *f.h);
    if (!f.h) return ZLAY_ENOMEM;
    f.spare = f.h + r * r * f.n;
    if (r && r < z->rows) lower_modulus(&f);
    form_of_rows(&f);
    zlay_status status = zl_big_cmp(f.index, f.det, f.n) ? ZLAY_NONE : ZLAY_OK;
    if (!status && r < z->rows && !f.all) form_of_all(&f);
    return status ? status : put(&f, out);
}

typedef enum columns { UNIT_SMALL, PICKED, RANDOM, UNIT } columns;

/* Columns v: one that is picked, some of small numbers, or all unit columns, which suffice. */
static zlay_status by_columns(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a, columns v)
{
    bool all = v == UNIT || v == UNIT_SMALL;
    size_t rows = a->rows, more = all ? rows : v == PICKED ? 1 : GENERATORS;
    uint64_t random = 88172645463325252u;
    int64_t *b = zl_scratch(ctx, rows * more, sizeof *b);
    if (!b) return ZLAY_ENOMEM;
    for (size_t i = 0; i < rows * more; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        b[i] = all ? i / more == i % more : (int64_t)(random >> 60);
    }
    zl_cramer z = {.ctx = ctx, .a = a->small, .rows = rows, .cols = a->cols, .b = b, .more = more,
                   .wanted = more + a->cols, .small_only = v == UNIT_SMALL};
    if (v == PICKED) z.pick = pick, z.picked = b;
    zlay_status status = zl_cramer_solve(&z);
    return status ? status : form(&z, out);
}

zlay_status zl_hermite_alone(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a)
{
    if (a->limbs) return ZLAY_EOVERFLOW;
    zlay_status status = zl_hermite_small(ctx, out, a);
    if (status != ZLAY_EOVERFLOW) return status;
    if (a->rows <= GENERATORS) status = by_columns(ctx, out, a, UNIT_SMALL);
    if (status == ZLAY_EOVERFLOW) status = by_columns(ctx, out, a, PICKED);
    if (status == ZLAY_NONE) status = by_columns(ctx, out, a, RANDOM);
    return status == ZLAY_NONE ? by_columns(ctx, out, a, UNIT) : status;
}
