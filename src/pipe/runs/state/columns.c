/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks the columns of tensor memory that a block owns: tcgen05.alloc, dealloc and
 * relinquish_alloc_permit. Their effect depends on their order, so two of them that no clock
 * orders are checked in both orders. */
#include "pipe/runs/run.h"

enum { COLUMNS = 512 };

static zl_columns *columns_of(zl_run *r, int32_t tmem, uint32_t block)
{
    return &r->columns[(uint32_t)tmem * r->pipe->blocks + block];
}

static int32_t size_of(const zl_run *r, uint32_t tmem)
{
    return (int32_t)(r->pipe->tmems[tmem].columns * r->pipe->tmems[tmem].stages);
}

/* Whether the thread knows that the condition holds; without an instance (setup) all is known. */
static bool is_known(const zl_run *r, const zl_instance *i, zl_cond cond)
{
    return !cond.value || !i || r->classes[i->first].clock[cond.comp] >= cond.value;
}

/* Columns may be used only if this class knows they are allocated, and they are not freed. */
void zl_columns_live(zl_run *r, const zl_instance *i, int32_t tmem, uint32_t block, uint32_t event)
{
    const zl_columns *c = columns_of(r, tmem, block);
    if (!c->allocated || c->freed || !is_known(r, i, c->by))
        zl_run_fault(r, ZLAY_PIPE_TMEM_USE, event, c->event, c->allocated, !c->freed);
}

/* ---- alloc ---- */

/* No later allocation may be larger; two that are not ordered must be equal. */
static void check_sizes(zl_run *r, const zl_instance *i, uint32_t block, const zl_event *e)
{
    int32_t size = size_of(r, (uint32_t)e->tmem[0]);
    for (uint32_t t = 0; t < r->pipe->tmems_count; t++) {
        const zl_columns *c = columns_of(r, (int32_t)t, block);
        int32_t other = size_of(r, t);
        if (!c->allocated || (is_known(r, i, c->by) ? size <= other : size == other)) continue;
        zl_run_fault(r, ZLAY_PIPE_TMEM_COLUMNS, zl_event_index(r, e), c->event, size, other);
    }
}

/* Columns that may be allocated at this point in some interleaving: all that the thread does
 * not know to be freed. */
static int32_t alive(zl_run *r, const zl_instance *i, uint32_t block)
{
    int32_t sum = 0;
    for (uint32_t t = 0; t < r->pipe->tmems_count; t++) {
        const zl_columns *c = columns_of(r, (int32_t)t, block);
        if (c->allocated && !(c->freed && is_known(r, i, c->freed_by))) sum += size_of(r, t);
    }
    return sum;
}

/* The content of freed columns is gone. */
static void forget(zl_run *r, int32_t tmem, uint32_t block)
{
    for (uint32_t slot = 0; slot < r->pipe->tmems[tmem].stages; slot++) {
        zl_shadow *p = zl_tmem_place(r, block, tmem, slot);
        p->any = p->unread = false;
        p->filled = 0;
        p->count = 0;
    }
}

/* Allocates; false where columns are missing and the thread must wait. */
static bool take(zl_run *r, const zl_instance *i, uint32_t block, const zl_event *e)
{
    uint32_t event = zl_event_index(r, e);
    int32_t size = size_of(r, (uint32_t)e->tmem[0]);
    zl_columns *c = columns_of(r, e->tmem[0], block);
    bool again = c->allocated && !(c->freed && is_known(r, i, c->freed_by));
    if (again || r->relinquished[block])
        zl_run_fault(r, ZLAY_PIPE_TMEM_ALLOC, event, c->event, 2, 1);
    check_sizes(r, i, block, e);
    if (r->live_columns[block] + size > COLUMNS) return false;
    if (!again && alive(r, i, block) + size > COLUMNS && !r->fault.rule)
        zl_run_halt(r, event, "waits for columns in one order of the roles");
    r->live_columns[block] += size;
    if (c->freed) forget(r, e->tmem[0], block);
    *c = (zl_columns){.allocated = true, .event = event};
    return true;
}

bool zl_columns_alloc(zl_run *r, const zl_instance *i, const zl_event *e)
{
    uint32_t block = (uint32_t)i->cta;
    if (!take(r, i, block, e)) return false;
    columns_of(r, e->tmem[0], block)->by = (zl_cond){(int32_t)i->first, i->epoch};
    return true;
}

void zl_columns_setup(zl_run *r, const zl_event *e, uint32_t block)
{
    if (!take(r, NULL, block, e))
        zl_run_fault(r, ZLAY_PIPE_TMEM_COLUMNS, zl_event_index(r, e), UINT32_MAX,
                     r->live_columns[block] + size_of(r, (uint32_t)e->tmem[0]), COLUMNS);
}

/* An allocation that this thread does not know of may come after it, which is a fault. */
void zl_columns_relinquish(zl_run *r, const zl_instance *i, const zl_event *e)
{
    for (uint32_t t = 0; t < r->pipe->tmems_count; t++) {
        const zl_columns *c = columns_of(r, (int32_t)t, (uint32_t)i->cta);
        if (c->allocated && !is_known(r, i, c->by))
            zl_run_fault(r, ZLAY_PIPE_TMEM_ALLOC, c->event, zl_event_index(r, e), 0, 0);
    }
    r->relinquished[i->cta] = true;
}

/* ---- dealloc ---- */

static bool is_complete(const zl_run *r, const zl_instance *i, const zl_mem_access *access)
{
    for (uint32_t n = 0; n < access->conds; n++)
        if (r->classes[i->first].clock[access->cond[n].comp] < access->cond[n].value) return false;
    return true;
}

/* dealloc: every access of the columns must be known to be complete. */
static void check_uses(zl_run *r, const zl_instance *i, const zl_event *e)
{
    for (uint32_t slot = 0; slot < r->pipe->tmems[e->tmem[0]].stages; slot++) {
        const zl_shadow *p = zl_tmem_place(r, (uint32_t)i->cta, e->tmem[0], slot);
        for (uint32_t k = 0; k < p->count; k++)
            if (!is_complete(r, i, &p->accesses[k]))
                zl_run_fault(r, ZLAY_PIPE_TMEM_USE, zl_event_index(r, e), p->accesses[k].event, 0, 0);
    }
}

void zl_columns_free(zl_run *r, const zl_instance *i, const zl_event *e)
{
    uint32_t block = (uint32_t)i->cta, event = zl_event_index(r, e);
    zl_columns *c = columns_of(r, e->tmem[0], block);
    if (!c->allocated || c->freed) {
        zl_run_fault(r, ZLAY_PIPE_TMEM_ALLOC, event, c->event, c->freed ? 2 : 0, 1);
        return;
    }
    zl_columns_live(r, i, e->tmem[0], block, event);
    check_uses(r, i, e);
    c->freed = true;
    c->freed_by = (zl_cond){(int32_t)i->first, i->epoch};
    c->event = event;
    r->live_columns[block] -= size_of(r, (uint32_t)e->tmem[0]);
}
