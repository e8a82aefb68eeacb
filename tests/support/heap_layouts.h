/* SPDX-License-Identifier: Apache-2.0 */
/* The allocations of an operation on one layout or two fail one after the other. */
#ifndef TEST_HEAP_LAYOUTS_H
#define TEST_HEAP_LAYOUTS_H

#include "ctx.h"
#include "heap.h"

/* What the work of heap_fails_each is given: the test's row, and layouts, NULL where there is no text. */
typedef struct operands {
    size_t row;
    zlay_layout *a, *b;
} operands;

/* As heap_fails_each, in a ctx of its own. */
static inline zlay_status layouts_fail_each(heap *h, const zlay_limits *limits, heap_work *work,
                                            size_t row, const char *a, const char *b)
{
    zlay_ctx *ctx = heap_open(h, limits);
    operands of = {row, read_layout(ctx, a), read_layout(ctx, b)};
    zlay_status status = heap_fails_each(h, ctx, work, &of);
    zlay_layout_free(of.b);
    zlay_layout_free(of.a);
    heap_close(h, ctx);
    return status;
}

#endif
