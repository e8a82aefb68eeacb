/* SPDX-License-Identifier: Apache-2.0 */
/* A GEMM in C++ around the functions of two plans of waves, tests/gcn/operands.cpp, as clang compiles it: the interpreter of tests/gcn
 * runs it in all its schedules, in which barriers have to order what waves do in LDS, and compares every sum. */
#define _DEFAULT_SOURCE
#include "ctx.h"
#include "gcn/gemm.h"
#include "gcn/object.h"
#include "legality.h"

#include <zlay/emit_function.h>

enum { DEPTH = 32, ROOM = 1 << 16 };

static const struct way {
    gcn_target target;
    uint32_t k, any_order;
    int32_t path;
    const char *type, *product;
} ways[] = {
    {GCN_90A, 8, 0, ZLAY_WAVE_PATH_REGISTERS, "short", "f32_32x32x8bf16_1k"},
    {GCN_90A, 8, 1, ZLAY_WAVE_PATH_DIRECT, "short", "f32_32x32x8bf16_1k"},
    {GCN_942, 8, 1, ZLAY_WAVE_PATH_BEST, "short", "f32_32x32x8bf16_1k"},
    {GCN_942, 8, 0, ZLAY_WAVE_PATH_DIRECT, "short", "f32_32x32x8bf16_1k"},
    {GCN_950, 16, 0, ZLAY_WAVE_PATH_BEST, "__bf16", "f32_32x32x16_bf16"},
    {GCN_950, 16, 0, ZLAY_WAVE_PATH_REGISTERS, "__bf16", "f32_32x32x16_bf16"},
};

static zlay_wave_summary print_operand(zlay_ctx *ctx, FILE *file, const struct way *w, int32_t fragment)
{
    static char text[ROOM];
    zlay_wave *wave = NULL;
    zlay_wave_summary info;
    zlay_buf buf = {text, sizeof text, 0};
    zlay_wave_request r = {.size = sizeof r, .fragment = fragment, .rows = 64, .depth = DEPTH, .threads = 256, .parts = 2,
                           .any_order = w->any_order, .path = w->path};
    r.mma = (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = 32, .n = 32, .k = w->k, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    if (zlay_wave_synth(ctx, &wave, target_of(gcn_target_name[w->target]), &r)) fail_msg("%s", zlay_ctx_message(ctx));
    if (zlay_emit_wave(ctx, &buf, wave, ZLAY_TEXT_HIP, fragment == ZLAY_FRAGMENT_A ? "a" : "b", 1)) fail_msg("%s", zlay_ctx_message(ctx));
    fputs(text, file);
    zlay_wave_info(&info, wave);
    zlay_wave_free(wave);
    return info;
}

static void header_to(zlay_ctx *ctx, const char *name, const struct way *w)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs("#define __device__\n#define __forceinline__ inline __attribute__((always_inline))\n", file);
    print_operand(ctx, file, w, ZLAY_FRAGMENT_A);
    zlay_wave_summary i = print_operand(ctx, file, w, ZLAY_FRAGMENT_B);
    fprintf(file, "#define DEPTH %d\n#define GROUPS %u\n#define EACH %u\n#define WORDS %u\n#define HELD %u\n", DEPTH, i.steps / i.order_runs, i.order_runs,
            i.step_registers, i.loads * i.load_bytes / 4);
    fprintf(file, "#define FRAGMENT_OF %s\n#define FRAGMENT %u\n#define PRODUCT __builtin_amdgcn_mfma_%s\n%s", w->type, i.step_registers * 2, w->product,
            i.direct ? "#define DIRECT\n" : "");
    fclose(file);
}

static gcn_code compiled(zlay_ctx *ctx, const struct way *w)
{
    char directory[] = "/tmp/zlay-gcn-XXXXXX", header[80], files[200];
    assert_non_null(mkdtemp(directory));
    snprintf(header, sizeof header, "%s/operands.h", directory);
    header_to(ctx, header, w);
    snprintf(files, sizeof files, "-x c++ -Wall -Wextra -Werror -include %s tests/gcn/operands.cpp", header);
    gcn_code code = gcn_compile(w->target, files, "gemm");
    gcn_command("rm -r %s%s%s", directory, "", "");
    return code;
}

static void multiplies(void **state)
{
    gcn_need_llvm("products around the functions of waves were computed by nothing");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        gcn_code code = compiled(*state, &ways[i]);
        gcn_gemm g = {.m = 129, .n = 50, .k = 96, .lda = 96, .ldb = 96, .ldd = 50, .threads = 256, .grid = {3, 1}, .d_bytes = 4, .ordered = true};
        uint64_t addresses[3] = {GEMM_A, GEMM_B, GEMM_D};
        memcpy(g.arguments, addresses, sizeof addresses);
        memcpy(g.arguments + sizeof addresses, &(uint32_t[3]){g.m, g.n, g.k}, 12);
        gcn_gemm_make(&g, i + 1);
        if (!gcn_gemm_right(&code, &g)) fail_msg("way %zu, %s: %s", i, gcn_target_name[ways[i].target], g.fault);
        gcn_gemm_free(&g);
        gcn_code_free(&code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(multiplies)};
    return cmocka_run_group_tests_name("products around functions of waves", tests, begin, end);
}
