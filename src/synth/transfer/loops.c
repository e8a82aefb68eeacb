/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the loops of a transfer: the common refinement of the modes of source and destination,
 * reordered, merged where both sides continue, and proved equal to the request. */
#include "algebra/decide/decide.h"
#include "algebra/ops/cute.h"
#include "algebra/decide/certificate.h"
#include "synth/transfer/transfer.h"
#include "base/arith.h"

#include <string.h>
#include <zlay/decide.h>

/* Modes of one side, of which a part of the first may be used up. */
typedef struct cursor {
    const zl_mode *at, *end;
    int64_t shape, stride; /* what is left of the first */
} cursor;

static cursor cursor_of(const zlay_layout *a)
{
    return (cursor){a->mode, a->mode + a->modes, a->mode->shape, a->mode->stride};
}

static void take(cursor *c, int64_t extent)
{
    c->shape /= extent;
    if (extent > 1) c->stride *= extent;
}

static void skip_ones(cursor *c)
{
    while (c->shape == 1 && ++c->at < c->end) {
        c->shape = c->at->shape;
        c->stride = c->at->stride;
    }
}

/* False where the modes have no common refinement, or too fine a one. */
static bool refine(zlay_transfer *t, const zlay_layout *source, const zlay_layout *dest)
{
    if (!source->modes || !dest->modes) return false;
    cursor from = cursor_of(source), to = cursor_of(dest);
    int64_t index = 1;
    for (skip_ones(&from), skip_ones(&to); from.at < from.end && to.at < to.end;
         skip_ones(&from), skip_ones(&to)) {
        int64_t extent = from.shape < to.shape ? from.shape : to.shape;
        if (from.shape % extent || to.shape % extent || t->loops == ZL_LOOPS) return false;
        t->loop[t->loops++] = (zl_loop){extent, from.stride, to.stride, index};
        index *= extent;
        take(&from, extent);
        take(&to, extent);
    }
    if (!t->loops) t->loop[t->loops++] = (zl_loop){1, 1, 1, 1};
    return true;
}

/* One loop over the index, of which each side makes its offset alone. */
static zlay_status keep_apart(zlay_ctx *ctx, zlay_transfer *t, const zlay_transfer_request *r)
{
    t->loops = 1;
    t->loop[0] = (zl_loop){(int64_t)r->source->size, 0, 0, 1};
    zlay_status status = zl_layout_copy(ctx, &t->apart[ZL_FROM], r->source);
    return status ? status : zl_layout_copy(ctx, &t->apart[ZL_TO], r->dest);
}

/* Least destination stride first, so that neighbours are stored together. */
static void sort(zlay_transfer *t)
{
    for (uint32_t i = 1; i < t->loops; i++)
        for (uint32_t j = i; j && zl_magnitude(t->loop[j].to) < zl_magnitude(t->loop[j - 1].to);
             j--) {
            zl_loop swap = t->loop[j];
            t->loop[j] = t->loop[j - 1];
            t->loop[j - 1] = swap;
        }
}

static bool goes_on(const zl_loop *a, const zl_loop *b)
{
    int64_t from, to;
    return zl_mul(a->from, a->extent, &from) && zl_mul(a->to, a->extent, &to) &&
           b->from == from && b->to == to;
}

/* A merged loop keeps the colexicographic index, not the request's, which `order` has. */
static void merge(zlay_transfer *t)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < t->loops; i++) {
        if (goes_on(&t->loop[count], &t->loop[i])) t->loop[count].extent *= t->loop[i].extent;
        else t->loop[++count] = t->loop[i];
    }
    t->loops = count + 1;
}

static int64_t stride_of(const zl_loop *loop, int what)
{
    return what == ZL_FROM ? loop->from : what == ZL_TO ? loop->to : loop->index;
}

zlay_status zl_transfer_layout(zlay_ctx *ctx, zlay_layout **out, const zlay_transfer *t, int what)
{
    static const zl_transfer_side plain;
    if (what != ZL_INDEX && t->apart[what]) return zl_layout_copy(ctx, out, t->apart[what]);
    const zl_transfer_side *side = what == ZL_FROM ? &t->from : what == ZL_TO ? &t->to : &plain;
    zlay_status status = ZLAY_OK;
    zl_modes m;
    zl_modes_begin(&m, ctx);
    m.offset = side->offset;
    for (uint32_t i = 0; !status && i < t->loops; i++)
        status = zl_modes_leaf(&m, t->loop[i].extent, stride_of(&t->loop[i], what));
    if (t->loops > 1) zl_modes_wrap(&m, 0);
    if (!status) status = zl_layout_strided(ctx, out, &m, side->swizzle);
    zl_modes_end(&m);
    return status;
}

static zlay_status certify(zlay_ctx *ctx, zlay_transfer *t, const zlay_transfer_request *r)
{
    zlay_answer answer = ZLAY_NO;
    const zlay_layout *const asked[] = {[ZL_FROM] = r->source, [ZL_TO] = r->dest};
    zlay_status status = zl_layout_is_bijective(ctx, &answer, NULL, t->order);
    status = zl_certificate_claim(ctx, status, answer, 0);
    for (int i = 0; !status && i < 2; i++) {
        zlay_layout **pair = t->certificate[i];
        status = zl_transfer_layout(ctx, &pair[0], t, i);
        if (!status) status = zl_layout_compose(ctx, &pair[1], asked[i], t->order);
        if (!status) status = zl_certificate_equal(ctx, pair[0], pair[1], i + 1);
    }
    return status;
}

zlay_status zl_transfer_loops(zlay_ctx *ctx, zlay_transfer *t, const zlay_transfer_request *r,
                              const zlay_transfer_request *asked)
{
    zlay_status status =
        refine(t, r->source, r->dest) ? ZLAY_OK : keep_apart(ctx, t, r);
    if (status) return status;
    sort(t);
    status = zl_transfer_layout(ctx, &t->order, t, ZL_INDEX);
    if (!status && !t->apart[0]) merge(t);
    return status ? status : certify(ctx, t, asked);
}
