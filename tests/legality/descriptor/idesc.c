/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction descriptors of tcgen05: bits by hand, CUTLASS's, and every word. */
#include "tiles/idesc.h"

static void the_example_of_the_header(void **state)
{
    (void)state;
    zlay_idesc f = {.kind = ZLAY_KIND_F16,
                    .a = ZLAY_TYPE_BF16,
                    .b = ZLAY_TYPE_BF16,
                    .d = ZLAY_TYPE_F32,
                    .m = 128,
                    .n = 256};
    uint32_t word = 0;
    assert_int_equal(zlay_idesc_pack(&word, &f), ZLAY_OK);
    assert_int_equal(word, 0x08400490);
}

static const struct {
    zlay_idesc fields;
    uint32_t bits;
} golden[] = {
#define PLAIN(k, ta, tb, td, em, en, am, bm, na, nb, sat, sp, id, shift, word)                     \
    {{.kind = ZLAY_KIND_##k,                                                                       \
      .a = ZLAY_TYPE_##ta,                                                                         \
      .b = ZLAY_TYPE_##tb,                                                                         \
      .d = ZLAY_TYPE_##td,                                                                         \
      .m = em,                                                                                     \
      .n = en,                                                                                     \
      .a_major = ZLAY_MAJOR_##am,                                                                  \
      .b_major = ZLAY_MAJOR_##bm,                                                                  \
      .negate_a = na,                                                                              \
      .negate_b = nb,                                                                              \
      .saturate = sat,                                                                             \
      .sparse = sp,                                                                                \
      .sparse_id = id,                                                                             \
      .max_shift = shift},                                                                         \
     word},
#define SCALED(k, ta, tb, ts, em, en, am, bm, na, nb, sp, ida, idb, word)                          \
    {{.kind = ZLAY_KIND_##k,                                                                       \
      .a = ZLAY_TYPE_##ta,                                                                         \
      .b = ZLAY_TYPE_##tb,                                                                         \
      .d = ZLAY_TYPE_F32,                                                                          \
      .m = em,                                                                                     \
      .n = en,                                                                                     \
      .a_major = ZLAY_MAJOR_##am,                                                                  \
      .b_major = ZLAY_MAJOR_##bm,                                                                  \
      .negate_a = na,                                                                              \
      .negate_b = nb,                                                                              \
      .sparse = sp,                                                                                \
      .scale_type = ZLAY_TYPE_##ts,                                                                \
      .sf_a_id = ida,                                                                              \
      .sf_b_id = idb},                                                                             \
     word},
#include "data/idesc.def"
};

static void packs_as_cutlass(void **state)
{
    (void)state;
    assert_int_equal(sizeof golden / sizeof *golden, 36);
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        uint32_t word = 0;
        zlay_idesc back;
        assert_int_equal(zlay_idesc_pack(&word, &golden[i].fields), ZLAY_OK);
        if (word != golden[i].bits)
            fail_msg("golden %zu: %08x, CUTLASS %08x", i, word, golden[i].bits);
        assert_int_equal(zlay_idesc_unpack(&back, golden[i].fields.kind, word), ZLAY_OK);
        assert_memory_equal(&back, &golden[i].fields, sizeof back);
        assert_int_equal(golden[i].bits, word_by_hand(&golden[i].fields));
    }
}

static void fields_have_the_bits_of_the_tables(void **state)
{
    (void)state;
    uint64_t s = test_seed("legality/descriptor/idesc");
    for (uint64_t i = 0; i < test_iterations(300000); i++) {
        zlay_idesc f = random_fields(&s);
        uint32_t word = 0;
        assert_int_equal(zlay_idesc_pack(&word, &f), ZLAY_OK);
        assert_int_equal(word, word_by_hand(&f));
    }
}

/* Every field at the first value that has no bits, at a value between two, and hostile. */
static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint32_t plain, mxf8, mxf4; /* the greatest that fits, + 1 << 30: none but 0 */
        uint32_t unit;
    } fields[] = {{offsetof(zlay_idesc, m), 496, 384, 384, 0},
                  {offsetof(zlay_idesc, n), 504, 504, 504, 8},
                  {offsetof(zlay_idesc, k), 0, 0, 96, 96},
                  {offsetof(zlay_idesc, sparse), 1, 1, 1, 1},
                  {offsetof(zlay_idesc, sparse_id), 3, 0, 0, 1},
                  {offsetof(zlay_idesc, negate_a), 1, 1, 1, 1},
                  {offsetof(zlay_idesc, negate_b), 1, 1, 1, 1},
                  {offsetof(zlay_idesc, a_major), 1, 1, 1, 1},
                  {offsetof(zlay_idesc, b_major), 1, 1, 1, 1},
                  {offsetof(zlay_idesc, saturate), 1, 0, 0, 1},
                  {offsetof(zlay_idesc, sf_a_id), 0, 3, 3, 1},
                  {offsetof(zlay_idesc, sf_b_id), 0, 3, 3, 1}};
    for (int32_t kind = ZLAY_KIND_F16; kind <= ZLAY_KIND_MXF4NVF4; kind++)
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
            uint32_t most = kind < ZLAY_KIND_MXF8F6F4    ? fields[i].plain
                            : kind == ZLAY_KIND_MXF8F6F4 ? fields[i].mxf8
                                                         : fields[i].mxf4;
            uint32_t unit = fields[i].unit ? fields[i].unit : kind < ZLAY_KIND_MXF8F6F4 ? 16 : 128;
            for (uint32_t value = 0; value < 1030; value++) {
                zlay_idesc f;
                uint32_t word = 77;
                assert_int_equal(zlay_idesc_unpack(&f, kind, 0), ZLAY_OK);
                memcpy((char *)&f + fields[i].at, &value, sizeof value);
                bool fits = value <= most && value % unit == 0;
                assert_int_equal(zlay_idesc_pack(&word, &f), fits ? ZLAY_OK : ZLAY_EINVAL);
                if (!fits) assert_int_equal(word, 77);
            }
        }
}

static void types_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    uint32_t word = 77;
    for (int32_t kind = ZLAY_KIND_F16; kind <= ZLAY_KIND_MXF4NVF4; kind++)
        for (int32_t type = -2; type < 300; type++) {
            zlay_idesc f;
            int32_t code = code_by_hand(kind, type);
            assert_int_equal(zlay_idesc_unpack(&f, kind, 0), ZLAY_OK);
            f.a = type;
            assert_int_equal(zlay_idesc_pack(&word, &f), code >= 0 ? ZLAY_OK : ZLAY_EINVAL);
            if (code >= 0) assert_int_equal(word >> 7 & 7, code);
            assert_int_equal(zlay_idesc_unpack(&f, kind, 0), ZLAY_OK);
            f.b = type;
            bool wide = kind < ZLAY_KIND_MXF4;
            bool fits = code >= 0 && (wide || code < 4);
            assert_int_equal(zlay_idesc_pack(&word, &f), fits ? ZLAY_OK : ZLAY_EINVAL);
        }
}

static void bits_without_a_field_break_a_rule(void **state)
{
    (void)state;
    for (int32_t kind = ZLAY_KIND_F16; kind <= ZLAY_KIND_MXF4NVF4; kind++)
        for (int bit = 0; bit < 32; bit++) {
            zlay_idesc f;
            zlay_verdict v;
            zlay_reason r[REASONS];
            assert_int_equal(zlay_idesc_unpack(&f, kind, 1u << bit), ZLAY_OK);
            bool stray = bits_by_hand(kind) >> bit & 1 ? false : true;
            assert_int_equal(f.must_be_zero, stray ? 1u << bit : 0);
            assert_int_equal(zlay_idesc_check(&v, r, REASONS, target_of("sm_103a"), &f, NULL), ZLAY_OK);
            assert_int_equal(reason_of(r, &v, rule_number("IDESC_RESERVED"), -1) != NULL, stray);
            if (stray) assert_int_equal(v.answer, ZLAY_NO);
        }
}

/* The constants that ptxas 13.0 assembles without a word. */
static void ptxas_takes_wrong_constants(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        zlay_answer answer;
        const char *rule;
    } rows[] = {{0x00000000, ZLAY_NO, "T5_M"},        {0x08200010, ZLAY_YES, NULL},
                {0x06200010, ZLAY_NO, "T5_M_POWER"},  {0x08420010, ZLAY_NO, "T5_N"},
                {0x08200050, ZLAY_NO, "IDESC_RESERVED"}, {0x08200910, ZLAY_NO, "T5_A"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_idesc f;
        zlay_verdict v;
        zlay_reason r[REASONS];
        assert_int_equal(zlay_idesc_unpack(&f, ZLAY_KIND_F16, rows[i].word), ZLAY_OK);
        assert_int_equal(zlay_idesc_check(&v, r, REASONS, target_of("sm_100a"), &f, NULL), ZLAY_OK);
        assert_int_equal(v.answer, rows[i].answer);
        if (rows[i].rule) assert_non_null(reason_of(r, &v, rule_number(rows[i].rule), -2));
    }
}

static void the_descriptor_says_what_its_instruction_says(void **state)
{
    (void)state;
    zlay_mma mma = {.instruction = ZLAY_MMA_TCGEN05,
                    .kind = ZLAY_KIND_F16,
                    .m = 128,
                    .n = 128,
                    .k = 16,
                    .a = ZLAY_TYPE_BF16,
                    .b = ZLAY_TYPE_BF16,
                    .d = ZLAY_TYPE_F32};
    static const struct {
        size_t at;
        uint32_t value;
        const char *rule;
    } edits[] = {{offsetof(zlay_idesc, m), 64, "IDESC_SAME_M"},
                 {offsetof(zlay_idesc, n), 120, "IDESC_SAME_N"},
                 {offsetof(zlay_idesc, a), ZLAY_TYPE_F16, "IDESC_SAME_A"},
                 {offsetof(zlay_idesc, b), ZLAY_TYPE_F16, "IDESC_SAME_B"},
                 {offsetof(zlay_idesc, d), ZLAY_TYPE_F16, "IDESC_SAME_D"},
                 {offsetof(zlay_idesc, kind), ZLAY_KIND_TF32, "IDESC_SAME_KIND"},
                 {offsetof(zlay_idesc, a_major), 1, "IDESC_SAME_A_MAJOR"},
                 {offsetof(zlay_idesc, b_major), 1, "IDESC_SAME_B_MAJOR"},
                 {offsetof(zlay_idesc, sparse), 1, "IDESC_SAME_SPARSE"},
                 {offsetof(zlay_idesc, negate_a), 1, "IDESC_SAME_NEGATE_A"},
                 {offsetof(zlay_idesc, negate_b), 1, "IDESC_SAME_NEGATE_B"},
                 {offsetof(zlay_idesc, saturate), 1, "IDESC_SAME_SATURATE"},
                 {offsetof(zlay_idesc, max_shift), 16, "IDESC_MAX_SHIFT_WS"}};
    zlay_idesc right;
    zlay_verdict v;
    zlay_reason r[REASONS];
    assert_int_equal(zlay_idesc_from_mma(&right, &mma), ZLAY_OK);
    assert_int_equal(zlay_idesc_check(&v, r, REASONS, target_of("sm_100a"), &right, &mma), ZLAY_OK);
    assert_int_equal(v.answer, ZLAY_YES);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        zlay_idesc f = right;
        memcpy((char *)&f + edits[i].at, &edits[i].value, sizeof edits[i].value);
        assert_int_equal(zlay_idesc_check(&v, r, REASONS, target_of("sm_100a"), &f, &mma), ZLAY_OK);
        assert_int_equal(v.answer, ZLAY_NO);
        assert_non_null(reason_of(r, &v, rule_number(edits[i].rule), -2));
    }
}

/* Any numbers in any field, with and without an instruction: a verdict, and the head is the same where
 * nobody asks for reasons. */
static void hostile_numbers_have_verdicts(void **state)
{
    (void)state;
    uint64_t s = test_seed("legality/descriptor/idesc");
    for (uint64_t i = 0; i < test_iterations(20000); i++) {
        zlay_idesc f = random_fields(&s);
        zlay_mma mma = {.instruction = ZLAY_MMA_TCGEN05, .kind = f.kind, .m = f.m, .n = f.n};
        zlay_verdict v, bare;
        zlay_reason r[REASONS];
        size_t word = (size_t)test_range(&s, 0, offsetof(zlay_idesc, reserved) / 4 - 1);
        uint32_t value = (uint32_t)test_random(&s) >> test_range(&s, 0, 31);
        memcpy((char *)&f + 4 * word, &value, sizeof value);
        const zlay_mma *with = i % 2 ? &mma : NULL;
        assert_int_equal(zlay_idesc_check(&v, r, REASONS, target_of("sm_103a"), &f, with), ZLAY_OK);
        assert_int_equal(zlay_idesc_check(&bare, NULL, 0, target_of("sm_103a"), &f, with), ZLAY_OK);
        assert_memory_equal(&v, &bare, sizeof v);
        uint32_t packed;
        if (zlay_idesc_pack(&packed, &f)) assert_int_equal(v.answer, ZLAY_NO);
    }
}

static void misuse(void **state)
{
    (void)state;
    zlay_idesc f = {.kind = ZLAY_KIND_F16}, before;
    zlay_verdict v;
    uint32_t word = 7;
    f.a = f.b = f.d = ZLAY_TYPE_F16;
    memcpy(&before, &f, sizeof f);
    assert_int_equal(zlay_idesc_pack(NULL, &f), ZLAY_EINVAL);
    assert_int_equal(zlay_idesc_pack(&word, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_idesc_unpack(NULL, ZLAY_KIND_F16, 0), ZLAY_EINVAL);
    for (int32_t kind = -3; kind < 70; kind++) {
        if (kind >= ZLAY_KIND_F16 && kind <= ZLAY_KIND_MXF4NVF4) continue;
        assert_int_equal(zlay_idesc_unpack(&f, kind, 0), ZLAY_EINVAL);
        assert_memory_equal(&before, &f, sizeof f);
    }
    f.reserved[4] = 1;
    assert_int_equal(zlay_idesc_pack(&word, &f), ZLAY_EINVAL);
    assert_int_equal(zlay_idesc_check(&v, NULL, 0, target_of("sm_100a"), &f, NULL), ZLAY_EINVAL);
    f.reserved[4] = 0;
    assert_int_equal(zlay_idesc_check(&v, NULL, 1, target_of("sm_100a"), &f, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_idesc_check(&v, NULL, 0, NULL, &f, NULL), ZLAY_EINVAL);
    assert_int_equal(word, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_header),
        cmocka_unit_test(packs_as_cutlass),
        cmocka_unit_test(fields_have_the_bits_of_the_tables),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(types_that_do_not_fit_are_refused),
        cmocka_unit_test(bits_without_a_field_break_a_rule),
        cmocka_unit_test(ptxas_takes_wrong_constants),
        cmocka_unit_test(the_descriptor_says_what_its_instruction_says),
        cmocka_unit_test(hostile_numbers_have_verdicts),
        cmocka_unit_test(misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
