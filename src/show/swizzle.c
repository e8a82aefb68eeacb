/* SPDX-License-Identifier: Apache-2.0 */
/* Shows a tile in shared memory before and after a swizzle: which bank each element is in. */
#include "algebra/layout/layout.h"
#include "base/request.h"
#include "show/layout.h"
#include "show/picture.h"

#include <zlay/show_hardware.h>

#include <inttypes.h>
#include <stdio.h>

enum {
    BANK_BITS = 32,
    WORD_MOST_BITS = 128,
    BANKS = 32,
    BANKS_MOST = 64,
    ELEM_BITS_MOST = 128,
    NAME = 160,
    LABEL = 32
};

typedef zlay_show_swizzle_request request;

/* What is drawn: a box has up to `most` elements, those of 4, 8 or 16 bytes; `whole`: every box has
 * as many. */
typedef struct swizzled_tile {
    const request *r;
    uint64_t rows, columns, most;
    bool whole;
} swizzled_tile;

/* Elements of a row from `column` on that stand one behind the other in a word of shared memory, which
 * has `most` elements. */
typedef struct group {
    uint64_t row, column, width;
    int64_t value; /* of the first */
} group;

/* Whether an element stands behind a group, in its word. */
static bool joins(const swizzled_tile *t, const group *g, int64_t value)
{
    return g->width && value == g->value + (int64_t)g->width &&
           (uint64_t)value / t->most == (uint64_t)g->value / t->most;
}

/* The group from a column on; false: the row ends. */
static zlay_status next_group(zlay_ctx *ctx, group *g, const swizzled_tile *t,
                              const zlay_layout *layout)
{
    uint64_t c = g->column + g->width;
    *g = (group){.row = g->row, .column = c};
    for (int64_t value; c < t->columns; c++) {
        bool there = zl_value(layout, g->row + t->rows * c, &value);
        if (there && value < 0)
            return zl_fail(ctx, ZLAY_EINVAL,
                           "value %" PRId64 " at (%" PRIu64 ",%" PRIu64
                           ") is no element of shared memory",
                           value, g->row, c);
        if (g->width && (!there || !joins(t, g, value))) return ZLAY_OK;
        if (there && !g->width) g->column = c, g->value = value;
        g->width += there;
    }
    return ZLAY_OK;
}

/* ---- boxes --------------------------------------------------------------------------------- */

static void put_group(zl_sketch *s, const swizzled_tile *t, const group *g)
{
    char label[LABEL], banks[LABEL], tip[NAME];
    uint64_t bits = t->r->elem_bits, first = (uint64_t)g->value * bits / BANK_BITS,
             last = ((uint64_t)g->value * bits + g->width * bits - 1) / BANK_BITS,
             bank = first % t->r->banks;
    if (first == last) snprintf(banks, sizeof banks, "%" PRIu64, bank);
    else snprintf(banks, sizeof banks, "%" PRIu64 "-%" PRIu64, bank, last % t->r->banks);
    snprintf(label, sizeof label, "%" PRId64, g->value);
    snprintf(tip, sizeof tip, "(%" PRIu64 ",%" PRIu64 ") -> %" PRId64 ", bank %s", g->row,
             g->column, g->value, banks);
    const zlay_box box = {.row = (uint32_t)g->row,
                          .column = (uint32_t)(t->whole ? g->column / t->most : g->column),
                          .width = (uint32_t)(t->whole ? 1 : g->width),
                          .shade = zl_sketch_shade((int64_t)(bank * ZLAY_SHADES / t->r->banks)),
                          .key = (int64_t)bank,
                          .step = -1,
                          .label = t->r->values ? label : banks,
                          .tip = tip};
    zl_sketch_box(s, &box);
}

static zlay_status put_row(zl_sketch *s, const swizzled_tile *t, const zlay_layout *layout,
                           uint64_t row)
{
    group g = {.row = row};
    zlay_status status = next_group(s->ctx, &g, t, layout);
    while (!status && g.width && !s->status) {
        put_group(s, t, &g);
        status = next_group(s->ctx, &g, t, layout);
    }
    return status ? status : s->status;
}

/* Whether the rows of a layout are groups of `most` elements alone, at columns that are multiples of
 * it. */
static zlay_status see_whole(zlay_ctx *ctx, bool *out, const swizzled_tile *t,
                             const zlay_layout *layout)
{
    *out = t->columns % t->most == 0;
    for (uint64_t row = 0; row < t->rows && *out; row++) {
        group g = {.row = row};
        zlay_status status = next_group(ctx, &g, t, layout);
        for (; !status && g.width && *out; status = next_group(ctx, &g, t, layout))
            *out = g.width == t->most && g.column % t->most == 0;
        if (status) return status;
    }
    return ZLAY_OK;
}

/* The greatest boxes that are all whole. */
static zlay_status choose(zlay_ctx *ctx, swizzled_tile *t)
{
    for (uint32_t bits = WORD_MOST_BITS; bits >= BANK_BITS && !t->whole; bits /= 2) {
        bool before, after = false;
        t->most = bits > t->r->elem_bits ? bits / t->r->elem_bits : 1;
        zlay_status status = see_whole(ctx, &before, t, t->r->before);
        if (!status && before) status = see_whole(ctx, &after, t, t->r->after);
        if (status) return status;
        t->whole = after;
    }
    return ZLAY_OK;
}

static const char *name_of(char out[NAME], const zlay_layout *layout)
{
    zlay_buf text = {out, NAME, 0};
    return zlay_layout_print(&text, layout) ? "a layout" : out;
}

static zlay_status put_panel(zl_sketch *s, const swizzled_tile *t, const zlay_layout *layout,
                             const char *when)
{
    char name[NAME];
    uint64_t columns = t->whole ? t->columns / t->most : t->columns;
    zl_sketch_panel(s, ZLAY_PANEL_CELLS, columns, t->rows, "%s: %s", when, name_of(name, layout));
    for (uint64_t i = 0; i < t->rows && !s->status; i++) zl_sketch_row(s, i, "%" PRIu64, i);
    for (uint64_t i = 0; t->whole && i < columns && !s->status; i++)
        zl_sketch_column(s, i, "%" PRIu64, i * t->most);
    zlay_status status = s->status;
    for (uint64_t i = 0; i < t->rows && !status; i++) status = put_row(s, t, layout, i);
    return status;
}

/* ---- the request --------------------------------------------------------------------------- */

static bool is_power(uint32_t n, uint32_t most)
{
    return n && n <= most && !(n & (n - 1));
}

static zlay_status check(zlay_ctx *ctx, const request *r)
{
    if (!r->before || !r->after) return zl_fail(ctx, ZLAY_EINVAL, "before, after: a layout each");
    if (!is_power(r->elem_bits, ELEM_BITS_MOST))
        return zl_fail(ctx, ZLAY_EINVAL, "elem_bits: %" PRIu32 " is no power of two up to 128",
                       r->elem_bits);
    if (!is_power(r->banks, BANKS_MOST))
        return zl_fail(ctx, ZLAY_EINVAL, "banks: %" PRIu32 " is no power of two up to 64",
                       r->banks);
    if (r->values > 1) return zl_fail(ctx, ZLAY_EINVAL, "values: 0 or 1");
    if (r->before->size != r->after->size)
        return zl_fail(ctx, ZLAY_EINVAL,
                       "before and after have %" PRIu64 " and %" PRIu64 " elements",
                       r->before->size, r->after->size);
    if (zlay_layout_out_count(r->before) != 1 || zlay_layout_out_count(r->after) != 1)
        return zl_fail(ctx, ZLAY_ENOTSUP, "before, after: a layout of several outputs");
    zlay_status status = zl_without_parameters(ctx, r->before);
    return status ? status : zl_without_parameters(ctx, r->after);
}

static zlay_status show(zlay_ctx *ctx, zlay_picture **out, request *r)
{
    zl_show_extents e;
    if (!r->banks) r->banks = BANKS;
    zlay_status status = check(ctx, r);
    if (!status) status = zl_sketch_fits(ctx, r->before->size, 1);
    if (!status) status = zl_charge_values(ctx, r->before, r->before->size);
    if (!status) status = zl_charge_values(ctx, r->after, r->after->size);
    if (!status) status = zl_show_extents_of(ctx, &e, r->before);
    if (status) return status;
    swizzled_tile t = {.r = r, .rows = e.rows, .columns = r->before->size / e.rows};
    status = choose(ctx, &t);
    if (status) return status;
    zl_sketch s = zl_sketch_begin(ctx, "%s of elements of %" PRIu32 " bits",
                                  r->values ? "places" : "banks", r->elem_bits);
    if (!s.status) status = put_panel(&s, &t, r->before, "before");
    if (!s.status && !status) status = put_panel(&s, &t, r->after, "after");
    if (!s.status) s.status = status;
    return zl_sketch_end(&s, out);
}

zlay_status zlay_show_swizzle(zlay_ctx *ctx, zlay_picture **out, const request *asked)
{
    static const zl_request_form form = {"zlay_show_swizzle_request",
                                         sizeof(request),
                                         sizeof asked->size,
                                         {ZL_RESERVED(request, reserved)}};
    request r = {.size = sizeof r};
    if (!ctx || !out || !asked) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_request_read(ctx, &r, asked, &form);
    return zl_leave(ctx, status ? status : show(ctx, out, &r));
}
