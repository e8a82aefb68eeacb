/* SPDX-License-Identifier: Apache-2.0 */
/* Values of clocks and conditions of a state, each by its rank in its component. */
#include "pipe/run_state.h"

enum { DISTINCT = 256, FAR = 2, STEP = 8, EXACT = 1 << 20 };

void zl_state_order(zl_state *w)
{
    zl_run *r = w->r;
    int32_t *order = r->watch->order;
    for (uint32_t k = 0; k < r->comps; k++) order[k] = (int32_t)k;
    for (uint32_t b = 0; b < w->pipe->bars_count; b++) {
        uint32_t stages = w->pipe->bars[b].stages, slot = zl_state_slot(w, r->watch->rings[b], stages);
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
    bool full;
} ranks;

static void add(ranks *s, int32_t value)
{
    uint32_t k = 0;
    while (k < s->count && s->value[k] < value) k++;
    if (k < s->count && s->value[k] == value) return;
    s->full |= s->count == DISTINCT;
    if (s->full) return;
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
    static const int8_t groups[ZL_GROUP_COMPS + ZL_QUEUE_COMPS] = {
        ZL_OF_WGMMA, ZL_OF_WGMMA, ZL_OF_BULK, ZL_OF_BULK_READ, ZL_OF_TCGEN05, ZL_OF_TLD, ZL_OF_TLD,
        ZL_OF_TST,   ZL_OF_TST,   ZL_OF_TLD,  ZL_OF_TLD,       ZL_OF_TST,     ZL_OF_TST,
        ZL_OF_MEMORY, ZL_OF_MEMORY, ZL_OF_SHARED, ZL_OF_SHARED,
    };
    int32_t classes = (int32_t)r->classes_count, k = comp - ZL_CLASS_COMPS * classes;
    int32_t all = zl_group_comps(r) * (int32_t)r->instances_count, gates = (int32_t)r->gates_count;
    if (comp >= 2 * classes && comp < 4 * classes)
        return (kind){.groups = &r->instances[r->classes[comp % classes].instance],
                      .group = ZL_OF_CPASYNC};
    if (k < 0) return (kind){0};
    if (k < all)
        return (kind){.groups = &r->instances[k / zl_group_comps(r)],
                      .group = groups[k % zl_group_comps(r)]};
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
    if (k->groups) return worth + EXACT * zl_state_behind(r, k->groups, k->group, value);
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

static uint32_t rows_of_gates(zl_state *w, zl_tick **rows)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < w->pipe->bars_count; b++) {
        uint32_t stages = w->pipe->bars[b].stages;
        uint32_t first = zl_state_slot(w, w->r->watch->rings[b], stages);
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
static uint32_t find_rows(zl_state *w, zl_tick **rows)
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
static void link_items(zl_state *w, size_t first, size_t last)
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

static void rank_component(zl_state *w, uint32_t column, zl_tick **rows, uint32_t count)
{
    const zl_watch *all = w->r->watch;
    ranks s = {.count = 0};
    int32_t comp = all->order[column], head = all->column[w->r->comps + column];
    bool empty = head < 0 && is_empty(rows, count, comp);
    zl_state_push(w, empty);
    if (empty) return;
    const kind what = kind_of(w->r, comp);
    for (int32_t k = head; k >= 0; k = all->items[k]) add(&s, w->out[k + 1]);
    for (uint32_t k = 0; k < count; k++) add(&s, rows[k][comp]);
    if (s.full) w->out[1] = (int32_t)w->r->steps; /* too many to tell: equal to no other state */
    for (int32_t k = head; k >= 0; k = all->items[k])
        w->out[k + 1] = worth(w->r, &s, &what, w->out[k + 1]);
    for (uint32_t k = 0; k < count; k++) zl_state_push(w, worth(w->r, &s, &what, rows[k][comp]));
}

size_t zl_state_rank(zl_state *w, size_t first)
{
    zl_run *r = w->r;
    size_t last = w->need;
    uint32_t rows = find_rows(w, r->watch->rows);
    size_t most = last + ((size_t)rows + 1) * r->comps;
    if (most > w->room) return most;
    link_items(w, first, last);
    for (uint32_t column = 0; column < r->comps; column++)
        rank_component(w, column, r->watch->rows, rows);
    return w->need;
}
