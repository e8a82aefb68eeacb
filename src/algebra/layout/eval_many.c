/* SPDX-License-Identifier: Apache-2.0 */
/* Values of many indices.
 *
 * With D_i the points of the modes before mode i and q_i = floor(x / D_i), mode i's coordinate is
 * q_i - extent_i q_(i+1); so the value is the sum of q_i times the weight
 * stride_i - extent_(i-1) stride_(i-1), and modes that continue the one before have weight 0 and
 * cost nothing.  Sums wrap modulo 2^64 on the way. */
#include "algebra/layout/eval_many.h"

#include "algebra/layout/eval_turns.h"
#include "algebra/radix/radix.h"

#include <string.h>

/* From how many points on the preparation pays. */
enum { FEW = 8, TABLES_FROM = 64, BLOCK = 32 };

/* ---- swizzles ---------------------------------------------------------------------- */

void zl_swizzle_many(uint64_t *values, size_t count, zl_swizzle s)
{
    int distance = s.shift < 0 ? -s.shift : s.shift;
    uint64_t mask = (((uint64_t)1 << s.bits) - 1) << s.base;
    if (s.shift < 0)
        for (size_t i = 0; i < count; i++) values[i] ^= (values[i] & mask) << distance;
    else
        for (size_t i = 0; i < count; i++) values[i] ^= values[i] >> distance & mask;
}

/* ---- strided ----------------------------------------------------------------------- */

typedef struct term {
    zlay_divisor by;
    uint64_t more, weight;
} term;

static void term_make(term *out, uint64_t points, uint64_t weight, uint64_t greatest)
{
    out->weight = weight;
    zlay_divisor_make(&out->by, points, 0, greatest);
    out->more = out->by.way == ZLAY_DIVISOR_ADD ? out->by.multiplier : 0;
}

/* The terms of a layout that have a weight.  Extents are above 1, so `points` is in the range of
 * the indices and a divisor is made. */
static size_t terms_of(term *out, const zlay_layout *a)
{
    uint64_t points = 1, before = 0;
    size_t count = 0;
    for (size_t i = 0; i < a->modes; i++) {
        uint64_t extent = (uint64_t)a->mode[i].shape, stride = (uint64_t)a->mode[i].stride;
        if (extent == 1) continue;
        if (stride != before) term_make(&out[count++], points, stride - before, a->size - 1);
        points *= extent;
        before = extent * stride;
    }
    return count;
}

static inline __attribute__((always_inline)) void
add_shifts(uint64_t *sum, const term *t, const uint64_t *index)
{
    uint64_t weight = t->weight;
    int shift = t->by.shift;
    for (size_t i = 0; i < BLOCK; i++) sum[i] += (index[i] >> shift) * weight;
}

static inline __attribute__((always_inline)) void
add_products(uint64_t *sum, const term *t, const uint64_t *index)
{
    uint64_t m = t->by.multiplier, more = t->more, weight = t->weight;
    int shift = t->by.shift;
    for (size_t i = 0; i < BLOCK; i++) sum[i] += ((index[i] * m + more) >> shift) * weight;
}

static void add_wide_products(uint64_t *sum, const term *t, const uint64_t *index)
{
    uint64_t m = t->by.multiplier, more = t->more, weight = t->weight;
    int shift = t->by.shift;
    for (size_t i = 0; i < BLOCK; i++)
        sum[i] += (uint64_t)(((zl_u128)index[i] * m + more) >> shift) * weight;
}

static inline __attribute__((always_inline)) void
add_term(uint64_t *sum, const term *t, const uint64_t *index)
{
    if (t->by.way == ZLAY_DIVISOR_SHIFT) add_shifts(sum, t, index);
    else if (t->by.product < 128) add_products(sum, t, index);
    else add_wide_products(sum, t, index);
}

/* A block at a time, the last one filled up with index 0: loops of one length become vectors. */
static inline __attribute__((always_inline)) void
blocks(int64_t *values, const zlay_layout *a, const term *t, size_t terms, const uint64_t *index,
       size_t count)
{
    uint64_t sum[BLOCK], last[BLOCK] = {0};
    for (size_t at = 0, here; at < count; at += here) {
        const uint64_t *block = index + at;
        here = count - at < BLOCK ? count - at : BLOCK;
        if (here < BLOCK) block = memcpy(last, block, here * sizeof *block);
        for (size_t i = 0; i < BLOCK; i++) sum[i] = (uint64_t)a->offset;
        for (size_t k = 0; k < terms; k++) add_term(sum, &t[k], block);
        if (a->swizzle.bits) zl_swizzle_many(sum, here, a->swizzle);
        memcpy(values + at, sum, here * sizeof *values);
    }
}

static void blocks_plain(int64_t *values, const zlay_layout *a, const term *t, size_t terms,
                         const uint64_t *index, size_t count)
{
    blocks(values, a, t, terms, index, count);
}

#if defined(__x86_64__)

/* The same with products of 64 bits in one instruction. */
__attribute__((target("avx512f,avx512dq,avx512vl"))) static void
blocks_wide(int64_t *values, const zlay_layout *a, const term *t, size_t terms,
            const uint64_t *index, size_t count)
{
    blocks(values, a, t, terms, index, count);
}

static bool has_products(void)
{
    return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

#else

static bool has_products(void) { return false; }
#define blocks_wide blocks_plain

#endif

static void strided_many(int64_t *values, const zlay_layout *a, const uint64_t *index, size_t count)
{
    term t[ZL_MANY_MODES];
    size_t terms = terms_of(t, a);
    if (has_products()) blocks_wide(values, a, t, terms, index, count);
    else blocks_plain(values, a, t, terms, index, count);
}

/* ---- affine over F2 ---------------------------------------------------------------- */

enum { SMALL = 4, LARGE = 8, LARGE_FROM = 512 };

/* Tables of the values of `chunk` bits of the index each; how many there are. */
static unsigned tables_fill(uint64_t *table, const zl_affine *map, unsigned chunk)
{
    table[0] = map->constant;
    for (unsigned k = 0; k < map->bits; k++) {
        uint64_t *t = table + ((size_t)(k / chunk) << chunk);
        size_t half = (size_t)1 << k % chunk;
        if (k && half == 1) t[0] = 0;
        for (size_t i = 0; i < half; i++) t[half + i] = t[i] ^ map->basis[k];
    }
    return map->bits ? (map->bits + chunk - 1) / chunk : 1;
}

/* Two tables at a time are most of what there is. */
static void look_up(int64_t *values, const uint64_t *table, unsigned tables, unsigned chunk,
                    const uint64_t *index, size_t count)
{
    const uint64_t *second = table + ((size_t)(tables > 1) << chunk);
    uint64_t mask = ((uint64_t)1 << chunk) - 1, other = tables > 1 ? mask : 0;
    uint64_t none = tables > 1 ? 0 : table[0];
    for (size_t i = 0; i < count; i++) {
        uint64_t u = index[i];
        uint64_t value = table[u & mask] ^ second[u >> chunk & other] ^ none;
        for (unsigned t = 2; t < tables; t++)
            value ^= table[((size_t)t << chunk) + (u >> t * chunk & mask)];
        values[i] = (int64_t)value;
    }
}

static void affine_many(int64_t *values, const zl_affine *map, const uint64_t *index, size_t count)
{
    uint64_t table[8 << LARGE];
    unsigned chunk = count < LARGE_FROM ? SMALL : LARGE;
    unsigned tables = tables_fill(table, map, chunk);
    look_up(values, table, tables, chunk, index, count);
}

/* ---- the call ---------------------------------------------------------------------- */

static bool all_inside(const zlay_layout *a, const uint64_t *index, uint64_t first, size_t count)
{
    uint64_t outside = 0, size = a->size;
    if (!index) return first < size && count <= size - first;
    if (size < (uint64_t)1 << 63) return zl_all_below(index, size, count);
    for (size_t i = 0; i < count; i++) outside |= index[i] >= size;
    return !outside;
}

/* Point by point: every kind. */
static zlay_status each_at(int64_t *values, uint8_t *there, const zlay_layout *a,
                           const uint64_t *index, uint64_t first, size_t count)
{
    size_t outs = zlay_layout_out_count(a);
    for (size_t i = 0; i < count; i++, values += outs) {
        zlay_status status = a->table->tuple(a, index ? index[i] : first + i, values);
        if (status && status != ZLAY_NONE) return status;
        if (status) memset(values, 0, outs * sizeof *values);
        if (there) there[i] = !status;
    }
    return ZLAY_OK;
}

/* One integer a point, from strides or from bases that are XORed. */
static bool is_closed(const zlay_layout *a)
{
    if (a->modes) return a->modes <= ZL_MANY_MODES;
    return a->kind == ZLAY_LAYOUT_F2 && a->f2.outs == 1;
}

static void closed_many(int64_t *values, const zlay_layout *a, const uint64_t *index, size_t count)
{
    zl_affine map;
    bool tables = !a->modes || (count >= TABLES_FROM && !(a->size & (a->size - 1)));
    if (tables && zl_affine_of(&map, a)) affine_many(values, &map, index, count);
    else strided_many(values, a, index, count);
}

static bool range_at(int64_t *values, const zlay_layout *a, uint64_t first, size_t count)
{
    return a->table->range && a->table->range(values, a, first, count);
}

zlay_status zlay_layout_eval_many(int64_t *values, uint8_t *there, const zlay_layout *layout,
                                  const uint64_t *index, uint64_t first, size_t count)
{
    zl_turns moves;
    if (!layout || (count && !values) || (layout->partial && !there)) return ZLAY_EINVAL;
    if (!count) return ZLAY_OK;
    if (!all_inside(layout, index, first, count)) return ZLAY_EINVAL;
    bool closed = count >= FEW && is_closed(layout);
    if (!closed && count >= FEW && !index && range_at(values, layout, first, count)) {
        if (there) memset(there, 1, count);
        return ZLAY_OK;
    }
    if (!closed) return each_at(values, there, layout, index, first, count);
    if (there) memset(there, 1, count);
    if (zl_turns_of(&moves, layout, count)) zl_turns_many(values, &moves, index, first, count);
    else if (index || !range_at(values, layout, first, count))
        closed_many(values, layout, index, count);
    return ZLAY_OK;
}
