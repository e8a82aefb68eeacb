/* SPDX-License-Identifier: Apache-2.0 */
/* F2 layouts for tests: plain matrices, and layouts made of them. */
#ifndef TEST_F2_H
#define TEST_F2_H

#include "layouts/layout.h"

#include <zlay/f2.h>

/* A linear map without the library: column k is the image of 2^k. */
typedef struct plain_map {
    unsigned ins, outs;
    uint64_t column[64];
} plain_map;

static inline uint64_t plain_at(const plain_map *m, uint64_t x)
{
    uint64_t value = 0;
    for (unsigned k = 0; k < m->ins; k++)
        if (x >> k & 1) value ^= m->column[k];
    return value;
}

static inline uint64_t below(unsigned bits)
{
    return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

static inline zlay_dim dim_of(const char *name, unsigned bits)
{
    zlay_dim dim = {.size = bits < 64 ? (uint64_t)1 << bits : 0};
    strcpy(dim.name, name);
    return dim;
}

/* Split in two where `cut` and `outer_cut` say: inputs of these names, the first with `cut` bits. */
typedef struct plain_names {
    const char *in[2], *out[2];
    unsigned in_cut, out_cut; /* 0: one dimension */
} plain_names;

static inline zlay_layout *make_f2(zlay_ctx *ctx, const plain_map *m, const plain_names *n)
{
    zlay_dim in[2], out[2];
    uint64_t basis[128];
    zlay_layout *a = NULL;
    unsigned cut = n->out_cut ? n->out_cut : m->outs;
    zlay_f2_bases b = {sizeof b, 0, n->in_cut ? 2 : 1, n->out_cut ? 2 : 1, in, out, basis};
    in[0] = dim_of(n->in[0], n->in_cut ? n->in_cut : m->ins);
    if (n->in_cut) in[1] = dim_of(n->in[1], m->ins - n->in_cut);
    out[0] = dim_of(n->out[0], cut);
    if (n->out_cut) out[1] = dim_of(n->out[1], m->outs - cut);
    for (unsigned k = 0; k < m->ins; k++) {
        basis[k * b.outs] = m->column[k] & below(cut);
        if (n->out_cut) basis[2 * k + 1] = m->column[k] >> cut;
    }
    if (zlay_f2_new(ctx, &a, &b)) fail_msg("%s", zlay_ctx_message(ctx));
    return a;
}

/* The value of an f2 layout with its outputs put together, the first low. */
static inline uint64_t f2_at(const zlay_layout *a, uint64_t x)
{
    int64_t value[64];
    uint64_t flat = 0;
    unsigned low = 0;
    zlay_dim dim;
    assert_int_equal(zlay_layout_eval(value, 64, a, x), ZLAY_OK);
    for (size_t i = 0; zlay_f2_out_nth(&dim, a, i) == ZLAY_OK; i++) {
        if (low < 64) flat |= (uint64_t)value[i] << low;
        low += dim.size ? (unsigned)__builtin_ctzll(dim.size) : 64;
    }
    return flat;
}

#endif
