/* SPDX-License-Identifier: Apache-2.0 */
/* What is on its way. vmcnt's accesses end in the order of their issue, loads and stores alike; those
 * of LDS end in order, too; scalar loads end in any order, so that lgkmcnt says something of them at
 * 0 alone (CDNA3 ISA 4.4; LLVM's SIInsertWaitcnts). A wait ends what it has to, and nothing sooner. */
#ifndef TEST_GCN_QUEUE_H
#define TEST_GCN_QUEUE_H

#include "state.h"

static inline void gcn_wait(gcn_wave *w, int counter, int keep);

static inline gcn_access *gcn_new_access(gcn_wave *w, const gcn_line *line, int counter)
{
    gcn_access *a = calloc(1, sizeof *a);
    assert_non_null(a);
    if (w->queued[counter] == GCN_QUEUE) gcn_wait(w, counter, GCN_QUEUE - 1);
    a->line = line;
    a->first = -1;
    a->serial = (int)++w->m->serial;
    a->barriers = w->barriers;
    return w->queue[counter][w->queued[counter]++] = a;
}

/* Registers that a load will fill. */
static inline void gcn_loading(gcn_wave *w, gcn_access *a, const gcn_operand *o)
{
    if (o->place != GCN_VECTOR || o->count != a->registers)
        gcn_fault(w, a->line, "no register to load to");
    if (!gcn_allocated(w, o->first, o->count)) gcn_fault(w, a->line, "a register is not allocated");
    if (w->m->failed) return;
    a->first = o->first;
    for (int i = 0; i < a->registers; i++) {
        bool soon = gcn_written_too_soon(w, a->first + i, true);
        w->v_loading[a->first + i]++;
        for (int lane = 0; lane < GCN_LANES && soon; lane++) a->bad[lane][i] = 1;
    }
}

static inline uint32_t gcn_half(uint32_t old, uint32_t new, int flags)
{
    if (flags & GCN_F_LOW) return (old & 0xffff0000) | (new & 0xffff);
    return flags & GCN_F_HIGH ? (old & 0xffff) | new << 16 : new;
}

static inline void gcn_fill(gcn_wave *w, const gcn_access *a)
{
    int flags = a->line->form->flags;
    for (int i = 0; i < a->registers; i++) {
        int r = a->first + i;
        w->v_loading[r]--;
        for (int lane = 0; lane < GCN_LANES; lane++) {
            if (!(a->lanes >> lane & 1)) continue;
            bool half = flags & (GCN_F_LOW | GCN_F_HIGH);
            w->v[r][lane] = gcn_half(w->v[r][lane], a->data[lane][i], flags);
            w->v_bad[r][lane] = a->bad[lane][i] || (half && w->v_bad[r][lane]);
        }
    }
}

static inline void gcn_fill_scalars(gcn_wave *w, const gcn_access *a)
{
    for (int i = 0; i < a->registers; i++) {
        int r = a->first + i;
        w->s_loading[r]--;
        w->s[r] = a->data[i / 4][i % 4];
        w->s_bad[r] = 0;
    }
}

static inline void gcn_sample(gcn_wave *w, gcn_access *a);
static inline void gcn_land(gcn_wave *w, gcn_access *a);

static inline void gcn_end(gcn_wave *w, gcn_access *a)
{
    if (a->lds) gcn_sample(w, a);
    if (a->direct) gcn_land(w, a);
    if (a->scalar)
        gcn_fill_scalars(w, a);
    else if (a->first >= 0)
        gcn_fill(w, a);
}

/* All but the last `keep` are over; a counter that its field cannot say waits for nothing. */
static inline void gcn_wait(gcn_wave *w, int counter, int keep)
{
    gcn_access **queue = w->queue[counter];
    int behind = 0, kept = 0;
    for (int i = 0; i < w->queued[counter]; i++) behind += !queue[i]->scalar;
    for (int i = 0; i < w->queued[counter]; i++) {
        bool stays = queue[i]->scalar ? keep > 0 : behind <= keep;
        behind -= !queue[i]->scalar;
        if (stays) {
            queue[kept++] = queue[i];
            continue;
        }
        gcn_end(w, queue[i]);
        free(queue[i]);
    }
    w->queued[counter] = kept;
}

#endif
