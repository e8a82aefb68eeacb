/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor memory: one instruction, and where a shape lies. */
#include "json/json.h"

#include <stddef.h>
#include <string.h>

static const zl_word ops[] = {{"alloc", ZLAY_TMEM_ALLOC},
                              {"dealloc", ZLAY_TMEM_DEALLOC},
                              {"ld", ZLAY_TMEM_LD},
                              {"st", ZLAY_TMEM_ST},
                              {"ld.red", ZLAY_TMEM_LD_RED},
                              {"cp", ZLAY_TMEM_CP},
                              {"shift", ZLAY_TMEM_SHIFT},
                              {"mma", ZLAY_TMEM_MMA},
                              {NULL, 0}};
static const zl_word formats[] = {{"b8x16.b6x16_p32", ZLAY_TMEM_FROM_B6},
                                  {"b8x16.b4x16_p64", ZLAY_TMEM_FROM_B4},
                                  {NULL, 0}};
static const zl_word reductions[] = {{"min", ZLAY_TMEM_MIN}, {"max", ZLAY_TMEM_MAX}, {NULL, 0}};

static zlay_status get_shape(zl_call *call, int32_t *out)
{
    zl_span name = {NULL, 0};
    char quoted[256];
    zlay_status status = zl_get_text(call, call->request, "shape", &name);
    if (status || !name.text) return status;
    if (zlay_tmem_shape_find(out, name.text, name.length))
        return zl_fail(call->ctx, ZLAY_EINVAL, "field 'shape': no shape is called '%s'",
                       zl_quote(quoted, name.text, name.length));
    return ZLAY_OK;
}

static zlay_status get_switch(zl_call *call, const char *name, uint32_t *out)
{
    const json_t *value = json_object_get(call->request, name);
    if (!json_is_boolean(value)) return zl_get_u32(call, call->request, name, out);
    *out = json_is_true(value);
    return ZLAY_OK;
}

/* Rules ask of operands that are there. */
static uint32_t given(const zl_call *call, const char *name, uint32_t flag)
{
    return json_object_get(call->request, name) ? flag : 0;
}

static zlay_status read_numbers(zl_call *call, zlay_tmem_issue *out)
{
    const struct {
        const char *name;
        uint32_t *to;
    } fields[] = {{"address", &out->address},     {"columns", &out->columns},
                  {"num", &out->num},             {"half_split", &out->half_split},
                  {"cta_group", &out->cta_group}, {"warp", &out->warp},
                  {"registers", &out->registers}, {"base", &out->base},
                  {"allocated", &out->allocated}};
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; !status && i < ZL_COUNT(fields); i++)
        status = zl_get_u32(call, call->request, fields[i].name, fields[i].to);
    out->given = given(call, "warp", ZLAY_TMEM_GIVEN_WARP) |
                 given(call, "registers", ZLAY_TMEM_GIVEN_REGISTERS) |
                 given(call, "allocated", ZLAY_TMEM_GIVEN_ALLOCATION);
    return status ? status : get_switch(call, "pack", &out->pack);
}

static zlay_status read_issue(zl_call *call, zlay_tmem_issue *out)
{
    const json_t *request = call->request;
    zlay_status status = zl_get_word(call, request, "instruction", ops, &out->op);
    if (!status) status = get_shape(call, &out->shape);
    if (!status) status = zl_get_word(call, request, "format", formats, &out->format);
    if (!status) status = zl_get_word(call, request, "reduce", reductions, &out->reduce);
    if (!status) status = zl_get_word(call, request, "type", zl_types, &out->type);
    return status ? status : read_numbers(call, out);
}

zlay_status zl_op_tmem_issue(zl_call *call)
{
    zlay_reason reasons[ZL_REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = ZL_REASONS_MOST};
    zlay_tmem_issue issue = {.op = 0};
    const zlay_target *target;
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = read_issue(call, &issue);
    if (status) return status;
    zlay_tmem_issue_check(&checked.verdict, reasons, ZL_REASONS_MOST, target, &issue);
    call->value = zl_json_verdict(call, &checked);
    return ZLAY_OK;
}

zlay_status zl_op_tmem_layout(zl_call *call)
{
    zlay_tmem_map map = {.shape = 0};
    zlay_layout *layout = NULL;
    zlay_status status = get_shape(call, &map.shape);
    if (!status) status = zl_get_u32(call, call->request, "size", &map.size);
    if (!status) status = get_switch(call, "pack", &map.pack);
    if (!status) status = zl_get_u32(call, call->request, "half_split", &map.half_split);
    if (!status) status = zl_get_u32(call, call->request, "factors", &map.factors);
    if (!status) status = zl_get_u32(call, call->request, "address", &map.address);
    if (!status) status = zl_get_u32(call, call->request, "first", &map.first);
    if (!status) status = zlay_tmem_layout(call->ctx, &layout, &map);
    if (status) return status;
    call->value = zl_json_layout(call, layout);
    zlay_layout_free(layout);
    return ZLAY_OK;
}
