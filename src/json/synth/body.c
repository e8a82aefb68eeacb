/* SPDX-License-Identifier: Apache-2.0 */
/* body.check: reads a body, and tells its operands and its text as it is printed. */
#include "json/json.h"

#include <zlay/body.h>

static const zl_named sorts[] = {{"matrix", ZLAY_BODY_MATRIX}, {"row", ZLAY_BODY_ROW},
                                 {"column", ZLAY_BODY_COLUMN}, {"part", ZLAY_BODY_PART},
                                 {"scalar", ZLAY_BODY_SCALAR}, {"index", ZLAY_BODY_INDEX},
                                 {"global", ZLAY_BODY_GLOBAL}, {"shared", ZLAY_BODY_SHARED},
                                 {"output", ZLAY_BODY_OUTPUT}, {NULL, 0}};

static json_t *operands_of(zl_call *call, const zlay_body *body)
{
    json_t *list = json_array();
    zlay_body_operand o;
    for (size_t i = 0; !zlay_body_operand_nth(&o, body, i); i++) {
        json_t *one = json_object();
        zl_put_value(call, one, "name", json_string(o.name));
        zl_put_value(call, one, "is", json_string(zl_word_of(sorts, o.sort)));
        zl_put_value(call, one, "type", json_string(zlay_type_name(o.type)));
        zl_put_value(call, one, "reads", json_boolean(o.reads));
        zl_put_value(call, one, "writes", json_boolean(o.writes));
        zl_put_item(call, list, one);
    }
    return list;
}

static zlay_status print_body(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    (void)ctx;
    return zlay_body_print(out, value);
}

static zlay_status read_body(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zl_json_text text = {0};
    zlay_status status = zl_get_text(call, object, field->name, &text);
    call->in_input = true;
    if (!status) status = zlay_body_parse(call->ctx, to, text.text, text.length);
    call->in_input = status != ZLAY_OK;
    return status;
}

static void drop_body(zl_call *call, const zl_field *field, void *from)
{
    (void)call, (void)field;
    zlay_body_free(*(zlay_body **)from);
}

static const zl_field_kind as_body = {.read = read_body, .drop = drop_body, .type = "text"};
typedef zlay_body *as_body_type;

typedef struct body_asked {
    zlay_body *body;
} body_asked;

static const zl_field body_rows[] = {{"body", ZL_NEEDS, ZL_AT(as_body, body_asked, body)}};
const zl_fields zl_body_fields = {ZL_ROWS(body_rows, body_asked)};

zlay_status zl_op_body_check(zl_call *call, const void *asked)
{
    const zlay_body *body = ((const body_asked *)asked)->body;
    call->value = json_object();
    zlay_status status = zl_put_printed(call, "text", print_body, body);
    zl_put_value(call, call->value, "operands", operands_of(call, body));
    return status;
}
