/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a counterexample (zlay_pipe_trace): param values and the events of a run that ends in
 * the fault. The run is made twice: once to find the fault, then again to print only the
 * events that the faulting threads' vector clocks know of, its causal past. */
#include "pipe/language/plain.h"
#include "pipe/runs/state/clock.h"
#include "pipe/runs/tiles.h"

typedef struct trace {
    zl_run *run;
    int32_t *known; /* per instance: its last event that the fault depends on */
    uint32_t params; /* that are told */
} trace;

/* Runs from the beginning with the given param values. */
static void start(zl_run *r)
{
    r->watch = NULL;
    r->endless = -1;
    r->seen = r->reached = -1;
    r->repeats = r->stuck = false;
    r->steps = 0;
    zl_run_reset(r);
    zl_run_check_form(r);
    if (!r->fault.rule) zl_run_on(r);
    if (!r->fault.rule && r->status == ZLAY_ELIMIT) zl_run_check_alone(r);
}

/* Whether the fault is about what remains at the end; then every event matters. */
static bool is_of_the_end(const zl_fault *f)
{
    switch (f->rule) {
    case ZLAY_PIPE_DEADLOCK:
    case ZLAY_PIPE_EXIT:
    case ZLAY_PIPE_PEER:
    case ZLAY_PIPE_GROUP:
    case ZLAY_PIPE_TMEM_LEAK: return true;
    default: return f->other == UINT32_MAX;
    }
}

/* For each instance, the last event that the faulting threads know of; for their own, all. */
static void find_known(trace *t)
{
    const zl_run *r = t->run;
    const zl_instance *by = &r->instances[r->stepping];
    bool all = is_of_the_end(&r->fault);
    for (uint32_t k = 0; k < r->instances_count; k++) {
        const zl_instance *i = &r->instances[k];
        t->known[k] = all || i == by ? INT32_MAX : 0;
        for (uint32_t a = 0; a < by->classes; a++)
            for (uint32_t c = 0; c < i->classes; c++) {
                zl_tick knows = r->classes[by->first + a].clock[zl_comp_control(r, i->first + c)];
                if (knows > t->known[k]) t->known[k] = knows;
            }
    }
}

static void put_fault(zl_text *out, const zl_run *r)
{
    const zl_fault *f = &r->fault;
    zl_putf(out, "%s at line %u", zlay_pipe_rule_name(f->rule), r->pipe->events[f->event].line);
    if (f->other != UINT32_MAX) zl_putf(out, " against line %u", r->pipe->events[f->other].line);
    zl_puts(out, "\n");
}

/* A count of each iteration has as many values as its loops have iterations. */
static void put_value(zl_text *out, const zl_run *r, uint32_t param)
{
    const zl_tiles *t = r->tiles;
    zl_putf(out, "%s =", r->pipe->params[param].name);
    if (!t || (int32_t)param != t->count) zl_putf(out, " %lld", (long long)r->params[param]);
    for (int64_t k = 0; t && (int32_t)param == t->count && k < t->open; k++)
        zl_putf(out, "%s %lld", k ? "," : "", (long long)t->counts[k]);
    zl_puts(out, "\n");
}

static void trace_write(zl_text *out, const void *value)
{
    const trace *t = value;
    zl_run *r = t->run;
    for (uint32_t k = 0; k < t->params; k++) put_value(out, r, k);
    r->trace = out;
    r->known = t->known;
    start(r);
    r->trace = NULL;
    put_fault(out, r);
}

/* The counts of each iteration in the run with the fault; false where memory is missing. */
static bool take_counts(zl_run *r, const zl_verdict *verdict)
{
    if (verdict->tile < 0) return true;
    if (!zl_tiles_make(r, verdict->tile)) return false;
    zl_tiles *t = r->tiles;
    t->last = true;
    t->open = r->params[t->over] < ZL_TILES ? r->params[t->over] : ZL_TILES;
    for (int64_t k = 0; k < t->open; k++) {
        t->counts[k] = verdict->counts ? verdict->counts[k] : r->params[t->count];
        t->begun[k + 1] = t->begun[k] + t->counts[k];
    }
    return true;
}

/* Prints the run of a plain pipe; only the first `params` params are those of the text. */
static zlay_status print_trace(zlay_ctx *ctx, zlay_buf *out, const zlay_pipe *pipe,
                               const zl_verdict *verdict, uint32_t params)
{
    trace t = {.params = params};
    zlay_status status = zl_run_new(ctx, &t.run, pipe);
    if (status) return status;
    for (uint32_t k = 0; k < pipe->params_count; k++) t.run->params[k] = verdict->values[k];
    t.run->most = UINT64_MAX;
    t.known = zl_scratch(ctx, t.run->instances_count + 1, sizeof *t.known);
    if (!t.known || !take_counts(t.run, verdict)) return ZLAY_ENOMEM;
    start(t.run);
    find_known(&t);
    return zl_print(out, trace_write, &t);
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
