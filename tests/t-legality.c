/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix descriptors, wgmma shapes, shared memory, banks, and the rule table itself. */
#include "test.h"

#include <stdbool.h>
#include <string.h>
#include <zlay/zlay.h>

static const zlay_target *target(const char *name)
{
    const zlay_target *t;
    assert_int_equal(zlay_target_find(&t, name, strlen(name)), ZLAY_OK);
    return t;
}

static void test_targets(void **state)
{
    (void)state;
    const zlay_target *t = (const zlay_target *)1;
    assert_int_equal(zlay_target_find(&t, "sm_91", 5), ZLAY_NONE);
    assert_null(t);
    assert_int_equal(zlay_target_find(NULL, "sm_90", 5), ZLAY_EINVAL);
    size_t count = 0;
    while (zlay_target_at(count)) count++;
    assert_true(count >= 19);
    assert_string_equal(zlay_target_name(target("sm_90a")), "sm_90a");
    assert_null(zlay_target_name(NULL));
    assert_int_equal(zlay_smem_capacity(target("sm_90a")), 232448);
    assert_int_equal(zlay_smem_capacity(target("sm_86")), 101376);
}

/* 0x4000004000010000: SBO 1024, LBO field 1, 128-byte swizzle, as kernels in the field write it. */
static void test_pack(void **state)
{
    (void)state;
    zlay_smemdesc f = {.lbo = 16, .sbo = 1024, .swizzle = ZLAY_SWIZZLE_128B}, back;
    uint64_t bits = 7, zero;
    assert_int_equal(zlay_smemdesc_pack(&bits, target("sm_90a"), &f), ZLAY_OK);
    assert_int_equal(bits, 0x4000004000010000ull);
    f.start = 0x2040;
    f.base_offset = 5;
    f.swizzle = ZLAY_SWIZZLE_32B;
    assert_int_equal(zlay_smemdesc_pack(&bits, target("sm_90a"), &f), ZLAY_OK);
    assert_int_equal(bits, 0xc00a004000010204ull);
    assert_int_equal(zlay_smemdesc_unpack(&back, &zero, target("sm_90a"), bits), ZLAY_OK);
    assert_memory_equal(&back, &f, sizeof f);
    assert_int_equal(zero, 0);
    assert_int_equal(zlay_smemdesc_unpack(&back, &zero, target("sm_90a"), UINT64_MAX), ZLAY_OK);
    assert_int_equal(zero, UINT64_MAX & ~0xc00e3fff3fff3fffull);
    assert_int_equal(zlay_smemdesc_pack(&bits, target("sm_90"), &f), ZLAY_ENOTSUP);
    assert_int_equal(zlay_smemdesc_pack(&bits, target("sm_100a"), &f), ZLAY_ENOTSUP);
}

static void test_pack_random(void **state)
{
    (void)state;
    uint64_t s = test_seed("t-legality");
    for (uint64_t i = 0; i < test_iterations(100000); i++) {
        zlay_smemdesc f = {.start = (uint32_t)test_range(&s, 0, 16383) * 16, .lbo = (uint32_t)test_range(&s, 0, 16383) * 16,
                           .sbo = (uint32_t)test_range(&s, 0, 16383) * 16, .base_offset = (uint32_t)test_range(&s, 0, 7),
                           .swizzle = (int32_t)test_range(&s, 0, 3)}, back;
        uint64_t bits, zero;
        assert_int_equal(zlay_smemdesc_pack(&bits, target("sm_90a"), &f), ZLAY_OK);
        assert_int_equal(zlay_smemdesc_unpack(&back, &zero, target("sm_90a"), bits), ZLAY_OK);
        assert_memory_equal(&back, &f, sizeof f);
        assert_int_equal(zero, 0);
    }
}

static zlay_answer desc_answer(zlay_smemdesc f, const char *rule)
{
    zlay_verdict v;
    zlay_reason r[16];
    zlay_rule text;
    uint64_t bits = 42;
    assert_int_equal(zlay_smemdesc_check(&v, r, 16, target("sm_90a"), &f), ZLAY_OK);
    if (v.answer == ZLAY_YES) return ZLAY_YES;
    assert_int_equal(zlay_rule_get(&text, r[0].rule), ZLAY_OK);
    assert_string_equal(text.id, rule);
    assert_int_equal(zlay_smemdesc_pack(&bits, target("sm_90a"), &f), ZLAY_EINVAL);
    assert_int_equal(bits, 42);
    return ZLAY_NO;
}

static void test_desc_bounds(void **state)
{
    (void)state;
    assert_int_equal(desc_answer((zlay_smemdesc){.start = (1 << 18) - 16}, ""), ZLAY_YES);
    assert_int_equal(desc_answer((zlay_smemdesc){.start = 1 << 18}, "DESC_START_MOST"), ZLAY_NO);
    assert_int_equal(desc_answer((zlay_smemdesc){.start = 8}, "DESC_START_16"), ZLAY_NO);
    assert_int_equal(desc_answer((zlay_smemdesc){.lbo = (1 << 18) - 16}, ""), ZLAY_YES);
    assert_int_equal(desc_answer((zlay_smemdesc){.lbo = 1 << 18}, "DESC_LBO_MOST"), ZLAY_NO);
    assert_int_equal(desc_answer((zlay_smemdesc){.lbo = 24}, "DESC_LBO_16"), ZLAY_NO);
    assert_int_equal(desc_answer((zlay_smemdesc){.sbo = 1 << 18}, "DESC_SBO_MOST"), ZLAY_NO);
    assert_int_equal(desc_answer((zlay_smemdesc){.sbo = 1}, "DESC_SBO_16"), ZLAY_NO);
    assert_int_equal(desc_answer((zlay_smemdesc){.base_offset = 7}, ""), ZLAY_YES);
    assert_int_equal(desc_answer((zlay_smemdesc){.base_offset = 8}, "DESC_BASE_OFFSET"), ZLAY_NO);
    assert_int_equal(desc_answer((zlay_smemdesc){.swizzle = 4}, "DESC_SWIZZLE"), ZLAY_NO);
    assert_int_equal(desc_answer((zlay_smemdesc){.swizzle = -1}, "DESC_SWIZZLE"), ZLAY_NO);
}

/* ptxas 13.0.88 takes wgmma bf16 for N = 8, 16, .. 256 with M 64 and K 16 on sm_90a, and for nothing else of these. */
static void test_mma(void **state)
{
    (void)state;
    static const char *const names[] = {"sm_90a", "sm_90", "sm_100a", "sm_120a"};
    for (size_t t = 0; t < 4; t++)
        for (uint32_t n = 0; n <= 264; n++)
            for (uint32_t m = 32; m <= 128; m += 32) {
                zlay_mma mma = {m, n, 16, ZLAY_TMAP_BF16, ZLAY_TMAP_BF16, ZLAY_TMAP_F32, n % 2, m / 64 % 2, {0}};
                zlay_verdict v;
                bool takes = t == 0 && m == 64 && n >= 8 && n <= 256 && n % 8 == 0;
                assert_int_equal(zlay_mma_check(&v, NULL, 0, target(names[t]), &mma), ZLAY_OK);
                assert_int_equal(v.answer, takes ? ZLAY_YES : ZLAY_NO);
            }
    zlay_mma k = {64, 64, 8, ZLAY_TMAP_BF16, ZLAY_TMAP_BF16, ZLAY_TMAP_F32, 0, 0, {0}};
    zlay_verdict v;
    zlay_reason r[4];
    assert_int_equal(zlay_mma_check(&v, r, 4, target("sm_90a"), &k), ZLAY_OK);
    assert_int_equal(v.reasons, 1);
    assert_int_equal(r[0].field, ZLAY_FIELD_K);
    assert_int_equal(r[0].fix_value, 16);
    k.reserved[0] = 1;
    assert_int_equal(zlay_mma_check(&v, r, 4, target("sm_90a"), &k), ZLAY_EINVAL);
}

static void test_smem(void **state)
{
    (void)state;
    zlay_verdict v;
    assert_int_equal(zlay_smem_check(&v, NULL, 0, target("sm_90a"), 232448), ZLAY_OK);
    assert_int_equal(v.answer, ZLAY_YES);
    assert_int_equal(zlay_smem_check(&v, NULL, 0, target("sm_90a"), 232449), ZLAY_OK);
    assert_int_equal(v.answer, ZLAY_NO);
}

static uint32_t wavefronts(uint32_t width, const uint32_t *a)
{
    uint32_t w, ideal;
    assert_int_equal(zlay_bank_count(&w, &ideal, NULL, target("sm_90"), width, a), ZLAY_OK);
    assert_true(w >= ideal);
    return w;
}

/* Lane i at i * stride bytes, modulo `wrap`. */
static uint32_t strided(uint32_t width, uint32_t stride, uint32_t wrap)
{
    uint32_t a[32];
    for (uint32_t i = 0; i < 32; i++) a[i] = i * stride % wrap;
    return wavefronts(width, a);
}

/* What an H200 took: clocks of 32 dependent loads over those without conflict, 2 clocks a wavefront. */
static void test_banks_measured(void **state)
{
    (void)state;
    assert_int_equal(strided(4, 4, 1 << 20), 1);
    assert_int_equal(strided(4, 0, 1), 1);           /* one word for all: broadcast */
    assert_int_equal(strided(4, 32, 1 << 20), 8);    /* 8 lanes a bank */
    assert_int_equal(strided(4, 128, 1 << 20), 32);
    assert_int_equal(strided(8, 8, 1 << 20), 2);
    assert_int_equal(strided(16, 16, 1 << 20), 4);
    assert_int_equal(strided(16, 128, 1 << 20), 32); /* a column of 128-byte rows */
    assert_int_equal(strided(16, 144, 1 << 20), 4);  /* rows padded by 16 bytes */
    uint32_t a[32];
    for (uint32_t i = 0; i < 32; i++) a[i] = i * 128 + ((i & 7) << 4); /* rows swizzled by 128 bytes */
    assert_int_equal(wavefronts(16, a), 4);
    for (uint32_t i = 0; i < 32; i++) a[i] = i % 16 * 8 + i / 16 * 128; /* lanes i and i + 16 on the same banks */
    assert_int_equal(wavefronts(8, a), 2);
    for (uint32_t i = 0; i < 32; i++) a[i] = i % 4 * 16 + i / 4 % 2 * 128 + i / 8 * 256; /* i and i + 4 */
    assert_int_equal(wavefronts(16, a), 8);
}

/* The definition, counted another way: for each phase and bank a table of words. */
static uint32_t counted(uint32_t width, const uint32_t *a)
{
    uint32_t lanes = 128 / width, sum = 0;
    for (uint32_t first = 0; first < 32; first += lanes) {
        static uint8_t seen[1 << 12];
        uint32_t bank[32] = {0}, most = 0;
        memset(seen, 0, sizeof seen);
        for (uint32_t i = first; i < first + lanes; i++)
            for (uint32_t b = 0; a[i] != UINT32_MAX && b < width; b += 4) {
                uint32_t word = (a[i] + b) / 4;
                if (!seen[word]++ && ++bank[word % 32] > most) most = bank[word % 32];
            }
        sum += most;
    }
    return sum;
}

static void test_banks_random(void **state)
{
    (void)state;
    uint64_t s = test_seed("t-legality banks");
    for (uint64_t i = 0; i < test_iterations(20000); i++) {
        uint32_t a[32], width = 4u << test_range(&s, 0, 2), range = (uint32_t)test_range(&s, 1, 512);
        for (int l = 0; l < 32; l++) {
            a[l] = (uint32_t)test_range(&s, 0, range) * width % 8192;
            if (test_range(&s, 0, 9) == 0) a[l] = UINT32_MAX;
        }
        assert_int_equal(wavefronts(width, a), counted(width, a));
    }
}

static void test_banks_refused(void **state)
{
    (void)state;
    uint32_t a[32] = {0}, w = 9, ideal = 9;
    int32_t phase[32];
    a[3] = 2;
    assert_int_equal(zlay_bank_count(&w, &ideal, NULL, target("sm_90"), 4, a), ZLAY_EINVAL);
    a[3] = UINT32_MAX;
    assert_int_equal(zlay_bank_count(&w, &ideal, NULL, target("sm_90"), 2, a), ZLAY_NONE);
    assert_int_equal(zlay_bank_count(&w, &ideal, NULL, target("sm_90"), 12, a), ZLAY_EINVAL);
    assert_int_equal(zlay_bank_count(&w, &ideal, NULL, target("sm_120"), 4, a), ZLAY_NONE);
    assert_int_equal(w, 9);
    assert_int_equal(zlay_bank_count(&w, &ideal, phase, target("sm_90"), 16, a), ZLAY_OK);
    assert_int_equal(phase[3], -1);
    assert_int_equal(phase[31], 3);
    for (int i = 0; i < 32; i++) a[i] = UINT32_MAX;
    assert_int_equal(zlay_bank_count(&w, &ideal, NULL, target("sm_90"), 4, a), ZLAY_OK);
    assert_int_equal(w, 0);
}

/* Numbers and ids are never reused: they stand in tests/rules.list, and only new ones may be added there. */
static void test_rules(void **state)
{
    (void)state;
    FILE *f = fopen("tests/rules.list", "r");
    int number, listed = 0;
    char id[64];
    zlay_rule r;
    assert_non_null(f);
    while (fscanf(f, "%d %63s", &number, id) == 2) {
        assert_int_equal(zlay_rule_get(&r, number), ZLAY_OK);
        assert_string_equal(r.id, id);
        listed++;
    }
    fclose(f);
    size_t count = 0;
    for (; zlay_rule_at(&r, count) == ZLAY_OK; count++) {
        zlay_rule same;
        assert_int_equal(zlay_rule_find(&same, r.id, strlen(r.id)), ZLAY_OK);
        assert_int_equal(same.number, r.number);
        assert_true(strlen(r.text) > 6 && strlen(r.source) > 3);
    }
    assert_int_equal(count, listed);
    assert_int_equal(zlay_rule_find(&r, "TMAP", 4), ZLAY_NONE);
    assert_int_equal(zlay_rule_get(&r, 0), ZLAY_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets), cmocka_unit_test(test_pack), cmocka_unit_test(test_pack_random),
        cmocka_unit_test(test_desc_bounds), cmocka_unit_test(test_mma), cmocka_unit_test(test_smem),
        cmocka_unit_test(test_banks_measured), cmocka_unit_test(test_banks_random), cmocka_unit_test(test_banks_refused),
        cmocka_unit_test(test_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
