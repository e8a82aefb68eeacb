/* SPDX-License-Identifier: Apache-2.0 */
/* The value that tensormap.synth works on: a tile on its way from a request to
 * maps and copies.
 *
 * The source's modes become *axes*. An axis says which cells a tile takes of
 * one mode, and how the tile's index moves them. Axes and the shared layout
 * are cut at their common bounds into *digits*; a digit has one step in global
 * memory and one in shared memory. The digits, sorted by their steps in shared
 * memory, are the nested loops of a copy's box: neighbours that continue each
 * other are merged, a loop that is too long for a box is split, and each loop
 * becomes a dimension of the map. A tile that one box does not bring is
 * covered by several boxes (several/cover.h). */
#ifndef ZL_SYNTH_TENSORMAP_H
#define ZL_SYNTH_TENSORMAP_H

#include "algebra/layout/layout.h"
#include "synth/move/move.h"
#include <zlay/tensormap_synth.h>

enum { ZL_TM_AXES = 32, ZL_TM_DIGITS = 64, ZL_TM_RANK = 5, ZL_TM_NO_AXIS = -1 };
enum { ZL_HALF = 8, ZL_CHUNK = 16, ZL_LINE = 128, ZL_BOX_MOST = 256, ZL_ELEMENT_MOST = 8 };
/* A spread type has gaps in shared memory: 16 values in 16 bytes. The values
 * of one of its rows; the bytes that its addresses and strides are multiples
 * of. */
enum { ZL_SPREAD_ROW = ZL_LINE, ZL_SPREAD_ALIGN = 32 };

typedef struct zl_tm_axis {
    uint64_t extent; /* cells of the tensor */
    uint64_t tile;   /* cells of a tile */
    uint64_t tiles;
    int64_t stride;  /* bytes from a cell to the next */
    int64_t low;     /* cells of tile 0 before the tensor's first cell */
    uint64_t granule; /* all edges of tensor and tile are multiples, in cells */
    uint32_t mode;   /* the tile's mode whose index moves the axis */
    bool clipped;    /* some tile leaves the tensor along the axis */
    bool own;        /* what moves along this axis moves along no other */
    bool down;       /* addresses fall along the axis: cells are counted from
                        the last one of a tile, and the next tile is behind */
    bool memory;     /* not an axis of the source, but elements in the order of
                        memory, which one dimension counts for all axes whose
                        `on` names it (several/edges.c) */
    uint32_t on;     /* 1 + the number of a memory axis; 0: none */
} zl_tm_axis;

/* `per` steps of a digit are `unit` cells of its axis. */
typedef struct zl_tm_digit {
    uint64_t extent;
    int64_t global, shared; /* bytes of a step */
    int32_t axis;           /* ZL_TM_NO_AXIS: none */
    uint64_t unit, per;
} zl_tm_digit;

/* A planned copy: the digits of its box in the order of shared memory, and the
 * place of its first element. */
typedef struct zl_tm_box {
    zl_tm_digit digit[ZL_TM_DIGITS];
    uint32_t digits;
    int32_t swizzle;
    int32_t interleave;          /* 1, 2: rows are slices of 16, 32 bytes */
    uint32_t pixels;             /* of an im2col copy, else 0 */
    uint64_t skip[ZL_TM_RANK];   /* im2col: steps before the first */
    int64_t global, shared;      /* bytes, of tile 0 */
    int64_t cell[ZL_TM_AXES];    /* the tile's cell along each axis; below 0
                                    where the box begins before the tile */
} zl_tm_box;

/* Copies of one box at constant steps: the first box, and the digits that count
 * copies, fastest first. */
typedef struct zl_tm_split {
    zl_tm_box box;
    uint32_t overs, copies;
    zl_tm_digit over[ZL_TM_DIGITS];
} zl_tm_split;

typedef struct zl_tm {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_tensormap_request request;
    uint32_t element; /* bytes; 1 for a spread type, and then it is a value */
    int32_t type;     /* of maps whose elements are those of the request */
    uint32_t spread;  /* bits of a spread type's value in global memory; or 0 */
    int64_t unit;     /* addresses and strides are multiples of it, bytes */
    int64_t start;    /* the same of the address with the row's coordinate */
    bool store;       /* from shared memory to the tensor */
    bool may[7];      /* swizzles that the rules allow a map of the type */
    uint32_t axes, digits;
    uint32_t modes;             /* of the tile */
    uint64_t own;               /* a mask of the modes whose axes are `own` */
    uint64_t count[ZLAY_TILE_AXES]; /* tiles along each */
    zl_tm_axis axis[ZL_TM_AXES];
    zl_tm_digit digit[ZL_TM_DIGITS]; /* in shared order, unswizzled */
    int64_t origin;   /* bytes from the tensor's address to cell 0 of tile 0 */
    int64_t base;     /* bytes from the tensor's address to the first cell in shared order */
    int64_t shared;   /* that cell's shared place, bytes, unswizzled */
    int32_t swizzle;
    bool apart;        /* each row of a chosen shared layout begins a line */
    zlay_layout *smem; /* made where the request has none */
    zlay_layout *source; /* made of source and tile where the tile is a layout */
    uint64_t cells;    /* of a tile */
    bool irregular;    /* the source is no sum of axes */
    int64_t *value;    /* irregular source: global offsets, elements */
    uint8_t *defined;  /* irregular source: 0 where a cell has no value */
    bool open;         /* some cell has no value, and nothing is filled there */
    bool tiled;        /* only tiled maps: no slices and no im2col walks */
    bool past;         /* cells beyond some edge get what is in memory */
    int64_t least, most; /* irregular source: of all its values */
} zl_tm;

/* Bytes of a row of a swizzle. */
static inline uint32_t zl_tm_span(int32_t swizzle)
{
    return swizzle > ZLAY_SWIZZLE_128B ? ZL_LINE : (uint32_t)ZL_CHUNK << swizzle;
}

/* The 128-byte swizzles with atoms of 32 and of 64 bytes, from sm_100 on;
 * ZL_SWIZZLE_FLIP also swaps the halves of each 16 bytes in every other
 * line. */
enum { ZL_SWIZZLE_ATOM_32 = 4, ZL_SWIZZLE_FLIP = 5, ZL_SWIZZLE_ATOM_64 = 6, ZL_SWIZZLES };

/* Bytes from a tile to the next, and from a cell to the next, by index. */
static inline int64_t zl_tm_tile_way(const zl_tm_axis *a)
{
    return (a->down ? -a->stride : a->stride) * (int64_t)a->tile;
}

static inline int64_t zl_tm_cell_way(const zl_tm_axis *a)
{
    return a->down ? -a->stride : a->stride;
}

/* What a swizzle XORs onto the number of a 16-byte chunk in this line. */
static inline uint64_t zl_tm_flip(int32_t swizzle, uint64_t line)
{
    static const uint8_t mask[ZL_SWIZZLES] = {0, 1, 3, 7, 3, 3, 1};
    static const uint8_t shift[ZL_SWIZZLES] = {0, 0, 0, 0, 1, 1, 2};
    return (line & mask[swizzle]) << shift[swizzle];
}

/* Whether the halves of each chunk of a line are swapped. */
static inline bool zl_tm_swaps(int32_t swizzle, uint64_t line)
{
    return swizzle == ZL_SWIZZLE_FLIP && line % 2;
}

/* From bytes of memory to counted bytes, and back: a spread type counts a value
 * as one byte. */
static inline int64_t zl_tm_counted(const zl_tm *t, int64_t bytes)
{
    return t->spread ? bytes * 8 / (int64_t)t->spread : bytes;
}

static inline int64_t zl_tm_bytes(const zl_tm *t, int64_t counted)
{
    return t->spread ? counted * (int64_t)t->spread / 8 : counted;
}

/* The address of a map, and the stride of a dimension, in counted bytes. */
int64_t zl_tm_address(const zl_tm *t, const zlay_tensormap *map);
int64_t zl_tm_stride(const zl_tm *t, const zlay_tensormap *map, uint32_t i);

/* A tensor map's swizzle as a swizzle of elements; ZL_SWIZZLE_FLIP has none. */
zl_swizzle zl_tm_swizzle(int32_t swizzle, uint32_t element);

/* Bytes that a map's address is a multiple of. */
uint32_t zl_tm_align(int32_t type);

/* Whether a type has 4 bits and no gaps; its requests are planned in pairs of
 * elements, as bytes. */
bool zl_tm_dense(int32_t type);
zlay_status zl_tm_pairs(zl_tm *t, zlay_move **out);

/* Reads the type of a request; ZLAY_NONE: the target does not have it. */
zlay_status zl_tm_type(zl_tm *t);

/* Reads from the rules which swizzles maps of the type may have. zl_tm_type
 * calls it for spread types; the search for boxes calls it for the others. */
void zl_tm_swizzles(zl_tm *t);

/* ZLAY_COPY_TENSOR_LOAD or _STORE. */
int32_t zl_tm_kind(const zl_tm *t);

/* Checks that the target has a map of the type with a swizzle; ZLAY_NONE names
 * the broken rule. */
zlay_status zl_tm_row_check(const zl_tm *t, int32_t swizzle);

/* Reads the source as axes. ZLAY_NONE: it is no sum of modes of which a tile
 * takes whole leaves. */
zlay_status zl_tm_axes(zl_tm *t);

/* Reads a source without such axes value by value; its axes then only move the
 * tile. ZLAY_ELIMIT, ZLAY_ENOTSUP. */
zlay_status zl_tm_values(zl_tm *t);

/* Plans a tile of a source that is a sum of axes by one box, or by several at
 * constant steps; ZLAY_NONE: neither is possible. */
zlay_status zl_tm_closed(zl_tm *t, zlay_move **out);

/* Where the request names one tile, sets the count of tiles of a mode to 1. */
zlay_status zl_tm_one(zl_tm *t, uint32_t mode);

/* Restricts the axes to the one tile that the request names; ZLAY_EINVAL: there
 * is no tile of that index. */
zlay_status zl_tm_pick(zl_tm *t);

/* Chooses a shared layout for a source read by values: 16 bytes after 16 bytes
 * in the order of global memory; repeated elements follow behind. */
zlay_status zl_tm_choose(zl_tm *t);

/* Counts axes with edges and negative strides from their other end. */
void zl_tm_mirror(zl_tm *t);

/* Cuts axes and shared layout into digits; ZLAY_NONE: they have no common
 * bounds. */
zlay_status zl_tm_digits(zl_tm *t);

/* Chooses the shared layout, and its digits. */
zlay_status zl_tm_free(zl_tm *t);

/* Lists the axes of more than one cell by ascending strides; returns how
 * many. */
uint32_t zl_tm_order(const zl_tm *t, uint32_t *list);

/* Makes the shared layout whose cells are `pitch` bytes apart along each
 * axis. */
zlay_status zl_tm_lay(const zl_tm *t, zlay_layout **out, const int64_t *pitch);

/* Improves a chosen layout that needs several copies or has no answer: tries
 * layouts with holes, which may need fewer copies, and keeps the least answer.
 * `status` is that of the first layout. */
zlay_status zl_tm_pitches(zl_tm *t, zlay_move **out, zlay_status status);

/* Whether a is less: fewer copies, then bytes, then maps, then dimensions; any
 * move is less than NULL. */
bool zl_tm_less(const zlay_move *a, const zlay_move *b);

/* The whole tile as one box. */
void zl_tm_whole(const zl_tm *t, zl_tm_box *box);

/* Makes the tile in which the edges of an axis, and of all axes with shorter
 * steps, are counted along memory; false: a cell past an edge would not lie
 * past the end of that count. */
bool zl_tm_along_memory(zl_tm *out, const zl_tm *t, uint32_t axis);

/* Checks that copies can bring the cells that the tensor has; ZLAY_NONE names a
 * byte that no copy can bring. */
zlay_status zl_tm_no_edges(const zl_tm *t);

/* Bytes from the tensor's address to the tile's first cell. */
int64_t zl_tm_first(const zl_tm *t);

/* Merges the digits of a box as far as the edges allow; and whether a digit, or
 * any axis, has an edge inside. */
void zl_tm_merge(const zl_tm *t, zl_tm_box *box);
bool zl_tm_clips(const zl_tm *t, const zl_tm_digit *d);
bool zl_tm_any_clips(const zl_tm *t);


/* Whether two boxes have the same digits; they may begin at different
 * places. */
bool zl_tm_same_digits(const zl_tm_box *a, const zl_tm_box *b);

/* Makes the move of these boxes, each one copy; ZLAY_NONE: a box does not fit a
 * map. */
zlay_status zl_tm_maps(const zl_tm *t, zlay_move **out, const zl_tm_box *box, uint32_t boxes);

/* Finds copies at constant steps for a tile that is no single box, where they
 * are proved to be the fewest; false: none were found. */
bool zl_tm_split_of(zl_tm_split *out, const zl_tm *t);

/* Makes the move of copies at constant steps, with one map; ZLAY_NONE: no map
 * has these steps. */
zlay_status zl_tm_split_move(const zl_tm *t, zlay_move **out, const zl_tm_split *split);

/* Checks every map and copy of every tile by the rules; ZLAY_NONE names a
 * broken rule. */
zlay_status zl_tm_check(const zl_tm *t, const zlay_move *move);

/* The same for copies at constant steps. */
zlay_status zl_tm_check_even(const zl_tm *t, const zlay_move *move, const zl_tm_split *split);

/* Whether no load of any tile reads outside the tensor's memory, rounded to
 * whole 16 bytes. */
bool zl_tm_reads_inside(const zl_tm *t, const zlay_move *move);

/* Plans the copies of a tile by the search for boxes; ZLAY_NONE,
 * ZLAY_ELIMIT. */
zlay_status zl_tm_cover(zl_tm *t, zlay_move **out);

/* Explains a failure: ZLAY_NONE, with the cell and the next legal pitch, where
 * some row of the tile does not begin at a multiple of 16 bytes of global
 * memory; else returns `status`. */
zlay_status zl_tm_pitch_check(const zl_tm *t, zlay_status status);

/* Makes the permutation that must follow a move so that the tile lies as
 * `wanted` says. */
zlay_status zl_tm_residual(zlay_ctx *ctx, zlay_move *move, const zlay_layout *wanted);

/* Makes the certificate of a move whose copies have constant steps and bring
 * the whole tile. */
zlay_status zl_tm_certify(const zl_tm *t, zlay_move *move, const zl_tm_split *split);

/* zlay_tensormap_synth as a part of a call (zl_enter_part). */
zlay_status zl_tm_find(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                       const zlay_tensormap_request *request);

#endif
