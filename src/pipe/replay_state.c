/* SPDX-License-Identifier: Apache-2.0 */
/* A state of a run as numbers: all that may change, indices counted from a loop's counter, rings
 * from where that stands, operations named in the order in which they are met, and last who knows
 * which. Two moments with equal numbers have the same future, but for turned rings. What is not met
 * here cannot matter, and is forgotten. */
#include "pipe/replay_same.h"

static void put(zl_rp_sheet *w, int64_t value)
{
    if (w->marking) return;
    if (w->need < w->room) w->out[w->need] = value;
    w->need++;
}

static int64_t base_of(zl_replay *c, const zl_rp_sheet *w, uint32_t ring, uint32_t block)
{
    uint32_t first = c->ring_first[ring * c->blocks + block];
    return w->marking
               ? 0
               : zl_rp_ring_turn(c, w->claim, ring, zl_rp_counter(c, w->claim, first, -1), -1);
}

static void put_name(zl_rp_sheet *w, int32_t item)
{
    if (item >= 0 && w->names[item] < 0) w->names[item] = w->named++;
    put(w, item < 0 ? item : w->names[item]);
}

/* An operation with what it is, when it is met first. */
static void put_item(zl_replay *c, zl_rp_sheet *w, int32_t item)
{
    bool met = item < 0 || w->names[item] >= 0;
    put_name(w, item);
    if (met) return;
    const zl_rp_item *it = &c->items[item];
    put(w, (int64_t)it->kind + 16 * it->told);
    put(w, it->thread);
    put_name(w, it->fenced);
    if (it->kind < ZL_RP_GROUPS)
        put(w, zl_rp_behind(c, &c->instances[c->threads[it->thread].instance], (int)it->kind,
                            it->number));
}

/* ---- instances ---- */

static void put_waiting(zl_replay *c, zl_rp_sheet *w, const zl_rp_instance *i)
{
    bool waits = i->meets >= 0;
    put(w,
        waits ? 1 + (zl_rp_meeting_of(c, i, &c->pipe->events[i->pc])->generation > i->meets) : 0);
    put(w, i->joined < 0 ? 0 : 1 + (c->meetings->generation > i->joined));
    put(w, i->grid);
    put(w, i->registers);
}

static void put_loops(zl_replay *c, zl_rp_sheet *w, const zl_rp_instance *i)
{
    put(w, i->pc);
    for (uint32_t d = 0; d < i->depth && !w->marking; d++) {
        int64_t base = zl_rp_counter(c, w->claim, c->first[i - c->instances], -1);
        put(w, i->counter[d] - zl_rp_loop_turn(c, w->claim, i->loop[d], base, -1));
        for (uint32_t k = 0; k < c->claims_count; k++) put(w, k != w->claim && i->found[k][d]);
    }
}

static void put_groups(zl_replay *c, zl_rp_sheet *w, const zl_rp_instance *i)
{
    for (int k = 0; k < ZL_RP_GROUPS; k++) {
        put(w, zl_rp_behind(c, i, k, i->done[k] + 1));
        put(w, zl_rp_behind(c, i, k, i->last[k]));
        put(w, i->open[k]);
        for (uint32_t t = 0; t < i->threads; t++) put_item(c, w, i->opening[k][t]);
    }
}

/* Which ring a place is of, which copy of it, and in which block that is. */
static uint32_t ring_of(const zl_replay *c, uint32_t place, uint32_t *copy, uint32_t *block)
{
    const zlay_pipe *p = c->pipe;
    uint32_t smem = p->smems_count, tmem = p->tmems_count;
    while (smem > 0 && (place < c->smem_at[smem - 1] || (p->tmems_count && place >= c->tmem_at[0])))
        smem--;
    while (tmem > 0 && place < c->tmem_at[tmem - 1]) tmem--;
    *copy = tmem ? (place - c->tmem_at[tmem - 1]) / p->tmems[tmem - 1].stages
                 : (place - c->smem_at[smem - 1]) / p->smems[smem - 1].stages;
    *block = tmem ? *copy : *copy / c->smem_each[smem - 1];
    return tmem ? zl_rp_ring_tmem(c, (int32_t)tmem - 1) : zl_rp_ring_smem(c, (int32_t)smem - 1);
}

static void put_factors(zl_replay *c, zl_rp_sheet *w, const zl_rp_factors *f)
{
    for (int k = 0; k < 2 && !w->marking; k++) {
        uint32_t copy = 0, block = 0;
        uint32_t ring = f->place[k] < 0 ? 0 : ring_of(c, (uint32_t)f->place[k], &copy, &block);
        put(w, f->place[k] < 0 ? f->place[k] : (int64_t)ring);
        put(w, copy);
        put(w, f->place[k] < 0 ? 0 : f->index[k] - base_of(c, w, ring, block));
    }
}

static void put_sums(zl_replay *c, zl_rp_sheet *w, const zl_rp_instance *i)
{
    for (uint32_t a = 0; a < c->pipe->accs_count; a++) {
        const zl_rp_sum *s = zl_rp_sum_of(c, i, (int32_t)a);
        put(w, s->state + 4 * s->unread + 8 * s->touched);
        put(w, s->kind);
        put(w, zl_rp_behind(c, i, s->kind, s->group));
        put(w, s->reader_kind);
        put(w, zl_rp_behind(c, i, s->reader_kind, s->reader));
        put(w, s->bytes);
        put_factors(c, w, &s->factors);
    }
}

/* ---- barriers ---- */

static int64_t floor_of(int64_t at, uint32_t stages)
{
    return at >= 0 ? at / stages : -((stages - 1 - at) / stages);
}

static uint32_t slot_of(int64_t at, uint32_t stages)
{
    return (uint32_t)(at - floor_of(at, stages) * stages);
}

static zl_rp_gate *gate_at(zl_replay *c, const zl_rp_sheet *w, uint32_t bar, uint32_t k,
                           int64_t *round)
{
    uint32_t stages = c->pipe->bars[bar].stages;
    int64_t at = base_of(c, w, bar, k / stages) + k % stages;
    *round = floor_of(at, stages);
    return &c->gates[c->gate_at[bar] + k / stages * stages + slot_of(at, stages)];
}

/* Who comes asks for the last phase alone, and who waits for the one before only where it does not
 * know of the last. */
static void settle(const zl_replay *c, zl_rp_gate *g)
{
    if (zl_rp_all_know(c, g, ZL_RP_NAMES, false)) g->shown[0] = false;
    if (!zl_rp_all_know(c, g, ZL_RP_WAITS, true)) return;
    g->last[1] = -1;
    g->shown[1] = false;
}

static void put_arrivals(zl_replay *c, zl_rp_sheet *w, const zl_rp_gate *g)
{
    for (uint32_t which = 0; which < 2; which++) {
        size_t at = (size_t)which * c->gates_count + (size_t)(g - c->gates);
        put(w, g->shown[which]);
        for (uint32_t t = 0; g->shown[which] && t < c->threads_count; t++)
            put_item(c, w, c->were[at * c->threads_count + t]);
    }
}

static void put_gate(zl_replay *c, zl_rp_sheet *w, zl_rp_gate *g, int64_t round)
{
    size_t at = (size_t)(g - c->gates);
    settle(c, g);
    put(w, g->hidden);
    put_arrivals(c, w, g);
    put(w, g->pending);
    put(w, g->tx);
    put(w, g->idle ? 0 : (g->phase - round) & 1);
    put_item(c, w, g->last[0]);
    put_item(c, w, g->last[1]);
    put_item(c, w, g->next);
    for (uint32_t t = 0; t < c->threads_count; t++)
        put_item(c, w, c->passed[at * c->threads_count + t]);
    for (uint32_t t = 0; t < c->threads_count; t++)
        put_item(c, w, c->came[at * c->threads_count + t]);
    for (uint32_t n = 0; n < c->instances_count; n++)
        put_item(c, w, c->expected[at * c->instances_count + n]);
}

static void put_gates(zl_replay *c, zl_rp_sheet *w)
{
    int64_t round;
    for (uint32_t b = 0; b < c->pipe->bars_count; b++)
        for (uint32_t k = 0; k < c->blocks * c->pipe->bars[b].stages; k++) {
            zl_rp_gate *g = gate_at(c, w, b, k, &round);
            put_gate(c, w, g, round);
        }
}

/* ---- places ---- */

static bool comes_first(const zl_rp_use *a, const zl_rp_use *b)
{
    if (a->old != b->old) return b->old;
    if (a->instance != b->instance) return a->instance < b->instance;
    return a->event != b->event ? a->event < b->event : a->part < b->part;
}

static void sort_uses(zl_rp_place *p)
{
    for (uint32_t k = 1; k < p->count; k++)
        for (uint32_t j = k; j > 0 && comes_first(&p->uses[j], &p->uses[j - 1]); j--) {
            zl_rp_use use = p->uses[j];
            p->uses[j] = p->uses[j - 1];
            p->uses[j - 1] = use;
        }
}

static void put_use(zl_replay *c, zl_rp_sheet *w, const zl_rp_use *use)
{
    put(w, use->instance);
    put(w, use->event);
    put(w, use->part);
    put(w, use->bytes);
    put(w, (int64_t)use->proxy + 4 * use->write + 8 * use->old);
    put(w, use->count);
    for (uint32_t k = 0; k < use->count; k++) put_item(c, w, use->over[k]);
}

static void put_place(zl_replay *c, zl_rp_sheet *w, zl_rp_place *p, int64_t base)
{
    zl_rp_drop_past(c, p);
    put(w, p->any + 2 * p->unread);
    put(w, p->any ? p->index - base : 0);
    put(w, p->filled);
    put(w, p->count);
    put_factors(c, w, &p->factors);
    sort_uses(p);
    for (uint32_t k = 0; k < p->count; k++) put_use(c, w, &p->uses[k]);
}

/* In one block. */
static void put_ring(zl_replay *c, zl_rp_sheet *w, uint32_t first, uint32_t copies, uint32_t stages,
                     int64_t base, bool indexed)
{
    for (uint32_t k = 0; k < copies * stages; k++)
        put_place(c, w,
                  &c->places[first + k / stages * stages + slot_of(base + k % stages, stages)],
                  indexed ? base : 0);
}

/* A map is written as a whole, whatever its index. */
static void put_places(zl_replay *c, zl_rp_sheet *w)
{
    const zlay_pipe *p = c->pipe;
    for (uint32_t s = 0; s < p->smems_count; s++)
        for (uint32_t b = 0; b < c->blocks; b++)
            put_ring(c, w, c->smem_at[s] + b * c->smem_each[s] * p->smems[s].stages,
                     c->smem_each[s], p->smems[s].stages,
                     base_of(c, w, zl_rp_ring_smem(c, (int32_t)s), b), true);
    for (uint32_t t = 0; t < p->tmems_count; t++)
        for (uint32_t b = 0; b < c->blocks; b++)
            put_ring(c, w, c->tmem_at[t] + b * p->tmems[t].stages, 1, p->tmems[t].stages,
                     base_of(c, w, zl_rp_ring_tmem(c, (int32_t)t), b), true);
    for (uint32_t o = 0; o < p->others_count; o++)
        put_ring(c, w, c->other_at[o], 1, p->others[o].stages,
                 base_of(c, w, zl_rp_ring_other(c, (int32_t)o), 0),
                 p->others[o].sort != ZL_OTHER_MAP);
}

static void put_columns(zl_replay *c, zl_rp_sheet *w)
{
    for (uint32_t k = 0; k < c->pipe->tmems_count * c->blocks; k++) {
        const zl_rp_columns *s = &c->columns[k];
        put(w, s->allocated + 2 * s->freed);
        if (s->allocated) put_item(c, w, s->by);
        if (s->freed) put_item(c, w, s->freed_by);
    }
    for (uint32_t b = 0; b < c->blocks; b++) put(w, c->relinquished[b]);
}

/* ---- meetings, flags, debts ---- */

static void put_meetings(zl_replay *c, zl_rp_sheet *w)
{
    for (uint32_t k = 0; k < c->meetings_count; k++) {
        put(w, c->meetings[k].pending);
        put(w, c->meetings[k].pending ? c->meetings[k].count : 0);
        put_item(c, w, c->meetings[k].last);
    }
}

/* Flags in the order of their rings. */
static zl_rp_flag *flag_at(zl_replay *c, const zl_rp_sheet *w, uint32_t other, uint32_t k)
{
    uint32_t stages = c->pipe->others[other].stages;
    int64_t base = base_of(c, w, zl_rp_ring_other(c, (int32_t)other), 0);
    return &c->flags[c->other_at[other] - (c->places_count - c->flags_count) +
                     slot_of(base + k, stages)];
}

/* Raises behind the greatest value that is awaited are asked for by nobody. */
static void put_flag(zl_replay *c, zl_rp_sheet *w, const zl_rp_flag *f)
{
    size_t at = (size_t)(f - c->flags) * c->instances_count;
    int64_t most = 0;
    for (uint32_t k = 0; k < f->count; k++) {
        const int32_t *made = c->made + at * ZL_RP_VALUES + (size_t)k * c->instances_count;
        if (f->value[k] > most) most = f->value[k];
        put_item(c, w, f->reached[k]);
        for (uint32_t n = 0; n < c->instances_count; n++) put_item(c, w, made[n]);
    }
    put(w, f->total < most ? f->total : most);
    for (uint32_t n = 0; f->total < most && n < c->instances_count; n++) {
        put_item(c, w, c->raised[at + n]);
        put(w, c->open[at + n]);
    }
}

/* What somebody of the block knows is paid for good. */
static void put_debt(zl_replay *c, zl_rp_sheet *w, uint32_t block, uint32_t at)
{
    zl_rp_debt *d = &c->debts[block * (c->threads_count + c->gates_count) + at];
    if (d->owed && zl_rp_is_paid(c, block, d)) d->owed = false;
    put(w, d->owed);
    if (d->owed) put_item(c, w, d->item);
}

static void put_debts(zl_replay *c, zl_rp_sheet *w, uint32_t block)
{
    int64_t round;
    for (uint32_t t = 0; t < c->threads_count; t++) put_debt(c, w, block, t);
    for (uint32_t b = 0; b < c->pipe->bars_count; b++)
        for (uint32_t k = 0; k < c->blocks * c->pipe->bars[b].stages; k++)
            put_debt(c, w, block,
                     c->threads_count + (uint32_t)(gate_at(c, w, b, k, &round) - c->gates));
}

/* ---- who knows ---- */

static void put_set(zl_replay *c, zl_rp_sheet *w, uint32_t set, const int32_t *met)
{
    uint32_t bits = 0;
    for (int32_t k = 0; k < w->named; k++) {
        bits |= (uint32_t)zl_rp_has(c, set, met[k]) << k % 31;
        if (k % 31 == 30 || k + 1 == w->named) {
            put(w, bits);
            bits = 0;
        }
    }
}

static void put_gate_sets(zl_replay *c, zl_rp_sheet *w, const zl_rp_gate *g, const int32_t *met)
{
    bool heard = zl_rp_is_heard(c, g);
    put(w, heard);
    if (!heard) put_set(c, w, zl_rp_gate_set(c, g, ZL_RP_DONE), met);
    put_set(c, w, zl_rp_gate_set(c, g, ZL_RP_SUM), met);
    put_set(c, w, zl_rp_gate_set(c, g, ZL_RP_ARRIVED), met);
}

static void put_sets(zl_replay *c, zl_rp_sheet *w)
{
    int64_t round;
    int32_t *met = c->met;
    for (uint32_t k = 0; k < c->words * 64; k++)
        if (w->names[k] >= 0) met[w->names[k]] = (int32_t)k;
    for (uint32_t s = 0; s < ZL_RP_OF_THREAD * c->threads_count; s++) put_set(c, w, s, met);
    for (uint32_t b = 0; b < c->pipe->bars_count; b++)
        for (uint32_t k = 0; k < c->blocks * c->pipe->bars[b].stages; k++)
            put_gate_sets(c, w, gate_at(c, w, b, k, &round), met);
    for (uint32_t k = 0; k < c->meetings_count; k++)
        for (uint32_t s = 0; s < ZL_RP_OF_MEETING; s++)
            put_set(c, w, zl_rp_meeting_set(c, &c->meetings[k], s), met);
    for (uint32_t o = 0; o < c->pipe->others_count; o++)
        for (uint32_t k = 0; k < c->pipe->others[o].stages; k++)
            for (uint32_t s = 0; s < ZL_RP_OF_FLAG; s++)
                put_set(c, w, zl_rp_flag_set(c, flag_at(c, w, o, k), s), met);
}

/* First what is no part of it: the counter that each instance's group is counted from. */
void zl_rp_state(zl_replay *c, zl_rp_sheet *w)
{
    zl_rp_hear(c);
    for (uint32_t n = 0; !w->marking && n < c->instances_count; n++)
        put(w, zl_rp_counter(c, w->claim, c->first[n], -1));
    for (zl_rp_instance *i = c->instances; i < c->instances + c->instances_count; i++) {
        put_loops(c, w, i);
        put_waiting(c, w, i);
        put_groups(c, w, i);
        put_sums(c, w, i);
    }
    put_gates(c, w);
    put_places(c, w);
    put_columns(c, w);
    put_meetings(c, w);
    for (uint32_t o = 0; o < c->pipe->others_count; o++)
        for (uint32_t k = 0; k < c->pipe->others[o].stages; k++)
            put_flag(c, w, flag_at(c, w, o, k));
    for (uint32_t b = 0; b < c->blocks; b++) put_debts(c, w, b);
    if (!w->marking) put_sets(c, w);
}
