/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in a state and is asked for by nobody. */
#include "pipe/replay/same.h"

/* ---- uses ---- */

/* Threads do things of one sort, and barriers complete phases, one after the other: whoever knows
 * of the later knows of the one before. */
static bool is_later(const zl_replay *c, int32_t item, int32_t before)
{
    if (item < 0 || before < 0) return before < 0;
    const zl_rp_item *a = &c->items[item], *b = &c->items[before];
    return a->kind == b->kind && a->thread == b->thread &&
           (a->kind != ZL_RP_POINT || a->number == b->number);
}

static bool stands_for(const zl_replay *c, const zl_rp_use *now, const zl_rp_use *before)
{
    bool stands = !now->old && now->write == before->write && now->proxy == before->proxy &&
                  now->count == before->count;
    for (uint32_t k = 0; k < now->count && stands; k++)
        stands = is_later(c, now->over[k], before->over[k]);
    return stands;
}

/* Every thread that may yet ask has the operation. */
static bool is_common(const zl_replay *c, int32_t item)
{
    bool common = true;
    for (uint32_t t = 0; t < c->threads_count && common; t++)
        common = zl_rp_has(c, zl_rp_set(t, ZL_RP_KNOWS), item) ||
                 !zl_rp_asks(c, c->threads[t].instance);
    return common;
}

/* Changes of maps and uses of tensor memory are asked of other sets. */
static bool is_known(const zl_replay *c, const zl_rp_use *use)
{
    bool known = use->proxy != ZL_RP_TENSOR && c->pipe->events[use->event].kind != ZL_EV_UPDATE;
    for (uint32_t k = 0; k < use->count && known; k++) {
        int32_t item = use->over[k], fenced = item < 0 ? -1 : c->items[item].fenced;
        known = is_common(c, item) && is_common(c, fenced);
    }
    return known;
}

/* More of a content is written beside what stands of it, but not beside what was there before. */
static bool is_followed(const zl_replay *c, const zl_rp_place *p, const zl_rp_use *use)
{
    bool past = false;
    if (!use->old || (use->write && (!p->size || p->filled != p->size))) return false;
    for (uint32_t k = 0; k < p->count && !past; k++) past = stands_for(c, &p->uses[k], use);
    return past;
}

void zl_rp_drop_past(const zl_replay *c, zl_rp_place *p)
{
    bool past[ZL_RP_USES];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        const zl_rp_use *use = &p->uses[k];
        bool stands = use->write && !use->old;
        past[k] = !stands && (is_followed(c, p, use) || is_known(c, use));
    }
    for (uint32_t k = 0; k < p->count; k++)
        if (!past[k]) p->uses[kept++] = p->uses[k];
    p->count = kept;
}
