/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes the parts of a state that instances share as integers, so that two states can be
 * compared. Operations are written by a number that they get when they are first mentioned, indices
 * relative to the base of their ring, stages from that base on. Memory is written as its shadow
 * state: the content of each stage and the accesses that may still conflict. */
#include "pipe/replay/encode.h"

int64_t zl_encode_base(zl_replay *c, const zl_rp_encoding *w, uint32_t ring, uint32_t block)
{
    uint32_t first = c->ring_first[ring * c->blocks + block];
    return w->marking
               ? 0
               : zl_rp_ring_turn(c, w->claim, ring, zl_rp_counter(c, w->claim, first, -1), -1);
}

/* Writes an operation's number, given on first mention. */
static void put_name(zl_rp_encoding *w, int32_t op)
{
    if (op >= 0 && w->names[op] < 0) w->names[op] = w->named++;
    zl_encode(w, op < 0 ? op : w->names[op]);
}

/* Writes an operation, on first mention with what it is. */
void zl_encode_op(zl_replay *c, zl_rp_encoding *w, int32_t op)
{
    bool met = op < 0 || w->names[op] >= 0;
    put_name(w, op);
    if (met) return;
    const zl_rp_op *it = &c->ops[op];
    zl_encode(w, (int64_t)it->kind + 16 * it->told);
    zl_encode(w, it->thread);
    put_name(w, it->fenced);
    if (it->kind < ZL_RP_GROUPS)
        zl_encode(w, zl_rp_behind(c, &c->instances[c->threads[it->thread].instance],
                                     (int)it->kind, it->number));
}

/* ---- factors of a product ---- */

/* The ring a stage belongs to, which copy of it, and in which block. */
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

void zl_encode_factors(zl_replay *c, zl_rp_encoding *w, const zl_rp_factors *f)
{
    for (int k = 0; k < 2 && !w->marking; k++) {
        uint32_t copy = 0, block = 0;
        uint32_t ring = f->place[k] < 0 ? 0 : ring_of(c, (uint32_t)f->place[k], &copy, &block);
        zl_encode(w, f->place[k] < 0 ? f->place[k] : (int64_t)ring);
        zl_encode(w, copy);
        zl_encode(w, f->place[k] < 0 ? 0 : f->index[k] - zl_encode_base(c, w, ring, block));
    }
}

/* ---- places ---- */

static bool comes_first(const zl_rp_access *a, const zl_rp_access *b)
{
    if (a->old != b->old) return b->old;
    if (a->instance != b->instance) return a->instance < b->instance;
    return a->event != b->event ? a->event < b->event : a->part < b->part;
}

static void sort_accesses(zl_rp_shadow *p)
{
    for (uint32_t k = 1; k < p->count; k++)
        for (uint32_t j = k; j > 0 && comes_first(&p->accesses[j], &p->accesses[j - 1]); j--) {
            zl_rp_access access = p->accesses[j];
            p->accesses[j] = p->accesses[j - 1];
            p->accesses[j - 1] = access;
        }
}

static void put_access(zl_replay *c, zl_rp_encoding *w, const zl_rp_access *access)
{
    zl_encode(w, access->instance);
    zl_encode(w, access->event);
    zl_encode(w, access->part);
    zl_encode(w, access->bytes);
    zl_encode(w, (int64_t)access->proxy + 4 * access->write + 8 * access->old);
    zl_encode(w, access->count);
    for (uint32_t k = 0; k < access->count; k++) zl_encode_op(c, w, access->over[k]);
}

static void put_place(zl_replay *c, zl_rp_encoding *w, zl_rp_shadow *p, int64_t base)
{
    zl_rp_drop_past(c, p);
    zl_encode(w, p->any + 2 * p->unread);
    zl_encode(w, p->any ? p->index - base : 0);
    zl_encode(w, p->filled);
    zl_encode(w, p->count);
    zl_encode_factors(c, w, &p->factors);
    sort_accesses(p);
    for (uint32_t k = 0; k < p->count; k++) put_access(c, w, &p->accesses[k]);
}

/* Writes the stages of a ring in one block, from its base on. */
static void put_ring(zl_replay *c, zl_rp_encoding *w, uint32_t first, uint32_t copies, uint32_t stages,
                     int64_t base, bool indexed)
{
    for (uint32_t k = 0; k < copies * stages; k++) {
        uint32_t slot = zl_encode_slot(base + k % stages, stages);
        put_place(c, w, &c->places[first + k / stages * stages + slot], indexed ? base : 0);
    }
}

/* Writes all memory; a tensor map is written as a whole whatever its index. */
void zl_encode_places(zl_replay *c, zl_rp_encoding *w)
{
    const zlay_pipe *p = c->pipe;
    for (uint32_t s = 0; s < p->smems_count; s++)
        for (uint32_t b = 0; b < c->blocks; b++)
            put_ring(c, w, c->smem_at[s] + b * c->smem_each[s] * p->smems[s].stages,
                     c->smem_each[s], p->smems[s].stages,
                     zl_encode_base(c, w, zl_rp_ring_smem(c, (int32_t)s), b), true);
    for (uint32_t t = 0; t < p->tmems_count; t++)
        for (uint32_t b = 0; b < c->blocks; b++)
            put_ring(c, w, c->tmem_at[t] + b * p->tmems[t].stages, 1, p->tmems[t].stages,
                     zl_encode_base(c, w, zl_rp_ring_tmem(c, (int32_t)t), b), true);
    for (uint32_t o = 0; o < p->others_count; o++)
        put_ring(c, w, c->other_at[o], 1, p->others[o].stages,
                 zl_encode_base(c, w, zl_rp_ring_other(c, (int32_t)o), 0),
                 p->others[o].sort != ZL_OTHER_MAP);
}

void zl_encode_columns(zl_replay *c, zl_rp_encoding *w)
{
    for (uint32_t k = 0; k < c->pipe->tmems_count * c->blocks; k++) {
        const zl_rp_columns *s = &c->columns[k];
        zl_encode(w, s->allocated + 2 * s->freed);
        if (s->allocated) zl_encode_op(c, w, s->by);
        if (s->freed) zl_encode_op(c, w, s->freed_by);
    }
    for (uint32_t b = 0; b < c->blocks; b++) zl_encode(w, c->relinquished[b]);
}
