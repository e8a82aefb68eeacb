/* SPDX-License-Identifier: Apache-2.0 */
/* Where operations meet symbolic layouts: each inside a call, `a` symbolic unless it says so. */
#ifndef ZL_ALGEBRA_SYMBOL_OPS_H
#define ZL_ALGEBRA_SYMBOL_OPS_H

#include "algebra/symbolic/symbol.h"
#include <zlay/cute.h>
#include <zlay/pieces.h>

zlay_status zl_symbols_coalesce(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);
zlay_status zl_symbols_flip(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t mode);
zlay_status zl_symbols_slice(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                             const zlay_slice *by);
/* One of the two is symbolic. */
zlay_status zl_symbols_compose(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_layout *b);

/* The two modes of a symbolic layout as `arrangement` says. */
zlay_status zl_symbols_arrange(zlay_ctx *ctx, zlay_layout **layout, zlay_arrangement arrangement);

/* (b, what it leaves of a): a's size is not known, b has no names. */
zlay_status zl_symbols_divide(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const zlay_layout *b);

/* One factor is symbolic: (a, b over what a leaves free); mode by mode. */
zlay_status zl_symbols_product(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_layout *b);
zlay_status zl_symbols_paired(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const zlay_layout *b, bool raked);

#endif
