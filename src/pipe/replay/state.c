/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the state of a run as integers: all that may change, with indices relative to a loop's
 * counter, rings from their base on, operations numbered in order of mention, and last which sets
 * have which operations. Two moments with equal integers have the same future, up to the turn of
 * rings. Operations that are not mentioned cannot matter and are forgotten. */
#include "pipe/replay/acc.h"
#include "pipe/replay/encode.h"

/* ---- instances ---- */

/* Whether the instance may still run a setmaxnreg. */
static bool sets_registers(const zl_replay *c, const zl_rp_instance *i)
{
    uint32_t from = i->depth ? i->loop[0] : i->pc;
    while (from < i->role->end && c->pipe->events[from].kind != ZL_EV_SETMAXNREG) from++;
    return from < i->role->end;
}

static void put_registers(zl_replay *c, zl_rp_encoding *w, zl_rp_instance *i)
{
    zl_encode(w, i->registers);
    for (uint32_t t = 0; t < i->threads; t++) {
        if (!sets_registers(c, i)) i->set[t] = -1;
        zl_encode_op(c, w, i->set[t]);
    }
}

static void put_waiting(zl_replay *c, zl_rp_encoding *w, const zl_rp_instance *i)
{
    bool waits = i->meets >= 0;
    const zl_rp_meeting *at = waits ? zl_rp_meeting_of(c, i, &c->pipe->events[i->pc]) : NULL;
    zl_encode(w, at ? 1 + (at->generation > i->meets) : 0);
    zl_encode(w, i->joined < 0 ? 0 : 1 + (c->meetings->generation > i->joined));
    zl_encode(w, i->grid);
    for (uint32_t t = 0; i->grid && t < i->threads; t++) zl_encode_op(c, w, i->grids[t]);
}

static void put_loops(zl_replay *c, zl_rp_encoding *w, const zl_rp_instance *i)
{
    zl_encode(w, i->pc);
    for (uint32_t d = 0; d < i->depth && !w->marking; d++) {
        int64_t base = zl_rp_counter(c, w->claim, c->first[i - c->instances], -1);
        zl_encode(w, i->counter[d] - zl_rp_loop_turn(c, w->claim, i->loop[d], base, -1));
        for (uint32_t k = 0; k < c->claims_count; k++)
            zl_encode(w, k != w->claim && i->found[k][d]);
    }
}

static void put_groups(zl_replay *c, zl_rp_encoding *w, const zl_rp_instance *i)
{
    for (int k = 0; k < ZL_RP_GROUPS; k++) {
        zl_encode(w, zl_rp_behind(c, i, k, i->done[k] + 1));
        zl_encode(w, zl_rp_behind(c, i, k, i->last[k]));
        zl_encode(w, i->open[k]);
        for (uint32_t t = 0; t < i->threads; t++) zl_encode_op(c, w, i->opening[k][t]);
    }
}

static void put_accs(zl_replay *c, zl_rp_encoding *w, const zl_rp_instance *i)
{
    for (uint32_t a = 0; a < c->pipe->accs_count; a++) {
        const zl_rp_acc_state *s = zl_rp_acc_of(c, i, (int32_t)a);
        zl_encode(w, s->state + 4 * s->unread + 8 * s->unfenced);
        zl_encode(w, s->kind);
        zl_encode(w, zl_rp_behind(c, i, s->kind, s->group));
        zl_encode(w, s->reader_kind);
        zl_encode(w, zl_rp_behind(c, i, s->reader_kind, s->reader));
        zl_encode(w, s->bytes);
        zl_encode_factors(c, w, &s->factors);
    }
}

/* ---- barriers ---- */

/* The k-th slot of a barrier, block by block, each from its ring's base on. */
static zl_rp_mbar *mbar_at(zl_replay *c, const zl_rp_encoding *w, uint32_t bar, uint32_t k,
                           int64_t *round)
{
    uint32_t stages = c->pipe->bars[bar].stages;
    int64_t at = zl_encode_base(c, w, bar, k / stages) + k % stages;
    *round = zl_encode_round(at, stages);
    return &c->mbars[c->mbar_at[bar] + k / stages * stages + zl_encode_slot(at, stages)];
}

/* Drops what no later event depends on: an arrival depends on the last phase only, a wait on the
 * phase before it only where its thread does not know the last one. */
static void settle(const zl_replay *c, zl_rp_mbar *g)
{
    if (zl_rp_all_know(c, g, ZL_RP_NAMES, false)) g->shown[0] = false;
    if (!zl_rp_all_know(c, g, ZL_RP_WAITS, true)) return;
    g->last[1] = -1;
    g->shown[1] = false;
}

static void put_arrivals(zl_replay *c, zl_rp_encoding *w, const zl_rp_mbar *g)
{
    for (uint32_t which = 0; which < 2; which++) {
        size_t at = (size_t)which * c->mbars_count + (size_t)(g - c->mbars);
        zl_encode(w, g->shown[which]);
        for (uint32_t t = 0; g->shown[which] && t < c->threads_count; t++)
            zl_encode_op(c, w, c->were[at * c->threads_count + t]);
    }
}

static void put_mbar(zl_replay *c, zl_rp_encoding *w, zl_rp_mbar *g, int64_t round)
{
    size_t at = (size_t)(g - c->mbars);
    settle(c, g);
    zl_encode(w, g->hidden);
    put_arrivals(c, w, g);
    zl_encode(w, g->pending);
    zl_encode(w, g->tx);
    zl_encode(w, g->idle ? 0 : (g->phase - round) & 1);
    zl_encode_op(c, w, g->last[0]);
    zl_encode_op(c, w, g->last[1]);
    zl_encode_op(c, w, g->next);
    for (uint32_t t = 0; t < c->threads_count; t++)
        zl_encode_op(c, w, c->passed[at * c->threads_count + t]);
    for (uint32_t t = 0; t < c->threads_count; t++)
        zl_encode_op(c, w, c->came[at * c->threads_count + t]);
    for (uint32_t n = 0; n < c->instances_count; n++)
        zl_encode_op(c, w, c->expected[at * c->instances_count + n]);
}

static void put_mbars(zl_replay *c, zl_rp_encoding *w)
{
    int64_t round;
    for (uint32_t b = 0; b < c->pipe->bars_count; b++)
        for (uint32_t k = 0; k < c->blocks * c->pipe->bars[b].stages; k++) {
            zl_rp_mbar *g = mbar_at(c, w, b, k, &round);
            put_mbar(c, w, g, round);
        }
}

/* ---- meetings, flags, debts ---- */

static void put_meetings(zl_replay *c, zl_rp_encoding *w)
{
    for (uint32_t k = 0; k < c->meetings_count; k++) {
        const zl_rp_meeting *m = &c->meetings[k];
        zl_encode(w, m->pending);
        zl_encode(w, m->pending ? 2 * m->count + m->block : 0);
        zl_encode_op(c, w, m->last);
    }
}

/* The k-th flag of a ring, from its base on. */
static zl_rp_flag *flag_at(zl_replay *c, const zl_rp_encoding *w, uint32_t other, uint32_t k)
{
    uint32_t stages = c->pipe->others[other].stages;
    int64_t base = zl_encode_base(c, w, zl_rp_ring_other(c, (int32_t)other), 0);
    return &c->flags[c->other_at[other] - (c->places_count - c->flags_count) +
                     zl_encode_slot(base + k, stages)];
}

/* Writes a flag; raises beyond the greatest awaited value do not matter. */
static void put_flag(zl_replay *c, zl_rp_encoding *w, const zl_rp_flag *f)
{
    size_t at = (size_t)(f - c->flags) * c->instances_count;
    int64_t most = 0;
    for (uint32_t k = 0; k < f->count; k++) {
        const int32_t *made = c->made + at * ZL_RP_VALUES + (size_t)k * c->instances_count;
        if (f->value[k] > most) most = f->value[k];
        zl_encode_op(c, w, f->reached[k]);
        for (uint32_t n = 0; n < c->instances_count; n++) zl_encode_op(c, w, made[n]);
    }
    zl_encode(w, f->total < most ? f->total : most);
    for (uint32_t n = 0; f->total < most && n < c->instances_count; n++) {
        zl_encode_op(c, w, c->raised[at + n]);
        zl_encode(w, c->open[at + n]);
    }
}

/* Writes what a block owes; what one of its threads knows is paid. */
static void put_debt(zl_replay *c, zl_rp_encoding *w, uint32_t block, uint32_t at)
{
    zl_rp_debt *d = &c->debts[block * (c->threads_count + c->mbars_count) + at];
    if (d->owed && zl_rp_is_paid(c, block, d)) d->owed = false;
    zl_encode(w, d->owed);
    if (d->owed) zl_encode_op(c, w, d->op);
}

static void put_debts(zl_replay *c, zl_rp_encoding *w, uint32_t block)
{
    int64_t round;
    for (uint32_t t = 0; t < c->threads_count; t++) put_debt(c, w, block, t);
    for (uint32_t b = 0; b < c->pipe->bars_count; b++)
        for (uint32_t k = 0; k < c->blocks * c->pipe->bars[b].stages; k++)
            put_debt(c, w, block,
                     c->threads_count + (uint32_t)(mbar_at(c, w, b, k, &round) - c->mbars));
}

/* ---- who knows ---- */

static void put_set(zl_replay *c, zl_rp_encoding *w, uint32_t set, const int32_t *met)
{
    uint32_t bits = 0;
    for (int32_t k = 0; k < w->named; k++) {
        bits |= (uint32_t)zl_rp_has(c, set, met[k]) << k % 31;
        if (k % 31 == 30 || k + 1 == w->named) {
            zl_encode(w, bits);
            bits = 0;
        }
    }
}

static void put_mbar_sets(zl_replay *c, zl_rp_encoding *w, const zl_rp_mbar *g, const int32_t *met)
{
    bool heard = zl_rp_is_heard(c, g);
    zl_encode(w, heard);
    if (!heard) put_set(c, w, zl_rp_mbar_set(c, g, ZL_RP_DONE), met);
    put_set(c, w, zl_rp_mbar_set(c, g, ZL_RP_SUM), met);
    put_set(c, w, zl_rp_mbar_set(c, g, ZL_RP_ARRIVED), met);
}

static void put_sets(zl_replay *c, zl_rp_encoding *w)
{
    int64_t round;
    int32_t *met = c->met;
    for (uint32_t k = 0; k < c->words * 64; k++)
        if (w->names[k] >= 0) met[w->names[k]] = (int32_t)k;
    for (uint32_t s = 0; s < ZL_RP_OF_THREAD * c->threads_count; s++) put_set(c, w, s, met);
    for (uint32_t b = 0; b < c->pipe->bars_count; b++)
        for (uint32_t k = 0; k < c->blocks * c->pipe->bars[b].stages; k++)
            put_mbar_sets(c, w, mbar_at(c, w, b, k, &round), met);
    for (uint32_t k = 0; k < c->meetings_count; k++)
        for (uint32_t s = 0; s < ZL_RP_OF_MEETING; s++)
            put_set(c, w, zl_rp_meeting_set(c, &c->meetings[k], s), met);
    for (uint32_t o = 0; o < c->pipe->others_count; o++)
        for (uint32_t k = 0; k < c->pipe->others[o].stages; k++)
            for (uint32_t s = 0; s < ZL_RP_OF_FLAG; s++)
                put_set(c, w, zl_rp_flag_set(c, flag_at(c, w, o, k), s), met);
}

/* Writes the state; before it, outside the comparison, the counter that each instance is
 * counted from. */
void zl_rp_state(zl_replay *c, zl_rp_encoding *w)
{
    zl_rp_hear(c);
    for (uint32_t n = 0; !w->marking && n < c->instances_count; n++)
        zl_encode(w, zl_rp_counter(c, w->claim, c->first[n], -1));
    for (zl_rp_instance *i = c->instances; i < c->instances + c->instances_count; i++) {
        put_loops(c, w, i);
        put_waiting(c, w, i);
        put_registers(c, w, i);
        put_groups(c, w, i);
        put_accs(c, w, i);
    }
    put_mbars(c, w);
    zl_encode_places(c, w);
    zl_encode_columns(c, w);
    put_meetings(c, w);
    for (uint32_t o = 0; o < c->pipe->others_count; o++)
        for (uint32_t k = 0; k < c->pipe->others[o].stages; k++)
            put_flag(c, w, flag_at(c, w, o, k));
    for (uint32_t b = 0; b < c->blocks; b++) put_debts(c, w, b);
    if (!w->marking) put_sets(c, w);
}
