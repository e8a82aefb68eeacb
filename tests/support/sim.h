/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of modelled copies share: a small shared memory and a tensor, and the pictures. */
#ifndef TEST_SIM_H
#define TEST_SIM_H

#include "test.h"

#include <stdbool.h>
#include <string.h>
#include <zlay/sim.h>

enum { ORIGIN = 4096, SMEM = 192 * 1024, GLOBAL = 1 << 16, UNTOUCHED = 0xee };

/* PTX ISA 9.1, 5.5.7: which 16-byte chunk of a 128-byte line stands where; a row a line. */
static const uint8_t pattern[4][8][8] = {
    {{0, 1, 2, 3, 4, 5, 6, 7}},
    {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}},
    {{0, 1, 2, 3, 4, 5, 6, 7},
     {1, 0, 3, 2, 5, 4, 7, 6},
     {2, 3, 0, 1, 6, 7, 4, 5},
     {3, 2, 1, 0, 7, 6, 5, 4}},
    {{0, 1, 2, 3, 4, 5, 6, 7},
     {1, 0, 3, 2, 5, 4, 7, 6},
     {2, 3, 0, 1, 6, 7, 4, 5},
     {3, 2, 1, 0, 7, 6, 5, 4},
     {4, 5, 6, 7, 0, 1, 2, 3},
     {5, 4, 7, 6, 1, 0, 3, 2},
     {6, 7, 4, 5, 2, 3, 0, 1},
     {7, 6, 5, 4, 3, 2, 1, 0}},
};
static const uint32_t pattern_lines[4] = {1, 2, 4, 8};

static inline uint64_t by_picture(uint64_t address, int32_t swizzle)
{
    uint64_t line = address / 128, chunk = address / 16 % 8;
    return line * 128 + pattern[swizzle][line % pattern_lines[swizzle]][chunk] * 16u + address % 16;
}

typedef struct world {
    uint8_t smem[SMEM], global[GLOBAL];
    zlay_sim_smem shared;
    zlay_sim_global tensor;
    zlay_tensormap map;
} world;

static inline world *world_new(uint64_t *state)
{
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    memset(w->smem, UNTOUCHED, sizeof w->smem);
    for (size_t i = 0; i < GLOBAL; i++) w->global[i] = (uint8_t)test_random(state);
    w->shared = (zlay_sim_smem){w->smem, SMEM, ORIGIN};
    w->tensor = (zlay_sim_global){w->global, GLOBAL};
    return w;
}

static inline zlay_tensormap map_2d(int32_t type, uint64_t width, uint64_t height, uint64_t pitch,
                                    uint32_t box0, uint32_t box1, int32_t swizzle)
{
    zlay_tensormap map = {.address = 1 << 20,
                          .extent = {width, height},
                          .stride = {pitch},
                          .box = {box0, box1},
                          .step = {1, 1},
                          .rank = 2,
                          .type = type,
                          .swizzle = swizzle};
    return map;
}

static inline int32_t load(world *w, uint32_t address, const int32_t *coordinate, uint32_t *bytes)
{
    int32_t fault = -1;
    assert_int_equal(
        zlay_sim_tensor_load(&fault, bytes, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = coordinate, .address = address}),
        ZLAY_OK);
    return fault;
}

static inline int32_t store(world *w, uint32_t address, const int32_t *coordinate, uint32_t *bytes)
{
    int32_t fault = -1;
    assert_int_equal(
        zlay_sim_tensor_store(&fault, bytes, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = coordinate, .address = address}),
        ZLAY_OK);
    return fault;
}

static inline bool all_bytes(const uint8_t *bytes, size_t size, uint8_t value)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != value) return false;
    return true;
}

#endif
