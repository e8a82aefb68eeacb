/* SPDX-License-Identifier: Apache-2.0 */
/* What the text of a pipe and the request say of an event: its move, its fragment, the role and the
 * instances that run it, the part of its stage, that stage's layout. */
#include "emit/pipe/pipe.h"

#include <stdio.h>
#include <string.h>

const char *const zl_pt_prefix[ZL_PT_POINTERS] = {"in_", "out_", "ptr_", "base_"};

bool zl_pt_by_threads(const zlay_pipe_move *move)
{
    zlay_move_summary info;
    return !zlay_move_info(&info, move->move) && info.path != ZLAY_PATH_TENSOR;
}

/* The move that is bound to a number of bytes; NULL: none. */
static const zlay_pipe_move *move_of(const zl_pipe_text *k, const zl_moved *bytes)
{
    if (bytes->count != 1 || bytes->term[0].times != 1) return NULL;
    const char *name = k->pipe->moves[bytes->term[0].move].name;
    for (uint32_t i = 0; i < k->ask->moves_count; i++)
        if (!strcmp(k->ask->moves[i].name, name)) return &k->ask->moves[i];
    return NULL;
}

/* The move bound to an event; a bulk copy brings a move's bytes, but not by its plan. A read names no bytes: it is by that
 * of its stage, if threads move it. */
const zlay_pipe_move *zl_pt_move(const zl_pipe_text *k, const zl_event *event)
{
    if (event->kind == ZL_EV_COPY && event->scope != ZL_COPY_TENSOR) return NULL;
    if (event->kind != ZL_EV_READ || event->smem[0] < 0) return move_of(k, &event->moved);
    const zlay_pipe_move *move = move_of(k, &k->pipe->smems[event->smem[0]].moved);
    return move && zl_pt_by_threads(move) ? move : NULL;
}

void zl_pt_map_name(const zl_pipe_text *k, char room[96], const zlay_pipe_move *move, uint32_t map)
{
    if (zl_pt_arguments_bound(k)) snprintf(room, 96, "%.80s", k->plan->map[move - k->ask->moves]);
    else snprintf(room, 96, "map_%.64s_%u", move->name, map);
}

bool zl_pt_map_used(const zl_pipe_text *k, uint32_t i)
{
    if (!zl_pt_arguments_bound(k)) return true;
    for (uint32_t m = 0; m < k->ask->moves_count; m++)
        if (!strcmp(k->plan->map[m], k->plan->arguments[i].name) && !zl_pt_by_threads(&k->ask->moves[m])) return true;
    return false;
}

const zlay_pipe_count *zl_pt_fixed(const zl_pipe_text *k, int32_t param)
{
    for (uint32_t i = 0; i < k->ask->counts_count; i++)
        if (!k->ask->counts[i].axis && !strcmp(k->ask->counts[i].param, k->pipe->params[param].name))
            return &k->ask->counts[i];
    return NULL;
}

int32_t zl_pt_param(const zl_pipe_text *k, const char *name)
{
    for (uint32_t i = 0; i < k->pipe->params_count; i++)
        if (!strcmp(k->pipe->params[i].name, name)) return (int32_t)i;
    return -1;
}

bool zl_pt_of_iteration(const zl_pipe_text *k, const zlay_pipe_count *count)
{
    int32_t param = zl_pt_param(k, count->param);
    return param >= 0 && k->pipe->params[param].of >= 0;
}

zl_pt_bounds zl_pt_bounds_of(const zl_pipe_text *k, int32_t param)
{
    const zlay_pipe_count *fixed = zl_pt_fixed(k, param);
    const zl_param *p = &k->pipe->params[param];
    if (fixed) return (zl_pt_bounds){fixed->add / fixed->divide, fixed->add / fixed->divide};
    return (zl_pt_bounds){p->least, p->most};
}

const zlay_pipe_operand *zl_pt_operand_of(const zl_pipe_text *k, int32_t smem)
{
    for (uint32_t i = 0; i < k->ask->operands_count; i++)
        if (!strcmp(k->ask->operands[i].smem, k->pipe->smems[smem].name))
            return &k->ask->operands[i];
    return NULL;
}

const zlay_pipe_fragment *zl_pt_fragment(const zl_pipe_text *k, const zl_event *event)
{
    for (uint32_t i = 0; i < k->ask->fragments_count; i++)
        if (k->ask->fragments[i].line == event->line) return &k->ask->fragments[i];
    return NULL;
}

/* The role whose text has the event; NULL: the setup. */
static const zl_role *role_of(const zl_pipe_text *k, uint32_t event)
{
    for (uint32_t r = 0; r < k->pipe->roles_count; r++)
        if (event >= k->pipe->roles[r].begin && event < k->pipe->roles[r].end)
            return &k->pipe->roles[r];
    return NULL;
}

uint32_t zl_pt_instances(const zl_pipe_text *k, int32_t smem)
{
    uint32_t most = 1;
    if (!k->pipe->smems[smem].each) return 1;
    for (uint32_t i = k->pipe->setup; i < k->pipe->events_count; i++) {
        const zl_event *e = &k->pipe->events[i];
        const zl_role *role = role_of(k, i);
        if (!role || (e->smem[0] != smem && e->smem[1] != smem)) continue;
        if (zl_role_instances(role) > most) most = zl_role_instances(role);
    }
    return most;
}

/* ---- parts of a stage ------------------------------------------------------------ */

/* The bytes that an event says, or all of the stage. */
static int64_t bytes_of(const zl_pipe_text *k, const zl_event *e)
{
    return e->count > 0 && e->kind != ZL_EV_WAITGROUP ? e->count : k->pipe->smems[e->smem[0]].bytes;
}

/* Whether an event fills or stores a part of the stage. */
static bool is_part(const zl_event *e, int32_t smem)
{
    bool names = e->kind == ZL_EV_COPY || e->kind == ZL_EV_CPASYNC || e->kind == ZL_EV_WRITE ||
                 e->kind == ZL_EV_STMATRIX || e->kind == ZL_EV_STORE || e->kind == ZL_EV_REDUCE;
    return names && e->smem[0] == smem;
}

static uint64_t part_bytes(const zl_pipe_text *k, int32_t smem, int32_t part)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < k->pipe->events_count; i++) {
        const zl_event *e = &k->pipe->events[i];
        if (is_part(e, smem) && e->part == part && bytes_of(k, e) > most) most = bytes_of(k, e);
    }
    return (uint64_t)most;
}

static int32_t parts_of(const zl_pipe_text *k, int32_t smem)
{
    int32_t most = 0;
    for (uint32_t i = 0; i < k->pipe->events_count; i++)
        if (is_part(&k->pipe->events[i], smem) && k->pipe->events[i].part > most)
            most = k->pipe->events[i].part;
    return most + 1;
}

/* Whether a read takes all parts of its stage at once. */
static bool takes_all(const zl_event *e)
{
    return (e->kind == ZL_EV_READ || e->kind == ZL_EV_LDMATRIX) && !e->part;
}

zl_span_of zl_pt_span(const zl_pipe_text *k, const zl_event *event)
{
    int32_t smem = event->smem[0], parts = parts_of(k, smem);
    uint64_t stage = (uint64_t)k->pipe->smems[smem].bytes, sum = 0, before = 0;
    for (int32_t p = 0; p < parts; p++) {
        if (p == event->part) before = sum;
        sum += part_bytes(k, smem, p);
    }
    bool read = event->kind == ZL_EV_READ || event->kind == ZL_EV_LDMATRIX;
    uint64_t own = read ? part_bytes(k, smem, event->part) : (uint64_t)bytes_of(k, event);
    if (sum > stage)
        return (zl_span_of){0, (uint64_t)event->part * stage, own, (uint64_t)parts * stage};
    if (takes_all(event)) own = sum ? sum : stage;
    return (zl_span_of){before, before, own ? own : stage, stage};
}

/* Whether a copy from global memory signals another block: that of a pair which issues
 * products. */
bool zl_pt_away(const zl_event *e)
{
    return e->kind == ZL_EV_COPY && e->scope != ZL_COPY_SHARED && e->bar_cta != ZL_CTA_OWN;
}

/* Signals in another block are those of tensor copies alone. */
bool zl_pt_mapped(const zl_event *event)
{
    return event->scope == ZL_COPY_TENSOR && (event->map >= 0 || zl_pt_away(event));
}

const char *zl_pt_acc(const zl_pipe_text *k, char room[96], int32_t acc, uint32_t number)
{
    const char *name = k->pipe->accs[acc].name;
    size_t length = strlen(name);
    memcpy(room, "acc_", 4);
    memcpy(room + 4, name, length);
    room[4 + length] = k->c ? '[' : '_';
    char *end = zl_pt_digits(room + 5 + length, number);
    if (k->c) memcpy(end, "]", 2);
    return room;
}

const char *zl_pt_table_read(zl_pipe_text *k, zl_pt_table *out, const zlay_layout *layout)
{
    uint64_t box[2], size = zlay_layout_size(layout);
    if (zlay_layout_box(box, 2, layout) != 2 || box[0] * box[1] != size || size > UINT16_MAX + 1u)
        return "is not (row, column) -> element";
    int64_t *place = zl_scratch(k->ctx, size, sizeof *place);
    *out = (zl_pt_table){place, box[0], box[1]};
    if (!place) k->status = ZLAY_ENOMEM;
    return place && zlay_layout_eval_many(place, NULL, layout, NULL, 0, size) ? "has no value somewhere" : NULL;
}
