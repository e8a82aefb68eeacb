/* SPDX-License-Identifier: Apache-2.0 */
/* Equality for all values of the parameters. */
#include "algebra/decide/equal.h"
#include "algebra/presburger/isl/isl.h"

#include <string.h>

static size_t find(const zl_pieces *p, const char *name)
{
    return zl_param_find(p->param, p->params, name);
}

/* Where the value of each parameter of p is: those of a come first, then those of b alone. */
static void values_of(int64_t *value, const zl_pieces *p, const zl_pieces *a, const zl_pieces *b,
                      const zl_isl_point *where)
{
    for (size_t i = 0; i < p->params; i++) {
        size_t at = find(a, p->param[i].text), more = a->params;
        for (size_t k = 0; at == a->params && k < b->params; k++) {
            if (find(a, b->param[k].text) < a->params) continue;
            if (!strcmp(b->param[k].text, p->param[i].text)) at = more;
            else more++;
        }
        value[i] = where->param[at];
    }
}

static zlay_status fix(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *l, const zl_pieces *a,
                       const zl_pieces *b, const zl_isl_point *where)
{
    const char *name[ZL_PIECE_VARIABLES];
    int64_t value[ZL_PIECE_VARIABLES];
    const zl_pieces *p = &l->pieces;
    for (size_t i = 0; i < p->params; i++) name[i] = p->param[i].text;
    values_of(value, p, a, b, where);
    return zl_bind(ctx, out, l, p->params, name, value);
}

/* With values of its parameters a layout may have no points at all, which is no layout. */
static zlay_status fix_or_empty(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *l,
                                const zl_pair *p, const zl_isl_point *where)
{
    zlay_status status = fix(ctx, out, l, &p->a->pieces, &p->b->pieces, where);
    return status == ZLAY_EINVAL ? ZLAY_OK : status;
}

static void one_empty(zl_pair *p)
{
    p->answer = ZLAY_NO;
    p->witness = (zlay_witness){.size_a = p->a ? p->a->size : 0, .size_b = p->b ? p->b->size : 0};
}

/* The layouts with those values are decided once more: that tells the first index and both values,
 * and that they differ although boxes start where the parameters say. */
static zlay_status differ_there(zl_pair *p, const zl_isl_point *where)
{
    zl_pair fixed = {.ctx = p->ctx, .answer = ZLAY_YES};
    zlay_layout *a = NULL, *b = NULL;
    zlay_status status = fix_or_empty(p->ctx, &a, p->a, p, where);
    if (!status) status = fix_or_empty(p->ctx, &b, p->b, p, where);
    fixed.a = a;
    fixed.b = b;
    if (!status && a && b) status = zl_equal_numbers(&fixed);
    else if (a || b) one_empty(&fixed);
    zlay_layout_free(a);
    zlay_layout_free(b);
    p->answer = fixed.answer == ZLAY_NO ? ZLAY_NO : ZLAY_UNDECIDED;
    p->witness = fixed.witness;
    for (size_t i = 0; i < p->room && i < where->params; i++) p->values[i] = where->param[i];
    if (status || p->answer == ZLAY_NO) return status;
    return zl_fail(p->ctx, ZLAY_OK,
                   "a box begins where a parameter says, and its corner is not known");
}

static bool has_unknown_extent(const zl_pieces *p)
{
    for (size_t i = 0; i < p->dims; i++)
        if (!p->extent[i]) return true;
    return false;
}

static zlay_status ask(zl_pair *p, const zl_pieces *a, const zl_pieces *b)
{
    zl_isl_point where;
    p->answer = ZLAY_UNDECIDED;
    if (a->dims != b->dims && (has_unknown_extent(a) || has_unknown_extent(b)))
        return zl_fail(p->ctx, ZLAY_OK, "boxes of %zu and %zu dimensions depend on parameters",
                       a->dims, b->dims);
    zlay_status status = zl_isl_equal(p->ctx, &p->answer, &where, a, b);
    return status || p->answer != ZLAY_NO ? status : differ_there(p, &where);
}

static zlay_status ask_given(zl_pair *p, const zl_pieces *a, const zl_pieces *b)
{
    zlay_layout *made_a, *made_b;
    if (!p->facts) return ask(p, a, b);
    zlay_status status = zl_given(p->ctx, &made_a, &made_b, a, b, p->facts);
    if (!status) status = ask(p, &made_a->pieces, &made_b->pieces);
    zlay_layout_free(made_a);
    zlay_layout_free(made_b);
    if (status == ZLAY_ELIMIT) p->answer = ZLAY_UNDECIDED;
    return status == ZLAY_ELIMIT ? ZLAY_OK : status;
}

zlay_status zl_equal_parameters(zl_pair *p)
{
    zlay_layout *made_a, *made_b = NULL;
    const zl_pieces *a, *b = NULL;
    zlay_status status = zl_as_pieces(p->ctx, &a, &made_a, p->a);
    if (!status) status = zl_as_pieces(p->ctx, &b, &made_b, p->b);
    if (!status && a && b) status = ask_given(p, a, b);
    else p->answer = ZLAY_UNDECIDED;
    zlay_layout_free(made_a);
    zlay_layout_free(made_b);
    return status;
}
