/* SPDX-License-Identifier: Apache-2.0 */
/* mma.check: a matrix instruction from its fields; what is not said has the value that most mean.
 */
#include "json/json.h"

#include <string.h>

static const zl_word instructions[] = {
    {"wgmma", ZLAY_MMA_WGMMA}, {"tcgen05", ZLAY_MMA_TCGEN05}, {"mfma", ZLAY_MMA_MFMA}, {NULL, 0}};
static const zl_word sources[] = {
    {"smem", ZLAY_SOURCE_SMEM}, {"reg", ZLAY_SOURCE_REG}, {"tmem", ZLAY_SOURCE_TMEM}, {NULL, 0}};
static const zl_word scale_vecs[] = {
    {"1X", ZLAY_SCALE_1X},           {"2X", ZLAY_SCALE_2X},           {"4X", ZLAY_SCALE_4X},
    {"block16", ZLAY_SCALE_BLOCK16}, {"block32", ZLAY_SCALE_BLOCK32}, {NULL, 0}};
static const zl_word bit_ops[] = {{"and", ZLAY_BIT_AND}, {"xor", ZLAY_BIT_XOR}, {NULL, 0}};

#define USES(buffer, first)                                                                        \
    {buffer "::fill", first}, {buffer "::use", first + 1}, {buffer "::lastuse", first + 2},        \
    {                                                                                              \
        buffer "::discard", first + 3                                                              \
    }
static const zl_word collectors[] = {
    USES("a", ZLAY_COLLECTOR_A_FILL),        USES("b0", ZLAY_COLLECTOR_B0_FILL),
    USES("b1", ZLAY_COLLECTOR_B0_FILL + 4),  USES("b2", ZLAY_COLLECTOR_B0_FILL + 8),
    USES("b3", ZLAY_COLLECTOR_B0_FILL + 12), {NULL, 0}};

/* ---- fields ----------------------------------------------------------------------- */

static zlay_status get_named(zl_call *call, const char *name, const zl_word *words, int32_t *out)
{
    if (json_is_null(json_object_get(call->request, name))) return ZLAY_OK;
    return zl_get_word(call, call->request, name, words, out);
}

/* true, false, or a number, which has its verdict. */
static zlay_status get_switch(zl_call *call, const char *name, uint32_t *out)
{
    const json_t *value = json_object_get(call->request, name);
    if (!json_is_boolean(value)) return zl_get_u32(call, call->request, name, out);
    *out = json_is_true(value);
    return ZLAY_OK;
}

/* ---- what is not said --------------------------------------------------------------- */

static int32_t type_of_kind(const zlay_mma *mma)
{
    switch (mma->kind) {
    case ZLAY_KIND_F16: return ZLAY_TYPE_F16;
    case ZLAY_KIND_TF32: return ZLAY_TYPE_TF32;
    case ZLAY_KIND_F8F6F4:
    case ZLAY_KIND_MXF8F6F4: return ZLAY_TYPE_E4M3;
    case ZLAY_KIND_I8: return ZLAY_TYPE_S8;
    case ZLAY_KIND_MXF4:
    case ZLAY_KIND_MXF4NVF4: return ZLAY_TYPE_E2M1;
    default: return ZLAY_TYPE_BF16;
    }
}

static int32_t sum_of(int32_t a)
{
    switch (a) {
    case ZLAY_TYPE_S8:
    case ZLAY_TYPE_U8:
    case ZLAY_TYPE_S4:
    case ZLAY_TYPE_U4:
    case ZLAY_TYPE_B1: return ZLAY_TYPE_S32;
    case ZLAY_TYPE_F64: return ZLAY_TYPE_F64;
    default: return ZLAY_TYPE_F32;
    }
}

/* wgmma and mfma have no kinds: the word is the type of their operands there. */
static zlay_status read_kind(zl_call *call, zlay_mma *out)
{
    zlay_status status;
    const char *text = json_string_value(json_object_get(call->request, "kind"));
    out->a = ZLAY_TYPE_BF16;
    if (out->instruction != ZLAY_MMA_TCGEN05 && text &&
        zlay_type_find(&out->a, text, strlen(text)) == ZLAY_OK)
        return ZLAY_OK;
    status = get_named(call, "kind", zl_kinds, &out->kind);
    if (!status) out->a = type_of_kind(out);
    return status;
}

/* The names of fp8 are those of the target's own formats. */
static void types_of_target(const zlay_target *target, zlay_mma *out)
{
    if (out->instruction != ZLAY_MMA_MFMA) return;
    out->a = zlay_target_type(target, out->a);
    out->b = zlay_target_type(target, out->b);
    out->d = zlay_target_type(target, out->d);
}

static zlay_status read_types(zl_call *call, zlay_mma *out)
{
    zlay_status status = read_kind(call, out);
    if (!status) status = zl_get_word(call, call->request, "a", zl_types, &out->a);
    out->b = out->a;
    out->d = sum_of(out->a);
    if (!status) status = zl_get_word(call, call->request, "b", zl_types, &out->b);
    if (!status) status = zl_get_word(call, call->request, "d", zl_types, &out->d);
    return status;
}

/* mxf4nvf4 has no form without a written vector. */
static int32_t vector_of(const zl_call *call, const zlay_mma *mma)
{
    bool said = json_object_get(call->request, "scale_vec") != NULL;
    return !said && mma->kind == ZLAY_KIND_MXF4NVF4 ? ZLAY_SCALE_BLOCK16 : ZLAY_SCALE_NONE;
}

static zlay_status read_words(zl_call *call, zlay_mma *out)
{
    const struct {
        const char *name;
        const zl_word *words;
        int32_t *to;
    } fields[] = {
        {"a_source", sources, &out->a_source},      {"a_major", zl_majors, &out->a_major},
        {"b_major", zl_majors, &out->b_major},      {"scale_vec", scale_vecs, &out->scale_vec},
        {"collector", collectors, &out->collector}, {"bit_op", bit_ops, &out->bit_op},
    };
    zlay_status status = ZLAY_OK;
    out->scale_vec = vector_of(call, out);
    for (size_t i = 0; !status && i < ZL_COUNT(fields); i++)
        status = get_named(call, fields[i].name, fields[i].words, fields[i].to);
    return status;
}

/* 0 is "not said" in the struct; where it is said, nothing has 0 of them. */
static zlay_status read_sizes(zl_call *call, zlay_mma *out)
{
    const struct {
        const char *name;
        uint32_t *to;
        bool counted;
    } fields[] = {{"m", &out->m, false},
                  {"n", &out->n, false},
                  {"k", &out->k, false},
                  {"selector", &out->selector, false},
                  {"cta_group", &out->cta_group, true},
                  {"blocks", &out->blocks, true}};
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; !status && i < ZL_COUNT(fields); i++) {
        status = zl_get_u32(call, call->request, fields[i].name, fields[i].to);
        bool said = json_object_get(call->request, fields[i].name) != NULL;
        if (!status && said && fields[i].counted && !*fields[i].to)
            return zl_wrong(call, fields[i].name, "an integer above 0");
    }
    return status;
}

static zlay_status read_switches(zl_call *call, zlay_mma *out)
{
    const struct {
        const char *name;
        uint32_t *to;
    } fields[] = {
        {"sparse", &out->sparse},
        {"ws", &out->ws},
        {"ashift", &out->ashift},
        {"negate_a", &out->negate_a},
        {"negate_b", &out->negate_b},
        {"saturate", &out->saturate},
        {"strict", &out->strict},
    };
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; !status && i < ZL_COUNT(fields); i++)
        status = get_switch(call, fields[i].name, fields[i].to);
    return status;
}

/* ---- verdicts ---------------------------------------------------------------------------- */

static const zl_word *names_of(int32_t field)
{
    switch (field) {
    case ZLAY_FIELD_INSTRUCTION: return instructions;
    case ZLAY_FIELD_KIND: return zl_kinds;
    case ZLAY_FIELD_A:
    case ZLAY_FIELD_B:
    case ZLAY_FIELD_D: return zl_types;
    case ZLAY_FIELD_A_MAJOR:
    case ZLAY_FIELD_B_MAJOR: return zl_majors;
    case ZLAY_FIELD_A_SOURCE: return sources;
    case ZLAY_FIELD_SCALE_VEC: return scale_vecs;
    case ZLAY_FIELD_COLLECTOR: return collectors;
    case ZLAY_FIELD_BIT_OP: return bit_ops;
    default: return NULL;
    }
}

/* ---- the operation ------------------------------------------------------------------ */

static zlay_status read_instruction(zl_call *call, zlay_mma *out)
{
    zlay_status status =
        zl_get_word(call, call->request, "instruction", instructions, &out->instruction);
    if (status) return zl_wrong(call, "instruction", "'wgmma', 'tcgen05' or 'mfma'");
    return ZLAY_OK;
}

zlay_status zl_get_mma(zl_call *call, const zlay_target **target, zlay_mma *mma)
{
    zlay_status status = zl_get_target(call, target);
    if (!status) status = read_instruction(call, mma);
    if (!status) status = read_types(call, mma);
    if (!status) types_of_target(*target, mma);
    if (!status) status = read_words(call, mma);
    if (!status) status = read_sizes(call, mma);
    if (!status) status = read_switches(call, mma);
    return status ? status : zl_get_ptx(call, &mma->ptx);
}

zlay_status zl_op_mma_check(zl_call *call)
{
    zlay_reason reasons[ZL_REASONS_MOST];
    zl_checked checked = {
        .reasons = reasons, .room = ZL_REASONS_MOST, .names = names_of, .issues = "instructions"};
    const zlay_target *target;
    zlay_mma mma = {0};
    zlay_status status = zl_get_mma(call, &target, &mma);
    if (status) return status;
    status = zlay_mma_check(&checked.verdict, reasons, ZL_REASONS_MOST, target, &mma);
    if (status)
        return zl_fail(call->ctx, status, "no rules of instruction '%s' are here yet",
                       zl_word_of(instructions, mma.instruction));
    call->value = zl_json_verdict(call, &checked);
    if (!checked.verdict.conflicts) zl_put_value(call, call->value, "conflict", json_array());
    return ZLAY_OK;
}

zlay_status zl_op_mma_fragment(zl_call *call)
{
    static const zl_word fragments[] = {{"A", ZLAY_FRAGMENT_A},
                                        {"D", ZLAY_FRAGMENT_D},
                                        {"metadata", ZLAY_FRAGMENT_METADATA},
                                        {"B", ZLAY_FRAGMENT_B},
                                        {NULL, 0}};
    const zlay_target *target;
    zlay_mma mma = {0};
    zlay_layout *layout = NULL;
    int32_t fragment = -1;
    zlay_status status = zl_get_mma(call, &target, &mma);
    if (!status) status = zl_get_word(call, call->request, "fragment", fragments, &fragment);
    if (!status && (fragment < ZLAY_FRAGMENT_A || fragment > ZLAY_FRAGMENT_B))
        return zl_wrong(call, "fragment", "'A', 'B', 'D' or 'metadata'");
    if (!status) status = zlay_mma_fragment(call->ctx, &layout, target, &mma, fragment);
    if (!status) call->value = zl_json_layout(call, layout);
    zlay_layout_free(layout);
    return status;
}

/* ---- what a form is ------------------------------------------------------------------- */

static const zl_word modifiers[] = {{"broadcast", ZLAY_MODIFIER_BROADCAST},
                                    {"lanes", ZLAY_MODIFIER_LANES},
                                    {"negate", ZLAY_MODIFIER_NEGATE},
                                    {"format", ZLAY_MODIFIER_FORMAT},
                                    {"index", ZLAY_MODIFIER_INDEX},
                                    {NULL, 0}};

static json_t *number_or_null(int64_t value, bool there)
{
    return there ? json_integer(value) : json_null();
}

static json_t *form_value(zl_call *call, const zlay_mma_form *f)
{
    json_t *value = json_object(), *registers = json_object();
    zl_put_value(call, registers, "a", json_integer(f->a_registers));
    zl_put_value(call, registers, "b", json_integer(f->b_registers));
    zl_put_value(call, registers, "d", json_integer(f->d_registers));
    zl_put_value(call, registers, "index", json_integer(f->index_registers));
    zl_put_value(call, value, "name", json_string(f->name));
    zl_put_value(call, value, "lanes", json_integer(f->lanes));
    zl_put_value(call, value, "blocks", json_integer(f->blocks));
    zl_put_value(call, value, "registers", registers);
    zl_put_value(call, value, "aligned", json_integer(f->aligned));
    zl_put_value(call, value, "accumulators", json_boolean(f->accumulators));
    zl_put_value(call, value, "passes", number_or_null(f->passes, f->passes));
    zl_put_value(call, value, "cycles", number_or_null(f->cycles, f->cycles));
    zl_put_value(call, value, "cbsz", zl_json_word(modifiers, f->cbsz));
    zl_put_value(call, value, "blgp", zl_json_word(modifiers, f->blgp));
    zl_put_value(call, value, "cbsz_most", json_integer(f->cbsz_most));
    zl_put_value(call, value, "abid_most", json_integer(f->abid_most));
    zl_put_value(call, value, "a_format", number_or_null(f->a_format, f->a_format >= 0));
    zl_put_value(call, value, "b_format", number_or_null(f->b_format, f->b_format >= 0));
    return value;
}

zlay_status zl_op_mma_explain(zl_call *call)
{
    const zlay_target *target;
    zlay_mma mma = {0};
    zlay_mma_form form;
    zlay_status status = zl_get_mma(call, &target, &mma);
    if (!status) status = zlay_mma_explain(&form, target, &mma);
    if (status == ZLAY_NONE)
        return zl_fail(call->ctx, status, "no such instruction: mma.check says why");
    if (status == ZLAY_ENOTSUP) return zl_wrong(call, "instruction", "'mfma'");
    if (!status) call->value = form_value(call, &form);
    return status;
}

zlay_status zl_op_warp_fragment(zl_call *call)
{
    static const zl_word fragments[] = {{"A", ZLAY_WARP_A},
                                        {"B", ZLAY_WARP_B},
                                        {"D", ZLAY_WARP_D},
                                        {"matrices", ZLAY_WARP_MATRICES},
                                        {"transposed", ZLAY_WARP_TRANSPOSED},
                                        {NULL, 0}};
    zlay_layout *layout = NULL;
    int32_t fragment = -1;
    uint32_t bits = 0, registers = 0;
    zlay_status status = zl_get_word(call, call->request, "fragment", fragments, &fragment);
    if (!status && (fragment < ZLAY_WARP_A || fragment > ZLAY_WARP_TRANSPOSED))
        return zl_wrong(call, "fragment", "'A', 'B', 'D', 'matrices' or 'transposed'");
    if (!status) status = zl_get_u32(call, call->request, "bits", &bits);
    if (!status) status = zl_get_u32(call, call->request, "registers", &registers);
    if (!status) status = zlay_warp_fragment(call->ctx, &layout, fragment, bits, registers);
    if (!status) call->value = zl_json_layout(call, layout);
    zlay_layout_free(layout);
    return status;
}
