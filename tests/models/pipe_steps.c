/* SPDX-License-Identifier: Apache-2.0 */
/* Models whose steps are as long as they may be fail where those with a step for each event fail, and
 * nowhere else; those with one late thing fail nowhere else.  Asked about edits of the named set and of
 * the rings: one in RARE, under ZLAY_EXHAUSTIVE=1 one in SOME, under 2 one in MANY. */
#define _POSIX_C_SOURCE 200809L
#include "pipes/pipe-edits.h"
#include "pipes/pipe-source.h"
#include "pipes/spin.h"

enum { SECONDS = 60, MANY = 29, SOME = 797, RARE = 2003 };

static const struct row {
    const char *name;
    unsigned stages;
    bool ring;
    int64_t trips[2];
} rows[] = {
    {"ring", 2, false, {5}},          {"cooperative", 2, false, {4}},   {"split", 2, false, {2}},
    {"multistage", 3, false, {5}},    {"persistent", 2, false, {2, 2}}, {"pingpong", 2, false, {2, 1}},
    {"grouped", 2, false, {2, 2}},    {"attention", 1, false, {2}},     {"streamk", 2, false, {1}},
    {"blackwell", 1, false, {3, 1}},  {"pair", 1, false, {1, 1}},       {"epilogue", 1, false, {1, 1}},
    {"lds_double", 2, false, {4}},    {"lds_direct", 3, false, {5}},    {"lds_pipelined", 2, false, {3}},
    {"tensor", 2, true, {2, 1}},      {"prompt", 2, true, {2, 1}},      {"cpasync", 3, true, {1, 4}},
    {"mixed", 3, true, {1, 4}},       {"write", 3, true, {1, 4}},       {"guarded", 2, true, {2, 1}},
    {"single", 2, true, {5}},         {"cooperative_multicast", 2, false, {1}},
};
enum { ROWS = sizeof rows / sizeof *rows };

typedef struct asking {
    zlay_ctx *ctx;
    const struct row *row;
    uint64_t next, every; /* edits until the one that is asked about */
    int faults, late, safe, large, wrong;
    long states[2]; /* of models with long steps, and with short ones */
} asking;

static void disagree(asking *w, const pipe_edit *edit, const char *how)
{
    w->wrong++;
    fprintf(stderr, "%s: %s: %s\n", w->row->name, edit->what, how);
}

static void compare(asking *w, const pipe_edit *edit, const zlay_pipe *pipe, int split)
{
    spin_verdict all = spin_ask_how(pipe, w->row->trips, split, PML_ALL, SECONDS),
                 each = spin_ask_how(pipe, w->row->trips, split, PML_EACH_EVENT, SECONDS),
                 late = spin_ask_how(pipe, w->row->trips, split, PML_ONE_LATE, SECONDS);
    bool large = all.sort == SPIN_LARGE || each.sort == SPIN_LARGE;
    w->large += large;
    if (large) return;
    w->faults += each.sort == SPIN_FAULT;
    w->late += late.sort == SPIN_FAULT;
    w->safe += each.sort == SPIN_SAFE;
    if (each.sort == SPIN_SAFE && all.sort == SPIN_SAFE) {
        w->states[0] += all.states;
        w->states[1] += each.states;
    }
    if (all.sort != each.sort)
        disagree(w, edit, all.sort == SPIN_FAULT ? "long steps fail alone" : "long steps hide a fault");
    if (late.sort == SPIN_FAULT && each.sort == SPIN_SAFE)
        disagree(w, edit, "what is late fails alone");
}

static void look_at_text(asking *w, const pipe_edit *edit, const char *text, size_t length)
{
    zlay_pipe *pipe;
    if (zlay_pipe_parse(w->ctx, &pipe, text, length)) return;
    for (int split = PML_WARPS; split < PML_SPLITS; split++) compare(w, edit, pipe, split);
    zlay_pipe_free(pipe);
}

static void look_at(void *user, const pipe_edit *edit, const char *text, size_t length)
{
    asking *w = user;
    if (w->next--) return;
    w->next = w->every - 1;
    look_at_text(w, edit, text, length);
}

static void test_steps(void **state)
{
    static const pipe_edit none = {.what = "as it is"};
    static char text[NAMED_TEXT];
    asking w = {.every = test_hours() ? MANY : test_exhaustive() ? SOME : RARE};
    (void)state;
    if (!spin_found()) skip();
    assert_int_equal(zlay_ctx_new(&w.ctx, NULL, NULL), ZLAY_OK);
    uint64_t seed = test_seed("steps");
    w.next = seed % w.every;
    for (int i = 0; i < ROWS; i++) {
        w.row = &rows[i];
        size_t length = source_read(text, w.row->name, w.row->stages, w.row->ring);
        if (test_exhaustive() || seed % ROWS == (uint64_t)i) look_at_text(&w, &none, text, length);
        pipe_edits_all(w.ctx, text, length, look_at, &w);
    }
    zlay_ctx_free(w.ctx);
    printf("%d models fail, %d with one late thing, %d do not, %d are too large; of those that do not fail %ld states, and %ld "
           "with a step for each event\n", w.faults, w.late, w.safe, w.large, w.states[0], w.states[1]);
    assert_true(w.faults > 0 && w.safe > 0);
    assert_int_equal(w.wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
