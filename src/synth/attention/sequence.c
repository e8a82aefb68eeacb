/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the map of a tile of rows end where each sequence of a batch does. The dimension of the rows is longer than any
 * sequence, a further one has its stride, and the address lies that many rows before the tensor: rows r of n at
 * coordinates most - n + r and (the row behind the sequence) are those of memory, and the next one is outside the map
 * (the ragged maps of Triton's ragged_tma.py, with a shifted address, as in quack). Heads, and sequences that are padded,
 * have dimensions between these two. */
#include "synth/attention/attention.h"
#include "synth/move/move.h"

enum { ROW = 1 };

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

zlay_status zl_attention_sequence(zlay_ctx *ctx, zlay_move *move, const zlay_target *target,
                                  const zl_attention_dimension *list, uint32_t count)
{
    zlay_tensormap *map = &move->maps[0];
    zlay_status status = ZLAY_OK;
    if (move->info.maps != 1 || map->rank <= ROW || !move->copies[0].advance[ROW][0])
        return zl_fail(ctx, ZLAY_ENOTSUP, "strides: rows are not the second dimension of one map");
    for (uint32_t i = 0; i < count && !status; i++)
        if (list[i].extent > 1) status = dimension_add(ctx, move, &list[i]);
    if (status) return status;
    map->address -= map->extent[ROW] * map->stride[ROW - 1];
    return zl_attention_map_check(ctx, target, map, "the map that ends with a sequence");
}
