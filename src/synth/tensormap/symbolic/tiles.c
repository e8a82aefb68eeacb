/* SPDX-License-Identifier: Apache-2.0 */
/* Proves that the copies of a tile do what the request says, cell by cell (identity.c) or for all
 * cells together (generators.c), and that the copies of the next tile along each leaf do so too:
 * their coordinates advance by what the request adds, and edges agree where a map's dimension and
 * the axis end at the same cell. What is not proved is answered ELIMIT. */
#include "synth/tensormap/symbolic/symbolic.h"

#include <string.h>

static zlay_status unproved(const zl_tm_symbolic *g, const char *why)
{
    return zl_symbols_unknown(g->ctx, why);
}

static bool cell_prove(const zl_tm_cell *c)
{
    for (uint32_t k = 0; k < c->g->move->info.copies; k++)
        if (zl_tm_proved_by(c, &c->g->move->copies[k])) return true;
    return false;
}

static bool named_extent(const zl_tm_symbolic *g, uint32_t leaf)
{
    return !zl_monomial_constant(&g->s->leaf[leaf].shape);
}

/* What the next tile along a leaf adds is what the request adds, and a dimension that it moves by
 * an unknown number of tiles has that leaf's extent. */
static bool advance_right(const zl_tm_symbolic *g, const zlay_copy *copy, uint32_t leaf)
{
    const zl_tm_read *read = &g->read[copy->map];
    uint32_t rank = g->move->maps[copy->map].rank;
    int64_t tile = (int64_t)g->request.shape[leaf];
    zl_tm_sum want = {{0}}, have = {{0}};
    if (!zl_tm_sum_add(&want, &g->step[leaf], tile)) return false;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t by = copy->advance[i][leaf], part;
        if (!zl_mul(read->factor[i], by, &part)) return false;
        have.of[read->product[i]] += part;
        bool own = read->leaf[i] == (int32_t)leaf;
        if (own ? by * read->part[i] != tile * read->times[i]
                : by && read->leaf[i] != ZL_TM_NO_LEAF)
            return false;
        if (by && named_extent(g, leaf) && read->leaf[i] != (int32_t)leaf) return false;
    }
    return memcmp(&want, &have, sizeof want) == 0;
}

/* Tiles that leave the tensor along a leaf are cut by a dimension of its extent. */
static bool edge_right(const zl_tm_symbolic *g, const zlay_copy *copy, uint32_t leaf)
{
    const zl_tm_read *read = &g->read[copy->map];
    if (!named_extent(g, leaf)) return true;
    zlay_range r = zl_monomial_range(&g->s->leaf[leaf].shape, g->s);
    if (zl_range_divisor(r) % g->request.shape[leaf] == 0) return true;
    for (uint32_t i = 0; i < g->move->maps[copy->map].rank; i++)
        if (read->leaf[i] == (int32_t)leaf) return true;
    return false;
}

static zlay_status tiles_prove(const zl_tm_symbolic *g)
{
    for (uint32_t k = 0; k < g->move->info.copies; k++)
        for (uint32_t leaf = 0; leaf < g->s->leaves; leaf++) {
            const zlay_copy *copy = &g->move->copies[k];
            if (!zl_tm_one_tile(g, leaf) && !advance_right(g, copy, leaf))
                return unproved(g, "the next tile is reached for some numbers only");
            if (!edge_right(g, copy, leaf))
                return unproved(g, "the tensor's edge is cut for some numbers only");
        }
    return ZLAY_OK;
}

zlay_status zl_tm_prove(const zl_tm_symbolic *g)
{
    uint64_t cells = zlay_layout_size(g->move->smem);
    if (cells > zl_limits(g->ctx)->points)
        return zl_fail(g->ctx, ZLAY_ELIMIT, "limit points: the tile has %llu",
                       (unsigned long long)cells);
    if (zl_tm_prove_digits(g)) return tiles_prove(g);
    zl_tm_cell c = {.g = g};
    for (uint64_t i = 0; i < cells; i++)
        if (!zl_tm_cell_at(&c, i) || !cell_prove(&c))
            return unproved(g, "no copies found for some numbers do it for all");
    return tiles_prove(g);
}
