/* SPDX-License-Identifier: Apache-2.0 */
/* The named set executed with more stages, and its single edits at two: one in 200, under ZLAY_EXHAUSTIVE=1 one in 64,
 * under 2 one in 8, or one in ZLAY_EVERY. What the verifier accepts runs right, but for what a table says; of what it refuses most shows its fault. */
#include "ptx/pipes.h"

#include "pipes/pipe-edits.h"

enum { RULES = 64, SHOWN_OF_100 = 75 };

typedef struct tally {
    int refused, shown;
} tally;

typedef struct world {
    struct pipe_row row;
    size_t every, next; /* one edit in so many is looked at, beginning with that */
    tally rule[RULES];
    int accepted, other, unprinted;
} world;

/* What is accepted and leaves other bytes, by a part of the edit. */
static const struct {
    const char *part, *because;
} others[] = {
    {": use ", "what stands in its place is a fragment of the test"},
    {": reduce ", "adds twice"},
    {"fresh from 0 to 1", "ordinary instructions have had the sum before"},
    {"change part ", "says where in global memory a copy begins"},
    {"change D from 1 to 2", "the number of stages counts in a place that has no counter"},
    {"change E from 1 to 2", "the same"},
    {": update ", "which map is used is data"},
    {": copy tensor tA by ", "the same"},
};

static bool is_named(const struct pipe_row *row)
{
    const char *only = getenv("ZLAY_ONLY");
    return *row->text == '@' && row->stages == 2 && row->relation[0].kind != INTEGERS && (!only || strstr(row->text, only));
}

static void target_set(const struct pipe_row *row)
{
    const char *target = row->later ? "sm_100a" : "sm_90a";
    assert_int_equal(zlay_target_find(&piped.target, target, strlen(target)), ZLAY_OK);
}

/* Trip counts 1 to 5, late, early and three times at any time; what went wrong first stands in machine.fault. */
static bool goes_wrong(const struct pipe_row *row)
{
    for (unsigned trip = 0; trip < 3; trip++)
        for (int run = 0; run < 5; run++) {
            row_trips(piped.text, trip, &piped.n, &piped.t);
            if (!runs_right(row, run < PX_ANY_TIME ? (px_when)run : PX_ANY_TIME)) return true;
        }
    return false;
}

/* ---- more stages ------------------------------------------------------------------------- */

static void stages_run(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ROWS; i++)
        for (unsigned stages = 3; stages < (test_exhaustive() ? 5 : 4); stages++) {
            struct pipe_row row = rows[i];
            if (!is_named(&row)) continue;
            row.stages = stages;
            row.clusters = 1;
            target_set(&row);
            row_text(piped.text, &row);
            if (kernel_make(&piped, &row)) fail_msg("%s: %s", row.name, zlay_ctx_message(piped.ctx));
            row_trips(piped.text, 2, &piped.n, &piped.t);
            if (test_exhaustive() ? goes_wrong(&row) : !runs_right(&row, PX_ANY_TIME))
                fail_msg("%s, %u stages, N = %u, T = %u: %s", row.name, stages, piped.n, piped.t, machine.fault);
        }
}

/* ---- edits ---------------------------------------------------------------------------------- */

/* 0: accepted; -1: the text is no pipe. */
static int32_t rule_of(const char *text, size_t length)
{
    zlay_pipe *pipe = NULL;
    zlay_answer answer = ZLAY_UNDECIDED;
    zlay_pipe_reason reason = {0};
    size_t count = 0;
    if (zlay_pipe_parse(piped.ctx, &pipe, text, length)) return -1;
    assert_int_equal(zlay_pipe_verify(piped.ctx, &answer, &reason, 1, &count, NULL, pipe), ZLAY_OK);
    zlay_pipe_free(pipe);
    assert_true(answer != ZLAY_UNDECIDED);
    return answer == ZLAY_YES ? 0 : reason.rule;
}

static void judge(world *w, const pipe_edit *edit, int32_t rule)
{
    bool wrong = goes_wrong(&w->row);
    if (rule) {
        w->rule[rule].refused++;
        w->rule[rule].shown += wrong;
        if (!wrong && getenv("ZLAY_EVERY")) printf("not seen: %s, %s: %s\n", w->row.name, zlay_pipe_rule_name(rule), edit->what);
        return;
    }
    w->accepted++;
    w->other += wrong;
    bool known = false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) known |= strstr(edit->what, others[i].part) != NULL;
    if (wrong && !known) fail_msg("%s, accepted: %s: %s", w->row.name, edit->what, machine.fault);
}

/* A fragment names all registers: where an edit leaves others its text says nothing. */
static bool fragment_fits(const relation *r)
{
    char registers[96];
    snprintf(registers, sizeof registers, ".reg .b32 acc_%s_<%u>;", r->in, r->registers);
    return !is_kept(r) || strstr(piped.kernel, registers);
}

static void look(void *user, const pipe_edit *edit, const char *text, size_t length)
{
    world *w = user;
    bool chosen = w->next == 0;
    w->next = chosen ? w->every - 1 : w->next - 1;
    int32_t rule = chosen ? rule_of(text, length) : -1;
    if (rule < 0) return;
    memcpy(piped.text, text, length);
    piped.text[length] = 0;
    if (kernel_make(&piped, &w->row) || !fragment_fits(w->row.relation)) w->unprinted++;
    else judge(w, edit, rule);
}

static tally edits_of(const struct pipe_row *row, tally rule[RULES], size_t every, uint64_t seed)
{
    static world w;
    tally all = {0, 0};
    w = (world){.row = *row, .every = every, .next = seed % every};
    w.row.clusters = 1;
    target_set(row);
    row_text(piped.text, row);
    pipe_edits_all(piped.ctx, piped.text, strlen(piped.text), look, &w);
    for (int r = 0; r < RULES; r++) {
        rule[r].refused += w.rule[r].refused, rule[r].shown += w.rule[r].shown;
        all.refused += w.rule[r].refused, all.shown += w.rule[r].shown;
    }
    printf("%s: %d accepted, of which %d leave other bytes; of %d refused %d show it; %d are not printed\n", row->name, w.accepted,
           w.other, all.refused, all.shown, w.unprinted);
    return all;
}

static void edits_run(void **state)
{
    tally rule[RULES] = {{0, 0}}, all = {0, 0};
    uint64_t seed = piped.seed;
    size_t every = getenv("ZLAY_EVERY") ? (size_t)atoi(getenv("ZLAY_EVERY")) : test_hours() ? 8 : test_exhaustive() ? 64 : 200;
    (void)state;
    for (unsigned i = 0; i < ROWS; i++) {
        tally one = {0, 0};
        if (is_named(&rows[i])) one = edits_of(&rows[i], rule, every, seed);
        all.refused += one.refused, all.shown += one.shown;
    }
    for (int32_t r = 0; r < RULES; r++)
        if (rule[r].refused) printf("%s: %d of %d\n", zlay_pipe_rule_name(r), rule[r].shown, rule[r].refused);
    printf("of %d refused %d show it\n", all.refused, all.shown);
    assert_true(all.shown * 100 >= all.refused * SHOWN_OF_100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stages_run), cmocka_unit_test(edits_run)};
    return cmocka_run_group_tests(tests, begin, end);
}
