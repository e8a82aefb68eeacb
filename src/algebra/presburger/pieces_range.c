/* SPDX-License-Identifier: Apache-2.0 */
/* Contiguous indices of pieces that are one form on their whole box, line by line of the first dim.
 *
 * Along a line a row is an arithmetic progression plus the divisions that change on it, so each row
 * is computed for a block of points at a time.  Most quotients are those of the point before: a
 * division is made where the remainder says that the quotient changes.  No sum leaves 64 bits: the
 * layout was checked when it was made. */
#include "algebra/presburger/pieces.h"
#include "base/arith.h"

#include <string.h>

enum { BLOCK = 64, DIVS_MOST = 24 };

__extension__ typedef __int128 wide;

/* Variables of one block of a line: coordinates and quotients at its first point, and the quotients
 * at all of its points where they change along the line. */
typedef struct line {
    const zl_pieces *p;
    size_t changing, which[DIVS_MOST]; /* the divisions that change */
    int64_t at[ZL_PIECE_VARIABLES], quotient[DIVS_MOST][BLOCK];
} line;

static bool is_changing(const line *l, size_t division)
{
    for (size_t i = 0; i < l->changing; i++)
        if (l->which[i] == division) return true;
    return false;
}

static void changing_find(line *l)
{
    const zl_pieces *p = l->p;
    size_t width = zl_pieces_width(p);
    l->changing = 0;
    for (size_t q = 0; q < p->divs; q++) {
        const int64_t *row = p->div + q * width;
        bool changes = row[1] != 0;
        for (size_t d = 0; d < q; d++) changes |= row[1 + p->dims + d] && is_changing(l, d);
        if (changes) l->which[l->changing++] = q;
    }
}

/* The terms of a row that do not change along the line; what changes has the variable 0 here. */
static int64_t fixed_of(const line *l, const int64_t *row, size_t variables)
{
    int64_t sum = row[0];
    for (size_t v = 1; v < variables; v++) sum += row[1 + v] * l->at[v];
    return sum;
}

static void row_fill(int64_t *out, const line *l, const int64_t *row, size_t variables,
                     size_t count)
{
    int64_t start = fixed_of(l, row, variables) + row[1] * l->at[0], step = row[1];
    for (size_t i = 0; i < count; i++) out[i] = start + (int64_t)i * step;
    for (size_t c = 0; c < l->changing && l->p->dims + l->which[c] < variables; c++) {
        int64_t factor = row[1 + l->p->dims + l->which[c]];
        const int64_t *quotient = l->quotient[c];
        for (size_t i = 0; factor && i < count; i++) out[i] += factor * quotient[i];
    }
}

static void divide(int64_t *values, int64_t by, size_t count)
{
    int64_t quotient = zl_floor_div(values[0], by);
    for (size_t i = 0; i < count; i++) {
        wide rest = values[i] - (wide)quotient * by;
        if (rest < 0 || rest >= by) quotient = zl_floor_div(values[i], by);
        values[i] = quotient;
    }
}

/* Divisions are in the order in which they need each other. */
static void block_fill(int64_t *values, line *l, size_t count)
{
    const zl_pieces *p = l->p;
    size_t width = zl_pieces_width(p), c = 0;
    for (size_t q = 0; q < p->divs; q++) {
        const int64_t *row = p->div + q * width;
        bool changes = c < l->changing && l->which[c] == q;
        l->at[p->dims + q] = 0;
        if (changes) {
            row_fill(l->quotient[c], l, row, p->dims + q, count);
            divide(l->quotient[c++], p->den[q], count);
        } else {
            l->at[p->dims + q] = zl_floor_div(fixed_of(l, row, p->dims + q), p->den[q]);
        }
    }
    row_fill(values, l, p->piece->value, width - 1, count);
}

static bool fits(const zlay_layout *a)
{
    const zl_pieces *p = &a->pieces;
    return !a->partial && !p->params && p->dims && p->outs == 1 &&
           p->count == 1 && !p->piece->equals && !p->piece->leasts && p->divs <= DIVS_MOST;
}

/* The first coordinate stands at the end of its line: begin the next one. */
static void line_next(line *l)
{
    for (size_t i = 0; i < l->p->dims && l->at[i] == (int64_t)l->p->extent[i]; i++) {
        l->at[i] = 0;
        if (i + 1 < l->p->dims) l->at[i + 1]++;
    }
}

bool zl_pieces_range(int64_t *values, const zlay_layout *a, uint64_t first, size_t count)
{
    line l;
    if (!fits(a)) return false;
    l.p = &a->pieces;
    changing_find(&l);
    for (size_t i = 0; i < l.p->dims; i++) {
        l.at[i] = (int64_t)(first % l.p->extent[i]);
        first /= l.p->extent[i];
    }
    while (count) {
        uint64_t here = l.p->extent[0] - (uint64_t)l.at[0];
        if (here > BLOCK) here = BLOCK;
        if (here > count) here = count;
        block_fill(values, &l, (size_t)here);
        l.at[0] += (int64_t)here;
        line_next(&l);
        values += here;
        count -= (size_t)here;
    }
    return true;
}
