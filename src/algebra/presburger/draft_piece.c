/* SPDX-License-Identifier: Apache-2.0 */
/* Guards, pieces, and the layout that a draft becomes. */
#include "algebra/presburger/draft.h"
#include "base/arith.h"

#include <string.h>

/* ---- guards -------------------------------------------------------------------------- */

enum { NEVER, SOMETIMES, ALWAYS };

static int by_range(const zl_draft *d, const zl_form *form, int rule)
{
    zl_value_range r = zl_draft_range(d, form);
    if (r.greatest < 0 || (rule == ZL_ROW_EQUAL && r.least > 0)) return NEVER;
    if (rule == ZL_ROW_LEAST && r.least >= 0) return ALWAYS;
    return r.least == 0 && r.greatest == 0 ? ALWAYS : SOMETIMES;
}

/* Coefficients without a common factor, the constant as tight as integers allow. */
static int normal(zl_form *form, int rule)
{
    uint64_t g = 0;
    for (size_t v = 1; v <= form->used; v++) g = zl_gcd(g, zl_magnitude(form->at[v]));
    if (g < 2 || g > INT64_MAX) return SOMETIMES;
    if (rule == ZL_ROW_EQUAL && form->at[0] % (int64_t)g) return NEVER;
    for (size_t v = 1; v <= form->used; v++) form->at[v] /= (int64_t)g;
    form->at[0] = zl_floor_div(form->at[0], (int64_t)g);
    return SOMETIMES;
}

/* +1: the same coefficients, -1: the opposite ones, 0: neither. */
static int alike(const zl_form *a, const zl_form *b)
{
    bool same = true, opposite = true;
    size_t used = a->used > b->used ? a->used : b->used;
    for (size_t v = 0; v < used && (same || opposite); v++) {
        int64_t x = v < a->used ? a->at[1 + v] : 0, y = v < b->used ? b->at[1 + v] : 0;
        same = same && x == y;
        opposite = opposite && !((uint64_t)x + (uint64_t)y);
    }
    return same ? 1 : opposite ? -1 : 0;
}

/* What a row that holds says of one over the same coefficients. */
static int by_row(const zl_form *known, int known_rule, const zl_form *form, int rule)
{
    int sign = alike(known, form);
    int64_t c = known->at[0], sum;
    if (!sign || c == INT64_MIN) return SOMETIMES;
    if (sign < 0 ? !zl_add(form->at[0], c, &sum) : !zl_sub(form->at[0], c, &sum)) return SOMETIMES;
    if (known_rule == ZL_ROW_EQUAL)
        return rule == ZL_ROW_EQUAL ? (sum ? NEVER : ALWAYS) : sum < 0 ? NEVER : ALWAYS;
    if (sign < 0) return sum < 0 ? NEVER : SOMETIMES;
    if (rule == ZL_ROW_LEAST) return sum >= 0 ? ALWAYS : SOMETIMES;
    return sum > 0 ? NEVER : SOMETIMES;
}

static int by_guards(const zl_draft *d, const zl_form *form, int rule)
{
    int holds = SOMETIMES;
    const size_t *row = d->guards.at;
    zl_form known;
    for (size_t i = 0; i < d->guards.count && holds == SOMETIMES; i++) {
        zl_draft_load(d, &known, row[i]);
        holds = by_row(&known, ((const zl_draft_row *)d->rows.at)[row[i]].rule, form, rule);
    }
    return holds;
}

zlay_status zl_draft_guard(zl_draft *d, const zl_form *form, int rule, bool *dead)
{
    zl_form row;
    size_t at;
    zl_form_copy(&row, form);
    int holds = by_range(d, &row, rule);
    if (holds == SOMETIMES) holds = normal(&row, rule);
    if (holds == SOMETIMES) holds = by_guards(d, &row, rule);
    if (holds == NEVER) *dead = true;
    if (holds != SOMETIMES) return ZLAY_OK;
    zlay_status status = zl_draft_store(d, &at, &row, rule);
    return status ? status : zl_vector_put(d->ctx, &d->guards, &at, 1);
}

zlay_status zl_draft_inside(zl_draft *d, const zl_form *form, uint64_t extent, bool *dead)
{
    size_t before = d->guards.count;
    zl_form above;
    zl_form_constant(&above, extent > INT64_MAX ? INT64_MAX : (int64_t)extent - 1);
    zlay_status status = zl_form_add(d, &above, -1, form);
    if (!status) status = zl_draft_guard(d, form, ZL_ROW_LEAST, dead);
    if (!status) status = zl_draft_guard(d, &above, ZL_ROW_LEAST, dead);
    if (*dead || d->guards.count > before) d->leaves = true;
    return status;
}

/* ---- pieces --------------------------------------------------------------------------- */

static zlay_status put_values(zl_draft *d, const zl_form *values)
{
    size_t row;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < d->outs && !status; i++) {
        status = zl_draft_store(d, &row, &values[i], ZL_ROW_VALUE);
        if (!status) status = zl_vector_put(d->ctx, &d->piece_rows, &row, 1);
    }
    return status;
}

zlay_status zl_draft_piece(zl_draft *d, const zl_form *values)
{
    zl_part part = {d->piece_rows.count, d->guards.count + d->outs};
    uint64_t limit = zl_limits(d->ctx)->pieces;
    if (d->pieces.count >= limit)
        return zl_fail(d->ctx, ZLAY_ELIMIT, "limits.pieces is %llu and the layout has more",
                       (unsigned long long)limit);
    zlay_status status =
        zl_vector_put(d->ctx, &d->piece_rows, d->guards.at, d->guards.count);
    if (!status) status = put_values(d, values);
    return status ? status : zl_vector_put(d->ctx, &d->pieces, &part, 1);
}

/* ---- the layout ------------------------------------------------------------------------ */

/* The draft's rows at the width of the divisions that are used. */
typedef struct fair {
    zl_draft *d;
    size_t divs, number[ZL_PIECE_VARIABLES]; /* SIZE_MAX: left out */
    size_t width, rows;
    int64_t *cells, *den;
    zl_piece *piece;
} fair;

static void use(const zl_draft *d, bool *used, size_t row)
{
    const zl_draft_row *r = (const zl_draft_row *)d->rows.at + row;
    const int64_t *cell = (const int64_t *)d->cells.at + r->first;
    size_t first = 1 + d->params + d->dims;
    for (size_t v = first; v < r->length; v++)
        if (cell[v]) used[v - first] = true;
}

static size_t count_rows(const zl_draft *d)
{
    size_t count = 0;
    for (size_t i = 0; i < d->pieces.count; i++) count += ((const zl_part *)d->pieces.at)[i].count;
    return count;
}

static void use_piece(const zl_draft *d, bool *used, const zl_part *part)
{
    const size_t *row = (const size_t *)d->piece_rows.at + part->first;
    for (size_t i = 0; i < part->count; i++) use(d, used, row[i]);
}

/* A division uses earlier ones only, so one pass from the last finds all. */
static void number_divisions(fair *f)
{
    zl_draft *d = f->d;
    bool used[ZL_PIECE_VARIABLES] = {false};
    for (size_t i = 0; i < d->pieces.count; i++)
        use_piece(d, used, (const zl_part *)d->pieces.at + i);
    for (size_t q = d->divs; q-- > 0;)
        if (used[q]) use(d, used, d->div_row[q]);
    f->divs = 0;
    for (size_t q = 0; q < d->divs; q++) f->number[q] = used[q] ? f->divs++ : SIZE_MAX;
    f->width = 1 + d->params + d->dims + f->divs;
}

static void put_row(fair *f, size_t row)
{
    const zl_draft_row *r = (const zl_draft_row *)f->d->rows.at + row;
    const int64_t *cell = (const int64_t *)f->d->cells.at + r->first;
    int64_t *out = f->cells + f->rows++ * f->width;
    size_t first = 1 + f->d->params + f->d->dims, common = r->length < first ? r->length : first;
    memcpy(out, cell, common * sizeof *out);
    for (size_t v = first; v < r->length; v++)
        if (f->number[v - first] != SIZE_MAX) out[first + f->number[v - first]] = cell[v];
}

static size_t put_rule(fair *f, const zl_part *part, int rule)
{
    size_t count = 0;
    const size_t *row = (const size_t *)f->d->piece_rows.at + part->first;
    for (size_t i = 0; i < part->count; i++)
        if (((const zl_draft_row *)f->d->rows.at)[row[i]].rule == rule) {
            put_row(f, row[i]);
            count++;
        }
    return count;
}

static void put_piece(fair *f, size_t i)
{
    const zl_part *part = (const zl_part *)f->d->pieces.at + i;
    zl_piece *piece = &f->piece[i];
    piece->guard = f->cells + f->rows * f->width;
    piece->equals = put_rule(f, part, ZL_ROW_EQUAL);
    piece->leasts = put_rule(f, part, ZL_ROW_LEAST);
    piece->value = f->cells + f->rows * f->width;
    put_rule(f, part, ZL_ROW_VALUE);
}

static void put_all(fair *f)
{
    for (size_t q = 0; q < f->d->divs; q++)
        if (f->number[q] != SIZE_MAX) {
            f->den[f->number[q]] = f->d->den[q];
            put_row(f, f->d->div_row[q]);
        }
    for (size_t i = 0; i < f->d->pieces.count; i++) put_piece(f, i);
}

static zlay_status make(fair *f, zlay_layout **out, bool partial)
{
    const zl_draft *d = f->d;
    zl_pieces p = {d->params, d->dims, f->divs, d->outs, d->pieces.count, d->param, d->extent,
                   d->out_size, f->cells, f->den, f->piece};
    return zl_layout_pieces(d->ctx, out, &p, partial);
}

zlay_status zl_draft_layout(zl_draft *d, zlay_layout **out, bool partial)
{
    fair f;
    f.d = d;
    f.rows = 0;
    zl_draft_merge(d);
    number_divisions(&f);
    size_t rows = count_rows(d) + f.divs, cells = rows * f.width;
    f.cells = zl_scratch(d->ctx, cells + f.divs + 1, sizeof *f.cells);
    f.piece = zl_scratch_plain(d->ctx, d->pieces.count + 1, sizeof *f.piece);
    if (!f.cells || !f.piece) return ZLAY_ENOMEM;
    f.den = f.cells + cells;
    put_all(&f);
    return make(&f, out, partial);
}
