/* SPDX-License-Identifier: Apache-2.0 */
/* Divides and products by a tiler: each mode with its tile, then the parts in order. */
#include "algebra/cursor.h"
#include "algebra/cute.h"

#include <string.h>

typedef struct tiling {
    zl_cursor c;
    const zlay_layout *a;
    zl_tile_mode *each;
    zlay_arrangement arrangement;
    zl_modes tiles, rests; /* of the modes so far; LOGICAL keeps ((t),(r)) in `tiles` */
    size_t tiled, rested;  /* how many there are: CuTe leaves the parentheses of a tuple of one */
    bool more, drops;      /* entries are left; modes behind the last are dropped */
} tiling;

/* The text of the next entry: up to ';' or '>'. */
static size_t entry(const zl_cursor *c)
{
    size_t end = c->at;
    while (end < c->length && c->text[end] != ';' && c->text[end] != '>') end++;
    return end - c->at;
}

/* An integer is n:1, but CuTe divides and multiplies by 1 as 1:0. */
static zlay_status unit(zlay_ctx *ctx, zlay_layout **tile)
{
    zl_modes m;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_modes_leaf(&m, 1, 0);
    if (!status) status = zl_layout_strided(ctx, tile, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    return status;
}

static zlay_status take_entry(tiling *t, zlay_layout **tile)
{
    size_t length = entry(&t->c);
    const char *text = t->c.text + t->c.at;
    zlay_status status = zl_parse(t->c.ctx, tile, text, length, t->c.at);
    if (status) return status;
    if (!t->drops && (*tile)->size == 1 && !memchr(text, ':', length)) {
        zlay_layout_free(*tile);
        *tile = NULL;
        status = unit(t->c.ctx, tile);
        if (status) return status;
    }
    t->c.at += length;
    t->more = zl_cursor_take(&t->c, ';');
    return t->more ? ZLAY_OK : zl_cursor_want(&t->c, '>');
}

static zlay_status keep(tiling *t, const zlay_layout *made)
{
    bool logical = t->arrangement == ZLAY_LOGICAL;
    if (!zl_is_plain(made))
        return zl_fail(t->c.ctx, ZLAY_NONE,
                       "byte %zu: a mode with its tile is no shape and stride, and modes of a "
                       "tuple are",
                       t->c.at);
    if (logical) return zl_modes_append(&t->tiles, made->mode, made->modes);
    t->tiled++;
    t->rested++;
    zlay_status status = zl_parts_take(&t->tiles, made->mode, made->modes, 0);
    return status ? status : zl_parts_take(&t->rests, made->mode, made->modes, 1);
}

static zlay_status one_mode(tiling *t, const zlay_layout *mode)
{
    zlay_layout *tile = NULL, *made = NULL;
    if (!t->more) {
        zl_modes *to = t->arrangement == ZLAY_LOGICAL ? &t->tiles : &t->rests;
        t->rested++;
        return zl_modes_append(to, mode->mode, mode->modes);
    }
    zlay_status status = take_entry(t, &tile);
    if (!status) status = t->each(t->c.ctx, &made, mode, tile);
    if (!status) status = keep(t, made);
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
        return zl_fail(t->c.ctx, ZLAY_EINVAL, "byte %zu: more tiles than modes", t->c.at);
    return status ? status : zl_cursor_end(&t->c);
}

static zlay_status put_together(tiling *t, zlay_layout **out)
{
    zl_modes *m = &t->tiles, *rest = &t->rests;
    bool logical = t->arrangement == ZLAY_LOGICAL;
    if (!logical && (t->arrangement != ZLAY_FLAT || t->tiled == 1)) zl_modes_wrap(m, 0);
    if (!logical && (t->arrangement == ZLAY_ZIPPED || t->rested == 1)) zl_modes_wrap(rest, 0);
    zlay_status status = zl_modes_append(m, rest->at, rest->count);
    zl_modes_wrap(m, 0);
    m->offset = t->a->offset;
    if (!status) status = zl_layout_strided(t->c.ctx, out, m, t->a->swizzle);
    return status ? status : zl_simplify(t->c.ctx, out);
}

static zlay_status tile(tiling *t, zlay_layout **out, zlay_ctx *ctx, const char *tiler,
                        size_t length)
{
    zlay_status status = zl_cursor_begin(&t->c, ctx, tiler, length);
    if (!status) status = zl_check_arrangement(ctx, t->arrangement);
    if (status) return status;
    zl_modes_begin(&t->tiles, ctx);
    zl_modes_begin(&t->rests, ctx);
    status = all_modes(t);
    if (!status) status = put_together(t, out);
    zl_modes_end(&t->rests);
    zl_modes_end(&t->tiles);
    return status;
}

zlay_status zl_by_tiler(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const char *tiler,
                        size_t length, zlay_arrangement arrangement, zl_tile_mode *each)
{
    tiling t = {.a = a, .each = each, .arrangement = arrangement};
    return tile(&t, out, ctx, tiler, length);
}

static zlay_status compose_tiler(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                 const char *tiler, size_t length)
{
    if (!a) return zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    if (!a->modes) return zl_fail(ctx, ZLAY_NONE, "this kind has no modes of its own");
    tiling t = {.a = a, .each = zl_compose, .arrangement = ZLAY_LOGICAL, .drops = true};
    return tile(&t, out, ctx, tiler, length);
}

zlay_status zlay_layout_compose_tiler(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                      const char *tiler, size_t length)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, compose_tiler(ctx, out, a, tiler, length));
}
