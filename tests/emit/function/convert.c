/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of conversions: CUDA C and HIP are compiled by the host's compiler and run on coroutines (support/lanes.h), PTX is
 * executed by the model, and every element of every thread is the one that dst says. nvcc, clang and ptxas take all of them. */
#define _GNU_SOURCE /* mkdtemp, dlopen */
#include "assembler.h"
#include "functions/convert.h"
#include "ptx/run.h"

#include <dlfcn.h>

enum { IN = 1 << 20, OUT = 1 << 21 };

static char text[CONVERT_TEXT], all[2 * CONVERT_TEXT], calls[CONVERT_TEXT];
static px_machine machine;

/* ---- the host's compiler -------------------------------------------------------------------------- */

typedef void run_function(unsigned *held, void *shared);

/* Registers of src, then those of dst in the same place. */
static void write_run(FILE *file, const convert_job *j, int i)
{
    uint32_t n = convert_words(j, 0), m = convert_words(j, 1), most = n > m ? n : m;
    fprintf(file, "static void call_%d(unsigned *r, unsigned thread, void *shared) { unsigned to[%u]; (void)shared; c%d(to, *(const unsigned (*)[%u])r, thread%s); "
                  "memcpy(r, to, sizeof to); }\nextern \"C\" void run_%d(unsigned *held, void *shared) { lanes_run(call_%d, held, %u, %u, shared); }\n",
            i, m, i, n, strstr(text, "void *shared") ? ", shared" : "", i, i, most, convert_threads(j));
}

static uint32_t from[CONVERT_THREADS * CONVERT_REGISTERS], wanted[CONVERT_THREADS * CONVERT_REGISTERS], held[CONVERT_THREADS * CONVERT_REGISTERS], mask[CONVERT_THREADS * CONVERT_REGISTERS];
static uint32_t memory[64 << 10] __attribute__((aligned(16)));

static void run_host(void *library, const convert_job *j, int i)
{
    union { void *object; run_function *run; } found;
    uint32_t n = convert_words(j, 0), m = convert_words(j, 1), most = n > m ? n : m;
    char name[16];
    snprintf(name, sizeof name, "run_%d", i);
    found.object = dlsym(library, name);
    for (uint64_t salt = 1; found.object && salt < 3; salt++) {
        convert_fill(j, 0, salt, from, mask);
        convert_fill(j, 1, salt, wanted, mask);
        for (uint32_t t = 0; t < convert_threads(j); t++) memcpy(held + t * most, from + t * n, n * 4);
        memset(memory, 0xa5, sizeof memory);
        found.run(held, memory);
        for (uint32_t t = 0; t < convert_threads(j); t++)
            if (!convert_is_equal(held + t * most, wanted + t * m, mask + t * m, m)) fail_msg("conversion %d, thread %u", i, t);
    }
}

static void ran_on_host(zlay_ctx *ctx, int32_t language, const char *target, int least)
{
    static convert_job jobs[CONVERTS];
    char folder[] = "/tmp/zlay-function-XXXXXX", path[64], command[400];
    uint64_t seed = test_seed("conversions");
    int ran = 0, stored = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/c.cpp", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#include \"lanes.h\"\n", file);
    for (int i = 0; i < CONVERTS; i++) {
        convert_draw(ctx, &jobs[i], target, i, &seed);
        if (!convert_function(ctx, text, &jobs[i], language, i) || strstr(text, "asm") || convert_most(&jobs[i], CONVERT_BLOCK) > 1) continue;
        fputs(text, file);
        write_run(file, &jobs[i], i);
        ran++;
        stored += strstr(text, "void *shared") != NULL;
    }
    fclose(file);
    snprintf(command, sizeof command, "${CXX:-c++} -std=c++17 -O1 -Wall -Wextra -Werror -Itests/support -shared -fPIC -o %s/c.so %s", folder, path);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/c.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    assert_non_null(library);
    for (int i = 0; i < CONVERTS; i++) {
        run_host(library, &jobs[i], i);
        convert_drop(&jobs[i]);
    }
    dlclose(library);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    print_message("%s: %d of %d ran, %d through shared memory\n", target, ran, CONVERTS, stored);
    assert_true(ran >= least && stored >= 4);
}

static void cuda_values(void **state) { ran_on_host(*state, ZLAY_TEXT_CUDA, "sm_80", 72); }
static void hip_values(void **state) { ran_on_host(*state, ZLAY_TEXT_HIP, "gfx942", 84); }

/* ---- PTX ------------------------------------------------------------------------------------------- */

/* The body of the function as that of a kernel, whose threads take their registers from arrays. */
static void write_kernel(char *out, const char *func, uint32_t threads, uint32_t n, uint32_t m)
{
    char *to = out + sprintf(out, ".version 8.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 $smem[];\n.visible .entry k(\n.param .u64 from,\n"
                                  ".param .u64 to\n)\n{\n    .reg .b64 in, out;\n    .reg .b32 tid, rank;\n    mov.u32 tid, %%tid.x;\n    mov.u32 rank, %%cluster_ctarank;\n    mad.lo.u32 tid, rank, %u, tid;\n    ld.param.u64 in, [from];\n"
                                  "    ld.param.u64 out, [to];\n    mad.wide.u32 in, tid, %u, in;\n    mad.wide.u32 out, tid, %u, out;\n", threads, 4 * n, 4 * m);
    for (const char *line = strstr(func, "{\n") + 2, *end; *line && *line != '}'; line = end + 1) {
        unsigned z, at;
        end = strchr(line, '\n');
        if (sscanf(line, " ld.param.b32 %%z%u, [source + %u]", &z, &at) == 2) to += sprintf(to, "    ld.global.b32 %%z%u, [in + %u];\n", z, at);
        else if (sscanf(line, " st.param.b32 [result + %u], %%z%u", &at, &z) == 2) to += sprintf(to, "    st.global.b32 [out + %u], %%z%u;\n", at, z);
        else if (strstr(line, "[thread]") && strstr(line, "[thread]") < end) to += sprintf(to, "    mov.u32 %%lin, tid;\n");
        else if (strstr(line, "[shared]") && strstr(line, "[shared]") < end) to += sprintf(to, "    mov.u32 %%shared, $smem;\n");
        else to += sprintf(to, "%.*s\n", (int)(end - line), line);
    }
    sprintf(to, "}\n");
}

static void run_ptx(const convert_job *j, int i)
{
    static char kernel[CONVERT_TEXT];
    const uint64_t at[2] = {IN, OUT};
    uint32_t n = convert_words(j, 0), m = convert_words(j, 1), blocks = convert_most(j, CONVERT_BLOCK);
    write_kernel(kernel, text, convert_threads(j), n, m);
    convert_fill(j, 0, 5, from, mask);
    convert_fill(j, 1, 5, wanted, mask);
    machine.memories = 2;
    machine.memory[0] = (px_memory){IN, sizeof from, (uint8_t *)from};
    machine.memory[1] = (px_memory){OUT, sizeof held, (uint8_t *)held};
    for (int p = 0; p < 2; p++) memcpy(machine.param[p], &at[p], sizeof at[p]);
    machine.when = PX_ANY_TIME;
    machine.random = 7;
    px_run(&machine, kernel, (int)convert_threads(j), blocks, (int)blocks);
    if (*machine.fault) fail_msg("%d: %s\n%s", i, machine.fault, kernel);
    if (!convert_is_equal(held, wanted, mask, convert_threads(j) * blocks * m)) fail_msg("conversion %d\n%s", i, kernel);
}

static void ptx_values(void **state)
{
    uint64_t seed = test_seed("conversions");
    int ran = 0, matrices = 0, pieces = 0, remote = 0, guarded = 0;
    for (int i = 0; i < CONVERTS; i++) {
        convert_job j;
        convert_draw(*state, &j, "sm_90a", i, &seed);
        if (convert_function(*state, text, &j, ZLAY_TEXT_PTX, i)) {
            run_ptx(&j, i);
            ran++;
            matrices += strstr(text, "matrix.sync.aligned.m8n8.x") != NULL;
            remote += strstr(text, "ld.shared::cluster") != NULL;
            guarded += strstr(text, "@!") != NULL;
            zlay_convert_summary info;
            zlay_convert_info(&info, j.plan);
            pieces += info.trips > 1;
        }
        convert_drop(&j);
    }
    print_message("%d ran, %d with matrices, %d piece by piece, %d between blocks, %d with guards\n", ran, matrices, pieces, remote, guarded);
    assert_true(ran == CONVERTS && matrices >= 2 && pieces >= 3 && remote >= 3 && guarded >= 3);
}

/* ---- compilers -------------------------------------------------------------------------------------- */

/* All functions, and a kernel that calls each of them but the last, which stands alone. */
static void write_all(zlay_ctx *ctx, int32_t language, const char *target)
{
    uint64_t seed = test_seed("conversions");
    char *to = all, *call = calls;
    *calls = 0;
    for (int i = 0; i < CONVERTS; i++) {
        convert_job j;
        convert_draw(ctx, &j, target, i, &seed);
        size_t length = convert_function(ctx, to, &j, language, i);
        uint32_t n = convert_words(&j, 0), m = convert_words(&j, 1);
        if (length && i + 1 < CONVERTS)
            call += sprintf(call, "    { unsigned to[%u], from[%u]; for (int i = 0; i < %u; i++) from[i] = p[i]; c%d(to, from, thread%s); for (int i = 0; i < %u; i++) p[i] = to[i]; }\n",
                            m, n, n, i, strstr(to, "void *shared") ? ", shared" : "", m);
        to += length;
        convert_drop(&j);
    }
    if (language == ZLAY_TEXT_PTX) return;
    sprintf(to, "extern \"C\" __attribute__((global)) void k(unsigned *p, unsigned thread)\n{\n    __attribute__((shared)) static unsigned shared[8192] __attribute__((aligned(16)));\n    (void)shared;\n%s}\n", calls);
}

static void nvcc_takes_them(void **state)
{
    static const char *const targets[] = {"sm_80", "sm_90a", "sm_100a"};
    need_compiler();
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        write_all(*state, ZLAY_TEXT_CUDA, targets[t]);
        assert_true(compiles(targets[t], all));
    }
}

static void ptxas_takes_them(void **state)
{
    static const char head[] = ".version 8.0\n.target sm_90a\n.address_size 64\n\n";
    need_assembler();
    write_all(*state, ZLAY_TEXT_PTX, "sm_90a");
    memmove(all + sizeof head - 1, all, strlen(all) + 1);
    memcpy(all, head, sizeof head - 1);
    assert_true(assembles("sm_90a", all));
}

static void clang_takes_them(void **state)
{
    static const char *const targets[] = {"gfx90a", "gfx942", "gfx950"};
    if (!has_hip_compiler()) skip();
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        write_all(*state, ZLAY_TEXT_HIP, targets[t]);
        assert_true(compiles_hip(targets[t], all));
    }
}

/* ---- refusals --------------------------------------------------------------------------------------- */

static void refuse(zlay_ctx *ctx, const char *target, uint32_t bits, const char *src, const char *dst, int32_t language, const char *says)
{
    zlay_layout *side[2] = {read_layout(ctx, src), read_layout(ctx, dst)};
    zlay_convert_request r = {.size = sizeof r, .elem_bits = bits, .src = side[0], .dst = side[1]};
    zlay_convert *plan = NULL;
    zlay_buf buf = {NULL, 0, 0};
    assert_int_equal(zlay_convert_synth(ctx, &plan, target_of(target), &r), ZLAY_OK);
    assert_int_equal(zlay_emit_convert(ctx, &buf, plan, language, "c", 1), ZLAY_ENOTSUP);
    if (!strstr(zlay_ctx_message(ctx), says)) fail_msg("%s, not %s", zlay_ctx_message(ctx), says);
    assert_int_equal(zlay_emit_convert(ctx, &buf, plan, 5, "c", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_convert(ctx, &buf, plan, language, "__global__", 10), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_convert(ctx, NULL, plan, language, "c", 1), ZLAY_EINVAL);
    zlay_convert_free(plan);
    for (int s = 0; s < 2; s++) zlay_layout_free(side[s]);
}

static void refused(void **state)
{
    static const char a[] = "f2{register: (1) (2); lane: (4) (8) (16) (32) (64) -> t: 128}", b[] = "f2{register: (64) (2); lane: (4) (8) (16) (32) (1) -> t: 128}";
    zlay_buf buf = {NULL, 0, 0};
    refuse(*state, "sm_90a", 32, a, b, ZLAY_TEXT_HIP, "sm_90a");
    refuse(*state, "gfx942", 32, a, b, ZLAY_TEXT_CUDA, "gfx942");
    refuse(*state, "sm_90a", 32, "(256,32):(1,256)", "(256,32):(32,1)", ZLAY_TEXT_CUDA, "255 registers");
    refuse(*state, "sm_90a", 16, "(510,31):(31,1)", "{ [r,t] -> [(37r + 1000t) mod 15810] : 0 <= r < 510 and 0 <= t < 31 }", ZLAY_TEXT_PTX, "operations");
    assert_int_equal(zlay_emit_convert(*state, &buf, NULL, ZLAY_TEXT_CUDA, "c", 1), ZLAY_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuda_values),
        cmocka_unit_test(hip_values),
        cmocka_unit_test(ptx_values),
        cmocka_unit_test(nvcc_takes_them),
        cmocka_unit_test(ptxas_takes_them),
        cmocka_unit_test(clang_takes_them),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("functions of conversions", tests, begin, end);
}
