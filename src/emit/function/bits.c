/* SPDX-License-Identifier: Apache-2.0 */
/* A map that is affine over F2 as shifts, masks and XOR. Its matrix has an entry where a bit of the
 * coordinate flips a bit of the value. The entries are covered by diagonals, all bits that move by
 * one distance, x >> d & mask, and by columns, one bit that flips several, x & 1 << k ? basis : 0;
 * the set that covers the most entries comes first. */
#include "algebra/f2/f2.h"
#include "emit/function/layout.h"

enum { WORD = 64 };

/* The entries that are not covered yet: a row of bits for each bit of x. */
typedef struct uncovered {
    unsigned bits;
    uint64_t left[WORD];
} uncovered;

/* The bits of x that move by `distance`, up where it is positive. */
static uint64_t diagonal(const uncovered *c, int distance)
{
    uint64_t mask = 0;
    for (unsigned k = 0; k < c->bits; k++) {
        int to = (int)k + distance;
        if (to >= 0 && to < WORD) mask |= (c->left[k] >> to & 1) << k;
    }
    return mask;
}

/* The distance of the diagonal with the most entries, those with the fewest masks first. */
static int longest(const uncovered *c)
{
    int best = 0, most = 0;
    for (int d = 1 - WORD; d < WORD; d++) {
        int length = __builtin_popcountll(diagonal(c, d));
        if (length > most) best = d, most = length;
    }
    return best;
}

static unsigned fullest(const uncovered *c)
{
    unsigned best = 0;
    for (unsigned k = 1; k < c->bits; k++)
        if (__builtin_popcountll(c->left[k]) > __builtin_popcountll(c->left[best])) best = k;
    return best;
}

static zl_vertex take_diagonal(zl_graph *g, uncovered *c, zl_vertex x, int distance)
{
    uint64_t mask = diagonal(c, distance);
    for (unsigned k = 0; k < c->bits; k++)
        if (mask >> k & 1) c->left[k] &= ~(UINT64_C(1) << ((int)k + distance));
    if (distance < 0)
        return zl_graph_and(g, zl_graph_right(g, x, (unsigned)-distance),
                           zl_right(mask, (unsigned)-distance));
    return zl_graph_and(g, zl_graph_left(g, x, (unsigned)distance),
                       zl_left(mask, (unsigned)distance));
}

static zl_vertex take_column(zl_graph *g, uncovered *c, zl_vertex x, unsigned k)
{
    zl_vertex is_zero = zl_graph_same(g, zl_graph_and(g, x, UINT64_C(1) << k), 0);
    zl_vertex basis = zl_graph_number(g, (int64_t)c->left[k]);
    c->left[k] = 0;
    return zl_graph_choose(g, is_zero, 0, basis);
}

zl_vertex zl_bits_cover(zl_graph *g, zl_vertex x, const uint64_t *basis, unsigned bits)
{
    uncovered c = {.bits = bits};
    zl_vertex value = 0;
    for (unsigned k = 0; k < bits; k++) c.left[k] = basis[k];
    for (;;) {
        int distance = longest(&c);
        unsigned k = bits ? fullest(&c) : 0;
        int along = __builtin_popcountll(diagonal(&c, distance));
        if (!along || g->status) return value;
        bool column = __builtin_popcountll(c.left[k]) > along;
        zl_vertex next = column ? take_column(g, &c, x, k) : take_diagonal(g, &c, x, distance);
        value = zl_graph_xor(g, value, next);
    }
}

/* The map of a layout whose coordinates are words of bits. */
static bool map_of(zl_affine *out, const zl_address *a)
{
    for (size_t i = 0; i < a->dims; i++)
        if (!zl_is_power_of_two(a->extent[i])) return false;
    return !a->layout->partial && zl_affine_of(out, a->layout);
}

zl_vertex zl_form_bits(zl_graph *g, const zl_address *a, bool *serves)
{
    zl_affine map;
    *serves = map_of(&map, a);
    zl_vertex value = 0;
    for (size_t i = 0, low = 0; *serves && i < a->dims; i++) {
        unsigned bits = zl_log2(a->extent[i]);
        zl_vertex part = zl_bits_cover(g, zl_address_argument(g, a, i), &map.basis[low], bits);
        value = zl_graph_xor(g, value, part);
        low += bits;
    }
    return *serves ? zl_graph_xor(g, value, zl_graph_number(g, (int64_t)map.constant)) : 0;
}

zl_vertex zl_form_joined(zl_graph *g, const zl_address *a, bool *serves)
{
    zl_affine map;
    *serves = a->dims > 1 && map_of(&map, a);
    zl_vertex joined = 0;
    for (size_t i = 0, low = 0; *serves && i < a->dims; i++) {
        zl_vertex part = zl_graph_left(g, zl_address_argument(g, a, i), (unsigned)low);
        joined = zl_graph_xor(g, joined, part);
        low += zl_log2(a->extent[i]);
    }
    if (!*serves) return 0;
    zl_vertex value = zl_bits_cover(g, joined, map.basis, map.bits);
    return zl_graph_xor(g, value, zl_graph_number(g, (int64_t)map.constant));
}
