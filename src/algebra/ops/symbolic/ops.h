/* SPDX-License-Identifier: Apache-2.0 */
/* Where operations meet symbolic layouts: each inside a call, `a` symbolic unless it says so. */
#ifndef ZL_ALGEBRA_SYMBOL_OPS_H
#define ZL_ALGEBRA_SYMBOL_OPS_H

#include "base/scan.h"
#include "algebra/layout/layout.h"
#include <zlay/cute.h>
#include <zlay/pieces.h>

/* A strided text with a name in it. */
bool zl_symbols_in(const zl_cursor *c);
zlay_status zl_symbols_parse(zl_cursor *c, zlay_layout **out);

zlay_status zl_symbols_bind(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t count,
                            const char *const *name, const int64_t *value);
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

/* ENOTSUP for a layout with a quotient or an edge. */
zlay_status zl_symbols_plain(zlay_ctx *ctx, const zlay_layout *a);

/* One factor is symbolic: (a, b over what a leaves free); mode by mode. */
zlay_status zl_symbols_product(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_layout *b);
zlay_status zl_symbols_paired(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const zlay_layout *b, bool raked);

/* The extents of the top-level modes, 0 where one is not known; how many modes there are. */
size_t zl_symbols_extents(uint64_t *extents, size_t room, const zlay_layout *a);
const char *zl_symbols_param(const zlay_layout *a, size_t i);

#endif
