/* SPDX-License-Identifier: Apache-2.0 */
/* What a matrix descriptor reads, and how far its start moves. */
#include "json/json.h"

static zlay_status read_operand(zl_call *call, zlay_smemdesc_operand *out)
{
    const json_t *request = call->request;
    zlay_status status = zl_get_word(call, request, "type", zl_types, &out->type);
    if (!status) status = zl_get_word(call, request, "major", zl_majors, &out->major);
    if (!status) status = zl_get_u32(call, request, "start", &out->desc.start);
    if (!status) status = zl_get_u32(call, request, "lbo", &out->desc.lbo);
    if (!status) status = zl_get_u32(call, request, "sbo", &out->desc.sbo);
    if (!status) status = zl_get_u32(call, request, "base_offset", &out->desc.base_offset);
    if (!status) status = zl_get_word(call, request, "swizzle", zl_swizzles, &out->desc.swizzle);
    if (!status) status = zl_get_u32(call, request, "mn", &out->mn);
    if (!status) status = zl_get_u32(call, request, "k", &out->k);
    return status;
}

zlay_status zl_op_smemdesc_layout(zl_call *call)
{
    const zlay_target *target;
    zlay_smemdesc_operand operand = {.k = 0};
    zlay_layout *layout = NULL;
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = read_operand(call, &operand);
    if (!status) status = zlay_smemdesc_layout(call->ctx, &layout, target, &operand);
    if (!status) call->value = zl_json_layout(call, layout);
    zlay_layout_free(layout);
    return status;
}

static zlay_status read_at(zl_call *call, uint32_t *mn, uint32_t *k)
{
    const json_t *at;
    uint64_t first = 0, second = 0;
    zlay_status status = zl_get_list(call, call->request, "at", &at);
    if (status) return status;
    if (json_array_size(at) != 2 || !zl_json_u64(json_array_get(at, 0), &first) ||
        !zl_json_u64(json_array_get(at, 1), &second) || first > UINT32_MAX || second > UINT32_MAX)
        return zl_wrong(call, "at", "a list of two integers, [MN, K]");
    *mn = (uint32_t)first;
    *k = (uint32_t)second;
    return ZLAY_OK;
}

/* The layout is asked first, for its message. */
zlay_status zl_op_smemdesc_advance(zl_call *call)
{
    const zlay_target *target;
    zlay_smemdesc_operand operand = {.k = 0};
    zlay_layout *layout = NULL;
    uint32_t mn = 0, k = 0;
    uint64_t bytes;
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = read_operand(call, &operand);
    if (!status) status = read_at(call, &mn, &k);
    if (!status) status = zlay_smemdesc_layout(call->ctx, &layout, target, &operand);
    zlay_layout_free(layout);
    if (status) return status;
    status = zlay_smemdesc_advance(&bytes, target, &operand, mn, k);
    if (status)
        return zl_fail(call->ctx, status,
                       "no start leads to (%u, %u): it lies inside a group of "
                       "eight, a chunk of 16 bytes or a swizzled row",
                       mn, k);
    call->value = zl_json_uint(bytes);
    return ZLAY_OK;
}
