/* SPDX-License-Identifier: Apache-2.0 */
/* mma.operands, mma.lanes: registers and modifiers of a matrix instruction as its text has them. */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

static bool digits(const char **at, uint32_t *out)
{
    uint64_t value = 0;
    const char *from = *at;
    for (; **at >= '0' && **at <= '9'; ++*at)
        if ((value = 10 * value + (uint64_t)(**at - '0')) > UINT32_MAX) return false;
    *out = (uint32_t)value;
    return *at > from;
}

/* v7, a[0:15], s2, or an inline constant. */
static bool tuple_of(zlay_mma_tuple *out, const char *text)
{
    uint32_t last;
    const char *at = text + 1;
    if (strchr("0123456789-", *text)) {
        *out = (zlay_mma_tuple){.file = ZLAY_FILE_CONSTANT};
        return *text != 0;
    }
    out->file = *text == 'v' ? ZLAY_FILE_VGPR : *text == 'a' ? ZLAY_FILE_AGPR : ZLAY_FILE_OTHER;
    out->count = 1;
    if (*at != '[') return digits(&at, &out->first) && !*at;
    at++;
    if (!digits(&at, &out->first) || *at++ != ':' || !digits(&at, &last)) return false;
    out->count = last - out->first + 1;
    return last >= out->first && out->count && !strcmp(at, "]");
}

static zlay_status read_tuple(zl_call *call, const json_t *object, const char *name,
                              zlay_mma_tuple *out)
{
    const char *text = json_string_value(json_object_get(object, name));
    if (!json_object_get(object, name)) return ZLAY_OK;
    return text && tuple_of(out, text) ? ZLAY_OK
                                       : zl_wrong(call, name, "registers, as 'v[0:15]' or 'a7'");
}

static zlay_status read_registers(zl_call *call, zlay_mma_operands *out)
{
    const json_t *object = json_object_get(call->request, "registers");
    const struct {
        const char *name;
        zlay_mma_tuple *to;
    } fields[] = {{"d", &out->d}, {"a", &out->a},             {"b", &out->b},
                  {"c", &out->c}, {"scale_a", &out->scale_a}, {"scale_b", &out->scale_b}};
    if (!json_is_object(object)) return zl_wrong(call, "registers", "an object");
    zlay_status status =
        zl_fields_check(call, object, "mma.operands: registers", "d a b c", "scale_a scale_b");
    for (size_t i = 0; !status && i < ZL_COUNT(fields); i++)
        status = read_tuple(call, object, fields[i].name, fields[i].to);
    return status;
}

static zlay_status read_modifiers(zl_call *call, zlay_mma_operands *out)
{
    zlay_status status = zl_get_u32(call, call->request, "cbsz", &out->cbsz);
    if (!status) status = zl_get_u32(call, call->request, "abid", &out->abid);
    return status ? status : zl_get_u32(call, call->request, "blgp", &out->blgp);
}

zlay_status zl_op_mma_operands(zl_call *call)
{
    zlay_reason reasons[ZL_REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = ZL_REASONS_MOST, .issues = "instructions"};
    const zlay_target *target;
    zlay_mma_operands operands = {0};
    zlay_status status = zl_get_mma(call, &target, &operands.mma);
    if (!status) status = read_registers(call, &operands);
    if (!status) status = read_modifiers(call, &operands);
    if (status) return status;
    status = zlay_mma_operands_check(&checked.verdict, reasons, ZL_REASONS_MOST, target, &operands);
    if (status == ZLAY_ENOTSUP) return zl_wrong(call, "instruction", "'mfma'");
    if (!status) call->value = zl_json_verdict(call, &checked);
    return status;
}

zlay_status zl_op_mma_lanes(zl_call *call)
{
    static const zl_word fragments[] = {
        {"A", ZLAY_FRAGMENT_A}, {"B", ZLAY_FRAGMENT_B}, {NULL, 0}};
    const zlay_target *target;
    zlay_mma_operands operands = {0};
    zlay_layout *layout = NULL;
    int32_t fragment = ZLAY_FRAGMENT_D;
    zlay_status status = zl_get_mma(call, &target, &operands.mma);
    if (!status) status = zl_get_word(call, call->request, "fragment", fragments, &fragment);
    if (!status) status = read_modifiers(call, &operands);
    if (!status) status = zlay_mma_lanes(call->ctx, &layout, target, &operands, fragment);
    if (status == ZLAY_ENOTSUP) return zl_wrong(call, "instruction", "'mfma'");
    if (status == ZLAY_EINVAL && fragment == ZLAY_FRAGMENT_D)
        return zl_wrong(call, "fragment", "'A' or 'B'");
    if (!status) call->value = zl_json_layout(call, layout);
    zlay_layout_free(layout);
    return status;
}
