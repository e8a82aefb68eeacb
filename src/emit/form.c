/* SPDX-License-Identifier: Apache-2.0 */
#include "emit/emit.h"

static const zl_form forms[] = {
#define FORM(id, name, operands, ptx, text) {name, operands, text, ptx},
#include "emit/forms.def"
#undef FORM
};

const zl_form *zl_form_get(zl_form_id id) { return &forms[id]; }

void zl_emit_form(zl_emit *e, const char *guard, zl_form_id id, const char *const *operands)
{
    const zl_form *form = &forms[id];
    if (form->ptx > e->ptx) e->ptx = form->ptx;
    e->used |= (uint64_t)1 << id;
    zl_puts(e->out, "    ");
    zl_puts(e->out, guard);
    for (const char *c = form->text; *c; c++) {
        if (*c == '%') zl_puts(e->out, operands[*++c - '0']);
        else zl_put(e->out, c, 1);
    }
    zl_puts(e->out, "\n");
}

void zl_emit_line(zl_emit *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    zl_puts(e->out, "    ");
    zl_vputf(e->out, format, args);
    zl_puts(e->out, "\n");
    va_end(args);
}
