/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what counts along an axis of a move, or gives a body its index: the number of the block in
 * one dimension of the grid, perhaps divided; a counter of a loop, perhaps counted down; the place of a tile that the
 * block takes; the event's part, or its position within a tile. */
#include "emit/pipe/pipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 3, DIVISOR_DIGITS = 9 };

static const char *const dimensions[DIMENSIONS] = {"block", "block.y", "block.z"};
static const zl_op_id blocks[DIMENSIONS] = {ZL_OP_BLOCK, ZL_OP_BLOCK_Y, ZL_OP_BLOCK_Z};

/* The dimension of the grid that a text begins with; -1: none. `rest`: what stands behind it. */
static int dimension_of(const char *text, const char **rest)
{
    for (int i = DIMENSIONS - 1; i >= 0; i--) {
        size_t length = strlen(dimensions[i]);
        if (strncmp(text, dimensions[i], length) || (text[length] && !strchr("/ ", text[length])))
            continue;
        *rest = text + length;
        return i;
    }
    return -1;
}

/* `block instance`: each instance of the role has a tile of its own. */
static const char *by_instance(zl_pipe_text *k, char room[24], const char *value)
{
    zl_op(k, MAD, "w0", value, zl_pt_number(room, zl_role_instances(k->role)), "instance");
    return "w0";
}

/* The divisor behind `/` or ` % `; 0 where it is no number from 1 on. */
static uint32_t divisor_of(const char *rest, const char *sign)
{
    char *end;
    size_t length = strlen(sign);
    if (strncmp(rest, sign, length) != 0 || rest[length] < '1' || rest[length] > '9' ||
        strlen(rest + length) > DIVISOR_DIGITS)
        return 0;
    unsigned long divisor = strtoul(rest + length, &end, 10);
    return *end ? 0 : (uint32_t)divisor;
}

/* A number divided, or what is left; NULL: neither stands there. */
static const char *divided(zl_pipe_text *k, const char *value, const char *rest)
{
    char room[24];
    uint32_t by = divisor_of(rest, "/"), left = divisor_of(rest, " % ");
    if (!*rest || by == 1) return value;
    if (by) zl_op(k, DIV, "w0", value, zl_pt_number(room, by));
    else if (left) zl_op(k, REM, "w0", value, zl_pt_number(room, left));
    return by || left ? "w0" : NULL;
}

const char *zl_pt_block(zl_pipe_text *k, const char *to, int dimension)
{
    static const char *const found[DIMENSIONS] = {"ctaid", "cta_y", "cta_z"};
    if (!dimension || zl_pt_sequences_of(k)) return found[dimension];
    zl_pt_op(k, blocks[dimension], ZL_OPERANDS_OF(to));
    return to;
}

/* The depth of the loop around the event that counts by this name; -1: there is none. */
static int32_t loop_named(const zl_pipe_text *k, const char *name, size_t length)
{
    for (int32_t depth = (int32_t)k->loops - 1; depth >= 0; depth--) {
        const char *own = k->loop[depth]->name;
        if (strlen(own) == length && !memcmp(own, name, length)) return depth;
    }
    return -1;
}

/* Whether a position a number ahead of a loop from t*N on is of the same t. */
static bool stays_inside(const zl_event *loop, const zl_pos *at)
{
    const zl_pos *first = &loop->at[0], *last = &loop->bar_at;
    return !at->add || (at->add > 0 && first->add >= 0 && last->plus == first->times && last->add + at->add <= 0);
}

/* `position % N`: which of the N positions of an iteration t of the loop around them it is that the event fills, one of
 * t*N + number, or of a loop that begins at such a position. */
static const char *position_modulo(zl_pipe_text *k, char room[24], const char *param)
{
    char number[24];
    const zl_pos *at = &k->event->at[0];
    const zl_event *loop = at->loop >= 0 ? k->loop[at->loop] : NULL;
    const zl_pos *first = !loop ? NULL : at->times >= 0 ? at : &loop->at[0];
    if (!first || first->times < 0 || at->plus >= 0 || at->scale ||
        strcmp(k->pipe->params[first->times].name, param) != 0)
        return NULL;
    if (first == at) return zl_pt_number(room, (uint64_t)at->add);
    if (!zl_pt_relative(loop) || !stays_inside(loop, at)) return NULL;
    snprintf(room, 24, "count%d", at->loop);
    if (!at->add) return room;
    zl_op(k, ADD, "w0", room, zl_pt_number(number, (uint64_t)at->add));
    return "w0";
}

/* The count of a param, -1: of any, that begins late; NULL: none does. */
static const zlay_pipe_count *late_count(const zl_pipe_text *k, int32_t param)
{
    for (uint32_t i = 0; i < k->ask->counts_count; i++) {
        const zlay_pipe_count *c = &k->ask->counts[i];
        if (c->axis && (c->behind || c->part) && (param < 0 || !strcmp(k->pipe->params[param].name, c->param)))
            return c;
    }
    return NULL;
}

const char *zl_pt_first(const zl_pipe_text *k, char room[80], int32_t param)
{
    const zlay_pipe_count *c = late_count(k, param);
    if (c) snprintf(room, 80, "first_%.64s", c->param);
    return c ? room : NULL;
}

void zl_pt_last(zl_pipe_text *k, const char *to)
{
    char first[80], trips[80];
    const zlay_pipe_count *c = late_count(k, -1);
    if (!c) zl_pt_fail(k, "block.last: no count begins late");
    if (!c) return;
    snprintf(first, sizeof first, "first_%.64s", c->param);
    snprintf(trips, sizeof trips, "trips_%.64s", c->param);
    zl_op(k, ADD, to, first, trips);
}

/* The register of where a loop up to a param, and nothing more, begins in the block. */
static const char *loop_first(const zl_pipe_text *k, char room[80], const zl_event *loop)
{
    const zl_pos *end = &loop->bar_at;
    if (end->loop >= 0 || end->times >= 0 || end->plus < 0) return NULL;
    return zl_pt_first(k, room, end->plus);
}

/* `down`: the last value first. */
static const char *counter(zl_pipe_text *k, char room[24], const char *text)
{
    char end[24], from[80];
    size_t length = strcspn(text, " ");
    bool down = !strcmp(text + length, " down");
    int32_t depth = text[length] && !down ? -1 : loop_named(k, text, length);
    if (depth < 0) return NULL;
    const char *first = loop_first(k, from, k->loop[depth]);
    if (!down) {
        const char *up = zl_pt_counter(k, room, "w0", depth);
        if (first) zl_op(k, ADD, "w0", up, first);
        return first ? "w0" : up;
    }
    snprintf(room, 24, "count%d", depth);
    snprintf(end, sizeof end, "end%d", depth);
    zl_op(k, SUB, "w0", end, room);
    zl_op(k, SUB, "w0", "w0", "1");
    if (first) zl_op(k, ADD, "w0", "w0", first);
    return "w0";
}

uint32_t zl_pt_part_column(const zl_pipe_text *k, const zl_event *event, uint32_t columns)
{
    uint32_t first = (uint32_t)event->part * columns;
    return k->plan && k->plan->columns - columns < first ? k->plan->columns - columns : first;
}

/* `position % N cluster`: block r of a cluster has the positions from r*N on, of as many blocks times N. */
static const char *position_of_cluster(zl_pipe_text *k, char room[24], const char *text, size_t length)
{
    char param[80], steps[24];
    snprintf(param, sizeof param, "%.*s", (int)length, text);
    const char *own = position_modulo(k, room, param);
    if (!own) return NULL;
    for (uint32_t i = 0; i < k->pipe->params_count; i++) {
        if (strcmp(k->pipe->params[i].name, param) != 0 || !zl_pt_fixed(k, (int32_t)i)) continue;
        zl_pt_number(steps, (uint64_t)zl_pt_bounds_of(k, (int32_t)i).least);
        zl_op(k, RANK, "w0");
        zl_op(k, MAD, "w0", "w0", steps, own);
        return "w0";
    }
    return NULL;
}

const char *zl_pt_axis(zl_pipe_text *k, char room[24], const char *text)
{
    static const char modulo[] = "position % ", cluster[] = " cluster";
    const char *rest, *value;
    int dimension = dimension_of(text, &rest);
    if (!strcmp(text, "part")) return zl_pt_number(room, (uint64_t)k->event->part);
    if (!strcmp(text, "part column"))
        return zl_pt_number(room, zl_pt_part_column(k, k->event, k->plan ? k->plan->part_columns : 0));
    if (!strncmp(text, modulo, strlen(modulo))) {
        const char *param = text + strlen(modulo), *end = strstr(param, cluster);
        if (end) return position_of_cluster(k, room, param, (size_t)(end - param));
        return zl_pt_units_step(k, position_modulo(k, room, param));
    }
    if (dimension >= 0) value = zl_pt_block(k, "w0", dimension);
    else value = zl_pt_tiles_axis(k, text, &rest);
    if (!value) return counter(k, room, text);
    if (!strcmp(rest, " instance") && k->role) return by_instance(k, room, value);
    return divided(k, value, rest);
}
