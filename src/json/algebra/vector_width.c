/* SPDX-License-Identifier: Apache-2.0 */
/* layout.vector_width: the widest contiguous, aligned access along a mode. */
#include "json/json.h"

enum { GLOBAL, SHARED, DEPTH_MOST = 64 };
static const zl_named spaces[] = {{"global", GLOBAL}, {"shared", SHARED}, {NULL, 0}};

typedef struct asked {
    const zlay_layout *layout;
    const zlay_target *target;
    const zlay_facts *facts;
    zlay_vector_request request;
    int32_t space;
    uint32_t path[DEPTH_MOST];
} asked;

static bool entry(const json_t *value, uint32_t *out)
{
    uint64_t wide;
    if (!json_is_integer(value) || !zl_json_u64(value, &wide) || wide > UINT32_MAX) return false;
    *out = (uint32_t)wide;
    return true;
}

static zlay_status read_mode(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    asked *a = to;
    const json_t *mode = json_object_get(object, field->name);
    bool list = json_is_array(mode), read = true;
    size_t depth = list ? json_array_size(mode) : 1;
    for (size_t i = 0; i < depth && i < DEPTH_MOST; i++)
        read = read && entry(list ? json_array_get(mode, i) : mode, &a->path[i]);
    if (!read || depth > DEPTH_MOST)
        return zl_wrong(call, "mode", "an index, or a list of indices, the outermost first");
    a->request.depth = depth;
    return ZLAY_OK;
}

static const zl_field_kind as_mode = {.read = read_mode};
typedef asked as_mode_type;

static const zl_field vector_rows[] = {
    {"layout", ZL_NEEDS, ZL_AT(zl_as_layout, asked, layout)},
    {"mode", ZL_NEEDS, ZL_WHOLE(as_mode, asked)},
    {"elem_bytes", ZL_NEEDS, ZL_AT(zl_as_u32, asked, request.elem_bytes)},
    {"base_align", ZL_NEEDS, ZL_AT(zl_as_u64, asked, request.base_align)},
    {"target", ZL_MAY, ZL_AT(zl_as_target, asked, target)},
    {"space", ZL_MAY, ZL_AT(zl_as_word, asked, space), .of = spaces},
    {"facts", ZL_MAY, ZL_AT(zl_as_facts, asked, facts)},
};
static const asked usual = {.request = {.size = sizeof usual.request}};
const zl_fields zl_vector_fields = {ZL_ROWS(vector_rows, asked), .start = &usual};

zlay_status zl_op_layout_vector_width(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_vector_request request = a->request;
    uint64_t bytes = 0;
    if (a->space != GLOBAL && a->space != SHARED) return zl_wrong(call, "space", "a space");
    request.path = a->path;
    request.widths = zlay_target_widths(a->target, a->space == SHARED);
    zlay_status status =
        zlay_layout_vector_width(call->ctx, &bytes, a->layout, &request, a->facts);
    if (!status) call->value = zl_json_uint(bytes);
    return status;
}
