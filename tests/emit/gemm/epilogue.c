/* SPDX-License-Identifier: Apache-2.0 */
/* GEMMs whose sums a body of the request makes into D: the PTX is executed, and D is the same in double: scaled, with a
 * vector of each column and a scale of each row, a residual matrix, and activations; at edges, by tensor copies and by
 * threads. What is no such body is refused. */
#include "ptx/gemm.h"

#include <math.h>
#include <string.h>
#include <zlay/emit_pipe.h>

static char whole[4096]; /* examples/epilogue.body */
static const char relu[] = "body relu\n  matrix S f32\n  matrix R bf16\n  R = bf16(max(S, 0))\nend\n";
static const char in_place[] = "body silu\n  matrix S f32\n  S = S * rcp(1 + exp2(S * -1.44269504))\nend\n";

static char requantised[512]; /* examples/requantised.body */

typedef struct arrays {
    uint64_t rows, columns;
    float *bias, *scale;
    uint16_t *residual;
    float alpha;
} arrays;

static double bf16_of(uint16_t bits)
{
    return (double)px_number((const uint8_t *)&bits, ZLAY_TYPE_BF16);
}

static double element_of(const px_matrix *x, uint64_t i, uint64_t j)
{
    float value;
    memcpy(&value, px_element(x, i, j), x->bytes);
    return x->bytes == 4 ? (double)value : (double)px_number(px_element(x, i, j), x->type);
}

static arrays arrays_make(uint64_t rows, uint64_t columns, uint64_t *random)
{
    arrays a = {rows, columns, malloc(columns * 4), malloc(rows * 4), malloc(rows * columns * 2), 0.0625f};
    for (uint64_t i = 0; i < columns; i++) a.bias[i] = (float)(int)(test_random(random) % 17) / 8 - 1;
    for (uint64_t i = 0; i < rows; i++) a.scale[i] = (float)(test_random(random) % 4 + 1) / 4;
    for (uint64_t i = 0; i < rows * columns; i++)
        a.residual[i] = (uint16_t)px_gemm_bits(ZLAY_TYPE_BF16, (double)(test_random(random) % 9) - 4);
    return a;
}

static void arrays_free(arrays *a)
{
    free(a->bias);
    free(a->scale);
    free(a->residual);
}

/* Gives the kernel's arguments behind the first six, by name. */
static void give(px_machine *m, const px_gemm *g, const arrays *a)
{
    const struct {
        const char *name;
        const void *at;
        uint64_t bytes;
    } given[] = {{"x_alpha", &a->alpha, 0}, {"x_m", &a->rows, 0}, {"x_n", &a->columns, 0},
                 {"read_bias", a->bias, a->columns * 4}, {"read_scale", a->scale, a->rows * 4},
                 {"read_residual", a->residual, a->rows * a->columns * 2}};
    zlay_pipe_argument argument;
    for (uint32_t i = 6; !zlay_plan_argument_nth(&argument, g->plan, i); i++)
        for (size_t j = 0; j < sizeof given / sizeof *given; j++) {
            if (strcmp(argument.name, given[j].name) != 0) continue;
            uint64_t address = ((uint64_t)1 << 32) + (j << 28);
            if (given[j].bytes) m->memory[m->memories++] = (px_memory){address, given[j].bytes, (void *)(uintptr_t)given[j].at};
            memcpy(m->param[i], given[j].bytes ? (const void *)&address : given[j].at, argument.bytes);
        }
}

static double expected(const char *body, const arrays *a, uint64_t i, uint64_t j, double sum)
{
    if (body == requantised) return fmin(fmax(rint(sum * (double)a->alpha), -128), 127);
    if (body == relu) return sum > 0 ? sum : 0;
    if (body == in_place) return sum / (1 + exp(-sum));
    double x = sum * (double)a->alpha * (double)a->scale[i] + (double)a->bias[j];
    return x / 2 * (1 + tanh(0.797884561 * (x + 0.044715 * x * x * x))) + bf16_of(a->residual[i * a->columns + j]);
}

static void compare(const px_gemm *g, const char *body, const arrays *a, const char *what)
{
    double *sum = px_gemm_sums(g);
    for (uint64_t i = 0; i < g->d.rows; i++)
        for (uint64_t j = 0; j < g->d.columns; j++) {
            double wanted = expected(body, a, i, j, sum[i * g->d.columns + j]), got = element_of(&g->d, i, j);
            if (!(fabs(got - wanted) <= 0.01 * (1 + fabs(wanted))))
                fail_msg("%s: (%llu, %llu): %g, not %g", what, (unsigned long long)i, (unsigned long long)j, got, wanted);
        }
    free(sum);
}

static const struct {
    const char *target, *what, *body;
    uint32_t blocks;
    zlay_gemm gemm;
} rows[] = {
    {"sm_90a", "by tensor copies", whole, 2, {.m = 200, .n = 136, .k = 72, .tile_n = 64}},
    {"sm_90a", "small tiles", whole, 1, {.m = 130, .n = 72, .k = 64, .tile_m = 64, .tile_n = 64}},
    {"sm_90a", "by threads", whole, 2, {.m = 65, .n = 67, .k = 37}},
    {"sm_90a", "relu", relu, 2, {.m = 130, .n = 136, .k = 64}},
    {"sm_90a", "s8 of s8", requantised, 2, {.m = 130, .n = 144, .k = 160, .a_type = ZLAY_TYPE_S8, .b_type = ZLAY_TYPE_S8, .d_type = ZLAY_TYPE_S8}},
    {"sm_90a", "s8 of s8, by threads", requantised, 1, {.m = 66, .n = 67, .k = 36, .a_type = ZLAY_TYPE_S8, .b_type = ZLAY_TYPE_S8, .d_type = ZLAY_TYPE_S8}},
    {"sm_90a", "in place, f32", in_place, 2, {.m = 70, .n = 72, .k = 64, .d_type = ZLAY_TYPE_F32}},
    {"sm_90a", "columns of D as rows of tiles", whole, 2, {.m = 24, .n = 200, .k = 72, .tile_n = 24, .swap = ZLAY_SWAP_ALWAYS}},
    {"sm_90a", "the same, two consumers", whole, 2, {.m = 40, .n = 328, .k = 72, .tile_m = 128, .tile_n = 32, .swap = ZLAY_SWAP_ALWAYS}},
    {"sm_90a", "the same, by threads", whole, 2, {.m = 19, .n = 67, .k = 37, .tile_n = 16, .swap = ZLAY_SWAP_ALWAYS}},
    {"sm_90a", "the same, in place, f32", in_place, 2, {.m = 16, .n = 72, .k = 64, .tile_n = 16, .d_type = ZLAY_TYPE_F32, .swap = ZLAY_SWAP_ALWAYS}},
    {"sm_90a", "D by columns", whole, 2, {.m = 200, .n = 136, .k = 72, .tile_n = 64, .d_order = ZLAY_ORDER_COLUMN}},
    {"sm_90a", "D by columns, which are the rows of tiles", whole, 2, {.m = 200, .n = 24, .k = 72, .tile_n = 24, .d_order = ZLAY_ORDER_COLUMN, .swap = ZLAY_SWAP_ALWAYS}},
    {"sm_80", "D by columns, by mma.sync", whole, 2, {.m = 200, .n = 136, .k = 72, .d_order = ZLAY_ORDER_COLUMN}},
    {"sm_100a", "D by columns, sums in tensor memory", whole, 2, {.m = 200, .n = 136, .k = 72, .tile_n = 64, .d_order = ZLAY_ORDER_COLUMN}},
    {"sm_80", "by mma.sync", whole, 2, {.m = 200, .n = 136, .k = 72, .tile_m = 128, .tile_n = 64}},
    {"sm_80", "the same, single elements", whole, 2, {.m = 65, .n = 67, .k = 37}},
    {"sm_80", "the same, in place, f32", in_place, 2, {.m = 70, .n = 128, .k = 64, .d_type = ZLAY_TYPE_F32}},
    {"sm_100a", "sums in tensor memory", whole, 2, {.m = 200, .n = 136, .k = 72, .tile_n = 64}},
    {"sm_100a", "the same, by threads", whole, 2, {.m = 65, .n = 67, .k = 37}},
    {"sm_100a", "the same, passes that overlap", whole, 1, {.m = 65, .n = 80, .k = 64, .tile_n = 80}},
    {"sm_100a", "the same, all of them", relu, 2, {.m = 130, .n = 272, .k = 64, .tile_n = 256}},
    {"sm_100a", "the same, in place, f32", in_place, 2, {.m = 70, .n = 128, .k = 64, .d_type = ZLAY_TYPE_F32}},
};

static void read_example(char *out, size_t room, const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(out, 1, room - 1, file);
    assert_true(length && length < room - 1);
    fclose(file);
}

static void values(void **state)
{
    uint64_t random = test_seed("epilogue");
    (void)state;
    read_example(whole, sizeof whole, "examples/epilogue.body");
    read_example(requantised, sizeof requantised, "examples/requantised.body");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        px_gemm g;
        zlay_gemm q = rows[i].gemm;
        q.epilogue = rows[i].body;
        q.epilogue_length = strlen(q.epilogue);
        px_gemm_make_on(&g, rows[i].target, &q, rows[i].blocks, &random);
        arrays a = arrays_make(q.m, q.n, &random);
        px_gemm_bind(&machine, &g);
        give(&machine, &g, &a);
        machine.when = i % 2 ? PX_EARLY : PX_LATE;
        machine.random = test_random(&random);
        px_run(&machine, g.text, (int)g.info.threads, g.blocks, 1);
        if (*machine.fault) fail_msg("%s: %s", rows[i].what, machine.fault);
        compare(&g, rows[i].body, &a, rows[i].what);
        arrays_free(&a);
        px_gemm_free(&g);
    }
}

static void refusals(void **state)
{
    static const struct {
        const char *body, *word;
        zlay_status status;
        int32_t d_type, d_order;
    } bad[] = {
        {"body f\n matrix S f32\n S = max(S, 0)\nend\n", "has no second matrix", ZLAY_EINVAL, 0, 0},
        {"body f\n matrix S bf16\n S = max(S, 0)\nend\n", "matrix S is bf16; sums are f32", ZLAY_EINVAL, 0, 0},
        {"body f\n matrix S f32\n matrix R f16\n R = f16(S)\nend\n", "elements of D are bf16", ZLAY_EINVAL, 0, 0},
        {"body f\n matrix S f32\n row r f32\n S = S * r\nend\n", "rows, columns or parts", ZLAY_EINVAL, ZLAY_TYPE_F32, 0},
        {"body f\n matrix S f32\n index i\n S = S + f32(i)\nend\n", "no index nor two", ZLAY_EINVAL, ZLAY_TYPE_F32, 0},
        {"body f\n matrix S f32\n S = T\nend\n", "T", ZLAY_EINVAL, ZLAY_TYPE_F32, 0},
        {"body f\n matrix S f32\n S = S - rowmax(S)\nend\n", "body f adds or compares elements of a row", ZLAY_ENOTSUP, ZLAY_TYPE_F32, ZLAY_ORDER_COLUMN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zlay_gemm q = {.m = 64, .n = 64, .k = 64, .d_type = bad[i].d_type, .d_order = bad[i].d_order,
                       .epilogue = bad[i].body, .epilogue_length = strlen(bad[i].body)};
        gemm_refused("sm_90a", &q, bad[i].status, bad[i].word);
    }
}

/* Without an epilogue there are six arguments; a plan of waves has three (emit/gcn/epilogue). */
static void arguments(void **state)
{
    const zlay_target *target;
    zlay_pipe_argument argument;
    zlay_plan *plan;
    zlay_gemm q = {.size = sizeof q, .m = 64, .n = 64, .k = 64};
    (void)state;
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    assert_int_equal(zlay_gemm_synth(ctx, &plan, target, &q), ZLAY_OK);
    assert_int_equal(zlay_plan_argument_nth(&argument, plan, 5), ZLAY_OK);
    assert_string_equal(argument.name, "ptr_d");
    assert_int_equal(zlay_plan_argument_nth(&argument, plan, 6), ZLAY_NONE);
    assert_int_equal(zlay_plan_argument_nth(NULL, plan, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_argument_nth(&argument, NULL, 0), ZLAY_EINVAL);
    zlay_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(refusals),
        cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests_name("emit/gemm/epilogue", tests, open_ctx, close_ctx);
}
