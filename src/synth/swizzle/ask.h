/* SPDX-License-Identifier: Apache-2.0 */
/* A request of swizzle.synth as it was read, and the value that answers it. */
#ifndef ZL_SWIZZLE_ASK_H
#define ZL_SWIZZLE_ASK_H

#include "synth/swizzle/swizzle.h"
#include <zlay/swizzle.h>

typedef struct zl_asked_access {
    zl_banked banked;
    uint32_t lanes, elements; /* lanes that give an address; of a vector */
    uint64_t instances;
    const zlay_layout *layout;
} zl_asked_access;

typedef struct zl_asked {
    zlay_ctx *ctx;
    const zlay_target *target;
    uint32_t elem_bits, rank, count;
    uint64_t shape[ZL_FORM_MODES], size; /* elements of the tile */
    zl_asked_access access[ZL_ASKS_MOST];
} zl_asked;

struct zlay_swizzle {
    zlay_allocator alloc;
    zlay_swizzle_summary info;
    zlay_swizzle_cost cost[ZL_ASKS_MOST];
    zlay_layout *layout;
};

/* A request that is linear over F2, in the terms of zl_swizzle_find. */
typedef struct zl_asked_f2 {
    zl_swizzle_problem problem;
    zl_bank_ask ask[ZL_ASKS_MOST];
    zl_affine map[ZL_ASKS_MOST];
} zl_asked_f2;

zlay_status zl_asked_read(zl_asked *out, const zlay_target *target,
                          const zlay_swizzle_request *request);
bool zl_asked_linear(zl_asked_f2 *out, const zl_asked *a);

/* Fills in layout, costs and info from a layout over F2, whose wavefronts it
 * counts again by addresses. */
zlay_status zl_swizzle_lay(zlay_swizzle *s, const zl_asked *a, const zl_asked_f2 *f,
                           const zl_swizzle_found *found);

/* Puts the best member of the families in place of a worse layout; ZLAY_NONE or
 * ZLAY_ENOTSUP: there is no layout, and no member fits. */
zlay_status zl_swizzle_family(zlay_swizzle *s, const zl_asked *a);

/* Whether a tensor copy can write the tile with this contiguous mode and
 * swizzle; and whether matrix instructions can read it. */
bool zl_tensor_writes(const zl_asked *a, uint32_t mode, int32_t swizzle);
bool zl_matrix_reads(const zl_asked *a, uint32_t mode, int32_t swizzle);

/* zlay_swizzle_synth as a part of a call (zl_enter_part). */
zlay_status zl_swizzle_plan(zlay_ctx *ctx, zlay_swizzle **out, const zlay_target *target,
                            const zlay_swizzle_request *request);

#endif
