/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles that blocks share, replayed in the CPU model for every block. */
#include "plans/cluster_model.h"

static void test_multicast_example(void **state)
{
    zlay_tensormap map = example_map();
    zlay_multicast_request r = {.size = sizeof r, .cluster = 4, .cta_mask = 15, .map = &map};
    zlay_multicast m;
    zlay_issue issue;
    assert_int_equal(zlay_multicast_synth(*state, &m, target_of("sm_90a"), &r), ZLAY_OK);
    assert_int_equal(m.slices, 4);
    assert_int_equal(m.expect, 8192);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(zlay_multicast_issue(&issue, &m, i), ZLAY_OK);
        assert_int_equal(issue.cta, i);
        assert_int_equal(issue.coordinate[0], 0);
        assert_int_equal(issue.coordinate[1], 16 * i);
        assert_int_equal(issue.smem, 2048 * i);
        assert_int_equal(issue.cta_mask, 15);
    }
    assert_int_equal(zlay_multicast_issue(&issue, &m, 4), ZLAY_NONE);
}

/* Every block of the mask holds what one copy of the whole tile would bring, the others nothing. */
static void check_multicast(zlay_ctx *ctx, const zlay_multicast_request *r, uint64_t *seed)
{
    zlay_multicast m;
    cluster b;
    int32_t fault = 0;
    uint32_t bytes = 0, all = 0;
    zlay_issue issue;
    if (zlay_multicast_synth(ctx, &m, target_of("sm_90a"), r))
        fail_msg("%s", zlay_ctx_message(ctx));
    blocks_begin(&b, seed, r->map);
    for (uint32_t i = 0; !zlay_multicast_issue(&issue, &m, i); i++) {
        assert_true(m.cta_mask >> issue.cta & 1);
        assert_int_equal(zlay_sim_tensor_multicast(&fault, &bytes, b.smem, r->cluster, (uint32_t)issue.cta_mask, &b.global, &(zlay_sim_copy){.map = &m.map, .coordinate = issue.coordinate, .address = (uint32_t)issue.smem}), ZLAY_OK);
        assert_int_equal(fault, 0);
        assert_int_equal(bytes, m.slice_count);
        all += bytes;
    }
    assert_int_equal(all, m.expect);
    assert_int_equal(zlay_sim_tensor_load(&fault, &bytes, &b.whole, &b.global, &(zlay_sim_copy){.map = r->map, .coordinate = r->coordinate, .address = r->smem}), ZLAY_OK);
    assert_int_equal(bytes, m.expect);
    for (uint32_t i = 0; i < r->cluster; i++) {
        bool receives = r->cta_mask >> i & 1;
        for (uint32_t at = 0; at < SMEM; at++)
            if (b.smem[i].bytes[at] != (receives ? b.whole.bytes[at] : PATTERN))
                fail_msg("block %u, byte %u, %u slices of dimension %u", i, at, m.slices, m.dim);
    }
    blocks_end(&b);
}

static void test_multicast_random(void **state)
{
    uint64_t seed = test_seed("multicast");
    for (uint64_t i = 0; i < test_iterations(150); i++) {
        zlay_tensormap map;
        zlay_multicast_request r = cluster_tile(&seed, &map);
        if (i % 3 == 0) r.cta_mask = (uint32_t)test_range(&seed, 1, (1 << r.cluster) - 1);
        check_multicast(*state, &r, &seed);
    }
}

static void test_multicast_interleaved(void **state)
{
    uint64_t seed = test_seed("interleaved"), checked = 0, divided = 0;
    for (uint64_t i = 0; i < test_iterations(150); i++) {
        zlay_tensormap map;
        zlay_multicast m;
        zlay_multicast_request r = cluster_slices(&seed, &map);
        if (zlay_multicast_synth(*state, &m, target_of("sm_90a"), &r)) continue;
        check_multicast(*state, &r, &seed);
        checked++;
        divided += m.slices > 1;
    }
    assert_true(checked > 30 && divided > 15);
}

/* No more equal slices exist: every division of the box into boxes of one shape that lie one behind
 * the other, tried by hand. */
static uint32_t most_slices(const zlay_tensormap *map, uint32_t blocks)
{
    uint32_t best = 1;
    for (uint32_t dim = 0; dim < map->rank; dim++)
        for (uint32_t parts = 1; parts <= map->box[dim]; parts++) {
            uint64_t slices = parts, span = map->swizzle ? 16u << map->swizzle : 0;
            if (map->box[dim] % parts || (span && !dim && parts > 1)) continue;
            for (uint32_t d = dim + 1; d < map->rank; d++) slices *= map->box[d];
            uint64_t row = (uint64_t)map->box[0] * zlay_type_bits(map->type) / 8;
            if (!dim) row /= parts;
            uint64_t bytes = span ? span : row;
            for (uint32_t d = 1; d <= dim; d++)
                bytes *= d == dim ? map->box[d] / parts : map->box[d];
            bool alone = slices == 1;
            if (slices <= blocks && slices > best && (alone || bytes % 128 == 0) && row % 16 == 0)
                best = (uint32_t)slices;
        }
    return best;
}

static void test_multicast_most(void **state)
{
    uint64_t seed = test_seed("most slices");
    for (uint64_t i = 0; i < test_iterations(400); i++) {
        zlay_tensormap map;
        zlay_multicast m;
        zlay_multicast_request r = cluster_tile(&seed, &map);
        assert_int_equal(zlay_multicast_synth(*state, &m, target_of("sm_90a"), &r), ZLAY_OK);
        uint32_t most = most_slices(&map, r.cluster);
        if (m.slices != most)
            fail_msg("%u slices, not %u, of box %u %u %u %u %u, swizzle %d, for %u blocks",
                     m.slices, most, map.box[0], map.box[1], map.box[2], map.box[3], map.box[4],
                     (int)map.swizzle, r.cluster);
    }
}

/* Every copy of a synthesised tile, divided among blocks: all that the copies as they are would
 * bring, at every block. */
static void check_tile(zlay_ctx *ctx, const char *text, const uint64_t shape[2], uint32_t blocks)
{
    const zlay_target *target = target_of("sm_90a");
    zlay_layout *source = NULL;
    zlay_move *move = NULL;
    zlay_copy copy;
    assert_int_equal(zlay_layout_parse(ctx, &source, text, strlen(text)), ZLAY_OK);
    zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .source = source,
                                .shape = {shape[0], shape[1]}, .axes = 2};
    if (zlay_tensormap_synth(ctx, &move, target, &r)) fail_msg("%s", zlay_ctx_message(ctx));
    for (uint32_t i = 0; !zlay_move_copy_nth(&copy, move, i); i++) {
        zlay_tensormap map;
        uint64_t seed = 5;
        assert_int_equal(zlay_move_map_nth(&map, move, copy.map), ZLAY_OK);
        zlay_multicast_request m = {.size = sizeof m, .cluster = blocks, .map = &map,
                                    .cta_mask = (1u << blocks) - 1, .smem = copy.smem};
        memcpy(m.coordinate, copy.coordinate, sizeof m.coordinate);
        check_multicast(ctx, &m, &seed);
    }
    zlay_move_free(move);
    zlay_layout_free(source);
}

static void test_multicast_of_tiles(void **state)
{
    static const uint64_t shapes[][2] = {{64, 64}, {128, 64}, {64, 128}, {32, 96}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (uint32_t blocks = 2; blocks <= 8; blocks *= 2) {
            check_tile(*state, "(256,256):(256,1)", shapes[i], blocks);
            check_tile(*state, "(256,200):(1,264)", shapes[i], blocks);
        }
}

static void test_multicast_refused(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_tensormap map = example_map();
    zlay_multicast m;
    const zlay_target *target = target_of("sm_90a");
    zlay_multicast_request good = {.size = sizeof good, .cluster = 4, .cta_mask = 15, .map = &map};
    zlay_multicast_request r = good;
    r.cta_mask = 16;
    assert_int_equal(zlay_multicast_synth(ctx, &m, target, &r), ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(ctx), "COPY_MASK_CLUSTER"));
    r.cta_mask = 0;
    assert_int_equal(zlay_multicast_synth(ctx, &m, target, &r), ZLAY_EINVAL);
    r = good;
    r.smem = 64;
    assert_int_equal(zlay_multicast_synth(ctx, &m, target, &r), ZLAY_NONE);
    r = good;
    r.coordinate[0] = 4;
    assert_int_equal(zlay_multicast_synth(ctx, &m, target, &r), ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(ctx), "COPY_COORDINATE_16"));
    r = good;
    r.reserved[3] = 1;
    assert_int_equal(zlay_multicast_synth(ctx, &m, target, &r), ZLAY_EINVAL);
    r = good;
    r.map = NULL;
    assert_int_equal(zlay_multicast_synth(ctx, &m, target, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_multicast_synth(ctx, &m, target_of("sm_80"), &good), ZLAY_NONE);
    map.rank = 0;
    assert_int_equal(zlay_multicast_synth(ctx, &m, target, &good), ZLAY_NONE);
    map.rank = 6;
    assert_int_equal(zlay_multicast_synth(ctx, &m, target, &good), ZLAY_NONE);
    map.mode = 1;
    assert_int_equal(zlay_multicast_synth(ctx, &m, target, &good), ZLAY_ENOTSUP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multicast_example), cmocka_unit_test(test_multicast_random),
        cmocka_unit_test(test_multicast_interleaved), cmocka_unit_test(test_multicast_most),
        cmocka_unit_test(test_multicast_of_tiles), cmocka_unit_test(test_multicast_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
