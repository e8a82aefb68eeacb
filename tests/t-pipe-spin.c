/* SPDX-License-Identifier: Apache-2.0 */
/* SPIN on a few pipes of the named set, which no interleaving breaks, and on a few with a bug, each
 * of which some interleaving shows.  x-pipe-spin has all of them. */
#define _POSIX_C_SOURCE 200809L
#include "pipe-bugs.h"
#include "spin.h"

static zlay_ctx *ctx;

static int open_ctx(void **state)
{
    (void)state;
    return zlay_ctx_new(&ctx, NULL, NULL);
}

static int close_ctx(void **state)
{
    (void)state;
    zlay_ctx_free(ctx);
    return 0;
}

static void check_right(const char *name, unsigned stages, int split, const int64_t *trips)
{
    static char text[NAMED_TEXT];
    zlay_pipe *pipe;
    size_t length = named_read(text, name, stages);
    assert_int_equal(zlay_pipe_parse(ctx, &pipe, text, length), ZLAY_OK);
    spin_verdict v = spin_ask(pipe, trips, split, 60);
    printf("%s: %ld states\n", name, v.states);
    if (v.sort == SPIN_FAULT)
        fail_msg("%s: %s, line %d", name, zlay_pipe_rule_name(v.rule), v.line);
    assert_int_equal(v.sort, SPIN_SAFE);
    assert_true(v.states > 50);
    zlay_pipe_free(pipe);
}

static void test_right(void **state)
{
    (void)state;
    if (!spin_found()) skip();
    check_right("ring", 2, PML_LANES, (int64_t[]){3});
    check_right("cooperative", 2, PML_WARPS, (int64_t[]){3});
    check_right("blackwell", 2, PML_LANES, (int64_t[]){2, 1});
    check_right("lds_pipelined", 2, PML_WARPS, (int64_t[]){3});
}

static void test_wrong(void **state)
{
    enum { EVERY = 9 };
    (void)state;
    if (!spin_found()) skip();
    for (size_t i = test_seed("wrong") % EVERY; i < PIPE_BUGS; i += EVERY) {
        const pipe_bug *bug = &pipe_bugs[i];
        zlay_pipe *pipe = pipe_bug_make(ctx, bug);
        spin_verdict v = spin_ask(pipe, bug->trips, PML_LANES, 60);
        if (v.sort != SPIN_FAULT) v = spin_ask(pipe, bug->trips, PML_WARPS, 60);
        if (v.sort != SPIN_FAULT) fail_msg("%s: %s: no run shows it", bug->class, bug->pipe);
        printf("%s: %s: %s\n", bug->class, bug->pipe, zlay_pipe_rule_name(v.rule));
        zlay_pipe_free(pipe);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_right), cmocka_unit_test(test_wrong)};
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
