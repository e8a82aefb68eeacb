/* SPDX-License-Identifier: Apache-2.0 */
/* The kind of symbolic layouts: no value is known before its names are numbers, so that every
 * question about values is answered with no. */
#include "algebra/symbolic/symbol.h"

#include <string.h>

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

/* ---- numbers for names --------------------------------------------------------------------- */

static zlay_status bind_one(zlay_ctx *ctx, zl_symbols *s, const char *name, int64_t value)
{
    char quoted[256];
    bool found = false;
    zl_like like = zl_like_begin(name, strlen(name));
    for (size_t i = 0; i < s->names; i++) {
        zl_quotient q;
        int64_t of;
        zl_quotient_read(&q, s->name[i].name.text);
        zl_like_offer(&like, q.base.text);
        if (strcmp(q.base.text, name) != 0) continue;
        found = true;
        if (!zl_symbol_value(&of, s->name[i].name.text, value) ||
            !zl_range_has(s->name[i].range, of))
            return zl_fail(ctx, ZLAY_EINVAL,
                           "%s is never %lld: it is an extent, or by the facts or a quotient", name,
                           (long long)value);
        if (!zl_symbols_put(s, i, of)) return zl_symbols_overflow(ctx);
    }
    if (found) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "no parameter is called '%s'%s",
                   zl_quote(quoted, name, strlen(name)), like.hint);
}

static zlay_status bind(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t count,
                        const char *const *name, const int64_t *value)
{
    zl_symbols s = *a->symbols;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < count && !status; i++) {
        if (!name[i]) return zl_fail(ctx, ZLAY_EINVAL, "name %zu is NULL", i);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(name[i], name[k]))
                return zl_fail(ctx, ZLAY_EINVAL, "parameter '%s' has two values", name[i]);
        status = bind_one(ctx, &s, name[i], value[i]);
    }
    return status ? status : zl_symbols_layout(ctx, out, &s);
}

static const zl_layout_kind symbols_kind = {
    .value = value_at,
    .at = flat_at,
    .tuple = tuple_at,
    .at_integer = at_integer,
    .steps = steps_of,
    .box = box_of,
    .extents = extents_of,
    .copy = copy_of,
    .print = zl_symbols_print,
    .param = param_of,
    .bind = bind,
};

/* ---- making -------------------------------------------------------------------------------- */

static zlay_status strided(zlay_ctx *ctx, zlay_layout **out, const zl_symbols *s)
{
    zl_modes m;
    zlay_status status = ZLAY_OK;
    zl_modes_begin(&m, ctx);
    m.offset = s->offset.count ? s->offset.term[0].factor : 0;
    for (size_t i = 0; i < s->leaves && !status; i++) {
        const zl_symbol_leaf *leaf = &s->leaf[i];
        status = zl_modes_put(
            &m, (zl_mode){leaf->shape.factor, leaf->stride.factor, leaf->open, leaf->close});
    }
    if (!status) status = zl_layout_strided(ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    return status;
}

/* The product of the extents, 0 where one is not known; that of their numbers fits in any case. */
static bool size_of(uint64_t *size, const zl_symbols *s)
{
    bool known = true;
    *size = 1;
    for (size_t i = 0; i < s->leaves; i++) {
        if (!zl_umul(*size, (uint64_t)s->leaf[i].shape.factor, size)) return false;
        known = known && zl_monomial_constant(&s->leaf[i].shape);
    }
    if (!known) *size = 0;
    return true;
}

zlay_status zl_symbols_layout(zlay_ctx *ctx, zlay_layout **out, const zl_symbols *s)
{
    zl_symbols settled = *s;
    uint64_t size;
    zlay_status status = zl_symbols_settle(ctx, &settled);
    if (!status && !settled.names && settled.edges) return zl_edges_pieces(ctx, out, &settled);
    if (status || !settled.names) return status ? status : strided(ctx, out, &settled);
    if (!size_of(&size, &settled))
        return zl_fail(ctx, ZLAY_EOVERFLOW, "the size of the layout does not fit 64 bits");
    zlay_layout *a = zl_layout_block(ctx, ZLAY_LAYOUT_SYMBOLIC, &symbols_kind, sizeof settled);
    if (!a) return ZLAY_ENOMEM;
    memcpy(a + 1, &settled, sizeof settled);
    a->symbols = (const zl_symbols *)(const void *)(a + 1);
    a->size = size;
    a->partial = true;
    *out = a;
    return ZLAY_OK;
}

/* ---- facts ----------------------------------------------------------------------------------- */

static zlay_status assume(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                          const zlay_facts *facts)
{
    zl_symbols s;
    if (!a) return zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    if (!a->symbols) return zl_layout_copy(ctx, out, a);
    s = *a->symbols;
    for (size_t i = 0; i < s.names; i++) {
        zlay_range known = zl_symbol_facts(facts, s.name[i].name.text);
        s.name[i].range = zl_range_meet(s.name[i].range, known);
    }
    zl_slacks_assume(&s, facts);
    return zl_symbols_layout(ctx, out, &s);
}

zlay_status zl_layout_assume(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                             const zlay_facts *facts)
{
    zl_mark mark = zl_enter_part(ctx);
    *out = NULL;
    return zl_leave_part(ctx, mark, assume(ctx, out, a, facts));
}

zlay_status zlay_layout_assume(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_facts *facts)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, assume(ctx, out, a, facts));
}
