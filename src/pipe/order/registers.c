/* SPDX-License-Identifier: Apache-2.0 */
/* Checks setmaxnreg (PTX ISA, "setmaxnreg") where each role has at most one, as its first event. No
 * `dec` waits then, so every `inc` finds the registers that all `dec`s have freed: whether it is
 * granted depends on sums over the text alone. Every other use of setmaxnreg is left to the runs. */
#include "pipe/order/verify.h"

enum { WARP = 32, GRANULE = 8, FEWEST = 24, MOST = 256, OF_BLOCK = 65536 };

/* The first setmaxnreg of a role; NULL: it has none. */
static const zl_event *setting_of(const zlay_pipe *pipe, const zl_role *role)
{
    for (uint32_t i = role->begin; i < role->end; i++)
        if (pipe->events[i].kind == ZL_EV_SETMAXNREG) return &pipe->events[i];
    return NULL;
}

static bool is_only(const zlay_pipe *pipe, const zl_role *role, const zl_event *set)
{
    for (const zl_event *e = set + 1; e < pipe->events + role->end; e++)
        if (e->kind == ZL_EV_SETMAXNREG) return false;
    return set == &pipe->events[role->begin];
}

/* Whether whole warpgroups set a legal number, and by the right way. */
static bool is_legal(const zlay_pipe *pipe, const zl_role *role, const zl_event *set)
{
    int64_t launched = pipe->registers;
    bool groups = role->first_warp % 4 == 0 && (role->last_warp + 1) % 4 == 0 && role->each % 4 == 0;
    bool number = set->count >= FEWEST && set->count <= MOST && set->count % GRANULE == 0;
    bool way = set->scope == ZL_REGS_INC ? set->count >= launched : set->count <= launched;
    return groups && number && way;
}

void zl_check_registers(zl_verify *v)
{
    const zlay_pipe *pipe = v->pipe;
    int64_t launched = (int64_t)WARP * zl_pipe_warps(pipe) * pipe->registers, more = 0;
    const zl_event *first = NULL;
    for (uint32_t r = 0; r < pipe->roles_count; r++) {
        const zl_role *role = &pipe->roles[r];
        const zl_event *set = setting_of(pipe, role);
        if (!set) continue;
        if (!first) first = set;
        if (!is_only(pipe, role, set) || !is_legal(pipe, role, set))
            zl_undecided(v, set->line, "sets registers in a way that order does not cover");
        int64_t threads = WARP * ((int64_t)role->last_warp - role->first_warp + 1);
        more += threads * (set->count - pipe->registers);
    }
    bool right = launched > 0 && launched <= OF_BLOCK && pipe->registers % GRANULE == 0 && more <= 0;
    if (first && !right) zl_undecided(v, first->line, "sets registers that the block does not have");
}
