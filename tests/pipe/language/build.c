/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes from structs: every text that the tests have is built as it is printed; what does not belong
 * is refused by name. */
#include "heap.h"
#include "pipes/named.h"
#include "pipes/pipe-built.h"
#include "pipes/pipes.h"

enum { PRINTED = 1 << 14 };

static int begin(void **state) { return zlay_ctx_new((zlay_ctx **)state, NULL, NULL); }

static int end(void **state)
{
    zlay_ctx_free(*state);
    return 0;
}

static void print(char *out, const zlay_pipe *pipe)
{
    zlay_buf buf = {out, PRINTED, 0};
    assert_int_equal(zlay_pipe_print(&buf, pipe), ZLAY_OK);
}

/* The text read and printed; then built, printed, read and printed. */
static void check_text(zlay_ctx *ctx, const char *text, size_t length)
{
    static char first[PRINTED], second[PRINTED], third[PRINTED];
    zlay_pipe *pipe, *again;
    if (zlay_pipe_parse(ctx, &pipe, text, length)) fail_msg("%s", zlay_ctx_message(ctx));
    print(first, pipe);
    zlay_pipe_free(pipe);
    pipe = built(ctx, first);
    print(second, pipe);
    assert_string_equal(first, second);
    assert_int_equal(zlay_pipe_parse(ctx, &again, second, strlen(second)), ZLAY_OK);
    print(third, again);
    assert_string_equal(second, third);
    zlay_pipe_free(pipe);
    zlay_pipe_free(again);
}

static void test_pipes(void **state)
{
    for (size_t i = 0; i < PIPES; i++)
        for (unsigned stages = 1; stages <= 5; stages++) {
            static pipe_text text;
            pipe_make(&text, i, stages);
            check_text(*state, text.text, text.length);
        }
}

static void test_named(void **state)
{
    for (size_t i = 0; i < NAMED; i++)
        for (unsigned stages = named[i].fewest; stages < named[i].fewest + 3; stages++) {
            static char text[NAMED_TEXT];
            size_t length = named_read(text, named[i].name, stages);
            check_text(*state, text, length);
        }
}

/* Every word of the language, with every operand that it may have. */
static const char everything[] =
    "pipe all\ncluster 2\nregisters 168\nparam N 0..\nparam T 1..64\nparam M 2..9 of T\nmove tA 16384\nmove tB 8192\n"
    "smem A[4] tA\nsmem B[4] tB\nsmem D[2] 2*tB + 64 each\ntmem C[2] 128 pair\nmap maps[2]\n"
    "global W[1]\nflag done[1]\nflag once[1]\nglobal V[1] each\nflag own[2] each\nbar full[4] count 1\nbar empty[4] count 2\ninit full\ninit empty\n"
    "alloc C\nfence mbarrier_init\nsync cluster\nrole producer warps 0..3 elect\ngriddep wait\n"
    "setmaxnreg dec 24\nfor t in 0..T step 2\nfor i in t*N..t*N+N\n"
    "wait empty[i % 4] parity (i / 4 + 1) % 2\nwait empty[(i+1) % 4] parity ((i+1) / 4 + 1) % 2\n"
    "wait empty[0] parity 3 / 4 % 2\nwait full[(t*3+1) % 4] parity (t*3+1) / 4 % 2\nwait full[(t*N+N-1) % 4] parity (t*N+N-1) / 4 % 2\n"
    "expect full[i % 4] tA + tB\n"
    "expect full[i % 4] 0\narrive full[i % 4]\n"
    "copy tensor tA by maps[t % 2] -> A[i % 4] signal full[i % 4] multicast 3\n"
    "copy tensor tA -> A[i % 4] cta 1 signal full[i % 4] cta 0\n"
    "copy tensor tB -> B[i % 4] part 1 signal full[i % 4]\ncopy bulk 128 -> B[i % 4] signal full[i % 4]\n"
    "copy shared 512 from A[i % 4] -> B[i % 4] cta +1 signal full[i % 4]\nend\nend\ngriddep launch\nend\n"
    "role consumer warps 4..11 each 4\nsetmaxnreg inc 240\nfor i in 0-2..N\n"
    "wait full[i % 4] parity i / 4 % 2\nmma A[i % 4], B[i % 4] -> S fresh\ncommit wgmma\n"
    "waitgroup wgmma 0\nwaitgroup bulk.read 2\ncommit bulk\ncommit cpasync\nfence wgmma\n"
    "cpasync 64 -> A[i % 4] part 2\nmma S, B[i % 4] -> O\nuse S\n"
    "arrive empty[i % 4] warps cta all\narrive empty[i % 4] threads\n"
    "arrive empty[i % 4] times 32 cta +1\nldmatrix A[i % 4]\nstmatrix D[0] from O part 2\nread W[0]\nread W[0] add O\n"
    "write W[0] from O\nwrite A[i % 4] 2*tB\nread A[i % 4] part 3 cta 1\nstore D[0] tB -> W[0]\n"
    "reduce D[0] 2*tB + 64 by maps[0] -> W[0]\nsync role\nsync named 1 256\njoin named 2 256\n"
    "sync named 14 + instance 64\njoin named 1 - instance 64\n"
    "join cluster\nmeet cluster\nraise done[0] times 3\nawait done[0] 4\nupdate maps[i % 2]\n"
    "fence proxy.tensormap\nfence proxy.async\nend\nend\nrole blackwell warps 12..15 cta 1\n"
    "mma A[0], B[0] -> C[0] fresh\nmma A[0], B[0] scales C[1] -> C[0] fresh\nmma C[1], B[0] -> C[0]\ncommit tcgen05 signal full[0] multicast 3\n"
    "fence tcgen05.after\ntld C[1] lanes 32..63 columns 0..31 -> R\ntwait ld\nfence tcgen05.before\n"
    "tst R -> C[0]\ntwait st\ntcp A[0] -> C[1]\nrelinquish\ndealloc C\nraise once[0] times 3\nawait once[0] 3 clear\nend\nrole waves warps 16..19\n"
    "for i in 0..N\nload tA -> G times 4\nload tA + tB -> A[i % 4] part 1 times 3\nload 16 -> G\n"
    "put G -> B[(i+1) % 4] 2*tB + 16 part 2 times 2\nput G -> A[0]\nfetch A[i % 4] part 1 -> F times 8\n"
    "fetch B[i % 4] -> H\nmma F, H -> P fresh\nmma F, H -> P\nwaitcount memory 4\nwaitcount shared 0\n"
    "send P -> W[0] part 1 times 16\nsend P times 2\nsend P\nend\nend\n";

static void test_everything(void **state) { check_text(*state, everything, strlen(everything)); }

/* ---- the example of zlay/pipe_build.h ----------------------------------------------------------- */

static zlay_layout *layout_of(zlay_ctx *ctx, const char *text)
{
    zlay_layout *layout;
    assert_int_equal(zlay_layout_parse(ctx, &layout, text, strlen(text)), ZLAY_OK);
    return layout;
}

static void test_example(void **state)
{
    static const char ring[] = "pipe ring\nmove tile 8192\nsmem A[1] 8192\nbar full[1] count 1\n"
                               "role r warps 0..0\nend\n";
    zlay_ctx *ctx = *state;
    zlay_pipe_builder *b;
    zlay_pipe *pipe;
    zlay_move *move;
    const zlay_target *target;
    char printed[PRINTED];
    zlay_layout *source = layout_of(ctx, "(4096,4096):(4096,1)");
    zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .axes = 2,
                                .source = source, .shape = {64, 64}};
    zlay_target_find(&target, "sm_90a", 6);
    assert_int_equal(zlay_tensormap_synth(ctx, &move, target, &r), ZLAY_OK);
    assert_int_equal(zlay_pipe_builder_new(ctx, &b, "ring", 1, 0), ZLAY_OK);
    assert_int_equal(zlay_pipe_builder_move(ctx, b, "tile", move), ZLAY_OK);
    assert_int_equal(zlay_pipe_builder_smem(ctx, b, "A", 1, zlay_move_smem(move), 16), ZLAY_OK);
    assert_int_equal(
        zlay_pipe_builder_declare(ctx, b, &(zlay_pipe_declaration){.size =
            sizeof(zlay_pipe_declaration), .word = "bar", .name = "full", .stages = 1, .count = 1}),
        ZLAY_OK);
    assert_int_equal(zlay_pipe_builder_role(ctx, b, &(zlay_pipe_role){.size =
                         sizeof(zlay_pipe_role), .name = "r"}), ZLAY_OK);
    assert_int_equal(zlay_pipe_builder_end(ctx, b), ZLAY_OK);
    assert_int_equal(zlay_pipe_builder_finish(ctx, &pipe, b), ZLAY_OK);
    print(printed, pipe);
    assert_string_equal(printed, ring);
    assert_int_equal(zlay_pipe_builder_end(ctx, b), ZLAY_EINVAL);
    zlay_pipe_builder_free(b);
    zlay_pipe_free(pipe);
    zlay_move_free(move);
    zlay_layout_free(source);
}

/* ---- what is refused ------------------------------------------------------------------------------ */

static zlay_pipe_builder *started(zlay_ctx *ctx)
{
    static const char *const words[] = {"param", "move", "smem", "tmem", "map", "global", "flag",
                                        "bar"};
    zlay_pipe_builder *b;
    assert_int_equal(zlay_pipe_builder_new(ctx, &b, "p", 2, 0), ZLAY_OK);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        zlay_pipe_declaration d = {.size = sizeof d, .word = words[i], .name = words[i]};
        char name[] = "a";
        name[0] = (char)('a' + i);
        d.name = name;
        if (i > 1) d.stages = 2;
        if (i == 1 || i == 2) d.bytes.add = 64;
        if (i == 3 || i == 7) d.count = 32;
        assert_int_equal(zlay_pipe_builder_declare(ctx, b, &d), ZLAY_OK);
    }
    return b;
}

#define EVENT(...) {.size = sizeof(zlay_pipe_event), __VA_ARGS__}

static void test_events_refused(void **state)
{
    static const struct {
        zlay_pipe_event event;
        const char *word;
    } rows[] = {
        {EVENT(.word = "jump"), "line 12: field 'word'"},
        {{.size = 8, .word = "use"}, "field 'size'"},
        {EVENT(.word = "use", .acc = "R", .reserved = {1}), "field 'reserved'"},
        {EVENT(.word = "use", .acc = "R", .reserved0 = 1), "field 'reserved0'"},
        {EVENT(.word = "use", .acc = "R", .clear = 1), "field 'clear' does not belong"},
        {EVENT(.word = "use", .acc = "R", .part = 1), "field 'part' does not belong"},
        {EVENT(.word = "use", .acc = "R", .way = "ld"), "field 'way' does not belong"},
        {EVENT(.word = "use", .acc = "R;end"), "field 'acc' is no name"},
        {EVENT(.word = "use"), "field 'acc' is no name"},
        {EVENT(.word = "wait", .bar = "h", .bar_at = {.add = 2}), "a slot is no stage"},
        {EVENT(.word = "wait", .bar = "h", .bar_at = {.counter = "i"}), "neither a counter nor a param"},
        {EVENT(.word = "wait", .bar = "c"), "no such bar"},
        {EVENT(.word = "wait", .bar = "h", .before = 2), "field 'before'"},
        {EVENT(.word = "wait", .bar = "h", .phase = {.times = "a"}), "field 'times'"},
        {EVENT(.word = "wait", .bar = "h", .phase = {.add = INT64_MIN}), "field 'add'"},
        {EVENT(.word = "wait", .bar = "h", .number = 3), "field 'number' does not belong"},
        {EVENT(.word = "expect", .bar = "h", .bytes = {.add = -1}), "field 'bytes'"},
        {EVENT(.word = "expect", .bar = "h", .bytes = {.move = {"c"}}), "no such move"},
        {EVENT(.word = "expect", .bar = "h", .bytes = {.add = INT64_MAX}), "out of range"},
        {EVENT(.word = "arrive", .bar = "h", .scope = "lanes"), "field 'scope'"},
        {EVENT(.word = "arrive", .bar = "h", .where = 9), "field 'where'"},
        {EVENT(.word = "arrive", .bar = "h", .cta = 1), "field 'cta' does not belong"},
        {EVENT(.word = "arrive", .bar = "h", .where = ZLAY_PIPE_CTA_RANK, .cta = 2), "out of range"},
        {EVENT(.word = "fence", .way = "wgmma 3"), "field 'way'"},
        {EVENT(.word = "fence"), "field 'way'"},
        {EVENT(.word = "waitgroup", .way = "wgmma", .number = -1), "field 'number'"},
        {EVENT(.word = "for", .name = "i", .last = {.plus = "a"}, .step = -1), "field 'step'"},
        {EVENT(.word = "for", .name = "a", .last = {.plus = "a"}), "used twice"},
        {EVENT(.word = "tld", .tmem = {"d"}, .acc = "R", .first_lane = 4), "field 'first_lane'"},
        {EVENT(.word = "read", .smem = {"c"}, .at = {{.add = 0}, {.add = 1}}), "field 'at'"},
        {EVENT(.word = "mma", .smem = {"c", "c"}, .acc = "R", .fresh = 2), "field 'fresh'"},
        {EVENT(.word = "init", .bar = "h"), "does not belong here"},
        {EVENT(.word = "sync", .way = "named", .named = 1, .number = 128, .named_step = 2), "field 'named_step'"},
        {EVENT(.word = "sync", .way = "role", .named_step = 1), "field 'named_step' does not belong"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_pipe_builder *b = started(*state);
        zlay_pipe *pipe;
        zlay_pipe_role role = {.size = sizeof role, .name = "r", .last_warp = 3};
        assert_int_equal(zlay_pipe_builder_role(*state, b, &role), ZLAY_OK);
        zlay_pipe_event e = rows[i].event;
        assert_int_equal(zlay_pipe_builder_event(*state, b, &e), ZLAY_EINVAL);
        const char *message = zlay_ctx_message(*state);
        if (!strstr(message, rows[i].word)) fail_msg("%zu: %s without %s", i, message, rows[i].word);
        assert_int_equal(zlay_pipe_builder_end(*state, b), ZLAY_EINVAL);
        assert_non_null(strstr(zlay_ctx_message(*state), "broken"));
        assert_int_equal(zlay_pipe_builder_finish(*state, &pipe, b), ZLAY_EINVAL);
        assert_null(pipe);
        zlay_pipe_builder_free(b);
    }
}

#define DECLARED(...) {.size = sizeof(zlay_pipe_declaration), __VA_ARGS__}

static void test_declarations_refused(void **state)
{
    static const struct {
        zlay_pipe_declaration declaration;
        const char *word;
    } rows[] = {
        {DECLARED(.word = "shared"), "line 11: field 'word'"},
        {DECLARED(.name = "x"), "field 'word'"},
        {{.size = 4}, "field 'size'"},
        {DECLARED(.word = "smem", .name = "x y", .stages = 1), "field 'name'"},
        {DECLARED(.word = "smem", .name = "x", .bytes = {.add = 3}), "out of range"},
        {DECLARED(.word = "smem", .name = "a", .stages = 1, .bytes = {.add = 3}), "used twice"},
        {DECLARED(.word = "smem", .name = "x", .stages = 1, .bytes = {.add = 3}, .each = 2), "'each'"},
        {DECLARED(.word = "smem", .name = "x", .stages = 1, .bytes = {.add = 3}, .pair = 1), "'pair'"},
        {DECLARED(.word = "param", .name = "x", .stages = 1), "field 'stages' does not belong"},
        {DECLARED(.word = "param", .name = "x", .least = -1), "'least'"},
        {DECLARED(.word = "param", .name = "x", .of = "y"), "no such param"},
        {DECLARED(.word = "move", .name = "x", .bytes.add = 4, .of = "y"), "field 'of' does not belong"},
        {DECLARED(.word = "bar", .name = "x", .stages = 1, .count = -1), "'count'"},
        {DECLARED(.word = "map", .name = "x", .stages = 1, .count = 1), "'count'"},
        {DECLARED(.word = "map", .name = "x", .stages = 1, .reserved = {0, 1}), "'reserved'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_pipe_builder *b = started(*state);
        assert_int_equal(zlay_pipe_builder_declare(*state, b, &rows[i].declaration), ZLAY_EINVAL);
        const char *message = zlay_ctx_message(*state);
        if (!strstr(message, rows[i].word)) fail_msg("%zu: %s without %s", i, message, rows[i].word);
        zlay_pipe_builder_free(b);
    }
}

static void test_ends_refused(void **state)
{
    zlay_pipe_builder *b = started(*state);
    zlay_pipe *pipe;
    zlay_pipe_role role = {.size = sizeof role, .name = "r", .cta = 1};
    assert_int_equal(zlay_pipe_builder_finish(*state, &pipe, b), ZLAY_EINVAL);
    assert_non_null(strstr(zlay_ctx_message(*state), "no role"));
    zlay_pipe_builder_free(b);
    b = started(*state);
    assert_int_equal(zlay_pipe_builder_role(*state, b, &role), ZLAY_EINVAL);
    assert_non_null(strstr(zlay_ctx_message(*state), "'cta'"));
    zlay_pipe_builder_free(b);
    assert_int_equal(zlay_pipe_builder_new(*state, &b, "no name", 0, 0), ZLAY_EINVAL);
    assert_null(b);
    assert_int_equal(zlay_pipe_builder_new(*state, NULL, "p", 0, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_pipe_builder_finish(*state, NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_pipe_builder_end(*state, NULL), ZLAY_EINVAL);
    zlay_pipe_builder_free(NULL);
}

static zlay_status build_small(zlay_ctx *ctx)
{
    zlay_pipe_builder *b;
    zlay_pipe *pipe = NULL;
    zlay_pipe_role role = {.size = sizeof role, .name = "r"};
    zlay_pipe_event e = {.size = sizeof e, .word = "use", .acc = "R"};
    zlay_status status = zlay_pipe_builder_new(ctx, &b, "p", 1, 0);
    if (!status) status = zlay_pipe_builder_role(ctx, b, &role);
    if (!status) status = zlay_pipe_builder_event(ctx, b, &e);
    if (!status) status = zlay_pipe_builder_end(ctx, b);
    if (!status) status = zlay_pipe_builder_finish(ctx, &pipe, b);
    zlay_pipe_builder_free(b);
    zlay_pipe_free(pipe);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    for (size_t k = 1;; k++) {
        heap h = {0};
        zlay_allocator alloc = {&h, heap_take, heap_give};
        zlay_ctx *ctx;
        assert_int_equal(zlay_ctx_new(&ctx, &alloc, NULL), ZLAY_OK);
        h.fails_at = h.calls + k;
        zlay_status status = build_small(ctx);
        bool over = h.calls < h.fails_at;
        assert_int_equal(status, over ? ZLAY_OK : ZLAY_ENOMEM);
        zlay_ctx_free(ctx);
        assert_int_equal(h.live, 0);
        if (over) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pipes),          cmocka_unit_test(test_named),
        cmocka_unit_test(test_everything),     cmocka_unit_test(test_example),
        cmocka_unit_test(test_events_refused), cmocka_unit_test(test_declarations_refused),
        cmocka_unit_test(test_ends_refused),   cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
