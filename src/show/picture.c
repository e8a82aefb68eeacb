/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a picture box by box, in tables that grow, and reads it. All texts lie in one pool. */
#include "show/picture.h"

#include <inttypes.h>
#include <string.h>

enum { FIRST = 64 /* entries of a table */, LINE = 512 /* bytes of a formatted text */ };

/* ---- tables ----------------------------------------------------------- */

/* Where `count` more entries begin; NULL, and the sketch has failed. */
static void *more(zl_sketch *s, zl_show_table *t, uint64_t count, size_t size)
{
    uint64_t room = t->room ? t->room : FIRST;
    if (s->status) return NULL;
    while (room < t->count + count) room *= 2;
    if (room > t->room) {
        void *grown = zl_alloc(s->ctx, room, size);
        if (!grown) return s->status = ZLAY_ENOMEM, NULL;
        if (t->count) memcpy(grown, t->at, t->count * size);
        zl_free(&s->picture->alloc, t->at, t->room * size);
        t->at = grown;
        t->room = room;
    }
    t->count += count;
    return (char *)t->at + (t->count - count) * size;
}

static void table_free(const zlay_picture *p, const zl_show_table *t, size_t size)
{
    zl_free(&p->alloc, t->at, t->room * size);
}

void zlay_picture_free(zlay_picture *picture)
{
    if (!picture) return;
    zlay_allocator alloc = picture->alloc;
    table_free(picture, &picture->panel, sizeof(zl_show_panel));
    table_free(picture, &picture->box, sizeof(zl_show_box));
    table_free(picture, &picture->label, sizeof(uint64_t));
    table_free(picture, &picture->note, sizeof(uint64_t));
    table_free(picture, &picture->pool, 1);
    zl_free(&alloc, picture, sizeof *picture);
}

/* ---- texts ------------------------------------------------------------ */

/* A copy of a text. A control character is a question mark: terminals obey them, and XML has none. */
static uint64_t keep(zl_sketch *s, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    if (s->status || !length) return 0;
    uint64_t at = s->picture->pool.count;
    char *room = more(s, &s->picture->pool, length + 1, 1);
    for (size_t i = 0; room && i <= length; i++) {
        unsigned char c = (unsigned char)text[i];
        room[i] = (c && c < 0x20) || c == 0x7f ? '?' : text[i];
    }
    return room ? at : 0;
}

static uint64_t keep_formatted(zl_sketch *s, const char *format, va_list args)
{
    char line[LINE];
    zl_text out = {line, sizeof line - 1, 0};
    zl_vputf(&out, format, args);
    line[out.need < sizeof line - 1 ? out.need : sizeof line - 1] = 0;
    return keep(s, line);
}

/* ---- sketches --------------------------------------------------------- */

zl_sketch zl_sketch_begin(zlay_ctx *ctx, const char *title, ...)
{
    va_list args;
    zl_sketch s = {ctx, zl_alloc(ctx, 1, sizeof(zlay_picture)), ZLAY_OK};
    if (!s.picture) return s.status = ZLAY_ENOMEM, s;
    s.picture->alloc = zl_allocator(ctx);
    more(&s, &s.picture->pool, 1, 1); /* the empty text */
    va_start(args, title);
    s.picture->title = keep_formatted(&s, title, args);
    va_end(args);
    return s;
}

void zl_sketch_note(zl_sketch *s, const char *format, ...)
{
    va_list args;
    uint64_t *note = s->status ? NULL : more(s, &s->picture->note, 1, sizeof *note);
    if (!note) return;
    va_start(args, format);
    uint64_t at = keep_formatted(s, format, args);
    va_end(args);
    *note = at;
}

zlay_status zl_sketch_fits(zlay_ctx *ctx, uint64_t columns, uint64_t rows)
{
    uint64_t most = zl_limits(ctx)->points, cells = zl_umul_sat(columns, rows);
    if (!cells) return zl_fail(ctx, ZLAY_EINVAL, "a picture of nothing");
    if (cells <= most && cells <= UINT32_MAX) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ELIMIT, "limit points %" PRIu64 ": a picture of %" PRIu64 " cells",
                   most, cells);
}

void zl_sketch_panel(zl_sketch *s, int32_t kind, uint64_t columns, uint64_t rows, const char *name,
                     ...)
{
    va_list args;
    if (!s->status) s->status = zl_sketch_fits(s->ctx, columns, rows);
    if (!s->status) s->status = zl_charge(s->ctx, columns * rows);
    zl_show_panel *panel = s->status ? NULL : more(s, &s->picture->panel, 1, sizeof *panel);
    if (!panel) return;
    *panel = (zl_show_panel){.first = s->picture->box.count,
                             .labels = s->picture->label.count,
                             .columns = (uint32_t)columns,
                             .rows = (uint32_t)rows,
                             .kind = kind};
    va_start(args, name);
    panel->name = keep_formatted(s, name, args);
    va_end(args);
    more(s, &s->picture->label, columns + rows, sizeof(uint64_t));
}

static zl_show_panel *last(const zl_sketch *s)
{
    return (zl_show_panel *)s->picture->panel.at + s->picture->panel.count - 1;
}

static void keep_label(zl_sketch *s, uint64_t i, const char *format, va_list args)
{
    uint64_t at = keep_formatted(s, format, args);
    ((uint64_t *)s->picture->label.at)[last(s)->labels + i] = at;
}

void zl_sketch_column(zl_sketch *s, uint64_t i, const char *format, ...)
{
    va_list args;
    if (s->status || i >= last(s)->columns) return;
    va_start(args, format);
    keep_label(s, i, format, args);
    va_end(args);
}

void zl_sketch_row(zl_sketch *s, uint64_t i, const char *format, ...)
{
    va_list args;
    if (s->status || i >= last(s)->rows) return;
    va_start(args, format);
    keep_label(s, last(s)->columns + i, format, args);
    va_end(args);
}

void zl_sketch_box(zl_sketch *s, const zlay_box *box)
{
    zl_show_box *to = s->status ? NULL : more(s, &s->picture->box, 1, sizeof *to);
    if (!to) return;
    uint64_t i = s->picture->box.count - 1, label = keep(s, box->label), tip = keep(s, box->tip);
    to = (zl_show_box *)s->picture->box.at + i;
    *to = (zl_show_box){label,           tip,      box->key,   box->step,
                        box->column,     box->row, box->width, (int16_t)box->shade,
                        box->marked != 0};
    last(s)->boxes++;
}

zlay_status zl_sketch_end(zl_sketch *s, zlay_picture **out)
{
    if (s->status) zlay_picture_free(s->picture);
    else *out = s->picture;
    return s->status;
}

/* ---- reading ---------------------------------------------------------- */

static const char *label_text(const zlay_picture *p, uint64_t i)
{
    return zl_text_at(p, ((const uint64_t *)p->label.at)[i]);
}

const char *zl_column_label(const zlay_picture *p, const zl_show_panel *panel, uint64_t i)
{
    return label_text(p, panel->labels + i);
}

const char *zl_row_label(const zlay_picture *p, const zl_show_panel *panel, uint64_t i)
{
    return label_text(p, panel->labels + panel->columns + i);
}

static uint32_t greater(uint32_t a, size_t b)
{
    return a > b ? a : (uint32_t)b;
}

uint32_t zl_rows_length(const zlay_picture *p, const zl_show_panel *panel)
{
    uint32_t length = 0;
    for (uint64_t r = 0; r < panel->rows; r++)
        length = greater(length, strlen(zl_row_label(p, panel, r)));
    return length;
}

uint32_t zl_column_length(const zlay_picture *p, const zl_show_panel *panel)
{
    uint32_t length = 1;
    for (uint64_t c = 0; c < panel->columns; c++)
        length = greater(length, strlen(zl_column_label(p, panel, c)));
    for (uint64_t i = 0; i < panel->boxes; i++) {
        const zl_show_box *box = zl_box_at(p, panel, i);
        size_t whole = strlen(zl_text_at(p, box->label)) + box->marked;
        length = greater(length, (whole + box->width - 1) / box->width);
    }
    return length;
}

const char *zlay_picture_title(const zlay_picture *picture)
{
    return picture ? zl_text_at(picture, picture->title) : "";
}

const char *zlay_picture_note_nth(const zlay_picture *picture, uint64_t i)
{
    return picture && i < picture->note.count
               ? zl_text_at(picture, ((const uint64_t *)picture->note.at)[i])
               : NULL;
}

zlay_status zlay_picture_panel_nth(zlay_panel *out, const zlay_picture *picture, uint64_t i)
{
    if (!out || !picture) return ZLAY_EINVAL;
    const zl_show_panel *panel = zl_panel_at(picture, i);
    if (!panel) return ZLAY_NONE;
    *out = (zlay_panel){zl_text_at(picture, panel->name),
                        panel->kind,
                        panel->columns,
                        panel->rows,
                        0,
                        panel->boxes};
    return ZLAY_OK;
}

zlay_status zlay_picture_box_nth(zlay_box *out, const zlay_picture *picture, uint64_t panel,
                                 uint64_t i)
{
    if (!out || !picture) return ZLAY_EINVAL;
    const zl_show_panel *of = zl_panel_at(picture, panel);
    if (!of || i >= of->boxes) return ZLAY_NONE;
    const zl_show_box *box = zl_box_at(picture, of, i);
    *out = (zlay_box){box->column,
                      box->row,
                      box->width,
                      box->shade,
                      box->marked,
                      0,
                      box->key,
                      box->step,
                      zl_text_at(picture, box->label),
                      zl_text_at(picture, box->tip)};
    return ZLAY_OK;
}

const char *zlay_picture_column(const zlay_picture *picture, uint64_t panel, uint64_t i)
{
    const zl_show_panel *of = picture ? zl_panel_at(picture, panel) : NULL;
    return of && i < of->columns ? zl_column_label(picture, of, i) : NULL;
}

const char *zlay_picture_row(const zlay_picture *picture, uint64_t panel, uint64_t i)
{
    const zl_show_panel *of = picture ? zl_panel_at(picture, panel) : NULL;
    return of && i < of->rows ? zl_row_label(picture, of, i) : NULL;
}
