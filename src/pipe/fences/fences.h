/* SPDX-License-Identifier: Apache-2.0 */
/* Places of fences, and sets of them. */
#ifndef ZL_PIPE_FENCES_H
#define ZL_PIPE_FENCES_H

#include "pipe/language/pipe.h"
#include <zlay/pipe_fences.h>

enum { ZL_PLACES = 1024, ZL_PLACE_WORDS = ZL_PLACES / 64, ZL_CLAUSES = 128 };

/* A fence before an event, in its role or in the setup. */
typedef struct zl_fence_place {
    uint32_t event;
    int32_t way; /* ZL_FENCE_* */
} zl_fence_place;

typedef struct zl_fence_set {
    uint64_t word[ZL_PLACE_WORDS];
} zl_fence_set;

static inline bool zl_fence_has(const zl_fence_set *s, uint32_t i)
{
    return s->word[i / 64] >> i % 64 & 1;
}
static inline void zl_fence_add(zl_fence_set *s, uint32_t i) { s->word[i / 64] |= 1ull << i % 64; }
static inline void zl_fence_drop(zl_fence_set *s, uint32_t i)
{
    s->word[i / 64] &= ~(1ull << i % 64);
}

/* The places at which a fence may help; false: more than ZL_PLACES. By rising event. */
bool zl_fence_places(const zlay_pipe *pipe, zl_fence_place *places, uint32_t *count);

/* Clauses, each of which every answer hits, and a least set that hits them all. */
typedef struct zl_hitting {
    zl_fence_set clause[ZL_CLAUSES];
    uint32_t clauses, least; /* no set of fewer than `least` hits them all */
} zl_hitting;

/* false: the search ended without an answer. */
bool zl_hitting_find(zl_fence_set *out, zl_hitting *hitting, uint32_t places);

#endif
