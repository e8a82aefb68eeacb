/* SPDX-License-Identifier: Apache-2.0 */
/* The bound of a GEMM: its products at the rate of the tensor cores, and its matrices through DRAM once. */
#include "synth/gemm/plan.h"
#include "target/roofline.h"

enum { COLUMNS = 256 /* of the widest instruction */ };

/* The row of the plan's instruction, of the widest one where it has columns to choose. */
static zlay_status form_of(zlay_machine_form *out, const zlay_machine *machine, const zlay_mma *mma)
{
    static const int32_t ops[] = {[ZLAY_MMA_WGMMA] = ZLAY_OP_WGMMA, [ZLAY_MMA_TCGEN05] = ZLAY_OP_TCGEN05, [ZLAY_MMA_MFMA] = ZLAY_OP_MFMA,
                                  [ZLAY_MMA_SYNC] = ZLAY_OP_MMA_SYNC};
    bool wide = mma->instruction == ZLAY_MMA_WGMMA || mma->instruction == ZLAY_MMA_TCGEN05;
    return zlay_machine_form_find(out, machine, ops[mma->instruction], mma->a, (int32_t)mma->m, wide ? COLUMNS : (int32_t)mma->n, (int32_t)mma->k);
}

static uint64_t bytes_of(uint64_t rows, uint64_t columns, int32_t type)
{
    uint64_t elements = zl_umul_sat(rows, columns);
    return elements > UINT64_MAX / 64 ? UINT64_MAX / 4 : elements * zlay_type_bits(type) / 8;
}

static zlay_status bound_of(zlay_ctx *ctx, zlay_roofline *out, const zlay_machine *machine, const zlay_gemm *gemm)
{
    zl_gemm_weight weight;
    zlay_machine_form form;
    zlay_status status = zl_gemm_weigh(ctx, &weight, machine->target, gemm);
    if (status) return status;
    const zlay_plan_summary info = weight.info;
    if (info.groups) return zl_fail(ctx, ZLAY_NONE, "groups: how many rows they have, the device alone knows");
    if (form_of(&form, machine, &info.mma))
        return zl_fail(ctx, ZLAY_NONE, "%s: the machine has no rate of its matrix instruction", zlay_target_name(machine->target));
    out->products = zl_umul_sat(zl_umul_sat(info.m, info.n), info.k);
    out->bytes = bytes_of(info.m, info.k, info.mma.a) + bytes_of(info.k, info.n, info.mma.b) + bytes_of(info.m, info.n, info.d_type);
    status = zl_roofline_form(&out->products_ns, machine, &form, out->products, (uint64_t)form.m * (uint64_t)form.n * (uint64_t)form.k);
    if (!status) status = zl_roofline_dram(&out->bytes_ns, machine, out->bytes);
    out->ns = zl_umax(out->products_ns, out->bytes_ns);
    return zl_roofline_said(ctx, status, machine);
}

zlay_status zlay_gemm_bound(zlay_ctx *ctx, zlay_roofline *out, const zlay_machine *machine, const zlay_gemm *gemm)
{
    if (!out || !machine || !machine->target || !gemm) return ZLAY_EINVAL;
    *out = (zlay_roofline){0};
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = bound_of(ctx, out, machine, gemm);
    if (status) *out = (zlay_roofline){0};
    return zl_leave(ctx, zl_whole(ctx, status));
}
