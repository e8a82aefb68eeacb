/* SPDX-License-Identifier: Apache-2.0 */
/* Counts, from the text alone, how many accesses of each stage a run may have to remember and
 * which values of flags are awaited, so that a run allocates all its memory once. */
#include "pipe/runs/run.h"

uint32_t zl_run_instances(const zlay_pipe *p, const zl_role *role)
{
    return zl_role_instances(role) * (role->cta == ZL_CTA_ALL ? p->blocks : (uint32_t)role->cta < p->blocks);
}

/* ---- uses of memory ---- */

static uint32_t smem_uses(const zl_event *e, uint32_t smem)
{
    return (e->smem[0] == (int32_t)smem) + 0u + (e->smem[1] == (int32_t)smem);
}

static uint32_t tmem_uses(const zl_event *e, uint32_t tmem)
{
    return (e->tmem[0] == (int32_t)tmem) + 0u + (e->tmem[1] == (int32_t)tmem);
}

static uint32_t other_uses(const zl_event *e, uint32_t other)
{
    return (e->other == (int32_t)other) + 0u + (e->map == (int32_t)other);
}

/* Accesses by all instances, of the current content and the one before. */
static uint32_t room_of(const zl_run *r, uint32_t (*uses)(const zl_event *, uint32_t), uint32_t of)
{
    uint32_t room = 0;
    for (uint32_t k = 0; k < r->pipe->roles_count; k++) {
        const zl_role *role = &r->pipe->roles[k];
        uint32_t count = 0;
        for (uint32_t e = role->begin; e < role->end; e++) count += uses(&r->pipe->events[e], of);
        room += 2 * count * zl_run_instances(r->pipe, role);
    }
    return room;
}

static void set_room(zl_run *r, uint32_t first, uint32_t count, uint32_t room)
{
    for (uint32_t k = first; k < first + count; k++) r->rooms[k] = room;
    r->accesses_count += (size_t)count * room;
}

/* ---- flags ---- */

/* How many events await this flag. */
static uint32_t awaits_of(const zlay_pipe *p, uint32_t other)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < p->events_count; k++)
        count += p->events[k].kind == ZL_EV_AWAIT && p->events[k].other == (int32_t)other;
    return count;
}

/* Adds an awaited value to a flag's ascending list. */
static void add_threshold(zl_flag *f, int64_t n)
{
    uint32_t k = 0;
    while (k < f->count && f->threshold[k] < n) k++;
    if (n <= 0) return;
    if (k < f->count && f->threshold[k] == n) return;
    for (uint32_t j = f->count++; j > k; j--) f->threshold[j] = f->threshold[j - 1];
    f->threshold[k] = n;
}

void zl_run_make_flags(zl_run *r)
{
    const zlay_pipe *p = r->pipe;
    zl_flag *f = r->flags;
    int64_t *threshold = r->thresholds;
    for (uint32_t o = 0; o < p->others_count; o++)
        for (uint32_t k = 0; k < r->other_slots[o]; k++, f++) {
            f->threshold = threshold;
            threshold += awaits_of(p, o);
            for (uint32_t e = 0; e < p->events_count; e++)
                if (p->events[e].kind == ZL_EV_AWAIT && p->events[e].other == (int32_t)o)
                    add_threshold(f, p->events[e].count);
        }
}

/* ---- all of them ---- */

void zl_run_count_accesses(zl_run *r)
{
    const zlay_pipe *p = r->pipe;
    for (uint32_t s = 0; s < p->smems_count; s++)
        set_room(r, r->smem_at[s], p->blocks * r->smem_each[s] * p->smems[s].stages,
                 room_of(r, smem_uses, s));
    for (uint32_t t = 0; t < p->tmems_count; t++)
        set_room(r, r->tmem_at[t], p->blocks * p->tmems[t].stages, room_of(r, tmem_uses, t));
    for (uint32_t o = 0; o < p->others_count; o++) {
        set_room(r, r->other_at[o], r->other_slots[o], room_of(r, other_uses, o));
        r->thresholds_count += (size_t)r->other_slots[o] * awaits_of(p, o);
    }
}
