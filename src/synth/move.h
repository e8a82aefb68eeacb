/* SPDX-License-Identifier: Apache-2.0 */
/* The value behind zlay_move, which synthesisers fill. */
#ifndef ZL_MOVE_H
#define ZL_MOVE_H

#include "base/base.h"
#include <zlay/move.h>

struct zlay_move {
    zlay_allocator alloc;
    zlay_move_info info;
    zlay_tensormap *maps; /* info.maps of them */
    zlay_copy *copies;    /* info.copies of them */
    zlay_layout *smem, *residual, *threads;
    zlay_layout *certificate[2];
};

/* A move with room for so many maps and copies, everything else 0. */
zlay_status zl_move_new(zlay_ctx *ctx, zlay_move **out, const zlay_target *target, uint32_t maps,
                        uint32_t copies);

/* Decide the certificate: a move that does not do what was asked is never returned. */
zlay_status zl_move_certify(zlay_ctx *ctx, const zlay_move *move);

#endif
