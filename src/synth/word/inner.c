/* SPDX-License-Identifier: Apache-2.0 */
/* Steps for maps inside lanes. Let B be the span of the byte and the lane bits, and g the map. A
 * register's word comes from the registers on which g^-1(B) lies, so g needs as many selects of
 * every register as g^-1(B) has dimensions outside B. This number suffices: replace the vectors
 * of B one by one by vectors of g^-1(B), and consecutive subspaces differ by one dimension, which
 * is one select. Fewer do not suffice, because the rank of a product is at most the sum of the
 * ranks. */
#include "synth/word/round.h"

/* ---- frames ----------------------------------------------------------------------------- */

static bool has(const zl_space *s, uint64_t v) { return !zl_space_rest(s, v); }

/* Gives the bits of `mask` images from the units of `offered`, then from the vectors of `more`,
 * each outside the span of those taken. A bit gets its own unit where that is offered. */
static void give(zl_affine *out, zl_space *taken, uint64_t mask, uint64_t offered,
                 const zl_space *more)
{
    uint64_t left = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t unit = mask & (0 - mask);
        if (offered & unit && zl_space_put(taken, unit))
            out->basis[__builtin_ctzll(unit)] = unit;
        else left |= unit;
    }
    for (uint64_t from = more->pivots; from && left; from &= from - 1) {
        uint64_t v = more->value[__builtin_ctzll(from)];
        if (!zl_space_put(taken, v)) continue;
        out->basis[__builtin_ctzll(left)] = v;
        left &= left - 1;
    }
}

/* Vectors of y by their lane bits: in the low half the lane bits, in the high half the vector. */
static void by_lane(zl_space *out, zl_space *inside, const zl_wanted *w, const zl_space *y)
{
    out->pivots = inside->pivots = 0;
    for (uint64_t left = y->pivots; left; left &= left - 1) {
        uint64_t v = y->value[__builtin_ctzll(left)];
        uint64_t rest = zl_space_rest(out, (v & w->lanes) | v << ZL_SLOT_BITS);
        if (rest & UINT32_MAX) zl_space_put(out, rest);
        else zl_space_put(inside, rest >> ZL_SLOT_BITS);
    }
}

static uint64_t units_in(const zl_space *s, uint64_t mask)
{
    uint64_t found = 0;
    for (; mask; mask &= mask - 1)
        if (has(s, mask & (0 - mask))) found |= mask & (0 - mask);
    return found;
}

void zl_plane_frame(zl_affine *out, const zl_wanted *w, const zl_space *y)
{
    zl_space lanes, inside, taken, all;
    taken.pivots = 0;
    zl_map_same(out, w->bits);
    by_lane(&lanes, &inside, w, y);
    give(out, &taken, w->bytes, units_in(&inside, w->bytes), &inside);
    zl_space_units(&all, w->inner);
    give(out, &taken, w->regs, w->regs, &all);
    for (uint64_t left = w->lanes; left; left &= left - 1) {
        uint64_t unit = left & (0 - left);
        if (!has(y, unit))
            out->basis[__builtin_ctzll(unit)] = zl_space_rest(&lanes, unit) >> ZL_SLOT_BITS;
    }
}

/* ---- steps ------------------------------------------------------------------------------ */

typedef struct chain {
    unsigned count;
    uint64_t from[ZL_SLOT_BITS], to[ZL_SLOT_BITS];
    zl_space shared, kept, made; /* of both; with `from`; with `to` */
} chain;

static void chain_add(chain *c, uint64_t from, uint64_t to)
{
    zl_space_put(&c->kept, from);
    zl_space_put(&c->made, to);
    c->from[c->count] = from;
    c->to[c->count++] = to;
}

/* Chooses a vector of y for each vector of B that has to be replaced: those over the same lanes
 * first, so that every space on the way has all lanes. */
static void chain_of(chain *c, const zl_wanted *w, const zl_space *y)
{
    zl_space plane, lanes, inside, bytes;
    zl_space_units(&plane, w->plane);
    zl_space_meet(&c->shared, y, &plane);
    c->kept = c->made = c->shared;
    c->count = 0;
    lanes.pivots = 0;
    for (uint64_t left = c->shared.pivots; left; left &= left - 1)
        zl_space_put(&lanes, c->shared.value[__builtin_ctzll(left)] & w->lanes);
    for (uint64_t left = y->pivots; left; left &= left - 1) {
        uint64_t v = y->value[__builtin_ctzll(left)];
        if (zl_space_put(&lanes, v & w->lanes)) chain_add(c, v & w->lanes, v);
    }
    zl_space_units(&bytes, w->inner);
    zl_space_meet(&inside, y, &bytes);
    for (uint64_t v; (v = zl_space_outside(&inside, &c->made, &c->made));) {
        uint64_t byte = w->bytes;
        while (byte && has(&c->kept, byte & (0 - byte))) byte &= byte - 1;
        chain_add(c, byte & (0 - byte), v);
    }
}

bool zl_inner_put(zl_word *word, const zl_wanted *w, const zl_affine *map)
{
    zl_affine back;
    zl_map_invert(&back, map);
    return zl_inner_put_known(word, w, map, &back);
}

/* Puts the steps of the chain; `before` is the frame that the last step made, `before_back` its
 * inverse. */
static bool chain_put(zl_word *word, const zl_wanted *w, const zl_affine *map, const zl_affine *back)
{
    zl_affine before, before_back, frame, frame_back, step, step_back;
    zl_space plane, y;
    chain c;
    zl_space_units(&plane, w->plane);
    zl_space_image(&y, back, &plane);
    chain_of(&c, w, &y);
    zl_map_same(&before, w->bits);
    zl_map_same(&before_back, w->bits);
    for (unsigned i = 0; i + 1 < c.count; i++) {
        zl_space now = c.shared;
        for (unsigned k = 0; k < c.count; k++) zl_space_put(&now, k <= i ? c.to[k] : c.from[k]);
        zl_plane_frame(&frame, w, &now);
        zl_map_invert(&frame_back, &frame);
        zl_map_product(&step, &frame_back, &before);
        zl_map_product(&step_back, &before_back, &frame);
        if (!zl_word_put_known(word, w, ZL_STEP_PRMT, &step, &step_back)) return false;
        zl_map_copy(&before, &frame);
        zl_map_copy(&before_back, &frame_back);
    }
    zl_map_product(&step, map, &before);
    zl_map_product(&step_back, &before_back, back);
    return zl_word_put_known(word, w, ZL_STEP_PRMT, &step, &step_back);
}

/* Puts the map with its known inverse. The rank is the length of the chain; below 2 the map
 * itself is one step. */
bool zl_inner_put_known(zl_word *word, const zl_wanted *w, const zl_affine *map,
                        const zl_affine *back)
{
    if (zl_inner_rank_back(w, back) > 1) return chain_put(word, w, map, back);
    return zl_word_put_known(word, w, ZL_STEP_PRMT, map, back);
}
