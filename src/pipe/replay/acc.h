/* SPDX-License-Identifier: Apache-2.0 */
/* Accumulators of the checker: what products, queues and tensor memory ask of registers. */
#ifndef ZL_REPLAY_ACC_H
#define ZL_REPLAY_ACC_H

#include "pipe/replay/replay.h"

zl_rp_acc_state *zl_rp_acc_of(zl_replay *c, const zl_rp_instance *i, int32_t acc);

/* Whether an outstanding operation writes the registers, or reads them. */
static inline bool zl_rp_acc_is_written(const zl_rp_instance *i, const zl_rp_acc_state *s)
{
    return s->group > i->done[s->kind];
}
static inline bool zl_rp_acc_is_read(const zl_rp_instance *i, const zl_rp_acc_state *s)
{
    return s->reader > i->done[s->reader_kind];
}

/* Ordinary instructions take the registers, or write them. */
void zl_rp_use_acc(zl_replay *c, zl_rp_instance *i, int32_t acc, bool takes, uint32_t event);

/* Registers that are about to be written: no outstanding operation may read or write them. */
zl_rp_acc_state *zl_rp_fill_acc(zl_replay *c, zl_rp_instance *i, int32_t acc);
void zl_rp_break_flight(zl_replay *c, const zl_rp_acc_state *s, int32_t kind, uint32_t event);

/* The registers hold something else from now on. */
void zl_rp_change_acc(zl_replay *c, const zl_rp_instance *i, int32_t acc);

/* The same product may not be added twice while both factors are unchanged. */
void zl_rp_check_factors(zl_replay *c, const zl_rp_instance *i, const zl_event *e,
                         zl_rp_factors *last);

#endif
