/* SPDX-License-Identifier: Apache-2.0 */
/* The complement of any layout by its values.  With b's values and their shifts by c's every
 * integer from 0 up to the cotarget is reached once; c must shift to the least integer that is not
 * reached yet, because b's least value is 0: so c is forced, and where it collides there is none.
 */
#include "algebra/ops/cute.h"
#include "algebra/find/table.h"

typedef struct search {
    zlay_ctx *ctx;
    const zlay_layout *b;
    zl_value_reader r;
    uint64_t span, target, limit; /* 1 + b's greatest value; the cotarget; limits.points */
    uint8_t *reached;             /* one an integer below target + span */
    int64_t *shift;
    uint64_t shifts;
    uint64_t placed, period, prefix; /* cells reached; [0, period) is reached exactly, by so many */
} search;

enum { STEP_CELLS = 4 }; /* cells that are looked at in one step of limits.work */

static zlay_status collide(search *s, uint64_t i, uint64_t shift, int64_t value)
{
    for (uint64_t j = 0; !shift && j < i; j++) {
        int64_t other;
        if (zl_reader_charge(s->ctx, &s->r, j)) return ZLAY_ENOMEM;
        if (zl_reader_value(&s->r, j, &other) && other == value)
            return zl_fail(s->ctx, ZLAY_NONE,
                           "the layout overlaps itself: indices %llu and %llu have %lld",
                           (unsigned long long)j, (unsigned long long)i, (long long)value);
    }
    return zl_fail(
        s->ctx, ZLAY_NONE,
        "%llu, the least value not reached, is reached by a shift only, and shifted by it "
        "index %llu falls on %llu again",
        (unsigned long long)shift, (unsigned long long)i,
        (unsigned long long)value + (unsigned long long)shift);
}

static zlay_status put(search *s, uint64_t shift)
{
    int64_t value;
    for (uint64_t i = 0; i < s->b->size; i++) {
        if (zl_reader_charge(s->ctx, &s->r, i)) return ZLAY_ENOMEM;
        if (!zl_reader_value(&s->r, i, &value)) continue;
        uint8_t *cell = &s->reached[(uint64_t)value + shift];
        if (*cell) return collide(s, i, shift, value);
        *cell = 1;
        s->placed++;
    }
    s->shift[s->shifts++] = (int64_t)shift;
    return ZLAY_OK;
}

/* Where as many cells are reached as lie below v, and v is the least that is not, the shifts begin
 * anew: they are those before, v further. */
static zlay_status shifts(search *s, uint64_t end)
{
    zlay_status status = zl_charge(s->ctx, end / STEP_CELLS);
    if (!status) status = put(s, 0);
    for (uint64_t v = 1; v <= end && !status; v++) {
        if (s->reached[v]) continue;
        if (!s->period && s->placed == v) s->period = v, s->prefix = s->shifts;
        if (v < end) status = put(s, v);
    }
    return status;
}

static zlay_status least_is_zero(search *s)
{
    int64_t value, greatest = 0;
    bool zero = false;
    for (uint64_t i = 0; i < s->b->size; i++) {
        if (zl_reader_charge(s->ctx, &s->r, i)) return ZLAY_ENOMEM;
        if (!zl_reader_value(&s->r, i, &value)) continue;
        if (value < 0)
            return zl_fail(s->ctx, ZLAY_NONE, "index %llu has the negative value %lld",
                           (unsigned long long)i, (long long)value);
        zero = zero || !value;
        greatest = value > greatest ? value : greatest;
    }
    s->span = (uint64_t)greatest + 1;
    return zero ? ZLAY_OK : zl_fail(s->ctx, ZLAY_NONE, "no index has the value 0");
}

static zlay_status too_many(search *s, uint64_t asked)
{
    return zl_fail(s->ctx, ZLAY_ELIMIT, "limits.points is %llu and the complement asks for %llu",
                   (unsigned long long)s->limit, (unsigned long long)asked);
}

static zlay_status make(search *s, zlay_layout **out)
{
    zl_table t;
    zl_modes box;
    zl_modes_begin(&box, s->ctx);
    zlay_status status = zl_modes_leaf(&box, (int64_t)s->shifts, 0);
    if (!status) status = zl_table_new(s->ctx, &t, s->shifts);
    if (!status) {
        for (uint64_t i = 0; i < s->shifts; i++) zl_table_set(&t, i, s->shift[i]);
        status = zl_cheapest(s->ctx, out, &t, &box, NULL, NULL);
        zl_table_free(&t);
    }
    zl_modes_end(&box);
    return status;
}

/* Beyond the limit: the shifts of one period, and so many periods.  The last one is whole, or ends
 * behind the last shift. */
static zlay_status repeat(search *s, zlay_layout **out)
{
    zlay_layout *one = NULL, *pair = NULL, line;
    zl_modes m;
    uint64_t rest = s->period ? s->target % s->period : 0, periods;
    if (!s->period || (rest && rest <= (uint64_t)s->shift[s->prefix - 1]))
        return too_many(s, s->target);
    periods = s->target / s->period + (rest != 0);
    s->shifts = s->prefix;
    zl_modes_begin(&m, s->ctx);
    zlay_status status = make(s, &one);
    if (periods > INT64_MAX / s->period) status = too_many(s, s->target);
    if (!status) status = zl_modes_leaf(&m, (int64_t)periods, (int64_t)s->period);
    if (!status) status = zl_layout_over(s->ctx, &line, &m);
    if (!status) status = zl_pair(s->ctx, &pair, one, &line);
    if (!status) status = zl_coalesce(s->ctx, out, pair);
    zl_modes_end(&m);
    zlay_layout_free(pair);
    zlay_layout_free(one);
    return status;
}

static zlay_status by_values(search *s, zlay_layout **out)
{
    zlay_allocator alloc = zl_allocator(s->ctx);
    zlay_status status = least_is_zero(s);
    if (!status && s->span > s->limit) status = too_many(s, s->span);
    if (status) return status;
    uint64_t end = s->target < s->limit ? s->target : s->limit, cells = s->span + end + 1;
    s->reached = zl_alloc(s->ctx, cells, 1);
    s->shift = s->reached ? zl_alloc(s->ctx, end + 1, sizeof *s->shift) : NULL;
    status = s->shift ? shifts(s, end) : ZLAY_ENOMEM;
    if (!status) status = s->target > s->limit ? repeat(s, out) : make(s, out);
    zl_free(&alloc, s->shift, (end + 1) * sizeof *s->shift);
    zl_free(&alloc, s->reached, cells);
    return status;
}

static zlay_status cute(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *b, uint64_t cotarget)
{
    zl_modes m;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_complement(&m, b, cotarget);
    if (!status) status = zl_layout_strided(ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    return status;
}

/* Points that differ in modes of stride 0 alone are one, as in CuTe's filter. */
static zlay_status filtered(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *b)
{
    zl_modes m;
    zl_modes_begin(&m, ctx);
    m.offset = b->offset;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < b->modes && !status; i++)
        if (b->mode[i].stride) status = zl_modes_leaf(&m, b->mode[i].shape, b->mode[i].stride);
    if (!status && !m.count) status = zl_modes_leaf(&m, 1, 0);
    if (m.count > 1) zl_modes_wrap(&m, 0);
    if (!status) status = zl_layout_strided(ctx, out, &m, b->swizzle);
    zl_modes_end(&m);
    return status;
}

static zlay_status search_in(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *b,
                             uint64_t cotarget)
{
    search s = {.ctx = ctx, .b = b, .target = cotarget, .limit = zl_limits(ctx)->points};
    zlay_layout *few = NULL;
    zlay_status status = b->modes ? filtered(ctx, &few, b) : ZLAY_OK;
    if (few) s.b = few;
    if (!status && s.b->size > s.limit) status = too_many(&s, s.b->size);
    if (!status) status = zl_reader_begin(ctx, &s.r, s.b);
    if (!status) status = by_values(&s, out);
    zl_reader_end(&s.r);
    zlay_layout_free(few);
    return status;
}

zlay_status zl_complement_of(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *b,
                             uint64_t cotarget)
{
    if (zl_parameter(b)) return zl_without_parameters(ctx, b);
    zlay_status status = zl_is_plain(b) ? cute(ctx, out, b, cotarget) : ZLAY_ENOTSUP;
    return status == ZLAY_ENOTSUP ? search_in(ctx, out, b, cotarget) : status;
}

zlay_status zlay_layout_complement(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *b,
                                   uint64_t cotarget)
{
    zlay_status status = zl_enter_layout(ctx, out);
    if (status) return status;
    if (!b) return zl_leave(ctx, zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL"));
    return zl_leave(ctx, zl_complement_of(ctx, out, b, cotarget));
}
