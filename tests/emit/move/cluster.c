/* SPDX-License-Identifier: Apache-2.0 */
/* The printed text of tiles that blocks share and of registers that change blocks: executed block by
 * block, and put to ptxas. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */
#include "assembler.h"
#include "blocks/blocks.h"
#include "plans/cluster_model.h"

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
    assert_int_equal(zlay_sim_tensor_multicast(&fault, &bytes, smem, m->blocks, mask, &x->global, &(zlay_sim_copy){.map = &x->plan->map, .coordinate = coordinate, .address = (uint32_t)pm_get(t, &l->operand[0])}), ZLAY_OK);
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
    assert_int_equal(zlay_sim_tensor_load(&fault, &bytes, &b.whole, &b.global, &(zlay_sim_copy){.map = &map, .coordinate = r.coordinate, .address = r.smem}), ZLAY_OK);
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
    zlay_exchange_summary info;
    zlay_buf buf = {text, sizeof text, 0};
    assert_int_equal(zlay_exchange_synth(ctx, &x, source, dest), ZLAY_OK);
    assert_int_equal(zlay_exchange_info(&info, x), ZLAY_OK);
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
        cmocka_unit_test(test_texts_executed), cmocka_unit_test(test_assembles),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
