/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"


/* ---- which accesses there are ------------------------------------------------------ */

enum { GLOBAL, SHARED };
static const zl_named spaces[] = {{"global", GLOBAL}, {"shared", SHARED}, {NULL, 0}};

static zlay_status get_widths(zl_call *call, uint64_t *widths)
{
    int32_t space = GLOBAL;
    const zlay_target *target = NULL;
    zlay_status status = zl_get_word(call, call->request, "space", spaces, &space);
    if (!status && space != GLOBAL && space != SHARED) status = zl_wrong(call, "space", "a space");
    if (!status && json_object_get(call->request, "target")) status = zl_get_target(call, &target);
    if (!status) *widths = zlay_target_widths(target, space == SHARED);
    return status;
}

/* ---- the mode ---------------------------------------------------------------------- */

enum { DEPTH_MOST = 64 };

static bool entry(const json_t *value, uint32_t *out)
{
    uint64_t wide;
    if (!json_is_integer(value) || !zl_json_u64(value, &wide) || wide > UINT32_MAX) return false;
    *out = (uint32_t)wide;
    return true;
}

static zlay_status get_path(zl_call *call, uint32_t *path, uint64_t *depth)
{
    const json_t *mode = json_object_get(call->request, "mode");
    bool list = json_is_array(mode), read = true;
    *depth = list ? json_array_size(mode) : 1;
    for (size_t i = 0; i < *depth && i < DEPTH_MOST; i++)
        read = read && entry(list ? json_array_get(mode, i) : mode, &path[i]);
    if (!read || *depth > DEPTH_MOST)
        return zl_wrong(call, "mode", "an index, or a list of indices, the outermost first");
    return ZLAY_OK;
}

zlay_status zl_op_layout_vector_width(zl_call *call)
{
    uint32_t path[DEPTH_MOST];
    zlay_vector_request request = {.size = sizeof request, .path = path};
    zlay_layout *layout = NULL;
    zlay_facts *facts = NULL;
    uint64_t bytes = 0;
    zlay_status status = get_path(call, path, &request.depth);
    if (!status) status = zl_get_u32(call, call->request, "elem_bytes", &request.elem_bytes);
    if (!status) status = zl_get_u64(call, call->request, "base_align", &request.base_align);
    if (!status) status = get_widths(call, &request.widths);
    if (!status) status = zl_get_facts(call, &facts);
    if (!status) status = zl_get_layout(call, "layout", &layout);
    if (!status) status = zlay_layout_vector_width(call->ctx, &bytes, layout, &request, facts);
    if (!status) call->value = zl_json_uint(bytes);
    zlay_facts_free(facts);
    zlay_layout_free(layout);
    return status;
}
