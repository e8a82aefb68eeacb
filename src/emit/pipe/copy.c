/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the asynchronous copies of a pipe's kernel: in bulk, by tensor maps, to other blocks, with
 * multicast, and back to global memory. A copy whose event names a bound move is printed as the
 * tensor copies of that move's plan; their coordinates advance with the loop counters and block
 * numbers that the request names. A copy without a move fills its part of the stage from one
 * pointer. */
#include "emit/pipe/pipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/copy.h>
#include <zlay/rule.h>

enum { MAP_BYTES = 128, AXIS_TEXT = 64 };
static const uint32_t OUTSIDE = INT32_MAX - 255; /* where the last box of 256 begins; stores begin at no negative one */

/* Refuses a number of bytes that the rules of bulk copies do not allow. */
static void bulk_check(zl_pipe_text *k, const char *id, uint64_t bytes)
{
    zlay_issue issue = {0};
    zlay_verdict verdict = {0};
    zlay_reason reason = {0};
    if (zlay_issue_find(&issue, id, strlen(id))) return;
    issue.bytes = bytes;
    if (zlay_copy_check(&verdict, &reason, 1, k->ask->target, &issue, NULL)) return;
    if (verdict.answer != ZLAY_YES)
        zl_pt_fail(k, "%llu bytes by %s: rule %s", (unsigned long long)bytes, id,
                   zl_pt_rule(reason.rule));
}

/* The shared address of the event's part, in the block that it names. */
static void part_at(zl_pipe_text *k, const zl_event *event)
{
    char room[24];
    zl_span_of span = zl_pt_span(k, event);
    zl_pt_stage(k, "at", event->smem[0], &event->at[0]);
    if (span.at) zl_op(k, ADD, "at", "at", zl_pt_number(room, span.at));
}

/* The text of an axis up to a word such as " below "; returns what stands behind the word, NULL where there is none. */
static const char *behind_word(char own[AXIS_TEXT], const char *by, const char *word)
{
    const char *at = strstr(by, word);
    size_t length = at ? (size_t)(at - by) : strlen(by);
    snprintf(own, AXIS_TEXT, "%.*s", (int)(length < AXIS_TEXT ? length : AXIS_TEXT - 1), by);
    return at ? at + strlen(word) : NULL;
}

/* `.. below N`: from tile N on a coordinate lies outside every tensor, also where a dimension of the
 * map has further axes behind this one. `own`: the text before that. Returns N, 0 where there is none. */
static uint32_t limit_of(char own[AXIS_TEXT], const char *by)
{
    const char *limit = behind_word(own, by, " below ");
    return limit ? (uint32_t)strtoul(limit, NULL, 10) : 0;
}

/* `.. of NAME`: the sequence ends where the dimension does. */
static bool sequence_ends(zl_pipe_text *k, const char *x, char own[AXIS_TEXT], const char *by)
{
    char room[80];
    const char *name = behind_word(own, by, " of ");
    const char *left = name ? zl_pt_lengths_left(k, room, name) : NULL;
    if (left) zl_op(k, ADD, x, x, left);
    return left != NULL;
}

/* x<dim> = the coordinate of a copy: a constant plus, for each axis of tiles, a multiple of what
 * counts it. */
void zl_pt_coordinate(zl_pipe_text *k, const zlay_pipe_move *move, const zlay_copy *copy,
                      uint32_t dim)
{
    char x[16], counter[24], room[24], own[AXIS_TEXT], end[80];
    bool limited = false;
    snprintf(x, sizeof x, "x%u", dim);
    snprintf(room, sizeof room, "%d", copy->coordinate[dim]);
    zl_op(k, MOV, x, room);
    for (uint32_t axis = 0; axis < ZLAY_TILE_AXES; axis++) {
        const char *by = move->axis[axis];
        if (!copy->advance[dim][axis] || !by) continue;
        bool ends = sequence_ends(k, x, own, by);
        uint32_t limit = ends ? 0 : limit_of(own, by);
        const char *value = zl_pt_lengths_end(k, end, own);
        if (!value) value = zl_pt_axis(k, counter, own);
        if (!value || (limit && limited) || (!limit && !ends && strcmp(own, by)))
            zl_pt_fail(k, "move %s: no loop around counts %s", move->name, by);
        if (limit) zl_op(k, GE, "more", value ? value : "0", zl_pt_number(room, limit));
        limited |= limit != 0;
        snprintf(room, sizeof room, k->c ? "%uu" : "%d", (uint32_t)copy->advance[dim][axis]);
        zl_op(k, MAD, x, value ? value : "0", room, x);
    }
    if (limited) zl_op(k, PICK, x, zl_pt_number(room, OUTSIDE), x, "more");
}

/* A tensor copy at coordinates x0 to x<rank-1> by the map at `map`, to or from `far`. */
static void tensor(zl_pipe_text *k, const char *word, uint32_t rank)
{
    static const char *const x[] = {"x0", "x1", "x2", "x3", "x4"};
    const char *operands[10] = {0};
    char id[64];
    uint32_t n = 0;
    bool load = k->event->kind == ZL_EV_COPY;
    snprintf(id, sizeof id, "%s.%ud%s%s", word, rank, k->event->multicast ? ".multicast" : "",
             zl_pt_away(k->event) ? ".cg2" : "");
    if (load) operands[n++] = "far";
    operands[n++] = "map";
    for (uint32_t i = 0; i < rank; i++) operands[n++] = x[i];
    operands[n++] = load ? "to" : "far";
    if (k->event->multicast) operands[n++] = "mask";
    zl_pt_say(k, zl_pt_one(k), id, 0, operands);
}

static const char *tensor_word(const zl_event *e)
{
    return e->kind == ZL_EV_COPY    ? "tma.load.tile"
           : e->kind == ZL_EV_STORE ? "tma.store.tile"
                                    : "tma.reduce.add";
}

static void map_argument(zl_pipe_text *k, const zlay_pipe_move *move, uint32_t number)
{
    char name[96];
    zl_pt_map_name(k, name, move, number);
    zl_op(k, MAPADDR, "map", name);
}

/* Refuses an axis that counts instances where the copy has one tile along it for all of them. */
static void instances_check(zl_pipe_text *k, const zlay_pipe_move *move, const zlay_copy *copy,
                            uint32_t rank)
{
    for (uint32_t axis = 0; axis < ZLAY_TILE_AXES; axis++) {
        bool moves = !move->axis[axis] || !strstr(move->axis[axis], "instance") || !k->role ||
                     zl_role_instances(k->role) == 1;
        for (uint32_t dim = 0; dim < rank; dim++) moves |= copy->advance[dim][axis] != 0;
        if (!moves)
            zl_pt_fail(k, "move %s: one tile along axis %u, and %u instances", move->name, axis,
                       zl_role_instances(k->role));
    }
}

/* Prints the tensor copies of a bound move. */
static void tensor_bound(zl_pipe_text *k, const zl_event *event, const zlay_pipe_move *move)
{
    char room[24];
    zlay_copy copy, first;
    bool store = event->kind == ZL_EV_STORE;
    zlay_tensormap map;
    for (uint32_t i = 0; !zlay_move_copy_nth(&copy, move->move, i); i++) {
        if (zlay_move_map_nth(&map, move->move, copy.map)) continue;
        if (!i) first = copy;
        uint32_t behind = zl_pt_tiles_behind(k, move, &first, &copy);
        if (store) behind += zl_pt_tiles_slice(k) ? zl_pt_part_column(k, event, k->plan->part_columns) : 0;
        if (behind) zl_op(k, ABOVE, "more", "filled", zl_pt_number(room, behind));
        if (behind) zl_pt_when(k, "more");
        instances_check(k, move, &copy, (uint32_t)map.rank);
        if (event->map >= 0) zl_pt_other(k, "map", event->map, &event->map_at, MAP_BYTES);
        else map_argument(k, move, copy.map);
        for (uint32_t dim = 0; dim < (uint32_t)map.rank; dim++)
            zl_pt_coordinate(k, move, &copy, dim);
        zl_op(k, ADD, "far", "at", zl_pt_number(room, copy.smem));
        tensor(k, tensor_word(event), (uint32_t)map.rank);
        if (behind) zl_pt_when_end(k);
    }
}

/* A copy by a map that no move is bound to: three dimensions, the last that of indices. */
static void tensor_plain(zl_pipe_text *k, const zl_event *event)
{
    char name[80];
    snprintf(name, sizeof name, "map_%.64s", k->pipe->smems[event->smem[0]].name);
    if (event->map >= 0) zl_pt_other(k, "map", event->map, &event->map_at, MAP_BYTES);
    else zl_op(k, MAPADDR, "map", name);
    zl_pt_pos(k, &event->at[0]);
    zl_op(k, MOV, "x0", "0");
    zl_op(k, MOV, "x1", "0");
    zl_op(k, MOV, "x2", "pos");
    zl_op(k, MOV, "far", "at");
    tensor(k, tensor_word(event), 3);
}

/* Prints a bulk copy from global memory to the stage. */
static void bulk_load(zl_pipe_text *k, const zl_event *event)
{
    char bytes[24];
    zl_pt_global(k, ZL_PT_IN, event);
    bulk_check(k, "bulk.g2s", (uint64_t)event->count);
    zl_say(k, zl_pt_one(k), event->multicast ? "bulk.g2s.multicast" : "bulk.g2s", 0, "at", "gp",
           zl_pt_number(bytes, (uint64_t)event->count), "to", "mask");
}

/* Prints a bulk copy from the own shared memory to that of another block. */
static void peer_copy(zl_pipe_text *k, const zl_event *event)
{
    char bytes[24];
    zl_pt_stage(k, "near", event->smem[1], &event->at[1]);
    bulk_check(k, "bulk.s2s", (uint64_t)event->count);
    zl_say(k, zl_pt_one(k), "bulk.s2s", 0, "at", "near",
           zl_pt_number(bytes, (uint64_t)event->count), "to");
}

/* A copy from a block's own shared memory lands and signals in another block; one from global
 * memory lands here, and may signal there. */
void zl_pt_copy(zl_pipe_text *k, const zl_event *event)
{
    char mask[24];
    const zlay_pipe_move *move = zl_pt_move(k, event);
    bool shared = event->scope == ZL_COPY_SHARED;
    zl_pt_bar(k, "to");
    part_at(k, event);
    if (shared && event->cta == ZL_CTA_OWN) zl_pt_fail(k, "a copy between blocks names the other");
    if (event->cta == ZL_CTA_ALL) zl_pt_fail(k, "a copy to all blocks is a multicast");
    if (zl_pt_away(event) && event->scope != ZL_COPY_TENSOR)
        zl_pt_fail(k, "a bulk copy signals the block where it lands");
    if (event->cta != ZL_CTA_OWN) zl_pt_peer(k, "at", "at", 0);
    if (zl_pt_away(event))
        zl_say(k, NULL, "mapa", 1, "to", "to", zl_pt_number(mask, (uint32_t)event->bar_cta));
    else if (event->cta != ZL_CTA_OWN) zl_pt_peer(k, "to", "to", 0);
    if (event->multicast) zl_op(k, MASK, "mask", zl_pt_number(mask, event->multicast));
    if (shared) peer_copy(k, event);
    else if (move) tensor_bound(k, event, move);
    else if (zl_pt_mapped(event)) tensor_plain(k, event);
    else bulk_load(k, event);
}

/* Prints a store or reduction of a stage: by a move, by a map, or in bulk. */
void zl_pt_store(zl_pipe_text *k, const zl_event *event)
{
    char bytes[24];
    const char *id = event->kind == ZL_EV_STORE ? "bulk.s2g" : "bulk.reduce.add.u32";
    const zlay_pipe_move *move = zl_pt_move(k, event);
    part_at(k, event);
    if (move) {
        tensor_bound(k, event, move);
        return;
    }
    if (event->map >= 0) {
        tensor_plain(k, event);
        return;
    }
    zl_pt_global(k, event->other >= 0 ? ZL_PT_OTHER : ZL_PT_OUT, event);
    bulk_check(k, id, (uint64_t)event->count);
    zl_say(k, zl_pt_one(k), id, 0, "gp", "at", zl_pt_number(bytes, (uint64_t)event->count));
}
