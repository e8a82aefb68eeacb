/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles and orders of tiles, against what a planner can spare before it prints a kernel. */
#include "bench.h"

#include <zlay/io.h>

typedef struct state {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_io_gemm gemm;
    zlay_io_attention attention;
    zlay_io_chain chain;
} state;

static bool gemm(void *value)
{
    const state *s = value;
    zlay_io_answer a;
    return !zlay_io_gemm_plan(s->ctx, &a, s->target, &s->gemm) && a.best.hbm >= a.hbm_bound;
}

static bool attention(void *value)
{
    const state *s = value;
    zlay_io_answer a;
    return !zlay_io_attention_plan(s->ctx, &a, s->target, &s->attention) && a.best.hbm >= a.hbm_bound;
}

static bool chain(void *value)
{
    const state *s = value;
    zlay_io_answer a;
    return !zlay_io_chain_plan(s->ctx, &a, s->target, &s->chain) && a.best.hbm >= a.hbm_bound;
}

bool bench_io(zlay_ctx *ctx, bool json)
{
    static state s;
    s.ctx = ctx;
    if (zlay_target_find(&s.target, "sm_90a", 6)) return false;
    s.gemm = (zlay_io_gemm){.size = sizeof s.gemm, .m = 8192, .n = 8192, .k = 8192};
    s.attention = (zlay_io_attention){.size = sizeof s.attention, .head = 128, .queries = 8192, .keys = 8192, .heads = 32, .kv_heads = 8, .causal = 1};
    s.chain = (zlay_io_chain){.size = sizeof s.chain, .m = 4096, .k = 4096, .h = 14336, .n = 4096, .gated = 1};
    bool right = bench_each("io.gemm, 8192 x 8192 x 8192", "100 ms", gemm, NULL, 1e8, 1, &s, json);
    right = bench_each("io.attention, causal, 32 heads of 8, 8192 keys", "100 ms", attention, NULL, 1e8, 1, &s, json) && right;
    return bench_each("io.chain, gated, 4096 x 4096 x 14336", "100 ms", chain, NULL, 1e8, 1, &s, json) && right;
}
