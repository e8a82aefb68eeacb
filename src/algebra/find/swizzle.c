/* SPDX-License-Identifier: Apache-2.0 */
/* Recognisers of a function by its values. */
#include "algebra/layout/function.h"
#include "algebra/layout/layout.h"
#include "algebra/find/find.h"

#include <string.h>

enum { STEPS_VALUE = 3, BLOCK = 1024 };

typedef struct search {
    const zl_function *f;
    zl_break *where;
    zl_modes *out;
    int64_t first; /* the value at index 0 */
    uint64_t asked; /* values that are not yet counted in limits.work */
} search;

/* Counts what was asked, once it is a block; false where that ends the call. */
static bool goes_on(search *s, uint64_t block)
{
    uint64_t steps = s->asked * (STEPS_VALUE + s->out->count);
    if (s->asked < block) return true;
    s->asked = 0;
    return zl_charge(s->out->ctx, steps) == ZLAY_OK;
}

static bool value_at(search *s, uint64_t index, int64_t *value)
{
    bool there = s->f->at(s->f->env, index, value);
    s->asked++;
    *s->where = (zl_break){index, there ? *value : 0, !there};
    return there;
}

/* The length of the arithmetic progression that begins at index 0 in steps of `step`. */
static bool run(search *s, uint64_t step, uint64_t count, int64_t *stride, uint64_t *length)
{
    int64_t value, expected;
    if (!value_at(s, step, &value) || !zl_sub(value, s->first, stride)) return false;
    for (*length = 2; *length < count; ++*length) {
        bool there = zl_add(value, *stride, &expected);
        if (!goes_on(s, BLOCK) || !value_at(s, step * *length, &value)) return false;
        if (!there || value != expected) return true;
    }
    return true;
}

/* The first break of the progression is the extent of the first mode in every strided form. */
static zlay_status find_mode(search *s, uint64_t step, uint64_t count)
{
    int64_t stride;
    uint64_t length;
    zlay_status status = ZLAY_OK;
    while (count > 1 && !status) {
        if (!run(s, step, count, &stride, &length) || count % length) return ZLAY_NONE;
        status = zl_modes_leaf(s->out, (int64_t)length, stride);
        step *= length;
        count /= length;
    }
    return status;
}

static zlay_status find_all(search *s, const zl_modes *box)
{
    uint64_t step = 1;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < box->count && !status; i++) {
        size_t first = s->out->count;
        uint64_t extent = (uint64_t)box->at[i].shape;
        status = extent > 1 ? find_mode(s, step, extent) : zl_modes_leaf(s->out, 1, 0);
        if (status) return status;
        if (s->out->count > first + 1) zl_modes_wrap(s->out, first);
        s->out->at[first].open += box->at[i].open;
        s->out->at[s->out->count - 1].close += box->at[i].close;
        step *= extent;
    }
    return status;
}

static bool sum_at(const zl_modes *m, uint64_t index, int64_t *value)
{
    int64_t reach;
    *value = m->offset;
    for (size_t i = 0; i < m->count; i++) {
        int64_t c = (int64_t)(index % (uint64_t)m->at[i].shape);
        if (!zl_mul(c, m->at[i].stride, &reach) || !zl_add(*value, reach, value)) return false;
        index /= (uint64_t)m->at[i].shape;
    }
    return true;
}

static zlay_status verify(search *s)
{
    int64_t value, expected;
    for (uint64_t i = 0; i < s->f->size; i++)
        if (!goes_on(s, BLOCK) || !value_at(s, i, &value) || !sum_at(s->out, i, &expected) ||
            value != expected)
            return ZLAY_NONE;
    return ZLAY_OK;
}

zlay_status zl_find_strided(zl_modes *out, const zl_function *f, const zl_modes *box,
                            zl_break *where)
{
    search s = {f, where, out, 0, 0};
    if (!value_at(&s, 0, &s.first)) return ZLAY_NONE;
    out->offset = s.first;
    zlay_status status = find_all(&s, box);
    if (!status) status = verify(&s);
    return goes_on(&s, 0) ? status : ZLAY_ENOMEM;
}

/* ---- swizzled ------------------------------------------------------------------ */

typedef struct swizzled {
    const zl_function *f;
    zl_swizzle s;
    uint64_t *left; /* values that may still be asked for */
} swizzled;

static bool swizzled_at(const void *env, uint64_t index, int64_t *value)
{
    const swizzled *w = env;
    if (!*w->left || !w->f->at(w->f->env, index, value)) return false;
    --*w->left;
    *value = zl_swizzle_at(w->s, *value);
    return true;
}

/* A strided layout g of N points has g(i) + g(N - 1 - i) = g(0) + g(N - 1), for the digits of i and
 * N - 1 - i add up to the greatest; and g(x) + g(y) = g(0) + g(x + y) where x has the lower modes
 * and y the others.  Some such sums are tried, and those that f does not keep are listed: where
 * f = s o g, the swizzle s mends all of them. */
enum { SUMS_MOST = 8, SUMS_TRIED = 64 };

typedef struct sums {
    size_t count;
    int64_t value[SUMS_MOST][4]; /* the first two add up to what the others do */
    uint64_t off[SUMS_MOST];     /* by how much */
    uint64_t odd[SUMS_MOST];     /* bits that an odd number of the four have */
    uint64_t low;                /* the least power of two of which one is off by an odd multiple */
    int high;                    /* bits of the most by which one is off */
} sums;

/* `bits` bits from `from` on, added to those from `to` on. */
static uint64_t flipped(int64_t value, int bits, int from, int to)
{
    uint64_t v = (uint64_t)value, mask = ((uint64_t)1 << bits) - 1;
    return v ^ (v >> from & mask) << to;
}

/* By how much a sum is off after a swizzle. */
static inline uint64_t off_by(const int64_t v[4], int bits, int from, int to)
{
    return flipped(v[0], bits, from, to) + flipped(v[1], bits, from, to) -
           flipped(v[2], bits, from, to) - flipped(v[3], bits, from, to);
}

static void add_sum(sums *m, const zl_function *f, const uint64_t index[2], const int64_t sum[2])
{
    int64_t *value = m->value[m->count];
    value[2] = sum[0];
    value[3] = sum[1];
    if (!f->at(f->env, index[0], &value[0]) || !f->at(f->env, index[1], &value[1])) return;
    uint64_t off = off_by(value, 0, 0, 0), low = off & (0 - off);
    if (!off) return;
    m->off[m->count] = off;
    m->odd[m->count] = (uint64_t)(value[0] ^ value[1] ^ value[2] ^ value[3]);
    off = off >> 63 ? 0 - off : off;
    int high = 64 - __builtin_clzll(off);
    m->low = low < m->low ? low : m->low;
    m->count++;
    m->high = high > m->high ? high : m->high;
}

/* Where the modes up to one of several end. */
static uint64_t border_of(const zl_modes *box, size_t k)
{
    uint64_t weight = 1;
    for (size_t i = 0; i <= k; i++) weight *= (uint64_t)box->at[i].shape;
    return weight;
}

/* Up to `most` sums that are off. */
static void find_sums(sums *m, const zl_function *f, const zl_modes *box, size_t most)
{
    uint64_t last = f->size - 1, seed = 88172645463325252u;
    int64_t ends[2], split[2];
    m->count = 0;
    m->low = (uint64_t)1 << 63;
    m->high = 0;
    if (!f->at(f->env, 0, &ends[0]) || !f->at(f->env, last, &ends[1])) return;
    split[0] = ends[0];
    for (size_t t = 0; box->count && t < SUMS_TRIED && m->count < most; t++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t i = (seed >> 16) % f->size, low = i;
        if (t % 2) low %= border_of(box, t / 2 % box->count);
        if (t % 2 == 0) add_sum(m, f, (uint64_t[]){i, last - i}, ends);
        else if (f->at(f->env, i, &split[1])) add_sum(m, f, (uint64_t[]){low, i - low}, split);
    }
}

bool zl_breaks_sums(const zl_function *f, const zl_modes *box)
{
    sums m;
    find_sums(&m, f, box, 1);
    return m.count > 0;
}

/* Whether a swizzle mends all sums, in all bits but the highest `beyond`. */
static bool mends_low(const sums *m, int bits, int from, int to, int beyond)
{
    for (size_t k = 0; k < m->count; k++)
        if (off_by(m->value[k], bits, from, to) << beyond) return false;
    return true;
}

/* A swizzle adds a multiple of 2^t below 2^(t + bits) to each of the four values, or takes one
 * away, where t is the lowest bit that it changes. */
static bool mends(const sums *m, zl_swizzle s)
{
    int from = s.base + (s.shift > 0 ? s.shift : 0), to = s.base - (s.shift < 0 ? s.shift : 0);
    return to + s.bits + 2 >= m->high && mends_low(m, s.bits, from, to, 0);
}

/* The lowest bits that a swizzle which mends all sums may read when t is the lowest that it
 * changes: modulo 2^(t + 1) it adds 2^t to each value with the bit that it reads, so every sum is
 * off by 2^t where an odd number of its values have that bit, and by 0 elsewhere. */
static uint64_t sources_of(const sums *m, int t)
{
    uint64_t fit = m->low >> t ? UINT64_MAX : 0;
    for (size_t k = 0; k < m->count && fit; k++)
        fit &= m->off[k] >> t & 1 ? m->odd[k] : ~m->odd[k];
    return fit;
}

/* The lowest bits that a swizzle may read which changes `to` and above: so many bits and more fit
 * between the two, and below `end`. */
static uint64_t sources_below(int to, int bits, int end)
{
    if (to + bits > end) return 0;
    uint64_t above = (((uint64_t)2 << (end - bits)) - 1) >> (to + bits) << (to + bits);
    return above | (to < bits ? 0 : ((uint64_t)2 << (to - bits)) - 1);
}

/* By the distance between the lowest bit that is read and the lowest that is changed: the bases of
 * swizzles with a positive and with a negative shift. */
typedef struct swap_bases {
    uint64_t plus[64], minus[64], distances; /* and the set of distances that have any */
} swap_bases;

/* `bits`: the fewest that mend the greatest sum. All swizzles of as many bits or more do the same
 * to the bits below t + bits. */
static void find_bases(swap_bases *b, const sums *m, int end)
{
    memset(b, 0, sizeof *b);
    for (int t = 0; t < end; t++) {
        int bits = m->high - 2 > t ? m->high - 2 - t : 1;
        uint64_t fit = sources_below(t, bits, end);
        for (fit &= fit ? sources_of(m, t) : 0; fit; fit &= fit - 1) {
            int from = __builtin_ctzll(fit);
            if (!mends_low(m, bits, from, t, 64 - t - bits)) continue;
            if (from > t) b->plus[from - t] |= (uint64_t)1 << t;
            else b->minus[t - from] |= (uint64_t)1 << from;
            b->distances |= (uint64_t)1 << (from > t ? from - t : t - from);
        }
    }
}

/* The bits that are set in some value; *top: bits of the greatest magnitude, and one for a sign. */
static uint64_t bits_of(const zl_function *f, int *top)
{
    uint64_t magnitude = 0, set = 0;
    bool minus = false;
    int64_t value;
    for (uint64_t i = 0; i < f->size; i++) {
        if (!f->at(f->env, i, &value)) continue;
        magnitude |= (uint64_t)(value < 0 ? ~value : value);
        set |= (uint64_t)value;
        minus = minus || value < 0;
    }
    *top = (int)zl_bit_length(magnitude) + minus;
    return set;
}

zlay_status zl_find_swizzled(zl_modes *out, zl_swizzle *s, const zl_function *f,
                             const zl_modes *box)
{
    int top;
    uint64_t set = bits_of(f, &top);
    return zl_find_swizzled_below(out, s, f, box, set, top);
}

typedef struct unswizzling {
    swizzled env;
    zl_function inner; /* the swizzle of env after f */
    const zl_modes *box;
    sums kept;
    swap_bases bases;
    uint64_t set;
    int end;
} unswizzling;

/* Whether a value lies on the progression that begins with those at 0 and at `step`. */
static bool is_on(search *s, uint64_t step, uint64_t i, int64_t stride)
{
    int64_t value, reach;
    return value_at(s, step * i, &value) && zl_mul((int64_t)i, stride, &reach) &&
           zl_add(s->first, reach, &reach) && value == reach;
}

/* In a strided form of 2^n points the first progression ends at the first power of two that is off
 * it, or at 2^n: the point before that end is on it.  False says nothing. */
static bool breaks_early(search *s, uint64_t step, uint64_t count)
{
    int64_t value, stride;
    uint64_t end = 2;
    if (!value_at(s, step, &value) || !zl_sub(value, s->first, &stride)) return false;
    while (end < count && is_on(s, step, end, stride)) end *= 2;
    return end > 2 && !is_on(s, step, end - 1, stride);
}

/* Along its last mode, which often breaks at fewer values than the modes before it have, the inner
 * function is in no strided form.  These values are not counted. */
static bool breaks_last(const unswizzling *u, zl_modes *out)
{
    uint64_t all = UINT64_MAX, step = 1, length, count;
    int64_t stride;
    swizzled env = {u->env.f, u->env.s, &all};
    zl_function inner = {swizzled_at, &env, u->env.f->size};
    zl_break where;
    search s = {&inner, &where, out, 0, 0};
    count = (uint64_t)u->box->at[u->box->count - 1].shape;
    if (u->box->count < 2 || count < 2 || !value_at(&s, 0, &s.first)) return false;
    for (size_t i = 0; i + 1 < u->box->count; i++) step *= (uint64_t)u->box->at[i].shape;
    if (zl_is_power_of_two(count) && breaks_early(&s, step, count)) return true;
    return run(&s, step, count, &stride, &length) && count % length;
}

static zlay_status try_swizzle(unswizzling *u, zl_modes *out, zl_swizzle s)
{
    zl_break where;
    u->env.s = s;
    if (!mends(&u->kept, s) || !zl_swizzle_ends(s, u->set)) return ZLAY_NONE;
    zl_modes_end(out);
    if (breaks_last(u, out)) return ZLAY_NONE;
    zlay_status status = zl_find_strided(out, &u->inner, u->box, &where);
    if (*u->env.left) return status;
    return zl_fail(out->ctx, ZLAY_ELIMIT,
                   "limits.points is %llu and the search for a swizzle asks for more",
                   (unsigned long long)zl_limits(out->ctx)->points);
}

/* All swizzles of so many bits at a distance, by their bases, the positive shift first. */
static zlay_status try_distance(unswizzling *u, zl_modes *out, int bits, int distance)
{
    uint64_t plus = u->bases.plus[distance], minus = u->bases.minus[distance];
    uint64_t some = (plus | minus) & (((uint64_t)2 << (u->end - bits - distance)) - 1);
    zlay_status status = ZLAY_NONE;
    for (; some && status == ZLAY_NONE; some &= some - 1) {
        int base = __builtin_ctzll(some);
        if (plus >> base & 1) status = try_swizzle(u, out, (zl_swizzle){bits, base, distance});
        if (status == ZLAY_NONE && minus >> base & 1)
            status = try_swizzle(u, out, (zl_swizzle){bits, base, -distance});
    }
    return status;
}

/* In the order of zl_swizzle_next.  Fewer bits than the sums are off by mend none of them. */
static zlay_status try_all(unswizzling *u, zl_modes *out)
{
    const sums *m = &u->kept;
    int bits = m->count ? m->high - 2 - __builtin_ctzll(m->low) : 1;
    zlay_status status = ZLAY_NONE;
    for (bits = bits > 1 ? bits : 1; 2 * bits <= u->end && status == ZLAY_NONE; bits++) {
        uint64_t some = u->bases.distances & (((uint64_t)2 << (u->end - bits)) - 1);
        for (some = some >> bits << bits; some && status == ZLAY_NONE; some &= some - 1)
            status = try_distance(u, out, bits, __builtin_ctzll(some));
    }
    return status;
}

/* A swizzle is its own inverse: f = s o strided exactly when s o f is strided. */
zlay_status zl_find_swizzled_below(zl_modes *out, zl_swizzle *s, const zl_function *f,
                                   const zl_modes *box, uint64_t set, int top)
{
    uint64_t left = zl_limits(out->ctx)->points;
    unswizzling u;
    u.env = (swizzled){f, {0, 0, 0}, &left};
    u.inner = (zl_function){swizzled_at, &u.env, f->size};
    u.box = box;
    u.set = set;
    u.end = top < 62 ? top : 62;
    find_sums(&u.kept, f, box, SUMS_MOST);
    find_bases(&u.bases, &u.kept, u.end);
    zlay_status status = try_all(&u, out);
    *s = u.env.s;
    return status;
}
