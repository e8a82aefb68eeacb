/* SPDX-License-Identifier: Apache-2.0 */
/* Exchanges bits of the offsets in shared memory where addresses then take fewer instructions. An
 * address is the thread's number shifted by several distances, each masked, and a register's constant,
 * joined by XOR. Bits that number banks, above what an access has at one address, may change places,
 * and so may bits that number rows of all banks: which accesses have a conflict stays as it is. */
#include "synth/convert/side.h"

enum { THREAD_BITS = 16, REGISTER_BITS = 8, EXCHANGES = 64, RUN = 3, SHIFT_COSTS = 2 };

/* Offsets, bytes, that bits of the thread's number and of an access's number flip. */
typedef struct addresses {
    unsigned threads, count; /* threads, then accesses */
    uint64_t flip[THREAD_BITS + REGISTER_BITS];
} addresses;

/* Bits [to, to + run) and [from, from + run) change places. */
typedef struct bit_swap {
    unsigned to, from, run;
} bit_swap;

typedef struct tidying {
    addresses side[2];
    unsigned least, count;
    bit_swap made[EXCHANGES];
} tidying;

static uint64_t exchanged(uint64_t offset, bit_swap e)
{
    uint64_t differ = (offset >> e.to ^ offset >> e.from) & ((UINT64_C(1) << e.run) - 1);
    return offset ^ differ << e.to ^ differ << e.from;
}

/* ---- what addresses cost --------------------------------------------------------------------- */

/* Constants in bits that depend on the thread take an instruction each; others are offsets in the
 * access. 0 is none. */
static unsigned constants(const addresses *a, bit_swap e, uint64_t depend)
{
    uint64_t held[REGISTER_BITS];
    unsigned rank = 0;
    for (unsigned i = a->threads; i < a->count; i++) {
        uint64_t left = exchanged(a->flip[i], e) & depend;
        for (unsigned k = 0; k < rank; k++)
            if ((left ^ held[k]) < left) left ^= held[k];
        if (left) held[rank++] = left;
    }
    return (1u << rank) - 1;
}

static unsigned cost_of(const addresses *a, bit_swap e)
{
    uint64_t distances = 0, depend = 0;
    for (unsigned k = 0; k < a->threads; k++) {
        uint64_t flip = exchanged(a->flip[k], e);
        distances |= flip << (THREAD_BITS - k);
        depend |= flip;
    }
    return SHIFT_COSTS * (unsigned)__builtin_popcountll(distances) + constants(a, e, depend);
}

static unsigned cost(const tidying *t, bit_swap e)
{
    return cost_of(&t->side[ZL_SRC], e) + cost_of(&t->side[ZL_DST], e);
}

/* ---- exchanges ------------------------------------------------------------------------------- */

static bool improves(tidying *t, bit_swap e)
{
    unsigned now = cost(t, e);
    if (now >= t->least || t->count == EXCHANGES) return false;
    for (int which = ZL_SRC; which <= ZL_DST; which++)
        for (unsigned k = 0; k < t->side[which].count; k++)
            t->side[which].flip[k] = exchanged(t->side[which].flip[k], e);
    t->least = now;
    t->made[t->count++] = e;
    return true;
}

static void tidy(tidying *t, unsigned first, unsigned end)
{
    for (bool again = true; again;) {
        again = false;
        for (unsigned run = 1; run <= RUN; run++)
            for (unsigned to = first; to + 2 * run <= end; to++)
                for (unsigned from = to + run; from + run <= end; from++)
                    again |= improves(t, (bit_swap){to, from, run});
    }
}

/* ---- a trip's addresses ---------------------------------------------------------------------- */

static uint64_t offset_at(const zl_trip *t, uint64_t index)
{
    return zl_bitmap_at(&t->offset, index & ~ZL_BLOCKS) * (t->c->bits / 8);
}

static void addresses_read(addresses *out, const zl_trip *t, int which)
{
    const zl_side *s = &t->side[which];
    uint64_t index[ZLAY_BANK_LANES];
    unsigned first = s->units.count;
    out->count = zl_side_lanes(s, t->c, index);
    for (unsigned k = 0; k < out->count; k++) out->flip[k] = offset_at(t, index[k]);
    uint64_t left = s->kept & zl_level_mask(ZL_WARP);
    for (; left && out->count < THREAD_BITS; left &= left - 1)
        out->flip[out->count++] = offset_at(t, s->at->to[__builtin_ctzll(left)]);
    out->threads = out->count;
    if (s->form->matrices) first = t->c->word + (unsigned)__builtin_ctz(s->form->matrices);
    for (unsigned i = first; i < s->registers && i < first + REGISTER_BITS; i++)
        out->flip[out->count++] = offset_at(t, zl_bitmap_at(s->at, s->mid.to[i]));
}

static unsigned widest(const zl_trip *t)
{
    uint32_t bytes = t->c->machine.bank_bytes;
    for (int which = ZL_SRC; which <= ZL_DST; which++)
        if (t->side[which].form->bytes > bytes) bytes = t->side[which].form->bytes;
    return zl_log2(bytes);
}

void zl_trip_tidy(zl_trip *t)
{
    uint64_t banks = (uint64_t)t->c->machine.banks * t->c->machine.bank_bytes;
    unsigned element = zl_log2(t->c->bits / 8), end = t->bits + element;
    if (!banks || end > 32) return;
    unsigned row = zl_log2(banks) < end ? zl_log2(banks) : end;
    tidying all = {.count = 0};
    for (int which = ZL_SRC; which <= ZL_DST; which++) addresses_read(&all.side[which], t, which);
    all.least = cost(&all, (bit_swap){0, 0, 0});
    tidy(&all, widest(t), row);
    tidy(&all, row, end);
    for (uint64_t left = all.count ? t->offset.has : 0; left; left &= left - 1) {
        uint64_t *to = &t->offset.to[__builtin_ctzll(left)];
        for (unsigned i = 0; i < all.count; i++)
            *to = exchanged(*to << element, all.made[i]) >> element;
    }
}
