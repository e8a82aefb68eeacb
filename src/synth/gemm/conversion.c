/* SPDX-License-Identifier: Apache-2.0 */
/* What sums of a GEMM become where D has another type. */
#include "synth/gemm/plan.h"

/* How a body makes an element of D of a sum S, where they are of different types. */
static const struct {
    int32_t sum, d;
    const char *made;
} conversions[] = {
    {ZLAY_TYPE_F32, ZLAY_TYPE_F16, "f16(S)"},       {ZLAY_TYPE_F32, ZLAY_TYPE_BF16, "bf16(S)"},
    {ZLAY_TYPE_F32, ZLAY_TYPE_E4M3, "e4m3(S)"},     {ZLAY_TYPE_F32, ZLAY_TYPE_E5M2, "e5m2(S)"},
    {ZLAY_TYPE_F32, ZLAY_TYPE_E4M3_FNUZ, "e4m3fnuz(S)"}, {ZLAY_TYPE_F32, ZLAY_TYPE_E5M2_FNUZ, "e5m2fnuz(S)"},
    {ZLAY_TYPE_F32, ZLAY_TYPE_S32, "s32(S)"},       {ZLAY_TYPE_F32, ZLAY_TYPE_S8, "s8(s32(S))"},
    {ZLAY_TYPE_F32, ZLAY_TYPE_U8, "u8(s32(S))"},    {ZLAY_TYPE_S32, ZLAY_TYPE_S8, "s8(S)"},
    {ZLAY_TYPE_S32, ZLAY_TYPE_U8, "u8(S)"},         {ZLAY_TYPE_S32, ZLAY_TYPE_F32, "f32(S)"},
    {ZLAY_TYPE_S32, ZLAY_TYPE_F16, "f16(f32(S))"},  {ZLAY_TYPE_S32, ZLAY_TYPE_BF16, "bf16(f32(S))"},
    {ZLAY_TYPE_S32, ZLAY_TYPE_E4M3, "e4m3(f32(S))"}, {ZLAY_TYPE_S32, ZLAY_TYPE_E5M2, "e5m2(f32(S))"},
    {ZLAY_TYPE_S32, ZLAY_TYPE_E4M3_FNUZ, "e4m3fnuz(f32(S))"}, {ZLAY_TYPE_S32, ZLAY_TYPE_E5M2_FNUZ, "e5m2fnuz(f32(S))"},
};

const char *zl_gemm_conversion(int32_t sum, int32_t d)
{
    for (size_t i = 0; i < ZL_COUNT(conversions); i++)
        if (conversions[i].sum == sum && conversions[i].d == d) return conversions[i].made;
    return NULL;
}
