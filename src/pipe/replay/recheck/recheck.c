/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a proof by order (zlay_pipe_recheck). Lines that have one right form are printed again
 * from the pipe and compared. Weights, paths and schedule times are tried on programs written out
 * for finitely many trip counts; trace.h of the verifier argues why these suffice. A proof by runs
 * is passed on to src/pipe/replay. */
#include "pipe/replay/recheck/order.h"
#include "pipe/replay/recheck/read.h"
#include "pipe/replay/recheck/runs.h"

#include <stdio.h>
#include <string.h>

static const char *const kinds[ZL_RC_KINDS] = {"phase",  "wait",  "passed", "arrive",
                                               "expect", "issue", "write",  "wrote",
                                               "fenced", "read",  "done"};

enum { LINE = 512 };

typedef struct sheet {
    char text[LINE];
    zl_text out;
} sheet;

/* Empties the sheet for a new line. */
static zl_text *begin(sheet *s)
{
    s->out = (zl_text){s->text, LINE, 0};
    return &s->out;
}

/* Whether the next line of the proof is exactly this one. */
static bool same(zl_rc_reader *in, const sheet *s)
{
    if (!zl_rc_line(in)) return false;
    return (s->out.need <= LINE && in->at.length == s->out.need &&
            !memcmp(in->at.text, s->text, s->out.need)) ||
           zl_rc_bad(in, "this does not follow from the pipe");
}

/* ---- barriers ---- */

/* Compares the line of an event at its barrier. */
static bool read_event(zl_rc_reader *in, uint32_t role, uint32_t event)
{
    sheet s;
    zl_text *out = begin(&s);
    const zlay_pipe *pipe = in->r->pipe;
    const zl_event *e = &pipe->events[event];
    const zl_role *ro = &pipe->roles[role];
    zl_putf(out, "line %u of phase ", e->line);
    zl_pipe_put_phase(out, pipe, event);
    if (e->kind == ZL_EV_ARRIVE)
        zl_putf(out, ": pending - %lld", (long long)zl_rc_arrivals(ro, e->scope));
    if (e->kind == ZL_EV_EXPECT)
        zl_putf(out, ": bytes + %lld", (long long)(zl_rc_arrivals(ro, ZL_BY_ONE) * e->count));
    if (e->kind == ZL_EV_COPY)
        zl_putf(out, ": bytes - %lld when it lands",
                (long long)(zl_rc_arrivals(ro, ZL_BY_ONE) * e->count));
    if (e->kind == ZL_EV_WAIT) zl_puts(out, ": complete");
    return same(in, &s);
}

/* The bytes that copies bring to a barrier at index 0. */
static long long bytes_at(const zl_recheck *r, int32_t bar)
{
    long long bytes = 0;
    for (uint32_t i = 0; i < r->pipe->roles_count; i++)
        for (uint32_t k = 0; k < r->programs[i].count; k++) {
            const zl_rc_op *op = &r->programs[i].ops[k];
            if (op->event->kind == ZL_EV_COPY && op->event->bar == bar && op->bar_q == 0)
                bytes += zl_rc_arrivals(&r->pipe->roles[i], ZL_BY_ONE) * op->event->count;
        }
    return bytes;
}

/* Compares a barrier's lines; the sums at every index are checked by zl_rc_sums. */
static bool read_bar(zl_rc_reader *in, int32_t b)
{
    sheet s;
    const zl_recheck *r = in->r;
    const zl_bar *bar = &r->pipe->bars[b];
    zl_putf(begin(&s), "bar %s[%u] count %lld", bar->name, bar->stages, (long long)bar->count);
    if (!same(in, &s)) return false;
    for (uint32_t i = 0; i < r->pipe->roles_count; i++)
        for (uint32_t k = r->pipe->roles[i].begin; k < r->pipe->roles[i].end; k++)
            if (r->pipe->events[k].bar == b && !read_event(in, i, k)) return false;
    zl_text *out = begin(&s);
    zl_puts(out, "each index q of 0..");
    if (r->outer >= 0) zl_putf(out, "%s*", r->pipe->params[r->outer].name);
    zl_putf(out, "%s: slot q %% %u, phase q / %u, pending %lld - %lld, bytes %lld - %lld",
            r->pipe->params[r->inner].name, bar->stages, bar->stages, (long long)bar->count,
            (long long)bar->count, bytes_at(r, b), bytes_at(r, b));
    return same(in, &s);
}

/* ---- schedule ---- */

/* Whether an event has a time in the schedule. */
static bool is_site(const zl_event *e) { return e->kind != ZL_EV_FOR && e->kind != ZL_EV_END; }

/* Reads the schedule: one time for each event, in the order of the text. */
static bool read_schedule(zl_rc_reader *in)
{
    zl_recheck *r = in->r;
    int64_t number, events = 0;
    for (uint32_t i = r->pipe->setup; i < r->pipe->events_count; i++)
        events += is_site(&r->pipe->events[i]);
    if (!zl_rc_line(in)) return false;
    if (!zl_cursor_keyword(&in->at, "schedule") || !zl_cursor_keyword(&in->at, "slope") ||
        !zl_cursor_number(&in->at, &r->slope) || !zl_cursor_done(&in->at) || r->slope != events + 1)
        return zl_rc_bad(in, "no slope that fits");
    for (uint32_t i = r->pipe->setup; i < r->pipe->events_count; i++) {
        if (!is_site(&r->pipe->events[i])) continue;
        if (!zl_rc_line(in)) return false;
        if (!zl_cursor_keyword(&in->at, "line") || !zl_cursor_number(&in->at, &number) ||
            number != r->pipe->events[i].line || !zl_cursor_keyword(&in->at, "at") ||
            !zl_cursor_number(&in->at, &r->time[i]) || !zl_cursor_done(&in->at) ||
            r->time[i] > INT32_MAX)
            return zl_rc_bad(in, "no time of the next event");
    }
    return true;
}

/* Each time is the least that the others allow, so that a proof has one form. */
static bool check_tight(zl_rc_reader *in)
{
    const zl_recheck *r = in->r;
    for (uint32_t i = r->pipe->setup; i < r->pipe->events_count; i++)
        if (is_site(&r->pipe->events[i]) && r->time[i] && !r->tight[i])
            return zl_rc_refuse(in->r, "an event scheduled later than it has to be",
                                r->pipe->events[i].line);
    return true;
}

/* ---- classes ---- */

static int32_t find_named(zl_rc_reader *in, bool bars)
{
    char name[65];
    const zlay_pipe *pipe = in->r->pipe;
    if (!zl_cursor_name(&in->at, name)) return -1;
    for (uint32_t i = 0; i < (bars ? pipe->bars_count : pipe->smems_count); i++)
        if (!strcmp(bars ? pipe->bars[i].name : pipe->smems[i].name, name)) return (int32_t)i;
    return -1;
}

static int32_t find_role(zl_rc_reader *in)
{
    char name[65];
    if (!zl_cursor_name(&in->at, name)) return -1;
    for (uint32_t i = 0; i < in->r->pipe->roles_count; i++)
        if (!strcmp(in->r->pipe->roles[i].name, name)) return (int32_t)i;
    return -1;
}

/* The line of the first event of a class, 0 when it has none. */
static uint32_t first_line(const zl_recheck *r, const zl_rc_class *c)
{
    const zl_role *role = &r->pipe->roles[c->role];
    int j;
    for (uint32_t i = role->begin; i < role->end; i++)
        if (zl_rc_is_of(r, c, &r->pipe->events[i], &j)) return r->pipe->events[i].line;
    return 0;
}

/* Whether no class before is the same. */
static bool is_new(const zl_recheck *r, const zl_rc_class *c)
{
    for (uint32_t i = 0; i < r->classes_count; i++) {
        const zl_rc_class *o = &r->classes[i];
        if (o->kind == c->kind && o->role == c->role && o->object == c->object &&
            o->variant == c->variant)
            return false;
    }
    return true;
}

/* Reads the role, line and variant of a class. */
static bool read_class_of_role(zl_rc_reader *in, zl_rc_class *c)
{
    int64_t number;
    if (!zl_cursor_keyword(&in->at, "by")) return zl_rc_bad(in, "no role of a class");
    c->role = find_role(in);
    if (c->role < 0 || !zl_cursor_keyword(&in->at, "line") || !zl_cursor_number(&in->at, &number))
        return zl_rc_bad(in, "no line of a class");
    c->variant = zl_cursor_keyword(&in->at, c->kind <= ZL_RC_PASSED ? "turned" : "async");
    c->line = first_line(in->r, c);
    return (c->line && number == c->line) || zl_rc_bad(in, "another line than that of the class");
}

static bool read_class(zl_rc_reader *in)
{
    zl_recheck *r = in->r;
    zl_rc_class c = {.kind = ZL_RC_KINDS, .role = -1, .total = true};
    int64_t number;
    if (!zl_cursor_number(&in->at, &number) || number != r->classes_count ||
        number >= ZL_RC_CLASSES)
        return zl_rc_bad(in, "no number of the next class");
    for (int32_t i = 0; i < ZL_RC_KINDS && c.kind == ZL_RC_KINDS; i++)
        if (zl_cursor_keyword(&in->at, kinds[i])) c.kind = i;
    c.object = find_named(in, c.kind <= ZL_RC_ISSUE);
    if (c.kind == ZL_RC_KINDS || c.object < 0) return zl_rc_bad(in, "no such class");
    if (c.kind != ZL_RC_PHASE && !read_class_of_role(in, &c)) return false;
    if (!zl_cursor_done(&in->at) || !is_new(r, &c)) return zl_rc_bad(in, "a class twice");
    r->classes[r->classes_count++] = c;
    return true;
}

/* ---- the whole ---- */

static bool read_head(zl_rc_reader *in)
{
    sheet s;
    zl_putf(begin(&s), "proof %s", in->r->pipe->name);
    if (!same(in, &s)) return false;
    zl_putf(begin(&s), "window %lld", (long long)in->r->window);
    if (!same(in, &s)) return false;
    for (uint32_t i = 0; in->r->total < 1; i++)
        if (!zl_rc_programs(in->r, i)) return zl_rc_bad(in, "no positions");
    for (uint32_t b = 0; b < in->r->pipe->bars_count; b++)
        if (!read_bar(in, (int32_t)b)) return false;
    return read_schedule(in);
}

/* Classes, until a line that is none: it is read again. */
static bool read_classes(zl_rc_reader *in)
{
    for (;;) {
        zl_cursor before = in->at;
        const char *next = in->next;
        if (!zl_rc_line(in)) return false;
        if (zl_cursor_keyword(&in->at, "class")) {
            if (!read_class(in)) return false;
            continue;
        }
        in->at = before;
        in->next = next;
        return zl_rc_classes(in->r);
    }
}

/* Tries everything on the programs of each pair of trip counts. */
static bool try_trips(zl_rc_reader *in)
{
    zl_recheck *r = in->r;
    for (uint32_t i = 0; zl_rc_programs(r, i); i++)
        if (!zl_rc_roles(r) || !zl_rc_sums(r) || !zl_rc_weights(r) || !zl_rc_schedule(r))
            return false;
    return !r->fault && !r->status && check_tight(in) && zl_rc_uses(r);
}

static bool read_proof(zl_rc_reader *in)
{
    sheet s;
    if (!zl_rc_covers(in->r) || !zl_rc_form(in->r) || !zl_rc_setup(in->r) || !read_head(in) || !read_classes(in) ||
        !try_trips(in) || !zl_rc_orders(in))
        return false;
    zl_puts(begin(&s), "end");
    return same(in, &s) && (in->next == in->end || zl_rc_bad(in, "something stands behind the end"));
}

static zlay_status recheck_begin(zl_recheck *r)
{
    size_t events = r->pipe->events_count + 1;
    r->offset = zl_scratch(r->ctx, events, sizeof *r->offset);
    r->time = zl_scratch(r->ctx, events, sizeof *r->time);
    r->tight = zl_scratch(r->ctx, events, sizeof *r->tight);
    r->own = zl_scratch(r->ctx, r->pipe->smems_count + 1, sizeof *r->own);
    if (!r->offset || !r->time || !r->tight || !r->own) return ZLAY_ENOMEM;
    for (size_t i = 0; i < events; i++)
        for (int j = 0; j < 3; j++) r->offset[i][j] = INT64_MIN;
    zl_rc_find_own(r);
    return ZLAY_OK;
}

static void say(const zl_rc_reader *in)
{
    const zl_recheck *r = in->r;
    if (r->line)
        zl_fail(r->ctx, ZLAY_OK, "line %u of the proof, line %u of the pipe: %s", in->at.line,
                r->line, r->fault);
    else zl_fail(r->ctx, ZLAY_OK, "line %u of the proof: %s", in->at.line, r->fault);
}

/* Whether the proof says that it is one by runs. */
static bool is_by_runs(const zlay_pipe *pipe, const char *proof, size_t length)
{
    char head[96];
    int need = snprintf(head, sizeof head, "proof %s by runs\n", pipe->name);
    return need > 0 && length >= (size_t)need && !memcmp(proof, head, (size_t)need);
}

zlay_status zlay_pipe_recheck(zlay_ctx *ctx, zlay_answer *answer, const zlay_pipe *pipe,
                              const char *proof, size_t length)
{
    if (!answer || !pipe || !proof) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    for (uint32_t k = 0; k < pipe->others_count && !status; k++)
        if (pipe->others[k].each) {
            *answer = ZLAY_UNDECIDED;
            zl_fail(ctx, ZLAY_OK, "%s is each instance's own: such proofs are not checked yet", pipe->others[k].name);
            return zl_leave_answer(ctx, ZLAY_OK, answer);
        }
    for (uint32_t k = 0; k < pipe->params_count && !status; k++)
        if (pipe->params[k].of >= 0) {
            *answer = ZLAY_UNDECIDED;
            zl_fail(ctx, ZLAY_OK, "param %s is a count of each iteration: such proofs are not checked yet", pipe->params[k].name);
            return zl_leave_answer(ctx, ZLAY_OK, answer);
        }
    if (is_by_runs(pipe, proof, length))
        return zl_leave_answer(ctx, zl_rc_runs(ctx, answer, pipe, proof, length), answer);
    zl_recheck *r = zl_scratch(ctx, 1, sizeof *r);
    if (!r) return zl_leave_answer(ctx, ZLAY_ENOMEM, answer);
    r->ctx = ctx;
    r->pipe = pipe;
    zl_rc_reader in = {.r = r,
                       .at = {.ctx = ctx, .text = proof, .dotted = true},
                       .next = proof,
                       .end = proof + length};
    status = recheck_begin(r);
    bool good = !status && read_proof(&in);
    if (!status) status = r->status;
    if (!status && r->fault) say(&in);
    if (!status) *answer = good ? ZLAY_YES : ZLAY_NO;
    return zl_leave_answer(ctx, status, answer);
}
