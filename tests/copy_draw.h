/* SPDX-License-Identifier: Apache-2.0 */
/* Random requests of copies by threads: strided and swizzled sides, padded, flipped, permuted. */
#ifndef TEST_COPY_DRAW_H
#define TEST_COPY_DRAW_H

#include "random.h"

#include <stdio.h>
#include <zlay/move.h>

enum { TILE_MOST = 4096 };

typedef struct wanted {
    char text[2][256];
    const char *target;
    zlay_copy_request r;
} wanted;

static inline void put_text(char *out, int modes, const int64_t *shape, const int64_t *stride,
                     int64_t offset, const char *swizzle)
{
    char *at = out + sprintf(out, "%s%lld o (", swizzle, (long long)offset);
    for (int i = 0; i < modes; i++) at += sprintf(at, "%s%lld", i ? "," : "", (long long)shape[i]);
    at += sprintf(at, "):(");
    for (int i = 0; i < modes; i++) at += sprintf(at, "%s%lld", i ? "," : "", (long long)stride[i]);
    sprintf(at, ")");
}

/* Compact strides in a random order of modes, padded now and then. */
static inline void draw_strides(uint64_t *seed, int modes, const int64_t *shape, int64_t *stride)
{
    int order[4] = {0, 1, 2, 3};
    int64_t next = test_range(seed, 0, 7) ? 1 : test_range(seed, 1, 3);
    for (int i = modes - 1; i > 0; i--) {
        int j = (int)test_range(seed, 0, i), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    for (int i = 0; i < modes; i++) {
        stride[order[i]] = next;
        next *= shape[order[i]];
        if (!test_range(seed, 0, 2)) next += test_range(seed, 0, 5);
        if (!test_range(seed, 0, 2)) next = (next + 7) / 8 * 8;
    }
}

static inline int64_t draw_extent(uint64_t *seed)
{
    return test_range(seed, 0, 1) ? (int64_t)1 << test_range(seed, 0, 5) : test_range(seed, 1, 21);
}

static inline wanted draw(uint64_t *seed)
{
    static const char *const targets[] = {"sm_80", "sm_90a", "sm_100a", "gfx942"};
    static const int32_t spaces[][2] = {{ZLAY_MOVE_GLOBAL, ZLAY_MOVE_SHARED},
                                        {ZLAY_MOVE_SHARED, ZLAY_MOVE_GLOBAL},
                                        {ZLAY_MOVE_GLOBAL, ZLAY_MOVE_GLOBAL},
                                        {ZLAY_MOVE_SHARED, ZLAY_MOVE_SHARED},
                                        {ZLAY_MOVE_SHARED, ZLAY_MOVE_PEER}};
    static const uint32_t threads[] = {0, 1, 7, 32, 64, 96, 128, 256};
    wanted w = {.target = targets[test_range(seed, 0, 3)], .r = {.size = sizeof w.r}};
    int modes = (int)test_range(seed, 1, 3), spot = (int)test_range(seed, 0, 4);
    int64_t shape[3], stride[3];
    int64_t points = 1;
    for (int i = 0; i < modes; points *= shape[i++])
        do shape[i] = draw_extent(seed);
        while (points * shape[i] > TILE_MOST);
    for (int s = 0; s < 2; s++) {
        const char *swizzle = test_range(seed, 0, 3) ? "" : "Sw<2,3,3> o ";
        int64_t offset = test_range(seed, 0, 2) ? 0 : test_range(seed, 0, 20);
        zlay_copy_side *side = s ? &w.r.dest : &w.r.source;
        draw_strides(seed, modes, shape, stride);
        if (!s && !test_range(seed, 0, 5)) stride[0] = test_range(seed, 0, 4);
        for (int i = 0; i < modes && !*swizzle; i++) {
            if (test_range(seed, 0, 9)) continue;
            offset += (shape[i] - 1) * stride[i];
            stride[i] = -stride[i];
        }
        put_text(w.text[s], modes, shape, stride, offset, swizzle);
        side->space = spaces[spot][s];
        side->align = (uint64_t)16 << test_range(seed, 0, 3);
    }
    w.r.elem_bits = 8u << test_range(seed, 0, 3);
    w.r.threads = threads[test_range(seed, 0, 7)];
    if (test_range(seed, 0, 1)) w.r.path = (int32_t)test_range(seed, ZLAY_PATH_BULK, ZLAY_PATH_REALIGN);
    if (spot == 4 || w.r.path == ZLAY_PATH_BULK) w.target = targets[test_range(seed, 1, 2)];
    return w;
}

#endif
