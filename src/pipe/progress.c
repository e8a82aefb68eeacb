/* SPDX-License-Identifier: Apache-2.0 */
/* Progress: every wait is satisfied in the end.
 *
 * Each event of the text is a site; its instance at position p runs at slope * p + time. An instance comes after the one
 * before it in its role, and a wait after the arrivals and copies of the phase that it waits for; both are edges of a
 * fixed distance in positions. Times that satisfy every edge are longest paths; they exist exactly when no cycle of
 * edges fails to advance, and such a cycle is a deadlock for some trip count. */
#include "pipe/verify.h"

typedef struct span { uint32_t first, last; bool any; } span; /* sites of one section */

typedef struct sections {
    span before, pre, loop, post, after;
    int64_t lo; /* the loop's first position in its tile */
    bool tiles;
} sections;

static bool relax(zl_verify *v, uint32_t from, uint32_t to, int64_t distance)
{
    int64_t least = (int64_t)v->sites[from].time + 1 - v->slope * distance;
    if (least <= v->sites[to].time) return false;
    v->sites[to].time = (int32_t)(least > INT32_MAX ? INT32_MAX : least);
    v->sites[to].from = (int32_t)from;
    return true;
}

static void grow(span *s, uint32_t site)
{
    if (!s->any) s->first = site;
    s->last = site;
    s->any = true;
}

/* The i-th event of the whole text as a site of a role; -1 for loops. */
static int32_t site_of(const zl_verify *v, uint32_t event)
{
    for (uint32_t i = 0; i < v->sites_count; i++)
        if (v->sites[i].event == event) return (int32_t)i;
    return -1;
}

static void sections_of(const zl_verify *v, const zl_role *role, sections *s)
{
    uint32_t depth = 0;
    bool inner = false, done = false;
    *s = (sections){.lo = 0};
    for (uint32_t i = role->begin; i < role->end; i++) {
        const zl_event *e = &v->pipe->events[i];
        if (e->kind == ZL_EV_FOR) {
            bool lone = depth == 0 && e->bar_at.plus == v->shape.inner;
            if (depth == 0 && !lone) s->tiles = true;
            if (depth == 1 || lone) {
                inner = true;
                s->lo = e->at[0].add;
            }
            depth++;
            continue;
        }
        if (e->kind == ZL_EV_END) {
            if (--depth == 0) done = true;
            if (depth == 0 && s->tiles) inner = false;
            continue;
        }
        uint32_t site = (uint32_t)site_of(v, i);
        bool in_loop = depth == 2 || (depth == 1 && !s->tiles);
        grow(depth == 0 ? (done ? &s->after : &s->before) : in_loop ? &s->loop : inner ? &s->post : &s->pre, site);
    }
}

static bool chain(zl_verify *v, const span *s)
{
    bool moved = false;
    for (uint32_t i = s->first; s->any && i < s->last; i++) moved |= relax(v, i, i + 1, 0);
    return moved;
}

static bool link_spans(zl_verify *v, const span *a, const span *b, int64_t distance)
{
    return a->any && b->any && relax(v, a->last, b->first, distance);
}

/* Program order of one role: along each section, round the loop, from tile to tile. */
static bool relax_role(zl_verify *v, const zl_role *role)
{
    sections s;
    sections_of(v, role, &s);
    int64_t whole = s.lo > 1 ? s.lo : 1; /* N is at least this where a tile has no turn of its loop */
    bool moved = chain(v, &s.before) | chain(v, &s.pre) | chain(v, &s.loop) | chain(v, &s.post) | chain(v, &s.after);
    moved |= link_spans(v, &s.before, &s.pre, 0) | link_spans(v, &s.before, &s.loop, s.lo);
    moved |= link_spans(v, &s.pre, &s.loop, s.lo) | link_spans(v, &s.loop, &s.loop, 1);
    moved |= link_spans(v, &s.loop, &s.post, 1) | link_spans(v, &s.pre, &s.post, whole);
    moved |= link_spans(v, &s.loop, &s.after, 1) | link_spans(v, &s.post, &s.after, 0);
    if (!s.tiles) return moved;
    moved |= link_spans(v, &s.post, &s.pre, 0) | link_spans(v, &s.post, &s.loop, s.lo);
    moved |= link_spans(v, &s.loop, &s.pre, 1) | link_spans(v, &s.pre, &s.pre, whole);
    moved |= link_spans(v, &s.post, &s.post, whole);
    return moved;
}

/* How far the index of a barrier lies from the position of its event. */
static int64_t offset(const zl_event *e) { return e->bar_at.add; }

static bool makes_phase(const zl_event *e) { return e->kind == ZL_EV_ARRIVE || e->kind == ZL_EV_COPY; }

/* An arrival of index q at position q - its offset; the wait for it at q + late - its own. */
static bool relax_bars(zl_verify *v, uint32_t site)
{
    const zl_event *wait = &v->pipe->events[v->sites[site].event];
    if (wait->kind != ZL_EV_WAIT) return false;
    int64_t stages = v->pipe->bars[wait->bar].stages, turns = (wait->parity.add - wait->bar_at.add) / stages;
    int64_t late = (wait->flip + turns) & 1 ? stages : 0;
    bool moved = false;
    for (uint32_t i = 0; i < v->sites_count; i++) {
        const zl_event *e = &v->pipe->events[v->sites[i].event];
        if (makes_phase(e) && e->bar == wait->bar) moved |= relax(v, i, site, late + offset(e) - offset(wait));
    }
    return moved;
}

static bool relax_all(zl_verify *v)
{
    bool moved = false;
    for (uint32_t r = 0; r < v->pipe->roles_count; r++) moved |= relax_role(v, &v->pipe->roles[r]);
    for (uint32_t i = 0; i < v->sites_count; i++) moved |= relax_bars(v, i);
    return moved;
}

/* The wait on the cycle: back along what set the times until a site comes twice. */
static uint32_t wait_on_cycle(const zl_verify *v, uint32_t site)
{
    for (uint32_t i = 0; i < v->sites_count && v->sites[site].from >= 0; i++) site = (uint32_t)v->sites[site].from;
    for (uint32_t i = 0; i < v->sites_count; i++) {
        const zl_event *e = &v->pipe->events[v->sites[site].event];
        if (e->kind == ZL_EV_WAIT) return e->line;
        if (v->sites[site].from < 0) return e->line;
        site = (uint32_t)v->sites[site].from;
    }
    return v->pipe->events[v->sites[site].event].line;
}

static zlay_status sites_make(zl_verify *v)
{
    const zlay_pipe *pipe = v->pipe;
    v->sites_room = pipe->events_count + 1;
    v->sites = zl_alloc(v->ctx, v->sites_room, sizeof *v->sites);
    if (!v->sites) return ZLAY_ENOMEM;
    for (uint32_t i = pipe->setup; i < pipe->events_count; i++)
        if (pipe->events[i].kind != ZL_EV_FOR && pipe->events[i].kind != ZL_EV_END)
            v->sites[v->sites_count++] = (zl_site){.event = i, .from = -1};
    v->slope = (int32_t)v->sites_count + 1;
    return ZLAY_OK;
}

zlay_status zl_progress_check(zl_verify *v)
{
    if (v->pipe->events_count > 1 << 12) {
        v->undecided = v->pipe->events[v->pipe->events_count - 1].line;
        return ZLAY_OK;
    }
    zlay_status status = sites_make(v);
    if (status) return status;
    if (v->shape.outer >= 0 && v->pipe->params[v->shape.inner].least < 1) {
        v->undecided = v->pipe->events[v->pipe->setup].line;
        return ZLAY_OK;
    }
    for (uint32_t round = 0; round <= v->sites_count; round++)
        if (!relax_all(v)) return ZLAY_OK;
    for (uint32_t i = 0; i < v->sites_count; i++)
        if (relax_bars(v, i)) {
            zl_report(v, ZLAY_PIPE_DEADLOCK, wait_on_cycle(v, i), 0, 0, 0);
            return ZLAY_OK;
        }
    zl_report(v, ZLAY_PIPE_DEADLOCK, v->pipe->events[v->pipe->setup].line, 0, 0, 0);
    return ZLAY_OK;
}
