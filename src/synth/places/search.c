/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of least cost: branch and bound.  Decisions are, operation by operation, its form and
 * the place of each operand, then the place of each value that is wanted at the end; then, with all
 * of them made, the tree of moves of each value.  The bound is the sum over the values of what each
 * would cost at least if it alone were to be placed, capacities aside: the least, over homes and
 * sets of places, of the moves that reach the set and the cheapest allowed place of each use. */
#include "synth/places/place.h"

#include <string.h>

/* Places that a value may have in the shape that is tried. */
static uint32_t open_to(const zl_place_program *p, uint32_t v) { return p->value[v].may & p->open; }

/* By home and set: the least cost of moves that bring a value to all of the set. */
typedef zl_place_cost spread[ZL_PLACES][ZL_PLACE_SETS];

/* A tree of moves of a value whose home and uses are decided, and what it takes. */
enum { CANDIDATES = 128 };
typedef struct candidate {
    const zl_place_tree *tree;
    zl_place_cost cost;
    zl_place_lives lives;
} candidate;

typedef struct state {
    zl_place_search *s;
    const zl_place_program *p;
    spread *spread; /* of each value */
    uint32_t forms[ZLAY_PLACES_OPERATIONS];
    uint8_t read[ZLAY_PLACES_OPERATIONS + 1][ZLAY_PLACES_VALUES]; /* allowed sets */
    zl_place_cost bound[ZLAY_PLACES_VALUES], sum;
    zl_place_choice now;
    candidate (*candidates)[CANDIDATES]; /* of each value, by cost */
    uint32_t count[ZLAY_PLACES_VALUES];
    zlay_status failed;
} state;

static const zl_place_cost never = {UINT64_MAX, 0};

static bool is_never(zl_place_cost cost) { return cost.cost == UINT64_MAX; }

/* ---- the bound of one value ------------------------------------------------------------------ */

static void spread_of(const zl_place_program *p, uint32_t v, spread out)
{
    for (uint32_t home = 0; home < ZL_PLACES; home++) {
        for (uint32_t set = 0; set < ZL_PLACE_SETS; set++) out[home][set] = never;
        out[home][1u << home] = (zl_place_cost){0, 0};
        for (uint32_t set = 0; set < ZL_PLACE_SETS; set++) {
            if (is_never(out[home][set])) continue;
            for (uint32_t from = 0; from < ZL_PLACES; from++)
                for (uint32_t to = 0; set >> from & 1 && to < ZL_PLACES; to++) {
                    if (set >> to & 1 || !(p->moves[from] & open_to(p, v) & 1u << to)) continue;
                    zl_place_cost cost =
                        zl_cost_sum(out[home][set], zl_place_move_cost(p, v, from, to));
                    zl_place_cost *known = &out[home][set | 1u << to];
                    if (zl_cost_less(cost, *known)) *known = cost;
                }
        }
    }
}

static uint32_t allowed(const state *t, uint32_t v, const zl_place_reader *reader)
{
    return t->read[reader->op][reader->op == t->p->r.operations ? v : reader->i];
}

/* The cheapest place of a set for a use. */
static zl_place_cost use_cost(const state *t, uint32_t v, const zl_place_reader *reader,
                              uint32_t set)
{
    zl_place_cost least = never;
    set &= allowed(t, v, reader);
    for (uint32_t i = 0; i < ZL_PLACES; i++) {
        if (!(set >> i & 1)) continue;
        zl_place_cost cost = zl_place_read_cost(t->p, v, reader, i);
        if (zl_cost_less(cost, least)) least = cost;
    }
    return least;
}

static uint32_t homes(const state *t, uint32_t v)
{
    uint32_t writer = t->p->value[v].writer, set = 0;
    if (writer == UINT32_MAX) return t->p->value[v].homes & t->p->open;
    for (uint32_t f = 0; zl_place_form_at(f); f++)
        if (t->forms[writer] >> f & 1) set |= zl_place_form_at(f)->result;
    return set & t->p->value[v].homes & t->p->open;
}

static zl_place_cost bound_of(const state *t, uint32_t v)
{
    const zl_place_value *value = &t->p->value[v];
    zl_place_cost least = never;
    uint32_t made = homes(t, v);
    for (uint32_t home = 0; home < ZL_PLACES; home++)
        for (uint32_t set = 0; made >> home & 1 && set < ZL_PLACE_SETS; set++) {
            zl_place_cost cost = t->spread[v][home][set];
            if (is_never(cost)) continue;
            cost = zl_cost_sum(cost, zl_place_write_cost(t->p, v, home));
            for (uint32_t k = 0; k < value->readers && !is_never(cost); k++) {
                zl_place_cost use = use_cost(t, v, &value->reader[k], set);
                cost = is_never(use) ? never : zl_cost_sum(cost, use);
            }
            if (zl_cost_less(cost, least)) least = cost;
        }
    return least;
}

/* Puts a value's bound anew; false: it has no place. */
static bool rebound(state *t, uint32_t v)
{
    zl_place_cost bound = bound_of(t, v);
    if (is_never(bound)) return false;
    t->sum = zl_cost_sum(zl_cost_less_by(t->sum, t->bound[v]), bound);
    t->bound[v] = bound;
    return true;
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* What the choice so far wants of a value. */
static uint32_t wanted(const state *t, uint32_t v)
{
    uint32_t set = 0;
    for (uint32_t k = 0; k < t->p->value[v].readers; k++)
        set |= allowed(t, v, &t->p->value[v].reader[k]);
    return set;
}

/* Whether a value that moves by `a` is alive in no place longer than by `b`. */
static bool within(const candidate *a, const candidate *b)
{
    for (uint32_t i = 0; i < ZL_GLOBAL; i++) {
        if (a->lives.all[i] & ~b->lives.all[i] || a->lives.own[i] & ~b->lives.own[i]) return false;
        if (a->lives.all[i] && a->lives.tiles[i] > b->lives.tiles[i]) return false;
    }
    return true;
}

/* Puts a candidate into the list, which is in the order of costs, unless one that costs no more
 * takes no more; whatever fits with the former fits with the latter. */
static void offer(state *t, uint32_t v, const candidate *c)
{
    candidate *list = t->candidates[v];
    uint32_t at = 0, kept;
    for (; at < t->count[v] && !zl_cost_less(c->cost, list[at].cost); at++)
        if (within(&list[at], c)) return;
    for (uint32_t i = kept = at; i < t->count[v]; i++)
        if (!within(c, &list[i])) list[kept++] = list[i];
    if (kept == CANDIDATES) {
        t->s->cut = true;
        return;
    }
    memmove(&list[at + 1], &list[at], (kept - at) * sizeof *list);
    list[at] = *c;
    t->count[v] = kept + 1;
}

/* Lists the trees that a value may move by. */
static void list_trees(state *t, uint32_t v)
{
    const zl_place_program *p = t->p;
    uint32_t set = wanted(t, v), home = homes(t, v);
    t->count[v] = 0;
    for (uint32_t i = 0; i < p->trees; i++) {
        const zl_place_tree *tree = &p->tree[i];
        if (!(home >> tree->home & 1) || set & ~(uint32_t)tree->has || (uint32_t)tree->has & ~open_to(p, v)) continue;
        if ((uint32_t)tree->leaves & ~(set | 1u << tree->home)) continue;
        candidate c = {.tree = tree, .cost = zl_place_tree_cost(p, v, tree)};
        t->now.tree[v] = *tree;
        zl_place_live(p, &t->now, v, &c.lives);
        offer(t, v, &c);
    }
}

static void keep(state *t, zl_place_cost cost)
{
    t->s->best = cost;
    t->s->choice = t->now;
    t->s->found = true;
}

/* Counts a node of the search; false: it is over. */
static bool another(state *t)
{
    if (t->failed || (t->s->any && t->s->found)) return false;
    t->failed = zl_charge(t->p->ctx, 64);
    if (t->s->tried++ < t->s->most) return !t->failed;
    t->s->cut = true;
    return false;
}

/* Tries the trees of the values from v on; `more` is what they cost above the bound. */
static void trees(state *t, uint32_t v, zl_place_cost more)
{
    const zl_place_program *p = t->p;
    if (v == p->r.values) {
        zl_place_room room;
        zlay_status status = zl_place_fit(p, &t->now, ~0ull, &room);
        if (status == ZLAY_OK) keep(t, zl_cost_sum(t->sum, more));
        t->s->cut = t->s->cut || status == ZLAY_ELIMIT;
        return;
    }
    const candidate *list = t->candidates[v];
    for (uint32_t i = 0; i < t->count[v]; i++) {
        zl_place_cost above = zl_cost_sum(more, zl_cost_less_by(list[i].cost, list[0].cost));
        if (!zl_cost_less(zl_cost_sum(t->sum, above), t->s->best)) return;
        if (!another(t)) return;
        t->now.tree[v] = *list[i].tree;
        if (zl_place_fit(p, &t->now, (2ull << v) - 1, NULL) == ZLAY_OK) trees(t, v + 1, above);
    }
}

/* ---- decisions ------------------------------------------------------------------------------- */

/* A decision: slot 0 of an operation is its form, slot i + 1 the place of operand i; at the end
 * slot v is the place of value v. */
typedef struct turn {
    uint32_t op, slot;
} turn;

typedef struct saved {
    zl_place_cost bound[ZLAY_PLACES_VALUES], sum;
    uint32_t forms;
    uint8_t read[ZLAY_PLACES_VALUES];
} saved;

static void save(const state *t, uint32_t op, saved *out)
{
    memcpy(out->bound, t->bound, sizeof out->bound);
    memcpy(out->read, t->read[op], sizeof out->read);
    out->sum = t->sum;
    out->forms = op < t->p->r.operations ? t->forms[op] : 0;
}

static void restore(state *t, uint32_t op, const saved *in)
{
    memcpy(t->bound, in->bound, sizeof t->bound);
    memcpy(t->read[op], in->read, sizeof in->read);
    t->sum = in->sum;
    if (op < t->p->r.operations) t->forms[op] = in->forms;
}

static bool take_form(state *t, uint32_t o, uint32_t f)
{
    const zlay_places_operation *op = &t->p->r.operation[o];
    const zl_place_form *form = zl_place_form_at(f);
    t->forms[o] = 1u << f;
    for (uint32_t i = 0; i < op->reads; i++) t->read[o][i] &= (uint8_t)zl_place_operand(form, i);
    for (uint32_t i = 0; i < op->reads; i++)
        if (!rebound(t, op->read[i])) return false;
    for (uint32_t i = 0; i < op->writes; i++)
        if (!rebound(t, op->write[i])) return false;
    return true;
}

/* Takes one option; false: some value has no place then, or nothing below the best is left. */
static bool take(state *t, turn d, uint32_t option)
{
    uint32_t end = t->p->r.operations, i = d.op == end ? d.slot : d.slot - 1;
    bool placed;
    if (d.op < end && !d.slot) placed = take_form(t, d.op, option);
    else {
        t->read[d.op][i] = (uint8_t)(1u << option);
        placed = rebound(t, d.op == end ? d.slot : t->p->r.operation[d.op].read[i]);
    }
    return placed && zl_cost_less(t->sum, t->s->best);
}

static uint32_t options(const state *t, turn d)
{
    if (d.op == t->p->r.operations) return t->read[d.op][d.slot];
    return d.slot ? t->read[d.op][d.slot - 1] : t->forms[d.op];
}

static turn following(const state *t, turn d)
{
    d.slot++;
    if (d.op < t->p->r.operations && d.slot > t->p->r.operation[d.op].reads)
        d = (turn){d.op + 1, 0};
    return d;
}

/* Of the options that are left the one of the least bound; false: there is none below the best. */
static bool cheapest(state *t, turn d, uint32_t left, const saved *before, uint32_t *option)
{
    zl_place_cost least = never;
    bool found = false;
    for (; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        bool good = take(t, d, i);
        if (good && (!found || zl_cost_less(t->sum, least))) {
            least = t->sum;
            *option = i;
            found = true;
        }
        restore(t, d.op, before);
    }
    return found;
}

/* Writes down what was decided: form by form, place by place. */
static void write_down(state *t)
{
    const zl_place_program *p = t->p;
    for (uint32_t o = 0; o < p->r.operations; o++) {
        t->now.form[o] = (uint8_t)__builtin_ctz(t->forms[o]);
        for (uint32_t i = 0; i < p->r.operation[o].reads; i++)
            t->now.read[o][i] = (uint8_t)__builtin_ctz(t->read[o][i]);
    }
    for (uint32_t v = 0; v < p->r.values; v++) {
        uint32_t set = t->read[p->r.operations][v];
        t->now.read[p->r.operations][v] = set ? (uint8_t)__builtin_ctz(set) : ZL_NOWHERE;
    }
}

static void decide(state *t, turn d)
{
    const zl_place_program *p = t->p;
    saved before;
    uint32_t left, option = 0;
    if (d.op == p->r.operations && d.slot == p->r.values) {
        write_down(t);
        for (uint32_t v = 0; v < p->r.values; v++) list_trees(t, v);
        t->failed = t->failed ? t->failed : zl_charge(p->ctx, p->r.values * p->trees);
        trees(t, 0, (zl_place_cost){0, 0});
        return;
    }
    left = options(t, d);
    if (!left || !(left & (left - 1))) { /* at the end of a value that is not wanted; one option */
        save(t, d.op, &before);
        if (!left || take(t, d, (uint32_t)__builtin_ctz(left))) decide(t, following(t, d));
        restore(t, d.op, &before);
        return;
    }
    save(t, d.op, &before);
    while (another(t) && cheapest(t, d, left, &before, &option)) {
        take(t, d, option);
        decide(t, following(t, d));
        restore(t, d.op, &before);
        left &= ~(1u << option);
    }
}

/* ---- the search ------------------------------------------------------------------------------ */

static bool begin(state *t)
{
    const zl_place_program *p = t->p;
    memcpy(t->forms, p->forms, sizeof t->forms);
    for (uint32_t v = 0; v < p->r.values; v++) {
        spread_of(p, v, t->spread[v]);
        for (uint32_t k = 0; k < p->value[v].readers; k++) {
            const zl_place_reader *reader = &p->value[v].reader[k];
            uint32_t slot = reader->op == p->r.operations ? v : reader->i;
            t->read[reader->op][slot] = (uint8_t)(zl_place_readable(p, v, reader) & open_to(p, v));
        }
    }
    for (uint32_t v = 0; v < p->r.values; v++)
        if (!rebound(t, v)) return false;
    return true;
}

zlay_status zl_place_best(zl_place_search *s)
{
    zl_mark mark = zl_scratch_mark(s->p->ctx);
    state *t = zl_scratch(s->p->ctx, 1, sizeof *t);
    spread *spreads = zl_scratch_plain(s->p->ctx, s->p->r.values, sizeof *spreads);
    candidate(*candidates)[CANDIDATES] =
        zl_scratch_plain(s->p->ctx, s->p->r.values, sizeof *candidates);
    if (!t || !spreads || !candidates) return ZLAY_ENOMEM;
    t->candidates = candidates;
    zl_place_cost before = s->best;
    t->s = s;
    t->p = s->p;
    t->spread = spreads;
    if (begin(t)) {
        s->bound = t->sum;
        if (zl_cost_less(t->sum, s->best)) decide(t, (turn){0, 0});
    } else s->bound = never;
    zlay_status status = t->failed;
    zl_scratch_release(s->p->ctx, mark);
    if (status) return status;
    return zl_cost_less(s->best, before) ? ZLAY_OK : ZLAY_NONE;
}
