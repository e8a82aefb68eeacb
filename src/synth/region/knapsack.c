/* SPDX-License-Identifier: Apache-2.0 */
/* Covers a length by sizes that may be taken any number of times, at the least value: an unbounded
 * knapsack problem, solved by dynamic programming over short lengths and by its period beyond them
 * (Gilmore and Gomory, "The theory and computation of knapsack functions", 1966).
 *
 * The period. Let b be the best size, the one of the least value for its length, and take a sum of
 * least value. Among any b of its other sizes some, taken together, are a multiple of b: of the
 * b + 1 sums of the first few, from none to all b, two leave the same remainder. These sizes can be
 * replaced by sizes b of the same length, which cost no more. So some sum of least value has fewer
 * than b other sizes. Their length is at most (b - 1) * m, where m is the greatest other size; a
 * longer length needs a size b. Without it, the sum is one of the length shorter by b. All sizes
 * are counted in units of their common divisor: 128, 64 and 16 rows are 8, 4 and 1, and the table
 * has lengths up to 28. */
#include "synth/region/knapsack.h"

static const zl_region_value beyond = {UINT64_MAX, UINT64_MAX, UINT64_MAX};

bool zl_region_is_less(const zl_region_value *a, const zl_region_value *b)
{
    if (a->cost != b->cost) return a->cost < b->cost;
    return a->cells != b->cells ? a->cells < b->cells : a->pieces < b->pieces;
}

zl_region_value zl_region_plus(const zl_region_value *a, const zl_region_value *b)
{
    zl_region_value sum;
    bool fits = zl_uadd(a->cost, b->cost, &sum.cost) && zl_uadd(a->cells, b->cells, &sum.cells) &&
                zl_uadd(a->pieces, b->pieces, &sum.pieces);
    return fits && !zl_region_passes(a) && !zl_region_passes(b) ? sum : beyond;
}

zl_region_value zl_region_times(const zl_region_value *a, uint64_t times)
{
    zl_region_value product;
    if (!times) return (zl_region_value){0};
    bool fits = zl_umul(a->cost, times, &product.cost) &&
                zl_umul(a->cells, times, &product.cells) &&
                zl_umul(a->pieces, times, &product.pieces);
    return fits && !zl_region_passes(a) ? product : beyond;
}

/* -1, 0 or 1: how a value for a length compares with another value for another length. */
static int compare(uint64_t value, uint64_t length, uint64_t other, uint64_t its)
{
    zl_u128 a = (zl_u128)value * its, b = (zl_u128)other * length;
    return (a > b) - (a < b);
}

/* Whether size i has a lower value for its length than size j. */
static bool is_better(const zl_knapsack *s, uint32_t i, uint32_t j)
{
    const zl_region_value *a = &s->value[i], *b = &s->value[j];
    int order = compare(a->cost, s->size[i], b->cost, s->size[j]);
    if (!order) order = compare(a->cells, s->size[i], b->cells, s->size[j]);
    if (!order) order = compare(a->pieces, s->size[i], b->pieces, s->size[j]);
    return order < 0;
}

/* The unit, the best size, and the bound of the proof above. */
static void structure_of(zl_knapsack *s)
{
    uint64_t greatest = 0;
    s->unit = s->best = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        s->unit = zl_gcd(s->unit, s->size[i]);
        if (is_better(s, i, s->best)) s->best = i;
    }
    for (uint32_t i = 0; i < s->count; i++)
        if (i != s->best) greatest = zl_umax(greatest, s->size[i]);
    s->bound = (s->size[s->best] / s->unit - 1) * (greatest / s->unit);
}

/* The least sum for a length, from those of shorter lengths. */
static void extend(zl_knapsack *s, uint64_t length)
{
    zl_knapsack_sum *to = &s->sum[length];
    *to = (zl_knapsack_sum){.value = beyond};
    for (uint32_t i = 0; i < s->count; i++) {
        uint64_t size = s->size[i] / s->unit;
        zl_region_value value =
            zl_region_plus(&s->sum[length > size ? length - size : 0].value, &s->value[i]);
        if (!zl_region_is_less(&value, &to->value)) continue;
        *to = (zl_knapsack_sum){.value = value, .size = i};
    }
}

zlay_status zl_knapsack_begin(zlay_ctx *ctx, zl_knapsack *s, uint64_t longest)
{
    structure_of(s);
    uint64_t last = zl_umin(s->bound, zl_ceil_div(longest, s->unit));
    zlay_status status = zl_charge(ctx, zl_umul_sat(last, 4 * (uint64_t)s->count));
    if (status) return status;
    s->sum = zl_scratch_plain(ctx, last + 1, sizeof *s->sum);
    if (!s->sum) return ZLAY_ENOMEM;
    s->sum[0] = (zl_knapsack_sum){.size = 0};
    for (uint64_t length = 1; length <= last; length++) extend(s, length);
    return ZLAY_OK;
}

zlay_status zl_knapsack_least(zlay_ctx *ctx, const zl_knapsack *s, uint64_t length,
                              zl_region_value *out, uint64_t *times)
{
    uint64_t units = zl_ceil_div(length, s->unit), best = s->size[s->best] / s->unit, steps = 0;
    for (uint32_t i = 0; i < s->count; i++) times[i] = 0;
    if (units > s->bound) times[s->best] = zl_ceil_div(units - s->bound, best);
    units -= zl_umin(units, times[s->best] * best);
    *out = zl_region_times(&s->value[s->best], times[s->best]);
    *out = zl_region_plus(out, &s->sum[units].value);
    if (zl_region_passes(out))
        return zl_fail(ctx, ZLAY_EOVERFLOW, "tiles: the cost of a group passes 64 bits");
    for (; units; steps++) {
        uint64_t i = s->sum[units].size;
        times[i]++;
        units -= zl_umin(units, s->size[i] / s->unit);
    }
    return zl_charge(ctx, steps + 1);
}
