/* SPDX-License-Identifier: Apache-2.0 */
/* Prints how a block finds its tile among packed sequences, whose lengths only the device knows. A grid of one dimension has a block for
 * each tile that there may be. Each warp goes through the array of offsets, 32 sequences at a time, a lane each, until the
 * tiles that it has passed are more than the block's number. Long sequences come first: those of at least `low` rows, then those of at least a
 * fourth of it, and so on. In a sequence the last rows come first, because they see the most keys of a causal mask. So a
 * block that begins late has little to do, and the hardware, which gives the next block to the first free processor, balances the
 * rest (list scheduling; Graham, "Bounds on Multiprocessing Timing Anomalies", 1969). The blocks behind the last tile leave.
 *
 * Offsets that decrease or pass the rows that there are at most are bounded: each is taken as at least the one before, so a row
 * is in one sequence at most, and there are no more tiles than blocks. */
#include "emit/pipe/pipe.h"

#include <stdio.h>

enum { WARP = 32 };

static const char *const registers =
    "cta_y, cta_z, seek, chunk, before, first, begins, ends, tiles, number, least, most";

void zl_pt_sequences_declare(zl_pipe_text *k)
{
    if (zl_pt_sequences_of(k)) zl_pt_line(k, k->c ? "[[maybe_unused]] uint32_t %s;" : ".reg .b32 %s;", registers);
}

/* to = what lane `lane` has of it. */
static void of_lane(zl_pipe_text *k, const char *to, const char *value, const char *lane)
{
    zl_say(k, NULL, "shfl.idx", 1, to, value, lane, "31", "-1");
}

/* to = the entry of the array at index w0, bounded from below by the entries before it. */
static void read_entry(zl_pipe_text *k, const char *to)
{
    char room[24], array[80];
    snprintf(array, sizeof array, "read_%.64s", zl_pt_sequences_of(k)->queries);
    zl_op(k, LOAD64, "gp", array);
    zl_op(k, FURTHER, "gp", "w0", "4");
    zl_say(k, NULL, "ld.nc.b32", 1, to, "gp");
    zl_op(k, UPPER, to, to, "before");
    zl_op(k, LOWER, to, to, zl_pt_number(room, zl_pt_sequences_of(k)->rows));
}

/* begins = the end of the lane before. */
static void begin_where_others_end(zl_pipe_text *k)
{
    zl_say(k, NULL, "shfl.up", 1, "begins", "ends", "1", "0", "-1");
    zl_op(k, EQ, "more", "lane", "0");
    zl_op(k, PICK, "begins", "before", "begins", "more");
}

/* ends = the greatest end up to the lane's own, where one of the chunk is below the one before it. */
static void bound_ends(zl_pipe_text *k)
{
    char room[24];
    zl_op(k, LT, "more", "ends", "begins");
    zl_op(k, PICK, "w0", "1", "0", "more");
    zl_say(k, NULL, "redux.max.u32", 1, "w0", "w0", "-1");
    zl_op(k, ABOVE, "more", "w0", "0");
    zl_pt_when(k, "more");
    for (uint32_t by = 1; by < WARP; by *= 2) {
        zl_say(k, NULL, "shfl.up", 1, "w0", "ends", zl_pt_number(room, by), "0", "-1");
        zl_op(k, MOST, "ends", "ends", "w0");
    }
    begin_where_others_end(k);
    zl_pt_when_end(k);
}

/* begins, ends = the rows of the lane's sequence; those behind the last sequence have none. */
static void read_chunk(zl_pipe_text *k)
{
    char room[24];
    zl_op(k, ADD, "w0", "chunk", "lane");
    zl_op(k, ADD, "w0", "w0", "1");
    zl_op(k, LEAST, "w0", "w0", zl_pt_number(room, zl_pt_sequences_of(k)->count));
    read_entry(k, "ends");
    begin_where_others_end(k);
    bound_ends(k);
}

/* tiles = those of the lane's sequence, if its rows are from least to below most; w0 = the blocks of all lanes. */
static void count_chunk(zl_pipe_text *k)
{
    char room[24];
    const zl_pt_sequences *s = zl_pt_sequences_of(k);
    zl_op(k, SUB, "w1", "ends", "begins");
    zl_op(k, SUB, "w2", "w1", "least");
    zl_op(k, SUB, "w3", "most", "least");
    zl_op(k, LT, "more", "w2", "w3");
    zl_op(k, ADD, "w1", "w1", zl_pt_number(room, s->height - 1));
    zl_op(k, DIV, "w1", "w1", zl_pt_number(room, s->height));
    zl_op(k, PICK, "tiles", "w1", "0", "more");
    zl_say(k, NULL, "redux.add.u32", 1, "w0", "tiles", "-1");
    zl_op(k, MUL, "w0", "w0", zl_pt_number(room, s->heads));
}

/* Begins again with shorter sequences; behind the shortest the search ends, seek = 2. */
static void next_length(zl_pipe_text *k)
{
    char room[24];
    zl_op(k, GE, "more", "chunk", zl_pt_number(room, zl_pt_sequences_of(k)->count));
    zl_pt_when(k, "more");
    zl_op(k, MOV, "chunk", "0");
    zl_op(k, MOV, "before", "first");
    zl_op(k, EQ, "more", "least", "0");
    zl_op(k, PICK, "seek", "2", "0", "more");
    zl_op(k, MOV, "most", "least");
    zl_op(k, SHR, "least", "least", "2");
    zl_op(k, LT, "more", "least", zl_pt_number(room, zl_pt_sequences_of(k)->least));
    zl_op(k, PICK, "least", "0", "least", "more");
    zl_pt_when_end(k);
}

/* seek = 1: the block's tile is one of the chunk; else goes on behind it. */
static void see_chunk(zl_pipe_text *k)
{
    char room[24];
    zl_op(k, GE, "more", "number", "w0");
    zl_op(k, PICK, "seek", "0", "1", "more");
    zl_pt_when(k, "more");
    zl_op(k, SUB, "number", "number", "w0");
    of_lane(k, "before", "ends", "31");
    zl_op(k, ADD, "chunk", "chunk", zl_pt_number(room, WARP));
    next_length(k);
    zl_pt_when_end(k);
}

static void search(zl_pipe_text *k)
{
    char room[24];
    const zl_pt_range range = {.counter = "seek", .last = "1", .runs = true, .unsigned_ = true};
    const zl_pt_sequences *s = zl_pt_sequences_of(k);
    zl_op(k, MOV, "number", "ctaid");
    zl_op(k, MOV, "chunk", "0");
    zl_op(k, MOV, "before", "0");
    zl_op(k, MOV, "w0", "0");
    read_entry(k, "first");
    zl_op(k, MOV, "before", "first");
    zl_op(k, MOV, "least", zl_pt_number(room, s->low));
    zl_op(k, MOV, "most", zl_pt_number(room, (uint64_t)s->rows + 1));
    zl_pt_while(k, &range);
    read_chunk(k);
    count_chunk(k);
    see_chunk(k);
    zl_pt_while_end(k, &range);
    zl_op(k, EQ, "more", "seek", "2");
    zl_pt_when(k, "more");
    zl_op(k, RETURN, "");
    zl_pt_when_end(k);
}

/* The lane whose sequence has the block's tile: cta_z is its number, number the block's in it, of `tiles` times the heads. */
static void choose_lane(zl_pipe_text *k)
{
    char room[24], heads[24];
    static const char *const own[] = {"begins", "ends", "tiles", "w1"};
    zl_pt_number(heads, zl_pt_sequences_of(k)->heads);
    zl_op(k, MOV, "w1", "tiles");
    for (uint32_t by = 1; by < WARP; by *= 2) {
        zl_say(k, NULL, "shfl.up", 1, "w0", "w1", zl_pt_number(room, by), "0", "-1");
        zl_op(k, GE, "more", "lane", room);
        zl_op(k, PICK, "w0", "w0", "0", "more");
        zl_op(k, ADD, "w1", "w1", "w0");
    }
    zl_op(k, MUL, "w2", "w1", heads);
    zl_op(k, GE, "more", "number", "w2");
    zl_op(k, PICK, "w0", "1", "0", "more");
    zl_say(k, NULL, "redux.add.u32", 1, "w0", "w0", "-1");
    for (size_t i = 0; i < ZL_COUNT(own); i++) of_lane(k, own[i], own[i], "w0");
    zl_op(k, ADD, "cta_z", "chunk", "w0");
    zl_op(k, SUB, "w1", "w1", "tiles");
    zl_op(k, MUL, "w1", "w1", heads);
    zl_op(k, SUB, "number", "number", "w1");
}

/* cta_y, ctaid = head and tile: all tiles of the heads that are beside each other, the last rows first, then those of the next heads. */
static void place(zl_pipe_text *k)
{
    char beside[24];
    zl_pt_number(beside, zl_pt_sequences_of(k)->beside);
    zl_op(k, MUL, "w0", "tiles", beside);
    zl_op(k, DIV, "w1", "number", "w0");
    zl_op(k, MUL, "w0", "w1", "w0");
    zl_op(k, SUB, "number", "number", "w0");
    zl_op(k, DIV, "w0", "number", beside);
    zl_op(k, MUL, "w2", "w0", beside);
    zl_op(k, SUB, "w2", "number", "w2");
    zl_op(k, MAD, "cta_y", "w1", beside, "w2");
    zl_op(k, SUB, "ctaid", "tiles", "1");
    zl_op(k, SUB, "ctaid", "ctaid", "w0");
}

void zl_pt_sequences_find(zl_pipe_text *k)
{
    if (!zl_pt_sequences_of(k)) return;
    search(k);
    choose_lane(k);
    place(k);
}
