/* SPDX-License-Identifier: Apache-2.0 */
/* Computes, for the programs at hand, the weights between classes of events of one role by
 * comparing every pair of their instances, and checks the schedule by comparing every pair of
 * events that it must order. A weight d says: an instance of the one class at index q happens
 * before those of the other from index q + d on. */
#include "pipe/replay/recheck/order.h"

/* ---- classes ---- */

int32_t zl_rc_turned(const zlay_pipe *pipe, const zl_event *wait)
{
    int64_t turns = (wait->parity.add - wait->bar_at.add) / (int64_t)pipe->bars[wait->bar].stages;
    return (int32_t)((turns + wait->flip) & 1);
}

/* Whether operand j of an event is a stage of the class's shared ring. */
static bool of_ring(const zl_recheck *r, const zl_rc_class *c, const zl_event *e, int j)
{
    return e->smem[j] == c->object && !zl_rc_is_own(r, c->object, c->role);
}

/* Whether an event is of a class; *j: which of its indices counts, 2 the barrier's. */
bool zl_rc_is_of(const zl_recheck *r, const zl_rc_class *c, const zl_event *e, int *j)
{
    bool copy = e->kind == ZL_EV_COPY, bar = e->bar == c->object;
    *j = c->kind <= ZL_RC_ISSUE ? 2 : of_ring(r, c, e, 0) ? 0 : 1;
    bool ring = of_ring(r, c, e, 0) || of_ring(r, c, e, 1);
    switch (c->kind) {
    case ZL_RC_WAIT:
    case ZL_RC_PASSED:
        return e->kind == ZL_EV_WAIT && bar && zl_rc_turned(r->pipe, e) == c->variant;
    case ZL_RC_ARRIVE: return e->kind == ZL_EV_ARRIVE && bar;
    case ZL_RC_EXPECT: return e->kind == ZL_EV_EXPECT && bar;
    case ZL_RC_ISSUE: return copy && bar;
    case ZL_RC_WRITE: return zl_rc_writes(e) && ring && copy == c->variant;
    case ZL_RC_WROTE:
    case ZL_RC_FENCED: return zl_rc_writes(e) && !copy && ring;
    case ZL_RC_READ:
    case ZL_RC_DONE: return (c->variant ? e->kind == ZL_EV_MMA : e->kind == ZL_EV_READ) && ring;
    default: return false;
    }
}

/* The scope of a class's arrivals; of several, that of the fewest threads. */
static int32_t scope_of(const zl_recheck *r, const zl_rc_class *c)
{
    const zl_role *role = &r->pipe->roles[c->role];
    int32_t scope = ZL_BY_THREADS;
    int j;
    for (uint32_t i = role->begin; i < role->end && c->kind == ZL_RC_ARRIVE; i++)
        if (zl_rc_is_of(r, c, &r->pipe->events[i], &j) && r->pipe->events[i].scope < scope)
            scope = r->pipe->events[i].scope;
    return c->kind == ZL_RC_ARRIVE ? scope : ZL_BY_ONE;
}

/* Whether the proof has listed this class. */
static bool is_listed(const zl_recheck *r, const zl_rc_class *c)
{
    for (uint32_t i = 0; i < r->classes_count; i++) {
        const zl_rc_class *o = &r->classes[i];
        if (o->kind == c->kind && o->role == c->role && o->object == c->object &&
            o->variant == c->variant)
            return true;
    }
    return false;
}

/* Every class that an event of a role belongs to is listed. */
static bool check_listed(zl_recheck *r, int32_t role, const zl_event *e)
{
    const int32_t objects[] = {e->bar, e->smem[0], e->smem[1]};
    int j;
    for (int32_t kind = ZL_RC_WAIT; kind < ZL_RC_KINDS; kind++)
        for (int i = 0; i < 6; i++) {
            zl_rc_class c = {
                .kind = kind, .role = role, .object = objects[i / 2], .variant = i % 2};
            bool ring = (kind <= ZL_RC_ISSUE) == (i < 2);
            bool plain = kind == ZL_RC_ARRIVE || kind == ZL_RC_EXPECT || kind == ZL_RC_ISSUE ||
                         kind == ZL_RC_WROTE || kind == ZL_RC_FENCED;
            if (c.object < 0 || !ring || (plain && c.variant) || !zl_rc_is_of(r, &c, e, &j))
                continue;
            if (!is_listed(r, &c))
                return zl_rc_refuse(r, "an event of a class that is not listed", e->line);
        }
    return true;
}

/* A wait's parity is that of its slot's index, up to whole turns of the ring, because one bit
 * only tells a phase from its neighbours. */
static bool check_turns(zl_recheck *r, const zl_event *e)
{
    const zl_pos *slot = &e->bar_at, *parity = &e->parity;
    bool same =
        slot->loop == parity->loop && slot->times == parity->times && slot->plus == parity->plus;
    int64_t stages = r->pipe->bars[e->bar].stages;
    return (same && (parity->add - slot->add) % stages == 0) ||
           zl_rc_refuse(r, "a parity of another index", e->line);
}

/* A stage is filled by one role through one barrier, and every copy is waited for. */
static bool check_writers(zl_recheck *r, const zl_rc_class *c)
{
    bool waited = c->kind != ZL_RC_ISSUE;
    uint32_t writers = 0;
    for (uint32_t i = 0; i < r->classes_count; i++) {
        const zl_rc_class *o = &r->classes[i];
        waited |= o->kind == ZL_RC_WAIT && o->object == c->object && !o->variant && o->total;
        writers += c->kind == ZL_RC_WRITE && o->kind == ZL_RC_WRITE && o->object == c->object;
    }
    if (!waited) return zl_rc_refuse(r, "copies that are never waited for", c->line);
    if (writers > 1) return zl_rc_refuse(r, "a stage filled in two ways", c->line);
    for (uint32_t i = r->pipe->setup; i < r->pipe->events_count; i++) {
        const zl_event *e = &r->pipe->events[i];
        bool fills = c->kind == ZL_RC_WRITE && e->kind == ZL_EV_COPY && e->smem[0] == c->object;
        if (fills && (e->bar != zl_rc_signalled(r, c) ||
                      r->pipe->bars[e->bar].stages != r->pipe->smems[c->object].stages))
            return zl_rc_refuse(r, "a stage that signals two rings", e->line);
    }
    return true;
}

int32_t zl_rc_signalled(const zl_recheck *r, const zl_rc_class *write)
{
    int j, bar = -1;
    for (uint32_t i = r->pipe->roles[write->role].begin; i < r->pipe->roles[write->role].end; i++)
        if (zl_rc_is_of(r, write, &r->pipe->events[i], &j)) bar = r->pipe->events[i].bar;
    return bar;
}

bool zl_rc_classes(zl_recheck *r)
{
    for (int32_t b = 0; b < (int32_t)r->pipe->bars_count; b++)
        if (!is_listed(r, &(zl_rc_class){.kind = ZL_RC_PHASE, .role = -1, .object = b}))
            return zl_rc_refuse(r, "a barrier that is not listed", 0);
    for (int32_t i = 0; i < (int32_t)r->pipe->roles_count; i++)
        for (uint32_t k = r->pipe->roles[i].begin; k < r->pipe->roles[i].end; k++) {
            const zl_event *e = &r->pipe->events[k];
            if (!check_listed(r, i, e) || (e->kind == ZL_EV_WAIT && !check_turns(r, e)))
                return false;
        }
    return true;
}

bool zl_rc_uses(zl_recheck *r)
{
    for (uint32_t i = 0; i < r->classes_count; i++)
        if (!check_writers(r, &r->classes[i])) return false;
    return true;
}

/* ---- weights ---- */

typedef struct seen {
    int64_t q, begun, known;
} seen; /* known: when the next class's threads know that it is over */

enum { NEVER = -1 };

/* The next op that a whole warp, or the whole role, runs together. */
static int64_t next_of(const zl_rc_program *p, int64_t from, bool warp)
{
    for (int64_t i = from + 1; from >= 0 && i < p->count; i++) {
        const zl_event *e = p->ops[i].event;
        bool wgmma =
            (e->kind == ZL_EV_COMMIT || e->kind == ZL_EV_WAITGROUP) && e->scope == ZL_GROUP_WGMMA;
        if (e->kind == ZL_EV_SYNC || (warp && (wgmma || e->kind == ZL_EV_MMA))) return i;
    }
    return NEVER;
}

/* When the threads of the next class know that the op is complete: a thread knows its own
 * work; others' only after a barrier, unless each reports its own. */
static int64_t known_at(const zl_recheck *r, const zl_rc_class *from, int32_t scope, int64_t over)
{
    const zl_rc_program *p = &r->programs[from->role];
    bool own =
        from->kind == ZL_RC_WAIT || r->pipe->roles[from->role].elect || scope == ZL_BY_THREADS;
    if (own) return over;
    if (scope == ZL_BY_WARPS && from->kind == ZL_RC_DONE && from->variant) return over;
    return next_of(p, over, scope == ZL_BY_WARPS && from->kind == ZL_RC_PASSED);
}

/* Lists the instances of a class in its role's program; how many. */
static uint32_t instances(const zl_recheck *r, const zl_rc_class *c, int32_t scope, seen *out)
{
    const zl_rc_program *p = &r->programs[c->role];
    uint32_t count = 0;
    int j;
    for (uint32_t i = 0; i < p->count; i++) {
        const zl_rc_op *op = &p->ops[i];
        if (!zl_rc_is_of(r, c, op->event, &j)) continue;
        int64_t over = c->kind == ZL_RC_FENCED ? op->fenced : op->over;
        out[count++] = (seen){j == 2 ? op->bar_q : op->q[j], i, known_at(r, c, scope, over)};
    }
    return count;
}

/* Whether an edge may lead from one class to the other: one role, and kinds that can order and be
 * ordered. */
static bool orders(const zl_rc_class *from, const zl_rc_class *to)
{
    bool source = from->kind == ZL_RC_WAIT || from->kind == ZL_RC_PASSED ||
                  from->kind == ZL_RC_WROTE || from->kind == ZL_RC_FENCED ||
                  from->kind == ZL_RC_DONE;
    bool target = to->kind == ZL_RC_WAIT || to->kind == ZL_RC_ARRIVE || to->kind == ZL_RC_EXPECT ||
                  to->kind == ZL_RC_ISSUE || to->kind == ZL_RC_WRITE || to->kind == ZL_RC_READ;
    return source && target && from->role == to->role;
}

/* Raises the weight to the least d that no pair contradicts. */
static void weigh(zl_recheck *r, uint32_t a, uint32_t b, seen *from, seen *to)
{
    int64_t *weight = &r->weight[a][b];
    uint32_t froms = instances(r, &r->classes[a], scope_of(r, &r->classes[b]), from);
    uint32_t tos = instances(r, &r->classes[b], ZL_BY_THREADS, to);
    for (uint32_t i = 0; i < froms; i++) {
        if (from[i].known == NEVER) *weight = INT64_MAX;
        for (uint32_t k = 0; k < tos && *weight < INT64_MAX; k++)
            if (to[k].begun <= from[i].known && to[k].q + 1 - from[i].q > *weight)
                *weight = to[k].q + 1 - from[i].q;
    }
    if (*weight > r->window) *weight = INT64_MAX;
}

/* Whether the class has an instance at every index. */
static void check_total(zl_recheck *r, uint32_t a, seen *from)
{
    uint32_t count = instances(r, &r->classes[a], ZL_BY_THREADS, from);
    for (int64_t q = 0; q < r->total; q++) {
        bool there = false;
        for (uint32_t i = 0; i < count; i++) there |= from[i].q == q;
        r->classes[a].total &= there;
    }
}

bool zl_rc_weights(zl_recheck *r)
{
    zl_mark mark = zl_scratch_mark(r->ctx);
    size_t room = 1;
    for (uint32_t i = 0; i < r->pipe->roles_count; i++)
        if (r->programs[i].count > room) room = r->programs[i].count;
    seen *lists = zl_scratch(r->ctx, 2 * room, sizeof *lists);
    if (!lists) r->status = ZLAY_ENOMEM;
    for (uint32_t a = 0; lists && a < r->classes_count; a++) {
        if (r->classes[a].kind == ZL_RC_PHASE) continue;
        check_total(r, a, lists);
        for (uint32_t b = 0; b < r->classes_count; b++)
            if (orders(&r->classes[a], &r->classes[b])) weigh(r, a, b, lists, lists + room);
    }
    zl_scratch_release(r->ctx, mark);
    return r->status == ZLAY_OK;
}

int64_t zl_rc_edge(const zl_recheck *r, uint32_t a, uint32_t b)
{
    const zl_rc_class *from = &r->classes[a], *to = &r->classes[b];
    bool same = from->object == to->object;
    if (to->kind == ZL_RC_PHASE)
        return same && (from->kind == ZL_RC_ARRIVE || from->kind == ZL_RC_ISSUE) ? 0 : INT64_MAX;
    if (from->kind == ZL_RC_PHASE && to->kind == ZL_RC_WAIT && same)
        return to->variant ? (int64_t)r->pipe->bars[to->object].stages : 0;
    return orders(from, to) ? r->weight[a][b] : INT64_MAX;
}

/* ---- positions and schedule ---- */

/* Keeps an offset, or says whether it is the one that was kept. */
static bool same_offset(int64_t *slot, int64_t offset)
{
    if (*slot == INT64_MIN) *slot = offset;
    return *slot == offset;
}

/* An index is its position plus a constant, the same wherever the event happens. */
static bool check_offsets(zl_recheck *r, int32_t role, const zl_rc_op *op)
{
    const zl_event *e = op->event;
    int64_t *offset = r->offset[e - r->pipe->events];
    bool good = e->bar < 0 || same_offset(&offset[2], op->bar_q - op->position);
    for (int j = 0; j < 2; j++)
        if (e->smem[j] >= 0 && !zl_rc_is_own(r, e->smem[j], role))
            good = good && same_offset(&offset[j], op->q[j] - op->position);
    bool fixed = e->smem[0] < 0 || (e->at[0].loop < 0 && e->at[0].plus < 0) ||
                 r->pipe->smems[e->smem[0]].stages == 1;
    if (e->smem[0] >= 0 && zl_rc_is_own(r, e->smem[0], role)) good = good && fixed;
    return good || zl_rc_refuse(r, "an index that is not at its position", e->line);
}

/* `later` is scheduled after `earlier`; it is tight if it could not be sooner. */
static bool check_pair(zl_recheck *r, const zl_rc_op *earlier, const zl_rc_op *later)
{
    uint32_t a = (uint32_t)(earlier->event - r->pipe->events),
             b = (uint32_t)(later->event - r->pipe->events);
    int64_t slack = r->slope * (later->position - earlier->position) + r->time[b] - r->time[a];
    if (slack == 1) r->tight[b] = true;
    return slack >= 1 || zl_rc_refuse(r, "an event scheduled too early", later->event->line);
}

/* A wait is scheduled after every event that helps to complete its phase. */
static bool check_wait(zl_recheck *r, const zl_rc_op *wait)
{
    const zl_event *w = wait->event;
    int64_t q =
        wait->bar_q - (zl_rc_turned(r->pipe, w) ? (int64_t)r->pipe->bars[w->bar].stages : 0);
    for (uint32_t i = 0; i < r->pipe->roles_count; i++)
        for (uint32_t k = 0; k < r->programs[i].count; k++) {
            const zl_rc_op *op = &r->programs[i].ops[k];
            bool makes = op->event->kind == ZL_EV_ARRIVE || op->event->kind == ZL_EV_COPY;
            if (makes && op->event->bar == w->bar && op->bar_q == q && !check_pair(r, op, wait))
                return false;
        }
    return true;
}

/* An `inc` of registers is scheduled after every `dec` of the block. */
static bool check_inc(zl_recheck *r, const zl_rc_op *inc)
{
    for (uint32_t i = 0; i < r->pipe->roles_count; i++)
        for (uint32_t k = 0; k < r->programs[i].count; k++) {
            const zl_rc_op *op = &r->programs[i].ops[k];
            bool dec = op->event->kind == ZL_EV_SETMAXNREG && op->event->scope == ZL_REGS_DEC;
            if (dec && !check_pair(r, op, inc)) return false;
        }
    return true;
}

bool zl_rc_schedule(zl_recheck *r)
{
    for (uint32_t i = 0; i < r->pipe->roles_count; i++) {
        const zl_rc_program *p = &r->programs[i];
        for (uint32_t k = 0; k < p->count; k++) {
            if (!check_offsets(r, (int32_t)i, &p->ops[k])) return false;
            if (k && !check_pair(r, &p->ops[k - 1], &p->ops[k])) return false;
            const zl_event *e = p->ops[k].event;
            bool inc = e->kind == ZL_EV_SETMAXNREG && e->scope == ZL_REGS_INC;
            if (e->kind == ZL_EV_WAIT && !check_wait(r, &p->ops[k])) return false;
            if (inc && !check_inc(r, &p->ops[k])) return false;
        }
    }
    return true;
}
