/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts with parameters among those without. */
#include "algebra/layout/kind.h"

bool zl_symbols_value(const zlay_layout *a, uint64_t index, int64_t *out)
{
    (void)a, (void)index, (void)out;
    return false;
}

int64_t zl_symbols_at(const zlay_layout *a, uint64_t index)
{
    (void)a, (void)index;
    return 0;
}

zlay_status zl_symbols_tuple(const zlay_layout *a, uint64_t index, int64_t *values)
{
    (void)a, (void)index, (void)values;
    return ZLAY_EINVAL;
}

bool zl_symbols_at_integer(const zlay_layout *a, int64_t value, int64_t *out)
{
    (void)a, (void)value, (void)out;
    return false;
}

bool zl_symbols_affine(zl_affine *out, const zlay_layout *a)
{
    (void)out, (void)a;
    return false;
}

bool zl_symbols_affine_of_integers(zl_affine *out, const zlay_layout *a, unsigned bits)
{
    (void)out, (void)a, (void)bits;
    return false;
}

zlay_status zl_symbols_walk(zl_draft *d, const zlay_layout *a, const zl_form *at, size_t count,
                            zl_visit *visit, void *env)
{
    (void)at, (void)count, (void)visit, (void)env;
    return zl_without_parameters(d->ctx, a);
}
