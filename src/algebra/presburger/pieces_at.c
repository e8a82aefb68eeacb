/* SPDX-License-Identifier: Apache-2.0 */
/* The values of pieces at a point: floor divisions first, then the first guard that holds. */
#include "algebra/presburger/pieces.h"
#include "base/arith.h"

#include <string.h>

static size_t guard_rows(const zl_piece *piece) { return piece->equals + piece->leasts; }

static bool row_at(const int64_t *row, const int64_t *variable, size_t count, int64_t *out)
{
    int64_t term;
    *out = row[0];
    for (size_t v = 0; v < count; v++)
        if (row[1 + v])
            if (!zl_mul(row[1 + v], variable[v], &term) || !zl_add(*out, term, out)) return false;
    return true;
}

static zlay_status guard_at(const zl_piece *piece, const int64_t *variable, size_t width)
{
    int64_t value;
    for (size_t r = 0; r < guard_rows(piece); r++) {
        if (!row_at(piece->guard + r * width, variable, width - 1, &value)) return ZLAY_EOVERFLOW;
        if (r < piece->equals ? value != 0 : value < 0) return ZLAY_NONE;
    }
    return ZLAY_OK;
}

static zlay_status variables_at(const zl_pieces *p, const int64_t *params,
                                const int64_t *coordinate, int64_t *variable)
{
    size_t count = p->params + p->dims, width = zl_pieces_width(p);
    if (p->params) memcpy(variable, params, p->params * sizeof *variable);
    if (p->dims) memcpy(variable + p->params, coordinate, p->dims * sizeof *variable);
    for (size_t q = 0; q < p->divs; q++) {
        if (!row_at(p->div + q * width, variable, count + q, &variable[count + q]))
            return ZLAY_EOVERFLOW;
        variable[count + q] = zl_floor_div(variable[count + q], p->den[q]);
    }
    return ZLAY_OK;
}

/* A division of 64 bits is a step or two, and so are the products of eight entries of a row. */
uint64_t zl_pieces_steps(const zl_pieces *p)
{
    uint64_t rows = p->divs;
    for (size_t i = 0; i < p->count; i++) rows += p->piece[i].equals + p->piece[i].leasts + p->outs;
    return p->dims + 2 * p->divs + zl_umul_sat(rows, zl_pieces_width(p)) / 8;
}

zlay_status zl_pieces_at(const zl_pieces *p, const int64_t *params, const int64_t *coordinate,
                         int64_t *values)
{
    int64_t variable[ZL_PIECE_VARIABLES];
    size_t width = zl_pieces_width(p);
    zlay_status status = variables_at(p, params, coordinate, variable);
    for (size_t i = 0; i < p->count && !status; i++) {
        const zl_piece *piece = &p->piece[i];
        status = guard_at(piece, variable, width);
        for (size_t r = 0; r < p->outs && !status; r++)
            if (!row_at(piece->value + r * width, variable, width - 1, &values[r]))
                status = ZLAY_EOVERFLOW;
        if (status != ZLAY_NONE) return status;
        status = ZLAY_OK;
    }
    return status ? status : ZLAY_NONE;
}
