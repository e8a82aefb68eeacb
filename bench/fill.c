/* SPDX-License-Identifier: Apache-2.0 */
/* Prepared tensor maps filled in: address, extents and strides at run time, every rule checked, 128 bytes. It stands
 * against the driver's encode call where there is a driver, else against the packing of a map that is known. */
#include "bench.h"
#include "runtime/runtime.h"

#include <stdio.h>
#include <string.h>

enum { MAPS = 1024, OPEN = 10 };

typedef struct filled {
    const zlay_device *device; /* NULL: no driver */
    const zlay_target *target;
    zlay_fill *fill;
    zlay_tensormap maps[MAPS];
    int64_t value[MAPS][OPEN];
    uint64_t words[16];
    _Alignas(128) unsigned char encoded[128];
} filled;

static bool fill_work(void *value)
{
    filled *s = value;
    bool right = true;
    for (uint32_t i = 0; i < MAPS; i++) right &= !zlay_fill_write(s->words, NULL, NULL, 0, s->fill, s->value[i]);
    return right;
}

static bool pack_work(void *value)
{
    filled *s = value;
    bool right = true;
    for (uint32_t i = 0; i < MAPS; i++) right &= !zlay_tensormap_pack(s->words, s->target, &s->maps[i]);
    return right;
}

static bool encode_work(void *value)
{
    filled *s = value;
    bool right = true;
    for (uint32_t i = 0; i < MAPS; i++) {
        const zlay_tensormap *m = &s->maps[i];
        right &= s->device->driver.cuTensorMapEncodeTiled(
                     (struct CUtensorMap_st *)(void *)s->encoded, (zl_cu_enum)m->type, m->rank,
                     (void *)(uintptr_t)m->address, m->extent, m->stride, m->box, m->step, 0,
                     (zl_cu_enum)m->swizzle, 0, 0) == ZL_CUDA_SUCCESS;
    }
    return right;
}

/* The map of values i: rows one behind the other. */
static void draw(filled *s, uint64_t *seed, uint32_t rank, uint32_t i)
{
    zlay_tensormap m = {.rank = rank, .type = ZLAY_TYPE_BF16, .swizzle = ZLAY_SWIZZLE_128B, .box = {64, 8, 4, 1, 1},
                        .step = {1, 1, 1, 1, 1}};
    int64_t *to = s->value[i];
    for (uint32_t d = rank; d < 5; d++) m.box[d] = m.step[d] = 0;
    m.address = 128 * (1 + bench_drawn(seed) % (1u << 27));
    uint64_t inside = 0;
    *to++ = (int64_t)m.address;
    for (uint32_t d = 0; d < rank; d++) {
        m.extent[d] = 1 + bench_drawn(seed) % 500;
        *to++ = (int64_t)m.extent[d];
        if (d) m.stride[d - 1] = inside, *to++ = (int64_t)inside;
        inside = d ? inside * m.extent[d] : (2 * m.extent[0] + 15) / 16 * 16;
    }
    s->maps[i] = m;
}

static uint32_t opened(zlay_given *given, uint32_t rank)
{
    static const char *const names[OPEN] = {"at", "e0", "e1", "s0", "e2", "s1", "e3", "s2", "e4", "s3"};
    uint32_t count = 0;
    given[count++] = (zlay_given){ZLAY_FIELD_ADDRESS, 0, names[0], 2};
    for (uint32_t d = 0; d < rank; d++) {
        given[count] = (zlay_given){ZLAY_FIELD_EXTENT, (int32_t)d, names[count], 2}, count++;
        if (d) given[count] = (zlay_given){ZLAY_FIELD_STRIDE, (int32_t)d - 1, names[count], 2}, count++;
    }
    return count;
}

static bool row(zlay_ctx *ctx, filled *s, uint32_t rank, bool json)
{
    zlay_given given[OPEN];
    zlay_verdict v;
    char name[80];
    uint64_t seed = rank;
    uint32_t count = opened(given, rank);
    for (uint32_t i = 0; i < MAPS; i++) draw(s, &seed, rank, i);
    const zlay_tensormap_question q = {sizeof q, count, s->target, &s->maps[0], given, NULL};
    if (zlay_fill_prepare(ctx, &s->fill, &v, NULL, 0, NULL, &q)) return false;
    snprintf(name, sizeof name, "a map of rank %u filled in, %u unknowns", rank, count);
    bool right = bench_each(name, s->device ? "cuTensorMapEncodeTiled" : "zlay_tensormap_pack", fill_work,
                            s->device ? encode_work : pack_work, 0, MAPS, s, json);
    zlay_fill_free(s->fill);
    return right;
}

bool bench_fill(zlay_ctx *ctx, bool json)
{
    static filled s;
    zlay_device *device = NULL;
    bool right = true;
    if (zlay_target_find(&s.target, "sm_90a", 6)) return false;
    if (zlay_device_open(ctx, &device, 0) && !json)
        printf("filling in against the driver: left out, %s\n", zlay_ctx_message(ctx));
    if (device && zl_device_enter(ctx, device)) return false;
    s.device = device;
    for (uint32_t rank = 1; rank <= 5; rank++) right = row(ctx, &s, rank, json) && right;
    if (device) right = zl_device_leave(ctx, device, ZLAY_OK) == ZLAY_OK && right;
    zlay_device_close(device);
    return right;
}
