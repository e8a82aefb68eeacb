/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor map checked by zlay and encoded by the driver, which checks it too. */
#include "bench.h"

#include <stdio.h>
#include <zlay/runtime.h>

typedef struct state {
    zlay_ctx *ctx;
    zlay_device *device;
    const zlay_target *target;
    zlay_tensormap map;
    _Alignas(128) unsigned char encoded[128];
} state;

static bool check_work(void *value)
{
    const state *s = value;
    zlay_verdict verdict;
    return zlay_tensormap_check(&verdict, NULL, 0, s->target, &s->map) == ZLAY_OK &&
           verdict.answer == ZLAY_YES;
}

static bool encode_work(void *value)
{
    state *s = value;
    return zlay_device_encode(s->ctx, s->device, s->encoded, &s->map) == ZLAY_OK;
}

static const zlay_tensormap map = {
    .address = 1 << 20,
    .extent = {4096, 4096},
    .stride = {8192},
    .box = {64, 128},
    .step = {1, 1},
    .rank = 2,
    .type = ZLAY_TYPE_BF16,
    .swizzle = ZLAY_SWIZZLE_128B,
};

bool bench_driver(zlay_ctx *ctx, bool json)
{
    state s = {.ctx = ctx, .map = map};
    bench_row row = {"check a tensor map", "cuTensorMapEncodeTiled", check_work, encode_work, &s};
    if (zlay_target_find(&s.target, "sm_90a", 6)) return false;
    if (zlay_device_open(ctx, &s.device, 0)) {
        if (!json) printf("tensor maps against the driver: left out, %s\n", zlay_ctx_message(ctx));
        return true;
    }
    bool right = bench_print(&row, json);
    zlay_device_close(s.device);
    return right;
}
