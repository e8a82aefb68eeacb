/* SPDX-License-Identifier: Apache-2.0 */
/* Composition after an f2 layout that strides do not hold: an input of 63 bits or more, 2^64
 * points, or flat values of 64 bits, which have no sign.  Matrices are multiplied. */
#include "algebra/find/find.h"
#include "algebra/ops/compose.h"
#include "algebra/find/finish.h"
#include "algebra/f2/f2.h"

/* No shape has its points. */
static bool has_no_box(const zlay_layout *b)
{
    bool none = zl_dim_bits(b->f2.in, b->f2.ins) == 64;
    for (size_t i = 0; i < b->f2.ins; i++) none = none || b->f2.in[i].bits > 62;
    return none;
}

/* Below 2^k every value is a XOR of bases before k, which stay inside: 2^k is the first to leave.
 */
static zlay_status leaves(zl_work *w, const zl_affine *b, unsigned bits)
{
    unsigned k = 0;
    while (!(b->basis[k] >> bits)) k++;
    w->left = true;
    return zl_fail(w->ctx, ZLAY_NONE, "index %llu: b has %llu, outside the %llu points of a",
                   1ull << k, (unsigned long long)b->basis[k], (unsigned long long)w->a->size);
}

static zlay_status multiply(zl_work *w, zlay_layout **out, const zl_affine *a, const zl_affine *b)
{
    zl_affine map;
    zl_outputs own;
    zl_modes box;
    if (!zl_affine_compose(&map, a, b) || map.constant) return ZLAY_NONE;
    if (w->a->modes && zl_affine_support(&map) >> 63) return ZLAY_NONE;
    const zl_f2 *outs = zl_outputs_of(&own, w->a);
    bool none = has_no_box(w->b);
    zl_modes_begin(&box, w->ctx);
    zlay_status status = none ? zl_modes_leaf(&box, 1, 0) : zl_layout_box(&box, w->b);
    if (!status && none) status = zl_make_f2(w->ctx, out, &map, &box, w->b, outs);
    else if (!status) status = zl_find_affine(w->ctx, out, &map, &box, w->b, outs);
    zl_modes_end(&box);
    return status;
}

zlay_status zl_compose_wide(zl_work *w, zlay_layout **out)
{
    zl_affine a, b;
    if (w->b->kind != ZLAY_LAYOUT_F2 || !zl_affine_of(&b, w->b)) return ZLAY_NONE;
    uint64_t support = zl_affine_support(&b);
    unsigned bits = zl_bit_length(support);
    if (bits < 64 && !has_no_box(w->b)) return ZLAY_NONE;
    if (w->a->kind == ZLAY_LAYOUT_F2) {
        if (!zl_affine_of(&a, w->a)) return ZLAY_NONE;
        if (bits <= a.bits) return multiply(w, out, &a, &b);
        return w->partial ? ZLAY_NONE : leaves(w, &b, a.bits);
    }
    if (!w->a->modes || bits > 63 || !zl_affine_of_integers(&a, w->a, bits)) return ZLAY_NONE;
    return multiply(w, out, &a, &b);
}
