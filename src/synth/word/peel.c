/* SPDX-License-Identifier: Apache-2.0 */
/* Searches words of several rounds. One round lowers the rank of lane <- byte, register by at
 * most the number of register bits, so rounds that lower it come first.
 *
 * Let K be the inner bits and K' = R^-1 K. A round that lowers the rank by one ends with an inner
 * space K1 that has one vector k of K less and one vector k' of K' more. It is either an exchange
 * v -> v + (k + k') f(v) with f(k) = f(k') = 1, or a shuffle in which registers stay, behind
 * selects that put ker f in the place of the plane B. The choice of lanes after it is left to the
 * next round. The functionals f that have to be tried keep B, R^-1 B, the vectors on which both
 * agree, or the vectors that keep their lane. */
#include "synth/word/round.h"

enum { WHOLE = 16, WHOLE_INNER = 3, PERMUTED = 1 };

/* ---- drawn ------------------------------------------------------------------------------- */

/* Finds u with T u = goal, from lanes only; false: there is none, and *u is a lane vector with T
 * u = 0. */
static bool lane_before(uint64_t *u, const zl_wanted *w, const zl_affine *map, uint64_t goal)
{
    zl_space pairs;
    uint64_t kernel = 0;
    pairs.pivots = 0;
    for (uint64_t left = w->lanes; left; left &= left - 1) {
        uint64_t unit = left & (0 - left), to = map->basis[__builtin_ctzll(left)] & w->lanes;
        uint64_t rest = zl_space_rest(&pairs, to | unit << ZL_SLOT_BITS);
        if (rest & UINT32_MAX) zl_space_put(&pairs, rest);
        else kernel = rest >> ZL_SLOT_BITS;
    }
    uint64_t rest = zl_space_rest(&pairs, goal);
    bool found = !(rest & UINT32_MAX);
    *u = found ? rest >> ZL_SLOT_BITS : kernel;
    return found;
}

/* An inner vector that goes to another lane: `draw` selects one or two unit vectors. */
static uint64_t crossing_start(const zl_wanted *w, const zl_affine *map, unsigned draw)
{
    uint64_t found[ZL_SLOT_BITS] = {0};
    unsigned count = 0;
    for (uint64_t left = w->inner; left; left &= left - 1)
        if (map->basis[__builtin_ctzll(left)] & w->lanes) found[count++] = left & (0 - left);
    if (!count) return 0;
    uint64_t one = found[draw % count], other = found[draw / count % count];
    uint64_t sum = draw < count ? one : one ^ other;
    return zl_xor_of(map->basis, sum) & w->lanes ? sum : one;
}

/* Makes one exchange that lowers the rank by one: v -> v + w f(v) takes S to S + (S x + T u) f;
 * with S x + T u = S x0 and f = f0 S, f0(S x0) = 1, the image no longer has S x0. */
static void peel_one(zl_affine *out, const zl_wanted *w, const zl_affine *map, unsigned draw)
{
    uint64_t start = crossing_start(w, map, draw), goal = zl_xor_of(map->basis, start) & w->lanes;
    uint64_t form = 0, u, probe = goal;
    for (unsigned skip = draw / 2 % 3; skip && probe & (probe - 1); skip--) probe &= probe - 1;
    for (uint64_t left = w->inner; left; left &= left - 1)
        if (map->basis[__builtin_ctzll(left)] & probe & (0 - probe)) form |= left & (0 - left);
    bool found = lane_before(&u, w, map, goal);
    if (!found) form |= u & (0 - u);
    zl_transvection(out, w->bits, found ? u : u | start, form, false);
}

/* Each exchange is its own inverse: its form is 0 on the vector that it adds. */
static void peel(zl_affine *out, zl_affine *back, const zl_wanted *w, unsigned rank, unsigned draw)
{
    zl_affine left = w->map, one;
    zl_map_same(out, w->bits);
    zl_map_same(back, w->bits);
    while (rank--) {
        peel_one(&one, w, &left, draw);
        zl_map_product(&left, &left, &one);
        zl_map_product(out, &one, out);
        zl_map_product(back, back, &one);
    }
}

/* Appends the steps of `from`. As soon as one of them stays a step of its own, the later ones do
 * too, because none of them was joined in `from`. */
static bool append(zl_word *out, const zl_word *from, const zl_wanted *w)
{
    uint32_t i = 0;
    for (bool apart = !out->count; i < from->count && !apart; i++) {
        const uint32_t count = out->count;
        if (!zl_word_put(out, w, from->step[i].id, &from->step[i].map)) return false;
        apart = out->count > count || !out->count;
    }
    if (from->count - i > ZL_WORD_STEPS - out->count) return false;
    for (; i < from->count; i++) out->step[out->count++] = from->step[i];
    zl_word_count(out);
    return true;
}

/* Drops the selects behind a peeled round; the next round makes them. */
static void without_choice(zl_word *word, zl_affine *made)
{
    while (word->count && !zl_step_row_of(word->step[word->count - 1].id)->rounds) word->count--;
    zl_map_same(made, made->bits);
    for (uint32_t i = 0; i < word->count; i++) zl_map_product(made, &word->step[i].map, made);
}

/* Makes the whole map: peels rounds until one round suffices, then puts that one. */
static bool peeled_put(zl_word *out, zl_word_search *s, const zl_wanted *whole, unsigned draw)
{
    zl_wanted w = *whole, part = *whole;
    zl_affine first, back;
    unsigned reg = w.slots.reg, rank = zl_crossing_rank(&w);
    for (; rank > reg; rank = zl_crossing_rank(&w)) {
        peel(&part.map, &part.inverse, &w, rank - reg < reg ? rank - reg : reg, draw);
        if (!zl_round_search(s, &part)) return false;
        zl_map_same(&first, w.bits);
        without_choice(&s->best, &first);
        if (!append(out, &s->best, &part)) return false;
        zl_map_invert(&back, &first);
        zl_map_product(&w.map, &w.map, &back);
        zl_map_product(&w.inverse, &first, &w.inverse);
    }
    return zl_round_search(s, &w) && append(out, &s->best, &w);
}

/* The word of the inverse: the steps in reverse order, each inverted. */
static bool turned(zl_word *out, const zl_word *from, const zl_wanted *w)
{
    zl_affine back;
    bool room = true;
    out->count = 0;
    for (uint32_t i = from->count; i-- > 0 && room;) {
        zl_map_invert(&back, &from->step[i].map);
        zl_step_id id = from->step[i].id == ZL_STEP_BFLY ? ZL_STEP_IDX : from->step[i].id;
        room = zl_word_put(out, w, id, &back);
    }
    return room;
}

/* Peels the map, or its inverse, whose word is then reversed. */
static bool drawn_put(zl_word_search *s, const zl_wanted *w, unsigned draw)
{
    zl_wanted other = *w;
    s->whole.slots = w->slots;
    s->whole.count = 0;
    zl_word_count(&s->whole);
    if (draw % 2 == 0) return peeled_put(&s->whole, s, w, draw / 2);
    other.map = w->inverse;
    other.inverse = w->map;
    if (!peeled_put(&s->whole, s, &other, draw / 2)) return false;
    zl_word_copy(&s->trial, &s->whole);
    return turned(&s->whole, &s->trial, w);
}

/* ---- one by one -------------------------------------------------------------------------- */

/* Makes a first round into `piece`, and the map that it makes with its inverse: an exchange is its
 * own, or it has none. */
static bool piece_put(zl_word_search *s, zl_affine *made, zl_affine *back, const zl_wanted *w,
                      const zl_word_pair *pair, bool shuffles)
{
    zl_wanted part = *w;
    zl_pair_map(made, w, pair);
    s->piece.slots = w->slots;
    s->piece.count = 0;
    if (__builtin_parityll(pair->by & pair->form)) return false;
    zl_map_copy(back, made);
    if (!shuffles) return zl_word_put_known(&s->piece, w, ZL_STEP_EXCHANGE, made, back);
    zl_map_copy(&part.map, made);
    zl_map_copy(&part.inverse, made);
    if (!zl_round_put(&s->piece, &part, (zl_round_way){0, UINT32_MAX, true})) return false;
    without_choice(&s->piece, made);
    zl_map_invert(back, made);
    zl_word_count(&s->piece);
    return true;
}

/* Whether the cost of the piece and a lower bound for the rest are less than the best word. */
static bool may_be_less(zl_word_search *s, const zl_wanted *rest, const zl_word *best)
{
    uint32_t rounds, floor = zl_rounds_floor(rest, &s->aim, &rounds);
    if (best->instructions == UINT32_MAX) return true;
    if (!s->aim.shuffle && s->piece.rounds + rounds != best->rounds)
        return s->piece.rounds + rounds < best->rounds;
    return zl_word_cost(&s->aim, &s->piece) + floor < zl_word_cost(&s->aim, best);
}

/* Makes a word from the piece and the rest, reversed where the map was inverted; false: it is not
 * better than the best word. */
static bool pair_put(zl_word_search *s, const zl_wanted *w, const zl_wanted *turn,
                     const zl_affine *made, const zl_affine *back, const zl_word *best)
{
    zl_wanted rest;
    if (s->piece.instructions >= best->instructions) return false;
    rest = *w;
    zl_map_product(&rest.map, &w->map, back);
    zl_map_product(&rest.inverse, made, &w->inverse);
    if (!may_be_less(s, &rest, best)) return false;
    zl_word_copy(&s->whole, &s->piece);
    if (!peeled_put(&s->whole, s, &rest, 0)) return false;
    uint32_t floor = s->piece.instructions + s->least;
    if (floor < s->floor) s->floor = floor;
    if (!zl_word_less(&s->aim, &s->whole, best)) return false;
    if (!turn) return true;
    zl_word_copy(&s->trial, &s->whole);
    return turned(&s->whole, &s->trial, turn);
}

/* Skips pairs that the list has already had. */
static bool seen_before(zl_word_pair *seen, unsigned *count, const zl_word_pair *pair)
{
    for (unsigned i = 0; i < *count; i++)
        if (seen[i].by == pair->by && seen[i].form == pair->form) return true;
    if (*count < WHOLE) seen[(*count)++] = *pair;
    return false;
}

/* Tries the pairs; false: there are more than the aim allows. */
static bool pairs_try(zl_word *out, zl_word_search *s, const zl_wanted *w, const zl_wanted *turn)
{
    zl_word_pair pair, seen[WHOLE];
    zl_affine made, back;
    unsigned known = 0;
    bool past = false, whole = s->aim.pairs >= WHOLE && w->inner == WHOLE_INNER;
    for (unsigned i = 0, tried = 0; !past; i++) {
        if (!zl_pair_at(&pair, w, i, &past)) continue;
        if (tried++ == s->aim.pairs && !whole) return false;
        if (seen_before(seen, &known, &pair)) continue;
        for (int shuffles = 0; shuffles < 2; shuffles++)
            if (piece_put(s, &made, &back, w, &pair, shuffles) &&
                pair_put(s, w, turn, &made, &back, out))
                zl_word_copy(out, &s->whole);
    }
    return true;
}

/* Whether the list is proved to have a least word: where two inner bits both leave their lane
 * (docs/synthesis.md has the proof), except for movmatrix. */
static bool is_whole_list(const zl_word_search *s, const zl_wanted *w)
{
    bool matrix = s->aim.matrix && zl_matrix_reaches(w);
    return w->slots.byte == 1 && w->slots.reg == 1 && !matrix && !w->map.constant;
}

static void all_pairs_try(zl_word *out, zl_word_search *s, const zl_wanted *w)
{
    zl_wanted other = *w;
    other.map = w->inverse;
    other.inverse = w->map;
    s->floor = UINT32_MAX;
    bool all = pairs_try(out, s, w, NULL);
    if (s->aim.pairs > 1) all = pairs_try(out, s, &other, w) && all;
    if (!all || !is_whole_list(s, w)) s->floor = 0;
}

/* Sets how many pairs and peels are tried. For a bit permutation the first pairs and one peel
 * gave as good words as all. */
static void aim_at(zl_word_search *s, const zl_wanted *w)
{
    uint64_t more = w->inner == WHOLE_INNER;
    for (unsigned k = 0; k < w->bits; k++) more |= w->map.basis[k] & (w->map.basis[k] - 1);
    if (more) return;
    if (s->aim.peels > PERMUTED) s->aim.peels = PERMUTED;
    if (s->aim.pairs > PERMUTED) s->aim.pairs = PERMUTED;
}

bool zl_rounds_put(zl_word *out, zl_word_search *s, const zl_wanted *w)
{
    bool several = zl_crossing_rank(w) > w->slots.reg, made = false;
    if (several) aim_at(s, w);
    unsigned draws = several ? s->aim.peels : 1;
    out->rounds = out->instructions = UINT32_MAX;
    for (unsigned draw = 0; draw < draws; draw++) {
        if (!drawn_put(s, w, draw)) continue;
        if (!made || zl_word_less(&s->aim, &s->whole, out)) zl_word_copy(out, &s->whole);
        made = true;
    }
    if (several && s->aim.pairs) all_pairs_try(out, s, w);
    return out->instructions < UINT32_MAX;
}
