/* SPDX-License-Identifier: Apache-2.0 */
/* The types of a plan of waves: the matrix instruction of 32 x 32 results that multiplies A and B on the target, the one
 * with the greatest K of which a read of 16 bytes brings whole factors; and the rule that is broken where there is none. */
#include "synth/gemm/plan.h"
#include "target/target.h"

enum { SIDE = 32, K_MOST = 32, REASONS = 8 };

static zlay_mma product_of(int32_t a, int32_t b, uint32_t k)
{
    return (zlay_mma){.instruction = ZLAY_MMA_MFMA,
                      .m = SIDE,
                      .n = SIDE,
                      .k = k,
                      .a = b, /* the instruction computes the transposed product */
                      .b = a,
                      .d = zl_gemm_integer(a) ? ZLAY_TYPE_S32 : ZLAY_TYPE_F32,
                      .blocks = 1};
}

bool zl_wave_product(zlay_mma *out, const zlay_target *target, int32_t a, int32_t b)
{
    for (uint32_t k = K_MOST; k; k /= 2) {
        zlay_verdict verdict;
        *out = product_of(a, b, k);
        if (!zlay_mma_check(&verdict, NULL, 0, target, out) && verdict.answer == ZLAY_YES)
            return true;
    }
    return false;
}

bool zl_wave_target(const zlay_target *target)
{
    zlay_mma mma;
    return zl_wave_product(&mma, target, ZLAY_TYPE_BF16, ZLAY_TYPE_BF16);
}

static const char *name_of(int32_t type)
{
    const char *name = zlay_type_name(type);
    return name ? name : "?";
}

/* Refuses two types of which the target has others of the same names, as gfx942 has fnuz. */
static zlay_status refuse_names(zlay_ctx *ctx, const zlay_target *target, int32_t a, int32_t b,
                                const zlay_rule *rule)
{
    return zl_fail(ctx, ZLAY_NONE, "%s: a_type %s, b_type %s: %s; the nearest that works is %s and %s",
                   rule->id, name_of(a), name_of(b), rule->text, name_of(zlay_target_type(target, a)),
                   name_of(zlay_target_type(target, b)));
}

static bool has_others(const zlay_target *target, int32_t a, int32_t b)
{
    int32_t own_a = zlay_target_type(target, a), own_b = zlay_target_type(target, b);
    zlay_mma mma;
    return (own_a != a || own_b != b) && zl_wave_product(&mma, target, own_a, own_b);
}

/* Refuses two types by the rule that they break; the first factor of the instruction is B. */
static zlay_status refuse(zlay_ctx *ctx, const zlay_target *target, int32_t a, int32_t b)
{
    zlay_mma mma = product_of(a, b, K_MOST);
    zlay_verdict verdict;
    zlay_reason reasons[REASONS] = {0};
    zlay_rule rule;
    zlay_status status = zlay_mma_check(&verdict, reasons, REASONS, target, &mma);
    for (uint32_t i = 0; !status && i < REASONS && i < verdict.reasons; i++) {
        bool of_b = reasons[i].field == ZLAY_FIELD_A, of_a = reasons[i].field == ZLAY_FIELD_B;
        if (reasons[i].noted || (!of_a && !of_b)) continue;
        status = zlay_rule_info(&rule, reasons[i].rule);
        if (!status && has_others(target, a, b)) return refuse_names(ctx, target, a, b, &rule);
        return status ? status
                      : zl_fail(ctx, ZLAY_NONE,
                                "%s: a_type %s, b_type %s: %s; the nearest that works is %s %s",
                                rule.id, name_of(a), name_of(b), rule.text,
                                of_a ? "a_type" : "b_type", name_of((int32_t)reasons[i].fix_value));
    }
    return status ? status
                  : zl_fail(ctx, ZLAY_NONE, "a_type: %s, b_type: %s; %s multiplies no such types to "
                                            "32 x 32 results",
                            name_of(a), name_of(b), zlay_target_name(target));
}

/* D of floats of 8 bits, whose formats the target's rounding decides. */
static zlay_status small_check(zlay_ctx *ctx, const zlay_target *target, int32_t d)
{
    bool ocp = d == ZLAY_TYPE_E4M3 || d == ZLAY_TYPE_E5M2, fnuz = d == ZLAY_TYPE_E4M3_FNUZ || d == ZLAY_TYPE_E5M2_FNUZ;
    if ((!ocp || target->features & ZL_HAS_CVT_FP8) && (!fnuz || target->features & ZL_HAS_FNUZ)) return ZLAY_OK;
    const char *nearest = target->features & ZL_HAS_CVT_FP8 ? d == ZLAY_TYPE_E4M3_FNUZ ? "e4m3" : "e5m2"
                          : target->features & ZL_HAS_FNUZ ? name_of(zlay_target_type(target, d)) : "bf16";
    return zl_fail(ctx, ZLAY_ENOTSUP, "d_type: %s; %s rounds no sums to it; the nearest that works is %s", name_of(d),
                   zlay_target_name(target), nearest);
}

zlay_status zl_wave_types_check(zlay_ctx *ctx, const zlay_target *target, const int32_t *type)
{
    zlay_mma mma;
    int32_t a = type[ZLAY_OPERAND_A], b = type[ZLAY_OPERAND_B];
    return zl_wave_product(&mma, target, a, b) ? small_check(ctx, target, type[ZLAY_OPERAND_D]) : refuse(ctx, target, a, b);
}
