/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses how the search treats each param of a pipe. At most one is endless: it bounds loops,
 * and elsewhere it is named only behind them, so that one run without end meets all its trip
 * counts. All others are run value by value, those of inner loops first. */
#include "pipe/language/plain.h"
#include "pipe/runs/state/search.h"

/* ---- params ---- */

/* Whether an event names a param. */
static bool uses(const zl_event *e, int32_t param)
{
    const zl_pos *pos[ZL_POSITIONS];
    zl_event_positions(e, pos);
    for (int k = 0; k < ZL_POSITIONS; k++)
        if (pos[k]->times == param || pos[k]->plus == param) return true;
    return false;
}

/* Whether an event multiplies a counter by a param. */
static bool multiplies(const zl_event *e, int32_t param)
{
    const zl_pos *pos[ZL_POSITIONS];
    zl_event_positions(e, pos);
    for (int k = 0; k < ZL_POSITIONS; k++)
        if (pos[k]->times == param) return true;
    return false;
}

static bool is_used(const zlay_pipe *p, int32_t param)
{
    for (uint32_t k = p->setup; k < p->events_count; k++)
        if (uses(&p->events[k], param)) return true;
    return false;
}

/* Whether in this role the param bounds loops, and is named elsewhere only behind the last of
 * them. */
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

/* Whether the param may be the endless one: so in every role. */
static bool can_be_endless(const zlay_pipe *p, int32_t param)
{
    for (uint32_t k = 0; k < p->roles_count; k++)
        if (!ends_loops_of(p, &p->roles[k], param)) return false;
    return true;
}

/* The first event that names a param. */
static uint32_t event_of(const zlay_pipe *p, int32_t param)
{
    uint32_t k = p->setup;
    while (k + 1 < p->events_count && !uses(&p->events[k], param)) k++;
    return k;
}

void zl_search_halt(zl_pipe_search *s, int32_t param, const char *because)
{
    zl_run_halt(s->run, event_of(s->run->pipe, param), because);
}

void zl_search_add(zl_pipe_search *s, int32_t param)
{
    static const char too_many[] =
        "names a fifth param, and at most four have their trip counts run";
    if (s->count == ZL_SEARCH_PARAMS) zl_search_halt(s, param, too_many);
    else s->param[s->count++].param = param;
}

/* The greatest depth of a loop that this param bounds. */
static int32_t nesting(const zlay_pipe *p, int32_t param)
{
    int32_t depth = 0, most = 0;
    for (uint32_t k = p->setup; k < p->events_count; k++) {
        const zl_event *e = &p->events[k];
        depth -= e->kind == ZL_EV_END;
        if (e->kind != ZL_EV_FOR) continue;
        if (zl_loop_param(e) == param && depth > most) most = depth;
        depth++;
    }
    return most;
}

/* Params of inner loops come first: a repetition of an outer loop contains whole inner loops. */
static void sort_params(zl_pipe_search *s, const zlay_pipe *p)
{
    for (uint32_t k = 1; k < s->count; k++)
        for (uint32_t j = k; j > 0; j--) {
            if (nesting(p, s->param[j].param) <= nesting(p, s->param[j - 1].param)) break;
            zl_trips t = s->param[j];
            s->param[j] = s->param[j - 1];
            s->param[j - 1] = t;
        }
}

/* A count of each iteration: the loops that have it may be of a param that ends them and nothing else, and no other param is run
 * beside these two. */
static void find_tile(zl_pipe_search *s, const zlay_pipe *p)
{
    static const char beside[] = "names a param beside a count of each iteration";
    s->tile = -1;
    for (uint32_t k = 0; k < p->params_count && s->tile < 0; k++)
        if (p->params[k].of >= 0 && is_used(p, (int32_t)k)) s->tile = (int32_t)k;
    if (s->tile < 0) return;
    int32_t over = p->params[s->tile].of;
    for (int32_t k = 0; k < (int32_t)p->params_count && !s->run->status; k++)
        if (is_used(p, k) && k != s->tile && (k != over || !can_be_endless(p, k))) zl_search_halt(s, k, beside);
}

void zl_search_params(zl_pipe_search *s, const zlay_pipe *p)
{
    s->endless = -1;
    find_tile(s, p);
    if (s->tile >= 0) return;
    for (uint32_t k = 0; k < p->params_count && !s->run->status; k++) {
        bool far = zl_param_is_far(&p->params[k]);
        if (!is_used(p, (int32_t)k)) continue;
        if (s->endless < 0 && !far && can_be_endless(p, (int32_t)k)) s->endless = (int32_t)k;
        else zl_search_add(s, (int32_t)k);
    }
    sort_params(s, p);
}
