/* SPDX-License-Identifier: Apache-2.0 */
/* F2 and modular layouts as text: f2{in: (basis) .. -> out: size, ..}, which zl_f2_parse reads. */
#include "algebra/f2/f2.h"

static void print_basis(zl_text *out, const zl_f2 *f2, uint64_t value)
{
    unsigned low = 0;
    zl_puts(out, " (");
    for (size_t i = 0; i < f2->outs; low += f2->out[i++].bits)
        zl_putf(out, "%s%llu", i ? "," : "",
                (unsigned long long)zl_field(value, low, f2->out[i].bits));
    zl_puts(out, ")");
}

static void print_outputs(zl_text *out, const zl_f2 *f2)
{
    for (size_t i = 0; i < f2->outs; i++) {
        const zl_dim *dim = &f2->out[i];
        uint64_t size = dim->size ? dim->size : zl_left(1, dim->bits);
        zl_putf(out, "%s%s: ", i ? ", " : " ", dim->name);
        if (size) zl_putf(out, "%llu", (unsigned long long)size);
        else zl_puts(out, "18446744073709551616");
    }
}

void zl_f2_print(zl_text *out, const zlay_layout *a)
{
    const zl_f2 *f2 = &a->f2;
    const uint64_t *basis = f2->basis;
    zl_puts(out, "f2{");
    for (size_t i = 0; i < f2->ins; i++) {
        zl_putf(out, "%s%s:", i ? "; " : "", f2->in[i].name);
        for (uint32_t b = 0; b < f2->in[i].bits; b++) print_basis(out, f2, *basis++);
    }
    zl_puts(out, f2->ins ? " ->" : "->");
    print_outputs(out, f2);
    zl_puts(out, "}");
}
