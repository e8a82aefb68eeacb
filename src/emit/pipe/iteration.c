/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the trip counts that each iteration has for itself (`param N 0.. of T`): read from an array where the iteration begins,
 * or computed from its number. */
#include "emit/pipe/iteration.h"

#include <stdio.h>
#include <string.h>

void zl_pt_iterations_declare(zl_pipe_text *k)
{
    char begun[80];
    for (int32_t i = 0; i < (int32_t)k->pipe->params_count; i++)
        if (k->pipe->params[i].of >= 0)
            zl_pt_line(k, k->c ? "[[maybe_unused]] uint32_t %s;" : ".reg .b32 %s;", zl_pt_begun(k, begun, i));
}

/* The count of the request for a param; NULL: none. */
static const zlay_pipe_count *count_of(const zl_pipe_text *k, int32_t param)
{
    for (uint32_t i = 0; i < k->ask->counts_count; i++)
        if (!strcmp(k->ask->counts[i].param, k->pipe->params[param].name)) return &k->ask->counts[i];
    return NULL;
}

bool zl_pt_listed(const zl_pipe_text *k, int32_t param)
{
    return k->pipe->params[param].of >= 0 && !count_of(k, param) && !zl_pt_units_counts(k, param) && !zl_pt_tiles_counts(k, param);
}

/* trips = the array's count of this iteration: [block][n], of as many iterations as the argument n says, or [tile]. */
static void count_listed(zl_pipe_text *k, const char *trips, int32_t param, const zl_event *loop)
{
    char room[24], name[80], n[80];
    int32_t over = k->pipe->params[param].of;
    const zlay_pipe_count *fixed = zl_pt_fixed(k, over);
    snprintf(name, sizeof name, "counts_%.64s", k->pipe->params[param].name);
    snprintf(n, sizeof n, "n_%.64s", k->pipe->params[over].name);
    zl_op(k, LOAD64, "gp", name);
    if (zl_pt_tiles_loop(k, loop)) {
        zl_op(k, FURTHER, "gp", "tile", "4");
    } else {
        if (fixed) zl_op(k, MOV, "w0", zl_pt_number(room, fixed->add / fixed->divide));
        else zl_op(k, LOAD32, "w0", n);
        snprintf(room, sizeof room, "count%u", k->loops - 1);
        zl_op(k, MAD, "w0", "ctaid", "w0", room);
        zl_op(k, FURTHER, "gp", "w0", "4");
    }
    zl_say(k, NULL, "ld.nc.b32", 1, trips, "gp");
    /* The pipe is proved for counts in the param's range alone. */
    const zl_param *p = &k->pipe->params[param];
    if (p->least) zl_op(k, MOST, trips, trips, zl_pt_number(room, (uint64_t)p->least));
    if (p->most < INT32_MAX) zl_op(k, LEAST, trips, trips, zl_pt_number(room, (uint64_t)p->most));
}

/* The params whose counts the iterations of a loop have; -1: no more. */
static int32_t next_of(const zl_pipe_text *k, const zl_event *loop, int32_t param)
{
    for (param++; param < (int32_t)k->pipe->params_count; param++)
        if (k->pipe->params[param].of >= 0 && loop->over == k->pipe->params[param].of) return param;
    return -1;
}

/* The loop over the same iterations before this one in its role; NULL: none. */
static const zl_event *former_of(const zl_pipe_text *k, const zl_event *loop)
{
    const zl_event *e = loop;
    while (e-- > k->pipe->events + k->role->begin)
        if (e->over == loop->over) return e;
    return NULL;
}

/* A part of the iterations goes on with the sum of the counts where the part before it has ended. */
static bool goes_on(zl_pipe_text *k, const zl_event *loop)
{
    const zl_event *former = former_of(k, loop);
    if (loop->at[0].plus < 0) return false;
    if (!former || !zl_pos_equal(&former->bar_at, &loop->at[0]))
        zl_pt_fail(k, "the part of a loop is printed only behind the part that ends where it begins");
    return true;
}

void zl_pt_iterations_begin(zl_pipe_text *k, const zl_event *loop)
{
    char begun[80];
    if (loop->over >= 0 && goes_on(k, loop)) return;
    for (int32_t p = -1; (p = next_of(k, loop, p)) >= 0;)
        zl_op(k, MOV, zl_pt_begun(k, begun, p), "0");
}

void zl_pt_iteration_begin(zl_pipe_text *k, const zl_event *loop)
{
    char trips[80], n[80];
    for (int32_t p = -1; (p = next_of(k, loop, p)) >= 0;) {
        const zlay_pipe_count *count = count_of(k, p);
        zl_pt_trips(trips, k->pipe->params[p].name);
        snprintf(n, sizeof n, "n_%.64s", k->pipe->params[p].name);
        if (zl_pt_units_counts(k, p)) zl_pt_units_place(k, trips);
        else if (zl_pt_tiles_counts(k, p)) zl_pt_tiles_steps(k, trips);
        else if (!count) count_listed(k, trips, p, loop);
        if (!count || !count->axis || zl_pt_sequences_of(k)) continue;
        zl_op(k, LOAD32, trips, n);
        zl_pt_count(k, count);
    }
}

void zl_pt_iteration_end(zl_pipe_text *k, const zl_event *loop)
{
    char trips[80], begun[80];
    for (int32_t p = -1; (p = next_of(k, loop, p)) >= 0;) {
        zl_pt_trips(trips, k->pipe->params[p].name);
        zl_pt_begun(k, begun, p);
        zl_op(k, ADD, begun, begun, trips);
    }
}

/* ---- the tiles of a block ----------------------------------------------------------------- */

/* A role goes on to the next tile of packed sequences where one was claimed. */
zl_pt_range zl_pt_turns_range(zl_pipe_text *k, char room[24])
{
    if (zl_pt_sequences_of(k)) return (zl_pt_range){"seek", NULL, "2", true, true};
    return zl_pt_tiles_range(k, room);
}

void zl_pt_turns_first(zl_pipe_text *k)
{
    if (zl_pt_sequences_of(k)) zl_pt_sequences_first(k);
    else zl_pt_tiles_first(k);
}

void zl_pt_turns_place(zl_pipe_text *k)
{
    if (zl_pt_sequences_of(k)) zl_pt_sequences_place(k);
    else zl_pt_tiles_place(k);
}

void zl_pt_turns_next(zl_pipe_text *k)
{
    if (!zl_pt_sequences_of(k)) zl_pt_tiles_next(k);
}
