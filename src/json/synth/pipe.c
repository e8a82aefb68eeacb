/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

enum { REASONS_MOST = 64 };

static json_t *lines_value(zl_call *call, const uint32_t *lines, uint32_t count)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++) zl_put_item(call, list, json_integer(lines[i]));
    return list;
}

/* A row of the same form as every check's: a pipe has lines for fields, and no driver. */
static json_t *reason_value(zl_call *call, const zlay_pipe_reason *r)
{
    json_t *row = json_object();
    zlay_pipe_rule rule = {"?", "?", "?"};
    zlay_pipe_rule_info(&rule, r->rule);
    zl_put_value(call, row, "rule", json_string(rule.name));
    zl_put_value(call, row, "by", json_string("documented"));
    zl_put_value(call, row, "field", json_null());
    zl_put_value(call, row, "index", json_null());
    zl_put_value(call, row, "value", zl_json_int(r->found));
    zl_put_value(call, row, "relation", json_string("equal"));
    zl_put_value(call, row, "bound", zl_json_int(r->wanted));
    zl_put_value(call, row, "source", json_string(rule.source));
    zl_put_value(call, row, "text", json_string(rule.text));
    zl_put_value(call, row, "fix", json_null());
    zl_put_value(call, row, "at", json_integer(r->line));
    zl_put_value(call, row, "other", r->other ? json_integer(r->other) : json_null());
    zl_put_value(call, row, "trace", lines_value(call, r->trace, r->steps < 8 ? r->steps : 8));
    return row;
}

/* What a row of tensor memory says of itself, over what pipes say. */
static json_t *fault_value(zl_call *call, const zlay_tmem_fault *fault)
{
    json_t *value = reason_value(call, &fault->reason);
    zlay_tmem_row row;
    bool found = zlay_tmem_row_info(&row, fault->row) == ZLAY_OK;
    zl_put_value(call, value, "id", found ? json_string(row.id) : json_null());
    if (!found) return value;
    zl_put_value(call, value, "source", json_string(row.source));
    zl_put_value(call, value, "text", json_string(row.text));
    return value;
}

static json_t *broken_value(zl_call *call, const zlay_pipe_reason *reasons, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count && i < REASONS_MOST; i++)
        zl_put_item(call, list, reason_value(call, &reasons[i]));
    return list;
}

static zlay_status print_proof(zlay_ctx *ctx, zlay_buf *out, const void *pipe)
{
    zlay_answer answer;
    size_t count;
    return zlay_pipe_verify(ctx, &answer, NULL, 0, &count, out, pipe);
}

static zlay_status put_proof(zl_call *call, const zlay_pipe *pipe)
{
    zlay_status status;
    json_t *proof = zl_json_printed(call, print_proof, pipe, &status);
    if (!status) zl_put_value(call, call->value, "proof", proof);
    return status;
}

static zlay_status print_run(zlay_ctx *ctx, zlay_buf *out, const void *pipe)
{
    return zlay_pipe_trace(ctx, out, pipe);
}

/* A fault that runs do not have is one of order alone. */
static zlay_status put_run(zl_call *call, const zlay_pipe *pipe)
{
    zlay_status status;
    json_t *run = zl_json_printed(call, print_run, pipe, &status);
    if (!status) zl_put_value(call, call->value, "run", run);
    return status == ZLAY_NONE || status == ZLAY_ELIMIT ? ZLAY_OK : status;
}

static zlay_status verify(zl_call *call, const zlay_pipe *pipe, bool proof)
{
    zlay_pipe_reason reasons[REASONS_MOST];
    zlay_answer answer;
    size_t count = 0;
    zlay_status status =
        zlay_pipe_verify(call->ctx, &answer, reasons, REASONS_MOST, &count, NULL, pipe);
    if (status) return status;
    call->undecided = answer == ZLAY_UNDECIDED;
    if (call->undecided) return ZLAY_OK;
    call->value = json_object();
    zl_put_value(call, call->value, "answer", json_string(answer == ZLAY_YES ? "yes" : "no"));
    zl_put_value(call, call->value, "broken", broken_value(call, reasons, count));
    if (!proof) return ZLAY_OK;
    return answer == ZLAY_YES ? put_proof(call, pipe) : put_run(call, pipe);
}

static zlay_status pipe_get(zl_call *call, zlay_pipe **out)
{
    zl_json_text text = {0};
    zlay_status status = zl_get_text(call, call->request, "pipe", &text);
    call->in_input = true;
    if (!status) status = zlay_pipe_parse(call->ctx, out, text.text, text.length);
    call->in_input = status != ZLAY_OK;
    return status;
}

zlay_status zl_op_pipe_verify(zl_call *call)
{
    bool proof = false;
    zlay_pipe *pipe = NULL;
    zlay_status status = zl_get_flag(call, call->request, "proof", &proof);
    if (!status) status = pipe_get(call, &pipe);
    if (!status) status = verify(call, pipe, proof);
    zlay_pipe_free(pipe);
    return status;
}

static zlay_status check_tmem(zl_call *call, const zlay_pipe *pipe)
{
    zlay_tmem_fault faults[REASONS_MOST];
    zlay_answer answer;
    size_t count = 0;
    zlay_status status =
        zlay_pipe_tmem_check(call->ctx, &answer, faults, REASONS_MOST, &count, pipe);
    if (status) return status;
    call->undecided = answer == ZLAY_UNDECIDED;
    if (call->undecided) return ZLAY_OK;
    json_t *list = json_array();
    for (size_t i = 0; i < count && i < REASONS_MOST; i++)
        zl_put_item(call, list, fault_value(call, &faults[i]));
    call->value = json_object();
    zl_put_value(call, call->value, "answer", json_string(answer == ZLAY_YES ? "yes" : "no"));
    zl_put_value(call, call->value, "broken", list);
    return ZLAY_OK;
}

zlay_status zl_op_tmem_check(zl_call *call)
{
    zlay_pipe *pipe = NULL;
    zlay_status status = pipe_get(call, &pipe);
    if (!status) status = check_tmem(call, pipe);
    zlay_pipe_free(pipe);
    return status;
}

zlay_status zl_print_pipe(zlay_ctx *ctx, zlay_buf *out, const void *pipe)
{
    (void)ctx;
    return zlay_pipe_print(out, pipe);
}

static zlay_status add_fences(zl_call *call, const zlay_pipe *pipe)
{
    zlay_pipe_fence fences[REASONS_MOST];
    zlay_pipe *fenced;
    size_t count;
    zlay_status status =
        zlay_pipe_fences(call->ctx, &fenced, fences, REASONS_MOST, &count, pipe);
    if (status) return status;
    json_t *text = zl_json_printed(call, zl_print_pipe, fenced, &status), *list = json_array();
    for (size_t i = 0; i < count && i < REASONS_MOST; i++) {
        json_t *fence = json_object();
        zl_put_value(call, fence, "at", json_integer(fences[i].line));
        zl_put_value(call, fence, "fence", json_string(fences[i].way));
        zl_put_item(call, list, fence);
    }
    call->value = json_object();
    zl_put_value(call, call->value, "pipe", text);
    zl_put_value(call, call->value, "fences", list);
    zlay_pipe_free(fenced);
    return status;
}

zlay_status zl_op_pipe_fences(zl_call *call)
{
    zlay_pipe *pipe = NULL;
    zlay_status status = pipe_get(call, &pipe);
    if (!status) status = add_fences(call, pipe);
    zlay_pipe_free(pipe);
    return status;
}
