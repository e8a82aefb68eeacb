/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts as bijections of the slots of a tree: by bases over F2, else by their values. */
#include "algebra/decide/decide.h"
#include "algebra/normal/hier.h"

typedef unsigned long long ull;

static zlay_status outside(zlay_ctx *ctx, uint64_t index, uint64_t slots)
{
    return zl_fail(ctx, ZLAY_NONE, "no bijection onto [0, %llu): index %llu has a value outside",
                   (ull)slots, (ull)index);
}

static zlay_status collision(zlay_ctx *ctx, uint64_t i, uint64_t j, uint64_t slots)
{
    return zl_fail(ctx, ZLAY_NONE,
                   "no bijection onto [0, %llu): indices %llu and %llu have one value", (ull)slots,
                   (ull)i, (ull)j);
}

/* ---- bases ------------------------------------------------------------------------ */

static zlay_status bases_check(const zl_moves *m)
{
    const zl_affine *map = &m->affine;
    zl_f2_span span;
    zl_span_begin(&span);
    if (map->constant >= m->slots) return outside(m->ctx, 0, m->slots);
    for (unsigned k = 0; k < map->bits; k++) {
        uint64_t bit = (uint64_t)1 << k, from = bit;
        if (map->basis[k] >= m->slots) return outside(m->ctx, bit, m->slots);
        if (!zl_span_add(&span, map->basis[k], &from))
            return collision(m->ctx, 0, from, m->slots);
    }
    return ZLAY_OK;
}

/* The index of a value of a linear bijection. */
static uint64_t preimage(zl_f2_span *span, uint64_t value)
{
    uint64_t from = 0;
    zl_span_add(span, value, &from);
    return from;
}

static void bases_between(zl_moves *out, const zl_affine *a, const zl_affine *b)
{
    zl_f2_span span;
    zl_span_begin(&span);
    for (unsigned k = 0; k < a->bits; k++) {
        uint64_t from = (uint64_t)1 << k;
        zl_span_add(&span, a->basis[k], &from);
    }
    out->affine.bits = b->bits;
    out->affine.constant = preimage(&span, a->constant ^ b->constant);
    for (unsigned k = 0; k < b->bits; k++)
        out->affine.basis[k] = preimage(&span, b->basis[k]);
}

/* ---- values ------------------------------------------------------------------------ */

static uint64_t *slots_new(const zl_moves *m)
{
    return zl_scratch(m->ctx, m->slots, sizeof(uint64_t));
}

/* `at` receives 1 + the index of each value. */
static zlay_status values_read(zl_moves *m, const zlay_layout *a, uint64_t *at)
{
    for (uint64_t i = 0; i < m->slots; i++) {
        int64_t value;
        if (zl_charge_block(m->ctx, a, i)) return ZLAY_ENOMEM;
        if (!zl_value(a, i, &value))
            return zl_fail(m->ctx, ZLAY_NONE, "no bijection: the layout is undefined at index %llu",
                           (ull)i);
        if (value < 0 || (uint64_t)value >= m->slots) return outside(m->ctx, i, m->slots);
        if (at[value]) return collision(m->ctx, at[value] - 1, i, m->slots);
        at[value] = i + 1;
        m->to[i] = (uint64_t)value;
    }
    return ZLAY_OK;
}

static zlay_status values_of(zl_moves *m, const zlay_layout *a)
{
    uint64_t limit = zl_limits(m->ctx)->points;
    if (m->slots > limit)
        return zl_fail(m->ctx, ZLAY_ELIMIT, "limits.points is %llu and the layout has %llu",
                       (ull)limit, (ull)m->slots);
    m->to = slots_new(m);
    zl_mark mark = zl_scratch_mark(m->ctx);
    uint64_t *at = m->to ? slots_new(m) : NULL;
    zlay_status status = at ? values_read(m, a, at) : ZLAY_ENOMEM;
    zl_scratch_release(m->ctx, mark);
    return status;
}

static uint64_t affine_at(const zl_affine *map, uint64_t slot)
{
    uint64_t value = map->constant;
    for (; slot; slot &= slot - 1) value ^= map->basis[__builtin_ctzll(slot)];
    return value;
}

static uint64_t move(const zl_moves *m, uint64_t slot)
{
    return m->to ? m->to[slot] : affine_at(&m->affine, slot);
}

/* One of the two has values, so that there are at most limits.points; the result takes the place of
 * a's, or else of b's. */
static zlay_status values_between(zl_moves *out, const zl_moves *a, const zl_moves *b)
{
    zl_mark mark = zl_scratch_mark(out->ctx);
    uint64_t *at = slots_new(out);
    out->to = a->to ? a->to : b->to;
    for (uint64_t i = 0; at && i < out->slots; i++) at[move(a, i)] = i;
    for (uint64_t i = 0; at && i < out->slots; i++) out->to[i] = at[move(b, i)];
    zl_scratch_release(out->ctx, mark);
    return at ? ZLAY_OK : ZLAY_ENOMEM;
}

/* ---- layouts ------------------------------------------------------------------------ */

zlay_status zl_moves_of(zlay_ctx *ctx, zl_moves *out, const zl_tree *tree, const zlay_layout *a)
{
    *out = (zl_moves){.ctx = ctx, .slots = tree->slots};
    zlay_status status = zl_without_parameters(ctx, a);
    if (status) return status;
    if (a->size != tree->slots)
        return zl_fail(ctx, ZLAY_EINVAL, "the levels have %llu slots and the layout %llu points",
                       (ull)tree->slots, (ull)a->size);
    if (!a->partial && zl_affine_of(&out->affine, a)) return bases_check(out);
    return values_of(out, a);
}

zlay_status zl_moves_between(zlay_ctx *ctx, zl_moves *out, const zl_tree *tree,
                             const zlay_layout *a, const zlay_layout *b)
{
    zl_moves from, to;
    *out = (zl_moves){.ctx = ctx, .slots = tree->slots};
    zlay_status status = zl_moves_of(ctx, &from, tree, a);
    zl_mark mark = zl_scratch_mark(ctx);
    if (!status) status = zl_moves_of(ctx, &to, tree, b);
    if (!status && !from.to && !to.to) bases_between(out, &from.affine, &to.affine);
    else if (!status) status = values_between(out, &from, &to);
    if (out->to == from.to) zl_scratch_release(ctx, mark);
    return status;
}
