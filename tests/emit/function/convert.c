/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of conversions: CUDA C and HIP are compiled by the host's compiler and run on coroutines (support/lanes.h), PTX is
 * executed by the model, and every element of every thread is the one that dst says. nvcc, clang and ptxas take all of them. */
#define _GNU_SOURCE /* mkdtemp, dlopen */
#include "assembler.h"
#include "ptx/run.h"

#include "ctx.h"

#include <dlfcn.h>

enum { PLANS = 48, TEXT_ROOM = 1 << 21, THREADS = 256, REGISTERS = 64, IN = 1 << 16, OUT = 1 << 20 };

typedef struct job {
    uint32_t bits, registers[2], lanes, warps; /* registers: log2 of the elements of a thread in src, in dst */
    zlay_layout *side[2];
    zlay_convert *plan;
} job;

static char text[TEXT_ROOM], all[2 * TEXT_ROOM], calls[TEXT_ROOM];
static px_machine machine;

/* ---- requests ------------------------------------------------------------------------------------- */

static void put_level(char **to, const char *name, uint32_t bits, const uint64_t *basis)
{
    *to += sprintf(*to, "%s:", name);
    for (uint32_t k = 0; k < bits; k++) *to += sprintf(*to, " (%llu)", (unsigned long long)basis[k]);
}

/* A side: every bit of the tensor in some bit of a slot, in random order; `mixed` adds some to others. */
static zlay_layout *draw_side(zlay_ctx *ctx, const job *j, int side, uint32_t tensor, bool mixed, uint64_t *seed)
{
    uint64_t basis[32] = {0};
    uint32_t bits = j->registers[side] + j->lanes + j->warps;
    char line[1024], *to = line;
    for (uint32_t k = 0; k < tensor; k++) basis[k] = 1ull << k;
    for (uint32_t k = bits; k-- > 1;) {
        uint64_t i = test_random(seed) % (k + 1), held = basis[k];
        basis[k] = basis[i], basis[i] = held;
    }
    for (int n = 0; mixed && n < 6; n++) {
        uint64_t a = test_random(seed) % bits, b = test_random(seed) % bits;
        if (a != b) basis[a] ^= basis[b];
    }
    to += sprintf(to, "f2{");
    put_level(&to, "register", j->registers[side], basis);
    put_level(&to, "; lane", j->lanes, basis + j->registers[side]);
    put_level(&to, "; warp", j->warps, basis + j->registers[side] + j->lanes);
    sprintf(to, " -> t: %llu}", 1ull << tensor);
    return read_layout(ctx, line);
}

/* Fragments of mma.sync and of ldmatrix's transposes, among which plans choose stmatrix and ldmatrix. */
static const struct {
    uint32_t bits, warps;
    const char *src, *dst;
} known[] = {
    {16, 0, "f2{register: (1) (8) (128); lane: (2) (4) (16) (32) (64); warp: -> t: 256}", "f2{register: (1) (2) (4); lane: (8) (16) (32) (64) (128); warp: -> t: 256}"},
    {16, 2, "f2{register: (1) (8) (16); lane: (2) (4) (32) (64) (128); warp: (256) (512) -> t: 1024}",
     "f2{register: (32) (64) (128); lane: (256) (512) (1) (2) (4); warp: (8) (16) -> t: 1024}"},
    {8, 0, "f2{register: (1) (2) (16) (256); lane: (4) (8) (32) (64) (128); warp: -> t: 512}", "f2{register: (1) (2) (4) (8); lane: (16) (32) (64) (128) (256); warp: -> t: 512}"},
    {32, 1, "f2{register: (1); lane: (2) (4) (8) (16) (32); warp: (64) -> t: 128}", "f2{register: (1) (2) (4); lane: (8) (16) (32) (0) (0); warp: (64) -> t: 128}"},
};
enum { KNOWN = sizeof known / sizeof *known };

static uint32_t level_bits(const zlay_layout *a, size_t i)
{
    zlay_dim dim;
    assert_int_equal(zlay_f2_in_nth(&dim, a, i), ZLAY_OK);
    return (uint32_t)__builtin_ctzll(dim.size);
}

static void draw_drawn(zlay_ctx *ctx, job *j, int i, uint64_t *seed)
{
    static const uint32_t widths[] = {8, 16, 32, 64};
    j->bits = widths[i % 4];
    uint32_t least = j->bits == 8 ? 2 : j->bits == 16;
    j->warps = (uint32_t)(i / 4 % 3);
    j->registers[0] = (uint32_t)test_range(seed, least, 4);
    j->registers[1] = i % 5 ? j->registers[0] : (uint32_t)test_range(seed, least, 4);
    uint32_t fewest = j->registers[0] < j->registers[1] ? j->registers[0] : j->registers[1];
    for (int s = 0; s < 2; s++) j->side[s] = draw_side(ctx, j, s, fewest + j->lanes + j->warps, i % 3 == 1, seed);
}

/* A plan and its request; NULL where there is none. */
static void draw(zlay_ctx *ctx, job *j, const char *target, int i, uint64_t *seed)
{
    zlay_target_summary info;
    zlay_target_info(&info, target_of(target));
    *j = (job){.lanes = info.lanes == 64 ? 6 : 5};
    if (i < KNOWN && j->lanes == 5) {
        j->bits = known[i].bits, j->warps = known[i].warps;
        j->side[0] = read_layout(ctx, known[i].src), j->side[1] = read_layout(ctx, known[i].dst);
        for (int s = 0; s < 2; s++) j->registers[s] = level_bits(j->side[s], 0);
    } else {
        draw_drawn(ctx, j, i, seed);
    }
    zlay_convert_request r = {.size = sizeof r, .elem_bits = j->bits, .src = j->side[0], .dst = j->side[1]};
    zlay_status status = zlay_convert_synth(ctx, &j->plan, target_of(target), &r);
    if (status) fail_msg("%d: %s", i, zlay_ctx_message(ctx));
}

static void drop(job *j)
{
    zlay_convert_free(j->plan);
    for (int s = 0; s < 2; s++) zlay_layout_free(j->side[s]);
}

/* The text's length; 0: the printer says that it has none. */
static size_t print_one(zlay_ctx *ctx, char *to, const job *j, int32_t language, int i)
{
    char name[16];
    int length = snprintf(name, sizeof name, "c%d", i);
    zlay_buf buf = {to, TEXT_ROOM, 0};
    zlay_status status = zlay_emit_convert(ctx, &buf, j->plan, language, name, (size_t)length);
    if (status == ZLAY_ENOTSUP) print_message("%d: %s\n", i, zlay_ctx_message(ctx));
    else if (status) fail_msg("%d: %s, %s", i, zlay_status_name(status), zlay_ctx_message(ctx));
    return status ? 0 : buf.need;
}

/* ---- what registers hold --------------------------------------------------------------------------- */

static uint32_t threads_of(const job *j) { return 1u << (j->lanes + j->warps); }
static uint32_t words_of(const job *j, int side) { return (j->bits << j->registers[side]) / 32; }

/* Element e of thread t of a side holds bits that follow from its index in the tensor. */
static void fill(const job *j, int side, uint64_t salt, uint32_t *words)
{
    uint32_t n = words_of(j, side), elements = 1u << j->registers[side];
    memset(words, 0, n * threads_of(j) * 4);
    for (uint32_t t = 0; t < threads_of(j); t++)
        for (uint32_t e = 0; e < elements; e++) {
            int64_t index;
            assert_int_equal(zlay_layout_eval(&index, 1, j->side[side], e + (uint64_t)t * elements), ZLAY_OK);
            uint64_t seed = (uint64_t)index * 2654435761u + salt, value = test_random(&seed);
            memcpy((char *)(words + t * n) + e * j->bits / 8, &value, j->bits / 8);
        }
}

/* ---- the host's compiler -------------------------------------------------------------------------- */

typedef void run_function(unsigned *held, void *shared);

/* Registers of src, then those of dst in the same place. */
static void write_run(FILE *file, const job *j, int i)
{
    uint32_t n = words_of(j, 0), m = words_of(j, 1), most = n > m ? n : m;
    fprintf(file, "static void call_%d(unsigned *r, unsigned thread, void *shared) { unsigned to[%u]; (void)shared; c%d(to, *(const unsigned (*)[%u])r, thread%s); "
                  "memcpy(r, to, sizeof to); }\nextern \"C\" void run_%d(unsigned *held, void *shared) { lanes_run(call_%d, held, %u, %u, shared); }\n",
            i, m, i, n, strstr(text, "void *shared") ? ", shared" : "", i, i, most, threads_of(j));
}

static uint32_t from[THREADS * REGISTERS], wanted[THREADS * REGISTERS], held[THREADS * REGISTERS], memory[48 << 8];

static void run_host(void *library, const job *j, int i)
{
    union { void *object; run_function *run; } found;
    uint32_t n = words_of(j, 0), m = words_of(j, 1), most = n > m ? n : m;
    char name[16];
    snprintf(name, sizeof name, "run_%d", i);
    found.object = dlsym(library, name);
    for (uint64_t salt = 1; found.object && salt < 3; salt++) {
        fill(j, 0, salt, from);
        fill(j, 1, salt, wanted);
        for (uint32_t t = 0; t < threads_of(j); t++) memcpy(held + t * most, from + t * n, n * 4);
        memset(memory, 0xa5, sizeof memory);
        found.run(held, memory);
        for (uint32_t t = 0; t < threads_of(j); t++)
            if (memcmp(held + t * most, wanted + t * m, m * 4)) fail_msg("conversion %d, thread %u", i, t);
    }
}

static void ran_on_host(zlay_ctx *ctx, int32_t language, const char *target, int least)
{
    static job jobs[PLANS];
    char folder[] = "/tmp/zlay-function-XXXXXX", path[64], command[400];
    uint64_t seed = test_seed("conversions");
    int ran = 0, stored = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/c.cpp", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#include \"lanes.h\"\n", file);
    for (int i = 0; i < PLANS; i++) {
        draw(ctx, &jobs[i], target, i, &seed);
        if (!print_one(ctx, text, &jobs[i], language, i) || strstr(text, "asm")) continue;
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
    for (int i = 0; i < PLANS; i++) {
        run_host(library, &jobs[i], i);
        drop(&jobs[i]);
    }
    dlclose(library);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    print_message("%s: %d of %d ran, %d through shared memory\n", target, ran, PLANS, stored);
    assert_true(ran >= least && stored >= 4);
}

static void cuda_values(void **state) { ran_on_host(*state, ZLAY_TEXT_CUDA, "sm_80", 24); }
static void hip_values(void **state) { ran_on_host(*state, ZLAY_TEXT_HIP, "gfx942", 24); }

/* ---- PTX ------------------------------------------------------------------------------------------- */

/* The body of the function as that of a kernel, whose threads take their registers from arrays. */
static void write_kernel(char *out, const char *func, uint32_t n, uint32_t m)
{
    char *to = out + sprintf(out, ".version 8.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 $smem[];\n.visible .entry k(\n.param .u64 from,\n"
                                  ".param .u64 to\n)\n{\n    .reg .b64 in, out;\n    .reg .b32 tid;\n    mov.u32 tid, %%tid.x;\n    ld.param.u64 in, [from];\n"
                                  "    ld.param.u64 out, [to];\n    mad.wide.u32 in, tid, %u, in;\n    mad.wide.u32 out, tid, %u, out;\n", 4 * n, 4 * m);
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

static void run_ptx(const job *j, int i)
{
    static char kernel[TEXT_ROOM];
    const uint64_t at[2] = {IN, OUT};
    uint32_t n = words_of(j, 0), m = words_of(j, 1);
    write_kernel(kernel, text, n, m);
    fill(j, 0, 5, from);
    fill(j, 1, 5, wanted);
    machine.memories = 2;
    machine.memory[0] = (px_memory){IN, sizeof from, (uint8_t *)from};
    machine.memory[1] = (px_memory){OUT, sizeof held, (uint8_t *)held};
    for (int p = 0; p < 2; p++) memcpy(machine.param[p], &at[p], sizeof at[p]);
    machine.when = PX_ANY_TIME;
    machine.random = 7;
    px_run(&machine, kernel, (int)threads_of(j), 1, 1);
    if (*machine.fault) fail_msg("%d: %s\n%s", i, machine.fault, kernel);
    if (memcmp(held, wanted, threads_of(j) * m * 4)) fail_msg("conversion %d\n%s", i, kernel);
}

static void ptx_values(void **state)
{
    uint64_t seed = test_seed("conversions");
    int ran = 0, matrices = 0;
    for (int i = 0; i < PLANS; i++) {
        job j;
        draw(*state, &j, "sm_90a", i, &seed);
        if (print_one(*state, text, &j, ZLAY_TEXT_PTX, i)) {
            run_ptx(&j, i);
            ran++;
            matrices += strstr(text, "matrix.sync.aligned.m8n8.x") != NULL;
        }
        drop(&j);
    }
    print_message("%d ran, %d with matrices\n", ran, matrices);
    assert_true(ran >= 36 && matrices >= 2);
}

/* ---- compilers -------------------------------------------------------------------------------------- */

/* All functions, and a kernel that calls each of them but the last, which stands alone. */
static void write_all(zlay_ctx *ctx, int32_t language, const char *target)
{
    uint64_t seed = test_seed("conversions");
    char *to = all, *call = calls;
    *calls = 0;
    for (int i = 0; i < PLANS; i++) {
        job j;
        draw(ctx, &j, target, i, &seed);
        size_t length = print_one(ctx, to, &j, language, i);
        uint32_t n = words_of(&j, 0), m = words_of(&j, 1);
        if (length && i + 1 < PLANS)
            call += sprintf(call, "    { unsigned to[%u], from[%u]; for (int i = 0; i < %u; i++) from[i] = p[i]; c%d(to, from, thread%s); for (int i = 0; i < %u; i++) p[i] = to[i]; }\n",
                            m, n, n, i, strstr(to, "void *shared") ? ", shared" : "", m);
        to += length;
        drop(&j);
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
    refuse(*state, "gfx942", 32, a, b, ZLAY_TEXT_HIP, "2^5 lanes");
    refuse(*state, "sm_90a", 8, "f2{register: (1); lane: (2) (4) (8) (16) (32) -> t: 64}", "f2{register: (2); lane: (1) (4) (8) (16) (32) -> t: 64}", ZLAY_TEXT_CUDA, "fill");
    refuse(*state, "sm_90a", 32, "((4,8),(2,2)):((32,1),(16,8))", "(8,(3,4)):(16,(1,3))", ZLAY_TEXT_CUDA, "plan:");
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
