/* SPDX-License-Identifier: Apache-2.0 */
/* A stage of a product, layout and primitive of each operand and the barriers chosen together, against asking for each combination of
 * swizzle and primitive of both operands by itself and taking the best, as one does without the search. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { OPERANDS = 2, SWIZZLES = 4, PRIMITIVES = 4, PAIRS = SWIZZLES * PRIMITIVES };

typedef struct state {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_layout *source, *lanes;
    zlay_stage_access access;
    zlay_stage_tensor tensor[OPERANDS];
    zlay_stage_tile tile;
    zlay_stage_request request;
    uint64_t ours, theirs;
} state;

/* The cycles of a stage; 0: no answer. */
static uint64_t cycles_of(state *s)
{
    zlay_stage *stage;
    zlay_stage_summary info;
    if (zlay_stage_synth(s->ctx, &stage, s->target, &s->request)) return 0;
    zlay_stage_info(&info, stage);
    zlay_stage_free(stage);
    return info.cycles;
}

static void fix(zlay_stage_tensor *t, int pair)
{
    t->swizzle_fixed = pair >= 0;
    t->swizzle = pair < 0 ? 0 : pair % SWIZZLES;
    t->primitives = pair < 0 ? 0 : 1u << pair / SWIZZLES;
}

static bool ours(void *value)
{
    state *s = value;
    for (int i = 0; i < OPERANDS; i++) fix(&s->tensor[i], -1);
    s->ours = cycles_of(s);
    return s->ours;
}

static bool by_trying(void *value)
{
    state *s = value;
    s->theirs = 0;
    for (int a = 0; a < PAIRS; a++)
        for (int b = 0; b < PAIRS; b++) {
            fix(&s->tensor[0], a);
            fix(&s->tensor[1], b);
            uint64_t cycles = cycles_of(s);
            if (cycles && (!s->theirs || cycles < s->theirs)) s->theirs = cycles;
        }
    return s->theirs >= s->ours;
}

static bool layouts_make(state *s, uint32_t rows, uint32_t k)
{
    char text[128];
    int length = snprintf(text, sizeof text, "(16,2,8,%u,%u):(1,%u,%u,%u,16)", k / 16, rows / 16, 8 * rows, rows, 16 * rows);
    return !zlay_layout_parse(s->ctx, &s->source, "(4096,4096):(4096,1)", 20) && !zlay_layout_parse(s->ctx, &s->lanes, text, (size_t)length) &&
           !zlay_bank_find(&s->access.access, "ldmatrix.x4", 11);
}

static bool print_tile(zlay_ctx *ctx, uint32_t rows, uint32_t k, bool json)
{
    static state s;
    bench_work *const work[] = {ours, by_trying};
    char name[64], against[80];
    double median[2];
    memset(&s, 0, sizeof s);
    s.ctx = ctx;
    bool right = !zlay_target_find(&s.target, "sm_90a", 6) && layouts_make(&s, rows, k);
    s.access.layout = s.lanes;
    for (int i = 0; i < OPERANDS; i++)
        s.tensor[i] = (zlay_stage_tensor){.name = i ? "B" : "A", .type = ZLAY_TYPE_BF16, .source = s.source, .shape = {rows, k}, .align = 128, .count = 1, .accesses = &s.access};
    s.tile = (zlay_stage_tile){.count = OPERANDS, .tensors = s.tensor};
    s.request = (zlay_stage_request){.size = sizeof s.request, .count = 1, .tiles = &s.tile};
    right = right && bench_times(work, 2, &s, median);
    if (right) {
        snprintf(name, sizeof name, "stage of 2 x %u x %u, %llu cycles", rows, k, (unsigned long long)s.ours);
        snprintf(against, sizeof against, "%d requests, one a combination: %llu cycles", PAIRS * PAIRS, (unsigned long long)s.theirs);
        bench_line(name, median[0], "us", against, median[1] / median[0], json);
    }
    zlay_layout_free(s.source);
    zlay_layout_free(s.lanes);
    return right;
}

bool bench_stage(zlay_ctx *ctx, bool json)
{
    return print_tile(ctx, 64, 64, json) && print_tile(ctx, 128, 96, json);
}
