/* SPDX-License-Identifier: Apache-2.0 */
/* Where the deciders meet symbolic layouts. */
#ifndef ZL_ALGEBRA_SYMBOL_ASK_H
#define ZL_ALGEBRA_SYMBOL_ASK_H

#include "algebra/decide/symbol_decide.h"

typedef enum zl_ask {
    ZL_ASK_INJECTIVE,
    ZL_ASK_SURJECTIVE,
    ZL_ASK_BIJECTIVE,
    ZL_ASK_CONTAINED
} zl_ask;

typedef struct zl_symbol_question {
    zl_ask what;
    const zlay_layout *a, *b; /* b: of contained */
    int64_t onto;             /* of surjective, at least 1 */
} zl_symbol_question;

const char *zl_ask_name(zl_ask what);
zlay_status zl_symbols_ask(zlay_ctx *ctx, zl_symbol_equality *out, const zl_symbol_question *q);

/* The answer and its guard as a part of a call: zlay_layout_injective_guard and the like. */
zlay_status zl_layout_guard(zlay_ctx *ctx, zlay_answer *answer, zlay_buf *guard,
                            const zl_symbol_question *q);

/* s becomes a layout of numbers, at its sample. */
zlay_status zl_symbols_sample(zlay_ctx *ctx, zlay_layout **out, zl_symbols *s);

/* The guard is the message.  With ZLAY_NO the layouts at the sample, which the caller frees, for
 * the deciders of numbers to give a witness; NULL where they do not fit 64 bits. */
zlay_status zl_symbols_decide(zlay_ctx *ctx, zlay_answer *out, zlay_layout *shown[2],
                              const zl_symbol_question *q);

#endif
