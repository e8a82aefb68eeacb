/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs by runs are made again by a checker of its own: those of the named set are accepted, each
 * changed number and line is refused, and memory may end on the way. */
#include "heap.h"
#include "pipes/named.h"

#include "pipe/replay/recheck/runs.h"

#include <ctype.h>
#include <zlay/pipe.h>

enum { PROOF = 1 << 15 };

typedef struct proof {
    zlay_pipe *pipe;
    char text[PROOF];
    size_t length;
} proof;

static void prove_text(zlay_ctx *ctx, proof *p, const char *text, size_t length)
{
    zlay_buf buf = {p->text, sizeof p->text, 0};
    zlay_answer answer = ZLAY_DEPENDS;
    size_t count = 0;
    if (zlay_pipe_parse(ctx, &p->pipe, text, length)) fail_msg("%s", zlay_ctx_message(ctx));
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, &buf, p->pipe), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    p->length = buf.need;
}

static void prove(zlay_ctx *ctx, proof *p, const char *name, unsigned stages)
{
    static char text[NAMED_TEXT];
    size_t length = named_read(text, name, stages);
    prove_text(ctx, p, text, length);
}

static zlay_answer recheck(zlay_ctx *ctx, const zlay_pipe *pipe, const char *text, size_t length)
{
    zlay_answer answer = ZLAY_DEPENDS;
    assert_int_equal(zlay_pipe_recheck(ctx, &answer, pipe, text, length), ZLAY_OK);
    return answer;
}

static void test_named(void **state)
{
    static proof p;
    zlay_ctx *ctx;
    int runs = 0;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (size_t i = 0; i < NAMED; i++)
        for (unsigned more = 0; more < (test_exhaustive() ? 7 : 1 + (i % 2)); more++) {
            prove(ctx, &p, named[i].name, named[i].fewest + more);
            runs += strstr(p.text, " by runs\n") != NULL;
            if (recheck(ctx, p.pipe, p.text, p.length) != ZLAY_YES)
                fail_msg("%s: %s", named[i].name, zlay_ctx_message(ctx));
            zlay_pipe_free(p.pipe);
        }
    assert_true(runs >= 20);
    zlay_ctx_free(ctx);
}

/* ---- what is changed is refused ---- */

static void must_fail(zlay_ctx *ctx, const zlay_pipe *pipe, const char *text, size_t length,
                      const char *what)
{
    if (recheck(ctx, pipe, text, length) != ZLAY_NO) fail_msg("still proved with %s", what);
    assert_non_null(strstr(zlay_ctx_message(ctx), "of the proof"));
}

static int change_numbers(zlay_ctx *ctx, const proof *p)
{
    static char changed[PROOF + 8];
    int tried = 0;
    for (size_t at = 0; at < p->length; at++) {
        if (!isdigit((unsigned char)p->text[at]) || isalnum((unsigned char)p->text[at - 1]))
            continue;
        char *end;
        long long number = strtoll(p->text + at, &end, 10);
        for (int step = -1; step <= 1; step += 2) {
            if (number + step < 0) continue;
            int n = snprintf(changed, sizeof changed, "%.*s%lld%s", (int)at, p->text, number + step,
                             end);
            must_fail(ctx, p->pipe, changed, (size_t)n, changed + (at > 40 ? at - 40 : 0));
            tried++;
        }
    }
    return tried;
}

/* The first line says what a proof is: without it there is none. */
static void change_lines(zlay_ctx *ctx, const proof *p)
{
    static char changed[2 * PROOF];
    for (const char *line = strchr(p->text, '\n') + 1; *line;) {
        const char *next = strchr(line, '\n') + 1;
        int n = snprintf(changed, sizeof changed, "%.*s%s", (int)(line - p->text), p->text, next);
        must_fail(ctx, p->pipe, changed, (size_t)n, "a line left out");
        n = snprintf(changed, sizeof changed, "%.*s%s", (int)(next - p->text), p->text, line);
        must_fail(ctx, p->pipe, changed, (size_t)n, "a line doubled");
        must_fail(ctx, p->pipe, p->text, (size_t)(line - p->text), "its end cut off");
        line = next;
    }
}

/* A word left out, or said twice. */
static void change_words(zlay_ctx *ctx, const proof *p)
{
    static char changed[2 * PROOF];
    for (const char *at = strchr(p->text, '\n') + 1; *at; at++) {
        if (!isalpha((unsigned char)*at) || isalpha((unsigned char)at[-1])) continue;
        size_t word = strcspn(at, " \n");
        int n =
            snprintf(changed, sizeof changed, "%.*s%s", (int)(at - p->text), p->text, at + word);
        must_fail(ctx, p->pipe, changed, (size_t)n, "a word left out");
        n = snprintf(changed, sizeof changed, "%.*s %.*s %s", (int)(at - p->text), p->text,
                     (int)word, at, at);
        must_fail(ctx, p->pipe, changed, (size_t)n, "a word doubled");
    }
}

static void test_tampered(void **state)
{
    static const char *const names[] = {"attention", "streamk", "blackwell", "grouped",
                                        "lds_double"};
    static proof p;
    zlay_ctx *ctx;
    int tried = 0;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        prove(ctx, &p, names[i], 2);
        tried += change_numbers(ctx, &p);
        change_lines(ctx, &p);
        change_words(ctx, &p);
        zlay_pipe_free(p.pipe);
    }
    assert_true(tried > 100);
    zlay_ctx_free(ctx);
}

/* A proof is of its pipe: with one line of that left out it is refused, whether a run fails or its
 * numbers of events are others. */
static void test_other_pipe(void **state)
{
    static const char *const lines[] = {"arrive emptyK",     "commit wgmma", "waitgroup wgmma 0",
                                        "fence proxy.async", "use O",        "join named 2",
                                        "sync role",         "wait fullV"};
    static char text[NAMED_TEXT];
    static proof p;
    zlay_ctx *ctx;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    prove(ctx, &p, "attention", 2);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        zlay_pipe *other;
        size_t length = named_read(text, "attention", 2);
        *strstr(text, lines[i]) = '#';
        assert_int_equal(zlay_pipe_parse(ctx, &other, text, length), ZLAY_OK);
        must_fail(ctx, other, p.text, p.length, lines[i]);
        zlay_pipe_free(other);
    }
    zlay_pipe_free(p.pipe);
    zlay_ctx_free(ctx);
}

/* ---- longer trips ---- */

/* With three steps the first turn loads twice, and what was loaded first is never used. With two the
 * registers are at the second turn what they were at the first: greater trips do not follow, as they
 * do not have their first turn in common with it. */
static void test_first_turn(void **state)
{
    static const char text[] = "pipe triangle\nparam N 2..\nrole waves warps 0..3\n"
                               "  load 16 -> R\n  waitcount memory 0\n  use R\n"
                               "  for i in 0..N\n    for j in i..N-1\n      load 16 -> R\n    end\n"
                               "    waitcount memory 0\n    use R\n  end\nend\n";
    static const char first[] = "proof triangle by runs\nrun N 2 every 1 events 20\nend\n";
    int32_t rule = 0;
    zlay_pipe *pipe;
    zlay_ctx *ctx;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    assert_int_equal(zlay_pipe_parse(ctx, &pipe, text, sizeof text - 1), ZLAY_OK);
    assert_int_equal(zl_rc_try(ctx, &rule, pipe, (const int64_t[]){2}), ZLAY_OK);
    assert_int_equal(rule, 0);
    assert_int_equal(zl_rc_try(ctx, &rule, pipe, (const int64_t[]){3}), ZLAY_OK);
    assert_int_equal(rule, ZLAY_PIPE_GROUP);
    assert_int_equal(recheck(ctx, pipe, first, sizeof first - 1), ZLAY_NO);
    zlay_pipe_free(pipe);
    zlay_ctx_free(ctx);
}

/* The block that stores waits for the other one to end its loop before it begins its own, while its
 * producer is in one already: each block repeats by itself, the other standing still. */
static void test_apart(void **state)
{
    static char text[NAMED_TEXT];
    static proof p;
    zlay_ctx *ctx;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (unsigned stages = 2; stages < 5; stages++) {
        named_read(text, "streamk", stages);
        char *await = strstr(text, "  await done[0] 1\n");
        char *from = strchr(strstr(text, "role owner"), '\n') + 1;
        memmove(from + 18, from, (size_t)(await - from));
        memcpy(from, "  await done[0] 1\n", 18);
        prove_text(ctx, &p, text, strlen(text));
        assert_int_equal(recheck(ctx, p.pipe, p.text, p.length), ZLAY_YES);
        zlay_pipe_free(p.pipe);
    }
    zlay_ctx_free(ctx);
}

/* ---- limits, memory ---- */

static void test_limits(void **state)
{
    static proof p;
    zlay_ctx *ctx, *small;
    zlay_limits limits = {.size = sizeof limits, .points = 1000};
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    prove(ctx, &p, "grouped", 2);
    assert_int_equal(zlay_ctx_new(&small, NULL, &limits), ZLAY_OK);
    assert_int_equal(recheck(small, p.pipe, p.text, p.length), ZLAY_UNDECIDED);
    assert_non_null(strstr(zlay_ctx_message(small), "points"));
    zlay_pipe_free(p.pipe);
    zlay_ctx_free(small);
    zlay_ctx_free(ctx);
}

static void fail_each(const proof *p)
{
    for (size_t k = 1;; k += 1 + k / 8) {
        heap h = {0};
        zlay_allocator alloc = {&h, heap_take, heap_give};
        zlay_ctx *ctx;
        zlay_answer answer = ZLAY_DEPENDS;
        assert_int_equal(zlay_ctx_new(&ctx, &alloc, NULL), ZLAY_OK);
        h.fails_at = h.calls + k;
        zlay_status status = zlay_pipe_recheck(ctx, &answer, p->pipe, p->text, p->length);
        bool over = h.calls < h.fails_at;
        assert_int_equal(status, over ? ZLAY_OK : ZLAY_ENOMEM);
        assert_int_equal(answer, over ? ZLAY_YES : ZLAY_DEPENDS);
        zlay_ctx_free(ctx);
        assert_int_equal(h.live, 0);
        if (over) break;
    }
}

static void test_memory(void **state)
{
    static const char *const names[] = {"cooperative_multicast", "blackwell", "streamk"};
    static proof p;
    zlay_ctx *ctx;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        prove(ctx, &p, names[i], 2);
        fail_each(&p);
        zlay_pipe_free(p.pipe);
    }
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named),      cmocka_unit_test(test_tampered),
        cmocka_unit_test(test_other_pipe), cmocka_unit_test(test_first_turn),
        cmocka_unit_test(test_apart),      cmocka_unit_test(test_limits),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
