/* SPDX-License-Identifier: Apache-2.0 */
/* The 64 bits of a tcgen05 shared-memory descriptor: CUTLASS's, by hand, any bits, every rule. */
#include "legality.h"

static const struct {
    zlay_smemdesc fields;
    uint64_t bits;
} golden[] = {
#define DESC(at, leading, stride, base, mode, pattern, word)                                       \
    {{.start = at,                                                                                 \
      .lbo = leading,                                                                              \
      .sbo = stride,                                                                               \
      .base_offset = base,                                                                         \
      .lbo_mode = mode,                                                                            \
      .swizzle = pattern},                                                                         \
     word},
#include "data/desc100.def"
#undef DESC
};

static void packs_as_cutlass(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        uint64_t desc = 0;
        zlay_smemdesc back;
        assert_int_equal(zlay_smemdesc_pack(&desc, target_of("sm_100a"), &golden[i].fields), ZLAY_OK);
        if (desc != golden[i].bits) fail_msg("golden %zu: %016llx", i, (unsigned long long)desc);
        assert_int_equal(zlay_smemdesc_unpack(&back, target_of("sm_103f"), desc), ZLAY_OK);
        assert_memory_equal(&back, &golden[i].fields, sizeof back);
    }
}

static uint64_t turned(uint64_t code) /* the tensor map's number of a code */
{
    return code == 0 ? 0 : code == 6 ? 1 : code == 4 ? 2 : code == 2 ? 3 : code == 1 ? 4 : 256 + code;
}

/* Any 64 bits have fields, which pack to the same; those without a field break a rule. */
static void any_bits_unpack(void **state)
{
    (void)state;
    uint64_t s = test_seed("legality/descriptor/smemdesc_sm100");
    for (uint64_t i = 0; i < test_iterations(300000); i++) {
        uint64_t desc = test_random(&s), again = 0;
        if (i % 2) desc = (desc & ~(0xffull << 53 | 7ull << 46 | 3ull << 14 | 3ull << 30)) | 1ull << 46;
        zlay_smemdesc f;
        assert_int_equal(zlay_smemdesc_unpack(&f, target_of("sm_100a"), desc), ZLAY_OK);
        assert_int_equal(zlay_smemdesc_pack(&again, target_of("sm_100a"), &f), ZLAY_OK);
        assert_int_equal(again, desc);
        assert_int_equal(f.start, desc % 16384 * 16);
        assert_int_equal(f.lbo, desc / 65536 % 16384 * 16);
        assert_int_equal(f.sbo, (desc >> 32) % 16384 * 16);
        assert_int_equal(f.base_offset, (desc >> 49) % 8);
        assert_int_equal(f.lbo_mode, (desc >> 52) % 2);
        assert_int_equal(f.swizzle, turned(desc >> 61));
        bool stray = (desc >> 14) % 4 || (desc >> 30) % 4 || (desc >> 46) % 8 != 1 ||
                     (desc >> 53) % 256;
        assert_int_equal(f.other != 0, stray);
        if (i > 2000) continue;
        zlay_verdict v;
        zlay_reason r[REASONS];
        assert_int_equal(zlay_smemdesc_check(&v, r, REASONS, target_of("sm_100a"), &f), ZLAY_OK);
        assert_int_equal(reason_of(r, &v, rule_number("DESC_RESERVED"), -1) != NULL, stray);
        assert_int_equal(reason_of(r, &v, rule_number("DESC100_SWIZZLE"), -1) != NULL,
                         f.swizzle > 4);
    }
}

/* The bits as PTX ISA 9.1 draws them: no bit of another field moves with one field. */
static void each_field_alone(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        int from, width, scale;
    } fields[] = {{offsetof(zlay_smemdesc, start), 0, 14, 16},
                  {offsetof(zlay_smemdesc, lbo), 16, 14, 16},
                  {offsetof(zlay_smemdesc, sbo), 32, 14, 16},
                  {offsetof(zlay_smemdesc, base_offset), 49, 3, 1},
                  {offsetof(zlay_smemdesc, lbo_mode), 52, 1, 1}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        for (uint32_t value = 0; value < 70000; value++) {
            zlay_smemdesc f = {0};
            uint64_t desc = 5;
            memcpy((char *)&f + fields[i].at, &value, sizeof value);
            uint32_t scale = (uint32_t)fields[i].scale;
            bool fits = value % scale == 0 && value / scale < 1u << fields[i].width;
            assert_int_equal(zlay_smemdesc_pack(&desc, target_of("sm_110a"), &f),
                             fits ? ZLAY_OK : ZLAY_EINVAL);
            assert_int_equal(desc, fits ? (uint64_t)(value / scale) << fields[i].from | 1ull << 46 : 5);
        }
}

static void rules_at_their_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *on;
        zlay_smemdesc fields;
        const char *rule;
    } rows[] = {
        {"sm_100a", {.sbo = 1024, .swizzle = 3}, NULL},
        {"sm_100f", {.swizzle = 4}, NULL},
        {"sm_100", {.swizzle = 3}, "DESC_TARGET"},
        {"sm_120a", {.swizzle = 3}, "DESC_TARGET"},
        {"sm_100a", {.swizzle = 5}, "DESC100_SWIZZLE"},
        {"sm_100a", {.swizzle = -1}, "DESC100_SWIZZLE"},
        {"sm_100a", {.swizzle = 256 + 7}, "DESC100_SWIZZLE"},
        {"sm_100a", {.start = 8}, "DESC_START_16"},
        {"sm_100a", {.start = 1 << 18}, "DESC_START_MOST"},
        {"sm_100a", {.lbo = 1 << 18}, "DESC_LBO_MOST"},
        {"sm_100a", {.sbo = 24}, "DESC_SBO_16"},
        {"sm_100a", {.base_offset = 8}, "DESC_BASE_OFFSET"},
        {"sm_100a", {.lbo_mode = 2}, "DESC100_LBO_MODE"},
        {"sm_100a", {.lbo_mode = 1, .swizzle = 3}, "DESC100_ABSOLUTE"},
        {"sm_103f", {.lbo_mode = 1, .swizzle = 3}, "DESC100_ABSOLUTE"},
        {"sm_103a", {.lbo_mode = 1, .swizzle = 3}, NULL},
        {"sm_103a", {.lbo_mode = 1, .swizzle = 4}, "DESC100_ABSOLUTE_128B"},
        {"sm_103a", {.lbo_mode = 1, .swizzle = 3, .base_offset = 1}, "DESC100_ABSOLUTE_BASE"},
        {"sm_103a", {.lbo_mode = 0, .swizzle = 2, .base_offset = 1}, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_verdict v;
        zlay_reason r[REASONS];
        assert_int_equal(zlay_smemdesc_check(&v, r, REASONS, target_of(rows[i].on), &rows[i].fields),
                         ZLAY_OK);
        if (v.answer != (rows[i].rule ? ZLAY_NO : ZLAY_YES)) fail_msg("row %zu", i);
        if (rows[i].rule) assert_non_null(reason_of(r, &v, rule_number(rows[i].rule), -1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packs_as_cutlass),
        cmocka_unit_test(any_bits_unpack),
        cmocka_unit_test(each_field_alone),
        cmocka_unit_test(rules_at_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
