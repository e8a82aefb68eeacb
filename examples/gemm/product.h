/* SPDX-License-Identifier: Apache-2.0 */
/* What both GEMM examples share: a kernel of a plan is run on a device, and samples of D compared. */
#ifndef EXAMPLE_PRODUCT_H
#define EXAMPLE_PRODUCT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/runtime.h>
#include <zlay/zlay.h>

static inline int failed(zlay_ctx *ctx, zlay_status status, const char *what)
{
    if (status)
        fprintf(stderr, "%s: %s: %s\n", what, zlay_status_name(status), zlay_ctx_message(ctx));
    return status != ZLAY_OK;
}

static inline int rules_print(zlay_ctx *ctx, const zlay_plan *plan)
{
    zlay_buf text = {NULL, 0, 0};
    zlay_plan_rules(&text, plan);
    text.room = text.need + 1;
    text.text = malloc(text.room);
    if (!text.text || failed(ctx, zlay_plan_rules(&text, plan), "rules")) return 0;
    fputs(text.text, stdout);
    free(text.text);
    return 1;
}

static inline int file_write(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "w");
    if (!file) return 0;
    size_t written = fwrite(text, 1, length, file);
    return !fclose(file) && written == length;
}

/* A and B hold small integers, so that every sum is exact; random numbers run slower. */
static inline int element(uint64_t x) { return (int)(x * 2654435761u >> 7 & 7) - 3; }

static inline uint16_t to_bf16(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline uint64_t upload(zlay_ctx *ctx, zlay_device *device, uint64_t count, uint64_t salt)
{
    uint64_t at = 0;
    uint16_t *cells = malloc(2 * count);
    if (!cells) fprintf(stderr, "no memory for %llu elements\n", (unsigned long long)count);
    for (uint64_t i = 0; cells && i < count; i++) cells[i] = to_bf16((float)element(i + salt));
    if (!cells || failed(ctx, zlay_device_allocate(ctx, &at, device, 2 * count), "memory") ||
        failed(ctx, zlay_device_upload(ctx, device, at, cells, 2 * count), "write")) {
        zlay_device_free(device, at);
        at = 0;
    }
    free(cells);
    return at;
}

static inline uint64_t wrong(const zlay_gemm *g, const uint16_t *d)
{
    uint64_t bad = 0;
    for (uint64_t s = 0; s < 1000; s++) {
        uint64_t i = s * 7919 % g->m, j = s * 104729 % g->n;
        int sum = 0;
        for (uint64_t k = 0; k < g->k; k++)
            sum += element(i * g->k + k) * element(j * g->k + k + 1);
        bad += d[i * g->n + j] != to_bf16((float)sum);
    }
    return bad;
}

static inline int kernel_run(zlay_ctx *ctx, zlay_device *device, zlay_kernel *kernel, const zlay_gemm *g)
{
    uint64_t a = upload(ctx, device, g->m * g->k, 0);
    uint64_t b = upload(ctx, device, g->n * g->k, 1);
    uint64_t d = 0, bytes = 2 * g->m * g->n;
    uint16_t *result = malloc(bytes);
    float ms = 0;
    int done = a && b && result &&
               !failed(ctx, zlay_device_allocate(ctx, &d, device, bytes), "memory") &&
               !failed(ctx, zlay_kernel_bind(ctx, kernel, a, b, d), "bind") &&
               !failed(ctx, zlay_kernel_launch(ctx, kernel, NULL), "launch") &&
               !failed(ctx, zlay_kernel_measure(ctx, &ms, kernel, 20), "time") &&
               !failed(ctx, zlay_device_download(ctx, result, device, d, bytes), "read");
    uint64_t bad = done ? wrong(g, result) : 0;
    if (done)
        printf("%llu of 1000 sampled elements wrong; %.1f TFLOP/s on such numbers\n",
               (unsigned long long)bad,
               2e-9 * (double)g->m * (double)g->n * (double)g->k * 20 / (double)ms);
    free(result);
    zlay_device_free(device, a);
    zlay_device_free(device, b);
    zlay_device_free(device, d);
    return done && !bad;
}

/* Load what the plan's text became, and run it. */
static inline int image_run(zlay_ctx *ctx, zlay_device *device, const zlay_plan *plan,
                            const zlay_gemm *g, const void *image, size_t length)
{
    zlay_kernel *kernel;
    int good = !failed(ctx, zlay_kernel_load(ctx, &kernel, device, plan, image, length, "gemm"),
                       "load") &&
               kernel_run(ctx, device, kernel, g);
    zlay_kernel_free(kernel);
    return good;
}

#endif
