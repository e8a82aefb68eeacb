/* SPDX-License-Identifier: Apache-2.0 */
/* Hermite and Smith forms over a type `num`; see zmat.h.
 *
 * Everything goes through d A^-1 of a square matrix of determinant d > 0 in absolute value: the
 * rows of A span { y : y d A^-1 = 0 mod d }, so that no number on the way is much longer than d.
 * A matrix that has no inverse is bordered by unit columns until it has one. */

static void identity(num *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) num_si(&a[i * n + j], i == j);
}

static void transpose(num *out, const num *a, size_t rows, size_t cols)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) num_set(&out[j * rows + i], &a[i * cols + j]);
}

/* y += t x, of n entries a stride apart. */
static void add_line(work *k, num *y, const num *t, const num *x, size_t n, size_t stride)
{
    for (size_t i = 0; i < n; i++)
        if (num_sgn(&x[i * stride])) num_addmul(k, &y[i * stride], t, &x[i * stride]);
}

static void swap_lines(num *x, num *y, size_t n, size_t stride)
{
    for (size_t i = 0; i < n; i++) num_swap(&x[i * stride], &y[i * stride]);
}

/* ---- Smith form of a square matrix -------------------------------------------------------- */

/* w v = 1; v are the column operations of the form, and w those of the rows of c, which is d A^-1.
 */
typedef struct smith {
    num *s, *w, *v, *c;
    num *m, *rest, *inverse; /* the modulus, what the diagonal still lacks, that of the pivot */
    num *g, *t, *x;          /* scratch */
    size_t n, top;
} smith;

/* gcd of g, of `count` entries x + t y. */
static void content(work *k, num *g, const num *from, const num *x, const num *t, const num *y,
                    size_t count, size_t stride)
{
    num *sum = k->scratch;
    num_set(g, from);
    for (size_t i = 0; i < count && !num_is_one(g); i++) {
        num_set(sum, &x[i * stride]);
        if (y) num_addmul(k, sum, t, &y[i * stride]);
        num_gcd(g, g, sum);
    }
}

/* The least t > 0 that makes the content of x + t y what x and y have together.  Each prime of the
 * modulus refuses one residue of t, so that there is one below their number doubled or so. */
static void stabilize(work *k, num *t, num *g, const num *m, const num *x, const num *y,
                      size_t count, size_t stride)
{
    num *both = k->scratch + 1;
    content(k, both, g, y, NULL, NULL, count, stride);
    num_si(t, 0);
    if (num_equal(both, g)) return;
    for (int64_t i = 1; !num_equal(both, g) && !k->overflow; i++) {
        num_si(t, i);
        content(k, g, m, x, t, y, count, stride);
    }
}

/* Column operations until the first active column has content 1 modulo m. */
static void gather_columns(work *k, smith *f)
{
    size_t first = f->n - f->top;
    num *x = f->c + first;
    content(k, f->g, f->m, x, NULL, NULL, f->top, f->n);
    for (size_t j = first + 1; j < f->n && !num_is_one(f->g); j++) {
        stabilize(k, f->t, f->g, f->m, x, f->c + j, f->top, f->n);
        add_line(k, x, f->t, f->c + j, f->top, f->n);
    }
}

static void add_row(work *k, smith *f, size_t to, const num *t, size_t from)
{
    size_t n = f->n;
    num_neg(k, f->x, t);
    add_line(k, f->w + to * n, t, f->w + from * n, n, 1);
    add_line(k, f->v + from, f->x, f->v + to, n, n);
}

/* The last row whose entry in the first active column is a unit modulo m, with its inverse; `top`
 * where there is none. */
static size_t unit_row(smith *f)
{
    for (size_t q = f->top; q--;)
        if (num_invmod(f->inverse, &f->c[q * f->n + f->n - f->top], f->m)) return q;
    return f->top;
}

/* Row operations until the first active column has a unit modulo m in the last active row; q is
 * unit_row's. */
static void gather_rows(work *k, smith *f, size_t q)
{
    size_t n = f->n, first = n - f->top;
    if (q == f->top) {
        q = f->top - 1;
        num_gcd(f->g, f->m, &f->c[q * n + first]);
        for (size_t l = 0; l < q && !num_is_one(f->g); l++) {
            stabilize(k, f->t, f->g, f->m, &f->c[q * n + first], &f->c[l * n + first], 1, 1);
            if (!num_sgn(f->t)) continue;
            add_line(k, f->c + q * n, f->t, f->c + l * n, n, 1);
            add_row(k, f, q, f->t, l);
        }
        num_invmod(f->inverse, &f->c[q * n + first], f->m);
    }
    if (q == f->top - 1) return;
    swap_lines(f->c + q * n, f->c + (f->top - 1) * n, n, 1);
    swap_lines(f->w + q * n, f->w + (f->top - 1) * n, n, 1);
    swap_lines(f->v + q, f->v + f->top - 1, n, n);
}

/* Clear the first active column with its last entry, a unit. */
static void clear_column(work *k, smith *f)
{
    size_t n = f->n, first = n - f->top, q = f->top - 1;
    for (size_t i = 0; i < q; i++) {
        num_mulmod(k, f->t, &f->c[i * n + first], f->inverse, f->m);
        num_balance(k, f->t, f->m);
        num_neg(k, f->t, f->t);
        if (!num_sgn(f->t)) continue;
        add_row(k, f, i, f->t, q);
        for (size_t j = first + 1; j < n && !num_is_one(f->rest); j++) {
            num_mulmod(k, f->x, f->t, &f->c[q * n + j], f->m);
            num_add(k, f->x, f->x, &f->c[i * n + j]);
            num_mod(k, &f->c[i * n + j], f->x, f->m);
        }
    }
}

/* The content of what is active, which the modulus loses. */
static void lower_modulus(smith *f)
{
    num_set(f->g, f->m);
    for (size_t i = 0; i < f->top; i++)
        for (size_t j = f->n - f->top; j < f->n && !num_is_one(f->g); j++)
            num_gcd(f->g, f->g, &f->c[i * f->n + j]);
    if (num_is_one(f->g)) return;
    num_divexact(f->m, f->m, f->g);
    for (size_t i = 0; i < f->top; i++)
        for (size_t j = f->n - f->top; j < f->n; j++)
            num_divexact(&f->c[i * f->n + j], &f->c[i * f->n + j], f->g);
}

/* s, w and v of the matrix whose d A^-1 is c, which is lost. */
static void smith_square(work *k, smith *f, const num *d)
{
    num *own = nums(k, 6);
    f->m = own, f->rest = own + 1, f->g = own + 2, f->t = own + 3, f->x = own + 4,
    f->inverse = own + 5;
    identity(f->w, f->n);
    identity(f->v, f->n);
    for (size_t i = 0; i < f->n; i++) num_si(&f->s[i], 1);
    num_set(f->m, d);
    num_set(f->rest, d);
    for (f->top = f->n; f->top && !num_is_one(f->rest) && !k->overflow; f->top--) {
        size_t q = unit_row(f);
        if (q == f->top) {
            lower_modulus(f);
            gather_columns(k, f);
            q = unit_row(f);
        }
        num_set(&f->s[f->top - 1], f->m);
        num_divexact(f->rest, f->rest, f->m);
        gather_rows(k, f, q);
        clear_column(k, f);
    }
}

/* s, u, v of a square matrix; false where it has no inverse. */
static bool smith_of_square(work *k, num *s, num *u, num *v, const num *a, size_t n)
{
    num *b = nums(k, n * n), *w = nums(k, n * n), *c = nums(k, n * n), *d = nums(k, 1);
    smith f = {.s = s, .w = w, .v = v, .c = c, .n = n};
    adjugate(k, b, d, a, n);
    if (k->overflow || !num_sgn(d)) return false;
    bool flip = num_sgn(d) < 0;
    if (flip) num_neg(k, d, d);
    for (size_t i = 0; i < n * n; i++) {
        if (flip) num_neg(k, &b[i], &b[i]);
        num_set(&c[i], &b[i]);
    }
    smith_square(k, &f, d);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n && !num_is_one(&s[i]); j++)
            num_mul(k, &w[i * n + j], &w[i * n + j], &s[i]);
    product(k, u, w, b, n, n, n, d);
    return true;
}

/* ---- Hermite form ------------------------------------------------------------------------- */

/* h = u a, rows x cols; rank and the column of each pivot.  The rows of u from `rank` on are a
 * basis of { y : y a = 0 }, in Hermite form on the columns `free`. */
typedef struct hermite {
    num *h, *u;
    size_t rank, *pivot, *free;
} hermite;

/* The rows that are no combination of those before them. */
static size_t independent_rows(work *k, size_t *row, const num *a, size_t rows, size_t cols)
{
    num *t = nums(k, rows * cols);
    transpose(t, a, rows, cols);
    return pivots(k, row, t, cols, rows);
}

/* The pivot columns of a, and a unit column for each row that depends on those before it. */
static void border(work *k, hermite *f, num *square, const num *a, size_t rows, size_t cols)
{
    size_t *row = indices(k, rows);
    independent_rows(k, row, a, rows, cols);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < f->rank; j++)
            num_set(&square[i * rows + j], &a[i * cols + f->pivot[j]]);
    for (size_t i = 0, next = 0, j = f->rank; i < rows; i++) {
        if (next < f->rank && row[next] == i) next++;
        else {
            f->free[j - f->rank] = i;
            num_si(&square[i * rows + j++], 1);
        }
    }
}

static void hermite_of(work *k, hermite *f, const num *a, size_t rows, size_t cols)
{
    num *square = nums(k, rows * rows), *b = nums(k, rows * rows), *g = nums(k, rows * rows);
    num *d = nums(k, 1);
    f->pivot = indices(k, rows + cols);
    f->free = indices(k, rows);
    f->h = nums(k, rows * cols);
    f->u = nums(k, rows * rows);
    f->rank = pivots(k, f->pivot, a, rows, cols);
    if (k->overflow) return;
    border(k, f, square, a, rows, cols);
    if (!k->overflow) adjugate(k, b, d, square, rows);
    if (k->overflow) return;
    triangle(k, g, square, d, rows);
    product(k, f->u, g, b, rows, rows, rows, d);
    product(k, f->h, f->u, a, rows, rows, cols, NULL);
}

/* ---- Smith form of any matrix ------------------------------------------------------------- */

/* Rows (stride apart by `line`) of x reduced by the basis of a kernel behind them. */
static void shorten(work *k, const hermite *f, num *u, size_t rows)
{
    num *q = nums(k, 1);
    for (size_t i = 0; i < f->rank; i++)
        for (size_t j = f->rank; j < rows; j++) {
            const num *by = u + j * rows;
            size_t at = f->free[j - f->rank];
            num_nearest(k, q, &u[i * rows + at], &by[at]);
            num_neg(k, q, q);
            if (num_sgn(q)) add_line(k, u + i * rows, q, by, rows, 1);
        }
}

/* The first `rank` rows of f->u multiplied from the left. */
static void mix(work *k, num *out, const num *left, const hermite *f, size_t rows)
{
    product(k, out, left, f->u, f->rank, f->rank, rows, NULL);
    for (size_t i = f->rank * rows; i < rows * rows; i++) num_set(&out[i], &f->u[i]);
    shorten(k, f, out, rows);
}

/* First rows, then columns are compressed to a square matrix with an inverse. */
static void smith_of_any(work *k, num *s, num *u, num *v, const num *a, size_t rows, size_t cols)
{
    hermite left, right;
    hermite_of(k, &left, a, rows, cols);
    if (k->overflow) return;
    size_t r = left.rank;
    num *turned = nums(k, cols * r), *core = nums(k, r * r), *t = nums(k, cols * cols);
    num *inner_u = nums(k, r * r), *inner_v = nums(k, r * r), *inner_t = nums(k, r * r);
    transpose(turned, left.h, r, cols);
    hermite_of(k, &right, turned, cols, r);
    if (k->overflow) return;
    transpose(core, right.h, r, r);
    smith_of_square(k, s, inner_u, inner_v, core, r);
    if (k->overflow) return;
    mix(k, u, inner_u, &left, rows);
    transpose(inner_t, inner_v, r, r);
    mix(k, t, inner_t, &right, cols);
    transpose(v, t, cols, cols);
}

/* ---- what a method answers ------------------------------------------------------------------ */

/* Numbers that any operation takes at most. */
static size_t numbers(const zlay_zmat *a)
{
    size_t n = a->rows > a->cols ? a->rows : a->cols;
    return 40 * n * n + 40 * n + 64;
}

static num *loaded(work *k, const zlay_zmat *a)
{
    num *out = nums(k, a->rows * a->cols);
    for (size_t i = 0; i < a->rows * a->cols; i++) load(k, &out[i], a, i);
    return out;
}

static zlay_status put_smith(work *k, zlay_zmat *out[3], const num *s, const num *u, const num *v,
                             const zlay_zmat *a)
{
    zlay_status status = stored(k, &out[0], s, 1, a->rows < a->cols ? a->rows : a->cols);
    if (!status) status = stored(k, &out[1], u, a->rows, a->rows);
    if (!status) status = stored(k, &out[2], v, a->cols, a->cols);
    return status;
}

/* Most square matrices have an inverse, and then a quarter of the memory is enough. */
static zlay_status snf_square(zlay_ctx *ctx, zlay_zmat *out[3], const zlay_zmat *a, bool *done)
{
    work k;
    size_t n = a->rows;
    zlay_status status = begin(&k, ctx, 10 * n * n + 10 * n + 64);
    if (status) return status;
    num *s = nums(&k, n), *u = nums(&k, n * n), *v = nums(&k, n * n);
    const num *x = loaded(&k, a);
    *done = !k.overflow && smith_of_square(&k, s, u, v, x, n);
    if (*done || k.overflow) status = put_smith(&k, out, s, u, v, a);
    end(&k);
    return status;
}

static zlay_status snf(zlay_ctx *ctx, zlay_zmat *out[3], const zlay_zmat *a)
{
    work k;
    size_t rows = a->rows, cols = a->cols;
    bool done = false;
    zlay_status status = rows == cols ? snf_square(ctx, out, a, &done) : ZLAY_OK;
    if (!status && !done) status = begin(&k, ctx, numbers(a));
    if (status || done) return status;
    num *s = nums(&k, rows + cols), *u = nums(&k, rows * rows), *v = nums(&k, cols * cols);
    const num *x = loaded(&k, a);
    if (!k.overflow) smith_of_any(&k, s, u, v, x, rows, cols);
    status = put_smith(&k, out, s, u, v, a);
    end(&k);
    return status;
}

static zlay_status hnf(zlay_ctx *ctx, zlay_zmat *out[2], const zlay_zmat *a)
{
    work k;
    hermite f;
    zlay_status status = begin(&k, ctx, numbers(a));
    if (status) return status;
    const num *x = loaded(&k, a);
    if (!k.overflow) hermite_of(&k, &f, x, a->rows, a->cols);
    if (k.overflow) status = ZLAY_EOVERFLOW;
    if (!status) status = stored(&k, &out[0], f.h, a->rows, a->cols);
    if (!status) status = stored(&k, &out[1], f.u, a->rows, a->rows);
    end(&k);
    return status;
}
