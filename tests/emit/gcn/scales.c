/* SPDX-License-Identifier: Apache-2.0 */
/* GEMMs of gfx942 and gfx950 whose blocks have scales: the code object is executed at sizes that no tile and no block divides, by
 * all pairs of granularities, and D is the same in double. Arrays of scales have their exact sizes, so that a read past one ends
 * the run. What has no such scales is refused. `emit/gcn/scales golden` writes the golden texts anew. */
#define _DEFAULT_SOURCE
#include "gcn/typed.h"
#include "golden.h"
#include "group_ctx.h"

enum { BLOCK = 128, NONE = ZLAY_SCALES_NONE, LINE = ZLAY_SCALES_LINE, SQUARE = ZLAY_SCALES_BLOCK, ROOM = 1 << 18 };

static const char bias[] = "body bias\n  matrix S f32\n  matrix R bf16\n  scalar low f32\n  global bias f32\n  index i\n  index j\n"
                           "  R = bf16(max(S + load(bias, j + col, 200), low))\nend\n";
static const float low = -3;
enum { SCALES_OF_D = 512 };
static float sd[SCALES_OF_D];

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

/* Those with instructions of 8-bit floats. */
static const gcn_target targets[] = {GCN_942, GCN_950};
enum { TARGETS = sizeof targets / sizeof *targets };

static const struct {
    const char *what;
    bool other; /* B is e5m2 */
    zlay_gemm gemm;
} rows[] = {
    {"lines by squares", false, {.m = 130, .n = 140, .k = 400, .d_type = ZLAY_TYPE_F32, .a_scales = LINE, .b_scales = SQUARE}},
    {"lines by squares, bf16", true, {.m = 200, .n = 132, .k = 256, .lda = 272, .d_type = ZLAY_TYPE_BF16, .a_scales = LINE, .b_scales = SQUARE}},
    {"lines by lines", false, {.m = 70, .n = 136, .k = 528, .d_type = ZLAY_TYPE_F32, .a_scales = LINE, .b_scales = LINE}},
    {"squares by lines", false, {.m = 140, .n = 72, .k = 144, .d_type = ZLAY_TYPE_F16, .a_scales = SQUARE, .b_scales = LINE}},
    {"squares by squares", true, {.m = 260, .n = 140, .k = 272, .ldd = 141, .d_type = ZLAY_TYPE_F32, .a_scales = SQUARE, .b_scales = SQUARE}},
    {"lines of A alone", false, {.m = 67, .n = 67, .k = 640, .d_type = ZLAY_TYPE_F32, .tile_m = 64, .tile_n = 64, .a_scales = LINE}},
    {"lines of B alone", false, {.m = 33, .n = 67, .k = 208, .d_type = ZLAY_TYPE_BF16, .b_scales = LINE}},
    {"squares of B alone", false, {.m = 40, .n = 260, .k = 384, .d_type = ZLAY_TYPE_F32, .b_scales = SQUARE}},
    {"D with scales", false, {.m = 130, .n = 272, .k = 400, .a_scales = LINE, .b_scales = SQUARE, .d_scales = LINE}},
    {"one step", false, {.m = 5, .n = 9, .k = 16, .d_type = ZLAY_TYPE_F32, .a_scales = LINE, .b_scales = SQUARE}},
    {"an epilogue", false, {.m = 136, .n = 200, .k = 304, .d_type = ZLAY_TYPE_BF16, .epilogue = bias, .epilogue_length = sizeof bias - 1, .a_scales = LINE, .b_scales = SQUARE}},
};

/* An element of D with its scale: `last` is half of what its last bit is worth where it is subnormal. */
static double element_of(const typed *t, bool scaled, uint32_t i, uint32_t j, double *last)
{
    double scale = scaled ? (double)sd[j / BLOCK * t->d.rows + i] : 1;
    *last = scaled ? scale / 512 : 0;
    return typed_at(&t->d, t->target, i, j) * scale;
}

/* All numbers of a row of A or a column of B with their scales, line after line: read once, not for each element of D. */
static double *scaled_lines(const typed *t, bool of_b, const scales *s)
{
    uint32_t lines = of_b ? t->d.columns : t->d.rows, depth = t->a.columns;
    double *all = malloc((size_t)lines * depth * sizeof *all);
    assert_non_null(all);
    for (uint32_t i = 0; i < lines; i++)
        for (uint32_t k = 0; k < depth; k++)
            all[(size_t)i * depth + k] = typed_at(of_b ? &t->b : &t->a, t->target, i, k) * scale_of(s, i, k);
    return all;
}

static void compare(const typed *t, const scales *a, const scales *b, const float *vector, bool scaled, const char *what)
{
    double *of_a = scaled_lines(t, false, a), *of_b = scaled_lines(t, true, b);
    double least = scaled ? 1.0 / 16 : t->d.type == ZLAY_TYPE_F32 ? 1e-5 : 0.005, last;
    for (uint32_t i = 0; i < t->d.rows; i++)
        for (uint32_t j = 0; j < t->d.columns; j++) {
            double sum = 0, size = 0, got = element_of(t, scaled, i, j, &last);
            for (uint32_t k = 0; k < t->a.columns; k++) {
                double term = of_a[(size_t)i * t->a.columns + k] * of_b[(size_t)j * t->a.columns + k];
                sum += term;
                size += fabs(term);
            }
            if (vector) sum = fmax(sum + (double)vector[j], (double)low);
            if (!(fabs(got - sum) <= least * fabs(sum) + 1e-6 * size + last))
                fail_msg("%s, %s: (%u, %u): %g, not %g", gcn_target_name[t->target], what, i, j, got, sum);
        }
    free(of_a);
    free(of_b);
}

/* The fp8 types of the target: gfx942 has those without a negative zero. */
static void types_of(gcn_target target, bool other, zlay_gemm *r)
{
    bool fnuz = target == GCN_942;
    r->size = sizeof *r;
    r->a_type = fnuz ? ZLAY_TYPE_E4M3_FNUZ : ZLAY_TYPE_E4M3;
    r->b_type = !other ? r->a_type : fnuz ? ZLAY_TYPE_E5M2_FNUZ : ZLAY_TYPE_E5M2;
    if (r->d_scales) r->d_type = r->a_type;
}

static void row_runs(gcn_target target, size_t row, uint64_t *random)
{
    typed t;
    float vector[200];
    zlay_gemm r = rows[row].gemm;
    types_of(target, rows[row].other, &r);
    const int32_t type[3] = {r.a_type, r.b_type, r.d_type};
    scales a = scales_make(r.a_scales, r.m, r.k, random), b = scales_make(r.b_scales, r.n, r.k, random);
    for (size_t i = 0; i < 200; i++) vector[i] = (float)(test_random(random) % 100) - 50;
    const typed_given given[] = {{"read_sa", a.at, a.count * 4}, {"read_sb", b.at, b.count * 4},
                                 {"read_bias", vector, sizeof vector}, {"x_low", &low, 0},
                                 {"write_sd", sd, r.m * blocks_of(r.n) * sizeof *sd}};
    assert_true(!r.d_scales || r.m * blocks_of(r.n) <= SCALES_OF_D);
    typed_make(&t, ctx, target, &r, type, random, given, sizeof given / sizeof *given);
    typed_run(&t, (int)(row % 2), rows[row].what);
    compare(&t, &a, &b, r.epilogue ? vector : NULL, r.d_scales != 0, rows[row].what);
    typed_free(&t);
    free(a.at);
    free(b.at);
}

static void values(void **state)
{
    uint64_t random = test_seed("gcn scales");
    (void)state;
    gcn_need_llvm("products with scales of gfx targets were run by nothing");
    for (size_t t = 0; t < TARGETS; t++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) row_runs(targets[t], i, &random);
}

static char *text_on(gcn_target target, const zlay_gemm *r)
{
    zlay_plan *plan = wave_plan(ctx, gcn_target_name[target], r);
    char *text = wave_text(ctx, plan);
    zlay_plan_free(plan);
    return text;
}

/* A column-major D is the transposed product: the kernel is that of A and B, and of their scales, interchanged. */
static void transposed(void **state)
{
    (void)state;
    for (size_t t = 0; t < TARGETS; t++) {
        zlay_gemm r = {.m = 140, .n = 200, .k = 400, .d_type = ZLAY_TYPE_F32, .a_scales = LINE, .b_scales = SQUARE}, s = r;
        types_of(targets[t], true, &r);
        types_of(targets[t], true, &s);
        s.m = r.n, s.n = r.m, s.a_type = r.b_type, s.b_type = r.a_type, s.a_scales = r.b_scales, s.b_scales = r.a_scales;
        s.d_order = ZLAY_ORDER_COLUMN;
        char *one = text_on(targets[t], &r), *other = text_on(targets[t], &s);
        assert_string_equal(one, other);
        free(one);
        free(other);
    }
}

/* The plan says the sizes of the arrays, once each. */
static void explanation(void **state)
{
    static char text[1 << 16];
    static const char wanted[] = "scales of A: read_sa, f32 [4][200], one for each row and 128 of K\n"
                                 "  scales of B: read_sb, f32 [3][4], one for 128 columns and 128 of K\n";
    zlay_buf buf = {text, sizeof text, 0};
    zlay_gemm r = {.m = 200, .n = 300, .k = 512, .a_scales = LINE, .b_scales = SQUARE};
    (void)state;
    types_of(GCN_950, false, &r);
    zlay_plan *plan = wave_plan(ctx, "gfx950", &r);
    assert_int_equal(zlay_plan_print(&buf, plan), ZLAY_OK);
    const char *at = strstr(text, wanted);
    assert_non_null(at);
    assert_null(strstr(at + 1, "scales of A"));
    zlay_plan_free(plan);
}

/* ---- golden ------------------------------------------------------------------------------------ */

static char *golden_text(gcn_target target, char path[64])
{
    zlay_gemm r = {.m = 4096, .n = 7168, .k = 2048, .d_type = ZLAY_TYPE_BF16, .a_scales = LINE, .b_scales = SQUARE};
    types_of(target, false, &r);
    snprintf(path, 64, "tests/golden/gemm-scales.%s.s", gcn_target_name[target]);
    return text_on(target, &r);
}

static void golden(void **state)
{
    (void)state;
    for (size_t t = 0; t < TARGETS; t++) {
        char path[64], *text = golden_text(targets[t], path), *kept = calloc(1, ROOM);
        assert_non_null(kept);
        FILE *file = fopen(path, "rb");
        if (!file) fail_msg("no file %s: make golden", path);
        kept[fread(kept, 1, ROOM - 1, file)] = 0;
        fclose(file);
        without_version(text);
        without_version(kept);
        if (strcmp(text, kept) != 0) fail_msg("%s is another text: make golden, and look at the difference", path);
        free(kept);
        free(text);
    }
}

static void golden_write(void **state)
{
    (void)state;
    for (size_t t = 0; t < TARGETS; t++) {
        char path[64], *text = golden_text(targets[t], path);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
        free(text);
    }
}

/* ---- refusals ---------------------------------------------------------------------------------- */

static void refusals(void **state)
{
    static const struct {
        const char *target, *word;
        zlay_status status;
        zlay_gemm gemm;
    } bad[] = {
        {"gfx950", "a_scales: bf16; blocks with scales have e4m3 or e5m2", ZLAY_ENOTSUP, {.a_scales = LINE}},
        {"gfx950", "b_scales: 7 is no granularity", ZLAY_EINVAL, {.type = ZLAY_TYPE_E4M3, .b_scales = 7}},
        {"gfx950", "tile_k: 64; a scale is of 128", ZLAY_EINVAL, {.type = ZLAY_TYPE_E4M3, .b_scales = SQUARE, .tile_k = 64}},
        {"gfx950", "tile_n: 256; with scales a thread has its sums twice, and at most 128", ZLAY_EINVAL, {.type = ZLAY_TYPE_E4M3, .a_scales = LINE, .tile_n = 256}},
        {"gfx950", "tile_m: 256; with scales a lane has its sums twice", ZLAY_NONE, {.type = ZLAY_TYPE_E4M3, .a_scales = LINE, .tile_m = 256}},
        {"gfx942", "the nearest that works is e4m3fnuz", ZLAY_NONE, {.type = ZLAY_TYPE_E4M3, .a_scales = LINE}},
        {"gfx90a", "e4m3", ZLAY_NONE, {.type = ZLAY_TYPE_E4M3, .a_scales = LINE}},
        {"gfx950", "a_scales: 1x32", ZLAY_ENOTSUP, {.type = ZLAY_TYPE_E4M3, .a_scales = ZLAY_SCALES_LINE_32, .b_scales = ZLAY_SCALES_LINE_32}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zlay_gemm r = bad[i].gemm;
        r.size = sizeof r, r.m = r.n = r.k = 256;
        zlay_plan *plan = NULL;
        zlay_status status = zlay_gemm_synth(ctx, &plan, wave_target(bad[i].target), &r);
        if (status != bad[i].status || !strstr(zlay_ctx_message(ctx), bad[i].word)) fail_msg("%s: %d, %s", bad[i].word, status, zlay_ctx_message(ctx));
        assert_null(plan);
    }
}

int main(int count, char **words)
{
    const struct CMUnitTest writing[] = {cmocka_unit_test(golden_write)};
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(transposed), cmocka_unit_test(explanation), cmocka_unit_test(golden), cmocka_unit_test(refusals)};
    if (count > 1 && !strcmp(words[1], "golden")) return cmocka_run_group_tests(writing, open_ctx, close_ctx);
    return cmocka_run_group_tests_name("gcn-scales", tests, open_ctx, close_ctx);
}
