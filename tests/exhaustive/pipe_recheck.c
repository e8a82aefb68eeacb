/* SPDX-License-Identifier: Apache-2.0 */
/* Every single edit of the named set and of plans of GEMMs, by the verifier and by the checker of its proofs: what is
 * accepted is proved again, what is refused has the same run end in a fault. One in 23, under
 * ZLAY_EXHAUSTIVE=1 one in 3, under 2 all. (exhaustive/pipe_edits decides all of them under 1, too.) */
#include "pipes/named.h"
#include "pipes/pipe-edits.h"

#include "pipe/replay/recheck/runs.h"

#include <stdlib.h>

enum { PROOF = 1 << 16 };

typedef struct world {
    zlay_ctx *ctx;
    const char *name;
    size_t every, next;
    int proved, runs, refused, undecided, wrong, other;
} world;

/* `N = 4` at the head of a trace. */
static void read_values(const zlay_pipe *pipe, const char *trace, int64_t *values)
{
    for (uint32_t k = 0; k < pipe->params_count; k++) {
        const char *at = strchr(trace, '=');
        assert_non_null(at);
        values[k] = strtoll(at + 1, (char **)&trace, 10);
    }
}

static void prove_again(world *w, const pipe_edit *edit, const zlay_pipe *pipe, const char *proof,
                        size_t length)
{
    zlay_answer answer = ZLAY_DEPENDS;
    assert_int_equal(zlay_pipe_recheck(w->ctx, &answer, pipe, proof, length), ZLAY_OK);
    w->proved++;
    w->runs += strstr(proof, " by runs\n") != NULL;
    if (answer == ZLAY_YES) return;
    w->wrong++;
    printf("ACCEPTED %s: %s: %d %s\n", w->name, edit->what, (int)answer, zlay_ctx_message(w->ctx));
}

static void try_again(world *w, const pipe_edit *edit, const zlay_pipe *pipe,
                      const zlay_pipe_reason *reason)
{
    static char trace[1 << 20];
    int64_t values[64];
    zlay_buf buf = {trace, sizeof trace, 0};
    int32_t rule = 0;
    w->refused++;
    if (zlay_pipe_trace(w->ctx, &buf, pipe)) {
        printf("NOTRACE %s: %s\n", w->name, edit->what);
        return;
    }
    read_values(pipe, trace, values);
    zlay_status s = zl_rc_try(w->ctx, &rule, pipe, values);
    if (rule != reason->rule) w->other++;
    if (rule || s) {
        if (s) printf("LIMIT %s %s %s\n", w->name, edit->what, zlay_ctx_message(w->ctx));
        return;
    }
    w->wrong++;
    printf("REFUSED %s: %s: %s line %u against %u\n", w->name, edit->what,
           zlay_pipe_rule_name(reason->rule), reason->line, reason->other);
}

static void judge(void *user, const pipe_edit *edit, const char *text, size_t length)
{
    static char proof[PROOF];
    world *w = user;
    zlay_pipe *pipe;
    zlay_answer answer = ZLAY_DEPENDS;
    zlay_pipe_reason reason = {0};
    zlay_buf buf = {proof, sizeof proof, 0};
    size_t count = 0;
    bool chosen = w->next == 0;
    w->next = chosen ? w->every - 1 : w->next - 1;
    if (!chosen || zlay_pipe_parse(w->ctx, &pipe, text, length)) return;
    assert_int_equal(zlay_pipe_verify(w->ctx, &answer, &reason, 1, &count, &buf, pipe), ZLAY_OK);
    if (answer == ZLAY_YES) prove_again(w, edit, pipe, proof, buf.need);
    else if (answer == ZLAY_NO) try_again(w, edit, pipe, &reason);
    else w->undecided++;
    zlay_pipe_free(pipe);
}

/* How many edits of a pipe the two disagree about. */
static int judge_all(const char *name, unsigned stages, uint64_t seed)
{
    static char text[NAMED_TEXT];
    world w = {.name = name, .every = test_hours() ? 1 : test_exhaustive() ? 3 : 23};
    w.next = seed % w.every;
    assert_int_equal(zlay_ctx_new(&w.ctx, NULL, NULL), ZLAY_OK);
    size_t length = named_read(text, w.name, stages);
    pipe_edits_all(w.ctx, text, length, judge, &w);
    printf("%s: %d accepted and proved again, %d of them by runs; %d refused, %d by another "
           "rule; %d undecided; %d disagree\n",
           w.name, w.proved, w.runs, w.refused, w.other, w.undecided, w.wrong);
    fflush(stdout);
    zlay_ctx_free(w.ctx);
    return w.wrong;
}

static void test_edits(void **state)
{
    uint64_t seed = test_seed("edits");
    int wrong = 0;
    (void)state;
    for (size_t i = 0; i < NAMED; i++) wrong += judge_all(named[i].name, named[i].fewest, seed);
    for (size_t i = 0; i < PLANNED; i++) wrong += judge_all(planned[i].name, planned[i].fewest, seed);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
