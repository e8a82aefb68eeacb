/* SPDX-License-Identifier: Apache-2.0 */
/* Prints into registers where an event happens: its position in a loop, the stage of a ring, the
 * addresses of stages and mbarriers, the same in another block, and addresses in global memory. A
 * stage is the position modulo the ring's length: a register where ring.c keeps one, or one that
 * differs by a number, else computed anew. */
#include "emit/pipe/pipe.h"

#include <stdio.h>
#include <stdlib.h>

enum { BAR_BYTES = 8 };

const char *zl_pt_one(const zl_pipe_text *k) { return zl_pt_lone(k) ? NULL : "one"; }

uint32_t zl_pt_width(const zl_pipe_text *k)
{
    return !k->role ? k->threads : k->role->elect ? 1 : k->role->each * 32;
}

/* Whether a position is a number, and that. */
static bool is_number(const zl_pos *pos)
{
    return pos->loop == -1 && pos->times < 0 && pos->plus < 0 && pos->add >= 0;
}

/* Register `to`: the slot so many positions from that of a ring. */
static void slot_from(zl_pipe_text *k, const char *to, uint32_t ring, uint32_t rest)
{
    char name[24], room[24];
    zl_pt_ring_name(name, "slot", ring);
    zl_op(k, ADD, to, name, zl_pt_number(room, rest));
}

const char *zl_pt_slot(zl_pipe_text *k, char room[24], const zl_pos *pos, uint32_t stages)
{
    int32_t ring = zl_pt_ring_at(k, pos, stages);
    if (stages == 1) return "0";
    if (is_number(pos)) return zl_pt_number(room, (uint64_t)pos->add % stages);
    if (ring >= 0) {
        const zl_pt_ring *r = &k->ring[ring];
        uint32_t rest = zl_pt_rest(pos->add - r->at.add, stages);
        if (!rest) return zl_pt_ring_name(room, "slot", (uint32_t)ring);
        if (r->before && rest == stages - 1) return zl_pt_ring_name(room, "last", (uint32_t)ring);
        slot_from(k, "slot", (uint32_t)ring, rest);
        zl_pt_wrap(k, "slot", stages, NULL);
        return "slot";
    }
    zl_pt_pos(k, pos);
    zl_op(k, REM, "slot", "pos", zl_pt_number(room, stages));
    return "slot";
}

/* The parity of a position that a ring is so many positions from. */
static const char *parity_from(zl_pipe_text *k, char room[24], uint32_t ring, int64_t way,
                               int32_t flip)
{
    uint32_t stages = k->ring[ring].stages, rest = zl_pt_rest(way, stages);
    bool turned = (zl_pt_turns(way, stages) + flip) & 1;
    const char *phase = zl_pt_ring_name(room, "phase", ring);
    if (!rest && !turned) return phase;
    zl_op(k, XOR, "parity", phase, turned ? "1" : "0");
    if (!rest) return "parity";
    slot_from(k, "pos", ring, rest);
    zl_pt_wrap(k, "pos", stages, "parity");
    return "parity";
}

const char *zl_pt_parity(zl_pipe_text *k, char room[24], const zl_pos *pos, uint32_t stages,
                         int32_t flip)
{
    int32_t ring = zl_pt_ring_at(k, pos, stages);
    if (is_number(pos)) {
        zl_op(k, MOV, "parity", ((uint64_t)pos->add / stages + (uint64_t)flip) & 1 ? "1" : "0");
        return "parity";
    }
    if (ring >= 0)
        return parity_from(k, room, (uint32_t)ring, pos->add - k->ring[ring].at.add, flip);
    zl_pt_pos(k, pos);
    zl_op(k, DIV, "parity", "pos", zl_pt_number(room, stages));
    if (flip) zl_op(k, ADD, "parity", "parity", "1");
    zl_op(k, AND, "parity", "parity", "1");
    return "parity";
}

/* Register `to`: where slot number `slot` of `pitch` bytes lies, the first `begin` bytes into shared
 * memory. */
static void place(zl_pipe_text *k, const char *to, const char *slot, uint32_t pitch, uint32_t begin)
{
    char room[24];
    if (slot[0] >= '0' && slot[0] <= '9') {
        uint64_t at = (uint64_t)strtoul(slot, NULL, 10) * pitch + begin;
        zl_op(k, ADD, to, "smem", zl_pt_number(room, at));
        return;
    }
    zl_op(k, MAD, to, slot, zl_pt_number(room, pitch), "smem");
    if (begin) zl_op(k, ADD, to, to, zl_pt_number(room, begin));
}

void zl_pt_stage(zl_pipe_text *k, const char *to, int32_t smem, const zl_pos *pos)
{
    char room[24], name[24];
    const zl_smem *s = &k->pipe->smems[smem];
    const char *slot = zl_pt_slot(k, name, pos, s->stages);
    if (zl_pt_instances(k, smem) > 1) {
        zl_op(k, MAD, "slot", "instance", zl_pt_number(room, s->stages), slot);
        slot = "slot";
    }
    place(k, to, slot, k->smem_pitch[smem], k->smem_at[smem]);
}

void zl_pt_bar(zl_pipe_text *k, const char *to)
{
    char name[24];
    const zl_event *e = k->event;
    const char *slot = zl_pt_slot(k, name, &e->bar_at, k->pipe->bars[e->bar].stages);
    place(k, to, slot, BAR_BYTES, k->bar_at[e->bar]);
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
    char name[24], room[24];
    zl_pt_value(k, "index", pos);
    if (pos->loop >= 0 || !k->loops) return;
    const char *counter = zl_pt_counter(k, name, "w0", (int32_t)k->loops - 1);
    zl_op(k, MAD, "index", counter, zl_pt_number(room, stages), "index");
}

static const char *name_of(const zl_pipe_text *k, int what, const zl_event *e)
{
    if (what == ZL_PT_OTHER) return k->pipe->others[e->other].name;
    return k->pipe->smems[e->smem[0]].name;
}

void zl_pt_other(zl_pipe_text *k, const char *to, int32_t other, const zl_pos *pos, uint32_t bytes)
{
    char name[80], room[24], more[24];
    const zl_other *o = &k->pipe->others[other];
    if (zl_pt_units_other(k, to, o->name)) return;
    snprintf(name, sizeof name, "%s%.64s", zl_pt_prefix[ZL_PT_OTHER], o->name);
    zl_op(k, LOAD64, to, name);
    zl_op(k, MOV, "slot", zl_pt_slot(k, more, pos, o->stages));
    if (o->each) zl_op(k, MAD, "slot", "instance", zl_pt_number(room, o->stages), "slot");
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
    bool each = what == ZL_PT_OTHER && k->pipe->others[event->other].each;
    if (each) zl_op(k, MAD, "index", "instance", zl_pt_number(room, stages), "index");
    else if (instances > 1) zl_op(k, MAD, "index", "index", zl_pt_number(room, instances), "instance");
    zl_op(k, FURTHER, "gp", "index", zl_pt_number(room, span.all));
    if (span.further) zl_op(k, MORE, "gp", zl_pt_number(room, span.further));
}
