/* SPDX-License-Identifier: Apache-2.0 */
/* What a ctx has taken from its hooks and not given back: a small object of its own, since what a
 * ctx makes may be freed after it and in another thread.  It lives until the last of that is
 * freed. */
#ifndef ZLAY_BASE_ACCOUNT_H
#define ZLAY_BASE_ACCOUNT_H

#include "base/base.h"

#include <stdatomic.h>

typedef struct zl_account {
    zlay_allocator hooks;
    atomic_uint_fast64_t taken, given; /* bytes, of the account itself too */
} zl_account;

zl_account *zl_account_new(const zlay_allocator *hooks);

/* The ctx ends, and with it the last that is taken. */
void zl_account_end(zl_account *a);

/* Bytes. */
static inline uint64_t zl_account_held(const zl_account *a)
{
    uint64_t given = atomic_load_explicit(&a->given, memory_order_relaxed);
    return atomic_load_explicit(&a->taken, memory_order_relaxed) - given;
}

/* Counts bytes as taken, or as no longer taken, whose memory stays where it is.
 * The ctx's thread alone: no locked instruction. */
static inline void zl_account_take(zl_account *a, uint64_t bytes)
{
    uint64_t taken = atomic_load_explicit(&a->taken, memory_order_relaxed);
    atomic_store_explicit(&a->taken, taken + bytes, memory_order_relaxed);
}

static inline void zl_account_return(zl_account *a, uint64_t bytes)
{
    zl_account_take(a, 0 - bytes);
}

/* What a zlay_allocator calls, its user being the account. */
static inline void *zl_account_alloc(void *user, size_t size)
{
    zl_account *a = user;
    void *ptr = a->hooks.alloc(a->hooks.user, size);
    if (ptr) zl_account_take(a, size);
    return ptr;
}

void zl_account_free(void *user, void *ptr, size_t size);

#endif
