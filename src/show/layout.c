/* SPDX-License-Identifier: Apache-2.0 */
/* Shows a layout: the value of each coordinate, or, of a layout from threads and values to elements,
 * the thread and the value of each element. */
#include "algebra/layout/layout.h"
#include "base/request.h"
#include "show/layout.h"
#include "show/picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { OUTS_MOST = 16, LABEL = 256, MODES_TWO = 2, TITLE_MOST = 160 };

zlay_status zl_show_extents_of(zlay_ctx *ctx, zl_show_extents *out, const zlay_layout *layout)
{
    zl_modes box;
    uint64_t extent[MODES_TWO] = {1, 1};
    zl_modes_begin(&box, ctx);
    zlay_status status = zl_layout_box(&box, layout);
    uint32_t outer = !status && box.at[0].open ? 1 : 0; /* parentheses around all modes */
    size_t part = 0;
    for (size_t at = 0; !status && part < MODES_TWO && at < box.count; part++, outer = 0) {
        size_t end = zl_part_end(box.at, at, box.at[at].open - outer);
        for (; at < end; at++) extent[part] *= (uint64_t)box.at[at].shape;
    }
    zl_modes_end(&box);
    *out = (zl_show_extents){extent[0], extent[1], layout->size / (extent[0] * extent[1]), false};
    if (part == 1) *out = (zl_show_extents){1, extent[0], 1, true};
    return status;
}

/* ---- values ----------------------------------------------------------- */

/* A value as text: one integer, or a tuple; false: there is none. */
static bool value_text(char out[LABEL], int64_t *first, const zlay_layout *layout, uint64_t index)
{
    int64_t value[OUTS_MOST];
    size_t outs = zlay_layout_out_count(layout);
    zl_text text = {out, LABEL - 1, 0};
    if (zlay_layout_eval(value, OUTS_MOST, layout, index)) return false;
    *first = value[0];
    if (outs > 1) zl_puts(&text, "(");
    for (size_t i = 0; i < outs; i++) zl_putf(&text, "%s%" PRId64, i ? "," : "", value[i]);
    if (outs > 1) zl_puts(&text, ")");
    out[text.need < LABEL ? text.need : LABEL - 1] = 0;
    return true;
}

static void put_value(zl_sketch *s, const zlay_layout *layout, const zl_show_extents *e, uint64_t index)
{
    char label[LABEL], tip[LABEL + 64];
    int64_t value;
    uint64_t row = index % e->rows, column = index / e->rows % e->columns,
             panel = index / (e->rows * e->columns);
    if (!value_text(label, &value, layout, index)) return;
    if (e->single) snprintf(tip, sizeof tip, "%" PRIu64 " -> %s", column, label);
    else if (e->panels > 1)
        snprintf(tip, sizeof tip, "(%" PRIu64 ",%" PRIu64 ",%" PRIu64 ") -> %s", row, column, panel,
                 label);
    else snprintf(tip, sizeof tip, "(%" PRIu64 ",%" PRIu64 ") -> %s", row, column, label);
    const zlay_box box = {.row = (uint32_t)row,
                          .column = (uint32_t)column,
                          .width = 1,
                          .shade = zl_sketch_shade(value),
                          .key = value,
                          .step = -1,
                          .label = label,
                          .tip = tip};
    zl_sketch_box(s, &box);
}

static void number_axes(zl_sketch *s, uint64_t columns, uint64_t rows)
{
    for (uint64_t c = 0; c < columns && !s->status; c++) zl_sketch_column(s, c, "%" PRIu64, c);
    for (uint64_t r = 0; r < rows && !s->status; r++) zl_sketch_row(s, r, "%" PRIu64, r);
}

static zlay_status show_values(zl_sketch *s, const zlay_layout *layout)
{
    zl_show_extents e;
    zlay_status status = zl_show_extents_of(s->ctx, &e, layout);
    if (!status && zlay_layout_out_count(layout) > OUTS_MOST)
        status = zl_fail(s->ctx, ZLAY_ELIMIT, "a picture of more than %d outputs", OUTS_MOST);
    if (!status) status = zl_sketch_fits(s->ctx, layout->size, 1);
    if (!status) status = zl_charge_values(s->ctx, layout, layout->size);
    if (status) return status;
    for (uint64_t p = 0; p < e.panels && !s->status; p++) {
        if (e.panels > 1)
            zl_sketch_panel(s, ZLAY_PANEL_CELLS, e.columns, e.rows, "(_,_,%" PRIu64 ")", p);
        else zl_sketch_panel(s, ZLAY_PANEL_CELLS, e.columns, e.rows, "%s", "");
        number_axes(s, e.columns, e.rows);
        for (uint64_t i = 0; i < e.rows * e.columns && !s->status; i++)
            put_value(s, layout, &e, p * e.rows * e.columns + i);
    }
    return s->status;
}

/* ---- holders ---------------------------------------------------------- */

/* The first held_by of an element, counted from 1, and how many it has. */
typedef struct held_by {
    uint64_t first, count;
} held_by;

static void put_holder(zl_sketch *s, const held_by *h, uint64_t threads, uint64_t rows,
                       uint64_t element)
{
    char label[LABEL], tip[LABEL];
    uint64_t thread = (h->first - 1) % threads, value = (h->first - 1) / threads;
    snprintf(label, sizeof label, "T%" PRIu64 "V%" PRIu64, thread, value);
    int length =
        snprintf(tip, sizeof tip, "(%" PRIu64 ",%" PRIu64 "): thread %" PRIu64 ", value %" PRIu64,
                 element % rows, element / rows, thread, value);
    if (h->count > 1)
        snprintf(tip + length, sizeof tip - (size_t)length, ", and %" PRIu64 " more", h->count - 1);
    const zlay_box box = {.row = (uint32_t)(element % rows),
                          .column = (uint32_t)(element / rows),
                          .width = 1,
                          .shade = zl_sketch_shade((int64_t)thread),
                          .marked = h->count > 1,
                          .key = (int64_t)thread,
                          .step = -1,
                          .label = label,
                          .tip = tip};
    zl_sketch_box(s, &box);
}

static zlay_status find_holders(zlay_ctx *ctx, held_by *holders, const zlay_layout *layout,
                                uint64_t cells)
{
    for (uint64_t i = 0; i < layout->size; i++) {
        int64_t element;
        zlay_status status = zl_charge_block(ctx, layout, i);
        if (status) return status;
        if (!zl_value(layout, i, &element)) continue;
        if (element < 0 || (uint64_t)element >= cells)
            return zl_fail(ctx, ZLAY_EINVAL,
                           "value %" PRId64 " at index %" PRIu64
                           " is no element of rows x columns, %" PRIu64,
                           element, i, cells);
        if (!holders[element].count++) holders[element].first = i + 1;
    }
    return ZLAY_OK;
}

zlay_status zl_sketch_holders(zl_sketch *s, const zlay_layout *layout, uint64_t rows,
                              uint64_t columns)
{
    zl_show_extents e;
    zlay_status status = zl_show_extents_of(s->ctx, &e, layout);
    if (status) return status;
    zl_sketch_panel(s, ZLAY_PANEL_CELLS, columns, rows, "%s", "");
    held_by *holders = s->status ? NULL : zl_scratch(s->ctx, rows * columns, sizeof *holders);
    if (!holders) return s->status ? s->status : ZLAY_ENOMEM;
    uint64_t threads = e.single ? e.columns : e.rows;
    number_axes(s, columns, rows);
    status = find_holders(s->ctx, holders, layout, rows * columns);
    for (uint64_t i = 0; i < rows * columns && !status && !s->status; i++)
        if (holders[i].count) put_holder(s, &holders[i], threads, rows, i);
    return status ? status : s->status;
}

/* ---- both ------------------------------------------------------------- */

static const char *title_of(char out[TITLE_MOST], const zlay_layout *layout)
{
    zlay_buf text = {out, TITLE_MOST, 0};
    return zlay_layout_print(&text, layout) ? "a layout" : out;
}

static zlay_status show(zlay_ctx *ctx, zlay_picture **out, const zlay_layout *layout,
                        const zlay_show_layout_request *r)
{
    char title[TITLE_MOST];
    uint64_t columns = r->rows ? r->columns : layout->size;
    zlay_status status = zl_without_parameters(ctx, layout);
    if (status) return status;
    if (r->labels < 0 || r->labels > ZLAY_SHOW_HOLDERS)
        return zl_fail(ctx, ZLAY_EINVAL, "labels: %d is none of values, holders", r->labels);
    if (!r->rows != !r->columns)
        return zl_fail(ctx, ZLAY_EINVAL, "rows and columns: both, or none");
    if (r->labels != ZLAY_SHOW_HOLDERS && r->rows)
        return zl_fail(ctx, ZLAY_EINVAL,
                       "rows: values lie as their coordinates say; holders have rows and columns");
    zl_sketch s = zl_sketch_begin(ctx, "%s", title_of(title, layout));
    if (!s.status)
        status = r->labels == ZLAY_SHOW_HOLDERS
                     ? zl_sketch_holders(&s, layout, r->rows ? r->rows : 1, columns)
                     : show_values(&s, layout);
    if (!s.status) s.status = status;
    return zl_sketch_end(&s, out);
}

zlay_status zlay_show_layout(zlay_ctx *ctx, zlay_picture **out, const zlay_layout *layout,
                             const zlay_show_layout_request *request)
{
    static const zl_request_form form = {"zlay_show_layout_request",
                                         sizeof(zlay_show_layout_request),
                                         sizeof request->size,
                                         {ZL_RESERVED(zlay_show_layout_request, reserved)}};
    zlay_show_layout_request r = {.size = sizeof r};
    if (!ctx || !out || !layout) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    if (request) status = zl_request_read(ctx, &r, request, &form);
    return zl_leave(ctx, status ? status : show(ctx, out, layout, &r));
}
