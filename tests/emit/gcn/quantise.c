/* SPDX-License-Identifier: Apache-2.0 */
/* GEMMs of gfx targets whose bodies store values of rows, divide, and round to floats of 8 bits, and those whose D has scales: the text is
 * executed with arrays of their exact sizes, each of which is stored once, and compared with the same in C, bit by bit. */
#define _DEFAULT_SOURCE
#include "gcn/typed.h"
#include "group_ctx.h"
#include "plans/refused.h"

#include <zlay/plan.h>

#define T(name) ZLAY_TYPE_##name
enum { BLOCK = 128, BIAS = 512, ZERO_ROW = 3, INFINITE_ROW = 5, SCALES = 4096 };

static float sd[SCALES], bias[BIAS], sa[SCALES], sb[SCALES]; /* of A and B powers of two, so that sums are exact */

/* ---- stores ------------------------------------------------------------------------------------- */

static uint32_t blocks_of(uint32_t columns, uint32_t wide) { return (columns + wide - 1) / wide; }

static float greatest(const typed *t, uint32_t i, uint32_t from, uint32_t wide)
{
    double most = 0;
    for (uint32_t j = from; j < from + wide && j < t->d.columns; j++) most = fmax(most, fabs(typed_sum(t, i, j)));
    return (float)most;
}

static void read_example(char *text, size_t room)
{
    FILE *file = fopen("examples/tops.body", "r");
    assert_non_null(file);
    size_t length = fread(text, 1, room - 1, file);
    assert_true(length && length < room - 1);
    text[length] = 0;
    fclose(file);
}

/* examples/tops.body: the greatest magnitude of each row in a tile of 64 columns of 200 rows. */
static void stores(void **state)
{
    enum { M = 200, N = 140, WIDE = 64 };
    static char text[1024];
    uint64_t random = test_seed("gcn stores");
    (void)state;
    gcn_need_llvm("scales of D of gfx targets were made by nothing");
    read_example(text, sizeof text);
    for (gcn_target target = 0; target < GCN_TARGETS; target++) {
        typed t;
        uint32_t count = M * blocks_of(N, WIDE);
        const int32_t type[3] = {T(BF16), T(BF16), T(BF16)};
        const typed_given given[] = {{"write_top", sd, count * 4}};
        zlay_gemm r = {.size = sizeof r, .m = M, .n = N, .k = 72, .tile_n = WIDE, .epilogue = text, .epilogue_length = strlen(text)};
        for (uint32_t i = 0; i < count; i++) sd[i] = -1;
        typed_make(&t, ctx, target, &r, type, &random, given, 1);
        typed_run(&t, (int)target, "tops");
        for (uint32_t i = 0; i < count; i++)
            if (gcn_bits(sd[i]) != gcn_bits(greatest(&t, i % M, i / M * WIDE, WIDE)))
                fail_msg("%s: %u: %g", gcn_target_name[target], i, (double)sd[i]);
        typed_free(&t);
    }
}

/* ---- quotients ------------------------------------------------------------------------------------ */

static bool alike(float a, float b) { return isnan(a) ? isnan(b) : gcn_bits(a) == gcn_bits(b); }

/* Of every pair of 0, subnormal, small, great, infinite numbers and NaN, and of drawn ones, with a quotient that is no subnormal number. */
static void quotients(void **state)
{
    enum { N = 256, SPECIAL = 12 };
    static const char body[] = "body f\n matrix S f32\n global above f32\n global below f32\n index i\n index j\n"
                               " S = load(above, j + col) / load(below, i + row)\nend\n";
    static const float special[SPECIAL] = {0, -0.0f, 1, -3, INFINITY, -INFINITY, NAN, 1e-40f, -0x1p-149f, 3e38f, 0x1p-126f, 0x1.fffffep127f};
    static float above[N], below[N];
    uint64_t random = test_seed("gcn quotients");
    (void)state;
    gcn_need_llvm("scales of D of gfx targets were made by nothing");
    for (int i = 0; i < N; i++) {
        above[i] = i < SPECIAL ? special[i] : ldexpf((float)(1 << 23 | (test_random(&random) & 0x7fffff)), (int)test_range(&random, -90, 90));
        below[i] = i < SPECIAL ? special[i] : -ldexpf((float)(1 << 23 | (test_random(&random) & 0x7fffff)), (int)test_range(&random, -60, 30));
    }
    for (gcn_target target = 0; target < GCN_TARGETS; target++) {
        typed t;
        const int32_t type[3] = {T(BF16), T(BF16), T(F32)};
        const typed_given given[] = {{"read_above", above, sizeof above}, {"read_below", below, sizeof below}};
        zlay_gemm r = {.size = sizeof r, .m = N, .n = N, .k = 32, .d_type = T(F32), .epilogue = body, .epilogue_length = sizeof body - 1};
        typed_make(&t, ctx, target, &r, type, &random, given, 2);
        typed_run(&t, 0, "quotients");
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t j = 0; j < N; j++) {
                float want = above[j] / below[i], got = (float)typed_at(&t.d, target, i, j);
                bool small = fabsf(want) < 0x1p-126f && !(fabsf(want) <= 0 && !isnan(want));
                if (!small && !alike(want, got)) fail_msg("%s: %a / %a: %a", gcn_target_name[target], (double)above[j], (double)below[i], (double)got);
            }
        typed_free(&t);
    }
}

/* ---- D with scales ---------------------------------------------------------------------------------- */

static const char relu[] = "body relu\n matrix S f32\n global bias f32\n index i\n index j\n S = max(S * 0.5 + load(bias, j + col), -3)\nend\n";
static const char half[] = "body half\n matrix S f32\n x = S * 0.5\n S = x\nend\n";

#define ONLY(which) (1u << GCN_##which)
static const struct {
    const char *what;
    uint32_t targets;
    int32_t type[3];
    zlay_gemm gemm;
} rows[] = {
    {"bf16 to e4m3fnuz", ONLY(942), {T(BF16), T(BF16), T(E4M3_FNUZ)}, {.m = 200, .n = 272, .k = 72}},
    {"bf16 to e5m2fnuz, bytes", ONLY(942), {T(BF16), T(BF16), T(E5M2_FNUZ)}, {.m = 131, .n = 129, .k = 64}},
    {"e4m3fnuz, an epilogue", ONLY(942), {T(E4M3_FNUZ), T(E4M3_FNUZ), T(E4M3_FNUZ)}, {.m = 70, .n = 200, .k = 144, .epilogue = relu}},
    {"two blocks in a tile, fnuz", ONLY(942), {T(E5M2_FNUZ), T(E4M3_FNUZ), T(E4M3_FNUZ)}, {.m = 130, .n = 389, .k = 64, .tile_n = 256, .tile_k = 64}},
    {"scales of A and B, fnuz", ONLY(942), {T(E4M3_FNUZ), T(E5M2_FNUZ), T(E4M3_FNUZ)},
     {.m = 140, .n = 200, .k = 272, .a_scales = ZLAY_SCALES_LINE, .b_scales = ZLAY_SCALES_BLOCK, .epilogue = relu}},
    {"scales of A and B", ONLY(950), {T(E4M3), T(E4M3), T(E4M3)},
     {.m = 131, .n = 136, .k = 400, .a_scales = ZLAY_SCALES_LINE, .b_scales = ZLAY_SCALES_LINE}},
    {"bf16 to e4m3", ONLY(950), {T(BF16), T(BF16), T(E4M3)}, {.m = 200, .n = 272, .k = 72}},
    {"e5m2, infinities", ONLY(950), {T(E5M2), T(E4M3), T(E5M2)}, {.m = 70, .n = 300, .k = 128, .ldd = 304}},
    {"f16 to e4m3, an epilogue", ONLY(950), {T(F16), T(F16), T(E4M3)}, {.m = 67, .n = 80, .k = 64, .epilogue = relu}},
    {"an epilogue without indices", ONLY(950), {T(BF16), T(BF16), T(E5M2)}, {.m = 130, .n = 256, .k = 64, .epilogue = half}},
    {"two blocks in a tile, an epilogue", ONLY(950), {T(BF16), T(BF16), T(E4M3)}, {.m = 131, .n = 389, .k = 72, .tile_n = 256, .tile_k = 32, .epilogue = relu}},
};

static zlay_gemm asked(size_t row)
{
    zlay_gemm r = rows[row].gemm;
    r.size = sizeof r;
    r.a_type = rows[row].type[0], r.b_type = rows[row].type[1], r.d_type = rows[row].type[2];
    r.d_scales = ZLAY_SCALES_LINE;
    r.epilogue_length = r.epilogue ? strlen(r.epilogue) : 0;
    return r;
}

static double scale_of(const float *scales, int32_t sort, uint32_t lines, uint32_t line, uint32_t k, uint32_t depth)
{
    if (!sort) return 1;
    return (double)(sort == ZLAY_SCALES_LINE ? scales[k / BLOCK * lines + line] : scales[line / BLOCK * blocks_of(depth, BLOCK) + k / BLOCK]);
}

static double scaled_sum(const typed *t, const zlay_gemm *r, uint32_t i, uint32_t j)
{
    double sum = 0;
    for (uint32_t k = 0; k < t->a.columns; k++)
        sum += typed_at(&t->a, t->target, i, k) * scale_of(sa, r->a_scales, t->d.rows, i, k, t->a.columns) *
               typed_at(&t->b, t->target, j, k) * scale_of(sb, r->b_scales, t->d.columns, j, k, t->a.columns);
    return sum;
}

static float sum_of(const typed *t, size_t row, uint32_t i, uint32_t j)
{
    float sum = (float)scaled_sum(t, &rows[row].gemm, i, j);
    if (rows[row].gemm.epilogue == relu) return fmaxf(sum * 0.5f + bias[j], -3);
    return rows[row].gemm.epilogue == half ? sum * 0.5f : sum;
}

/* The greatest number of D's type. */
static float most_of(int32_t type) { return type == T(E4M3) ? 448 : type == T(E4M3_FNUZ) ? 240 : 57344; }

/* Saturated, but for NaN, and rounded. */
static uint32_t byte_of(int32_t type, gcn_target target, float value)
{
    bool four = type == T(E4M3) || type == T(E4M3_FNUZ);
    if (!isnan(value)) value = fminf(fmaxf(value, -most_of(type)), most_of(type));
    return gcn_byte_bits(four ? GCN_FP8 : GCN_BF8, target, (double)value);
}

static bool byte_alike(int32_t type, gcn_target target, uint32_t a, uint32_t b)
{
    return a == b || (isnan(typed_decode(type, target, a)) && isnan(typed_decode(type, target, b)));
}

static void compare_block(const typed *t, size_t row, uint32_t i, uint32_t b)
{
    uint32_t end = (b + 1) * BLOCK < t->d.columns ? (b + 1) * BLOCK : t->d.columns;
    float most = 1e-20f, got = sd[b * t->d.rows + i];
    for (uint32_t j = b * BLOCK; j < end; j++) most = fmaxf(most, fabsf(sum_of(t, row, i, j)));
    float scale = most / most_of(t->d.type), by = 1 / scale;
    if (gcn_bits(got) != gcn_bits(scale)) fail_msg("%s: scale of row %u, block %u: %a, not %a", rows[row].what, i, b, (double)got, (double)scale);
    for (uint32_t j = b * BLOCK; j < end; j++) {
        uint32_t want = byte_of(t->d.type, t->target, sum_of(t, row, i, j) * by), is = t->d.bytes[(uint64_t)i * t->d.pitch + j];
        if (!byte_alike(t->d.type, t->target, is, want)) fail_msg("%s: (%u, %u): 0x%x, not 0x%x", rows[row].what, i, j, is, want);
    }
}

/* Zeros in a row of A; an infinity in another, where A has one. */
static void special_rows(typed *t)
{
    if (t->a.rows <= INFINITE_ROW) return;
    uint64_t bytes = (uint64_t)t->a.pitch * typed_bytes(t->a.type);
    memset(t->a.bytes + ZERO_ROW * bytes, 0, bytes);
    if (t->a.type == T(E5M2)) t->a.bytes[INFINITE_ROW * bytes + 7] = 0x7c;
}

static void row_runs(gcn_target target, size_t row, uint64_t *random)
{
    typed t;
    zlay_gemm r = asked(row);
    uint32_t count = (uint32_t)r.m * blocks_of((uint32_t)r.n, BLOCK);
    const typed_given given[] = {{"write_sd", sd, count * 4}, {"read_bias", bias, sizeof bias}, {"read_sa", sa, sizeof sa}, {"read_sb", sb, sizeof sb}};
    for (uint32_t i = 0; i < SCALES; i++) sa[i] = ldexpf(1, (int)test_range(random, -2, 2)), sb[i] = ldexpf(1, (int)test_range(random, -2, 2));
    assert_true(count <= SCALES && r.n <= BIAS);
    for (uint32_t i = 0; i < count; i++) sd[i] = -1;
    for (uint32_t i = 0; i < BIAS; i++) bias[i] = (float)(int)test_range(random, 0, 64) / 4 - 8;
    typed_make(&t, ctx, target, &r, rows[row].type, random, given, 4);
    special_rows(&t);
    typed_run(&t, (int)(row % 3), rows[row].what);
    for (uint32_t i = 0; i < t.d.rows; i++)
        for (uint32_t b = 0; b < blocks_of(t.d.columns, BLOCK); b++) compare_block(&t, row, i, b);
    typed_free(&t);
}

static void scales(void **state)
{
    uint64_t random = test_seed("gcn quantise");
    (void)state;
    gcn_need_llvm("scales of D of gfx targets were made by nothing");
    for (gcn_target target = 0; target < GCN_TARGETS; target++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (rows[i].targets & 1u << target) row_runs(target, i, &random);
}

/* D of 8 bits without scales is rounded and saturated: sums of up to 16 K from e5m2 beyond the greatest e4m3. */
static void narrow(void **state)
{
    uint64_t random = test_seed("gcn narrow");
    (void)state;
    gcn_need_llvm("scales of D of gfx targets were made by nothing");
    for (gcn_target target = GCN_942; target <= GCN_950; target++) {
        typed t;
        int32_t d = zlay_target_type(wave_target(gcn_target_name[target]), T(E4M3));
        const int32_t type[3] = {T(BF16), T(BF16), d};
        zlay_gemm r = {.size = sizeof r, .m = 66, .n = 70, .k = 1024, .d_type = d};
        typed_make(&t, ctx, target, &r, type, &random, NULL, 0);
        typed_run(&t, 0, "narrow");
        for (uint32_t i = 0; i < t.d.rows; i++)
            for (uint32_t j = 0; j < t.d.columns; j++)
                assert_int_equal(t.d.bytes[i * t.d.pitch + j], byte_of(d, target, (float)typed_sum(&t, i, j)));
        typed_free(&t);
    }
}

/* ---- what is refused, and what is said ---------------------------------------------------------------- */

static const char two[] = "body two\nmatrix S f32\nmatrix R e4m3\nR = e4m3(S)\nend\n";

static const struct {
    const char *word, *target;
    zlay_status status;
    zlay_gemm gemm;
} bad[] = {
    {"d_scales: d_type is bf16; e4m3fnuz and e5m2fnuz have scales", "gfx942", ZLAY_ENOTSUP, {.d_scales = ZLAY_SCALES_LINE}},
    {"d_scales: d_type is bf16; e4m3 and e5m2 have scales", "gfx950", ZLAY_ENOTSUP, {.d_scales = ZLAY_SCALES_LINE}},
    {"d_type: e4m3; gfx942 rounds no sums to it; the nearest that works is e4m3fnuz", "gfx942", ZLAY_ENOTSUP, {.d_type = T(E4M3), .d_scales = ZLAY_SCALES_LINE}},
    {"d_type: e5m2fnuz; gfx950 rounds no sums to it; the nearest that works is e5m2", "gfx950", ZLAY_ENOTSUP, {.d_type = T(E5M2_FNUZ)}},
    {"d_type: e4m3; gfx90a rounds no sums to it; the nearest that works is bf16", "gfx90a", ZLAY_ENOTSUP, {.d_type = T(E4M3), .d_scales = ZLAY_SCALES_LINE}},
    {"d_type: e4m3fnuz; sums of bf16 are f32", "sm_90a", ZLAY_ENOTSUP, {.d_type = T(E4M3_FNUZ)}},
    {"d_scales: 128x128; D has scales of 1x128 alone", "gfx950", ZLAY_ENOTSUP, {.d_type = T(E4M3), .d_scales = ZLAY_SCALES_BLOCK}},
    {"d_scales: D is column-major", "gfx950", ZLAY_ENOTSUP, {.d_type = T(E4M3), .d_order = ZLAY_ORDER_COLUMN, .d_scales = ZLAY_SCALES_LINE}},
    {"tile_n: 64; with d_scales a tile has whole blocks of 128 columns: the nearest that works is 128", "gfx942", ZLAY_EINVAL,
     {.d_type = T(E4M3_FNUZ), .d_scales = ZLAY_SCALES_LINE, .tile_n = 64}},
    {"tile_m: 64; a body that reduces rows needs 128", "gfx942", ZLAY_EINVAL, {.d_type = T(E4M3_FNUZ), .d_scales = ZLAY_SCALES_LINE, .tile_m = 64}},
    {"epilogue: body two makes elements of D; with d_scales it changes the sums, one matrix", "gfx950", ZLAY_EINVAL,
     {.d_type = T(E4M3), .d_scales = ZLAY_SCALES_LINE, .epilogue = two, .epilogue_length = sizeof two - 1}},
};

static void refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zlay_gemm q = bad[i].gemm;
        q.m = q.n = q.k = 256;
        gemm_refused(bad[i].target, &q, bad[i].status, bad[i].word);
    }
}

static void explanation(void **state)
{
    static char text[1 << 16];
    zlay_scales s;
    zlay_buf buf = {text, sizeof text, 0};
    zlay_gemm r = asked(0);
    zlay_plan *plan = wave_plan(ctx, "gfx942", &r);
    (void)state;
    assert_int_equal(zlay_plan_print(&buf, plan), ZLAY_OK);
    assert_non_null(strstr(text, "scales of D: write_sd, f32 [3][200], one for each row and 128 columns\n"));
    assert_int_equal(zlay_plan_scales(&s, plan, ZLAY_OPERAND_D), ZLAY_OK);
    assert_int_equal(s.shape[0], 3);
    assert_int_equal(s.shape[1], 200);
    zlay_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stores), cmocka_unit_test(quotients), cmocka_unit_test(narrow), cmocka_unit_test(scales),
                                       cmocka_unit_test(refusals), cmocka_unit_test(explanation)};
    return cmocka_run_group_tests_name("emit/gcn/quantise", tests, open_ctx, close_ctx);
}
