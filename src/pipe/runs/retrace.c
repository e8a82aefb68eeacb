/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a run again for others to see (zl_run.told): once to find the fault, then again to tell
 * only of the events that the faulting threads' vector clocks know of, its causal past. Nothing of
 * the past waits for anything else, so a run of these events alone comes as far. */
#include "pipe/runs/retrace.h"
#include "pipe/runs/state/clock.h"
#include "pipe/runs/tiles.h"

#include <string.h>

/* Runs from the beginning with the given param values. */
static void start(zl_run *r)
{
    r->watch = NULL;
    r->endless = -1;
    r->seen = r->reached = -1;
    r->repeats = r->stuck = false;
    r->status = ZLAY_OK;
    r->because = NULL;
    r->fault = (zl_fault){0};
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
static void find_known(zl_retrace *t)
{
    const zl_run *r = t->run;
    const zl_instance *by = &r->instances[r->stepping];
    t->whole = is_of_the_end(&r->fault);
    t->by = r->stepping;
    for (uint32_t k = 0; k < r->instances_count; k++) {
        const zl_instance *i = &r->instances[k];
        t->known[k] = t->whole ? INT32_MAX : i == by ? i->epoch - 1 : 0;
        for (uint32_t a = 0; a < by->classes; a++)
            for (uint32_t c = 0; c < i->classes; c++) {
                zl_tick knows = r->classes[by->first + a].clock[zl_comp_control(r, i->first + c)];
                if (knows > t->known[k]) t->known[k] = knows;
            }
    }
}

/* Runs the events that are known without the others; false where they do not come as far, for
 * registers and columns that others give back are no knowledge. */
static bool runs_alone(const zl_retrace *t)
{
    zl_run *r = t->run;
    r->alone = true;
    start(r);
    r->alone = false;
    return r->instances[t->by].epoch > t->known[t->by];
}

/* The counts of each iteration in the run; false where memory is missing. */
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

zlay_status zl_retrace_begin(zl_retrace *t, zlay_ctx *ctx, const zlay_pipe *plain,
                             const zl_verdict *verdict)
{
    *t = (zl_retrace){.whole = true};
    zlay_status status = zl_run_new(ctx, &t->run, plain);
    if (status) return status;
    zl_run *r = t->run;
    for (uint32_t k = 0; k < plain->params_count; k++) r->params[k] = verdict->values[k];
    r->most = verdict->fault.rule ? UINT64_MAX : zl_limits(ctx)->points;
    t->known = zl_scratch(ctx, r->instances_count + 1, sizeof *t->known);
    if (!t->known || !take_counts(r, verdict)) return ZLAY_ENOMEM;
    r->known = t->known;
    for (uint32_t k = 0; k < r->instances_count; k++) t->known[k] = INT32_MAX;
    if (verdict->fault.rule) zl_retrace_find(t);
    return ZLAY_OK;
}

void zl_retrace_find(zl_retrace *t)
{
    start(t->run);
    if (!t->run->fault.rule) return;
    t->fault = t->run->fault;
    find_known(t);
}

void zl_retrace_tell(zl_retrace *t, zl_run_told *told, void *teller)
{
    t->run->told = told;
    t->run->teller = teller;
    start(t->run);
}

/* Takes all events where those of the past do not run alone. */
static void take_whole(zl_retrace *t)
{
    if (t->whole || runs_alone(t)) return;
    t->whole = true;
    for (uint32_t k = 0; k < t->run->instances_count; k++) t->known[k] = INT32_MAX;
}

void zl_retrace_show(zl_retrace *t, zl_run_told *told, void *teller)
{
    zl_run *r = t->run;
    r->told = NULL;
    take_whole(t);
    r->told = told;
    r->teller = teller;
    r->single = !t->fault.rule;
    r->alone = !t->whole;
    start(r);
}

/* ---- what others see ------------------------------------------------- */

/* A count of each iteration has as many values as its loops have iterations. */
void zl_retrace_put_value(zl_text *out, const zl_run *r, uint32_t param)
{
    const zl_tiles *t = r->tiles;
    zl_putf(out, "%s =", r->pipe->params[param].name);
    if (!t || (int32_t)param != t->count) zl_putf(out, " %lld", (long long)r->params[param]);
    for (int64_t k = 0; t && (int32_t)param == t->count && k < t->open; k++)
        zl_putf(out, "%s %lld", k ? "," : "", (long long)t->counts[k]);
}

void zl_retrace_known(const zl_run *r, zl_tick *known)
{
    memset(known, 0, r->comps * sizeof *known);
    for (uint32_t k = 0; k < r->classes_count; k++) zl_clock_give(r, known, &r->classes[k]);
    for (uint32_t k = 0; k < r->mbars_count; k++) zl_clock_join(r, known, r->mbars[k].done);
}
