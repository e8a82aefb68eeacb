/* SPDX-License-Identifier: Apache-2.0 */
/* SPIN on the whole named set, in each split of threads and for the trip counts below, and on every
 * bug of pipe-bugs.h; unless ZLAY_EXHAUSTIVE=1, on one of each. */
#define _POSIX_C_SOURCE 200809L
#include "pipes/pipe-bugs.h"
#include "pipes/spin.h"
#include "group_ctx.h"

enum { SECONDS = 120 };
static const struct world {
    const char *name;
    unsigned stages;
    int64_t trips[2];
} worlds[] = {
    {"ring", 1, {3}},           {"ring", 2, {0}},           {"ring", 2, {5}},
    {"ring", 3, {4}},           {"cooperative", 2, {1}},    {"cooperative", 2, {4}},
    {"pingpong", 2, {0, 1}},    {"pingpong", 2, {3, 1}},    {"pingpong", 2, {2, 2}},
    {"persistent", 2, {3, 1}},  {"persistent", 2, {2, 2}},  {"attention", 1, {1}},
    {"attention", 1, {3}},      {"attention", 2, {2}},      {"grouped", 2, {3, 1}},
    {"grouped", 2, {2, 2}},     {"split", 1, {2}},          {"split", 2, {3}},
    {"multistage", 2, {2}},     {"multistage", 3, {5}},     {"streamk", 2, {1}},
    {"streamk", 2, {2}},        {"blackwell", 2, {0, 1}},   {"blackwell", 2, {3, 1}},
    {"blackwell", 2, {2, 2}},   {"epilogue", 2, {1, 2}},    {"cooperative_multicast", 2, {1}},
    {"cooperative_multicast", 2, {3}}, {"turns", 2, {1}}, {"turns", 2, {3}},
    {"pingpong_multicast", 2, {1, 1}},                      {"pingpong_multicast", 2, {2, 1}},
    {"pair", 2, {1, 1}},        {"pair", 2, {2, 2}},        {"epilogue", 2, {2, 2}},
    {"lds_double", 2, {1}},     {"lds_double", 2, {4}},     {"lds_double", 3, {5}},
    {"lds_direct", 2, {3}},     {"lds_direct", 3, {5}},     {"lds_pipelined", 2, {2}},
    {"lds_pipelined", 2, {4}},
};
enum { WORLDS = sizeof worlds / sizeof *worlds };

static void check_right(const struct world *w, int split)
{
    static char text[NAMED_TEXT];
    zlay_pipe *pipe;
    size_t length = named_read(text, w->name, w->stages);
    assert_int_equal(zlay_pipe_parse(ctx, &pipe, text, length), ZLAY_OK);
    spin_verdict v = spin_ask(pipe, w->trips, split, SECONDS);
    printf("%s %u, trips %lld %lld, split %d: %s, %ld states\n", w->name, w->stages,
           (long long)w->trips[0], (long long)w->trips[1], split,
           v.sort == SPIN_LARGE ? "too large" : "explored", v.states);
    if (v.sort == SPIN_FAULT)
        fail_msg("%s: %s, line %d", w->name, zlay_pipe_rule_name(v.rule), v.line);
    assert_int_equal(v.sort, SPIN_SAFE);
    zlay_pipe_free(pipe);
}

static void test_right(void **state)
{
    (void)state;
    if (!spin_found()) skip();
    size_t step = test_exhaustive() ? 1 : WORLDS,
           first = test_exhaustive() ? 0 : test_seed("right");
    for (size_t i = first % step; i < WORLDS; i += step)
        for (int split = 0; split < PML_SPLITS; split += test_exhaustive() ? 1 : PML_SPLITS)
            check_right(&worlds[i], split);
}

/* Some fault is of two warps, some of two lanes. */
static void test_wrong(void **state)
{
    (void)state;
    if (!spin_found()) skip();
    size_t step = test_exhaustive() ? 1 : PIPE_BUGS,
           first = test_exhaustive() ? 0 : test_seed("wrong");
    for (size_t i = first % step; i < PIPE_BUGS; i += step) {
        const pipe_bug *bug = &pipe_bugs[i];
        zlay_pipe *pipe = pipe_bug_make(ctx, bug);
        spin_verdict v = {.sort = SPIN_SAFE};
        for (int split = PML_SPLITS; v.sort != SPIN_FAULT && split-- > 0;)
            v = spin_ask(pipe, bug->trips, split, SECONDS);
        if (v.sort != SPIN_FAULT) fail_msg("%s: %s: no run shows it", bug->class, bug->pipe);
        printf("%s: %s: %s\n", bug->class, bug->pipe, zlay_pipe_rule_name(v.rule));
        zlay_pipe_free(pipe);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_right), cmocka_unit_test(test_wrong)};
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
