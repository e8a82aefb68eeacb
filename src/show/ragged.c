/* SPDX-License-Identifier: Apache-2.0 */
/* Shows a cover of ragged groups: its parts as they are, a row of cells for each group. */
#include "synth/region/region.h"
#include "show/picture.h"

#include <inttypes.h>

#include <zlay/show_ragged.h>

enum { LABEL = 128, TIP = 320 };

static bool is_wide(const zlay_region_part *p, const zlay_region_tile *tile)
{
    return p->columns > 1 || tile->columns > 1;
}

static uint64_t waste_of(const zlay_region_part *p, const zlay_region_tile *tile)
{
    return p->pieces * tile->rows * tile->columns - p->rows * p->columns;
}

/* `200x64 of 2*128x64`. */
static void put_label(zl_text *out, const zlay_region_part *p, const zlay_region_tile *tile)
{
    bool wide = is_wide(p, tile), wastes = waste_of(p, tile);
    if (wastes) zl_putf(out, "%" PRIu64, p->rows);
    if (wastes && wide) zl_putf(out, "x%" PRIu64, p->columns);
    if (wastes) zl_puts(out, " of ");
    if (p->pieces > 1) zl_putf(out, "%" PRIu64 "*", p->pieces);
    zl_putf(out, "%u", tile->rows);
    if (wide) zl_putf(out, "x%u", tile->columns);
    zl_text_end(out);
}

static void put_tip(zl_text *out, const zlay_region_part *p, const zlay_region_tile *tile)
{
    zl_putf(out, "group %" PRIu64 ", rows %" PRId64 "..%" PRId64, p->group, p->row,
            p->row + (int64_t)p->rows - 1);
    if (is_wide(p, tile))
        zl_putf(out, ", columns %" PRId64 "..%" PRId64, p->column,
                p->column + (int64_t)p->columns - 1);
    zl_putf(out, ": %" PRIu64 " of tile %u, %" PRIu64 " cells wasted", p->pieces, p->tile,
            waste_of(p, tile));
    zl_text_end(out);
}

static void put_part(zl_sketch *s, const zlay_region_part *p, const zlay_region_tile *tile,
                     uint64_t column)
{
    char label[LABEL], tip[TIP];
    zl_text name = {label, sizeof label - 1, 0}, text = {tip, sizeof tip - 1, 0};
    put_label(&name, p, tile);
    put_tip(&text, p, tile);
    const zlay_box box = {.row = (uint32_t)p->group,
                          .column = (uint32_t)column,
                          .width = 1,
                          .shade = zl_sketch_shade(p->tile),
                          .marked = waste_of(p, tile) != 0,
                          .key = p->tile,
                          .step = -1,
                          .label = label,
                          .tip = tip};
    zl_sketch_box(s, &box);
}

/* The most parts that a group has. */
static uint64_t count_columns(const zlay_region *region)
{
    zlay_region_part p;
    uint64_t most = 0, count = 0, group = UINT64_MAX;
    for (uint64_t i = 0; !zlay_region_part_nth(&p, region, i); i++) {
        count = p.group == group ? count + 1 : 1;
        group = p.group;
        if (count > most) most = count;
    }
    return most ? most : 1;
}

static void put_parts(zl_sketch *s, const zlay_region *region)
{
    zlay_region_part p;
    uint64_t column = 0, group = UINT64_MAX;
    for (uint64_t i = 0; !s->status && !zlay_region_part_nth(&p, region, i); i++) {
        column = p.group == group ? column + 1 : 0;
        group = p.group;
        put_part(s, &p, zl_region_tile(region, p.tile), column);
    }
}

static void put_notes(zl_sketch *s, const zlay_region_summary *sum)
{
    zl_sketch_note(s, "%" PRIu64 " cells are valid, %" PRIu64 " are computed in %" PRIu64 " tiles",
                   sum->valid, sum->cells, sum->pieces);
    zl_sketch_note(s, "%" PRIu64 " are wasted%s", sum->waste,
                   sum->optimal ? "; no cover by these tiles costs less" : "");
    if (sum->loaded_bytes)
        zl_sketch_note(s, "%" PRIu64 " bytes are loaded, %" PRIu64 " of them wasted",
                       sum->loaded_bytes, sum->wasted_bytes);
}

static zlay_status show(zlay_ctx *ctx, zlay_picture **out, const zlay_region *region)
{
    zlay_region_summary sum;
    zlay_status status = zlay_region_info(&sum, region);
    if (status) return status;
    zl_sketch s = zl_sketch_begin(ctx, "%" PRIu64 " groups in tiles", sum.groups);
    zl_sketch_panel(&s, ZLAY_PANEL_CELLS, count_columns(region), sum.groups, "%s", "");
    for (uint64_t g = 0; g < sum.groups && !s.status; g++)
        zl_sketch_row(&s, g, "group %" PRIu64, g);
    put_parts(&s, region);
    put_notes(&s, &sum);
    return zl_sketch_end(&s, out);
}

zlay_status zlay_show_ragged(zlay_ctx *ctx, zlay_picture **out, const zlay_region *region)
{
    if (!ctx || !out || !region) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, show(ctx, out, region));
}
