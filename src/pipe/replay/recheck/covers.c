/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that a pipe says nothing that the checker of proofs by order would overlook: its events are
 * in a closed list, all in one block, and each setmaxnreg stands first in its role and asks for
 * registers that the launch gave. What is not listed has no proof by order. */
#include "pipe/replay/recheck/recheck.h"

enum { LANES = 32, GROUP = 4 /* warps */, REGISTERS = 65536 };

/* ---- events ---- */

/* Whether an event keeps to its block, its own memory and shared rings, and happens once. */
static bool is_plain(const zl_event *e)
{
    const zl_pos *pos[ZL_POSITIONS];
    bool plain = e->cta == ZL_CTA_OWN && e->bar_cta == ZL_CTA_OWN && !e->multicast && !e->when;
    plain = plain && e->times == 1 && e->map < 0 && e->other < 0 && e->tmem[0] < 0 && e->tmem[1] < 0;
    zl_event_positions(e, pos);
    for (int k = 0; k < ZL_POSITIONS; k++) plain = plain && !pos[k]->scale;
    return plain;
}

/* The ways of a kind that the checker knows: those below this number; 0: none. */
static int32_t ways_of(const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_COPY: return ZL_COPY_TENSOR + 1;
    case ZL_EV_COMMIT:
    case ZL_EV_WAITGROUP: return ZL_GROUP_CPASYNC + 1;
    case ZL_EV_FENCE: return ZL_FENCE_MBARRIER + 1;
    case ZL_EV_SYNC: return ZL_SYNC_CTA + 1;
    case ZL_EV_ARRIVE: return ZL_BY_THREADS + 1;
    case ZL_EV_SETMAXNREG: return ZL_REGS_DEC + 1;
    case ZL_EV_FOR: return e->step == 1;
    case ZL_EV_MMA: return e->smem[0] >= 0 && e->smem[1] >= 0 && e->acc >= 0;
    case ZL_EV_READ: return e->acc < 0;
    case ZL_EV_END:
    case ZL_EV_INIT:
    case ZL_EV_EXPECT:
    case ZL_EV_WAIT:
    case ZL_EV_CPASYNC:
    case ZL_EV_STORE:
    case ZL_EV_WRITE:
    case ZL_EV_USE: return 1;
    default: return 0;
    }
}

/* ---- registers ---- */

/* The registers of each thread of a role when it has ended; -1: it sets them in a way that is not
 * legal, or not at its beginning. */
static int64_t held(const zlay_pipe *pipe, const zl_role *role)
{
    int64_t holds = pipe->registers;
    for (uint32_t i = role->begin; i < role->end; i++) {
        const zl_event *e = &pipe->events[i];
        if (e->kind != ZL_EV_SETMAXNREG) continue;
        bool down = e->scope == ZL_REGS_DEC;
        if (i != role->begin || (down ? e->count > holds : e->count < holds)) return -1;
        if (e->count < 24 || e->count > 256 || e->count % 8) return -1;
        if (role->first_warp % GROUP || role->last_warp % GROUP != GROUP - 1 || role->each % GROUP)
            return -1;
        holds = e->count;
    }
    return holds;
}

/* The role of a warp; NULL: it has none, and keeps the registers of its launch. */
static const zl_role *role_of(const zlay_pipe *pipe, uint32_t warp)
{
    for (uint32_t i = 0; i < pipe->roles_count; i++)
        if (pipe->roles[i].first_warp <= warp && warp <= pipe->roles[i].last_warp)
            return &pipe->roles[i];
    return NULL;
}

/* The registers that the warps hold in the end are not more than those of the launch. */
static bool check_registers(zl_recheck *r)
{
    const zlay_pipe *pipe = r->pipe;
    uint32_t warps = 0, sets = 0;
    int64_t sum = 0, launched;
    for (uint32_t i = pipe->setup; i < pipe->events_count; i++)
        sets += pipe->events[i].kind == ZL_EV_SETMAXNREG;
    if (!sets) return true;
    for (uint32_t i = 0; i < pipe->roles_count; i++) {
        if (pipe->roles[i].last_warp >= warps) warps = pipe->roles[i].last_warp + 1;
        if (held(pipe, &pipe->roles[i]) < 0)
            return zl_rc_refuse(r, "registers that a role sets wrongly", pipe->roles[i].line);
    }
    for (uint32_t w = 0; w < warps; w++) {
        const zl_role *role = role_of(pipe, w);
        sum += LANES * (role ? held(pipe, role) : (int64_t)pipe->registers);
    }
    launched = LANES * (int64_t)warps * pipe->registers;
    return (launched > 0 && launched <= REGISTERS && pipe->registers % 8 == 0 && sum <= launched) ||
           zl_rc_refuse(r, "registers that the launch does not give", 0);
}

bool zl_rc_covers(zl_recheck *r)
{
    const zlay_pipe *pipe = r->pipe;
    if (pipe->blocks != 1) return zl_rc_refuse(r, "blocks of a cluster", 0);
    for (uint32_t i = 0; i < pipe->events_count; i++) {
        const zl_event *e = &pipe->events[i];
        if (!is_plain(e) || e->scope >= ways_of(e))
            return zl_rc_refuse(r, "an event that no proof by order covers", e->line);
    }
    return check_registers(r);
}
