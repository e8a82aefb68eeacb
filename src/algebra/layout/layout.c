/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts are made and freed here, and say what they are: one block of memory each, of which a
 * copy of the allocator frees it.  What depends on the kind is asked of its table. */
#include "algebra/layout/layout.h"

zlay_layout *zl_layout_block(zlay_ctx *ctx, int32_t kind, const zl_layout_kind *table, size_t tail)
{
    size_t bytes = sizeof(zlay_layout) + tail;
    zlay_layout *a = zl_alloc(ctx, 1, bytes);
    if (!a) return NULL;
    a->alloc = zl_allocator(ctx);
    a->bytes = bytes;
    a->kind = kind;
    a->table = table;
    a->size = 1;
    return a;
}

void zlay_layout_free(zlay_layout *layout)
{
    if (!layout) return;
    zl_free(&layout->alloc, layout, layout->bytes);
}

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

unsigned zl_dim_bits(const zl_dim *dim, size_t count)
{
    unsigned bits = 0;
    for (size_t i = 0; i < count; i++) bits += dim[i].bits;
    return bits;
}

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

zlay_status zlay_layout_new_strided(zlay_ctx *ctx, zlay_layout **out, size_t rank,
                                    const int64_t *shape, const int64_t *stride, int64_t offset)
{
    const int64_t *const pair[2] = {shape, stride};
    zl_modes m;
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zl_modes_begin(&m, ctx);
    m.offset = offset;
    status = new_strided(ctx, out, &m, rank, pair);
    zl_modes_end(&m);
    return zl_leave(ctx, status);
}

int32_t zlay_layout_kind(const zlay_layout *layout) { return layout ? layout->kind : 0; }
uint64_t zlay_layout_size(const zlay_layout *layout) { return layout ? layout->size : 0; }

size_t zlay_layout_out_count(const zlay_layout *layout)
{
    if (!layout) return 0;
    if (zl_is_pieces(layout)) return layout->pieces.outs;
    bool f2 = layout->kind == ZLAY_LAYOUT_F2 || layout->kind == ZLAY_LAYOUT_MODULAR;
    return f2 ? layout->f2.outs : 1;
}

size_t zlay_layout_box(uint64_t *extents, size_t room, const zlay_layout *layout)
{
    if (!layout || (room && !extents)) return 0;
    return layout->table->extents(extents, room, layout);
}

static void print(zl_text *out, const void *layout)
{
    const zlay_layout *a = layout;
    a->table->print(out, a);
}

zlay_status zlay_layout_print(zlay_buf *out, const zlay_layout *layout)
{
    return layout ? zl_print(out, print, layout) : ZLAY_EINVAL;
}
