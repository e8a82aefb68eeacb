/* SPDX-License-Identifier: Apache-2.0 */
/* Makes one round: the map R as P1 o Sh o P0, where P0 and P1 stay in lanes. P0 is known up to a
 * renaming by Y = P0^-1(B), where B is the span of byte and lane bits. With K the inner bits, the
 * shuffle needs Y n K = Y n R^-1 K = W, a space of as many dimensions as B has bytes; every such
 * Y is possible. P0 costs the dimensions of Y outside B, P1 those outside R^-1 B, so Y is chosen
 * to have as much of both as the two conditions allow. */
#include "synth/word/round.h"
#include "base/arith.h"

typedef struct round {
    const zl_wanted *w;
    zl_space inner, inner_then; /* K, R^-1 K */
    zl_space plane, plane_then; /* B and R^-1 B, with W */
    zl_space room;              /* where Y is sought: all, or what keeps its lane */
    zl_space y, past, past_then; /* Y; with K; with R^-1 K */
} round;

static void take(round *r, uint64_t v)
{
    zl_space_put(&r->y, v);
    zl_space_put(&r->past, v);
    zl_space_put(&r->past_then, v);
}

static void take_all(round *r, const zl_space *from)
{
    for (uint64_t v; (v = zl_space_outside(from, &r->past, &r->past_then));) take(r, v);
}

/* ---- W --------------------------------------------------------------------------------- */

static void add_up_to(zl_space *s, const zl_space *from, unsigned most)
{
    for (uint64_t left = from->pivots; left && zl_space_rank(s) < most; left &= left - 1)
        zl_space_put(s, from->value[__builtin_ctzll(left)]);
}

/* The span of the bytes, and of the inner part of the image of bytes and lanes. */
static void reach(zl_space *out, const zl_wanted *w, const zl_affine *map)
{
    zl_space_units(out, w->bytes);
    for (uint64_t left = w->plane; left; left &= left - 1)
        zl_space_put(out, map->basis[__builtin_ctzll(left)] & w->inner);
}

/* Some vectors of a space; the same `draw` gives the same vectors. */
static void drawn(zl_space *out, const zl_space *from, unsigned most, unsigned draw)
{
    uint64_t state = draw * UINT64_C(0x9e3779b97f4a7c15);
    for (unsigned tries = 0; tries < 4 * most; tries++) {
        uint64_t v = 0;
        state = (state ^ state >> 29) * UINT64_C(0xbf58476d1ce4e5b9) + draw;
        for (uint64_t left = from->pivots; left; left &= left - 1)
            if (state >> (8 + __builtin_ctzll(left)) & 1) v ^= from->value[__builtin_ctzll(left)];
        if (zl_space_rank(out) < most) zl_space_put(out, v);
    }
}

/* Chooses W, the parts that stay together through the shuffle: bytes that stay bytes, then, by
 * the draw, bytes of one side, vectors near them by bytes and lanes, or any. */
static void same_word(zl_space *out, const zl_wanted *w, const zl_space *still, unsigned draw)
{
    zl_space bytes, side[2], near[2], both, close;
    unsigned most = w->slots.byte, first = draw & 1;
    out->pivots = 0;
    if (!most) return;
    zl_space_units(&bytes, w->bytes);
    zl_space_meet(&side[0], still, &bytes);
    zl_space_image(&both, &w->inverse, &bytes);
    zl_space_meet(&side[1], still, &both);
    zl_space_meet(&both, &side[0], &side[1]);
    add_up_to(out, &both, most);
    if (draw >= 4) drawn(out, still, most, draw);
    if (draw < 2) add_up_to(out, &side[first], most);
    if (draw < 2) add_up_to(out, &side[!first], most);
    if (zl_space_rank(out) == most) return;
    reach(&both, w, &w->inverse);
    zl_space_meet(&near[0], still, &both);
    reach(&close, w, &w->map);
    zl_space_image(&both, &w->inverse, &close);
    zl_space_meet(&near[1], still, &both);
    zl_space_meet(&close, &near[0], &near[1]);
    add_up_to(out, &close, most);
    add_up_to(out, &near[first], most);
    add_up_to(out, &near[!first], most);
    add_up_to(out, still, most);
}

/* ---- Y --------------------------------------------------------------------------------- */

/* A complement of K in a space that continues Y. */
static void complement(zl_space *out, const round *r, const zl_space *within,
                       const zl_space *past)
{
    zl_space avoided = *past;
    *out = r->y;
    for (uint64_t v; (v = zl_space_outside(within, &avoided, &avoided));) {
        zl_space_put(out, v);
        zl_space_put(&avoided, v);
    }
}

static void meet_after(zl_space *out, const zl_space *sum, const zl_space *with,
                       const zl_space *of)
{
    zl_space both = *sum;
    zl_space_join(&both, with);
    zl_space_meet(out, &both, of);
}

/* Takes vectors of a space that are outside two others, at most `most`. */
static void take_outside(round *r, const zl_space *from, zl_space one, zl_space other,
                         unsigned most)
{
    for (uint64_t v; most && (v = zl_space_outside(from, &one, &other)); most--) {
        zl_space_put(&one, v);
        zl_space_put(&other, v);
        take(r, v);
    }
}

/* docs/synthesis.md proves the counts: with L1 and L2 complements of K and R^-1 K in the two
 * planes that share what Y has already, t = L1 n R^-1 K and p = L2 n K, Y can have q - t more of
 * L1 and the lesser of t and q - p more of L2. */
static void take_both(round *r)
{
    zl_space one, two, barred, other, start = r->y;
    unsigned base = zl_space_rank(&r->y);
    complement(&one, r, &r->plane, &r->past);
    complement(&two, r, &r->plane_then, &r->past_then);
    zl_space_meet(&barred, &one, &r->inner_then);
    unsigned t = zl_space_rank(&barred), w = r->w->slots.byte;
    unsigned q = zl_space_rank(&one) - base;
    t = t > w ? t - w : 0;
    zl_space_join(&barred, &start);
    meet_after(&other, &r->inner_then, &one, &two);
    zl_space held;
    zl_space_meet(&held, &two, &r->inner);
    zl_space_join(&held, &start);
    zl_space_join(&other, &start);
    take_outside(r, &two, other, held, t);
    meet_after(&other, &r->y, &r->inner, &one);
    zl_space_join(&other, &start);
    take_outside(r, &one, barred, other, q > t ? q - t : 0);
}

static void meet_into(zl_space *s, const zl_space *with)
{
    zl_space both;
    zl_space_meet(&both, s, with);
    *s = both;
}

static void round_begin(round *r, const zl_wanted *w, zl_round_way way)
{
    zl_space still, same;
    zl_affine moved = w->map;
    r->w = w;
    zl_space_units(&r->inner, w->inner);
    zl_space_image(&r->inner_then, &w->inverse, &r->inner);
    zl_space_units(&r->plane, w->plane);
    zl_space_image(&r->plane_then, &w->inverse, &r->plane);
    zl_space_meet(&still, &r->inner, &r->inner_then);
    same_word(&same, w, &still, way.draw);
    zl_space_join(&r->plane, &same);
    zl_space_join(&r->plane_then, &same);
    for (unsigned k = 0; k < w->bits; k++) moved.basis[k] ^= (uint64_t)1 << k;
    if (way.fixed) zl_space_kernel(&r->room, &moved, w->lanes);
    else zl_space_units(&r->room, w->inner | w->lanes);
    r->y = same;
    r->past = r->inner;
    r->past_then = r->inner_then;
}

/* Searches Y; false: fewer bytes of a register stay together than must, or no mask moves the
 * lanes. */
static bool round_search(round *r, const zl_wanted *w, zl_round_way way)
{
    zl_space both;
    round_begin(r, w, way);
    if (zl_space_rank(&r->y) < w->slots.byte) return false;
    meet_into(&r->plane, &r->room);
    meet_into(&r->plane_then, &r->room);
    zl_space_meet(&both, &r->plane, &r->plane_then);
    take_all(r, &both);
    if (!way.fixed) take_both(r);
    take_all(r, &r->plane);
    take_all(r, &r->plane_then);
    take_all(r, &r->room);
    return zl_space_rank(&r->y) == (unsigned)__builtin_popcountll(w->plane);
}

/* ---- steps ----------------------------------------------------------------------------- */

typedef struct parts {
    zl_affine first, shuffle, rest;
    zl_affine first_back, shuffle_back, rest_back;
} parts;

/* The names of registers that a map inside lanes gives, where no select is needed. */
static void names_of(zl_affine *out, const zl_wanted *w, const zl_affine *map)
{
    zl_map_same(out, w->bits);
    for (uint64_t left = w->regs; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        out->basis[k] = map->basis[k] & w->regs;
    }
    out->constant = map->constant & w->regs;
}

/* Moves the permutations of bytes to one side. A step that only moves bytes inside registers
 * commutes with a shuffle and is free where there is a select, so it goes to the side that has
 * one, or all go to the first side. Names stay where they are. */
static void gather_bytes(const zl_wanted *w, parts *p)
{
    zl_affine names, passed, back;
    bool before = zl_inner_rank_back(w, &p->first_back);
    bool after = zl_inner_rank_back(w, &p->rest_back);
    if (before && after) return;
    names_of(&names, w, after ? &p->first : &p->rest);
    zl_map_invert(&back, &names);
    if (!after) {
        zl_map_product(&passed, &back, &p->rest);
        zl_map_product(&passed, &passed, &p->shuffle);
        zl_map_product(&passed, &p->shuffle_back, &passed);
        zl_map_product(&p->first, &passed, &p->first);
        zl_map_copy(&p->rest, &names);
    } else {
        zl_map_product(&passed, &p->first, &back);
        zl_map_product(&passed, &passed, &p->shuffle_back);
        zl_map_product(&passed, &p->shuffle, &passed);
        zl_map_product(&p->rest, &p->rest, &passed);
        zl_map_copy(&p->first, &names);
    }
    zl_map_invert(&p->first_back, &p->first);
    zl_map_invert(&p->rest_back, &p->rest);
}

/* The selects of P0 and P1: the dimensions of Y outside B and outside R^-1 B. */
static unsigned round_selects(const round *r)
{
    zl_space now, then;
    now.pivots = then.pivots = 0;
    for (uint64_t left = r->y.pivots; left; left &= left - 1) {
        uint64_t v = r->y.value[__builtin_ctzll(left)];
        zl_space_put(&now, v & r->w->regs);
        zl_space_put(&then, zl_xor_of(r->w->map.basis, v) & r->w->regs);
    }
    return zl_space_rank(&now) + zl_space_rank(&then);
}

bool zl_round_put(zl_word *word, const zl_wanted *w, zl_round_way way)
{
    round r;
    parts p;
    if (!round_search(&r, w, way) || round_selects(&r) > way.selects) return false;
    zl_plane_frame(&p.first_back, w, &r.y);
    zl_map_product(&p.rest, &w->map, &p.first_back);
    zl_map_same(&p.shuffle, w->bits);
    for (unsigned k = 0; k < w->bits; k++)
        p.shuffle.basis[k] = (p.shuffle.basis[k] & w->inner) | (p.rest.basis[k] & w->lanes);
    p.shuffle.constant = p.rest.constant & w->lanes;
    if (!zl_map_invert(&p.shuffle_back, &p.shuffle)) return false;
    zl_map_product(&p.rest, &p.rest, &p.shuffle_back);
    zl_map_invert(&p.first, &p.first_back);
    zl_map_product(&p.rest_back, &p.first, &w->inverse);
    zl_map_product(&p.rest_back, &p.shuffle, &p.rest_back);
    if (w->bytes) gather_bytes(w, &p);
    return zl_inner_put_known(word, w, &p.first, &p.first_back) &&
           zl_word_put_known(word, w, ZL_STEP_IDX, &p.shuffle, &p.shuffle_back) &&
           zl_inner_put_known(word, w, &p.rest, &p.rest_back);
}

/* ---- the bound -------------------------------------------------------------------------- */

/* The number of dimensions that the span of the bits of `now` has in common with the image under
 * the inverse of the bits of `then`: all of these except those with other bits. */
static unsigned rank_met(const zl_wanted *w, uint64_t now, uint64_t then)
{
    zl_space other;
    other.pivots = 0;
    for (uint64_t left = then; left; left &= left - 1)
        zl_space_put(&other, w->inverse.basis[__builtin_ctzll(left)] & ~now);
    return (unsigned)__builtin_popcountll(then) - zl_space_rank(&other);
}

/* A lower bound for the selects of one round. W0 are the bytes, K = W0 and registers, B = W0 and
 * lanes; W0', K', B' are their images under the inverse. A round has Y n K = Y n K' = W, so Y n B
 * has dim(W n W0) dimensions inside K and K'. It lacks at least max(dim W, dim(B n K')) - dim(W n
 * W0) dimensions, and Y n B' likewise; and dim(W n W0) + dim(W n W0') is at most dim W + dim(W0 n
 * W0'). What Y has of both B and B' is bounded by B n B', less its bytes that part. */
unsigned zl_round_selects(const zl_wanted *w)
{
    const uint64_t bytes = w->bytes, inner = w->inner, plane = w->plane;
    unsigned b = w->slots.byte, still = rank_met(w, bytes, bytes);
    unsigned sides =
        zl_max32(b, rank_met(w, plane, inner)) + zl_max32(b, rank_met(w, inner, plane));
    unsigned kept = rank_met(w, bytes, inner) + rank_met(w, inner, bytes);
    unsigned parted = zl_max32(rank_met(w, bytes, plane), rank_met(w, plane, bytes)) - still;
    unsigned all = (unsigned)__builtin_popcountll(plane);
    sides -= kept < b + still ? kept : b + still;
    return zl_max32(sides, all - rank_met(w, plane, plane) + parted);
}

uint32_t zl_round_ordered(const zl_wanted *w)
{
    zl_affine moved, back;
    zl_map_same(&moved, w->bits);
    moved.constant = w->map.constant & w->bytes;
    for (unsigned k = 0; k < w->bits; k++) {
        moved.basis[k] &= ~w->bytes;
        moved.basis[k] |= w->map.basis[k] & w->bytes;
    }
    return zl_map_invert(&back, &moved) ? zl_touched(w, &back) : 0;
}
