/* SPDX-License-Identifier: Apache-2.0 */
/* Prints values into registers: of a position, counter * (param or number) + param + number, each term
 * where the position has it; and of what the bits of a thread's number add. The counter of a loop over t*N..t*N+N counts
 * from t*N on, so t*N is computed only where a position is used that no ring holds. */
#include "emit/pipe/pipe.h"

#include <stdio.h>

const char *zl_pt_trips(char room[80], const char *param)
{
    snprintf(room, 80, "trips_%.64s", param);
    return room;
}

const char *zl_pt_begun(const zl_pipe_text *k, char room[80], int32_t param)
{
    snprintf(room, 80, "begun_%.64s", k->pipe->params[param].name);
    return room;
}

/* to = counter * param, or the sum of the counts of the iterations before. */
static void put_product(zl_pipe_text *k, const char *to, const char *counter, int32_t param)
{
    char room[80];
    zl_pt_trips(room, k->pipe->params[param].name);
    if (k->pipe->params[param].of >= 0) zl_op(k, MOV, to, zl_pt_begun(k, room, param));
    else zl_op(k, MUL, to, counter, room);
}

const char *zl_pt_further(zl_pipe_text *k, const char *to, const char *from, int64_t add)
{
    char room[24];
    if (!add) return from;
    zl_pt_number(room, (uint64_t)(add < 0 ? -add : add));
    if (add < 0) zl_op(k, SUB, to, from, room);
    else zl_op(k, ADD, to, from, room);
    return to;
}

bool zl_pt_relative(const zl_event *loop)
{
    const zl_pos *first = &loop->at[0], *last = &loop->bar_at;
    return first->loop >= 0 && first->times >= 0 && first->plus < 0 && last->loop == first->loop &&
           last->times == first->times;
}

const char *zl_pt_counter(zl_pipe_text *k, char room[24], const char *to, int32_t depth)
{
    const zl_event *loop = k->loop[depth];
    snprintf(room, 24, "count%d", depth);
    if (!zl_pt_relative(loop)) return room;
    const char *outer = zl_pt_counter(k, room, to, loop->at[0].loop);
    put_product(k, to, outer, loop->at[0].times);
    snprintf(room, 24, "count%d", depth);
    zl_op(k, ADD, to, to, room);
    return to;
}

void zl_pt_value(zl_pipe_text *k, const char *to, const zl_pos *pos)
{
    char room[24], param[80];
    const char *counter = pos->loop >= 0 ? zl_pt_counter(k, room, to, pos->loop) : "0";
    if (pos->loop >= 0 && pos->times >= 0) {
        put_product(k, to, counter, pos->times);
    } else if (pos->loop >= 0 && pos->scale) {
        zl_op(k, MUL, to, counter, zl_pt_number(param, (uint64_t)pos->scale));
    } else {
        if (counter != to) zl_op(k, MOV, to, counter);
    }
    if (pos->plus >= 0) {
        zl_op(k, ADD, to, to, zl_pt_trips(param, k->pipe->params[pos->plus].name));
    }
    zl_pt_further(k, to, to, pos->add);
}

void zl_pt_pos(zl_pipe_text *k, const zl_pos *pos)
{
    zl_pt_value(k, "pos", pos);
}

void zl_pt_modulo(zl_pipe_text *k, const char *to, const zl_pos *pos, int32_t param)
{
    char name[80];
    const zl_event *loop = pos->loop >= 0 ? k->loop[pos->loop] : NULL;
    bool turn = param >= 0 && loop && pos->times < 0 && !pos->scale && pos->plus < 0 && !pos->add &&
                zl_pt_relative(loop) && loop->at[0].times == param && loop->at[0].add >= 0 &&
                loop->bar_at.plus == param && loop->bar_at.add <= 0;
    if (turn) {
        snprintf(name, sizeof name, "count%d", pos->loop);
        zl_op(k, MOV, to, name);
        return;
    }
    if (param >= 0 && pos->loop >= 0 && pos->times == param && pos->plus < 0 && !pos->add) {
        zl_op(k, MOV, to, "0");
        return;
    }
    zl_pt_pos(k, pos);
    if (param < 0) {
        zl_op(k, MOV, to, "pos");
        return;
    }
    if (k->pipe->params[param].of >= 0)
        zl_pt_fail(k, "modulo %.64s, a count of each iteration, is the counter of a loop over its positions alone",
                   k->pipe->params[param].name);
    zl_op(k, REM, to, "pos", zl_pt_trips(name, k->pipe->params[param].name));
}

void zl_pt_thread_sum(zl_pipe_text *k, const char *to, const char *temporary,
                      const uint32_t bit[ZL_ELEMENT_BITS])
{
    char room[24];
    zl_op(k, MOV, to, "0");
    for (uint32_t b = 0, run; b < ZL_ELEMENT_BITS; b += run) {
        run = zl_element_run(bit, b);
        if (!bit[b]) continue;
        zl_op(k, SHR, temporary, "rtid", zl_pt_number(room, b));
        zl_op(k, AND, temporary, temporary, zl_pt_number(room, (1u << run) - 1));
        zl_op(k, MAD, to, temporary, zl_pt_number(room, bit[b]), to);
    }
}
