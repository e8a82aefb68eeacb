/* SPDX-License-Identifier: Apache-2.0 */
/* Products of groups of rows: the PTX is executed with lengths that no tile divides, with groups of no rows, and with offsets that no
 * caller may give, plain, with scales of blocks and with an epilogue. D is the exact sum, rounded, in each row of a group, and
 * untouched in every other; memory beside D, and beside arrays of offsets and of factors, is a fault of the machine. Factors are
 * powers of two, so that sums stay exact. Then what is refused. */
#define _POSIX_C_SOURCE 200809L
#include "heap.h"
#include "plans/groups.h"
#include "ptx/gemm.h"

#include "assembler.h"

#include <string.h>
#include <zlay/emit_pipe.h>

#define TYPES(a, b, d) .a_type = ZLAY_TYPE_##a, .b_type = ZLAY_TYPE_##b, .d_type = ZLAY_TYPE_##d
#define BYTES TYPES(E4M3, E4M3, BF16)
#define SCALED BYTES, .a_scales = ZLAY_SCALES_LINE, .b_scales = ZLAY_SCALES_BLOCK
#define EPILOGUE(text) .epilogue = text, .epilogue_length = sizeof text - 1
enum { GROUPS = 8, BLOCK = 128, FIRST = 7 /* argument behind those of every product of groups; a workspace may follow */ };

/* The last is examples/scaled_groups.body. */
static const char moved[] = "body moved\n  matrix S f32\n  matrix R bf16\n  global scale_a f32\n  index i\n  index j\n"
                            "  R = bf16(S * load(scale_a, i + row, 200))\nend\n";
static const char far[] = "body far\n  matrix S f32\n  matrix R bf16\n  global scale_a f32\n  index i\n  index j\n"
                          "  R = bf16(S * load(scale_a, i + row, 2400))\nend\n";
static char both[1024];

/* Arrays of factors: of A's rows and B's columns by blocks of K, and of rows and columns by an epilogue. */
enum { ROWS_K, BLOCKS_K, ROWS, COLUMNS, FACTORS };
static float *factor[FACTORS];
static uint64_t factor_count[FACTORS];

static uint64_t blocks_of(uint64_t extent) { return (extent + BLOCK - 1) / BLOCK; }

static void factors_make(const px_gemm *g, uint64_t *random)
{
    const zlay_gemm *q = &g->request;
    const uint64_t count[FACTORS] = {q->a_scales ? blocks_of(q->k) * q->m : 0,
                                     q->b_scales ? q->groups * blocks_of(q->n) * blocks_of(q->k) : 0,
                                     q->epilogue ? q->m : 0,
                                     q->epilogue == both ? q->groups * q->n : 0};
    for (int f = 0; f < FACTORS; f++) {
        static const float of[] = {0.5F, 1, 2, 4};
        factor[f] = malloc(count[f] * sizeof(float) + 1);
        assert_non_null(factor[f]);
        factor_count[f] = count[f];
        for (uint64_t i = 0; i < count[f]; i++) factor[f][i] = of[test_random(random) % 4];
    }
}

static void make(px_gemm *g, const zlay_gemm *q, uint32_t blocks, uint64_t *random)
{
    px_gemm_make(g, q, blocks, random);
    factors_make(g, random);
}

static void drop(px_gemm *g)
{
    for (int f = 0; f < FACTORS; f++) free(factor[f]);
    px_gemm_free(g);
}

/* Gives the arguments behind the offsets. */
static void give(const px_gemm *g)
{
    static const char *const names[] = {"read_sa", "read_sb", "read_scale_a", "read_scale_b"};
    zlay_pipe_argument argument;
    for (uint32_t i = FIRST + (g->info.workspace != 0); !zlay_plan_argument_nth(&argument, g->plan, i); i++) {
        uint64_t address = ((uint64_t)1 << 32) + ((uint64_t)i << 28);
        int f = 0;
        while (f < FACTORS && strcmp(argument.name, names[f]) != 0) f++;
        if (f < FACTORS) {
            memcpy(machine.param[i], &address, sizeof address);
            machine.memory[machine.memories++] = (px_memory){address, factor_count[f] * sizeof(float), (void *)factor[f]};
            continue;
        }
        bool rows = !strcmp(argument.name, "x_m");
        assert_true(rows || !strcmp(argument.name, "x_n"));
        memcpy(machine.param[i], rows ? &g->request.m : &g->request.n, argument.bytes);
    }
}

static bool ran(const px_gemm *g, const int32_t *offsets) { return px_gemm_ran_groups(&machine, g, offsets, give); }

/* Both scales of a block, at k. */
static double scale_of(const px_gemm *g, uint64_t row, uint64_t group, uint64_t column, uint64_t k)
{
    const zlay_gemm *q = &g->request;
    double a = q->a_scales ? (double)factor[ROWS_K][k / BLOCK * q->m + row] : 1;
    return q->b_scales ? a * (double)factor[BLOCKS_K][(group * blocks_of(q->n) + column / BLOCK) * blocks_of(q->k) + k / BLOCK] : a;
}

static double sum_of(const px_gemm *g, uint64_t row, uint64_t group, uint64_t column)
{
    double sum = 0;
    bool below = g->request.b_order == ZLAY_ORDER_ROW && g->request.groups > 1;
    uint64_t at = group * g->request.n + column, first = below ? group * g->request.k : 0;
    for (uint64_t k = 0; k < g->a.columns; k++)
        sum += (double)px_number(px_element(&g->a, row, k), g->a.type) *
               (double)px_number(px_element(&g->b, first + k, below ? column : at), g->b.type) * scale_of(g, row, group, column, k);
    if (factor_count[ROWS]) sum *= (double)factor[ROWS][row];
    return factor_count[COLUMNS] ? sum * (double)factor[COLUMNS][at] : sum;
}

/* Elements that are not what they must be: of D with its padding, which no group has. */
static uint64_t wrong(const px_gemm *g, const int32_t *offsets)
{
    uint64_t count = 0, n = g->request.n;
    for (uint64_t i = 0; i < g->d.count; i++) {
        uint64_t row = i / g->d.pitch, column = i % g->d.pitch;
        int32_t group = column < n ? groups_of_row(offsets, g->info.groups, g->request.m, row) : -1;
        uint32_t want = group < 0 ? 0 : px_gemm_bits(g->d.type, sum_of(g, row, (uint64_t)group, column));
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
    {"two consumers, not transposed", 2, {.m = 200, .n = 136, .k = 136, EPILOGUE(moved), .tile_m = 128, .tile_n = 64, .groups = 7}, {0, 0, 1, 64, 128, 193, 193, 200}},
    {"bands of rows, and a row of tiles behind them, not transposed", 2, {.m = 2400, .n = 136, .k = 16, EPILOGUE(far), .tile_m = 128, .tile_n = 64, .tile_k = 16, .groups = 3}, {0, 2197, 2238, 2400}},
    {"columns for four consumers", 2, {.m = 420, .n = 520, .k = 136, .tile_m = 256, .tile_n = 128, .groups = 7}, {5, 5, 6, 69, 133, 198, 398, 420}},
    {"all that is few", 3, {.m = 33, .n = 136, .k = 520, .groups = 8}, {0, 1, 2, 3, 4, 20, 20, 32, 33}},
    {"rows of B are of K, as in a gradient of tokens", 3, {.m = 420, .n = 136, .k = 72, .b_order = ZLAY_ORDER_ROW, .tile_m = 64, .tile_n = 64, .groups = 7}, {5, 5, 6, 69, 133, 198, 398, 420}},
    {"rows of B are of K, four consumers", 2, {.m = 300, .n = 520, .k = 136, .b_order = ZLAY_ORDER_ROW, .groups = 3}, {0, 129, 129, 300}},
    {"rows of B are of K, with factors", 2, {.m = 200, .n = 136, .k = 72, .b_order = ZLAY_ORDER_ROW, EPILOGUE(moved), .tile_m = 128, .groups = 3}, {1, 66, 67, 200}},
    {"one group", 2, {.m = 200, .n = 136, .k = 200, .groups = 1}, {1, 199}},
    {"no rows", 2, {.m = 200, .n = 72, .k = 72, .groups = 4}, {7, 7, 7, 7, 7}},
    {"one row in all", 1, {.m = 1, .n = 8, .k = 8, .groups = 8}, {0, 0, 0, 0, 1, 1, 1, 1, 1}},
    {"few rows", 1, {.m = 20, .n = 72, .k = 72, .groups = 5}, {1, 2, 9, 9, 19, 20}},
    {"bands of rows", 2, {.m = 1300, .n = 136, .k = 16, .tile_m = 64, .tile_n = 64, .tile_k = 16, .groups = 2}, {0, 1190, 1300}},
    {"pitches", 2, {.m = 140, .n = 72, .k = 72, .lda = 80, .ldb = 88, .ldd = 80, .tile_m = 64, .tile_n = 64, .groups = 3}, {0, 65, 66, 140}},
    {"f16, D in f32", 2, {.m = 140, .n = 72, .k = 72, TYPES(F16, F16, F32), .tile_m = 64, .tile_n = 64, .groups = 3}, {0, 65, 66, 140}},
    {"f16", 2, {.m = 140, .n = 72, .k = 72, TYPES(F16, F16, F16), .tile_m = 64, .tile_n = 72, .groups = 3}, {0, 65, 66, 140}},
    {"bytes", 2, {.m = 140, .n = 80, .k = 144, TYPES(E4M3, E5M2, BF16), .tile_m = 64, .tile_n = 64, .groups = 3}, {0, 65, 66, 140}},
    {"bytes to bytes", 2, {.m = 140, .n = 80, .k = 144, TYPES(E5M2, E4M3, E4M3), .groups = 3}, {0, 65, 66, 140}},
    {"scales", 2, {.m = 420, .n = 136, .k = 272, SCALED, .tile_m = 64, .tile_n = 64, .groups = 7}, {5, 5, 6, 69, 133, 198, 398, 420}},
    {"scales, two consumers", 2, {.m = 420, .n = 264, .k = 272, SCALED, .tile_m = 128, .groups = 7}, {0, 0, 1, 64, 128, 193, 393, 420}},
    {"scales, one step of K", 2, {.m = 200, .n = 136, .k = 64, SCALED, .tile_m = 128, .groups = 3}, {1, 2, 131, 200}},
    {"scales, an even number of steps", 2, {.m = 200, .n = 136, .k = 512, SCALED, .groups = 2}, {1, 64, 200}},
    {"scales of A", 2, {.m = 200, .n = 136, .k = 272, BYTES, .a_scales = ZLAY_SCALES_LINE, .tile_m = 128, .groups = 2}, {1, 66, 200}},
    {"scales of B, D in f32", 2, {.m = 200, .n = 136, .k = 272, TYPES(E5M2, E4M3, F32), .b_scales = ZLAY_SCALES_BLOCK, .tile_m = 128, .groups = 2}, {1, 66, 200}},
    {"scales and an epilogue", 2, {.m = 200, .n = 136, .k = 272, SCALED, EPILOGUE(moved), .tile_m = 128, .groups = 2}, {1, 66, 200}},
    {"factors of rows", 2, {.m = 200, .n = 136, .k = 72, EPILOGUE(moved), .tile_m = 128, .groups = 3}, {1, 66, 67, 200}},
    {"factors of rows and columns", 2, {.m = 200, .n = 136, .k = 144, BYTES, .epilogue = both, .tile_m = 128, .tile_n = 128, .groups = 3}, {1, 66, 67, 200}},
    {"idle consumers among others", 1, {.m = 330, .n = 72, .k = 400, SCALED, .tile_m = 128, .tile_n = 64, .groups = 5}, {0, 10, 138, 202, 330, 330}},
    {"steps of two boxes, two consumers", 2, {.m = 200, .n = 72, .k = 200, .tile_m = 128, .tile_n = 64, .tile_k = 128, .groups = 3}, {1, 50, 130, 200}},
    {"fewer rows than a tile, two consumers", 2, {.m = 70, .n = 72, .k = 272, SCALED, .tile_m = 128, .groups = 2}, {1, 50, 70}},
    {"no more rows than a consumer has, two consumers", 2, {.m = 60, .n = 72, .k = 72, .tile_m = 128, .groups = 2}, {1, 50, 60}},
};

static void values(void **state)
{
    uint64_t random = test_seed("groups");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        px_gemm g;
        zlay_gemm q = rows[i].gemm;
        if (q.epilogue == both) q.epilogue_length = strlen(both);
        make(&g, &q, rows[i].blocks, &random);
        assert_int_equal(g.info.groups, rows[i].gemm.groups);
        for (int when = PX_LATE; when <= PX_ANY_TIME; when++) {
            if (!test_exhaustive() && (int)(i % (PX_ANY_TIME - PX_LATE + 1)) != when - PX_LATE) continue; /* each order for some rows */
            machine.when = (px_when)when;
            machine.turn = 9;
            machine.random = test_random(&random);
            if (!ran(&g, rows[i].offsets)) fail_msg("%s: %s", rows[i].what, machine.fault);
            uint64_t bad = wrong(&g, rows[i].offsets);
            if (bad) fail_msg("%s: %llu elements of D are wrong", rows[i].what, (unsigned long long)bad);
        }
        drop(&g);
    }
}

/* Offsets that decrease, pass m or are negative: bounded, never outside, and each row has one group. */
static void hostile(void **state)
{
    static const zlay_gemm products[] = {
        {.m = HOSTILE_ROWS, .n = 72, .k = 16, .tile_m = 64, .tile_n = 64, .tile_k = 16, .groups = HOSTILE_GROUPS},
        {.m = HOSTILE_ROWS, .n = 72, .k = 16, SCALED, .tile_m = 128, .tile_n = 64, .groups = HOSTILE_GROUPS},
        {.m = HOSTILE_ROWS, .n = 80, .k = 16, BYTES, .epilogue = both, .tile_m = 128, .tile_n = 64, .groups = HOSTILE_GROUPS},
    };
    uint64_t random = test_seed("hostile groups");
    int32_t o[HOSTILE_GROUPS + 1];
    (void)state;
    machine.when = PX_ANY_TIME;
    for (size_t p = 0; p < sizeof products / sizeof *products; p++) {
        px_gemm g;
        zlay_gemm q = products[p];
        if (q.epilogue) q.epilogue_length = strlen(both);
        make(&g, &q, 2, &random);
        for (uint32_t i = 0; groups_hostile(o, i, &random); i++) {
            if (!ran(&g, o)) fail_msg("%d %d %d %d: %s", o[0], o[1], o[2], o[3], machine.fault);
            if (wrong(&g, o)) fail_msg("%d %d %d %d: D is wrong", o[0], o[1], o[2], o[3]);
        }
        drop(&g);
    }
}

/* What is left out of the text is seen: of a plain product, of one with scales, of one with factors of columns. */
static void edits(void **state)
{
    static const zlay_gemm products[] = {
        {.m = 200, .n = 72, .k = 16, EPILOGUE(moved), .tile_m = 128, .tile_n = 64, .tile_k = 16, .groups = 3},
        {.m = 260, .n = 136, .k = 16, SCALED, .tile_m = 128, .tile_n = 64, .groups = 3},
        {.m = 260, .n = 80, .k = 16, BYTES, .epilogue = both, .tile_m = 128, .tile_n = 64, .groups = 3},
        {.m = 260, .n = 136, .k = 16, .tile_m = 64, .tile_n = 128, .tile_k = 16, .groups = 3},
    };
    static const struct {
        int product;
        const char *line;
    } lines[] = {
        {0, "sub.u32 w0, tile, origin"}, {0, "mov.u32 begins, ends"}, {0, "mad.lo.u32 x2, group"}, {0, "mad.lo.u32 x3, ends"},
        {0, "mad.lo.u32 x1, begins"}, {0, "mad.lo.u32 x2, ends"}, {0, "min.s32 ends"}, {0, "max.s32 ends"}, {0, "add.u32 tall, tall, 127"},
        {0, "setp.gt.s32 busy"}, {0, ", idle;"}, {0, "@!busy"}, {0, "@!idle"}, {0, "setp.lt.s32 idle"}, {0, "selp.b32 row, full"}, {0, "selp.b32 column, rest"},
        {1, ", row, 128, begins;"}, {1, ", group;"}, {1, "min.s32 v"}, {1, "acc_p_0, v"}, {2, ", row, 128, begins;"}, {2, ", group;"},
        {3, "sub.u32 w0, tile, origin"}, {3, "mov.u32 begins, ends"}, {3, "mad.lo.u32 x2, group"}, {3, "mad.lo.u32 x3, ends"}, {3, "mad.lo.u32 x1, begins"},
        {3, "mad.lo.u32 x2, ends"}, {3, "min.s32 ends"}, {3, "max.s32 ends"}, {3, "add.u32 tall, tall, 127"}, {3, "mul.lo.u32 row, row, tallest"},
        {3, "sub.u32 w0, w0, absent"}, {3, "mul.lo.u32 absent"}, {3, "min.u32 filled"}, {3, "setp.gt.s32 more, filled, 64"}, {3, "setp.gt.s32 more, filled, 80"},
        {3, "setp.eq.u32 more, narrow, 5"}, {3, "atom.global.add"}, {3, "st.global.b32 [gp], w0"}, {3, "ld.shared.b32 taken"},
        {3, "st.shared.b32 [at], taken"}, {3, "mov.u32 tile, taken"},
    };
    static const int32_t offsets[] = {3, 140, 138, 261};
    uint64_t random = test_seed("groups edits");
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        px_gemm g;
        zlay_gemm q = products[lines[i].product];
        if (q.epilogue == both) q.epilogue_length = strlen(both);
        make(&g, &q, 2, &random);
        machine.when = PX_EARLY;
        bool found = false;
        for (char *at = g.text; (at = strstr(at, lines[i].line)) != NULL; found = true) {
            while (at[-1] != '\n') at--;
            memset(at, ' ', (size_t)(strchr(at, '\n') - at));
        }
        if (!found) fail_msg("no line has \"%s\"", lines[i].line);
        if (ran(&g, offsets) && !wrong(&g, offsets)) fail_msg("without \"%s\" D is right", lines[i].line);
        drop(&g);
    }
}

/* ptxas takes the kernels that are executed and larger ones, without a word about spills or products that wait for each other. */
static void assembled(void **state)
{
    static const zlay_gemm large[] = {
        {.m = 16384, .n = 3072, .k = 8192, SCALED, .groups = 32},
        {.m = 16384, .n = 3072, .k = 8192, SCALED, .tile_m = 64, .groups = 32},
        {.m = 16384, .n = 3072, .k = 8200 * 16, SCALED, .groups = 32},
        {.m = 16384, .n = 3072, .k = 8192, BYTES, .a_scales = ZLAY_SCALES_LINE, .groups = 32},
        {.m = 16384, .n = 3072, .k = 8192, BYTES, .b_scales = ZLAY_SCALES_BLOCK, .groups = 32},
        {.m = 16384, .n = 3072, .k = 8192, BYTES, .groups = 32},
        {.m = 16384, .n = 3072, .k = 8192, BYTES, .epilogue = both, .groups = 32},
        {.m = 16384, .n = 3072, .k = 8192, BYTES, .epilogue = both, .tile_m = 128, .tile_n = 256, .groups = 32},
        {.m = 16384, .n = 3072, .k = 8192, .tile_m = 128, .tile_n = 256, .groups = 32},
    };
    uint64_t random = test_seed("groups assembled");
    (void)state;
    need_assembler();
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        px_gemm g = {.request = large[i]};
        const zlay_target *target;
        g.request.size = sizeof g.request;
        if (g.request.epilogue) g.request.epilogue_length = strlen(both);
        assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
        if (zlay_gemm_synth(ctx, &g.plan, target, &g.request)) fail_msg("%s", zlay_ctx_message(ctx));
        px_gemm_text(&g);
        if (!assembles_fast("sm_90a", g.text)) fail_msg("large product %zu", i);
        zlay_plan_free(g.plan);
        free(g.text);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        px_gemm g;
        zlay_gemm q = rows[i].gemm;
        if (q.epilogue == both) q.epilogue_length = strlen(both);
        make(&g, &q, 1, &random);
        if (!assembles_fast("sm_90a", g.text)) fail_msg("%s", rows[i].what);
        drop(&g);
    }
}

static void refusals(void **state)
{
    static const char kept[] = "body kept\n matrix S f32\n matrix R bf16\n output o f32\n index i\n index j\n x = rowsum(S)\n store(o, i + row, 64, x)\n R = bf16(S)\nend\n";
    static const char four[] = "body four\n matrix S f32\n matrix R bf16\n index i\n index j\n index g\n index k\n R = bf16(S)\nend\n";
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
        {"groups: products with a_scales of 128x128, for groups begin at any row, have none", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .type = ZLAY_TYPE_E4M3, .a_scales = ZLAY_SCALES_BLOCK}},
        {"groups: products with b_scales of 1x128 have none", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .type = ZLAY_TYPE_E4M3, .b_scales = ZLAY_SCALES_LINE}},
        {"b_scales: 2147483648 scales; their indices pass 31 bits", "sm_90a", ZLAY_ENOTSUP, {.groups = 1 << 28, .type = ZLAY_TYPE_E4M3, .k = 1024, .b_scales = ZLAY_SCALES_BLOCK}},
        {"groups: products with d_scales have none", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .d_type = ZLAY_TYPE_E4M3, .d_scales = ZLAY_SCALES_LINE}},
        {"epilogue: body kept stores values of rows, and rows behind a group are in its tiles", "sm_90a", ZLAY_EINVAL, {.groups = 2, EPILOGUE(kept)}},
        {"epilogue: body four has neither no index nor two, row and column of the tile, nor with groups three", "sm_90a", ZLAY_EINVAL, {.groups = 2, EPILOGUE(four)}},
        {"epilogue: body scaled_groups has three indices; the third is a group, and the product has none", "sm_90a", ZLAY_EINVAL, {.epilogue = both}},
        {"groups: a D that is column-major has none", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .d_order = ZLAY_ORDER_COLUMN}},
        {"groups: K is contiguous in A, whose rows groups have", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .a_order = ZLAY_ORDER_COLUMN}},
        {"the address or a row of D is no multiple of 16", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .n = 68}},
        {"the address or a row of A is no multiple of 16", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .k = 68}},
        {"m: 1073741824; groups have fewer than 2^30 rows", "sm_90a", ZLAY_ENOTSUP, {.groups = 2, .m = 1 << 30}},
        {"groups: 2000000000 matrices of B pass 2^64 bytes", "sm_90a", ZLAY_EOVERFLOW, {.groups = 2000000000, .n = 1 << 20, .k = 1 << 20}},
        {"more than 2^31 - 1 tiles", "sm_90a", ZLAY_ENOTSUP, {.groups = 2000000000, .n = 4096}},
        {"groups: plans of sm_80 have none", "sm_80", ZLAY_ENOTSUP, {.groups = 2}},
        {"groups: plans of sm_100a have none", "sm_100a", ZLAY_ENOTSUP, {.groups = 2}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zlay_gemm q = bad[i].gemm;
        if (!q.m) q.m = 64;
        if (!q.n) q.n = 128;
        if (!q.k) q.k = 256;
        if (q.epilogue == both) q.epilogue_length = strlen(both);
        gemm_refused(bad[i].target, &q, bad[i].status, bad[i].word);
    }
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
    make(&g, &(zlay_gemm){.m = 130, .n = 72, .k = 72, .tile_m = 64, .tile_n = 64, .groups = 9}, 1, &random);
    assert_int_equal(zlay_plan_print(&out, g.plan), ZLAY_OK);
    assert_non_null(strstr(text, "9 groups of rows, 130 rows at most"));
    assert_int_equal(zlay_plan_argument_nth(&argument, g.plan, 6), ZLAY_OK);
    assert_string_equal(argument.name, "offsets");
    assert_int_equal(argument.type, ZLAY_TYPE_S32);
    assert_int_equal(zlay_plan_argument_nth(&argument, g.plan, 7), ZLAY_OK);
    assert_string_equal(argument.name, "workspace");
    assert_int_equal(zlay_plan_argument_nth(&argument, g.plan, 8), ZLAY_NONE);
    assert_int_equal(g.info.tiles_n, (130 + 9 * 63) / 64);
    assert_int_equal(g.info.workspace, 16);
    assert_true(g.info.swapped);
    drop(&g);
    make(&g, &(zlay_gemm){.m = 130, .n = 200, .k = 300 * 16, SCALED, .tile_m = 128, .groups = 9}, 1, &random);
    out.need = 0;
    assert_int_equal(zlay_plan_print(&out, g.plan), ZLAY_OK);
    assert_non_null(strstr(text, "rows of A are loaded for one consumer at a time"));
    assert_non_null(strstr(text, "scales of B: read_sb, f32 [2][38], one for 128 columns and 128 of K, of each group\n"));
    zlay_scales s;
    assert_int_equal(zlay_plan_scales(&s, g.plan, ZLAY_OPERAND_A), ZLAY_OK);
    assert_int_equal(s.shape[1], 130);
    drop(&g);
}

/* Plans and prints a product with all that groups may have. */
static zlay_status plan_and_print(zlay_ctx *in, void *given)
{
    zlay_buf *out = given;
    zlay_gemm q = {.size = sizeof q, .m = 130, .n = 136, .k = 272, SCALED, EPILOGUE(moved), .tile_m = 128, .groups = 3};
    const zlay_target *target;
    zlay_plan *plan;
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    zlay_status status = zlay_gemm_synth(in, &plan, target, &q);
    out->need = 0;
    if (!status) status = zlay_emit_ptx(in, out, plan, "g", 1);
    zlay_plan_free(plan);
    return status;
}

static void memory_ends(void **state)
{
    static char text[1 << 17];
    zlay_buf out = {text, sizeof text, 0};
    heap h;
    zlay_ctx *in = heap_open(&h, NULL);
    (void)state;
    assert_int_equal(heap_fails_each(&h, in, plan_and_print, &out), ZLAY_OK);
    heap_close(&h, in);
}

int main(void)
{
    FILE *file = fopen("examples/scaled_groups.body", "r");
    if (!file || !fread(both, 1, sizeof both - 1, file)) return 1;
    fclose(file);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(hostile),
        cmocka_unit_test(edits),
        cmocka_unit_test(assembled),
        cmocka_unit_test(refusals),
        cmocka_unit_test(plan_says),
        cmocka_unit_test(memory_ends),
    };
    return cmocka_run_group_tests_name("emit/gemm/groups", tests, open_ctx, close_ctx);
}
