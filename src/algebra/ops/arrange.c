/* SPDX-License-Identifier: Apache-2.0 */
/* Divides and products by a tiler: each mode with its tile, then the parts in order. */
#include "algebra/find/find.h"
#include "base/scan.h"
#include "algebra/ops/cute.h"
#include "algebra/ops/symbolic/form.h"
#include "algebra/text/format.h"

#include <string.h>

typedef struct tiling {
    zl_cursor c;
    const zlay_layout *a;
    zl_tile_mode *each;
    zlay_arrangement arrangement;
    zl_modes tiles, rests; /* of the modes so far; LOGICAL keeps ((t),(r)) in `tiles` */
    size_t tiled, rested;  /* how many there are: CuTe leaves the parentheses of a tuple of one */
    bool more, drops;      /* entries are left; modes behind the last are dropped */
    bool irregular;        /* a mode with its tile was no shape and stride */
    bool ordered;          /* the second walk: the sum of all modes, and the order of its points */
    zlay_layout *sum;
    zl_symbol_pool *pool; /* of a symbolic layout, of which `a` has the tags */
} tiling;

/* The text of the next entry: up to ';' or '>'. */
static size_t entry(const zl_cursor *c)
{
    size_t end = c->at;
    while (end < c->length && c->text[end] != ';' && c->text[end] != '>') end++;
    return end - c->at;
}

static zlay_status take_entry(tiling *t, zlay_layout **tile)
{
    size_t length = entry(&t->c);
    const char *text = t->c.text + t->c.at;
    zlay_status status = zl_of_input(t->c.ctx, zl_parse(t->c.ctx, tile, text, length, t->c.at));
    if (status) return status;
    if (!t->drops && (*tile)->size == 1 && !memchr(text, ':', length)) {
        zlay_layout_free(*tile);
        *tile = NULL;
        status = zl_layout_point(t->c.ctx, tile);
        if (status) return status;
    }
    t->c.at += length;
    t->more = zl_cursor_take(&t->c, ';');
    return t->more ? ZLAY_OK : zl_cursor_want(&t->c, '>');
}

static zlay_status keep(tiling *t, const zlay_layout *made, bool tiled)
{
    bool logical = t->arrangement == ZLAY_LOGICAL;
    zl_modes *whole = logical ? &t->tiles : &t->rests;
    t->irregular = t->irregular || !zl_is_plain(made);
    if (t->irregular) return ZLAY_NONE;
    t->tiled += tiled;
    t->rested++;
    if (logical || !tiled) return zl_modes_append(whole, made->mode, made->modes);
    zlay_status status = zl_parts_take(&t->tiles, made->mode, made->modes, 0);
    return status ? status : zl_parts_take(&t->rests, made->mode, made->modes, 1);
}

/* One more term of the sum: what is kept is where its points are in the sum's index. */
static zlay_status keep_order(tiling *t, const zlay_layout *made, bool tiled)
{
    uint64_t weight = t->sum ? t->sum->size : 1;
    zlay_layout *sum = NULL, over;
    zl_modes box, m;
    zl_modes_begin(&box, t->c.ctx);
    zl_modes_begin(&m, t->c.ctx);
    zlay_status status = zl_layout_box(&box, made);
    if (!status) status = zl_weights(&m, &box, weight);
    if (!status) status = zl_layout_over(t->c.ctx, &over, &m);
    if (!status) status = keep(t, &over, tiled);
    if (!status) status = t->sum ? zl_pair(t->c.ctx, &sum, t->sum, made)
                                 : zl_layout_copy(t->c.ctx, &sum, made);
    if (!status) {
        zlay_layout_free(t->sum);
        t->sum = sum;
    }
    zl_modes_end(&m);
    zl_modes_end(&box);
    return status;
}

static zlay_status keep_mode(tiling *t, const zlay_layout *made, bool tiled)
{
    return t->ordered ? keep_order(t, made, tiled) : keep(t, made, tiled);
}

static zlay_status one_mode(tiling *t, const zlay_layout *mode)
{
    zlay_layout *tile = NULL, *made = NULL;
    if (!t->more) return keep_mode(t, mode, false);
    zlay_status status = take_entry(t, &tile);
    if (!status)
        status = t->pool ? zl_pool_each(t->pool, &made, mode, tile)
                         : t->each(t->c.ctx, &made, mode, tile);
    if (!status) status = keep_mode(t, made, true);
    zlay_layout_free(made);
    zlay_layout_free(tile);
    return status;
}

static zlay_status mode_of(tiling *t, zlay_layout **out, size_t k)
{
    zl_modes m;
    zl_modes_begin(&m, t->c.ctx);
    zlay_status status = zl_parts_take(&m, t->a->mode, t->a->modes, k);
    if (!status) status = zl_layout_strided(t->c.ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    return status;
}

static zlay_status all_modes(tiling *t)
{
    size_t count = zl_parts_count(t->a->mode, t->a->modes);
    zlay_status status = zl_cursor_want(&t->c, '<');
    t->more = true;
    for (size_t k = 0; k < count && !status && (t->more || !t->drops); k++) {
        zlay_layout *mode = NULL;
        status = mode_of(t, &mode, k);
        if (!status) status = one_mode(t, mode);
        zlay_layout_free(mode);
    }
    if (!status && t->more)
        return zl_cursor_refuse(&t->c, ZLAY_EINVAL, t->c.at, "more tiles than modes");
    return status ? status : zl_cursor_end(&t->c);
}

static zlay_status put_together(tiling *t, zlay_layout **out, int64_t offset, zl_swizzle s)
{
    zl_modes *m = &t->tiles, *rest = &t->rests;
    bool logical = t->arrangement == ZLAY_LOGICAL;
    if (!logical && (t->arrangement != ZLAY_FLAT || t->tiled == 1)) zl_modes_wrap(m, 0);
    if (!logical && (t->arrangement == ZLAY_ZIPPED || t->rested == 1)) zl_modes_wrap(rest, 0);
    zlay_status status = zl_modes_append(m, rest->at, rest->count);
    zl_modes_wrap(m, 0);
    m->offset = offset;
    return status ? status : zl_layout_strided(t->c.ctx, out, m, s);
}

static zlay_status walk(tiling *t, zlay_layout **out, zl_cursor start)
{
    int64_t offset = t->ordered ? 0 : t->a->offset;
    zl_swizzle s = t->ordered ? (zl_swizzle){0, 0, 0} : t->a->swizzle;
    t->c = start;
    t->tiled = t->rested = 0;
    t->irregular = false;
    zl_modes_begin(&t->tiles, start.ctx);
    zl_modes_begin(&t->rests, start.ctx);
    zlay_status status = all_modes(t);
    if (!status) status = put_together(t, out, offset, s);
    zl_modes_end(&t->rests);
    zl_modes_end(&t->tiles);
    return status;
}

/* Modes that are no shape and stride: their sum as one layout of any kind, and its points in order.
 */
static zlay_status by_order(tiling *t, zlay_layout **out, zl_cursor start)
{
    zlay_layout *order = NULL;
    t->ordered = true;
    zlay_status status = walk(t, &order, start);
    if (!status) status = zl_compose(start.ctx, out, t->sum, order);
    if (!status) status = zl_dress(start.ctx, out, t->a);
    zlay_layout_free(order);
    zlay_layout_free(t->sum);
    return status;
}

static zlay_status tile(tiling *t, zlay_layout **out, zlay_ctx *ctx, const char *tiler,
                        size_t length)
{
    zl_cursor start;
    zlay_status status = zl_cursor_begin(&start, ctx, tiler, length);
    if (!status) status = zl_check_arrangement(ctx, t->arrangement);
    if (status) return status;
    status = walk(t, out, start);
    if (status == ZLAY_NONE && t->irregular) return by_order(t, out, start);
    return status ? status : zl_simplify(ctx, out);
}

/* Of a symbolic layout: its tags are tiled, and what its modes become is read back. */
static zlay_status tile_tags(tiling *t, zlay_layout **out, zlay_ctx *ctx, const char *tiler,
                             size_t length)
{
    zl_symbol_pool *p = t->pool;
    zlay_layout *tags = NULL, *tiled = NULL;
    zl_symbols *s = zl_alloc(ctx, 1, sizeof *s);
    zlay_allocator alloc = zl_allocator(ctx);
    if (!s) return ZLAY_ENOMEM;
    zlay_status status = zl_tags_layout(ctx, &tags, &p->s, 0);
    t->a = tags;
    if (!status) status = tile(t, &tiled, ctx, tiler, length);
    if (!status) status = zl_tags_read(ctx, s, &p->s, tiled->mode, tiled->modes);
    if (!status) status = zl_symbols_layout(ctx, out, s);
    zlay_layout_free(tiled);
    zlay_layout_free(tags);
    zl_free(&alloc, s, sizeof *s);
    return status;
}

static zlay_status tile_symbols(tiling *t, zlay_layout **out, zlay_ctx *ctx, const char *tiler,
                                size_t length)
{
    zlay_allocator alloc = zl_allocator(ctx);
    zl_symbol_pool *p = zl_alloc(ctx, 1, sizeof *p);
    if (!p) return ZLAY_ENOMEM;
    p->ctx = ctx;
    p->each = t->each;
    t->pool = p;
    zlay_status status = zl_symbols_of(ctx, &p->s, t->a);
    if (!status) status = tile_tags(t, out, ctx, tiler, length);
    zl_free(&alloc, p, sizeof *p);
    return status;
}

zlay_status zl_by_tiler(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const char *tiler,
                        size_t length, zlay_arrangement arrangement, zl_tile_mode *each)
{
    tiling t = {.a = a, .each = each, .arrangement = arrangement};
    if (a->symbols) return tile_symbols(&t, out, ctx, tiler, length);
    return tile(&t, out, ctx, tiler, length);
}

/* Of a layout that ends at its box: the tile stays within the mode's points. */
static zlay_status compose_inside(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *mode,
                                  const zlay_layout *tile)
{
    uint64_t limit = zl_limits(ctx)->points;
    int64_t value;
    if (tile->size > limit)
        return zl_fail(ctx, ZLAY_ELIMIT, "limits.points is %llu and a tile has %llu",
                       (unsigned long long)limit, (unsigned long long)tile->size);
    for (uint64_t i = 0; i < tile->size; i++) {
        if (zl_charge_block(ctx, tile, i)) return ZLAY_ENOMEM;
        if (zl_value(tile, i, &value) && (value < 0 || (uint64_t)value >= mode->size))
            return zl_fail(ctx, ZLAY_NONE,
                           "a tile has %lld at %llu, outside the %llu points of its mode",
                           (long long)value, (unsigned long long)i, (unsigned long long)mode->size);
    }
    return zl_compose(ctx, out, mode, tile);
}

static zlay_status compose_boxed(zlay_ctx *ctx, zlay_layout **out, tiling *t, const char *tiler,
                                 size_t length)
{
    zlay_layout *index = NULL, *tiled = NULL;
    const zlay_layout *a = t->a;
    zl_modes box, m;
    zl_modes_begin(&box, ctx);
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_layout_box(&box, a);
    if (!status) status = zl_weights(&m, &box, 1);
    if (!status) status = zl_layout_strided(ctx, &index, &m, (zl_swizzle){0, 0, 0});
    t->a = index;
    t->each = compose_inside;
    if (!status) status = tile(t, &tiled, ctx, tiler, length);
    if (!status) status = zl_compose(ctx, out, a, tiled);
    zl_modes_end(&m);
    zl_modes_end(&box);
    zlay_layout_free(tiled);
    zlay_layout_free(index);
    return status;
}

static zlay_status compose_tiler(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                 const char *tiler, size_t length)
{
    if (!a) return zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    tiling t = {.a = a, .each = zl_compose, .arrangement = ZLAY_LOGICAL, .drops = true};
    if (a->symbols) return tile_symbols(&t, out, ctx, tiler, length);
    return a->modes ? tile(&t, out, ctx, tiler, length)
                    : compose_boxed(ctx, out, &t, tiler, length);
}

zlay_status zlay_layout_compose_tiler(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                      const char *tiler, size_t length)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, compose_tiler(ctx, out, a, tiler, length));
}
