/* SPDX-License-Identifier: Apache-2.0 */
/* GEMMs of gfx targets whose sums a body of the request makes into D: the text is executed, and D is the same in double:
 * scaled, with a vector of each column and a scale of each row, a residual matrix, activations, edges, 16-bit and integer
 * arithmetic, masks, and values of whole rows. What the targets have no instruction for is refused. */
#define _DEFAULT_SOURCE
#include "gcn/typed.h"
#include "group_ctx.h"


static char whole[4096]; /* examples/epilogue.body */
static const char relu[] = "body relu\n  matrix S f32\n  matrix R bf16\n  R = bf16(max(S, 0))\nend\n";
static const char in_place[] = "body silu\n  matrix S f32\n  S = S * rcp(1 + exp2(S * -1.44269504))\nend\n";
static const char halves[] = "body halves\n  matrix S f32\n  matrix R f16\n  global bias f32\n  index m\n  index n\n"
                             "  h = f16(S * 0.0625)\n  b = f16(load(bias, n + col, 67))\n"
                             "  R = max(fma(h, b, h) - 0.5, min(abs(-h), b * 2))\nend\n";
static const char whole_numbers[] = "body whole\n  matrix S f32\n  index m\n  index n\n  i = s32.rm(S * 0.25)\n"
                                    "  j = xor(shl(i, 2), and(m + row, 5)) + shr(i, 1) * 3\n"
                                    "  k = u32(max(j, -100) - min(n + col, 7))\n"
                                    "  S = f32(s32(k)) + f32(s32.rz(S * 0.3)) + f32(s32(S * 0.3)) + f32(s32.rp(S * 0.3))\nend\n";
static const char masked[] = "body masked\n  matrix S f32\n  matrix R bf16\n  index m\n  index n\n"
                             "  inside = and(n + col <= m + row, or(S < 9, S >= 20))\n"
                             "  R = bf16(select(xor(inside, S == 3), S, -2)) \nend\n";
static const char softmax[] = "body softmax\n  matrix S f32\n  top = rowmax(S)\n  e = exp2((S - top) * 0.125)\n"
                              "  S = e * rcp(rowsum(e)) + sqrt(abs(rowmin(S))) + log2(rsqrt(4 + abs(S)))\nend\n";
static const char columns[] = "body columns\n  matrix S f32\n  matrix R bf16\n  global bias f32\n  index m\n  index n\n"
                              "  R = bf16(load(bias, n + col, 67))\nend\n";
static const char cut[] = "body cut\n  matrix S f32\n  matrix R bf16\n  R = bf16.rz(S * 1.37)\nend\n";

typedef struct arrays {
    uint32_t rows, columns;
    float *bias, *scale, alpha;
    uint16_t *residual;
} arrays;

static arrays arrays_make(uint32_t rows, uint32_t columns_, uint64_t *random)
{
    arrays a = {rows, columns_, calloc(columns_, 4), calloc(rows, 4), 0.0625f, calloc((size_t)rows * columns_, 2)};
    assert_true(a.bias && a.scale && a.residual);
    for (uint32_t i = 0; i < columns_; i++) a.bias[i] = (float)(int)test_range(random, 0, 16) / 8 - 1;
    for (uint32_t i = 0; i < rows; i++) a.scale[i] = (float)(int)test_range(random, 1, 4) / 4;
    for (uint32_t i = 0; i < rows * columns_; i++)
        a.residual[i] = (uint16_t)(gcn_bits((float)(int)test_range(random, -4, 4)) >> 16);
    return a;
}

static void arrays_free(arrays *a) { free(a->bias), free(a->scale), free(a->residual); }

/* ---- what is expected ------------------------------------------------------------------------------ */

static double gelu(const arrays *a, uint32_t i, uint32_t j, double sum)
{
    double x = sum * (double)a->alpha * (double)a->scale[i] + (double)a->bias[j];
    return x / 2 * (1 + tanh(0.797884561 * (x + 0.044715 * x * x * x))) +
           (double)gcn_float((uint32_t)a->residual[i * a->columns + j] << 16);
}

static double of_halves(const arrays *a, uint32_t j, double sum)
{
    double h = sum * 0.0625, b = (double)a->bias[j];
    return fmax(h * b + h - 0.5, fmin(fabs(h), b * 2));
}

static double of_whole(uint32_t row, uint32_t column, double sum)
{
    int32_t i = (int32_t)floor(sum * 0.25), j = (int32_t)((uint32_t)i << 2 ^ (row & 5)) + (i >> 1) * 3;
    uint32_t k = (uint32_t)((j > -100 ? j : -100) - (int32_t)(column < 7 ? column : 7));
    double part = (double)((float)sum * 0.3f);
    return (double)(int32_t)k + trunc(part) + rint(part) + ceil(part);
}

static double of_masked(uint32_t i, uint32_t j, double sum)
{
    bool inside = j <= i && (sum < 9 || sum >= 20);
    return inside != (fabs(sum - 3) < 0.5) ? sum : -2;
}

/* The rows of the tile, whose sums behind the matrix are 0. */
static double of_softmax(const typed *t, uint32_t i, uint32_t j)
{
    double top = -INFINITY, least = INFINITY, all = 0;
    uint32_t from = j / t->info.tile_n * t->info.tile_n;
    double *sum = calloc(t->info.tile_n, sizeof *sum);
    assert_non_null(sum);
    for (uint32_t c = 0; c < t->info.tile_n; c++) {
        if (from + c < t->d.columns) sum[c] = typed_sum(t, i, from + c);
        top = fmax(top, sum[c]), least = fmin(least, sum[c]);
    }
    for (uint32_t c = 0; c < t->info.tile_n; c++) all += exp2((sum[c] - top) * 0.125);
    double x = sum[j - from];
    free(sum);
    return exp2((x - top) * 0.125) / all + sqrt(fabs(least)) + log2(1 / sqrt(4 + fabs(x)));
}

static double expected(const char *body, const typed *t, const arrays *a, uint32_t i, uint32_t j)
{
    if (body == softmax) return of_softmax(t, i, j);
    if (body == columns) return (double)a->bias[j];
    double sum = typed_sum(t, i, j);
    if (body == relu) return sum > 0 ? sum : 0;
    if (body == in_place) return sum / (1 + exp(-sum));
    if (body == halves) return of_halves(a, j, sum);
    if (body == whole_numbers) return of_whole(i, j, sum);
    if (body == masked) return of_masked(i, j, sum);
    if (body == cut) return sum * 1.37;
    return gelu(a, i, j, sum);
}

static const struct {
    const char *what, *body;
    zlay_gemm gemm;
    double bound; /* of the error, relative to 1 + |value| */
} rows[] = {
    {"whole", whole, {.m = 140, .n = 136, .k = 72}, 0.01},
    {"relu", relu, {.m = 65, .n = 67, .k = 40, .tile_n = 64}, 0.01},
    {"in place, f32", in_place, {.m = 70, .n = 72, .k = 64, .d_type = ZLAY_TYPE_F32}, 1e-6},
    {"in place, f32 by fours", in_place, {.m = 33, .n = 35, .k = 64, .ldd = 37, .d_type = ZLAY_TYPE_F32}, 1e-6},
    {"halves", halves, {.m = 70, .n = 67, .k = 64, .d_type = ZLAY_TYPE_F16}, 0.002},
    {"whole numbers", whole_numbers, {.m = 66, .n = 66, .k = 64, .d_type = ZLAY_TYPE_F32}, 1e-7},
    {"masked", masked, {.m = 66, .n = 68, .k = 64}, 0.004},
    {"values of rows", softmax, {.m = 130, .n = 90, .k = 64, .d_type = ZLAY_TYPE_F32}, 1e-5},
    {"columns alone", columns, {.m = 40, .n = 67, .k = 32}, 0},
    {"cut", cut, {.m = 40, .n = 68, .k = 64}, 0.008},
};

static void compare(const typed *t, size_t row, const arrays *a)
{
    for (uint32_t i = 0; i < t->d.rows; i++)
        for (uint32_t j = 0; j < t->d.columns; j++) {
            double wanted = expected(rows[row].body, t, a, i, j), got = typed_at(&t->d, t->target, i, j);
            bool towards = rows[row].body != cut || fabs(got) <= fabs(wanted) * (1 + 1e-7);
            if (!(fabs(got - wanted) <= rows[row].bound * (1 + fabs(wanted))) || !towards)
                fail_msg("%s, %s: (%u, %u): %g, not %g", gcn_target_name[t->target], rows[row].what, i, j, got, wanted);
        }
}

static void read_example(void)
{
    FILE *file = fopen("examples/epilogue.body", "r");
    assert_non_null(file);
    size_t length = fread(whole, 1, sizeof whole - 1, file);
    assert_true(length && length < sizeof whole - 1);
    fclose(file);
}

static void row_runs(gcn_target target, size_t row, uint64_t *random)
{
    typed t;
    zlay_gemm r = rows[row].gemm;
    int32_t type[3] = {ZLAY_TYPE_BF16, ZLAY_TYPE_BF16, r.d_type ? r.d_type : ZLAY_TYPE_BF16};
    r.size = sizeof r;
    r.epilogue = rows[row].body;
    r.epilogue_length = strlen(r.epilogue);
    arrays a = arrays_make((uint32_t)r.m, (uint32_t)r.n, random);
    const typed_given given[] = {{"x_alpha", &a.alpha, 0}, {"x_m", &a.rows, 0}, {"x_n", &a.columns, 0},
                                 {"read_bias", a.bias, a.columns * 4}, {"read_scale", a.scale, a.rows * 4},
                                 {"read_residual", a.residual, (uint64_t)a.rows * a.columns * 2}};
    typed_make(&t, ctx, target, &r, type, random, given, sizeof given / sizeof *given);
    typed_run(&t, (int)(row % 2), rows[row].what);
    compare(&t, row, &a);
    typed_free(&t);
    arrays_free(&a);
}

static void values(void **state)
{
    uint64_t random = test_seed("gcn epilogue");
    (void)state;
    gcn_need_llvm("epilogues of gfx targets were run by nothing");
    read_example();
    for (gcn_target target = 0; target < GCN_TARGETS; target++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) row_runs(target, i, &random);
}

static void refusals(void **state)
{
    static const struct {
        const char *body, *word;
        zlay_status planned, printed;
        uint32_t tile_m;
        int32_t d_order;
    } bad[] = {
        {"body f\n matrix S f32\n S = f32(exp2(f16(S)))\nend\n", "exp2 of f16; gfx942 has no such instruction", ZLAY_OK, ZLAY_ENOTSUP, 0, 0},
        {"body f\n matrix S f32\n S = f32(bf16(S) * 2)\nend\n", "* of bf16; gfx942 has no such instruction: compute in f32", ZLAY_OK, ZLAY_ENOTSUP, 0, 0},
        {"body f\n matrix S f32\n S = f32.rz(s32(S))\nend\n", "f32 of s32", ZLAY_OK, ZLAY_ENOTSUP, 0, 0},
        {"body f\n matrix S f32\n S = f32(e4m3(S))\nend\n", "e4m3 of f32", ZLAY_OK, ZLAY_ENOTSUP, 0, 0},
        {"body f\n matrix S f32\n row r f32\n S = S * r\nend\n", "rows, columns or parts", ZLAY_EINVAL, 0, 0, 0},
        {"body f\n matrix S f32\n S = S - rowmax(S)\nend\n", "tile_m: 64", ZLAY_EINVAL, 0, 64, 0},
        {"body f\n matrix S f32\n matrix R f32\n S = S + 1\nend\n", "gives D no value", ZLAY_EINVAL, 0, 0, 0},
        {"body f\n matrix S f32\n S = T\nend\n", "T", ZLAY_EINVAL, 0, 0, 0},
        {"body f\n matrix S f32\n S = max(S, 0)\nend\n", "D is column-major", ZLAY_ENOTSUP, 0, 0, ZLAY_ORDER_COLUMN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zlay_gemm r = {.size = sizeof r, .m = 128, .n = 128, .k = 64, .d_type = ZLAY_TYPE_F32, .tile_m = bad[i].tile_m,
                       .d_order = bad[i].d_order, .epilogue = bad[i].body, .epilogue_length = strlen(bad[i].body)};
        zlay_plan *plan = NULL;
        zlay_buf none = {NULL, 0, 0};
        zlay_status status = zlay_gemm_synth(ctx, &plan, wave_target("gfx942"), &r);
        if (status != bad[i].planned) fail_msg("%s: %d, %s", bad[i].body, status, zlay_ctx_message(ctx));
        if (!status) assert_int_equal(zlay_emit_assembly(ctx, &none, plan, "gemm", 4), bad[i].printed);
        if (!strstr(zlay_ctx_message(ctx), bad[i].word)) fail_msg("%s", zlay_ctx_message(ctx));
        zlay_plan_free(plan);
    }
}

/* Values that live at once beyond the registers of a lane. */
static void too_many_registers(void **state)
{
    char text[16384] = "body f\n matrix S f32\n x0 = S + 1\n";
    (void)state;
    for (int i = 1; i < 80; i++) snprintf(text + strlen(text), 64, " x%d = x%d * S\n", i, i - 1);
    strcat(text, " y0 = x0\n");
    for (int i = 1; i < 80; i++) snprintf(text + strlen(text), 64, " y%d = y%d + x%d\n", i, i - 1, i);
    strcat(text, " S = y79\nend\n");
    zlay_gemm r = {.size = sizeof r, .m = 128, .n = 128, .k = 64, .d_type = ZLAY_TYPE_F32, .epilogue = text,
                   .epilogue_length = strlen(text)};
    zlay_plan *plan = NULL;
    assert_int_equal(zlay_gemm_synth(ctx, &plan, wave_target("gfx942"), &r), ZLAY_NONE);
    if (!strstr(zlay_ctx_message(ctx), "registers, a lane has 256")) fail_msg("%s", zlay_ctx_message(ctx));
    assert_null(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(refusals),
                                       cmocka_unit_test(too_many_registers)};
    return cmocka_run_group_tests_name("gcn-epilogue", tests, open_ctx, close_ctx);
}
