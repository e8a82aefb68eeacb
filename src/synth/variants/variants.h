/* SPDX-License-Identifier: Apache-2.0 */
/* Variants inside: guards as tests of linear sums, sets of points, and the search over lists. */
#ifndef ZL_SYNTH_VARIANTS_H
#define ZL_SYNTH_VARIANTS_H

#include "algebra/facts/form.h"
#include <zlay/variants.h>

/* ---- guards ---------------------------------------------------------------------------------- */

/* What has to hold, all of it; none: always.  A test is sum of coefficient x + rest == 0, <= 0, or
 * == 0 modulo mod.  One with a name has the coefficient 1 or -1; one with several is proved to fit
 * 64 bits term by term, in the order of its names, wherever the ranges of the request hold. */
typedef struct zl_variant_guard {
    size_t count;
    const zl_relation_fact *test;
} zl_variant_guard;

/* The unknowns of a request; their ranges are what facts with one name say. */
zlay_status zl_variant_guard_names(zlay_ctx *ctx, zl_unknowns *u, const zlay_variants_request *request);

/* Read facts into working memory; `what` names the field in messages.  `domain`: the ranges of u
 * become what they say. */
zlay_status zl_variant_guard_read(zl_unknowns *u, zl_variant_guard *out, const char *what,
                              const char *const *text, uint32_t count, bool domain);

/* Whether it holds; of a guard where the request's facts do.  Pure. */
bool zl_variant_guard_holds(const zl_variant_guard *c, const int64_t *value);

/* ---- which guards cover ---------------------------------------------------------------------- */

/* Whether one of the guards holds wherever the domain does; of NO, at: values of the unknowns for
 * which none does.  UNDECIDED has its message. */
zlay_status zl_variants_total(zlay_ctx *ctx, zlay_answer *answer, int64_t *at, const zl_unknowns *u,
                              const zl_variant_guard *domain, const zl_variant_guard *guard, size_t count);

/* ---- the search ------------------------------------------------------------------------------ */

/* Shapes, and behind them points that only have to be taken. */
enum { ZL_POINTS_MOST = 128 };
typedef struct zl_point_set {
    uint64_t bits[ZL_POINTS_MOST / 64];
} zl_point_set;

static inline bool zl_point_set_has(const zl_point_set *p, size_t i) { return p->bits[i / 64] >> i % 64 & 1; }
static inline void zl_point_set_put(zl_point_set *p, size_t i) { p->bits[i / 64] |= (uint64_t)1 << i % 64; }

/* Candidates, the points where their guards hold, and what each costs there: weighted, fewer than
 * 2^62 in all points together. */
typedef struct zl_lists {
    zlay_ctx *ctx;
    size_t candidates, points;
    const zl_point_set *holds;
    const uint64_t *cost; /* candidate * ZL_POINTS_MOST + point */
} zl_lists;

typedef struct zl_list {
    uint32_t count;
    uint32_t pick[ZLAY_VARIANTS_MOST]; /* candidates in their order */
    uint64_t cost; /* of nothing found: no list costs less; UINT64_MAX: none takes every point */
    bool found;
} zl_list;

/* The list of at most `most` candidates, each point taken by the first that holds there, that costs
 * least, if that is below `limit`. */
zlay_status zl_lists_search(const zl_lists *lists, zl_list *out, uint32_t most, uint64_t limit);

/* Whether a request has unknowns and shapes, and not too many of them. */
zlay_status zl_variants_counts(zlay_ctx *ctx, const zlay_variants_request *request);

/* The public call as a part of a call; *out is freed by the caller, whatever the status. */
zlay_status zl_variants_choose(zlay_ctx *ctx, zlay_variants **out, const zlay_variants_request *request);

/* ---- the answer ------------------------------------------------------------------------------ */

struct zlay_variants {
    zlay_allocator alloc;
    size_t bytes;
    zlay_variants_summary summary;
    zlay_variants_item item[ZLAY_VARIANTS_MOST];
    uint32_t unknowns;
    zl_name name[ZLAY_VARIANTS_UNKNOWNS];
    int64_t least[ZLAY_VARIANTS_UNKNOWNS]; /* of the request's facts with one name */
    zl_variant_guard domain, guard[ZLAY_VARIANTS_MOST];
    zl_relation_fact test[]; /* of all of them */
};

#endif
