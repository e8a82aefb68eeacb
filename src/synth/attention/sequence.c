/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the map of a tile of rows end where each sequence of a batch does, with strides that wrap around at 2^64 (as Triton's
 * ragged_tma.py): row r of n, which end before row e, is row 2^30 - n + r of 2^30, in plane 2^30 - e of planes that are 2^34 bytes
 * less a row apart, and e times 2^34 bytes further. Multiples of 2^34 add up to 2^64, so that row e - n + r of memory remains, and the
 * row behind the last one is outside of the map. Where five dimensions do not suffice for that, for heads and padded sequences have
 * dimensions of their own, the address lies as many rows before the tensor as the longest sequence has, and the dimension of the ends
 * has the stride of rows (as in quack). An H200 then faults where memory before the tensor is not mapped, though no byte of it is read. */
#include "synth/attention/attention.h"
#include "synth/move/move.h"

enum { ROW = 1, ROWS_LOG = 30, PLANE_LOG = 34 };

/* What each copy has whole in the last dimension, and lies right behind it, goes on there. */
static bool goes_on(const zlay_tensormap *map, const zl_attention_dimension *d)
{
    uint32_t last = map->rank - 1;
    return last > ROW && map->box[last] == map->extent[last] &&
           d->stride == map->extent[last] * map->stride[last - 1];
}

static zlay_status dimension_add(zlay_ctx *ctx, zlay_move *move, const zl_attention_dimension *d)
{
    zlay_tensormap *map = &move->maps[0];
    uint32_t rank = map->rank, last = rank - 1;
    if (goes_on(map, d)) {
        for (uint32_t i = 0; i < move->info.copies; i++)
            move->copies[i].advance[last][d->axis] = (int32_t)map->extent[last];
        map->extent[last] *= d->extent;
        return ZLAY_OK;
    }
    if (rank == ZL_COUNT(map->extent))
        return zl_fail(ctx, ZLAY_ENOTSUP, "strides: a map of more than 5 dimensions");
    map->extent[rank] = d->extent;
    map->stride[rank - 1] = d->stride;
    map->box[rank] = map->step[rank] = 1;
    map->rank++;
    for (uint32_t i = 0; i < move->info.copies; i++) move->copies[i].advance[rank][d->axis] = 1;
    return ZLAY_OK;
}

/* By the rules but those of the address, to which the tensor's is added. */
zlay_status zl_attention_map_check(zlay_ctx *ctx, const zlay_target *target, const zlay_tensormap *map, const char *what)
{
    zlay_verdict verdict;
    zlay_reason reason;
    zlay_rule rule = {.id = "?"};
    zlay_tensormap at_0 = *map;
    at_0.address = 0;
    zlay_status status = zlay_tensormap_check(&verdict, &reason, 1, target, &at_0);
    if (status || verdict.answer == ZLAY_YES) return status;
    zlay_rule_info(&rule, reason.rule);
    return zl_fail(ctx, ZLAY_NONE, "%s: %s", rule.id, what);
}

/* Ends rows by two dimensions, or false: there is no room for them. */
static bool wraps_around(zlay_move *move, const zl_attention_dimension *end)
{
    zlay_tensormap *map = &move->maps[0];
    const uint32_t rank = map->rank;
    const int32_t rows = 1 << ROWS_LOG;
    if (rank + 2 > ZL_COUNT(map->extent) || map->extent[ROW] > (uint64_t)rows || end->extent > (uint64_t)rows || end->stride >> PLANE_LOG) return false;
    for (uint32_t i = 0; i < move->info.copies; i++) {
        zlay_copy *copy = &move->copies[i];
        copy->coordinate[ROW] += rows - (int32_t)map->extent[ROW];
        copy->coordinate[rank] = rows;
        copy->advance[rank][end->axis] = -1;
        copy->advance[rank + 1][end->axis] = 1;
    }
    map->stride[rank - 1] = ((uint64_t)1 << PLANE_LOG) - end->stride;
    map->stride[rank] = (uint64_t)1 << PLANE_LOG;
    map->extent[ROW] = map->extent[rank] = map->extent[rank + 1] = (uint64_t)rows;
    map->box[rank] = map->box[rank + 1] = map->step[rank] = map->step[rank + 1] = 1;
    map->rank = rank + 2;
    return true;
}

zlay_status zl_attention_sequence(zlay_ctx *ctx, zlay_move *move, const zlay_target *target,
                                  const zl_attention_dimension *list, uint32_t count)
{
    zlay_tensormap *map = &move->maps[0];
    zlay_status status = ZLAY_OK;
    if (move->info.maps != 1 || map->rank <= ROW || !move->copies[0].advance[ROW][0])
        return zl_fail(ctx, ZLAY_ENOTSUP, "strides: rows are not the second dimension of one map");
    for (uint32_t i = 0; i + 1 < count && !status; i++)
        if (list[i].extent > 1) status = dimension_add(ctx, move, &list[i]);
    bool wraps = !status && wraps_around(move, &list[count - 1]);
    if (!status && !wraps) status = dimension_add(ctx, move, &list[count - 1]);
    if (status) return status;
    if (!wraps) map->address -= map->extent[ROW] * map->stride[ROW - 1];
    return zl_attention_map_check(ctx, target, map, "the map that ends with a sequence");
}
