/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/move.h - a move: how one tile gets from where it lies to where it is
 *  wanted, by tensor copies or by threads, and the certificate that it does.
 *
 *  A move by hand.  Rows of 4096 bf16 lie 8192 bytes apart, and tiles of 64 x 64
 *  are wanted in shared memory as Sw<3,3,3> o 0 o (64,64):(64,1).  One map of
 *  rank 2 (box 64 x 64, 128-byte swizzle) and one copy of 8192 bytes do it; the
 *  next tile down adds 64 to coordinate 1, the next one across 64 to
 *  coordinate 0.
 */
#ifndef ZLAY_MOVE_H
#define ZLAY_MOVE_H

#include <zlay/layout.h>
#include <zlay/copy.h>
#include <zlay/rule.h>
#include <zlay/tensormap.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An immutable move; read by any thread. */
typedef struct zlay_move zlay_move;

/** By what a move is done. */
enum {
    ZLAY_PATH_TENSOR = 1, /* tensor copies */
    ZLAY_PATH_BULK,       /* cp.async.bulk of contiguous runs */
    ZLAY_PATH_CP_ASYNC,   /* cp.async of 4, 8 or 16 bytes a thread */
    ZLAY_PATH_THREADS,    /* loads and stores */
    ZLAY_PATH_REALIGN,    /* aligned loads, a shift by bytes, aligned stores */
    ZLAY_PATH_MATRIX,     /* ldmatrix, stmatrix */
    ZLAY_PATH_TRANSPOSE,  /* a tile of shared memory, written along and read across */
    ZLAY_PATH_STORE_ASYNC /* loads, st.async of 4, 8 or 16 bytes to a peer, whose barrier
                             counts them */
};

/** What is right after a move whose tile leaves the tensor. */
enum {
    ZLAY_EDGE_DEFAULT = 0, /* strong */
    ZLAY_EDGE_WEAK,        /* every element of the tensor */
    ZLAY_EDGE_STRONG       /* and every other cell of the tile holds the fill */
};

/** What a move holds, by value. */
typedef struct zlay_move_summary {
    const zlay_target *target;
    int32_t path;         /* ZLAY_PATH_* */
    int32_t edge;         /* ZLAY_EDGE_* that holds */
    uint32_t maps, copies, parts;
    uint32_t optimal;     /* 1: proved that no plan of the path costs less: by threads `cost` is
                             `bound`; of tensor copies no fewer and, as many, no fewer bytes */
    uint64_t bytes;       /* that a tile's barrier must expect */
    uint64_t reserved_bytes; /* of shared memory that must be free */
    uint32_t threads;     /* that take part; 0 for tensor copies */
    uint32_t width;       /* bytes of one store of a thread */
    uint32_t source_width; /* bytes of one load of a thread */
    uint32_t accesses;    /* of a thread, each way */
    uint64_t instructions; /* of a warp, in all */
    uint64_t sectors;     /* of 32 bytes of global memory that a tile accesses */
    uint64_t wavefronts_load, wavefronts_store; /* of shared memory, a tile */
    uint64_t lines;       /* of 128 bytes, as sectors */
    uint64_t permutes;    /* of warps: instructions that put bytes into order */
    uint64_t cost, bound; /* of a move by threads, in the units of docs/synthesis.md */
    uint32_t uncounted;   /* 1: of a part */
    uint32_t elem_bits;   /* of a move by threads */
    int32_t space[2];     /* ZLAY_MOVE_* of its source and destination */
    uint64_t reserved[3]; /* 0 */
} zlay_move_summary;

/** Free a move; NULL is allowed. */
ZLAY_API void zlay_move_free(zlay_move *move);

/** Read what a move holds.  Returns: ZLAY_OK; ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_move_info(zlay_move_summary *out, const zlay_move *move);

/** The i-th map of a move.  Returns: ZLAY_OK; ZLAY_NONE past the last;
 *  ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_move_map_nth(zlay_tensormap *out, const zlay_move *move, uint32_t i);

/** The i-th copy of a move.  Returns as zlay_move_map_nth. */
ZLAY_API zlay_status zlay_move_copy_nth(zlay_copy *out, const zlay_move *move, uint32_t i);

/** The i-th entry of a map that depends on unknowns of the request, as a linear
 *  text over them; in the map it is 1.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE past the last; ZLAY_EINVAL a NULL.
 *  Out:     out  its text lives as long as the move.
 */
ZLAY_API zlay_status zlay_move_given_nth(zlay_given *out, const zlay_move *move, uint32_t map,
                                         uint32_t i);

/** What must hold of the unknowns beyond the facts for the move to be right and
 *  legal: an expression of C over them as int64_t that does not overflow; "":
 *  nothing.  It begins with `M == 1`, `K <= 64` or the like where there is a move
 *  for numbers up to those only, or none was found for others.
 *
 *  Returns: ZLAY_OK; ZLAY_EROOM, with `need` set; ZLAY_EINVAL a NULL.
 */
ZLAY_API zlay_status zlay_move_guard(zlay_buf *out, const zlay_move *move);

/** Where the tile lies afterwards: tile coordinate -> element offset; lives as
 *  long as the move.  NULL: as ZLAY_NONE of zlay_move_certificate. */
ZLAY_API const zlay_layout *zlay_move_smem(const zlay_move *move);

/** What threads still have to permute after the copies have landed: slot ->
 *  slot; NULL: nothing.  Lives as long as the move. */
ZLAY_API const zlay_layout *zlay_move_residual(const zlay_move *move);

/** Who moves what of a part of a move by threads: (value, thread, access) ->
 *  index into the tile; NULL past the last part.  Its modes are the part's
 *  digits; where a digit goes beyond its mode it is undefined.  Lives as long as
 *  the move. */
ZLAY_API const zlay_layout *zlay_move_threads(const zlay_move *move,
                                              uint32_t part);

/* ---- moves by threads ---------------------------------------------------- */

/** Where one side of a copy lies. */
enum {
    ZLAY_MOVE_GLOBAL = 1,
    ZLAY_MOVE_SHARED, /* of the block */
    ZLAY_MOVE_PEER,   /* shared memory of another block of the cluster */
    ZLAY_MOVE_REGISTER /* fragments: offset = register + registers * thread */
};

/** The sides of a move by threads. */
enum { ZLAY_SIDE_SOURCE = 0, ZLAY_SIDE_DEST };

/** Where a digit of a coordinate comes from. */
enum {
    ZLAY_DIGIT_VALUE = 1, /* elements that a thread holds at once */
    ZLAY_DIGIT_THREAD,    /* of the block, the first digit fastest */
    ZLAY_DIGIT_ACCESS     /* what a thread does one after the other */
};

/** A part of a tile by threads: a box of modes, moved in one way.  Coordinate c
 *  of a mode is the sum of digit * step over its digits; an access whose
 *  coordinate is not below the extent of its mode is not made.  An element lies
 *  at side(offset + sum of c * step), where `side` is the swizzle of that side. */
typedef struct zlay_move_part {
    int32_t kind;          /* ZLAY_COPY_CP_ASYNC, _BULK_*; _THREAD_LOAD, _STORE */
    uint32_t modes, digits;
    uint32_t width;        /* bytes of one store, cp.async or bulk copy; of
                              registers a word */
    uint32_t source_width; /* bytes of one load */
    uint32_t realign;      /* bytes that every shift is a multiple of; 0: sources
                              are aligned */
    uint32_t combine;      /* 0: steps add; 1: they are XORed; 2: the modes have
                              none, and the offsets are those of the layouts at
                              the point that zlay_move_threads names */
    uint32_t threads;      /* that take part, 0 to threads - 1 */
    int64_t source, dest;  /* offsets of its first element, before the swizzle */
    uint64_t elements;
    uint64_t accesses;     /* of a thread, one after the other */
    uint64_t instructions; /* of warps, loads and stores that are made; of bulk
                              copies one each */
    uint64_t sectors, lines; /* of 32 and 128 bytes of global memory, summed over
                              the accesses of warps */
    uint64_t wavefronts_load, wavefronts_store; /* of shared memory */
    uint64_t permutes;     /* of warps: instructions that order bytes */
    uint32_t uncounted;    /* 1: no row of zlay_bank_conflicts knows the target's
                              wavefronts; those of a related one stand here */
    uint32_t matrices;     /* of one ldmatrix or stmatrix at most; 0: it is none.
                              Register words go in groups of 4, then 2, then 1,
                              as many as that allows; row k of the matrix of word
                              q begins at the element of value q * (32 / bits) of
                              thread 4 k of the warp, transposed at that of value
                              2 q + k mod 2 of thread k / 2 */
    uint32_t transposed;   /* 1: .trans */
    uint32_t reserved[5];  /* 0 */
} zlay_move_part;

/** A mode of a part: an axis along which both sides step evenly. */
typedef struct zlay_move_mode {
    uint64_t extent;
    int64_t source, dest; /* elements that the next coordinate adds */
} zlay_move_mode;

/** A digit of a coordinate. */
typedef struct zlay_move_digit {
    int32_t level; /* ZLAY_DIGIT_* */
    uint32_t mode;
    uint64_t extent, step;
} zlay_move_digit;

/** A swizzle of elements, as Sw<bits,base,shift>; bits 0: none. */
typedef struct zlay_move_swizzle {
    int32_t bits, base, shift;
    uint32_t reserved; /* 0 */
} zlay_move_swizzle;

/** The step of a mode of a part as text: a number, or where the layouts have
 *  names a product of names as "8*ld"; of mode number `modes` the offset of the
 *  part.  The numbers of such a move, its counts too, are those of sample values
 *  of the names, which have no more divisors than the facts say.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no such part or mode; ZLAY_EINVAL; ZLAY_EROOM.
 */
ZLAY_API zlay_status zlay_move_step_print(zlay_buf *out, const zlay_move *move,
                                          uint32_t part, uint32_t mode,
                                          int32_t side);

/** What would have to hold of the names for wider accesses: a variant of the
 *  kernel, to be asked for with the guard among the facts.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE there is none; ZLAY_EINVAL; ZLAY_EROOM.
 *  Out:     guard  an expression of C, as "ld % 8 == 0".
 *           width  bytes of those accesses.
 */
ZLAY_API zlay_status zlay_move_wider(zlay_buf *guard, uint32_t *width,
                                     const zlay_move *move);

/** Why no wider access holds the same elements on both sides. */
enum {
    ZLAY_WIDEST_TARGET = 1, /* the target has no such access */
    ZLAY_WIDEST_ALIGN,  /* more than the base of a side is aligned to */
    ZLAY_WIDEST_RUN,    /* no point lies behind points[0] on both sides, of a
                           swizzled one in what the swizzle keeps together */
    ZLAY_WIDEST_STEP,   /* the offsets of the two points differ by no multiple of it */
    ZLAY_WIDEST_PHASE,  /* where one side is aligned at points[0], the other is not */
    ZLAY_WIDEST_SWIZZLE /* a swizzle keeps fewer elements together */
};

/** The widest access that holds the same consecutive elements on both sides,
 *  heads and tails aside, and why the next one does not. */
typedef struct zlay_move_widest {
    uint32_t width;   /* bytes; 0: of fragments it is not asked */
    uint32_t refused; /* bytes, twice that */
    int32_t why;      /* ZLAY_WIDEST_* */
    int32_t side;     /* ZLAY_SIDE_*, of ALIGN, STEP and SWIZZLE */
    uint64_t points[2]; /* indices into the tile that show it */
} zlay_move_widest;

/** Read it.  Returns: ZLAY_OK; ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_move_widest_info(zlay_move_widest *out, const zlay_move *move);

/** The i-th part of a move.  Returns as zlay_move_map_nth. */
ZLAY_API zlay_status zlay_move_part_nth(zlay_move_part *out, const zlay_move *move, uint32_t i);

/** The i-th mode of a part.  Returns as zlay_move_map_nth. */
ZLAY_API zlay_status zlay_move_mode_nth(zlay_move_mode *out, const zlay_move *move, uint32_t part,
                                        uint32_t i);

/** The i-th digit of a part: values first, then threads, then accesses, the
 *  fastest of each first.  Returns as zlay_move_map_nth. */
ZLAY_API zlay_status zlay_move_digit_nth(zlay_move_digit *out, const zlay_move *move, uint32_t part,
                                         uint32_t i);

/** The swizzle of a side, ZLAY_SIDE_*.  Returns: ZLAY_OK; ZLAY_EINVAL a NULL,
 *  no such side. */
ZLAY_API zlay_status zlay_move_swizzle_info(zlay_move_swizzle *out, const zlay_move *move,
                                            int32_t side);

/* ---- tiles of a tensor --------------------------------------------------- */

/** A mode of the tensors that a move takes tile by tile. */
typedef struct zlay_move_axis {
    uint64_t tile;     /* cells of a tile */
    uint64_t granule;  /* cells: no access reaches from one to the next of so many */
    uint32_t clipped;  /* 1: the last tile may leave the tensor */
    uint32_t reserved; /* 0 */
} zlay_move_axis;

/** What zlay_move_axis_print says of an axis. */
enum {
    ZLAY_AXIS_EXTENT = 1, /* cells of the tensor, as "M" */
    ZLAY_AXIS_TRIPS,      /* tiles, as C: "M / 128 + (M % 128 != 0)" */
    ZLAY_AXIS_SOURCE,     /* elements to where the next tile begins, as "128*ld" */
    ZLAY_AXIS_DEST        /* the same of the destination; "0": it is one tile */
};

/** The i-th axis.  Returns: ZLAY_OK; ZLAY_NONE past the last, and of a move of
 *  one tile; ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_move_axis_nth(zlay_move_axis *out, const zlay_move *move, uint32_t i);

/** A text about an axis.  Returns: as zlay_move_axis_nth; ZLAY_EINVAL also for no
 *  ZLAY_AXIS_*; ZLAY_EROOM, with `need` set. */
ZLAY_API zlay_status zlay_move_axis_print(zlay_buf *out, const zlay_move *move,
                                          uint32_t i, int32_t what);

/** Where in a tensor a coordinate of a part leads. */
typedef struct zlay_move_cells {
    int64_t step;      /* cells that the next coordinate of the mode adds */
    uint32_t axis;     /* along which axis */
    uint32_t reserved; /* 0 */
} zlay_move_cells;

/** The cells of a mode of a part.  Returns: as zlay_move_axis_nth. */
ZLAY_API zlay_status zlay_move_cells_info(zlay_move_cells *out, const zlay_move *move,
                                          uint32_t part, uint32_t mode);

/** The cell along an axis of a part's coordinates 0.  Returns: as
 *  zlay_move_axis_nth. */
ZLAY_API zlay_status zlay_move_first(uint64_t *out, const zlay_move *move, uint32_t part,
                                     uint32_t axis);

/** When an access of a part is made, as C over tile indices t0, t1, .. of the
 *  axes, coordinates c0, c1, .. of its modes and the names: "t0 * 128 + c1 < M";
 *  "": always.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no such part; ZLAY_EINVAL; ZLAY_EROOM.
 */
ZLAY_API zlay_status zlay_move_edge_print(zlay_buf *out, const zlay_move *move,
                                          uint32_t part);

/* ---- certificates -------------------------------------------------------- */

/** Two layouts whose equality zlay_layout_equal decides again: `a` rebuilt from
 *  the maps and copies, or from the threads' accesses, alone; `b` from the
 *  request.  Of a move by threads they say where an element of the tile goes.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE a move of two maps that a plan of attention made of one;
 *           ZLAY_EINVAL a NULL.
 *  Out:     a, b  live as long as the move.
 */
ZLAY_API zlay_status zlay_move_certificate(const zlay_layout **a,
                                           const zlay_layout **b,
                                           const zlay_move *move);

/** The same for where a move by threads takes an element of the tile from.
 *  Returns: as above; ZLAY_NONE of tensor copies. */
ZLAY_API zlay_status zlay_move_certificate_source(const zlay_layout **a,
                                                  const zlay_layout **b,
                                                  const zlay_move *move);

#ifdef __cplusplus
}
#endif
#endif
