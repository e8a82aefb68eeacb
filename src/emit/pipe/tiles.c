/* SPDX-License-Identifier: Apache-2.0 */
/* Prints which tile of a matrix a block computes in each iteration of its loop over tiles (a persistent kernel): the trip
 * count from the numbers of the block and of all blocks, and the tile's row and column from its number. Tiles are visited
 * in groups of rows, column by column (the grouped order of Tillet et al., "Triton", 2019, and CUTLASS's rasterisation). */
#include "emit/pipe/pipe.h"

#include <string.h>

static const zl_pt_tiles *tiles_of(const zl_pipe_text *k) { return k->plan ? &k->plan->tiles : NULL; }

void zl_pt_tiles_declare(zl_pipe_text *k)
{
    if (tiles_of(k))
        zl_pt_line(k, k->c ? "[[maybe_unused]] uint32_t blocks, tile, row, column, left;"
                           : ".reg .b32 blocks, tile, row, column, left;");
}

bool zl_pt_tiles_counted(const zl_pipe_text *k, int32_t param)
{
    return tiles_of(k) && !strcmp(k->pipe->params[param].name, tiles_of(k)->param);
}

/* trips = (tiles + blocks - 1 - block) / blocks; a block's number is below that of blocks, so the sum is at least 0. */
void zl_pt_tiles_count(zl_pipe_text *k, const char *trips)
{
    char room[24];
    const zl_pt_tiles *t = tiles_of(k);
    zl_op(k, GRID, "blocks");
    zl_op(k, ADD, trips, "blocks", zl_pt_number(room, t->rows * t->columns - 1));
    zl_op(k, SUB, trips, trips, "ctaid");
    zl_op(k, DIV, trips, trips, "blocks");
}

/* row, column = the place of tile number `tile`. A group has fewer rows where the matrix ends. */
static void place(zl_pipe_text *k, const zl_pt_tiles *t)
{
    char each[24], group[24], rows[24];
    zl_pt_number(each, t->group * t->columns);
    zl_pt_number(group, t->group);
    zl_op(k, DIV, "row", "tile", each);
    zl_op(k, MUL, "left", "row", each);
    zl_op(k, SUB, "tile", "tile", "left");
    zl_op(k, MUL, "row", "row", group);
    zl_op(k, SUB, "left", zl_pt_number(rows, t->rows), "row");
    zl_op(k, LEAST, "left", "left", group);
    zl_op(k, DIV, "column", "tile", "left");
    zl_op(k, MUL, "left", "column", "left");
    zl_op(k, SUB, "tile", "tile", "left");
    zl_op(k, ADD, "row", "row", "tile");
}

void zl_pt_tiles_begin(zl_pipe_text *k, const zl_event *loop, const char *counter)
{
    if (loop->bar_at.plus < 0 || loop->bar_at.loop >= 0 || !zl_pt_tiles_counted(k, loop->bar_at.plus))
        return;
    zl_op(k, MAD, "tile", counter, "blocks", "ctaid");
    place(k, tiles_of(k));
}

const char *zl_pt_tiles_axis(const zl_pipe_text *k, const char *text, const char **rest)
{
    static const char *const axis[] = {".row", ".column"};
    static const char *const name[] = {"row", "column"};
    size_t length = tiles_of(k) ? strlen(tiles_of(k)->param) : 0;
    if (!length || strncmp(text, tiles_of(k)->param, length) != 0) return NULL;
    for (int i = 0; i < 2; i++) {
        size_t more = strlen(axis[i]);
        const char *end = text + length + more;
        if (strncmp(text + length, axis[i], more) || (*end && *end != ' ')) continue;
        *rest = end;
        return name[i];
    }
    return NULL;
}
