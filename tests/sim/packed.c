/* SPDX-License-Identifier: Apache-2.0 */
/* The modelled copies of packed types and of the swizzles that came with them: value by value from the bits of
 * memory, against the pictures of the PTX ISA 9.1, 5.5.1.1 and 5.5.7. */
#include "sim.h"

enum { ATOM_32 = 4, FLIP_8 = 5, ATOM_64 = 6, VALUES = 128 };

/* Which 16 bytes of a 128-byte line stand where, a row a line; as the document draws it. */
static const uint8_t atoms_32[4][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 6, 7, 4, 5}, {4, 5, 6, 7, 0, 1, 2, 3}, {6, 7, 4, 5, 2, 3, 0, 1}};
static const uint8_t atoms_64[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}};

static uint64_t drawn(uint64_t address, int32_t swizzle)
{
    uint64_t line = address / 128, chunk = address / 16 % 8, inside = address % 16;
    if (swizzle <= ZLAY_SWIZZLE_128B) return by_picture(address, swizzle);
    if (swizzle == FLIP_8 && line % 2) inside = (inside + 8) % 16;
    chunk = swizzle == ATOM_64 ? atoms_64[line % 2][chunk] : atoms_32[line % 4][chunk];
    return line * 128 + chunk * 16 + inside;
}

/* Rows of a span at four starts inside the longest pattern. */
static void test_atoms(void **unused)
{
    (void)unused;
    static const uint32_t starts[] = {0, 128, 256, 896};
    uint64_t state = 1;
    for (int32_t swizzle = ATOM_32; swizzle <= ATOM_64; swizzle++)
        for (size_t s = 0; s < 4; s++) {
            world *w = world_new(&state);
            uint32_t bytes = 0;
            w->map = map_2d(ZLAY_TYPE_U8, 128, 32, 128, 128, 32, swizzle);
            assert_int_equal(load(w, ORIGIN + starts[s], (int32_t[]){0, 0}, &bytes), 0);
            assert_int_equal(bytes, 4096);
            for (uint32_t i = 0; i < bytes; i++)
                assert_int_equal(w->smem[drawn(ORIGIN + starts[s] + i, swizzle) - ORIGIN], w->global[i]);
            free(w);
        }
}

/* Figure 36: in every other line the halves of 16 bytes change places, here 8 bytes of element 1. */
static void test_flip_by_hand(void **unused)
{
    (void)unused;
    uint64_t state = 2;
    world *w = world_new(&state);
    uint32_t bytes = 0;
    w->map = map_2d(ZLAY_TYPE_U64, 16, 2, 128, 16, 2, FLIP_8);
    for (uint64_t i = 0; i < 32; i++) memcpy(w->global + 8 * i, &i, 8);
    assert_int_equal(load(w, ORIGIN, (int32_t[]){0, 0}, &bytes), 0);
    static const uint64_t second[16] = {21, 20, 23, 22, 17, 16, 19, 18, 29, 28, 31, 30, 25, 24, 27, 26};
    for (uint64_t i = 0; i < 16; i++) {
        assert_memory_equal(w->smem + 8 * i, &i, 8);
        assert_memory_equal(w->smem + 128 + 8 * i, &second[i], 8);
    }
    free(w);
}

static uint32_t bits_at(const uint8_t *bytes, uint64_t at, uint32_t count)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; i++) value |= (uint32_t)(bytes[(at + i) / 8] >> (at + i) % 8 & 1) << i;
    return value;
}

typedef struct packed {
    int32_t type;
    uint32_t bits, group; /* of a value; bytes of 16 values in shared memory */
} packed;

static const packed types[] = {
    {ZLAY_TYPE_U4_ALIGN8, 4, 8}, {ZLAY_TYPE_U4_ALIGN16, 4, 16}, {ZLAY_TYPE_U6_ALIGN16, 6, 16}};

/* 128 values a row, `height` of `rows` rows of the box inside the tensor. */
static void load_compare(const packed *p, int32_t swizzle, uint32_t start, int32_t x, int32_t y)
{
    enum { ROWS = 12, HEIGHT = 9, GROUPS = 3 };
    uint64_t state = (uint64_t)(p->bits + start), row = VALUES * p->bits / 8, pitch = GROUPS * row + 64;
    uint32_t bytes = 0, shared = swizzle >= ZLAY_SWIZZLE_128B ? 128 : VALUES / 16 * p->group;
    world *w = world_new(&state);
    pitch = (pitch + 31) / 32 * 32;
    w->map = map_2d(p->type, GROUPS * VALUES, HEIGHT, pitch, VALUES, ROWS, swizzle);
    assert_int_equal(load(w, ORIGIN + start, (int32_t[]){x, y}, &bytes), 0);
    assert_int_equal(bytes, row * ROWS);
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t v = 0; v < VALUES; v++) {
            int64_t column = x + (int64_t)v, line = y + (int64_t)r;
            bool inside = column >= 0 && column < GROUPS * VALUES && line >= 0 && line < HEIGHT;
            uint64_t bit = (uint64_t)line * pitch * 8 + (uint64_t)column * p->bits;
            uint32_t want = inside ? bits_at(w->global, bit, p->bits) : 0, got = 0;
            uint64_t from = ORIGIN + start + (uint64_t)r * shared + v / 16 * p->group;
            for (uint32_t i = 0; i < p->bits; i++) {
                uint64_t in = v % 16 * p->bits + i, at = drawn(from + in / 8, swizzle) - ORIGIN;
                got |= (uint32_t)(w->smem[at] >> in % 8 & 1) << i;
            }
            if (got != want) fail_msg("type %d swizzle %d row %u value %u: %u, not %u", p->type, swizzle, r, v, got, want);
        }
    free(w);
}

static void test_loads(void **unused)
{
    (void)unused;
    static const int32_t dense[] = {0, 2, 3, 4, 6}, gaps[] = {0, 3, 4};
    for (size_t k = 0; k < 5; k++) load_compare(&types[0], dense[k], 128 * (uint32_t)k, 64, 1);
    for (size_t t = 1; t < 3; t++)
        for (size_t k = 0; k < 3; k++)
            for (int32_t x = -VALUES; x <= 3 * VALUES; x += VALUES)
                load_compare(&types[t], gaps[k], 128 * (uint32_t)k, x, (x / VALUES - 1) * 2);
}

/* b6p2x16: the low six bits of each byte; what lies in the other two does not matter. */
static void test_store_of_six_bits(void **unused)
{
    (void)unused;
    enum { ROWS = 5, PITCH = 128 };
    uint64_t state = 9;
    world *w = world_new(&state);
    uint32_t bytes = 0;
    static uint8_t before[GLOBAL];
    w->map = map_2d(ZLAY_TYPE_U6_ALIGN16, VALUES, ROWS - 1, PITCH, VALUES, ROWS, ZLAY_SWIZZLE_128B);
    for (size_t i = 0; i < VALUES * ROWS; i++) w->smem[i] = (uint8_t)test_random(&state);
    memcpy(before, w->global, GLOBAL);
    assert_int_equal(store(w, ORIGIN, (int32_t[]){0, 0}, &bytes), 0);
    assert_int_equal(bytes, 96 * ROWS);
    for (uint64_t r = 0; r + 1 < ROWS; r++) {
        for (uint64_t v = 0; v < VALUES; v++)
            assert_int_equal(bits_at(w->global, 8 * r * PITCH + 6 * v, 6),
                             w->smem[drawn(ORIGIN + r * VALUES + v, 3) - ORIGIN] & 63);
        assert_memory_equal(w->global + r * PITCH + 96, before + r * PITCH + 96, PITCH - 96);
    }
    assert_memory_equal(w->global + 4 * PITCH, before + 4 * PITCH, GLOBAL - 4 * PITCH);
    free(w);
}

static void test_refused(void **unused)
{
    (void)unused;
    uint64_t state = 11;
    world *w = world_new(&state);
    uint32_t bytes = 0;
    int32_t fault = -1, at[2] = {0, 0};
    w->map = map_2d(ZLAY_TYPE_U8, 128, 8, 128, 128, 8, FLIP_8);
    assert_int_equal(zlay_sim_tensor_store(&fault, &bytes, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}), ZLAY_EINVAL);
    w->map = map_2d(ZLAY_TYPE_U4_ALIGN16, 128, 8, 64, 128, 8, 0);
    assert_int_equal(zlay_sim_tensor_store(&fault, &bytes, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}), ZLAY_EINVAL);
    assert_int_equal(load(w, ORIGIN, (int32_t[]){64, 0}, &bytes), ZLAY_FAULT_COORDINATE);
    w->map.swizzle = ATOM_64;
    assert_int_equal(zlay_sim_tensor_load(&fault, &bytes, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}), ZLAY_EINVAL);
    assert_int_equal(zlay_sim_thread_load(&fault, &w->shared, &w->tensor, &(zlay_sim_copy){.map = &w->map, .coordinate = at, .address = ORIGIN}, 16), ZLAY_EINVAL);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atoms),
        cmocka_unit_test(test_flip_by_hand),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_store_of_six_bits),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
