/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes as kernels: the header's example, the named set's golden texts, both languages put to their
 * compilers. What is refused: emit/pipe/refused. `emit/pipe/pipe golden` writes the golden texts anew. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */
#include "assembler.h"
#include "golden.h"
#include "heap.h"
#include "pipes/named.h"
#include "pipes/printed.h"

enum { STAGES = 4 };

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
        cmocka_unit_test(example),    cmocka_unit_test(golden), cmocka_unit_test(assembled), cmocka_unit_test(compiled),
        cmocka_unit_test(events),     cmocka_unit_test(operands), cmocka_unit_test(bulk_beside_move),
        cmocka_unit_test(descending), cmocka_unit_test(scopes), cmocka_unit_test(fragments), cmocka_unit_test(no_memory),
    };
    const struct CMUnitTest writing[] = {cmocka_unit_test(rewrite)};
    if (count > 1 && !strcmp(words[1], "golden")) return cmocka_run_group_tests(writing, begin, end);
    return cmocka_run_group_tests(tests, begin, end);
}
