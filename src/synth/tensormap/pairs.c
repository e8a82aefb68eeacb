/* SPDX-License-Identifier: Apache-2.0 */
/* Answers requests for dense values of 4 bits. Copies move whole bytes, so the request is answered
 * for pairs of values, each pair a byte; each map of bytes that the rules for 4-bit types allow
 * then becomes a map of 4-bit values. */
#include "synth/tensormap/symbolic/symbolic.h"

#include "algebra/layout/parts.h"

enum { NO_LEAF = -1 };

static zlay_status unpaired(zlay_ctx *ctx, const char *field)
{
    return zl_fail(ctx, ZLAY_ENOTSUP,
                   "%s: values of 4 bits are moved where they lie in pairs along one mode, both in "
                   "global and in shared memory; give its bytes as u8", field);
}

/* The leaf of stride 1 before which all leaves together have `inner` points. */
static int leaf_of(const zlay_layout *a, uint64_t inner)
{
    uint64_t size = 1;
    for (size_t i = 0; i < a->modes; i++) {
        if (size == inner && a->mode[i].shape > 1) return a->mode[i].stride == 1 ? (int)i : NO_LEAF;
        size *= (uint64_t)a->mode[i].shape;
    }
    return NO_LEAF;
}

static zlay_status remade(zlay_ctx *ctx, zlay_layout **out, zl_modes *m, zl_swizzle s)
{
    zlay_status status = zl_layout_strided(ctx, out, m, s);
    zl_modes_end(m);
    return status;
}

/* Makes a layout of values a layout of pairs; ZLAY_NONE: it splits some pair. */
static zlay_status halved(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, int leaf)
{
    zl_modes m;
    zl_swizzle s = a->swizzle;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_modes_append(&m, a->mode, a->modes);
    for (size_t i = 0; i < m.count && !status; i++) {
        if ((int)i == leaf) m.at[i].shape = (m.at[i].shape + 1) / 2;
        else if (m.at[i].shape > 1 && m.at[i].stride % 2) status = ZLAY_NONE;
        else m.at[i].stride /= 2;
    }
    if (a->offset % 2 || (s.bits && !s.base)) status = ZLAY_NONE;
    m.offset = a->offset / 2;
    if (s.bits) s.base--;
    if (!status) return remade(ctx, out, &m, s);
    zl_modes_end(&m);
    return status;
}

/* Makes a layout of pairs a layout of values again. */
static zlay_status doubled(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, int leaf)
{
    zl_modes m;
    zl_swizzle s = a->swizzle;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_modes_append(&m, a->mode, a->modes);
    for (size_t i = 0; i < m.count && !status; i++) {
        int64_t *twice = (int)i == leaf ? &m.at[i].shape : &m.at[i].stride;
        if (!zl_mul(*twice, 2, twice)) status = ZLAY_EOVERFLOW;
    }
    if (!zl_mul(a->offset, 2, &m.offset)) status = ZLAY_EOVERFLOW;
    if (s.bits) s.base++;
    if (!status) return remade(ctx, out, &m, s);
    zl_modes_end(&m);
    return status;
}

/* The mode of the tile along which values lie in pairs, and the leaf of the source; `axes`: there
 * is none. */
static uint32_t mode_of(const zlay_layout *source, const uint64_t *box, uint32_t axes, int *leaf)
{
    uint64_t inner = 1;
    for (uint32_t k = 0; k < axes; k++) {
        *leaf = box[k] > 1 ? leaf_of(source, inner) : NO_LEAF;
        if (*leaf != NO_LEAF) return k;
        inner *= box[k];
    }
    return axes;
}

/* Refuses a strong edge inside a byte: half of that byte would not be filled with 0. */
static zlay_status extent_check(zlay_ctx *ctx, const zlay_tensormap_request *r, int64_t extent,
                                bool whole)
{
    if (extent % 2 == 0 || (whole && r->edge == ZLAY_EDGE_WEAK)) return ZLAY_OK;
    if (!whole) return unpaired(ctx, "source");
    return zl_fail(ctx, ZLAY_NONE,
                   "TMAP_EXTENT_2: byte %lld of the tile: the tensor ends inside it, and copies fill "
                   "whole bytes", (long long)(extent / 2));
}

/* Makes the request for pairs, as bytes. */
static zlay_status bytes_ask(zl_tm *t, zlay_tensormap_request *r, uint32_t *mode, bool *odd,
                             zlay_layout *made[2])
{
    const zlay_layout *source = r->source, *smem = r->smem;
    uint64_t box[ZLAY_TILE_AXES], inner = 1;
    int leaf;
    if (!source->modes || source->swizzle.bits ||
        zlay_layout_box(box, ZLAY_TILE_AXES, source) != r->axes)
        return unpaired(t->ctx, "source");
    *mode = mode_of(source, box, r->axes, &leaf);
    if (*mode == r->axes || r->shape[*mode] % 2) return unpaired(t->ctx, "tile");
    zlay_status status = extent_check(t->ctx, r, source->mode[leaf].shape,
                                      (uint64_t)source->mode[leaf].shape == box[*mode]);
    if (status) return status;
    *odd = source->mode[leaf].shape % 2;
    status = halved(t->ctx, &made[0], source, leaf);
    if (status) return status == ZLAY_NONE ? unpaired(t->ctx, "source") : status;
    r->shape[*mode] /= 2;
    r->source = made[0];
    for (uint32_t k = 0; k < *mode; k++) inner *= r->shape[k];
    if (!smem) return ZLAY_OK;
    leaf = smem->modes ? leaf_of(smem, inner) : NO_LEAF;
    if (leaf == NO_LEAF || smem->mode[leaf].shape % 2) return unpaired(t->ctx, "smem");
    status = halved(t->ctx, &made[1], smem, leaf);
    r->smem = made[1];
    return status == ZLAY_NONE ? unpaired(t->ctx, "smem") : status;
}

/* ---- the answer in values --------------------------------------------------------------- */

static bool copy_legal(const zlay_target *target, const zlay_tensormap *map, const zlay_copy *copy)
{
    zlay_verdict verdict;
    zlay_tensormap at = *map;
    zlay_issue issue = {.kind = copy->kind, .mode = copy->mode, .rank = map->rank, .smem = copy->smem};
    at.address %= 1u << 20;
    for (uint32_t i = 0; i < map->rank; i++) issue.coordinate[i] = copy->coordinate[i];
    return zlay_copy_check(&verdict, NULL, 0, target, &issue, &at) == ZLAY_OK &&
           verdict.answer == ZLAY_YES;
}

static bool double_32(int32_t *value)
{
    return !__builtin_mul_overflow(*value, 2, value);
}

static bool copy_double(zlay_copy *copy)
{
    bool fits = double_32(&copy->coordinate[0]);
    for (int j = 0; j < ZLAY_TILE_AXES; j++) fits = fits && double_32(&copy->advance[0][j]);
    return fits;
}

/* Makes a map of bytes a map of 4-bit values, where the target allows that for all its copies. */
static void map_take(zlay_move *move, uint32_t i)
{
    zlay_tensormap map = move->maps[i];
    bool legal = map.type == ZLAY_TYPE_U8 && !map.interleave;
    map.type = ZLAY_TYPE_U4_ALIGN8;
    map.extent[0] *= 2;
    map.box[0] *= 2;
    map.channels *= 2;
    for (uint32_t k = 0; k < move->info.copies && legal; k++) {
        zlay_copy copy = move->copies[k];
        if (copy.map == i)
            legal = copy_double(&copy) && copy_legal(move->info.target, &map, &copy);
    }
    if (legal) move->maps[i] = map;
    for (uint32_t k = 0; k < move->info.copies && legal; k++)
        if (move->copies[k].map == i) copy_double(&move->copies[k]);
}

static zlay_status smem_put(zl_tm *t, zlay_move *move, const zlay_layout *asked,
                            const zlay_tensormap_request *r, uint32_t mode)
{
    zlay_layout *values;
    uint64_t inner = 1;
    for (uint32_t k = 0; k < mode; k++) inner *= r->shape[k];
    int leaf = asked ? NO_LEAF : leaf_of(move->smem, inner);
    if (!asked && leaf == NO_LEAF) return unpaired(t->ctx, "tile");
    zlay_status status = asked ? zl_layout_copy(t->ctx, &values, asked)
                               : doubled(t->ctx, &values, move->smem, leaf);
    if (status) return status;
    zlay_layout_free(move->smem);
    move->smem = values;
    return ZLAY_OK;
}

zlay_status zl_tm_pairs(zl_tm *t, zlay_move **out)
{
    zlay_layout *made[2] = {NULL, NULL};
    zlay_tensormap_request r = t->request;
    uint32_t mode = 0;
    bool odd = false;
    r.type = ZLAY_TYPE_U8;
    r.tile = NULL;
    r.residual = 0;
    zlay_status status = bytes_ask(t, &r, &mode, &odd, made);
    if (!status) status = zl_tm_synth(t->ctx, out, t->target, &r, 0);
    if (!status) status = smem_put(t, *out, t->request.smem, &r, mode);
    for (uint32_t i = 0; !status && i < (*out)->info.maps; i++) map_take(*out, i);
    if (!status && odd) (*out)->info.edge = ZLAY_EDGE_WEAK;
    zlay_layout_free(made[0]);
    zlay_layout_free(made[1]);
    return status;
}
