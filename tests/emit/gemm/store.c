/* SPDX-License-Identifier: Apache-2.0 */
/* Epilogues that store values of rows: executed as PTX with an array of its exact size, so that a store past its end ends the run,
 * and compared with the same in double; refused where nothing stores. */
#define _POSIX_C_SOURCE 200809L
#include "ptx/gemm.h"

#include "assembler.h"

#include <string.h>
#include <zlay/emit_pipe.h>

enum { M = 200, N = 140, EDGE = 64, TILES = (N + EDGE - 1) / EDGE, ARGUMENTS = 6, ROOM = 1 << 20 };

static char kernel[ROOM];

/* examples/tops.body: the greatest magnitude of each row in a tile of 64 columns of 200 rows. */
static zlay_gemm asked(void)
{
    static char text[1024];
    FILE *file = fopen("examples/tops.body", "r");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    return (zlay_gemm){.size = sizeof(zlay_gemm), .m = M, .n = N, .k = 72, .tile_m = 128, .tile_n = EDGE, .epilogue = text, .epilogue_length = length};
}

static void bind(px_machine *m, const px_gemm *g, float *top)
{
    zlay_pipe_argument argument;
    uint64_t address = (uint64_t)1 << 32;
    assert_int_equal(zlay_plan_argument_nth(&argument, g->plan, ARGUMENTS), ZLAY_OK);
    assert_string_equal(argument.name, "write_top");
    assert_int_equal(argument.kind, ZLAY_ARGUMENT_POINTER);
    m->memory[m->memories++] = (px_memory){address, M * TILES * 4, (void *)top};
    memcpy(m->param[ARGUMENTS], &address, sizeof address);
}

/* Of the first columns of a tile. */
static double greatest(const px_gemm *g, uint64_t row, uint64_t tile, uint64_t columns)
{
    double most = 0;
    for (uint64_t j = tile * EDGE; j < g->d.columns && j < tile * EDGE + columns; j++) {
        double sum = 0;
        for (uint64_t k = 0; k < g->a.columns; k++)
            sum += (double)px_number(px_element(&g->a, row, k), g->a.type) * (double)px_number(px_element(&g->b, k, j), g->b.type);
        most = fmax(most, fabs(sum));
    }
    return most;
}

static void compare(const zlay_gemm *q, uint64_t columns, uint64_t *random)
{
    static float top[M * TILES];
    px_gemm g;
    px_gemm_make(&g, q, 2, random);
    px_gemm_bind(&machine, &g);
    bind(&machine, &g, top);
    for (int i = 0; i < M * TILES; i++) top[i] = -1;
    px_run(&machine, g.text, (int)g.info.threads, g.blocks, 1);
    if (*machine.fault) fail_msg("%s", machine.fault);
    for (uint64_t t = 0; t < TILES; t++)
        for (uint64_t i = 0; i < M; i++) {
            double got = (double)top[t * M + i], wanted = greatest(&g, i, t, columns);
            if (got != wanted) fail_msg("%d columns, (%d, %d): %g, not %g", (int)columns, (int)i, (int)t, got, wanted);
        }
    px_gemm_free(&g);
}

static void values(void **state)
{
    uint64_t random = test_seed("stores");
    zlay_gemm q = asked();
    (void)state;
    compare(&q, EDGE, &random);
}

/* The first columns of a tile: of some all threads know the answer while the kernel is printed, of columns 0 and 1, or 2 and 3, they differ. */
static void first_columns(void **state)
{
    static const uint32_t columns[] = {1, 3, 8, 32, 63, 70};
    uint64_t random = test_seed("first columns");
    char text[512];
    (void)state;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        zlay_gemm q = asked();
        snprintf(text, sizeof text, "body tops\nmatrix S f32\nmatrix R bf16\noutput top f32\nindex i\nindex j\n"
                 "store(top, shr(j, 6) * 200 + i + row, shr(j, 6) * 200 + 200, rowmax(select(col < %u, abs(S), 0)))\nR = bf16(S)\nend\n", columns[i]);
        q.epilogue = text, q.epilogue_length = strlen(text);
        compare(&q, columns[i] < EDGE ? columns[i] : EDGE, &random);
    }
}

/* A thread stores where its two lowest bits are 0: the four lanes of a row hold the same value. */
static void one_lane_stores(void **state)
{
    uint64_t random = 1;
    zlay_gemm q = asked();
    px_gemm g;
    int stores = 0;
    (void)state;
    px_gemm_make(&g, &q, 1, &random);
    for (const char *at = g.text; (at = strstr(at, "@more st.global.b32")) != NULL; at++) stores++;
    assert_int_equal(stores, 2); /* rows of a thread */
    assert_non_null(strstr(g.text, "and.b32 w0, rtid, 3;\n"));
    px_gemm_free(&g);
}

static const char pipe_text[] = "pipe p\nsmem A[1] 16384\nsmem B[1] 8192\nbody tops\n  matrix C f32\n  output top f32\n  output who s32\n  index t\n"
                                "  store(top, t * 128 + row, 16384, rowmax(C) / 448)\n  store(who, t * 128 + row, 0, row)\n  store(top, row, 0, 1)\nend\n"
                                "role r warps 0..7 each 4\n  write A[0]\n  write B[0]\n  fence proxy.async\n  sync cta\n  fence wgmma\n"
                                "  mma A[0], B[0] -> C fresh\n  commit wgmma\n  waitgroup wgmma 0\n  use C body tops at block\nend\n";

static void print_pipe(int32_t language)
{
    zlay_pipe *pipe;
    const zlay_target *target;
    zlay_buf out = {kernel, sizeof kernel, 0};
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    if (zlay_pipe_parse(ctx, &pipe, pipe_text, sizeof pipe_text - 1)) fail_msg("%s", zlay_ctx_message(ctx));
    zlay_pipe_emit ask = {.size = sizeof ask, .language = language, .target = target, .pipe = pipe, .name = "kernel", .name_length = 6, .unchecked = 1};
    if (zlay_emit_pipe(ctx, &out, NULL, NULL, 0, &ask)) fail_msg("%s", zlay_ctx_message(ctx));
    zlay_pipe_free(pipe);
}

static void assembles_and_compiles(void **state)
{
    uint64_t random = 1;
    zlay_gemm q = asked();
    px_gemm g;
    (void)state;
    need_assembler();
    px_gemm_make(&g, &q, 1, &random);
    assert_true(assembles_fast("sm_90a", g.text));
    px_gemm_free(&g);
    print_pipe(ZLAY_TEXT_PTX);
    assert_true(assembles("sm_90a", kernel));
    print_pipe(ZLAY_TEXT_CUDA);
    if (has_compiler()) assert_true(compiles("sm_90a", kernel));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(first_columns),
        cmocka_unit_test(one_lane_stores),
        cmocka_unit_test(assembles_and_compiles),
    };
    return cmocka_run_group_tests_name("emit/gemm/store", tests, open_ctx, close_ctx);
}
