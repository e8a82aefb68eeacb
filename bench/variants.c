/* SPDX-License-Identifier: Apache-2.0 */
/* Guarded variants: the choice among 16 and 64 candidates for as many shapes, against what a build can
 * spend on it. */
#include "bench.h"

#include <stdio.h>

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

bool bench_variants(zlay_ctx *ctx, bool json)
{
    static service s;
    static const char *const names[] = {"m", "n"}, *const facts[] = {"1 <= m < 2^31", "1 <= n < 2^31"};
    s.ctx = ctx;
    s.request = (zlay_variants_request){.size = sizeof s.request, .unknowns = 2, .unknown = names, .fact = facts,
                                        .facts = 2, .value = s.value, .variant = s.variant};
    bool right = row(&s, "variants.choose, 16 shapes, 16 candidates", 16, 1e7, json);
    return row(&s, "variants.choose, 64 shapes, 64 candidates", 64, 1e8, json) && right;
}
