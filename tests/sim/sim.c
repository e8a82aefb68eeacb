/* SPDX-License-Identifier: Apache-2.0 */
/* The modelled copies against the pictures of the PTX ISA, the measured numbers, and an element by
 * element copy that knows nothing of rows and runs. */
#include "sim.h"

#include <math.h>

/* Rows as wide as the span, at four starts inside the 1024 bytes of the longest pattern. */
static void test_swizzle_pictures(void **unused)
{
    (void)unused;
    static const uint32_t starts[] = {0, 128, 256, 896};
    uint64_t state = 1;
    for (int32_t swizzle = 0; swizzle < 4; swizzle++)
        for (size_t s = 0; s < 4; s++) {
            world *w = world_new(&state);
            uint32_t span = 16u << swizzle, bytes = 0;
            w->map = map_2d(ZLAY_TYPE_U8, span, 32, span, span, 32, swizzle);
            assert_int_equal(load(w, ORIGIN + starts[s], (int32_t[]){0, 0}, &bytes), 0);
            assert_int_equal(bytes, span * 32);
            for (uint32_t i = 0; i < bytes; i++)
                assert_int_equal(w->smem[by_picture(ORIGIN + starts[s] + i, swizzle) - ORIGIN],
                                 w->global[i]);
            free(w);
        }
}

/* A narrow box keeps the span as its pitch, and the rest of each row is not written. */
static void test_narrow_box(void **unused)
{
    (void)unused;
    uint64_t state = 2;
    world *w = world_new(&state);
    uint32_t bytes = 0, written = 0;
    memset(w->global, 1, GLOBAL);
    w->map = map_2d(ZLAY_TYPE_BF16, 24, 16, 48, 24, 16, ZLAY_SWIZZLE_128B);
    assert_int_equal(load(w, ORIGIN, (int32_t[]){0, 0}, &bytes), 0);
    assert_int_equal(bytes, 48 * 16);
    for (uint32_t i = 0; i < SMEM; i++) written += w->smem[i] == 1;
    assert_int_equal(written, 48 * 16);
    for (uint32_t row = 0; row < 16; row++)
        for (uint32_t i = 0; i < 128; i++)
            assert_int_equal(w->smem[by_picture(row * 128 + i, 3)], i < 48 ? 1 : UNTOUCHED);
    free(w);
}

/* Measured: a 64 x 16 box of bytes over a 32 x 8 tensor completes 1024 bytes, filled outside. */
static void test_outside_is_filled(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    world *w = world_new(&state);
    uint32_t bytes = 0;
    w->map = map_2d(ZLAY_TYPE_U8, 32, 8, 32, 64, 16, ZLAY_SWIZZLE_NONE);
    memset(w->global, 7, GLOBAL);
    assert_int_equal(load(w, ORIGIN, (int32_t[]){-16, -2}, &bytes), 0);
    assert_int_equal(bytes, 1024);
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 64; x++)
            assert_int_equal(w->smem[y * 64 + x], x >= 16 && x < 48 && y >= 2 && y < 10 ? 7 : 0);
    assert_int_equal(load(w, ORIGIN, (int32_t[]){1 << 30, INT32_MIN}, &bytes), 0);
    assert_true(all_bytes(w->smem, 1024, 0));
    free(w);
}

static void test_nan_fill(void **unused)
{
    (void)unused;
    uint64_t state = 4;
    world *w = world_new(&state);
    uint32_t bytes = 0;
    w->map = map_2d(ZLAY_TYPE_BF16, 12, 2, 32, 32, 3, ZLAY_SWIZZLE_NONE);
    w->map.oob = 1;
    memset(w->global, 0x40, GLOBAL);
    assert_int_equal(load(w, ORIGIN, (int32_t[]){-8, 0}, &bytes), 0);
    for (int y = 0; y < 3; y++)
        for (int x = -8; x < 24; x++) {
            uint16_t value;
            memcpy(&value, w->smem + y * 64 + (x + 8) * 2, 2);
            if (x >= 0 && x < 12 && y < 2) assert_int_equal(value, 0x4040);
            else assert_true(isnan(zlay_sim_float(value)));
        }
    free(w);
}

/* Measured: a box of 9 with step 2 brings five rows and counts their bytes; step[0] is unused. */
static void test_steps(void **unused)
{
    (void)unused;
    uint64_t state = 5;
    world *w = world_new(&state);
    uint32_t bytes = 0;
    w->map = map_2d(ZLAY_TYPE_U8, 64, 20, 64, 64, 9, ZLAY_SWIZZLE_NONE);
    w->map.step[0] = w->map.step[1] = 2;
    assert_int_equal(load(w, ORIGIN, (int32_t[]){0, 3}, &bytes), 0);
    assert_int_equal(bytes, 320);
    for (int row = 0; row < 5; row++)
        assert_memory_equal(w->smem + row * 64, w->global + (3 + 2 * row) * 64, 64);
    assert_int_equal(w->smem[320], UNTOUCHED);
    free(w);
}

static void random_map(world *w, uint64_t *state)
{
    static const int32_t types[] = {ZLAY_TYPE_U8, ZLAY_TYPE_BF16, ZLAY_TYPE_F32, ZLAY_TYPE_F64};
    static const uint32_t sizes[] = {1, 2, 4, 8};
    size_t t = (size_t)test_range(state, 0, 3);
    zlay_tensormap *map = &w->map;
    memset(map, 0, sizeof *map);
    map->address = 1 << 20;
    map->type = types[t];
    map->rank = (uint32_t)test_range(state, 1, 5);
    map->swizzle = (int32_t)test_range(state, 0, 3);
    uint32_t most = map->swizzle ? 1u << map->swizzle : 6;
    map->box[0] = 16 * (uint32_t)test_range(state, 1, most) / sizes[t];
    map->extent[0] = (uint64_t)test_range(state, 1, 100) * 16 / sizes[t] % 100 + 1;
    map->step[0] = 1;
    for (uint32_t i = 1; i < map->rank; i++) {
        map->extent[i] = (uint64_t)test_range(state, 1, 5);
        map->stride[i - 1] = 16 * (uint64_t)test_range(state, 0, 50);
        map->box[i] = (uint32_t)test_range(state, 1, 5);
        map->step[i] = (uint32_t)test_range(state, 1, 3);
    }
}

static void random_coordinate(int32_t *coordinate, const world *w, uint32_t element, bool negative,
                              uint64_t *state)
{
    coordinate[0] = (int32_t)test_range(state, negative ? -3 : 0, 8) * 16 / (int32_t)element;
    for (uint32_t i = 1; i < w->map.rank; i++)
        coordinate[i] = (int32_t)test_range(state, negative ? -3 : 0, 6);
}

/* One element of a box: its place in shared memory and, where it is inside, in the tensor. */
typedef struct element {
    uint64_t shared, global;
    bool inside;
} element;

static element element_at(const zlay_tensormap *map, uint32_t address, uint32_t size,
                          const int32_t *coordinate, uint64_t index)
{
    uint64_t row = index / map->box[0], column = index % map->box[0];
    uint64_t pitch = map->swizzle ? 16u << map->swizzle : map->box[0] * size;
    element e = {.shared = by_picture(address + row * pitch + column * size, map->swizzle),
                 .inside = true};
    int64_t x = coordinate[0] + (int64_t)column;
    e.inside = x >= 0 && x < (int64_t)map->extent[0];
    e.global = (uint64_t)x * size;
    for (uint32_t i = 1; i < map->rank; i++) {
        uint64_t count = 0;
        for (uint32_t at = 0; at < map->box[i]; at += map->step[i]) count++;
        x = coordinate[i] + (int64_t)(row % count) * map->step[i];
        row /= count;
        e.inside = e.inside && x >= 0 && x < (int64_t)map->extent[i];
        e.global += (uint64_t)x * map->stride[i - 1];
    }
    return e;
}

static uint64_t elements_of(const zlay_tensormap *map)
{
    uint64_t count = map->box[0];
    for (uint32_t i = 1; i < map->rank; i++) count *= (map->box[i] - 1) / map->step[i] + 1;
    return count;
}

static uint32_t size_of(int32_t type)
{
    return type == ZLAY_TYPE_U8 ? 1 : type == ZLAY_TYPE_BF16 ? 2 : type == ZLAY_TYPE_F32 ? 4 : 8;
}

/* Loads by the tensor engine and by threads against the copy by elements; untouched bytes too. */
static void test_load_property(void **unused)
{
    (void)unused;
    uint64_t state = test_seed("load property");
    for (uint64_t i = 0; i < test_iterations(400); i++) {
        world *w = world_new(&state);
        int32_t coordinate[5], fault = -1;
        uint32_t bytes = 0;
        random_map(w, &state);
        uint32_t size = size_of(w->map.type),
                 address = ORIGIN + 128 * (uint32_t)test_range(&state, 0, 9);
        random_coordinate(coordinate, w, size, true, &state);
        uint8_t *expected = malloc(SMEM);
        assert_non_null(expected);
        memset(expected, UNTOUCHED, SMEM);
        for (uint64_t e = 0; e < elements_of(&w->map); e++) {
            element at = element_at(&w->map, address, size, coordinate, e);
            if (at.inside) memcpy(expected + at.shared - ORIGIN, w->global + at.global, size);
            else memset(expected + at.shared - ORIGIN, 0, size);
        }
        assert_int_equal(load(w, address, coordinate, &bytes), 0);
        assert_int_equal(bytes, elements_of(&w->map) * size);
        assert_memory_equal(w->smem, expected, SMEM);
        memset(w->smem, UNTOUCHED, SMEM);
        assert_int_equal(
            zlay_sim_thread_load(&fault, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = coordinate, .address = address}, 16),
            0);
        assert_int_equal(fault, 0);
        assert_memory_equal(w->smem, expected, SMEM);
        free(expected);
        free(w);
    }
}

static void spread_rows(zlay_tensormap *map, uint32_t size, uint64_t *state)
{
    uint64_t pitch = 128;
    if (map->rank == 5) {
        map->rank = 4;
        map->extent[4] = map->stride[3] = map->box[4] = map->step[4] = 0;
    }
    map->extent[0] = 16 * (uint64_t)test_range(state, 1, 8) / size;
    for (uint32_t d = 1; d < map->rank; d++, pitch *= 5) map->stride[d - 1] = pitch;
}

/* Rows that are whole 16-byte granules, stored where the strides leave the elements apart. */
static void test_store_property(void **unused)
{
    (void)unused;
    uint64_t state = test_seed("store property");
    for (uint64_t i = 0; i < test_iterations(400); i++) {
        world *w = world_new(&state);
        int32_t coordinate[5], fault = -1;
        uint32_t bytes = 0;
        random_map(w, &state);
        uint32_t size = size_of(w->map.type),
                 address = ORIGIN + 128 * (uint32_t)test_range(&state, 0, 9);
        spread_rows(&w->map, size, &state);
        random_coordinate(coordinate, w, size, false, &state);
        for (size_t b = 0; b < SMEM; b++) w->smem[b] = (uint8_t)test_random(&state);
        uint8_t *expected = malloc(GLOBAL), *before = malloc(GLOBAL);
        assert_true(expected && before);
        memcpy(expected, w->global, GLOBAL);
        memcpy(before, w->global, GLOBAL);
        for (uint64_t e = 0; e < elements_of(&w->map); e++) {
            element at = element_at(&w->map, address, size, coordinate, e);
            if (at.inside) memcpy(expected + at.global, w->smem + at.shared - ORIGIN, size);
        }
        assert_int_equal(store(w, address, coordinate, &bytes), 0);
        assert_int_equal(bytes, elements_of(&w->map) * size);
        assert_memory_equal(w->global, expected, GLOBAL);
        memcpy(w->global, before, GLOBAL);
        assert_int_equal(
            zlay_sim_thread_store(&fault, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = coordinate, .address = address}, 16),
            0);
        assert_int_equal(fault, 0);
        assert_memory_equal(w->global, expected, GLOBAL);
        free(expected);
        free(before);
        free(w);
    }
}

/* Measured: a row of 10 bf16 is stored as 32 bytes, so 12 bytes of what follows it change. */
static void test_store_granule(void **unused)
{
    (void)unused;
    uint64_t state = 8;
    world *w = world_new(&state);
    uint32_t bytes = 0;
    w->map = map_2d(ZLAY_TYPE_BF16, 10, 2, 64, 32, 2, ZLAY_SWIZZLE_NONE);
    memset(w->global, 1, GLOBAL);
    assert_int_equal(store(w, ORIGIN, (int32_t[]){0, 0}, &bytes), 0);
    for (int i = 0; i < 128; i++) assert_int_equal(w->global[i], i % 64 < 32 ? UNTOUCHED : 1);
    w->tensor.size = 64 + 20;
    assert_int_equal(store(w, ORIGIN, (int32_t[]){0, 0}, &bytes), ZLAY_FAULT_ACCESS);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_swizzle_pictures),
        cmocka_unit_test(test_narrow_box),
        cmocka_unit_test(test_outside_is_filled),
        cmocka_unit_test(test_nan_fill),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_load_property),
        cmocka_unit_test(test_store_property),
        cmocka_unit_test(test_store_granule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
