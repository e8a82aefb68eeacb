/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles that blocks share, replayed in the CPU model for every block; the printed text of these and of
 * exchanges, executed and assembled. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */
#include "assembler.h"
#include "clusters.h"
#include "heap.h"
#include "layout.h"
#include "legality.h"
#include "ptx-machine.h"

#include <stdbool.h>

enum { SMEM = 48 * 1024, ORIGIN = 0, BLOCKS = 8, PATTERN = 0x5a };

/* ---- multicast -------------------------------------------------------------------- */

/* The example of zlay/cluster.h. */
static zlay_tensormap example_map(void)
{
    zlay_tensormap map = {.type = ZLAY_TYPE_BF16, .rank = 2, .address = 1 << 20, .swizzle = 3,
                          .extent = {4096, 4096}, .stride = {8192}, .box = {64, 64},
                          .step = {1, 1}};
    return map;
}

static void test_multicast_example(void **state)
{
    zlay_tensormap map = example_map();
    zlay_multicast_request r = {.size = sizeof r, .cluster = 4, .cta_mask = 15, .map = &map};
    zlay_multicast m;
    zlay_issue issue;
    assert_int_equal(zlay_multicast_synth(*state, &m, target("sm_90a"), &r), ZLAY_OK);
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

typedef struct blocks {
    zlay_sim_smem smem[BLOCKS], whole;
    zlay_sim_global global;
} cluster;

static void blocks_begin(cluster *b, uint64_t *seed, const zlay_tensormap *map)
{
    for (int i = 0; i <= BLOCKS; i++) {
        zlay_sim_smem *one = i < BLOCKS ? &b->smem[i] : &b->whole;
        *one = (zlay_sim_smem){malloc(SMEM), SMEM, ORIGIN};
        assert_non_null(one->bytes);
        memset(one->bytes, PATTERN, SMEM);
    }
    b->global.size = 16;
    for (uint32_t d = 0; d < map->rank; d++)
        b->global.size += (d ? map->stride[d - 1] : 8) * map->extent[d];
    b->global.bytes = malloc(b->global.size);
    assert_non_null(b->global.bytes);
    for (uint64_t i = 0; i < b->global.size; i++) b->global.bytes[i] = (uint8_t)test_random(seed);
}

static void blocks_end(cluster *b)
{
    for (int i = 0; i < BLOCKS; i++) free(b->smem[i].bytes);
    free(b->whole.bytes);
    free(b->global.bytes);
}

/* Every block of the mask holds what one copy of the whole tile would bring, the others nothing. */
static void check_multicast(zlay_ctx *ctx, const zlay_multicast_request *r, uint64_t *seed)
{
    zlay_multicast m;
    cluster b;
    int32_t fault = 0;
    uint32_t bytes = 0, all = 0;
    zlay_issue issue;
    if (zlay_multicast_synth(ctx, &m, target("sm_90a"), r))
        fail_msg("%s", zlay_ctx_message(ctx));
    blocks_begin(&b, seed, r->map);
    for (uint32_t i = 0; !zlay_multicast_issue(&issue, &m, i); i++) {
        assert_true(m.cta_mask >> issue.cta & 1);
        assert_int_equal(zlay_sim_tensor_multicast(&fault, &bytes, b.smem, r->cluster,
                                                   (uint32_t)issue.cta_mask, (uint32_t)issue.smem,
                                                   &m.map, &b.global, issue.coordinate), ZLAY_OK);
        assert_int_equal(fault, 0);
        assert_int_equal(bytes, m.slice_count);
        all += bytes;
    }
    assert_int_equal(all, m.expect);
    assert_int_equal(zlay_sim_tensor_load(&fault, &bytes, &b.whole, r->smem, r->map, &b.global,
                                          r->coordinate), ZLAY_OK);
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
        if (zlay_multicast_synth(*state, &m, target("sm_90a"), &r)) continue;
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
        assert_int_equal(zlay_multicast_synth(*state, &m, target("sm_90a"), &r), ZLAY_OK);
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
    const zlay_target *sm_90a = target("sm_90a");
    zlay_layout *source = NULL;
    zlay_move *move = NULL;
    zlay_copy copy;
    assert_int_equal(zlay_layout_parse(ctx, &source, text, strlen(text)), ZLAY_OK);
    zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .source = source,
                                .shape = {shape[0], shape[1]}, .axes = 2};
    if (zlay_tensormap_synth(ctx, &move, sm_90a, &r)) fail_msg("%s", zlay_ctx_message(ctx));
    for (uint32_t i = 0; !zlay_move_copy(&copy, move, i); i++) {
        zlay_tensormap map;
        uint64_t seed = 5;
        assert_int_equal(zlay_move_map(&map, move, copy.map), ZLAY_OK);
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
    const zlay_target *sm_90a = target("sm_90a");
    zlay_multicast_request good = {.size = sizeof good, .cluster = 4, .cta_mask = 15, .map = &map};
    zlay_multicast_request r = good;
    r.cta_mask = 16;
    assert_int_equal(zlay_multicast_synth(ctx, &m, sm_90a, &r), ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(ctx), "COPY_MASK_CLUSTER"));
    r.cta_mask = 0;
    assert_int_equal(zlay_multicast_synth(ctx, &m, sm_90a, &r), ZLAY_EINVAL);
    r = good;
    r.smem = 64;
    assert_int_equal(zlay_multicast_synth(ctx, &m, sm_90a, &r), ZLAY_NONE);
    r = good;
    r.coordinate[0] = 4;
    assert_int_equal(zlay_multicast_synth(ctx, &m, sm_90a, &r), ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(ctx), "COPY_COORDINATE_16"));
    r = good;
    r.reserved[3] = 1;
    assert_int_equal(zlay_multicast_synth(ctx, &m, sm_90a, &r), ZLAY_EINVAL);
    r = good;
    r.map = NULL;
    assert_int_equal(zlay_multicast_synth(ctx, &m, sm_90a, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_multicast_synth(ctx, &m, target("sm_80"), &good), ZLAY_NONE);
    map.rank = 0;
    assert_int_equal(zlay_multicast_synth(ctx, &m, sm_90a, &good), ZLAY_NONE);
    map.rank = 6;
    assert_int_equal(zlay_multicast_synth(ctx, &m, sm_90a, &good), ZLAY_NONE);
    map.mode = 1;
    assert_int_equal(zlay_multicast_synth(ctx, &m, sm_90a, &good), ZLAY_ENOTSUP);
}

static zlay_status multicast_work(zlay_ctx *ctx, void *request)
{
    zlay_multicast m;
    return zlay_multicast_synth(ctx, &m, target("sm_90a"), request);
}

static void test_allocation_failures(void **state)
{
    zlay_tensormap map = example_map();
    zlay_multicast_request r = {.size = sizeof r, .cluster = 4, .cta_mask = 15, .map = &map};
    heap h;
    zlay_ctx *ctx = heap_ctx(&h);
    (void)state;
    assert_int_equal(heap_each(&h, ctx, multicast_work, &r), ZLAY_OK);
    heap_end(&h, ctx);
}

/* ---- the text, executed ---------------------------------------------------------------- */

enum { TO = 1 << 28, FROM = 1 << 24, THREADS = 128, TEXT = 1 << 18 };

static pm_machine *machine_of(const char *text, uint8_t *from, uint64_t from_size, uint8_t *to,
                              uint64_t to_size)
{
    pm_machine *m = pm_new(text);
    m->memories = 2;
    m->memory[0] = (pm_memory){FROM, from_size, from};
    m->memory[1] = (pm_memory){TO, to_size, to};
    return m;
}

typedef struct tile {
    const zlay_multicast *plan;
    zlay_sim_global global;
    uint32_t issues;
} tile;

/* A tensor copy of the text: what it says is done by the CPU model, for each block of its mask. */
static void tensor_copy(pm_machine *m, pm_thread *t, const pm_line *l)
{
    tile *x = m->test;
    zlay_sim_smem smem[PM_BLOCKS];
    int32_t coordinate[5] = {0}, fault = 0;
    uint32_t rank = x->plan->map.rank, bytes = 0;
    for (uint32_t i = 0; i < m->blocks; i++)
        smem[i] = (zlay_sim_smem){m->shared[i], PM_SHARED, 0};
    for (uint32_t d = 0; d < rank; d++)
        coordinate[d] = (int32_t)pm_get(t, &l->operand[2 + d]);
    uint32_t mask = (uint32_t)pm_get(t, &l->operand[3 + rank]);
    assert_int_equal(zlay_sim_tensor_multicast(&fault, &bytes, smem, m->blocks, mask,
                                               (uint32_t)pm_get(t, &l->operand[0]), &x->plan->map,
                                               &x->global, coordinate), ZLAY_OK);
    assert_int_equal(fault, 0);
    for (uint32_t i = 0; i < m->blocks; i++)
        if (mask >> i & 1) m->landed[i] += bytes;
    x->issues++;
}

static void run_multicast(zlay_ctx *ctx, uint64_t *seed)
{
    static char text[TEXT];
    static const char *const names[] = {"tensor", "ptr_to"};
    const uint64_t values[] = {0, TO};
    zlay_tensormap map;
    cluster b;
    int32_t fault = 0;
    uint32_t bytes = 0;
    zlay_multicast m;
    zlay_multicast_request r;
    r = cluster_tile(seed, &map);
    if (test_range(seed, 0, 2) == 0) r.cta_mask = (uint32_t)test_range(seed, 1, r.cta_mask);
    assert_int_equal(zlay_multicast_synth(ctx, &m, target("sm_90a"), &r), ZLAY_OK);
    zlay_buf buf = {text, sizeof text, 0};
    assert_int_equal(zlay_emit_multicast(ctx, &buf, target("sm_90a"), &m, "moved", 5), ZLAY_OK);
    blocks_begin(&b, seed, &map);
    memset(b.whole.bytes, 0x5a, SMEM);
    assert_int_equal(zlay_sim_tensor_load(&fault, &bytes, &b.whole, r.smem, &map, &b.global,
                                          r.coordinate), ZLAY_OK);
    uint32_t size = m.slices * m.slice_bytes;
    uint8_t *to = calloc(r.cluster, size);
    assert_non_null(to);
    tile x = {.plan = &m, .global = b.global};
    pm_machine *machine = machine_of(text, b.global.bytes, b.global.size, to, r.cluster * size);
    machine->tensor = tensor_copy;
    machine->test = &x;
    pm_cluster(machine, 0, r.cluster, THREADS, names, values);
    assert_int_equal(x.issues, m.slices);
    for (uint32_t i = 0; i < r.cluster; i++)
        for (uint32_t at = 0; at < size; at++)
            assert_int_equal(to[i * size + at],
                             r.cta_mask >> i & 1 ? b.whole.bytes[r.smem + at] : 0x5a);
    pm_free(machine);
    free(to);
    blocks_end(&b);
}

static void run_exchange(zlay_ctx *ctx, uint64_t *seed, uint64_t *odd, uint64_t *bulk)
{
    static char text[TEXT];
    static const char *const names[] = {"ptr_from", "ptr_to"};
    const uint64_t values[] = {FROM, TO};
    uint32_t bits[2][4], outs = (uint32_t)test_range(seed, 2, 7);
    uint32_t ranks = (uint32_t)test_range(seed, 1, 3), run = 0;
    if (test_range(seed, 0, 1)) run = (uint32_t)test_range(seed, 1, 4);
    if (outs < run + ranks) outs = run + ranks;
    for (int s = 0; s < 2; s++) {
        for (int d = 0; d < 3; d++) bits[s][d] = (uint32_t)test_range(seed, 0, 2);
        bits[s][0] = bits[s][0] < run ? run : bits[s][0];
        bits[s][3] = ranks;
        while (bits[s][0] + bits[s][1] + bits[s][2] + ranks < outs) bits[s][0]++;
    }
    zlay_layout *source = cluster_layout(seed, ctx, bits[0], outs, run);
    zlay_layout *dest = cluster_layout(seed, ctx, bits[1], outs, run);
    zlay_exchange *x = NULL;
    zlay_exchange_info info;
    zlay_buf buf = {text, sizeof text, 0};
    assert_int_equal(zlay_exchange_synth(ctx, &x, source, dest), ZLAY_OK);
    assert_int_equal(zlay_exchange_get(&info, x), ZLAY_OK);
    assert_int_equal(zlay_emit_exchange(ctx, &buf, target("sm_90a"), x, "moved", 5), ZLAY_OK);
    *odd += strstr(text, "setp.eq.u32 p, rank,") != NULL;
    *bulk += strstr(text, "cp.async.bulk") != NULL;
    uint64_t held = zlay_layout_size(source), slots = zlay_layout_size(dest);
    uint32_t *from = calloc(held, 4), *to = calloc(slots, 4);
    for (uint64_t i = 0; i < held; i++) from[i] = 1000 + (uint32_t)layout_at(source, i);
    pm_machine *machine = machine_of(text, (uint8_t *)from, held * 4, (uint8_t *)to, slots * 4);
    pm_cluster(machine, 0, info.blocks, THREADS, names, values);
    uint64_t pushed = 0;
    for (uint32_t i = 0; i < info.blocks; i++) pushed += machine->landed[i] / 4;
    assert_int_equal(pushed, info.crossing);
    for (uint64_t i = 0; i < slots; i++) assert_int_equal(to[i], 1000 + (uint64_t)layout_at(dest, i));
    pm_free(machine);
    free(from);
    free(to);
    zlay_exchange_free(x);
    zlay_layout_free(source);
    zlay_layout_free(dest);
}

static void test_texts_executed(void **state)
{
    uint64_t seed = test_seed("texts of clusters"), odd = 0, bulk = 0;
    for (uint64_t i = 0; i < test_iterations(6); i++) run_multicast(*state, &seed);
    for (uint64_t i = 0; i < test_iterations(40); i++) run_exchange(*state, &seed, &odd, &bulk);
    assert_true(odd > 0 && bulk > 3);
}

/* ---- the assembler ------------------------------------------------------------------- */

static void test_assembles(void **state)
{
    static char text[1 << 18];
    static const char *const targets[] = {"sm_90a", "sm_100a"};
    uint64_t seed = test_seed("assembled clusters");
    const uint32_t bits[4] = {3, 5, 2, 2};
    zlay_buf buf = {text, sizeof text, 0};
    need_assembler();
    for (uint32_t i = 0; i < 12; i++) {
        const char *name = targets[i % 2];
        zlay_tensormap map;
        zlay_multicast m;
        zlay_multicast_request r = cluster_tile(&seed, &map);
        assert_int_equal(zlay_multicast_synth(*state, &m, target(name), &r), ZLAY_OK);
        assert_int_equal(zlay_emit_multicast(*state, &buf, target(name), &m, "moved", 5),
                         ZLAY_OK);
        if (!assembles(name, text)) fail_msg("%s", text);
    }
    for (uint32_t i = 0; i < 4; i++) {
        const char *name = targets[i % 2];
        zlay_layout *source = cluster_layout(&seed, *state, bits, 10, i / 2 * 3);
        zlay_layout *dest = cluster_layout(&seed, *state, bits, 10, i / 2 * 3);
        zlay_exchange *x = NULL;
        assert_int_equal(zlay_exchange_synth(*state, &x, source, dest), ZLAY_OK);
        assert_int_equal(zlay_emit_exchange(*state, &buf, target(name), x, "moved", 5), ZLAY_OK);
        if (!assembles(name, text)) fail_msg("%s", text);
        assert_int_equal(zlay_emit_exchange(*state, &buf, target("sm_80"), x, "moved", 5),
                         ZLAY_ENOTSUP);
        assert_int_equal(zlay_emit_exchange(*state, &buf, target(name), x, "mo ved", 6),
                         ZLAY_EINVAL);
        zlay_exchange_free(x);
        zlay_layout_free(source);
        zlay_layout_free(dest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multicast_example),   cmocka_unit_test(test_multicast_random),
        cmocka_unit_test(test_multicast_interleaved),
        cmocka_unit_test(test_multicast_most),      cmocka_unit_test(test_multicast_of_tiles),
        cmocka_unit_test(test_multicast_refused),    cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_texts_executed),      cmocka_unit_test(test_assembles)};
    return cmocka_run_group_tests(tests, begin, end);
}
