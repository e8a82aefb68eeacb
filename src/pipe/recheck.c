/* SPDX-License-Identifier: Apache-2.0 */
/* A proof read line by line. What has one right form is printed again and compared; weights, paths and times are tried. */
#include "pipe/recheck_order.h"
#include "pipe/scan.h"

#include <string.h>

typedef struct reader {
    zl_recheck *r;
    zl_scan scan;
    const char *next, *end;
} reader;

static const char *const kinds[ZL_RC_KINDS] = {"phase", "wait", "passed", "arrive", "expect", "issue",
                                               "write", "wrote", "fenced", "read", "done"};

static bool line(reader *in)
{
    if (in->next >= in->end) return zl_rc_refuse(in->r, "the proof ends too early", 0);
    in->next = zl_scan_line(&in->scan, in->next, in->end);
    return true;
}

static bool bad(reader *in, const char *what) { return zl_rc_refuse(in->r, what, 0); }

enum { LINE = 512 };

typedef struct sheet {
    char text[LINE];
    zl_text out;
} sheet;

static zl_text *begin(sheet *s)
{
    s->out = (zl_text){s->text, LINE, 0};
    return &s->out;
}

/* The next line is this one. */
static bool same(reader *in, const sheet *s)
{
    if (!line(in)) return false;
    size_t length = (size_t)(in->scan.end - in->scan.begin);
    return (s->out.need <= LINE && length == s->out.need && !memcmp(in->scan.begin, s->text, length)) ||
           bad(in, "this does not follow from the pipe");
}

/* ---- barriers ---- */

static bool read_event(reader *in, uint32_t role, uint32_t event)
{
    sheet s;
    zl_text *out = begin(&s);
    const zlay_pipe *pipe = in->r->pipe;
    const zl_event *e = &pipe->events[event];
    const zl_role *ro = &pipe->roles[role];
    zl_putf(out, "line %u of phase ", e->line);
    zl_pipe_put_phase(out, pipe, event);
    if (e->kind == ZL_EV_ARRIVE) zl_putf(out, ": pending - %lld", (long long)zl_rc_arrivals(ro, e->scope));
    if (e->kind == ZL_EV_EXPECT) zl_putf(out, ": bytes + %lld", (long long)(zl_rc_arrivals(ro, ZL_BY_ONE) * e->count));
    if (e->kind == ZL_EV_COPY)
        zl_putf(out, ": bytes - %lld when it lands", (long long)(zl_rc_arrivals(ro, ZL_BY_ONE) * e->count));
    if (e->kind == ZL_EV_WAIT) zl_puts(out, ": complete");
    return same(in, &s);
}

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

/* The sums themselves are tried at every index (zl_rc_sums). */
static bool read_bar(reader *in, int32_t b)
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
            r->pipe->params[r->inner].name, bar->stages, bar->stages, (long long)bar->count, (long long)bar->count,
            bytes_at(r, b), bytes_at(r, b));
    return same(in, &s);
}

/* ---- schedule ---- */

static bool is_site(const zl_event *e) { return e->kind != ZL_EV_FOR && e->kind != ZL_EV_END; }

/* Events in the order of the sections that the verifier lists them in, which is that of the text. */
static bool read_schedule(reader *in)
{
    zl_recheck *r = in->r;
    int64_t number, events = 0;
    for (uint32_t i = r->pipe->setup; i < r->pipe->events_count; i++) events += is_site(&r->pipe->events[i]);
    if (!line(in)) return false;
    if (!zl_scan_word(&in->scan, "schedule") || !zl_scan_word(&in->scan, "slope") || !zl_scan_number(&in->scan, &r->slope) ||
        !zl_scan_done(&in->scan) || r->slope != events + 1)
        return bad(in, "no slope that fits");
    for (uint32_t i = r->pipe->setup; i < r->pipe->events_count; i++) {
        if (!is_site(&r->pipe->events[i])) continue;
        if (!line(in)) return false;
        if (!zl_scan_word(&in->scan, "line") || !zl_scan_number(&in->scan, &number) || number != r->pipe->events[i].line ||
            !zl_scan_word(&in->scan, "at") || !zl_scan_number(&in->scan, &r->time[i]) || !zl_scan_done(&in->scan) ||
            r->time[i] > INT32_MAX)
            return bad(in, "no time of the next event");
    }
    return true;
}

/* Each time is the least that the others allow. */
static bool check_tight(reader *in)
{
    const zl_recheck *r = in->r;
    for (uint32_t i = r->pipe->setup; i < r->pipe->events_count; i++)
        if (is_site(&r->pipe->events[i]) && r->time[i] && !r->tight[i])
            return zl_rc_refuse(in->r, "an event scheduled later than it has to be", r->pipe->events[i].line);
    return true;
}

/* ---- classes ---- */

static int32_t find_named(reader *in, bool bars)
{
    char name[65];
    const zlay_pipe *pipe = in->r->pipe;
    if (!zl_scan_name(&in->scan, name)) return -1;
    for (uint32_t i = 0; i < (bars ? pipe->bars_count : pipe->smems_count); i++)
        if (!strcmp(bars ? pipe->bars[i].name : pipe->smems[i].name, name)) return (int32_t)i;
    return -1;
}

static int32_t find_role(reader *in)
{
    char name[65];
    if (!zl_scan_name(&in->scan, name)) return -1;
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

static bool is_new(const zl_recheck *r, const zl_rc_class *c)
{
    for (uint32_t i = 0; i < r->classes_count; i++) {
        const zl_rc_class *o = &r->classes[i];
        if (o->kind == c->kind && o->role == c->role && o->object == c->object && o->variant == c->variant) return false;
    }
    return true;
}

static bool read_class_of_role(reader *in, zl_rc_class *c)
{
    int64_t number;
    if (!zl_scan_word(&in->scan, "by")) return bad(in, "no role of a class");
    c->role = find_role(in);
    if (c->role < 0 || !zl_scan_word(&in->scan, "line") || !zl_scan_number(&in->scan, &number)) return bad(in, "no line of a class");
    c->variant = zl_scan_word(&in->scan, c->kind <= ZL_RC_PASSED ? "turned" : "async");
    c->line = first_line(in->r, c);
    return (c->line && number == c->line) || bad(in, "another line than that of the class");
}

static bool read_class(reader *in)
{
    zl_recheck *r = in->r;
    zl_rc_class c = {.kind = ZL_RC_KINDS, .role = -1, .total = true};
    int64_t number;
    if (!zl_scan_number(&in->scan, &number) || number != r->classes_count || number >= ZL_RC_CLASSES)
        return bad(in, "no number of the next class");
    for (int32_t i = 0; i < ZL_RC_KINDS && c.kind == ZL_RC_KINDS; i++)
        if (zl_scan_word(&in->scan, kinds[i])) c.kind = i;
    c.object = find_named(in, c.kind <= ZL_RC_ISSUE);
    if (c.kind == ZL_RC_KINDS || c.object < 0) return bad(in, "no such class");
    if (c.kind != ZL_RC_PHASE && !read_class_of_role(in, &c)) return false;
    if (!zl_scan_done(&in->scan) || !is_new(r, &c)) return bad(in, "a class twice");
    r->classes[r->classes_count++] = c;
    return true;
}

/* ---- obligations ---- */

typedef struct duty {
    const char *rule;
    int64_t bound;
    uint32_t from, to; /* to: any arrival or copy of the barrier, for lost-phase */
    bool any;
} duty;

/* The class of this kind beside another; every duty that needs one that is missing fails. */
static uint32_t beside(const zl_recheck *r, int32_t kind, int32_t role, int32_t object)
{
    for (uint32_t i = 0; i < r->classes_count; i++)
        if (r->classes[i].kind == kind && r->classes[i].object == object && (role < 0 || r->classes[i].role == role)) return i;
    return ZL_RC_CLASSES;
}

/* What the class i owes by itself. */
static bool duty_of(const zl_recheck *r, uint32_t i, duty *out)
{
    const zl_rc_class *c = &r->classes[i];
    if (c->kind > ZL_RC_ISSUE || c->kind == ZL_RC_PHASE) return false;
    int64_t stages = r->pipe->bars[c->object].stages;
    uint32_t phase = beside(r, ZL_RC_PHASE, -1, c->object);
    if (c->kind == ZL_RC_WAIT) *out = (duty){"parity", c->variant ? 2 * stages : stages, phase, i, false};
    else if (c->kind == ZL_RC_PASSED) *out = (duty){"lost-phase", c->variant ? 0 : stages, i, i, true};
    else *out = (duty){"overrun", stages, phase, i, false};
    return true;
}

/* What a write and another class owe each other. */
static bool duty_between(const zl_recheck *r, uint32_t i, uint32_t k, duty *out)
{
    const zl_rc_class *w = &r->classes[i], *c = &r->classes[k];
    if (w->kind != ZL_RC_WRITE || w->object != c->object) return false;
    *out = (duty){"overwrite", r->pipe->smems[w->object].stages, k, i, false};
    if (c->kind == ZL_RC_DONE) return true;
    if (c->kind != ZL_RC_READ) return false;
    uint32_t full = w->variant ? beside(r, ZL_RC_PHASE, -1, zl_rc_signalled(r, w))
                               : beside(r, c->variant ? ZL_RC_FENCED : ZL_RC_WROTE, w->role, w->object);
    *out = (duty){"read-before-full", 0, full, k, false};
    return true;
}

static bool ends_well(const zl_recheck *r, const duty *d, uint32_t last)
{
    const zl_rc_class *c = &r->classes[last];
    if (!d->any) return last == d->to;
    return (c->kind == ZL_RC_ARRIVE || c->kind == ZL_RC_ISSUE) && c->total && c->object == r->classes[d->from].object;
}

static bool read_number(reader *in, int64_t *out) { return zl_scan_number(&in->scan, out) && *out <= INT32_MAX; }

typedef struct path {
    uint32_t at[ZL_RC_CLASSES + 2], count;
    int64_t sum;
} path;

/* FROM +W K +W K ...: every weight is the edge's own. */
static bool read_path(reader *in, const duty *d, path *p)
{
    const zl_recheck *r = in->r;
    int64_t next, weight;
    *p = (path){.count = 0};
    if (!read_number(in, &next) || next != d->from) return bad(in, "a path from another class");
    p->at[p->count++] = d->from;
    while (!zl_scan_done(&in->scan)) {
        if (!zl_scan_symbol(&in->scan, "+") || !read_number(in, &weight) || !read_number(in, &next) ||
            next >= r->classes_count || p->count > ZL_RC_CLASSES)
            return bad(in, "no step of a path");
        if (zl_rc_edge(r, p->at[p->count - 1], (uint32_t)next) != weight) return bad(in, "a weight that the pipe does not show");
        p->at[p->count++] = (uint32_t)next;
        p->sum += weight;
    }
    return p->count > 1 || bad(in, "a path without a step");
}

/* A class inside a path has an instance at every index; and no lesser one would do, so that a proof has one form. */
static bool check_inside(reader *in, const path *p)
{
    const zl_recheck *r = in->r;
    for (uint32_t i = 1; i + 1 < p->count; i++) {
        int64_t to = zl_rc_edge(r, p->at[i - 1], p->at[i]), from = zl_rc_edge(r, p->at[i], p->at[i + 1]);
        if (!r->classes[p->at[i]].total) return bad(in, "a path through a class with gaps");
        for (uint32_t k = 0; k < p->at[i]; k++)
            if (r->classes[k].total && zl_rc_edge(r, p->at[i - 1], k) == to && zl_rc_edge(r, k, p->at[i + 1]) == from)
                return bad(in, "a path through a class where a lesser one would do");
    }
    return true;
}

static bool check_end(reader *in, const duty *d, const path *p)
{
    const zl_recheck *r = in->r;
    uint32_t last = p->at[p->count - 1], before = p->at[p->count - 2];
    if (!ends_well(r, d, last)) return bad(in, "a path to another class");
    for (uint32_t k = 0; k < last; k++)
        if (ends_well(r, d, k) && zl_rc_edge(r, before, k) == zl_rc_edge(r, before, last))
            return bad(in, "a path to a class where a lesser one would do");
    bool begins = strcmp(d->rule, "parity") || r->classes[before].kind != ZL_RC_PHASE;
    return begins || bad(in, "a wait that orders its own beginning");
}

static bool read_order(reader *in, const duty *d)
{
    int64_t bound;
    path p;
    bool proxy = !strcmp(d->rule, "read-before-full");
    if (!line(in)) return false;
    if (!zl_scan_word(&in->scan, "order") || !(zl_scan_word(&in->scan, d->rule) || (proxy && zl_scan_word(&in->scan, "proxy"))) ||
        !zl_scan_word(&in->scan, "within") || !read_number(in, &bound) || bound != d->bound || !zl_scan_symbol(&in->scan, ":"))
        return bad(in, "no order that the pipe needs");
    if (!read_path(in, d, &p) || !check_inside(in, &p) || !check_end(in, d, &p)) return false;
    return p.sum <= bound || bad(in, "a path that is too long");
}

static bool read_orders(reader *in)
{
    duty d;
    for (uint32_t i = 0; i < in->r->classes_count; i++) {
        if (duty_of(in->r, i, &d) && !read_order(in, &d)) return false;
        for (uint32_t k = 0; k < in->r->classes_count; k++)
            if (duty_between(in->r, i, k, &d) && !read_order(in, &d)) return false;
    }
    return true;
}

/* ---- the whole ---- */

static bool read_head(reader *in)
{
    sheet s;
    zl_putf(begin(&s), "proof %s", in->r->pipe->name);
    if (!same(in, &s)) return false;
    zl_putf(begin(&s), "window %lld", (long long)in->r->window);
    if (!same(in, &s)) return false;
    for (uint32_t i = 0; in->r->total < 1; i++)
        if (!zl_rc_programs(in->r, i)) return bad(in, "no positions");
    for (uint32_t b = 0; b < in->r->pipe->bars_count; b++)
        if (!read_bar(in, (int32_t)b)) return false;
    return read_schedule(in);
}

/* Classes, until a line that is none: it is read again. */
static bool read_classes(reader *in)
{
    for (;;) {
        zl_scan scan = in->scan;
        const char *next = in->next;
        if (!line(in)) return false;
        if (zl_scan_word(&in->scan, "class")) {
            if (!read_class(in)) return false;
            continue;
        }
        in->scan = scan;
        in->next = next;
        return zl_rc_classes(in->r);
    }
}

static bool try_trips(reader *in)
{
    zl_recheck *r = in->r;
    for (uint32_t i = 0; zl_rc_programs(r, i); i++)
        if (!zl_rc_roles(r) || !zl_rc_sums(r) || !zl_rc_weights(r) || !zl_rc_schedule(r)) return false;
    return !r->fault && !r->status && check_tight(in) && zl_rc_uses(r);
}

static bool read_proof(reader *in)
{
    sheet s;
    if (!zl_rc_form(in->r) || !zl_rc_setup(in->r) || !read_head(in) || !read_classes(in) || !try_trips(in) || !read_orders(in))
        return false;
    zl_puts(begin(&s), "end");
    return same(in, &s) && (in->next == in->end || bad(in, "something stands behind the end"));
}

static zlay_status recheck_begin(zl_recheck *r)
{
    size_t events = r->pipe->events_count + 1;
    r->offset = zl_alloc(r->ctx, events, sizeof *r->offset);
    r->time = zl_alloc(r->ctx, events, sizeof *r->time);
    r->tight = zl_alloc(r->ctx, events, sizeof *r->tight);
    r->own = zl_alloc(r->ctx, r->pipe->smems_count + 1, sizeof *r->own);
    if (!r->offset || !r->time || !r->tight || !r->own) return ZLAY_ENOMEM;
    for (size_t i = 0; i < events; i++)
        for (int j = 0; j < 3; j++) r->offset[i][j] = INT64_MIN;
    zl_rc_find_own(r);
    return ZLAY_OK;
}

static void recheck_end(zl_recheck *r)
{
    zlay_allocator alloc = zl_allocator(r->ctx);
    size_t events = r->pipe->events_count + 1;
    for (int i = 0; i < ZL_RC_ROLES; i++) zl_free(&alloc, r->programs[i].ops, r->programs[i].room * sizeof *r->programs[i].ops);
    zl_free(&alloc, r->offset, events * sizeof *r->offset);
    zl_free(&alloc, r->time, events * sizeof *r->time);
    zl_free(&alloc, r->tight, events * sizeof *r->tight);
    zl_free(&alloc, r->own, (r->pipe->smems_count + 1) * sizeof *r->own);
    zl_free(&alloc, r, sizeof *r);
}

static void say(const reader *in)
{
    const zl_recheck *r = in->r;
    if (r->line) zl_fail(r->ctx, ZLAY_OK, "line %u of the proof, line %u of the pipe: %s", in->scan.line, r->line, r->fault);
    else zl_fail(r->ctx, ZLAY_OK, "line %u of the proof: %s", in->scan.line, r->fault);
}

zlay_status zlay_pipe_recheck(zlay_ctx *ctx, zlay_answer *answer, const zlay_pipe *pipe, const char *proof, size_t length)
{
    if (!answer || !pipe || !proof) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zl_recheck *r = zl_alloc(ctx, 1, sizeof *r);
    if (!r) return zl_leave(ctx, ZLAY_ENOMEM);
    r->ctx = ctx;
    r->pipe = pipe;
    reader in = {.r = r, .next = proof, .end = proof + length};
    in.scan.begin = in.scan.end = in.scan.at = proof;
    status = recheck_begin(r);
    bool good = !status && read_proof(&in);
    if (!status) status = r->status;
    if (!status && r->fault) say(&in);
    if (!status) *answer = good ? ZLAY_YES : ZLAY_NO;
    recheck_end(r);
    return zl_leave(ctx, status);
}
