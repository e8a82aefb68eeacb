/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of products with weights of 4 or 8 bits: the one by hand, the order of packed weights, what is refused and why, and memory that
 * ends. Their kernels are executed in tests/emit/gemm/weights.c. */
#include "ctx.h"
#include "heap.h"

#include <stdio.h>
#include <stdlib.h>

static zlay_weights asked(uint64_t m, uint64_t n, uint64_t k)
{
    return (zlay_weights){.size = sizeof(zlay_weights), .m = m, .n = n, .k = k};
}

static void by_hand(void **state)
{
    zlay_weights a = asked(16, 8192, 8192);
    zlay_weights_plan *plan;
    zlay_weights_summary info;
    zlay_answer answer;
    size_t count;
    a.zeros = 1;
    assert_int_equal(zlay_weights_synth(*state, &plan, target_of("sm_90a"), &a), ZLAY_OK);
    assert_int_equal(zlay_weights_info(&info, plan), ZLAY_OK);
    assert_int_equal(info.tile_m, 16);
    assert_int_equal(info.tile_n, 64);
    assert_int_equal(info.tile_k, 128);
    assert_int_equal(info.stages, 16);
    assert_int_equal(info.warpgroups, 4);
    assert_int_equal(info.threads, 640);
    assert_int_equal(info.steps, 64);
    assert_int_equal(info.grid[0], 128);
    assert_int_equal(info.grid[1], 1);
    assert_int_equal(info.grid[2], 1);
    assert_int_equal(info.packed, 8192 * 8192 / 2);
    assert_int_equal(info.cluster, 1);
    assert_int_equal(info.moves, 6);
    assert_int_equal(zlay_pipe_verify(*state, &answer, NULL, 0, &count, NULL, zlay_weights_pipe(plan)), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    zlay_weights_free(plan);
}

/* One copy each, but of A, whose 392 elements of a row are no multiple of 64: the packed tile is contiguous. */
static void moves_name_their_tensors(void **state)
{
    for (uint32_t zeros = 0; zeros < 2; zeros++) {
        zlay_weights a = asked(24, 136, 392);
        zlay_weights_plan *plan;
        const zlay_move *move;
        char tensor, seen[8];
        uint32_t i = 0;
        a.zeros = zeros;
        assert_int_equal(zlay_weights_synth(*state, &plan, target_of("sm_90a"), &a), ZLAY_OK);
        for (; !zlay_weights_move_nth(&move, &tensor, plan, i); i++) {
            zlay_move_summary info;
            seen[i] = tensor;
            assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
            if (tensor != 'a') assert_int_equal(info.copies, 1);
            if (tensor == 'b') assert_int_equal(info.bytes, 4096);
        }
        seen[i] = 0;
        assert_string_equal(seen, zeros ? "aabszd" : "aabsd");
        assert_int_equal(zlay_weights_move_nth(&move, &tensor, plan, i), ZLAY_NONE);
        zlay_weights_free(plan);
    }
}

/* ---- packed weights ------------------------------------------------------------------------ */

/* Each weight is where the layout says, and everything else is 0. */
static void check_packed(zlay_ctx *ctx, int32_t type, uint64_t n, uint64_t k, uint64_t pitch, uint64_t *seed)
{
    zlay_layout *layout;
    uint32_t each = 8 / zlay_type_bits(type); /* in a byte */
    uint64_t rows = (n + 63) / 64 * 64, bytes = rows * ((k + 127) / 128 * 128) / each;
    uint8_t *from = malloc((size_t)(n * pitch)), *to = malloc((size_t)bytes), *wanted = calloc((size_t)bytes, 1);
    int64_t place;
    for (uint64_t i = 0; i < n * pitch; i++) from[i] = (uint8_t)test_random(seed);
    assert_int_equal(zlay_weights_layout(ctx, &layout, type, n, k), ZLAY_OK);
    for (uint64_t row = 0; row < n; row++)
        for (uint64_t i = 0; i < k; i++) {
            assert_int_equal(zlay_layout_eval_many(&place, NULL, layout, NULL, row + rows * i, 1), ZLAY_OK);
            uint64_t at = (uint64_t)place;
            if (each == 1) wanted[at] = from[row * pitch + i];
            else wanted[at / 2] = (uint8_t)(wanted[at / 2] | (from[row * pitch + i / 2] >> i % 2 * 4 & 15) << at % 2 * 4);
        }
    assert_int_equal(zlay_weights_pack(to, (size_t)bytes, from, pitch, type, n, k), ZLAY_OK);
    assert_memory_equal(to, wanted, (size_t)bytes);
    assert_int_equal(zlay_weights_pack(to, (size_t)bytes - 1, from, pitch, type, n, k), ZLAY_EROOM);
    zlay_layout_free(layout);
    free(from);
    free(to);
    free(wanted);
}

static void check_order(zlay_ctx *ctx, int32_t type, const char *wanted)
{
    zlay_layout *layout;
    char text[128];
    zlay_buf out = {text, sizeof text, 0};
    assert_int_equal(zlay_weights_layout(ctx, &layout, type, 128, 256), ZLAY_OK);
    assert_int_equal(zlay_layout_print(&out, layout), ZLAY_OK);
    assert_string_equal(text, wanted);
    zlay_layout_free(layout);
}

static void packs(void **state)
{
    uint64_t seed = test_seed("packed");
    check_packed(*state, ZLAY_TYPE_U4, 64, 128, 64, &seed);
    check_packed(*state, ZLAY_TYPE_S4, 1, 1, 1, &seed);
    check_packed(*state, ZLAY_TYPE_U4, 65, 131, 70, &seed);
    check_packed(*state, ZLAY_TYPE_S4, 200, 300, 150, &seed);
    check_packed(*state, ZLAY_TYPE_S8, 64, 128, 128, &seed);
    check_packed(*state, ZLAY_TYPE_S8, 70, 300, 301, &seed);
    check_packed(*state, ZLAY_TYPE_E2M1, 65, 131, 70, &seed);
    check_packed(*state, ZLAY_TYPE_E4M3, 70, 300, 301, &seed);
    check_packed(*state, ZLAY_TYPE_E5M2, 1, 3, 3, &seed);
    check_order(*state, ZLAY_TYPE_U4, "((8,2,4,2),(2,4,2,4,2,2)):((128,1,1024,16384),(4,32,2,8,4096,8192))");
    check_order(*state, ZLAY_TYPE_S8, "((8,2,4,2),(2,4,2,2,4,2)):((64,2,512,16384),(1,16,4,8,2048,8192))");
}

static void packing_refuses(void **state)
{
    uint8_t byte = 0;
    zlay_layout *layout;
    assert_int_equal(zlay_weights_pack(NULL, 1, &byte, 1, ZLAY_TYPE_U4, 1, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_weights_pack(&byte, 1, NULL, 1, ZLAY_TYPE_U4, 1, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_weights_pack(&byte, 1, &byte, 1, ZLAY_TYPE_U4, 0, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_weights_pack(&byte, 1, &byte, 1, ZLAY_TYPE_U4, 1, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_weights_pack(&byte, 1, &byte, 1, ZLAY_TYPE_U4, 1, 3), ZLAY_EINVAL);
    assert_int_equal(zlay_weights_pack(&byte, 1, &byte, 1, ZLAY_TYPE_U4, 1, 2), ZLAY_EROOM);
    assert_int_equal(zlay_weights_pack(&byte, 1, &byte, UINT64_MAX, ZLAY_TYPE_U4, 1ull << 40, 1ull << 40), ZLAY_EOVERFLOW);
    assert_int_equal(zlay_weights_layout(*state, NULL, ZLAY_TYPE_U4, 1, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_weights_layout(*state, &layout, ZLAY_TYPE_U4, 0, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_weights_layout(*state, &layout, ZLAY_TYPE_U4, 1ull << 40, 1ull << 40), ZLAY_EOVERFLOW);
    assert_int_equal(zlay_weights_pack(&byte, 1, &byte, 1, ZLAY_TYPE_S8, 1, 2), ZLAY_EINVAL);
    assert_int_equal(zlay_weights_pack(&byte, 1, &byte, 1, ZLAY_TYPE_BF16, 1, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_weights_layout(*state, &layout, ZLAY_TYPE_BF16, 1, 1), ZLAY_EINVAL);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void says_what_is_wrong(void **state)
{
    static const struct {
        const char *target;
        zlay_weights ask;
        zlay_status status;
        const char *message;
    } rows[] = {
        {"sm_90a", {.n = 8, .k = 8}, ZLAY_EINVAL, "m: 0 is not in 1..1073741824"},
        {"sm_90a", {.m = 1, .k = 8}, ZLAY_EINVAL, "n: 0 is not in 1..1073741824"},
        {"sm_90a", {.m = 1, .n = 8, .k = 1ull << 31}, ZLAY_EINVAL, "k: 2147483648 is not in 1..1073741824"},
        {"sm_90a", {.m = 1, .n = 12, .k = 8}, ZLAY_ENOTSUP, "n: 12 is no multiple of 8: rows of 16 bytes are copied; the next is 16"},
        {"sm_90a", {.m = 1, .n = 8, .k = 33}, ZLAY_ENOTSUP, "k: 33 is no multiple of 8"},
        {"sm_90a", {.m = 1, .n = 8, .k = 8, .type = ZLAY_TYPE_F32}, ZLAY_ENOTSUP, "vectors of this version are bf16 or f16"},
        {"sm_90a", {.m = 1, .n = 8, .k = 8, .weights = ZLAY_TYPE_F16}, ZLAY_ENOTSUP, "weights of this version are u4, s4, s8, e2m1, e4m3 or e5m2"},
        {"sm_90a", {.m = 1, .n = 8, .k = 8, .group = 64}, ZLAY_ENOTSUP, "group: 64; groups of 128 weights share a scale"},
        {"sm_90a", {.m = 1, .n = 8, .k = 8, .weights = ZLAY_TYPE_S4, .group = 32}, ZLAY_ENOTSUP, "group: 32; groups of 128 weights share a scale"},
        {"sm_90a", {.m = 1, .n = 8, .k = 8, .weights = ZLAY_TYPE_E4M3, .group = 128}, ZLAY_ENOTSUP, "group: 128; groups of 32 weights share a scale"},
        {"sm_90a", {.m = 1, .n = 8, .k = 8, .weights = ZLAY_TYPE_E2M1, .group = 64}, ZLAY_ENOTSUP,
         "group: 64; groups of 32 or 16 weights of e2m1 share a scale"},
        {"sm_90a", {.m = 1, .n = 8, .k = 8, .weights = ZLAY_TYPE_E2M1, .zeros = 1}, ZLAY_ENOTSUP,
         "zeros: 1; weights of e2m1 have none, those of u4, s4 and s8 may"},
        {"sm_90a", {.m = 1, .n = 8, .k = 8, .weights = ZLAY_TYPE_E5M2, .type = ZLAY_TYPE_F16}, ZLAY_ENOTSUP,
         "type: f16 has not the range of ue8m0 scales; bf16 has, and e2m1 in groups of 16 goes with f16"},
        {"sm_90a", {.m = 1, .n = 8, .k = 8, .weights = ZLAY_TYPE_E2M1, .lds = 31}, ZLAY_EINVAL, "lds: 31 elements are fewer than the 32 of a row"},
        {"sm_90a", {.m = 1, .n = 8, .k = 256, .weights = ZLAY_TYPE_E2M1, .lds = 40}, ZLAY_ENOTSUP,
         "lds: 40 is no multiple of 16: rows of 16 bytes are copied; the next is 48"},
        {"sm_90a", {.m = 1, .n = 8, .k = 8, .zeros = 2}, ZLAY_EINVAL, "zeros: 2 is not 0 or 1"},
        {"sm_90a", {.m = 1, .n = 8, .k = 8, .warpgroups = 5}, ZLAY_EINVAL, "warpgroups: 5 is not in 0..4"},
        {"sm_90a", {.m = 1, .n = 8, .k = 8, .cluster = 3}, ZLAY_EINVAL, "cluster: 3 is not in 0..2"},
        {"sm_90a", {.m = 1, .n = 64, .k = 128, .cluster = 2}, ZLAY_ENOTSUP, "cluster: 2 blocks, and there are not 65"},
        {"sm_90a", {.m = 1, .n = 72, .k = 64, .cluster = 2}, ZLAY_ENOTSUP, "cluster: 2 blocks, and there are not 65"},
        {"sm_90a", {.m = 1, .n = 8, .k = 8, .reserved0 = 1}, ZLAY_EINVAL, "reserved0"},
        {"sm_90a", {.m = 1, .n = 8, .k = 16, .lda = 8}, ZLAY_EINVAL, "lda: 8 elements are fewer than the 16 of a row"},
        {"sm_90a", {.m = 1, .n = 16, .k = 8, .ldd = 8}, ZLAY_EINVAL, "ldd: 8 elements are fewer than the 16 of a row"},
        {"sm_90a", {.m = 1, .n = 16, .k = 8, .lds = 8}, ZLAY_EINVAL, "lds: 8 elements are fewer than the 16 of a row"},
        {"sm_90a", {.m = 2, .n = 8, .k = 8, .lda = 1ull << 63}, ZLAY_EOVERFLOW, "lda: a pitch passes 2^62"},
        {"sm_90a", {.m = 2, .n = 8, .k = 8, .lda = 9}, ZLAY_NONE, "TMAP_STRIDE_16"},
        {"sm_90a", {.m = 1, .n = 8, .k = 8, .reserved = {1}}, ZLAY_EINVAL, "reserved"},
        {"sm_100a", {.m = 1, .n = 8, .k = 8, .weights = ZLAY_TYPE_E2M1}, ZLAY_ENOTSUP, "weights e2m1: not planned on sm_100a; the nearest that works is u4"},
        {"sm_100a", {.m = 1, .n = 8, .k = 8, .weights = ZLAY_TYPE_E4M3}, ZLAY_ENOTSUP, "weights e4m3: not planned on sm_100a; the nearest that works is s8"},
        {"sm_100a", {.m = 1, .n = 8, .k = 8, .warpgroups = 2}, ZLAY_ENOTSUP, "warpgroups above 1: not planned on sm_100a; the nearest that works is 1"},
        {"sm_100a", {.m = 1, .n = 128, .k = 128, .cluster = 2}, ZLAY_ENOTSUP, "cluster 2: not planned on sm_100a; the nearest that works is 1"},
        {"sm_120a", {.m = 1, .n = 8, .k = 8}, ZLAY_ENOTSUP, "sm_120a: weights of 4 or 8 bits are planned for targets with wgmma, tcgen05 or mfma"},
        {"sm_80", {.m = 1, .n = 8, .k = 8}, ZLAY_ENOTSUP, "sm_80: weights of 4 or 8 bits are planned for targets with wgmma, tcgen05 or mfma; the nearest that works is sm_90a"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_weights a = rows[i].ask;
        zlay_weights_plan *plan = (zlay_weights_plan *)&a;
        a.size = sizeof a;
        zlay_status status = zlay_weights_synth(*state, &plan, target_of(rows[i].target), &a);
        const char *message = zlay_ctx_message(*state);
        if (status != rows[i].status || !strstr(message, rows[i].message))
            fail_msg("%zu: %s, %s", i, zlay_status_name(status), message);
        assert_null(plan);
    }
}

static void refuses_misuse(void **state)
{
    zlay_weights a = asked(1, 8, 8);
    zlay_weights_plan *plan;
    zlay_weights_summary info;
    const zlay_move *move;
    char tensor;
    zlay_weights_emit ask = {.size = sizeof ask, .name = "k", .name_length = 1};
    zlay_buf out = {NULL, 0, 0};
    assert_int_equal(zlay_weights_synth(*state, NULL, target_of("sm_90a"), &a), ZLAY_EINVAL);
    assert_int_equal(zlay_weights_synth(*state, &plan, NULL, &a), ZLAY_EINVAL);
    assert_int_equal(zlay_weights_synth(*state, &plan, target_of("sm_90a"), NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_weights_synth(NULL, &plan, target_of("sm_90a"), &a), ZLAY_EINVAL);
    a.size = 2;
    assert_int_equal(zlay_weights_synth(*state, &plan, target_of("sm_90a"), &a), ZLAY_EINVAL);
    assert_int_equal(zlay_weights_info(&info, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_weights_move_nth(&move, &tensor, NULL, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_weights(*state, &out, NULL, NULL, 0, &ask), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_weights(*state, &out, NULL, NULL, 0, NULL), ZLAY_EINVAL);
    assert_null(zlay_weights_pipe(NULL));
    zlay_weights_free(NULL);
}

typedef struct working {
    const char *target;
    int32_t weights;
} working;

static zlay_status work(zlay_ctx *ctx, void *given)
{
    const working *w = given;
    static char text[1 << 18];
    zlay_weights a = asked(9, 72, 520);
    zlay_weights_plan *plan;
    zlay_layout *layout;
    zlay_buf out = {text, sizeof text, 0};
    a.weights = w->weights;
    zlay_status status = zlay_weights_layout(ctx, &layout, ZLAY_TYPE_U4, 72, 520);
    if (status) return status;
    zlay_layout_free(layout);
    status = zlay_weights_synth(ctx, &plan, target_of(w->target), &a);
    if (status) return status;
    zlay_weights_emit ask = {.size = sizeof ask, .plan = plan, .name = "k", .name_length = 1};
    status = zlay_emit_weights(ctx, &out, NULL, NULL, 0, &ask);
    zlay_weights_free(plan);
    return status;
}

static void memory_ends(void **state)
{
    working works[] = {{"sm_90a", ZLAY_TYPE_U4}, {"sm_90a", ZLAY_TYPE_E2M1}, {"sm_100a", ZLAY_TYPE_U4}, {"gfx942", ZLAY_TYPE_S4}};
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    (void)state;
    for (size_t i = 0; i < 4; i++) assert_int_equal(heap_fails_each(&h, ctx, work, &works[i]), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),            cmocka_unit_test(moves_name_their_tensors), cmocka_unit_test(packs),
        cmocka_unit_test(packing_refuses),    cmocka_unit_test(says_what_is_wrong),       cmocka_unit_test(refuses_misuse),
        cmocka_unit_test(memory_ends),
    };
    return cmocka_run_group_tests_name("synth/weights/weights", tests, begin, end);
}
