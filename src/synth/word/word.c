/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the word of a bijection of slots. Where a lane has one register the word is a shuffle and
 * exchanges (lone.c), otherwise one round or several (round.c, exchange.c, peel.c). A map that
 * leaves its warp goes through shared memory (shared.c). The steps of the word that search.c or
 * peel.c keeps are composed again and compared with the map. docs/synthesis.md has the proofs. */
#include "synth/word/round.h"
#include "base/arith.h"

enum { BYTE_MOST = 2, REG_MOST = 8, LANE_MOST = 6, WARP = 5 };

const zl_word_aim zl_word_least = {.draws = 12, .peels = 8, .pairs = 16, .matrix = true};
const zl_word_aim zl_word_soon = {.draws = 12, .peels = 2, .pairs = 2, .matrix = true};

/* ---- the least word ------------------------------------------------------------------------- */

/* Lower bounds for lanes of one register: a movmatrix may take the place of an exchange. */
static void lone_bound(zl_word *out, const zl_wanted *w, unsigned rank)
{
    bool matrix = rank > 1 ? w->slots.lane == WARP : zl_matrix_may(w);
    uint32_t shuffle = !matrix && zl_lone_shuffles(w);
    out->lower_rounds = rank + shuffle;
    out->lower_instructions = (matrix ? 1 : 2) * rank + shuffle;
}

static void lower_set(zl_word *out, const zl_word_search *s, const zl_wanted *w)
{
    unsigned reg = w->slots.reg, rank = zl_crossing_rank(w), regs = 1u << reg;
    if (rank > reg && !reg) {
        lone_bound(out, w, rank);
    } else if (rank > reg) {
        out->lower_rounds = (rank + reg - 1) / reg;
        out->lower_instructions = out->lower_rounds * ((regs + 1) / 2);
        if (s->floor) out->lower_instructions = zl_min32(s->floor, out->instructions);
    } else {
        out->lower_rounds = !zl_map_stays(w, &w->map);
        out->lower_instructions = s->least;
    }
    out->optimal = !s->aim.shuffle && out->rounds == out->lower_rounds &&
                   out->instructions <= out->lower_instructions;
}

/* ---- the answer ---------------------------------------------------------------------------- */

zlay_status zl_slots_check(zlay_ctx *ctx, const zl_slots *s)
{
    if (s->byte > BYTE_MOST || s->reg > REG_MOST || s->lane > LANE_MOST || s->warp > ZL_SLOT_BITS ||
        s->block > ZL_SLOT_BITS || zl_slots_bits(s) > ZL_SLOT_BITS)
        return zl_fail(ctx, ZLAY_ELIMIT,
                       "slots: 2 bits of byte, 8 of register, 6 of lane and 32 in all are the "
                       "most, these are %u, %u, %u and %u",
                       s->byte, s->reg, s->lane, zl_slots_bits(s));
    return ZLAY_OK;
}

static zlay_status recompose(zlay_ctx *ctx, const zl_word *word, const zl_affine *map)
{
    zl_affine product;
    zl_map_same(&product, map->bits);
    for (uint32_t i = 0; i < word->count; i++)
        zl_map_product(&product, &word->step[i].map, &product);
    if (zl_map_equal(&product, map)) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINTERNAL, "word: its steps give another map");
}

static zlay_status in_warp(zlay_ctx *ctx, zl_word *out, const zl_wanted *w,
                           const zl_word_aim *aim)
{
    zlay_allocator alloc = zl_allocator(ctx);
    zl_word_search *s = zl_alloc_plain(ctx, 1, sizeof *s);
    if (!s) return ZLAY_ENOMEM;
    s->aim = *aim;
    s->floor = s->least = 0;
    s->found = false;
    zl_word_begin(&s->best, &w->slots);
    zl_word_begin(&s->trial, &w->slots);
    zl_word_begin(&s->whole, &w->slots);
    zl_word_begin(&s->piece, &w->slots);
    bool lone = !w->slots.reg && zl_crossing_rank(w);
    bool made = lone ? zl_lone_search(out, s, w) : zl_rounds_put(out, s, w);
    lower_set(out, s, w);
    zl_free(&alloc, s, sizeof *s);
    return made ? ZLAY_OK : zl_fail(ctx, ZLAY_EINTERNAL, "word: more than %d steps", ZL_WORD_STEPS);
}

zlay_status zl_word_find(zlay_ctx *ctx, zl_word *out, const zl_slots *slots, const zl_affine *map,
                         const zl_word_aim *aim)
{
    zl_wanted w;
    zlay_status status = zl_slots_check(ctx, slots);
    if (status) return status;
    if (!zl_wanted_of(&w, slots, map))
        return zl_fail(ctx, ZLAY_EINVAL, "map: is no bijection of 2^%u slots",
                       zl_slots_bits(slots));
    zl_word_begin(out, slots);
    if (zl_map_keeps(map, zl_above_lanes(&w))) status = in_warp(ctx, out, &w, aim);
    else zl_word_leave(out, &w);
    return status ? status : recompose(ctx, out, map);
}
