/* SPDX-License-Identifier: Apache-2.0 */
/* The questions about symbolic layouts, and what they share. */
#ifndef ZL_ALGEBRA_SYMBOL_DECIDE_H
#define ZL_ALGEBRA_SYMBOL_DECIDE_H

#include "algebra/symbolic/when.h"

/* facts: beside those of the layouts; NULL: none. */
zlay_status zl_symbols_equal(zlay_ctx *ctx, zl_symbol_equality *out, const zlay_layout *a,
                             const zlay_layout *b, const zlay_facts *facts);

/* Each gets the layout coalesced, with its names, and writes *out as zl_symbols_equal does. */
zlay_status zl_symbols_injective(zlay_ctx *ctx, zl_symbol_equality *out, zl_symbols *s);
zlay_status zl_symbols_bijective(zlay_ctx *ctx, zl_symbol_equality *out, const zl_symbols *s);
zlay_status zl_symbols_surjective(zlay_ctx *ctx, zl_symbol_equality *out, const zl_symbols *s,
                                  int64_t onto);
zlay_status zl_symbols_contained(zlay_ctx *ctx, zl_symbol_equality *out, const zl_symbols *a,
                                 const zl_symbols *b);

/* UNDECIDED for want of a form, which the message gives. */
zlay_status zl_symbols_open(zlay_ctx *ctx, zl_symbol_equality *out, const char *why);

/* The guard of an answer into the caller's buffer; NULL: not asked for.  EROOM. */
zlay_status zl_symbols_put_guard(zlay_ctx *ctx, zlay_buf *buf, const zl_symbol_equality *e);

/* The sign of a stride for all values; 0: it may have either. */
int zl_symbols_sign(const zl_monomial *stride, const zl_symbols *names);

/* ---- the orders in which modes may rise --------------------------------------------------- */

enum { ZL_SYMBOL_ORDERED = 8 }; /* modes of which all orders are tried */

typedef struct zl_rising {
    const zl_symbols *s;
    size_t count;
    uint8_t at[ZL_SYMBOL_ORDERED];
    uint32_t down; /* one bit a mode: its stride is below 0 */
    int sign[ZL_SYMBOL_ORDERED];
} zl_rising;

/* The first of those in which a stride that divides another stands before it, each with the signs
 * that the strides may have; false: too many modes.  zl_rising_next is false at the end. */
bool zl_rising_begin(zl_rising *o, const zl_symbols *s);
/* Strides of either sign count as positive. */
void zl_rising_upwards(zl_rising *o);
bool zl_rising_next(zl_rising *o);

/* p + (extent - 1) |stride| of a mode, p + the offset and what strides below 0 add to it. */
bool zl_rising_add_reach(zl_poly *p, const zl_rising *o, size_t mode);
bool zl_rising_add_least(zl_poly *p, const zl_rising *o);

/* |stride| of a mode */
bool zl_rising_step(zl_monomial *out, const zl_rising *o, size_t mode);

#endif
