/* SPDX-License-Identifier: Apache-2.0 */
/* One affine form on a box whose offset and extents may have parameters.
 *
 * The box is i_k >= 0 and e_k - 1 - i_k >= 0 with e_k affine in the parameters.  What is affine in
 * unknowns of which each is a congruence class in an interval takes all residues of its least
 * congruence, so v divides all its values exactly when v divides that congruence: the answer is
 * one, not an estimate. */
#include "algebra/normal/vector_width.h"

typedef struct form {
    const zl_pieces *p;
    const zlay_facts *facts;
    const int64_t *value;
    zlay_range extent[ZL_PIECE_VARIABLES];
} form;

/* The constant and the parameters of a row. */
static zlay_range part_of_params(const form *f, const int64_t *row)
{
    zlay_range sum = zl_range_constant(row[0]);
    for (size_t i = 0; i < f->p->params; i++)
        if (row[1 + i])
            sum = zl_range_add(sum, zl_range_scale(zl_facts_range(f->facts, f->p->param[i].text),
                                                   row[1 + i]));
    return sum;
}

/* The one coordinate of a row; dims where there is none, above where there is more. */
static size_t coordinate_of(const zl_pieces *p, const int64_t *row)
{
    size_t found = p->dims;
    for (size_t i = 0; i < p->dims + p->divs; i++) {
        if (!row[1 + p->params + i]) continue;
        if (found < p->dims || i >= p->dims) return p->dims + 1;
        found = i;
    }
    return found;
}

static bool is_zero(zlay_range r) { return !r.mod && !r.rem; }

/* A row of the guard: a lower end at 0, or the only upper end of its coordinate. */
static bool take_row(form *f, const int64_t *row)
{
    size_t k = coordinate_of(f->p, row);
    if (k >= f->p->dims) return false;
    zlay_range rest = part_of_params(f, row);
    int64_t factor = row[1 + f->p->params + k];
    if (factor == 1) return is_zero(rest);
    if (factor != -1 || !zl_range_is_empty(f->extent[k])) return false;
    f->extent[k] = zl_range_add(rest, zl_range_constant(1));
    return true;
}

static bool form_take(form *f)
{
    const zl_pieces *p = f->p;
    size_t width = zl_pieces_width(p);
    if (p->count != 1 || p->outs != 1 || p->piece[0].equals) return false;
    f->value = p->piece[0].value;
    for (size_t i = 0; i < p->dims; i++) f->extent[i] = zl_range_empty();
    for (size_t i = 0; i < p->divs; i++)
        if (f->value[1 + p->params + p->dims + i]) return false;
    for (size_t r = 0; r < p->piece[0].leasts; r++)
        if (!take_row(f, p->piece[0].guard + r * width)) return false;
    for (size_t i = 0; i < p->dims; i++)
        if (zl_range_is_empty(f->extent[i])) {
            if (!p->extent[i]) return false;
            f->extent[i] = zl_range_constant((int64_t)p->extent[i]);
        }
    return true;
}

/* v divides every value. */
static bool all_divided(zlay_range r, uint64_t v) { return zl_range_divisor(r) % v == 0; }

static bool form_allows(const form *f, size_t dim, uint64_t v)
{
    const int64_t *stride = f->value + 1 + f->p->params;
    if (stride[dim] != 1 || !all_divided(f->extent[dim], v)) return false;
    for (size_t i = 0; i < f->p->dims; i++)
        if (i != dim && f->extent[i].hi > 1 && !all_divided(zl_range_constant(stride[i]), v))
            return false;
    return all_divided(part_of_params(f, f->value), v);
}

zlay_status zl_vector_of_pieces(zlay_ctx *ctx, bool *out, const zl_pieces *p,
                                const zlay_facts *facts, size_t dim, uint64_t v)
{
    form f = {.p = p, .facts = facts};
    if (!form_take(&f))
        return zl_fail(ctx, ZLAY_ENOTSUP,
                       "the layout depends on the parameter %s and is no affine form on a box",
                       p->param[0].text);
    *out = form_allows(&f, dim, v);
    return ZLAY_OK;
}
