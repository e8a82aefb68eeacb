/* SPDX-License-Identifier: Apache-2.0 */
/* Proves progress: every wait is eventually satisfied. Each event of the text is a site whose
 * instance at position p is scheduled at slope * p + time, as in a modulo schedule; program
 * order and phase-to-wait edges constrain the times, and the least times are longest paths,
 * found by relaxation (Bellman-Ford). If a cycle does not advance there is no schedule, and
 * the pipe is run for small trip counts to find the deadlock. */
#include "pipe/order/verify.h"

#define UNREACHED (INT64_MIN / 4)

/* Raises the time of `to` to satisfy one edge; false where it already does. Section starts are
 * sites that take no time, so that an empty section can be passed through. */
static bool relax(zl_verify *v, int32_t from, int32_t to, int64_t distance)
{
    zl_site *a = &v->sites[from], *b = &v->sites[to];
    if (a->time == UNREACHED) return false;
    int64_t least = a->time + (b->event >= 0) - v->slope * distance;
    if (least <= b->time) return false;
    b->time = least;
    b->from = from;
    return true;
}

typedef struct span { int32_t first, last; } span; /* first: where the section begins */

/* The sites of one section of a role. */
static span span_of(const zl_verify *v, int32_t role, zl_section section)
{
    span s = {-1, -1};
    for (uint32_t i = 0; i < v->sites_count; i++) {
        if (v->sites[i].role != role || v->sites[i].section != section) continue;
        if (s.first < 0) s.first = (int32_t)i;
        s.last = (int32_t)i;
    }
    return s;
}

/* The first position of a role's loop in its tile; -1 without one. */
static int64_t loop_first(const zl_verify *v, const zl_role *role)
{
    for (uint32_t i = role->begin; i < role->end; i++) {
        const zl_event *e = &v->pipe->events[i];
        if (e->kind == ZL_EV_FOR && e->bar_at.plus == v->shape.inner) return e->at[0].add;
    }
    return -1;
}

/* Program order of one role: along each section, round the loop, from tile to tile. */
static bool relax_role(zl_verify *v, int32_t r)
{
    const zlay_pipe *pipe = v->pipe;
    bool moved = false;
    span before = span_of(v, r, ZL_BEFORE), pre = span_of(v, r, ZL_PRE),
         loop = span_of(v, r, ZL_LOOP);
    span post = span_of(v, r, ZL_POST), after = span_of(v, r, ZL_AFTER);
    int64_t least = v->shape.inner >= 0 ? pipe->params[v->shape.inner].least : 0,
            first = loop_first(v, &pipe->roles[r]);
    bool tiles = v->shape.outer >= 0;
    span head = tiles ? pre : before, tail = tiles ? post : after;
    for (int32_t i = before.first; i < after.last; i++)
        if (v->sites[i].section == v->sites[i + 1].section) moved |= relax(v, i, i + 1, 0);
    moved |= relax(v, head.last, tail.first, least);
    if (first >= 0) {
        moved |= relax(v, head.last, loop.first, first);
        moved |= relax(v, loop.last, loop.first, 1);
        moved |= relax(v, loop.last, tail.first, 1);
    }
    if (!tiles) return moved;
    moved |= relax(v, before.last, pre.first, 0);
    moved |= relax(v, post.last, pre.first, 0);
    moved |= relax(v, post.last, after.first, 0);
    moved |= relax(v, before.last, after.first, least * pipe->params[v->shape.outer].least);
    return moved;
}

/* Whether an event helps to complete a phase. */
static bool makes_phase(const zl_event *e)
{
    return e->kind == ZL_EV_ARRIVE || e->kind == ZL_EV_COPY;
}

/* The distance in positions from an arrival to a wait for its phase; false where it shrinks as
 * N grows. */
static bool distance_of(const zl_verify *v, const zl_site *a, const zl_site *w, int64_t *distance)
{
    const zl_event *arrive = &v->pipe->events[a->event], *wait = &v->pipe->events[w->event];
    int64_t add[2] = {0}, ends[2] = {0},
            least = v->shape.inner >= 0 ? v->pipe->params[v->shape.inner].least : 0;
    zl_place(&v->shape, a->section, &arrive->bar_at, &add[0], &ends[0]);
    zl_place(&v->shape, w->section, &wait->bar_at, &add[1], &ends[1]);
    *distance = (zl_turned(v->pipe, wait) ? v->pipe->bars[wait->bar].stages : 0) + add[0] - add[1] +
                (ends[0] - ends[1]) * least;
    return ends[0] >= ends[1];
}

/* A wait comes after every event that helps to complete its phase. */
static bool relax_wait(zl_verify *v, int32_t site)
{
    const zl_event *wait = &v->pipe->events[v->sites[site].event];
    bool moved = false;
    for (uint32_t i = 0; i < v->sites_count; i++) {
        if (v->sites[i].event < 0) continue;
        const zl_event *e = &v->pipe->events[v->sites[i].event];
        int64_t distance;
        if (!makes_phase(e) || e->bar != wait->bar) continue;
        if (distance_of(v, &v->sites[i], &v->sites[site], &distance))
            moved |= relax(v, (int32_t)i, site, distance);
        else zl_undecided(v, wait->line, "waits for what comes later the longer a tile is");
    }
    return moved;
}

/* Whether a site sets registers by this way. */
static bool sets_registers(const zl_verify *v, const zl_site *s, int32_t way)
{
    const zl_event *e = s->event < 0 ? NULL : &v->pipe->events[s->event];
    return e && e->kind == ZL_EV_SETMAXNREG && e->scope == way;
}

/* An `inc` comes after every `dec`: then its block has registers for it. */
static bool relax_registers(zl_verify *v, int32_t inc)
{
    bool moved = false;
    for (uint32_t i = 0; i < v->sites_count; i++)
        if (sets_registers(v, &v->sites[i], ZL_REGS_DEC)) moved |= relax(v, (int32_t)i, inc, 0);
    return moved;
}

/* One round of relaxation over all edges; whether a time rose. */
static bool relax_all(zl_verify *v)
{
    bool moved = false;
    for (uint32_t r = 0; r < v->pipe->roles_count; r++) moved |= relax_role(v, (int32_t)r);
    for (uint32_t i = 0; i < v->sites_count; i++) {
        if (sets_registers(v, &v->sites[i], ZL_REGS_INC)) moved |= relax_registers(v, (int32_t)i);
        if (v->sites[i].event >= 0 && v->pipe->events[v->sites[i].event].kind == ZL_EV_WAIT)
            moved |= relax_wait(v, (int32_t)i);
    }
    return moved;
}

/* Adds an event, or where it is -1 the start of a section; the slope is one more than the number of
 * events. */
static void add_site(zl_verify *v, int32_t event, int32_t role, zl_section section)
{
    v->sites[v->sites_count++] = (zl_site){event, role, section, event < 0 ? UNREACHED : 0, -1};
    v->slope += event >= 0;
}

/* Lists the events of every role by section. */
static zlay_status sites_make(zl_verify *v)
{
    const zlay_pipe *pipe = v->pipe;
    v->sites = zl_scratch(v->ctx, pipe->events_count + 5 * pipe->roles_count, sizeof *v->sites);
    if (!v->sites) return ZLAY_ENOMEM;
    v->slope = 1;
    for (uint32_t r = 0; r < pipe->roles_count; r++)
        for (zl_section section = ZL_BEFORE; section <= ZL_AFTER; section++) {
            add_site(v, -1, (int32_t)r, section);
            for (uint32_t i = pipe->roles[r].begin; i < pipe->roles[r].end; i++) {
                zl_event_kind kind = pipe->events[i].kind;
                if (kind == ZL_EV_FOR || kind == ZL_EV_END) continue;
                if (zl_section_at(pipe, &v->shape, &pipe->roles[r], i) == section)
                    add_site(v, (int32_t)i, (int32_t)r, section);
            }
        }
    return ZLAY_OK;
}

zlay_status zl_progress_check(zl_verify *v)
{
    bool moved = true;
    if (v->shape.loose) return zl_stuck_check(v);
    zlay_status status = sites_make(v);
    if (status) return status;
    for (uint32_t round = 0; moved && !v->undecided && round <= v->sites_count; round++)
        moved = relax_all(v);
    return moved || v->undecided ? zl_stuck_check(v) : ZLAY_OK;
}

/* ---- where the roles get stuck ---- */

typedef struct run {
    zl_verify *v;
    int64_t *missing; /* [bar][q]: arrivals and copies that the phase lacks */
    uint32_t at[32];  /* per role */
} run;

static int64_t *missing(run *r, int32_t bar, int64_t q)
{
    return &r->missing[bar * r->v->q_end + q];
}

/* Whether a wait may pass: the phase that it waits for is complete. */
static bool is_free(run *r, const zl_trace_step *s)
{
    const zl_event *e = s->event;
    int64_t q =
        s->bar_q - (zl_turned(r->v->pipe, e) ? (int64_t)r->v->pipe->bars[e->bar].stages : 0);
    return q < 0 || q >= r->v->q_end || *missing(r, e->bar, q) <= 0;
}

/* Runs a role until it must wait; whether it ran at all. */
static bool go(run *r, uint32_t role)
{
    const zl_trace *t = &r->v->traces[role];
    uint32_t begun = r->at[role];
    for (; r->at[role] < t->count; r->at[role]++) {
        const zl_trace_step *s = &t->steps[r->at[role]];
        const zl_event *e = s->event;
        if (e->kind == ZL_EV_WAIT && !is_free(r, s)) break;
        if (e->bar < 0 || s->bar_q < 0 || s->bar_q >= r->v->q_end) continue;
        if (e->kind == ZL_EV_ARRIVE)
            *missing(r, e->bar, s->bar_q) -= zl_weight(&r->v->pipe->roles[role], e->scope);
        if (e->kind == ZL_EV_COPY) --*missing(r, e->bar, s->bar_q);
    }
    return r->at[role] > begun;
}

/* Reports the lines at which the first two roles wait for ever. */
static void report_stuck(run *r)
{
    uint32_t lines[2] = {0};
    for (uint32_t i = 0; i < r->v->pipe->roles_count; i++) {
        const zl_trace *t = &r->v->traces[i];
        if (r->at[i] < t->count) lines[lines[0] != 0] = t->steps[r->at[i]].event->line;
    }
    if (lines[0]) zl_report(r->v, ZLAY_PIPE_DEADLOCK, lines[0], lines[1], r->v->q_end, 0);
}

/* What each phase needs: its arrivals, and its copies. */
static void count_missing(run *r)
{
    const zl_verify *v = r->v;
    for (uint32_t b = 0; b < v->pipe->bars_count; b++)
        for (int64_t q = 0; q < v->q_end; q++) *missing(r, (int32_t)b, q) = v->pipe->bars[b].count;
    for (uint32_t i = 0; i < v->pipe->roles_count; i++)
        for (uint32_t k = 0; k < v->traces[i].count; k++) {
            const zl_trace_step *s = &v->traces[i].steps[k];
            bool counts = s->event->kind == ZL_EV_COPY && s->bar_q >= 0 && s->bar_q < v->q_end;
            if (counts) ++*missing(r, s->event->bar, s->bar_q);
        }
}

/* Runs all roles in turn until none goes on. */
static zlay_status run_all(zl_verify *v)
{
    run r = {.v = v};
    uint64_t size = v->pipe->bars_count * (uint64_t)v->q_end + 1;
    zl_mark mark = zl_scratch_mark(v->ctx);
    r.missing = zl_scratch(v->ctx, size, sizeof *r.missing);
    if (!r.missing) return ZLAY_ENOMEM;
    count_missing(&r);
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < v->pipe->roles_count; i++) moved |= go(&r, i);
    }
    report_stuck(&r);
    zl_scratch_release(v->ctx, mark);
    return ZLAY_OK;
}

static int64_t most_stages(const zlay_pipe *pipe)
{
    int64_t stages = 1;
    for (uint32_t i = 0; i < pipe->bars_count; i++)
        if (pipe->bars[i].stages > stages) stages = pipe->bars[i].stages;
    return stages;
}

/* Runs the pipe for trip counts up to the stages of its longest ring plus the window, beyond
 * which positions behave alike, and reports the roles that get stuck. */
zlay_status zl_stuck_check(zl_verify *v)
{
    int64_t most = v->shape.window + most_stages(v->pipe) + 1, work = 0;
    int64_t least = v->pipe->params[v->shape.inner].least, low = least < most ? least : most;
    size_t count = v->count;
    for (int64_t inner = low; inner <= low + most && v->count == count; inner++) {
        int64_t outer = v->shape.outer < 0 ? 1 : most / (inner ? inner : 1) + 2;
        work += outer * (inner + 1) * v->pipe->events_count;
        if ((uint64_t)work > zl_limits(v->ctx)->points) break;
        zlay_status status = zl_traces_make(v, outer, inner);
        if (!status) status = run_all(v);
        if (status) return status;
    }
    if (v->count == count)
        zl_undecided(v, v->pipe->roles[0].line, "waits in a circle that no trip count tried shows");
    return ZLAY_OK;
}
