/* SPDX-License-Identifier: Apache-2.0 */
/* Integer matrices as callers see them: made of numbers or text and read again, and which method
 * takes an operation: 64 bits, and FLINT where a number leaves them. */
#include "algebra/integer/alone.h"
#include "base/arith.h"

#include <inttypes.h>
#include <string.h>

enum { SIDE_MOST = 64, BITS_MOST = 4096, DIGITS_MOST = 1234 }; /* 4096 bits have 1234 digits */

/* ---- objects ------------------------------------------------------------------------------ */

static zlay_status check_side(zlay_ctx *ctx, size_t rows, size_t cols)
{
    size_t most = rows > cols ? rows : cols;
    if (most <= SIDE_MOST) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ELIMIT, "a matrix of %zu rows or columns: the limit is 64", most);
}

zlay_status zlay_zmat_new(zlay_ctx *ctx, zlay_zmat **out, size_t rows, size_t cols,
                          const int64_t *entries)
{
    if (out) *out = NULL;
    if (!ctx || !out || (!entries && rows && cols)) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = check_side(ctx, rows, cols);
    if (!status) status = zl_zmat_block(ctx, out, rows, cols, 0);
    if (!status && rows && cols) memcpy((*out)->small, entries, rows * cols * sizeof *entries);
    return zl_leave(ctx, status);
}

/* `*wide`: it needs more than 64 bits; else `*value` is it. */
static zlay_status read_entry(zlay_ctx *ctx, const char *text, size_t i, int64_t *value, bool *wide)
{
    size_t minus = *text == '-', digits = strspn(text + minus, "0123456789");
    int64_t sum = 0;
    char quoted[256];
    if (!digits || text[minus + digits])
        return zl_fail(ctx, ZLAY_EINVAL, "entry %zu: %s is no integer", i,
                       zl_quote(quoted, text, strlen(text)));
    for (size_t j = minus; text[j] && !*wide; j++) {
        int64_t digit = minus ? '0' - text[j] : text[j] - '0';
        *wide = !zl_mul(sum, 10, &sum) || !zl_add(sum, digit, &sum);
    }
    const char *leading = text + minus;
    while (*leading == '0') leading++;
    if (strlen(leading) > DIGITS_MOST)
        return zl_fail(ctx, ZLAY_ELIMIT, "entry %zu has %zu digits: the limit is 4096 bits", i,
                       strlen(leading));
    *value = sum;
    return ZLAY_OK;
}

static zlay_status new_text(zlay_ctx *ctx, zlay_zmat **out, size_t rows, size_t cols,
                            const char *const *text)
{
    zlay_zmat *made = NULL;
    bool wide = false;
    zlay_status status = check_side(ctx, rows, cols);
    if (!status) status = zl_zmat_block(ctx, &made, rows, cols, 0);
    for (size_t i = 0; !status && i < rows * cols; i++) {
        bool beyond = false;
        status = text[i] ? read_entry(ctx, text[i], i, &made->small[i], &beyond) : ZLAY_EINVAL;
        wide |= beyond;
    }
    if (!status && !wide) {
        *out = made;
        return ZLAY_OK;
    }
    zlay_zmat_free(made);
    return status ? status : zl_zmat_from_text(ctx, out, rows, cols, text);
}

zlay_status zlay_zmat_new_text(zlay_ctx *ctx, zlay_zmat **out, size_t rows, size_t cols,
                               const char *const *text)
{
    if (out) *out = NULL;
    if (!ctx || !out || (!text && rows && cols)) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, new_text(ctx, out, rows, cols, text));
}

size_t zlay_zmat_rows(const zlay_zmat *a) { return a ? a->rows : 0; }
size_t zlay_zmat_cols(const zlay_zmat *a) { return a ? a->cols : 0; }

zlay_status zlay_zmat_entry(int64_t *out, const zlay_zmat *a, size_t row, size_t col)
{
    if (!out || !a || row >= a->rows || col >= a->cols) return ZLAY_EINVAL;
    size_t i = row * a->cols + col;
    if (!a->limbs) {
        *out = a->small[i];
        return ZLAY_OK;
    }
    const uint64_t *at = a->big + i * (a->limbs + 1);
    for (size_t l = 2; l <= a->limbs; l++)
        if (at[l]) return ZLAY_EOVERFLOW;
    if (at[1] > (uint64_t)INT64_MAX + at[0]) return ZLAY_EOVERFLOW;
    *out = (int64_t)(at[0] ? 0 - at[1] : at[1]);
    return ZLAY_OK;
}

typedef struct entry {
    const zlay_zmat *a;
    size_t i;
} entry;

static void put_entry(zl_text *out, const void *value)
{
    const entry *e = value;
    if (e->a->limbs) zl_zmat_entry_text(out, e->a, e->i);
    else zl_putf(out, "%" PRId64, e->a->small[e->i]);
}

zlay_status zlay_zmat_print(zlay_buf *out, const zlay_zmat *a, size_t row, size_t col)
{
    if (!out || !a || row >= a->rows || col >= a->cols) return ZLAY_EINVAL;
    entry e = {a, row * a->cols + col};
    return zl_print(out, put_entry, &e);
}

/* ---- how large the work is ---------------------------------------------------------------- */

static uint64_t entry_bits(const zlay_zmat *a, size_t i)
{
    if (!a->limbs) return zl_bit_length(zl_magnitude(a->small[i]));
    const uint64_t *at = a->big + i * (a->limbs + 1);
    size_t l = a->limbs;
    while (l > 1 && !at[l]) l--;
    return 64 * (l - 1) + zl_bit_length(at[l]);
}

/* Hadamard: bits that no minor has more of. */
static uint64_t minor_bits(const zlay_zmat *a)
{
    uint64_t sum = 64;
    for (size_t i = 0; i < a->rows; i++) {
        uint64_t most = 0;
        for (size_t j = 0; j < a->cols; j++) {
            uint64_t bits = entry_bits(a, i * a->cols + j);
            if (bits > most) most = bits;
        }
        sum += most + (zl_bit_length(a->cols) + 1) / 2;
    }
    return sum;
}

static zlay_status check_bytes(zlay_ctx *ctx, const zlay_zmat *a)
{
    size_t side = a->rows + a->cols;
    uint64_t bytes = side * side * (minor_bits(a) / 8), most = zl_limits(ctx)->big_bytes;
    if (bytes <= most) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ELIMIT,
                   "limits.big_bytes is %" PRIu64 " and the work may need %" PRIu64, most, bytes);
}

/* ---- operations: 64 bits, and FLINT where that overflows ---------------------------------- */

static void drop(zlay_zmat **out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        zlay_zmat_free(out[i]);
        out[i] = NULL;
    }
}

static zlay_status run_on(const zl_zmat_method *m, zlay_ctx *ctx, zl_zmat_op op, zlay_zmat *out[3],
                          const zlay_zmat *a, const zlay_zmat *b, size_t keep)
{
    switch (op) {
    case ZL_SNF: return m->snf(ctx, out, a);
    case ZL_HNF: return m->hnf(ctx, out, a);
    case ZL_DET: return m->det(ctx, out, a);
    case ZL_INVERSE: return m->inverse(ctx, out, a);
    case ZL_SOLVE: return m->solve(ctx, out, a, b, keep);
    default: return m->refute(ctx, out, a, b);
    }
}

zlay_status zl_zmat_run(zlay_ctx *ctx, zl_zmat_op op, zlay_zmat *out[3], const zlay_zmat *a,
                        const zlay_zmat *b, size_t keep)
{
    zlay_status status = run_on(&zl_zmat_method_64, ctx, op, out, a, b, keep);
    if (status != ZLAY_EOVERFLOW) return status;
    drop(out, 3);
    status = check_bytes(ctx, a);
    return status ? status : run_on(&zl_zmat_method_flint, ctx, op, out, a, b, keep);
}

zlay_status zl_zmat_give(zlay_status status, zlay_zmat *made[3], zlay_zmat **const out[3])
{
    for (size_t i = 0; i < 3; i++) {
        if (!status && out[i]) *out[i] = made[i];
        else zlay_zmat_free(made[i]);
    }
    return status;
}

static zlay_status answer(zlay_ctx *ctx, zl_zmat_op op, zlay_zmat **const out[3],
                          const zlay_zmat *a)
{
    zlay_zmat *made[3] = {NULL, NULL, NULL};
    for (size_t i = 0; i < 3; i++)
        if (out[i]) *out[i] = NULL;
    if (!ctx || !out[0] || !a) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    return zl_leave(ctx, zl_zmat_give(zl_zmat_run(ctx, op, made, a, NULL, 0), made, out));
}

/* The form alone where its own method takes the matrix, else with its transforms. */
static zlay_status alone(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a, zl_zmat_op op)
{
    zlay_zmat *made[3] = {NULL, NULL, NULL};
    if (out) *out = NULL;
    if (!ctx || !out || !a) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = op == ZL_SNF ? zl_smith_alone(ctx, made, a) : zl_hermite_alone(ctx, made, a);
    if (status == ZLAY_EOVERFLOW) status = zl_zmat_run(ctx, op, made, a, NULL, 0);
    return zl_leave(ctx, zl_zmat_give(status, made, (zlay_zmat **const[3]){out, NULL, NULL}));
}

zlay_status zlay_zmat_snf(zlay_ctx *ctx, zlay_zmat **s, zlay_zmat **u, zlay_zmat **v,
                          const zlay_zmat *a)
{
    if (!u && !v) return alone(ctx, s, a, ZL_SNF);
    return answer(ctx, ZL_SNF, (zlay_zmat **const[3]){s, u, v}, a);
}

zlay_status zlay_zmat_hnf(zlay_ctx *ctx, zlay_zmat **h, zlay_zmat **u, const zlay_zmat *a)
{
    if (!u) return alone(ctx, h, a, ZL_HNF);
    return answer(ctx, ZL_HNF, (zlay_zmat **const[3]){h, u, NULL}, a);
}

static zlay_status rank_of(zlay_ctx *ctx, size_t *out, const zlay_zmat *a)
{
    zlay_status status = zl_zmat_method_64.rank(ctx, out, a);
    if (status != ZLAY_EOVERFLOW) return status;
    status = check_bytes(ctx, a);
    return status ? status : zl_zmat_method_flint.rank(ctx, out, a);
}

zlay_status zlay_zmat_rank(zlay_ctx *ctx, size_t *out, const zlay_zmat *a)
{
    size_t rank = 0;
    if (!ctx || !out || !a) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = rank_of(ctx, &rank, a);
    if (!status) *out = rank;
    return zl_leave(ctx, status);
}

zlay_status zlay_zmat_det(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a)
{
    if (out) *out = NULL;
    if (a && a->rows != a->cols) return ZLAY_EINVAL;
    return answer(ctx, ZL_DET, (zlay_zmat **const[3]){out, NULL, NULL}, a);
}

/* ---- inverse ------------------------------------------------------------------------------ */

static zlay_status no_inverse(zlay_ctx *ctx, const zlay_zmat *a)
{
    zlay_zmat *made[3] = {NULL, NULL, NULL};
    char digits[80];
    zlay_buf text = {digits, sizeof digits, 0};
    zlay_status status = zl_zmat_run(ctx, ZL_DET, made, a, NULL, 0);
    if (status) return status;
    status = zlay_zmat_print(&text, made[0], 0, 0);
    zlay_zmat_free(made[0]);
    if (status) return zl_fail(ctx, ZLAY_NONE, "the determinant has %zu digits", text.need);
    return zl_fail(ctx, ZLAY_NONE, "the determinant is %s, neither 1 nor -1", digits);
}

static zlay_status invert(zlay_ctx *ctx, zlay_zmat *made[3], const zlay_zmat *a)
{
    if (a->rows != a->cols)
        return zl_fail(ctx, ZLAY_NONE, "a matrix of %zu rows and %zu columns has no inverse",
                       a->rows, a->cols);
    zlay_status status = zl_zmat_run(ctx, ZL_INVERSE, made, a, NULL, 0);
    return status == ZLAY_NONE ? no_inverse(ctx, a) : status;
}

zlay_status zlay_zmat_inverse(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a)
{
    zlay_zmat *made[3] = {NULL, NULL, NULL};
    if (out) *out = NULL;
    if (!ctx || !out || !a) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = invert(ctx, made, a);
    return zl_leave(ctx, zl_zmat_give(status, made, (zlay_zmat **const[3]){out, NULL, NULL}));
}
