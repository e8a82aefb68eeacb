/* SPDX-License-Identifier: Apache-2.0 */
/* The time of a planned GEMM: persistent blocks, of which that with most tiles sets the time. */
#include "synth/cost/cost.h"
#include "synth/gemm/plan.h"

/* The instruction of the plan, and how many of them an `mma` of the pipe is. */
static zlay_pipe_product product_of(const zlay_plan *plan)
{
    const zlay_plan_summary *info = &plan->info;
    const zlay_mma *mma = &info->mma;
    zlay_pipe_product p = {.type = mma->a,
                           .m = (int32_t)mma->m,
                           .n = (int32_t)mma->n,
                           .k = (int32_t)mma->k,
                           .count = info->k_steps};
    uint32_t rows = info->tile_m / mma->m, columns = info->tile_n / mma->n;
    if (zl_gemm_by_tmem(info->target)) {
        p.op = ZLAY_OP_TCGEN05;
    } else if (zl_gemm_by_sync(info->target)) {
        uint32_t warps = info->threads / 32;
        p.op = ZLAY_OP_MMA_SYNC;
        p.count *= rows * columns / (warps ? warps : 1);
        p.elements = info->tile_m * info->tile_n / info->threads;
    } else {
        p.op = mma->a_source == ZLAY_SOURCE_REG ? ZLAY_OP_WGMMA_REGISTERS : ZLAY_OP_WGMMA;
    }
    return p;
}

/* Bytes of A, B and D, each once. */
static uint64_t operand_bytes(const zlay_plan *plan)
{
    const zlay_plan_summary *i = &plan->info;
    uint64_t a = zl_umul_sat(i->m, zl_umul_sat(i->k, zlay_type_bits(i->mma.a)));
    uint64_t b = zl_umul_sat(i->n, zl_umul_sat(i->k, zlay_type_bits(i->mma.b)));
    uint64_t d = zl_umul_sat(i->m, zl_umul_sat(i->n, zlay_type_bits(i->d_type)));
    return zl_uadd_sat(zl_uadd_sat(a, b), d) / 8;
}

static zlay_status cycles_of(zlay_ctx *ctx, zlay_kernel_cost *out, const zlay_machine *machine,
                             const zlay_plan *plan)
{
    const zlay_plan_summary *info = &plan->info;
    const zlay_pipe_product product = product_of(plan);
    zl_block_cost b = {.machine = machine,
                       .pipe = plan->pipe,
                       .products = &product,
                       .products_count = 1};
    int64_t processors;
    if (info->stream_blocks || info->groups || info->workspace || !plan->pipe)
        return zl_fail(ctx, ZLAY_ENOTSUP,
                       "the time of plans with groups, stream-K, repacked operands or without a "
                       "pipe is not known");
    b.outer = zl_kernel_param(plan->pipe, "T");
    b.inner = zl_kernel_param(plan->pipe, "N");
    if (b.inner < 0) return zl_fail(ctx, ZLAY_ENOTSUP, "the plan's pipe has no param N");
    zlay_status status =
        zl_kernel_fact(ctx, &processors, machine, ZLAY_MACHINE_PROCESSORS, &out->facts);
    if (status) return status;
    int64_t cluster = info->cluster ? info->cluster : 1, at_once = zl_max(processors / cluster, 1);
    uint64_t clusters = zl_umin(info->clusters, INT64_MAX / 8);
    status = zl_kernel_share(ctx, &b.share, machine,
                             (int64_t)zl_umul_sat(clusters, (uint64_t)cluster), &out->facts);
    if (status) return status;
    out->waves = (int64_t)zl_ceil_div(clusters, (uint64_t)at_once);
    int64_t steps = (int64_t)(info->splits > 1 ? info->split_steps : info->tiles_k);
    status = zl_block_cycles(ctx, &b, out->waves, steps, out);
    out->bound = b.bound;
    out->facts |= b.facts;
    out->ops |= b.ops;
    return status ? status : zl_kernel_finish(ctx, out, machine, operand_bytes(plan));
}

zlay_status zlay_gemm_cycles(zlay_ctx *ctx, zlay_kernel_cost *out, const zlay_machine *machine,
                             const zlay_plan *plan)
{
    zlay_kernel_cost cost = {.bound = -1};
    if (!ctx || !out || !machine || !plan) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = cycles_of(ctx, &cost, machine, plan);
    if (!status) *out = cost;
    return zl_leave(ctx, status);
}
