/* SPDX-License-Identifier: Apache-2.0 */
/* Slices and enlargements of a mode: their fields, which are those of the library's structs. */
#include "json/json.h"

typedef struct slice_asked {
    const zlay_layout *a;
    zlay_slice by;
} slice_asked;

static const zl_field slice_rows[] = {
    {"layout", ZL_NEEDS, ZL_AT(zl_as_layout, slice_asked, a)},
    {"mode", ZL_NEEDS, ZL_AT(zl_as_u64, slice_asked, by.mode)},
    {"begin", ZL_NEEDS, ZL_AT(zl_as_i64, slice_asked, by.begin)},
    {"end", ZL_NEEDS, ZL_AT(zl_as_i64, slice_asked, by.end)},
    {"step", ZL_MAY, ZL_AT(zl_as_i64, slice_asked, by.step)},
};
const zl_fields zl_sliced_fields = {ZL_ROWS(slice_rows, slice_asked),
                                    .start = &(const slice_asked){.by = {.step = 1}}};

zlay_status zl_make_sliced(zl_call *call, zlay_layout **out, const void *asked)
{
    const slice_asked *s = asked;
    return zlay_layout_slice(call->ctx, out, s->a, &s->by);
}

/* ---- pad --------------------------------------------------------------------------------- */

static const zl_named fills[] = {{"repeat", ZLAY_PAD_REPEAT}, {"zero", ZLAY_PAD_ZERO}, {NULL, 0}};

static zlay_status read_fill(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *value = json_object_get(object, field->name);
    if (json_is_null(value)) return ZLAY_OK;
    if (!json_is_string(value)) return zl_wrong(call, "fill", "\"repeat\", \"zero\" or null");
    return zl_get_word(call, object, field->name, fills, to);
}

static const zl_field_kind as_fill = {.read = read_fill, .type = "text"};
typedef int32_t as_fill_type;

typedef struct pad_asked {
    const zlay_layout *a;
    zlay_pad by;
} pad_asked;

static const zl_field pad_rows[] = {
    {"layout", ZL_NEEDS, ZL_AT(zl_as_layout, pad_asked, a)},
    {"mode", ZL_NEEDS, ZL_AT(zl_as_u64, pad_asked, by.mode)},
    {"before", ZL_NEEDS, ZL_AT(zl_as_u64, pad_asked, by.before)},
    {"after", ZL_NEEDS, ZL_AT(zl_as_u64, pad_asked, by.after)},
    {"fill", ZL_MAY, ZL_AT(as_fill, pad_asked, by.fill)},
};
const zl_fields zl_padded_fields = {ZL_ROWS(pad_rows, pad_asked)};

zlay_status zl_make_padded(zl_call *call, zlay_layout **out, const void *asked)
{
    const pad_asked *p = asked;
    return zlay_layout_pad(call->ctx, out, p->a, &p->by);
}
