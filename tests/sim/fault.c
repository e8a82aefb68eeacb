/* SPDX-License-Identifier: Apache-2.0 */
/* What the modelled copies refuse, and that a fault leaves every byte as it was. */
#include "sim.h"

typedef struct fault_row {
    uint32_t address;
    int32_t x, y, of_load, of_store;
} fault_row;

/* Measured on an H200, each alone in its own process.  The map is of 64 x 48 two-byte elements, its
 * box of 32 x 8. */
static void test_tensor_faults(void **unused)
{
    (void)unused;
    static const fault_row rows[] = {
        {0, 0, 0, 0, 0},
        {16, 0, 0, ZLAY_FAULT_SMEM_ALIGN, ZLAY_FAULT_SMEM_ALIGN},
        {64, 0, 0, ZLAY_FAULT_SMEM_ALIGN, ZLAY_FAULT_SMEM_ALIGN},
        {128, 0, 0, 0, 0},
        {0, 1, 0, ZLAY_FAULT_COORDINATE, ZLAY_FAULT_COORDINATE},
        {0, 4, 0, ZLAY_FAULT_COORDINATE, ZLAY_FAULT_COORDINATE},
        {0, 8, 0, 0, 0},
        {0, -1, 0, ZLAY_FAULT_COORDINATE, ZLAY_FAULT_COORDINATE},
        {0, -16, 0, 0, ZLAY_FAULT_COORDINATE},
        {0, 0, -1, 0, ZLAY_FAULT_COORDINATE},
        {0, 64, 0, 0, 0},
        {0, 0, 48, 0, 0},
        {SMEM - 384, 0, 0, ZLAY_FAULT_ACCESS, ZLAY_FAULT_ACCESS},
        {SMEM - 512, 0, 0, 0, 0},
    };
    uint64_t state = 9;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        world *w = world_new(&state);
        uint8_t *before = malloc(sizeof *w);
        assert_non_null(before);
        uint32_t bytes = 12345;
        w->map = map_2d(ZLAY_TYPE_BF16, 64, 48, 128, 32, 8, ZLAY_SWIZZLE_NONE);
        memcpy(before, w, sizeof *w);
        int32_t at[] = {rows[i].x, rows[i].y};
        assert_int_equal(load(w, ORIGIN + rows[i].address, at, &bytes), rows[i].of_load);
        if (rows[i].of_load) assert_memory_equal(w, before, sizeof *w);
        if (rows[i].of_load) assert_int_equal(bytes, 12345);
        memcpy(before, w, sizeof *w);
        assert_int_equal(store(w, ORIGIN + rows[i].address, at, &bytes), rows[i].of_store);
        if (rows[i].of_store) assert_memory_equal(w, before, sizeof *w);
        free(before);
        free(w);
    }
}

/* A tensor larger than its array faults at the row that leaves it, and not before. */
static void test_global_bounds(void **unused)
{
    (void)unused;
    uint64_t state = 10;
    world *w = world_new(&state);
    uint32_t bytes = 0;
    w->map = map_2d(ZLAY_TYPE_BF16, 64, 1 << 20, 128, 32, 8, ZLAY_SWIZZLE_64B);
    assert_int_equal(load(w, ORIGIN, (int32_t[]){32, GLOBAL / 128 - 8}, &bytes), 0);
    assert_int_equal(load(w, ORIGIN, (int32_t[]){32, GLOBAL / 128 - 7}, &bytes), ZLAY_FAULT_ACCESS);
    w->map.stride[0] = ((uint64_t)1 << 40) - 16;
    w->map.extent[1] = (uint64_t)1 << 31;
    assert_int_equal(load(w, ORIGIN, (int32_t[]){0, INT32_MAX}, &bytes), ZLAY_FAULT_ACCESS);
    free(w);
}

/* Strides whose multiples pass 2^64 lead to what is left: row r before the end e of a group is row 2^30 - r, plane 2^30 - e, and e
 * times 2^34 bytes further. Rows from e on are outside of the map, and not stored. */
static void test_wrapping(void **unused)
{
    enum { PITCH = 128, END = 11, ROWS = 8, LEFT = 3 };
    const uint64_t row = (uint64_t)1 << 30, plane = (uint64_t)1 << 34;
    (void)unused;
    uint64_t state = 12;
    world *w = world_new(&state), *before = malloc(sizeof *before);
    uint32_t bytes = 0;
    assert_non_null(before);
    memcpy(before, w, sizeof *w);
    w->map = map_2d(ZLAY_TYPE_BF16, 64, row, PITCH, 32, ROWS, ZLAY_SWIZZLE_64B);
    w->map.rank = 4;
    w->map.extent[2] = w->map.extent[3] = row;
    w->map.stride[1] = plane - PITCH, w->map.stride[2] = plane;
    w->map.box[2] = w->map.box[3] = w->map.step[2] = w->map.step[3] = 1;
    assert_int_equal(store(w, ORIGIN, (int32_t[]){0, (int32_t)row - LEFT, (int32_t)row - END, END}, &bytes), 0);
    for (uint64_t r = 0; r < GLOBAL / PITCH; r++) {
        bool stored = r >= END - LEFT && r < END;
        bool same = !memcmp(w->global + r * PITCH, before->global + r * PITCH, 64);
        assert_true(stored != same);
        assert_memory_equal(w->global + r * PITCH + 64, before->global + r * PITCH + 64, PITCH - 64);
    }
    assert_int_equal(store(w, ORIGIN, (int32_t[]){0, (int32_t)row - LEFT, (int32_t)row - 1, END}, &bytes), ZLAY_FAULT_ACCESS);
    free(before);
    free(w);
}

typedef struct width_row {
    uint32_t width, pitch, extent;
    int32_t x, of_load, of_store;
} width_row;

/* Which accesses of a row of 16 two-byte elements threads can make. */
/* Addresses are sums mod 2^64: 2^26 steps of 2^38 bytes are none, and a step less a row goes 2^26 rows back. */
static void test_wraps(void **unused)
{
    (void)unused;
    uint64_t state = 5;
    uint32_t bytes;
    world *w = world_new(&state);
    w->map = (zlay_tensormap){.address = 1 << 20, .extent = {32, 1ull << 27, (1ull << 26) + 1}, .stride = {64, (1ull << 38) - 64},
                              .box = {32, 2, 1}, .step = {1, 1, 1}, .rank = 3, .type = ZLAY_TYPE_BF16};
    int32_t back[] = {0, (1 << 26) + 3, 1 << 26}, short_of[] = {0, (1 << 26) - 1, 1 << 26}, near[] = {0, (1 << 26) + 3, 0};
    assert_int_equal(load(w, ORIGIN, back, &bytes), 0);
    assert_memory_equal(w->smem, w->global + 3 * 64, 128);
    assert_int_equal(load(w, ORIGIN, short_of, &bytes), ZLAY_FAULT_ACCESS);
    assert_int_equal(load(w, ORIGIN, near, &bytes), ZLAY_FAULT_ACCESS);
    free(w);
}

static void test_thread_widths(void **unused)
{
    (void)unused;
    static const width_row rows[] = {
        {2, 202, 100, 0, 0, 0},
        {4, 202, 100, 0, ZLAY_FAULT_WIDTH, ZLAY_FAULT_WIDTH},
        {4, 204, 100, 0, 0, 0},
        {8, 204, 100, 0, ZLAY_FAULT_WIDTH, ZLAY_FAULT_WIDTH},
        {8, 200, 100, 0, 0, 0},
        {16, 200, 100, 0, ZLAY_FAULT_WIDTH, ZLAY_FAULT_WIDTH},
        {16, 208, 100, 0, 0, 0},
        {16, 208, 100, 96, 0, ZLAY_FAULT_WIDTH},
        {8, 208, 99, 96, 0, ZLAY_FAULT_WIDTH},
        {2, 208, 99, 96, 0, 0},
        {16, 208, 100, 1, ZLAY_FAULT_WIDTH, ZLAY_FAULT_WIDTH},
        {16, 208, 100, 104, 0, 0},
        {2, 208, 100, -3, 0, 0},
        {4, 208, 100, -3, ZLAY_FAULT_WIDTH, ZLAY_FAULT_WIDTH},
        {4, 208, 100, -2, 0, 0},
    };
    uint64_t state = 11;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        world *w = world_new(&state);
        int32_t fault = -1, at[] = {rows[i].x, 5};
        w->map = map_2d(ZLAY_TYPE_BF16, rows[i].extent, 40, rows[i].pitch, 16, 8, ZLAY_SWIZZLE_32B);
        zlay_status status = zlay_sim_thread_load(&fault, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}, rows[i].width);
        assert_int_equal(status, ZLAY_OK);
        assert_int_equal(fault, rows[i].of_load);
        if (fault) assert_true(all_bytes(w->smem, SMEM, UNTOUCHED));
        status = zlay_sim_thread_store(&fault, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}, rows[i].width);
        assert_int_equal(status, ZLAY_OK);
        assert_int_equal(fault, rows[i].of_store);
        free(w);
    }
}

/* Each of the three addresses that an access of four bytes has, off by two. */
static void test_thread_alignment(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t address, global, box;
        int32_t x, fault;
    } rows[] = {
        {0, 0, 16, 0, 0}, {2, 0, 16, 0, ZLAY_FAULT_WIDTH},  {0, 2, 16, 0, ZLAY_FAULT_WIDTH},
        {0, 2, 16, 1, 0}, {0, 2, 16, -1, ZLAY_FAULT_WIDTH}, {0, 0, 15, 0, ZLAY_FAULT_WIDTH},
    };
    uint64_t state = 14;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        world *w = world_new(&state);
        int32_t fault = -1, at[] = {rows[i].x, 0};
        w->map = map_2d(ZLAY_TYPE_BF16, 100, 40, 208, rows[i].box, 1, ZLAY_SWIZZLE_NONE);
        w->map.address += rows[i].global;
        zlay_status status = zlay_sim_thread_load(&fault, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN + rows[i].address}, 4);
        assert_int_equal(status, ZLAY_OK);
        assert_int_equal(fault, rows[i].fault);
        free(w);
    }
}

/* A box of 2^160 elements ends at the first row that shared memory does not hold. */
static void test_hostile_box(void **unused)
{
    (void)unused;
    uint64_t state = 15;
    world *w = world_new(&state);
    int32_t fault = -1, at[5] = {INT32_MIN, INT32_MAX, -1, 0, 7};
    for (int i = 0; i < 5; i++) {
        w->map.extent[i] = UINT64_MAX;
        w->map.box[i] = i ? UINT32_MAX : 1;
        w->map.step[i] = 1;
        w->map.stride[i < 4 ? i : 0] = UINT64_MAX;
    }
    w->map.rank = 5;
    zlay_status status =
        zlay_sim_thread_load(&fault, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}, 2);
    assert_int_equal(status, ZLAY_OK);
    assert_int_equal(fault, ZLAY_FAULT_WIDTH);
    w->map.box[0] = 64;
    w->map.swizzle = ZLAY_SWIZZLE_64B;
    status = zlay_sim_thread_load(&fault, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}, 2);
    assert_int_equal(status, ZLAY_OK);
    assert_int_equal(fault, ZLAY_FAULT_ACCESS);
    assert_true(all_bytes(w->smem, SMEM, UNTOUCHED));
    w->map.rank = 2;
    w->map.box[1] = 1;
    w->map.swizzle = ZLAY_SWIZZLE_NONE;
    status = zlay_sim_thread_load(&fault, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = (int32_t[]){0, -2}, .address = ORIGIN}, 2);
    assert_int_equal(status, ZLAY_OK);
    assert_int_equal(fault, 0);
    assert_true(all_bytes(w->smem, 64, 0));
    free(w);
}

/* Rows of 8200 bytes, which no tensor map takes: each element goes where the picture says. */
static void test_thread_ragged(void **unused)
{
    (void)unused;
    uint64_t state = 12;
    world *w = world_new(&state);
    int32_t fault = -1, at[] = {96, 1};
    w->map = map_2d(ZLAY_TYPE_BF16, 100, 7, 202, 64, 8, ZLAY_SWIZZLE_128B);
    assert_int_equal(zlay_sim_thread_load(&fault, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}, 2),
                     ZLAY_OK);
    assert_int_equal(fault, 0);
    for (uint64_t y = 0; y < 8; y++)
        for (uint64_t x = 0; x < 64; x++) {
            uint16_t value, expected = 0;
            if (y + 1 < 7 && x + 96 < 100)
                memcpy(&expected, w->global + (y + 1) * 202 + (x + 96) * 2, 2);
            memcpy(&value, w->smem + by_picture(y * 128 + x * 2, 3), 2);
            assert_int_equal(value, expected);
        }
    free(w);
}

static void refuse(world *w, zlay_status expected)
{
    int32_t fault = 77, at[5] = {0};
    uint32_t bytes = 77;
    assert_int_equal(
        zlay_sim_tensor_load(&fault, &bytes, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}),
        expected);
    assert_int_equal(
        zlay_sim_tensor_store(&fault, &bytes, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}),
        expected);
    assert_int_equal(zlay_sim_thread_load(&fault, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}, 2),
                     expected);
    assert_int_equal(zlay_sim_thread_store(&fault, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}, 2),
                     expected);
    assert_int_equal(fault, 77);
    assert_int_equal(bytes, 77);
}

static void test_refused(void **unused)
{
    (void)unused;
    uint64_t state = 13;
    world *w = world_new(&state);
    const zlay_tensormap good = map_2d(ZLAY_TYPE_BF16, 64, 48, 128, 32, 8, ZLAY_SWIZZLE_64B);
    int32_t fault = 77, at[5] = {0};
    w->map = good, w->map.rank = 0, refuse(w, ZLAY_EINVAL);
    w->map = good, w->map.rank = 6, refuse(w, ZLAY_EINVAL);
    w->map = good, w->map.box[1] = 0, refuse(w, ZLAY_EINVAL);
    w->map = good, w->map.step[1] = 0, refuse(w, ZLAY_EINVAL);
    w->map = good, w->map.swizzle = 7, refuse(w, ZLAY_EINVAL);
    w->map = good, w->map.swizzle = -1, refuse(w, ZLAY_EINVAL);
    w->map = good, w->map.interleave = 1, refuse(w, ZLAY_EINVAL);
    w->map = good, w->map.type = 99, refuse(w, ZLAY_EINVAL);
    w->map = good, w->map.swizzle = ZLAY_SWIZZLE_32B, refuse(w, ZLAY_EINVAL);
    w->map = good, w->shared.origin = 8, refuse(w, ZLAY_EINVAL);
    w->shared.origin = ORIGIN, w->shared.bytes = NULL, refuse(w, ZLAY_EINVAL);
    w->shared.bytes = w->smem, w->tensor.bytes = NULL, refuse(w, ZLAY_EINVAL);
    w->tensor.bytes = w->global;
    assert_int_equal(zlay_sim_thread_load(&fault, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}, 3),
                     ZLAY_EINVAL);
    assert_int_equal(zlay_sim_thread_load(&fault, NULL, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}, 2),
                     ZLAY_EINVAL);
    assert_int_equal(zlay_sim_thread_load(NULL, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}, 2),
                     ZLAY_EINVAL);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensor_faults),    cmocka_unit_test(test_global_bounds),
        cmocka_unit_test(test_wrapping),
        cmocka_unit_test(test_thread_widths),    cmocka_unit_test(test_thread_ragged),
        cmocka_unit_test(test_thread_alignment), cmocka_unit_test(test_hostile_box),
        cmocka_unit_test(test_refused),          cmocka_unit_test(test_wraps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
