/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pipe of a wgmma GEMM as text, with the bytes and counts of the plan, and has it
 * parsed and proved. A producer loads stages ahead; consumers multiply and store. Shared buffers
 * are declared in the order of ZLAY_OPERAND_*; a move is all copies of an operand's stage or, for
 * D, of a pass. The emitter prints this pipe and nothing else. */
#include "pipe/order/verify.h"
#include "synth/gemm/groups.h"
#include "synth/gemm/gemm_pipe.h"

#include <stdio.h>
#include <string.h>

enum { WARPGROUP = 128 };

/* ---- declarations ------------------------------------------------------------------------- */

/* The bytes of an operand's stage. */
static void put_bytes(zl_text *out, const zlay_plan *plan, int32_t operand, uint32_t ring)
{
    uint32_t parts = plan->operand[operand].parts;
    if (parts > 1) zl_putf(out, "%u*", parts);
    zl_putf(out, "t%c%s", zl_operand_name(operand), zl_gemm_ring(plan, ring));
}

void zl_gemm_put_memory(zl_text *out, const zlay_plan *plan)
{
    for (uint32_t r = 0; r < zl_gemm_rings(plan); r++)
        for (int32_t o = 0; o < 2; o++)
            zl_putf(out, "move t%c%s %u\n", zl_operand_name(o), zl_gemm_ring(plan, r), plan->operand[o].bytes);
    zl_putf(out, "move tD %u\n", plan->operand[ZLAY_OPERAND_D].bytes);
    for (int32_t o = 0; o < 2; o++)
        for (uint32_t r = 0; r < zl_gemm_rings(plan); r++) {
            zl_putf(out, "smem %c%s[%u] ", zl_operand_name(o), zl_gemm_ring(plan, r), zl_gemm_stages(plan));
            put_bytes(out, plan, o, r);
            zl_puts(out, "\n");
        }
    zl_puts(out, "smem D[1] tD each\n");
    zl_gemm_scales_declare(out, plan);
    zl_split_declare(out, &plan->info);
    if (zl_groups_taken(&plan->info)) zl_putf(out, "smem M[2] %d\n", ZL_GROUPS_MESSAGE);
}

void zl_gemm_put_ring(zl_text *out, const zlay_plan *plan)
{
    const zlay_plan_summary *info = &plan->info;
    for (uint32_t r = 0; r < zl_gemm_rings(plan); r++)
        zl_putf(out, "bar full%s[%u] count %u\n", zl_gemm_ring(plan, r), zl_gemm_stages(plan), info->full_count);
    for (uint32_t r = 0; r < zl_gemm_rings(plan); r++)
        zl_putf(out, "bar empty%s[%u] count %u\n", zl_gemm_ring(plan, r), zl_gemm_stages(plan), info->empty_count);
}

void zl_gemm_put_bodies(zl_text *out, const zlay_plan *plan)
{
    int32_t sum = plan->info.mma.d, d = plan->operand[ZLAY_OPERAND_D].type;
    zl_gemm_scales_bodies(out, plan);
    zl_split_body(out, &plan->info);
    zl_gemm_quantise_bodies(out, plan);
    if (plan->epilogue) zl_body_put(out, plan->epilogue);
    else if (zl_gemm_converts(plan) && !plan->quantises)
        zl_putf(out, "body narrow\nmatrix S %s\nmatrix R %s\nR = %s\nend\n", zlay_type_name(sum), zlay_type_name(d),
                zl_gemm_conversion(sum, d));
}

static void declare(zl_text *out, const zlay_plan *plan)
{
    const zlay_plan_summary *info = &plan->info;
    zl_puts(out, "pipe gemm\n");
    if (zl_stream(info)) zl_puts(out, "cluster 2\n");
    else if (info->cluster > 1) zl_putf(out, "cluster %u\n", info->cluster);
    if (zl_gemm_gives_registers(plan))
        zl_putf(out, "registers %u\n", zl_gemm_launched(plan));
    zl_puts(out, zl_stream(info) ? "param T 2..\nparam N 1.. of T\n" : zl_groups_in_k(info) ? "param T 0..\nparam N 1.. of T\n" : "param T 0..\nparam N 1..\n");
    zl_gemm_put_memory(out, plan);
    if (zl_stream(info)) zl_stream_declare(out);
    zl_gemm_put_ring(out, plan);
    zl_split_declare_bars(out, info);
    if (zl_groups_taken(info)) zl_putf(out, "bar told[2] count 1\nbar heard[2] count %u\n", 4 * info->consumers);
    zl_gemm_put_bodies(out, plan);
    for (uint32_t r = 0; r < zl_gemm_rings(plan); r++)
        zl_putf(out, "init full%s\ninit empty%s\n", zl_gemm_ring(plan, r), zl_gemm_ring(plan, r));
    zl_split_init_bars(out, info);
    if (zl_groups_taken(info)) zl_puts(out, "init told\ninit heard\n");
    zl_putf(out, "fence mbarrier_init\nsync %s\n", info->cluster > 1 ? "cluster" : "cta");
}

/* ---- the producer ------------------------------------------------------------------------- */

/* The loads of a stage by block `rank`, which multicasts its part of a shared operand, and loads all parts of others. */
static void tensor_loads(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *at, uint32_t rank)
{
    uint32_t s = zl_gemm_stages(plan);
    const char *r = zl_gemm_ring(plan, ring);
    for (int32_t o = 0; o < 2; o++) {
        char name = zl_operand_name(o);
        bool shared = zl_multicast(&plan->info) && plan->operand[o].parts > 1;
        for (uint32_t part = 0; zl_by_tensor(&plan->operand[o]) && part < plan->operand[o].parts; part++) {
            if (shared && part != rank) continue;
            zl_putf(out, "copy tensor t%c%s -> %c%s[%s %% %u]", name, r, name, r, at, s);
            if (part) zl_putf(out, " part %u", part);
            zl_putf(out, " signal full%s[%s %% %u]%s\n", r, at, s, shared ? " multicast 3" : "");
        }
    }
    zl_gemm_blocks_load(out, plan, at);
}

void zl_gemm_thread_loads(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *at)
{
    uint32_t s = zl_gemm_stages(plan);
    const char *r = zl_gemm_ring(plan, ring);
    for (int32_t o = 0; o < 2; o++) {
        char name = zl_operand_name(o);
        if (plan->operand[o].kind == ZLAY_COPY_CP_ASYNC)
            zl_putf(out, "cpasync t%c%s -> %c%s[%s %% %u]\n", name, r, name, r, at, s);
        else if (!zl_by_tensor(&plan->operand[o]))
            zl_putf(out, "write %c%s[%s %% %u] t%c%s\n", name, r, at, s, name, r);
    }
}

static bool any_cpasync(const zlay_plan *plan)
{
    return plan->operand[ZLAY_OPERAND_A].kind == ZLAY_COPY_CP_ASYNC ||
           plan->operand[ZLAY_OPERAND_B].kind == ZLAY_COPY_CP_ASYNC;
}

/* Waits until the stage is empty, and expects the bytes of tensor copies. */
static void stage_begin(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *at)
{
    uint32_t s = zl_gemm_stages(plan);
    const char *r = zl_gemm_ring(plan, ring);
    zl_putf(out, "wait empty%s[%s %% %u] parity (%s / %u + 1) %% 2\n", r, at, s, at, s);
    if (!plan->info.expect_bytes) return;
    zl_putf(out, "expect full%s[%s %% %u]", r, at, s);
    for (int32_t o = 0, any = 0; o < 2; o++) {
        if (!zl_by_tensor(&plan->operand[o])) continue;
        zl_puts(out, any++ ? " + " : " ");
        put_bytes(out, plan, o, ring);
    }
    if (zl_gemm_by_blocks(plan)) zl_putf(out, "%s2*tF", zl_by_tensor(&plan->operand[0]) || zl_by_tensor(&plan->operand[1]) ? " + " : " ");
    zl_puts(out, "\n");
}

static void give_registers(zl_text *out, const zlay_plan *plan)
{
    if (zl_gemm_gives_registers(plan)) zl_putf(out, "setmaxnreg dec %u\n", zl_gemm_kept(plan));
}

static void produce_by_tensor(zl_text *out, const zlay_plan *plan, uint32_t rank)
{
    zl_puts(out, "for t in 0..T\nfor i in t*N..t*N+N\n");
    for (uint32_t r = 0; r < zl_gemm_rings(plan); r++) {
        stage_begin(out, plan, r, "i");
        zl_putf(out, "arrive full%s[i %% %u]\n", zl_gemm_ring(plan, r), zl_gemm_stages(plan));
        tensor_loads(out, plan, r, "i", rank);
    }
    zl_puts(out, "end\n");
    if (zl_groups_taken(&plan->info)) zl_puts(out, "wait heard[t % 2] parity (t / 2 + 1) % 2\nwrite M[t % 2]\narrive told[t % 2]\n");
    zl_puts(out, "end\n");
}

/* Stays until the other block has left the last stages: a barrier must outlive its last arrival. */
static void drain(zl_text *out, const zlay_plan *plan)
{
    uint32_t s = plan->info.stages;
    zl_putf(out, "for t in T..T+1\nfor j in t*N..t*N+%u\nwait empty[j %% %u] parity (j / %u + 1) %% 2\nend\nend\n", s, s, s);
}

/* Makes what threads wrote to a stage visible to wgmma, and arrives at its full barrier. */
static void publish(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *at, int in_flight)
{
    if (any_cpasync(plan)) zl_putf(out, "waitgroup cpasync %d\n", in_flight);
    zl_putf(out, "fence proxy.async\narrive full%s[%s %% %u] threads\n", zl_gemm_ring(plan, ring), at, zl_gemm_stages(plan));
}

static void thread_stage(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *at)
{
    stage_begin(out, plan, ring, at);
    tensor_loads(out, plan, ring, at, 0);
    zl_gemm_thread_loads(out, plan, ring, at);
    if (any_cpasync(plan)) zl_puts(out, "commit cpasync\n");
}

/* One step stays in flight: a thread publishes a step after it has issued the next. */
static void produce_by_threads(zl_text *out, const zlay_plan *plan)
{
    uint32_t rings = zl_gemm_rings(plan);
    zl_puts(out, "for t in 0..T\n");
    for (uint32_t r = 0; r < rings; r++) {
        thread_stage(out, plan, r, "t*N");
        if (r) publish(out, plan, r - 1, "t*N", 1);
    }
    zl_puts(out, "for i in t*N+1..t*N+N\n");
    for (uint32_t r = 0; r < rings; r++) {
        thread_stage(out, plan, r, "i");
        publish(out, plan, r ? r - 1 : rings - 1, r ? "i" : "(i-1)", 1);
    }
    zl_puts(out, "end\n");
    publish(out, plan, rings - 1, "(t*N+N-1)", 0);
    zl_puts(out, "end\n");
}

void zl_gemm_produce(zl_text *out, const zlay_plan *plan)
{
    if (zl_gemm_produces_alone(plan)) produce_by_tensor(out, plan, 0);
    else produce_by_threads(out, plan);
}

/* The producer of block `rank` of a cluster that shares an operand. */
static void producer_of(zl_text *out, const zlay_plan *plan, uint32_t rank)
{
    zl_putf(out, "role producer%u warps 0..3 elect cta %u\n", rank, rank);
    give_registers(out, plan);
    produce_by_tensor(out, plan, rank);
    drain(out, plan);
    zl_puts(out, "end\n");
}

static void producer(zl_text *out, const zlay_plan *plan)
{
    if (zl_multicast(&plan->info)) {
        for (uint32_t r = 0; r < plan->info.cluster; r++) producer_of(out, plan, r);
        return;
    }
    zl_putf(out, "role producer warps 0..3%s%s\n", zl_gemm_produces_alone(plan) ? " elect" : "", zl_stream(&plan->info) ? " cta 0" : "");
    give_registers(out, plan);
    zl_gemm_produce(out, plan);
    zl_puts(out, "end\n");
}

static void pipe_write(zl_text *out, const void *value)
{
    const zlay_plan *plan = value;
    declare(out, plan);
    producer(out, plan);
    zl_gemm_consume(out, plan);
    if (zl_stream(&plan->info)) zl_stream_neighbours(out, &plan->info);
}

zlay_status zl_gemm_pipe(zlay_ctx *ctx, zlay_plan *plan)
{
    return zl_pipe_proved(ctx, &plan->pipe, pipe_write, plan);
}
