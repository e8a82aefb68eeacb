/* SPDX-License-Identifier: Apache-2.0 */
/* How much work a request of attention is: pairs of a query and a key, products, exponentials and bytes, counted without a plan;
 * and what the model takes of the target's machine, whose rows are found once. */
#include "base/arith.h"
#include "synth/attention/attention.h"
#include "target/roofline.h"

enum { PROCESSORS = 132 /* of a target whose machine is not known */ };

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

void zl_attention_amounts(zlay_roofline *out, const zlay_attention *a)
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
    zl_attention_amounts(&of, &p->ask);
    if (zl_roofline_dram(&p->dram_ns, &machine, of.bytes)) p->dram_ns = 0;
}
