/* SPDX-License-Identifier: Apache-2.0 */
/* The value behind zlay_move: tensor maps, copies, parts by threads, and a
 * certificate. The planners of tensor maps and of copies fill it in; all other
 * rooms read it through the public accessors. */
#ifndef ZL_MOVE_H
#define ZL_MOVE_H

#include "base/base.h"
#include <zlay/move.h>

enum { ZL_PART_MODES = 32, ZL_PART_DIGITS = 80 };

/* A part with its modes and digits, and where in each mode of the tile it
 * begins. */
typedef struct zl_move_part {
    zlay_move_part part;
    uint64_t first[ZL_PART_MODES];
    zlay_layout *threads; /* who moves what */
    zlay_move_mode mode[ZL_PART_MODES];
    zlay_move_digit digit[ZL_PART_DIGITS];
} zl_move_part;

/* An entry of a map that is a text over names. */
typedef struct zl_move_given {
    uint32_t map;
    int32_t field, index;
    char *text; /* length + 1 bytes */
    size_t length;
} zl_move_given;

enum { ZL_STEP_TEXT = 96, ZL_OFFSET_TEXT = 256, ZL_GUARD_TEXT = 1024 };

/* Steps and offsets of a move whose layouts have names. */
typedef struct zl_move_names {
    char step[2][ZL_PART_MODES][ZL_STEP_TEXT];
    char offset[2][ZL_OFFSET_TEXT]; /* of the tile's first element; "": a number */
    int64_t sample[2];              /* and its number at the sample */
    char guard[ZL_GUARD_TEXT];      /* under which accesses of `wider` bytes are legal */
    uint32_t wider;                 /* 0: no fact allows more */
} zl_move_names;

/* Tiles of tensors: what the texts of an axis are, and the axis of each mode
 * of the parts. */
typedef struct zl_move_tiles {
    uint32_t axes;
    zlay_move_axis axis[ZLAY_TILE_AXES];
    char extent[ZLAY_TILE_AXES][ZL_STEP_TEXT];
    char advance[2][ZLAY_TILE_AXES][ZL_STEP_TEXT];
    uint64_t base[ZLAY_TILE_AXES]; /* the cell of the modes' coordinates 0 */
    zlay_move_cells mode[ZL_PART_MODES];
} zl_move_tiles;

struct zlay_move {
    zlay_allocator alloc;
    zlay_move_summary info;
    zlay_tensormap *maps; /* info.maps of them */
    zlay_copy *copies;    /* info.copies of them */
    zl_move_part *parts;       /* info.parts of them */
    zlay_move_swizzle swizzle[2];
    zlay_move_widest widest;
    zl_move_names *names; /* NULL: there are none */
    zl_move_tiles *tiles; /* NULL: one tile */
    zlay_layout *smem, *residual;
    zlay_layout *certificate[2];
    zlay_layout *source[2]; /* the certificate of the other side */
    zl_move_given *given;   /* givens of them, by map; room for given_room */
    uint32_t givens, given_room;
    char *guard;            /* guard_length + 1 bytes; NULL: nothing is open */
    size_t guard_length;
};

/* A move with room for so many maps and copies, everything else 0. */
zlay_status zl_move_new(zlay_ctx *ctx, zlay_move **out, const zlay_target *target, uint32_t maps,
                        uint32_t copies);

/* Room for so many parts. */
zlay_status zl_move_parts(zlay_ctx *ctx, zlay_move *move, uint32_t parts);

/* Decide the certificates: a move that does not do what was asked is never
 * returned. */
zlay_status zl_move_certify(zlay_ctx *ctx, const zlay_move *move);

#endif
