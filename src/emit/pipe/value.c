/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the value of a position into a register: counter * (param or number) + param + number,
 * each term where the position has it. */
#include "emit/pipe/pipe.h"

#include <stdio.h>

/* The name of a param's register. */
static void put_param(char room[80], const zl_pipe_text *k, int32_t param)
{
    snprintf(room, 80, "trips_%.64s", k->pipe->params[param].name);
}

/* to = to + add. */
static void add_constant(zl_pipe_text *k, const char *to, int64_t add)
{
    char room[24];
    if (!add) return;
    snprintf(room, sizeof room, "%lld", (long long)(add < 0 ? -add : add));
    if (add < 0) zl_op(k, SUB, to, to, room);
    else zl_op(k, ADD, to, to, room);
}

void zl_pt_value(zl_pipe_text *k, const char *to, const zl_pos *pos)
{
    char counter[16], param[80];
    snprintf(counter, sizeof counter, "count%d", pos->loop);
    if (pos->loop >= 0 && pos->times >= 0) {
        put_param(param, k, pos->times);
        zl_op(k, MUL, to, counter, param);
    } else if (pos->loop >= 0 && pos->scale) {
        zl_op(k, MUL, to, counter, zl_pt_number(param, (uint64_t)pos->scale));
    } else {
        zl_op(k, MOV, to, pos->loop >= 0 ? counter : "0");
    }
    if (pos->plus >= 0) {
        put_param(param, k, pos->plus);
        zl_op(k, ADD, to, to, param);
    }
    add_constant(k, to, pos->add);
}

void zl_pt_pos(zl_pipe_text *k, const zl_pos *pos) { zl_pt_value(k, "pos", pos); }
