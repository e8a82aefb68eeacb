/* SPDX-License-Identifier: Apache-2.0 */
/* The barriers of a pipe as functions: a kernel in CUDA C that calls them where examples/ring.pipe has its events is compiled to PTX by
 * nvcc and executed by the model, in which copies land at any time: every byte arrives, and a kernel that lacks a call does not. */
#define _POSIX_C_SOURCE 200809L
#include "assembler.h"
#include "functions/ring.h"
#include "ptx/run.h"

enum { ROOM = 4 * RING_TEXT, STEPS = 5, IN = 1 << 20, OUT = 1 << 24 };

static char source[ROOM], ptx[2 * ROOM];
static uint8_t in[STEPS * RING_STAGE], out[STEPS * RING_STAGE];
static px_machine machine;

/* The model calls shared memory $smem. */
static const char kernel[] =
    "extern __shared__ __attribute__((aligned(1024))) unsigned char room[];\n"
    "extern \"C\" __global__ void k(unsigned long long from, unsigned long long to, unsigned n)\n{\n"
    "    const unsigned base = (unsigned)__cvta_generic_to_shared(room);\n"
    "    if (threadIdx.x == 0u) ring_init(base + %du * 16384u);\n    __syncthreads();\n    ring_run(base, from, to, n);\n}\n";

static void replace(char *text, const char *what, const char *by)
{
    for (char *at; (at = strstr(text, what)); memcpy(at, by, strlen(by))) memmove(at + strlen(by), at + strlen(what), strlen(at + strlen(what)) + 1);
}

/* The PTX of a kernel without a call, as the model reads it: NULL takes all. */
static void compile(zlay_ctx *ctx, int stages, const char *without)
{
    char name[] = "/tmp/zlay-ring-XXXXXX", command[400], *to = source + ring_function(ctx, source, stages, "ring");
    to += ring_run(to, stages, "ring");
    sprintf(to, kernel, stages);
    if (without) replace(source, without, "");
    int descriptor = mkstemp(name);
    assert_true(descriptor >= 0 && write(descriptor, source, strlen(source)) == (ssize_t)strlen(source));
    close(descriptor);
    snprintf(command, sizeof command, ASSEMBLER_PATH "nvcc -Werror all-warnings -x cu -std=c++17 -arch=sm_90a -ptx -o - %s", name);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    ptx[fread(ptx, 1, sizeof ptx / 2, pipe)] = 0;
    assert_int_equal(pclose(pipe), 0);
    unlink(name);
    replace(ptx, "\t", " ");
    replace(ptx, "bra.uni", "bra");
    replace(ptx, "room", "$smem");
}

/* Whether every byte is there and nothing is at fault. */
static bool runs(uint64_t seed)
{
    const uint64_t argument[3] = {IN, OUT, STEPS};
    for (size_t i = 0; i < sizeof in; i++) in[i] = (uint8_t)test_random(&seed);
    memset(out, 0, sizeof out);
    machine.memories = 2;
    machine.memory[0] = (px_memory){IN, sizeof in, in};
    machine.memory[1] = (px_memory){OUT, sizeof out, out};
    for (int p = 0; p < 3; p++) memcpy(machine.param[p], &argument[p], sizeof argument[p]);
    machine.when = PX_ANY_TIME;
    machine.random = seed;
    px_run(&machine, ptx, RING_THREADS, 1, 1);
    if (*machine.fault) print_message("%s\n", machine.fault);
    return !*machine.fault && !memcmp(in, out, sizeof in);
}

static void bytes_arrive(void **state)
{
    need_compiler();
    for (int stages = 2; stages <= 3; stages++) {
        compile(*state, stages, NULL);
        for (uint64_t seed = 1; seed < 4; seed++)
            if (!runs(seed)) fail_msg("%d stages:\n%s", stages, ptx);
    }
}

static void no_call_is_there_for_nothing(void **state)
{
    static const char *const calls[] = {"            ring_empty_wait_before(bars, i);\n", "            ring_full_wait(bars, i);\n", "            ring_empty_arrive(bars, i);\n",
                                        "            ring_full_arrive_expect(bars, i, 16384u);\n", "    if (threadIdx.x == 0u) ring_init(base + 2u * 16384u);\n"};
    need_compiler();
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        bool all = true;
        compile(*state, 2, calls[c]);
        for (uint64_t seed = 1; seed < 6; seed++) all = runs(seed) && all;
        if (all) fail_msg("not missed: %s", calls[c]);
    }
}

static void nvcc_takes_them(void **state)
{
    need_compiler();
    ring_function(*state, source, 3, "ring");
    assert_true(compiles_for("sm_90a sm_100a", source));
}

/* ---- refusals ------------------------------------------------------------------------------------- */

static void refuse(zlay_ctx *ctx, const char *text, const char *target, int32_t language, const char *name, zlay_status wanted, const char *says)
{
    zlay_buf buf = {NULL, 0, 0};
    zlay_pipe *pipe = read_pipe(ctx, text);
    zlay_status status = zlay_emit_ring(ctx, &buf, target_of(target), pipe, language, name, strlen(name));
    if (status != wanted || !strstr(zlay_ctx_message(ctx), says)) fail_msg("%s: %s", zlay_status_name(status), zlay_ctx_message(ctx));
    zlay_pipe_free(pipe);
}

static void refused(void **state)
{
    static char wrong[2048], named[2048];
    zlay_ctx *ctx = *state;
    zlay_buf buf = {NULL, 0, 0};
    snprintf(wrong, sizeof wrong, "%s", ring_of(2));
    replace(wrong, "    wait empty[i % 2] parity (i / 2 + 1) % 2\n", "");
    snprintf(named, sizeof named, "%s", ring_of(2));
    replace(named, "full", "init_");
    replace(named, "init_", "empty_x");
    refuse(ctx, ring_of(2), "sm_90a", ZLAY_TEXT_CUDA, "ring", ZLAY_EROOM, "");
    refuse(ctx, ring_of(2), "sm_90a", ZLAY_TEXT_PTX, "ring", ZLAY_ENOTSUP, "CUDA C");
    refuse(ctx, ring_of(2), "sm_80", ZLAY_TEXT_CUDA, "ring", ZLAY_ENOTSUP, "sm_90");
    refuse(ctx, ring_of(2), "gfx942", ZLAY_TEXT_CUDA, "ring", ZLAY_ENOTSUP, "sm_90");
    refuse(ctx, ring_of(2), "sm_90a", ZLAY_TEXT_CUDA, "__ring", ZLAY_EINVAL, "name");
    refuse(ctx, wrong, "sm_90a", ZLAY_TEXT_CUDA, "ring", ZLAY_NONE, "rule");
    refuse(ctx, named, "sm_90a", ZLAY_TEXT_CUDA, "ring", ZLAY_ENOTSUP, "clash");
    refuse(ctx, "pipe none\nrole one warps 0..0\n  sync warp\nend\n", "sm_90a", ZLAY_TEXT_CUDA, "ring", ZLAY_ENOTSUP, "no barrier");
    assert_int_equal(zlay_emit_ring(ctx, &buf, target_of("sm_90a"), NULL, ZLAY_TEXT_CUDA, "r", 1), ZLAY_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_arrive),
        cmocka_unit_test(no_call_is_there_for_nothing),
        cmocka_unit_test(nvcc_takes_them),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("functions of rings", tests, begin, end);
}
