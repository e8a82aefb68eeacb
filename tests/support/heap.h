/* SPDX-License-Identifier: Apache-2.0 */
/* A heap whose k-th allocation fails, and that knows what is still taken. */
#ifndef TEST_HEAP_H
#define TEST_HEAP_H

#include "test.h"

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

static inline zlay_ctx *heap_open(heap *h, const zlay_limits *limits)
{
    zlay_allocator hooks = {h, heap_take, heap_give};
    zlay_ctx *ctx = NULL;
    *h = (heap){0};
    assert_int_equal(zlay_ctx_new(&ctx, &hooks, limits), ZLAY_OK);
    return ctx;
}

static inline void heap_close(heap *h, zlay_ctx *ctx)
{
    zlay_ctx_free(ctx);
    assert_int_equal(h->live, 0);
}

typedef zlay_status heap_work(zlay_ctx *ctx, void *given);

/* Work with one allocation after the other failing, until none does: as long as one fails it
 * answers ENOMEM, and it keeps nothing either way.  What it answers with all memory; h->calls is
 * then how many allocations it takes. */
static inline zlay_status heap_fails_each(heap *h, zlay_ctx *ctx, heap_work *work, void *given)
{
    size_t live = h->live;
    zlay_status status = ZLAY_ENOMEM;
    for (size_t k = 1; status == ZLAY_ENOMEM; k++) {
        h->calls = 0;
        h->fails_at = k;
        status = work(ctx, given);
        if ((status == ZLAY_ENOMEM) != (h->calls >= k))
            fail_msg("call %zu of %zu fails: %s", k, h->calls, zlay_status_name(status));
        assert_int_equal(h->live, live);
    }
    h->fails_at = 0;
    return status;
}

#endif
