/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pipe of a GEMM by mma.sync as text. All warps of a block load stages by cp.async, or by loads and stores of single
 * elements, fetch factors by ldmatrix and multiply. A tile begins with all stages but one under way; each step waits for its
 * own, meets, and has the stage behind filled that was multiplied before. The last steps commit empty groups, so that waits
 * count alike. D leaves by guarded stores, through shared memory. */
#include "pipe/order/verify.h"
#include "synth/gemm/gemm_pipe.h"

#include <stdio.h>

static bool any_async(const zlay_plan *plan)
{
    return plan->operand[ZLAY_OPERAND_A].kind == ZLAY_COPY_CP_ASYNC ||
           plan->operand[ZLAY_OPERAND_B].kind == ZLAY_COPY_CP_ASYNC;
}

/* Trip counts: a tile has steps for all stages but one. */
static void declare(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "pipe gemm\nparam T 0..\n");
    zl_putf(out, "param N %u..\n", plan->info.stages - 1);
    zl_gemm_put_memory(out, plan);
    zl_putf(out, "body sums_begin\nmatrix C %s\nC = 0\nend\n", zlay_type_name(plan->info.mma.d));
    zl_gemm_put_bodies(out, plan);
}

static void load(zl_text *out, const zlay_plan *plan, const char *at)
{
    zl_gemm_thread_loads(out, plan, 0, at);
    if (any_async(plan)) zl_puts(out, "commit cpasync\n");
}

/* Waits for a step's stage, of which all others may be under way. */
static void arrive(zl_text *out, const zlay_plan *plan)
{
    if (any_async(plan)) zl_putf(out, "waitgroup cpasync %u\n", plan->info.stages - 2);
    zl_puts(out, "sync role\n");
}

static void multiply(zl_text *out, const zlay_plan *plan, const char *at)
{
    uint32_t s = plan->info.stages;
    zl_putf(out, "fetch A[%s %% %u] -> FA\nfetch B[%s %% %u] -> FB\n", at, s, at, s);
    zl_puts(out, "waitcount shared 0\nmma FA, FB -> C\n");
}

static void steps(zl_text *out, const zlay_plan *plan)
{
    uint32_t ahead = plan->info.stages - 1;
    char next[16];
    snprintf(next, sizeof next, "(i+%u)", ahead);
    zl_putf(out, "for p in t*N..t*N+%u\n", ahead);
    load(out, plan, "p");
    zl_putf(out, "end\nfor i in t*N..t*N+N-%u\n", ahead);
    arrive(out, plan);
    load(out, plan, next);
    multiply(out, plan, "i");
    zl_putf(out, "end\nfor k in t*N+N-%u..t*N+N\n", ahead);
    arrive(out, plan);
    if (any_async(plan)) zl_puts(out, "commit cpasync\n");
    multiply(out, plan, "k");
    zl_puts(out, "end\n");
}

static void pipe_write(zl_text *out, const void *value)
{
    const zlay_plan *plan = value;
    declare(out, plan);
    zl_putf(out, "role warps warps 0..%d\nfor t in 0..T\nuse C body sums_begin\n", ZL_SYNC_WARPS - 1);
    steps(out, plan);
    zl_gemm_convert(out, plan, "C", "R", 0);
    zl_gemm_store(out, plan, zl_gemm_converts(plan) ? "R" : "C", 0);
    zl_puts(out, "end\nend\n");
}

zlay_status zl_sync_gemm_pipe(zlay_ctx *ctx, zlay_plan *plan)
{
    return zl_pipe_proved(ctx, &plan->pipe, pipe_write, plan);
}
