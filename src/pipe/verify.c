/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier: what each role breaks by itself, sums of every index, order of every class. */
#include "pipe/verify.h"

#include <string.h>

enum { OBLIGATIONS = 256 };

static const char *const rule_names[] = {
    [ZLAY_PIPE_INIT] = "init", [ZLAY_PIPE_COUNT] = "count", [ZLAY_PIPE_BYTES] = "bytes", [ZLAY_PIPE_PARITY] = "parity",
    [ZLAY_PIPE_LOST_PHASE] = "lost-phase", [ZLAY_PIPE_OVERRUN] = "overrun", [ZLAY_PIPE_DEADLOCK] = "deadlock",
    [ZLAY_PIPE_READ_BEFORE_FULL] = "read-before-full", [ZLAY_PIPE_OVERWRITE] = "overwrite",
    [ZLAY_PIPE_PROXY] = "proxy", [ZLAY_PIPE_GROUP] = "group", [ZLAY_PIPE_FENCE] = "fence",
    [ZLAY_PIPE_COLLECTIVE] = "collective", [ZLAY_PIPE_EXIT] = "exit", [ZLAY_PIPE_STAGE] = "stage",
};

const char *zlay_pipe_rule_name(int32_t rule)
{
    return rule > 0 && (size_t)rule < ZL_COUNT(rule_names) ? rule_names[rule] : NULL;
}

void zl_report(zl_verify *v, int32_t rule, uint32_t line, uint32_t other, int64_t found, int64_t wanted)
{
    size_t kept = v->count < v->room ? v->count : v->room;
    for (size_t i = 0; i < kept; i++)
        if (v->reasons[i].rule == rule && v->reasons[i].line == line) return;
    if (v->count < v->room) {
        zlay_pipe_reason *r = &v->reasons[v->count];
        memset(r, 0, sizeof *r);
        r->rule = rule;
        r->line = line;
        r->other = other;
        r->found = found;
        r->wanted = wanted;
        if (other) r->trace[r->steps++] = other;
        r->trace[r->steps++] = line;
    }
    v->count++;
}

static zlay_status traces_make(zl_verify *v, int64_t outer, int64_t inner)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t r = 0; !status && r < v->pipe->roles_count; r++)
        status = zl_trace_make(v->ctx, &v->traces[r], v->pipe, &v->shape, &v->pipe->roles[r], outer, inner);
    v->q_end = outer * inner;
    return status;
}

static zlay_status memory_make(zl_verify *v)
{
    zlay_allocator alloc = zl_allocator(v->ctx);
    size_t want = 3 * ZL_NODES * (size_t)v->q_end + 1;
    if (want <= v->memory_room) return ZLAY_OK;
    zl_free(&alloc, v->sites, v->sites_room * sizeof *v->sites);
    zl_free(&alloc, v->memory, v->memory_room * sizeof *v->memory);
    v->memory_room = 0;
    v->memory = zl_alloc(v->ctx, want, sizeof *v->memory);
    if (!v->memory) return ZLAY_ENOMEM;
    v->memory_room = want;
    return ZLAY_OK;
}

static zlay_status check_trips(zl_verify *v, int64_t outer, int64_t inner)
{
    zlay_status status = traces_make(v, outer, inner);
    if (!status) status = memory_make(v);
    if (status) return status;
    for (uint32_t r = 0; r < v->pipe->roles_count; r++) zl_check_role(v, (int32_t)r);
    zl_check_sums(v);
    zl_order_observe(v);
    return ZLAY_OK;
}

static zlay_status check_all(zl_verify *v)
{
    int64_t outer, inner;
    zl_check_setup(v);
    for (uint32_t r = 0; r < v->pipe->roles_count; r++) zl_check_static(v, &v->pipe->roles[r]);
    zl_shape_of(&v->shape, v->pipe);
    if (v->shape.unfit) {
        v->undecided = v->shape.unfit->line;
        return ZLAY_OK;
    }
    zlay_status status = zl_order_fill(v);
    for (uint32_t i = 0; !status && zl_shape_trips(&v->shape, v->pipe, i, &outer, &inner); i++)
        status = check_trips(v, outer, inner);
    if (!status) status = zl_progress_check(v);
    return status ? status : zl_order_check(v);
}

static zlay_status verify_begin(zl_verify *v)
{
    v->traces = zl_alloc(v->ctx, v->pipe->roles_count, sizeof *v->traces);
    v->obligations = zl_alloc(v->ctx, OBLIGATIONS, sizeof *v->obligations);
    v->obligations_room = OBLIGATIONS;
    return v->traces && v->obligations ? ZLAY_OK : ZLAY_ENOMEM;
}

static void verify_end(zl_verify *v)
{
    zlay_allocator alloc = zl_allocator(v->ctx);
    for (uint32_t r = 0; v->traces && r < v->pipe->roles_count; r++) zl_trace_free(v->ctx, &v->traces[r]);
    zl_free(&alloc, v->traces, v->pipe->roles_count * sizeof *v->traces);
    zl_free(&alloc, v->obligations, OBLIGATIONS * sizeof *v->obligations);
    zl_free(&alloc, v->sites, v->sites_room * sizeof *v->sites);
    zl_free(&alloc, v->memory, v->memory_room * sizeof *v->memory);
    zl_free(&alloc, v, sizeof *v);
}

static zlay_status answer_give(zl_verify *v, zlay_answer *answer, size_t *count, zlay_buf *proof)
{
    if (!v->count && !v->undecided && proof) {
        zlay_status status = zl_print(proof, zl_proof_write, v);
        if (status) return status;
    }
    *answer = v->count ? ZLAY_NO : v->undecided ? ZLAY_UNDECIDED : ZLAY_YES;
    *count = v->count;
    if (*answer == ZLAY_UNDECIDED)
        zl_fail(v->ctx, ZLAY_OK, "line %u has a form that the proof does not cover", v->undecided);
    return ZLAY_OK;
}

zlay_status zlay_pipe_verify(zlay_ctx *ctx, zlay_answer *answer, zlay_pipe_reason *reasons, size_t room,
                             size_t *count, zlay_buf *proof, const zlay_pipe *pipe)
{
    if (!answer || !count || !pipe || (!reasons && room)) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zl_verify *v = zl_alloc(ctx, 1, sizeof *v);
    if (!v) return zl_leave(ctx, ZLAY_ENOMEM);
    v->ctx = ctx;
    v->pipe = pipe;
    v->reasons = reasons;
    v->room = room;
    status = verify_begin(v);
    if (!status) status = check_all(v);
    if (!status) status = answer_give(v, answer, count, proof);
    verify_end(v);
    return zl_leave(ctx, status);
}
