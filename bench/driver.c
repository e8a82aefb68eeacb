/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts on random tensor maps, legal ones and ones with one field disturbed, against the driver's
 * encode calls where there is one, else against a budget. */
#include "bench.h"
#include "runtime/runtime.h"

#include <stdio.h>
#include <string.h>

enum { MAPS = 256 };

typedef struct state {
    const zlay_device *device; /* NULL: no driver */
    const zlay_target *target;
    int32_t answer; /* of every map */
    zlay_tensormap maps[MAPS];
    _Alignas(128) unsigned char encoded[128];
} state;

static uint64_t below(uint64_t *s, uint64_t n)
{
    uint64_t z = *s += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % n;
}

static zlay_tensormap draw(uint64_t *s, uint32_t rank)
{
    zlay_tensormap m;
    memset(&m, 0, sizeof m);
    m.rank = rank;
    m.type = (int32_t)below(s, 13);
    m.swizzle = (int32_t)below(s, 4);
    m.l2 = (int32_t)below(s, 4);
    m.address = 16 * (1 + below(s, 1u << 30));
    for (uint32_t i = 0; i < rank; i++) {
        m.extent[i] = 1 + below(s, 100000);
        m.box[i] = (uint32_t)(i ? 1 + below(s, 8) : 16);
        m.step[i] = (uint32_t)(below(s, 4) ? 1 : 1 + below(s, 8));
        if (i) m.stride[i - 1] = 16 * below(s, 1u << 20);
    }
    return m;
}

static void disturb(uint64_t *s, zlay_tensormap *m)
{
    uint32_t i = (uint32_t)below(s, m->rank);
    switch (below(s, 5)) {
    case 0: m->address += 8; return;
    case 1: m->box[i] += 256; return;
    case 2: m->step[i] = 9; return;
    case 3: m->extent[i] = 0; return;
    default: m->swizzle = 7;
    }
}

static bool draw_all(state *s, uint32_t rank, int32_t answer)
{
    uint64_t random = rank;
    s->answer = answer;
    for (uint32_t count = 0, tries = 0; count < MAPS; tries++) {
        zlay_verdict v;
        zlay_tensormap m = draw(&random, rank);
        if (answer == ZLAY_NO) disturb(&random, &m);
        if (tries > 100000 || zlay_tensormap_check(&v, NULL, 0, s->target, &m)) return false;
        if (v.answer == answer) s->maps[count++] = m;
    }
    return true;
}

static bool check_work(void *value)
{
    const state *s = value;
    bool right = true;
    for (uint32_t i = 0; i < MAPS; i++) {
        zlay_verdict v;
        zlay_tensormap_check(&v, NULL, 0, s->target, &s->maps[i]);
        right &= v.answer == s->answer;
    }
    return right;
}

/* The call alone, in a context that is current. */
static bool encode_work(void *value)
{
    state *s = value;
    bool right = true;
    for (uint32_t i = 0; i < MAPS; i++) {
        const zlay_tensormap *m = &s->maps[i];
        zl_cu_result e = s->device->driver.cuTensorMapEncodeTiled(
            (struct CUtensorMap_st *)(void *)s->encoded, (zl_cu_enum)m->type, m->rank,
            (void *)(uintptr_t)m->address, m->extent, m->stride, m->box, m->step,
            (zl_cu_enum)m->interleave, (zl_cu_enum)m->swizzle, (zl_cu_enum)m->l2,
            (zl_cu_enum)m->oob);
        right &= (e == ZL_CUDA_SUCCESS) == (s->answer == ZLAY_YES);
    }
    return right;
}

static bool row(state *s, const char *name, uint32_t rank, int32_t answer, double budget, bool json)
{
    bench_work *const work[] = {check_work, encode_work};
    double time[2] = {0, budget * MAPS * 1e-3};
    if (!draw_all(s, rank, answer) || !bench_times(work, s->device ? 2 : 1, s, time)) return false;
    bench_line(name, time[0] * 1e3 / MAPS, "ns",
               s->device ? "cuTensorMapEncodeTiled" : budget > 50 ? "a budget of 100 ns" : "a budget of 50 ns",
               time[1] / time[0], json);
    return true;
}

bool bench_driver(zlay_ctx *ctx, bool json)
{
    static state s;
    zlay_device *device = NULL;
    if (zlay_target_find(&s.target, "sm_90a", 6)) return false;
    if (zlay_device_open(ctx, &device, 0) && !json)
        printf("tensor maps against the driver: left out, %s\n", zlay_ctx_message(ctx));
    if (device && zl_device_enter(ctx, device)) return false;
    s.device = device;
    bool right = row(&s, "verdict on a tensor map, rank 2", 2, ZLAY_YES, 50, json) &&
                 row(&s, "verdict on a tensor map, rank 5", 5, ZLAY_YES, 100, json) &&
                 row(&s, "a refusal, rank 2", 2, ZLAY_NO, 50, json) &&
                 row(&s, "a refusal, rank 5", 5, ZLAY_NO, 100, json);
    if (device) right = zl_device_leave(ctx, device, ZLAY_OK) == ZLAY_OK && right;
    zlay_device_close(device);
    return right;
}
