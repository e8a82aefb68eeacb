/* SPDX-License-Identifier: Apache-2.0 */
/* The function of a move by threads, as text. */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>
#include <zlay/emit.h>

typedef struct named_move {
    const zlay_move *move;
    zl_json_text name;
} named_move;

static zlay_status print_move(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const named_move *n = value;
    return zlay_emit_move(ctx, out, n->move, n->name.text, n->name.length);
}

/* A parameter as the text declares it: ".b32 ptr_dest", or ".align 16 .b8 held_dest[64]". */
static json_t *parameter_value(zl_call *call, const char *at)
{
    json_t *one = json_object();
    if (!strncmp(at, ".align ", 7)) at += strcspn(at + 7, " ") + 8;
    const char *type = at + 1, *name = at + strcspn(at, " ") + 1;
    size_t length = strcspn(name, "[,)");
    long count = name[length] == '[' ? strtol(name + length + 1, NULL, 10) : 1;
    long bytes = strtol(type + 1, NULL, 10) / 8;
    zl_put_value(call, one, "name", json_stringn(name, length));
    zl_put_value(call, one, "type", json_stringn(type, strcspn(type, " ")));
    zl_put_value(call, one, "bytes", json_integer(count * bytes));
    return one;
}

/* The result stands before the function's name, arguments behind it. */
static void put_parameters(zl_call *call, const char *text)
{
    static const char head[] = ".visible .func ", word[] = ".param ";
    const char *at = strstr(text, head), *end = at ? strstr(at, ")\n{") : NULL;
    json_t *list = json_array(), *result = NULL;
    if (at && at[strlen(head)] == '(')
        result = parameter_value(call, strstr(at, word) + strlen(word));
    if (result) at = strchr(at, ')');
    while (at && end && (at = strstr(at, word)) && at < end) {
        at += strlen(word);
        zl_put_item(call, list, parameter_value(call, at));
    }
    zl_put_value(call, call->value, "arguments", list);
    zl_put_value(call, call->value, "result", result ? result : json_null());
}

static zlay_status put_text(zl_call *call, const named_move *n)
{
    zlay_move_summary info;
    zlay_status status = zlay_move_info(&info, n->move);
    json_t *text = status ? NULL : zl_json_printed(call, print_move, n, &status);
    if (status) return status;
    status = zl_put_kernel(call, text, "ptx");
    zl_put_value(call, call->value, "threads", json_integer(info.threads));
    zl_put_value(call, call->value, "bytes", zl_json_uint(info.bytes));
    if (text) put_parameters(call, json_string_value(text));
    return status;
}

zlay_status zl_emit_function(zl_call *call)
{
    named_move n = {0};
    zlay_move *move = NULL;
    zlay_status status =
        zl_fields_check(call, call->request, "emit", "target what name src dst",
                        "type elem_bits threads registers path signal tile facts ptx");
    if (!status) status = zl_get_text(call, call->request, "name", &n.name);
    if (!status) status = zl_copy_made(call, &move);
    n.move = move;
    if (!status) status = put_text(call, &n);
    zlay_move_free(move);
    return status;
}
