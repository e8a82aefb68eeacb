/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites a source that is one affine form on a box, whose extents may be parameters, as extents
 * and strides: `[M] -> { [i,j] -> [64i + j] : 0 <= i < M and 0 <= j < 64 }` becomes (M,64):(64,1).
 * The rows of the constraint set must be bounds of single dimensions; any other source with
 * parameters is ENOTSUP. */
#include "algebra/text/format.h"
#include "synth/tensormap/symbolic/symbolic.h"

#include <inttypes.h>
#include <string.h>

typedef struct form {
    const zl_pieces *p;
    const int64_t *end[ZLAY_TILE_AXES]; /* the row extent - 1 - i >= 0 of a dimension */
} form;

/* The one coordinate of a row; `dims` where there is none, above where there are more. */
static size_t coordinate_of(const zl_pieces *p, const int64_t *row)
{
    size_t found = p->dims;
    for (size_t i = 0; i < p->dims; i++) {
        if (!row[1 + p->params + i]) continue;
        if (found < p->dims) return p->dims + 1;
        found = i;
    }
    return found;
}

/* Takes a row of the constraint set: a lower bound of 0, or the only upper bound of its
 * coordinate; false: it is neither. */
static bool take_row(form *f, const int64_t *row)
{
    size_t k = coordinate_of(f->p, row);
    if (k >= f->p->dims) return false;
    int64_t factor = row[1 + f->p->params + k];
    if (factor == 1) {
        for (size_t i = 0; i <= f->p->params; i++)
            if (row[i]) return false;
        return true;
    }
    if (factor != -1 || f->end[k]) return false;
    f->end[k] = row;
    return true;
}

static bool form_take(form *f, const zl_pieces *p)
{
    memset(f, 0, sizeof *f);
    f->p = p;
    if (p->count != 1 || p->outs != 1 || p->divs || p->piece[0].equals ||
        p->dims > ZLAY_TILE_AXES)
        return false;
    for (size_t r = 0; r < p->piece[0].leasts; r++)
        if (!take_row(f, p->piece[0].guard + r * zl_pieces_width(p))) return false;
    for (size_t k = 0; k < p->dims; k++)
        if (!f->end[k] && !p->extent[k]) return false;
    return true;
}

/* Prints a row as a sum of numbers times parameters, and a number. */
static bool row_put(zl_text *out, const zl_pieces *p, const int64_t *row, int64_t more)
{
    int64_t rest;
    bool behind = false;
    if (!zl_add(row[0], more, &rest)) return false;
    for (size_t i = 0; i < p->params; i++) {
        if (!row[1 + i]) continue;
        zl_putf(out, "%s%" PRId64 "*%s", behind ? " + " : "", row[1 + i], p->param[i].text);
        behind = true;
    }
    if (rest || !behind) zl_putf(out, "%s%" PRId64, behind ? " + " : "", rest);
    return true;
}

static bool form_put(zl_text *out, const form *f)
{
    const zl_pieces *p = f->p;
    const int64_t *value = p->piece[0].value;
    bool fits = row_put(out, p, value, 0);
    zl_puts(out, " o (");
    for (size_t k = 0; k < p->dims; k++) {
        zl_puts(out, k ? "," : "");
        if (f->end[k]) fits = row_put(out, p, f->end[k], 1) && fits;
        else zl_putf(out, "%" PRIu64, p->extent[k]);
    }
    zl_puts(out, "):(");
    for (size_t k = 0; k < p->dims; k++)
        zl_putf(out, "%s%" PRId64, k ? "," : "", value[1 + p->params + k]);
    zl_puts(out, ")");
    return fits;
}

/* Fails where the source is no such form, or an extent is no product of names. */
zlay_status zl_tm_affine(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    enum { TEXT = 4096 };
    char text[TEXT];
    zl_text to = {text, sizeof text, 0};
    form f;
    bool fits = a->pieces.params && form_take(&f, &a->pieces) && form_put(&to, &f);
    if (fits && to.need < sizeof text && !zl_layout_parse(ctx, out, text, to.need))
        return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ENOTSUP,
                   "source: has the unknown '%s' and is no affine form on a box whose extents are "
                   "numbers or products of names",
                   zlay_layout_param_nth(a, 0));
}
