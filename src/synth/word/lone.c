/* SPDX-License-Identifier: Apache-2.0 */
/* Words for lanes with one register, whose parts must cross to other lanes. With R = [P Q; S T]
 * on (byte, lane), an exchange lowers the rank of S by one and a shuffle does not; maps inside
 * lanes join exchanges. So rank S exchanges are needed. They suffice when T = I + S B for some B:
 * then R is a map inside lanes, the exchanges l += u f(byte) whose u f sum to S, and a map inside
 * lanes. Otherwise one shuffle with C = T + S B' before them gives T this form.
 *
 * Where B is a sum of maps, one for each exchange, which the other exchanges neither change nor see,
 * each exchange swaps a byte bit and a lane bit: with its part of B before it and behind it. */
#include "synth/word/round.h"

/* The columns of S with their preimages: in the low half the lanes, in the high half the bytes. */
static void reached(zl_space *out, const zl_wanted *w, const zl_affine *map)
{
    out->pivots = 0;
    for (uint64_t left = w->inner; left; left &= left - 1) {
        uint64_t to = map->basis[__builtin_ctzll(left)] & w->lanes;
        uint64_t rest = zl_space_rest(out, to | (left & (0 - left)) << ZL_SLOT_BITS);
        if (rest & UINT32_MAX) zl_space_put(out, rest);
    }
}

/* Finds y with S y = lanes; false: there is none. */
static bool before(const zl_space *s, uint64_t lanes, uint64_t *y)
{
    uint64_t rest = zl_space_rest(s, lanes);
    *y = rest >> ZL_SLOT_BITS;
    return !(rest & UINT32_MAX);
}

/* Finds x -> x + B l with T + S B = I, where the lanes' constant is in the image of S; false:
 * there is none. */
static bool settle(zl_affine *out, const zl_wanted *w, const zl_affine *map)
{
    zl_space s;
    uint64_t y;
    reached(&s, w, map);
    zl_map_same(out, w->bits);
    for (uint64_t left = w->lanes; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        if (!before(&s, (map->basis[k] ^ (uint64_t)1 << k) & w->lanes, &y)) return false;
        out->basis[k] ^= y;
    }
    return before(&s, map->constant & w->lanes, &y);
}

/* Makes C = T + S B invertible: where T has not full rank, it takes a column of S. */
static void shuffle_of(zl_affine *out, const zl_wanted *w)
{
    zl_space s, span = {.pivots = 0};
    uint64_t short_of = 0;
    reached(&s, w, &w->map);
    zl_map_same(out, w->bits);
    out->constant = w->map.constant & w->lanes;
    for (uint64_t left = w->lanes; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        out->basis[k] = w->map.basis[k] & w->lanes;
        if (!zl_space_put(&span, out->basis[k])) short_of |= left & (0 - left);
    }
    for (uint64_t from = s.pivots; short_of && from; from &= from - 1) {
        uint64_t column = s.value[__builtin_ctzll(from)] & UINT32_MAX;
        if (!zl_space_put(&span, column)) continue;
        out->basis[__builtin_ctzll(short_of)] ^= column;
        short_of &= short_of - 1;
    }
}

/* The exchange l += u f(byte): u is the column of S with the pivot, and f has the bytes whose
 * columns have the pivot. */
static void exchange_of(zl_affine *out, const zl_wanted *w, const zl_affine *map,
                        const zl_space *s, unsigned pivot)
{
    uint64_t u = s->value[pivot] & UINT32_MAX;
    zl_map_same(out, w->bits);
    for (uint64_t left = w->inner; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        if (map->basis[k] >> pivot & 1) out->basis[k] ^= u;
    }
    if (map->constant >> pivot & 1) out->constant = u;
}

static void take_off(zl_affine *rest, const zl_affine *first)
{
    zl_affine back;
    zl_map_invert(&back, first);
    zl_map_product(rest, rest, &back);
}

bool zl_lone_shuffles(const zl_wanted *w)
{
    zl_affine settled;
    return !settle(&settled, w, &w->map);
}

bool zl_lone_put(zl_word *word, const zl_wanted *w)
{
    zl_affine rest = w->map, first, one;
    zl_space s;
    if (!settle(&first, w, &rest)) {
        shuffle_of(&first, w);
        if (!zl_word_put(word, w, ZL_STEP_IDX, &first)) return false;
        take_off(&rest, &first);
        settle(&first, w, &rest);
    }
    if (!zl_word_put(word, w, ZL_STEP_PRMT, &first)) return false;
    take_off(&rest, &first);
    reached(&s, w, &rest);
    const zl_affine whole = rest;
    for (uint64_t left = s.pivots; left; left &= left - 1) {
        exchange_of(&one, w, &whole, &s, (unsigned)__builtin_ctzll(left));
        if (!zl_word_put(word, w, ZL_STEP_EXCHANGE, &one)) return false;
        take_off(&rest, &one);
    }
    return zl_word_put(word, w, ZL_STEP_PRMT, &rest);
}

/* The part of B that makes bytes for one exchange: those lanes of which it sees B's bytes add y. */
static void part_of(zl_affine *out, const zl_wanted *w, const zl_affine *settled, const zl_space *s,
                    unsigned pivot)
{
    uint64_t y = s->value[pivot] >> ZL_SLOT_BITS;
    zl_map_same(out, w->bits);
    for (uint64_t left = w->lanes; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        uint64_t made = settled->basis[k] & w->inner, seen = zl_xor_of(w->map.basis, made);
        if (seen >> pivot & 1) out->basis[k] ^= y;
    }
}

bool zl_lone_swaps_put(zl_word *word, const zl_wanted *w)
{
    zl_affine rest = w->map, settled, part, one;
    zl_space s;
    if (!settle(&settled, w, &rest)) return false;
    reached(&s, w, &rest);
    for (uint64_t left = s.pivots; left; left &= left - 1) {
        unsigned pivot = (unsigned)__builtin_ctzll(left);
        exchange_of(&one, w, &w->map, &s, pivot);
        part_of(&part, w, &settled, &s, pivot);
        zl_map_product(&one, &one, &part);
        zl_map_product(&one, &part, &one);
        if (!zl_word_put(word, w, ZL_STEP_EXCHANGE, &one)) return false;
        take_off(&rest, &one);
    }
    return zl_map_stays(w, &rest) && zl_word_put(word, w, ZL_STEP_PRMT, &rest);
}
