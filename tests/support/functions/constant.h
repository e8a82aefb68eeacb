/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps and matrix descriptors whose functions tests print. */
#ifndef TEST_FUNCTIONS_CONSTANT_H
#define TEST_FUNCTIONS_CONSTANT_H

#include "ctx.h"

#include <zlay/emit_function.h>

enum { CONSTANT_TEXT = 1 << 17, MAP_FUNCTIONS = 7 /* of sm_90 */, MAP_ROWS = 9 /* the others are of sm_100 */, DESC_STEPS = 8, DESC_FUNCTIONS = 5 };

static const zlay_tensormap map_rows[MAP_ROWS] = {
    {.address = 1 << 20, .extent = {4096, 1024}, .stride = {8192}, .box = {64, 64}, .step = {1, 1}, .rank = 2, .type = ZLAY_TYPE_BF16, .swizzle = ZLAY_SWIZZLE_128B},
    {.address = 1 << 12, .extent = {1000}, .box = {256}, .step = {1}, .rank = 1, .type = ZLAY_TYPE_U8},
    {.address = 1ull << 40, .extent = {64, 3, 5, 7, 9}, .stride = {128, 384, 1920, 13440}, .box = {32, 2, 1, 3, 1}, .step = {1, 1, 2, 1, 1}, .rank = 5,
     .type = ZLAY_TYPE_F16, .swizzle = ZLAY_SWIZZLE_64B, .l2 = 2},
    {.address = 1 << 20, .extent = {4096, 1024}, .stride = {16384}, .box = {8, 128}, .step = {1, 1}, .rank = 2, .type = ZLAY_TYPE_F32, .swizzle = ZLAY_SWIZZLE_32B, .oob = 1, .l2 = 3},
    {.address = 1 << 20, .extent = {4096, 1ull << 31}, .stride = {8192}, .box = {64, 256}, .step = {1, 1}, .rank = 2, .type = ZLAY_TYPE_BF16},
    {.address = 1 << 20, .extent = {32, 100, 4}, .stride = {64, 6400}, .step = {1, 1, 1}, .rank = 3, .mode = 1, .type = ZLAY_TYPE_F16, .swizzle = ZLAY_SWIZZLE_64B,
     .lower = {-2}, .upper = {1}, .channels = 32, .pixels = 48},
    {.address = 1 << 20, .extent = {16, 9, 8, 7, 4}, .stride = {64, 576, 4608, 32256}, .step = {1, 2, 1, 1, 1}, .rank = 5, .mode = 1, .type = ZLAY_TYPE_F32,
     .swizzle = ZLAY_SWIZZLE_32B, .oob = 1, .lower = {-1, 0, -2}, .upper = {-1, -2, 0}, .channels = 8, .pixels = 100},
    {.address = 1 << 20, .extent = {64, 16, 16, 8}, .stride = {128, 2048, 32768}, .step = {1, 1, 1, 1}, .rank = 4, .mode = 2, .type = ZLAY_TYPE_BF16,
     .swizzle = ZLAY_SWIZZLE_128B, .lower = {-1}, .upper = {-1}, .channels = 64, .pixels = 64},
    {.address = 1 << 20, .extent = {64, 300, 16, 8}, .stride = {128, 38400, 614400}, .step = {1, 1, 1, 1}, .rank = 4, .mode = 2, .type = ZLAY_TYPE_BF16,
     .swizzle = ZLAY_SWIZZLE_128B, .lower = {-1}, .upper = {2}, .channels = 64, .pixels = 7, .wide_mode = 1},
};

static const uint32_t desc_starts[DESC_FUNCTIONS][DESC_STEPS] = {{1024, 1056, 1088, 1120, 9216, 9248, 9280, 9312}, {1024, 3072, 5120, 7168, 9216, 11264, 13312, 15360},
                                              {4096, 4064, 4032, 4000, 3968, 3936, 3904, 3872}, {1024, 1040, 1200, 1072, 16, 0, 4096, 2048}, {512}};
static const size_t desc_counts[DESC_FUNCTIONS] = {8, 8, 8, 8, 1};
static const zlay_smemdesc desc_fields = {.lbo = 16, .sbo = 1024, .swizzle = ZLAY_SWIZZLE_128B};

static inline size_t map_function(zlay_ctx *ctx, char *to, int i, const char *target, int32_t language)
{
    char name[16];
    zlay_buf buf = {to, CONSTANT_TEXT, 0};
    int length = snprintf(name, sizeof name, "map%d", i);
    if (zlay_emit_tensormap(ctx, &buf, target_of(target), &map_rows[i], language, name, (size_t)length)) fail_msg("%d: %s", i, zlay_ctx_message(ctx));
    return buf.need;
}

static inline zlay_status desc_status(zlay_ctx *ctx, zlay_buf *buf, int i, const char *target, int32_t language, const char *name)
{
    const zlay_smemdesc_function request = {.size = sizeof request, .language = language, .target = target_of(target), .fields = &desc_fields,
                                            .start = desc_starts[i], .count = desc_counts[i], .name = name, .name_length = strlen(name)};
    return zlay_emit_smemdesc(ctx, buf, &request);
}

static inline size_t desc_function(zlay_ctx *ctx, char *to, int i, const char *target, int32_t language)
{
    char name[16];
    zlay_buf buf = {to, CONSTANT_TEXT, 0};
    snprintf(name, sizeof name, "desc%d", i);
    if (desc_status(ctx, &buf, i, target, language, name)) fail_msg("%d: %s", i, zlay_ctx_message(ctx));
    return buf.need;
}

#endif
