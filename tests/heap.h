/* SPDX-License-Identifier: Apache-2.0 */
/* A heap whose k-th allocation fails, and that knows what is still taken. */
#ifndef TEST_HEAP_H
#define TEST_HEAP_H

#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <zlay/base.h>

typedef struct heap {
    size_t live, calls, fails_at; /* the call that fails; 0: none */
} heap;

static inline void *heap_take(void *user, size_t size)
{
    heap *h = user;
    if (++h->calls == h->fails_at) return NULL;
    h->live += size;
    return malloc(size);
}

static inline void heap_give(void *user, void *ptr, size_t size)
{
    heap *h = user;
    assert_true(h->live >= size);
    h->live -= size;
    free(ptr);
}

static inline zlay_ctx *heap_ctx(heap *h)
{
    zlay_allocator hooks = {h, heap_take, heap_give};
    zlay_ctx *ctx = NULL;
    *h = (heap){0, 0, 0};
    assert_int_equal(zlay_ctx_new(&ctx, &hooks, NULL), ZLAY_OK);
    return ctx;
}

/* What is asked of a context; it frees what it was given, and looks at what is no status. */
typedef zlay_status heap_work(zlay_ctx *ctx, void *given);

/* The k-th allocation of the work fails, for every k until there is none: each time it is ENOMEM,
 * and what was taken before is all that is taken.  What the work answers with all memory. */
static inline zlay_status heap_each(heap *h, zlay_ctx *ctx, heap_work *work, void *given)
{
    size_t live = h->live, k = 0;
    zlay_status status = ZLAY_ENOMEM;
    while (status == ZLAY_ENOMEM) {
        h->calls = 0;
        h->fails_at = ++k;
        status = work(ctx, given);
        if ((h->calls >= k) != (status == ZLAY_ENOMEM))
            fail_msg("allocation %zu of %zu fails: %s", k, h->calls, zlay_status_name(status));
        if (h->live != live) fail_msg("allocation %zu fails: %zu bytes, not %zu", k, h->live, live);
    }
    h->fails_at = 0;
    return status;
}

static inline void heap_end(heap *h, zlay_ctx *ctx)
{
    zlay_ctx_free(ctx);
    assert_int_equal(h->live, 0);
}

#endif
