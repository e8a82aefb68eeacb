/* SPDX-License-Identifier: Apache-2.0 */
/* Writes out the program of each role, event by event, for given trip counts, and finds for each
 * event the one that completes it. Which trip counts are tried follows from the window: how far
 * indices and groups reach. */
#include "pipe/replay/recheck/recheck.h"
#include "base/arith.h"

#include <string.h>

bool zl_rc_refuse(zl_recheck *r, const char *fault, uint32_t line)
{
    if (!r->fault) {
        r->fault = fault;
        r->line = line;
    }
    return false;
}

bool zl_rc_writes(const zl_event *e)
{
    return e->kind == ZL_EV_COPY || e->kind == ZL_EV_CPASYNC || e->kind == ZL_EV_WRITE;
}

int64_t zl_rc_arrivals(const zl_role *role, int32_t scope)
{
    static const int64_t threads[] = {0, 1, 32}; /* of a warp; 0: one of all */
    int64_t all = role->elect ? 1 : threads[scope] ? threads[scope] * role->each : 1;
    return all * ((role->last_warp - role->first_warp + 1) / role->each);
}

/* Whether one instance of the role alone writes and reads a shared buffer. */
static bool is_own(const zlay_pipe *pipe, int32_t smem, const zl_role *r)
{
    bool used = false,
         alone = pipe->smems[smem].each || r->last_warp - r->first_warp + 1 == r->each;
    for (uint32_t i = pipe->setup; i < pipe->events_count; i++) {
        const zl_event *e = &pipe->events[i];
        if (e->smem[0] != smem && e->smem[1] != smem) continue;
        bool mine = i >= r->begin && i < r->end;
        alone = alone && mine && e->kind != ZL_EV_COPY && e->kind != ZL_EV_CPASYNC &&
                e->kind != ZL_EV_MMA;
        used |= mine;
    }
    return used && alone;
}

void zl_rc_find_own(zl_recheck *r)
{
    for (int32_t m = 0; m < (int32_t)r->pipe->smems_count; m++) {
        r->own[m] = -1;
        for (int32_t i = 0; i < (int32_t)r->pipe->roles_count; i++)
            if (is_own(r->pipe, m, &r->pipe->roles[i])) r->own[m] = i;
    }
}

bool zl_rc_is_own(const zl_recheck *r, int32_t smem, int32_t role) { return r->own[smem] == role; }

/* ---- form ---- */

/* The param that multiplies counters counts positions; without one, the only bound does. */
static void find_inner(zl_recheck *r)
{
    r->inner = -1;
    for (uint32_t i = 0; i < r->pipe->events_count; i++) {
        const zl_event *e = &r->pipe->events[i];
        const zl_pos *pos[] = {&e->at[0], &e->at[1], &e->bar_at};
        for (int j = 0; j < 3 && r->inner < 0; j++) r->inner = pos[j]->times;
    }
    r->outer = -1;
    for (uint32_t i = 0; i < r->pipe->events_count; i++) {
        const zl_event *e = &r->pipe->events[i];
        if (e->kind != ZL_EV_FOR || e->bar_at.plus == r->inner || e->bar_at.loop >= 0) continue;
        if (r->inner < 0) r->inner = e->bar_at.plus;
        else r->outer = e->bar_at.plus;
    }
}

/* `for t in 0..T`, `for i in t*N+c..t*N+N` inside, or `for i in c..N` where there are no tiles. */
static bool is_loop(const zl_recheck *r, const zl_event *e, uint32_t depth)
{
    const zl_pos *from = &e->at[0], *to = &e->bar_at;
    bool begins = depth ? from->loop == 0 && from->times == r->inner : from->loop < 0;
    bool ends = depth ? to->loop == 0 && to->times == r->inner : to->loop < 0;
    bool tiles = r->outer >= 0 && depth == 0;
    return begins && ends && from->plus < 0 && to->add == 0 &&
           to->plus == (tiles ? r->outer : r->inner) && depth <= (uint32_t)(r->outer >= 0) &&
           (tiles ? from->add == 0 : from->add >= 0);
}

/* The loops of a role have the form that the proof covers. */
static bool check_loops(zl_recheck *r, const zl_role *role)
{
    uint32_t depth = 0, seen[ZL_PIPE_LOOPS] = {0};
    for (uint32_t i = role->begin; i < role->end; i++) {
        const zl_event *e = &r->pipe->events[i];
        if (e->kind == ZL_EV_END) depth--;
        if (e->kind != ZL_EV_FOR) continue;
        if (!is_loop(r, e, depth) || seen[depth]++)
            return zl_rc_refuse(r, "a loop of a form that is not covered", e->line);
        depth++;
    }
    return true;
}

bool zl_rc_form(zl_recheck *r)
{
    const zlay_pipe *pipe = r->pipe;
    int64_t reach = 0, groups = 0;
    find_inner(r);
    if (r->inner < 0 || (r->outer >= 0 && pipe->params[r->inner].least < 1))
        return zl_rc_refuse(r, "tiles without positions", pipe->roles[0].line);
    for (uint32_t i = 0; i < pipe->roles_count; i++)
        if (!check_loops(r, &pipe->roles[i])) return false;
    for (uint32_t i = pipe->setup; i < pipe->events_count; i++) {
        const zl_event *e = &pipe->events[i];
        const int64_t adds[] = {e->at[0].add, e->at[1].add, e->bar_at.add};
        for (int j = 0; j < 3; j++) reach = zl_max(reach, adds[j] < 0 ? -adds[j] : adds[j]);
        if (e->kind == ZL_EV_WAITGROUP) groups = zl_max(groups, e->count);
    }
    r->window = 2 * reach + groups + 2;
    r->stages = 1;
    for (uint32_t i = 0; i < pipe->bars_count; i++)
        r->stages = zl_max(r->stages, pipe->bars[i].stages);
    return r->window <= 256 || zl_rc_refuse(r, "a window that is too wide", 0);
}

/* ---- programs ---- */

typedef struct writer {
    zl_recheck *r;
    zl_rc_program *program;
    int64_t trips[2], counter[ZL_PIPE_LOOPS]; /* trips: of outer, of inner */
} writer;

/* A position's value in the program that is written. */
static int64_t value(const writer *w, const zl_pos *pos)
{
    int64_t counter = pos->loop < 0 ? 0 : w->counter[pos->loop];
    if (pos->times >= 0) counter *= w->trips[1];
    return counter + pos->add +
           (pos->plus < 0              ? 0
            : pos->plus == w->r->inner ? w->trips[1]
                                       : w->trips[0]);
}

/* Appends an event to the program. */
static bool put(writer *w, const zl_event *e, int64_t position)
{
    zl_rc_program *p = w->program;
    if (p->count == p->room) {
        uint32_t room = 2 * p->room + 64;
        zl_rc_op *ops = zl_scratch(w->r->ctx, room, sizeof *ops);
        if (!ops) w->r->status = ZLAY_ENOMEM;
        if (!ops) return false;
        if (p->ops) memcpy(ops, p->ops, p->count * sizeof *ops);
        p->ops = ops;
        p->room = room;
    }
    p->ops[p->count++] = (zl_rc_op){
        e, position, value(w, &e->bar_at), {value(w, &e->at[0]), value(w, &e->at[1])}, -1, -1};
    return true;
}

/* Unrolls a role. The position after a loop is that behind its last. */
static bool write_program(writer *w, const zl_role *role)
{
    uint32_t depth = 0;
    int64_t position = 0;
    for (uint32_t i = role->begin; i < role->end; i++) {
        const zl_event *e = &w->r->pipe->events[i];
        const zl_event *loop = e->kind == ZL_EV_END ? &w->r->pipe->events[e->match] : e;
        if (e->kind != ZL_EV_FOR && e->kind != ZL_EV_END) {
            if (!put(w, e, position)) return false;
            continue;
        }
        if (e->kind == ZL_EV_FOR) w->counter[depth++] = value(w, &e->at[0]);
        else w->counter[depth - 1]++;
        int64_t last = value(w, &loop->bar_at),
                scale = loop->bar_at.plus == w->r->outer ? w->trips[1] : 1;
        bool again = w->counter[depth - 1] < last;
        position = (again ? w->counter[depth - 1] : last) * scale;
        if (again) i = e->kind == ZL_EV_FOR ? i : (uint32_t)e->match;
        else depth--;
        if (!again && e->kind == ZL_EV_FOR) i = (uint32_t)e->match;
    }
    return true;
}

/* The op that completes another, by definition: a wait that leaves n groups completes a group
 * when at least n commits stand between its own commit and the wait. */
static int32_t end_of(const zl_rc_program *p, uint32_t at)
{
    int32_t group = p->ops[at].event->kind == ZL_EV_MMA ? ZL_GROUP_WGMMA
                  : p->ops[at].event->kind == ZL_EV_CPASYNC ? ZL_GROUP_CPASYNC
                  : p->ops[at].event->kind == ZL_EV_STORE ? ZL_GROUP_BULK : -1;
    int64_t behind = -1;
    if (group < 0) return (int32_t)at;
    for (uint32_t i = at + 1; i < p->count; i++) {
        const zl_event *e = p->ops[i].event;
        bool same = e->scope == group || (group == ZL_GROUP_BULK && e->scope == ZL_GROUP_BULK_READ);
        behind += e->kind == ZL_EV_COMMIT && same;
        if (e->kind == ZL_EV_WAITGROUP && same && behind >= e->count) return (int32_t)i;
    }
    return -1;
}

/* Finds for every event the one that completes it, and the proxy fence behind that. */
static void end_all(zl_rc_program *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        zl_rc_op *op = &p->ops[i];
        op->over = end_of(p, i);
        for (uint32_t k = op->over < 0 ? p->count : (uint32_t)op->over;
             k < p->count && op->fenced < 0; k++)
            if (p->ops[k].event->kind == ZL_EV_FENCE && p->ops[k].event->scope == ZL_FENCE_PROXY)
                op->fenced = (int32_t)k;
    }
}

/* The i-th pair of trip counts: positions from the least N to one past the window, and twice
 * the window; few tiles, and enough to turn every ring. */
static bool trips_of(const zl_recheck *r, uint32_t i, int64_t *outer, int64_t *inner)
{
    int64_t least = r->pipe->params[r->inner].least, top = r->window + 1,
            low = least < top ? least : top;
    uint32_t kinds = r->outer < 0 ? 1 : 3;
    *inner = low + i / kinds;
    if (*inner > top + 2) return false;
    if (*inner == top + 1) *inner = 2 * r->window + 3;
    if (*inner == top + 2) *inner = 2 * r->window + 2 * r->stages + 3;
    int64_t many = 2 * (r->window + r->stages) / (*inner ? *inner : 1) + 3;
    int64_t few = r->outer < 0 ? 1 : r->pipe->params[r->outer].least + i % kinds;
    *outer = few > many || i % kinds == 2 ? many : few;
    return true;
}

bool zl_rc_programs(zl_recheck *r, uint32_t i)
{
    writer w = {.r = r};
    if (!trips_of(r, i, &w.trips[0], &w.trips[1])) return false;
    r->total = w.trips[0] * w.trips[1];
    uint64_t steps = (uint64_t)(r->total + w.trips[0] + 1) * r->pipe->events_count;
    if (steps > zl_limits(r->ctx)->points || steps > ZL_RC_STEPS)
        return zl_rc_refuse(r, "more steps than are tried", 0);
    for (uint32_t k = 0; k < r->pipe->roles_count; k++) {
        w.program = &r->programs[k];
        w.program->count = 0;
        if (!write_program(&w, &r->pipe->roles[k])) return false;
        end_all(w.program);
    }
    return true;
}
