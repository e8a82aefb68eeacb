/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps: every rule at its bounds, the verdicts that a driver gave, and a second predicate on random maps. */
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

/* 64 x 64 boxes of a 512 x 256 bf16 matrix, 128-byte swizzle. */
static zlay_tensormap legal(void)
{
    zlay_tensormap m;
    memset(&m, 0, sizeof m);
    m.address = 1 << 20;
    m.rank = 2;
    m.type = ZLAY_TMAP_BF16;
    m.extent[0] = 256;
    m.extent[1] = 512;
    m.stride[0] = 512;
    m.box[0] = m.box[1] = 64;
    m.step[0] = m.step[1] = 1;
    m.swizzle = ZLAY_SWIZZLE_128B;
    return m;
}

static bool breaks(const zlay_target *t, const zlay_tensormap *m, const char *id)
{
    zlay_verdict v;
    zlay_reason r[64];
    zlay_rule rule;
    assert_int_equal(zlay_tensormap_check(&v, r, 64, t, m), ZLAY_OK);
    for (uint32_t i = 0; i < v.reasons; i++) {
        assert_int_equal(zlay_rule_get(&rule, r[i].rule), ZLAY_OK);
        if (!strcmp(rule.id, id)) return true;
    }
    return false;
}

static zlay_answer answer(const zlay_target *t, const zlay_tensormap *m)
{
    zlay_verdict v;
    assert_int_equal(zlay_tensormap_check(&v, NULL, 0, t, m), ZLAY_OK);
    return v.answer;
}

/* What is disturbed, the last value that holds, the first that does not, and the rule that says so. */
typedef struct edge {
    const char *id, *field;
    int index;
    uint64_t good, bad;
    int32_t type, swizzle, interleave, oob;
} edge;

static void put(zlay_tensormap *m, const char *field, int i, uint64_t value)
{
    if (!strcmp(field, "address")) m->address = value;
    else if (!strcmp(field, "rank")) m->rank = (uint32_t)value;
    else if (!strcmp(field, "type")) m->type = (int32_t)value;
    else if (!strcmp(field, "extent")) m->extent[i] = value;
    else if (!strcmp(field, "stride")) m->stride[i] = value;
    else if (!strcmp(field, "box")) m->box[i] = (uint32_t)value;
    else if (!strcmp(field, "step")) m->step[i] = (uint32_t)value;
    else if (!strcmp(field, "interleave")) m->interleave = (int32_t)value;
    else if (!strcmp(field, "swizzle")) m->swizzle = (int32_t)value;
    else if (!strcmp(field, "l2")) m->l2 = (int32_t)value;
    else if (!strcmp(field, "oob")) m->oob = (int32_t)value;
    else if (!strcmp(field, "mode")) m->mode = (int32_t)value;
    else fail_msg("no such field %s", field);
}

static const edge edges[] = {
    {"TMAP_TYPE_SM90", "type", 0, 12, 13, -1, 3, 0, 0},
    {"TMAP_TYPE_SM90", "type", 0, 0, (uint32_t)-1, -1, 3, 0, 0},
    {"TMAP_RANK", "rank", 0, 1, 0, 9, 3, 0, 0},
    {"TMAP_RANK", "rank", 0, 2, 6, 9, 3, 0, 0},
    {"TMAP_ADDRESS_16", "address", 0, 1 << 20, (1 << 20) + 8, 9, 3, 0, 0},
    {"TMAP_EXTENT", "extent", 0, 1, 0, 9, 3, 0, 0},
    {"TMAP_EXTENT", "extent", 1, 1ull << 32, (1ull << 32) + 1, 9, 3, 0, 0},
    {"TMAP_STRIDE_16", "stride", 0, 528, 520, 9, 3, 0, 0},
    {"TMAP_STRIDE_MOST", "stride", 0, (1ull << 40) - 16, 1ull << 40, 9, 3, 0, 0},
    {"TMAP_BOX", "box", 1, 256, 257, 9, 3, 0, 0},
    {"TMAP_BOX", "box", 1, 1, 0, 9, 3, 0, 0},
    {"TMAP_BOX0_16", "box", 0, 8, 4, 9, 3, 0, 0},
    {"TMAP_STEP", "step", 1, 8, 9, 9, 3, 0, 0},
    {"TMAP_STEP", "step", 0, 1, 0, 9, 3, 0, 0},
    {"TMAP_INTERLEAVE", "interleave", 0, 0, 3, 9, 0, 0, 0},
    {"TMAP_SWIZZLE_SM90", "swizzle", 0, 3, 4, 9, 3, 0, 0},
    {"TMAP_SPAN_32", "box", 0, 16, 24, 9, 1, 0, 0},
    {"TMAP_SPAN_64", "box", 0, 32, 40, 9, 2, 0, 0},
    {"TMAP_SPAN_128", "box", 0, 64, 72, 9, 3, 0, 0},
    {"TMAP_L2", "l2", 0, 3, 4, 9, 3, 0, 0},
    {"TMAP_OOB", "oob", 0, 1, 2, 9, 3, 0, 0},
    {"TMAP_OOB_NAN", "type", 0, 6, 5, 9, 3, 0, 1},
    {"TMAP_MODE", "mode", 0, 0, 3, 9, 3, 0, 0},
};

static void test_edges(void **state)
{
    (void)state;
    const zlay_target *t = target("sm_90a");
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        const edge *e = &edges[i];
        zlay_tensormap m = legal();
        if (e->type >= 0) m.type = e->type;
        m.swizzle = e->swizzle;
        m.interleave = e->interleave;
        m.oob = e->oob;
        put(&m, e->field, e->index, e->good);
        if (breaks(t, &m, e->id)) fail_msg("%s broken at %llu", e->id, (unsigned long long)e->good);
        put(&m, e->field, e->index, e->bad);
        if (!breaks(t, &m, e->id)) fail_msg("%s holds at %llu", e->id, (unsigned long long)e->bad);
        assert_int_equal(answer(t, &m), ZLAY_NO);
    }
}

/* The footprint counts floor(box / step) and no document has it; 228 KiB exactly is taken, 48 bytes more are not. */
static void test_footprint(void **state)
{
    (void)state;
    const zlay_target *t = target("sm_90");
    zlay_tensormap m = legal();
    m.rank = 3;
    m.swizzle = 0;
    m.extent[2] = 512;
    m.stride[1] = 512 * 512;
    m.box[0] = 152;
    m.box[1] = 256;
    m.box[2] = m.step[2] = 3;
    m.type = ZLAY_TMAP_U8;
    m.box[0] = 16 * 19;
    m.box[0] = 256;
    m.box[1] = 228;
    m.box[2] = 4;
    m.step[2] = 1;
    assert_false(breaks(t, &m, "TMAP_FOOTPRINT"));
    m.box[1] = 229;
    assert_true(breaks(t, &m, "TMAP_FOOTPRINT"));
    m.step[2] = 8;
    assert_false(breaks(t, &m, "TMAP_FOOTPRINT"));
}

/* What an H200 with driver 580.159.04 answered where published rule tables disagree. */
static void test_contested(void **state)
{
    (void)state;
    const zlay_target *t = target("sm_90a");
    zlay_tensormap m = legal();
    m.extent[0] = 32;
    m.extent[1] = 8;
    assert_int_equal(answer(t, &m), ZLAY_YES); /* box beyond the tensor */
    m = legal();
    m.stride[0] = 0;
    assert_int_equal(answer(t, &m), ZLAY_YES); /* broadcast */
    m.stride[0] = 16;
    assert_int_equal(answer(t, &m), ZLAY_YES); /* overlapping rows */
    m = legal();
    m.step[0] = 2;
    assert_int_equal(answer(t, &m), ZLAY_YES);
    m = legal();
    m.box[0] = 8;
    assert_int_equal(answer(t, &m), ZLAY_YES); /* 16-byte inner box under a 128-byte swizzle */
    m = legal();
    m.address = 0;
    assert_int_equal(answer(t, &m), ZLAY_YES); /* NULL is encoded */
}

/* Interleave 32B with another swizzle than 32B: documented as illegal, taken by the driver: noted, refuses nothing. */
static void test_noted(void **state)
{
    (void)state;
    zlay_verdict v;
    zlay_tensormap m = legal();
    m.rank = 3;
    m.extent[2] = 4;
    m.box[2] = m.step[2] = 1;
    m.stride[1] = 512 * 512;
    m.interleave = 2;
    m.swizzle = 0;
    assert_int_equal(zlay_tensormap_check(&v, NULL, 0, target("sm_90"), &m), ZLAY_OK);
    assert_int_equal(v.answer, ZLAY_YES);
    assert_int_equal(v.noted, 1);
    assert_int_equal(zlay_tensormap_check(&v, NULL, 0, target("sm_100"), &m), ZLAY_OK);
    assert_int_equal(v.answer, ZLAY_NO);
    assert_int_equal(v.driver, ZLAY_DRIVER_UNKNOWN);
}

/* The driver's predicate, written from its measured description rather than from the rows. */
static bool driver_takes(const zlay_tensormap *m)
{
    static const unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    if (m->type < 0 || m->type > 12 || m->rank < 1 || m->rank > 5) return false;
    if (m->interleave < 0 || m->interleave > 2 || m->swizzle < 0 || m->swizzle > 3 || m->l2 < 0 || m->l2 > 3) return false;
    if (m->oob < 0 || m->oob > 1 || (m->oob && m->type < 6)) return false;
    uint64_t unit = m->interleave == 2 ? 32 : 16, inner = (uint64_t)m->box[0] * bytes[m->type], all = bytes[m->type];
    if (m->interleave && m->rank < 3) return false;
    if (m->address % unit || inner % 16) return false;
    if (m->interleave == 0 && m->swizzle && inner > 16u << m->swizzle) return false;
    for (uint32_t i = 0; i < m->rank; i++) {
        if (m->extent[i] < 1 || m->extent[i] > 1ull << 32 || m->box[i] < 1 || m->box[i] > 256 || m->step[i] < 1 || m->step[i] > 8)
            return false;
        if (i + 1 < m->rank && (m->stride[i] % unit || m->stride[i] >> 40)) return false;
        all *= m->box[i] / m->step[i];
    }
    return all <= 233472;
}

static uint64_t pick(uint64_t *s, const uint64_t *from, size_t count) { return from[test_random(s) % count]; }
#define PICK(s, ...) pick(s, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / 8)

static zlay_tensormap random_map(uint64_t *s)
{
    zlay_tensormap m;
    memset(&m, 0, sizeof m);
    m.rank = (uint32_t)PICK(s, 1, 2, 2, 3, 3, 4, 5, 0, 6);
    m.type = (int32_t)(test_random(s) % 17) - (test_random(s) % 16 == 0);
    m.interleave = (int32_t)PICK(s, 0, 0, 0, 1, 2, 3);
    m.swizzle = (int32_t)PICK(s, 0, 1, 2, 3, 3, 3, 4);
    m.l2 = (int32_t)PICK(s, 0, 1, 2, 3, 3, 4);
    m.oob = (int32_t)PICK(s, 0, 0, 0, 1, 2);
    m.address = PICK(s, 1 << 20, 1 << 20, (1 << 20) + 16, (1 << 20) + 32, (1 << 20) + 8);
    for (int i = 0; i < 5; i++) {
        m.extent[i] = PICK(s, 1, 64, 1000, 1ull << 32, 4096, 77, (1ull << 32) + 1, 4096);
        m.box[i] = (uint32_t)PICK(s, 1, 8, 16, 32, 64, 2, 4, 256, 128, 257, 1);
        m.step[i] = (uint32_t)PICK(s, 1, 1, 1, 1, 1, 2, 8, 9);
        if (i < 4) m.stride[i] = PICK(s, 0, 16, 32, 4096, 8192, 1ull << 39, 1ull << 40, 4104, 4112, 65536);
    }
    return m;
}

static void test_against_driver(void **state)
{
    (void)state;
    uint64_t s = test_seed("t-tensormap"), taken = 0, count = test_iterations(200000);
    const zlay_target *t = target("sm_90");
    for (uint64_t i = 0; i < count; i++) {
        zlay_tensormap m = random_map(&s);
        zlay_verdict v;
        assert_int_equal(zlay_tensormap_check(&v, NULL, 0, t, &m), ZLAY_OK);
        bool takes = driver_takes(&m);
        taken += takes;
        if (takes != (v.driver == ZLAY_DRIVER_ACCEPTS)) fail_msg("map %llu", (unsigned long long)i);
        if (!takes) assert_int_equal(v.answer, ZLAY_NO);
    }
    assert_true(taken > count / 200);
}

/* Every reason's own repair, applied alone, mends its own rule; the joint repair mends all of them. */
static void apply(zlay_tensormap *m, const zlay_reason *r)
{
    if (r->field == ZLAY_FIELD_RANK) return;
    put(m, zlay_field_name(r->field), r->index > 0 ? r->index : 0, r->fix_value);
}

static void test_repairs(void **state)
{
    (void)state;
    uint64_t s = test_seed("t-tensormap repairs"), joint = 0, alone = 0;
    const zlay_target *t = target("sm_90a");
    for (uint64_t i = 0; i < test_iterations(50000); i++) {
        zlay_tensormap m = random_map(&s), fixed;
        zlay_verdict v;
        zlay_reason r[64];
        int32_t keeps;
        uint64_t split;
        zlay_tensormap_check(&v, r, 64, t, &m);
        for (uint32_t k = 0; k < v.reasons && k < 64; k++) {
            zlay_rule rule;
            if (r[k].noted || !r[k].fix_keeps || r[k].field == ZLAY_FIELD_RANK) continue;
            zlay_tensormap one = m;
            apply(&one, &r[k]);
            zlay_rule_get(&rule, r[k].rule);
            zlay_verdict w;
            zlay_reason q[64];
            zlay_tensormap_check(&w, q, 64, t, &one);
            for (uint32_t j = 0; j < w.reasons && j < 64; j++)
                if (q[j].rule == r[k].rule && q[j].index == r[k].index) fail_msg("map %llu: %s is not mended", (unsigned long long)i, rule.id);
            alone++;
        }
        zlay_status status = zlay_tensormap_repair(&fixed, &keeps, &split, t, &m);
        if (status == ZLAY_NONE) continue;
        assert_int_equal(status, ZLAY_OK);
        assert_int_equal(answer(t, &fixed), ZLAY_YES);
        if (v.answer == ZLAY_YES) assert_memory_equal(&fixed, &m, sizeof m);
        joint++;
    }
    assert_true(joint > 1000 && alone > 10000);
}

/* The example: 4100 bf16 a row are 8200 bytes; the least repair is a leading dimension of 4104. */
static void test_8200(void **state)
{
    (void)state;
    zlay_verdict v;
    zlay_reason r[4];
    zlay_tensormap m = legal();
    m.extent[0] = 4100;
    m.stride[0] = 8200;
    assert_int_equal(zlay_tensormap_check(&v, r, 4, target("sm_90a"), &m), ZLAY_OK);
    assert_int_equal(v.answer, ZLAY_NO);
    assert_int_equal(v.reasons, 1);
    assert_int_equal(r[0].field, ZLAY_FIELD_STRIDE);
    assert_int_equal(r[0].value, 8200);
    assert_int_equal(r[0].lo, 16);
    assert_int_equal(r[0].fix_value, 8208);
    assert_int_equal(r[0].fix_keeps, ZLAY_KEEPS_VALUES);
}

static void test_misuse(void **state)
{
    (void)state;
    zlay_verdict v;
    memset(&v, 7, sizeof v);
    zlay_verdict before = v;
    zlay_tensormap m = legal();
    assert_int_equal(zlay_tensormap_check(NULL, NULL, 0, target("sm_90"), &m), ZLAY_EINVAL);
    assert_int_equal(zlay_tensormap_check(&v, NULL, 0, NULL, &m), ZLAY_EINVAL);
    m.reserved[22] = 1;
    assert_int_equal(zlay_tensormap_check(&v, NULL, 0, target("sm_90"), &m), ZLAY_EINVAL);
    m = legal();
    m.mode = 1;
    assert_int_equal(zlay_tensormap_check(&v, NULL, 0, target("sm_90"), &m), ZLAY_ENOTSUP);
    assert_memory_equal(&v, &before, sizeof v);
    assert_int_equal(answer(target("sm_80"), &(zlay_tensormap){.rank = 1}), ZLAY_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),    cmocka_unit_test(test_footprint), cmocka_unit_test(test_contested),
        cmocka_unit_test(test_noted),    cmocka_unit_test(test_against_driver), cmocka_unit_test(test_repairs),
        cmocka_unit_test(test_8200),     cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
