/* SPDX-License-Identifier: Apache-2.0 */
/* Every single edit of the pipes of plans of GEMMs, by order and by runs: what order accepts has no
 * fault in any run and is proved again, and what runs refuse is refused by the proof of the original
 * too. Unless ZLAY_EXHAUSTIVE=1, one edit in 7. */
#include "pipes/named.h"
#include "pipes/pipe-edits.h"

#include "pipe/runs/verify.h"

enum { PROOF = 1 << 16 };

typedef struct world {
    zlay_ctx *ctx;
    const char *name;
    size_t every, next;
    char proof[PROOF]; /* of the original */
    size_t proof_length;
    int unread, by_order, by_runs, refused, wrong;
} world;

static void disagree(world *w, const pipe_edit *edit, const char *how)
{
    w->wrong++;
    print_message("%s: %s: %s: %s\n", w->name, edit->what, how, zlay_ctx_message(w->ctx));
}

/* Whether runs alone find the pipe correct. */
static bool runs_well(world *w, const zlay_pipe *pipe)
{
    zl_verdict verdict = {0};
    assert_int_equal(zl_enter(w->ctx), ZLAY_OK);
    zlay_status status = zl_run_verify(w->ctx, &verdict, NULL, pipe);
    assert_int_equal(zl_leave(w->ctx, status), ZLAY_OK);
    return !verdict.fault.rule && !verdict.undecided;
}

static bool rechecks(world *w, const zlay_pipe *pipe, const char *proof, size_t length)
{
    zlay_answer answer = ZLAY_DEPENDS;
    assert_int_equal(zlay_pipe_recheck(w->ctx, &answer, pipe, proof, length), ZLAY_OK);
    return answer == ZLAY_YES;
}

static void accepted(world *w, const pipe_edit *edit, const zlay_pipe *pipe, const char *proof,
                     size_t length)
{
    bool runs = strstr(proof, " by runs\n") != NULL;
    w->by_runs += runs;
    w->by_order += !runs;
    if (!rechecks(w, pipe, proof, length)) disagree(w, edit, "its proof is refused");
    if (!runs && !runs_well(w, pipe)) disagree(w, edit, "order accepts what runs refuse");
}

static void judge(void *user, const pipe_edit *edit, const char *text, size_t length)
{
    static char proof[PROOF];
    world *w = user;
    zlay_buf buf = {proof, sizeof proof, 0};
    zlay_answer answer = ZLAY_DEPENDS;
    zlay_pipe *pipe;
    size_t count = 0;
    bool chosen = w->next == 0;
    w->next = chosen ? w->every - 1 : w->next - 1;
    if (!chosen) return;
    if (zlay_pipe_parse(w->ctx, &pipe, text, length)) {
        w->unread++;
        return;
    }
    assert_int_equal(zlay_pipe_verify(w->ctx, &answer, NULL, 0, &count, &buf, pipe), ZLAY_OK);
    if (answer == ZLAY_YES) accepted(w, edit, pipe, proof, buf.need);
    else if (answer != ZLAY_NO) disagree(w, edit, "undecided");
    else if (rechecks(w, pipe, w->proof, w->proof_length))
        disagree(w, edit, "refused, but not by the proof of the original");
    w->refused += answer == ZLAY_NO;
    zlay_pipe_free(pipe);
}

/* The pipe itself is proved by order. */
static void begin(world *w, const char *text, size_t length)
{
    zlay_buf buf = {w->proof, sizeof w->proof, 0};
    zlay_answer answer = ZLAY_NO;
    zlay_pipe *pipe;
    size_t count = 0;
    assert_int_equal(zlay_pipe_parse(w->ctx, &pipe, text, length), ZLAY_OK);
    assert_int_equal(zlay_pipe_verify(w->ctx, &answer, NULL, 0, &count, &buf, pipe), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    w->proof_length = buf.need;
    assert_null(strstr(w->proof, " by runs\n"));
    if (!rechecks(w, pipe, w->proof, w->proof_length)) fail_msg("%s", zlay_ctx_message(w->ctx));
    assert_true(runs_well(w, pipe));
    zlay_pipe_free(pipe);
}

static void test_planned(void **state)
{
    static char text[NAMED_TEXT];
    static world w;
    uint64_t seed = test_seed("order");
    int wrong = 0;
    (void)state;
    for (size_t i = 0; i < PLANNED; i++) {
        memset(&w, 0, sizeof w);
        w.name = planned[i].name;
        w.every = test_exhaustive() ? 1 : 7;
        w.next = seed % w.every;
        assert_int_equal(zlay_ctx_new(&w.ctx, NULL, NULL), ZLAY_OK);
        size_t length = named_read(text, w.name, planned[i].fewest);
        begin(&w, text, length);
        pipe_edits_all(w.ctx, text, length, judge, &w);
        printf("%s: %d accepted by order, %d by runs, %d refused, %d are no pipes, %d disagree\n",
               w.name, w.by_order, w.by_runs, w.refused, w.unread, w.wrong);
        assert_true(w.by_order > 0 && w.refused > w.by_order + w.by_runs);
        wrong += w.wrong;
        zlay_ctx_free(w.ctx);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
