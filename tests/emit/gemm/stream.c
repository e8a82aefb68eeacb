/* SPDX-License-Identifier: Apache-2.0 */
/* GEMMs whose tiles are divided among all blocks (stream-K): the PTX is executed by as many blocks as the plan has, by fewer and by
 * more, twice without clearing the workspace, and D is the exact sum, rounded. Then what the plan says, and what it refuses. */
#include "ptx/gemm.h"

#include <string.h>

#define TYPES(a, b, d) .a_type = ZLAY_TYPE_##a, .b_type = ZLAY_TYPE_##b, .d_type = ZLAY_TYPE_##d
static const struct {
    const char *what;
    uint32_t blocks;
    zlay_gemm gemm;
} rows[] = {
    {"two tiles, two blocks", 2, {.m = 64, .n = 128, .k = 256, .tile_m = 64, .tile_n = 64}},
    {"three tiles, two blocks", 2, {.m = 64, .n = 192, .k = 320, .tile_m = 64, .tile_n = 64}},
    {"a block alone", 1, {.m = 64, .n = 192, .k = 200, .tile_m = 64, .tile_n = 64}},
    {"seven tiles, three blocks", 3, {.m = 64, .n = 448, .k = 448, .tile_m = 64, .tile_n = 64, .stages = 3}},
    {"nine tiles, five blocks", 5, {.m = 192, .n = 192, .k = 328, .tile_m = 64, .tile_n = 64, .stages = 2}},
    {"two steps", 4, {.m = 130, .n = 136, .k = 128, .tile_m = 64, .tile_n = 64}},
    {"two consumers", 3, {.m = 300, .n = 136, .k = 264, .tile_m = 128, .tile_n = 64, .stages = 2}},
    {"more blocks than tiles", 3, {.m = 64, .n = 72, .k = 192, .tile_m = 64, .tile_n = 64}},
    {"columns in eights", 2, {.m = 64, .n = 264, .k = 192, .tile_m = 64, .tile_n = 88}},
    {"wide tiles", 2, {.m = 130, .n = 264, .k = 200, .tile_m = 128, .tile_n = 256}},
    {"D by threads", 2, {.m = 67, .n = 205, .k = 200, .tile_m = 64, .tile_n = 64}},
    {"M and N contiguous", 2, {.m = 72, .n = 136, .k = 200, .a_order = ZLAY_ORDER_COLUMN, .b_order = ZLAY_ORDER_ROW, .tile_m = 64, .tile_n = 64}},
    {"D by columns", 2, {.m = 136, .n = 72, .k = 200, .d_order = ZLAY_ORDER_COLUMN, .tile_m = 64, .tile_n = 64}},
    {"f32", 2, {.m = 64, .n = 192, .k = 200, TYPES(F16, F16, F32), .tile_m = 64, .tile_n = 64}},
    {"tf32", 2, {.m = 64, .n = 192, .k = 100, TYPES(TF32, TF32, F32), .tile_m = 64, .tile_n = 64}},
    {"bytes", 2, {.m = 64, .n = 200, .k = 400, TYPES(E4M3, E5M2, BF16), .tile_m = 64, .tile_n = 64}},
    {"integers", 2, {.m = 64, .n = 200, .k = 400, TYPES(S8, S8, S32), .tile_m = 64, .tile_n = 64}},
};

/* The kernel leaves the flags as it found them. */
static void assert_flags(const px_gemm *g)
{
    static const uint8_t none[GEMM_FLAG];
    for (uint32_t b = 0; b < g->info.stream_blocks; b++)
        for (uint32_t c = 0; c < g->info.consumers; c++) assert_memory_equal(px_gemm_flags(g, b) + c * GEMM_FLAG, none, sizeof none);
}

static void values(void **state)
{
    uint64_t random = test_seed("stream");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        px_gemm g;
        zlay_gemm q = rows[i].gemm;
        q.stream_k = ZLAY_STREAM_ALWAYS;
        px_gemm_make(&g, &q, rows[i].blocks, &random);
        assert_int_equal(g.info.stream_blocks, g.info.tiles_m * g.info.tiles_n);
        px_gemm_any_time(&machine, &g, rows[i].what, &random);
        assert_flags(&g);
        px_gemm_free(&g);
    }
}

/* Every small number of tiles, steps and blocks: each step of each tile is summed once. */
static void worlds(void **state)
{
    uint64_t random = test_seed("stream worlds");
    (void)state;
    for (uint32_t tiles = 1; tiles <= 7; tiles++)
        for (uint32_t steps = 2; steps <= 4; steps++) {
            px_gemm g;
            zlay_gemm q = {.m = 64, .n = 64 * tiles, .k = 16 * steps, .tile_m = 64, .tile_n = 64, .tile_k = 16, .stages = 2, .stream_k = ZLAY_STREAM_ALWAYS};
            px_gemm_make(&g, &q, 1, &random);
            for (g.blocks = 1; g.blocks <= PX_CLUSTER; g.blocks++) {
                machine.when = PX_EARLY;
                if (px_gemm_fails(&machine, &g, g.text)) fail_msg("%u tiles, %u steps, %u blocks: %s", tiles, steps, g.blocks, machine.fault);
                assert_flags(&g);
            }
            px_gemm_free(&g);
        }
}

/* An epilogue has whole sums, also those of a tail. */
static void an_epilogue(void **state)
{
    uint64_t random = test_seed("stream and epilogue");
    px_gemm g;
    zlay_gemm q = {.m = 64, .n = 320, .k = 192, .tile_m = 64, .tile_n = 64, .stream_k = ZLAY_STREAM_ALWAYS, .epilogue = px_relu, .epilogue_length = sizeof px_relu - 1};
    (void)state;
    px_gemm_make(&g, &q, 2, &random);
    px_gemm_bind(&machine, &g);
    px_run(&machine, g.text, (int)g.info.threads, 2, 2);
    if (*machine.fault) fail_msg("%s", machine.fault);
    px_gemm_relu_right(&g);
    px_gemm_free(&g);
}

/* What is left out of the text is seen. */
static void edits(void **state)
{
    static const char *const lines[] = {"red.release.gpu.global.add.u32", "max.u32 tail_first", "st.global.v4.b32", "mov.u32 w0, 0;\n    st.global.b32"};
    uint64_t random = test_seed("stream edits");
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        px_gemm g;
        zlay_gemm q = {.m = 64, .n = 192, .k = 128, .tile_m = 64, .tile_n = 64, .stream_k = ZLAY_STREAM_ALWAYS};
        px_gemm_make(&g, &q, 2, &random);
        char *at = strstr(g.text, lines[i]);
        assert_non_null(at);
        if (strchr(lines[i], '\n')) at = strchr(at, '\n') + 5; /* the second line */
        while (at[-1] != '\n') at--;
        memset(at, ' ', (size_t)(strchr(at, '\n') - at));
        bool failed = px_gemm_fails(&machine, &g, g.text) || px_gemm_flags(&g, 0)[0];
        if (!failed) fail_msg("without \"%s\" D is right", lines[i]);
        px_gemm_free(&g);
    }
}

static const zlay_target *hopper(void)
{
    const zlay_target *target;
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    return target;
}

static zlay_plan_summary planned(const zlay_gemm *request)
{
    zlay_plan *plan;
    zlay_plan_summary info;
    zlay_gemm q = *request;
    q.size = sizeof q;
    if (zlay_gemm_synth(ctx, &plan, hopper(), &q)) fail_msg("%s", zlay_ctx_message(ctx));
    assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
    zlay_plan_free(plan);
    return info;
}

/* Blocks and bytes of the workspace: of each consumer a flag in 128 bytes, and 64 rows of f32. */
static void numbers(void **state)
{
    static const struct {
        uint64_t m, n, k;
        int32_t stream;
        uint32_t blocks, consumers, columns;
    } want[] = {
        {8192, 8192, 8192, ZLAY_STREAM_ALWAYS, 132, 2, 256}, {8192, 8192, 8192, ZLAY_STREAM_AUTO, 132, 2, 256},
        {8192, 8192, 8192, ZLAY_STREAM_NEVER, 0, 0, 0},      {4096, 4096, 4096, ZLAY_STREAM_AUTO, 0, 0, 0},
        {1024, 1024, 65536, ZLAY_STREAM_ALWAYS, 32, 2, 256}, {8192, 8192, 64, ZLAY_STREAM_AUTO, 0, 0, 0},
        {16896, 2048, 8192, ZLAY_STREAM_AUTO, 0, 0, 0}, /* whole waves */
        {4096, 1280, 8192, ZLAY_STREAM_AUTO, 0, 0, 0},  /* tiles of fewer columns are as fast */
        {2048, 5120, 8192, ZLAY_STREAM_AUTO, 132, 2, 256},
        {2048, 5120, 25600, ZLAY_STREAM_AUTO, 132, 2, 256},
    };
    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        zlay_gemm q = {.m = want[i].m, .n = want[i].n, .k = want[i].k, .stream_k = want[i].stream};
        if (want[i].blocks) q.tile_m = 128, q.tile_n = want[i].columns;
        zlay_plan_summary info = planned(&q);
        assert_int_equal(info.stream_blocks, want[i].blocks);
        assert_int_equal(info.workspace, want[i].blocks * want[i].consumers * (128 + 64 * 4 * want[i].columns));
    }
}

/* Where it has no pipe AUTO takes whole tiles, and ALWAYS says why. */
static void refusals(void **state)
{
    static const struct {
        const char *word, *target;
        zlay_status status;
        zlay_gemm gemm;
    } bad[] = {
        {"stream_k: products with a K of one step have none", "sm_90a", ZLAY_ENOTSUP, {.k = 64}},
        {"stream_k: products with so long a K that 32 bits do not count", "sm_90a", ZLAY_ENOTSUP, {.k = 2147483392}},
        {"stream_k: products with split_k have none", "sm_90a", ZLAY_ENOTSUP, {.k = 256, .split_k = 2}},
        {"stream_k: products with multicast have none", "sm_90a", ZLAY_ENOTSUP, {.k = 256, .multicast = ZLAY_MULTICAST_B}},
        {"stream_k: products with scales of A and B have none", "sm_90a", ZLAY_ENOTSUP, {.k = 256, .type = ZLAY_TYPE_E4M3, .a_scales = ZLAY_SCALES_LINE}},
        {"stream_k: products with operands that threads move have none", "sm_90a", ZLAY_ENOTSUP, {.k = 255}},
        {"stream_k: products with repacked operands have none", "sm_90a", ZLAY_ENOTSUP, {.k = 255, .repack = ZLAY_REPACK_ALWAYS}},
        {"stream_k: products with columns of D as the rows of tiles have none", "sm_90a", ZLAY_ENOTSUP, {.k = 256, .swap = ZLAY_SWAP_ALWAYS}},
        {"stream_k: 3 is none of never, auto, always", "sm_90a", ZLAY_EINVAL, {.k = 256, .stream_k = 3}},
        {"stream_k: -1 is none of", "sm_90a", ZLAY_EINVAL, {.k = 256, .stream_k = -1}},
        {"stages: 6 is not in 2..5", "sm_90a", ZLAY_EINVAL, {.k = 256, .stages = 6}},
        {"stream_k: plans of sm_100a have none", "sm_100a", ZLAY_ENOTSUP, {.k = 256}},
        {"stream_k: plans of sm_80 have none", "sm_80", ZLAY_ENOTSUP, {.k = 256}},
        {"stream_k: plans of waves (gfx942) have none", "gfx942", ZLAY_ENOTSUP, {.k = 256}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zlay_gemm q = bad[i].gemm;
        q.m = q.n = 128;
        if (!q.stream_k) q.stream_k = ZLAY_STREAM_ALWAYS;
        gemm_refused(bad[i].target, &q, bad[i].status, bad[i].word);
        q.stream_k = ZLAY_STREAM_AUTO;
        if (bad[i].status == ZLAY_ENOTSUP && !strcmp(bad[i].target, "sm_90a")) assert_int_equal(planned(&q).stream_blocks, 0);
    }
}

static void no_header(void **state)
{
    zlay_gemm q = {.m = 128, .n = 128, .k = 256, .stream_k = ZLAY_STREAM_ALWAYS};
    (void)state;
    gemm_without_header(&q, "stream_k");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),   cmocka_unit_test(worlds),    cmocka_unit_test(an_epilogue), cmocka_unit_test(edits),
        cmocka_unit_test(numbers),  cmocka_unit_test(refusals),  cmocka_unit_test(no_header),
    };
    return cmocka_run_group_tests_name("emit/gemm/stream", tests, open_ctx, close_ctx);
}
