/* SPDX-License-Identifier: Apache-2.0 */
/* a x = b, and what else a method answers, over a type `num` (zmat.h).  The Hermite form h = u a^T
 * makes the system triangular: with x = z u, row p of a x is z h[.][p], and each pivot of h gives
 * one z. */

/* Row i of `rows` reduced from the row j on, whose entry at `at` is a pivot. */
static void reduce_row(work *k, num *row, const num *by, size_t at, size_t n, num *q)
{
    num_fdiv(k, q, &row[at], &by[at]);
    num_neg(k, q, q);
    if (num_sgn(q)) add_line(k, row, q, by, n, 1);
}

typedef struct solution {
    hermite f;     /* of the transposed matrix, cols x rows */
    num *z;        /* one a pivot */
    size_t failed; /* the pivot whose z is no integer; else the row that is not met, behind rank */
    bool none;
} solution;

static void forward(work *k, solution *s, const num *b, size_t rows)
{
    const hermite *f = &s->f;
    num *e = nums(k, 1);
    for (size_t i = 0; i <= f->rank && !k->overflow; i++)
        for (size_t p = i < f->rank ? f->pivot[i] : 0; p < rows; p++) {
            num_set(e, &b[p]);
            for (size_t l = 0; l < i; l++) num_submul(k, e, &s->z[l], &f->h[l * rows + p]);
            bool pivot = i < f->rank;
            s->none = pivot ? !num_divisible(e, &f->h[i * rows + p]) : num_sgn(e) != 0;
            s->failed = pivot ? i : f->rank + p;
            if (s->none) return;
            if (!pivot) continue;
            num_divexact(&s->z[i], e, &f->h[i * rows + p]);
            break;
        }
}

static void solution_of(work *k, solution *s, const num *a, const num *b, size_t rows, size_t cols)
{
    num *t = nums(k, rows * cols);
    s->none = false;
    transpose(t, a, rows, cols);
    hermite_of(k, &s->f, t, cols, rows);
    if (k->overflow) return;
    s->z = nums(k, s->f.rank);
    forward(k, s, b, rows);
}

/* The kernel's first `keep` entries in Hermite form, and x reduced by it. */
static zlay_status put_solution(work *k, zlay_zmat *out[2], const solution *s, size_t cols,
                                size_t keep)
{
    size_t count = cols - s->f.rank;
    num *x = nums(k, cols), *raw = nums(k, count * keep), *q = nums(k, 1);
    num *turned = nums(k, count * keep);
    hermite g;
    for (size_t l = 0; l < s->f.rank; l++) add_line(k, x, &s->z[l], s->f.u + l * cols, cols, 1);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < keep; j++)
            num_set(&raw[i * keep + j], &s->f.u[(s->f.rank + i) * cols + j]);
    hermite_of(k, &g, raw, count, keep);
    if (k->overflow) return ZLAY_EOVERFLOW;
    for (size_t i = 0; i < count; i++) reduce_row(k, x, g.h + i * keep, g.pivot[i], keep, q);
    transpose(turned, g.h, count, keep);
    zlay_status status = stored(k, &out[0], x, keep, 1);
    return status ? status : stored(k, &out[1], turned, keep, count);
}

static zlay_status solve(zlay_ctx *ctx, zlay_zmat *out[2], const zlay_zmat *a, const zlay_zmat *b,
                         size_t keep)
{
    work k;
    solution s;
    zlay_status status = begin(&k, ctx, 2 * numbers(a));
    if (status) return status;
    const num *x = loaded(&k, a), *y = loaded(&k, b);
    if (!k.overflow) solution_of(&k, &s, x, y, a->rows, a->cols);
    if (k.overflow) status = ZLAY_EOVERFLOW;
    else status = s.none ? ZLAY_NONE : put_solution(&k, out, &s, a->cols, keep);
    end(&k);
    return status;
}

/* w on the pivots' rows with sum_a w[a] h[l][pivot a] = rhs[l], all multiples of `den`, the product
 * of the pivots, so that every quotient is exact. */
static void backward(work *k, num *w, const num *rhs, const hermite *f, size_t count, size_t rows)
{
    num *e = nums(k, 1);
    for (size_t l = count; l--;) {
        num_set(e, &rhs[l]);
        for (size_t a = l + 1; a < count; a++)
            num_submul(k, e, &w[f->pivot[a]], &f->h[l * rows + f->pivot[a]]);
        num_divexact(&w[f->pivot[l]], e, &f->h[l * rows + f->pivot[l]]);
    }
}

/* The certificate: a row of the triangle's inverse where a z is no integer; else a combination that
 * a kills and b does not, over twice what b gives. */
static void certify(work *k, num *w, num *den, const solution *s, const num *b, size_t rows)
{
    const hermite *f = &s->f;
    bool pivot = s->failed < f->rank;
    size_t count = pivot ? s->failed + 1 : f->rank, row = s->failed - (pivot ? 0 : f->rank);
    num *rhs = nums(k, count), *e = nums(k, 1);
    num_si(den, 1);
    for (size_t l = 0; l < count; l++) num_mul(k, den, den, &f->h[l * rows + f->pivot[l]]);
    if (pivot) num_set(&rhs[row], den);
    for (size_t l = 0; l < count && !pivot; l++) num_submul(k, &rhs[l], den, &f->h[l * rows + row]);
    if (!k->overflow) backward(k, w, rhs, f, count, rows);
    if (pivot) return;
    num_set(&w[row], den);
    for (size_t i = 0; i < rows; i++) num_addmul(k, e, &w[i], &b[i]);
    num_add(k, den, e, e);
}

/* No common factor, and the denominator positive. */
static void lowest_terms(work *k, num *w, num *den, size_t rows)
{
    num *g = nums(k, 1);
    num_set(g, den);
    for (size_t i = 0; i < rows; i++) num_gcd(g, g, &w[i]);
    if (num_sgn(den) < 0) num_neg(k, g, g);
    num_divexact(den, den, g);
    for (size_t i = 0; i < rows; i++) num_divexact(&w[i], &w[i], g);
}

static zlay_status refute(zlay_ctx *ctx, zlay_zmat *out[2], const zlay_zmat *a, const zlay_zmat *b)
{
    work k;
    solution s = {.none = false};
    zlay_status status = begin(&k, ctx, 2 * numbers(a));
    if (status) return status;
    const num *x = loaded(&k, a), *y = loaded(&k, b);
    num *w = nums(&k, a->rows), *den = nums(&k, 1);
    if (!k.overflow) solution_of(&k, &s, x, y, a->rows, a->cols);
    if (!k.overflow && s.none) certify(&k, w, den, &s, y, a->rows);
    if (!k.overflow && s.none) lowest_terms(&k, w, den, a->rows);
    if (k.overflow) status = ZLAY_EOVERFLOW;
    else if (!s.none) status = ZLAY_NONE;
    if (!status) status = stored(&k, &out[0], w, 1, a->rows);
    if (!status) status = stored(&k, &out[1], den, 1, 1);
    end(&k);
    return status;
}

/* ---- rank, determinant, inverse ----------------------------------------------------------- */

static zlay_status rank_of(zlay_ctx *ctx, size_t *out, const zlay_zmat *a)
{
    work k;
    zlay_status status = begin(&k, ctx, numbers(a));
    if (status) return status;
    const num *x = loaded(&k, a);
    size_t rank = k.overflow ? 0 : pivots(&k, indices(&k, a->rows + a->cols), x, a->rows, a->cols);
    if (k.overflow) status = ZLAY_EOVERFLOW;
    else *out = rank;
    end(&k);
    return status;
}

static zlay_status det(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a)
{
    work k;
    zlay_status status = begin(&k, ctx, numbers(a));
    if (status) return status;
    const num *x = loaded(&k, a);
    num *d = nums(&k, 1);
    if (!k.overflow) adjugate(&k, nums(&k, a->rows * a->rows), d, x, a->rows);
    status = stored(&k, out, d, 1, 1);
    end(&k);
    return status;
}

static zlay_status inverse(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a)
{
    work k;
    size_t n = a->rows;
    zlay_status status = begin(&k, ctx, numbers(a));
    if (status) return status;
    const num *x = loaded(&k, a);
    num *b = nums(&k, n * n), *d = nums(&k, 1);
    if (!k.overflow) adjugate(&k, b, d, x, n);
    if (!k.overflow && num_sgn(d) < 0)
        for (size_t i = 0; i < n * n; i++) num_neg(&k, &b[i], &b[i]);
    num_set(k.scratch, d);
    if (num_sgn(d) < 0) num_neg(&k, k.scratch, d);
    if (!k.overflow && !num_is_one(k.scratch)) status = ZLAY_NONE;
    else status = stored(&k, out, b, n, n);
    end(&k);
    return status;
}

const zl_zmat_method METHOD = {snf, hnf, det, inverse, rank_of, solve, refute};
