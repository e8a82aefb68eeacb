/* SPDX-License-Identifier: Apache-2.0 */
/* What a block takes for any number of trips, from runs of few. */
#ifndef ZL_KERNEL_COST_H
#define ZL_KERNEL_COST_H

#include "pipe/cost/cost.h"
#include <zlay/kernel_cost.h>

enum { ZL_COST_TRIPS = 128 /* of the inner loop, that are run */ };

/* A block: a pipe with an inner param, and where it has one an outer one, of tiles. */
typedef struct zl_block_cost {
    const zlay_machine *machine;
    const zlay_pipe *pipe;
    const zlay_pipe_product *products;
    size_t products_count;
    int32_t inner, outer; /* params; -1 */
    uint64_t share;       /* bytes per 1000 cycles */
    uint64_t facts, ops;  /* out */
    int32_t bound;        /* out */
} zl_block_cost;

/* Cycles of so many trips in each of so many tiles; and of the last trip. Trips behind
 * ZL_COST_TRIPS take what the last one does, tiles behind the second what the second does. */
zlay_status zl_block_cycles(zlay_ctx *ctx, zl_block_cost *b, int64_t tiles, int64_t trips,
                            zlay_kernel_cost *out);

/* What one processor of so many gets of L2, in bytes per 1000 cycles: where that is known the rate
 * of processors that read the same lines, as blocks of a product do. */
zlay_status zl_kernel_share(zlay_ctx *ctx, uint64_t *out, const zlay_machine *machine,
                            int64_t blocks, uint64_t *facts);

/* DRAM's time, its latency, the launch; and nanoseconds. `out` has the cycles of all blocks. */
zlay_status zl_kernel_finish(zlay_ctx *ctx, zlay_kernel_cost *out, const zlay_machine *machine,
                             uint64_t bytes);

/* A number of the machine, or NONE with its name. */
zlay_status zl_kernel_fact(zlay_ctx *ctx, int64_t *out, const zlay_machine *machine, int32_t fact,
                           uint64_t *facts);

/* The param of a name; -1. */
int32_t zl_kernel_param(const zlay_pipe *pipe, const char *name);

#endif
