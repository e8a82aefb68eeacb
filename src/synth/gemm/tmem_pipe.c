/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pipe of a tcgen05 GEMM as text. A producer loads stages ahead; one thread issues the products, whose sums stand
 * in tensor memory twice, so that the products of tile t + 1 run while a warpgroup reads tile t, a pass of D at a time.
 * Arrivals of commits free the stages and say when a tile is complete. Before the block ends the producer has waited for all
 * of them, and a warp gives tensor memory back when the last tiles have been read.
 * With scales of 128 of K the sums of each step are a product of their own, of even steps in C0, of odd ones in C1. The
 * warpgroup loads them, a pass of D at a time, and adds them by their scales to sums in registers. */
#include "pipe/order/verify.h"
#include "synth/gemm/gemm_pipe.h"

#include <stdio.h>

enum {
    WARPS = 4,       /* of the readers */
    REGISTERS = 168, /* of a thread at launch, where readers take registers: three warps share a quarter of a processor's */
    KEPT = 56,       /* of the producer */
    READER = 240     /* up to 128 sums, those of a pass of a step, and what adds them */
};

/* Columns of one tile's sums: an allocation has a power of two. */
static uint32_t columns(const zlay_plan *plan)
{
    uint32_t most = 1;
    while (most < plan->info.tile_n) most *= 2;
    return most;
}

/* Prints a line for each ring of steps. */
static void put_rings(zl_text *out, const zlay_plan *plan, const char *what, const char *name)
{
    for (uint32_t r = 0; r < zl_gemm_rings(plan); r++) zl_putf(out, "%s %s%s\n", what, name, zl_gemm_ring(plan, r));
}

/* Sums of two tiles are one allocation; those of an even and of an odd step are one each. */
static uint32_t slots(const zlay_plan *plan) { return 2 / zl_gemm_rings(plan); }

static void put_sums(zl_text *out, const zlay_plan *plan)
{
    for (uint32_t r = 0; r < zl_gemm_rings(plan); r++)
        zl_putf(out, "tmem C%s[%u] %u\n", zl_gemm_ring(plan, r), slots(plan), columns(plan));
}

static void put_bars(zl_text *out, const zlay_plan *plan, const char *name, int count)
{
    for (uint32_t r = 0; r < zl_gemm_rings(plan); r++)
        zl_putf(out, "bar %s%s[%u] count %d\n", name, zl_gemm_ring(plan, r), slots(plan), count);
}

static void put_setup(zl_text *out, const zlay_plan *plan)
{
    static const char *const bars[] = {"full", "empty", "summed", "taken"};
    for (size_t i = 0; i < ZL_COUNT(bars); i++) put_rings(out, plan, "init", bars[i]);
    zl_puts(out, "init over\n");
    put_rings(out, plan, "alloc", "C");
    zl_puts(out, zl_gemm_by_blocks(plan) ? "alloc S\n" : "");
    zl_puts(out, "relinquish\nfence mbarrier_init\nsync cta\n");
}

static void declare(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "pipe gemm\n");
    if (zl_gemm_scaled(plan)) zl_putf(out, "registers %d\n", REGISTERS);
    zl_puts(out, "param T 0..\nparam N 1..\n");
    zl_gemm_put_memory(out, plan);
    put_sums(out, plan);
    zl_gemm_blocks_tmem(out, plan);
    zl_gemm_put_ring(out, plan);
    put_bars(out, plan, "summed", 1);
    put_bars(out, plan, "taken", WARPS);
    zl_puts(out, "bar over[1] count 1\n");
    zl_gemm_put_bodies(out, plan);
    put_setup(out, plan);
}

/* The waits behind the loops are for the commits of the last stages: no arrival may come when the block has gone. */
static void producer(zl_text *out, const zlay_plan *plan)
{
    uint32_t s = zl_gemm_stages(plan);
    zl_putf(out, "role producer warps 0..3%s\n", zl_gemm_produces_alone(plan) ? " elect" : "");
    if (zl_gemm_scaled(plan)) zl_putf(out, "setmaxnreg dec %d\n", KEPT);
    zl_gemm_produce(out, plan);
    zl_putf(out, "for u in T..T+1\nfor j in u*N..u*N+%u\n", s);
    for (uint32_t r = 0; r < zl_gemm_rings(plan); r++)
        zl_putf(out, "wait empty%s[j %% %u] parity (j / %u + 1) %% 2\n", zl_gemm_ring(plan, r), s, s);
    zl_puts(out, "end\nend\nend\n");
}

/* Converts and stores a pass of D. */
static void leave(zl_text *out, const zlay_plan *plan, const char *sums, uint32_t pass)
{
    char elements[16];
    snprintf(elements, sizeof elements, "R%u", pass);
    zl_gemm_convert(out, plan, sums, elements, pass);
    zl_gemm_store(out, plan, zl_gemm_converts(plan) ? elements : sums, pass);
}

/* Loads the columns of a pass from slot `slot` of a ring of sums, which is free behind the last one. */
static void load_pass(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *slot, const char *sums, uint32_t pass)
{
    const zlay_plan_summary *info = &plan->info;
    const char *r = zl_gemm_ring(plan, ring);
    uint32_t first = zl_pass_column(info, pass);
    zl_putf(out, "tld C%s[%s] columns %u..%u -> %s\ntwait ld\n", r, slot, first, first + info->pass_n - 1, sums);
    if (pass + 1 == info->passes) zl_putf(out, "fence tcgen05.before\narrive taken%s[%s] warps\n", r, slot);
}

static void read_tile(zl_text *out, const zlay_plan *plan)
{
    char sums[16];
    zl_puts(out, "wait summed[t % 2] parity t / 2 % 2\nfence tcgen05.after\n");
    for (uint32_t pass = 0; pass < plan->info.passes; pass++) {
        snprintf(sums, sizeof sums, "C%u", pass);
        load_pass(out, plan, 0, "t % 2", sums, pass);
        leave(out, plan, sums, pass);
    }
}

/* Adds the sums of a step, as zl_gemm_scales_add. */
static void add_step(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *step, const char *at)
{
    char sums[16], slot[32];
    snprintf(slot, sizeof slot, "%s %% 1", step);
    zl_putf(out, "wait summed%s[%s] parity %s / 1 %% 2\nfence tcgen05.after\n", zl_gemm_ring(plan, ring), slot, step);
    for (uint32_t pass = 0; pass < plan->info.passes; pass++) {
        snprintf(sums, sizeof sums, "P%u", pass);
        load_pass(out, plan, ring, slot, sums, pass);
        zl_gemm_scales_add_pass(out, plan, pass, ring, step, at);
    }
}

/* Adds the sums of the step before `ring`'s, whose scales of columns arrive meanwhile. */
static void scaled_step(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *at, const char *before)
{
    zl_gemm_scales_fetch(out, plan, ring, at);
    zl_gemm_scales_wait(out, plan, 1);
    add_step(out, plan, 1 - ring, before, at);
}

static void read_scaled(zl_text *out, const zlay_plan *plan)
{
    char sums[16];
    zl_gemm_scales_begin(out, plan);
    zl_gemm_scales_fetch(out, plan, 0, "t*N");
    scaled_step(out, plan, 1, "t*N", "t*N");
    zl_puts(out, "for i in t*N+1..t*N+N\n");
    scaled_step(out, plan, 0, "i", "(i-1)");
    scaled_step(out, plan, 1, "i", "i");
    zl_puts(out, "end\n");
    zl_gemm_scales_wait(out, plan, 0);
    add_step(out, plan, 1, "(t*N+N-1)", NULL);
    for (uint32_t pass = 0; pass < plan->info.passes; pass++) {
        snprintf(sums, sizeof sums, "T%u", pass);
        leave(out, plan, sums, pass);
    }
}

static void reader(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "role reader warps 4..7\n");
    if (zl_gemm_scaled(plan)) zl_putf(out, "setmaxnreg inc %d\n", READER);
    zl_puts(out, "for t in 0..T\n");
    if (zl_gemm_scaled(plan)) read_scaled(out, plan);
    else read_tile(out, plan);
    zl_puts(out, "end\n");
    zl_gemm_stored(out, plan);
    zl_puts(out, "end\n");
}

/* The products of a step, to slot `slot` of the sums. */
static void multiply(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *at, const char *slot, const char *fresh)
{
    uint32_t s = zl_gemm_stages(plan);
    const char *r = zl_gemm_ring(plan, ring);
    zl_putf(out, "wait full%s[%s %% %u] parity %s / %u %% 2\n", r, at, s, at, s);
    zl_gemm_blocks_copy(out, plan, at);
    zl_putf(out, "mma A%s[%s %% %u], B%s[%s %% %u]", r, at, s, r, at, s);
    zl_gemm_blocks_name(out, plan, at);
    zl_putf(out, " -> C%s[%s]%s\n", r, slot, fresh);
    zl_putf(out, "commit tcgen05 signal empty%s[%s %% %u]\n", r, at, s);
}

static void issue_tiles(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "for t in 0..T\nwait taken[t % 2] parity (t / 2 + 1) % 2\nfence tcgen05.after\n");
    multiply(out, plan, 0, "t*N", "t % 2", " fresh");
    zl_puts(out, "for i in t*N+1..t*N+N\n");
    multiply(out, plan, 0, "i", "t % 2", "");
    zl_puts(out, "end\ncommit tcgen05 signal summed[t % 2]\nend\n"
                 "wait taken[T % 2] parity (T / 2 + 1) % 2\n"
                 "wait taken[(T + 1) % 2] parity ((T + 1) / 2 + 1) % 2\n");
}

static void issue_steps(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "for t in 0..T\nfor i in t*N..t*N+N\n");
    for (uint32_t r = 0; r < zl_gemm_rings(plan); r++) {
        zl_putf(out, "wait taken%s[i %% 1] parity (i / 1 + 1) %% 2\nfence tcgen05.after\n", zl_gemm_ring(plan, r));
        multiply(out, plan, r, "i", "i % 1", " fresh");
        zl_putf(out, "commit tcgen05 signal summed%s[i %% 1]\n", zl_gemm_ring(plan, r));
    }
    zl_puts(out, "end\nend\nfor u in T..T+1\nfor j in u*N..u*N+1\n");
    for (uint32_t r = 0; r < zl_gemm_rings(plan); r++)
        zl_putf(out, "wait taken%s[j %% 1] parity (j / 1 + 1) %% 2\n", zl_gemm_ring(plan, r));
    zl_puts(out, "end\nend\n");
}

static void issuer(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "role issuer warps 8..8 elect\n");
    if (zl_gemm_scaled(plan)) issue_steps(out, plan);
    else issue_tiles(out, plan);
    zl_puts(out, "arrive over[0]\nend\n");
}

static void pipe_write(zl_text *out, const void *value)
{
    const zlay_plan *plan = value;
    declare(out, plan);
    producer(out, plan);
    reader(out, plan);
    issuer(out, plan);
    zl_puts(out, "role owner warps 9..9\nwait over[0] parity 0 / 1 % 2\nfence tcgen05.after\n");
    put_rings(out, plan, "dealloc", "C");
    zl_puts(out, zl_gemm_by_blocks(plan) ? "dealloc S\nend\n" : "end\n");
}

zlay_status zl_tmem_gemm_pipe(zlay_ctx *ctx, zlay_plan *plan)
{
    return zl_pipe_proved(ctx, &plan->pipe, pipe_write, plan);
}
