/* SPDX-License-Identifier: Apache-2.0 */
/* The widest contiguous, aligned access along a mode.
 *
 * An access of v elements is legal when v divides the mode's extent and every group of v of its
 * coordinates has values b, b + 1, ..., b + v - 1 with v | b.  Of strides: the mode begins with a
 * run of stride 1 whose length v divides, and v divides the offset and every other stride.  A
 * swizzle whose bits lie at log2 v or above permutes aligned blocks of v and changes nothing in
 * them.  Of a map that is affine over F2: the low bits of the mode have the bases 1, 2, 4, ..., v /
 * 2 and nothing else changes those bits.  Anything else is looked at point by point. */
#include "base/request.h"
#include "algebra/normal/vector_width.h"

#include "algebra/layout/layout.h"

#include <inttypes.h>

/* ---- the mode ---------------------------------------------------------------------- */

typedef struct part {
    size_t begin, end;       /* leaves, or input dimensions */
    uint64_t before, extent; /* points of what is before it, and its own */
} part;

typedef struct work {
    zlay_ctx *ctx;
    const zlay_layout *a;
    const zlay_vector_request *request;
    const zlay_facts *facts;
    zl_modes box;
    part at;
} work;

static zlay_status no_mode(work *w, size_t level)
{
    return zl_fail(w->ctx, ZLAY_EINVAL, "the mode's path ends at entry %zu: there is no mode %u",
                   level, (unsigned)w->request->path[level]);
}

/* The child of a part: `*inside` parentheses before its first leaf are entered already. */
static zlay_status enter(work *w, size_t level, uint32_t *inside)
{
    const zl_mode *mode = w->box.at;
    uint32_t child = w->request->path[level];
    size_t end = w->at.end;
    if (mode[w->at.begin].open == *inside) {
        bool leaf = !level && w->box.count == 1 && !child;
        return leaf ? ZLAY_OK : no_mode(w, level);
    }
    for (++*inside;; *inside = 0) {
        w->at.end = zl_part_end(mode, w->at.begin, mode[w->at.begin].open - *inside);
        if (!child--) return ZLAY_OK;
        if (w->at.end >= end) return no_mode(w, level);
        w->at.begin = w->at.end;
    }
}

static zlay_status find_part(work *w)
{
    uint32_t inside = 0;
    zlay_status status = (w->a->symbols ? zl_vector_profile : zl_layout_box)(&w->box, w->a);
    w->at = (part){0, w->box.count, 1, 1};
    for (size_t level = 0; level < w->request->depth && !status; level++)
        status = enter(w, level, &inside);
    for (size_t i = 0; i < w->at.begin; i++) w->at.before *= (uint64_t)w->box.at[i].shape;
    for (size_t i = w->at.begin; i < w->at.end; i++) w->at.extent *= (uint64_t)w->box.at[i].shape;
    return status;
}

/* ---- strides ----------------------------------------------------------------------- */

static bool divides(uint64_t v, int64_t value)
{
    return zl_magnitude(value) % v == 0;
}

static bool others_aligned(const zlay_layout *a, size_t begin, size_t end, uint64_t v)
{
    for (size_t i = begin; i < end; i++)
        if (a->mode[i].shape > 1 && !divides(v, a->mode[i].stride)) return false;
    return true;
}

static bool strides_allow(const zlay_layout *a, const part *at, uint64_t v)
{
    uint64_t run = 1;
    size_t i = at->begin;
    for (; i < at->end; i++) {
        if (a->mode[i].shape == 1) continue;
        if (a->mode[i].stride < 0 || (uint64_t)a->mode[i].stride != run) break;
        run *= (uint64_t)a->mode[i].shape;
    }
    return run % v == 0 && divides(v, a->offset) && others_aligned(a, 0, at->begin, v) &&
           others_aligned(a, i, a->modes, v);
}

/* ---- F2 ---------------------------------------------------------------------------- */

static bool bases_allow(const zl_affine *map, const part *at, uint64_t v)
{
    unsigned first = (unsigned)__builtin_ctzll(at->before);
    unsigned bits = (unsigned)__builtin_ctzll(v);
    if (map->constant & (v - 1)) return false;
    for (unsigned k = 0; k < map->bits; k++) {
        uint64_t wanted = k >= first && k < first + bits ? (uint64_t)1 << (k - first) : 0;
        if (wanted ? map->basis[k] != wanted : (map->basis[k] & (v - 1)) != 0) return false;
    }
    return true;
}

/* ---- points ------------------------------------------------------------------------ */

/* One group: whole, or without a value anywhere. */
static bool group_allows(const work *w, uint64_t index, uint64_t v)
{
    uint64_t there = 0;
    int64_t first = 0, value;
    bool even = true;
    for (uint64_t j = 0; j < v; j++) {
        if (!zl_value(w->a, index + j * w->at.before, &value)) continue;
        if (!there++) first = value;
        even = even && (uint64_t)value - (uint64_t)first == j && divides(v, first);
    }
    return !there || (there == v && even);
}

/* The first index whose group is not allowed; the size where all are. */
static uint64_t first_break(const work *w, uint64_t v)
{
    uint64_t before = w->at.before, whole = before * w->at.extent;
    for (uint64_t high = 0; high < w->a->size; high += whole)
        for (uint64_t k = 0; k < w->at.extent; k += v) {
            if (zl_charge_values(w->ctx, w->a, v * before)) return high;
            for (uint64_t low = 0; low < before; low++)
                if (!group_allows(w, high + k * before + low, v)) return high + k * before + low;
        }
    return w->a->size;
}

static zlay_status points_allow(const work *w, uint64_t v, bool *out)
{
    uint64_t limit = zl_limits(w->ctx)->points;
    if (w->a->size > limit)
        return zl_fail(w->ctx, ZLAY_ELIMIT,
                       "limits.points is %" PRIu64 " and the layout has %" PRIu64, limit,
                       w->a->size);
    *out = first_break(w, v) == w->a->size;
    return zl_charge(w->ctx, 0);
}

/* ---- the methods, tried in order ----------------------------------------------------------- */

static bool keeps_blocks(zl_swizzle s, uint64_t v)
{
    return !s.bits || (zl_is_power_of_two(v) && (uint64_t)1 << s.base >= v);
}

static zlay_status allows(const work *w, uint64_t v, bool *out)
{
    zl_affine map;
    const size_t leaves[2] = {w->at.begin, w->at.end};
    *out = v == 1;
    if (w->a->symbols && v > 1)
        return zl_vector_of_symbols(w->ctx, out, w->a, w->facts, leaves, v);
    if (w->a->pieces.params && v > 1)
        return zl_vector_of_pieces(w->ctx, out, &w->a->pieces, w->facts, w->at.begin, v);
    if (v == 1 || w->at.extent % v) return ZLAY_OK;
    if (w->a->modes && keeps_blocks(w->a->swizzle, v)) {
        *out = strides_allow(w->a, &w->at, v);
        return ZLAY_OK;
    }
    if (zl_is_power_of_two(v) && zl_affine_of(&map, w->a)) {
        *out = bases_allow(&map, &w->at, v);
        return ZLAY_OK;
    }
    return points_allow(w, v, out);
}

enum { USUAL = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8 | 1 << 16, WIDEST = 63 };

/* Bytes that the base and an access both keep, in elements; 0: there is no such access. */
static uint64_t elements(const work *w, uint64_t bytes)
{
    uint64_t widths = w->request->widths ? w->request->widths : USUAL;
    if (!(widths >> bytes & 1) || w->request->base_align % bytes) return 0;
    return bytes % w->request->elem_bytes ? 0 : bytes / w->request->elem_bytes;
}

/* The least access that was refused, and the first index where it is. */
static zlay_status none(work *w, uint64_t least)
{
    uint64_t v = least / w->request->elem_bytes;
    uint64_t align = w->request->base_align;
    if (!least)
        return zl_fail(w->ctx, ZLAY_NONE,
                       "no access is a multiple of %u bytes and divides the alignment of the base, "
                       "%" PRIu64, (unsigned)w->request->elem_bytes, align);
    if (w->a->pieces.params || w->a->symbols)
        return zl_fail(w->ctx, ZLAY_NONE, "for a value of the parameters that the facts allow the "
                       "least access, %" PRIu64 " elements, is not contiguous and aligned", v);
    if (w->at.extent % v)
        return zl_fail(w->ctx, ZLAY_NONE,
                       "the least access is %" PRIu64 " elements and the mode has "
                       "%" PRIu64,
                       v, w->at.extent);
    if (w->a->size > zl_limits(w->ctx)->points)
        return zl_fail(w->ctx, ZLAY_NONE,
                       "the least access, %" PRIu64 " elements, is not contiguous and aligned", v);
    return zl_fail(w->ctx, ZLAY_NONE,
                   "the least access, %" PRIu64 " elements, is not contiguous and "
                   "aligned at index %" PRIu64,
                   v, first_break(w, v));
}

static zlay_status widest(work *w, uint64_t *out)
{
    uint64_t least = 0;
    for (uint64_t bytes = WIDEST; bytes; bytes--) {
        uint64_t v = elements(w, bytes);
        bool legal = false;
        if (!v) continue;
        least = bytes;
        zlay_status status = allows(w, v, &legal);
        if (legal && !status) *out = bytes;
        if (legal || status) return status;
    }
    return none(w, least);
}

static zlay_status request_read(zlay_ctx *ctx, zlay_vector_request *r, const zlay_layout *a,
                                const zlay_vector_request *request)
{
    static const zl_request_form form = {"zlay_vector_request", sizeof *r, sizeof *r, {{0}}};
    if (!a || !request) return zl_fail(ctx, ZLAY_EINVAL, "the layout or the request is NULL");
    zlay_status status = zl_request_read(ctx, r, request, &form);
    if (status) return status;
    if (!r->elem_bytes || !r->base_align)
        return zl_fail(ctx, ZLAY_EINVAL, "%s is 0", r->elem_bytes ? "base_align" : "elem_bytes");
    if (r->widths & 1 || (r->depth && !r->path))
        return zl_fail(ctx, ZLAY_EINVAL, "%s",
                       r->widths & 1 ? "no access has 0 bytes" : "path is NULL");
    if (a->pieces.params && r->depth != 1)
        return zl_fail(ctx, ZLAY_ENOTSUP,
                       "the layout depends on the parameter %s, and the path is no "
                       "dimension",
                       a->pieces.param[0].text);
    return ZLAY_OK;
}

zlay_status zl_layout_vector_width(zlay_ctx *ctx, uint64_t *out, const zlay_layout *layout,
                                   const zlay_vector_request *request, const zlay_facts *facts)
{
    zlay_vector_request r;
    work w = {.ctx = ctx, .a = layout, .request = &r, .facts = facts};
    zl_mark mark = zl_enter_part(ctx);
    zlay_status status = request_read(ctx, &r, layout, request);
    if (status) return zl_leave_part(ctx, mark, status);
    zl_modes_begin(&w.box, ctx);
    status = find_part(&w);
    if (!status) status = widest(&w, out);
    zl_modes_end(&w.box);
    return zl_leave_part(ctx, mark, status);
}

zlay_status zlay_layout_vector_width(zlay_ctx *ctx, uint64_t *out, const zlay_layout *layout,
                                     const zlay_vector_request *request,
                                     const zlay_facts *facts)
{
    if (!out) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status
                  : zl_leave(ctx, zl_layout_vector_width(ctx, out, layout, request, facts));
}
