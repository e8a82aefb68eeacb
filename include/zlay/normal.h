/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/normal.h - the swizzles that a layout contains, in a form of which there is one.
 *
 *  By hand: Sw<3,4,3> o 1024:1 has one swizzle, of offsets, and 1024:1 is left.
 */
#ifndef ZLAY_NORMAL_H
#define ZLAY_NORMAL_H

#include <zlay/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A swizzle as CuTe writes it: Sw<bits,base,shift>, shift at least bits. */
typedef struct zlay_atom {
    int32_t bits, base, shift;
    int32_t reserved; /* 0 */
} zlay_atom;

/** A normal form; immutable, read by any thread. */
typedef struct zlay_normal zlay_normal;

/** The sides of a normal form: swizzles of offsets, and of indices. */
enum { ZLAY_NORMAL_OFFSET = 0, ZLAY_NORMAL_INDEX = 1 };

/** The swizzles that a layout contains and the permutation of bits that is
 *  left:
 *
 *      layout = Sw o .. o Sw o STRIDED o Sw o .. o Sw
 *               (offset side)           (index side)
 *
 *  STRIDED takes each bit of its index to a bit of the offset, to the
 *  complement of one, or to nothing; it is a strided layout.  All shifts are
 *  above 0.  Every layout that is affine over F2 has exactly one such form in
 *  which swizzles of offsets have no part that no value reaches, an index
 *  swizzle adds bit k to bit i < k only where STRIDED takes i above k, swizzles
 *  stand in the order of their shifts, those of one shift from high bits to
 *  low, each as long as it can be.  Sw<3,4,3> o 1024:1 has one swizzle, of
 *  offsets, and 1024:1.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the layout is not affine over F2, the message
 *           has where; ZLAY_EINVAL; ZLAY_ENOTSUP parameters, symbols, negative
 *           values; ZLAY_ELIMIT pieces of more than limits.points points;
 *           ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_normal_free.
 */
ZLAY_API zlay_status zlay_swizzle_normal(zlay_ctx *ctx, zlay_normal **out,
                                         const zlay_layout *layout);

/** The swizzles of a side in the order in which they are written, the outermost
 *  first.
 *
 *  Returns: how many there are; 0 for NULL.
 *  Out:     out  the first `room` of them.
 */
ZLAY_API size_t zlay_normal_swizzles(zlay_atom *out, size_t room, const zlay_normal *normal,
                                     int32_t side);

/** STRIDED; lives as long as the form. */
ZLAY_API const zlay_layout *zlay_normal_strided(const zlay_normal *normal);

/** Which swizzle of tensor copies the offset side is, for elements of so many
 *  bytes: 0 none, else as cuda.h numbers them.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE it is none of theirs; ZLAY_EINVAL a NULL, bytes
 *           that are no power of two.
 *  Out:     name  static text; NULL: not asked.
 *  Pure.
 */
ZLAY_API zlay_status zlay_normal_hardware(int32_t *number, const char **name,
                                          const zlay_normal *normal, uint32_t elem_bytes);

/** Free a normal form; NULL is allowed. */
ZLAY_API void zlay_normal_free(zlay_normal *normal);

#ifdef __cplusplus
}
#endif
#endif
