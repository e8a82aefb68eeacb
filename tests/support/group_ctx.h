/* SPDX-License-Identifier: Apache-2.0 */
/* The ctx of a program's only group of tests, its setup and its teardown. */
#ifndef TEST_GROUP_CTX_H
#define TEST_GROUP_CTX_H

#include "test.h"

#include <zlay/base.h>

static zlay_ctx *ctx;

static inline int open_ctx(void **state)
{
    (void)state;
    return zlay_ctx_new(&ctx, NULL, NULL);
}

static inline int close_ctx(void **state)
{
    (void)state;
    zlay_ctx_free(ctx);
    return 0;
}

#endif
