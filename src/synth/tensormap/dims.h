/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor map under construction. Its dimensions come first, read from the digits of one box
 * (dims.c, slices.c, columns.c); then each axis that moves the tile gets a dimension whose
 * coordinate advances (place.c); then extents and address are filled in. */
#ifndef ZL_SYNTH_TENSORMAP_DIMS_H
#define ZL_SYNTH_TENSORMAP_DIMS_H

#include "synth/tensormap/tensormap.h"

/* `per` indices are `unit` cells of the axis whose edges the dimension has, or which it moves. */
typedef struct zl_tm_dim {
    uint64_t box, real; /* steps; of them those that the tile asks for */
    uint64_t stride;    /* bytes of an index */
    uint32_t step;      /* indices of a step */
    int32_t axis;
    uint64_t unit, per;
    uint64_t rest;       /* cells of the axis before the one that index 0 is: where an edge may fall
                            between the cells of an index, all copies of a map have one rest */
    bool clips;
    bool walks;          /* of im2col: a copy begins at the box's `skip` and goes on from there */
    int64_t least, most; /* indices where a copy begins, over all tiles and copies, from tile 0's */
} zl_tm_dim;

typedef struct zl_tm_map {
    const zl_tm *t;
    const int64_t *cell; /* where the box that was read begins, along each axis; of that box */
    uint32_t rank;
    zl_tm_dim dim[ZL_TM_RANK];
    int32_t type, swizzle, interleave;
    uint32_t bytes;      /* of an element of that type; of slices those of one */
    uint32_t pitch;      /* bytes from a row to the next in shared memory */
    uint32_t pixels;     /* of an im2col copy; else 0 */
    uint64_t pad;        /* cells of the row's axis that the map has before the tensor's first, so that a
                            row that begins inside of 16 bytes begins at whole 16; holes of the tile */
    bool weak;           /* the type does not divide the tensor's extent */
    int64_t advance[ZL_TM_RANK][ZLAY_TILE_AXES];
} zl_tm_map;

/* Read a box as dimensions; false: it is none of a map. */
bool zl_tm_map_of(zl_tm_map *out, const zl_tm *t, const zl_tm_box *box);

/* Whether an index of a dimension may be so many cells of an axis whose edges fall between them, and the
 * cells before index 0 where a box begins at a cell. */
bool zl_tm_rests(const zl_tm_axis *a, uint64_t unit);
uint64_t zl_tm_rest(const zl_tm_axis *a, int64_t cell, uint64_t unit);

/* The same of a box of slices. */
bool zl_tm_slices_of(zl_tm_map *out, const zl_tm *t, const zl_tm_box *box);

/* The same of a walk of pixels. */
bool zl_tm_columns_of(zl_tm_map *out, const zl_tm *t, const zl_tm_box *box);

/* Move a map by the tile's indices; false: no dimension can. */
bool zl_tm_map_advance(zl_tm_map *m);

/* The bytes from `first` to where a box begins that dimensions without edges have to go; those with
 * edges stand at `coordinate`, the others at 0.  False: an edge is no whole indices away. */
bool zl_tm_map_way(const zl_tm_map *m, int64_t coordinate[ZL_TM_RANK], const zl_tm_box *first,
                   const zl_tm_box *box, int64_t *way);

/* The dimension that goes `times` times so far in whole indices; -1: none. */
int zl_tm_map_carrier(const zl_tm_map *m, int64_t way, uint64_t times);

/* The map of dimensions that are finished, into one that is 0. */
void zl_tm_map_fill(zlay_tensormap *out, const zl_tm_map *m, int64_t address);

/* A copy of the map to a place of shared memory; the same in the sums of its move. */
void zl_tm_copy_fill(zlay_copy *out, const zl_tm_map *m, int64_t shared,
                     const int64_t coordinate[ZL_TM_RANK]);
void zl_tm_copy_count(zlay_move *move, const zl_tm_map *m, const zlay_copy *copy);

/* Both; false: no dimension goes there. */
bool zl_tm_map_start(const zl_tm_map *m, int64_t coordinate[ZL_TM_RANK], const zl_tm_box *first,
                     const zl_tm_box *box);

#endif
