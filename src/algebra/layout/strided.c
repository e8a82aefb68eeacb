/* SPDX-License-Identifier: Apache-2.0 */
/* The kind of strided and swizzled layouts: a value is the offset plus the sum of coordinate times
 * stride, moved by the swizzle, which of a strided layout is the identity.  Where the extents are
 * powers of two and no sum carries, that is an affine map over F2. */
#include "algebra/layout/layout.h"
#include "algebra/layout/eval_many.h"

/* ---- making ------------------------------------------------------------------------- */

static zlay_status strided_check(zlay_ctx *ctx, const zl_modes *m, uint64_t *size)
{
    int64_t least, greatest;
    *size = 1;
    for (size_t i = 0; i < m->count; i++) {
        if (m->at[i].shape < 1)
            return zl_fail(ctx, ZLAY_EINVAL, "extent %lld of mode %zu is below 1",
                           (long long)m->at[i].shape, i);
        if (!zl_umul(*size, (uint64_t)m->at[i].shape, size))
            return zl_fail(ctx, ZLAY_EOVERFLOW, "the size does not fit 64 bits, from mode %zu on",
                           i);
    }
    if (!zl_modes_range(m->at, m->count, m->offset, &least, &greatest))
        return zl_fail(ctx, ZLAY_EOVERFLOW, "a value of the layout does not fit 64 bits");
    return ZLAY_OK;
}

zlay_status zl_layout_strided(zlay_ctx *ctx, zlay_layout **out, const zl_modes *m, zl_swizzle s)
{
    uint64_t size;
    zlay_status status = strided_check(ctx, m, &size);
    return status ? status : zl_layout_proved(ctx, out, m, s, size);
}

zlay_status zl_layout_proved(zlay_ctx *ctx, zlay_layout **out, const zl_modes *m, zl_swizzle s,
                             uint64_t size)
{
    zlay_status status = zl_layout_plain(ctx, out, m->at, m->count, size);
    if (status) return status;
    (*out)->offset = m->offset;
    if (s.bits) (*out)->swizzle = s, (*out)->kind = ZLAY_LAYOUT_SWIZZLED;
    return ZLAY_OK;
}

/* A loop, as a call of memcpy would take longer than the few modes. */
zlay_status zl_layout_plain(zlay_ctx *ctx, zlay_layout **out, const zl_mode *mode, size_t modes,
                            uint64_t size)
{
    zlay_layout *a =
        zl_layout_block(ctx, ZLAY_LAYOUT_STRIDED, &zl_strided_kind, modes * sizeof *mode);
    if (!a) return ZLAY_ENOMEM;
    zl_mode *own = (zl_mode *)(a + 1);
    for (size_t i = 0; i < modes; i++) own[i] = mode[i];
    a->mode = own;
    a->modes = modes;
    a->size = size;
    *out = a;
    return ZLAY_OK;
}

zlay_status zl_layout_point(zlay_ctx *ctx, zlay_layout **out)
{
    const zl_mode mode = {.shape = 1};
    return zl_layout_plain(ctx, out, &mode, 1, 1);
}

zlay_status zl_layout_over(zlay_ctx *ctx, zlay_layout *out, const zl_modes *m)
{
    *out = (zlay_layout){.table = &zl_strided_kind, .kind = ZLAY_LAYOUT_STRIDED,
                         .offset = m->offset, .modes = m->count, .mode = m->at};
    return strided_check(ctx, m, &out->size);
}


/* ---- values ------------------------------------------------------------------------- */

static int64_t value_at(const zlay_layout *a, uint64_t index)
{
    int64_t value = a->offset;
    for (size_t i = 0; i < a->modes; i++) {
        uint64_t extent = (uint64_t)a->mode[i].shape;
        value += (int64_t)(index % extent) * a->mode[i].stride;
        index /= extent;
    }
    return zl_swizzle_at(a->swizzle, value);
}

static zlay_status tuple_at(const zlay_layout *a, uint64_t index, int64_t *values)
{
    values[0] = value_at(a, index);
    return ZLAY_OK;
}

static bool step(int64_t coordinate, int64_t stride, int64_t *value)
{
    int64_t reach;
    return zl_mul(coordinate, stride, &reach) && zl_add(*value, reach, value);
}

static bool at_integer(const zlay_layout *a, int64_t index, int64_t *out)
{
    int64_t value = a->offset;
    for (size_t i = 0; i + 1 < a->modes; i++) {
        if (!step(index % a->mode[i].shape, a->mode[i].stride, &value)) return false;
        index /= a->mode[i].shape;
    }
    if (!step(index, a->mode[a->modes - 1].stride, &value)) return false;
    *out = zl_swizzle_at(a->swizzle, value);
    return true;
}

/* ---- as an affine map over F2 ----------------------------------------------------------- */

/* Sums do not carry exactly when the bases, taken by XOR with the constant, share no bit:
 * a bit shared by two of them makes the second difference of the values odd there. */
static bool disjoint(const zl_affine *a)
{
    uint64_t seen = 0;
    for (unsigned k = 0; k < a->bits; k++) {
        if (seen & a->basis[k]) return false;
        seen |= a->basis[k];
    }
    return true;
}

static void put_mode(zl_affine *a, const zl_mode *m, unsigned bits)
{
    uint64_t step = (uint64_t)m->stride;
    for (; bits--; step <<= 1) a->basis[a->bits++] = (a->constant + step) ^ a->constant;
}

static bool affine_of(zl_affine *out, const zlay_layout *a)
{
    out->bits = 0;
    out->constant = (uint64_t)a->offset;
    if (!zl_is_power_of_two(a->size)) return false;
    for (size_t i = 0; i < a->modes; i++)
        put_mode(out, &a->mode[i], (unsigned)__builtin_ctzll((uint64_t)a->mode[i].shape));
    if (!disjoint(out)) return false;
    zl_affine_swizzle(out, a->swizzle);
    return true;
}

static bool fits(int64_t offset, int64_t stride, unsigned bits)
{
    int64_t reach;
    if (bits > 63) return false;
    return zl_mul((int64_t)(((uint64_t)1 << bits) - 1), stride, &reach) &&
           zl_add(offset, reach, &reach);
}

static bool affine_of_integers(zl_affine *out, const zlay_layout *a, unsigned bits)
{
    out->bits = 0;
    out->constant = (uint64_t)a->offset;
    for (size_t i = 0; i < a->modes && out->bits < bits; i++) {
        bool last = i + 1 == a->modes;
        if (!last && !zl_is_power_of_two((uint64_t)a->mode[i].shape)) return false;
        unsigned left = bits - out->bits;
        unsigned here = last ? left : (unsigned)__builtin_ctzll((uint64_t)a->mode[i].shape);
        here = here < left ? here : left;
        if (!fits(a->offset, a->mode[i].stride, here)) return false;
        put_mode(out, &a->mode[i], here);
    }
    if (!disjoint(out)) return false;
    zl_affine_swizzle(out, a->swizzle);
    return true;
}

/* ---- the box, a copy, the text ------------------------------------------------------------ */

static zlay_status box_of(zl_modes *box, const zlay_layout *a)
{
    return zl_modes_append(box, a->mode, a->modes);
}

static size_t extents_of(uint64_t *extents, size_t room, const zlay_layout *a)
{
    size_t count = 0, end;
    uint32_t outer = a->mode[0].open ? 1 : 0;
    for (size_t i = 0; i < a->modes; i = end, count++, outer = 0) {
        uint64_t extent = 1;
        end = zl_part_end(a->mode, i, a->mode[i].open - outer);
        for (size_t leaf = i; leaf < end; leaf++) extent *= (uint64_t)a->mode[leaf].shape;
        if (count < room) extents[count] = extent;
    }
    return count;
}

static zlay_status copy_of(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zl_modes m;
    zl_modes_begin(&m, ctx);
    m.offset = a->offset;
    zlay_status status = zl_modes_append(&m, a->mode, a->modes);
    if (!status) status = zl_layout_strided(ctx, out, &m, a->swizzle);
    zl_modes_end(&m);
    return status;
}

static void print_tuple(zl_text *out, const zlay_layout *a, bool strides)
{
    for (size_t i = 0; i < a->modes; i++) {
        const zl_mode *m = &a->mode[i];
        zl_puts(out, i ? "," : "");
        zl_put_times(out, "(", m->open);
        zl_putf(out, "%lld", (long long)(strides ? m->stride : m->shape));
        zl_put_times(out, ")", m->close);
    }
}

static void print(zl_text *out, const zlay_layout *a)
{
    const zl_swizzle *s = &a->swizzle;
    if (s->bits) zl_putf(out, "Sw<%d,%d,%d> o ", (int)s->bits, (int)s->base, (int)s->shift);
    if (s->bits || a->offset) zl_putf(out, "%lld o ", (long long)a->offset);
    print_tuple(out, a, false);
    zl_puts(out, ":");
    print_tuple(out, a, true);
}

static uint64_t steps_of(const zlay_layout *a) { return 2 + a->modes; }

const zl_layout_kind zl_strided_kind = {
    .at = value_at,
    .tuple = tuple_at,
    .range = zl_strided_range,
    .at_integer = at_integer,
    .affine = affine_of,
    .affine_of_integers = affine_of_integers,
    .steps = steps_of,
    .box = box_of,
    .extents = extents_of,
    .copy = copy_of,
    .print = print,
};

/* ---- public ------------------------------------------------------------------------- */

static zlay_status new_strided(zlay_ctx *ctx, zlay_layout **out, zl_modes *m, size_t rank,
                               const int64_t *const pair[2])
{
    zlay_status status = ZLAY_OK;
    if (!rank || !pair[0] || !pair[1])
        return zl_fail(ctx, ZLAY_EINVAL, "a layout needs a mode, with its extent and its stride");
    for (size_t i = 0; i < rank && !status; i++) status = zl_modes_leaf(m, pair[0][i], pair[1][i]);
    if (rank > 1) zl_modes_wrap(m, 0);
    return status ? status : zl_layout_strided(ctx, out, m, (zl_swizzle){0, 0, 0});
}

zlay_status zl_layout_new_strided(zlay_ctx *ctx, zlay_layout **out, size_t rank,
                                  const int64_t *shape, const int64_t *stride, int64_t offset)
{
    const int64_t *const pair[2] = {shape, stride};
    zl_modes m;
    zl_mark mark = zl_enter_part(ctx);
    *out = NULL;
    zl_modes_begin(&m, ctx);
    m.offset = offset;
    zlay_status status = new_strided(ctx, out, &m, rank, pair);
    zl_modes_end(&m);
    return zl_leave_part(ctx, mark, status);
}

zlay_status zlay_layout_new_strided(zlay_ctx *ctx, zlay_layout **out, size_t rank,
                                    const int64_t *shape, const int64_t *stride, int64_t offset)
{
    zlay_status status = zl_enter_layout(ctx, out);
    if (status) return status;
    return zl_leave(ctx, zl_layout_new_strided(ctx, out, rank, shape, stride, offset));
}
