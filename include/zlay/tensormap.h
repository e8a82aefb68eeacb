/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/tensormap.h - tensor maps: parameters, verdict, repair.
 *
 *  Two maps by hand.  A box of 128 x 8 bf16 elements has rows of 256 bytes, and
 *  the 128-byte swizzle wants at most 128: TMAP_SPAN_128 is broken, its value is
 *  256, its bound 128, and the repair a box of 64 elements in two issues.
 *
 *  Images of 16 x 16 pixels (NHWC) whose im2col corners are (-1, -1) and
 *  (-1, -1) have a bounding box of 16 - 1 + 1 = 16 pixels each way: a 3 x 3
 *  filter with a border of 1.  With upper corners of -17 it has 16 - 17 + 1 = 0
 *  and is empty: TMAP_AREA_WRAPPED on sm_90.
 *
 *  A host asks on one line beside its encode call, with the same arguments
 *  (zlay/tensormap_driver.h):
 *
 *    zlay_tensormap_from_tiled(&map, type, rank, address, extent, stride, box,
 *                              step, interleave, swizzle, l2, oob);
 *    zlay_tensormap_check(&verdict, reasons, room, target, &map);
 */
#ifndef ZLAY_TENSORMAP_H
#define ZLAY_TENSORMAP_H

#include <zlay/facts.h>
#include <zlay/rule.h>

#ifdef __cplusplus
extern "C" {
#endif

/** CUtensorMapSwizzle's numbers that sm_90 has; 4 to 6 are the 128-byte ones
 *  with atoms of 32 bytes, of 32 with halves flipped, and of 64. */
enum { ZLAY_SWIZZLE_NONE = 0, ZLAY_SWIZZLE_32B, ZLAY_SWIZZLE_64B, ZLAY_SWIZZLE_128B };

/** Parameters of a tensor map, dimension 0 innermost, as the driver's encode
 *  calls take them.  240 bytes.  An im2col map has no box, a tiled one nothing
 *  from `channels` on; what a mode has not is not read. */
typedef struct zlay_tensormap {
    uint64_t address;   /* global address, bytes */
    uint64_t extent[5]; /* elements */
    uint64_t stride[4]; /* bytes from one index of dimension i + 1 to the next */
    uint32_t box[5];    /* elements */
    uint32_t step[5];   /* elements */
    uint32_t rank;      /* 1 to 5; entries past it are 0 */
    int32_t mode;       /* 0 tiled, 1 im2col, 2 im2col wide */
    int32_t type;       /* ZLAY_TYPE_* */
    int32_t interleave; /* 0 none, 1 16 bytes, 2 32 bytes */
    int32_t swizzle;    /* ZLAY_SWIZZLE_*, 4 to 6 the 128-byte atom variants */
    int32_t l2;         /* L2 promotion: 0 none, 1 64, 2 128, 3 256 bytes */
    int32_t oob;        /* fill: 0 zero, 1 NaN */
    uint32_t channels;  /* im2col: elements of a pixel that a copy takes */
    uint32_t pixels;    /* im2col: pixels that a copy takes */
    int32_t lower[3];   /* im2col: corners of the bounding box, in the driver's */
    int32_t upper[3];   /*         order; im2col wide has one of each */
    int32_t wide_mode;  /* im2col wide: 0 W, 1 W128 */
    uint32_t reserved[14]; /* 0 */
} zlay_tensormap;

/** Check a tensor map against every rule of its target.
 *
 *  Returns: ZLAY_OK      the question is answered, in *out.
 *           ZLAY_EINVAL  a NULL, or a reserved word that is not 0.
 *  Out:     out      the answer, and how many reasons there are.
 *           reasons  the first `room` broken or noted rules, each with its
 *                    repair.
 *  In:      map      borrowed; any value of any field has a verdict.
 *  Pure: allocates nothing, calls no driver, safe from any thread.
 */
ZLAY_API zlay_status zlay_tensormap_check(zlay_verdict *out, zlay_reason *reasons,
                                          size_t room, const zlay_target *target,
                                          const zlay_tensormap *map);

/** Find the map nearest to one that is refused which passes every rule: fewest
 *  fields changed, then fewest bytes by which pitches and address move, then
 *  what keeps most, then fewest issues.  In it no two elements share bytes that
 *  did not before.  A map that breaks its rank, type, mode or an extent, or
 *  whose box is empty, has none.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no change of these fields passes and keeps the
 *           values; ZLAY_EINVAL as tensormap_check.
 *  Out:     out    the repaired map; equal to `map` when that is legal.
 *           keeps  ZLAY_KEEPS_* of the whole repair.
 *           split  copies to issue instead of one, at least 1.
 */
ZLAY_API zlay_status zlay_tensormap_repair(zlay_tensormap *out, int32_t *keeps,
                                           uint64_t *split, const zlay_target *target,
                                           const zlay_tensormap *map);

/** A question about a map that is not all numbers yet. */
typedef struct zlay_tensormap_question {
    uint32_t size;  /* sizeof(zlay_tensormap_question); a shorter one reads as zeros */
    uint32_t count; /* entries of `given`, at most 15 */
    const zlay_target *target;
    const zlay_tensormap *map; /* entries that are given are not read */
    const zlay_given *given; /* ZLAY_FIELD_ADDRESS, _EXTENT, _STRIDE, _BOX */
    const zlay_facts *facts; /* about the names; NULL: nothing is known */
} zlay_tensormap_question;

/** Check a tensor map under facts about the names in it.
 *
 *  By hand: a stride of "2*K" bytes is a multiple of 16 where K is one of 8.
 *  Under "K mod 8 = 0" and "8 <= K <= 65536" the answer is YES, under
 *  "K mod 8 = 4" NO; under "K mod 4 = 0" it DEPENDS, and the guard is
 *  `(K % 16 * 2) % 16 == 0`.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, an entry that there is not or twice, a
 *           text that is not linear; ZLAY_EOVERFLOW a form does not fit 64
 *           bits; ZLAY_EROOM the guard does not fit; ZLAY_ELIMIT, ZLAY_ENOMEM.
 *  Out:     out      ZLAY_NO where some row is broken for all values that the
 *                    facts allow, else ZLAY_DEPENDS where the facts leave some
 *                    open, else ZLAY_YES.
 *           reasons  the first `room` rows that are broken for all values; the
 *                    value of one is the least that the facts allow.
 *           guard    with ZLAY_DEPENDS the conjunction of the open rows, an
 *                    expression of C over the names as int64_t that does not
 *                    overflow; else "".  NULL: not asked.
 */
ZLAY_API zlay_status zlay_tensormap_check_given(
    zlay_ctx *ctx, zlay_verdict *out, zlay_reason *reasons, size_t room,
    zlay_buf *guard, const zlay_tensormap_question *question);

/** Bits of one element of a tensor-map type in global memory; 0 for a number
 *  that is none. */
ZLAY_API uint32_t zlay_tensormap_type_bits(int32_t type);

#ifdef __cplusplus
}
#endif
#endif
