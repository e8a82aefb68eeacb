/* SPDX-License-Identifier: Apache-2.0 */
/* Every single edit of the named set is decided: unless ZLAY_EXHAUSTIVE=1, one in 8.  What SPIN says
 * of them is asked in x-pipe-agree. */
#include "named.h"
#include "pipe-edits.h"

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

typedef struct world {
    const char *name;
    size_t every, next; /* one edit in so many is looked at, beginning with that */
    int yes, no, unread, undecided;
} world;

static bool is_chosen(world *w)
{
    bool chosen = w->next == 0;
    w->next = chosen ? w->every - 1 : w->next - 1;
    return chosen;
}

/* NULL where the text is no pipe. */
static zlay_pipe *decided(world *w, const pipe_edit *edit, const char *text, size_t length,
                          zlay_answer *answer, zlay_pipe_reason *reason)
{
    zlay_pipe *pipe;
    size_t count = 0;
    if (zlay_pipe_parse(ctx, &pipe, text, length)) {
        w->unread++;
        return NULL;
    }
    assert_int_equal(zlay_pipe_verify(ctx, answer, reason, 1, &count, NULL, pipe), ZLAY_OK);
    w->yes += *answer == ZLAY_YES;
    w->no += *answer == ZLAY_NO;
    assert_true((*answer == ZLAY_NO) == (count > 0));
    if (*answer == ZLAY_NO) assert_non_null(zlay_pipe_rule_name(reason->rule));
    if (*answer == ZLAY_NO) assert_true(reason->line > 0);
    if (*answer != ZLAY_UNDECIDED) return pipe;
    w->undecided++;
    print_message("undecided: %s: %s: %s\n", w->name, edit->what, zlay_ctx_message(ctx));
    return pipe;
}

/* ---- all edits ---- */

static void decide(void *user, const pipe_edit *edit, const char *text, size_t length)
{
    zlay_answer answer = ZLAY_UNDECIDED;
    zlay_pipe_reason reason = {0};
    if (is_chosen(user)) zlay_pipe_free(decided(user, edit, text, length, &answer, &reason));
}

static void test_decided(void **state)
{
    static char text[NAMED_TEXT];
    uint64_t seed = test_seed("decided");
    (void)state;
    for (size_t i = 0; i < NAMED; i++) {
        world w = {.name = named[i].name, .every = test_exhaustive() ? 1 : 8};
        w.next = seed % w.every;
        size_t length = named_read(text, w.name, named[i].fewest);
        pipe_edits_all(ctx, text, length, decide, &w);
        printf("%s: %d accepted, %d refused, %d undecided, %d are no pipes\n", w.name, w.yes, w.no,
               w.undecided, w.unread);
        assert_true(w.no > w.yes);
        assert_int_equal(w.undecided, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_decided)};
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
