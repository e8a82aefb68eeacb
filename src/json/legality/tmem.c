/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor memory: one instruction, and where a shape lies. */
#include "json/json.h"

static const zl_named ops[] = {
    {"alloc", ZLAY_TMEM_ALLOC}, {"dealloc", ZLAY_TMEM_DEALLOC}, {"ld", ZLAY_TMEM_LD},
    {"st", ZLAY_TMEM_ST},       {"ld.red", ZLAY_TMEM_LD_RED},   {"cp", ZLAY_TMEM_CP},
    {"shift", ZLAY_TMEM_SHIFT}, {"mma", ZLAY_TMEM_MMA},         {NULL, 0}};
static const zl_named formats[] = {
    {"b8x16.b6x16_p32", ZLAY_TMEM_FROM_B6}, {"b8x16.b4x16_p64", ZLAY_TMEM_FROM_B4}, {NULL, 0}};
static const zl_named reductions[] = {{"min", ZLAY_TMEM_MIN}, {"max", ZLAY_TMEM_MAX}, {NULL, 0}};

static zlay_status read_shape(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zl_json_text name = {NULL, 0};
    char quoted[256];
    zlay_status status = zl_get_text(call, object, field->name, &name);
    if (status) return status;
    if (!zlay_tmem_shape_find(to, name.text, name.length)) return ZLAY_OK;
    zl_like like = zl_like_begin(name.text, name.length);
    for (int32_t i = 1; zlay_tmem_shape_name(i); i++) zl_like_offer(&like, zlay_tmem_shape_name(i));
    return zl_fail(call->ctx, ZLAY_EINVAL, "field 'shape': no shape is called '%s'%s",
                   zl_quote(quoted, name.text, name.length), like.hint);
}

static json_t *print_shape(zl_call *call, const zl_field *field, const void *from)
{
    (void)call, (void)field;
    return json_string(zlay_tmem_shape_name(*(const int32_t *)from));
}

static const zl_field_kind as_shape = {.read = read_shape, .print = print_shape, .type = "word"};
typedef int32_t as_shape_type;

/* ---- instructions ------------------------------------------------------------------------ */

typedef struct issue {
    const zlay_target *target;
    zlay_tmem_issue of;
} issue;

/* Rules ask of operands that are there. */
static const zl_field issue_rows[] = {
    ZL_TARGET(issue),
    {"instruction", ZL_NEEDS, ZL_AT(zl_as_word, issue, of.op), .of = ops},
    {"address", ZL_MAY, ZL_AT(zl_as_u32, issue, of.address)},
    {"columns", ZL_MAY, ZL_AT(zl_as_u32, issue, of.columns)},
    {"shape", ZL_MAY, ZL_AT(as_shape, issue, of.shape)},
    {"num", ZL_MAY, ZL_AT(zl_as_u32, issue, of.num)},
    {"pack", ZL_MAY, ZL_AT(zl_as_switch, issue, of.pack)},
    {"half_split", ZL_MAY, ZL_AT(zl_as_u32, issue, of.half_split)},
    {"format", ZL_MAY, ZL_AT(zl_as_word, issue, of.format), .of = formats},
    {"reduce", ZL_MAY, ZL_AT(zl_as_word, issue, of.reduce), .of = reductions},
    {"type", ZL_MAY, ZL_AT(zl_as_word, issue, of.type), .of = zl_types},
    {"cta_group", ZL_MAY, ZL_AT(zl_as_u32, issue, of.cta_group)},
    {"warp", ZL_MAY, ZL_AT(zl_as_u32, issue, of.warp), .present = ZLAY_TMEM_GIVEN_WARP},
    {"registers", ZL_MAY, ZL_AT(zl_as_u32, issue, of.registers),
     .present = ZLAY_TMEM_GIVEN_REGISTERS},
    {"base", ZL_MAY, ZL_AT(zl_as_u32, issue, of.base)},
    {"allocated", ZL_MAY, ZL_AT(zl_as_u32, issue, of.allocated),
     .present = ZLAY_TMEM_GIVEN_ALLOCATION},
};
const zl_fields zl_tmem_issue_fields = {ZL_ROWS(issue_rows, issue),
                                        .present = offsetof(issue, of.given)};

zlay_status zl_tmem_verdict(zl_checked *c, const void *value)
{
    const issue *i = value;
    zlay_tmem_issue_check(&c->verdict, c->reasons, c->room, i->target, &i->of);
    return ZLAY_OK;
}

/* ---- layouts ------------------------------------------------------------------------------ */

static const zl_field map_rows[] = {
    {"shape", ZL_NEEDS, ZL_AT(as_shape, zlay_tmem_map, shape)},
    {"size", ZL_MAY, ZL_AT(zl_as_u32, zlay_tmem_map, size)},
    {"pack", ZL_MAY, ZL_AT(zl_as_switch, zlay_tmem_map, pack)},
    ZL_NUMBER(zlay_tmem_map, half_split), ZL_NUMBER(zlay_tmem_map, factors),
    ZL_NUMBER(zlay_tmem_map, first), ZL_NUMBER(zlay_tmem_map, address),
};
const zl_fields zl_tmem_layout_fields = {ZL_ROWS(map_rows, zlay_tmem_map)};

zlay_status zl_make_tmem(zl_call *call, zlay_layout **out, const void *value)
{
    return zlay_tmem_layout(call->ctx, out, value);
}
