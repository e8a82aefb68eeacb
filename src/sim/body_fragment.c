/* SPDX-License-Identifier: Apache-2.0 */
/* Finds from a fragment's layout which thread holds which elements of a row, and in which order,
 * and reduces rows in that order. A thread's own elements come first, in the order of its values;
 * then the lanes of the row, a subcube of the warp's 32 lanes, exchange by XOR, the lowest bit
 * first. */
#include "algebra/layout/layout.h"
#include "sim/body.h"

/* ---- the order ------------------------------------------------------------------------ */

typedef struct order_maker {
    zlay_ctx *ctx;
    const zlay_layout *layout;
    zl_row_order *order;
    uint64_t threads, values;
    uint32_t *filled; /* elements of each row that are known */
    uint8_t *held;    /* 1: an element that was met */
} order_maker;

static zlay_status refuse_element(const order_maker *m, uint64_t thread, uint64_t value,
                                  const char *what, int64_t at)
{
    return zl_fail(m->ctx, ZLAY_EINVAL, "fragment: thread %llu, value %llu holds element %lld, %s",
                   (unsigned long long)thread, (unsigned long long)value, (long long)at, what);
}

static zlay_status take_element(order_maker *m, uint64_t thread, uint64_t value)
{
    zl_row_order *o = m->order;
    int64_t at;
    if (!zl_value(m->layout, thread + m->threads * value, &at))
        return zl_fail(m->ctx, ZLAY_EINVAL, "fragment: thread %llu, value %llu holds nothing",
                       (unsigned long long)thread, (unsigned long long)value);
    if (at < 0 || (uint64_t)at >= o->rows * o->columns)
        return refuse_element(m, thread, value, "outside the matrix", at);
    if (m->held[at]) return refuse_element(m, thread, value, "which another one holds too", at);
    m->held[at] = 1;
    uint64_t row = (uint64_t)at % o->rows, to = row * o->columns + m->filled[row]++;
    o->column[to] = (uint32_t)((uint64_t)at / o->rows);
    o->thread[to] = (uint32_t)thread;
    return ZLAY_OK;
}

static zlay_status check_box(order_maker *m, uint64_t elements)
{
    uint64_t extents[2], size = zlay_layout_size(m->layout);
    zlay_status status = zl_without_parameters(m->ctx, m->layout);
    if (status) return status;
    if (zlay_layout_box(extents, 2, m->layout) != 2 || zlay_layout_out_count(m->layout) != 1)
        return zl_fail(m->ctx, ZLAY_EINVAL, "fragment: it is no (thread, value) -> element");
    if (size != elements)
        return zl_fail(m->ctx, ZLAY_EINVAL, "fragment: it has %llu elements, the matrix %llu",
                       (unsigned long long)size, (unsigned long long)elements);
    m->threads = extents[0];
    m->values = extents[1];
    return zl_charge_values(m->ctx, m->layout, elements);
}

static bool reserve(order_maker *m, uint64_t elements)
{
    m->filled = zl_scratch(m->ctx, m->order->rows, sizeof *m->filled);
    m->held = zl_scratch(m->ctx, elements, sizeof *m->held);
    m->order->column = zl_scratch(m->ctx, elements, sizeof *m->order->column);
    m->order->thread = zl_scratch(m->ctx, elements, sizeof *m->order->thread);
    return m->filled && m->held && m->order->column && m->order->thread;
}

zlay_status zl_row_order_make(zlay_ctx *ctx, zl_row_order *out,
                              const zlay_sim_body_request *request)
{
    *out = (zl_row_order){request->rows, request->columns, NULL, NULL};
    order_maker m = {.ctx = ctx, .layout = request->fragment, .order = out};
    zlay_status status = check_box(&m, out->rows * out->columns);
    if (!status && !reserve(&m, out->rows * out->columns)) status = ZLAY_ENOMEM;
    for (uint64_t t = 0; !status && t < m.threads; t++)
        for (uint64_t v = 0; !status && v < m.values; v++) status = take_element(&m, t, v);
    return status;
}

/* ---- lanes ---------------------------------------------------------------------------- */

/* The row's elements are in threads of one warp, so the lanes rise as threads do. */
uint32_t zl_row_lanes(uint32_t lanes[ZL_LANES], const zl_row_order *order, uint64_t row)
{
    const uint32_t *thread = order->thread + row * order->columns;
    uint32_t count = 0;
    for (uint64_t i = 0; i < order->columns; i++)
        if (!i || thread[i] != thread[i - 1]) lanes[count++] = thread[i] % ZL_LANES;
    return count;
}

/* The bits in which the numbers of the lanes differ. */
static uint32_t bits_between(const uint32_t *lanes, uint32_t count)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i++) bits |= lanes[i] ^ lanes[0];
    return bits;
}

static zlay_status check_row(zlay_ctx *ctx, const zl_row_order *order, uint64_t row,
                             uint32_t *shared)
{
    const uint32_t *thread = order->thread + row * order->columns;
    uint32_t first = thread[0], last = thread[order->columns - 1], lanes[ZL_LANES];
    if (first / ZL_LANES != last / ZL_LANES)
        return zl_fail(ctx, ZLAY_ENOTSUP,
                       "fragment: threads %u and %u of different warps hold row %llu, and it is "
                       "reduced by shuffles in one warp", first, last, (unsigned long long)row);
    uint32_t count = zl_row_lanes(lanes, order, row), bits = bits_between(lanes, count);
    if (count != 1u << __builtin_popcount(bits))
        return zl_fail(ctx, ZLAY_ENOTSUP,
                       "fragment: %u lanes hold row %llu, and no exchanges by XOR join these lanes",
                       count, (unsigned long long)row);
    if (row && bits != *shared)
        return zl_fail(ctx, ZLAY_ENOTSUP,
                       "fragment: lanes share row %llu along other bits than row 0",
                       (unsigned long long)row);
    *shared = bits;
    return ZLAY_OK;
}

zlay_status zl_row_order_check(zlay_ctx *ctx, const zl_row_order *order)
{
    uint32_t shared = 0;
    zlay_status status = zl_charge(ctx, order->rows * order->columns);
    for (uint64_t r = 0; !status && r < order->rows; r++)
        status = check_row(ctx, order, r, &shared);
    return status;
}

/* ---- reductions ----------------------------------------------------------------------- */

static zlay_interval joined(zlay_interval a, zlay_interval b, zl_body_op op, int32_t type)
{
    switch (op) {
    case ZL_BO_ROWMAX: return zl_max_intervals(a, b);
    case ZL_BO_ROWMIN: return zl_min_intervals(a, b);
    default: return zl_add_intervals(a, b, type);
    }
}

void zl_row_parts(zlay_interval *parts, const zl_row_order *order, uint64_t row,
                  const zlay_interval *values, zl_body_op op, int32_t type)
{
    const uint32_t *thread = order->thread + row * order->columns;
    const uint32_t *column = order->column + row * order->columns;
    uint32_t count = 0;
    for (uint64_t i = 0; i < order->columns; i++) {
        zlay_interval value = values[column[i]];
        if (!i || thread[i] != thread[i - 1]) parts[count++] = value;
        else parts[count - 1] = joined(parts[count - 1], value, op, type);
    }
}

zlay_interval zl_row_butterflies(const zlay_interval *parts, const uint32_t *lanes, uint32_t count,
                                 zl_body_op op, int32_t type)
{
    zlay_interval now[ZL_LANES], next[ZL_LANES];
    uint32_t bits = bits_between(lanes, count);
    for (uint32_t i = 0; i < count; i++) now[lanes[i]] = parts[i];
    for (; bits; bits &= bits - 1) {
        uint32_t bit = bits & (0 - bits);
        for (uint32_t i = 0; i < count; i++)
            next[lanes[i]] = joined(now[lanes[i]], now[lanes[i] ^ bit], op, type);
        for (uint32_t i = 0; i < count; i++) now[lanes[i]] = next[lanes[i]];
    }
    return now[lanes[0]];
}
