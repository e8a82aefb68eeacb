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

static bool encode(filled *s, uint32_t i)
{
    const zlay_tensormap *m = &s->maps[i];
    return s->device->driver.cuTensorMapEncodeTiled(
               (struct CUtensorMap_st *)(void *)s->encoded, (zl_cu_enum)m->type, m->rank,
               (void *)(uintptr_t)m->address, m->extent, m->stride, m->box, m->step, 0,
               (zl_cu_enum)m->swizzle, 0, 0) == ZL_CUDA_SUCCESS;
}

/* The call alone, in a context that is current. */
static bool encode_work(void *value)
{
    filled *s = value;
    bool right = true;
    for (uint32_t i = 0; i < MAPS; i++) right &= encode(s, i);
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

/* The bytes of both are the same for every map. */
static bool agrees(filled *s)
{
    bool right = true;
    for (uint32_t i = 0; i < MAPS && right; i++) {
        if (zlay_fill_write(s->words, NULL, NULL, 0, s->fill, s->value[i])) return false;
        right = encode(s, i) && !memcmp(s->encoded, s->words, sizeof s->encoded);
    }
    return right;
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

static bool failed(const zlay_ctx *ctx, uint32_t rank, const char *what)
{
    fprintf(stderr, "zlay-bench: filling in a map of rank %u: %s%s%s\n", rank, what, ctx ? ": " : "",
            ctx ? zlay_ctx_message(ctx) : "");
    return false;
}

static bool measure(filled *s, uint32_t rank, uint32_t count, bool json)
{
    char name[80];
    snprintf(name, sizeof name, "a map of rank %u filled in, %u unknowns", rank, count);
    return bench_each(name, s->device ? "cuTensorMapEncodeTiled" : "zlay_tensormap_pack", fill_work,
                      s->device ? encode_work : pack_work, 0, MAPS, s, json);
}

/* The map is prepared before the device is entered: until it is left, the ctx takes no other call. */
static bool row(zlay_ctx *ctx, filled *s, uint32_t rank, bool json)
{
    zlay_given given[OPEN];
    zlay_verdict v;
    uint64_t seed = rank;
    uint32_t count = opened(given, rank);
    for (uint32_t i = 0; i < MAPS; i++) draw(s, &seed, rank, i);
    const zlay_tensormap_question q = {sizeof q, count, s->target, &s->maps[0], given, NULL};
    if (zlay_fill_prepare(ctx, &s->fill, &v, NULL, 0, NULL, &q)) return failed(ctx, rank, "it is not prepared");
    bool entered = s->device && !zl_device_enter(ctx, s->device);
    bool right = entered || !s->device || failed(ctx, rank, "the device's context is not made current");
    if (right && entered && !agrees(s)) right = failed(NULL, rank, "the driver refuses it, or writes other bytes");
    if (right && !measure(s, rank, count, json)) right = failed(NULL, rank, "a wrong result");
    if (entered) zl_device_leave(ctx, s->device, ZLAY_OK);
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
    s.device = device;
    for (uint32_t rank = 1; rank <= 5; rank++) right = row(ctx, &s, rank, json) && right;
    zlay_device_close(device);
    return right;
}
