/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions, copies of four rows and multicasts of the model, against element-by-element copies
 * that know nothing of rows and runs. The same model was compared with an H200 byte by byte:
 * tests/device/hardware/copies.def. */
#include "sim.h"

#include <math.h>

/* ---- sums -------------------------------------------------------------------------------- */

static double half_value(uint32_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    double magnitude =
        exponent ? ldexp(1 + fraction / 1024.0, exponent - 15) : ldexp(fraction, -24);
    return bits >> 15 ? -magnitude : magnitude;
}

/* The half nearest to a value, found among all of them: their bits are in their order. */
static uint16_t nearest_half(double value)
{
    double magnitude = fabs(value);
    uint32_t low = 0, high = 0x7bff, sign = value < 0 ? 0x8000 : 0;
    if (magnitude >= 65520) return (uint16_t)(sign | 0x7c00);
    while (low < high) {
        uint32_t middle = (low + high + 1) / 2;
        if (half_value(middle) <= magnitude) low = middle;
        else high = middle - 1;
    }
    if (low == 0x7bff) return (uint16_t)(sign | low);
    double below = magnitude - half_value(low), above = half_value(low + 1) - magnitude;
    if (above < below || (above == below && low & 1)) low++;
    return (uint16_t)(sign | low);
}

static uint64_t sum_of(int32_t type, uint64_t a, uint64_t b)
{
    uint32_t x = (uint32_t)a, y = (uint32_t)b, word;
    float f, g;
    double d, e;
    switch (type) {
    case ZLAY_TYPE_F16: return nearest_half(half_value((uint32_t)a) + half_value((uint32_t)b));
    case ZLAY_TYPE_BF16:
        return zlay_sim_bf16(zlay_sim_float((uint16_t)a) + zlay_sim_float((uint16_t)b));
    case ZLAY_TYPE_F32:
        memcpy(&f, &x, 4), memcpy(&g, &y, 4);
        f += g;
        memcpy(&word, &f, 4);
        return word;
    case ZLAY_TYPE_F64:
        memcpy(&d, &a, 8), memcpy(&e, &b, 8);
        d += e;
        memcpy(&a, &d, 8);
        return a;
    default: return a + b;
    }
}

/* Signed as the type is, floats by value. */
static bool below(int32_t type, uint64_t a, uint64_t b)
{
    switch (type) {
    case ZLAY_TYPE_S32: return (int32_t)(uint32_t)a < (int32_t)(uint32_t)b;
    case ZLAY_TYPE_S64: return (int64_t)a < (int64_t)b;
    case ZLAY_TYPE_F16: return half_value((uint32_t)a) < half_value((uint32_t)b);
    case ZLAY_TYPE_BF16: return zlay_sim_float((uint16_t)a) < zlay_sim_float((uint16_t)b);
    default: return a < b;
    }
}

static uint64_t result_of(int32_t op, int32_t type, uint64_t old, uint64_t operand)
{
    switch (op) {
    case ZLAY_REDUCE_ADD: return sum_of(type, old, operand);
    case ZLAY_REDUCE_MIN: return below(type, operand, old) ? operand : old;
    case ZLAY_REDUCE_MAX: return below(type, old, operand) ? operand : old;
    case ZLAY_REDUCE_INC: return old >= operand ? 0 : old + 1;
    case ZLAY_REDUCE_DEC: return old == 0 || old > operand ? operand : old - 1;
    case ZLAY_REDUCE_AND: return old & operand;
    case ZLAY_REDUCE_OR: return old | operand;
    default: return old ^ operand;
    }
}

/* ---- a matrix ------------------------------------------------------------------------------ */

enum { ROWS = 24, PITCH = 256, BOX_ROWS = 8 };

static const struct {
    int32_t type;
    uint32_t size;
} types[] = {{ZLAY_TYPE_U32, 4}, {ZLAY_TYPE_S32, 4},  {ZLAY_TYPE_U64, 8}, {ZLAY_TYPE_S64, 8},
             {ZLAY_TYPE_F16, 2}, {ZLAY_TYPE_BF16, 2}, {ZLAY_TYPE_F32, 4}, {ZLAY_TYPE_F64, 8},
             {ZLAY_TYPE_U8, 1},  {ZLAY_TYPE_U16, 2}};

/* PTX ISA 9.1, cp.reduce.async.bulk.tensor, and what an H200 does of f64 and s64. */
static bool takes(int32_t op, int32_t type)
{
    static const uint32_t sets[9] = {
        [ZLAY_REDUCE_ADD] = 0x001 | 0x002 | 0x004 | 0x010 | 0x020 | 0x040 | 0x080,
        [ZLAY_REDUCE_MIN] = 0x001 | 0x002 | 0x004 | 0x008 | 0x010 | 0x020,
        [ZLAY_REDUCE_MAX] = 0x001 | 0x002 | 0x004 | 0x008 | 0x010 | 0x020,
        [ZLAY_REDUCE_INC] = 0x001,
        [ZLAY_REDUCE_DEC] = 0x001,
        [ZLAY_REDUCE_AND] = 0x007,
        [ZLAY_REDUCE_OR] = 0x007,
        [ZLAY_REDUCE_XOR] = 0x007};
    for (uint32_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type) return sets[op] >> i & 1;
    return false;
}

/* Finite numbers, for what a NaN becomes nobody measured. */
static void make_finite(uint8_t *bytes, size_t size, int32_t type)
{
    for (size_t i = 0; i + 8 <= size; i += 8) {
        if (type == ZLAY_TYPE_F16 || type == ZLAY_TYPE_BF16)
            for (size_t k = 1; k < 8; k += 2) bytes[i + k] &= 0xb7;
        if (type == ZLAY_TYPE_F32) bytes[i + 3] &= 0xbf, bytes[i + 7] &= 0xbf;
        if (type == ZLAY_TYPE_F32) bytes[i + 3] |= 0x10, bytes[i + 7] |= 0x10;
        if (type == ZLAY_TYPE_F64) bytes[i + 7] &= 0xbf;
    }
}

static world *matrix(uint64_t *s, size_t t)
{
    world *w = world_new(s);
    for (size_t i = 0; i < SMEM; i++) w->smem[i] = (uint8_t)test_random(s);
    make_finite(w->global, GLOBAL, types[t].type);
    make_finite(w->smem, SMEM, types[t].type);
    w->map = map_2d(types[t].type, 128 / types[t].size + 3, ROWS, PITCH, 128 / types[t].size,
                    BOX_ROWS, ZLAY_SWIZZLE_128B);
    return w;
}

/* The elements of the box one by one, up to whole 16 bytes of each row (measured). */
static void expect(uint8_t *want, const world *w, int32_t op, uint32_t size, const int32_t *at)
{
    uint32_t width = 128 / size;
    uint64_t ends = (w->map.extent[0] * size + 15) / 16 * 16;
    for (uint32_t y = 0; y < BOX_ROWS; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint64_t old = 0, operand = 0;
            uint64_t row = (uint64_t)at[1] + y, column = ((uint64_t)at[0] + x) * size;
            uint64_t from = by_picture(ORIGIN + 256 + y * 128 + x * size, 3) - ORIGIN;
            if (row >= ROWS || column >= ends) continue;
            memcpy(&old, want + row * PITCH + column, size);
            memcpy(&operand, w->smem + from, size);
            uint64_t result = result_of(op, w->map.type, old, operand);
            memcpy(want + row * PITCH + column, &result, size);
        }
}

static void one_reduction(uint64_t *s, int32_t op, size_t t)
{
    static uint8_t want[GLOBAL];
    world *w = matrix(s, t);
    uint32_t bytes = 0;
    int32_t fault = -1, unit = 16 / (int32_t)types[t].size;
    int32_t at[2] = {(int32_t)test_range(s, 0, 4) * unit, (int32_t)test_range(s, 0, 20)};
    memcpy(want, w->global, GLOBAL);
    zlay_status status = zlay_sim_tensor_reduce(&fault, &bytes, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN + 256}, op);
    if (takes(op, types[t].type)) {
        expect(want, w, op, types[t].size, at);
        assert_true(status == ZLAY_OK && fault == 0 && bytes == BOX_ROWS * 128);
    } else {
        assert_int_equal(status, ZLAY_EINVAL);
    }
    assert_memory_equal(want, w->global, GLOBAL);
    free(w);
}

static void every_operation_and_type(void **state)
{
    (void)state;
    uint64_t s = test_seed("sim/reduce");
    for (uint64_t i = 0; i < test_iterations(10); i++)
        for (int32_t op = ZLAY_REDUCE_ADD; op <= ZLAY_REDUCE_XOR; op++)
            for (size_t t = 0; t < sizeof types / sizeof *types; t++) one_reduction(&s, op, t);
}

/* Halves near and at ties, subnormal sums, overflow. */
static void sums_of_halves(void **state)
{
    (void)state;
    uint64_t s = test_seed("sim/reduce halves");
    for (uint64_t i = 0; i < test_iterations(300); i++) {
        world *w = world_new(&s);
        uint32_t bytes;
        int32_t fault, at[2] = {0, 0};
        uint16_t old[512];
        w->map = map_2d(ZLAY_TYPE_F16, 64, 8, 128, 64, 8, ZLAY_SWIZZLE_NONE);
        for (size_t k = 0; k < 1024; k += 2) {
            w->smem[k + 1] = (uint8_t)(test_random(&s) % 0x7b | (test_random(&s) & 0x80));
            w->smem[k] = (uint8_t)test_random(&s);
            w->global[k + 1] = (uint8_t)(w->smem[k + 1] ^ (test_random(&s) & 0x87));
            if ((w->global[k + 1] & 0x7c) == 0x7c) w->global[k + 1] &= 0x83;
        }
        memcpy(old, w->global, sizeof old);
        assert_int_equal(zlay_sim_tensor_reduce(&fault, &bytes, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}, ZLAY_REDUCE_ADD),
                         ZLAY_OK);
        for (size_t k = 0; k < 512; k++) {
            uint16_t operand, got;
            memcpy(&operand, w->smem + 2 * k, 2);
            memcpy(&got, w->global + 2 * k, 2);
            double exact = half_value(old[k]) + half_value(operand);
            uint16_t want = nearest_half(exact);
            if (exact == 0) assert_int_equal(got & 0x7fff, 0);
            else if (got != want)
                fail_msg("%04x + %04x is %04x, not %04x", old[k], operand, want, got);
        }
        free(w);
    }
}

/* ---- four rows ---------------------------------------------------------------------------------
 */

static void four_rows(void **state)
{
    (void)state;
    uint64_t s = test_seed("sim/reduce rows");
    for (uint64_t i = 0; i < test_iterations(200); i++) {
        world *w = world_new(&s);
        uint32_t bytes = 0, size = 2, box = 8 * (uint32_t)test_range(&s, 1, 8);
        int32_t fault = -1, at[5] = {8 * (int32_t)test_range(&s, -2, 9)};
        w->map = map_2d(ZLAY_TYPE_BF16, 64, 100, 128, box, 1, ZLAY_SWIZZLE_128B);
        for (int k = 1; k < 5; k++) at[k] = (int32_t)test_range(&s, -3, 110);
        assert_int_equal(zlay_sim_tensor_gather4(&fault, &bytes, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN + 128}),
                         ZLAY_OK);
        assert_true(fault == 0 && bytes == 4 * box * size);
        for (int k = 0; k < 4; k++)
            for (uint32_t x = 0; x < box * size; x++) {
                int64_t column = at[0] * 2 + (int64_t)x;
                bool inside = column >= 0 && column < 128 && at[k + 1] >= 0 && at[k + 1] < 100;
                uint8_t want = inside ? w->global[at[k + 1] * 128 + column] : 0;
                uint64_t place = by_picture(ORIGIN + 128 + (uint64_t)k * 128 + x, 3) - ORIGIN;
                assert_int_equal(w->smem[place], want);
            }
        free(w);
    }
}

static void scattered_rows(void **state)
{
    (void)state;
    uint64_t s = 11;
    static uint8_t want[GLOBAL];
    world *w = world_new(&s);
    uint32_t bytes = 0;
    int32_t fault = -1, at[5] = {8, 90, 3, 99, 120};
    for (size_t i = 0; i < SMEM; i++) w->smem[i] = (uint8_t)test_random(&s);
    w->map = map_2d(ZLAY_TYPE_BF16, 64, 100, 128, 32, 1, ZLAY_SWIZZLE_NONE);
    memcpy(want, w->global, GLOBAL);
    for (int k = 0; k < 3; k++) /* row 120 lies outside */
        memcpy(want + at[k + 1] * 128 + 16, w->smem + k * 64, 64);
    assert_int_equal(
        zlay_sim_tensor_scatter4(&fault, &bytes, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}),
        ZLAY_OK);
    assert_true(fault == 0 && bytes == 256);
    assert_memory_equal(want, w->global, GLOBAL);
    at[2] = -1;
    assert_int_equal(
        zlay_sim_tensor_scatter4(&fault, &bytes, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}),
        ZLAY_OK);
    assert_int_equal(fault, ZLAY_FAULT_COORDINATE);
    assert_memory_equal(want, w->global, GLOBAL);
    w->map.box[1] = 2;
    assert_int_equal(
        zlay_sim_tensor_scatter4(&fault, &bytes, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}),
        ZLAY_EINVAL);
    free(w);
}

/* ---- multicast
 * ------------------------------------------------------------------------------------ */

static void multicasts(void **state)
{
    (void)state;
    enum { BLOCKS = 4 };
    static uint8_t image[BLOCKS][8192];
    uint64_t s = 12;
    world *w = world_new(&s);
    w->map = map_2d(ZLAY_TYPE_BF16, 64, 100, 128, 64, 8, ZLAY_SWIZZLE_128B);
    int32_t at[2] = {0, 5};
    for (uint32_t mask = 0; mask < 32; mask++) {
        zlay_sim_smem smem[BLOCKS];
        uint32_t bytes = 0;
        int32_t fault = -1;
        memset(image, UNTOUCHED, sizeof image);
        for (int b = 0; b < BLOCKS; b++) smem[b] = (zlay_sim_smem){image[b], 8192, ORIGIN};
        zlay_status status = zlay_sim_tensor_multicast(&fault, &bytes, smem, BLOCKS, mask, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN});
        assert_int_equal(status, mask && mask < 16 ? ZLAY_OK : ZLAY_EINVAL);
        for (int b = 0; b < BLOCKS; b++) {
            bool receives = status == ZLAY_OK && mask >> b & 1;
            for (uint32_t i = 0; i < 1024 && receives; i++)
                assert_int_equal(image[b][by_picture(ORIGIN + i, 3) - ORIGIN],
                                 w->global[(5 + i / 128) * 128 + i % 128]);
            assert_true(
                all_bytes(image[b] + (receives ? 1024 : 0), receives ? 7168 : 8192, UNTOUCHED));
        }
        if (status == ZLAY_OK) assert_int_equal(bytes, 1024);
    }
    free(w);
}

static void faults(void **state)
{
    (void)state;
    uint64_t s = 13;
    world *w = world_new(&s);
    uint32_t bytes = 0;
    int32_t fault = -1, x[2] = {1, 0}, y[2] = {0, -1}, zero[2] = {0, 0};
    w->map = map_2d(ZLAY_TYPE_U32, 32, 32, 128, 32, 8, ZLAY_SWIZZLE_128B);
    zlay_sim_tensor_reduce(&fault, &bytes, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = x, .address = ORIGIN}, 1);
    assert_int_equal(fault, ZLAY_FAULT_COORDINATE);
    zlay_sim_tensor_reduce(&fault, &bytes, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = y, .address = ORIGIN}, 1);
    assert_int_equal(fault, ZLAY_FAULT_COORDINATE);
    zlay_sim_tensor_reduce(&fault, &bytes, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = zero, .address = ORIGIN + 16}, 1);
    assert_int_equal(fault, ZLAY_FAULT_SMEM_ALIGN);
    assert_int_equal(bytes, 0);
    assert_int_equal(
        zlay_sim_tensor_reduce(&fault, &bytes, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = zero, .address = ORIGIN}, 0),
        ZLAY_EINVAL);
    assert_int_equal(
        zlay_sim_tensor_reduce(&fault, &bytes, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = zero, .address = ORIGIN}, 9),
        ZLAY_EINVAL);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_and_type),
        cmocka_unit_test(sums_of_halves),
        cmocka_unit_test(four_rows),
        cmocka_unit_test(scattered_rows),
        cmocka_unit_test(multicasts),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
