/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a cluster in the CPU model: each one's shared memory, one with the whole tile, and the
 * memory that is shared out. */
#ifndef TEST_CLUSTER_MODEL_H
#define TEST_CLUSTER_MODEL_H

#include "plans/clusters.h"
#include "ctx.h"

#include <stdbool.h>

enum { SMEM = 48 * 1024, ORIGIN = 0, BLOCKS = 8, PATTERN = 0x5a };

/* The example of zlay/cluster.h. */
static inline zlay_tensormap example_map(void)
{
    zlay_tensormap map = {.type = ZLAY_TYPE_BF16, .rank = 2, .address = 1 << 20, .swizzle = 3,
                          .extent = {4096, 4096}, .stride = {8192}, .box = {64, 64},
                          .step = {1, 1}};
    return map;
}

typedef struct blocks {
    zlay_sim_smem smem[BLOCKS], whole;
    zlay_sim_global global;
} cluster;

static inline void blocks_begin(cluster *b, uint64_t *seed, const zlay_tensormap *map)
{
    for (int i = 0; i <= BLOCKS; i++) {
        zlay_sim_smem *one = i < BLOCKS ? &b->smem[i] : &b->whole;
        *one = (zlay_sim_smem){malloc(SMEM), SMEM, ORIGIN};
        assert_non_null(one->bytes);
        memset(one->bytes, PATTERN, SMEM);
    }
    b->global.size = 16;
    for (uint32_t d = 0; d < map->rank; d++)
        b->global.size += (d ? map->stride[d - 1] : 8) * map->extent[d];
    b->global.bytes = malloc(b->global.size);
    assert_non_null(b->global.bytes);
    for (uint64_t i = 0; i < b->global.size; i++) b->global.bytes[i] = (uint8_t)test_random(seed);
}

static inline void blocks_end(cluster *b)
{
    for (int i = 0; i < BLOCKS; i++) free(b->smem[i].bytes);
    free(b->whole.bytes);
    free(b->global.bytes);
}

static inline uint64_t element(const zlay_layout *a, uint64_t slot)
{
    int64_t value;
    assert_int_equal(zlay_layout_eval(&value, 1, a, slot), ZLAY_OK);
    return (uint64_t)value;
}

#endif
