/* SPDX-License-Identifier: Apache-2.0 */
/* The value that tensormap.synth works on: a tile on its way from a request to maps and copies.
 *
 * The source's modes become *axes*. An axis says which cells a tile takes of one mode, and how the
 * tile's index moves them. Axes and the shared layout are cut at their common bounds into
 * *digits*; a digit has one step in global memory and one in shared memory. The digits, sorted by
 * their steps in shared memory, are the nested loops of a copy's box: neighbours that continue
 * each other are merged, a loop that is too long for a box is split, and each loop becomes a
 * dimension of the map. A tile that one box does not bring is covered by several boxes
 * (several/cover.h). */
#ifndef ZL_SYNTH_TENSORMAP_H
#define ZL_SYNTH_TENSORMAP_H

#include "algebra/layout/layout.h"
#include "synth/move/move.h"
#include <zlay/tensormap_synth.h>

enum { ZL_TM_AXES = 32, ZL_TM_DIGITS = 64, ZL_TM_RANK = 5, ZL_TM_NO_AXIS = -1 };
enum { ZL_HALF = 8, ZL_CHUNK = 16, ZL_LINE = 128, ZL_BOX_MOST = 256, ZL_ELEMENT_MOST = 8 };
enum { ZL_SPREAD_ROW = ZL_LINE, ZL_SPREAD_ALIGN = 32 }; /* values of a row of a spread type; bytes that
                                                  its addresses and strides are multiples of */

typedef struct zl_tm_axis {
    uint64_t extent; /* cells of the tensor */
    uint64_t tile;   /* cells of a tile */
    uint64_t tiles;
    int64_t stride;  /* bytes from a cell to the next */
    int64_t low;     /* cells of the first tile that lie before the tensor's first */
    uint64_t granule; /* every edge of tensor and tile lies on a multiple of it, in cells */
    uint32_t mode;   /* of the tile, whose index moves it */
    bool clipped;    /* some tile leaves the tensor along it */
    bool own;        /* what moves along it moves along nothing else */
    bool down;       /* memory runs down along it: cells are counted from the last one of a tile, and
                        the next tile is a tile back */
    bool memory;     /* no axis of the source: elements of memory in their order, which one dimension
                        counts for all axes that are `on` it (several/edges.c) */
    uint32_t on;     /* the number of that axis, counted from 1; 0: none */
} zl_tm_axis;

/* `per` steps of a digit are `unit` cells of its axis. */
typedef struct zl_tm_digit {
    uint64_t extent;
    int64_t global, shared; /* bytes of a step */
    int32_t axis;           /* ZL_TM_NO_AXIS: none */
    uint64_t unit, per;
} zl_tm_digit;

/* A copy to be: what its box walks in shared order, and where its first element lies. */
typedef struct zl_tm_box {
    zl_tm_digit digit[ZL_TM_DIGITS];
    uint32_t digits;
    int32_t swizzle;
    int32_t interleave;          /* 1, 2: rows are slices of 16, 32 bytes */
    uint32_t pixels;             /* of an im2col copy; else 0: digits are then those of the walk, */
    uint64_t skip[ZL_TM_RANK];   /* which begins so many steps into each */
    int64_t global, shared;      /* bytes, of tile 0 */
    int64_t cell[ZL_TM_AXES];    /* of the tile, along each axis; below 0 where the box begins with holes
                                    that lie before the tile */
} zl_tm_box;

/* Copies of one box that go evenly: that of the first one, and the digits that count copies, the
 * first one fastest. */
typedef struct zl_tm_split {
    zl_tm_box box;
    uint32_t overs, copies;
    zl_tm_digit over[ZL_TM_DIGITS];
} zl_tm_split;

typedef struct zl_tm {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_tensormap_request request;
    uint32_t element; /* bytes; of a spread type one, which stands for a value on both sides */
    int32_t type;     /* of the maps where no promotion is needed */
    uint32_t spread;  /* bits of a value in global memory of a type that lies with gaps in shared
                         memory, 16 values in 16 bytes; else 0 */
    int64_t unit;     /* addresses and strides of maps are multiples of it, bytes */
    int64_t start;    /* of it and of the row's coordinate */
    bool store;       /* from shared memory to the tensor */
    bool may[7];      /* swizzles that the rules let a map of the type have, once they are asked */
    uint32_t axes, digits;
    uint32_t modes;             /* of the tile */
    uint64_t own;               /* modes whose axes are such, a bit each */
    uint64_t count[ZLAY_TILE_AXES]; /* tiles along each */
    zl_tm_axis axis[ZL_TM_AXES];
    zl_tm_digit digit[ZL_TM_DIGITS]; /* in shared order, unswizzled */
    int64_t origin;   /* bytes from the tensor's address to cell 0 of tile 0 */
    int64_t base;     /* bytes from the tensor's address to the first cell in shared order */
    int64_t shared;   /* its place, bytes, unswizzled */
    int32_t swizzle;
    bool apart;        /* rows of a shared layout that is chosen begin with lines */
    zlay_layout *smem; /* made where the request has none */
    zlay_layout *source; /* made of source and tile where the tile is a layout */
    uint64_t cells;    /* of a tile */
    bool irregular;    /* the source is no sum of axes */
    int64_t *value;    /* of a source that is no sum of axes: global offsets of cells, elements */
    uint8_t *defined;  /* of such a source: 0 where it has no value */
    bool open;         /* some cell has none, and nothing is filled there */
    bool tiled;        /* no slices and no walks of pixels */
    bool past;         /* cells past some edge hold what lies there */
    int64_t least, most; /* of such a source: of all its values */
} zl_tm;

/* Bytes of a row of a swizzle. */
static inline uint32_t zl_tm_span(int32_t swizzle)
{
    return swizzle > ZLAY_SWIZZLE_128B ? ZL_LINE : (uint32_t)ZL_CHUNK << swizzle;
}

/* The 128-byte swizzles of atoms of 32 and of 64 bytes, from sm_100 on; one swaps the halves of 16
 * bytes in every other line too. */
enum { ZL_SWIZZLE_ATOM_32 = 4, ZL_SWIZZLE_FLIP = 5, ZL_SWIZZLE_ATOM_64 = 6, ZL_SWIZZLES };

/* Bytes to the next tile, and to the next cell in the order of the tile's index. */
static inline int64_t zl_tm_tile_way(const zl_tm_axis *a)
{
    return (a->down ? -a->stride : a->stride) * (int64_t)a->tile;
}

static inline int64_t zl_tm_cell_way(const zl_tm_axis *a)
{
    return a->down ? -a->stride : a->stride;
}

/* A swizzle XORs the chunks of a line with bits of the line's number. */
static inline uint64_t zl_tm_flip(int32_t swizzle, uint64_t line)
{
    static const uint8_t mask[ZL_SWIZZLES] = {0, 1, 3, 7, 3, 3, 1};
    static const uint8_t shift[ZL_SWIZZLES] = {0, 0, 0, 0, 1, 1, 2};
    return (line & mask[swizzle]) << shift[swizzle];
}

/* Whether halves of the chunks of a line stand swapped. */
static inline bool zl_tm_swaps(int32_t swizzle, uint64_t line)
{
    return swizzle == ZL_SWIZZLE_FLIP && line % 2;
}

/* Bytes of memory as a spread type counts them, a value a byte, and back. */
static inline int64_t zl_tm_counted(const zl_tm *t, int64_t bytes)
{
    return t->spread ? bytes * 8 / (int64_t)t->spread : bytes;
}

static inline int64_t zl_tm_bytes(const zl_tm *t, int64_t counted)
{
    return t->spread ? counted * (int64_t)t->spread / 8 : counted;
}

/* Where a map begins, and what an index of a dimension adds, as they are counted. */
int64_t zl_tm_address(const zl_tm *t, const zlay_tensormap *map);
int64_t zl_tm_stride(const zl_tm *t, const zlay_tensormap *map, uint32_t i);

/* The same as a swizzle of elements; that with halves is none by itself. */
zl_swizzle zl_tm_swizzle(int32_t swizzle, uint32_t element);

/* Bytes that a map's address is a multiple of. */
uint32_t zl_tm_align(int32_t type);

/* Types of 4 bits that have no gaps; requests of them are made in pairs, as bytes. */
bool zl_tm_dense(int32_t type);
zlay_status zl_tm_pairs(zl_tm *t, zlay_move **out);

/* The type of a request to what its maps have in common; NONE: the target lacks it. */
zlay_status zl_tm_type(zl_tm *t);

/* Ask which swizzles maps of the type may have: of a spread type the type has asked, of others it is
 * asked where boxes are searched. */
void zl_tm_swizzles(zl_tm *t);

/* ZLAY_COPY_TENSOR_LOAD or _STORE. */
int32_t zl_tm_kind(const zl_tm *t);

/* Whether the target has a map of the type with a swizzle: NONE with the rule. */
zlay_status zl_tm_row_check(const zl_tm *t, int32_t swizzle);

/* Request to axes.  ZLAY_NONE: the source is no sum of modes that a tile takes evenly. */
zlay_status zl_tm_axes(zl_tm *t);

/* Request to values where there are no such axes; the axes only move the tile.  ELIMIT, ENOTSUP. */
zlay_status zl_tm_values(zl_tm *t);

/* A tile of a source that is a sum of axes, by one box or by several that go evenly; ZLAY_NONE: not so.
 */
zlay_status zl_tm_closed(zl_tm *t, zlay_move **out);

/* One tile along a mode where one is asked for. */
zlay_status zl_tm_one(zl_tm *t, uint32_t mode);

/* Axes of all tiles to those of the one that is asked for; EINVAL: there is none of that index. */
zlay_status zl_tm_pick(zl_tm *t);

/* A shared layout for values: 16 bytes after 16 bytes as in global memory, what is there twice behind. */
zlay_status zl_tm_choose(zl_tm *t);

/* Axes with edges along which memory runs down, from their other end. */
void zl_tm_mirror(zl_tm *t);

/* Axes and the shared layout to digits; ZLAY_NONE: they have no common bounds. */
zlay_status zl_tm_digits(zl_tm *t);

/* Choose the shared layout, and the digits with it. */
zlay_status zl_tm_free(zl_tm *t);

/* Axes of more than one cell, by rising strides; how many. */
uint32_t zl_tm_order(const zl_tm *t, uint32_t *list);

/* A shared layout of these bytes from a cell of each axis to the next. */
zlay_status zl_tm_lay(const zl_tm *t, zlay_layout **out, const int64_t *pitch);

/* A free choice that needs several copies, or of which no copies are known: layouts with holes, by which
 * fewer copies may do, are tried, and the least of all answers is taken; `status` is that of the first. */
zlay_status zl_tm_pitches(zl_tm *t, zlay_move **out, zlay_status status);

/* Fewer copies, then bytes, then maps, then dimensions; any before none. */
bool zl_tm_less(const zlay_move *a, const zlay_move *b);

/* The whole tile as one box. */
void zl_tm_whole(const zl_tm *t, zl_tm_box *box);

/* The tile with the edges of an axis, and of all of shorter steps, counted along memory; false: a cell
 * past an edge would not lie past the end. */
bool zl_tm_along_memory(zl_tm *out, const zl_tm *t, uint32_t axis);

/* Whether copies bring at least the cells that the tensor has: NONE with a byte that none brings. */
zlay_status zl_tm_no_edges(const zl_tm *t);

/* Bytes from the tensor's address to where the tile's first cell lies. */
int64_t zl_tm_first(const zl_tm *t);

/* Merge the digits of a box as far as the edges allow; whether a digit, any axis carries an edge. */
void zl_tm_merge(const zl_tm *t, zl_tm_box *box);
bool zl_tm_clips(const zl_tm *t, const zl_tm_digit *d);
bool zl_tm_any_clips(const zl_tm *t);


/* Whether two boxes walk alike, wherever they begin. */
bool zl_tm_same_digits(const zl_tm_box *a, const zl_tm_box *b);

/* The move of these boxes, each one copy; ZLAY_NONE: they need more than a map has. */
zlay_status zl_tm_maps(const zl_tm *t, zlay_move **out, const zl_tm_box *box, uint32_t boxes);

/* The fewest copies of a tile that edges keep from one box, where they are a product and proved to be
 * the fewest; false: not seen. */
bool zl_tm_split_of(zl_tm_split *out, const zl_tm *t);

/* The move of copies that go evenly, all of one map; ZLAY_NONE: no map goes so. */
zlay_status zl_tm_split_move(const zl_tm *t, zlay_move **out, const zl_tm_split *split);

/* Every map and copy of every tile passes the rules: ZLAY_NONE with the rule. */
zlay_status zl_tm_check(const zl_tm *t, const zlay_move *move);

/* The same of copies that go evenly. */
zlay_status zl_tm_check_even(const zl_tm *t, const zlay_move *move, const zl_tm_split *split);

/* No load of any tile reads outside the memory that the tensor takes, up to whole 16 bytes. */
bool zl_tm_reads_inside(const zl_tm *t, const zlay_move *move);

/* The copies of a tile by the search for boxes; NONE, ELIMIT. */
zlay_status zl_tm_cover(zl_tm *t, zlay_move **out);

/* NONE with the cell and the next legal pitch where the rows of a tile that is to lie anywhere do not all
 * begin with whole 16 bytes of global memory; else `status`. */
zlay_status zl_tm_pitch_check(const zl_tm *t, zlay_status status);

/* What is left to permute after a move, so that the tile lies as `wanted` says. */
zlay_status zl_tm_residual(zlay_ctx *ctx, zlay_move *move, const zlay_layout *wanted);

/* The certificate of a move whose copies go evenly and bring the whole tile. */
zlay_status zl_tm_certify(const zl_tm *t, zlay_move *move, const zl_tm_split *split);

#endif
