/* SPDX-License-Identifier: Apache-2.0 */
/* One line in, one object out.  The caller's ctx is entered for the whole of it; the library is
 * called with a ctx of the request's own, which has the request's limits. */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>
#include <zlay/json.h>

/* A message may quote half a character of UTF-8, which no JSON text may hold. */
static json_t *message_value(zl_call *call)
{
    char text[1024];
    size_t length = 0;
    for (const char *c = zlay_ctx_message(call->ctx); *c && length < sizeof text; c++)
        text[length++] = (unsigned char)*c < 0x80 ? *c : '?';
    return json_stringn(text, length);
}

/* What a status is called in an answer; ELIMIT ends here only when it met an input. */
static json_t *error_value(zl_call *call, zlay_status status)
{
    json_t *object = json_object();
    zl_put_value(call, object, "error", json_string(zlay_status_name(status)));
    zl_put_value(call, object, "message", message_value(call));
    return object;
}

static json_t *text_value(zl_call *call, const char *key)
{
    json_t *object = json_object();
    zl_put_value(call, object, key, message_value(call));
    return object;
}

static json_t *none_value(zl_call *call)
{
    json_t *object = text_value(call, "none");
    zlay_rule rule;
    bool ruled = call->rule && zlay_rule_get(&rule, call->rule) == ZLAY_OK;
    if (!call->witness && !ruled) return object;
    zl_put_value(call, object, "rule", ruled ? json_string(rule.id) : json_null());
    zl_put_value(call, object, "witness",
                 call->witness ? json_incref(call->witness) : json_null());
    return object;
}

static json_t *answer_value(zl_call *call, zlay_status status)
{
    if (status == ZLAY_NONE) return none_value(call);
    if (status == ZLAY_OK && call->undecided) return text_value(call, "undecided");
    if (status == ZLAY_ELIMIT && !call->in_input) return text_value(call, "undecided");
    if (status != ZLAY_OK) return error_value(call, status);
    json_t *object = json_object();
    zl_put_value(call, object, "ok", call->value);
    call->value = NULL;
    return object;
}

/* ---- limits --------------------------------------------------------------- */

static uint64_t *limit_of(zlay_limits *limits, const char *name)
{
    static const struct {
        const char *name;
        size_t offset;
    } wide[] = {
        {"text", offsetof(zlay_limits, text)},
        {"dims", offsetof(zlay_limits, dims)},
        {"points", offsetof(zlay_limits, points)},
        {"sim_bytes", offsetof(zlay_limits, sim_bytes)},
        {"pieces", offsetof(zlay_limits, pieces)},
        {"isl_ops", offsetof(zlay_limits, isl_ops)},
        {"big_bytes", offsetof(zlay_limits, big_bytes)},
    };
    for (size_t i = 0; i < ZL_COUNT(wide); i++)
        if (!strcmp(wide[i].name, name))
            return (uint64_t *)(void *)((char *)limits + wide[i].offset);
    return NULL;
}

static zlay_status limits_read(zl_call *call, zlay_limits *limits, const json_t *given)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)given, name, value)
    {
        uint64_t count = 0, *wide = limit_of(limits, name);
        char quoted[256];
        if (!wide && strcmp(name, "nesting"))
            return zl_fail(call->ctx, ZLAY_EINVAL, "limits: no limit is called '%s'",
                           zl_quote(quoted, name, strlen(name)));
        if (!zl_json_u64(value, &count) || !count || (!wide && count > UINT32_MAX))
            return zl_wrong(call, name, "a count of at least 1");
        if (wide) *wide = count;
        else limits->nesting = (uint32_t)count;
    }
    return ZLAY_OK;
}

static zlay_status limits_apply(zl_call *call)
{
    const json_t *given = json_object_get(call->request, "limits");
    zlay_limits limits = *zl_limits(call->ctx);
    if (!given) return ZLAY_OK;
    if (!json_is_object(given)) return zl_wrong(call, "limits", "an object of counts");
    zlay_status status = limits_read(call, &limits, given);
    return status ? status : zlay_ctx_set_limits(call->ctx, &limits);
}

/* ---- one request ---------------------------------------------------------- */

static zlay_status op_run(zl_call *call)
{
    const json_t *name = json_object_get(call->request, "op");
    char quoted[256];
    if (!name) return zl_fail(call->ctx, ZLAY_EINVAL, "field 'op' is missing");
    if (!json_is_string(name)) return zl_wrong(call, "op", "a text");
    const zl_op *op = zl_op_find(json_string_value(name));
    if (!op || json_string_length(name) != strlen(op->name))
        return zl_fail(call->ctx, ZLAY_ENOTSUP, "no op is called '%s'",
                       zl_quote(quoted, json_string_value(name), json_string_length(name)));
    zlay_status status = zl_fields_check(call, call->request, op->name, op->required, op->optional);
    if (!status) status = limits_apply(call);
    return status ? status : op->call(call);
}

static json_t *load(zl_call *call, const char *line, size_t size, zlay_status *status)
{
    enum { FLAGS = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL };
    json_error_t error;
    char *quoted = NULL, shown[256];
    size_t length = 0;
    bool plain;
    if ((*status = zl_line_check(call->ctx, &plain, line, size))) return NULL;
    if (!plain && (*status = zl_line_quote(call->ctx, &quoted, &length, line, size))) return NULL;
    json_t *request = json_loadb(quoted ? quoted : line, quoted ? length : size, FLAGS, &error);
    zlay_allocator alloc = zl_allocator(call->ctx);
    zl_free(&alloc, quoted, length + 1);
    if (!request && json_error_code(&error) == json_error_out_of_memory) *status = ZLAY_ENOMEM;
    else if (!request)
        *status = zl_fail(call->ctx, ZLAY_EINVAL, "no JSON object: byte %d: %s", error.position,
                          zl_quote(shown, error.text, strlen(error.text)));
    else if (!json_is_object(request)) *status = zl_fail(call->ctx, ZLAY_EINVAL, "no JSON object");
    return request;
}

static json_t *with_id(zl_call *call, json_t *answer)
{
    json_t *id = json_object_get(call->request, "id");
    if (!id || !answer) return answer;
    json_t *object = json_object();
    zl_put_value(call, object, "id", json_incref(id));
    if (object && json_object_update(object, answer)) call->no_memory = true;
    json_decref(answer);
    return object;
}

static zlay_status deliver(zlay_buf *out, const json_t *answer)
{
    char *text = json_dumps(answer, JSON_COMPACT);
    if (!text) return ZLAY_ENOMEM;
    size_t length = strlen(text);
    zlay_status status = length < out->room ? ZLAY_OK : ZLAY_EROOM;
    out->need = length;
    if (!status) memcpy(out->text, text, length + 1);
    free(text);
    return status;
}

static zlay_status answer_line(zlay_ctx *ctx, zlay_buf *out, const char *line, size_t size)
{
    zl_call call = {.ctx = ctx};
    zlay_status status = ZLAY_OK;
    json_t *request = load(&call, line, size, &status);
    call.request = request;
    if (!status) status = op_run(&call);
    json_t *answer = call.no_memory ? NULL : with_id(&call, answer_value(&call, status));
    if (call.no_memory || !answer) status = ZLAY_ENOMEM;
    else status = deliver(out, answer);
    json_decref(answer);
    json_decref(call.value);
    json_decref(call.witness);
    json_decref(request);
    return status;
}

zlay_status zlay_json_call(zlay_ctx *ctx, zlay_buf *out, const char *line, size_t size)
{
    if (!ctx || !out || (!out->text && out->room) || (!line && size)) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_allocator alloc = zl_allocator(ctx);
    zlay_ctx *inner = NULL;
    status = zlay_ctx_new(&inner, &alloc, zl_limits(ctx));
    if (!status) status = answer_line(inner, out, line ? line : "", size);
    zlay_ctx_free(inner);
    if (status == ZLAY_ENOMEM) zl_fail(ctx, status, "no memory for the answer");
    return zl_leave(ctx, status);
}
