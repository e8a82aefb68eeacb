/* SPDX-License-Identifier: Apache-2.0 */
/* The kind of symbolic layouts: no value is known before its names are numbers, so that every
 * question about values is answered with no. */
#include "algebra/symbolic/symbol.h"

static bool value_at(const zlay_layout *a, uint64_t index, int64_t *out)
{
    (void)a, (void)index, (void)out;
    return false;
}

static int64_t flat_at(const zlay_layout *a, uint64_t index)
{
    (void)a, (void)index;
    return 0;
}

static zlay_status tuple_at(const zlay_layout *a, uint64_t index, int64_t *values)
{
    (void)a, (void)index, (void)values;
    return ZLAY_EINVAL;
}

static bool at_integer(const zlay_layout *a, int64_t value, int64_t *out)
{
    (void)a, (void)value, (void)out;
    return false;
}

static bool affine_of(zl_affine *out, const zlay_layout *a)
{
    (void)out, (void)a;
    return false;
}

static bool affine_of_integers(zl_affine *out, const zlay_layout *a, unsigned bits)
{
    (void)out, (void)a, (void)bits;
    return false;
}

static zlay_status box_of(zl_modes *box, const zlay_layout *a)
{
    const zl_symbols *s = a->symbols;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < s->leaves && !status; i++) {
        const zl_symbol_leaf *leaf = &s->leaf[i];
        if (!zl_monomial_constant(&leaf->shape)) return zl_without_parameters(box->ctx, a);
        status = zl_modes_put(box, (zl_mode){leaf->shape.factor, 0, leaf->open, leaf->close});
    }
    return status;
}

static zlay_status copy_of(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    return zl_symbols_layout(ctx, out, a->symbols);
}

size_t zl_symbols_part_end(const zl_symbols *s, size_t i, uint32_t depth)
{
    for (uint32_t open = depth;; i++) {
        open = open > s->leaf[i].close ? open - s->leaf[i].close : 0;
        if (!open) return i + 1;
        open += s->leaf[i + 1].open;
    }
}

static size_t extents_of(uint64_t *extents, size_t room, const zlay_layout *a)
{
    const zl_symbols *s = a->symbols;
    uint32_t outer = s->leaf[0].open ? 1 : 0;
    size_t end = 0, count = 0;
    for (size_t i = 0; i < s->leaves; i = end, count++, outer = 0) {
        uint64_t extent = 1;
        end = zl_symbols_part_end(s, i, s->leaf[i].open - outer);
        for (size_t k = i; k < end; k++) {
            const zl_monomial *shape = &s->leaf[k].shape;
            extent *= zl_monomial_constant(shape) ? (uint64_t)shape->factor : 0;
        }
        if (count < room) extents[count] = extent;
    }
    return count;
}

static const char *param_of(const zlay_layout *a, size_t i)
{
    return i < a->symbols->params ? a->symbols->param[i].text : NULL;
}

static uint64_t steps_of(const zlay_layout *a)
{
    (void)a;
    return 2;
}

const zl_layout_kind zl_symbols_kind = {
    .value = value_at,
    .at = flat_at,
    .tuple = tuple_at,
    .at_integer = at_integer,
    .affine = affine_of,
    .affine_of_integers = affine_of_integers,
    .steps = steps_of,
    .box = box_of,
    .extents = extents_of,
    .copy = copy_of,
    .print = zl_symbols_print,
    .param = param_of,
    .bind = zl_symbols_bind,
};
