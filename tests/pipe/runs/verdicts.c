/* SPDX-License-Identifier: Apache-2.0 */
/* The named set is correct with every number of stages from the fewest on; verdicts and
 * runs of faults when memory ends. */
#include "heap.h"
#include "pipes/named.h"

#include <stdlib.h>
#include <zlay/pipe.h>

enum { OUT = 1 << 18 };

static zlay_pipe *read_pipe(zlay_ctx *ctx, const char *name, unsigned stages)
{
    static char text[NAMED_TEXT];
    zlay_pipe *pipe;
    size_t length = named_read(text, name, stages);
    if (zlay_pipe_parse(ctx, &pipe, text, length)) fail_msg("%s: %s", name, zlay_ctx_message(ctx));
    return pipe;
}

static void test_correct(void **state)
{
    (void)state;
    zlay_ctx *ctx;
    unsigned most = test_exhaustive() ? 8 : 3;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (size_t i = 0; i < NAMED; i++)
        for (unsigned stages = named[i].fewest; stages <= most || stages == named[i].fewest; stages++) {
            zlay_pipe *pipe = read_pipe(ctx, named[i].name, stages);
            zlay_pipe_reason reason = {0};
            zlay_answer answer = ZLAY_DEPENDS;
            size_t count = 1;
            assert_int_equal(zlay_pipe_verify(ctx, &answer, &reason, 1, &count, NULL, pipe), ZLAY_OK);
            if (answer != ZLAY_YES)
                fail_msg("%s with %u stages: %d, %s at line %u against %u", named[i].name, stages, (int)answer,
                         count ? zlay_pipe_rule_name(reason.rule) : zlay_ctx_message(ctx), reason.line, reason.other);
            zlay_pipe_free(pipe);
        }
    zlay_ctx_free(ctx);
}

/* The k-th allocation fails: ENOMEM, nothing is left, outputs are untouched. */
static void judge_in(const char *text, size_t length)
{
    static char out[OUT];
    for (size_t k = 1;; k += 1 + k / 8) {
        heap h = {0};
        zlay_allocator alloc = {&h, heap_take, heap_give};
        zlay_ctx *ctx;
        zlay_pipe *pipe;
        zlay_buf buf = {out, sizeof out, 0};
        zlay_answer answer = ZLAY_DEPENDS;
        size_t count = 77;
        assert_int_equal(zlay_ctx_new(&ctx, &alloc, NULL), ZLAY_OK);
        assert_int_equal(zlay_pipe_parse(ctx, &pipe, text, length), ZLAY_OK);
        h.fails_at = h.calls + k;
        zlay_status status = zlay_pipe_verify(ctx, &answer, NULL, 0, &count, &buf, pipe);
        if (!status && answer == ZLAY_NO) status = zlay_pipe_trace(ctx, &buf, pipe);
        bool over = h.calls < h.fails_at;
        assert_int_equal(status, over ? ZLAY_OK : ZLAY_ENOMEM);
        zlay_pipe_free(pipe);
        zlay_ctx_free(ctx);
        assert_int_equal(h.live, 0);
        if (over) return;
    }
}

static void test_memory(void **state)
{
    (void)state;
    static const char *const names[] = {"cooperative_multicast", "blackwell", "grouped", "streamk", "uneven"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        static char text[NAMED_TEXT];
        size_t length = named_read(text, names[i], 2);
        judge_in(text, length);
        char *arrive = strstr(text, "commit"); /* the first commit is lost */
        memset(arrive, '#', 1);
        judge_in(text, length);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_correct), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
