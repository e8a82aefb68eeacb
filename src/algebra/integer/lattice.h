/* SPDX-License-Identifier: Apache-2.0 */
/* Part of zmat_hermite.c: a lattice by its Hermite form modulo d, and the condition y w = 0
 * modulo d put to it, whose form is written down by gcds of the entries of w. */

/* Entry (i, j) of h is at + (i r + j) n; off the diagonal it is below d. */
typedef struct lattice {
    const zl_cramer *z;
    size_t r, n;      /* n: the limbs of d */
    zl_big_divisor d;
    const uint64_t *det;
    uint64_t *h;
    uint64_t *spare;  /* r r numbers, and rows of r numbers behind them */
    uint64_t index[ZL_BIG];
    bool whole; /* h is the identity */
    bool all;   /* the rows beyond r are in it: they only made d smaller */
    uint64_t common[ZL_BIG];
} lattice;

static uint64_t *at(const lattice *f, size_t i, size_t j) { return f->h + (i * f->r + j) * f->n; }

static bool is_zero(const uint64_t *a, size_t n) { return !zl_big_used(a, n); }
static bool is_one(const uint64_t *a, size_t n) { return a[0] == 1 && zl_big_used(a, n) == 1; }

static void set(uint64_t *to, const uint64_t *from, size_t n) { memcpy(to, from, n * sizeof *to); }

/* x := -x modulo d. */
static void negate(const lattice *f, uint64_t *x)
{
    if (!is_zero(x, f->n)) zl_big_sub(x, f->det, x, f->n);
}

/* x := x + y modulo d. */
static void add(const lattice *f, uint64_t *x, const uint64_t *y)
{
    uint64_t carry = zl_big_add(x, x, y, f->n);
    if (carry || zl_big_cmp(x, f->det, f->n) >= 0) zl_big_sub(x, x, f->det, f->n);
}

/* x := x + a b modulo d. */
static void add_product(const lattice *f, uint64_t *x, const uint64_t *a, const uint64_t *b)
{
    uint64_t product[ZL_BIG];
    if (is_zero(a, f->n) || is_zero(b, f->n)) return;
    if (is_one(a, f->n)) set(product, b, f->n);
    else if (is_one(b, f->n)) set(product, a, f->n);
    else zl_big_mulmod(product, a, b, &f->d);
    if (zl_big_cmp(product, f->det, f->n) < 0) add(f, x, product);
}

/* q := a / b, and a := a modulo b; b > 0. */
static void divide(uint64_t *q, uint64_t *a, const uint64_t *b, size_t n)
{
    zl_big_divisor by;
    uint64_t rest[ZL_BIG + 1];
    size_t used = zl_big_used(b, n);
    memset(q, 0, n * sizeof *q);
    if (zl_big_cmp(a, b, n) < 0) return;
    if (used == 1 && b[0] == 1) {
        set(q, a, n);
        memset(a, 0, n * sizeof *a);
        return;
    }
    zl_big_divisor_make(&by, b, used);
    set(rest, a, n);
    zl_big_rem(q, rest, n, &by);
    memset(a, 0, n * sizeof *a);
    set(a, rest, used);
}

/* x := x b modulo a number of no more limbs. */
static void multiply_modulo(uint64_t *x, const uint64_t *b, const zl_big_divisor *by, size_t n)
{
    uint64_t both[2 * ZL_BIG + 1];
    size_t nx = zl_big_used(x, n), nb = zl_big_used(b, n), count = nx + nb;
    zl_big_mul(both, x, nx, b, nb);
    while (count < by->n) both[count++] = 0;
    zl_big_rem(NULL, both, count, by);
    memset(x, 0, n * sizeof *x);
    set(x, both, by->n);
}

/* A signed number of z modulo d. */
static void take(const lattice *f, uint64_t *out, zl_number x)
{
    uint64_t rest[ZL_BIG + 1];
    size_t used = zl_big_used(x.at, f->z->limbs);
    set(rest, x.at, f->z->limbs);
    if (used > f->n || (used == f->n && zl_big_cmp(rest, f->det, f->n) >= 0))
        zl_big_rem(NULL, rest, used, &f->d);
    set(out, rest, f->n);
    if (x.negative) negate(f, out);
}

/* ---- the conditions y w = 0 modulo d --------------------------------------------------------- */

/* The form of { z : z u = 0 modulo d }: its diagonal, the gcds behind each entry, and where the
 * diagonal is not 1 the inverse of u_j / g_j modulo it. */
typedef struct condition {
    uint64_t *u, *diagonal, *gcd, *inverse; /* r numbers each; gcd: r + 1 */
    size_t rows[SIDE], count;               /* where the diagonal is not 1, upwards from the last */
    zl_big_divisor by[SIDE];                /* those entries of the diagonal */
} condition;

static void condition_make(const lattice *f, condition *c)
{
    size_t n = f->n;
    c->count = 0;
    set(c->gcd + f->r * n, f->det, n);
    for (size_t i = f->r; i--;) {
        uint64_t *g = c->gcd + i * n, *h = c->diagonal + i * n, *x = c->inverse + i * n;
        uint64_t rest[ZL_BIG], low[ZL_BIG];
        if (is_one(g + n, n)) {
            set(g, g + n, n), set(h, g + n, n);
            continue;
        }
        set(low, c->u + i * n, n);
        if (zl_big_cmp(low, g + n, n) >= 0) divide(rest, low, g + n, n);
        zl_big_gcd(g, x, low, g + n, n);
        set(h, g + n, n);
        if (!is_one(g, n)) {
            set(rest, g + n, n);
            divide(h, rest, g, n);
            if (is_one(h, n)) continue;
            divide(rest, x, h, n);
        }
        zl_big_divisor_make(&c->by[c->count], h, zl_big_used(h, n));
        c->rows[c->count++] = i;
    }
}

/* Row i of that form, off the diagonal, into x: r numbers. */
static void condition_row(const lattice *f, const condition *c, size_t i, uint64_t *x)
{
    size_t n = f->n;
    uint64_t t[ZL_BIG], q[ZL_BIG], rest[ZL_BIG], minus[ZL_BIG];
    memset(t, 0, n * sizeof *t);
    memset(x, 0, f->r * n * sizeof *x);
    if (is_one(c->diagonal + i * n, n)) set(t, c->u + i * n, n);
    else add_product(f, t, c->diagonal + i * n, c->u + i * n);
    negate(f, t);
    for (size_t k = c->count; k--;) {
        size_t j = c->rows[k];
        if (j <= i || is_zero(t, n)) continue;
        set(rest, t, n);
        if (is_one(c->gcd + j * n, n)) set(q, t, n);
        else divide(q, rest, c->gcd + j * n, n);
        multiply_modulo(q, c->inverse + j * n, &c->by[k], n);
        set(x + j * n, q, n);
        if (!k) return;
        set(minus, c->u + j * n, n);
        negate(f, minus);
        add_product(f, t, q, minus);
    }
}

/* Row i of the form times h. */
static void compose_row(const lattice *f, const condition *c, size_t i, const uint64_t *x,
                        uint64_t *out)
{
    size_t n = f->n;
    uint64_t whole[2 * ZL_BIG];
    memset(out, 0, f->r * n * sizeof *out);
    for (size_t l = i + 1; l < f->r; l++) {
        add_product(f, out + l * n, c->diagonal + i * n, at(f, i, l));
        for (size_t k = 0; k < c->count; k++)
            if (c->rows[k] > i && c->rows[k] <= l)
                add_product(f, out + l * n, x + c->rows[k] * n, at(f, c->rows[k], l));
    }
    zl_big_mul(whole, c->diagonal + i * n, n, at(f, i, i), n);
    set(out + i * n, whole, n);
}

/* Entries above the diagonal below it. */
static void reduce_above(const lattice *f)
{
    size_t n = f->n;
    for (size_t i = f->r; i--;)
        for (size_t j = i + 1; j < f->r; j++) {
            uint64_t q[ZL_BIG];
            if (is_zero(at(f, i, j), n)) continue;
            divide(q, at(f, i, j), at(f, j, j), n);
            if (is_zero(q, n)) continue;
            negate(f, q);
            for (size_t l = j + 1; l < f->r; l++) add_product(f, at(f, i, l), q, at(f, j, l));
        }
}

/* Row i of h times w, into u. */
static void times_row(const lattice *f, size_t i, const uint64_t *w, uint64_t *u)
{
    size_t n = f->n;
    memset(u, 0, n * sizeof *u);
    for (size_t j = i; j < f->r; j++)
        add_product(f, u, at(f, i, j), w + j * n);
}

/* h := the condition's form times h. */
static void compose(lattice *f, const condition *c, uint64_t *x)
{
    size_t n = f->n, r = f->r;
    for (size_t i = 0; i < r; i++) {
        uint64_t *to = f->whole ? at(f, i, 0) : f->spare + i * r * n;
        condition_row(f, c, i, f->whole ? to : x);
        if (f->whole) set(to + i * n, c->diagonal + i * n, n);
        else compose_row(f, c, i, x, to);
    }
    if (!f->whole) {
        set(f->h, f->spare, r * r * n);
        reduce_above(f);
    }
    f->whole = false;
}

/* h := the form of what of its lattice meets the condition of w. */
static void refine(lattice *f, const uint64_t *w)
{
    size_t n = f->n, r = f->r;
    uint64_t *x = f->spare + (r * r + r) * n, product[2 * ZL_BIG], rest[ZL_BIG];
    condition c;
    c.u = x + r * n;
    c.diagonal = c.u + r * n, c.inverse = c.diagonal + r * n, c.gcd = c.inverse + r * n;
    if (f->whole) set(c.u, w, r * n);
    else
        for (size_t i = 0; i < r; i++) times_row(f, i, w, c.u + i * n);
    condition_make(f, &c);
    if (!c.count) return;
    compose(f, &c, x);
    set(rest, f->det, n);
    divide(x, rest, c.gcd, n);
    zl_big_mul(product, f->index, n, x, n);
    set(f->index, product, n);
}
