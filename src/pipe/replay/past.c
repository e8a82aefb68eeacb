/* SPDX-License-Identifier: Apache-2.0 */
/* Drops from a state the accesses that no later access can conflict with: all who may still
 * ask know them to be complete, or a later access of the same threads implies them. */
#include "pipe/replay/same.h"

/* ---- uses ---- */

/* Whether who knows the one operation knows the other, earlier one: a thread's operations of
 * one kind, and a slot's phases, complete in order. */
static bool is_later(const zl_replay *c, int32_t op, int32_t before)
{
    if (op < 0 || before < 0) return before < 0;
    const zl_rp_op *a = &c->ops[op], *b = &c->ops[before];
    return a->kind == b->kind && a->thread == b->thread &&
           (a->kind != ZL_RP_POINT || a->number == b->number);
}

/* Whether an access of the current content implies one of the content before. */
static bool stands_for(const zl_replay *c, const zl_rp_access *now, const zl_rp_access *before)
{
    bool stands = !now->old && now->write == before->write && now->proxy == before->proxy &&
                  now->count == before->count;
    for (uint32_t k = 0; k < now->count && stands; k++)
        stands = is_later(c, now->over[k], before->over[k]);
    return stands;
}

/* Whether every thread that may still ask knows the operation. */
static bool is_common(const zl_replay *c, int32_t op)
{
    bool common = true;
    for (uint32_t t = 0; t < c->threads_count && common; t++)
        common = zl_rp_has(c, zl_rp_set(t, ZL_RP_KNOWS), op) ||
                 !zl_rp_asks(c, c->threads[t].instance);
    return common;
}

/* Changes of maps and uses of tensor memory are asked of other sets. */
static bool is_known(const zl_replay *c, const zl_rp_access *access)
{
    bool known = access->proxy != ZL_RP_TENSOR && c->pipe->events[access->event].kind != ZL_EV_UPDATE;
    for (uint32_t k = 0; k < access->count && known; k++) {
        int32_t op = access->over[k], fenced = op < 0 ? -1 : c->ops[op].fenced;
        known = is_common(c, op) && is_common(c, fenced);
    }
    return known;
}

/* More of a content is written beside what stands of it, but not beside what was there before. */
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
