/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces as isl objects.  Only the files isl*.c include this header: no isl type goes further.
 *
 * Coordinates and outputs stand in reverse, so that isl's lexicographic order is that of indices.
 */
#ifndef ZL_ALGEBRA_ISL_OBJECT_H
#define ZL_ALGEBRA_ISL_OBJECT_H

#include "algebra/presburger/isl/isl.h"

#if ZL_ENGINES
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/ilp.h>
#include <isl/map.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

typedef struct zl_isl {
    zlay_ctx *ctx;
    isl_ctx *isl;
    uint64_t quota; /* of its operations */
} zl_isl;

/* A call's isl_ctx: ELIMIT when the pieces of a and b (b may be NULL) are too large, ENOMEM.  Ended
 * also after a refusal, when all objects of it are freed. */
zlay_status zl_isl_begin(zl_isl *e, zlay_ctx *ctx, const zl_pieces *a, const zl_pieces *b);
void zl_isl_end(zl_isl *e);

/* Why isl answered NULL: ELIMIT for the quota. */
zlay_status zl_isl_failed(const zl_isl *e);

/* A fresh quota after one that ended. */
void zl_isl_again(zl_isl *e);

/* A set space with the parameters of p. */
isl_space *zl_isl_space(const zl_isl *e, const zl_pieces *p, size_t dims);
isl_set *zl_isl_box(const zl_isl *e, const zl_pieces *p, const uint64_t *extent, size_t dims);
isl_map *zl_isl_map(const zl_isl *e, const zl_pieces *p);
isl_set *zl_isl_domain(const zl_isl *e, const zl_pieces *p);

/* From the index instead of the coordinates; to the flat value instead of the outputs. */
isl_map *zl_isl_by_index(const zl_isl *e, const zl_pieces *p, isl_map *map);
isl_map *zl_isl_flat(const zl_isl *e, const zl_pieces *p, isl_map *map);

/* Takes v; false when it is no integer of 64 bits. */
bool zl_isl_integer(isl_val *v, int64_t *out);

/* The least point of a set that has one, in isl's order.  Takes the set. */
zlay_status zl_isl_point_of(zl_isl *e, isl_set *set, int64_t *at, zl_isl_point *where);

/* Coordinates and index of a point of p's box. */
void zl_isl_coordinates(zl_isl_point *where, const zl_pieces *p, const int64_t *reverse);

#endif
#endif
