/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pipe of a tcgen05 GEMM as text. A producer loads stages ahead; one thread issues the products, whose sums stand
 * in tensor memory twice, so that the products of tile t + 1 run while a warpgroup reads tile t, a pass of D at a time.
 * Arrivals of commits free the stages and say when a tile is complete. Before the block ends the producer has waited for all
 * of them, and a warp gives tensor memory back when the last tiles have been read. */
#include "pipe/order/verify.h"
#include "synth/gemm/gemm_pipe.h"

#include <stdio.h>

enum { WARPS = 4 /* of the readers */ };

/* Columns of one tile's sums: an allocation has a power of two. */
static uint32_t columns(const zlay_plan *plan)
{
    uint32_t most = 1;
    while (most < plan->info.tile_n) most *= 2;
    return most;
}

static void declare(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "pipe gemm\nparam T 0..\nparam N 1..\n");
    zl_gemm_put_memory(out, plan);
    zl_putf(out, "tmem C[2] %u\n", columns(plan));
    zl_gemm_blocks_tmem(out, plan);
    zl_gemm_put_ring(out, plan);
    zl_putf(out, "bar summed[2] count 1\nbar taken[2] count %d\nbar over[1] count 1\n", WARPS);
    zl_gemm_put_bodies(out, plan);
    zl_puts(out, "init full\ninit empty\ninit summed\ninit taken\ninit over\n"
                 "alloc C\n");
    zl_puts(out, zl_gemm_by_blocks(plan) ? "alloc S\n" : "");
    zl_puts(out, "relinquish\nfence mbarrier_init\nsync cta\n");
}

/* The waits behind the loops are for the commits of the last stages: no arrival may come when the block has gone. */
static void producer(zl_text *out, const zlay_plan *plan)
{
    uint32_t s = plan->info.stages;
    zl_putf(out, "role producer warps 0..3%s\n", zl_gemm_produces_alone(plan) ? " elect" : "");
    zl_gemm_produce(out, plan);
    zl_putf(out, "for u in T..T+1\nfor j in u*N..u*N+%u\n", s);
    zl_putf(out, "wait empty[j %% %u] parity (j / %u + 1) %% 2\nend\nend\nend\n", s, s);
}

static void read_pass(zl_text *out, const zlay_plan *plan, uint32_t pass)
{
    const zlay_plan_summary *info = &plan->info;
    char sums[16], elements[16];
    uint32_t first = zl_pass_column(info, pass);
    snprintf(sums, sizeof sums, "C%u", pass);
    snprintf(elements, sizeof elements, "R%u", pass);
    zl_putf(out, "tld C[t %% 2] columns %u..%u -> %s\ntwait ld\n", first, first + info->pass_n - 1, sums);
    if (pass + 1 == info->passes) zl_puts(out, "fence tcgen05.before\narrive taken[t % 2] warps\n");
    zl_gemm_convert(out, plan, sums, elements, pass);
    zl_gemm_store(out, plan, zl_gemm_converts(plan) ? elements : sums, pass);
}

static void reader(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "role reader warps 4..7\nfor t in 0..T\n"
                 "wait summed[t % 2] parity t / 2 % 2\nfence tcgen05.after\n");
    for (uint32_t pass = 0; pass < plan->info.passes; pass++) read_pass(out, plan, pass);
    zl_puts(out, "end\n");
    zl_gemm_stored(out, plan);
    zl_puts(out, "end\n");
}

static void multiply(zl_text *out, const zlay_plan *plan, const char *at, const char *fresh)
{
    uint32_t s = plan->info.stages;
    zl_putf(out, "wait full[%s %% %u] parity %s / %u %% 2\n", at, s, at, s);
    zl_gemm_blocks_copy(out, plan, at);
    zl_putf(out, "mma A[%s %% %u], B[%s %% %u]", at, s, at, s);
    zl_gemm_blocks_name(out, plan, at);
    zl_putf(out, " -> C[t %% 2]%s\n", fresh);
    zl_putf(out, "commit tcgen05 signal empty[%s %% %u]\n", at, s);
}

static void issuer(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "role issuer warps 8..8 elect\nfor t in 0..T\n"
                 "wait taken[t % 2] parity (t / 2 + 1) % 2\nfence tcgen05.after\n");
    multiply(out, plan, "t*N", " fresh");
    zl_puts(out, "for i in t*N+1..t*N+N\n");
    multiply(out, plan, "i", "");
    zl_puts(out, "end\ncommit tcgen05 signal summed[t % 2]\nend\n"
                 "wait taken[T % 2] parity (T / 2 + 1) % 2\n"
                 "wait taken[(T + 1) % 2] parity ((T + 1) / 2 + 1) % 2\n"
                 "arrive over[0]\nend\n");
}

static void pipe_write(zl_text *out, const void *value)
{
    const zlay_plan *plan = value;
    declare(out, plan);
    producer(out, plan);
    reader(out, plan);
    issuer(out, plan);
    zl_puts(out, "role owner warps 9..9\nwait over[0] parity 0 / 1 % 2\nfence tcgen05.after\ndealloc C\n");
    zl_puts(out, zl_gemm_by_blocks(plan) ? "dealloc S\nend\n" : "end\n");
}

zlay_status zl_tmem_gemm_pipe(zlay_ctx *ctx, zlay_plan *plan)
{
    return zl_pipe_proved(ctx, &plan->pipe, pipe_write, plan);
}
