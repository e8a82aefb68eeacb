/* SPDX-License-Identifier: Apache-2.0 */
/* CuTe's algebra on random strided layouts of rank 4, against the same answers found point by point.
 * CuTe's own C++ is the peer in cute_cpp.c. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANK = 4, WORLD = 64, POINTS_MOST = 1 << 14 };

/* What one operation is asked, and how it is by hand: a and b flat, without the library. */
typedef struct flat {
    int rank;
    int64_t shape[RANK], stride[RANK];
} flat;

typedef struct question {
    flat a, b, c;
    zlay_layout *first, *second, *inner;
    uint64_t cotarget;
} question;

typedef struct state {
    zlay_ctx *ctx;
    question at[WORLD];
    int64_t value[POINTS_MOST];
    uint8_t seen[POINTS_MOST];
    int64_t sum; /* of what was found, so that it is found */
} state;

static uint64_t next(uint64_t *x)
{
    *x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;
    return *x;
}

static int64_t flat_size(const flat *f)
{
    int64_t size = 1;
    for (int i = 0; i < f->rank; i++) size *= f->shape[i];
    return size;
}

static int64_t flat_at(const flat *f, int64_t index)
{
    int64_t value = 0;
    for (int i = 0; i + 1 < f->rank; i++) {
        value += index % f->shape[i] * f->stride[i];
        index /= f->shape[i];
    }
    return value + index * f->stride[f->rank - 1];
}

/* Compact in a random order of modes; every second mode's stride leaves a gap. */
static void random_flat(flat *f, bool powers, uint64_t *seed)
{
    int order[RANK] = {0, 1, 2, 3};
    int64_t stride = 1;
    f->rank = RANK;
    for (int i = RANK - 1; i > 0; i--) {
        int j = (int)(next(seed) % (uint64_t)(i + 1)), held = order[i];
        order[i] = order[j], order[j] = held;
    }
    for (int i = 0; i < RANK; i++) {
        f->shape[i] = powers ? 2 << next(seed) % 3 : 2 + (int64_t)(next(seed) % 6);
    }
    for (int i = 0; i < RANK; i++) {
        f->stride[order[i]] = stride;
        stride *= f->shape[order[i]] * (i % 2 ? 2 : 1);
    }
}

/* A tile that CuTe divides a by: the first modes of a, in their order or the other way round. */
static void random_tile(flat *b, const flat *a, uint64_t *seed)
{
    bool back = next(seed) % 2;
    b->rank = 2;
    for (int i = 0; i < 2; i++) {
        int k = back ? 1 - i : i;
        b->shape[i] = a->shape[k];
        b->stride[i] = k ? a->shape[0] : 1;
    }
}

/* The box of a with its modes in another order: what a is composed with. */
static void random_order(flat *c, const flat *a, uint64_t *seed)
{
    int turn = (int)(next(seed) % RANK);
    int64_t weight = 1;
    c->rank = RANK;
    for (int i = 0; i < RANK; i++) {
        int k = (RANK - 1 - i + turn) % RANK;
        c->shape[k] = a->shape[i];
        c->stride[k] = weight;
        weight *= a->shape[i];
    }
}

static bool make(zlay_ctx *ctx, zlay_layout **out, const flat *f)
{
    return !zlay_layout_new_strided(ctx, out, (size_t)f->rank, f->shape, f->stride, 0);
}

static bool ask(state *s, bool powers)
{
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < WORLD; i++) {
        question *q = &s->at[i];
        random_flat(&q->a, powers, &seed);
        random_tile(&q->b, &q->a, &seed);
        random_order(&q->c, &q->a, &seed);
        q->cotarget = (uint64_t)flat_size(&q->a) * 4;
        if (!make(s->ctx, &q->first, &q->a) || !make(s->ctx, &q->second, &q->b) ||
            !make(s->ctx, &q->inner, &q->c))
            return false;
    }
    return true;
}

static void forget(state *s)
{
    for (int i = 0; i < WORLD; i++) {
        zlay_layout_free(s->at[i].first);
        zlay_layout_free(s->at[i].second);
        zlay_layout_free(s->at[i].inner);
        s->at[i].first = s->at[i].second = s->at[i].inner = NULL;
    }
}

/* ---- the library: one call of each question in turn -------------------------------------- */

typedef zlay_status operation(zlay_ctx *ctx, zlay_layout **out, const question *q);

static zlay_status compose(zlay_ctx *ctx, zlay_layout **out, const question *q)
{
    return zlay_layout_compose(ctx, out, q->first, q->inner);
}

static zlay_status coalesce(zlay_ctx *ctx, zlay_layout **out, const question *q)
{
    return zlay_layout_coalesce(ctx, out, q->first);
}

static zlay_status complement(zlay_ctx *ctx, zlay_layout **out, const question *q)
{
    return zlay_layout_complement(ctx, out, q->first, q->cotarget);
}

static zlay_status divide(zlay_ctx *ctx, zlay_layout **out, const question *q)
{
    return zlay_layout_divide(ctx, out, q->first, q->second, ZLAY_LOGICAL);
}

static bool all_of(state *s, operation *work)
{
    for (int i = 0; i < WORLD; i++) {
        zlay_layout *made;
        if (work(s->ctx, &made, &s->at[i])) return false;
        s->sum += (int64_t)zlay_layout_size(made);
        zlay_layout_free(made);
    }
    return true;
}

static bool compose_ours(void *s) { return all_of(s, compose); }
static bool coalesce_ours(void *s) { return all_of(s, coalesce); }
static bool complement_ours(void *s) { return all_of(s, complement); }
static bool divide_ours(void *s) { return all_of(s, divide); }

/* ---- by hand: every point ------------------------------------------------------------------- */

static void compose_points(state *s, const question *q)
{
    int64_t size = flat_size(&q->c);
    for (int64_t i = 0; i < size; i++) s->value[i] = flat_at(&q->a, flat_at(&q->c, i));
    s->sum += s->value[size - 1];
}

static void coalesce_points(state *s, const question *q)
{
    int64_t size = flat_size(&q->a);
    for (int64_t i = 0; i < size; i++) s->value[i] = flat_at(&q->a, i);
    for (int64_t step = 1; step < size;) {
        int64_t n = 2;
        while (n * step < size && s->value[n * step] == n * s->value[step]) n++;
        s->sum += s->value[step];
        step *= n;
    }
}

/* The least value not reached, again and again; answers how many there are. */
static int64_t complement_points(state *s, const flat *b, int64_t target)
{
    int64_t size = flat_size(b), count = 0;
    memset(s->seen, 0, sizeof s->seen);
    for (int64_t i = 0; i < size; i++) s->value[i] = flat_at(b, i);
    for (int64_t v = 0; v < target; v++) {
        if (s->seen[v]) continue;
        for (int64_t i = 0; i < size; i++)
            if (v + s->value[i] < POINTS_MOST) s->seen[v + s->value[i]] = 1;
        count++;
    }
    return count;
}

static void divide_points(state *s, const question *q)
{
    int64_t size = flat_size(&q->a), tile = flat_size(&q->b), j = 0;
    memset(s->seen, 0, (size_t)size);
    for (int64_t v = 0; v < size; v++) {
        if (s->seen[v]) continue;
        for (int64_t i = 0; i < tile; i++) {
            int64_t index = v + flat_at(&q->b, i);
            s->seen[index] = 1;
            s->value[i + tile * j] = flat_at(&q->a, index);
        }
        j++;
    }
    s->sum += s->value[size - 1];
}

static bool compose_theirs(void *value)
{
    state *s = value;
    for (int i = 0; i < WORLD; i++) compose_points(s, &s->at[i]);
    return true;
}

static bool coalesce_theirs(void *value)
{
    state *s = value;
    for (int i = 0; i < WORLD; i++) coalesce_points(s, &s->at[i]);
    return true;
}

static bool complement_theirs(void *value)
{
    state *s = value;
    for (int i = 0; i < WORLD; i++)
        s->sum += complement_points(s, &s->at[i].a, (int64_t)s->at[i].cotarget);
    return true;
}

static bool divide_theirs(void *value)
{
    state *s = value;
    for (int i = 0; i < WORLD; i++) divide_points(s, &s->at[i]);
    return true;
}

/* ---- the answers agree ------------------------------------------------------------------------ */

static bool same_values(const state *s, zlay_layout *made, int64_t size)
{
    int64_t value;
    bool same = zlay_layout_size(made) == (uint64_t)size;
    for (int64_t i = 0; same && i < size; i++)
        same = !zlay_layout_eval(&value, 1, made, (uint64_t)i) && value == s->value[i];
    zlay_layout_free(made);
    return same;
}

static bool agree(state *s, const question *q)
{
    zlay_layout *made;
    compose_points(s, q);
    if (compose(s->ctx, &made, q) || !same_values(s, made, flat_size(&q->c))) return false;
    coalesce_points(s, q);
    if (coalesce(s->ctx, &made, q) || !same_values(s, made, flat_size(&q->a))) return false;
    divide_points(s, q);
    if (divide(s->ctx, &made, q) || !same_values(s, made, flat_size(&q->a))) return false;
    int64_t count = complement_points(s, &q->a, (int64_t)q->cotarget);
    if (complement(s->ctx, &made, q)) return false;
    bool same = zlay_layout_size(made) == (uint64_t)count;
    zlay_layout_free(made);
    return same;
}

static const struct work {
    const char *name;
    bench_work *ours, *theirs;
} works[] = {
    {"compose", compose_ours, compose_theirs},
    {"coalesce", coalesce_ours, coalesce_theirs},
    {"complement", complement_ours, complement_theirs},
    {"logical_divide", divide_ours, divide_theirs},
};

static bool row(state *s, const struct work *w, bool powers, bool json)
{
    char name[64];
    bench_work *const work[] = {w->ours, w->theirs};
    double time[2];
    if (!bench_times(work, 2, s, time)) return false;
    snprintf(name, sizeof name, "%s, rank 4, %s", w->name, powers ? "powers of two" : "extents 2..7");
    bench_line(name, time[0] * 1e3 / (double)WORLD, "ns", "point by point, by hand", time[1] / time[0], json);
    return true;
}

bool bench_cute(zlay_ctx *ctx, bool json)
{
    state *s = calloc(1, sizeof *s);
    bool right = s;
    for (int powers = 1; right && powers >= 0; powers--) {
        s->ctx = ctx;
        right = ask(s, powers);
        for (int i = 0; right && i < WORLD; i++) right = agree(s, &s->at[i]);
        if (!right) fprintf(stderr, "zlay-bench: cute: a wrong result\n");
        for (size_t i = 0; right && i < sizeof works / sizeof works[0]; i++)
            right = row(s, &works[i], powers, json);
        forget(s);
    }
    free(s);
    return right;
}
