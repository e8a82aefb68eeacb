/* SPDX-License-Identifier: Apache-2.0 */
/* Every trip count: each param from its least value on, until what longer trips do has been seen. */
#include "pipe/run_verify.h"

enum { PARAMS = 3, MOST_TRIPS = 200 };

/* The values of one param that were run, and whether the last ones repeat. */
typedef struct trips {
    int32_t param;
    int64_t value, repeated; /* successive values that repeat */
    int64_t period;
    bool repeats;            /* so far at this value */
} trips;

typedef struct search {
    zl_run *run;
    trips param[PARAMS];
    uint32_t count;
    uint32_t runs;
} search;

static bool is_trip(const zlay_pipe *p, int32_t param)
{
    for (uint32_t k = p->setup; k < p->events_count; k++) {
        const zl_event *e = &p->events[k];
        const zl_pos *pos[] = {&e->at[0], &e->at[1], &e->bar_at, &e->parity, &e->tmem_at[0],
                               &e->tmem_at[1], &e->map_at, &e->other_at};
        for (size_t n = 0; n < ZL_COUNT(pos); n++)
            if (pos[n]->times == param || pos[n]->plus == param) return true;
    }
    return false;
}

static void begin_param(search *s, trips *t)
{
    t->value = s->run->pipe->params[t->param].least;
    t->repeated = 0;
    t->period = 1;
    t->repeats = true;
}

/* What the run just made says of all params. */
static void note_run(search *s)
{
    for (uint32_t k = 0; k < s->count; k++) {
        const zl_watch_param *w = &s->run->watch->params[s->param[k].param];
        s->param[k].repeats &= !w->failed;
        if (!w->failed && w->period > s->param[k].period) s->param[k].period = w->period;
    }
}

static bool run_once(search *s)
{
    for (uint32_t k = 0; k < s->count; k++) s->run->params[s->param[k].param] = s->param[k].value;
    s->runs++;
    zl_run_all(s->run);
    if (s->run->status || s->run->fault.rule) return false;
    note_run(s);
    return true;
}

/* The next value of a param; false where its last values stand for all that follow. */
static bool next_value(search *s, trips *t)
{
    t->repeated = t->repeats ? t->repeated + 1 : 0;
    t->repeats = true;
    if (t->repeated >= t->period || t->value == s->run->pipe->params[t->param].most) return false;
    return ++t->value < MOST_TRIPS || (s->run->status = ZLAY_ELIMIT, false);
}

static void run_all(search *s)
{
    for (uint32_t k = 0; k < s->count; k++) begin_param(s, &s->param[k]);
    for (;;) {
        uint32_t k = s->count;
        if (!run_once(s)) return;
        while (k > 0 && !next_value(s, &s->param[k - 1])) {
            if (s->run->status) return;
            begin_param(s, &s->param[--k]);
        }
        if (k == 0) return;
    }
}

zlay_status zl_run_verify(zlay_ctx *ctx, zl_verdict *verdict, const zlay_pipe *pipe)
{
    search s = {.count = 0};
    *verdict = (zl_verdict){0};
    zlay_status status = zl_run_new(ctx, &s.run, pipe);
    if (status) return status;
    for (uint32_t k = 0; k < pipe->params_count; k++) {
        if (!is_trip(pipe, (int32_t)k)) continue;
        if (s.count == PARAMS) status = ZLAY_ELIMIT;
        else s.param[s.count++].param = (int32_t)k;
    }
    s.run->most = zl_limits(ctx)->points;
    zl_run_check_form(s.run);
    if (!status) status = zl_watch_new(s.run);
    if (!status && !s.run->fault.rule) {
        run_all(&s);
        status = s.run->status;
    }
    verdict->fault = s.run->fault;
    verdict->undecided = status == ZLAY_ELIMIT && !s.run->fault.rule;
    verdict->runs = s.runs;
    verdict->steps = s.run->steps;
    for (uint32_t k = 0; k < s.count; k++) verdict->last[k] = s.run->params[s.param[k].param];
    zl_watch_free(s.run);
    zl_run_free(s.run);
    return status == ZLAY_ELIMIT ? ZLAY_OK : status;
}
