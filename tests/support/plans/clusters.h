/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles that blocks share and layouts over blocks, at random. No cmocka: the device program uses it
 * too. */
#ifndef TEST_CLUSTERS_H
#define TEST_CLUSTERS_H

#include "random.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/zlay.h>

/* A legal map of rank 1 to 5 whose box is a tile of at most 32 KiB, for 2, 4 or 8 blocks. */
static inline zlay_multicast_request cluster_tile(uint64_t *s, zlay_tensormap *map)
{
    static const int32_t types[] = {ZLAY_TYPE_U8, ZLAY_TYPE_BF16, ZLAY_TYPE_F32, ZLAY_TYPE_F64};
    int kind = (int)test_range(s, 0, 3);
    uint32_t element = 1u << kind, span, bytes = 0;
    *map = (zlay_tensormap){.type = types[kind], .address = 1 << 20};
    map->rank = (uint32_t)test_range(s, 1, 5);
    map->swizzle = (int32_t)test_range(s, 0, 3);
    span = map->swizzle ? 16u << map->swizzle : 128u << test_range(s, 0, 1);
    map->box[0] = (map->swizzle ? 16 * (uint32_t)test_range(s, 1, span / 16) : span) / element;
    uint32_t pitch = span;
    for (uint32_t d = 1; d < map->rank; d++) {
        map->box[d] = (uint32_t)test_range(s, 1, 12);
        if (pitch * map->box[d] > 32768) map->box[d] = 1;
        pitch *= map->box[d];
    }
    for (uint32_t d = 0; d < map->rank; d++) {
        map->step[d] = 1;
        map->extent[d] = (uint64_t)test_range(s, 1, 2 * map->box[d]);
    }
    bytes = (uint32_t)((map->extent[0] * element + 15) / 16 * 16);
    for (uint32_t d = 1; d < map->rank; d++) {
        map->stride[d - 1] = bytes + 16 * (uint32_t)test_range(s, 0, 2);
        bytes = (uint32_t)(map->stride[d - 1] * map->extent[d]);
    }
    zlay_multicast_request r = {.size = sizeof r, .cluster = 2u << test_range(s, 0, 2), .map = map,
                                .smem = 2048, .barrier = 1024};
    r.cta_mask = (1u << r.cluster) - 1;
    for (uint32_t d = 0; d < map->rank; d++)
        r.coordinate[d] = (int32_t)test_range(s, -3, (int64_t)map->extent[d]);
    r.coordinate[0] = r.coordinate[0] * 16 / (int32_t)element;
    return r;
}

/* The same of an interleaved map, which may be illegal. */
static inline zlay_multicast_request cluster_slices(uint64_t *s, zlay_tensormap *map)
{
    uint32_t rows = 1;
    *map = (zlay_tensormap){.type = ZLAY_TYPE_BF16, .address = 1 << 20};
    map->rank = (uint32_t)test_range(s, 3, 5);
    map->interleave = (int32_t)test_range(s, 1, 2);
    map->swizzle = map->interleave == 2 ? ZLAY_SWIZZLE_32B : ZLAY_SWIZZLE_NONE;
    uint64_t bytes = 16u * (uint32_t)map->interleave;
    for (uint32_t d = 0; d < map->rank; d++) {
        map->box[d] = d + 2 == map->rank ? 1 : (uint32_t)test_range(s, 1, 16);
        if (rows * map->box[d] > 1024) map->box[d] = 1;
        if (!d) map->box[d] = 8 * (uint32_t)test_range(s, 1, 4);
        rows *= map->box[d];
        map->step[d] = 1;
        map->extent[d] = (uint64_t)test_range(s, 1, 2 * map->box[d]);
        bytes *= map->extent[d];
        if (d + 1 < map->rank) map->stride[d] = bytes += 32 * (uint64_t)test_range(s, 0, 2);
    }
    zlay_multicast_request r = {.size = sizeof r, .cluster = 2u << test_range(s, 0, 2), .map = map,
                                .smem = 2048, .barrier = 1024};
    r.cta_mask = (1u << r.cluster) - 1;
    for (uint32_t d = 0; d < map->rank; d++)
        r.coordinate[d] = (int32_t)test_range(s, -3, (int64_t)map->extent[d]);
    return r;
}

static zlay_layout *cluster_layout_of(zlay_ctx *ctx, const uint64_t *basis, const uint32_t bits[4],
                                      uint32_t outs)
{
    static const char *const names[] = {"register", "lane", "warp", "block"};
    zlay_dim in[4] = {{{0}, 0}}, out = {.name = "tensor", .size = (uint64_t)1 << outs};
    zlay_layout *a = NULL;
    for (int i = 0; i < 4; i++) {
        strcpy(in[i].name, names[i]);
        in[i].size = (uint64_t)1 << bits[i];
    }
    zlay_f2_bases b = {.size = sizeof b, .ins = 4, .outs = 1, .in = in, .out = &out,
                       .basis = basis};
    return zlay_f2_new(ctx, &a, &b) ? NULL : a;
}

/* Slots onto a tensor of 2^outs elements, at random until they reach all of it: random bases, some
 * 0, or one bit each; the first `run` of them in order, which no other touches. */
static inline zlay_layout *cluster_layout(uint64_t *s, zlay_ctx *ctx, const uint32_t bits[4],
                                   uint32_t outs, uint32_t run)
{
    uint32_t count = bits[0] + bits[1] + bits[2] + bits[3];
    for (;;) {
        uint64_t basis[64];
        uint32_t rank = 0;
        for (uint32_t i = 0; i < count; i++)
            basis[i] = test_range(s, 0, 5) ? test_random(s) & (((uint64_t)1 << outs) - 1) : 0;
        if (test_range(s, 0, 1))
            for (uint32_t i = 0; i < count; i++)
                basis[i] = (uint64_t)1 << test_range(s, 0, outs - 1);
        for (uint32_t i = 0; run && i < count; i++)
            basis[i] = i < run ? (uint64_t)1 << i : basis[i] >> run << run;
        zlay_layout *a = cluster_layout_of(ctx, basis, bits, outs);
        if (!a || zlay_f2_rank(&rank, a)) abort();
        if (rank == outs) return a;
        zlay_layout_free(a);
    }
}

#endif
