/* SPDX-License-Identifier: Apache-2.0 */
/* Guarded variants: the choice among 16 and 64 candidates for as many shapes, against what a build can
 * spend on it; and loads of a tile with unknown sizes, against planning the tile of each shape. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 64, TEXT = 48 };

typedef struct service {
    zlay_ctx *ctx;
    zlay_variants_request request;
    int64_t value[MOST * 2];
    uint64_t cost[MOST][MOST];
    char text[MOST][TEXT];
    const char *guard[MOST];
    zlay_variant variant[MOST];
} service;

static bool choose(void *value)
{
    service *s = value;
    zlay_variants *variants;
    zlay_variants_summary info = {0};
    if (zlay_variants_choose(s->ctx, &variants, &s->request)) return false;
    zlay_variants_info(&info, variants);
    zlay_variants_free(variants);
    return info.count && info.cost >= info.cheapest;
}

/* Rows of 1 to 8192, columns that powers of two divide; tiles of eight shapes, each below some number of rows. */
static bool row(service *s, const char *name, uint32_t count, double budget, bool json)
{
    static const uint64_t tile[][2] = {{64, 64}, {64, 128}, {128, 128}, {128, 256}, {64, 256}, {128, 192}, {256, 128}, {16, 64}};
    uint64_t seed = 7;
    for (uint32_t i = 0; i < count; i++) {
        s->value[2 * i] = 1 + (int64_t)(bench_drawn(&seed) % 8192);
        s->value[2 * i + 1] = 64 * (1 + (int64_t)(bench_drawn(&seed) % 128));
    }
    for (uint32_t j = 0; j < count; j++) {
        const uint64_t *t = tile[j % 8];
        snprintf(s->text[j], TEXT, "m <= %lld", (long long)s->value[2 * j]);
        s->guard[j] = s->text[j];
        for (uint32_t i = 0; i < count; i++) {
            uint64_t m = (uint64_t)s->value[2 * i], n = (uint64_t)s->value[2 * i + 1];
            s->cost[j][i] = (m + t[0] - 1) / t[0] * ((n + t[1] - 1) / t[1]) * (t[0] * t[1] / 16 + 300);
        }
        s->variant[j] = (zlay_variant){.guard = &s->guard[j], .guards = j != 0, .costs = s->cost[j]};
    }
    s->request.shapes = s->request.variants = count;
    return bench_each(name, "0.1 s for 64", choose, NULL, budget, 1, s, json);
}

/* ---- tiles ------------------------------------------------------------------------------------- */

enum { TENSORS = 8 };

typedef struct tiles {
    zlay_ctx *ctx;
    const zlay_target *target;
    int64_t value[TENSORS * 3];
    zlay_layout *named, *smem, *source[TENSORS];
    zlay_tensormap_request map;
    zlay_variants_tile request;
} tiles;

static bool choose_tile(void *value)
{
    tiles *t = value;
    zlay_move *move[ZLAY_VARIANTS_MOST];
    zlay_variants *variants;
    zlay_variants_summary info = {0};
    if (zlay_variants_tile_choose(t->ctx, &variants, move, t->target, &t->request)) return false;
    zlay_variants_info(&info, variants);
    for (int i = 0; i < ZLAY_VARIANTS_MOST; i++) zlay_move_free(move[i]);
    zlay_variants_free(variants);
    return info.count == 4;
}

/* Tensor copies where there are some, else threads. */
static bool plan_each(void *value)
{
    tiles *t = value;
    bool right = true;
    for (int i = 0; i < TENSORS; i++) {
        zlay_move *move;
        zlay_tensormap_request map = t->map;
        zlay_copy_request copy = {.size = sizeof copy, .elem_bits = 16, .source = {t->source[i], ZLAY_MOVE_GLOBAL, 0, 0},
                                  .dest = {t->smem, ZLAY_MOVE_SHARED, 0, 0}, .tile = {64, 64}, .axes = 2};
        map.source = t->source[i];
        zlay_status status = zlay_tensormap_synth(t->ctx, &move, t->target, &map);
        if (status == ZLAY_NONE) status = zlay_copy_synth(t->ctx, &move, t->target, &copy);
        right = right && !status;
        if (!status) zlay_move_free(move);
    }
    return right;
}

static zlay_status layout(zlay_ctx *ctx, zlay_layout **out, const char *text) { return zlay_layout_parse(ctx, out, text, strlen(text)); }

static bool tile_rows(zlay_ctx *ctx, bool json)
{
    static tiles t;
    static const char *const names[] = {"M", "K", "ld"}, *const facts[] = {"M < 2^31", "K < 2^31", "8 <= ld < 2^30"};
    char text[64];
    t.ctx = ctx;
    zlay_status status = zlay_target_find(&t.target, "sm_90a", 6);
    if (!status) status = layout(ctx, &t.named, "(M,K):(ld,1)");
    if (!status) status = layout(ctx, &t.smem, "Sw<3,3,3> o 0 o (64,64):(64,1)");
    for (int i = 0; i < TENSORS && !status; i++) {
        int64_t row = 1024 + (8 >> i % 4) * (2 * i + 1), x[] = {512 + 64 * i, row, row};
        snprintf(text, sizeof text, "(%d,%d):(%d,1)", (int)x[0], (int)x[1], (int)x[2]);
        memcpy(t.value + 3 * i, x, sizeof x);
        status = layout(ctx, &t.source[i], text);
    }
    t.map = (zlay_tensormap_request){.size = sizeof t.map, .type = ZLAY_TYPE_BF16, .source = t.named, .smem = t.smem, .shape = {64, 64}, .axes = 2,
                                     .edge = ZLAY_EDGE_WEAK};
    t.request = (zlay_variants_tile){.size = sizeof t.request, .tile = &t.map,
                                     .shapes = {.size = sizeof t.request.shapes, .unknowns = 3, .unknown = names, .fact = facts, .facts = 3,
                                                .shapes = TENSORS, .value = t.value}};
    bool right = !status && bench_print(&(bench_row){"variants.tile, 8 shapes, 4 variants", "the tile of each shape planned", choose_tile, plan_each, &t}, json);
    zlay_layout_free(t.named);
    zlay_layout_free(t.smem);
    for (int i = 0; i < TENSORS; i++) zlay_layout_free(t.source[i]);
    return right;
}

bool bench_variants(zlay_ctx *ctx, bool json)
{
    static service s;
    static const char *const names[] = {"m", "n"}, *const facts[] = {"1 <= m < 2^31", "1 <= n < 2^31"};
    s.ctx = ctx;
    s.request = (zlay_variants_request){.size = sizeof s.request, .unknowns = 2, .unknown = names, .fact = facts,
                                        .facts = 2, .value = s.value, .variant = s.variant};
    bool right = row(&s, "variants.choose, 16 shapes, 16 candidates", 16, 1e7, json);
    right = row(&s, "variants.choose, 64 shapes, 64 candidates", 64, 1e8, json) && right;
    return tile_rows(ctx, json) && right;
}
