/* SPDX-License-Identifier: Apache-2.0 */
#include "pipe/run_state.h"

#include <string.h>

enum { BASES = 64, DISTINCT = 256, FAR = 2, STEP = 8, EXACT = 1 << 20 };

/* A state is its structure, then its conditions, then the clocks; of the last two each value is
 * replaced by its rank among those of its component. */
typedef struct writer {
    zl_run *r;
    const zlay_pipe *pipe;
    int32_t *out;
    size_t room, need;
    bool conds;          /* conditions are being written, not the structure */
    int64_t base[BASES]; /* per param: where its positions are counted from */
} writer;

static void push(writer *w, int64_t value)
{
    if (w->need < w->room) w->out[w->need] = (int32_t)value;
    w->need++;
}

static void put(writer *w, int64_t value)
{
    if (!w->conds) push(w, value);
}

static void put_cond(writer *w, int32_t comp, int32_t value)
{
    if (!w->conds) return;
    push(w, w->r->watch->column[comp]);
    push(w, value);
}

/* A condition is asked of its component, and of what stands for it behind fences. */
static void put_conds(writer *w, zl_cond cond)
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

static void find_bases(writer *w, int32_t param, const zl_instance *leader)
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

static int64_t base_of(const writer *w, int32_t ring) { return ring >= 0 ? w->base[ring] : 0; }

/* A loop may begin below 0: rounds go down. */
static int64_t round_of(int64_t at, uint32_t stages)
{
    return at >= 0 ? at / stages : -((stages - 1 - at) / stages);
}

static uint32_t slot_of(int64_t at, uint32_t stages)
{
    return (uint32_t)(at - round_of(at, stages) * stages);
}

static uint32_t first_slot(const writer *w, int32_t ring, uint32_t stages)
{
    return slot_of(base_of(w, ring), stages);
}

/* ---- the structure ---- */

/* 0: over; else how many groups lie behind it, as far as a wait can tell. */
static int32_t behind(const zl_run *r, const zl_instance *i, int group, int32_t number)
{
    int32_t left = i->issued[group] + 1 - number;
    if (number <= i->done[group]) return 0;
    return 1 + (left > r->most_left ? r->most_left + 1 : left);
}

static void put_groups(writer *w, const zl_instance *i)
{
    for (int g = 0; g < ZL_GROUPS; g++) {
        put(w, behind(w->r, i, g, i->done[g] + 1));
        put(w, i->open[g]);
    }
}

static void put_instance(writer *w, const zl_instance *i)
{
    const zl_meeting *m = w->r->meetings;
    put(w, i->pc);
    put(w, i->depth);
    for (uint32_t d = 0; d < i->depth; d++)
        put(w, i->counter[d] - base_of(w, zl_loop_param(&w->pipe->events[i->loop[d]])));
    put(w, i->meets >= 0);
    put(w, i->joined < 0 ? 0 : 1 + (i->joined < m->generation));
    put(w, i->grid);
    put_groups(w, i);
}

static void put_sums(writer *w, const zl_instance *i)
{
    for (uint32_t a = 0; a < w->pipe->accs_count; a++) {
        const zl_sum *s = zl_run_sum(w->r, i, (int32_t)a);
        put(w, s->state);
        put(w, s->touched + 2 * s->unread);
        put(w, s->kind);
        put(w, behind(w->r, i, s->kind, s->group));
        put(w, s->reader_kind);
        put(w, behind(w->r, i, s->reader_kind, s->reader));
    }
}

static void put_gate(writer *w, const zl_gate *g, int64_t rounds)
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
static void put_gates(writer *w)
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

static void put_touch(writer *w, const zl_touch *t)
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

static void put_place(writer *w, zl_spot *p, int64_t base, bool tagged)
{
    put(w, p->any);
    put(w, p->any && tagged ? p->tag - base : 0);
    put(w, p->filled);
    put(w, p->unread);
    put(w, p->count);
    sort_touches(p);
    for (uint32_t k = 0; k < p->count; k++) put_touch(w, &p->touches[k]);
}

static void put_ring(writer *w, zl_spot *first, uint32_t rings, uint32_t stages,
                     const int32_t *ring)
{
    uint32_t slot = first_slot(w, *ring, stages);
    int64_t base = base_of(w, ring[zl_rings(w->pipe)]);
    for (uint32_t k = 0; k < rings; k++)
        for (uint32_t d = 0; d < stages; d++)
            put_place(w, &first[k * stages + (slot + d) % stages], base, true);
}

static void put_places(writer *w)
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

static void put_meetings(writer *w)
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

static void put_all(writer *w)
{
    for (uint32_t k = 0; k < w->r->instances_count; k++) {
        put_instance(w, &w->r->instances[k]);
        put_sums(w, &w->r->instances[k]);
    }
    put_gates(w);
    put_places(w);
    put_meetings(w);
}

/* ---- components in canonical order ---- */

static void order_components(writer *w)
{
    zl_run *r = w->r;
    int32_t *order = r->watch->order;
    for (uint32_t k = 0; k < r->comps; k++) order[k] = (int32_t)k;
    for (uint32_t b = 0; b < w->pipe->bars_count; b++) {
        uint32_t stages = w->pipe->bars[b].stages, slot = first_slot(w, r->watch->rings[b], stages);
        int32_t first = r->gates[r->gate_at[b]].comp;
        for (uint32_t k = 0; k < w->pipe->blocks * stages; k++)
            order[(uint32_t)first + k] =
                first + (int32_t)(k / stages * stages + (slot + k % stages) % stages);
    }
    for (uint32_t k = 0; k < r->comps; k++) r->watch->column[order[k]] = (int32_t)k;
}

/* ---- ranks ---- */

typedef struct ranks {
    int32_t value[DISTINCT];
    uint32_t count;
} ranks;

static void add(ranks *s, int32_t value)
{
    uint32_t k = 0;
    while (k < s->count && s->value[k] < value) k++;
    if ((k < s->count && s->value[k] == value) || s->count == DISTINCT) return;
    for (uint32_t j = s->count++; j > k; j--) s->value[j] = s->value[j - 1];
    s->value[k] = value;
}

static int32_t rank_of(const ranks *s, int32_t value)
{
    uint32_t k = 0;
    while (k < s->count && s->value[k] < value) k++;
    return (int32_t)k;
}

/* What a component is of, beside an order of values. */
typedef struct kind {
    const zl_instance *groups; /* a group of it */
    int group;
    const zl_gate *gate;
    const zl_meeting *meeting;
} kind;

static kind kind_of(const zl_run *r, int32_t comp)
{
    static const int8_t groups[ZL_GROUP_COMPS] = {
        ZL_OF_WGMMA, ZL_OF_WGMMA, ZL_OF_BULK, ZL_OF_BULK_READ, ZL_OF_TCGEN05, ZL_OF_TLD, ZL_OF_TLD,
        ZL_OF_TST,   ZL_OF_TST,   ZL_OF_TLD,  ZL_OF_TLD,       ZL_OF_TST,     ZL_OF_TST,
    };
    int32_t classes = (int32_t)r->classes_count, k = comp - ZL_CLASS_COMPS * classes;
    int32_t all = ZL_GROUP_COMPS * (int32_t)r->instances_count, gates = (int32_t)r->gates_count;
    if (comp >= 2 * classes && comp < 4 * classes)
        return (kind){.groups = &r->instances[r->classes[comp % classes].instance],
                      .group = ZL_OF_CPASYNC};
    if (k < 0) return (kind){0};
    if (k < all)
        return (kind){.groups = &r->instances[k / ZL_GROUP_COMPS],
                      .group = groups[k % ZL_GROUP_COMPS]};
    if (k < all + gates) return (kind){.gate = &r->gates[k - all]};
    if (k < all + gates + (int32_t)r->meetings_count)
        return (kind){.meeting = &r->meetings[k - all - gates]};
    return (kind){0};
}

/* A value of a barrier also says how far behind its phase it is, one of a group that is not over which it
 * is, one of a meeting whether it is of the last. */
static int32_t worth(const zl_run *r, const ranks *s, const kind *k, int32_t value)
{
    int32_t worth = STEP * rank_of(s, value);
    if (k->groups) return worth + EXACT * behind(r, k->groups, k->group, value);
    if (k->meeting) return worth + (k->meeting->generation == value);
    if (!k->gate) return worth;
    int32_t late = k->gate->phase - value;
    return worth + (late > FAR ? FAR : late < 0 ? FAR + 1 : late);
}

size_t zl_state_rows(const zl_run *r)
{
    return 4 * (size_t)r->classes_count + 3 * (size_t)r->gates_count + 2 * (size_t)r->meetings_count +
           (ZL_THRESHOLDS + 1) * (size_t)r->flags_count + r->pipe->blocks + 1;
}

static uint32_t rows_of_gates(writer *w, zl_tick **rows)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < w->pipe->bars_count; b++) {
        uint32_t stages = w->pipe->bars[b].stages;
        uint32_t first = first_slot(w, w->r->watch->rings[b], stages);
        for (uint32_t k = 0; k < w->pipe->blocks * stages; k++) {
            const zl_gate *g =
                zl_gate_of(w->r, (int32_t)b, k / stages, (first + k % stages) % stages);
            rows[count++] = g->done;
            rows[count++] = g->sum;
            rows[count++] = g->arrived;
        }
    }
    return count;
}

/* The clocks in canonical order. */
static uint32_t find_rows(writer *w, zl_tick **rows)
{
    const zl_run *r = w->r;
    uint32_t count = 0;
    for (uint32_t k = 0; k < r->classes_count; k++) {
        const zl_class *c = &r->classes[k];
        rows[count++] = c->clock;
        rows[count++] = c->own;
        if (w->pipe->tmems_count) rows[count++] = c->after;
        if (w->pipe->others_count) rows[count++] = c->mapped;
    }
    count += rows_of_gates(w, rows + count);
    for (uint32_t k = 0; k < r->meetings_count; k++) {
        rows[count++] = r->meetings[k].done;
        rows[count++] = r->meetings[k].sum;
    }
    for (uint32_t k = 0; k < r->flags_count; k++) {
        for (uint32_t t = 0; t < r->flags[k].count; t++) rows[count++] = r->flags[k].at[t];
        rows[count++] = r->flags[k].sum;
    }
    for (uint32_t b = 0; b < w->pipe->blocks; b++) rows[count++] = r->debt + (size_t)b * r->comps;
    return count;
}

/* The conditions of each component as a list, from the second half of `column` on. */
static void link_items(writer *w, size_t first, size_t last)
{
    int32_t *head = w->r->watch->column + w->r->comps;
    for (uint32_t k = 0; k < w->r->comps; k++) head[k] = -1;
    for (size_t k = first; k < last; k += 2) {
        w->r->watch->items[k] = head[w->out[k]];
        head[w->out[k]] = (int32_t)k;
    }
}

static bool is_empty(zl_tick **rows, uint32_t count, int32_t comp)
{
    int32_t any = 0;
    for (uint32_t k = 0; k < count; k++) any |= rows[k][comp];
    return !any;
}

static void rank_component(writer *w, uint32_t column, zl_tick **rows, uint32_t count)
{
    const zl_watch *all = w->r->watch;
    ranks s = {.count = 0};
    int32_t comp = all->order[column], head = all->column[w->r->comps + column];
    bool empty = head < 0 && is_empty(rows, count, comp);
    push(w, empty);
    if (empty) return;
    const kind what = kind_of(w->r, comp);
    for (int32_t k = head; k >= 0; k = all->items[k]) add(&s, w->out[k + 1]);
    for (uint32_t k = 0; k < count; k++) add(&s, rows[k][comp]);
    for (int32_t k = head; k >= 0; k = all->items[k])
        w->out[k + 1] = worth(w->r, &s, &what, w->out[k + 1]);
    for (uint32_t k = 0; k < count; k++) push(w, worth(w->r, &s, &what, rows[k][comp]));
}

static uint64_t hash_of(const int32_t *values, size_t count)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t k = 0; k < count; k++) hash = (hash ^ (uint32_t)values[k]) * 1099511628211u;
    return hash;
}

size_t zl_state_write(zl_run *r, int32_t param, const zl_instance *leader, bool whole)
{
    writer w = {.r = r, .pipe = r->pipe, .out = r->watch->state, .room = r->watch->room};
    find_bases(&w, param, leader);
    order_components(&w);
    push(&w, 0);
    put_all(&w);
    size_t first = w.need;
    if (first > w.room) return first;
    r->watch->hash = hash_of(w.out, first);
    if (!whole) return first;
    w.conds = true;
    put_all(&w);
    size_t last = w.need;
    uint32_t rows = find_rows(&w, r->watch->rows);
    size_t most = last + ((size_t)rows + 1) * r->comps;
    if (most > w.room) return most;
    link_items(&w, first, last);
    for (uint32_t column = 0; column < r->comps; column++)
        rank_component(&w, column, r->watch->rows, rows);
    r->watch->size = w.need;
    w.out[0] = (int32_t)w.need;
    return w.need;
}
