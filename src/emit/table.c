/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a list of numbers as a .global array before a function or kernel, and the load of one
 * entry by its index. The array's name begins with that of the function, so that two texts in one
 * module do not clash. Offsets that have no closed form are looked up in such tables. */
#include "emit/emit.h"

enum { ENTRIES_A_LINE = 8 };

static void table_name(zl_emit *e, const char *what, uint32_t number)
{
    zl_puts(e->out, "$");
    zl_put(e->out, e->name, e->name_length);
    zl_putf(e->out, "_%s%u", what, number);
}

void zl_emit_table(zl_emit *e, const char *what, uint32_t number, uint64_t count, zl_entry *at,
                   const void *env)
{
    zl_puts(e->out, ".global .align 8 .s64 ");
    table_name(e, what, number);
    zl_putf(e->out, "[%llu] = {", (unsigned long long)count);
    for (uint64_t n = 0; n < count; n++)
        zl_putf(e->out, "%s%lld", !n ? "" : n % ENTRIES_A_LINE ? ", " : ",\n    ",
                (long long)at(env, n));
    zl_puts(e->out, "};\n");
}

void zl_emit_entry(zl_emit *e, const char *out, const char *what, uint32_t number,
                   const char *index)
{
    zl_puts(e->out, "    mov.u64 ");
    zl_puts(e->out, out);
    zl_puts(e->out, ", ");
    table_name(e, what, number);
    zl_puts(e->out, ";\n");
    zl_emit_line(e, "mad.lo.s64 %s, %s, 8, %s;", out, index, out);
    zl_emit_line(e, "ld.global.b64 %s, [%s];", out, out);
}
