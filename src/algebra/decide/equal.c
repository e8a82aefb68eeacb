/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/decide/equal.h"
#include "algebra/presburger/isl/isl.h"
#include "algebra/layout/layout.h"
#include "algebra/find/table.h"

enum { OUTS_MOST = 64 };

void zl_differ(zl_pair *p, uint64_t index)
{
    zlay_witness *w = &p->witness;
    p->answer = ZLAY_NO;
    *w = (zlay_witness){.index = index, .size_a = p->a->size, .size_b = p->b->size};
    w->has_a = zl_value(p->a, index, &w->a);
    w->has_b = zl_value(p->b, index, &w->b);
    if (!w->has_a) w->a = 0;
    if (!w->has_b) w->b = 0;
}

static bool has_parameters(const zl_pair *p) { return p->a->pieces.params || p->b->pieces.params; }

static zlay_status sizes(zl_pair *p, bool *decided)
{
    *decided = p->a->size != p->b->size;
    if (!*decided) return ZLAY_OK;
    p->answer = ZLAY_NO;
    p->witness = (zlay_witness){.size_a = p->a->size, .size_b = p->b->size};
    return ZLAY_OK;
}

static zlay_status affine(zl_pair *p, bool *decided)
{
    zl_affine a, b;
    *decided = zl_affine_pair(&a, &b, p->manner, p->a, p->b);
    if (!*decided) return ZLAY_OK;
    if (a.constant != b.constant) zl_differ(p, 0);
    for (unsigned k = 0; k < a.bits && p->answer; k++)
        if (a.basis[k] != b.basis[k]) zl_differ(p, (uint64_t)1 << k);
    return ZLAY_OK;
}

/* ---- by points --------------------------------------------------------------------------- */

static bool same_tuple(const zl_pair *p, uint64_t i)
{
    int64_t a[OUTS_MOST], b[OUTS_MOST];
    bool has_a = !p->a->table->tuple(p->a, i, a), has_b = !p->b->table->tuple(p->b, i, b);
    if (!has_a || !has_b) return has_a == has_b;
    for (size_t d = 0; d < zlay_layout_out_count(p->a); d++)
        if (p->manner == ZL_NEVER || a[d] != b[d]) return false;
    return true;
}

static bool same_integer(const zl_value_reader *x, const zl_value_reader *y, uint64_t i)
{
    int64_t a, b;
    bool has_a = zl_reader_value(x, i, &a), has_b = zl_reader_value(y, i, &b);
    if (!has_a || !has_b) return has_a == has_b;
    return a == b;
}

/* False, too, where limits.work ends the call, which zl_charge then repeats. */
static bool scan(zl_pair *p, const zl_value_reader *a, const zl_value_reader *b, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (zl_reader_charge(p->ctx, a, i) || zl_reader_charge(p->ctx, b, i)) return false;
        if (p->manner == ZL_AS_INTEGERS ? !same_integer(a, b, i) : !same_tuple(p, i))
            return zl_differ(p, i), true;
    }
    return false;
}

static bool too_many_outs(const zl_pair *p)
{
    return zlay_layout_out_count(p->a) > OUTS_MOST || zlay_layout_out_count(p->b) > OUTS_MOST;
}

static zlay_status points(zl_pair *p, bool *decided)
{
    zl_value_reader a = {p->a, {.ctx = p->ctx}}, b = {p->b, {.ctx = p->ctx}};
    zlay_status status = ZLAY_OK;
    *decided = p->a->size <= zl_limits(p->ctx)->points && !too_many_outs(p);
    if (!*decided) return ZLAY_OK;
    if (p->manner == ZL_AS_INTEGERS) status = zl_reader_begin(p->ctx, &a, p->a);
    if (p->manner == ZL_AS_INTEGERS && !status) status = zl_reader_begin(p->ctx, &b, p->b);
    if (!status) scan(p, &a, &b, p->a->size);
    if (!status) status = zl_charge(p->ctx, 0);
    zl_reader_end(&a);
    zl_reader_end(&b);
    return status;
}

/* ---- the last rungs ------------------------------------------------------------------------ */

static zlay_status ask_engine(zl_pair *p, bool *decided, const zl_pieces *a, const zl_pieces *b)
{
    zl_isl_point where;
    zlay_answer answer;
    zlay_status status = zl_isl_equal(p->ctx, &answer, &where, a, b);
    *decided = !status && answer != ZLAY_UNDECIDED;
    if (*decided && answer == ZLAY_NO) zl_differ(p, where.index);
    return status;
}

static zlay_status engine(zl_pair *p, bool *decided)
{
    zlay_layout *made_a, *made_b = NULL;
    const zl_pieces *a, *b = NULL;
    *decided = false;
    zlay_status status = zl_as_pieces(p->ctx, &a, &made_a, p->a);
    if (!status) status = zl_as_pieces(p->ctx, &b, &made_b, p->b);
    if (!status && a && b) status = ask_engine(p, decided, a, b);
    zlay_layout_free(made_a);
    zlay_layout_free(made_b);
    return status;
}

/* What cannot be proved equal may still be seen to differ. */
static zlay_status first_points(zl_pair *p, bool *decided)
{
    uint64_t limit = zl_limits(p->ctx)->points;
    *decided = true;
    zl_value_reader a = {p->a, {.ctx = p->ctx}}, b = {p->b, {.ctx = p->ctx}};
    if (!too_many_outs(p) && scan(p, &a, &b, limit)) return ZLAY_OK;
    p->answer = ZLAY_UNDECIDED;
    return zl_fail(p->ctx, ZLAY_OK, "limits.points is %llu and the layouts have %llu",
                   (unsigned long long)limit, (unsigned long long)p->a->size);
}

typedef zlay_status rung(zl_pair *p, bool *decided);

/* Cheapest first; the last rung always decides, if only that it is undecided. */
static rung *const ladder[] = {sizes,          zl_equal_coalesced, affine, zl_equal_carry,
                               zl_equal_bits,  zl_equal_period,    points, zl_equal_sums, engine,
                               first_points};

zlay_status zl_equal_climb(zl_pair *p)
{
    bool decided = false;
    if (!p->a || !p->b) return zl_fail(p->ctx, ZLAY_EINVAL, "a layout is NULL");
    if (p->a->symbols || p->b->symbols) return zl_equal_symbols(p);
    if (has_parameters(p)) return zl_equal_parameters(p);
    zlay_status status = zl_comparison(p->ctx, &p->manner, p->a, p->b);
    for (size_t i = 0; i < ZL_COUNT(ladder) && !decided && !status; i++)
        status = ladder[i](p, &decided);
    return status;
}

static zlay_status answer_of(zl_pair *p, zlay_answer *answer, zlay_witness *witness)
{
    zlay_status status = zl_enter(p->ctx);
    if (status) return status;
    if (!(status = zl_equal_climb(p))) {
        *answer = p->answer;
        if (witness && p->answer == ZLAY_NO) *witness = p->witness;
    }
    return zl_leave_answer(p->ctx, status, answer);
}

zlay_status zlay_layout_equal_for_all(zlay_ctx *ctx, zlay_answer *answer,
                                      zlay_difference *difference, const zlay_layout *a,
                                      const zlay_layout *b, const zlay_facts *facts)
{
    zl_pair p = {.ctx = ctx, .a = a, .b = b, .answer = ZLAY_YES, .facts = facts};
    if (!answer || (difference && difference->room && !difference->values)) return ZLAY_EINVAL;
    if (difference) p.values = difference->values;
    if (difference) p.room = difference->room;
    return answer_of(&p, answer, difference ? &difference->witness : NULL);
}

zlay_status zlay_layout_equal(zlay_ctx *ctx, zlay_answer *answer, zlay_witness *witness,
                              const zlay_layout *a, const zlay_layout *b)
{
    zl_pair p = {.ctx = ctx, .a = a, .b = b, .answer = ZLAY_YES};
    return answer ? answer_of(&p, answer, witness) : ZLAY_EINVAL;
}
