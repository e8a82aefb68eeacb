/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a counterexample (zlay_pipe_trace): param values and the events of a run that ends in
 * the fault, its causal past (retrace.c). */
#include "pipe/language/plain.h"
#include "pipe/runs/retrace.h"

typedef struct trace {
    zl_retrace again;
    uint32_t params; /* that are told */
} trace;

/* Prints one event, to the text that is the teller. */
static void put_step(zl_run *r, const zl_instance *i)
{
    if (!i) return;
    const zl_role *role = &r->pipe->roles[i->role];
    zl_puts(r->teller, role->name);
    if (zl_role_instances(role) > 1) zl_putf(r->teller, "[%d]", i->number);
    if (r->pipe->blocks > 1) zl_putf(r->teller, " cta %d", i->cta);
    zl_putf(r->teller, " line %u", r->pipe->events[i->pc].line);
    for (uint32_t d = 0; d < i->depth; d++)
        zl_putf(r->teller, " %s %lld", r->pipe->events[i->loop[d]].name, (long long)i->counter[d]);
    zl_puts(r->teller, "\n");
}

static void put_fault(zl_text *out, const zl_run *r, const zl_fault *f)
{
    zl_putf(out, "%s at line %u", zlay_pipe_rule_name(f->rule), r->pipe->events[f->event].line);
    if (f->other != UINT32_MAX) zl_putf(out, " against line %u", r->pipe->events[f->other].line);
    zl_puts(out, "\n");
}

static void trace_write(zl_text *out, const void *value)
{
    trace t = *(const trace *)value;
    zl_run *r = t.again.run;
    for (uint32_t k = 0; k < t.params; k++) zl_retrace_put_value(out, r, k), zl_puts(out, "\n");
    zl_retrace_tell(&t.again, put_step, out);
    put_fault(out, r, &t.again.fault);
}

/* Prints the run of a plain pipe; only the first `params` params are those of the text. */
static zlay_status print_trace(zlay_ctx *ctx, zlay_buf *out, const zlay_pipe *pipe,
                               const zl_verdict *verdict, uint32_t params)
{
    trace t = {.params = params};
    zlay_status status = zl_retrace_begin(&t.again, ctx, pipe, verdict);
    return status ? status : zl_print(out, trace_write, &t);
}

zlay_status zlay_pipe_trace(zlay_ctx *ctx, zlay_buf *out, const zlay_pipe *pipe)
{
    zl_verdict verdict;
    if (!out || !pipe) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_run_verify(ctx, &verdict, NULL, pipe);
    if (!status && verdict.undecided) status = ZLAY_ELIMIT;
    if (!status && !verdict.fault.rule)
        status = zl_fail(ctx, ZLAY_NONE, "no run of the pipe has a fault");
    const zlay_pipe *plain = pipe;
    if (!status) status = zl_pipe_plain(ctx, &plain, pipe);
    if (!status) status = print_trace(ctx, out, plain, &verdict, pipe->params_count);
    return zl_leave(ctx, status);
}
