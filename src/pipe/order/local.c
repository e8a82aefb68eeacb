/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what one role can break by itself, on its unrolled steps: events that its threads cannot
 * run, groups that no wait completes, accumulators that are used in flight or unfenced, bytes
 * expected after the arrival, and staging memory that only this role uses. Each accumulator and
 * each staging slot is followed from step to step as a small state machine. What other roles do has
 * no influence, so no order between roles is needed. */
#include "pipe/language/form.h"
#include "pipe/order/verify.h"

/* How many arrivals an event of this scope makes. */
int64_t zl_weight(const zl_role *role, int32_t scope)
{
    int64_t instances = zl_role_instances(role);
    if (role->elect || scope == ZL_BY_ONE) return instances;
    return instances * role->each * (scope == ZL_BY_THREADS ? 32 : 1);
}

bool zl_is_single(const zl_role *role) { return role->elect != 0; }

/* ---- form ---- */

static const zl_role *role_of(const zlay_pipe *pipe, uint32_t event)
{
    for (uint32_t r = 0; r < pipe->roles_count; r++)
        if (event >= pipe->roles[r].begin && event < pipe->roles[r].end) return &pipe->roles[r];
    return NULL;
}

/* Reports a broken rule of form at an event's line; with the role's line where the role's shape is
 * at fault. */
static void report_form(void *to, int32_t rule, uint32_t event, int64_t found, int64_t wanted)
{
    zl_verify *v = to;
    const zl_role *role = rule == ZLAY_PIPE_COLLECTIVE ? role_of(v->pipe, event) : NULL;
    uint32_t line = event < v->pipe->events_count ? v->pipe->events[event].line : 1;
    zl_report(v, rule, line, role ? role->line : 0, found, wanted);
}

/* Events that the order proof does not cover. */
static void check_event(zl_verify *v, const zl_event *e)
{
    if (e->kind == ZL_EV_SYNC && e->scope == ZL_SYNC_CTA)
        zl_undecided(v, e->line, "meets the whole block in a role");
    if (e->kind == ZL_EV_STORE && !v->own[e->smem[0]])
        zl_undecided(v, e->line, "stores a stage that others share");
}

/* A stage that only one role uses must be the same stage all along, because its reuse is
 * judged within one trace. */
static void check_own(zl_verify *v, const zl_event *e)
{
    bool fixed = e->at[0].loop < 0 && e->at[0].plus < 0;
    if (e->smem[0] >= 0 && v->own[e->smem[0]] && !fixed && v->pipe->smems[e->smem[0]].stages > 1)
        zl_undecided(v, e->line, "moves through stages of its own");
}

void zl_check_form(zl_verify *v)
{
    const zlay_pipe *pipe = v->pipe;
    const zl_form_ask ask = {pipe, report_form, v};
    zl_form_bars(&ask);
    for (uint32_t r = 0; r < pipe->roles_count; r++)
        for (uint32_t i = pipe->roles[r].begin; i < pipe->roles[r].end; i++) {
            zl_form_event(&ask, &pipe->roles[r], i);
            check_event(v, &pipe->events[i]);
            check_own(v, &pipe->events[i]);
        }
}

/* ---- accumulators ---- */

/* A sum of products that is not taken yet; one, or other values, that a `use` left there; what a
 * write has taken. */
enum { ACC_EMPTY, ACC_SUM, ACC_USED, ACC_TAKEN };

typedef struct sum {
    int state;
    bool touched;   /* since the last fence */
    int32_t done;   /* when its products are over, -1 never */
    uint32_t line;
} sum;

/* A product: the accumulator is fenced, begun or continued rightly, and its two indices agree. */
static void add_product(zl_verify *v, sum *s, const zl_trace_step *step)
{
    const zl_event *e = step->event;
    if (s->touched) zl_report(v, ZLAY_PIPE_FENCE, e->line, s->line, 0, 0);
    if (e->fresh ? s->state == ACC_SUM : s->state != ACC_SUM && s->state != ACC_USED)
        zl_report(v, ZLAY_PIPE_STAGE, e->line, s->line, e->fresh, !e->fresh);
    if (step->q[0] != step->q[1]) zl_report(v, ZLAY_PIPE_STAGE, e->line, 0, step->q[1], step->q[0]);
    if (s->done >= 0) s->done = step->done < 0 ? -1 : step->done > s->done ? step->done : s->done;
    s->state = ACC_SUM;
    s->line = e->line;
}

/* Threads access registers, so that no product may be in flight. A write needs something there; a
 * `use` may be what puts it there. */
static void access_sum(zl_verify *v, sum *s, const zl_event *e, int32_t at)
{
    bool used = e->kind == ZL_EV_USE;
    if (s->state == ACC_EMPTY && !used) zl_report(v, ZLAY_PIPE_STAGE, e->line, 0, 0, 1);
    if (s->done < 0 || s->done > at) zl_report(v, ZLAY_PIPE_FENCE, e->line, s->line, 1, 0);
    s->state = used ? ACC_USED : ACC_TAKEN;
    s->touched = true;
    s->line = e->line;
}

/* Follows an accumulator through the role: fenced, begun, summed, used, taken. */
static void check_acc(zl_verify *v, const zl_trace *t, int32_t acc)
{
    sum s = {ACC_EMPTY, true, 0, 0};
    for (uint32_t i = 0; i < t->count; i++) {
        const zl_event *e = t->steps[i].event;
        if (e->kind == ZL_EV_FENCE && e->scope == ZL_FENCE_WGMMA) s.touched = false;
        if (e->acc != acc) continue;
        if (e->kind == ZL_EV_MMA) add_product(v, &s, &t->steps[i]);
        else access_sum(v, &s, e, (int32_t)i);
    }
    if (s.state == ACC_SUM) zl_report(v, ZLAY_PIPE_EXIT, s.line, 0, 0, 0);
}

/* ---- staging that one role keeps for itself ---- */

typedef struct content {
    int32_t wrote;    /* step of the last write, -1 */
    bool unread;
    int32_t released; /* when every thread knows that the readers so far are done, -1 never */
    uint32_t reader;  /* line */
} content;

/* The step by which every thread of the role has passed step `at`; -1: none. */
static int32_t joined(const zl_trace *t, const zl_role *role, int32_t at)
{
    if (at < 0 || zl_is_single(role)) return at;
    return t->steps[at].sync;
}

/* Whether something has happened (it is not -1) before a step. */
static bool is_before(int32_t at, uint32_t step) { return at >= 0 && at < (int32_t)step; }

/* The async proxy reads: each writing thread must have fenced, and then all must have met at a
 * barrier. */
static void check_store(zl_verify *v, const zl_trace *t, const zl_role *role, uint32_t at,
                        const content *c)
{
    const zl_event *e = t->steps[at].event;
    uint32_t wrote = t->steps[c->wrote].event->line;
    int32_t fence = t->steps[c->wrote].fence;
    if (!is_before(fence, at)) zl_report(v, ZLAY_PIPE_PROXY, e->line, wrote, 0, 0);
    else if (!is_before(joined(t, role, c->wrote), at))
        zl_report(v, ZLAY_PIPE_READ_BEFORE_FULL, e->line, wrote, 0, 0);
    else if (!is_before(joined(t, role, fence), at))
        zl_report(v, ZLAY_PIPE_PROXY, e->line, t->steps[fence].event->line, 0, 0);
    if (e->count != v->pipe->smems[e->smem[0]].bytes)
        zl_report(v, ZLAY_PIPE_BYTES, e->line, 0, e->count, v->pipe->smems[e->smem[0]].bytes);
}

/* A read or store of staging memory. */
static void use(zl_verify *v, const zl_trace *t, const zl_role *role, uint32_t at, content *c)
{
    const zl_event *e = t->steps[at].event;
    int32_t done = joined(t, role, t->steps[at].done);
    c->released = done < 0 || c->released < 0 ? -1 : done > c->released ? done : c->released;
    c->reader = e->line;
    c->unread = false;
    if (c->wrote < 0 || t->steps[c->wrote].event->part != e->part) {
        zl_report(v, ZLAY_PIPE_STAGE, e->line, c->wrote < 0 ? 0 : t->steps[c->wrote].event->line, 0,
                  0);
        return;
    }
    if (e->kind == ZL_EV_STORE) check_store(v, t, role, at, c);
    else if (!is_before(joined(t, role, c->wrote), at))
        zl_report(v, ZLAY_PIPE_READ_BEFORE_FULL, e->line, t->steps[c->wrote].event->line, 0, 0);
}

/* A write of staging memory: the content before was read, and its readers are done. */
static void fill(zl_verify *v, const zl_trace *t, uint32_t at, content *c)
{
    const zl_event *e = t->steps[at].event;
    if (c->unread) zl_report(v, ZLAY_PIPE_STAGE, e->line, t->steps[c->wrote].event->line, 2, 1);
    if (c->reader && !is_before(c->released, at))
        zl_report(v, ZLAY_PIPE_OVERWRITE, e->line, c->reader, 0, 0);
    *c = (content){(int32_t)at, true, 0, 0};
}

/* Follows one slot of staging memory through the role: written, read, and released before the next
 * write. */
static void check_slot(zl_verify *v, const zl_trace *t, const zl_role *role, int32_t smem,
                       int64_t slot)
{
    content c = {-1, false, 0, 0};
    for (uint32_t i = 0; i < t->count; i++) {
        const zl_trace_step *s = &t->steps[i];
        if (s->event->smem[0] != smem || s->q[0] % (int64_t)v->pipe->smems[smem].stages != slot)
            continue;
        if (zl_is_write(s->event)) fill(v, t, i, &c);
        else use(v, t, role, i, &c);
    }
    if (c.unread) zl_report(v, ZLAY_PIPE_EXIT, t->steps[c.wrote].event->line, 0, 0, 0);
}

/* ---- groups, bytes expected ---- */

/* Whether the thread that expects bytes arrives later in the same phase, so that the phase cannot
 * complete before it has expected them. */
static bool check_expect(zl_verify *v, const zl_trace *t, uint32_t at)
{
    const zl_trace_step *s = &t->steps[at];
    for (uint32_t i = at + 1; i < t->count; i++) {
        const zl_trace_step *a = &t->steps[i];
        if (a->event->kind == ZL_EV_ARRIVE && a->event->bar == s->event->bar &&
            a->bar_q == s->bar_q)
            return true;
    }
    zl_report(v, ZLAY_PIPE_BYTES, s->event->line, 0, 0, 0);
    return false;
}

/* Whether asynchronous work is committed to a group and the group is waited for. */
static bool check_done(zl_verify *v, const zl_trace *t, uint32_t at)
{
    int32_t group = t->steps[at].event->kind == ZL_EV_MMA ? ZL_GROUP_WGMMA
                  : t->steps[at].event->kind == ZL_EV_STORE ? ZL_GROUP_BULK : ZL_GROUP_CPASYNC;
    bool committed = false;
    if (t->steps[at].done >= 0) return true;
    for (uint32_t i = at + 1; i < t->count && !committed; i++)
        committed = t->steps[i].event->kind == ZL_EV_COMMIT && t->steps[i].event->scope == group;
    zl_report(v, committed ? ZLAY_PIPE_EXIT : ZLAY_PIPE_GROUP, t->steps[at].event->line, 0, 0, 0);
    return false;
}

void zl_check_role(zl_verify *v, int32_t role)
{
    const zl_trace *t = &v->traces[role];
    const zl_role *r = &v->pipe->roles[role];
    bool good = true;
    for (uint32_t i = 0; good && i < t->count; i++)
        good = check_done(v, t, i) &&
               (t->steps[i].event->kind != ZL_EV_EXPECT || check_expect(v, t, i));
    for (uint32_t a = 0; a < v->pipe->accs_count; a++)
        if (v->pipe->accs[a].role == role) check_acc(v, t, (int32_t)a);
    for (uint32_t m = 0; m < v->pipe->smems_count; m++)
        for (uint32_t slot = 0; v->own[m] == role + 1 && slot < v->pipe->smems[m].stages; slot++)
            check_slot(v, t, r, (int32_t)m, slot);
}
