/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of pipes, executed: the rows of device/pipes.def in whole clusters, the named set at two stages among them, every
 * byte of global memory against their relations; every row is proved before it is printed. Then mutants, which are printed only
 * when asked for: each leaves other bytes, gets stuck or breaks a rule of the machine. */
#include "ptx/run.h"

#include "device/pipe_bench.h"

static px_machine machine;
static bench b;

/* Buffers lie apart, so that what leaves one finds none. */
static uint64_t place(bench *of, size_t bytes)
{
    static uint64_t next = (uint64_t)1 << 32;
    (void)of;
    next += 2 * bytes;
    return next - bytes;
}

static void memory_bind(px_machine *m)
{
    m->memories = 0;
    for (unsigned i = 0; i <= b.buffers; i++) {
        buffer *one = i < b.buffers ? &b.buffer[i] : &b.sums;
        if (!one->was) continue;
        memcpy(one->got, one->was, one->bytes);
        m->memory[m->memories++] = (px_memory){one->at, one->bytes, one->got};
    }
    for (uint32_t i = 0; i < b.launch.arguments; i++) memcpy(m->param[i], b.parameter[i], b.argument[i].bytes);
}

/* Whether a run ends well and leaves what it must; else machine.fault says what is wrong. */
static bool runs_right(const struct pipe_row *row, px_when when)
{
    arguments_make(&b, row);
    memory_bind(&machine);
    machine.when = when;
    machine.random = test_random(&b.seed);
    px_run(&machine, b.kernel, (int)b.launch.threads, b.blocks, (int)b.cluster);
    if (*machine.fault) return false;
    return holds(&b, row) || px_fault(&machine, "other bytes");
}

static void printed(const struct pipe_row *row)
{
    const char *target = row->later ? "sm_100a" : "sm_90a";
    assert_int_equal(zlay_target_find(&b.target, target, strlen(target)), ZLAY_OK);
    if (kernel_make(&b, row)) fail_msg("%s: %s", row->name, zlay_ctx_message(b.ctx));
}

static void rows_run(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ROWS; i++) {
        long steps = 0;
        row_text(b.text, &rows[i]);
        printed(&rows[i]);
        if (!b.proved) fail_msg("%s: %s", rows[i].name, zlay_ctx_message(b.ctx));
        for (unsigned trip = 0; trip < (test_exhaustive() ? 6 : 4) && row_trips(b.text, trip, &b.n, &b.t); trip++) {
            if (!runs_right(&rows[i], trip % 3)) fail_msg("%s, N = %u, T = %u: %s", rows[i].name, b.n, b.t, machine.fault);
            steps += machine.steps;
        }
        printf("%s: %ld instructions\n", rows[i].name, steps);
    }
}

/* A mutant shows itself in some run; one that may do right on a device may here. */
static bool shows(const struct pipe_row *row)
{
    for (unsigned trip = 1; trip < 4; trip++)
        for (int when = PX_LATE; when <= PX_ANY_TIME && row_trips(b.text, trip, &b.n, &b.t); when++)
            if (!runs_right(row, (px_when)when)) return true;
    return false;
}

static void mutants_show(void **state)
{
    unsigned shown = 0;
    (void)state;
    for (unsigned i = 0; i < MUTANTS; i++) {
        const struct pipe_row *row = mutant_text(&b, &mutants[i]);
        if (!row) fail_msg("%s: no place for %s", mutants[i].pipe, mutants[i].to);
        printed(row);
        if (b.proved) fail_msg("%s: %s is not refused", mutants[i].pipe, mutants[i].to);
        bool wrong = shows(row);
        printf("%s, %s -> %s: %s\n", mutants[i].pipe, mutants[i].from, mutants[i].to, wrong ? machine.fault : "right");
        if (!wrong && mutants[i].outcome == FAULT) fail_msg("%s: %s runs right", mutants[i].pipe, mutants[i].to);
        shown += wrong;
    }
    printf("%u of %u mutants show themselves\n", shown, (unsigned)MUTANTS);
}

static int begin(void **state)
{
    (void)state;
    b = (bench){.seed = test_seed("t-pipe-run"), .place = place};
    if (zlay_ctx_new(&b.ctx, NULL, NULL) || zlay_target_find(&b.target, "sm_90a", 6)) return 1;
    bench_begin(&b);
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (unsigned i = 0; i < BUFFERS; i++) {
        free(b.buffer[i].was);
        free(b.buffer[i].got);
    }
    free(b.sums.was);
    free(b.sums.got);
    bench_end(&b);
    zlay_ctx_free(b.ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_run), cmocka_unit_test(mutants_show)};
    return cmocka_run_group_tests(tests, begin, end);
}
