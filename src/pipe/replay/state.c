/* SPDX-License-Identifier: Apache-2.0 */
/* A state of a run as numbers: all that may change, indices counted from a loop's counter, rings
 * from where that stands, operations named in the order in which they are met, and last who knows
 * which. Two moments with equal numbers have the same future, but for turned rings. What is not met
 * here cannot matter, and is forgotten. */
#include "pipe/replay/sheet.h"

/* ---- instances ---- */

/* Whether a setmaxnreg comes again, or another one. */
static bool sets_registers(const zl_replay *c, const zl_rp_instance *i)
{
    uint32_t from = i->depth ? i->loop[0] : i->pc;
    while (from < i->role->end && c->pipe->events[from].kind != ZL_EV_SETMAXNREG) from++;
    return from < i->role->end;
}

static void put_registers(zl_replay *c, zl_rp_sheet *w, zl_rp_instance *i)
{
    zl_sheet_put(w, i->registers);
    for (uint32_t t = 0; t < i->threads; t++) {
        if (!sets_registers(c, i)) i->set[t] = -1;
        zl_sheet_item(c, w, i->set[t]);
    }
}

static void put_waiting(zl_replay *c, zl_rp_sheet *w, const zl_rp_instance *i)
{
    bool waits = i->meets >= 0;
    const zl_rp_meeting *at = waits ? zl_rp_meeting_of(c, i, &c->pipe->events[i->pc]) : NULL;
    zl_sheet_put(w, at ? 1 + (at->generation > i->meets) : 0);
    zl_sheet_put(w, i->joined < 0 ? 0 : 1 + (c->meetings->generation > i->joined));
    zl_sheet_put(w, i->grid);
    for (uint32_t t = 0; i->grid && t < i->threads; t++) zl_sheet_item(c, w, i->grids[t]);
}

static void put_loops(zl_replay *c, zl_rp_sheet *w, const zl_rp_instance *i)
{
    zl_sheet_put(w, i->pc);
    for (uint32_t d = 0; d < i->depth && !w->marking; d++) {
        int64_t base = zl_rp_counter(c, w->claim, c->first[i - c->instances], -1);
        zl_sheet_put(w, i->counter[d] - zl_rp_loop_turn(c, w->claim, i->loop[d], base, -1));
        for (uint32_t k = 0; k < c->claims_count; k++)
            zl_sheet_put(w, k != w->claim && i->found[k][d]);
    }
}

static void put_groups(zl_replay *c, zl_rp_sheet *w, const zl_rp_instance *i)
{
    for (int k = 0; k < ZL_RP_GROUPS; k++) {
        zl_sheet_put(w, zl_rp_behind(c, i, k, i->done[k] + 1));
        zl_sheet_put(w, zl_rp_behind(c, i, k, i->last[k]));
        zl_sheet_put(w, i->open[k]);
        for (uint32_t t = 0; t < i->threads; t++) zl_sheet_item(c, w, i->opening[k][t]);
    }
}

static void put_sums(zl_replay *c, zl_rp_sheet *w, const zl_rp_instance *i)
{
    for (uint32_t a = 0; a < c->pipe->accs_count; a++) {
        const zl_rp_sum *s = zl_rp_sum_of(c, i, (int32_t)a);
        zl_sheet_put(w, s->state + 4 * s->unread + 8 * s->touched);
        zl_sheet_put(w, s->kind);
        zl_sheet_put(w, zl_rp_behind(c, i, s->kind, s->group));
        zl_sheet_put(w, s->reader_kind);
        zl_sheet_put(w, zl_rp_behind(c, i, s->reader_kind, s->reader));
        zl_sheet_put(w, s->bytes);
        zl_sheet_factors(c, w, &s->factors);
    }
}

/* ---- barriers ---- */

static zl_rp_gate *gate_at(zl_replay *c, const zl_rp_sheet *w, uint32_t bar, uint32_t k,
                           int64_t *round)
{
    uint32_t stages = c->pipe->bars[bar].stages;
    int64_t at = zl_sheet_base(c, w, bar, k / stages) + k % stages;
    *round = zl_sheet_round(at, stages);
    return &c->gates[c->gate_at[bar] + k / stages * stages + zl_sheet_slot(at, stages)];
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
        zl_sheet_put(w, g->shown[which]);
        for (uint32_t t = 0; g->shown[which] && t < c->threads_count; t++)
            zl_sheet_item(c, w, c->were[at * c->threads_count + t]);
    }
}

static void put_gate(zl_replay *c, zl_rp_sheet *w, zl_rp_gate *g, int64_t round)
{
    size_t at = (size_t)(g - c->gates);
    settle(c, g);
    zl_sheet_put(w, g->hidden);
    put_arrivals(c, w, g);
    zl_sheet_put(w, g->pending);
    zl_sheet_put(w, g->tx);
    zl_sheet_put(w, g->idle ? 0 : (g->phase - round) & 1);
    zl_sheet_item(c, w, g->last[0]);
    zl_sheet_item(c, w, g->last[1]);
    zl_sheet_item(c, w, g->next);
    for (uint32_t t = 0; t < c->threads_count; t++)
        zl_sheet_item(c, w, c->passed[at * c->threads_count + t]);
    for (uint32_t t = 0; t < c->threads_count; t++)
        zl_sheet_item(c, w, c->came[at * c->threads_count + t]);
    for (uint32_t n = 0; n < c->instances_count; n++)
        zl_sheet_item(c, w, c->expected[at * c->instances_count + n]);
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

/* ---- meetings, flags, debts ---- */

static void put_meetings(zl_replay *c, zl_rp_sheet *w)
{
    for (uint32_t k = 0; k < c->meetings_count; k++) {
        const zl_rp_meeting *m = &c->meetings[k];
        zl_sheet_put(w, m->pending);
        zl_sheet_put(w, m->pending ? 2 * m->count + m->block : 0);
        zl_sheet_item(c, w, m->last);
    }
}

/* Flags in the order of their rings. */
static zl_rp_flag *flag_at(zl_replay *c, const zl_rp_sheet *w, uint32_t other, uint32_t k)
{
    uint32_t stages = c->pipe->others[other].stages;
    int64_t base = zl_sheet_base(c, w, zl_rp_ring_other(c, (int32_t)other), 0);
    return &c->flags[c->other_at[other] - (c->places_count - c->flags_count) +
                     zl_sheet_slot(base + k, stages)];
}

/* Raises behind the greatest value that is awaited are asked for by nobody. */
static void put_flag(zl_replay *c, zl_rp_sheet *w, const zl_rp_flag *f)
{
    size_t at = (size_t)(f - c->flags) * c->instances_count;
    int64_t most = 0;
    for (uint32_t k = 0; k < f->count; k++) {
        const int32_t *made = c->made + at * ZL_RP_VALUES + (size_t)k * c->instances_count;
        if (f->value[k] > most) most = f->value[k];
        zl_sheet_item(c, w, f->reached[k]);
        for (uint32_t n = 0; n < c->instances_count; n++) zl_sheet_item(c, w, made[n]);
    }
    zl_sheet_put(w, f->total < most ? f->total : most);
    for (uint32_t n = 0; f->total < most && n < c->instances_count; n++) {
        zl_sheet_item(c, w, c->raised[at + n]);
        zl_sheet_put(w, c->open[at + n]);
    }
}

/* What somebody of the block knows is paid for good. */
static void put_debt(zl_replay *c, zl_rp_sheet *w, uint32_t block, uint32_t at)
{
    zl_rp_debt *d = &c->debts[block * (c->threads_count + c->gates_count) + at];
    if (d->owed && zl_rp_is_paid(c, block, d)) d->owed = false;
    zl_sheet_put(w, d->owed);
    if (d->owed) zl_sheet_item(c, w, d->item);
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
            zl_sheet_put(w, bits);
            bits = 0;
        }
    }
}

static void put_gate_sets(zl_replay *c, zl_rp_sheet *w, const zl_rp_gate *g, const int32_t *met)
{
    bool heard = zl_rp_is_heard(c, g);
    zl_sheet_put(w, heard);
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
        zl_sheet_put(w, zl_rp_counter(c, w->claim, c->first[n], -1));
    for (zl_rp_instance *i = c->instances; i < c->instances + c->instances_count; i++) {
        put_loops(c, w, i);
        put_waiting(c, w, i);
        put_registers(c, w, i);
        put_groups(c, w, i);
        put_sums(c, w, i);
    }
    put_gates(c, w);
    zl_sheet_places(c, w);
    zl_sheet_columns(c, w);
    put_meetings(c, w);
    for (uint32_t o = 0; o < c->pipe->others_count; o++)
        for (uint32_t k = 0; k < c->pipe->others[o].stages; k++)
            put_flag(c, w, flag_at(c, w, o, k));
    for (uint32_t b = 0; b < c->blocks; b++) put_debts(c, w, b);
    if (!w->marking) put_sets(c, w);
}
