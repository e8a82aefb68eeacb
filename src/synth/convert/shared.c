/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses a round trip through shared memory, for layouts that are linear over F2.  Every pair of a
 * storing and a loading access is a candidate.  Pairs are planned in the order of a lower bound of
 * their cost (best-first branch and bound), and the cheapest plan is kept; one without bank
 * conflicts is preferred to any with conflicts. */
#include "synth/convert/side.h"

#include <string.h>

enum { FORMS_MOST = 16, MATRICES_MOST = 4 };

/* ---- the least cost ---------------------------------------------------------------------- */

static uint32_t cost_accesses(const zl_conversion *c, const zl_side *s)
{
    uint32_t wavefront = ZL_COST_WAVEFRONT;
    if (!s->form->stores && c->level == ZLAY_CONVERT_BLOCK) wavefront = ZL_COST_REMOTE;
    return s->accesses * (ZL_COST_ACCESS + s->phases * wavefront);
}

static uint32_t cost_of(const zl_conversion *c, const zl_side *s)
{
    return cost_accesses(c, s) + s->permutes * ZL_COST_PRMT;
}

/* ---- pairs by lower bound ---------------------------------------------------------------- */

typedef struct candidate {
    const zl_form_row *form;
    zl_banked banked;
    unsigned width;
    uint32_t least; /* a bound of the side's cost where all its phases are needed */
    uint32_t floor; /* a bound also where idle lanes let several phases be served as one */
} candidate;

typedef struct candidates {
    uint32_t count[2];
    candidate at[2][FORMS_MOST];
    bool seen[FORMS_MOST][FORMS_MOST];
    zl_starts starts;
} candidates;

/* How many dimensions the bits `then` add to the span of the bits `first`. */
static unsigned rank_over(const zl_trip *t, int which, uint64_t first, uint64_t then)
{
    const zl_bitmap *at = &t->at[which];
    zl_independent s;
    s.pivots = 0;
    unsigned rank = 0;
    for (uint64_t left = at->has & first; left; left &= left - 1)
        zl_independent_put(&s, at->to[__builtin_ctzll(left)]);
    for (uint64_t left = at->has & then; left; left &= left - 1)
        rank += zl_independent_put(&s, at->to[__builtin_ctzll(left)]);
    return rank;
}

/* Sets the bounds of a form that moves 2^whole elements of a lane. */
static void candidate_read(candidate *k, const zl_trip *t, unsigned whole)
{
    const zl_conversion *c = t->c;
    zl_side side = {.form = k->form, .banked = k->banked};
    unsigned each = k->form->matrices ? c->word : k->width;
    uint32_t accesses = whole > each ? 1u << (whole - each) : 1;
    if (k->form->matrices) accesses = (accesses + k->form->matrices - 1) / k->form->matrices;
    side.accesses = accesses;
    side.phases = zl_side_phases(&side, c);
    unsigned narrow = !k->form->matrices && k->width < c->word ? c->word - k->width : 0;
    uint32_t permutes = (accesses - (accesses >> narrow)) * ZL_COST_PRMT;
    k->least = cost_accesses(c, &side) + permutes;
    side.phases = 1;
    k->floor = cost_accesses(c, &side) + permutes;
}

/* Whether a fragment's form serves a side: it moves as many matrices at once as the registers fill,
 * at most four; its units are independent; and it reads no other block's memory. */
static bool fragment_serves(const zl_trip *t, const zl_form_row *form, unsigned whole)
{
    int which = form->stores ? ZL_SRC : ZL_DST;
    bool remote = !form->stores && t->c->level == ZLAY_CONVERT_BLOCK;
    uint32_t words = whole < t->c->word ? 0 : 1u << (whole - t->c->word);
    zl_units units;
    zl_solver span;
    span.pivots = 0;
    if (remote || form->matrices != (words < MATRICES_MOST ? words : MATRICES_MOST)) return false;
    if (!zl_side_fragment(t, which, form, &units)) return false;
    for (unsigned i = 0; i < units.count; i++)
        if (!zl_solver_put(&span, units.unit[i], 0)) return false;
    return true;
}

/* Whether a form serves a side; `own` is log2 of the elements that it may have at one address. */
static bool form_serves(const zl_trip *t, candidate *k, unsigned own, unsigned whole)
{
    const zl_form_row *form = k->form;
    if (!zl_form_width(t->c, form, &k->width)) return false;
    if (form->matrices ? !fragment_serves(t, form, whole) : k->width > own) return false;
    return zl_banked_of(&k->banked, t->c->target, form->access) == ZLAY_OK;
}

static void candidates_read(candidates *k, const zl_trip *t)
{
    const zl_form_row *form;
    unsigned whole[2] = {rank_over(t, ZL_SRC, ZL_THREADS, ZL_REGISTERS),
                         rank_over(t, ZL_DST, 0, ZL_REGISTERS)};
    unsigned own[2] = {whole[ZL_SRC], rank_over(t, ZL_DST, ZL_THREADS, ZL_REGISTERS)};
    k->count[ZL_SRC] = k->count[ZL_DST] = 0;
    memset(k->seen, 0, sizeof k->seen);
    zl_starts_read(&k->starts, t);
    for (size_t i = 0; (form = zl_form_at(i)); i++) {
        int which = form->stores ? ZL_SRC : ZL_DST;
        candidate *next = &k->at[which][k->count[which]];
        next->form = form;
        if (k->count[which] == FORMS_MOST || !form_serves(t, next, own[which], whole[which]))
            continue;
        candidate_read(next, t, whole[which]);
        k->count[which]++;
    }
}

/* Finds the pair with the least lower bound that was not tried yet; false: none can replace the
 * best.  A pair whose bound is `most` or more is left out, unless the best has conflicts: then a
 * pair without conflicts would replace it at any cost. */
static bool next_pair(candidates *k, const zl_trip *best, uint32_t most, uint32_t *at,
                      uint32_t *with)
{
    uint32_t least = best->free ? best->cost : UINT32_MAX;
    uint32_t end = !best->free && best->cost < UINT32_MAX ? UINT32_MAX : most;
    bool found = false;
    for (uint32_t i = 0; i < k->count[ZL_SRC]; i++)
        for (uint32_t j = 0; j < k->count[ZL_DST]; j++) {
            const candidate *a = &k->at[ZL_SRC][i], *b = &k->at[ZL_DST][j];
            uint32_t cost = a->least + b->least;
            if (k->seen[i][j] || cost >= least || a->floor + b->floor >= end) continue;
            least = cost;
            found = true;
            *at = i;
            *with = j;
        }
    if (found) k->seen[*at][*with] = true;
    return found;
}

/* Plans both sides of a pair, without offsets; false: the pair cannot serve. */
static bool take_pair(zl_trip *t, const candidates *k, const candidate *a, const candidate *b)
{
    const zl_form_row *const form[2] = {a->form, b->form};
    bool plain = !a->form->matrices && !b->form->matrices;
    if (plain && (a->width < b->width ? a->width : b->width) > k->starts.common.count) return false;
    if (!zl_units_find(t, form)) return false;
    t->side[ZL_SRC].banked = a->banked;
    t->side[ZL_DST].banked = b->banked;
    if (!zl_side_take(t, ZL_SRC, a->form) || !zl_side_take(t, ZL_DST, b->form)) return false;
    t->cost = cost_of(t->c, &t->side[ZL_SRC]) + cost_of(t->c, &t->side[ZL_DST]);
    return true;
}

/* Whether a trip is better: without conflicts before with conflicts, then the least cost. */
static bool better(const zl_trip *t, const zl_trip *best)
{
    if (t->free != best->free) return t->free;
    return t->cost < best->cost;
}

zlay_status zl_trip_choose(zl_trip *best, zl_trip *tried, uint32_t most)
{
    candidates k;
    uint32_t i = 0, j = 0;
    best->cost = UINT32_MAX;
    best->free = false;
    candidates_read(&k, tried);
    tried->starts = &k.starts;
    while (next_pair(&k, best, most, &i, &j)) {
        if (!take_pair(tried, &k, &k.at[ZL_SRC][i], &k.at[ZL_DST][j])) continue;
        if (best->free && tried->cost >= best->cost) continue;
        zlay_status status = zl_trip_place(tried);
        if (status == ZLAY_NONE) continue;
        if (status) return status;
        if (better(tried, best)) *best = *tried;
    }
    if (best->cost == UINT32_MAX) return ZLAY_NONE;
    best->starts = NULL;
    for (int which = ZL_SRC; which <= ZL_DST; which++) best->side[which].at = &best->at[which];
    zl_trip_tidy(best);
    return ZLAY_OK;
}
