/* SPDX-License-Identifier: Apache-2.0 */
/* wgmma: what ptxas takes is never refused, what it refuses is never taken. */
#include "legality.h"

#define BF16 ZLAY_TYPE_BF16
#define F32 ZLAY_TYPE_F32

typedef struct form {
    const char *targets;
    uint32_t m, k;
    int32_t d, a, b;
    uint32_t reg;
    int32_t a_major, b_major;
    uint32_t sparse, selector, negate_a, negate_b, saturate;
    int32_t bit_op;
    const char *takes, *refuses;
} form;

static const form forms[] = {
#define FORM(targets, m, k, d, a, b, reg, a_major, b_major, sparse, selector, negate_a, negate_b,  \
             saturate, bit_op, takes, refuses)                                                     \
    {targets,  m,        k,       ZLAY_TYPE_##d, ZLAY_TYPE_##a, ZLAY_TYPE_##b,                     \
     reg,      a_major,  b_major, sparse,        selector,      negate_a,                          \
     negate_b, saturate, bit_op,  takes,         refuses},
#include "data/wgmma.def"
#undef FORM
};

static zlay_mma mma_of(const form *f, uint32_t n)
{
    return (zlay_mma){.m = f->m,
                      .n = n,
                      .k = f->k,
                      .a = f->a,
                      .b = f->b,
                      .d = f->d,
                      .a_source = f->reg ? ZLAY_SOURCE_REG : ZLAY_SOURCE_SMEM,
                      .a_major = f->a_major,
                      .b_major = f->b_major,
                      .sparse = f->sparse,
                      .selector = f->selector,
                      .negate_a = f->negate_a,
                      .negate_b = f->negate_b,
                      .saturate = f->saturate,
                      .bit_op = f->bit_op};
}

/* Of every target that the row names. */
static uint32_t one(const form *f, uint32_t n, bool takes)
{
    zlay_mma mma = mma_of(f, n);
    uint32_t count = 0;
    for (const char *at = f->targets; *at; at += strspn(at, " "), count++) {
        char name[16] = {0};
        zlay_verdict v;
        memcpy(name, at, strcspn(at, " "));
        at += strcspn(at, " ");
        assert_int_equal(zlay_mma_check(&v, NULL, 0, target_of(name), &mma), ZLAY_OK);
        if (v.answer != (takes ? ZLAY_YES : ZLAY_NO))
            fail_msg("%s m%un%uk%u %s.%s.%s sparse %u: ptxas %s it", name, f->m, n, f->k,
                     zlay_type_name(f->d), zlay_type_name(f->a), zlay_type_name(f->b), f->sparse,
                     takes ? "takes" : "refuses");
    }
    return count;
}

static uint32_t list(const form *f, const char *text, bool takes)
{
    uint32_t count = 0;
    while (*text) {
        char *end;
        uint32_t from = (uint32_t)strtoul(text, &end, 10), to = from;
        if (*end == '-') to = (uint32_t)strtoul(end + 1, &end, 10);
        for (uint32_t n = from; n <= to; n += 8) count += one(f, n, takes);
        text = end + (*end == ' ');
    }
    return count;
}

static void as_ptxas_answers(void **state)
{
    (void)state;
    uint32_t taken = 0, refused = 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        taken += list(&forms[i], forms[i].takes, true);
        refused += list(&forms[i], forms[i].refuses, false);
    }
    assert_int_equal(taken, 1869);
    assert_int_equal(refused, 19699);
}

static void every_shape_near_the_legal_ones(void **state)
{
    (void)state;
    for (uint32_t m = 63; m <= 65; m++)
        for (uint32_t k = 15; k <= 17; k++)
            for (uint32_t n = 0; n <= 264; n++) {
                zlay_verdict v;
                zlay_mma mma = {.m = m, .n = n, .k = k, .a = BF16, .b = BF16, .d = F32};
                bool legal = m == 64 && k == 16 && n % 8 == 0 && n / 8 >= 1 && n / 8 <= 32;
                assert_int_equal(zlay_mma_check(&v, NULL, 0, target_of("sm_90a"), &mma), ZLAY_OK);
                assert_int_equal(v.answer, legal);
            }
}

/* Each broken rule's repair meets it, and all together make the instruction legal. */
static void repairs_pass(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0,  1,   4,   8,   12,  16,  20,  24,  63,  64,
                                     65, 128, 192, 250, 256, 257, 264, 300, 512, 2048};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (uint32_t at = 0; at < SIZES * SIZES * SIZES; at++) {
        zlay_verdict v;
        zlay_reason r[REASONS];
        zlay_mma mma = {.m = sizes[at % SIZES],
                        .n = sizes[at / SIZES % SIZES],
                        .k = sizes[at / SIZES / SIZES],
                        .a = BF16,
                        .b = BF16,
                        .d = F32};
        assert_int_equal(zlay_mma_check(&v, r, REASONS, target_of("sm_90a"), &mma), ZLAY_OK);
        for (uint32_t i = 0; i < v.reasons; i++) {
            uint32_t to = (uint32_t)r[i].fix_value, *field = r[i].field == ZLAY_FIELD_M   ? &mma.m
                                                             : r[i].field == ZLAY_FIELD_N ? &mma.n
                                                                                          : &mma.k;
            bool exact = r[i].value && (uint64_t)to * (uint32_t)r[i].fix_split == r[i].value;
            assert_int_equal(r[i].fix_keeps, exact        ? ZLAY_KEEPS_ALL
                                             : r[i].value ? ZLAY_KEEPS_VALUES
                                                          : ZLAY_KEEPS_NOTHING);
            assert_true((uint64_t)to * (uint32_t)r[i].fix_split >= r[i].value);
            *field = to;
        }
        assert_int_equal(zlay_mma_check(&v, NULL, 0, target_of("sm_90a"), &mma), ZLAY_OK);
        assert_int_equal(v.answer, ZLAY_YES);
    }
}

/* Any value of any field: the verdict alone is that of the rows, and they are as many as it says.
 */
static void random_words_have_verdicts(void **state)
{
    (void)state;
    static const char *const names[] = {"sm_90a", "sm_90", "sm_100a", "gfx942"};
    uint64_t s = test_seed("legality/matrix/mma"), yes = 0;
    for (uint64_t i = 0; i < test_iterations(60000); i++) {
        zlay_mma mma = {.m = 64, .n = 48, .k = 16, .a = BF16, .b = BF16, .d = F32};
        const zlay_target *t = target_of(names[i % 7 ? 0 : i / 7 % 4]);
        uint32_t words = (uint32_t)(offsetof(zlay_mma, reserved) / 4);
        zlay_verdict alone, v;
        zlay_reason r[REASONS];
        for (int64_t j = test_range(&s, 0, 5); j > 0; j--) {
            uint32_t word = (uint32_t)test_random(&s) >> test_range(&s, 0, 31);
            if (test_range(&s, 0, 2)) word %= 40;
            memcpy((char *)&mma + 4 * test_range(&s, 1, words - 1), &word, 4);
        }
        assert_int_equal(zlay_mma_check(&alone, NULL, 0, t, &mma), ZLAY_OK);
        assert_int_equal(zlay_mma_check(&v, r, REASONS, t, &mma), ZLAY_OK);
        assert_memory_equal(&alone, &v, sizeof v);
        assert_int_equal(v.answer == ZLAY_YES, v.broken == 0);
        for (uint32_t j = 0; j < v.reasons; j++) assert_true(r[j].rule >= 50 && r[j].noted == 0);
        yes += v.answer == ZLAY_YES;
    }
    assert_true(yes > 0);
}

static void mma_set(zlay_mma *m, int32_t field, uint64_t value)
{
    const struct {
        int32_t field;
        void *word;
    } words[] = {
        {ZLAY_FIELD_M, &m->m},
        {ZLAY_FIELD_N, &m->n},
        {ZLAY_FIELD_K, &m->k},
        {ZLAY_FIELD_A, &m->a},
        {ZLAY_FIELD_B, &m->b},
        {ZLAY_FIELD_D, &m->d},
        {ZLAY_FIELD_KIND, &m->kind},
        {ZLAY_FIELD_A_SOURCE, &m->a_source},
        {ZLAY_FIELD_A_MAJOR, &m->a_major},
        {ZLAY_FIELD_B_MAJOR, &m->b_major},
        {ZLAY_FIELD_CTA_GROUP, &m->cta_group},
        {ZLAY_FIELD_SPARSE, &m->sparse},
        {ZLAY_FIELD_SELECTOR, &m->selector},
        {ZLAY_FIELD_WS, &m->ws},
        {ZLAY_FIELD_SCALE_VEC, &m->scale_vec},
        {ZLAY_FIELD_ASHIFT, &m->ashift},
        {ZLAY_FIELD_COLLECTOR, &m->collector},
        {ZLAY_FIELD_NEGATE_A, &m->negate_a},
        {ZLAY_FIELD_NEGATE_B, &m->negate_b},
        {ZLAY_FIELD_SATURATE, &m->saturate},
        {ZLAY_FIELD_BIT_OP, &m->bit_op},
        {ZLAY_FIELD_BLOCKS, &m->blocks},
        {ZLAY_FIELD_STRICT, &m->strict},
        {ZLAY_FIELD_PTX, &m->ptx},
        {ZLAY_FIELD_INSTRUCTION, &m->instruction},
    };
    uint32_t to = (uint32_t)value;
    assert_int_equal(to, value);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].field == field) {
            memcpy(words[i].word, &to, sizeof to);
            return;
        }
    fail_msg("no field %d of an instruction", field);
}

/* Any one repair meets its rule, and the repairs of rounds end in an instruction that exists. */
static void every_repair_meets_its_rule(void **state)
{
    (void)state;
    static const int32_t types[] = {ZLAY_TYPE_F16, BF16,         ZLAY_TYPE_TF32, ZLAY_TYPE_E4M3,
                                    ZLAY_TYPE_S8,  ZLAY_TYPE_U8, ZLAY_TYPE_B1,   F32};
    uint64_t s = test_seed("legality/matrix/mma repairs"), mended = 0;
    for (uint64_t i = 0; i < test_iterations(4000); i++) {
        zlay_mma mma = {.m = 64, .n = 8 * (uint32_t)test_range(&s, 0, 70), .k = 16, .d = F32};
        zlay_verdict v;
        zlay_reason r[REASONS];
        uint32_t rounds = 0;
        mma.a = types[test_range(&s, 0, 7)];
        mma.b = types[test_range(&s, 0, 7)];
        for (int64_t j = test_range(&s, 0, 3); j > 0; j--) {
            uint32_t word = (uint32_t)test_random(&s) >> test_range(&s, 20, 31);
            memcpy((char *)&mma + 4 * test_range(&s, 8, 22), &word, 4);
        }
        for (;; rounds++) {
            assert_int_equal(zlay_mma_check(&v, r, REASONS, target_of("sm_90a"), &mma), ZLAY_OK);
            if (v.answer == ZLAY_YES) break;
            assert_true(rounds < 4);
            zlay_mma next = mma;
            for (uint32_t j = 0; j < v.reasons; j++) {
                zlay_mma one = mma;
                zlay_verdict after;
                zlay_reason left[REASONS];
                assert_true(r[j].fix_keeps != ZLAY_KEEPS_NONE_GIVEN);
                mma_set(&one, r[j].field, r[j].fix_value);
                mma_set(&next, r[j].field, r[j].fix_value);
                assert_int_equal(zlay_mma_check(&after, left, REASONS, target_of("sm_90a"), &one),
                                 ZLAY_OK);
                if (reason_of(left, &after, r[j].rule, -2))
                    fail_msg("rule %d: its repair breaks it", r[j].rule);
            }
            mma = next;
        }
        mended += rounds > 0;
    }
    assert_true(mended > 100);
}

static void no_family_is_no(void **state)
{
    (void)state;
    static const int32_t none[] = {3, -1, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < 4; i++) {
        zlay_mma mma = {.instruction = none[i], .m = 64, .n = 8, .k = 16};
        zlay_verdict v;
        zlay_reason r[REASONS];
        assert_int_equal(zlay_mma_check(&v, r, REASONS, target_of("sm_90a"), &mma), ZLAY_OK);
        assert_true(v.answer == ZLAY_NO && v.broken == 1);
        assert_int_equal(r[0].rule, rule_number("MMA_INSTRUCTION"));
        assert_int_equal(r[0].field, ZLAY_FIELD_INSTRUCTION);
    }
}

static void a_target_without_wgmma_is_no(void **state)
{
    (void)state;
    zlay_verdict v;
    zlay_reason r[REASONS];
    zlay_mma mma = {.m = 64, .n = 64, .k = 16, .a = BF16, .b = BF16, .d = F32};
    assert_int_equal(zlay_mma_check(&v, r, REASONS, target_of("sm_90"), &mma), ZLAY_OK);
    assert_int_equal(v.answer, ZLAY_NO);
    assert_int_equal(v.reasons, 1);
    assert_int_equal(r[0].rule, rule_number("WGMMA_TARGET"));
    assert_int_equal(r[0].by, ZLAY_BY_ASSEMBLER);
    assert_int_equal(r[0].fix_keeps, ZLAY_KEEPS_NONE_GIVEN);
}

static void misuse(void **state)
{
    (void)state;
    zlay_verdict v;
    memset(&v, 3, sizeof v);
    zlay_verdict before = v;
    zlay_mma mma = {
        .m = 64, .n = 64, .k = 16, .a = BF16, .b = BF16, .d = F32, .reserved = {0, 0, 1}};
    assert_int_equal(zlay_mma_check(&v, NULL, 0, target_of("sm_90a"), &mma), ZLAY_EINVAL);
    mma.reserved[2] = 0;
    assert_int_equal(zlay_mma_check(NULL, NULL, 0, target_of("sm_90a"), &mma), ZLAY_EINVAL);
    assert_int_equal(zlay_mma_check(&v, NULL, 1, target_of("sm_90a"), &mma), ZLAY_EINVAL);
    assert_int_equal(zlay_mma_check(&v, NULL, 0, NULL, &mma), ZLAY_EINVAL);
    assert_int_equal(zlay_mma_check(&v, NULL, 0, target_of("sm_90a"), NULL), ZLAY_EINVAL);
    assert_memory_equal(&v, &before, sizeof v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_ptxas_answers),
        cmocka_unit_test(every_shape_near_the_legal_ones),
        cmocka_unit_test(repairs_pass),
        cmocka_unit_test(a_target_without_wgmma_is_no),
        cmocka_unit_test(random_words_have_verdicts),
        cmocka_unit_test(every_repair_meets_its_rule),
        cmocka_unit_test(no_family_is_no),
        cmocka_unit_test(misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
