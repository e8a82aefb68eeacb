/* SPDX-License-Identifier: Apache-2.0 */
/* The 128 bytes of a tensor map: what an H200's driver wrote for 400 random maps, and every word. */
#include "legality.h"

#include <inttypes.h>
#include <stdio.h>

enum { WORDS = 16 };

typedef struct sample {
    zlay_tensormap map;
    uint64_t words[WORDS];
} sample;

static void read_hex(FILE *file, uint64_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++) assert_int_equal(fscanf(file, "%" SCNx64, &out[i]), 1);
}

static void read_hex32(FILE *file, uint32_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++) assert_int_equal(fscanf(file, "%" SCNx32, &out[i]), 1);
}

static void read_signed(FILE *file, int32_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++) assert_int_equal(fscanf(file, "%" SCNd32, &out[i]), 1);
}

/* A line of tests/data/tensormap_bits.txt: mode, type, rank, interleave, swizzle, L2, fill; hex from
 * the address on but for the corners; the entries past the rank are what the driver did not read. */
static bool read_sample(FILE *file, sample *s)
{
    zlay_tensormap *m = &s->map;
    memset(s, 0, sizeof *s);
    if (fscanf(file, "%" SCNd32, &m->mode) != 1) return false;
    read_signed(file, &m->type, 1);
    assert_int_equal(fscanf(file, "%" SCNu32, &m->rank), 1);
    read_signed(file, &m->interleave, 1);
    read_signed(file, &m->swizzle, 1);
    read_signed(file, &m->l2, 1);
    read_signed(file, &m->oob, 1);
    read_hex(file, &m->address, 1);
    read_hex(file, m->extent, 5);
    read_hex(file, m->stride, 4);
    read_hex32(file, m->box, 5);
    read_hex32(file, m->step, 5);
    read_signed(file, m->lower, 3);
    read_signed(file, m->upper, 3);
    read_hex32(file, &m->channels, 1);
    read_hex32(file, &m->pixels, 1);
    read_signed(file, &m->wide_mode, 1);
    read_hex(file, s->words, WORDS);
    for (uint32_t i = m->rank; i < 5; i++) m->step[i] = 0;
    if (m->mode) memset(m->box, 0, sizeof m->box);
    else m->channels = m->pixels = 0;
    return true;
}

static void the_bits_are_the_drivers(void **state)
{
    (void)state;
    FILE *file = fopen("tests/data/tensormap_bits.txt", "r");
    size_t count = 0, packed = 0;
    sample s;
    assert_non_null(file);
    for (; read_sample(file, &s); count++) {
        zlay_tensormap map;
        uint64_t left[WORDS], words[WORDS], zero[WORDS] = {0};
        zlay_verdict v;
        assert_int_equal(zlay_tensormap_unpack(&map, left, target_of("sm_90a"), s.words), ZLAY_OK);
        assert_memory_equal(left, zero, sizeof left);
        assert_memory_equal(&map, &s.map, sizeof map);
        assert_int_equal(zlay_tensormap_check(&v, NULL, 0, target_of("sm_90a"), &map), ZLAY_OK);
        assert_int_equal(v.driver, ZLAY_DRIVER_ACCEPTS);
        zlay_status status = zlay_tensormap_pack(words, target_of("sm_90a"), &map);
        assert_int_equal(status, v.answer == ZLAY_YES ? ZLAY_OK : ZLAY_EINVAL);
        if (status) continue;
        assert_memory_equal(words, s.words, sizeof words);
        packed++;
    }
    fclose(file);
    assert_true(count == 400 && packed > 200);
    printf("%zu maps read, %zu of them legal and written\n", count, packed);
}

/* A few bits turned: where the map that is read is legal, its own bits and what is left over are the
 * words again. */
static void any_words_are_read(void **state)
{
    (void)state;
    uint64_t seed = test_seed("any_words_are_read"), words[WORDS], left[WORDS], again[WORDS];
    zlay_tensormap legal = legal_map(), map;
    size_t packed = 0;
    for (size_t i = 0, n = test_iterations(20000); i < n; i++) {
        assert_int_equal(zlay_tensormap_pack(words, target_of("sm_90"), &legal), ZLAY_OK);
        for (size_t flips = i % 64; flips--;)
            words[test_random(&seed) % WORDS] ^= (uint64_t)1 << test_random(&seed) % 64;
        assert_int_equal(zlay_tensormap_unpack(&map, left, target_of("sm_90"), words), ZLAY_OK);
        assert_in_range(map.rank, 1, 8);
        if (zlay_tensormap_pack(again, target_of("sm_90"), &map)) continue;
        for (size_t w = 0; w < WORDS; w++) assert_int_equal(again[w] ^ left[w], words[w]);
        packed++;
    }
    assert_true(packed > test_iterations(20000) / 50);
}

/* Each bit of a legal map's words is a field's, or is left over when it is turned. */
static void every_bit_counts(void **state)
{
    (void)state;
    zlay_tensormap map = legal_map(), other;
    uint64_t words[WORDS], left[WORDS], sum;
    assert_int_equal(zlay_tensormap_pack(words, target_of("sm_90a"), &map), ZLAY_OK);
    for (size_t bit = 0; bit < WORDS * 64; bit++) {
        words[bit / 64] ^= (uint64_t)1 << bit % 64;
        assert_int_equal(zlay_tensormap_unpack(&other, left, target_of("sm_90a"), words), ZLAY_OK);
        sum = 0;
        for (size_t w = 0; w < WORDS; w++) sum |= left[w];
        assert_true(sum || memcmp(&other, &map, sizeof map));
        words[bit / 64] ^= (uint64_t)1 << bit % 64;
    }
}

/* The example of zlay/tensormap_bits.h. */
static void by_hand(void **state)
{
    (void)state;
    zlay_tensormap map = legal_map();
    uint64_t words[WORDS];
    assert_int_equal(zlay_tensormap_pack(words, target_of("sm_90"), &map), ZLAY_OK);
    assert_int_equal(words[1] & 0x70, 0x10);
    assert_int_equal(map.extent[0], 256);
    assert_int_equal(words[4] & 0xffffffff, 0xff);
    assert_non_null(strstr(zlay_tensormap_bits_source(), "580.159.04"));
}

static void what_is_refused_touches_nothing(void **state)
{
    (void)state;
    zlay_tensormap map = legal_map(), out = map;
    uint64_t words[WORDS] = {7}, left[WORDS] = {9};
    assert_int_equal(zlay_tensormap_pack(words, target_of("sm_100a"), &map), ZLAY_ENOTSUP);
    assert_int_equal(zlay_tensormap_unpack(&out, left, target_of("sm_100a"), words), ZLAY_ENOTSUP);
    assert_int_equal(zlay_tensormap_pack(NULL, target_of("sm_90"), &map), ZLAY_EINVAL);
    assert_int_equal(zlay_tensormap_unpack(&out, NULL, target_of("sm_90"), words), ZLAY_EINVAL);
    map.stride[0] = 8;
    assert_int_equal(zlay_tensormap_pack(words, target_of("sm_90"), &map), ZLAY_EINVAL);
    assert_int_equal(words[0], 7);
    assert_int_equal(left[0], 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bits_are_the_drivers), cmocka_unit_test(any_words_are_read),
        cmocka_unit_test(every_bit_counts),         cmocka_unit_test(by_hand),
        cmocka_unit_test(what_is_refused_touches_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
