/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what the text of a pipe breaks by itself, whatever its runs do: the setup of mbarriers and
 * tensor memory, which role may run which event, lanes of tensor memory, and the registers of
 * setmaxnreg. Each rule is checked by one walk over the text. */
#include "pipe/replay/replay.h"

enum { COLUMNS = 512, LEAST_COLUMNS = 32, LANES = 32, REGISTERS = 65536, COUNT_MOST = 1 << 20 };

/* ---- setup ---- */

/* Whether an event accesses another block. */
static bool reaches_peers(const zl_event *e)
{
    return e->cta != ZL_CTA_OWN || e->bar_cta != ZL_CTA_OWN || e->multicast;
}

/* A barrier is initialised once, then fenced, then published to all that use it: the block, or
 * the cluster. */
static void check_bar(zl_replay *c, uint32_t bar)
{
    const zlay_pipe *p = c->pipe;
    enum { UNKNOWN, INITIAL, FENCED, BLOCK, CLUSTER } stage = UNKNOWN;
    uint32_t inits = 0, event = 0;
    bool peers = false;
    for (uint32_t k = 0; k < p->setup; k++) {
        const zl_event *e = &p->events[k];
        if (e->kind == ZL_EV_INIT && e->bar == (int32_t)bar) {
            inits++;
            event = k;
            stage = INITIAL;
        }
        bool fence =
            e->kind == ZL_EV_FENCE && (e->scope == ZL_FENCE_MBARRIER || e->scope == ZL_FENCE_PROXY);
        if (fence && stage == INITIAL) stage = FENCED;
        if (e->kind == ZL_EV_SYNC && stage >= FENCED && stage < CLUSTER)
            stage = e->scope == ZL_SYNC_CLUSTER ? CLUSTER : BLOCK;
    }
    for (uint32_t k = p->setup; k < p->events_count; k++)
        peers |= p->events[k].bar == (int32_t)bar && reaches_peers(&p->events[k]);
    if (inits != 1 || stage < BLOCK) zl_rp_break(c, ZLAY_PIPE_INIT, event, UINT32_MAX);
    if (peers && stage != CLUSTER) zl_rp_break(c, ZLAY_PIPE_PEER, event, UINT32_MAX);
    if (p->bars[bar].count < 1 || p->bars[bar].count >= COUNT_MOST)
        zl_rp_break(c, ZLAY_PIPE_COUNT, event, UINT32_MAX);
}

/* In the setup a pair allocates only after a cluster barrier, since its peer may not run yet;
 * a kernel's allocations are all of pairs or none is. */
static void check_pairs(zl_replay *c)
{
    const zlay_pipe *p = c->pipe;
    bool met = false;
    int32_t of_pairs = -1;
    for (uint32_t k = 0; k < p->events_count; k++) {
        const zl_event *e = &p->events[k];
        if (k < p->setup && e->kind == ZL_EV_SYNC && e->scope == ZL_SYNC_CLUSTER) met = true;
        if (e->kind != ZL_EV_ALLOC) continue;
        bool pair = p->tmems[e->tmem[0]].pair;
        if (pair && k < p->setup && !met) zl_rp_break(c, ZLAY_PIPE_PEER, k, UINT32_MAX);
        if (of_pairs == !pair) zl_rp_break(c, ZLAY_PIPE_TMEM_ALLOC, k, UINT32_MAX);
        of_pairs = pair;
    }
}

/* The columns of an allocation: a power of two from 32 to 512. */
static void check_tmem(zl_replay *c, const zl_tmem *t)
{
    uint64_t all = (uint64_t)t->columns * t->stages;
    if (all < LEAST_COLUMNS || all > COLUMNS || (all & (all - 1)) || (t->pair && c->blocks % 2))
        zl_rp_break(c, ZLAY_PIPE_TMEM_COLUMNS, 0, UINT32_MAX);
}

/* ---- who runs what ---- */

/* Whether an event is run by whole warps. */
static bool needs_warps(const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_CPASYNC:
    case ZL_EV_READ:
    case ZL_EV_WRITE:
    case ZL_EV_LDMATRIX:
    case ZL_EV_STMATRIX:
    case ZL_EV_USE:
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
    case ZL_EV_SYNC: return e->scope != ZL_SYNC_CTA && e->scope != ZL_SYNC_CLUSTER;
    case ZL_EV_MMA: return e->tmem[0] < 0;
    case ZL_EV_JOIN: return e->scope == ZL_SYNC_NAMED;
    case ZL_EV_COMMIT:
    case ZL_EV_WAITGROUP: return e->scope == ZL_GROUP_WGMMA || e->scope == ZL_GROUP_CPASYNC;
    case ZL_EV_FENCE: return e->scope == ZL_FENCE_WGMMA;
    case ZL_EV_ARRIVE: return e->scope != ZL_BY_ONE;
    default: return false;
    }
}

/* Whether a role has the shape that an event needs: warps, a warpgroup, or one warp alone. */
static bool can_run(const zl_role *role, const zl_event *e)
{
    bool wgmma = e->kind == ZL_EV_MMA && e->tmem[0] < 0 && e->acc_b < 0;
    bool columns =
        e->kind == ZL_EV_ALLOC || e->kind == ZL_EV_DEALLOC || e->kind == ZL_EV_RELINQUISH;
    bool plain = (e->kind == ZL_EV_READ || e->kind == ZL_EV_WRITE) && e->smem[0] >= 0 && e->acc < 0;
    if (role->elect && needs_warps(e) && !plain) return false;
    if (wgmma && (role->each != 4 || role->first_warp % 4)) return false;
    return !columns || (role->each == 1 && zl_role_instances(role) == 1);
}

/* With cta_group::2 the even block of a pair issues for both. */
static bool can_issue(const zl_replay *c, const zl_role *role, const zl_event *e)
{
    bool issues = e->kind == ZL_EV_MMA || e->kind == ZL_EV_TCP;
    bool pair = e->tmem[0] >= 0 && c->pipe->tmems[e->tmem[0]].pair;
    return !pair || !issues || (role->cta >= 0 && role->cta % 2 == 0);
}

/* Warp w reaches lanes 32 * (w % 4) to 32 * (w % 4) + 31 of tensor memory: each instance must
 * reach all lanes named. */
static bool reaches(const zl_role *role, uint32_t first, uint32_t last)
{
    if (first > last || last >= 4 * LANES) return first > last;
    for (uint32_t n = 0; n < zl_role_instances(role); n++) {
        uint32_t quarters = 0;
        for (uint32_t w = 0; w < role->each; w++)
            quarters |= 1u << (role->first_warp + n * role->each + w) % 4;
        for (uint32_t q = first / LANES; q <= last / LANES; q++)
            if (!(quarters >> q & 1)) return false;
    }
    return true;
}

static void check_event(zl_replay *c, const zl_role *role, uint32_t event)
{
    const zl_event *e = &c->pipe->events[event];
    if (!can_run(role, e) || !can_issue(c, role, e))
        zl_rp_break(c, ZLAY_PIPE_COLLECTIVE, event, UINT32_MAX);
    if (e->kind == ZL_EV_FENCE && e->scope == ZL_FENCE_MBARRIER)
        zl_rp_break(c, ZLAY_PIPE_INIT, event, UINT32_MAX);
    if (c->blocks < 32 && e->multicast >> c->blocks)
        zl_rp_break(c, ZLAY_PIPE_PEER, event, UINT32_MAX);
    if (e->kind != ZL_EV_TLD && e->kind != ZL_EV_TST) return;
    if (!reaches(role, e->lanes[0], e->lanes[1]))
        zl_rp_break(c, ZLAY_PIPE_TMEM_LANES, event, UINT32_MAX);
    if (e->columns[1] >= c->pipe->tmems[e->tmem[0]].columns)
        zl_rp_break(c, ZLAY_PIPE_TMEM_COLUMNS, event, UINT32_MAX);
}

/* ---- registers ---- */

/* The registers that each thread of a role ends with. */
static int64_t registers_of(zl_replay *c, const zl_role *role, bool *asks)
{
    int64_t has = c->pipe->registers;
    bool whole = role->first_warp % 4 == 0 && (role->last_warp + 1) % 4 == 0 && role->each % 4 == 0;
    for (uint32_t k = role->begin; k < role->end; k++) {
        const zl_event *e = &c->pipe->events[k];
        if (e->kind != ZL_EV_SETMAXNREG) continue;
        bool more = e->scope == ZL_REGS_INC, right = more ? e->count >= has : e->count <= has;
        if (!whole || !has || c->pipe->registers % 8 || !right || e->count < 24 || e->count > 256 ||
            e->count % 8)
            zl_rp_break(c, ZLAY_PIPE_REGISTERS, k, UINT32_MAX);
        has = e->count;
        *asks |= more;
    }
    return has;
}

/* Each thread is launched with R registers, in all warps up to the highest with a role; roles
 * may not end with more in sum. */
static void check_registers(zl_replay *c, uint32_t block)
{
    int64_t has = 0, launched = 0;
    bool asks = false, other = false, any = false;
    for (uint32_t k = 0; k < c->pipe->roles_count; k++) {
        const zl_role *role = &c->pipe->roles[k];
        int64_t threads = 32 * ((int64_t)role->last_warp + 1 - role->first_warp);
        bool here = role->cta == ZL_CTA_ALL || role->cta == (int32_t)block;
        int64_t each = registers_of(c, role, here ? &asks : &other);
        if (here) has += threads * (each - c->pipe->registers);
        for (uint32_t e = role->begin; here && e < role->end; e++)
            any |= c->pipe->events[e].kind == ZL_EV_SETMAXNREG;
        if (launched <= role->last_warp) launched = (int64_t)role->last_warp + 1;
    }
    launched *= 32 * (int64_t)c->pipe->registers;
    if ((any && launched > REGISTERS) || (asks && has > 0))
        zl_rp_break(c, ZLAY_PIPE_REGISTERS, 0, UINT32_MAX);
}

void zl_rp_check_text(zl_replay *c)
{
    const zlay_pipe *p = c->pipe;
    for (uint32_t b = 0; b < p->bars_count; b++) check_bar(c, b);
    for (uint32_t t = 0; t < p->tmems_count; t++) check_tmem(c, &p->tmems[t]);
    check_pairs(c);
    for (uint32_t k = 0; k < p->roles_count; k++)
        for (uint32_t e = p->roles[k].begin; e < p->roles[k].end; e++)
            check_event(c, &p->roles[k], e);
    for (uint32_t b = 0; b < c->blocks; b++) check_registers(c, b);
}
