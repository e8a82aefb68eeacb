/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/copy.h - issued copies: what one instruction moves, and may it?
 *
 *  A map that encodes and text that assembles say little about a copy: what its
 *  operands must be, neither the driver nor the assembler looks at.
 *
 *  One copy by hand.  Boxes of 64 x 64 bf16 hold 64 rows of 128 bytes, 8192 in
 *  all.  A load of one at column 4 starts 8 bytes into a row of the tensor, and
 *  8 mod 16 = 8: rule COPY_COORDINATE_16 is broken, and the hardware raises
 *  fault 715.  At column 8 it runs.  A barrier told to expect 4096 bytes opens
 *  while half of the box is still on its way (COPY_EXPECT_LEAST: nothing
 *  reports it); one told 8320 never opens (COPY_EXPECT_MOST).
 */
#ifndef ZLAY_COPY_H
#define ZLAY_COPY_H

#include <zlay/rule.h>
#include <zlay/tensormap.h>

#ifdef __cplusplus
extern "C" {
#endif

/** By what a copy is done. */
enum {
    ZLAY_COPY_TENSOR_LOAD = 1, /* cp.async.bulk.tensor, global to shared */
    ZLAY_COPY_TENSOR_STORE,    /* cp.async.bulk.tensor, shared to global */
    ZLAY_COPY_CP_ASYNC,        /* cp.async of `width` bytes a thread, zero-filled */
    ZLAY_COPY_THREAD_LOAD,     /* ld.global, st.shared of `width` bytes, zero-filled */
    ZLAY_COPY_THREAD_STORE,    /* ld.shared, st.global of `width` bytes, guarded */
    ZLAY_COPY_TENSOR_REDUCE,   /* cp.reduce.async.bulk.tensor, shared to global */
    ZLAY_COPY_TENSOR_PREFETCH, /* cp.async.bulk.prefetch.tensor, global to L2 */
    ZLAY_COPY_BULK_LOAD,       /* cp.async.bulk, global to shared */
    ZLAY_COPY_BULK_STORE,      /* cp.async.bulk, shared to global */
    ZLAY_COPY_BULK_PEER,       /* cp.async.bulk, shared to another block's shared */
    ZLAY_COPY_BULK_REDUCE,     /* cp.reduce.async.bulk, shared to global */
    ZLAY_COPY_BULK_REDUCE_PEER, /* cp.reduce.async.bulk, shared to another block's */
    ZLAY_COPY_BULK_PREFETCH,   /* cp.async.bulk.prefetch, global to L2 */
    ZLAY_COPY_STORE_ASYNC,     /* st.async of `width` bytes to another block's shared */
    ZLAY_COPY_REDUCE_ASYNC,    /* red.async to another block's shared */
    ZLAY_COPY_KINDS            /* one more than the last kind */
};

/** How a tensor copy walks its tensor. */
enum {
    ZLAY_COPY_TILE = 0,
    ZLAY_COPY_IM2COL,
    ZLAY_COPY_IM2COL_W,
    ZLAY_COPY_IM2COL_W128,
    ZLAY_COPY_GATHER4,        /* four rows of a matrix, each with its own coordinate */
    ZLAY_COPY_SCATTER4,
    ZLAY_COPY_IM2COL_NO_OFFS, /* stores and reductions of im2col */
    ZLAY_COPY_MODES
};

/** The window that names the shared destination of a load. */
enum { ZLAY_SPACE_CTA = 0, ZLAY_SPACE_CLUSTER };

/** What a reduction does. */
enum {
    ZLAY_REDUCE_ADD = 1,
    ZLAY_REDUCE_MIN,
    ZLAY_REDUCE_MAX,
    ZLAY_REDUCE_INC,
    ZLAY_REDUCE_DEC,
    ZLAY_REDUCE_AND,
    ZLAY_REDUCE_OR,
    ZLAY_REDUCE_XOR
};

/** Which operands of a copy are known; rules ask of those only. */
enum {
    ZLAY_GIVEN_BARRIER = 1,
    ZLAY_GIVEN_EXPECT = 2,
    ZLAY_GIVEN_COUNT = 4,
    ZLAY_GIVEN_MULTICAST = 8,  /* .multicast::cluster is written */
    ZLAY_GIVEN_CLUSTER = 16,
    ZLAY_GIVEN_CTA = 32,
    ZLAY_GIVEN_PEER = 64,
    ZLAY_GIVEN_TAKEN = 128,    /* cp.async's src-size */
    ZLAY_GIVEN_BYTE_MASK = 256, /* .cp_mask, with byte_mask */
    ZLAY_GIVEN_CTA_MASK = 512
};

/** One issued copy with its operands.  Shared addresses count from the start
 *  of a block's window, also in another block.  256 bytes. */
typedef struct zlay_issue {
    int32_t kind;          /* ZLAY_COPY_* */
    int32_t mode;          /* ZLAY_COPY_TILE..; 0 for all but tensor copies */
    int32_t space;         /* ZLAY_SPACE_* of a load's destination */
    int32_t cta_group;     /* .cta_group::1, ::2; 0 not written */
    int32_t op;            /* ZLAY_REDUCE_* of a reduction, else 0 */
    int32_t type;          /* ZLAY_TYPE_* of a reduction without a map */
    uint32_t rank;         /* of a tensor copy: 2 for .2d; else 0 */
    uint32_t width;        /* bytes of one access of a thread; else 0 */
    uint64_t bytes;        /* size operand; of a tensor copy the box's, 0: not stated */
    uint64_t smem;         /* shared address that a box starts at, st.async writes to */
    uint64_t source;       /* address of the other side, where no map has it */
    uint64_t barrier;      /* shared address of the mbarrier */
    uint64_t expect;       /* bytes that the barrier is told of this copy */
    uint64_t count;        /* arrivals that the barrier was made with */
    uint64_t cta_mask;     /* bit i: block of rank i receives */
    uint64_t byte_mask;    /* bit i: byte i of each 16 */
    uint64_t taken;        /* bytes that cp.async reads, the rest is zero */
    uint32_t cluster;      /* blocks in the cluster */
    uint32_t cta;          /* rank of the block that issues */
    uint32_t peer;         /* rank of the block that receives */
    uint32_t given;        /* ZLAY_GIVEN_* */
    int32_t coordinate[5]; /* elements, dimension 0 innermost; of gather4 and
                              scatter4 the column and four rows */
    int32_t offset[3];     /* im2col offsets W, H, D; of im2col::w halo, offset */
    uint32_t reserved[26]; /* 0 */
} zlay_issue;

/** What an instruction's id fixes, as "tma.load.tile.2d" or "bulk.g2s.cta".
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no such copy; ZLAY_EINVAL a NULL.
 *  Out:     out  kind, mode, rank and the like; every operand is 0.
 *  In:      id   words between dots: a kind, then what distinguishes it.
 */
ZLAY_API zlay_status zlay_issue_find(zlay_issue *out, const char *id, size_t length);

/** Check an issued copy against every rule of its target.
 *
 *  Returns: ZLAY_OK      the question is answered, in *out.
 *           ZLAY_EINVAL  a NULL, a tensor copy without a map, or a reserved
 *                        word that is not 0.
 *  Out:     out, reasons  as zlay_tensormap_check.
 *  In:      issue  any value of any field has a verdict.
 *           map    what the copy's map holds; one that tensormap_check
 *                  refuses breaks COPY_MAP;
 *                  may be NULL for all but tensor copies.
 */
ZLAY_API zlay_status zlay_copy_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                                     const zlay_target *target, const zlay_issue *issue,
                                     const zlay_tensormap *map);

/** A question about a copy that is not all numbers yet. */
typedef struct zlay_issue_question {
    uint32_t size;  /* sizeof(zlay_issue_question); a shorter one reads as zeros */
    uint32_t count; /* entries of `given`, at most 15 */
    const zlay_target *target;
    const zlay_issue *issue;   /* entries that are given are not read, and known */
    const zlay_tensormap *map; /* the same; NULL where zlay_copy_check takes that */
    const zlay_given *given;   /* ZLAY_FIELD_COORDINATE, _OFFSET, _SMEM, _SOURCE,
                                  _BARRIER, _EXPECT, _BYTES or _COUNT, and of the
                                  map _ADDRESS, _EXTENT, _STRIDE, of tensor
                                  copies _BOX */
    const zlay_facts *facts;   /* about the names; NULL: nothing is known */
} zlay_issue_question;

/** Check an issued copy under facts about the names in it.
 *
 *  By hand: the load above at column "64*j" is legal for every j, as 128 j bytes
 *  are a multiple of 16.  At column "4*j" it is where j is even: under
 *  "j mod 2 = 1" the answer is NO, and without a fact that j is small it DEPENDS
 *  also on the column's 32 bits.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL as zlay_copy_check, an entry that there is not
 *           or twice, a text that is not linear or outside its field's type for
 *           all values that the facts allow, an access of more than 32 bytes;
 *           ZLAY_EOVERFLOW a form does not fit 64 bits; ZLAY_EROOM the guard
 *           does not fit; ZLAY_ELIMIT, ZLAY_ENOMEM.
 *  Out:     out, reasons, guard  as zlay_tensormap_check_given.
 *  In:      question  a text of bytes states them, also where it is 0.  With
 *                     texts in the map its own rows are asked under the same
 *                     facts, and one guard has what copy and map leave open.
 */
ZLAY_API zlay_status zlay_issue_check_given(
    zlay_ctx *ctx, zlay_verdict *out, zlay_reason *reasons, size_t room,
    zlay_buf *guard, const zlay_issue_question *question);

/** Bytes that a copy counts at its barrier, elements out of bounds included.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE im2col::w and ::w::128, whose count is
 *           not measured; ZLAY_EINVAL as copy_check.
 *  Out:     out  bytes, saturated.
 */
ZLAY_API zlay_status zlay_copy_bytes(uint64_t *out, const zlay_issue *issue,
                                     const zlay_tensormap *map);

/** Axes of a tile that a plan's copies advance along. */
enum { ZLAY_TILE_AXES = 8 };

/** One copy of a plan: what moves, and where its next tile lies.  The box is
 *  described by a zlay_tensormap also where threads move it.  256 bytes. */
typedef struct zlay_copy {
    int32_t kind;           /* ZLAY_COPY_TENSOR_LOAD .. */
    uint32_t map;           /* index of the map */
    uint32_t width;         /* bytes of one access of a thread; 0 for tensor copies */
    uint32_t bytes;         /* of the whole box, out-of-bounds elements included */
    uint32_t smem;          /* byte offset in the stage */
    int32_t mode;           /* of a tensor copy: ZLAY_COPY_TILE .. */
    int32_t coordinate[5];  /* of tile (0, 0, ..), elements, dimension 0 innermost */
    int32_t offset[3];      /* im2col offsets W, H, D */
    int32_t advance[5][ZLAY_TILE_AXES]; /* what the next tile along an axis adds,
                               elements; a GEMM's axes are m, n, k */
    uint32_t cta_mask;      /* bit i: block of rank i receives; 0 the one that issues */
    uint32_t reserved[9];   /* 0 */
} zlay_copy;

#ifdef __cplusplus
}
#endif
#endif
