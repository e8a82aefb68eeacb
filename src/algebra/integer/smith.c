/* SPDX-License-Identifier: Apache-2.0 */
/* The invariant factors of a matrix, without transforms.
 *
 * The product of the first k of them is d_k, the gcd of the k x k minors.  Where A is square
 * and has an inverse, the last factor is |det A| / d_(n-1), and the others divide every gcd M
 * of minors of n - 1 rows; else all of them divide every gcd M of minors of rank(A) rows.
 * Cramer's rule has such minors by the row, and their gcd M is 1 or small for most matrices:
 * what it leaves open is decided by elimination modulo M in 64 bits (Iliopoulos 1989).  Up to
 * three rows, d_k itself is taken. */
#include "algebra/integer/alone.h"
#include "base/arith.h"

enum { TINY = 3, SIDE = ZL_CRAMER_SIDE };

/* ---- elimination modulo m ------------------------------------------------------------------- */

typedef struct local {
    uint64_t *t, m, scale; /* what is left, its modulus, and what was divided out of it */
    size_t rows, cols;
} local;

static uint64_t times(uint64_t a, uint64_t b, uint64_t m)
{
    return m >> 32 ? (uint64_t)((zl_u128)a * b % m) : a * b % m;
}

static uint64_t inverse_of(uint64_t a, uint64_t m)
{
    uint64_t g[1], x[1];
    zl_big_gcd(g, x, &a, &m, 1);
    return x[0];
}

static void load(local *p, const int64_t *a)
{
    for (size_t i = 0; i < p->rows * p->cols; i++) {
        uint64_t rest = zl_magnitude(a[i]) % p->m;
        p->t[i] = a[i] < 0 && rest ? p->m - rest : rest;
    }
}

static uint64_t *entry(const local *p, size_t i, size_t j) { return p->t + i * p->cols + j; }

/* The gcd of the modulus and of all entries from row and column k on, out of both. */
static void take_content(local *p, size_t k)
{
    uint64_t g = p->m;
    for (size_t i = k; i < p->rows; i++)
        for (size_t j = k; j < p->cols && g > 1; j++) g = zl_gcd(*entry(p, i, j), g);
    if (g == 1) return;
    p->m /= g;
    p->scale *= g;
    for (size_t i = k; i < p->rows; i++)
        for (size_t j = k; j < p->cols; j++) *entry(p, i, j) /= g;
}

/* m without the primes of a. */
static uint64_t coprime_part(uint64_t m, uint64_t a)
{
    for (uint64_t g = zl_gcd(m, a); g > 1; g = zl_gcd(m, g)) m /= g;
    return m;
}

/* The first unit to place (k, k).  Where there is none, an entry that is one modulo some primes
 * of m and no others: *part is the part of m that they make. */
static bool find_unit(local *p, size_t k, uint64_t *part)
{
    *part = 1;
    for (size_t i = k; i < p->rows; i++)
        for (size_t j = k; j < p->cols; j++) {
            uint64_t a = *entry(p, i, j);
            if (zl_gcd(a, p->m) != 1) {
                if (*part == 1 && a) *part = coprime_part(p->m, a);
                continue;
            }
            for (size_t l = k; l < p->cols; l++) {
                uint64_t t = *entry(p, i, l);
                *entry(p, i, l) = *entry(p, k, l), *entry(p, k, l) = t;
            }
            for (size_t l = k; l < p->rows; l++) {
                uint64_t t = *entry(p, l, j);
                *entry(p, l, j) = *entry(p, l, k), *entry(p, l, k) = t;
            }
            return true;
        }
    return false;
}

static void clear(local *p, size_t k)
{
    uint64_t m = p->m, inverse = inverse_of(*entry(p, k, k), m);
    for (size_t i = k + 1; i < p->rows; i++) {
        uint64_t by = times(*entry(p, i, k), inverse, m);
        by = by ? m - by : 0;
        for (size_t j = k + 1; j < p->cols && by; j++) {
            uint64_t sum = *entry(p, i, j) + times(by, *entry(p, k, j), m);
            *entry(p, i, j) = sum >= m ? sum - m : sum;
        }
    }
}

/* s[i] *= gcd(invariant i, m) for the first `count`; else the part of m by which it is split. */
static uint64_t local_factors(uint64_t *s, local *p, size_t count)
{
    uint64_t made[SIDE], part = 1;
    for (size_t k = 0; k < count; k++) {
        take_content(p, k);
        made[k] = p->scale;
        if (p->m == 1) continue;
        if (!find_unit(p, k, &part)) return part;
        clear(p, k);
    }
    for (size_t k = 0; k < count; k++) s[k] *= made[k];
    return 0;
}

/* Modulo m, or modulo coprime parts of it: 15 primes divide a number below 2^62 at most. */
static void factors_modulo(uint64_t *s, uint64_t *t, const zl_cramer *z, uint64_t m, size_t count)
{
    uint64_t open[16] = {m};
    for (size_t i = 0; i < count; i++) s[i] = 1;
    for (size_t left = m > 1; left;) {
        uint64_t modulus = open[--left];
        local p = {t, modulus, 1, z->rows, z->cols};
        load(&p, z->a);
        uint64_t part = local_factors(s, &p, count);
        if (!part) continue;
        uint64_t other = coprime_part(modulus, part);
        open[left++] = other;
        open[left++] = modulus / other;
    }
}

/* ---- the gcd of minors ----------------------------------------------------------------------- */

static bool is_one(const uint64_t *g, size_t n) { return g[0] == 1 && zl_big_used(g, n) == 1; }

static void gcd_of_column(uint64_t *g, const zl_cramer *z, size_t j)
{
    for (size_t i = 0; i < z->rank && !is_one(g, z->limbs); i++)
        zl_big_gcd_with(g, zl_cramer_at(z, i, j).at, z->limbs);
}

typedef struct factors {
    zl_cramer z;
    uint64_t content, factor[SIDE], common[ZL_BIG];
    size_t limbs; /* of common */
    bool whole;   /* square, with an inverse */
} factors;

/* The gcd of minors that all factors in question divide, behind those of earlier calls. */
static void take_minors(factors *f)
{
    const zl_cramer *z = &f->z;
    size_t first = f->whole ? 0 : z->more, last = f->whole ? z->more : z->solved;
    uint64_t g[ZL_BIG] = {0};
    if (!f->whole) memcpy(g, z->value, z->limbs * sizeof *g);
    for (size_t j = first; j < last; j++) gcd_of_column(g, z, j);
    f->limbs = z->limbs > f->limbs ? z->limbs : f->limbs;
    zl_big_gcd_with(f->common, g, f->limbs);
}

static bool is_common_small(const factors *f)
{
    return zl_big_used(f->common, f->limbs) == 1 && f->common[0] >> 62 == 0;
}

static zlay_status put(zlay_zmat **out, const factors *f, size_t count)
{
    const zl_cramer *z = &f->z;
    size_t n = z->limbs + 1;
    uint64_t *s = zl_scratch(z->ctx, count * n, sizeof *s), *last = s + (z->rank - 1) * n;
    if (!s) return ZLAY_ENOMEM;
    for (size_t i = 0; i < z->rank; i++) s[i * n] = f->factor[i];
    if (f->whole) memcpy(last, z->value, z->limbs * sizeof *s);
    for (size_t i = 0; f->whole && i + 1 < z->rank; i++)
        if (f->factor[i] > 1) zl_big_div_1(last, n, f->factor[i]);
    for (size_t i = 0; i < z->rank && f->content > 1; i++)
        zl_big_mul_1(s + i * n, s + i * n, n, f->content, 0);
    return zl_zmat_of_numbers(z->ctx, out, 1, count, s, NULL, n);
}

/* ---- any matrix of 64-bit entries ------------------------------------------------------------ */

static uint64_t content_of(const int64_t *a, size_t count)
{
    uint64_t g = 0;
    for (size_t i = 0; i < count && g != 1; i++) g = zl_gcd(zl_magnitude(a[i]), g);
    return g;
}

/* A over its content, its rows turned to columns where `turned`. */
static void copy_over(int64_t *t, const zlay_zmat *a, uint64_t content, bool turned)
{
    size_t step = turned ? a->rows : 1, line = turned ? 1 : a->cols;
    for (size_t i = 0; i < a->rows; i++)
        for (size_t j = 0; j < a->cols; j++) {
            int64_t x = a->small[i * a->cols + j];
            uint64_t size = content > 1 ? zl_magnitude(x) / content : zl_magnitude(x);
            t[i * line + j * step] = (int64_t)(x < 0 ? 0 - size : size);
        }
}

/* Minors whose rows are the first that are independent. */
static zlay_status solve(factors *f, int64_t *t, const zlay_zmat *a, bool turned)
{
    int64_t unit[SIDE] = {0};
    size_t rows = turned ? a->cols : a->rows, cols = turned ? a->rows : a->cols;
    f->z = (zl_cramer){.ctx = f->z.ctx, .a = t, .rows = rows, .cols = cols, .wanted = 2};
    copy_over(t, a, f->content, turned);
    unit[rows - 1] = 1;
    if (rows == cols) f->z.more = 1, f->z.b = unit;
    zlay_status status = zl_cramer_solve(&f->z);
    f->z.b = NULL;
    f->whole = rows == cols && f->z.rank == rows;
    if (!status) take_minors(f);
    return status;
}

/* By the shorter side; where its minors leave too much, also by the other. */
static zlay_status by_minors(factors *f, zlay_zmat **out, int64_t *t, const zlay_zmat *a)
{
    bool turned = a->rows > a->cols;
    size_t count = turned ? a->cols : a->rows;
    zlay_status status = solve(f, t, a, turned);
    if (!status && f->z.rank < count && !is_common_small(f)) status = solve(f, t, a, !turned);
    size_t open = f->z.rank - f->whole;
    if (!status && open && !is_common_small(f)) status = ZLAY_EOVERFLOW;
    if (status) return status;
    uint64_t *room = (uint64_t *)(void *)(t + f->z.rows * f->z.cols);
    factors_modulo(f->factor, room, &f->z, open ? f->common[0] : 1, open);
    return put(out, f, count);
}

/* ---- two rows or columns, and three by three ------------------------------------------------- */

static void gcd_with_wide(uint64_t g[2], zl_i128 x)
{
    zl_u128 size = x < 0 ? 0 - (zl_u128)x : (zl_u128)x;
    uint64_t a[2] = {(uint64_t)size, (uint64_t)(size >> 64)};
    if (g[0] == 1 && !g[1]) return;
    if (g[1] | a[1]) zl_big_gcd_with(g, a, 2);
    else g[0] = zl_gcd(a[0], g[0]);
}

/* All 2 x 2 minors of two rows, `step` from entry to entry and `line` from row to row. */
static void gcd_of_pairs(uint64_t g[2], const int64_t *a, size_t line, size_t count, size_t step)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            const int64_t *x = a + i * step, *y = a + j * step;
            gcd_with_wide(g, (zl_i128)x[0] * y[line] - (zl_i128)y[0] * x[line]);
        }
}

static zl_i128 det_of_three(const int64_t *a)
{
    zl_i128 p = (zl_i128)a[4] * a[8] - (zl_i128)a[5] * a[7];
    zl_i128 q = (zl_i128)a[3] * a[8] - (zl_i128)a[5] * a[6];
    zl_i128 r = (zl_i128)a[3] * a[7] - (zl_i128)a[4] * a[6];
    return a[0] * p - a[1] * q + a[2] * r;
}

/* s[i] by d_(i + 1) of the matrix over its content. */
static zlay_status tiny(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a, uint64_t content)
{
    uint64_t s[TINY][4] = {{1}}, two[2] = {0, 0};
    int64_t t[2 * SIDE];
    copy_over(t, a, content, false);
    size_t cols = a->cols, least = a->rows < cols ? a->rows : cols;
    if (least == TINY)
        for (size_t i = 0; i < TINY; i++)
            gcd_of_pairs(two, t + (i == 0 ? cols : 0), i == 1 ? 2 * cols : cols, TINY, 1);
    else if (least == 2 && a->rows == 2) gcd_of_pairs(two, t, cols, cols, 1);
    else if (least == 2) gcd_of_pairs(two, t, 1, a->rows, cols);
    memcpy(s[1], two, sizeof two);
    if (least == TINY && two[0]) {
        zl_i128 det = det_of_three(t);
        zl_u128 third = (zl_u128)(det < 0 ? -det : det) / two[0];
        s[2][0] = (uint64_t)third, s[2][1] = (uint64_t)(third >> 64);
    }
    for (size_t i = 0; i < least && content > 1; i++) zl_big_mul_1(s[i], s[i], 4, content, 0);
    return zl_zmat_of_numbers(ctx, out, 1, least, s[0], NULL, 4);
}

/* Two rows or columns of entries below 2^62, or three of both below 2^31. */
static bool is_tiny(const zlay_zmat *a)
{
    uint64_t any = 0;
    size_t least = a->rows < a->cols ? a->rows : a->cols, most = a->rows + a->cols - least;
    if (least > TINY || most > (least == TINY ? TINY : SIDE)) return false;
    for (size_t i = 0; i < a->rows * a->cols; i++) any |= zl_magnitude(a->small[i]);
    return any >> (least == TINY ? 31 : 62) == 0;
}

zlay_status zl_smith_alone(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a)
{
    static const uint64_t zero[SIDE] = {0};
    size_t count = a->rows * a->cols, least = a->rows < a->cols ? a->rows : a->cols;
    if (a->limbs) return ZLAY_EOVERFLOW;
    uint64_t content = content_of(a->small, count);
    if (!content) return zl_zmat_of_numbers(ctx, out, 1, least, zero, NULL, 1);
    if (is_tiny(a)) return tiny(ctx, out, a, content);
    zlay_status status = zl_smith_small(ctx, out, a);
    if (status != ZLAY_EOVERFLOW) return status;
    factors f = {.z.ctx = ctx, .content = content};
    int64_t *t = zl_scratch(ctx, 2 * count, sizeof *t);
    return t ? by_minors(&f, out, t, a) : ZLAY_ENOMEM;
}
