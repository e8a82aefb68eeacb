/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/fragment.h - which instruction has its operand as a layout says.
 *
 *  By hand: a warp's lane l holds in its value v the element
 *  (l / 4 + 8 (v / 2), 2 (l % 4) + v % 2) of a 16 x 8 matrix, which is
 *  ((4,8),(2,2)):((32,1),(16,8)).  That is D of mma.sync.m16n8, and A of its
 *  m16n8k8 with elements of 16 bits: both are answers.  With rows that are four
 *  apart, ((4,8),(2,2)):((32,1),(16,4)) is none: value 2 of lane 0 holds row 4
 *  of column 0, and in D row 8.
 */
#ifndef ZLAY_FRAGMENT_H
#define ZLAY_FRAGMENT_H

#include <zlay/layout.h>
#include <zlay/mma.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An operand in registers.  40 bytes. */
typedef struct zlay_fragment {
    uint32_t lanes;     /* 128: zlay_mma_fragment of wgmma; 64: of mfma; 32:
                           zlay_warp_fragment */
    int32_t fragment;   /* ZLAY_FRAGMENT_* of 128 and 64, ZLAY_WARP_* of 32 */
    uint32_t bits;      /* of an element; of D 32, and of 16 it is the same */
    uint32_t registers; /* of a thread, of 32 bits, each full */
    uint32_t rows;      /* of the matrix: of B the columns of the product */
    uint32_t columns;   /* of D n, of A and B k as it is stored, of metadata
                           groups, of matrices 8 each; of mfma of all blocks */
    uint32_t blocks;      /* of mfma; else 0 */
    uint32_t reserved[3]; /* 0 */
} zlay_fragment;

/** What zlay_fragment_synth reads. */
typedef struct zlay_fragment_request {
    uint32_t size;        /* sizeof(zlay_fragment_request) */
    uint32_t value_first; /* 1: (value, thread), as register, lane, warp are */
    uint32_t bits;        /* of an element; 0: any */
    uint32_t reserved;    /* 0 */
    const zlay_layout *layout; /* (thread, value) -> row + rows * column, or two
                                  output dimensions, row and column */
} zlay_fragment_request;

/** Find the operands in registers that a layout is: A, D and metadata of wgmma,
 *  A, B and D of mma.sync and of a dense mfma, matrices of ldmatrix and
 *  stmatrix.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE it is none of them: the message names the one
 *           that agrees longest, and the first thread and value that differ;
 *           ZLAY_EINVAL; ZLAY_EROOM; ZLAY_ENOTSUP a layout with parameters;
 *           ZLAY_ELIMIT more than 2^15 points; ZLAY_ENOMEM.
 *  Out:     out    the first `room`, in the order above.
 *           count  how many there are; written with ZLAY_EROOM too.
 */
ZLAY_API zlay_status zlay_fragment_synth(zlay_ctx *ctx, zlay_fragment *out, size_t room,
                                         size_t *count,
                                         const zlay_fragment_request *request);

#ifdef __cplusplus
}
#endif
#endif
