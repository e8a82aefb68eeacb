/* SPDX-License-Identifier: Apache-2.0 */
/* Products with weights of 4 bits of gfx targets: kernels of plans are assembled and executed at sizes that tiles and steps do not
 * divide, with arrays of their exact sizes and NaN between rows of A, and every element of D is compared with the same in double;
 * the packed weights are those of zlay_weights_pack. Registers are counted; what has no plan is refused with the nearest that has. */
#define _DEFAULT_SOURCE
#include "gcn/planned.h"
#include "group_ctx.h"

#include <math.h>
#include <zlay/emit_pipe.h>

enum { GROUP = 128, TENSORS = 5, TENSOR_STEP = 0x1000000, PATTERN = 0xcdcd, NAN16 = 0x7fc0 };

typedef struct run {
    gcn_target target;
    zlay_weights ask;
    zlay_weights_summary info;
    zlay_pipe_launch launch;
    zlay_pipe_argument argument[TENSORS];
    gcn_code code;
    uint64_t lda, ldd, lds, arguments[TENSORS];
    uint8_t *weights, *packed;
    uint16_t *a, *scales, *zeros, *d;
    gcn_machine *machine;
} run;

/* ---- plans and texts ------------------------------------------------------------------------- */

static zlay_weights_plan *planned(const char *target, zlay_weights ask)
{
    zlay_weights_plan *plan = NULL;
    ask.size = sizeof ask;
    if (zlay_weights_synth(ctx, &plan, wave_target(target), &ask)) fail_msg("%s: %s", target, zlay_ctx_message(ctx));
    return plan;
}

static char *printed(const zlay_weights_plan *plan, zlay_pipe_launch *launch, zlay_pipe_argument *arguments)
{
    zlay_weights_emit ask = {.size = sizeof ask, .plan = plan, .name = "int4", .name_length = 4};
    zlay_buf buf = {calloc(1, WAVE_ROOM), WAVE_ROOM - 1, 0};
    assert_non_null(buf.text);
    if (zlay_emit_weights(ctx, &buf, launch, arguments, TENSORS, &ask)) fail_msg("%s", zlay_ctx_message(ctx));
    return buf.text;
}

/* ---- tensors ------------------------------------------------------------------------------------ */

static double value_of(uint16_t bits) { return gcn_float((uint32_t)bits << 16); }

static uint64_t count_of(uint64_t rows, uint64_t pitch, uint64_t row) { return (rows - 1) * pitch + row; }

/* Rows of numbers of few bits, NaN between them. */
static uint16_t *numbers(uint64_t rows, uint64_t pitch, uint64_t row, int least, int most, double unit, uint64_t *seed)
{
    uint16_t *all = malloc(count_of(rows, pitch, row) * sizeof *all);
    assert_non_null(all);
    for (uint64_t i = 0; i < count_of(rows, pitch, row); i++)
        all[i] = i % pitch < row ? gcn_nearest((float)((double)(int)test_range(seed, least, most) * unit)) : NAN16;
    return all;
}

static void tensors_make(run *r, uint64_t *seed)
{
    const zlay_weights *w = &r->ask;
    r->lda = w->lda ? w->lda : w->k, r->ldd = w->ldd ? w->ldd : w->n, r->lds = w->lds ? w->lds : w->n;
    r->weights = malloc(w->n * w->k / 2);
    r->packed = malloc(r->info.packed);
    r->d = malloc(count_of(w->m, r->ldd, w->n) * sizeof *r->d);
    assert_non_null(r->weights);
    assert_non_null(r->packed);
    assert_non_null(r->d);
    for (uint64_t i = 0; i < w->n * w->k / 2; i++) r->weights[i] = (uint8_t)test_random(seed);
    assert_int_equal(zlay_weights_pack(r->packed, r->info.packed, r->weights, w->k / 2, w->weights ? w->weights : ZLAY_TYPE_U4, w->n, w->k), ZLAY_OK);
    r->a = numbers(w->m, r->lda, w->k, -64, 64, 1.0 / 32, seed);
    r->scales = numbers(r->info.steps, r->lds, w->n, 1, 127, 1.0 / 1024, seed);
    r->zeros = numbers(r->info.steps, r->lds, w->n, 0, 15, 1, seed);
}

static void tensors_free(run *r)
{
    free(r->weights);
    free(r->packed);
    free(r->a);
    free(r->scales);
    free(r->zeros);
    free(r->d);
}

/* ---- a run ---------------------------------------------------------------------------------------- */

/* The array of an argument. */
static void give(run *r, uint32_t i)
{
    const zlay_weights *w = &r->ask;
    uint64_t at = GEMM_A + i * (uint64_t)TENSOR_STEP, groups = count_of(r->info.steps, r->lds, w->n) * 2;
    char tensor = r->argument[i].name[4];
    void *all = tensor == 'a' ? (void *)r->a : tensor == 'b' ? (void *)r->packed : tensor == 's' ? (void *)r->scales
                : tensor == 'z' ? (void *)r->zeros : (void *)r->d;
    uint64_t bytes = tensor == 'a' ? count_of(w->m, r->lda, w->k) * 2 : tensor == 'b' ? r->info.packed
                     : tensor == 'd' ? count_of(w->m, r->ldd, w->n) * 2 : groups;
    assert_int_equal(r->argument[i].kind, ZLAY_ARGUMENT_POINTER);
    gcn_add_memory(r->machine, at, all, bytes, tensor == 'd');
    r->arguments[i] = at;
}

static void machine_make(run *r)
{
    gcn_machine *m = r->machine = calloc(1, sizeof *m);
    assert_non_null(m);
    m->code = &r->code;
    m->threads[0] = r->launch.threads, m->threads[1] = m->threads[2] = 1;
    m->kernarg = GEMM_ARGUMENTS + 0x10000000;
    assert_int_equal(r->launch.arguments, r->ask.zeros ? TENSORS : TENSORS - 1);
    for (uint32_t i = 0; i < r->launch.arguments; i++) give(r, i);
    gcn_add_memory(m, m->kernarg, r->arguments, sizeof r->arguments, false);
}

static void execute(run *r, int schedule)
{
    gcn_machine *m = r->machine;
    assert_true(gcn_schedule_of(&m->schedule, schedule, (int)(r->launch.threads / GCN_LANES), 7));
    m->stored = 0;
    for (uint32_t y = 0; y < r->info.grid[1]; y++)
        for (uint32_t x = 0; x < r->info.grid[0] && !m->failed; x++) gcn_run_block(m, x, y, 0);
    if (m->failed) fail_msg("%s: %s", gcn_target_name[r->target], m->fault);
    assert_int_equal(m->stored, r->ask.m * r->ask.n * 2);
}

static double weight_of(const run *r, uint64_t row, uint64_t k)
{
    int q = r->weights[(row * r->ask.k + k) / 2] >> k % 2 * 4 & 15;
    double zero = r->ask.zeros ? value_of(r->zeros[k / GROUP * r->lds + row]) : 0;
    return (r->ask.weights == ZLAY_TYPE_S4 && q > 7 ? q - 16 : q) - zero;
}

/* Sums of exact products in f32, groups times their scales in f32, D rounded once; between rows of D nothing is written. */
static void compare(const run *r)
{
    for (uint64_t i = 0; i < count_of(r->ask.m, r->ldd, r->ask.n); i++) {
        uint64_t row = i / r->ldd, column = i % r->ldd;
        double wanted = 0, size = 0, got = value_of(r->d[i]);
        if (column >= r->ask.n) {
            assert_int_equal(r->d[i], PATTERN);
            continue;
        }
        for (uint64_t k = 0; k < r->ask.k; k++) {
            double one = weight_of(r, column, k) * value_of(r->scales[k / GROUP * r->lds + column]) * value_of(r->a[row * r->lda + k]);
            wanted += one;
            size += fabs(one);
        }
        if (!(fabs(got - wanted) <= fabs(wanted) / 256 + size * 0x1p-20))
            fail_msg("%s, %u x %u x %u (%u, %u): %g, not %g", gcn_target_name[r->target], (unsigned)r->ask.m, (unsigned)r->ask.n,
                     (unsigned)r->ask.k, (unsigned)row, (unsigned)column, got, wanted);
    }
}

static const zlay_weights shapes[] = {
    {.m = 1, .n = 64, .k = 128},
    {.m = 1, .n = 8, .k = 8, .zeros = 1},
    {.m = 16, .n = 72, .k = 136, .zeros = 1},
    {.m = 13, .n = 136, .k = 400, .zeros = 1, .weights = ZLAY_TYPE_S4},
    {.m = 16, .n = 64, .k = 1032, .weights = ZLAY_TYPE_S4},
    {.m = 30, .n = 200, .k = 640},
    {.m = 70, .n = 72, .k = 264, .zeros = 1},
    {.m = 48, .n = 64, .k = 376, .zeros = 1, .lda = 384, .ldd = 80, .lds = 72},
};

static void shape_runs(gcn_target target, const zlay_weights *shape, uint64_t *seed)
{
    run r = {.target = target, .ask = *shape};
    zlay_weights_plan *plan = planned(gcn_target_name[target], r.ask);
    assert_int_equal(zlay_weights_info(&r.info, plan), ZLAY_OK);
    char *text = printed(plan, &r.launch, r.argument);
    r.code = gcn_assemble(target, text, "int4");
    free(text);
    tensors_make(&r, seed);
    machine_make(&r);
    for (int schedule = 0; schedule < 2; schedule++) {
        for (uint64_t i = 0; i < count_of(r.ask.m, r.ldd, r.ask.n); i++) r.d[i] = PATTERN;
        execute(&r, schedule);
        compare(&r);
    }
    zlay_weights_free(plan);
    gcn_code_free(&r.code);
    tensors_free(&r);
    free(r.machine);
}

static void values(void **state)
{
    uint64_t seed = test_seed("gcn weights");
    (void)state;
    gcn_need_llvm("weights of 4 bits of gfx targets were run by nothing");
    for (gcn_target target = 0; target < GCN_TARGETS; target++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) shape_runs(target, &shapes[i], &seed);
}

/* ---- texts, registers ---------------------------------------------------------------------------- */

static uint32_t number_behind(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    assert_non_null(at);
    return (uint32_t)strtoul(at + strlen(word), NULL, 10);
}

/* Two waves and more share a SIMD whatever the tile: of 16 rows four. */
static void registers(void **state)
{
    (void)state;
    for (gcn_target target = 0; target < GCN_TARGETS; target++)
        for (uint32_t m = 16; m <= 64; m += 16) {
            zlay_weights_plan *plan = planned(gcn_target_name[target], (zlay_weights){.m = m, .n = 8192, .k = 8192, .zeros = 1});
            char *text = printed(plan, NULL, NULL);
            assert_int_equal(number_behind(text, ".vgpr_count: "), 76 + 2 * m);
            assert_int_equal(number_behind(text, ".amdhsa_group_segment_fixed_size "), 0);
            assert_int_equal(number_behind(text, ".amdhsa_private_segment_fixed_size "), 0);
            free(text);
            zlay_weights_free(plan);
        }
}

/* ---- refusals ------------------------------------------------------------------------------------ */

static void refusals(void **state)
{
    static const struct {
        zlay_weights ask;
        const char *word;
    } bad[] = {
        {{.m = 1, .n = 8, .k = 8, .weights = ZLAY_TYPE_S8}, "weights s8: not planned on gfx942; the nearest that works is s4"},
        {{.m = 1, .n = 8, .k = 8, .weights = ZLAY_TYPE_E2M1}, "weights e2m1: not planned on gfx942; the nearest that works is u4"},
        {{.m = 1, .n = 8, .k = 8, .type = ZLAY_TYPE_F16}, "type f16: not planned on gfx942; the nearest that works is bf16"},
        {{.m = 1, .n = 8, .k = 8, .warpgroups = 2}, "warpgroups above 1: not planned on gfx942; the nearest that works is 1"},
        {{.m = 1, .n = 128, .k = 128, .cluster = 2}, "cluster 2: not planned on gfx942; the nearest that works is 1"},
        {{.m = 2, .n = 8, .k = 8, .lda = 12}, "lda: 12 is no multiple of 8"},
        {{.m = 2, .n = 8, .k = 8, .ldd = 10}, "ldd: 10 is no multiple of 8"},
        {{.m = 2, .n = 8, .k = 8, .lds = 12}, "lds: 12 is no multiple of 8"},
        {{.m = 2, .n = 8, .k = 8, .lda = 1 << 27}, "lda: 16 rows of 268435456 bytes pass the 2^31"},
        {{.m = 2, .n = 8, .k = 8, .ldd = 1 << 27}, "ldd: 16 rows of 268435456 bytes pass the 2^31"},
        {{.m = 1, .n = 8, .k = 256, .lds = 1 << 30}, "lds: 2 rows of 2147483648 bytes pass the 2^31"},
        {{.m = 1, .n = 8, .k = 1 << 28}, "lda: 16 rows of 536870912 bytes pass the 2^31"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zlay_weights ask = bad[i].ask;
        zlay_weights_plan *plan = NULL;
        ask.size = sizeof ask;
        if (zlay_weights_synth(ctx, &plan, wave_target("gfx942"), &ask) != ZLAY_ENOTSUP) fail_msg("%s", bad[i].word);
        if (!strstr(zlay_ctx_message(ctx), bad[i].word)) fail_msg("%s", zlay_ctx_message(ctx));
        assert_null(plan);
    }
}

/* There is no CUDA C of these targets; names are names; no maps. */
static void printing_refused(void **state)
{
    zlay_weights_plan *plan = planned("gfx942", (zlay_weights){.m = 1, .n = 8, .k = 8});
    zlay_weights_emit emit = {.size = sizeof emit, .plan = plan, .name = "int4", .name_length = 4, .language = ZLAY_TEXT_CUDA};
    zlay_buf none = {NULL, 0, 0};
    const zlay_move *move;
    char tensor;
    (void)state;
    assert_int_equal(zlay_emit_weights(ctx, &none, NULL, NULL, 0, &emit), ZLAY_ENOTSUP);
    assert_non_null(strstr(zlay_ctx_message(ctx), "gfx942 has assembly alone"));
    emit.language = ZLAY_TEXT_PTX;
    emit.name = "in 4";
    assert_int_equal(zlay_emit_weights(ctx, &none, NULL, NULL, 0, &emit), ZLAY_EINVAL);
    assert_int_equal(zlay_weights_move_nth(&move, &tensor, plan, 0), ZLAY_NONE);
    zlay_weights_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(registers),
                                       cmocka_unit_test(refusals), cmocka_unit_test(printing_refused)};
    return cmocka_run_group_tests_name("gcn-weights", tests, open_ctx, close_ctx);
}
