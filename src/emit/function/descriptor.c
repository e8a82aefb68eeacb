/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of matrix instructions: zlay_emit_smemdesc prints the word of step 0 at a shared address,
 * and what each further step adds to it as the function of a layout, the cheapest that has the steps;
 * zlay_emit_idesc a constant. */
#include "emit/function/function.h"
#include "emit/function/line.h"

#include "base/request.h"

#include <zlay/emit_function.h>

enum { STEPS_MOST = 4096, UNIT = 16, STARTS = 1 << 18 };

/* ---- words in shared memory ----------------------------------------------------------------- */

typedef struct desc_text {
    const zlay_smemdesc_function *ask;
    uint64_t base;
    const zl_address_text *steps; /* NULL: there is one */
} desc_text;

/* The bits of the start stand alone: 16 bytes a unit, 14 bits. */
static void base_ptx(zl_text *out, const desc_text *t)
{
    zl_puts(out, ".func (.param .b64 value) ");
    zl_put(out, t->ask->name, t->ask->name_length);
    zl_putf(out,
            "(.param .b32 shared)\n{\n    .reg .b32 %%r0;\n    .reg .b64 %%d0;\n"
            "    ld.param.u32 %%r0, [shared];\n    bfe.u32 %%r0, %%r0, 4, 14;\n"
            "    cvt.u64.u32 %%d0, %%r0;\n    or.b64 %%d0, %%d0, 0x%llx;\n"
            "    st.param.b64 [value], %%d0;\n    ret;\n}\n",
            (unsigned long long)t->base);
}

static void base_c(zl_text *out, const desc_text *t)
{
    zl_puts(out, "static __device__ __forceinline__ __attribute__((unused)) unsigned long long ");
    zl_put(out, t->ask->name, t->ask->name_length);
    zl_putf(out, "(unsigned shared)\n{\n    return 0x%llxull | (unsigned long long)((shared >> 4) & "
            "0x3fffu);\n}\n", (unsigned long long)t->base);
}

static void desc_write(zl_text *out, const void *value)
{
    const desc_text *t = value;
    zl_putf(out, "/* zlay %s: a matrix descriptor of %s whose instruction reads from a shared address "
            "on;", zlay_version(), zlay_target_name(t->ask->target));
    if (t->steps) {
        zl_puts(out, "\n   the descriptor of step i0 is it + ");
        zl_put(out, t->ask->name, t->ask->name_length);
        zl_puts(out, "_step(i0);");
    }
    zl_putf(out, " %zu step%s. */\n", t->ask->count, t->steps ? "s" : "");
    (t->ask->language == ZLAY_TEXT_PTX ? base_ptx : base_c)(out, t);
    if (t->steps) zl_address_put(out, t->steps, "_step");
}

/* What every step adds, in units of the field. */
static zlay_status steps_table(zlay_ctx *ctx, zl_table *t, const zlay_smemdesc_function *ask)
{
    zlay_status status = zl_table_new(ctx, t, ask->count);
    for (size_t i = 0; !status && i < ask->count; i++) {
        if (ask->start[i] % UNIT || ask->start[i] >= STARTS)
            return zl_fail(ctx, ZLAY_EINVAL, "start %zu: %u is no multiple of 16 below 2^18", i,
                           (unsigned)ask->start[i]);
        zl_table_set(t, i, ((int64_t)ask->start[i] - (int64_t)ask->start[0]) / UNIT);
    }
    return status;
}

static zlay_status desc_check(zlay_ctx *ctx, const zlay_smemdesc_function *ask, uint64_t *base)
{
    zlay_smemdesc fields = *ask->fields;
    zlay_verdict verdict;
    zlay_status status = zl_function_check(ctx, ask->language, ask->name, ask->name_length);
    if (status) return status;
    if (!ask->count || ask->count > STEPS_MOST)
        return zl_fail(ctx, ZLAY_EINVAL, "count: 1 to %d steps", STEPS_MOST);
    fields.start = 0;
    status = zlay_smemdesc_pack(base, ask->target, &fields);
    if (status == ZLAY_ENOTSUP || ask->language == ZLAY_TEXT_HIP)
        return zl_fail(ctx, ZLAY_ENOTSUP, "descriptors are words of wgmma's and tcgen05's targets");
    if (status) return zl_fail(ctx, status, "fields: one does not fit its bits");
    status = zlay_smemdesc_check(&verdict, NULL, 0, ask->target, &fields);
    if (status || verdict.answer != ZLAY_YES)
        return zl_fail(ctx, ZLAY_EINVAL, "fields: a rule says no to them");
    return ZLAY_OK;
}

static zlay_status desc_print(zlay_ctx *ctx, zlay_buf *out, desc_text *t)
{
    const zlay_smemdesc_function *ask = t->ask;
    zl_table table = {0};
    zl_line_function steps = {0};
    zl_address_text text = {&steps.address, &steps.form, ask->language, ask->name, ask->name_length};
    zlay_status status = steps_table(ctx, &table, ask);
    if (!status && ask->count > 1) {
        status = zl_line_function_of(ctx, &steps, &table);
        t->steps = &text;
    }
    if (!status) status = zl_print(out, desc_write, t);
    zl_line_function_free(&steps);
    zl_table_free(&table);
    return status;
}

zlay_status zlay_emit_smemdesc(zlay_ctx *ctx, zlay_buf *out, const zlay_smemdesc_function *request)
{
    static const zl_request_form form = {
        "zlay_smemdesc_function", sizeof(zlay_smemdesc_function), sizeof request->size,
        {ZL_RESERVED(zlay_smemdesc_function, reserved)}};
    zlay_smemdesc_function ask;
    if (!out || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_request_read(ctx, &ask, request, &form);
    if (!status && (!ask.target || !ask.fields || !ask.start || !ask.name)) status = ZLAY_EINVAL;
    desc_text text = {.ask = &ask};
    if (!status) status = desc_check(ctx, &ask, &text.base);
    return zl_leave(ctx, status ? status : desc_print(ctx, out, &text));
}

/* ---- instruction descriptors ---------------------------------------------------------------- */

typedef struct idesc_text {
    const zlay_target *target;
    int32_t language;
    uint32_t word;
    const char *name;
    size_t length;
} idesc_text;

/* PTX has no named constants of an instruction: the word is a function's value. */
static void idesc_write(zl_text *out, const void *value)
{
    const idesc_text *t = value;
    bool ptx = t->language == ZLAY_TEXT_PTX;
    zl_putf(out, "/* zlay %s: an instruction descriptor of %s. */\n", zlay_version(),
            zlay_target_name(t->target));
    zl_puts(out, ptx ? ".func (.param .b32 value) " : "static constexpr __attribute__((unused)) unsigned ");
    zl_put(out, t->name, t->length);
    if (ptx)
        zl_putf(out, "()\n{\n    .reg .b32 %%r0;\n    mov.b32 %%r0, 0x%08x;\n"
                "    st.param.b32 [value], %%r0;\n    ret;\n}\n", (unsigned)t->word);
    else zl_putf(out, " = 0x%08xu;\n", (unsigned)t->word);
}

zlay_status zlay_emit_idesc(zlay_ctx *ctx, zlay_buf *out, const zlay_target *target,
                            const zlay_idesc *fields, int32_t language, const char *name,
                            size_t length)
{
    zlay_verdict verdict;
    if (!out || !target || !fields || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    idesc_text text = {target, language, 0, name, length};
    status = zl_function_check(ctx, language, name, length);
    if (!status && language == ZLAY_TEXT_HIP)
        status = zl_fail(ctx, ZLAY_ENOTSUP, "descriptors are words of wgmma's and tcgen05's targets");
    if (!status && zlay_idesc_pack(&text.word, fields))
        status = zl_fail(ctx, ZLAY_EINVAL, "fields: one does not fit its bits");
    if (!status && (zlay_idesc_check(&verdict, NULL, 0, target, fields, NULL) ||
                    verdict.answer != ZLAY_YES))
        status = zl_fail(ctx, ZLAY_EINVAL, "fields: a rule of %s says no to them",
                         zlay_target_name(target));
    return zl_leave(ctx, status ? status : zl_print(out, idesc_write, &text));
}
