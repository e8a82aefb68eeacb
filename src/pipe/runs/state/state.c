/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the state of a run as a list of integers that are equal exactly where the futures are
 * equal, up to whole iterations: counters and indices relative to their group's base, rings
 * turned to it, mbarrier phases modulo 2, clock values as items to be ranked. state.h says
 * what the list is for. */
#include "base/arith.h"
#include "pipe/runs/state/clock.h"
#include "pipe/runs/state/state.h"

#include <string.h>

typedef struct state {
    zl_run *r;
    const zlay_pipe *pipe;
    zl_watch *watch;
    int32_t param; /* whose loops are counted from */
} state;

static void put(state *w, int64_t value) { w->watch->state[w->watch->size++] = (int32_t)value; }

/* Notes a value that clocks are compared with. */
static void put_item(state *w, int32_t comp, int32_t value)
{
    w->watch->items[w->watch->items_count++] = (zl_cond){w->watch->column[comp], value};
}

/* How many groups were committed after this one, as far as any wait tells them apart; 0: it is
 * complete. */
int32_t zl_state_behind(const zl_run *r, const zl_instance *i, int group, int32_t number)
{
    int32_t left = i->issued[group] + 1 - number;
    if (number <= i->done[group]) return 0;
    return 1 + (left > r->most_left[group] ? r->most_left[group] + 1 : left);
}

/* Writes a completion condition, with what stands for it behind fences. */
static void put_cond(state *w, zl_cond cond)
{
    const zl_run *r = w->r;
    const int32_t classes = (int32_t)r->classes_count;
    int32_t tensor = zl_comp_tensor(r, cond.comp);
    zl_counted of = r->counted[cond.comp];
    bool fenced = cond.comp < classes || of.group == ZL_OF_CPASYNC;
    put(w, w->watch->column[cond.comp]);
    put_item(w, cond.comp, cond.value);
    if (fenced) put_item(w, zl_comp_fenced(r, cond.comp), cond.value);
    if (tensor != cond.comp) put_item(w, tensor, cond.value);
    if (of.group >= 0)
        put(w, zl_state_behind(r, &r->instances[of.instance], of.group, cond.value));
}

/* ---- where positions are counted from ---- */

static int64_t base_of(const state *w, uint32_t group, int32_t param)
{
    return param >= 0 ? w->watch->bases[group * w->pipe->params_count + (uint32_t)param] : 0;
}

static uint32_t group_of(const state *w, uint32_t which, uint32_t block)
{
    return w->watch->ring_group[which * w->pipe->blocks + block];
}

/* The base of a ring's slots, in the order bars, smems, tmems, others. */
static int64_t ring_base(const state *w, uint32_t which, uint32_t block)
{
    return base_of(w, group_of(w, which, block), w->watch->rings[which]);
}

/* The base of a ring's indices. */
static int64_t tag_base(const state *w, uint32_t which, uint32_t block)
{
    return base_of(w, group_of(w, which, block), w->watch->rings[zl_rings(w->pipe) + which]);
}

static uint32_t slot_of(int64_t at, uint32_t stages)
{
    return (uint32_t)(at - zl_floor_div(at, stages) * stages);
}

/* A fixed ring whose indices grow: its slots and parities are the same again after two whole
 * rounds. */
static void put_still(state *w, uint32_t which, uint32_t block, uint32_t stages)
{
    int32_t tag = w->watch->rings[zl_rings(w->pipe) + which];
    if (w->watch->rings[which] >= 0 || tag < 0) return;
    for (int32_t p = 0; p < (int32_t)w->pipe->params_count; p++)
        if (p == tag || w->watch->rings[which] == ZL_MIXED)
            put(w, slot_of(base_of(w, group_of(w, which, block), p), 2 * stages));
}

/* Orders the mbarrier slots of each ring from its base on. */
static void order_components(state *w)
{
    zl_run *r = w->r;
    int32_t *order = w->watch->order, *column = w->watch->column;
    for (uint32_t b = 0; b < w->pipe->bars_count; b++) {
        uint32_t stages = w->pipe->bars[b].stages;
        int32_t first = r->mbars[r->mbar_at[b]].comp;
        for (uint32_t k = 0; k < w->pipe->blocks * stages; k++) {
            uint32_t slot = slot_of(ring_base(w, b, k / stages), stages);
            int32_t comp = first + (int32_t)(k / stages * stages + (slot + k % stages) % stages);
            order[(uint32_t)first + k] = comp;
            column[comp] = first + (int32_t)k;
        }
    }
}

/* ---- instances ---- */

static void put_groups(state *w, const zl_instance *i)
{
    for (int g = 0; g < ZL_GROUPS; g++) {
        if (g != ZL_OF_CPASYNC && w->r->group_at[g] < 0) continue;
        put(w, zl_state_behind(w->r, i, g, i->done[g] + 1));
        put(w, zl_state_behind(w->r, i, g, i->last[g]) * 2 + i->open[g]);
    }
}

static int32_t meeting_state(state *w, const zl_instance *i)
{
    if (i->meets < 0) return 0;
    const zl_meeting *m = zl_run_meeting(w->r, i, &w->pipe->events[i->pc]);
    return 1 + (i->meets < m->generation);
}

/* The base of a loop counter; loops of other params stay as they are unless their positions
 * grow with this one. */
static int64_t loop_base(const state *w, const zl_instance *i, uint32_t depth)
{
    const zl_event *loop = &w->pipe->events[i->loop[depth]];
    int32_t param = zl_loop_param(loop);
    bool moves = param == w->param || loop->at[0].times >= 0;
    return moves ? base_of(w, zl_watch_group(w->r, i), param) : 0;
}

/* Whether an instance may still come to a setmaxnreg. */
static bool sets_registers(const state *w, const zl_instance *i)
{
    uint32_t from = i->depth ? i->loop[0] : i->pc;
    for (uint32_t k = from; k < w->pipe->roles[i->role].end; k++)
        if (w->pipe->events[k].kind == ZL_EV_SETMAXNREG) return true;
    return false;
}

static void put_registers(state *w, const zl_instance *i)
{
    bool asked = i->set && sets_registers(w, i);
    put(w, i->registers * 2 + asked);
    for (uint32_t k = 0; asked && k < i->classes; k++)
        put_item(w, zl_comp_control(w->r, i->first + k), i->set);
}

static void put_instance(state *w, const zl_instance *i)
{
    int32_t joined = i->joined < 0 ? 0 : 1 + (i->joined < w->r->meetings->generation);
    put(w, i->pc);
    for (uint32_t d = 0; d < i->depth; d++) put(w, i->counter[d] - loop_base(w, i, d));
    put(w, meeting_state(w, i) * 8 + joined * 2 + (i->grid != 0));
    for (uint32_t k = 0; i->grid && k < i->classes; k++)
        put_item(w, zl_comp_control(w->r, i->first + k), i->grid);
    put_registers(w, i);
    put_groups(w, i);
}

/* Writes the factors of the last product, which only the next product of the same instance
 * asks about. An index farther back than any product reaches is equal to none of them. */
static void put_factors(state *w, const zl_factors *f)
{
    const int32_t *tags = w->watch->rings + zl_rings(w->pipe) + w->pipe->bars_count;
    put(w, f->by);
    if (f->by < 0) return;
    put(w, f->event);
    for (int k = 0; k < 2; k++) {
        if (f->of[k] < 0) put(w, zl_acc_current(w->r, &w->r->instances[f->by], f, k));
        if (f->of[k] < 0) continue;
        int64_t far = -w->r->reach - 1;
        int32_t param = tags[f->of[k]];
        const zl_instance *by = &w->r->instances[f->by];
        int64_t tag = f->tag[k] - (param < 0 ? 0 : zl_state_own_base(w->r, by, param));
        put(w, tag < far ? far : tag);
    }
}

static void put_accs(state *w, const zl_instance *i)
{
    for (uint32_t a = 0; a < w->pipe->accs_count; a++) {
        const zl_acc_state *s = zl_run_acc(w->r, i, (int32_t)a);
        put(w, s->state * 4 + s->unfenced * 2 + s->unread);
        put(w, s->kind * ZL_GROUPS + s->reader_kind);
        put(w, zl_state_behind(w->r, i, s->kind, s->group));
        put(w, zl_state_behind(w->r, i, s->reader_kind, s->reader));
        put(w, s->bytes);
        put_factors(w, &s->factors);
    }
}

/* ---- barriers ---- */

/* Writes epochs that may still be asked for. */
static void put_epochs(state *w, const zl_tick *epochs, bool asked)
{
    const uint32_t count = w->r->classes_count;
    for (uint32_t c = 0; asked && c < count; c++) asked = epochs[c] != ZL_NEVER;
    put(w, asked ? -1 : -2);
    for (uint32_t c = 0; asked && c < count; c++)
        if (epochs[c] > w->watch->least[c]) put(w, c), put_item(w, (int32_t)c, epochs[c]);
}

/* Writes an mbarrier slot. A waiter asks for the last phase but one only where it does not
 * know of it; an arriver asks for the last. */
static void put_mbar(state *w, const zl_mbar *g, int64_t rounds)
{
    if (g->idle) return;
    bool settled = zl_state_known_to_waiters(w->r, g) >= g->phase - 1;
    put(w, g->pending);
    put(w, g->tx);
    put(w, (g->phase - rounds) & 1);
    put_item(w, g->comp, g->phase);
    put(w, settled);
    if (!settled) put_item(w, g->comp, g->phase - 1);
    for (uint32_t c = 0; c < w->r->classes_count; c++) {
        if (g->passed[c] >= 0) put(w, c), put_item(w, zl_comp_control(w->r, c), g->passed[c]);
        if (g->expected[c] >= 0) put(w, ~(int64_t)c), put_item(w, (int32_t)c, g->expected[c]);
    }
    put_epochs(w, g->came[0], true);
    put_epochs(w, g->came[1], zl_state_known_to_comers(w->r, g) < g->phase);
    put_epochs(w, g->came[2], !settled);
}

/* Writes the slots in the order of their positions from the base on, less the position's
 * round. */
static void put_mbars(state *w)
{
    for (uint32_t b = 0; b < w->pipe->bars_count; b++) {
        uint32_t stages = w->pipe->bars[b].stages;
        int32_t ring = w->watch->rings[b];
        for (uint32_t k = 0; k < w->pipe->blocks; k++) put_still(w, b, k, stages);
        for (uint32_t k = 0; k < w->pipe->blocks * stages; k++) {
            int64_t at = ring_base(w, b, k / stages) + k % stages;
            put_mbar(w, zl_mbar_of(w->r, (int32_t)b, k / stages, slot_of(at, stages)),
                     ring >= 0 ? zl_floor_div(at, stages) : 0);
        }
    }
}

static void put_meetings(state *w)
{
    for (uint32_t k = 0; k < w->r->meetings_count; k++) {
        const zl_meeting *m = &w->r->meetings[k];
        put(w, m->pending);
        put(w, m->count);
        put_item(w, m->comp, m->generation);
    }
    for (uint32_t k = 0; k < w->r->flags_count; k++) {
        const zl_flag *f = &w->r->flags[k];
        int64_t most = f->count ? f->threshold[f->count - 1] : 0;
        put(w, f->total < most ? f->total : most);
        put_epochs(w, f->raised, f->total < most);
        for (uint32_t c = 0; f->total < most && c < w->r->classes_count; c++) put(w, f->open[c]);
        for (uint32_t t = 0; t < f->count; t++)
            put_epochs(w, f->made + (size_t)t * w->r->classes_count, f->threshold[t] <= f->total);
    }
}

/* ---- memory ---- */

static void put_access(state *w, const zl_mem_access *t)
{
    put(w, (t->instance * 4 + t->write * 2 + t->old) * 4 + (int32_t)t->proxy);
    put(w, t->event);
    put(w, t->part);
    for (uint32_t k = 0; k < t->conds; k++) {
        if (zl_state_is_past(w->r, t, t->cond[k])) put(w, -1);
        else put_cond(w, t->cond[k]);
    }
}

static void put_place(state *w, zl_shadow *p, int64_t base)
{
    put(w, p->count * 4 + p->any * 2 + p->unread);
    if (p->any) put(w, p->tag - base);
    put(w, p->filled);
    if (p->factors.by >= 0) put_factors(w, &p->factors);
    for (uint32_t k = 0; k < p->count; k++) put_access(w, &p->accesses[k]);
}

/* Writes the stages of a ring from the base on, `each` rings in each block. */
static void put_ring(state *w, zl_shadow *first, uint32_t each, uint32_t stages, uint32_t which)
{
    for (uint32_t block = 0; block < w->pipe->blocks; block++) {
        uint32_t slot = slot_of(ring_base(w, which, block), stages);
        int64_t tags = tag_base(w, which, block);
        put_still(w, which, block, stages);
        for (uint32_t k = 0; k < each * stages; k++)
            put_place(w, &first[k / stages * stages + (slot + k % stages) % stages], tags);
        first += each * stages;
    }
}

static void put_columns(state *w)
{
    const zlay_pipe *p = w->pipe;
    for (uint32_t k = 0; k < p->tmems_count * p->blocks; k++) {
        const zl_columns *c = &w->r->columns[k];
        put(w, c->allocated + 2 * c->freed + 4 * (c->by.value != 0));
        if (c->by.value) put_cond(w, c->by);
        if (c->freed) put_cond(w, c->freed_by);
    }
    for (uint32_t b = 0; b < p->blocks; b++) put(w, w->r->relinquished[b]);
}

static void put_places(state *w)
{
    const zlay_pipe *p = w->pipe;
    zl_run *r = w->r;
    uint32_t which = p->bars_count;
    for (uint32_t s = 0; s < p->smems_count; s++)
        put_ring(w, &r->places[r->smem_at[s]], r->smem_each[s], p->smems[s].stages, which++);
    for (uint32_t t = 0; t < p->tmems_count; t++)
        put_ring(w, &r->places[r->tmem_at[t]], 1, p->tmems[t].stages, which++);
    for (uint32_t o = 0; o < p->others_count; o++, which++) {
        put_still(w, which, 0, p->others[o].stages);
        for (uint32_t k = 0; k < r->other_slots[o]; k++)
            put_place(w, zl_other_place(r, (int32_t)o, k), tag_base(w, which, 0));
    }
    put_columns(w);
}

/* Writes what must be known at the end and is not known yet. */
static void put_debts(state *w)
{
    for (uint32_t b = 0; b < w->pipe->blocks; b++) {
        const zl_tick *known = zl_run_known_in(w->r, b);
        for (uint32_t k = 0; k < w->r->comps; k++) {
            int32_t comp = w->watch->order[k];
            zl_tick value = w->r->debt[(size_t)b * w->r->comps + (size_t)comp];
            if (value > known[comp]) put(w, k), put_item(w, comp, value);
        }
    }
}

/* Hashes the list with four interleaved FNV-1a sums; there is room for as many numbers more. */
static uint64_t hash_of(int32_t *values, size_t count)
{
    enum { SUMS = 4 };
    uint64_t sum[SUMS] = {1, 2, 3, 4}, hash = 14695981039346656037u;
    for (size_t k = 0; k < SUMS; k++) values[count + k] = 0;
    for (size_t k = 0; k < count; k += SUMS)
        for (size_t j = 0; j < SUMS; j++) {
            sum[j] = (sum[j] ^ (uint32_t)values[k + j]) * 1099511628211u;
            sum[j] ^= sum[j] >> 32;
        }
    for (size_t j = 0; j < SUMS; j++) hash = (hash ^ sum[j]) * 1099511628211u;
    return hash;
}

void zl_state_write(zl_run *r, int32_t param)
{
    state w = {.r = r, .pipe = r->pipe, .watch = r->watch, .param = param};
    r->watch->size = r->watch->items_count = 0;
    order_components(&w);
    for (uint32_t k = 0; k < r->instances_count; k++) {
        put_instance(&w, &r->instances[k]);
        put_accs(&w, &r->instances[k]);
    }
    put_mbars(&w);
    put_places(&w);
    put_meetings(&w);
    put_debts(&w);
    r->watch->hash = hash_of(r->watch->state, r->watch->size);
}
