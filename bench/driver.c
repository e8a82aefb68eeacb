/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of random tensor maps of every rank, the verdict alone and with room for 8 reasons: legal
 * maps on which nothing is noted, legal ones with notes, and maps with one broken rule. They stand
 * against the driver's encode calls where there is a driver, else against a budget. */
#include "bench.h"
#include "runtime/runtime.h"

#include <stdio.h>
#include <string.h>

enum { MAPS = 2048, ROOM = 8 };

typedef enum drawn { CLEAN, NOTED, BROKEN } drawn;

typedef struct state {
    const zlay_device *device; /* NULL: no driver */
    const zlay_target *target;
    int32_t answer;            /* of every map */
    size_t room;
    uint32_t reasons[MAPS];    /* of each map */
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

/* Rows one behind the other with some padding, at an address that any swizzle takes. */
static void lay(uint64_t *s, zlay_tensormap *m)
{
    uint64_t inside = m->extent[0] * zlay_tensormap_type_bits(m->type) / 8;
    m->address = 128 * (1 + below(s, 1u << 27));
    m->l2 = 0;
    m->step[0] = 1;
    for (uint32_t i = 1; i < m->rank; i++) {
        m->extent[i] = 1 + below(s, 500);
        m->stride[i - 1] = (inside + 16 * below(s, 4) + 15) / 16 * 16;
        inside = m->stride[i - 1] * m->extent[i];
    }
}

static bool is_of(const zlay_verdict *v, drawn kind)
{
    return kind == CLEAN ? v->reasons == 0
         : kind == NOTED ? v->broken == 0 && v->noted > 0
                         : v->broken == 1 && v->noted == 0;
}

static bool draw_all(state *s, uint32_t rank, drawn kind)
{
    uint64_t random = rank;
    s->answer = kind == BROKEN ? ZLAY_NO : ZLAY_YES;
    for (uint32_t count = 0, tries = 0; count < MAPS; tries++) {
        zlay_verdict v;
        zlay_tensormap m = draw(&random, rank);
        if (kind != NOTED) lay(&random, &m);
        if (kind == BROKEN) disturb(&random, &m);
        if (tries > 1000000 || zlay_tensormap_check(&v, NULL, 0, s->target, &m)) return false;
        if (!is_of(&v, kind)) continue;
        s->reasons[count] = v.reasons;
        s->maps[count++] = m;
    }
    return true;
}

static bool check_work(void *value)
{
    const state *s = value;
    bool right = true;
    for (uint32_t i = 0; i < MAPS; i++) {
        zlay_verdict v;
        zlay_reason r[ROOM];
        zlay_tensormap_check(&v, r, s->room, s->target, &s->maps[i]);
        right &= v.answer == s->answer && v.reasons == s->reasons[i];
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

static bool row(state *s, const char *name, uint32_t rank, drawn kind, size_t room, bool json)
{
    bench_work *const work[] = {check_work, encode_work};
    char what[64], against[64];
    double budget = room && kind != CLEAN ? 400 : 60, time[2] = {0, budget * (double)MAPS * 1e-3};
    s->room = room;
    if (!draw_all(s, rank, kind) || !bench_times(work, s->device ? 2 : 1, s, time)) return false;
    snprintf(what, sizeof what, "%s, rank %u, %s", name, rank, room ? "8 reasons" : "verdict");
    snprintf(against, sizeof against, "a budget of %.0f ns", budget);
    bench_line(what, time[0] * 1e3 / (double)MAPS, "ns",
               s->device ? "cuTensorMapEncodeTiled" : against, time[1] / time[0], json);
    return true;
}

static bool rows(state *s, bool json)
{
    bool right = true;
    for (uint32_t rank = 1; rank <= 5; rank++)
        for (size_t room = 0; room <= ROOM; room += ROOM)
            right = row(s, "a legal tensor map", rank, CLEAN, room, json) && right;
    for (uint32_t rank = 2; rank <= 5; rank += 3)
        for (size_t room = 0; room <= ROOM; room += ROOM)
            right = row(s, "a legal map with notes", rank, NOTED, room, json) && right;
    for (uint32_t rank = 2; rank <= 5; rank += 3)
        for (size_t room = 0; room <= ROOM; room += ROOM)
            right = row(s, "a map with one broken rule", rank, BROKEN, room, json) && right;
    return right;
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
    bool right = rows(&s, json);
    if (device) right = zl_device_leave(ctx, device, ZLAY_OK) == ZLAY_OK && right;
    zlay_device_close(device);
    return right;
}
