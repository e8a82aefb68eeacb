/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/idesc.h - instruction descriptors of tcgen05.mma: 32 bits.
 *
 *  The assembler looks at none of these bits: a constant with M = 0 or with a
 *  reserved bit set assembles.
 *
 *  By hand (PTX ISA 9.1, Instruction Descriptor, the table of kinds f16, tf32,
 *  f8f6f4 and i8): D of f32 is 1 at bit 4, bf16 operands are 1 at bits 7 and
 *  10, N = 256 is 256 / 8 = 32 at bit 17, M = 128 is 128 / 16 = 8 at bit 24:
 *      0x10 + 0x80 + 0x400 + 0x400000 + 0x8000000 = 0x08400490.
 */
#ifndef ZLAY_IDESC_H
#define ZLAY_IDESC_H

#include <zlay/mma.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A type field that holds ZLAY_IDESC_CODE + c stands for the code c, to which
 *  its kind has no type. */
enum { ZLAY_IDESC_CODE = 256 };

/** An instruction descriptor, field by field.  A field that the kind's table
 *  has no bits for is 0; `d` of a block-scaled kind is ZLAY_TYPE_F32.
 *  96 bytes. */
typedef struct zlay_idesc {
    int32_t kind;       /* ZLAY_KIND_*: which of the three tables */
    int32_t a, b, d;    /* ZLAY_TYPE_*, or ZLAY_IDESC_CODE + code */
    uint32_t m, n;      /* elements */
    uint32_t k;         /* 96: K = 96 of mxf4 and mxf4nvf4; else 0 */
    int32_t a_major;    /* ZLAY_MAJOR_* */
    int32_t b_major;    /* the same */
    uint32_t sparse;    /* 1: A is sparse */
    uint32_t sparse_id; /* 0 to 3: sparsity selector; not block-scaled */
    uint32_t negate_a;  /* 1: -A */
    uint32_t negate_b;  /* 1: -B */
    uint32_t saturate;  /* 1: sums of kind i8 saturate; not block-scaled */
    uint32_t max_shift; /* columns, 0, 8, 16 or 32: of .ws; not block-scaled */
    int32_t scale_type; /* ZLAY_TYPE_UE8M0 or _UE4M3 of block-scaled kinds, else 0 */
    uint32_t sf_a_id;   /* 0 to 3: byte of A's scale factors; block-scaled */
    uint32_t sf_b_id;   /* 0 to 3: of B's */
    uint32_t must_be_zero; /* bits without a field that are set all the same */
    uint32_t reserved[5];  /* 0 */
} zlay_idesc;

/** Pack an instruction descriptor.  What fits is packed, legal or not; what
 *  does not fit is refused, never cut: zlay_idesc_check says what is legal.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, no such kind, a field that does not
 *           fit its bits or has none, or a reserved word that is not 0.
 *  Out:     out  the 32 bits.
 */
ZLAY_API zlay_status zlay_idesc_pack(uint32_t *out, const zlay_idesc *fields);

/** Unpack an instruction descriptor: any 32 bits have fields, which pack to the
 *  same bits.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, or no such kind.
 *  In:      kind  ZLAY_KIND_* of the instruction: the bits do not say it.
 */
ZLAY_API zlay_status zlay_idesc_unpack(zlay_idesc *out, int32_t kind, uint32_t desc);

/** Check the fields of an instruction descriptor, alone or with the instruction
 *  that takes it.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, or a reserved word that is not 0.
 *  Out:     out, reasons  as zlay_mma_check.
 *  In:      fields  any value of any field has a verdict.
 *           mma     NULL, or the instruction: then the rules of its shape apply
 *                   too, and the descriptor has to say the same.
 *  Pure: allocates nothing, safe from any thread.
 */
ZLAY_API zlay_status zlay_idesc_check(zlay_verdict *out, zlay_reason *reasons,
                                      size_t room, const zlay_target *target,
                                      const zlay_idesc *fields, const zlay_mma *mma);

/** The descriptor of an instruction.  Scale factor ids, sparsity selector and
 *  shift are 0, scale factors ue8m0 (ue4m3 with 4X and block16).
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, or no tcgen05 instruction.
 */
ZLAY_API zlay_status zlay_idesc_from_mma(zlay_idesc *out, const zlay_mma *mma);

#ifdef __cplusplus
}
#endif
#endif
