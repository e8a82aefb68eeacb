/* SPDX-License-Identifier: Apache-2.0 */
/* Every rule of issued copies at its bounds, and hostile numbers. */
#include "tiles/issued.h"

/* ---- every rule at its bounds --------------------------------------------------------------- */

typedef struct edge {
    const char *rule, *on, *id;
    size_t at; /* of the field, an uint64_t unless `narrow` */
    bool narrow;
    uint32_t given;
    uint64_t holds[2], breaks[2];
} edge;

#define WIDE(field)   offsetof(zlay_issue, field), false
#define NARROW(field) offsetof(zlay_issue, field), true

static const edge edges[] = {
    {"COPY_INSTRUCTION", "sm_90a", "tma.load.2d", NARROW(kind), 0, {1, 15}, {0, 16}},
    {"COPY_INSTRUCTION",
     "sm_90a",
     "tma.load.2d",
     NARROW(kind),
     0,
     {2, 3},
     {0x80000000, 0x7fffffff}},
    {"COPY_HAS_MODE", "sm_100a", "tma.load.2d", NARROW(mode), 0, {0, 4}, {5, 7}},
    {"COPY_HAS_MODE", "sm_100a", "tma.store.2d", NARROW(mode), 0, {0, 6}, {1, 0xffffffff}},
    {"COPY_RANK", "sm_90a", "tma.load.2d", NARROW(rank), 0, {1, 5}, {0, 6}},
    {"COPY_RANK_IM2COL", "sm_90a", "tma.load.im2col.3d", NARROW(rank), 0, {3, 5}, {2, 6}},
    {"COPY_RANK_ROWS4", "sm_100a", "tma.gather4", NARROW(rank), 0, {2, 2}, {1, 3}},
    {"COPY_RANK_MAP", "sm_90a", "tma.load.2d", NARROW(rank), 0, {2, 2}, {1, 3}},
    {"COPY_SPACE", "sm_90a", "tma.load.2d", NARROW(space), 0, {0, 1}, {2, 0xffffffff}},
    {"COPY_GROUP", "sm_100a", "tma.load.2d", NARROW(cta_group), 0, {0, 2}, {3, 0xffffffff}},
    {"COPY_GROUP", "sm_90a", "tma.load.2d", NARROW(cta_group), 0, {0, 0}, {1, 2}},
    {"COPY_GROUP_LOAD", "sm_100a", "tma.store.2d", NARROW(cta_group), 0, {0, 0}, {1, 2}},
    {"COPY_MULTICAST_SPACE", "sm_90a", "tma.load.2d.multicast", NARROW(space), 0, {1, 1}, {0, 2}},
    {"COPY_MASK",
     "sm_90a",
     "tma.load.2d.multicast",
     WIDE(cta_mask),
     ZLAY_GIVEN_CTA_MASK,
     {1, 0xffff},
     {0, 0x10000}},
    {"COPY_MASK_CLUSTER",
     "sm_90a",
     "bulk.g2s.multicast",
     WIDE(cta_mask),
     ZLAY_GIVEN_CTA_MASK | ZLAY_GIVEN_CLUSTER,
     {1, 15},
     {16, UINT64_MAX}},
    {"COPY_CLUSTER", "sm_90a", "bulk.s2s", NARROW(cluster), ZLAY_GIVEN_CLUSTER, {1, 16}, {0, 17}},
    {"COPY_CTA",
     "sm_90a",
     "bulk.s2s",
     NARROW(cta),
     ZLAY_GIVEN_CLUSTER | ZLAY_GIVEN_CTA,
     {0, 3},
     {4, UINT32_MAX}},
    {"COPY_PEER",
     "sm_90a",
     "bulk.s2s",
     NARROW(peer),
     ZLAY_GIVEN_CLUSTER | ZLAY_GIVEN_PEER,
     {0, 3},
     {4, UINT32_MAX}},
    {"COPY_PEER_OTHER",
     "sm_90a",
     "red_async.add",
     NARROW(peer),
     ZLAY_GIVEN_CTA | ZLAY_GIVEN_PEER,
     {1, 2},
     {0, 0}},
    {"COPY_BARRIER_8", "sm_90a", "bulk.g2s", WIDE(barrier), ZLAY_GIVEN_BARRIER, {0, 8}, {4, 12}},
    {"COPY_BARRIER_END",
     "sm_90a",
     "bulk.g2s",
     WIDE(barrier),
     ZLAY_GIVEN_BARRIER,
     {0, 233464},
     {233472, UINT64_MAX}},
    {"COPY_SMEM_128", "sm_90a", "tma.load.2d", WIDE(smem), 0, {128, 1 << 20}, {64, 112}},
    {"COPY_SMEM_128", "sm_90a", "tma.reduce.add.2d", WIDE(smem), 0, {128, 256}, {16, 64}},
    {"COPY_SMEM_END",
     "sm_90a",
     "tma.load.2d",
     WIDE(smem),
     0,
     {0, 233472 - 8192},
     {233472 - 8064, UINT64_MAX - 127}},
    {"COPY_SMEM_END",
     "sm_120",
     "tma.load.2d",
     WIDE(smem),
     0,
     {0, 102400 - 8192},
     {102400 - 8064, UINT64_MAX}},
    {"COPY_BYTES", "sm_90a", "tma.load.2d", WIDE(bytes), 0, {0, 8192}, {8191, 8193}},
    {"COPY_BYTES", "sm_100a", "tma.gather4", WIDE(bytes), 0, {0, 32768}, {8192, 32767}},
    {"COPY_EXPECT_LEAST",
     "sm_90a",
     "tma.load.2d",
     WIDE(expect),
     ZLAY_GIVEN_EXPECT,
     {8192, 8193},
     {8191, 0}},
    {"COPY_EXPECT_MOST",
     "sm_90a",
     "tma.load.2d",
     WIDE(expect),
     ZLAY_GIVEN_EXPECT,
     {8192, 0},
     {8193, UINT64_MAX}},
    {"BULK_EXPECT_LEAST", "sm_90a", "bulk.g2s", WIDE(expect), ZLAY_GIVEN_EXPECT, {64, 65}, {63, 0}},
    {"BULK_EXPECT_MOST", "sm_90a", "bulk.g2s", WIDE(expect), ZLAY_GIVEN_EXPECT, {64, 0}, {65, 128}},
    {"BARRIER_BYTES",
     "sm_90a",
     "bulk.g2s",
     WIDE(expect),
     ZLAY_GIVEN_EXPECT,
     {0, (1 << 20) - 1},
     {1 << 20, UINT64_MAX}},
    {"BARRIER_COUNT",
     "sm_90a",
     "bulk.g2s",
     WIDE(count),
     ZLAY_GIVEN_COUNT,
     {1, (1 << 20) - 1},
     {0, 1 << 20}},
    {"BULK_SIZE_16", "sm_90a", "bulk.s2g", WIDE(bytes), 0, {0, 16}, {8, 17}},
    {"BULK_SIZE_MOST",
     "sm_90a",
     "bulk.s2g",
     WIDE(bytes),
     0,
     {0, (1 << 20) - 16},
     {1 << 20, UINT64_MAX}},
    {"BULK_SOURCE_16", "sm_90a", "bulk.g2s", WIDE(source), 0, {0, 16}, {8, UINT64_MAX}},
    {"BULK_SMEM_16", "sm_90a", "bulk.s2s", WIDE(smem), 0, {0, 16}, {8, 24}},
    {"BULK_SMEM_END",
     "sm_90a",
     "bulk.s2s",
     WIDE(smem),
     0,
     {0, 233472 - 64},
     {233472 - 48, UINT64_MAX}},
    {"COPY_OP", "sm_90a", "tma.reduce.add.2d", NARROW(op), 0, {1, 8}, {0, 9}},
    {"CPASYNC_WIDTH", "sm_80", "cp_async.16", NARROW(width), 0, {4, 16}, {0, 32}},
    {"CPASYNC_WIDTH", "sm_80", "cp_async.16", NARROW(width), 0, {8, 8}, {2, 12}},
    {"CPASYNC_TAKEN", "sm_80", "cp_async.16.zfill", WIDE(taken), 0, {0, 16}, {17, UINT64_MAX}},
    {"THREAD_WIDTH", "sm_90", "ld.g.128", NARROW(width), 0, {1, 16}, {0, 32}},
    {"THREAD_WIDTH", "sm_100", "ld.g.256", NARROW(width), 0, {16, 32}, {12, 64}},
    {"COPY_WIDTH_ADDRESS", "sm_100", "ld.g.256", WIDE(source), 0, {0, 32}, {16, 48}},
    {"COPY_WIDTH_SMEM", "sm_80", "cp_async.16", WIDE(smem), 0, {0, 16}, {8, 20}},
    {"ASYNC_WIDTH", "sm_90", "st_async.b32", NARROW(width), 0, {4, 16}, {0, 32}},
    {"ASYNC_SMEM", "sm_90", "st_async.v4.b32", WIDE(smem), 0, {0, 16}, {8, 4}},
    {"BULK_BYTE_MASK",
     "sm_100",
     "bulk.s2g.mask",
     WIDE(byte_mask),
     0,
     {0, 0xffff},
     {0x10000, UINT64_MAX}},
};

static void put(zlay_issue *issue, const edge *e, uint64_t value)
{
    uint32_t narrow = (uint32_t)value;
    if (e->narrow) memcpy((char *)issue + e->at, &narrow, sizeof narrow);
    else memcpy((char *)issue + e->at, &value, sizeof value);
}

static void one_edge(const edge *e, uint64_t value, bool breaks)
{
    zlay_tensormap map = legal_map();
    zlay_issue c = found(e->id);
    c.cluster = 4;
    c.bytes = e->rule[0] == 'B' ? 64 : 0;
    c.given |= e->given;
    put(&c, e, value);
    bool mapped = !strncmp(e->id, "tma", 3);
    const zlay_reason *r = broken(e->rule, e->on, &c, mapped ? &map : NULL);
    if (!r != !breaks)
        fail_msg("%s at %llu: %s", e->rule, (unsigned long long)value, r ? "broken" : "holds");
}

static void every_rule_at_its_bounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        for (int k = 0; k < 2; k++) {
            one_edge(&edges[i], edges[i].holds[k], false);
            one_edge(&edges[i], edges[i].breaks[k], true);
        }
}

/* ---- hostile numbers ---------------------------------------------------------------- */

/* A second reading of the rules of tile loads, from the tables of the header. */
static bool load_is_legal(const zlay_issue *c, const zlay_tensormap *m)
{
    uint64_t rows = m->box[1];
    bool legal = c->coordinate[0] % 8 == 0 && c->smem % 128 == 0 && c->barrier % 8 == 0;
    legal &= c->smem <= 233472 && c->smem + rows * 128 <= 233472 && c->barrier <= 233464;
    legal &= c->expect == rows * m->box[0] * 2 && c->count >= 1 && c->count < 1 << 20;
    legal &= c->rank == 2 && c->expect < 1 << 20;
    return legal;
}

static uint64_t near(uint64_t *s, uint64_t value, uint64_t unit)
{
    switch (test_range(s, 0, 9)) {
    case 0: return value + unit;
    case 1: return test_random(s);
    case 2: return value + 1;
    case 3: return 0;
    default: return value;
    }
}

static void random_loads(void **state)
{
    (void)state;
    uint64_t s = test_seed("legality/copy/copy loads"), legal = 0;
    uint64_t iterations = test_iterations(20000);
    for (uint64_t i = 0; i < iterations; i++) {
        zlay_tensormap map = legal_map();
        zlay_issue c = found("tma.load.2d");
        map.box[1] = (uint32_t)test_range(&s, 1, 256);
        c.given = ZLAY_GIVEN_BARRIER | ZLAY_GIVEN_EXPECT | ZLAY_GIVEN_COUNT;
        c.coordinate[0] = (int32_t)near(&s, (uint64_t)test_range(&s, -9, 9) * 8, 8);
        c.coordinate[1] = (int32_t)test_random(&s);
        c.smem = near(&s, 1024 * (uint64_t)test_range(&s, 1, 230), 128);
        c.barrier = near(&s, 8 * (uint64_t)test_range(&s, 1, 29184), 8);
        c.expect = near(&s, map.box[1] * 128, 128);
        c.count = near(&s, 1, (1 << 20) - 2);
        zlay_verdict v;
        assert_int_equal(zlay_copy_check(&v, NULL, 0, target_of("sm_90a"), &c, &map), ZLAY_OK);
        if ((v.answer == ZLAY_YES) != load_is_legal(&c, &map))
            fail_msg("load %llu of the seed: answer %d", (unsigned long long)i, v.answer);
        legal += v.answer == ZLAY_YES;
    }
    assert_true(legal > iterations / 100 && legal < iterations);
}

/* Any bytes have a verdict on any target, the same with and without room for reasons. */
static void any_bytes_have_a_verdict(void **state)
{
    (void)state;
    uint64_t s = test_seed("legality/copy/copy bytes");
    for (uint64_t i = 0; i < test_iterations(20000); i++) {
        union { zlay_issue issue; uint64_t words[sizeof(zlay_issue) / 8]; } c;
        zlay_tensormap map = legal_map();
        zlay_reason reasons[REASONS];
        zlay_verdict a, b;
        uint64_t bytes = 1;
        for (size_t w = 0; w < sizeof c.words / 8; w++)
            c.words[w] = test_range(&s, 0, 2) ? test_random(&s) : 0;
        memset(c.issue.reserved, 0, sizeof c.issue.reserved);
        c.issue.given &= 1023;
        if (test_range(&s, 0, 1)) c.issue.kind = (int32_t)test_range(&s, -1, 17);
        if (test_range(&s, 0, 1)) c.issue.mode = (int32_t)test_range(&s, -1, 8);
        map.rank = (uint32_t)test_random(&s);
        map.type = (int32_t)test_random(&s) % 20;
        map.swizzle = (int32_t)test_random(&s) % 8;
        const zlay_target *t = zlay_target_nth((size_t)test_range(&s, 0, 22));
        assert_int_equal(zlay_copy_check(&a, reasons, REASONS, t, &c.issue, &map), ZLAY_OK);
        assert_int_equal(zlay_copy_check(&b, NULL, 0, t, &c.issue, &map), ZLAY_OK);
        assert_memory_equal(&a, &b, sizeof a);
        assert_true(zlay_copy_bytes(&bytes, &c.issue, &map) >= 0);
    }
}

static void refused(void **state)
{
    (void)state;
    zlay_verdict v, before;
    zlay_tensormap map = legal_map();
    zlay_issue c = found("tma.load.2d");
    uint64_t bytes = 5;
    memset(&v, 3, sizeof v);
    before = v;
    const zlay_target *t = target_of("sm_90a");
    assert_int_equal(zlay_copy_check(&v, NULL, 0, t, &c, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_copy_check(&v, NULL, 0, t, NULL, &map), ZLAY_EINVAL);
    assert_int_equal(zlay_copy_check(&v, NULL, 0, NULL, &c, &map), ZLAY_EINVAL);
    assert_int_equal(zlay_copy_check(NULL, NULL, 0, t, &c, &map), ZLAY_EINVAL);
    assert_int_equal(zlay_copy_check(&v, NULL, 1, t, &c, &map), ZLAY_EINVAL);
    c.reserved[25] = 1;
    assert_int_equal(zlay_copy_check(&v, NULL, 0, t, &c, &map), ZLAY_EINVAL);
    assert_int_equal(zlay_copy_bytes(&bytes, &c, &map), ZLAY_EINVAL);
    c.reserved[25] = 0;
    c.given = 1024;
    assert_int_equal(zlay_copy_check(&v, NULL, 0, t, &c, &map), ZLAY_EINVAL);
    c.given = 0;
    c.mode = ZLAY_COPY_IM2COL_W;
    assert_int_equal(zlay_copy_bytes(&bytes, &c, &map), ZLAY_NONE);
    assert_int_equal(zlay_copy_bytes(NULL, &c, &map), ZLAY_EINVAL);
    assert_int_equal(bytes, 5);
    assert_memory_equal(&v, &before, sizeof v);
    assert_int_equal(sizeof(zlay_issue), 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_at_its_bounds), cmocka_unit_test(random_loads),
        cmocka_unit_test(any_bytes_have_a_verdict), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
