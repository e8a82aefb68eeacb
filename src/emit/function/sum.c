/* SPDX-License-Identifier: Apache-2.0 */
/* A strided or swizzled layout as a sum of its coordinates. A coordinate of a nested mode is split in
 * one of three ways, whichever costs least: into its digits; into quotients, for
 * (x mod 4) d + floor(x / 4) e = x d + floor(x / 4) (e - 4 d); or, where digits have bits of their
 * own in the value, into shifted and masked bits. */
#include "emit/function/layout.h"

typedef enum way { QUOTIENTS, DIGITS, BITS, WAYS } way;

/* The leaves of one top-level mode, in the fewest modes. */
typedef struct leaves {
    const zl_mode *at;
    size_t count;
} leaves;

static zl_vertex by_quotients(zl_graph *g, zl_vertex value, zl_vertex x, leaves l, bool *serves)
{
    int64_t below = 1, carried = 0, factor;
    for (size_t i = 0; i < l.count && *serves; i++) {
        *serves = zl_sub(l.at[i].stride, carried, &factor) &&
                  zl_mul(l.at[i].shape, l.at[i].stride, &carried);
        if (!*serves) return 0;
        value = zl_graph_add(g, value, zl_graph_times(g, zl_graph_over(g, x, below), factor));
        if (i + 1 < l.count) below *= l.at[i].shape;
    }
    return value;
}

static zl_vertex by_digits(zl_graph *g, zl_vertex value, zl_vertex x, leaves l)
{
    for (size_t i = 0; i < l.count; i++) {
        bool is_last = i + 1 == l.count;
        zl_vertex digit = is_last ? x : zl_graph_modulo(g, x, l.at[i].shape);
        value = zl_graph_add(g, value, zl_graph_times(g, digit, l.at[i].stride));
        if (!is_last) x = zl_graph_over(g, x, l.at[i].shape);
    }
    return value;
}

/* What each bit of the coordinate adds, where no two of them add to one bit of the value. */
static bool bases_of(uint64_t basis[64], unsigned *bits, leaves l)
{
    uint64_t used = 0;
    *bits = 0;
    for (size_t i = 0; i < l.count; i++) {
        const zl_mode *m = &l.at[i];
        if (!zl_is_power_of_two((uint64_t)m->shape) || m->stride < 0) return false;
        if (m->stride && !zl_is_power_of_two((uint64_t)m->stride)) return false;
        for (unsigned k = 0; k < zl_log2((uint64_t)m->shape); k++) {
            basis[*bits] = (uint64_t)m->stride << k;
            if (used & basis[*bits]) return false;
            used |= basis[(*bits)++];
        }
    }
    return true;
}

static zl_vertex by_bits(zl_graph *g, zl_vertex value, zl_vertex x, leaves l, bool *serves)
{
    uint64_t basis[64];
    unsigned bits;
    *serves = bases_of(basis, &bits, l);
    return *serves ? zl_graph_add(g, value, zl_bits_cover(g, x, basis, bits)) : 0;
}

static zl_vertex by_way(zl_graph *g, zl_vertex value, zl_vertex x, leaves l, way w, bool *serves)
{
    *serves = true;
    switch (w) {
    case QUOTIENTS: return by_quotients(g, value, x, l, serves);
    case DIGITS: return by_digits(g, value, x, l);
    default: return by_bits(g, value, x, l, serves);
    }
}

/* The way that costs least where the mode is added to something else. */
static way cheapest(zl_graph *g, leaves l, uint64_t extent)
{
    way best = DIGITS;
    uint32_t least = UINT32_MAX;
    for (way w = QUOTIENTS; w < WAYS && l.count > 1; w++) {
        zl_mark mark = zl_scratch_mark(g->ctx);
        zl_graph trial;
        bool serves;
        g->status = zl_graph_begin(&trial, g->ctx);
        if (g->status) return best;
        zl_vertex value = zl_graph_argument(&trial, 1, extent);
        value = by_way(&trial, value, zl_graph_argument(&trial, 0, extent), l, w, &serves);
        uint32_t cost = serves && !trial.status ? zl_graph_cost(&trial, value) : UINT32_MAX;
        if (cost < least) best = w, least = cost;
        zl_scratch_release(g->ctx, mark);
    }
    return best;
}

/* The swizzle flips bits below some power of two, so that a value stays between its negative and it.
 * The bits of a negative value are masked before they are moved. */
static zl_vertex swizzled(zl_graph *g, zl_vertex value, zl_swizzle s, bool negative)
{
    uint64_t mask = ((UINT64_C(1) << s.bits) - 1) << s.base, most;
    if (!s.bits) return value;
    const zl_graph_node *n = &g->node[value];
    most = zl_umax((uint64_t)zl_max(n->greatest, -1 - n->least),
                   (UINT64_C(1) << zl_swizzle_top(s)) - 1);
    int64_t bound = most >> 62 ? INT64_MAX : ((int64_t)1 << zl_bit_length(most)) - 1;
    unsigned by = (unsigned)(s.shift < 0 ? -s.shift : s.shift);
    zl_vertex moved = s.shift < 0 ? zl_graph_left(g, zl_graph_and(g, value, mask), by) :
                    negative    ? zl_graph_right(g, zl_graph_and(g, value, mask << by), by) :
                                  zl_graph_and(g, zl_graph_right(g, value, by), mask);
    zl_vertex flipped = zl_graph_xor(g, value, moved);
    if (flipped && moved) zl_graph_know(g, flipped, negative ? -1 - bound : 0, bound);
    return flipped;
}

/* The leaves that make up an extent, from leaf *next on, in the fewest modes. */
static zlay_status leaves_of(zl_modes *out, const zlay_layout *a, size_t *next, uint64_t extent)
{
    size_t first = *next;
    for (uint64_t points = 1; points < extent && *next < a->modes; (*next)++)
        points *= (uint64_t)a->mode[*next].shape;
    return zl_coalesce_modes(out, &a->mode[first], *next - first, false);
}

/* Whether the values of a mode leave 31 bits. */
static bool is_far(const zl_modes *modes)
{
    int64_t least, greatest;
    return !zl_modes_range(modes->at, modes->count, 0, &least, &greatest) || least < INT32_MIN ||
           greatest > INT32_MAX;
}

/* Adds the mode where it is far, or near, as the caller says: near ones come first, so that their
 * sum is one of 32 bits. */
static zlay_status add_mode(zl_graph *g, zl_vertex *sum, const zl_address *a, size_t i,
                            size_t *next, bool far)
{
    zl_modes modes;
    bool serves;
    zl_modes_begin(&modes, g->ctx);
    zlay_status status = leaves_of(&modes, a->layout, next, a->extent[i]);
    if (!status && a->extent[i] > 1 && is_far(&modes) == far) {
        leaves l = {modes.at, modes.count};
        way w = cheapest(g, l, a->extent[i]);
        *sum = by_way(g, *sum, zl_address_argument(g, a, i), l, w, &serves);
    }
    zl_modes_end(&modes);
    return status ? status : g->status;
}

zl_vertex zl_form_sum(zl_graph *g, const zl_address *a, bool *serves)
{
    const zlay_layout *l = a->layout;
    int64_t least, greatest;
    zl_vertex sum = 0;
    *serves = l->modes && zl_modes_range(l->mode, l->modes, l->offset, &least, &greatest);
    for (size_t i = 0, next = 0; *serves && i < 2 * a->dims && !g->status; i++) {
        if (i == a->dims) next = 0;
        g->status = add_mode(g, &sum, a, i % a->dims, &next, i >= a->dims);
    }
    if (!*serves || g->status) return 0;
    sum = zl_graph_add(g, sum, zl_graph_number(g, l->offset));
    if (sum) zl_graph_know(g, sum, least, greatest);
    return swizzled(g, sum, l->swizzle, least < 0);
}
