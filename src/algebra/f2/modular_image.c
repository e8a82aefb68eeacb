/* SPDX-License-Identifier: Apache-2.0 */
/* The image of a subset sum, a basis at a time. */
#include "algebra/f2/f2.h"
#include "algebra/f2/modular.h"

/* A flat value as a number of each output, to be added to without a division. */
typedef struct odometer {
    const zl_f2 *f2;
    uint64_t digit[ZL_F2_DIMS], shifted[ZL_F2_DIMS], step[ZL_F2_DIMS];
} odometer;

static void odometer_begin(odometer *o, const zl_f2 *f2, uint64_t basis)
{
    uint64_t step = 1;
    o->f2 = f2;
    for (size_t i = 0; i < f2->outs; i++) {
        unsigned low = zl_dim_low(f2->out, i);
        o->digit[i] = 0;
        o->shifted[i] = zl_field(basis, low, f2->out[i].bits);
        o->step[i] = step;
        step *= zl_dim_size(&f2->out[i]);
    }
}

/* What the value is after the basis was added. */
static uint64_t odometer_sum(const odometer *o)
{
    uint64_t flat = 0;
    for (size_t i = 0; i < o->f2->outs; i++) {
        uint64_t size = o->f2->out[i].size, sum = o->digit[i] + o->shifted[i];
        if (!size) sum = o->digit[i] ^ o->shifted[i];
        else if (sum >= size) sum -= size;
        flat += sum * o->step[i];
    }
    return flat;
}

static void odometer_next(odometer *o)
{
    for (size_t i = 0; i < o->f2->outs; i++) {
        if (++o->digit[i] < zl_dim_size(&o->f2->out[i])) return;
        o->digit[i] = 0;
    }
}

bool zl_residues_index(const zl_residues *r, uint64_t value, uint64_t *index)
{
    uint64_t found = 0, packed;
    if (value >= r->count || !r->last[value]) return false;
    for (packed = zl_modular_packed(r->f2, value); value;) {
        unsigned k = r->last[value] - 2u;
        found |= (uint64_t)1 << k;
        packed = zl_modular_subtract(r->f2, packed, r->f2->basis[k]);
        value = zl_modular_flat(r->f2, packed);
    }
    *index = found;
    return true;
}

static void meet(zl_residues *r, unsigned k, uint64_t from, uint64_t to)
{
    uint64_t i = 0, j = 0;
    if (r->second) return;
    zl_residues_index(r, to, &i);
    zl_residues_index(r, from, &j);
    r->first = i;
    r->second = j | (uint64_t)1 << k;
}

/* 1 marks the value 0, 2 + k what bit k reaches first.  What this step reaches has its own mark, so
 * that nothing is added to twice. */
static void put_basis(zl_residues *r, unsigned k)
{
    odometer o;
    odometer_begin(&o, r->f2, r->f2->basis[k]);
    for (uint64_t v = 0; v < r->count; v++, odometer_next(&o)) {
        if (!r->last[v] || r->last[v] == k + 2) continue;
        uint64_t to = odometer_sum(&o);
        if (r->last[to] && r->last[to] != k + 2) {
            meet(r, k, v, to);
            continue;
        }
        r->reached += !r->last[to];
        r->last[to] = (uint8_t)(k + 2);
    }
}

zlay_status zl_residues_of(zlay_ctx *ctx, zl_residues *out, const zlay_layout *a)
{
    unsigned bits = zl_dim_bits(a->f2.in, a->f2.ins);
    *out = (zl_residues){.f2 = &a->f2, .count = zl_modular_group(&a->f2), .reached = 1};
    if (out->count > ZL_RESIDUES)
        return zl_fail(ctx, ZLAY_ELIMIT,
                       "the outputs have %llu points, and residues are counted up to 2^20",
                       (unsigned long long)out->count);
    if (!(out->last = zl_scratch(ctx, out->count, 1))) return ZLAY_ENOMEM;
    out->last[0] = 1;
    for (unsigned k = 0; k < bits; k++) put_basis(out, k);
    return ZLAY_OK;
}

zlay_status zl_modular_injective(zlay_ctx *ctx, zlay_answer *answer, uint64_t pair[2],
                                 const zlay_layout *a)
{
    zl_residues r;
    zlay_status status = zl_residues_of(ctx, &r, a);
    if (status) return status;
    *answer = r.second ? ZLAY_NO : ZLAY_YES;
    if (r.second) pair[0] = r.first;
    if (r.second) pair[1] = r.second;
    return ZLAY_OK;
}

zlay_status zl_modular_surjective(zlay_ctx *ctx, zlay_answer *answer, uint64_t *missed,
                                  const zlay_layout *a)
{
    zl_residues r;
    uint64_t v = 0;
    zlay_status status = zl_residues_of(ctx, &r, a);
    if (status) return status;
    while (v < r.count && r.last[v]) v++;
    *answer = v == r.count ? ZLAY_YES : ZLAY_NO;
    if (v < r.count) *missed = v;
    return ZLAY_OK;
}
