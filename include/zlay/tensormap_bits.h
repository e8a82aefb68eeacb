/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/tensormap_bits.h - the 128 bytes of a tensor map.
 *
 *  No document describes them.  What is known was read off one driver's maps
 *  (zlay_tensormap_bits_source names it), so these functions explain a map
 *  that a kernel got, and write what that driver would write; on another
 *  driver or GPU let cuTensorMapEncodeTiled write it.
 *
 *  By hand: bits 68 to 70 are the rank less 1, bits 256 to 287 the inner
 *  extent less 1, bits 440 to 447 the inner box less 1.  So a map of rank 2 has
 *  0x10 in the second of its 64-bit words, and extent 256 is 0xff in the fifth.
 */
#ifndef ZLAY_TENSORMAP_BITS_H
#define ZLAY_TENSORMAP_BITS_H

#include <zlay/tensormap.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The driver and the device whose tensor maps were read. */
ZLAY_API const char *zlay_tensormap_bits_source(void);

/** Write the 128 bytes of a tensor map as that driver writes them.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, or a map that zlay_tensormap_check
 *           does not answer YES; ZLAY_ENOTSUP a target that is not sm_90.
 *  Out:     words  16, little-endian as they stand in memory.
 *  Pure.
 */
ZLAY_API zlay_status zlay_tensormap_pack(uint64_t *words, const zlay_target *target,
                                         const zlay_tensormap *map);

/** Read the parameters of a tensor map from its 128 bytes.  Any words have
 *  fields; what no field explains comes back, so that the map's own bits XOR
 *  `unexplained` are the words again.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL; ZLAY_ENOTSUP a target that is not
 *           sm_90.
 *  Out:     out          the parameters; type -1: a number that is none.
 *           unexplained  16 words.
 *  Pure.
 */
ZLAY_API zlay_status zlay_tensormap_unpack(zlay_tensormap *out, uint64_t *unexplained,
                                           const zlay_target *target,
                                           const uint64_t *words);

#ifdef __cplusplus
}
#endif
#endif
