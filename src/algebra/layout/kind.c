/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/layout/kind.h"

#define STRIDED                                                                                \
    {NULL,                          zl_strided_at,  zl_strided_tuple, zl_strided_at_integer, \
     zl_strided_affine, zl_strided_affine_of_integers,                                       \
     zl_strided_box,                zl_strided_copy, zl_strided_print,       \
     zl_strided_walk}

static const zl_kind kinds[] = {
    [ZLAY_LAYOUT_STRIDED] = STRIDED,
    [ZLAY_LAYOUT_SWIZZLED] = STRIDED, /* a strided layout's swizzle is the identity */
    [ZLAY_LAYOUT_F2] = {NULL, zl_f2_at, zl_f2_tuple, zl_f2_at_integer, zl_f2_affine,
                        zl_f2_affine_of_integers, zl_f2_box, zl_f2_copy, zl_f2_print,
                        zl_f2_walk},
    [ZLAY_LAYOUT_MODULAR] = {NULL, zl_modular_at, zl_modular_tuple, zl_modular_at_integer,
                             zl_modular_affine, zl_modular_affine_of_integers, zl_f2_box,
                             zl_f2_copy, zl_f2_print, zl_f2_walk},
    [ZLAY_LAYOUT_PIECES] = {zl_pieces_value, zl_pieces_flat_at, zl_pieces_tuple,
                            zl_pieces_at_integer, zl_pieces_affine, zl_pieces_affine_of_integers,
                            zl_pieces_box, zl_pieces_copy, zl_pieces_print,
                            zl_pieces_walk},
    [ZLAY_LAYOUT_SYMBOLIC] = {zl_symbols_value, zl_symbols_at, zl_symbols_tuple,
                              zl_symbols_at_integer, zl_symbols_affine,
                              zl_symbols_affine_of_integers, zl_symbols_box, zl_symbols_copy,
                              zl_symbols_print, zl_symbols_walk},
};

const zl_kind *zl_kind_of(const zlay_layout *a) { return &kinds[a->kind]; }

bool zl_value(const zlay_layout *a, uint64_t index, int64_t *out)
{
    const zl_kind *kind = zl_kind_of(a);
    if (kind->value) return kind->value(a, index, out);
    *out = kind->at(a, index);
    return true;
}

zlay_status zl_charge_values(zlay_ctx *ctx, const zlay_layout *a, uint64_t count)
{
    uint64_t steps = 2 + a->modes + a->f2.ins + a->f2.outs;
    if (a->kind == ZLAY_LAYOUT_PIECES) steps += zl_pieces_steps(&a->pieces);
    return zl_charge(ctx, zl_umul_sat(count, steps));
}

int64_t zl_at(const zlay_layout *a, uint64_t index) { return zl_kind_of(a)->at(a, index); }

bool zl_at_integer(const zlay_layout *a, int64_t value, int64_t *out)
{
    return zl_kind_of(a)->at_integer(a, value, out);
}

bool zl_affine_of(zl_affine *out, const zlay_layout *a) { return zl_kind_of(a)->affine(out, a); }

bool zl_affine_of_integers(zl_affine *out, const zlay_layout *a, unsigned bits)
{
    return zl_kind_of(a)->affine_of_integers(out, a, bits);
}

zlay_status zl_layout_box(zl_modes *box, const zlay_layout *a)
{
    return zl_kind_of(a)->box(box, a);
}

zlay_status zl_layout_copy(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    return zl_kind_of(a)->copy(ctx, out, a);
}

static void print(zl_text *out, const void *layout)
{
    zl_kind_of(layout)->print(out, layout);
}

zlay_status zlay_layout_print(zlay_buf *out, const zlay_layout *layout)
{
    return layout ? zl_print(out, print, layout) : ZLAY_EINVAL;
}
