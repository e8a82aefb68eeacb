/* SPDX-License-Identifier: Apache-2.0 */
/* The block of memory that a layout of any kind is, which a copy of the allocator frees, and what
 * a layout says of itself.  What depends on the kind is asked of its table; each kind's makers
 * stand with that table. */
#include "algebra/layout/layout.h"

#include <string.h>

zlay_layout *zl_layout_block(zlay_ctx *ctx, int32_t kind, const zl_layout_kind *table, size_t tail)
{
    size_t bytes = sizeof(zlay_layout) + tail;
    zlay_layout *a = zl_alloc_plain(ctx, 1, bytes);
    if (!a) return NULL;
    memset(a, 0, bytes);
    a->alloc = zl_allocator(ctx);
    a->bytes = bytes;
    a->kind = kind;
    a->table = table;
    a->size = 1;
    return a;
}

zlay_status zl_enter_layout(zlay_ctx *ctx, zlay_layout **out)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    return zl_enter(ctx);
}

void zlay_layout_free(zlay_layout *layout)
{
    if (!layout) return;
    zl_free(&layout->alloc, layout, layout->bytes);
}

unsigned zl_dim_bits(const zl_dim *dim, size_t count)
{
    unsigned bits = 0;
    for (size_t i = 0; i < count; i++) bits += dim[i].bits;
    return bits;
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
