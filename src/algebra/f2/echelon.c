/* SPDX-License-Identifier: Apache-2.0 */
/* Gauss-Jordan elimination of up to 64 columns of 64 bits, and what the rank alone tells. */
#include "algebra/f2/f2.h"

uint64_t zl_echelon_reduce(const zl_echelon *e, uint64_t value, uint64_t *sources)
{
    uint64_t from = 0, rest = value;
    for (uint64_t left = value & e->pivots; left; left &= left - 1) {
        int p = __builtin_ctzll(left);
        rest ^= e->value[p];
        from ^= e->sources[p];
    }
    *sources = from;
    return rest;
}

bool zl_echelon_put(zl_echelon *e, uint64_t value, unsigned source)
{
    uint64_t from, rest = zl_echelon_reduce(e, value, &from);
    if (!rest) return false;
    int pivot = __builtin_ctzll(rest);
    from ^= (uint64_t)1 << source;
    for (uint64_t left = e->pivots; left; left &= left - 1) {
        int p = __builtin_ctzll(left);
        uint64_t has = 0 - (e->value[p] >> pivot & 1);
        e->value[p] ^= rest & has;
        e->sources[p] ^= from & has;
    }
    e->value[pivot] = rest;
    e->sources[pivot] = from;
    e->pivots |= (uint64_t)1 << pivot;
    return true;
}

uint64_t zl_echelon_of(zl_echelon *e, const zl_f2 *a)
{
    unsigned bits = zl_dim_bits(a->in, a->ins);
    uint64_t unused = 0;
    e->pivots = 0;
    for (unsigned k = 0; k < bits; k++)
        if (!zl_echelon_put(e, a->basis[k], k)) unused |= (uint64_t)1 << k;
    return unused;
}

static const zl_f2 *plain(const zlay_layout *layout)
{
    return layout && layout->kind == ZLAY_LAYOUT_F2 ? &layout->f2 : NULL;
}

zlay_status zlay_f2_rank(uint32_t *out, const zlay_layout *layout)
{
    zl_echelon e;
    if (!out || !plain(layout)) return ZLAY_EINVAL;
    zl_echelon_of(&e, &layout->f2);
    *out = (uint32_t)__builtin_popcountll(e.pivots);
    return ZLAY_OK;
}

zlay_status zlay_f2_free_variable_masks(uint64_t *masks, size_t room, const zlay_layout *layout)
{
    zl_echelon e;
    const zl_f2 *a = plain(layout);
    if (!a || room < a->ins || (!masks && a->ins)) return ZLAY_EINVAL;
    uint64_t unused = zl_echelon_of(&e, a);
    unsigned low = 0;
    for (size_t i = 0; i < a->ins; low += a->in[i++].bits)
        masks[i] = zl_field(unused, low, a->in[i].bits);
    return ZLAY_OK;
}

/* The first bases of the first input that are (2^i, 0, ...); a run ends below the lowest bit that
 * any other basis gives the first output. */
zlay_status zlay_f2_num_consecutive(uint64_t *out, const zlay_layout *layout)
{
    const zl_f2 *a = plain(layout);
    if (!out || !a) return ZLAY_EINVAL;
    unsigned run = 0, bits = zl_dim_bits(a->in, a->ins);
    uint64_t others = 0;
    if (a->ins && a->outs)
        while (run < a->in[0].bits && run < a->out[0].bits && a->basis[run] == (uint64_t)1 << run)
            run++;
    for (unsigned k = run; k < bits && a->outs; k++)
        others |= zl_field(a->basis[k], 0, a->out[0].bits);
    unsigned below = others ? (unsigned)__builtin_ctzll(others) : 64;
    run = run < below ? run : below;
    *out = run < 64 ? (uint64_t)1 << run : UINT64_MAX;
    return ZLAY_OK;
}
