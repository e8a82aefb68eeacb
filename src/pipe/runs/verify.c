/* SPDX-License-Identifier: Apache-2.0 */
/* Decides a pipe for every value of its params by running it (zl_run) for finitely many. One
 * param, the endless one, is covered by a single run without end from which a branch leaves at
 * each trip count; every other param is run from its least value on until the states of its
 * loops recur, so that longer trips only repeat what was seen. The method is explicit-state
 * exploration of one interleaving under vector clocks, with recurrence of states in place of
 * an invariant; docs/internals/proof.md, "Runs", has the argument. */
#include "pipe/language/plain.h"
#include "pipe/runs/state/search.h"
#include "pipe/runs/tiles.h"
#include "pipe/runs/verify.h"

enum { MOST_TRIPS = 200 };
static const char too_long[] = "names a param that has not repeated within 200 trip counts";
static const int64_t endless_trips = (int64_t)1 << 40;

/* ---- one value of every param but the endless one ---- */

/* Notes, for each param, whether this run repeated and with which period. */
static void note_run(zl_pipe_search *s)
{
    for (uint32_t k = 0; k < s->count; k++) {
        const zl_watch_param *w = &s->run->watch->params[s->param[k].param];
        s->param[k].repeats &= !w->failed;
        s->param[k].shown |= w->shown;
        if (!w->failed) s->param[k].period = zl_period(s->param[k].period, w->period);
    }
}

/* Does not look again for repetitions of a param that failed once at these values. */
static void watch_on(zl_pipe_search *s)
{
    for (uint32_t k = 0; k < s->count; k++)
        s->run->watch->params[s->param[k].param].failed |= !s->param[k].repeats;
}

static bool is_good(const zl_pipe_search *s)
{
    return !s->run->status && !s->run->fault.rule;
}

/* Runs from the kept state to the end with this trip count of the endless param. */
static void branch(zl_pipe_search *s, int64_t count)
{
    zl_run *r = s->run;
    r->params[s->endless] = count;
    r->endless = -1;
    r->reached = r->seen;
    r->watch = s->watches[1];
    zl_watch_reset(r);
    r->watch->params[s->endless].failed = true;
    watch_on(s);
    zl_run_on(r);
    if (!is_good(s)) return;
    s->runs++;
    note_run(s);
}

/* Branches off the endless run for every trip count up to the one that a loop has just
 * reached. */
static void branch_all(zl_pipe_search *s)
{
    zl_run *r = s->run;
    const zl_param *param = &r->pipe->params[s->endless];
    int64_t reached = r->reached, first = r->seen + 1 > param->least ? r->seen + 1 : param->least;
    int64_t last = reached < param->most ? reached : param->most;
    zl_run_keep(r);
    for (int64_t count = first; count <= last; count++) {
        branch(s, count);
        if (!is_good(s)) return;
        zl_run_restore(r);
    }
    r->params[s->endless] = endless_trips;
    r->endless = s->endless;
    r->watch = s->watches[0];
    watch_on(s);
    r->seen = r->reached = reached;
    r->stuck = reached - param->least > MOST_TRIPS;
}

/* A repetition is accepted only if as many trip counts as its period has were run to their
 * ends. */
static bool is_covered(const zl_pipe_search *s)
{
    const zl_run *r = s->run;
    return r->seen + 1 - r->watch->params[s->endless].period >= r->pipe->params[s->endless].least;
}

/* Runs with an endless param: goes on until all its loops repeat, and branches at each trip
 * count on the way. */
static void run_endless(zl_pipe_search *s)
{
    zl_run *r = s->run;
    bool open = true;
    r->endless = s->endless;
    r->params[s->endless] = endless_trips;
    while (open) {
        zl_run_on(r);
        if (r->repeats && !is_covered(s)) r->stuck = true;
        if (!is_good(s) || r->stuck || r->reached <= r->seen) return;
        branch_all(s);
        open = is_good(s) && !r->stuck && r->seen < r->pipe->params[s->endless].most;
    }
}

/* Runs once with the values at hand, and notes what it showed; false where the search ends. */
static bool run_once(zl_pipe_search *s)
{
    zl_run *r = s->run;
    for (uint32_t k = 0; k < s->count; k++) r->params[s->param[k].param] = s->param[k].value;
    r->watch = s->watches[0];
    r->endless = -1;
    r->seen = r->reached = -1;
    r->repeats = r->stuck = false;
    zl_run_reset(r);
    zl_watch_reset(r);
    watch_on(s);
    if (s->endless >= 0) run_endless(s);
    else zl_run_on(r);
    if (!is_good(s) || r->stuck) return false;
    s->runs++;
    note_run(s);
    if (!zl_search_note(s)) r->status = ZLAY_ENOMEM;
    return is_good(s);
}

/* ---- all values ---- */

/* Starts a param at its least value, or at `near` if it is far. */
static void begin_param(const zl_pipe_search *s, zl_trips *t)
{
    const zl_param *param = &s->run->pipe->params[t->param];
    t->value = s->near && zl_param_is_far(param) ? s->near : param->least;
    t->repeated = 0;
    t->period = 1;
    t->repeats = true;
    t->shown = false;
}

/* Whether each value from the least on lies whole periods beyond one of the last values, which
 * repeat. */
static bool stand_for_all(const zl_trips *t, const zl_param *param)
{
    bool all = true;
    int64_t p = t->period;
    for (int64_t k = 0; k < p && param->least + k <= param->most; k++)
        all &= ((t->value - param->least - k) % p + p) % p < t->repeated;
    return all;
}

/* Advances a param; false where its last values stand for all greater ones. */
static bool next_value(zl_pipe_search *s, zl_trips *t)
{
    const zl_param *param = &s->run->pipe->params[t->param];
    t->repeated = t->repeats && t->shown ? t->repeated + 1 : 0;
    t->repeats = true;
    t->shown = false;
    bool far = t->value < param->least;
    if (far ? stand_for_all(t, param) : t->repeated >= t->period || t->value == param->most)
        return false;
    t->value++;
    if (t->value - (far ? s->near : param->least) > MOST_TRIPS)
        zl_search_halt(s, t->param, too_long);
    return true;
}

/* Runs every combination of values, the last param fastest, like an odometer. */
static void run_all(zl_pipe_search *s)
{
    for (uint32_t k = 0; k < s->count; k++) begin_param(s, &s->param[k]);
    while (run_once(s)) {
        uint32_t k = s->count;
        while (k > 0 && !next_value(s, &s->param[k - 1])) begin_param(s, &s->param[--k]);
        if (k == 0 || s->run->status) return;
    }
}

/* Runs with an endless param first. If some of its loops wait for others to end, or repeat
 * before its least value, that param is run value by value like the others. */
static void run_either(zl_pipe_search *s)
{
    run_all(s);
    if (!is_good(s) || !s->run->stuck) return;
    s->run->stuck = false;
    s->table_count = 0;
    zl_search_add(s, s->endless);
    if (s->run->status) return;
    s->endless = -1;
    run_all(s);
}

/* Puts the search back to its beginning. */
static void search_again(zl_pipe_search *s, const zl_pipe_search *first)
{
    s->count = first->count;
    s->endless = first->endless;
    s->runs = s->table_count = 0;
    s->run->status = ZLAY_OK;
    s->run->because = NULL;
    s->run->stuck = false;
}

static bool has_far(const zl_pipe_search *s)
{
    bool far = false;
    for (uint32_t k = 0; k < s->count; k++)
        far |= zl_param_is_far(&s->run->pipe->params[s->param[k].param]);
    return far;
}

/* Tries short trips in place of far ones: if they repeat without a fault they stand for the
 * far values. A fault of a short trip is not a fault of the pipe: then the answer is false and
 * the real values are run. */
static bool run_near(zl_pipe_search *s)
{
    static const int64_t near[] = {4, 16, 64};
    zl_pipe_search first = *s;
    bool good = false;
    for (size_t k = 0; has_far(&first) && !good && k < ZL_COUNT(near); k++) {
        s->near = near[k];
        s->run->steps = 0;
        run_either(s);
        if (s->run->status == ZLAY_ENOMEM) return true;
        good = is_good(s);
        if (!good) search_again(s, &first);
    }
    if (!good) s->near = 0;
    s->run->fault = good ? s->run->fault : (zl_fault){0};
    s->run->steps = good ? s->run->steps : 0;
    return good;
}

/* Searches; if loops that nothing synchronises drift apart, so that no state recurs, searches
 * again with all outermost loops in lockstep (`paced`). */
static void run_search(zl_pipe_search *s)
{
    zl_pipe_search first = *s;
    if (run_near(s)) return;
    run_either(s);
    if (s->run->status != ZLAY_ELIMIT || s->run->fault.rule || s->run->steps > s->run->most) return;
    search_again(s, &first);
    s->run->paced = true;
    run_either(s);
}

static zlay_status make_watches(zl_pipe_search *s)
{
    for (int k = 0; k < 2; k++) {
        zlay_status status = zl_watch_new(s->run);
        s->watches[k] = s->run->watch;
        if (status) return status;
    }
    return ZLAY_OK;
}

/* Notes param values that show the fault. In the endless run a fault appears before any loop
 * ends, so seen + 2 iterations suffice, as far as the param's range allows. */
static void note_values(const zl_pipe_search *s, zl_verdict *verdict)
{
    const zl_run *r = s->run;
    for (uint32_t k = 0; k < r->pipe->params_count && k < ZL_COUNT(verdict->values); k++)
        verdict->values[k] = r->params[k];
    if (s->tile >= 0) zl_tiles_note(s, verdict);
    if (s->endless < 0 || r->params[s->endless] != endless_trips) return;
    const zl_param *param = &r->pipe->params[s->endless];
    int64_t value = r->seen + 2 < param->most ? r->seen + 2 : param->most;
    verdict->values[s->endless] = value > param->least ? value : param->least;
}

/* Checks the text, then searches; a limit without a fault is undecided. */
static zlay_status verify_plain(zlay_ctx *ctx, zl_verdict *verdict, zlay_buf *proof,
                                const zlay_pipe *pipe)
{
    zl_pipe_search s = {.endless = -1, .tile = -1};
    *verdict = (zl_verdict){.tile = -1};
    zlay_status status = zl_run_new(ctx, &s.run, pipe);
    verdict->undecided = status == ZLAY_ELIMIT;
    if (status) return verdict->undecided ? ZLAY_OK : status;
    s.run->most = zl_limits(ctx)->points;
    for (uint32_t k = 0; k < pipe->params_count; k++) s.run->params[k] = pipe->params[k].least;
    zl_run_check_form(s.run);
    zl_search_params(&s, pipe);
    status = s.run->status;
    if (!status) status = make_watches(&s);
    if (!status && !s.run->fault.rule) {
        if (s.tile < 0) run_search(&s);
        else zl_tiles_search(&s);
        status = s.run->status;
    }
    if (status == ZLAY_ELIMIT && !s.run->fault.rule && s.tile < 0) zl_run_check_alone(s.run);
    verdict->fault = s.run->fault;
    verdict->undecided = status == ZLAY_ELIMIT && !s.run->fault.rule;
    verdict->event = s.run->halted;
    verdict->because = s.run->because;
    verdict->runs = s.runs;
    verdict->steps = s.run->steps;
    note_values(&s, verdict);
    bool proved = !status && !verdict->fault.rule;
    if (proved && proof) status = zl_print(proof, s.tile < 0 ? zl_search_write : zl_tiles_write, &s);
    return status;
}

zlay_status zl_run_verify(zlay_ctx *ctx, zl_verdict *verdict, zlay_buf *proof,
                          const zlay_pipe *pipe)
{
    const zlay_pipe *plain;
    zlay_status status = zl_pipe_plain(ctx, &plain, pipe);
    *verdict = (zl_verdict){.undecided = status == ZLAY_ELIMIT, .tile = -1};
    if (!status) status = verify_plain(ctx, verdict, proof, plain);
    return status == ZLAY_ELIMIT ? ZLAY_OK : status;
}
