/* SPDX-License-Identifier: Apache-2.0 */
/* Plans a bijection inside warps.  synth/word factors it into a word, a product of generators such
 * as byte permutes, shuffles and matrix transposes; each generator becomes a step of the plan. */
#include "synth/convert/convert.h"
#include "synth/word/word.h"

enum { DRAWS = 2, PAIRS = 1 };

/* The bits of a word's slots, and their places in a slot of a conversion. */
typedef struct packing {
    zl_slots slots;
    unsigned bits, place[ZL_SLOT_BITS];
} packing;

static unsigned level_bits(const zl_conversion *c, zl_level level)
{
    return (unsigned)__builtin_popcountll(c->src.has & zl_level_mask(level));
}

/* False: there are more bits than a word takes, or src and dst have different slots. */
static bool packing_of(packing *out, const zl_conversion *c)
{
    unsigned registers = level_bits(c, ZL_REGISTER);
    unsigned byte = registers < c->word ? registers : c->word;
    out->slots = (zl_slots){byte, registers - byte, level_bits(c, ZL_LANE), level_bits(c, ZL_WARP),
                            level_bits(c, ZL_BLOCK)};
    out->bits = 0;
    if (c->src.has != c->dst.has || zl_slots_check(NULL, &out->slots)) return false;
    for (uint64_t left = c->src.has; left; left &= left - 1)
        out->place[out->bits++] = (unsigned)__builtin_ctzll(left);
    return true;
}

static uint64_t packed(const packing *p, uint64_t slot)
{
    uint64_t value = 0;
    for (unsigned k = 0; k < p->bits; k++) value |= (slot >> p->place[k] & 1) << k;
    return value;
}

static uint64_t unpacked(const packing *p, uint64_t value)
{
    uint64_t slot = 0;
    for (; value; value &= value - 1) slot |= zl_bit(p->place[__builtin_ctzll(value)]);
    return slot;
}

/* The map from src to dst; false: it is no bijection, because two slots take from one. */
static bool wanted_of(zl_affine *out, const packing *p, const zl_conversion *c)
{
    zl_affine back = {.bits = p->bits};
    for (unsigned k = 0; k < p->bits; k++)
        back.basis[k] = packed(p, c->from.to[p->place[k]]);
    return zl_map_invert(out, &back);
}

/* ---- steps ------------------------------------------------------------------------------- */

static int32_t op_of(const zl_step_row *row, uint32_t instructions)
{
    if (row->rounds) return ZLAY_CONVERT_SHFL;
    return instructions ? ZLAY_CONVERT_PRMT : ZLAY_CONVERT_REG;
}

static const char *name_of(const zl_conversion *c, zl_step_id id, int32_t op)
{
    if (op == ZLAY_CONVERT_REG) return "";
    if (op == ZLAY_CONVERT_PRMT) return zl_convert_name(c, ZL_NAME_PERMUTE);
    if (id == ZL_STEP_MATRIX) return zl_convert_name(c, ZL_NAME_MATRIX);
    return zl_convert_name(c, id == ZL_STEP_IDX ? ZL_NAME_SHUFFLE : ZL_NAME_BUTTERFLY);
}

static void step_put(zlay_convert *plan, const zl_conversion *c, const packing *p,
                     const zl_word_step *from)
{
    const zl_step_row *row = zl_step_row_of(from->id);
    int32_t op = op_of(row, from->instructions);
    uint32_t shuffles = row->rounds ? from->instructions / row->each : 0;
    zl_affine way_back;
    zl_convert_step *step = zl_step_add(plan, op, NULL, c->src.has);
    zl_map_invert(&way_back, &from->map);
    for (unsigned k = 0; k < p->bits; k++) {
        zl_bitmap_put(&step->back, p->place[k], unpacked(p, way_back.basis[k]));
        zl_bitmap_put(&step->forward, p->place[k], unpacked(p, from->map.basis[k]));
    }
    step->after = step->back.has;
    step->has_back = step->has_forward = true;
    step->info.generator = (int32_t)from->id;
    step->info.width = op == ZLAY_CONVERT_SHFL ? 4 : c->words * 4;
    step->info.instructions = from->instructions * c->words;
    step->info.name = name_of(c, from->id, op);
    step->cost = (shuffles * ZL_COST_SHFL + (from->instructions - shuffles) * ZL_COST_PRMT) *
                 c->words;
    plan->info.rounds += shuffles * c->words;
}

static zl_word_aim aim_of(const zl_conversion *c)
{
    bool whole = level_bits(c, ZL_REGISTER) >= c->word; /* movmatrix takes words of two parts */
    return (zl_word_aim){ZL_COST_SHFL / ZL_COST_PRMT, DRAWS, 0, PAIRS, c->machine.ptx > 0 && whole};
}

/* ---- shuffles alone ----------------------------------------------------------------------- */

uint32_t zl_direct_rounds(const zl_conversion *c)
{
    const uint64_t inside = zl_bit(c->word) - 1;
    zl_independent words = {.pivots = 0};
    for (uint64_t left = c->dst.has; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        uint64_t to = c->from.to[k];
        if (zl_bit(k) & inside ? to != zl_bit(k) : to & inside) return 0;
        if (zl_bit(k) & ZL_THREADS && to & ZL_REGISTERS) return 0;
        if (zl_bit(k) & ZL_REGISTERS & ~inside) zl_independent_put(&words, to);
    }
    return (1u << __builtin_popcountll(words.pivots)) * c->words;
}

void zl_convert_directly(const zl_conversion *c, zlay_convert *plan)
{
    const uint64_t registers = c->dst.has & ZL_REGISTERS, threads = c->src.has & ZL_THREADS;
    uint32_t rounds = zl_direct_rounds(c);
    zl_bitmap names = {.has = 0}, lanes = {.has = 0};
    for (uint64_t left = registers | threads; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        zl_bitmap_put(&names, k, zl_bit(k) & threads ? zl_bit(k) : c->from.to[k] & ZL_REGISTERS);
    }
    for (uint64_t left = c->dst.has; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        zl_bitmap_put(&lanes, k, (zl_bit(k) & registers) | (c->from.to[k] & ZL_THREADS));
    }
    zl_step_in_lane(c, plan, &names, c->src.has);
    zl_convert_step *step = zl_step_add(plan, ZLAY_CONVERT_SHFL, &lanes, names.has);
    step->info.width = 4;
    step->info.instructions = plan->info.rounds = rounds;
    step->info.name = zl_convert_name(c, ZL_NAME_SHUFFLE);
    step->cost = rounds * ZL_COST_SHFL;
    plan->info.optimal = plan->info.rounds <= plan->info.rounds_least;
}

uint32_t zl_word_floor(const zl_conversion *c)
{
    zl_word_aim aim = aim_of(c);
    packing p;
    zl_affine map;
    if (!packing_of(&p, c) || p.slots.byte || !wanted_of(&map, &p, c)) return 0;
    return zl_word_least_cost(&p.slots, &map, &aim) * c->words;
}

zlay_status zl_convert_by_word(const zl_conversion *c, zlay_convert *plan, bool *served)
{
    const zl_word_aim aim = aim_of(c);
    zlay_allocator alloc = zl_allocator(c->ctx);
    packing p;
    zl_affine map;
    *served = packing_of(&p, c) && wanted_of(&map, &p, c);
    if (!*served) return ZLAY_OK;
    zl_word *word = zl_alloc_plain(c->ctx, 1, sizeof *word);
    if (!word) return ZLAY_ENOMEM;
    zlay_status status = zl_word_find(c->ctx, word, &p.slots, &map, &aim);
    *served = !status && word->count <= ZL_CONVERT_STEPS;
    for (uint32_t i = 0; *served && i < word->count; i++) step_put(plan, c, &p, &word->step[i]);
    zl_free(&alloc, word, sizeof *word);
    return status;
}
