/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what one role may break by itself, each rule by its definition on the role's written-out
 * program: who may run an event, accumulators, and staging memory of its own. Then it checks the
 * sums of arrivals, bytes and parts at every index, over all roles. */
#include "pipe/replay/recheck/recheck.h"

static const zl_event *ev(const zl_rc_program *p, int64_t i) { return p->ops[i].event; }

/* The first op of this kind and scope in [from, to), -1 none; scope -1 any. */
static int64_t find_op(const zl_rc_program *p, int64_t from, int64_t to, zl_event_kind kind,
                       int32_t scope)
{
    for (int64_t i = from; i < to; i++)
        if (ev(p, i)->kind == kind && (scope < 0 || ev(p, i)->scope == scope)) return i;
    return -1;
}

/* ---- setup and form of a role ---- */

bool zl_rc_setup(zl_recheck *r)
{
    const zlay_pipe *pipe = r->pipe;
    for (uint32_t b = 0; b < pipe->bars_count; b++) {
        uint32_t inits = 0, stage = 0; /* 1 initialised, 2 fenced, 3 published */
        for (uint32_t i = 0; i < pipe->setup; i++) {
            const zl_event *e = &pipe->events[i];
            if (e->kind == ZL_EV_INIT && e->bar == (int32_t)b) {
                inits++;
                stage = 1;
            }
            if (e->kind == ZL_EV_FENCE && e->scope != ZL_FENCE_WGMMA && stage == 1) stage = 2;
            if (e->kind == ZL_EV_SYNC && stage == 2) stage = 3;
        }
        if (inits != 1 || stage != 3)
            return zl_rc_refuse(r, "a barrier that is not initialised and published once", 1);
        if (pipe->bars[b].count < 1 || pipe->bars[b].count > 1048575)
            return zl_rc_refuse(r, "a barrier's count", 1);
    }
    return true;
}

/* Whether one elected thread can run the event. */
static bool for_one_thread(const zl_event *e)
{
    bool group = e->kind == ZL_EV_COMMIT || e->kind == ZL_EV_WAITGROUP;
    if (group) return e->scope == ZL_GROUP_BULK || e->scope == ZL_GROUP_BULK_READ;
    if (e->kind == ZL_EV_ARRIVE) return e->scope == ZL_BY_ONE;
    if (e->kind == ZL_EV_FENCE) return e->scope == ZL_FENCE_PROXY;
    return e->kind == ZL_EV_FOR || e->kind == ZL_EV_END || e->kind == ZL_EV_EXPECT ||
           e->kind == ZL_EV_WAIT || e->kind == ZL_EV_COPY || e->kind == ZL_EV_STORE ||
           e->kind == ZL_EV_SETMAXNREG; /* its warps run that before one thread is elected */
}

static bool check_events(zl_recheck *r, int32_t role)
{
    const zl_role *ro = &r->pipe->roles[role];
    for (uint32_t i = ro->begin; i < ro->end; i++) {
        const zl_event *e = &r->pipe->events[i];
        if (ro->elect && !for_one_thread(e))
            return zl_rc_refuse(r, "an event of many threads, run by one", e->line);
        if (e->kind == ZL_EV_MMA && (ro->each != 4 || ro->first_warp % 4))
            return zl_rc_refuse(r, "a product without a whole warpgroup", e->line);
        if ((e->kind == ZL_EV_SYNC && e->scope == ZL_SYNC_CTA) ||
            (e->kind == ZL_EV_FENCE && e->scope == ZL_FENCE_MBARRIER))
            return zl_rc_refuse(r, "an event of the setup in a role", e->line);
        if (e->kind == ZL_EV_STORE && !zl_rc_is_own(r, e->smem[0], role))
            return zl_rc_refuse(r, "a store of a stage that others share", e->line);
    }
    return true;
}

/* ---- one program ---- */

/* One op: it completes, its two indices agree, and expected bytes precede the arrival. */
static bool check_op(zl_recheck *r, const zl_rc_program *p, int64_t i)
{
    const zl_event *e = ev(p, i);
    if (p->ops[i].over < 0) return zl_rc_refuse(r, "what no wait ends", e->line);
    if (e->kind == ZL_EV_MMA && p->ops[i].q[0] != p->ops[i].q[1])
        return zl_rc_refuse(r, "a product of two indices", e->line);
    if (e->kind == ZL_EV_COPY && p->ops[i].q[0] != p->ops[i].bar_q)
        return zl_rc_refuse(r, "a copy that signals another index", e->line);
    if (e->kind != ZL_EV_EXPECT) return true;
    for (int64_t k = i + 1; k < p->count; k++)
        if (ev(p, k)->kind == ZL_EV_ARRIVE && ev(p, k)->bar == e->bar &&
            p->ops[k].bar_q == p->ops[i].bar_q)
            return true;
    return zl_rc_refuse(r, "bytes expected behind the arrival", e->line);
}

/* The last op in [0, at) that names these registers, -1 none; `products`: only a product, or only
 * another. */
static int64_t last_of(const zl_rc_program *p, int64_t at, int32_t acc, bool products)
{
    while (at-- > 0)
        if (ev(p, at)->acc == acc && (ev(p, at)->kind == ZL_EV_MMA) == products) return at;
    return -1;
}

/* A product continues what a product or a `use` left there, or begins afresh where no sum waits to be
 * taken; a fence stands behind every access of its registers by threads. */
static bool check_sum(zl_recheck *r, const zl_rc_program *p, int64_t at)
{
    const zl_event *e = ev(p, at);
    int64_t product = last_of(p, at, e->acc, true), access = last_of(p, at, e->acc, false);
    bool summing = product > access, used = access > product && ev(p, access)->kind == ZL_EV_USE;
    if (e->fresh ? summing : !summing && !used)
        return zl_rc_refuse(r, "a sum that is begun wrongly", e->line);
    return find_op(p, access + 1, at, ZL_EV_FENCE, ZL_FENCE_WGMMA) >= 0 ||
           zl_rc_refuse(r, "a product without a fence", e->line);
}

/* Threads access registers when the products before are complete; a write takes what is there. */
static bool check_access(zl_recheck *r, const zl_rc_program *p, int64_t at)
{
    const zl_event *e = ev(p, at);
    bool empty = true;
    for (int64_t k = 0; k < at; k++) {
        if (ev(p, k)->acc != e->acc) continue;
        empty = false;
        if (p->ops[k].over < 0 || p->ops[k].over > at)
            return zl_rc_refuse(r, "registers accessed in flight", e->line);
    }
    return !empty || e->kind == ZL_EV_USE ||
           zl_rc_refuse(r, "a sum taken before it is begun", e->line);
}

/* Every op that names these registers may do so, and the last sum is taken. */
static bool check_acc(zl_recheck *r, const zl_rc_program *p, int32_t acc)
{
    for (int64_t i = 0; i < p->count; i++) {
        if (ev(p, i)->acc != acc) continue;
        if (!(ev(p, i)->kind == ZL_EV_MMA ? check_sum(r, p, i) : check_access(r, p, i))) return false;
    }
    int64_t product = last_of(p, p->count, acc, true);
    return product <= last_of(p, p->count, acc, false) ||
           zl_rc_refuse(r, "a sum that is never taken", ev(p, product)->line);
}

/* All threads of the role meet between the two ops. */
static bool meet(const zl_role *role, const zl_rc_program *p, int64_t from, int64_t to)
{
    return role->elect || find_op(p, from + 1, to, ZL_EV_SYNC, -1) >= 0;
}

/* Whether two events access the same stage. */
static bool same_slot(const zlay_pipe *pipe, const zl_rc_op *a, const zl_rc_op *b)
{
    int64_t stages = pipe->smems[a->event->smem[0]].stages;
    return a->event->smem[0] == b->event->smem[0] && (a->q[0] - b->q[0]) % stages == 0;
}

/* A use of the role's own staging reads what all its threads have written. */
static bool check_use(zl_recheck *r, const zl_role *role, const zl_rc_program *p, int64_t wrote,
                      int64_t at)
{
    const zl_event *e = ev(p, at);
    if (wrote < 0 || ev(p, wrote)->part != e->part)
        return zl_rc_refuse(r, "a use of what is not written", e->line);
    if (!meet(role, p, wrote, at)) return zl_rc_refuse(r, "a use before all have written", e->line);
    if (e->kind != ZL_EV_STORE) return true;
    int64_t fence = p->ops[wrote].fenced;
    if (fence < 0 || fence > at || !meet(role, p, fence, at))
        return zl_rc_refuse(r, "a store without a proxy fence", e->line);
    return e->count == r->pipe->smems[e->smem[0]].bytes ||
           zl_rc_refuse(r, "a store of other bytes", e->line);
}

/* A use must be complete, and known to be, before the stage is written again. */
static bool check_reuse(zl_recheck *r, const zl_role *role, const zl_rc_program *p, int64_t use,
                        int64_t at)
{
    if (p->ops[use].over >= at || !meet(role, p, p->ops[use].over, at))
        return zl_rc_refuse(r, "a write into what is still read", ev(p, at)->line);
    return true;
}

/* The role's own staging: each op is checked against the write before it and the uses of that. */
static bool check_own(zl_recheck *r, const zl_role *role, const zl_rc_program *p, int64_t at)
{
    int64_t wrote = -1, uses = 0;
    for (int64_t i = at - 1; i >= 0 && wrote < 0; i--) {
        if (ev(p, i)->smem[0] != ev(p, at)->smem[0] || !same_slot(r->pipe, &p->ops[i], &p->ops[at]))
            continue;
        if (zl_rc_writes(ev(p, i))) wrote = i;
        else if (zl_rc_writes(ev(p, at)) && !check_reuse(r, role, p, i, at)) return false;
        else uses++;
    }
    if (!zl_rc_writes(ev(p, at))) return check_use(r, role, p, wrote, at);
    return wrote < 0 || uses || zl_rc_refuse(r, "what is written and not used", ev(p, wrote)->line);
}

/* Whether what an event writes is accessed later. */
static bool is_used(const zlay_pipe *pipe, const zl_rc_program *p, int64_t at)
{
    for (int64_t i = at + 1; i < p->count; i++)
        if (ev(p, i)->smem[0] == ev(p, at)->smem[0] && same_slot(pipe, &p->ops[i], &p->ops[at]))
            return true;
    return false;
}

static bool check_program(zl_recheck *r, int32_t role)
{
    const zl_rc_program *p = &r->programs[role];
    for (int64_t i = 0; i < p->count; i++) {
        int32_t smem = ev(p, i)->smem[0];
        if (!check_op(r, p, i)) return false;
        if (smem < 0 || !zl_rc_is_own(r, smem, role)) continue;
        if (!check_own(r, &r->pipe->roles[role], p, i)) return false;
        if (zl_rc_writes(ev(p, i)) && !is_used(r->pipe, p, i))
            return zl_rc_refuse(r, "what is written and not used", ev(p, i)->line);
    }
    for (int32_t acc = 0; acc < (int32_t)r->pipe->accs_count; acc++)
        if (r->pipe->accs[acc].role == role && !check_acc(r, p, acc)) return false;
    return true;
}

bool zl_rc_roles(zl_recheck *r)
{
    for (int32_t i = 0; i < (int32_t)r->pipe->roles_count; i++)
        if (!check_events(r, i) || !check_program(r, i)) return false;
    return true;
}

/* ---- sums ---- */

/* At each index the arrivals are the barrier's count and the bytes expected are those copied. */
static bool check_index(zl_recheck *r, int32_t bar, int64_t q)
{
    int64_t arrivals = 0, expected = 0, copied = 0;
    for (uint32_t i = 0; i < r->pipe->roles_count; i++)
        for (uint32_t k = 0; k < r->programs[i].count; k++) {
            const zl_rc_op *op = &r->programs[i].ops[k];
            if (op->event->bar != bar || op->bar_q != q) continue;
            int64_t one = zl_rc_arrivals(&r->pipe->roles[i], ZL_BY_ONE) * op->event->count;
            if (op->event->kind == ZL_EV_ARRIVE)
                arrivals += zl_rc_arrivals(&r->pipe->roles[i], op->event->scope);
            if (op->event->kind == ZL_EV_EXPECT) expected += one;
            if (op->event->kind == ZL_EV_COPY) copied += one;
        }
    if (arrivals != r->pipe->bars[bar].count)
        return zl_rc_refuse(r, "arrivals that are not the barrier's count", 0);
    return (expected == copied && copied < 1048576) ||
           zl_rc_refuse(r, "bytes expected that are not those copied", 0);
}

/* Each part that threads read at an index is one of those that fill it. */
static bool check_parts(zl_recheck *r, int32_t smem, int64_t q, const uint64_t parts[4])
{
    for (uint32_t i = 0; i < r->pipe->roles_count; i++)
        for (uint32_t k = 0; k < r->programs[i].count; k++) {
            const zl_rc_op *op = &r->programs[i].ops[k];
            if (op->event->kind != ZL_EV_READ || op->event->smem[0] != smem || op->q[0] != q)
                continue;
            if (!(parts[op->event->part / 64] >> op->event->part % 64 & 1))
                return zl_rc_refuse(r, "a read of a part that is never filled", op->event->line);
        }
    return true;
}

/* The parts and bytes that fill one index of a stage, and how often each role reads it. */
static bool check_stage(zl_recheck *r, int32_t smem, int64_t q, uint64_t parts[4])
{
    int64_t bytes = 0, readers = 0;
    for (uint32_t i = 0; i < r->pipe->roles_count; i++) {
        int64_t products = 0, reads = 0, of_role = 0;
        for (uint32_t k = 0; k < r->programs[i].count; k++) {
            const zl_rc_op *op = &r->programs[i].ops[k];
            for (int j = 0; j < 2; j++) {
                if (op->event->smem[j] != smem) continue;
                bool writes = zl_rc_writes(op->event), here = op->q[j] == q;
                uint64_t *set = &parts[op->event->part / 64],
                         bit = (uint64_t)1 << op->event->part % 64;
                if (writes && here && !(*set & bit)) bytes += op->event->count;
                if (writes && here) *set |= bit;
                of_role += !writes;
                reads += !writes && here;
                products += here && op->event->kind == ZL_EV_MMA;
            }
        }
        if (of_role && (!reads || products > 1))
            return zl_rc_refuse(r, "a stage not read once", r->pipe->roles[i].line);
        readers += of_role > 0;
    }
    return (readers && bytes == r->pipe->smems[smem].bytes) ||
           zl_rc_refuse(r, "a stage that is not filled and read", 0);
}

/* Checks every index of a shared ring: filled whole, with the same parts, and read. */
static bool check_ring(zl_recheck *r, int32_t smem)
{
    uint64_t first[4] = {0};
    for (uint32_t i = 0; i < r->pipe->roles_count; i++)
        if (zl_rc_is_own(r, smem, (int32_t)i)) return true;
    for (int64_t q = 0; q < r->total; q++) {
        uint64_t parts[4] = {0};
        if (!check_stage(r, smem, q, q ? parts : first) ||
            !check_parts(r, smem, q, q ? parts : first))
            return false;
        for (int k = 0; q && k < 4; k++)
            if (parts[k] != first[k])
                return zl_rc_refuse(r, "a stage filled with other parts than the first", 0);
    }
    return true;
}

bool zl_rc_sums(zl_recheck *r)
{
    for (int32_t b = 0; b < (int32_t)r->pipe->bars_count; b++)
        for (int64_t q = 0; q < r->total; q++)
            if (!check_index(r, b, q)) return false;
    for (int32_t m = 0; m < (int32_t)r->pipe->smems_count; m++)
        if (!check_ring(r, m)) return false;
    for (uint32_t i = 0; i < r->pipe->roles_count; i++)
        for (uint32_t k = 0; k < r->programs[i].count; k++) {
            const zl_rc_op *op = &r->programs[i].ops[k];
            bool bad = op->event->bar >= 0 && (op->bar_q < 0 || op->bar_q >= r->total);
            for (int j = 0; j < 2; j++)
                bad |= op->event->smem[j] >= 0 &&
                       !zl_rc_is_own(r, op->event->smem[j], (int32_t)i) &&
                       (op->q[j] < 0 || op->q[j] >= r->total);
            if (bad) return zl_rc_refuse(r, "an index outside of all positions", op->event->line);
        }
    return true;
}
