/* SPDX-License-Identifier: Apache-2.0 */
/* Answers with a picture: as JSON, every label of every box, or as text, SVG or HTML. */
#include "json/show/show.h"

enum { AS_JSON = 0 };

static const zl_named forms[] = {{"json", AS_JSON},
                                 {"text", ZLAY_PICTURE_TEXT},
                                 {"svg", ZLAY_PICTURE_SVG},
                                 {"html", ZLAY_PICTURE_HTML},
                                 {NULL, 0}};

static const zl_named kinds[] = {
    {"cells", ZLAY_PANEL_CELLS}, {"bits", ZLAY_PANEL_BITS}, {"bars", ZLAY_PANEL_BARS},
    {"steps", ZLAY_PANEL_STEPS}, {NULL, 0}};

static const zl_field form_rows[] = {
    {"form", ZL_MAY, ZL_AT(zl_as_word, zl_show_asked, form), .of = forms},
    {"width", ZL_MAY, ZL_AT(zl_as_u32, zl_show_asked, width)},
    {"colour", ZL_MAY, ZL_AT(zl_as_flag, zl_show_asked, colour)},
};
const zl_fields zl_form_fields = {ZL_ROWS(form_rows, zl_show_asked)};

/* ---- JSON ------------------------------------------------------------- */

static void put_number(zl_call *call, json_t *object, const char *name, int64_t number)
{
    if (number >= 0) zl_put_value(call, object, name, json_integer(number));
}

static json_t *box_value(zl_call *call, const zlay_box *box)
{
    json_t *value = json_object();
    zl_put_value(call, value, "column", json_integer(box->column));
    zl_put_value(call, value, "row", json_integer(box->row));
    if (box->width != 1) put_number(call, value, "width", box->width);
    zl_put_value(call, value, "label", json_string(box->label));
    if (*box->tip) zl_put_value(call, value, "tip", json_string(box->tip));
    put_number(call, value, "shade", box->shade);
    if (box->marked) zl_put_value(call, value, "marked", json_true());
    put_number(call, value, "key", box->key);
    put_number(call, value, "step", box->step);
    return value;
}

typedef const char *label_of(const zlay_picture *picture, uint64_t panel, uint64_t i);

static json_t *labels_value(zl_call *call, const zlay_picture *picture, uint64_t panel,
                            label_of *label)
{
    json_t *list = json_array();
    for (uint64_t i = 0; label(picture, panel, i); i++)
        zl_put_item(call, list, json_string(label(picture, panel, i)));
    return list;
}

static json_t *panel_value(zl_call *call, const zlay_picture *picture, uint64_t i,
                           const zlay_panel *panel)
{
    zlay_box box;
    json_t *value = json_object(), *boxes = json_array();
    zl_put_value(call, value, "name", json_string(panel->name));
    zl_put_value(call, value, "kind", json_string(zl_word_of(kinds, panel->kind)));
    zl_put_value(call, value, "columns", labels_value(call, picture, i, zlay_picture_column));
    zl_put_value(call, value, "rows", labels_value(call, picture, i, zlay_picture_row));
    for (uint64_t b = 0; !zlay_picture_box_nth(&box, picture, i, b); b++)
        zl_put_item(call, boxes, box_value(call, &box));
    zl_put_value(call, value, "boxes", boxes);
    return value;
}

static json_t *picture_value(zl_call *call, const zlay_picture *picture)
{
    zlay_panel panel;
    json_t *value = json_object(), *panels = json_array(), *notes = json_array();
    zl_put_value(call, value, "title", json_string(zlay_picture_title(picture)));
    for (uint64_t i = 0; !zlay_picture_panel_nth(&panel, picture, i); i++)
        zl_put_item(call, panels, panel_value(call, picture, i, &panel));
    for (uint64_t i = 0; zlay_picture_note_nth(picture, i); i++)
        zl_put_item(call, notes, json_string(zlay_picture_note_nth(picture, i)));
    zl_put_value(call, value, "panels", panels);
    zl_put_value(call, value, "notes", notes);
    return value;
}

/* ---- texts ------------------------------------------------------------ */

typedef struct printed {
    const zlay_picture *picture;
    zlay_picture_form form;
} printed;

static zlay_status print(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const printed *p = value;
    return zlay_picture_print(ctx, out, p->picture, &p->form);
}

static zlay_status answer(zl_call *call, const zlay_picture *picture, const zl_show_asked *asked)
{
    const printed p = {picture,
                       {.size = sizeof p.form,
                        .form = asked->form,
                        .width = asked->width,
                        .colour = asked->colour}};
    if (asked->form == AS_JSON) {
        call->value = picture_value(call, picture);
        return ZLAY_OK;
    }
    call->value = json_object();
    return zl_put_printed(call, "text", print, &p);
}

zlay_status zl_put_picture(zl_call *call, zlay_status status, zlay_picture *picture,
                           const zl_show_asked *form)
{
    if (status) return status;
    status = answer(call, picture, form);
    zlay_picture_free(picture);
    return status;
}
