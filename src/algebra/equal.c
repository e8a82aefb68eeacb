/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/layout.h"

/* What the ladder hands from rung to rung. */
typedef struct pair {
    zlay_ctx *ctx;
    const zlay_layout *a, *b;
    zlay_answer answer;
    zlay_witness witness;
} pair;

static void differ(pair *p, uint64_t index)
{
    p->answer = ZLAY_NO;
    p->witness = (zlay_witness){index, zl_at(p->a, index), zl_at(p->b, index), p->a->size,
                                p->b->size};
}

static zlay_status sizes(pair *p, bool *decided)
{
    *decided = p->a->size != p->b->size;
    if (!*decided) return ZLAY_OK;
    p->answer = ZLAY_NO;
    p->witness = (zlay_witness){0, 0, 0, p->a->size, p->b->size};
    return ZLAY_OK;
}

/* The first index where two coalesced layouts part.  The coalesced form is unique: each extent is
 * where the progression of its stride first breaks. */
static bool first_break(const zl_modes *a, const zl_modes *b, uint64_t *index)
{
    uint64_t step = 1;
    *index = 0;
    if (a->offset != b->offset) return true;
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        int64_t m = a->at[i].shape, n = b->at[i].shape;
        *index = step;
        if (a->at[i].stride != b->at[i].stride) return true;
        *index = step * (uint64_t)(m < n ? m : n);
        if (m != n) return true;
        step *= (uint64_t)m;
    }
    return false;
}

/* One bijection after both changes nothing, so layouts of one swizzle compare as strided. */
static zlay_status closed_form(pair *p, bool *decided)
{
    const zl_swizzle *s = &p->a->swizzle, *t = &p->b->swizzle;
    zl_modes a, b;
    uint64_t index;
    *decided = false;
    if (!p->a->modes || !p->b->modes) return ZLAY_OK;
    if (s->bits != t->bits || s->base != t->base || s->shift != t->shift) return ZLAY_OK;
    zl_modes_begin(&a, p->ctx);
    zl_modes_begin(&b, p->ctx);
    a.offset = p->a->offset;
    b.offset = p->b->offset;
    zlay_status status = zl_coalesce_modes(&a, p->a->mode, p->a->modes, false);
    if (!status) status = zl_coalesce_modes(&b, p->b->mode, p->b->modes, false);
    *decided = !status;
    p->answer = ZLAY_YES;
    if (*decided && first_break(&a, &b, &index)) differ(p, index);
    zl_modes_end(&b);
    zl_modes_end(&a);
    return zl_unless_limit(p->ctx, status);
}

static zlay_status affine(pair *p, bool *decided)
{
    zl_affine a, b;
    *decided = zl_affine_of(&a, p->a) && zl_affine_of(&b, p->b);
    if (!*decided) return ZLAY_OK;
    p->answer = ZLAY_YES;
    if (a.constant != b.constant) differ(p, 0);
    for (unsigned k = 0; k < a.bits && p->answer; k++)
        if (a.basis[k] != b.basis[k]) differ(p, (uint64_t)1 << k);
    return ZLAY_OK;
}

static zlay_status points(pair *p, bool *decided)
{
    uint64_t limit = zl_limits(p->ctx)->points, size = p->a->size;
    *decided = true;
    p->answer = size <= limit ? ZLAY_YES : ZLAY_UNDECIDED;
    for (uint64_t i = 0; i < size && i < limit; i++)
        if (zl_at(p->a, i) != zl_at(p->b, i)) return differ(p, i), ZLAY_OK;
    if (p->answer == ZLAY_UNDECIDED)
        zl_fail(p->ctx, ZLAY_OK, "limits.points is %llu and the layouts have %llu",
                (unsigned long long)limit, (unsigned long long)size);
    return ZLAY_OK;
}

/* Cheapest first; the last rung always decides, if only that it is undecided. */
static zlay_status (*const ladder[])(pair *p, bool *decided) = {sizes, closed_form, affine, points};

static zlay_status climb(pair *p)
{
    bool decided = false;
    zlay_status status = ZLAY_OK;
    if (!p->a || !p->b) return zl_fail(p->ctx, ZLAY_EINVAL, "a layout is NULL");
    for (size_t i = 0; i < ZL_COUNT(ladder) && !decided && !status; i++)
        status = ladder[i](p, &decided);
    return status;
}

zlay_status zlay_layout_equal(zlay_ctx *ctx, zlay_answer *answer, zlay_witness *witness,
                              const zlay_layout *a, const zlay_layout *b)
{
    pair p = {.ctx = ctx, .a = a, .b = b};
    if (!answer) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    if (!(status = climb(&p))) {
        *answer = p.answer;
        if (witness && p.answer == ZLAY_NO) *witness = p.witness;
    }
    return zl_leave(ctx, status);
}
