/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes, one at a time: a wait, a barrier or a nop that is missing or waits for less, an access
 * that is one step beside its place. */
#ifndef TEST_GCN_MUTANTS_H
#define TEST_GCN_MUTANTS_H

#include "table.h"

typedef enum gcn_mistake {
    GCN_MISSING,
    GCN_VM_LESS,
    GCN_LGKM_LESS,
    GCN_NOP_LESS,
    GCN_BESIDE,
    GCN_MISTAKES
} gcn_mistake;

static const char *const gcn_mistake_name[GCN_MISTAKES] = {"missing", "vmcnt + 1", "lgkmcnt + 1",
                                                           "a state less", "offset + 1 access"};

static inline bool gcn_possible(const gcn_line *line, gcn_mistake mistake)
{
    bool wait = line->form->run == gcn_run_wait, nop = line->form->run == gcn_run_nop;
    bool memory = line->form->run == gcn_run_buffer || line->form->run == gcn_run_global ||
                  line->form->run == gcn_run_lds || line->form->run == gcn_run_scalar_load;
    switch (mistake) {
    case GCN_MISSING: return wait || nop || line->form->run == gcn_run_barrier;
    case GCN_VM_LESS: return wait && line->vmcnt < GCN_QUEUE;
    case GCN_LGKM_LESS: return wait && line->lgkmcnt < GCN_QUEUE;
    case GCN_NOP_LESS: return nop && line->operand[0].number > 0;
    default: return memory;
    }
}

static inline void gcn_change(gcn_line *line, gcn_mistake mistake)
{
    if (mistake == GCN_MISSING) line->gone = true;
    if (mistake == GCN_VM_LESS) line->vmcnt++;
    if (mistake == GCN_LGKM_LESS) line->lgkmcnt++;
    if (mistake == GCN_NOP_LESS) line->operand[0].number--;
    if (mistake == GCN_BESIDE)
        line->offset += line->form->flags & GCN_F_TWO ? 1 : line->form->bytes;
}

static inline bool gcn_excused(const gcn_excuse *excuses, int *left, const char *name)
{
    for (int i = 0; excuses && excuses[i].name; i++)
        if (!strcmp(excuses[i].name, name)) return left[i]-- > 0;
    return false;
}

#endif
