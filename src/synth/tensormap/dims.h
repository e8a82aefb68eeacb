/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor map under construction. Its dimensions come first, read from the
 * digits of one box (dims.c, slices.c, columns.c); then each axis that moves
 * the tile gets a dimension whose coordinate advances (place.c); then extents
 * and address are filled in. */
#ifndef ZL_SYNTH_TENSORMAP_DIMS_H
#define ZL_SYNTH_TENSORMAP_DIMS_H

#include "synth/tensormap/tensormap.h"

/* A dimension. `per` indices of it are `unit` cells of its axis, whose edges it
 * has or which it moves. */
typedef struct zl_tm_dim {
    uint64_t box, real; /* steps of the box; those that the tile wants */
    uint64_t stride;    /* bytes from an index to the next */
    uint32_t step;      /* indices from a step to the next */
    int32_t axis;
    uint64_t unit, per;
    uint64_t rest;       /* cells of the axis before index 0, modulo unit: where
                            an edge may fall between the cells of an index, all
                            copies of a map have the same rest */
    bool clips;          /* an edge falls inside */
    bool walks;          /* im2col: a copy begins at the box's `skip` */
    int64_t least, most; /* first indices of all tiles' and copies' boxes, from
                            tile 0's */
} zl_tm_dim;

typedef struct zl_tm_map {
    const zl_tm *t;
    const int64_t *cell; /* borrowed: the box's first cell along each axis */
    uint32_t rank;
    zl_tm_dim dim[ZL_TM_RANK];
    int32_t type, swizzle, interleave;
    uint32_t bytes;      /* of an element of that type, or of a slice */
    uint32_t pitch;      /* bytes from a row to the next in shared memory */
    uint32_t pixels;     /* of an im2col copy; else 0 */
    uint64_t pad;        /* cells of the row's axis that the map has before the
                            tensor's first cell, so that rows begin at multiples
                            of 16 bytes; they are holes of the tile */
    bool weak;           /* an element of the type crosses the tensor's edge */
    int64_t advance[ZL_TM_RANK][ZLAY_TILE_AXES];
} zl_tm_map;

/* Reads a box as dimensions; false: no map has such a box. */
bool zl_tm_map_of(zl_tm_map *out, const zl_tm *t, const zl_tm_box *box);

/* Whether an index of a dimension may stand for `unit` cells of an axis
 * although an edge falls between them; and the cells before index 0 for a box
 * that begins at `cell`. */
bool zl_tm_rests(const zl_tm_axis *a, uint64_t unit);
uint64_t zl_tm_rest(const zl_tm_axis *a, int64_t cell, uint64_t unit);

/* zl_tm_map_of for a box of slices (an interleaved map). */
bool zl_tm_slices_of(zl_tm_map *out, const zl_tm *t, const zl_tm_box *box);

/* zl_tm_map_of for a walk of pixels (an im2col map). */
bool zl_tm_columns_of(zl_tm_map *out, const zl_tm *t, const zl_tm_box *box);

/* Lets coordinates advance by the tile's indices; false: no dimension can. */
bool zl_tm_map_advance(zl_tm_map *m);

/* Sets the coordinates of dimensions with edges for a box, the others to 0,
 * and *way to the bytes from `first` that dimensions without edges must cover.
 * False: an edge is not a whole number of indices away. */
bool zl_tm_map_way(const zl_tm_map *m, int64_t coordinate[ZL_TM_RANK], const zl_tm_box *first,
                   const zl_tm_box *box, int64_t *way);

/* The dimension that covers `way` bytes, `times` times, in whole indices; -1:
 * there is none. */
int zl_tm_map_carrier(const zl_tm_map *m, int64_t way, uint64_t times);

/* Fills in a zeroed map from finished dimensions. */
void zl_tm_map_fill(zlay_tensormap *out, const zl_tm_map *m, int64_t address);

/* Fills in a copy of the map to a place of shared memory; and adds it to the
 * sums of its move. */
void zl_tm_copy_fill(zlay_copy *out, const zl_tm_map *m, int64_t shared,
                     const int64_t coordinate[ZL_TM_RANK]);
void zl_tm_copy_count(zlay_move *move, const zl_tm_map *m, const zlay_copy *copy);

/* The coordinates at which a box begins; false: no dimension reaches it. */
bool zl_tm_map_start(const zl_tm_map *m, int64_t coordinate[ZL_TM_RANK], const zl_tm_box *first,
                     const zl_tm_box *box);

#endif
