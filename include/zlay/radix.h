/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/radix.h - mixed radix: indices to coordinates and back, without division.
 *
 *  A worked example.  In the shape (3,5) the index 11 is the coordinate (2,3), for
 *  11 = 2 + 3*3.  An operand that is known to lie in [0, 14] is divided by 3 as
 *  x * 11 >> 5 with the product in 32 bits: 11/32 is x/96 too much, which at 14 is
 *  still less than the third that is missing to 5.  At 32 it would not be; of an
 *  operand in [0, 2^32) the divisor takes x * 0xaaaaaaab >> 33, in 64 bits.
 *
 *  A divisor is made for the range that its operand is proved to have; the
 *  multiplier is the least that is right on all of it (round-up where one fits,
 *  else round-down: Granlund and Montgomery 1994, Robison 2005, Lemire 2019).
 *  Quotients are floors, remainders lie in [0, divisor), for negative operands too.
 */
#ifndef ZLAY_RADIX_H
#define ZLAY_RADIX_H

#include <zlay/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a quotient is computed; u is the operand x, or where x < 0 is in range
 *  x ^ s with s = -1 for negative x and 0 else, and the quotient is ^ s again. */
enum {
    ZLAY_DIVISOR_ZERO = 1, /* 0: the divisor exceeds every u */
    ZLAY_DIVISOR_SHIFT,    /* u >> shift */
    ZLAY_DIVISOR_MULTIPLY, /* u * multiplier >> shift */
    ZLAY_DIVISOR_ADD       /* (u * multiplier + multiplier) >> shift */
};

/** A divisor for the operands of a range. */
typedef struct zlay_divisor {
    uint64_t divisor;    /* at least 1 */
    uint64_t multiplier; /* 0 where nothing is multiplied */
    int64_t least;       /* of the operand */
    uint64_t greatest;   /* of the operand; at most INT64_MAX where least < 0 */
    int32_t way;         /* ZLAY_DIVISOR_* */
    int32_t shift;       /* bits */
    int32_t bits;        /* 32 or 64: of the operand's type, signed where least < 0 */
    int32_t product;     /* 32, 64 or 128: bits that the product needs */
} zlay_divisor;

/** Make a divisor.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL out is NULL, divisor is 0, the range is empty, or
 *           it fits neither int64_t nor uint64_t.
 *  In:      least, greatest  of the operands, both included.
 *  Pure.
 */
ZLAY_API zlay_status zlay_divisor_make(zlay_divisor *out, uint64_t divisor, int64_t least,
                                       uint64_t greatest);

/** The floor of operand / divisor.
 *
 *  Returns: the quotient; as two's complement where least < 0.
 *  In:      operand  inside the divisor's range, two's complement likewise;
 *                    outside of it the result has no meaning.
 *  Pure.
 */
ZLAY_API uint64_t zlay_divisor_quotient(const zlay_divisor *divisor, uint64_t operand);

/** An immutable shape whose indices are split without division; read by any
 *  thread. */
typedef struct zlay_radix zlay_radix;

/** Make the mixed radix of a shape, the first mode fastest, for indices of a range.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL (rank 0, an extent of 0, a range as in
 *           zlay_divisor_make), ZLAY_ELIMIT (limits.dims), ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_radix_free.
 *  In:      shape            `rank` extents; nested shapes by their leaves.
 *           least, greatest  of the indices.
 */
ZLAY_API zlay_status zlay_radix_new(zlay_ctx *ctx, zlay_radix **out, size_t rank,
                                    const uint64_t *shape, int64_t least, uint64_t greatest);

/** Free a radix; NULL is allowed. */
ZLAY_API void zlay_radix_free(zlay_radix *radix);

/** The divisor of mode i.
 *
 *  Returns: it lives as long as the radix; NULL past the last mode.
 */
ZLAY_API const zlay_divisor *zlay_radix_divisor_nth(const zlay_radix *radix, size_t i);

/** The coordinate of an index: index = rest * size + the coordinate's index.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, or the index is outside the range.
 *  Out:     coordinate  one entry a mode, in [0, extent).
 *           rest        the floor of index / size; NULL: not asked.
 *  In:      index       two's complement where least < 0.
 *  Pure.
 */
ZLAY_API zlay_status zlay_radix_split(uint64_t *coordinate, uint64_t *rest,
                                      const zlay_radix *radix, uint64_t index);

/** The index of a coordinate.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, or an entry that is not in [0, extent);
 *           ZLAY_EOVERFLOW the index does not fit 64 bits.
 *  Out:     index       the index.
 *  In:      coordinate  one entry a mode.
 *  Pure.
 */
ZLAY_API zlay_status zlay_radix_join(uint64_t *index, const zlay_radix *radix,
                                     const uint64_t *coordinate);

/** Print a C function that splits an index, needing <stdint.h> only:
 *  `static inline T NAME(T x, T *c)` writes the coordinate to c and returns the
 *  rest; T is uint32_t, uint64_t, int32_t or int64_t, the least that has the range.
 *  A product of 128 bits is written with unsigned __int128.
 *
 *  Returns: ZLAY_OK; ZLAY_EROOM, with `need` set; ZLAY_EINVAL, also for a name that
 *           is no identifier or a keyword.
 *  In:      name  0-terminated.
 */
ZLAY_API zlay_status zlay_radix_print(zlay_buf *out, const zlay_radix *radix, const char *name);

#ifdef __cplusplus
}
#endif
#endif
