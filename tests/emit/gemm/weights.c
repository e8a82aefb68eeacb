/* SPDX-License-Identifier: Apache-2.0 */
/* Products with weights of 4 or 8 bits as kernels: assembled by ptxas, compiled by nvcc, and executed as PTX on the CPU at ragged sizes,
 * with arrays of their exact sizes, which zlay_weights_pack has packed; every element of D is compared with the same in double. */
#define _POSIX_C_SOURCE 200809L
#include "ptx/run.h"

#include "assembler.h"
#include "ctx.h"

#include <math.h>
#include <stdio.h>

enum { KERNEL = 1 << 20, ARGUMENTS = 8, GROUP = 128, UNTOUCHED = 0xeeee /* no element of D */ };

static px_machine machine;
static char kernel[KERNEL];

typedef struct run {
    zlay_ctx *ctx;
    const char *target;
    zlay_weights ask;
    zlay_weights_plan *plan;
    zlay_weights_summary info;
    zlay_pipe_launch launch;
    zlay_pipe_argument argument[ARGUMENTS];
    uint8_t *weights, *packed; /* n rows of k / 2 bytes; in the kernel's order */
    uint8_t *blocks;           /* scales of blocks: `per` for each row and step */
    uint16_t *a, *d, *scales, *zeros;
    uint64_t lda, ldd, lds, per;
    float factor;
} run;

/* ---- values ------------------------------------------------------------------------------ */

static double value_of(uint16_t bits, int32_t type)
{
    uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, 4);
    if (type != ZLAY_TYPE_F16) return value;
    int exponent = bits >> 10 & 31;
    double mantissa = bits & 1023, size = exponent ? ldexp(1 + mantissa / 1024, exponent - 15) : ldexp(mantissa, -24);
    return bits >> 15 ? -size : size;
}

/* A number of few bits, exact in both types. */
static uint16_t bits_of(double x, int32_t type)
{
    float value = (float)x;
    uint32_t word;
    memcpy(&word, &value, 4);
    if (type != ZLAY_TYPE_F16 || !word) return (uint16_t)(word >> 16);
    return (uint16_t)((word >> 31) << 15 | (((word >> 23) & 255) - 127 + 15) << 10 | (word >> 13 & 1023));
}

static bool is_float(int32_t weights) { return weights == ZLAY_TYPE_E2M1 || weights == ZLAY_TYPE_E4M3 || weights == ZLAY_TYPE_E5M2; }

/* A number of so many bits of mantissa, its exponent biased by so much. */
static double small_of(uint32_t bits, int mantissa, int bias, int sign)
{
    uint32_t size = bits & ((1u << sign) - 1), fraction = size & ((1u << mantissa) - 1);
    int exponent = (int)(size >> mantissa);
    double value = exponent ? ldexp((1u << mantissa) + fraction, exponent - bias - mantissa) : ldexp(fraction, 1 - bias - mantissa);
    return bits >> sign & 1 ? -value : value;
}

static double float_of(uint32_t bits, int32_t type)
{
    if (type == ZLAY_TYPE_E2M1) return small_of(bits, 1, 1, 3);
    return type == ZLAY_TYPE_E4M3 ? small_of(bits, 3, 7, 7) : small_of(bits, 2, 15, 7);
}

/* The bytes of a row of weights. */
static uint64_t pitch_of(const run *r) { return zlay_type_bits(r->ask.weights) == 8 ? r->ask.k : (r->ask.k + 1) / 2; }

static double scale_of(const run *r, uint64_t row, uint64_t k)
{
    if (!r->blocks) return value_of(r->scales[k / GROUP * r->lds + row], r->ask.type);
    uint32_t byte = r->blocks[k / GROUP * r->lds + row * r->per + k % GROUP / r->ask.group];
    return r->ask.group == 16 ? float_of(byte, ZLAY_TYPE_E4M3) * (double)r->factor : ldexp(1, (int)byte - 127);
}

static double weight_of(const run *r, uint64_t row, uint64_t k)
{
    uint32_t byte = zlay_type_bits(r->ask.weights) == 8 ? r->weights[row * pitch_of(r) + k] : r->weights[row * pitch_of(r) + k / 2] >> k % 2 * 4 & 15;
    if (is_float(r->ask.weights)) return float_of(byte, r->ask.weights);
    int q = r->ask.weights == ZLAY_TYPE_S8 ? (int8_t)byte : (int)byte;
    double zero = r->zeros ? value_of(r->zeros[k / GROUP * r->lds + row], r->ask.type) : 0;
    return (r->ask.weights == ZLAY_TYPE_S4 && q > 7 ? q - 16 : q) - zero;
}

/* ---- kernels ------------------------------------------------------------------------------- */

static void plan_make(run *r)
{
    r->ask.size = sizeof r->ask;
    if (zlay_weights_synth(r->ctx, &r->plan, target_of(r->target), &r->ask)) fail_msg("%s", zlay_ctx_message(r->ctx));
    assert_int_equal(zlay_weights_info(&r->info, r->plan), ZLAY_OK);
}

static void print_kernel(run *r, int32_t language)
{
    zlay_buf out = {kernel, sizeof kernel, 0};
    zlay_weights_emit ask = {.size = sizeof ask, .language = language, .plan = r->plan, .name = "kernel", .name_length = 6};
    if (zlay_emit_weights(r->ctx, &out, &r->launch, r->argument, ARGUMENTS, &ask)) fail_msg("%s", zlay_ctx_message(r->ctx));
    assert_int_equal(r->launch.threads, r->info.threads);
}

/* Every number of rows of a tile, alone and in clusters. */
static void assembles_and_compiles(void **state)
{
    static const int32_t types[] = {ZLAY_TYPE_U4, ZLAY_TYPE_S8, ZLAY_TYPE_S4};
    static const zlay_weights blocks[] = {{.weights = ZLAY_TYPE_E2M1}, {.weights = ZLAY_TYPE_E2M1, .group = 16},
                                          {.weights = ZLAY_TYPE_E2M1, .group = 16, .type = ZLAY_TYPE_F16},
                                          {.weights = ZLAY_TYPE_E4M3}, {.weights = ZLAY_TYPE_E5M2}};
    need_assembler();
    for (uint32_t i = 0; i < 40; i++) {
        run r = {.ctx = *state, .target = "sm_90a", .ask = blocks[i % 5]};
        r.ask.m = (i / 5 + 1) * 8, r.ask.n = r.ask.k = 8192, r.ask.cluster = 1 + i % 2;
        plan_make(&r);
        print_kernel(&r, ZLAY_TEXT_PTX);
        if (!assembles_fast("sm_90a", kernel)) fail_msg("%s, %u rows, cluster %u", zlay_type_name(r.ask.weights), r.info.tile_m, r.info.cluster);
        print_kernel(&r, ZLAY_TEXT_CUDA);
        if (i / 5 == 2 && has_compiler() && !compiles("sm_90a", kernel)) fail_msg("CUDA C, %s", zlay_type_name(r.ask.weights));
        zlay_weights_free(r.plan);
    }
    for (uint32_t i = 0; i < 16; i++) {
        run r = {.ctx = *state, .target = "sm_90a", .ask = {.m = (i / 2 + 1) * 8, .n = 8192, .k = 8192, .zeros = i % 3 > 0, .cluster = 1 + i % 2,
                                        .type = i % 5 ? 0 : ZLAY_TYPE_F16, .weights = types[i % 7 % 3]}};
        plan_make(&r);
        assert_int_equal(r.info.tile_m, (i / 2 + 1) * 8);
        print_kernel(&r, ZLAY_TEXT_PTX);
        if (!assembles_fast("sm_90a", kernel)) fail_msg("%u rows, cluster %u", r.info.tile_m, r.info.cluster);
        print_kernel(&r, ZLAY_TEXT_CUDA);
        if (i / 2 == 2 && has_compiler() && !compiles("sm_90a", kernel)) fail_msg("CUDA C, cluster %u", r.info.cluster);
        zlay_weights_free(r.plan);
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

static uint16_t *numbers(size_t count, int32_t type, uint64_t *seed, int least, int most, double unit)
{
    uint16_t *out = malloc(count * sizeof *out);
    assert_non_null(out);
    for (size_t i = 0; i < count; i++) out[i] = bits_of((double)test_range(seed, least, most) * unit, type);
    return out;
}

/* Weights are no NaN and no infinity, but all that e2m1 has. */
static uint8_t weight_bits(int32_t type, uint64_t *seed)
{
    uint8_t bits = (uint8_t)test_random(seed);
    if (type == ZLAY_TYPE_E4M3 && (bits & 127) == 127) return bits & 0xf0;
    if (type == ZLAY_TYPE_E5M2 && (bits & 127) >= 124) return bits & 0xf3;
    return bits;
}

/* Scales of all magnitudes that are exact, of a row near each other, that sums may be compared. */
static uint8_t *blocks_make(const run *r, uint64_t *seed)
{
    size_t count = (size_t)((r->info.steps - 1) * r->lds + r->ask.n * r->per);
    uint8_t *out = malloc(count);
    assert_non_null(out);
    for (size_t i = 0; i < count; i++) {
        uint64_t row = i % r->lds / r->per;
        int middle = (int)(row * 37 % 70) + 92;
        out[i] = (uint8_t)(r->ask.group == 16 ? test_range(seed, 0, 126) : test_range(seed, middle - 3, middle + 3));
    }
    return out;
}

static void tensors_make(run *r, uint64_t *seed)
{
    const zlay_weights *w = &r->ask;
    size_t bytes = (size_t)(w->n * pitch_of(r)), groups = (size_t)r->info.steps;
    r->lda = w->lda ? w->lda : w->k, r->ldd = w->ldd ? w->ldd : w->n, r->per = is_float(w->weights) ? GROUP / w->group : 1;
    r->lds = w->lds ? w->lds : w->n * r->per;
    r->factor = 0.037f;
    r->weights = malloc(bytes);
    r->packed = malloc((size_t)r->info.packed);
    assert_non_null(r->packed);
    for (size_t i = 0; i < bytes; i++) r->weights[i] = weight_bits(w->weights, seed);
    assert_int_equal(zlay_weights_pack(r->packed, (size_t)r->info.packed, r->weights, pitch_of(r), w->weights, w->n, w->k), ZLAY_OK);
    r->a = numbers((size_t)((w->m - 1) * r->lda + w->k), w->type, seed, -64, 64, 1.0 / 32);
    r->scales = numbers((groups - 1) * r->lds + w->n, w->type, seed, 1, 127, 1.0 / 1024);
    r->blocks = r->per > 1 ? blocks_make(r, seed) : NULL;
    r->zeros = w->zeros ? numbers((groups - 1) * r->lds + w->n, w->type, seed, 0, 15, 1) : NULL;
    r->d = malloc((size_t)((w->m - 1) * r->ldd + w->n) * sizeof *r->d);
    for (size_t i = 0; i < (w->m - 1) * r->ldd + w->n; i++) r->d[i] = UNTOUCHED;
}

static void tensors_free(run *r)
{
    free(r->weights);
    free(r->packed);
    free(r->a);
    free(r->d);
    free(r->scales);
    free(r->blocks);
    free(r->zeros);
}

static uint64_t give_memory(void *bytes, size_t size)
{
    uint64_t at = (uint64_t)(machine.memories + 1) << 32;
    machine.memory[machine.memories++] = (px_memory){at, size, bytes};
    return at;
}

static uint64_t tensor_at(const run *r, char tensor)
{
    size_t groups = (size_t)((r->info.steps - 1) * r->lds + r->ask.n) * 2;
    switch (tensor) {
    case 'a': return give_memory(r->a, (size_t)((r->ask.m - 1) * r->lda + r->ask.k) * 2);
    case 'b': return give_memory(r->packed, (size_t)r->info.packed);
    case 's':
        if (r->blocks) return give_memory(r->blocks, (size_t)((r->info.steps - 1) * r->lds + r->ask.n * r->per));
        return give_memory(r->scales, groups);
    case 'z': return give_memory(r->zeros, groups);
    default: return give_memory(r->d, (size_t)((r->ask.m - 1) * r->ldd + r->ask.n) * 2);
    }
}

static void give_all(const run *r)
{
    const zlay_move *move;
    char tensor;
    uint32_t next = 0;
    zlay_tensormap map;
    uint32_t steps = (uint32_t)r->info.steps;
    machine.memories = 0;
    memset(machine.param, 0, sizeof machine.param);
    for (uint32_t i = 0; !zlay_weights_move_nth(&move, &tensor, r->plan, i); i++) {
        uint64_t at = tensor_at(r, tensor), words[16];
        for (uint32_t m = 0; !zlay_move_map_nth(&map, move, m); m++, next++) {
            assert_int_equal(r->argument[next].kind, ZLAY_ARGUMENT_MAP);
            map.address += at; /* the machine reads a map's bits as sm_90a has them */
            assert_int_equal(zlay_tensormap_pack(words, target_of("sm_90a"), &map), ZLAY_OK);
            memcpy(machine.param[next], words, sizeof words);
        }
    }
    assert_string_equal(r->argument[next].name, "n_N");
    memcpy(machine.param[next++], &steps, sizeof steps);
    if (r->ask.group != 16) return;
    assert_string_equal(r->argument[next].name, "x_factor");
    memcpy(machine.param[next], &r->factor, sizeof r->factor);
}

/* Sums of exact products in f32, groups times their scales in f32, D rounded once. */
static void compare(const run *r)
{
    for (uint64_t row = 0; row < r->ask.m; row++)
        for (uint64_t column = 0; column < r->ldd && row * r->ldd + column < (r->ask.m - 1) * r->ldd + r->ask.n; column++) {
            uint16_t bits = r->d[row * r->ldd + column];
            if (column >= r->ask.n) {
                assert_int_equal(bits, UNTOUCHED);
                continue;
            }
            double wanted = 0, size = 0, got = value_of(bits, r->ask.type);
            for (uint64_t k = 0; k < r->ask.k; k++) {
                double one = weight_of(r, column, k) * scale_of(r, column, k) * value_of(r->a[row * r->lda + k], r->ask.type);
                wanted += one;
                size += fabs(one);
            }
            if (!(fabs(got - wanted) <= fabs(wanted) / 256 + size * 0x1p-20))
                fail_msg("%llu x %llu x %llu (%llu, %llu): %g, not %g", (unsigned long long)r->ask.m, (unsigned long long)r->ask.n,
                         (unsigned long long)r->ask.k, (unsigned long long)row, (unsigned long long)column, got, wanted);
        }
}

static void run_shape(zlay_ctx *ctx, const char *target, const zlay_weights *ask, uint64_t *seed, int when)
{
    run r = {.ctx = ctx, .target = target, .ask = *ask};
    plan_make(&r);
    print_kernel(&r, ZLAY_TEXT_PTX);
    tensors_make(&r, seed);
    give_all(&r);
    machine.when = (px_when)when;
    machine.random = test_random(seed);
    machine.grid[0] = (uint32_t)r.info.grid[0], machine.grid[1] = (uint32_t)r.info.grid[1];
    px_run(&machine, kernel, (int)r.launch.threads, (uint32_t)(r.info.grid[0] * r.info.grid[1]), (int)r.info.cluster);
    if (*machine.fault) fail_msg("%s", machine.fault);
    compare(&r);
    tensors_free(&r);
    zlay_weights_free(r.plan);
}

static void runs(void **state)
{
    static const zlay_weights shapes[] = {
        {.m = 1, .n = 64, .k = 128},
        {.m = 1, .n = 8, .k = 8, .zeros = 1},
        {.m = 8, .n = 72, .k = 136, .zeros = 1},
        {.m = 16, .n = 64, .k = 1032, .zeros = 1},
        {.m = 13, .n = 136, .k = 640, .zeros = 1, .weights = ZLAY_TYPE_S4},
        {.m = 16, .n = 64, .k = 2560, .type = ZLAY_TYPE_F16, .zeros = 1},
        {.m = 3, .n = 64, .k = 392, .type = ZLAY_TYPE_F16, .weights = ZLAY_TYPE_S4},
        {.m = 30, .n = 64, .k = 520, .zeros = 1},
        {.m = 70, .n = 72, .k = 264, .zeros = 1},
        {.m = 5, .n = 64, .k = 512, .zeros = 1, .lda = 520, .ldd = 80, .lds = 72},
        {.m = 16, .n = 128, .k = 1032, .zeros = 1, .cluster = 2},
        {.m = 9, .n = 200, .k = 136, .cluster = 2},
        {.m = 40, .n = 72, .k = 3000, .type = ZLAY_TYPE_F16, .zeros = 1},
        {.m = 70, .n = 128, .k = 256, .zeros = 1, .weights = ZLAY_TYPE_S4, .cluster = 2},
        {.m = 16, .n = 64, .k = 1160, .weights = ZLAY_TYPE_S8},
        {.m = 7, .n = 200, .k = 392, .zeros = 1, .weights = ZLAY_TYPE_S8},
        {.m = 16, .n = 128, .k = 640, .type = ZLAY_TYPE_F16, .weights = ZLAY_TYPE_S8, .cluster = 2},
        {.m = 16, .n = 64, .k = 640, .zeros = 1, .warpgroups = 1},
        {.m = 16, .n = 64, .k = 128, .zeros = 1, .warpgroups = 4},
        {.m = 1, .n = 8, .k = 8, .weights = ZLAY_TYPE_E2M1},
        {.m = 16, .n = 64, .k = 128, .weights = ZLAY_TYPE_E2M1},
        {.m = 13, .n = 136, .k = 648, .weights = ZLAY_TYPE_E2M1},
        {.m = 70, .n = 72, .k = 264, .weights = ZLAY_TYPE_E2M1, .cluster = 2},
        {.m = 5, .n = 64, .k = 512, .weights = ZLAY_TYPE_E2M1, .lda = 520, .ldd = 80, .lds = 272},
        {.m = 16, .n = 200, .k = 1160, .weights = ZLAY_TYPE_E2M1, .group = 16},
        {.m = 30, .n = 72, .k = 392, .weights = ZLAY_TYPE_E2M1, .group = 16, .type = ZLAY_TYPE_F16},
        {.m = 70, .n = 136, .k = 56, .weights = ZLAY_TYPE_E2M1, .group = 16},
        {.m = 16, .n = 64, .k = 1032, .weights = ZLAY_TYPE_E4M3},
        {.m = 7, .n = 200, .k = 392, .weights = ZLAY_TYPE_E5M2, .cluster = 2},
        {.m = 40, .n = 72, .k = 520, .weights = ZLAY_TYPE_E4M3, .warpgroups = 1},
    };
    uint64_t seed = test_seed("weights");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int when = 0; when < 3; when++) {
            zlay_weights one = shapes[i];
            one.type = one.type ? one.type : ZLAY_TYPE_BF16;
            one.weights = one.weights ? one.weights : ZLAY_TYPE_U4;
            if (is_float(one.weights) && !one.group) one.group = 32;
            run_shape(*state, "sm_90a", &one, &seed, when);
        }
}

/* By tcgen05: one step, ragged ends of all extents, more steps than stages, two tiles of rows of A. */
static void runs_by_tcgen05(void **state)
{
    static const zlay_weights shapes[] = {
        {.m = 1, .n = 64, .k = 128, .weights = ZLAY_TYPE_U4, .type = ZLAY_TYPE_BF16},
        {.m = 1, .n = 8, .k = 8, .zeros = 1, .weights = ZLAY_TYPE_U4, .type = ZLAY_TYPE_BF16},
        {.m = 16, .n = 72, .k = 1160, .zeros = 1, .weights = ZLAY_TYPE_U4, .type = ZLAY_TYPE_BF16},
        {.m = 13, .n = 136, .k = 392, .zeros = 1, .weights = ZLAY_TYPE_S4, .type = ZLAY_TYPE_BF16},
        {.m = 5, .n = 64, .k = 512, .zeros = 1, .lda = 520, .ldd = 80, .lds = 72, .weights = ZLAY_TYPE_U4, .type = ZLAY_TYPE_F16},
        {.m = 130, .n = 72, .k = 264, .weights = ZLAY_TYPE_S4, .type = ZLAY_TYPE_BF16},
        {.m = 7, .n = 64, .k = 392, .zeros = 1, .weights = ZLAY_TYPE_S8, .type = ZLAY_TYPE_BF16},
    };
    uint64_t seed = test_seed("weights by tcgen05");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int when = 0; when < 3; when++) run_shape(*state, "sm_100a", &shapes[i], &seed, when);
}

static void assembles_by_tcgen05(void **state)
{
    static const int32_t types[] = {ZLAY_TYPE_U4, ZLAY_TYPE_S8, ZLAY_TYPE_S4};
    need_assembler();
    for (uint32_t i = 0; i < 12; i++) {
        run r = {.ctx = *state, .target = "sm_100a", .ask = {.m = 16, .n = 8192, .k = i % 4 == 3 ? 64 : 8192, .zeros = i % 2,
                                                             .type = i / 2 % 2 ? ZLAY_TYPE_F16 : 0, .weights = types[i % 3]}};
        plan_make(&r);
        print_kernel(&r, ZLAY_TEXT_PTX);
        if (!assembles_fast("sm_100a", kernel)) fail_msg("%s", zlay_type_name(types[i % 3]));
        print_kernel(&r, ZLAY_TEXT_CUDA);
        if (i == 1 && has_compiler() && !compiles("sm_100a", kernel)) fail_msg("CUDA C, %s", zlay_type_name(types[i % 3]));
        zlay_weights_free(r.plan);
    }
}

/* ---- every value ------------------------------------------------------------------------------ */

/* Rows of A that are rows of the unit matrix, from one on: D has the dequantised weights. */
static void units_make(run *r, uint64_t first)
{
    for (uint64_t row = 0; row < r->ask.m; row++)
        for (uint64_t k = 0; k < r->ask.k; k++) r->a[row * r->lda + k] = k == row + first ? bits_of(1, r->ask.type) : 0;
}

/* Whether weights of that scale are exact (include/zlay/weights.h). */
static bool is_exact(const run *r, double scale)
{
    return r->ask.group == 16 || (scale >= 0x1p-100 && scale <= 0x1p112 && (r->ask.weights != ZLAY_TYPE_E2M1 || (scale >= 0x1p-68 && scale <= 0x1p65)));
}

static void check_units(const run *r, uint64_t first)
{
    for (uint64_t row = 0; row < r->ask.m; row++)
        for (uint64_t column = 0; column < r->ask.n; column++) {
            double scale = scale_of(r, column, row + first), wanted = weight_of(r, column, row + first) * scale;
            double got = value_of(r->d[row * r->ldd + column], r->ask.type);
            bool one = r->ask.group != 16 && r->blocks[column * r->per] == 255;
            if (one ? !isnan(got) : is_exact(r, scale) && got != wanted)
                fail_msg("%s (%llu, %llu): %g, not %g", zlay_type_name(r->ask.weights), (unsigned long long)row, (unsigned long long)column, got, wanted);
        }
}

/* Each value of a weight with scales of each magnitude; row 0 of ue8m0 has a scale that is NaN, and only that row has. */
static void values_run(zlay_ctx *ctx, const zlay_weights *ask, uint64_t first, uint64_t *seed)
{
    run r = {.ctx = ctx, .target = "sm_90a", .ask = *ask};
    plan_make(&r);
    print_kernel(&r, ZLAY_TEXT_PTX);
    tensors_make(&r, seed);
    r.factor = 1;
    for (size_t i = 0; i < r.ask.n * pitch_of(&r); i++) {
        uint32_t bits = (uint32_t)(i + i / pitch_of(&r) * 7) & 255;
        r.weights[i] = (uint8_t)(r.ask.weights == ZLAY_TYPE_E4M3 && (bits & 127) == 127 ? 0 : r.ask.weights == ZLAY_TYPE_E5M2 && (bits & 127) > 123 ? 0 : bits);
    }
    for (size_t i = 0; i < r.ask.n * r.per; i++)
        r.blocks[i] = (uint8_t)(r.ask.group == 16 ? i % 127 : i < r.per ? 255 : i / r.per * 2 + (i % r.per > 1) + 19);
    units_make(&r, first);
    assert_int_equal(zlay_weights_pack(r.packed, (size_t)r.info.packed, r.weights, pitch_of(&r), r.ask.weights, r.ask.n, r.ask.k), ZLAY_OK);
    give_all(&r);
    machine.grid[0] = (uint32_t)r.info.grid[0], machine.grid[1] = (uint32_t)r.info.grid[1];
    px_run(&machine, kernel, (int)r.launch.threads, (uint32_t)(r.info.grid[0] * r.info.grid[1]), (int)r.info.cluster);
    if (*machine.fault) fail_msg("%s", machine.fault);
    check_units(&r, first);
    tensors_free(&r);
    zlay_weights_free(r.plan);
}

static void dequantises_exactly(void **state)
{
    static const zlay_weights kinds[] = {{.weights = ZLAY_TYPE_E2M1, .group = 32}, {.weights = ZLAY_TYPE_E2M1, .group = 16},
                                         {.weights = ZLAY_TYPE_E2M1, .group = 16, .type = ZLAY_TYPE_F16},
                                         {.weights = ZLAY_TYPE_E4M3, .group = 32}, {.weights = ZLAY_TYPE_E5M2, .group = 32}};
    uint64_t seed = test_seed("weights values");
    for (size_t i = 0; i < 2 * sizeof kinds / sizeof *kinds; i++) {
        zlay_weights one = kinds[i / 2];
        one.m = 64, one.n = 104, one.k = 128;
        one.type = one.type ? one.type : ZLAY_TYPE_BF16;
        values_run(*state, &one, i % 2 * 64, &seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assembles_and_compiles),
        cmocka_unit_test(runs), cmocka_unit_test(runs_by_tcgen05), cmocka_unit_test(assembles_by_tcgen05),
        cmocka_unit_test(dequantises_exactly),
    };
    return cmocka_run_group_tests_name("emit/gemm/weights", tests, begin, end);
}
