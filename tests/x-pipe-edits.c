/* SPDX-License-Identifier: Apache-2.0 */
/* Every single edit of the named set is decided: unless ZLAY_EXHAUSTIVE=1, one in 8.  And SPIN is
 * asked about some of them: what is refused fails in a run, what is accepted fails in none. */
#define _POSIX_C_SOURCE 200809L
#include "named.h"
#include "pipe-edits.h"
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

/* Where a block waits in a loop for a flag that another raises behind its own, the one that goes on
 * leaves the other behind by any number of steps, and no state comes again. */
enum { UNDECIDED_MOST = 5 };

static void test_decided(void **state)
{
    static char text[NAMED_TEXT];
    uint64_t seed = test_seed("decided");
    int undecided = 0;
    (void)state;
    for (size_t i = 0; i < NAMED; i++) {
        world w = {.name = named[i].name, .every = test_exhaustive() ? 1 : 8};
        w.next = seed % w.every;
        size_t length = named_read(text, w.name, named[i].fewest);
        pipe_edits_all(ctx, text, length, decide, &w);
        printf("%s: %d accepted, %d refused, %d undecided, %d are no pipes\n", w.name, w.yes, w.no,
               w.undecided, w.unread);
        assert_true(w.no > w.yes);
        if (strcmp(w.name, "streamk") != 0) assert_int_equal(w.undecided, 0);
        undecided += w.undecided;
    }
    assert_in_range(undecided, 0, UNDECIDED_MOST);
}

/* ---- and SPIN ---- */

enum { TRIPS = 4, SECONDS = 20 };

/* Trip counts of which one shows each fault of an edit. */
static const struct asked {
    const char *name;
    unsigned stages;
    int64_t trips[TRIPS][2]; /* up to the first of no steps */
} asked[] = {
    {"ring", 2, {{5}, {1}}},
    {"cooperative", 2, {{1}, {4}}},
    {"split", 2, {{3}, {1}}},
    {"multistage", 3, {{3}, {5}}},
    {"persistent", 2, {{1, 1}, {2, 2}, {3, 1}}},
    {"pingpong", 2, {{1, 1}, {2, 2}, {4, 1}, {3, 2}}},
    {"grouped", 2, {{1, 2}, {3, 1}}},
    {"attention", 1, {{2}, {1}}},
    {"blackwell", 1, {{1, 2}, {3, 1}}},
    {"lds_double", 2, {{2}, {4}}},
    {"lds_direct", 2, {{2}, {5}}},
    {"lds_direct", 3, {{3}, {5}}},
    {"lds_pipelined", 2, {{2}, {4}}},
};

typedef struct questions {
    world world;
    const struct asked *row;
    int agreed, large;
} questions;

/* Refused, though no run fails. */
static const struct caution {
    const char *name;
    int sort;
    int32_t rule;
    const char *because;
} cautions[] = {
    {"cooperative", EDIT_DOUBLE, ZLAY_PIPE_STAGE, "a sum is stored twice to the same place"},
};

static bool is_careful(const char *name, const pipe_edit *edit, int32_t rule)
{
    for (size_t i = 0; i < sizeof cautions / sizeof *cautions; i++) {
        const struct caution *c = &cautions[i];
        if (strcmp(c->name, name) || c->sort != edit->sort || c->rule != rule) continue;
        printf("careful: %s: %s: %s\n", name, edit->what, c->because);
        return true;
    }
    return false;
}

static spin_verdict ask(const questions *q, const zlay_pipe *pipe, bool *large)
{
    spin_verdict v = {.sort = SPIN_SAFE};
    for (int t = 0; t < TRIPS && q->row->trips[t][0]; t++)
        for (int split = PML_SPLITS; --split > PML_WHOLE;) {
            v = spin_ask(pipe, q->row->trips[t], split, SECONDS);
            if (v.sort == SPIN_FAULT) return v;
            *large |= v.sort == SPIN_LARGE;
        }
    return v;
}

static void compare(void *user, const pipe_edit *edit, const char *text, size_t length)
{
    questions *q = user;
    zlay_answer answer = ZLAY_UNDECIDED;
    zlay_pipe_reason reason = {0};
    bool large = false;
    if (!is_chosen(&q->world)) return;
    zlay_pipe *pipe = decided(&q->world, edit, text, length, &answer, &reason);
    if (!pipe) return;
    spin_verdict v = ask(q, pipe, &large);
    const char *name = q->world.name;
    if (v.sort == SPIN_FAULT && answer == ZLAY_YES)
        fail_msg("%s: %s is accepted: %s, line %d", name, edit->what, zlay_pipe_rule_name(v.rule),
                 v.line);
    bool unseen = v.sort == SPIN_SAFE && !large && answer == ZLAY_NO;
    if (unseen && !is_careful(name, edit, reason.rule))
        fail_msg("%s: %s is refused (%s, line %u), and no run fails", name, edit->what,
                 zlay_pipe_rule_name(reason.rule), reason.line);
    if (large) q->large++;
    else q->agreed++;
    zlay_pipe_free(pipe);
}

static void test_compared(void **state)
{
    static char text[NAMED_TEXT];
    int agreed = 0, large = 0;
    (void)state;
    if (!spin_found()) skip();
    uint64_t seed = test_seed("compared");
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        if (!test_exhaustive() && i > 0) break;
        questions q = {.world = {.name = asked[i].name, .every = 79}, .row = &asked[i]};
        q.world.next = seed % q.world.every;
        size_t length = named_read(text, asked[i].name, asked[i].stages);
        pipe_edits_all(ctx, text, length, compare, &q);
        agreed += q.agreed;
        large += q.large;
    }
    printf("%d edits: SPIN and the verifier agree; %d are too large\n", agreed, large);
    assert_true(agreed > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_decided),
                                       cmocka_unit_test(test_compared)};
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
