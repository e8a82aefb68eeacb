/* SPDX-License-Identifier: Apache-2.0 */
/* The candidates of a GEMM by waste: products and sums that the tiles of a plan compute beside those of D. Waste is exact for
 * every target, and depends on the tile alone, so every tile that the planner takes is a candidate, for rows that are aligned
 * as all shapes of the facts have them: more alignment would waste no less. */
#include "synth/gemm/plan.h"
#include "synth/variants/gemm.h"

enum { SIDE_LEAST = 8, TILE_ROWS_LEAST = 64, TILE_SIDE_MOST = 256 };

uint64_t zl_derived_waste(const zl_derived *d, uint32_t shape, const zlay_plan_summary *info)
{
    zlay_gemm g = zl_derived_at(d, shape);
    uint64_t high = zl_umul_sat(info->tiles_m, info->tile_m), wide = zl_umul_sat(info->tiles_n, info->tile_n);
    uint64_t all = zl_umul_sat(zl_umul_sat(high, wide), zl_umul_sat(info->tiles_k, info->tile_k));
    return all == UINT64_MAX ? all : all - g.m * g.n * g.k;
}

/* What the planner makes of a tile for a shape; `taken` false: it refuses the tile. */
static zlay_status tile_ask(const zl_derived *d, zl_tiling *out, uint64_t *waste, bool *taken, uint32_t shape)
{
    zl_gemm_weight weight;
    zlay_gemm g = zl_derived_exact(d, shape, &out->profile);
    g = zl_derived_fixed(d, &g, out);
    zlay_status status = zl_gemm_weigh(d->ctx, &weight, d->target, &g);
    const zlay_plan_summary info = weight.info;
    *taken = !status;
    if (status) return status == ZLAY_ENOMEM || status == ZLAY_ELIMIT ? status : ZLAY_OK;
    out->tile[2] = info.tile_k;
    *waste = zl_derived_waste(d, shape, &info);
    return ZLAY_OK;
}

typedef struct tile_least {
    uint64_t waste[ZLAY_VARIANTS_SHAPES];
    zl_tiling tiling[ZLAY_VARIANTS_SHAPES]; /* of the largest tile that wastes no more */
} tile_least;

static uint32_t area_of(const zl_tiling *t) { return t->tile[0] * t->tile[1]; }

/* A tile with the step of K that the planner takes for each shape. */
static zlay_status put_tile(zl_derived *d, tile_least *best, const zl_tiling *tile)
{
    uint64_t waste;
    bool taken;
    zlay_status status = ZLAY_OK;
    for (uint32_t shape = 0; shape < d->asked->shapes.shapes && !status; shape++) {
        zl_tiling t = *tile;
        status = tile_ask(d, &t, &waste, &taken, shape);
        if (status || !taken) continue;
        bool less = waste < best->waste[shape] || (waste == best->waste[shape] && area_of(&t) > area_of(&best->tiling[shape]));
        if (less) best->waste[shape] = waste, best->tiling[shape] = t;
        status = zl_derived_put(d, &t, 0);
    }
    return status;
}

static bool fits(uint32_t asked, uint32_t side) { return !asked || asked == side; }

/* Larger tiles stand first, for of lists that cost the same the search finds the first. */
static zlay_status put_tiles(zl_derived *d, tile_least *best, bool swap)
{
    const zlay_gemm *b = d->base;
    zlay_status status = ZLAY_OK;
    for (uint32_t m = TILE_SIDE_MOST; m >= TILE_ROWS_LEAST && !status; m /= 2)
        for (uint32_t n = TILE_SIDE_MOST; n && !status; n -= SIDE_LEAST) {
            zl_tiling t = {.tile = {m, n, b->tile_k}, .splits = b->split_k ? b->split_k : 1, .swap = swap, .profile = zl_derived_least(d),
                           .stream = b->stream_k == ZLAY_STREAM_ALWAYS};
            if (fits(b->tile_m, m) && fits(b->tile_n, n)) status = put_tile(d, best, &t);
        }
    return status;
}

/* Swap is tried where the request leaves it open; a target without it refuses it. */
zlay_status zl_derived_tiles(zl_derived *d)
{
    tile_least *best = zl_scratch(d->ctx, 1, sizeof *best);
    if (!best) return ZLAY_ENOMEM;
    for (uint32_t shape = 0; shape < ZLAY_VARIANTS_SHAPES; shape++) best->waste[shape] = UINT64_MAX;
    zlay_status status = d->base->swap == ZLAY_SWAP_ALWAYS ? ZLAY_OK : put_tiles(d, best, false);
    if (!status && d->base->swap != ZLAY_SWAP_NEVER) status = put_tiles(d, best, true);
    if (!status && !d->tilings) return zl_fail(d->ctx, ZLAY_NONE, "shapes: the planner takes none of them in any tile, rows being aligned as the facts say");
    for (uint32_t shape = 0; shape < d->asked->shapes.shapes && !status; shape++)
        if (best->waste[shape] < UINT64_MAX) status = zl_derived_put(d, &best->tiling[shape], (uint64_t)1 << shape);
    return status;
}
