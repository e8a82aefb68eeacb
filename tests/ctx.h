/* SPDX-License-Identifier: Apache-2.0 */
/* A context as the state of a test, or of a group of them. */
#ifndef TEST_CTX_H
#define TEST_CTX_H

#include "test.h"

#include <zlay/base.h>

static inline int begin(void **state) { return zlay_ctx_new((zlay_ctx **)state, NULL, NULL); }

static inline int end(void **state)
{
    zlay_ctx_free(*state);
    return 0;
}

#endif
