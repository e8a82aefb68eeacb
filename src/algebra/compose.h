/* SPDX-License-Identifier: Apache-2.0 */
/* Inside composition. */
#ifndef ZL_ALGEBRA_COMPOSE_H
#define ZL_ALGEBRA_COMPOSE_H

#include "algebra/layout.h"

/* A composition on its way: a's modes flat and coalesced on every integer, and the box of b. */
typedef struct zl_work {
    zlay_ctx *ctx;
    const zlay_layout *a, *b;
    zl_modes flat, box;
} zl_work;

/* a(b(index)); false when it does not fit 64 bits. */
bool zl_work_at(const void *work, uint64_t index, int64_t *value);

/* Of two strided layouts; ZLAY_NONE: CuTe's is not defined here, or is not this function. */
zlay_status zl_compose_cute(zl_work *w, zl_modes *out);

#endif
