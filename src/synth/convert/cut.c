/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a round trip that needs more shared memory than there is into pieces, which use the same
 * addresses one after the other.  A register bit of src can number the pieces where no other bit
 * holds the same part of the tensor and exactly one register bit of dst wants that part: then it
 * splits the registers of every thread in the same way on both sides. */
#include "synth/convert/side.h"

static uint64_t whole_words(const zl_conversion *c)
{
    return ZL_REGISTERS & ~(zl_bit(c->word) - 1);
}

/* Whether what the bit holds is not a sum of what the other bits hold. */
static bool is_alone(const zl_conversion *c, unsigned bit)
{
    zl_solver others;
    others.pivots = 0;
    for (uint64_t left = c->src.has & ~zl_bit(bit); left; left &= left - 1)
        zl_solver_put(&others, c->src.to[__builtin_ctzll(left)], 0);
    return !zl_solver_spans(&others, c->src.to[bit]);
}

/* The only bit of dst whose holder has this bit of src, if it is a register bit above a word; else
 * 64. */
static unsigned wanted_by(const zl_conversion *c, unsigned bit)
{
    unsigned found = 64, count = 0;
    for (uint64_t left = c->dst.has; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        if (!(c->from.to[k] >> bit & 1)) continue;
        found = k;
        count++;
    }
    return count == 1 && whole_words(c) >> found & 1 ? found : 64;
}

static bool is_cut(const zl_trip *t, unsigned bit)
{
    for (unsigned i = 0; i < t->cuts; i++)
        if (t->cut[ZL_DST][i] == bit) return true;
    return false;
}

bool zl_trip_cut(zl_trip *t, unsigned cuts)
{
    const zl_conversion *c = t->c;
    t->cuts = 0;
    if (c->level == ZLAY_CONVERT_BLOCK || cuts > ZL_CUTS) return false;
    for (unsigned bit = zl_level_low[ZL_LANE]; bit-- > 0 && t->cuts < cuts;) {
        if (!(c->src.has & whole_words(c) & zl_bit(bit)) || !is_alone(c, bit)) continue;
        unsigned with = wanted_by(c, bit);
        if (with == 64 || is_cut(t, with)) continue;
        t->cut[ZL_SRC][t->cuts] = bit;
        t->cut[ZL_DST][t->cuts++] = with;
    }
    return t->cuts == cuts;
}
