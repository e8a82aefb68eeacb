/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

#include <string.h>

static zlay_status wgmma_only(zl_call *call)
{
    static const struct {
        const char *field, *allowed;
    } only[] = {{"instruction", "wgmma"},
                {"kind", "bf16"},
                {"a", "bf16"},
                {"b", "bf16"},
                {"a_source", "smem"}};
    for (size_t i = 0; i < ZL_COUNT(only); i++) {
        zl_span given = {only[i].allowed, strlen(only[i].allowed)};
        zlay_status status = zl_get_text(call, call->request, only[i].field, &given);
        if (status) return status;
        if (given.length != strlen(only[i].allowed) ||
            memcmp(given.text, only[i].allowed, given.length))
            return zl_fail(call->ctx, ZLAY_ENOTSUP, "field '%s': only '%s' is done", only[i].field,
                           only[i].allowed);
    }
    return ZLAY_OK;
}

static zlay_status read_mma(zl_call *call, zlay_mma *out)
{
    const json_t *request = call->request;
    zlay_status status = wgmma_only(call);
    if (!status) status = zl_get_u32(call, request, "m", &out->m);
    if (!status) status = zl_get_u32(call, request, "n", &out->n);
    if (!status) status = zl_get_u32(call, request, "k", &out->k);
    if (!status) status = zl_get_word(call, request, "d", zl_types, &out->d);
    if (!status) status = zl_get_word(call, request, "a_major", zl_majors, &out->a_major);
    if (!status) status = zl_get_word(call, request, "b_major", zl_majors, &out->b_major);
    return status;
}

zlay_status zl_op_mma_check(zl_call *call)
{
    zlay_reason reasons[ZL_REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = ZL_REASONS_MOST};
    const zlay_target *target;
    zlay_mma mma = {.a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = read_mma(call, &mma);
    if (status) return status;
    status = zlay_mma_check(&checked.verdict, reasons, ZL_REASONS_MOST, target, &mma);
    if (status) return zl_fail(call->ctx, status, "wgmma of these fields is not done");
    call->value = zl_json_verdict(call, &checked);
    return ZLAY_OK;
}
