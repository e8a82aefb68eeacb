/* SPDX-License-Identifier: Apache-2.0 */
/* A heap whose k-th allocation fails, and that knows what is still taken. */
#ifndef TEST_HEAP_H
#define TEST_HEAP_H

#include "test.h"

#include <stdlib.h>

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

#endif
