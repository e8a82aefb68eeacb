/* SPDX-License-Identifier: Apache-2.0 */
/* CuTe's composition, and the proof that it is the composition. */
#include "algebra/ops/compose.h"

#include <string.h>

bool zl_work_at(const void *work, uint64_t index, int64_t *value)
{
    const zl_work *w = work;
    return zl_at_integer(w->a, zl_at(w->b, index), value);
}

enum { DIGITS_OWN = 16 };

/* The coordinates that a's modes receive, least and greatest: each within its bounds means that no
 * sum carries, and then a(sum) is the sum of what a gives for each part. */
typedef struct digits {
    int64_t (*span)[2], own[DIGITS_OWN][2];
    bool exact; /* the parts of each stride of b have the weights of a's modes */
} digits;

static inline void spread(digits *d, size_t mode, int64_t step, int64_t count)
{
    int64_t reach;
    int64_t *end = &d->span[mode][step > 0];
    if (!zl_mul(step, count - 1, &reach) || !zl_add(*end, reach, end)) d->exact = false;
}

/* Of numbers that are not negative; a division of 32 bits takes half of the time. */
static int64_t divide(int64_t a, int64_t b, int64_t *rest)
{
    bool narrow = ((uint64_t)a | (uint64_t)b) >> 32 == 0;
    int64_t q = narrow ? (int64_t)((uint32_t)a / (uint32_t)b) : a / b;
    *rest = a - q * b;
    return q;
}

/* What is left of an extent and a stride of b after a's first modes.  Where a division had a
 * remainder, what is placed from then on has not the weights of a's modes: without one, stride of
 * b * points placed = step * weight of the mode, the product of the extents before it. */
typedef struct rest {
    int64_t shape, stride, sign;
    bool ragged;
} rest;

static inline zlay_status place(zl_work *w, zl_modes *out, digits *d, size_t mode, int64_t count,
                                const rest *r)
{
    int64_t step = r->stride * r->sign, reach;
    if (!zl_mul(step, w->mode[mode].stride, &reach)) {
        if (count > 1) return ZLAY_NONE;
        reach = 0;
    }
    if (count > 1) {
        if (r->ragged) d->exact = false;
        spread(d, mode, step, count);
    }
    return zl_modes_leaf(out, count, reach);
}

/* CuTe's fold over modes of a that the stride of b passes whole; ZLAY_NONE where it does not
 * divide. */
static inline zlay_status pass(const zl_work *w, size_t *mode, rest *r)
{
    size_t i = *mode, last = w->modes - 1;
    for (; i < last && r->stride >= w->mode[i].shape; i++) {
        int64_t over;
        r->stride = divide(r->stride, w->mode[i].shape, &over);
        if (!over) continue;
        if (r->sign > 0) return ZLAY_NONE;
        r->stride++;
        r->ragged = true;
    }
    *mode = i;
    return ZLAY_OK;
}

/* Its step on a mode that the stride falls into; ZLAY_NONE where the extent of b does not
 * divide. */
static inline zlay_status fold(zl_work *w, zl_modes *out, digits *d, size_t mode, rest *r)
{
    int64_t over = 0, count = w->mode[mode].shape, left = 1, uneven = 0;
    zlay_status status = ZLAY_OK;
    count = divide(count, r->stride, &over);
    count += over != 0;
    if (r->shape > 1) {
        if (count >= r->shape) count = r->shape;
        else left = divide(r->shape, count, &uneven);
        if (uneven) return ZLAY_NONE;
        status = place(w, out, d, mode, count, r);
        r->shape = left;
    }
    r->stride = 1;
    r->ragged |= over != 0;
    return status;
}

static zlay_status compose_mode(zl_work *w, zl_modes *out, digits *d, const zl_mode *b)
{
    size_t first = out->count, last = w->modes - 1, i = 0;
    int64_t sign = b->stride < 0 ? -1 : 1;
    if (!b->stride) return zl_modes_leaf(out, b->shape, 0);
    if (b->stride == INT64_MIN) return ZLAY_NONE;
    rest r = {b->shape, b->stride * sign, sign, false};
    zlay_status status = pass(w, &i, &r);
    for (; i < last && !status && (r.shape > 1 || r.stride > 1); i++)
        status = fold(w, out, d, i, &r);
    if (status) return status;
    if (r.shape > 1 || out->count == first) status = place(w, out, d, last, r.shape, &r);
    if (!status && out->count > first + 1) zl_modes_wrap(out, first);
    return status;
}

static zlay_status start_digits(zl_work *w, digits *d)
{
    int64_t left = w->b->offset;
    size_t count = w->modes;
    d->exact = true;
    d->span = count > DIGITS_OWN ? zl_alloc(w->ctx, count, sizeof *d->span) : d->own;
    if (!d->span) return ZLAY_ENOMEM;
    memset(d->span, 0, count * sizeof *d->span);
    for (size_t i = 0; left; i++) {
        bool last = i + 1 == count;
        d->span[i][0] = d->span[i][1] = last ? left : left % w->mode[i].shape;
        left = last ? 0 : left / w->mode[i].shape;
    }
    return ZLAY_OK;
}

static void end_digits(zl_work *w, digits *d)
{
    if (d->span == d->own) return;
    zlay_allocator alloc = zl_allocator(w->ctx);
    zl_free(&alloc, d->span, w->modes * sizeof *d->span);
}

/* Every mode but the last within its bounds, for the sign that is given. */
static inline bool within(const zl_work *w, const digits *d, int64_t sign)
{
    size_t last = w->modes - 1;
    if (sign > 0 ? d->span[last][0] < 0 : d->span[last][1] > 0) return false;
    for (size_t i = 0; i < last; i++) {
        int64_t bound = w->mode[i].shape - 1, low = sign > 0 ? 0 : -bound;
        if (d->span[i][0] < low || d->span[i][1] > low + bound) return false;
    }
    return true;
}

/* Within bounds as they are, or mirrored: a goes on to negative integers as an odd function. */
static bool carries(const zl_work *w, const digits *d)
{
    return w->modes > 1 && !within(w, d, 1) && !within(w, d, -1);
}

/* From the last index down, for what CuTe leaves out are the carries into a's later modes. */
static bool agrees(const zl_work *w, const zl_modes *m)
{
    zlay_layout sum = {.table = &zl_strided_kind, .kind = ZLAY_LAYOUT_STRIDED,
                       .offset = m->offset, .modes = m->count, .mode = m->at,
                       .size = w->b->size};
    int64_t value;
    if (w->b->size > zl_limits(w->ctx)->points) return false;
    for (uint64_t i = w->b->size; i-- > 0;)
        if (!zl_work_at(w, i, &value) || value != zl_at(&sum, i)) return false;
    return true;
}

static zlay_status compose_all(zl_work *w, zl_modes *out, digits *d)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < w->b->modes && !status; i++) {
        size_t first = out->count;
        if ((status = compose_mode(w, out, d, &w->b->mode[i]))) return status;
        out->at[first].open += w->b->mode[i].open;
        out->at[out->count - 1].close += w->b->mode[i].close;
    }
    return status;
}

zlay_status zl_compose_cute(zl_work *w, zl_modes *out)
{
    digits d;
    int64_t least, greatest;
    out->offset = w->a->offset;
    if (w->b->offset && !zl_at_integer(w->a, w->b->offset, &out->offset)) return ZLAY_NONE;
    zlay_status status = start_digits(w, &d);
    if (status) return status;
    status = compose_all(w, out, &d);
    bool fits = !status && zl_modes_range(out->at, out->count, out->offset, &least, &greatest);
    bool proved = fits && d.exact && !carries(w, &d);
    end_digits(w, &d);
    if (status) return status;
    return proved || (fits && agrees(w, out)) ? ZLAY_OK : ZLAY_NONE;
}
