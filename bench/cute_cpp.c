/* SPDX-License-Identifier: Apache-2.0 */
/* Composition of random strided layouts of rank 4 against CuTe's C++ for extents and strides known at run time, in int and in int64_t;
 * both make the result in memory of its own.  CUTLASS_INCLUDE names the folder of CuTe's headers at build time. */
#include "bench.h"

#include <stdio.h>

#if HAVE_CUTE

enum { RANK = 4, WORLD = 2048 };

void bench_cute_add(const int64_t *a_shape, const int64_t *a_stride, const int64_t *b_shape, const int64_t *b_stride);
void bench_cute_clear(void);
void bench_cute_compose(size_t i, int wide);
int64_t bench_cute_at(size_t i, int64_t index);

typedef struct state {
    zlay_ctx *ctx;
    zlay_layout *a[WORLD], *b[WORLD];
} state;

static bool ours(void *value)
{
    state *s = value;
    for (size_t i = 0; i < WORLD; i++) {
        zlay_layout *made;
        if (zlay_layout_compose(s->ctx, &made, s->a[i], s->b[i])) return false;
        zlay_layout_free(made);
    }
    return true;
}

static bool narrow(void *value)
{
    (void)value;
    for (size_t i = 0; i < WORLD; i++) bench_cute_compose(i, 0);
    return true;
}

static bool wide(void *value)
{
    (void)value;
    for (size_t i = 0; i < WORLD; i++) bench_cute_compose(i, 1);
    return true;
}

/* Compact in a random order of modes, every second one with a gap; composed with its box in another order of modes. */
static bool draw(state *s, size_t i, bool powers, uint64_t *seed)
{
    int64_t shape[RANK], stride[RANK], other[RANK], step[RANK], at = 1;
    size_t order[RANK] = {0, 1, 2, 3}, turn = bench_drawn(seed) % RANK;
    for (size_t k = RANK - 1; k > 0; k--) {
        size_t j = bench_drawn(seed) % (k + 1), held = order[k];
        order[k] = order[j], order[j] = held;
    }
    for (size_t k = 0; k < RANK; k++) shape[k] = powers ? 2 << bench_drawn(seed) % 3 : 2 + (int64_t)(bench_drawn(seed) % 6);
    for (size_t k = 0; k < RANK; k++) stride[order[k]] = at, at *= shape[order[k]] * (k % 2 ? 2 : 1);
    at = 1;
    for (size_t k = 0; k < RANK; k++) {
        size_t to = (RANK - 1 - k + turn) % RANK;
        other[to] = shape[k], step[to] = at, at *= shape[k];
    }
    bench_cute_add(shape, stride, other, step);
    return !zlay_layout_new_strided(s->ctx, &s->a[i], RANK, shape, stride, 0) &&
           !zlay_layout_new_strided(s->ctx, &s->b[i], RANK, other, step, 0);
}

static bool agree(const state *s, size_t i)
{
    zlay_layout *made;
    int64_t value;
    if (zlay_layout_compose(s->ctx, &made, s->a[i], s->b[i])) return false;
    bool same = true;
    for (uint64_t k = 0; same && k < zlay_layout_size(made); k += 7)
        same = !zlay_layout_eval(&value, 1, made, k) && value == bench_cute_at(i, (int64_t)k);
    zlay_layout_free(made);
    return same;
}

static bool rows(state *s, bool powers, bool json)
{
    uint64_t seed = 5;
    bool right = true;
    char name[64];
    for (size_t i = 0; right && i < WORLD; i++) right = draw(s, i, powers, &seed);
    for (size_t i = 0; right && i < WORLD; i++) right = agree(s, i);
    snprintf(name, sizeof name, "compose, rank 4, %s", powers ? "powers of two" : "extents 2..7");
    right = right && bench_each(name, "CuTe C++ -O3, int64_t", ours, wide, 0, WORLD, s, json) &&
            bench_each(name, "CuTe C++ -O3, int", ours, narrow, 0, WORLD, s, json);
    for (size_t i = 0; i < WORLD; i++) zlay_layout_free(s->a[i]), zlay_layout_free(s->b[i]);
    bench_cute_clear();
    return right;
}

bool bench_cute_cpp(zlay_ctx *ctx, bool json)
{
    static state s;
    s = (state){.ctx = ctx};
    bool right = rows(&s, true, json);
    s = (state){.ctx = ctx};
    return rows(&s, false, json) && right;
}

#else

bool bench_cute_cpp(zlay_ctx *ctx, bool json)
{
    (void)ctx;
    if (!json) puts("composition against CuTe's C++: left out, CUTLASS_INCLUDE was not given at build time");
    return true;
}

#endif
