/* SPDX-License-Identifier: Apache-2.0 */
/* A move by threads while it is printed as a function of CUDA C or HIP. emit/move/tile_plan.h says
 * which accesses it makes. copy.c prints the frame, part.c coordinates, ends and loops, offset.c,
 * points.c and address.c addresses, access.c, realign.c and matrix.c the accesses themselves. */
#ifndef ZL_EMIT_FUNCTION_COPY_H
#define ZL_EMIT_FUNCTION_COPY_H

#include "emit/emit.h"
#include "emit/function/graph.h"
#include "emit/move/tile_plan.h"

enum { ZL_TILE_C_ROOM = 192 /* of an address */ };

/* The integers that hold offsets: as narrow as their range allows. */
typedef enum zl_offset_word { ZL_OFFSET_UNSIGNED, ZL_OFFSET_INT, ZL_OFFSET_LONG } zl_offset_word;

/* A side of a part.  Its offset, which thread and access add up, is called x for the source and y for
 * the destination.  A plain side has a pointer p or q instead, behind which constants stand. */
typedef struct zl_tile_c_side {
    bool held;     /* fragments */
    bool direct;   /* inline asm takes its address as a number; else it is a pointer */
    bool plain;    /* a base and a constant */
    bool in_bytes; /* what offsets count; else elements */
    zl_offset_word word;
    uint64_t ones; /* bits that the offset may have */
    bool raw, mixed; /* used by an address: the offset, and the swizzled one */
} zl_tile_c_side;

typedef struct zl_tile_c {
    zl_emit e;
    const zlay_move *move;
    int32_t language;
    const zl_move_part *part;
    uint32_t index, depth; /* of the part; of the indentation */
    zl_tile_c_side side[ZL_TILE_SIDES];
    uint32_t coordinates; /* of modes, that are compared */
    uint32_t types;       /* of accesses, by the log2 of their bytes */
    zl_graph graph;       /* the byte of a point, while it is printed */
    bool pointer[ZL_TILE_SIDES], number[ZL_TILE_SIDES]; /* bases that parts use */
} zl_tile_c;

static inline int32_t zl_tile_c_space(const zl_tile_c *t, int side)
{
    return t->move->info.space[side];
}

void zl_tile_c_line(zl_tile_c *t, const char *format, ...) ZL_PRINTF(2, 3);
void zl_tile_c_open(zl_tile_c *t);  /* { */
void zl_tile_c_close(zl_tile_c *t); /* } */

/* ---- offsets and addresses ---------------------------------------------------------- */

void zl_tile_c_sides_of(zl_tile_c *t);

/* Whether a digit adds to the offset of a side. */
bool zl_tile_c_steps(const zl_tile_c *t, int side, const zlay_move_digit *d);

/* The offsets of both sides, from digits d0, d1, .. of the levels that are bits of `levels`. */
void zl_tile_c_offsets(zl_tile_c *t, uint32_t levels);

/* The address that lies `more` elements further, at a value of the block.  What it needs is declared
 * before. */
const char *zl_tile_c_address(zl_tile_c *t, char room[ZL_TILE_C_ROOM], int side, int64_t more,
                            uint64_t value);

/* The functions and tables of points, before the function: the call's working memory is taken for
 * them first (ENOMEM, ELIMIT).  A declaration of the byte of the vector that begins at a point. */
zlay_status zl_tile_c_points_check(zlay_ctx *ctx, zl_tile_c *t);
void zl_tile_c_points(zl_tile_c *t);
void zl_tile_c_look_up(zl_tile_c *t, int side, const char *point, const char *byte);

/* ---- parts and accesses ------------------------------------------------------------- */

void zl_tile_c_part(zl_tile_c *t);

/* Digits of a level, of which `of` is the number; below `limit`, 0: nothing is known. */
void zl_tile_c_digits(zl_tile_c *t, int32_t level, const char *of, uint64_t limit);

/* One access of a thread. */
void zl_tile_c_access(zl_tile_c *t, const int64_t more[ZL_TILE_SIDES]);
void zl_tile_c_realign(zl_tile_c *t, const zl_tile_block *b, const int64_t more[ZL_TILE_SIDES]);
void zl_tile_c_matrices(zl_tile_c *t);

/* The type of an access of so many bytes, which is then used. */
const char *zl_tile_c_type(zl_tile_c *t, uint32_t bytes);

/* The name of a register of 32 bits. */
typedef struct zl_tile_c_name {
    char text[32];
} zl_tile_c_name;

/* Loads `bytes` into w<first>, .. behind `declare`: "const unsigned ", or "" where the words are there;
 * NULL: into a vector v<first> alone.  Stores words. */
void zl_tile_c_load(zl_tile_c *t, const char *declare, uint32_t bytes, const char *address,
                  uint32_t first);
void zl_tile_c_store(zl_tile_c *t, uint32_t bytes, const char *address,
                   const zl_tile_c_name *words);

/* An instruction as inline asm: of its operands the first `results` are written. */
void zl_tile_c_asm(zl_tile_c *t, zl_form_id id, uint32_t results, const char *const *operands);

#endif
