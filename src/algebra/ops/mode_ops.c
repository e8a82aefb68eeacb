/* SPDX-License-Identifier: Apache-2.0 */
/* Modes flattened, grouped, fixed and kept.  A kind without modes of its own takes the same out of
 * the modes of its box, whose values are its index, and is composed with what is left. */
#include "algebra/find/find.h"
#include "base/scan.h"
#include "algebra/ops/cute.h"

typedef zlay_status change(zl_modes *out, const zl_modes *in, void *env);

static zlay_status of_modes(zl_modes *m, const zlay_layout *a)
{
    zl_modes box;
    if (a->modes) return zl_modes_append(m, a->mode, a->modes);
    zl_modes_begin(&box, m->ctx);
    zlay_status status = zl_layout_box(&box, a);
    if (!status) status = zl_weights(m, &box, 1);
    zl_modes_end(&box);
    return status;
}

/* What was made of a's modes, or of its index. */
static zlay_status changed(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, zl_modes *m)
{
    zlay_layout order;
    if (a->modes) {
        if (!zl_add(m->offset, a->offset, &m->offset))
            return zl_fail(ctx, ZLAY_EOVERFLOW, "the offset does not fit 64 bits");
        zlay_status status = zl_layout_strided(ctx, out, m, a->swizzle);
        return status ? status : zl_simplify(ctx, out);
    }
    zlay_status status = zl_layout_over(ctx, &order, m);
    return status ? status : zl_compose(ctx, out, a, &order);
}

static zlay_status apply(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, change *make,
                         void *env)
{
    zl_modes in, m;
    zlay_status status = zl_without_parameters(ctx, a);
    if (status) return status;
    zl_modes_begin(&in, ctx);
    zl_modes_begin(&m, ctx);
    status = of_modes(&in, a);
    if (!status) status = make(&m, &in, env);
    if (!status) status = changed(ctx, out, a, &m);
    zl_modes_end(&m);
    zl_modes_end(&in);
    return status;
}

/* ---- flat, grouped ------------------------------------------------------------------------- */

static zlay_status flatten(zl_modes *out, const zl_modes *in, void *env)
{
    zlay_status status = ZLAY_OK;
    (void)env;
    for (size_t i = 0; i < in->count && !status; i++)
        status = zl_modes_leaf(out, in->at[i].shape, in->at[i].stride);
    if (in->at[0].open) zl_modes_wrap(out, 0);
    return status;
}

zlay_status zlay_layout_flatten(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, apply(ctx, out, a, flatten, NULL));
}

typedef struct range {
    size_t begin, end;
} range;

static zlay_status group(zl_modes *out, const zl_modes *in, void *env)
{
    const range *r = env;
    size_t parts = zl_parts_count(in->at, in->count), first = 0;
    zlay_status status = ZLAY_OK;
    if (r->begin >= r->end || r->end > parts)
        return zl_fail(out->ctx, ZLAY_EINVAL, "modes %zu to %zu of a layout of %zu", r->begin,
                       r->end, parts);
    for (size_t k = 0; k < parts && !status; k++) {
        if (k == r->begin) first = out->count;
        status = zl_parts_take(out, in->at, in->count, k);
        if (k + 1 == r->end) zl_modes_wrap(out, first);
    }
    zl_modes_wrap(out, 0);
    return status;
}

zlay_status zlay_layout_group(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t begin,
                              size_t end)
{
    range r = {begin, end};
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, apply(ctx, out, a, group, &r));
}

/* ---- by a coordinate with blanks ----------------------------------------------------------- */

typedef struct cut {
    const char *text;
    size_t length;
    bool dice; /* keep the modes that the coordinate fixes, not the blanks */
    zl_cursor c;
    uint64_t depth;
} cut;

static zlay_status fix(cut *t, zl_modes *out, const zl_modes *part)
{
    uint64_t index, size = 1, left;
    zlay_status status = zl_cursor_unsigned(&t->c, &index);
    if (status) return status;
    for (size_t i = 0; i < part->count; i++) size = zl_umul_sat(size, (uint64_t)part->at[i].shape);
    if (index >= size)
        return zl_cursor_refuse(&t->c, ZLAY_EINVAL, t->c.at,
                                "%llu is outside a mode of %llu points", (unsigned long long)index,
                                (unsigned long long)size);
    if (t->dice) return zl_modes_append(out, part->at, part->count);
    left = index;
    for (size_t i = 0; i < part->count; i++) {
        int64_t reach, digit = (int64_t)(left % (uint64_t)part->at[i].shape);
        left /= (uint64_t)part->at[i].shape;
        if (!zl_mul(digit, part->at[i].stride, &reach) || !zl_add(out->offset, reach, &out->offset))
            return zl_fail(t->c.ctx, ZLAY_EOVERFLOW, "the offset does not fit 64 bits");
    }
    return ZLAY_OK;
}

static zlay_status walk(cut *t, zl_modes *out, const zl_modes *part);

static zlay_status walk_parts(cut *t, zl_modes *out, const zl_modes *part, char close)
{
    size_t parts = zl_parts_count(part->at, part->count);
    zlay_status status = ZLAY_OK;
    for (size_t k = 0; k < parts && !status; k++) {
        zl_modes one;
        zl_modes_begin(&one, t->c.ctx);
        if (k) status = zl_cursor_want(&t->c, ',');
        if (!status) status = zl_parts_take(&one, part->at, part->count, k);
        if (!status) status = walk(t, out, &one);
        zl_modes_end(&one);
    }
    return status ? status : zl_cursor_want(&t->c, close);
}

/* As deep as limits.nesting: a part of the coordinate and its part of the layout. */
static zlay_status walk(cut *t, zl_modes *out, const zl_modes *part)
{
    uint64_t limit = zl_limits(t->c.ctx)->nesting;
    bool round = zl_cursor_peek(&t->c) == '(';
    if (zl_cursor_at_integer(&t->c)) return fix(t, out, part);
    if (zl_cursor_take(&t->c, '_'))
        return t->dice ? ZLAY_OK : zl_modes_append(out, part->at, part->count);
    if (!round && zl_cursor_peek(&t->c) != '[')
        return zl_cursor_fail(&t->c, "an integer, _ or a tuple of them");
    if (t->depth++ >= limit)
        return zl_of_input(t->c.ctx, zl_fail(t->c.ctx, ZLAY_ELIMIT,
                                             "limits.nesting is %llu and the coordinate is deeper",
                                             (unsigned long long)limit));
    zl_cursor_take(&t->c, round ? '(' : '[');
    zlay_status status = walk_parts(t, out, part, round ? ')' : ']');
    t->depth--;
    return status;
}

static zlay_status cut_modes(zl_modes *out, const zl_modes *in, void *env)
{
    cut *t = env;
    zlay_status status = zl_cursor_begin(&t->c, out->ctx, t->text, t->length);
    if (status) return status;
    bool tuple = zl_cursor_peek(&t->c) == '(' || zl_cursor_peek(&t->c) == '[';
    status = walk(t, out, in);
    if (!status) status = zl_cursor_end(&t->c);
    if (!status && !out->count) return zl_modes_leaf(out, 1, 0);
    if (!status && tuple) zl_modes_wrap(out, 0);
    return status;
}

static zlay_status cut_layout(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, cut *t)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, apply(ctx, out, a, cut_modes, t));
}

zlay_status zlay_layout_slice_at(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                 const char *coordinate, size_t length)
{
    cut t = {.text = coordinate, .length = length};
    return cut_layout(ctx, out, a, &t);
}

zlay_status zlay_layout_dice(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                             const char *coordinate, size_t length)
{
    cut t = {.text = coordinate, .length = length, .dice = true};
    return cut_layout(ctx, out, a, &t);
}
