/* SPDX-License-Identifier: Apache-2.0 */
/* The complement of a strided layout: CuTe's, mode by mode.  Where a stride begins inside the span
 * of smaller ones there may be none: two indices of one value are then found by sorting. */
#include "algebra/layout/layout.h"
#include "algebra/ops/cute.h"

/* ---- two indices of one value ----------------------------------------------------- */

typedef struct point {
    int64_t value;
    uint64_t index;
} point;

enum { DIGIT = 11, DIGITS = 1 << DIGIT }; /* bits of a value that one pass sorts by */

/* From `p` to `q` by one digit; points of one digit stay in their order. */
static void sort_digit(point *q, const point *p, uint64_t count, unsigned shift)
{
    uint64_t at[DIGITS + 1] = {0};
    for (uint64_t i = 0; i < count; i++) at[((uint64_t)p[i].value >> shift) % DIGITS + 1]++;
    for (size_t d = 1; d < DIGITS; d++) at[d] += at[d - 1];
    for (uint64_t i = 0; i < count; i++) q[at[((uint64_t)p[i].value >> shift) % DIGITS]++] = p[i];
}

/* By value, then by index, in which order the points come: radix sort from the least digit.  No
 * value is negative.  Returns which of the two arrays has them. */
static point *sort_points(point *p, point *q, uint64_t count)
{
    uint64_t set = 0;
    for (uint64_t i = 0; i < count; i++) set |= (uint64_t)p[i].value;
    for (unsigned shift = 0; shift < 63 && set >> shift; shift += DIGIT) {
        point *held = p;
        sort_digit(q, p, count, shift);
        p = q;
        q = held;
    }
    return p;
}

/* Points that differ in modes of stride 0 alone are one: CuTe's filter drops those modes. */
static bool is_first(const zlay_layout *b, uint64_t index)
{
    for (size_t i = 0; i < b->modes; i++) {
        uint64_t extent = (uint64_t)b->mode[i].shape;
        if (!b->mode[i].stride && index % extent) return false;
        index /= extent;
    }
    return true;
}

static uint64_t list_points(point *p, const zlay_layout *b)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < b->size; i++)
        if (is_first(b, i)) p[count++] = (point){zl_at(b, i), i};
    return count;
}

static zlay_status overlap(zlay_ctx *ctx, uint64_t i, uint64_t j, int64_t value)
{
    return zl_fail(ctx, ZLAY_NONE, "the layout overlaps itself: indices %llu and %llu have %lld",
                   (unsigned long long)i, (unsigned long long)j, (long long)value);
}

static zlay_status interleaved(zlay_ctx *ctx, const zl_mode *m)
{
    return zl_fail(ctx, ZLAY_ENOTSUP,
                   "mode %lld:%lld steps inside the span of smaller strides without overlap; "
                   "no strided complement is known",
                   (long long)m->shape, (long long)m->stride);
}

/* Let d be the stride before m's, s, with s inside the span of d: s = q d + r, r < d.  Where all
 * integers below d are reached, r = p + c by a value p of modes before d's and a shift c; then
 * q d + p is a value too, and the shift c takes it to s, which is a value: they collide, or c is 0
 * and two indices have s. */
static zlay_status met_again(zlay_ctx *ctx, const zlay_layout *b, const zl_mode *m, int64_t d)
{
    uint64_t index = 1;
    for (size_t i = 0; b->mode[i].shape != m->shape || b->mode[i].stride != m->stride; i++)
        index *= (uint64_t)b->mode[i].shape;
    return zl_fail(ctx, ZLAY_NONE,
                   "index %llu has %lld, inside the span of stride %lld: a shift below that, which "
                   "reaches one of the integers below it, takes another value to %lld too",
                   (unsigned long long)index, (long long)m->stride, (long long)d,
                   (long long)m->stride);
}

enum { STEPS_POINT = 20 }; /* of limits.work, for a point that is listed and sorted */

static zlay_status by_points(zlay_ctx *ctx, const zlay_layout *b, const zl_mode *m, int64_t before,
                             uint64_t cotarget)
{
    zlay_allocator alloc = zl_allocator(ctx);
    uint64_t limit = zl_limits(ctx)->points;
    bool large = b->size > limit || cotarget > limit;
    if (large && cotarget >= (uint64_t)before) return met_again(ctx, b, m, before);
    if (b->size > limit)
        return zl_fail(ctx, ZLAY_ELIMIT, "limits.points is %llu and the layout has %llu",
                       (unsigned long long)limit, (unsigned long long)b->size);
    if (zl_charge(ctx, b->size * STEPS_POINT)) return ZLAY_ENOMEM;
    point *room = zl_alloc(ctx, 2 * b->size, sizeof *room);
    if (!room) return ZLAY_ENOMEM;
    uint64_t count = list_points(room, b);
    const point *p = sort_points(room, room + b->size, count);
    zlay_status status = ZLAY_OK;
    for (uint64_t i = 1; i < count && !status; i++)
        if (p[i].value == p[i - 1].value)
            status = overlap(ctx, p[i - 1].index, p[i].index, p[i].value);
    zl_free(&alloc, room, 2 * b->size * sizeof *room);
    return status ? status : interleaved(ctx, m);
}

/* Two modes meet where x d = y e: first at x = e / gcd, y = d / gcd. */
static bool pair_meets(const zl_mode *d, const zl_mode *e, int64_t *x, int64_t *y)
{
    int64_t a = d->stride, b = e->stride;
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    *x = e->stride / a;
    *y = d->stride / a;
    return *x < d->shape && *y < e->shape;
}

static bool counts(const zl_mode *m) { return m->shape > 1 && m->stride; }

/* A mode that begins inside the span of smaller strides overlaps them, or only may. */
static zlay_status explain(zlay_ctx *ctx, const zlay_layout *b, const zl_mode *m, int64_t before,
                           uint64_t cotarget)
{
    int64_t x, y;
    uint64_t step = 1;
    for (size_t i = 0; i < b->modes; step *= (uint64_t)b->mode[i++].shape) {
        uint64_t next = step * (uint64_t)b->mode[i].shape;
        for (size_t j = i + 1; j < b->modes; next *= (uint64_t)b->mode[j++].shape) {
            const zl_mode *d = &b->mode[i], *e = &b->mode[j];
            if (!counts(d) || !counts(e) || !pair_meets(d, e, &x, &y)) continue;
            return overlap(ctx, step * (uint64_t)x, next * (uint64_t)y, x * d->stride);
        }
    }
    return by_points(ctx, b, m, before, cotarget);
}

/* ---- the complement ------------------------------------------------------------------ */

static void sort_modes(zl_modes *m)
{
    for (size_t i = 1; i < m->count; i++)
        for (size_t j = i; j && m->at[j].stride < m->at[j - 1].stride; j--) {
            zl_mode held = m->at[j];
            m->at[j] = m->at[j - 1];
            m->at[j - 1] = held;
        }
}

static zlay_status filter(zl_modes *out, const zlay_layout *b)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < b->modes && !status; i++) {
        const zl_mode *m = &b->mode[i];
        if (m->shape == 1 || m->stride == 0) continue;
        if (m->stride < 0)
            return zl_fail(out->ctx, ZLAY_NONE,
                           "mode %lld:%lld has a negative stride: at its index 1 the value is %lld",
                           (long long)m->shape, (long long)m->stride, (long long)m->stride);
        status = zl_modes_leaf(out, m->shape, m->stride);
    }
    sort_modes(out);
    return status;
}

static zlay_status last_gap(zl_modes *gaps, int64_t span, uint64_t cotarget)
{
    uint64_t rest = cotarget / (uint64_t)span + (cotarget % (uint64_t)span != 0);
    if (rest > INT64_MAX)
        return zl_fail(gaps->ctx, ZLAY_EOVERFLOW, "the cotarget %llu does not fit 63 bits",
                       (unsigned long long)cotarget);
    return zl_modes_leaf(gaps, rest ? (int64_t)rest : 1, span);
}

/* The gap below each stride, then what is left of the cotarget. */
static zlay_status fill(zl_modes *gaps, const zl_modes *m, const zlay_layout *b, uint64_t cotarget)
{
    int64_t span = 1;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < m->count && !status; i++) {
        if (m->at[i].stride < span)
            return explain(gaps->ctx, b, &m->at[i], m->at[i - 1].stride, cotarget);
        status = zl_modes_leaf(gaps, m->at[i].stride / span, span);
        if (!zl_mul(m->at[i].shape, m->at[i].stride, &span))
            return zl_fail(gaps->ctx, ZLAY_EOVERFLOW, "%lld * %lld does not fit 64 bits",
                           (long long)m->at[i].shape, (long long)m->at[i].stride);
    }
    return status ? status : last_gap(gaps, span, cotarget);
}

zlay_status zl_complement(zl_modes *out, const zlay_layout *b, uint64_t cotarget)
{
    zl_modes m, gaps;
    if (!zl_is_plain(b))
        return zl_fail(out->ctx, ZLAY_ENOTSUP,
                       "the complement is of a strided layout with offset 0");
    zl_modes_begin(&m, out->ctx);
    zl_modes_begin(&gaps, out->ctx);
    zlay_status status = filter(&m, b);
    if (!status) status = fill(&gaps, &m, b, cotarget);
    if (!status) status = zl_coalesce_modes(out, gaps.at, gaps.count, false);
    if (!status && out->count > 1) zl_modes_wrap(out, 0);
    zl_modes_end(&gaps);
    zl_modes_end(&m);
    return status;
}
