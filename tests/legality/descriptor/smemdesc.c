/* SPDX-License-Identifier: Apache-2.0 */
/* The 64 bits of a wgmma shared-memory descriptor. */
#include "legality.h"

typedef struct pair {
    zlay_smemdesc fields;
    uint64_t bits;
} pair;

/* By hand from the format: start / 16 in bits 0-13, LBO / 16 in 16-29, SBO / 16 in 32-45, base
 * offset in 49-51, 128B 1, 64B 2, 32B 3 in 62-63. */
static const pair pairs[] = {
    {{.lbo = 16, .sbo = 1024, .swizzle = ZLAY_SWIZZLE_128B}, 0x4000004000010000},
    {{.lbo = 16, .sbo = 512, .swizzle = ZLAY_SWIZZLE_64B}, 0x8000002000010000},
    {{.lbo = 16, .sbo = 256, .swizzle = ZLAY_SWIZZLE_32B}, 0xc000001000010000},
    {{.lbo = 128, .sbo = 256, .swizzle = ZLAY_SWIZZLE_NONE}, 0x0000001000080000},
    {{.start = 0x2040, .lbo = 16, .sbo = 1024, .base_offset = 5, .swizzle = ZLAY_SWIZZLE_32B},
     0xc00a004000010204},
    {{.start = 0x3fff0, .lbo = 0x3fff0, .sbo = 0x3fff0, .base_offset = 7, .swizzle = 3},
     0x400e3fff3fff3fff},
    {{.start = 1024 + 32, .lbo = 16, .sbo = 1024, .swizzle = 3}, 0x4000004000010042},
    {{.swizzle = 0}, 0},
};

static void packs_as_written_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        uint64_t bits = 1;
        zlay_smemdesc back;
        assert_int_equal(zlay_smemdesc_pack(&bits, target_of("sm_90a"), &pairs[i].fields), ZLAY_OK);
        assert_int_equal(bits, pairs[i].bits);
        assert_int_equal(zlay_smemdesc_unpack(&back, target_of("sm_90a"), bits), ZLAY_OK);
        assert_memory_equal(&back, &pairs[i].fields, sizeof back);
    }
}

/* Any 64 bits have fields, and packed again they are the same bits; those without a field break a
 * rule of their own, and only they. */
static void any_bits_unpack(void **state)
{
    (void)state;
    uint64_t s = test_seed("legality/descriptor/smemdesc");
    for (uint64_t i = 0; i < test_iterations(200000); i++) {
        uint64_t desc = test_random(&s), again;
        zlay_smemdesc f;
        zlay_verdict v;
        zlay_reason r;
        if (i % 4 == 0) desc &= ~0x3ff1c000c000c000ull;
        assert_int_equal(zlay_smemdesc_unpack(&f, target_of("sm_90a"), desc), ZLAY_OK);
        assert_int_equal(zlay_smemdesc_pack(&again, target_of("sm_90a"), &f), ZLAY_OK);
        assert_int_equal(again, desc);
        assert_int_equal(f.other, desc & 0x3ff1c000c000c000ull);
        assert_int_equal(zlay_smemdesc_check(&v, &r, 1, target_of("sm_90a"), &f), ZLAY_OK);
        assert_int_equal(v.reasons, f.other != 0);
        if (f.other) assert_int_equal(r.rule, rule_number("DESC_RESERVED"));
    }
}

/* Random fields, most near what fits: pack takes what no rule but that of reserved bits refuses. */
static void packs_what_the_rules_allow(void **state)
{
    (void)state;
    uint64_t s = test_seed("legality/descriptor/smemdesc fields");
    uint64_t packed = 0, count = test_iterations(100000);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = 42;
        zlay_verdict v;
        zlay_reason r[REASONS];
        zlay_smemdesc f = {.start = (uint32_t)test_range(&s, 0, 0x3fff) * 16,
                           .lbo = (uint32_t)test_range(&s, 0, 0x3fff) * 16,
                           .sbo = (uint32_t)test_range(&s, 0, 0x3fff) * 16,
                           .base_offset = (uint32_t)test_range(&s, 0, 7),
                           .swizzle = (int32_t)test_range(&s, 0, 3),
                           .other = test_random(&s) & 0x3ff1c000c000c000ull};
        uint32_t *word = (uint32_t *)&f + test_range(&s, 0, 5);
        if (i % 2) *word = (uint32_t)test_random(&s) >> test_range(&s, 0, 31);
        assert_int_equal(zlay_smemdesc_check(&v, r, REASONS, target_of("sm_90a"), &f), ZLAY_OK);
        uint32_t refusing = v.reasons - (f.other != 0);
        zlay_status status = zlay_smemdesc_pack(&bits, target_of("sm_90a"), &f);
        assert_int_equal(status, refusing ? ZLAY_EINVAL : ZLAY_OK);
        assert_true(!refusing || bits == 42);
        packed += !refusing;
    }
    assert_true(packed > count / 3 && packed < count);
}

typedef struct edge {
    const char *rule;
    size_t field;
    uint32_t holds, breaks, fix;
    int32_t keeps;
} edge;

#define AT(name) offsetof(zlay_smemdesc, name)
static const edge edges[] = {
    {"DESC_START_16", AT(start), 16, 15, 16, ZLAY_KEEPS_BYTES},
    {"DESC_START_16", AT(start), 32, 17, 32, ZLAY_KEEPS_BYTES},
    {"DESC_START_MOST", AT(start), 0x3fff0, 0x40000, 0x3fff0, ZLAY_KEEPS_NOTHING},
    {"DESC_LBO_16", AT(lbo), 16, 8, 16, ZLAY_KEEPS_BYTES},
    {"DESC_LBO_MOST", AT(lbo), 0x3fff0, 0x40000, 0x3fff0, ZLAY_KEEPS_NOTHING},
    {"DESC_SBO_16", AT(sbo), 1024, 1023, 1024, ZLAY_KEEPS_BYTES},
    {"DESC_SBO_MOST", AT(sbo), 0x3fff0, UINT32_MAX, 0x3fff0, ZLAY_KEEPS_NOTHING},
    {"DESC_BASE_OFFSET", AT(base_offset), 7, 8, 0, ZLAY_KEEPS_ALL},
    {"DESC_BASE_OFFSET", AT(base_offset), 0, 13, 5, ZLAY_KEEPS_ALL},
    {"DESC_SWIZZLE", AT(swizzle), 3, 4, 3, ZLAY_KEEPS_BYTES},
    {"DESC_SWIZZLE", AT(swizzle), 0, (uint32_t)-1, 3, ZLAY_KEEPS_BYTES},
    {"DESC_LBO_MODE", AT(lbo_mode), 0, 1, 0, ZLAY_KEEPS_NOTHING},
    {"DESC_LBO_MODE", AT(lbo_mode), 0, (uint32_t)-1, 0, ZLAY_KEEPS_NOTHING},
};

static void put(zlay_smemdesc *f, size_t field, uint32_t value)
{
    memcpy((char *)f + field, &value, sizeof value);
}

static const zlay_reason *ask(const zlay_smemdesc *f, const char *rule)
{
    static zlay_reason r[REASONS];
    static zlay_verdict v;
    assert_int_equal(zlay_smemdesc_check(&v, r, REASONS, target_of("sm_90a"), f), ZLAY_OK);
    return reason_of(r, &v, rule_number(rule), -2);
}

static void every_rule_at_its_bounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        const edge *e = &edges[i];
        zlay_smemdesc f = {.lbo = 16, .sbo = 1024, .swizzle = 3};
        uint64_t bits = 42;
        put(&f, e->field, e->holds);
        assert_null(ask(&f, e->rule));
        assert_int_equal(zlay_smemdesc_pack(&bits, target_of("sm_90a"), &f), ZLAY_OK);
        bits = 42;
        put(&f, e->field, e->breaks);
        const zlay_reason *r = ask(&f, e->rule);
        assert_non_null(r);
        assert_int_equal(r->fix_value, e->fix);
        assert_int_equal(r->fix_keeps, e->keeps);
        assert_int_equal(zlay_smemdesc_pack(&bits, target_of("sm_90a"), &f), ZLAY_EINVAL);
        assert_int_equal(bits, 42);
        put(&f, e->field, (uint32_t)r->fix_value);
        assert_null(ask(&f, e->rule));
    }
}

/* The last byte below 2^18 is off its 16, and still below 2^18. */
static void limits_are_apart_from_granules(void **state)
{
    (void)state;
    static const char *const rules[] = {"DESC_START_MOST", "DESC_LBO_MOST", "DESC_SBO_MOST"};
    for (uint32_t last = 0x3ffff; last <= 0x40000; last++) {
        zlay_smemdesc f = {.start = last, .lbo = last, .sbo = last, .swizzle = 3};
        for (int i = 0; i < 3; i++) assert_int_equal(ask(&f, rules[i]) != NULL, last > 0x3ffff);
    }
}

static void targets_without_wgmma(void **state)
{
    (void)state;
    static const char *const names[] = {"sm_80", "sm_90", "sm_100", "sm_120a"};
    zlay_smemdesc f = {.lbo = 16, .sbo = 1024, .swizzle = 3};
    for (size_t i = 0; i < 4; i++) {
        uint64_t bits = 42;
        zlay_verdict v;
        zlay_smemdesc out = f;
        assert_int_equal(zlay_smemdesc_pack(&bits, target_of(names[i]), &f), ZLAY_ENOTSUP);
        assert_int_equal(zlay_smemdesc_unpack(&out, target_of(names[i]), 0), ZLAY_ENOTSUP);
        assert_memory_equal(&out, &f, sizeof f);
        assert_int_equal(bits, 42);
        assert_int_equal(zlay_smemdesc_check(&v, NULL, 0, target_of(names[i]), &f), ZLAY_OK);
        assert_int_equal(v.answer, ZLAY_NO);
    }
}

static void misuse(void **state)
{
    (void)state;
    zlay_smemdesc f = {.reserved = {0, 1}}, out;
    uint64_t bits = 42;
    zlay_verdict v;
    const zlay_target *t = target_of("sm_90a");
    assert_int_equal(zlay_smemdesc_check(&v, NULL, 0, t, &f), ZLAY_EINVAL);
    assert_int_equal(zlay_smemdesc_pack(&bits, t, &f), ZLAY_EINVAL);
    assert_int_equal(zlay_smemdesc_pack(NULL, t, &f), ZLAY_EINVAL);
    assert_int_equal(zlay_smemdesc_pack(&bits, NULL, &f), ZLAY_EINVAL);
    assert_int_equal(zlay_smemdesc_pack(&bits, t, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_smemdesc_unpack(NULL, t, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_smemdesc_unpack(&out, NULL, 0), ZLAY_EINVAL);
    f.reserved[1] = 0;
    f.other = 1;
    assert_int_equal(zlay_smemdesc_pack(&bits, t, &f), ZLAY_EINVAL);
    assert_int_equal(bits, 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packs_as_written_by_hand),
        cmocka_unit_test(any_bits_unpack),
        cmocka_unit_test(packs_what_the_rules_allow),
        cmocka_unit_test(limits_are_apart_from_granules),
        cmocka_unit_test(every_rule_at_its_bounds),
        cmocka_unit_test(targets_without_wgmma),
        cmocka_unit_test(misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
