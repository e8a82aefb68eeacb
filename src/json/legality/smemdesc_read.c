/* SPDX-License-Identifier: Apache-2.0 */
/* What a matrix descriptor reads, and how far its start moves. */
#include "json/json.h"

typedef struct asked {
    const zlay_target *target;
    zlay_smemdesc_operand operand;
    uint32_t at[2];
} asked;

#define OPERAND                                                                                    \
    ZL_TARGET(asked),                                                                              \
    {"type", ZL_NEEDS, &zl_as_word, ZL_AT(asked, operand.type), .of = zl_types},                   \
    {"major", ZL_NEEDS, &zl_as_word, ZL_AT(asked, operand.major), .of = zl_majors},                \
    {"", ZL_NEEDS, &zl_as_part, ZL_AT(asked, operand.desc), .of = &zl_desc_fields},                \
    {"mn", ZL_NEEDS, &zl_as_u32, ZL_AT(asked, operand.mn)},                                        \
    {"k", ZL_NEEDS, &zl_as_u32, ZL_AT(asked, operand.k)}
static const zl_field layout_rows[] = {OPERAND};
static const zl_field advance_rows[] = {OPERAND, {"at", ZL_NEEDS, &zl_as_pair32, ZL_AT(asked, at)}};
#undef OPERAND
const zl_fields zl_smemdesc_layout_fields = ZL_FIELDS(layout_rows);
const zl_fields zl_smemdesc_advance_fields = ZL_FIELDS(advance_rows);

zlay_status zl_op_smemdesc_layout(zl_call *call)
{
    asked a = {0};
    zlay_layout *layout = NULL;
    zlay_status status = zl_read(call, &a);
    if (!status) status = zlay_smemdesc_layout(call->ctx, &layout, a.target, &a.operand);
    return zl_answer_layout(call, status, layout);
}

/* The layout is asked first, for its message. */
zlay_status zl_op_smemdesc_advance(zl_call *call)
{
    asked a = {0};
    zlay_layout *layout = NULL;
    uint64_t bytes;
    zlay_status status = zl_read(call, &a);
    if (!status) status = zlay_smemdesc_layout(call->ctx, &layout, a.target, &a.operand);
    zlay_layout_free(layout);
    if (status) return status;
    status = zlay_smemdesc_advance(&bytes, a.target, &a.operand, a.at[0], a.at[1]);
    if (status)
        return zl_fail(call->ctx, status,
                       "no start leads to (%u, %u): it lies inside a group of "
                       "eight, a chunk of 16 bytes or a swizzled row",
                       a.at[0], a.at[1]);
    call->value = zl_json_uint(bytes);
    return ZLAY_OK;
}
