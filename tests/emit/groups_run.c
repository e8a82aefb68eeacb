/* SPDX-License-Identifier: Apache-2.0 */
/* Products of groups of rows: the PTX is executed with lengths that no tile divides, with groups of no rows, and with offsets that no
 * caller may give. D is the exact sum, rounded, in each row of a group, and untouched in every other; memory beside D, and offsets
 * beside the array, are a fault of the machine. Then what is refused. */
#include "ptx/gemm.h"

#include <string.h>
#include <zlay/emit_pipe.h>

#define TYPES(a, b, d) .a_type = ZLAY_TYPE_##a, .b_type = ZLAY_TYPE_##b, .d_type = ZLAY_TYPE_##d
enum { GROUPS = 8 };

/* Binds offsets and operands, and runs; false: a fault. */
static bool ran(const px_gemm *g, const int32_t *offsets)
{
    static uint8_t copy[(GROUPS + 1) * sizeof *offsets];
    uint32_t bytes = (g->info.groups + 1) * (uint32_t)sizeof *offsets;
    memcpy(copy, offsets, bytes);
    *machine.fault = 0;
    px_gemm_bind(&machine, g);
    machine.memory[machine.memories++] = (px_memory){GEMM_OFFSETS, bytes, copy};
    px_run(&machine, g->text, (int)g->info.threads, g->blocks, 1);
    for (uint32_t i = 0; i < g->info.workspace && !*machine.fault; i++)
        if (g->workspace[i]) snprintf(machine.fault, sizeof machine.fault, "the counter of tiles is not 0 again");
    return !*machine.fault;
}

/* The group of a row, as the kernel bounds offsets: each lies between the one before and m; -1: none. */
static int32_t group_of(const px_gemm *g, const int32_t *offsets, uint64_t row)
{
    int64_t begin = 0, most = (int64_t)g->request.m;
    for (uint32_t i = 0; i <= g->info.groups; i++) {
        int64_t end = offsets[i] < begin ? begin : offsets[i] > most ? most : offsets[i];
        if (i && (int64_t)row >= begin && (int64_t)row < end) return (int32_t)i - 1;
        begin = end;
    }
    return -1;
}

static double sum_of(const px_gemm *g, uint64_t row, uint64_t column)
{
    double sum = 0;
    for (uint64_t k = 0; k < g->a.columns; k++)
        sum += (double)px_number(px_element(&g->a, row, k), g->a.type) * (double)px_number(px_element(&g->b, k, column), g->b.type);
    return sum;
}

/* Elements that are not what they must be: of D with its padding, which no group has. */
static uint64_t wrong(const px_gemm *g, const int32_t *offsets)
{
    uint64_t count = 0, n = g->request.n;
    for (uint64_t i = 0; i < g->d.count; i++) {
        uint64_t row = i / g->d.pitch, column = i % g->d.pitch;
        int32_t group = column < n ? group_of(g, offsets, row) : -1;
        uint32_t want = group < 0 ? 0 : px_gemm_bits(g->d.type, sum_of(g, row, (uint64_t)group * n + column));
        count += group < 0 ? !px_gemm_untouched(&g->d, i) : memcmp(g->d.at + i * g->d.bytes, &want, g->d.bytes) != 0;
    }
    return count;
}

static const struct {
    const char *what;
    uint32_t blocks;
    zlay_gemm gemm;
    int32_t offsets[GROUPS + 1];
} rows[] = {
    {"all lengths", 3, {.m = 420, .n = 72, .k = 72, .tile_m = 64, .tile_n = 64, .groups = 7}, {5, 5, 6, 69, 133, 198, 398, 398}},
    {"two consumers", 2, {.m = 420, .n = 136, .k = 136, .tile_m = 128, .tile_n = 64, .groups = 7}, {0, 0, 1, 64, 128, 193, 393, 420}},
    {"wide tiles, what is planned", 1, {.m = 300, .n = 264, .k = 200, .tile_m = 128, .tile_n = 256, .groups = 3}, {0, 129, 129, 300}},
    {"more blocks than tiles", 5, {.m = 70, .n = 64, .k = 64, .tile_m = 64, .tile_n = 64, .groups = 2}, {3, 4, 5}},
    {"bands of rows, and a row of tiles behind them", 2, {.m = 2400, .n = 136, .k = 16, .tile_m = 128, .tile_n = 64, .tile_k = 16, .groups = 3}, {0, 2197, 2238, 2400}},
    {"one group", 2, {.m = 200, .n = 136, .k = 200, .groups = 1}, {1, 199}},
    {"no rows", 2, {.m = 200, .n = 72, .k = 72, .groups = 4}, {7, 7, 7, 7, 7}},
    {"one row in all", 1, {.m = 1, .n = 8, .k = 8, .groups = 8}, {0, 0, 0, 0, 1, 1, 1, 1, 1}},
    {"few rows", 1, {.m = 20, .n = 72, .k = 72, .groups = 5}, {1, 2, 9, 9, 19, 20}},
    {"bands of rows", 2, {.m = 1300, .n = 136, .k = 16, .tile_m = 64, .tile_n = 64, .tile_k = 16, .groups = 2}, {0, 1190, 1300}},
    {"pitches", 2, {.m = 140, .n = 72, .k = 72, .lda = 80, .ldb = 88, .ldd = 80, .tile_m = 64, .tile_n = 64, .groups = 3}, {0, 65, 66, 140}},
    {"f16, D in f32", 2, {.m = 140, .n = 72, .k = 72, TYPES(F16, F16, F32), .tile_m = 64, .tile_n = 64, .groups = 3}, {0, 65, 66, 140}},
    {"f16", 2, {.m = 140, .n = 72, .k = 72, TYPES(F16, F16, F16), .tile_m = 64, .tile_n = 72, .groups = 3}, {0, 65, 66, 140}},
    {"bytes", 2, {.m = 140, .n = 80, .k = 144, TYPES(E4M3, E5M2, BF16), .tile_m = 64, .tile_n = 64, .groups = 3}, {0, 65, 66, 140}},
};

static void values(void **state)
{
    uint64_t random = test_seed("groups");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        px_gemm g;
        px_gemm_make(&g, &rows[i].gemm, rows[i].blocks, &random);
        assert_int_equal(g.info.groups, rows[i].gemm.groups);
        for (int when = PX_LATE; when <= PX_ANY_TIME; when++) {
            machine.when = (px_when)when;
            machine.turn = 9;
            machine.random = test_random(&random);
            if (!ran(&g, rows[i].offsets)) fail_msg("%s: %s", rows[i].what, machine.fault);
            uint64_t bad = wrong(&g, rows[i].offsets);
            if (bad) fail_msg("%s: %llu elements of D are wrong", rows[i].what, (unsigned long long)bad);
        }
        px_gemm_free(&g);
    }
}

/* Offsets that decrease, pass m or are negative: bounded, never outside, and each row has one group. */
static void hostile(void **state)
{
    static const int32_t offsets[][4] = {
        {0, 60, 30, 140}, {140, 70, 0, 0}, {-5, 20, 1000, 140}, {0, INT32_MAX, INT32_MIN, 140}, {INT32_MAX, 0, 1, 2},
        {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MAX}, {141, 142, 143, 144}, {-3, -2, -1, 0}, {0, 139, 141, 70},
    };
    uint64_t random = test_seed("hostile groups");
    px_gemm g;
    zlay_gemm q = {.m = 140, .n = 72, .k = 16, .tile_m = 64, .tile_n = 64, .tile_k = 16, .groups = 3};
    (void)state;
    px_gemm_make(&g, &q, 2, &random);
    machine.when = PX_ANY_TIME;
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        if (!ran(&g, offsets[i])) fail_msg("offsets %zu: %s", i, machine.fault);
        if (wrong(&g, offsets[i])) fail_msg("offsets %zu: D is wrong", i);
    }
    for (uint32_t i = 0; i < 24; i++) {
        int32_t drawn[4];
        for (int j = 0; j < 4; j++) drawn[j] = (int32_t)(test_random(&random) % 180) - 20;
        if (!ran(&g, drawn)) fail_msg("%d %d %d %d: %s", drawn[0], drawn[1], drawn[2], drawn[3], machine.fault);
        if (wrong(&g, drawn)) fail_msg("%d %d %d %d: D is wrong", drawn[0], drawn[1], drawn[2], drawn[3]);
    }
    px_gemm_free(&g);
}

/* What is left out of the text is seen. */
static void edits(void **state)
{
    static const char *const lines[] = {"sub.u32 w0, tile, origin", "mov.u32 begins, ends", "mad.lo.u32 x2, group", "mad.lo.u32 x3, ends",
                                        "mad.lo.u32 x1, begins", "mad.lo.u32 x2, ends", "min.s32 ends", "max.s32 ends", "add.u32 tall, tall, 127", "setp.gt.s32 busy", "selp.b32 row, full", "selp.b32 column, rest"};
    static const int32_t offsets[] = {3, 140, 138, 261};
    uint64_t random = test_seed("groups edits");
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        px_gemm g;
        zlay_gemm q = {.m = 260, .n = 72, .k = 16, .tile_m = 128, .tile_n = 64, .tile_k = 16, .groups = 3};
        px_gemm_make(&g, &q, 2, &random);
        machine.when = PX_EARLY;
        bool found = false;
        for (char *at = g.text; (at = strstr(at, lines[i])) != NULL; found = true) memset(at, ' ', (size_t)(strchr(at, '\n') - at));
        assert_true(found);
        if (ran(&g, offsets) && !wrong(&g, offsets)) fail_msg("without \"%s\" D is right", lines[i]);
        px_gemm_free(&g);
    }
}

static void refusals(void **state)
{
    static const struct {
        const char *word, *target;
        zlay_status status;
        zlay_gemm gemm;
    } bad[] = {
        {"groups: 2147483648 is not in 1..2147483647", "sm_90a", ZLAY_EINVAL, {.groups = 1u << 31}},
        {"groups: products with split_k have none", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .split_k = 2}},
        {"groups: products with stream_k have none", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .stream_k = ZLAY_STREAM_ALWAYS}},
        {"groups: products with multicast have none", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .multicast = ZLAY_MULTICAST_B}},
        {"groups: products with swap have none", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .swap = ZLAY_SWAP_ALWAYS}},
        {"groups: products with repack have none", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .repack = ZLAY_REPACK_AUTO}},
        {"groups: products with a_scales have none", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .type = ZLAY_TYPE_E4M3, .a_scales = ZLAY_SCALES_LINE}},
        {"groups: products with b_scales have none", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .type = ZLAY_TYPE_E4M3, .b_scales = ZLAY_SCALES_LINE}},
        {"groups: products with d_scales have none", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .d_type = ZLAY_TYPE_E4M3, .d_scales = ZLAY_SCALES_LINE}},
        {"groups: products with an epilogue have none", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .epilogue = px_relu, .epilogue_length = sizeof px_relu - 1}},
        {"groups: a D that is column-major has none", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .d_order = ZLAY_ORDER_COLUMN}},
        {"groups: K is contiguous in A and in B, and A is not so", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .a_order = ZLAY_ORDER_COLUMN}},
        {"groups: K is contiguous in A and in B, and B is not so", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .b_order = ZLAY_ORDER_ROW}},
        {"the address or a row of D is no multiple of 16", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .n = 68}},
        {"the address or a row of A is no multiple of 16", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .k = 68}},
        {"m: 1073741824; groups have fewer than 2^30 rows", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .m = 1 << 30}},
        {"groups: 2000000000 matrices of B pass 2^64 bytes", "sm_90a", ZLAY_EOVERFLOW, {.groups = 2000000000, .n = 1 << 20, .k = 1 << 20}},
        {"more than 2^31 - 1 tiles", "sm_90a", ZLAY_ENOTSUP, {.groups = 2000000000, .n = 4096}},
        {"groups: plans of sm_80 have none", "sm_80", ZLAY_ENOTSUP, {.groups = 2}},
        {"groups: plans of sm_100a have none", "sm_100a", ZLAY_ENOTSUP, {.groups = 2}},
        {"groups: plans of waves (gfx942) have none", "gfx942", ZLAY_ENOTSUP, {.groups = 2}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zlay_gemm q = bad[i].gemm;
        if (!q.m) q.m = 64;
        if (!q.n) q.n = 128;
        if (!q.k) q.k = 256;
        gemm_refused(bad[i].target, &q, bad[i].status, bad[i].word);
    }
    gemm_without_header(&(zlay_gemm){.m = 64, .n = 64, .k = 64, .groups = 2}, "groups");
}

/* The plan says its groups, and the kernel has their argument behind the six. */
static void plan_says(void **state)
{
    uint64_t random = test_seed("groups said");
    static char text[1 << 16];
    zlay_buf out = {text, sizeof text, 0};
    zlay_pipe_argument argument;
    px_gemm g;
    (void)state;
    px_gemm_make(&g, &(zlay_gemm){.m = 130, .n = 72, .k = 72, .tile_m = 64, .tile_n = 64, .groups = 9}, 1, &random);
    assert_int_equal(zlay_plan_print(&out, g.plan), ZLAY_OK);
    assert_non_null(strstr(text, "9 groups of rows, 130 rows at most"));
    assert_int_equal(zlay_plan_argument_nth(&argument, g.plan, 6), ZLAY_OK);
    assert_string_equal(argument.name, "offsets");
    assert_int_equal(argument.type, ZLAY_TYPE_S32);
    assert_int_equal(zlay_plan_argument_nth(&argument, g.plan, 7), ZLAY_NONE);
    assert_int_equal(g.info.tiles_m, (130 + 9 * 63) / 64);
    px_gemm_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(hostile),
        cmocka_unit_test(edits),
        cmocka_unit_test(refusals),
        cmocka_unit_test(plan_says),
    };
    return cmocka_run_group_tests_name("emit/groups_run", tests, open_ctx, close_ctx);
}
