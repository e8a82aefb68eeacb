/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"
#include "json/ops/ops.h"

#include <string.h>

static const zl_op ops[] = {
#define OP(id, table, function, answer, about)                                                    \
    {.name = id, .ok = answer, .text = about, .fields = &table, .run = function},
#define CHECK(id, table, function, about)                                                          \
    {.name = id, .ok = "check", .text = about, .fields = &table, .run = zl_run_check,              \
     .make = {.check = function}},
#define LAYOUT(id, table, shape, function, answer, about)                                          \
    {.name = id, .ok = answer, .text = about, .fields = &table, .run = zl_run_layout,              \
     .make = {.shape = function}, .by = zl_by_##shape, .show = zl_json_layout},
#define F2(id, table, shape, function, about)                                                      \
    {.name = id, .ok = "F2 object", .text = about, .fields = &table, .run = zl_run_layout,         \
     .make = {.shape = function}, .by = zl_by_##shape, .show = zl_json_f2},
#include "json/rows/ops.def"
};

const zl_op *zl_op_at(size_t i) { return i < ZL_COUNT(ops) ? &ops[i] : NULL; }

const zl_op *zl_op_find(const char *name)
{
    for (size_t i = 0; i < ZL_COUNT(ops); i++)
        if (!strcmp(ops[i].name, name)) return &ops[i];
    return NULL;
}

void zl_ops_offer(zl_like *like)
{
    for (size_t i = 0; i < ZL_COUNT(ops); i++) zl_like_offer(like, ops[i].name);
}

void zl_op_names(zl_text *out, const zl_op *op, bool needed)
{
    zl_names_list(out, op->fields, needed);
}

static json_t *words(zl_call *call, const char *list)
{
    json_t *array = json_array();
    for (const char *at = list; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        zl_put_item(call, array, json_stringn(at, length));
        at += length;
    }
    return array;
}

static json_t *names_value(zl_call *call, const zl_op *op, bool needed)
{
    char names[ZL_NAMES_MOST];
    zl_text out = {names, sizeof names - 1, 0};
    zl_op_names(&out, op, needed);
    names[out.need] = 0;
    return words(call, names);
}

/* The types of an operation's fields, those that are needed first. */
static json_t *types_value(zl_call *call, const zl_op *op)
{
    json_t *object = json_object();
    char names[ZL_NAMES_MOST];
    for (int needed = 1; needed >= 0; needed--) {
        zl_text out = {names, sizeof names - 1, 0};
        zl_op_names(&out, op, needed);
        names[out.need] = 0;
        for (char *at = names; *at; at += strspn(at, " ")) {
            size_t length = strcspn(at, " ");
            const char *type = zl_name_type(op->fields, at, length);
            char *end = at + length, behind = *end;
            *end = 0;
            zl_put_value(call, object, at, json_string(type));
            *end = behind;
            at = end;
        }
    }
    return object;
}

static json_t *ops_value(zl_call *call)
{
    json_t *object = json_object();
    for (size_t i = 0; i < ZL_COUNT(ops); i++) {
        json_t *op = json_object();
        zl_put_value(call, op, "fields", names_value(call, &ops[i], true));
        zl_put_value(call, op, "optional", names_value(call, &ops[i], false));
        zl_put_value(call, op, "types", types_value(call, &ops[i]));
        zl_put_value(call, op, "ok", json_string(ops[i].ok));
        zl_put_value(call, op, "text", json_string(ops[i].text));
        zl_put_value(call, object, ops[i].name, op);
    }
    return object;
}

static json_t *targets_value(zl_call *call)
{
    json_t *array = json_array();
    const zlay_target *target;
    for (size_t i = 0; (target = zlay_target_nth(i)); i++)
        zl_put_item(call, array, json_string(zlay_target_name(target)));
    return array;
}

static json_t *limits_value(zl_call *call, const zlay_limits *limits)
{
    json_t *object = json_object();
    const zlay_limit *limit;
    for (size_t i = 0; (limit = zlay_limit_nth(i)); i++)
        zl_put_value(call, object, limit->name, zl_json_uint(zl_limit_get(limits, i)));
    return object;
}

const zl_fields zl_no_fields = {0};

zlay_status zl_op_zlay(zl_call *call, const void *asked)
{
    (void)asked;
    call->value = json_object();
    zl_put_value(call, call->value, "version", json_string(zlay_version()));
    zl_put_value(call, call->value, "rules_version", zl_json_uint(zlay_rules_version()));
    zl_put_value(call, call->value, "ops", ops_value(call));
    zl_put_value(call, call->value, "emit", words(call, "gemm header"));
    zl_put_value(call, call->value, "targets", targets_value(call));
    zl_put_value(call, call->value, "limits", limits_value(call, zl_limits(call->ctx)));
    zl_put_value(call, call->value, "ceilings", limits_value(call, zl_ceilings(call->ctx)));
    return ZLAY_OK;
}
