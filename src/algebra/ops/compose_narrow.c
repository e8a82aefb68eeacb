/* SPDX-License-Identifier: Apache-2.0 */
/* CuTe's composition of plain layouts of small numbers, which is nearly every composition inside a
 * kernel.  Products of such numbers fit 64 bits, so none is checked.  A mode of b starts in the
 * mode of a whose weight, the product of the extents before it, is the last that the mode's stride
 * reaches: comparisons find it, where CuTe divides by one extent after the other.  Where each mode
 * of b stays within one of a's, a need not be coalesced; else a second turn does that.  Whatever is
 * unusual is left to compose_cute.c, which gives the same layouts. */
#include "algebra/ops/compose.h"

#include <string.h>

enum { MODES = 8, USUAL = 4, SPREAD = 16, LEAVES = SPREAD + MODES };

/* Sizes, extents, strides and indices are below, so no value reaches 2^62. */
#define SMALL ((uint64_t)1 << 30)

/* The modes of a, coalesced or not.  Mode i takes the indices that are multiples of weight[i] below
 * weight[i + 1]; behind the last mode, which goes on for ever, that is SMALL.  `used` is the
 * greatest index of what is placed on the mode: while it is below the next weight, the sum of the
 * parts of an index carries nothing, and what a gives for the index is the sum of what it gives for
 * the parts. */
typedef struct narrow {
    size_t last;
    bool coalesced;
    uint64_t weight[MODES + 1], used[MODES];
    int64_t stride[MODES];
} narrow;

static inline bool is_small(uint64_t stride) { return stride + SMALL < 2 * SMALL; }

static inline void begin(narrow *n, bool coalesced)
{
    n->coalesced = coalesced;
    n->weight[0] = 1;
    for (size_t i = 1; i <= MODES; i++) n->weight[i] = SMALL;
    memset(n->used, 0, sizeof n->used);
}

/* The modes as they are; false: a stride is large. */
static inline bool take(narrow *n, const zl_mode *mode, size_t count)
{
    uint64_t points = 1;
    bool small = true;
    begin(n, false);
    for (size_t i = 0; i < count; i++) {
        n->weight[i] = points;
        n->stride[i] = mode[i].stride;
        points *= (uint64_t)mode[i].shape;
        small &= is_small((uint64_t)mode[i].stride);
    }
    n->last = count - 1;
    return small;
}

/* A mode that goes on where the one before ends is joined to it, and extents of 1 are left out but
 * for the last mode's.  `end` is the stride at which the next mode goes on.  Nothing branches, as
 * no processor could predict it. */
static void coalesce(narrow *n, const zl_mode *mode, size_t count)
{
    uint64_t shape = (uint64_t)mode->shape, stride = (uint64_t)mode->stride;
    uint64_t points = shape, weight = 1, end = shape * stride;
    size_t slot = 0;
    begin(n, true);
    n->stride[0] = mode->stride;
    for (size_t i = 1; i < count; i++) {
        uint64_t extent = (uint64_t)mode[i].shape, next = (uint64_t)mode[i].stride;
        uint64_t skips = (extent == 1) & (i + 1 < count), joins = (next == end) | skips;
        slot += !joins;
        stride = next ^ ((stride ^ next) & -joins);
        weight = points ^ ((weight ^ points) & -joins);
        end = (extent * next) ^ ((end ^ (extent * next)) & -skips);
        points *= extent;
        n->weight[slot] = weight;
        n->stride[slot] = (int64_t)stride;
    }
    n->last = slot;
}

/* The mode of a that a stride falls into. */
static inline size_t mode_of(const narrow *n, uint64_t stride)
{
    size_t i = 0;
    for (size_t k = 1; k < USUAL; k++) i += stride >= n->weight[k];
    for (size_t k = USUAL; k <= n->last; k++) i += stride >= n->weight[k];
    return i;
}

/* Put `count` steps on a mode of a; false where they leave it. */
static inline bool place(narrow *n, zl_mode *out, size_t mode, uint32_t count, uint32_t step)
{
    n->used[mode] += n->weight[mode] * step * (count - 1);
    *out = (zl_mode){count, step * n->stride[mode], 0, 0};
    return n->used[mode] < n->weight[mode + 1];
}

/* A mode of b that goes on over several modes of a or has the extent 1: one past its last leaf, or
 * NULL where CuTe's composition is not defined, or is this function only by a proof. */
static __attribute__((noinline)) zl_mode *spread(narrow *n, zl_mode *out, size_t i, uint32_t shape,
                                                 uint32_t step)
{
    const zl_mode *first = out;
    for (; i < n->last && (shape > 1 || step > 1); i++, step = 1) {
        uint32_t extent = (uint32_t)n->weight[i + 1] / (uint32_t)n->weight[i];
        uint32_t count = extent / step + (extent % step != 0);
        if (count > shape) count = shape;
        if (shape % count) return NULL;
        if (shape > 1 && !place(n, out++, i, count, step)) return NULL;
        shape /= count;
        if (shape > 1 && extent % step) return NULL;
    }
    if ((shape > 1 || out == first) && !place(n, out++, n->last, shape, step)) return NULL;
    return out;
}

static zl_mode *compose_long(narrow *n, zl_mode *out, size_t i, const zl_mode *b, uint32_t step)
{
    if (!n->coalesced) return NULL;
    zl_mode *end = spread(n, out, i, (uint32_t)b->shape, step);
    if (!end) return NULL;
    bool several = end > out + 1;
    out->open = b->open + several;
    end[-1].close = b->close + several;
    return end;
}

/* Mostly the mode of a is the first, or is taken element by element. */
static inline uint64_t step_of(uint64_t stride, uint64_t weight)
{
    if (stride == weight) return 1;
    return weight == 1 ? stride : (uint32_t)stride / (uint32_t)weight;
}

/* The usual mode stays within one of a's. */
static inline zl_mode *compose_mode(narrow *n, zl_mode *out, const zl_mode *b)
{
    uint64_t shape = (uint64_t)b->shape, stride = (uint64_t)b->stride;
    if ((shape | stride) >= SMALL) return NULL;
    size_t i = mode_of(n, stride);
    uint64_t step = step_of(stride, n->weight[i]), used = n->used[i] + stride * (shape - 1);
    if (step * n->weight[i] != stride) return NULL;
    if (shape < 2 || used >= n->weight[i + 1]) return compose_long(n, out, i, b, (uint32_t)step);
    n->used[i] = used;
    *out = (zl_mode){b->shape, (int64_t)step * n->stride[i], b->open, b->close};
    return out + 1;
}

/* One past the last leaf, or NULL. */
static inline zl_mode *compose_modes(narrow *n, zl_mode *leaf, const zl_mode *mode, size_t modes)
{
    const zl_mode *room = leaf + SPREAD - n->last, *end = mode + modes;
    for (; mode < end && leaf; mode++)
        leaf = leaf < room ? compose_mode(n, leaf, mode) : NULL;
    return leaf;
}

static inline bool may_be_narrow(zlay_ctx *ctx, const zlay_layout *a, const zlay_layout *b)
{
    if (!zl_is_plain(a) || !zl_is_plain(b)) return false;
    return a->modes <= MODES && b->modes <= MODES && a->size < SMALL &&
           zl_limits(ctx)->dims >= LEAVES;
}

zlay_status zl_compose_narrow(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const zlay_layout *b)
{
    narrow n;
    zl_mode leaf[LEAVES];
    if (!may_be_narrow(ctx, a, b) || !take(&n, a->mode, a->modes)) return ZLAY_NONE;
    zl_mode *end = compose_modes(&n, leaf, b->mode, b->modes);
    if (!end) {
        coalesce(&n, a->mode, a->modes);
        end = compose_modes(&n, leaf, b->mode, b->modes);
    }
    return end ? zl_layout_plain(ctx, out, leaf, (size_t)(end - leaf), b->size) : ZLAY_NONE;
}
