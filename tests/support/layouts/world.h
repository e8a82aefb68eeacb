/* SPDX-License-Identifier: Apache-2.0 */
/* Small worlds of strided layouts, each with its values without the library. */
#ifndef TEST_WORLD_H
#define TEST_WORLD_H

#include "layouts/layout.h"

/* A strided layout of rank 1 or 2, without the library. */
typedef struct plain {
    int rank, size, shape[2], stride[2];
} plain;

/* At any integer: CuTe's last mode has no bound. */
static inline int plain_at(const plain *p, int index)
{
    if (p->rank == 1) return index * p->stride[0];
    return index % p->shape[0] * p->stride[0] + index / p->shape[0] * p->stride[1];
}

static inline zlay_layout *make(zlay_ctx *ctx, const plain *p, int64_t offset)
{
    int64_t shape[2] = {p->shape[0], p->shape[1]}, stride[2] = {p->stride[0], p->stride[1]};
    zlay_layout *a;
    assert_int_equal(
        zlay_layout_new_strided(ctx, &a, (size_t)p->rank, shape, stride, offset), ZLAY_OK);
    return a;
}

/* A mode of one element moves nothing, whatever its stride: of layouts that differ in that alone, those with stride 0 and the
 * greatest stand for the others. */
static inline bool stands_for_others(const plain *p, int high)
{
    for (int m = 0; m < p->rank; m++)
        if (p->shape[m] == 1 && p->stride[m] % high) return false;
    return true;
}

/* What ZLAY_EXHAUSTIVE=1 takes of the pairs of a world: every pair of functions, each in the layouts that stand for others, and
 * one in 16 of the other layouts of it; otherwise all. */
static inline bool pair_stands(const plain *p, const plain *q, int high, uint64_t *seed)
{
    bool thinned = test_exhaustive() && !test_hours();
    return !thinned || (stands_for_others(p, high) && stands_for_others(q, high)) || !test_range(seed, 0, 15);
}

/* All of size <= `most`, rank <= 2, strides in [low, high]. */
static inline int world(plain *out, int most, int low, int high)
{
    int count = 0;
    for (int m = 1; m <= most; m++)
        for (int d = low; d <= high; d++) {
            out[count++] = (plain){1, m, {m, 0}, {d, 0}};
            for (int n = 1; m * n <= most; n++)
                for (int e = low; e <= high; e++)
                    out[count++] = (plain){2, m * n, {m, n}, {d, e}};
        }
    return count;
}

#endif
