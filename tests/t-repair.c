/* SPDX-License-Identifier: Apache-2.0 */
/* Repairs: each broken rule's own, and the joint one of a map. What a repair says that it keeps is found again by
 * placing every element. */
#include "legality.h"

#include <stdlib.h>

static uint64_t pick(uint64_t *s, const uint64_t *from, size_t count) { return from[test_random(s) % count]; }
#define PICK(s, ...) pick(s, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / 8)

/* ---- maps near the legal ones --------------------------------------------------------------------------------------- */

static uint64_t bytes_of(const zlay_tensormap *m) { return zlay_tensormap_type_bits(m->type) / 8; }

static zlay_tensormap random_legal(uint64_t *s)
{
    zlay_tensormap m;
    memset(&m, 0, sizeof m);
    m.rank = (uint32_t)test_range(s, 1, 5);
    m.type = (int32_t)test_range(s, 0, 12);
    m.swizzle = (int32_t)test_range(s, 0, 3);
    m.l2 = (int32_t)test_range(s, 0, 3);
    m.oob = m.type >= 6 && test_range(s, 0, 3) == 0;
    m.interleave = m.rank > 2 && test_range(s, 0, 5) == 0 ? (int32_t)test_range(s, 1, 2) : 0;
    if (m.interleave == 2) m.swizzle = 1;
    m.address = (uint64_t)test_range(s, 0, 1 << 20) * 128;
    uint64_t unit = 16 / bytes_of(&m), span = m.swizzle ? 1u << m.swizzle : 8;
    m.box[0] = (uint32_t)(unit * (uint64_t)test_range(s, 1, (int64_t)span));
    for (uint32_t i = 0; i < m.rank; i++) {
        m.extent[i] = (uint64_t)test_range(s, 1, 300);
        m.step[i] = test_range(s, 0, 5) ? 1 : (uint32_t)test_range(s, 1, 8);
        if (i) m.box[i] = (uint32_t)PICK(s, 1, 2, 3, 4, 6, 1, 1, 8);
    }
    uint64_t row = m.extent[0] * bytes_of(&m);
    for (uint32_t i = 0; i + 1 < m.rank; i++) {
        m.stride[i] = (row + 31) / 32 * 32 + 32 * (uint64_t)test_range(s, 0, 1);
        row = m.stride[i] * m.extent[i + 1];
    }
    return m;
}

static void disturb(uint64_t *s, zlay_tensormap *m)
{
    uint32_t i = (uint32_t)test_range(s, 0, m->rank - 1);
    switch (test_range(s, 0, 8)) {
    case 0: m->address += (uint64_t)test_range(s, 1, 15); break;
    case 1:
    case 2:
        if (m->rank > 1) m->stride[i ? i - 1 : 0] = PICK(s, m->stride[i ? i - 1 : 0] + 8, m->stride[i ? i - 1 : 0] - 8, 1ull << 40, 24, m->stride[i ? i - 1 : 0] + 2);
        break;
    case 3:
    case 4: m->box[i] = (uint32_t)PICK(s, 257, 300, 512, 1000, m->box[i] * 3, m->box[i] + 1, 4096, 5); break;
    case 5: m->step[m->interleave && !i ? 1 : i] = (uint32_t)PICK(s, 0, 9, 16, 100); break;
    case 6: m->swizzle = (int32_t)PICK(s, 4, 5, 6, 7, 1, 2); break;
    case 7: m->l2 = 4 + (int32_t)test_range(s, 0, 3); break;
    default: m->oob = (int32_t)test_range(s, 1, 3);
    }
}

/* ---- each rule's own repair ----------------------------------------------------------------------------------------- */

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
        if (reason_of(again, &w, r[k].rule, r[k].index)) fail_msg("rule %d is not mended", r[k].rule);
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
    uint64_t s = test_seed("t-repair each"), mended = 0;
    for (uint64_t i = 0; i < test_iterations(30000); i++) {
        zlay_tensormap m = random_legal(&s);
        for (int64_t k = test_range(&s, 1, 4); k > 0; k--) disturb(&s, &m);
        if (test_range(&s, 0, 9) == 0) m.type = (int32_t)test_range(&s, -1, 17);
        if (test_range(&s, 0, 9) == 0) m.interleave = (int32_t)test_range(&s, -1, 4);
        if (test_range(&s, 0, 9) == 0) m.rank = (uint32_t)test_range(&s, 0, 7);
        if (test_range(&s, 0, 9) == 0) m.extent[0] = PICK(&s, 0, 1ull << 33, UINT64_MAX);
        mended += mend_each(target(names[i % 3]), &m);
    }
    assert_true(mended > 30000);
}

/* What no field can meet has no repair. */
static void a_wrong_target_has_none(void **state)
{
    (void)state;
    zlay_reason r[REASONS];
    zlay_tensormap m = legal_map(), out = m;
    int32_t keeps = 77;
    uint64_t split = 77;
    zlay_verdict v = verdict_of(target("sm_80"), &m, r);
    assert_int_equal(v.reasons, 1);
    assert_int_equal(r[0].fix_keeps, ZLAY_KEEPS_NONE_GIVEN);
    assert_int_equal(zlay_tensormap_repair(&out, &keeps, &split, target("sm_80"), &m), ZLAY_NONE);
    assert_memory_equal(&out, &m, sizeof m);
    assert_true(keeps == 77 && split == 77);
}

/* ---- the joint repair ----------------------------------------------------------------------------------------------- */

typedef struct joint { const char *what; zlay_tensormap from, to; int32_t keeps; uint64_t split; } joint;

static joint ask(const char *name, zlay_tensormap m)
{
    joint j = {.from = m};
    assert_int_equal(zlay_tensormap_repair(&j.to, &j.keeps, &j.split, target(name), &m), ZLAY_OK);
    assert_int_equal(answer_of(target(name), &j.to), ZLAY_YES);
    return j;
}

static void a_legal_map_stays(void **state)
{
    (void)state;
    uint64_t s = test_seed("t-repair legal");
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
    zlay_verdict v = verdict_of(target("sm_90a"), &m, r);
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

/* A re-pitched matrix pushes its planes apart, where they lay dense; with a gap between them they stay. */
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
    assert_true(j.to.box[2] == 16 && j.to.box[1] == 64 && j.split == 4 && j.keeps == ZLAY_KEEPS_ALL);
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
    static const struct { int32_t field, index; uint64_t value; } what[] = {
        {ZLAY_FIELD_TYPE, -1, 16}, {ZLAY_FIELD_RANK, -1, 0}, {ZLAY_FIELD_RANK, -1, 6}, {ZLAY_FIELD_MODE, -1, 3},
        {ZLAY_FIELD_EXTENT, 0, 0}, {ZLAY_FIELD_EXTENT, 1, (1ull << 32) + 1}, {ZLAY_FIELD_BOX, 1, 0}};
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        zlay_tensormap m = legal_map(), out;
        int32_t keeps;
        uint64_t split;
        map_set(&m, what[i].field, what[i].index, what[i].value);
        assert_int_equal(zlay_tensormap_repair(&out, &keeps, &split, target("sm_90a"), &m), ZLAY_NONE);
    }
}

/* Sub-byte types of sm_100: whole groups of 128, 32-byte units, swizzles of their own. */
static void packed_types_are_mended(void **state)
{
    (void)state;
    zlay_tensormap m = legal_map();
    m.type = ZLAY_TMAP_U6_ALIGN16;
    m.extent[0] = 1000;
    m.stride[0] = 1008;
    m.box[0] = 128;
    m.swizzle = 2;
    joint j = ask("sm_100a", m);
    assert_true(j.to.extent[0] == 1024 && j.to.stride[0] == 1024 && j.to.swizzle == 3 && j.to.box[0] == 128);
    assert_int_equal(j.keeps, ZLAY_KEEPS_VALUES);
}

/* ---- what is kept, element by element --------------------------------------------------------------------------------- */

enum { PLACES = 1 << 14 };

typedef struct place { uint64_t element, address; } place;

static uint64_t taken(const zlay_tensormap *m, uint32_t i)
{
    uint64_t step = m->step[i] ? m->step[i] : 1;
    if (i == 0 && m->interleave == 0) step = 1;
    return (m->box[i] + step - 1) / step;
}

/* Where a box at a corner puts each element from `base` on: dense rows, on the swizzle's span, the XOR on the address. */
static size_t put_box(place *out, const zlay_tensormap *m, const uint64_t *corner, uint64_t base)
{
    uint64_t n[5], count = 1, bytes = bytes_of(m), pitch = taken(m, 0) * bytes;
    uint64_t span = m->interleave || !m->swizzle ? 0 : 16u << m->swizzle;
    if (pitch < span) pitch = span;
    for (uint32_t i = 0; i < 5; i++) count *= n[i] = i < m->rank ? taken(m, i) : 1;
    if (count > PLACES) return 0;
    for (uint64_t at = 0; at < count; at++) {
        uint64_t rest = at, element = 0, scale = 1;
        for (uint32_t i = 0; i < m->rank; i++) {
            uint64_t step = m->step[i] && (i || m->interleave) ? m->step[i] : 1;
            element += scale * (corner[i] + rest % n[i] * step);
            scale *= 100000;
            rest /= n[i];
        }
        uint64_t address = base + at / n[0] * pitch + at % n[0] * bytes;
        if (m->swizzle && !m->interleave) address ^= (address >> 7 & ((1u << m->swizzle) - 1)) << 4;
        out[at] = (place){element, address};
    }
    return (size_t)count;
}

static int by_element(const void *a, const void *b)
{
    uint64_t x = ((const place *)a)->element, y = ((const place *)b)->element;
    return x < y ? -1 : x > y;
}

/* Every issue of the repaired map, each behind the one before; elements along a dimension go on where the last ended. */
static size_t put_issues(place *out, const zlay_tensormap *from, const zlay_tensormap *to, uint64_t split)
{
    uint64_t k[5], bytes = bytes_of(to), pitch = taken(to, 0) * bytes;
    uint64_t span = to->interleave || !to->swizzle ? 0 : 16u << to->swizzle, issue = pitch < span ? span : pitch;
    size_t count = 0;
    for (uint32_t i = 0; i < from->rank; i++) k[i] = taken(from, i) / taken(to, i);
    for (uint32_t i = 1; i < from->rank; i++) issue *= taken(to, i);
    assert_int_equal(issue % 128 * (split > 1), 0);
    for (uint64_t at = 0; at < split; at++) {
        uint64_t corner[5] = {0}, rest = at;
        for (uint32_t i = 0; i < from->rank; i++) {
            uint64_t step = from->step[i] && (i || from->interleave) ? from->step[i] : 1;
            corner[i] = rest % k[i] * taken(to, i) * step;
            rest /= k[i];
        }
        count += put_box(out + count, to, corner, at * issue);
    }
    return count;
}

static bool wider_than_span(const zlay_tensormap *m)
{
    return !m->interleave && m->swizzle >= 1 && m->box[0] * bytes_of(m) > 16u << (m->swizzle > 3 ? 3 : m->swizzle);
}

static bool keeps_places(const joint *j)
{
    static place was[PLACES], is[PLACES];
    uint64_t zero[5] = {0};
    size_t count = put_box(was, &j->from, zero, 0);
    if (!count) return false;
    if (put_issues(is, &j->from, &j->to, j->split) != count) fail_msg("another number of elements");
    qsort(was, count, sizeof *was, by_element);
    qsort(is, count, sizeof *is, by_element);
    assert_memory_equal(was, is, count * sizeof *was);
    return true;
}

/* No two elements of what is laid anew share bytes, unless some did before; what does not move keeps its stride. */
static bool overlaps(const zlay_tensormap *m)
{
    uint64_t done = 0, inside = m->extent[0] * bytes_of(m);
    for (uint32_t n = 0; n + 1 < m->rank; n++) {
        uint32_t least = 4;
        for (uint32_t i = 0; i + 1 < m->rank; i++)
            if (!(done >> i & 1) && (least == 4 || m->stride[i] < m->stride[least])) least = i;
        done |= 1u << least;
        if (m->extent[least + 1] == 1) continue;
        if (m->stride[least] < inside) return true;
        inside += m->stride[least] * (m->extent[least + 1] - 1);
    }
    return false;
}

/* Of maps with one to three disturbed fields all are repaired, and say truly what they keep. */
static void disturbed_maps_are_repaired(void **state)
{
    (void)state;
    uint64_t s = test_seed("t-repair joint"), placed = 0, kept[5] = {0}, count = test_iterations(20000);
    for (uint64_t i = 0; i < count; i++) {
        zlay_tensormap m = random_legal(&s);
        bool before = overlaps(&m);
        assert_false(before);
        for (int64_t k = test_range(&s, 1, 3); k > 0; k--) disturb(&s, &m);
        joint j = ask("sm_90a", m);
        kept[j.keeps]++;
        if (j.keeps == ZLAY_KEEPS_ALL && !wider_than_span(&m)) placed += keeps_places(&j);
        if (!overlaps(&m)) assert_false(overlaps(&j.to));
        if (j.keeps < ZLAY_KEEPS_VALUES) {
            assert_int_equal(j.to.address, m.address);
            assert_memory_equal(j.to.stride, m.stride, sizeof m.stride);
            assert_memory_equal(j.to.extent, m.extent, sizeof m.extent);
        }
        if (j.keeps < ZLAY_KEEPS_BYTES) assert_true(j.to.swizzle == m.swizzle && j.to.interleave == m.interleave);
    }
    printf("kept of %llu: all %llu, bytes %llu, values %llu; %llu placed element by element\n", (unsigned long long)count,
           (unsigned long long)kept[1], (unsigned long long)kept[2], (unsigned long long)kept[3], (unsigned long long)placed);
    assert_true(kept[ZLAY_KEEPS_NOTHING] == 0 && placed > count / 10);
}

/* Hostile maps take a bounded time and never a wrong answer. */
static void hostile_maps(void **state)
{
    (void)state;
    uint64_t s = test_seed("t-repair hostile"), mended = 0;
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
            m.box[k] = (uint32_t)PICK(&s, 3603600, 720720, 240, 256, UINT32_MAX, 1, 3628800, 1u << 31);
            m.step[k] = (uint32_t)PICK(&s, 1, 2, 3, 8, 0, 9, UINT32_MAX);
            if (k < 4) m.stride[k] = PICK(&s, 0, 8, UINT64_MAX, 1ull << 40, 4097, 1 << 20);
        }
        const zlay_target *t = target(i % 2 ? "sm_90" : "sm_100");
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
    const zlay_target *t = target("sm_90");
    assert_int_equal(zlay_tensormap_repair(NULL, &keeps, &split, t, &m), ZLAY_EINVAL);
    assert_int_equal(zlay_tensormap_repair(&out, NULL, &split, t, &m), ZLAY_EINVAL);
    assert_int_equal(zlay_tensormap_repair(&out, &keeps, NULL, t, &m), ZLAY_EINVAL);
    assert_int_equal(zlay_tensormap_repair(&out, &keeps, &split, NULL, &m), ZLAY_EINVAL);
    assert_int_equal(zlay_tensormap_repair(&out, &keeps, &split, t, NULL), ZLAY_EINVAL);
    m.mode = 1;
    assert_int_equal(zlay_tensormap_repair(&out, &keeps, &split, t, &m), ZLAY_ENOTSUP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_repair_meets_its_rule), cmocka_unit_test(a_wrong_target_has_none),
        cmocka_unit_test(a_legal_map_stays), cmocka_unit_test(the_leading_dimension_of_4100_is_4104),
        cmocka_unit_test(planes_move_when_rows_do), cmocka_unit_test(padded_rows_may_shrink),
        cmocka_unit_test(a_large_box_is_cut), cmocka_unit_test(a_narrow_box_is_widened),
        cmocka_unit_test(steps_too_long_become_issues), cmocka_unit_test(what_says_which_tensor_it_is_has_no_repair),
        cmocka_unit_test(packed_types_are_mended), cmocka_unit_test(disturbed_maps_are_repaired),
        cmocka_unit_test(hostile_maps), cmocka_unit_test(misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
