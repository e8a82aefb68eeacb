/* SPDX-License-Identifier: Apache-2.0 */
/* Adds steps to a conversion's plan, counts the instructions of moves inside a lane, composes all
 * steps into one map (which the certificate compares with the request), and sums the plan's
 * cost. */
#include "synth/convert/convert.h"

zl_convert_step *zl_step_add(zlay_convert *plan, int32_t op, const zl_bitmap *back, uint64_t before)
{
    zl_convert_step *step = &plan->step[plan->info.steps++];
    step->info.op = op;
    step->info.access = step->info.generator = -1;
    step->info.name = "";
    step->before = before;
    if (!back) return step;
    step->after = back->has;
    step->back = *back;
    step->has_back = true;
    step->has_forward = zl_bitmap_invert(&step->forward, back, before);
    return step;
}

/* ---- in a lane --------------------------------------------------------------------------- */

/* How a step inside a lane makes its 32-bit words. */
typedef struct in_lane {
    unsigned selects; /* log2 of the words that lanes choose between; as many stages of selects */
    unsigned sources; /* log2 of the words that one word's bytes come from */
    bool bytes;       /* bytes change their places in words */
} in_lane;

static in_lane look(const zl_conversion *c, const zl_bitmap *back)
{
    const uint64_t inside = zl_bit(c->word) - 1, words = ZL_REGISTERS & ~inside;
    zl_solver selects, sources;
    selects.pivots = sources.pivots = 0;
    bool bytes = false;
    for (uint64_t left = back->has; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        uint64_t to = back->to[k];
        bool is_byte = zl_bit(k) & inside;
        bytes |= (to & inside) != (zl_bit(k) & inside);
        if (is_byte) zl_solver_put(&sources, to & words, 0);
        if (zl_bit(k) & ZL_THREADS) zl_solver_put(&selects, to & words, 0);
    }
    in_lane found = {(unsigned)__builtin_popcountll(selects.pivots),
                     (unsigned)__builtin_popcountll(sources.pivots), bytes};
    found.bytes |= found.sources > 0;
    return found;
}

/* A word whose bytes come from s words takes s - 1 permutes, and at least one where bytes move.  A
 * choice between 2^j words takes j stages, of one select for each word. */
uint32_t zl_in_lane_count(const zl_conversion *c, const zl_bitmap *back)
{
    unsigned bits = (unsigned)__builtin_popcountll(back->has & ZL_REGISTERS);
    in_lane found = look(c, back);
    uint32_t permutes = (1u << found.sources) - 1;
    if (found.bytes && !permutes) permutes = 1;
    uint32_t words = (bits > c->word ? 1u << (bits - c->word) : 1) * c->words;
    return words * (found.selects + permutes);
}

static bool is_identity(const zl_bitmap *back, uint64_t before)
{
    for (uint64_t left = back->has; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        if (back->to[k] != zl_bit(k)) return false;
    }
    return back->has == before;
}

const char *zl_convert_name(const zl_conversion *c, zl_step_name name)
{
    static const char *const names[ZL_NAMES][2] = {
#define NAME(step, ptx, other) {ptx, other},
#include "synth/convert/names.def"
#undef NAME
    };
    return names[name][c->machine.ptx == 0];
}

void zl_step_in_lane(const zl_conversion *c, zlay_convert *plan, const zl_bitmap *back,
                     uint64_t before)
{
    if (is_identity(back, before)) return;
    uint32_t count = zl_in_lane_count(c, back);
    int32_t op = count ? ZLAY_CONVERT_PRMT : ZLAY_CONVERT_REG;
    zl_convert_step *step = zl_step_add(plan, op, back, before);
    step->info.width = c->words * 4;
    step->info.instructions = count;
    step->cost = count * ZL_COST_PRMT;
    if (count) step->info.name = zl_convert_name(c, ZL_NAME_PERMUTE);
}

/* ---- sequences --------------------------------------------------------------------------- */

/* Solves from a place in shared memory to the slot that stores there; idle slots do not store. */
static zlay_status senders(const zl_convert_step *step, zl_solver *s)
{
    uint64_t left = step->before;
    for (zl_level l = ZL_REGISTER; l < ZL_LEVELS; l++)
        left &= ~(step->info.idle[l] << zl_level_low[l]);
    s->pivots = 0;
    for (; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        if (!zl_solver_put(s, step->forward.to[k], zl_bit(k))) return ZLAY_EINTERNAL;
    }
    return ZLAY_OK;
}

/* Replaces the places behind a step by the places before it whose values they get. */
static zlay_status go_back(const zl_convert_step *step, zl_bitmap *map)
{
    zl_solver s;
    uint64_t image;
    zlay_status status = ZLAY_OK;
    if (step->info.op == ZLAY_CONVERT_SYNC) return ZLAY_OK;
    if (!step->has_back) status = senders(step, &s);
    for (uint64_t left = status ? 0 : map->has; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        if (step->has_back) map->to[k] = zl_bitmap_at(&step->back, map->to[k]);
        else if (zl_solver_reduce(&s, map->to[k], &image)) return ZLAY_EINTERNAL;
        else map->to[k] = image;
    }
    return status;
}

zlay_status zl_plan_compose(const zlay_convert *plan, const zl_conversion *c, zl_bitmap *out)
{
    zlay_status status = ZLAY_OK;
    out->has = 0;
    for (uint64_t left = c->dst.has; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        zl_bitmap_put(out, k, zl_bit(k));
    }
    for (uint32_t i = plan->info.steps; i-- && !status;) status = go_back(&plan->step[i], out);
    return status;
}

/* ---- costs ------------------------------------------------------------------------------- */

uint32_t zl_plan_cost(const zlay_convert *plan)
{
    uint32_t cost = 0;
    for (uint32_t i = 0; i < plan->info.steps; i++) cost += plan->step[i].cost;
    return cost;
}
