/* SPDX-License-Identifier: Apache-2.0 */
/* Contiguous indices: an odometer, without division after the first index.
 *
 * The fastest modes whose points fit a table are a row, which is the same at every coordinate of
 * the others but for what is added to it; so rows are copied.  Where the first mode
 * alone is longer, a row is that mode, an arithmetic progression.  Sums wrap modulo 2^64 on the
 * way, past the end of a mode; values themselves fit. */
#include "algebra/layout/eval_many.h"

enum { ROW = 256 };

typedef struct odometer {
    const zl_mode *mode;
    size_t count;
    uint64_t value;
    int64_t coordinate[ZL_MANY_MODES];
} odometer;

static void start(odometer *o, const zl_mode *mode, size_t count, int64_t value, uint64_t index)
{
    o->mode = mode;
    o->count = count;
    o->value = (uint64_t)value;
    for (size_t i = 0; i < count; i++) {
        o->coordinate[i] = (int64_t)(index % (uint64_t)mode[i].shape);
        o->value += (uint64_t)o->coordinate[i] * (uint64_t)mode[i].stride;
        index /= (uint64_t)mode[i].shape;
    }
}

/* Past its end it begins anew. */
static void advance(odometer *o)
{
    for (size_t i = 0; i < o->count; i++) {
        o->value += (uint64_t)o->mode[i].stride;
        if (++o->coordinate[i] < o->mode[i].shape) return;
        o->value -= (uint64_t)o->mode[i].shape * (uint64_t)o->mode[i].stride;
        o->coordinate[i] = 0;
    }
}

static void walk(int64_t *values, const zlay_layout *a, uint64_t first, size_t count)
{
    odometer o;
    start(&o, a->mode, a->modes, a->offset, first);
    for (size_t i = 0; i < count; i++, advance(&o)) values[i] = (int64_t)o.value;
}

typedef struct row {
    size_t modes; /* that are in it */
    uint64_t points, stride;
    bool table;
    int64_t value[ROW];
} row;

/* As many modes as a table holds, or the first. */
static void row_find(row *r, const zlay_layout *a)
{
    r->points = 1;
    r->stride = 0;
    for (r->modes = 0; r->modes < a->modes; r->modes++) {
        uint64_t extent = (uint64_t)a->mode[r->modes].shape;
        if (extent > ROW / r->points) break;
        r->points *= extent;
    }
    r->table = r->modes > 1;
    if (r->modes > 1) return;
    r->modes = 1;
    r->points = (uint64_t)a->mode[0].shape;
    r->stride = (uint64_t)a->mode[0].stride;
}

static void row_fill(row *r, const zlay_layout *a)
{
    odometer o;
    start(&o, a->mode, r->modes, 0, 0);
    for (uint64_t i = 0; r->table && i < r->points; i++, advance(&o))
        r->value[i] = (int64_t)o.value;
}

static void row_copy(int64_t *values, const row *r, uint64_t from, size_t count, uint64_t base)
{
    if (!r->table) base += from * r->stride;
    if (r->table)
        for (size_t i = 0; i < count; i++)
            values[i] = (int64_t)(base + (uint64_t)r->value[from + i]);
    else
        for (size_t i = 0; i < count; i++) values[i] = (int64_t)(base + i * r->stride);
}

static void rows(int64_t *values, const zlay_layout *a, const row *r, uint64_t first, size_t count)
{
    odometer o;
    uint64_t from = first % r->points;
    start(&o, a->mode + r->modes, a->modes - r->modes, a->offset, first / r->points);
    for (; count; from = 0, advance(&o)) {
        size_t left = r->points - from < count ? (size_t)(r->points - from) : count;
        row_copy(values, r, from, left, o.value);
        values += left;
        count -= left;
    }
}

bool zl_strided_range(int64_t *values, const zlay_layout *a, uint64_t first, size_t count)
{
    row r;
    if (a->modes > ZL_MANY_MODES) return false;
    row_find(&r, a);
    if (r.table && count < 2 * r.points) {
        walk(values, a, first, count);
    } else {
        row_fill(&r, a);
        rows(values, a, &r, first, count);
    }
    if (a->swizzle.bits) zl_swizzle_many((uint64_t *)(void *)values, count, a->swizzle);
    return true;
}
