/* SPDX-License-Identifier: Apache-2.0 */
/* Values of two layouts beside each other: how outputs compare, and the witness of a difference. */
#include "algebra/decide/equal.h"

void zl_differ(zl_pair *p, uint64_t index)
{
    zlay_witness *w = &p->witness;
    p->answer = ZLAY_NO;
    *w = (zlay_witness){.index = index, .size_a = p->a->size, .size_b = p->b->size};
    w->has_a = zl_value(p->a, index, &w->a);
    w->has_b = zl_value(p->b, index, &w->b);
    if (!w->has_a) w->a = 0;
    if (!w->has_b) w->b = 0;
}

zlay_status zl_comparison(zlay_ctx *ctx, zl_manner *out, const zlay_layout *a, const zlay_layout *b)
{
    size_t m = zlay_layout_out_count(a), n = zlay_layout_out_count(b);
    *out = m == 1 || n == 1 ? ZL_AS_INTEGERS : m == n ? ZL_AS_TUPLES : ZL_NEVER;
    if (*out == ZL_AS_INTEGERS && (zl_lacks_sizes(a) || zl_lacks_sizes(b)))
        return zl_fail(ctx, ZLAY_EINVAL, "outputs without sizes have no index to compare");
    return ZLAY_OK;
}

/* Every output in a field as wide as the wider of both. */
static bool widths(unsigned *width, const zl_f2 *a, const zl_f2 *b)
{
    unsigned total = 0;
    for (size_t d = 0; d < a->outs; d++) {
        width[d] = a->out[d].bits > b->out[d].bits ? a->out[d].bits : b->out[d].bits;
        total += width[d];
    }
    return total <= 64;
}

static uint64_t spread(uint64_t flat, const unsigned *width, const zl_f2 *f2)
{
    uint64_t wide = 0;
    unsigned low = 0, from = 0;
    for (size_t d = 0; d < f2->outs; d++) {
        unsigned bits = f2->out[d].bits;
        if (bits && bits < 64) wide |= (flat >> from & (((uint64_t)1 << bits) - 1)) << low;
        else if (bits) wide = flat;
        low += width[d];
        from += bits;
    }
    return wide;
}

static void spread_all(zl_affine *map, const unsigned *width, const zl_f2 *f2)
{
    map->constant = spread(map->constant, width, f2);
    for (unsigned k = 0; k < map->bits; k++) map->basis[k] = spread(map->basis[k], width, f2);
}

bool zl_affine_pair(zl_affine *a_map, zl_affine *b_map, zl_manner manner, const zlay_layout *a,
                    const zlay_layout *b)
{
    unsigned width[64];
    if (!zl_affine_of(a_map, a) || !zl_affine_of(b_map, b)) return false;
    if (manner == ZL_AS_INTEGERS) return true;
    if (manner == ZL_NEVER || a->f2.outs > 64 || !widths(width, &a->f2, &b->f2)) return false;
    spread_all(a_map, width, &a->f2);
    spread_all(b_map, width, &b->f2);
    return true;
}
