/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/cursor.h"
#include "algebra/layout.h"


/* (b, complement(b, size)): what a is composed with. */
static zlay_status tile_and_rest(zl_modes *m, const zlay_layout *b, uint64_t size)
{
    zl_modes rest;
    zlay_status status = zl_modes_append(m, b->mode, b->modes);
    zl_modes_begin(&rest, m->ctx);
    if (!status) status = zl_complement(&rest, b, size);
    if (!status) status = zl_modes_append(m, rest.at, rest.count);
    zl_modes_end(&rest);
    zl_modes_wrap(m, 0);
    return status;
}

zlay_status zl_divide(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const zlay_layout *b)
{
    zlay_layout *both = NULL;
    zl_modes m;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_is_plain(b)
        ? tile_and_rest(&m, b, a->size)
        : zl_fail(ctx, ZLAY_ENOTSUP, "a layout is divided by a strided layout with offset 0");
    if (!status) status = zl_layout_strided(ctx, &both, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    if (!status) status = zl_compose(ctx, out, a, both);
    zlay_layout_free(both);
    return status;
}

zlay_status zlay_layout_logical_divide(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                       const zlay_layout *b)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    if (!a || !b) status = zl_fail(ctx, ZLAY_EINVAL, "a layout is NULL");
    else status = zl_divide(ctx, out, a, b);
    return zl_leave(ctx, status);
}

/* ---- by a tiler, mode by mode --------------------------------------------------------- */

/* The modes [first, end) of a as a layout of their own. */
static zlay_status take_mode(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t first,
                             size_t end, bool outer)
{
    zl_modes m;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_modes_append(&m, a->mode + first, end - first);
    if (!status && outer && first == 0) m.at[0].open--;
    if (!status && outer && end == a->modes) m.at[m.count - 1].close--;
    if (!status) status = zl_layout_strided(ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    return status;
}

static zlay_status divide_mode(zlay_ctx *ctx, zl_modes *out, const zlay_layout *mode,
                               const char *text, size_t length, size_t first_byte)
{
    zlay_layout *tile = NULL, *divided = NULL;
    zlay_status status = zl_parse(ctx, &tile, text, length, first_byte);
    if (!status) status = zl_divide(ctx, &divided, mode, tile);
    if (!status && !zl_is_plain(divided))
        status = zl_fail(ctx, ZLAY_ENOTSUP, "byte %zu: the mode's divide is not strided",
                         first_byte);
    if (!status) status = zl_modes_append(out, divided->mode, divided->modes);
    zlay_layout_free(divided);
    zlay_layout_free(tile);
    return status;
}

/* The text of the next entry: up to ';' or '>'. */
static size_t entry(const zl_cursor *c)
{
    size_t end = c->at;
    while (end < c->length && c->text[end] != ';' && c->text[end] != '>') end++;
    return end - c->at;
}

static zlay_status tiler_mode(zl_cursor *c, zl_modes *out, const zlay_layout *mode, bool *more)
{
    size_t length = entry(c);
    zlay_status status = divide_mode(c->ctx, out, mode, c->text + c->at, length, c->at);
    if (status) return status;
    c->at += length;
    *more = zl_cursor_take(c, ';');
    return *more ? ZLAY_OK : zl_cursor_want(c, '>');
}

static zlay_status divide_modes(zl_cursor *c, zl_modes *out, const zlay_layout *a)
{
    bool outer = a->mode[0].open, more = true, top = outer;
    zlay_status status = zl_cursor_want(c, '<');
    for (size_t i = 0, end; i < a->modes && !status; i = end, top = false) {
        zlay_layout *mode = NULL;
        end = zl_part_end(a->mode, i, a->mode[i].open - top);
        status = take_mode(c->ctx, &mode, a, i, end, outer);
        if (!status && more) status = tiler_mode(c, out, mode, &more);
        else if (!status) status = zl_modes_append(out, mode->mode, mode->modes);
        zlay_layout_free(mode);
    }
    if (!status && more)
        return zl_fail(c->ctx, ZLAY_EINVAL, "byte %zu: more tiles than modes", c->at);
    zl_modes_wrap(out, 0);
    return status ? status : zl_cursor_end(c);
}

static zlay_status divide_tiler(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const char *tiler, size_t length)
{
    zl_cursor c;
    zl_modes m;
    if (!a) return zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    zlay_status status = zl_cursor_begin(&c, ctx, tiler, length);
    if (status) return status;
    if (!a->modes)
        return zl_fail(ctx, ZLAY_ENOTSUP, "an f2 layout has no modes to divide");
    zl_modes_begin(&m, ctx);
    m.offset = a->offset;
    status = divide_modes(&c, &m, a);
    if (!status) status = zl_layout_strided(ctx, out, &m, a->swizzle);
    zl_modes_end(&m);
    return status ? status : zl_simplify(ctx, out);
}

zlay_status zlay_layout_logical_divide_tiler(zlay_ctx *ctx, zlay_layout **out,
                                             const zlay_layout *a, const char *tiler,
                                             size_t length)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, divide_tiler(ctx, out, a, tiler, length));
}
