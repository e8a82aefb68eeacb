/* SPDX-License-Identifier: Apache-2.0 */
/* Any layout as pieces: applied to the coordinates of its own box. */
#include "algebra/find/finish.h"
#include <zlay/pieces.h>

static zlay_status lift(zl_draft *d, zlay_layout **out, const zlay_layout *a)
{
    zl_quasi *at;
    size_t count;
    zlay_status status = zl_draft_coordinates(d, &at, &count);
    if (!status) status = zl_draft_outs(d, a);
    if (!status) status = zl_draft_apply(d, a, at, count);
    return status ? status : zl_draft_layout(d, out, a->partial);
}

zlay_status zl_lift(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zl_draft *d;
    zl_mark mark = zl_scratch_mark(ctx);
    if (zl_is_pieces(a)) return zl_layout_copy(ctx, out, a);
    zlay_status status = zl_draft_of(ctx, &d, a);
    if (!status) status = lift(d, out, a);
    zl_scratch_release(ctx, mark);
    return status;
}

zlay_status zlay_layout_lift(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zlay_status status = zl_enter_layout(ctx, out);
    if (status) return status;
    status = a ? zl_lift(ctx, out, a) : zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    return zl_leave(ctx, status);
}
