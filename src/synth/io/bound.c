/* SPDX-License-Identifier: Apache-2.0 */
/* Lower bounds that hold whatever the tiles and their order are. From L2: a block whose sums are S elements reads, for r rows and c
 * columns, k (a r + b c) bits with r c <= S; by each element of D it is k (a / c + b / r), which is least at r = sqrt(S b / a). From
 * global memory: the argument of Loomis and Whitney (1949) on phases, as Hong and Kung (1981), and Irony, Toledo and Tiskin (2004) have
 * it. docs/io.md has both proofs. */
#include "synth/io/io.h"

/* The greatest number whose square is at most x. */
static uint64_t root(zl_u128 x)
{
    uint64_t r = 0;
    for (uint64_t bit = (uint64_t)1 << 63; bit; bit >>= 1) {
        zl_u128 next = (zl_u128)(r | bit) * (r | bit);
        if (next <= x) r |= bit;
    }
    return r;
}

/* floor(x y / z), UINT64_MAX where it passes 64 bits. */
static uint64_t scaled(uint64_t x, uint64_t y, uint64_t z)
{
    zl_u128 all = (zl_u128)x * y / z;
    return all > UINT64_MAX ? UINT64_MAX : (uint64_t)all;
}

/* All columns of D in one block, of as many rows as the sums have: A comes once, B ceil(m n / S) times or more. */
static uint64_t narrow(const zl_io_product *p, uint64_t sums)
{
    uint64_t b = zl_umul_sat(zl_umul_sat(p->n, p->k), p->b_bits), a = zl_umul_sat(zl_umul_sat(p->m, p->k), p->a_bits);
    return zl_uadd_sat(a, scaled(b, zl_umul_sat(p->m, p->n), sums));
}

uint64_t zl_io_sums_bound(const zl_io_product *p, uint64_t sums)
{
    const zl_io_product turned = {p->n, p->m, p->k, p->b_bits, p->a_bits, p->d_bits};
    uint64_t cells;
    if (!zl_umul(p->m, p->n, &cells)) return 0;
    if (cells <= sums) return zl_umul_sat(p->k, p->m * p->a_bits + p->n * p->b_bits);
    /* r = sqrt(S b / a) rows are best: beyond m, or columns beyond n, the ends are. */
    if ((zl_u128)sums * p->b_bits > (zl_u128)p->m * p->m * p->a_bits) return narrow(&turned, sums);
    if ((zl_u128)sums * p->a_bits > (zl_u128)p->n * p->n * p->b_bits) return narrow(p, sums);
    /* 2 m n k sqrt(a b / S), with 16 bits behind the point of the root. */
    uint64_t by = root(((zl_u128)p->a_bits * p->b_bits << 64) / sums); /* sqrt(a b / S) 2^32 */
    zl_u128 steps = (zl_u128)cells * p->k;
    if (steps >> 90) return 0;
    zl_u128 high = steps >> 32, low = steps & UINT32_MAX;
    zl_u128 all = 2 * (high * by + (low * by >> 32));
    return all > UINT64_MAX ? UINT64_MAX : (uint64_t)all;
}

/* sqrt(2) m n k / sqrt(S) - 4 S */
uint64_t zl_io_capacity_bound(uint64_t m, uint64_t n, uint64_t k, uint64_t elements)
{
    uint64_t cells;
    if (!zl_umul(m, n, &cells) || !elements) return 0;
    zl_u128 steps = (zl_u128)cells * k;
    if (steps >> 90) return 0;
    uint64_t by = root(((zl_u128)2 << 64) / elements); /* sqrt(2 / S) 2^32 */
    zl_u128 all = (steps >> 32) * by + ((steps & UINT32_MAX) * by >> 32), less = (zl_u128)4 * elements;
    return all <= less ? 0 : all - less > UINT64_MAX ? UINT64_MAX : (uint64_t)(all - less);
}
