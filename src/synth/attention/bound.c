/* SPDX-License-Identifier: Apache-2.0 */
/* The bound of attention: its products at the rate of the tensor cores, an exponential for each score at that of the special
 * function units, and its tensors through DRAM once. */
#include "base/arith.h"
#include "synth/attention/attention.h"
#include "target/roofline.h"

enum { ROWS = 64, COLUMNS = 256, LANES = 32, K_BITS = 256, PROCESSORS = 132 /* of a target whose machine is not known */ };

/* Pairs of a query and a key that it sees, of one head: without a mask all; causal, query i sees the last `window` of the keys up
 * to i + keys - queries. */
static uint64_t pairs_of(const zlay_attention *a)
{
    uint64_t keys = a->keys, queries = a->queries, window = a->window ? a->window : keys;
    if (!a->causal) return zl_umul_sat(queries, keys);
    uint64_t first = keys - queries + 1; /* that query 0 sees */
    if (window <= first) return zl_umul_sat(queries, window);
    uint64_t rising = window - first; /* queries that see fewer than the window */
    if (rising > queries) rising = queries;
    return rising * first + rising * (rising - 1) / 2 + zl_umul_sat(queries - rising, window);
}

/* Keys that some query sees: no block reads those before the window of query 0. */
static uint64_t keys_seen(const zlay_attention *a)
{
    return a->causal && a->window ? zl_umin(a->keys, zl_uadd_sat(a->queries - 1, a->window)) : a->keys;
}

static zlay_status products_form(zlay_machine_form *out, const zlay_machine *machine, const zlay_attention_plan *p)
{
    int32_t type = p->ask.type, k = K_BITS / (int32_t)zlay_type_bits(type);
    if (p->wave.lanes)
        return zlay_machine_form_find(out, machine, ZLAY_OP_MFMA, type, (int32_t)p->wave.mma.m, (int32_t)p->wave.mma.n, (int32_t)p->wave.mma.k);
    if (p->tmem) return zlay_machine_form_find(out, machine, ZLAY_OP_TCGEN05, type, 2 * ROWS, COLUMNS, k);
    return zlay_machine_form_find(out, machine, ZLAY_OP_WGMMA, type, ROWS, COLUMNS, k);
}

static void amounts(zlay_roofline *out, const zlay_attention *a)
{
    uint64_t heads = zl_umul_sat(a->batch, a->heads), queries = zl_umul_sat(heads, zl_umul_sat(a->queries, a->head));
    uint64_t keys = zl_umul_sat(zl_umul_sat(a->batch, a->kv_heads), zl_umul_sat(keys_seen(a), a->head));
    uint32_t in = zlay_type_bits(a->type) / 8, of = zlay_type_bits(a->o_type) / 8;
    out->exponents = zl_umul_sat(heads, pairs_of(a));
    out->products = zl_umul_sat(out->exponents, 2ull * a->head);
    out->bytes = zl_uadd_sat(zl_umul_sat(queries, in + of), zl_umul_sat(keys, 2ull * in));
}

void zl_attention_machine(zlay_attention_plan *p)
{
    zlay_machine machine;
    zlay_roofline of;
    int64_t processors;
    zlay_machine_find(&machine, p->target);
    p->processors = zlay_machine_get(&processors, &machine, ZLAY_MACHINE_PROCESSORS) ? PROCESSORS : (uint32_t)processors;
    if (zl_attention_differ(&p->ask)) return;
    amounts(&of, &p->ask);
    if (zl_roofline_dram(&p->dram_ns, &machine, of.bytes)) p->dram_ns = 0;
}

static zlay_status bound_of(zlay_ctx *ctx, zlay_roofline *out, const zlay_machine *machine, const zlay_attention_plan *p)
{
    zlay_machine_form form, special;
    const zlay_attention *a = &p->ask;
    if (zl_attention_differ(a)) return zl_fail(ctx, ZLAY_NONE, "lengths: how many rows sequences have, the device alone knows");
    amounts(out, a);
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
