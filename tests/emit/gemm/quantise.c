/* SPDX-License-Identifier: Apache-2.0 */
/* Products whose D has a scale for each row and 128 columns: executed as PTX at sizes that no tile and no block divides, with an
 * array of scales of its exact size. Sums are whole numbers times powers of two, so f32 has them exactly: scales are equal to those
 * of C, bit by bit, and so are the elements. A second product reads D and the scales as its A. What has no such D is refused. */
#define _POSIX_C_SOURCE 200809L
#include "ptx/gemm.h"

#include "assembler.h"

#include <string.h>
#include <zlay/emit_pipe.h>

enum { BLOCK = 128, ARGUMENTS = 6, BIAS = 1024, NONE = ZLAY_SCALES_NONE, LINE = ZLAY_SCALES_LINE, SQUARE = ZLAY_SCALES_BLOCK };

/* Rows of A that are zeros; that have an infinity, where the type has one. */
enum { ZERO_ROW = 3, INFINITE_ROW = 5 };

static const char relu[] = "body act\n  matrix S f32\n  global bias f32\n  index i\n  index j\n  S = max(S * 0.5 + load(bias, j + col, 1024), -3)\nend\n";

static uint64_t blocks_of(uint64_t extent) { return (extent + BLOCK - 1) / BLOCK; }

/* What the kernel reads and stores beside A, B and D. */
typedef struct arrays {
    float *a, *b, *d, *bias;
    uint64_t a_count, b_count, d_count, bias_count;
} arrays;

static float *floats(uint64_t count)
{
    float *at = malloc(count * sizeof *at + 1);
    assert_non_null(at);
    return at;
}

static uint64_t count_of(int32_t sort, uint64_t lines, uint64_t k)
{
    return !sort ? 0 : (sort == LINE ? lines : blocks_of(lines)) * blocks_of(k);
}

/* Powers of two; a bias is of quarters, and huge behind the last column, which tiles have. */
static arrays arrays_make(const zlay_gemm *q, uint64_t *random)
{
    arrays x = {.a_count = count_of(q->a_scales, q->m, q->k), .b_count = count_of(q->b_scales, q->n, q->k), .d_count = q->m * blocks_of(q->n),
                .bias_count = BIAS};
    x.a = floats(x.a_count), x.b = floats(x.b_count), x.d = floats(x.d_count), x.bias = floats(x.bias_count);
    for (uint64_t i = 0; i < x.a_count; i++) x.a[i] = ldexpf(1, (int)(test_random(random) % 5) - 2);
    for (uint64_t i = 0; i < x.b_count; i++) x.b[i] = ldexpf(1, (int)(test_random(random) % 5) - 2);
    for (uint64_t i = 0; i < x.d_count; i++) x.d[i] = -1;
    for (uint64_t i = 0; i < x.bias_count; i++) x.bias[i] = i < q->n ? (float)(int)(test_random(random) % 65) / 4 - 8 : 1e9f;
    return x;
}

static void arrays_free(arrays *x)
{
    free(x->a);
    free(x->b);
    free(x->d);
    free(x->bias);
}

static void give(px_machine *m, const px_gemm *g, const arrays *x)
{
    const struct {
        const char *name;
        float *at;
        uint64_t count;
    } given[] = {{"read_sa", x->a, x->a_count}, {"read_sb", x->b, x->b_count}, {"write_sd", x->d, x->d_count}, {"read_bias", x->bias, x->bias_count}};
    zlay_pipe_argument argument;
    for (uint32_t i = ARGUMENTS; !zlay_plan_argument_nth(&argument, g->plan, i); i++) {
        uint64_t address = ((uint64_t)1 << 32) + ((uint64_t)i << 28);
        size_t which = 0;
        while (which < 4 && strcmp(given[which].name, argument.name) != 0) which++;
        assert_true(which < 4 && given[which].count);
        m->memory[m->memories++] = (px_memory){address, given[which].count * 4, (void *)given[which].at};
        memcpy(m->param[i], &address, sizeof address);
    }
}

static void execute(px_gemm *g, const arrays *x, const char *what)
{
    *machine.fault = 0;
    px_gemm_bind(&machine, g);
    px_gemm_copies(&machine, g, 0);
    if (*machine.fault) fail_msg("%s: %s", what, machine.fault);
    px_gemm_arguments(&machine, g);
    give(&machine, g, x);
    px_run(&machine, g->text, (int)g->info.threads, g->blocks * g->info.cluster, (int)g->info.cluster);
    px_gemm_copies(&machine, g, 1);
    if (*machine.fault) fail_msg("%s: %s", what, machine.fault);
}

/* ---- the same in C ----------------------------------------------------------------------------- */

static double scale_of(const float *scales, int32_t sort, uint64_t lines, uint64_t line, uint64_t k, uint64_t depth)
{
    if (!sort) return 1;
    return (double)(sort == LINE ? scales[k / BLOCK * lines + line] : scales[line / BLOCK * blocks_of(depth) + k / BLOCK]);
}

/* Row i of the sums, as the epilogue leaves them. */
static void sums_of(float *sums, const px_gemm *g, const arrays *x, uint64_t i)
{
    const zlay_gemm *q = &g->request;
    for (uint64_t j = 0; j < q->n; j++) {
        double sum = 0;
        for (uint64_t k = 0; k < q->k; k++)
            sum += (double)px_number(px_element(&g->a, i, k), g->a.type) * scale_of(x->a, q->a_scales, q->m, i, k, q->k) *
                   (double)px_number(px_element(&g->b, k, j), g->b.type) * scale_of(x->b, q->b_scales, q->n, j, k, q->k);
        sums[j] = (float)sum;
        if (q->epilogue) sums[j] = fmaxf(sums[j] * 0.5f + x->bias[j], -3);
    }
}

static float greatest_of(const float *sums, uint64_t from, uint64_t to)
{
    float most = 1e-20f;
    for (uint64_t j = from; j < to; j++) most = fmaxf(most, fabsf(sums[j]));
    return most;
}

static void compare_row(const px_gemm *g, const arrays *x, const float *sums, uint64_t i, const char *what)
{
    const zlay_gemm *q = &g->request;
    bool wide = g->d.type == ZLAY_TYPE_E5M2;
    for (uint64_t b = 0; b < blocks_of(q->n); b++) {
        uint64_t end = (b + 1) * BLOCK < q->n ? (b + 1) * BLOCK : q->n;
        float scale = greatest_of(sums, b * BLOCK, end) / (wide ? 57344.0f : 448.0f), by = 1 / scale, got = x->d[b * q->m + i];
        if (memcmp(&got, &scale, sizeof got) != 0) fail_msg("%s: scale of row %d, block %d: %a, not %a", what, (int)i, (int)b, (double)got, (double)scale);
        for (uint64_t j = b * BLOCK; j < end; j++) {
            uint32_t want = px_bits(wide ? &px_e5m2 : &px_e4m3, (double)(sums[j] * by), PX_NEAREST, true);
            if (*px_element(&g->d, i, j) != want) fail_msg("%s: (%d, %d): 0x%x, not 0x%x", what, (int)i, (int)j, *px_element(&g->d, i, j), want);
        }
    }
}

static void compare(const px_gemm *g, const arrays *x, const char *what)
{
    float *sums = floats(g->request.n);
    for (uint64_t i = 0; i < g->request.m; i++) {
        sums_of(sums, g, x, i);
        compare_row(g, x, sums, i, what);
    }
    free(sums);
}

/* ---- products ------------------------------------------------------------------------------------ */

/* Zeros in a row of A; an infinity in another, whose sums are infinite, or NaN where it meets a zero of B. */
static void special_rows(px_gemm *g)
{
    static const uint8_t infinite[] = {0x7c};
    if (g->a.rows <= INFINITE_ROW) return;
    for (uint64_t k = 0; k < g->a.columns; k++) memset(px_element(&g->a, ZERO_ROW, k), 0, g->a.bytes);
    if (g->a.type == ZLAY_TYPE_E5M2) memcpy(px_element(&g->a, INFINITE_ROW, 7), infinite, 1);
}

#define TYPES(a, b, d) .a_type = ZLAY_TYPE_##a, .b_type = ZLAY_TYPE_##b, .d_type = ZLAY_TYPE_##d, .d_scales = LINE
#define ACT            .epilogue = relu, .epilogue_length = sizeof relu - 1
static const struct {
    const char *what, *target;
    uint32_t blocks;
    zlay_gemm gemm;
} rows[] = {
    {"e4m3", "sm_90a", 2, {.m = 200, .n = 272, .k = 144, TYPES(E4M3, E4M3, E4M3)}},
    {"two blocks in a tile", "sm_90a", 2, {.m = 200, .n = 400, .k = 144, TYPES(E4M3, E4M3, E4M3), .tile_n = 256}},
    {"two blocks in a tile, an epilogue", "sm_90a", 1, {.m = 70, .n = 301, .k = 128, TYPES(E5M2, E4M3, E5M2), .tile_m = 64, .tile_n = 256, ACT}},
    {"e5m2, infinities", "sm_90a", 2, {.m = 70, .n = 300, .k = 128, TYPES(E5M2, E4M3, E5M2), .ldd = 304}},
    {"bf16, an epilogue", "sm_90a", 2, {.m = 130, .n = 200, .k = 72, TYPES(BF16, BF16, E4M3), .ldd = 208, ACT}},
    {"one column, by elements", "sm_90a", 1, {.m = 67, .n = 129, .k = 65, TYPES(E4M3, E4M3, E4M3), ACT}},
    {"few columns", "sm_90a", 1, {.m = 9, .n = 16, .k = 64, TYPES(F16, F16, E4M3)}},
    {"fewer columns than a tile", "sm_90a", 1, {.m = 100, .n = 80, .k = 272, TYPES(BF16, BF16, E4M3)}},
    {"fewer columns than a tile, lines by squares", "sm_90a", 1, {.m = 70, .n = 80, .k = 272, TYPES(E4M3, E4M3, E5M2), .a_scales = LINE, .b_scales = SQUARE}},
    {"lines by squares", "sm_90a", 2, {.m = 136, .n = 144, .k = 300, TYPES(E4M3, E4M3, E4M3), .lda = 304, .ldb = 304, .a_scales = LINE, .b_scales = SQUARE}},
    {"lines by lines, an epilogue", "sm_90a", 2, {.m = 131, .n = 260, .k = 260, TYPES(E4M3, E5M2, E4M3), .lda = 272, .ldb = 272, .a_scales = LINE, .b_scales = LINE, ACT}},
    {"squares by lines", "sm_90a", 2, {.m = 150, .n = 140, .k = 200, TYPES(E4M3, E4M3, E4M3), .lda = 208, .ldb = 208, .a_scales = SQUARE, .b_scales = LINE}},
    {"lines by squares, by elements", "sm_90a", 2, {.m = 67, .n = 133, .k = 257, TYPES(E4M3, E4M3, E4M3), .tile_m = 128, .a_scales = LINE, .b_scales = SQUARE}},
    {"a split", "sm_90a", 2, {.m = 70, .n = 144, .k = 512, TYPES(BF16, BF16, E4M3), .split_k = 2}},
    {"pairs of tiles that share A", "sm_90a", 1, {.m = 136, .n = 272, .k = 128, TYPES(E4M3, E4M3, E4M3), .multicast = ZLAY_MULTICAST_A}},
    {"pairs of tiles that share B", "sm_90a", 1, {.m = 136, .n = 272, .k = 128, TYPES(E4M3, E4M3, E4M3), .multicast = ZLAY_MULTICAST_B}},
    {"repacked", "sm_90a", 2, {.m = 67, .n = 139, .k = 133, TYPES(E4M3, E4M3, E4M3), .repack = ZLAY_REPACK_ALWAYS, .a_scales = LINE, .b_scales = SQUARE}},
    {"tensor memory", "sm_100a", 2, {.m = 200, .n = 272, .k = 144, TYPES(E4M3, E4M3, E4M3)}},
    {"tensor memory, two blocks in a tile", "sm_100a", 1, {.m = 140, .n = 400, .k = 128, TYPES(E5M2, E4M3, E5M2), .tile_n = 256}},
    {"tensor memory, an epilogue", "sm_100a", 2, {.m = 131, .n = 389, .k = 72, TYPES(BF16, BF16, E4M3), .tile_n = 256, ACT}},
};

static void values(void **state)
{
    uint64_t random = test_seed("quantise");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        px_gemm g;
        const zlay_gemm *q = &rows[i].gemm;
        px_gemm_make_on(&g, rows[i].target, q, rows[i].blocks, &random);
        arrays x = arrays_make(q, &random);
        special_rows(&g);
        machine.when = i % 2 ? PX_EARLY : PX_LATE;
        machine.random = test_random(&random);
        execute(&g, &x, rows[i].what);
        compare(&g, &x, rows[i].what);
        arrays_free(&x);
        px_gemm_free(&g);
    }
}

/* D and its scales are A and the scales of A of a second product: bytes and array as they are. The result is that of the dequantised
 * D, and near that of the sums, of which an element of e4m3 is off by a sixteenth, or by half of its least number. */
static void chain(void **state)
{
    enum { M = 70, N = 272, K = 144, N2 = 72 };
    uint64_t random = test_seed("chain");
    static float sums[N];
    px_gemm first, second;
    zlay_gemm q = {.m = M, .n = N, .k = K, TYPES(E4M3, E4M3, E4M3)};
    zlay_gemm q2 = {.m = M, .n = N2, .k = N, .type = ZLAY_TYPE_E4M3, .d_type = ZLAY_TYPE_F32, .a_scales = LINE};
    (void)state;
    px_gemm_make(&first, &q, 2, &random);
    px_gemm_make(&second, &q2, 2, &random);
    arrays x = arrays_make(&q, &random), y = arrays_make(&q2, &random);
    assert_int_equal(x.d_count, y.a_count);
    assert_int_equal(first.d.count, second.a.count);
    execute(&first, &x, "first");
    memcpy(second.a.at, first.d.at, first.d.count);
    memcpy(y.a, x.d, x.d_count * sizeof *x.d);
    execute(&second, &y, "second");
    for (uint64_t i = 0; i < M; i++) {
        sums_of(sums, &first, &x, i);
        for (uint64_t j = 0; j < N2; j++) {
            double exact = 0, dequantised = 0, size = 0, most = 0;
            float got;
            for (uint64_t k = 0; k < N; k++) {
                double b = (double)px_number(px_element(&second.b, k, j), second.b.type), scale = (double)x.d[k / BLOCK * M + i];
                double element = (double)px_number(px_element(&first.d, i, k), first.d.type) * scale;
                dequantised += element * b;
                exact += (double)sums[k] * b;
                size += fabs(element * b);
                most += (fabs((double)sums[k]) / 16 + scale * 0x1p-10) * fabs(b);
            }
            memcpy(&got, px_element(&second.d, i, j), sizeof got);
            if (!(fabs((double)got - dequantised) <= 1e-6 * size)) fail_msg("(%d, %d): %g, not %g", (int)i, (int)j, (double)got, dequantised);
            if (!(fabs((double)got - exact) <= most)) fail_msg("(%d, %d): %g, far from %g", (int)i, (int)j, (double)got, exact);
        }
    }
    arrays_free(&x);
    arrays_free(&y);
    px_gemm_free(&first);
    px_gemm_free(&second);
}

static void assembles_without_spills(void **state)
{
    uint64_t random = 1;
    (void)state;
    need_assembler();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        px_gemm g;
        px_gemm_make_on(&g, rows[i].target, &rows[i].gemm, 1, &random);
        for (int o = 0; o < 3; o++)
            if (g.copy[o]) break;
            else if (o == 2 && !assembles_fast(rows[i].target, g.text)) fail_msg("%s", rows[i].what);
        px_gemm_free(&g);
    }
}

/* ---- what is refused, and what is said -------------------------------------------------------------- */

static const char two[] = "body two\nmatrix S f32\nmatrix R e4m3\nR = e4m3(S)\nend\n";

static const struct {
    const char *word, *target;
    zlay_status status;
    zlay_gemm gemm;
} bad[] = {
    {"d_scales: d_type is bf16; e4m3 and e5m2 have scales", "sm_90a", ZLAY_ENOTSUP, {.d_scales = LINE}},
    {"d_scales: 128x128; D has scales of 1x128 alone", "sm_90a", ZLAY_ENOTSUP, {.d_type = ZLAY_TYPE_E4M3, .d_scales = SQUARE}},
    {"d_scales: 5 is no granularity", "sm_90a", ZLAY_EINVAL, {.d_type = ZLAY_TYPE_E4M3, .d_scales = 5}},
    {"d_scales: -1 is no granularity", "sm_100a", ZLAY_EINVAL, {.d_type = ZLAY_TYPE_E4M3, .d_scales = -1}},
    {"d_scales: sums of s8 and u8 are s32", "sm_90a", ZLAY_ENOTSUP, {.type = ZLAY_TYPE_S8, .d_type = ZLAY_TYPE_E4M3, .d_scales = LINE}},
    {"d_scales: D is column-major", "sm_90a", ZLAY_ENOTSUP, {.d_type = ZLAY_TYPE_E4M3, .d_order = ZLAY_ORDER_COLUMN, .d_scales = LINE}},
    {"tile_n: 256; with d_scales a tile has whole blocks of 128 columns: the nearest that works is 128", "sm_90a", ZLAY_EINVAL,
     {.type = ZLAY_TYPE_E4M3, .d_type = ZLAY_TYPE_E4M3, .a_scales = LINE, .d_scales = LINE, .tile_n = 256}},
    {"tile_n: 64; with d_scales a tile has whole blocks of 128 columns: the nearest that works is 128", "sm_90a", ZLAY_EINVAL,
     {.d_type = ZLAY_TYPE_E4M3, .d_scales = LINE, .tile_n = 64}},
    {"tile_n: 224; with d_scales a tile has whole blocks of 128 columns: the nearest that works is 256", "sm_100a", ZLAY_EINVAL,
     {.d_type = ZLAY_TYPE_E4M3, .d_scales = LINE, .tile_n = 224}},
    {"epilogue: body two makes elements of D; with d_scales it changes the sums, one matrix", "sm_90a", ZLAY_EINVAL,
     {.d_type = ZLAY_TYPE_E4M3, .d_scales = LINE, .epilogue = two, .epilogue_length = sizeof two - 1}},
    {"d_scales: 2147483648 scales; their indices pass 31 bits", "sm_90a", ZLAY_ENOTSUP,
     {.m = 1 << 24, .n = 1 << 14, .d_type = ZLAY_TYPE_E4M3, .d_scales = LINE}},
    {"d_scales: plans of sm_80 have none", "sm_80", ZLAY_ENOTSUP, {.d_scales = LINE}},
};

static void refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zlay_gemm q = bad[i].gemm;
        if (!q.m) q.m = 256;
        if (!q.n) q.n = 256;
        if (!q.k) q.k = 256;
        gemm_refused(bad[i].target, &q, bad[i].status, bad[i].word);
    }
}

static void explanation(void **state)
{
    static char text[1 << 16];
    const zlay_target *target;
    zlay_plan *plan;
    zlay_scales s;
    zlay_buf buf = {text, sizeof text, 0};
    zlay_gemm q = {.size = sizeof q, .m = 200, .n = 300, .k = 500, .d_type = ZLAY_TYPE_E4M3, .d_scales = LINE};
    (void)state;
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    assert_int_equal(zlay_gemm_synth(ctx, &plan, target, &q), ZLAY_OK);
    assert_int_equal(zlay_plan_print(&buf, plan), ZLAY_OK);
    assert_non_null(strstr(text, "scales of D: write_sd, f32 [3][200], one for each row and 128 columns\n"));
    assert_int_equal(zlay_plan_scales(&s, plan, ZLAY_OPERAND_D), ZLAY_OK);
    assert_int_equal(s.shape[0], 3);
    assert_int_equal(s.shape[1], 200);
    assert_int_equal(s.block[0], 1);
    assert_int_equal(s.block[1], 128);
    assert_int_equal(s.granularity, LINE);
    zlay_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(chain),
        cmocka_unit_test(assembles_without_spills),
        cmocka_unit_test(refusals),
        cmocka_unit_test(explanation),
    };
    return cmocka_run_group_tests_name("emit/gemm/quantise", tests, open_ctx, close_ctx);
}
