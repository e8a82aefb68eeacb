/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of tensormap.synth with a plain reading of what they ask for. */
#ifndef TEST_TILE_ASK_H
#define TEST_TILE_ASK_H

#include "tiles/tiles.h"

#include <zlay/zlay.h>

/* Make words such that rounding to tf32 keeps them: no low bits, no NaN. */
static inline void tile_exact(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 4) {
        uint32_t w;
        memcpy(&w, bytes + i, 4);
        w &= 0xbfffe000;
        memcpy(bytes + i, &w, 4);
    }
}

/* What is asked: tiles of `shape` along each mode of a source, or one tile that a layout names. */
typedef struct tile_ask {
    int32_t type;
    int bytes; /* of an element */
    tile_layout source, tile, smem;
    int64_t shape[TILE_MODES];
    bool by_layout, free_smem, weak, keep_holes, store;
    int32_t swizzle; /* of a free one; -1: any */
} tile_ask;

static inline int64_t ask_tiles(const tile_ask *a, int mode)
{
    if (a->by_layout) return 1;
    return (a->source.shape[mode] + a->shape[mode] - 1) / a->shape[mode];
}

static inline int64_t ask_cells(const tile_ask *a)
{
    int64_t n = 1;
    if (a->by_layout) return tile_size(&a->tile);
    for (int i = 0; i < a->source.modes; i++) n *= a->shape[i];
    return n;
}

/* The element offset of a cell of tile `t`; false: it lies outside the tensor. */
static inline bool ask_global(int64_t *out, const tile_ask *a, const int64_t *t, int64_t cell)
{
    *out = a->source.offset;
    if (a->by_layout) {
        int64_t at = tile_at(&a->tile, cell);
        *out = tile_at(&a->source, at);
        return at >= 0 && at < tile_size(&a->source);
    }
    for (int i = 0; i < a->source.modes; i++) {
        int64_t at = t[i] * a->shape[i] + cell % a->shape[i];
        if (at >= a->source.shape[i]) return false;
        *out += at * a->source.stride[i];
        cell /= a->shape[i];
    }
    return true;
}

static inline const char *ask_text(const tile_ask *a)
{
    static char out[4 * TILE_TEXT];
    char text[TILE_TEXT];
    char *at = out + sprintf(out, "type %d source %s tile ", a->type, tile_text(text, &a->source));
    if (a->by_layout) at += sprintf(at, "%s", tile_text(text, &a->tile));
    for (int i = 0; !a->by_layout && i < a->source.modes; i++)
        at += sprintf(at, "%s%lld", i ? "," : "(", (long long)a->shape[i]);
    at += sprintf(at, "%s smem %s", a->by_layout ? "" : ")",
                  a->free_smem ? "free" : tile_text(text, &a->smem));
    if (a->free_smem && a->swizzle >= 0) at += sprintf(at, " swizzle %d", a->swizzle);
    if (a->weak) at += sprintf(at, " weak");
    if (a->keep_holes) at += sprintf(at, " keep_holes");
    if (a->store) sprintf(at, " store");
    return out;
}

static inline zlay_layout *ask_layout(zlay_ctx *ctx, const tile_layout *of)
{
    char text[TILE_TEXT];
    zlay_layout *out = NULL;
    tile_text(text, of);
    if (zlay_layout_parse(ctx, &out, text, strlen(text))) return NULL;
    return out;
}

static inline zlay_status ask_synth(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                                    const tile_ask *a)
{
    zlay_tensormap_request r;
    memset(&r, 0, sizeof r);
    r.size = sizeof r;
    r.type = a->type;
    zlay_layout *source = ask_layout(ctx, &a->source), *tile = NULL, *smem = NULL;
    if (a->by_layout) tile = ask_layout(ctx, &a->tile);
    else r.axes = (uint32_t)a->source.modes;
    for (uint32_t i = 0; i < r.axes; i++) r.shape[i] = (uint64_t)a->shape[i];
    if (!a->free_smem) smem = ask_layout(ctx, &a->smem);
    r.source = source;
    r.tile = tile;
    r.smem = smem;
    r.swizzle_given = a->free_smem && a->swizzle >= 0;
    r.swizzle = r.swizzle_given ? a->swizzle : 0;
    r.keep_holes = a->keep_holes;
    r.direction = a->store ? ZLAY_DIRECTION_STORE : ZLAY_DIRECTION_LOAD;
    r.edge = a->weak ? ZLAY_EDGE_WEAK : ZLAY_EDGE_STRONG;
    zlay_status status = zlay_tensormap_synth(ctx, out, target, &r);
    zlay_layout_free(source);
    zlay_layout_free(tile);
    zlay_layout_free(smem);
    return status;
}

#endif
