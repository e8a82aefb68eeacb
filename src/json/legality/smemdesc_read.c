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
    {"type", ZL_NEEDS, ZL_AT(zl_as_word, asked, operand.type), .of = zl_types},                   \
    {"major", ZL_NEEDS, ZL_AT(zl_as_word, asked, operand.major), .of = zl_majors},                \
    ZL_PART(zl_desc_fields, asked, operand.desc),                                                  \
    {"mn", ZL_NEEDS, ZL_AT(zl_as_u32, asked, operand.mn)},                                        \
    {"k", ZL_NEEDS, ZL_AT(zl_as_u32, asked, operand.k)}
static const zl_field layout_rows[] = {OPERAND};
static const zl_field advance_rows[] = {OPERAND, {"at", ZL_NEEDS, ZL_AT(zl_as_pair32, asked, at)}};
#undef OPERAND
const zl_fields zl_smemdesc_layout_fields = {ZL_ROWS(layout_rows, asked)};
const zl_fields zl_smemdesc_advance_fields = {ZL_ROWS(advance_rows, asked)};

zlay_status zl_make_smemdesc(zl_call *call, zlay_layout **out, const void *value)
{
    const asked *a = value;
    return zlay_smemdesc_layout(call->ctx, out, a->target, &a->operand);
}

/* The layout is asked first, for its message. */
zlay_status zl_op_smemdesc_advance(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_layout *layout = NULL;
    uint64_t bytes;
    zlay_status status = zl_make_smemdesc(call, &layout, a);
    zlay_layout_free(layout);
    if (status) return status;
    status = zlay_smemdesc_advance(&bytes, a->target, &a->operand, a->at[0], a->at[1]);
    if (status)
        return zl_fail(call->ctx, status,
                       "no start leads to (%u, %u): it lies inside a group of "
                       "eight, a chunk of 16 bytes or a swizzled row",
                       a->at[0], a->at[1]);
    call->value = zl_json_uint(bytes);
    return ZLAY_OK;
}
