/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pipe of a wgmma GEMM as text, with the bytes and counts of the plan, and has it
 * parsed and proved. A producer loads stages ahead; consumers multiply and store. Shared buffers
 * are declared in the order of ZLAY_OPERAND_*. The emitter prints this pipe and nothing else. */
#include "pipe/order/verify.h"
#include "pipe/language/parse.h"
#include "synth/gemm/plan.h"

#include <stdio.h>
#include <string.h>

static const char *operand_name(int32_t operand) { return operand == ZLAY_OPERAND_A ? "A" : "B"; }

static void declare(zl_text *out, const zlay_plan *plan)
{
    const zlay_plan_summary *info = &plan->info;
    zl_puts(out, "pipe gemm\nparam T 0..\nparam N 1..\n");
    zl_putf(out, "smem A[%u] %u\n", info->stages, plan->operand[ZLAY_OPERAND_A].bytes);
    zl_putf(out, "smem B[%u] %u\n", info->stages, plan->operand[ZLAY_OPERAND_B].bytes);
    zl_putf(out, "smem D[1] %u each\n", plan->operand[ZLAY_OPERAND_D].bytes);
    zl_putf(out, "bar full[%u] count %u\n", info->stages, info->full_count);
    zl_putf(out, "bar empty[%u] count %u\n", info->stages, info->empty_count);
    zl_puts(out, "init full\ninit empty\nfence mbarrier_init\nsync cta\n");
}

static void tensor_loads(zl_text *out, const zlay_plan *plan, const char *at)
{
    for (int32_t operand = 0; operand < 2; operand++) {
        const zl_operand *o = &plan->operand[operand];
        if (!zl_by_tensor(o)) continue;
        for (uint32_t i = 0; i < o->copies_count; i++)
            zl_putf(out, "copy tensor %u -> %s[%s %% %u] part %u signal full[%s %% %u]\n",
                    o->copies[i].bytes, operand_name(operand), at, plan->info.stages, i, at,
                    plan->info.stages);
    }
}

static void thread_loads(zl_text *out, const zlay_plan *plan, const char *at)
{
    for (int32_t operand = 0; operand < 2; operand++) {
        const zl_operand *o = &plan->operand[operand];
        for (uint32_t i = 0; !zl_by_tensor(o) && i < o->copies_count; i++) {
            if (o->kind == ZLAY_COPY_CP_ASYNC)
                zl_putf(out, "cpasync %u -> %s[%s %% %u] part %u\n", o->copies[i].bytes,
                        operand_name(operand), at, plan->info.stages, i);
            else
                zl_putf(out, "write %s[%s %% %u] %u part %u\n", operand_name(operand), at,
                        plan->info.stages, o->copies[i].bytes, i);
        }
    }
}

static bool any_cpasync(const zlay_plan *plan)
{
    return plan->operand[ZLAY_OPERAND_A].kind == ZLAY_COPY_CP_ASYNC ||
           plan->operand[ZLAY_OPERAND_B].kind == ZLAY_COPY_CP_ASYNC;
}

/* Waits until the stage is empty, and expects the bytes of tensor copies. */
static void stage_begin(zl_text *out, const zlay_plan *plan, const char *at)
{
    uint32_t s = plan->info.stages;
    zl_putf(out, "wait empty[%s %% %u] parity (%s / %u + 1) %% 2\n", at, s, at, s);
    if (plan->info.expect_bytes)
        zl_putf(out, "expect full[%s %% %u] %u\n", at, s, plan->info.expect_bytes);
}

static void producer_by_tensor(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "role producer warps 0..3 elect\nfor t in 0..T\nfor i in t*N..t*N+N\n");
    stage_begin(out, plan, "i");
    zl_putf(out, "arrive full[i %% %u]\n", plan->info.stages);
    tensor_loads(out, plan, "i");
    zl_puts(out, "end\nend\nend\n");
}

/* Makes what threads wrote to a stage visible to wgmma, and arrives at its full barrier. */
static void publish(zl_text *out, const zlay_plan *plan, const char *at, int in_flight)
{
    if (any_cpasync(plan)) zl_putf(out, "waitgroup cpasync %d\n", in_flight);
    zl_putf(out, "fence proxy.async\narrive full[%s %% %u] threads\n", at, plan->info.stages);
}

static void thread_stage(zl_text *out, const zlay_plan *plan, const char *at)
{
    stage_begin(out, plan, at);
    tensor_loads(out, plan, at);
    thread_loads(out, plan, at);
    if (any_cpasync(plan)) zl_puts(out, "commit cpasync\n");
}

/* One step stays in flight: a thread publishes step i - 1 after it has issued step i. */
static void producer_by_threads(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "role producer warps 0..3\nfor t in 0..T\n");
    thread_stage(out, plan, "t*N");
    zl_puts(out, "for i in t*N+1..t*N+N\n");
    thread_stage(out, plan, "i");
    publish(out, plan, "(i-1)", 1);
    zl_puts(out, "end\n");
    publish(out, plan, "(t*N+N-1)", 0);
    zl_puts(out, "end\nend\n");
}

static void multiply(zl_text *out, const zlay_plan *plan, const char *at, const char *fresh)
{
    uint32_t s = plan->info.stages;
    zl_putf(out, "wait full[%s %% %u] parity %s / %u %% 2\nfence wgmma\n", at, s, at, s);
    zl_putf(out, "mma A[%s %% %u], B[%s %% %u] -> C%s\ncommit wgmma\n", at, s, at, s, fresh);
}

/* Stores D by passes through shared memory: by tensor copies, or by threads. */
static void epilogue(zl_text *out, const zlay_plan *plan)
{
    const zl_operand *d = &plan->operand[ZLAY_OPERAND_D];
    for (uint32_t pass = 0; pass < plan->info.passes; pass++) {
        if (zl_by_tensor(d)) zl_puts(out, "waitgroup bulk.read 0\n");
        zl_putf(out, "sync role\nwrite D[0] from C part %u\n", pass);
        if (zl_by_tensor(d))
            zl_putf(out, "fence proxy.async\nsync role\nstore D[0] %u part %u\ncommit bulk\n",
                    d->bytes, pass);
        else zl_putf(out, "sync role\nread D[0] part %u\n", pass);
    }
}

static void consumer(zl_text *out, const zlay_plan *plan)
{
    uint32_t s = plan->info.stages;
    zl_putf(out, "role consumer warps 4..%u each 4\nfor t in 0..T\n", 3 + 4 * plan->info.consumers);
    multiply(out, plan, "t*N", " fresh");
    zl_puts(out, "for i in t*N+1..t*N+N\n");
    multiply(out, plan, "i", "");
    zl_putf(out, "waitgroup wgmma 1\narrive empty[(i-1) %% %u] warps\nend\n", s);
    zl_putf(out, "waitgroup wgmma 0\narrive empty[(t*N+N-1) %% %u] warps\n", s);
    epilogue(out, plan);
    zl_puts(out, "end\n");
    if (zl_by_tensor(&plan->operand[ZLAY_OPERAND_D])) zl_puts(out, "waitgroup bulk 0\n");
    zl_puts(out, "end\n");
}

static void pipe_write(zl_text *out, const void *value)
{
    const zlay_plan *plan = value;
    declare(out, plan);
    if (plan->info.full_count == 1) producer_by_tensor(out, plan);
    else producer_by_threads(out, plan);
    consumer(out, plan);
}

static zlay_status prove(zlay_ctx *ctx, const zlay_plan *plan)
{
    zlay_answer answer;
    zlay_pipe_reason reason = {0};
    size_t count = 0;
    zlay_status status = zl_verify_part(ctx, &answer, &reason, 1, &count, NULL, plan->pipe);
    if (status || answer == ZLAY_YES) return status;
    if (answer == ZLAY_UNDECIDED) return ZLAY_ELIMIT;
    return zl_fail(ctx, ZLAY_EINTERNAL,
                   "the plan's pipe breaks %s in its line %u; please report this request",
                   zlay_pipe_rule_name(reason.rule), reason.line);
}

zlay_status zl_plan_pipe_make(zlay_ctx *ctx, zlay_plan *plan, zl_writer *write, const void *value)
{
    size_t length;
    const char *text = zl_print_scratch(ctx, &length, write, value);
    if (!text) return ZLAY_ENOMEM;
    zlay_status status = zl_pipe_parse(ctx, &plan->pipe, text, length);
    return status ? status : prove(ctx, plan);
}

zlay_status zl_gemm_pipe(zlay_ctx *ctx, zlay_plan *plan)
{
    return zl_plan_pipe_make(ctx, plan, pipe_write, plan);
}
