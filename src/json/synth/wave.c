/* SPDX-License-Identifier: Apache-2.0 */
/* wave.synth: an operand through shared memory to the registers of matrix instructions; and emit of
 * what: wave, the functions of its plan. */
#include "json/synth/emit.h"

#include <zlay/emit_function.h>

static const zl_named fragments[] = {{"A", ZLAY_FRAGMENT_A}, {"B", ZLAY_FRAGMENT_B}, {NULL, 0}};
static const zl_named paths[] = {{"best", ZLAY_WAVE_PATH_BEST},
                                 {"registers", ZLAY_WAVE_PATH_REGISTERS},
                                 {"direct", ZLAY_WAVE_PATH_DIRECT},
                                 {NULL, 0}};
static const zl_named layouts[] = {{"place", ZLAY_WAVE_PLACE},
                                   {"load", ZLAY_WAVE_LOAD},
                                   {"write", ZLAY_WAVE_WRITE},
                                   {"read", ZLAY_WAVE_READ},
                                   {"from", ZLAY_WAVE_FROM},
                                   {"order", ZLAY_WAVE_ORDER},
                                   {NULL, 0}};

typedef struct asked {
    const zlay_target *target;
    zlay_wave_request request;
} asked;

static const zl_field wave_rows[] = {
    ZL_TARGET(asked),
    {"parts", ZL_MAY, ZL_AT(zl_as_u32, asked, request.parts)},
    {"align", ZL_MAY, ZL_AT(zl_as_u32, asked, request.align)},
    {"any_order", ZL_MAY, ZL_AT(zl_as_bit, asked, request.any_order), .count = 1},
    {"path", ZL_MAY, ZL_AT(zl_as_word, asked, request.path), .of = paths},
    {"", ZL_NEEDS, ZL_AT(zl_as_mma, asked, request.mma), .of = &zl_mma_unsigned_fields},
    {"fragment", ZL_NEEDS, ZL_AT(zl_as_word, asked, request.fragment), .of = fragments},
    {"rows", ZL_NEEDS, ZL_AT(zl_as_u32, asked, request.rows)},
    {"depth", ZL_NEEDS, ZL_AT(zl_as_u32, asked, request.depth)},
    {"threads", ZL_NEEDS, ZL_AT(zl_as_u32, asked, request.threads)},
};
static const asked usual = {.request = {.size = sizeof usual.request}};
const zl_fields zl_wave_fields = {ZL_ROWS(wave_rows, asked), .start = &usual};
typedef asked zl_wave_fields_type;

static json_t *name_of(const zlay_wave_summary *info, int32_t access)
{
    zlay_bank_access found;
    if (access < 0 || zlay_bank_info(&found, info->target, access)) return json_null();
    return json_string(found.name);
}

static const zl_field number_rows[] = {
    ZL_NUMBER(zlay_wave_summary, load_bytes),     ZL_NUMBER(zlay_wave_summary, loads),
    ZL_NUMBER(zlay_wave_summary, load_rows),      ZL_NUMBER(zlay_wave_summary, read_bytes),
    ZL_NUMBER(zlay_wave_summary, reads),          ZL_NUMBER(zlay_wave_summary, read_xor),
    ZL_NUMBER(zlay_wave_summary, block_bytes),    ZL_NUMBER(zlay_wave_summary, part_bytes),
    ZL_NUMBER(zlay_wave_summary, blocks),         ZL_NUMBER(zlay_wave_summary, steps),
    ZL_NUMBER(zlay_wave_summary, step_registers), ZL_NUMBER(zlay_wave_summary, registers),
    ZL_NUMBER(zlay_wave_summary, smem),
};
static const zl_fields number_fields = {ZL_ROWS(number_rows, zlay_wave_summary)};

static void put_numbers(zl_call *call, const zlay_wave_summary *i)
{
    zl_put_value(call, call->value, "direct", json_boolean(i->direct));
    zl_put_value(call, call->value, "load_steady", json_boolean(i->load_steady));
    zl_put_value(call, call->value, "store", name_of(i, i->store));
    zl_put_value(call, call->value, "read", name_of(i, i->read));
    zl_put_fields(call, call->value, &number_fields, i);
    zl_put_value(call, call->value, "swizzle",
                 json_pack("[iii]", (int)i->swizzle_bits, (int)i->swizzle_base,
                           (int)i->swizzle_shift));
}

static void put_count(zl_call *call, const char *name, zlay_answer counted, uint32_t wavefronts,
                      uint32_t ideal)
{
    json_t *value = json_null();
    if (counted == ZLAY_YES) {
        value = json_object();
        zl_put_value(call, value, "wavefronts", json_integer(wavefronts));
        zl_put_value(call, value, "ideal", json_integer(ideal));
    }
    zl_put_value(call, call->value, name, value);
}

static void put_plan(zl_call *call, const zlay_wave *wave)
{
    zlay_wave_summary i;
    const zlay_layout *a, *b;
    json_t *list = json_array(), *all = json_object();
    zlay_wave_info(&i, wave);
    call->value = json_object();
    put_numbers(call, &i);
    put_count(call, "read_count", i.reads_counted, i.read_wavefronts, i.read_ideal);
    put_count(call, "store_count", i.stores_counted, i.store_wavefronts, i.store_ideal);
    for (const zl_named *w = layouts; w->name; w++)
        zl_put_value(call, all, w->name, zl_json_layout(call, zlay_wave_layout(wave, w->number)));
    for (uint32_t c = 0; !zlay_wave_certificate(&a, &b, wave, c); c++)
        zl_put_item(call, list, zl_json_pair(call, a, b));
    zl_put_value(call, call->value, "layouts", all);
    zl_put_value(call, call->value, "certificates", list);
}

zlay_status zl_op_wave_synth(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_wave *wave = NULL;
    zlay_status status = zlay_wave_synth(call->ctx, &wave, a->target, &a->request);
    if (!status) put_plan(call, wave);
    zlay_wave_free(wave);
    return status;
}

/* ---- functions --------------------------------------------------------------------------- */

typedef struct wave_function {
    zl_emit_head head;
    asked of;
    int32_t language;
    const zlay_wave *plan;
} wave_function;

static const zl_field function_rows[] = {
    ZL_PART(zl_emit_head_fields, wave_function, head),
    ZL_PART(zl_wave_fields, wave_function, of),
    {"language", ZL_NEEDS, ZL_AT(zl_as_word, wave_function, language), .of = zl_function_languages},
};
static const wave_function usual_function = {.of = {.request = {.size = sizeof usual.request}}};
const zl_fields zl_emit_wave_fields = {ZL_ROWS(function_rows, wave_function),
                                       .start = &usual_function};

static zlay_status print_wave(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const wave_function *f = value;
    return zlay_emit_wave(ctx, out, f->plan, f->language, f->head.name.text, f->head.name.length);
}

zlay_status zl_emit_wave(zl_call *call, const void *value)
{
    wave_function f = *(const wave_function *)value;
    zlay_wave *plan = NULL;
    zlay_status status = zlay_wave_synth(call->ctx, &plan, f.of.target, &f.of.request);
    f.plan = plan;
    if (!status)
        status = zl_put_kernel(call, zl_word_of(zl_function_languages, f.language), print_wave, &f,
                               &f.head);
    zlay_wave_free(plan);
    return status;
}
