/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one event of one instance: dispatches it to the file of its kind, and handles arrivals,
 * commits, waits for groups and fences itself. Before every event the instance's classes
 * advance their own components, as each tick of a vector clock does; a fence copies what it
 * covers to a component of its own. */
#include "pipe/runs/state/clock.h"

#include <string.h>

/* The class that acts for the instance where one thread does: its first. */
static zl_class *one(zl_run *r, const zl_instance *i) { return &r->classes[i->first]; }

/* ---- barriers ---- */

/* Arrives once for each thread, for lane 0 of each warp, or for one thread, as the event says. */
static void step_arrive(zl_run *r, zl_instance *i, const zl_event *e)
{
    for (uint32_t b = UINT32_MAX; zl_run_next_block(r, i, e, &b);)
        for (uint32_t k = 0; k < i->classes; k++) {
            zl_class *c = &r->classes[i->first + k];
            bool comes = e->scope == ZL_BY_THREADS || k == 0 ||
                         (e->scope == ZL_BY_WARPS && c->first_lane);
            if (comes)
                zl_mbar_arrive(r, zl_run_mbar(r, i, e, b), c, c->threads * (int64_t)e->times,
                               zl_event_index(r, e));
        }
}

/* Waits for the parity (index / stages + flip) % 2 of the mbarrier slot. */
static bool step_wait(zl_run *r, zl_instance *i, const zl_event *e)
{
    int64_t at = zl_run_value(r, i, &e->parity);
    if (at < 0) {
        zl_run_fault(r, ZLAY_PIPE_PARITY, i->pc, UINT32_MAX, at, 0);
        return true;
    }
    int32_t parity = (int32_t)((at / r->pipe->bars[e->bar].stages + e->flip) & 1);
    return zl_mbar_wait(r, i, zl_run_mbar(r, i, e, (uint32_t)i->cta), parity, i->pc);
}

/* ---- groups ---- */

/* tcgen05.commit: one arrival, which carries the completion of all products issued before it;
 * the issuing thread itself learns nothing. */
static void commit_tensor(zl_run *r, zl_instance *i, const zl_event *e)
{
    zl_class *c = one(r, i);
    c->own[zl_comp_group(r, i, ZL_OF_TCGEN05, false)] = (zl_tick)i->issued[ZL_OF_TCGEN05];
    for (uint32_t b = UINT32_MAX; zl_run_next_of_mask(r, i, e->multicast, &b);) {
        zl_mbar *g = zl_run_mbar(r, i, e, b);
        zl_run_owe(r, g->cta, (zl_cond){g->comp, g->phase + 1}, zl_event_index(r, e));
        zl_mbar_arrive(r, g, c, 1, zl_event_index(r, e));
    }
    c->own[zl_comp_group(r, i, ZL_OF_TCGEN05, false)] = 0;
}

/* Closes the open group of its kind. */
static void step_commit(zl_run *r, zl_instance *i, const zl_event *e)
{
    static const int8_t groups[] = {
        [ZL_GROUP_WGMMA] = ZL_OF_WGMMA,     [ZL_GROUP_BULK] = ZL_OF_BULK,
        [ZL_GROUP_BULK_READ] = ZL_OF_BULK,  [ZL_GROUP_CPASYNC] = ZL_OF_CPASYNC,
        [ZL_GROUP_TCGEN05] = ZL_OF_TCGEN05,
    };
    int group = groups[e->scope];
    i->issued[group]++;
    if (i->open[group]) i->last[group] = i->issued[group];
    i->open[group] = false;
    if (group == ZL_OF_BULK) {
        i->issued[ZL_OF_BULK_READ]++;
        i->last[ZL_OF_BULK_READ] = i->last[ZL_OF_BULK];
    }
    if (group == ZL_OF_TCGEN05) commit_tensor(r, i, e);
}

/* All but the last `left` groups of this kind are complete: each class learns of its own. */
static void end_group(zl_run *r, zl_instance *i, int group, int64_t left)
{
    int32_t done = i->issued[group] - (int32_t)left;
    if (done <= i->done[group]) return;
    i->done[group] = done;
    for (uint32_t k = 0; k < i->classes; k++) {
        zl_class *c = &r->classes[i->first + k];
        if (group == ZL_OF_CPASYNC) zl_clock_set(c, zl_comp_cpasync(r, i->first + k), done, true);
        else if (group == ZL_OF_WGMMA)
            zl_clock_set(c, zl_comp_group(r, i, group, !c->first_warp), done, false);
        else if (k == 0) zl_clock_set(c, zl_comp_group(r, i, group, false), done, true);
    }
}

/* cp.async.wait_group, wgmma.wait_group, cp.async.bulk.wait_group; a bulk wait includes its
 * reads. */
static void step_waitgroup(zl_run *r, zl_instance *i, const zl_event *e)
{
    switch (e->scope) {
    case ZL_GROUP_WGMMA: end_group(r, i, ZL_OF_WGMMA, e->count); break;
    case ZL_GROUP_CPASYNC: end_group(r, i, ZL_OF_CPASYNC, e->count); break;
    case ZL_GROUP_BULK: end_group(r, i, ZL_OF_BULK, e->count); /* and their reads */
    /* fallthrough */
    default: end_group(r, i, ZL_OF_BULK_READ, e->count);
    }
}

/* tcgen05.wait::ld or ::st: all of the warp's loads or stores are complete. */
static void step_twait(zl_run *r, zl_instance *i, const zl_event *e)
{
    int group = e->scope == ZL_TWAIT_LD ? ZL_OF_TLD : ZL_OF_TST;
    i->done[group] = i->issued[group];
    for (uint32_t k = 0; k < i->classes; k++) {
        zl_class *c = &r->classes[i->first + k];
        zl_clock_set(c, zl_comp_group(r, i, group, !c->first_warp), i->done[group], false);
    }
}

/* ---- fences ---- */

/* tcgen05.fence::before_thread_sync: completed loads and stores become visible to a later
 * ::after. */
static void fence_before(zl_run *r, zl_instance *i, zl_class *c)
{
    for (int group = ZL_OF_TLD; group <= ZL_OF_TST; group++)
        zl_clock_set(c, zl_comp_tensor(r, zl_comp_group(r, i, group, !c->first_warp)),
                     i->done[group], false);
}

/* fence.proxy.async: what the class did by ordinary accesses is visible to the async proxy. */
static void fence_async(zl_run *r, zl_instance *i, zl_class *c, uint32_t class)
{
    zl_clock_set(c, zl_comp_fenced(r, (int32_t)class), i->epoch, true);
    if (!zl_run_has_cpasync(r)) return;
    int32_t copies = zl_comp_cpasync(r, class);
    zl_clock_set(c, zl_comp_fenced(r, copies), c->own[copies], true);
}

/* Runs a fence for each class of the instance. */
static void step_fence(zl_run *r, zl_instance *i, const zl_event *e)
{
    for (uint32_t k = 0; k < i->classes; k++) {
        zl_class *c = &r->classes[i->first + k];
        switch (e->scope) {
        case ZL_FENCE_PROXY: fence_async(r, i, c, i->first + k); break;
        case ZL_FENCE_TENSORMAP: memcpy(c->mapped, c->clock, r->comps * sizeof *c->mapped); break;
        case ZL_FENCE_BEFORE: fence_before(r, i, c); break;
        case ZL_FENCE_AFTER: memcpy(c->after, c->clock, r->comps * sizeof *c->after); break;
        default: break;
        }
    }
    for (uint32_t a = 0; e->scope == ZL_FENCE_WGMMA && a < r->pipe->accs_count; a++)
        zl_run_acc(r, i, (int32_t)a)->unfenced = false;
}

/* ---- all of them ---- */

static bool step_other(zl_run *r, zl_instance *i, const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_CPASYNC: zl_run_cpasync(r, i, e); break;
    case ZL_EV_STORE:
    case ZL_EV_REDUCE: zl_run_store(r, i, e); break;
    case ZL_EV_READ:
    case ZL_EV_LDMATRIX:
    case ZL_EV_WRITE:
    case ZL_EV_STMATRIX: zl_run_access(r, i, e); break;
    case ZL_EV_LOAD:
    case ZL_EV_SEND:
    case ZL_EV_FETCH:
    case ZL_EV_PUT: zl_run_queue(r, i, e); break;
    case ZL_EV_WAITCOUNT: zl_run_waitcount(r, i, e); break;
    case ZL_EV_USE: zl_acc_use(r, i, e->acc, false, zl_event_index(r, e)); break;
    case ZL_EV_MMA: zl_run_products(r, i, e); break;
    case ZL_EV_UPDATE: zl_run_update(r, i, e); break;
    case ZL_EV_TWAIT: step_twait(r, i, e); break;
    case ZL_EV_ALLOC:
    case ZL_EV_DEALLOC:
    case ZL_EV_RELINQUISH:
    case ZL_EV_TLD:
    case ZL_EV_TST:
    case ZL_EV_TCP: return zl_run_tensor(r, i, e);
    case ZL_EV_SETMAXNREG: return zl_run_registers(r, i, e);
    case ZL_EV_GRIDDEP:
        if (e->scope == ZL_GRIDDEP_WAIT && !i->grid) i->grid = i->epoch;
        break;
    default: break;
    }
    return true;
}

/* Whether a warp runs the event together (.sync.aligned). */
static bool is_converged(const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_LDMATRIX:
    case ZL_EV_STMATRIX:
    case ZL_EV_TLD:
    case ZL_EV_TST:
    case ZL_EV_TWAIT:
    case ZL_EV_LOAD:
    case ZL_EV_SEND:
    case ZL_EV_FETCH:
    case ZL_EV_PUT:
    case ZL_EV_WAITCOUNT:
    case ZL_EV_SETMAXNREG: return true;
    case ZL_EV_MMA: return e->tmem[0] < 0;
    case ZL_EV_FENCE: return e->scope == ZL_FENCE_WGMMA;
    case ZL_EV_COMMIT:
    case ZL_EV_WAITGROUP: return e->scope == ZL_GROUP_WGMMA;
    default: return false;
    }
}

bool zl_run_step(zl_run *r, zl_instance *i)
{
    const zl_event *e = &r->pipe->events[i->pc];
    for (uint32_t k = 0; k < i->classes; k++) {
        zl_clock_set(&r->classes[i->first + k], (int32_t)(i->first + k), i->epoch, true);
        zl_clock_set(&r->classes[i->first + k], zl_comp_control(r, i->first + k), i->epoch, true);
    }
    if (is_converged(e)) zl_clock_converge(r, i);
    switch (e->kind) {
    case ZL_EV_EXPECT:
        zl_mbar_expect(r, zl_run_mbar(r, i, e, (uint32_t)i->cta), one(r, i), e->count, i->pc);
        return true;
    case ZL_EV_ARRIVE: step_arrive(r, i, e); return true;
    case ZL_EV_WAIT: return step_wait(r, i, e);
    case ZL_EV_COPY: zl_run_copy(r, i, e); return true;
    case ZL_EV_COMMIT: step_commit(r, i, e); return true;
    case ZL_EV_WAITGROUP: step_waitgroup(r, i, e); return true;
    case ZL_EV_FENCE: step_fence(r, i, e); return true;
    case ZL_EV_SYNC:
    case ZL_EV_JOIN:
    case ZL_EV_MEET: return zl_run_meet(r, i, e);
    case ZL_EV_RAISE: return zl_run_raise(r, i, e);
    case ZL_EV_AWAIT: return zl_run_await(r, i, e);
    default: return step_other(r, i, e);
    }
}
