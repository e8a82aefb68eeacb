/* SPDX-License-Identifier: Apache-2.0 */
/* The barriers of a pipe as functions: a kernel in CUDA C, which nvcc compiles to PTX, and one in PTX call them where a pipe has its events,
 * in one block and in clusters of two that multicast halves of a stage to each other. The model executes both, with copies that land at any time: every
 * byte arrives, and a kernel that lacks a call does not. */
#define _POSIX_C_SOURCE 200809L
#include "assembler.h"
#include "functions/ring.h"
#include "ptx/run.h"
#include "ptx_call.h"

enum { ROOM = 4 * RING_TEXT, STEPS = 5, IN = 1 << 20, OUT = 1 << 24, CALLS = 5 };

static char helpers[RING_TEXT], kernel[RING_TEXT], source[ROOM], ptx[2 * ROOM];
static uint8_t in[STEPS * RING_STAGE], out[RING_BLOCKS_MOST][STEPS * RING_STAGE];
static px_machine machine;

/* ---- kernels ---------------------------------------------------------------------------------------- */

/* The model calls shared memory $smem. A block's bytes lie behind those of the block before it. */
static const char in_cuda[] =
    "extern __shared__ __attribute__((aligned(1024))) unsigned char room[];\n"
    "extern \"C\" __global__ void k(unsigned long long from, unsigned long long to, unsigned n)\n{\n"
    "    const unsigned base = (unsigned)__cvta_generic_to_shared(room);\n    unsigned rank;\n    asm volatile(\"mov.u32 %%0, %%%%cluster_ctarank;\" : \"=r\"(rank));\n"
    "    if (threadIdx.x == 0u) ring_init(base + %du * 16384u);\n    " RING_MEET "\n    ring_run(base, from, to + rank * 81920ull, n);\n}\n";

static const char shared[] = ".extern .shared .align 1024 .b8 $smem[];\n";

/* Takes away the first line that calls a function. */
static void drop(char *text, const char *without)
{
    if (!without) return;
    char *at = strstr(text, without);
    assert_non_null(at);
    char *end = strchr(at, '\n');
    while (at[-1] != '\n') at--;
    memmove(at, end + 1, strlen(end + 1) + 1);
}

/* What nvcc makes of the functions and the kernel, as the model reads it. */
static void compile(void)
{
    char name[] = "/tmp/zlay-ring-XXXXXX", command[400];
    snprintf(source, sizeof source, "%s%s", helpers, kernel);
    int descriptor = mkstemp(name);
    assert_true(descriptor >= 0 && write(descriptor, source, strlen(source)) == (ssize_t)strlen(source));
    close(descriptor);
    snprintf(command, sizeof command, ASSEMBLER_PATH "nvcc -Werror all-warnings -x cu -std=c++17 -arch=sm_90a -ptx -o - %s", name);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    ptx[fread(ptx, 1, sizeof ptx / 2, pipe)] = 0;
    assert_int_equal(pclose(pipe), 0);
    unlink(name);
    text_replace(ptx, "\t", " ");
    text_replace(ptx, "bra.uni", "bra");
    text_replace(ptx, "room", "$smem");
}

/* The kernel of a language as the model reads it; NULL takes all calls. */
static void make_kernel(zlay_ctx *ctx, int32_t language, int stages, int blocks, const char *without)
{
    bool is_ptx = language == ZLAY_TEXT_PTX;
    ring_function(ctx, helpers, stages, blocks, language, "ring");
    if (is_ptx) ring_kernel_ptx(kernel, stages, blocks, "ring");
    else sprintf(kernel + ring_run(kernel, stages, blocks, "ring"), in_cuda, stages);
    drop(kernel, without);
    if (!is_ptx) {
        compile();
        return;
    }
    memcpy(ptx, shared, sizeof shared);
    expand_calls(ptx + sizeof shared - 1, helpers, kernel);
}

/* Whether every byte is there and nothing is at fault. */
static bool runs(uint64_t seed, int blocks)
{
    const uint64_t argument[3] = {IN, OUT, STEPS};
    bool same = true;
    for (size_t i = 0; i < sizeof in; i++) in[i] = (uint8_t)test_random(&seed);
    memset(out, 0, sizeof out);
    machine.memories = 2;
    machine.memory[0] = (px_memory){IN, sizeof in, in};
    machine.memory[1] = (px_memory){OUT, sizeof out, out[0]};
    for (int p = 0; p < 3; p++) memcpy(machine.param[p], &argument[p], sizeof argument[p]);
    machine.when = PX_ANY_TIME;
    machine.random = seed;
    px_run(&machine, ptx, RING_THREADS, (uint32_t)blocks, blocks);
    if (*machine.fault) print_message("%s\n", machine.fault);
    for (int b = 0; b < blocks; b++) same = same && !memcmp(in, out[b], sizeof in);
    return !*machine.fault && same;
}

static void arrive_in(zlay_ctx *ctx, int32_t language)
{
    for (int stages = 2; stages <= 3; stages++)
        for (int blocks = 1; blocks <= RING_BLOCKS_MOST; blocks++) {
            make_kernel(ctx, language, stages, blocks, NULL);
            for (uint64_t seed = 1; seed < 4; seed++)
                if (!runs(seed, blocks)) fail_msg("%d stages, %d blocks:\n%s", stages, blocks, ptx);
        }
}

static void miss_in(zlay_ctx *ctx, int32_t language)
{
    static const char *const calls[CALLS] = {"ring_empty_wait_before", "ring_full_wait", "ring_empty_arrive", "ring_full_arrive_expect", "ring_init"};
    for (int blocks = 1; blocks <= RING_BLOCKS_MOST; blocks++)
        for (int c = 0; c < CALLS; c++) {
            bool all = true;
            make_kernel(ctx, language, 2, blocks, calls[c]);
            for (uint64_t seed = 1; seed < 6; seed++) all = runs(seed, blocks) && all;
            if (all) fail_msg("not missed in %d blocks: %s", blocks, calls[c]);
        }
}

/* The functions of a pipe whose producer arrives behind its copy: `expect` is a function of its own. */
static void late_functions(zlay_ctx *ctx, int32_t language)
{
    char late[4096];
    zlay_buf buf = {helpers, sizeof helpers, 0};
    snprintf(late, sizeof late, "%s", ring_of(2, 1));
    text_replace(late, "    arrive full[i % 2]\n", "");
    text_replace(late, "  end\nend\nrole consumer", "    arrive full[i % 2]\n  end\nend\nrole  consumer");
    zlay_pipe *pipe = read_pipe(ctx, late);
    if (zlay_emit_ring(ctx, &buf, target_of("sm_90a"), pipe, language, "ring", 4)) fail_msg("%s", zlay_ctx_message(ctx));
    assert_null(strstr(helpers, "_arrive_expect"));
    zlay_pipe_free(pipe);
}

static void an_arrival_behind_the_copy(void **state)
{
    bool all = true;
    for (int without = 0; without < 2; without++) {
        late_functions(*state, ZLAY_TEXT_PTX);
        ring_kernel_ptx(kernel, 2, 1, "ring");
        text_replace(kernel, "full_arrive_expect", "full_expect");
        text_replace(kernel, "16384, [at];\n", "16384, [at] ;\n    call ring_full_arrive, (bars, i);\n");
        drop(kernel, without ? "ring_full_expect" : NULL);
        memcpy(ptx, shared, sizeof shared);
        expand_calls(ptx + sizeof shared - 1, helpers, kernel);
        for (uint64_t seed = 1; seed < 6; seed++) all = runs(seed, 1) && all;
        if (all == without) fail_msg("%s", ptx);
    }
    late_functions(*state, ZLAY_TEXT_CUDA);
    assert_non_null(strstr(helpers, " ring_full_expect("));
    assert_true(!has_compiler() || compiles_for("sm_90a sm_100a", helpers));
}

/* Block 0 stores to the shared memory of block 1, whose barrier then has the scope of the cluster. */
static const char afar[] = "pipe afar\ncluster 2\nsmem A[1] 1024\nbar ready[1] count 32\ninit ready\nfence mbarrier_init\nsync cluster\nrole writer warps 0..0 cta 0\n  write A[0] cta 1\n"
                           "  arrive ready[0] threads cta 1\nend\nrole reader warps 0..0 cta 1\n  wait ready[0] parity 0 / 1 % 2\n  read A[0]\nend\n";
static const char afar_kernel[] =
    ".visible .entry k(\n.param .u64 from,\n.param .u64 to\n)\n.reqnctapercluster 2, 1, 1\n{\n    .reg .b32 base, bars, tid, rank, far, w;\n    .reg .b64 f, t;\n    .reg .pred p;\n    mov.u32 base, $smem;\n"
    "    add.u32 bars, base, 1024;\n    mov.u32 tid, %tid.x;\n    mov.u32 rank, %cluster_ctarank;\n    ld.param.u64 f, [from];\n    ld.param.u64 t, [to];\n    mad.wide.u32 f, tid, 4, f;\n"
    "    mad.wide.u32 t, tid, 4, t;\n    mad.lo.u32 base, tid, 4, base;\n    setp.ne.u32 p, tid, 0;\n    @p bra inited;\n    call ring_init, (bars);\ninited:\n    barrier.cluster.arrive.release;\n"
    "    barrier.cluster.wait.acquire;\n    setp.ne.u32 p, rank, 0;\n    @p bra reads;\n    ld.global.b32 w, [f];\n    mapa.shared::cluster.u32 far, base, 1;\n    st.shared::cluster.b32 [far], w;\n"
    "    call ring_ready_arrive_at, (bars, 0, 1);\n    ret;\nreads:\n    call ring_ready_wait, (bars, 0);\n    ld.shared.b32 w, [base];\n    st.global.b32 [t], w;\n    ret;\n}\n";

static void stores_to_another_block(void **state)
{
    static const char *const scopes[] = {"mbarrier.try_wait.parity.acquire.cluster.shared::cta", "mbarrier.arrive.release.cluster.shared::cluster"};
    const uint64_t argument[2] = {IN, OUT};
    zlay_pipe *pipe = read_pipe(*state, afar);
    for (int32_t language = ZLAY_TEXT_PTX; language <= ZLAY_TEXT_CUDA; language++) {
        zlay_buf buf = {helpers, sizeof helpers, 0};
        assert_int_equal(zlay_emit_ring(*state, &buf, target_of("sm_90a"), pipe, language, "ring", 4), ZLAY_OK);
        for (int i = 0; i < 2; i++) assert_non_null(strstr(helpers, scopes[i]));
        if (language == ZLAY_TEXT_CUDA) assert_true(!has_compiler() || compiles_for("sm_90a sm_100a", helpers));
        if (language == ZLAY_TEXT_CUDA) continue;
        memcpy(ptx, shared, sizeof shared);
        expand_calls(ptx + sizeof shared - 1, helpers, afar_kernel);
    }
    zlay_pipe_free(pipe);
    machine.memories = 2;
    machine.memory[0] = (px_memory){IN, 128, in};
    machine.memory[1] = (px_memory){OUT, 128, out[0]};
    for (int p = 0; p < 2; p++) memcpy(machine.param[p], &argument[p], sizeof argument[p]);
    for (uint64_t seed = 1; seed < 6; seed++) {
        for (int i = 0; i < 128; i++) in[i] = (uint8_t)(i * 7 + 1), out[0][i] = 0;
        machine.random = seed;
        px_run(&machine, ptx, 32, 2, 2);
        if (*machine.fault || memcmp(in, out[0], 128)) fail_msg("%s\n%s", machine.fault, ptx);
    }
}

static void ptx_bytes_arrive(void **state) { arrive_in(*state, ZLAY_TEXT_PTX); }
static void ptx_calls_are_missed(void **state) { miss_in(*state, ZLAY_TEXT_PTX); }

static void cuda_bytes_arrive(void **state)
{
    need_compiler();
    arrive_in(*state, ZLAY_TEXT_CUDA);
}

static void cuda_calls_are_missed(void **state)
{
    need_compiler();
    miss_in(*state, ZLAY_TEXT_CUDA);
}

static void nvcc_takes_them(void **state)
{
    need_compiler();
    for (int blocks = 1; blocks <= RING_BLOCKS_MOST; blocks++) {
        ring_function(*state, helpers, 3, blocks, ZLAY_TEXT_CUDA, "ring");
        assert_true(compiles_for("sm_90a sm_100a", helpers));
    }
}

static void ptxas_takes_them(void **state)
{
    static const char *const targets[] = {"sm_90a", "sm_100a"};
    need_assembler();
    for (int i = 0; i < 4; i++) {
        make_kernel(*state, ZLAY_TEXT_PTX, 3, 1 + i / 2, NULL);
        int length = snprintf(source, ROOM / 2, ".version 8.6\n.target %s\n.address_size 64\n%s%s", targets[i % 2], helpers, shared);
        snprintf(source + length, ROOM / 2, "%s", kernel);
        assert_true(assembles(targets[i % 2], source));
        snprintf(source, sizeof source, ".version 8.6\n.target %s\n.address_size 64\n%.*s", targets[i % 2], ROOM / 2, ptx); /* bodies in the place of calls */
        assert_true(assembles(targets[i % 2], source));
    }
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
    snprintf(wrong, sizeof wrong, "%s", ring_of(2, 1));
    text_replace(wrong, "    wait empty[i % 2] parity (i / 2 + 1) % 2\n", "");
    snprintf(named, sizeof named, "%s", ring_of(2, 1));
    text_replace(named, "full", "init_");
    text_replace(named, "init_", "empty_x");
    refuse(ctx, ring_of(2, 1), "sm_90a", ZLAY_TEXT_CUDA, "ring", ZLAY_EROOM, "");
    refuse(ctx, ring_of(2, 2), "sm_90a", ZLAY_TEXT_PTX, "ring", ZLAY_EROOM, "");
    refuse(ctx, ring_of(2, 1), "sm_90a", ZLAY_TEXT_HIP, "ring", ZLAY_ENOTSUP, "CUDA C or PTX");
    refuse(ctx, ring_of(2, 1), "sm_80", ZLAY_TEXT_CUDA, "ring", ZLAY_ENOTSUP, "sm_90");
    refuse(ctx, ring_of(2, 1), "gfx942", ZLAY_TEXT_CUDA, "ring", ZLAY_ENOTSUP, "sm_90");
    refuse(ctx, ring_of(2, 1), "sm_90a", ZLAY_TEXT_CUDA, "__ring", ZLAY_EINVAL, "name");
    refuse(ctx, wrong, "sm_90a", ZLAY_TEXT_CUDA, "ring", ZLAY_NONE, "rule");
    refuse(ctx, named, "sm_90a", ZLAY_TEXT_CUDA, "ring", ZLAY_ENOTSUP, "clash");
    refuse(ctx, "pipe none\nrole one warps 0..0\n  sync warp\nend\n", "sm_90a", ZLAY_TEXT_CUDA, "ring", ZLAY_ENOTSUP, "no barrier");
    assert_int_equal(zlay_emit_ring(ctx, &buf, target_of("sm_90a"), NULL, ZLAY_TEXT_CUDA, "r", 1), ZLAY_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ptx_bytes_arrive),
        cmocka_unit_test(ptx_calls_are_missed),
        cmocka_unit_test(cuda_bytes_arrive),
        cmocka_unit_test(cuda_calls_are_missed),
        cmocka_unit_test(an_arrival_behind_the_copy),
        cmocka_unit_test(stores_to_another_block),
        cmocka_unit_test(nvcc_takes_them),
        cmocka_unit_test(ptxas_takes_them),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("functions of rings", tests, begin, end);
}
