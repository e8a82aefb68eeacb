/* SPDX-License-Identifier: Apache-2.0 */
/* setmaxnreg inc waits until registers are free. */
#include "pipe/run.h"

enum { REGISTERS = 65536, WARP = 32 };

static int64_t threads_of(const zl_run *r, const zl_instance *i)
{
    const zl_role *role = &r->pipe->roles[i->role];
    return WARP * (int64_t)(role->elect ? role->last_warp - role->first_warp + 1 : role->each);
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

/* How many registers a block has left, now or when all that are asked for have been given. */
static int64_t left(const zl_run *r, int32_t cta, bool all)
{
    int64_t sum = REGISTERS;
    for (uint32_t k = 0; k < r->instances_count; k++) {
        const zl_instance *i = &r->instances[k];
        if (i->cta == cta) sum -= threads_of(r, i) * (all ? most_of(r, i) : i->registers);
    }
    return sum;
}

/* When there are enough for all that may ask, nobody is in another's way in any order. */
bool zl_run_registers(zl_run *r, zl_instance *i, const zl_event *e)
{
    bool grows = e->scope == ZL_REGS_INC && e->count > i->registers;
    if (grows && left(r, i->cta, true) < 0) return false;
    i->registers = (int32_t)e->count;
    return true;
}

bool zl_run_registers_some(const zl_run *r, const zl_instance *i)
{
    const zl_event *e = &r->pipe->events[i->pc];
    return i->pc < r->pipe->roles[i->role].end && e->kind == ZL_EV_SETMAXNREG &&
           (e->count - i->registers) * threads_of(r, i) <= left(r, i->cta, false);
}
