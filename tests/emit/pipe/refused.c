/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes that are no kernels, requests that ask for none, and what the same requests give when they are right: trip counts from
 * lengths in memory, registers whose matrix the request states, factors of bytes. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */
#include "assembler.h"
#include "pipes/printed.h"

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

/* Places of a tile are those that a plan binds: a pipe alone has none, though it is read, and printed as it was. */
static void tiles_unbound(void **state)
{
    static const char *const words[] = {"tile.row", "tile.column", "tile.group"};
    static const char text[] = "pipe fill\nbody load\n  matrix X f32\n  index i\n  global src f32\n  X = load(src, i + col)\nend\nsmem D[1] 8192\n"
                               "role r warps 0..3\n  use X body load at %s\nend\n";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char whole[sizeof text + 64], back[sizeof text + 256];
        const zlay_pipe_matrix matrix = {.name = "X", .columns = 64};
        zlay_buf out = {back, sizeof back, 0};
        snprintf(whole, sizeof whole, text, words[i]);
        zlay_pipe *pipe = parsed(*state, whole);
        zlay_pipe_emit ask = asked(pipe, "sm_90a", ZLAY_TEXT_PTX);
        ask.matrices = &matrix, ask.matrices_count = 1;
        assert_int_equal(zlay_pipe_print(&out, pipe), ZLAY_OK);
        assert_non_null(strstr(back, words[i]));
        assert_int_equal(status_of(*state, &ask), ZLAY_ENOTSUP);
        assert_non_null(strstr(zlay_ctx_message(*state), "no tiles are bound"));
        zlay_pipe_free(pipe);
    }
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

/* What `position % N` counts: positions that are 0 to N-1 for each N that the pipe is proved for; NULL: it is refused. */
static const struct {
    const char *param, *loop, *at, *axis, *text;
} positions[] = {
    {"1..", "0..N", "i", "position % N", "mad.lo.u32 x1, count0, 64, x1;"},
    {"1..", "1..N", "(i-1)", "position % N", "sub.u32 w0, count0, 1;"},
    {"1..", "1..N", "(i-1)", "position % N down", "sub.u32 w0, count0, 1;\n    sub.u32 w0, trips_N, w0;\n    sub.u32 w0, w0, 1;"},
    {"1..", "0..N-1", "(i+1)", "position % N", "add.u32 w0, count0, 1;"},
    {"1..", NULL, "0", "position % N down", "sub.u32 w0, trips_N, 0;"},
    {"3..", NULL, "2", "position % N", "mad.lo.u32 x1, 2, 64, x1;"},
    {"1..", NULL, "(N-1)", "position % N", "sub.u32 w0, trips_N, 1;"},
    {"2..", NULL, "(N-2)", "position % N", "sub.u32 w0, trips_N, 2;"},
    {"1..", "0..N", "(i+1)", "position % N", NULL},
    {"1..", "0..N+1", "i", "position % N", NULL},
    {"1..", "2..N", "(i+1)", "position % N down", NULL},
    {"0..", NULL, "0", "position % N", NULL},
    {"2..", NULL, "2", "position % N", NULL},
    {"2..", NULL, "N", "position % N", NULL},
    {"1..", NULL, "(N-2)", "position % N", NULL},
    {"1..", "0..N", "2*i", "position % N", NULL},
    {"1..", "0..N", "i", "position % M", NULL},
    {"1..", "0..N", "i", "position % N up", NULL},
};

static void position_make(char text[1024], size_t row)
{
    const char *loop = positions[row].loop, *at = positions[row].at;
    int length = snprintf(text, 1024, "pipe positions\nparam N %s\nmove tA 8192\nsmem A[3] tA\nbar full[3] count 1\ninit full\nfence mbarrier_init\n"
                          "sync cta\nrole loads warps 0..3 elect\n", positions[row].param);
    if (loop) length += snprintf(text + length, 1024 - (size_t)length, "  for i in %s\n", loop);
    length += snprintf(text + length, 1024 - (size_t)length, "  expect full[%s %% 3] tA\n  arrive full[%s %% 3]\n  copy tensor tA -> A[%s %% 3] signal full[%s %% 3]\n"
                       "  wait full[%s %% 3] parity %s / 3 %% 2\n", at, at, at, at, at, at);
    snprintf(text + length, 1024 - (size_t)length, "%send\n", loop ? "  end\n" : "");
}

static void counted_by_position(void **state)
{
    zlay_layout *source, *smem;
    zlay_move *move;
    zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .axes = 2, .shape = {64, 64}};
    assert_int_equal(zlay_layout_parse(*state, &source, "(640,64):(64,1)", 15), ZLAY_OK);
    assert_int_equal(zlay_layout_parse(*state, &smem, "Sw<3,3,3> o 0 o (64,64):(64,1)", 30), ZLAY_OK);
    r.source = source, r.smem = smem;
    assert_int_equal(zlay_tensormap_synth(*state, &move, target_of("sm_90a"), &r), ZLAY_OK);
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++) {
        char text[1024], message[80];
        position_make(text, i);
        zlay_pipe *pipe = parsed(*state, text);
        zlay_pipe_move bound = {.name = "tA", .move = move, .axis = {positions[i].axis}};
        zlay_pipe_emit ask = asked(pipe, "sm_90a", ZLAY_TEXT_PTX);
        ask.moves = &bound, ask.moves_count = 1;
        kernel k = printed(*state, &ask);
        snprintf(message, sizeof message, "move tA: no loop around counts %s", positions[i].axis);
        if (positions[i].text ? k.status || !strstr(k.text, positions[i].text) : k.status != ZLAY_ENOTSUP || !strstr(zlay_ctx_message(*state), message))
            fail_msg("row %zu: %d, %s", i, (int)k.status, k.status ? zlay_ctx_message(*state) : strstr(k.text, "mov.u32 x0"));
        free(k.text);
        zlay_pipe_free(pipe);
    }
    zlay_move_free(move);
    zlay_layout_free(source);
    zlay_layout_free(smem);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused), cmocka_unit_test(unproved), cmocka_unit_test(lengths), cmocka_unit_test(stated_matrices), cmocka_unit_test(tiles_unbound),
        cmocka_unit_test(factors_of_bytes), cmocka_unit_test(one_tile_for_two), cmocka_unit_test(counted_by_position), cmocka_unit_test(misused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
