/* SPDX-License-Identifier: Apache-2.0 */
/* Drops accesses from a state that no later access can conflict with. An access is dropped if every
 * thread that may still access memory knows it to be complete, or if a later access of the same
 * threads implies it. So states stay small, and two states that differ only in such accesses are
 * equal. */
#include "pipe/replay/same.h"

/* ---- uses ---- */

/* Whether every thread that knows operation `op` also knows the earlier operation `before`: a
 * thread's operations of one kind, and the phases of a slot, complete in order. */
static bool is_later(const zl_replay *c, int32_t op, int32_t before)
{
    if (op < 0 || before < 0) return before < 0;
    const zl_rp_op *a = &c->ops[op], *b = &c->ops[before];
    return a->kind == b->kind && a->thread == b->thread &&
           (a->kind != ZL_RP_POINT || a->number == b->number);
}

/* Whether an access of the current content stands for one of the content before: a thread that
 * knows the first to be complete knows it of the second. */
static bool stands_for(const zl_replay *c, const zl_rp_access *now, const zl_rp_access *before)
{
    bool stands = !now->old && now->write == before->write && now->proxy == before->proxy &&
                  now->count == before->count;
    for (uint32_t k = 0; k < now->count && stands; k++)
        stands = is_later(c, now->over[k], before->over[k]);
    return stands;
}

/* Whether every thread that may still access memory, barriers or flags knows the operation. */
static bool is_common(const zl_replay *c, int32_t op)
{
    bool common = true;
    for (uint32_t t = 0; t < c->threads_count && common; t++)
        common = zl_rp_has(c, zl_rp_set(t, ZL_RP_KNOWS), op) ||
                 !zl_rp_asks(c, c->threads[t].instance);
    return common;
}

/* Whether an access is known to be complete by all that may still conflict with it. Updates of maps
 * and accesses of tensor memory are judged by other sets of a thread, so they are kept. */
static bool is_known(const zl_replay *c, const zl_rp_access *access)
{
    bool known = access->proxy != ZL_RP_TENSOR && c->pipe->events[access->event].kind != ZL_EV_UPDATE;
    for (uint32_t k = 0; k < access->count && known; k++) {
        int32_t op = access->over[k], fenced = op < 0 ? -1 : c->ops[op].fenced;
        known = is_common(c, op) && is_common(c, fenced);
    }
    return known;
}

/* Whether an access of the content before can go because one of the current content stands for it.
 * An old write stays until the current content is complete: parts that are still missing may
 * conflict with it. */
static bool is_followed(const zl_replay *c, const zl_rp_shadow *p, const zl_rp_access *access)
{
    bool past = false;
    if (!access->old || (access->write && (!p->size || p->filled != p->size))) return false;
    for (uint32_t k = 0; k < p->count && !past; k++) past = stands_for(c, &p->accesses[k], access);
    return past;
}

void zl_rp_drop_past(const zl_replay *c, zl_rp_shadow *p)
{
    bool past[ZL_RP_ACCESSES];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        const zl_rp_access *access = &p->accesses[k];
        bool stands = access->write && !access->old;
        past[k] = !stands && (is_followed(c, p, access) || is_known(c, access));
    }
    for (uint32_t k = 0; k < p->count; k++)
        if (!past[k]) p->accesses[kept++] = p->accesses[k];
    p->count = kept;
}
