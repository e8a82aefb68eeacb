/* SPDX-License-Identifier: Apache-2.0 */
/* What replay_state.c and replay_sheet.c share: how the numbers of a state are put down. */
#ifndef ZL_REPLAY_SHEET_H
#define ZL_REPLAY_SHEET_H

#include "pipe/replay/same.h"

static inline void zl_sheet_put(zl_rp_sheet *w, int64_t value)
{
    if (w->marking) return;
    if (w->need < w->room) w->out[w->need] = value;
    w->need++;
}

/* The round that an index is in, and its slot there; both of indices below 0 too. */
static inline int64_t zl_sheet_round(int64_t at, uint32_t stages)
{
    return at >= 0 ? at / stages : -((stages - 1 - at) / stages);
}

static inline uint32_t zl_sheet_slot(int64_t at, uint32_t stages)
{
    return (uint32_t)(at - zl_sheet_round(at, stages) * stages);
}

/* The index that those of a ring are counted from in a block. */
int64_t zl_sheet_base(zl_replay *c, const zl_rp_sheet *w, uint32_t ring, uint32_t block);
/* An operation with what it is, when it is met first. */
void zl_sheet_item(zl_replay *c, zl_rp_sheet *w, int32_t item);
void zl_sheet_factors(zl_replay *c, zl_rp_sheet *w, const zl_rp_factors *f);
void zl_sheet_places(zl_replay *c, zl_rp_sheet *w);
void zl_sheet_columns(zl_replay *c, zl_rp_sheet *w);

#endif
