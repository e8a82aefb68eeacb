/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of attention: the one by hand, what is refused and why, and memory that ends. Their kernels are executed in
 * tests/emit/attention/run.c. */
#include "ctx.h"
#include "heap.h"

#include <stdio.h>

static zlay_attention asked(uint32_t head, uint64_t queries, uint64_t keys)
{
    return (zlay_attention){.size = sizeof(zlay_attention), .head = head, .queries = queries, .keys = keys};
}

static void by_hand(void **state)
{
    zlay_attention a = asked(64, 4096, 4096);
    zlay_attention_plan *plan;
    zlay_attention_summary info;
    zlay_answer answer;
    size_t count;
    a.heads = 16, a.batch = 2, a.causal = 1, a.tile_m = 192, a.tile_n = 176;
    assert_int_equal(zlay_attention_synth(*state, &plan, target_of("sm_90a"), &a), ZLAY_OK);
    assert_int_equal(zlay_attention_info(&info, plan), ZLAY_OK);
    assert_int_equal(info.tile_m, 192);
    assert_int_equal(info.tile_n, 176);
    assert_int_equal(info.stages, 2);
    assert_int_equal(info.threads, 512);
    assert_int_equal(info.tiles, 24);
    assert_int_equal(info.grid[0], 22);
    assert_int_equal(info.grid[1], 16);
    assert_int_equal(info.grid[2], 2);
    assert_int_equal(info.moves, 4);
    assert_int_equal(zlay_pipe_verify(*state, &answer, NULL, 0, &count, NULL, zlay_attention_pipe(plan)), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    zlay_attention_free(plan);
}

/* In tensor memory: tiles of 128 queries, a warp for each of the copies, the scores, the products with the values and the end,
 * and four that read. */
static void in_tensor_memory(void **state)
{
    static const char *const targets[] = {"sm_100a", "sm_103a", "sm_110a", "sm_100f"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        for (uint32_t head = 64; head <= 256; head *= 2) {
            zlay_attention a = asked(head, 4096, 4096);
            zlay_attention_plan *plan;
            zlay_attention_summary info;
            zlay_answer answer;
            size_t count;
            a.heads = 16, a.causal = 1;
            assert_int_equal(zlay_attention_synth(*state, &plan, target_of(targets[i]), &a), ZLAY_OK);
            assert_int_equal(zlay_attention_info(&info, plan), ZLAY_OK);
            assert_int_equal(info.tile_m, 128);
            assert_int_equal(info.tile_n, head == 256 ? 64 : 128);
            assert_int_equal(info.threads, 256);
            assert_int_equal(info.grid[0], 32);
            assert_int_equal(zlay_pipe_verify(*state, &answer, NULL, 0, &count, NULL, zlay_attention_pipe(plan)), ZLAY_OK);
            assert_int_equal(answer, ZLAY_YES);
            zlay_attention_free(plan);
        }
}

/* Four heads of queries share a head of keys, and are rows of one tile: 1 x (2 * 5) x 3 blocks. A head of 128 has two panels of
 * 64: the blocks of the merge are 1 x 8 x (3 * 2). Two maps of 32 f32 store each panel. */
static void splits(void **state)
{
    zlay_attention a = asked(128, 1, 5000);
    zlay_attention_plan *plan;
    zlay_attention_summary info;
    const zlay_move *move;
    zlay_answer answer;
    char tensor, seen[16];
    size_t count;
    uint32_t i = 0;
    a.heads = 8, a.kv_heads = 2, a.batch = 3, a.splits = 5, a.sinks = 1;
    assert_int_equal(zlay_attention_synth(*state, &plan, target_of("sm_90a"), &a), ZLAY_OK);
    assert_int_equal(zlay_attention_info(&info, plan), ZLAY_OK);
    assert_int_equal(info.grid[0], 1);
    assert_int_equal(info.grid[1], 10);
    assert_int_equal(info.grid[2], 3);
    for (; !zlay_attention_move_nth(&move, &tensor, plan, i); i++) seen[i] = tensor;
    seen[i] = 0;
    assert_string_equal(seen, "qqkkvpppps");
    const zlay_attention_plan *merge = zlay_attention_merge(plan);
    assert_int_equal(zlay_attention_info(&info, merge), ZLAY_OK);
    assert_int_equal(info.tiles, 5);
    assert_int_equal(info.threads, 128);
    assert_int_equal(info.grid[1], 8);
    assert_int_equal(info.grid[2], 6);
    assert_int_equal(zlay_attention_move_nth(&move, &tensor, merge, 0), ZLAY_OK);
    assert_int_equal(tensor, 'o');
    assert_int_equal(zlay_attention_move_nth(&move, &tensor, merge, 1), ZLAY_NONE);
    assert_int_equal(zlay_pipe_verify(*state, &answer, NULL, 0, &count, NULL, zlay_attention_pipe(merge)), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_null(zlay_attention_merge(merge));
    assert_null(zlay_attention_merge(NULL));
    zlay_attention_free(plan);
}

/* 1000 rows of 7 sequences: 7 tiles that are not full and (1000 - 7) / 128 = 7 more, of 4 heads; of 3 rows, 3 sequences at most have any. */
static void counts_blocks(void **state)
{
    zlay_attention a = asked(128, 1000, 1000);
    zlay_attention_plan *plan;
    zlay_attention_summary info;
    a.heads = 4, a.kv_heads = 2, a.sequences = 7, a.causal = 1;
    for (int few = 0; few < 2; few++) {
        if (few) a.queries = a.keys = 3;
        assert_int_equal(zlay_attention_synth(*state, &plan, target_of("sm_90a"), &a), ZLAY_OK);
        assert_int_equal(zlay_attention_info(&info, plan), ZLAY_OK);
        assert_int_equal(info.tile_m, few ? 64 : 128);
        assert_int_equal(info.grid[0], few ? 3 * 4 : 14 * 4);
        assert_int_equal(info.grid[1] * info.grid[2], 1);
        zlay_attention_free(plan);
    }
}

/* Rows of any mean length are planned, proved and fit into shared memory, with every head. */
static void sequences_fit(void **state)
{
    static char text[1 << 20];
    for (uint32_t head = 64; head <= 256; head *= 2)
        for (uint64_t mean = 1; mean <= 1 << 15; mean *= 8) {
            zlay_attention a = asked(head, mean * 4, mean * 4);
            zlay_attention_plan *plan;
            zlay_pipe_launch launch;
            zlay_buf out = {text, sizeof text, 0};
            a.sequences = 4, a.causal = mean % 7 == 1, a.heads = 3;
            assert_int_equal(zlay_attention_synth(*state, &plan, target_of("sm_90a"), &a), ZLAY_OK);
            zlay_attention_emit ask = {.size = sizeof ask, .language = ZLAY_TEXT_PTX, .plan = plan, .name = "a", .name_length = 1};
            if (zlay_emit_attention(*state, &out, &launch, NULL, 0, &ask)) fail_msg("head %u: %s", head, zlay_ctx_message(*state));
            zlay_attention_free(plan);
        }
}

/* Maps of shared heads: 4 heads of queries read one of keys. */
static void moves_name_their_tensors(void **state)
{
    zlay_attention a = asked(128, 100, 200);
    zlay_attention_plan *plan;
    const zlay_move *move;
    char tensor, seen[16];
    uint32_t i = 0;
    a.heads = 8, a.kv_heads = 2, a.lse = 1;
    assert_int_equal(zlay_attention_synth(*state, &plan, target_of("sm_90a"), &a), ZLAY_OK);
    for (; !zlay_attention_move_nth(&move, &tensor, plan, i); i++) {
        zlay_tensormap map;
        seen[i] = tensor;
        assert_int_equal(zlay_move_map_nth(&map, move, 0), ZLAY_OK);
        assert_int_equal(map.type, tensor == 'l' ? ZLAY_TYPE_F32 : ZLAY_TYPE_BF16);
    }
    seen[i] = 0;
    assert_string_equal(seen, "qqkkvool");
    assert_int_equal(zlay_attention_move_nth(&move, &tensor, plan, i), ZLAY_NONE);
    zlay_attention_free(plan);
}

/* Keys 10 of 2 heads of 128 bytes in a row: map 0 has the pairs of keys 0, 1, 4, 5, 8, 9, and map 1, 512 bytes further,
 * those of 2, 3, 6, 7. V has rows of 16 bytes, of which 10 count. */
static void bytes(void **state)
{
    zlay_attention a = asked(128, 100, 10);
    zlay_attention_plan *plan;
    const zlay_move *move;
    zlay_tensormap map;
    const zlay_layout *one, *other;
    char tensor;
    a.type = ZLAY_TYPE_E4M3, a.heads = 2;
    assert_int_equal(zlay_attention_synth(*state, &plan, target_of("sm_90a"), &a), ZLAY_OK);
    assert_int_equal(zlay_attention_move_nth(&move, &tensor, plan, 1), ZLAY_OK);
    assert_int_equal(tensor, 'k');
    for (uint32_t half = 0; half < 2; half++) {
        assert_int_equal(zlay_move_map_nth(&map, move, half), ZLAY_OK);
        assert_int_equal(map.address, 512 * half);
        assert_int_equal(map.extent[0], 2 * 128);
        assert_int_equal(map.extent[1] * map.stride[0], 2 * 256);
        assert_int_equal(map.stride[1], 4 * 256);
        assert_int_equal(map.extent[2], 3 - half);
    }
    assert_int_equal(zlay_move_map_nth(&map, move, 2), ZLAY_NONE);
    assert_int_equal(zlay_move_certificate(&one, &other, move), ZLAY_NONE);
    assert_null(zlay_move_smem(move));
    assert_int_equal(zlay_attention_move_nth(&move, &tensor, plan, 2), ZLAY_OK);
    assert_int_equal(tensor, 'v');
    assert_int_equal(zlay_move_map_nth(&map, move, 0), ZLAY_OK);
    assert_int_equal(map.extent[0], 10);
    assert_int_equal(map.stride[0], 16);
    zlay_attention_free(plan);
}

static void says_what_is_wrong(void **state)
{
    static const struct {
        const char *target;
        zlay_attention ask;
        zlay_status status;
        const char *message;
    } rows[] = {
        {"sm_90a", {.head = 64, .keys = 4}, ZLAY_EINVAL, "queries: 0 is not in 1..1073741824"},
        {"sm_90a", {.head = 64, .queries = 4}, ZLAY_EINVAL, "keys: 0 is not in 1..1073741824"},
        {"sm_90a", {.head = 96, .queries = 4, .keys = 4}, ZLAY_ENOTSUP,
         "head: 96; rows of 64, 128 and 256 elements are planned, the next is 128"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .type = ZLAY_TYPE_E5M2}, ZLAY_ENOTSUP,
         "type: 35; attention of this version is bf16, f16 or e4m3"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .type = ZLAY_TYPE_E4M3, .o_type = ZLAY_TYPE_E4M3}, ZLAY_ENOTSUP,
         "o_type: 34; the result is bf16 or f16"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .type = ZLAY_TYPE_F16, .o_type = ZLAY_TYPE_BF16}, ZLAY_ENOTSUP,
         "of bf16 and f16 of the same type"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .type = ZLAY_TYPE_E4M3, .k_lengths = ZLAY_LENGTHS_PADDED}, ZLAY_ENOTSUP,
         "k_lengths: of e4m3 sequences of keys are equal and whole; bf16 has it"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .type = ZLAY_TYPE_E4M3, .splits = 2}, ZLAY_ENOTSUP,
         "splits: of e4m3 sequences of keys are equal and whole; bf16 has it"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 40, .type = ZLAY_TYPE_E4M3, .v = {.row = 40}}, ZLAY_NONE, "TMAP_STRIDE_16"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 40, .type = ZLAY_TYPE_E4M3, .k = {.row = 72}}, ZLAY_NONE, "TMAP_STRIDE_16"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 40, .type = ZLAY_TYPE_E4M3, .k = {1ull << 61, 64, 64}}, ZLAY_EOVERFLOW,
         "k: a stride passes 2^60"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .heads = 6, .kv_heads = 4}, ZLAY_EINVAL,
         "kv_heads: 4 does not divide the 6 heads"},
        {"sm_90a", {.head = 64, .queries = 5, .keys = 4, .causal = 1}, ZLAY_ENOTSUP,
         "causal: 4 keys for 5 queries: the first see none"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .causal = 2}, ZLAY_EINVAL, "causal, soft_cap, sinks, lse: each is 0 or 1"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .sinks = 2}, ZLAY_EINVAL, "causal, soft_cap, sinks, lse: each is 0 or 1"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .lse = 2}, ZLAY_EINVAL, "causal, soft_cap, sinks, lse: each is 0 or 1"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .l = {.head = 4}}, ZLAY_EINVAL, "l: strides of the log-sum-exp, without `lse`"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .lse = 1, .l = {.row = 2}}, ZLAY_ENOTSUP,
         "l: rows of the log-sum-exp are adjacent, not 2 apart"},
        {"sm_90a", {.head = 64, .queries = 5, .keys = 4, .lse = 1, .l = {.head = 7}}, ZLAY_EINVAL,
         "l: a head has 8 rows, and the next begins before"},
        {"sm_90a", {.head = 64, .queries = 5, .keys = 4, .heads = 2, .lse = 1, .l = {.head = 9}}, ZLAY_NONE, "COPY_COORDINATE_16"},
        {"sm_90a", {.head = 64, .queries = 5, .keys = 4, .heads = 2, .lse = 1, .l = {.head = 1ull << 62}}, ZLAY_EOVERFLOW,
         "l: a stride passes 2^62"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .window = 2}, ZLAY_ENOTSUP, "window: 2, and the request is not causal"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .q_lengths = 3}, ZLAY_EINVAL, "q_lengths: there is no 3"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .k_lengths = -1}, ZLAY_EINVAL, "k_lengths: there is no -1"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .q_lengths = ZLAY_LENGTHS_PACKED, .o = {.batch = 256}}, ZLAY_EINVAL,
         "q, o: packed sequences have no stride of the batch"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .k_lengths = ZLAY_LENGTHS_PACKED, .v = {.batch = 256}}, ZLAY_EINVAL,
         "k, v: packed sequences have no stride of the batch"},
        {"sm_90a", {.head = 128, .queries = 4, .keys = 4, .heads = 4, .batch = 3, .k_lengths = ZLAY_LENGTHS_PADDED, .v = {.row = 576, .head = 144}},
         ZLAY_ENOTSUP, "strides: a map of more than 5 dimensions"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .heads = 2, .q_lengths = ZLAY_LENGTHS_PACKED, .q = {.head = 68}}, ZLAY_NONE,
         "TMAP_STRIDE_16: the map that ends with a sequence"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .splits = 1ull << 31}, ZLAY_EINVAL, "splits: 2147483648 is not in 1..1073741824"},
        {"sm_90a", {.head = 256, .queries = 1 << 20, .keys = 4, .splits = 8}, ZLAY_ENOTSUP,
         "splits: 2147483648 elements of parts, and 2^31 - 1 are counted"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .sequences = (1 << 30) + 1}, ZLAY_EINVAL, "sequences: 1073741825 is not in 1..1073741824"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .sequences = 2, .batch = 2}, ZLAY_ENOTSUP, "batch: not planned with `sequences`"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .sequences = 2, .q_lengths = ZLAY_LENGTHS_PACKED}, ZLAY_ENOTSUP, "q_lengths: not planned"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .sequences = 2, .k_lengths = ZLAY_LENGTHS_PADDED}, ZLAY_ENOTSUP, "k_lengths: not planned"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 5, .sequences = 2}, ZLAY_EINVAL, "keys: 5, and the sequences have 4 rows of both"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .sequences = 2, .splits = 2}, ZLAY_ENOTSUP, "splits: not planned"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .sequences = 2, .lse = 1}, ZLAY_ENOTSUP, "lse: not planned"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .sequences = 2, .causal = 1, .window = 2}, ZLAY_ENOTSUP, "window: not planned"},
        {"sm_100a", {.head = 64, .queries = 4, .keys = 4, .sequences = 2}, ZLAY_ENOTSUP, "sequences: not planned on sm_100a; sm_90a has it"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .sequences = 2, .type = ZLAY_TYPE_E4M3}, ZLAY_ENOTSUP, "type: not planned"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .sequences = 2, .k = {.batch = 256}}, ZLAY_EINVAL, "k, v: packed sequences have no stride"},
        {"sm_90a", {.head = 128, .queries = 1 << 30, .keys = 1 << 30, .sequences = 2, .heads = 1 << 9}, ZLAY_ENOTSUP, "sequences: 4294967808 blocks, and a grid has 2^31 - 1"},
        {"gfx942", {.head = 64, .queries = 4, .keys = 4, .sequences = 2}, ZLAY_ENOTSUP, "sequences: not planned on gfx942"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .reserved = {1}}, ZLAY_EINVAL, "reserved"},
        {"sm_100a", {.head = 64, .queries = 4, .keys = 4, .type = ZLAY_TYPE_E4M3}, ZLAY_ENOTSUP, "sm_100a: attention of e4m3 is planned for targets with wgmma"},
        {"sm_80", {.head = 64, .queries = 4, .keys = 4}, ZLAY_ENOTSUP, "sm_80: attention is planned for targets with wgmma, tcgen05 or MFMA"},
        {"gfx1250", {.head = 64, .queries = 4, .keys = 4}, ZLAY_ENOTSUP, "gfx1250: attention is planned for targets with wgmma, tcgen05 or MFMA"},
        {"sm_90a", {.head = 64, .queries = 4, .keys = 4, .q = {.row = 65}}, ZLAY_NONE, "TMAP_STRIDE_16"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_attention a = rows[i].ask;
        zlay_attention_plan *plan = (zlay_attention_plan *)&a;
        a.size = sizeof a;
        zlay_status status = zlay_attention_synth(*state, &plan, target_of(rows[i].target), &a);
        const char *message = zlay_ctx_message(*state);
        if (status != rows[i].status || !strstr(message, rows[i].message))
            fail_msg("%zu: %s, %s", i, zlay_status_name(status), message);
        assert_null(plan);
    }
}

static void refuses_misuse(void **state)
{
    zlay_attention a = asked(64, 4, 4);
    zlay_attention_plan *plan;
    zlay_attention_summary info;
    const zlay_move *move;
    char tensor;
    assert_int_equal(zlay_attention_synth(*state, NULL, target_of("sm_90a"), &a), ZLAY_EINVAL);
    assert_int_equal(zlay_attention_synth(*state, &plan, NULL, &a), ZLAY_EINVAL);
    assert_int_equal(zlay_attention_synth(*state, &plan, target_of("sm_90a"), NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_attention_synth(NULL, &plan, target_of("sm_90a"), &a), ZLAY_EINVAL);
    a.size = 2;
    assert_int_equal(zlay_attention_synth(*state, &plan, target_of("sm_90a"), &a), ZLAY_EINVAL);
    assert_int_equal(zlay_attention_info(&info, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_attention_move_nth(&move, &tensor, NULL, 0), ZLAY_EINVAL);
    assert_null(zlay_attention_pipe(NULL));
    zlay_attention_free(NULL);
}

static zlay_status work(zlay_ctx *ctx, void *given)
{
    zlay_attention a = asked(64, 100, 100);
    zlay_attention_plan *plan;
    if (given == ctx) a.type = ZLAY_TYPE_E4M3;
    else if (given) a.sequences = 3, a.causal = 1;
    else a.splits = 2, a.k_lengths = ZLAY_LENGTHS_PADDED;
    zlay_status status = zlay_attention_synth(ctx, &plan, target_of("sm_90a"), &a);
    if (!status) zlay_attention_free(plan);
    return status;
}

static void memory_ends(void **state)
{
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    (void)state;
    assert_int_equal(heap_fails_each(&h, ctx, work, NULL), ZLAY_OK);
    assert_int_equal(heap_fails_each(&h, ctx, work, ctx), ZLAY_OK);
    assert_int_equal(heap_fails_each(&h, ctx, work, &h), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand), cmocka_unit_test(in_tensor_memory), cmocka_unit_test(splits), cmocka_unit_test(counts_blocks), cmocka_unit_test(sequences_fit),
        cmocka_unit_test(moves_name_their_tensors), cmocka_unit_test(bytes), cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(refuses_misuse), cmocka_unit_test(memory_ends),
    };
    return cmocka_run_group_tests_name("synth/attention/attention", tests, begin, end);
}
