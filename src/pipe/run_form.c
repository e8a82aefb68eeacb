/* SPDX-License-Identifier: Apache-2.0 */
/* What the text alone breaks: the setup, collective events, columns, lanes, registers. */
#include "pipe/run.h"

enum { COLUMNS = 512, LEAST_COLUMNS = 32, LANES = 32, REGISTERS = 65536 };

/* ---- barriers ---- */

static bool is_remote(const zl_event *e)
{
    return e->cta != ZL_CTA_OWN || e->bar_cta != ZL_CTA_OWN || e->multicast;
}

static bool needs_cluster(const zlay_pipe *p, int32_t bar)
{
    for (uint32_t k = p->setup; k < p->events_count; k++)
        if (p->events[k].bar == bar && is_remote(&p->events[k])) return true;
    return false;
}

static void check_bar(zl_run *r, int32_t bar)
{
    const zlay_pipe *p = r->pipe;
    uint32_t inits = 0, event = 0;
    bool fenced = false, synced = false, cluster = false;
    for (uint32_t k = 0; k < p->setup; k++) {
        const zl_event *e = &p->events[k];
        if (e->kind == ZL_EV_INIT && e->bar == bar) {
            inits++;
            event = k;
            fenced = synced = cluster = false;
        }
        if (e->kind == ZL_EV_FENCE && (e->scope == ZL_FENCE_MBARRIER || e->scope == ZL_FENCE_PROXY))
            fenced = true;
        if (e->kind != ZL_EV_SYNC) continue;
        synced |= fenced;
        cluster |= fenced && e->scope == ZL_SYNC_CLUSTER;
    }
    if (inits != 1 || !synced) zl_run_fault(r, ZLAY_PIPE_INIT, event, UINT32_MAX, inits, 1);
    if (!cluster && needs_cluster(p, bar)) zl_run_fault(r, ZLAY_PIPE_PEER, event, UINT32_MAX, 0, 1);
    if (p->bars[bar].count < 1 || p->bars[bar].count >= 1 << 20)
        zl_run_fault(r, ZLAY_PIPE_COUNT, event, UINT32_MAX, p->bars[bar].count, (1 << 20) - 1);
}

/* ---- tensor memory ---- */

static bool is_power(uint32_t n) { return n && !(n & (n - 1)); }

static uint32_t first_event_of(const zlay_pipe *p, int32_t tmem)
{
    for (uint32_t k = 0; k < p->events_count; k++)
        if (p->events[k].tmem[0] == tmem || p->events[k].tmem[1] == tmem) return k;
    return 0;
}

static void check_tmem(zl_run *r, int32_t tmem)
{
    const zl_tmem *t = &r->pipe->tmems[tmem];
    uint64_t all = (uint64_t)t->columns * t->stages;
    if (all < LEAST_COLUMNS || all > COLUMNS || !is_power((uint32_t)all))
        zl_run_fault(r, ZLAY_PIPE_TMEM_COLUMNS, first_event_of(r->pipe, tmem), UINT32_MAX,
                     (int64_t)all, COLUMNS);
}

/* Warp w reaches lanes 32 * (w % 4) to 32 * (w % 4) + 31. */
static bool reaches(const zl_role *role, uint32_t lane)
{
    uint32_t instances = zl_role_instances(role);
    for (uint32_t n = 0; n < instances; n++) {
        bool found = false;
        for (uint32_t w = 0; w < role->each; w++)
            found |= (role->first_warp + n * role->each + w) % 4 == lane / LANES;
        if (!found) return false;
    }
    return lane < 4 * LANES;
}

static void check_lanes(zl_run *r, const zl_role *role, uint32_t event)
{
    const zl_event *e = &r->pipe->events[event];
    const zl_tmem *t = &r->pipe->tmems[e->tmem[0]];
    for (uint32_t lane = e->lanes[0]; lane <= e->lanes[1] && !r->fault.rule; lane++)
        if (!reaches(role, lane)) zl_run_fault(r, ZLAY_PIPE_TMEM_LANES, event, UINT32_MAX, lane, 0);
    if (e->columns[1] >= t->columns)
        zl_run_fault(r, ZLAY_PIPE_TMEM_COLUMNS, event, UINT32_MAX, e->columns[1], t->columns - 1);
}

/* ---- who runs what ---- */

static bool is_group(const zl_role *role) { return role->each == 4 && role->first_warp % 4 == 0; }

/* Events of one thread in a role of many are run by the elected one; those of many threads cannot
 * be run by one. */
static bool is_collective(const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_CPASYNC:
    case ZL_EV_READ:
    case ZL_EV_WRITE:
    case ZL_EV_LDMATRIX:
    case ZL_EV_STMATRIX:
    case ZL_EV_USE:
    case ZL_EV_SYNC:
    case ZL_EV_ALLOC:
    case ZL_EV_DEALLOC:
    case ZL_EV_RELINQUISH:
    case ZL_EV_TLD:
    case ZL_EV_TST:
    case ZL_EV_TWAIT:
    case ZL_EV_LOAD:
    case ZL_EV_SEND:
    case ZL_EV_FETCH:
    case ZL_EV_PUT:
    case ZL_EV_WAITCOUNT: return true;
    case ZL_EV_MMA: return e->tmem[0] < 0;
    case ZL_EV_JOIN: return e->scope == ZL_SYNC_NAMED;
    case ZL_EV_COMMIT: return e->scope == ZL_GROUP_WGMMA || e->scope == ZL_GROUP_CPASYNC;
    case ZL_EV_WAITGROUP: return e->scope == ZL_GROUP_WGMMA || e->scope == ZL_GROUP_CPASYNC;
    case ZL_EV_FENCE: return e->scope == ZL_FENCE_WGMMA;
    case ZL_EV_ARRIVE: return e->scope != ZL_BY_ONE;
    default: return false;
    }
}

static bool is_cluster_sync(const zl_event *e)
{
    return e->kind == ZL_EV_SYNC && (e->scope == ZL_SYNC_CLUSTER || e->scope == ZL_SYNC_CTA);
}

static void check_by(zl_run *r, const zl_role *role, uint32_t event)
{
    const zl_event *e = &r->pipe->events[event];
    bool wrong = role->elect && is_collective(e) && !is_cluster_sync(e);
    wrong |= e->kind == ZL_EV_MMA && e->tmem[0] < 0 && e->acc_b < 0 && !is_group(role);
    wrong |= (e->kind == ZL_EV_ALLOC || e->kind == ZL_EV_DEALLOC || e->kind == ZL_EV_RELINQUISH) &&
             (role->each != 1 || zl_role_instances(role) != 1);
    if (wrong) zl_run_fault(r, ZLAY_PIPE_COLLECTIVE, event, UINT32_MAX, role->each, 0);
    if (e->kind == ZL_EV_FENCE && e->scope == ZL_FENCE_MBARRIER)
        zl_run_fault(r, ZLAY_PIPE_INIT, event, UINT32_MAX, 0, 0);
    if (e->kind == ZL_EV_TLD || e->kind == ZL_EV_TST) check_lanes(r, role, event);
    if (e->multicast >> r->pipe->blocks)
        zl_run_fault(r, ZLAY_PIPE_PEER, event, UINT32_MAX, e->multicast, r->pipe->blocks);
}

/* The even block of a pair issues for both. */
static void check_pair(zl_run *r, const zl_role *role, uint32_t event)
{
    const zl_event *e = &r->pipe->events[event];
    if (e->tmem[0] < 0 || !r->pipe->tmems[e->tmem[0]].pair) return;
    bool issues = e->kind == ZL_EV_MMA || e->kind == ZL_EV_TCP;
    if (issues && (role->cta < 0 || role->cta % 2))
        zl_run_fault(r, ZLAY_PIPE_COLLECTIVE, event, UINT32_MAX, role->cta, 0);
    if (r->pipe->blocks % 2) zl_run_fault(r, ZLAY_PIPE_PEER, event, UINT32_MAX, r->pipe->blocks, 2);
}

/* ---- registers ---- */

static int64_t registers_of(zl_run *r, const zl_role *role)
{
    int64_t registers = r->pipe->registers;
    for (uint32_t k = role->begin; k < role->end; k++) {
        const zl_event *e = &r->pipe->events[k];
        if (e->kind != ZL_EV_SETMAXNREG) continue;
        bool grows = e->scope == ZL_REGS_INC;
        bool whole = role->first_warp % 4 == 0 && (role->last_warp + 1) % 4 == 0 && role->each % 4 == 0;
        if (!whole || e->count < 24 || e->count > 256 || e->count % 8 || !registers ||
            (grows ? e->count < registers : e->count > registers))
            zl_run_fault(r, ZLAY_PIPE_REGISTERS, k, UINT32_MAX, e->count, registers);
        registers = e->count;
    }
    return registers;
}

static uint32_t last_setmaxnreg(const zlay_pipe *p)
{
    uint32_t event = UINT32_MAX;
    for (uint32_t k = 0; k < p->events_count; k++)
        if (p->events[k].kind == ZL_EV_SETMAXNREG && p->events[k].scope == ZL_REGS_INC) event = k;
    return event;
}

/* Those that wait for registers get them when all others have given theirs. */
static void check_registers(zl_run *r)
{
    for (uint32_t b = 0; b < r->pipe->blocks; b++) {
        int64_t sum = 0;
        for (uint32_t k = 0; k < r->pipe->roles_count; k++) {
            const zl_role *role = &r->pipe->roles[k];
            if (role->cta == ZL_CTA_ALL || role->cta == (int32_t)b)
                sum += registers_of(r, role) * 32 * (role->last_warp - role->first_warp + 1);
        }
        uint32_t event = last_setmaxnreg(r->pipe);
        if (event != UINT32_MAX && sum > REGISTERS)
            zl_run_fault(r, ZLAY_PIPE_REGISTERS, event, UINT32_MAX, sum, REGISTERS);
    }
}

void zl_run_check_form(zl_run *r)
{
    const zlay_pipe *p = r->pipe;
    for (uint32_t b = 0; b < p->bars_count; b++) check_bar(r, (int32_t)b);
    for (uint32_t t = 0; t < p->tmems_count; t++) check_tmem(r, (int32_t)t);
    for (uint32_t k = 0; k < p->roles_count; k++)
        for (uint32_t i = p->roles[k].begin; i < p->roles[k].end; i++) {
            check_by(r, &p->roles[k], i);
            check_pair(r, &p->roles[k], i);
        }
    check_registers(r);
}
