/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes: text, answers, proofs and their recheck, failures. What the answers mean is tested by
 * t-pipe-mutants. */
#include "pipes.h"

#include <ctype.h>
#include <stdbool.h>
#include <zlay/pipe.h>

enum { PROOF = 1 << 14, REASONS = 16 };

static zlay_ctx *new_ctx(void)
{
    zlay_ctx *ctx;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    return ctx;
}

static zlay_pipe *parse(zlay_ctx *ctx, const char *text)
{
    zlay_pipe *pipe;
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) fail_msg("%s", zlay_ctx_message(ctx));
    return pipe;
}

static zlay_answer verify(zlay_ctx *ctx, const zlay_pipe *pipe, zlay_pipe_reason *reason)
{
    zlay_answer answer = ZLAY_DEPENDS;
    size_t count = 0;
    assert_int_equal(zlay_pipe_verify(ctx, &answer, reason, 1, &count, NULL, pipe), ZLAY_OK);
    assert_true((answer == ZLAY_NO) == (count > 0));
    return answer;
}

static size_t prove(zlay_ctx *ctx, const zlay_pipe *pipe, char *proof)
{
    zlay_buf buf = {proof, PROOF, 0};
    zlay_answer answer = ZLAY_NO;
    size_t count = 1;
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, &buf, pipe), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(count, 0);
    return buf.need;
}

static zlay_answer recheck(zlay_ctx *ctx, const zlay_pipe *pipe, const char *proof, size_t length)
{
    zlay_answer answer = ZLAY_DEPENDS;
    assert_int_equal(zlay_pipe_recheck(ctx, &answer, pipe, proof, length), ZLAY_OK);
    return answer;
}

/* The fewest stages with which a pipe runs: a late release needs a second, a late publication a
 * third. */
static unsigned fewest(size_t i)
{
    static const struct { const char *name; unsigned stages;
    } rows[] = {
        {"tensor", 2}, {"prompt", 1},  {"cpasync", 3}, {"mixed", 3},
        {"write", 3},  {"guarded", 2}, {"single", 1},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (!strcmp(rows[k].name, pipes[i].name)) return rows[k].stages;
    fail_msg("%s has no row", pipes[i].name);
    return 0;
}

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

/* ---- texts with one thing replaced ---- */

static void replace(pipe_text *out, const char *pipe, unsigned stages, const char *what,
                    const char *by)
{
    size_t i = 0;
    pipe_text text;
    while (strcmp(pipes[i].name, pipe)) i++;
    pipe_make(&text, i, stages);
    const char *at = strstr(text.text, what);
    if (!at) fail_msg("%s has no %s", pipe, what);
    out->length = (size_t)snprintf(out->text, PIPE_TEXT, "%.*s%s%s", (int)(at - text.text),
                                   text.text, by, at + strlen(what));
}

static const struct {
    const char *pipe;
    unsigned stages;
    const char *what, *by;
    int32_t rule;
} bad[] = {
    {"tensor", 4, "init empty\n", "", ZLAY_PIPE_INIT},
    {"tensor", 4, "fence mbarrier_init\nsync cta\n", "sync cta\nfence mbarrier_init\n",
     ZLAY_PIPE_INIT},
    {"tensor", 4, "count 8", "count 4", ZLAY_PIPE_COUNT},
    {"tensor", 4, "expect full[i % 4] 48", "expect full[i % 4] 47", ZLAY_PIPE_BYTES},
    {"tensor", 4, "expect full[i % 4] 48\narrive full[i % 4]\n",
     "arrive full[i % 4]\nexpect full[i % 4] 48\n", ZLAY_PIPE_BYTES},
    {"tensor", 4, "parity (i / 4 + 1) % 2", "parity i / 4 % 2", ZLAY_PIPE_DEADLOCK},
    {"tensor", 4, "parity (i / 4 + 1) % 2", "parity ((i+1) / 4 + 1) % 2", ZLAY_PIPE_PARITY},
    {"tensor", 4, "wait full[i % 4] parity i / 4 % 2\n", "", ZLAY_PIPE_READ_BEFORE_FULL},
    {"tensor", 4, "wait empty[i % 4] parity (i / 4 + 1) % 2\n", "", ZLAY_PIPE_OVERRUN},
    {"tensor", 4, "waitgroup wgmma 1\n", "", ZLAY_PIPE_OVERWRITE},
    {"tensor", 4, "fence proxy.async\n", "", ZLAY_PIPE_PROXY},
    {"tensor", 4, "waitgroup bulk.read 0\nsync role\n", "sync role\n", ZLAY_PIPE_OVERWRITE},
    {"tensor", 4, "end\nwaitgroup bulk 0\n", "end\n", ZLAY_PIPE_EXIT},
    {"tensor", 4, "waitgroup wgmma 0\n", "", ZLAY_PIPE_FENCE},
    {"tensor", 4, "warps 0..3 elect", "warps 0..3", ZLAY_PIPE_LOST_PHASE},
    {"tensor", 4, "warps 4..11 each 4", "warps 4..11 each 4 elect", ZLAY_PIPE_COLLECTIVE},
    {"tensor", 4, "warps 4..11 each 4", "warps 4..11 each 2", ZLAY_PIPE_COLLECTIVE},
    {"tensor", 4, "mma A[i % 4], B[i % 4]", "mma A[i % 4], B[(i-1) % 4]", ZLAY_PIPE_STAGE},
    {"tensor", 4, " fresh", "", ZLAY_PIPE_STAGE},
    {"cpasync", 4, "fence proxy.async\narrive full[(i-1)", "arrive full[(i-1)", ZLAY_PIPE_PROXY},
    {"cpasync", 4, "waitgroup cpasync 1", "waitgroup cpasync 2", ZLAY_PIPE_READ_BEFORE_FULL},
    {"cpasync", 4, "commit cpasync\nfor", "for", ZLAY_PIPE_READ_BEFORE_FULL},
    {"cpasync", 4, "cpasync 16 -> A[i % 4]\n", "", ZLAY_PIPE_STAGE},
    {"cpasync", 4, "arrive full[(i-1) % 4] threads", "arrive full[(i-1) % 4] warps",
     ZLAY_PIPE_COUNT},
    {"cpasync", 4,
     "waitgroup bulk.read 0\nsync role\nwrite D[0] from C part 0\nfence proxy.async\nsync "
     "role\nstore D[0] 8 part 0\ncommit bulk\n",
     "waitgroup bulk.read 0\nsync role\nwrite D[0] from C part 0\nfence proxy.async\nsync "
     "role\nstore D[0] 8 part 0\n",
     ZLAY_PIPE_GROUP},
    {"guarded", 4, "read D[0]\n", "", ZLAY_PIPE_EXIT},
    {"guarded", 4, "write D[0] from C\nsync role\n", "write D[0] from C\n",
     ZLAY_PIPE_READ_BEFORE_FULL},
    {"single", 4, "sync role\n", "", ZLAY_PIPE_OVERWRITE},
    {"single", 4, "wait full[i % 4] parity i / 4 % 2\n", "", ZLAY_PIPE_READ_BEFORE_FULL},
};

static bool breaks(zlay_ctx *ctx, const zlay_pipe *pipe, int32_t rule)
{
    zlay_pipe_reason reasons[REASONS];
    zlay_answer answer = ZLAY_YES;
    size_t count = 0;
    assert_int_equal(zlay_pipe_verify(ctx, &answer, reasons, REASONS, &count, NULL, pipe), ZLAY_OK);
    assert_int_equal(answer, ZLAY_NO);
    for (size_t i = 0; i < count && i < REASONS; i++)
        if (reasons[i].rule == rule) return true;
    return false;
}

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
    for (int32_t rule = ZLAY_PIPE_INIT; rule <= ZLAY_PIPE_STAGE; rule++) {
        bool found = false;
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) found |= bad[i].rule == rule;
        assert_true(found);
        assert_non_null(zlay_pipe_rule_name(rule));
    }
    assert_null(zlay_pipe_rule_name(0));
    assert_null(zlay_pipe_rule_name(-1));
    assert_null(zlay_pipe_rule_name(ZLAY_PIPE_STAGE + 1));
}

/* Forms that nothing is proved about: the message names the line. */
static void test_undecided(void **state)
{
    (void)state;
    static const struct { const char *pipe, *what, *by, *message;
    } rows[] = {
        {"single", "wait full[i % 4] parity i / 4 % 2",
         "wait full[i % 4] parity i / 4 % 2\nwaitgroup bulk 63\nwaitgroup bulk 9\n"
         "wait full[(i+200) % 4] parity (i+200) / 4 % 2",
         "line"},
        {"single", "for i in 0..N\nwait empty", "for j in 0..N\nend\nfor i in 0..N\nwait empty",
         "line 13"},
        {"single", "for i in 0..N\nwait empty", "for i in N..N\nwait empty", "line 11"},
    };
    zlay_ctx *ctx = new_ctx();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pipe_text text;
        zlay_pipe_reason reason;
        replace(&text, rows[i].pipe, 4, rows[i].what, rows[i].by);
        zlay_pipe *pipe = parse(ctx, text.text);
        assert_int_equal(verify(ctx, pipe, &reason), ZLAY_UNDECIDED);
        if (!strstr(zlay_ctx_message(ctx), rows[i].message)) fail_msg("%s", zlay_ctx_message(ctx));
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

/* ---- proofs ---- */

static void must_fail(zlay_ctx *ctx, const zlay_pipe *pipe, const char *proof, size_t length,
                      const char *what)
{
    if (recheck(ctx, pipe, proof, length) != ZLAY_NO) fail_msg("still proved with %s", what);
    assert_non_null(strstr(zlay_ctx_message(ctx), "of the proof"));
}

static void change_numbers(zlay_ctx *ctx, const zlay_pipe *pipe, const char *proof, size_t length)
{
    static char changed[PROOF];
    for (size_t at = 0; at < length; at++) {
        if (!isdigit((unsigned char)proof[at]) || (at && isalnum((unsigned char)proof[at - 1])))
            continue;
        char *end;
        long long number = strtoll(proof + at, &end, 10);
        for (int step = -1; step <= 1; step += 2) {
            if (number + step < 0) continue;
            int n =
                snprintf(changed, sizeof changed, "%.*s%lld%s", (int)at, proof, number + step, end);
            must_fail(ctx, pipe, changed, (size_t)n, changed + (at > 40 ? at - 40 : 0));
        }
    }
}

static void change_lines(zlay_ctx *ctx, const zlay_pipe *pipe, const char *proof, size_t length)
{
    static char changed[PROOF];
    for (const char *line = proof; line < proof + length;) {
        const char *next = strchr(line, '\n') + 1;
        int n = snprintf(changed, sizeof changed, "%.*s%s", (int)(line - proof), proof, next);
        must_fail(ctx, pipe, changed, (size_t)n, "a line left out");
        n = snprintf(changed, sizeof changed, "%.*s%s", (int)(next - proof), proof, line);
        must_fail(ctx, pipe, changed, (size_t)n, "a line doubled");
        must_fail(ctx, pipe, proof, (size_t)(line - proof), "its end cut off");
        line = next;
    }
}

static void test_tampered(void **state)
{
    (void)state;
    zlay_ctx *ctx = new_ctx();
    for (size_t i = 0; i < PIPES; i++) {
        pipe_text text;
        static char proof[PROOF];
        pipe_make(&text, i, fewest(i));
        zlay_pipe *pipe = parse(ctx, text.text);
        size_t length = prove(ctx, pipe, proof);
        change_numbers(ctx, pipe, proof, length);
        change_lines(ctx, pipe, proof, length);
        zlay_pipe_free(pipe);
    }
    zlay_ctx_free(ctx);
}

/* What the verifier refuses has no proof: the recheck finds the fault by itself when the numbers
 * are made to fit. */
static void test_recheck_alone(void **state)
{
    (void)state;
    zlay_ctx *ctx = new_ctx();
    int tried = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t which = 0;
        static char proof[PROOF];
        pipe_text good, broken;
        while (strcmp(pipes[which].name, bad[i].pipe)) which++;
        pipe_make(&good, which, bad[i].stages);
        replace(&broken, bad[i].pipe, bad[i].stages, bad[i].what, bad[i].by);
        zlay_pipe *pipe = parse(ctx, good.text), *other = parse(ctx, broken.text);
        size_t length = prove(ctx, pipe, proof);
        assert_int_equal(recheck(ctx, other, proof, length), ZLAY_NO);
        tried++;
        zlay_pipe_free(pipe);
        zlay_pipe_free(other);
    }
    assert_true(tried > 20);
    zlay_ctx_free(ctx);
}

/* ---- memory and arguments ---- */

typedef struct failing { int64_t left, live; } failing;

static void *fail_alloc(void *user, size_t size)
{
    failing *f = user;
    if (f->left-- <= 0) return NULL;
    f->live++;
    return malloc(size);
}

static void fail_free(void *user, void *ptr, size_t size)
{
    (void)size;
    ((failing *)user)->live -= ptr != NULL;
    free(ptr);
}

/* ZLAY_OK when all went through. */
static zlay_status run_all(zlay_ctx *ctx, const char *text, bool *proved)
{
    static char proof[PROOF];
    zlay_pipe *pipe = NULL;
    zlay_buf buf = {proof, PROOF, 0};
    zlay_answer answer = ZLAY_DEPENDS, again = ZLAY_DEPENDS;
    size_t count = 77;
    zlay_status status = zlay_pipe_parse(ctx, &pipe, text, strlen(text));
    assert_true(!status == (pipe != NULL));
    if (!status) status = zlay_pipe_verify(ctx, &answer, NULL, 0, &count, &buf, pipe);
    if (status) assert_true(answer == ZLAY_DEPENDS && count == 77);
    if (!status && answer == ZLAY_YES)
        status = zlay_pipe_recheck(ctx, &again, pipe, proof, buf.need);
    if (status) assert_int_equal(again, ZLAY_DEPENDS);
    *proved = again == ZLAY_YES;
    zlay_pipe_free(pipe);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    static const struct { size_t pipe; unsigned stages; } rows[] = {{0, 2}, {0, 1}, {2, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_status status = ZLAY_ENOMEM;
        pipe_text text;
        bool proved = false;
        int64_t k;
        pipe_make(&text, rows[i].pipe, rows[i].stages);
        for (k = 1; status == ZLAY_ENOMEM; k++) {
            failing f = {INT32_MAX, 0};
            zlay_ctx *ctx;
            assert_int_equal(zlay_ctx_new(&ctx, &(zlay_allocator){&f, fail_alloc, fail_free}, NULL),
                             ZLAY_OK);
            int64_t live = f.live;
            f.left = k;
            status = run_all(ctx, text.text, &proved);
            assert_int_equal(f.live, live);
            zlay_ctx_free(ctx);
        }
        assert_int_equal(status, ZLAY_OK);
        assert_true(k > 10 && proved == (rows[i].stages >= fewest(rows[i].pipe)));
    }
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
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_stages),
        cmocka_unit_test(test_bad),        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_undecided),  cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_many),       cmocka_unit_test(test_random_text),
        cmocka_unit_test(test_tampered),   cmocka_unit_test(test_recheck_alone),
        cmocka_unit_test(test_memory),     cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
