/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction descriptors of tcgen05; a code without a type is written as bits, "0x2". */
#include "json/json.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum { CODES = 8 };

/* Fields that a table of the ISA has beside those of every kind. */
typedef enum tables { PLAIN = 1, SCALED = 2, FOURS = 4, EVERY = 7 } tables;

static uint32_t tables_of(int32_t kind)
{
    if (kind == ZLAY_KIND_MXF4 || kind == ZLAY_KIND_MXF4NVF4) return SCALED | FOURS;
    return kind == ZLAY_KIND_MXF8F6F4 ? SCALED : PLAIN;
}

static const struct number {
    const char *name;
    size_t at;
    uint32_t tables;
    bool size; /* elements: a number that is always there */
} numbers[] = {
    {"m", offsetof(zlay_idesc, m), EVERY, true},
    {"n", offsetof(zlay_idesc, n), EVERY, true},
    {"sparse", offsetof(zlay_idesc, sparse), EVERY, false},
    {"sparse_id", offsetof(zlay_idesc, sparse_id), PLAIN, false},
    {"negate_a", offsetof(zlay_idesc, negate_a), EVERY, false},
    {"negate_b", offsetof(zlay_idesc, negate_b), EVERY, false},
    {"saturate", offsetof(zlay_idesc, saturate), PLAIN, false},
    {"max_shift", offsetof(zlay_idesc, max_shift), PLAIN, false},
    {"sf_a_id", offsetof(zlay_idesc, sf_a_id), SCALED, false},
    {"sf_b_id", offsetof(zlay_idesc, sf_b_id), SCALED, false},
    {"k", offsetof(zlay_idesc, k), FOURS, false},
};

static bool given(const zl_call *call, const char *name)
{
    return json_object_get(call->request, name) != NULL;
}

static zlay_status foreign(zl_call *call, const char *name)
{
    return zl_fail(call->ctx, ZLAY_EINVAL, "field '%s' is of another kind", name);
}

/* ---- in --------------------------------------------------------------------------- */

static zlay_status get_type(zl_call *call, const char *name, int32_t *out)
{
    const json_t *value = json_object_get(call->request, name);
    uint64_t code;
    const char *text = json_string_value(value);
    if (!text || strncmp(text, "0x", 2))
        return zl_get_word(call, call->request, name, zl_types, out);
    if (!zl_json_u64(value, &code) || code >= CODES)
        return zl_wrong(call, name, "a type, or a code below 0x8");
    *out = ZLAY_IDESC_CODE + (int32_t)code;
    return ZLAY_OK;
}

static zlay_status get_switch(zl_call *call, const char *name, uint32_t *out)
{
    const json_t *value = json_object_get(call->request, name);
    if (!json_is_boolean(value)) return zl_get_u32(call, call->request, name, out);
    *out = json_is_true(value);
    return ZLAY_OK;
}

static zlay_status read_number(zl_call *call, zlay_idesc *fields, const struct number *row)
{
    const json_t *value = json_object_get(call->request, row->name);
    uint32_t *out = (uint32_t *)((char *)fields + row->at);
    if (!value || (json_is_null(value) && !row->size)) return ZLAY_OK;
    if (!(row->tables & tables_of(fields->kind))) return foreign(call, row->name);
    if (row->size) return zl_get_u32(call, call->request, row->name, out);
    return get_switch(call, row->name, out);
}

static zlay_status read_numbers(zl_call *call, zlay_idesc *out)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; !status && i < ZL_COUNT(numbers); i++)
        status = read_number(call, out, &numbers[i]);
    return status;
}

static zlay_status read_scale(zl_call *call, zlay_idesc *out)
{
    bool scaled = tables_of(out->kind) & SCALED;
    if (!scaled) return given(call, "scale_type") ? foreign(call, "scale_type") : ZLAY_OK;
    out->scale_type = ZLAY_TYPE_UE8M0;
    return zl_get_word(call, call->request, "scale_type", zl_types, &out->scale_type);
}

static zlay_status read_fields(zl_call *call, zlay_idesc *out)
{
    const json_t *request = call->request;
    uint64_t reserved = 0;
    zlay_status status = zl_get_word(call, request, "kind", zl_kinds, &out->kind);
    if (!status && !zl_word_of(zl_kinds, out->kind)) status = zl_wrong(call, "kind", "a kind");
    if (!status) status = get_type(call, "a", &out->a);
    if (!status) status = get_type(call, "b", &out->b);
    if (!status) status = get_type(call, "d", &out->d);
    if (!status) status = zl_get_word(call, request, "a_major", zl_majors, &out->a_major);
    if (!status) status = zl_get_word(call, request, "b_major", zl_majors, &out->b_major);
    if (!status) status = read_numbers(call, out);
    if (!status) status = read_scale(call, out);
    if (!status) status = zl_get_u64(call, request, "reserved", &reserved);
    if (!status && reserved > UINT32_MAX) status = zl_wrong(call, "reserved", "32 bits");
    out->must_be_zero = (uint32_t)reserved;
    return status;
}

/* The first rule that the fields break; sm_103a has the most of them legal. */
static zlay_status refuse(zl_call *call, const zlay_idesc *fields)
{
    zlay_reason reasons[ZL_REASONS_MOST];
    zlay_verdict verdict;
    zlay_rule rule;
    const zlay_target *target;
    if (zlay_target_find(&target, "sm_103a", 7) ||
        zlay_idesc_check(&verdict, reasons, ZL_REASONS_MOST, target, fields, NULL))
        verdict.reasons = 0;
    for (uint32_t i = 0; i < verdict.reasons && i < ZL_REASONS_MOST; i++) {
        const char *field = zlay_field_name(reasons[i].field);
        if (!reasons[i].field || zlay_rule_info(&rule, reasons[i].rule)) continue;
        return zl_fail(call->ctx, ZLAY_EINVAL, "field '%s' is %" PRIu64 ", no bits for it: %s",
                       field, reasons[i].value, rule.text);
    }
    if (fields->k && fields->k != 96) return zl_wrong(call, "k", "96, the one K that has a bit");
    return zl_fail(call->ctx, ZLAY_EINVAL, "a field does not fit its bits, or its kind has none");
}

zlay_status zl_op_idesc_pack(zl_call *call)
{
    zlay_idesc fields = {.kind = 0};
    uint32_t desc;
    zlay_status status = read_fields(call, &fields);
    if (status) return status;
    if (zlay_idesc_pack(&desc, &fields)) return refuse(call, &fields);
    call->value = zl_json_bits(desc, 8);
    return ZLAY_OK;
}

zlay_status zl_op_idesc_check(zl_call *call)
{
    zlay_reason reasons[ZL_REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = ZL_REASONS_MOST};
    zlay_idesc fields = {.kind = 0};
    const zlay_target *target;
    uint64_t desc = 0;
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = zl_get_word(call, call->request, "kind", zl_kinds, &fields.kind);
    if (!status) status = zl_get_u64(call, call->request, "desc", &desc);
    if (!status && desc > UINT32_MAX) status = zl_wrong(call, "desc", "32 bits");
    if (!status && zlay_idesc_unpack(&fields, fields.kind, (uint32_t)desc))
        status = zl_wrong(call, "kind", "a kind");
    if (status) return status;
    zlay_idesc_check(&checked.verdict, reasons, ZL_REASONS_MOST, target, &fields, NULL);
    call->value = zl_json_verdict(call, &checked);
    return ZLAY_OK;
}

/* ---- out -------------------------------------------------------------------------- */

static json_t *type_value(int32_t type)
{
    if (type < ZLAY_IDESC_CODE) return json_string(zlay_type_name(type));
    return zl_json_bits((uint64_t)(type - ZLAY_IDESC_CODE), 1);
}

static void put_numbers(zl_call *call, const zlay_idesc *f)
{
    for (size_t i = 0; i < ZL_COUNT(numbers); i++) {
        uint32_t value;
        memcpy(&value, (const char *)f + numbers[i].at, sizeof value);
        if (!(numbers[i].tables & tables_of(f->kind)) || (numbers[i].tables == FOURS && !value))
            continue;
        zl_put_value(call, call->value, numbers[i].name, json_integer(value));
    }
}

zlay_status zl_op_idesc_unpack(zl_call *call)
{
    int32_t kind = 0;
    uint64_t desc = 0;
    zlay_idesc f;
    zlay_status status = zl_get_word(call, call->request, "kind", zl_kinds, &kind);
    if (!status) status = zl_get_u64(call, call->request, "desc", &desc);
    if (!status && desc > UINT32_MAX) status = zl_wrong(call, "desc", "32 bits");
    if (!status && zlay_idesc_unpack(&f, kind, (uint32_t)desc))
        status = zl_wrong(call, "kind", "a kind");
    if (status) return status;
    call->value = json_object();
    zl_put_value(call, call->value, "kind", zl_json_word(zl_kinds, f.kind));
    zl_put_value(call, call->value, "a", type_value(f.a));
    zl_put_value(call, call->value, "b", type_value(f.b));
    zl_put_value(call, call->value, "d", type_value(f.d));
    zl_put_value(call, call->value, "a_major", zl_json_word(zl_majors, f.a_major));
    zl_put_value(call, call->value, "b_major", zl_json_word(zl_majors, f.b_major));
    put_numbers(call, &f);
    if (f.scale_type) zl_put_value(call, call->value, "scale_type", type_value(f.scale_type));
    zl_put_value(call, call->value, "reserved", zl_json_bits(f.must_be_zero, 8));
    return ZLAY_OK;
}
