/* SPDX-License-Identifier: Apache-2.0 */
/* A context: memory hooks, limits, what the running call has used of them, and the text of the
 * last failure.  Memory is taken from its account. */
#include "base/blocks.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct zlay_ctx {
    zlay_allocator alloc; /* of the account: what objects keep a copy of */
    zl_block_list scratch;
    zl_mark entered; /* of scratch, where the running call began */
    zlay_limits limits, ceilings;
    uint64_t work, held, asked; /* steps of this call; bytes held before it; what a limit refused */
    size_t ended;               /* the limit that ended the call, or ZL_LIMITS */
    bool starved;               /* an allocation of the call failed: the hooks had no memory */
    bool as_one;                /* calls count as one with those before (zl_count_as_one) */
    bool refused;               /* a limit refused a text of the last call */
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

/* ---- contexts --------------------------------------------------------------- */

static zlay_status limits_take(zlay_limits *out, const zlay_limits *given,
                               const zlay_limits *ceilings, size_t *above)
{
    zlay_status status = zl_limits_read(out, given);
    if (status) return status;
    zl_limits_complete(out, ceilings);
    *above = zl_limits_above(out, ceilings);
    return *above == ZL_LIMITS ? ZLAY_OK : ZLAY_ELIMIT;
}

zlay_status zlay_ctx_new(zlay_ctx **out, const zlay_allocator *alloc, const zlay_limits *limits)
{
    zlay_allocator hooks = {NULL, default_alloc, default_free};
    zlay_limits read, most = zl_limits_most();
    size_t above;
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (alloc && (!alloc->alloc) != (!alloc->free)) return ZLAY_EINVAL;
    if (alloc && alloc->alloc) hooks = *alloc;
    zlay_status status = limits_take(&read, limits, &most, &above);
    if (status) return status;
    zl_account *a = zl_account_new(&hooks);
    zlay_ctx *ctx = a ? zl_account_alloc(a, sizeof *ctx) : NULL;
    if (!ctx && a) zl_account_end(a);
    if (!ctx) return ZLAY_ENOMEM;
    *ctx = (zlay_ctx){.alloc = {a, zl_account_alloc, zl_account_free},
                      .limits = read,
                      .ceilings = most,
                      .ended = ZL_LIMITS,
                      .scratch = {.account = a, .keeps = hooks.free == default_free}};
    atomic_flag_clear(&ctx->inside);
    *out = ctx;
    return ZLAY_OK;
}

void zlay_ctx_free(zlay_ctx *ctx)
{
    if (!ctx) return;
    zl_account *a = ctx->alloc.user;
    zl_blocks_free(&ctx->scratch);
    zl_account_free(a, ctx, sizeof *ctx);
    zl_account_end(a);
}

const char *zlay_ctx_message(const zlay_ctx *ctx) { return ctx ? ctx->message : ""; }

zlay_status zl_above(zlay_ctx *ctx, size_t limit, uint64_t asked)
{
    return zl_fail(ctx, ZLAY_ELIMIT, "limits.%s: %llu is above its ceiling, %llu",
                   zlay_limit_nth(limit)->name, (unsigned long long)asked,
                   (unsigned long long)zl_limit_get(&ctx->ceilings, limit));
}

zlay_status zlay_ctx_set_limits(zlay_ctx *ctx, const zlay_limits *limits)
{
    zlay_limits read;
    size_t above = ZL_LIMITS;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = limits_take(&read, limits, &ctx->ceilings, &above);
    if (!status) ctx->limits = read;
    if (above != ZL_LIMITS) zl_above(ctx, above, zl_limit_get(&read, above));
    return zl_leave(ctx, status);
}

zlay_status zlay_ctx_set_ceilings(zlay_ctx *ctx, const zlay_limits *ceilings)
{
    zlay_limits read, most = zl_limits_most();
    size_t above = ZL_LIMITS;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_limits former = ctx->ceilings;
    ctx->ceilings = most;
    status = ceilings ? limits_take(&read, ceilings, &most, &above) : ZLAY_OK;
    if (above != ZL_LIMITS) zl_above(ctx, above, zl_limit_get(&read, above));
    ctx->ceilings = status ? former : ceilings ? read : most;
    for (size_t i = 0; !status && i < ZL_LIMITS; i++) {
        uint64_t ceiling = zl_limit_get(&ctx->ceilings, i);
        if (zl_limit_get(&ctx->limits, i) > ceiling) zl_limit_set(&ctx->limits, i, ceiling);
    }
    return zl_leave(ctx, status);
}

zlay_status zlay_ctx_limits(zlay_limits *out, const zlay_ctx *ctx)
{
    if (!out || !ctx) return ZLAY_EINVAL;
    *out = ctx->limits;
    return ZLAY_OK;
}

zlay_status zlay_ctx_ceilings(zlay_limits *out, const zlay_ctx *ctx)
{
    if (!out || !ctx) return ZLAY_EINVAL;
    *out = ctx->ceilings;
    return ZLAY_OK;
}

static void count_anew(zlay_ctx *ctx)
{
    ctx->work = 0;
    ctx->ended = ZL_LIMITS;
    ctx->starved = false;
    ctx->held = zl_account_held(ctx->alloc.user);
}

zlay_status zl_enter(zlay_ctx *ctx)
{
    if (!ctx) return ZLAY_EINVAL;
    if (atomic_flag_test_and_set_explicit(&ctx->inside, memory_order_acquire)) return ZLAY_EBUSY;
    ctx->entered = zl_enter_part(ctx);
    if (!ctx->as_one) count_anew(ctx);
    return ZLAY_OK;
}

zl_mark zl_enter_part(zlay_ctx *ctx)
{
    ctx->message[0] = 0;
    ctx->refused = false;
    return zl_scratch_mark(ctx);
}

/* A limit or a failed allocation has ended the call: what its searches found is no answer. */
static bool over(const zlay_ctx *ctx) { return ctx->starved || ctx->ended != ZL_LIMITS; }

zlay_status zl_ended(zlay_ctx *ctx, zlay_status status)
{
    static const char none[] = "no memory";
    if (status != ZLAY_ENOMEM) return status;
    if (ctx->starved && strncmp(ctx->message, none, sizeof none - 1))
        return zl_fail(ctx, status, "%s: an allocation of this call failed", none);
    if (ctx->ended == ZL_LIMITS) return status;
    unsigned long long most = (unsigned long long)zl_limit_get(&ctx->limits, ctx->ended);
    return zl_fail(ctx, ZLAY_ELIMIT, "limits.%s is %llu %s and %llu are asked for",
                   zlay_limit_nth(ctx->ended)->name, most, zlay_limit_nth(ctx->ended)->unit,
                   (unsigned long long)ctx->asked);
}

/* What a status means where a limit or failing memory ended the search. */
static zlay_status judged(zlay_ctx *ctx, zlay_status status)
{
    bool proved = status == ZLAY_NONE;
    return (proved && over(ctx)) || status == ZLAY_ENOMEM ? zl_ended(ctx, ZLAY_ENOMEM) : status;
}

zlay_status zl_leave_part(zlay_ctx *ctx, zl_mark mark, zlay_status status)
{
    if (status) status = judged(ctx, status);
    zl_scratch_release(ctx, mark);
    return status;
}

static zlay_status leave_ended(zlay_ctx *ctx, zl_mark mark, zlay_answer *answer)
{
    bool ended = ctx->ended != ZL_LIMITS;
    zlay_status status = zl_leave_part(ctx, mark, ZLAY_ENOMEM);
    if (ended) *answer = ZLAY_UNDECIDED;
    return ended ? ZLAY_OK : status;
}

zlay_status zl_leave_part_answer(zlay_ctx *ctx, zl_mark mark, zlay_status status,
                                 zlay_answer *answer)
{
    if (over(ctx)) return leave_ended(ctx, mark, answer);
    return status || ctx->scratch.last ? zl_leave_part(ctx, mark, status) : ZLAY_OK;
}

static zlay_status outside(zlay_ctx *ctx, zlay_status status)
{
    atomic_flag_clear_explicit(&ctx->inside, memory_order_release);
    return status;
}

zlay_status zl_leave(zlay_ctx *ctx, zlay_status status)
{
    if (status || ctx->scratch.last) status = zl_leave_part(ctx, ctx->entered, status);
    return outside(ctx, status);
}

zlay_status zl_leave_answer(zlay_ctx *ctx, zlay_status status, zlay_answer *answer)
{
    return outside(ctx, zl_leave_part_answer(ctx, ctx->entered, status, answer));
}

zlay_status zl_whole(const zlay_ctx *ctx, zlay_status status)
{
    return over(ctx) ? ZLAY_ENOMEM : status;
}

zlay_status zl_of_input(zlay_ctx *ctx, zlay_status status)
{
    bool ended = status == ZLAY_ENOMEM && ctx->ended != ZL_LIMITS;
    ctx->refused = ctx->refused || ended || status == ZLAY_ELIMIT;
    return status;
}

bool zl_refused_input(const zlay_ctx *ctx) { return ctx->refused; }

void zl_count_as_one(zlay_ctx *ctx)
{
    count_anew(ctx);
    ctx->as_one = true;
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
const zlay_limits *zl_ceilings(const zlay_ctx *ctx) { return &ctx->ceilings; }
zlay_allocator zl_allocator(const zlay_ctx *ctx) { return ctx->alloc; }

/* ---- what a call uses ------------------------------------------------------- */

static bool end_by(zlay_ctx *ctx, size_t limit, uint64_t asked)
{
    ctx->ended = limit;
    ctx->asked = asked;
    return false;
}

static bool work_left(zlay_ctx *ctx, uint64_t steps)
{
    if (over(ctx)) return false;
    if (!zl_uadd(ctx->work, steps, &ctx->work)) ctx->work = UINT64_MAX;
    return ctx->work <= ctx->limits.work || end_by(ctx, ZL_LIMIT_work, ctx->work);
}

zlay_status zl_charge(zlay_ctx *ctx, uint64_t steps)
{
    return work_left(ctx, steps) ? ZLAY_OK : ZLAY_ENOMEM;
}

uint64_t zl_work_left(const zlay_ctx *ctx)
{
    bool none = over(ctx) || ctx->work >= ctx->limits.work;
    return none ? 0 : ctx->limits.work - ctx->work;
}

/* Bytes held may fall below what was held when the call began: other threads free. */
static bool memory_left(zlay_ctx *ctx, uint64_t bytes)
{
    uint64_t now = zl_account_held(ctx->alloc.user), own = now > ctx->held ? now - ctx->held : 0;
    if (!zl_uadd(own, bytes, &own)) own = UINT64_MAX;
    return own <= ctx->limits.memory || end_by(ctx, ZL_LIMIT_memory, own);
}

/* Steps of an allocation: of the call itself, and of so many bytes that are zeroed. */
enum { STEPS_ALLOC = 8, BYTES_STEP = 32 };

static inline bool granted(zlay_ctx *ctx, uint64_t held_more, size_t bytes)
{
    return memory_left(ctx, held_more) && work_left(ctx, STEPS_ALLOC + bytes / BYTES_STEP);
}

static void *no_memory(zlay_ctx *ctx, uint64_t count, size_t size)
{
    ctx->starved = ctx->ended == ZL_LIMITS;
    zl_fail(ctx, ZLAY_ENOMEM, "no memory for %llu objects of %zu bytes",
            (unsigned long long)count, size);
    zl_ended(ctx, ZLAY_ENOMEM);
    return NULL;
}

void *zl_alloc_plain(zlay_ctx *ctx, uint64_t count, size_t size)
{
    size_t bytes;
    void *ptr = NULL;
    if (__builtin_mul_overflow(count, size, &bytes)) bytes = SIZE_MAX;
    if (granted(ctx, bytes, bytes)) ptr = zl_account_alloc(ctx->alloc.user, bytes ? bytes : 1);
    return ptr ? ptr : no_memory(ctx, count, size);
}

void *zl_alloc(zlay_ctx *ctx, uint64_t count, size_t size)
{
    void *ptr = zl_alloc_plain(ctx, count, size);
    return ptr ? memset(ptr, 0, (size_t)count * size) : NULL;
}

void zl_free(const zlay_allocator *alloc, void *ptr, size_t size)
{
    if (ptr) alloc->free(alloc->user, ptr, size ? size : 1);
}

/* ---- working memory ---------------------------------------------------------- */

zl_mark zl_scratch_mark(const zlay_ctx *ctx) { return zl_blocks_mark(&ctx->scratch); }
void zl_scratch_release(zlay_ctx *ctx, zl_mark mark) { zl_blocks_release(&ctx->scratch, mark); }

void *zl_scratch_plain(zlay_ctx *ctx, uint64_t count, size_t size)
{
    const size_t unit = _Alignof(max_align_t);
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 4) bytes = SIZE_MAX / 4;
    size_t whole = (bytes + !bytes + unit - 1) / unit * unit;
    uint64_t more = zl_blocks_fit(&ctx->scratch, whole) ? 0 : whole;
    void *ptr = granted(ctx, more, bytes) ? zl_blocks_take(&ctx->scratch, whole) : NULL;
    return ptr ? ptr : no_memory(ctx, count, size);
}

void *zl_scratch(zlay_ctx *ctx, uint64_t count, size_t size)
{
    void *ptr = zl_scratch_plain(ctx, count, size);
    return ptr ? memset(ptr, 0, (size_t)count * size) : NULL;
}
