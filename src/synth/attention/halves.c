/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a move of a whole tile of keys of one that brings half of it: of each four rows of the tensor the first two, and by a
 * second map the last two. */
#include "synth/attention/attention.h"
#include "synth/move/move.h"

enum { FOUR = 4, PAIR = 2, FOURS = 1 /* the axis that counts them */ };

/* The dimension that the fours of rows are. */
static uint32_t dimension_of(const zlay_move *half)
{
    uint32_t dim = 0;
    while (dim < half->maps[0].rank && !half->copies[0].advance[dim][FOURS]) dim++;
    return dim;
}

/* Fours of `rows` that have a row of the half; one at least. */
static uint64_t fours_of(uint64_t rows, uint64_t first)
{
    return rows > first ? (rows - first + FOUR - 1) / FOUR : 1;
}

static zlay_status doubled(zlay_ctx *ctx, zlay_move *whole, const zlay_move *half, uint64_t rows, uint64_t bytes)
{
    uint32_t copies = half->info.copies, dim = dimension_of(half);
    if (half->info.maps != 1 || dim == half->maps[0].rank)
        return zl_fail(ctx, ZLAY_ENOTSUP, "k: pairs of rows are not a dimension of one map");
    for (uint32_t h = 0; h < 2; h++) {
        whole->maps[h] = half->maps[0];
        if (h && rows > PAIR) whole->maps[h].address += bytes;
        whole->maps[h].extent[dim] = fours_of(rows, h * PAIR);
        for (uint32_t i = 0; i < copies; i++) {
            zlay_copy *copy = &whole->copies[h * copies + i];
            *copy = half->copies[i];
            copy->map = h;
            copy->smem += (uint32_t)(h * half->info.bytes);
        }
    }
    whole->info.path = half->info.path;
    whole->info.edge = half->info.edge;
    whole->info.bytes = 2 * half->info.bytes;
    whole->info.reserved_bytes = half->info.bytes + half->info.reserved_bytes;
    return ZLAY_OK;
}

zlay_status zl_attention_halves(zlay_ctx *ctx, zl_bound_move *bound, uint64_t rows, uint64_t bytes)
{
    zlay_move *whole, *half = bound->move;
    zlay_status status = zl_move_new(ctx, &whole, half->info.target, 2, 2 * half->info.copies);
    if (status) return status;
    status = doubled(ctx, whole, half, rows, bytes);
    for (uint32_t h = 0; h < 2 && !status; h++)
        status = zl_attention_map_check(ctx, half->info.target, &whole->maps[h], "k: the map of pairs of rows");
    zlay_move_free(status ? whole : half);
    if (!status) bound->move = whole;
    return status;
}
