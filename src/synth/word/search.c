/* SPDX-License-Identifier: Apache-2.0 */
/* Searches words of one round: ways to keep the parts of registers together, exchanges between
 * lanes and movmatrix. The word with the fewest shuffle rounds, then the fewest instructions, is
 * kept; a lower bound ends the search. */
#include "synth/word/round.h"
#include "base/arith.h"

/* The cost: instructions, where a shuffle may count as several. */
static uint32_t cost_of(const zl_word_aim *aim, uint32_t instructions, uint32_t shuffles)
{
    return instructions + (aim->shuffle ? aim->shuffle - 1 : 0) * shuffles;
}

uint32_t zl_word_cost(const zl_word_aim *aim, const zl_word *word)
{
    return cost_of(aim, word->instructions, word->shuffles);
}

bool zl_word_less(const zl_word_aim *aim, const zl_word *a, const zl_word *b)
{
    uint32_t one = zl_word_cost(aim, a), other = zl_word_cost(aim, b);
    if (!aim->shuffle && a->rounds != b->rounds) return a->rounds < b->rounds;
    return one != other ? one < other : a->shuffles < b->shuffles;
}

static void keep(zl_word_search *s, bool made)
{
    if (!made) return;
    if (!s->found || zl_word_less(&s->aim, &s->trial, &s->best)) zl_word_copy(&s->best, &s->trial);
    s->found = true;
}

static zl_word *trial(zl_word_search *s)
{
    s->trial.count = 0;
    zl_word_count(&s->trial);
    return &s->trial;
}

static void bound(zl_word_search *s, uint32_t cost)
{
    s->least = zl_min32(s->least, cost);
}

unsigned zl_crossing_rank(const zl_wanted *w)
{
    zl_space s;
    s.pivots = 0;
    for (uint64_t left = w->inner; left; left &= left - 1)
        zl_space_put(&s, w->map.basis[__builtin_ctzll(left)] & w->lanes);
    return zl_space_rank(&s);
}

/* The most selects a register with which a round may still be no worse than the best. A search
 * for the fewest rounds sets no limit: the first way gives its bound. */
static uint32_t selects_most(const zl_word_search *s, uint32_t regs)
{
    if (!s->found || !s->aim.shuffle) return UINT32_MAX;
    uint32_t moved = (regs + 1) / 2, best = zl_word_cost(&s->aim, &s->best);
    uint32_t shuffles = cost_of(&s->aim, moved, moved);
    return best > shuffles ? (best - shuffles) / regs : 0;
}

/* Tries several ways to keep the parts of registers together, until one meets the bound. There is
 * only one way where no more bits stay inner than there are bytes. */
static void rounds_try(zl_word_search *s, const zl_wanted *w, unsigned selects, bool fixed)
{
    uint32_t regs = 1u << w->slots.reg;
    bool made = zl_round_put(trial(s), w, (zl_round_way){0, selects_most(s, regs), fixed});
    keep(s, made);
    if (!made) return;
    uint32_t moved = regs;
    for (uint32_t i = 0; i < s->trial.count; i++)
        if (s->trial.step[i].id == ZL_STEP_BFLY) moved = s->trial.step[i].instructions;
    bool one_way = !w->slots.byte || zl_crossing_rank(w) == w->slots.reg, exact = fixed && one_way;
    uint32_t ordered = selects ? selects * regs : zl_round_ordered(w);
    uint32_t least = exact ? zl_word_cost(&s->aim, &s->trial)
                           : ordered + cost_of(&s->aim, moved, moved);
    bound(s, least);
    uint32_t shuffles = fixed && regs > 1 ? regs / 2 : regs;
    shuffles = cost_of(&s->aim, shuffles, shuffles);
    for (unsigned draw = 1; draw < s->aim.draws && !one_way; draw++) {
        uint32_t most = zl_word_cost(&s->aim, &s->best) - 1;
        if (most < least || most < shuffles) break;
        zl_round_way way = {draw, (most - shuffles) / regs, fixed};
        keep(s, zl_round_put(trial(s), w, way));
    }
}

static void matrices_try(zl_word_search *s, const zl_wanted *w)
{
    keep(s, zl_matrix_put(trial(s), w, false));
    keep(s, zl_matrix_put(trial(s), w, true));
}

static void crossing_try(zl_word_search *s, const zl_wanted *w)
{
    s->least = UINT32_MAX;
    unsigned selects = zl_round_selects(w);
    rounds_try(s, w, selects, true);
    uint32_t regs = 1u << w->slots.reg, all = cost_of(&s->aim, regs, regs);
    if (!s->found || zl_word_cost(&s->aim, &s->best) > selects * regs + all)
        rounds_try(s, w, selects, false);
    uint32_t extra = cost_of(&s->aim, 0, regs), least = UINT32_MAX;
    if (s->found) least = zl_word_cost(&s->aim, &s->best) - extra;
    keep(s, zl_exchange_put(trial(s), &least, w));
    bound(s, least);
    if (s->aim.matrix) matrices_try(s, w);
    if (s->aim.matrix && zl_matrix_may(w)) bound(s, zl_matrix_selects(w) * regs + all);
    if (!w->slots.reg) s->least = zl_word_cost(&s->aim, &s->best);
    bound(s, zl_word_cost(&s->aim, &s->best));
}

/* Searches words of one round, for a map whose rank of lane <- byte, register is at most the
 * number of register bits. */
bool zl_round_search(zl_word_search *s, const zl_wanted *w)
{
    s->found = false;
    if (zl_map_stays(w, &w->map)) {
        keep(s, zl_inner_put(trial(s), w, &w->map));
        s->least = zl_word_cost(&s->aim, &s->best);
    } else crossing_try(s, w);
    return s->found;
}

bool zl_lone_search(zl_word *out, zl_word_search *s, const zl_wanted *w)
{
    s->found = false;
    keep(s, zl_lone_swaps_put(trial(s), w));
    keep(s, zl_lone_put(trial(s), w));
    if (s->aim.matrix) matrices_try(s, w);
    if (s->found) zl_word_copy(out, &s->best);
    out->slots = w->slots;
    return s->found;
}

/* A lower bound for words of any number of rounds. Each round lowers the rank by at most the
 * number of register bits and moves at least half of the registers; and a word has the selects of
 * one round, or exchanges. */
uint32_t zl_rounds_floor(const zl_wanted *w, const zl_word_aim *aim, uint32_t *rounds)
{
    uint32_t reg = w->slots.reg, regs = 1u << reg, rank = zl_crossing_rank(w);
    bool stays = zl_map_stays(w, &w->map);
    *rounds = stays ? 0 : rank > reg && reg ? (rank + reg - 1) / reg : 1;
    if (stays) return zl_inner_rank(w, &w->map) * regs;
    uint32_t moved = *rounds * ((regs + 1) / 2), all = cost_of(aim, moved, moved);
    if (*rounds > 1 || (aim->matrix && zl_matrix_may(w))) return all;
    uint32_t exchange = cost_of(aim, 2 * regs, regs), round = zl_round_selects(w) * regs + all;
    return zl_min32(round, exchange);
}

/* A lower bound for the cost of a map. With whole registers: the selects, and the shuffles of the
 * registers that the rank of lane <- register moves; an exchange has no select less. */
uint32_t zl_word_least_cost(const zl_slots *slots, const zl_affine *map, const zl_word_aim *aim)
{
    zl_wanted w;
    if (slots->byte || !zl_wanted_of(&w, slots, map) || zl_map_stays(&w, map)) return 0;
    uint32_t regs = 1u << slots->reg, moved = regs - (regs >> zl_crossing_rank(&w));
    if (!moved) moved = regs;
    uint32_t round = zl_round_selects(&w) * regs + cost_of(aim, moved, moved);
    return zl_min32(round, cost_of(aim, 2 * regs, regs));
}
