/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/wave.h - an operand of register matrix instructions from global memory
 *  through shared memory to registers.
 *
 *  By hand: gfx950 multiplies 128 rows of A by 64 of K in bf16, rows of 128
 *  bytes, with 32x32x16 and 256 threads, all four waves reading other rows.  A
 *  lane loads 16 bytes straight to shared memory, at 16 times its thread, so a
 *  load of the block brings 32 rows and 4 bring the tile.  The instruction takes
 *  row l % 32 and 8 values of K from 8 (l / 32) on in lane l: 16 bytes, one
 *  read.  Lanes 0 to 3, 12 to 15 and 20 to 27 are served together, each with 4
 *  of 64 banks.  Rows as they are meet by eights in 4 banks of the 64; with the
 *  chunk of 16 bytes XORed with row / 2 % 8 none meet: Sw<3,3,4> on elements.  A
 *  load can put nothing elsewhere than at 16 times its thread, so thread t takes
 *  from global memory row t / 8 and chunk t % 8 ^ t / 16 % 8 instead.
 */
#ifndef ZLAY_WAVE_H
#define ZLAY_WAVE_H

#include <zlay/layout.h>
#include <zlay/target.h>
#include <zlay/mma.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a tile gets to shared memory. */
enum {
    ZLAY_WAVE_PATH_BEST = 0,  /* straight where that is as wide, else by registers */
    ZLAY_WAVE_PATH_REGISTERS, /* loads to registers, then stores */
    ZLAY_WAVE_PATH_DIRECT     /* loads that write shared memory, lane after lane */
};

/** What zlay_wave_synth reads.  The tile is `rows` rows of `depth` elements,
 *  which are contiguous in global memory; its element k of row r has the number
 *  depth r + k. */
typedef struct zlay_wave_request {
    uint32_t size;      /* sizeof(zlay_wave_request) */
    int32_t fragment;   /* ZLAY_FRAGMENT_A or ZLAY_FRAGMENT_B */
    uint32_t rows;      /* of the tile: along M of A, along N of B */
    uint32_t depth;     /* elements of K, a power of two */
    uint32_t threads;   /* of the block */
    uint32_t parts;     /* equal parts of the rows, each for other waves; 0: 1 */
    uint32_t align;     /* bytes that rows of global memory are aligned to; 0: 16 */
    uint32_t any_order; /* 1: K may be numbered otherwise, for A and B alike */
    int32_t path;       /* ZLAY_WAVE_PATH_* */
    uint32_t reserved0; /* 0 */
    zlay_mma mma;       /* the instruction, of one block */
    uint64_t reserved[4]; /* 0 */
} zlay_wave_request;

/** An immutable plan; read by any thread. */
typedef struct zlay_wave zlay_wave;

/** What a plan holds.  Element e of shared memory lies at byte e elem_bits / 8
 *  of the tile.  Thread t and load l: element (t + threads l) load_elements of
 *  shared memory, in which lies the element of the tile that Sw of that number
 *  is.  Wave part p, row block b, read r, lane: the address of part 0, block 0,
 *  read 0 XORed with r read_xor, plus b block_bytes + p part_bytes. */
typedef struct zlay_wave_summary {
    const zlay_target *target;
    uint32_t elem_bits;
    uint32_t rows, depth, threads, parts; /* as asked */
    uint32_t direct;        /* 1: loads write shared memory, no store */
    uint32_t load_bytes;    /* of a lane */
    uint32_t load_elements;
    uint32_t loads;         /* of a thread */
    uint32_t load_rows;     /* rows between two loads of a thread; 0: none or less */
    uint32_t load_steady;   /* 1: each of them is of the same column */
    int32_t store;          /* access that stores, for zlay_bank_info; -1: none */
    int32_t read;           /* access that reads */
    uint32_t read_bytes;    /* of a lane */
    uint32_t reads;         /* of a lane, for one block of rows */
    uint32_t read_xor;      /* bytes; 0 where reads are no steps of one XOR */
    uint32_t block_bytes;   /* from a block of rows to the next */
    uint32_t part_bytes;    /* from a part of the rows to the next */
    uint32_t blocks;        /* instructions along the rows of a part */
    uint32_t steps;         /* instructions along K */
    uint32_t step_registers; /* 32-bit registers of a lane for one instruction */
    uint32_t registers;     /* of a lane for all of a part: reads fill them in order */
    uint32_t swizzle_bits, swizzle_base, swizzle_shift; /* Sw<,,> on elements */
    uint32_t smem;          /* bytes of the tile in shared memory */
    uint32_t order_runs;    /* with any_order: parts of K interchanged; 1: as it is */
    zlay_answer reads_counted;  /* ZLAY_UNDECIDED: who is served together is not known */
    zlay_answer stores_counted; /* the same; ZLAY_YES with direct, which has none */
    uint32_t read_wavefronts;   /* of all parts, once each */
    uint32_t read_ideal;        /* the least under any layout */
    uint32_t store_wavefronts, store_ideal; /* of the block */
    uint32_t reserved[6];   /* 0 */
} zlay_wave_summary;

/** Layouts of a plan. */
enum {
    ZLAY_WAVE_PLACE = 0, /* (k, row) -> element of shared memory */
    ZLAY_WAVE_LOAD,      /* (thread, element, load) -> element of the tile */
    ZLAY_WAVE_WRITE,     /* the same -> element of shared memory */
    ZLAY_WAVE_READ,      /* (lane, element, (read, block, part)) -> of the tile */
    ZLAY_WAVE_FROM,      /* the same -> element of shared memory */
    ZLAY_WAVE_ORDER      /* K as instructions number it -> k of the tile */
};

/** Plan how a tile of one operand gets to the registers of matrix instructions:
 *  straight to shared memory where that is legal, the widest accesses, a swizzle
 *  of chunks of the wider access, or of runs of them, by bits of the row's number,
 *  whose reads take the fewest wavefronts, then the shortest runs, then the fewest
 *  bits, and registers that the reads fill in the order in which the
 *  instructions take them, so that none is moved.
 *
 *  With any_order a read may bring K of several instructions: value v of the
 *  j-th of them is then element (j, v) of the read, which the order says, and a
 *  sum is the same where A and B have one order.
 *
 *  Where it is unknown which lanes are served together, swizzles are ranked by
 *  what they take on the targets where that is known, and reads_counted is
 *  ZLAY_UNDECIDED.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE proved that there is none: the rule of an
 *           instruction that does not exist, more than a block's shared memory,
 *           a path that the target has not; ZLAY_EINVAL the message names the
 *           field; ZLAY_ENOTSUP what no source settles, or is not planned;
 *           ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_wave_free.
 */
ZLAY_API zlay_status zlay_wave_synth(zlay_ctx *ctx, zlay_wave **out, const zlay_target *target,
                                     const zlay_wave_request *request);

/** Free a plan; NULL is allowed. */
ZLAY_API void zlay_wave_free(zlay_wave *wave);

/** Read what a plan holds.  Returns: ZLAY_OK; ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_wave_info(zlay_wave_summary *out, const zlay_wave *wave);

/** A layout of a plan, ZLAY_WAVE_*; lives as long as the plan; NULL for another
 *  number. */
ZLAY_API const zlay_layout *zlay_wave_layout(const zlay_wave *wave, int32_t which);

/** The i-th certificate: two layouts whose equality zlay_layout_equal decides
 *  again.  0: where the place of what a thread loads is, against where its
 *  stores, or loads that write shared memory, put it.  1: the element of the
 *  tile that a value of an instruction's operand has, by loads and reads alone,
 *  against what zlay_mma_fragment and the order of K say.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE past the end; ZLAY_EINVAL.
 *  Out:     a, b  live as long as the plan.
 */
ZLAY_API zlay_status zlay_wave_certificate(const zlay_layout **a, const zlay_layout **b,
                                           const zlay_wave *wave, uint32_t i);

#ifdef __cplusplus
}
#endif
#endif
