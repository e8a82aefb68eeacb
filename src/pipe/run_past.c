/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in a state and is asked for by nobody. */
#include "pipe/run_state.h"

/* ---- uses of memory ---- */

static bool has_ended(const zl_run *r, const zl_instance *i)
{
    return i->pc == r->pipe->roles[i->role].end;
}

void zl_state_find_least(zl_run *r)
{
    zl_tick *least = r->watch->least;
    for (uint32_t k = 0; k < r->comps; k++) least[k] = INT16_MAX;
    for (uint32_t c = 0; c < r->classes_count; c++)
        if (!has_ended(r, &r->instances[r->classes[c].instance]))
            zl_clock_meet(r, least, r->classes[c].clock);
}

/* Tensor memory and the changes of maps are asked of other clocks. */
bool zl_state_is_past(const zl_run *r, const zl_touch *t, zl_cond cond)
{
    const zl_tick *least = r->watch->least;
    bool own = t->proxy == ZL_TENSOR || r->pipe->events[t->event].kind == ZL_EV_UPDATE;
    bool fenced = cond.comp < (int32_t)r->classes_count ||
                  r->counted[cond.comp].group == ZL_OF_CPASYNC;
    if (own || least[cond.comp] < cond.value) return false;
    return !t->write || !fenced || least[zl_comp_fenced(r, cond.comp)] >= cond.value;
}

static bool is_known(const zl_run *r, const zl_touch *t)
{
    bool known = true;
    for (uint32_t n = 0; n < t->conds && known; n++) known = zl_state_is_past(r, t, t->cond[n]);
    return known;
}

/* What knows that a use is over knows it of one before by the same threads. */
static bool comes_after(const zl_touch *t, const zl_touch *before)
{
    bool after = !t->old && t->write == before->write && t->proxy == before->proxy &&
                 t->conds == before->conds;
    for (uint32_t n = 0; n < t->conds && after; n++)
        after = t->cond[n].comp == before->cond[n].comp &&
                t->cond[n].value >= before->cond[n].value;
    return after;
}

/* Who is asked of a use of the content before is asked of one behind it too, where no more is
 * written beside that. */
static bool is_followed(const zl_spot *p, const zl_touch *t)
{
    bool followed = false;
    if (!t->old || (t->write && (!p->size || p->filled != p->size))) return false;
    for (uint32_t k = 0; k < p->count && !followed; k++) followed = comes_after(&p->touches[k], t);
    return followed;
}

/* What was written last stays: whether it is whole is asked of it. */
void zl_state_forget(const zl_run *r, zl_spot *p)
{
    for (uint32_t k = p->count; k-- > 0;) {
        const zl_touch *t = &p->touches[k];
        if ((!t->write || t->old) && (is_followed(p, t) || is_known(r, t)))
            p->touches[k] = p->touches[--p->count];
    }
}

/* ---- phases ---- */

static bool waits(const zl_run *r, const zl_gate *g, const zl_class *c)
{
    const zl_instance *i = &r->instances[c->instance];
    return r->watch->waits[i->role] >> g->bar & 1 && i->cta == g->cta && !has_ended(r, i);
}

static bool names(const zl_run *r, const zl_gate *g, const zl_class *c)
{
    const zl_instance *i = &r->instances[c->instance];
    return r->watch->names[i->role] >> g->bar & 1 && !has_ended(r, i);
}

static int32_t known(const zl_run *r, const zl_gate *g,
                     bool (*asks)(const zl_run *, const zl_gate *, const zl_class *))
{
    int32_t phase = g->phase;
    for (const zl_class *c = r->classes; c < r->classes + r->classes_count; c++)
        if (c->clock[g->comp] < phase && asks(r, g, c)) phase = c->clock[g->comp];
    return phase;
}

int32_t zl_state_known_to_comers(const zl_run *r, const zl_gate *g) { return known(r, g, names); }
int32_t zl_state_known_to_waiters(const zl_run *r, const zl_gate *g) { return known(r, g, waits); }

bool zl_state_is_heard(const zl_run *r, const zl_gate *g)
{
    bool heard = true;
    for (const zl_class *c = r->classes; c < r->classes + r->classes_count && heard; c++)
        heard = !waits(r, g, c) || zl_clock_covers(r, c->clock, g->done);
    return heard;
}
