/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/structure.h - what x -> A x + b on a box reaches, by the Smith form of A.
 *
 *  A worked example.  (4,6):(4,-2) has A = [4 -2] on 4 x 6 points.  Its Smith form
 *  is 2: every value is even, the lattice is 2 Z, and no direction steps by one.
 *  The values are -10, -8, .., 12, which is 12 values for 24 points; 12 = 4 * 3
 *  has one point, 2 has three.  With the second coordinate flipped it is the
 *  strided layout -10 o (6,4):(2,4).
 */
#ifndef ZLAY_STRUCTURE_H
#define ZLAY_STRUCTURE_H

#include <zlay/layout.h>
#include <zlay/zmat.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Immutable; read by any thread. */
typedef struct zlay_structure zlay_structure;

/** Its matrices; m outputs, n dimensions of the box. */
enum {
    ZLAY_STRUCTURE_A = 0,     /* m x n */
    ZLAY_STRUCTURE_B,         /* m x 1 */
    ZLAY_STRUCTURE_S,         /* the Smith form of A without the columns of extent 1: */
    ZLAY_STRUCTURE_U,         /* u a v = diag(s) */
    ZLAY_STRUCTURE_V,
    ZLAY_STRUCTURE_LATTICE,   /* m x rank: differences of values are its columns' combinations */
    ZLAY_STRUCTURE_DIRECTION, /* n x 1: a step that adds 1 to output 0 and nothing elsewhere */
    ZLAY_STRUCTURE_CHANGE,    /* n x n: with x = change z + origin every output has positive */
    ZLAY_STRUCTURE_ORIGIN     /* strides, ascending, and no coordinate is in two outputs */
};

/** Figures of a structure.  64 bytes. */
typedef struct zlay_structure_summary {
    uint64_t points;     /* of the box */
    uint64_t values;     /* different ones; 0: more than limits.points would be asked for, or
                            the ranges of several outputs multiply past 64 bits */
    uint64_t least;      /* points on a value, at least and at most; 0 where values is 0 */
    uint64_t most;
    uint64_t run;        /* points of the longest line along a direction; 1: there is none */
    uint64_t rank;       /* of the lattice */
    int32_t onto;        /* 1: the lattice is all integer points */
    int32_t invertible;  /* 1: a value has one point, in the box and in all integers */
    int32_t run_is_best; /* 0: the search for a longer one passed a limit */
    uint32_t reserved;   /* 0 */
} zlay_structure_summary;

/** The structure of a layout that is affine in its coordinates.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE it is not affine, or not defined everywhere, and the
 *           message has the index; ZLAY_ELIMIT limits.points, for a layout that is
 *           not strided; ZLAY_ENOTSUP parameters; ZLAY_EINVAL, ZLAY_EOVERFLOW,
 *           ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_structure_free.
 */
ZLAY_API zlay_status zlay_layout_structure(zlay_ctx *ctx, zlay_structure **out,
                                           const zlay_layout *layout);

/** Free a structure; NULL is allowed. */
ZLAY_API void zlay_structure_free(zlay_structure *structure);

/** One of its matrices, which lives as long as the structure; NULL where there is
 *  no such direction or change, and for any other number. */
ZLAY_API const zlay_zmat *zlay_structure_matrix(const zlay_structure *structure, int32_t which);

/** Its counts.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL.
 */
ZLAY_API zlay_status zlay_structure_info(zlay_structure_summary *out,
                                         const zlay_structure *structure);

#ifdef __cplusplus
}
#endif
#endif
