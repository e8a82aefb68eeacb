/* SPDX-License-Identifier: Apache-2.0 */
/* The list of least cost of at most so many candidates, where each point is taken by the first that
 * holds there: dynamic programming over the points that are left, with branch and bound. The bound is
 * that of a p-median problem's Lagrangian relaxation (Cornuejols, Fisher, Nemhauser, 1977), in which a
 * point may choose among all of a list. With u[i] for each point i that is left, any t candidates cost
 * at least the sum of u[i], and for each candidate the sum of what it costs less than u[i], which is
 * the least for the t with the most of it. That holds for all u; subgradient steps find good ones.
 * With guards that are nested, as n <= 64 and n <= 128, few sets of points are ever left. */
#include "synth/variants/variants.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 60, HALVE = 6, TABLE_LEAST = 1024 };
static const uint64_t NEVER = UINT64_MAX;

typedef struct entry {
    zl_point_set left;
    uint64_t value; /* the least cost, or what it is at least */
    uint32_t picks, pick;
    bool used, exact;
} entry;

typedef struct search {
    const zl_lists *in;
    uint64_t cheapest[ZL_POINTS_MOST], u[ZL_POINTS_MOST];
    entry *table;
    size_t room, count;
    struct list_step *step; /* those of a list that are tried, by how many picks are left */
} search;

/* ---- sets ------------------------------------------------------------------------------------ */

enum { WORDS = ZL_POINTS_MOST / 64 };

static zl_point_set both(const zl_point_set *a, const zl_point_set *b)
{
    zl_point_set out;
    for (size_t w = 0; w < WORDS; w++) out.bits[w] = a->bits[w] & b->bits[w];
    return out;
}

static zl_point_set without(const zl_point_set *a, const zl_point_set *b)
{
    zl_point_set out;
    for (size_t w = 0; w < WORDS; w++) out.bits[w] = a->bits[w] & ~b->bits[w];
    return out;
}

static bool is_none(const zl_point_set *a)
{
    uint64_t any = 0;
    for (size_t w = 0; w < WORDS; w++) any |= a->bits[w];
    return !any;
}

/* The sum of numbers of the points of a set. */
static uint64_t sum_of(const zl_point_set *set, const uint64_t *number)
{
    uint64_t sum = 0;
    for (size_t w = 0; w < WORDS; w++)
        for (uint64_t bits = set->bits[w]; bits; bits &= bits - 1) sum += number[w * 64 + (size_t)__builtin_ctzll(bits)];
    return sum;
}

/* ---- the bound ------------------------------------------------------------------------------- */

/* What a candidate costs less than u in the points of a set that it has. */
static uint64_t gain_of(const search *s, const uint64_t *u, const zl_point_set *left, size_t candidate)
{
    const uint64_t *cost = s->in->cost + candidate * ZL_POINTS_MOST;
    zl_point_set has = both(left, &s->in->holds[candidate]);
    uint64_t gain = 0;
    for (size_t w = 0; w < WORDS; w++)
        for (uint64_t bits = has.bits[w]; bits; bits &= bits - 1) {
            size_t i = w * 64 + (size_t)__builtin_ctzll(bits);
            gain += cost[i] < u[i] ? u[i] - cost[i] : 0;
        }
    return gain;
}

typedef struct best_gains {
    uint64_t gain[ZLAY_VARIANTS_MOST];
    size_t candidate[ZLAY_VARIANTS_MOST];
    uint32_t count;
} best_gains;

static void put_gain(best_gains *b, uint32_t most, uint64_t gain, size_t candidate)
{
    uint32_t i = b->count;
    if (!gain || (i == most && gain <= b->gain[i - 1])) return;
    if (i < most) b->count++;
    else i--;
    for (; i && b->gain[i - 1] < gain; i--) b->gain[i] = b->gain[i - 1], b->candidate[i] = b->candidate[i - 1];
    b->gain[i] = gain, b->candidate[i] = candidate;
}

/* No `most` candidates take the points that are left for less. Sums of u and of costs are below 2^62. */
static uint64_t bound_of(const search *s, const uint64_t *u, best_gains *b, const zl_point_set *left, uint32_t most)
{
    b->count = 0;
    for (size_t j = 0; j < s->in->candidates; j++) put_gain(b, most, gain_of(s, u, left, j), j);
    uint64_t sum = sum_of(left, u), gains = 0;
    for (uint32_t i = 0; i < b->count; i++) gains += b->gain[i];
    return sum > gains ? sum - gains : 0;
}

/* How many of the best candidates cost less than u in a point, less 1: the direction of -u. */
static int64_t slope_of(const search *s, const uint64_t *u, const best_gains *b, size_t i)
{
    int64_t slope = -1;
    for (uint32_t k = 0; k < b->count; k++) {
        size_t j = b->candidate[k];
        slope += zl_point_set_has(&s->in->holds[j], i) && s->in->cost[j * ZL_POINTS_MOST + i] < u[i];
    }
    return slope;
}

/* One step of each u towards a bound of `goal`; no u leaves 0 to the point's greatest cost. */
static void step(const search *s, uint64_t *u, const best_gains *b, const uint64_t *most, uint64_t way)
{
    int64_t slope[ZL_POINTS_MOST], norm = 0;
    for (size_t i = 0; i < s->in->points; i++) slope[i] = slope_of(s, u, b, i), norm += slope[i] * slope[i];
    for (size_t i = 0; i < s->in->points && norm; i++) {
        uint64_t by = way / (uint64_t)norm * (uint64_t)(slope[i] < 0 ? -slope[i] : slope[i]);
        if (slope[i] < 0) u[i] = most[i] - u[i] > by ? u[i] + by : most[i];
        else u[i] = u[i] > by ? u[i] - by : 0;
    }
}

/* The greatest cost of each point, and the sum of them, which any list costs at most. */
static uint64_t most_of(const search *s, uint64_t *most)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < s->in->points; i++) {
        most[i] = 0;
        for (size_t j = 0; j < s->in->candidates; j++)
            if (zl_point_set_has(&s->in->holds[j], i)) most[i] = zl_umax(most[i], s->in->cost[j * ZL_POINTS_MOST + i]);
        sum += most[i];
    }
    return sum;
}

/* Moves s->u to where the bound of all points is high. */
static void ascend(search *s, const zl_point_set *all, uint32_t picks, uint64_t limit)
{
    uint64_t u[ZL_POINTS_MOST], most[ZL_POINTS_MOST], best = 0, share = 1;
    uint64_t goal = zl_umin(most_of(s, most), limit);
    memcpy(u, s->u, sizeof u);
    for (int round = 0, idle = 0; round < ROUNDS; round++) {
        best_gains b;
        uint64_t bound = bound_of(s, u, &b, all, picks);
        if (bound > best || !round) {
            best = bound, idle = 0;
            memcpy(s->u, u, sizeof u);
        } else if (++idle % HALVE == 0) share *= 2;
        if (bound >= goal) return;
        step(s, u, &b, most, (goal - bound) / share);
    }
}

/* ---- sets of points that were solved   --------------------------------------------------------- */

static size_t slot_of(const entry *table, size_t room, const zl_point_set *left, uint32_t picks)
{
    uint64_t hash = picks;
    for (size_t w = 0; w < WORDS; w++) hash = (hash ^ left->bits[w]) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
    size_t at = (size_t)hash & (room - 1);
    while (table[at].used && (table[at].picks != picks || memcmp(&table[at].left, left, sizeof *left)))
        at = (at + 1) & (room - 1);
    return at;
}

static zlay_status grow(search *s)
{
    size_t room = s->room ? 2 * s->room : TABLE_LEAST;
    entry *table = zl_scratch(s->in->ctx, room, sizeof *table);
    if (!table) return ZLAY_ENOMEM;
    for (size_t i = 0; i < s->room; i++)
        if (s->table[i].used) table[slot_of(table, room, &s->table[i].left, s->table[i].picks)] = s->table[i];
    s->table = table;
    s->room = room;
    return ZLAY_OK;
}

static zlay_status keep(search *s, entry what)
{
    zlay_status status = 2 * s->count >= s->room ? grow(s) : ZLAY_OK;
    if (status) return status;
    entry *to = &s->table[slot_of(s->table, s->room, &what.left, what.picks)];
    s->count += !to->used;
    *to = what;
    return ZLAY_OK;
}

/* ---- branches -------------------------------------------------------------------------------- */

/* A candidate that is tested next: what it costs in the points that it takes, and all then at least. */
typedef struct list_step {
    uint64_t cost, least;
    uint32_t candidate;
} list_step;

static int by_least(const void *left, const void *right)
{
    const list_step *a = left, *b = right;
    if (a->least != b->least) return a->least < b->least ? -1 : 1;
    return a->candidate < b->candidate ? -1 : a->candidate > b->candidate;
}

/* With one pick, only candidates that take all. */
static size_t branches_of(const search *s, list_step *out, const zl_point_set *left, uint32_t picks)
{
    size_t count = 0;
    uint64_t rest = sum_of(left, s->cheapest);
    for (uint32_t j = 0; j < s->in->candidates; j++) {
        zl_point_set takes = both(left, &s->in->holds[j]), after = without(left, &takes);
        if (is_none(&takes) || (picks == 1 && !is_none(&after))) continue;
        uint64_t cost = sum_of(&takes, s->in->cost + (size_t)j * ZL_POINTS_MOST);
        out[count++] = (list_step){cost, cost + rest - sum_of(&takes, s->cheapest), j};
    }
    qsort(out, count, sizeof *out, by_least);
    return count;
}

/* The least cost for the points that are left where it is below `limit`; else what it is at least. */
static zlay_status solve(search *s, uint64_t *value, const zl_point_set *left, uint32_t picks, uint64_t limit);

static zlay_status try_branches(search *s, entry *e, uint64_t limit)
{
    list_step *list = s->step + (size_t)(e->picks - 1) * s->in->candidates;
    uint64_t best = limit;
    size_t count = branches_of(s, list, &e->left, e->picks);
    e->value = NEVER;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = list[i].least - list[i].cost;
        if (list[i].least < best) {
            zl_point_set after = without(&e->left, &s->in->holds[list[i].candidate]);
            zlay_status status = solve(s, &value, &after, e->picks - 1, best - list[i].cost);
            if (status) return status;
        }
        value = zl_uadd_sat(value, list[i].cost);
        if (value < e->value) e->value = value;
        if (value >= best) continue;
        best = value;
        e->exact = true;
        e->pick = list[i].candidate;
    }
    return ZLAY_OK;
}

static zlay_status solve(search *s, uint64_t *value, const zl_point_set *left, uint32_t picks, uint64_t limit)
{
    best_gains b;
    *value = is_none(left) ? 0 : NEVER;
    if (!*value || !picks) return ZLAY_OK;
    const entry *known = s->room ? &s->table[slot_of(s->table, s->room, left, picks)] : NULL;
    if (known && known->used) *value = known->value;
    if (known && known->used && (known->exact || known->value >= limit)) return ZLAY_OK;
    zlay_status status = zl_charge(s->in->ctx, s->in->candidates * 8 + 64);
    entry e = {.left = *left, .picks = picks, .used = true};
    e.value = picks > 1 ? bound_of(s, s->u, &b, left, picks) : 0;
    if (!status && e.value < limit) status = try_branches(s, &e, limit);
    *value = e.value;
    return status ? status : keep(s, e);
}

/* Follows the picks that the table has. */
static void read_list(const search *s, zl_list *out, zl_point_set left, uint32_t picks)
{
    out->found = true;
    out->count = 0;
    while (!is_none(&left)) {
        const entry *e = &s->table[slot_of(s->table, s->room, &left, picks--)];
        out->pick[out->count++] = e->pick;
        left = without(&left, &s->in->holds[e->pick]);
    }
}

/* The cheapest cost of each point, where u begins. */
static void begin(search *s, zl_point_set *all)
{
    *all = (zl_point_set){{0}};
    for (size_t i = 0; i < s->in->points; i++) {
        zl_point_set_put(all, i);
        s->cheapest[i] = NEVER;
        for (size_t j = 0; j < s->in->candidates; j++)
            if (zl_point_set_has(&s->in->holds[j], i))
                s->cheapest[i] = zl_umin(s->cheapest[i], s->in->cost[j * ZL_POINTS_MOST + i]);
        if (s->cheapest[i] == NEVER) s->cheapest[i] = 0;
        s->u[i] = s->cheapest[i];
    }
}

zlay_status zl_lists_search(const zl_lists *lists, zl_list *out, uint32_t most, uint64_t limit)
{
    zl_mark mark = zl_scratch_mark(lists->ctx);
    search s = {.in = lists};
    zl_point_set all;
    s.step = zl_scratch(lists->ctx, lists->candidates * most, sizeof *s.step);
    if (!s.step) return ZLAY_ENOMEM;
    begin(&s, &all);
    ascend(&s, &all, most, limit);
    *out = (zl_list){0};
    zlay_status status = solve(&s, &out->cost, &all, most, limit);
    if (!status && out->cost < limit) read_list(&s, out, all, most);
    zl_scratch_release(lists->ctx, mark);
    return status;
}
