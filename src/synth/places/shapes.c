/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of a cluster.  Blocks of a cluster that differ only along dimensions of the grid along
 * which an operand's tile is the same form a group: one read of global memory serves the group.
 * Every shape that divides the grid and that the target allows is tried, the fewest blocks
 * first. */
#include "synth/places/place.h"

#include <string.h>

enum { DIMENSIONS = 3, BLOCKS_MOST = 32, ALL = ZL_PLACE_SETS - 1 };

uint32_t zl_place_group(const zlay_places_value *value, const uint32_t *cluster)
{
    uint32_t blocks = 1;
    for (int d = 0; d < DIMENSIONS; d++)
        if (value->same >> d & 1) blocks *= cluster[d];
    return blocks;
}

/* Tries one shape; *cluster becomes it where it is better than all before. */
static zlay_status try_shape(zl_place_search *s, uint32_t *cluster, const uint32_t *shape)
{
    zl_place_program *p = s->p;
    zl_place_cost bound = s->bound;
    for (uint32_t v = 0; v < p->r.values; v++)
        p->value[v].group = zl_place_group(&p->r.value[v], shape);
    p->open = shape[0] * shape[1] * shape[2] > 1 ? ALL : ALL & ~ZLAY_PLACE_CLUSTER;
    zlay_status status = zl_place_best(s);
    if (zl_cost_less(bound, s->bound)) s->bound = bound;
    if (!status) memcpy(cluster, shape, DIMENSIONS * sizeof *cluster);
    return status == ZLAY_NONE ? ZLAY_OK : status;
}

static bool divides(const zl_place_program *p, const uint32_t *shape)
{
    for (int d = 0; d < DIMENSIONS; d++)
        if (shape[d] > 1 && (!p->r.grid[d] || p->r.grid[d] % shape[d])) return false;
    return true;
}

bool zl_place_clusters(const zl_place_program *p)
{
    for (uint32_t blocks = 2; blocks <= p->r.cluster; blocks++)
        for (int d = 0; d < DIMENSIONS; d++)
            if (p->r.grid[d] && p->r.grid[d] % blocks == 0) return true;
    return false;
}

zlay_status zl_place_shapes(zl_place_search *s, uint32_t *cluster)
{
    zl_place_program *p = s->p;
    uint32_t most = p->r.cluster < BLOCKS_MOST ? p->r.cluster : BLOCKS_MOST;
    zlay_status status = ZLAY_OK;
    bool none = false; /* nothing fits with several blocks: shapes of these differ in costs alone */
    s->bound = (zl_place_cost){UINT64_MAX, 0};
    for (uint32_t blocks = 1; !status && blocks <= most; blocks++)
        for (uint32_t x = 1; !status && x <= blocks; x++)
            for (uint32_t y = 1; !status && x * y <= blocks; y++) {
                const uint32_t shape[] = {x, y, blocks / (x * y)};
                if (none || blocks % (x * y) || !divides(p, shape)) continue;
                status = try_shape(s, cluster, shape);
                none = blocks > 1 && !s->found && !s->cut;
            }
    for (uint32_t v = 0; v < p->r.values; v++)
        p->value[v].group = s->found ? zl_place_group(&p->r.value[v], cluster) : 1;
    p->open = p->capacity[ZL_CLUSTER] ? ALL : ALL & ~ZLAY_PLACE_CLUSTER;
    return status ? status : s->found ? ZLAY_OK : s->cut ? ZLAY_ELIMIT : ZLAY_NONE;
}

/* ---- masks ----------------------------------------------------------------------------------- */

/* The coordinates of a rank, the first dimension the fastest. */
static void coordinates(const uint32_t *cluster, uint32_t rank, uint32_t *at)
{
    for (int d = 0; d < DIMENSIONS; d++) {
        at[d] = rank % cluster[d];
        rank /= cluster[d];
    }
}

static bool in_group(const zlay_places *a, uint32_t same, uint32_t rank, uint32_t other)
{
    uint32_t i[DIMENSIONS], j[DIMENSIONS];
    coordinates(a->cluster, rank, i);
    coordinates(a->cluster, other, j);
    for (int d = 0; d < DIMENSIONS; d++)
        if (i[d] != j[d] && !(same >> d & 1)) return false;
    return true;
}

zlay_status zlay_places_mask(uint32_t *mask, uint32_t *first, uint32_t *rows,
                             const zlay_places *places, const zlay_places_request *request,
                             uint32_t value, uint32_t rank)
{
    if (!mask || !places || !request || value >= places->values || value >= request->values ||
        places->values > ZLAY_PLACES_VALUES || !request->value)
        return ZLAY_EINVAL;
    uint32_t blocks = places->cluster[0] * places->cluster[1] * places->cluster[2];
    uint32_t group = places->value[value].blocks, found = 0, before = 0;
    if (!blocks || blocks > BLOCKS_MOST || rank >= blocks) return ZLAY_EINVAL;
    if (group <= 1) return ZLAY_NONE;
    for (uint32_t i = 0; i < blocks; i++) {
        if (!in_group(places, request->value[value].same, rank, i)) continue;
        found |= 1u << i;
        before += i < rank;
    }
    uint32_t all = request->value[value].rows;
    bool sliced = all % group == 0;
    if (!sliced && before) return ZLAY_NONE;
    *mask = found;
    if (first) *first = sliced ? all / group * before : 0;
    if (rows) *rows = sliced ? all / group : all;
    return ZLAY_OK;
}
