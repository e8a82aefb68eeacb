/* SPDX-License-Identifier: Apache-2.0 */
/* Every trip count: of one param all are met on the way of one endless run, of the others each
 * value is run until what longer trips do has been seen. */
#include "pipe/language/plain.h"
#include "pipe/runs/state/search.h"
#include "pipe/runs/verify.h"

enum { MOST_TRIPS = 200 };
static const char too_long[] = "names a param that has not repeated within 200 trip counts";
static const int64_t endless_trips = (int64_t)1 << 40;

/* ---- one value of every param but the endless one ---- */

static void note_run(zl_search *s)
{
    for (uint32_t k = 0; k < s->count; k++) {
        const zl_watch_param *w = &s->run->watch->params[s->param[k].param];
        s->param[k].repeats &= !w->failed;
        if (!w->failed) s->param[k].period = zl_period(s->param[k].period, w->period);
    }
}

/* What has failed once at these values is not looked for again. */
static void watch_on(zl_search *s)
{
    for (uint32_t k = 0; k < s->count; k++)
        s->run->watch->params[s->param[k].param].failed |= !s->param[k].repeats;
}

static bool is_good(const zl_search *s) { return !s->run->status && !s->run->fault.rule; }

/* Go on from here with this trip count to the end. */
static void branch(zl_search *s, int64_t count)
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

/* All trip counts up to the one that a loop has come to end in this state. */
static void branch_all(zl_search *s)
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

/* Repetitions stand for others where as many trip counts as a period has were run to their ends. */
static bool is_covered(const zl_search *s)
{
    const zl_run *r = s->run;
    return r->seen + 1 - r->watch->params[s->endless].period >= r->pipe->params[s->endless].least;
}

static void run_endless(zl_search *s)
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

static bool run_once(zl_search *s)
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

static void begin_param(const zl_search *s, zl_trips *t)
{
    const zl_param *param = &s->run->pipe->params[t->param];
    t->value = s->near && zl_param_is_far(param) ? s->near : param->least;
    t->repeated = 0;
    t->period = 1;
    t->repeats = true;
}

/* Each value of a param is whole periods behind one of the last that repeat. */
static bool stand_for_all(const zl_trips *t, const zl_param *param)
{
    bool all = true;
    int64_t p = t->period;
    for (int64_t k = 0; k < p && param->least + k <= param->most; k++)
        all &= ((t->value - param->least - k) % p + p) % p < t->repeated;
    return all;
}

/* The next value of a param; false where its last values stand for all that follow. */
static bool next_value(zl_search *s, zl_trips *t)
{
    const zl_param *param = &s->run->pipe->params[t->param];
    t->repeated = t->repeats ? t->repeated + 1 : 0;
    t->repeats = true;
    bool far = t->value < param->least;
    if (far ? stand_for_all(t, param) : t->repeated >= t->period || t->value == param->most)
        return false;
    t->value++;
    if (t->value - (far ? s->near : param->least) > MOST_TRIPS)
        zl_search_halt(s, t->param, too_long);
    return true;
}

static void run_all(zl_search *s)
{
    for (uint32_t k = 0; k < s->count; k++) begin_param(s, &s->param[k]);
    while (run_once(s)) {
        uint32_t k = s->count;
        while (k > 0 && !next_value(s, &s->param[k - 1])) begin_param(s, &s->param[--k]);
        if (k == 0 || s->run->status) return;
    }
}

/* Where some loops of the endless param wait for others to end, or repeat before its least value,
 * it is run as the others are. */
static void run_either(zl_search *s)
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

static void search_again(zl_search *s, const zl_search *first)
{
    s->count = first->count;
    s->endless = first->endless;
    s->runs = s->table_count = 0;
    s->run->status = ZLAY_OK;
    s->run->because = NULL;
    s->run->stuck = false;
}

static bool has_far(const zl_search *s)
{
    bool far = false;
    for (uint32_t k = 0; k < s->count; k++)
        far |= zl_param_is_far(&s->run->pipe->params[s->param[k].param]);
    return far;
}

/* Short trips stand for far ones where they have no fault and repeat. A fault of theirs is none of
 * the pipe's: false. */
static bool run_near(zl_search *s)
{
    static const int64_t near[] = {4, 16, 64};
    zl_search first = *s;
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

/* Loops that nothing ties together may go at different paces, and what they repeat together not be
 * seen: then all are run again at one. */
static void run_search(zl_search *s)
{
    zl_search first = *s;
    if (run_near(s)) return;
    run_either(s);
    if (s->run->status != ZLAY_ELIMIT || s->run->fault.rule || s->run->steps > s->run->most) return;
    search_again(s, &first);
    s->run->paced = true;
    run_either(s);
}

static zlay_status make_watches(zl_search *s)
{
    for (int k = 0; k < 2; k++) {
        zlay_status status = zl_watch_new(s->run);
        s->watches[k] = s->run->watch;
        if (status) return status;
    }
    return ZLAY_OK;
}

static void free_search(zl_search *s)
{
    for (int k = 0; k < 2; k++) {
        s->run->watch = s->watches[k];
        zl_watch_free(s->run);
    }
    zlay_allocator alloc = zl_allocator(s->run->ctx);
    zl_free(&alloc, s->table, s->table_room * sizeof *s->table);
    zl_run_free(s->run);
}

/* Trip counts with which the fault shows: in the endless run it is there before any loop ends that
 * goes on to seen + 1; one more is shown where the param may be so great. */
static void note_values(const zl_search *s, zl_verdict *verdict)
{
    const zl_run *r = s->run;
    for (uint32_t k = 0; k < r->pipe->params_count && k < ZL_COUNT(verdict->values); k++)
        verdict->values[k] = r->params[k];
    if (s->endless < 0 || r->params[s->endless] != endless_trips) return;
    const zl_param *param = &r->pipe->params[s->endless];
    int64_t value = r->seen + 2 < param->most ? r->seen + 2 : param->most;
    verdict->values[s->endless] = value > param->least ? value : param->least;
}

static zlay_status verify_plain(zlay_ctx *ctx, zl_verdict *verdict, zlay_buf *proof,
                                const zlay_pipe *pipe)
{
    zl_search s = {.endless = -1};
    *verdict = (zl_verdict){0};
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
        run_search(&s);
        status = s.run->status;
    }
    if (status == ZLAY_ELIMIT && !s.run->fault.rule) zl_run_check_alone(s.run);
    verdict->fault = s.run->fault;
    verdict->undecided = status == ZLAY_ELIMIT && !s.run->fault.rule;
    verdict->event = s.run->halted;
    verdict->because = s.run->because;
    verdict->runs = s.runs;
    verdict->steps = s.run->steps;
    note_values(&s, verdict);
    bool proved = !status && !verdict->fault.rule;
    if (proved && proof) status = zl_print(proof, zl_search_write, &s);
    free_search(&s);
    return status == ZLAY_ELIMIT ? ZLAY_OK : status;
}

zlay_status zl_run_verify(zlay_ctx *ctx, zl_verdict *verdict, zlay_buf *proof,
                          const zlay_pipe *pipe)
{
    const zlay_pipe *plain;
    zlay_status status = zl_pipe_plain(ctx, &plain, pipe);
    *verdict = (zl_verdict){.undecided = status == ZLAY_ELIMIT};
    if (status == ZLAY_ELIMIT) return ZLAY_OK;
    if (status) return status;
    status = verify_plain(ctx, verdict, proof, plain);
    zl_pipe_plain_free(ctx, plain, pipe);
    return status;
}
