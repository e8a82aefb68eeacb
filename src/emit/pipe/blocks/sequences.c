/* SPDX-License-Identifier: Apache-2.0 */
/* Prints how persistent blocks take the tiles of packed sequences, whose lengths only the device knows. Tiles are numbered: sequences of at
 * least `low` rows come first, then those of at least a fourth of it, and so on, and in a sequence the last rows, which see the most
 * keys of a causal mask. Block b begins with tile b; then each block claims the next number from a counter in global memory. So
 * a block that is free takes the next tile, and what is taken late is short (list scheduling; Graham, "Bounds on
 * Multiprocessing Timing Anomalies", 1969).
 *
 * The one thread of the role that fills the stages claims, one tile ahead. The numbers of a block rise, so the thread goes through the
 * array once for each length, and keeps its place. It tells the other roles each tile by eight words of shared memory, which it writes
 * before it arrives at the barrier `told`, that of the tile of queries. They read them behind their wait there, and before they free the tile of
 * queries; the thread writes them again behind its wait for that. So the proof of the stage of queries is one of these words.
 *
 * Offsets that decrease or pass the rows that there are at most are bounded: each is taken as at least the one before, so a row is in
 * one sequence at most, and the numbers end. A block without a tile runs one without rows, which loads zeros and stores nothing. */
#include "emit/pipe/pipe.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = 8, WORD = 4, HALF = 4 /* words of a load */ };

static const char *const registers = "cta_y, cta_z, begins, ends, seek, sequence, passed, within, tiles, first, least, most, number, claimed";

/* What a tile is, for the roles that read it. */
static void words_of(const zl_pipe_text *k, char left[80], char end[80], char trips[80], const char *word[WORDS])
{
    const char *name = zl_pt_sequences_of(k)->queries;
    snprintf(left, 80, "left_%.64s", name);
    snprintf(end, 80, "end_%.64s", name);
    zl_pt_trips(trips, zl_pt_sequences_of(k)->steps);
    const char *const all[WORDS] = {"ctaid", "cta_y", "cta_z", left, end, trips, "seek", "w0"};
    memcpy(word, all, sizeof all);
}

void zl_pt_sequences_declare(zl_pipe_text *k)
{
    if (zl_pt_sequences_of(k)) zl_pt_line(k, k->c ? "[[maybe_unused]] uint32_t %s;" : ".reg .b32 %s;", registers);
}

/* ---- the numbers ------------------------------------------------------------------------------ */

/* ends = the entry of the array at index w0, bounded from below by what it was. */
static void read_end(zl_pipe_text *k)
{
    char room[24], array[80];
    snprintf(array, sizeof array, "read_%.64s", zl_pt_sequences_of(k)->queries);
    zl_op(k, LOAD64, "gp", array);
    zl_op(k, FURTHER, "gp", "w0", "4");
    zl_say(k, NULL, "ld.nc.b32", 1, "w0", "gp");
    zl_op(k, UPPER, "ends", "ends", "w0");
    zl_op(k, LOWER, "ends", "ends", zl_pt_number(room, zl_pt_sequences_of(k)->rows));
}

/* Behind the last sequence begins again with shorter ones; behind the shortest there are no tiles: seek = 2, now and later. */
static void next_length(zl_pipe_text *k)
{
    char room[24];
    const zl_pt_sequences *s = zl_pt_sequences_of(k);
    zl_op(k, EQ, "more", "sequence", zl_pt_number(room, s->count));
    zl_pt_when(k, "more");
    zl_op(k, MOV, "sequence", "0");
    zl_op(k, MOV, "ends", "first");
    zl_op(k, EQ, "more", "least", "0");
    zl_op(k, PICK, "seek", "2", "0", "more");
    zl_op(k, MOV, "most", "least");
    zl_op(k, SHR, "least", "least", "2");
    zl_op(k, LT, "more", "least", zl_pt_number(room, s->least));
    zl_op(k, PICK, "least", "0", "least", "more");
    zl_pt_when_end(k);
}

/* within = the tiles of the sequence of all heads, if its rows are from least to below most. */
static void count_within(zl_pipe_text *k)
{
    char room[24];
    const zl_pt_sequences *s = zl_pt_sequences_of(k);
    zl_op(k, SUB, "w1", "ends", "begins");
    zl_op(k, SUB, "w2", "w1", "least");
    zl_op(k, SUB, "w3", "most", "least");
    zl_op(k, LT, "more", "w2", "w3");
    zl_op(k, ADD, "w1", "w1", zl_pt_number(room, s->height - 1));
    zl_op(k, DIV, "tiles", "w1", zl_pt_number(room, s->height));
    zl_op(k, MUL, "within", "tiles", zl_pt_number(room, s->heads));
    zl_op(k, PICK, "within", "within", "0", "more");
}

/* seek = 1: tile `number` is one of the sequence. It is at least the number that was sought before. */
static void see_within(zl_pipe_text *k)
{
    zl_op(k, SUB, "w0", "number", "passed");
    zl_op(k, LT, "more", "w0", "within");
    zl_op(k, PICK, "seek", "1", "seek", "more");
}

static void search(zl_pipe_text *k)
{
    const zl_pt_range range = {.counter = "seek", .last = "1", .unsigned_ = true};
    zl_op(k, MOV, "seek", "0");
    see_within(k);
    zl_pt_while(k, &range);
    zl_op(k, ADD, "passed", "passed", "within");
    zl_op(k, ADD, "sequence", "sequence", "1");
    next_length(k);
    zl_op(k, MOV, "begins", "ends");
    zl_op(k, ADD, "w0", "sequence", "1");
    read_end(k);
    count_within(k);
    see_within(k);
    zl_pt_while_end(k, &range);
}

/* The block's first tile; the place before the first sequence. */
static void search_first(zl_pipe_text *k)
{
    char room[24];
    const zl_pt_sequences *s = zl_pt_sequences_of(k);
    zl_op(k, MOV, "ends", "0");
    zl_op(k, MOV, "w0", "0");
    read_end(k);
    zl_op(k, MOV, "first", "ends");
    zl_op(k, MOV, "sequence", "-1");
    zl_op(k, MOV, "passed", "0");
    zl_op(k, MOV, "within", "0");
    zl_op(k, MOV, "least", zl_pt_number(room, s->low));
    zl_op(k, MOV, "most", zl_pt_number(room, (uint64_t)s->rows + 1));
    zl_op(k, BLOCK, "number");
    search(k);
}

/* cta_z, cta_y, ctaid = sequence, head and tile that were found: all tiles of the heads that are beside each other, the last rows
 * first, then those of the next heads. Where none was found the sequence has no rows, and no head is divided by their tiles. */
static void place(zl_pipe_text *k)
{
    char beside[24];
    zl_pt_number(beside, zl_pt_sequences_of(k)->beside);
    zl_op(k, EQ, "more", "seek", "1");
    zl_op(k, PICK, "tiles", "tiles", "1", "more");
    zl_op(k, PICK, "ends", "ends", "begins", "more");
    zl_op(k, SUB, "w3", "number", "passed");
    zl_op(k, PICK, "w3", "w3", "0", "more");
    zl_op(k, MOV, "cta_z", "sequence");
    zl_op(k, MUL, "w0", "tiles", beside);
    zl_op(k, DIV, "w1", "w3", "w0");
    zl_op(k, MUL, "w0", "w1", "w0");
    zl_op(k, SUB, "w3", "w3", "w0");
    zl_op(k, DIV, "w0", "w3", beside);
    zl_op(k, MUL, "w2", "w0", beside);
    zl_op(k, SUB, "w2", "w3", "w2");
    zl_op(k, MAD, "cta_y", "w1", beside, "w2");
    zl_op(k, SUB, "ctaid", "tiles", "1");
    zl_op(k, SUB, "ctaid", "ctaid", "w0");
}

/* ---- claims ------------------------------------------------------------------------------------- */

/* Each block claims until one number is behind the last tile. So the claims are as many as blocks, and as many more as tiles pass them; the last
 * claim of a launch clears the counter for the next. */
static void claim(zl_pipe_text *k)
{
    zl_op(k, LOAD64, "gq", ZL_PT_NEXT_TILE);
    zl_op(k, TAKE, "claimed", "gq");
    zl_op(k, GRID, "w0");
    zl_op(k, ADD, "number", "claimed", "w0");
    search(k);
    zl_op(k, GRID, "w0");
    zl_op(k, MOST, "w0", "w0", "passed");
    zl_op(k, ADD, "w1", "claimed", "1");
    zl_op(k, EQ, "more", "w0", "w1");
    zl_op(k, SUB, "w0", "seek", "1");
    zl_op(k, SAME, "more", "w0", "1");
    zl_pt_when(k, "more");
    zl_op(k, MOV, "w0", "0");
    zl_say(k, NULL, "st.g.b32", 0, "gq", "w0");
    zl_pt_when_end(k);
}

void zl_pt_sequences_first(zl_pipe_text *k)
{
    if (zl_pt_lone(k)) search_first(k);
}

void zl_pt_sequences_place(zl_pipe_text *k)
{
    char n[80], trips[80];
    if (!zl_pt_lone(k)) return;
    place(k);
    snprintf(n, sizeof n, "n_%.64s", zl_pt_sequences_of(k)->steps);
    zl_pt_trips(trips, zl_pt_sequences_of(k)->steps);
    zl_op(k, LOAD32, trips, n);
    zl_pt_counts(k);
    claim(k);
}

/* ---- words that roles share ---------------------------------------------------------------------- */

static bool is_told(const zl_pipe_text *k, const zl_event *event)
{
    const zl_pt_sequences *s = zl_pt_sequences_of(k);
    return s && k->role && !strcmp(k->pipe->bars[event->bar].name, s->told);
}

static void put_address(zl_pipe_text *k, const char *to, uint32_t half)
{
    char room[24];
    zl_op(k, ADD, to, "smem", zl_pt_number(room, k->told_at + half * HALF * WORD));
}

void zl_pt_sequences_tell(zl_pipe_text *k, const zl_event *event)
{
    char left[80], end[80], trips[80];
    const char *w[WORDS];
    if (!is_told(k, event)) return;
    words_of(k, left, end, trips, w);
    for (uint32_t half = 0; half < WORDS / HALF; half++, memmove(w, w + HALF, HALF * sizeof *w)) {
        put_address(k, "far", half);
        zl_say(k, NULL, "st.s.v4.b32", 0, "far", w[0], w[1], w[2], w[3]);
    }
}

/* The value of lane 0, which all lanes have, so that ptxas knows it: loops that end by it have uniform registers. */
static void same_in_warp(zl_pipe_text *k, const char *value)
{
    zl_say(k, NULL, "shfl.idx", 1, value, value, "0", "31", "-1");
}

void zl_pt_sequences_hear(zl_pipe_text *k, const zl_event *event)
{
    char left[80], end[80], trips[80];
    const char *w[WORDS];
    if (!is_told(k, event)) return;
    words_of(k, left, end, trips, w);
    for (uint32_t half = 0; half < WORDS / HALF; half++, memmove(w, w + HALF, HALF * sizeof *w)) {
        put_address(k, "far", half);
        zl_say(k, NULL, "ld.s.v4.b32", 4, w[0], w[1], w[2], w[3], "far");
    }
    same_in_warp(k, trips);
    same_in_warp(k, "seek");
}
