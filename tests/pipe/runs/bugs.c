/* SPDX-License-Identifier: Apache-2.0 */
/* The named set verifies; each bug of pipe-bugs.h is refused, by its rule.  models/pipe_bugs and
 * models/pipe_spin show that the same pipes run and that the same bugs happen. */
#include "pipes/pipe-bugs.h"
#include "group_ctx.h"

static void check_right(size_t i, unsigned stages)
{
    static char text[NAMED_TEXT];
    zlay_pipe *pipe;
    zlay_pipe_reason reason = {0};
    zlay_answer answer = ZLAY_UNDECIDED;
    size_t count = 0, length = named_read(text, named[i].name, stages);
    assert_int_equal(zlay_pipe_parse(ctx, &pipe, text, length), ZLAY_OK);
    assert_int_equal(zlay_pipe_verify(ctx, &answer, &reason, 1, &count, NULL, pipe), ZLAY_OK);
    if (answer == ZLAY_NO)
        fail_msg("%s with %u stages: %s, line %u", named[i].name, stages,
                 zlay_pipe_rule_name(reason.rule), reason.line);
    if (answer != ZLAY_YES)
        fail_msg("%s with %u stages: %s", named[i].name, stages, zlay_ctx_message(ctx));
    zlay_pipe_free(pipe);
}

static void test_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMED; i++)
        for (unsigned stages = named[i].fewest; stages < named[i].fewest + 2; stages++)
            check_right(i, stages);
    for (unsigned stages = 2; stages <= 8; stages++) check_right(0, stages);
}

/* Any of the reasons is one of the bug's rules. */
static bool names_rule(const zlay_pipe_reason *reasons, size_t count, const int32_t *rules)
{
    for (size_t i = 0; i < count; i++)
        if (reasons[i].rule == rules[0] || reasons[i].rule == rules[1]) return true;
    return false;
}

static void test_wrong(void **state)
{
    enum { REASONS = 16 };
    int others = 0;
    (void)state;
    for (size_t i = 0; i < PIPE_BUGS; i++) {
        const pipe_bug *bug = &pipe_bugs[i];
        zlay_pipe *pipe = pipe_bug_make(ctx, bug);
        zlay_pipe_reason reasons[REASONS];
        zlay_answer answer = ZLAY_YES;
        size_t count = 0;
        assert_int_equal(zlay_pipe_verify(ctx, &answer, reasons, REASONS, &count, NULL, pipe),
                         ZLAY_OK);
        const char *wanted = zlay_pipe_rule_name(bug->rules[0]);
        if (answer != ZLAY_NO)
            fail_msg("%s: %s with \"%s\": %d", bug->class, bug->pipe, bug->by, (int)answer);
        if (!names_rule(reasons, count < REASONS ? count : REASONS, bug->rules)) {
            print_message("%s: %s without \"%s\": %s, line %u, not %s\n", bug->class, bug->pipe,
                          bug->what, zlay_pipe_rule_name(reasons[0].rule), reasons[0].line, wanted);
            others++;
        }
        zlay_pipe_free(pipe);
    }
    assert_int_equal(others, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_right), cmocka_unit_test(test_wrong)};
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
