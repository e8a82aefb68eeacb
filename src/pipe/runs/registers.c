/* SPDX-License-Identifier: Apache-2.0 */
/* Runs setmaxnreg (PTX ISA, "setmaxnreg"): the warps of a warpgroup must have synchronised
 * since its last one, and `inc` waits until its block has free registers. To be independent of
 * the interleaving, `inc` is granted only when all that may ever ask in the block could be
 * granted. */
#include "pipe/runs/state/clock.h"

enum { WARP = 32 };

static int64_t threads_of(const zl_run *r, const zl_instance *i)
{
    return WARP * (int64_t)r->pipe->roles[i->role].each;
}

/* The most registers a thread of the instance asks for until it ends. */
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

/* Registers that a block has left: the launch's less those held now, or, with `all`, less the
 * most that will be asked for. Ended warps keep theirs, as the ISA promises no return. */
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

/* Whether each thread of the instance knows that each other is past its last setmaxnreg. A
 * warp runs it as one; the elected thread of a role knows of no other. */
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

/* Runs a setmaxnreg; false where it has to wait for registers. */
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
