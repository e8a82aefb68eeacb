/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of copies by threads, each against reading the tile's offsets once on both sides, which is
 * the least that a check of any plan by points takes. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

typedef struct tile {
    const char *name, *from, *to;
    int32_t spaces[2];
    uint32_t bits;
    uint64_t bound; /* 1: the plan must cost what no plan is below */
} tile;

enum { G = ZLAY_MOVE_GLOBAL, S = ZLAY_MOVE_SHARED };

static const tile tiles[] = {
    {"copy plan, 64 x 64 bf16, cp.async", "(64,64):(1,4096)", "(64,64):(1,64)", {G, S}, 16, 1},
    {"copy plan, the same swizzled",
     "(64,64):(1,4096)",
     "Sw<3,3,3> o 0 o (64,64):(1,64)",
     {G, S},
     16,
     1},
    {"copy plan, one run of 8 KiB", "4096", "4096", {G, S}, 16, 1},
    {"copy plan, transposed f32", "(64,64):(1,64)", "(64,64):(68,1)", {G, S}, 32, 0},
    {"copy plan, shifted rows 64 x 509", "(509,64):(1,509)", "(509,64):(1,512)", {G, G}, 16, 0},
    {"copy plan, rank 3", "(16,16,16):(1,100,2000)", "(16,16,16):(1,16,256)", {G, S}, 16, 0},
    {"copy plan, rank 4", "(8,8,8,8):(1,20,200,2000)", "(8,8,8,8):(1,8,64,512)", {G, S}, 16, 0},
    {"copy plan, rank 5",
     "(8,4,4,4,8):(1,20,100,600,2500)",
     "(8,4,4,4,8):(1,8,32,128,512)",
     {G, S},
     16,
     0},
    {"copy plan, rank 4 turned",
     "(8,8,8,8):(1,20,200,2000)",
     "(8,8,8,8):(520,65,8,1)",
     {S, S},
     8,
     0},
    {"copy plan, rank 5, odd extents",
     "(7,5,6,4,9):(1,20,100,600,2500)",
     "(7,5,6,4,9):(1,8,41,250,1001)",
     {G, S},
     16,
     0},
    {"copy plan, boxes that cross", "(64,96):(1,72)", "(96,64):(1,104)", {G, S}, 16, 0},
    {"copy plan, bits of no common strides",
     "f2{a: (1) (2) (4) (8) (16) (32) (96) (128) (256) (1536) (1024) (2560) -> o: 4096}",
     "f2{a: (1) (2) (4) (24) (16) (48) (64) (128) (384) (512) (1024) (3072) -> o: 4096}",
     {G, S},
     16,
     0},
};

typedef struct state {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_copy_request request;
    uint64_t points;
    int64_t *value;
    bool bound;
} state;

static bool plan_work(void *value)
{
    state *s = value;
    zlay_move *move = NULL;
    zlay_move_summary info;
    bool right = zlay_copy_synth(s->ctx, &move, s->target, &s->request) == ZLAY_OK &&
                 zlay_move_info(&info, move) == ZLAY_OK && (info.optimal || !s->bound);
    zlay_move_free(move);
    return right;
}

static bool read_work(void *value)
{
    state *s = value;
    return zlay_layout_eval_many(s->value, NULL, s->request.source.layout, NULL, 0, s->points) ==
               ZLAY_OK &&
           zlay_layout_eval_many(s->value, NULL, s->request.dest.layout, NULL, 0, s->points) ==
               ZLAY_OK;
}

static bool tile_row(zlay_ctx *ctx, const tile *t, bool json)
{
    state s = {.ctx = ctx, .bound = t->bound};
    zlay_layout *layout[2] = {NULL, NULL};
    bool right = zlay_target_find(&s.target, "sm_90a", 6) == ZLAY_OK &&
                 zlay_layout_parse(ctx, &layout[0], t->from, strlen(t->from)) == ZLAY_OK &&
                 zlay_layout_parse(ctx, &layout[1], t->to, strlen(t->to)) == ZLAY_OK;
    s.request = (zlay_copy_request){.size = sizeof s.request,
                                    .elem_bits = t->bits,
                                    .source = {layout[0], t->spaces[0], 0, 128},
                                    .dest = {layout[1], t->spaces[1], 0, 128}};
    s.points = zlay_layout_size(layout[0]);
    s.value = calloc(s.points ? s.points : 1, sizeof *s.value);
    bench_row row = {t->name, "reading the tile's offsets", plan_work, read_work, &s};
    right = right && s.value && bench_print(&row, json);
    free(s.value);
    zlay_layout_free(layout[0]);
    zlay_layout_free(layout[1]);
    return right;
}

bool bench_copy_synth(zlay_ctx *ctx, bool json)
{
    bool right = true;
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++)
        right = tile_row(ctx, &tiles[i], json) && right;
    return right;
}
