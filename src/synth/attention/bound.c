/* SPDX-License-Identifier: Apache-2.0 */
/* The bound of attention: its products at the rate of the tensor cores, an exponential for each score at that of the special
 * function units, and its tensors through DRAM once. */
#include "synth/attention/attention.h"
#include "target/roofline.h"

enum { ROWS = 64, COLUMNS = 256, LANES = 32, K_BITS = 256 };

static zlay_status products_form(zlay_machine_form *out, const zlay_machine *machine, const zlay_attention_plan *p)
{
    int32_t type = p->ask.type, k = K_BITS / (int32_t)zlay_type_bits(type);
    if (p->wave.lanes)
        return zlay_machine_form_find(out, machine, ZLAY_OP_MFMA, type, (int32_t)p->wave.mma.m, (int32_t)p->wave.mma.n, (int32_t)p->wave.mma.k);
    if (p->tmem) return zlay_machine_form_find(out, machine, ZLAY_OP_TCGEN05, type, 2 * ROWS, COLUMNS, k);
    return zlay_machine_form_find(out, machine, ZLAY_OP_WGMMA, type, ROWS, COLUMNS, k);
}

static zlay_status bound_of(zlay_ctx *ctx, zlay_roofline *out, const zlay_machine *machine, const zlay_attention_plan *p)
{
    zlay_machine_form form, special;
    const zlay_attention *a = &p->ask;
    if (zl_attention_differ(a)) return zl_fail(ctx, ZLAY_NONE, "lengths: how many rows sequences have, the device alone knows");
    zl_attention_amounts(out, a);
    zlay_status status = products_form(&form, machine, p);
    if (!status) status = zl_roofline_form(&out->products_ns, machine, &form, out->products, (uint64_t)form.m * (uint64_t)form.n * (uint64_t)form.k);
    if (!status) status = zlay_machine_form_find(&special, machine, ZLAY_OP_EX2, -1, 0, 0, 0);
    if (!status) status = zl_roofline_form(&out->exponents_ns, machine, &special, out->exponents, LANES);
    if (!status) status = zl_roofline_dram(&out->bytes_ns, machine, out->bytes);
    out->ns = zl_umax(out->products_ns, zl_umax(out->exponents_ns, out->bytes_ns));
    return zl_roofline_said(ctx, status, machine);
}

zlay_status zlay_attention_bound(zlay_ctx *ctx, zlay_roofline *out, const zlay_machine *machine, const zlay_attention *attention)
{
    if (!out || !machine || !machine->target || !attention) return ZLAY_EINVAL;
    *out = (zlay_roofline){0};
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_attention_plan *p;
    status = zl_attention_read(ctx, &p, machine->target, attention);
    if (!status) status = bound_of(ctx, out, machine, p);
    if (status) *out = (zlay_roofline){0};
    zlay_attention_free(p);
    return zl_leave(ctx, zl_whole(ctx, status));
}
