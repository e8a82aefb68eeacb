/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the integers of an encoded state; shared by state.c and encode.c. With `marking` nothing
 * is written, and the operations that the state mentions are only marked. */
#ifndef ZL_REPLAY_ENCODE_H
#define ZL_REPLAY_ENCODE_H

#include "pipe/replay/same.h"

static inline void zl_encode(zl_rp_encoding *w, int64_t value)
{
    if (w->marking) return;
    if (w->need < w->room) w->out[w->need] = value;
    w->need++;
}

/* The round that an index is in, and its slot there; both of indices below 0 too. */
static inline int64_t zl_encode_round(int64_t at, uint32_t stages)
{
    return at >= 0 ? at / stages : -((stages - 1 - at) / stages);
}

static inline uint32_t zl_encode_slot(int64_t at, uint32_t stages)
{
    return (uint32_t)(at - zl_encode_round(at, stages) * stages);
}

/* The index that those of a ring are counted from in a block. */
int64_t zl_encode_base(zl_replay *c, const zl_rp_encoding *w, uint32_t ring, uint32_t block);
/* An operation with what it is, when it is met first. */
void zl_encode_op(zl_replay *c, zl_rp_encoding *w, int32_t op);
void zl_encode_factors(zl_replay *c, zl_rp_encoding *w, const zl_rp_factors *f);
void zl_encode_places(zl_replay *c, zl_rp_encoding *w);
void zl_encode_columns(zl_replay *c, zl_rp_encoding *w);

#endif
