/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what counts along an axis of a move, or gives a body its index: the number of the block in
 * one dimension of the grid, perhaps divided; a counter of a loop; the place of a tile that the block takes; the event's part, or
 * its position within a tile, perhaps counted down. */
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

/* Whether a position of no iteration t lies at 0 or behind it and before the param, for each value of the param. */
static bool stays_below(const zl_pipe_text *k, const zl_pos *at, int32_t param)
{
    int64_t least = zl_pt_bounds_of(k, param).least;
    const zl_pos *first, *last;
    if (at->times >= 0 || at->scale) return false;
    if (at->loop < 0) return at->plus == param ? at->add < 0 && at->add >= -least : at->plus < 0 && at->add >= 0 && at->add < least;
    first = &k->loop[at->loop]->at[0], last = &k->loop[at->loop]->bar_at;
    return at->plus < 0 && first->loop < 0 && first->times < 0 && first->plus < 0 && first->add + at->add >= 0 &&
           last->loop < 0 && last->times < 0 && last->plus == param && last->add + at->add <= 0;
}

/* A position of no iteration t. */
static const char *position_alone(zl_pipe_text *k, char room[24], const zl_pos *at, int32_t param)
{
    char trips[80];
    if (at->plus >= 0) {
        zl_pt_further(k, "w0", zl_pt_trips(trips, k->pipe->params[param].name), at->add);
        return "w0";
    }
    if (at->loop < 0) return zl_pt_number(room, (uint64_t)at->add);
    snprintf(room, 24, "count%d", at->loop);
    return zl_pt_further(k, "w0", room, at->add);
}

/* Which of the N positions of an iteration t of the loop around it the event fills: of t*N + number, or of a loop that begins at such
 * a position. */
static const char *position_in_turn(zl_pipe_text *k, char room[24], const zl_pos *at, int32_t param)
{
    const zl_event *loop = at->loop >= 0 ? k->loop[at->loop] : NULL;
    const zl_pos *first = !loop ? NULL : at->times >= 0 ? at : &loop->at[0];
    if (!first || first->times != param || at->plus >= 0 || at->scale) return NULL;
    if (first == at) return zl_pt_number(room, (uint64_t)at->add);
    if (!zl_pt_relative(loop) || !stays_inside(loop, at)) return NULL;
    snprintf(room, 24, "count%d", at->loop);
    return zl_pt_further(k, "w0", room, at->add);
}

/* `position % N`: the position that the event fills, from 0 to N-1, and where the block begins; or which of an iteration's N it is.
 * `down`: the last of them first. */
static const char *position_modulo(zl_pipe_text *k, char room[24], const char *name, bool down)
{
    char text[80];
    const zl_pos *at = &k->event->at[0];
    int32_t param = zl_pt_param(k, name);
    bool alone = param >= 0 && stays_below(k, at, param);
    const char *value = param < 0 ? NULL : alone ? position_alone(k, room, at, param) : position_in_turn(k, room, at, param);
    if (!value) return NULL;
    if (down) {
        zl_op(k, SUB, "w0", zl_pt_trips(text, k->pipe->params[param].name), value);
        zl_op(k, SUB, "w0", "w0", "1");
        value = "w0";
    }
    const char *begins = alone ? zl_pt_first(k, text, param) : NULL;
    if (begins) zl_op(k, ADD, "w0", value, begins);
    return begins ? "w0" : value;
}

void zl_pt_last(zl_pipe_text *k, const char *to)
{
    char first[80], trips[80];
    const zlay_pipe_count *c = late_count(k, -1);
    if (!c) zl_pt_fail(k, "block.last: no count begins late");
    if (!c) return;
    snprintf(first, sizeof first, "first_%.64s", c->param);
    zl_op(k, ADD, to, first, zl_pt_trips(trips, c->param));
}

/* The register of where a loop up to a param, and nothing more, begins in the block. */
static const char *loop_first(const zl_pipe_text *k, char room[80], const zl_event *loop)
{
    const zl_pos *end = &loop->bar_at;
    if (end->loop >= 0 || end->times >= 0 || end->plus < 0) return NULL;
    return zl_pt_first(k, room, end->plus);
}

/* The counter of a loop around the event, and where the block begins. */
static const char *counter(zl_pipe_text *k, char room[24], const char *text)
{
    char from[80];
    int32_t depth = loop_named(k, text, strlen(text));
    if (depth < 0) return NULL;
    const char *first = loop_first(k, from, k->loop[depth]), *up = zl_pt_counter(k, room, "w0", depth);
    if (first) zl_op(k, ADD, "w0", up, first);
    return first ? "w0" : up;
}

uint32_t zl_pt_part_column(const zl_pipe_text *k, const zl_event *event, uint32_t columns)
{
    uint32_t first = (uint32_t)event->part * columns;
    return k->plan && k->plan->columns - columns < first ? k->plan->columns - columns : first;
}

/* What stands before a word at a text's end, in `own`; false: it does not end so. */
static bool ends_with(char own[80], const char *text, const char *word)
{
    size_t length = strlen(text), last = strlen(word);
    bool ends = length > last && !strcmp(text + length - last, word);
    snprintf(own, 80, "%.*s", (int)(ends ? length - last : length), text);
    return ends;
}

/* `position % N cluster`: block r of a cluster has the positions from r*N on, of as many blocks times N. */
static const char *position_of_cluster(zl_pipe_text *k, char room[24], const char *name)
{
    char steps[24];
    int32_t param = zl_pt_param(k, name);
    const char *own = position_modulo(k, room, name, false);
    if (!own || !zl_pt_fixed(k, param)) return NULL;
    zl_pt_number(steps, (uint64_t)zl_pt_bounds_of(k, param).least);
    zl_op(k, RANK, "w0");
    zl_op(k, MAD, "w0", "w0", steps, own);
    return "w0";
}

static const char *position(zl_pipe_text *k, char room[24], const char *param)
{
    char name[80];
    if (ends_with(name, param, " cluster")) return position_of_cluster(k, room, name);
    if (ends_with(name, param, " down")) return position_modulo(k, room, name, true);
    return zl_pt_units_step(k, position_modulo(k, room, name, false));
}

const char *zl_pt_axis(zl_pipe_text *k, char room[24], const char *text)
{
    static const char modulo[] = "position % ";
    const char *rest, *value;
    int dimension = dimension_of(text, &rest);
    if (!strcmp(text, "part")) return zl_pt_number(room, (uint64_t)k->event->part);
    if (!strcmp(text, "part column"))
        return zl_pt_number(room, zl_pt_part_column(k, k->event, k->plan ? k->plan->part_columns : 0));
    if (!strncmp(text, modulo, strlen(modulo))) return position(k, room, text + strlen(modulo));
    if (dimension >= 0) value = zl_pt_block(k, "w0", dimension);
    else value = zl_pt_tiles_axis(k, text, &rest);
    if (!value) return counter(k, room, text);
    if (!strcmp(rest, " instance") && k->role) return by_instance(k, room, value);
    return divided(k, value, rest);
}
