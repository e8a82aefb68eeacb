/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on one or two layouts as calls of one form. */
#ifndef TEST_CALL_H
#define TEST_CALL_H

#include "layouts/layout.h"

#include <zlay/pieces.h>

typedef zlay_status call(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                         const zlay_layout *b);

static inline zlay_status flip(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_layout *b)
{
    (void)b;
    return zlay_layout_flip(ctx, out, a, 0);
}

static inline zlay_status zeros(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const zlay_layout *b)
{
    zlay_pad by = {0, 1, 2, ZLAY_PAD_ZERO, 0};
    (void)b;
    return zlay_layout_pad(ctx, out, a, &by);
}

static inline zlay_status concat(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                 const zlay_layout *b)
{
    return zlay_layout_concat(ctx, out, a, b, 0);
}

#endif
