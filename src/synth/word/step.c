/* SPDX-License-Identifier: Apache-2.0 */
/* Makes steps of maps of slots: decides which kind of step a map is, how many instructions it
 * costs, and when two consecutive steps become one. */
#include "synth/word/round.h"

#include <stddef.h>
#include <string.h>

static const zl_step_row rows[] = {
#define STEP(id, op, form, rounds, each, instruction, takes, source)                               \
    {op, form, rounds, each, instruction, takes, source},
#include "synth/word/words.def"
};

const zl_step_row *zl_step_row_of(zl_step_id id) { return &rows[id]; }

/* ---- costs --------------------------------------------------------------------------------- */

/* Counts the registers that a map changes. A register stays whole in its lane when its word's
 * bytes and lane are the slot's own; for the registers of one lane this is a linear system. */
uint32_t zl_touched(const zl_wanted *w, const zl_affine *back)
{
    uint64_t mixed = 0, own = back->constant & w->plane;
    uint32_t regs = 1u << w->slots.reg;
    zl_space s;
    s.pivots = 0;
    for (uint64_t left = w->plane; left; left &= left - 1)
        mixed |= back->basis[__builtin_ctzll(left)] ^ (left & (0 - left));
    if (mixed) return regs;
    for (uint64_t left = w->regs; left; left &= left - 1)
        zl_space_put(&s, back->basis[__builtin_ctzll(left)] & w->plane);
    return zl_space_rest(&s, own) ? regs : regs - (regs >> zl_space_rank(&s));
}

uint32_t zl_slots_touched(const zl_slots *slots, const zl_affine *map)
{
    zl_wanted w;
    return zl_wanted_of(&w, slots, map) ? zl_touched(&w, &w.inverse) : 0;
}

/* The same with renamed registers counted too: the registers are treated as lanes. */
uint32_t zl_slots_moved(const zl_slots *slots, const zl_affine *map)
{
    zl_wanted w;
    if (!zl_wanted_of(&w, slots, map)) return 0;
    uint64_t mixed = 0, regs = 1u << slots->reg;
    zl_space s = {.pivots = 0};
    for (uint64_t left = w.plane; left; left &= left - 1)
        mixed |= w.inverse.basis[__builtin_ctzll(left)] ^ (left & (0 - left));
    for (uint64_t left = w.regs; left; left &= left - 1)
        zl_space_put(&s, w.inverse.basis[__builtin_ctzll(left)] ^ (left & (0 - left)));
    bool none = zl_space_rest(&s, w.inverse.constant);
    return (uint32_t)(mixed || none ? regs : regs - (regs >> zl_space_rank(&s)));
}

static bool is_inner(zl_step_id id)
{
    return id == ZL_STEP_REG || id == ZL_STEP_SELP || id == ZL_STEP_PRMT;
}

/* The cheapest generator for a map inside lanes, or for a plain shuffle. */
static zl_step_id kind(const zl_wanted *w, const zl_affine *map, const zl_affine *back,
                       zl_step_id id)
{
    uint64_t other = back->constant & w->bytes, lanes = 0;
    if (is_inner(id)) {
        if (!zl_touched(w, back)) return ZL_STEP_REG;
        for (unsigned k = 0; k < w->bits; k++)
            other |= (back->basis[k] ^ (w->bytes & (uint64_t)1 << k)) & w->bytes;
        for (uint64_t left = w->bytes; left; left &= left - 1)
            other |= back->basis[__builtin_ctzll(left)] & w->regs;
        return other ? ZL_STEP_PRMT : ZL_STEP_SELP;
    }
    if (id != ZL_STEP_IDX) return id;
    for (uint64_t left = w->lanes; left; left &= left - 1)
        lanes |= map->basis[__builtin_ctzll(left)] ^ (left & (0 - left));
    return lanes ? ZL_STEP_IDX : ZL_STEP_BFLY;
}

/* ---- steps that become one
 * ---------------------------------------------------------------------- */

/* The kind of the one step that two consecutive steps become; ZL_STEPS: they stay two. A renaming
 * joins any step, and a map that moves bytes inside registers joins a step that selects bytes. Of
 * steps inside lanes it is the inverse of both that says so. */
static zl_step_id joined(const zl_wanted *w, const zl_word_step *a, zl_step_id id,
                         const zl_affine *back, const zl_affine *both_back)
{
    if (is_inner(a->id) && is_inner(id))
        return zl_inner_rank_back(w, both_back) < 2 ? ZL_STEP_PRMT : ZL_STEPS;
    if (a->id == ZL_STEP_REG) return id;
    if (id == ZL_STEP_REG) return a->id;
    bool first = a->id == ZL_STEP_EXCHANGE && is_inner(id) && !zl_inner_rank_back(w, back);
    bool second = id == ZL_STEP_EXCHANGE && is_inner(a->id) && !zl_inner_rank(w, &a->map);
    return first || second ? ZL_STEP_EXCHANGE : ZL_STEPS;
}

static void step_set(zl_word_step *out, const zl_wanted *w, zl_step_id id, const zl_affine *map,
                     const zl_affine *back)
{
    out->id = kind(w, map, back, id);
    out->instructions = zl_touched(w, back) * rows[out->id].each;
    zl_map_copy(&out->map, map);
}

static void step_copy(zl_word_step *out, const zl_word_step *from)
{
    out->id = from->id;
    out->instructions = from->instructions;
    zl_map_copy(&out->map, &from->map);
}

static bool is_same(const zl_affine *map)
{
    zl_affine same;
    zl_map_same(&same, map->bits);
    return zl_map_equal(&same, map);
}

void zl_word_begin(zl_word *out, const zl_slots *slots)
{
    memset(out, 0, offsetof(zl_word, step));
    out->slots = *slots;
}

void zl_word_copy(zl_word *out, const zl_word *word)
{
    memcpy(out, word, offsetof(zl_word, step) + word->count * sizeof *word->step);
}

void zl_word_count(zl_word *word)
{
    word->rounds = word->instructions = word->shuffles = 0;
    for (uint32_t i = 0; i < word->count; i++) {
        const zl_step_row *row = &rows[word->step[i].id];
        word->rounds += row->rounds;
        word->instructions += word->step[i].instructions;
        word->shuffles += row->rounds ? word->step[i].instructions / row->each : 0;
    }
}

bool zl_word_put(zl_word *word, const zl_wanted *w, zl_step_id id, const zl_affine *map)
{
    zl_affine back;
    zl_map_invert(&back, map);
    return zl_word_put_known(word, w, id, map, &back);
}

bool zl_word_put_known(zl_word *word, const zl_wanted *w, zl_step_id id, const zl_affine *map,
                       const zl_affine *back)
{
    zl_affine both, both_back;
    zl_word_step now;
    step_set(&now, w, id, map, back);
    if (now.id == ZL_STEP_IDX || now.id == ZL_STEP_BFLY)
        if (!now.instructions && !zl_map_stays(w, map)) return false;
    zl_word_step *last = word->count ? &word->step[word->count - 1] : NULL;
    if (last) {
        zl_map_product(&both, map, &last->map);
        const bool inside = is_inner(last->id) && is_inner(now.id);
        if (inside) zl_map_invert(&both_back, &both);
        zl_step_id one = joined(w, last, now.id, back, &both_back);
        if (one != ZL_STEPS) {
            word->count--;
            if (!inside) zl_map_invert(&both_back, &both);
            step_set(&now, w, one, &both, &both_back);
        }
    }
    if (word->count == ZL_WORD_STEPS) return false;
    if (!is_same(&now.map)) step_copy(&word->step[word->count++], &now);
    zl_word_count(word);
    return true;
}
