/* SPDX-License-Identifier: Apache-2.0 */
/* pipe.roles: the proved pipe of a tile program, and its roles. */
#include "json/json.h"

#include <zlay/roles.h>

typedef struct asked {
    const zlay_target *target;
    zl_json_text program;
} asked;

static const zl_field rows[] = {
    ZL_TARGET(asked),
    {"program", ZL_NEEDS, ZL_AT(zl_as_text, asked, program)},
};
const zl_fields zl_roles_fields = {ZL_ROWS(rows, asked)};

static const zl_named kinds[] = {{"loads", ZLAY_ROLE_LOADS},
                                 {"products", ZLAY_ROLE_PRODUCTS},
                                 {"computes", ZLAY_ROLE_COMPUTES},
                                 {"stores", ZLAY_ROLE_STORES},
                                 {NULL, 0}};

static const zl_field size_rows[] = {
    ZL_NUMBER(zlay_role, first_warp), ZL_NUMBER(zlay_role, warps), ZL_NUMBER(zlay_role, instances),
    ZL_NUMBER(zlay_role, operations), ZL_NUMBER(zlay_role, stages),
};
static const zl_fields size_fields = {ZL_ROWS(size_rows, zlay_role)};

static json_t *roles_value(zl_call *call, const zlay_roles *roles)
{
    json_t *list = json_array();
    zlay_role role;
    for (uint32_t i = 0; !zlay_roles_nth(&role, roles, i); i++) {
        json_t *value = json_object();
        zl_put_value(call, value, "name", json_string(role.name));
        zl_put_value(call, value, "kind", zl_json_word(kinds, role.kind));
        zl_put_fields(call, value, &size_fields, &role);
        zl_put_item(call, list, value);
    }
    return list;
}

zlay_status zl_op_pipe_roles(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_roles *roles;
    zlay_roles_summary info;
    zlay_status status = zlay_roles_synth(call->ctx, &roles, a->target, a->program.text,
                                          a->program.length);
    if (status) return status;
    status = zlay_roles_info(&info, roles);
    call->value = json_object();
    zl_put_value(call, call->value, "interval", json_integer((json_int_t)info.interval));
    zl_put_value(call, call->value, "bound", json_integer((json_int_t)info.bound));
    zl_put_value(call, call->value, "peeled", json_integer(info.peeled));
    zl_put_value(call, call->value, "turns", json_boolean(info.turns));
    zl_put_value(call, call->value, "smem", json_integer((json_int_t)info.smem));
    zl_put_value(call, call->value, "columns", json_integer(info.columns));
    zl_put_value(call, call->value, "warps", json_integer(info.warps));
    zl_put_value(call, call->value, "roles", roles_value(call, roles));
    if (!status) status = zl_put_printed(call, "pipe", zl_print_pipe, zlay_roles_pipe(roles));
    zlay_roles_free(roles);
    return status;
}
