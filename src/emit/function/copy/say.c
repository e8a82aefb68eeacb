/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a function of C, and instructions that C has no words for: inline asm with the text of the
 * instruction's form. */
#include "emit/function/copy/copy.h"

#include <stdarg.h>

void zl_tile_c_line(zl_tile_c *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    zl_put_times(t->e.out, "    ", t->depth);
    zl_vputf(t->e.out, format, args);
    zl_puts(t->e.out, "\n");
    va_end(args);
}

void zl_tile_c_open(zl_tile_c *t)
{
    zl_tile_c_line(t, "{");
    t->depth++;
}

void zl_tile_c_close(zl_tile_c *t)
{
    t->depth--;
    zl_tile_c_line(t, "}");
}

static char constraint_of(char operand) { return operand == 'd' ? 'l' : operand == 'n' ? 'n' : 'r'; }

void zl_tile_c_asm(zl_tile_c *t, zl_form_id id, uint32_t results, const char *const *operands)
{
    const zl_phrase *form = zl_phrase_get(&t->e, id);
    zl_text *out = t->e.out;
    zl_put_times(out, "    ", t->depth);
    zl_putf(out, "asm volatile(\"%s\"%s", form->text, results ? " : " : " :: ");
    for (uint32_t i = 0; form->operands[i]; i++) {
        const char *before = i == 0 ? "" : i == results ? " : " : ", ";
        zl_putf(out, "%s\"%s%c\"(%s)", before, i < results ? "=" : "",
                constraint_of(form->operands[i]), operands[i]);
    }
    zl_puts(out, " : \"memory\");\n");
}
