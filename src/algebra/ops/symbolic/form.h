/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of symbolic layouts, by the tags of their leaves. */
#ifndef ZL_ALGEBRA_SYMBOL_FORM_H
#define ZL_ALGEBRA_SYMBOL_FORM_H

#include "algebra/ops/cute.h"
#include "algebra/symbolic/symbol.h"

/* The leaves as modes whose strides are first, first + 1, ..; the same as a layout. */
zlay_status zl_tags_of(zl_modes *m, const zl_symbols *s, size_t first);
zlay_status zl_tags_layout(zlay_ctx *ctx, zlay_layout **out, const zl_symbols *s, size_t first);

/* The leaves of `from` that tags name, with the tags' parentheses; all else as in `from`. */
zlay_status zl_tags_read(zlay_ctx *ctx, zl_symbols *out, const zl_symbols *from,
                         const zl_mode *tag, size_t count);

/* The leaves, edges and offset of `from` behind those of `to`, whose names both have then. */
zlay_status zl_symbols_append(zlay_ctx *ctx, zl_symbols *to, zl_symbols *from);

/* A layout mode by mode: its leaves, and behind them what `each` made of a mode and its tile. */
typedef struct zl_symbol_pool {
    zlay_ctx *ctx;
    zl_tile_mode *each;
    zl_symbols s;
} zl_symbol_pool;

/* ((t),(r)) of tags for a mode of tags. */
zlay_status zl_pool_each(zl_symbol_pool *p, zlay_layout **made, const zlay_layout *mode,
                         const zlay_layout *tile);

#endif
