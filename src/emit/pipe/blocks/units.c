/* SPDX-License-Identifier: Apache-2.0 */
/* Prints which tiles, and which steps of them, a block of a stream-K product computes: whole tiles, then the head of one, its first
 * steps, then the tail of another, its last.
 *
 * Of T tiles of N steps G blocks take b, b + G and so on, as long as all have one; the last R tiles, G to 2 G - 1 of them, are cut
 * into G runs of equal length. With q = T / G, R = T - (q - 1) G: block b begins in tile t = b R / G of these, rounded down, at step
 * (b R mod G) N / G of it, and ends where the next block begins, so it has w = 0 or 1 whole tiles between. A cut between tiles
 * moves by a step: every block has a tail and a head, the last block that of the tile in which block 0 begins.
 *
 * Blocks begin tiles together, so that they share rows and columns in L2, if they are renumbered: a block with a whole tile
 * among the R takes (q - 1) G + b for it, one without begins its head there; the other heads are those of the tiles from q G on. */
#include "emit/pipe/pipe.h"

#include <stdio.h>
#include <string.h>

static const char *const registers =
    "head, head_steps, tail, tail_first, blocks, first";

static const zl_pt_units *units_of(const zl_pipe_text *k) { return k->plan ? k->plan->units : NULL; }

bool zl_pt_units_printed(const zl_pipe_text *k, const zl_role *role) { return !units_of(k) || role->cta <= 0; }

void zl_pt_units_declare(zl_pipe_text *k)
{
    if (units_of(k)) zl_pt_line(k, k->c ? "[[maybe_unused]] uint32_t %s;" : ".reg .b32 %s;", registers);
}

void zl_pt_units_leave(zl_pipe_text *k)
{
    char room[24];
    if (!units_of(k)) return;
    zl_op(k, GE, "more", "ctaid", zl_pt_number(room, units_of(k)->blocks));
    zl_pt_when(k, "more");
    zl_op(k, RETURN, "");
    zl_pt_when_end(k);
}

/* The register with the number of the block's tiles. */
static void tiles_of(const zl_pipe_text *k, char room[80])
{
    zl_pt_trips(room, k->plan->tiles.param);
}

/* ---- the block's runs ----------------------------------------------------------------------------- */

/* w1 = block * R, tile = that / G, the tile in which the block begins; w2 has R. */
static void begins(zl_pipe_text *k, const char *block)
{
    zl_op(k, MUL, "w1", block, "w2");
    zl_op(k, DIV, "tile", "w1", "blocks");
}

/* steps = at which step of its tile the block of w1 and tile begins, at least 1. */
static void first_step(zl_pipe_text *k, const char *steps)
{
    char room[24];
    zl_op(k, MUL, "left", "tile", "blocks");
    zl_op(k, SUB, "w1", "w1", "left");
    zl_op(k, MUL, "w1", "w1", zl_pt_number(room, units_of(k)->steps));
    zl_op(k, DIV, "w1", "w1", "blocks");
    zl_op(k, MOST, steps, "w1", "1");
}

/* head = the tile that block, w0, begins and another ends; x0 = its whole tiles among the R. `tile` has the tile in which it
 * begins, head that in which it ends; rest has (q - 1) G. */
static void head_of(zl_pipe_text *k, const char *head)
{
    zl_op(k, SUB, "x0", head, "tile");
    zl_op(k, SUB, "x0", "x0", "1");
    zl_op(k, ADD, "row", "rest", "w0");
    zl_op(k, ADD, "column", "rest", "blocks");
    zl_op(k, ADD, head, head, "column");
    zl_op(k, SUB, head, head, "w0");
    zl_op(k, SUB, head, head, "2");
    zl_op(k, EQ, "more", "x0", "0");
    zl_op(k, PICK, head, "row", head, "more");
}

/* blocks = G, w3 = q - 1, rest = (q - 1) G, w2 = R. */
static void count_tiles(zl_pipe_text *k)
{
    char room[24];
    const zl_pt_units *u = units_of(k);
    zl_op(k, GRID, "blocks");
    zl_op(k, LEAST, "blocks", "blocks", zl_pt_number(room, u->blocks));
    zl_pt_number(room, k->plan->tiles.rows * k->plan->tiles.columns);
    zl_op(k, DIV, "w3", room, "blocks");
    zl_op(k, SUB, "w3", "w3", "1");
    zl_op(k, MUL, "rest", "w3", "blocks");
    zl_op(k, SUB, "w2", room, "rest");
}

/* The number of the block before, which for the first, where `more` holds, is the last. */
static void before(zl_pipe_text *k, const char *block)
{
    zl_op(k, EQ, "more", block, "0");
    zl_op(k, PICK, block, "blocks", block, "more");
    zl_op(k, SUB, block, block, "1");
}

/* The tail is the rest of the head of the block before, which for the first is the last. */
static void tail(zl_pipe_text *k)
{
    zl_op(k, BLOCK, "w0");
    begins(k, "w0");
    first_step(k, "tail_first");
    before(k, "w0");
    zl_op(k, PICK, "tail", "w2", "tile", "more");
    begins(k, "w0");
    head_of(k, "tail");
}

static void own_head(zl_pipe_text *k)
{
    zl_op(k, BLOCK, "w0");
    zl_op(k, ADD, "w1", "w0", "1");
    begins(k, "w1");
    zl_op(k, MOV, "head", "tile");
    first_step(k, "head_steps");
    begins(k, "w0");
    head_of(k, "head");
}

/* Whether the role has loops over the block's tiles. */
static bool has_tiles(const zl_pipe_text *k)
{
    for (uint32_t i = k->role->begin; i < k->role->end; i++)
        if (zl_pt_units_loop(k, &k->pipe->events[i])) return true;
    return false;
}

void zl_pt_units_begin(zl_pipe_text *k)
{
    char trips[80];
    if (!units_of(k) || !has_tiles(k)) return;
    tiles_of(k, trips);
    count_tiles(k);
    tail(k);
    own_head(k);
    zl_op(k, ADD, trips, "x0", "w3");
    zl_op(k, ADD, trips, trips, "2");
}

/* ---- an iteration ----------------------------------------------------------------------------------- */

bool zl_pt_units_loop(const zl_pipe_text *k, const zl_event *loop)
{
    return units_of(k) && loop->kind == ZL_EV_FOR && loop->over >= 0 && zl_pt_tiles_counted(k, loop->over);
}

bool zl_pt_units_counts(const zl_pipe_text *k, int32_t param)
{
    int32_t of = k->pipe->params[param].of;
    return units_of(k) && of >= 0 && zl_pt_tiles_counted(k, of);
}

void zl_pt_units_place(zl_pipe_text *k, const char *trips)
{
    char room[24], counter[24], tiles[80];
    tiles_of(k, tiles);
    zl_pt_number(room, units_of(k)->steps);
    snprintf(counter, sizeof counter, "count%u", k->loops - 1);
    zl_op(k, BLOCK, "tile");
    zl_op(k, MAD, "tile", counter, "blocks", "tile");
    zl_op(k, ADD, "w0", counter, "2");
    zl_op(k, EQ, "more", "w0", tiles);
    zl_op(k, PICK, "tile", "head", "tile", "more");
    zl_op(k, PICK, trips, "head_steps", room, "more");
    zl_op(k, LT, "more", tiles, "w0");
    zl_op(k, PICK, "tile", "tail", "tile", "more");
    zl_op(k, PICK, "first", "tail_first", "0", "more");
    zl_op(k, SUB, "w0", room, "first");
    zl_op(k, PICK, trips, "w0", trips, "more");
    zl_pt_tiles_place(k);
}

const char *zl_pt_units_step(zl_pipe_text *k, const char *step)
{
    if (!units_of(k) || !step) return step;
    zl_op(k, ADD, "w0", step, "first");
    return "w0";
}

/* ---- the workspace ------------------------------------------------------------------------------------ */

bool zl_pt_units_other(zl_pipe_text *k, const char *to, const char *name)
{
    char room[24];
    const zl_pt_units *u = units_of(k);
    if (!u) return false;
    for (uint32_t i = 0; i < ZL_PT_UNIT_PLACES; i++) {
        const zl_pt_unit_place *p = &u->place[i];
        if (strcmp(p->name, name) != 0) continue;
        zl_op(k, LOAD64, to, u->workspace);
        zl_op(k, BLOCK, "slot");
        if (p->before) before(k, "slot");
        zl_op(k, FURTHER, to, "slot", zl_pt_number(room, u->pitch));
        zl_op(k, FURTHER, to, "instance", zl_pt_number(room, p->each));
        if (p->at) zl_op(k, MORE, to, zl_pt_number(room, p->at));
        return true;
    }
    zl_pt_fail(k, "%.64s has no place in the workspace", name);
    return true;
}
