/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes, one at a time: a wait, a barrier or a nop that is missing or waits for less, an access
 * that is one step beside its place. */
#ifndef TEST_GCN_MUTANTS_H
#define TEST_GCN_MUTANTS_H

#include "run.h"

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

/* Whether the run is right. */
typedef bool gcn_trial(const gcn_code *code, void *test);

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

/* Mistakes that no run can show, and how many of that name there are; the reason stands with the list. */
typedef struct gcn_excuse {
    const char *name;
    int count;
} gcn_excuse;

typedef struct gcn_toll {
    int tried, found, missed;
} gcn_toll;

static inline bool gcn_excused(const gcn_excuse *excuses, int *left, const char *name)
{
    for (int i = 0; excuses && excuses[i].name; i++)
        if (!strcmp(excuses[i].name, name)) return left[i]-- > 0;
    return false;
}

/* Tries one in `step` of the mistakes in lines that `ran` names (NULL: in all), from `first` on. Missed are those that no run shows and
 * that the list does not name, and, where all are tried, those that it names and a run shows. */
static inline gcn_toll gcn_try_mistakes(gcn_code *code, gcn_trial *right, void *test, int first,
                                        int step, const uint8_t *ran, const gcn_excuse *excuses)
{
    gcn_toll toll = {0};
    int number = 0, left[64] = {0};
    for (int i = 0; excuses && excuses[i].name; i++) left[i] = excuses[i].count;
    for (int i = 0; i < code->lines; i++)
        for (gcn_mistake mistake = 0; mistake < GCN_MISTAKES; mistake++) {
            gcn_line was = code->line[i];
            char name[200];
            if ((ran && !ran[i]) || !gcn_possible(&was, mistake) || number++ % step != first)
                continue;
            gcn_change(&code->line[i], mistake);
            bool seen = !right(code, test);
            code->line[i] = was;
            snprintf(name, sizeof name, "%s: %s", was.text, gcn_mistake_name[mistake]);
            bool missed = !seen && !gcn_excused(excuses, left, name);
            if (missed) printf("unseen: line %d, %s\n", i, name);
            toll.tried++, toll.found += seen, toll.missed += missed;
        }
    for (int i = 0; step == 1 && excuses && excuses[i].name; i++) {
        if (left[i]) printf("listed, and seen: %s\n", excuses[i].name);
        toll.missed += left[i] > 0 ? left[i] : 0;
    }
    return toll;
}

#endif
