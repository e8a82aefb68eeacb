/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the events of AMD's hardware queues (load, send, fetch, put, waitcount) and products of
 * registers with registers. Each warp's instructions of one queue complete in the order of
 * their issue, and `waitcount` waits until at most so many of the last are outstanding, as
 * s_waitcnt does. Each set of registers (zl_acc_state) remembers the queue and the number of
 * the instruction that fills it. */
#include "pipe/runs/state/clock.h"

/* The queue of an event: global memory (vmcnt) or shared memory (lgkmcnt). */
static int queue_of(const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_WAITCOUNT: return e->scope == ZL_QUEUE_MEMORY ? ZL_OF_MEMORY : ZL_OF_SHARED;
    case ZL_EV_LOAD:
    case ZL_EV_SEND: return ZL_OF_MEMORY;
    default: return ZL_OF_SHARED;
    }
}

/* ---- registers ---- */

/* Returns registers that are about to be read: it is a fault if they are empty or still being
 * filled. */
static zl_acc_state *read_registers(zl_run *r, zl_instance *i, int32_t acc)
{
    zl_acc_state *s = zl_run_acc(r, i, acc);
    if (s->state == ZL_ACC_EMPTY) zl_run_fault(r, ZLAY_PIPE_STAGE, i->pc, UINT32_MAX, 0, 1);
    if (zl_acc_in_flight(i, s)) zl_run_fault(r, zl_acc_rule(s->kind), i->pc, s->event, 1, 0);
    s->unread = false;
    return s;
}

/* Returns registers that are about to be written: it is a fault if an outstanding instruction
 * writes or reads them. */
static zl_acc_state *write_registers(zl_run *r, zl_instance *i, int32_t acc)
{
    zl_acc_state *s = zl_run_acc(r, i, acc);
    if (zl_acc_in_flight(i, s)) zl_run_fault(r, zl_acc_rule(s->kind), i->pc, s->event, 1, 0);
    if (zl_acc_being_read(i, s))
        zl_run_fault(r, zl_acc_rule(s->reader_kind), i->pc, s->event, 1, 0);
    s->version = i->epoch;
    s->bytes = 0;
    return s;
}

/* A load fills registers; what was loaded there before must have been read. */
static void fill_registers(zl_run *r, zl_instance *i, const zl_event *e, int queue)
{
    zl_acc_state *s = write_registers(r, i, e->acc);
    if (s->unread) zl_run_fault(r, ZLAY_PIPE_STAGE, i->pc, s->event, 2, 1);
    s->state = ZL_ACC_SUM;
    s->unread = s->unfenced = true;
    s->bytes = e->count;
    s->kind = queue;
    s->group = i->issued[queue];
    s->event = i->pc;
}

/* A store takes registers once and whole; it has read them when it is issued. */
static void empty_registers(zl_run *r, zl_instance *i, const zl_event *e)
{
    zl_acc_state *s = read_registers(r, i, e->acc);
    int64_t bytes = e->smem[0] < 0 ? s->bytes : e->count ? e->count : r->pipe->smems[e->smem[0]].bytes;
    if (s->state == ZL_ACC_TAKEN) zl_run_fault(r, ZLAY_PIPE_STAGE, i->pc, s->event, 2, 1);
    if (s->bytes && s->bytes != bytes)
        zl_run_fault(r, ZLAY_PIPE_BYTES, i->pc, s->event, bytes, s->bytes);
    s->state = ZL_ACC_TAKEN;
    s->event = i->pc;
}

/* ---- memory ---- */

/* The memory that the event reads or writes. */
static void access_memory(zl_run *r, zl_instance *i, const zl_event *e, zl_mem_access *access)
{
    bool shared = e->smem[0] >= 0;
    const zl_pos *at = shared ? &e->at[0] : &e->other_at;
    uint32_t slot = shared ? zl_run_slot(r, i, at, r->pipe->smems[e->smem[0]].stages) : zl_run_other_slot(r, i, e);
    zl_shadow *p = shared ? zl_smem_place(r, i, (uint32_t)i->cta, e->smem[0], slot)
                        : zl_other_place(r, e->other, slot);
    if (e->kind == ZL_EV_FETCH) zl_shadow_read(r, p, i, true, zl_run_value(r, i, at), access);
    else zl_shadow_write(r, p, i, true, zl_run_value(r, i, at), access);
}

/* Numbers the event's instructions in its queue; the event is complete when the last of them
 * is. */
static void issue(zl_run *r, zl_instance *i, const zl_event *e, zl_mem_access *access)
{
    int queue = queue_of(e);
    if (i->issued[queue] + (int64_t)e->times > ZL_TICKS) {
        zl_run_halt(r, zl_event_index(r, e), "issues more than 32000 instructions of one queue");
        return;
    }
    i->issued[queue] += (int32_t)e->times - 1;
    zl_access_group(r, access, i, queue);
    i->last[queue] = ++i->issued[queue];
}

void zl_run_queue(zl_run *r, zl_instance *i, const zl_event *e)
{
    bool loads = e->kind == ZL_EV_LOAD || e->kind == ZL_EV_FETCH;
    zl_mem_access access = {.event = i->pc, .part = e->part, .proxy = ZL_GENERIC,
                      .bytes = e->smem[0] >= 0 && e->kind != ZL_EV_FETCH ? e->count : 0};
    if (e->kind == ZL_EV_LOAD || e->kind == ZL_EV_SEND) zl_run_check_grid(r, i, e);
    issue(r, i, e, &access);
    if (r->status) return;
    if (e->acc >= 0 && loads) fill_registers(r, i, e, queue_of(e));
    if (e->acc >= 0 && !loads) empty_registers(r, i, e);
    if (e->smem[0] >= 0 || e->other >= 0) access_memory(r, i, e, &access);
}

void zl_run_waitcount(zl_run *r, zl_instance *i, const zl_event *e)
{
    int queue = queue_of(e);
    int32_t done = i->issued[queue] - (int32_t)e->count;
    if (done <= i->done[queue]) return;
    i->done[queue] = done;
    for (uint32_t k = 0; k < i->classes; k++) {
        zl_class *c = &r->classes[i->first + k];
        zl_clock_set(c, zl_comp_group(r, i, queue, !c->first_warp), done, false);
    }
}

/* ---- products ---- */

void zl_run_multiply(zl_run *r, zl_instance *i, const zl_event *e)
{
    read_registers(r, i, e->acc_a);
    read_registers(r, i, e->acc_b);
    zl_acc_state *s = write_registers(r, i, e->acc);
    if (e->fresh ? s->unread : s->state != ZL_ACC_SUM)
        zl_run_fault(r, ZLAY_PIPE_STAGE, i->pc, s->event, e->fresh, !e->fresh);
    zl_acc_factors(r, i, e, &s->factors);
    s->state = ZL_ACC_SUM;
    s->unread = s->unfenced = true;
    s->group = 0;
    s->event = i->pc;
}
