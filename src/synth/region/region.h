/* SPDX-License-Identifier: Apache-2.0 */
/* A request that was read, and what is decided and counted of parts. */
#ifndef ZL_SYNTH_REGION_H
#define ZL_SYNTH_REGION_H

#include "base/base.h"

#include <zlay/region.h>

enum { ZL_REGION_ROWS, ZL_REGION_COLUMNS, ZL_REGION_AXES };

/* What is valid of a group in one dimension. */
typedef struct zl_region_span {
    int64_t begin;
    uint64_t length;
} zl_region_span;

/* One dimension of the request. */
typedef struct zl_region_side {
    const zlay_region_axis *axis;
    zl_region_span *span; /* of each group; one for all where `shared` */
    bool shared, read_on;
    uint32_t align;
    uint64_t extent;  /* of the buffer */
    uint64_t longest; /* steps of a group's tiles, `zl_region_reach`, at most */
} zl_region_side;

/* Tiles have columns and a cost. */
typedef struct zl_domain {
    zlay_region_request request;
    zl_region_side side[ZL_REGION_AXES];
    zlay_region_tile tile[ZLAY_REGION_TILES];
    bool costs; /* the request has them */
} zl_domain;

/* Reads a request into scratch memory.  EINVAL names the field and the entry. */
zlay_status zl_domain_read(zlay_ctx *ctx, zl_domain *out, const zlay_region_request *request);

static inline zl_region_span zl_region_of(const zl_region_side *side, uint64_t group)
{
    return side->span[side->shared ? 0 : group];
}

/* Where the loads of what begins at `begin` begin: at a multiple of align where they may. */
static inline int64_t zl_region_from(const zl_region_side *side, int64_t begin)
{
    return side->read_on ? begin - zl_floor_mod(begin, side->align) : begin;
}

/* The length that tiles cover, from where the loads begin. */
static inline uint64_t zl_region_reach(const zl_region_side *side, zl_region_span span)
{
    return span.length ? span.length + (uint64_t)(span.begin - zl_region_from(side, span.begin))
                       : 0;
}

static inline uint64_t zl_region_edge(const zlay_region_tile *tile, int axis)
{
    return axis == ZL_REGION_ROWS ? tile->rows : tile->columns;
}

/* Of a part in one dimension: what is valid, and the steps that its tile takes. */
zl_region_span zl_region_part_span(const zlay_region_part *part, int axis);
uint64_t zl_region_steps(const zl_domain *d, const zlay_region_part *part, int axis);

/* A tile that a cover has; NULL past the last. */
const zlay_region_tile *zl_region_tile(const zlay_region *region, uint32_t tile);

/* Decides whether the parts are disjoint and cover the domain.  ENOMEM. */
zlay_status zl_region_decide(zlay_ctx *ctx, zlay_answer *answer, zlay_region_fault *fault,
                             const zl_domain *d, const zlay_region_part *parts, uint64_t count);

/* Counts what parts that cover the domain take.  EOVERFLOW, ENOMEM. */
zlay_status zl_region_count(zlay_ctx *ctx, zlay_region_summary *out, const zl_domain *d,
                            const zlay_region_part *parts, uint64_t count);

#endif
