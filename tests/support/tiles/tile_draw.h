/* SPDX-License-Identifier: Apache-2.0 */
/* Random requests of tensormap.synth: all ranks, types, swizzles, edges, steps, flips and nested tiles.  The
 * i-th depends on nothing else. */
#ifndef TEST_TILE_DRAW_H
#define TEST_TILE_DRAW_H

#include "random.h"
#include "tiles/tile_ask.h"

enum { DRAWN_SMEM = 32768, DRAWN_GLOBAL = 1 << 17, DRAWN_BELOW = 1 << 16 };

static inline bool tile_rarely(uint64_t *s, int64_t n) { return test_range(s, 1, n) == 1; }

/* Bytes of the tensor-map types of sm_90. */
static inline int tile_type_bytes(int32_t type)
{
    static const uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[type];
}

/* Rows of whole 16 bytes along one mode, the others some way apart; every third step is doubled, as of every
 * other row, and now and then a mode runs down or stands still. */
static inline void draw_source(uint64_t *s, tile_ask *a, int inner)
{
    tile_layout *l = &a->source;
    int unit = 16 / a->bytes, order[TILE_MODES];
    for (int i = 0; i < l->modes; i++) order[i] = i;
    test_shuffle(s, order, l->modes);
    l->shape[inner] = tile_rarely(s, 4) ? test_range(s, 1, 20 * unit) : unit * test_range(s, 1, 20);
    l->stride[inner] = 1;
    int64_t dense = (l->shape[inner] + unit - 1) / unit * unit;
    for (int i = 0; i < l->modes; i++) {
        int m = order[i];
        if (m == inner) continue;
        l->shape[m] = test_range(s, 1, l->modes > 3 ? 5 : 14);
        l->stride[m] = dense + (tile_rarely(s, 3) ? unit * test_range(s, 0, 3) : 0);
        if (tile_rarely(s, 5)) l->stride[m] *= 2;
        if (tile_rarely(s, 15)) l->stride[m] = unit * test_range(s, 0, 4);
        dense = l->stride[m] * l->shape[m];
        if (dense < unit) dense = unit;
    }
    for (int i = 0; i < l->modes; i++)
        if (i != inner && tile_rarely(s, 30)) {
            l->offset += (l->shape[i] - 1) * l->stride[i];
            l->stride[i] = -l->stride[i];
        }
    if (tile_rarely(s, 4)) l->offset += unit * test_range(s, 0, 9);
}

static inline void draw_shape(uint64_t *s, tile_ask *a, int inner)
{
    int unit = 16 / a->bytes;
    for (int i = 0; i < a->source.modes; i++) {
        int64_t extent = a->source.shape[i];
        a->shape[i] = test_range(s, 1, extent + (tile_rarely(s, 6) ? 3 : 0));
        if (tile_rarely(s, 2)) a->shape[i] = extent;
        if (i != inner) continue;
        a->shape[i] = (a->shape[i] + unit - 1) / unit * unit;
        if (tile_rarely(s, 2)) a->shape[i] = (int64_t)unit << test_range(s, 0, 3);
    }
}

/* Compact with the contiguous mode first; swizzled where its row is the span. */
static inline void draw_smem(uint64_t *s, tile_ask *a, int inner)
{
    int order[TILE_MODES] = {inner}, n = 1, bits = 0;
    for (int i = 0; i < a->source.modes; i++)
        if (i != inner) order[n++] = i;
    test_shuffle(s, order + 1, n - 1);
    tile_compact(&a->smem, a->shape, order, n);
    int64_t row = a->shape[inner] * a->bytes;
    while (bits < 3 && row != 16 << bits) bits++;
    if (row != 16 << bits || !bits || tile_rarely(s, 4)) return;
    a->smem.bits = bits;
    a->smem.shift = 3;
    for (int64_t e = a->bytes; e < 16; e *= 2) a->smem.base++;
}

/* One tile by a layout of its own: rows of whole 16 bytes, steps that nest or not, some downward. */
static inline void draw_nested(uint64_t *s, tile_ask *a)
{
    tile_layout *t = &a->tile;
    int64_t unit = 16 / a->bytes, low = 0, high;
    a->by_layout = true;
    a->source.modes = 1;
    a->source.stride[0] = 1;
    t->modes = (int)test_range(s, 2, 5);
    t->shape[0] = high = unit << test_range(s, 0, 4);
    t->stride[0] = 1;
    for (int i = 1; i < t->modes; i++) {
        t->shape[i] = test_range(s, 1, 6);
        t->stride[i] = unit * test_range(s, 0, 40);
        if (tile_rarely(s, 2)) t->stride[i] = t->stride[i - 1] * t->shape[i - 1];
        if (tile_rarely(s, 6)) t->stride[i] = -t->stride[i];
        int64_t reach = t->stride[i] * (t->shape[i] - 1);
        *(reach < 0 ? &low : &high) += reach;
    }
    t->offset = -low;
    a->source.shape[0] = high - low;
    memcpy(a->shape, t->shape, sizeof t->shape);
    a->source.modes = t->modes;
    draw_smem(s, a, 0);
    a->source.modes = 1;
    a->shape[0] = 1;
}

/* Elements that a layout of steps upward spans. */
static inline int64_t tile_spread(const tile_layout *a)
{
    int64_t most = 1;
    for (int i = 0; i < a->modes; i++) most += (a->shape[i] - 1) * a->stride[i];
    return most;
}

/* Tiles by layouts whose steps have no system, in shared memory in any order, swizzled or with gaps. */
static inline void draw_irregular(uint64_t *s, tile_ask *a, int32_t type, bool swizzled)
{
    int64_t cells = 16 / tile_type_bytes(type), line = 8 * cells;
    tile_layout *t = &a->tile, *to = &a->smem;
    int order[TILE_MODES], modes = (int)test_range(s, 1, 4);
    int64_t stride = cells;
    memset(a, 0, sizeof *a);
    a->type = type;
    a->bytes = tile_type_bytes(type);
    a->by_layout = a->keep_holes = true;
    a->source.modes = 1;
    a->source.stride[0] = 1;
    t->modes = to->modes = modes + 1;
    t->shape[0] = to->shape[0] = cells;
    t->stride[0] = to->stride[0] = 1;
    int64_t low = 0, high = cells, size = 1;
    for (int i = 1; i <= modes; i++) {
        static const int64_t like[] = {1, 1, 2, 3, 4, 5, 8, 16};
        t->shape[i] = to->shape[i] = size > 12 ? 2 : like[test_range(s, 2, 6)];
        size *= t->shape[i];
        bool on = i > 1 && test_range(s, 0, 1);
        t->stride[i] = on ? t->stride[i - 1] * t->shape[i - 1] : cells * like[test_range(s, 0, 7)];
        if (test_range(s, 0, 11) == 0) t->stride[i] = -t->stride[i];
        int64_t reach = t->stride[i] * (t->shape[i] - 1);
        *(reach < 0 ? &low : &high) += reach;
        order[i] = i;
    }
    t->offset = -low;
    a->source.shape[0] = high - low;
    for (int i = modes; i > 1 && test_range(s, 0, 2) == 0; i--) {
        int k = (int)test_range(s, 1, i), was = order[i];
        order[i] = order[k];
        order[k] = was;
    }
    for (int i = 1; i <= modes; i++) {
        to->stride[order[i]] = stride;
        stride *= to->shape[order[i]];
        if (stride % line == 0 && test_range(s, 0, 7) == 0) stride *= 2;
        if (stride % line && test_range(s, 0, 7) == 0) stride = (stride + line - 1) / line * line;
    }
    if (swizzled) {
        to->bits = (int)test_range(s, 1, 3);
        to->shift = 3;
        for (int64_t e = a->bytes; e < 16; e *= 2) to->base++;
    }
}

static inline bool draw_fits(const tile_ask *a)
{
    int64_t low = 0, high = 0;
    for (int i = 0; i < a->source.modes; i++) {
        int64_t reach = a->source.stride[i] * (a->source.shape[i] - 1);
        *(reach < 0 ? &low : &high) += reach;
    }
    low = (low + a->source.offset) * a->bytes;
    high = (high + a->source.offset + 1) * a->bytes;
    return low >= -DRAWN_BELOW && high <= DRAWN_GLOBAL && ask_cells(a) * a->bytes <= DRAWN_SMEM / 8 &&
           tile_spread(&a->smem) * a->bytes <= DRAWN_SMEM / 8;
}

static inline tile_ask tile_drawn(uint64_t seed, uint64_t i)
{
    uint64_t s = seed * 0x9e3779b97f4a7c15u ^ i * 0xda942042e4dd58b5u;
    tile_ask a;
    do {
        memset(&a, 0, sizeof a);
        a.type = (int32_t)test_range(&s, 0, 12);
        a.bytes = tile_type_bytes(a.type);
        a.source.modes = (int)test_range(&s, 1, 5);
        int inner = (int)test_range(&s, 0, a.source.modes - 1);
        if (tile_rarely(&s, 6)) {
            draw_irregular(&s, &a, a.type, tile_rarely(&s, 2));
            continue;
        }
        if (tile_rarely(&s, 4)) {
            draw_nested(&s, &a);
            a.free_smem = tile_rarely(&s, 3);
            a.swizzle = -1;
            continue;
        }
        draw_source(&s, &a, inner);
        draw_shape(&s, &a, inner);
        a.weak = tile_rarely(&s, 5);
        a.free_smem = tile_rarely(&s, 2);
        a.swizzle = (int32_t)test_range(&s, -1, 3);
        if (!a.free_smem) draw_smem(&s, &a, inner);
    } while (!draw_fits(&a));
    return a;
}

#endif
