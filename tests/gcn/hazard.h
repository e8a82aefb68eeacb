/* SPDX-License-Identifier: Apache-2.0 */
/* Wait states: whether enough of them have passed. */
#ifndef TEST_GCN_HAZARD_H
#define TEST_GCN_HAZARD_H

#include "gcn.h"

typedef enum gcn_hazard {
#define HAZARD(name, a, b, c, passes, first, then) GCN_H_##name,
#include "hazards.def"
#undef HAZARD
    GCN_HAZARDS
} gcn_hazard;

typedef struct gcn_hazard_row {
    int states[GCN_TARGETS], passes;
    const char *first, *then;
} gcn_hazard_row;

static const gcn_hazard_row gcn_hazard_rows[GCN_HAZARDS] = {
#define HAZARD(name, a, b, c, passes, first, then) {{a, b, c}, passes, first, then},
#include "hazards.def"
#undef HAZARD
};

/* Whether what happened at `then` is too near. */
static inline bool gcn_too_soon(const gcn_wave *w, gcn_hazard hazard, int32_t then, int32_t passes)
{
    const gcn_hazard_row *row = &gcn_hazard_rows[hazard];
    int32_t need = row->states[w->m->code->target] + (row->passes ? passes : 0);
    return w->now - then - 1 < need;
}

typedef enum gcn_reader {
    GCN_BY_VALU,
    GCN_BY_LANE,
    GCN_BY_MEMORY,
    GCN_BY_MFMA,
    GCN_BY_MFMA_C
} gcn_reader;

/* The sum of a chain of MFMAs passes from one to the next at once where both name the same registers. */
static inline bool gcn_chained(const gcn_history *h, gcn_reader by, int first, int count)
{
    return by == GCN_BY_MFMA_C && h->product_first == first && h->product_count == count;
}

static inline bool gcn_read_too_soon(const gcn_wave *w, int r, gcn_reader by, int first, int count)
{
    const gcn_history *h = &w->history[r];
    gcn_hazard product = by == GCN_BY_MFMA_C ? GCN_H_PRODUCT_C : GCN_H_PRODUCT;
    if (!gcn_chained(h, by, first, count) &&
        gcn_too_soon(w, product, h->product, h->product_passes))
        return true;
    if (by >= GCN_BY_MFMA) return gcn_too_soon(w, GCN_H_OPERAND, h->valu, 0);
    if (by == GCN_BY_LANE && gcn_too_soon(w, GCN_H_READ_LANE, h->valu, 0)) return true;
    return by != GCN_BY_MEMORY && gcn_too_soon(w, GCN_H_TRANS, h->trans, 0);
}

static inline bool gcn_exec_too_soon(const gcn_wave *w, gcn_hazard hazard)
{
    return gcn_too_soon(w, hazard, w->s_valu[GCN_EXEC], 0) ||
           gcn_too_soon(w, hazard, w->s_valu[GCN_EXEC + 1], 0);
}

/* By anything but an MFMA. */
static inline bool gcn_written_too_soon(const gcn_wave *w, int r, bool by_memory)
{
    const gcn_history *h = &w->history[r];
    return gcn_too_soon(w, GCN_H_PRODUCT, h->product, h->product_passes) ||
           gcn_too_soon(w, GCN_H_SUM_WRITTEN, h->sum, h->sum_passes) ||
           (!by_memory && gcn_too_soon(w, GCN_H_STORED, h->store, 0));
}

#endif
