/* SPDX-License-Identifier: Apache-2.0 */
/* Repairs: each broken rule's own, and the joint one of a map. */
#include "device/driver/map_draw.h"
#include "legality/tensormap/tensormap.h"
#include "repair.h"

static uint64_t mend_each(const zlay_target *t, const zlay_tensormap *m)
{
    zlay_reason r[REASONS], again[REASONS];
    zlay_verdict v = verdict_of(t, m, r);
    uint64_t mended = 0;
    for (uint32_t k = 0; k < v.reasons && k < REASONS; k++) {
        if (r[k].fix_keeps == ZLAY_KEEPS_NONE_GIVEN) continue;
        zlay_tensormap one = *m;
        map_set(&one, r[k].field, r[k].index, r[k].fix_value);
        zlay_verdict w = verdict_of(t, &one, again);
        if (reason_of(again, &w, r[k].rule, r[k].index))
            fail_msg("rule %d is not mended", r[k].rule);
        assert_in_range(r[k].fix_keeps, ZLAY_KEEPS_ALL, ZLAY_KEEPS_NOTHING);
        assert_true(r[k].fix_split >= 1);
        mended++;
    }
    return mended;
}

static void each_repair_meets_its_rule(void **state)
{
    (void)state;
    static const char *const names[] = {"sm_90", "sm_100", "sm_120"};
    uint64_t s = test_seed("legality/tensormap/repair each"), mended = 0;
    for (uint64_t i = 0; i < test_iterations(30000); i++) {
        zlay_tensormap m = random_legal(&s);
        for (int64_t k = test_range(&s, 1, 4); k > 0; k--) disturb(&s, &m);
        if (test_range(&s, 0, 9) == 0) m.type = (int32_t)test_range(&s, -1, 17);
        if (test_range(&s, 0, 9) == 0) m.interleave = (int32_t)test_range(&s, -1, 4);
        if (test_range(&s, 0, 9) == 0) m.rank = (uint32_t)test_range(&s, 0, 7);
        if (test_range(&s, 0, 9) == 0) m.extent[0] = PICK(&s, 0, 1ull << 33, UINT64_MAX);
        mended += mend_each(target_of(names[i % 3]), &m);
    }
    assert_true(mended > 30000);
}

/* The same of every mode, with every field disturbed. */
static void each_repair_of_every_mode_meets_its_rule(void **state)
{
    (void)state;
    static const char *const names[] = {"sm_90", "sm_100", "sm_120"};
    uint64_t mended = 0;
    for (uint64_t i = 0; i < test_iterations(6000); i++) {
        zlay_tensormap m = map_draw((int32_t)(i % 3), 21, i);
        mended += mend_each(target_of(names[i / 3 % 3]), &m);
    }
    assert_true(mended > 3000);
}

/* Repairs of strides read their rules as code; the table says the same. */
static void the_range_of_a_stride_is_the_tables(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_iterations(6000); i++) {
        zlay_tensormap m = map_draw((int32_t)(i % 3), 22, i);
        if (i % 5 == 0) m.type = (int32_t)(i % 17);
        zl_subject s = {&zl_tensormap_form, zlay_target_nth(i % zlay_target_count()), &m};
        for (uint32_t k = 0; k + 1 < zl_dims(&m); k++) {
            zl_field_range code = zl_stride_range(&s, k);
            zl_field_range table = zl_range_of(&s, ZLAY_FIELD_STRIDE, (int32_t)k);
            assert_memory_equal(&code, &table, sizeof code);
        }
    }
}

/* What no field can meet has no repair. */
static void a_wrong_target_has_none(void **state)
{
    (void)state;
    zlay_reason r[REASONS];
    zlay_tensormap m = legal_map(), out = m;
    int32_t keeps = 77;
    uint64_t split = 77;
    zlay_verdict v = verdict_of(target_of("sm_80"), &m, r);
    assert_int_equal(v.reasons, 1);
    assert_int_equal(r[0].fix_keeps, ZLAY_KEEPS_NONE_GIVEN);
    assert_int_equal(zlay_tensormap_repair(&out, &keeps, &split, target_of("sm_80"), &m), ZLAY_NONE);
    assert_memory_equal(&out, &m, sizeof m);
    assert_true(keeps == 77 && split == 77);
}

static void a_legal_map_stays(void **state)
{
    (void)state;
    uint64_t s = test_seed("legality/tensormap/repair legal");
    for (uint64_t i = 0; i < test_iterations(2000); i++) {
        zlay_tensormap m = random_legal(&s);
        joint j = ask("sm_90a", m);
        assert_memory_equal(&j.to, &m, sizeof m);
        assert_true(j.keeps == ZLAY_KEEPS_ALL && j.split == 1);
    }
}

/* 4100 bf16 a row are 8200 bytes; the least repair is a leading dimension of 4104. */
static void the_leading_dimension_of_4100_is_4104(void **state)
{
    (void)state;
    zlay_reason r[REASONS];
    zlay_tensormap m = legal_map();
    m.extent[0] = 4100;
    m.stride[0] = 8200;
    zlay_verdict v = verdict_of(target_of("sm_90a"), &m, r);
    assert_true(v.answer == ZLAY_NO && v.reasons == 1);
    assert_int_equal(r[0].rule, rule_number("TMAP_STRIDE_16"));
    assert_true(r[0].field == ZLAY_FIELD_STRIDE && r[0].index == 0);
    assert_true(r[0].value == 8200 && r[0].lo == 16);
    assert_true(r[0].fix_value == 8208 && r[0].fix_keeps == ZLAY_KEEPS_VALUES);
    joint j = ask("sm_90a", m);
    m.stride[0] = 8208;
    assert_memory_equal(&j.to, &m, sizeof m);
    assert_true(j.keeps == ZLAY_KEEPS_VALUES && j.split == 1);
}

/* A re-pitched matrix pushes its planes apart, where they lay dense; with a gap between them they
 * stay. */
static void planes_move_when_rows_do(void **state)
{
    (void)state;
    zlay_tensormap m = legal_map3();
    m.extent[0] = 4100;
    m.stride[0] = 8200;
    m.stride[1] = 8200 * 512;
    joint j = ask("sm_90a", m);
    assert_int_equal(j.to.stride[0], 8208);
    assert_int_equal(j.to.stride[1], 8208 * 512);
    m.stride[1] = 8208 * 512;
    j = ask("sm_90a", m);
    assert_int_equal(j.to.stride[0], 8208);
    assert_int_equal(j.to.stride[1], 8208 * 512);
    assert_int_equal(j.keeps, ZLAY_KEEPS_VALUES);
}

static void padded_rows_may_shrink(void **state)
{
    (void)state;
    zlay_tensormap m = legal_map();
    m.stride[0] = 8194;
    joint j = ask("sm_90a", m);
    assert_int_equal(j.to.stride[0], 8192);
    m.stride[0] = 1ull << 40;
    j = ask("sm_90a", m);
    assert_int_equal(j.to.stride[0], (1ull << 40) - 16);
    m.stride[0] = 8; /* overlapping rows at a step that no map has: laid out each for itself */
    j = ask("sm_90a", m);
    assert_int_equal(j.to.stride[0], 512);
}

static void a_large_box_is_cut(void **state)
{
    (void)state;
    zlay_tensormap m = legal_map();
    m.box[1] = 512;
    joint j = ask("sm_90a", m);
    m.box[1] = 256;
    assert_memory_equal(&j.to, &m, sizeof m);
    assert_true(j.keeps == ZLAY_KEEPS_ALL && j.split == 2);
    m.box[1] = 257; /* a prime: rows one by one, each 128 bytes */
    j = ask("sm_90a", m);
    assert_true(j.to.box[1] == 1 && j.split == 257 && j.keeps == ZLAY_KEEPS_ALL);
    m = legal_map();
    m.box[0] = 128; /* 256 bytes under a span of 128: two panels */
    j = ask("sm_90a", m);
    assert_true(j.to.box[0] == 64 && j.split == 2 && j.keeps == ZLAY_KEEPS_ALL);
    m = legal_map3();
    m.box[1] = 64;
    m.box[2] = 64; /* 512 KiB: cut along the outermost */
    j = ask("sm_90a", m);
    assert_true(j.to.box[2] == 16 && j.to.box[1] == 64 && j.split == 4 &&
                j.keeps == ZLAY_KEEPS_ALL);
}

static void a_narrow_box_is_widened(void **state)
{
    (void)state;
    zlay_tensormap m = legal_map();
    m.box[0] = 4;
    joint j = ask("sm_90a", m);
    assert_true(j.to.box[0] == 8 && j.split == 1 && j.keeps == ZLAY_KEEPS_BYTES);
}

static void steps_too_long_become_issues(void **state)
{
    (void)state;
    zlay_tensormap m = legal_map();
    m.box[1] = 64;
    m.step[1] = 16; /* rows 0, 16, 32, 48 */
    joint j = ask("sm_90a", m);
    assert_true(j.to.box[1] == 1 && j.to.step[1] == 8 && j.split == 4 && j.keeps == ZLAY_KEEPS_ALL);
    m.box[1] = 1;
    j = ask("sm_90a", m);
    assert_true(j.to.box[1] == 1 && j.to.step[1] == 8 && j.split == 1 && j.keeps == ZLAY_KEEPS_ALL);
    m = legal_map();
    m.step[0] = 9; /* ignored by the copy, checked by the driver */
    j = ask("sm_90a", m);
    assert_true(j.to.step[0] == 8 && j.to.box[0] == 64 && j.keeps == ZLAY_KEEPS_ALL);
}

static void what_says_which_tensor_it_is_has_no_repair(void **state)
{
    (void)state;
    static const struct {
        int32_t field, index;
        uint64_t value;
    } what[] = {{ZLAY_FIELD_TYPE, -1, 16}, {ZLAY_FIELD_RANK, -1, 0},
                {ZLAY_FIELD_RANK, -1, 6},  {ZLAY_FIELD_MODE, -1, 3},
                {ZLAY_FIELD_EXTENT, 0, 0}, {ZLAY_FIELD_EXTENT, 1, (1ull << 32) + 1},
                {ZLAY_FIELD_BOX, 1, 0}};
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        zlay_tensormap m = legal_map(), out;
        int32_t keeps;
        uint64_t split;
        map_set(&m, what[i].field, what[i].index, what[i].value);
        assert_int_equal(zlay_tensormap_repair(&out, &keeps, &split, target_of("sm_90a"), &m),
                         ZLAY_NONE);
    }
}

/* Sub-byte types of sm_100: whole groups of 128, 32-byte units, swizzles of their own. */
static void packed_types_are_mended(void **state)
{
    (void)state;
    zlay_tensormap m = legal_map();
    m.type = ZLAY_TYPE_U6_ALIGN16;
    m.extent[0] = 1000;
    m.stride[0] = 1008;
    m.box[0] = 128;
    m.swizzle = 2;
    joint j = ask("sm_100a", m);
    assert_true(j.to.extent[0] == 1024 && j.to.stride[0] == 1024 && j.to.swizzle == 3 &&
                j.to.box[0] == 128);
    assert_int_equal(j.keeps, ZLAY_KEEPS_VALUES);
}

/* Hostile maps take a bounded time and never a wrong answer. */
static void hostile_maps(void **state)
{
    (void)state;
    uint64_t s = test_seed("legality/tensormap/repair hostile"), mended = 0;
    for (uint64_t i = 0; i < test_iterations(1000); i++) {
        zlay_tensormap m, out;
        int32_t keeps;
        uint64_t split;
        memset(&m, 0, sizeof m);
        m.rank = (uint32_t)test_range(&s, 1, 5);
        m.type = (int32_t)test_range(&s, 0, 15);
        m.swizzle = (int32_t)test_range(&s, -1, 8);
        m.interleave = (int32_t)test_range(&s, -1, 4);
        m.address = test_random(&s) | (test_range(&s, 0, 1) ? UINT64_MAX << 20 : 0);
        for (int k = 0; k < 5; k++) {
            m.extent[k] = PICK(&s, 1, 1ull << 32, 77, 4096, UINT32_MAX);
            m.box[k] =
                (uint32_t)PICK(&s, 3603600, 720720, 240, 256, UINT32_MAX, 1, 3628800, 1u << 31);
            m.step[k] = (uint32_t)PICK(&s, 1, 2, 3, 8, 0, 9, UINT32_MAX);
            if (k < 4) m.stride[k] = PICK(&s, 0, 8, UINT64_MAX, 1ull << 40, 4097, 1 << 20);
        }
        const zlay_target *t = target_of(i % 2 ? "sm_90" : "sm_100");
        mend_each(t, &m);
        if (zlay_tensormap_repair(&out, &keeps, &split, t, &m) != ZLAY_OK) continue;
        assert_int_equal(answer_of(t, &out), ZLAY_YES);
        mended++;
    }
    assert_true(mended > 100);
}

static void misuse(void **state)
{
    (void)state;
    zlay_tensormap m = legal_map(), out;
    int32_t keeps;
    uint64_t split;
    const zlay_target *t = target_of("sm_90");
    assert_int_equal(zlay_tensormap_repair(NULL, &keeps, &split, t, &m), ZLAY_EINVAL);
    assert_int_equal(zlay_tensormap_repair(&out, NULL, &split, t, &m), ZLAY_EINVAL);
    assert_int_equal(zlay_tensormap_repair(&out, &keeps, NULL, t, &m), ZLAY_EINVAL);
    assert_int_equal(zlay_tensormap_repair(&out, &keeps, &split, NULL, &m), ZLAY_EINVAL);
    assert_int_equal(zlay_tensormap_repair(&out, &keeps, &split, t, NULL), ZLAY_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_repair_meets_its_rule),
        cmocka_unit_test(each_repair_of_every_mode_meets_its_rule),
        cmocka_unit_test(the_range_of_a_stride_is_the_tables),
        cmocka_unit_test(a_wrong_target_has_none),
        cmocka_unit_test(a_legal_map_stays),
        cmocka_unit_test(the_leading_dimension_of_4100_is_4104),
        cmocka_unit_test(planes_move_when_rows_do),
        cmocka_unit_test(padded_rows_may_shrink),
        cmocka_unit_test(a_large_box_is_cut),
        cmocka_unit_test(a_narrow_box_is_widened),
        cmocka_unit_test(steps_too_long_become_issues),
        cmocka_unit_test(what_says_which_tensor_it_is_has_no_repair),
        cmocka_unit_test(packed_types_are_mended),
        cmocka_unit_test(hostile_maps),
        cmocka_unit_test(misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
