/* SPDX-License-Identifier: Apache-2.0 */
/* Extents as forms: where a box depends on parameters, the guards of every piece say 0 <= x < N of
 * a coordinate x, and nothing else of it. */
#include "algebra/ops/reshape.h"

#include <string.h>

typedef struct bound {
    const zl_pieces *p;
    size_t dim;
    const int64_t *above; /* the row N - 1 - x */
} bound;

static bool division_has(const zl_pieces *p, size_t q, size_t dim)
{
    const int64_t *row = p->div + q * zl_pieces_width(p);
    if (row[1 + p->params + dim]) return true;
    for (size_t r = 0; r < q; r++)
        if (row[1 + p->params + p->dims + r] && division_has(p, r, dim)) return true;
    return false;
}

static bool row_has(const zl_pieces *p, const int64_t *row, size_t dim)
{
    if (row[1 + p->params + dim]) return true;
    for (size_t q = 0; q < p->divs; q++)
        if (row[1 + p->params + p->dims + q] && division_has(p, q, dim)) return true;
    return false;
}

/* `sign` x plus parameters, and nothing else; for +1 x alone. */
static bool is_bound(const bound *b, const int64_t *row, int64_t sign)
{
    const zl_pieces *p = b->p;
    for (size_t v = sign > 0 ? 0 : 1 + p->params; v < zl_pieces_width(p); v++)
        if (row[v] != (v == 1 + p->params + b->dim ? sign : 0)) return false;
    return true;
}

static bool same_above(const bound *b, const int64_t *row)
{
    return !b->above || !memcmp(b->above, row, zl_pieces_width(b->p) * sizeof *row);
}

static bool piece_bounds(bound *b, const zl_piece *piece)
{
    size_t width = zl_pieces_width(b->p);
    bool below = false, above = false;
    for (size_t r = 0; r < piece->equals + piece->leasts; r++) {
        const int64_t *row = piece->guard + r * width;
        if (!row_has(b->p, row, b->dim)) continue;
        if (r < piece->equals) return false;
        if (is_bound(b, row, 1)) below = true;
        else if (is_bound(b, row, -1) && same_above(b, row)) above = true;
        else return false;
        if (above) b->above = above && !b->above ? row : b->above;
    }
    return below && above;
}

static bool all_bound(bound *b)
{
    for (size_t i = 0; i < b->p->count; i++)
        if (!piece_bounds(b, &b->p->piece[i])) return false;
    return b->above != NULL;
}

/* The row's constant and parameters, by name. */
static void read_row(const zl_draft *d, zl_quasi *out, const zl_pieces *p, const int64_t *row)
{
    zl_quasi_set(out, row[0]);
    for (size_t i = 0; i < p->params; i++) {
        size_t j = zl_param_find(d->w.param, d->w.params, p->param[i].text);
        if (j < d->w.params) zl_quasi_put(out, j, row[1 + i]);
    }
}

zlay_status zl_draft_last(zl_draft *d, zl_quasi *out, const zlay_layout *a, uint64_t mode)
{
    uint64_t extent[ZL_PIECE_VARIABLES];
    bound b = {&a->pieces, mode, NULL};
    zlay_layout_box(extent, ZL_PIECE_VARIABLES, a);
    zl_quasi_set(out, (int64_t)(extent[mode] - 1));
    if (extent[mode]) return ZLAY_OK;
    if (!all_bound(&b))
        return zl_fail(d->w.ctx, ZLAY_ENOTSUP,
                       "the extent of mode %llu depends on parameters, as %s, and the guards do "
                       "not say 0 <= x < N of it",
                       (unsigned long long)mode, a->pieces.params ? a->pieces.param[0].text : "?");
    read_row(d, out, &a->pieces, b.above);
    return ZLAY_OK;
}
