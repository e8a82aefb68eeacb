/* SPDX-License-Identifier: Apache-2.0 */
/* Trip counts of each iteration (`param N 0.. of T`): the verdict is that of every sequence of counts, whose iterations are
 * written out (pipes/unroll.h) and decided one text at a time. */
#include "pipes/named.h"
#include "pipes/unroll.h"
#include "group_ctx.h"

#include <zlay/pipe.h>

enum { ITERATIONS = 3, TRACE = 1 << 16 };

typedef struct world {
    const char *name, *over; /* a text of tests/pipes, whose count N becomes one of each iteration over this param */
    int least, most;         /* counts that are written out */
    int shortest;            /* sequence */
} world;

static const world worlds[] = {{"uneven", "T", 0, 3, 0}, {"grouped", "G", 1, 3, 0}, {"persistent", "T", 1, 3, 0}, {"units", "T", 1, 3, 2}};
enum { UNITS = 3 };

/* ---- texts ---- */

static void world_read(char text[NAMED_TEXT], const world *w, unsigned stages)
{
    char raw[NAMED_TEXT], *at;
    named_read(raw, w->name, stages);
    at = strstr(raw, "param N ");
    assert_non_null(at);
    size_t before = (size_t)(strchr(at, '\n') - raw);
    bool has = strstr(at, " of ") && strstr(at, " of ") < raw + before;
    snprintf(text, NAMED_TEXT, "%.*s%s%s%s", (int)before, raw, has ? "" : " of ", has ? "" : w->over, raw + before);
}

/* The answer to a text; ZLAY_DEPENDS: it is no pipe. */
static zlay_answer answer_of(const char *text, zlay_pipe **pipe)
{
    zlay_answer answer = ZLAY_DEPENDS;
    zlay_pipe_reason reason;
    size_t count;
    if (zlay_pipe_parse(ctx, pipe, text, strlen(text))) return answer;
    assert_int_equal(zlay_pipe_verify(ctx, &answer, &reason, 1, &count, NULL, *pipe), ZLAY_OK);
    return answer;
}

static zlay_answer answer_alone(const char *text)
{
    zlay_pipe *pipe = NULL;
    zlay_answer answer = answer_of(text, &pipe);
    zlay_pipe_free(pipe);
    return answer;
}

static zlay_answer answer_unrolled(const char *text, const world *w, const int *counts, int iterations)
{
    static char out[4 * NAMED_TEXT];
    unroll u = {w->over, "N", counts, iterations, out, 0, sizeof out};
    unroll_text(&u, text);
    return answer_alone(out);
}

/* The next sequence: all of one length, then all of the next. */
static bool next_counts(const world *w, int *counts, int *iterations)
{
    int k = 0;
    while (k < *iterations && counts[k] == w->most) counts[k++] = w->least;
    if (k < *iterations) counts[k]++;
    else if (++*iterations <= ITERATIONS) counts[*iterations - 1] = w->least;
    return *iterations <= ITERATIONS;
}

/* Whether some sequence is refused. */
static bool some_refused(const char *text, const world *w, int *runs)
{
    int counts[ITERATIONS + 1] = {0}, iterations = w->shortest;
    bool refused = false;
    for (int k = 0; k < iterations; k++) counts[k] = w->least;
    do {
        zlay_answer answer = answer_unrolled(text, w, counts, iterations);
        assert_true(answer == ZLAY_YES || answer == ZLAY_NO);
        refused = answer == ZLAY_NO;
        ++*runs;
    } while (!refused && next_counts(w, counts, &iterations));
    return refused;
}

/* The sequence that a trace begins with is refused by itself. */
static void check_trace(const char *text, const world *w, const zlay_pipe *pipe)
{
    static char trace[TRACE];
    char over[8];
    int counts[64], iterations = 0, length = 0, said = -1;
    zlay_buf buf = {trace, sizeof trace, 0};
    assert_int_equal(zlay_pipe_trace(ctx, &buf, pipe), ZLAY_OK);
    snprintf(over, sizeof over, "%s = ", w->over);
    assert_non_null(strstr(trace, over));
    said = atoi(strstr(trace, over) + 4);
    const char *at = strstr(trace, "N =");
    assert_non_null(at);
    at += 3;
    while (sscanf(at, " %d%n", &counts[iterations], &length) == 1) {
        at += length;
        assert_in_range(counts[iterations], (unsigned)w->least, 250);
        at += *at == ',';
        assert_true(++iterations < 64);
    }
    if (iterations != said) puts(text), puts(trace);
    assert_int_equal(iterations, said);
    if (answer_unrolled(text, w, counts, iterations) == ZLAY_NO) return;
    /* What the text breaks by itself is refused at the least values, though a loop that runs no iteration has not the event. */
    counts[0] = w->least;
    if (!iterations && answer_unrolled(text, w, counts, 1) == ZLAY_NO) return;
    printf("%s\n%s", text, trace);
    fail_msg("the sequence of the trace is not refused");
}

/* ---- edits ---- */

enum { DROP, DOUBLE, SWAP, NEXT_STAGE, OTHER_PARITY, EDITS };

static bool replace(char *out, const char *line, size_t length, const char *from, const char *to)
{
    const char *at = strstr(line, from);
    if (!at || at >= line + length) return false;
    sprintf(out, "%.*s%s%.*s", (int)(at - line), line, to, (int)(line + length - at - (long)strlen(from)), at + strlen(from));
    return true;
}

/* One line of a role, edited; false where the edit does not apply. */
static bool edit_line(char *out, const char *text, const char *line, int edit)
{
    size_t length = (size_t)(strchr(line, '\n') - line) + 1;
    const char *next = line + length;
    char mine[256];
    size_t other = *next ? (size_t)(strchr(next, '\n') - next) + 1 : 0;
    if (edit == SWAP && !other) return false;
    switch (edit) {
    case DROP: mine[0] = 0; break;
    case DOUBLE: snprintf(mine, sizeof mine, "%.*s%.*s", (int)length, line, (int)length, line); break;
    case SWAP: snprintf(mine, sizeof mine, "%.*s%.*s", (int)other, next, (int)length, line); break;
    case NEXT_STAGE:
        if (!replace(mine, line, length, "[i %", "[(i + 1) %")) return false;
        break;
    default:
        if (!replace(mine, line, length, "0..T", "1..T") && !replace(mine, line, length, "*N..", "*N+1.."))
            return false;
    }
    sprintf(out, "%.*s%s%s", (int)(line - text), text, mine, edit == SWAP ? next + other : next);
    return true;
}

typedef struct tally {
    int edits, accepted, refused, undecided, runs;
} tally;

static void check_edit(const char *text, const world *w, tally *sum)
{
    zlay_pipe *pipe = NULL;
    zlay_answer answer = answer_of(text, &pipe);
    if (answer == ZLAY_DEPENDS) return;
    sum->edits++;
    bool refused = some_refused(text, w, &sum->runs);
    if (refused && answer == ZLAY_YES) {
        puts(text);
        fail_msg("accepted, though a sequence is refused");
    }
    if (answer == ZLAY_NO) check_trace(text, w, pipe);
    sum->accepted += answer == ZLAY_YES;
    sum->refused += answer == ZLAY_NO;
    sum->undecided += answer == ZLAY_UNDECIDED;
    zlay_pipe_free(pipe);
}

static void check_world(const world *w, unsigned stages, tally *sum)
{
    static char text[NAMED_TEXT], edited[2 * NAMED_TEXT];
    world_read(text, w, stages);
    for (const char *line = strstr(text, "\nrole ") + 1; *line; line = strchr(line, '\n') + 1)
        for (int edit = 0; edit < EDITS; edit++)
            if (edit_line(edited, text, line, edit)) check_edit(edited, w, sum);
}

/* ---- tests ---- */

/* The examples are pipes of the named texts with two stages. */
static void test_example(void **state)
{
    static const char *const names[] = {"uneven", "units"};
    char text[NAMED_TEXT], example[NAMED_TEXT], path[64];
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        snprintf(path, sizeof path, "examples/%s.pipe", names[k]);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        example[fread(example, 1, sizeof example - 1, file)] = 0;
        fclose(file);
        named_read(text, names[k], 2);
        assert_string_equal(text, example);
    }
}

/* Correct pipes are accepted, and so is each of their sequences. */
static void test_accepts_correct_pipes(void **state)
{
    char text[NAMED_TEXT];
    int runs = 0;
    (void)state;
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++)
        for (unsigned stages = 2; stages <= 5; stages++) {
            world_read(text, &worlds[i], stages);
            assert_int_equal(answer_alone(text), ZLAY_YES);
            if (stages <= 3) assert_false(some_refused(text, &worlds[i], &runs));
        }
    printf("%d sequences\n", runs);
}

static void test_edits_agree(void **state)
{
    tally sum = {0};
    (void)state;
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) check_world(&worlds[i], 2, &sum);
    printf("%d edits: %d accepted, %d refused, %d undecided; %d sequences\n", sum.edits, sum.accepted, sum.refused,
           sum.undecided, sum.runs);
    assert_true(sum.accepted > 10 && sum.refused > 100);
    assert_int_equal(sum.undecided, 0);
}

static const char *line_drawn(uint64_t *r, const char *text)
{
    const char *first = strstr(text, "\nrole ") + 1, *line = first;
    int lines = 0;
    for (; *line; line = strchr(line, '\n') + 1) lines++;
    for (line = first, lines = (int)test_range(r, 0, lines - 1); lines; lines--) line = strchr(line, '\n') + 1;
    return line;
}

/* Two edits at once, three stages, counts up to 4. */
static void test_random_edits_agree(void **state)
{
    static char text[NAMED_TEXT], once[2 * NAMED_TEXT], twice[2 * NAMED_TEXT];
    uint64_t r = test_seed("tiles");
    tally sum = {0};
    (void)state;
    for (uint64_t k = test_iterations(150); k > 0; k--) {
        world w = worlds[test_range(&r, 0, sizeof worlds / sizeof *worlds - 1)];
        w.most = w.least + 3;
        world_read(text, &w, (unsigned)test_range(&r, 2, 3));
        bool edited = edit_line(once, text, line_drawn(&r, text), (int)test_range(&r, 0, EDITS - 1));
        edited = edited && edit_line(twice, once, line_drawn(&r, once), (int)test_range(&r, 0, EDITS - 1));
        if (edited) check_edit(twice, &w, &sum);
    }
    printf("%d edits: %d accepted, %d refused, %d undecided; %d sequences\n", sum.edits, sum.accepted, sum.refused,
           sum.undecided, sum.runs);
    assert_int_equal(sum.undecided, 0);
}

/* What a block of stream-K must not leave out, and the rule that says so. */
static void test_units_refuses(void **state)
{
    static const struct {
        const char *what, *by;
        int32_t rule;
    } rows[] = {
        {"    await came[0] 1 \n", "", ZLAY_PIPE_READ_BEFORE_FULL},
        {"    raise went[0]\n", "", ZLAY_PIPE_DEADLOCK},
        {"    sync role\n    raise went[0]\n", "    raise went[0]\n", ZLAY_PIPE_READ_BEFORE_FULL},
        {"    raise went[0]\n", "    raise went[0]\n    await came[0] 2\n", ZLAY_PIPE_DEADLOCK}, /* a head waits for what nobody raises */
        {"    write W[0] from C\n", "", ZLAY_PIPE_STAGE},
        {"global W[1] each", "global W[1]", ZLAY_PIPE_OVERWRITE}, /* of both consumers */
        {"flag went[1] each", "flag went[1]", ZLAY_PIPE_OVERRUN},
        {"T-2..T-1", "T-2..T", ZLAY_PIPE_OVERWRITE}, /* the head's sums are those of the tail, too */
        {"0..T-2", "0..T-1", ZLAY_PIPE_OVERRUN},
        {"  for t in T-1..T ", "  for t in T-2..T ", ZLAY_PIPE_OVERRUN},
        {"  for t in 0..T\n", "  for t in 0..T-1\n", ZLAY_PIPE_DEADLOCK},
    };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        static char text[NAMED_TEXT], edited[2 * NAMED_TEXT];
        zlay_pipe *pipe = NULL;
        zlay_pipe_reason reason = {0};
        zlay_answer answer = ZLAY_DEPENDS;
        size_t count = 0, before;
        world_read(text, &worlds[UNITS], 2);
        /* A flag that is cleared and raised another number of times is no pipe at all. */
        for (char *clear; (clear = strstr(text, "clear"));) memmove(clear, clear + 5, strlen(clear + 5) + 1);
        char *at = strstr(text, rows[k].what);
        if (!at) fail_msg("no %s", rows[k].what);
        before = (size_t)(at - text);
        snprintf(edited, sizeof edited, "%.*s%s%s", (int)before, text, rows[k].by, at + strlen(rows[k].what));
        assert_int_equal(zlay_pipe_parse(ctx, &pipe, edited, strlen(edited)), ZLAY_OK);
        assert_int_equal(zlay_pipe_verify(ctx, &answer, &reason, 1, &count, NULL, pipe), ZLAY_OK);
        if (answer != ZLAY_NO || reason.rule != rows[k].rule)
            fail_msg("%s: %d, %s", rows[k].what, (int)answer, zlay_pipe_rule_name(reason.rule));
        zlay_pipe_free(pipe);
    }
}

/* Where N may be 0, a step before the loop over the steps waits for data that never comes. */
static void test_iterations_without_steps(void **state)
{
    char text[NAMED_TEXT], *at;
    zlay_pipe *pipe;
    (void)state;
    world_read(text, &worlds[1], 2);
    at = strstr(text, "param N 1..");
    at[8] = '0';
    world grouped = worlds[1];
    grouped.least = 0;
    assert_int_equal(answer_of(text, &pipe), ZLAY_NO);
    check_trace(text, &grouped, pipe);
    zlay_pipe_free(pipe);
}

#define HEAD "pipe p\nparam T 0..\nparam N 1.. of T\nsmem A[2] 16\n"
#define ROLE(lines) HEAD "role r warps 0..0\n" lines "end\n"

static const struct {
    const char *text, *says;
} refusals[] = {
    {"pipe p\nparam N 1.. of T\n", "line 2: no such param"},
    {"pipe p\nparam T 0..\nparam N 1.. of\n", "line 3: a name is missing"},
    {"pipe p\nparam T 0..\nparam N 1.. of T\nparam M 1.. of N\n", "line 4: a count of each iteration is of one that is itself"},
    {ROLE("for i in 0..N\nend\n"), "line 6: a count of each iteration stands outside of the loop"},
    {ROLE("for t in 1..T\nfor i in t*N..t*N+N\nend\nend\n"), "line 7: a count of each iteration stands outside"},
    {ROLE("for t in 0..T step 2\nfor i in t*N..t*N+N\nend\nend\n"), "line 7: a count of each iteration stands outside"},
    {ROLE("for t in 0..T\nfor i in 0..4\nwrite A[i*N % 2]\nend\nend\n"), "line 8: a count of each iteration stands outside"},
    {ROLE("for t in T..T+1\nfor i in t*N..t*N+N\nend\nend\n"), "line 7: a count of each iteration stands outside"},
    {ROLE("for t in 0..T-9\nfor i in t*N..t*N+N\nend\nend\n"), "line 7: a count of each iteration stands outside"},
    {ROLE("for t in 0..T-1\nfor i in t*N..t*N+N\nend\nend\n"), "line 6: a part of a loop counts back more iterations than its param has at least"},
    {ROLE("for t in 0..T\nend\nwrite A[N % 2]\n"), "line 8: a count of each iteration stands outside"},
};

static void test_what_is_no_pipe(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        zlay_pipe *pipe;
        assert_int_equal(zlay_pipe_parse(ctx, &pipe, refusals[i].text, strlen(refusals[i].text)), ZLAY_EINVAL);
        if (!strstr(zlay_ctx_message(ctx), refusals[i].says)) fail_msg("%s", zlay_ctx_message(ctx));
    }
}

/* parse(print(x)) = x, with a greatest count too. */
static void test_prints_what_was_read(void **state)
{
    static const char *const lines[] = {"param N 1.. of T\n", "param N 0..7 of T\n"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char text[512], again[1024];
        zlay_buf buf = {again, sizeof again, 0};
        zlay_pipe *pipe;
        snprintf(text, sizeof text, "pipe p\nparam T 0..\n%srole r warps 0..0\n  for t in 0..T\n    for i in t*N..t*N+N\n    end\n  end\nend\n", lines[i]);
        assert_int_equal(zlay_pipe_parse(ctx, &pipe, text, strlen(text)), ZLAY_OK);
        assert_int_equal(zlay_pipe_print(&buf, pipe), ZLAY_OK);
        assert_non_null(strstr(again, lines[i]));
        zlay_pipe_free(pipe);
    }
}

/* What is not decided says why: another param, too few points; the checker has no such proofs. */
static void test_undecided_says_why(void **state)
{
    char text[NAMED_TEXT];
    zlay_pipe *pipe;
    zlay_limits few = {.size = sizeof few, .points = 500};
    (void)state;
    static const char two[] = "pipe p\nparam T 0..\nparam N 1.. of T\nparam M 1..\nrole r warps 0..0\nfor t in 0..T\nfor i in t*N..t*N+N\nend\nend\nfor j in 0..M\nend\nend\n";
    assert_int_equal(answer_alone(two), ZLAY_UNDECIDED);
    assert_non_null(strstr(zlay_ctx_message(ctx), "line 10 names a param beside a count of each iteration"));
    world_read(text, &worlds[0], 2);
    assert_int_equal(answer_of(text, &pipe), ZLAY_YES);
    zlay_answer answer;
    static const char proof[] = "proof uneven by states\nend\n";
    assert_int_equal(zlay_pipe_recheck(ctx, &answer, pipe, proof, sizeof proof - 1), ZLAY_OK);
    assert_int_equal(answer, ZLAY_UNDECIDED);
    assert_non_null(strstr(zlay_ctx_message(ctx), "param N is a count of each iteration"));
    zlay_pipe_free(pipe);
    static const char own[] = "pipe p\nflag F[1] each\nrole a warps 0..1 each 1\nraise F[0]\nend\nrole b warps 2..3 each 1\nawait F[0] 1\nend\n";
    assert_int_equal(answer_of(own, &pipe), ZLAY_YES);
    assert_int_equal(zlay_pipe_recheck(ctx, &answer, pipe, proof, sizeof proof - 1), ZLAY_OK);
    assert_int_equal(answer, ZLAY_UNDECIDED);
    assert_non_null(strstr(zlay_ctx_message(ctx), "F is each instance's own"));
    zlay_pipe_free(pipe);
    assert_int_equal(zlay_ctx_set_limits(ctx, &few), ZLAY_OK);
    assert_int_equal(answer_alone(text), ZLAY_UNDECIDED);
    assert_int_equal(zlay_ctx_set_limits(ctx, NULL), ZLAY_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example), cmocka_unit_test(test_accepts_correct_pipes), cmocka_unit_test(test_edits_agree), cmocka_unit_test(test_random_edits_agree),
        cmocka_unit_test(test_units_refuses), cmocka_unit_test(test_iterations_without_steps), cmocka_unit_test(test_what_is_no_pipe),
        cmocka_unit_test(test_prints_what_was_read), cmocka_unit_test(test_undecided_says_why),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
