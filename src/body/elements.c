/* SPDX-License-Identifier: Apache-2.0 */
/* Reads which elements a thread holds from a fragment's layout, by its values at all points: the
 * offsets of thread 0's values, the offsets of value 0 in threads 1, 2, 4 .., and a check that
 * every other element is a sum of these. */
#include "body/elements.h"

#include <string.h>

uint32_t zl_element_run(const uint32_t bit[ZL_ELEMENT_BITS], uint32_t b)
{
    uint32_t run = 1;
    while (bit[b] && b + run < ZL_ELEMENT_BITS && bit[b + run] == bit[b] << run) run++;
    return run;
}

static zlay_status values_of(zlay_ctx *ctx, int64_t **out, const zlay_layout *layout,
                             uint64_t count, uint32_t *threads, uint32_t *values)
{
    uint64_t box[2];
    if (zlay_layout_box(box, 2, layout) != 2 || box[0] * box[1] != count)
        return zl_fail(ctx, ZLAY_EINVAL, "a fragment's layout is (thread, value) -> element");
    *threads = (uint32_t)box[0];
    *values = (uint32_t)box[1];
    if (box[1] > ZL_ELEMENT_VALUES || box[0] > 1u << ZL_ELEMENT_BITS || (box[0] & (box[0] - 1)))
        return zl_fail(ctx, ZLAY_ENOTSUP, "a fragment of %llu threads with %llu values each",
                       (unsigned long long)box[0], (unsigned long long)box[1]);
    *out = zl_scratch(ctx, count, sizeof **out);
    if (!*out) return ZLAY_ENOMEM;
    zlay_status status = zl_charge(ctx, count);
    return status ? status : zlay_layout_eval_many(*out, NULL, layout, NULL, 0, count);
}

static void add_offset(zl_element_axis *a, uint32_t value, uint32_t offset)
{
    uint32_t i = 0;
    while (i < a->count && a->offset[i] != offset) i++;
    if (i == a->count) a->offset[a->count++] = offset;
    a->of[value] = (uint16_t)i;
}

/* What the thread's number adds, as rows + extent of rows * columns. */
static void sum_threads(const zl_elements *e, uint64_t *sum)
{
    sum[0] = 0;
    for (uint32_t b = 0; 1u << b < e->threads; b++) {
        uint64_t adds = e->row.bit[b] + (uint64_t)e->row.extent * e->column.bit[b];
        for (uint32_t t = 0; t < 1u << b; t++) sum[t + (1u << b)] = sum[t] + adds;
    }
}

static bool is_sum(const zl_elements *e, const int64_t *element)
{
    uint64_t sum[1 << ZL_ELEMENT_BITS];
    sum_threads(e, sum);
    for (uint32_t v = 0; v < e->values; v++, element += e->threads) {
        uint64_t first = e->row.offset[e->row.of[v]] +
                         (uint64_t)e->row.extent * e->column.offset[e->column.of[v]];
        for (uint32_t t = 0; t < e->threads; t++)
            if ((uint64_t)element[t] != first + sum[t]) return false;
    }
    return true;
}

static void read_sums(zl_elements *e, const int64_t *element)
{
    uint64_t rows = e->row.extent, first = (uint64_t)element[0];
    for (uint32_t v = 0; v < e->values; v++) {
        uint64_t at = (uint64_t)element[(size_t)v * e->threads];
        add_offset(&e->row, v, (uint32_t)(at % rows));
        add_offset(&e->column, v, (uint32_t)(at / rows));
    }
    for (uint32_t b = 0; 1u << b < e->threads; b++) {
        uint64_t at = (uint64_t)element[1u << b];
        e->row.bit[b] = (uint32_t)(at % rows - first % rows);
        e->column.bit[b] = (uint32_t)(at / rows - first / rows);
    }
}

zlay_status zl_elements_read(zlay_ctx *ctx, zl_elements *out, const zlay_layout *layout,
                             uint32_t rows, uint32_t columns)
{
    int64_t *element = NULL;
    zl_mark mark = zl_scratch_mark(ctx);
    *out = (zl_elements){.row = {.extent = rows}, .column = {.extent = columns}};
    zlay_status status =
        values_of(ctx, &element, layout, zlay_layout_size(layout), &out->threads, &out->values);
    if (!status) {
        read_sums(out, element);
        if (!is_sum(out, element))
            status = zl_fail(ctx, ZLAY_ENOTSUP,
                             "a fragment whose elements are no sums of what "
                             "thread and value add");
    }
    zl_scratch_release(ctx, mark);
    return status;
}

zlay_status zl_elements_repeat(zlay_ctx *ctx, zl_elements *e, uint32_t parts, bool beside)
{
    uint32_t each = e->values;
    zl_element_axis *moves = beside ? &e->column : &e->row, *stays = beside ? &e->row : &e->column;
    if ((uint64_t)each * parts > ZL_ELEMENT_VALUES)
        return zl_fail(ctx, ZLAY_ENOTSUP, "a thread with %llu values of a matrix",
                       (unsigned long long)each * parts);
    for (uint32_t p = 1; p < parts; p++)
        for (uint32_t v = 0; v < each; v++) {
            add_offset(moves, p * each + v, p * moves->extent + moves->offset[moves->of[v]]);
            stays->of[p * each + v] = stays->of[v];
        }
    e->values = each * parts;
    moves->extent *= parts;
    return ZLAY_OK;
}

void zl_elements_transpose(zl_elements *e)
{
    zl_element_axis row = e->row;
    e->row = e->column;
    e->column = row;
}

static void tile_value(zl_elements *e, const zl_elements *one, uint32_t part, uint32_t v,
                       uint32_t columns)
{
    uint32_t to = part * one->values + v;
    add_offset(&e->row, to,
               part / columns * one->row.extent + one->row.offset[one->row.of[v]]);
    add_offset(&e->column, to,
               part % columns * one->column.extent + one->column.offset[one->column.of[v]]);
}

zlay_status zl_elements_tile(zlay_ctx *ctx, zl_elements *e, uint32_t rows, uint32_t columns)
{
    uint64_t values = (uint64_t)e->values * rows * columns;
    if (values > ZL_ELEMENT_VALUES)
        return zl_fail(ctx, ZLAY_ENOTSUP, "a thread with %llu values of a matrix",
                       (unsigned long long)values);
    zl_mark mark = zl_scratch_mark(ctx);
    zl_elements *one = zl_scratch(ctx, 1, sizeof *one);
    if (!one) return ZLAY_ENOMEM;
    *one = *e;
    e->row.count = e->column.count = 0;
    for (uint32_t part = 0; part < rows * columns; part++)
        for (uint32_t v = 0; v < one->values; v++) tile_value(e, one, part, v, columns);
    e->values = (uint32_t)values;
    e->row.extent *= rows;
    e->column.extent *= columns;
    zl_scratch_release(ctx, mark);
    return ZLAY_OK;
}

/* Doubles the threads: the new ones have what lies `parts` times further along an axis. */
static void spread_axis(zl_elements *e, zl_element_axis *axis, uint32_t parts)
{
    for (; parts > 1; parts /= 2) {
        uint32_t bit = 0;
        while (1u << bit < e->threads) bit++;
        axis->bit[bit] = axis->extent;
        axis->extent *= 2;
        e->threads *= 2;
    }
}

zlay_status zl_elements_spread(zlay_ctx *ctx, zl_elements *e, uint32_t rows, uint32_t columns)
{
    if ((uint64_t)e->threads * rows * columns > 1u << ZL_ELEMENT_BITS)
        return zl_fail(ctx, ZLAY_ENOTSUP, "a matrix in more than %u threads", 1u << ZL_ELEMENT_BITS);
    spread_axis(e, &e->column, columns);
    spread_axis(e, &e->row, rows);
    return ZLAY_OK;
}

static bool axis_alike(const zl_element_axis *a, const zl_element_axis *b)
{
    return a->extent == b->extent && a->count == b->count &&
           !memcmp(a->offset, b->offset, a->count * sizeof *a->offset) &&
           !memcmp(a->bit, b->bit, sizeof a->bit);
}

bool zl_elements_rows_alike(const zl_elements *a, const zl_elements *b)
{
    return a->threads == b->threads && axis_alike(&a->row, &b->row);
}

bool zl_elements_alike(const zl_elements *a, const zl_elements *b)
{
    return a->values == b->values && zl_elements_rows_alike(a, b) &&
           axis_alike(&a->column, &b->column) &&
           !memcmp(a->row.of, b->row.of, a->values * sizeof *a->row.of) &&
           !memcmp(a->column.of, b->column.of, a->values * sizeof *a->column.of);
}
