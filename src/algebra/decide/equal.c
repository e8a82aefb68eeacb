/* SPDX-License-Identifier: Apache-2.0 */
/* Equality of two layouts: who decides it, by what is unknown in them, and the public functions.
 * Names of extents go to symbol_equal.c, parameters of pieces to equal_params.c, numbers to
 * equal_numbers.c. */
#include "algebra/decide/decide.h"
#include "algebra/decide/equal.h"
#include "algebra/decide/symbol_decide.h"

static bool has_parameters(const zl_pair *p) { return p->a->pieces.params || p->b->pieces.params; }

zlay_status zl_equal_climb(zl_pair *p)
{
    if (!p->a || !p->b) return zl_fail(p->ctx, ZLAY_EINVAL, "a layout is NULL");
    if (p->a->symbols || p->b->symbols) return zl_equal_symbols(p);
    if (has_parameters(p)) return zl_equal_parameters(p);
    return zl_equal_numbers(p);
}

static zlay_status answer_of(zl_pair *p, zlay_answer *answer, zlay_witness *witness)
{
    zlay_status status = zl_equal_climb(p);
    if (status) return status;
    *answer = p->answer;
    if (witness && p->answer == ZLAY_NO) *witness = p->witness;
    return ZLAY_OK;
}

static zlay_status enter(zl_pair *p, zlay_answer *answer, zlay_witness *witness)
{
    zlay_status status = zl_enter(p->ctx);
    return status ? status : zl_leave_answer(p->ctx, answer_of(p, answer, witness), answer);
}

zlay_status zlay_layout_equal_for_all(zlay_ctx *ctx, zlay_answer *answer,
                                      zlay_difference *difference, const zlay_layout *a,
                                      const zlay_layout *b, const zlay_facts *facts)
{
    zl_pair p = {.ctx = ctx, .a = a, .b = b, .answer = ZLAY_YES, .facts = facts};
    if (!answer || (difference && difference->room && !difference->values)) return ZLAY_EINVAL;
    if (difference) p.values = difference->values;
    if (difference) p.room = difference->room;
    return enter(&p, answer, difference ? &difference->witness : NULL);
}

zlay_status zlay_layout_equal(zlay_ctx *ctx, zlay_answer *answer, zlay_witness *witness,
                              const zlay_layout *a, const zlay_layout *b)
{
    zl_pair p = {.ctx = ctx, .a = a, .b = b, .answer = ZLAY_YES};
    return answer ? enter(&p, answer, witness) : ZLAY_EINVAL;
}

zlay_status zl_layout_equal(zlay_ctx *ctx, zlay_answer *answer, zlay_witness *witness,
                            const zlay_layout *a, const zlay_layout *b)
{
    zl_pair p = {.ctx = ctx, .a = a, .b = b, .answer = ZLAY_YES};
    zl_mark mark = zl_enter_part(ctx);
    return zl_leave_part_answer(ctx, mark, answer_of(&p, answer, witness), answer);
}

static zlay_status equal_guard(zlay_ctx *ctx, zlay_answer *answer, zlay_buf *guard,
                               const zlay_layout *a, const zlay_layout *b, const zlay_facts *facts)
{
    zlay_allocator alloc = zl_allocator(ctx);
    zl_symbol_equality e = {.answer = ZLAY_YES};
    zl_pair p = {.ctx = ctx, .a = a, .b = b, .facts = facts, .answer = ZLAY_YES};
    if (!a || !b) return zl_fail(ctx, ZLAY_EINVAL, "a layout is NULL");
    bool symbolic = a->symbols || b->symbols;
    zlay_status status = symbolic ? zl_symbols_equal(ctx, &e, a, b, facts) : zl_equal_climb(&p);
    if (!status) status = zl_symbols_put_guard(ctx, guard, &e);
    if (!status) *answer = symbolic ? e.answer : p.answer;
    zl_free(&alloc, e.guard, e.length + 1);
    return status;
}

zlay_status zlay_layout_equal_guard(zlay_ctx *ctx, zlay_answer *answer, zlay_buf *guard,
                                    const zlay_layout *a, const zlay_layout *b,
                                    const zlay_facts *facts)
{
    if (!answer || (guard && guard->room && !guard->text)) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    return zl_leave_answer(ctx, equal_guard(ctx, answer, guard, a, b, facts), answer);
}
