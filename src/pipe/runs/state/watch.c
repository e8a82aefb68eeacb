/* SPDX-License-Identifier: Apache-2.0 */
/* Finds recurrences: at loop heads the state of the run is compared with those seen before,
 * and where an earlier one is equal up to whole iterations, longer trips only repeat the part
 * in between. States whose outline or structure is new are kept by their hash alone.
 * docs/internals/proof.md, "Every trip count", has the argument. */
#include "pipe/runs/state/state.h"

#include <string.h>

enum { PERIOD = 64 };

/* ---- memory ---- */

enum { LEVELS = 8 };

/* Room for bases: each outermost loop may be a group of its own. */
static size_t bases_room(const zl_run *r)
{
    return (size_t)r->watch->stretches * r->pipe->params_count + 1;
}

static size_t bars_room(const zl_run *r)
{
    return (size_t)r->pipe->bars_count * r->pipe->roles_count + 1;
}

static size_t comers_room(const zl_run *r)
{
    return (size_t)r->pipe->bars_count * r->pipe->blocks * r->instances_count + 1;
}

/* After one allocation fails, all later ones of the call fail, so the last one stands for all. */
static bool make_arrays(zl_run *r, zl_watch *w)
{
    uint32_t rings = zl_rings(r->pipe);
    w->params = zl_scratch(r->ctx, r->pipe->params_count + 1, sizeof *w->params);
    w->rings = zl_scratch(r->ctx, 2 * rings + 1, sizeof *w->rings);
    w->parents = zl_scratch(r->ctx, r->pipe->params_count + 1, sizeof *w->parents);
    w->origins = zl_scratch(r->ctx, rings + 1, sizeof *w->origins);
    w->outer = zl_scratch(r->ctx, r->pipe->events_count + 1, sizeof *w->outer);
    w->stretch = zl_scratch(r->ctx, r->instances_count + 1, sizeof *w->stretch);
    if (!w->stretch) return false;
    zl_watch_find_stretches(r);
    w->group = zl_scratch(r->ctx, w->stretches + 1, sizeof *w->group);
    w->ring_group = zl_scratch(r->ctx, rings * r->pipe->blocks + 1, sizeof *w->ring_group);
    w->bases = zl_scratch(r->ctx, bases_room(r), sizeof *w->bases);
    w->order = zl_scratch(r->ctx, r->comps + 1, sizeof *w->order);
    w->column = zl_scratch(r->ctx, r->comps + 1, sizeof *w->column);
    w->counts = zl_scratch(r->ctx, r->comps + 1, sizeof *w->counts);
    w->heights = zl_scratch(r->ctx, r->comps / ZL_VECTOR + 1, sizeof *w->heights);
    w->turned = zl_scratch(r->ctx, r->comps + 1, sizeof *w->turned);
    w->least = zl_scratch(r->ctx, r->comps + 1, sizeof *w->least);
    w->levels = zl_scratch(r->ctx, (size_t)w->levels_room * r->comps, sizeof *w->levels);
    w->waits = zl_scratch(r->ctx, bars_room(r), sizeof *w->waits);
    w->names = zl_scratch(r->ctx, bars_room(r), sizeof *w->names);
    w->asks = zl_scratch(r->ctx, r->pipe->roles_count + 1, sizeof *w->asks);
    w->comers = zl_scratch(r->ctx, comers_room(r), sizeof *w->comers);
    w->state = zl_scratch(r->ctx, w->room, sizeof *w->state);
    w->items = zl_scratch(r->ctx, w->items_room, sizeof *w->items);
    return w->items;
}

static size_t bases_of_seen(const zl_run *r)
{
    return (size_t)ZL_STATES * (r->watch->stretches + 1);
}

zlay_status zl_watch_new(zl_run *r)
{
    zl_watch *w = zl_scratch(r->ctx, 1, sizeof *w);
    r->watch = w;
    if (!w) return ZLAY_ENOMEM;
    w->levels_room = LEVELS;
    w->room = zl_state_room(r);
    w->items_room = zl_state_items(r) + 1;
    if (!make_arrays(r, w)) return ZLAY_ENOMEM;
    for (uint32_t k = 0; k < r->comps; k++) w->order[k] = w->column[k] = (int32_t)k;
    zl_watch_find_asks(r);
    zl_watch_find_rings(r);
    zl_watch_find_groups(r);
    return ZLAY_OK;
}

void zl_watch_reset(zl_run *r)
{
    for (uint32_t k = 0; k < r->pipe->params_count; k++) {
        r->watch->params[k].count = 0;
        r->watch->params[k].failed = r->watch->params[k].shown = false;
        r->watch->params[k].period = 1;
    }
}

/* ---- events of loops ---- */

/* What is watched for the param of a loop; NULL: none. */
static zl_watch_param *watched(zl_run *r, const zl_event *loop)
{
    int32_t param = zl_loop_param(loop);
    return param >= 0 ? &r->watch->params[param] : NULL;
}

/* A loop with no param of its own, whose ends differ by several, shows a repetition of none. */
static void fail_all(zl_run *r)
{
    for (uint32_t k = 0; k < r->pipe->params_count; k++) r->watch->params[k].failed = true;
}

void zl_watch_empty(zl_run *r, const zl_event *loop)
{
    zl_watch_param *w = watched(r, loop);
    if (w) w->failed = true;
    else if (zl_loop_param(loop) == -2) fail_all(r);
}

void zl_watch_begin(zl_run *r, zl_instance *i)
{
    zl_watch_param *w = watched(r, &r->pipe->events[i->loop[i->depth - 1]]);
    if (!w) return;
    w->count = 0;
    zl_watch_head(r, i);
}

void zl_watch_end(zl_run *r, zl_instance *i, uint32_t depth)
{
    int32_t param = zl_loop_param(&r->pipe->events[i->loop[depth]]);
    if (param == -2) fail_all(r);
    if (param < 0) return;
    r->watch->params[param].failed |= !i->found[depth];
    r->watch->params[param].shown = true;
    r->watch->params[param].count = 0;
}

/* The depth at which an instance is in a loop of the param; -1: it is not. */
static int inside(const zl_run *r, const zl_instance *i, int32_t param)
{
    for (uint32_t d = 0; d < i->depth; d++)
        if (zl_loop_param(&r->pipe->events[i->loop[d]]) == param) return (int)d;
    return -1;
}

/* The first instance of a group that is in a loop of the param. */
static const zl_instance *leader_of(const zl_run *r, uint32_t group, int32_t param)
{
    for (const zl_instance *k = r->instances; k < r->instances + r->instances_count; k++)
        if (inside(r, k, param) >= 0 && zl_watch_group(r, k) == group) return k;
    return NULL;
}

/* Whether this instance is to compare states: it is the first of its group, and no earlier
 * group has moved since it last looked. */
static bool leads(zl_run *r, zl_watch_param *w, const zl_instance *i, int32_t param)
{
    uint32_t group = zl_watch_group(r, i);
    bool first = true;
    if (leader_of(r, group, param) != i) return false;
    for (uint32_t g = 0; g < group; g++) {
        const zl_instance *other = leader_of(r, g, param);
        int64_t at = other ? other->counter[inside(r, other, param)] : INT64_MAX;
        first &= at == INT64_MAX || at == w->led[g];
        w->led[g] = at;
    }
    return first;
}

/* Whether a recurrence was found in every loop of the param that is running. */
static bool all_found(const zl_run *r, int32_t param)
{
    for (uint32_t k = 0; k < r->instances_count; k++) {
        int depth = inside(r, &r->instances[k], param);
        if (depth >= 0 && !r->instances[k].found[depth]) return false;
    }
    return true;
}

/* ---- states that were seen ---- */

/* Whether this outline was seen before. */
static bool outline_met(const zl_watch_param *w, uint64_t outline)
{
    for (uint32_t k = 0; k < w->count; k++)
        if (w->seen[k].outline == outline) return true;
    return false;
}

/* Whether this structure was seen before, or may have been where it was not written. */
static bool structure_met(const zl_watch_param *w, uint64_t outline, uint64_t hash)
{
    for (uint32_t k = 0; k < w->count; k++)
        if (w->seen[k].outline == outline && (!w->seen[k].hash || w->seen[k].hash == hash))
            return true;
    return false;
}

static int64_t base_now(const zl_run *r, uint32_t group, int32_t param)
{
    return r->watch->bases[(size_t)group * r->pipe->params_count + (size_t)param];
}

/* Whether each group has moved by the same number of iterations, or not at all. */
static bool move_alike(const zl_run *r, const zl_watch_param *w, uint32_t seen, int32_t param,
                       int64_t period)
{
    for (uint32_t g = 0; g < r->watch->groups; g++) {
        int64_t moved = base_now(r, g, param) - w->bases[(size_t)seen * r->watch->groups + g];
        if (moved && moved != period) return false;
    }
    return true;
}

/* The last equal state; ZL_STATES: none. */
static uint32_t find_state(const zl_run *r, const zl_watch_param *w)
{
    const zl_watch *all = r->watch;
    for (uint32_t k = w->count; k-- > 0;) {
        const zl_seen *s = &w->seen[k];
        if (s->count == all->size && s->hash == all->hash &&
            !memcmp(w->kept + s->at, all->state, s->count * sizeof *all->state))
            return k;
    }
    return ZL_STATES;
}

static bool make_room(zl_run *r, zl_watch_param *w, size_t room)
{
    if (room <= w->kept_room) return true;
    int32_t *kept = zl_scratch(r->ctx, 2 * room, sizeof *kept);
    if (!kept) return false;
    if (w->kept_count) memcpy(kept, w->kept, w->kept_count * sizeof *kept);
    w->kept = kept;
    w->kept_room = 2 * room;
    return true;
}

/* Keeps the state that was just written: its outline and hash, and all of it with `whole`. */
static bool keep_state(zl_run *r, zl_watch_param *w, int32_t param, uint64_t outline, bool whole)
{
    const zl_watch *all = r->watch;
    if (w->count == ZL_STATES) return true;
    if (!w->count) w->kept_count = 0;
    if (whole && !make_room(r, w, w->kept_count + all->size)) return false;
    for (uint32_t g = 0; g < all->groups; g++)
        w->bases[(size_t)w->count * all->groups + g] = base_now(r, g, param);
    w->seen[w->count++] = (zl_seen){outline, all->hash, w->kept_count, whole ? all->size : 0};
    if (!whole) return true;
    memcpy(w->kept + w->kept_count, all->state, all->size * sizeof *all->state);
    w->kept_count += all->size;
    return true;
}

static bool make_param(zl_run *r, zl_watch_param *w)
{
    if (!w->seen) w->seen = zl_scratch(r->ctx, ZL_STATES, sizeof *w->seen);
    if (!w->bases) w->bases = zl_scratch(r->ctx, bases_of_seen(r), sizeof *w->bases);
    if (!w->led) w->led = zl_scratch(r->ctx, r->watch->stretches + 1, sizeof *w->led);
    return w->seen && w->bases && w->led;
}

/* Whether stages are still being written for the first time. A state with fewer written stages
 * is equal to none later, so it need not be kept; where a stage is freed and written anew, a
 * recurrence is found one iteration later. */
static bool is_filling(zl_run *r, zl_watch_param *w)
{
    bool more = w->count && r->watch->filled > w->filled && r->watch->filled < r->places_count;
    w->filled = r->watch->filled;
    return more;
}

/* Writes the state, as far as an earlier one may be equal, and looks it up. States of the
 * endless param are kept whole once the rings are filled. */
static bool look(zl_run *r, zl_watch_param *w, int32_t param, uint32_t *same)
{
    uint64_t outline = zl_state_outline(r, param);
    bool first = param == r->endless && !is_filling(r, w), met = first || outline_met(w, outline);
    r->watch->hash = 0;
    if (met) zl_state_write(r, param);
    met = first || (met && structure_met(w, outline, r->watch->hash));
    if (met && !zl_state_rank(r)) return false;
    *same = met ? find_state(r, w) : ZL_STATES;
    return *same < ZL_STATES || keep_state(r, w, param, outline, met);
}

/* ---- repetitions ---- */

/* Whether no loop of the endless param begins later. */
static bool is_last(const zl_run *r, int32_t param)
{
    for (uint32_t k = 0; k < r->instances_count; k++) {
        const zl_instance *i = &r->instances[k];
        int depth = inside(r, i, param);
        uint32_t e = depth < 0 ? i->pc : (uint32_t)r->pipe->events[i->loop[depth]].match;
        for (; e < r->pipe->roles[i->role].end; e++)
            if (r->pipe->events[e].kind == ZL_EV_FOR && zl_loop_param(&r->pipe->events[e]) == param)
                return false;
    }
    return true;
}

/* Whether the instance's group has moved since the earlier state. */
static bool has_moved(const zl_run *r, const zl_watch_param *w, const zl_instance *i, uint32_t same,
                      int32_t param)
{
    uint32_t g = zl_watch_group(r, i);
    return base_now(r, g, param) != w->bases[(size_t)same * r->watch->groups + g];
}

/* Whether no loop that moved has a recurrence already: longer trips repeat exactly one part
 * for each loop. */
static bool is_new(const zl_run *r, const zl_watch_param *w, uint32_t same, int32_t param)
{
    for (uint32_t k = 0; k < r->instances_count; k++) {
        const zl_instance *i = &r->instances[k];
        int depth = inside(r, i, param);
        if (depth >= 0 && i->found[depth] && has_moved(r, w, i, same, param)) return false;
    }
    return true;
}

static void note_repetition(zl_run *r, int32_t param, uint32_t same, int64_t period)
{
    zl_watch_param *w = &r->watch->params[param];
    w->period = zl_period(w->period, period);
    if (w->period > PERIOD) w->failed = true;
    for (uint32_t k = 0; k < r->instances_count; k++) {
        zl_instance *i = &r->instances[k];
        int depth = inside(r, i, param);
        if (depth >= 0) i->found[depth] |= has_moved(r, w, i, same, param);
    }
}

/* Whether a loop of the param has ended without a recurrence; then finding others does not
 * help. */
static bool in_vain(const zl_run *r, int32_t param)
{
    return r->watch->params[param].failed && param != r->endless;
}

void zl_watch_head(zl_run *r, zl_instance *i)
{
    int32_t param = zl_loop_param(&r->pipe->events[i->loop[i->depth - 1]]);
    uint32_t same = ZL_STATES, group = zl_watch_group(r, i);
    if (param < 0 || in_vain(r, param) || all_found(r, param)) return;
    zl_watch_param *w = &r->watch->params[param];
    if (!make_param(r, w)) r->status = ZLAY_ENOMEM;
    if (r->status || !leads(r, w, i, param)) return;
    if (!look(r, w, param, &same)) r->status = ZLAY_ENOMEM;
    if (same == ZL_STATES) return;
    int64_t period = base_now(r, group, param) - w->bases[(size_t)same * r->watch->groups + group];
    if (!move_alike(r, w, same, param, period) || !is_new(r, w, same, param)) return;
    if (period > 0) note_repetition(r, param, same, period);
    if (param != r->endless) return;
    r->repeats = all_found(r, param) && is_last(r, param) && !w->failed;
    r->stuck = !r->repeats;
}
