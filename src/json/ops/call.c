/* SPDX-License-Identifier: Apache-2.0 */
/* One line in, one object out.  The caller's ctx is entered for the whole of it; the library is
 * called with a ctx of the request's own, which has the request's limits and the caller's ceilings,
 * and in which all calls of the request count as one. */
#include "json/json.h"
#include "json/ops/ops.h"

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
    bool ruled = call->rule && zlay_rule_info(&rule, call->rule) == ZLAY_OK;
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
    bool in_input = call->in_input || zl_refused_input(call->ctx);
    if (status == ZLAY_ELIMIT && !in_input) return text_value(call, "undecided");
    if (status != ZLAY_OK) return error_value(call, status);
    json_t *object = json_object();
    zl_put_value(call, object, "ok", call->value);
    call->value = NULL;
    return object;
}

/* ---- limits --------------------------------------------------------------- */

static zlay_status limits_read(zl_call *call, zlay_limits *limits, const json_t *given)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)given, name, value)
    {
        uint64_t count = 0;
        char quoted[256];
        size_t length = strlen(name), limit = zl_limit_find(name, length);
        if (limit == ZL_LIMITS) {
            zl_like like = zl_like_begin(name, length);
            for (size_t i = 0; zlay_limit_nth(i); i++)
                zl_like_offer(&like, zlay_limit_nth(i)->name);
            return zl_fail(call->ctx, ZLAY_EINVAL, "limits: no limit is called '%s'%s",
                           zl_quote(quoted, name, length), like.hint);
        }
        if (!zl_json_u64(value, &count) || !count)
            return zl_wrong(call, name, "a count of at least 1");
        if (count > zl_limit_get(zl_ceilings(call->ctx), limit))
            return zl_above(call->ctx, limit, count);
        zl_limit_set(limits, limit, count);
    }
    return ZLAY_OK;
}

/* A limit above its ceiling is an error of the request: no search was ended. */
static zlay_status limits_apply(zl_call *call)
{
    const json_t *given = json_object_get(call->request, "limits");
    zlay_limits limits = *zl_limits(call->ctx);
    if (!given) return ZLAY_OK;
    if (!json_is_object(given)) return zl_wrong(call, "limits", "an object of counts");
    zlay_status status = limits_read(call, &limits, given);
    if (!status) status = zlay_ctx_set_limits(call->ctx, &limits);
    call->in_input = status != ZLAY_OK;
    return status;
}

/* ---- one request ---------------------------------------------------------- */

static zlay_status no_op(zl_call *call, const char *name, size_t length)
{
    char quoted[256];
    zl_like like = zl_like_begin(name, length);
    zl_ops_offer(&like);
    return zl_fail(call->ctx, ZLAY_ENOTSUP, "no op is called '%s'%s",
                   zl_quote(quoted, name, length), like.hint);
}

static zlay_status op_run(zl_call *call)
{
    const json_t *name = json_object_get(call->request, "op");
    if (!name) return zl_fail(call->ctx, ZLAY_EINVAL, "field 'op' is missing");
    if (!json_is_string(name)) return zl_wrong(call, "op", "a text");
    const zl_op *op = zl_op_find(json_string_value(name));
    if (!op || json_string_length(name) != strlen(op->name))
        return no_op(call, json_string_value(name), json_string_length(name));
    call->op = op;
    zlay_status status = zl_names_check(call, call->request, op->name, op->fields);
    if (!status) status = limits_apply(call);
    return status ? status : zl_run_fields(call, op->fields, op->run);
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

static zlay_status deliver(zl_json_room *room, void *user, const json_t *answer)
{
    zl_text count = {NULL, 0, 0};
    zl_json_write(&count, answer);
    zl_text out = {room(user, count.need), count.need, 0};
    if (!out.text) return ZLAY_EROOM;
    zl_json_write(&out, answer);
    out.text[out.need] = 0;
    return ZLAY_OK;
}

static zlay_status answer_line(zlay_ctx *ctx, zl_json_room *room, void *user, const char *line,
                               size_t size)
{
    zl_call call = {.ctx = ctx};
    json_t *request;
    zlay_status status = zl_line_read(ctx, &request, line, size);
    call.in_input = status != ZLAY_OK;
    call.request = request;
    if (!status) status = op_run(&call);
    status = zl_ended(ctx, call.no_memory || zl_charge(ctx, 0) ? ZLAY_ENOMEM : status);
    if (status == ZLAY_ELIMIT) call.no_memory = false;
    json_t *answer = call.no_memory ? NULL : with_id(&call, answer_value(&call, status));
    status = call.no_memory || !answer ? ZLAY_ENOMEM : deliver(room, user, answer);
    json_decref(answer);
    json_decref(call.value);
    json_decref(call.witness);
    json_decref(request);
    return status;
}

zlay_status zl_json_call(zlay_ctx *ctx, zl_json_room *room, void *user, const char *line,
                         size_t size)
{
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_allocator alloc = zl_allocator(ctx);
    zlay_ctx *inner = NULL;
    status = zlay_ctx_new(&inner, &alloc, zl_limits(ctx));
    if (!status) status = zlay_ctx_set_ceilings(inner, zl_ceilings(ctx));
    if (!status) zl_count_as_one(inner);
    if (!status) status = answer_line(inner, room, user, line ? line : "", size);
    zlay_ctx_free(inner);
    if (status == ZLAY_ENOMEM) zl_fail(ctx, status, "no memory for the answer");
    return zl_leave(ctx, status);
}

static char *room_of(void *user, size_t need)
{
    zlay_buf *out = user;
    out->need = need;
    return need < out->room ? out->text : NULL;
}

zlay_status zlay_json_call(zlay_ctx *ctx, zlay_buf *out, const char *line, size_t size)
{
    if (!ctx || !out || (!out->text && out->room) || (!line && size)) return ZLAY_EINVAL;
    return zl_json_call(ctx, room_of, out, line, size);
}
