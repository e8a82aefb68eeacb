/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix descriptors: their fields and bits, and those that read a layout. */
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- descriptors ---------------------------------------------------------------- */

/* A swizzle without a name is a number. */
static json_t *print_swizzle(zl_call *call, const zl_field *field, const void *from)
{
    const char *name = zl_word_of(field->of, *(const int32_t *)from);
    return name ? json_string(name) : zl_as_u32.print(call, field, from);
}

static const zl_field_kind as_swizzle = {
    .read = zl_read_word, .print = print_swizzle, .type = "word"};
typedef int32_t as_swizzle_type;

static const zl_field desc_rows[] = {
    {"start", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_smemdesc, start)},
    {"lbo", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_smemdesc, lbo)},
    {"sbo", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_smemdesc, sbo)},
    {"base_offset", ZL_MAY, ZL_AT(zl_as_u32, zlay_smemdesc, base_offset)},
    {"swizzle", ZL_NEEDS, ZL_AT(as_swizzle, zlay_smemdesc, swizzle), .of = zl_swizzles},
};
const zl_fields zl_desc_fields = {ZL_ROWS(desc_rows, zlay_smemdesc)};

typedef struct pack {
    const zlay_target *target;
    zlay_smemdesc fields;
    uint64_t desc;
} pack;

static const zl_field pack_rows[] = {
    ZL_TARGET(pack),
    ZL_PART(zl_desc_fields, pack, fields),
    {"lbo_mode", ZL_MAY, ZL_AT(zl_as_word, pack, fields.lbo_mode), .of = zl_lbo_modes},
    {"reserved", ZL_MAY, ZL_AT(zl_as_u64, pack, fields.other)},
};
const zl_fields zl_smemdesc_pack_fields = {ZL_ROWS(pack_rows, pack)};

static const zl_field unpack_rows[] = {
    ZL_TARGET(pack),
    {"desc", ZL_NEEDS, ZL_AT(zl_as_u64, pack, desc)},
};
const zl_fields zl_smemdesc_unpack_fields = {ZL_ROWS(unpack_rows, pack)};

static zlay_status refuse(zl_call *call, const zlay_target *target, const zlay_smemdesc *fields,
                          zlay_status status)
{
    zlay_verdict verdict;
    zlay_reason reason;
    zlay_rule rule;
    if (status == ZLAY_ENOTSUP || zlay_smemdesc_check(&verdict, &reason, 1, target, fields) ||
        !verdict.reasons || zlay_rule_info(&rule, reason.rule))
        return zl_fail(call->ctx, status, "%s has no matrix descriptors in shared memory",
                       zlay_target_name(target));
    const char *field = zlay_field_name(reason.field);
    return zl_fail(call->ctx, status, "field '%s' is %" PRIu64 ": rule %s: %s", field ? field : "?",
                   reason.value, rule.id, rule.text);
}

static zlay_status check(zl_checked *c, const void *value)
{
    const pack *p = value;
    return zlay_smemdesc_check(&c->verdict, c->reasons, c->room, p->target, &p->fields);
}

zlay_status zl_op_smemdesc_pack(zl_call *call, const void *value)
{
    const pack *p = value;
    uint64_t desc;
    zlay_status status = zlay_smemdesc_pack(&desc, p->target, &p->fields);
    if (status) return refuse(call, p->target, &p->fields, status);
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

zlay_status zl_op_smemdesc_unpack(zl_call *call, const void *value)
{
    const pack *p = value;
    zlay_smemdesc fields = {0};
    zlay_status status = zlay_smemdesc_unpack(&fields, p->target, p->desc);
    if (status) return refuse(call, p->target, &fields, ZLAY_ENOTSUP);
    call->value = json_object();
    zl_put_fields(call, call->value, &zl_desc_fields, &fields);
    if (has_mode(p->target))
        zl_put_value(call, call->value, "lbo_mode", zl_json_word(zl_lbo_modes, fields.lbo_mode));
    zl_put_value(call, call->value, "reserved", zl_json_bits(fields.other, 16));
    return ZLAY_OK;
}

/* Any bits have fields, which a check judges. */
zlay_status zl_op_smemdesc_check(zl_call *call, const void *value)
{
    pack p = *(const pack *)value;
    if (zlay_smemdesc_unpack(&p.fields, p.target, p.desc))
        return refuse(call, p.target, &p.fields, ZLAY_ENOTSUP);
    return zl_check_asked(call, &p, check);
}

/* ---- descriptors of a layout ------------------------------------------------------ */

typedef struct found {
    zlay_smemdesc fields;
    const uint32_t *start;
    size_t count;
} found;

static const zl_named patterns[] = {{"address", 0}, {"start", 1}, {"any", 2}, {NULL, 0}};

typedef struct asked {
    const zlay_target *target;
    zlay_smemdesc_request request;
    uint32_t mma[2];
} asked;

/* A layout that is given with its swizzle says none: null, as if the field were not there. */
static zlay_status read_named(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    if (json_is_null(json_object_get(object, field->name))) return ZLAY_OK;
    return zl_as_word.read(call, object, field, to);
}

static zlay_status read_pattern(zl_call *call, const json_t *object, const zl_field *field,
                                void *to)
{
    int32_t pattern = 0;
    zlay_status status = zl_get_word(call, object, field->name, patterns, &pattern);
    if (!status && (pattern < 0 || pattern > 2))
        status = zl_wrong(call, field->name, "'address', 'start' or 'any'");
    *(uint32_t *)to = (uint32_t)pattern;
    return status;
}

static const zl_field_kind as_named = {.read = read_named, .type = "word"},
                           as_pattern = {.read = read_pattern, .type = "word"};
typedef int32_t as_named_type;
typedef uint32_t as_pattern_type;

static const zl_field asked_rows[] = {
    ZL_TARGET(asked),
    {"type", ZL_NEEDS, ZL_AT(zl_as_word, asked, request.type), .of = zl_types},
    {"major", ZL_NEEDS, ZL_AT(zl_as_word, asked, request.major), .of = zl_majors},
    {"layout", ZL_NEEDS, ZL_AT(zl_as_layout, asked, request.layout)},
    {"mma", ZL_NEEDS, ZL_AT(zl_as_pair32, asked, mma)},
    {"address", ZL_NEEDS, ZL_AT(zl_as_u32, asked, request.address)},
    {"swizzle", ZL_MAY, ZL_AT(as_named, asked, request.swizzle), .of = zl_swizzles},
    {"pattern", ZL_MAY, ZL_AT(as_pattern, asked, request.pattern_at_start)},
};
static const asked usual = {
    .request = {.size = sizeof usual.request, .swizzle = ZLAY_SWIZZLE_FIND}};
const zl_fields zl_smemdesc_synth_fields = {ZL_ROWS(asked_rows, asked), .start = &usual};

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
    uint32_t *start = zl_scratch(call->ctx, f.count, sizeof *start);
    if (!start) return ZLAY_ENOMEM;
    status = zlay_smemdesc_synth(call->ctx, &f.fields, start, f.count, &f.count, target, request);
    f.start = start;
    if (!status) call->value = found_value(call, target, request, &f);
    return status;
}

zlay_status zl_op_smemdesc_synth(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_smemdesc_request request = a->request;
    request.mma_mn = a->mma[0];
    request.mma_k = a->mma[1];
    return synth_all(call, a->target, &request);
}
