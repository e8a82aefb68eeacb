/* SPDX-License-Identifier: Apache-2.0 */
/* Where the earliest starts are no schedule, and the ways out. A unit is overloaded at the start of
 * some operation x, by x and operations that are then in flight. In every schedule one of them is
 * not: it has ended, or it starts later than x. Both are difference constraints that the earliest
 * starts break. With room for one it starts after x has ended. The conflict with the fewest ways
 * that are still possible is taken, as by Cheng and Smith (1997) and Laborie (2005). */
#include "pipe/schedule/search.h"

/* How much room a constraint leaves: start(b) - start(a) <= -at[b][a]. */
static int64_t slack_of(const zl_search_state *s, const zl_branch *b)
{
    int64_t back = zl_related(&s->r, b->b, b->a);
    return back == ZL_UNRELATED ? INT64_MAX / 2 : -back - b->w;
}

typedef struct choice {
    uint32_t count;
    int64_t slack;
    bool any;
} choice;

/* Takes a conflict's ways out where they are fewer, or as many with less slack. */
static void offer(zl_search_state *s, choice *best, const zl_branch *way, uint32_t count,
                  int64_t slack)
{
    if (best->any && (count > best->count || (count == best->count && slack >= best->slack)))
        return;
    best->any = true;
    best->count = count;
    best->slack = slack;
    for (uint32_t i = 0; i < count; i++) s->try[i] = way[i];
}

static void offer_pair(zl_search_state *s, choice *best, const zl_apart *p)
{
    if (-zl_related(&s->r, p->b, p->a) <= p->until) return;
    int64_t between = zl_earliest(s, p->b) - zl_earliest(s, p->a);
    int64_t since = zl_floor_mod(between, s->ii), base = between - since;
    if (since >= s->arc[p->a]) {
        if (since <= s->ii - s->arc[p->b]) return;
        base += s->ii;
    }
    zl_branch way[2] = {{p->a, p->b, base + s->arc[p->a]}, {p->b, p->a, s->arc[p->b] - base}};
    int64_t one = slack_of(s, &way[0]), two = slack_of(s, &way[1]);
    if (one < two) {
        zl_branch later = way[0];
        way[0] = way[1];
        way[1] = later;
    }
    uint32_t count = (uint32_t)(one >= 0) + (two >= 0);
    offer(s, best, way, count, zl_min(one, two) < 0 ? 0 : zl_min(one, two));
}

/* ---- units with room for several -------------------------------------------------- */

/* The ways in which y is not in flight at the start of x, where it now is. */
static uint32_t leave(const zl_search_state *s, zl_branch *way, uint32_t x, uint32_t y)
{
    int64_t between = zl_earliest(s, x) - zl_earliest(s, y);
    int64_t base = between - zl_floor_mod(between, s->ii);
    uint32_t count = 0;
    way[count] = (zl_branch){y, x, base + s->arc[y]};
    count += slack_of(s, &way[count]) >= 0;
    way[count] = (zl_branch){x, y, 1 - base};
    return count + (slack_of(s, &way[count]) >= 0);
}

static bool covers(const zl_search_state *s, uint32_t y, uint32_t x)
{
    return zl_floor_mod(zl_earliest(s, x) - zl_earliest(s, y), s->ii) < s->arc[y];
}

/* Of the nodes in flight at the start of x as many as fill the unit's room, those with the fewest
 * ways to leave first. */
static void offer_crowd(zl_search_state *s, choice *best, uint32_t x, const uint32_t *unit,
                        uint32_t count)
{
    zl_branch *way = s->try + 2 * s->l->nodes, pair[2];
    uint64_t room = s->room[zl_loop_op(s->l, x)->unit], in = 0, taken = 0;
    for (uint32_t i = 0; i < count; i++) in += unit[i] != x && covers(s, unit[i], x);
    if (in < room) return;
    uint32_t ways = 0;
    for (uint32_t wanted = 0; wanted <= 2; wanted++)
        for (uint32_t i = 0; i < count && taken < room; i++) {
            if (unit[i] == x || !covers(s, unit[i], x)) continue;
            uint32_t found = leave(s, pair, x, unit[i]);
            if (found != wanted) continue;
            for (uint32_t k = 0; k < found; k++) way[ways++] = pair[k];
            taken++;
        }
    int64_t slack = INT64_MAX;
    for (uint32_t i = 0; i < ways; i++) slack = zl_min(slack, slack_of(s, &way[i]));
    offer(s, best, way, ways, slack);
}

static void offer_crowds(zl_search_state *s, choice *best)
{
    for (uint32_t i = 0, end; i < s->crowds; i = end) {
        uint32_t unit = zl_loop_op(s->l, s->crowd[i])->unit;
        for (end = i; end < s->crowds && zl_loop_op(s->l, s->crowd[end])->unit == unit;) end++;
        for (uint32_t x = i; x < end; x++) offer_crowd(s, best, s->crowd[x], s->crowd + i, end - i);
        s->l->pairs += (uint64_t)(end - i) * (end - i);
    }
}

/* ---- spaces ----------------------------------------------------------------------- */

static int64_t depth_at(const zl_search_state *s, uint32_t copy, uint32_t value)
{
    const int64_t *start = s->r.at + (size_t)s->origin * s->r.n;
    return zl_loop_depth(s->l, s->ii, start, copy, s->value[value], !s->whole);
}

/* In every schedule some value has fewer buffers than at the earliest starts. */
static void offer_space(zl_search_state *s, choice *best, uint32_t space)
{
    const zlay_schedule_request *r = s->l->request;
    zl_branch *way = s->try + 2 * s->l->nodes;
    zl_u128 taken = 0;
    uint32_t ways = 0;
    for (uint32_t c = 0; c < s->l->copies; c++)
        for (uint32_t v = 0; v < r->values; v++) {
            if (r->value[v].space != space) continue;
            int64_t depth = depth_at(s, c, v);
            taken += zl_loop_bytes(r->value[v].bytes, depth);
            if (!r->value[v].bytes || depth <= zl_least_depth(s, c, v)) continue;
            way[ways++] = (zl_branch){ZL_BUFFERS, c * r->values + v, depth - 1};
        }
    if (taken > s->l->capacity[space]) offer(s, best, way, ways, 0);
}

uint32_t zl_conflict(zl_search_state *s, bool *none)
{
    choice best = {0};
    for (uint32_t i = 0; i < s->pairs; i++) offer_pair(s, &best, &s->pair[i]);
    s->l->pairs += s->pairs;
    offer_crowds(s, &best);
    for (uint32_t i = 0; i < s->l->request->spaces && !best.any; i++) offer_space(s, &best, i);
    *none = !best.any;
    return best.count;
}
