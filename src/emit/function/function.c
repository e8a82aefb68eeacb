/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_emit_layout: the comment with the layout, and its functions in the language of the
 * request. */
#include "emit/emit.h"
#include "emit/function/address.h"
#include "emit/function/function.h"
#include "emit/function/print.h"

#include <zlay/emit_function.h>

zlay_status zl_function_check(zlay_ctx *ctx, int32_t language, const char *name, size_t length)
{
    if (language != ZLAY_TEXT_CUDA && language != ZLAY_TEXT_HIP && language != ZLAY_TEXT_PTX)
        return zl_fail(ctx, ZLAY_EINVAL, "language: %d is not one of ZLAY_TEXT_*", (int)language);
    return zl_c_name_check(ctx, name, length);
}

static void comment(zl_text *out, const zl_address_text *t)
{
    zl_putf(out, "/* zlay %s: the value of a layout", zlay_version());
    if (t->form->there) {
        zl_puts(out, ", where ");
        zl_put(out, t->name, t->length);
        zl_puts(out, "_there says that it has one");
    }
    zl_puts(out, ":\n   ");
    t->address->layout->table->print(out, t->address->layout);
    zl_puts(out, "\n   ");
    for (size_t i = 0; i < t->address->dims; i++)
        zl_putf(out, "%si%zu < %llu", i ? ", " : "", i, (unsigned long long)t->address->extent[i]);
    zl_puts(out, ". */\n");
}

static void formula(zl_text *out, const zl_address_text *t, zl_vertex root, const char *behind)
{
    zl_formula f = zl_formula_of(&t->form->graph, root, t->address->dims, t->address->extent);
    zl_function_name name = {t->name, t->length, behind};
    if (t->language == ZLAY_TEXT_PTX) zl_formula_print_ptx(out, &f, &name);
    else zl_formula_print_c(out, &f, &name);
}

void zl_address_put(zl_text *out, const zl_address_text *t, const char *behind)
{
    formula(out, t, t->form->root, behind);
}

static void address_write(zl_text *out, const void *value)
{
    const zl_address_text *t = value;
    comment(out, t);
    zl_address_put(out, t, "");
    if (t->form->there) formula(out, t, t->form->there, "_there");
}

zlay_status zlay_emit_layout(zlay_ctx *ctx, zlay_buf *out, const zlay_layout *layout,
                             int32_t language, const char *name, size_t length)
{
    zl_address address;
    zl_address_form form;
    if (!out || !layout || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_function_check(ctx, language, name, length);
    if (!status) status = zl_address_of(ctx, &address, layout);
    if (!status) status = zl_address_best(ctx, &form, &address);
    const zl_address_text text = {&address, &form, language, name, length};
    return zl_leave(ctx, status ? status : zl_print(out, address_write, &text));
}
