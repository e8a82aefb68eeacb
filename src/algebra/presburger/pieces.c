/* SPDX-License-Identifier: Apache-2.0 */
/* The kind of pieces: made in one block, rows first, and what its table asks. */
#include "algebra/presburger/pieces.h"
#include "base/arith.h"

#include <string.h>

/* ---- making: one block, rows first ------------------------------------------------- */

static size_t guard_rows(const zl_piece *piece) { return piece->equals + piece->leasts; }

static size_t all_rows(const zl_pieces *p)
{
    size_t rows = p->divs;
    for (size_t i = 0; i < p->count; i++) rows += guard_rows(&p->piece[i]) + p->outs;
    return rows;
}

static zlay_status counts_check(zlay_ctx *ctx, const zl_pieces *p)
{
    const zlay_limits *l = zl_limits(ctx);
    size_t variables = p->params + p->dims + p->divs;
    if (p->count > l->pieces)
        return zl_fail(ctx, ZLAY_ELIMIT, "limits.pieces is %llu and the layout has %zu",
                       (unsigned long long)l->pieces, p->count);
    if (p->dims > l->dims)
        return zl_fail(ctx, ZLAY_ELIMIT, "limits.dims is %llu and the layout has %zu",
                       (unsigned long long)l->dims, p->dims);
    if (variables > ZL_PIECE_VARIABLES)
        return zl_fail(ctx, ZLAY_ELIMIT, "%zu parameters, dimensions and divisions; %d at most",
                       variables, (int)ZL_PIECE_VARIABLES);
    return ZLAY_OK;
}

static zlay_status size_check(zlay_ctx *ctx, const zl_pieces *p, uint64_t *size)
{
    *size = 1;
    for (size_t i = 0; i < p->dims; i++) {
        if (!p->extent[i]) {
            if (!p->params) return zl_fail(ctx, ZLAY_EINVAL, "dimension %zu has no points", i);
            *size = 0;
            return ZLAY_OK;
        }
        if (!zl_umul(*size, p->extent[i], size) || p->extent[i] > INT64_MAX)
            return zl_fail(ctx, ZLAY_EOVERFLOW, "the size does not fit 64 bits");
    }
    return ZLAY_OK;
}

/* No partial sum of a row leaves 64 bits when the magnitudes of its terms add up within them. */
static bool row_reach(const int64_t *row, const uint64_t *reach, size_t count, uint64_t *out)
{
    *out = zl_magnitude(row[0]);
    for (size_t v = 0; v < count; v++) {
        uint64_t term;
        if (!zl_umul(zl_magnitude(row[1 + v]), reach[v], &term) || !zl_uadd(*out, term, out))
            return false;
    }
    return *out <= INT64_MAX;
}

static bool piece_fits(const zl_pieces *p, const zl_piece *piece, const uint64_t *reach)
{
    size_t width = zl_pieces_width(p);
    uint64_t out;
    for (size_t r = 0; r < guard_rows(piece); r++)
        if (!row_reach(piece->guard + r * width, reach, width - 1, &out)) return false;
    for (size_t r = 0; r < p->outs; r++)
        if (!row_reach(piece->value + r * width, reach, width - 1, &out)) return false;
    return true;
}

static bool rows_fit(const zl_pieces *p)
{
    uint64_t reach[ZL_PIECE_VARIABLES];
    size_t width = zl_pieces_width(p);
    for (size_t i = 0; i < p->dims; i++) reach[i] = p->extent[i] - 1;
    for (size_t q = 0; q < p->divs; q++) {
        uint64_t *out = &reach[p->dims + q];
        if (!row_reach(p->div + q * width, reach, p->dims + q, out)) return false;
        *out = *out / (uint64_t)p->den[q] + 1;
    }
    for (size_t i = 0; i < p->count; i++)
        if (!piece_fits(p, &p->piece[i], reach)) return false;
    return true;
}

typedef struct place {
    char *at;
} place;

static void *put(place *to, const void *from, size_t bytes)
{
    void *at = to->at;
    if (bytes) memcpy(at, from, bytes);
    to->at += bytes;
    return at;
}

/* Rows and numbers before the pieces, names last: nothing needs padding. */
static void fill(zlay_layout *a, const zl_pieces *p)
{
    size_t row = zl_pieces_width(p) * sizeof(int64_t);
    place to = {(char *)(a + 1)};
    zl_piece *piece = put(&to, p->piece, p->count * sizeof *piece);
    a->pieces = *p;
    a->pieces.piece = piece;
    a->pieces.div = put(&to, p->div, p->divs * row);
    a->pieces.den = put(&to, p->den, p->divs * sizeof *p->den);
    a->pieces.extent = put(&to, p->extent, p->dims * sizeof *p->extent);
    a->pieces.out_size = put(&to, p->out_size, p->outs * sizeof *p->out_size);
    for (size_t i = 0; i < p->count; i++) {
        piece[i].guard = put(&to, p->piece[i].guard, guard_rows(&p->piece[i]) * row);
        piece[i].value = put(&to, p->piece[i].value, p->outs * row);
    }
    a->pieces.param = put(&to, p->param, p->params * sizeof *p->param);
}

zlay_status zl_layout_pieces(zlay_ctx *ctx, zlay_layout **out, const zl_pieces *p, bool partial)
{
    uint64_t size;
    zlay_status status = counts_check(ctx, p);
    if (!status) status = size_check(ctx, p, &size);
    if (status) return status;
    if (!p->params && !rows_fit(p))
        return zl_fail(ctx, ZLAY_EOVERFLOW, "a value of the layout does not fit 64 bits");
    size_t tail =
        p->count * sizeof *p->piece + p->params * sizeof *p->param +
        sizeof(int64_t) * (all_rows(p) * zl_pieces_width(p) + p->divs + p->dims + p->outs);
    zlay_layout *a = zl_layout_block(ctx, ZLAY_LAYOUT_PIECES, &zl_pieces_kind, tail);
    if (!a) return ZLAY_ENOMEM;
    fill(a, p);
    a->size = size;
    a->partial = partial;
    *out = a;
    return ZLAY_OK;
}

static zlay_status copy_of(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    return zl_layout_pieces(ctx, out, &a->pieces, a->partial);
}

static size_t extents_of(uint64_t *extents, size_t room, const zlay_layout *a)
{
    for (size_t i = 0; i < a->pieces.dims && i < room; i++) extents[i] = a->pieces.extent[i];
    return a->pieces.dims;
}

static const char *param_of(const zlay_layout *a, size_t i)
{
    return i < a->pieces.params ? a->pieces.param[i].text : NULL;
}

static zlay_status box_of(zl_modes *box, const zlay_layout *a)
{
    size_t first = box->count;
    zlay_status status = ZLAY_OK;
    if (!a->pieces.dims) return zl_modes_leaf(box, 1, 0);
    for (size_t i = 0; i < a->pieces.dims && !status; i++)
        status = zl_modes_leaf(box, (int64_t)a->pieces.extent[i], 0);
    if (a->pieces.dims > 1) zl_modes_wrap(box, first);
    return status;
}

/* ---- values -------------------------------------------------------------------------- */

static zlay_status tuple_at(const zlay_layout *a, uint64_t index, int64_t *values)
{
    int64_t coordinate[ZL_PIECE_VARIABLES];
    const zl_pieces *p = &a->pieces;
    if (p->params) return ZLAY_EINVAL;
    for (size_t i = 0; i < p->dims; i++) {
        coordinate[i] = (int64_t)(index % p->extent[i]);
        index /= p->extent[i];
    }
    return zl_pieces_at(p, NULL, coordinate, values);
}

enum { OUTS_MOST = 64 };

static bool value_at(const zlay_layout *a, uint64_t index, int64_t *out)
{
    int64_t values[OUTS_MOST];
    const zl_pieces *p = &a->pieces;
    uint64_t flat = 0;
    if (p->outs > OUTS_MOST || tuple_at(a, index, values)) return false;
    for (size_t i = p->outs; p->outs > 1 && i-- > 0;) {
        if (!p->out_size[i]) return false;
        flat = flat * p->out_size[i] + (uint64_t)values[i];
    }
    *out = p->outs > 1 ? (int64_t)flat : values[0];
    return true;
}

static int64_t flat_at(const zlay_layout *a, uint64_t index)
{
    int64_t value = 0;
    return value_at(a, index, &value) ? value : 0;
}

static bool at_integer(const zlay_layout *a, int64_t value, int64_t *out)
{
    return value >= 0 && (uint64_t)value < a->size && value_at(a, (uint64_t)value, out);
}

static bool affine_of_integers(zl_affine *out, const zlay_layout *a, unsigned bits)
{
    return zl_pieces_affine(out, a) && out->bits >= bits;
}

static uint64_t steps_of(const zlay_layout *a) { return 2 + zl_pieces_steps(&a->pieces); }

const zl_layout_kind zl_pieces_kind = {
    .value = value_at,
    .at = flat_at,
    .tuple = tuple_at,
    .range = zl_pieces_range,
    .at_integer = at_integer,
    .affine = zl_pieces_affine,
    .affine_of_integers = affine_of_integers,
    .steps = steps_of,
    .box = box_of,
    .extents = extents_of,
    .copy = copy_of,
    .print = zl_pieces_print,
    .param = param_of,
    .bind = zl_pieces_bind,
};
