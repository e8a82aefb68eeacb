/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a picture as SVG: a rectangle for each box with its label, and its tip as a tooltip. Fills are
 * classes, light or dark as the reader's page is; a marked box has a thick red edge. */
#include "show/svg.h"

#include <string.h>

enum {
    LETTER = 7,
    PAD = 8,
    HIGH = 20,
    BASE = 14 /* from a row's top to its letters' feet */,
    EDGE = 10,
    BIT = 13,
    BARS_WIDE = 900,
    BAR_LEAST = 4,
    BAR_MOST = 90,
    HUES = 16,
    TURN = 7 /* so that neighbours differ */
};

/* A panel on the page: where it begins, and what a column and the row labels take. */
typedef struct place {
    const zlay_picture *p;
    const zl_show_panel *panel;
    uint32_t x, y, unit;
} place;

/* Most of a picture is numbers, which need not go through a format. */
static void put_number(zl_text *out, uint64_t n)
{
    char digits[24];
    size_t at = sizeof digits;
    do digits[--at] = (char)('0' + n % 10);
    while (n /= 10);
    zl_put(out, digits + at, sizeof digits - at);
}

static void put_attribute(zl_text *out, const char *name, uint64_t n)
{
    zl_puts(out, name);
    put_number(out, n);
    zl_puts(out, "\"");
}

void zl_put_escaped(zl_text *out, const char *text)
{
    for (; *text; text++) {
        size_t plain = strcspn(text, "<>&\"");
        zl_put(out, text, plain);
        text += plain;
        if (!*text) return;
        zl_puts(out, *text == '<'   ? "&lt;"
                     : *text == '>' ? "&gt;"
                     : *text == '&' ? "&amp;"
                                    : "&quot;");
    }
}

/* ---- sizes ------------------------------------------------------------ */

static uint32_t unit_of(const zlay_picture *p, const zl_show_panel *panel)
{
    uint32_t bar = BARS_WIDE / panel->columns;
    if (panel->kind == ZLAY_PANEL_BITS) return BIT;
    if (panel->kind == ZLAY_PANEL_CELLS || panel->kind == ZLAY_PANEL_STEPS)
        return LETTER * zl_column_length(p, panel) + PAD;
    return bar < BAR_LEAST ? BAR_LEAST : bar > BAR_MOST ? BAR_MOST : bar;
}

static bool has_name(const place *at)
{
    return *zl_text_at(at->p, at->panel->name) != 0;
}

static uint32_t top(const place *at)
{
    return at->y + (has_name(at) ? HIGH : 0) + HIGH;
}

/* Fields are listed below their bits, for few labels fit. */
static uint32_t bottom(const place *at)
{
    uint64_t listed = at->panel->kind == ZLAY_PANEL_BITS ? at->panel->boxes : 0;
    return top(at) + HIGH * (uint32_t)(at->panel->rows + listed) + EDGE;
}

static uint32_t listed_length(const place *at)
{
    uint32_t length = 0;
    for (uint64_t i = 0; at->panel->kind == ZLAY_PANEL_BITS && i < at->panel->boxes; i++) {
        const zl_show_box *box = zl_box_at(at->p, at->panel, i);
        uint32_t one = (uint32_t)(strlen(zl_text_at(at->p, box->label)) +
                                  strlen(zl_text_at(at->p, box->tip))) +
                       16;
        length = one > length ? one : length;
    }
    return length * LETTER;
}

static uint32_t right(const place *at)
{
    uint32_t boxes = at->x + at->panel->columns * at->unit, listed = EDGE + listed_length(at);
    uint32_t name = EDGE + LETTER * (uint32_t)strlen(zl_text_at(at->p, at->panel->name));
    uint32_t most = boxes > listed ? boxes : listed;
    return (name > most ? name : most) + EDGE;
}

static place placed(const zlay_picture *p, uint64_t i, uint32_t y)
{
    const zl_show_panel *panel = zl_panel_at(p, i);
    uint32_t labels = zl_rows_length(p, panel);
    return (place){p, panel, EDGE + (labels ? LETTER * labels + PAD : 0), y, unit_of(p, panel)};
}

/* ---- boxes ------------------------------------------------------------ */

static void put_text(zl_text *out, uint32_t x, uint32_t y, const char *anchor, const char *text)
{
    if (!*text) return;
    put_attribute(out, "<text x=\"", x);
    put_attribute(out, " y=\"", y);
    zl_puts(out, anchor);
    zl_puts(out, ">");
    zl_put_escaped(out, text);
    zl_puts(out, "</text>");
}

static void put_classes(zl_text *out, const zl_show_box *box)
{
    zl_puts(out, "<g class=\"b");
    if (box->shade >= 0) zl_puts(out, " s"), put_number(out, (uint64_t)box->shade);
    zl_puts(out, box->marked ? " m\"" : "\"");
    if (box->key >= 0) put_attribute(out, " data-key=\"", (uint64_t)box->key);
    if (box->step >= 0) put_attribute(out, " data-step=\"", (uint64_t)box->step);
    zl_puts(out, ">");
}

static void put_box(zl_text *out, const place *at, const zl_show_box *box)
{
    const char *label = zl_text_at(at->p, box->label), *tip = zl_text_at(at->p, box->tip);
    uint32_t x = at->x + box->column * at->unit, y = top(at) + box->row * HIGH,
             wide = box->width * at->unit;
    bool fits = LETTER * strlen(label) <= wide;
    put_classes(out, box);
    if (*tip) zl_puts(out, "<title>"), zl_put_escaped(out, tip), zl_puts(out, "</title>");
    put_attribute(out, "<rect x=\"", x);
    put_attribute(out, " y=\"", y);
    put_attribute(out, " width=\"", wide);
    put_attribute(out, " height=\"", HIGH);
    zl_puts(out, "/>");
    if (fits) put_text(out, x + wide / 2, y + BASE, "", label);
    zl_puts(out, "</g>\n");
}

static void put_list(zl_text *out, const place *at)
{
    uint32_t y = top(at) + at->panel->rows * HIGH;
    for (uint64_t i = 0; i < at->panel->boxes; i++) {
        const zl_show_box *box = zl_box_at(at->p, at->panel, i);
        uint64_t low = (uint64_t)box->row * at->panel->columns + box->column;
        put_attribute(out, "<text class=\"l\" x=\"", EDGE);
        put_attribute(out, " y=\"", y + HIGH * (uint32_t)i + BASE);
        zl_puts(out, ">");
        put_number(out, low);
        zl_puts(out, "..");
        put_number(out, low + box->width - 1);
        zl_puts(out, " ");
        zl_put_escaped(out, zl_text_at(at->p, box->label));
        zl_puts(out, " ");
        zl_put_escaped(out, zl_text_at(at->p, box->tip));
        zl_puts(out, "</text>\n");
    }
}

/* Of bars and bits a label has room up to the next one. */
static void put_columns(zl_text *out, const place *at)
{
    uint32_t filled = 0;
    for (uint32_t c = 0; c < at->panel->columns; c++) {
        const char *label = zl_column_label(at->p, at->panel, c);
        uint32_t x = at->x + c * at->unit;
        if (x < filled || !*label) continue;
        if (at->panel->kind == ZLAY_PANEL_CELLS)
            put_text(out, x + at->unit / 2, top(at) - HIGH + BASE, "", label);
        else
            put_text(out, x, top(at) - HIGH + BASE, " class=\"l\"", label),
                filled = x + LETTER * (uint32_t)strlen(label) + PAD;
    }
    zl_puts(out, "\n");
}

static void put_panel(zl_text *out, const place *at)
{
    put_text(out, EDGE, at->y + BASE, " class=\"l h\"", zl_text_at(at->p, at->panel->name));
    put_columns(out, at);
    for (uint32_t r = 0; r < at->panel->rows; r++)
        put_text(out, at->x - PAD, top(at) + r * HIGH + BASE, " class=\"r\"",
                 zl_row_label(at->p, at->panel, r));
    zl_puts(out, "\n");
    for (uint64_t i = 0; i < at->panel->boxes; i++)
        put_box(out, at, zl_box_at(at->p, at->panel, i));
    if (at->panel->kind == ZLAY_PANEL_BITS) put_list(out, at);
}

/* ---- the page --------------------------------------------------------- */

static void put_fills(zl_text *out, const char *before, uint32_t strong, uint32_t light)
{
    for (uint32_t i = 0; i < HUES; i++)
        zl_putf(out, "%s.s%u rect{fill:hsl(%u,%u%%,%u%%)}\n", before, i,
                i * TURN % HUES * 360 / HUES, strong, light);
}

static void put_style(zl_text *out)
{
    zl_puts(out,
            "<style>\ntext{font:12px "
            "monospace;text-anchor:middle;fill:#111}\n.l{text-anchor:start}\n.r{text-anchor:end}\n"
            ".h{font-weight:bold}\n.b rect{fill:#fff;stroke:#777}\n");
    put_fills(out, "", 70, 84);
    zl_puts(out, ".m rect{stroke:#d00;stroke-width:3}\n@media "
                 "(prefers-color-scheme:dark){\ntext{fill:#eee}\n.b rect{fill:#222;stroke:#999}\n");
    put_fills(out, "", 45, 30);
    zl_puts(out, ".m rect{stroke:#f55}\n}\n</style>\n");
}

void zl_picture_as_svg(zl_text *out, const void *value)
{
    const zlay_picture *p = value;
    uint32_t wide = EDGE + LETTER * (uint32_t)strlen(zlay_picture_title(p)) + EDGE,
             high = EDGE + HIGH;
    for (uint64_t i = 0; i < p->panel.count; i++) {
        place at = placed(p, i, high);
        high = bottom(&at);
        wide = right(&at) > wide ? right(&at) : wide;
    }
    for (uint64_t i = 0; i < p->note.count; i++) {
        uint32_t note = 2 * EDGE + LETTER * (uint32_t)strlen(zlay_picture_note_nth(p, i));
        wide = note > wide ? note : wide;
    }
    uint32_t notes = high, all = high + HIGH * (uint32_t)p->note.count + EDGE;
    zl_putf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u "
            "%u\">\n",
            wide, all, wide, all);
    put_style(out);
    put_text(out, EDGE, EDGE + BASE, " class=\"l h\"", zlay_picture_title(p));
    high = EDGE + HIGH;
    for (uint64_t i = 0; i < p->panel.count; i++) {
        place at = placed(p, i, high);
        put_panel(out, &at);
        high = bottom(&at);
    }
    for (uint64_t i = 0; i < p->note.count; i++)
        put_text(out, EDGE, notes + HIGH * (uint32_t)i + BASE, " class=\"l\"",
                 zlay_picture_note_nth(p, i));
    zl_puts(out, "</svg>\n");
}
