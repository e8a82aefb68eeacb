/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a picture as lines of ASCII: cells in columns of one width, bits as a list of fields, bars as
 * what lasts. What is wider than a line is divided into bands of columns. */
#include "show/picture.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH_USUAL = 80, WIDTH_LEAST = 20, ROW_LABEL_MOST = 24 };

/* The picture, and of each panel the number of the box at each of its cells, counted from 1. */
typedef struct lines {
    const zlay_picture *p;
    uint32_t width;
    bool colour;
    uint32_t **at;
} lines;

/* A band of columns of a panel: its first and the one behind its last, the characters of a column. */
typedef struct band {
    const lines *l;
    const zl_show_panel *panel;
    const uint32_t *at;
    uint32_t first, end, unit, left;
} band;

static void put_padded(zl_text *out, const char *text, size_t length, uint32_t room)
{
    if (length < room) zl_put_times(out, " ", room - (uint32_t)length);
    zl_put(out, text, length < room ? length : room);
}

/* ---- boxes ------------------------------------------------------------ */

/* Backgrounds of a terminal of 256 colours that black letters are read on. */
static void colour_begin(zl_text *out, const lines *l, const zl_show_box *box)
{
    static const uint8_t code[ZLAY_SHADES] = {152, 223, 158, 182, 229, 117, 217, 194,
                                              147, 215, 122, 225, 187, 153, 210, 156};
    if (!l->colour) return;
    if (box->marked) zl_puts(out, "\033[1;97;41m");
    else if (box->shade >= 0) zl_putf(out, "\033[30;48;5;%um", code[box->shade]);
}

static void colour_end(zl_text *out, const lines *l)
{
    if (l->colour) zl_puts(out, "\033[0m");
}

static void put_cell(zl_text *out, const band *b, const zl_show_box *box, uint32_t room)
{
    const char *label = zl_text_at(b->l->p, box->label);
    zl_puts(out, " ");
    colour_begin(out, b->l, box);
    put_padded(out, label, strlen(label), room - 1 - box->marked);
    if (box->marked) zl_puts(out, "!");
    colour_end(out, b->l);
}

static void put_bar(zl_text *out, const band *b, const zl_show_box *box, uint32_t room)
{
    const char *label = zl_text_at(b->l->p, box->label);
    size_t length = strlen(label), fits = length < room - 1 ? length : room - 1;
    colour_begin(out, b->l, box);
    if (room == 1) zl_put(out, length ? label : "|", 1);
    else zl_puts(out, "|");
    if (room > 1) zl_put(out, label, fits);
    if (room > 1) zl_put_times(out, box->marked ? "!" : "-", room - 1 - (uint32_t)fits);
    colour_end(out, b->l);
}

static void put_row(zl_text *out, const band *b, uint32_t row)
{
    const char *label = zl_row_label(b->l->p, b->panel, row);
    bool bars = b->panel->kind != ZLAY_PANEL_CELLS;
    uint32_t blank = bars; /* no line ends with blanks */
    put_padded(out, label, strlen(label), b->left);
    for (uint32_t c = b->first; c < b->end;) {
        uint32_t number = b->at[(uint64_t)row * b->panel->columns + c], from = c++;
        while (number && c < b->end && b->at[(uint64_t)row * b->panel->columns + c] == number) c++;
        const zl_show_box *box = number ? zl_box_at(b->l->p, b->panel, number - 1) : NULL;
        uint32_t room = b->unit * (c - from);
        if (box && bars) {
            zl_put_times(out, " ", blank);
            blank = 0;
            put_bar(out, b, box, room);
        } else if (box) {
            put_cell(out, b, box, room);
        } else if (bars) {
            blank += room;
        } else {
            put_padded(out, ".", 1, room);
        }
    }
    zl_puts(out, "\n");
}

/* ---- panels ----------------------------------------------------------- */

/* Of bars a label may be wider than its column: the next one that has room behind it follows. */
static void put_columns(zl_text *out, const band *b)
{
    uint32_t filled = 0;
    bool bars = b->panel->kind != ZLAY_PANEL_CELLS;
    zl_put_times(out, " ", b->left + bars);
    for (uint32_t c = b->first; c < b->end; c++) {
        const char *label = zl_column_label(b->l->p, b->panel, c);
        uint32_t length = (uint32_t)strlen(label), begins = (c - b->first) * b->unit;
        if (!bars) put_padded(out, label, length, b->unit);
        if (!bars || !length || (filled && begins <= filled)) continue;
        zl_put_times(out, " ", begins - filled);
        zl_puts(out, label);
        filled = begins + length;
    }
    zl_puts(out, "\n");
}

static bool has_columns(const lines *l, const zl_show_panel *panel)
{
    for (uint32_t c = 0; c < panel->columns; c++)
        if (*zl_column_label(l->p, panel, c)) return true;
    return false;
}

/* Whether no box lies over the border before a column. */
static bool ends_before(const zl_show_panel *panel, const uint32_t *at, uint32_t column)
{
    for (uint32_t r = 0; r < panel->rows; r++) {
        const uint32_t *row = at + (uint64_t)r * panel->columns;
        if (row[column] && row[column] == row[column - 1]) return false;
    }
    return true;
}

/* Where a band of at most `each` columns ends: where no box is divided, if there is such a place. */
static uint32_t band_end(const zl_show_panel *panel, const uint32_t *at, uint32_t first, uint32_t each)
{
    if (panel->columns - first <= each) return panel->columns;
    for (uint32_t end = first + each; end > first && panel->kind == ZLAY_PANEL_CELLS; end--)
        if (ends_before(panel, at, end)) return end;
    return first + each;
}

static uint32_t label_length(const lines *l, const zl_show_panel *panel)
{
    uint32_t length = 0;
    for (uint64_t i = 0; i < panel->boxes; i++) {
        uint32_t one = (uint32_t)strlen(zl_text_at(l->p, zl_box_at(l->p, panel, i)->label));
        length = one > length ? one : length;
    }
    return length;
}

/* Characters of a column in which every label fits; of steps also in each band that a bar is in. */
static uint32_t unit_of(const lines *l, const zl_show_panel *panel)
{
    if (panel->kind == ZLAY_PANEL_STEPS) return label_length(l, panel) + 2;
    return zl_column_length(l->p, panel) + 1;
}

static void put_bands(zl_text *out, const lines *l, const zl_show_panel *panel, const uint32_t *at)
{
    bool bars = panel->kind != ZLAY_PANEL_CELLS, labelled = has_columns(l, panel);
    uint32_t label = zl_rows_length(l->p, panel),
             left = label < ROW_LABEL_MOST ? label : ROW_LABEL_MOST;
    uint32_t needs = unit_of(l, panel),
             room = l->width > left + bars ? l->width - left - bars : 1;
    uint32_t unit = needs;
    if (panel->kind == ZLAY_PANEL_BARS && room / panel->columns < needs)
        unit = room / panel->columns;
    if (!unit) unit = 1;
    uint32_t each = room / unit ? room / unit : 1;
    for (uint32_t first = 0, end; first < panel->columns; first = end) {
        end = band_end(panel, at, first, each);
        band b = {l, panel, at, first, end, unit, left};
        if (first) zl_puts(out, "\n");
        if (labelled) put_columns(out, &b);
        for (uint32_t r = 0; r < panel->rows; r++) put_row(out, &b, r);
    }
}

/* A line for each field: its bits, its name, and what the tip says. */
static void put_fields(zl_text *out, const lines *l, const zl_show_panel *panel)
{
    uint32_t length = label_length(l, panel);
    for (uint64_t i = 0; i < panel->boxes; i++) {
        const zl_show_box *box = zl_box_at(l->p, panel, i);
        const char *label = zl_text_at(l->p, box->label);
        uint64_t low = (uint64_t)box->row * panel->columns + box->column;
        zl_putf(out, "%5llu..%-5llu %s%s", (unsigned long long)low,
                (unsigned long long)(low + box->width - 1), label, box->marked ? "!" : " ");
        zl_put_times(out, " ", length + 1 - (uint32_t)strlen(label));
        zl_puts(out, zl_text_at(l->p, box->tip));
        zl_puts(out, "\n");
    }
}

static void write_lines(zl_text *out, const void *value)
{
    const lines *l = value;
    zl_puts(out, zlay_picture_title(l->p));
    zl_puts(out, "\n");
    for (uint64_t i = 0; i < l->p->panel.count; i++) {
        const zl_show_panel *panel = zl_panel_at(l->p, i);
        const char *name = zl_text_at(l->p, panel->name);
        if (i) zl_puts(out, "\n");
        if (*name) zl_puts(out, name), zl_puts(out, "\n");
        if (panel->kind == ZLAY_PANEL_BITS) put_fields(out, l, panel);
        else put_bands(out, l, panel, l->at[i]);
    }
    for (uint64_t i = 0; zlay_picture_note_nth(l->p, i); i++) {
        zl_puts(out, zlay_picture_note_nth(l->p, i));
        zl_puts(out, "\n");
    }
}

/* ---- where boxes are -------------------------------------------------- */

static zlay_status place(zlay_ctx *ctx, const lines *l, uint64_t i)
{
    const zl_show_panel *panel = zl_panel_at(l->p, i);
    uint64_t cells = (uint64_t)panel->columns * panel->rows;
    uint32_t *at = zl_scratch(ctx, cells, sizeof *at);
    if (!at) return ZLAY_ENOMEM;
    l->at[i] = at;
    for (uint64_t n = 0; n < panel->boxes; n++) {
        const zl_show_box *box = zl_box_at(l->p, panel, n);
        uint64_t first = (uint64_t)box->row * panel->columns + box->column;
        for (uint32_t c = 0; c < box->width; c++) at[first + c] = (uint32_t)n + 1;
    }
    return ZLAY_OK;
}

zlay_status zl_picture_as_text(zlay_ctx *ctx, zlay_buf *out, const zlay_picture *p,
                               const zlay_picture_form *form)
{
    lines l = {p, form->width ? form->width : WIDTH_USUAL, form->colour != 0, NULL};
    if (l.width < WIDTH_LEAST)
        return zl_fail(ctx, ZLAY_EINVAL, "width: %u characters; a line has at least %d", l.width,
                       WIDTH_LEAST);
    l.at = zl_scratch(ctx, p->panel.count + 1, sizeof *l.at);
    zlay_status status = l.at ? ZLAY_OK : ZLAY_ENOMEM;
    for (uint64_t i = 0; i < p->panel.count && !status; i++)
        if (zl_panel_at(p, i)->kind != ZLAY_PANEL_BITS) status = place(ctx, &l, i);
    return status ? status : zl_print(out, write_lines, &l);
}
