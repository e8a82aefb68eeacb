/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/plan.h - the plan of a GEMM: maps, copies, descriptors, a verified pipe, and
 *  the certificates that they move what they must.
 *
 *  One plan by hand.  A GEMM of 4096 x 4096 x 4096 bf16 on sm_90a has tiles of
 *  128 x 256 x 64.  A stage holds 128 x 64 elements of A and 64 x 256 of B, 16384
 *  + 32768 = 49152 bytes, which its barrier expects.  Four stages are 196608
 *  bytes; the two consumers stage 16384 bytes of D each, up to 229376; eight
 *  barriers of 8 bytes and 1024 to align the first stage make 230464, and a
 *  block may have 232448.
 *
 *  Waves by hand, where matrix instructions read registers: m = n = 256, k = 64
 *  on gfx942.  A block of 256 threads, four waves, computes 128 x 128 elements
 *  of D, K in steps of 32.  A row of a stage has 64 bytes, four chunks of 16.
 *  Loads: thread t brings in its load j chunk t % 4 of row t / 4 + 64 j, to
 *  byte 16 t + 4096 j of the stage.  Reads: lane l of a wave takes 16 bytes of
 *  row l % 32.  Rows are 64 bytes apart, so rows r and r + 2 lie in the same
 *  banks; with chunk c of row r at place c ^ (r / 2 % 4) of its row the eight
 *  lanes that are served together are in eight groups of banks: swizzle_rows =
 *  2, swizzle_bits = 2.  One read has 8 elements of K, two instructions
 *  32x32x8: lane l holds elements 8 (l / 32) .. + 7 of 16, and instruction p
 *  multiplies 4 p .. 4 p + 3 of them in the place of its own 4 (l / 32) .. + 3:
 *  A and B alike, so the sum has the same terms.
 */
#ifndef ZLAY_PLAN_H
#define ZLAY_PLAN_H

#include <zlay/layout.h>
#include <zlay/copy.h>
#include <zlay/target.h>
#include <zlay/mma.h>
#include <zlay/smemdesc.h>
#include <zlay/tensormap.h>
#include <zlay/pipe.h>
#include <zlay/transfer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which index of a matrix is contiguous in global memory: ROW the second,
 *  COLUMN the first. */
enum { ZLAY_ORDER_DEFAULT = 0, ZLAY_ORDER_ROW = 1, ZLAY_ORDER_COLUMN = 2 };

/** u8 in the type fields of zlay_gemm, where ZLAY_TYPE_U8, 0, means the default. */
enum { ZLAY_GEMM_U8 = -1 };

/** Blocks of an operand that have a scale each (docs/gemm.md).  LINE: 128 of K in one
 *  row of A, or in one column of B.  BLOCK: 128 of K in 128 rows of A, or columns
 *  of B, beginning at multiples of 128.  LINE_32: 32 of K in one row or column, ue8m0;
 *  LINE_16: 16 of K, ue4m3; these two are of A and B alike, and tcgen05 applies them. */
enum { ZLAY_SCALES_NONE = 0, ZLAY_SCALES_LINE = 1, ZLAY_SCALES_BLOCK = 2,
       ZLAY_SCALES_LINE_32 = 3, ZLAY_SCALES_LINE_16 = 4 };

/** Operands whose rows no tensor map takes: NEVER, threads move them element by element
 *  or by cp.async; ALWAYS, a copy before the product lays A or B out anew in a
 *  workspace, or one behind it D from there (docs/gemm.md); AUTO, where the modelled
 *  time is less. */
enum { ZLAY_REPACK_NEVER = 0, ZLAY_REPACK_AUTO = 1, ZLAY_REPACK_ALWAYS = 2 };

/** What the two blocks of a cluster share: A, for they compute neighbours in a row of
 *  tiles of D; B, in a column; each loads a half and multicasts it to both.  AUTO: B,
 *  where the modelled time is less. */
enum { ZLAY_MULTICAST_NONE = 0, ZLAY_MULTICAST_AUTO, ZLAY_MULTICAST_A, ZLAY_MULTICAST_B };

/** Whether columns of D are the rows of tiles: D^T = B^T A^T is planned, whose tiles have
 *  64 or 128 columns of D and 8 to 256 rows, and a tile is stored transposed.  For D of
 *  few rows.  AUTO: of at most 16, where the request leaves the tile's columns open; else
 *  where it leaves the whole tile open and the modelled time is less. */
enum { ZLAY_SWAP_NEVER = 0, ZLAY_SWAP_AUTO = 1, ZLAY_SWAP_ALWAYS = 2 };

/** Whether blocks share the tiles of the last waves evenly, each the first steps of a tile and
 *  the last of another (stream-K).  AUTO: where the modelled time is less. */
enum { ZLAY_STREAM_NEVER = 0, ZLAY_STREAM_AUTO = 1, ZLAY_STREAM_ALWAYS = 2 };

/** As `split_k`: the planner divides K among the blocks of a cluster where the modelled time
 *  is less. */
#define ZLAY_SPLIT_AUTO UINT32_MAX

/** What the groups of a product have each of their own: rows of A and D, with a matrix of B for
 *  each; or rows of A and of B, which are elements of K, with a matrix of D for each. */
enum { ZLAY_RAGGED_ROWS = 0, ZLAY_RAGGED_K = 1 };

/** A GEMM D = A B, with A of m x k, B of k x n, D of m x n elements.  0 means
 *  the default.  A and B have types that one wgmma multiplies: f16; bf16; tf32;
 *  e4m3 and e5m2, also one of each; s8 and u8, likewise; tcgen05 multiplies f16
 *  with bf16 too.  Sums are f32, and D is
 *  f32, f16 or bf16, rounded to nearest even; of s8 and u8 sums and D are s32.
 *  Elements of tf32 are stored as f32, of which the upper 19 bits count.  A and B
 *  of other types than f16 and bf16 must have K contiguous; of tcgen05 only tf32
 *  must.  mma.sync has e4m3 and e5m2 from sm_89 on.  Plans of waves
 *  multiply what mfma multiplies to 32 x 32 results: bf16, f16, f32, tf32, s8 and
 *  the small floats of the target, K contiguous.
 *
 *  Scales.  e4m3 and e5m2 may have f32 scales: element (i, k) of A counts as itself
 *  times sa of its block, and likewise of B.  With R = m for A and R = n for B, and
 *  KB = ceil(k / 128), the array of LINE is [KB][R], entry kb * R + r; that of BLOCK
 *  is [ceil(R / 128)][KB], entry r / 128 * KB + kb.  Products of 128 of K are summed
 *  by the instruction, and their sums times the scales in f32.
 *
 *  Block scales of tcgen05.  LINE_32 goes with e4m3 and e5m2 (mxfp8) or with e2m1 in A
 *  and B (mxfp4), LINE_16 with e2m1 in A and B (nvfp4).  With KA = ceil(k / (4 * block))
 *  the array of A, of R = m rows, or of B, of R = n columns, is [ceil(R / 128)][KA] atoms
 *  of 512 bytes; the scale of line r and block b of K is byte r % 32 * 16 + r % 128 / 32 * 4
 *  + b % 4 of atom (r / 128, b / 4).  The layout is cuBLAS's.  Scales of blocks behind K in
 *  the last atom are no NaN; those of lines behind R are not used.  Sums are f32.  Two
 *  elements of e2m1 are a byte, the even one its lower half; k, lda and ldb are even. */
typedef struct zlay_gemm {
    uint32_t size;             /* sizeof(zlay_gemm); a shorter one reads as zeros */
    int32_t type;              /* ZLAY_TYPE_* or ZLAY_GEMM_U8; default bf16 */
    uint64_t m, n, k;          /* elements, at least 1 */
    int32_t a_order, b_order, d_order; /* ZLAY_ORDER_*; defaults row, column, row: K contiguous */
    uint32_t reserved0;        /* 0 */
    uint64_t lda, ldb, ldd;    /* leading dimensions, elements; default: dense */
    uint64_t a_address, b_address, d_address; /* alignment is what counts; default 2^20 */
    uint32_t tile_m, tile_n, tile_k; /* of a block; default 128 x 256, K of
                                        128 bytes, or what fits better; wgmma has
                                        K of up to 512 bytes */
    uint32_t stages;           /* of the ring; default: as many as fit, at most 12,
                                  with `swap` 16 */
    int32_t a_type, b_type;    /* default: type */
    int32_t d_type;            /* f32, f16, bf16, e4m3, e5m2, s32, s8 or u8; default: type,
                                  if it has more than 8 bits and sums may become it; else
                                  bf16 of 8-bit floats, s32 of integers, f32 of tf32, and
                                  A's of f16 and bf16 */
    uint32_t reserved1;        /* 0 */
    const char *epilogue;      /* a body on the sums (docs/gemm.md); NULL: they become D's type */
    size_t epilogue_length;
    int32_t a_scales, b_scales; /* ZLAY_SCALES_*; default none.  The kernel reads them from
                                   read_sa and read_sb (zlay_plan_argument_nth); of a
                                   column-major D, sa is of B and sb of A; with groups sb has
                                   an array for each, one behind the other.  LINE_32 and
                                   LINE_16 by the maps tensor_sa and tensor_sb
                                   (zlay_plan_map), at addresses that 16 divides */
    int32_t repack;            /* ZLAY_REPACK_*; other than NEVER: a launch is up to four
                                  kernels, and needs a workspace (zlay_plan_repack) */
    uint32_t split_k;          /* blocks of a cluster that share the K steps of a tile, at
                                  most 8 and as many as there are steps, or
                                  ZLAY_SPLIT_AUTO; default 1 */
    int32_t multicast;         /* ZLAY_MULTICAST_*: what two blocks of a cluster share */
    int32_t d_scales;          /* ZLAY_SCALES_LINE: D is e4m3, e5m2 or fnuz, and write_sd gets
                                  a scale for each row and 128 columns, as a product
                                  whose A is this D reads them with a_scales; default none */
    int32_t swap;              /* ZLAY_SWAP_*; tile_m and tile_n are those of the planned product */
    int32_t stream_k;          /* ZLAY_STREAM_*; the kernel needs a workspace whose bytes are 0
                                  before the first launch */
    uint32_t groups;           /* 0: one product.  Else so many, of rows that lie below each other:
                                  A and D have m rows at most, group g those from offsets[g]
                                  to below offsets[g + 1], with K contiguous in A; B is
                                  [groups][n][ldb], or with b_order ROW [groups][k][ldb].
                                  The kernel reads offsets, groups + 1 of s32, on the device;
                                  those that decrease or pass m are bounded.  By wgmma, and
                                  by MFMA with K contiguous in B */
    int32_t ragged;            /* ZLAY_RAGGED_*.  K, by wgmma: k is the most of K together, A is
                                  [k][lda] and B [k][ldb], D is [groups][m][ldd], 0 for a
                                  group without any */
    uint32_t band;             /* rows of tiles that are visited together, column by column; more
                                  than there are: all.  Default 16, or 1 with `swap` where D has
                                  few; zlay_io_gemm_plan finds the best.  Not with groups, and
                                  not in plans of waves */
    uint32_t reserved2;        /* 0 */
} zlay_gemm;

/** An immutable plan; read by any thread. */
typedef struct zlay_plan zlay_plan;

/** Plan a GEMM: by wgmma on sm_90a, by tcgen05 with sums in tensor memory on
 *  targets that have it, by mma.sync on other NVIDIA targets, by MFMA on gfx90a,
 *  gfx942 and gfx950 (docs/gemm.md).
 *
 *  Returns: ZLAY_OK; ZLAY_NONE proved that no plan exists, the message names
 *           the rule; ZLAY_EINVAL the message names the field; ZLAY_EOVERFLOW;
 *           ZLAY_ENOTSUP; ZLAY_ENOMEM.
 *  Out:     out  the plan; free it with zlay_plan_free.
 */
ZLAY_API zlay_status zlay_gemm_synth(zlay_ctx *ctx, zlay_plan **out, const zlay_target *target,
                                     const zlay_gemm *gemm);

/** Free a plan; NULL is allowed. */
ZLAY_API void zlay_plan_free(zlay_plan *plan);

/** Operands of a plan. */
enum { ZLAY_OPERAND_A = 0, ZLAY_OPERAND_B, ZLAY_OPERAND_D,
       ZLAY_OPERAND_SCALES_A, ZLAY_OPERAND_SCALES_B /* of LINE_32 and LINE_16: maps and copies */ };

/** What a plan holds, by value. */
typedef struct zlay_plan_summary {
    const zlay_target *target;
    uint64_t m, n, k;          /* of the planned product, after `swapped` */
    uint32_t swapped;          /* 1: D^T = B^T A^T is what is planned, because D is
                                  column-major or the request says `swap`, not both */
    uint32_t tile_m, tile_n, tile_k, stages;
    uint64_t tiles_m, tiles_n, tiles_k;
    uint32_t consumers;        /* warpgroups that store D, each of mma.m rows */
    uint32_t threads;          /* of a block */
    uint32_t smem;             /* dynamic shared memory of a block, bytes */
    uint32_t stage_bytes;      /* of one stage: A, then B */
    uint32_t expect_bytes;     /* what the full barrier of a stage must expect */
    uint32_t full_count, empty_count; /* arrivals of a phase */
    uint32_t smem_a, smem_b;   /* offset of stage 0 of A and B from the 1024-aligned start */
    uint32_t pitch_a, pitch_b; /* from one stage to the next, bytes */
    uint32_t smem_d, pitch_d;  /* staging of D: offset, bytes of one consumer */
    uint32_t smem_bar;         /* offset of the barriers: full[stages], then empty[stages]; of
                                  tcgen05 five more and the address of tensor memory */
    uint32_t passes;           /* passes in which a tile of D leaves */
    uint32_t pass_n;           /* columns of D in a pass; the last ends with the tile,
                                  and may store columns of the one before again */
    uint32_t copies;           /* of a stage and of a pass, all operands */
    uint32_t k_steps;          /* instructions along K in a stage */
    zlay_mma mma;              /* the instruction */
    int32_t d_type;            /* ZLAY_TYPE_* of D's elements; sums are of mma.d */
    uint64_t workspace;        /* global memory that repacked operands or stream_k need, bytes;
                                  0: none.  It begins at a multiple of 256 */
    uint32_t splits;           /* blocks of a cluster; a grid has whole clusters, one for a
                                  tile at a time */
    uint32_t stream_blocks;    /* of stream_k, the most blocks that have work: a grid of fewer
                                  divides the tiles among its own.  0: whole tiles */
    uint64_t split_steps;      /* K steps of a block; the last block's may end with some
                                  behind K, which are zeros */
    uint32_t cluster;          /* blocks of a cluster */
    int32_t multicast;         /* ZLAY_MULTICAST_* of the planned product: A is shared by
                                  neighbours in a row of tiles, B in a column */
    uint64_t clusters;         /* tiles of D, or sets of neighbours, that clusters take in turn:
                                  at most so many clusters have work */
    int32_t d_order;           /* ZLAY_ORDER_* of the planned product's D: column with `swap` */
    uint32_t groups;           /* of the request; then tiles_m is the most that they can have */
    int32_t ragged;            /* ZLAY_RAGGED_* of groups */
    uint32_t band;             /* rows of tiles, or of clusters, that are visited together */
} zlay_plan_summary;

/** Read what a plan holds.  Returns ZLAY_OK, ZLAY_EINVAL. */
ZLAY_API zlay_status zlay_plan_info(zlay_plan_summary *out, const zlay_plan *plan);

/** The map of an operand; of a path by threads it describes the box all the
 *  same. Returns ZLAY_OK; ZLAY_NONE a plan of waves, or one without scales that have
 *  maps; ZLAY_EINVAL. */
ZLAY_API zlay_status zlay_plan_map(zlay_tensormap *out, const zlay_plan *plan, int32_t operand);

/** Read the i-th copy of an operand; its map is the operand's number.  It brings a part of a
 *  stage where blocks share the operand, and of A with groups rows of one consumer.  Returns
 *  ZLAY_OK; ZLAY_NONE past the last; ZLAY_EINVAL. */
ZLAY_API zlay_status zlay_plan_copy_nth(zlay_copy *out, const zlay_plan *plan, int32_t operand,
                                    uint32_t i);

/** The matrix descriptor of operand A or B for the `step`-th wgmma of a stage.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE a plan of waves or of mma.sync; ZLAY_EINVAL.
 *  Out:     out  fields; `start` counts from the operand's place in the stage.
 *  In:      consumer  which warpgroup (A only; B is shared).
 */
ZLAY_API zlay_status zlay_plan_desc(zlay_smemdesc *out, const zlay_plan *plan, int32_t operand,
                                    uint32_t consumer, uint32_t step);

/** The scales of an operand, as the kernel reads them, or stores those of D: the second
 *  index contiguous; with groups B has one such array for each, one behind the other.  Of
 *  LINE_32 and LINE_16 an array of atoms, of 512 bytes each: 128 lines and four blocks of K. */
typedef struct zlay_scales {
    uint64_t shape[2];   /* of the array: blocks of K and lines, or blocks of lines and of K; of
                            D blocks of N and rows; or atoms along lines and along K */
    uint32_t block[2];   /* elements that have one scale: of M or N, and of K; of D of M and N */
    int32_t granularity; /* ZLAY_SCALES_* */
    int32_t type;        /* ZLAY_TYPE_* of a scale: f32, ue8m0 or ue4m3 */
} zlay_scales;

/** Read what scales an operand of the planned product has.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE it has none; ZLAY_EINVAL.
 *  Out:     out  as above.
 */
ZLAY_API zlay_status zlay_plan_scales(zlay_scales *out, const zlay_plan *plan, int32_t operand);

/** How an operand is repacked.  The plan's map of it is of the matrix in the workspace. */
typedef struct zlay_repack {
    const zlay_transfer *transfer; /* the copy; lives as long as the plan */
    uint64_t offset, bytes;        /* in the workspace, which begins at a multiple of 256 */
    uint64_t pitch;                /* from a row to the next there, elements */
    uint32_t behind;               /* 1: the copy runs behind the product, from the workspace to
                                      D; 0: before it, from A or B to the workspace */
    uint32_t align;                /* bytes of which the operand's address is a multiple */
} zlay_repack;

/** Read how an operand of the planned product is repacked.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE it moves from where it is; ZLAY_EINVAL.
 *  Out:     out  as above; zlay_emit_ptx prints the copy as the kernel NAME_a, NAME_b
 *                or NAME_d in the product's module.
 */
ZLAY_API zlay_status zlay_plan_repack(zlay_repack *out, const zlay_plan *plan, int32_t operand);

/** The shared layout of an operand: (mn, k) coordinate -> element offset in the
 *  stage, or for D (row, column of a pass) -> offset in a consumer's staging;
 *  lives as long as the plan; of e2m1 an element is two of them.  NULL of D in a plan of
 *  waves, which stores sums. */
ZLAY_API const zlay_layout *zlay_plan_smem(const zlay_plan *plan, int32_t operand);

/** The i-th certificate of a plan: two layouts over a tile whose equality
 *  zlay_layout_equal decides again.  Certificate 2 o of operand o: where the
 *  copies put an element of the tile in shared memory, against where the
 *  descriptors read it (A, B) or the consumers write it (D).  Certificate 2 o +
 *  1: which element of global memory the copies move, against the one that the
 *  request's order and leading dimension name.  Where instructions apply scales, 6 is
 *  of a stage of them, 7 and 8 of those of A and B in global memory.  Of a plan of
 *  waves zlay_plan_wave says which they are.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE past the end; ZLAY_EINVAL.
 *  Out:     a, b  live as long as the plan.
 */
ZLAY_API zlay_status zlay_plan_certificate(const zlay_layout **a, const zlay_layout **b,
                                           const zlay_plan *plan, uint32_t i);

/** The verified pipe of a plan; lives as long as the plan. */
ZLAY_API const zlay_pipe *zlay_plan_pipe(const zlay_plan *plan);

/** Every rule that the plan asked, one line each: rule, field, value, bound,
 *  answer, source, and for an operand that tensor copies cannot move the path
 *  that is taken instead.  Returns ZLAY_OK, ZLAY_EROOM, ZLAY_EINVAL. */
ZLAY_API zlay_status zlay_plan_rules(zlay_buf *out, const zlay_plan *plan);

/** Everything about a plan, for people: rules, maps, layouts, descriptors,
 *  stages, banks.  Returns ZLAY_OK, ZLAY_EROOM, ZLAY_EINVAL. */
ZLAY_API zlay_status zlay_plan_print(zlay_buf *out, const zlay_plan *plan);

/* ---- waves --------------------------------------------------------------- */

/** What is not known. */
#define ZLAY_WAVE_GEMM_UNKNOWN UINT32_MAX

/** How a block of waves multiplies.  96 bytes.  D = A B is computed as
 *  D^T = B^T A^T: the first operand of the instructions has columns of B. */
typedef struct zlay_wave_gemm {
    uint32_t lanes;          /* of a wave */
    uint32_t waves_m, waves_n; /* of a block, along M and along N */
    uint32_t blocks_m, blocks_n; /* results of instructions that a wave holds */
    uint32_t reads;          /* of 16 bytes that a lane makes of its row in a stage */
    uint32_t read_products;  /* instructions along K that one read serves */
    uint32_t loads_a, loads_b; /* of 16 bytes, of a thread in a stage */
    uint32_t direct;         /* 1: loads write shared memory, 0: registers, then
                                the thread does */
    uint32_t ahead;          /* stages loaded before the one that is multiplied */
    uint32_t row_bytes;      /* of a row of a stage */
    uint32_t swizzle_bits;   /* chunk c of row r lies at place */
    uint32_t swizzle_rows;   /* c ^ (r / swizzle_rows % 2^swizzle_bits) */
    uint32_t store_bytes;    /* of one store of D: 16, 8, 4, 2 or 1 */
    uint32_t stores;         /* of a lane */
    uint32_t registers;      /* of a lane, of 32 bits */
    uint32_t accumulators;   /* of a lane, of 32 bits, beside them */
    uint32_t scalars;        /* registers of a wave */
    uint32_t read_wavefronts; /* of one read of 16 bytes; ZLAY_WAVE_GEMM_UNKNOWN: its
                                 phases are not known */
    uint32_t read_ideal;     /* the least; the same */
    uint32_t reserved[3];    /* 0 */
} zlay_wave_gemm;

/** Read how a plan's block multiplies.  Its certificates (zlay_plan_certificate)
 *  are, for A as 0 and 1 and for B as 2 and 3, the element of the matrix that
 *  each load brings and the element of the stage that each read takes, as
 *  zlay_wave_synth plans them, against the offsets that the kernel computes; 4,
 *  the sums that a lane holds against where the kernel stores them; and from 5 on
 *  those of zlay_wave_synth, two of A, then two of B.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the plan is one of warpgroups, zlay_plan_desc has
 *           what it reads; ZLAY_EINVAL a NULL.
 *  Out:     out  as above.
 */
ZLAY_API zlay_status zlay_plan_wave(zlay_wave_gemm *out, const zlay_plan *plan);

/** What a launch of the kernel that zlay_emit_assembly prints needs.  64 bytes. */
typedef struct zlay_wave_launch {
    uint64_t grid[3];        /* blocks: tiles along N, along M, 1 */
    uint32_t threads;        /* of a block, along x */
    uint32_t smem;           /* bytes of a block, all static: a launch asks for 0 */
    uint32_t arguments;      /* addresses of A, B and D of the planned product, which
                                `swapped` of zlay_plan_summary interchanges, then
                                what the epilogue has (zlay_plan_argument_nth) */
    uint32_t argument_bytes; /* of all of them, each at the next multiple of its own */
    uint32_t align_ab;       /* bytes that A and B are multiples of */
    uint32_t align_d;        /* the same of D */
    uint64_t reserved[2];    /* 0 */
} zlay_wave_launch;

/** Read what a launch of a plan's kernel needs.
 *
 *  Returns: as zlay_plan_wave.
 *  Out:     out  as above.
 */
ZLAY_API zlay_status zlay_plan_launch(zlay_wave_launch *out, const zlay_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
