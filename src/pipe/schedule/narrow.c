/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from difference constraints modulo ii without a choice. Two operations a, b on a
 * unit with room for one have start(b) - start(a) modulo ii in [cycles(a), ii - cycles(b)], so the
 * bounds of this difference move to the next number of that kind. What a space has
 * left bounds the buffers of each value, and so how long before its last use it may begin. */
#include "pipe/schedule/search.h"

/* The least number from `low` on that is in [first, ii - last] modulo ii. */
static int64_t next_apart(int64_t low, int64_t first, int64_t last, int64_t ii)
{
    int64_t at = zl_floor_mod(low, ii);
    if (at < first) return low + first - at;
    return at > ii - last ? low + ii - at + first : low;
}

/* Moves the least start(b) - start(a) to the next one that keeps them apart; `*seen` is the last
 * that did. */
static bool apart(zl_search_state *s, uint32_t a, uint32_t b, int64_t *seen, bool *changed)
{
    int64_t low = zl_related(&s->r, a, b);
    *seen = next_apart(low, s->arc[a], s->arc[b], s->ii);
    if (*seen == low) return true;
    *changed = true;
    return zl_relate(&s->r, a, b, *seen);
}

static bool pairs_narrow(zl_search_state *s, bool *changed)
{
    for (uint32_t i = 0; i < s->pairs; i++) {
        zl_apart *p = &s->pair[i];
        if (zl_related(&s->r, p->b, p->a) != p->back && !apart(s, p->b, p->a, &p->back, changed))
            return false;
        if (zl_related(&s->r, p->a, p->b) == p->low) continue;
        if (!apart(s, p->a, p->b, &p->low, changed)) return false;
        p->until = p->low - zl_floor_mod(p->low, s->ii) + s->ii - s->arc[p->b];
    }
    s->l->pairs += s->pairs;
    return true;
}

/* ---- buffers --------------------------------------------------------------------- */

static bool is_seen(const zl_search_state *s, const zl_loop_use *u, uint32_t def)
{
    return s->whole || s->l->component[u->op] == s->l->component[def];
}

int64_t zl_least_depth(const zl_search_state *s, uint32_t copy, uint32_t value)
{
    const zl_looped *l = s->l;
    uint32_t first = s->value[value], base = copy * l->ops, def = l->use[first].op;
    uint32_t known = s->r.n * s->r.n + copy * l->request->values + value;
    int64_t depth = zl_max(1, s->r.at[known]);
    for (uint32_t i = first; i < l->uses && l->use[i].value == value; i++) {
        const zl_loop_use *u = &l->use[i];
        int64_t since = zl_related(&s->r, base + def, base + u->op);
        if (!is_seen(s, u, def) || since == ZL_UNRELATED) continue;
        depth =
            zl_max(depth, u->distance - zl_floor_div(-(since + zl_loop_cycles(l, u->op)), s->ii));
    }
    return depth;
}

static bool at_most(zl_search_state *s, uint32_t copy, uint32_t value, int64_t depth, bool *changed)
{
    const zl_looped *l = s->l;
    uint32_t first = s->value[value], base = copy * l->ops, def = l->use[first].op;
    for (uint32_t i = first; i < l->uses && l->use[i].value == value; i++) {
        const zl_loop_use *u = &l->use[i];
        int64_t w = zl_loop_cycles(l, u->op) + (u->distance - depth) * s->ii;
        if (!is_seen(s, u, def) || zl_related(&s->r, base + u->op, base + def) >= w) continue;
        *changed = true;
        if (!zl_relate(&s->r, base + u->op, base + def, w)) return false;
    }
    return true;
}

/* A value of a schedule that is as early as its rows allow has no more buffers than this. */
static int64_t most_rounds(const zl_search_state *s)
{
    return 2 * (s->l->reach_rounds + s->l->reach / s->ii + 2);
}

static bool space_narrows(zl_search_state *s, uint32_t space, bool *changed)
{
    const zl_looped *l = s->l;
    const zlay_schedule_request *r = l->request;
    zl_u128 taken = 0;
    for (uint32_t c = 0; c < l->copies; c++)
        for (uint32_t v = 0; v < r->values; v++)
            if (r->value[v].space == space)
                taken += zl_loop_bytes(r->value[v].bytes, zl_least_depth(s, c, v));
    if (taken > l->capacity[space]) return false;
    uint64_t rest = (uint64_t)(l->capacity[space] - taken);
    for (uint32_t c = 0; c < l->copies; c++)
        for (uint32_t v = 0; v < r->values; v++) {
            if (r->value[v].space != space || !r->value[v].bytes) continue;
            int64_t least = zl_least_depth(s, c, v), rounds = most_rounds(s);
            uint64_t more = rest / r->value[v].bytes;
            if (more > (uint64_t)rounds) more = (uint64_t)rounds;
            if (!at_most(s, c, v, least + (int64_t)more, changed)) return false;
        }
    return true;
}

bool zl_narrow(zl_search_state *s)
{
    bool changed = true;
    while (changed) {
        changed = false;
        if (!pairs_narrow(s, &changed)) return false;
        for (uint32_t i = 0; i < s->l->request->spaces; i++)
            if (!space_narrows(s, i, &changed)) return false;
        s->l->pairs += (uint64_t)s->l->uses * s->l->copies;
    }
    return true;
}
