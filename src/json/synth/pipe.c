/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts on pipes: pipe.verify, tmem.check and pipe.fences. Each reads a pipe as text and answers
 * with the rules that it breaks, or with the pipe mended. */
#include "json/json.h"

enum { REASONS_MOST = 64 };

/* ---- requests ---------------------------------------------------------------------------- */

static zlay_status read_pipe(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zl_json_text text = {0};
    zlay_pipe *pipe = NULL;
    zlay_status status = zl_get_text(call, object, field->name, &text);
    call->in_input = true;
    if (!status) status = zlay_pipe_parse(call->ctx, &pipe, text.text, text.length);
    call->in_input = status != ZLAY_OK;
    *(const zlay_pipe **)to = pipe;
    return status;
}

static void drop_pipe(zl_call *call, const zl_field *field, void *from)
{
    (void)call, (void)field;
    zlay_pipe_free((zlay_pipe *)(uintptr_t)*(const zlay_pipe **)from);
}

const zl_field_kind zl_as_pipe = {
    .read = read_pipe, .drop = drop_pipe, .late = true, .type = "pipe"};

typedef struct asked {
    const zlay_pipe *pipe;
    bool proof;
} asked;

#define PIPE_ROW {"pipe", ZL_NEEDS, ZL_AT(zl_as_pipe, asked, pipe)}
static const zl_field pipe_rows[] = {PIPE_ROW};
static const zl_field verify_rows[] = {
    {"proof", ZL_MAY, ZL_AT(zl_as_flag, asked, proof)},
    PIPE_ROW,
};
const zl_fields zl_pipe_fields = {ZL_ROWS(pipe_rows, asked)};
const zl_fields zl_verify_fields = {ZL_ROWS(verify_rows, asked)};

/* ---- answers ----------------------------------------------------------------------------- */

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
    zl_put_value(call, row, "trace", zl_json_list32(call, r->trace, r->steps < 8 ? r->steps : 8));
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

static zlay_status print_run(zlay_ctx *ctx, zlay_buf *out, const void *pipe)
{
    return zlay_pipe_trace(ctx, out, pipe);
}

/* A fault that runs do not have is one of order alone. */
static zlay_status put_run(zl_call *call, const zlay_pipe *pipe)
{
    zlay_status status = zl_put_printed(call, "run", print_run, pipe);
    return status == ZLAY_NONE || status == ZLAY_ELIMIT ? ZLAY_OK : status;
}

/* Whether the answer is a yes or a no, which then begins the call's value. */
static bool put_answer(zl_call *call, zlay_answer answer)
{
    call->undecided = answer == ZLAY_UNDECIDED;
    if (call->undecided) return false;
    call->value = json_object();
    zl_put_value(call, call->value, "answer", json_string(answer == ZLAY_YES ? "yes" : "no"));
    return true;
}

zlay_status zl_op_pipe_verify(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_pipe_reason reasons[REASONS_MOST];
    zlay_answer answer;
    size_t count = 0;
    zlay_status status =
        zlay_pipe_verify(call->ctx, &answer, reasons, REASONS_MOST, &count, NULL, a->pipe);
    if (status || !put_answer(call, answer)) return status;
    zl_put_value(call, call->value, "broken", broken_value(call, reasons, count));
    if (!a->proof) return ZLAY_OK;
    if (answer == ZLAY_YES) return zl_put_printed(call, "proof", print_proof, a->pipe);
    return put_run(call, a->pipe);
}

zlay_status zl_op_tmem_check(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_tmem_fault faults[REASONS_MOST];
    zlay_answer answer;
    size_t count = 0;
    zlay_status status =
        zlay_pipe_tmem_check(call->ctx, &answer, faults, REASONS_MOST, &count, a->pipe);
    if (status || !put_answer(call, answer)) return status;
    json_t *list = json_array();
    for (size_t i = 0; i < count && i < REASONS_MOST; i++)
        zl_put_item(call, list, fault_value(call, &faults[i]));
    zl_put_value(call, call->value, "broken", list);
    return ZLAY_OK;
}

zlay_status zl_print_pipe(zlay_ctx *ctx, zlay_buf *out, const void *pipe)
{
    (void)ctx;
    return zlay_pipe_print(out, pipe);
}

zlay_status zl_op_pipe_fences(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_pipe_fence fences[REASONS_MOST];
    zlay_pipe *fenced;
    size_t count;
    zlay_status status =
        zlay_pipe_fences(call->ctx, &fenced, fences, REASONS_MOST, &count, a->pipe);
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
