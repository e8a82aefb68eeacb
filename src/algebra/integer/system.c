/* SPDX-License-Identifier: Apache-2.0 */
/* Systems: over the integers, and modulo m[i] in row i, where [a m] is a matrix over the integers.
 */
#include "algebra/integer/zmat.h"

#include <string.h>

static bool is_positive(const zlay_zmat *a, size_t i)
{
    bool any = false;
    if (!a->limbs) return a->small[i] > 0;
    const uint64_t *at = a->big + i * (a->limbs + 1);
    for (size_t l = 1; l <= a->limbs; l++) any |= at[l] != 0;
    return any && !at[0];
}

static void copy_entry(zlay_zmat *to, size_t i, const zlay_zmat *from, size_t j)
{
    if (!to->limbs) {
        to->small[i] = from->small[j];
        return;
    }
    uint64_t *at = to->big + i * (to->limbs + 1);
    if (from->limbs) {
        memcpy(at, from->big + j * (from->limbs + 1), (from->limbs + 1) * sizeof *at);
        return;
    }
    int64_t value = from->small[j];
    at[0] = value < 0;
    at[1] = zl_magnitude(value);
}

static zlay_status with_moduli(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a,
                               const zlay_zmat *mod)
{
    size_t cols = a->cols + (mod ? a->rows : 0);
    size_t limbs = mod && mod->limbs > a->limbs ? mod->limbs : a->limbs;
    zlay_status status = zl_zmat_block(ctx, out, a->rows, cols, limbs);
    for (size_t i = 0; i < a->rows && !status; i++) {
        for (size_t j = 0; j < a->cols; j++) copy_entry(*out, i * cols + j, a, i * a->cols + j);
        if (mod) copy_entry(*out, i * cols + a->cols + i, mod, i);
    }
    return status;
}

static zlay_status check_system(zlay_ctx *ctx, const zlay_zmat *a, const zlay_zmat *b,
                                const zlay_zmat *mod)
{
    if (b->rows != a->rows || b->cols != 1)
        return zl_fail(ctx, ZLAY_EINVAL, "b has %zu entries, and a %zu rows", b->rows * b->cols,
                       a->rows);
    if (mod && (mod->rows != a->rows || mod->cols != 1))
        return zl_fail(ctx, ZLAY_EINVAL, "mod has %zu entries, and a %zu rows",
                       mod->rows * mod->cols, a->rows);
    for (size_t i = 0; mod && i < a->rows; i++)
        if (!is_positive(mod, i))
            return zl_fail(ctx, ZLAY_EINVAL, "mod: entry %zu is below 1", i);
    return ZLAY_OK;
}

static zlay_status system_of(zlay_ctx *ctx, zl_zmat_op op, zlay_zmat *made[3], const zlay_zmat *a,
                             const zlay_zmat *b, const zlay_zmat *mod)
{
    zlay_zmat *whole = NULL;
    zlay_status status = check_system(ctx, a, b, mod);
    if (!status) status = with_moduli(ctx, &whole, a, mod);
    if (!status) status = zl_zmat_run(ctx, op, made, whole, b, a->cols);
    zlay_zmat_free(whole);
    return status;
}

static zlay_status answer(zlay_ctx *ctx, zl_zmat_op op, zlay_zmat **const out[3],
                          const zlay_zmat *a, const zlay_zmat *b, const zlay_zmat *mod)
{
    zlay_zmat *made[3] = {NULL, NULL, NULL};
    if (out[0]) *out[0] = NULL;
    if (out[1]) *out[1] = NULL;
    if (!ctx || !out[0] || !out[1] || !a || !b) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = system_of(ctx, op, made, a, b, mod);
    if (status == ZLAY_NONE)
        zl_fail(ctx, status, op == ZL_SOLVE ? "no solution: a combination w of the rows has w a "
                                              "integral and w b not; zmat_refute has w"
                                            : "the system has a solution");
    return zl_leave(ctx, zl_zmat_give(status, made, out));
}

zlay_status zlay_zmat_solve(zlay_ctx *ctx, zlay_zmat **x, zlay_zmat **kernel, const zlay_zmat *a,
                            const zlay_zmat *b, const zlay_zmat *mod)
{
    return answer(ctx, ZL_SOLVE, (zlay_zmat **const[3]){x, kernel, NULL}, a, b, mod);
}

zlay_status zlay_zmat_refute(zlay_ctx *ctx, zlay_zmat **w, zlay_zmat **den, const zlay_zmat *a,
                             const zlay_zmat *b, const zlay_zmat *mod)
{
    return answer(ctx, ZL_REFUTE, (zlay_zmat **const[3]){w, den, NULL}, a, b, mod);
}

zlay_status zlay_zmat_kernel(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a)
{
    zlay_zmat *made[3] = {NULL, NULL, NULL}, *b = NULL;
    if (out) *out = NULL;
    if (!ctx || !out || !a) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_zmat_block(ctx, &b, a->rows, 1, 0);
    if (!status) status = zl_zmat_run(ctx, ZL_SOLVE, made, a, b, a->cols);
    zlay_zmat_free(b);
    return zl_leave(ctx, zl_zmat_give(status, made, (zlay_zmat **const[3]){NULL, out, NULL}));
}
