/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the trip counts that depend on the block: by its number in the grid, by where it begins, and by the rows of its
 * sequence, which are read from an array in global memory. `left_NAME` is the rows that the longest sequence has more than
 * this one, `end_NAME` the row behind its last; moves use them, too. */
#include "emit/pipe/pipe.h"

#include <stdio.h>
#include <string.h>

/* ---- sequences ---------------------------------------------------------------------------- */

static const zlay_pipe_lengths *named(const zl_pipe_text *k, const char *name, size_t length)
{
    for (uint32_t i = 0; i < k->ask->lengths_count; i++) {
        const zlay_pipe_lengths *l = &k->ask->lengths[i];
        if (strlen(l->name) == length && !memcmp(l->name, name, length)) return l;
    }
    return NULL;
}

static const char *left_of(char room[80], const zlay_pipe_lengths *l)
{
    snprintf(room, 80, "left_%.64s", l->name);
    return room;
}

static const char *end_of(char room[80], const zlay_pipe_lengths *l)
{
    snprintf(room, 80, "end_%.64s", l->name);
    return room;
}

const char *zl_pt_lengths_left(const zl_pipe_text *k, char room[80], const char *name)
{
    const zlay_pipe_lengths *l = named(k, name, strlen(name));
    return l ? left_of(room, l) : NULL;
}

const char *zl_pt_lengths_end(const zl_pipe_text *k, char room[80], const char *text)
{
    const char *dot = strrchr(text, '.');
    const zlay_pipe_lengths *l =
        dot && !strcmp(dot, ".end") ? named(k, text, (size_t)(dot - text)) : NULL;
    return l ? end_of(room, l) : NULL;
}

static void lengths_declare(zl_pipe_text *k)
{
    char left[80], end[80];
    for (uint32_t i = 0; i < k->ask->lengths_count; i++)
        zl_pt_line(k, k->c ? "[[maybe_unused]] uint32_t %s, %s;" : ".reg .b32 %s, %s;",
                   left_of(left, &k->ask->lengths[i]), end_of(end, &k->ask->lengths[i]));
}

/* end = the row behind the sequence of this number, w0 = with starts its first one. */
static void read_rows(zl_pipe_text *k, const zlay_pipe_lengths *l, const char *end, const char *sequence)
{
    char array[80];
    snprintf(array, sizeof array, "read_%.64s", l->name);
    zl_op(k, LOAD64, "gp", array);
    zl_op(k, FURTHER, "gp", sequence, "4");
    if (l->starts) zl_say(k, NULL, "ld.nc.b32", 1, "w0", "gp");
    if (l->starts) zl_op(k, MORE, "gp", "4");
    zl_say(k, NULL, "ld.nc.b32", 1, end, "gp");
}

/* Bounds a sequence of keys among packed ones, of which each entry of the array is read by itself. */
static void bound_keys(zl_pipe_text *k, const char *end)
{
    char room[24];
    zl_pt_number(room, zl_pt_sequences_of(k)->keys);
    zl_op(k, UPPER, "w0", "w0", "0");
    zl_op(k, LOWER, "w0", "w0", room);
    zl_op(k, UPPER, end, end, "w0");
    zl_op(k, LOWER, end, end, room);
}

/* The same of the sequence that the block has found, which is bounded. */
static bool found_rows(zl_pipe_text *k, const zlay_pipe_lengths *l, const char *end)
{
    if (!zl_pt_sequences_of(k) || strcmp(l->name, zl_pt_sequences_of(k)->queries) != 0) return false;
    zl_op(k, MOV, "w0", "begins");
    zl_op(k, MOV, end, "ends");
    return true;
}

/* left = most - rows, of the sequence that the block has. */
static void read_one(zl_pipe_text *k, const zlay_pipe_lengths *l)
{
    char left[80], end[80], room[24];
    left_of(left, l);
    end_of(end, l);
    const char *sequence = zl_pt_axis(k, room, l->axis);
    if (!sequence) {
        zl_pt_fail(k, "lengths %.64s: there is no axis %.64s", l->name, l->axis);
        return;
    }
    bool found = found_rows(k, l, end);
    if (!found) read_rows(k, l, end, sequence);
    if (!found && zl_pt_sequences_of(k)) bound_keys(k, end);
    zl_op(k, SUB, left, zl_pt_number(room, l->most), end);
    if (l->starts) zl_op(k, ADD, left, left, "w0");
}

/* w0 = the sum of a count, with the rows of its sequences. */
static void add_rows(zl_pipe_text *k, const zlay_pipe_count *count)
{
    char left[80], room[24];
    const char *names[] = {count->plus, count->minus};
    for (int i = 0; i < 2; i++) {
        const zlay_pipe_lengths *l = names[i] ? named(k, names[i], strlen(names[i])) : NULL;
        if (!l) continue;
        zl_op(k, SUB, "w1", zl_pt_number(room, l->most), left_of(left, l));
        if (i) zl_op(k, SUB, "w0", "w0", "w1");
        else zl_op(k, ADD, "w0", "w0", "w1");
    }
    if (count->plus || count->minus) zl_op(k, UPPER, "w0", "w0", "0");
}

/* Every count of a block whose tile has no rows is its least. */
static void least_counts(zl_pipe_text *k)
{
    char trips[80], room[24];
    for (uint32_t p = 0; p < k->pipe->params_count; p++) {
        const zl_param *param = &k->pipe->params[p];
        bool counted = false;
        for (uint32_t i = 0; i < k->ask->counts_count; i++)
            counted |= k->ask->counts[i].axis && !strcmp(k->ask->counts[i].param, param->name);
        if (!counted) continue;
        zl_pt_trips(trips, param->name);
        zl_op(k, PICK, trips, zl_pt_number(room, (uint64_t)param->least), trips, "more");
    }
}

static void without_rows(zl_pipe_text *k)
{
    char left[80], room[24];
    for (uint32_t i = 0; i < k->ask->lengths_count; i++) {
        const zlay_pipe_lengths *l = &k->ask->lengths[i];
        if (!l->tiles) continue;
        const char *tile = zl_pt_axis(k, room, l->tiles);
        if (!tile) {
            zl_pt_fail(k, "lengths %.64s: there is no axis %.64s", l->name, l->tiles);
            continue;
        }
        zl_op(k, MUL, "w0", tile, zl_pt_number(room, l->height));
        zl_op(k, SUB, "w1", zl_pt_number(room, l->most), left_of(left, l));
        zl_op(k, GE, "more", "w0", "w1");
        least_counts(k);
    }
}

/* ---- counts --------------------------------------------------------------------------------- */

static void firsts_declare(zl_pipe_text *k)
{
    char first[80];
    for (uint32_t i = 0; i < k->pipe->params_count; i++)
        if (zl_pt_first(k, first, (int32_t)i))
            zl_pt_line(k, k->c ? "uint32_t %s;" : ".reg .b32 %s;", first);
}

/* first = where the block begins, of w0 before it is divided. */
static void count_first(zl_pipe_text *k, const char *first, const zlay_pipe_count *count)
{
    char room[24];
    zl_op(k, MOST, first, "w0", zl_pt_number(room, count->behind));
    zl_op(k, SUB, first, first, room);
    zl_op(k, DIV, first, first, zl_pt_number(room, count->divide));
}

/* The block's share of the trips: w1 = those of a part, w2 = those before its own. */
static void count_part(zl_pipe_text *k, const char *first, const char *trips, const zlay_pipe_count *count)
{
    char room[24], parts[24];
    const char *part = zl_pt_axis(k, room, count->part);
    if (!part) zl_pt_fail(k, "count of %.64s: there is no axis %.64s", count->param, count->part);
    if (!part) return;
    zl_op(k, ADD, "w1", trips, zl_pt_number(parts, count->parts - 1));
    zl_op(k, DIV, "w1", "w1", zl_pt_number(parts, count->parts));
    zl_op(k, MUL, "w2", part, "w1");
    zl_op(k, LEAST, "w2", "w2", trips);
    zl_op(k, ADD, first, first, "w2");
    zl_op(k, SUB, trips, trips, "w2");
    zl_op(k, LEAST, trips, trips, "w1");
}

/* A block's own trip count: no more than the argument, no more than its place allows, less where it
 * begins later, and no less than the pipe is proved for. */
void zl_pt_count(zl_pipe_text *k, const zlay_pipe_count *count)
{
    char trips[80], from[80], at[24], room[24];
    if (!count->axis) return;
    const char *first = NULL;
    zl_pt_trips(trips, count->param);
    const char *value = zl_pt_axis(k, at, count->axis);
    int64_t least = 0;
    int32_t param = zl_pt_param(k, count->param);
    if (param >= 0) {
        least = k->pipe->params[param].least;
        if (count->behind || count->part) first = zl_pt_first(k, from, param);
    }
    if (!value) {
        zl_pt_fail(k, "count of %.64s: there is no axis %.64s", count->param, count->axis);
        return;
    }
    zl_op(k, MUL, "w0", value, zl_pt_number(room, count->times));
    zl_op(k, ADD, "w0", "w0", zl_pt_number(room, count->add));
    add_rows(k, count);
    if (first && count->behind) count_first(k, first, count);
    else if (first) zl_op(k, MOV, first, "0");
    zl_op(k, DIV, "w0", "w0", zl_pt_number(room, count->divide));
    zl_op(k, LEAST, trips, trips, "w0");
    if (first) {
        zl_op(k, MOST, trips, trips, first);
        zl_op(k, SUB, trips, trips, first);
    }
    if (least > 0) zl_op(k, MOST, trips, trips, zl_pt_number(room, (uint64_t)least));
    if (count->part) count_part(k, first, trips, count);
    if (count->part && least > 0) zl_op(k, MOST, trips, trips, zl_pt_number(room, (uint64_t)least));
}

/* ---- all of them --------------------------------------------------------------------------- */

void zl_pt_counts_declare(zl_pipe_text *k)
{
    firsts_declare(k);
    lengths_declare(k);
}

void zl_pt_counts(zl_pipe_text *k)
{
    for (uint32_t i = 0; i < k->ask->lengths_count; i++) read_one(k, &k->ask->lengths[i]);
    for (uint32_t i = 0; i < k->ask->counts_count; i++)
        if (zl_pt_sequences_of(k) || !zl_pt_of_iteration(k, &k->ask->counts[i])) zl_pt_count(k, &k->ask->counts[i]);
    without_rows(k);
}
