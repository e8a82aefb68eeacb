/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes: text, answers, proofs and their recheck, failures. What the answers mean is tested by
 * pipe/runs/mutants. */
#include "pipes/pipe-check.h"

static void test_round_trip(void **state)
{
    (void)state;
    zlay_ctx *ctx = new_ctx();
    for (size_t i = 0; i < PIPES; i++)
        for (unsigned stages = 1; stages <= 8; stages++) {
            pipe_text text;
            char first[PIPE_TEXT], second[PIPE_TEXT];
            zlay_buf a = {first, sizeof first, 0}, b = {second, sizeof second, 0};
            pipe_make(&text, i, stages);
            zlay_pipe *pipe = parse(ctx, text.text);
            assert_int_equal(zlay_pipe_print(&a, pipe), ZLAY_OK);
            zlay_pipe *again = parse(ctx, first);
            assert_int_equal(zlay_pipe_print(&b, again), ZLAY_OK);
            assert_string_equal(first, second);
            zlay_pipe_free(pipe);
            zlay_pipe_free(again);
        }
    zlay_ctx_free(ctx);
}

static void test_stages(void **state)
{
    (void)state;
    zlay_ctx *ctx = new_ctx();
    for (size_t i = 0; i < PIPES; i++)
        for (unsigned stages = 1; stages <= 8; stages++) {
            pipe_text text;
            char proof[PROOF];
            zlay_pipe_reason reason = {0};
            pipe_make(&text, i, stages);
            zlay_pipe *pipe = parse(ctx, text.text);
            zlay_answer answer = verify(ctx, pipe, &reason);
            if (stages < fewest(i)) {
                assert_int_equal(answer, ZLAY_NO);
                assert_int_equal(reason.rule, ZLAY_PIPE_DEADLOCK);
                assert_true(reason.line && reason.other);
            } else {
                assert_int_equal(answer, ZLAY_YES);
                size_t length = prove(ctx, pipe, proof);
                if (recheck(ctx, pipe, proof, length) != ZLAY_YES)
                    fail_msg("%s", zlay_ctx_message(ctx));
            }
            zlay_pipe_free(pipe);
        }
    zlay_ctx_free(ctx);
}

/* ---- answers ---- */

static void test_bad(void **state)
{
    (void)state;
    zlay_ctx *ctx = new_ctx();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pipe_text text;
        replace(&text, bad[i].pipe, bad[i].stages, bad[i].what, bad[i].by);
        zlay_pipe *pipe = parse(ctx, text.text);
        if (!breaks(ctx, pipe, bad[i].rule))
            fail_msg("%s -> %s does not break %s", bad[i].what, bad[i].by,
                     zlay_pipe_rule_name(bad[i].rule));
        zlay_pipe_free(pipe);
    }
    zlay_ctx_free(ctx);
}

/* Every rule has a name, and a pipe above that breaks it. */
static void test_rules(void **state)
{
    (void)state;
    for (int32_t rule = ZLAY_PIPE_INIT; rule <= ZLAY_PIPE_MAP; rule++) {
        bool found = rule > ZLAY_PIPE_STAGE; /* of clusters and tensor memory: t-pipe-run.c */
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) found |= bad[i].rule == rule;
        assert_true(found);
        assert_non_null(zlay_pipe_rule_name(rule));
    }
    assert_null(zlay_pipe_rule_name(0));
    assert_null(zlay_pipe_rule_name(-1));
    assert_null(zlay_pipe_rule_name(ZLAY_PIPE_MAP + 1));
}

/* Forms that have no proof by order are run. */
static void test_runs(void **state)
{
    (void)state;
    static const struct { const char *pipe, *what, *by;
        zlay_answer answer;
    } rows[] = {
        {"single", "wait full[i % 4] parity i / 4 % 2",
         "wait full[i % 4] parity i / 4 % 2\nwaitgroup bulk 63\nwaitgroup bulk 9\n"
         "wait full[(i+200) % 4] parity (i+200) / 4 % 2", ZLAY_YES},
        {"single", "for i in 0..N\nwait empty", "for j in 0..N\nend\nfor i in 0..N\nwait empty",
         ZLAY_YES},
        {"single", "for i in 0..N\nwait empty", "for i in N..N\nwait empty", ZLAY_NO},
    };
    zlay_ctx *ctx = new_ctx();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pipe_text text;
        zlay_pipe_reason reason;
        replace(&text, rows[i].pipe, 4, rows[i].what, rows[i].by);
        zlay_pipe *pipe = parse(ctx, text.text);
        assert_int_equal(verify(ctx, pipe, &reason), rows[i].answer);
        zlay_pipe_free(pipe);
    }
    zlay_ctx_free(ctx);
}

/* ---- hostile text ---- */

static const struct {
    const char *what, *by, *message;
    zlay_status status;
} hostile[] = {
    {"pipe single", "", "line 2", ZLAY_EINVAL},
    {"pipe single", "pipe while", "line 1", ZLAY_EINVAL},
    {"smem A[4]", "smem A[0]", "line 3", ZLAY_EINVAL},
    {"smem A[4]", "smem A[65]", "line 3", ZLAY_EINVAL},
    {"smem A[4]", "smem N[4]", "used twice", ZLAY_EINVAL},
    {"smem A[4] 16", "smem A[4] 99999999999999999999", "line 3", ZLAY_EINVAL},
    {"bar full[4] count 1", "bar full[4] count -1", "line 4", ZLAY_EINVAL},
    {"warps 0..0", "warps 1..0", "line 10", ZLAY_EINVAL},
    {"warps 1..1", "warps 0..1", "two roles", ZLAY_EINVAL},
    {"warps 1..1", "warps 1..32", "line 18", ZLAY_EINVAL},
    {"i % 4", "i % 3", "number of stages", ZLAY_EINVAL},
    {"full[i % 4]", "full[9]", "no stage", ZLAY_EINVAL},
    {"full[i % 4]", "full[j % 4]", "neither a counter nor a param", ZLAY_EINVAL},
    {"full[i % 4]", "full[i+1 % 4]", "parentheses", ZLAY_EINVAL},
    {"full[i % 4]", "full[(i+i) % 4]", "two counters", ZLAY_EINVAL},
    {"full[i % 4]", "full[(i+99999999999) % 4]", "out of range", ZLAY_EINVAL},
    {"full[i % 4]", "half[i % 4]", "no such bar", ZLAY_EINVAL},
    {"-> A[i % 4]", "-> B[i % 4]", "no such smem", ZLAY_EINVAL},
    {"sync role", "sync grid", "no such sync", ZLAY_EINVAL},
    {"sync role", "sync role role", "behind the event", ZLAY_EINVAL},
    {"read A", "reed A", "no such event", ZLAY_EINVAL},
    {"init full", "read A[0]", "does not belong here", ZLAY_EINVAL},
    {"end\nend\nrole", "end\nrole", "line", ZLAY_EINVAL},
    {"init full", "end", "end without a role", ZLAY_EINVAL},
    {"for i in 0..N\nwait empty",
     "for a in 0..N\nfor b in 0..N\nfor c in 0..N\nfor d in 0..N\nfor e in 0..N\nwait empty",
     "deeper", ZLAY_ELIMIT},
};

static void test_hostile(void **state)
{
    (void)state;
    zlay_ctx *ctx = new_ctx();
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        pipe_text text;
        zlay_pipe *pipe = (zlay_pipe *)ctx;
        replace(&text, "single", 4, hostile[i].what, hostile[i].by);
        if (zlay_pipe_parse(ctx, &pipe, text.text, text.length) != hostile[i].status)
            fail_msg("%s -> %s: %s", hostile[i].what, hostile[i].by, zlay_ctx_message(ctx));
        assert_null(pipe);
        if (!strstr(zlay_ctx_message(ctx), hostile[i].message))
            fail_msg("%s: %s", hostile[i].by, zlay_ctx_message(ctx));
    }
    zlay_ctx_free(ctx);
}

/* Many of one thing end at a limit, not in time or memory. */
static void test_many(void **state)
{
    (void)state;
    static const struct { const char *head, *line; zlay_status status; } rows[] = {
        {"pipe p\n", "bar b%d[1] count 1\n", ZLAY_ELIMIT},
        {"pipe p\nbar b[1] count 1\n", "init b # %d\n", ZLAY_ELIMIT},
        {"pipe p\n", "# %d\n", ZLAY_EINVAL},
        {"pipe p\nrole r warps 0..0\n", "sync role # %d\n", ZLAY_ELIMIT},
    };
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE + 64);
    zlay_ctx *ctx = new_ctx();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_pipe *pipe;
        int length = sprintf(text, "%s", rows[i].head);
        for (int k = 0; length < SIZE - 64; k++) length += sprintf(text + length, rows[i].line, k);
        assert_int_equal(zlay_pipe_parse(ctx, &pipe, text, (size_t)length), rows[i].status);
        assert_null(pipe);
    }
    assert_int_equal(zlay_pipe_parse(ctx, &(zlay_pipe *){NULL}, text, SIZE + 1), ZLAY_ELIMIT);
    free(text);
    zlay_ctx_free(ctx);
}

/* More classes than a proof has room for, and trip counts too large to try: answered, and soon. */
static void test_large(void **state)
{
    (void)state;
    static const struct {
        const char *what, *by;
        zlay_answer answer;
    } rows[] = {
        {"param N 0..", "param N 2147483647..", ZLAY_YES},
        {"i / 4 % 2", "(i / 4 + 1) % 2", ZLAY_NO},
    };
    zlay_ctx *ctx = new_ctx();
    zlay_pipe_reason reason;
    pipe_text text;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        replace(&text, "single", 4, rows[i].what, rows[i].by);
        zlay_pipe *pipe = parse(ctx, text.text);
        assert_int_equal(verify(ctx, pipe, &reason), rows[i].answer);
        zlay_pipe_free(pipe);
    }
    text.length = (size_t)sprintf(text.text, "pipe p\nparam N 0..\n");
    for (int i = 0; i < 64; i++)
        text.length += (size_t)sprintf(text.text + text.length, "smem s%d[1] 8\n", i);
    text.length +=
        (size_t)sprintf(text.text + text.length, "role r warps 0..1 each 1\nfor i in 0..N\n");
    for (int i = 0; i < 64; i++)
        text.length += (size_t)sprintf(text.text + text.length,
                                       "write s%d[i %% 1] 8\nread s%d[i %% 1]\n", i, i);
    text.length += (size_t)sprintf(text.text + text.length, "end\nend\n");
    zlay_pipe *pipe = parse(ctx, text.text);
    assert_int_equal(verify(ctx, pipe, &reason), ZLAY_NO); /* two instances write one stage */
    assert_int_equal(reason.rule, ZLAY_PIPE_READ_BEFORE_FULL);
    zlay_pipe_free(pipe);
    zlay_ctx_free(ctx);
}

static void test_random_text(void **state)
{
    (void)state;
    uint64_t seed = test_seed("random text"), parsed = 0, proved = 0;
    zlay_ctx *ctx = new_ctx();
    for (uint64_t n = test_iterations(3000); n > 0; n--) {
        pipe_text text;
        pipe_make(&text, (size_t)test_range(&seed, 0, PIPES - 1),
                  (unsigned)test_range(&seed, 1, 4));
        for (int64_t k = test_range(&seed, 1, 3); k > 0; k--) {
            static const char bytes[] = "0123456789 \n[]()%/+-.#tiNABCD";
            text.text[test_range(&seed, 0, (int64_t)text.length - 1)] =
                bytes[test_range(&seed, 0, sizeof bytes - 2)];
        }
        zlay_pipe *pipe;
        if (zlay_pipe_parse(ctx, &pipe, text.text, text.length)) continue;
        zlay_pipe_reason reason;
        char proof[PROOF];
        parsed++;
        if (verify(ctx, pipe, &reason) == ZLAY_YES) {
            proved++;
            assert_int_equal(recheck(ctx, pipe, proof, prove(ctx, pipe, proof)), ZLAY_YES);
        }
        zlay_pipe_free(pipe);
    }
    assert_true(parsed > 0 && proved > 0 && proved < parsed);
    zlay_ctx_free(ctx);
}

static void test_arguments(void **state)
{
    (void)state;
    zlay_ctx *ctx = new_ctx();
    pipe_text text;
    pipe_make(&text, 0, 2);
    zlay_pipe *pipe = parse(ctx, text.text), *out = pipe;
    zlay_answer answer = ZLAY_DEPENDS;
    size_t count = 77;
    zlay_buf small = {(char[8]){"kept"}, 8, 0};
    assert_int_equal(zlay_pipe_parse(ctx, NULL, text.text, text.length), ZLAY_EINVAL);
    assert_int_equal(zlay_pipe_parse(ctx, &out, NULL, 3), ZLAY_EINVAL);
    assert_null(out);
    assert_int_equal(zlay_pipe_print(&small, pipe), ZLAY_EROOM);
    assert_true(small.need > 8 && !strcmp(small.text, "kept"));
    assert_int_equal(zlay_pipe_print(NULL, pipe), ZLAY_EINVAL);
    assert_int_equal(zlay_pipe_print(&small, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_pipe_verify(ctx, NULL, NULL, 0, &count, NULL, pipe), ZLAY_EINVAL);
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 1, &count, NULL, pipe), ZLAY_EINVAL);
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, &small, pipe), ZLAY_EROOM);
    assert_true(small.need > 8 && !strcmp(small.text, "kept"));
    assert_int_equal(zlay_pipe_recheck(ctx, &answer, pipe, NULL, 0), ZLAY_EINVAL);
    assert_true(answer == ZLAY_DEPENDS && count == 77);
    zlay_pipe_free(NULL);
    zlay_pipe_free(pipe);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_stages),
        cmocka_unit_test(test_bad),         cmocka_unit_test(test_rules),
        cmocka_unit_test(test_runs),   cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_many),        cmocka_unit_test(test_large),
        cmocka_unit_test(test_random_text), cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
