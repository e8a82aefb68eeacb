/* SPDX-License-Identifier: Apache-2.0 */
/* Part of zmat64.c: Smith forms in the caller's memory. */

/* In fours, as a call or a string instruction takes longer than so few numbers. */
static void copy(int64_t *out, const num *a, size_t count)
{
    size_t i = 0;
    for (; i + 4 <= count; i += 4) memcpy(out + i, a + i, 4 * sizeof *a);
    for (; i < count; i++) memcpy(out + i, a + i, sizeof *a);
}

/* Compiled for their size: half of the time at n = 2 would be loops and calls. */
__attribute__((flatten)) static bool smith_2(work *k, num *s, num *u, num *v, const num *a)
{
    return smith_of_square(k, s, u, v, a, 2);
}

__attribute__((flatten)) static bool smith_3(work *k, num *s, num *u, num *v, const num *a)
{
    return smith_of_square(k, s, u, v, a, 3);
}

static bool smith_small(work *k, num *s, num *u, num *v, const num *a, size_t n)
{
    if (n == 2) return smith_2(k, s, u, v, a);
    return n == 3 ? smith_3(k, s, u, v, a) : smith_of_square(k, s, u, v, a, n);
}

zlay_status zlay_zmat_snf_small(int64_t *s, int64_t *u, int64_t *v, const int64_t *a, size_t n)
{
    num block[8 * 64 + 4 * 8 + 8];
    work k = {.at = block};
    if (!s || !u || !v || !a || n > 8) return ZLAY_EINVAL;
    num *own_s = nums(&k, n), *own_u = nums(&k, n * n), *own_v = nums(&k, n * n);
    if (bits_of(a, n * n) > 62) return ZLAY_EOVERFLOW;
    if (!smith_small(&k, own_s, own_u, own_v, a, n) || k.overflow) return ZLAY_EOVERFLOW;
    copy(s, own_s, n);
    copy(u, own_u, n * n);
    copy(v, own_v, n * n);
    return ZLAY_OK;
}

/* The form alone of a square matrix whose adjugate is found without a prime. */
zlay_status zl_smith_small(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a)
{
    num block[8 * 64 + 4 * 8 + 8];
    work k = {.ctx = ctx, .at = block};
    size_t n = a->rows;
    if (n != a->cols || n < 4 || n > 8 || bits_of(a->small, n * n) > 20) return ZLAY_EOVERFLOW;
    if (!(n == 4 && is_small(a->small, n)) && !are_powers_small(a->small, n)) return ZLAY_EOVERFLOW;
    num *s = nums(&k, n), *u = nums(&k, n * n), *v = nums(&k, n * n);
    bool done = smith_of_square(&k, s, u, v, a->small, n) && !k.overflow;
    return done ? stored(&k, out, s, 1, n) : ZLAY_EOVERFLOW;
}
