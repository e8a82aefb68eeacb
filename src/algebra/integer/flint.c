/* SPDX-License-Identifier: Apache-2.0 */
/* The method without a bound on numbers, and the one file that includes FLINT and GMP. */
#include "algebra/integer/cramer.h"
#include "algebra/integer/zmat.h"

#if ZL_ENGINES

#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mat.h>
#include <flint/nmod_mat.h>
#include <flint/ulong_extras.h>

typedef fmpz num;

typedef struct work {
    zlay_ctx *ctx;
    num *at;
    size_t used;
    size_t *index;
    size_t indices;
    bool overflow; /* never */
    num scratch[2];
} work;

/* At most eight lists of rows and columns, 64 and 128 of them, and less than one a number. */
enum { INDICES = 2048 };

static zlay_status begin(work *k, zlay_ctx *ctx, size_t count)
{
    size_t lists = count < INDICES ? count : INDICES;
    *k = (work){.ctx = ctx};
    k->index = zl_scratch(ctx, count * sizeof(num) + lists * sizeof(size_t), 1);
    k->at = k->index ? (num *)(void *)(k->index + lists) : NULL;
    return k->at ? ZLAY_OK : ZLAY_ENOMEM;
}

static void end(work *k)
{
    for (size_t i = 0; i < k->used; i++) fmpz_clear(&k->at[i]);
    fmpz_clear(&k->scratch[0]);
    fmpz_clear(&k->scratch[1]);
}

static num *nums(work *k, size_t count)
{
    num *out = k->at + k->used;
    k->used += count;
    return out;
}

static size_t *indices(work *k, size_t count)
{
    size_t *out = k->index + k->indices;
    k->indices += count;
    return out;
}

static void get(num *out, const zlay_zmat *a, size_t i)
{
    if (!a->limbs) {
        fmpz_set_si(out, a->small[i]);
        return;
    }
    const uint64_t *at = a->big + i * (a->limbs + 1);
    fmpz_set_ui_array(out, (const ulong *)(const void *)(at + 1), (slong)a->limbs);
    if (at[0]) fmpz_neg(out, out);
}

static void load(work *k, num *out, const zlay_zmat *a, size_t i)
{
    (void)k;
    get(out, a, i);
}

static void put_big(zlay_zmat *out, const num *a, size_t count)
{
    num magnitude = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t *at = out->big + i * (out->limbs + 1);
        at[0] = fmpz_sgn(&a[i]) < 0;
        fmpz_abs(&magnitude, &a[i]);
        fmpz_get_ui_array((ulong *)(void *)(at + 1), (slong)out->limbs, &magnitude);
    }
    fmpz_clear(&magnitude);
}

static zlay_status stored(work *k, zlay_zmat **out, const num *a, size_t rows, size_t cols)
{
    size_t count = rows * cols, limbs = 0;
    for (size_t i = 0; i < count; i++)
        if (!fmpz_fits_si(&a[i]) && fmpz_size(&a[i]) > (slong)limbs)
            limbs = (size_t)fmpz_size(&a[i]);
    zlay_status status = zl_zmat_block(k->ctx, out, rows, cols, limbs);
    for (size_t i = 0; i < count && !status && !limbs; i++) (*out)->small[i] = fmpz_get_si(&a[i]);
    if (!status && limbs) put_big(*out, a, count);
    return status;
}

/* ---- numbers ------------------------------------------------------------------------------ */

static void num_set(num *r, const num *a) { fmpz_set(r, a); }
static void num_si(num *r, int64_t a) { fmpz_set_si(r, a); }
static int num_sgn(const num *a) { return fmpz_sgn(a); }
static bool num_is_one(const num *a) { return fmpz_is_one(a); }
static bool num_equal(const num *a, const num *b) { return fmpz_equal(a, b); }
static void num_swap(num *a, num *b) { fmpz_swap(a, b); }
static void num_neg(work *k, num *r, const num *a) { (void)k, fmpz_neg(r, a); }
static void num_add(work *k, num *r, const num *a, const num *b) { (void)k, fmpz_add(r, a, b); }
static void num_mul(work *k, num *r, const num *a, const num *b) { (void)k, fmpz_mul(r, a, b); }
static void num_addmul(work *k, num *r, const num *a, const num *b)
{
    (void)k, fmpz_addmul(r, a, b);
}
static void num_submul(work *k, num *r, const num *a, const num *b)
{
    (void)k, fmpz_submul(r, a, b);
}
static void num_gcd(num *r, const num *a, const num *b) { fmpz_gcd(r, a, b); }
static void num_mod(work *k, num *r, const num *a, const num *m) { (void)k, fmpz_mod(r, a, m); }
static bool num_invmod(num *r, const num *a, const num *m) { return fmpz_invmod(r, a, m); }
static void num_fdiv(work *k, num *r, const num *a, const num *b) { (void)k, fmpz_fdiv_q(r, a, b); }
static void num_divexact(num *r, const num *a, const num *b) { fmpz_divexact(r, a, b); }
static bool num_divisible(const num *a, const num *b) { return fmpz_divisible(a, b); }

static void num_mulmod(work *k, num *r, const num *a, const num *b, const num *m)
{
    (void)k;
    fmpz_mul(r, a, b);
    fmpz_mod(r, r, m);
}

static void num_balance(work *k, num *r, const num *m)
{
    num half = 0;
    (void)k;
    fmpz_fdiv_q_2exp(&half, m, 1);
    if (fmpz_cmp(r, &half) > 0) fmpz_sub(r, r, m);
    fmpz_clear(&half);
}

static void num_nearest(work *k, num *r, const num *a, const num *b)
{
    num rest = 0;
    fmpz_mod(&rest, a, b);
    num_balance(k, &rest, b);
    fmpz_sub(r, a, &rest);
    fmpz_divexact(r, r, b);
    fmpz_clear(&rest);
}

/* ---- matrices ----------------------------------------------------------------------------- */

static void in_mat(fmpz_mat_t out, const num *a, size_t rows, size_t cols)
{
    fmpz_mat_init(out, (slong)rows, (slong)cols);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            fmpz_set(fmpz_mat_entry(out, (slong)i, (slong)j), &a[i * cols + j]);
}

/* Takes the matrix. */
static void out_mat(num *out, fmpz_mat_t a, size_t rows, size_t cols)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            fmpz_swap(&out[i * cols + j], fmpz_mat_entry(a, (slong)i, (slong)j));
    fmpz_mat_clear(a);
}

#include "algebra/integer/flint_adjugate.h"

static size_t pivots(work *k, size_t *pivot, const num *a, size_t rows, size_t cols)
{
    fmpz_mat_t x;
    num den = 0;
    (void)k;
    in_mat(x, a, rows, cols);
    size_t rank = (size_t)fmpz_mat_rref(x, &den, x);
    for (size_t i = 0, j = 0; i < rank; i++, j++) {
        while (fmpz_is_zero(fmpz_mat_entry(x, (slong)i, (slong)j))) j++;
        pivot[i] = j;
    }
    fmpz_mat_clear(x);
    fmpz_clear(&den);
    return rank;
}

static void triangle(work *k, num *h, const num *a, const num *d, size_t n)
{
    fmpz_mat_t x, y;
    (void)k, (void)d;
    in_mat(x, a, n, n);
    fmpz_mat_init(y, (slong)n, (slong)n);
    fmpz_mat_hnf(y, x);
    out_mat(h, y, n, n);
    fmpz_mat_clear(x);
}

static void product(work *k, num *c, const num *a, const num *b, size_t rows, size_t inner,
                    size_t cols, const num *d)
{
    (void)k;
    for (size_t i = 0; i < rows; i++)
        for (size_t l = 0; l < inner; l++) {
            const num *x = &a[i * inner + l];
            if (fmpz_is_zero(x)) continue;
            for (size_t j = 0; j < cols; j++) fmpz_addmul(&c[i * cols + j], x, &b[l * cols + j]);
        }
    for (size_t i = 0; i < rows * cols && d; i++) fmpz_divexact(&c[i], &c[i], d);
}

#include "algebra/integer/core.h"

#define METHOD zl_zmat_method_flint
#include "algebra/integer/solve.h"

/* ---- text --------------------------------------------------------------------------------- */

zlay_status zl_zmat_from_text(zlay_ctx *ctx, zlay_zmat **out, size_t rows, size_t cols,
                              const char *const *text)
{
    work k;
    zlay_status status = begin(&k, ctx, rows * cols);
    if (status) return status;
    num *at = nums(&k, rows * cols);
    for (size_t i = 0; i < rows * cols; i++) fmpz_set_str(&at[i], text[i], 10);
    status = stored(&k, out, at, rows, cols);
    end(&k);
    return status;
}

/* FLINT's own memory holds the digits for the call. */
void zl_zmat_entry_text(zl_text *out, const zlay_zmat *a, size_t i)
{
    num value = 0;
    get(&value, a, i);
    char *digits = fmpz_get_str(NULL, 10, &value);
    zl_puts(out, digits);
    flint_free(digits);
    fmpz_clear(&value);
}

void zlay_engines_release(void) { flint_cleanup(); }

#else

static zlay_status lacks(zlay_ctx *ctx)
{
    return zl_fail(ctx, ZLAY_ELIMIT,
                   "numbers beyond 64 bits: built without the engines FLINT and GMP");
}

static zlay_status lacks_3(zlay_ctx *ctx, zlay_zmat *out[3], const zlay_zmat *a)
{
    (void)out, (void)a;
    return lacks(ctx);
}

static zlay_status lacks_1(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a)
{
    (void)out, (void)a;
    return lacks(ctx);
}

static zlay_status lacks_rank(zlay_ctx *ctx, size_t *out, const zlay_zmat *a)
{
    (void)out, (void)a;
    return lacks(ctx);
}

static zlay_status lacks_solve(zlay_ctx *ctx, zlay_zmat *out[2], const zlay_zmat *a,
                               const zlay_zmat *b, size_t keep)
{
    (void)out, (void)a, (void)b, (void)keep;
    return lacks(ctx);
}

static zlay_status lacks_refute(zlay_ctx *ctx, zlay_zmat *out[2], const zlay_zmat *a,
                                const zlay_zmat *b)
{
    (void)out, (void)a, (void)b;
    return lacks(ctx);
}

const zl_zmat_method zl_zmat_method_flint = {lacks_3,    lacks_3,     lacks_1,     lacks_1,
                               lacks_rank, lacks_solve, lacks_refute};

zlay_status zl_zmat_from_text(zlay_ctx *ctx, zlay_zmat **out, size_t rows, size_t cols,
                              const char *const *text)
{
    (void)out, (void)rows, (void)cols, (void)text;
    return lacks(ctx);
}

void zl_zmat_entry_text(zl_text *out, const zlay_zmat *a, size_t i) { (void)out, (void)a, (void)i; }

void zlay_engines_release(void) {}

#endif
