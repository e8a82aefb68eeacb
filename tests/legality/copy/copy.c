/* SPDX-License-Identifier: Apache-2.0 */
/* Issued copies: the example of zlay/copy.h, ids, and what a map decides. */
#include "tiles/issued.h"

/* ---- the example of zlay/copy.h ------------------------------------------------------ */

static void by_hand(void **state)
{
    (void)state;
    zlay_tensormap map = legal_map();
    zlay_issue copy = found("tma.load.tile.2d");
    zlay_reason reasons[REASONS];
    uint64_t bytes;
    assert_int_equal(zlay_copy_bytes(&bytes, &copy, &map), ZLAY_OK);
    assert_int_equal(bytes, 64 * 64 * 2);
    copy.coordinate[0] = 4;
    zlay_verdict v = asked("sm_90a", &copy, &map, reasons);
    assert_true(v.answer == ZLAY_NO && v.broken == 1);
    assert_true(reasons[0].rule == 70 && reasons[0].value == 8 && reasons[0].lo == 16);
    assert_int_equal(reasons[0].by, ZLAY_BY_HARDWARE);
    copy.coordinate[0] = 8;
    copy.given = ZLAY_GIVEN_EXPECT;
    copy.expect = 4096;
    v = asked("sm_90a", &copy, &map, reasons);
    assert_true(v.broken == 1 && reasons[0].rule == 224 && reasons[0].fix_value == 8192);
    copy.expect = 8320;
    v = asked("sm_90a", &copy, &map, reasons);
    assert_true(v.broken == 1 && reasons[0].rule == 225 && reasons[0].fix_value == 8192);
    copy.expect = 8192;
    assert_int_equal(asked("sm_90a", &copy, &map, reasons).answer, ZLAY_YES);
}

/* ---- ids ------------------------------------------------------------------------------ */

static void ids_say_what_they_are(void **state)
{
    (void)state;
    enum { M = ZLAY_GIVEN_MULTICAST };
    static const struct {
        const char *id;
        int32_t kind, mode, space, group, op, type;
        uint32_t rank, width, given;
    } rows[] = {
        {"tma.load.tile.2d.cta", 1, 0, 0, 0, 0, 0, 2, 0, 0},
        {"tma.load.tile.5d.cluster.hint", 1, 0, 1, 0, 0, 0, 5, 0, 0},
        {"tma.load.tile.1d.multicast.hint", 1, 0, 1, 0, 0, 0, 1, 0, M},
        {"tma.load.tile.3d.cg2.multicast", 1, 0, 1, 2, 0, 0, 3, 0, M},
        {"tma.load.tile.3d.cg2", 1, 0, 1, 2, 0, 0, 3, 0, 0},
        {"tma.load.im2col.4d", 1, 1, 1, 0, 0, 0, 4, 0, 0},
        {"tma.load.im2col_w.3d", 1, 2, 1, 0, 0, 0, 3, 0, 0},
        {"tma.load.im2col_w128.5d", 1, 3, 1, 0, 0, 0, 5, 0, 0},
        {"tma.gather4.cta", 1, 4, 0, 0, 0, 0, 2, 0, 0},
        {"tma.gather4.multicast", 1, 4, 1, 0, 0, 0, 2, 0, M},
        {"tma.scatter4", 2, 5, 0, 0, 0, 0, 2, 0, 0},
        {"tma.store.tile.2d", 2, 0, 0, 0, 0, 0, 2, 0, 0},
        {"tma.store.im2col.3d", 2, 6, 0, 0, 0, 0, 3, 0, 0},
        {"tma.reduce.add.2d", 6, 0, 0, 0, 1, 0, 2, 0, 0},
        {"tma.reduce.xor.5d", 6, 0, 0, 0, 8, 0, 5, 0, 0},
        {"tma.prefetch.2d", 7, 0, 0, 0, 0, 0, 2, 0, 0},
        {"tma.prefetch.gather4", 7, 4, 0, 0, 0, 0, 2, 0, 0},
        {"bulk.g2s.cta", 8, 0, 0, 0, 0, 0, 0, 0, 0},
        {"bulk.g2s.multicast", 8, 0, 1, 0, 0, 0, 0, 0, M},
        {"bulk.s2g.mask", 9, 0, 0, 0, 0, 0, 0, 0, ZLAY_GIVEN_BYTE_MASK},
        {"bulk.s2s", 10, 0, 0, 0, 0, 0, 0, 0, 0},
        {"bulk.reduce.f32", 11, 0, 0, 0, 1, ZLAY_TYPE_F32, 0, 0, 0},
        {"bulk.reduce.dsmem", 12, 0, 0, 0, 1, ZLAY_TYPE_U32, 0, 0, 0},
        {"bulk.prefetch", 13, 0, 0, 0, 0, 0, 0, 0, 0},
        {"cp_async.16", 3, 0, 0, 0, 0, 0, 0, 16, 0},
        {"cp_async.ca.4", 3, 0, 0, 0, 0, 0, 0, 4, 0},
        {"cp_async.16.zfill", 3, 0, 0, 0, 0, 0, 0, 16, ZLAY_GIVEN_TAKEN},
        {"st_async.v4.b32", 14, 0, 0, 0, 0, 0, 0, 16, 0},
        {"st_async.v2.b32", 14, 0, 0, 0, 0, 0, 0, 8, 0},
        {"red_async.add", 15, 0, 0, 0, 1, ZLAY_TYPE_U32, 0, 4, 0},
        {"red_async.add.u64", 15, 0, 0, 0, 1, ZLAY_TYPE_U64, 0, 8, 0},
        {"ld.g.128", 4, 0, 0, 0, 0, 0, 0, 16, 0},
        {"st.g.256", 5, 0, 0, 0, 0, 0, 0, 32, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_issue c = found(rows[i].id);
        bool same = c.kind == rows[i].kind && c.mode == rows[i].mode && c.space == rows[i].space &&
                    c.cta_group == rows[i].group && c.op == rows[i].op && c.type == rows[i].type &&
                    c.rank == rows[i].rank && c.width == rows[i].width && c.given == rows[i].given;
        if (!same) fail_msg("%s reads as another copy", rows[i].id);
    }
}

static void what_is_no_id(void **state)
{
    (void)state;
    static const char *const none[] = {"", "tma", "tma.loa", "tma.load.", "tma.load..2d",
                                       "tma.load.2d.3d", "tma.load.2d.2d", "tma.loads.2d",
                                       "bulk.g2s.3d", "tma.store.2d.cta", "tma.prefetch_desc",
                                       "bulk.commit", "cp_async.commit", "cp_async.4.8", "tma.load.6d"};
    zlay_issue before, c;
    memset(&before, 7, sizeof before);
    c = before;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(zlay_issue_find(&c, none[i], strlen(none[i])), ZLAY_NONE);
    assert_int_equal(zlay_issue_find(&c, NULL, 0), ZLAY_EINVAL);
    assert_memory_equal(&c, &before, sizeof c);
    assert_int_equal(zlay_issue_find(NULL, "bulk.s2s", 8), ZLAY_EINVAL);
    assert_int_equal(zlay_issue_find(&c, "bulk.s2s.cta", 8), ZLAY_OK); /* the length counts */
}

/* ---- what a map decides ------------------------------------------------------------- */

static void maps_and_instructions_agree(void **state)
{
    (void)state;
    zlay_tensormap map = legal_map();
    zlay_issue tile = found("tma.load.2d"), gather = found("tma.gather4"),
               pixels = found("tma.load.im2col.3d");
    assert_null(broken("COPY_MODE_MAP", "sm_90a", &tile, &map));
    assert_non_null(broken("COPY_MODE_MAP", "sm_90a", &pixels, &map));
    assert_non_null(broken("COPY_ROWS4_BOX", "sm_100a", &gather, &map));
    map.box[1] = 1;
    assert_null(broken("COPY_ROWS4_BOX", "sm_100a", &gather, &map));
    assert_null(broken("COPY_ROWS4_INTERLEAVE", "sm_100a", &gather, &map));
    map.interleave = 1;
    assert_non_null(broken("COPY_ROWS4_INTERLEAVE", "sm_100a", &gather, &map));
    map.mode = 1;
    assert_non_null(broken("COPY_MODE_MAP", "sm_90a", &tile, &map));
    assert_null(broken("COPY_MODE_MAP", "sm_90a", &pixels, &map));
}

/* PTX ISA 9.1, cp.reduce.async.bulk.tensor: its list, written out again; s64 and f64 as an H200 has
 * them, which faults at the bits of s64 and adds f64. */
static void tensor_reductions_take_types(void **state)
{
    (void)state;
    static const struct {
        const char *op, *types;
    } rows[] = {{"add", "u32 s32 u64 f16 bf16 f32 f64"},
                {"min", "u32 s32 u64 s64 f16 bf16"},
                {"max", "u32 s32 u64 s64 f16 bf16"},
                {"inc", "u32"},
                {"dec", "u32"},
                {"and", "b32 u64"},
                {"or", "b32 u64"},
                {"xor", "b32 u64"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int32_t type = 0; type < 20; type++) {
            char id[40];
            zlay_tensormap map = legal_map();
            map.type = type;
            snprintf(id, sizeof id, "tma.reduce.%s.2d", rows[i].op);
            zlay_issue c = found(id);
            bool takes = types_of(rows[i].types) >> type & 1;
            assert_int_equal(!broken("COPY_OP_TYPE", "sm_90a", &c, &map), takes);
            assert_int_equal(!broken("COPY_PACKED_REDUCE", "sm_100a", &c, &map), type <= 12);
        }
}

static void packed_types(void **state)
{
    (void)state;
    zlay_tensormap map = legal_map();
    zlay_issue load = found("tma.load.2d.cta"), store = found("tma.store.2d"),
               shared = found("tma.load.2d.cluster");
    static const struct {
        int32_t type, x;
        bool groups, pairs;
    } rows[] = {{14, 128, false, false}, {14, 64, true, false}, {15, -128, false, false},
                {15, 64, true, false},   {13, 32, false, false}, {13, 16, false, true},
                {13, -32, false, false}, {13, 1, false, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        map.type = rows[i].type;
        load.coordinate[0] = rows[i].x;
        assert_int_equal(broken("COPY_X_128", "sm_100a", &load, &map) != NULL, rows[i].groups);
        assert_int_equal(broken("COPY_X_32", "sm_100a", &load, &map) != NULL, rows[i].pairs);
        assert_null(broken("COPY_COORDINATE_16", "sm_100a", &load, &map));
    }
    map.type = 15;
    store.coordinate[0] = 64;
    assert_null(broken("COPY_X_128", "sm_103a", &store, &map));
    assert_non_null(broken("COPY_X_128", "sm_100a", &store, &map));
    assert_null(broken("COPY_PACKED_STORE", "sm_100a", &store, &map));
    map.type = 14;
    assert_non_null(broken("COPY_PACKED_STORE", "sm_100a", &store, &map));
    assert_non_null(broken("COPY_PLAIN_SM120", "sm_120a", &shared, &map));
    assert_null(broken("COPY_PLAIN_SM120", "sm_120a", &load, &map));
    assert_null(broken("COPY_PLAIN_SM120", "sm_100a", &shared, &map));
    map.type = ZLAY_TYPE_BF16;
    assert_null(broken("COPY_PLAIN_SM120", "sm_120a", &shared, &map));
    map.swizzle = 4;
    assert_non_null(broken("COPY_PLAIN_SM120", "sm_120a", &shared, &map));
    for (map.swizzle = 3; map.swizzle <= 6; map.swizzle++) {
        assert_int_equal(broken("COPY_FLIP_LOAD", "sm_100a", &store, &map) != NULL, map.swizzle == 5);
        assert_null(broken("COPY_FLIP_LOAD", "sm_100a", &load, &map));
    }
}

/* PTX ISA 9.1: complete-tx counts what is copied, so of 128 values 64 and 96 bytes, without the gaps. */
static void packed_bytes(void **state)
{
    (void)state;
    static const uint64_t row[] = {64, 64, 96};
    zlay_issue load = found("tma.load.2d.cta");
    for (int32_t type = 13; type <= 15; type++) {
        uint64_t bytes;
        zlay_tensormap map = {.address = 1 << 20, .extent = {256, 8}, .stride = {256}, .box = {128, 8}, .step = {1, 1},
                              .rank = 2, .type = type};
        assert_int_equal(zlay_copy_bytes(&bytes, &load, &map), ZLAY_OK);
        assert_int_equal(bytes, 8 * row[type - 13]);
        load.bytes = bytes;
        assert_null(broken("COPY_BYTES", "sm_100a", &load, &map));
        load.bytes = bytes + 64;
        assert_non_null(broken("COPY_BYTES", "sm_100a", &load, &map));
        load.bytes = 0;
    }
}

static void offsets_of_im2col(void **state)
{
    (void)state;
    zlay_tensormap map = legal_map3();
    static const int32_t most[] = {0xffff, 0xff, 0x1f};
    for (uint32_t rank = 3; rank <= 5; rank++)
        for (uint32_t i = 0; i < 3; i++) {
            zlay_issue c = found("tma.load.im2col");
            c.rank = rank;
            c.offset[i] = most[rank - 3];
            assert_null(broken("COPY_OFFSET", "sm_90a", &c, &map));
            c.offset[i]++;
            const zlay_reason *r = broken("COPY_OFFSET", "sm_90a", &c, &map);
            assert_int_equal(r != NULL, i < rank - 2); /* a rank has two offsets fewer */
            if (r) assert_int_equal(r->index, i);
            c.offset[i] = -1;
            assert_int_equal(broken("COPY_OFFSET", "sm_90a", &c, &map) != NULL, i < rank - 2);
        }
    static const struct { const char *id; int32_t halo, offset; } wide[] = {
        {"tma.load.im2col_w.3d", 511, 31}, {"tma.load.im2col_w128.3d", 31, 31}};
    for (size_t i = 0; i < 2; i++) {
        zlay_issue c = found(wide[i].id);
        c.offset[0] = wide[i].halo, c.offset[1] = wide[i].offset;
        assert_null(broken("COPY_HALO", "sm_100a", &c, &map));
        assert_null(broken("COPY_W_OFFSET", "sm_100a", &c, &map));
        c.offset[0]++, c.offset[1]++;
        assert_non_null(broken("COPY_HALO", "sm_100a", &c, &map));
        assert_non_null(broken("COPY_W_OFFSET", "sm_100a", &c, &map));
    }
}

/* On sm_90 the pattern is noted, and refuses nothing. */
static void patterns_are_noted(void **state)
{
    (void)state;
    zlay_reason reasons[REASONS];
    for (int32_t swizzle = 0; swizzle <= 3; swizzle++)
        for (uint32_t at = 0; at < 2048; at += 128) {
            zlay_tensormap map = legal_map();
            map.swizzle = swizzle;
            if (swizzle) map.box[0] = 8u << swizzle;
            zlay_issue c = found("tma.load.2d");
            c.smem = at;
            zlay_verdict v = asked("sm_90a", &c, &map, reasons);
            bool off = swizzle && at % (128u << swizzle) != 0;
            assert_true(v.answer == ZLAY_YES && v.noted == off);
        }
}

/* A copy through a map that no driver encodes is no copy, whatever its own operands are. */
static void the_map_counts(void **state)
{
    (void)state;
    zlay_tensormap map = legal_map();
    zlay_issue c = found("tma.load.2d");
    assert_null(broken("COPY_MAP", "sm_90a", &c, &map));
    map.swizzle = 99;
    assert_non_null(broken("COPY_MAP", "sm_90a", &c, &map));
    map = legal_map();
    map.stride[0] += 8;
    assert_non_null(broken("COPY_MAP", "sm_90a", &c, &map));
    c = found("bulk.g2s");
    assert_null(broken("COPY_MAP", "sm_90a", &c, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand), cmocka_unit_test(ids_say_what_they_are),
        cmocka_unit_test(what_is_no_id), cmocka_unit_test(maps_and_instructions_agree),
        cmocka_unit_test(tensor_reductions_take_types), cmocka_unit_test(packed_types),
        cmocka_unit_test(packed_bytes), cmocka_unit_test(offsets_of_im2col),
        cmocka_unit_test(patterns_are_noted), cmocka_unit_test(the_map_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
