/* SPDX-License-Identifier: Apache-2.0 */
/* Part of zmat64.c: pivots, triangles and products of matrices in 64 bits. */

static void swap_entries(num *x, num *y, size_t n)
{
    for (size_t i = 0; i < n; i++) num_swap(&x[i], &y[i]);
}

/* ---- pivots of the row echelon form ------------------------------------------------------- */

static void eliminate_below(uint64_t *t, size_t r, size_t c, size_t rows, size_t cols)
{
    const uint64_t *x = t + r * cols;
    for (size_t i = r + 1; i < rows; i++) {
        uint64_t *y = t + i * cols, less = prime - y[c];
        for (size_t j = cols; j-- > c;) y[j] = fold((uwide)x[c] * y[j] + (uwide)less * x[j]);
    }
}

/* The rank, and the columns that are no combination of those before them. */
static size_t pivots(work *k, size_t *pivot, const num *a, size_t rows, size_t cols)
{
    uint64_t *t = (uint64_t *)nums(k, rows * cols);
    size_t r = 0, least = rows < cols ? rows : cols;
    if (least > 64 || !is_bounded(a, rows, cols, least)) {
        k->overflow = true;
        return 0;
    }
    for (size_t i = 0; i < rows * cols; i++) t[i] = residue(a[i]);
    for (size_t c = 0; c < cols && r < rows; c++) {
        size_t i = r;
        while (i < rows && !t[i * cols + c]) i++;
        if (i == rows) continue;
        for (size_t j = 0; j < cols && i != r; j++) {
            uint64_t x = t[i * cols + j];
            t[i * cols + j] = t[r * cols + j], t[r * cols + j] = x;
        }
        eliminate_below(t, r, c, rows, cols);
        pivot[r++] = c;
    }
    return r;
}

/* ---- Hermite form modulo the determinant (Domich, Kannan, Trotter 1987) ------------------- */

/* x, y := the two combinations that leave gcd(x, y) and 0 in their first entry, modulo m. */
static void combine(num *x, num *y, size_t n, num m)
{
    num s, g = half_gcd(x[0], y[0], &s), p = x[0] / g, q = y[0] / g, t;
    t = (num)((g - (wide)s * x[0]) / y[0]);
    for (size_t j = 0; j < n; j++) {
        num a = x[j], b = y[j];
        x[j] = (mulmod(s, a, m) + mulmod(t, b, m)) % m;
        y[j] = (mulmod(p, b, m) - mulmod(q, a, m) + m) % m;
    }
}

static void pivot_row(num *h, num *x, size_t n, num m)
{
    num s, g = half_gcd(x[0], m, &s);
    h[0] = g;
    for (size_t j = 1; j < n; j++) h[j] = mulmod(s, x[j], m);
}

/* Entries above a pivot; d times a unit vector is in the lattice of the rows behind. */
static void reduce_above(num *h, size_t n, num d)
{
    for (size_t i = n; i--;)
        for (size_t j = i + 1; j < n; j++) {
            num q = h[i * n + j] / h[j * n + j];
            for (size_t l = j; l < n && q; l++) {
                num less = mulmod(q, h[j * n + l], d);
                h[i * n + l] = modulo(h[i * n + l] - less, d);
            }
        }
}

/* The Hermite form of a square matrix of determinant d. */
static void triangle(work *k, num *h, const num *a, const num *d, size_t n)
{
    num *t = nums(k, n * n), whole = *d < 0 ? -*d : *d, m = whole;
    for (size_t i = 0; i < n * n; i++) t[i] = modulo(a[i], m);
    for (size_t c = 0; c < n; c++) {
        num *x = t + c * n + c;
        for (size_t i = c + 1; i < n; i++)
            if (t[i * n + c]) {
                if (x[0]) combine(x, t + i * n + c, n - c, m);
                else swap_entries(x, t + i * n + c, n - c);
            }
        pivot_row(h + c * n + c, x, n - c, m);
        m /= h[c * n + c];
        for (size_t i = c + 1; i < n; i++)
            for (size_t j = c + 1; j < n; j++) t[i * n + j] %= m;
    }
    reduce_above(h, n, whole);
}

/* ---- products ----------------------------------------------------------------------------- */

/* Every entry is in [-2^bits, 2^bits). */
static int bits_of(const num *a, size_t count)
{
    uint64_t any = 1;
    for (size_t i = 0; i < count; i++) any |= (uint64_t)(a[i] ^ a[i] >> 63);
    return 64 - __builtin_clzll(any);
}

typedef struct divisor {
    num d;
    int twos;
    uint64_t inverse; /* of the odd part, modulo 2^64 */
} divisor;

static divisor divisor_of(num d)
{
    uint64_t odd = (uint64_t)(d < 0 ? -d : d);
    int twos = __builtin_ctzll(odd);
    odd >>= twos;
    uint64_t x = odd * 3 ^ 2;
    for (int i = 0; i < 4; i++) x *= 2 - odd * x;
    return (divisor){d < 0 ? -d : d, twos, d < 0 ? 0 - x : x};
}

/* Exact, so that the low bits of the quotient come from those of the sum. */
static num divide(work *k, wide sum, const divisor *by)
{
    wide bound = (wide)by->d << 62;
    if (sum >= bound || sum <= -bound) k->overflow = true;
    return (num)((uint64_t)(sum >> by->twos) * by->inverse);
}

/* The product where no sum passes 2^62: the quotient has no more bits than it. */
static void short_product(num *c, const num *a, const num *b, size_t rows, size_t inner,
                          size_t cols, const divisor *by)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) {
            num sum = 0;
            for (size_t l = 0; l < inner; l++) sum += a[i * inner + l] * b[l * cols + j];
            c[i * cols + j] = (num)((uint64_t)(sum >> by->twos) * by->inverse);
        }
}

/* c = a b / d, which is exact; d NULL: 1.  A product of two numbers of 60 bits leaves room for 64 of
 * them in 128. */
static void product(work *k, num *c, const num *a, const num *b, size_t rows, size_t inner,
                    size_t cols, const num *d)
{
    wide sum[64];
    divisor by = divisor_of(d ? *d : 1);
    int bits_a = bits_of(a, rows * inner), bits_b = bits_of(b, inner * cols);
    if (bits_a + bits_b <= 56 && inner <= 64) {
        short_product(c, a, b, rows, inner, cols, &by);
        return;
    }
    if (cols > 64 || inner > 64 || bits_a > 60 || bits_b > 60) {
        k->overflow = true;
        return;
    }
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < cols; j++) sum[j] = 0;
        for (size_t l = 0; l < inner; l++) {
            wide x = a[i * inner + l];
            for (size_t j = 0; j < cols && x; j++) sum[j] += x * b[l * cols + j];
        }
        for (size_t j = 0; j < cols; j++) c[i * cols + j] = divide(k, sum[j], &by);
    }
}
