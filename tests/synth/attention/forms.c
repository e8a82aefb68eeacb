/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of attention: the first candidate is what is planned, shared memory is what the printed kernel has, every candidate of some
 * requests is proved, a tile that is asked for is taken or refused by its field, and the bound counts the pairs one by one. */
#include "ctx.h"
#include "heap.h"

#include <math.h>
#include <stdbool.h>
#include <zlay/emit_pipe.h>

enum { ROOM = 256 };

static zlay_attention asked(uint32_t head, uint64_t queries, uint64_t keys)
{
    return (zlay_attention){.size = sizeof(zlay_attention), .head = head, .queries = queries, .keys = keys, .heads = 4};
}

/* The shared memory of the kernel that is printed. */
static uint32_t printed_smem(zlay_ctx *ctx, const zlay_attention_plan *plan)
{
    zlay_pipe_launch launch;
    zlay_buf buf = {NULL, 0, 0};
    const zlay_attention_emit ask = {.size = sizeof ask, .plan = plan, .name = "a", .name_length = 1};
    zlay_status status = zlay_emit_attention(ctx, &buf, &launch, NULL, 0, &ask);
    assert_int_equal(status, ZLAY_EROOM);
    char *text = malloc(buf.need + 1);
    buf = (zlay_buf){text, buf.need + 1, 0};
    assert_int_equal(zlay_emit_attention(ctx, &buf, &launch, NULL, 0, &ask), ZLAY_OK);
    free(text);
    return launch.smem;
}

static void assert_candidate(zlay_ctx *ctx, const zlay_target *target, const zlay_attention_candidate *c)
{
    const zlay_attention *a = &c->attention;
    zlay_attention_plan *plan;
    zlay_attention_summary info;
    if (zlay_attention_synth(ctx, &plan, target, a)) fail_msg("%s", zlay_ctx_message(ctx));
    assert_int_equal(zlay_attention_info(&info, plan), ZLAY_OK);
    assert_int_equal(info.tile_m, a->tile_m);
    assert_int_equal(info.tile_n, a->tile_n);
    assert_int_equal(info.stages, a->stages);
    assert_int_equal(printed_smem(ctx, plan), c->smem);
    zlay_attention_free(plan);
}

static void some_requests(zlay_ctx *ctx, const char *name, uint32_t head, int32_t type, uint32_t more)
{
    zlay_attention_candidate list[ROOM];
    zlay_attention a = asked(head, 1000, 1200);
    size_t count;
    a.type = type;
    a.causal = more & 1;
    if (type != ZLAY_TYPE_E4M3) a.lse = more >> 1 & 1;
    assert_int_equal(zlay_attention_candidates(ctx, list, ROOM, &count, target_of(name), &a), ZLAY_OK);
    assert_true(count && count <= ROOM);
    zlay_attention_plan *plan;
    zlay_attention_summary info;
    assert_int_equal(zlay_attention_synth(ctx, &plan, target_of(name), &a), ZLAY_OK);
    assert_int_equal(zlay_attention_info(&info, plan), ZLAY_OK);
    zlay_attention_free(plan);
    assert_true(info.tile_m == list[0].attention.tile_m && info.tile_n == list[0].attention.tile_n && info.stages == list[0].attention.stages);
    for (size_t i = 2; i < count; i++) assert_true(list[i].ns >= list[1].ns || !list[i].ns);
    for (size_t i = 0; i < count; i += count > 12 ? 1 + count / 12 : 1) assert_candidate(ctx, target_of(name), &list[i]);
}

static void each_is_planned(void **state)
{
    for (uint32_t head = 64; head <= 256; head *= 2)
        for (uint32_t more = 0; more < 4; more++) {
            some_requests(*state, "sm_90a", head, ZLAY_TYPE_BF16, more);
            some_requests(*state, "sm_90a", head, ZLAY_TYPE_E4M3, more);
            some_requests(*state, "sm_100a", head, ZLAY_TYPE_F16, more);
        }
}

/* Packed sequences, whose results leave by two buffers. */
static void sequences(void **state)
{
    zlay_attention_candidate list[ROOM];
    zlay_attention a = asked(128, 4096, 4096);
    size_t count;
    a.sequences = 8;
    assert_int_equal(zlay_attention_candidates(*state, list, ROOM, &count, target_of("sm_90a"), &a), ZLAY_OK);
    for (size_t i = 0; i < count; i += 9) assert_candidate(*state, target_of("sm_90a"), &list[i]);
}

/* What two times take that run beside each other. */
static double norm(double a, double b)
{
    return pow(pow(a, 4) + pow(b, 4), 0.25);
}

/* A modelled time is what its terms make, here in double; no less than the bound; and the model's order. */
static void assert_times(zlay_ctx *ctx, const zlay_attention *a)
{
    zlay_attention_candidate list[ROOM];
    zlay_machine machine;
    zlay_roofline bound;
    size_t count;
    assert_int_equal(zlay_machine_find(&machine, target_of("sm_90a")), ZLAY_OK);
    assert_int_equal(zlay_attention_bound(ctx, &bound, &machine, a), ZLAY_OK);
    assert_int_equal(zlay_attention_candidates(ctx, list, ROOM, &count, target_of("sm_90a"), a), ZLAY_OK);
    for (size_t i = 0; i < count; i++) {
        const zlay_attention_terms *t = &list[i].terms;
        double block = (double)t->block_ns, share = (double)list[i].blocks * block / 132 + (double)t->tail_ns;
        double time = !a->causal ? (double)t->waves * block : t->tail_ns ? share : (double)t->longest_ns;
        double ns = norm(time, (double)t->dram_ns) + (double)t->start_ns;
        assert_true((t->waves - 1) * t->at_once + t->last == list[i].blocks && t->last >= 1 && t->last <= t->at_once);
        if (fabs(ns - (double)list[i].ns) > 2 + ns / 200) fail_msg("%g, not %g", (double)list[i].ns, ns);
        assert_true(a->causal ? t->longest_ns >= t->block_ns : !t->longest_ns && !t->tail_ns);
        assert_true(t->tile_ns >= t->products_ns && t->tile_ns >= t->softmax_ns && t->block_ns * 1000 >= t->tiles_milli * t->tile_ns);
        assert_int_equal(t->dram_ns, bound.bytes_ns);
        assert_true(list[i].ns >= bound.ns);
        assert_true(i < 2 || list[i].ns >= list[i - 1].ns);
    }
}


static void times_are_sums_of_terms(void **state)
{
    for (uint32_t causal = 0; causal < 2; causal++)
        for (uint64_t queries = 1; queries < 20000; queries = queries * 3 + 7)
            for (uint64_t more = 0; more < 200000; more = more * 20 + 100) {
                zlay_attention a = asked(128, queries, queries + more);
                a.causal = causal;
                a.batch = more ? 16 : 1;
                assert_times(*state, &a);
                a.window = causal && more ? queries % 50 + 1 : 0;
                assert_times(*state, &a);
            }
}

static void tile_is_asked(void **state)
{
    static const struct {
        uint32_t m, n, stages;
        int32_t overlap;
        zlay_status status;
        const char *says;
    } rows[] = {
        {128, 160, 0, 0, ZLAY_OK, ""},
        {64, 0, 4, ZLAY_OVERLAP_NEVER, ZLAY_OK, ""},
        {96, 0, 0, 0, ZLAY_EINVAL, "tile_m: 96"},
        {0, 72, 0, 0, ZLAY_EINVAL, "tile_n: 72"},
        {0, 272, 0, 0, ZLAY_EINVAL, "tile_n: 272"},
        {0, 0, 1, 0, ZLAY_EINVAL, "stages: 1"},
        {0, 0, 0, 3, ZLAY_EINVAL, "overlap: 3"},
        {192, 256, 0, 0, ZLAY_ENOTSUP, "shared memory"},
        {192, 128, 2, 0, ZLAY_ENOTSUP, "registers"},
        {192, 112, 0, ZLAY_OVERLAP_ALWAYS, ZLAY_ENOTSUP, "registers"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_attention a = asked(128, 2048, 2048);
        zlay_attention_plan *plan;
        zlay_attention_summary info;
        a.tile_m = rows[i].m, a.tile_n = rows[i].n, a.stages = rows[i].stages, a.overlap = rows[i].overlap;
        assert_int_equal(zlay_attention_synth(*state, &plan, target_of("sm_90a"), &a), rows[i].status);
        if (rows[i].status) {
            assert_non_null(strstr(zlay_ctx_message(*state), rows[i].says));
            continue;
        }
        assert_int_equal(zlay_attention_info(&info, plan), ZLAY_OK);
        assert_true((!a.tile_m || info.tile_m == a.tile_m) && (!a.tile_n || info.tile_n == a.tile_n) && (!a.stages || info.stages == a.stages));
        zlay_attention_free(plan);
    }
}

static void other_targets(void **state)
{
    zlay_attention_candidate one;
    zlay_attention_plan *plan;
    zlay_attention a = asked(64, 512, 512);
    size_t count;
    assert_int_equal(zlay_attention_candidates(*state, &one, 1, &count, target_of("gfx942"), &a), ZLAY_OK);
    assert_int_equal(count, 1);
    a.tile_m = 128;
    assert_int_equal(zlay_attention_synth(*state, &plan, target_of("gfx942"), &a), ZLAY_ENOTSUP);
    a.tile_m = 64;
    assert_int_equal(zlay_attention_synth(*state, &plan, target_of("sm_100a"), &a), ZLAY_EINVAL);
    a.tile_m = 0, a.overlap = ZLAY_OVERLAP_ALWAYS;
    assert_int_equal(zlay_attention_synth(*state, &plan, target_of("sm_100a"), &a), ZLAY_ENOTSUP);
    assert_int_equal(zlay_attention_candidates(*state, NULL, 1, &count, target_of("sm_90a"), &a), ZLAY_EINVAL);
}

/* Pairs that a query sees, one by one. */
static uint64_t pairs(const zlay_attention *a)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < a->queries; i++)
        for (uint64_t k = 0; k < a->keys; k++) {
            uint64_t last = i + a->keys - a->queries;
            sum += !a->causal || (k <= last && (!a->window || k + a->window > last));
        }
    return sum;
}

/* Keys that any query sees, one by one. */
static uint64_t keys_seen(const zlay_attention *a)
{
    uint64_t sum = 0;
    for (uint64_t k = 0; k < a->keys; k++) {
        bool seen = false;
        for (uint64_t i = 0; i < a->queries && !seen; i++) {
            uint64_t last = i + a->keys - a->queries;
            seen = k <= last && (!a->window || k + a->window > last);
        }
        if (seen) sum++;
    }
    return sum;
}

static void bound_counts_pairs(void **state)
{
    zlay_machine machine;
    zlay_roofline bound;
    assert_int_equal(zlay_machine_find(&machine, target_of("sm_90a")), ZLAY_OK);
    for (uint64_t queries = 1; queries <= 40; queries += 3)
        for (uint64_t keys = queries; keys <= 60; keys += 7)
            for (uint64_t window = 0; window <= keys; window += 5) {
                zlay_attention a = asked(64, queries, keys);
                a.batch = 3, a.causal = 1, a.window = window;
                assert_int_equal(zlay_attention_bound(*state, &bound, &machine, &a), ZLAY_OK);
                assert_int_equal(bound.exponents, 12 * pairs(&a));
                assert_int_equal(bound.products, 2 * 64 * bound.exponents);
                assert_int_equal(bound.bytes, 2 * 12 * 64 * 2 * (queries + keys_seen(&a)));
            }
    zlay_attention packed = asked(64, 64, 64);
    packed.q_lengths = packed.k_lengths = ZLAY_LENGTHS_PACKED;
    assert_int_equal(zlay_attention_bound(*state, &bound, &machine, &packed), ZLAY_NONE);
    assert_int_equal(zlay_attention_bound(*state, NULL, &machine, &packed), ZLAY_EINVAL);
}

/* A caller's machine may have any number: what time would be divided by is at least 1. */
static void other_machines(void **state)
{
    static const int32_t facts[] = {ZLAY_MACHINE_PROCESSORS, ZLAY_MACHINE_DRAM_KILOCYCLE, ZLAY_MACHINE_CLOCK_KHZ, ZLAY_MACHINE_CLOCK_MOST_KHZ};
    const zlay_roofline none = {0};
    zlay_machine machine;
    zlay_roofline bound;
    zlay_attention a = asked(64, 64, 64);
    zlay_gemm g = {.size = sizeof g, .m = 64, .n = 64, .k = 64};
    for (int i = 0; i < 12; i++) {
        int64_t value = i % 2 ? INT64_MIN : 0;
        zlay_machine_find(&machine, target_of("sm_90a"));
        if (i < 8) machine.facts[facts[i / 2]].value = value;
        for (uint32_t k = 0; k < machine.forms_count && i / 2 == 4; k++) machine.forms[k].occupancy_milli = value;
        if (i / 2 == 5) machine.units[ZLAY_UNIT_TENSOR].value = value;
        assert_int_equal(zlay_attention_bound(*state, &bound, &machine, &a), ZLAY_EINVAL);
        assert_non_null(strstr(zlay_ctx_message(*state), "machine: "));
        assert_memory_equal(&bound, &none, sizeof none);
        assert_int_equal(zlay_gemm_bound(*state, &bound, &machine, &g), ZLAY_EINVAL);
        assert_memory_equal(&bound, &none, sizeof none);
    }
    zlay_machine_find(&machine, target_of("sm_90a"));
    machine.facts[ZLAY_MACHINE_PROCESSORS].basis = 0;
    assert_int_equal(zlay_gemm_bound(*state, &bound, &machine, &g), ZLAY_NONE);
}

static void is_printed(void **state)
{
    static char text[1 << 16];
    zlay_attention_plan *plan;
    zlay_attention a = asked(128, 512, 512);
    zlay_buf buf = {text, sizeof text, 0};
    a.tile_m = a.tile_n = 128;
    assert_int_equal(zlay_attention_synth(*state, &plan, target_of("sm_90a"), &a), ZLAY_OK);
    assert_int_equal(zlay_attention_print(&buf, plan), ZLAY_OK);
    assert_non_null(strstr(text, "tile 128 queries x 128 keys"));
    assert_non_null(strstr(text, "SMEM_BLOCK               smem = 180296"));
    assert_non_null(strstr(text, "box {64, 128}, swizzle 128 bytes"));
    assert_null(strstr(text, "BROKEN"));
    assert_int_equal(zlay_attention_print(&buf, NULL), ZLAY_EINVAL);
    zlay_attention_free(plan);
}

static zlay_status work(zlay_ctx *ctx, void *given)
{
    zlay_attention_candidate one;
    size_t count;
    zlay_attention a = asked(64, 100, 100);
    (void)given;
    return zlay_attention_candidates(ctx, &one, 1, &count, target_of("sm_90a"), &a);
}

static void memory_ends(void **state)
{
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    (void)state;
    assert_int_equal(heap_fails_each(&h, ctx, work, NULL), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_planned), cmocka_unit_test(sequences), cmocka_unit_test(tile_is_asked),
        cmocka_unit_test(times_are_sums_of_terms), cmocka_unit_test(other_targets),
        cmocka_unit_test(bound_counts_pairs), cmocka_unit_test(other_machines), cmocka_unit_test(is_printed), cmocka_unit_test(memory_ends),
    };
    return cmocka_run_group_tests_name("synth/attention/forms", tests, begin, end);
}
