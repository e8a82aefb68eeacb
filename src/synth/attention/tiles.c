/* SPDX-License-Identifier: Apache-2.0 */
/* Has the table of forms that were measured; takes a form: tiles, the grid, and which tiles of keys of a block need a mask. */
#include "synth/attention/attention.h"

enum { TMEM_THREADS = 256, ROWS = ZL_ATTENTION_TMEM_ROWS };

/* The tiles of a head, the first row that serves: those of 16 bits measured on an H200 (docs/performance.md), those of 8 as wide as
 * registers and rows of V in shared memory of at most 128 bytes allow. Long
 * rows of keys pay for wider tiles, of which the last is filled worse. What fits one warpgroup has
 * one. */
static const struct form {
    uint32_t bits; /* of an element */
    uint32_t head, tile_m, tile_n;
    uint32_t overlap; /* the softmax runs beside the product of the tile before */
    uint32_t stages, tmem; /* tmem: by tcgen05; nothing was measured. Two blocks that have a part of tensor memory each would
                              wait for the rest for ever, so a block has more than half of the shared memory. */
    uint64_t queries; /* at most */
    uint64_t keys;    /* that a row of queries sees, on the average, at least */
} forms[] = {
    {16, 64, 64, 128, 1, 2, 0, 64, 0},
    {16, 64, 192, 176, 0, 2, 0, ZL_ATTENTION_EXTENT, 0},
    {16, 128, 64, 128, 1, 2, 0, 64, 0},
    {16, 128, 128, 176, 1, 2, 0, ZL_ATTENTION_EXTENT, 8192},
    {16, 128, 128, 128, 1, 2, 0, ZL_ATTENTION_EXTENT, 0},
    {16, 256, 64, 64, 1, 2, 0, 64, 0},
    {16, 256, 128, 64, 1, 2, 0, ZL_ATTENTION_EXTENT, 0},
    {8, 64, 64, 128, 1, 2, 0, 64, 0},
    {8, 64, 192, 128, 0, 2, 0, ZL_ATTENTION_EXTENT, 0},
    {8, 128, 64, 128, 1, 2, 0, 64, 0},
    {8, 128, 128, 128, 1, 2, 0, ZL_ATTENTION_EXTENT, 0},
    {8, 256, 64, 64, 1, 2, 0, 64, 0},
    {8, 256, 128, 64, 1, 2, 0, ZL_ATTENTION_EXTENT, 0},
    {16, 64, ROWS, 128, 0, 3, 1, ZL_ATTENTION_EXTENT, 0},
    {16, 128, ROWS, 128, 0, 2, 1, ZL_ATTENTION_EXTENT, 0},
    {16, 256, ROWS, 64, 0, 2, 1, ZL_ATTENTION_EXTENT, 0},
};

zl_attention_form zl_attention_form_known(const zlay_attention_plan *p)
{
    const zlay_attention *a = &p->ask;
    const struct form *f = forms;
    uint64_t queries = zl_attention_mean(a, a->queries), keys = zl_attention_mean(a, a->keys);
    if (a->causal && keys > queries / 2) keys -= queries / 2;
    if (a->window && a->window < keys) keys = a->window;
    while (f->bits != zlay_type_bits(a->type) || f->head != a->head || f->tmem != p->tmem || queries > f->queries || keys < f->keys) f++;
    return (zl_attention_form){f->tile_m, f->tile_n, f->stages, f->overlap};
}

/* How many tiles from the last down hold a key that some query of the block may not see: beside
 * the last of all, those that the diagonal of m queries crosses. */
static uint32_t masked_of(const zlay_attention_plan *p, uint32_t m, uint32_t n)
{
    const zlay_attention *a = &p->ask;
    uint64_t skew = a->keys - zl_attention_queries(p);
    if (!a->causal) return 1;
    if (m % n || (zl_attention_differ(a) && !p->same)) return (m - 2) / n + 2;
    return (uint32_t)((m - 1 + skew) / n + 1 - (skew + 1) / n);
}

/* How many tiles from the first up hold a key before the window of some query of the block: keys
 * from that of the first query on, m - 1 of them. */
static uint32_t masked_last_of(const zlay_attention_plan *p, uint32_t m, uint32_t n)
{
    const zlay_attention *a = &p->ask;
    int64_t first = (int64_t)(a->keys - zl_attention_queries(p)) - (int64_t)a->window + 1;
    if (!a->window) return 0;
    if (m % n || zl_attention_differ(a)) return (m - 2) / n + 2;
    return (uint32_t)(((first % n + n) % n + m - 2) / n + 1);
}

/* Keys less queries, of those that are equal in all sequences. */
static uint64_t skew_of(const zlay_attention_plan *p)
{
    const zlay_attention *a = &p->ask;
    return (a->k_lengths ? 0 : a->keys) - (a->q_lengths ? 0 : zl_attention_queries(p));
}

/* Tiles of packed sequences, at most: each sequence that has rows may have one that is not full. */
static uint64_t most_tiles(const zlay_attention *a, uint32_t m)
{
    uint64_t some = a->sequences < a->queries ? a->sequences : a->queries;
    return (a->queries - some) / m + some;
}

static void sequences_grid(zlay_attention_plan *p)
{
    const zlay_attention *a = &p->ask;
    if (!a->sequences) return;
    p->info.grid[0] = zl_umul_sat(most_tiles(a, p->info.tile_m), a->heads);
    p->info.grid[1] = p->info.grid[2] = 1;
}

void zl_attention_form_take(zlay_attention_plan *p, const zl_attention_form *f)
{
    const zlay_attention *a = &p->ask;
    uint32_t m = f->tile_m, n = f->tile_n;
    p->info = (zlay_attention_summary){.tile_m = m,
                                       .tile_n = n,
                                       .stages = f->stages,
                                       .grid = {(a->queries + m - 1) / m, a->heads, a->batch},
                                       .tiles = (a->keys + n - 1) / n,
                                       .threads = p->tmem ? TMEM_THREADS : ZL_ATTENTION_THREADS + m * 2};
    sequences_grid(p);
    p->overlap = f->overlap;
    p->rows = p->tmem ? ROWS : ZL_ATTENTION_COLUMNS;
    m /= p->group;
    p->masked = masked_of(p, m, n);
    p->masked_last = masked_last_of(p, m, n);
    p->count_times = m;
    p->count_add = (uint32_t)(m + n - 1 + (a->causal ? skew_of(p) : 0));
    p->count_behind = (uint32_t)(a->window ? m + n + a->window - 2 : 0);
}
