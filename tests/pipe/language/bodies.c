/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies in pipes: as text and from structs, what is refused, and that the verifier takes a use of several registers as a use of
 * each. */
#include "pipes/pipe-check.h"

#include "ctx.h"
#include "heap.h"

static const char text[] =
    "pipe p\n"
    "param N 1..\n"
    "smem A[1] 8192\n"
    "smem B[1] 8192\n"
    "body act\n"
    "  matrix C f32\n"
    "  matrix D bf16\n"
    "  row m f32\n"
    "  index n\n"
    "  index k\n"
    "  m = rowmax(C)\n"
    "  D = bf16(C + f32(n + k))\n"
    "end\n"
    "body plus\n"
    "  matrix C f32\n"
    "  shared A f32\n"
    "  shared B f32\n"
    "  index k\n"
    "  C = C + load(A, row, col) * load(B, row)\n"
    "end\n"
    "role r warps 0..3\n"
    "  for i in 0..N\n"
    "    write A[0]\n"
    "    write B[0]\n"
    "    fence proxy.async\n"
    "    sync role\n"
    "    fence wgmma\n"
    "    mma A[0], B[0] -> C fresh\n"
    "    commit wgmma\n"
    "    waitgroup wgmma 0\n"
    "    use C, D, m body act at block, i*2+1\n"
    "    use C, D, m body act at block.z, i when i < N\n"
    "    use C, D, m body act at i % N, (i*2+1) % N\n"
    "    use C body plus reads A[0], B[0] at i\n"
    "    use C, m by softmax\n"
    "    use C, D\n"
    "    sync role\n"
    "  end\n"
    "end\n";

static void check_text(const zlay_pipe *pipe)
{
    char out[4096];
    zlay_buf buf = {out, sizeof out, 0};
    assert_int_equal(zlay_pipe_print(&buf, pipe), ZLAY_OK);
    assert_string_equal(out, text);
}

static void reads_and_prints(void **state)
{
    zlay_pipe *pipe = parse(*state, text);
    check_text(pipe);
    zlay_pipe_free(pipe);
}

static void is_proved(void **state)
{
    zlay_answer answer;
    size_t count;
    zlay_pipe *pipe = parse(*state, text);
    assert_int_equal(zlay_pipe_verify(*state, &answer, NULL, 0, &count, NULL, pipe), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    zlay_pipe_free(pipe);
}

/* The body reads the sum before the product is over; the sum is the second name of the line. */
static void every_register_is_used(void **state)
{
    static const char early[] = "pipe p\nsmem A[1] 8192\nsmem B[1] 8192\nbody b\nmatrix D f32\nmatrix C f32\nD = C\nend\n"
                                "role r warps 0..3\nwrite A[0]\nwrite B[0]\nfence proxy.async\nsync role\nfence wgmma\n"
                                "mma A[0], B[0] -> C fresh\ncommit wgmma\n%s\nwaitgroup wgmma 0\n%s\nend\n";
    static const char use[] = "use D, C body b";
    for (int wrong = 0; wrong < 2; wrong++) {
        char one[1024];
        zlay_answer answer;
        zlay_pipe_reason reason = {0};
        size_t count;
        snprintf(one, sizeof one, early, wrong ? use : "", wrong ? "" : use);
        zlay_pipe *pipe = parse(*state, one);
        assert_int_equal(zlay_pipe_verify(*state, &answer, &reason, 1, &count, NULL, pipe), ZLAY_OK);
        assert_int_equal(answer, wrong ? ZLAY_NO : ZLAY_YES);
        if (wrong) assert_string_equal(zlay_pipe_rule_name(reason.rule), "fence");
        if (wrong) assert_int_equal(reason.line, 17);
        zlay_pipe_free(pipe);
    }
}

/* A stage that a body loads from is read there: after it is full, and before it is filled again. */
static void every_stage_is_read(void **state)
{
    static const char ring[] = "pipe p\nparam N 0..\nsmem A[2] 8192\nbar full[2] count 1\nbar empty[2] count 4\nbody b\nmatrix C f32\n"
                               "shared A f32\nC = load(A, row, col)\nend\ninit full\ninit empty\nfence mbarrier_init\nsync cta\n"
                               "role p warps 0..0 elect\nfor i in 0..N\n%s\nexpect full[i %% 2] 8192\narrive full[i %% 2]\n"
                               "copy tensor 8192 -> A[i %% 2] signal full[i %% 2]\nend\nend\nrole c warps 4..7\nfor i in 0..N\n"
                               "%s\n%s\nsync warp\n%s\nend\nend\n";
    static const char free_[] = "wait empty[i % 2] parity (i / 2 + 1) % 2", full[] = "wait full[i % 2] parity i / 2 % 2";
    static const char use[] = "use C body b reads A[i % 2]", arrive[] = "arrive empty[i % 2] warps";
    static const struct {
        const char *before, *wait, *use, *after, *rule;
        uint32_t line;
    } rows[] = {
        {free_, full, use, arrive, NULL, 0},
        {free_, use, full, arrive, "read-before-full", 25},
        {free_, full, arrive, use, "overwrite", 20},
        {free_, full, "use C body b reads A[(i+1) % 2]", arrive, "read-before-full", 26},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char one[2048];
        zlay_answer answer;
        zlay_pipe_reason reason = {0};
        size_t count;
        snprintf(one, sizeof one, ring, rows[i].before, rows[i].wait, rows[i].use, rows[i].after);
        zlay_pipe *pipe = parse(*state, one);
        assert_int_equal(zlay_pipe_verify(*state, &answer, &reason, 1, &count, NULL, pipe), ZLAY_OK);
        assert_int_equal(answer, rows[i].rule ? ZLAY_NO : ZLAY_YES);
        if (rows[i].rule && (strcmp(zlay_pipe_rule_name(reason.rule), rows[i].rule) || reason.line != rows[i].line))
            fail_msg("%zu: line %u breaks %s", i, reason.line, zlay_pipe_rule_name(reason.rule));
        zlay_pipe_free(pipe);
    }
}

static void says_what_is_wrong(void **state)
{
    static const struct {
        const char *body, *use, *message;
    } rows[] = {
        {"matrix C f32\nC = Q\nend", "use C body b", "line 5: there is no 'Q'"},
        {"matrix C f32\nC = C\nend", "use C body c", "line 8: no such body in \"use C body c\""},
        {"matrix C f32\nC = C\nend", "use C, D body b",
         "line 8: the body has another number of matrices, rows, columns and parts in \"use C, D body b\""},
        {"matrix C f32\nC = C\nend", "use C, C", "line 8: registers are named twice in \"use C, C\""},
        {"matrix C f32\nC = C\nend", "use C body b at 1",
         "line 8: the body has another number of indices in \"use C body b at 1\""},
        {"matrix C f32\nindex i\nC = C\nend", "use C body b",
         "line 9: the body has another number of indices in \"use C body b\""},
        {"matrix C f32\nindex i\nC = C\nend", "use C body b at j",
         "line 9: a name is neither a counter nor a param in \"use C body b at j\""},
        {"matrix C f32\nindex i\nC = C\nend", "use C body b at 7 % M",
         "line 9: a body's position is taken modulo what is no param in \"use C body b at 7 % M\""},
        {"matrix C f32\nindex i\nC = C\nend", "use C body b at 3+7 % M", "line 9: a sum needs parentheses in"},
        {"matrix C f32\nindex i\nC = C\nend", "use C body b at (3-7) % M", "line 9: a position below 0 has no remainder in"},
        {"matrix C f32\nindex i\nC = C\nend", "use C body b at (3+7 % M", "line 9: ')' is missing"},
        {"matrix C f32\nshared A f32\nC = load(A, row)\nend", "use C body b",
         "line 9: the body has another number of stages that it loads from in \"use C body b\""},
        {"matrix C f32\nC = C\nend", "use C body b reads A[0]", "line 8: the body has another number of stages"},
        {"matrix C f32\nshared A f32\nC = load(A, row)\nend", "use C body b reads C[0]", "line 9: no such smem"},
        {"matrix C f32\nC = C\nend", "use C reads A[0]", "line 8: something stands behind"},
        {"matrix C f32\nC = C\nend", "use C by float",
         "line 8: 'float' is a reserved word of C, C++ or PTX and no name in \"use C by float\""},
        {"matrix C f32\nC = C\n", "use C", "line 7: '=' is missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char one[1024];
        zlay_pipe *pipe = (zlay_pipe *)&one;
        snprintf(one, sizeof one, "pipe p\nsmem A[1] 8\nbody b\n%s\nrole r warps 0..3\n%s\nend\n", rows[i].body, rows[i].use);
        assert_int_equal(zlay_pipe_parse(*state, &pipe, one, strlen(one)), ZLAY_EINVAL);
        assert_null(pipe);
        const char *message = zlay_ctx_message(*state);
        if (strncmp(message, rows[i].message, strlen(rows[i].message))) fail_msg("%s\n%s\n%s", one, message, rows[i].message);
    }
}

/* ---- from structs -------------------------------------------------------------------------- */

#define EVENT(...) (zlay_pipe_event) {.size = sizeof(zlay_pipe_event), __VA_ARGS__}
#define DECLARED(...) (zlay_pipe_declaration) {.size = sizeof(zlay_pipe_declaration), __VA_ARGS__}

static zlay_status build_role(zlay_ctx *ctx, zlay_pipe_builder *b)
{
    static const char *const two[] = {"D", "m"}, *const m[] = {"m"}, *const d[] = {"D"}, *const modulo[] = {"N", "N"};
    static const char *const stages[] = {"A", "B"};
    const zlay_pipe_event events[] = {
        EVENT(.word = "for", .name = "i", .last = {.plus = "N"}),
        EVENT(.word = "write", .smem = {"A"}),
        EVENT(.word = "write", .smem = {"B"}),
        EVENT(.word = "fence", .way = "proxy.async"),
        EVENT(.word = "sync", .way = "role"),
        EVENT(.word = "fence", .way = "wgmma"),
        EVENT(.word = "mma", .smem = {"A", "B"}, .acc = "C", .fresh = 1),
        EVENT(.word = "commit", .way = "wgmma"),
        EVENT(.word = "waitgroup", .way = "wgmma"),
        EVENT(.word = "use", .acc = "C", .accs = two, .accs_count = 2, .body = "act", .indices = 2, .blocks = 1,
              .index = {{0}, {.counter = "i", .times = "2", .add = 1}}),
        EVENT(.word = "use", .acc = "C", .accs = two, .accs_count = 2, .body = "act", .indices = 2, .blocks = 3,
              .index = {{0}, {.counter = "i"}}, .when = 1, .first = {.counter = "i"}, .last = {.plus = "N"}),
        EVENT(.word = "use", .acc = "C", .accs = two, .accs_count = 2, .body = "act", .indices = 2, .modulo = modulo,
              .index = {{.counter = "i"}, {.counter = "i", .times = "2", .add = 1}}),
        EVENT(.word = "use", .acc = "C", .body = "plus", .reads = stages, .reads_at = (const zlay_pipe_at[2]){{0}},
              .reads_count = 2, .indices = 1, .index = {{.counter = "i"}}),
        EVENT(.word = "use", .acc = "C", .accs = m, .accs_count = 1, .by = "softmax"),
        EVENT(.word = "use", .acc = "C", .accs = d, .accs_count = 1),
        EVENT(.word = "sync", .way = "role"),
    };
    zlay_pipe_role role = {.size = sizeof role, .name = "r", .last_warp = 3};
    zlay_status status = zlay_pipe_builder_role(ctx, b, &role);
    for (size_t i = 0; i < sizeof events / sizeof *events && !status; i++) status = zlay_pipe_builder_event(ctx, b, &events[i]);
    for (int i = 0; i < 2 && !status; i++) status = zlay_pipe_builder_end(ctx, b);
    return status;
}

static zlay_status build(zlay_ctx *ctx, zlay_pipe **out)
{
    static const char act[] = "body act\nmatrix C f32\nmatrix D bf16\nrow m f32\nindex n\nindex k\nm = rowmax(C)\n"
                              "D = bf16(C + f32(n + k))\nend\n";
    static const char add[] = "body plus\nmatrix C f32\nshared A f32\nshared B f32\nindex k\n"
                              "C = C + load(A, row, col) * load(B, row)\nend\n";
    zlay_pipe_builder *b;
    zlay_body *body = NULL, *adds = NULL;
    *out = NULL;
    zlay_status status = zlay_pipe_builder_new(ctx, &b, "p", 1, 0);
    if (!status) status = zlay_pipe_builder_declare(ctx, b, &DECLARED(.word = "param", .name = "N", .least = 1));
    if (!status)
        status = zlay_pipe_builder_declare(ctx, b, &DECLARED(.word = "smem", .name = "A", .stages = 1, .bytes = {.add = 8192}));
    if (!status)
        status = zlay_pipe_builder_declare(ctx, b, &DECLARED(.word = "smem", .name = "B", .stages = 1, .bytes = {.add = 8192}));
    if (!status) status = zlay_body_parse(ctx, &body, act, sizeof act - 1);
    if (!status) status = zlay_pipe_builder_body(ctx, b, body);
    if (!status) status = zlay_body_parse(ctx, &adds, add, sizeof add - 1);
    if (!status) status = zlay_pipe_builder_body(ctx, b, adds);
    if (!status) status = build_role(ctx, b);
    if (!status) status = zlay_pipe_builder_finish(ctx, out, b);
    zlay_body_free(body);
    zlay_body_free(adds);
    zlay_pipe_builder_free(b);
    return status;
}

static void is_built(void **state)
{
    zlay_pipe *pipe;
    if (build(*state, &pipe)) fail_msg("%s", zlay_ctx_message(*state));
    check_text(pipe);
    zlay_pipe_free(pipe);
}

static void build_refuses(void **state)
{
    static const char *const modulo[] = {"N"};
    const zlay_pipe_event events[] = {
        {.size = sizeof(zlay_pipe_event), .word = "use", .acc = "C", .body = "none"},
        {.size = sizeof(zlay_pipe_event), .word = "use", .acc = "C", .modulo = modulo},
        {.size = sizeof(zlay_pipe_event), .word = "use", .acc = "C", .body = "b", .indices = 1, .blocks = 1, .modulo = modulo},
        {.size = sizeof(zlay_pipe_event), .word = "use", .acc = "C", .accs_count = 1},
        {.size = sizeof(zlay_pipe_event), .word = "use", .acc = "C", .indices = 1},
        {.size = sizeof(zlay_pipe_event), .word = "use", .acc = "C", .reads_count = 1},
        {.size = sizeof(zlay_pipe_event), .word = "use", .acc = "C", .body = "b", .reads_count = 1},
        {.size = sizeof(zlay_pipe_event), .word = "use", .acc = "C", .reads = modulo},
        {.size = sizeof(zlay_pipe_event), .word = "use", .acc = "C", .blocks = 1},
        {.size = sizeof(zlay_pipe_event), .word = "use", .acc = "C", .when = 2, .body = "b"},
    };
    zlay_pipe_builder *b;
    zlay_pipe_role role = {.size = sizeof role, .name = "r", .last_warp = 3};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        assert_int_equal(zlay_pipe_builder_new(*state, &b, "p", 1, 0), ZLAY_OK);
        assert_int_equal(zlay_pipe_builder_body(*state, b, NULL), ZLAY_EINVAL);
        assert_int_equal(zlay_pipe_builder_role(*state, b, &role), ZLAY_OK);
        assert_int_equal(zlay_pipe_builder_event(*state, b, &events[i]), ZLAY_EINVAL);
        zlay_pipe_builder_free(b);
    }
}

static zlay_status work(zlay_ctx *ctx, void *given)
{
    zlay_pipe *pipe = NULL;
    (void)given;
    zlay_status status = build(ctx, &pipe);
    zlay_pipe_free(pipe);
    if (!status) status = zlay_pipe_parse(ctx, &pipe, text, sizeof text - 1);
    if (!status) zlay_pipe_free(pipe);
    return status;
}

static void memory_ends(void **state)
{
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    (void)state;
    assert_int_equal(heap_fails_each(&h, ctx, work, NULL), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_prints), cmocka_unit_test(is_proved),      cmocka_unit_test(every_register_is_used), cmocka_unit_test(every_stage_is_read),
        cmocka_unit_test(says_what_is_wrong), cmocka_unit_test(is_built),     cmocka_unit_test(build_refuses),
        cmocka_unit_test(memory_ends),
    };
    return cmocka_run_group_tests_name("pipe/language/bodies", tests, begin, end);
}
