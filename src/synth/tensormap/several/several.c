/* SPDX-License-Identifier: Apache-2.0 */
/* Plans a tile as several boxes: it finds the least cover, makes its maps and copies, checks the
 * rules and makes the certificate. It does so for each known way to count the tile's edges
 * (edges.c) and takes the least result. NONE is answered only where no copies bring even the cells
 * that the tensor has. */
#include "synth/tensormap/several/cover.h"

#include <string.h>

/* Checks the rules of the move.  Another move might not break the rule that this one breaks, so the
 * status becomes ELIMIT, except where the target has no such maps at all. */
static zlay_status rules_check(const zl_tm *t, const zlay_move *move)
{
    static const char target[] = "TMAP_TARGET";
    char why[256];
    zlay_status status = zl_tm_check(t, move);
    const char *text = zlay_ctx_message(t->ctx);
    if (status != ZLAY_NONE || !strncmp(text, target, sizeof target - 1)) return status;
    zl_quote(why, text, strlen(text));
    return zl_fail(t->ctx, ZLAY_ELIMIT,
                   "tile: the copies that were found break %s; no others are searched", why);
}

static zlay_status boxes_move(zl_tm *t, const zl_chunks *c, zlay_move **out, const zl_tm_box *box,
                              uint32_t boxes)
{
    zlay_status status = zl_tm_maps(t, out, box, boxes);
    if (status == ZLAY_NONE)
        return zl_fail(t->ctx, ZLAY_EINTERNAL, "a cover has no maps; please report this request");
    if (!status && !zl_tm_reads_inside(t, *out)) return ZLAY_EROOM;
    if (!status) status = rules_check(t, *out);
    return status ? status : zl_chunks_certify(c, *out);
}

/* Whether a least cover is also the least of all copies.  All cells beyond an edge are filled with
 * the same value, but their keys differ; so with edges other copies may bring them, and a cover is
 * proved least only where it is one copy that writes only chunks which the tile wants. */
static bool is_proved(const zl_tm *t, const zl_chunks *c, const zl_cover *found)
{
    if (!zl_tm_any_clips(t)) return found->boxes == 1 || t->request.smem;
    return found->boxes == 1 && found->chunks == c->wanted;
}

static zlay_status cover_once(zl_tm *t, zlay_move **out)
{
    zl_chunks c;
    zl_cover found = {0};
    zl_mark mark = zl_scratch_mark(t->ctx);
    zlay_status status = zl_chunks_make(&c, t);
    bool chosen = !t->request.smem && c.key;
    if (!status) status = zl_chunks_cover(&c, &found);
    if (status == ZLAY_NONE && chosen)
        status = zl_fail(t->ctx, ZLAY_ELIMIT,
                         "smem: no copies bring the tile to the places that were chosen, rows as "
                         "they lie in global memory; others are not searched");
    if (!status) status = boxes_move(t, &c, out, found.box, found.boxes);
    if (!status) (*out)->info.optimal = found.least && is_proved(t, &c, &found);
    zl_scratch_release(t->ctx, mark);
    return status;
}

/* Covers the tile.  Where copies that write holes read outside the tensor, it covers the tile
 * again without writing holes; then it is not proved that no fewer copies suffice, which write
 * other holes. */
static zlay_status cover_inside(zl_tm *t, zlay_move **out)
{
    zlay_status status = cover_once(t, out);
    if (status != ZLAY_EROOM) return status;
    zlay_move_free(*out);
    *out = NULL;
    t->request.keep_holes = 1;
    status = cover_once(t, out);
    if (!status && (*out)->info.copies > 1) (*out)->info.optimal = 0;
    if (status != ZLAY_EROOM && status != ZLAY_NONE) return status;
    return zl_fail(t->ctx, ZLAY_ELIMIT,
                   "source: the copies that were found read outside of its memory; no others are "
                   "searched");
}

static uint32_t rank_sum(const zlay_move *move)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < move->info.maps; i++) sum += move->maps[i].rank;
    return sum;
}

bool zl_tm_less(const zlay_move *a, const zlay_move *b)
{
    if (!b) return true;
    if (a->info.copies != b->info.copies) return a->info.copies < b->info.copies;
    if (a->info.bytes != b->info.bytes) return a->info.bytes < b->info.bytes;
    if (a->info.maps != b->info.maps) return a->info.maps < b->info.maps;
    return rank_sum(a) < rank_sum(b);
}

/* Keeps the lesser of two answers and frees the other; any move is less than none. */
static zlay_status lesser(zlay_move **out, zlay_status status, zlay_move *other, zlay_status its)
{
    bool take = its == ZLAY_OK && (status || zl_tm_less(other, *out));
    if (take || status) zlay_move_free(*out);
    if (!take) zlay_move_free(other);
    if (take || status) *out = take ? other : NULL;
    return its == ZLAY_ENOMEM ? its : take ? ZLAY_OK : status;
}

/* Covers the tile with edges counted along memory, from the axis of the longest step on, and keeps
 * the least. */
static zlay_status cover_memory(zl_tm *t, zlay_move **out, zlay_status status)
{
    for (uint32_t i = t->axes; i-- > 0 && status != ZLAY_ENOMEM;) {
        zl_tm other;
        zlay_move *move = NULL;
        if (!t->axis[i].clipped && t->request.edge != ZLAY_EDGE_WEAK) continue;
        if (!zl_tm_along_memory(&other, t, i)) continue;
        zlay_status its = cover_inside(&other, &move);
        if (!its && other.past) move->info.edge = ZLAY_EDGE_WEAK;
        status = lesser(out, status, move, its);
    }
    return status;
}

/* Whether no other way to count edges can have fewer copies, bytes, maps or dimensions. */
static bool settled(const zlay_move *move)
{
    return move->info.optimal && (move->info.copies > 1 || move->maps[0].rank == 1);
}

/* Covers the tile with the edges of each axis, then with edges counted along memory.  NONE is
 * answered only where no copies bring the cells that the tensor has. */
zlay_status zl_tm_cover(zl_tm *t, zlay_move **out)
{
    zl_tm first = *t;
    zlay_status status = cover_inside(&first, out);
    if (t->irregular || !zl_tm_any_clips(t) || (!status && settled(*out))) return status;
    if (status == ZLAY_ENOMEM || (status && status != ZLAY_NONE && status != ZLAY_ELIMIT))
        return status;
    status = cover_memory(t, out, status);
    if (!status || status == ZLAY_ENOMEM) return status;
    if (t->request.smem || status == ZLAY_NONE) status = zl_tm_no_edges(t);
    if (status && status != ZLAY_ELIMIT) return status;
    return zl_fail(t->ctx, ZLAY_ELIMIT,
                   "edge: copies bring the cells of the tensor, but no way that is known to count "
                   "its edges makes maps of them");
}
