/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/text/import.h"
#include "algebra/layout/layout.h"
#include "algebra/text/format.h"

static const struct {
    const char *begins;
    zl_import_reader *read;
} formats[] = {
    {"-", zl_import_triton_list},
    {"(empty layout", zl_import_triton_empty},
    {"#", zl_import_triton_attribute},
    {"memref<", zl_import_memref},
};

static zl_import_reader *reader_of(zl_cursor *c)
{
    zl_cursor at = *c;
    for (size_t i = 0; i < ZL_COUNT(formats); i++)
        if (zl_cursor_symbol(&at, formats[i].begins)) return formats[i].read;
    return NULL;
}

static zlay_status read(zl_cursor c, zl_import_reader *reader, zl_text *out)
{
    zlay_status status = reader(&c, out);
    return status ? status : zl_cursor_end(&c);
}

static zlay_status translate(zl_cursor *c, zlay_layout **out, zl_import_reader *reader)
{
    zl_text text = {NULL, 0, 0};
    zlay_status status = read(*c, reader, &text);
    if (status) return status;
    size_t room = text.need;
    text = (zl_text){zl_scratch(c->ctx, room, 1), room, 0};
    if (!text.text) return ZLAY_ENOMEM;
    status = read(*c, reader, &text);
    return status ? status : zl_parse(c->ctx, out, text.text, room, 0);
}

static zlay_status import(zlay_ctx *ctx, zlay_layout **out, const char *text, size_t length)
{
    zl_cursor c;
    zlay_status status = zl_cursor_begin(&c, ctx, text, length);
    if (status) return status;
    zl_import_reader *reader = reader_of(&c);
    if (!reader) return zl_parse(ctx, out, text, length, 0);
    return translate(&c, out, reader);
}

zlay_status zlay_layout_import(zlay_ctx *ctx, zlay_layout **out, const char *text, size_t length)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, import(ctx, out, text, length));
}
