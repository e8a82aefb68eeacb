/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of device/kernels/pipes.def on the machine: printed, run once, compared. */
#ifndef TEST_PTX_PIPES_H
#define TEST_PTX_PIPES_H

#include "ptx/run.h"

#include "device/kernels/pipe_bench.h"

static px_machine machine;
static bench piped;

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
    for (unsigned i = 0; i <= piped.buffers; i++) {
        buffer *one = i < piped.buffers ? &piped.buffer[i] : &piped.sums;
        if (!one->was) continue;
        memcpy(one->got, one->was, one->bytes);
        m->memory[m->memories++] = (px_memory){one->at, one->bytes, one->got};
    }
    for (uint32_t i = 0; i < piped.launch.arguments; i++) memcpy(m->param[i], piped.parameter[i], piped.argument[i].bytes);
}

/* Whether a run ends well and leaves what it must; else machine.fault says what is wrong. */
static inline bool runs_right(const struct pipe_row *row, px_when when)
{
    arguments_make(&piped, row);
    memory_bind(&machine);
    machine.when = when;
    machine.random = test_random(&piped.seed);
    machine.launched = piped.launch.smem;
    px_run(&machine, piped.kernel, (int)piped.launch.threads, piped.blocks, (int)piped.cluster);
    if (*machine.fault) return false;
    return holds(&piped, row) || px_fault(&machine, "other bytes");
}

static int begin(void **state)
{
    (void)state;
    piped = (bench){.seed = test_seed("pipes"), .place = place};
    if (zlay_ctx_new(&piped.ctx, NULL, NULL) || zlay_target_find(&piped.target, "sm_90a", 6)) return 1;
    bench_begin(&piped);
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (unsigned i = 0; i < BUFFERS; i++) {
        free(piped.buffer[i].was);
        free(piped.buffer[i].got);
    }
    free(piped.sums.was);
    free(piped.sums.got);
    bench_end(&piped);
    zlay_ctx_free(piped.ctx);
    return 0;
}

#endif
