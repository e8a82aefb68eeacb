/* SPDX-License-Identifier: Apache-2.0 */
/* A plan that brings an operand to the registers of matrix instructions, swizzle searched and certificates decided, against asking its
 * certificates element by element. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16 };

typedef struct state {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_wave_request request;
    zlay_wave *wave;
    int64_t *value[2];
} state;

static bool ours(void *value)
{
    state *s = value;
    zlay_wave *wave;
    zlay_wave_summary info;
    if (zlay_wave_synth(s->ctx, &wave, s->target, &s->request)) return false;
    zlay_wave_info(&info, wave);
    zlay_wave_free(wave);
    return info.read_wavefronts == info.read_ideal;
}

static bool by_elements(void *value)
{
    state *s = value;
    const zlay_layout *pair[2];
    for (uint32_t i = 0; !zlay_wave_certificate(&pair[0], &pair[1], s->wave, i); i++) {
        size_t count = zlay_layout_size(pair[0]);
        for (int side = 0; side < 2; side++)
            if (zlay_layout_eval_many(s->value[side], NULL, pair[side], NULL, 0, count)) return false;
        if (memcmp(s->value[0], s->value[1], count * sizeof *s->value[0])) return false;
    }
    return true;
}

static bool print_tile(state *s, uint32_t rows, uint32_t depth, bool json)
{
    bench_work *const work[] = {ours, by_elements};
    double median[2];
    char name[64];
    s->request = (zlay_wave_request){.size = sizeof s->request, .rows = rows, .depth = depth, .threads = 256, .parts = 2};
    s->request.mma = (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = 32, .n = 32, .k = 16, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    if (zlay_wave_synth(s->ctx, &s->wave, s->target, &s->request)) return false;
    bool right = bench_times(work, 2, s, median);
    zlay_wave_free(s->wave);
    if (!right) return false;
    snprintf(name, sizeof name, "operand of waves, %u x %u", rows, depth);
    bench_line(name, median[0], "us", "its certificates by elements", median[1] / median[0], json);
    return true;
}

bool bench_wave(zlay_ctx *ctx, bool json)
{
    static const char name[] = "gfx950";
    state s = {.ctx = ctx};
    bool right = !zlay_target_find(&s.target, name, sizeof name - 1);
    for (int i = 0; i < 2; i++) right = (s.value[i] = malloc(MOST * sizeof *s.value[i])) && right;
    for (uint32_t rows = 64; right && rows <= 256; rows *= 2)
        for (uint32_t depth = 32; right && depth <= 128; depth *= 2) right = print_tile(&s, rows, depth, json);
    for (int i = 0; i < 2; i++) free(s.value[i]);
    return right;
}
