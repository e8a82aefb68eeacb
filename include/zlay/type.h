/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/type.h - element types: their numbers, names and bits.
 *
 *  Numbers 0 to 15 are CUtensorMapDataType's, so a host passes on what it gives
 *  the driver.  By hand: "bf16" is ZLAY_TYPE_BF16, 9, of 16 bits.
 */
#ifndef ZLAY_TYPE_H
#define ZLAY_TYPE_H

#include <zlay/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Element types.  0 to 15 are CUtensorMapDataType's numbers. */
enum {
    ZLAY_TYPE_U8 = 0, ZLAY_TYPE_U16, ZLAY_TYPE_U32, ZLAY_TYPE_S32, ZLAY_TYPE_U64,
    ZLAY_TYPE_S64, ZLAY_TYPE_F16, ZLAY_TYPE_F32, ZLAY_TYPE_F64, ZLAY_TYPE_BF16,
    ZLAY_TYPE_F32_FTZ, ZLAY_TYPE_TF32, ZLAY_TYPE_TF32_FTZ, ZLAY_TYPE_U4_ALIGN8,
    ZLAY_TYPE_U4_ALIGN16, ZLAY_TYPE_U6_ALIGN16,
    ZLAY_TYPE_S8 = 32, ZLAY_TYPE_S16, ZLAY_TYPE_E4M3, ZLAY_TYPE_E5M2,
    ZLAY_TYPE_E2M3, ZLAY_TYPE_E3M2, ZLAY_TYPE_E2M1, ZLAY_TYPE_UE8M0,
    ZLAY_TYPE_UE4M3, ZLAY_TYPE_S4, ZLAY_TYPE_U4, ZLAY_TYPE_B1,
    ZLAY_TYPE_E4M3_FNUZ, ZLAY_TYPE_E5M2_FNUZ
};

/** Find an element type by its name, as "bf16".
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no such type; ZLAY_EINVAL a NULL.
 *  Out:     out  ZLAY_TYPE_*.
 */
ZLAY_API zlay_status zlay_type_find(int32_t *out, const char *name, size_t length);

/** The name of an element type; NULL for a number that is none. */
ZLAY_API const char *zlay_type_name(int32_t type);

/** Bits of one element of a type; 0 for a number that is none. */
ZLAY_API uint32_t zlay_type_bits(int32_t type);

#ifdef __cplusplus
}
#endif
#endif
