/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the consumers of a wgmma GEMM's pipe: warpgroups that multiply stages as they fill, and store a tile of D by passes. */
#include "synth/gemm/gemm_pipe.h"
#include "synth/gemm/groups.h"

#include <stdio.h>
#include <string.h>

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

/* The first row and column of the request's D, and the group; the planned product may be the transposed one. */
static const char *corner(const zlay_plan *plan)
{
    uint32_t indices = zl_gemm_epilogue_has(plan, ZLAY_BODY_INDEX);
    if (!indices) return "";
    if (indices == 3) return " at tile.row, tile.column, tile.group";
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

/* Begins the role of the consumers of every block, or of block `rank` of a split, or of the one that stands for all. */
static void role_begin(zl_text *out, const zlay_plan *plan, const char *name, uint32_t rank)
{
    zl_putf(out, "role %s warps 4..%u each 4", name, 3 + 4 * plan->info.consumers);
    if (plan->info.splits > 1 || zl_stream(&plan->info)) zl_putf(out, " cta %u", rank);
    zl_puts(out, "\n");
    if (zl_gemm_gives_registers(plan)) zl_putf(out, "setmaxnreg inc %u\n", zl_gemm_taken(plan));
    zl_gemm_scales_turn(out, plan, "join named 1 +");
}

/* The consumers of a block that sends its sums to block 0. */
static void sender(zl_text *out, const zlay_plan *plan, uint32_t rank)
{
    char name[24];
    snprintf(name, sizeof name, "sender%u", rank);
    role_begin(out, plan, name, rank);
    zl_puts(out, "for t in 0..T\n");
    sum_up(out, plan);
    zl_split_send(out, &plan->info, rank);
    zl_puts(out, "end\nend\n");
}

/* Tiles whose D the block stores. */
static void tiles(zl_text *out, const zlay_plan *plan, const char *loop)
{
    bool last = !strcmp(loop, zl_stream_tail);
    zl_putf(out, "for t in %s\n", loop);
    if (zl_gemm_scaled(plan)) sum_scaled(out, plan);
    else sum_up(out, plan);
    zl_split_take(out, &plan->info);
    if (last) zl_stream_take(out);
    epilogue(out, plan);
    if (zl_groups_taken(&plan->info)) zl_puts(out, "wait told[t % 2] parity t / 2 % 2\nread M[t % 2]\nsync warp\narrive heard[t % 2] warps\n");
    zl_puts(out, "end\n");
}

/* The first steps of a tile whose last another block has. */
static void head(zl_text *out, const zlay_plan *plan)
{
    zl_putf(out, "for t in %s\n", zl_stream_head);
    sum_up(out, plan);
    zl_stream_leave(out);
    zl_puts(out, "end\n");
}

static void consumer(zl_text *out, const zlay_plan *plan)
{
    role_begin(out, plan, "consumer", 0);
    tiles(out, plan, zl_stream(&plan->info) ? zl_stream_whole : "0..T");
    if (zl_stream(&plan->info)) {
        head(out, plan);
        tiles(out, plan, zl_stream_tail);
    }
    zl_gemm_scales_turn(out, plan, "sync named 2 -");
    zl_gemm_stored(out, plan);
    zl_puts(out, "end\n");
}

void zl_gemm_consume(zl_text *out, const zlay_plan *plan)
{
    for (uint32_t r = 1; r < plan->info.splits; r++) sender(out, plan, r);
    consumer(out, plan);
}
