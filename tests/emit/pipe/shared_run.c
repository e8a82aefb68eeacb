/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that load from stages of shared memory: examples/dequant.pipe with weights in several orders and types, in swizzled and in
 * plain stages, executed as PTX on the CPU; D is compared with the same mathematics in double, and the accesses with those expected. */
#define _POSIX_C_SOURCE 200809L
#include "ptx/run.h"

#include "assembler.h"
#include "ctx.h"

#include <math.h>
#include <stdio.h>

enum { TEXT = 1 << 14, KERNEL = 1 << 19, ARGUMENTS = 16, ROWS = 64, DEPTH = 128, TOKENS = 8 };

/* How weights lie: as the product's threads hold them, along K, along rows, K in chunks of 64 whose bytes are swizzled. */
#define FRAGMENTS "((8,2,4),(2,4,2,4,2)):((128,1,1024),(4,32,2,8,4096))"
#define BYTES     "((8,2,4),(2,4,2,2,4)):((64,2,512),(1,16,4,8,2048))"
#define ALONG_K   "(64,128):(128,1)"
static const struct way {
    const char *type, *layout, *access, *body;
    int32_t swizzle, number, accesses; /* number: ZLAY_TYPE_* */
    uint32_t bits, bytes;
} ways[] = {
    {"u4", FRAGMENTS, "ld.shared.v4.b32", "bf16.biased(load(Q, row, col)) - load(Z, row)", ZLAY_SWIZZLE_NONE, ZLAY_TYPE_U4, 2, 4, 4096},
    {"u4", ALONG_K, "ld.shared.b8", "bf16.biased(load(Q, row, col)) - load(Z, row)", ZLAY_SWIZZLE_NONE, ZLAY_TYPE_U4, 32, 4, 4096},
    {"u4", ALONG_K, "ld.shared.b8", "bf16.biased(load(Q, row, col)) - load(Z, row)", ZLAY_SWIZZLE_64B, ZLAY_TYPE_U4, 32, 4, 4096},
    {"s4", FRAGMENTS, "ld.shared.v4.b32", "bf16(load(Q, row, col)) - load(Z, row)", ZLAY_SWIZZLE_NONE, ZLAY_TYPE_S4, 2, 4, 4096},
    {"u4", "(64,256):(256,1)", "ld.shared.b8", "bf16.biased(load(Q, row, col + 128)) - load(Z, row)", ZLAY_SWIZZLE_NONE, ZLAY_TYPE_U4, 32, 4, 8192},
    {"u8", ALONG_K, "ld.shared.b16", "bf16(f32(s32(load(Q, row, col)))) - load(Z, row)", ZLAY_SWIZZLE_128B, ZLAY_TYPE_U8, 32, 8, 8192},
    {"u8", BYTES, "ld.shared.v4.b32", "bf16(load(Q, row, col)) - load(Z, row)", ZLAY_SWIZZLE_NONE, ZLAY_TYPE_U8, 4, 8, 8192},
    {"s8", BYTES, "ld.shared.v4.b32", "bf16(load(Q, row, col)) - load(Z, row)", ZLAY_SWIZZLE_NONE, ZLAY_TYPE_S8, 4, 8, 8192},
    {"s8", ALONG_K, "ld.shared.b16", "bf16(load(Q, row, col)) - load(Z, row)", ZLAY_SWIZZLE_128B, ZLAY_TYPE_S8, 32, 8, 8192},
    {"bf16", ALONG_K, "ld.shared.b32", "load(Q, row, col) - load(Z, row)", ZLAY_SWIZZLE_NONE, ZLAY_TYPE_BF16, 32, 16, 16384},
    {"f32", ALONG_K, "ld.shared.v2.b32", "bf16(load(Q, row, col)) - load(Z, row)", ZLAY_SWIZZLE_NONE, ZLAY_TYPE_F32, 32, 32, 32768},
};
enum { WAYS = sizeof ways / sizeof *ways };

static px_machine machine;
static char text[TEXT], changed[TEXT], kernel[KERNEL];

typedef struct run {
    zlay_ctx *ctx;
    const struct way *way;
    zlay_pipe_launch launch;
    zlay_pipe_argument argument[ARGUMENTS];
    uint64_t next;
} run;

/* ---- kernels ------------------------------------------------------------------------------- */

static void replace(char *in, const char *from, const char *to)
{
    char *at = strstr(in, from);
    assert_non_null(at);
    size_t rest = strlen(at + strlen(from)) + 1;
    assert_true((size_t)(at - in) + strlen(to) + rest < TEXT);
    memmove(at + strlen(to), at + strlen(from), rest);
    memcpy(at, to, strlen(to));
}

static void number(char *in, const char *format, uint32_t before, uint32_t after)
{
    char from[64], to[64];
    snprintf(from, sizeof from, format, before);
    snprintf(to, sizeof to, format, after);
    replace(in, from, to);
}

static void read_text(const struct way *w)
{
    FILE *file = fopen("examples/dequant.pipe", "r");
    char shared[32];
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = 0;
    memcpy(changed, text, length + 1);
    snprintf(shared, sizeof shared, "shared Q %s", w->type);
    replace(changed, "shared Q u4", shared);
    replace(changed, "bf16.biased(load(Q, row, col)) - load(Z, row)", w->body);
    number(changed, "smem Q[1] %u", 4096, w->bytes);
    number(changed, "expect full[0] %u", 8320, 4224 + w->bytes);
    number(changed, "copy bulk %u -> Q", 4096, w->bytes);
}

static zlay_status print_pipe(run *r, int32_t language, int32_t type, const char *zeros)
{
    static const char *const layouts[] = {"", "", "(8,(64,2)):(64,(1,512))", "(64,8):(8,1)", "(64,8):(1,64)"};
    static const char *const names[] = {"Q", "Z", "X", "R", "D"};
    zlay_pipe_operand operands[5];
    zlay_layout *layout[5];
    zlay_pipe *pipe;
    for (int i = 0; i < 5; i++) {
        layout[i] = read_layout(r->ctx, i > 1 ? layouts[i] : i ? zeros : r->way->layout);
        operands[i] = (zlay_pipe_operand){.smem = names[i], .type = i == 3 ? ZLAY_TYPE_F32 : i ? ZLAY_TYPE_BF16 : type,
                                          .swizzle = i == 2 ? ZLAY_SWIZZLE_128B : i ? ZLAY_SWIZZLE_NONE : r->way->swizzle, .layout = layout[i]};
    }
    if (zlay_pipe_parse(r->ctx, &pipe, changed, strlen(changed))) fail_msg("%s", zlay_ctx_message(r->ctx));
    zlay_pipe_emit ask = {.size = sizeof ask, .language = language, .target = target_of("sm_90a"), .pipe = pipe, .name = "kernel",
                          .name_length = 6, .operands = operands, .operands_count = 5};
    zlay_buf out = {kernel, sizeof kernel, 0};
    zlay_status status = zlay_emit_pipe(r->ctx, &out, &r->launch, r->argument, ARGUMENTS, &ask);
    for (int i = 0; i < 5; i++) zlay_layout_free(layout[i]);
    zlay_pipe_free(pipe);
    return status;
}

static void print_way(run *r, int32_t language)
{
    read_text(r->way);
    if (print_pipe(r, language, r->way->number, "(64,1):(1,0)")) fail_msg("%s", zlay_ctx_message(r->ctx));
}

static int count(const char *what)
{
    int n = 0;
    for (const char *at = kernel; (at = strstr(at, what)) != NULL; at++) n++;
    return n;
}

static void accesses_are_wide(void **state)
{
    for (int w = 0; w < WAYS; w++) {
        run r = {.ctx = *state, .way = &ways[w]};
        print_way(&r, ZLAY_TEXT_PTX);
        int own = !strcmp(ways[w].access, "ld.shared.v2.b32") ? 2 : !strcmp(ways[w].access, "ld.shared.b16") ? 2 : 0;
        if (count(ways[w].access) != ways[w].accesses + own) /* R by two columns, Z by two rows */
            fail_msg("%d: %d of %s", w, count(ways[w].access), ways[w].access);
    }
}

static void assembles_and_compiles(void **state)
{
    need_assembler();
    for (int w = 0; w < WAYS; w++) {
        run r = {.ctx = *state, .way = &ways[w]};
        print_way(&r, ZLAY_TEXT_PTX);
        if (!assembles_fast("sm_90a", kernel)) fail_msg("%d", w);
        print_way(&r, ZLAY_TEXT_CUDA);
        if (w % 3 == 0 && has_compiler() && !compiles("sm_90a", kernel)) fail_msg("%d: CUDA C", w);
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

static uint16_t bf16(double x) { return (uint16_t)zlay_sim_bf16((float)x); }

static double value(uint16_t bits)
{
    uint32_t word = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &word, 4);
    return x;
}

static void give(run *r, const char *name, void *bytes, size_t size)
{
    for (uint32_t i = 0; i < r->launch.arguments; i++) {
        if (strcmp(r->argument[i].name, name)) continue;
        machine.memory[machine.memories++] = (px_memory){r->next, size, bytes};
        memcpy(machine.param[i], &r->next, 8);
        r->next += (uint64_t)1 << 32;
        return;
    }
    fail_msg("no argument %s", name);
}

/* Puts an element where the layout and the swizzle have it, and answers its value. */
static double put(const run *r, uint8_t *stage, const zlay_layout *layout, int row, int k, uint64_t *seed)
{
    int64_t place;
    uint32_t bits = r->way->bits, chunk = r->way->swizzle == ZLAY_SWIZZLE_128B ? 7 : r->way->swizzle == ZLAY_SWIZZLE_64B ? 3 : 0;
    int drawn = (int)(test_random(seed) % (bits == 8 ? 256 : 16));
    float whole = (float)drawn;
    assert_int_equal(zlay_layout_eval_many(&place, NULL, layout, NULL, (uint64_t)(row + ROWS * k), 1), ZLAY_OK);
    uint64_t at = (uint64_t)place * bits, byte = at / 8;
    byte ^= (byte / 128 & chunk) << 4;
    if (bits == 4) stage[byte] |= (uint8_t)(drawn << at % 8);
    else if (bits == 8) stage[byte] = (uint8_t)drawn;
    else memcpy(stage + byte, bits == 16 ? (void *)&(uint16_t){bf16(drawn)} : (void *)&whole, bits / 8);
    if (r->way->number == ZLAY_TYPE_S8 && drawn > 127) return drawn - 256;
    return r->way->number == ZLAY_TYPE_S4 && drawn > 7 ? drawn - 16 : drawn;
}

static void run_way(run *r, uint64_t *seed)
{
    static uint8_t q[32768];
    static uint16_t x[DEPTH * TOKENS], z[ROWS], d[ROWS * TOKENS];
    static float rest[ROWS * TOKENS];
    static double w[ROWS][DEPTH], tokens[TOKENS][DEPTH];
    zlay_layout *layout = read_layout(r->ctx, r->way->layout);
    const char *window = strstr(r->way->body, "col + ");
    int skip = window ? atoi(window + 6) : 0;
    bool biased = strstr(r->way->body, "biased") != NULL;
    memset(q, 0, sizeof q);
    for (int i = 0; i < ROWS; i++) {
        double zero = (double)(test_random(seed) % 16);
        z[i] = bf16(biased ? 128 + zero : zero);
        for (int k = 0; k < DEPTH; k++) w[i][k] = put(r, q, layout, i, k + skip, seed) - zero;
    }
    for (int t = 0; t < TOKENS; t++)
        for (int k = 0; k < DEPTH; k++) {
            int byte = k / 64 * 1024 + ((t * 128 + k % 64 * 2) ^ t % 8 << 4);
            x[byte / 2] = bf16((double)(test_random(seed) % 257) / 128 - 1);
            tokens[t][k] = value(x[byte / 2]);
        }
    for (int i = 0; i < ROWS * TOKENS; i++) rest[i] = (float)(test_random(seed) % 65) - 32;
    machine.memories = 0;
    r->next = (uint64_t)1 << 32;
    memset(machine.param, 0, sizeof machine.param);
    give(r, "in_Q", q, r->way->bytes);
    give(r, "in_X", x, sizeof x);
    give(r, "in_Z", z, sizeof z);
    give(r, "in_R", rest, sizeof rest);
    give(r, "out_D", d, sizeof d);
    px_run(&machine, kernel, (int)r->launch.threads, 1, 1);
    if (*machine.fault) fail_msg("%s", machine.fault);
    for (int i = 0; i < ROWS; i++)
        for (int t = 0; t < TOKENS; t++) {
            double sum = rest[i * TOKENS + t], got = value(d[i + ROWS * t]);
            for (int k = 0; k < DEPTH; k++) sum += w[i][k] * tokens[t][k];
            if (!(fabs(got - sum) <= fabs(sum) / 256 + 1e-4)) fail_msg("%s (%d, %d): %g, not %g", r->way->layout, i, t, got, sum);
        }
    zlay_layout_free(layout);
}

static void computes(void **state)
{
    uint64_t seed = test_seed("shared");
    for (int w = 0; w < WAYS; w++) {
        run r = {.ctx = *state, .way = &ways[w]};
        print_way(&r, ZLAY_TEXT_PTX);
        for (int when = 0; when < 3; when++) {
            machine.when = (px_when)when;
            machine.random = (uint64_t)when + 1;
            run_way(&r, &seed);
        }
    }
}

/* ---- refusals ---------------------------------------------------------------------------------- */

static void refused(run *r, int32_t type, const char *zeros, const char *message)
{
    assert_true(print_pipe(r, ZLAY_TEXT_PTX, type, zeros) != ZLAY_OK);
    if (!strstr(zlay_ctx_message(r->ctx), message)) fail_msg("%s", zlay_ctx_message(r->ctx));
}

static void refuses(void **state)
{
    static const struct way along_rows = {.layout = "(64,128):(1,64)", .swizzle = ZLAY_SWIZZLE_NONE};
    run r = {.ctx = *state, .way = &ways[0]};
    read_text(r.way);
    refused(&r, ZLAY_TYPE_S4, "(64,1):(1,0)", "load(Q, ..) is of another type than its stage");
    refused(&r, ZLAY_TYPE_U4, "(32,1):(1,0)", "load(Z, ..) has a stage of another number of rows or columns than the matrix");
    refused(&r, ZLAY_TYPE_U4, "(64,1):(3,0)", "load(Z, ..) has places that are no sums of what thread and value add");
    replace(changed, "load(Q, row, col)", "load(Q, row, col + 64)");
    refused(&r, ZLAY_TYPE_U4, "(64,1):(1,0)", "load(Q, ..) has a stage without all columns of the matrix");
    read_text(r.way);
    r.way = &along_rows;
    refused(&r, ZLAY_TYPE_U4, "(64,1):(1,0)", "load(Q, ..) has bytes of which several threads hold a part");
    replace(changed, "reads R[0]", "reads D[0]");
    refused(&r, ZLAY_TYPE_U4, "(64,1):(1,0)", "line 40 breaks rule read-before-full");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_are_wide),
        cmocka_unit_test(assembles_and_compiles),
        cmocka_unit_test(computes),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests_name("emit/pipe/shared_run", tests, begin, end);
}
