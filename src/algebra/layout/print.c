/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/layout/kind.h"

static void repeat(zl_text *out, const char *text, uint32_t count)
{
    while (count--) zl_puts(out, text);
}

static void print_tuple(zl_text *out, const zlay_layout *a, bool strides)
{
    for (size_t i = 0; i < a->modes; i++) {
        const zl_mode *m = &a->mode[i];
        zl_puts(out, i ? "," : "");
        repeat(out, "(", m->open);
        zl_putf(out, "%lld", (long long)(strides ? m->stride : m->shape));
        repeat(out, ")", m->close);
    }
}

void zl_strided_print(zl_text *out, const zlay_layout *a)
{
    const zl_swizzle *s = &a->swizzle;
    if (s->bits) zl_putf(out, "Sw<%d,%d,%d> o ", (int)s->bits, (int)s->base, (int)s->shift);
    if (s->bits || a->offset) zl_putf(out, "%lld o ", (long long)a->offset);
    print_tuple(out, a, false);
    zl_puts(out, ":");
    print_tuple(out, a, true);
}
