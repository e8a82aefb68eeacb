/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct zlay_ctx {
    zlay_allocator alloc;
    zlay_limits limits;
    atomic_flag inside; /* atomic, so that a second thread's entry is refused, not a race */
    char message[1024];
};

static void *default_alloc(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}
static void default_free(void *user, void *ptr, size_t size)
{
    (void)user;
    (void)size;
    free(ptr);
}

static const zlay_limits defaults = {
    .size = sizeof(zlay_limits),
    .nesting = 64,
    .text = (uint64_t)1 << 20,
    .dims = 64,
    .points = (uint64_t)1 << 22,
    .sim_bytes = (uint64_t)1 << 30,
    .pieces = 4096,
    .isl_ops = 10000000,
    .big_bytes = (uint64_t)64 << 20,
};

static zlay_status limits_read(zlay_limits *out, const zlay_limits *in)
{
    zlay_limits given = {0};
    *out = defaults;
    if (!in) return ZLAY_OK;
    if (in->size < sizeof in->size || in->size > sizeof given) return ZLAY_EINVAL;
    memcpy(&given, in, in->size);
    for (size_t i = 0; i < ZL_COUNT(given.reserved); i++)
        if (given.reserved[i]) return ZLAY_EINVAL;
    if (given.nesting) out->nesting = given.nesting;
    if (given.text) out->text = given.text;
    if (given.dims) out->dims = given.dims;
    if (given.points) out->points = given.points;
    if (given.sim_bytes) out->sim_bytes = given.sim_bytes;
    if (given.pieces) out->pieces = given.pieces;
    if (given.isl_ops) out->isl_ops = given.isl_ops;
    if (given.big_bytes) out->big_bytes = given.big_bytes;
    return ZLAY_OK;
}

zlay_status zlay_ctx_new(zlay_ctx **out, const zlay_allocator *alloc, const zlay_limits *limits)
{
    zlay_allocator hooks = {NULL, default_alloc, default_free};
    zlay_limits read;
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (alloc && (!alloc->alloc) != (!alloc->free)) return ZLAY_EINVAL;
    if (alloc && alloc->alloc) hooks = *alloc;
    zlay_status status = limits_read(&read, limits);
    if (status) return status;
    zlay_ctx *ctx = hooks.alloc(hooks.user, sizeof *ctx);
    if (!ctx) return ZLAY_ENOMEM;
    ctx->alloc = hooks;
    ctx->limits = read;
    atomic_flag_clear(&ctx->inside);
    ctx->message[0] = 0;
    *out = ctx;
    return ZLAY_OK;
}

void zlay_ctx_free(zlay_ctx *ctx)
{
    if (!ctx) return;
    zlay_allocator hooks = ctx->alloc;
    hooks.free(hooks.user, ctx, sizeof *ctx);
}

const char *zlay_ctx_message(const zlay_ctx *ctx) { return ctx ? ctx->message : ""; }

zlay_status zlay_ctx_set_limits(zlay_ctx *ctx, const zlay_limits *limits)
{
    zlay_limits read;
    zlay_status status = limits_read(&read, limits);
    if (status || !ctx) return ZLAY_EINVAL;
    if ((status = zl_enter(ctx))) return status;
    ctx->limits = read;
    return zl_leave(ctx, ZLAY_OK);
}

zlay_status zlay_ctx_limits(zlay_limits *out, const zlay_ctx *ctx)
{
    if (!out || !ctx) return ZLAY_EINVAL;
    *out = ctx->limits;
    return ZLAY_OK;
}

zlay_status zl_enter(zlay_ctx *ctx)
{
    if (!ctx) return ZLAY_EINVAL;
    if (atomic_flag_test_and_set(&ctx->inside)) return ZLAY_EBUSY;
    ctx->message[0] = 0;
    return ZLAY_OK;
}

zlay_status zl_leave(zlay_ctx *ctx, zlay_status status)
{
    atomic_flag_clear(&ctx->inside);
    return status;
}

zlay_status zl_fail(zlay_ctx *ctx, zlay_status status, const char *format, ...)
{
    if (!ctx) return status;
    va_list args;
    va_start(args, format);
    vsnprintf(ctx->message, sizeof ctx->message, format, args);
    va_end(args);
    return status;
}

const zlay_limits *zl_limits(const zlay_ctx *ctx) { return &ctx->limits; }
zlay_allocator zl_allocator(const zlay_ctx *ctx) { return ctx->alloc; }

void *zl_alloc(zlay_ctx *ctx, size_t count, size_t size)
{
    size_t bytes;
    void *ptr = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes))
        ptr = ctx->alloc.alloc(ctx->alloc.user, bytes ? bytes : 1);
    if (ptr) return memset(ptr, 0, bytes);
    zl_fail(ctx, ZLAY_ENOMEM, "no memory for %zu objects of %zu bytes", count, size);
    return NULL;
}

void zl_free(const zlay_allocator *alloc, void *ptr, size_t size)
{
    if (ptr) alloc->free(alloc->user, ptr, size ? size : 1);
}
