/* SPDX-License-Identifier: Apache-2.0 */
/* examples/block_scales.pipe as kernels for sm_100a: e4m3 and e5m2 with scales of ue8m0, e2m1 with scales of ue8m0 and of ue4m3; assembled by
 * ptxas, compiled by nvcc, executed as PTX on the CPU, and every element compared with the exact sum of the scaled factors' products. */
#define _POSIX_C_SOURCE 200809L
#include "ptx/run.h"

#include "assembler.h"
#include "ctx.h"

#include <math.h>
#include <stdio.h>

enum { TEXT = 1 << 14, KERNEL = 1 << 18, ARGUMENTS = 16, ROWS = 128, STAGE = ROWS * 128, ATOM = 512, TILES = 2, STEPS = 5, ATOMS = 4 };

static px_machine machine;
static char text[TEXT], kernel[KERNEL];

typedef struct way {
    int a, b, scale;
    uint32_t bits, block, columns; /* of a number; of K with a scale; of D */
} way;

static const way ways[] = {
    {ZLAY_TYPE_E4M3, ZLAY_TYPE_E4M3, ZLAY_TYPE_UE8M0, 8, 32, 128}, {ZLAY_TYPE_E5M2, ZLAY_TYPE_E4M3, ZLAY_TYPE_UE8M0, 8, 32, 64},
    {ZLAY_TYPE_E2M1, ZLAY_TYPE_E2M1, ZLAY_TYPE_UE8M0, 4, 32, 128}, {ZLAY_TYPE_E2M1, ZLAY_TYPE_E2M1, ZLAY_TYPE_UE4M3, 4, 16, 128},
    {ZLAY_TYPE_E2M1, ZLAY_TYPE_E2M1, ZLAY_TYPE_UE4M3, 4, 16, 40},
};

typedef struct run {
    zlay_ctx *ctx;
    const way *w;
    zlay_pipe_launch launch;
    zlay_pipe_argument argument[ARGUMENTS];
} run;

static uint32_t depth_of(const way *w) { return 128 * 8 / w->bits; }
static uint32_t atoms_of(const way *w) { return depth_of(w) / w->block / 4; }

/* ---- the text -------------------------------------------------------------------------------- */

static void replace(const char *was, const char *now)
{
    static char changed[TEXT];
    char *at = strstr(text, was);
    assert_non_null(at);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, now, at + strlen(was));
    memcpy(text, changed, sizeof text);
}

static void read_text(const way *w)
{
    char now[64];
    FILE *file = fopen("examples/block_scales.pipe", "r");
    uint32_t scales = 2 * ATOM * atoms_of(w), b = w->columns * 128;
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    snprintf(now, sizeof now, "F[4] %u", scales), replace("F[4] 1024", now);
    snprintf(now, sizeof now, "B[4] %u", b), replace("B[4] 16384", now);
    snprintf(now, sizeof now, "S[4] %u", 8 * atoms_of(w)), replace("S[4] 8", now);
    snprintf(now, sizeof now, "expect full[i %% 4] %u", STAGE + b + scales), replace("expect full[i % 4] 33792", now);
    snprintf(now, sizeof now, "copy bulk %u -> B", b), replace("copy bulk 16384 -> B", now);
    snprintf(now, sizeof now, "copy bulk %u", scales), replace("copy bulk 1024", now);
}

/* ---- kernels ----------------------------------------------------------------------------------- */

static zlay_layout *layout_of(zlay_ctx *ctx, const char *of)
{
    zlay_layout *layout;
    assert_int_equal(zlay_layout_parse(ctx, &layout, of, strlen(of)), ZLAY_OK);
    return layout;
}

static zlay_status print_text(run *r, int32_t language, const char *scales)
{
    char factors[2][48];
    const way *w = r->w;
    zlay_pipe *pipe;
    for (int i = 0; i < 2; i++)
        snprintf(factors[i], sizeof factors[i], "(%u,%u):(%u,1)", i ? w->columns : ROWS, depth_of(w), depth_of(w));
    zlay_layout *layout[] = {layout_of(r->ctx, factors[0]), layout_of(r->ctx, factors[1]), layout_of(r->ctx, scales)};
    const zlay_pipe_operand operands[] = {
        {.smem = "A", .type = w->a, .major = ZLAY_MAJOR_K, .swizzle = ZLAY_SWIZZLE_128B, .layout = layout[0]},
        {.smem = "B", .type = w->b, .major = ZLAY_MAJOR_K, .swizzle = ZLAY_SWIZZLE_128B, .layout = layout[1]},
        {.smem = "F", .type = w->scale, .swizzle = ZLAY_SWIZZLE_NONE, .layout = layout[2]}};
    if (zlay_pipe_parse(r->ctx, &pipe, text, strlen(text))) fail_msg("%s", zlay_ctx_message(r->ctx));
    zlay_pipe_emit ask = {.size = sizeof ask, .language = language, .target = target_of("sm_100a"), .pipe = pipe, .name = "kernel",
                          .name_length = 6, .operands = operands, .operands_count = 3};
    zlay_buf out = {kernel, sizeof kernel, 0};
    zlay_status status = zlay_emit_pipe(r->ctx, &out, &r->launch, r->argument, ARGUMENTS, &ask);
    for (int i = 0; i < 3; i++) zlay_layout_free(layout[i]);
    zlay_pipe_free(pipe);
    return status;
}

static const char *scales_of(const way *w)
{
    static char layout[64];
    snprintf(layout, sizeof layout, "((32,4,2),(4,%u)):((16,4,%u),(1,%d))", atoms_of(w), ATOM * atoms_of(w), ATOM);
    return layout;
}

static void print_way(run *r, int32_t language)
{
    read_text(r->w);
    if (print_text(r, language, scales_of(r->w))) fail_msg("%s", zlay_ctx_message(r->ctx));
}

static void assembles_and_compiles(void **state)
{
    need_assembler();
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        run r = {.ctx = *state, .w = &ways[i]};
        print_way(&r, ZLAY_TEXT_PTX);
        if (!assembles("sm_100a", kernel)) fail_msg("way %zu: PTX", i);
        print_way(&r, ZLAY_TEXT_CUDA);
        if (has_compiler() && !compiles("sm_100a", kernel)) fail_msg("way %zu: CUDA C", i);
    }
}

/* ---- what they compute --------------------------------------------------------------------------- */

static uint8_t factor[2][TILES * STEPS][STAGE], scale[TILES * STEPS][2 * ATOM * ATOMS];
static float got[TILES][ROWS * ROWS];

static double small(int type, uint32_t bits)
{
    static const double halves[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    if (type == ZLAY_TYPE_E2M1) return bits & 8 ? -halves[bits & 7] : halves[bits & 7];
    return px_value(type == ZLAY_TYPE_E4M3 ? &px_e4m3 : &px_e5m2, bits);
}

static double scale_value(int type, uint32_t bits)
{
    return type == ZLAY_TYPE_UE8M0 ? ldexp(1, (int)bits - 127) : px_value(&px_e4m3, bits);
}

/* Whole numbers from -4 to 4, or all numbers of 4 bits; scales of a quarter to 4: sums are exact in f32. */
static void draw(const way *w, uint64_t *seed)
{
    static const double of_e4m3[] = {0.5, 1, 1.5, 2, 3};
    for (int side = 0; side < 2; side++) {
        int type = side ? w->b : w->a;
        for (size_t i = 0; i < sizeof factor[side]; i++) {
            double value = (double)(test_random(seed) % 9) - 4;
            uint32_t bits = w->bits == 4 ? (uint32_t)test_random(seed) : px_bits(type == ZLAY_TYPE_E4M3 ? &px_e4m3 : &px_e5m2, value, PX_NEAREST, true);
            factor[side][i / STAGE][i % STAGE] = (uint8_t)bits;
        }
    }
    for (size_t i = 0; i < sizeof scale; i++) {
        uint32_t power = 125 + (uint32_t)(test_random(seed) % 5), other = px_bits(&px_e4m3, of_e4m3[test_random(seed) % 5], PX_NEAREST, true);
        scale[i / sizeof *scale][i % sizeof *scale] = (uint8_t)(w->scale == ZLAY_TYPE_UE8M0 ? power : other);
    }
}

/* Row r of a swizzled stage has its 16 bytes at those of the row's number apart; a byte has two numbers of 4 bits, the even one below. */
static double element(const way *w, int side, uint32_t stage, uint32_t row, uint32_t k)
{
    uint32_t byte = row * 128 + k * w->bits / 8;
    uint32_t bits = factor[side][stage][byte ^ (row % 8) << 4];
    if (w->bits == 4) bits = bits >> 4 * (k % 2) & 15;
    uint32_t block = k / w->block, at = ((uint32_t)side * atoms_of(w) + block / 4) * ATOM + row % 32 * 16 + row / 32 * 4 + block % 4;
    return small(side ? w->b : w->a, bits) * scale_value(w->scale, scale[stage][at]);
}

static void compare(const way *w, uint32_t steps)
{
    static double a[ROWS][256], b[ROWS][256], sum[ROWS][ROWS];
    for (uint32_t t = 0; t < TILES; t++) {
        memset(sum, 0, sizeof sum);
        for (uint32_t i = t * steps; i < (t + 1) * steps; i++) {
            for (uint32_t r = 0; r < ROWS; r++)
                for (uint32_t k = 0; k < depth_of(w); k++) {
                    a[r][k] = element(w, 0, i, r, k);
                    b[r][k] = r < w->columns ? element(w, 1, i, r, k) : 0;
                }
            for (uint32_t r = 0; r < ROWS; r++)
                for (uint32_t c = 0; c < w->columns; c++)
                    for (uint32_t k = 0; k < depth_of(w); k++) sum[r][c] += a[r][k] * b[c][k];
        }
        for (uint32_t r = 0; r < ROWS; r++)
            for (uint32_t c = 0; c < w->columns; c++)
                if (got[t][c * ROWS + r] != sum[r][c])
                    fail_msg("tile %u, row %u, column %u: %g, not %g", t, r, c, (double)got[t][c * ROWS + r], sum[r][c]);
    }
}

static void give(run *r, const char *name, const void *value, size_t bytes)
{
    for (uint32_t i = 0; i < r->launch.arguments; i++)
        if (!strcmp(r->argument[i].name, name)) {
            memcpy(machine.param[i], value, bytes);
            return;
        }
    fail_msg("no argument %s", name);
}

/* Stages of memory lie one after the other, each of its own bytes. */
static void give_array(run *r, const char *name, uint32_t number, uint8_t *data, size_t bytes)
{
    uint64_t at = (uint64_t)(number + 1) << 32;
    machine.memory[machine.memories++] = (px_memory){at, bytes, data};
    give(r, name, &at, sizeof at);
}

static void pack(uint8_t *to, const uint8_t *from, size_t room, size_t bytes)
{
    for (uint32_t i = 0; i < TILES * STEPS; i++) memcpy(to + i * bytes, from + i * room, bytes);
}

static void run_way(run *r, uint32_t steps, int when, uint64_t *seed)
{
    static uint8_t packed[3][TILES * STEPS * STAGE];
    const way *w = r->w;
    uint32_t tiles = TILES;
    draw(w, seed);
    pack(packed[0], factor[0][0], STAGE, STAGE);
    pack(packed[1], factor[1][0], STAGE, w->columns * 128);
    pack(packed[2], scale[0], sizeof *scale, 2 * ATOM * atoms_of(w));
    memset(got, 0xff, sizeof got);
    memset(machine.param, 0, sizeof machine.param);
    machine.memories = 0;
    give_array(r, "in_A", 0, packed[0], TILES * steps * STAGE);
    give_array(r, "in_B", 1, packed[1], TILES * steps * w->columns * 128);
    give_array(r, "in_F", 2, packed[2], TILES * steps * 2 * ATOM * atoms_of(w));
    give_array(r, "out_D", 3, (uint8_t *)got, sizeof got);
    give(r, "n_T", &tiles, sizeof tiles);
    give(r, "n_N", &steps, sizeof steps);
    machine.when = (px_when)when;
    machine.random = test_random(seed);
    px_run(&machine, kernel, (int)r->launch.threads, 1, 1);
    if (*machine.fault) fail_msg("%s", machine.fault);
    compare(w, steps);
}

static void computes(void **state)
{
    uint64_t seed = test_seed("scales");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        run r = {.ctx = *state, .w = &ways[i]};
        print_way(&r, ZLAY_TEXT_PTX);
        for (int when = 0; when < 3; when++) run_way(&r, 2 * (uint32_t)when + 1, when, &seed);
    }
}

/* ---- what is refused ------------------------------------------------------------------------------- */

static void refuses(void **state)
{
    static const struct {
        way w;
        const char *layout, *message;
    } rows[] = {
        {{ZLAY_TYPE_E4M3, ZLAY_TYPE_E4M3, ZLAY_TYPE_UE4M3, 8, 32, 128}, NULL, "scales of ue4m3 go with e2m1 and e2m1, those of ue8m0 with e4m3 and e4m3"},
        {{ZLAY_TYPE_E4M3, ZLAY_TYPE_E4M3, ZLAY_TYPE_U8, 8, 32, 128}, NULL, "scales that no tcp of an operand of ue8m0 or ue4m3 brings"},
        {{ZLAY_TYPE_E4M3, ZLAY_TYPE_E2M1, ZLAY_TYPE_UE8M0, 8, 32, 128}, NULL, "e4m3 with e2m1; both factors have 8 bits, or both 4"},
        {{ZLAY_TYPE_E4M3, ZLAY_TYPE_E4M3, ZLAY_TYPE_UE8M0, 8, 32, 128}, "(256,4):(4,1)", "lie otherwise than ((32,4,2),(4,1)):((16,4,512),(1,512))"},
        {{ZLAY_TYPE_E2M1, ZLAY_TYPE_E2M1, ZLAY_TYPE_UE4M3, 4, 32, 128}, NULL, "8 atoms of scales are 4096 bytes and 32 columns"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run r = {.ctx = *state, .w = &rows[i].w};
        read_text(r.w);
        zlay_status status = print_text(&r, ZLAY_TEXT_PTX, rows[i].layout ? rows[i].layout : scales_of(r.w));
        if (status != ZLAY_ENOTSUP) fail_msg("row %zu: %d", i, status);
        if (!strstr(zlay_ctx_message(*state), rows[i].message)) fail_msg("row %zu: %s", i, zlay_ctx_message(*state));
    }
}

/* The proof of the example, checked by the code that shares none with the verifier. */
static void is_proved(void **state)
{
    static char proof[1 << 16];
    zlay_buf out = {proof, sizeof proof, 0};
    zlay_answer answer;
    zlay_pipe *pipe;
    size_t count;
    read_text(&ways[0]);
    assert_int_equal(zlay_pipe_parse(*state, &pipe, text, strlen(text)), ZLAY_OK);
    assert_int_equal(zlay_pipe_verify(*state, &answer, NULL, 0, &count, &out, pipe), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zlay_pipe_recheck(*state, &answer, pipe, proof, out.need), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    zlay_pipe_free(pipe);
}

/* A product whose scales come behind it, or not; factors with scales in tensor memory are no text. */
static void pipes_are_refused(void **state)
{
    static const struct {
        const char *was, *now;
    } rows[] = {
        {"      tcp F[i % 4] -> S[i % 4]\n", ""},
        {"tcp F[i % 4] -> S[i % 4]\n      mma A[i % 4], B[i % 4] scales S[i % 4] -> C[t % 2]\n",
         "mma A[i % 4], B[i % 4] scales S[i % 4] -> C[t % 2]\n      tcp F[i % 4] -> S[i % 4]\n"},
        {"      wait full[i % 4] parity i / 4 % 2\n", ""},
    };
    zlay_answer answer;
    size_t count;
    zlay_pipe *pipe;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        read_text(&ways[0]);
        replace(rows[i].was, rows[i].now);
        assert_int_equal(zlay_pipe_parse(*state, &pipe, text, strlen(text)), ZLAY_OK);
        assert_int_equal(zlay_pipe_verify(*state, &answer, NULL, 0, &count, NULL, pipe), ZLAY_OK);
        assert_int_equal(answer, ZLAY_NO);
        zlay_pipe_free(pipe);
    }
    read_text(&ways[0]);
    replace("mma A[i % 4], B[i % 4] scales", "mma C[t % 2], B[i % 4] scales");
    assert_int_equal(zlay_pipe_parse(*state, &pipe, text, strlen(text)), ZLAY_EINVAL);
    if (!strstr(zlay_ctx_message(*state), "factors with scales are in shared memory")) fail_msg("%s", zlay_ctx_message(*state));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assembles_and_compiles),
        cmocka_unit_test(computes),
        cmocka_unit_test(refuses),
        cmocka_unit_test(is_proved),
        cmocka_unit_test(pipes_are_refused),
    };
    return cmocka_run_group_tests_name("emit/pipe/block_scales_run", tests, begin, end);
}
