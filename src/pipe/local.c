/* SPDX-License-Identifier: Apache-2.0 */
/* What one role can break by itself: setup, collective events, groups, accumulators, staging of its own. */
#include "pipe/verify.h"

#include <string.h>

int64_t zl_weight(const zl_role *role, int32_t scope)
{
    int64_t instances = zl_role_instances(role);
    if (role->elect || scope == ZL_BY_ONE) return instances;
    return instances * role->each * (scope == ZL_BY_THREADS ? 32 : 1);
}

uint32_t zl_threads(const zl_role *role) { return role->elect ? 1 : role->each * 32; }

int32_t zl_next_at(const zl_trace *trace, int32_t from, zl_event_kind kind, int32_t scope)
{
    for (uint32_t i = (uint32_t)(from + 1); i < trace->count; i++)
        if (trace->steps[i].event->kind == kind && trace->steps[i].event->scope == scope) return (int32_t)i;
    return -1;
}

static int32_t group_of(const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_MMA: return ZL_GROUP_WGMMA;
    case ZL_EV_CPASYNC: return ZL_GROUP_CPASYNC;
    case ZL_EV_STORE: return ZL_GROUP_BULK;
    default: return -1;
    }
}

static bool waits_for(const zl_event *e, int32_t group)
{
    if (e->kind != ZL_EV_WAITGROUP) return false;
    return e->scope == group || (group == ZL_GROUP_BULK && e->scope == ZL_GROUP_BULK_READ);
}

int32_t zl_done_at(const zl_trace *trace, uint32_t at)
{
    int32_t group = group_of(trace->steps[at].event);
    if (group < 0) return (int32_t)at;
    int32_t commit = zl_next_at(trace, (int32_t)at, ZL_EV_COMMIT, group);
    int64_t later = 0;
    if (commit < 0) return -1;
    for (uint32_t i = (uint32_t)commit + 1; i < trace->count; i++) {
        const zl_event *e = trace->steps[i].event;
        later += e->kind == ZL_EV_COMMIT && e->scope == group;
        if (waits_for(e, group) && later <= e->count) return (int32_t)i;
    }
    return -1;
}

/* ---- setup and form ---- */

void zl_check_setup(zl_verify *v)
{
    const zlay_pipe *pipe = v->pipe;
    for (uint32_t b = 0; b < pipe->bars_count; b++) {
        uint32_t inits = 0, line = 1;
        bool fenced = false, synced = false;
        for (uint32_t i = 0; i < pipe->setup; i++) {
            const zl_event *e = &pipe->events[i];
            if (e->kind == ZL_EV_INIT && e->bar == (int32_t)b) {
                inits++;
                line = e->line;
                fenced = synced = false;
            }
            if (e->kind == ZL_EV_FENCE && e->scope != ZL_FENCE_WGMMA) fenced = true;
            if (e->kind == ZL_EV_SYNC) synced = fenced;
        }
        if (inits != 1 || !synced) zl_report(v, ZLAY_PIPE_INIT, line, 0, inits, 1);
        if (pipe->bars[b].count < 1 || pipe->bars[b].count >= 1 << 20)
            zl_report(v, ZLAY_PIPE_COUNT, line, 0, pipe->bars[b].count, (1 << 20) - 1);
    }
}

static bool collective(const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_MMA:
    case ZL_EV_CPASYNC:
    case ZL_EV_READ:
    case ZL_EV_WRITE: return true;
    case ZL_EV_SYNC: return true;
    case ZL_EV_COMMIT: return e->scope != ZL_GROUP_BULK;
    case ZL_EV_WAITGROUP: return e->scope == ZL_GROUP_WGMMA || e->scope == ZL_GROUP_CPASYNC;
    case ZL_EV_FENCE: return e->scope == ZL_FENCE_WGMMA;
    case ZL_EV_ARRIVE: return e->scope != ZL_BY_ONE;
    default: return false;
    }
}

static bool by_warpgroup(const zl_event *e) { return e->kind == ZL_EV_MMA; }

void zl_check_static(zl_verify *v, const zl_role *role)
{
    bool group = role->each == 4 && role->first_warp % 4 == 0;
    for (uint32_t i = role->begin; i < role->end; i++) {
        const zl_event *e = &v->pipe->events[i];
        bool whole_block = e->kind == ZL_EV_SYNC && e->scope == ZL_SYNC_CTA;
        if ((role->elect && collective(e)) || (by_warpgroup(e) && !group) || whole_block)
            zl_report(v, ZLAY_PIPE_COLLECTIVE, e->line, role->line, 0, 0);
    }
}

/* ---- accumulators ---- */

enum { ACC_EMPTY, ACC_SUM, ACC_READ };

static bool acc_in_flight(const zl_trace *t, uint32_t at, int32_t acc)
{
    for (uint32_t i = 0; i < at; i++) {
        const zl_event *e = t->steps[i].event;
        if (e->kind != ZL_EV_MMA || e->acc != acc) continue;
        int32_t done = zl_done_at(t, i);
        if (done < 0 || done > (int32_t)at) return true;
    }
    return false;
}

static void check_acc(zl_verify *v, const zl_trace *t, int32_t acc)
{
    int state = ACC_EMPTY;
    bool touched = true;
    for (uint32_t i = 0; i < t->count; i++) {
        const zl_event *e = t->steps[i].event;
        if (e->kind == ZL_EV_FENCE && e->scope == ZL_FENCE_WGMMA) touched = false;
        if (e->acc != acc) continue;
        if (e->kind == ZL_EV_MMA) {
            if (touched) zl_report(v, ZLAY_PIPE_FENCE, e->line, 0, 0, 0);
            if (e->fresh == (state == ACC_SUM)) zl_report(v, ZLAY_PIPE_STAGE, e->line, 0, e->fresh, !e->fresh);
            state = ACC_SUM;
        } else {
            if (state == ACC_EMPTY) zl_report(v, ZLAY_PIPE_STAGE, e->line, 0, 0, 1);
            if (acc_in_flight(t, i, acc)) zl_report(v, ZLAY_PIPE_FENCE, e->line, 0, 1, 0);
            state = ACC_READ;
            touched = true;
        }
    }
    if (state == ACC_SUM && t->count) zl_report(v, ZLAY_PIPE_EXIT, t->steps[t->count - 1].event->line, 0, 0, 0);
}

/* ---- staging that one role keeps for itself ---- */

typedef struct content {
    int32_t wrote;  /* step of the last write, -1 */
    int32_t part;
    bool unread;
} content;

/* After every thread of the role has passed step `at`: the next sync, or at once for one thread. */
static int32_t joined(const zl_verify *v, int32_t role, int32_t at)
{
    if (at < 0 || zl_threads(&v->pipe->roles[role]) == 1) return at;
    return zl_next_at(&v->traces[role], at, ZL_EV_SYNC, ZL_SYNC_ROLE);
}

static bool before(int32_t at, uint32_t step) { return at >= 0 && at < (int32_t)step; }

static bool uses(const zl_step *s, int32_t smem, int64_t slot, uint32_t stages)
{
    return s->event->smem[0] == smem && s->q[0] % (int64_t)stages == slot;
}

/* Whoever read the slot before must be known to be done by every thread that writes. */
static void check_readers(zl_verify *v, int32_t role, uint32_t at, int32_t smem, int64_t slot)
{
    const zl_trace *t = &v->traces[role];
    uint32_t stages = v->pipe->smems[smem].stages;
    for (uint32_t i = 0; i < at; i++) {
        const zl_step *s = &t->steps[i];
        if (!uses(s, smem, slot, stages) || s->event->kind == ZL_EV_WRITE) continue;
        if (!before(joined(v, role, zl_done_at(t, i)), at))
            zl_report(v, ZLAY_PIPE_OVERWRITE, t->steps[at].event->line, s->event->line, 0, 0);
    }
}

static void check_store(zl_verify *v, int32_t role, uint32_t at, const content *c)
{
    const zl_trace *t = &v->traces[role];
    const zl_event *e = t->steps[at].event;
    int32_t fence = zl_next_at(t, c->wrote, ZL_EV_FENCE, ZL_FENCE_PROXY);
    if (!before(fence, at)) zl_report(v, ZLAY_PIPE_PROXY, e->line, t->steps[c->wrote].event->line, 0, 0);
    else if (!before(joined(v, role, c->wrote), at))
        zl_report(v, ZLAY_PIPE_READ_BEFORE_FULL, e->line, t->steps[c->wrote].event->line, 0, 0);
    else if (!before(joined(v, role, fence), at)) zl_report(v, ZLAY_PIPE_PROXY, e->line, t->steps[fence].event->line, 0, 0);
    if (e->count != v->pipe->smems[e->smem[0]].bytes)
        zl_report(v, ZLAY_PIPE_BYTES, e->line, 0, e->count, v->pipe->smems[e->smem[0]].bytes);
}

static void check_use(zl_verify *v, int32_t role, uint32_t at, content *c)
{
    const zl_trace *t = &v->traces[role];
    const zl_event *e = t->steps[at].event;
    if (c->wrote < 0 || c->part != e->part) {
        zl_report(v, ZLAY_PIPE_STAGE, e->line, c->wrote < 0 ? 0 : t->steps[c->wrote].event->line, c->part, e->part);
        return;
    }
    c->unread = false;
    if (e->kind == ZL_EV_STORE) check_store(v, role, at, c);
    else if (!before(joined(v, role, c->wrote), at))
        zl_report(v, ZLAY_PIPE_READ_BEFORE_FULL, e->line, t->steps[c->wrote].event->line, 0, 0);
}

static void check_slot(zl_verify *v, int32_t role, int32_t smem, int64_t slot)
{
    const zl_trace *t = &v->traces[role];
    uint32_t stages = v->pipe->smems[smem].stages;
    content c = {-1, -1, false};
    for (uint32_t i = 0; i < t->count; i++) {
        const zl_step *s = &t->steps[i];
        if (!uses(s, smem, slot, stages)) continue;
        if (s->event->kind != ZL_EV_WRITE) {
            check_use(v, role, i, &c);
            continue;
        }
        if (c.unread && c.part != s->event->part) zl_report(v, ZLAY_PIPE_OVERWRITE, s->event->line, 0, 0, 0);
        check_readers(v, role, i, smem, slot);
        c = (content){(int32_t)i, s->event->part, true};
    }
    if (c.unread) zl_report(v, ZLAY_PIPE_EXIT, t->steps[c.wrote].event->line, 0, 0, 0);
}

bool zl_smem_is_private(const zlay_pipe *pipe, int32_t smem)
{
    int32_t owner = -1;
    for (uint32_t r = 0; r < pipe->roles_count; r++)
        for (uint32_t i = pipe->roles[r].begin; i < pipe->roles[r].end; i++) {
            const zl_event *e = &pipe->events[i];
            if (e->smem[0] != smem && e->smem[1] != smem) continue;
            if ((owner >= 0 && owner != (int32_t)r) || e->kind == ZL_EV_COPY || e->kind == ZL_EV_CPASYNC ||
                e->kind == ZL_EV_MMA)
                return false;
            owner = (int32_t)r;
        }
    return owner >= 0 && (pipe->smems[smem].each || zl_role_instances(&pipe->roles[owner]) == 1);
}

/* ---- expect, groups ---- */

static void check_expect(zl_verify *v, const zl_trace *t, uint32_t at)
{
    const zl_step *s = &t->steps[at];
    for (uint32_t i = at + 1; i < t->count; i++) {
        const zl_step *a = &t->steps[i];
        if (a->event->kind == ZL_EV_ARRIVE && a->event->bar == s->event->bar && a->bar_q == s->bar_q) return;
    }
    zl_report(v, ZLAY_PIPE_BYTES, s->event->line, 0, 0, 0);
}

static void check_groups(zl_verify *v, const zl_trace *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const zl_event *e = t->steps[i].event;
        if (e->kind == ZL_EV_EXPECT) check_expect(v, t, i);
        int32_t group = group_of(e);
        if (group < 0 || zl_done_at(t, i) >= 0) continue;
        bool committed = zl_next_at(t, (int32_t)i, ZL_EV_COMMIT, group) >= 0;
        zl_report(v, committed ? ZLAY_PIPE_EXIT : ZLAY_PIPE_GROUP, e->line, 0, 0, 0);
    }
}

void zl_check_role(zl_verify *v, int32_t role)
{
    const zl_trace *t = &v->traces[role];
    check_groups(v, t);
    for (uint32_t a = 0; a < v->pipe->accs_count; a++)
        if (v->pipe->accs[a].role == role) check_acc(v, t, (int32_t)a);
    for (uint32_t m = 0; m < v->pipe->smems_count; m++) {
        if (!zl_smem_is_private(v->pipe, (int32_t)m)) continue;
        for (uint32_t slot = 0; slot < v->pipe->smems[m].stages; slot++) check_slot(v, role, (int32_t)m, slot);
    }
}
