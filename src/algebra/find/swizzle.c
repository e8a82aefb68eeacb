/* SPDX-License-Identifier: Apache-2.0 */
/* Recognisers of a function by its values. */
#include "algebra/layout/layout.h"

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
enum { SUMS_MOST = 16, SUMS_TRIED = 64 };

typedef struct sums {
    size_t count;
    int64_t value[SUMS_MOST][4]; /* the first two add up to what the others do */
    uint64_t low;                /* the least power of two by which a sum is off */
    int high;                    /* bits of the most by which one is off */
} sums;

/* By how much a sum is off. */
static uint64_t off_by(const int64_t value[4], zl_swizzle s)
{
    uint64_t v[4];
    for (int k = 0; k < 4; k++) v[k] = (uint64_t)zl_swizzle_at(s, value[k]);
    return v[0] + v[1] - v[2] - v[3];
}

static void add_sum(sums *m, const zl_function *f, const uint64_t index[4])
{
    int64_t *value = m->value[m->count];
    for (int k = 0; k < 4; k++)
        if (!f->at(f->env, index[k], &value[k])) return;
    uint64_t off = off_by(value, (zl_swizzle){0, 0, 0}), low = off & (0 - off);
    if (!off) return;
    off = off >> 63 ? 0 - off : off;
    int high = 64 - __builtin_clzll(off);
    m->low = low < m->low ? low : m->low;
    m->high = high > m->high ? high : m->high;
    m->count++;
}

/* Where the search begins, for swizzles of fewer bits than this mend no sum: after all of one bit
 * fewer. */
static zl_swizzle before_first(const sums *m, int top)
{
    int bits = m->count ? m->high - 2 - __builtin_ctzll(m->low) : 0, end = top < 62 ? top : 62;
    if (bits < 2) return (zl_swizzle){0, 0, 0};
    return (zl_swizzle){bits - 1, end, -end};
}

/* Where the modes up to one of several end. */
static uint64_t border_of(const zl_modes *box, size_t k)
{
    uint64_t weight = 1;
    for (size_t i = 0; i <= k; i++) weight *= (uint64_t)box->at[i].shape;
    return weight;
}

static void find_sums(sums *m, const zl_function *f, const zl_modes *box)
{
    uint64_t last = f->size - 1, seed = 88172645463325252u;
    *m = (sums){.low = (uint64_t)1 << 63};
    for (size_t t = 0; box->count && t < SUMS_TRIED && m->count < SUMS_MOST; t++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t i = (seed >> 16) % f->size, border = border_of(box, t / 2 % box->count);
        uint64_t mirrored[4] = {i, last - i, 0, last};
        uint64_t split[4] = {i % border, i - i % border, 0, i};
        add_sum(m, f, t % 2 ? split : mirrored);
    }
}

bool zl_breaks_sums(const zl_function *f, const zl_modes *box)
{
    sums m;
    find_sums(&m, f, box);
    return m.count > 0;
}

/* A swizzle adds a multiple of 2^t below 2^(t + bits) to each of the four values, or takes one
 * away, where t is the lowest bit that it changes. */
static bool mends(const sums *m, zl_swizzle s)
{
    int t = s.base - (s.shift < 0 ? s.shift : 0);
    if (m->low >> t == 0 || t + s.bits + 2 < m->high) return false;
    for (size_t k = 0; k < m->count; k++)
        if (off_by(m->value[k], s)) return false;
    return true;
}

/* The bits that are set in some value, and in *top those of the greatest magnitude, with one for
 * the sign where there is one. */
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

/* A swizzle is its own inverse: f = s o strided exactly when s o f is strided. */
zlay_status zl_find_swizzled_below(zl_modes *out, zl_swizzle *s, const zl_function *f,
                                   const zl_modes *box, uint64_t set, int top)
{
    uint64_t left = zl_limits(out->ctx)->points;
    swizzled env = {f, {0, 0, 0}, &left};
    zl_function inner = {swizzled_at, &env, f->size};
    zlay_status status = ZLAY_NONE;
    zl_break where;
    sums kept;
    find_sums(&kept, f, box);
    env.s = before_first(&kept, top);
    while (status == ZLAY_NONE && zl_swizzle_next(&env.s, top)) {
        if (!mends(&kept, env.s) || !zl_swizzle_ends(env.s, set)) continue;
        zl_modes_end(out);
        status = zl_find_strided(out, &inner, box, &where);
        if (!left)
            return zl_fail(out->ctx, ZLAY_ELIMIT,
                           "limits.points is %llu and the search for a swizzle asks for more",
                           (unsigned long long)zl_limits(out->ctx)->points);
    }
    *s = env.s;
    return status;
}
