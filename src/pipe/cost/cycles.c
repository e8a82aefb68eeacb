/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_pipe_cycles: a discrete-event run of a pipe. The run is the verifier's (pipe/runs), whose
 * instances take turns by time here, so what it says of order holds: a run that breaks a rule has
 * no time. The interval is the difference of two runs, one with one trip more. */
#include "pipe/cost/cost.h"
#include "base/request.h"
#include "pipe/language/plain.h"

#include <string.h>

/* ---- one run ------------------------------------------------------------------ */

static void told(zl_run *r, const zl_instance *i)
{
    if (i) zl_cost_event(r->teller, r, i);
}

static bool make_tables(zl_cost *c)
{
    const zl_run *r = c->again.run;
    const zlay_pipe *pipe = r->pipe;
    uint32_t instances = r->instances_count, blocks = pipe->blocks ? pipe->blocks : 1;
    c->timed.at = zl_scratch(c->ctx, instances + 1, sizeof *c->timed.at);
    c->timed.waits = zl_scratch(c->ctx, instances + 1, sizeof *c->timed.waits);
    c->units = zl_scratch(c->ctx, (uint64_t)blocks * ZLAY_MACHINE_UNITS, sizeof *c->units);
    c->slots = zl_scratch(c->ctx, r->mbars_count + 1, sizeof *c->slots);
    c->meetings = zl_scratch(c->ctx, r->meetings_count + 1, sizeof *c->meetings);
    c->under = zl_scratch(c->ctx, instances + 1, sizeof *c->under);
    c->ready = zl_scratch(c->ctx, (uint64_t)instances * pipe->accs_count + 1, sizeof *c->ready);
    c->elements = zl_scratch(c->ctx, pipe->accs_count + 1, sizeof *c->elements);
    c->rows = zl_scratch(c->ctx, pipe->accs_count + 1, sizeof *c->rows);
    c->counts = zl_scratch(c->ctx, pipe->events_count + 1, sizeof *c->counts);
    c->counted = zl_scratch(c->ctx, pipe->events_count + 1, sizeof *c->counted);
    return c->timed.at && c->timed.waits && c->units && c->slots && c->meetings && c->under &&
           c->ready && c->elements && c->rows && c->counts && c->counted;
}

static void begin(zl_cost *c)
{
    zl_run *r = c->again.run;
    c->timed.tried = zl_cost_tried;
    r->timed = &c->timed;
    r->single = true;
    for (uint32_t k = 0; k < r->instances_count; k++)
        c->under[k].generation = c->under[k].joined = -1;
    zl_cost_elements(c);
}

/* What ended the run but its end. */
static zlay_status judge(zl_cost *c)
{
    const zl_run *r = c->again.run;
    const zl_fault *f = &r->fault;
    if (c->status) return c->status;
    if (r->status)
        return zl_fail(c->ctx, r->status, "line %u %s", r->pipe->events[r->halted].line,
                       r->because ? r->because : "is not run");
    if (!f->rule) return ZLAY_OK;
    return zl_fail(c->ctx, ZLAY_NONE, "line %u breaks %s: a pipe that is not correct has no time",
                   f->event < r->pipe->events_count ? r->pipe->events[f->event].line : 0,
                   zlay_pipe_rule_name(f->rule));
}

/* Runs the pipe once with these values. */
static zlay_status play(zl_cost *c, const zlay_pipe *plain, const int64_t *values)
{
    zl_verdict verdict = {.tile = -1};
    for (uint32_t k = 0; k < plain->params_count; k++) {
        verdict.values[k] = values[k];
        if (plain->params[k].of >= 0) verdict.tile = (int32_t)k;
    }
    zlay_status status = zl_retrace_begin(&c->again, c->ctx, plain, &verdict);
    if (status) return status;
    if (!make_tables(c)) return ZLAY_ENOMEM;
    begin(c);
    if (!c->status) zl_retrace_tell(&c->again, told, c);
    return judge(c);
}

/* ---- the answer ----------------------------------------------------------------- */

static int64_t whole(int64_t milli)
{
    return (milli + ZL_COST_MILLI - 1) / ZL_COST_MILLI;
}

static void take(zlay_pipe_cost *out, const zl_cost *c)
{
    uint32_t blocks = c->pipe->blocks ? c->pipe->blocks : 1;
    *out = (zlay_pipe_cost){.cycles = whole(c->last),
                            .interval = -1,
                            .bound = -1,
                            .facts = c->facts,
                            .ops = c->ops};
    for (uint32_t k = 0; k < blocks * ZLAY_MACHINE_UNITS; k++) {
        int64_t busy = whole(c->units[k].busy), *most = &out->busy[k % ZLAY_MACHINE_UNITS];
        if (*most < busy) *most = busy;
    }
}

/* The unit that serves the longest in what `more` has and `one` has not. */
static int32_t bound_of(const zlay_pipe_cost *one, const zlay_pipe_cost *more)
{
    int32_t unit = -1;
    int64_t most = 0;
    for (int32_t k = 0; k < ZLAY_MACHINE_UNITS; k++) {
        int64_t busy = more->busy[k] - (one ? one->busy[k] : 0);
        if (busy > most) most = busy, unit = k;
    }
    return unit;
}

static zlay_status find_param(zlay_ctx *ctx, int32_t *out, const zlay_pipe *pipe, const char *name)
{
    *out = (int32_t)pipe->params_count - 1;
    if (!name) return ZLAY_OK;
    for (uint32_t k = 0; k < pipe->params_count; k++)
        if (!strcmp(pipe->params[k].name, name)) return *out = (int32_t)k, ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "steady: the pipe has no param of this name");
}

static zlay_status run_once(zlay_ctx *ctx, zlay_pipe_cost *out, const zlay_pipe *plain,
                            const zlay_pipe_cost_request *ask, const int64_t *values)
{
    zl_mark mark = zl_scratch_mark(ctx);
    zl_cost c = {.ctx = ctx, .pipe = plain, .ask = ask};
    zlay_status status = play(&c, plain, values);
    if (!status) take(out, &c);
    zl_scratch_release(ctx, mark);
    return status;
}

static zlay_status cost_of(zlay_ctx *ctx, zlay_pipe_cost *out, const zlay_pipe *pipe,
                           const zlay_pipe_cost_request *ask)
{
    const zlay_pipe *plain;
    zlay_pipe_cost more;
    int64_t values[ZL_PIPE_NAMES] = {0};
    int32_t steady;
    zlay_status status = zl_pipe_plain(ctx, &plain, pipe);
    if (!status) status = find_param(ctx, &steady, pipe, ask->steady);
    if (status) return status;
    for (uint32_t k = 0; k < plain->params_count; k++)
        values[k] = k < pipe->params_count ? ask->params[k] : plain->params[k].least;
    status = run_once(ctx, out, plain, ask, values);
    if (status) return status;
    out->bound = bound_of(NULL, out);
    if (steady < 0 || values[steady]++ >= pipe->params[steady].most) return ZLAY_OK;
    status = run_once(ctx, &more, plain, ask, values);
    if (status) return status;
    int32_t unit = bound_of(out, &more);
    out->interval = more.cycles - out->cycles;
    if (unit >= 0) out->bound = unit;
    return ZLAY_OK;
}

/* ---- the request ------------------------------------------------------------------ */

static zlay_status check_params(zlay_ctx *ctx, const zlay_pipe *pipe,
                                const zlay_pipe_cost_request *ask)
{
    if (ask->params_count != pipe->params_count || (pipe->params_count && !ask->params))
        return zl_fail(ctx, ZLAY_EINVAL, "params: the pipe has %u, the request %u",
                       pipe->params_count, ask->params_count);
    for (uint32_t k = 0; k < pipe->params_count; k++) {
        const zl_param *p = &pipe->params[k];
        if (ask->params[k] < p->least || ask->params[k] > p->most)
            return zl_fail(ctx, ZLAY_EINVAL, "params: %s is outside of its range", p->name);
    }
    return ZLAY_OK;
}

static bool has_sums(const zlay_pipe *pipe, const char *name)
{
    bool found = false;
    for (uint32_t k = 0; k < pipe->accs_count; k++) found |= !strcmp(pipe->accs[k].name, name);
    for (uint32_t k = 0; k < pipe->tmems_count; k++) found |= !strcmp(pipe->tmems[k].name, name);
    return found;
}

static bool is_again(const zlay_pipe_cost_request *ask, size_t product)
{
    const char *name = ask->products[product].name;
    for (size_t k = 0; k < product; k++) {
        const char *other = ask->products[k].name;
        if (name && other ? !strcmp(name, other) : name == other) return true;
    }
    return false;
}

static zlay_status check_products(zlay_ctx *ctx, const zlay_pipe *pipe,
                                  const zlay_pipe_cost_request *ask)
{
    enum { MOST = 1 << 20 };
    if (ask->products_count && !ask->products) return zl_fail(ctx, ZLAY_EINVAL, "products: NULL");
    for (size_t k = 0; k < ask->products_count; k++) {
        const zlay_pipe_product *p = &ask->products[k];
        if (p->op < 0 || p->op > ZLAY_OP_MFMA)
            return zl_fail(ctx, ZLAY_EINVAL, "products: %d is no product's op", (int)p->op);
        if (p->m < 1 || p->n < 1 || p->k < 1 || p->m > MOST || p->n > MOST || p->k > MOST ||
            p->count > MOST || p->elements > MOST || p->rows > MOST)
            return zl_fail(ctx, ZLAY_EINVAL, "products: a number is outside of 1..%d", MOST);
        if (p->name && !has_sums(pipe, p->name))
            return zl_fail(ctx, ZLAY_EINVAL, "products: the pipe sums nothing in %.64s", p->name);
        if (is_again(ask, k))
            return zl_fail(ctx, ZLAY_EINVAL, "products: two say what is summed in %.64s",
                           p->name ? p->name : "all that have no entry");
    }
    return ZLAY_OK;
}

zlay_status zl_pipe_cycles(zlay_ctx *ctx, zlay_pipe_cost *out, const zlay_pipe *pipe,
                           const zlay_pipe_cost_request *ask)
{
    zlay_pipe_cost cost;
    zlay_status status = ask->machine ? ZLAY_OK : zl_fail(ctx, ZLAY_EINVAL, "machine: NULL");
    if (!status) status = check_params(ctx, pipe, ask);
    if (!status) status = check_products(ctx, pipe, ask);
    if (!status) status = cost_of(ctx, &cost, pipe, ask);
    if (!status) *out = cost;
    return status;
}

zlay_status zlay_pipe_cycles(zlay_ctx *ctx, zlay_pipe_cost *out, const zlay_pipe *pipe,
                             const zlay_pipe_cost_request *request)
{
    static const zl_request_form form = {"zlay_pipe_cost_request",
                                         sizeof(zlay_pipe_cost_request),
                                         sizeof request->size,
                                         {ZL_RESERVED(zlay_pipe_cost_request, reserved)}};
    zlay_pipe_cost_request ask;
    if (!ctx || !out || !pipe || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_request_read(ctx, &ask, request, &form);
    if (!status) status = zl_pipe_cycles(ctx, out, pipe, &ask);
    return zl_leave(ctx, status);
}
