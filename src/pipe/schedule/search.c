/* SPDX-License-Identifier: Apache-2.0 */
/* Branch and bound over difference constraints. The earliest starts that all constraints allow are
 * a schedule, or conflict somewhere; each way out of the conflict is one constraint more, and a way
 * that failed holds negated from then on. Nothing depends on how long an interval is.
 *
 * With any number of stages, operations of different components can be moved against each other by
 * whole intervals. So edges between components are left out and the first operation of each lies in
 * [0, ii); afterwards whole intervals are added until all edges hold, which is always possible. */
#include "pipe/schedule/search.h"

#include <string.h>

/* ---- the state ------------------------------------------------------------------ */

/* Whether every operation of a unit can be delayed by itself, and copies of it need no order. */
static bool is_free(const zl_search_state *s, uint32_t unit)
{
    const zl_looped *l = s->l;
    bool one = !s->whole;
    for (uint32_t i = 0; i < l->ops && one; i++) {
        if (l->request->op[i].unit != unit || !l->request->op[i].cycles) continue;
        for (uint32_t j = 0; j < l->ops && one; j++)
            one = i == j || l->component[j] != l->component[i];
    }
    return one;
}

/* Operations of a free unit, one behind the other, fill each cycle modulo ii to the unit's count at
 * most, for their sum is at most count ii. */
static void place_free(const zl_search_state *s, int64_t *start)
{
    const zl_looped *l = s->l;
    for (uint32_t u = 0; u < l->request->units; u++) {
        int64_t at = 0;
        for (uint32_t i = 0; i < l->nodes && s->free[u]; i++) {
            if (zl_loop_op(l, i)->unit != u || !zl_loop_op(l, i)->cycles) continue;
            start[i] = at;
            at = (at + s->arc[i]) % s->ii;
        }
    }
}

/* Arcs, what is left of a unit's count after whole turns, pairs and crowds; false: too little. */
static bool read_units(zl_search_state *s)
{
    const zl_looped *l = s->l;
    const zlay_schedule_request *r = l->request;
    for (uint32_t u = 0; u < r->units; u++) {
        uint64_t left = r->unit[u].count, turns = 0;
        zl_u128 sum = 0;
        uint32_t first = s->crowds;
        for (uint32_t i = 0; i < l->nodes; i++) {
            if (zl_loop_op(l, i)->unit != u) continue;
            sum += zl_loop_op(l, i)->cycles;
            turns += (uint64_t)(zl_loop_cycles(l, i) / s->ii);
            s->arc[i] = zl_loop_cycles(l, i) % s->ii;
            if (s->arc[i]) s->crowd[s->crowds++] = i;
        }
        if (sum > (zl_u128)left * (uint64_t)s->ii) return false;
        s->room[u] = left - turns;
        s->free[u] = is_free(s, u);
        uint32_t arcs = s->crowds - first;
        if (s->room[u] == 1 && !s->free[u])
            for (uint32_t i = first; i < s->crowds; i++)
                for (uint32_t j = i + 1; j < s->crowds; j++)
                    s->pair[s->pairs++] =
                        (zl_apart){s->crowd[i], s->crowd[j], ZL_UNRELATED - 1, ZL_UNRELATED - 1, 0};
        if (s->free[u] || s->room[u] == 1 || arcs <= s->room[u]) s->crowds = first;
    }
    return true;
}

static void read_values(zl_search_state *s)
{
    for (uint32_t i = s->l->uses; i-- > 0;) s->value[s->l->use[i].value] = i;
}

static zlay_status state_new(zl_search_state *s, zl_looped *l, int64_t ii, int64_t stages,
                             bool whole)
{
    *s = (zl_search_state){.l = l, .ii = ii, .stages = stages, .whole = whole, .origin = l->nodes};
    uint32_t values = l->request->values;
    uint64_t pairs = (uint64_t)l->nodes * l->nodes / 2;
    s->arc = zl_scratch(l->ctx, l->nodes + 1, sizeof *s->arc);
    s->free = zl_scratch(l->ctx, l->request->units + 1, sizeof *s->free);
    s->room = zl_scratch(l->ctx, l->request->units + 1, sizeof *s->room);
    s->pair = zl_scratch(l->ctx, pairs + 1, sizeof *s->pair);
    s->crowd = zl_scratch(l->ctx, l->nodes + 1, sizeof *s->crowd);
    s->value = zl_scratch(l->ctx, values + 1, sizeof *s->value);
    s->try = zl_scratch(l->ctx, 4 * l->nodes + 2 * values * l->copies + 1, sizeof *s->try);
    if (!s->arc || !s->free || !s->room || !s->pair || !s->crowd || !s->value || !s->try)
        return ZLAY_ENOMEM;
    read_values(s);
    return zl_closure_new(&s->r, l->ctx, l->nodes + 1, values * l->copies);
}

/* The edges of all copies; their first operations ascend, for copies may change places. */
static void give_edges(zl_search_state *s)
{
    const zl_looped *l = s->l;
    for (uint32_t c = 0; c < l->copies; c++)
        for (uint32_t i = 0; i < l->edges; i++) {
            const zl_loop_edge *e = &l->edge[i];
            if (!s->whole && l->component[e->from] != l->component[e->to]) continue;
            zl_closure_give(&s->r, c * l->ops + e->from, c * l->ops + e->to,
                            zl_max(e->latency - e->distance * s->ii, ZL_UNRELATED + 1));
        }
    for (uint32_t c = 1; c < l->copies; c++)
        zl_closure_give(&s->r, (c - 1) * l->ops, c * l->ops, 0);
}

/* Where each start may lie: from 0 to below stages ii; or the first of each component within an
 * interval, that of all at 0. */
static void give_origin(zl_search_state *s)
{
    const zl_looped *l = s->l;
    for (uint32_t i = 0; i < l->nodes; i++) {
        if (!s->whole && l->component[i % l->ops] != i % l->ops) continue;
        zl_closure_give(&s->r, s->origin, i, 0);
        if (!s->whole) zl_closure_give(&s->r, i, s->origin, i ? 1 - s->ii : 0);
        if (s->stages) zl_closure_give(&s->r, i, s->origin, 1 - s->stages * s->ii);
    }
}

/* A value's buffers, bounded by its space alone. */
static void give_values(zl_search_state *s)
{
    const zl_looped *l = s->l;
    for (uint32_t c = 0; c < l->copies; c++)
        for (uint32_t i = 0; i < l->uses; i++) {
            const zl_loop_use *u = &l->use[i];
            uint32_t def = l->use[s->value[u->value]].op;
            if (!s->whole && l->component[u->op] != l->component[def]) continue;
            int64_t depth = 2 * (l->reach_rounds + l->reach / s->ii + 2);
            int64_t w = zl_loop_cycles(l, u->op) + (u->distance - depth) * s->ii;
            if (u->op != def) zl_closure_give(&s->r, c * l->ops + u->op, c * l->ops + def, w);
        }
}

/* ---- levels ----------------------------------------------------------------------- */

static bool push(zl_search_state *s, uint32_t count)
{
    if (s->levels == s->level_room) {
        uint32_t room = s->level_room ? 2 * s->level_room : 64;
        zl_choice_level *level = zl_scratch_plain(s->l->ctx, room, sizeof *level);
        if (!level) return false;
        if (s->levels) memcpy(level, s->level, s->levels * sizeof *level);
        s->level = level;
        s->level_room = room;
    }
    if (s->branches + count > s->branch_room) {
        uint32_t room = 2 * s->branch_room + count + 64;
        zl_branch *branch = zl_scratch_plain(s->l->ctx, room, sizeof *branch);
        if (!branch) return false;
        if (s->branches) memcpy(branch, s->branch, s->branches * sizeof *branch);
        s->branch = branch;
        s->branch_room = room;
    }
    s->level[s->levels++] = (zl_choice_level){s->r.steps, s->branches, count, 0};
    memcpy(s->branch + s->branches, s->try, count * sizeof *s->branch);
    s->branches += count;
    return true;
}

/* A way out holds. */
static bool hold(zl_search_state *s, const zl_branch *b)
{
    const zl_looped *l = s->l;
    if (b->a != ZL_BUFFERS) return zl_relate(&s->r, b->a, b->b, b->w);
    uint32_t value = b->b % l->request->values, base = b->b / l->request->values * l->ops;
    uint32_t first = s->value[value], def = l->use[first].op;
    for (uint32_t i = first; i < l->uses && l->use[i].value == value; i++) {
        const zl_loop_use *u = &l->use[i];
        int64_t w = zl_loop_cycles(l, u->op) + (u->distance - b->w) * s->ii;
        if (!s->whole && l->component[u->op] != l->component[def]) continue;
        if (!zl_relate(&s->r, base + u->op, base + def, w)) return false;
    }
    return true;
}

/* A way out does not hold: all that it leads to was tried. */
static bool refuse(zl_search_state *s, const zl_branch *b)
{
    if (b->a == ZL_BUFFERS) return zl_closure_set(&s->r, b->b, b->w + 1);
    return zl_relate(&s->r, b->b, b->a, 1 - b->w);
}

/* Takes the next way that is left, of the last conflict that has one; false: there is none. */
static bool next_way(zl_search_state *s)
{
    while (s->levels) {
        zl_choice_level *level = &s->level[s->levels - 1];
        zl_closure_undo(&s->r, level->steps);
        bool holds = level->next < level->count;
        for (uint32_t i = 0; i < level->next && holds; i++)
            holds = refuse(s, &s->branch[level->first + i]);
        if (holds) {
            if (hold(s, &s->branch[level->first + level->next++])) return true;
            if (s->r.no_memory) return false;
        } else {
            s->branches = level->first;
            s->levels--;
        }
    }
    return false;
}

/* From here to a conflict with several ways out, which is pushed. */
static zl_outcome settle(zl_search_state *s, bool *open)
{
    *open = false;
    for (;;) {
        bool none;
        if (!zl_narrow(s) || (s->stages == 1 && !zl_one_stage(s))) return ZL_DEAD;
        uint32_t count = zl_conflict(s, &none);
        if (none) return ZL_FOUND;
        if (!count) return ZL_DEAD;
        if (count == 1) {
            if (!hold(s, &s->try[0])) return ZL_DEAD;
            continue;
        }
        *open = push(s, count);
        return *open ? ZL_DEAD : ZL_NO_MEMORY;
    }
}

static zl_outcome run(zl_search_state *s, uint64_t quota)
{
    uint64_t begun = s->l->pairs, counted = begun;
    for (;;) {
        bool open;
        zl_outcome found = settle(s, &open);
        if (s->r.no_memory || zl_charge(s->l->ctx, s->l->pairs - counted)) return ZL_NO_MEMORY;
        counted = s->l->pairs;
        if (found != ZL_DEAD) return found;
        if (s->l->pairs - begun > quota) return ZL_QUOTA;
        if (!next_way(s)) return s->r.no_memory ? ZL_NO_MEMORY : ZL_DEAD;
        s->l->pairs += s->r.n;
    }
}

/* ---- whole intervals --------------------------------------------------------------- */

/* start(b) - start(a) >= w, in whole intervals added to start(b); true: something changed. */
static bool delay(int64_t *start, uint32_t a, uint32_t b, int64_t w, int64_t ii)
{
    int64_t short_of = w - (start[b] - start[a]);
    if (short_of <= 0) return false;
    start[b] += (int64_t)zl_ceil_div((uint64_t)short_of, (uint64_t)ii) * ii;
    return true;
}

static bool delay_values(const zl_search_state *s, uint32_t copy, int64_t *start,
                         const int64_t *depth)
{
    const zl_looped *l = s->l;
    bool changed = false;
    for (uint32_t i = 0; i < l->uses; i++) {
        const zl_loop_use *u = &l->use[i];
        uint32_t def = l->use[s->value[u->value]].op;
        int64_t buffers = depth[copy * l->request->values + u->value];
        int64_t w = zl_loop_cycles(l, u->op) + (u->distance - buffers) * s->ii;
        if (u->op != def) changed |= delay(start, u->op, def, w, s->ii);
    }
    return changed;
}

/* From starts that are right within components to starts that are right. */
static bool complete(const zl_search_state *s, int64_t *start, const int64_t *depth)
{
    const zl_looped *l = s->l;
    bool changed = true;
    for (uint32_t i = 0; i < l->nodes; i++) start[i] = zl_floor_mod(start[i], s->ii);
    for (uint32_t turn = 0; changed && turn <= l->nodes; turn++) {
        changed = false;
        for (uint32_t c = 0; c < l->copies; c++) {
            int64_t *at = start + c * l->ops;
            for (uint32_t i = 0; i < l->edges; i++)
                changed |= delay(at, l->edge[i].from, l->edge[i].to,
                                 l->edge[i].latency - l->edge[i].distance * s->ii, s->ii);
            changed |= delay_values(s, c, at, depth);
        }
    }
    int64_t least = start[0];
    for (uint32_t i = 0; i < l->nodes; i++) least = zl_min(least, start[i]);
    for (uint32_t i = 0; i < l->nodes; i++) start[i] -= least;
    return !changed;
}

static zl_outcome finish(zl_search_state *s, int64_t *start)
{
    const zl_looped *l = s->l;
    uint32_t values = l->request->values;
    int64_t *depth = zl_scratch(l->ctx, (uint64_t)values * l->copies + 1, sizeof *depth);
    if (!depth) return ZL_NO_MEMORY;
    for (uint32_t i = 0; i < l->nodes; i++) start[i] = zl_earliest(s, i);
    if (s->whole) return ZL_FOUND;
    place_free(s, start);
    for (uint32_t c = 0; c < l->copies; c++)
        for (uint32_t v = 0; v < values; v++)
            depth[c * values + v] = zl_loop_depth(l, s->ii, start, c, s->value[v], true);
    if (zl_charge(l->ctx, (uint64_t)l->nodes * (l->edges + l->uses) * l->copies / 8))
        return ZL_NO_MEMORY;
    return complete(s, start, depth) ? ZL_FOUND : ZL_QUOTA;
}

static bool open_state(zl_search_state *s)
{
    uint64_t n = s->r.n;
    s->l->pairs += n * n;
    give_edges(s);
    give_origin(s);
    if (!s->whole) give_values(s);
    return zl_closure_close(&s->r);
}

zl_outcome zl_search(zl_looped *l, int64_t ii, int64_t stages, uint64_t quota, int64_t *start)
{
    zl_search_state s;
    zl_mark mark = zl_scratch_mark(l->ctx);
    uint64_t n = l->nodes + 1;
    zl_outcome found = ZL_NO_MEMORY;
    if (!state_new(&s, l, ii, stages, stages > 0) && !zl_charge(l->ctx, n * n * n / 16))
        found = read_units(&s) && open_state(&s) ? run(&s, quota) : ZL_DEAD;
    if (found == ZL_FOUND) found = finish(&s, start);
    zl_scratch_release(l->ctx, mark);
    return found;
}

zl_outcome zl_stages_bound(zl_looped *l, int64_t ii, int64_t *stages)
{
    zl_search_state s;
    zl_mark mark = zl_scratch_mark(l->ctx);
    zl_outcome found = ZL_NO_MEMORY;
    if (!state_new(&s, l, ii, 0, true)) {
        give_edges(&s);
        for (uint32_t i = 0; i < l->nodes; i++) zl_closure_give(&s.r, s.origin, i, 0);
        found = zl_closure_close(&s.r) ? ZL_FOUND : ZL_DEAD;
        int64_t last = 0;
        for (uint32_t i = 0; i < l->nodes; i++) last = zl_max(last, zl_earliest(&s, i));
        *stages = last / ii + 1;
    }
    zl_scratch_release(l->ctx, mark);
    return found;
}
