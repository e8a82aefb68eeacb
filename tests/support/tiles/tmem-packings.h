/* SPDX-License-Identifier: Apache-2.0 */
/* All packings of tensor memory: every division of every size into powers of two, every buffer at
 * every place. */
#ifndef TEST_TMEM_PACKINGS_H
#define TEST_TMEM_PACKINGS_H

#include "ctx.h"

#include <stdbool.h>
#include <zlay/zlay.h>

typedef struct world {
    const zlay_tmem_buffer *buffer;
    uint32_t count, unit;         /* offsets are multiples of `unit` */
    uint32_t parts, part[16];     /* columns of each allocation */
    uint32_t base[ZLAY_TMEM_BUFFERS], in[ZLAY_TMEM_BUFFERS];
} world;

static inline bool meet(const world *w, uint32_t i, uint32_t j)
{
    const zlay_tmem_buffer *a = &w->buffer[i], *b = &w->buffer[j];
    return w->in[i] == w->in[j] && a->first <= b->last && b->first <= a->last &&
           w->base[i] < w->base[j] + b->columns && w->base[j] < w->base[i] + a->columns;
}

static inline bool fits(const world *w, uint32_t i)
{
    const zlay_tmem_buffer *b = &w->buffer[i];
    if (b->fixed && (w->in[i] || w->base[i] != b->offset)) return false;
    if (b->align && w->base[i] % b->align) return false;
    if (w->base[i] + b->columns > w->part[w->in[i]]) return false;
    for (uint32_t j = 0; j < i; j++)
        if (meet(w, i, j)) return false;
    return true;
}

/* Every buffer from i on at every place. */
static inline bool all_places(world *w, uint32_t i)
{
    if (i == w->count) return true;
    for (w->in[i] = 0; w->in[i] < w->parts; w->in[i]++)
        for (w->base[i] = 0; w->base[i] < w->part[w->in[i]]; w->base[i] += w->unit)
            if (fits(w, i) && all_places(w, i + 1)) return true;
    return false;
}

/* Every division of what is left into powers of two, none greater than the one before it. */
static inline bool all_divisions(world *w, uint32_t left, uint32_t most)
{
    uint32_t before = w->parts ? w->part[w->parts - 1] : 512;
    if (!left) return all_places(w, 0);
    if (w->parts == most) return false;
    for (uint32_t size = before; size >= 32; size /= 2) {
        if (size > left) continue;
        w->part[w->parts++] = size;
        if (all_divisions(w, left - size, most)) return true;
        w->parts--;
    }
    return false;
}

/* 0: none. */
static inline uint32_t least_columns(const zlay_tmem_buffer *buffer, uint32_t count, uint32_t unit,
                              uint32_t most)
{
    for (uint32_t columns = 32; columns <= 512; columns += 32) {
        world w = {.buffer = buffer, .count = count, .unit = unit};
        if (all_divisions(&w, columns, most)) return columns;
    }
    return 0;
}

#endif
