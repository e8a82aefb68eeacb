/* SPDX-License-Identifier: Apache-2.0 */
/* setmaxnreg: the warps of a warpgroup meet between two of them, and inc waits until registers of its
 * block are free. */
#include "pipe/runs/state/clock.h"

enum { WARP = 32 };

static int64_t threads_of(const zl_run *r, const zl_instance *i)
{
    return WARP * (int64_t)r->pipe->roles[i->role].each;
}

/* The most that the instance asks for until it ends. */
static int64_t most_of(const zl_run *r, const zl_instance *i)
{
    const zl_role *role = &r->pipe->roles[i->role];
    int64_t most = i->registers;
    for (uint32_t k = role->begin; k < role->end && i->pc < role->end; k++) {
        const zl_event *e = &r->pipe->events[k];
        if (e->kind == ZL_EV_SETMAXNREG && e->count > most) most = e->count;
    }
    return most;
}

/* How many registers a block has left, now or when all that are asked for have been given: what its
 * warps were launched with less what they hold. Warps that have ended, or have no role, hold theirs:
 * the ISA does not say that they give any back. */
static int64_t left(const zl_run *r, int32_t cta, bool all)
{
    int64_t sum = 0;
    for (uint32_t k = 0; k < r->instances_count; k++) {
        const zl_instance *i = &r->instances[k];
        int64_t held = all ? most_of(r, i) : i->registers;
        if (i->cta == cta) sum += threads_of(r, i) * ((int64_t)r->pipe->registers - held);
    }
    return sum;
}

/* Every thread of the instance knows that every other is past its last setmaxnreg, which a warp runs as
 * one. Of a role of one thread the other warps meet nobody. */
static bool have_met(const zl_run *r, const zl_instance *i)
{
    bool met = !i->set || !r->pipe->roles[i->role].elect;
    for (uint32_t a = 0; i->set && a < i->classes; a++)
        for (uint32_t b = 0; b < i->classes; b++) {
            const zl_class *c = &r->classes[i->first + a];
            bool alone = a == b && c->lone_warp;
            met &= alone || c->clock[zl_comp_control(r, i->first + b)] >= i->set;
        }
    return met;
}

/* When there are enough for all that may ask, nobody is in another's way in any order. */
bool zl_run_registers(zl_run *r, zl_instance *i, const zl_event *e)
{
    bool grows = e->scope == ZL_REGS_INC && e->count > i->registers;
    if (e->scope == ZL_REGS_INC ? e->count < i->registers : e->count > i->registers)
        zl_run_fault(r, ZLAY_PIPE_REGISTERS, i->pc, i->set_by, e->count, i->registers);
    if (!have_met(r, i)) zl_run_fault(r, ZLAY_PIPE_REGISTERS, i->pc, i->set_by, 0, 1);
    if (grows && left(r, i->cta, true) < 0) return false;
    i->registers = (int32_t)e->count;
    i->set = i->epoch;
    i->set_by = i->pc;
    return true;
}

bool zl_run_registers_some(const zl_run *r, const zl_instance *i)
{
    const zl_event *e = &r->pipe->events[i->pc];
    return i->pc < r->pipe->roles[i->role].end && e->kind == ZL_EV_SETMAXNREG &&
           (e->count - i->registers) * threads_of(r, i) <= left(r, i->cta, false);
}
