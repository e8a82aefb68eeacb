/* SPDX-License-Identifier: Apache-2.0 */
/* Every trip count: pipes whose loops repeat one after the other, wait for each other's ends, begin
 * with many steps, or use more than a few events and values; their verdict is that of each trip count by
 * itself, which is run to its end. */
#include "pipes/named.h"
#include "group_ctx.h"

#include <zlay/pipe.h>

/* The answer to a text in which N stands for `least..most`, most < 0 for no end. */
static zlay_answer answer_of(const char *head, const char *text, int least, int most, char rule[32])
{
    static char whole[NAMED_TEXT];
    zlay_answer answer = ZLAY_DEPENDS;
    zlay_pipe_reason reason = {0};
    size_t count = 0;
    zlay_pipe *pipe;
    char last[16] = "";
    if (most >= 0) snprintf(last, sizeof last, "%d", most);
    int length = snprintf(whole, sizeof whole, "%sparam N %d..%s\n%s", head, least, last, text);
    assert_in_range(length, 1, sizeof whole - 1);
    if (zlay_pipe_parse(ctx, &pipe, whole, (size_t)length)) fail_msg("%s", zlay_ctx_message(ctx));
    assert_int_equal(zlay_pipe_verify(ctx, &answer, &reason, 1, &count, NULL, pipe), ZLAY_OK);
    snprintf(rule, 32, "%s", count ? zlay_pipe_rule_name(reason.rule) : "");
    zlay_pipe_free(pipe);
    return answer;
}

/* ---- texts ---- */

#define STEP_IN(ring, bytes, s)                                                                    \
    "wait e" ring "[i % " s "] parity (i / " s " + 1) % 2\nexpect f" ring "[i % " s "] " bytes     \
    "\narrive f" ring "[i % " s "]\ncopy bulk " bytes " -> " ring "[i % " s "] signal f" ring      \
    "[i % " s "]\n"
#define STEP_OUT(ring, s)                                                                          \
    "wait f" ring "[i % " s "] parity i / " s " % 2\nread " ring "[i % " s "]\nsync warp\n"        \
    "arrive e" ring "[i % " s "]\n"
#define RING(ring, bytes, s)                                                                       \
    "smem " ring "[" s "] " bytes "\nbar f" ring "[" s "] count 1\nbar e" ring "[" s "] count 1\n"
#define READY(ring) "init f" ring "\ninit e" ring "\n"
#define GO "fence mbarrier_init\nsync cta\n"
#define LOOP(body) "for i in 0..N\n" body "end\n"

static const char in_turn[] = RING("A", "64", "2") RING("B", "96", "3") READY("A") READY("B") GO
    "role in warps 0..0 elect\n" LOOP(STEP_IN("A", "64", "2")) LOOP(STEP_IN("B", "96", "3")) "end\n"
    "role out warps 1..1\n" LOOP(STEP_OUT("A", "2")) LOOP(STEP_OUT("B", "3")) "end\n";

/* The second loop never gives a stage back. */
static const char in_turn_kept[] = RING("A", "64", "2") RING("B", "96", "3") READY("A") READY("B") GO
    "role in warps 0..0 elect\n" LOOP(STEP_IN("A", "64", "2")) LOOP(STEP_IN("B", "96", "3")) "end\n"
    "role out warps 1..1\n" LOOP(STEP_OUT("A", "2"))
    "for i in 0..N\nwait fB[i % 3] parity i / 3 % 2\nread B[i % 3]\nend\nend\n";

/* Whose ring it is differs: one loop ends before the other begins. */
static const char in_turn_swapped[] = RING("A", "64", "2") RING("B", "96", "3") READY("A") READY("B") GO
    "role in warps 0..0 elect\n" LOOP(STEP_IN("A", "64", "2")) "end\n"
    "role both warps 1..1\n" LOOP(STEP_OUT("A", "2")) LOOP("wait fB[i % 3] parity i / 3 % 2\n"
    "read B[i % 3]\nsync warp\narrive eB[i % 3]\n") "end\n"
    "role late warps 2..2 elect\n" LOOP(STEP_IN("B", "96", "3")) "end\n";

static const char stored[] = RING("A", "64", "2") "global G[1]\nsmem D[1] 16\n" READY("A") GO
    "role in warps 0..0 elect\n" LOOP(STEP_IN("A", "64", "2")) "end\n"
    "role out warps 1..1\n" LOOP(STEP_OUT("A", "2"))
    "write D[0]\nfence proxy.async\nsync warp\nstore D[0] 16 -> G[0]\ncommit bulk\nwaitgroup bulk 0\nend\n";
static const char stored_unwaited[] = RING("A", "64", "2") "global G[1]\nsmem D[1] 16\n" READY("A") GO
    "role in warps 0..0 elect\n" LOOP(STEP_IN("A", "64", "2")) "end\n"
    "role out warps 1..1\n" LOOP(STEP_OUT("A", "2"))
    "write D[0]\nfence proxy.async\nsync warp\nstore D[0] 16 -> G[0]\ncommit bulk\nend\n";

/* The last step arrives at a slot that only every third trip count waits for. */
static const char third[] = RING("A", "64", "2") "bar x[3] count 1\n" READY("A") "init x\n" GO
    "role in warps 0..0 elect\n" LOOP(STEP_IN("A", "64", "2")) "arrive x[N % 3]\nend\n"
    "role out warps 1..1\n" LOOP(STEP_OUT("A", "2")) "wait x[0] parity 0 / 3 % 2\nend\n";

/* Nothing comes again before forty stages have been used. */
static const char forty[] = RING("A", "64", "40") "global G[1]\n" READY("A") GO
    "role in warps 0..0 elect\n" LOOP(STEP_IN("A", "64", "40")) "end\n"
    "role out warps 1..1\n" LOOP(STEP_OUT("A", "40") "write G[0]\n") "end\n";
static const char forty_kept[] = RING("A", "64", "40") "global G[1]\n" READY("A") GO
    "role in warps 0..0 elect\n" LOOP(STEP_IN("A", "64", "40")) "end\n"
    "role out warps 1..1\nfor i in 0..N\nwait fA[i % 40] parity i / 40 % 2\nread A[i % 40]\n"
    "write G[0]\nend\nend\n";

#define AWAIT(n) "await F[0] " n "\n"
static const char values[] = RING("A", "64", "2") "flag F[1]\n" READY("A") GO
    "role in warps 0..0 elect\n" LOOP(STEP_IN("A", "64", "2")) "raise F[0] times 12\nend\n"
    "role out warps 1..1\n" LOOP(STEP_OUT("A", "2"))
    AWAIT("1") AWAIT("2") AWAIT("3") AWAIT("4") AWAIT("5") AWAIT("6")
    AWAIT("7") AWAIT("8") AWAIT("9") AWAIT("10") AWAIT("11") AWAIT("12") "end\n";

#define READS "read A[i % 2]\nread A[i % 2]\nread A[i % 2]\nread A[i % 2]\nread A[i % 2]\nread A[i % 2]\n"
#define MANY(end) RING("A", "64", "2") READY("A") GO                                               \
    "role in warps 0..0 elect\n" LOOP(STEP_IN("A", "64", "2")) "end\n"                             \
    "role out warps 1..1\n" LOOP("wait fA[i % 2] parity i / 2 % 2\n" READS READS READS READS READS \
    end) "end\n"
static const char many[] = MANY("sync warp\narrive eA[i % 2]\n");
static const char many_late[] = MANY("sync warp\narrive eA[i % 2]\nread A[i % 2]\n");

/* While z waits for x, y may arrive there too, as far as one can see, and knows more. */
#define HEARD(first, second)                                                                       \
    "smem A[1] 64\nbar b[1] count 1\nbar c[1] count 1\ninit b\ninit c\n" GO                        \
    "role z warps 2..2\nwait b[0] parity 0 / 1 % 2\n" first "sync warp\narrive c[0]\n"            \
    "wait b[0] parity 1 / 1 % 2\n" second "end\n"                                                 \
    "role y warps 0..0\nwrite A[0]\nsync warp\nwait c[0] parity 0 / 1 % 2\narrive b[0]\nend\n"     \
    "role x warps 1..1 elect\n" LOOP("fence proxy.async\n") "arrive b[0]\nend\n"
static const char heard[] = HEARD("", "read A[0]\n");
static const char heard_early[] = HEARD("read A[0]\n", "");

/* No loop has M steps, so what one M shows holds for no other: at slot 0 alone, as with M = 2, this is right. */
#define STRIDE(m) "param M " m "\n" RING("A", "64", "2") READY("A") GO "role in warps 0..0 elect\n" LOOP( \
    "wait eA[i*M % 2] parity (i*M / 2 + 1) % 2\nexpect fA[i*M % 2] 64\narrive fA[i*M % 2]\ncopy bulk 64 -> A[i*M % 2] signal fA[i*M % 2]\n") "end\n" \
    "role out warps 1..1\n" LOOP("wait fA[i*M % 2] parity i*M / 2 % 2\nread A[i*M % 2]\nsync warp\narrive eA[i*M % 2]\n") "end\n"
static const char stride[] = STRIDE("1.."), stride_two[] = STRIDE("1..2");

/* The second loop has M - N steps, none at first, and gives no stage back. */
static const char between[] = "param M 1..\n" RING("A", "64", "2") READY("A") GO
    "role in warps 0..0 elect\n" LOOP(STEP_IN("A", "64", "2")) "for i in N..M\n" STEP_IN("A", "64", "2") "end\nend\n"
    "role out warps 1..1\n" LOOP(STEP_OUT("A", "2")) "for i in N..M\nwait fA[i % 2] parity i / 2 % 2\nread A[i % 2]\nend\nend\n";

static const struct {
    const char *name, *text;
    int least;
    zlay_answer answer;
    const char *rule;
} rows[] = {
    {"loops in turn", in_turn, 0, ZLAY_YES, ""},
    {"loops in turn, of many steps", in_turn, 500, ZLAY_YES, ""},
    {"the second keeps its stages", in_turn_kept, 0, ZLAY_NO, "deadlock"},
    {"the second keeps its stages, from 3 steps on", in_turn_kept, 3, ZLAY_NO, ""},
    {"the second keeps three stages", in_turn_kept, 500, ZLAY_NO, "deadlock"},
    {"a ring fills before its loop begins", in_turn_swapped, 0, ZLAY_YES, ""},
    {"a store is waited for", stored, 0, ZLAY_YES, ""},
    {"a store is waited for, of many steps", stored, 1000, ZLAY_YES, ""},
    {"a store is not waited for", stored_unwaited, 0, ZLAY_NO, "exit"},
    {"a store is not waited for, of many steps", stored_unwaited, 1000, ZLAY_NO, "exit"},
    {"one trip count in three", third, 0, ZLAY_NO, ""},
    {"one trip count in three, of many steps", third, 900, ZLAY_NO, ""},
    {"forty stages", forty, 30, ZLAY_YES, ""},
    {"forty stages that are kept", forty_kept, 30, ZLAY_NO, "deadlock"},
    {"twelve values of a flag", values, 0, ZLAY_YES, ""},
    {"thirty reads", many, 0, ZLAY_YES, ""},
    {"one too late", many_late, 0, ZLAY_NO, "overwrite"},
    {"who waits for the one that wrote", heard, 8, ZLAY_YES, ""},
    {"a counter times what ends no loop", stride, 3, ZLAY_NO, "read-before-full"},
    {"a counter times 1 or 2", stride_two, 0, ZLAY_YES, ""},
    {"a loop from one param to another", between, 1, ZLAY_NO, "deadlock"},
    {"who waits for another", heard_early, 8, ZLAY_NO, "read-before-full"},
};
enum { ROWS = sizeof rows / sizeof *rows, TRIPS = 24 };

static void test_rows(void **state)
{
    (void)state;
    char rule[32];
    for (size_t i = 0; i < ROWS; i++) {
        zlay_answer answer = answer_of("pipe trips\n", rows[i].text, rows[i].least, -1, rule);
        if (answer != rows[i].answer || (*rows[i].rule && strcmp(rule, rows[i].rule) != 0))
            fail_msg("%s: %d %s, %s", rows[i].name, (int)answer, rule, zlay_ctx_message(ctx));
    }
}

/* All trip counts from the least on are right exactly where every one of them is. */
static void test_each(void **state)
{
    (void)state;
    char rule[32];
    for (size_t i = 0; i < ROWS; i++) {
        zlay_answer all = ZLAY_YES;
        for (int n = 0; n < TRIPS && all == ZLAY_YES; n++) {
            int trips = rows[i].least + n;
            all = answer_of("pipe trips\n", rows[i].text, trips, trips, rule);
        }
        if (all != rows[i].answer) fail_msg("%s: each is %d, %s", rows[i].name, (int)all, rule);
    }
}

/* The proof of a right pipe is none of a wrong one that has the same trip counts and events. */
static void test_proof(void **state)
{
    (void)state;
    static const char *const bodies[] = {heard, heard_early};
    char text[1024], proof[4096];
    zlay_buf buf = {proof, sizeof proof, 0};
    zlay_pipe *pipe;
    for (int k = 0; k < 2; k++) {
        zlay_answer answer = ZLAY_DEPENDS;
        size_t count;
        int length = snprintf(text, sizeof text, "pipe trips\nparam N 8..\n%s", bodies[k]);
        assert_int_equal(zlay_pipe_parse(ctx, &pipe, text, (size_t)length), ZLAY_OK);
        if (k == 0)
            assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, &buf, pipe), ZLAY_OK);
        assert_int_equal(zlay_pipe_recheck(ctx, &answer, pipe, proof, buf.need), ZLAY_OK);
        assert_int_equal(answer, k == 0 ? ZLAY_YES : ZLAY_NO);
        zlay_pipe_free(pipe);
    }
}

/* A block of the named stream-K awaits before its loop what the other raises behind its own. */
static void test_blocks(void **state)
{
    static char text[NAMED_TEXT], moved[2 * NAMED_TEXT];
    static const char await[] = "  await done[0] 1\n";
    (void)state;
    char rule[32];
    for (unsigned stages = 2; stages <= (test_exhaustive() ? 8u : 4u); stages++) {
        named_read(text, "streamk", stages);
        char *at = strstr(text, "  for i in 1..N\n"), *old = strstr(text, await);
        char *from = strstr(text, "param N 1..\n");
        assert_true(at && old && from && old > at);
        snprintf(moved, sizeof moved, "%.*s%s%.*s%s", (int)(at - from) - 12, from + 12, await,
                 (int)(old - at), at, old + strlen(await));
        *from = 0;
        assert_int_equal(answer_of(text, moved, 1, -1, rule), ZLAY_YES);
        for (int n = 1; n < TRIPS; n++)
            if (answer_of(text, moved, n, n, rule) != ZLAY_YES) fail_msg("%d steps: %s", n, rule);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_each),
                                       cmocka_unit_test(test_proof),
                                       cmocka_unit_test(test_blocks)};
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
