/* SPDX-License-Identifier: Apache-2.0 */
/* SPIN on a few pipes of the named set, which no interleaving breaks, and on a few with a bug, each
 * of which some interleaving shows.  models/pipe_spin has all of them. */
#define _POSIX_C_SOURCE 200809L
#include "pipes/pipe-bugs.h"
#include "pipes/spin.h"
#include "group_ctx.h"

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

/* What a thread did in another block before it ends is over when somebody told that block; its exit
 * tells nobody. */
static const char told[] =
    "pipe told\ncluster 2\nsmem A[1] 64\nbar there[1] count 1\nbar here[1] count 32\n"
    "init there\ninit here\nfence mbarrier_init\nsync cluster\n"
    "role x warps 0..0 cta 0\n  %s\n  arrive here[0] threads\n%send\n"
    "role y warps 1..1 cta 0\n%s  sync cluster\nend\n"
    "role z warps 0..0 cta 1\n  sync cluster\n%send\n";

static void check_told(const char *act, const char *end, const char *wait, const char *take, bool fails)
{
    char text[1024];
    zlay_pipe *pipe;
    zlay_answer answer;
    size_t count, length = (size_t)snprintf(text, sizeof text, told, act, end, wait, take);
    assert_int_equal(zlay_pipe_parse(ctx, &pipe, text, length), ZLAY_OK);
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, NULL, pipe), ZLAY_OK);
    for (int split = PML_WHOLE; split < PML_SPLITS; split++) {
        spin_verdict v = spin_ask(pipe, (int64_t[]){0}, split, 60);
        assert_int_equal(v.sort, fails ? SPIN_FAULT : SPIN_SAFE);
        if (fails) assert_true(v.rule == ZLAY_PIPE_PEER || v.rule == ZLAY_PIPE_EXIT);
    }
    assert_int_equal(answer, fails ? ZLAY_NO : ZLAY_YES);
    zlay_pipe_free(pipe);
}

static void test_told(void **state)
{
    static const char arrives[] = "arrive there[0] cta 1", writes[] = "write A[0] 64 cta 1",
                      waits[] = "  wait here[0] parity 0 / 1 % 2\n", reads[] = "  read A[0]\n";
    (void)state;
    if (!spin_found()) skip();
    check_told(arrives, "", waits, "", false);
    check_told(arrives, "", "", "", true);
    check_told(arrives, "  sync cluster\n", "", "", false);
    check_told(arrives, "  sync role\n", "", "", true);
    check_told(writes, "", waits, reads, false);
    check_told(writes, "", "", "", true);
    check_told(writes, "  join cluster\n", "", reads, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_right), cmocka_unit_test(test_wrong),
                                       cmocka_unit_test(test_told)};
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
