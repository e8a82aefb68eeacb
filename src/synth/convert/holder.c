/* SPDX-License-Identifier: Apache-2.0 */
/* Finds, for each slot of dst, the nearest slot of src that holds its element, and the least level
 * (register, lane, warp, block) that contains all these moves.
 *
 * Slot y of dst wants the element dst(y).  A slot of src that differs from y only in bits up to a
 * level holds it when dst(y) - src(y) is in the span S of src on those bits.  This is a linear
 * condition: it holds for all y when it holds for each bit of y.  Where it fails for a thread bit,
 * some slots of that thread may still have a near holder, namely when dst(y) - src(y) is in S plus
 * the span of dst on the lower bits.  So those bits of dst are tried, with the holders already
 * found for them, before the next level.  The spans are solved by Gaussian elimination over F2. */
#include "synth/convert/convert.h"

/* The basis is in echelon form, and a vector may have the pivots of later ones: to put one costs no
 * more than to reduce it. */
bool zl_solver_put(zl_solver *s, uint64_t value, uint64_t image)
{
    uint64_t from, rest = zl_solver_reduce(s, value, &from);
    if (!rest) return false;
    int pivot = __builtin_ctzll(rest);
    s->value[pivot] = rest;
    s->image[pivot] = image ^ from;
    s->pivots |= zl_bit((unsigned)pivot);
    return true;
}

uint64_t zl_solver_reduce(const zl_solver *s, uint64_t value, uint64_t *image)
{
    uint64_t rest = value, from = 0;
    for (uint64_t left; (left = rest & s->pivots);) {
        int p = __builtin_ctzll(left);
        rest ^= s->value[p];
        from ^= s->image[p];
    }
    *image = from;
    return rest;
}

unsigned zl_bitmap_rank(const zl_bitmap *m)
{
    zl_independent s;
    unsigned rank = 0;
    s.pivots = 0;
    for (uint64_t left = m->has; left; left &= left - 1)
        rank += zl_independent_put(&s, m->to[__builtin_ctzll(left)]);
    return rank;
}

bool zl_bitmap_invert(zl_bitmap *out, const zl_bitmap *m, uint64_t onto)
{
    zl_solver s;
    s.pivots = 0;
    out->has = 0;
    if (__builtin_popcountll(m->has) != __builtin_popcountll(onto)) return false;
    for (uint64_t left = m->has; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        if (!zl_solver_put(&s, m->to[k], zl_bit(k))) return false;
    }
    for (uint64_t left = onto; left; left &= left - 1) {
        uint64_t image;
        unsigned k = (unsigned)__builtin_ctzll(left);
        if (zl_solver_reduce(&s, zl_bit(k), &image)) return false;
        zl_bitmap_put(out, k, image);
    }
    return true;
}

/* ---- holders ----------------------------------------------------------------------------- */

/* Puts what a map gives to the bits of a level, each with its holder: its own slot bit where
 * `holders` is NULL. */
static void put_level(zl_solver *s, const zl_bitmap *values, const zl_bitmap *holders,
                      zl_level level)
{
    for (uint64_t left = values->has & zl_level_mask(level); left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        zl_solver_put(s, values->to[k], holders ? holders->to[k] : zl_bit(k));
    }
}

/* Puts the holders in the order in which a bit of `level` takes them: for each level, what src
 * holds there; for a level below `level`, also what dst has there by now. */
static void solver_begin(zl_solver *s, const zl_conversion *c, zl_level level)
{
    s->pivots = 0;
    for (zl_level near = ZL_REGISTER; near < ZL_LEVELS; near++) {
        put_level(s, &c->src, NULL, near);
        if (near < level) put_level(s, &c->dst, &c->from, near);
    }
}

/* Fails because no slot of src holds an element; the element is given as a flat index. */
static zlay_status no_holder(const zl_conversion *c, uint64_t element)
{
    return zl_fail(c->ctx, ZLAY_NONE, "dst: no slot of src holds element %llu of the tensor",
                   (unsigned long long)element);
}

/* Finds the holder of each bit of dst at one level.  A thread bit takes from its own thread where
 * possible. */
static zlay_status holders_of(zl_conversion *c, zl_level level)
{
    zl_solver s;
    uint64_t asking = c->dst.has & zl_level_mask(level), image;
    if (asking) solver_begin(&s, c, level);
    for (; asking; asking &= asking - 1) {
        unsigned k = (unsigned)__builtin_ctzll(asking);
        uint64_t own = level != ZL_REGISTER ? c->src.has & zl_bit(k) : 0;
        uint64_t rest = zl_solver_reduce(&s, c->dst.to[k] ^ (own ? c->src.to[k] : 0), &image);
        if (rest) return no_holder(c, c->dst.to[k]);
        zl_bitmap_put(&c->from, k, image ^ own);
    }
    return ZLAY_OK;
}

/* Whether every slot of dst holds its element in src already. */
static bool stays(const zl_conversion *c)
{
    for (uint64_t left = c->dst.has; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        if (!(c->src.has >> k & 1) || c->src.to[k] != c->dst.to[k]) return false;
    }
    return true;
}

/* The greatest level at which a holder and its slot differ. */
static int32_t level_of(const zl_conversion *c)
{
    int32_t most = ZL_REGISTER;
    for (uint64_t left = c->dst.has; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        uint64_t moved = c->from.to[k] ^ (zl_bit(k) & ZL_THREADS);
        for (zl_level level = ZL_LANE; level < ZL_LEVELS; level++)
            if (moved & zl_level_mask(level) && (int32_t)level > most) most = (int32_t)level;
    }
    return most;
}

zlay_status zl_holders_find(zl_conversion *c)
{
    zlay_status status = ZLAY_OK;
    c->from.has = 0;
    c->level = ZLAY_CONVERT_NOWHERE;
    if (stays(c)) {
        for (unsigned k = 0; k < 64; k++) c->from.to[k] = zl_bit(k);
        c->from.has = c->dst.has;
        return ZLAY_OK;
    }
    for (zl_level level = ZL_REGISTER; level < ZL_LEVELS && !status; level++)
        status = holders_of(c, level);
    if (!status) c->level = level_of(c);
    return status;
}
