/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const zl_word lbo_modes[] = {
    {"relative", ZLAY_LBO_RELATIVE}, {"absolute", ZLAY_LBO_ABSOLUTE}, {NULL, 0}};

/* ---- descriptors ---------------------------------------------------------------- */

static zlay_status refuse(zl_call *call, const zlay_target *target, const zlay_smemdesc *fields,
                          zlay_status status)
{
    zlay_verdict verdict;
    zlay_reason reason;
    zlay_rule rule;
    if (status == ZLAY_ENOTSUP || zlay_smemdesc_check(&verdict, &reason, 1, target, fields) ||
        !verdict.reasons || zlay_rule_get(&rule, reason.rule))
        return zl_fail(call->ctx, status, "%s has no matrix descriptors in shared memory",
                       zlay_target_name(target));
    const char *field = zlay_field_name(reason.field);
    return zl_fail(call->ctx, status, "field '%s' is %" PRIu64 ": rule %s: %s", field ? field : "?",
                   reason.value, rule.id, rule.text);
}

zlay_status zl_op_smemdesc_pack(zl_call *call)
{
    const json_t *request = call->request;
    const zlay_target *target;
    zlay_smemdesc fields = {0};
    uint64_t desc;
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = zl_get_u32(call, request, "start", &fields.start);
    if (!status) status = zl_get_u32(call, request, "lbo", &fields.lbo);
    if (!status) status = zl_get_u32(call, request, "sbo", &fields.sbo);
    if (!status) status = zl_get_u32(call, request, "base_offset", &fields.base_offset);
    if (!status) status = zl_get_word(call, request, "swizzle", zl_swizzles, &fields.swizzle);
    if (!status) status = zl_get_word(call, request, "lbo_mode", lbo_modes, &fields.lbo_mode);
    if (!status) status = zl_get_u64(call, request, "reserved", &fields.other);
    if (status) return status;
    status = zlay_smemdesc_pack(&desc, target, &fields);
    if (status) return refuse(call, target, &fields, status);
    call->value = zl_json_bits(desc, 16);
    return ZLAY_OK;
}

/* Whether the target's descriptors say how the leading offset is meant. */
static bool has_mode(const zlay_target *target)
{
    zlay_smemdesc absolute = {.lbo_mode = ZLAY_LBO_ABSOLUTE};
    uint64_t desc;
    return zlay_smemdesc_pack(&desc, target, &absolute) == ZLAY_OK;
}

zlay_status zl_op_smemdesc_unpack(zl_call *call)
{
    const zlay_target *target;
    zlay_smemdesc fields;
    uint64_t desc = 0;
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = zl_get_u64(call, call->request, "desc", &desc);
    if (status) return status;
    status = zlay_smemdesc_unpack(&fields, target, desc);
    if (status) return refuse(call, target, &fields, ZLAY_ENOTSUP);
    call->value = json_object();
    zl_put_value(call, call->value, "start", json_integer(fields.start));
    zl_put_value(call, call->value, "lbo", json_integer(fields.lbo));
    zl_put_value(call, call->value, "sbo", json_integer(fields.sbo));
    zl_put_value(call, call->value, "base_offset", json_integer(fields.base_offset));
    const char *swizzle = zl_word_of(zl_swizzles, fields.swizzle);
    zl_put_value(call, call->value, "swizzle",
                 swizzle ? json_string(swizzle) : json_integer(fields.swizzle));
    if (has_mode(target))
        zl_put_value(call, call->value, "lbo_mode", zl_json_word(lbo_modes, fields.lbo_mode));
    zl_put_value(call, call->value, "reserved", zl_json_bits(fields.other, 16));
    return ZLAY_OK;
}

/* ---- descriptors of a layout ------------------------------------------------------ */

typedef struct found {
    zlay_smemdesc fields;
    const uint32_t *start;
    size_t count;
} found;

static const zl_word patterns[] = {{"address", 0}, {"start", 1}, {"any", 2}, {NULL, 0}};

/* A layout that is given with its swizzle says none. */
static zlay_status read_swizzle(zl_call *call, int32_t *out)
{
    const json_t *value = json_object_get(call->request, "swizzle");
    if (value && !json_is_null(value))
        return zl_get_word(call, call->request, "swizzle", zl_swizzles, out);
    *out = ZLAY_SWIZZLE_FIND;
    return ZLAY_OK;
}

static zlay_status read_mma(zl_call *call, zlay_smemdesc_request *out)
{
    const json_t *mma;
    uint64_t mn = 0, k = 0;
    zlay_status status = zl_get_list(call, call->request, "mma", &mma);
    if (status) return status;
    if (json_array_size(mma) != 2 || !zl_json_u64(json_array_get(mma, 0), &mn) ||
        !zl_json_u64(json_array_get(mma, 1), &k) || mn > UINT32_MAX || k > UINT32_MAX)
        return zl_wrong(call, "mma", "a list of two integers, [MN, K]");
    out->mma_mn = (uint32_t)mn;
    out->mma_k = (uint32_t)k;
    return ZLAY_OK;
}

static zlay_status read_request(zl_call *call, zlay_smemdesc_request *out)
{
    const json_t *request = call->request;
    int32_t pattern = 0;
    zlay_status status = zl_get_word(call, request, "type", zl_types, &out->type);
    if (!status) status = zl_get_word(call, request, "major", zl_majors, &out->major);
    if (!status) status = read_swizzle(call, &out->swizzle);
    if (!status) status = zl_get_u32(call, request, "address", &out->address);
    if (!status) status = zl_get_word(call, request, "pattern", patterns, &pattern);
    if (!status && (pattern < 0 || pattern > 2))
        status = zl_wrong(call, "pattern", "'address', 'start' or 'any'");
    out->pattern_at_start = (uint32_t)pattern;
    return status ? status : read_mma(call, out);
}

/* What stands where the hardware reads no leading offset: one unit, less than any that it reads. */
enum { IGNORED_LBO = 16 };

/* The swizzle's field of a descriptor: the bits in which those of all swizzles differ. */
static json_int_t swizzle_code(const zlay_target *target, uint64_t desc)
{
    uint64_t none = 0, other, field = 0;
    zlay_smemdesc fields = {0};
    zlay_smemdesc_pack(&none, target, &fields);
    for (fields.swizzle = 1; fields.swizzle <= 4; fields.swizzle++)
        if (zlay_smemdesc_pack(&other, target, &fields) == ZLAY_OK) field |= other ^ none;
    for (; field && field % 2 == 0; field /= 2) desc /= 2;
    return (json_int_t)(desc & field);
}

static json_t *found_value(zl_call *call, const zlay_target *target,
                           const zlay_smemdesc_request *request, found *f)
{
    json_t *value = json_object(), *desc = json_array(), *step = json_array();
    uint64_t bits = 0;
    bool ignored = request->major == ZLAY_MAJOR_K && f->fields.swizzle != ZLAY_SWIZZLE_NONE &&
                   f->fields.lbo == IGNORED_LBO;
    for (size_t i = 0; i < f->count; i++) {
        f->fields.start = f->start[i];
        if (zlay_smemdesc_pack(&bits, target, &f->fields)) call->no_memory = true;
        zl_put_item(call, desc, zl_json_bits(bits, 16));
        zl_put_item(call, step, zl_json_int((int64_t)f->start[i] - f->start[0]));
    }
    zl_put_value(call, value, "lbo", ignored ? json_null() : json_integer(f->fields.lbo / 16));
    zl_put_value(call, value, "sbo", json_integer(f->fields.sbo / 16));
    zl_put_value(call, value, "base_offset", json_integer(f->fields.base_offset));
    zl_put_value(call, value, "swizzle", zl_json_word(zl_swizzles, f->fields.swizzle));
    zl_put_value(call, value, "swizzle_mode", json_integer(swizzle_code(target, bits)));
    zl_put_value(call, value, "desc", desc);
    zl_put_value(call, value, "step", step);
    return value;
}

static zlay_status synth_all(zl_call *call, const zlay_target *target,
                             const zlay_smemdesc_request *request)
{
    found f = {.count = 0};
    zlay_status status =
        zlay_smemdesc_synth(call->ctx, &f.fields, NULL, 0, &f.count, target, request);
    if (status != ZLAY_EROOM) return status;
    size_t room = f.count;
    uint32_t *start = zl_alloc(call->ctx, room, sizeof *start);
    if (!start) return ZLAY_ENOMEM;
    status = zlay_smemdesc_synth(call->ctx, &f.fields, start, room, &f.count, target, request);
    f.start = start;
    if (!status) call->value = found_value(call, target, request, &f);
    zlay_allocator alloc = zl_allocator(call->ctx);
    zl_free(&alloc, start, room * sizeof *start);
    return status;
}

zlay_status zl_op_smemdesc_synth(zl_call *call)
{
    zlay_smemdesc_request request = {.size = sizeof request};
    const zlay_target *target;
    zlay_layout *layout = NULL;
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = read_request(call, &request);
    if (!status) status = zl_get_layout(call, "layout", &layout);
    request.layout = layout;
    if (!status) status = synth_all(call, target, &request);
    zlay_layout_free(layout);
    return status;
}
