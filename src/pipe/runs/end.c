/* SPDX-License-Identifier: Apache-2.0 */
/* Checks what must be complete when a thread, a block or the whole run ends: groups waited
 * for, copies into a block that still runs, tensor memory freed, filled stages read, mbarrier
 * phases complete. What a block owes (zl_run.debt) is a vector clock that the join of its
 * threads' clocks must have reached. */
#include "pipe/runs/state/clock.h"

#include <string.h>

/* Checks a thread's groups: each committed, and each that must be waited for has been. */
void zl_run_check_exit(zl_run *r, const zl_instance *i)
{
    static const struct { int group; bool waited; } rows[] = {
        {ZL_OF_WGMMA, true},     {ZL_OF_BULK, false}, {ZL_OF_BULK_READ, true},
        {ZL_OF_TCGEN05, false},  {ZL_OF_CPASYNC, true}, {ZL_OF_TLD, true},
        {ZL_OF_TST, true},
    };
    for (size_t k = 0; k < ZL_COUNT(rows); k++) {
        int group = rows[k].group;
        if (i->open[group]) zl_run_fault(r, ZLAY_PIPE_GROUP, i->opened[group], UINT32_MAX, 1, 0);
    }
    for (size_t k = 0; k < ZL_COUNT(rows); k++) {
        int group = rows[k].group, from = group == ZL_OF_BULK_READ ? ZL_OF_BULK : group;
        if (rows[k].waited && i->done[group] < i->last[group])
            zl_run_fault(r, ZLAY_PIPE_EXIT, i->opened[from], UINT32_MAX, i->last[group],
                         i->done[group]);
    }
}

/* The join of the clocks of all threads in a block, in r->scratch. */
const zl_tick *zl_run_known_in(zl_run *r, uint32_t block)
{
    memset(r->scratch, 0, r->comps * sizeof *r->scratch);
    for (uint32_t k = 0; k < r->classes_count; k++)
        if (r->instances[r->classes[k].instance].cta == (int32_t)block)
            zl_clock_give(r, r->scratch, &r->classes[k]);
    return r->scratch;
}

/* Whatever writes or signals a block must be known there to be complete before the block ends. */
static void check_debts(zl_run *r, uint32_t block)
{
    const zl_tick *known = zl_run_known_in(r, block);
    for (uint32_t c = 0; c < r->comps; c++) {
        size_t at = (size_t)block * r->comps + c;
        if (r->debt[at] <= known[c]) continue;
        const zl_event *e = &r->pipe->events[r->debt_event[at]];
        bool remote = e->cta != ZL_CTA_OWN || e->multicast;
        zl_run_fault(r, remote ? ZLAY_PIPE_PEER : ZLAY_PIPE_EXIT, r->debt_event[at], UINT32_MAX,
                     known[c], r->debt[at]);
    }
}

/* Each allocation of tensor memory is freed. */
static void check_columns(zl_run *r)
{
    for (uint32_t k = 0; k < r->pipe->tmems_count * r->pipe->blocks; k++)
        if (r->columns[k].allocated && !r->columns[k].freed)
            zl_run_fault(r, ZLAY_PIPE_TMEM_LEAK, r->columns[k].event, UINT32_MAX, 1, 0);
}

/* Each stage and each accumulator that was filled has been read. */
static void check_taken(zl_run *r)
{
    for (uint32_t k = 0; k < r->places_count; k++)
        if (r->places[k].unread)
            zl_run_fault(r, ZLAY_PIPE_EXIT, r->places[k].writer, UINT32_MAX, 0, 1);
    for (uint32_t k = 0; k < r->instances_count * r->pipe->accs_count; k++)
        if (r->accs[k].unread)
            zl_run_fault(r, ZLAY_PIPE_EXIT, r->accs[k].event, UINT32_MAX, 0, 1);
}

/* No mbarrier slot holds a half-filled phase. */
static void check_phases(zl_run *r)
{
    for (uint32_t k = 0; k < r->mbars_count; k++) {
        const zl_mbar *g = &r->mbars[k];
        int64_t count = r->pipe->bars[g->bar].count;
        if (g->pending != count)
            zl_run_fault(r, ZLAY_PIPE_COUNT, g->event, UINT32_MAX, count - g->pending, count);
        if (g->tx) zl_run_fault(r, ZLAY_PIPE_BYTES, g->event, UINT32_MAX, 0, g->tx);
    }
}

void zl_run_check_end(zl_run *r)
{
    for (uint32_t b = 0; b < r->pipe->blocks; b++) check_debts(r, b);
    check_columns(r);
    check_taken(r);
    check_phases(r);
}
