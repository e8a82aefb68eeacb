/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the inner bits of an offset: which elements lie in one vector (the units), and the linear
 * functions of an index that give these bits (the duals).
 *
 * Bit j is 1 at unit[j], 0 at the other units, and 0 wherever a vector of more than j bits starts.
 * These linear equations over F2 are solved by elimination; a row holds the index in its low bits
 * and the right sides of all inner bits above. */
#include "algebra/f2/f2.h"
#include "synth/swizzle/swizzle.h"

#include <string.h>

enum { RIGHT = 48 }; /* the first bit of the right sides */
#define INDEX ((UINT64_C(1) << RIGHT) - 1)

static uint64_t right(uint32_t j) { return UINT64_C(1) << (RIGHT + j); }

bool zl_frame_units(zl_inner_frame *f, uint32_t *fixed, zl_swizzle_found *out,
                    const zl_swizzle_problem *p)
{
    *fixed = 0;
    for (uint32_t a = 0; a < p->count; a++)
        for (uint32_t j = 0; j < p->ask[a].vector; j++) {
            if (j == *fixed) f->unit[(*fixed)++] = p->ask[a].unit[j];
            if (f->unit[j] == p->ask[a].unit[j]) continue;
            out->clash = a;
            out->bit = j;
            return false;
        }
    f->bits = p->bits;
    f->inner = *fixed;
    return true;
}

/* A level: consecutive inner bits that the same accesses force to 0 at their starts. */
typedef struct level {
    uint32_t first, end;
    zl_echelon rows;
} level;

typedef struct levels {
    uint32_t count;
    level at[ZL_VECTOR_MOST];
} levels;

/* Adds an equation to a level, without the right sides of other levels; false: it contradicts the
 * others. */
static bool row_put(level *l, uint64_t row)
{
    uint64_t rights = right(l->end) - right(l->first);
    zl_echelon_put(&l->rows, row & (INDEX | rights), 0);
    return !(l->rows.pivots & ~INDEX);
}

/* Splits the inner bits into levels, at the widths of the vectors. */
static void levels_cut(levels *l, const zl_inner_frame *f, const zl_swizzle_problem *p)
{
    uint64_t cuts = UINT64_C(1) << f->inner;
    for (uint32_t a = 0; a < p->count; a++) cuts |= UINT64_C(1) << p->ask[a].vector;
    l->count = 0;
    for (uint32_t j = 0; j < f->inner; j++) {
        if (!j || cuts >> j & 1) {
            l->at[l->count].first = j;
            l->at[l->count++].rows.pivots = 0;
        }
        l->at[l->count - 1].end = j + 1;
    }
}

/* Adds the equations of units and starts; false, with the access and bit in *out: they have no
 * solution. */
static bool level_fill(level *l, zl_swizzle_found *out, const zl_inner_frame *f,
                       const zl_swizzle_problem *p)
{
    for (uint32_t i = 0; i < f->inner; i++)
        if (!row_put(l, f->unit[i] | right(i))) {
            out->bit = i;
            return false;
        }
    for (uint32_t a = 0; a < p->count; a++) {
        if (p->ask[a].vector <= l->first) continue;
        out->clash = a;
        out->bit = l->first;
        for (uint32_t i = 0; i < p->ask[a].starts; i++)
            if (!row_put(l, p->ask[a].start[i])) return false;
    }
    return true;
}

/* ---- narrower accesses: their lanes should differ in the inner bits above a key -- */

/* Reads the inner bits of an index from bit `low` on; false: equations do not decide all of
 * them. */
static bool decided(uint64_t *value, const levels *l, uint32_t low, uint64_t index)
{
    bool all = true;
    uint64_t from;
    *value = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const level *at = &l->at[i];
        uint64_t rest = zl_echelon_reduce(&at->rows, index, &from), mask = 0;
        for (uint32_t j = at->first; j < at->end; j++)
            if (j >= low) mask |= right(j);
        if (rest & INDEX && mask) all = false;
        else *value |= rest & mask;
    }
    return all;
}

/* Chooses inner bits such that the lanes of a narrower access differ in them.  First it reads the
 * sums of a phase's vectors that equations decide already; then it gives each other vector the
 * first inner bit that makes it independent of these. */
static void narrow_spread(levels *l, uint32_t low, uint32_t inner, const zl_bank_ask *a)
{
    zl_echelon known, told;
    uint64_t loose[ZL_LANE_BITS], value, from;
    uint32_t count = 0;
    known.pivots = told.pivots = 0;
    for (uint32_t i = 0; i < l->count; i++)
        if (l->at[i].first <= low && low < l->at[i].end) known = l->at[i].rows;
    for (uint64_t left = known.pivots; left; left &= left - 1)
        known.sources[__builtin_ctzll(left)] = 0;
    for (uint32_t i = 0; i < a->together; i++) {
        uint64_t index = a->phase[i], rest = zl_echelon_reduce(&known, index, &from);
        if (rest & INDEX) {
            loose[count] = index;
            zl_echelon_put(&known, index, count++);
            continue;
        }
        for (; from; from &= from - 1) index ^= loose[__builtin_ctzll(from)];
        if (decided(&value, l, low, index)) zl_echelon_put(&told, value, 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = low;
        while (j < inner && told.pivots & right(j)) j++;
        if (j < inner) zl_echelon_put(&told, right(j), 0);
        for (uint32_t k = 0; k < l->count; k++)
            if (zl_echelon_reduce(&l->at[k].rows, loose[i], &from) & INDEX)
                row_put(&l->at[k], loose[i] | (j < inner ? right(j) : 0));
    }
}

static void duals_read(zl_inner_frame *f, const levels *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t j = l->at[i].first; j < l->at[i].end; j++) {
            const zl_echelon *e = &l->at[i].rows;
            f->dual[j] = 0;
            for (uint64_t left = e->pivots; left; left &= left - 1) {
                int b = __builtin_ctzll(left);
                f->dual[j] |= (e->value[b] >> (RIGHT + j) & 1) << b;
            }
        }
}

/* Decides by the bits of `choice` what no equation decides; returns how many bits that takes. */
static uint32_t choose(levels *l, const zl_inner_frame *f, uint64_t choice)
{
    uint32_t used = 0;
    uint64_t from;
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t b = 0; b < f->bits; b++) {
            level *at = &l->at[i];
            uint64_t index = UINT64_C(1) << b, value = 0;
            if (!(zl_echelon_reduce(&at->rows, index, &from) & INDEX)) continue;
            for (uint32_t j = at->first; j < at->end; j++, used++)
                value |= zl_right(choice, used) & 1 ? right(j) : 0;
            row_put(at, index | value);
        }
    return used;
}

static void spread_all(levels *l, const zl_inner_frame *f, const zl_swizzle_problem *p)
{
    for (uint32_t a = 0; a < p->count; a++) {
        uint32_t low = zl_key_bits(p, &p->ask[a]);
        if (low < f->inner) narrow_spread(l, low, f->inner, &p->ask[a]);
    }
}

bool zl_frame_duals(zl_inner_frame *f, zl_swizzle_found *out, const zl_swizzle_problem *p,
                    uint64_t choice)
{
    levels l;
    levels_cut(&l, f, p);
    for (uint32_t i = 0; i < l.count; i++)
        if (!level_fill(&l.at[i], out, f, p)) return false;
    if (!choice) spread_all(&l, f, p);
    else {
        uint32_t used = choose(&l, f, choice - 1);
        f->loose = used < 63 ? used : 63;
    }
    duals_read(f, &l);
    return true;
}

uint64_t zl_frame_project(const zl_inner_frame *f, uint64_t index)
{
    uint64_t value = index;
    for (uint32_t j = 0; j < f->inner; j++)
        if (__builtin_parityll(index & f->dual[j])) value ^= f->unit[j];
    return value;
}
