/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/mma.h - matrix instructions: which shapes and types exist.
 *
 *  By hand: wgmma reads 256 bits of K, so bf16 has K = 16; N is a multiple of 8
 *  up to 256.  m64n100k16 with bf16 operands and f32 sums is therefore NO on
 *  sm_90a, with one reason: rule WGMMA_N_8, field n, value 100, bound 8, and the
 *  repair n = 104, which pads four columns.
 */
#ifndef ZLAY_MMA_H
#define ZLAY_MMA_H

#include <zlay/layout.h>
#include <zlay/rule.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Families of matrix instructions.  SYNC is mma.sync, which plans name;
 *  zlay_mma_check does not know it, zlay_instruction_check has its forms. */
enum { ZLAY_MMA_WGMMA = 0, ZLAY_MMA_TCGEN05, ZLAY_MMA_MFMA, ZLAY_MMA_SYNC };

/** Kinds of tcgen05.mma; the other families have none. */
enum {
    ZLAY_KIND_NONE = 0, ZLAY_KIND_F16, ZLAY_KIND_TF32, ZLAY_KIND_F8F6F4, ZLAY_KIND_I8,
    ZLAY_KIND_MXF8F6F4, ZLAY_KIND_MXF4, ZLAY_KIND_MXF4NVF4
};

/** Which dimension of an operand is contiguous in shared memory. */
enum { ZLAY_MAJOR_K = 0, ZLAY_MAJOR_MN = 1 };

/** Where A is; B is in shared memory (registers, of mfma). */
enum { ZLAY_SOURCE_SMEM = 0, ZLAY_SOURCE_REG, ZLAY_SOURCE_TMEM };

/** Vectors of scale factors, of tcgen05's block-scaled kinds. */
enum {
    ZLAY_SCALE_NONE = 0, ZLAY_SCALE_1X, ZLAY_SCALE_2X, ZLAY_SCALE_4X,
    ZLAY_SCALE_BLOCK16, ZLAY_SCALE_BLOCK32
};

/** Uses of tcgen05's collector buffers, of A or, with .ws, of B: buffer b and
 *  use u are ZLAY_COLLECTOR_B0_FILL + 4 * b + u - ZLAY_COLLECTOR_A_FILL. */
enum {
    ZLAY_COLLECTOR_NONE = 0,
    ZLAY_COLLECTOR_A_FILL, ZLAY_COLLECTOR_A_USE, ZLAY_COLLECTOR_A_LASTUSE,
    ZLAY_COLLECTOR_A_DISCARD,
    ZLAY_COLLECTOR_B0_FILL, ZLAY_COLLECTOR_B0_USE, ZLAY_COLLECTOR_B0_LASTUSE,
    ZLAY_COLLECTOR_B0_DISCARD,
    ZLAY_COLLECTOR_B3_DISCARD = 20
};

/** What a product of single bits is. */
enum { ZLAY_BIT_AND = 0, ZLAY_BIT_XOR };

/** One matrix instruction, D (+)= A B^T with A m x k, B n x k, D m x n.  A field
 *  of another family is 0.  112 bytes. */
typedef struct zlay_mma {
    int32_t instruction;  /* ZLAY_MMA_* */
    int32_t kind;         /* ZLAY_KIND_* */
    uint32_t m, n, k;     /* elements; k of a sparse A before compression */
    int32_t a, b, d;      /* ZLAY_TYPE_* */
    int32_t a_source;     /* ZLAY_SOURCE_* */
    int32_t a_major;      /* ZLAY_MAJOR_* */
    int32_t b_major;      /* the same */
    uint32_t cta_group;   /* 1 or 2; 0: 1 */
    uint32_t sparse;      /* 1: A is sparse */
    uint32_t selector;    /* threads whose registers hold the metadata of wgmma.sp */
    uint32_t ws;          /* 1: tcgen05.mma.ws */
    int32_t scale_vec;    /* ZLAY_SCALE_* */
    uint32_t ashift;      /* 1: .ashift */
    int32_t collector;    /* ZLAY_COLLECTOR_* */
    uint32_t negate_a;    /* 1: -A */
    uint32_t negate_b;    /* 1: -B */
    uint32_t saturate;    /* 1: integer sums saturate */
    int32_t bit_op;       /* ZLAY_BIT_*, of b1 */
    uint32_t blocks;      /* independent products of one mfma; 0: its shape's */
    uint32_t strict;      /* 1: rows of a narrower practice refuse too */
    uint32_t ptx;         /* 10 * major + minor of the PTX version; 0: any */
    uint32_t reserved[3]; /* 0 */
} zlay_mma;

/** Check that a matrix instruction exists: its family on the target, shape,
 *  types, major-ness, and every modifier.
 *
 *  Returns: ZLAY_OK       the question is answered, in *out.
 *           ZLAY_EINVAL   a NULL, or a reserved word that is not 0.
 *           ZLAY_ENOTSUP  a family whose rules are not here yet.
 *  Out:     out      the answer, and how many reasons there are.
 *           reasons  the first `room` broken, noted or conflicting rules.
 *  In:      mma      borrowed; any value of any field has a verdict.
 *  Pure: allocates nothing, safe from any thread.
 */
ZLAY_API zlay_status zlay_mma_check(zlay_verdict *out, zlay_reason *reasons,
                                    size_t room, const zlay_target *target,
                                    const zlay_mma *mma);

/** What a modifier of mfma is. */
enum {
    ZLAY_MODIFIER_NONE = 0,
    ZLAY_MODIFIER_BROADCAST, /* cbsz c: 2^c blocks of A take that of block abid */
    ZLAY_MODIFIER_LANES,     /* blgp: which lanes of B others take */
    ZLAY_MODIFIER_NEGATE,    /* blgp: bits negate A, B, C */
    ZLAY_MODIFIER_FORMAT,    /* the number of a format */
    ZLAY_MODIFIER_INDEX      /* cbsz 0: abid says which part of the index register */
};

/** A matrix instruction that reads both operands from registers, as text has it.
 *  128 bytes. */
typedef struct zlay_mma_form {
    uint32_t lanes;           /* of a wave */
    uint32_t blocks;          /* independent products */
    uint32_t a_registers;     /* 32-bit registers of a lane */
    uint32_t b_registers;
    uint32_t d_registers;     /* of C too */
    uint32_t index_registers; /* metadata of a sparse A */
    uint32_t aligned;         /* tuples begin at multiples of this */
    uint32_t accumulators;    /* 1: A, B, and C with D, may be AGPRs */
    uint32_t passes, cycles;  /* 0: no source says */
    int32_t cbsz, blgp;       /* ZLAY_MODIFIER_* */
    uint32_t cbsz_most, abid_most; /* the largest values that mean something */
    int32_t a_format, b_format; /* numbers of told formats; -1: none are told */
    char name[48];            /* mnemonic, as "v_mfma_f32_32x32x8_bf16" */
    uint32_t reserved[4];     /* 0 */
} zlay_mma_form;

/** Say what an instruction that reads both operands from registers is.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE it does not exist: zlay_mma_check says why;
 *           ZLAY_EINVAL; ZLAY_ENOTSUP another family than mfma.
 *  Pure.
 */
ZLAY_API zlay_status zlay_mma_info(zlay_mma_form *out, const zlay_target *target,
                                   const zlay_mma *mma);

/** Where an operand of a text is. */
enum { ZLAY_FILE_VGPR = 0, ZLAY_FILE_AGPR, ZLAY_FILE_CONSTANT, ZLAY_FILE_OTHER };

/** Registers in a row: v[4:7] is {ZLAY_FILE_VGPR, 4, 4}. */
typedef struct zlay_mma_tuple {
    int32_t file;         /* ZLAY_FILE_* */
    uint32_t first, count; /* of a constant 0 */
} zlay_mma_tuple;

/** A matrix instruction of mfma's family as text has it, D = A B + C. */
typedef struct zlay_mma_operands {
    zlay_mma mma;
    zlay_mma_tuple d, a, b;
    zlay_mma_tuple c;        /* of a sparse A its metadata; C is D then */
    zlay_mma_tuple scale_a, scale_b; /* 0 where it has no scale factors */
    uint32_t cbsz, abid, blgp; /* modifiers; 0: not written */
    uint32_t reserved;       /* 0 */
} zlay_mma_operands;

/** Check the registers and modifiers of a matrix instruction: how many there
 *  are, where they begin and end, whether C may be there, what cbsz, abid and
 *  blgp mean.  By hand: v_mfma_f32_32x32x8_bf16 a[0:15], v[17:18], v[20:21],
 *  a[2:17] is NO by OPERANDS_A_EVEN and OPERANDS_OVERLAP.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL; ZLAY_ENOTSUP another family than mfma.
 *  Out:     as zlay_mma_check.
 *  Pure.
 */
ZLAY_API zlay_status zlay_mma_operands_check(zlay_verdict *out, zlay_reason *reasons,
                                             size_t room, const zlay_target *target,
                                             const zlay_mma_operands *operands);

/** Whose values a lane of mfma multiplies under cbsz and abid (A) or blgp (B):
 *  the layout lane -> lane, so that its element is that of the fragment there.
 *  By hand: A of 4x4x4 has its blocks in lanes 4 g .. 4 g + 3.  With cbsz 1 and
 *  abid 1 blocks 2 j and 2 j + 1 take block 2 j + 1: 4 o (4,2,8):(1,0,8).
 *
 *  Returns: ZLAY_OK; ZLAY_NONE zlay_mma_operands_check refuses these modifiers:
 *           the message has the rule; ZLAY_EINVAL another fragment than A or B;
 *           ZLAY_ENOTSUP another family than mfma; ZLAY_ENOMEM.
 *  In:      mma            modifiers of formats and of sparse A move no lane.
 *           cbsz, abid, blgp  as zlay_mma_operands has them.
 */
ZLAY_API zlay_status zlay_mma_lanes(zlay_ctx *ctx, zlay_layout **out,
                                    const zlay_target *target,
                                    const zlay_mma_operands *operands, int32_t fragment);

/** Operands whose fragments lie in registers. */
enum { ZLAY_FRAGMENT_A = 0, ZLAY_FRAGMENT_D, ZLAY_FRAGMENT_METADATA, ZLAY_FRAGMENT_B };

/** Which elements a thread of a wgmma's warpgroup holds: the layout (thread,
 *  value) -> row + 64 * column of D (m x n), or of A as it is stored (m x k, of
 *  a sparse A m x k/2).  Values fill registers of 32 bits one after another,
 *  the first in the low bits.  By hand: D of m64n16k16 is
 *  ((4,8,4),(2,2,2)):((128,1,16),(64,8,512)); thread 5 holds in its value 3 the
 *  element 1 * 128 + 1 * 1 + 1 * 64 + 1 * 8 = 201, row 9, column 3.
 *
 *  Metadata of a sparse A: (thread, nibble) -> row + 64 * group, where a group is
 *  four of K, and two of tf32.  For f16, bf16 and tf32 only half the threads
 *  have metadata that is read: the i-th of them is 4 (i / 2) + 2 selector + i % 2.
 *
 *  Of mfma (lane, value) -> row + m k of A, column + n k of B, row + m column of
 *  D, plus as many elements as that has for each block before its own.  By hand:
 *  A of 32x32x8 in bf16 is ((32,1,2),4):((1,256,128),32), lane 33 holds row 1 of
 *  k = 4 .. 7; D is ((32,1,2),(4,4,1)):((32,1024,4),(1,8,1024)).
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the instruction does not exist: the message has
 *           the rule; ZLAY_EINVAL a NULL, a reserved word that is not 0, no such
 *           fragment; ZLAY_ENOTSUP tcgen05, which has none, or what no public
 *           source settles: the message says what; ZLAY_ENOMEM.
 *  Out:     out  is yours.
 *  In:      mma  a_source is not asked: A's fragment is that of A in registers.
 */
ZLAY_API zlay_status zlay_mma_fragment(zlay_ctx *ctx, zlay_layout **out,
                                       const zlay_target *target, const zlay_mma *mma,
                                       int32_t fragment);

/** Fragments of one warp: A (16 rows), B (8 columns) and D of mma.sync m16n8, and
 *  the 8 x 8 matrices of ldmatrix and stmatrix, as stored or .trans. */
enum {
    ZLAY_WARP_A = 0, ZLAY_WARP_B, ZLAY_WARP_D, ZLAY_WARP_MATRICES, ZLAY_WARP_TRANSPOSED
};

/** Which elements a lane of a warp holds: the layout (lane, value) -> row + 16 k
 *  of A, column + 8 k of B, row + 16 column of D, row + 8 column + 64 matrix of
 *  matrices.  Values fill registers as in mma_fragment.  By hand: A of
 *  m16n8k16 in bf16, 4 registers, is ((4,8),(2,2,2)):((32,1),(16,8,128)).
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no such instruction has so many registers of such
 *           elements; ZLAY_EINVAL a NULL, no such fragment; ZLAY_ENOMEM.
 *  Out:     out  is yours.
 *  In:      bits       of an element: of A and B 1, 4, 8, 16, 32; of D 32; of
 *                      matrices 16.
 *           registers  of A 2 or 4, of B 1 or 2, of D 4, of matrices 1, 2, 4.
 */
ZLAY_API zlay_status zlay_warp_fragment(zlay_ctx *ctx, zlay_layout **out, int32_t fragment,
                                        uint32_t bits, uint32_t registers);

#ifdef __cplusplus
}
#endif
#endif
