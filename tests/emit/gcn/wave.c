/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
/* Kernels of waves: assembled and linked for their own target, refused for the others, read back by the disassembler, and equal to
 * the golden texts, which `emit/gcn/wave golden` writes anew.  tests/gcn runs them. */
#include "ctx.h"
#include "golden.h"
#include "plans/wave_gemm.h"

#include <zlay/emit_pipe.h>

static char *text_of(zlay_ctx *ctx, const char *target, const zlay_gemm *gemm)
{
    zlay_plan *plan = wave_plan(ctx, target, gemm);
    char *text = wave_text(ctx, plan);
    zlay_plan_free(plan);
    return text;
}

/* Weights with zeros, none of whose extents is a multiple of a tile's. */
static char *weights_text(zlay_ctx *ctx, const char *target)
{
    zlay_weights_plan *plan = NULL;
    const zlay_weights ask = {.size = sizeof ask, .m = 5, .n = 72, .k = 264, .zeros = 1};
    if (zlay_weights_synth(ctx, &plan, wave_target(target), &ask)) fail_msg("%s", zlay_ctx_message(ctx));
    const zlay_weights_emit emit = {.size = sizeof emit, .plan = plan, .name = "weights", .name_length = 7};
    zlay_buf buf = {calloc(1, WAVE_ROOM), WAVE_ROOM - 1, 0};
    assert_non_null(buf.text);
    if (zlay_emit_weights(ctx, &buf, NULL, NULL, 0, &emit)) fail_msg("%s", zlay_ctx_message(ctx));
    zlay_weights_free(plan);
    return buf.text;
}

/* ---- assembled ------------------------------------------------------------------------------- */

/* Whole and ragged, one step of K and many, every width of a store. */
static const zlay_gemm shapes[] = {
    {.size = sizeof(zlay_gemm), .m = 256, .n = 256, .k = 256},
    {.size = sizeof(zlay_gemm), .m = 250, .n = 250, .k = 200},
    {.size = sizeof(zlay_gemm), .m = 1, .n = 1, .k = 8},
    {.size = sizeof(zlay_gemm), .m = 65, .n = 127, .k = 64, .ldd = 129},
    {.size = sizeof(zlay_gemm), .m = 300, .n = 300, .k = 72, .tile_m = 256, .tile_n = 128, .tile_k = 32},
    {.size = sizeof(zlay_gemm), .m = 128, .n = 96, .k = 4096, .d_order = ZLAY_ORDER_COLUMN},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void assembled(void **state)
{
    wave_need_tools();
    for (int t = 0; t < WAVE_TARGETS; t++)
        for (size_t i = 0; i < SHAPES; i++) {
            char *text = text_of(*state, wave_targets[t], &shapes[i]), name[64];
            wave_file(name, text, strlen(text));
            for (int other = 0; other < WAVE_TARGETS; other++)
                if (wave_assembles(wave_targets[other], name) != (other == t))
                    fail_msg("%s, shape %zu, for %s", wave_targets[t], i, wave_targets[other]);
            wave_remove(name);
            free(text);
        }
}

/* Without its first lines, which name the target, an older target refuses the instructions that it lacks. */
static void instructions_refused(void **state)
{
    wave_need_tools();
    char *text = text_of(*state, "gfx950", &shapes[0]), name[64];
    const char *from = strstr(text, ".amdgcn_target");
    from = from ? strchr(from, '\n') : NULL;
    assert_non_null(from);
    const char *end = strstr(from, "s_endpgm");
    assert_non_null(end);
    wave_file(name, from, (size_t)(end - from));
    assert_true(wave_assembles("gfx950", name));
    assert_false(wave_assembles("gfx942", name));
    assert_false(wave_assembles("gfx90a", name));
    wave_remove(name);
    free(text);
}

/* ---- read back --------------------------------------------------------------------------------- */

/* Instructions of a text between its label and its end. */
static size_t instructions(const char *text)
{
    size_t count = 0;
    const char *at = strstr(text, "\ngemm:\n"), *end = strstr(text, "\n.Lend:");
    assert_non_null(at);
    assert_non_null(end);
    for (at += 7; at < end; at = strchr(at, '\n') + 1) count += *at == ' ';
    return count;
}

static void read_back(void **state)
{
    wave_need_tools();
    for (int t = 0; t < WAVE_TARGETS; t++) {
        char *text = text_of(*state, wave_targets[t], &shapes[1]), name[64], command[300], line[512];
        size_t count = 0, descriptors = 0;
        bool ended = false; /* what stands behind the end is never run */
        wave_file(name, text, strlen(text));
        assert_true(wave_assembles(wave_targets[t], name));
        assert_true(wave_links(name));
        snprintf(command, sizeof command, "llvm-objdump-22 -d --no-show-raw-insn %s.hsaco; llvm-objdump-22 -T %s.hsaco", name, name);
        FILE *in = popen(command, "r");
        assert_non_null(in);
        while (fgets(line, sizeof line, in)) {
            count += *line == '\t' && !ended;
            ended |= strstr(line, "s_endpgm") != NULL;
            descriptors += strstr(line, " gemm.kd") != NULL;
        }
        pclose(in);
        wave_remove(name);
        assert_int_equal(count, instructions(text));
        assert_int_equal(descriptors, 1);
        free(text);
    }
}

/* The ELF header says for whom it is: AMDGPUUsage, "Header": 64 for HSA, 3 for code object version 5. */
static void versions(void **state)
{
    wave_need_tools();
    for (int t = 0; t < WAVE_TARGETS; t++) {
        char *text = text_of(*state, wave_targets[t], &shapes[0]), name[64], object[80];
        unsigned char head[9] = {0};
        wave_file(name, text, strlen(text));
        assert_true(wave_assembles(wave_targets[t], name));
        assert_true(wave_links(name));
        snprintf(object, sizeof object, "%s.hsaco", name);
        FILE *file = fopen(object, "rb");
        assert_non_null(file);
        assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
        fclose(file);
        wave_remove(name);
        assert_int_equal(head[7], 64);
        assert_int_equal(head[8], 3);
        free(text);
    }
}

/* ---- golden ------------------------------------------------------------------------------------- */

enum { GOLDEN = 2 * WAVE_TARGETS + 1 };

/* The i-th text that is kept, and where: GEMMs of each target, then products with weights of 4 bits, of sm_100a, too. */
static char *golden_text(zlay_ctx *ctx, char path[64], int i)
{
    bool weights = i >= WAVE_TARGETS, ptx = i + 1 == GOLDEN;
    const char *target = ptx ? "sm_100a" : wave_targets[i % WAVE_TARGETS];
    snprintf(path, 64, "tests/golden/%s.%s.%s", weights ? "weights" : "gemm", target, ptx ? "ptx" : "s");
    return weights ? weights_text(ctx, target) : text_of(ctx, target, &shapes[1]);
}

static void golden(void **state)
{
    for (int i = 0; i < GOLDEN; i++) {
        char path[64], *text = golden_text(*state, path, i), *kept = calloc(1, WAVE_ROOM);
        FILE *file = fopen(path, "rb");
        if (!file) fail_msg("%s is missing", path);
        size_t length = fread(kept, 1, WAVE_ROOM - 1, file);
        fclose(file);
        kept[length] = 0;
        without_version(text);
        without_version(kept);
        assert_string_equal(text, kept);
        free(kept);
        free(text);
    }
}

static int golden_write(void)
{
    zlay_ctx *ctx;
    if (zlay_ctx_new(&ctx, NULL, NULL)) return 1;
    for (int i = 0; i < GOLDEN; i++) {
        char path[64], *text = golden_text(ctx, path, i);
        FILE *file = fopen(path, "wb");
        if (!file) return 1;
        fputs(text, file);
        fclose(file);
        free(text);
    }
    zlay_ctx_free(ctx);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden), cmocka_unit_test(assembled),
        cmocka_unit_test(instructions_refused), cmocka_unit_test(read_back),
        cmocka_unit_test(versions),
    };
    if (argc > 1 && !strcmp(argv[1], "golden")) return golden_write();
    return cmocka_run_group_tests(tests, begin, end);
}
