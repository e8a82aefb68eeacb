/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the events of hardware queues (load, send, fetch, put, waitcount) and products of registers
 * with registers for the checker. The instructions of one warp's queue complete in the order of
 * their issue, so a queue is a sequence of groups of one instruction. A wait leaves at most so many
 * of the last open. */
#include "pipe/replay/acc.h"

enum { ISSUED_MOST = 1 << 28 };

/* The queue that counts an event. */
static int queue_of(const zl_event *e)
{
    if (e->kind == ZL_EV_WAITCOUNT)
        return e->scope == ZL_QUEUE_MEMORY ? ZL_RP_MEMORY : ZL_RP_SHARED;
    return e->kind == ZL_EV_LOAD || e->kind == ZL_EV_SEND ? ZL_RP_MEMORY : ZL_RP_SHARED;
}

void zl_rp_waitcount(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    zl_rp_wait_group(c, i, queue_of(e), e->count);
}

/* ---- registers ---- */

/* Registers that are about to be read must hold something and not be in flight. */
static zl_rp_acc_state *take_registers(zl_replay *c, zl_rp_instance *i, int32_t acc)
{
    zl_rp_acc_state *s = zl_rp_acc_of(c, i, acc);
    if (s->state == ZL_RP_EMPTY) zl_rp_break(c, ZLAY_PIPE_STAGE, i->pc, UINT32_MAX);
    if (s->group > i->done[s->kind]) zl_rp_break_flight(c, s, s->kind, i->pc);
    s->unread = false;
    return s;
}

/* A load fills registers; what was loaded there before must have been read. */
static void load_registers(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    zl_rp_acc_state *s = zl_rp_fill_acc(c, i, e->acc);
    if (s->unread) zl_rp_break(c, ZLAY_PIPE_STAGE, i->pc, s->event);
    s->state = ZL_RP_ACCUMULATED;
    s->unread = s->unfenced = true;
    s->bytes = e->count;
    s->kind = queue_of(e);
    s->group = i->issued[s->kind];
    s->event = i->pc;
}

/* A store takes registers once, with as many bytes as were loaded; it has read them when it is
 * issued. */
static void store_registers(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    zl_rp_acc_state *s = take_registers(c, i, e->acc);
    int64_t whole = e->smem[0] < 0 ? s->bytes : c->pipe->smems[e->smem[0]].bytes;
    int64_t bytes = e->smem[0] >= 0 && e->count ? e->count : whole;
    if (s->state == ZL_RP_TAKEN) zl_rp_break(c, ZLAY_PIPE_STAGE, i->pc, s->event);
    if (s->bytes && s->bytes != bytes) zl_rp_break(c, ZLAY_PIPE_BYTES, i->pc, s->event);
    s->state = ZL_RP_TAKEN;
    s->event = i->pc;
}

void zl_rp_multiply(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    take_registers(c, i, e->acc_a);
    take_registers(c, i, e->acc_b);
    zl_rp_acc_state *s = zl_rp_fill_acc(c, i, e->acc);
    if (e->fresh ? s->unread : s->state != ZL_RP_ACCUMULATED)
        zl_rp_break(c, ZLAY_PIPE_STAGE, i->pc, s->event);
    zl_rp_check_factors(c, i, e, &s->factors);
    s->state = ZL_RP_ACCUMULATED;
    s->unread = s->unfenced = true;
    s->group = 0;
    s->event = i->pc;
}

/* ---- memory ---- */

/* Makes the access of shared or global memory that an event of a queue is. */
static void access_memory(zl_replay *c, zl_rp_instance *i, const zl_event *e, zl_rp_access *access)
{
    bool shared = e->smem[0] >= 0;
    const zl_pos *at = shared ? &e->at[0] : &e->other_at;
    uint32_t ring = shared ? zl_rp_ring_smem(c, e->smem[0]) : zl_rp_ring_other(c, e->other);
    uint32_t stages = shared ? c->pipe->smems[e->smem[0]].stages : c->pipe->others[e->other].stages;
    uint32_t slot = zl_rp_slot(c, i, at, ring, shared ? i->block : 0, stages);
    zl_rp_shadow *p = shared ? zl_rp_smem(c, i, i->block, e->smem[0], slot)
                            : &c->places[c->other_at[e->other] + slot];
    int64_t index = zl_rp_value(c, i, at);
    if (e->kind == ZL_EV_FETCH) zl_rp_read(c, p, i, true, index, access);
    else zl_rp_write(c, p, i, true, index, access);
}

/* Issues an event's instructions; it is complete when the last of them is. */
void zl_rp_queue(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    int queue = queue_of(e);
    bool fills = e->kind == ZL_EV_LOAD || e->kind == ZL_EV_FETCH;
    zl_rp_access access = {.event = i->pc, .part = e->part, .proxy = ZL_RP_GENERIC,
                     .bytes = e->smem[0] >= 0 && e->kind != ZL_EV_FETCH ? e->count : 0};
    if (e->kind == ZL_EV_LOAD || e->kind == ZL_EV_SEND) zl_rp_check_grid(c, i);
    if (i->issued[queue] + (int64_t)e->times > ISSUED_MOST) {
        c->status =
            zl_fail(c->ctx, ZLAY_ELIMIT, "line %u: too many instructions of one queue", e->line);
        return;
    }
    i->issued[queue] += (int32_t)e->times - 1;
    zl_rp_name_group(c, i, queue, &access);
    zl_rp_close_alone(i, queue);
    if (e->acc >= 0 && fills) load_registers(c, i, e);
    if (e->acc >= 0 && !fills) store_registers(c, i, e);
    if (e->smem[0] >= 0 || e->other >= 0) access_memory(c, i, e, &access);
}
