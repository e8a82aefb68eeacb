/* SPDX-License-Identifier: Apache-2.0 */
/* Checks every access of shadow state: it must happen after each earlier access that it
 * conflicts with (read-write or write-write), in every interleaving, with the fences that a
 * change of proxy needs. A read must also find the content of its index, whole. This is the
 * happens-before race check of vector-clock detectors, extended by asynchronous completion and
 * proxies. */
#include "pipe/runs/state/clock.h"

zl_shadow *zl_smem_place(zl_run *r, const zl_instance *i, uint32_t block, int32_t smem, uint32_t slot)
{
    const zl_smem *s = &r->pipe->smems[smem];
    uint32_t each = s->each ? (uint32_t)i->number : 0;
    return &r->places[r->smem_at[smem] + (block * r->smem_each[smem] + each) * s->stages + slot];
}

zl_shadow *zl_tmem_place(zl_run *r, uint32_t block, int32_t tmem, uint32_t slot)
{
    return &r->places[r->tmem_at[tmem] + block * r->pipe->tmems[tmem].stages + slot];
}

zl_shadow *zl_other_place(zl_run *r, int32_t other, uint32_t slot)
{
    return &r->places[r->other_at[other] + slot];
}

/* ---- when a use is over ---- */

/* The access is complete when its threads have run this event. */
void zl_access_now(const zl_run *r, zl_mem_access *access, const zl_instance *i, bool all)
{
    (void)r;
    access->conds = all ? i->classes : 1;
    for (uint32_t k = 0; k < access->conds; k++)
        access->cond[k] = (zl_cond){(int32_t)(i->first + k), i->epoch};
}

/* The access is complete when the next group of this kind is. */
void zl_access_group(const zl_run *r, zl_mem_access *access, const zl_instance *i, int group)
{
    int32_t next = i->issued[group] + 1;
    if (group == ZL_OF_CPASYNC) {
        access->conds = i->classes;
        for (uint32_t k = 0; k < i->classes; k++)
            access->cond[k] = (zl_cond){zl_comp_cpasync(r, i->first + k), next};
        return;
    }
    access->conds = zl_of_warps(group) && i->classes > 2 ? 2 : 1;
    for (uint32_t k = 0; k < access->conds; k++)
        access->cond[k] = (zl_cond){zl_comp_group(r, i, group, k == 1), next};
}

/* ---- order ---- */

/* Whether a clock says that the access is complete. */
static bool is_complete(const zl_mem_access *t, const zl_tick *view)
{
    for (uint32_t k = 0; k < t->conds; k++)
        if (view[t->cond[k].comp] < t->cond[k].value) return false;
    return true;
}

/* The same through the components behind fence tcgen05.before. */
static bool is_complete_tensor(const zl_run *r, const zl_mem_access *t, const zl_tick *view)
{
    for (uint32_t k = 0; k < t->conds; k++)
        if (view[zl_comp_tensor(r, t->cond[k].comp)] < t->cond[k].value) return false;
    return true;
}

/* Whether the access is by an instruction of a hardware queue. */
static bool is_queued(const zl_run *r, const zl_mem_access *t)
{
    switch (r->pipe->events[t->event].kind) {
    case ZL_EV_LOAD:
    case ZL_EV_SEND:
    case ZL_EV_FETCH:
    case ZL_EV_PUT: return true;
    default: return false;
    }
}

/* Whether both accesses are of one warp's queue, which keeps its order. */
static bool is_in_queue(const zl_run *r, const zl_mem_access *before, const zl_mem_access *now)
{
    return is_queued(r, now) && before->cond[0].comp == now->cond[0].comp && before->conds == 1;
}

/* Whether a fence.proxy.async covers the access; no fence covers what a queue writes. */
static bool is_fenced(const zl_run *r, const zl_mem_access *t, const zl_tick *view)
{
    if (is_queued(r, t)) return false;
    for (uint32_t k = 0; k < t->conds; k++)
        if (view[zl_comp_fenced(r, t->cond[k].comp)] < t->cond[k].value) return false;
    return true;
}

/* Whether the hardware orders both accesses of tensor memory: products and copies of one
 * thread run in its order; loads and stores of a warp are ordered once it has waited for them. */
static bool is_own_tensor(const zl_run *r, const zl_mem_access *before, const zl_mem_access *now)
{
    const zl_instance *i = &r->instances[now->instance];
    zl_event_kind kind = r->pipe->events[before->event].kind;
    if (before->instance != now->instance) return false;
    if (kind == ZL_EV_TLD) return before->cond[0].value <= i->done[ZL_OF_TLD];
    if (kind == ZL_EV_TST) return before->cond[0].value <= i->done[ZL_OF_TST];
    zl_event_kind next = r->pipe->events[now->event].kind;
    return next == ZL_EV_MMA || next == ZL_EV_TCP;
}

/* The rule that is broken where `now`, by this class, follows `before`; 0: none. */
static int32_t broken_by(const zl_run *r, const zl_class *c, const zl_mem_access *before,
                         const zl_mem_access *now)
{
    int32_t order = now->write ? ZLAY_PIPE_OVERWRITE : ZLAY_PIPE_READ_BEFORE_FULL;
    if (now->proxy == ZL_TENSOR) {
        if (is_own_tensor(r, before, now) || is_complete_tensor(r, before, c->after)) return 0;
        return is_complete(before, c->clock) ? ZLAY_PIPE_TCGEN05 : ZLAY_PIPE_TMEM_USE;
    }
    if (is_in_queue(r, before, now)) return 0;
    if (!is_complete(before, c->clock)) return order;
    if (before->write && before->proxy == ZL_GENERIC && now->proxy == ZL_ASYNC &&
        !is_fenced(r, before, c->clock))
        return ZLAY_PIPE_PROXY;
    return 0;
}

/* Checks the order for every class that makes the access. */
static void check_order(zl_run *r, const zl_instance *i, bool all, const zl_mem_access *before,
                        const zl_mem_access *now)
{
    for (uint32_t k = 0; k < (all ? i->classes : 1); k++) {
        int32_t rule = broken_by(r, &r->classes[i->first + k], before, now);
        if (rule) zl_run_fault(r, rule, now->event, before->event, 0, 0);
    }
}

/* ---- content ---- */

/* Notes an access that has been checked; it replaces the last one of the same event. */
void zl_shadow_keep(zl_shadow *p, const zl_mem_access *access)
{
    for (uint32_t k = 0; k < p->count; k++) {
        zl_mem_access *t = &p->accesses[k];
        if (t->instance == access->instance && t->event == access->event && !t->old &&
            t->part == access->part) {
            *t = *access;
            return;
        }
    }
    p->accesses[p->count++] = *access;
}

/* A new content begins: the current one becomes the one before, and that is dropped. */
static void turn(zl_shadow *p)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < p->count; k++)
        if (!p->accesses[k].old) {
            p->accesses[kept] = p->accesses[k];
            p->accesses[kept++].old = true;
        }
    p->count = kept;
    p->filled = 0;
}

/* The write that filled this part of the current content. */
static const zl_mem_access *piece_of(const zl_shadow *p, int32_t part)
{
    for (uint32_t k = 0; k < p->count; k++) {
        const zl_mem_access *t = &p->accesses[k];
        if (t->write && !t->old && t->part == part) return t;
    }
    return NULL;
}

/* How many parts of the current content are filled. */
static uint32_t count_pieces(const zl_shadow *p)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        const zl_mem_access *t = &p->accesses[k];
        count += t->write && !t->old && piece_of(p, t->part) == t;
    }
    return count;
}

int zl_shadow_stage(const zl_shadow *p, const zl_tick *known)
{
    bool written = p->any && p->filled < p->size, read = false;
    for (uint32_t k = 0; k < p->count; k++) {
        const zl_mem_access *t = &p->accesses[k];
        if (t->old || is_complete(t, known)) continue;
        written |= t->write;
        read |= !t->write;
    }
    return written ? ZL_STAGE_WRITTEN : read ? ZL_STAGE_READ : p->unread ? ZL_STAGE_FULL : ZL_STAGE_FREE;
}

/* ---- reads ---- */

/* What is read is the content of this index, and it is whole. */
static void check_content(zl_run *r, zl_shadow *p, int64_t tag, const zl_mem_access *access)
{
    uint32_t other = p->any ? p->writer : UINT32_MAX;
    if (!p->any) zl_run_fault(r, ZLAY_PIPE_READ_BEFORE_FULL, access->event, other, 0, p->size);
    else if (p->tag != tag) zl_run_fault(r, ZLAY_PIPE_STAGE, access->event, other, p->tag, tag);
    else if (p->filled != p->size || (p->pieces && count_pieces(p) != p->pieces))
        zl_run_fault(r, ZLAY_PIPE_STAGE, access->event, other, p->filled, p->size);
    else if (access->part > 0 && !piece_of(p, access->part))
        zl_run_fault(r, ZLAY_PIPE_STAGE, access->event, other, access->part, 0);
    else if (!access->part && count_pieces(p) == 1 && !piece_of(p, 0))
        zl_run_fault(r, ZLAY_PIPE_STAGE, access->event, other, access->part, 0);
}

void zl_shadow_read(zl_run *r, zl_shadow *p, const zl_instance *i, bool all, int64_t tag,
                   zl_mem_access *access)
{
    access->write = false;
    access->instance = (int32_t)(i - r->instances);
    for (uint32_t k = 0; k < p->count; k++) {
        const zl_mem_access *t = &p->accesses[k];
        if (t->write && !t->old && (access->part <= 0 || t->part == access->part))
            check_order(r, i, all, t, access);
    }
    if (p->size && !r->fault.rule) check_content(r, p, tag, access);
    p->unread = false;
    zl_shadow_keep(p, access);
}

/* ---- writes ---- */

/* Whether the same threads write the same part again. */
static bool is_again(const zl_mem_access *before, const zl_mem_access *now)
{
    return before->write && !before->old && before->instance == now->instance &&
           before->part == now->part && before->proxy == ZL_GENERIC && now->proxy == ZL_GENERIC &&
           before->cond[0].comp == now->cond[0].comp;
}

/* Begins a new content; the last must have been read. */
static void begin_content(zl_run *r, zl_shadow *p, int64_t tag, const zl_mem_access *access)
{
    if (p->unread) zl_run_fault(r, ZLAY_PIPE_STAGE, access->event, p->writer, 2, 1);
    turn(p);
    p->tag = tag;
    p->any = true;
}

void zl_shadow_write(zl_run *r, zl_shadow *p, const zl_instance *i, bool all, int64_t tag,
                    zl_mem_access *access)
{
    access->write = true;
    access->instance = (int32_t)(i - r->instances);
    if (p->size && !access->bytes) access->bytes = p->size;
    const zl_mem_access *piece = p->any && p->tag == tag ? piece_of(p, access->part) : NULL;
    bool again = piece && (p->pieces || !p->size) && is_again(piece, access);
    bool more = p->any && p->tag == tag && !piece && p->filled + access->bytes <= p->size;
    for (uint32_t k = 0; k < p->count; k++) {
        const zl_mem_access *t = &p->accesses[k];
        bool apart = (more || again) && t->write && !t->old && t->part != access->part;
        if (!apart && !(again && is_again(t, access))) check_order(r, i, all, t, access);
    }
    if (!again && !more) begin_content(r, p, tag, access);
    if (!again) p->filled += access->bytes;
    p->unread = p->size != 0;
    p->writer = access->event;
    zl_shadow_keep(p, access);
}
