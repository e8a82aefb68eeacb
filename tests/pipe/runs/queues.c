/* SPDX-License-Identifier: Apache-2.0 */
/* Queues: what each event may meet in flight, by small roles whose verdicts are known by hand; the example
 * of docs/pipe.md; failing memory. */
#include "heap.h"
#include "pipes/named.h"

#include <zlay/zlay.h>

static int open_ctx(void **state) { return zlay_ctx_new((zlay_ctx **)state, NULL, NULL); }

static int close_ctx(void **state)
{
    zlay_ctx_free(*state);
    return 0;
}

/* The first rule that a text breaks; 0: it is right. */
static int32_t rule_of(zlay_ctx *ctx, const char *text)
{
    zlay_pipe *pipe;
    zlay_pipe_reason reason = {0};
    zlay_answer answer = ZLAY_UNDECIDED;
    size_t count;
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) fail_msg("%s: %s", text, zlay_ctx_message(ctx));
    assert_int_equal(zlay_pipe_verify(ctx, &answer, &reason, 1, &count, NULL, pipe), ZLAY_OK);
    if (answer == ZLAY_UNDECIDED) fail_msg("%s: %s", text, zlay_ctx_message(ctx));
    zlay_pipe_free(pipe);
    return answer == ZLAY_YES ? 0 : reason.rule;
}

/* ---- roles of a few events ---- */

/* `;` ends a line. */
static const struct {
    unsigned warps;
    const char *role;
    int32_t rule;
} rows[] = {
    /* registers */
    {4, "load 64 -> G;waitcount memory 0;send G", 0},
    {4, "load 64 -> G;send G", ZLAY_PIPE_GROUP},
    {4, "load 64 -> G;waitcount shared 0;send G", ZLAY_PIPE_GROUP},
    {4, "load 64 -> G;waitcount memory 1;send G", ZLAY_PIPE_GROUP},
    {4, "load 64 -> G;load 64 -> H;waitcount memory 1;send G;waitcount memory 1;send H", 0},
    {4, "load 64 -> G;load 64 -> H;waitcount memory 1;send H;send G", ZLAY_PIPE_GROUP},
    {4, "load 64 -> G times 3;load 64 -> H times 2;waitcount memory 2;send G;waitcount memory 0;send H", 0},
    {4, "load 64 -> G times 3;load 64 -> H times 2;waitcount memory 3;send G", ZLAY_PIPE_GROUP},
    {4, "load 64 -> G;waitcount memory 0;load 64 -> G", ZLAY_PIPE_STAGE},
    {4, "load 64 -> G;load 64 -> G", ZLAY_PIPE_GROUP},
    {4, "load 64 -> G;use G", ZLAY_PIPE_GROUP},
    {4, "load 64 -> G;waitcount memory 0;use G;send G;use G;send G", 0},
    {4, "load 64 -> G;waitcount memory 0;send G;send G", ZLAY_PIPE_STAGE},
    {4, "load 64 -> G;waitcount memory 0", ZLAY_PIPE_EXIT},
    {4, "load 64 -> G", ZLAY_PIPE_EXIT},
    {4, "send G", ZLAY_PIPE_STAGE},
    {4, "use G;send G", 0},
    /* products of registers */
    {2, "use F;use H;mma F, H -> C fresh;send C", 0},
    {2, "use F;mma F, H -> C fresh;send C", ZLAY_PIPE_STAGE},
    {2, "use F;use H;mma F, H -> C;send C", ZLAY_PIPE_STAGE},
    {2, "use F;use H;use C;mma F, H -> C;mma F, H -> C;send C", ZLAY_PIPE_STAGE},
    {2, "use F;use H;use C;mma F, H -> C;use F;mma F, H -> C;send C", 0},
    {2, "use F;use H;use C;mma F, H -> C;mma H, F -> C;send C", 0},
    {2, "use F;use H;mma F, H -> C fresh;mma F, H -> C fresh;send C", ZLAY_PIPE_STAGE},
    {2, "use F;use H;mma F, H -> C fresh", ZLAY_PIPE_EXIT},
    {2, "load 64 -> F;use H;mma F, H -> C fresh;send C", ZLAY_PIPE_GROUP},
    {2, "load 64 -> H;use F;mma F, H -> C fresh;send C", ZLAY_PIPE_GROUP},
    {2, "use F;use H;load 64 -> C;mma F, H -> C;send C", ZLAY_PIPE_GROUP},
    {2, "use F;use H;load 64 -> C;waitcount memory 0;mma F, H -> C;send C", 0},
    /* through shared memory */
    {4, "use G;put G -> A[0];waitcount shared 0;sync cta;fetch A[0] -> F;waitcount shared 0;use F", 0},
    {4, "use G;put G -> A[0];waitcount shared 0;sync role;fetch A[0] -> F;waitcount shared 0;use F", 0},
    {4, "use G;put G -> A[0];waitcount shared 0;fetch A[0] -> F;waitcount shared 0;use F", ZLAY_PIPE_READ_BEFORE_FULL},
    {4, "use G;put G -> A[0];sync cta;fetch A[0] -> F;waitcount shared 0;use F", ZLAY_PIPE_READ_BEFORE_FULL},
    {4, "use G;put G -> A[0];waitcount memory 0;sync cta;fetch A[0] -> F;waitcount shared 0;use F", ZLAY_PIPE_READ_BEFORE_FULL},
    {1, "use G;put G -> A[0];fetch A[0] -> F;waitcount shared 0;use F", 0},
    {1, "use G;put G -> A[0];fetch A[0] -> F;use G;put G -> A[1];fetch A[1] -> H;waitcount shared 1;use F;waitcount shared 0;use H", 0},
    {1, "load 64 -> A[0];fetch A[0] -> F;waitcount shared 0;use F", ZLAY_PIPE_READ_BEFORE_FULL},
    {1, "load 64 -> A[0];waitcount memory 0;fetch A[0] -> F;waitcount shared 0;use F", 0},
    {1, "for i in 0..1;load 64 -> A[i % 2];waitcount memory 0;fetch A[i % 2] -> F;load 64 -> A[(i+2) % 2];waitcount shared 0;use F;end", ZLAY_PIPE_OVERWRITE},
    {1, "for i in 0..1;load 64 -> A[i % 2];waitcount memory 0;fetch A[i % 2] -> F;waitcount shared 0;use F;load 64 -> A[(i+2) % 2];waitcount memory 0;fetch A[(i+2) % 2] -> F;waitcount shared 0;use F;end", 0},
    {1, "for i in 0..1;write A[i % 2];sync warp;fetch A[i % 2] -> F;write A[(i+2) % 2];waitcount shared 0;use F;end", ZLAY_PIPE_OVERWRITE},
    {4, "load 64 -> A[0];waitcount memory 0;sync cta;read A[0]", 0},
    {4, "load 64 -> A[0];waitcount memory 0;read A[0]", ZLAY_PIPE_READ_BEFORE_FULL},
    {4, "load 32 -> A[0] part 1;load 32 -> A[0] part 2;waitcount memory 0;sync cta;read A[0]", 0},
    {4, "load 32 -> A[0] part 1;load 32 -> A[0] part 2;waitcount memory 1;sync cta;read A[0] part 1;waitcount memory 0;sync cta;read A[0] part 2", 0},
    {4, "load 32 -> A[0] part 1;load 32 -> A[0] part 2;waitcount memory 1;sync cta;read A[0]", ZLAY_PIPE_READ_BEFORE_FULL},
    {4, "load 32 -> A[0] part 1;waitcount memory 0;sync cta;read A[0]", ZLAY_PIPE_STAGE},
    {4, "load 64 -> A[0];waitcount memory 0;sync cta", ZLAY_PIPE_EXIT},
    {4, "use G;put G -> A[0]", ZLAY_PIPE_EXIT},
    {4, "load 32 -> G;waitcount memory 0;put G -> A[0];waitcount shared 0;sync cta;read A[0]", ZLAY_PIPE_BYTES},
    {4, "load 64 -> G;waitcount memory 0;put G -> A[0];waitcount shared 0;sync cta;read A[0]", 0},
    {4, "use G;put G -> E[0];sync warp;fetch E[0] -> F;waitcount shared 0;use F", ZLAY_PIPE_READ_BEFORE_FULL},
    /* what the async proxy reads behind queues: no fence covers it */
    {4, "use G;put G -> A[0];waitcount shared 0;fence proxy.async;sync role;store A[0] 64;commit bulk;waitgroup bulk 0", ZLAY_PIPE_PROXY},
    /* global memory */
    {4, "use G;send G -> W[0];waitcount memory 0;sync cta;read W[0]", 0},
    {4, "use G;send G -> W[0];sync cta;read W[0]", ZLAY_PIPE_READ_BEFORE_FULL},
    {4, "griddep wait;load 64 -> G;waitcount memory 0;send G", 0},
    {4, "load 64 -> G;griddep wait;waitcount memory 0;send G", ZLAY_PIPE_GRID},
};

static void role_text(char *out, size_t room, unsigned warps, const char *role)
{
    size_t n = (size_t)snprintf(out, room, "pipe p\nsmem A[2] 64\nsmem E[1] 64 each\nglobal W[1]\nrole r warps 0..%u\n", warps - 1);
    for (const char *c = role; *c; c++) out[n++] = *c == ';' ? '\n' : *c;
    snprintf(out + n, room - n, "\nend\n");
}

static void test_roles(void **state)
{
    static char text[2048];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        role_text(text, sizeof text, rows[i].warps, rows[i].role);
        int32_t rule = rule_of(*state, text);
        if (rule != rows[i].rule)
            fail_msg("%s: %s, not %s", rows[i].role, rule ? zlay_pipe_rule_name(rule) : "right",
                     rows[i].rule ? zlay_pipe_rule_name(rows[i].rule) : "right");
    }
}

/* A warp that loads one step ahead of four that use: three stages, for the one before may still be
 * fetched. */
static void test_specialised(void **state)
{
    static const struct {
        int stages, left;
        const char *meeting;
        int32_t rule;
    } cases[] = {{3, 4, "sync cta", 0},
                 {4, 4, "sync cta", 0},
                 {2, 4, "sync cta", ZLAY_PIPE_OVERWRITE},
                 {3, 5, "sync cta", ZLAY_PIPE_READ_BEFORE_FULL},
                 {3, 3, "sync cta", 0},
                 {3, 4, "sync role", ZLAY_PIPE_DEADLOCK}};
    char text[1024];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int s = cases[i].stages;
        snprintf(text, sizeof text,
                 "pipe p\nparam N 2..\nsmem S[%d] 4096\nrole loader warps 0..0\nload 4096 -> S[0] times 4\n"
                 "for i in 0..N-1\nload 4096 -> S[(i+1) %% %d] times 4\nwaitcount memory %d\n%s\nend\n"
                 "waitcount memory 0\nsync cta\nend\nrole user warps 1..4\nfor i in 0..N\nsync cta\n"
                 "fetch S[i %% %d] -> F times 2\nwaitcount shared 0\nuse F\nend\nend\n",
                 s, s, cases[i].left, cases[i].meeting, s);
        int32_t rule = rule_of(*state, text);
        if (rule != cases[i].rule) fail_msg("%s%s", text, rule ? zlay_pipe_rule_name(rule) : "right");
    }
}

/* One thread is no warp, and is refused wherever a warp is needed. */
static void test_elect(void **state)
{
    static const char *const events[] = {"load 64 -> G", "send G", "fetch A[0] -> G", "put G -> A[0]",
                                         "waitcount memory 0", "waitcount shared 0"};
    char text[256];
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        snprintf(text, sizeof text, "pipe p\nsmem A[1] 64\nrole r warps 0..0 elect\n%s\nend\n", events[i]);
        assert_int_equal(rule_of(*state, text), ZLAY_PIPE_COLLECTIVE);
    }
}

/* ---- texts that are no pipes ---- */

static void test_refused(void **state)
{
    static const char *const events[] = {
        "load -> G", "load 0 -> G", "load 64 G", "load 64 -> A", "load 64 -> A[1 % 2]", "fetch G -> A[0]",
        "put A[0] -> G", "put G -> W[0]", "send A[0]", "send G -> A[0]", "waitcount 0", "waitcount global 0",
        "waitcount memory", "load 64 -> G times 0", "mma A[0], G -> C", "mma F, G -> A[0]", "mma F, G -> T[0]",
    };
    char text[256];
    zlay_pipe *pipe = NULL;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        snprintf(text, sizeof text, "pipe p\nsmem A[1] 64\nsmem B[1] 64\ntmem T[1] 32\nglobal W[1]\nrole r warps 0..3\n%s\nend\n",
                 events[i]);
        if (zlay_pipe_parse(*state, &pipe, text, strlen(text)) != ZLAY_EINVAL) fail_msg("%s is read", events[i]);
        assert_null(pipe);
    }
}

/* A clock's value holds 32000. */
static void test_limit(void **state)
{
    static const char text[] = "pipe p\nrole r warps 0..3\nload 64 -> G times 1048575\nwaitcount memory 0\nuse G\nend\n";
    zlay_pipe *pipe;
    zlay_pipe_reason reason;
    zlay_answer answer = ZLAY_YES;
    size_t count;
    assert_int_equal(zlay_pipe_parse(*state, &pipe, text, strlen(text)), ZLAY_OK);
    assert_int_equal(zlay_pipe_verify(*state, &answer, &reason, 1, &count, NULL, pipe), ZLAY_OK);
    assert_int_equal(answer, ZLAY_UNDECIDED);
    zlay_pipe_free(pipe);
}

/* No target of emit.pipe has queues. */
static void test_text(void **state)
{
    static const char *const roles[] = {"load 64 -> G;waitcount memory 0;send G", "use F;use H;mma F, H -> C fresh;send C"};
    static char text[1024], room[1 << 14];
    for (size_t i = 0; i < 2; i++) {
        const zlay_target *target = NULL;
        zlay_pipe *pipe;
        zlay_buf buf = {room, sizeof room, 0};
        role_text(text, sizeof text, 4, roles[i]);
        zlay_target_find(&target, "sm_90a", 6);
        assert_int_equal(zlay_pipe_parse(*state, &pipe, text, strlen(text)), ZLAY_OK);
        zlay_pipe_emit ask = {.size = sizeof ask, .target = target, .pipe = pipe, .name = "p", .name_length = 1};
        assert_int_equal(zlay_emit_pipe(*state, &buf, NULL, NULL, 0, &ask), ZLAY_ENOTSUP);
        zlay_pipe_free(pipe);
    }
}

/* ---- the document ---- */

/* The block of docs/pipe.md that begins with this line. */
static void block(char *out, size_t room, const char *first)
{
    FILE *file = fopen("docs/pipe.md", "r");
    char line[512];
    size_t length = 0;
    bool inside = false;
    if (!file) fail_msg("docs/pipe.md is not in this directory");
    while (fgets(line, sizeof line, file)) {
        if (!strcmp(line, first)) inside = true;
        if (!strncmp(line, "```", 3)) inside = false;
        if (inside) length += (size_t)snprintf(out + length, room - length, "%s", line);
    }
    fclose(file);
    assert_true(length > 0);
}

static void without(char *out, const char *text, const char *what)
{
    const char *at = strstr(text, what);
    assert_non_null(at);
    sprintf(out, "%.*s%s", (int)(at - text), text, strchr(at, '\n') + 1);
}

static void test_document(void **state)
{
    char text[1024], broken[1024], line[] = "waitcount shared 0 # again\n";
    block(text, sizeof text, "pipe staged\n");
    assert_int_equal(rule_of(*state, text), 0);
    without(broken, text, "  waitcount memory 0");
    assert_int_equal(rule_of(*state, broken), ZLAY_PIPE_GROUP);
    without(broken, text, "  waitcount shared 0");
    assert_int_equal(rule_of(*state, broken), ZLAY_PIPE_READ_BEFORE_FULL);
    char *at = strstr(broken, "  fetch");
    memmove(at + strlen(line), at, strlen(at) + 1);
    memcpy(at, line, strlen(line));
    assert_int_equal(rule_of(*state, broken), ZLAY_PIPE_READ_BEFORE_FULL);
    without(broken, text, "  sync cta");
    assert_int_equal(rule_of(*state, broken), ZLAY_PIPE_READ_BEFORE_FULL);
}

/* ---- memory ---- */

static void test_memory(void **state)
{
    static char text[NAMED_TEXT];
    size_t length = named_read(text, "lds_pipelined", 2);
    (void)state;
    for (size_t k = 1;; k++) {
        heap h = {.fails_at = k};
        zlay_allocator alloc = {&h, heap_take, heap_give};
        zlay_ctx *ctx = NULL;
        zlay_pipe *pipe = NULL;
        zlay_answer answer = ZLAY_UNDECIDED;
        zlay_pipe_reason reason;
        size_t count;
        zlay_status status = zlay_ctx_new(&ctx, &alloc, NULL);
        if (!status) status = zlay_pipe_parse(ctx, &pipe, text, length);
        if (!status) status = zlay_pipe_verify(ctx, &answer, &reason, 1, &count, NULL, pipe);
        zlay_pipe_free(pipe);
        zlay_ctx_free(ctx);
        assert_int_equal(h.live, 0);
        if (!status) {
            assert_int_equal(answer, ZLAY_YES);
            assert_true(k > 10);
            return;
        }
        assert_int_equal(status, ZLAY_ENOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roles),    cmocka_unit_test(test_elect), cmocka_unit_test(test_specialised),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_limit),    cmocka_unit_test(test_text),  cmocka_unit_test(test_document),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
