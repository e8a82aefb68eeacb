/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces as sums: where each guard is a box of arithmetic progressions and each value affine on it,
 * a piece is what a strided layout is, least + sum of step * x, and is decided as one.
 *
 * { [i] -> [2i] : i < 3; [i] -> [i + 9] : i >= 3 and i mod 2 = 1 } on a box of 8 is two sums: 0 + 2
 * x with x <= 2 at indices x, and 12 + 2 x with x <= 2 at indices 3 + 2 x. */
#ifndef ZL_ALGEBRA_SUMS_H
#define ZL_ALGEBRA_SUMS_H

#include "algebra/image/sum.h"

enum { ZL_SUMS_MOST = 4096 };

typedef struct zl_sums_part {
    zl_sum sum;
    uint64_t first; /* the index of the point whose coordinates are 0 */
    uint64_t final; /* of the point whose coordinates are the greatest */
    uint64_t points;
    int64_t greatest, corner; /* corner: the value at the least coordinates */
} zl_sums_part;

/* A coordinate of a part: x = at + modulus * t, t <= last, and what a step of t adds. */
typedef struct zl_progression {
    int64_t at;
    uint64_t last;
    int64_t modulus, step;
} zl_progression;

typedef struct zl_sums {
    zlay_ctx *ctx;
    size_t count, room;
    zl_sums_part *part; /* none is empty */
    size_t dims;        /* of pieces those of the box, of a strided layout its modes */
    uint64_t extent[ZL_TERMS_MOST];
    zl_progression *line; /* `dims` of each part, part after part */
} zl_sums;

/* ZLAY_NONE: the layout is no such pieces of one output and no strided layout without a swizzle.
 * ENOMEM.  Parts and lines are working memory of the call. */
zlay_status zl_sums_of(zlay_ctx *ctx, zl_sums *out, const zlay_layout *a);

/* The parts in the order of their least values, or of their first indices: `order` has room for
 * all. */
void zl_sums_by_value(const zl_sums *s, size_t *order);
void zl_sums_by_index(const zl_sums *s, size_t *order);

/* The index of the point with the coordinates x. */
uint64_t zl_sums_index(const zl_sums_part *p, const uint64_t *x);

/* A value of both: FOUND with a point of each. */
zl_found zl_sums_meet(uint64_t *x, uint64_t *y, const zl_sum *a, const zl_sum *b,
                      zl_budget *budget);

#endif
