/* SPDX-License-Identifier: Apache-2.0 */
/* A request of stage.synth as it was read, the lists that the search draws from, and the answer. */
#ifndef ZL_STAGE_ASK_H
#define ZL_STAGE_ASK_H

#include "base/base.h"
#include "target/target.h"
#include <zlay/stage.h>

enum { ZL_STAGE_BARRIER_BYTES = 16, ZL_STAGE_LEAST_DEPTH = 2, ZL_STAGE_MOST_DEPTH = 64, ZL_STAGE_WARP = 32,
       ZL_STAGE_WARPS_MOST = 32 };

/* Where lines lie in a buffer: a member of the list that layouts.c makes. */
typedef struct zl_stage_place {
    int32_t layout; /* ZLAY_STAGE_* */
    int32_t swizzle;
    uint32_t pad, bits, shift;
    uint32_t pitch, span, cuts; /* of ROWS and XOR: bytes of a row; of SPANS */
    uint32_t grain;             /* a power of two: such chunks of a line stay whole and aligned */
    uint32_t size, align;       /* bytes */
} zl_stage_place;
enum { ZL_STAGE_PLACES = 24 };

/* A layout with a primitive that writes it, and what both take. */
typedef struct zl_stage_way {
    uint32_t place;
    int32_t kind; /* ZLAY_COPY_* */
    uint32_t width, multicast, copies, expect, buffer, registers, latency;
    bool by_threads;
    uint64_t reads, writes; /* wavefronts */
    uint64_t
        engine; /* copies * copy_each * copy + bytes * 1000: cycles of the engine times its rate */
    uint64_t instructions, l2, dram, wait;
} zl_stage_way;

/* A tensor as its source says it lies. */
typedef struct zl_stage_lines {
    const zlay_stage_tensor *tensor;
    uint32_t mode;              /* of the tile: the contiguous one */
    uint32_t elem, line, lines; /* bytes, bytes, count */
    uint64_t pitch, align; /* bytes between lines of the tensor; that divide where a line begins */
    uint64_t extent[2];    /* of the tensor: elements of a line, lines */
    bool described, lanes; /* read by descriptors of a product; by lanes */
    uint32_t places, ways;
    zl_stage_place place[ZL_STAGE_PLACES];
    zl_stage_way *way;
    const zl_stage_way **kept; /* those that no other one beats */
    uint32_t kept_count;
    const char *refused[4]; /* by primitive, in the order of their bits: the rule; NULL: none */
} zl_stage_lines;

typedef struct zl_stage_tile {
    uint32_t work, cycles, count, consumers;
    bool possible; /* each tensor has a way */
    bool tmem;     /* products of tcgen05 */
    zl_stage_lines *lines;
} zl_stage_tile;

typedef struct zl_stage_asked {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_stage_request request; /* defaults in the places of zeros */
    zl_stage_tile tile[ZLAY_STAGE_TILES];
} zl_stage_asked;

/* One way of each tensor with one choice of barriers, and what follows from them. */
typedef struct zl_stage_result {
    uint32_t tile;
    int32_t barriers;
    const zl_stage_way *way[ZLAY_STAGE_TENSORS];
    uint32_t ring[ZLAY_STAGE_TENSORS], rings;
    uint32_t depth[ZLAY_STAGE_TENSORS]; /* of a ring */
    uint64_t unit[ZLAY_STAGE_UNITS];
    uint64_t cycles, bytes;
    uint32_t mbarriers, registers;
} zl_stage_result;

struct zlay_stage {
    zlay_allocator alloc;
    zlay_stage_summary info;
    zlay_stage_choice choice[ZLAY_STAGE_TENSORS];
    zlay_layout *layout[ZLAY_STAGE_TENSORS];
    zlay_pipe *pipe;
};

/* Checks the request, fills in defaults and reads how tensors lie. */
zlay_status zl_stage_read(zl_stage_asked *out, const zlay_target *target,
                          const zlay_stage_request *request);

/* The list of layouts of a tensor; where byte `at` of a line lies; the layout itself. */
zlay_status zl_stage_places(const zl_stage_asked *a, zl_stage_lines *t);
uint32_t zl_stage_offset(const zl_stage_lines *t, const zl_stage_place *p, uint32_t line,
                         uint32_t at);
zlay_status zl_stage_layout(zlay_ctx *ctx, zlay_layout **out, const zl_stage_lines *t,
                            const zl_stage_place *p);

/* Wavefronts and instructions of all reads of a layout; *fits is false where an access cannot read
 * it. */
typedef struct zl_stage_reads {
    uint64_t wavefronts, instructions;
    bool fits;
} zl_stage_reads;
zlay_status zl_stage_read_count(zl_stage_reads *out, const zl_stage_asked *a,
                                const zl_stage_tile *tile, const zl_stage_lines *t,
                                const zl_stage_place *p);

/* Whether an instruction multiplies the two tensors that it reads; NONE names the rule. */
zlay_status zl_stage_product(const zl_stage_asked *a, const zl_stage_tile *tile);

/* Wavefronts of an access at addresses. */
zlay_status zl_stage_bank(uint64_t *wavefronts, const zl_stage_asked *a, int32_t access,
                          const uint32_t *addresses);

/* The ways of a tensor; NONE names what forbids each primitive. */
zlay_status zl_stage_ways(const zl_stage_asked *a, const zl_stage_tile *tile, zl_stage_lines *t);

/* The equations: fills in what follows from r->tile, r->barriers and r->way. False: registers,
 * shared memory or a rule forbid it. With `smem` of UINT64_MAX depths are the least. */
bool zl_stage_reckon(zl_stage_result *r, const zl_stage_asked *a, uint64_t smem);
uint64_t zl_stage_depth(const zl_stage_asked *a, uint64_t latency, uint64_t cycles);

/* Cycles of units that are sums over tensors. */
void zl_stage_units(uint64_t *unit, const zl_stage_asked *a, const zl_stage_way *sum);
void zl_stage_add(zl_stage_way *sum, const zl_stage_way *way);

/* Whether a is better: cycles for the work, then bytes, then barriers. */
bool zl_stage_better(const zl_stage_asked *a, const zl_stage_result *x, const zl_stage_result *y);

/* The best; `least`: the one of the fewest bytes, whatever the shared memory. */
typedef struct zl_stage_found {
    zl_stage_result best;
    bool some, whole; /* something fits; the search was not ended by limits.points */
    uint64_t visited;
} zl_stage_found;
zlay_status zl_stage_search(zl_stage_found *out, const zl_stage_asked *a, bool least);

/* What choosing in turn comes to; false: nothing that fits. */
bool zl_stage_in_turn(zl_stage_result *out, const zl_stage_asked *a);

/* Arrivals of a ring's barriers. */
uint32_t zl_stage_full(const zl_stage_asked *a, const zl_stage_result *r, uint32_t ring);
uint32_t zl_stage_empty(const zl_stage_asked *a, const zl_stage_result *r, uint32_t ring);

/* Warps of a block: producers and readers, of tcgen05 those that read the sums too. */
uint32_t zl_stage_warps(const zl_stage_asked *a, const zl_stage_result *r);

/* The pipe of a result, proved. */
zlay_status zl_stage_write(zlay_ctx *ctx, zlay_pipe **out, const zl_stage_asked *a,
                           const zl_stage_result *r);

#endif
