/* SPDX-License-Identifier: Apache-2.0 */
/* Right and left inverses: CuTe's by strides, those under a swizzle through the strides beneath it,
 * the others by their values. */
#include "algebra/find/find.h"
#include "algebra/ops/cute.h"
#include "algebra/decide/decide.h"

/* ---- a mode each, with its weight in the index, by rising stride ------------------------ */

typedef struct term {
    int64_t shape, stride, weight;
} term;

enum { TERMS_MOST = 64 };

typedef struct terms {
    size_t count;
    term at[TERMS_MOST];
} terms;

static void insert(terms *t, term new)
{
    size_t i = t->count++;
    for (; i && t->at[i - 1].stride > new.stride; i--) t->at[i] = t->at[i - 1];
    t->at[i] = new;
}

/* False where CuTe's inverses do not begin: not strided, or more modes than fit an index. */
static bool terms_of(zlay_ctx *ctx, terms *t, const zlay_layout *a)
{
    zl_modes flat;
    int64_t weight = 1;
    bool fits = zl_is_plain(a) && a->size <= INT64_MAX;
    t->count = 0;
    if (!fits) return false;
    zl_modes_begin(&flat, ctx);
    fits = !zl_coalesce_modes(&flat, a->mode, a->modes, false) && flat.count <= TERMS_MOST;
    for (size_t i = 0; fits && i < flat.count; i++) {
        insert(t, (term){flat.at[i].shape, flat.at[i].stride, weight});
        weight *= flat.at[i].shape;
    }
    zl_modes_end(&flat);
    return fits;
}

static zlay_status flat_layout(zlay_ctx *ctx, zlay_layout **out, const zl_modes *m)
{
    zl_modes flat;
    zl_modes_begin(&flat, ctx);
    zlay_status status = zl_coalesce_modes(&flat, m->at, m->count, false);
    if (flat.count > 1) zl_modes_wrap(&flat, 0);
    if (!status) status = zl_layout_strided(ctx, out, &flat, (zl_swizzle){0, 0, 0});
    zl_modes_end(&flat);
    return status;
}

/* ---- right --------------------------------------------------------------------------------- */

/* No stride is negative, and none begins inside the span of those before: then values rise with
 * the digits, and what follows the first gap is beyond it. */
static bool nested(const terms *t)
{
    int64_t span = 1;
    for (size_t i = 0; i < t->count; i++) {
        const term *m = &t->at[i];
        if (m->shape == 1 || !m->stride) continue;
        if (m->stride < span || !zl_mul(m->shape, m->stride, &span)) return false;
    }
    return true;
}

static zlay_status right_of_terms(zlay_ctx *ctx, zlay_layout **out, const terms *t)
{
    zl_modes m;
    int64_t next = 1;
    zlay_status status = ZLAY_OK;
    zl_modes_begin(&m, ctx);
    for (size_t i = 0; i < t->count && !status; i++) {
        if (t->at[i].stride != next || t->at[i].shape == 1) continue;
        status = zl_modes_leaf(&m, t->at[i].shape, t->at[i].weight);
        next = t->at[i].shape * t->at[i].stride;
    }
    if (!status) status = flat_layout(ctx, out, &m);
    zl_modes_end(&m);
    return status;
}

/* first[v]: the least index of value v. */
static zlay_status first_of(zl_table *first, const zlay_layout *a)
{
    int64_t value;
    zl_value_reader reader;
    zlay_status status = zl_reader_begin(first->ctx, &reader, a);
    for (uint64_t i = a->size; !status && i-- > 0;) {
        status = zl_reader_charge(first->ctx, &reader, i);
        if (zl_reader_value(&reader, i, &value) && value >= 0 && (uint64_t)value < first->size)
            zl_table_set(first, (uint64_t)value, (int64_t)i);
    }
    zl_reader_end(&reader);
    return status;
}

static zlay_status right_of_values(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zl_table first;
    zlay_status status = zl_table_new(ctx, &first, a->size);
    if (!status) status = first_of(&first, a);
    if (!status) {
        zl_table prefix = first;
        for (prefix.size = 0; prefix.size < first.size && first.there[prefix.size];) prefix.size++;
        prefix.undefined = 0;
        status = prefix.size ? zl_cheapest_line(ctx, out, &prefix)
                             : zl_fail(ctx, ZLAY_NONE, "no index has the value 0");
    }
    zl_table_free(&first);
    return status;
}

/* ---- right, under a swizzle: the inverse of what is under it, after the swizzle ------------- */

/* Sw, which is its own inverse, on [0, count). */
static zlay_status swizzled_line(zlay_ctx *ctx, zlay_layout **out, zl_swizzle s, uint64_t count)
{
    zl_modes m;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_modes_leaf(&m, (int64_t)count, count > 1);
    if (!status) status = zl_layout_strided(ctx, out, &m, s);
    zl_modes_end(&m);
    return status ? status : zl_simplify(ctx, out);
}

/* Every image of [0, count) is below `end`: only the grains of its last block may pass it. */
static bool stays_below(zl_swizzle s, uint64_t count, uint64_t end)
{
    zl_blocks size = zl_blocks_of(s, s);
    uint64_t v = count & ~(size.block - 1);
    bool below = count <= end;
    for (; below && v < count; v += size.grain) {
        uint64_t last = (count - v < size.grain ? count - v : size.grain) - 1;
        below = (uint64_t)zl_swizzle_at(s, (int64_t)v) + last < end;
    }
    return below;
}

/* ZLAY_NONE where the inverse under the swizzle is not CuTe's or too short, or 0 is no value. */
static zlay_status right_of_swizzled(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zlay_layout under = *a, *inner = NULL, *order = NULL;
    terms t;
    uint64_t missed = a->size, size = a->size;
    zlay_answer answer = ZLAY_UNDECIDED;
    under.swizzle = (zl_swizzle){0, 0, 0};
    under.kind = ZLAY_LAYOUT_STRIDED;
    if (!a->modes || !a->swizzle.bits || !terms_of(ctx, &t, &under) || !nested(&t))
        return ZLAY_NONE;
    zlay_status status = zl_is_surjective(ctx, &answer, &missed, a, &size, 1);
    if (status || answer == ZLAY_UNDECIDED) return status ? status : ZLAY_NONE;
    if (answer == ZLAY_YES) missed = size;
    if (!missed) return ZLAY_NONE;
    status = right_of_terms(ctx, &inner, &t);
    if (!status && !stays_below(a->swizzle, missed, inner->size)) status = ZLAY_NONE;
    if (!status) status = swizzled_line(ctx, &order, a->swizzle, missed);
    if (!status) status = zl_compose(ctx, out, inner, order);
    zlay_layout_free(order);
    zlay_layout_free(inner);
    return status;
}

zlay_status zl_right_inverse(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    if (zl_parameter(a)) return zl_without_parameters(ctx, a);
    terms t;
    if (terms_of(ctx, &t, a) && nested(&t)) return right_of_terms(ctx, out, &t);
    zlay_status status = right_of_swizzled(ctx, out, a);
    return status == ZLAY_NONE ? right_of_values(ctx, out, a) : status;
}

zlay_status zlay_layout_right_inverse(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zlay_status status = zl_enter_layout(ctx, out);
    if (status) return status;
    if (!a) return zl_leave(ctx, zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL"));
    return zl_leave(ctx, zl_right_inverse(ctx, out, a));
}

/* ---- left ---------------------------------------------------------------------------------- */

/* CuTe's, where each stride is a multiple of the span so far; ZLAY_NONE elsewhere. */
static zlay_status left_of_terms(zlay_ctx *ctx, zlay_layout **out, const terms *t)
{
    zl_modes m;
    int64_t span = 1, weight = 0, last = 1;
    zlay_status status = ZLAY_OK;
    zl_modes_begin(&m, ctx);
    for (size_t i = 0; i < t->count && !status; i++) {
        const term *at = &t->at[i];
        if (at->shape == 1) continue;
        if (at->stride < span * last || at->stride % span) status = ZLAY_NONE;
        else status = zl_modes_leaf(&m, at->stride / span, weight);
        span = at->stride;
        weight = at->weight;
        last = at->shape;
    }
    if (!status) status = zl_modes_leaf(&m, last, weight);
    if (!status) status = flat_layout(ctx, out, &m);
    zl_modes_end(&m);
    return status;
}

static zlay_status left_span(zlay_ctx *ctx, const zl_value_reader *r, uint64_t *span)
{
    int64_t value;
    *span = 0;
    for (uint64_t i = 0; i < r->a->size; i++) {
        if (zl_reader_charge(ctx, r, i)) return ZLAY_ENOMEM;
        if (!zl_reader_value(r, i, &value)) continue;
        if (value < 0)
            return zl_fail(ctx, ZLAY_NONE, "index %llu has the value %lld, which is no index",
                           (unsigned long long)i, (long long)value);
        *span = (uint64_t)value >= *span ? (uint64_t)value + 1 : *span;
    }
    return ZLAY_OK;
}

static zlay_status left_table(zlay_ctx *ctx, zl_table *t, const zl_value_reader *r)
{
    int64_t value;
    for (uint64_t i = 0; i < r->a->size; i++) {
        if (zl_reader_charge(ctx, r, i)) return ZLAY_ENOMEM;
        if (!zl_reader_value(r, i, &value)) continue;
        if (t->there[value])
            return zl_fail(ctx, ZLAY_NONE, "indices %lld and %llu have the one value %lld",
                           (long long)t->value[value], (unsigned long long)i, (long long)value);
        zl_table_set(t, (uint64_t)value, (int64_t)i);
    }
    return ZLAY_OK;
}

static zlay_status left_of_values(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zl_table t = {0};
    zl_value_reader r;
    uint64_t span;
    if (a->size > zl_limits(ctx)->points)
        return zl_fail(ctx, ZLAY_ELIMIT, "limits.points is %llu and the layout has %llu",
                       (unsigned long long)zl_limits(ctx)->points, (unsigned long long)a->size);
    zlay_status status = zl_reader_begin(ctx, &r, a);
    if (!status) status = left_span(ctx, &r, &span);
    if (!status) status = zl_table_new(ctx, &t, span);
    if (!status) status = left_table(ctx, &t, &r);
    if (!status) status = zl_cheapest_line(ctx, out, &t);
    zl_table_free(&t);
    zl_reader_end(&r);
    return status;
}

static zlay_status left_inverse(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    terms t;
    if (!a) return zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    if (zl_parameter(a)) return zl_without_parameters(ctx, a);
    zlay_status status = ZLAY_NONE;
    if (terms_of(ctx, &t, a)) status = left_of_terms(ctx, out, &t);
    return status == ZLAY_NONE ? left_of_values(ctx, out, a) : status;
}

zlay_status zlay_layout_left_inverse(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, left_inverse(ctx, out, a));
}
