/* SPDX-License-Identifier: Apache-2.0 */
/* instruction.check: a form by its id, and its constants, whose names are the form's own. */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* ---- the request ---------------------------------------------------------------------- */

static zlay_status get_ptx_integer(zl_call *call, uint32_t *out)
{
    zlay_status status = zl_get_u32(call, call->request, "ptx", out);
    bool said = json_object_get(call->request, "ptx") != NULL;
    if (!status && said && !*out) return zl_wrong(call, "ptx", "a PTX version as \"8.6\"");
    if (!status && *out < 10) *out *= 10;
    return status;
}

/* "8.6", 8.6 or 86; 9 is 9.0. */
zlay_status zl_get_ptx(zl_call *call, uint32_t *out)
{
    zl_json_text text = {0};
    const json_t *value = json_object_get(call->request, "ptx");
    double number = json_real_value(value);
    if (json_is_real(value) && number > 0 && number < 1000) {
        *out = (uint32_t)(10 * number + 0.5);
        return ZLAY_OK;
    }
    if (!json_is_string(value)) return get_ptx_integer(call, out);
    zlay_status status = zl_get_text(call, call->request, "ptx", &text);
    if (status) return status;
    if (text.length != 3 || text.text[0] < '1' || text.text[0] > '9' || text.text[1] != '.' ||
        text.text[2] < '0' || text.text[2] > '9')
        return zl_wrong(call, "ptx", "a PTX version as \"8.6\"");
    *out = (uint32_t)(10 * (text.text[0] - '0') + text.text[2] - '0');
    return ZLAY_OK;
}

static zlay_status read_ptx(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    (void)object, (void)field;
    return zl_get_ptx(call, to);
}

const zl_field_kind zl_as_ptx = {.read = read_ptx};

static zlay_status read_form(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zl_json_text id = {"", 0};
    char quoted[256];
    zlay_status status = zl_get_text(call, object, field->name, &id);
    if (status) return status;
    if (!zlay_instruction_find(to, id.text, id.length)) return ZLAY_OK;
    zl_like like = zl_like_begin(id.text, id.length);
    uint32_t form;
    for (size_t i = 0; zlay_instruction_nth(&form, i) == ZLAY_OK; i++) {
        char text[256];
        zlay_buf buf = {text, sizeof text, 0};
        if (!zlay_instruction_id(&buf, form)) zl_like_offer(&like, text);
    }
    return zl_fail(call->ctx, ZLAY_EINVAL, "field 'instruction': no form is called '%s'%s",
                   zl_quote(quoted, id.text, id.length), like.hint);
}

static zlay_status read_constant(zl_call *call, zlay_instruction *out, const zlay_operand *operand)
{
    zlay_constant *c = &out->constant[out->count];
    if (!operand->field || !json_object_get(call->request, operand->name)) return ZLAY_OK;
    out->count++;
    c->field = operand->field;
    return zl_get_i64(call, call->request, operand->name, &c->value);
}

static bool has_operand(uint32_t form, const char *name)
{
    zlay_operand operand;
    for (size_t i = 0; !zlay_instruction_operand_nth(&operand, form, i); i++)
        if (operand.field && !strcmp(operand.name, name)) return true;
    return false;
}

/* A constant that the form has not is a mistake of the request. */
static zlay_status refuse_others(zl_call *call, uint32_t form)
{
    static const char *const frame[] = {"op", "id", "limits", "target", "instruction", "ptx"};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)call->request, key, value)
    {
        bool known = has_operand(form, key);
        for (size_t i = 0; i < ZL_COUNT(frame); i++) known |= !strcmp(frame[i], key);
        if (!known)
            return zl_fail(call->ctx, ZLAY_EINVAL, "field '%s': the form has no such constant",
                           key);
    }
    return ZLAY_OK;
}

static zlay_status read_constants(zl_call *call, zlay_instruction *out)
{
    zlay_operand operand;
    zlay_status status = refuse_others(call, out->form);
    for (size_t i = 0; !status && !zlay_instruction_operand_nth(&operand, out->form, i); i++)
        status = read_constant(call, out, &operand);
    return status;
}

static const zl_field_kind as_form = {.read = read_form, .type = "text"};
typedef uint32_t as_form_type;

typedef struct asked {
    const zlay_target *target;
    zlay_instruction of;
} asked;

#define CONSTANT(name)                                                                             \
    {                                                                                              \
#name, ZL_MAY, &zl_as_own_integer, .at = 0                                                 \
    }
static const zl_field asked_rows[] = {
    ZL_TARGET(asked),
    {"instruction", ZL_NEEDS, ZL_AT(as_form, asked, of.form)},
    {"ptx", ZL_MAY, ZL_AT(zl_as_ptx, asked, of.ptx)},
    CONSTANT(bytes), CONSTANT(groups), CONSTANT(count), CONSTANT(expect), CONSTANT(parity),
    CONSTANT(barrier), CONSTANT(threads), CONSTANT(registers), CONSTANT(cta_mask), CONSTANT(ord),
    CONSTANT(value), CONSTANT(taken), CONSTANT(size), CONSTANT(columns), CONSTANT(offset),
    CONSTANT(scale), CONSTANT(data), CONSTANT(data1), CONSTANT(address), CONSTANT(resource),
    CONSTANT(soffset), CONSTANT(saddr), CONSTANT(offset0), CONSTANT(offset1), CONSTANT(group0),
    CONSTANT(group1), CONSTANT(group2), CONSTANT(group3), CONSTANT(vmcnt), CONSTANT(expcnt),
    CONSTANT(lgkmcnt),
};
#undef CONSTANT
const zl_fields zl_instruction_fields = {ZL_ROWS(asked_rows, asked)};

/* ---- the form ------------------------------------------------------------------------- */

static zlay_status print_id(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    (void)ctx;
    return zlay_instruction_id(out, *(const uint32_t *)value);
}

static zlay_status print_text(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    (void)ctx;
    return zlay_instruction_print(out, *(const uint32_t *)value, NULL, 0);
}

static zlay_status form_value(zl_call *call, uint32_t form, json_t *out)
{
    zlay_form about;
    char version[16];
    zlay_status status = zlay_instruction_info(&about, form);
    if (!status) zl_put_value(call, out, "id", zl_json_printed(call, print_id, &form, &status));
    if (!status) zl_put_value(call, out, "text", zl_json_printed(call, print_text, &form, &status));
    if (status) return status;
    snprintf(version, sizeof version, "%u.%u", (unsigned)(about.ptx / 10),
             (unsigned)(about.ptx % 10));
    if (about.ptx) zl_put_value(call, out, "ptx", json_string(version));
    zl_put_value(call, out, "targets", json_string(about.targets));
    return ZLAY_OK;
}

static zlay_status check(zl_checked *c, const void *value)
{
    const asked *a = value;
    return zlay_instruction_check(&c->verdict, c->reasons, c->room, a->target, &a->of);
}

zlay_status zl_op_instruction_check(zl_call *call, const void *value)
{
    asked a = *(const asked *)value;
    zlay_status status = read_constants(call, &a.of);
    if (!status) status = zl_check_asked(call, &a, check);
    if (status) return status;
    json_t *form = json_object();
    status = form_value(call, a.of.form, form);
    zl_put_value(call, call->value, "form", form);
    return status;
}
