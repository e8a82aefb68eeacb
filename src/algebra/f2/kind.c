/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds f2 and modular, which have one memory, one box and one text.  A value of an f2 layout
 * is the exclusive or of the bases of the index's bits; contiguous indices take a table of the low
 * bits, which the bases of the others move.  A modular layout adds its bases as modular.c does. */
#include "algebra/f2/f2.h"
#include "algebra/f2/modular.h"

#include <string.h>

enum { ROW = 256 }; /* entries of a table of values */

static zlay_status copy_of(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    return zl_layout_f2(ctx, out, &a->f2);
}

/* ---- values ------------------------------------------------------------------------- */

static int64_t value_at(const zlay_layout *a, uint64_t index)
{
    uint64_t value = 0;
    for (; index; index &= index - 1) value ^= a->f2.basis[__builtin_ctzll(index)];
    return (int64_t)value;
}

static void fields_of(const zl_f2 *f2, uint64_t packed, int64_t *values)
{
    for (size_t i = 0; i < f2->outs; i++) {
        unsigned bits = f2->out[i].bits;
        values[i] = (int64_t)(bits < 64 ? packed & (((uint64_t)1 << bits) - 1) : packed);
        packed = bits < 64 ? packed >> bits : 0;
    }
}

static zlay_status tuple_at(const zlay_layout *a, uint64_t index, int64_t *values)
{
    uint64_t flat = (uint64_t)value_at(a, index);
    fields_of(&a->f2, flat, values);
    return ZLAY_OK;
}

/* Inputs of 64 bits take every word. */
static bool at_integer(const zlay_layout *a, int64_t value, int64_t *out)
{
    if (zl_dim_bits(a->f2.in, a->f2.ins) < 64 && (uint64_t)value >= a->size) return false;
    *out = value_at(a, (uint64_t)value);
    return true;
}

/* The values of `bits` bits: each basis doubles the table. */
static void table_fill(uint64_t *table, const uint64_t *basis, unsigned bits)
{
    table[0] = 0;
    for (unsigned k = 0; k < bits; k++)
        for (size_t i = 0; i < (size_t)1 << k; i++)
            table[((size_t)1 << k) + i] = table[i] ^ basis[k];
}

static bool range_of(int64_t *values, const zlay_layout *a, uint64_t first, size_t count)
{
    if (a->f2.outs != 1) return false;
    uint64_t table[ROW], rest = (count >= 2 * ROW ? ROW : 16) - 1, last = first + (count - 1);
    unsigned bits = zl_dim_bits(a->f2.in, a->f2.ins), low = rest == ROW - 1 ? 8 : 4;
    if (bits < low) low = bits, rest = ((uint64_t)1 << bits) - 1;
    table_fill(table, a->f2.basis, low);
    for (uint64_t at = first; count; at = (at | rest) + 1) {
        uint64_t base = zl_xor_of(a->f2.basis, at & ~rest),
                 end = (at | rest) < last ? at | rest : last;
        size_t here = (size_t)(end - at) + 1;
        const uint64_t *from = table + (at & rest);
        for (size_t i = 0; i < here; i++) values[i] = (int64_t)(base ^ from[i]);
        values += here;
        count -= here;
    }
    return true;
}

/* ---- as an affine map, and the box --------------------------------------------------- */

static bool affine_of(zl_affine *out, const zlay_layout *a)
{
    out->bits = zl_dim_bits(a->f2.in, a->f2.ins);
    out->constant = 0;
    for (unsigned k = 0; k < out->bits; k++) out->basis[k] = a->f2.basis[k];
    return true;
}

static bool affine_of_integers(zl_affine *out, const zlay_layout *a, unsigned bits)
{
    return affine_of(out, a) && out->bits >= bits;
}

static zlay_status box_of(zl_modes *box, const zlay_layout *a)
{
    size_t first = box->count;
    zlay_status status = ZLAY_OK;
    if (!a->f2.ins) return zl_modes_leaf(box, 1, 0);
    for (size_t i = 0; i < a->f2.ins && !status; i++) {
        if (a->f2.in[i].bits > 62)
            return zl_fail(box->ctx, ZLAY_EOVERFLOW, "the extent 2^%u of %s does not fit 64 bits",
                           a->f2.in[i].bits, a->f2.in[i].name);
        status = zl_modes_leaf(box, (int64_t)1 << a->f2.in[i].bits, 0);
    }
    if (a->f2.ins > 1) zl_modes_wrap(box, first);
    return status;
}

static uint64_t points_of(const zl_dim *in)
{
    return in->bits < 64 ? (uint64_t)1 << in->bits : UINT64_MAX;
}

static size_t extents_of(uint64_t *extents, size_t room, const zlay_layout *a)
{
    for (size_t i = 0; i < a->f2.ins && i < room; i++) extents[i] = points_of(&a->f2.in[i]);
    return a->f2.ins;
}

static uint64_t steps_of(const zlay_layout *a) { return 2 + a->f2.ins + a->f2.outs; }

static const zl_layout_kind f2_kind = {
    .at = value_at,
    .tuple = tuple_at,
    .range = range_of,
    .at_integer = at_integer,
    .affine = affine_of,
    .affine_of_integers = affine_of_integers,
    .steps = steps_of,
    .box = box_of,
    .extents = extents_of,
    .copy = copy_of,
    .print = zl_f2_print,
};

/* ---- modular: the same block, other values -------------------------------------------- */

static int64_t modular_value_at(const zlay_layout *a, uint64_t index)
{
    return (int64_t)zl_modular_flat(&a->f2, zl_modular_at(&a->f2, index));
}

static zlay_status modular_tuple_at(const zlay_layout *a, uint64_t index, int64_t *values)
{
    fields_of(&a->f2, zl_modular_at(&a->f2, index), values);
    return ZLAY_OK;
}

static bool modular_at_integer(const zlay_layout *a, int64_t value, int64_t *out)
{
    if (value < 0 || (uint64_t)value >= a->size) return false;
    *out = modular_value_at(a, (uint64_t)value);
    return true;
}

static const zl_layout_kind modular_kind = {
    .at = modular_value_at,
    .tuple = modular_tuple_at,
    .at_integer = modular_at_integer,
    .steps = steps_of,
    .box = box_of,
    .extents = extents_of,
    .copy = copy_of,
    .print = zl_f2_print,
};

/* ---- making ------------------------------------------------------------------------- */

static bool is_modular(const zl_f2 *f2)
{
    for (size_t i = 0; i < f2->outs; i++)
        if (f2->out[i].size) return true;
    return false;
}

/* uint64_t first: names need no alignment. */
zlay_status zl_layout_f2(zlay_ctx *ctx, zlay_layout **out, const zl_f2 *f2)
{
    size_t basis = zl_dim_bits(f2->in, f2->ins) * sizeof(uint64_t);
    size_t ins = f2->ins * sizeof(zl_dim), outs = f2->outs * sizeof(zl_dim);
    unsigned bits = zl_dim_bits(f2->in, f2->ins);
    bool modular = is_modular(f2);
    zlay_layout *a = zl_layout_block(ctx, modular ? ZLAY_LAYOUT_MODULAR : ZLAY_LAYOUT_F2,
                                     modular ? &modular_kind : &f2_kind, basis + ins + outs);
    if (!a) return ZLAY_ENOMEM;
    char *tail = (char *)(a + 1);
    if (basis) memcpy(tail, f2->basis, basis);
    if (ins) memcpy(tail + basis, f2->in, ins);
    if (outs) memcpy(tail + basis + ins, f2->out, outs);
    a->f2 = (zl_f2){f2->ins, f2->outs, (const zl_dim *)(void *)(tail + basis),
                    (const zl_dim *)(void *)(tail + basis + ins),
                    (const uint64_t *)(void *)tail};
    a->size = bits < 64 ? (uint64_t)1 << bits : UINT64_MAX;
    *out = a;
    return ZLAY_OK;
}
