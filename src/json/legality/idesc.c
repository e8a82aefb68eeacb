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

static zlay_status foreign(zl_call *call, const char *name)
{
    return zl_fail(call->ctx, ZLAY_EINVAL, "field '%s' is of another kind", name);
}

/* ---- in --------------------------------------------------------------------------- */

static zlay_status read_kind(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_status status = zl_get_word(call, object, field->name, zl_kinds, to);
    if (status || zl_word_of(zl_kinds, *(int32_t *)to)) return status;
    return zl_wrong(call, field->name, "a kind");
}

static zlay_status read_type(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *value = json_object_get(object, field->name);
    uint64_t code;
    const char *text = json_string_value(value);
    if (!text || strncmp(text, "0x", 2))
        return zl_get_word(call, object, field->name, zl_types, to);
    if (!zl_json_u64(value, &code) || code >= CODES)
        return zl_wrong(call, field->name, "a type, or a code below 0x8");
    *(int32_t *)to = ZLAY_IDESC_CODE + (int32_t)code;
    return ZLAY_OK;
}

static zlay_status read_number(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    if (json_is_null(json_object_get(object, field->name))) return ZLAY_OK;
    return zl_as_switch.read(call, object, field, to);
}

static zlay_status read_bits(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    uint64_t bits = 0;
    zlay_status status = zl_get_u64(call, object, field->name, &bits);
    if (!status && bits > UINT32_MAX) return zl_wrong(call, field->name, "32 bits");
    *(uint32_t *)to = (uint32_t)bits;
    return status;
}

static const zl_field_kind as_kind = {.read = read_kind, .type = "word"},
                           as_type = {.read = read_type, .type = "word"},
                           as_number = {.read = read_number, .type = "switch"},
                           as_bits = {.read = read_bits, .type = "integer"};
typedef int32_t as_kind_type, as_type_type;
typedef uint32_t as_number_type, as_bits_type;

typedef struct asked {
    const zlay_target *target;
    zlay_idesc of;
    uint32_t desc;
} asked;

#define NUMBER(name, in) {#name, ZL_MAY, ZL_AT(as_number, asked, of.name), .count = (in)}
static const zl_field pack_rows[] = {
    {"kind", ZL_NEEDS, ZL_AT(as_kind, asked, of.kind)},
    {"a", ZL_NEEDS, ZL_AT(as_type, asked, of.a)},
    {"b", ZL_NEEDS, ZL_AT(as_type, asked, of.b)},
    {"d", ZL_NEEDS, ZL_AT(as_type, asked, of.d)},
    {"m", ZL_NEEDS, ZL_AT(zl_as_u32, asked, of.m), .count = EVERY},
    {"n", ZL_NEEDS, ZL_AT(zl_as_u32, asked, of.n), .count = EVERY},
    ZL_OWN_OF(zl_as_own_text, "target", ZL_MAY),
    {"a_major", ZL_MAY, ZL_AT(zl_as_word, asked, of.a_major), .of = zl_majors},
    {"b_major", ZL_MAY, ZL_AT(zl_as_word, asked, of.b_major), .of = zl_majors},
    NUMBER(sparse, EVERY),
    NUMBER(sparse_id, PLAIN),
    NUMBER(negate_a, EVERY),
    NUMBER(negate_b, EVERY),
    NUMBER(saturate, PLAIN),
    NUMBER(max_shift, PLAIN),
    {"scale_type", ZL_MAY, ZL_AT(zl_as_word, asked, of.scale_type), .of = zl_types},
    NUMBER(sf_a_id, SCALED),
    NUMBER(sf_b_id, SCALED),
    NUMBER(k, FOURS),
    {"reserved", ZL_MAY, ZL_AT(as_bits, asked, of.must_be_zero)},
};
#undef NUMBER
static const zl_field unpack_rows[] = {
    {"kind", ZL_NEEDS, ZL_AT(zl_as_word, asked, of.kind), .of = zl_kinds},
    {"desc", ZL_NEEDS, ZL_AT(as_bits, asked, desc)},
    ZL_OWN_OF(zl_as_own_text, "target", ZL_MAY),
};
static const zl_field check_rows[] = {
    ZL_TARGET(asked),
    {"kind", ZL_NEEDS, ZL_AT(zl_as_word, asked, of.kind), .of = zl_kinds},
    {"desc", ZL_NEEDS, ZL_AT(as_bits, asked, desc)},
};
const zl_fields zl_idesc_pack_fields = {
    ZL_ROWS(pack_rows, asked), .start = &(const asked){.of = {.scale_type = ZLAY_TYPE_UE8M0}}};
const zl_fields zl_idesc_unpack_fields = {ZL_ROWS(unpack_rows, asked)};
const zl_fields zl_idesc_check_fields = {ZL_ROWS(check_rows, asked)};

/* EINVAL where a field is there that the kind's table has not. */
static zlay_status refuse_foreign(zl_call *call, uint32_t of)
{
    for (size_t i = 0; i < ZL_COUNT(pack_rows); i++) {
        const zl_field *f = &pack_rows[i];
        const json_t *value = json_object_get(call->request, f->name);
        if (f->count && value && !json_is_null(value) && !(f->count & of))
            return foreign(call, f->name);
    }
    if (of & SCALED || !json_object_get(call->request, "scale_type")) return ZLAY_OK;
    return foreign(call, "scale_type");
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

zlay_status zl_op_idesc_pack(zl_call *call, const void *value)
{
    zlay_idesc fields = ((const asked *)value)->of;
    uint32_t desc, of = tables_of(fields.kind);
    zlay_status status = refuse_foreign(call, of);
    if (status) return status;
    if (!(of & SCALED)) fields.scale_type = 0;
    if (zlay_idesc_pack(&desc, &fields)) return refuse(call, &fields);
    call->value = zl_json_bits(desc, 8);
    return ZLAY_OK;
}

static zlay_status unpack(zl_call *call, zlay_idesc *out, const asked *a)
{
    *out = a->of;
    return zlay_idesc_unpack(out, a->of.kind, a->desc) ? zl_wrong(call, "kind", "a kind") : ZLAY_OK;
}

static zlay_status check(zl_checked *c, const void *value)
{
    const asked *a = value;
    zlay_idesc_check(&c->verdict, c->reasons, c->room, a->target, &a->of, NULL);
    return ZLAY_OK;
}

zlay_status zl_op_idesc_check(zl_call *call, const void *value)
{
    asked a = *(const asked *)value;
    zlay_status status = unpack(call, &a.of, value);
    return status ? status : zl_check_asked(call, &a, check);
}

/* ---- out -------------------------------------------------------------------------- */

static json_t *type_value(int32_t type)
{
    if (type < ZLAY_IDESC_CODE) return json_string(zlay_type_name(type));
    return zl_json_bits((uint64_t)(type - ZLAY_IDESC_CODE), 1);
}

static void put_numbers(zl_call *call, const zlay_idesc *f)
{
    const asked from = {.of = *f};
    for (size_t i = 0; i < ZL_COUNT(pack_rows); i++) {
        const zl_field *row = &pack_rows[i];
        uint32_t value;
        if (!(row->count & tables_of(f->kind))) continue;
        memcpy(&value, (const char *)&from + row->at, sizeof value);
        if (row->count != FOURS || value)
            zl_put_value(call, call->value, row->name, json_integer(value));
    }
}

zlay_status zl_op_idesc_unpack(zl_call *call, const void *value)
{
    zlay_idesc f;
    zlay_status status = unpack(call, &f, value);
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
