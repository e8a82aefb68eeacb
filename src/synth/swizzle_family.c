/* SPDX-License-Identifier: Apache-2.0 */
/* What is not linear over F2. */
#include "synth/swizzle_ask.h"

zlay_status zl_swizzle_family(zlay_swizzle *s, const zl_asked *a)
{
    if (s->layout) return ZLAY_OK;
    return zl_fail(a->ctx, ZLAY_ENOTSUP,
                   "no layout over F2 has these vectors, or the request is not linear over F2");
}
