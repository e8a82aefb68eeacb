/* SPDX-License-Identifier: Apache-2.0 */
/* Names of numbers, as batch.md writes them. */
#include "json/json.h"

const zl_word zl_types[] = {{"u8", ZLAY_TYPE_U8},
                            {"u16", ZLAY_TYPE_U16},
                            {"u32", ZLAY_TYPE_U32},
                            {"s32", ZLAY_TYPE_S32},
                            {"u64", ZLAY_TYPE_U64},
                            {"s64", ZLAY_TYPE_S64},
                            {"f16", ZLAY_TYPE_F16},
                            {"f32", ZLAY_TYPE_F32},
                            {"f64", ZLAY_TYPE_F64},
                            {"bf16", ZLAY_TYPE_BF16},
                            {"f32_ftz", ZLAY_TYPE_F32_FTZ},
                            {"tf32", ZLAY_TYPE_TF32},
                            {"tf32_ftz", ZLAY_TYPE_TF32_FTZ},
                            {"b4x16", ZLAY_TYPE_U4_ALIGN8},
                            {"b4x16_p64", ZLAY_TYPE_U4_ALIGN16},
                            {"b6x16_p32", ZLAY_TYPE_U6_ALIGN16},
                            {"b6p2x16", ZLAY_TYPE_U6_ALIGN16},
                            {NULL, 0}};
const zl_word zl_majors[] = {{"K", ZLAY_MAJOR_K}, {"MN", ZLAY_MAJOR_MN}, {NULL, 0}};
const zl_word zl_swizzles[] = {{"none", ZLAY_SWIZZLE_NONE}, {"32B", ZLAY_SWIZZLE_32B},
                               {"64B", ZLAY_SWIZZLE_64B},   {"128B", ZLAY_SWIZZLE_128B},
                               {"128B_base32B", 4},         {NULL, 0}};
