/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/tensormap.h - tensor maps: parameters, verdict, repair.
 *
 *  By hand: zlay/legality.h checks the stride of 4100 bf16 elements.
 */
#ifndef ZLAY_TENSORMAP_H
#define ZLAY_TENSORMAP_H

#include <zlay/legality.h>

#ifdef __cplusplus
extern "C" {
#endif

/** CUtensorMapSwizzle's numbers that sm_90 has. */
enum { ZLAY_SWIZZLE_NONE = 0, ZLAY_SWIZZLE_32B, ZLAY_SWIZZLE_64B, ZLAY_SWIZZLE_128B };

/** Parameters of a tensor map, dimension 0 innermost, as
 *  cuTensorMapEncodeTiled takes them.  240 bytes. */
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
 *  Returns: ZLAY_OK       the question is answered, in *out.
 *           ZLAY_EINVAL   a NULL, or a reserved word that is not 0.
 *           ZLAY_ENOTSUP  mode 1 or 2, im2col: not covered yet.
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
 *           values; ZLAY_EINVAL, ZLAY_ENOTSUP as tensormap_check.
 *  Out:     out    the repaired map; equal to `map` when that is legal.
 *           keeps  ZLAY_KEEPS_* of the whole repair.
 *           split  copies to issue instead of one, at least 1.
 */
ZLAY_API zlay_status zlay_tensormap_repair(zlay_tensormap *out, int32_t *keeps,
                                           uint64_t *split, const zlay_target *target,
                                           const zlay_tensormap *map);

/** Bits of one element of a tensor-map type in global memory; 0 for a number
 *  that is none. */
ZLAY_API uint32_t zlay_tensormap_type_bits(int32_t type);

#ifdef __cplusplus
}
#endif
#endif
