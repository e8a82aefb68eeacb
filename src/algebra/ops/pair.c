/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/find/find.h"
#include "algebra/ops/cute.h"
#include "algebra/find/finish.h"
#include "algebra/ops/symbolic/ops.h"

static bool is_sum(const zlay_layout *a) { return a->modes && !a->swizzle.bits; }

static zlay_status pair_strided(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const zlay_layout *b)
{
    zl_modes m;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_modes_append(&m, a->mode, a->modes);
    if (!status) status = zl_modes_append(&m, b->mode, b->modes);
    zl_modes_wrap(&m, 0);
    if (!status && !zl_add(a->offset, b->offset, &m.offset))
        status = zl_fail(ctx, ZLAY_EOVERFLOW, "the sum of the offsets does not fit 64 bits");
    if (!status) status = zl_layout_strided(ctx, out, &m, b->swizzle);
    zl_modes_end(&m);
    return status;
}

static zlay_status sums(zl_table *t, const zlay_layout *a, const zlay_layout *b)
{
    int64_t x, y, sum;
    for (uint64_t j = 0; j < b->size; j++) {
        if (zl_charge_values(t->ctx, a, a->size)) return ZLAY_ENOMEM;
        if (!zl_value(b, j, &y)) continue;
        for (uint64_t i = 0; i < a->size; i++) {
            if (!zl_value(a, i, &x)) continue;
            if (!zl_add(x, y, &sum))
                return zl_fail(t->ctx, ZLAY_EOVERFLOW, "a sum of values does not fit 64 bits");
            zl_table_set(t, i + a->size * j, sum);
        }
    }
    return ZLAY_OK;
}

static zlay_status pair_values(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_layout *b)
{
    zl_table t;
    zl_modes box;
    zl_modes_begin(&box, ctx);
    zlay_status status = zl_table_new(ctx, &t, zl_umul_sat(a->size, b->size));
    if (!status) status = sums(&t, a, b);
    if (!status) status = zl_layout_box(&box, a);
    if (!status) status = zl_layout_box(&box, b);
    zl_modes_wrap(&box, 0);
    if (!status) status = zl_cheapest(ctx, out, &t, &box, NULL, NULL);
    zl_table_free(&t);
    zl_modes_end(&box);
    return status;
}

/* ---- the sum of two layouts of one output by their rows: as many pieces as theirs together ----
 */

typedef struct second {
    const zlay_layout *b;
    zl_quasi at, first; /* the index of b; what a is there */
} second;

static zlay_status put_sum(zl_draft *d, const zl_quasi *values, void *env)
{
    const second *s = env;
    zl_quasi sum = s->first;
    zlay_status status = zl_quasi_add(&d->w, &sum, values, 1);
    return status ? status : zl_draft_piece(d, &sum);
}

static zlay_status then_b(zl_draft *d, const zl_quasi *values, void *env)
{
    second *s = env;
    s->first = *values;
    return zl_draft_walk(d, s->b, &s->at, 1, put_sum, s);
}

static zlay_status walk_both(zl_draft *d, const zlay_layout *a, const zlay_layout *b)
{
    zl_quasi at;
    second s = {.b = b};
    if (d->w.dims != 2) return ZLAY_NONE;
    zl_quasi_set(&at, 0);
    zl_quasi_set(&s.at, 0);
    if (d->extent[0] > 1) zl_draft_coordinate(d, &at, 0);
    if (d->extent[1] > 1) zl_draft_coordinate(d, &s.at, 1);
    d->claims.outs = 1;
    return zl_draft_walk(d, a, &at, 1, then_b, &s);
}

static zlay_status pair_rows(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                             const zlay_layout *b)
{
    zl_modes box;
    zl_draft *d;
    zl_mark mark = zl_scratch_mark(ctx);
    zl_result_shape shape = {&box, NULL, NULL, false};
    zl_modes_begin(&box, ctx);
    zlay_status status = zl_layout_box(&box, a);
    if (!status) status = zl_layout_box(&box, b);
    zl_modes_wrap(&box, 0);
    if (!status) status = zl_draft_of_box(ctx, &d, &box);
    if (!status) status = walk_both(d, a, b);
    if (!status) status = zl_draft_finish(d, out, &shape, a->partial || b->partial);
    zl_scratch_release(ctx, mark);
    zl_modes_end(&box);
    return status;
}

static bool has_rows(const zlay_layout *a)
{
    return is_sum(a) || (zl_is_pieces(a) && !a->pieces.params && a->pieces.outs == 1);
}

/* Rows give few pieces; where they grow past a limit the values are searched. */
static zlay_status pair_any(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                            const zlay_layout *b)
{
    zlay_status status = has_rows(a) && has_rows(b) ? pair_rows(ctx, out, a, b) : ZLAY_NONE;
    bool again = status == ZLAY_NONE || status == ZLAY_ELIMIT || status == ZLAY_EOVERFLOW;
    return again ? pair_values(ctx, out, a, b) : status;
}

/* a's values are in [0, 2^k), b's sums multiples of 2^k, and b's swizzle leaves the low k bits:
 * then Sw(a + b) = a + Sw(b), for no sum carries. */
static bool joins(const zlay_layout *a, const zlay_layout *b)
{
    int64_t least, greatest;
    if (!is_sum(a) || !b->modes) return false;
    zl_modes_range(a->mode, a->modes, a->offset, &least, &greatest);
    uint64_t steps = (uint64_t)b->offset | (uint64_t)1 << b->swizzle.base;
    for (size_t i = 0; i < b->modes; i++)
        if (b->mode[i].shape > 1) steps |= (uint64_t)b->mode[i].stride;
    return least >= 0 && greatest >> __builtin_ctzll(steps) == 0;
}

zlay_status zl_pair(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const zlay_layout *b)
{
    if (is_sum(a) && is_sum(b)) return pair_strided(ctx, out, a, b);
    if (joins(a, b)) {
        zlay_status status = pair_strided(ctx, out, a, b);
        return status ? status : zl_simplify(ctx, out);
    }
    return pair_any(ctx, out, a, b);
}

zlay_status zl_arrange_pair(zlay_ctx *ctx, zlay_layout **layout, zlay_arrangement arrangement)
{
    if (arrangement >= ZLAY_TILED && (*layout)->symbols)
        return zl_symbols_arrange(ctx, layout, arrangement);
    return zl_arrange_strided(ctx, layout, arrangement);
}

zlay_status zl_weights(zl_modes *out, const zl_modes *box, uint64_t weight)
{
    size_t first = out->count;
    zlay_status status = zl_modes_append(out, box->at, box->count);
    for (size_t i = first; i < out->count && !status; i++) {
        out->at[i].stride = out->at[i].shape > 1 ? (int64_t)weight : 0;
        weight = zl_umul_sat(weight, (uint64_t)out->at[i].shape);
    }
    if (status || weight <= INT64_MAX) return status;
    return zl_fail(out->ctx, ZLAY_EOVERFLOW, "an index does not fit 64 bits");
}

/* ---- under a swizzle --------------------------------------------------------------------- */

/* x -> Sw(offset + x) after a layout of any kind: one mode goes on for ever. */
static zlay_status dress_any(zlay_ctx *ctx, zlay_layout **layout, const zlay_layout *a)
{
    zlay_layout *under = *layout, line;
    zl_modes m;
    *layout = NULL;
    zl_modes_begin(&m, ctx);
    m.offset = a->offset;
    zlay_status status = zl_modes_leaf(&m, 1, 1);
    if (!status) status = zl_layout_over(ctx, &line, &m);
    if (!status) {
        line.swizzle = a->swizzle;
        line.kind = a->kind;
        status = zl_compose(ctx, layout, &line, under);
    }
    zl_modes_end(&m);
    zlay_layout_free(under);
    return status;
}

/* The offset and the swizzle of a around a layout that was made of what is under them. */
zlay_status zl_dress(zlay_ctx *ctx, zlay_layout **layout, const zlay_layout *a)
{
    zlay_layout *under = *layout;
    zl_modes m;
    if (zl_is_plain(a)) return ZLAY_OK;
    if (!under->modes || under->swizzle.bits) return dress_any(ctx, layout, a);
    *layout = NULL;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_modes_append(&m, under->mode, under->modes);
    if (!status && !zl_add(under->offset, a->offset, &m.offset))
        status = zl_fail(ctx, ZLAY_EOVERFLOW, "the offset does not fit 64 bits");
    if (!status) status = zl_layout_strided(ctx, layout, &m, a->swizzle);
    zl_modes_end(&m);
    zlay_layout_free(under);
    return status ? status : zl_simplify(ctx, layout);
}
