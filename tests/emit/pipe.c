/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes as kernels: the header's example, the named set's golden texts, both languages put to their
 * compilers, what is refused. `emit/pipe golden` writes the golden texts anew. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */
#include "assembler.h"
#include "ctx.h"
#include "golden.h"
#include "heap.h"
#include "pipes/named.h"

#include <string.h>
#include <zlay/zlay.h>

enum { ROOM = 1 << 20, ARGUMENTS = 64, STAGES = 4 };

typedef struct kernel {
    char *text;
    zlay_pipe_launch launch;
    zlay_pipe_argument argument[ARGUMENTS];
    zlay_status status;
} kernel;

static zlay_pipe *parsed(zlay_ctx *ctx, const char *text)
{
    zlay_pipe *pipe = NULL;
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) fail_msg("%s", zlay_ctx_message(ctx));
    return pipe;
}

static zlay_pipe_emit asked(const zlay_pipe *pipe, const char *target, int32_t language)
{
    return (zlay_pipe_emit){.size = sizeof(zlay_pipe_emit), .language = language, .target = target_of(target),
                            .pipe = pipe, .name = "piped", .name_length = 5, .unchecked = 1};
}

static kernel printed(zlay_ctx *ctx, const zlay_pipe_emit *ask)
{
    kernel k = {.text = calloc(1, ROOM)};
    zlay_buf buf = {k.text, ROOM, 0};
    assert_non_null(k.text);
    k.status = zlay_emit_pipe(ctx, &buf, &k.launch, k.argument, ARGUMENTS, ask);
    return k;
}

static kernel printed_text(zlay_ctx *ctx, const char *text, const char *target, int32_t language)
{
    zlay_pipe *pipe = parsed(ctx, text);
    zlay_pipe_emit ask = asked(pipe, target, language);
    kernel k = printed(ctx, &ask);
    zlay_pipe_free(pipe);
    return k;
}

static zlay_status status_of(zlay_ctx *ctx, const zlay_pipe_emit *ask)
{
    kernel k = printed(ctx, ask);
    free(k.text);
    return k.status;
}

/* ---- by hand ------------------------------------------------------------------------ */

static const char ring[] =
    "pipe ring\nparam N 0..\nsmem A[2] 16384\nbar full[2] count 1\nbar empty[2] count 128\ninit full\n"
    "init empty\nfence mbarrier_init\nsync cta\nrole producer warps 0..3 elect\nfor i in 0..N\n"
    "wait empty[i % 2] parity (i / 2 + 1) % 2\nexpect full[i % 2] 16384\narrive full[i % 2]\n"
    "copy tensor 16384 -> A[i % 2] signal full[i % 2]\nend\nend\nrole consumer warps 4..7\nfor i in 0..N\n"
    "wait full[i % 2] parity i / 2 % 2\nread A[i % 2]\narrive empty[i % 2] threads\nend\nend\n";

/* The example of zlay/emit_pipe.h. */
static void example(void **state)
{
    static const struct { const char *name; int32_t kind; uint32_t bytes; } want[] = {
        {"n_N", ZLAY_ARGUMENT_COUNT, 4},           {"in_A", ZLAY_ARGUMENT_POINTER, 8},
        {"step_in_A", ZLAY_ARGUMENT_STEP, 8},      {"out_A", ZLAY_ARGUMENT_POINTER, 8},
        {"step_out_A", ZLAY_ARGUMENT_STEP, 8},
    };
    zlay_pipe *pipe = parsed(*state, ring);
    zlay_pipe_emit ask = asked(pipe, "sm_90a", ZLAY_TEXT_PTX);
    ask.unchecked = 0;
    kernel k = printed(*state, &ask);
    assert_int_equal(k.status, ZLAY_OK);
    assert_int_equal(k.launch.threads, 256);
    assert_int_equal(k.launch.smem, 32800);
    assert_int_equal(k.launch.cluster, 1);
    assert_int_equal(k.launch.arguments, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(k.argument[i].name, want[i].name);
        assert_int_equal(k.argument[i].kind, want[i].kind);
        assert_int_equal(k.argument[i].bytes, want[i].bytes);
    }
    assert_non_null(strstr(k.text, ".visible .entry piped("));
    assert_non_null(strstr(k.text, "add.u32 at, at, 32784;"));
    free(k.text);
    zlay_pipe_free(pipe);
}

/* ---- the named set --------------------------------------------------------------------- */

/* Tensor memory is of later targets than wgmma, and what uses neither goes to both. */
static bool of_target(const char *text, const char *target)
{
    bool tmem = strstr(text, "\ntmem ") != NULL, mma = strstr(text, "  mma ") != NULL;
    if (strstr(text, "  waitcount ")) return false;
    return !mma || tmem == !strcmp(target, "sm_100a");
}

static void golden_path(char path[160], const char *name, const char *target)
{
    snprintf(path, 160, "tests/golden/pipe-%s.%s.ptx", name, target);
}

static const char licence[] = "// SPDX-License-Identifier: Apache-2.0\n";

static void golden_write(zlay_ctx *ctx, const char *name, const char *text, const char *target)
{
    char path[160];
    kernel k = printed_text(ctx, text, target, ZLAY_TEXT_PTX);
    golden_path(path, name, target);
    FILE *file = k.status ? NULL : fopen(path, "w");
    if (file) fprintf(file, "%s%s", licence, k.text);
    if (!file || fclose(file)) fail_msg("%s: %s", path, zlay_ctx_message(ctx));
    free(k.text);
}

static void golden_compare(zlay_ctx *ctx, const char *name, const char *text, const char *target)
{
    char path[160], *want = calloc(1, ROOM);
    zlay_pipe *pipe = parsed(ctx, text);
    zlay_pipe_emit ask = asked(pipe, target, ZLAY_TEXT_PTX);
    ask.unchecked = 0;
    kernel k = printed(ctx, &ask);
    zlay_pipe_free(pipe);
    golden_path(path, name, target);
    if (k.status) fail_msg("%s: %s", path, zlay_ctx_message(ctx));
    FILE *file = fopen(path, "r");
    assert_non_null(want);
    if (!file) fail_msg("no file %s: make golden", path);
    want[fread(want, 1, ROOM - 1, file)] = 0;
    fclose(file);
    assert_memory_equal(want, licence, strlen(licence));
    without_version(want);
    without_version(k.text);
    if (strcmp(want + strlen(licence), k.text)) fail_msg("%s is another text: make golden, and look at the difference", path);
    free(want);
    free(k.text);
}

typedef void each_named(zlay_ctx *ctx, const char *name, const char *text, const char *target);

static void for_each(zlay_ctx *ctx, each_named *does)
{
    static const char *const targets[] = {"sm_90a", "sm_100a"};
    static char text[NAMED_TEXT];
    for (size_t i = 0; i < NAMED; i++)
        for (size_t t = 0; t < 2; t++) {
            named_read(text, named[i].name, STAGES);
            if (of_target(text, targets[t])) does(ctx, named[i].name, text, targets[t]);
        }
}

static void golden(void **state) { for_each(*state, golden_compare); }

static void one_assembles(zlay_ctx *ctx, const char *name, const char *text, const char *target)
{
    kernel k = printed_text(ctx, text, target, ZLAY_TEXT_PTX);
    if (k.status || !assembles(target, k.text)) fail_msg("%s for %s: %s", name, target, zlay_ctx_message(ctx));
    free(k.text);
}

static void assembled(void **state)
{
    need_assembler();
    for_each(*state, one_assembles);
}

static void one_compiles(zlay_ctx *ctx, const char *name, const char *text, const char *target)
{
    if (strcmp(name, "streamk")) return; /* all of them: oracle/emit_pipe */
    kernel k = printed_text(ctx, text, target, ZLAY_TEXT_CUDA);
    if (k.status || !compiles(target, k.text)) fail_msg("%s for %s: %s", name, target, zlay_ctx_message(ctx));
    free(k.text);
}

static void compiled(void **state)
{
    need_compiler();
    for_each(*state, one_compiles);
}

/* ---- every event ------------------------------------------------------------------------ */

/* What the named set has no event of: both languages take it. */
static const char rare[] =
    "pipe rare\ncluster 2\nregisters 168\nparam N 0..\nsmem A[2] 4096\nsmem B[2] 4096\nsmem D[1] 2048\n"
    "global W[2]\nflag done[1]\nmap maps[2]\nbar full[2] count 1\ninit full\nfence mbarrier_init\nsync cluster\n"
    "role first warps 0..3\nsetmaxnreg dec 40\ngriddep wait\nfor i in 0..N\nread A[i % 2] cta 1\n"
    "write A[i % 2] 2048 part 1 cta +1\nldmatrix A[i % 2]\nstmatrix B[i % 2] part 1\ncpasync 2048 -> A[i % 2]\n"
    "commit cpasync\nwaitgroup cpasync 1\nstore D[0] 2048 -> W[i % 2]\nreduce D[0] 2048\n"
    "reduce B[i % 2] 4096 by maps[i % 2]\nstore B[i % 2] 4096 by maps[i % 2]\ncommit bulk\nwaitgroup bulk 0\n"
    "sync named 3 128\njoin named 4 256\njoin cluster\nmeet cluster\nsync cluster\nsync cta\nsync role\nsync warp\n"
    "raise done[0] times 3\nawait done[0] 4\nupdate maps[i % 2]\nfence proxy.tensormap\nfence proxy.async\nend\n"
    "griddep launch\nend\n"
    "role other warps 4..7 elect\nsetmaxnreg inc 64\nexpect full[0] 4096\narrive full[0] times 2\n"
    "copy tensor 4096 -> A[0] signal full[0] multicast 3\ncopy bulk 2048 -> B[0] signal full[0]\n"
    "copy bulk 2048 -> B[0] cta 1 signal full[0]\n"
    "copy shared 4096 from A[0] -> B[0] cta +1 signal full[0]\ncopy tensor 4096 by maps[1] -> A[1] signal full[1]\n"
    "arrive full[1] cta 1\narrive full[1] times 2 cta all\narrive full[1] cta +1\nsync cluster\nsync named 5 64\n"
    "join named 6 64\nsync role\nend\n"
    "role last warps 8..8 cta 1\nwait full[0] parity 0 / 2 % 2\nread A[0]\nsync role\narrive full[0] warps\nend\n";

static const char later[] =
    "pipe later\nparam N 0..\nsmem A[2] 16384\nsmem B[2] 8192\nsmem S[1] 512\ntmem C[2] 128\ntmem P[1] 64\n"
    "bar full[2] count 1\ninit full\nalloc C\nfence mbarrier_init\nsync cta\n"
    "role issuer warps 0..3\nfor i in 0..N\nmma A[i % 2], B[i % 2] -> C[i % 2] fresh\nmma P[0], B[i % 2] -> C[i % 2]\n"
    "commit tcgen05 signal full[i % 2]\ntcp A[i % 2] -> C[0]\ntcp S[0] -> P[0]\nfence tcgen05.before\nend\nrelinquish\nend\n"
    "role reader warps 4..7\nalloc P\nfor i in 0..N\ntld C[i % 2] lanes 32..63 columns 5..43 -> R\ntwait ld\n"
    "tst R -> P[0] columns 0..38\ntwait st\nfence tcgen05.after\nwrite A[0] 4096 from R\nend\ndealloc C\ndealloc P\nend\n";

static void takes(zlay_ctx *ctx, const char *text, const char *target, const char *name)
{
    kernel ptx = printed_text(ctx, text, target, ZLAY_TEXT_PTX);
    if (ptx.status) fail_msg("%s: %s", name, zlay_ctx_message(ctx));
    if (!assembles(target, ptx.text)) fail_msg("%s for %s", name, target);
    kernel c = printed_text(ctx, text, target, ZLAY_TEXT_CUDA);
    assert_int_equal(c.status, ZLAY_OK);
    if (has_compiler() && !compiles(target, c.text))
        fail_msg("%s for %s", name, target);
    free(ptx.text);
    free(c.text);
}

static void events(void **state)
{
    need_assembler();
    takes(*state, rare, "sm_90a", "rare");
    takes(*state, later, "sm_100a", "later");
}

/* ---- operands ------------------------------------------------------------------------ */

/* One product of stages of 16 KiB, by wgmma or by tcgen05.mma. */
static const char by_warpgroup[] =
    "pipe one\nsmem A[1] 16384\nsmem B[1] 16384\nrole r warps 0..3\nmma A[0], B[0] -> C fresh\nend\n";
static const char by_tmem[] =
    "pipe one\nsmem A[1] 16384\nsmem B[1] 16384\ntmem C[1] 256\nrole r warps 0..0 elect\nmma A[0], B[0] -> C[0] fresh\nend\n";

static void operands(void **state)
{
    static const struct { const char *text, *target; int32_t type, major; const char *layout, *says; uint32_t count; } typed[] = {
        {by_warpgroup, "sm_90a", ZLAY_TYPE_F16, ZLAY_MAJOR_MN, "(64,128):(1,64)", ".m64n64k16.f32.f16.f16 ", 8},
        {by_warpgroup, "sm_90a", ZLAY_TYPE_BF16, ZLAY_MAJOR_K, "(64,(64,2)):(64,(1,4096))", ".m64n64k16.f32.bf16.bf16 ", 8},
        {by_warpgroup, "sm_90a", ZLAY_TYPE_TF32, ZLAY_MAJOR_K, "(128,32):(32,1)", ".m64n128k8.f32.tf32.tf32 ", 8},
        {by_warpgroup, "sm_90a", ZLAY_TYPE_E4M3, ZLAY_MAJOR_K, "(128,128):(128,1)", ".m64n128k32.f32.e4m3.e4m3 ", 8},
        {by_warpgroup, "sm_90a", ZLAY_TYPE_U8, ZLAY_MAJOR_K, "(128,128):(128,1)", ".m64n128k32.s32.u8.u8 ", 8},
        {by_tmem, "sm_100a", ZLAY_TYPE_TF32, ZLAY_MAJOR_K, "(128,32):(32,1)", "kind::tf32 ", 4},
        {by_tmem, "sm_100a", ZLAY_TYPE_E5M2, ZLAY_MAJOR_K, "(128,128):(128,1)", "kind::f8f6f4 ", 4},
        {by_tmem, "sm_100a", ZLAY_TYPE_S8, ZLAY_MAJOR_K, "(128,128):(128,1)", "kind::i8 ", 4},
    };
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
        zlay_layout *layout = NULL;
        zlay_pipe *pipe = parsed(*state, typed[i].text);
        assert_int_equal(zlay_layout_parse(*state, &layout, typed[i].layout, strlen(typed[i].layout)), ZLAY_OK);
        const zlay_pipe_operand both[] = {{"A", typed[i].type, typed[i].major, ZLAY_SWIZZLE_128B, 0, layout},
                                          {"B", typed[i].type, typed[i].major, ZLAY_SWIZZLE_128B, 0, layout}};
        zlay_pipe_emit ask = asked(pipe, typed[i].target, ZLAY_TEXT_PTX);
        ask.operands = both;
        ask.operands_count = 2;
        kernel k = printed(*state, &ask);
        if (k.status) fail_msg("row %zu: %s", i, zlay_ctx_message(*state));
        uint32_t count = 0;
        for (const char *at = k.text; (at = strstr(at, typed[i].says)); at++) count++;
        assert_int_equal(count, typed[i].count);
        if (!system(ASSEMBLER_PATH "command -v ptxas >/dev/null")) assert_true(assembles(typed[i].target, k.text));
        ask.operands_count = 1;
        assert_int_equal(status_of(*state, &ask), ZLAY_ENOTSUP);
        free(k.text);
        zlay_layout_free(layout);
        zlay_pipe_free(pipe);
    }
}

/* A bound move is of tensor copies: one in bulk has its own argument. */
static void bulk_beside_move(void **state)
{
    static const char text[] = "pipe one\nmove tA 16384\nsmem A[2] tA\nbar f[2] count 1\nrole r warps 0..0 elect\n"
                               "copy bulk tA -> A[0] signal f[0]\ncopy tensor tA -> A[1] signal f[1]\nend\n";
    zlay_layout *source = NULL, *smem = NULL;
    zlay_move *move = NULL;
    assert_int_equal(zlay_layout_parse(*state, &source, "(256,64):(64,1)", 15), ZLAY_OK);
    assert_int_equal(zlay_layout_parse(*state, &smem, "Sw<3,3,3> o 0 o (128,64):(64,1)", 31), ZLAY_OK);
    zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .source = source, .smem = smem, .shape = {128, 64}, .axes = 2};
    if (zlay_tensormap_synth(*state, &move, target_of("sm_90a"), &r)) fail_msg("%s", zlay_ctx_message(*state));
    const zlay_pipe_move bound = {.name = "tA", .move = move, .axis = {"block"}};
    zlay_pipe *pipe = parsed(*state, text);
    zlay_pipe_emit ask = asked(pipe, "sm_90a", ZLAY_TEXT_PTX);
    ask.moves = &bound;
    ask.moves_count = 1;
    kernel k = printed(*state, &ask);
    if (k.status) fail_msg("%s", zlay_ctx_message(*state));
    assert_non_null(strstr(k.text, ".param .u64 in_A"));
    assert_non_null(strstr(k.text, "map_tA_0[128]"));
    if (!system(ASSEMBLER_PATH "command -v ptxas >/dev/null")) assert_true(assembles("sm_90a", k.text));
    free(k.text);
    zlay_pipe_free(pipe);
    zlay_move_free(move);
    zlay_layout_free(source);
    zlay_layout_free(smem);
}

/* ---- refusals --------------------------------------------------------------------------- */

static void refused(void **state)
{
    static const struct { const char *text, *target; zlay_status status; const char *says; } rows[] = {
        {"pipe a\nsmem A[1] 67108864\nrole r warps 0..3\nend\n", "sm_90a", ZLAY_ENOTSUP, "smem:"},
        {"pipe a\nsmem A[2] 200000\nbar f[1] count 1\ninit f\nrole r warps 0..0\nend\n", "sm_90a", ZLAY_ENOTSUP, "smem:"},
        {"pipe a\ncluster 2\nsmem A[1] 16\nbar f[1] count 1\nrole r warps 0..0 elect\ncopy bulk 16 -> A[0] signal f[0] cta 0\nend\n",
         "sm_100a", ZLAY_ENOTSUP, "line 6: a bulk copy signals the block where it lands"},
        {"pipe a\nsmem A[1] 24\nbar f[1] count 1\nrole r warps 0..0 elect\ncopy bulk 24 -> A[0] signal f[0]\nend\n",
         "sm_90a", ZLAY_ENOTSUP, "BULK_SIZE_16"},
        {"pipe a\nsmem A[1] 18\nrole r warps 0..0\nread A[0]\nend\n", "sm_90a", ZLAY_ENOTSUP, "line 4: 18 bytes"},
        {"pipe a\nsmem A[1] 16384\nsmem B[1] 12800\nrole r warps 0..3\nmma A[0], B[0] -> C fresh\nend\n", "sm_90a",
         ZLAY_ENOTSUP, "WGMMA_N_8"},
        {"pipe a\nsmem A[1] 16384\nsmem B[1] 16384\ntmem C[2] 64\nrole r warps 0..0 elect\nmma A[0], B[0] -> C[0] fresh\nend\n",
         "sm_100a", ZLAY_ENOTSUP, "line 6: 128 columns, a stage of tmem C has 64"},
        {"pipe a\nsmem B[1] 16384\ntmem C[1] 128\ntmem P[1] 16\nrole r warps 0..0 elect\nmma P[0], B[0] -> C[0] fresh\nend\n",
         "sm_100a", ZLAY_ENOTSUP, "line 6: 32 columns, a stage of tmem P has 16"},
        {"pipe a\nrole r warps 0..3\nsetmaxnreg dec 40\nend\n", "sm_90", ZLAY_ENOTSUP, "setmaxnreg.dec on sm_90: rule INSTR_TARGET"},
        {"pipe a\nrole r warps 0..3\nsetmaxnreg dec 44\nend\n", "sm_90a", ZLAY_ENOTSUP, "INSTR_REGISTERS_8"},
        {"pipe a\nsmem D[1] 4096\nrole r warps 0..3\nuse C\nwrite D[0] from C\nend\n", "sm_90a", ZLAY_ENOTSUP, "C has 0 registers"},
        {"pipe a\nrole r warps 0..3\nend\n", "gfx942", ZLAY_ENOTSUP, "gfx942 has no PTX"},
        {"pipe a\ncluster 2\nrole r warps 0..3\nend\n", "sm_80", ZLAY_ENOTSUP, "cluster: 2 blocks, and sm_80 has at most 0"},
        {"pipe a\nsmem A[1] 4096\nrole r warps 0..3\nfetch A[0] -> F\nwaitcount shared 0\nuse F\nend\n", "sm_80", ZLAY_ENOTSUP,
         "line 4: F is no factor of a product of two factors in registers"},
        {"pipe a\nsmem A[1] 4096\nrole r warps 0..3\nfetch A[0] -> F\nfetch A[0] -> G\nwaitcount shared 0\nmma F, G -> C fresh\nend\n", "sm_80",
         ZLAY_ENOTSUP, "line 7: no fetch of one operand with a layout makes F"},
        {"pipe a\nrole r warps 0..3\nload 64 -> F\nwaitcount memory 0\nuse F\nend\n", "sm_80", ZLAY_ENOTSUP, "line 3: load works on a queue"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kernel k = printed_text(*state, rows[i].text, rows[i].target, ZLAY_TEXT_PTX);
        if (k.status != rows[i].status || !strstr(zlay_ctx_message(*state), rows[i].says))
            fail_msg("row %zu: %d, %s", i, (int)k.status, zlay_ctx_message(*state));
        assert_int_equal(k.launch.threads, 0);
        free(k.text);
    }
}

/* A ring whose consumers never free a stage is printed only when asked for. */
static void unproved(void **state)
{
    char text[sizeof ring];
    strcpy(text, ring);
    memcpy(strstr(text, "arrive empty[i % 2] threads"), "# rrive", 7);
    zlay_pipe *pipe = parsed(*state, text);
    zlay_pipe_emit ask = asked(pipe, "sm_90a", ZLAY_TEXT_PTX);
    ask.unchecked = 0;
    kernel k = printed(*state, &ask);
    assert_int_equal(k.status, ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(*state), "breaks rule"));
    assert_int_equal(k.text[0], 0);
    ask.unchecked = 1;
    kernel asked_for = printed(*state, &ask);
    assert_int_equal(asked_for.status, ZLAY_OK);
    free(k.text);
    free(asked_for.text);
    zlay_pipe_free(pipe);
}

/* The last block first: its number from the end of the grid; a cluster's ranks would turn with it. */
static void descending(void **state)
{
    static const char cluster[] = "pipe pair\ncluster 2\nparam N 0..\nrole r warps 0..0\n  sync cluster\nend\n";
    zlay_pipe *pipe = parsed(*state, ring), *pair = parsed(*state, cluster);
    zlay_pipe_emit ask = asked(pipe, "sm_90a", ZLAY_TEXT_PTX);
    ask.descending = 1;
    kernel k = printed(*state, &ask);
    assert_int_equal(k.status, ZLAY_OK);
    assert_non_null(strstr(k.text, "mov.u32 w0, %nctaid.x;\n    sub.u32 ctaid, w0, ctaid;\n    sub.u32 ctaid, ctaid, 1;\n"));
    free(k.text);
    ask.pipe = pair;
    assert_int_equal(status_of(*state, &ask), ZLAY_ENOTSUP);
    assert_non_null(strstr(zlay_ctx_message(*state), "descending: not in clusters"));
    zlay_pipe_free(pipe);
    zlay_pipe_free(pair);
}

/* Trip counts from lengths in memory: what is printed, and what no count or no lengths can be. */
static void lengths(void **state)
{
    static const zlay_pipe_lengths good = {.name = "rows", .axis = "block.z", .tiles = "block", .height = 64, .starts = 1, .most = 500};
    static const struct { zlay_pipe_lengths lengths; zlay_pipe_count count; zlay_status status; const char *says; } rows[] = {
        {{"rows", "block.z", "block", 64, 1, 500, 0}, {"N", "block", 0, 63, 64, 0, "rows", NULL, NULL, 0, 0}, ZLAY_OK, ""},
        {{"rows", "block.z", NULL, 0, 0, INT32_MAX, 0}, {"N", "block", 64, 63, 64, 0, NULL, "rows", NULL, 0, 0}, ZLAY_OK, ""},
        {{NULL, "block.z", NULL, 0, 0, 5, 0}, {"N", "block", 0, 1, 1, 0, NULL, NULL, NULL, 0, 0}, ZLAY_EINVAL, "lengths 0: no name, axis or height"},
        {{"rows", NULL, NULL, 0, 0, 5, 0}, {"N", "block", 0, 1, 1, 0, NULL, NULL, NULL, 0, 0}, ZLAY_EINVAL, "lengths 0: no name, axis or height"},
        {{"rows", "block.z", "block", 0, 0, 5, 0}, {"N", "block", 0, 1, 1, 0, NULL, NULL, NULL, 0, 0}, ZLAY_EINVAL, "lengths 0: no name, axis or height"},
        {{"rows", "block.z", NULL, 0, 2, 5, 0}, {"N", "block", 0, 1, 1, 0, NULL, NULL, NULL, 0, 0}, ZLAY_EINVAL, "lengths 0: no name, axis or height"},
        {{"rows", "block.z", NULL, 0, 0, 0, 0}, {"N", "block", 0, 1, 1, 0, NULL, NULL, NULL, 0, 0}, ZLAY_EINVAL, "lengths 0: 0 rows"},
        {{"rows", "block.z", NULL, 0, 0, 1u << 31, 0}, {"N", "block", 0, 1, 1, 0, NULL, NULL, NULL, 0, 0}, ZLAY_EINVAL, "lengths 0: 2147483648 rows"},
        {{"r s", "block.z", NULL, 0, 0, 5, 0}, {"N", "block", 0, 1, 1, 0, NULL, NULL, NULL, 0, 0}, ZLAY_EINVAL, "r s"},
        {{"rows", "z", NULL, 0, 0, 5, 0}, {"N", "block", 0, 1, 1, 0, NULL, NULL, NULL, 0, 0}, ZLAY_ENOTSUP, "lengths rows: there is no axis z"},
        {{"rows", "block.z", "i", 64, 0, 5, 0}, {"N", "block", 0, 1, 1, 0, NULL, NULL, NULL, 0, 0}, ZLAY_ENOTSUP, "lengths rows: there is no axis i"},
        {{"rows", "block.z", NULL, 0, 0, 5, 0}, {"N", "block", 0, 1, 1, 0, "row", NULL, NULL, 0, 0}, ZLAY_EINVAL, "count 0: no lengths of that name"},
        {{"rows", "block.z", NULL, 0, 0, 5, 0}, {"N", NULL, 0, 1, 1, 0, "rows", NULL, NULL, 0, 0}, ZLAY_EINVAL, "count 0: a divisor of 0, or"},
        {{"rows", "block.z", NULL, 0, 0, 5, 0}, {"N", "block", 0, 1, 0, 0, NULL, NULL, NULL, 0, 0}, ZLAY_EINVAL, "count 0: a divisor of 0, or"},
        {{"rows", "block.z", NULL, 0, 0, 5, 0}, {"N", "block", 0, 1, 1, 0, "rows", NULL, "block.y % 3", 3, 0}, ZLAY_OK, ""},
        {{"rows", "block.z", NULL, 0, 0, 5, 0}, {"N", "block", 0, 1, 1, 0, NULL, NULL, "block.y % 0", 3, 0}, ZLAY_ENOTSUP, "count of N: there is no axis block.y % 0"},
        {{"rows", "block.z", NULL, 0, 0, 5, 0}, {"N", "block", 0, 1, 1, 0, NULL, NULL, "block.y", 0, 0}, ZLAY_EINVAL, "count 0: 0 parts"},
        {{"rows", "block.z", NULL, 0, 0, 5, 0}, {"N", "block", 0, 1, 1, 0, NULL, NULL, NULL, 2, 0}, ZLAY_EINVAL, "count 0: 2 parts"},
        {{"rows", "block.z", NULL, 0, 0, 5, 0}, {"N", "block", 0, 1, 1, 0, NULL, NULL, "block.y", 2, 1}, ZLAY_EINVAL, "count 0: 2 parts, or a reserved word"},
        {{"rows", "block.z", NULL, 0, 0, 5, 0}, {"M", "block", 0, 1, 1, 0, NULL, NULL, NULL, 0, 0}, ZLAY_EINVAL, "count 0: the pipe has no such param"},
    };
    zlay_pipe *pipe = parsed(*state, ring);
    for (int32_t language = ZLAY_TEXT_PTX; language <= ZLAY_TEXT_CUDA; language++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            zlay_pipe_emit ask = asked(pipe, "sm_90a", language);
            ask.lengths = &rows[i].lengths, ask.lengths_count = 1;
            ask.counts = &rows[i].count, ask.counts_count = 1;
            kernel k = printed(*state, &ask);
            if (k.status != rows[i].status || !strstr(zlay_ctx_message(*state), rows[i].says))
                fail_msg("row %zu: %d, %s", i, (int)k.status, zlay_ctx_message(*state));
            if (!k.status) assert_non_null(strstr(k.text, "read_rows"));
            free(k.text);
        }
    zlay_pipe_emit ask = asked(pipe, "sm_90a", ZLAY_TEXT_PTX);
    ask.lengths = &good, ask.lengths_count = 1, ask.counts = &rows[0].count, ask.counts_count = 1;
    kernel k = printed(*state, &ask);
    assert_non_null(strstr(k.text, "sub.u32 left_rows, 500, end_rows;\n    add.u32 left_rows, left_rows, w0;\n"));
    assert_non_null(strstr(k.text, "setp.ge.u32 more, w0, w1;\n    selp.b32 trips_N, 0, trips_N, more;\n"));
    if (!system(ASSEMBLER_PATH "command -v ptxas >/dev/null")) assert_true(assembles("sm_90a", k.text));
    free(k.text);
    zlay_pipe_free(pipe);
}

/* Registers that lie as sums because the request says so, and what it cannot say. */
static void stated_matrices(void **state)
{
    static const char text[] = "pipe fill\nbody load\n  matrix X f32\n  global src f32\n  X = load(src, row * 64 + col)\nend\n"
                               "body half\n  matrix X f32\n  matrix Y bf16\n  Y = bf16(X * 0.5)\nend\nsmem D[1] 8192\n"
                               "role r warps 0..3\n  use X body load\n  use X, Y body half\n  write D[0] from Y\n  sync role\n  read D[0]\nend\n";
    static const struct { zlay_pipe_matrix matrix; zlay_status status; const char *says; } rows[] = {
        {{"X", 64, 0}, ZLAY_OK, ""},
        {{"Z", 64, 0}, ZLAY_EINVAL, "matrix 0: no registers of that name"},
        {{NULL, 64, 0}, ZLAY_EINVAL, "matrix 0: no registers of that name"},
        {{"X", 64, 1}, ZLAY_EINVAL, "matrix 0: no registers of that name, or a reserved word"},
        {{"X", 0, 0}, ZLAY_ENOTSUP, "matrix 0: 0 columns"},
        {{"X", 60, 0}, ZLAY_ENOTSUP, "matrix 0: 60 columns"},
        {{"X", 264, 0}, ZLAY_ENOTSUP, "matrix 0: 264 columns"},
    };
    zlay_pipe *pipe = parsed(*state, text);
    zlay_pipe_emit ask = asked(pipe, "sm_90a", ZLAY_TEXT_PTX);
    assert_int_equal(status_of(*state, &ask), ZLAY_ENOTSUP);
    assert_non_null(strstr(zlay_ctx_message(*state), "nothing says which elements"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ask.matrices = &rows[i].matrix, ask.matrices_count = 1;
        kernel k = printed(*state, &ask);
        if (k.status != rows[i].status || !strstr(zlay_ctx_message(*state), rows[i].says))
            fail_msg("row %zu: %d, %s", i, (int)k.status, zlay_ctx_message(*state));
        if (!k.status) assert_non_null(strstr(k.text, "acc_X_<32>"));
        free(k.text);
    }
    ask.matrices = NULL;
    assert_int_equal(status_of(*state, &ask), ZLAY_EINVAL);
    zlay_pipe_free(pipe);
}

/* Bytes that a body makes of sums are a factor whose elements lie in places of their own: what takes them to lie as sums is
 * refused, and so is another number of columns than the product has of K. */
static void factors_of_bytes(void **state)
{
    static const char text[] = "pipe factors\nparam N 0..\nsmem V[1] 8192\nsmem D[1] 8192\nbody make\n  matrix S f32\n  S = 1\nend\n"
                               "body narrow\n  matrix S f32\n  matrix P e4m3\n  P = e4m3(S)\nend\n"
                               "body back\n  matrix S f32\n  matrix P e4m3\n  S = f32(P)\nend\n"
                               "body both\n  matrix S f32\n  matrix P e4m3\n  p = e4m3(S)\n  P = p\n  S = f32(p)\nend\n"
                               "role r warps 0..3\n  use S body make\n  use S, P body narrow\n%s  fence wgmma\n  mma P, V[0] -> O fresh\n"
                               "  commit wgmma\n  waitgroup wgmma 0\n  use O\nend\n";
    static const struct { const char *more; uint16_t columns; zlay_status status; } rows[] = {
        {"", 128, ZLAY_OK}, {"  use S, P body narrow\n", 128, ZLAY_OK}, {"", 64, ZLAY_ENOTSUP}, {"  use S, P body back\n", 128, ZLAY_ENOTSUP},
        {"  use S, P body both\n", 128, ZLAY_ENOTSUP}, {"  write D[0] from P\n", 128, ZLAY_ENOTSUP}, {"  use S, P by mine\n", 128, ZLAY_ENOTSUP},
    };
    zlay_layout *layout;
    assert_int_equal(zlay_layout_parse(*state, &layout, "(64,128):(128,1)", 16), ZLAY_OK);
    const zlay_pipe_operand operands[] = {
        {.smem = "V", .type = ZLAY_TYPE_E4M3, .major = ZLAY_MAJOR_K, .swizzle = ZLAY_SWIZZLE_128B, .layout = layout},
        {.smem = "D", .type = ZLAY_TYPE_E4M3, .major = ZLAY_MAJOR_K, .swizzle = ZLAY_SWIZZLE_128B, .layout = layout}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char whole[sizeof text + 64];
        const zlay_pipe_matrix sums = {.name = "S", .columns = rows[i].columns};
        snprintf(whole, sizeof whole, text, rows[i].more);
        zlay_pipe *pipe = parsed(*state, whole);
        zlay_pipe_emit ask = asked(pipe, "sm_90a", ZLAY_TEXT_PTX);
        ask.operands = operands, ask.operands_count = 2, ask.matrices = &sums, ask.matrices_count = 1, ask.unchecked = 1;
        kernel k = printed(*state, &ask);
        if (k.status != rows[i].status || (k.status && !strstr(zlay_ctx_message(*state), "would have to change lanes")))
            fail_msg("row %zu: %d, %s", i, (int)k.status, zlay_ctx_message(*state));
        free(k.text);
        zlay_pipe_free(pipe);
    }
    zlay_layout_free(layout);
}

/* A matrix of 64 rows has one tile of 64: two instances would store over each other. */
static void one_tile_for_two(void **state)
{
    static const char text[] = "pipe stores\nparam N 0..\nmove tD 8192\nsmem D[1] tD each\nrole w warps 0..7 each 4\n"
                               "  write D[0]\n  fence proxy.async\n  sync role\n  store D[0] tD\n  commit bulk\n"
                               "  waitgroup bulk 0\nend\n";
    for (int rows = 64; rows <= 128; rows += 64) {
        char layout[32];
        zlay_layout *source, *smem;
        zlay_move *move;
        zlay_pipe *pipe = parsed(*state, text);
        zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .axes = 2, .direction = ZLAY_DIRECTION_STORE, .shape = {64, 64}};
        snprintf(layout, sizeof layout, "(%d,64):(64,1)", rows);
        assert_int_equal(zlay_layout_parse(*state, &source, layout, strlen(layout)), ZLAY_OK);
        assert_int_equal(zlay_layout_parse(*state, &smem, "Sw<3,3,3> o 0 o (64,64):(64,1)", 30), ZLAY_OK);
        r.source = source, r.smem = smem;
        assert_int_equal(zlay_tensormap_synth(*state, &move, target_of("sm_90a"), &r), ZLAY_OK);
        zlay_pipe_move bound = {.name = "tD", .move = move, .axis = {"block instance"}};
        zlay_pipe_emit ask = asked(pipe, "sm_90a", ZLAY_TEXT_PTX);
        ask.moves = &bound, ask.moves_count = 1;
        assert_int_equal(status_of(*state, &ask), rows == 64 ? ZLAY_ENOTSUP : ZLAY_OK);
        if (rows == 64) assert_non_null(strstr(zlay_ctx_message(*state), "move tD: one tile along axis 0, and 2 instances"));
        zlay_move_free(move);
        zlay_layout_free(source);
        zlay_layout_free(smem);
        zlay_pipe_free(pipe);
    }
}

/* Release and acquire have the scope of the cluster where threads access another block's memory, and there alone. */
static void scopes(void **state)
{
    static const char text[] = "pipe scopes\ncluster 2\nparam N 0..\nsmem A[1] 128\nbar full[1] count 32\nbar empty[1] count 32\n"
                               "init full\ninit empty\nfence mbarrier_init\nsync cluster\n"
                               "role w warps 0..0 cta 0\n  for i in 0..N\n    wait empty[i % 1] parity (i / 1 + 1) % 2\n"
                               "    write A[i % 1]%s\n    arrive full[i % 1] threads%s\n  end\n  sync cluster\nend\n"
                               "role r warps 1..1 cta %s\n  for i in 0..N\n    wait full[i % 1] parity i / 1 % 2\n"
                               "    read A[i % 1]\n    arrive empty[i % 1] threads%s\n  end\n  sync cluster\nend\n";
    for (int afar = 0; afar < 2; afar++) {
        char whole[sizeof text + 64];
        const char *parts[] = {afar ? " cta 1" : "", afar ? " cta 1" : "", afar ? "1" : "0", afar ? " cta 0" : ""};
        char *to = whole;
        for (const char *from = text, **part = parts; *from;) {
            if (from[0] == '%' && from[1] == 's') to += sprintf(to, "%s", *part++), from += 2;
            else *to++ = *from++;
        }
        *to = 0;
        kernel k = printed_text(*state, whole, "sm_90a", ZLAY_TEXT_PTX);
        if (k.status) fail_msg("%s", zlay_ctx_message(*state));
        assert_int_equal(strstr(k.text, "mbarrier.try_wait.parity.acquire.cluster") != NULL, afar);
        assert_int_equal(strstr(k.text, ".release.cluster.shared::cluster") != NULL, afar);
        free(k.text);
    }
}

static void misused(void **state)
{
    zlay_pipe *pipe = parsed(*state, ring);
    zlay_pipe_emit good = asked(pipe, "sm_90a", ZLAY_TEXT_PTX), bad = good;
    const zlay_pipe_fragment none = {.line = 5, .text = ""}, loop = {.line = 11, .text = ""};
    const zlay_pipe_move move = {.name = "tA"};
    bad.name = "while";
    assert_int_equal(status_of(*state, &bad), ZLAY_EINVAL);
    bad = good;
    bad.reserved[0] = 1;
    assert_int_equal(status_of(*state, &bad), ZLAY_EINVAL);
    bad = good;
    bad.language = 2;
    assert_int_equal(status_of(*state, &bad), ZLAY_EINVAL);
    bad = good;
    bad.fragments_count = 1;
    bad.fragments = &none;
    assert_int_equal(status_of(*state, &bad), ZLAY_EINVAL);
    bad.fragments = &loop;
    assert_int_equal(status_of(*state, &bad), ZLAY_EINVAL);
    bad = good;
    bad.moves_count = 1;
    bad.moves = &move;
    assert_int_equal(status_of(*state, &bad), ZLAY_EINVAL);
    bad = good;
    bad.size = 0;
    assert_int_equal(status_of(*state, &bad), ZLAY_EINVAL);
    bad.size = sizeof bad + 8; /* a later version's, whose further members this one cannot serve */
    assert_int_equal(status_of(*state, &bad), ZLAY_EINVAL);
    char byte = 1;
    zlay_buf small = {&byte, 1, 0};
    zlay_pipe_launch launch = {.threads = 7};
    assert_int_equal(zlay_emit_pipe(*state, &small, &launch, NULL, 0, &good), ZLAY_EROOM);
    assert_true(small.need > 1000 && byte == 1 && launch.threads == 7);
    zlay_pipe_free(pipe);
}

static void fragments(void **state)
{
    static const char mine[] = "    st.shared.b32 [at], pos;";
    zlay_pipe *pipe = parsed(*state, ring);
    zlay_pipe_emit ask = asked(pipe, "sm_90a", ZLAY_TEXT_PTX);
    const zlay_pipe_fragment read = {.line = 21, .text = mine};
    ask.fragments = &read;
    ask.fragments_count = 1;
    kernel k = printed(*state, &ask);
    assert_int_equal(k.status, ZLAY_OK);
    assert_non_null(strstr(k.text, mine));
    assert_int_equal(k.launch.arguments, 3);
    if (!system(ASSEMBLER_PATH "command -v ptxas >/dev/null")) assert_true(assembles("sm_90a", k.text));
    free(k.text);
    zlay_pipe_free(pipe);
}

static zlay_status printed_once(zlay_ctx *ctx, void *ask)
{
    kernel one = printed(ctx, ask);
    free(one.text);
    return one.status;
}

static void no_memory(void **state)
{
    (void)state;
    static char text[NAMED_TEXT];
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    named_read(text, "cooperative", STAGES);
    zlay_pipe *pipe = parsed(ctx, text);
    zlay_pipe_emit ask = asked(pipe, "sm_90a", ZLAY_TEXT_PTX);
    assert_int_equal(heap_fails_each(&h, ctx, printed_once, &ask), ZLAY_OK);
    zlay_pipe_free(pipe);
    heap_close(&h, ctx);
}

static void rewrite(void **state) { for_each(*state, golden_write); }

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example),   cmocka_unit_test(golden),    cmocka_unit_test(assembled),
        cmocka_unit_test(compiled),  cmocka_unit_test(events),    cmocka_unit_test(refused),
        cmocka_unit_test(unproved),  cmocka_unit_test(descending), cmocka_unit_test(one_tile_for_two), cmocka_unit_test(scopes), cmocka_unit_test(misused),   cmocka_unit_test(fragments),
        cmocka_unit_test(no_memory), cmocka_unit_test(bulk_beside_move), cmocka_unit_test(operands), cmocka_unit_test(lengths), cmocka_unit_test(stated_matrices), cmocka_unit_test(factors_of_bytes),
    };
    const struct CMUnitTest writing[] = {cmocka_unit_test(rewrite)};
    if (count > 1 && !strcmp(words[1], "golden")) return cmocka_run_group_tests(writing, begin, end);
    return cmocka_run_group_tests(tests, begin, end);
}
