/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes with bodies as whole kernels: proved, printed, assembled by ptxas, and executed as PTX on the CPU; what they leave in
 * global memory is compared with the same mathematics in double. */
#define _POSIX_C_SOURCE 200809L
#include "ptx/run.h"

#include "assembler.h"
#include "ctx.h"

#include <math.h>
#include <stdio.h>

enum { TEXT = 1 << 15, KERNEL = 1 << 20, ARGUMENTS = 32, EDGE = 64, TILE = EDGE * EDGE, TILES = 4, ROW_BYTES = 128 };

static px_machine machine;
static char text[TEXT], kernel[KERNEL];

/* D by rows, by columns, and by rows whose pairs are in an order that no matrix of stmatrix has. */
enum { BY_ROWS, BY_COLUMNS, BY_PAIRS, WAYS };
static const char *const ways[WAYS] = {"(64,64):(64,1)", "(64,64):(1,64)", "(64,(2,4,8)):(64,(1,16,2))"};

typedef struct run {
    zlay_ctx *ctx;
    zlay_pipe_launch launch;
    zlay_pipe_argument argument[ARGUMENTS];
    uint64_t next;
    int way;     /* how D lies */
    bool halves; /* A and B are two halves of K, in 64 swizzled bytes a row */
} run;

/* ---- values ------------------------------------------------------------------------------ */

static float from_bf16(uint16_t bits)
{
    uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, 4);
    return value;
}

/* Sums of four uniform numbers: near N(0, 1) by a factor. */
static uint16_t draw(uint64_t *seed)
{
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += (double)(test_random(seed) % 20001) / 10000 - 1;
    return (uint16_t)zlay_sim_bf16((float)(sum * 0.8660254));
}

/* Element (row, column) of a tile of 64 x 64 bf16 in 128 swizzled bytes a row. */
static uint16_t *at(uint16_t *tile, int row, int column)
{
    int byte = row * ROW_BYTES + column * 2;
    byte ^= (row % 8) << 4;
    return tile + byte / 2;
}

/* The same of two halves of 64 x 32 in 64 swizzled bytes a row. */
static uint16_t *in_halves(uint16_t *tile, int row, int column)
{
    int byte = row * ROW_BYTES / 2 + column % 32 * 2;
    byte ^= (row / 2 % 4) << 4;
    return tile + column / 32 * TILE / 2 + byte / 2;
}

static void fill(uint16_t *tile, uint64_t *seed)
{
    for (int r = 0; r < EDGE; r++)
        for (int c = 0; c < EDGE; c++) *at(tile, r, c) = draw(seed);
}

/* ---- kernels ------------------------------------------------------------------------------- */

static zlay_pipe *pipe_of(zlay_ctx *ctx, const char *name)
{
    zlay_pipe *pipe;
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = 0;
    if (zlay_pipe_parse(ctx, &pipe, text, length)) fail_msg("%s: %s", name, zlay_ctx_message(ctx));
    return pipe;
}

static zlay_pipe_operand operand_of(const char *smem, const zlay_layout *layout, int32_t major)
{
    return (zlay_pipe_operand){.smem = smem, .type = ZLAY_TYPE_BF16, .major = major, .swizzle = ZLAY_SWIZZLE_128B, .layout = layout};
}

/* Rows of 64 bf16 in 128 swizzled bytes: D, and V, whose product reads keys along rows. */
static void print_pipe(run *r, const char *name, int32_t language)
{
    zlay_pipe *pipe = pipe_of(r->ctx, name);
    zlay_layout *rows = read_layout(r->ctx, ways[r->way]), *columns = read_layout(r->ctx, ways[BY_COLUMNS]);
    zlay_layout *halves = read_layout(r->ctx, "(64,(32,2)):(32,(1,2048))");
    zlay_pipe_operand operands[4] = {operand_of("D", rows, ZLAY_MAJOR_K), operand_of("V", columns, ZLAY_MAJOR_MN)};
    uint32_t count = strstr(text, "smem V") ? 2 : 1;
    for (int i = 0; r->halves && i < 2; i++) {
        operands[count] = operand_of(i ? "B" : "A", halves, ZLAY_MAJOR_K);
        operands[count++].swizzle = ZLAY_SWIZZLE_64B;
    }
    zlay_pipe_emit ask = {.size = sizeof ask, .language = language, .target = target_of("sm_90a"), .pipe = pipe, .name = "kernel",
                          .name_length = 6, .operands = operands, .operands_count = count};
    zlay_buf out = {kernel, sizeof kernel, 0};
    zlay_status status = zlay_emit_pipe(r->ctx, &out, &r->launch, r->argument, ARGUMENTS, &ask);
    if (status) fail_msg("%s: %s", name, zlay_ctx_message(r->ctx));
    zlay_layout_free(rows);
    zlay_layout_free(columns);
    zlay_layout_free(halves);
    zlay_pipe_free(pipe);
}

static void assembles_and_compiles(void **state)
{
    static const char *const names[] = {"examples/attention.pipe", "examples/epilogue.pipe"};
    run r = {.ctx = *state};
    need_assembler();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        print_pipe(&r, names[i], ZLAY_TEXT_PTX);
        assert_true(assembles_fast("sm_90a", kernel));
        print_pipe(&r, names[i], ZLAY_TEXT_CUDA);
        if (has_compiler()) assert_true(compiles("sm_90a", kernel));
    }
}

/* The last place of a text before another in the kernel; NULL: there is none. */
static const char *last_before(const char *end, const char *what)
{
    const char *found = NULL;
    for (const char *at = kernel; (at = strstr(at, what)) != NULL && at < end; at++) found = at;
    return found;
}

/* CUDA C: arithmetic is asm that may move and touches no memory; the accumulators are made anew before it, since a compiler does
 * not know that products write them until the wait. */
static void arithmetic_of_c_may_move(void **state)
{
    run r = {.ctx = *state};
    print_pipe(&r, "examples/epilogue.pipe", ZLAY_TEXT_CUDA);
    const char *first = strstr(kernel, "asm(\"fma.rn.f32");
    assert_non_null(first);
    const char *wait = last_before(first, "wgmma.wait_group"), *made = last_before(first, "asm volatile(\"\" : \"+r\"(acc_C[0])");
    assert_non_null(wait);
    assert_true(made > wait);
    for (const char *at = kernel; (at = strstr(at, " asm(\"")) != NULL; at++) {
        char line[512] = "";
        memcpy(line, at, strcspn(at, "\n") < sizeof line ? strcspn(at, "\n") : sizeof line - 1);
        if (strstr(line, "memory") || strstr(line, "ld.") || strstr(line, "st.") || strstr(line, "shfl") || strstr(line, "bar"))
            fail_msg("may move: %s", line);
    }
    assert_non_null(strstr(kernel, "asm volatile(\"ld.global.nc"));
}

/* ---- functions of the caller's ----------------------------------------------------------------- */

static const char called[] = "pipe p\nsmem A[1] 16384\nsmem B[1] 8192\nrole r warps 0..7 each 4\n  write A[0]\n"
                             "  write B[0]\n  fence proxy.async\n  sync cta\n  fence wgmma\n  mma A[0], B[0] -> C fresh\n"
                             "  commit wgmma\n  waitgroup wgmma 0\n  use C by mask\nend\n";
static const char mask[] = "#include <stdint.h>\ntemplate <class At> __device__ void mask(uint32_t (&c)[32], At at, uint32_t thread, "
                           "uint32_t instance)\n{\n    for (uint32_t i = 0; i < At::values; i++)\n        if (at.column(i, thread, "
                           "instance) > at.row(i, thread, instance)) c[i] = 0xff800000;\n}\n";

static zlay_status print_called(zlay_ctx *ctx, const char *pipe_text, int32_t language)
{
    zlay_pipe *pipe;
    if (zlay_pipe_parse(ctx, &pipe, pipe_text, strlen(pipe_text))) fail_msg("%s", zlay_ctx_message(ctx));
    zlay_pipe_emit ask = {.size = sizeof ask, .language = language, .target = target_of("sm_90a"), .pipe = pipe, .name = "kernel",
                          .name_length = 6, .unchecked = 1};
    zlay_buf out = {kernel, sizeof kernel, 0};
    zlay_status status = zlay_emit_pipe(ctx, &out, NULL, NULL, 0, &ask);
    zlay_pipe_free(pipe);
    return status;
}

/* Thread 5 of instance 1 has in value 3 the element of row 1 + 8 + 64, column 3: D of m64n64k16, as zlay/mma.h says. */
static void calls_a_function(void **state)
{
    static char whole[KERNEL + sizeof mask];
    if (print_called(*state, called, ZLAY_TEXT_CUDA)) fail_msg("%s", zlay_ctx_message(*state));
    assert_non_null(strstr(kernel, "::mask(acc_C, kernel_at_r_C{}, rtid, instance);"));
    assert_non_null(strstr(kernel, "return of[value] + (thread >> 2 & 7) * 1 + (thread >> 5 & 3) * 16 + instance * 64;"));
    assert_non_null(strstr(kernel, "return of[value] + (thread >> 0 & 3) * 2;"));
    assert_non_null(strstr(kernel, "            0, 0, 8, 8, 0, 0, 8, 8,"));
    assert_non_null(strstr(kernel, "            0, 1, 0, 1, 8, 9, 8, 9,"));
    if (!has_compiler()) return;
    memcpy(whole, mask, sizeof mask - 1);
    memcpy(whole + sizeof mask - 1, kernel, strlen(kernel) + 1);
    assert_true(compiles("sm_90a", whole));
}

static void refuses_a_function(void **state)
{
    static const char alone[] = "pipe p\nrole r warps 0..3\n  use m by f\nend\n";
    assert_int_equal(print_called(*state, called, ZLAY_TEXT_PTX), ZLAY_ENOTSUP);
    assert_non_null(strstr(zlay_ctx_message(*state), "mask is a function of CUDA C, and PTX calls none"));
    assert_int_equal(print_called(*state, alone, ZLAY_TEXT_CUDA), ZLAY_ENOTSUP);
    assert_non_null(strstr(zlay_ctx_message(*state), "nothing says which elements the registers of f hold"));
}

/* ---- arguments -------------------------------------------------------------------------------- */

static void give(run *r, const char *name, const void *value, size_t bytes)
{
    for (uint32_t i = 0; i < r->launch.arguments; i++) {
        if (strcmp(r->argument[i].name, name)) continue;
        assert_int_equal(r->argument[i].bytes, bytes);
        memcpy(machine.param[i], value, bytes);
        return;
    }
    fail_msg("no argument %s", name);
}

static void give_memory(run *r, const char *name, void *bytes, size_t size)
{
    machine.memory[machine.memories++] = (px_memory){r->next, size, bytes};
    give(r, name, &r->next, 8);
    r->next += (uint64_t)1 << 32;
}

static void give_number(run *r, const char *name, uint64_t value, size_t bytes) { give(r, name, &value, bytes); }

static void begin_run(run *r)
{
    machine.memories = 0;
    r->next = (uint64_t)1 << 32;
    memset(machine.param, 0, sizeof machine.param);
}

static void end_run(run *r, uint32_t blocks, int when)
{
    machine.when = (px_when)when;
    machine.random = (uint64_t)when + 1;
    px_run(&machine, kernel, (int)r->launch.threads, blocks, 1);
    if (*machine.fault) fail_msg("%s", machine.fault);
}

/* ---- an epilogue --------------------------------------------------------------------------------- */

static uint16_t *placed(uint16_t *d, int way, int row, int column)
{
    if (way == BY_COLUMNS) return at(d, column, row);
    return at(d, row, way == BY_ROWS ? column : column % 2 + column / 2 % 4 * 16 + column / 8 * 2);
}

/* D = relu(alpha A B^T + bias), tile by tile; a sum of so few products is exact to some 2^-20. */
static void compare_epilogue(const run *r, uint16_t *d, uint16_t *a, uint16_t *b, int steps, double alpha, const uint16_t *bias)
{
    uint16_t *(*in)(uint16_t *, int, int) = r->halves ? in_halves : at;
    for (int i = 0; i < EDGE; i++)
        for (int j = 0; j < EDGE; j++) {
            double sum = 0;
            for (int s = 0; s < steps; s++)
                for (int k = 0; k < EDGE; k++)
                    sum += (double)from_bf16(*in(a + s * TILE, i, k)) * from_bf16(*in(b + s * TILE, j, k));
            double wanted = fmax(alpha * sum + from_bf16(bias[j]), 0);
            double got = from_bf16(*placed(d, r->way, i, j));
            if (!(fabs(got - wanted) <= fabs(wanted) / 256 + 1e-4)) fail_msg("(%d, %d): %g, not %g", i, j, got, wanted);
        }
}

static void run_epilogue(zlay_ctx *ctx, int way, bool halves, const char *instruction)
{
    static uint16_t a[2 * TILES * TILE], b[2 * TILES * TILE], d[2 * TILE], bias[2 * EDGE];
    run r = {.ctx = ctx, .way = way, .halves = halves};
    uint64_t seed = test_seed("epilogue");
    float alpha = 0.625f;
    print_pipe(&r, "examples/epilogue.pipe", ZLAY_TEXT_PTX);
    assert_non_null(strstr(kernel, instruction));
    for (int steps = 1; steps <= TILES; steps++) {
        begin_run(&r);
        for (int i = 0; i < 2 * TILES; i++) fill(a + i * TILE, &seed), fill(b + i * TILE, &seed);
        for (int i = 0; i < 2 * EDGE; i++) bias[i] = draw(&seed);
        memset(d, 0xee, sizeof d);
        give_memory(&r, "in_A", a, sizeof a);
        give_memory(&r, "in_B", b, sizeof b);
        give_memory(&r, "out_D", d, sizeof d);
        give_memory(&r, "read_bias", bias, sizeof bias);
        give_number(&r, "step_in_A", TILES * TILE * 2, 8);
        give_number(&r, "step_in_B", TILES * TILE * 2, 8);
        give_number(&r, "step_out_D", TILE * 2, 8);
        give_number(&r, "n_N", (uint64_t)steps, 4);
        give(&r, "x_alpha", &alpha, 4);
        end_run(&r, 2, steps % 3);
        for (int block = 0; block < 2; block++)
            compare_epilogue(&r, d + block * TILE, a + block * TILES * TILE, b + block * TILES * TILE, steps, alpha, bias + block * EDGE);
    }
}

static void runs_an_epilogue(void **state) 
{
    run_epilogue(*state, BY_ROWS, false, "stmatrix.sync.aligned.m8n8.x4.shared.b16");
    run_epilogue(*state, BY_COLUMNS, true, "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16");
    run_epilogue(*state, BY_PAIRS, false, "st.shared.b32");
}

/* ---- attention --------------------------------------------------------------------------------------- */

/* Causal attention of one query over so many keys, in double. */
static void attend(double out[EDGE], uint16_t *q, int row, uint16_t *k, uint16_t *v, int keys)
{
    double weight[TILES * EDGE], sum = 0, most = -INFINITY;
    for (int j = 0; j < keys; j++) {
        weight[j] = 0;
        for (int c = 0; c < EDGE; c++)
            weight[j] += (double)from_bf16(*at(q, row, c)) * from_bf16(*at(k + j / EDGE * TILE, j % EDGE, c));
        most = fmax(most, weight[j] /= 8);
    }
    for (int j = 0; j < keys; j++) sum += weight[j] = exp(weight[j] - most);
    for (int c = 0; c < EDGE; c++) {
        out[c] = 0;
        for (int j = 0; j < keys; j++) out[c] += weight[j] / sum * from_bf16(*at(v + j / EDGE * TILE, j % EDGE, c));
    }
}

/* P is rounded to bf16 and D is: an error of 2^-8 of the greatest weight's values each. */
static void compare_attention(uint16_t *d, uint16_t *q, uint16_t *k, uint16_t *v, int tile, int tiles)
{
    for (int i = 0; i < EDGE; i++) {
        double wanted[EDGE];
        int keys = tile * EDGE + i + 1;
        attend(wanted, q, i, k, v, keys < tiles * EDGE ? keys : tiles * EDGE);
        for (int c = 0; c < EDGE; c++) {
            double got = from_bf16(*at(d, i, c));
            if (!(fabs(got - wanted[c]) <= 0.012)) fail_msg("(%d, %d): %g, not %g", i, c, got, wanted[c]);
        }
    }
}

static void runs_attention(void **state)
{
    static uint16_t q[TILES * TILE], k[TILES * TILE], v[TILES * TILE], d[TILES * TILE];
    run r = {.ctx = *state};
    uint64_t seed = test_seed("attention");
    float scale = 1.44269504f / 8;
    print_pipe(&r, "examples/attention.pipe", ZLAY_TEXT_PTX);
    for (int tiles = 1; tiles <= 3; tiles++) {
        begin_run(&r);
        for (int i = 0; i < TILES; i++) fill(q + i * TILE, &seed), fill(k + i * TILE, &seed), fill(v + i * TILE, &seed);
        memset(d, 0xee, sizeof d);
        give_memory(&r, "in_Q", q, sizeof q);
        give_memory(&r, "in_K", k, sizeof k);
        give_memory(&r, "in_V", v, sizeof v);
        give_memory(&r, "out_D", d, sizeof d);
        give_number(&r, "step_in_Q", TILE * 2, 8);
        give_number(&r, "step_out_D", TILE * 2, 8);
        give_number(&r, "n_N", (uint64_t)tiles, 4);
        give(&r, "x_scale", &scale, 4);
        end_run(&r, (uint32_t)tiles, tiles % 3);
        for (int block = 0; block < tiles; block++)
            compare_attention(d + block * TILE, q + block * TILE, k, v, block, tiles);
    }
}

/* ---- sums in tensor memory --------------------------------------------------------------------------- */

enum { HIGH = 128, LARGE = HIGH * EDGE, RESULT = HIGH * HIGH };

/* Stages of 128 rows of 64 elements; D has two such panels of its 128 columns. */
static void print_tensor_memory(run *r, int32_t language)
{
    zlay_pipe *pipe = pipe_of(r->ctx, "examples/blackwell_epilogue.pipe");
    zlay_layout *panels = read_layout(r->ctx, "(128,(64,2)):(64,(1,8192))");
    zlay_pipe_operand operand = operand_of("D", panels, ZLAY_MAJOR_K);
    zlay_pipe_emit ask = {.size = sizeof ask, .language = language, .target = target_of("sm_100a"), .pipe = pipe, .name = "kernel",
                          .name_length = 6, .operands = &operand, .operands_count = 1};
    zlay_buf out = {kernel, sizeof kernel, 0};
    if (zlay_emit_pipe(r->ctx, &out, &r->launch, r->argument, ARGUMENTS, &ask)) fail_msg("%s", zlay_ctx_message(r->ctx));
    zlay_layout_free(panels);
    zlay_pipe_free(pipe);
}

/* Tile by tile: D = relu(alpha A B^T + bias). */
static void compare_tile(uint16_t *d, uint16_t *a, uint16_t *b, int steps, double alpha, const uint16_t *bias)
{
    for (int i = 0; i < HIGH; i++)
        for (int j = 0; j < HIGH; j++) {
            double sum = 0;
            for (int s = 0; s < steps; s++)
                for (int k = 0; k < EDGE; k++)
                    sum += (double)from_bf16(*at(a + s * LARGE, i, k)) * from_bf16(*at(b + s * LARGE, j, k));
            double wanted = fmax(alpha * sum + from_bf16(bias[j]), 0), got = from_bf16(*at(d + j / EDGE * LARGE, i, j % EDGE));
            if (!(fabs(got - wanted) <= fabs(wanted) / 256 + 1e-4)) fail_msg("(%d, %d): %g, not %g", i, j, got, wanted);
        }
}

static void runs_in_tensor_memory(void **state)
{
    enum { STEPS = 2, SUMS = 2 };
    static uint16_t a[STEPS * SUMS * LARGE], b[STEPS * SUMS * LARGE], d[SUMS * RESULT], bias[HIGH];
    run r = {.ctx = *state};
    uint64_t seed = test_seed("tensor memory");
    float alpha = -0.375f;
    print_tensor_memory(&r, ZLAY_TEXT_CUDA);
    if (has_compiler()) assert_true(compiles("sm_100a", kernel));
    print_tensor_memory(&r, ZLAY_TEXT_PTX);
    begin_run(&r);
    for (size_t i = 0; i < sizeof a / 2; i++) a[i] = draw(&seed), b[i] = draw(&seed);
    for (int i = 0; i < HIGH; i++) bias[i] = draw(&seed);
    memset(d, 0xee, sizeof d);
    give_memory(&r, "in_A", a, sizeof a);
    give_memory(&r, "in_B", b, sizeof b);
    give_memory(&r, "out_D", d, sizeof d);
    give_memory(&r, "read_bias", bias, sizeof bias);
    give_number(&r, "n_N", STEPS, 4);
    give_number(&r, "n_T", SUMS, 4);
    give(&r, "x_alpha", &alpha, 4);
    end_run(&r, 1, 1);
    for (int t = 0; t < SUMS; t++)
        compare_tile(d + t * RESULT, a + t * STEPS * LARGE, b + t * STEPS * LARGE, STEPS, alpha, bias);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assembles_and_compiles),
        cmocka_unit_test(arithmetic_of_c_may_move),
        cmocka_unit_test(calls_a_function),
        cmocka_unit_test(refuses_a_function),
        cmocka_unit_test(runs_an_epilogue),
        cmocka_unit_test(runs_attention),
        cmocka_unit_test(runs_in_tensor_memory),
    };
    return cmocka_run_group_tests_name("emit/pipe/body_run", tests, begin, end);
}
