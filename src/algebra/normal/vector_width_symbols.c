/* SPDX-License-Identifier: Apache-2.0 */
/* Vector width where extents, strides and the offset are products of names.
 *
 * The closed form of strides with "v divides" meaning that it divides every value that the ranges
 * of the names allow.  Of a product of names that is exact; where it answers no, some value of the
 * names may still allow the access, so the width is the widest that is proved. */
#include "algebra/symbolic/symbol.h"
#include "algebra/normal/vector_width.h"

zlay_status zl_vector_profile(zl_modes *box, const zlay_layout *a)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < a->symbols->leaves && !status; i++) {
        const zl_symbol_leaf *leaf = &a->symbols->leaf[i];
        status = zl_modes_put(box, (zl_mode){1, 0, leaf->open, leaf->close});
    }
    return status;
}

static bool divides(const zl_symbols *s, uint64_t v, const zl_monomial *m)
{
    return zl_range_divisor(zl_monomial_range(m, s)) % v == 0;
}

/* Leaves that are not one point: their strides keep accesses aligned. */
static bool aligned(const zl_symbols *s, size_t begin, size_t end, uint64_t v)
{
    for (size_t i = begin; i < end; i++)
        if (zl_monomial_range(&s->leaf[i].shape, s).hi > 1 && !divides(s, v, &s->leaf[i].stride))
            return false;
    return true;
}

/* The leaves from `begin` on that are one run of stride 1, whose length goes to `run`. */
static size_t run_end(const zl_symbols *s, size_t begin, size_t end, zl_monomial *run)
{
    size_t i = begin;
    *run = zl_monomial_of(1);
    for (; i < end; i++) {
        const zl_symbol_leaf *leaf = &s->leaf[i];
        if (zl_monomial_is(&leaf->shape, 1)) continue;
        if (!zl_monomial_equal(&leaf->stride, run)) break;
        if (!zl_monomial_mul(run, run, &leaf->shape)) break;
    }
    return i;
}

static bool allows(const zl_symbols *s, size_t begin, size_t end, uint64_t v)
{
    zl_monomial run;
    size_t rest = run_end(s, begin, end, &run);
    return divides(s, v, &run) && zl_range_divisor(zl_poly_range(&s->offset, s)) % v == 0 &&
           aligned(s, 0, begin, v) && aligned(s, rest, s->leaves, v);
}

zlay_status zl_vector_of_symbols(zlay_ctx *ctx, bool *out, const zlay_layout *a,
                                 const zlay_facts *facts, const size_t leaves[2], uint64_t v)
{
    if (a->symbols->edges) return zl_symbols_ragged(ctx);
    zl_mark mark = zl_scratch_mark(ctx);
    zl_symbols *s = zl_scratch(ctx, 1, sizeof *s);
    if (!s) return ZLAY_ENOMEM;
    *s = *a->symbols;
    for (size_t i = 0; i < s->names; i++)
        s->name[i].range =
            zl_range_meet(s->name[i].range, zl_symbol_facts(facts, s->name[i].name.text));
    *out = allows(s, leaves[0], leaves[1], v);
    zl_scratch_release(ctx, mark);
    return ZLAY_OK;
}
