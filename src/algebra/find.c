/* SPDX-License-Identifier: Apache-2.0 */
/* Recognisers of a function by its values. */
#include "algebra/layout.h"

enum { STEPS_VALUE = 3 };

typedef struct search {
    const zl_function *f;
    zl_break *where;
    zl_modes *out;
    int64_t first; /* the value at index 0 */
    uint64_t asked; /* values */
} search;

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
        if (!value_at(s, step * *length, &value)) return false;
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
        if (!value_at(s, i, &value) || !sum_at(s->out, i, &expected) || value != expected)
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
    return zl_charge(out->ctx, STEPS_VALUE * s.asked) ? ZLAY_ENOMEM : status;
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
    *top = (magnitude ? 64 - __builtin_clzll(magnitude) : 0) + minus;
    return set;
}

/* A swizzle is its own inverse: f = s o strided exactly when s o f is strided. */
zlay_status zl_find_swizzled(zl_modes *out, zl_swizzle *s, const zl_function *f,
                             const zl_modes *box)
{
    uint64_t left = zl_limits(out->ctx)->points;
    swizzled env = {f, {0, 0, 0}, &left};
    zl_function inner = {swizzled_at, &env, f->size};
    zlay_status status = ZLAY_NONE;
    zl_break where;
    int top;
    uint64_t set = bits_of(f, &top);
    while (status == ZLAY_NONE && zl_swizzle_next(&env.s, top)) {
        if (!zl_swizzle_ends(env.s, set)) continue;
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
