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
        zl_pt_line(k, k->c ? "[[maybe_unused]] uint32_t tile, row, column, rest, left;"
                           : ".reg .b32 tile, row, column, rest, left;");
}

bool zl_pt_tiles_counted(const zl_pipe_text *k, int32_t param)
{
    return tiles_of(k) && !strcmp(k->pipe->params[param].name, tiles_of(k)->param);
}

bool zl_pt_tiles_loop(const zl_pipe_text *k, const zl_event *loop)
{
    const zl_pos *first = &loop->at[0], *last = &loop->bar_at;
    return tiles_of(k) && !k->plan->units && last->plus >= 0 && last->loop == -1 && !last->add && first->loop == -1 && !first->add &&
           first->plus < 0 && loop->step == 1 && zl_pt_tiles_counted(k, last->plus);
}

/* Whether a position, other than the end of a loop over tiles, asks how many tiles the block has. */
static bool is_asked(const zl_pipe_text *k, const char *param)
{
    const zl_pos *pos[ZL_POSITIONS];
    for (uint32_t i = k->pipe->setup; i < k->pipe->events_count; i++) {
        const zl_event *e = &k->pipe->events[i];
        zl_event_positions(e, pos);
        for (int j = 0; j < ZL_POSITIONS; j++) {
            int32_t names[] = {pos[j]->times, pos[j]->plus};
            if (e->kind == ZL_EV_FOR && pos[j] == &e->bar_at && zl_pt_tiles_loop(k, e)) continue;
            for (int n = 0; n < 2; n++)
                if (names[n] >= 0 && !strcmp(k->pipe->params[names[n]].name, param)) return true;
        }
    }
    return false;
}

/* trips = (tiles + blocks - 1 - block) / blocks; a block's number is below that of blocks, so the sum is at least 0. */
void zl_pt_tiles_count(zl_pipe_text *k, const char *trips)
{
    char room[24];
    const zl_pt_tiles *t = tiles_of(k);
    if (k->plan->units || !is_asked(k, t->param)) return;
    zl_pt_tiles_step(k);
    zl_op(k, ADD, trips, "left", zl_pt_number(room, t->rows * t->columns - 1));
    zl_pt_tiles_first(k);
    zl_op(k, SUB, trips, trips, "tile");
    zl_op(k, DIV, trips, trips, "left");
}

zl_pt_range zl_pt_tiles_range(const zl_pipe_text *k, char room[24])
{
    const zl_pt_tiles *t = tiles_of(k);
    zl_pt_number(room, t->rows * t->columns);
    return (zl_pt_range){"tile", "left", room, false, true};
}

/* The blocks of a cluster share a number. */
static void by_cluster(zl_pipe_text *k, const char *number)
{
    char room[24];
    if (zl_pt_blocks(k) > 1) zl_op(k, DIV, number, number, zl_pt_number(room, zl_pt_blocks(k)));
}

/* The special registers are read anew, for ptxas does not take what a role was handed for uniform in a warp. */
void zl_pt_tiles_first(zl_pipe_text *k)
{
    zl_op(k, BLOCK, "tile");
    by_cluster(k, "tile");
}

void zl_pt_tiles_step(zl_pipe_text *k)
{
    zl_op(k, GRID, "left");
    by_cluster(k, "left");
}

/* Where a group is one row, tiles are numbered row by row. */
static void place_by_rows(zl_pipe_text *k, const zl_pt_tiles *t)
{
    char columns[24];
    zl_pt_number(columns, t->columns);
    zl_op(k, DIV, "row", "tile", columns);
    zl_op(k, MUL, "rest", "row", columns);
    zl_op(k, SUB, "column", "tile", "rest");
}

static void place_by_groups(zl_pipe_text *k, const zl_pt_tiles *t)
{
    char each[24], group[24], rows[24];
    zl_pt_number(each, t->group * t->columns);
    zl_pt_number(group, t->group);
    zl_op(k, DIV, "row", "tile", each);
    zl_op(k, MUL, "rest", "row", each);
    zl_op(k, SUB, "rest", "tile", "rest");
    zl_op(k, MUL, "row", "row", group);
    zl_op(k, SUB, "left", zl_pt_number(rows, t->rows), "row");
    zl_op(k, LEAST, "left", "left", group);
    zl_op(k, DIV, "column", "rest", "left");
    zl_op(k, MUL, "left", "column", "left");
    zl_op(k, SUB, "rest", "rest", "left");
    zl_op(k, ADD, "row", "row", "rest");
}

/* row, column = the place of tile number `tile`. A group has fewer rows where the matrix ends. Where blocks of a cluster
 * have neighbouring tiles, these are numbered together. */
void zl_pt_tiles_place(zl_pipe_text *k)
{
    char each[24];
    const zl_pt_tiles *t = tiles_of(k);
    if (t->group == 1) place_by_rows(k, t);
    else place_by_groups(k, t);
    if (!t->neighbours) return;
    zl_op(k, RANK, "left");
    zl_op(k, MAD, t->neighbours, t->neighbours, zl_pt_number(each, k->pipe->blocks), "left");
}

void zl_pt_tiles_first_of(zl_pipe_text *k, const char *to, bool column)
{
    char room[24];
    const zl_pt_tiles *t = tiles_of(k);
    if (!t) zl_pt_fail(k, "no tiles are bound, whose row or column a body could have");
    else zl_op(k, MUL, to, column ? "column" : "row", zl_pt_number(room, column ? t->width : t->height));
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
