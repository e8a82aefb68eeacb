/* SPDX-License-Identifier: Apache-2.0 */
/* GEMMs of 8-bit floats whose blocks have scales, by wgmma and by tcgen05: the PTX is executed at sizes that no tile and no block
 * divides, and D is the same in double. Arrays of scales have their exact sizes, so that a read past one ends the run. What has no
 * such scales is refused. `emit/gemm/scales golden` writes the golden text anew. */
#define _POSIX_C_SOURCE 200809L
#include "ptx/gemm.h"

#include "assembler.h"
#include "golden.h"

#include <math.h>
#include <string.h>
#include <zlay/emit_pipe.h>

enum { BLOCK = 128, ARGUMENTS = 6, NONE = ZLAY_SCALES_NONE, LINE = ZLAY_SCALES_LINE, SQUARE = ZLAY_SCALES_BLOCK };

static const char bias[] = "body bias\n  matrix S f32\n  matrix R bf16\n  global bias f32\n  index i\n  index j\n"
                           "  R = bf16(max(S + load(bias, j + col, 200), 0))\nend\n";

static uint64_t blocks_of(uint64_t extent) { return (extent + BLOCK - 1) / BLOCK; }

/* Scales of one operand of the request. */
typedef struct scales {
    int32_t sort;
    uint64_t lines, blocks, count; /* of rows or columns; of K */
    float *at;
} scales;

static scales scales_make(int32_t sort, uint64_t lines, uint64_t k, uint64_t *random)
{
    scales s = {sort, lines, blocks_of(k), 0, NULL};
    if (sort) s.count = (sort == LINE ? lines : blocks_of(lines)) * s.blocks;
    s.at = malloc(s.count * sizeof *s.at + 1);
    assert_non_null(s.at);
    for (uint64_t i = 0; i < s.count; i++) s.at[i] = (float)(test_random(random) % 1000 + 1) / 512;
    return s;
}

static double scale_of(const scales *s, uint64_t line, uint64_t k)
{
    if (!s->sort) return 1;
    return (double)(s->sort == LINE ? s->at[k / BLOCK * s->lines + line] : s->at[line / BLOCK * s->blocks + k / BLOCK]);
}

static void give(px_machine *m, const px_gemm *g, const scales *a, const scales *b, const float *vector)
{
    zlay_pipe_argument argument;
    int given = 0, wanted = (a->sort != 0) + (b->sort != 0) + (g->request.epilogue != NULL);
    for (uint32_t i = ARGUMENTS; !zlay_plan_argument_nth(&argument, g->plan, i); i++, given++) {
        uint64_t address = ((uint64_t)1 << 32) + ((uint64_t)i << 28);
        bool of_a = !strcmp(argument.name, "read_sa") == !g->info.swapped;
        bool epilogue = !strcmp(argument.name, "read_bias");
        const scales *s = of_a ? a : b;
        assert_true(epilogue || !strcmp(argument.name, "read_sa") || !strcmp(argument.name, "read_sb"));
        m->memory[m->memories++] = epilogue ? (px_memory){address, g->request.n * 4, (void *)(uintptr_t)vector}
                                            : (px_memory){address, s->count * 4, (void *)s->at};
        memcpy(m->param[i], &address, sizeof address);
    }
    assert_int_equal(given, wanted);
}

static double element_of(const px_matrix *x, uint64_t i, uint64_t j)
{
    float value;
    if (x->type != ZLAY_TYPE_F32) return (double)px_number(px_element(x, i, j), x->type);
    memcpy(&value, px_element(x, i, j), sizeof value);
    return (double)value;
}

/* All numbers of a row (of A) or of a column (of B) with their scales, line after line: read once, not for each element of D. */
static double *scaled_lines(const px_matrix *x, const scales *s, bool columns)
{
    uint64_t lines = columns ? x->columns : x->rows, depth = columns ? x->rows : x->columns;
    double *all = malloc(lines * depth * sizeof *all);
    assert_non_null(all);
    for (uint64_t i = 0; i < lines; i++)
        for (uint64_t k = 0; k < depth; k++) all[i * depth + k] = (columns ? element_of(x, k, i) : element_of(x, i, k)) * scale_of(s, i, k);
    return all;
}

static void compare(const px_gemm *g, const scales *a, const scales *b, const float *vector, const char *what)
{
    double *of_a = scaled_lines(&g->a, a, false), *of_b = scaled_lines(&g->b, b, true);
    bool bytes = g->d.type == ZLAY_TYPE_E4M3; /* three bits behind the first; 448 at most */
    double least = g->d.type == ZLAY_TYPE_F32 ? 1e-5 : bytes ? 0.0625 : 0.005;
    for (uint64_t i = 0; i < g->d.rows; i++)
        for (uint64_t j = 0; j < g->d.columns; j++) {
            double sum = 0, size = 0;
            for (uint64_t k = 0; k < g->a.columns; k++) {
                double term = of_a[i * g->a.columns + k] * of_b[j * g->a.columns + k];
                sum += term;
                size += fabs(term);
            }
            if (g->request.epilogue) sum = fmax(sum + (double)vector[j], 0);
            if (bytes) sum = fmin(fmax(sum, -448), 448);
            double got = element_of(&g->d, i, j);
            if (!(fabs(got - sum) <= (bytes ? 0.001 : 0) + least * fabs(sum) + 1e-6 * size))
                fail_msg("%s: (%llu, %llu): %g, not %g", what, (unsigned long long)i, (unsigned long long)j, got, sum);
        }
    free(of_a);
    free(of_b);
}

#define FLOATS(a, b, d) .a_type = ZLAY_TYPE_##a, .b_type = ZLAY_TYPE_##b, .d_type = ZLAY_TYPE_##d
static const struct {
    const char *what, *target;
    uint32_t blocks;
    zlay_gemm gemm;
} rows[] = {
    {"lines by squares", "sm_90a", 2, {.m = 200, .n = 264, .k = 300, FLOATS(E4M3, E4M3, F32), .lda = 304, .ldb = 304, .a_scales = LINE, .b_scales = SQUARE}},
    {"lines by squares, bf16", "sm_90a", 3, {.m = 130, .n = 200, .k = 520, FLOATS(E4M3, E5M2, BF16), .lda = 528, .ldb = 528, .a_scales = LINE, .b_scales = SQUARE}},
    {"small tiles", "sm_90a", 2, {.m = 150, .n = 200, .k = 384, FLOATS(E4M3, E4M3, F32), .tile_m = 64, .tile_n = 64, .a_scales = LINE, .b_scales = SQUARE}},
    {"lines by lines", "sm_90a", 2, {.m = 131, .n = 140, .k = 260, FLOATS(E5M2, E4M3, F32), .lda = 272, .ldb = 272, .a_scales = LINE, .b_scales = LINE}},
    {"squares by lines", "sm_90a", 1, {.m = 270, .n = 72, .k = 129, FLOATS(E4M3, E4M3, F16), .lda = 144, .ldb = 144, .a_scales = SQUARE, .b_scales = LINE}},
    {"squares by squares", "sm_90a", 2, {.m = 140, .n = 264, .k = 256, FLOATS(E4M3, E4M3, F32), .a_scales = SQUARE, .b_scales = SQUARE}},
    {"lines of A alone", "sm_90a", 2, {.m = 70, .n = 136, .k = 300, FLOATS(E4M3, E4M3, F32), .lda = 304, .ldb = 304, .tile_n = 72, .a_scales = LINE}},
    {"squares of B alone", "sm_90a", 2, {.m = 70, .n = 136, .k = 300, FLOATS(E4M3, E4M3, F32), .lda = 304, .ldb = 304, .b_scales = SQUARE}},
    {"one step", "sm_90a", 1, {.m = 64, .n = 64, .k = 16, FLOATS(E4M3, E4M3, F32), .a_scales = LINE, .b_scales = SQUARE}},
    {"by cp.async", "sm_90a", 2, {.m = 65, .n = 140, .k = 260, FLOATS(E4M3, E4M3, F32), .lda = 260, .ldb = 260, .a_scales = LINE, .b_scales = SQUARE}},
    {"by elements", "sm_90a", 2, {.m = 67, .n = 133, .k = 257, FLOATS(E4M3, E4M3, BF16), .lda = 259, .ldb = 257, .a_scales = LINE, .b_scales = SQUARE}},
    {"D by columns", "sm_90a", 2, {.m = 136, .n = 270, .k = 300, FLOATS(E4M3, E5M2, F32), .lda = 304, .ldb = 304, .d_order = ZLAY_ORDER_COLUMN, .a_scales = LINE, .b_scales = SQUARE}},
    {"an epilogue", "sm_90a", 2, {.m = 136, .n = 200, .k = 300, FLOATS(E4M3, E4M3, BF16), .lda = 304, .ldb = 304, .epilogue = bias, .epilogue_length = sizeof bias - 1, .a_scales = LINE, .b_scales = SQUARE}},
    {"lines by squares", "sm_100a", 2, {.m = 200, .n = 264, .k = 300, FLOATS(E4M3, E4M3, F32), .lda = 304, .ldb = 304, .a_scales = LINE, .b_scales = SQUARE}},
    {"lines by squares, bf16", "sm_100a", 3, {.m = 130, .n = 200, .k = 520, FLOATS(E4M3, E5M2, BF16), .lda = 528, .ldb = 528, .a_scales = LINE, .b_scales = SQUARE}},
    {"wide tiles, four stages", "sm_100a", 1, {.m = 270, .n = 400, .k = 640, FLOATS(E4M3, E4M3, BF16), .tile_n = 128, .stages = 4, .a_scales = LINE, .b_scales = SQUARE}},
    {"lines by lines", "sm_100a", 2, {.m = 131, .n = 140, .k = 260, FLOATS(E5M2, E4M3, F32), .lda = 272, .ldb = 272, .a_scales = LINE, .b_scales = LINE}},
    {"lines by lines, passes that overlap", "sm_100a", 1, {.m = 131, .n = 140, .k = 900, FLOATS(E4M3, E4M3, BF16), .lda = 912, .ldb = 912, .tile_n = 80, .a_scales = LINE, .b_scales = LINE}},
    {"squares by lines", "sm_100a", 1, {.m = 270, .n = 72, .k = 129, FLOATS(E4M3, E4M3, F16), .lda = 144, .ldb = 144, .a_scales = SQUARE, .b_scales = LINE}},
    {"squares by squares", "sm_100a", 2, {.m = 140, .n = 264, .k = 256, FLOATS(E4M3, E4M3, F32), .a_scales = SQUARE, .b_scales = SQUARE}},
    {"lines of A alone", "sm_100a", 2, {.m = 70, .n = 136, .k = 300, FLOATS(E4M3, E4M3, F32), .lda = 304, .ldb = 304, .tile_n = 80, .a_scales = LINE}},
    {"lines of B alone, to e4m3", "sm_100a", 2, {.m = 140, .n = 208, .k = 400, FLOATS(E4M3, E4M3, E4M3), .tile_n = 96, .b_scales = LINE}},
    {"squares of B alone", "sm_100a", 2, {.m = 70, .n = 136, .k = 300, FLOATS(E4M3, E4M3, F32), .lda = 304, .ldb = 304, .b_scales = SQUARE}},
    {"one step", "sm_100a", 1, {.m = 64, .n = 64, .k = 16, FLOATS(E4M3, E4M3, F32), .a_scales = LINE, .b_scales = SQUARE}},
    {"by cp.async", "sm_100a", 2, {.m = 65, .n = 140, .k = 260, FLOATS(E4M3, E4M3, F32), .lda = 260, .ldb = 260, .a_scales = LINE, .b_scales = SQUARE}},
    {"by elements", "sm_100a", 2, {.m = 67, .n = 133, .k = 257, FLOATS(E4M3, E4M3, BF16), .lda = 259, .ldb = 257, .a_scales = LINE, .b_scales = SQUARE}},
    {"D by columns", "sm_100a", 2, {.m = 136, .n = 270, .k = 300, FLOATS(E4M3, E5M2, F32), .lda = 304, .ldb = 304, .d_order = ZLAY_ORDER_COLUMN, .a_scales = LINE, .b_scales = SQUARE}},
    {"an epilogue", "sm_100a", 2, {.m = 136, .n = 200, .k = 300, FLOATS(E4M3, E4M3, BF16), .lda = 304, .ldb = 304, .epilogue = bias, .epilogue_length = sizeof bias - 1, .a_scales = LINE, .b_scales = SQUARE}},
};

static void values(void **state)
{
    uint64_t random = test_seed("scales");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        px_gemm g;
        float vector[264];
        const zlay_gemm *q = &rows[i].gemm;
        px_gemm_make_on(&g, rows[i].target, q, rows[i].blocks, &random);
        scales a = scales_make(q->a_scales, q->m, q->k, &random), b = scales_make(q->b_scales, q->n, q->k, &random);
        for (size_t j = 0; j < sizeof vector / sizeof *vector; j++) vector[j] = (float)(test_random(&random) % 100) - 50;
        px_gemm_bind(&machine, &g);
        give(&machine, &g, &a, &b, vector);
        machine.when = i % 2 ? PX_EARLY : PX_LATE;
        machine.random = test_random(&random);
        px_run(&machine, g.text, (int)g.info.threads, g.blocks, 1);
        if (*machine.fault) fail_msg("%s, %s: %s", rows[i].what, rows[i].target, machine.fault);
        compare(&g, &a, &b, vector, rows[i].what);
        free(a.at);
        free(b.at);
        px_gemm_free(&g);
    }
}

/* ---- texts ------------------------------------------------------------------------------------- */

static char *text_on(const char *name, const zlay_gemm *gemm)
{
    px_gemm g = {.request = *gemm};
    const zlay_target *target;
    g.request.size = sizeof g.request;
    assert_int_equal(zlay_target_find(&target, name, strlen(name)), ZLAY_OK);
    if (zlay_gemm_synth(ctx, &g.plan, target, &g.request)) fail_msg("%s", zlay_ctx_message(ctx));
    px_gemm_text(&g);
    zlay_plan_free(g.plan);
    return g.text;
}

static void assemble(const char *name, const zlay_gemm *gemm, const char *what)
{
    char *text = text_on(name, gemm);
    if (!assembles_fast(name, text)) fail_msg("%s for %s", what, name);
    free(text);
}

/* The kernels that are executed; and all pairs of granularities of a large product, for all targets. */
static void assembled(void **state)
{
    static const char *const targets[] = {"sm_90a", "sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_110a"};
    (void)state;
    need_assembler();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) assemble(rows[i].target, &rows[i].gemm, rows[i].what);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        for (int32_t pair = 1; pair < 9; pair++) {
            zlay_gemm q = {.m = 4096, .n = 7168, .k = 2048, FLOATS(E4M3, E4M3, BF16), .a_scales = pair % 3, .b_scales = pair / 3};
            if (i < 2 || pair == LINE + 3 * SQUARE) assemble(targets[i], &q, "a pair");
        }
}

static const char golden_path[] = "tests/golden/gemm-scales.sm_100a.ptx";
static const zlay_gemm golden_gemm = {.m = 4096, .n = 7168, .k = 2048, FLOATS(E4M3, E4M3, BF16), .a_scales = LINE, .b_scales = SQUARE};

static void golden(void **state)
{
    enum { ROOM = 1 << 18 };
    char *text = text_on("sm_100a", &golden_gemm), *kept = calloc(1, ROOM);
    (void)state;
    assert_non_null(kept);
    FILE *file = fopen(golden_path, "rb");
    if (!file) fail_msg("no file %s: make golden", golden_path);
    kept[fread(kept, 1, ROOM - 1, file)] = 0;
    fclose(file);
    without_version(text);
    without_version(kept);
    if (strcmp(text, kept) != 0) fail_msg("%s is another text: make golden, and look at the difference", golden_path);
    free(kept);
    free(text);
}

static void golden_write(void **state)
{
    char *text = text_on("sm_100a", &golden_gemm);
    (void)state;
    FILE *file = fopen(golden_path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    free(text);
}

/* ---- other scales, refusals -------------------------------------------------------------------- */

/* examples/scaled.body: scales of rows and of columns are an epilogue. */
static void rows_and_columns(void **state)
{
    static char text[1024];
    uint64_t random = test_seed("rows and columns");
    float row[70], column[72];
    px_gemm g;
    (void)state;
    FILE *file = fopen("examples/scaled.body", "r");
    assert_non_null(file);
    zlay_gemm q = {.m = 70, .n = 72, .k = 144, FLOATS(E4M3, E4M3, BF16), .epilogue = text};
    q.epilogue_length = fread(text, 1, sizeof text, file);
    fclose(file);
    for (int i = 0; i < 70; i++) row[i] = (float)(test_random(&random) % 1000 + 1) / 512;
    for (int i = 0; i < 72; i++) column[i] = (float)(test_random(&random) % 1000 + 1) / 512;
    px_gemm_make(&g, &q, 2, &random);
    px_gemm_bind(&machine, &g);
    const struct {
        const char *name;
        const void *at;
        uint64_t bytes;
    } given[] = {{"x_m", &q.m, 0}, {"x_n", &q.n, 0}, {"read_scale_a", row, sizeof row}, {"read_scale_b", column, sizeof column}};
    for (uint32_t i = 0; i < 4; i++) {
        zlay_pipe_argument argument;
        uint64_t address = ((uint64_t)1 << 32) + ((uint64_t)i << 28);
        assert_int_equal(zlay_plan_argument_nth(&argument, g.plan, ARGUMENTS + i), ZLAY_OK);
        assert_string_equal(argument.name, given[i].name);
        if (given[i].bytes) machine.memory[machine.memories++] = (px_memory){address, given[i].bytes, (void *)(uintptr_t)given[i].at};
        memcpy(machine.param[ARGUMENTS + i], given[i].bytes ? (const void *)&address : given[i].at, argument.bytes);
    }
    px_run(&machine, g.text, (int)g.info.threads, g.blocks, 1);
    if (*machine.fault) fail_msg("%s", machine.fault);
    for (uint64_t i = 0; i < q.m; i++)
        for (uint64_t j = 0; j < q.n; j++) {
            double sum = 0, got = element_of(&g.d, i, j);
            for (uint64_t k = 0; k < q.k; k++) sum += element_of(&g.a, i, k) * element_of(&g.b, k, j);
            sum *= (double)row[i] * (double)column[j];
            if (!(fabs(got - sum) <= 0.005 * fabs(sum))) fail_msg("(%d, %d): %g, not %g", (int)i, (int)j, got, sum);
        }
    px_gemm_free(&g);
}

static const struct {
    const char *word, *target;
    zlay_status status;
    zlay_gemm gemm;
} bad[] = {
    {"a_scales: bf16; blocks with scales have e4m3 or e5m2", "sm_90a", ZLAY_ENOTSUP, {.a_scales = LINE}},
    {"b_scales: s8; blocks with scales have e4m3 or e5m2", "sm_90a", ZLAY_ENOTSUP, {.type = ZLAY_TYPE_S8, .b_scales = SQUARE}},
    {"a_scales: 5 is no granularity", "sm_90a", ZLAY_EINVAL, {.type = ZLAY_TYPE_E4M3, .a_scales = 5}},
    {"b_scales: -1 is no granularity", "sm_90a", ZLAY_EINVAL, {.type = ZLAY_TYPE_E4M3, .b_scales = -1}},
    {"a_scales: 7 is no granularity", "sm_90a", ZLAY_EINVAL, {.type = ZLAY_TYPE_E4M3, .a_scales = 7, .d_order = ZLAY_ORDER_COLUMN}},
    {"tile_k: 64; a scale is of 128", "sm_90a", ZLAY_EINVAL, {.type = ZLAY_TYPE_E4M3, .b_scales = SQUARE, .tile_k = 64}},
    {"tile_n: 128; with scales a thread has its sums three times, and at most 112 columns fit", "sm_90a", ZLAY_EINVAL,
     {.k = 257, .type = ZLAY_TYPE_E4M3, .b_scales = LINE, .tile_n = 128}},
    {"tile_m: 128; with b_scales alone, d_scales and operands that threads move", "sm_90a", ZLAY_EINVAL,
     {.k = 264, .type = ZLAY_TYPE_E4M3, .d_type = ZLAY_TYPE_E4M3, .b_scales = LINE, .d_scales = LINE, .tile_m = 128}},
    {"tile_n: 256; with scales a thread has its sums three times, and at most 128 columns fit", "sm_90a", ZLAY_EINVAL, {.type = ZLAY_TYPE_E4M3, .a_scales = LINE, .tile_n = 256}},
    {"tile_n: 96; a tile has columns of one block of 128: the nearest that works is 64", "sm_90a", ZLAY_EINVAL,
     {.type = ZLAY_TYPE_E4M3, .b_scales = SQUARE, .tile_n = 96}},
    {"the nearest that works is 128", "sm_90a", ZLAY_EINVAL, {.type = ZLAY_TYPE_E4M3, .b_scales = SQUARE, .tile_n = 120}},
    {"stages: 3; products with scales have two rings of as many stages each: 4 works", "sm_90a", ZLAY_EINVAL,
     {.type = ZLAY_TYPE_E4M3, .b_scales = SQUARE, .stages = 3}},
    {"indices pass 31 bits", "sm_90a", ZLAY_ENOTSUP, {.type = ZLAY_TYPE_E4M3, .m = 1 << 24, .k = 1 << 14, .a_scales = LINE}},
    {"tile_n: 144; with scales a thread has its sums in registers, and at most 128 columns fit", "sm_100a", ZLAY_EINVAL, {.type = ZLAY_TYPE_E4M3, .a_scales = LINE, .tile_n = 144}},
    {"tile_n: 128; with scales a thread has its sums in registers, beside scales of columns, and at most 96 columns fit", "sm_100a", ZLAY_EINVAL,
     {.type = ZLAY_TYPE_E4M3, .b_scales = LINE, .tile_n = 128}},
    {"stages: 5; products with scales have two rings", "sm_100a", ZLAY_EINVAL, {.type = ZLAY_TYPE_E4M3, .b_scales = SQUARE, .stages = 5}},
    {"d_scales: beside a_scales or b_scales sums of tcgen05", "sm_100a", ZLAY_ENOTSUP,
     {.type = ZLAY_TYPE_E4M3, .d_type = ZLAY_TYPE_E4M3, .a_scales = LINE, .b_scales = SQUARE, .d_scales = LINE}},
    {"a_scales: plans of sm_89 have none; those of sm_90a and sm_100a do", "sm_89", ZLAY_ENOTSUP, {.a_scales = LINE}},
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

/* The plan says the sizes of the arrays, with those of the planned product where D is column-major. */
static void explanation(void **state)
{
    static char text[1 << 16];
    const zlay_target *target;
    (void)state;
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    for (int swapped = 0; swapped < 2; swapped++) {
        zlay_plan *plan;
        zlay_buf buf = {text, sizeof text, 0};
        zlay_gemm q = {.size = sizeof q, .m = 200, .n = 300, .k = 500, .type = ZLAY_TYPE_E4M3, .a_scales = LINE, .b_scales = SQUARE,
                       .d_order = swapped ? ZLAY_ORDER_COLUMN : ZLAY_ORDER_DEFAULT};
        assert_int_equal(zlay_gemm_synth(ctx, &plan, target, &q), ZLAY_OK);
        assert_int_equal(zlay_plan_print(&buf, plan), ZLAY_OK);
        assert_non_null(strstr(text, swapped ? "scales of A: read_sa, f32 [3][4], one for 128 rows and 128 of K\n"
                                             : "scales of A: read_sa, f32 [4][200], one for each row and 128 of K\n"));
        assert_non_null(strstr(text, swapped ? "scales of B: read_sb, f32 [4][200], one for each column and 128 of K\n"
                                             : "scales of B: read_sb, f32 [3][4], one for 128 columns and 128 of K\n"));
        zlay_scales s;
        assert_int_equal(zlay_plan_scales(&s, plan, ZLAY_OPERAND_B), ZLAY_OK);
        assert_int_equal(s.shape[0], swapped ? 4 : 3);
        assert_int_equal(s.block[0], swapped ? 1 : 128);
        assert_int_equal(s.granularity, swapped ? LINE : SQUARE);
        assert_int_equal(zlay_plan_scales(&s, plan, ZLAY_OPERAND_D), ZLAY_NONE);
        assert_int_equal(zlay_plan_scales(NULL, plan, ZLAY_OPERAND_A), ZLAY_EINVAL);
        assert_int_equal(zlay_plan_scales(&s, NULL, ZLAY_OPERAND_A), ZLAY_EINVAL);
        zlay_plan_free(plan);
    }
    zlay_plan *plan;
    zlay_scales s;
    zlay_gemm q = {.size = sizeof q, .m = 64, .n = 64, .k = 64};
    assert_int_equal(zlay_gemm_synth(ctx, &plan, target, &q), ZLAY_OK);
    assert_int_equal(zlay_plan_scales(&s, plan, ZLAY_OPERAND_A), ZLAY_NONE);
    zlay_plan_free(plan);
}

int main(int count, char **words)
{
    const struct CMUnitTest writing[] = {cmocka_unit_test(golden_write)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(assembled),
        cmocka_unit_test(golden),
        cmocka_unit_test(rows_and_columns),
        cmocka_unit_test(refusals),
        cmocka_unit_test(explanation),
    };
    if (count > 1 && !strcmp(words[1], "golden")) return cmocka_run_group_tests(writing, open_ctx, close_ctx);
    return cmocka_run_group_tests_name("emit/gemm/scales", tests, open_ctx, close_ctx);
}
