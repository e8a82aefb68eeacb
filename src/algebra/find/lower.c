/* SPDX-License-Identifier: Apache-2.0 */
/* Any layout as an F2 layout, or the two indices that show why it is none. */
#include "algebra/f2/f2.h"
#include "algebra/layout/layout.h"

#include <stdio.h>
#include <string.h>

typedef struct lowering {
    zl_f2_form f;
    const zlay_layout *a;
    size_t outs; /* of the layout; 1: its flat value */
    bool flat;
    unsigned width[ZL_F2_DIMS];
    uint64_t support[ZL_F2_DIMS];
} lowering;

/* ---- values ---------------------------------------------------------------------------- */

static zlay_status undefined(lowering *w, uint64_t index)
{
    return zl_fail(w->f.ctx, ZLAY_NONE, "index %llu has no value", (unsigned long long)index);
}

static zlay_status values(lowering *w, uint64_t index, int64_t *value)
{
    if (w->flat) return zl_value(w->a, index, value) ? ZLAY_OK : undefined(w, index);
    zlay_status status = w->a->table->tuple(w->a, index, value);
    return status == ZLAY_NONE ? undefined(w, index) : status;
}

static uint64_t pack(const lowering *w, const int64_t *value)
{
    uint64_t packed = 0;
    unsigned low = 0;
    for (size_t i = 0; i < w->outs; low += w->width[i++])
        packed |= zl_left((uint64_t)value[i], low);
    return packed;
}

static zlay_status not_linear(lowering *w, uint64_t i, uint64_t j)
{
    int64_t both[ZL_F2_DIMS], x[ZL_F2_DIMS], y[ZL_F2_DIMS];
    char output[32] = "";
    size_t at = 0;
    zlay_status status = values(w, i ^ j, both);
    if (!status) status = values(w, i, x);
    if (!status) status = values(w, j, y);
    if (status) return status;
    while (at + 1 < w->outs && both[at] == (x[at] ^ y[at])) at++;
    if (w->outs > 1) snprintf(output, sizeof output, "output %zu: ", at);
    return zl_fail(w->f.ctx, ZLAY_NONE,
                   "%svalue(%llu ^ %llu) is %lld, not value(%llu) ^ value(%llu), %lld", output,
                   (unsigned long long)i, (unsigned long long)j, (long long)both[at],
                   (unsigned long long)i, (unsigned long long)j, (long long)(x[at] ^ y[at]));
}

/* ---- is it linear? ---------------------------------------------------------------------- */

static zlay_status check_zero(lowering *w)
{
    int64_t value[ZL_F2_DIMS];
    zlay_status status = values(w, 0, value);
    for (size_t i = 0; i < w->outs && !status; i++)
        if (value[i]) status = not_linear(w, 0, 0);
    return status;
}

static zlay_status same(lowering *w, uint64_t i, uint64_t j, uint64_t expected)
{
    int64_t value[ZL_F2_DIMS];
    zlay_status status = values(w, i ^ j, value);
    if (status) return status;
    for (size_t o = 0; o < w->outs; o++)
        if (w->width[o] < 64 && (uint64_t)value[o] >> w->width[o]) return not_linear(w, i, j);
    return pack(w, value) == expected ? ZLAY_OK : not_linear(w, i, j);
}

/* Two bits that carry are found before all points are asked; strides show it there always. */
static zlay_status check_pairs(lowering *w)
{
    zlay_status status = ZLAY_OK;
    for (unsigned j = 1; j < w->f.bits; j++)
        for (unsigned i = 0; i < j && !status; i++)
            status = same(w, (uint64_t)1 << i, (uint64_t)1 << j, w->f.basis[i] ^ w->f.basis[j]);
    return status;
}

static zlay_status check_points(lowering *w)
{
    uint64_t limit = zl_limits(w->f.ctx)->points, gray = 0, expected = 0;
    zlay_status status = ZLAY_OK;
    if (w->a->size > limit)
        return zl_fail(w->f.ctx, ZLAY_ELIMIT, "limits.points is %llu and the layout has %llu",
                       (unsigned long long)limit, (unsigned long long)w->a->size);
    status = zl_charge_values(w->f.ctx, w->a, w->a->size);
    for (uint64_t i = 1; i < w->a->size && !status; i++) {
        unsigned k = (unsigned)__builtin_ctzll(i);
        expected ^= w->f.basis[k];
        status = same(w, gray, (uint64_t)1 << k, expected);
        gray ^= (uint64_t)1 << k;
    }
    return status;
}

static zlay_status check_linear(lowering *w)
{
    zl_affine map;
    if (zl_affine_of(&map, w->a)) return ZLAY_OK;
    zlay_status status = check_pairs(w);
    return status ? status : check_points(w);
}

/* ---- dimensions ---------------------------------------------------------------------------- */

static zlay_status extent(lowering *w, size_t mode, int64_t shape, uint32_t *bits)
{
    if (shape & (shape - 1))
        return zl_fail(w->f.ctx, ZLAY_NONE, "the extent %lld of mode %zu is no power of two",
                       (long long)shape, mode);
    *bits += (uint32_t)__builtin_ctzll((uint64_t)shape);
    return ZLAY_OK;
}

/* One input a top-level mode; the outer parentheses are no mode's. */
static zlay_status name_inputs(lowering *w, const zl_modes *box)
{
    zl_dim dim = {.bits = 0};
    uint32_t outer = box->at[0].open ? 1 : 0;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0, end; i < box->count && !status; i = end, outer = 0) {
        end = zl_part_end(box->at, i, box->at[i].open - outer);
        snprintf(dim.name, sizeof dim.name, "in%zu", w->f.ins);
        for (dim.bits = 0; i < end && !status; i++)
            status = extent(w, i, box->at[i].shape, &dim.bits);
        if (!status) status = zl_f2_form_in(&w->f, &dim);
    }
    return status;
}

static zlay_status inputs(lowering *w)
{
    zl_modes box;
    if (zl_is_bits(w->a)) return zl_f2_form_ins(&w->f, &w->a->f2);
    zl_modes_begin(&box, w->f.ctx);
    zlay_status status = zl_layout_box(&box, w->a);
    if (!status) status = name_inputs(w, &box);
    zl_modes_end(&box);
    return status;
}

static zlay_status no_room(lowering *w, unsigned k, int64_t value)
{
    return zl_fail(w->f.ctx, ZLAY_NONE, "value(%llu) is %lld, and no output holds it", 1ull << k,
                   (long long)value);
}

static zlay_status read_bases(lowering *w)
{
    int64_t value[ZL_F2_DIMS];
    zlay_status status = ZLAY_OK;
    for (unsigned k = 0; k < w->f.bits && !status; k++) {
        status = values(w, (uint64_t)1 << k, value);
        for (size_t i = 0; i < w->outs && !status; i++) {
            if (value[i] < 0 && !zl_is_bits(w->a)) return no_room(w, k, value[i]);
            w->support[i] |= (uint64_t)value[i];
        }
    }
    return status;
}

/* Every output as wide as its values, or as the sizes say. */
static zlay_status widths(lowering *w, const unsigned *bits, size_t count)
{
    unsigned total = 0;
    for (size_t i = 0; i < count; i++) total += bits[i];
    for (size_t i = 0; i < w->outs; i++) {
        unsigned least = zl_bit_length(w->support[i]);
        w->width[i] = !count ? least : w->flat ? total : bits[i];
        if (least > w->width[i])
            return zl_fail(w->f.ctx, ZLAY_NONE, "a value has %u bits, and output %zu has %u", least,
                           i, w->width[i]);
    }
    return ZLAY_OK;
}

static zlay_status outputs(lowering *w, const unsigned *bits, size_t count)
{
    zl_dim dim = {.bits = 0};
    bool named = zl_is_bits(w->a) && !count;
    zlay_status status = widths(w, bits, count);
    for (size_t i = 0; i < (count ? count : w->outs) && !status; i++) {
        if (named) memcpy(dim.name, w->a->f2.out[i].name, sizeof dim.name);
        else snprintf(dim.name, sizeof dim.name, "out%zu", i);
        dim.bits = count ? bits[i] : w->width[i];
        status = zl_f2_form_out(&w->f, &dim);
    }
    return status;
}

static zlay_status pack_bases(lowering *w)
{
    int64_t value[ZL_F2_DIMS];
    zlay_status status = ZLAY_OK;
    for (unsigned k = 0; k < w->f.bits && !status; k++) {
        status = values(w, (uint64_t)1 << k, value);
        if (!status) w->f.basis[k] = pack(w, value);
    }
    return status;
}

/* ---- the operation ------------------------------------------------------------------------- */

static zlay_status lower(lowering *w, zlay_layout **out, const unsigned *bits, size_t count)
{
    size_t outs = zlay_layout_out_count(w->a);
    w->flat = outs == 1 || (count && outs != count);
    w->outs = w->flat ? 1 : outs;
    for (size_t i = 0; i < ZL_F2_DIMS; i++) w->support[i] = 0;
    if (w->outs > ZL_F2_DIMS)
        return zl_fail(w->f.ctx, ZLAY_ELIMIT, "an F2 layout has 64 outputs at most");
    zlay_status status = inputs(w);
    if (!status) status = check_zero(w);
    if (!status) status = read_bases(w);
    if (!status) status = outputs(w, bits, count);
    if (!status) status = pack_bases(w);
    if (!status) status = check_linear(w);
    return status ? status : zl_f2_form_end(&w->f, out);
}

static zlay_status sizes_of(zlay_ctx *ctx, unsigned *bits, const uint64_t *sizes, size_t count)
{
    if (count && !sizes) return zl_fail(ctx, ZLAY_EINVAL, "the sizes are NULL");
    if (count > ZL_F2_DIMS)
        return zl_fail(ctx, ZLAY_ELIMIT, "an F2 layout has 64 outputs at most");
    for (size_t i = 0; i < count; i++) {
        if (sizes[i] & (sizes[i] - 1))
            return zl_fail(ctx, ZLAY_EINVAL, "the size %llu of output %zu is no power of two",
                           (unsigned long long)sizes[i], i);
        bits[i] = sizes[i] ? (unsigned)__builtin_ctzll(sizes[i]) : 64;
    }
    return ZLAY_OK;
}

static zlay_status checked(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                           const uint64_t *sizes, size_t count)
{
    lowering w;
    unsigned bits[ZL_F2_DIMS];
    if (!a) return zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    if (zl_parameter(a)) return zl_without_parameters(ctx, a);
    if (a->kind == ZLAY_LAYOUT_F2 && !count) return zl_layout_copy(ctx, out, a);
    zlay_status status = sizes_of(ctx, bits, sizes, count);
    if (status) return status;
    zl_f2_form_begin(&w.f, ctx);
    w.a = a;
    return lower(&w, out, bits, count);
}

static zlay_status enter(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                         const uint64_t *sizes, size_t count)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, checked(ctx, out, a, sizes, count));
}

zlay_status zlay_f2_lower(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                          const uint64_t *sizes, size_t count)
{
    return enter(ctx, out, a, sizes, count);
}

zlay_status zlay_layout_lower(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    return enter(ctx, out, a, NULL, 0);
}
