/* SPDX-License-Identifier: Apache-2.0 */
#include "pipe/run_state.h"

#include <string.h>

void zl_state_push(zl_state *w, int64_t value)
{
    if (w->need < w->room) w->out[w->need] = (int32_t)value;
    w->need++;
}

static void put(zl_state *w, int64_t value)
{
    if (!w->conds) zl_state_push(w, value);
}

static void put_cond(zl_state *w, int32_t comp, int32_t value)
{
    if (!w->conds) return;
    zl_state_push(w, w->r->watch->column[comp]);
    zl_state_push(w, value);
}

/* A condition is asked of its component, and of what stands for it behind fences. */
static void put_conds(zl_state *w, zl_cond cond)
{
    const int32_t classes = (int32_t)w->r->classes_count;
    int32_t tensor = zl_comp_tensor(w->r, cond.comp);
    bool fenced = cond.comp < classes || (cond.comp >= 2 * classes && cond.comp < 3 * classes);
    put(w, w->r->watch->column[cond.comp]);
    put_cond(w, cond.comp, cond.value);
    if (fenced) put_cond(w, zl_comp_fenced(w->r, cond.comp), cond.value);
    if (tensor != cond.comp) put_cond(w, tensor, cond.value);
}

/* ---- where positions are counted from ---- */

static void find_bases(zl_state *w, int32_t param, const zl_instance *leader)
{
    int64_t counter = leader->counter[leader->depth - 1];
    memset(w->base, 0, sizeof w->base);
    for (uint32_t d = 0; d < leader->depth; d++) {
        int32_t p = zl_loop_param(&w->pipe->events[leader->loop[d]]);
        if (p >= 0) w->base[p] = leader->counter[d];
    }
    for (uint32_t k = 0; k < w->pipe->events_count; k++) {
        const zl_event *e = &w->pipe->events[k];
        int32_t times = e->kind == ZL_EV_FOR ? e->at[0].times : -1;
        if (times >= 0 && times != param && !w->base[times])
            w->base[times] = counter * w->r->params[times];
    }
}

static int64_t base_of(const zl_state *w, int32_t ring) { return ring >= 0 ? w->base[ring] : 0; }

/* A loop may begin below 0: rounds go down. */
static int64_t round_of(int64_t at, uint32_t stages)
{
    return at >= 0 ? at / stages : -((stages - 1 - at) / stages);
}

static uint32_t slot_of(int64_t at, uint32_t stages)
{
    return (uint32_t)(at - round_of(at, stages) * stages);
}

uint32_t zl_state_slot(const zl_state *w, int32_t ring, uint32_t stages)
{
    return slot_of(base_of(w, ring), stages);
}

/* ---- the structure ---- */

int32_t zl_state_behind(const zl_run *r, const zl_instance *i, int group, int32_t number)
{
    int32_t left = i->issued[group] + 1 - number;
    if (number <= i->done[group]) return 0;
    return 1 + (left > r->most_left ? r->most_left + 1 : left);
}

static void put_groups(zl_state *w, const zl_instance *i)
{
    for (int g = 0; g < ZL_GROUPS; g++) {
        put(w, zl_state_behind(w->r, i, g, i->done[g] + 1));
        put(w, i->open[g]);
        put(w, zl_state_behind(w->r, i, g, i->last[g]));
    }
}

static void put_instance(zl_state *w, const zl_instance *i)
{
    const zl_meeting *m = w->r->meetings;
    put(w, i->pc);
    put(w, i->depth);
    for (uint32_t d = 0; d < i->depth; d++)
        put(w, i->counter[d] - base_of(w, zl_loop_param(&w->pipe->events[i->loop[d]])));
    put(w, i->meets >= 0);
    put(w, i->joined < 0 ? 0 : 1 + (i->joined < m->generation));
    put(w, i->grid);
    put(w, i->registers);
    put_groups(w, i);
}

static void put_sums(zl_state *w, const zl_instance *i)
{
    for (uint32_t a = 0; a < w->pipe->accs_count; a++) {
        const zl_sum *s = zl_run_sum(w->r, i, (int32_t)a);
        put(w, s->state);
        put(w, s->touched + 2 * s->unread);
        put(w, s->kind);
        put(w, zl_state_behind(w->r, i, s->kind, s->group));
        put(w, s->reader_kind);
        put(w, zl_state_behind(w->r, i, s->reader_kind, s->reader));
        put(w, s->bytes);
        for (int k = 0; k < 2; k++) put(w, zl_sum_current(w->r, i, &s->factors, k));
    }
}

static void put_gate(zl_state *w, const zl_gate *g, int64_t rounds)
{
    put(w, g->pending);
    put(w, g->tx);
    put(w, g->idle ? 0 : (g->phase - rounds) & 1);
    for (uint32_t c = 0; c < w->r->classes_count; c++) {
        put(w, (g->passed[c] >= 0) + 2 * (g->expected[c] >= 0));
        if (g->passed[c] >= 0) put_cond(w, zl_comp_control(w->r, c), g->passed[c]);
        if (g->expected[c] >= 0) put_cond(w, (int32_t)c, g->expected[c]);
    }
}

/* Slots in the order of their positions from the base on; a position's round is left out of its
 * phase. */
static void put_gates(zl_state *w)
{
    for (uint32_t b = 0; b < w->pipe->bars_count; b++) {
        uint32_t stages = w->pipe->bars[b].stages;
        int32_t ring = w->r->watch->rings[b];
        int64_t base = base_of(w, ring);
        for (uint32_t block = 0; block < w->pipe->blocks; block++)
            for (uint32_t d = 0; d < stages; d++) {
                int64_t at = (ring >= 0 ? base : 0) + d;
                put_gate(w, zl_gate_of(w->r, (int32_t)b, block, slot_of(at, stages)),
                         ring >= 0 ? round_of(at, stages) : 0);
            }
    }
}

static void put_touch(zl_state *w, const zl_touch *t)
{
    put(w, t->instance);
    put(w, t->event);
    put(w, t->part);
    put(w, t->bytes);
    put(w, t->proxy + 4 * t->write + 8 * t->old);
    put(w, t->conds);
    for (uint32_t k = 0; k < t->conds; k++) put_conds(w, t->cond[k]);
}

static bool comes_before(const zl_touch *a, const zl_touch *b)
{
    if (a->old != b->old) return b->old;
    if (a->instance != b->instance) return a->instance < b->instance;
    return a->event != b->event ? a->event < b->event : a->part < b->part;
}

static void sort_touches(zl_spot *p)
{
    for (uint32_t k = 1; k < p->count; k++)
        for (uint32_t j = k; j > 0 && comes_before(&p->touches[j], &p->touches[j - 1]); j--) {
            zl_touch t = p->touches[j];
            p->touches[j] = p->touches[j - 1];
            p->touches[j - 1] = t;
        }
}

static void put_place(zl_state *w, zl_spot *p, int64_t base, bool tagged)
{
    put(w, p->any);
    put(w, p->any && tagged ? p->tag - base : 0);
    put(w, p->filled);
    put(w, p->unread);
    put(w, p->count);
    sort_touches(p);
    for (uint32_t k = 0; k < p->count; k++) put_touch(w, &p->touches[k]);
}

static void put_ring(zl_state *w, zl_spot *first, uint32_t rings, uint32_t stages,
                     const int32_t *ring)
{
    uint32_t slot = zl_state_slot(w, *ring, stages);
    int64_t base = base_of(w, ring[zl_rings(w->pipe)]);
    for (uint32_t k = 0; k < rings; k++)
        for (uint32_t d = 0; d < stages; d++)
            put_place(w, &first[k * stages + (slot + d) % stages], base, true);
}

static void put_places(zl_state *w)
{
    const zlay_pipe *p = w->pipe;
    const int32_t *smems = w->r->watch->rings + p->bars_count, *tmems = smems + p->smems_count;
    for (uint32_t s = 0; s < p->smems_count; s++)
        put_ring(w, &w->r->places[w->r->smem_at[s]], p->blocks * w->r->smem_each[s],
                 p->smems[s].stages, &smems[s]);
    for (uint32_t t = 0; t < p->tmems_count; t++)
        put_ring(w, &w->r->places[w->r->tmem_at[t]], p->blocks, p->tmems[t].stages,
                 &tmems[t]);
    for (uint32_t o = w->r->places_count - w->r->flags_count; o < w->r->places_count; o++)
        put_place(w, &w->r->places[o], 0, false);
    for (uint32_t k = 0; k < p->tmems_count * p->blocks; k++) {
        put(w, w->r->columns[k].allocated + 2 * w->r->columns[k].freed);
        if (w->r->columns[k].by.value) put_conds(w, w->r->columns[k].by);
        if (w->r->columns[k].freed) put_conds(w, w->r->columns[k].freed_by);
    }
    for (uint32_t b = 0; b < p->blocks; b++) put(w, w->r->relinquished[b]);
}

static void put_meetings(zl_state *w)
{
    for (uint32_t k = 0; k < w->r->meetings_count; k++) {
        put(w, w->r->meetings[k].pending);
        put(w, w->r->meetings[k].count);
    }
    for (uint32_t k = 0; k < w->r->flags_count; k++) {
        const zl_flag *f = &w->r->flags[k];
        int64_t most = 0;
        for (uint32_t t = 0; t < f->count; t++)
            if (f->threshold[t] > most) most = f->threshold[t];
        put(w, f->total < most ? f->total : most);
    }
}

static void put_all(zl_state *w)
{
    for (uint32_t k = 0; k < w->r->instances_count; k++) {
        put_instance(w, &w->r->instances[k]);
        put_sums(w, &w->r->instances[k]);
    }
    put_gates(w);
    put_places(w);
    put_meetings(w);
}

static uint64_t hash_of(const int32_t *values, size_t count)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t k = 0; k < count; k++) hash = (hash ^ (uint32_t)values[k]) * 1099511628211u;
    return hash;
}

size_t zl_state_write(zl_run *r, int32_t param, const zl_instance *leader, bool whole)
{
    zl_state w = {.r = r, .pipe = r->pipe, .out = r->watch->state, .room = r->watch->room};
    find_bases(&w, param, leader);
    zl_state_order(&w);
    zl_state_push(&w, 0); /* its size, and what makes it equal to no other */
    zl_state_push(&w, 0);
    put_all(&w);
    size_t first = w.need;
    if (first > w.room) return first;
    r->watch->hash = hash_of(w.out, first);
    if (!whole) return first;
    w.conds = true;
    put_all(&w);
    size_t most = zl_state_rank(&w, first);
    if (most > w.room) return most;
    r->watch->size = w.need;
    w.out[0] = (int32_t)w.need;
    return w.need;
}
