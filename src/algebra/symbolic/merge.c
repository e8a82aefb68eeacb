/* SPDX-License-Identifier: Apache-2.0 */
/* Coalesces the leaves of a symbolic layout by polynomial identities: neighbours merge where the
 * first one's extent times its stride is the second one's stride, for all values of the names. */
#include "algebra/symbolic/symbol.h"

void zl_symbols_merge(zl_symbols *s, bool unbounded)
{
    size_t count = 0;
    for (size_t i = 0; i < s->leaves; i++) {
        zl_symbol_leaf leaf = s->leaf[i], *last = count ? &s->leaf[count - 1] : NULL;
        zl_monomial next, shape;
        leaf.open = leaf.close = 0;
        bool kept = unbounded && i + 1 == s->leaves;
        if (zl_monomial_is(&leaf.shape, 1) && !kept) continue;
        if (last && zl_monomial_mul(&next, &last->shape, &last->stride) &&
            zl_monomial_equal(&next, &leaf.stride) &&
            zl_monomial_mul(&shape, &last->shape, &leaf.shape))
            last->shape = shape;
        else s->leaf[count++] = leaf;
    }
    if (!count)
        s->leaf[count++] = (zl_symbol_leaf){zl_monomial_of(1), zl_monomial_of(0), 0, 0};
    s->leaves = count;
}
