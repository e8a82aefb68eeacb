/* SPDX-License-Identifier: Apache-2.0 */
/* A picture while a view makes it, and as it is printed. */
#ifndef ZL_SHOW_PICTURE_H
#define ZL_SHOW_PICTURE_H

#include "base/base.h"

#include <zlay/show.h>

/* Entries of a table that grows. */
typedef struct zl_show_table {
    void *at;
    uint64_t count, room;
} zl_show_table;

/* Texts are offsets into the pool; 0 is the empty text. */
typedef struct zl_show_panel {
    uint64_t name, first, boxes; /* boxes of a panel are those from first on */
    uint64_t labels;             /* of columns, then of rows, in the table of labels */
    uint32_t columns, rows;
    int32_t kind;
} zl_show_panel;

typedef struct zl_show_box {
    uint64_t label, tip;
    int64_t key, step;
    uint32_t column, row, width;
    int16_t shade;
    bool marked;
} zl_show_box;

struct zlay_picture {
    zlay_allocator alloc;
    uint64_t title;
    zl_show_table panel, box, label, note,
        pool; /* zl_show_panel, zl_show_box, uint64_t, uint64_t, char */
};

/* ---- making one ------------------------------------------------------ */

/* The first failure stays, and nothing is added behind it. */
typedef struct zl_sketch {
    zlay_ctx *ctx;
    zlay_picture *picture;
    zlay_status status;
} zl_sketch;

zl_sketch zl_sketch_begin(zlay_ctx *ctx, const char *title, ...) ZL_PRINTF(2, 3);
void zl_sketch_note(zl_sketch *s, const char *format, ...) ZL_PRINTF(2, 3);

/* ELIMIT: more cells than limits.points. */
zlay_status zl_sketch_fits(zlay_ctx *ctx, uint64_t columns, uint64_t rows);

/* Boxes go to the last panel, whose cells count in limits.points. */
void zl_sketch_panel(zl_sketch *s, int32_t kind, uint64_t columns, uint64_t rows, const char *name,
                     ...) ZL_PRINTF(5, 6);
void zl_sketch_column(zl_sketch *s, uint64_t i, const char *format, ...) ZL_PRINTF(3, 4);
void zl_sketch_row(zl_sketch *s, uint64_t i, const char *format, ...) ZL_PRINTF(3, 4);
void zl_sketch_box(zl_sketch *s, const zlay_box *box);

/* The fill of a number, as of a thread. */
static inline int32_t zl_sketch_shade(int64_t number)
{
    return (int32_t)((uint64_t)number % ZLAY_SHADES);
}

/* A zero behind a text whose room is one less than its bytes. */
static inline void zl_text_end(zl_text *text)
{
    text->text[text->need < text->room ? text->need : text->room] = 0;
}

/* A panel of the elements of rows x columns, with the holder of each by a layout
 * (thread, value) -> row + rows * column. */
zlay_status zl_sketch_holders(zl_sketch *s, const zlay_layout *layout, uint64_t rows,
                              uint64_t columns);

/* The picture is the caller's; on failure it is freed. */
zlay_status zl_sketch_end(zl_sketch *s, zlay_picture **out);

/* ---- printing one ---------------------------------------------------- */

static inline const zl_show_panel *zl_panel_at(const zlay_picture *p, uint64_t i)
{
    return i < p->panel.count ? (const zl_show_panel *)p->panel.at + i : NULL;
}
static inline const char *zl_text_at(const zlay_picture *p, uint64_t at)
{
    return (const char *)p->pool.at + at;
}
static inline const zl_show_box *zl_box_at(const zlay_picture *p, const zl_show_panel *panel,
                                           uint64_t i)
{
    return (const zl_show_box *)p->box.at + panel->first + i;
}
/* The text of a label of a column, or of a row. */
const char *zl_column_label(const zlay_picture *p, const zl_show_panel *panel, uint64_t i);
const char *zl_row_label(const zlay_picture *p, const zl_show_panel *panel, uint64_t i);

/* The longest label of a row. */
uint32_t zl_rows_length(const zlay_picture *p, const zl_show_panel *panel);

/* Characters of a column in which every label fits: of cells, all of them. */
uint32_t zl_column_length(const zlay_picture *p, const zl_show_panel *panel);

zlay_status zl_picture_as_text(zlay_ctx *ctx, zlay_buf *out, const zlay_picture *p,
                               const zlay_picture_form *form);
zl_writer zl_picture_as_svg, zl_picture_as_html;

#endif
