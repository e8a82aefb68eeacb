/* SPDX-License-Identifier: Apache-2.0 */
/* mma.operands, mma.lanes: registers and modifiers of a matrix instruction as its text has them. */
#include "base/scan.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

static bool digits(const char **at, uint32_t *out)
{
    uint64_t value = 0;
    const char *from = *at;
    for (; zl_is_digit(**at); ++*at)
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

static zlay_status read_tuple(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const char *text = json_string_value(json_object_get(object, field->name));
    return text && tuple_of(to, text) ? ZLAY_OK
                                      : zl_wrong(call, field->name,
                                                 "registers, as 'v[0:15]' or 'a7'");
}

static const zl_field_kind as_tuple = {.read = read_tuple};
typedef zlay_mma_tuple as_tuple_type;

typedef struct asked {
    const zlay_target *target;
    zlay_mma_operands operands;
    int32_t fragment;
} asked;

static const zl_field register_rows[] = {
    {"d", ZL_NEEDS, ZL_AT(as_tuple, zlay_mma_operands, d)},
    {"a", ZL_NEEDS, ZL_AT(as_tuple, zlay_mma_operands, a)},
    {"b", ZL_NEEDS, ZL_AT(as_tuple, zlay_mma_operands, b)},
    {"c", ZL_NEEDS, ZL_AT(as_tuple, zlay_mma_operands, c)},
    {"scale_a", ZL_MAY, ZL_AT(as_tuple, zlay_mma_operands, scale_a)},
    {"scale_b", ZL_MAY, ZL_AT(as_tuple, zlay_mma_operands, scale_b)},
};
static const zl_fields register_fields = {ZL_ROWS(register_rows, zlay_mma_operands)};

static zlay_status read_registers(zl_call *call, const json_t *object, const zl_field *field,
                                  void *to)
{
    const json_t *registers;
    zlay_status status = zl_get_object(call, object, field->name, &registers);
    if (!status)
        status = zl_names_check(call, registers, "mma.operands: registers", &register_fields);
    return status ? status : zl_read_object(call, registers, &register_fields, to);
}

static const zl_field_kind as_registers = {.read = read_registers, .type = "object"};
typedef zlay_mma_operands as_registers_type;

static const zl_named fragments[] = {{"A", ZLAY_FRAGMENT_A}, {"B", ZLAY_FRAGMENT_B}, {NULL, 0}};

static zlay_status read_fragment(zl_call *call, const json_t *object, const zl_field *field,
                                 void *to)
{
    if (zl_get_word(call, object, field->name, fragments, to))
        return zl_wrong(call, field->name, "'A' or 'B'");
    return ZLAY_OK;
}

static const zl_field_kind as_fragment = {.read = read_fragment, .type = "word"};
typedef int32_t as_fragment_type;

#define INSTRUCTION                                                                                \
    ZL_TARGET(asked),                                                                              \
    {"cbsz", ZL_MAY, ZL_AT(zl_as_u32, asked, operands.cbsz)},                                     \
    {"abid", ZL_MAY, ZL_AT(zl_as_u32, asked, operands.abid)},                                     \
    {"blgp", ZL_MAY, ZL_AT(zl_as_u32, asked, operands.blgp)},                                     \
    {"", ZL_NEEDS, ZL_AT(zl_as_mma, asked, operands.mma), .of = &zl_mma_register_fields}
static const zl_field operands_rows[] = {
    INSTRUCTION,
    {"registers", ZL_NEEDS, ZL_AT(as_registers, asked, operands)},
};
static const zl_field lanes_rows[] = {
    INSTRUCTION,
    {"fragment", ZL_NEEDS, ZL_AT(as_fragment, asked, fragment)},
};
#undef INSTRUCTION
const zl_fields zl_mma_operands_fields = {ZL_ROWS(operands_rows, asked)};
const zl_fields zl_mma_lanes_fields = {ZL_ROWS(lanes_rows, asked),
                                       .start = &(const asked){.fragment = ZLAY_FRAGMENT_D}};

static zlay_status operands_check(zl_checked *c, const void *value)
{
    const asked *a = value;
    c->issues = "instructions";
    return zlay_mma_operands_check(&c->verdict, c->reasons, c->room, a->target, &a->operands);
}

zlay_status zl_op_mma_operands(zl_call *call, const void *value)
{
    zlay_status status = zl_check_asked(call, value, operands_check);
    return status == ZLAY_ENOTSUP ? zl_wrong(call, "instruction", "'mfma'") : status;
}

zlay_status zl_make_mma_lanes(zl_call *call, zlay_layout **out, const void *value)
{
    const asked *a = value;
    zlay_status status = zlay_mma_lanes(call->ctx, out, a->target, &a->operands, a->fragment);
    if (status == ZLAY_ENOTSUP) return zl_wrong(call, "instruction", "'mfma'");
    if (status == ZLAY_EINVAL && a->fragment == ZLAY_FRAGMENT_D)
        return zl_wrong(call, "fragment", "'A' or 'B'");
    return status;
}
