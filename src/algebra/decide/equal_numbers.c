/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two layouts without unknown names are equal: closed forms first, then all points, isl,
 * and as many points as limits.points allows.  Each step decides or leaves the pair to the next. */
#include "algebra/decide/equal.h"
#include "algebra/presburger/isl/isl.h"
#include "algebra/layout/layout.h"
#include "algebra/find/table.h"

enum { OUTS_MOST = 64 };

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
    zl_value_reader a = {p->a, {0}}, b = {p->b, {0}};
    zlay_status status = ZLAY_OK;
    *decided = p->a->size <= zl_limits(p->ctx)->points && !too_many_outs(p);
    if (!*decided) return ZLAY_OK;
    if (p->manner == ZL_AS_INTEGERS) status = zl_reader_begin(p->ctx, &a, p->a);
    if (p->manner == ZL_AS_INTEGERS && !status) status = zl_reader_begin(p->ctx, &b, p->b);
    if (!status) scan(p, &a, &b, p->a->size);
    if (!status) status = zl_charge(p->ctx, 0);
    zl_reader_end(&b);
    zl_reader_end(&a);
    return status;
}

/* ---- the last methods ------------------------------------------------------------------------ */

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
    zl_value_reader a = {p->a, {0}}, b = {p->b, {0}};
    if (!too_many_outs(p) && scan(p, &a, &b, limit)) return ZLAY_OK;
    p->answer = ZLAY_UNDECIDED;
    return zl_fail(p->ctx, ZLAY_OK, "limits.points is %llu and the layouts have %llu",
                   (unsigned long long)limit, (unsigned long long)p->a->size);
}

typedef zlay_status equal_method(zl_pair *p, bool *decided);

/* Cheapest first; the last method always decides, if only that it is undecided. */
static equal_method *const methods[] = {sizes,         zl_equal_coalesced, affine, zl_equal_carry,
                                        zl_equal_bits, zl_equal_period,    points, zl_equal_sums,
                                        engine,        first_points};

zlay_status zl_equal_numbers(zl_pair *p)
{
    bool decided = false;
    zlay_status status = zl_comparison(p->ctx, &p->manner, p->a, p->b);
    for (size_t i = 0; i < ZL_COUNT(methods) && !decided && !status; i++)
        status = methods[i](p, &decided);
    return status;
}
