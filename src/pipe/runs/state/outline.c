/* SPDX-License-Identifier: Apache-2.0 */
/* Begins a state: drops what no later event can ask about, and sums up the rest in a few
 * numbers, the outline. It costs a small part of the state, and two states can only be equal
 * where their outlines are, so most states of a loop whose rings are still being filled are
 * never written. */
#include "pipe/runs/state/state.h"

static bool comes_before(const zl_mem_access *a, const zl_mem_access *b)
{
    if (a->old != b->old) return b->old;
    if (a->instance != b->instance) return a->instance < b->instance;
    return a->event != b->event ? a->event < b->event : a->part < b->part;
}

static void sort_accesses(zl_shadow *p)
{
    for (uint32_t k = 1; k < p->count; k++)
        for (uint32_t j = k; j > 0 && comes_before(&p->accesses[j], &p->accesses[j - 1]); j--) {
            zl_mem_access t = p->accesses[j];
            p->accesses[j] = p->accesses[j - 1];
            p->accesses[j - 1] = t;
        }
}

static uint64_t mix(uint64_t hash, int64_t value)
{
    hash = (hash ^ (uint64_t)value) * 1099511628211u;
    return hash ^ hash >> 32;
}

/* Adds what all slots still expect: arrivals and bytes. No turn of a ring changes the sums. */
static uint64_t mix_mbars(const zl_run *r, uint64_t hash)
{
    int64_t pending = 0, tx = 0;
    for (const zl_mbar *g = r->mbars; g < r->mbars + r->mbars_count; g++) {
        pending += g->idle ? 0 : g->pending;
        tx += g->idle ? 0 : g->tx;
    }
    return mix(mix(hash, pending), tx);
}

/* Adds how many stages have been written, how many are unread, and how many accesses are kept. */
static uint64_t mix_places(zl_run *r, uint64_t hash)
{
    uint32_t filled = 0, unread = 0, accesses = 0;
    for (zl_shadow *p = r->places; p < r->places + r->places_count; p++) {
        zl_state_forget(r, p);
        sort_accesses(p);
        filled += p->any;
        unread += p->unread;
        accesses += p->count;
    }
    r->watch->filled = filled;
    return mix(mix(mix(hash, filled), unread), accesses);
}

uint64_t zl_state_outline(zl_run *r, int32_t param)
{
    uint64_t hash = 14695981039346656037u;
    zl_state_bases(r, param);
    zl_state_hear(r);
    zl_state_find_least(r);
    for (uint32_t k = 0; k < r->instances_count; k++) hash = mix(hash, r->instances[k].pc);
    return mix_places(r, mix_mbars(r, hash));
}
