/* SPDX-License-Identifier: Apache-2.0 */
/* Every trip count: of one param all are met on the way of one endless run, of the others each value
 * is run until what longer trips do has been seen. */
#include "pipe/run_verify.h"
#include "pipe/run_watch.h"

#include <string.h>

enum { PARAMS = 3, MOST_TRIPS = 200 };
static const int64_t endless_trips = (int64_t)1 << 40;

typedef struct trips {
    int32_t param;
    int64_t value, repeated; /* successive values that repeat */
    int64_t period;
    bool repeats;            /* so far at this value */
} trips;

/* What one choice of all params but the endless one has shown. */
typedef struct shown {
    int64_t value[PARAMS], period[PARAMS]; /* period 0: not looked for, or not found */
    int64_t seen, again;                   /* of the endless one: trip counts run, period */
} shown;

typedef struct search {
    zl_run *run;
    zl_watch *watches[2];    /* of the endless run, and of those that branch off it */
    trips param[PARAMS];     /* but the endless one */
    uint32_t count;
    int32_t endless;
    uint32_t runs;
    shown *table;
    uint32_t table_count, table_room;
} search;

/* ---- params ---- */

static uint32_t positions(const zl_event *e, const zl_pos *out[8])
{
    const zl_pos *all[] = {&e->at[0],      &e->at[1],      &e->bar_at, &e->parity,
                           &e->tmem_at[0], &e->tmem_at[1], &e->map_at, &e->other_at};
    for (size_t k = 0; k < ZL_COUNT(all); k++) out[k] = all[k];
    return (uint32_t)ZL_COUNT(all);
}

static bool uses(const zl_event *e, int32_t param)
{
    const zl_pos *pos[8];
    uint32_t count = positions(e, pos);
    for (uint32_t k = 0; k < count; k++)
        if (pos[k]->times == param || pos[k]->plus == param) return true;
    return false;
}

static bool multiplies(const zl_event *e, int32_t param)
{
    const zl_pos *pos[8];
    uint32_t count = positions(e, pos);
    for (uint32_t k = 0; k < count; k++)
        if (pos[k]->times == param) return true;
    return false;
}

static bool is_used(const zlay_pipe *p, int32_t param)
{
    for (uint32_t k = p->setup; k < p->events_count; k++)
        if (uses(&p->events[k], param)) return true;
    return false;
}

/* In a role the param ends loops, and is named elsewhere only behind the last of them. */
static bool ends_loops_of(const zlay_pipe *p, const zl_role *role, int32_t param)
{
    uint32_t last = role->begin;
    for (uint32_t k = role->begin; k < role->end; k++)
        if (p->events[k].kind == ZL_EV_FOR && zl_loop_param(&p->events[k]) == param)
            last = (uint32_t)p->events[k].match;
    for (uint32_t k = role->begin; k < role->end; k++) {
        const zl_event *e = &p->events[k];
        bool ends = e->kind == ZL_EV_FOR && zl_loop_param(e) == param;
        if (multiplies(e, param) || (uses(e, param) && !ends && (k < last || last == role->begin)))
            return false;
    }
    return true;
}

static bool can_be_endless(const zlay_pipe *p, int32_t param)
{
    for (uint32_t k = 0; k < p->roles_count; k++)
        if (!ends_loops_of(p, &p->roles[k], param)) return false;
    return true;
}

static bool find_params(search *s, const zlay_pipe *p)
{
    s->endless = -1;
    for (uint32_t k = 0; k < p->params_count; k++) {
        if (!is_used(p, (int32_t)k)) continue;
        if (s->endless < 0 && can_be_endless(p, (int32_t)k)) s->endless = (int32_t)k;
        else if (s->count == PARAMS) return false;
        else s->param[s->count++].param = (int32_t)k;
    }
    return true;
}

/* ---- one value of every param but the endless one ---- */

static void note_run(search *s)
{
    for (uint32_t k = 0; k < s->count; k++) {
        const zl_watch_param *w = &s->run->watch->params[s->param[k].param];
        s->param[k].repeats &= !w->failed;
        if (!w->failed) s->param[k].period = zl_period(s->param[k].period, w->period);
    }
}

/* What has failed once at these values is not looked for again. */
static void watch_on(search *s)
{
    for (uint32_t k = 0; k < s->count; k++)
        s->run->watch->params[s->param[k].param].failed |= !s->param[k].repeats;
}

static bool is_good(const search *s) { return !s->run->status && !s->run->fault.rule; }

/* Go on from here with this trip count to the end. */
static void branch(search *s, int64_t count)
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
static void branch_all(search *s)
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
static bool is_covered(const search *s)
{
    const zl_run *r = s->run;
    return r->seen + 1 - r->watch->params[s->endless].period >= r->pipe->params[s->endless].least;
}

static void run_endless(search *s)
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

/* ---- what was run ---- */

/* Of what repeats the next trips are listed too, so that whoever runs them sees it in each. */
static bool note_shown(search *s)
{
    zl_run *r = s->run;
    if (s->table_count == s->table_room) {
        uint32_t room = s->table_room ? 2 * s->table_room : 16;
        zlay_allocator alloc = zl_allocator(r->ctx);
        shown *bigger = zl_alloc(r->ctx, room, sizeof *bigger);
        if (!bigger) return false;
        if (s->table) memcpy(bigger, s->table, s->table_count * sizeof *bigger);
        zl_free(&alloc, s->table, s->table_room * sizeof *bigger);
        s->table = bigger;
        s->table_room = room;
    }
    shown *row = &s->table[s->table_count++];
    *row = (shown){.seen = r->seen};
    for (uint32_t k = 0; k < s->count; k++) {
        const zl_watch_param *w = &r->watch->params[s->param[k].param];
        row->value[k] = s->param[k].value;
        row->period[k] = s->param[k].repeats && !w->failed ? w->period : 0;
    }
    if (s->endless < 0 || !r->repeats) return true;
    row->again = r->watch->params[s->endless].period;
    if (row->seen + row->again <= r->pipe->params[s->endless].most) row->seen += row->again;
    return true;
}

/* Of the runs of a row, and of the trips one period longer. */
static unsigned long long events_of(const search *s, const shown *row)
{
    const zlay_pipe *p = s->run->pipe;
    int64_t *values = s->run->params, none = 0,
            *trip = s->endless >= 0 ? &values[s->endless] : &none;
    unsigned long long sum = 0;
    *trip = s->endless >= 0 ? row->seen : 0;
    for (uint32_t k = 0; k < s->count; k++) values[s->param[k].param] = row->value[k];
    for (uint32_t k = 0; k < s->count; k++) {
        values[s->param[k].param] += row->period[k];
        if (row->period[k]) sum += zl_pipe_count_events(p, values, UINT64_MAX);
        values[s->param[k].param] = row->value[k];
    }
    *trip += row->again;
    if (row->again) sum += zl_pipe_count_events(p, values, UINT64_MAX);
    int64_t last = s->endless >= 0 ? row->seen : 0;
    for (*trip = s->endless >= 0 ? p->params[s->endless].least : 0; *trip <= last; ++*trip)
        sum += zl_pipe_count_events(p, values, UINT64_MAX);
    return sum;
}

static void proof_write(zl_text *out, const void *value)
{
    const search *s = value;
    const zlay_pipe *p = s->run->pipe;
    zl_putf(out, "proof %s by runs\n", p->name);
    for (uint32_t i = 0; i < s->table_count; i++) {
        const shown *row = &s->table[i];
        zl_puts(out, "run");
        for (uint32_t k = 0; k < s->count; k++) {
            zl_putf(out, " %s %lld", p->params[s->param[k].param].name, (long long)row->value[k]);
            if (row->period[k]) zl_putf(out, " every %lld", (long long)row->period[k]);
        }
        if (s->endless >= 0)
            zl_putf(out, " %s %lld..%lld", p->params[s->endless].name,
                    (long long)p->params[s->endless].least, (long long)row->seen);
        if (row->again) zl_putf(out, " every %lld", (long long)row->again);
        zl_putf(out, " events %llu\n", events_of(s, row));
    }
    zl_puts(out, "end\n");
}

static bool run_once(search *s)
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
    if (!note_shown(s)) r->status = ZLAY_ENOMEM;
    return is_good(s);
}

/* ---- all values ---- */

static void begin_param(const search *s, trips *t)
{
    t->value = s->run->pipe->params[t->param].least;
    t->repeated = 0;
    t->period = 1;
    t->repeats = true;
}

/* The next value of a param; false where its last values stand for all that follow. */
static bool next_value(search *s, trips *t)
{
    t->repeated = t->repeats ? t->repeated + 1 : 0;
    t->repeats = true;
    if (t->repeated >= t->period || t->value == s->run->pipe->params[t->param].most) return false;
    t->value++;
    if (t->value - s->run->pipe->params[t->param].least > MOST_TRIPS) s->run->status = ZLAY_ELIMIT;
    return true;
}

static void run_all(search *s)
{
    for (uint32_t k = 0; k < s->count; k++) begin_param(s, &s->param[k]);
    while (run_once(s)) {
        uint32_t k = s->count;
        while (k > 0 && !next_value(s, &s->param[k - 1])) begin_param(s, &s->param[--k]);
        if (k == 0 || s->run->status) return;
    }
}

/* Where some loops of the endless param wait for others to end, or repeat before its least value, it is run
 * as the others are. */
static void run_either(search *s)
{
    run_all(s);
    if (!is_good(s) || !s->run->stuck) return;
    s->run->stuck = false;
    s->table_count = 0;
    if (s->count == PARAMS) s->run->status = ZLAY_ELIMIT;
    if (s->run->status) return;
    s->param[s->count++].param = s->endless;
    s->endless = -1;
    run_all(s);
}

/* Loops that nothing ties together may go at different paces, and what they repeat together not be seen:
 * then all are run again at one. */
static void run_search(search *s)
{
    search first = *s;
    run_either(s);
    if (s->run->status != ZLAY_ELIMIT || s->run->fault.rule || s->run->steps > s->run->most) return;
    s->count = first.count;
    s->endless = first.endless;
    s->runs = s->table_count = 0;
    s->run->status = ZLAY_OK;
    s->run->stuck = false;
    s->run->paced = true;
    run_either(s);
}

static zlay_status make_watches(search *s)
{
    for (int k = 0; k < 2; k++) {
        zlay_status status = zl_watch_new(s->run);
        s->watches[k] = s->run->watch;
        if (status) return status;
    }
    return ZLAY_OK;
}

static void free_search(search *s)
{
    for (int k = 0; k < 2; k++) {
        s->run->watch = s->watches[k];
        zl_watch_free(s->run);
    }
    zlay_allocator alloc = zl_allocator(s->run->ctx);
    zl_free(&alloc, s->table, s->table_room * sizeof *s->table);
    zl_run_free(s->run);
}

/* Trip counts with which the fault shows: in the endless run it is there before any loop ends. */
static void note_values(const search *s, zl_verdict *verdict)
{
    const zl_run *r = s->run;
    for (uint32_t k = 0; k < r->pipe->params_count && k < ZL_COUNT(verdict->values); k++)
        verdict->values[k] = r->params[k];
    if (s->endless < 0 || r->params[s->endless] != endless_trips) return;
    int64_t least = r->pipe->params[s->endless].least;
    verdict->values[s->endless] = r->seen + 2 > least ? r->seen + 2 : least;
}

zlay_status zl_run_verify(zlay_ctx *ctx, zl_verdict *verdict, zlay_buf *proof,
                          const zlay_pipe *pipe)
{
    search s = {.endless = -1};
    *verdict = (zl_verdict){0};
    zlay_status status = zl_run_new(ctx, &s.run, pipe);
    verdict->undecided = status == ZLAY_ELIMIT;
    if (status) return verdict->undecided ? ZLAY_OK : status;
    s.run->most = zl_limits(ctx)->points;
    zl_run_check_form(s.run);
    if (!find_params(&s, pipe)) status = ZLAY_ELIMIT;
    if (!status) status = make_watches(&s);
    if (!status && !s.run->fault.rule) {
        run_search(&s);
        status = s.run->status;
    }
    if (status == ZLAY_ELIMIT && !s.run->fault.rule) zl_run_check_alone(s.run);
    verdict->fault = s.run->fault;
    verdict->undecided = status == ZLAY_ELIMIT && !s.run->fault.rule;
    verdict->runs = s.runs;
    verdict->steps = s.run->steps;
    note_values(&s, verdict);
    bool proved = !status && !verdict->fault.rule;
    if (proved && proof) status = zl_print(proof, proof_write, &s);
    free_search(&s);
    return status == ZLAY_ELIMIT ? ZLAY_OK : status;
}
