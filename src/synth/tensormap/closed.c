/* SPDX-License-Identifier: Apache-2.0 */
/* Answers a tile whose source is a sum of axes in closed form: by one box, or by several boxes
 * that step evenly. No cell is enumerated, so the time depends on the number of modes and not on
 * the size of the tile. ZLAY_NONE sends the tile to the search over covers (several/). */
#include "synth/tensormap/several/cover.h"

/* Reads axes and digits; ZLAY_NONE: the source or the shared layout is none of these. */
static zlay_status regular(zl_tm *t)
{
    zlay_status status = zl_tm_axes(t);
    t->irregular = status == ZLAY_NONE;
    if (!status && t->request.index_given) status = zl_tm_pick(t);
    if (!status) zl_tm_mirror(t);
    t->origin = t->base;
    if (status) return status;
    return t->request.smem ? zl_tm_digits(t) : zl_tm_free(t);
}

/* Whether two swizzles put the lines of the tile in the same places. */
static bool same_places(const zl_tm *t, int32_t a, int32_t b)
{
    int64_t first = t->shared / ZL_LINE, end = t->shared;
    if (a == b) return true;
    for (uint32_t i = 0; i < t->digits; i++)
        end += t->digit[i].shared * (int64_t)(t->digit[i].extent - 1);
    if (end / ZL_LINE - first >= ZL_LINE_CHUNKS) return false;
    for (int64_t line = first; line <= end / ZL_LINE; line++)
        if (zl_tm_flip(a, (uint64_t)line) != zl_tm_flip(b, (uint64_t)line)) return false;
    return true;
}

/* The rank of the map of a box; greater than the most where there is none. */
static uint32_t rank_of(const zl_tm *t, const zl_tm_box *box)
{
    zl_tm_map m;
    return zl_tm_map_of(&m, t, box) && zl_tm_map_advance(&m) ? m.rank : ZL_TM_RANK + 1;
}

/* The whole tile as one box, with the swizzle that gives the least rank; false: no allowed swizzle
 * puts the tile where the layout does. */
static bool whole_box(const zl_tm *t, zl_tm_box *box)
{
    uint32_t best = UINT32_MAX;
    int32_t given = t->request.swizzle_given ? t->request.swizzle : -1, chosen = -1;
    zl_tm_whole(t, box);
    zl_tm_merge(t, box);
    for (int32_t i = -1; i <= ZLAY_SWIZZLE_128B; i++) {
        int32_t z = i < 0 ? t->swizzle : i;
        if ((given >= 0 && z != given) || !same_places(t, t->swizzle, z)) continue;
        box->swizzle = z;
        uint32_t rank = rank_of(t, box);
        if (rank < best) chosen = z;
        if (rank < best) best = rank;
    }
    box->swizzle = chosen;
    return chosen >= 0;
}

/* Whether the copies write no more than the tile's bytes, rounded up to 16. */
static bool box_is_full(const zl_tm *t, const zlay_move *move)
{
    uint64_t bytes = (uint64_t)zl_tm_bytes(t, (int64_t)(t->cells * t->element));
    return move->info.bytes == (bytes + ZL_CHUNK - 1) / ZL_CHUNK * ZL_CHUNK;
}

/* Plans the tile as one copy, the least number there can be. */
static zlay_status one_box(zl_tm *t, zlay_move **out)
{
    zl_tm_split whole;
    whole.overs = 0;
    whole.copies = 1;
    if (!whole_box(t, &whole.box)) return ZLAY_NONE;
    zlay_status status = zl_tm_maps(t, out, &whole.box, 1);
    if (!status && !zl_tm_reads_inside(t, *out)) return ZLAY_NONE;
    if (!status) status = zl_tm_check(t, *out);
    if (!status) (*out)->info.optimal = box_is_full(t, *out);
    return status ? status : zl_tm_certify(t, *out, &whole);
}

/* Plans the tile as several copies of one box; split.c proves when fewer cannot suffice. */
static zlay_status even_boxes(zl_tm *t, zlay_move **out)
{
    zl_tm_split split;
    zlay_move_free(*out);
    *out = NULL;
    if (!zl_tm_split_of(&split, t)) return ZLAY_NONE;
    zlay_status status = zl_tm_split_move(t, out, &split);
    if (!status && !zl_tm_reads_inside(t, *out)) return ZLAY_NONE;
    if (!status) status = zl_tm_check_even(t, *out, &split);
    if (!status) (*out)->info.optimal = split.copies == 1 && box_is_full(t, *out);
    return status ? status : zl_tm_certify(t, *out, &split);
}

zlay_status zl_tm_closed(zl_tm *t, zlay_move **out)
{
    zlay_status status = regular(t);
    if (status) return status;
    if (t->swizzle == ZL_SWIZZLE_FLIP) return ZLAY_NONE;
    status = one_box(t, out);
    return status == ZLAY_NONE ? even_boxes(t, out) : status;
}
