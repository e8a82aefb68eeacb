/* SPDX-License-Identifier: Apache-2.0 */
/* Ragged domains: covers of many groups, of one long group and of a causal mask, against
 * what a host can spend before a launch. */
#include "bench.h"

#include <stdio.h>

enum { GROUPS_MOST = 1024 };
static const double BUDGET = 10000; /* ns for 32 groups */

typedef struct ragged {
    zlay_ctx *ctx;
    zlay_region_request request;
    int64_t length[GROUPS_MOST];
} ragged;

static const zlay_region_tile tiles[] = {{128, 256, 0}, {64, 256, 0}, {16, 256, 0}};

static bool cover(void *value)
{
    ragged *s = value;
    zlay_region *region;
    zlay_region_summary info = {0};
    if (zlay_region_cover(s->ctx, &region, &s->request)) return false;
    zlay_region_info(&info, region);
    zlay_region_free(region);
    return info.optimal && info.cells - info.valid == info.waste;
}

/* Groups of 0 to `most` rows; of one group, `most`. */
static bool row(ragged *s, const char *name, uint64_t groups, int64_t most, bool json)
{
    uint64_t seed = 7;
    for (uint64_t i = 0; i < groups; i++)
        s->length[i] = groups == 1 ? most : (int64_t)(bench_drawn(&seed) % (uint64_t)(most + 1));
    s->request.count = groups;
    double budget = BUDGET * (double)((groups + 31) / 32);
    return bench_each(name, "10 us for 32 groups", cover, NULL, budget, 1, s, json);
}

/* A causal mask, each tile at multiples of its own size. */
typedef struct causal {
    zlay_ctx *ctx;
    zlay_tiling_request request;
    zlay_tiling_band band;
} causal;

static bool tile(void *value)
{
    static const zlay_tiling_tile shapes[] = {{128, 256, 0, 0, 0}, {128, 128, 0, 0, 0}, {64, 64, 0, 0, 0}};
    causal *s = value;
    zlay_tiling *tiling;
    zlay_region_summary info = {0};
    s->request = (zlay_tiling_request){.size = sizeof s->request, .tiles = 3, .tile = shapes,
                                       .bands = 1, .band = &s->band};
    if (zlay_tiling_cover(s->ctx, &tiling, &s->request)) return false;
    zlay_tiling_info(&info, tiling);
    zlay_tiling_free(tiling);
    return info.optimal && info.pieces == 1216;
}

static bool causal_row(zlay_ctx *ctx, bool json)
{
    static causal s;
    s.ctx = ctx;
    s.band = (zlay_tiling_band){.rows = 8192, .end = 1, .end_step = 1};
    return bench_each("tiling.cover, a causal mask of 8192 rows, 3 tiles", "5 ms", tile, NULL, 5e6, 1, &s, json);
}

bool bench_region(zlay_ctx *ctx, bool json)
{
    static ragged s;
    s.ctx = ctx;
    s.request = (zlay_region_request){.size = sizeof s.request, .tiles = 3, .tile = tiles,
                                      .rows.lengths = s.length, .columns.extent = 4096,
                                      .depth = 7168};
    bool right = row(&s, "region.cover, one group of 2^31 - 1 rows", 1, INT32_MAX, json);
    right = row(&s, "region.cover, 32 groups of 0 to 1024 rows", 32, 1024, json) && right;
    right = row(&s, "region.cover, 1024 groups of 0 to 256 rows", GROUPS_MOST, 256, json) && right;
    return causal_row(ctx, json) && right;
}
