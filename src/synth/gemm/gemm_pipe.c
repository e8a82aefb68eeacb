/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pipe of a wgmma GEMM as text, with the bytes and counts of the plan, and has it
 * parsed and proved. A producer loads stages ahead; consumers multiply and store. Shared buffers
 * are declared in the order of ZLAY_OPERAND_*; a move is all copies of an operand's stage or, for
 * D, of a pass. The emitter prints this pipe and nothing else. */
#include "pipe/order/verify.h"
#include "synth/gemm/gemm_pipe.h"

#include <stdio.h>
#include <string.h>

enum {
    WARPGROUP = 128,
    REGISTERS = 504,          /* of three threads, one of each warpgroup: all that a block may have */
    REGISTERS_BY_TENSOR = 40, /* of the producer */
    REGISTERS_BY_THREADS = 56
};

/* ---- declarations ------------------------------------------------------------------------- */

/* Whether the producer gives registers to the consumers: with two of them, sums take 128. */
static bool gives_registers(const zlay_plan *plan) { return plan->info.consumers == 2; }

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
}

/* How many operands of a sort the epilogue has. */
static uint32_t count_of(const zlay_body *epilogue, int32_t sort)
{
    uint32_t count = 0;
    for (uint32_t i = 0; epilogue && i < epilogue->operands_count; i++)
        count += epilogue->operands[i].sort == sort;
    return count;
}

void zl_gemm_put_ring(zl_text *out, const zlay_plan *plan)
{
    const zlay_plan_summary *info = &plan->info;
    for (uint32_t r = 0; r < zl_gemm_rings(plan); r++)
        zl_putf(out, "bar full%s[%u] count %u\n", zl_gemm_ring(plan, r), zl_gemm_stages(plan), info->full_count);
    for (uint32_t r = 0; r < zl_gemm_rings(plan); r++)
        zl_putf(out, "bar empty%s[%u] count %u\n", zl_gemm_ring(plan, r), zl_gemm_stages(plan), info->empty_count);
}

bool zl_gemm_converts(const zlay_plan *plan)
{
    if (plan->quantises) return true;
    if (plan->epilogue) return count_of(plan->epilogue, ZLAY_BODY_MATRIX) == 2;
    return plan->operand[ZLAY_OPERAND_D].type != plan->info.mma.d;
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
    if (info->cluster > 1) zl_putf(out, "cluster %u\n", info->cluster);
    if (gives_registers(plan))
        zl_putf(out, "registers %u\n", REGISTERS * WARPGROUP / info->threads);
    zl_puts(out, "param T 0..\nparam N 1..\n");
    zl_gemm_put_memory(out, plan);
    zl_gemm_put_ring(out, plan);
    zl_split_declare_bars(out, info);
    zl_gemm_put_bodies(out, plan);
    for (uint32_t r = 0; r < zl_gemm_rings(plan); r++)
        zl_putf(out, "init full%s\ninit empty%s\n", zl_gemm_ring(plan, r), zl_gemm_ring(plan, r));
    zl_split_init_bars(out, info);
    zl_putf(out, "fence mbarrier_init\nsync %s\n", info->cluster > 1 ? "cluster" : "cta");
}

/* ---- the producer ------------------------------------------------------------------------- */

/* The loads of a stage by block `rank`, which multicasts its part of a shared operand. */
static void tensor_loads(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *at, uint32_t rank)
{
    uint32_t s = zl_gemm_stages(plan);
    const char *r = zl_gemm_ring(plan, ring);
    for (int32_t o = 0; o < 2; o++) {
        char name = zl_operand_name(o);
        bool shared = plan->operand[o].parts > 1;
        if (!zl_by_tensor(&plan->operand[o])) continue;
        zl_putf(out, "copy tensor t%c%s -> %c%s[%s %% %u]", name, r, name, r, at, s);
        if (shared && rank) zl_putf(out, " part %u", rank);
        zl_putf(out, " signal full%s[%s %% %u]%s\n", r, at, s, shared ? " multicast 3" : "");
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

/* What the producer keeps of its registers. */
static uint32_t kept(const zlay_plan *plan)
{
    return zl_gemm_produces_alone(plan) ? REGISTERS_BY_TENSOR : REGISTERS_BY_THREADS;
}

static void give_registers(zl_text *out, const zlay_plan *plan)
{
    if (gives_registers(plan)) zl_putf(out, "setmaxnreg dec %u\n", kept(plan));
}

static void produce_by_tensor(zl_text *out, const zlay_plan *plan, uint32_t rank)
{
    zl_puts(out, "for t in 0..T\nfor i in t*N..t*N+N\n");
    for (uint32_t r = 0; r < zl_gemm_rings(plan); r++) {
        stage_begin(out, plan, r, "i");
        zl_putf(out, "arrive full%s[i %% %u]\n", zl_gemm_ring(plan, r), zl_gemm_stages(plan));
        tensor_loads(out, plan, r, "i", rank);
    }
    zl_puts(out, "end\nend\n");
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
    zl_putf(out, "role producer warps 0..3%s\n", zl_gemm_produces_alone(plan) ? " elect" : "");
    give_registers(out, plan);
    zl_gemm_produce(out, plan);
    zl_puts(out, "end\n");
}

/* ---- consumers ---------------------------------------------------------------------------- */

/* Products of a step of a ring, to registers of the name. */
static void multiply(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *at, const char *to)
{
    uint32_t s = zl_gemm_stages(plan);
    const char *r = zl_gemm_ring(plan, ring);
    zl_putf(out, "wait full%s[%s %% %u] parity %s / %u %% 2\n", r, at, s, at, s);
    zl_gemm_scales_turn(out, plan, "sync named 2 +");
    zl_putf(out, "fence wgmma\nmma A%s[%s %% %u], B%s[%s %% %u] -> %s\ncommit wgmma\n", r, at, s, r, at, s, to);
    zl_gemm_scales_turn(out, plan, "join named 3 -");
}

/* The products of a step are complete, and those of the `in_flight` steps behind it need not be. */
static void finish(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *at, int in_flight)
{
    zl_putf(out, "waitgroup wgmma %d\narrive empty%s[%s %% %u] warps%s\n", in_flight, zl_gemm_ring(plan, ring), at,
            zl_gemm_stages(plan), zl_multicast(&plan->info) ? " cta all" : "");
}

/* The registers that hold the sums of all steps. */
static const char *sums(const zlay_plan *plan) { return zl_gemm_scaled(plan) ? "T" : "C"; }

/* The first row and column of the request's D; the planned product may be the transposed one. */
static const char *corner(const zlay_plan *plan)
{
    if (!count_of(plan->epilogue, ZLAY_BODY_INDEX)) return "";
    return plan->info.swapped ? " at tile.column, tile.row" : " at tile.row, tile.column";
}

/* Where D has scales, the epilogue changes the sums, and another body follows. */
void zl_gemm_convert(zl_text *out, const zlay_plan *plan, const char *from, const char *elements, uint32_t pass)
{
    bool more = zl_gemm_converts(plan) && !plan->quantises;
    if (plan->epilogue || more)
        zl_putf(out, "use %s%s%s body %s%s\n", from, more ? ", " : "", more ? elements : "",
                plan->epilogue ? plan->epilogue->name : "narrow", corner(plan));
    if (plan->quantises) zl_putf(out, "use %s, %s body quantise%u at tile.row, tile.column\n", from, elements, pass);
}

void zl_gemm_store(zl_text *out, const zlay_plan *plan, const char *elements, uint32_t pass)
{
    bool by_tensor = zl_by_tensor(&plan->operand[ZLAY_OPERAND_D]);
    if (by_tensor) zl_puts(out, "waitgroup bulk.read 0\n");
    zl_putf(out, "sync role\nwrite D[0] from %s part %u\n", elements, pass);
    if (by_tensor)
        zl_putf(out, "fence proxy.async\nsync role\nstore D[0] tD part %u\ncommit bulk\n", pass);
    else zl_putf(out, "sync role\nread D[0] part %u\n", pass);
}

void zl_gemm_stored(zl_text *out, const zlay_plan *plan)
{
    if (zl_by_tensor(&plan->operand[ZLAY_OPERAND_D])) zl_puts(out, "waitgroup bulk.read 0\n");
}

/* Stores D by passes through shared memory: by tensor copies, or by threads. */
static void epilogue(zl_text *out, const zlay_plan *plan)
{
    zl_gemm_convert(out, plan, sums(plan), "R", 0);
    for (uint32_t pass = 0; pass < plan->info.passes; pass++)
        zl_gemm_store(out, plan, zl_gemm_converts(plan) ? "R" : sums(plan), pass);
}

/* A tile's products, one group of a stage in flight. */
static void sum_up(zl_text *out, const zlay_plan *plan)
{
    multiply(out, plan, 0, "t*N", "C fresh");
    zl_puts(out, "for i in t*N+1..t*N+N\n");
    multiply(out, plan, 0, "i", "C");
    finish(out, plan, 0, "(i-1)", 1);
    zl_puts(out, "end\n");
    finish(out, plan, 0, "(t*N+N-1)", 0);
}

/* Issues the products of a step while those of the step before run, then adds the sums of that step. */
static void scaled_step(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *at, const char *before)
{
    static const char *const fresh[] = {"C0 fresh", "C1 fresh"};
    multiply(out, plan, ring, at, fresh[ring]);
    zl_gemm_scales_fetch(out, plan, ring, at);
    finish(out, plan, 1 - ring, before, 1);
    zl_gemm_scales_wait(out, plan, 1);
    zl_gemm_scales_add(out, plan, 1 - ring, before, at);
}

/* A tile's products with scales. Even steps have their sums in C0, odd ones in C1. */
static void sum_scaled(zl_text *out, const zlay_plan *plan)
{
    zl_gemm_scales_begin(out, plan);
    multiply(out, plan, 0, "t*N", "C0 fresh");
    zl_gemm_scales_fetch(out, plan, 0, "t*N");
    scaled_step(out, plan, 1, "t*N", "t*N");
    zl_puts(out, "for i in t*N+1..t*N+N\n");
    scaled_step(out, plan, 0, "i", "(i-1)");
    scaled_step(out, plan, 1, "i", "i");
    zl_puts(out, "end\n");
    finish(out, plan, 1, "(t*N+N-1)", 0);
    zl_gemm_scales_wait(out, plan, 0);
    zl_gemm_scales_add(out, plan, 1, "(t*N+N-1)", NULL);
}

/* Begins the role of the consumers of every block, or of block `rank` of a split. */
static void consumer_begin(zl_text *out, const zlay_plan *plan, const char *name, uint32_t rank)
{
    zl_putf(out, "role %s warps 4..%u each 4", name, 3 + 4 * plan->info.consumers);
    if (plan->info.splits > 1) zl_putf(out, " cta %u", rank);
    zl_puts(out, "\n");
    if (gives_registers(plan)) zl_putf(out, "setmaxnreg inc %u\n", (REGISTERS - kept(plan)) / 2);
    zl_gemm_scales_turn(out, plan, "join named 1 +");
    zl_puts(out, "for t in 0..T\n");
}

/* The consumers of a block that sends its sums to block 0. */
static void sender(zl_text *out, const zlay_plan *plan, uint32_t rank)
{
    char name[24];
    snprintf(name, sizeof name, "sender%u", rank);
    consumer_begin(out, plan, name, rank);
    sum_up(out, plan);
    zl_split_send(out, &plan->info, rank);
    zl_puts(out, "end\nend\n");
}

static void consumer(zl_text *out, const zlay_plan *plan)
{
    consumer_begin(out, plan, "consumer", 0);
    if (zl_gemm_scaled(plan)) sum_scaled(out, plan);
    else sum_up(out, plan);
    zl_split_take(out, &plan->info);
    epilogue(out, plan);
    zl_puts(out, "end\n");
    zl_gemm_scales_turn(out, plan, "sync named 2 -");
    zl_gemm_stored(out, plan);
    zl_puts(out, "end\n");
}

static void pipe_write(zl_text *out, const void *value)
{
    const zlay_plan *plan = value;
    declare(out, plan);
    producer(out, plan);
    for (uint32_t r = 1; r < plan->info.splits; r++) sender(out, plan, r);
    consumer(out, plan);
}

zlay_status zl_gemm_pipe(zlay_ctx *ctx, zlay_plan *plan)
{
    return zl_pipe_proved(ctx, &plan->pipe, pipe_write, plan);
}
