/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/tmem.h - tensor memory: its instructions one by one, and where they put
 *  what.
 *
 *  Tensor memory of a block has 128 lanes and 512 columns of 32 bits; an
 *  address is lane * 65536 + column.  An accumulator has one element a cell.
 *
 *  By hand: M = 64 of one block without .ws is layout F: row r lies in lane
 *  (r / 16) * 32 + r % 16, column n in column n.  Row 17 is in lane 33, so
 *  element (17, 5) of an accumulator at address 0x100 is at
 *  33 * 65536 + 256 + 5 = 0x00210105.  A warp reads only lanes of its quarter:
 *  warp 1 of a warpgroup those from 32 to 63; tcgen05.ld.16x64b at lane 0 by
 *  warp 1 is NO (rule TMEM_WARP_LANES), and the assembler says nothing.
 */
#ifndef ZLAY_TMEM_H
#define ZLAY_TMEM_H

#include <zlay/layout.h>
#include <zlay/mma.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ZLAY_TMEM_LANES = 128, ZLAY_TMEM_COLUMNS = 512, ZLAY_TMEM_LANE = 65536 };

/** Instructions on tensor memory. */
enum {
    ZLAY_TMEM_ALLOC = 1, /* tcgen05.alloc */
    ZLAY_TMEM_DEALLOC,   /* tcgen05.dealloc */
    ZLAY_TMEM_LD,        /* tcgen05.ld: to registers of a warp */
    ZLAY_TMEM_ST,        /* tcgen05.st: from registers of a warp */
    ZLAY_TMEM_LD_RED,    /* tcgen05.ld.red: with a minimum or maximum */
    ZLAY_TMEM_CP,        /* tcgen05.cp: from shared memory */
    ZLAY_TMEM_SHIFT,     /* tcgen05.shift: rows by one */
    ZLAY_TMEM_MMA,       /* tcgen05.mma's accumulator */
    ZLAY_TMEM_COMMIT,    /* tcgen05.commit */
    ZLAY_TMEM_WAIT_LD,   /* tcgen05.wait::ld */
    ZLAY_TMEM_WAIT_ST    /* tcgen05.wait::st */
};

/** Shapes of ld and st, then of cp, each with its multicast; then layouts that
 *  no instruction names. */
enum {
    ZLAY_TMEM_16X64B = 1, ZLAY_TMEM_16X128B, ZLAY_TMEM_16X256B, ZLAY_TMEM_32X32B,
    ZLAY_TMEM_16X32BX2,
    ZLAY_TMEM_CP_128X256B, ZLAY_TMEM_CP_4X256B, ZLAY_TMEM_CP_128X128B,
    ZLAY_TMEM_CP_64X128B_02_13, /* .warpx2::02_13 */
    ZLAY_TMEM_CP_64X128B_01_23, /* .warpx2::01_23 */
    ZLAY_TMEM_CP_32X128B,       /* .warpx4 */
    ZLAY_TMEM_PATH_A, ZLAY_TMEM_PATH_B, ZLAY_TMEM_PATH_C, ZLAY_TMEM_PATH_D,
    ZLAY_TMEM_PATH_E, ZLAY_TMEM_PATH_F, ZLAY_TMEM_PATH_G,
    ZLAY_TMEM_SCALES,     /* scale factors of A, and of B where all lanes read all */
    ZLAY_TMEM_SCALES_HALF /* of B for path B: half of N in each half of the lanes */
};

/** Decompression by cp. */
enum { ZLAY_TMEM_AS_IS = 0, ZLAY_TMEM_FROM_B6, ZLAY_TMEM_FROM_B4 };

/** Reductions of ld.red. */
enum { ZLAY_TMEM_MIN = 1, ZLAY_TMEM_MAX };

/** Which operands of an instruction are known; rules ask of those only. */
enum {
    ZLAY_TMEM_GIVEN_WARP = 1,
    ZLAY_TMEM_GIVEN_REGISTERS = 2,
    ZLAY_TMEM_GIVEN_ALLOCATION = 4
};

/** One instruction on tensor memory.  A field of another instruction is 0.
 *  80 bytes. */
typedef struct zlay_tmem_issue {
    int32_t op;          /* ZLAY_TMEM_ALLOC to ZLAY_TMEM_MMA */
    uint32_t address;    /* lane * 65536 + column; of alloc none */
    uint32_t columns;    /* of alloc and dealloc */
    int32_t shape;       /* ZLAY_TMEM_16X64B to _CP_32X128B; of mma its path */
    uint32_t num;        /* .x1 to .x128 of ld and st; N of mma */
    uint32_t pack;       /* 1: .pack::16b, .unpack::16b */
    uint32_t half_split; /* columns between the halves of 16x32bx2 */
    int32_t format;      /* ZLAY_TMEM_AS_IS .. of cp */
    int32_t reduce;      /* ZLAY_TMEM_MIN, _MAX of ld.red */
    int32_t type;        /* ZLAY_TYPE_U32, _S32, _F32 of ld.red */
    uint32_t cta_group;  /* 1 or 2; 0: 1 */
    uint32_t warp;       /* of ld and st: the warp's number in the block */
    uint32_t registers;  /* that are written in braces */
    uint32_t base;       /* address that an alloc answered ... */
    uint32_t allocated;  /* ... and its columns */
    uint32_t given;      /* ZLAY_TMEM_GIVEN_* */
    uint32_t reserved[4]; /* 0 */
} zlay_tmem_issue;

/** Check one instruction on tensor memory.  Whether programs allocate, wait and
 *  free in an order that works is not asked here.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, or a reserved word that is not 0.
 *  Out:     out, reasons  as zlay_mma_check.
 *  In:      issue  any value of any field has a verdict.
 *  Pure: allocates nothing, safe from any thread.
 */
ZLAY_API zlay_status zlay_tmem_issue_check(zlay_verdict *out, zlay_reason *reasons,
                                           size_t room, const zlay_target *target,
                                           const zlay_tmem_issue *issue);

/** Find a shape or layout by its name: "16x64b", "128x256b",
 *  "64x128b.warpx2::02_13", "path_f", "scales".
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no such name; ZLAY_EINVAL a NULL.
 */
ZLAY_API zlay_status zlay_tmem_shape_find(int32_t *out, const char *name, size_t length);

/** The name of a shape; NULL for a number that is none. */
ZLAY_API const char *zlay_tmem_shape_name(int32_t shape);

/** A question for the layout of a shape. 40 bytes. */
typedef struct zlay_tmem_map {
    int32_t shape;       /* ZLAY_TMEM_16X64B .. */
    uint32_t size;       /* .num of ld and st; N of a path; rows of scales; of cp 0 */
    uint32_t pack;       /* 1: 16 bits of each of two columns make a register */
    uint32_t half_split; /* as zlay_tmem_issue has it */
    uint32_t factors;    /* of scales: 1, 2 or 4 a row; 3 or 6 with K = 96 */
    uint32_t address;    /* where it begins, as an address; of scales too */
    uint32_t first;      /* of scales: the first factor's id, as the descriptor has
                            it; even of 2 and 6 factors, 0 of 4 */
    uint32_t reserved[3]; /* 0 */
} zlay_tmem_map;

/** The layout of a shape: coordinates -> address.
 *
 *    ld, st   (thread of the warp, register); packed (thread, (half, register))
 *    cp       (row, column, copy): 32-bit columns; each copy has the same
 *    path     (row of the block, column n) of the accumulator: each block of a
 *             pair has rows of its own, the even one the lower
 *    scales   (row, factor, copy) -> 4 * address + byte.  Factors are bytes of a
 *             row's cell from `first` on; behind the fourth a row goes on in the
 *             next cells, those of all rows of one factor further: the second
 *             of 6 factors of 128 rows is 1, the fifth 4 columns on.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the shape has no such size: the message says
 *           which; ZLAY_EINVAL a NULL, no such shape, or a reserved word that is
 *           not 0; ZLAY_ENOMEM.
 *  Out:     out  is yours.
 */
ZLAY_API zlay_status zlay_tmem_layout(zlay_ctx *ctx, zlay_layout **out,
                                      const zlay_tmem_map *map);

/** The path of an instruction's accumulator, ZLAY_TMEM_PATH_A to _G.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE an M that no path has; ZLAY_EINVAL a NULL.
 */
ZLAY_API zlay_status zlay_tmem_path(int32_t *out, const zlay_mma *mma);

/** Whether two instructions of one thread and one cta_group run in the order in
 *  which they are issued, without a fence or wait between them.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL.
 *  Out:     out  ZLAY_YES or ZLAY_NO.
 *  In:      first, second  ZLAY_TMEM_ALLOC ..; a number that is none is NO.
 *           same  1: two mma have the same accumulator and shape.
 *           shape  of a cp: ZLAY_TMEM_CP_*; else 0.
 */
ZLAY_API zlay_status zlay_tmem_ordered(zlay_answer *out, int32_t first, int32_t second,
                                       int32_t same, int32_t shape);

/** Find the layouts of tensor memory that a layout is: registers of ld and st,
 *  copies of cp, paths A to G of accumulators, scale factors.
 *
 *  Returns: as zlay_fragment_synth (zlay/fragment.h); the message of ZLAY_NONE has an index.
 *  Out:     out    questions to which zlay_tmem_layout answers this layout, the
 *                  first `room` in the order of their shapes.
 *           count  how many there are; written with ZLAY_EROOM too.
 *  In:      layout  coordinates as zlay_tmem_layout has them -> address, of
 *                   scales 4 * address + byte; or two output dimensions, lane
 *                   and column.
 */
ZLAY_API zlay_status zlay_tmem_synth(zlay_ctx *ctx, zlay_tmem_map *out, size_t room, size_t *count,
                                     const zlay_layout *layout);

#ifdef __cplusplus
}
#endif
#endif
