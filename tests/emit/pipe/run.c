/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of pipes, executed: the rows of device/kernels/pipes.def in whole clusters, the named set at two stages among them, every
 * byte of global memory against their relations; every row is proved before it is printed. Then mutants, which are printed only
 * when asked for: each leaves other bytes, gets stuck or breaks a rule of the machine. */
#include "ptx/pipes.h"

static void printed(const struct pipe_row *row)
{
    const char *target = row->later ? "sm_100a" : "sm_90a";
    assert_int_equal(zlay_target_find(&piped.target, target, strlen(target)), ZLAY_OK);
    if (kernel_make(&piped, row)) fail_msg("%s: %s", row->name, zlay_ctx_message(piped.ctx));
}

static void rows_run(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ROWS; i++) {
        long steps = 0;
        row_text(piped.text, &rows[i]);
        printed(&rows[i]);
        if (!piped.proved) fail_msg("%s: %s", rows[i].name, zlay_ctx_message(piped.ctx));
        for (unsigned trip = 0; trip < (test_exhaustive() ? 6 : 4) && row_trips(piped.text, trip, &piped.n, &piped.t); trip++) {
            if (!runs_right(&rows[i], trip % 3)) fail_msg("%s, N = %u, T = %u: %s", rows[i].name, piped.n, piped.t, machine.fault);
            steps += machine.steps;
        }
        printf("%s: %ld instructions\n", rows[i].name, steps);
    }
}

/* A mutant shows itself in some run; one that may do right on a device may here. */
static bool shows(const struct pipe_row *row)
{
    for (unsigned trip = 1; trip < 4; trip++)
        for (int when = PX_LATE; when <= PX_ANY_TIME && row_trips(piped.text, trip, &piped.n, &piped.t); when++)
            if (!runs_right(row, (px_when)when)) return true;
    return false;
}

static void mutants_show(void **state)
{
    unsigned shown = 0;
    (void)state;
    for (unsigned i = 0; i < MUTANTS; i++) {
        const struct pipe_row *row = mutant_text(&piped, &mutants[i]);
        if (!row) fail_msg("%s: no place for %s", mutants[i].pipe, mutants[i].to);
        printed(row);
        if (piped.proved) fail_msg("%s: %s is not refused", mutants[i].pipe, mutants[i].to);
        bool wrong = shows(row);
        printf("%s, %s -> %s: %s\n", mutants[i].pipe, mutants[i].from, mutants[i].to, wrong ? machine.fault : "right");
        if (!wrong && mutants[i].outcome == FAULT) fail_msg("%s: %s runs right", mutants[i].pipe, mutants[i].to);
        shown += wrong;
    }
    printf("%u of %u mutants show themselves\n", shown, (unsigned)MUTANTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_run), cmocka_unit_test(mutants_show)};
    return cmocka_run_group_tests(tests, begin, end);
}
