/* SPDX-License-Identifier: Apache-2.0 */
#include "synth/swizzle_ask.h"
zlay_status zl_swizzle_family(zlay_swizzle *s, const zl_asked *a)
{
    return s->layout ? ZLAY_OK : zl_fail(a->ctx, ZLAY_ENOTSUP, "no");
}
