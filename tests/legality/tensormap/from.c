/* SPDX-License-Identifier: Apache-2.0 */
/* Maps from the arguments of the driver's encode calls, and the worked examples of zlay/tensormap.h. */
#include "device/driver/map_draw.h"
#include "legality.h"

/* Entries that the rank does not have are not read: they stand behind arrays of exactly `rank`. */
static void *exactly(const void *from, size_t size)
{
    void *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, from, size);
    return copy;
}

static zlay_status from(zlay_tensormap *out, const zlay_tensormap *m)
{
    size_t rank = m->rank < 5 ? m->rank : 5, corners = rank > 2 ? rank - 2 : 0;
    uint64_t *extent = exactly(m->extent, rank * 8), *stride = exactly(m->stride, rank ? rank * 8 - 8 : 0);
    uint32_t *box = exactly(m->box, rank * 4), *step = exactly(m->step, rank * 4);
    int32_t *lower = exactly(m->lower, corners * 4), *upper = exactly(m->upper, corners * 4);
    const void *at = (const void *)(uintptr_t)m->address;
    zlay_status status =
        m->mode == 0 ? zlay_tensormap_from_tiled(out, m->type, m->rank, at, extent, stride, box, step,
                                                 m->interleave, m->swizzle, m->l2, m->oob)
        : m->mode == 1
            ? zlay_tensormap_from_im2col(out, m->type, m->rank, at, extent, stride, lower, upper,
                                         m->channels, m->pixels, step, m->interleave, m->swizzle,
                                         m->l2, m->oob)
            : zlay_tensormap_from_im2col_wide(out, m->type, m->rank, at, extent, stride, m->lower[0],
                                              m->upper[0], m->channels, m->pixels, step,
                                              m->interleave, m->wide_mode, m->swizzle, m->l2, m->oob);
    free(extent), free(stride), free(box), free(step), free(lower), free(upper);
    return status;
}

/* What the arguments of its call say of a map. */
static zlay_tensormap as_asked(zlay_tensormap m)
{
    uint32_t corners = m.rank > 2 ? m.rank - 2 : 0;
    for (uint32_t i = m.rank; i < 5; i++) m.extent[i] = m.box[i] = m.step[i] = 0;
    for (uint32_t i = m.rank ? m.rank - 1 : 0; i < 4; i++) m.stride[i] = 0;
    for (uint32_t i = m.mode == 2 ? 1 : corners; i < 3; i++) m.lower[i] = m.upper[i] = 0;
    return m;
}

static void every_argument_finds_its_field(void **state)
{
    (void)state;
    for (int32_t mode = 0; mode < 3; mode++)
        for (uint64_t i = 0; i < test_iterations(20000); i++) {
            zlay_tensormap m = map_draw(mode, 7, i), want = as_asked(m), is;
            zlay_verdict a, b;
            memset(&is, 0x5a, sizeof is);
            assert_int_equal(from(&is, &m), ZLAY_OK);
            assert_memory_equal(&is, &want, sizeof is);
            a = verdict_of(target_of("sm_90"), &is, NULL);
            b = verdict_of(target_of("sm_90"), &m, NULL);
            assert_memory_equal(&a, &b, sizeof a);
        }
}

static void nulls_are_refused_where_entries_are_read(void **state)
{
    (void)state;
    const uint64_t wide[5] = {8, 8, 8, 8, 8};
    const uint32_t few[5] = {1, 1, 1, 1, 1};
    const int32_t corner[3] = {0, 0, 0};
    zlay_tensormap m = legal_map(), before = m;
#define TILED(out, rank, extent, stride, box, step)                                                \
    zlay_tensormap_from_tiled(out, 9, rank, NULL, extent, stride, box, step, 0, 0, 0, 0)
#define IM2COL(rank, lower, upper)                                                                 \
    zlay_tensormap_from_im2col(&m, 9, rank, NULL, wide, wide, lower, upper, 8, 8, few, 0, 0, 0, 0)
    assert_int_equal(TILED(NULL, 2, wide, wide, few, few), ZLAY_EINVAL);
    assert_int_equal(TILED(&m, 2, NULL, wide, few, few), ZLAY_EINVAL);
    assert_int_equal(TILED(&m, 2, wide, NULL, few, few), ZLAY_EINVAL);
    assert_int_equal(TILED(&m, 2, wide, wide, NULL, few), ZLAY_EINVAL);
    assert_int_equal(TILED(&m, 2, wide, wide, few, NULL), ZLAY_EINVAL);
    assert_int_equal(IM2COL(3, NULL, corner), ZLAY_EINVAL);
    assert_int_equal(IM2COL(3, corner, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_tensormap_from_im2col_wide(&m, 9, 3, NULL, NULL, wide, 0, 0, 8, 8, few, 0,
                                                     0, 0, 0, 0),
                     ZLAY_EINVAL);
    assert_memory_equal(&m, &before, sizeof m);
    assert_int_equal(TILED(&m, 1, wide, NULL, few, few), ZLAY_OK);
    assert_int_equal(TILED(&m, 0, NULL, NULL, NULL, NULL), ZLAY_OK);
    assert_int_equal(IM2COL(2, NULL, NULL), ZLAY_OK);
    assert_int_equal(TILED(&m, UINT32_MAX, wide, wide, few, few), ZLAY_OK);
    assert_int_equal(answer_of(target_of("sm_90"), &m), ZLAY_NO);
}

static void by_hand(void **state)
{
    (void)state;
    zlay_reason r[REASONS];
    zlay_tensormap m = legal_map();
    m.box[0] = 128;
    m.box[1] = 8;
    zlay_verdict v = verdict_of(target_of("sm_90"), &m, r);
    assert_int_equal(v.broken, 1);
    assert_int_equal(r[0].rule, rule_number("TMAP_SPAN_128"));
    assert_true(r[0].value == 256 && r[0].hi == 128 && r[0].fix_value == 64 && r[0].fix_split == 2);
    m = legal_columns(1, 4);
    assert_int_equal(answer_of(target_of("sm_90"), &m), ZLAY_YES);
    m.upper[0] = m.upper[1] = -17;
    v = verdict_of(target_of("sm_90"), &m, r);
    assert_int_equal(v.broken, 2);
    assert_int_equal(r[0].rule, rule_number("TMAP_AREA_WRAPPED"));
    assert_int_equal(r[0].value, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_argument_finds_its_field),
        cmocka_unit_test(nulls_are_refused_where_entries_are_read),
        cmocka_unit_test(by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
