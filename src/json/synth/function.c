/* SPDX-License-Identifier: Apache-2.0 */
/* emit of what: move, the function of copy.synth's plan. */
#include "json/synth/emit.h"

#include <zlay/emit_function.h>

#include <stdlib.h>
#include <string.h>

typedef struct asked {
    zl_emit_head head;
    zl_copy_asked copy;
    int32_t language;
    uint32_t present;
} asked;

enum { HAS_LANGUAGE = 1 };

static const zl_field move_rows[] = {
    ZL_PART(zl_emit_head_fields, asked, head),
    ZL_PART(zl_copy_synth_fields, asked, copy),
    {"language", ZL_MAY, ZL_AT(zl_as_word, asked, language), .of = zl_function_languages,
     .present = HAS_LANGUAGE},
    ZL_PTX(asked),
};
const zl_fields zl_emit_move_fields = {ZL_ROWS(move_rows, asked),
                                       .present = offsetof(asked, present)};

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

typedef struct printed_copy {
    const zlay_move *move;
    const asked *asked;
} printed_copy;

static zlay_status print_copy(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const printed_copy *p = value;
    return zlay_emit_copy(ctx, out, p->move, p->asked->language, p->asked->head.name.text,
                          p->asked->head.name.length);
}

/* Without a language it is PTX, and the function alone. */
static zlay_status put_text(zl_call *call, const zlay_move *move, const asked *a)
{
    const printed_copy p = {move, a};
    if (!(a->present & HAS_LANGUAGE)) return zl_put_text(call, ZL_FUNCTION_OF_MOVE, move, &a->head);
    return zl_put_kernel(call, zl_word_of(zl_function_languages, a->language), print_copy, &p,
                         &a->head);
}

static zlay_status put_function(zl_call *call, const zlay_move *move, const asked *a)
{
    zlay_move_summary info;
    zlay_status status = zlay_move_info(&info, move);
    if (!status) status = put_text(call, move, a);
    if (status) return status;
    zl_put_value(call, call->value, "threads", json_integer(info.threads));
    zl_put_value(call, call->value, "bytes", zl_json_uint(info.bytes));
    const char *text = json_string_value(json_object_get(call->value, "text"));
    if (text && a->language == ZLAY_TEXT_PTX) put_parameters(call, text);
    return ZLAY_OK;
}

zlay_status zl_emit_move(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_move *move = NULL;
    zlay_status status = zl_copy_made(call, &move, &a->copy);
    if (!status) status = put_function(call, move, a);
    zlay_move_free(move);
    return status;
}
