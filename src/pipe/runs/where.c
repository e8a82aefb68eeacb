/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates what an event names: the value of a position, the stage it selects, the blocks
 * whose memory or mbarrier it reaches. Also notes the first fault, a limit, and what a block
 * owes. */
#include "pipe/runs/run.h"

int64_t zl_run_iteration(const zl_run *r, const zl_instance *i)
{
    for (uint32_t d = 0; d < i->depth; d++)
        if (r->pipe->events[i->loop[d]].over == r->tiles->over) return i->counter[d];
    return -1;
}

/* The same where iterations have counts of their own: t*N is the sum of those before t. */
static int64_t value_by_iteration(const zl_run *r, const zl_instance *i, const zl_pos *pos)
{
    const zl_tiles *t = r->tiles;
    zl_pos rest = *pos;
    int64_t sum = 0;
    if (pos->times == t->count) {
        sum += t->begun[i->counter[pos->loop]];
        rest.loop = rest.times = -1;
    }
    if (pos->plus == t->count) {
        sum += t->counts[zl_run_iteration(r, i)];
        rest.plus = -1;
    }
    return sum + zl_pos_value(&rest, i->counter, r->params);
}

int64_t zl_run_value(const zl_run *r, const zl_instance *i, const zl_pos *pos)
{
    return r->tiles ? value_by_iteration(r, i, pos) : zl_pos_value(pos, i->counter, r->params);
}

uint32_t zl_run_slot(zl_run *r, const zl_instance *i, const zl_pos *pos, uint32_t stages)
{
    int64_t at = zl_run_value(r, i, pos);
    if (at >= 0) return (uint32_t)(at % stages);
    zl_run_fault(r, ZLAY_PIPE_STAGE, i->pc, UINT32_MAX, at, 0);
    return 0;
}

uint32_t zl_run_other_slot(zl_run *r, const zl_instance *i, const zl_event *e)
{
    const zl_other *other = &r->pipe->others[e->other];
    uint32_t slot = zl_run_slot(r, i, &e->other_at, other->stages);
    return other->each ? (uint32_t)i->number * other->stages + slot : slot;
}

void zl_run_halt(zl_run *r, uint32_t event, const char *because)
{
    if (!r->status) r->status = ZLAY_ELIMIT;
    if (r->because) return;
    r->halted = event;
    r->because = because;
}

void zl_run_fault(zl_run *r, int32_t rule, uint32_t event, uint32_t other, int64_t found,
                  int64_t wanted)
{
    if (!r->fault.rule) r->fault = (zl_fault){rule, event, other, found, wanted};
}

void zl_run_owe(zl_run *r, int32_t block, zl_cond cond, uint32_t event)
{
    size_t at = (size_t)block * r->comps + (size_t)cond.comp;
    if (r->debt[at] >= cond.value) return;
    r->debt[at] = (zl_tick)cond.value;
    r->debt_event[at] = event;
}

bool zl_run_next_block(const zl_run *r, const zl_instance *i, const zl_event *e, uint32_t *block)
{
    uint32_t blocks = r->pipe->blocks, first = *block == UINT32_MAX ? 0 : *block + 1;
    if (e->cta == ZL_CTA_ALL) return (*block = first) < blocks;
    if (first) return false;
    *block = e->cta == ZL_CTA_OWN ? (uint32_t)i->cta : (uint32_t)e->cta;
    if (e->cta != ZL_CTA_OWN && e->relative) *block = (*block + (uint32_t)i->cta) % blocks;
    return true;
}

bool zl_run_next_of_mask(const zl_run *r, const zl_instance *i, uint32_t mask, uint32_t *block)
{
    uint32_t first = *block == UINT32_MAX ? 0 : *block + 1;
    if (!mask) mask = 1u << i->cta;
    for (*block = first; *block < r->pipe->blocks; ++*block)
        if (mask >> *block & 1) return true;
    return false;
}

bool zl_run_reaches(const zl_run *r, const zl_instance *i, const zl_event *e, uint32_t block)
{
    uint32_t b = UINT32_MAX;
    if (e->kind == ZL_EV_COPY && e->bar_cta != ZL_CTA_OWN) return block == (uint32_t)e->bar_cta;
    if (e->multicast) return e->multicast >> block & 1;
    if (e->kind != ZL_EV_ARRIVE && e->kind != ZL_EV_COPY) return block == (uint32_t)i->cta;
    while (zl_run_next_block(r, i, e, &b))
        if (b == block) return true;
    return false;
}

bool zl_run_fills(const zl_run *r, const zl_instance *i, const zl_event *e, uint32_t block)
{
    uint32_t b = UINT32_MAX;
    if (e->kind == ZL_EV_COPY && e->multicast) return e->multicast >> block & 1;
    while (zl_run_next_block(r, i, e, &b))
        if (b == block) return true;
    return false;
}

zl_mbar *zl_mbar_of(zl_run *r, int32_t bar, uint32_t block, uint32_t slot)
{
    return &r->mbars[r->mbar_at[bar] + block * r->pipe->bars[bar].stages + slot];
}

zl_mbar *zl_run_mbar(zl_run *r, const zl_instance *i, const zl_event *e, uint32_t block)
{
    return zl_mbar_of(r, e->bar, block,
                      zl_run_slot(r, i, &e->bar_at, r->pipe->bars[e->bar].stages));
}
