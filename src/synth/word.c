/* SPDX-License-Identifier: Apache-2.0 */
#include "synth/word_round.h"

#include <string.h>

enum { BYTE_MOST = 2, REG_MOST = 8, LANE_MOST = 6 };

static const zl_step_row rows[] = {
#define STEP(id, op, form, rounds, each, instruction, takes, source)                               \
    {op, form, rounds, each, instruction, takes, source},
#include "synth/words.def"
};

const zl_step_row *zl_step_row_of(zl_step_id id) { return &rows[id]; }

uint32_t zl_slots_bits(const zl_slots *s)
{
    return s->byte + s->reg + s->lane + s->warp + s->block;
}

/* ---- maps ------------------------------------------------------------------------------ */

void zl_map_same(zl_affine *out, unsigned bits)
{
    out->bits = bits;
    out->constant = 0;
    for (unsigned k = 0; k < bits; k++) out->basis[k] = (uint64_t)1 << k;
}

bool zl_map_invert(zl_affine *out, const zl_affine *map)
{
    zl_echelon e;
    uint64_t constant = map->constant;
    unsigned bits = map->bits;
    e.pivots = 0;
    for (unsigned k = 0; k < bits; k++)
        if (!zl_echelon_put(&e, map->basis[k], k)) return false;
    if (e.pivots != zl_ones(bits)) return false;
    out->bits = bits;
    for (unsigned k = 0; k < bits; k++) out->basis[k] = e.sources[k];
    out->constant = zl_map_linear(out, constant);
    return true;
}

void zl_map_product(zl_affine *out, const zl_affine *second, const zl_affine *first)
{
    zl_affine product;
    product.bits = first->bits;
    product.constant = zl_map_at(second, first->constant);
    for (unsigned k = 0; k < first->bits; k++)
        product.basis[k] = zl_map_linear(second, first->basis[k]);
    *out = product;
}

static bool map_equal(const zl_affine *a, const zl_affine *b)
{
    return a->constant == b->constant && !memcmp(a->basis, b->basis, a->bits * sizeof *a->basis);
}

bool zl_wanted_of(zl_wanted *out, const zl_slots *slots, const zl_affine *map)
{
    out->slots = *slots;
    out->bits = zl_slots_bits(slots);
    out->bytes = zl_ones(slots->byte);
    out->inner = zl_ones(slots->byte + slots->reg);
    out->regs = out->inner & ~out->bytes;
    out->lanes = zl_ones(out->bits) & ~out->inner;
    out->plane = out->bytes | out->lanes;
    out->map = *map;
    return map->bits == out->bits && !(map->constant & ~zl_ones(out->bits)) &&
           zl_map_invert(&out->inverse, map);
}

/* ---- costs --------------------------------------------------------------------------------- */

/* A register is whole in its lane when its word's bytes and lane are the slot's own, which for the
 * registers of one lane is a linear system. */
static uint32_t touched(const zl_wanted *w, const zl_affine *back)
{
    uint64_t mixed = 0, own = back->constant & w->plane;
    uint32_t regs = 1u << w->slots.reg;
    zl_space s = {.pivots = 0};
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
    return zl_wanted_of(&w, slots, map) ? touched(&w, &w.inverse) : 0;
}

static bool is_inner(zl_step_id id)
{
    return id == ZL_STEP_REG || id == ZL_STEP_SELP || id == ZL_STEP_PRMT;
}

/* The cheapest generator of a step that is inside lanes, or a plain shuffle. */
static zl_step_id kind(const zl_wanted *w, const zl_affine *map, const zl_affine *back,
                       zl_step_id id)
{
    uint64_t other = back->constant & w->bytes, lanes = 0;
    if (is_inner(id)) {
        if (!touched(w, back)) return ZL_STEP_REG;
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

/* ---- steps that become one ---------------------------------------------------------------------- */

/* What two neighbours are as one step; ZL_STEPS: they stay two. A renaming joins anything, bytes that
 * move inside registers join a step that chooses bytes. */
static zl_step_id joined(const zl_wanted *w, const zl_step *a, zl_step_id id,
                         const zl_affine *map, const zl_affine *both)
{
    if (is_inner(a->id) && is_inner(id))
        return zl_inner_rank(w, both) < 2 ? ZL_STEP_PRMT : ZL_STEPS;
    if (a->id == ZL_STEP_REG) return id;
    if (id == ZL_STEP_REG) return a->id;
    bool first = a->id == ZL_STEP_EXCHANGE && is_inner(id) && !zl_inner_rank(w, map);
    bool second = id == ZL_STEP_EXCHANGE && is_inner(a->id) && !zl_inner_rank(w, &a->map);
    return first || second ? ZL_STEP_EXCHANGE : ZL_STEPS;
}

static void step_set(zl_step *out, const zl_wanted *w, zl_step_id id, const zl_affine *map)
{
    zl_affine back;
    zl_map_invert(&back, map);
    out->id = kind(w, map, &back, id);
    out->instructions = touched(w, &back) * rows[out->id].each;
    out->map = *map;
}

static void count(zl_word *word)
{
    word->rounds = word->instructions = 0;
    for (uint32_t i = 0; i < word->count; i++) {
        word->rounds += rows[word->step[i].id].rounds;
        word->instructions += word->step[i].instructions;
    }
}

bool zl_word_put(zl_word *word, const zl_wanted *w, zl_step_id id, const zl_affine *map)
{
    zl_affine both;
    zl_step now;
    step_set(&now, w, id, map);
    if (now.id == ZL_STEP_IDX || now.id == ZL_STEP_BFLY)
        if (!now.instructions && !zl_map_stays(w, map)) return false;
    zl_step *last = word->count ? &word->step[word->count - 1] : NULL;
    if (last) {
        zl_map_product(&both, map, &last->map);
        zl_step_id one = joined(w, last, now.id, map, &both);
        if (one != ZL_STEPS) {
            step_set(last, w, one, &both);
            count(word);
            return true;
        }
    }
    if (word->count == ZL_WORD_STEPS) return false;
    word->step[word->count++] = now;
    count(word);
    return true;
}

/* ---- the least word ---------------------------------------------------------------------------- */

typedef struct search {
    zl_word best, trial;
    bool found;
    uint32_t least; /* instructions that no word of one round goes below */
} search;

static void keep(search *s, bool made)
{
    if (!made) return;
    bool better = !s->found || s->trial.rounds < s->best.rounds ||
                  (s->trial.rounds == s->best.rounds &&
                   s->trial.instructions < s->best.instructions);
    if (better) s->best = s->trial;
    s->found = true;
}

static zl_word *trial(search *s)
{
    s->trial.count = 0;
    count(&s->trial);
    return &s->trial;
}

static uint32_t lesser(uint32_t a, uint32_t b) { return a < b ? a : b; }

static void bound(search *s, uint32_t instructions) { s->least = lesser(s->least, instructions); }

/* Both ways of keeping bytes together, where registers have any. */
static void rounds_try(search *s, const zl_wanted *w, bool fixed)
{
    bool made = zl_round_put(trial(s), w, (zl_round_way){false, fixed});
    uint32_t regs = 1u << w->slots.reg, selects = zl_round_selects(w);
    keep(s, made);
    if (!made) return;
    uint32_t moved = regs;
    for (uint32_t i = 0; i < s->trial.count; i++)
        if (s->trial.step[i].id == ZL_STEP_BFLY) moved = s->trial.step[i].instructions;
    bool exact = fixed && !w->slots.byte;
    bound(s, exact ? s->trial.instructions : selects * regs + moved);
    if (w->slots.byte) keep(s, zl_round_put(trial(s), w, (zl_round_way){true, fixed}));
}

static void crossing_try(search *s, const zl_wanted *w)
{
    s->least = UINT32_MAX;
    rounds_try(s, w, true);
    uint32_t regs = 1u << w->slots.reg;
    if (!s->found || s->best.instructions > (zl_round_selects(w) + 1) * regs)
        rounds_try(s, w, false);
    uint32_t least = s->found ? s->best.instructions : UINT32_MAX;
    keep(s, zl_exchange_put(trial(s), &least, w));
    bound(s, least);
    keep(s, zl_matrix_put(trial(s), w, false));
    keep(s, zl_matrix_put(trial(s), w, true));
    if (zl_matrix_may(w)) bound(s, regs);
    bound(s, s->best.instructions);
}

/* A map whose rank of lane <- byte, register is at most the registers' bits. */
static bool round_try(search *s, const zl_wanted *w)
{
    s->found = false;
    if (zl_map_stays(w, &w->map)) {
        keep(s, zl_inner_put(trial(s), w, &w->map));
        s->least = s->best.instructions;
    } else crossing_try(s, w);
    return s->found;
}

static unsigned crossing_rank(const zl_wanted *w)
{
    zl_space s = {.pivots = 0};
    for (uint64_t left = w->inner; left; left &= left - 1)
        zl_space_put(&s, w->map.basis[__builtin_ctzll(left)] & w->lanes);
    return zl_space_rank(&s);
}

static bool append(zl_word *out, search *s, const zl_wanted *w)
{
    bool room = round_try(s, w);
    for (uint32_t i = 0; i < s->best.count && room; i++)
        room = zl_word_put(out, w, s->best.step[i].id, &s->best.step[i].map);
    return room;
}

/* One round takes at most as much rank away as registers have bits, or 1: those rounds first. */
static bool rounds_put(zl_word *out, search *s, const zl_wanted *whole)
{
    zl_wanted w = *whole, part;
    zl_affine first, back;
    unsigned reg = w.slots.reg, rank = crossing_rank(&w);
    for (; rank > reg; rank = crossing_rank(&w)) {
        zl_peel(&first, &w, reg && rank - reg > reg ? reg : reg ? rank - reg : 1);
        zl_wanted_of(&part, &w.slots, &first);
        bool made = reg ? append(out, s, &part)
                        : zl_word_put(out, &w, ZL_STEP_EXCHANGE, &first);
        zl_map_invert(&back, &first);
        zl_map_product(&back, &w.map, &back);
        if (!made || !zl_wanted_of(&w, &w.slots, &back)) return false;
    }
    return append(out, s, &w);
}

static void lower_set(zl_word *out, const search *s, const zl_wanted *w)
{
    unsigned reg = w->slots.reg, rank = crossing_rank(w), regs = 1u << reg;
    bool stays = zl_map_stays(w, &w->map);
    if (rank > reg) {
        out->lower_rounds = reg ? (rank + reg - 1) / reg : rank;
        out->lower_instructions = reg ? out->lower_rounds * ((regs + 1) / 2) : 2 * rank;
    } else {
        out->lower_rounds = stays ? 0 : 1;
        out->lower_instructions = s->least;
    }
    out->optimal = out->rounds == out->lower_rounds &&
                   out->instructions <= out->lower_instructions;
}

/* ---- through shared memory ------------------------------------------------------------------- */

static bool keeps(const zl_affine *map, uint64_t bits)
{
    uint64_t moved = map->constant;
    for (unsigned k = 0; k < map->bits; k++) moved |= map->basis[k] ^ (bits & (uint64_t)1 << k);
    return !(moved & bits);
}

static uint64_t block_bits(const zl_wanted *w)
{
    return zl_ones(w->bits) & ~zl_ones(w->bits - w->slots.block);
}

static uint64_t warp_bits(const zl_wanted *w)
{
    return zl_ones(w->bits) & ~zl_ones(w->bits - w->slots.block - w->slots.warp);
}

/* Registers with a part that comes from another warp: each is stored and loaded in any word. */
static uint32_t far(const zl_wanted *w)
{
    zl_wanted warps = *w;
    zl_affine back = w->inverse;
    uint64_t keep_own = ~(warp_bits(w));
    for (unsigned k = 0; k < w->bits; k++)
        back.basis[k] = (back.basis[k] & ~keep_own) | ((uint64_t)1 << k & keep_own);
    back.constant &= ~keep_own;
    return touched(&warps, &back);
}

static void shared_put(zl_word *out, const zl_wanted *w)
{
    zl_affine same;
    uint32_t moved = touched(w, &w->inverse);
    bool block = !keeps(&w->map, block_bits(w));
    zl_map_same(&same, w->bits);
    out->step[0] = (zl_step){block ? ZL_STEP_DSMEM : ZL_STEP_STORE, moved, w->map};
    out->step[1] = (zl_step){ZL_STEP_SYNC, 1, same};
    out->step[2] = (zl_step){ZL_STEP_LOAD, moved, same};
    out->count = 3;
    count(out);
    out->lower_rounds = 0;
    out->lower_instructions = 2 * far(w) + 1;
    out->optimal = out->instructions == out->lower_instructions;
}

/* ---- the answer ---------------------------------------------------------------------------- */

zlay_status zl_slots_check(zlay_ctx *ctx, const zl_slots *s)
{
    if (s->byte > BYTE_MOST || s->reg > REG_MOST || s->lane > LANE_MOST || s->warp > ZL_SLOT_BITS ||
        s->block > ZL_SLOT_BITS || zl_slots_bits(s) > ZL_SLOT_BITS)
        return zl_fail(ctx, ZLAY_ELIMIT,
                       "slots: 2 bits of byte, 8 of register, 6 of lane and 32 in all are the most, "
                       "these are %u, %u, %u and %u",
                       s->byte, s->reg, s->lane, zl_slots_bits(s));
    return ZLAY_OK;
}

static zlay_status recompose(zlay_ctx *ctx, const zl_word *word, const zl_affine *map)
{
    zl_affine product;
    zl_map_same(&product, map->bits);
    for (uint32_t i = 0; i < word->count; i++)
        zl_map_product(&product, &word->step[i].map, &product);
    if (map_equal(&product, map)) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINTERNAL, "word: its steps give another map");
}

static zlay_status in_warp(zlay_ctx *ctx, zl_word *out, const zl_wanted *w)
{
    zlay_allocator alloc = zl_allocator(ctx);
    search *s = zl_alloc(ctx, 1, sizeof *s);
    if (!s) return ZLAY_ENOMEM;
    bool made = rounds_put(out, s, w);
    lower_set(out, s, w);
    zl_free(&alloc, s, sizeof *s);
    return made ? ZLAY_OK : zl_fail(ctx, ZLAY_EINTERNAL, "word: more than %d steps", ZL_WORD_STEPS);
}

zlay_status zl_word_find(zlay_ctx *ctx, zl_word *out, const zl_slots *slots, const zl_affine *map)
{
    zl_wanted w;
    zlay_status status = zl_slots_check(ctx, slots);
    if (status) return status;
    if (!zl_wanted_of(&w, slots, map))
        return zl_fail(ctx, ZLAY_EINVAL, "map: is no bijection of 2^%u slots",
                       zl_slots_bits(slots));
    out->slots = *slots;
    out->count = 0;
    count(out);
    if (keeps(map, warp_bits(&w))) status = in_warp(ctx, out, &w);
    else shared_put(out, &w);
    return status ? status : recompose(ctx, out, map);
}
