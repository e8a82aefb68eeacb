/* SPDX-License-Identifier: Apache-2.0 */
/* The search for a descriptor: what is tried, and what the coordinates confirmed so far have shown. */
#ifndef ZL_SYNTH_SMEMDESC_SEARCH_H
#define ZL_SYNTH_SMEMDESC_SEARCH_H

#include "legality/descriptor/smemdesc.h"
#include "synth/smemdesc/smemdesc.h"

enum { ZL_DESC_CHUNK = 16, ZL_DESC_LINE = 128 }; /* bytes */
enum { ZL_DESC_ROWS = 256 /* of an instruction, at most */ };

typedef struct zl_desc_search {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_smemdesc_request request;
    struct {
        zlay_smemdesc *fields;
        uint32_t *start;
        size_t room, *count;
    } out;
    bool final;               /* places are those behind the swizzle, which is to be found */
    int32_t swizzle;          /* as tried, as what follows */
    const zl_desc_pattern *pattern;
    uint32_t base;            /* line of the pattern's row 0 */
    uint64_t reached;         /* coordinates that were confirmed */
    int64_t bits;             /* of an element */
    uint64_t mn, k;           /* extents of the tile */
    uint64_t steps_mn, count; /* instructions along MN, and in all */
    int64_t chunks;
    int chunks_log, rows_log; /* of chunks of a row and rows of a group */
    int element_log;          /* of elements of a chunk */
    int64_t *start; /* of each step; -1: not learnt yet, as group and next */
    int64_t group, next;
    int64_t part[ZL_DESC_ROWS]; /* along MN of an instruction: bits of its address */
} zl_desc_search;

/* MN-major without a swizzle, LBO and SBO change places. */
static inline bool zl_desc_exchanged(const zl_desc_search *s)
{
    return s->request.major == ZLAY_MAJOR_MN && s->swizzle == ZLAY_SWIZZLE_NONE;
}

/* Whether the pattern that is tried reads every element: its fields are in `s` then. NONE, with the
 * coordinate that no field reaches; `reached` says how many it read before. */
zlay_status zl_desc_confirm(zl_desc_search *s);

#endif
