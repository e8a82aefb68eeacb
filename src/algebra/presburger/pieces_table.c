/* SPDX-License-Identifier: Apache-2.0 */
/* All values of pieces: the same as point by point, with rows reduced to the terms they have.  That
 * no sum leaves 64 bits was checked when the pieces were made.  Each piece is asked at the points
 * that its bounds leave, so that many small pieces cost what one large piece does. */
#include "algebra/presburger/pieces.h"
#include "base/arith.h"

typedef struct entry {
    int64_t factor;
    size_t variable;
} entry;

typedef struct sparse {
    const zl_pieces *p;
    entry *at;      /* all rows, one after the other */
    size_t *end;    /* of a row's entries */
    int64_t *first; /* its constant */
    size_t rows, entries;
    int64_t variable[ZL_PIECE_VARIABLES];
} sparse;

/* Rows in the order in which they are asked: divisions, then the guard and values of each piece. */
typedef void row_visit(sparse *s, const int64_t *row);

static void visit_rows(sparse *s, const int64_t *row, size_t count, row_visit *visit)
{
    for (size_t i = 0; i < count; i++) visit(s, row + i * zl_pieces_width(s->p));
}

static void visit_all(sparse *s, row_visit *visit)
{
    s->rows = s->entries = 0;
    visit_rows(s, s->p->div, s->p->divs, visit);
    for (size_t i = 0; i < s->p->count; i++) {
        const zl_piece *piece = &s->p->piece[i];
        visit_rows(s, piece->guard, piece->equals + piece->leasts, visit);
        visit_rows(s, piece->value, s->p->outs, visit);
    }
}

static void count_row(sparse *s, const int64_t *row)
{
    for (size_t v = 1; v < zl_pieces_width(s->p); v++) s->entries += row[v] != 0;
    s->rows++;
}

static void put_row(sparse *s, const int64_t *row)
{
    for (size_t v = 1; v < zl_pieces_width(s->p); v++)
        if (row[v]) s->at[s->entries++] = (entry){row[v], v - 1};
    s->first[s->rows] = row[0];
    s->end[s->rows++] = s->entries;
}

static int64_t row_at(const sparse *s, size_t row)
{
    int64_t value = s->first[row];
    for (size_t i = row ? s->end[row - 1] : 0; i < s->end[row]; i++)
        value += s->at[i].factor * s->variable[s->at[i].variable];
    return value;
}

static void divide(sparse *s)
{
    for (size_t q = 0; q < s->p->divs; q++) {
        int64_t value = row_at(s, q), den = s->p->den[q];
        s->variable[s->p->dims + q] = value / den - (value % den < 0);
    }
}

static bool holds(const sparse *s, const zl_piece *piece, size_t row)
{
    for (size_t r = 0; r < piece->equals + piece->leasts; r++) {
        int64_t value = row_at(s, row + r);
        if (r < piece->equals ? value != 0 : value < 0) return false;
    }
    return true;
}

/* The flat value of the piece whose outputs begin at a row. */
static int64_t flat_at(const sparse *s, size_t row)
{
    uint64_t flat = (uint64_t)row_at(s, row + s->p->outs - 1);
    for (size_t i = s->p->outs - 1; i-- > 0;)
        flat = flat * s->p->out_size[i] + (uint64_t)row_at(s, row + i);
    return (int64_t)flat;
}

/* ---- the points of a piece: those of the box that its one-variable bounds leave ----------- */

typedef struct hull {
    int64_t low[ZL_PIECE_VARIABLES], high[ZL_PIECE_VARIABLES];
} hull;

/* c + k x >= 0, or with `sign` -1 <= 0, of a row with the coordinate x alone. */
static void bound(const sparse *s, size_t row, int sign, hull *h)
{
    size_t from = row ? s->end[row - 1] : 0;
    if (s->end[row] - from != 1 || s->at[from].variable >= s->p->dims) return;
    entry e = s->at[from];
    int64_t c = s->first[row];
    if (e.factor == INT64_MIN || c == INT64_MIN) return;
    e.factor *= sign;
    c *= sign;
    int64_t *low = &h->low[e.variable], *high = &h->high[e.variable];
    int64_t edge = e.factor > 0 ? -zl_floor_div(c, e.factor) : zl_floor_div(c, -e.factor);
    if (e.factor > 0) *low = edge > *low ? edge : *low;
    else *high = edge < *high ? edge : *high;
}

/* False where no point is left. */
static bool hull_of(const sparse *s, const zl_piece *piece, size_t row, hull *h)
{
    bool any = true;
    for (size_t d = 0; d < s->p->dims; d++) {
        h->low[d] = 0;
        h->high[d] = (int64_t)s->p->extent[d] - 1;
    }
    for (size_t r = 0; r < piece->equals + piece->leasts; r++) {
        bound(s, row + r, 1, h);
        if (r < piece->equals) bound(s, row + r, -1, h);
    }
    for (size_t d = 0; d < s->p->dims; d++) any = any && h->low[d] <= h->high[d];
    return any;
}

static uint64_t index_of(const sparse *s)
{
    uint64_t index = 0;
    for (size_t d = s->p->dims; d-- > 0;)
        index = index * s->p->extent[d] + (uint64_t)s->variable[d];
    return index;
}

static bool next_point(sparse *s, const hull *h)
{
    for (size_t d = 0; d < s->p->dims; d++) {
        if (++s->variable[d] <= h->high[d]) return true;
        s->variable[d] = h->low[d];
    }
    return false;
}

/* All rows of a piece are few entries each, and a division is two steps. */
static zlay_status charge_piece(const sparse *s, const zl_table *t, const zl_piece *piece,
                                const hull *h)
{
    uint64_t points = 1, steps = 2 + 2 * s->p->divs + piece->equals + piece->leasts + s->p->outs;
    for (size_t d = 0; d < s->p->dims; d++) points *= (uint64_t)(h->high[d] - h->low[d] + 1);
    return zl_charge(t->ctx, zl_umul_sat(points, steps));
}

static zlay_status fill_piece(sparse *s, zl_table *t, const zl_piece *piece, size_t row)
{
    hull h;
    if (!hull_of(s, piece, row, &h)) return ZLAY_OK;
    if (charge_piece(s, t, piece, &h)) return ZLAY_ENOMEM;
    for (size_t d = 0; d < s->p->dims; d++) s->variable[d] = h.low[d];
    do {
        divide(s);
        if (holds(s, piece, row))
            zl_table_set(t, index_of(s), flat_at(s, row + piece->equals + piece->leasts));
    } while (next_point(s, &h));
    return ZLAY_OK;
}

static zlay_status fill(sparse *s, zl_table *t)
{
    size_t row = s->p->divs;
    s->at = zl_scratch_plain(t->ctx, s->entries, sizeof *s->at);
    s->first = zl_scratch_plain(t->ctx, s->rows, sizeof *s->first);
    s->end = zl_scratch_plain(t->ctx, s->rows, sizeof *s->end);
    if (!s->end) return ZLAY_ENOMEM;
    visit_all(s, put_row);
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < s->p->count && !status; i++) {
        const zl_piece *piece = &s->p->piece[i];
        status = fill_piece(s, t, piece, row);
        row += piece->equals + piece->leasts + s->p->outs;
    }
    return status;
}

zlay_status zl_pieces_table(zl_table *out, const zlay_layout *a)
{
    sparse s = {.p = &a->pieces};
    zl_mark mark = zl_scratch_mark(out->ctx);
    visit_all(&s, count_row);
    zlay_status status = fill(&s, out);
    zl_scratch_release(out->ctx, mark);
    return status;
}
