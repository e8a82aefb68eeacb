/* SPDX-License-Identifier: Apache-2.0 */
/* Every single edit of the named set, and of pipes of plans of GEMMs, is decided: unless
 * ZLAY_EXHAUSTIVE=1, one in 8.  What is accepted for every trip count is run at one choice of them,
 * mostly greater than any that was run before.  What SPIN says of them is asked in models/pipe_agree. */
#include "pipes/named.h"
#include "pipes/pipe-edits.h"
#include "random.h"
#include "group_ctx.h"

#include <zlay/plan.h>

typedef struct world {
    const char *name;
    size_t every, next; /* one edit in so many is looked at, beginning with that */
    uint64_t random;
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

/* ---- one choice of trip counts ---- */

/* `param N least..most` becomes `param N n..n`. */
static size_t fix_param(world *w, char *to, const char *line)
{
    enum { MORE = 24 };
    char name[72];
    long least = 0, most = -1;
    int given = sscanf(line, "param %71s %ld..%ld", name, &least, &most);
    long room = given == 3 && most - least < MORE ? most - least : MORE;
    long n = least + (long)(test_random(&w->random) % (uint64_t)(room + 1));
    return (size_t)sprintf(to, "param %s %ld..%ld\n", name, n, n);
}

static size_t fix_params(world *w, char *to, const char *text)
{
    size_t length = 0;
    while (*text) {
        size_t line = strcspn(text, "\n") + 1;
        assert_true(length + line + 64 < NAMED_TEXT);
        if (!strncmp(text, "param ", 6)) length += fix_param(w, to + length, text);
        else memcpy(to + length, text, line), length += line;
        text += line;
    }
    return length;
}

static void run_longer(world *w, const pipe_edit *edit, const char *text)
{
    static char fixed[NAMED_TEXT];
    zlay_answer answer = ZLAY_UNDECIDED;
    size_t length = fix_params(w, fixed, text), count = 0;
    zlay_pipe *pipe;
    assert_int_equal(zlay_pipe_parse(ctx, &pipe, fixed, length), ZLAY_OK);
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, NULL, pipe), ZLAY_OK);
    zlay_pipe_free(pipe);
    if (answer != ZLAY_YES) fail_msg("%s: %s: not at\n%.*s", w->name, edit->what, 400, fixed);
}

/* ---- all edits ---- */

static void decide(void *user, const pipe_edit *edit, const char *text, size_t length)
{
    zlay_answer answer = ZLAY_UNDECIDED;
    zlay_pipe_reason reason = {0};
    if (!is_chosen(user)) return;
    zlay_pipe *pipe = decided(user, edit, text, length, &answer, &reason);
    if (pipe && answer == ZLAY_YES) run_longer(user, edit, text);
    zlay_pipe_free(pipe);
}

static void decide_all(const char *name, const char *text, size_t length, uint64_t seed)
{
    world w = {.name = name, .every = test_exhaustive() ? 1 : 8, .random = seed};
    w.next = seed % w.every;
    pipe_edits_all(ctx, text, length, decide, &w);
    printf("%s: %d accepted, %d refused, %d undecided, %d are no pipes\n", w.name, w.yes, w.no,
           w.undecided, w.unread);
    assert_true(w.no > w.yes);
    assert_int_equal(w.undecided, 0);
}

static void test_decided(void **state)
{
    static char text[NAMED_TEXT];
    uint64_t seed = test_seed("decided");
    (void)state;
    for (size_t i = 0; i < NAMED; i++) {
        size_t length = named_read(text, named[i].name, named[i].fewest);
        decide_all(named[i].name, text, length, seed);
    }
}

/* Plans of GEMMs for sm_90a. */
static void test_planned(void **state)
{
    static char text[NAMED_TEXT];
    uint64_t seed = test_seed("planned");
    (void)state;
    for (size_t i = 0; i < PLANNED; i++) {
        size_t length = named_read(text, planned[i].name, planned[i].fewest);
        decide_all(planned[i].name, text, length, seed);
    }
}

/* Loads through registers, and straight to shared memory. */
static void test_plans(void **state)
{
    static const char *const targets[] = {"gfx942", "gfx950"};
    static char text[NAMED_TEXT];
    uint64_t seed = test_seed("plans");
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const zlay_target *target = NULL;
        zlay_plan *plan = NULL;
        zlay_buf buf = {text, sizeof text, 0};
        zlay_gemm gemm = {.size = sizeof gemm, .m = 256, .n = 256, .k = 512};
        zlay_target_find(&target, targets[i], strlen(targets[i]));
        assert_int_equal(zlay_gemm_synth(ctx, &plan, target, &gemm), ZLAY_OK);
        assert_int_equal(zlay_pipe_print(&buf, zlay_plan_pipe(plan)), ZLAY_OK);
        zlay_plan_free(plan);
        decide_all(targets[i], text, buf.need, seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_decided), cmocka_unit_test(test_planned),
                                       cmocka_unit_test(test_plans)};
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
