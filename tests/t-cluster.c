/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles that blocks share, replayed in the CPU model for every block; registers that change blocks,
 * against what enumeration says has to cross. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */
#include "assembler.h"
#include "clusters.h"
#include "ctx.h"
#include "heap.h"
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
    if (zlay_multicast_synth(ctx, &m, target_of("sm_90a"), r))
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

/* ---- exchanges ---------------------------------------------------------------------- */

static uint64_t element(const zlay_layout *a, uint64_t slot)
{
    int64_t value;
    assert_int_equal(zlay_layout_eval(&value, 1, a, slot), ZLAY_OK);
    return (uint64_t)value;
}

/* The slot's index from the route's outputs, block last and highest. */
static uint64_t served_from(const zlay_layout *route, uint64_t slot, const uint32_t bits[4])
{
    int64_t v[4];
    assert_int_equal(zlay_layout_eval(v, 4, route, slot), ZLAY_OK);
    return (uint64_t)v[0] | (uint64_t)v[1] << bits[0] | (uint64_t)v[2] << (bits[0] + bits[1]) |
           (uint64_t)v[3] << (bits[0] + bits[1] + bits[2]);
}

typedef struct tally {
    uint64_t wanted, crossing, partners;
} tally;

/* By enumeration: which blocks hold and want each element. */
static tally tally_of(const zlay_layout *source, const zlay_layout *dest, uint32_t bits[2][4],
                      uint32_t outs)
{
    uint32_t *held = calloc((size_t)1 << outs, sizeof *held);
    uint32_t *want = calloc((size_t)1 << outs, sizeof *want);
    tally t = {0, 0, 0};
    for (int side = 0; side < 2; side++) {
        const zlay_layout *a = side ? dest : source;
        uint32_t inner = bits[side][0] + bits[side][1] + bits[side][2];
        for (uint64_t i = 0; i < zlay_layout_size(a); i++)
            (side ? want : held)[element(a, i)] |= 1u << (i >> inner);
    }
    for (uint64_t e = 0; e < (uint64_t)1 << outs; e++) {
        t.wanted += (uint64_t)__builtin_popcount(want[e]);
        t.crossing += (uint64_t)__builtin_popcount(want[e] & ~held[e]);
    }
    free(held);
    free(want);
    return t;
}

/* Every slot gets its element, from its own block where that has it, and no element goes to one
 * block from two places. */
static void check_route(const zlay_exchange *x, const zlay_layout *source, const zlay_layout *dest,
                        uint32_t bits[2][4], uint32_t outs, tally want)
{
    const zlay_layout *route = zlay_exchange_route(x);
    uint32_t inner[2];
    for (int s = 0; s < 2; s++) inner[s] = bits[s][0] + bits[s][1] + bits[s][2];
    uint64_t *from = calloc((size_t)1 << (outs + 4), sizeof *from), crossing = 0, partners = 1;
    for (uint64_t i = 0; i < zlay_layout_size(dest); i++) {
        uint64_t slot = served_from(route, i, bits[0]), block = i >> inner[1];
        uint64_t e = element(dest, i), place = e << 4 | block, other = slot >> inner[0];
        assert_int_equal(element(source, slot), e);
        if (from[place]) assert_int_equal(from[place], slot + 1);
        if (!from[place] && other != block) crossing++;
        from[place] = slot + 1;
        partners |= (uint64_t)1 << (other ^ block);
    }
    free(from);
    zlay_exchange_info info;
    assert_int_equal(zlay_exchange_get(&info, x), ZLAY_OK);
    assert_int_equal(crossing, want.crossing);
    assert_int_equal(info.crossing, want.crossing);
    assert_int_equal(info.wanted, want.wanted);
    assert_int_equal(info.partners, partners);
}

static void test_exchange_random(void **state)
{
    uint64_t seed = test_seed("exchanges"), crossing = 0, staying = 0;
    for (uint64_t i = 0; i < test_iterations(300); i++) {
        uint32_t bits[2][4], outs = (uint32_t)test_range(&seed, 2, 8);
        uint32_t blocks = (uint32_t)test_range(&seed, 0, 3);
        for (int s = 0; s < 2; s++) {
            for (int d = 0; d < 3; d++) bits[s][d] = (uint32_t)test_range(&seed, 1, 3);
            bits[s][3] = blocks;
            while (bits[s][0] + bits[s][1] + bits[s][2] + blocks < outs) bits[s][0]++;
        }
        zlay_layout *source = cluster_layout(&seed, *state, bits[0], outs, 0);
        zlay_layout *dest = cluster_layout(&seed, *state, bits[1], outs, 0);
        zlay_exchange *x = NULL;
        if (zlay_exchange_synth(*state, &x, source, dest)) fail_msg("%s", zlay_ctx_message(*state));
        tally t = tally_of(source, dest, bits, outs);
        check_route(x, source, dest, bits, outs, t);
        crossing += t.crossing > 0;
        staying += t.crossing < t.wanted;
        zlay_exchange_free(x);
        zlay_layout_free(source);
        zlay_layout_free(dest);
    }
    assert_true(crossing > 20 && staying > 20);
}

/* The bytes that a conversion reads from other blocks, found by another road: as many where dest has
 * no element twice, and never fewer. */
static void test_exchange_conversion(void **state)
{
    uint64_t seed = test_seed("conversions"), same = 0;
    for (uint64_t i = 0; i < test_iterations(60); i++) {
        uint32_t bits[2][4] = {{2, 5, 1, 1}, {1, 5, 1, 1}}, outs = 8, rank = 0;
        bits[0][3] = bits[1][3] = (uint32_t)test_range(&seed, 1, 3);
        outs = 7 + bits[0][3] - (uint32_t)test_range(&seed, 0, 1);
        zlay_layout *source = cluster_layout(&seed, *state, bits[0], outs, 0);
        zlay_layout *dest = cluster_layout(&seed, *state, bits[1], outs, 0);
        zlay_convert_request r = {.size = sizeof r, .elem_bits = 32, .src = source, .dst = dest};
        zlay_exchange *x = NULL;
        zlay_convert *c = NULL;
        zlay_exchange_info least;
        zlay_convert_info plan;
        assert_int_equal(zlay_exchange_synth(*state, &x, source, dest), ZLAY_OK);
        assert_int_equal(zlay_exchange_get(&least, x), ZLAY_OK);
        assert_int_equal(zlay_convert_synth(*state, &c, target_of("sm_90a"), &r), ZLAY_OK);
        assert_int_equal(zlay_convert_get(&plan, c), ZLAY_OK);
        assert_int_equal(zlay_f2_rank(&rank, dest), ZLAY_OK);
        bool once = (uint64_t)1 << rank == zlay_layout_size(dest);
        assert_true(plan.remote >= 4 * least.crossing);
        if (once) assert_int_equal(plan.remote, 4 * least.crossing);
        same += once && least.crossing;
        zlay_exchange_free(x);
        zlay_convert_free(c);
        zlay_layout_free(source);
        zlay_layout_free(dest);
    }
    assert_true(same > 0);
}

static void test_exchange_example(void **state)
{
    zlay_exchange_info info;
    zlay_exchange *x = NULL;
    zlay_layout *source = read_layout(*state, "f2{thread: (1); block: (2) -> tensor: 4}");
    zlay_layout *dest = read_layout(*state, "f2{thread: (2); block: (1) -> tensor: 4}");
    const zlay_layout *a, *b;
    zlay_answer answer;
    assert_int_equal(zlay_exchange_synth(*state, &x, source, dest), ZLAY_OK);
    assert_int_equal(zlay_exchange_get(&info, x), ZLAY_OK);
    assert_int_equal(info.blocks, 2);
    assert_int_equal(info.wanted, 4);
    assert_int_equal(info.crossing, 2);
    assert_int_equal(info.partners, 3);
    assert_int_equal(zlay_exchange_certificate(&a, &b, x), ZLAY_OK);
    assert_int_equal(zlay_layout_equal(*state, &answer, NULL, a, b), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    zlay_exchange_free(x);
    zlay_layout_free(source);
    zlay_layout_free(dest);
}

static void test_exchange_refused(void **state)
{
    static const struct {
        const char *source, *dest;
        zlay_status status;
        const char *word;
    } rows[] = {
        {"f2{thread: (1) -> tensor: 4}", "f2{block: (1) -> tensor: 4}", ZLAY_EINVAL, "block"},
        {"f2{block: (1) -> tensor: 4}", "f2{block: (1) (2) -> tensor: 4}", ZLAY_EINVAL, "blocks"},
        {"f2{block: (1) -> tensor: 4}", "f2{block: (1) -> other: 4}", ZLAY_EINVAL, "outputs"},
        {"f2{block: (1) -> tensor: 4}", "f2{block: (2) -> tensor: 4}", ZLAY_NONE, ""},
        {"8:1", "f2{block: (1) -> tensor: 4}", ZLAY_EINVAL, "source"},
        {"f2{block: (1) (2) (4) (8) (16) -> t: 32}", "f2{block: (1) (2) (4) (8) (16) -> t: 32}",
         ZLAY_EINVAL, "16"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zlay_layout *source = read_layout(*state, rows[i].source);
        zlay_layout *dest = read_layout(*state, rows[i].dest);
        zlay_exchange *x = NULL;
        zlay_status status = zlay_exchange_synth(*state, &x, source, dest);
        if (status != rows[i].status || x || !strstr(zlay_ctx_message(*state), rows[i].word))
            fail_msg("row %zu: %s: %s", i, zlay_status_name(status), zlay_ctx_message(*state));
        zlay_layout_free(source);
        zlay_layout_free(dest);
    }
}

static zlay_status exchange_and_multicast(zlay_ctx *ctx, void *given)
{
    zlay_layout *const *layout = given;
    zlay_tensormap map = example_map();
    zlay_multicast_request r = {.size = sizeof r, .cluster = 4, .cta_mask = 15, .map = &map};
    zlay_multicast m;
    zlay_exchange *x = NULL;
    zlay_status status = zlay_exchange_synth(ctx, &x, layout[0], layout[1]);
    assert_true((status == ZLAY_OK) == (x != NULL));
    zlay_exchange_free(x);
    return status ? status : zlay_multicast_synth(ctx, &m, target_of("sm_90a"), &r);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    const uint32_t bits[4] = {2, 2, 1, 2};
    uint64_t seed = 3;
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    zlay_layout *layout[2];
    for (int i = 0; i < 2; i++) layout[i] = cluster_layout(&seed, ctx, bits, 6, 0);
    assert_int_equal(heap_fails_each(&h, ctx, exchange_and_multicast, layout), ZLAY_OK);
    for (int i = 0; i < 2; i++) zlay_layout_free(layout[i]);
    heap_close(&h, ctx);
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
    assert_int_equal(zlay_multicast_synth(ctx, &m, target_of("sm_90a"), &r), ZLAY_OK);
    zlay_buf buf = {text, sizeof text, 0};
    assert_int_equal(zlay_emit_multicast(ctx, &buf, target_of("sm_90a"), &m, "moved", 5), ZLAY_OK);
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
    assert_int_equal(zlay_emit_exchange(ctx, &buf, target_of("sm_90a"), x, "moved", 5), ZLAY_OK);
    *odd += strstr(text, "setp.eq.u32 p, rank,") != NULL;
    *bulk += strstr(text, "cp.async.bulk") != NULL;
    uint64_t held = zlay_layout_size(source), slots = zlay_layout_size(dest);
    uint32_t *from = calloc(held, 4), *to = calloc(slots, 4);
    for (uint64_t i = 0; i < held; i++) from[i] = 1000 + (uint32_t)element(source, i);
    pm_machine *machine = machine_of(text, (uint8_t *)from, held * 4, (uint8_t *)to, slots * 4);
    pm_cluster(machine, 0, info.blocks, THREADS, names, values);
    uint64_t pushed = 0;
    for (uint32_t i = 0; i < info.blocks; i++) pushed += machine->landed[i] / 4;
    assert_int_equal(pushed, info.crossing);
    for (uint64_t i = 0; i < slots; i++) assert_int_equal(to[i], 1000 + element(dest, i));
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
        assert_int_equal(zlay_multicast_synth(*state, &m, target_of(name), &r), ZLAY_OK);
        assert_int_equal(zlay_emit_multicast(*state, &buf, target_of(name), &m, "moved", 5),
                         ZLAY_OK);
        if (!assembles(name, text)) fail_msg("%s", text);
    }
    for (uint32_t i = 0; i < 4; i++) {
        const char *name = targets[i % 2];
        zlay_layout *source = cluster_layout(&seed, *state, bits, 10, i / 2 * 3);
        zlay_layout *dest = cluster_layout(&seed, *state, bits, 10, i / 2 * 3);
        zlay_exchange *x = NULL;
        assert_int_equal(zlay_exchange_synth(*state, &x, source, dest), ZLAY_OK);
        assert_int_equal(zlay_emit_exchange(*state, &buf, target_of(name), x, "moved", 5), ZLAY_OK);
        if (!assembles(name, text)) fail_msg("%s", text);
        assert_int_equal(zlay_emit_exchange(*state, &buf, target_of("sm_80"), x, "moved", 5),
                         ZLAY_ENOTSUP);
        assert_int_equal(zlay_emit_exchange(*state, &buf, target_of(name), x, "mo ved", 6),
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
        cmocka_unit_test(test_multicast_refused),   cmocka_unit_test(test_exchange_example),
        cmocka_unit_test(test_exchange_random),     cmocka_unit_test(test_exchange_conversion),
        cmocka_unit_test(test_exchange_refused),    cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_texts_executed),      cmocka_unit_test(test_assembles)};
    return cmocka_run_group_tests(tests, begin, end);
}
