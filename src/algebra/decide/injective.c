/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a layout has no value twice: numbers are decided in injective_numbers.c, names of extents
 * and strides to symbol_ask.c, whose NO is shown by numbers at a sample. */
#include "algebra/decide/decide.h"
#include "algebra/decide/symbol_ask.h"

/* A witness of a layout with names is that of its sample; UINT64_MAX: the sample shows none. */
static zlay_status of_names(zlay_ctx *ctx, zlay_answer *answer, uint64_t witness[2],
                            const zlay_layout *a)
{
    zlay_layout *shown[2];
    uint64_t pair[2];
    zlay_answer at_sample = ZLAY_UNDECIDED;
    zl_symbol_question q = {ZL_ASK_INJECTIVE, a, NULL, 0};
    zlay_status status = zl_symbols_decide(ctx, answer, shown, &q);
    witness[0] = witness[1] = UINT64_MAX;
    if (!status && shown[0]) status = zl_injective_numbers(ctx, &at_sample, pair, shown[0]);
    for (int i = 0; i < 2 && !status && at_sample == ZLAY_NO; i++) witness[i] = pair[i];
    zlay_layout_free(shown[0]);
    return status;
}

zlay_status zl_is_injective(zlay_ctx *ctx, zlay_answer *answer, uint64_t witness[2],
                            const zlay_layout *a)
{
    return a && a->symbols ? of_names(ctx, answer, witness, a)
                           : zl_injective_numbers(ctx, answer, witness, a);
}

static zlay_status decide(zlay_ctx *ctx, zlay_answer *answer, uint64_t witness[2],
                          const zlay_layout *layout)
{
    uint64_t pair[2];
    zlay_status status = zl_is_injective(ctx, answer, pair, layout);
    if (!status && witness && *answer == ZLAY_NO) {
        witness[0] = pair[0];
        witness[1] = pair[1];
    }
    return status;
}

zlay_status zl_layout_is_injective(zlay_ctx *ctx, zlay_answer *answer, uint64_t witness[2],
                                   const zlay_layout *layout)
{
    zl_mark mark = zl_enter_part(ctx);
    return zl_leave_part_answer(ctx, mark, decide(ctx, answer, witness, layout), answer);
}

zlay_status zlay_layout_is_injective(zlay_ctx *ctx, zlay_answer *answer, uint64_t witness[2],
                                     const zlay_layout *layout)
{
    if (!answer) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    return zl_leave_answer(ctx, decide(ctx, answer, witness, layout), answer);
}
