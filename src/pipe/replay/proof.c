/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a proof by runs and decides whether it proves its pipe. Each row names values of the
 * params; their runs are made (rows.c), and each recurrence that the row claims must be found in
 * them. The rows together must cover every value of every param. Anything else is refused with the
 * line of the proof. */
#include "pipe/language/plain.h"
#include "base/arith.h"
#include "pipe/replay/recheck/runs.h"
#include "pipe/replay/proof.h"

#include <stdio.h>
#include <string.h>

enum { PERIODS_MOST = 4096 }; /* values that the periods of a param may have together */

/* Takes the next line of the proof. */
static bool take_line(zl_rp_reader *in)
{
    if (in->next == in->end) return zl_rp_refuse(in, "it ends too soon");
    in->next = zl_cursor_line(&in->at, in->next, in->end);
    return true;
}

/* ---- one line ---- */

static int32_t find_param(const zlay_pipe *p, const char *name)
{
    for (uint32_t k = 0; k < p->params_count; k++)
        if (!strcmp(p->params[k].name, name)) return (int32_t)k;
    return -1;
}

/* Reads `every N`, the claimed period of a param. */
static bool read_period(zl_rp_reader *in, int64_t *period)
{
    if (!zl_cursor_keyword(&in->at, "every")) return true;
    return (zl_cursor_number(&in->at, period) && *period > 0 && *period <= ZL_RP_PERIOD) ||
           zl_rp_refuse(in, "no period");
}

/* Whether the value is a short trip of a far param, which stands for long ones. */
static bool begins_near(const zl_param *param, int64_t value)
{
    return zl_param_is_far(param) && value < param->least;
}

/* The least value that rows of a param begin at. */
static int64_t begin_of(const zl_param *param, int64_t value)
{
    return begins_near(param, value) ? 0 : param->least;
}

/* Reads a param, its value or its range from the least value, and its period. */
static bool read_param(zl_rp_reader *in, zl_rp_row *r)
{
    char name[65];
    int64_t *value = &r->value[r->count];
    if (r->count == ZL_RP_PARAMS || r->listed < r->count)
        return zl_rp_refuse(in, "too many params");
    int32_t param = zl_cursor_name(&in->at, name) ? find_param(in->pipe, name) : -1;
    for (uint32_t k = 0; k < r->count; k++)
        if (r->param[k] == param) return zl_rp_refuse(in, "a param twice");
    if (param < 0 || !zl_cursor_number(&in->at, value))
        return zl_rp_refuse(in, "no param and its value");
    int64_t least = begin_of(&in->pipe->params[param], *value);
    if (zl_cursor_symbol(&in->at, "..")) {
        if (*value != least || !zl_cursor_number(&in->at, value))
            return zl_rp_refuse(in, "no last value");
    } else r->listed++;
    if (*value < least - (r->listed == r->count) || *value > in->pipe->params[param].most ||
        *value - least >= ZL_RP_TRIPS)
        return zl_rp_refuse(in, "a value out of the param's range, or more than are tried");
    r->param[r->count++] = param;
    return read_period(in, &r->period[r->count - 1]);
}

/* Reads a row: params, then the number of events. */
static bool read_row(zl_rp_reader *in)
{
    zl_rp_row r = {.count = 0};
    while (!zl_cursor_keyword(&in->at, "events"))
        if (!read_param(in, &r)) return false;
    if (!zl_cursor_number(&in->at, &r.events) || !zl_cursor_done(&in->at))
        return zl_rp_refuse(in, "no number of events");
    in->before = in->row;
    in->row = r;
    return true;
}

/* ---- what the rows cover ---- */

/* Whether a position of the event names the param. */
static bool names_param(const zl_event *e, int32_t param)
{
    const zl_pos *all[] = {&e->at[0],      &e->at[1],      &e->bar_at, &e->parity,
                           &e->tmem_at[0], &e->tmem_at[1], &e->map_at, &e->other_at};
    for (size_t k = 0; k < ZL_COUNT(all); k++)
        if (all[k]->times == param || all[k]->plus == param) return true;
    return false;
}

/* Every param that an event names must stand in the row. */
static bool names_all(zl_rp_reader *in)
{
    for (uint32_t p = 0; p < in->pipe->params_count; p++) {
        bool used = false, stands = false;
        for (uint32_t k = 0; k < in->pipe->events_count; k++)
            used |= names_param(&in->pipe->events[k], (int32_t)p);
        for (uint32_t k = 0; k < in->row.count; k++) stands |= in->row.param[k] == (int32_t)p;
        if (used != stands) return zl_rp_refuse(in, "a param is left out, or not used");
    }
    return true;
}

/* Whether every greater value of a param is a value that was run plus whole periods. */
static bool is_covered(zl_rp_reader *in, uint32_t k)
{
    const zl_rp_level *l = &in->levels[k];
    const zl_param *param = &in->pipe->params[in->row.param[k]];
    int64_t count = l->value - l->first + 1, all = 1;
    int64_t from = l->value < param->least ? param->least : l->value + 1;
    for (int64_t v = 0; v < count; v++)
        if (l->period[v] && all <= PERIODS_MOST) all = zl_rp_common_period(all, l->period[v]);
    if (all > PERIODS_MOST) return zl_rp_refuse(in, "periods of different lengths");
    for (int64_t more = from; more < from + all && more <= param->most; more++) {
        bool found = false;
        for (int64_t v = 0; v < count && !found; v++)
            found = l->period[v] && (more - l->first - v) % l->period[v] == 0;
        if (!found) return zl_rp_refuse(in, "greater values of a param do not follow");
    }
    return true;
}

/* Starts a param's list of values at its least value. */
static bool begin_level(zl_rp_reader *in, uint32_t k)
{
    const zl_param *param = &in->pipe->params[in->row.param[k]];
    if (in->row.value[k] != param->least && !begins_near(param, in->row.value[k]))
        return zl_rp_refuse(in, "the least value of a param is left out");
    in->levels[k].first = in->levels[k].value = in->row.value[k];
    in->levels[k].period[0] = in->row.period[k];
    return true;
}

/* Checks that the row follows the one before: the first listed param that differs goes up by
 * one, those after it begin anew. */
static bool follows(zl_rp_reader *in)
{
    const zl_rp_row *r = &in->row, *b = &in->before;
    uint32_t k = 0;
    if (!in->begun) {
        for (; k < r->listed; k++)
            if (!begin_level(in, k)) return false;
        return names_all(in);
    }
    if (r->count != b->count || r->listed != b->listed ||
        memcmp(r->param, b->param, sizeof r->param))
        return zl_rp_refuse(in, "other params than before");
    while (k < r->listed && r->value[k] == b->value[k]) {
        zl_rp_level *l = &in->levels[k];
        int64_t *period = &l->period[l->value - l->first];
        *period = zl_rp_common_period(*period, r->period[k++]);
    }
    if (k == r->listed || r->value[k] != b->value[k] + 1)
        return zl_rp_refuse(in, "a value of a param is left out");
    in->levels[k].value++;
    in->levels[k].period[in->levels[k].value - in->levels[k].first] = r->period[k];
    while (++k < r->listed)
        if (!is_covered(in, k) || !begin_level(in, k)) return false;
    return true;
}

/* ---- events ---- */

/* The row's number of events is that of its runs and of the trips one period longer. */
static bool check_events(zl_rp_reader *in)
{
    const zl_rp_row *r = &in->row;
    zl_replay *c = in->c;
    uint64_t most = zl_limits(in->ctx)->points, sum = 0;
    for (uint32_t k = 0; k < r->count; k++) c->values[r->param[k]] = r->value[k];
    for (uint32_t k = 0; k < r->count; k++) {
        c->values[r->param[k]] += r->period[k];
        if (r->period[k]) sum = zl_uadd_sat(sum, zl_pipe_count_events(in->pipe, c->values, most));
        c->values[r->param[k]] = r->value[k];
    }
    bool open = r->count > r->listed;
    int64_t *trip = open ? &c->values[r->param[r->listed]] : NULL;
    for (int64_t t = open ? in->pipe->params[r->param[r->listed]].least : 0;
         t <= (open ? r->value[r->listed] : 0); t++) {
        if (open) *trip = t;
        sum = zl_uadd_sat(sum, zl_pipe_count_events(in->pipe, c->values, most));
    }
    if (sum == UINT64_MAX)
        c->status = zl_fail(in->ctx, ZLAY_ELIMIT, "limit points: trips of more than %llu steps",
                            (unsigned long long)most);
    return sum == (uint64_t)r->events || zl_rp_refuse(in, "another number of events");
}

/* ---- all ---- */

static bool read_proof(zl_rp_reader *in)
{
    char head[96];
    if (!take_line(in)) return false;
    snprintf(head, sizeof head, "proof %s by runs", in->pipe->name);
    if (strlen(head) != in->at.length || memcmp(head, in->at.text, strlen(head)))
        return zl_rp_refuse(in, "a proof of another pipe");
    zl_rp_check_text(in->c);
    if (!zl_rp_is_good(in)) return false;
    while (take_line(in) && !zl_cursor_keyword(&in->at, "end")) {
        if (!zl_cursor_keyword(&in->at, "run")) return zl_rp_refuse(in, "neither `run` nor `end`");
        if (!read_row(in) || !follows(in) || !check_events(in) || !zl_rp_run_rows(in)) return false;
        in->begun = true;
    }
    if (in->fault || !zl_cursor_done(&in->at) || in->next != in->end)
        return zl_rp_refuse(in, "something stands behind the end");
    if (!in->begun) return zl_rp_refuse(in, "no runs");
    for (uint32_t k = 0; k < in->row.listed; k++)
        if (!is_covered(in, k)) return false;
    return true;
}

/* Says where and why the proof is refused. */
static void say(const zl_rp_reader *in)
{
    const zl_replay *c = in->c;
    if (in->broken)
        zl_fail(in->ctx, ZLAY_OK, "line %u of the proof: a run breaks %s at line %u of the pipe",
                in->at.line, zlay_pipe_rule_name(c->rule), in->pipe->events[c->event].line);
    else zl_fail(in->ctx, ZLAY_OK, "line %u of the proof: %s", in->at.line, in->fault);
}

static zlay_status check_plain(zlay_ctx *ctx, zlay_answer *answer, const zlay_pipe *pipe,
                               const char *proof, size_t length)
{
    zl_rp_reader *in = zl_scratch(ctx, 1, sizeof *in);
    if (!in) return ZLAY_ENOMEM;
    *in = (zl_rp_reader){.ctx = ctx,
                         .pipe = pipe,
                         .at = {.ctx = ctx, .text = proof, .dotted = true},
                         .next = proof,
                         .end = proof + length};
    zlay_status status = zl_rp_new(ctx, &in->c, pipe);
    bool good = !status && read_proof(in);
    if (!status) status = in->c->status;
    if (!status && !good) say(in);
    bool open = !status && !good && in->c->unproved;
    if (!status) *answer = good ? ZLAY_YES : open ? ZLAY_UNDECIDED : ZLAY_NO;
    return status;
}

zlay_status zl_rc_runs(zlay_ctx *ctx, zlay_answer *answer, const zlay_pipe *pipe, const char *proof,
                       size_t length)
{
    const zlay_pipe *plain;
    zlay_status status = zl_pipe_plain(ctx, &plain, pipe);
    if (!status) status = check_plain(ctx, answer, plain, proof, length);
    if (status == ZLAY_ELIMIT) *answer = ZLAY_UNDECIDED;
    return status == ZLAY_ELIMIT ? ZLAY_OK : status;
}
