/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix instructions: their fields as rows, where what is not said has the value that most mean;
 * what the instruction is in text, and who holds which element. */
#include "json/json.h"

#include <string.h>

static const zl_named instructions[] = {
    {"wgmma", ZLAY_MMA_WGMMA}, {"tcgen05", ZLAY_MMA_TCGEN05}, {"mfma", ZLAY_MMA_MFMA}, {NULL, 0}};
static const zl_named sources[] = {
    {"smem", ZLAY_SOURCE_SMEM}, {"reg", ZLAY_SOURCE_REG}, {"tmem", ZLAY_SOURCE_TMEM}, {NULL, 0}};
static const zl_named scale_vecs[] = {
    {"1X", ZLAY_SCALE_1X},           {"2X", ZLAY_SCALE_2X},           {"4X", ZLAY_SCALE_4X},
    {"block16", ZLAY_SCALE_BLOCK16}, {"block32", ZLAY_SCALE_BLOCK32}, {NULL, 0}};
const zl_named zl_fragments[] = {{"A", ZLAY_FRAGMENT_A},
                                 {"D", ZLAY_FRAGMENT_D},
                                 {"metadata", ZLAY_FRAGMENT_METADATA},
                                 {"B", ZLAY_FRAGMENT_B},
                                 {NULL, 0}};
const zl_named zl_warp_fragments[] = {{"A", ZLAY_WARP_A},
                                      {"B", ZLAY_WARP_B},
                                      {"D", ZLAY_WARP_D},
                                      {"matrices", ZLAY_WARP_MATRICES},
                                      {"transposed", ZLAY_WARP_TRANSPOSED},
                                      {NULL, 0}};
static const zl_named bit_ops[] = {{"and", ZLAY_BIT_AND}, {"xor", ZLAY_BIT_XOR}, {NULL, 0}};

#define USES(buffer, first)                                                                        \
    {buffer "::fill", first}, {buffer "::use", first + 1}, {buffer "::lastuse", first + 2},        \
    {                                                                                              \
        buffer "::discard", first + 3                                                              \
    }
static const zl_named collectors[] = {
    USES("a", ZLAY_COLLECTOR_A_FILL),        USES("b0", ZLAY_COLLECTOR_B0_FILL),
    USES("b1", ZLAY_COLLECTOR_B0_FILL + 4),  USES("b2", ZLAY_COLLECTOR_B0_FILL + 8),
    USES("b3", ZLAY_COLLECTOR_B0_FILL + 12), {NULL, 0}};

/* ---- fields ----------------------------------------------------------------------- */

/* A name, an integer, or null, as if the field were not there. */
static zlay_status read_named(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    if (json_is_null(json_object_get(object, field->name))) return ZLAY_OK;
    return zl_get_word(call, object, field->name, field->of, to);
}

/* 0 is "not said" in the struct; where it is said, nothing has 0 of them. */
static zlay_status read_counted(zl_call *call, const json_t *object, const zl_field *field,
                                void *to)
{
    zlay_status status = zl_get_u32(call, object, field->name, to);
    if (!status && !*(uint32_t *)to) return zl_wrong(call, field->name, "an integer above 0");
    return status;
}

static zlay_status read_instruction(zl_call *call, const json_t *object, const zl_field *field,
                                    void *to)
{
    if (zl_get_word(call, object, field->name, field->of, to))
        return zl_wrong(call, field->name, "'wgmma', 'tcgen05' or 'mfma'");
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

/* What is not said follows the kind, then A. */
static void follow_a(zlay_mma *mma)
{
    mma->b = mma->a;
    mma->d = sum_of(mma->a);
}

/* wgmma and mfma have no kinds: the word is the type of their operands there. mxf4nvf4 has no form
 * without a written vector. */
static zlay_status read_kind(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_mma *out = to;
    const char *text = json_string_value(json_object_get(object, field->name));
    bool typed = out->instruction != ZLAY_MMA_TCGEN05 && text &&
                 zlay_type_find(&out->a, text, strlen(text)) == ZLAY_OK;
    zlay_status status =
        typed ? ZLAY_OK : read_named(call, object, &(zl_field){"kind", .of = zl_kinds}, &out->kind);
    if (!typed) out->a = type_of_kind(out);
    if (!json_object_get(object, "scale_vec") && out->kind == ZLAY_KIND_MXF4NVF4)
        out->scale_vec = ZLAY_SCALE_BLOCK16;
    follow_a(out);
    return status;
}

static zlay_status read_a(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_mma *out = to;
    zlay_status status = zl_get_word(call, object, field->name, zl_types, &out->a);
    follow_a(out);
    return status;
}

static const zl_field_kind as_named = {.read = read_named, .type = "word"},
                           as_counted = {.read = read_counted, .type = "integer"},
                           as_kind = {.read = read_kind, .type = "word"},
                           as_instruction = {.read = read_instruction, .type = "word"},
                           as_a = {.read = read_a, .type = "word"};
typedef int32_t as_named_type, as_instruction_type;
typedef uint32_t as_counted_type;
typedef zlay_mma as_kind_type, as_a_type;

/* ---- the instruction --------------------------------------------------------------------- */

static const zl_field shape_rows[] = {
    {"instruction", ZL_NEEDS, ZL_AT(as_instruction, zlay_mma, instruction), .of = instructions},
    {"m", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_mma, m)},
    {"n", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_mma, n)},
    {"k", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_mma, k)},
};
static const zl_field type_rows[] = {
    {"kind", ZL_MAY, ZL_WHOLE(as_kind, zlay_mma)},
    {"a", ZL_MAY, ZL_WHOLE(as_a, zlay_mma)},
    {"b", ZL_MAY, ZL_AT(zl_as_word, zlay_mma, b), .of = zl_types},
    {"d", ZL_MAY, ZL_AT(zl_as_word, zlay_mma, d), .of = zl_types},
};
static const zl_fields shape_fields = {ZL_ROWS(shape_rows, zlay_mma)},
                       type_fields = {ZL_ROWS(type_rows, zlay_mma)};
typedef zlay_mma shape_fields_type, type_fields_type;

#define NUMBER(name, kind) {#name, ZL_MAY, ZL_AT(kind, zlay_mma, name)}
#define WORD(name, words) {#name, ZL_MAY, ZL_AT(as_named, zlay_mma, name), .of = (words)}
static const zl_field mma_rows[] = {
    ZL_PART_WHOLE(shape_fields, zlay_mma),
    NUMBER(ptx, zl_as_ptx),
    ZL_PART_WHOLE(type_fields, zlay_mma),
    WORD(a_source, sources),
    WORD(a_major, zl_majors),
    WORD(b_major, zl_majors),
    NUMBER(cta_group, as_counted),
    NUMBER(sparse, zl_as_switch),
    NUMBER(selector, zl_as_u32),
    NUMBER(ws, zl_as_switch),
    WORD(scale_vec, scale_vecs),
    NUMBER(ashift, zl_as_switch),
    WORD(collector, collectors),
    NUMBER(negate_a, zl_as_switch),
    NUMBER(negate_b, zl_as_switch),
    NUMBER(saturate, zl_as_switch),
    WORD(bit_op, bit_ops),
    NUMBER(blocks, as_counted),
    NUMBER(strict, zl_as_switch),
};
/* Of those that read both operands from registers; without signs, as a plan has them. */
static const zl_field register_rows[] = {
    ZL_PART_WHOLE(shape_fields, zlay_mma),
    ZL_PART_WHOLE(type_fields, zlay_mma),
    NUMBER(sparse, zl_as_switch),
    WORD(scale_vec, scale_vecs),
    NUMBER(negate_a, zl_as_switch),
    NUMBER(negate_b, zl_as_switch),
    NUMBER(saturate, zl_as_switch),
    NUMBER(blocks, as_counted),
};
static const zl_field unsigned_rows[] = {
    ZL_PART_WHOLE(shape_fields, zlay_mma),
    ZL_PART_WHOLE(type_fields, zlay_mma),
    NUMBER(sparse, zl_as_switch),
    WORD(scale_vec, scale_vecs),
    NUMBER(blocks, as_counted),
};
#undef NUMBER
#undef WORD
static const zl_fields mma_fields = {ZL_ROWS(mma_rows, zlay_mma)};
const zl_fields zl_mma_register_fields = {ZL_ROWS(register_rows, zlay_mma)};
const zl_fields zl_mma_unsigned_fields = {ZL_ROWS(unsigned_rows, zlay_mma)};

/* bf16 unless something else is said; the names of fp8 are those of the target's own formats. */
static zlay_status read_mma(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_mma *out = to;
    const zlay_target *target;
    *out = (zlay_mma){.a = ZLAY_TYPE_BF16};
    follow_a(out);
    zlay_status status = zl_read_object(call, object, field->of, out);
    if (!status) status = zl_get_target(call, &target);
    if (status || out->instruction != ZLAY_MMA_MFMA) return status;
    out->a = zlay_target_type(target, out->a);
    out->b = zlay_target_type(target, out->b);
    out->d = zlay_target_type(target, out->d);
    return ZLAY_OK;
}

const zl_field_kind zl_as_mma = {.read = read_mma, .part = true};

/* ---- verdicts ---------------------------------------------------------------------------- */

static const zl_named *names_of(int32_t field)
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

/* ---- the operations ----------------------------------------------------------------- */

typedef zl_mma_asked asked;

static const zl_field asked_rows[] = {
    ZL_TARGET(asked),
    {"", ZL_NEEDS, ZL_AT(zl_as_mma, asked, mma), .of = &mma_fields},
};
const zl_fields zl_mma_fields = {ZL_ROWS(asked_rows, asked)};

static zlay_status mma_check(zl_checked *c, const void *value)
{
    const asked *a = value;
    c->names = names_of;
    c->issues = "instructions";
    return zlay_mma_check(&c->verdict, c->reasons, c->room, a->target, &a->mma);
}

zlay_status zl_op_mma_check(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_status status = zl_check_asked(call, a, mma_check);
    if (status == ZLAY_ENOTSUP)
        return zl_fail(call->ctx, status, "no rules of instruction '%s' are here yet",
                       zl_word_of(instructions, a->mma.instruction));
    if (!status && !json_object_get(call->value, "conflict"))
        zl_put_value(call, call->value, "conflict", json_array());
    return status;
}

/* A fragment that is none of the names: none of the numbers behind them either. */
static zlay_status read_fragment(zl_call *call, const json_t *object, const zl_field *field,
                                 void *to)
{
    int32_t *fragment = to;
    zlay_status status = zl_get_word(call, object, field->name, field->of, fragment);
    bool warp = field->of == zl_warp_fragments;
    if (!status && (*fragment < (warp ? ZLAY_WARP_A : ZLAY_FRAGMENT_A) ||
                    *fragment > (warp ? ZLAY_WARP_TRANSPOSED : ZLAY_FRAGMENT_B)))
        return zl_wrong(call, field->name,
                        warp ? "'A', 'B', 'D', 'matrices' or 'transposed'"
                             : "'A', 'B', 'D' or 'metadata'");
    return status;
}

static const zl_field_kind as_fragment = {.read = read_fragment, .type = "word"};
typedef int32_t as_fragment_type;

static const zl_field fragment_rows[] = {
    ZL_TARGET(asked),
    {"", ZL_NEEDS, ZL_AT(zl_as_mma, asked, mma), .of = &mma_fields},
    {"fragment", ZL_NEEDS, ZL_AT(as_fragment, asked, fragment), .of = zl_fragments},
};
const zl_fields zl_mma_fragment_fields = {ZL_ROWS(fragment_rows, asked)};

zlay_status zl_make_mma_fragment(zl_call *call, zlay_layout **out, const void *value)
{
    const asked *a = value;
    return zlay_mma_fragment(call->ctx, out, a->target, &a->mma, a->fragment);
}

/* ---- what a form is ------------------------------------------------------------------- */

static const zl_named modifiers[] = {
    {"broadcast", ZLAY_MODIFIER_BROADCAST}, {"lanes", ZLAY_MODIFIER_LANES},
    {"negate", ZLAY_MODIFIER_NEGATE},       {"format", ZLAY_MODIFIER_FORMAT},
    {"index", ZLAY_MODIFIER_INDEX},         {NULL, 0}};

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

zlay_status zl_op_mma_explain(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_mma_form form;
    zlay_status status = zlay_mma_info(&form, a->target, &a->mma);
    if (status == ZLAY_NONE)
        return zl_fail(call->ctx, status, "no such instruction: mma.check says why");
    if (status == ZLAY_ENOTSUP) return zl_wrong(call, "instruction", "'mfma'");
    if (!status) call->value = form_value(call, &form);
    return status;
}

/* ---- fragments of warps --------------------------------------------------------------- */

typedef zl_warp_asked warp;

static const zl_field warp_rows[] = {
    {"fragment", ZL_NEEDS, ZL_AT(as_fragment, warp, fragment), .of = zl_warp_fragments},
    {"bits", ZL_NEEDS, ZL_AT(zl_as_u32, warp, bits)},
    {"registers", ZL_NEEDS, ZL_AT(zl_as_u32, warp, registers)},
};
const zl_fields zl_warp_fields = {ZL_ROWS(warp_rows, warp)};

zlay_status zl_make_warp_fragment(zl_call *call, zlay_layout **out, const void *value)
{
    const warp *w = value;
    return zlay_warp_fragment(call->ctx, out, w->fragment, w->bits, w->registers);
}
