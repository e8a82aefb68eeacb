/* SPDX-License-Identifier: Apache-2.0 */
/* A layout of pieces as a choice between their forms. A row is a sum of coordinates and quotients; a
 * coordinate whose quotient by a power of two comes with the factor of its remainder is masked. The
 * guard with the most rows is not asked: its piece stands where no other one does, and behind the
 * end of a partial layout's domain. */
#include "emit/function/layout.h"

typedef struct row_reader {
    zl_graph *g;
    const zl_pieces *p;
    zl_vertex variable[ZL_PIECE_VARIABLES];
} row_reader;

static bool is_dim(const row_reader *r, size_t v) { return v < r->p->dims; }

/* The coordinate of which variable v is the quotient by a power of two; dims where it is none. */
static size_t quotient_of(const row_reader *r, size_t v, int64_t *den)
{
    const zl_pieces *p = r->p;
    size_t q = v - p->dims, found = p->dims;
    const int64_t *row = p->div + q * zl_pieces_width(p);
    *den = p->den[q];
    if (row[0] || !zl_is_power_of_two((uint64_t)*den)) return p->dims;
    for (size_t u = 0; u < p->dims + p->divs; u++) {
        if (!row[1 + u]) continue;
        if (row[1 + u] != 1 || found < p->dims || !is_dim(r, u)) return p->dims;
        found = u;
    }
    return found;
}

/* Takes `x mod n` out of a row: the factor of x goes to the remainder, that of floor(x / n) to 0. */
static zl_vertex take_remainders(const row_reader *r, int64_t *factor)
{
    zl_vertex sum = 0;
    for (size_t v = r->p->dims; v < r->p->dims + r->p->divs; v++) {
        int64_t den, product;
        size_t x = factor[v] ? quotient_of(r, v, &den) : r->p->dims;
        if (!is_dim(r, x) || !zl_mul(factor[x], -den, &product) || product != factor[v]) continue;
        zl_vertex rest = zl_graph_modulo(r->g, r->variable[x], den);
        sum = zl_graph_add(r->g, sum, zl_graph_times(r->g, rest, factor[x]));
        factor[x] = factor[v] = 0;
    }
    return sum;
}

/* The variables of a row with positive factors, and those with negative ones by their magnitude, or
 * all of them; without the constant. */
typedef enum signs { ALL, POSITIVE, NEGATIVE } signs;

static zl_vertex sum_of(const row_reader *r, const int64_t *row, signs s)
{
    size_t count = r->p->dims + r->p->divs;
    int64_t factor[ZL_PIECE_VARIABLES];
    for (size_t v = 0; v < count; v++) factor[v] = row[1 + v];
    zl_vertex sum = s == ALL ? take_remainders(r, factor) : 0;
    for (size_t v = 0; v < count; v++) {
        if (!factor[v] || (s == POSITIVE && factor[v] < 0) || (s == NEGATIVE && factor[v] > 0))
            continue;
        int64_t by = s == NEGATIVE ? -factor[v] : factor[v];
        sum = zl_graph_add(r->g, sum, zl_graph_times(r->g, r->variable[v], by));
    }
    return sum;
}

static zl_vertex value_of_row(const row_reader *r, const int64_t *row)
{
    return zl_graph_add(r->g, sum_of(r, row, ALL), zl_graph_number(r->g, row[0]));
}

/* row == 0, or row >= 0 as: what it subtracts is less than what it adds + 1. */
static zl_vertex holds(const row_reader *r, const int64_t *row, bool equal)
{
    zl_vertex less = sum_of(r, row, NEGATIVE);
    zl_vertex more = zl_graph_add(r->g, sum_of(r, row, POSITIVE), zl_graph_number(r->g, row[0]));
    if (equal) return zl_graph_same(r->g, less, more);
    return zl_graph_less(r->g, less, zl_graph_add(r->g, more, zl_graph_number(r->g, 1)));
}

static size_t guards(const zl_piece *piece) { return piece->equals + piece->leasts; }

static zl_vertex guard_of(const row_reader *r, const zl_piece *piece)
{
    zl_vertex all = zl_graph_number(r->g, 1);
    size_t width = zl_pieces_width(r->p);
    for (size_t i = 0; i < guards(piece); i++)
        all = zl_graph_both(r->g, all, holds(r, piece->guard + i * width, i < piece->equals));
    return all;
}

/* One integer of all outputs, the first minor. */
static zl_vertex value_of(const row_reader *r, const zl_piece *piece)
{
    size_t width = zl_pieces_width(r->p);
    zl_vertex value = 0;
    int64_t pitch = 1;
    for (size_t i = 0; i < r->p->outs; i++) {
        zl_vertex out = value_of_row(r, piece->value + i * width);
        uint64_t size = r->p->out_size[i];
        if (out && size) zl_graph_know(r->g, out, 0, (int64_t)size - 1);
        value = zl_graph_add(r->g, value, zl_graph_times(r->g, out, pitch));
        pitch *= size ? (int64_t)size : 1;
    }
    return value;
}

static row_reader *rows_new(zl_graph *g)
{
    row_reader *r = zl_scratch_plain(g->ctx, 1, sizeof *r);
    if (!r) g->status = ZLAY_ENOMEM;
    return r;
}

static void rows_begin(row_reader *r, zl_graph *g, const zl_address *a)
{
    const zl_pieces *p = &a->layout->pieces;
    size_t width = zl_pieces_width(p);
    r->g = g;
    r->p = p;
    for (size_t i = 0; i < p->dims; i++) r->variable[i] = zl_address_argument(g, a, i);
    for (size_t v = p->dims; v < p->dims + p->divs; v++) r->variable[v] = 0;
    for (size_t q = 0; q < p->divs; q++)
        r->variable[p->dims + q] =
            zl_graph_over(g, value_of_row(r, p->div + q * width), p->den[q]);
}

/* The piece that costs most to ask for. */
static size_t left_for_last(const zl_pieces *p)
{
    size_t last = 0;
    for (size_t i = 1; i < p->count; i++)
        if (guards(&p->piece[i]) > guards(&p->piece[last])) last = i;
    return last;
}

zl_vertex zl_form_pieces(zl_graph *g, const zl_address *a, bool *serves)
{
    const zl_pieces *p = &a->layout->pieces;
    row_reader *r = NULL;
    *serves = zl_is_pieces(a->layout) && a->dims == p->dims && p->count;
    if (*serves) r = rows_new(g);
    if (!r) return 0;
    rows_begin(r, g, a);
    size_t last = left_for_last(p);
    zl_vertex value = value_of(r, &p->piece[last]);
    for (size_t i = p->count; i-- > 0 && !g->status;)
        if (i != last)
            value = zl_graph_choose(g, guard_of(r, &p->piece[i]), value_of(r, &p->piece[i]), value);
    return value;
}

zl_vertex zl_pieces_there(zl_graph *g, const zl_address *a)
{
    const zl_pieces *p = &a->layout->pieces;
    zl_vertex there = 0;
    row_reader *r = rows_new(g);
    if (!r) return 0;
    rows_begin(r, g, a);
    for (size_t i = 0; i < p->count && !g->status; i++)
        there = zl_graph_either(g, there, guard_of(r, &p->piece[i]));
    return there;
}
