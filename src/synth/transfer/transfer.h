/* SPDX-License-Identifier: Apache-2.0 */
/* The value behind zlay_transfer: loops over modes that source and destination share, or one loop
 * over the index of both. */
#ifndef ZL_TRANSFER_H
#define ZL_TRANSFER_H

#include "algebra/layout/layout.h"
#include <zlay/transfer.h>

enum { ZL_FROM, ZL_TO, ZL_INDEX };
enum { ZL_LOOPS = 16, ZL_CHUNK = 16, ZL_RUN_MOST = 16384 };

/* One mode: its extent, and what a step adds to either side and to the request's index. */
typedef struct zl_loop {
    int64_t extent, from, to, index;
} zl_loop;

/* One side: offset of the first element, and what is XORed onto every offset, in elements. */
typedef struct zl_transfer_side {
    int64_t offset;
    zl_swizzle swizzle;
    uint32_t align; /* of the pointer, bytes */
} zl_transfer_side;

struct zlay_transfer {
    zlay_allocator alloc;
    zlay_transfer_summary info;
    uint32_t loops;
    zl_loop loop[ZL_LOOPS]; /* 0: along the destination's rows */
    zl_transfer_side from, to;
    zlay_layout *made[2];  /* cheaper forms of layouts that are neither strided nor f2; or NULL */
    zlay_layout *apart[2]; /* of sides that share no modes the layouts, beside one loop; or NULL */
    uint32_t turn;      /* the loop along which the source is contiguous, of a turned tile */
    uint32_t row_shift; /* 1: rows of the destination may be off 16 bytes */
    zlay_layout *order;
    zlay_layout *certificate[2][2];
};

/* zlay_transfer_synth inside an entered call. */
zlay_status zl_transfer_synth(zlay_ctx *ctx, zlay_transfer **out, const zlay_target *target,
                              const zlay_transfer_request *request);

/* Loops of a request, those of least destination strides first; and its order and certificates,
 * against the layouts that were asked for. */
zlay_status zl_transfer_loops(zlay_ctx *ctx, zlay_transfer *t, const zlay_transfer_request *r,
                              const zlay_transfer_request *asked);

/* What the loops do on one side, or to the request's index, as a layout. */
zlay_status zl_transfer_layout(zlay_ctx *ctx, zlay_layout **out, const zlay_transfer *t, int what);

/* Which path, and everything that a launch needs. */
zlay_status zl_transfer_path(zlay_ctx *ctx, zlay_transfer *t, const zlay_transfer_request *r);

static inline uint32_t zl_elem(const zlay_transfer *t) { return t->info.elem_bits / 8; }
static inline uint64_t zl_row_bytes(const zlay_transfer *t)
{
    return (uint64_t)t->loop[0].extent * zl_elem(t);
}

/* Vectors, or bulk runs, that a row takes. */
uint64_t zl_row_items(const zlay_transfer *t);

#endif
