/* SPDX-License-Identifier: Apache-2.0 */
/* The ctx's thread alone changes what is taken, any thread to what is given back.  When the ctx
 * ends, all that was taken is subtracted from what was given: who then meets 0 gave the last. */
#include "base/account.h"

/* While the ctx lives its own bytes are owed, and `given` is above 0; afterwards it is what is
 * still owed, below 0 modulo 2^64. Who gives the last frees the account; anybody else must not
 * look at it once the sum is made. */
static void give(zl_account *a, uint64_t bytes)
{
    zlay_allocator hooks = a->hooks;
    uint64_t given = atomic_fetch_add_explicit(&a->given, bytes, memory_order_acq_rel) + bytes;
    if (!given) hooks.free(hooks.user, a, sizeof *a);
}

void zl_account_end(zl_account *a)
{
    uint64_t taken = atomic_load_explicit(&a->taken, memory_order_relaxed);
    give(a, sizeof *a - taken);
}

void zl_account_free(void *user, void *ptr, size_t size)
{
    zl_account *a = user;
    a->hooks.free(a->hooks.user, ptr, size);
    give(a, size);
}

zl_account *zl_account_new(const zlay_allocator *hooks)
{
    zl_account *a = hooks->alloc(hooks->user, sizeof *a);
    if (!a) return NULL;
    a->hooks = *hooks;
    atomic_init(&a->taken, sizeof *a);
    atomic_init(&a->given, 0);
    return a;
}
