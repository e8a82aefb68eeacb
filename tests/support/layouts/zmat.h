/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of zlay as FLINT's, for checks by another road. */
#ifndef TEST_ZMAT_H
#define TEST_ZMAT_H

#include "ctx.h"

#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mat.h>
#include <stdbool.h>
#include <string.h>
#include <zlay/zlay.h>

static inline zlay_zmat *zmat_of(zlay_ctx *ctx, size_t rows, size_t cols, const int64_t *at)
{
    zlay_zmat *out;
    assert_int_equal(zlay_zmat_new(ctx, &out, rows, cols, at), ZLAY_OK);
    return out;
}

static inline void zmat_to_flint(fmpz_mat_t out, const zlay_zmat *a)
{
    size_t rows = zlay_zmat_rows(a), cols = zlay_zmat_cols(a);
    static char text[1 << 16];
    fmpz_mat_init(out, (slong)rows, (slong)cols);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) {
            zlay_buf buf = {text, sizeof text, 0};
            int64_t value;
            assert_int_equal(zlay_zmat_print(&buf, a, i, j), ZLAY_OK);
            assert_int_equal(fmpz_set_str(fmpz_mat_entry(out, (slong)i, (slong)j), text, 10), 0);
            if (!zlay_zmat_entry(&value, a, i, j))
                assert_true(fmpz_equal_si(fmpz_mat_entry(out, (slong)i, (slong)j), value));
        }
}

static inline zlay_zmat *zmat_of_flint(zlay_ctx *ctx, const fmpz_mat_t a)
{
    size_t rows = (size_t)fmpz_mat_nrows(a), cols = (size_t)fmpz_mat_ncols(a);
    char **text = calloc(rows * cols + 1, sizeof *text);
    zlay_zmat *out;
    for (size_t i = 0; i < rows * cols; i++)
        text[i] = fmpz_get_str(NULL, 10, fmpz_mat_entry(a, (slong)(i / cols), (slong)(i % cols)));
    assert_int_equal(zlay_zmat_new_text(ctx, &out, rows, cols, (const char *const *)text), ZLAY_OK);
    for (size_t i = 0; i < rows * cols; i++) flint_free(text[i]);
    free(text);
    return out;
}

static inline void assert_unimodular(const fmpz_mat_t u)
{
    fmpz_t d;
    fmpz_init(d);
    fmpz_mat_det(d, u);
    assert_true(fmpz_is_pm1(d));
    fmpz_clear(d);
}

static inline size_t longest_entry(const fmpz_mat_t a)
{
    slong bits = fmpz_mat_max_bits(a);
    return (size_t)(bits < 0 ? -bits : bits);
}

#endif
