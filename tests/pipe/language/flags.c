/* SPDX-License-Identifier: Apache-2.0 */
/* Flags that a wait clears, and global memory that is added to registers: what is read is printed alike, and what is refused. */
#include "group_ctx.h"

#include <string.h>
#include <zlay/zlay.h>

#define HEAD "pipe p\ncluster 2\nparam T 2..\nflag f[1]\nflag own[1] each\nflag two[2]\nglobal W[1]\nglobal V[1] each\nsmem A[1] 64\n"
#define RAISER(events) "role a warps 0..3 cta 0\n" events "end\n"
#define WAITER(events) "role b warps 4..7 cta 0\n" events "end\n"

static zlay_pipe *parsed(const char *text)
{
    zlay_pipe *pipe = NULL;
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) fail_msg("%s", zlay_ctx_message(ctx));
    return pipe;
}

/* Text that is read, and printed as it is. */
static void check_reads(const char *text)
{
    char first[2048], second[2048];
    zlay_buf a = {first, sizeof first, 0}, b = {second, sizeof second, 0};
    zlay_pipe *pipe = parsed(text), *again = NULL;
    assert_int_equal(zlay_pipe_print(&a, pipe), ZLAY_OK);
    again = parsed(first);
    assert_int_equal(zlay_pipe_print(&b, again), ZLAY_OK);
    assert_string_equal(first, second);
    zlay_pipe_free(pipe);
    zlay_pipe_free(again);
}

static void reads(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEAD RAISER("raise f[0]\n") WAITER("await f[0] 1 clear\n"),
        HEAD RAISER("raise f[0] times 3\n") WAITER("await f[0] 3 clear\n"),
        HEAD RAISER("for t in T-2..T-1\nraise f[0]\nend\n") WAITER("for t in T-1..T\nawait f[0] 1 clear\nend\n"),
        HEAD RAISER("for t in 3..4\nfor i in 0..1\nraise f[0]\nend\nend\n") WAITER("await f[0] 1 clear\nfor t in 0..T\nend\n"),
        HEAD "role a warps 0..7 each 4 cta 1\nraise own[0]\nend\nrole b warps 0..7 each 4 cta 0\nawait own[0] 1 clear\nend\n",
        HEAD RAISER("use C\nread W[0] add C\n") WAITER(""),
        HEAD RAISER("use C\nuse E\nread V[0] add C\nread V[0] add E\nread W[0]\n") WAITER(""),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check_reads(texts[i]);
}

static void refuses(void **state)
{
    (void)state;
    static const char *const counts = "is awaited up to all that its raise adds", *const once = "is raised and awaited once",
                             *const own = "by one block, and by one instance", *const one = "one stage, one raise and one await";
    static const struct {
        const char *text, *word;
    } wrong[] = {
        {HEAD RAISER("raise f[0]\n") WAITER("await f[0] 2 clear\n"), counts},
        {HEAD RAISER("raise f[0] times 2\n") WAITER("await f[0] 1 clear\n"), counts},
        {HEAD RAISER("raise f[0]\n") WAITER("await f[0] 0 clear\n"), counts},
        {HEAD RAISER("for t in 0..T\nraise f[0]\nend\n") WAITER("await f[0] 1 clear\n"), once},
        {HEAD RAISER("raise f[0]\n") WAITER("for t in T-2..T\nawait f[0] 1 clear\nend\n"), once},
        {HEAD RAISER("raise f[0]\n") WAITER("for t in 0..2 step 2\nawait f[0] 1 clear\nend\n"), once},
        {HEAD RAISER("raise f[0]\n") WAITER("for t in 0..1\nfor i in 0..T\nawait f[0] 1 clear\nend\nend\n"), once},
        {HEAD RAISER("raise f[0]\nraise f[0]\n") WAITER("await f[0] 1 clear\n"), one},
        {HEAD RAISER("raise f[0]\n") WAITER("await f[0] 1\nawait f[0] 1 clear\n"), one},
        {HEAD RAISER("") WAITER("await f[0] 1 clear\n"), one},
        {HEAD RAISER("raise two[0]\n") WAITER("await two[0] 1 clear\n"), one},
        {HEAD "role a warps 0..3\nraise f[0]\nend\n" WAITER("await f[0] 1 clear\n"), own},
        {HEAD RAISER("raise f[0]\n") "role b warps 4..11 each 4 cta 0\nawait f[0] 1 clear\nend\n", own},
        {HEAD "role a warps 0..7 each 4 cta 0\nraise f[0]\nend\nrole b warps 8..11 cta 0\nawait f[0] 1 clear\nend\n", own},
        {HEAD RAISER("raise f[0] clear\n"), "something stands behind the event"},
        {HEAD RAISER("use C\nread A[0] add C\n"), "registers are added what is in global memory"},
        {HEAD RAISER("read W[0] add\n"), "name"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        zlay_pipe *pipe = NULL;
        assert_int_equal(zlay_pipe_parse(ctx, &pipe, wrong[i].text, strlen(wrong[i].text)), ZLAY_EINVAL);
        assert_null(pipe);
        if (!strstr(zlay_ctx_message(ctx), wrong[i].word)) fail_msg("%s: %s", wrong[i].word, zlay_ctx_message(ctx));
    }
}

/* Sums that no product or body began are nothing to add to. */
static void verifies(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        zlay_answer answer;
    } rows[] = {
        {"pipe p\ncluster 2\nflag f[1]\nglobal W[1]\nrole a warps 0..3 cta 1\nwrite W[0]\nsync role\nraise f[0]\nend\n"
         "role b warps 0..3 cta 0\nuse C\nawait f[0] 1 clear\nsync role\nread W[0] add C\nend\n", ZLAY_YES},
        {"pipe p\ncluster 2\nflag f[1]\nglobal W[1]\nrole a warps 0..3 cta 1\nwrite W[0]\nraise f[0]\nend\n"
         "role b warps 0..3 cta 0\nuse C\nawait f[0] 1 clear\nsync role\nread W[0] add C\nend\n", ZLAY_NO},
        {"pipe p\ncluster 2\nflag f[1]\nglobal W[1]\nrole a warps 0..3 cta 1\nwrite W[0]\nsync role\nraise f[0]\nend\n"
         "role b warps 0..3 cta 0\nuse C\nread W[0] add C\nawait f[0] 1 clear\nend\n", ZLAY_NO},
        {"pipe p\nsmem A[1] 8192\nsmem B[1] 8192\nglobal W[1]\nrole a warps 0..3\nwrite A[0]\nwrite B[0]\nwrite W[0]\nfence proxy.async\nsync role\n"
         "fence wgmma\nmma A[0], B[0] -> C fresh\ncommit wgmma\nread W[0] add C\nwaitgroup wgmma 0\nend\n", ZLAY_NO},
        {"pipe p\nsmem A[1] 8192\nsmem B[1] 8192\nglobal W[1]\nrole a warps 0..3\nwrite A[0]\nwrite B[0]\nwrite W[0]\nfence proxy.async\nsync role\n"
         "fence wgmma\nmma A[0], B[0] -> C fresh\ncommit wgmma\nwaitgroup wgmma 0\nread W[0] add C\nend\n", ZLAY_YES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_answer answer = ZLAY_DEPENDS;
        size_t count = 0;
        zlay_pipe *pipe = parsed(rows[i].text);
        assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, NULL, pipe), ZLAY_OK);
        if (answer != rows[i].answer) fail_msg("row %zu: %d", i, (int)answer);
        zlay_pipe_free(pipe);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads), cmocka_unit_test(refuses), cmocka_unit_test(verifies)};
    return cmocka_run_group_tests_name("pipe/language/flags", tests, open_ctx, close_ctx);
}
