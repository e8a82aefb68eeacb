/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor memory: one instruction, and where a shape lies. */
#include "json/json.h"

static const zl_word ops[] = {{"alloc", ZLAY_TMEM_ALLOC},
                              {"dealloc", ZLAY_TMEM_DEALLOC},
                              {"ld", ZLAY_TMEM_LD},
                              {"st", ZLAY_TMEM_ST},
                              {"ld.red", ZLAY_TMEM_LD_RED},
                              {"cp", ZLAY_TMEM_CP},
                              {"shift", ZLAY_TMEM_SHIFT},
                              {"mma", ZLAY_TMEM_MMA},
                              {NULL, 0}};
static const zl_word formats[] = {{"b8x16.b6x16_p32", ZLAY_TMEM_FROM_B6},
                                  {"b8x16.b4x16_p64", ZLAY_TMEM_FROM_B4},
                                  {NULL, 0}};
static const zl_word reductions[] = {{"min", ZLAY_TMEM_MIN}, {"max", ZLAY_TMEM_MAX}, {NULL, 0}};

static zlay_status read_shape(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zl_span name = {NULL, 0};
    char quoted[256];
    zlay_status status = zl_get_text(call, object, field->name, &name);
    if (status) return status;
    if (zlay_tmem_shape_find(to, name.text, name.length))
        return zl_fail(call->ctx, ZLAY_EINVAL, "field 'shape': no shape is called '%s'",
                       zl_quote(quoted, name.text, name.length));
    return ZLAY_OK;
}

static const zl_kind as_shape = {read_shape, NULL, false};

/* ---- instructions ------------------------------------------------------------------------ */

typedef struct issue {
    const zlay_target *target;
    zlay_tmem_issue of;
} issue;

/* Rules ask of operands that are there. */
static const zl_field issue_rows[] = {
    ZL_TARGET(issue),
    {"instruction", ZL_NEEDS, &zl_as_word, ZL_AT(issue, of.op), .of = ops},
    {"address", ZL_MAY, &zl_as_u32, ZL_AT(issue, of.address)},
    {"columns", ZL_MAY, &zl_as_u32, ZL_AT(issue, of.columns)},
    {"shape", ZL_MAY, &as_shape, ZL_AT(issue, of.shape)},
    {"num", ZL_MAY, &zl_as_u32, ZL_AT(issue, of.num)},
    {"pack", ZL_MAY, &zl_as_switch, ZL_AT(issue, of.pack)},
    {"half_split", ZL_MAY, &zl_as_u32, ZL_AT(issue, of.half_split)},
    {"format", ZL_MAY, &zl_as_word, ZL_AT(issue, of.format), .of = formats},
    {"reduce", ZL_MAY, &zl_as_word, ZL_AT(issue, of.reduce), .of = reductions},
    {"type", ZL_MAY, &zl_as_word, ZL_AT(issue, of.type), .of = zl_types},
    {"cta_group", ZL_MAY, &zl_as_u32, ZL_AT(issue, of.cta_group)},
    {"warp", ZL_MAY, &zl_as_u32, ZL_AT(issue, of.warp), .given = ZLAY_TMEM_GIVEN_WARP},
    {"registers", ZL_MAY, &zl_as_u32, ZL_AT(issue, of.registers),
     .given = ZLAY_TMEM_GIVEN_REGISTERS},
    {"base", ZL_MAY, &zl_as_u32, ZL_AT(issue, of.base)},
    {"allocated", ZL_MAY, &zl_as_u32, ZL_AT(issue, of.allocated),
     .given = ZLAY_TMEM_GIVEN_ALLOCATION},
};
const zl_fields zl_tmem_issue_fields = ZL_FIELDS_GIVEN(issue_rows, issue, of.given);

static zlay_status issue_check(zl_checked *c, const void *value)
{
    const issue *i = value;
    zlay_tmem_issue_check(&c->verdict, c->reasons, c->room, i->target, &i->of);
    return ZLAY_OK;
}

zlay_status zl_op_tmem_issue(zl_call *call)
{
    issue i = {.of = {.op = 0}};
    return zl_check_asked(call, &i, issue_check);
}

/* ---- layouts ------------------------------------------------------------------------------ */

static const zl_field map_rows[] = {
    {"shape", ZL_NEEDS, &as_shape, ZL_AT(zlay_tmem_map, shape)},
    {"size", ZL_MAY, &zl_as_u32, ZL_AT(zlay_tmem_map, size)},
    {"pack", ZL_MAY, &zl_as_switch, ZL_AT(zlay_tmem_map, pack)},
    ZL_NUMBER(zlay_tmem_map, half_split), ZL_NUMBER(zlay_tmem_map, factors),
    ZL_NUMBER(zlay_tmem_map, address), ZL_NUMBER(zlay_tmem_map, first),
};
const zl_fields zl_tmem_layout_fields = ZL_FIELDS(map_rows);

zlay_status zl_op_tmem_layout(zl_call *call)
{
    zlay_tmem_map map = {.shape = 0};
    zlay_layout *layout = NULL;
    zlay_status status = zl_read(call, &map);
    if (!status) status = zlay_tmem_layout(call->ctx, &layout, &map);
    return zl_answer_layout(call, status, layout);
}
