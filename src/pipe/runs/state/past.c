/* SPDX-License-Identifier: Apache-2.0 */
/* Removes from a state what no later event can ask about: accesses that everyone who may still
 * conflict knows to be complete, phases that all possible waiters know, knowledge that a
 * waiting thread will have anyhow. Without this, states that behave alike would differ and
 * loops would not recur. */
#include "pipe/runs/state/clock.h"
#include "pipe/runs/state/state.h"

/* ---- who may yet ask ---- */

/* Whether an event checks what its thread knows of memory, barriers or flags. */
static bool is_question(const zl_event *e)
{
    return e->kind != ZL_EV_SYNC && e->kind != ZL_EV_JOIN && e->kind != ZL_EV_MEET &&
           e->kind != ZL_EV_WAITGROUP && e->kind != ZL_EV_FOR && e->kind != ZL_EV_END;
}

/* Finds, for each role, the last event that may name a barrier or ask anything. An event comes
 * again as long as its outermost loop runs. */
static void find_last(zl_run *r, uint32_t role)
{
    const zlay_pipe *p = r->pipe;
    zl_watch *w = r->watch;
    uint32_t end = 0;
    for (uint32_t n = p->roles[role].begin; n < p->roles[role].end; n++) {
        const zl_event *e = &p->events[n];
        if (e->kind == ZL_EV_FOR && n >= end) end = (uint32_t)e->match;
        uint32_t last = n < end ? end : n;
        if (is_question(e)) w->asks[role] = last + 1;
        if (e->kind == ZL_EV_FOR || e->bar < 0) continue;
        w->names[role * p->bars_count + (uint32_t)e->bar] = last + 1;
        if (e->kind == ZL_EV_WAIT) w->waits[role * p->bars_count + (uint32_t)e->bar] = last + 1;
    }
}

/* Whether an instance ever arrives at this barrier in this block. */
static bool arrives(const zl_run *r, const zl_instance *i, uint32_t bar, uint32_t block)
{
    const zl_role *role = &r->pipe->roles[i->role];
    for (uint32_t n = role->begin; n < role->end; n++) {
        const zl_event *e = &r->pipe->events[n];
        if ((e->kind == ZL_EV_ARRIVE || e->kind == ZL_EV_COMMIT) && e->bar == (int32_t)bar &&
            zl_run_reaches(r, i, e, block))
            return true;
    }
    return false;
}

static void note_comers(zl_run *r)
{
    bool *comes = r->watch->comers;
    for (uint32_t k = 0; k < r->pipe->bars_count * r->pipe->blocks; k++)
        for (uint32_t n = 0; n < r->instances_count; n++)
            *comes++ = arrives(r, &r->instances[n], k / r->pipe->blocks, k % r->pipe->blocks);
}

void zl_watch_find_asks(zl_run *r)
{
    for (uint32_t k = 0; k < r->pipe->roles_count; k++) find_last(r, k);
    note_comers(r);
}

/* Whether an instance may still reach one of the events before `last`. */
static bool may_come(const zl_instance *i, uint32_t last) { return i->pc < last; }

static uint32_t of_bar(const zl_run *r, const uint32_t *last, const zl_instance *i,
                       const zl_mbar *g)
{
    return last[(uint32_t)i->role * r->pipe->bars_count + (uint32_t)g->bar];
}

/* ---- who waits ---- */

/* The meet of the clocks of all classes that may still arrive at a barrier, in r->scratch;
 * false where there are none. */
static bool find_comers(zl_run *r, const zl_mbar *g, const zl_instance *but)
{
    const bool *comes = r->watch->comers +
                        ((size_t)g->bar * r->pipe->blocks + (size_t)g->cta) * r->instances_count;
    bool any = false;
    for (uint32_t k = 0; k < r->comps; k++) r->scratch[k] = INT16_MAX;
    for (const zl_class *c = r->classes; c < r->classes + r->classes_count; c++) {
        const zl_instance *i = &r->instances[c->instance];
        if (!comes[c->instance] || i == but || !may_come(i, of_bar(r, r->watch->names, i, g)))
            continue;
        zl_clock_meet(r, r->scratch, c->clock);
        any = true;
    }
    return any;
}

/* A thread that waits does nothing until another arrives in the current phase, and then it
 * knows what that class knows. So it may be given now what all possible arrivers know. */
void zl_state_hear(zl_run *r)
{
    for (const zl_instance *i = r->instances; i < r->instances + r->instances_count; i++) {
        const zl_mbar *g = i->stands;
        bool waits = g && r->classes[i->first].clock[g->comp] == g->phase && g->pending > 0;
        if (!waits || !find_comers(r, g, i)) continue;
        for (uint32_t k = 0; k < i->classes; k++)
            zl_clock_join(r, r->classes[i->first + k].clock, r->scratch);
    }
}

/* ---- uses of memory ---- */

/* The meet of the clocks of all classes that may still ask, in watch->least. */
void zl_state_find_least(zl_run *r)
{
    zl_tick *least = r->watch->least;
    for (uint32_t k = 0; k < r->comps; k++) least[k] = INT16_MAX;
    for (uint32_t c = 0; c < r->classes_count; c++) {
        const zl_instance *i = &r->instances[r->classes[c].instance];
        if (may_come(i, r->watch->asks[i->role])) zl_clock_meet(r, least, r->classes[c].clock);
    }
}

/* Whether everyone who may ask knows the condition to hold. Tensor memory and updates of maps
 * are checked against other clocks, so they are never past. */
bool zl_state_is_past(const zl_run *r, const zl_mem_access *t, zl_cond cond)
{
    const zl_tick *least = r->watch->least;
    bool own = t->proxy == ZL_TENSOR || r->pipe->events[t->event].kind == ZL_EV_UPDATE;
    bool fenced = cond.comp < (int32_t)r->classes_count ||
                  r->counted[cond.comp].group == ZL_OF_CPASYNC;
    if (own || least[cond.comp] < cond.value) return false;
    return !t->write || !fenced || least[zl_comp_fenced(r, cond.comp)] >= cond.value;
}

/* Whether an access is known to be complete by everyone who may ask. */
static bool is_known(const zl_run *r, const zl_mem_access *t)
{
    bool known = true;
    for (uint32_t n = 0; n < t->conds && known; n++) known = zl_state_is_past(r, t, t->cond[n]);
    return known;
}

/* Whether an access is by the same threads as an earlier one: who knows the later to be
 * complete knows it of the earlier. */
static bool comes_after(const zl_mem_access *t, const zl_mem_access *before)
{
    bool after = !t->old && t->write == before->write && t->proxy == before->proxy &&
                 t->conds == before->conds;
    for (uint32_t n = 0; n < t->conds && after; n++)
        after = t->cond[n].comp == before->cond[n].comp &&
                t->cond[n].value >= before->cond[n].value;
    return after;
}

/* Whether an access of the content before is implied by one of the current content, with no
 * more writes beside that to come. */
static bool is_followed(const zl_shadow *p, const zl_mem_access *t)
{
    bool followed = false;
    if (!t->old || (t->write && (!p->size || p->filled != p->size))) return false;
    for (uint32_t k = 0; k < p->count && !followed; k++) followed = comes_after(&p->accesses[k], t);
    return followed;
}

/* Drops past accesses; the last write stays, because reads ask whether the content is whole. */
void zl_state_forget(const zl_run *r, zl_shadow *p)
{
    for (uint32_t k = p->count; k-- > 0;) {
        const zl_mem_access *t = &p->accesses[k];
        if ((!t->write || t->old) && (is_followed(p, t) || is_known(r, t)))
            p->accesses[k] = p->accesses[--p->count];
    }
}

/* ---- phases ---- */

/* Whether a class may still wait at the slot. */
static bool waits(const zl_run *r, const zl_mbar *g, const zl_class *c)
{
    const zl_instance *i = &r->instances[c->instance];
    return i->cta == g->cta && may_come(i, of_bar(r, r->watch->waits, i, g));
}

/* Whether a class may still name the slot. */
static bool names(const zl_run *r, const zl_mbar *g, const zl_class *c)
{
    const zl_instance *i = &r->instances[c->instance];
    return may_come(i, of_bar(r, r->watch->names, i, g));
}

/* The last phase that each of the classes which `asks` selects knows. */
static int32_t known(const zl_run *r, const zl_mbar *g,
                     bool (*asks)(const zl_run *, const zl_mbar *, const zl_class *))
{
    int32_t phase = g->phase;
    for (const zl_class *c = r->classes; c < r->classes + r->classes_count; c++)
        if (c->clock[g->comp] < phase && asks(r, g, c)) phase = c->clock[g->comp];
    return phase;
}

int32_t zl_state_known_to_comers(const zl_run *r, const zl_mbar *g) { return known(r, g, names); }
int32_t zl_state_known_to_waiters(const zl_run *r, const zl_mbar *g) { return known(r, g, waits); }

bool zl_state_is_heard(const zl_run *r, const zl_mbar *g)
{
    bool heard = true;
    for (const zl_class *c = r->classes; c < r->classes + r->classes_count && heard; c++)
        heard = !waits(r, g, c) || zl_clock_covers(r, c->clock, g->done);
    return heard;
}
