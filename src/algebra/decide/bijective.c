/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/decide/decide.h"
#include "algebra/presburger/isl/isl.h"
#include "algebra/layout/layout.h"
#include "algebra/image/sums.h"
#include "algebra/decide/symbol_ask.h"
#include "algebra/find/table.h"

typedef struct work {
    zlay_ctx *ctx;
    const zlay_layout *a;
    zlay_answer answer;
    zlay_fault fault;
} work;

static zlay_status fault(work *w, zlay_fault f)
{
    w->answer = ZLAY_NO;
    w->fault = f;
    return ZLAY_OK;
}

static zlay_status onto(work *w, const uint64_t *sizes, size_t count)
{
    uint64_t missed;
    zlay_status status = zl_is_surjective(w->ctx, &w->answer, &missed, w->a, sizes, count);
    if (status || w->answer != ZLAY_NO) return status;
    return fault(w, (zlay_fault){.fault = ZLAY_FAULT_MISSED, .missed = missed});
}

static zlay_status onto_outputs(work *w)
{
    uint64_t sizes[64];
    return onto(w, sizes, zlay_layout_out_sizes(sizes, ZL_COUNT(sizes), w->a));
}

/* The number of points where an injective layout is defined is the number of its values.  So it is
 * onto as many exactly when it is onto [0, greatest], and has no negative value; what it lacks
 * there is below that number. */
static zlay_status onto_its_values(work *w, int64_t least, int64_t greatest)
{
    uint64_t end = greatest < 0 ? 0 : (uint64_t)greatest + 1;
    if (greatest >= 0) {
        zlay_status status = onto(w, &end, 1);
        if (status || w->answer != ZLAY_YES) return status;
    }
    if (least >= 0) return ZLAY_OK;
    return fault(w, (zlay_fault){.fault = ZLAY_FAULT_MISSED, .missed = end});
}

/* ZLAY_NONE: too many points. */
static zlay_status range_by_points(const work *w, int64_t *least, int64_t *greatest)
{
    zl_value_reader a;
    *least = INT64_MAX;
    *greatest = INT64_MIN;
    if (w->a->size > zl_limits(w->ctx)->points) return ZLAY_NONE;
    zlay_status status = zl_reader_begin(w->ctx, &a, w->a);
    for (uint64_t i = 0; i < w->a->size && !status; i++) {
        int64_t value;
        status = zl_reader_charge(w->ctx, &a, i);
        if (!zl_reader_value(&a, i, &value)) continue;
        *least = value < *least ? value : *least;
        *greatest = value > *greatest ? value : *greatest;
    }
    zl_reader_end(&a);
    return status;
}

static zlay_status range_by_sums(const work *w, int64_t *least, int64_t *greatest)
{
    zl_sums s;
    zl_mark mark = zl_scratch_mark(w->ctx);
    zlay_status status = zl_sums_of(w->ctx, &s, w->a);
    for (size_t i = 0; i < s.count && !status; i++) {
        *least = s.part[i].sum.least < *least ? s.part[i].sum.least : *least;
        *greatest = s.part[i].greatest > *greatest ? s.part[i].greatest : *greatest;
    }
    zl_scratch_release(w->ctx, mark);
    return status;
}

/* Undefined everywhere, it is the bijection of nothing onto nothing. */
static zlay_status onto_points(work *w)
{
    int64_t least = INT64_MAX, greatest = INT64_MIN;
    if (!w->a->partial) return onto(w, &w->a->size, 1);
    zlay_status status = range_by_points(w, &least, &greatest);
    if (status == ZLAY_NONE) status = range_by_sums(w, &least, &greatest);
    if (!status) return least > greatest ? ZLAY_OK : onto_its_values(w, least, greatest);
    if (status == ZLAY_NONE) status = zl_isl_range(w->ctx, &least, &greatest, &w->a->pieces);
    if (status == ZLAY_NONE) return ZLAY_OK;
    if (status == ZLAY_ELIMIT) w->answer = ZLAY_UNDECIDED;
    if (status) return status == ZLAY_ELIMIT ? ZLAY_OK : status;
    return onto_its_values(w, least, greatest);
}

/* Several outputs without sizes have a negative value, which lies in no box. */
static zlay_status outside(work *w)
{
    int64_t values[64];
    uint64_t limit = zl_limits(w->ctx)->points;
    for (uint64_t i = 0; i < w->a->size && i < limit; i++) {
        if (zl_charge_block(w->ctx, w->a, i)) return ZLAY_ENOMEM;
        if (w->a->table->tuple(w->a, i, values)) continue;
        for (size_t d = 0; d < w->a->pieces.outs; d++)
            if (values[d] < 0)
                return fault(w, (zlay_fault){.fault = ZLAY_FAULT_OUTSIDE, .i = i});
    }
    w->answer = ZLAY_UNDECIDED;
    return zl_fail(w->ctx, ZLAY_OK, "limits.points is %llu and the outputs have no sizes",
                   (unsigned long long)limit);
}

/* An output of 64 bits has the size 2^64.  With fewer points, one of the first size + 1 words is
 * missed. */
static zlay_status onto_words(work *w)
{
    uint64_t more = w->a->size + 1;
    return onto(w, &more, 1);
}

static bool has_words(const zlay_layout *a)
{
    return a->kind == ZLAY_LAYOUT_F2 && zl_dim_bits(a->f2.out, a->f2.outs) == 64;
}

static zlay_status reach(work *w)
{
    uint64_t sizes[64];
    size_t outs = zlay_layout_out_sizes(sizes, ZL_COUNT(sizes), w->a);
    if (has_words(w->a)) return onto_words(w);
    if (outs == 1 && !sizes[0]) return onto_points(w);
    if (outs > ZL_COUNT(sizes))
        return zl_fail(w->ctx, ZLAY_ELIMIT, "%zu outputs; 64 at most", outs);
    for (size_t d = 0; d < outs; d++)
        if (!sizes[d]) return outside(w);
    return onto_outputs(w);
}

/* It has as many points as there are words of its outputs: where it is injective, it is onto. */
static bool is_square(const zlay_layout *a)
{
    return a->kind == ZLAY_LAYOUT_F2 &&
           zl_dim_bits(a->f2.in, a->f2.ins) == zl_dim_bits(a->f2.out, a->f2.outs);
}

static zlay_status numbers(work *w)
{
    uint64_t pair[2];
    zlay_status status = zl_is_injective(w->ctx, &w->answer, pair, w->a);
    if (status) return status;
    if (w->answer == ZLAY_YES) return is_square(w->a) ? ZLAY_OK : reach(w);
    if (w->answer == ZLAY_NO)
        return fault(w, (zlay_fault){.fault = ZLAY_FAULT_COLLISION, .i = pair[0], .j = pair[1]});
    status = reach(w);
    if (!status && w->answer == ZLAY_YES) w->answer = ZLAY_UNDECIDED;
    return status;
}

/* The fault of a layout with names is that of its sample; ZLAY_FAULT_MISSED of 2^64 - 1: the sample
 * does not fit. */
static zlay_status names(work *w)
{
    zlay_layout *shown[2];
    work sample = {.ctx = w->ctx, .fault = {.fault = ZLAY_FAULT_MISSED, .missed = UINT64_MAX}};
    zl_symbol_question q = {ZL_ASK_BIJECTIVE, w->a, NULL, 0};
    zlay_status status = zl_symbols_decide(w->ctx, &w->answer, shown, &q);
    sample.a = shown[0];
    if (!status && shown[0]) status = numbers(&sample);
    w->fault = sample.fault;
    zlay_layout_free(shown[0]);
    return status;
}

static zlay_status decide(work *w)
{
    return w->a && w->a->symbols ? names(w) : numbers(w);
}

static zlay_status answer_of(zlay_ctx *ctx, zlay_answer *answer, zlay_fault *witness,
                             const zlay_layout *layout)
{
    work w = {.ctx = ctx, .a = layout};
    zlay_status status = decide(&w);
    if (!status) *answer = w.answer;
    if (!status && witness && w.answer == ZLAY_NO) *witness = w.fault;
    return status;
}

zlay_status zl_layout_is_bijective(zlay_ctx *ctx, zlay_answer *answer, zlay_fault *witness,
                                   const zlay_layout *layout)
{
    zl_mark mark = zl_enter_part(ctx);
    return zl_leave_part_answer(ctx, mark, answer_of(ctx, answer, witness, layout), answer);
}

zlay_status zlay_layout_is_bijective(zlay_ctx *ctx, zlay_answer *answer, zlay_fault *witness,
                                     const zlay_layout *layout)
{
    if (!answer) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    return zl_leave_answer(ctx, answer_of(ctx, answer, witness, layout), answer);
}
