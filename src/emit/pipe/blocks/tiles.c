/* SPDX-License-Identifier: Apache-2.0 */
/* Prints which tile of a matrix a block computes in each iteration of its loop over tiles (a persistent kernel): the trip
 * count from the numbers of the block and of all blocks, and the tile's row and column from its number. Tiles are visited
 * in bands of rows, column by column (the grouped order of Tillet et al., "Triton", 2019, and CUTLASS's rasterisation). */
#include "emit/pipe/pipe.h"

#include <string.h>

static const zl_pt_tiles *tiles_of(const zl_pipe_text *k) { return k->plan && k->plan->tiles.param ? &k->plan->tiles : NULL; }

/* Whether the tiles are those of several matrices, whose rows an array says. */
static bool has_groups(const zl_pipe_text *k) { return tiles_of(k) && tiles_of(k)->offsets; }

void zl_pt_tiles_declare(zl_pipe_text *k)
{
    if (tiles_of(k) && !zl_pt_sequences_of(k))
        zl_pt_line(k, k->c ? "[[maybe_unused]] uint32_t tile, row, column, rest, left;"
                           : ".reg .b32 tile, row, column, rest, left;");
    if (has_groups(k))
        zl_pt_line(k, k->c ? "[[maybe_unused]] uint32_t group, begins, ends, tall, full, origin, next, idle, busy, tallest, filled, narrow, absent, taken;"
                           : ".reg .b32 group, begins, ends, tall, full, origin, next, tallest, filled, narrow, absent, taken; .reg .pred idle, busy;");
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
    if (t->offsets) zl_pt_fail(k, "%s: no role knows how many tiles groups have", t->param);
    zl_pt_tiles_step(k);
    zl_op(k, ADD, trips, "left", zl_pt_number(room, t->rows * t->columns - 1));
    zl_pt_tiles_first(k);
    zl_op(k, SUB, trips, trips, "tile");
    zl_op(k, DIV, trips, trips, "left");
}

zl_pt_range zl_pt_tiles_range(const zl_pipe_text *k, char room[24])
{
    const zl_pt_tiles *t = tiles_of(k);
    if (t->offsets) return (zl_pt_range){"tile", NULL, "next", false, true};
    zl_pt_number(room, t->rows * t->columns);
    return (zl_pt_range){"tile", "left", room, false, true};
}

/* ---- groups ------------------------------------------------------------------------------------
 * Groups are matrices one below the other. Tiles are numbered group after group, and a role's tiles come in rising order, so
 * that it keeps the group of the last one and goes on from there: `origin` is the group's first tile, `next` that of the group
 * behind it, `tall` its rows of tiles, `full` those that more than one instance of the consumers shares. The row behind these,
 * where there is one, comes last in its group, for its tiles take less time: blocks then begin tiles together as long as they
 * can. Offsets that decrease or pass the rows that there are at most are bounded: a row is in one group at most, and the tiles
 * end. */

/* ends = the offset at gp, bounded. */
static void read_end(zl_pipe_text *k)
{
    char room[24];
    zl_say(k, NULL, "ld.nc.b32", 1, "w1", "gp");
    zl_op(k, UPPER, "ends", "ends", "w1");
    zl_op(k, LOWER, "ends", "ends", zl_pt_number(room, tiles_of(k)->most));
}

/* w0 = a number above that of the tile where a group follows, else 0. */
static void limit(zl_pipe_text *k)
{
    char room[24];
    zl_op(k, ADD, "w1", "group", "1");
    zl_op(k, LT, "more", "w1", zl_pt_number(room, tiles_of(k)->groups));
    zl_op(k, ADD, "w0", "tile", "1");
    zl_op(k, PICK, "w0", "w0", "0", "more");
}

/* to = the tiles that the rows of the group and so many more fill. */
static void rows_of(zl_pipe_text *k, const char *to, uint32_t more)
{
    char room[24];
    zl_op(k, SUB, to, "ends", "begins");
    zl_op(k, ADD, to, to, zl_pt_number(room, more));
    zl_op(k, DIV, to, to, zl_pt_number(room, tiles_of(k)->height));
}

/* Goes on to the group of `tile`: next is above it, or there is none and next is the number of all tiles. */
static void find_group(zl_pipe_text *k)
{
    char columns[24];
    const zl_pt_tiles *t = tiles_of(k);
    const zl_pt_range range = {.counter = "next", .step = "w2", .last = "w0", .unsigned_ = true};
    limit(k);
    zl_pt_while(k, &range);
    zl_op(k, MOV, "begins", "ends");
    zl_op(k, MOV, "origin", "next");
    zl_op(k, ADD, "group", "group", "1");
    zl_op(k, LOAD64, "gp", t->offsets);
    zl_op(k, FURTHER, "gp", "group", "4");
    zl_op(k, MORE, "gp", "4");
    read_end(k);
    if (t->deep) zl_op(k, MOV, "tall", zl_pt_number(columns, t->rows));
    else rows_of(k, "tall", t->height - 1);
    if (t->deep) zl_op(k, MOV, "full", "tall");
    else rows_of(k, "full", t->share - 1);
    zl_op(k, MUL, "w2", "tall", zl_pt_number(columns, t->columns));
    limit(k);
    zl_pt_while_end(k, &range);
}

bool zl_pt_tiles_counts(const zl_pipe_text *k, int32_t param)
{
    int32_t of = k->pipe->params[param].of;
    return has_groups(k) && tiles_of(k)->deep && of >= 0 && zl_pt_tiles_counted(k, of);
}

/* A group without rows has one step, of zeros. */
void zl_pt_tiles_steps(zl_pipe_text *k, const char *trips)
{
    char room[24];
    const zl_pt_tiles *t = tiles_of(k);
    zl_op(k, SUB, trips, "ends", "begins");
    zl_op(k, ADD, trips, trips, zl_pt_number(room, t->deep - 1));
    zl_op(k, DIV, trips, trips, zl_pt_number(room, t->deep));
    zl_op(k, MOST, trips, trips, "1");
}

/* Before the first group, which the first tile has yet to find. */
static void first_group(zl_pipe_text *k)
{
    zl_op(k, MOV, "group", "-1");
    zl_op(k, MOV, "next", "0");
    zl_op(k, MOV, "ends", "0");
    zl_op(k, LOAD64, "gp", tiles_of(k)->offsets);
    read_end(k);
    find_group(k);
}

/* ---- a counter of tiles ----------------------------------------------------------------------------
 * A block's first tile is that of its number. In each iteration its producer takes the next from the counter, which counts those
 * behind the first of all blocks, and tells it to the other roles by a message. Each tile of the matrix is an iteration of one
 * block, so as many are taken as there are tiles: who took the last sets the counter to 0 again, for the next launch. */

bool zl_pt_tiles_taken(const zl_pipe_text *k) { return has_groups(k) && tiles_of(k)->counter; }

static void take(zl_pipe_text *k)
{
    zl_op(k, LOAD64, "gp", tiles_of(k)->counter);
    zl_op(k, TAKE, "taken", "gp");
}

/* Where no tile is left, `next` is their number. */
static void begin_again(zl_pipe_text *k)
{
    zl_pt_tiles_step(k);
    zl_op(k, SUB, "w0", "tile", "left");
    zl_op(k, ADD, "w0", "w0", "1");
    zl_op(k, EQ, "more", "w0", "next");
    zl_pt_when(k, "more");
    zl_op(k, LOAD64, "gp", tiles_of(k)->counter);
    zl_op(k, MOV, "w0", "0");
    zl_say(k, NULL, "st.g.b32", 0, "gp", "w0");
    zl_pt_when_end(k);
}

void zl_pt_tiles_next(zl_pipe_text *k)
{
    if (!zl_pt_tiles_taken(k)) zl_pt_tiles_step(k);
    if (!has_groups(k)) return;
    if (zl_pt_tiles_taken(k)) zl_op(k, MOV, "tile", "taken");
    else zl_op(k, ADD, "tile", "tile", "left");
    find_group(k);
    if (zl_pt_tiles_taken(k) && zl_pt_lone(k)) begin_again(k);
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
    if (has_groups(k)) first_group(k);
}

void zl_pt_tiles_step(zl_pipe_text *k)
{
    zl_op(k, GRID, "left");
    by_cluster(k, "left");
}

/* The register of the tile's number in its matrix. */
static const char *own_number(zl_pipe_text *k)
{
    if (!has_groups(k)) return "tile";
    zl_op(k, SUB, "w0", "tile", "origin");
    return "w0";
}

/* Where w0 is behind the tiles of full rows: the place in the row behind them. */
static void place_behind(zl_pipe_text *k, const char *columns)
{
    zl_op(k, MUL, "left", "full", columns);
    zl_op(k, GE, "more", "w0", "left");
    zl_op(k, SUB, "rest", "w0", "left");
    zl_op(k, PICK, "row", "full", "row", "more");
    zl_op(k, PICK, "column", "rest", "column", "more");
}

/* busy: the instance has rows of its group, or the last one has where the role loads for all; idle: it has none. */
static void see_busy(zl_pipe_text *k)
{
    char room[24], last[24];
    uint32_t instances = tiles_of(k)->height / tiles_of(k)->share;
    zl_pt_number(last, instances - 1);
    zl_op(k, MAD, "w0", "row", zl_pt_number(room, instances), zl_pt_tiles_spare(k) ? "instance" : last);
    zl_op(k, MAD, "w0", "w0", zl_pt_number(room, tiles_of(k)->share), "begins");
    zl_op(k, SUB, "w0", "ends", "w0");
    if (zl_pt_tiles_spare(k)) zl_say(k, NULL, "shfl.idx", 1, "w0", "w0", "0", "31", "-1");
    zl_op(k, ABOVE, "busy", "w0", "0");
    zl_op(k, UNDER, "idle", "w0", "1");
}

bool zl_pt_tiles_spare(const zl_pipe_text *k)
{
    return has_groups(k) && !zl_pt_tiles_slice(k) && !tiles_of(k)->deep && k->role && zl_role_instances(k->role) > 1;
}

/* ---- tiles of as many rows as there are -----------------------------------------------------------
 * A group's rows of tiles have as many rows as each other, `tallest`, in whole steps, and the last has those that remain: blocks
 * that read the same columns then go on at one speed, and find what they share in L2. Of a tile `filled` rows exist: copies
 * leave out slices without rows, and products columns (the transposed product has a tile's rows as its columns). What is left
 * out is neither expected nor stored. */

uint32_t zl_pt_tiles_slice(const zl_pipe_text *k) { return has_groups(k) ? tiles_of(k)->slice : 0; }

/* In a group of tall rows of tiles, none of which has more rows than a tile may: rows = tall - 1 whole ones and the last. */
static void see_filled(zl_pipe_text *k)
{
    char step[24], slice[24], room[24];
    const zl_pt_tiles *t = tiles_of(k);
    zl_pt_number(step, t->step);
    zl_pt_number(slice, t->slice);
    zl_op(k, SUB, "left", "ends", "begins");
    zl_op(k, ADD, "tallest", "left", "tall");
    zl_op(k, SUB, "tallest", "tallest", "1");
    zl_op(k, DIV, "tallest", "tallest", "tall");
    zl_op(k, ADD, "tallest", "tallest", zl_pt_number(room, t->step - 1));
    zl_op(k, DIV, "tallest", "tallest", step);
    zl_op(k, MUL, "row", "row", "tallest");
    zl_op(k, MUL, "filled", "row", step);
    zl_op(k, SUB, "filled", "left", "filled");
    zl_op(k, MUL, "tallest", "tallest", step);
    zl_op(k, LEAST, "filled", "filled", "tallest");
    if (!zl_pt_lone(k)) zl_say(k, NULL, "shfl.idx", 1, "filled", "filled", "0", "31", "-1");
    zl_op(k, ADD, "narrow", "filled", zl_pt_number(room, t->step - 1));
    zl_op(k, DIV, "narrow", "narrow", step);
    zl_op(k, ADD, "absent", "filled", zl_pt_number(room, t->slice - 1));
    zl_op(k, DIV, "absent", "absent", slice);
    zl_op(k, SUB, "absent", zl_pt_number(room, t->height / t->slice), "absent");
    zl_op(k, MUL, "absent", "absent", zl_pt_number(room, t->slice_bytes));
}

/* Whether an axis of a move counts the rows of groups. */
static bool is_ragged(const zl_pipe_text *k, const char *axis)
{
    const char *rest;
    const char *at = axis && zl_pt_tiles_slice(k) ? zl_pt_tiles_axis(k, axis, &rest) : NULL;
    return at && !strcmp(at, "row");
}

uint32_t zl_pt_tiles_behind(const zl_pipe_text *k, const zlay_pipe_move *move, const zlay_copy *first, const zlay_copy *copy)
{
    for (int dim = 0; dim < 5; dim++)
        for (int axis = 0; axis < ZLAY_TILE_AXES; axis++)
            if (copy->advance[dim][axis] && is_ragged(k, move->axis[axis])) return (uint32_t)(copy->coordinate[dim] - first->coordinate[dim]);
    return 0;
}

bool zl_pt_tiles_spared(const zl_pipe_text *k) { return has_groups(k) && tiles_of(k)->spared && !zl_pt_tiles_spare(k); }

/* Where a band is one row, tiles are numbered row by row. */
static void place_by_rows(zl_pipe_text *k, const zl_pt_tiles *t)
{
    char columns[24];
    const char *number = own_number(k);
    zl_pt_number(columns, t->columns);
    zl_op(k, DIV, "row", number, columns);
    zl_op(k, MUL, "rest", "row", columns);
    zl_op(k, SUB, "column", number, "rest");
}

static void place_by_bands(zl_pipe_text *k, const zl_pt_tiles *t)
{
    char each[24], band[24], rows[24];
    const char *number = own_number(k);
    zl_pt_number(each, t->band * t->columns);
    zl_pt_number(band, t->band);
    zl_op(k, DIV, "row", number, each);
    zl_op(k, MUL, "rest", "row", each);
    zl_op(k, SUB, "rest", number, "rest");
    zl_op(k, MUL, "row", "row", band);
    zl_op(k, SUB, "left", has_groups(k) ? "full" : zl_pt_number(rows, t->rows), "row");
    zl_op(k, LEAST, "left", "left", band);
    if (has_groups(k)) zl_op(k, MOST, "left", "left", "1");
    zl_op(k, DIV, "column", "rest", "left");
    zl_op(k, MUL, "left", "column", "left");
    zl_op(k, SUB, "rest", "rest", "left");
    zl_op(k, ADD, "row", "row", "rest");
}

/* row, column = the place of tile number `tile`. A band has fewer rows where the matrix ends. Where blocks of a cluster
 * have neighbouring tiles, these are numbered together. */
void zl_pt_tiles_place(zl_pipe_text *k)
{
    char each[24];
    const zl_pt_tiles *t = tiles_of(k);
    if (t->band == 1) place_by_rows(k, t);
    else place_by_bands(k, t);
    if (has_groups(k) && t->share < t->height) place_behind(k, zl_pt_number(each, t->columns));
    if (zl_pt_tiles_taken(k) && zl_pt_lone(k)) take(k);
    if (zl_pt_tiles_slice(k)) see_filled(k);
    else if (zl_pt_tiles_spare(k) || zl_pt_tiles_spared(k)) see_busy(k);
    if (!t->neighbours) return;
    zl_op(k, RANK, "left");
    zl_op(k, MAD, t->neighbours, t->neighbours, zl_pt_number(each, k->pipe->blocks), "left");
}

/* Rows of groups count in all matrices together. */
void zl_pt_tiles_at(zl_pipe_text *k, const char *to, int32_t position)
{
    char room[24];
    const zl_pt_tiles *t = tiles_of(k);
    if (!t) zl_pt_fail(k, "no tiles are bound, whose row or column a body could have");
    else if (position == ZL_POS_TILE_COLUMN) zl_op(k, MUL, to, "column", zl_pt_number(room, t->width));
    else if (position == ZL_POS_TILE_ROW && has_groups(k)) zl_op(k, MAD, to, "row", zl_pt_number(room, t->height), "begins");
    else if (position == ZL_POS_TILE_ROW) zl_op(k, MUL, to, "row", zl_pt_number(room, t->height));
    else if (has_groups(k)) zl_op(k, MOV, to, "group");
    else zl_pt_fail(k, "no groups are bound, whose number a body could have");
}

const char *zl_pt_tiles_axis(const zl_pipe_text *k, const char *text, const char **rest)
{
    static const char *const axis[] = {".row", ".column", ".group", ".begin", ".end"};
    static const char *const name[] = {"row", "column", "group", "begins", "ends"};
    bool turned = zl_pt_tiles_slice(k) != 0;
    size_t length = tiles_of(k) ? strlen(tiles_of(k)->param) : 0;
    if (!length || strncmp(text, tiles_of(k)->param, length) != 0) return NULL;
    for (int i = 0; i < (has_groups(k) ? 5 : 2); i++) {
        size_t more = strlen(axis[i]);
        const char *end = text + length + more;
        if (strncmp(text + length, axis[i], more) || (*end && *end != ' ')) continue;
        *rest = end;
        return name[turned && i < 2 ? 1 - i : i];
    }
    return NULL;
}
