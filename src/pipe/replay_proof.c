/* SPDX-License-Identifier: Apache-2.0 */
/* A proof by runs: each run that it names is made, each repetition that it claims is found, and
 * what was run and what repeats is all that there is. */
#include "pipe/recheck_runs.h"
#include "pipe/replay_same.h"
#include "pipe/scan.h"

#include <stdio.h>
#include <string.h>

enum { TRIPS = 512, PERIOD_MOST = 64, PERIODS_MOST = 4096, WARMING = 24 };

/* One line: `run N 11 every 1 T 0..7 every 1 events 5321`. */
typedef struct row {
    int32_t param[ZL_RP_PARAMS];
    int64_t value[ZL_RP_PARAMS], period[ZL_RP_PARAMS]; /* period 0: none is claimed */
    uint32_t count, listed; /* params; those but one that is run up to `value` */
    int64_t events;
} row;

/* The values of one param so far, and how each repeats in all rows that it stands in. */
typedef struct level {
    int64_t first, value, period[TRIPS];
} level;

typedef struct reader {
    zlay_ctx *ctx;
    const zlay_pipe *pipe;
    zl_replay *c;
    zl_scan scan;
    const char *next, *end, *fault;
    row row, before;
    level levels[ZL_RP_PARAMS];
    bool begun, broken;
} reader;

static bool refuse(reader *in, const char *fault)
{
    if (!in->fault) in->fault = fault;
    return false;
}

static bool take_line(reader *in)
{
    if (in->next == in->end) return refuse(in, "it ends too soon");
    in->next = zl_scan_line(&in->scan, in->next, in->end);
    return true;
}

/* ---- one line ---- */

static int32_t find_param(const zlay_pipe *p, const char *name)
{
    for (uint32_t k = 0; k < p->params_count; k++)
        if (!strcmp(p->params[k].name, name)) return (int32_t)k;
    return -1;
}

static bool read_period(reader *in, int64_t *period)
{
    if (!zl_scan_word(&in->scan, "every")) return true;
    return (zl_scan_number(&in->scan, period) && *period > 0 && *period <= PERIOD_MOST) ||
           refuse(in, "no period");
}

static bool read_param(reader *in, row *r)
{
    char name[65];
    int64_t *value = &r->value[r->count];
    if (r->count == ZL_RP_PARAMS || r->listed < r->count) return refuse(in, "too many params");
    int32_t param = zl_scan_name(&in->scan, name) ? find_param(in->pipe, name) : -1;
    for (uint32_t k = 0; k < r->count; k++)
        if (r->param[k] == param) return refuse(in, "a param twice");
    if (param < 0 || !zl_scan_number(&in->scan, value)) return refuse(in, "no param and its value");
    int64_t least = in->pipe->params[param].least;
    if (zl_scan_symbol(&in->scan, "..")) {
        if (*value != least || !zl_scan_number(&in->scan, value))
            return refuse(in, "no last value");
    } else r->listed++;
    if (*value < least - (r->listed == r->count) || *value > in->pipe->params[param].most ||
        *value - least >= TRIPS)
        return refuse(in, "a value out of the param's range, or more than are tried");
    r->param[r->count++] = param;
    return read_period(in, &r->period[r->count - 1]);
}

static bool read_row(reader *in)
{
    row r = {.count = 0};
    while (!zl_scan_word(&in->scan, "events"))
        if (!read_param(in, &r)) return false;
    if (!zl_scan_number(&in->scan, &r.events) || !zl_scan_done(&in->scan))
        return refuse(in, "no number of events");
    in->before = in->row;
    in->row = r;
    return true;
}

/* ---- what the rows cover ---- */

static bool names_param(const zl_event *e, int32_t param)
{
    const zl_pos *all[] = {&e->at[0],      &e->at[1],      &e->bar_at, &e->parity,
                           &e->tmem_at[0], &e->tmem_at[1], &e->map_at, &e->other_at};
    for (size_t k = 0; k < ZL_COUNT(all); k++)
        if (all[k]->times == param || all[k]->plus == param) return true;
    return false;
}

/* Every param that an event names stands in the row. */
static bool names_all(reader *in)
{
    for (uint32_t p = 0; p < in->pipe->params_count; p++) {
        bool used = false, stands = false;
        for (uint32_t k = 0; k < in->pipe->events_count; k++)
            used |= names_param(&in->pipe->events[k], (int32_t)p);
        for (uint32_t k = 0; k < in->row.count; k++) stands |= in->row.param[k] == (int32_t)p;
        if (used != stands) return refuse(in, "a param is left out, or not used");
    }
    return true;
}

static int64_t common(int64_t a, int64_t b)
{
    return a && b ? a / (int64_t)zl_gcd((uint64_t)a, (uint64_t)b) * b : 0;
}

/* Every greater value is one that was run, and whole periods. */
static bool is_covered(reader *in, uint32_t k)
{
    const level *l = &in->levels[k];
    int64_t count = l->value - l->first + 1, all = 1;
    for (int64_t v = 0; v < count; v++)
        if (l->period[v] && all <= PERIODS_MOST) all = common(all, l->period[v]);
    if (all > PERIODS_MOST) return refuse(in, "periods of different lengths");
    for (int64_t more = count; more < count + all; more++) {
        bool found = l->first + more > in->pipe->params[in->row.param[k]].most;
        for (int64_t v = 0; v < count && !found; v++)
            found = l->period[v] && (more - v) % l->period[v] == 0;
        if (!found) return refuse(in, "greater values of a param do not follow");
    }
    return true;
}

static void begin_level(reader *in, uint32_t k)
{
    in->levels[k].first = in->levels[k].value = in->row.value[k];
    in->levels[k].period[0] = in->row.period[k];
}

/* The first listed param with another value than before goes on by one, those behind begin anew. */
static bool follows(reader *in)
{
    const row *r = &in->row, *b = &in->before;
    uint32_t k = 0;
    if (!in->begun) {
        for (; k < r->listed; k++) {
            if (r->value[k] != in->pipe->params[r->param[k]].least)
                return refuse(in, "the least value of a param is left out");
            begin_level(in, k);
        }
        return names_all(in);
    }
    if (r->count != b->count || r->listed != b->listed ||
        memcmp(r->param, b->param, sizeof r->param))
        return refuse(in, "other params than before");
    while (k < r->listed && r->value[k] == b->value[k]) {
        level *l = &in->levels[k];
        int64_t *period = &l->period[l->value - l->first];
        *period = common(*period, r->period[k++]);
    }
    if (k == r->listed || r->value[k] != b->value[k] + 1)
        return refuse(in, "a value of a param is left out");
    in->levels[k].value++;
    in->levels[k].period[in->levels[k].value - in->levels[k].first] = r->period[k];
    while (++k < r->listed) {
        if (!is_covered(in, k)) return false;
        if (r->value[k] != in->pipe->params[r->param[k]].least)
            return refuse(in, "the least value of a param is left out");
        begin_level(in, k);
    }
    return true;
}

/* ---- runs ---- */

static bool is_good(reader *in)
{
    zl_replay *c = in->c;
    if (c->status) return false;
    if (c->unproved) return refuse(in, c->unproved);
    if (!c->rule) return true;
    in->broken = true;
    return refuse(in, "a run has a fault");
}

/* The run, and again beside the longer trips that it claims to stand for: from a part that they
 * repeat on as they go through it for the last time, and as they do for the first. */
static bool run_once(reader *in)
{
    zl_replay *c = in->c;
    c->unproved = NULL;
    c->repeats_count = 0;
    memset(c->seen_count, 0, sizeof c->seen_count);
    zl_rp_find_growth(c);
    for (c->turns = ZL_RP_ALONE; c->turns <= ZL_RP_FIRST; c->turns++) {
        c->compared = 0;
        zl_rp_run(c);
        if (!is_good(in)) return false;
        if (!c->claims_count) return true;
    }
    return true;
}

static void claim(zl_replay *c, int32_t param, int64_t period)
{
    if (period) c->claims[c->claims_count++] = (zl_rp_claim){param, period, 0};
}

/* A run of the row; `open`: with the claim that greater values of the last param follow. */
static bool run_trip(reader *in, const row *r, bool open)
{
    zl_replay *c = in->c;
    c->claims_count = 0;
    for (uint32_t k = 0; k < (open ? r->count : r->listed); k++)
        claim(c, r->param[k], r->period[k]);
    return run_once(in);
}

/* The period of a claim that did not hold, or more: the order in which threads have their turns may
 * come again later than what they do. */
static int64_t longer_period(const zl_replay *c)
{
    const zl_rp_claim *failed = &c->claims[c->unproved_claim];
    int64_t all = failed->recurs ? common(failed->period, failed->recurs) : 0;
    return all > 0 && all <= PERIOD_MOST ? all : failed->period;
}

/* Behind the value that the line names so many trips as the period has repeat; a few before them
 * may not yet, where states here tell more apart than the verifier's. */
static bool run_longer(reader *in, row *r)
{
    zl_replay *c = in->c;
    int32_t param = r->param[r->listed];
    int64_t found = 0, until = r->value[r->listed], most = in->pipe->params[param].most;
    int64_t *period = &r->period[r->listed];
    for (int64_t trip = until + 1; found < *period && trip <= most; trip++) {
        c->values[param] = trip;
        found++;
        if (run_trip(in, r, true)) continue;
        if (!c->unproved || trip > until + WARMING) return false;
        if (c->claims[c->unproved_claim].param != param) return false;
        in->fault = NULL;
        int64_t longer = longer_period(c);
        bool again = longer > *period;
        found = again ? found - 1 : 0;
        trip -= again;
        *period = longer;
        if (!again && !run_trip(in, r, false)) return false;
    }
    return true;
}

static bool run_row(reader *in, row *r)
{
    zl_replay *c = in->c;
    for (uint32_t k = 0; k < r->listed; k++) c->values[r->param[k]] = r->value[k];
    if (r->count == r->listed) return run_trip(in, r, false);
    int32_t param = r->param[r->listed];
    int64_t until = r->value[r->listed];
    if (until < in->pipe->params[param].most && !r->period[r->listed])
        return refuse(in, "greater values of a param do not follow");
    for (int64_t trip = in->pipe->params[param].least; trip <= until; trip++) {
        c->values[param] = trip;
        if (!run_trip(in, r, false)) return false;
    }
    return run_longer(in, r);
}

/* Which listed param the claim is of that did not hold; their number: none. */
static uint32_t find_failed(const reader *in, const row *r)
{
    const zl_replay *c = in->c;
    uint32_t k = 0;
    while (c->unproved && k < r->listed && r->param[k] != c->claims[c->unproved_claim].param) k++;
    return c->unproved ? k : r->listed;
}

/* A listed value may stand for those behind it by more than its period alone, then the next ones do
 * so, too; or not yet, then the next one is run. How many rows there are instead. */
static uint32_t split(const reader *in, const row *r, uint32_t k, row out[PERIOD_MOST])
{
    int64_t by = r->period[k], period = longer_period(in->c), least = r->value[k];
    uint32_t count = 0, rows = period > by ? (uint32_t)(period / by) : 2;
    for (uint32_t n = 0; n < rows; n++) {
        if (least + n * by > in->pipe->params[r->param[k]].most) continue;
        out[count] = *r;
        out[count].value[k] += n * by;
        out[count++].period[k] = period > by || n ? period : 0;
    }
    return count;
}

static bool run_rows(reader *in)
{
    row todo[WARMING + 2 * PERIOD_MOST] = {in->row};
    uint32_t count = 1;
    for (uint32_t tried = 0; count; tried++) {
        row r = todo[--count];
        if (run_row(in, &r)) continue;
        uint32_t k = find_failed(in, &r);
        if (k == r.listed || tried >= 2 * WARMING || count + PERIOD_MOST > ZL_COUNT(todo))
            return false;
        in->fault = NULL;
        count += split(in, &r, k, todo + count);
    }
    return true;
}

static uint64_t more(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

/* Of the runs of a row, and of the trips one period longer. */
static bool check_events(reader *in)
{
    const row *r = &in->row;
    zl_replay *c = in->c;
    uint64_t most = zl_limits(in->ctx)->points, sum = 0;
    for (uint32_t k = 0; k < r->count; k++) c->values[r->param[k]] = r->value[k];
    for (uint32_t k = 0; k < r->count; k++) {
        c->values[r->param[k]] += r->period[k];
        if (r->period[k]) sum = more(sum, zl_pipe_count_events(in->pipe, c->values, most));
        c->values[r->param[k]] = r->value[k];
    }
    bool open = r->count > r->listed;
    int64_t *trip = open ? &c->values[r->param[r->listed]] : NULL;
    for (int64_t t = open ? in->pipe->params[r->param[r->listed]].least : 0;
         t <= (open ? r->value[r->listed] : 0); t++) {
        if (open) *trip = t;
        sum = more(sum, zl_pipe_count_events(in->pipe, c->values, most));
    }
    if (sum == UINT64_MAX)
        c->status = zl_fail(in->ctx, ZLAY_ELIMIT, "limit points: trips of more than %llu steps",
                            (unsigned long long)most);
    return sum == (uint64_t)r->events || refuse(in, "another number of events");
}

/* ---- all ---- */

static bool read_proof(reader *in)
{
    char head[96];
    if (!take_line(in)) return false;
    snprintf(head, sizeof head, "proof %s by runs", in->pipe->name);
    if (strlen(head) != (size_t)(in->scan.end - in->scan.begin) ||
        memcmp(head, in->scan.begin, strlen(head)))
        return refuse(in, "a proof of another pipe");
    zl_rp_check_text(in->c);
    if (!is_good(in)) return false;
    while (take_line(in) && !zl_scan_word(&in->scan, "end")) {
        if (!zl_scan_word(&in->scan, "run")) return refuse(in, "neither `run` nor `end`");
        if (!read_row(in) || !follows(in) || !check_events(in) || !run_rows(in)) return false;
        in->begun = true;
    }
    if (in->fault || !zl_scan_done(&in->scan) || in->next != in->end)
        return refuse(in, "something stands behind the end");
    if (!in->begun) return refuse(in, "no runs");
    for (uint32_t k = 0; k < in->row.listed; k++)
        if (!is_covered(in, k)) return false;
    return true;
}

static void say(const reader *in)
{
    const zl_replay *c = in->c;
    if (in->broken)
        zl_fail(in->ctx, ZLAY_OK, "line %u of the proof: a run breaks %s at line %u of the pipe",
                in->scan.line, zlay_pipe_rule_name(c->rule), in->pipe->events[c->event].line);
    else zl_fail(in->ctx, ZLAY_OK, "line %u of the proof: %s", in->scan.line, in->fault);
}

zlay_status zl_rc_runs(zlay_ctx *ctx, zlay_answer *answer, const zlay_pipe *pipe, const char *proof,
                       size_t length)
{
    zlay_allocator alloc = zl_allocator(ctx);
    reader *in = zl_alloc(ctx, 1, sizeof *in);
    if (!in) return ZLAY_ENOMEM;
    *in = (reader){.ctx = ctx, .pipe = pipe, .next = proof, .end = proof + length};
    zlay_status status = zl_rp_new(ctx, &in->c, pipe);
    bool good = !status && read_proof(in);
    if (!status) status = in->c->status;
    if (!status && !good) say(in);
    bool open = !status && !good && in->c->unproved;
    if (!status) *answer = good ? ZLAY_YES : open ? ZLAY_UNDECIDED : ZLAY_NO;
    if (status == ZLAY_ELIMIT) *answer = ZLAY_UNDECIDED;
    zl_rp_free(in->c);
    zl_free(&alloc, in, sizeof *in);
    return status == ZLAY_ELIMIT ? ZLAY_OK : status;
}
