/* SPDX-License-Identifier: Apache-2.0 */
/* What a layout spans, and where a coordinate lies in its box. */
#include "algebra/presburger/claims.h"
#include "base/scan.h"
#include "algebra/image/sum.h"
#include "algebra/layout/layout.h"
#include "algebra/f2/modular.h"
#include "algebra/ops/symbolic/ops.h"
#include "algebra/ops/cute.h"

#include <string.h>

/* ---- cosize ------------------------------------------------------------------------- */

static zlay_status by_points(zlay_ctx *ctx, const zlay_layout *a, int64_t *least,
                             int64_t *greatest)
{
    uint64_t limit = zl_limits(ctx)->points;
    if (a->pieces.outs == 1 && zl_umul_sat(a->size, a->pieces.count) > limit)
        return zl_pieces_ends(ctx, least, greatest, &a->pieces);
    if (a->size > limit)
        return zl_fail(ctx, ZLAY_ELIMIT, "limits.points is %llu and the layout has %llu",
                       (unsigned long long)limit, (unsigned long long)a->size);
    if (zl_charge_values(ctx, a, a->size)) return ZLAY_ENOMEM;
    *least = INT64_MAX;
    *greatest = INT64_MIN;
    for (uint64_t i = 0; i < a->size; i++) {
        int64_t value;
        if (!zl_value(a, i, &value)) continue;
        *least = value < *least ? value : *least;
        *greatest = value > *greatest ? value : *greatest;
    }
    return ZLAY_OK;
}

/* 0 is a value, and the greatest is the last that is reached. */
static zlay_status by_residues(zlay_ctx *ctx, const zlay_layout *a, int64_t *least,
                               int64_t *greatest)
{
    zl_residues r;
    zlay_status status = zl_residues_of(ctx, &r, a);
    uint64_t last = status ? 1 : r.count;
    while (last > 1 && !r.last[last - 1]) last--;
    *least = 0;
    *greatest = (int64_t)last - 1;
    return status;
}

static zlay_status modular_range(zlay_ctx *ctx, const zlay_layout *a, int64_t *least,
                                 int64_t *greatest)
{
    zlay_status status = by_residues(ctx, a, least, greatest);
    return status == ZLAY_ELIMIT ? by_points(ctx, a, least, greatest) : status;
}

static bool by_blocks(zlay_ctx *ctx, const zlay_layout *a, int64_t *least, int64_t *greatest)
{
    zl_sum s;
    zl_budget budget = {zl_limits(ctx)->points, ctx};
    if (!a->modes) return false;
    zl_sum_of(&s, a);
    return zl_swizzled_range(least, greatest, &s, a->swizzle, &budget) == ZL_FOUND;
}

static zlay_status range(zlay_ctx *ctx, const zlay_layout *a, int64_t *least, int64_t *greatest)
{
    zl_affine map;
    if (a->modes && !a->swizzle.bits) {
        zl_modes_range(a->mode, a->modes, a->offset, least, greatest);
        return ZLAY_OK;
    }
    if (a->kind == ZLAY_LAYOUT_MODULAR) return modular_range(ctx, a, least, greatest);
    if (by_blocks(ctx, a, least, greatest)) return ZLAY_OK;
    if (!zl_affine_of(&map, a)) return by_points(ctx, a, least, greatest);
    if (!a->modes && zl_affine_support(&map) >> 63)
        return zl_fail(ctx, ZLAY_EOVERFLOW, "flat values of 64 bits are not counted");
    zl_affine_range(&map, least, greatest);
    return ZLAY_OK;
}

static zlay_status no_values(uint64_t *out)
{
    *out = 0;
    return ZLAY_OK;
}

zlay_status zl_cosize(zlay_ctx *ctx, uint64_t *out, const zlay_layout *a)
{
    int64_t least, greatest;
    if (!a) return zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    if (zl_parameter(a))
        return zl_fail(ctx, ZLAY_EINVAL, "the values depend on the parameter %s", zl_parameter(a));
    zlay_status status = range(ctx, a, &least, &greatest);
    if (status == ZLAY_NONE || (!status && greatest < least)) return no_values(out);
    if (status) return status;
    uint64_t low = least < 0 ? 0 - (uint64_t)least : 0;
    uint64_t span = (uint64_t)greatest + low;
    if (span == UINT64_MAX) return zl_fail(ctx, ZLAY_EOVERFLOW, "the cosize does not fit 64 bits");
    *out = span + 1;
    return ZLAY_OK;
}

zlay_status zlay_layout_cosize(zlay_ctx *ctx, uint64_t *out, const zlay_layout *layout)
{
    if (!out) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, zl_cosize(ctx, out, layout));
}

/* ---- coordinates ---------------------------------------------------------------------- */

/* A walk along the leaves of a box: an integer stands for the part of the profile that begins
 * where it stands, and adds itself times the points of all leaves before. */
typedef struct walk {
    zl_cursor *c;
    const zl_modes *box;
    size_t leaf;
    uint32_t opened, depth; /* of the leaf's parentheses; brackets of the text */
    uint64_t step, index;
    char bracket[64];
} walk;

static zlay_status open_all(walk *w)
{
    uint32_t limit = zl_limits(w->c->ctx)->nesting;
    limit = limit < sizeof w->bracket ? limit : sizeof w->bracket;
    for (;;) {
        char round = zl_cursor_peek(w->c);
        if (round != '(' && round != '[') return ZLAY_OK;
        if (w->depth == limit)
            return zl_cursor_refuse(w->c, ZLAY_ELIMIT, w->c->at, "coordinates nest %u deep at most",
                                    (unsigned)limit);
        if (w->opened == w->box->at[w->leaf].open)
            return zl_cursor_fail(w->c, "an integer for a mode that is not nested");
        w->bracket[w->depth++] = round == '(' ? ')' : ']';
        w->opened++;
        w->c->at++;
    }
}

static uint64_t part_size(const walk *w, size_t end)
{
    uint64_t size = 1;
    for (size_t i = w->leaf; i < end; i++) size *= (uint64_t)w->box->at[i].shape;
    return size;
}

/* How many parentheses close behind the part that ended before `end`. */
static uint32_t closing(const walk *w, size_t end)
{
    uint64_t open = w->box->at[w->leaf].open - w->opened;
    for (size_t i = w->leaf; i + 1 < end; i++)
        open = open - w->box->at[i].close + w->box->at[i + 1].open;
    return (uint32_t)(w->box->at[end - 1].close - open);
}

static zlay_status close_all(walk *w, uint32_t count)
{
    zlay_status status = ZLAY_OK;
    for (; count && !status; count--) status = zl_cursor_want(w->c, w->bracket[--w->depth]);
    if (!status && w->depth) status = zl_cursor_want(w->c, ',');
    return status;
}

static zlay_status part(walk *w)
{
    uint64_t value;
    zlay_status status = open_all(w);
    size_t at = w->c->at;
    if (!status) status = zl_cursor_unsigned(w->c, &value);
    if (status) return status;
    size_t end = zl_part_end(w->box->at, w->leaf, w->box->at[w->leaf].open - w->opened);
    uint64_t size = part_size(w, end);
    if (value >= size)
        return zl_cursor_refuse(w->c, ZLAY_EINVAL, at, "%llu is outside its mode of %llu points",
                                (unsigned long long)value, (unsigned long long)size);
    w->index += w->step * value;
    w->step *= size;
    uint32_t close = closing(w, end);
    w->leaf = end;
    w->opened = 0;
    return close_all(w, close);
}

/* A layout of one mode takes 5, (5) and [5]. */
static bool take_single(zl_cursor *c, const zl_modes *box)
{
    if (box->count > 1 || box->at[0].open) return false;
    return zl_cursor_take(c, '(') || zl_cursor_take(c, '[');
}

static zlay_status index_of(zl_cursor *c, uint64_t *out, const zl_modes *box)
{
    walk w = {.c = c, .box = box, .step = 1};
    zl_cursor_peek(c);
    char open = c->at < c->length ? c->text[c->at] : 0;
    bool single = take_single(c, box);
    zlay_status status;
    do status = part(&w);
    while (!status && w.leaf < box->count);
    if (!status && single) status = zl_cursor_want(c, open == '(' ? ')' : ']');
    if (!status) status = zl_cursor_end(c);
    if (!status) *out = w.index;
    return status;
}

/* Blanks for the brackets inside others: what a nested layout became as pieces has flat dimensions,
 * and takes its coordinates as before.  false: brackets do not match. */
static bool flatten(char *text, size_t length)
{
    char close[64];
    size_t depth = 0;
    for (size_t i = 0; i < length; i++) {
        bool open = text[i] == '(' || text[i] == '[';
        if (!open && text[i] != ')' && text[i] != ']') continue;
        if (open && depth == sizeof close) return false;
        if (open) close[depth++] = text[i] == '(' ? ')' : ']';
        else if (!depth || text[i] != close[--depth]) return false;
        if (depth > open) text[i] = ' ';
    }
    return !depth;
}

static zlay_status index_of_pieces(zlay_ctx *ctx, uint64_t *out, const zl_modes *box,
                                   const char *coordinate, size_t length)
{
    zlay_allocator alloc = zl_allocator(ctx);
    zl_cursor c;
    char *flat = zl_alloc(ctx, length + 1, 1);
    if (!flat) return ZLAY_ENOMEM;
    memcpy(flat, coordinate, length);
    if (!flatten(flat, length)) memcpy(flat, coordinate, length);
    zlay_status status = zl_cursor_begin(&c, ctx, flat, length);
    if (!status) status = index_of(&c, out, box);
    zl_free(&alloc, flat, length + 1);
    return status;
}

zlay_status zl_layout_index(zlay_ctx *ctx, uint64_t *out, const zlay_layout *layout,
                            const char *coordinate, size_t length)
{
    zl_cursor c;
    zl_modes box;
    zl_mark mark = zl_enter_part(ctx);
    if (!layout) return zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    zl_modes_begin(&box, ctx);
    zlay_status status = zl_cursor_begin(&c, ctx, coordinate, length);
    if (!status) status = zl_layout_box(&box, layout);
    if (!status)
        status = zl_is_pieces(layout) ? index_of_pieces(ctx, out, &box, coordinate, length)
                                      : index_of(&c, out, &box);
    zl_modes_end(&box);
    return zl_leave_part(ctx, mark, status);
}

zlay_status zlay_layout_index(zlay_ctx *ctx, uint64_t *out, const zlay_layout *layout,
                              const char *coordinate, size_t length)
{
    if (!out) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status
                  : zl_leave(ctx, zl_layout_index(ctx, out, layout, coordinate, length));
}
