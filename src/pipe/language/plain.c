/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites a pipe so that every number that scales a position or bounds a loop becomes a param
 * with one value: `i*2` and `for i in 0..1000000` become `i*K` and `for i in 0..K`. The
 * verifiers then know params only. Loops of equal length share a param where they are nested
 * alike; a loop that begins at multiples of its length shares it with them. */
#include "pipe/language/plain.h"

#include <stdio.h>
#include <string.h>

typedef struct plain {
    zlay_pipe *pipe;
    int32_t depth[ZL_PIPE_NAMES]; /* of loops that a new param ends; -1: of none */
    uint32_t old;                 /* params of the text */
    bool full;                    /* a position's number has no param */
} plain;

/* ---- params ---- */

static bool has_param(const plain *p, const char *name)
{
    bool found = false;
    for (uint32_t k = 0; k < p->pipe->params_count; k++) found |= !strcmp(p->pipe->params[k].name, name);
    return found;
}

/* -1: there is no room for one more. */
static int32_t new_param(plain *p, int64_t value, int32_t depth)
{
    if (p->pipe->params_count == ZL_PIPE_NAMES) return -1;
    zl_param param = {.least = value, .most = value, .of = -1};
    snprintf(param.name, sizeof param.name, "times_%lld", (long long)value);
    for (int k = 2; has_param(p, param.name); k++)
        snprintf(param.name, sizeof param.name, "times_%lld_%d", (long long)value, k);
    p->depth[p->pipe->params_count] = depth;
    p->pipe->params[p->pipe->params_count++] = param;
    return (int32_t)p->pipe->params_count - 1;
}

/* The param of this value for this nesting depth; -1: any depth. */
static int32_t param_of(plain *p, int64_t value, int32_t depth)
{
    for (uint32_t k = p->old; k < p->pipe->params_count; k++)
        if (p->pipe->params[k].least == value && (depth < 0 || p->depth[k] == depth)) return (int32_t)k;
    return new_param(p, value, depth);
}

/* ---- events ---- */

/* How many positions a loop has whose bounds are a number apart; 0: another loop. */
static int64_t trips_of(const zl_event *e)
{
    const zl_pos *from = &e->at[0], *to = &e->bar_at;
    bool apart = from->loop == to->loop && from->times == to->times && from->scale == to->scale &&
                 from->plus == to->plus;
    return apart && from->plus < 0 ? to->add - from->add : 0;
}

static void name_trips(plain *p, zl_event *e, int32_t depth)
{
    int64_t trips = trips_of(e);
    int32_t param = trips > ZL_FAR_TRIPS ? param_of(p, trips, depth) : -1;
    if (param < 0) return;
    e->bar_at.plus = param;
    e->bar_at.add -= trips;
}

static void name_scale(plain *p, zl_pos *pos)
{
    int32_t param = pos->scale ? param_of(p, pos->scale, -1) : -1;
    p->full |= pos->scale && param < 0;
    if (param < 0) return;
    pos->times = param;
    pos->scale = 0;
}

static void name_scales(plain *p, zl_event *e)
{
    zl_pos *all[] = {&e->at[0],      &e->at[1],      &e->bar_at, &e->parity,
                     &e->tmem_at[0], &e->tmem_at[1], &e->map_at, &e->other_at};
    for (size_t k = 0; k < ZL_COUNT(all); k++) name_scale(p, all[k]);
}

static void name_all(plain *p)
{
    int32_t depth = 0;
    for (uint32_t k = 0; k < p->pipe->events_count; k++) {
        zl_event *e = &p->pipe->events[k];
        depth -= e->kind == ZL_EV_END;
        if (e->kind == ZL_EV_FOR) name_trips(p, e, depth++);
    }
    for (uint32_t k = 0; k < p->pipe->events_count; k++) name_scales(p, &p->pipe->events[k]);
}

/* ---- all ---- */

static bool is_plain(const zlay_pipe *pipe)
{
    bool is = true;
    for (uint32_t k = 0; k < pipe->events_count; k++) {
        const zl_event *e = &pipe->events[k];
        const zl_pos *pos[ZL_POSITIONS];
        zl_event_positions(e, pos);
        for (int n = 0; n < ZL_POSITIONS; n++) is &= !pos[n]->scale;
        is &= e->kind != ZL_EV_FOR || trips_of(e) <= ZL_FAR_TRIPS;
    }
    return is;
}

zlay_status zl_pipe_plain(zlay_ctx *ctx, const zlay_pipe **out, const zlay_pipe *pipe)
{
    plain p = {.old = pipe->params_count};
    *out = pipe;
    if (is_plain(pipe)) return ZLAY_OK;
    zl_param *params = zl_scratch(ctx, ZL_PIPE_NAMES, sizeof *params);
    zl_event *events = zl_scratch(ctx, pipe->events_count + 1, sizeof *events);
    p.pipe = zl_scratch(ctx, 1, sizeof *p.pipe);
    if (!params || !events || !p.pipe) return ZLAY_ENOMEM;
    if (pipe->params_count) memcpy(params, pipe->params, pipe->params_count * sizeof *params);
    if (pipe->events_count) memcpy(events, pipe->events, pipe->events_count * sizeof *events);
    *p.pipe = *pipe;
    p.pipe->params = params;
    p.pipe->events = events;
    name_all(&p);
    *out = p.pipe;
    return p.full ? zl_fail(ctx, ZLAY_ELIMIT, "more than %d params and numbers of positions",
                            ZL_PIPE_NAMES)
                  : ZLAY_OK;
}
