/* SPDX-License-Identifier: Apache-2.0 */
/* The element types of a GEMM: reads those of the request and their defaults, asks the rules of
 * wgmma or tcgen05 whether one instruction multiplies A and B, and names the types in texts. What lies in
 * memory as bytes, or as f32 that is read as tf32, has a tensor map of whole bytes or of f32. Last comes the plan's
 * matrix instruction, of these types, the operands' majors and the tile's columns; a refusal names the order that works. */
#include "legality/tcgen05/tcgen05.h"
#include "synth/gemm/plan.h"

#include <string.h>

enum { REASONS = 8, ROWS_OF_WGMMA = 64, ROWS_OF_TMEM = 128, COLUMNS = 64, K_BITS = 256, BYTE = 8 };

static const char *name_of(int32_t type)
{
    const char *name = zlay_type_name(type);
    return name ? name : "?";
}

static bool is_half(int32_t type) { return type == ZLAY_TYPE_F16 || type == ZLAY_TYPE_BF16; }

static int32_t sum_of(int32_t a) { return zl_gemm_integer(a) ? ZLAY_TYPE_S32 : ZLAY_TYPE_F32; }

/* Whether sums of A and B may become elements of D. */
static bool d_possible(int32_t a, int32_t d) { return d == sum_of(a) || zl_gemm_conversion(sum_of(a), d); }

static int32_t d_usual(int32_t a)
{
    if (zl_gemm_integer(a)) return ZLAY_TYPE_S32;
    return is_half(a) ? a : zlay_type_bits(a) == 32 ? ZLAY_TYPE_F32 : ZLAY_TYPE_BF16;
}

static zlay_status type_read(zlay_ctx *ctx, const char *field, int32_t asked, int32_t usual,
                             int32_t *out)
{
    *out = asked == ZLAY_GEMM_U8 ? ZLAY_TYPE_U8 : asked ? asked : usual;
    if (zlay_type_bits(*out)) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "%s: %d is no type", field, asked);
}

void zl_gemm_product(zlay_mma *out, const zlay_target *target, int32_t a, int32_t b, int32_t scales)
{
    bool tmem = zl_gemm_by_tmem(target);
    memset(out, 0, sizeof *out);
    if (zl_gemm_by_sync(target)) {
        *out = zl_sync_mma(a, b);
        return;
    }
    out->instruction = tmem ? ZLAY_MMA_TCGEN05 : ZLAY_MMA_WGMMA;
    out->kind = tmem ? zl_t5_kind(a) : ZLAY_KIND_NONE;
    out->cta_group = tmem;
    out->m = tmem ? ROWS_OF_TMEM : ROWS_OF_WGMMA;
    out->n = COLUMNS;
    out->k = zlay_type_bits(a) ? K_BITS / zlay_type_bits(a) : K_BITS;
    out->a = a;
    out->b = b;
    out->d = sum_of(a);
    zl_gemm_blocks_product(out, scales);
}

static bool of_types(const zlay_reason *r)
{
    return r->field == ZLAY_FIELD_A || r->field == ZLAY_FIELD_B;
}

/* f32 is read as tf32; else what the rule repairs to. */
static int32_t nearest(int32_t a, const zlay_reason *r)
{
    bool single = r->field == ZLAY_FIELD_A && a == ZLAY_TYPE_F32;
    return single ? ZLAY_TYPE_TF32 : (int32_t)r->fix_value;
}

/* Elements are whole bytes. */
static zlay_status bytes_check(zlay_ctx *ctx, int32_t a, int32_t b)
{
    bool of_a = zlay_type_bits(a) < BYTE;
    if (!of_a && zlay_type_bits(b) >= BYTE) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ENOTSUP,
                   "%s: %s; the GEMM of this version has elements of whole bytes: e4m3, e5m2, s8 and "
                   "u8 are the least types",
                   of_a ? "a_type" : "b_type", name_of(of_a ? a : b));
}

/* Of mma.sync a form multiplies A and B. */
static zlay_status sync_check(zlay_ctx *ctx, const zlay_target *target, int32_t a, int32_t b)
{
    char id[ZL_SYNC_NAME];
    const char *name = zlay_target_name(target);
    if (zl_sync_form(id, target, a, b)) return ZLAY_OK;
    if (zl_sync_form(id, target, a, a))
        return zl_fail(ctx, ZLAY_NONE, "a_type %s, b_type %s: no mma.sync of %s multiplies them; the nearest that works is b_type %s",
                       name_of(a), name_of(b), name, name_of(a));
    return zl_fail(ctx, ZLAY_NONE, "a_type %s, b_type %s: no mma.sync of %s multiplies them; the nearest that works is %s",
                   name_of(a), name_of(b), name, a == ZLAY_TYPE_F32 ? "tf32" : "bf16");
}

/* The first rule on the types of A and B that is broken; the repair is the nearest type that an
 * instruction has. */
static zlay_status pair_check(zlay_ctx *ctx, const zlay_target *target, int32_t a, int32_t b, int32_t scales)
{
    zlay_mma mma;
    zlay_verdict verdict;
    zlay_reason reasons[REASONS] = {0};
    zlay_rule rule;
    if (zl_gemm_by_sync(target)) return sync_check(ctx, target, a, b);
    zl_gemm_product(&mma, target, a, b, scales);
    zlay_status status = zlay_mma_check(&verdict, reasons, REASONS, target, &mma);
    for (uint32_t i = 0; !status && i < REASONS && i < verdict.reasons; i++) {
        if (reasons[i].noted || !of_types(&reasons[i])) continue;
        status = zlay_rule_info(&rule, reasons[i].rule);
        bool of_a = reasons[i].field == ZLAY_FIELD_A;
        return status ? status
                      : zl_fail(ctx, ZLAY_NONE,
                                "%s: a_type %s, b_type %s: %s; the nearest that works is %s %s",
                                rule.id, name_of(a), name_of(b), rule.text,
                                of_a ? "a_type" : "b_type", name_of(nearest(a, &reasons[i])));
    }
    return status || scales >= ZLAY_SCALES_LINE_32 ? status : bytes_check(ctx, a, b);
}

static zlay_status d_check(zlay_ctx *ctx, const zlay_target *target, int32_t a, int32_t d)
{
    bool fnuz = d == ZLAY_TYPE_E4M3_FNUZ || d == ZLAY_TYPE_E5M2_FNUZ;
    if (d_possible(a, d) && (!fnuz || zl_wave_target(target))) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ENOTSUP, "d_type: %s; sums of %s are %s, and D is f32, f16, bf16, e4m3, e5m2, s32, s8 or u8",
                   name_of(d), name_of(a), name_of(sum_of(a)));
}

zlay_status zl_gemm_types(zlay_ctx *ctx, int32_t *type, const zlay_target *target,
                          const zlay_gemm *g)
{
    int32_t *a = &type[ZLAY_OPERAND_A], *b = &type[ZLAY_OPERAND_B], all = 0;
    zlay_status status = type_read(ctx, "type", g->type, ZLAY_TYPE_BF16, &all);
    if (!status) status = type_read(ctx, "a_type", g->a_type, all, a);
    if (!status) status = type_read(ctx, "b_type", g->b_type, all, b);
    if (status) return status;
    bool same = zlay_type_bits(all) > 8 && d_possible(*a, all);
    int32_t usual = g->type && same ? all : d_usual(*a);
    status = type_read(ctx, "d_type", g->d_type, usual, &type[ZLAY_OPERAND_D]);
    if (status) return status;
    status = zl_gemm_blocks_types(ctx, g, *a, *b);
    if (status) return status;
    status = zl_wave_target(target) ? zl_wave_types_check(ctx, target, type)
                                    : pair_check(ctx, target, *a, *b, g->a_scales);
    int32_t d = type[ZLAY_OPERAND_D];
    if (!status && zl_gemm_by_sync(target) && !zl_sync_converts(target, d))
        return zl_fail(ctx, ZLAY_NONE, "d_type: %s; %s has no conversion to it, sm_89 has", name_of(d),
                       zlay_target_name(target));
    return status ? status : d_check(ctx, target, *a, d);
}

int32_t zl_gemm_map_type(int32_t type)
{
    if (type == ZLAY_TYPE_TF32) return ZLAY_TYPE_F32;
    return zlay_type_bits(type) <= 8 ? ZLAY_TYPE_U8 : type;
}

void zl_gemm_put_types(zl_text *out, const zlay_plan *plan)
{
    const char *a = name_of(plan->operand[ZLAY_OPERAND_A].type),
               *b = name_of(plan->operand[ZLAY_OPERAND_B].type),
               *d = name_of(plan->operand[ZLAY_OPERAND_D].type);
    if (!strcmp(a, b) && !strcmp(a, d)) zl_puts(out, a);
    else zl_putf(out, "%s x %s to %s", a, b, d);
}

/* ---- the instruction -------------------------------------------------------------------------- */

void zl_gemm_instruction(zlay_plan *plan)
{
    zlay_mma *mma = &plan->info.mma;
    zl_gemm_product(mma, plan->info.target, plan->operand[ZLAY_OPERAND_A].type,
                    plan->operand[ZLAY_OPERAND_B].type, plan->scales[ZLAY_OPERAND_A]);
    mma->a_major = plan->operand[ZLAY_OPERAND_A].major;
    mma->b_major = plan->operand[ZLAY_OPERAND_B].major;
}

/* The order of the request that makes an operand K-major; of a swapped product A is the request's
 * B. */
static const char *order_wanted(const zlay_plan *plan, int32_t field)
{
    if (field != ZLAY_FIELD_A_MAJOR && field != ZLAY_FIELD_B_MAJOR) return "";
    bool of_a = (field == ZLAY_FIELD_A_MAJOR) != (plan->info.swapped != 0);
    return of_a ? "; a_order: the nearest that works is row"
                : "; b_order: the nearest that works is column";
}

/* The operand of 4-byte elements that is MN-major, by its field. */
static int32_t word_across(const zlay_plan *plan)
{
    static const int32_t fields[] = {ZLAY_FIELD_A_MAJOR, ZLAY_FIELD_B_MAJOR};
    for (int o = 0; o < 2; o++)
        if (plan->operand[o].element == 4 && plan->operand[o].major == ZLAY_MAJOR_MN) return fields[o];
    return ZLAY_FIELD_NONE;
}

static zlay_status rules_check(zlay_ctx *ctx, const zlay_plan *plan)
{
    zlay_verdict verdict;
    zlay_reason reason = {0};
    zlay_rule rule;
    int32_t across = zl_by_tmem(plan) ? word_across(plan) : ZLAY_FIELD_NONE;
    if (across != ZLAY_FIELD_NONE)
        return zl_fail(ctx, ZLAY_ENOTSUP,
                       "tf32 is MN-major in atoms of 32 bytes alone (DESC_CANONICAL), which plans do not have%s",
                       order_wanted(plan, across));
    zlay_status status = zlay_mma_check(&verdict, &reason, 1, plan->info.target, &plan->info.mma);
    if (status || verdict.answer == ZLAY_YES) return status;
    status = zlay_rule_info(&rule, reason.rule);
    if (status) return status;
    return zl_fail(ctx, ZLAY_NONE, "%s: %s (target %s)%s", rule.id, rule.text,
                   zlay_target_name(plan->info.target), order_wanted(plan, reason.field));
}

/* ldmatrix transposes elements of 16 bits alone. */
static zlay_status across_check(zlay_ctx *ctx, const zlay_plan *plan)
{
    static const int32_t fields[] = {ZLAY_FIELD_A_MAJOR, ZLAY_FIELD_B_MAJOR};
    for (int o = 0; o < 2; o++)
        if (plan->operand[o].element != 2 && plan->operand[o].major == ZLAY_MAJOR_MN)
            return zl_fail(ctx, ZLAY_NONE, "ldmatrix transposes elements of 16 bits alone%s", order_wanted(plan, fields[o]));
    return ZLAY_OK;
}

zlay_status zl_gemm_instruction_check(zlay_ctx *ctx, const zlay_plan *plan)
{
    return zl_by_sync(plan) ? across_check(ctx, plan) : rules_check(ctx, plan);
}

/* ---- conversions ---- */

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
