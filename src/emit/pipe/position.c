/* SPDX-License-Identifier: Apache-2.0 */
/* Prints into registers where an event happens: its position in a loop, the stage of a ring, the
 * addresses of stages and mbarriers, the same in another block, and addresses in global memory. A
 * position is counter * (param or number) + param + number; its stage is the position modulo the
 * ring's length. Each event computes this anew and leaves nothing behind. */
#include "emit/pipe/pipe.h"

#include <stdio.h>

enum { BAR_BYTES = 8 };

bool zl_pt_lone(const zl_pipe_text *k) { return k->role && k->role->elect; }

const char *zl_pt_one(const zl_pipe_text *k) { return zl_pt_lone(k) ? NULL : "one"; }

uint32_t zl_pt_width(const zl_pipe_text *k)
{
    return !k->role ? k->threads : k->role->elect ? 1 : k->role->each * 32;
}

static void put_param(char room[80], const zl_pipe_text *k, int32_t param)
{
    snprintf(room, 80, "trips_%.64s", k->pipe->params[param].name);
}

static void add_constant(zl_pipe_text *k, const char *to, int64_t add)
{
    char room[24];
    if (!add) return;
    snprintf(room, sizeof room, "%lld", (long long)(add < 0 ? -add : add));
    if (add < 0) zl_op(k, SUB, to, to, room);
    else zl_op(k, ADD, to, to, room);
}

/* to = a position's value. */
static void position(zl_pipe_text *k, const char *to, const zl_pos *pos)
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

void zl_pt_pos(zl_pipe_text *k, const zl_pos *pos) { position(k, "pos", pos); }

void zl_pt_slot(zl_pipe_text *k, const zl_pos *pos, uint32_t stages)
{
    char room[24];
    zl_pt_pos(k, pos);
    if (stages == 1) zl_op(k, MOV, "slot", "0");
    else zl_op(k, REM, "slot", "pos", zl_pt_number(room, stages));
}

void zl_pt_stage(zl_pipe_text *k, const char *to, int32_t smem, const zl_pos *pos)
{
    char room[24], more[24];
    const zl_smem *s = &k->pipe->smems[smem];
    zl_pt_slot(k, pos, s->stages);
    if (zl_pt_instances(k, smem) > 1)
        zl_op(k, MAD, "slot", "instance", zl_pt_number(room, s->stages), "slot");
    zl_op(k, MAD, to, "slot", zl_pt_number(room, k->smem_pitch[smem]), "smem");
    if (k->smem_at[smem]) zl_op(k, ADD, to, to, zl_pt_number(more, k->smem_at[smem]));
}

void zl_pt_bar(zl_pipe_text *k, const char *to)
{
    char room[24];
    const zl_event *e = k->event;
    zl_pt_slot(k, &e->bar_at, k->pipe->bars[e->bar].stages);
    zl_op(k, MAD, to, "slot", zl_pt_number(room, BAR_BYTES), "smem");
    zl_op(k, ADD, to, to, zl_pt_number(room, k->bar_at[e->bar]));
}

void zl_pt_peer(zl_pipe_text *k, const char *far, const char *near, uint32_t rank)
{
    char room[24];
    const zl_event *e = k->event;
    const char *block = zl_pt_number(room, e->cta >= 0 ? (uint32_t)e->cta : rank);
    if (e->cta >= 0 && e->relative) {
        char blocks[24];
        zl_op(k, ADD, "peer", "rank", block);
        zl_op(k, REM, "peer", "peer", zl_pt_number(blocks, k->pipe->blocks));
        block = "peer";
    }
    zl_say(k, NULL, "mapa", 1, far, near, block);
}

/* Which of an event's positions counts in global memory. */
static const zl_pos *place_of(const zl_event *e, int what)
{
    return what == ZL_PT_OTHER ? &e->other_at : &e->at[0];
}

/* index = the index in global memory. A position without a counter counts as the innermost counter:
 * each iteration has its own index for every stage. */
static void index_of(zl_pipe_text *k, const zl_pos *pos, uint32_t stages)
{
    char counter[16], room[24];
    position(k, "index", pos);
    if (pos->loop >= 0 || !k->loops) return;
    snprintf(counter, sizeof counter, "count%u", k->loops - 1);
    zl_op(k, MAD, "index", counter, zl_pt_number(room, stages), "index");
}

static const char *name_of(const zl_pipe_text *k, int what, const zl_event *e)
{
    if (what == ZL_PT_OTHER) return k->pipe->others[e->other].name;
    return k->pipe->smems[e->smem[0]].name;
}

void zl_pt_other(zl_pipe_text *k, const char *to, int32_t other, const zl_pos *pos, uint32_t bytes)
{
    char name[80], room[24];
    const zl_other *o = &k->pipe->others[other];
    snprintf(name, sizeof name, "%s%.64s", zl_pt_prefix[ZL_PT_OTHER], o->name);
    zl_op(k, LOAD64, to, name);
    zl_pt_slot(k, pos, o->stages);
    zl_op(k, FURTHER, to, "slot", zl_pt_number(room, bytes));
}

void zl_pt_global(zl_pipe_text *k, int what, const zl_event *event)
{
    char name[80], step[96], room[24];
    zl_span_of span = zl_pt_span(k, event);
    int32_t smem = event->smem[0];
    uint32_t instances = zl_pt_instances(k, smem);
    uint32_t stages =
        what == ZL_PT_OTHER ? k->pipe->others[event->other].stages : k->pipe->smems[smem].stages;
    snprintf(name, sizeof name, "%s%.64s", zl_pt_prefix[what], name_of(k, what, event));
    snprintf(step, sizeof step, "step_%s", name);
    zl_op(k, LOAD64, "gp", name);
    if (what != ZL_PT_OTHER) {
        zl_op(k, LOAD64, "gq", step);
        zl_op(k, WIDEN, "wide", "ctaid");
        zl_op(k, SPREAD, "gp", "wide", "gq");
    }
    index_of(k, place_of(event, what), stages);
    if (instances > 1) zl_op(k, MAD, "index", "index", zl_pt_number(room, instances), "instance");
    zl_op(k, FURTHER, "gp", "index", zl_pt_number(room, span.all));
    if (span.further) zl_op(k, MORE, "gp", zl_pt_number(room, span.further));
}
