/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/layout/layout.h"

zlay_status zl_swizzle_check(zlay_ctx *ctx, int32_t bits, int32_t base, int32_t shift)
{
    int64_t distance = shift < 0 ? -(int64_t)shift : shift;
    if (bits < 0 || base < 0)
        return zl_fail(ctx, ZLAY_EINVAL, "Sw<%d,%d,%d>: bits and base are 0 or more",
                       (int)bits, (int)base, (int)shift);
    if ((int64_t)bits + base + distance > 62)
        return zl_fail(ctx, ZLAY_EINVAL, "Sw<%d,%d,%d>: bits + base + |shift| is above 62",
                       (int)bits, (int)base, (int)shift);
    if (distance < bits)
        return zl_fail(ctx, ZLAY_EINVAL, "Sw<%d,%d,%d>: |shift| is below bits, so the bits overlap",
                       (int)bits, (int)base, (int)shift);
    return ZLAY_OK;
}

bool zl_swizzle_ends(zl_swizzle s, uint64_t set)
{
    int low = s.base + (s.shift > 0 ? s.shift : 0);
    return !s.bits || (set >> low & set >> (low + s.bits - 1) & 1);
}

/* In the order of bits, distance, base, positive shifts first. */
bool zl_swizzle_next(zl_swizzle *s, int top)
{
    int32_t end = top < 62 ? top : 62, distance = s->shift < 0 ? -s->shift : s->shift;
    if (s->shift > 0) {
        s->shift = -s->shift;
        return true;
    }
    s->base++;
    if (!s->bits || s->bits + distance + s->base > end) {
        s->base = 0;
        distance++;
    }
    if (!s->bits || s->bits + distance > end) distance = ++s->bits;
    s->shift = distance;
    return 2 * s->bits <= end;
}

static zlay_status put_on(zlay_ctx *ctx, zlay_layout **out, zl_swizzle s, const zlay_layout *a)
{
    zl_modes m;
    if (!a || !a->modes || a->swizzle.bits)
        return zl_fail(ctx, ZLAY_EINVAL, "a swizzle is put on a strided layout");
    zlay_status status = zl_swizzle_check(ctx, s.bits, s.base, s.shift);
    if (status) return status;
    zl_modes_begin(&m, ctx);
    m.offset = a->offset;
    status = zl_modes_append(&m, a->mode, a->modes);
    if (!status) status = zl_layout_strided(ctx, out, &m, s);
    zl_modes_end(&m);
    return status;
}

zlay_status zl_layout_new_swizzled(zlay_ctx *ctx, zlay_layout **out, zl_swizzle s,
                                   const zlay_layout *a)
{
    zl_mark mark = zl_enter_part(ctx);
    *out = NULL;
    return zl_leave_part(ctx, mark, put_on(ctx, out, s, a));
}

zlay_status zlay_layout_new_swizzled(zlay_ctx *ctx, zlay_layout **out, int32_t bits, int32_t base,
                                     int32_t shift, const zlay_layout *a)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status
                  : zl_leave(ctx, put_on(ctx, out, (zl_swizzle){bits, base, shift}, a));
}
