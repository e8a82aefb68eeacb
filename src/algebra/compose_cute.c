/* SPDX-License-Identifier: Apache-2.0 */
/* CuTe's composition, and the proof that it is the composition. */
#include "algebra/compose.h"

enum { DIGITS_OWN = 16 };

/* The coordinates that a's modes receive, least and greatest: each within its bounds means that no
 * sum carries, and then a(sum) is the sum of what a gives for each part. */
typedef struct digits {
    int64_t (*span)[2], own[DIGITS_OWN][2];
    bool exact; /* the parts of each stride of b have the weights of a's modes */
} digits;

static void spread(digits *d, size_t mode, int64_t step, int64_t count)
{
    int64_t reach;
    int64_t *end = &d->span[mode][step > 0];
    if (!zl_mul(step, count - 1, &reach) || !zl_add(*end, reach, end)) d->exact = false;
}

static void weigh(digits *d, int64_t stride, int64_t done, int64_t step, int64_t weight)
{
    int64_t wanted, got;
    if (!zl_mul(stride, done, &wanted) || !zl_mul(step, weight, &got) || wanted != got)
        d->exact = false;
}

static int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/* What is left of an extent and a stride of b after a's first modes. */
typedef struct rest {
    int64_t shape, stride;
    int64_t done, weight; /* points placed; index step of the mode of a that comes next */
    int64_t sign;
} rest;

static zlay_status place(zl_work *w, zl_modes *out, digits *d, size_t mode, int64_t count, rest *r,
                         int64_t stride)
{
    int64_t step = r->stride * r->sign, reach = 0;
    bool fits = zl_mul(step, w->flat.at[mode].stride, &reach);
    if (!fits && count > 1) return ZLAY_NONE;
    if (count > 1) {
        weigh(d, stride, r->done, step, r->weight);
        spread(d, mode, step, count);
    }
    r->done *= count;
    r->shape /= count;
    return zl_modes_leaf(out, count, fits ? reach : 0);
}

/* One step of CuTe's fold; ZLAY_NONE where its divisibility conditions fail. */
static zlay_status fold(zl_work *w, zl_modes *out, digits *d, size_t mode, rest *r, int64_t stride)
{
    int64_t extent = w->flat.at[mode].shape;
    int64_t next_shape = ceil_div(extent, r->stride), next_stride = ceil_div(r->stride, extent);
    zlay_status status = ZLAY_OK;
    if (r->sign > 0 && r->stride % extent && r->stride > extent) return ZLAY_NONE;
    if (next_shape > 1 && r->shape > 1) {
        int64_t count = next_shape < r->shape ? next_shape : r->shape;
        if (r->shape % count) return ZLAY_NONE;
        status = place(w, out, d, mode, count, r, stride);
    }
    r->stride = next_stride;
    if (!zl_mul(r->weight, extent, &r->weight)) r->weight = 0;
    return status;
}

static zlay_status compose_mode(zl_work *w, zl_modes *out, digits *d, const zl_mode *b)
{
    size_t first = out->count, last = w->flat.count - 1;
    int64_t sign = b->stride < 0 ? -1 : 1;
    zlay_status status = ZLAY_OK;
    if (!b->stride) return zl_modes_leaf(out, b->shape, 0);
    if (b->stride == INT64_MIN) return ZLAY_NONE;
    rest r = {b->shape, b->stride * sign, 1, 1, sign};
    for (size_t i = 0; i < last && !status; i++) status = fold(w, out, d, i, &r, b->stride);
    if (status) return status;
    if (r.shape > 1 || out->count == first) status = place(w, out, d, last, r.shape, &r, b->stride);
    if (!status && out->count > first + 1) zl_modes_wrap(out, first);
    return status;
}

static zlay_status start_digits(zl_work *w, digits *d)
{
    int64_t left = w->b->offset;
    size_t count = w->flat.count;
    d->exact = true;
    d->span = count > DIGITS_OWN ? zl_alloc(w->ctx, count, sizeof *d->span) : d->own;
    if (!d->span) return ZLAY_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        bool last = i + 1 == count;
        d->span[i][0] = d->span[i][1] = last ? left : left % w->flat.at[i].shape;
        left = last ? 0 : left / w->flat.at[i].shape;
    }
    return ZLAY_OK;
}

static void end_digits(zl_work *w, digits *d)
{
    zlay_allocator alloc = zl_allocator(w->ctx);
    if (d->span != d->own) zl_free(&alloc, d->span, w->flat.count * sizeof *d->span);
}

/* Within bounds as they are, or mirrored: a goes on to negative integers as an odd function. */
static bool carries(const zl_work *w, const digits *d)
{
    size_t last = w->flat.count - 1;
    bool up = d->span[last][0] >= 0, down = d->span[last][1] <= 0;
    if (!last) return false;
    for (size_t i = 0; i < last; i++) {
        int64_t bound = w->flat.at[i].shape - 1;
        up = up && d->span[i][0] >= 0 && d->span[i][1] <= bound;
        down = down && d->span[i][1] <= 0 && d->span[i][0] >= -bound;
    }
    return !up && !down;
}

static bool agrees(const zl_work *w, const zl_modes *m)
{
    zlay_layout sum = {.kind = ZLAY_LAYOUT_STRIDED, .offset = m->offset, .modes = m->count,
                       .mode = m->at, .size = w->b->size};
    int64_t value;
    if (w->b->size > zl_limits(w->ctx)->points) return false;
    for (uint64_t i = 0; i < w->b->size; i++)
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
    if (!zl_at_integer(w->a, w->b->offset, &out->offset)) return ZLAY_NONE;
    zlay_status status = start_digits(w, &d);
    if (status) return status;
    status = compose_all(w, out, &d);
    bool fits = !status && zl_modes_range(out->at, out->count, out->offset, &least, &greatest);
    bool proved = fits && d.exact && !carries(w, &d);
    end_digits(w, &d);
    if (status) return status;
    return proved || (fits && agrees(w, out)) ? ZLAY_OK : ZLAY_NONE;
}
