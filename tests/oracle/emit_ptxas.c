/* SPDX-License-Identifier: Apache-2.0 */
/* What an assembler and a compiler say of the text of many plans, where a CUDA toolkit is found. */
#define _POSIX_C_SOURCE 200809L
#include "plans.h"

#include <stdbool.h>
#include <unistd.h>

enum { ROOM = 1 << 20, PATH = 512 };

static char folder[PATH];

/* A toolkit's program on the PATH or in the place where the toolkit installs itself. */
static bool found(const char *program)
{
    char command[PATH];
    snprintf(command, sizeof command, "command -v %s >/dev/null || test -x /usr/local/cuda/bin/%s",
             program, program);
    return system(command) == 0;
}

static bool run(const char *command)
{
    char line[3 * PATH];
    snprintf(line, sizeof line, "cd '%s' && PATH=\"$PATH:/usr/local/cuda/bin\" && { %s\n}", folder,
             command);
    return system(line) == 0;
}

static FILE *open_file(const char *name, const char *mode)
{
    char path[2 * PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, mode);
    if (!file) fail_msg("%s does not open", path);
    return file;
}

static char *read_file(const char *name)
{
    char *text = calloc(1, ROOM);
    FILE *file = open_file(name, "r");
    assert_non_null(text);
    text[fread(text, 1, ROOM - 1, file)] = 0;
    fclose(file);
    return text;
}

typedef zlay_status emitter(zlay_ctx *, zlay_buf *, const zlay_plan *, const char *, size_t);

static void write_text_on(const char *target, emitter *emit, const char *file_name, const zlay_gemm *g, const char *name)
{
    zlay_plan *plan = plan_on(target, g);
    zlay_ctx *ctx = ctx_new();
    char *text = malloc(ROOM);
    assert_non_null(text);
    zlay_buf buf = {text, ROOM, 0};
    assert_int_equal(emit(ctx, &buf, plan, name, strlen(name)), ZLAY_OK);
    FILE *file = open_file(file_name, "w");
    assert_int_equal(fwrite(text, 1, buf.need, file), buf.need);
    assert_int_equal(fclose(file), 0);
    free(text);
    zlay_ctx_free(ctx);
    zlay_plan_free(plan);
}

static void write_text(emitter *emit, const char *file_name, const zlay_gemm *g, const char *name)
{
    write_text_on("sm_90a", emit, file_name, g, name);
}

/* Two at a time; what each says and its exit status go to its .log. */
static void assemble_all(const char *target)
{
    char command[PATH];
    snprintf(command, sizeof command,
             "ls *.ptx | xargs -P 2 -n 1 sh -c 'ptxas -arch=%s -v -o \"$0.cubin\" \"$0\" "
             ">\"$0.log\" 2>&1; echo \"exit $?\" >>\"$0.log\"'", target);
    assert_true(run(command));
}

static uint32_t number_before(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    if (!at) fail_msg("no \"%s\" in: %s", words, text);
    while (at > text && at[-1] >= '0' && at[-1] <= '9') at--;
    return (uint32_t)strtoul(at, NULL, 10);
}

/* No warning, nothing spilled, wgmma not serialised, and a block that fits the register file. */
static void check_said(const zlay_gemm *g, const char *said, uint32_t threads)
{
    static const char *const bad[] = {"arning", "erializ", "Potential", "error", "fatal"};
    if (!strstr(said, "\nexit 0\n")) fail_msg("%s: %s", gemm_text(g), said);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (strstr(said, bad[i])) fail_msg("%s: %s", gemm_text(g), said);
    for (const char *kernel = strstr(said, " bytes stack frame"); kernel; kernel = strstr(kernel + 1, " bytes stack frame"))
        if (number_before(kernel - 8, " bytes stack frame") || number_before(kernel, " bytes spill stores") ||
            number_before(kernel, " bytes spill loads"))
            fail_msg("%s: %s", gemm_text(g), said);
    const char *used = strstr(said, "Used ");
    assert_non_null(used);
    assert_in_range(strtoul(used + 5, NULL, 10) * threads, 1, 65536);
}

/* Of two neighbours one, of the next two the other: choices go by i % 2 and i % 3. ZLAY_EXHAUSTIVE=2 assembles all. */
static bool is_assembled(uint32_t i) { return test_hours() || (i + 1) / 2 % 2 == 0; }

/* What the assembler says of the kernels of so many requests. */
static void assemble(const char *target, zlay_gemm (*request)(uint32_t), uint32_t count)
{
    char name[64];
    if (!found("ptxas")) skip();
    for (uint32_t i = 0; i < count; i++) {
        if (!is_assembled(i)) continue;
        zlay_gemm g = request(i);
        snprintf(name, sizeof name, "%02u.ptx", i);
        write_text_on(target, zlay_emit_ptx, name, &g, "kernel");
    }
    assemble_all(target);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_assembled(i)) continue;
        zlay_gemm g = request(i);
        zlay_plan *plan = plan_on(target, &g);
        snprintf(name, sizeof name, "%02u.ptx.log", i);
        char *said = read_file(name);
        check_said(&g, said, info_of(plan).threads);
        free(said);
        zlay_plan_free(plan);
    }
    assert_true(run("rm -f *.ptx *.cubin *.log"));
}

static void test_kernels(void **unused)
{
    (void)unused;
    assemble("sm_90a", gemm_varied, VARIED);
}

/* Plan i of TYPED: each pair of types with each D, and all orders and paths that they may have. */
#define FLOATS(a, b) \
    {ZLAY_TYPE_##a, ZLAY_TYPE_##b, ZLAY_TYPE_BF16}, {ZLAY_TYPE_##a, ZLAY_TYPE_##b, ZLAY_TYPE_F16}, \
        {ZLAY_TYPE_##a, ZLAY_TYPE_##b, ZLAY_TYPE_F32}
static const int32_t typed[][3] = {
    FLOATS(F16, F16), FLOATS(E4M3, E4M3), FLOATS(E4M3, E5M2), FLOATS(E5M2, E4M3),
    FLOATS(E5M2, E5M2), FLOATS(TF32, TF32), {0, 0, ZLAY_TYPE_F16}, {0, 0, ZLAY_TYPE_F32},
    {ZLAY_TYPE_S8, ZLAY_TYPE_S8, 0}, {ZLAY_GEMM_U8, ZLAY_GEMM_U8, 0},
    {ZLAY_TYPE_S8, ZLAY_GEMM_U8, 0}, {ZLAY_GEMM_U8, ZLAY_TYPE_S8, 0},
};
enum { TYPED = sizeof typed / sizeof *typed };

static zlay_gemm gemm_typed(uint32_t i)
{
    zlay_gemm g = gemm_varied(i);
    g.a_type = typed[i][0], g.b_type = typed[i][1], g.d_type = typed[i][2];
    bool halves = !g.a_type || g.a_type == ZLAY_TYPE_F16;
    if (!halves) g.a_order = g.b_order = ZLAY_ORDER_DEFAULT;
    g.tile_m = i % 2 ? 128 : 0, g.tile_n = i % 3 ? 256 : 0, g.tile_k = 0;
    return g;
}

static void test_types(void **unused)
{
    (void)unused;
    assemble("sm_90a", gemm_typed, TYPED);
}

/* Of tcgen05 tiles have 128 rows; types of 8 bits too may have M or N contiguous. */
static zlay_gemm gemm_tmem(uint32_t i)
{
    zlay_gemm g = i < VARIED ? gemm_varied(i) : gemm_typed(i - VARIED);
    g.tile_m = 0;
    if (i >= VARIED && g.a_type != ZLAY_TYPE_TF32 && i % 2) g.a_order = ZLAY_ORDER_COLUMN, g.b_order = ZLAY_ORDER_ROW;
    return g;
}

static void test_tmem(void **unused)
{
    (void)unused;
    assemble("sm_100a", gemm_tmem, VARIED + TYPED);
}

/* Of mma.sync warps divide tiles of powers of two, and stages are at most one more than the steps of K. */
static zlay_gemm gemm_sync(uint32_t i)
{
    zlay_gemm g = i < VARIED ? gemm_varied(i) : gemm_typed(i - VARIED);
    bool float8 = g.a_type == ZLAY_TYPE_E4M3 || g.a_type == ZLAY_TYPE_E5M2;
    if (float8) g.a_type = g.b_type = ZLAY_TYPE_F16;
    if (g.tile_n > 64) g.tile_n = g.tile_m == 128 ? 128 : i % 3 ? 128 : 256;
    return g;
}

static void test_sync(void **unused)
{
    (void)unused;
    assemble("sm_80", gemm_sync, VARIED + TYPED);
}

static zlay_gemm gemm_float8(uint32_t i)
{
    static const int32_t types[] = {ZLAY_TYPE_E4M3, ZLAY_TYPE_E5M2};
    zlay_gemm g = gemm_of(300, 264, 512);
    g.a_type = types[i % 2], g.b_type = types[i / 2];
    return g;
}

static void test_float8(void **unused)
{
    (void)unused;
    assemble("sm_89", gemm_float8, 4);
}

/* Pairs of granularities of scales, D of bf16 and f32, all tiles that they go with. */
static zlay_gemm gemm_scaled(uint32_t i)
{
    static const uint32_t tiles[][2] = {{0, 0}, {128, 128}, {64, 128}, {64, 64}};
    zlay_gemm g = gemm_of(1000, 1008, 1024);
    g.type = ZLAY_TYPE_E4M3, g.b_type = i % 5 ? 0 : ZLAY_TYPE_E5M2;
    g.d_type = i % 2 ? ZLAY_TYPE_F32 : ZLAY_TYPE_BF16;
    g.a_scales = (int32_t)((i + 1) % 9 / 3), g.b_scales = (int32_t)((i + 1) % 9 % 3);
    g.tile_m = tiles[i / 8][0], g.tile_n = tiles[i / 8][1];
    return g;
}

static void test_scales(void **unused)
{
    enum { SCALED = 32 };
    (void)unused;
    assemble("sm_90a", gemm_scaled, SCALED);
}

/* Splits in clusters of two to eight blocks, in tiles up to the widest that they have. */
static zlay_gemm gemm_split(uint32_t i)
{
    static const uint32_t tiles[][3] = {{64, 64, 2}, {64, 240, 2}, {128, 192, 2}, {128, 128, 2}, {64, 128, 3}, {128, 64, 4}, {64, 64, 8}};
    zlay_gemm g = gemm_of(128, 4096, 1024);
    g.tile_m = tiles[i / 2][0], g.tile_n = tiles[i / 2][1], g.split_k = tiles[i / 2][2];
    g.d_type = i % 2 ? ZLAY_TYPE_F32 : ZLAY_TYPE_BF16;
    return g;
}

static void test_splits(void **unused)
{
    enum { SPLITS = 14 };
    (void)unused;
    assemble("sm_90a", gemm_split, SPLITS);
}

/* Blocks of stream-K, whose tails load sums beside those that they have. */
static zlay_gemm gemm_streamed(uint32_t i)
{
    static const int32_t type[] = {ZLAY_TYPE_BF16, ZLAY_TYPE_S8, ZLAY_TYPE_E4M3, ZLAY_TYPE_F16};
    static const uint32_t tiles[][2] = {{128, 256}, {128, 256}, {128, 192}, {64, 256}};
    zlay_gemm g = gemm_of(2000, 2000, 1024);
    g.type = type[i], g.d_type = i > 1 ? ZLAY_TYPE_F32 : 0;
    g.tile_m = tiles[i][0], g.tile_n = tiles[i][1], g.stages = 2, g.stream_k = ZLAY_STREAM_ALWAYS;
    return g;
}

static void test_streams(void **unused)
{
    enum { STREAMED = 4 };
    (void)unused;
    assemble("sm_90a", gemm_streamed, STREAMED);
}

/* Groups of rows, whose loop over tiles has a search in it. */
static zlay_gemm gemm_grouped(uint32_t i)
{
    static const int32_t type[] = {ZLAY_TYPE_BF16, ZLAY_TYPE_E4M3, ZLAY_TYPE_F16};
    static const uint32_t tiles[][2] = {{128, 256}, {128, 192}, {64, 256}};
    zlay_gemm g = gemm_of(16384, 2048, 1024);
    g.type = type[i], g.d_type = i == 2 ? ZLAY_TYPE_F32 : 0;
    g.tile_m = tiles[i][0], g.tile_n = tiles[i][1], g.groups = 1u << 4 * i;
    return g;
}

static void test_groups(void **unused)
{
    enum { GROUPED = 3 };
    (void)unused;
    assemble("sm_90a", gemm_grouped, GROUPED);
}

/* Modules with kernels that repack operands of each size of elements, by rows and by columns. */
static zlay_gemm gemm_repacked(uint32_t i)
{
    static const int32_t type[] = {ZLAY_TYPE_BF16, ZLAY_TYPE_E4M3, ZLAY_TYPE_TF32, ZLAY_TYPE_F16};
    zlay_gemm g = gemm_of(1001, 999, 1003);
    g.type = type[i % 4];
    g.a_order = i % 4 == 3 ? ZLAY_ORDER_COLUMN : ZLAY_ORDER_ROW;
    g.d_order = i / 4 ? ZLAY_ORDER_COLUMN : ZLAY_ORDER_ROW;
    g.repack = ZLAY_REPACK_ALWAYS;
    return g;
}

static void test_repacked(void **unused)
{
    enum { REPACKED = 8 };
    (void)unused;
    assemble("sm_90a", gemm_repacked, REPACKED);
}

/* A name that is taken assembles, also where the kernel's own text has the same word. */
static void test_names(void **unused)
{
    (void)unused;
    static const char *const names[] = {
        "a",     "_1",    "__",       "smem",   "zl_smem", "tid",      "one",     "slot",  "acc0",
        "da",    "put0",  "tensor_a", "ptr_d",  "map_a",   "bar_full", "role0",   "role1", "role2",
        "loop9", "done9", "again",    "passed", "finish",  "desc_a",   "instance"};
    char file[64];
    size_t wrong = 0, count = sizeof names / sizeof names[0];
    if (!found("ptxas")) skip();
    zlay_gemm g = gemm_of(64, 64, 36);
    g.tile_m = g.tile_n = 64, g.tile_k = 16;
    for (size_t i = 0; i < count; i++) {
        snprintf(file, sizeof file, "%s.ptx", names[i]);
        write_text(zlay_emit_ptx, file, &g, names[i]);
    }
    assemble_all("sm_90a");
    for (size_t i = 0; i < count; i++) {
        snprintf(file, sizeof file, "%s.ptx.log", names[i]);
        char *said = read_file(file);
        if (!strstr(said, "exit 0\n")) print_error("a kernel \"%s\": %s\n", names[i], said);
        wrong += !strstr(said, "exit 0\n");
        free(said);
    }
    assert_int_equal(wrong, 0);
    assert_true(run("rm -f *.ptx *.cubin *.log"));
}

/* ---- headers ------------------------------------------------------------------ */

/* Every function of a header that no thread of a GEMM could do without, called. */
static void put_calls(FILE *out, const zlay_plan *plan, const char *name)
{
    zlay_plan_summary i = info_of(plan);
    fprintf(
        out,
        "#include \"%s.h\"\n__global__ void call_%s(const void *a, uint32_t s, int t, uint64_t "
        "*out)\n{\n"
        "    %s d[%u] = {};\n    zl_%s_mbar_init(s, zl_%s_full_count);\n    zl_%s_wait(s, 0);\n",
        name, name, i.mma.d == ZLAY_TYPE_S32 ? "int32_t" : "float", i.mma.n / 2, name, name, name);
    fprintf(out,
            "    zl_%s_load_a(a, s, s, t, t, t);\n    zl_%s_load_b(a, s, s, t, t, t);\n    "
            "zl_%s_wgmma_fence();\n"
            "    zl_%s_mma(d, zl_%s_desc_a(s, 1, 0), zl_%s_desc_b(s, 1), t);\n    "
            "zl_%s_wgmma_commit();\n"
            "    zl_%s_wgmma_wait<0>();\n    out[0] = (uint64_t)d[0];\n",
            name, name, name, name, name, name, name, name);
    if (copy_of(plan, ZLAY_OPERAND_D, 0).kind == ZLAY_COPY_TENSOR_STORE)
        fprintf(out,
                "    zl_%s_store_d(a, s, 0, 1, t, t);\n    zl_%s_bulk_commit();\n    "
                "zl_%s_bulk_wait<0>();\n",
                name, name, name);
    fprintf(out, "}\n");
}

/* Headers of all plans in one source: no two names clash, and nothing in them earns a warning. */
static void test_headers(void **unused)
{
    (void)unused;
    char name[16], file[32];
    if (!found("nvcc")) skip();
    FILE *out = open_file("all.cu", "w");
    for (uint32_t i = 0; i < VARIED + TYPED; i += i < VARIED ? 3 : 2) {
        zlay_gemm g = i < VARIED ? gemm_varied(i) : gemm_typed(i - VARIED);
        zlay_plan *plan = plan_of(&g);
        snprintf(name, sizeof name, "k%u", i);
        snprintf(file, sizeof file, "k%u.h", i);
        write_text(zlay_emit_header, file, &g, name);
        put_calls(out, plan, name);
        zlay_plan_free(plan);
    }
    assert_int_equal(fclose(out), 0);
    if (!run("nvcc -std=c++17 -Werror all-warnings -Xcompiler -Wall,-Wextra "
             "-gencode=arch=compute_90a,code=sm_90a "
             "-c -o all.o all.cu >all.log 2>&1"))
        fail_msg("%s", read_file("all.log"));
    char *said = read_file("all.log");
    assert_string_equal(said, "");
    free(said);
}

static int folder_make(void **unused)
{
    (void)unused;
    const char *under = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/zlay-emit-XXXXXX", under && *under ? under : "/tmp");
    return !mkdtemp(folder);
}

static int folder_remove(void **unused)
{
    (void)unused;
    char command[2 * PATH];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_tmem),
        cmocka_unit_test(test_sync),
        cmocka_unit_test(test_float8),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_splits), cmocka_unit_test(test_streams), cmocka_unit_test(test_groups),
        cmocka_unit_test(test_repacked),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_headers),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
