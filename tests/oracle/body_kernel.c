/* SPDX-License-Identifier: Apache-2.0 */
/* Random bodies by two roads that share no arithmetic: printed as PTX in a kernel and executed thread by thread on the CPU
 * (tests/ptx), and computed by the model of src/sim. Every element that the kernel leaves lies in the model's interval, and is
 * its value where the interval is one. */
#define _POSIX_C_SOURCE 200809L
#include "ptx/run.h"

#include "assembler.h"
#include "ctx.h"

#include <math.h>
#include <stdio.h>

enum { EDGE = 64, ELEMENTS = EDGE * EDGE, TEXT = 1 << 14, KERNEL = 1 << 20, ARGUMENTS = 16, BODY = 2048, DEPTH = 4 };

static px_machine machine;
static char text[TEXT], kernel[KERNEL], body_text[BODY];

/* The product gives C its threads; the body takes its values from memory. */
static const char frame[] =
    "pipe p\nsmem A[1] 8192\nsmem B[1] 8192\nsmem D[1] 16384\n%srole r warps 0..3\n  write A[0]\n  write B[0]\n"
    "  fence proxy.async\n  sync role\n  fence wgmma\n  mma A[0], B[0] -> C fresh\n  commit wgmma\n  waitgroup wgmma 0\n"
    "  use C, R body b\n  write D[0] from R\n  fence proxy.async\n  sync role\n  store D[0] 16384\n  commit bulk\n"
    "  waitgroup bulk 0\nend\n";

/* ---- random bodies -------------------------------------------------------------------------- */

typedef struct writer {
    char *out;
    size_t length;
    uint64_t *seed;
} writer;

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(writer *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    w->length += (size_t)vsnprintf(w->out + w->length, BODY - w->length, format, list);
    va_end(list);
    assert_true(w->length < BODY);
}

static unsigned pick(writer *w, unsigned count) { return (unsigned)(test_random(w->seed) % count); }

static void expression(writer *w, int depth);

static void leaf(writer *w)
{
    static const char *const leaves[] = {"x", "y", "s", "r", "c", "1.5", "-0.25", "f32(row)", "f32(col)", "inf", "0"};
    put(w, "%s", leaves[pick(w, 11)]);
}

static void condition(writer *w, int depth)
{
    static const char *const signs[] = {"<", "<=", ">", ">=", "==", "!="};
    if (!pick(w, 4)) {
        put(w, "and(");
        condition(w, depth - 1);
        put(w, ", row %s col)", signs[pick(w, 6)]);
        return;
    }
    put(w, "(");
    expression(w, depth - 1);
    put(w, ") %s (", signs[pick(w, 6)]);
    expression(w, depth - 1);
    put(w, ")");
}

static void call(writer *w, const char *name, int operands, int depth)
{
    put(w, "%s(", name);
    for (int i = 0; i < operands; i++) {
        if (i) put(w, ", ");
        expression(w, depth - 1);
    }
    put(w, ")");
}

/* A matrix of f32, or less. */
static void expression(writer *w, int depth)
{
    static const char *const unary[] = {"abs", "exp2", "log2", "rcp", "rsqrt", "sqrt", "tanh"};
    static const char *const casts[] = {"f32(bf16(%", "f32(f16(%", "f32(bf16.rz(%", "f32(f16.rz(%", "f32(s32(%", "f32(u32.rz(%",
                                        "f32(s32.rm(%", "f32(s32.rp(%"};
    if (depth <= 0) {
        leaf(w);
        return;
    }
    switch (pick(w, 10)) {
    case 0: leaf(w); break;
    case 1: call(w, unary[pick(w, 7)], 1, depth); break;
    case 2: call(w, pick(w, 2) ? "max" : "min", 2, depth); break;
    case 3: call(w, "fma", 3, depth); break;
    case 4: {
        const char *cast = casts[pick(w, 8)];
        put(w, "%.*s", (int)strlen(cast) - 1, cast);
        expression(w, depth - 1);
        put(w, "))");
        break;
    }
    case 5:
        put(w, "select(");
        condition(w, depth - 1);
        put(w, ", ");
        expression(w, depth - 1);
        put(w, ", ");
        expression(w, depth - 1);
        put(w, ")");
        break;
    default:
        put(w, pick(w, 3) ? "(" : "-(");
        expression(w, depth - 1);
        put(w, " %c ", "+-*"[pick(w, 3)]);
        expression(w, depth - 1);
        put(w, ")");
        break;
    }
}

static void reduction(writer *w)
{
    static const char *const rows[] = {"rowsum(x)", "rowmax(y)", "rowmin(x)", "lanesum(partsum(y))", "lanemax(partmax(x))"};
    put(w, "  r = %s\n", rows[pick(w, 5)]);
}

static void draw_body(uint64_t *seed)
{
    writer w = {body_text, 0, seed};
    put(&w, "body b\n  matrix C f32\n  matrix R f32\n  scalar s f32\n  global u f32\n  global v f32\n  global h bf16\n");
    put(&w, "  x = load(u, row * 64 + col) + C * 0\n  y = load(v, col * 64 + row, 4000) + C * 0\n  c = f32(load(h, col))\n");
    reduction(&w);
    for (unsigned i = pick(&w, 2); i; i--) {
        put(&w, "  x = ");
        expression(&w, 2);
        put(&w, " + x\n");
    }
    put(&w, "  R = x * 0 + ");
    expression(&w, DEPTH);
    put(&w, "\nend\n");
}

/* ---- the kernel -------------------------------------------------------------------------------- */

static bool print_kernel(zlay_ctx *ctx, zlay_pipe_launch *launch, zlay_pipe_argument *argument)
{
    zlay_pipe *pipe;
    snprintf(text, sizeof text, frame, body_text);
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) return false;
    zlay_layout *place = read_layout(ctx, "(64,64):(64,1)");
    zlay_pipe_operand operand = {.smem = "D", .type = ZLAY_TYPE_F32, .swizzle = ZLAY_SWIZZLE_NONE, .layout = place};
    zlay_pipe_emit ask = {.size = sizeof ask, .target = target_of("sm_90a"), .pipe = pipe, .name = "kernel", .name_length = 6,
                          .operands = &operand, .operands_count = 1};
    zlay_buf out = {kernel, sizeof kernel, 0};
    if (zlay_emit_pipe(ctx, &out, launch, argument, ARGUMENTS, &ask)) fail_msg("%s\n%s", zlay_ctx_message(ctx), body_text);
    zlay_layout_free(place);
    zlay_pipe_free(pipe);
    return true;
}

typedef struct inputs {
    float u[ELEMENTS], v[ELEMENTS], s, result[ELEMENTS];
    uint16_t h[EDGE], zero[ELEMENTS];
} inputs;

static float draw(uint64_t *seed)
{
    static const float special[] = {0, -0.0f, 1, -1, 0.5f, 1e-40f, -1e-38f, 3e38f, INFINITY, -INFINITY, 65504, 1e-6f};
    if (test_random(seed) % 16 == 0) return special[test_random(seed) % 12];
    float size = (float)((double)(test_random(seed) % 2000001) / 1000000 - 1);
    return ldexpf(size, (int)(test_random(seed) % 9) - 3);
}

static float from_bf16(uint16_t bits)
{
    uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, 4);
    return value;
}

static void give(const zlay_pipe_argument *argument, uint32_t count, const char *name, const void *value)
{
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(argument[i].name, name)) memcpy(machine.param[i], value, argument[i].bytes);
}

static void execute(inputs *in, const zlay_pipe_launch *launch, const zlay_pipe_argument *argument)
{
    const struct {
        const char *name;
        void *bytes;
        size_t size;
    } memories[] = {{"in_A", in->zero, sizeof in->zero}, {"in_B", in->zero, sizeof in->zero}, {"out_D", in->result, sizeof in->result},
                    {"read_u", in->u, sizeof in->u},     {"read_v", in->v, sizeof in->v},     {"read_h", in->h, sizeof in->h}};
    machine.memories = 0;
    memset(machine.param, 0, sizeof machine.param);
    for (int i = 0; i < 6; i++) {
        uint64_t at = (uint64_t)(i + 1) << 32;
        machine.memory[machine.memories++] = (px_memory){at, memories[i].size, memories[i].bytes};
        give(argument, launch->arguments, memories[i].name, &at);
    }
    give(argument, launch->arguments, "x_s", &in->s);
    machine.when = PX_EARLY;
    px_run(&machine, kernel, (int)launch->threads, 1, 1);
    if (*machine.fault) fail_msg("%s\n%s", machine.fault, body_text);
}

/* ---- the model ------------------------------------------------------------------------------------ */

static zlay_interval exact(double value) { return (zlay_interval){value, value}; }

static void model(zlay_ctx *ctx, const inputs *in, const zlay_layout *fragment, zlay_interval *result)
{
    static zlay_interval c[ELEMENTS], u[ELEMENTS], v[ELEMENTS], h[EDGE];
    zlay_body *body;
    zlay_interval s = exact(in->s);
    assert_int_equal(zlay_body_parse(ctx, &body, body_text, strlen(body_text)), ZLAY_OK);
    for (int i = 0; i < ELEMENTS; i++) c[i] = exact(0), u[i] = exact(in->u[i]), v[i] = exact(in->v[i]);
    for (int i = 0; i < EDGE; i++) h[i] = exact(from_bf16(in->h[i]));
    zlay_sim_operand operands[] = {{c, ELEMENTS}, {result, ELEMENTS}, {&s, 1}, {u, ELEMENTS}, {v, ELEMENTS}, {h, EDGE}};
    zlay_sim_body_request ask = {.size = sizeof ask, .rows = EDGE, .columns = EDGE, .fragment = fragment};
    if (zlay_sim_body(ctx, operands, 6, body, &ask)) fail_msg("%s\n%s", zlay_ctx_message(ctx), body_text);
    zlay_body_free(body);
}

/* Whether a value that was computed lies in an interval; `known`: the interval is one value. */
static bool lies_in(float got, zlay_interval want, bool *known)
{
    bool unknown = isnan(want.low) && !isnan(want.high);
    *known = !unknown && (isnan(want.low) || want.low == want.high);
    if (unknown) return true;
    if (isnan(want.low)) return isnan(got);
    return want.low <= got && got <= want.high;
}

static void kernels_are_the_model(void **state)
{
    static inputs in;
    static zlay_interval want[ELEMENTS];
    zlay_ctx *ctx = *state;
    uint64_t seed = test_seed("body kernels"), count = test_iterations(40), known = 0, all = 0;
    zlay_mma mma = {.instruction = ZLAY_MMA_WGMMA, .m = 64, .n = 64, .k = 16, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16,
                    .d = ZLAY_TYPE_F32, .a_source = ZLAY_SOURCE_SMEM};
    zlay_layout *fragment;
    assert_int_equal(zlay_mma_fragment(ctx, &fragment, target_of("sm_90a"), &mma, ZLAY_FRAGMENT_D), ZLAY_OK);
    for (uint64_t n = 0; n < count; n++) {
        zlay_pipe_launch launch;
        zlay_pipe_argument argument[ARGUMENTS];
        draw_body(&seed);
        if (!print_kernel(ctx, &launch, argument)) fail_msg("%s\n%s", zlay_ctx_message(ctx), body_text);
        for (int i = 0; i < ELEMENTS; i++) in.u[i] = draw(&seed), in.v[i] = draw(&seed);
        for (int i = 0; i < EDGE; i++) in.h[i] = (uint16_t)zlay_sim_bf16(draw(&seed));
        in.s = draw(&seed);
        execute(&in, &launch, argument);
        model(ctx, &in, fragment, want);
        for (int i = 0; i < ELEMENTS; i++) {
            bool one;
            if (!lies_in(in.result[i], want[i], &one))
                fail_msg("(%d, %d): %.9g, not in [%.9g, %.9g]\n%s", i / EDGE, i % EDGE, in.result[i], want[i].low, want[i].high, body_text);
            known += one, all++;
        }
    }
    printf("%llu bodies, %llu elements, %llu of them exact\n", (unsigned long long)count, (unsigned long long)all,
           (unsigned long long)known);
    assert_true(known > all / 10);
    zlay_layout_free(fragment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_are_the_model)};
    return cmocka_run_group_tests_name("oracle/body_kernel", tests, begin, end);
}
