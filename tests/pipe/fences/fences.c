/* SPDX-License-Identifier: Apache-2.0 */
/* The fewest fences: pipes robbed of theirs get them back, each of them is needed, and no fewer do,
 * wherever they stand. */
#include "heap.h"
#include "pipes/named.h"
#include "pipes/pipe-check.h"

#include <zlay/pipe_fences.h>

enum { FENCES = 32, WAYS = 6, OLD_WAYS = 3 };

static int begin(void **state) { return zlay_ctx_new((zlay_ctx **)state, NULL, NULL); }

static int end(void **state)
{
    zlay_ctx_free(*state);
    return 0;
}

static const char *const ways[WAYS] = {"fence wgmma\n",           "fence proxy.async\n",
                                       "fence mbarrier_init\n",   "fence proxy.tensormap\n",
                                       "fence tcgen05.before\n",  "fence tcgen05.after\n"};

/* The text without its fences; how many there were. */
static size_t rob(pipe_text *p)
{
    size_t robbed = 0;
    for (char *at; (at = strstr(p->text, "fence ")); robbed++) {
        char *next = strchr(at, '\n') + 1;
        memmove(at, next, strlen(next) + 1);
    }
    p->length = strlen(p->text);
    return robbed;
}

static zlay_answer answer_of(zlay_ctx *ctx, const char *text)
{
    zlay_pipe_reason reason;
    zlay_pipe *pipe = NULL;
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) return ZLAY_NO;
    zlay_answer answer = verify(ctx, pipe, &reason);
    zlay_pipe_free(pipe);
    return answer;
}

/* The text with one more line before a line, from 0 on. */
static void insert(char *out, const char *text, size_t line, const char *what)
{
    const char *at = text;
    while (line--) at = strchr(at, '\n') + 1;
    snprintf(out, PIPE_TEXT, "%.*s%s%s", (int)(at - text), text, what, at);
}

static void remove_line(char *out, const char *text, uint32_t line)
{
    const char *at = text;
    while (--line) at = strchr(at, '\n') + 1;
    snprintf(out, PIPE_TEXT, "%.*s%s", (int)(at - text), text, strchr(at, '\n') + 1);
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;
    while ((text = strchr(text, '\n'))) text++, lines++;
    return lines;
}

/* No `count` fences do, of all ways at all lines. */
static bool none_of(zlay_ctx *ctx, const char *text, size_t count, size_t from)
{
    size_t lines = lines_of(text);
    char more[PIPE_TEXT];
    if (!count) return answer_of(ctx, text) != ZLAY_YES;
    for (size_t line = from; line < lines; line++)
        for (int w = 0; w < OLD_WAYS; w++) {
            insert(more, text, line, ways[w]);
            if (!none_of(ctx, more, count - 1, line + 1)) return false;
        }
    return true;
}

/* So many fences at random. */
static void try_random(zlay_ctx *ctx, const char *text, size_t count, uint64_t *seed)
{
    char one[PIPE_TEXT], two[PIPE_TEXT];
    snprintf(one, sizeof one, "%s", text);
    for (size_t i = 0; i < count; i++) {
        size_t line = (size_t)test_range(seed, 1, (int64_t)lines_of(one) - 1);
        insert(two, one, line, ways[test_random(seed) % WAYS]);
        memcpy(one, two, sizeof one);
    }
    if (answer_of(ctx, one) == ZLAY_YES) fail_msg("%zu fences do in\n%s", count, one);
}

static size_t print(char *out, const zlay_pipe *pipe)
{
    zlay_buf buf = {out, PIPE_TEXT, 0};
    assert_int_equal(zlay_pipe_print(&buf, pipe), ZLAY_OK);
    return buf.need;
}

static void check_needed(zlay_ctx *ctx, const char *text, const zlay_pipe_fence *fences, size_t count)
{
    char fewer[PIPE_TEXT], word[64];
    for (size_t i = 0; i < count; i++) {
        const char *at = text;
        for (uint32_t line = 1; line < fences[i].line; line++) at = strchr(at, '\n') + 1;
        snprintf(word, sizeof word, "fence %s\n", fences[i].way);
        at += strspn(at, " ");
        if (strncmp(at, word, strlen(word))) fail_msg("line %u is no %s", fences[i].line, word);
        remove_line(fewer, text, fences[i].line);
        assert_int_not_equal(answer_of(ctx, fewer), ZLAY_YES);
    }
}

static size_t check_robbed(zlay_ctx *ctx, const pipe_text *p, size_t robbed, bool all)
{
    char text[PIPE_TEXT];
    zlay_pipe_fence fences[FENCES];
    zlay_pipe_reason reason;
    size_t count = 0;
    zlay_pipe *pipe = parse(ctx, p->text), *fenced = NULL;
    zlay_status status = zlay_pipe_fences(ctx, &fenced, fences, FENCES, &count, pipe);
    if (status) fail_msg("%s\n%s", p->text, zlay_ctx_message(ctx));
    assert_in_range(count, 0, robbed);
    assert_int_equal(verify(ctx, fenced, &reason), ZLAY_YES);
    print(text, fenced);
    check_needed(ctx, text, fences, count);
    print(text, pipe);
    size_t most = test_iterations(1) > 1 ? 3 : 2;
    if (all && count && count <= most) assert_true(none_of(ctx, text, count - 1, 1));
    zlay_pipe_free(pipe);
    zlay_pipe_free(fenced);
    return count;
}

static void test_robbed(void **state)
{
    uint64_t seed = test_seed("fences");
    for (size_t i = 0; i < PIPES; i++) {
        static pipe_text p;
        pipe_make(&p, i, 4);
        size_t robbed = rob(&p), count = check_robbed(*state, &p, robbed, true);
        printf("%s: %zu of %zu fences\n", pipes[i].name, count, robbed);
        for (uint64_t k = 0; k < test_iterations(25); k++)
            try_random(*state, p.text, count - 1, &seed);
    }
}

/* Of one way at a time, all smaller sets of all ways at all lines. */
static void test_all_places(void **state)
{
    for (size_t i = 0; i < PIPES; i++)
        for (int w = 0; w < OLD_WAYS; w++) {
            static pipe_text p;
            size_t robbed = 0;
            pipe_make(&p, i, 4);
            for (char *at; (at = strstr(p.text, ways[w])); robbed++)
                memmove(at, at + strlen(ways[w]), strlen(at + strlen(ways[w])) + 1);
            p.length = strlen(p.text);
            check_robbed(*state, &p, robbed, robbed < 3);
        }
}

/* Clusters, tensor maps, tensor memory: the whole language, as long as the set of ways at hand. */
static void test_named(void **state)
{
    static const char *const names[] = {"ring", "blackwell", "grouped", "attention", "streamk"};
    uint64_t seed = test_seed("named fences");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        static char text[NAMED_TEXT];
        static pipe_text p;
        named_read(text, names[i], 2);
        zlay_pipe *pipe = parse(*state, text);
        p.length = print(p.text, pipe);
        zlay_pipe_free(pipe);
        size_t robbed = rob(&p), count = check_robbed(*state, &p, robbed, false);
        printf("%s: %zu of %zu fences\n", names[i], count, robbed);
        for (uint64_t k = 0; k < test_iterations(8); k++)
            try_random(*state, p.text, count - 1, &seed);
    }
}

static void test_none(void **state)
{
    static pipe_text p;
    zlay_pipe *pipe, *out = NULL;
    size_t count = 7;
    replace(&p, "tensor", 4, "waitgroup wgmma 1\n", "");
    pipe = parse(*state, p.text);
    assert_int_equal(zlay_pipe_fences(*state, &out, NULL, 0, &count, pipe), ZLAY_NONE);
    assert_null(out);
    assert_int_equal(count, 7);
    assert_non_null(strstr(zlay_ctx_message(*state), "overwrite: line "));
    assert_int_equal(zlay_pipe_fences(*state, NULL, NULL, 0, &count, pipe), ZLAY_EINVAL);
    assert_int_equal(zlay_pipe_fences(*state, &out, NULL, 1, &count, pipe), ZLAY_EINVAL);
    assert_int_equal(zlay_pipe_fences(*state, &out, NULL, 0, NULL, pipe), ZLAY_EINVAL);
    assert_int_equal(zlay_pipe_fences(*state, &out, NULL, 0, &count, NULL), ZLAY_EINVAL);
    zlay_pipe_free(pipe);
}

/* Without any of its own nothing is inserted into a correct pipe. */
static void test_correct(void **state)
{
    static pipe_text p;
    static char before[PIPE_TEXT], after[PIPE_TEXT];
    for (size_t i = 0; i < PIPES; i++) {
        size_t count = 1;
        zlay_pipe *out;
        pipe_make(&p, i, 3);
        zlay_pipe *pipe = parse(*state, p.text);
        assert_int_equal(zlay_pipe_fences(*state, &out, NULL, 0, &count, pipe), ZLAY_OK);
        assert_int_equal(count, 0);
        print(before, pipe);
        print(after, out);
        assert_string_equal(before, after);
        zlay_pipe_free(pipe);
        zlay_pipe_free(out);
    }
}

static void test_memory(void **state)
{
    (void)state;
    for (size_t k = 1;; k += 1 + k / 8) {
        static pipe_text p;
        heap h = {0};
        zlay_allocator alloc = {&h, heap_take, heap_give};
        zlay_ctx *ctx;
        zlay_pipe *out;
        size_t count;
        pipe_make(&p, PIPES - 1, 2);
        rob(&p);
        assert_int_equal(zlay_ctx_new(&ctx, &alloc, NULL), ZLAY_OK);
        zlay_pipe *pipe = parse(ctx, p.text);
        h.fails_at = h.calls + k;
        zlay_status status = zlay_pipe_fences(ctx, &out, NULL, 0, &count, pipe);
        bool over = h.calls < h.fails_at;
        assert_int_equal(status, over ? ZLAY_OK : ZLAY_ENOMEM);
        zlay_pipe_free(pipe);
        zlay_pipe_free(out);
        zlay_ctx_free(ctx);
        assert_int_equal(h.live, 0);
        if (over) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_robbed),  cmocka_unit_test(test_all_places), cmocka_unit_test(test_none),
        cmocka_unit_test(test_named),
        cmocka_unit_test(test_correct), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
