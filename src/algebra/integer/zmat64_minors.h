/* SPDX-License-Identifier: Apache-2.0 */
/* Part of zmat64.c: d a^-1 by minors, for entries below 2^13, and by powers. */

static void adjugate_2(num *b, num *d, const num *a)
{
    *d = a[0] * a[3] - a[1] * a[2];
    b[0] = a[3], b[1] = -a[1], b[2] = -a[2], b[3] = a[0];
}

static void adjugate_3(num *b, num *d, const num *a)
{
    b[0] = a[4] * a[8] - a[5] * a[7], b[1] = a[2] * a[7] - a[1] * a[8];
    b[2] = a[1] * a[5] - a[2] * a[4], b[3] = a[5] * a[6] - a[3] * a[8];
    b[4] = a[0] * a[8] - a[2] * a[6], b[5] = a[2] * a[3] - a[0] * a[5];
    b[6] = a[3] * a[7] - a[4] * a[6], b[7] = a[1] * a[6] - a[0] * a[7];
    b[8] = a[0] * a[4] - a[1] * a[3];
    *d = a[0] * b[0] + a[1] * b[3] + a[2] * b[6];
}

/* Rows i and j of the other two columns: six minors of the upper rows, and six of the lower. */
static void adjugate_4(num *b, num *d, const num *a)
{
    static const int first[6] = {0, 0, 0, 1, 1, 2}, second[6] = {1, 2, 3, 2, 3, 3};
    num p[6], q[6];
    for (int i = 0; i < 6; i++) {
        int x = first[i], y = second[i];
        p[i] = a[x] * a[4 + y] - a[y] * a[4 + x];
        q[i] = a[8 + x] * a[12 + y] - a[8 + y] * a[12 + x];
    }
    for (int c = 0; c < 4; c++) {
        const num *lower = c < 2 ? q : p, *row = a + (c < 2 ? 4 - 4 * c : 20 - 4 * c);
        num sign = c % 2 ? -1 : 1;
        b[c] = sign * (row[1] * lower[5] - row[2] * lower[4] + row[3] * lower[3]);
        b[4 + c] = sign * (row[2] * lower[2] - row[0] * lower[5] - row[3] * lower[1]);
        b[8 + c] = sign * (row[0] * lower[4] - row[1] * lower[2] + row[3] * lower[0]);
        b[12 + c] = sign * (row[1] * lower[1] - row[0] * lower[3] - row[2] * lower[0]);
    }
    *d = p[0] * q[5] - p[1] * q[4] + p[2] * q[3] + p[3] * q[2] - p[4] * q[1] + p[5] * q[0];
}

enum { POWERS = 8 };

typedef struct line {
    double at[POWERS];
} line;

/* out = a b, rows padded to a length that compilers know; the sum of its diagonal. */
static double multiply(line *out, const line *a, const line *b, size_t n)
{
    double trace = 0;
    for (size_t i = 0; i < n; i++) {
        line row = {{0}};
        for (size_t l = 0; l < n; l++) {
            double by = a[i].at[l];
            for (size_t j = 0; j < POWERS; j++) row.at[j] += by * b[l].at[j];
        }
        out[i] = row;
        trace += row.at[i];
    }
    return trace;
}

/* With R the longest row, entries of the k-th matrix below are sums of C(n - 1, k - 1) minors,
 * those of its product with A and every sum on the way below 2^10.2 R^n: all are whole numbers that
 * a double holds where R^n < 2^42. */
static bool are_powers_small(const num *a, size_t n)
{
    double longest = 1, bound = 1;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++) sum += (double)a[i * n + j] * (double)a[i * n + j];
        if (sum > longest) longest = sum;
    }
    for (size_t i = 0; i < n; i++) bound *= longest;
    return bound < 0x1p84;
}

/* The coefficients of adj(x - A) by powers of x (Le Verrier, Souriau, Faddeev): M := A M + c, where
 * c = -tr(A M) / k. */
static void adjugate_by_powers(num *b, num *d, const num *a, size_t n)
{
    line x[POWERS] = {{{0}}}, m[POWERS], next[POWERS];
    double sign = n % 2 ? 1 : -1, c = 0;
    for (size_t i = 0; i < n * n; i++) x[i / n].at[i % n] = (double)a[i];
    for (size_t i = 0; i < n; i++) c -= x[i].at[i];
    memcpy(m, x, sizeof m);
    for (size_t i = 0; i < n; i++) m[i].at[i] += c;
    for (size_t power = 2; power < n; power++) {
        c = -multiply(next, x, m, n) / (double)power;
        for (size_t i = 0; i < n; i++) m[i] = next[i], m[i].at[i] += c;
    }
    c = -multiply(next, x, m, n) / (double)n;
    *d = (num)(-sign * c);
    for (size_t i = 0; i < n * n; i++) b[i] = (num)(sign * m[i / n].at[i % n]);
}
